/* batt serve: a playground in the browser. */
#include "tools/cli/data.h"
#include "tools/serve/serve.h"

#include <stdio.h>
#include <unistd.h>

typedef struct Options {
    DataOptions data;
    const char *store;
    int64_t port, max_time;
    int palette;
} Options;

static const CliOption options[] = {
    CLI_FILE(
        Options, store, 0, "store", "FILE", CLI_ROLE_GROW,
        "save programs to this store: those that fit all training pairs, and those that you choose to keep"),
    CLI_INT(Options, port, 0, "port", "N", "0", 0, 65535, "port to listen on; 0: any free port"),
    CLI_TIME(Options, max_time, 0, "max-time", "5m", CLI_SECOND, CLI_DAY, "max CPU time of one search"),
    CLI_CHOICE(Options, palette, 0, "palette", "classic|arcprize|colorblind", "classic",
               "colors of the grids"),
    DATA_OPTIONS(Options),
    DATA_SEED_OPTION(Options),
    CLI_END};

static const CliExample examples[] = {
    {"batt serve", "the example tasks", true},
    {"batt serve data/training --store found.batt", "tasks of a folder, and a store for programs", true},
    {"batt serve --port 8123 challenges.json", "a fixed port, for ssh -L", true},
    {0}};

static const char details[] =
    "Prints an address to open in a browser. The page lists the tasks and filters them by size, colors and "
    "outcome; drop a task file on it to add it. You can draw an answer and check it; write a program with "
    "completion, inline errors and every step drawn as you type; and start a search, whose candidates appear "
    "with their answers.\nThe server listens on 127.0.0.1 only, and its address contains a random token that "
    "changes with every start; requests without it are rejected. It writes no file except the store. Ctrl-C "
    "stops it.";

static void say_ready(void *user, unsigned port) {
    printf("http://127.0.0.1:%u/%s/\n", port, serve_token(user));
    fflush(stdout);
    if (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)) {
        fputs("Open this address in a browser. Ctrl-C stops the server.\n", stderr);
    }
}

static int serve(Cli *cli, const Options *opt, const Data *data) {
    char why[512] = "";
    ServeOptions how = {.tasks = data->tasks,
                        .n_tasks = data->n_tasks,
                        .store = opt->store,
                        .palette = palette_at(opt->palette),
                        .max_seconds = (unsigned)(opt->max_time / CLI_SECOND)};
    Serve *served = serve_open(&how, why, sizeof why);
    bool good = served != NULL &&
                serve_http(served, (unsigned)opt->port, cli->stop, say_ready, served, why, sizeof why);
    serve_close(served);
    return good ? EXIT_DONE : cli_error(cli, "%s", why);
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Data data = {0};
    int code = data_load_named(cli, &opt->data, 0, argc, argv, &data);
    if (code == EXIT_DONE && data.n_tasks == 0) {
        code = cli_error(cli, "no tasks in %s", data.origin);
    }
    if (code == EXIT_DONE) {
        code = serve(cli, opt, &data);
    }
    data_free(&data);
    return code;
}

const CliCommand cmd_serve = {.arguments = "[TASKS...]",
                              .max_args = -1,
                              .details = details,
                              .options = options,
                              .size = sizeof(Options),
                              .main = "store port palette",
                              .examples = examples,
                              .interruptible = true,
                              .run = run};
