/* Functions that every command shares: finding it, errors, Ctrl-C. */
#include "tools/cli/cli.h"

#include "base/alloc.h"
#include "base/out.h"
#include "engine/eval/pool.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const CliEntry *cli_find(const char *name) {
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        if (strcmp(entry->name, name) == 0) {
            return entry;
        }
    }
    return NULL;
}

bool cli_stopped(const Cli *cli) {
    return stop_is_requested(cli->stop);
}

void cli_restyle(Cli *cli) {
    cli->style = term_style(cli_out(cli), &cli->term_options);
    cli->error_style = term_style(cli_err(cli), &cli->term_options);
}

bool cli_print(const Cli *cli, const Out *out) {
    if (out->failed) {
        cli_no_memory(cli);
    }
    return out_flush_to(out, cli_out(cli));
}

int cli_no_memory(const Cli *cli) {
    return cli_error(cli, MEM_NONE);
}

int cli_no_workers(const Cli *cli, int64_t jobs, int64_t bytes) {
    int64_t workers = jobs != 0 ? jobs : pool_processors();
    return cli_error(cli,
                     MEM_NONE ": cannot reserve %" PRId64 " MB for each of %" PRId64
                              " worker%s; lower --max-memory%s",
                     bytes >> 20, workers, workers == 1 ? "" : "s", workers == 1 ? "" : " or --jobs");
}

int cli_error(const Cli *cli, const char *format, ...) {
    Out message, line;
    out_init(&message);
    out_init(&line);
    char text[2048]; /* arguments may be megabytes long, but error messages should not be */
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    out_printable(&message, text);
    if (length >= (int)sizeof text) {
        out_str(&message, "...");
    }
    out_fmt(&line, "batt%s%s: %s\n", cli->entry ? " " : "", cli->entry ? cli->entry->name : "", message.data);
    if (message.failed || line.failed) { /* no memory is left to say so, either */
        for (char *c = text; *c; c++) {
            *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
        }
        fprintf(cli_err(cli), "batt%s%s: %s\n", cli->entry ? " " : "", cli->entry ? cli->entry->name : "",
                text);
    } else {
        out_flush_to(&line, cli_err(cli));
    }
    out_free(&message);
    out_free(&line);
    return EXIT_BAD;
}
