/* batt learn: learns, from programs that solve tasks, the idioms that search puts together. */
#include "base/alloc.h"
#include "data/store/solver_file.h"
#include "search/learning/learn.h"
#include "tools/cli/data.h"

#include <stdio.h>

typedef struct Options {
    const char *store, *vocabulary, *out;
    int64_t max_new;
} Options;

static const CliOption options[] = {
    CLI_FILE(Options, out, 'o', "output", "FILE", CLI_ROLE_WRITE,
             "write the idioms here; default: standard output"),
    CLI_FILE(Options, vocabulary, 0, "vocabulary", "FILE", CLI_ROLE_READ,
             "start from these idioms instead of the built-in ones"),
    CLI_FILE(Options, store, 0, "store", "FILE", CLI_ROLE_READ,
             "learn from the programs of a store that are right on all training pairs"),
    CLI_INT(Options, max_new, 0, "new", "N", "40", 0, 1000, "max number of new idioms"), CLI_END};

static const CliExample examples[] = {
    {"batt learn", "the built-in programs", false},
    {"batt learn --store found.batt -o idioms.txt", "what a search has found", true},
    {"batt solve --vocabulary idioms.txt data/evaluation", "search with the learned idioms", true},
    {0}};

typedef struct ProgramReader {
    Lang *lang;
    ProgList *list;
    bool good;
    OwnLacking lacking;
} ProgramReader;

static bool read_row(void *context, const StoreRow *row) {
    ProgramReader *r = context;
    Source source = source_of("store", row->program.text, row->program.length);
    ParseOptions how = {PARSE_FILE, row->program.mode, -1};
    size_t before = r->list->count;
    Diags diags;
    diags_init(&diags);
    r->good = lang_parse(r->lang, &source, &how, r->list, &diags);
    own_lacking_drop(&r->lacking, r->list, before);
    diags_free(&diags);
    return r->good;
}

static int read_store(const Cli *cli, const char *path, Solvers *solvers) {
    char why[STORE_ERROR_MAX];
    Store *store = store_open(path, STORE_READ, why);
    if (store == NULL) {
        return cli_error(cli, "%s", why);
    }
    ProgramReader reading = {.lang = store_lang_open(cli->own), .list = &solvers->list};
    StoreFilter filter = {.solved = true, .mode = -1};
    reading.good = reading.lang != NULL;
    bool good = !reading.good || store_list(store, &filter, read_row, &reading);
    lang_close(reading.lang);
    cli_report_lacking(cli, &reading.lacking, " skipped");
    int code = !good          ? cli_error(cli, "%s", store_error(store))
               : reading.good ? EXIT_DONE
                              : cli_no_memory(cli);
    store_close(store, why);
    return code;
}

static int learn(const Cli *cli, const Options *opt, IdiomSet *idioms, const Solvers *solvers) {
    Learning learning;
    Out out;
    if (!learn_from(idioms, solvers->list.items, solvers->list.count, (uint32_t)opt->max_new, &learning)) {
        return cli_no_memory(cli);
    }
    out_init(&out);
    out_fmt(&out,
            "# " OUT_MARK " learn: idioms for batt solve --vocabulary: COST RESULT(ARGUMENTS): EXPRESSION\n");
    idioms_write(&out, idioms);
    int code = EXIT_DONE;
    if (opt->out == NULL) {
        code = cli_print(cli, &out) ? EXIT_DONE : EXIT_SHORT;
    } else if (!cli_save(cli, &out, opt->out)) {
        code = EXIT_SHORT;
    }
    out_free(&out);
    fprintf(cli_err(cli),
            "%zu programs read, idioms found in %u of them %u times; %u costs changed, %u new idioms\n",
            solvers->list.count, learning.programs, learning.uses, learning.changed, learning.mined);
    return code;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    char why[512];
    CliList paths = {(const char **)argv, (size_t)argc};
    Solvers solvers = {0};
    int code = EXIT_DONE;
    if (opt->store == NULL || argc > 0) {
        code = solvers_load(cli, &paths, PARSE_MODE_AUTO, 0, &solvers);
    }
    if (code == EXIT_DONE && opt->store != NULL) {
        code = read_store(cli, opt->store, &solvers);
    }
    IdiomSet *idioms = NULL;
    if (code == EXIT_DONE) {
        idioms =
            opt->vocabulary ? idioms_read(opt->vocabulary, why, sizeof why) : idioms_builtin(why, sizeof why);
        code = idioms != NULL ? learn(cli, opt, idioms, &solvers) : cli_error(cli, "%s", why);
    }
    idioms_free(idioms);
    solvers_free(&solvers);
    return code;
}

const CliCommand cmd_learn = {
    .arguments = "[SOLVERS...]",
    .max_args = -1,
    .details = "Counts how often programs that solve tasks use each idiom of search. Idioms that are used "
               "often become cheaper, so search tries them earlier; idioms that several programs use in "
               "sequence become one idiom. Without files, batt learns from the built-in programs; with "
               "--store, from the programs in a store.",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .run = run};
