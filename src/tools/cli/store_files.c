/* batt store export and check: subcommands that need the language as well as the store. */
#include "search/net/net.h"
#include "tools/cli/cmd_store.h"
#include "tools/cli/data.h"

#include <stdio.h>
#include <string.h>

/* ---- export ---- */

int store_cli_export(Cli *cli, const StoreOptions *opt, const char *path, char **tasks, int n_tasks) {
    if (opt->json && opt->output == NULL) {
        return cli_error(cli, "--json needs -o FILE");
    }
    Store *store = store_cli_open(cli, path, STORE_READ);
    if (store == NULL) {
        return EXIT_BAD;
    }
    StoreExport wanted = {.tasks = (const char *const *)tasks,
                          .n_tasks = (size_t)n_tasks,
                          .best = opt->best == CLI_UNSET ? 0 : opt->best,
                          .solved = opt->solved,
                          .mode = opt->mode,
                          .own = cli->own};
    Out out;
    out_init(&out);
    out_str(&out, "# " OUT_MARK " store export\n");
    int status = EXIT_DONE;
    bool done = store_export(store, &wanted, &out);
    cli_report_lacking(cli, &wanted.lacking, "");
    if (!done) {
        status = cli_error(cli, "%s", store_error(store));
    } else if (wanted.count == 0 && n_tasks > 0) {
        cli_error(cli, "no programs of these tasks");
        status = EXIT_SHORT;
    } else if (opt->output == NULL) {
        return store_cli_close(cli, store, store_cli_print(cli, &out, EXIT_DONE));
    } else if (!cli_save(cli, &out, opt->output)) {
        status = EXIT_SHORT;
    } else {
        size_t bytes = out.len;
        out_clear(&out);
        if (opt->json) {
            Json json = json_on(&out, 2);
            json_begin_report(&json, "batt.store.export/1");
            json_kv_string(&json, "file", opt->output);
            json_kv_int(&json, "functions", wanted.count);
            json_kv_uint(&json, "bytes", bytes);
            json_end_object(&json);
            out_char(&out, '\n');
        } else {
            out_fmt(&out, "functions: %lld, written to ", (long long)wanted.count);
            out_printable(&out, opt->output);
            out_char(&out, '\n');
        }
        return store_cli_close(cli, store, store_cli_print(cli, &out, EXIT_DONE));
    }
    out_free(&out);
    return store_cli_close(cli, store, status);
}

/* ---- check ---- */

typedef struct Findings {
    Lang *lang;
    bool json;
    Out out;
    Json writer;
    int64_t damaged_nets;
} Findings;

static bool verify(void *context, const StoreProgram *program, char *why) {
    Findings *findings = context;
    return store_verify_text(findings->lang, program, why);
}

static void say(void *context, const char *problem) {
    Findings *findings = context;
    if (findings->json) {
        json_text(&findings->writer, problem);
    } else {
        out_printable(&findings->out, problem);
        out_char(&findings->out, '\n');
    }
}

static bool verify_net(void *context, const StoreNet *net) {
    Findings *findings = context;
    if (!net_saved_is_whole(net->state, net->bytes)) {
        char problem[STORE_ERROR_MAX];
        snprintf(problem, sizeof problem, "net of task %.100s, seed %llu: damaged", net->task,
                 (unsigned long long)net->seed);
        say(findings, problem);
        findings->damaged_nets++;
    }
    return true;
}

int store_cli_check(Cli *cli, const StoreOptions *opt, const char *path) {
    Findings findings = {.lang = store_lang_open(cli->own), .json = opt->json};
    int64_t problems = 0;
    if (findings.lang == NULL) {
        return cli_no_memory(cli);
    }
    Store *store = store_cli_open(cli, path, STORE_READ | STORE_UNVERIFIED);
    if (store == NULL) {
        lang_close(findings.lang);
        return EXIT_BAD;
    }
    out_init(&findings.out);
    findings.writer = json_on(&findings.out, 2);
    if (opt->json) {
        json_begin_report(&findings.writer, "batt.store.check/1");
        json_kv_string(&findings.writer, "file", path);
        json_key(&findings.writer, "problems");
        json_begin_array(&findings.writer);
    }
    bool done = store_check(store, verify, say, &findings, &problems);
    done = done && (problems > 0 || store_each_net(store, verify_net, &findings));
    problems += findings.damaged_nets;
    if (opt->json) {
        json_end_array(&findings.writer);
        json_kv_bool(&findings.writer, "sound", problems == 0);
        json_end_object(&findings.writer);
        out_char(&findings.out, '\n');
    } else {
        out_fmt(&findings.out, problems == 0 ? "sound\n" : "problems: %lld\n", (long long)problems);
    }
    int status = problems == 0 ? EXIT_DONE : EXIT_SHORT;
    if (!done) {
        out_free(&findings.out);
        status = cli_error(cli, "%s", store_error(store));
    } else {
        status = store_cli_print(cli, &findings.out, status);
    }
    lang_close(findings.lang);
    return store_cli_close(cli, store, status);
}
