/* Runs one command: reads its options, checks its files, and frees what the frame keeps for it. */
#include "base/alloc.h"
#include "base/nearest.h"
#include "base/out.h"
#include "tools/cli/cli.h"
#include "tools/cli/ranks_option.h"

#include <string.h>

int cli_unknown_command(const Cli *cli, const char *name) {
    Nearest nearest = nearest_to(name, strlen(name));
    for (const CliEntry *entry = cli_commands; entry->name; entry++) {
        nearest_offer(&nearest, entry->name);
    }
    if (nearest.best) {
        cli_error(cli, "unknown command '%s'; did you mean '%s'?", name, nearest.best);
    } else {
        cli_error(cli, "unknown command '%s'; 'batt help' lists them", name);
    }
    return EXIT_BAD;
}

static int print_help(const Cli *cli) {
    Out out;
    out_init(&out);
    cli_help_command(&out, &cli->style, cli->entry);
    bool good = cli_print(cli, &out);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_SHORT;
}

int cli_execute(Cli *cli, int argc, char **argv) {
    const CliCommand *command = cli->entry->command;
    void *options = mem_zalloc(1, command->size ? command->size : 1);
    if (!options) {
        return cli_no_memory(cli);
    }
    bool help = false;
    int status = EXIT_BAD;
    size_t refused = 0;
    cli->refused = &refused;
    bool good = cli_parse(cli, command, options, &argc, argv, &help);
    cli_restyle(cli);
    if (help) {
        status = print_help(cli);
    } else if (!good) {
        fprintf(cli_err(cli), "'batt %s --help' explains the options\n", cli->entry->name);
    } else if (cli_check_files(cli, command, options, argc, argv)) {
        bool ready = true;
        if (cli->watch != NULL) { /* the library leaves signals and launchers to its host */
            cli->watch(command->interruptible);
            ready = cli_ranks_open(cli);
        }
        status = ready ? command->run(cli, options, argc, argv) : EXIT_BAD;
        if (status == EXIT_DONE && refused > 0) {
            status = EXIT_SHORT;
        }
        if (cli_stopped(cli)) {
            status = EXIT_INTERRUPTED;
        }
    }
    cli_ranks_close(cli, status);
    cli->refused = NULL;
    mem_free(cli->lists);
    mem_free(options);
    return status;
}
