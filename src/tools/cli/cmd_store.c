/* batt store: shows what a store holds, exports and imports programs, prunes it and checks it. */
#include "tools/cli/cmd_store.h"

#include <stdio.h>
#include <string.h>

#define WORDS "stats|best|list|records|export|import|merge|prune|check|lineage"

enum {
    WORD_STATS,
    WORD_BEST,
    WORD_LIST,
    WORD_RECORDS,
    WORD_EXPORT,
    WORD_IMPORT,
    WORD_MERGE,
    WORD_PRUNE,
    WORD_CHECK,
    WORD_LINEAGE
};

static const CliOption options[] = {
    CLI_INT(StoreOptions, best, 'k', "best", "K", NULL, 1, 1000000,
            "best, export, prune: the K best programs of each task (default: best 1, export all)"),
    CLI_INT(StoreOptions, limit, 'n', "count", "N", NULL, 0, INT64_MAX,
            "list, records: at most N rows; 0: all (default 100)"),
    CLI_FLAG(StoreOptions, solved, 0, "solved",
             "list, export: only programs that are exact on every training pair"),
    CLI_REAL(StoreOptions, score, 0, "score", "S", NULL, 0, 1000,
             "list: only mean scores of at least S (0 to 1000)"),
    CLI_INT(StoreOptions, calls, 0, "calls", "N", NULL, 1, INT32_MAX,
            "list: only programs of at most N calls"),
    CLI_CHOICE(StoreOptions, mode, 0, "mode", "core|batt", NULL, "list, export: only programs of this mode"),
    CLI_FLAG(StoreOptions, text, 0, "text", "best, list: print the programs instead of a table"),
    CLI_FILE(StoreOptions, output, 'o', "output", "FILE", CLI_ROLE_WRITE,
             "export: write to FILE instead of standard output"),
    CLI_CHOICE(StoreOptions, layout, 0, "layout", "file|solver_dir", NULL,
               "export: one solver file, or the Python pipeline's folders (solver_dir, solver_md5, ..) "
               "inside the folder given after FILE"),
    CLI_FLAG(StoreOptions, partial, 0, "partial",
             "import: skip functions with errors (and exit with 1) instead of importing nothing"),
    CLI_FLAG(StoreOptions, dot, 0, "dot", "lineage: a graph for Graphviz"),
    CLI_FILE(StoreOptions, html, 0, "html", "FILE", CLI_ROLE_WRITE, "lineage: write a page (HTML) instead"),
    CLI_FLAG(StoreOptions, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt store stats found.batt", "what the store holds", true},
    {"batt store best found.batt 00d62c1b -k 5", "the five best programs of a task", true},
    {"batt store list found.batt --solved --text", "the solving programs as text", true},
    {"batt store export found.batt -k 1 -o solvers.py", "the best of each task, as arc-dsl loads it", true},
    {"batt store import found.batt solver_dir differ_dir", "scored collections of the Python pipeline", true},
    {"batt store records found.batt 00d62c1b", "the recorded scores of a task, of solvers and differs", true},
    {"batt store export found.batt --layout solver_dir folder", "write such folders", true},
    {"batt store import found.batt solvers.py", "add programs to a store, created if missing", true},
    {"batt store merge all.batt shard1.batt shard2.batt", "merge the results of several runs", true},
    {"batt store prune found.batt -k 20", "keep the 20 best programs of each task", true},
    {"batt store check found.batt", "look for damage", true},
    {"batt store lineage found.batt 00d62c1b", "where the best program of a task comes from", true},
    {"batt store lineage found.batt 8f3a21c0 --dot | dot -Tsvg", "the same for a program, as a picture",
     true},
    {0}};

/* Checks that the options given apply to the word; others are an error rather than ignored. */
static bool options_fit(const Cli *cli, int word, const StoreOptions *opt) {
    const struct {
        const char *name;
        bool given;
        unsigned words;
    } uses[] = {
        {"best", opt->best != CLI_UNSET, 1u << WORD_BEST | 1u << WORD_EXPORT | 1u << WORD_PRUNE},
        {"count", opt->limit != CLI_UNSET, 1u << WORD_LIST | 1u << WORD_RECORDS},
        {"layout", opt->layout >= 0, 1u << WORD_EXPORT},
        {"solved", opt->solved, 1u << WORD_LIST | 1u << WORD_EXPORT},
        {"score", opt->score >= 0, 1u << WORD_LIST},
        {"calls", opt->calls != CLI_UNSET, 1u << WORD_LIST},
        {"mode", opt->mode >= 0, 1u << WORD_LIST | 1u << WORD_EXPORT},
        {"text", opt->text, 1u << WORD_BEST | 1u << WORD_LIST},
        {"output", opt->output != NULL, 1u << WORD_EXPORT},
        {"partial", opt->partial, 1u << WORD_IMPORT},
        {"dot", opt->dot, 1u << WORD_LINEAGE},
        {"html", opt->html != NULL, 1u << WORD_LINEAGE},
    };
    bool fit = true;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].given && !(uses[i].words >> word & 1)) {
            cli_error(cli, "--%s does not apply to this subcommand", uses[i].name);
            fit = false;
        }
    }
    return fit;
}

Store *store_cli_open(const Cli *cli, const char *path, unsigned flags) {
    char error[STORE_ERROR_MAX] = "";
    Store *store = store_open(path, flags, error);
    if (store == NULL) {
        cli_error(cli, "%s", error);
    }
    return store;
}

int store_cli_close(const Cli *cli, Store *store, int status) {
    char error[STORE_ERROR_MAX] = "";
    return store_close(store, error) ? status : cli_error(cli, "%s", error);
}

int store_cli_print(const Cli *cli, Out *out, int status) {
    bool good = cli_print(cli, out);
    out_free(out);
    return good ? status : EXIT_SHORT;
}

static int stats(Cli *cli, const StoreOptions *opt, const char *path) {
    StoreStats s;
    Store *store = store_cli_open(cli, path, STORE_READ);
    if (store == NULL) {
        return EXIT_BAD;
    }
    if (!store_stats(store, &s)) {
        return store_cli_close(cli, store, cli_error(cli, "%s", store_error(store)));
    }
    const struct {
        const char *name;
        int64_t figure;
        const char *note;
    } lines[] = {
        {"programs", s.programs, NULL},
        {"results", s.results, NULL},
        {"tasks", s.tasks, "with results"},
        {"solved_train", s.solved_train, "tasks with a program exact on all training pairs"},
        {"solved_test", s.solved_test, "tasks with one exact on all test pairs too"},
        {"lineage", s.lineage, "programs whose origin is known"},
        {"names", s.names, "of imported programs"},
        {"records", s.records, "scores of imported collections and of differs"},
        {"runs", s.runs, NULL},
        {"nets", s.nets, "that batt net continues"},
        {"bytes", s.bytes, NULL},
        {"store_version", s.schema, NULL},
    };
    Out out;
    out_init(&out);
    Json json = json_on(&out, 2);
    Table table;
    table_begin(&table, "", ">", "");
    if (opt->json) {
        json_begin_report(&json, "batt.store.stats/1");
        json_kv_string(&json, "file", path);
    }
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (opt->json) {
            json_kv_int(&json, lines[i].name, lines[i].figure);
        } else {
            table_cell(&table, lines[i].name);
            table_fmt(&table, "%lld", (long long)lines[i].figure);
            table_colored(&table, term_attr(&cli->style, ATTR_DIM), lines[i].note ? lines[i].note : "");
        }
    }
    if (opt->json) {
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        table_write(&table, &out, cli->style.width, cli->style.color != TERM_MONO);
    }
    table_free(&table);
    return store_cli_close(cli, store, store_cli_print(cli, &out, EXIT_DONE));
}

static int prune(Cli *cli, const StoreOptions *opt, const char *path) {
    StorePruned p;
    if (opt->best == CLI_UNSET) {
        return cli_error(cli, "missing option: -k K, the number of programs to keep per task");
    }
    Store *store = store_cli_open(cli, path, STORE_WRITE);
    if (store == NULL) {
        return EXIT_BAD;
    }
    if (!store_prune(store, opt->best, &p)) {
        return store_cli_close(cli, store, cli_error(cli, "%s", store_error(store)));
    }
    Out out;
    out_init(&out);
    if (opt->json) {
        Json json = json_on(&out, 2);
        json_begin_report(&json, "batt.store.prune/1");
        json_kv_int(&json, "results", p.results);
        json_kv_int(&json, "differs", p.differs);
        json_kv_int(&json, "programs", p.programs);
        json_kv_int(&json, "lineage", p.lineage);
        json_kv_int(&json, "nets", p.nets);
        json_kv_int(&json, "bytes_before", p.bytes_before);
        json_kv_int(&json, "bytes_after", p.bytes_after);
        json_kv_bool(&json, "compacted", p.compacted);
        json_end_object(&json);
        out_char(&out, '\n');
    } else {
        out_fmt(&out,
                "dropped: results %lld, differs %lld, programs %lld, lineage %lld, nets %lld; bytes: %lld "
                "before, "
                "%lld after%s\n",
                (long long)p.results, (long long)p.differs, (long long)p.programs, (long long)p.lineage,
                (long long)p.nets, (long long)p.bytes_before, (long long)p.bytes_after,
                p.compacted ? "" : " (not compacted: another process uses the store)");
    }
    return store_cli_close(cli, store, store_cli_print(cli, &out, EXIT_DONE));
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const StoreOptions *opt = given;
    int word = cli_word(cli, "word", argv[0], WORDS);
    const char *path = argv[1];
    char **rest = argv + 2;
    int n_rest = argc - 2;
    if (word < 0 || !options_fit(cli, word, opt)) {
        return EXIT_BAD;
    }
    bool takes_more = word == WORD_BEST || word == WORD_LIST || word == WORD_RECORDS || word == WORD_EXPORT ||
                      word == WORD_IMPORT || word == WORD_MERGE || word == WORD_LINEAGE;
    if (n_rest > 0 && !takes_more) {
        return cli_error(cli, "unexpected argument '%s'", rest[0]);
    }
    switch (word) {
    case WORD_STATS:
        return stats(cli, opt, path);
    case WORD_BEST:
    case WORD_LIST:
        return store_cli_rows(cli, opt, path, rest, n_rest, word == WORD_BEST);
    case WORD_RECORDS:
        return store_cli_records(cli, opt, path, rest, n_rest);
    case WORD_EXPORT:
        if (opt->layout == 1) {
            return store_cli_layout(cli, opt, path, rest, n_rest);
        }
        return store_cli_export(cli, opt, path, rest, n_rest);
    case WORD_IMPORT:
        return store_cli_import(cli, opt, path, rest, n_rest);
    case WORD_MERGE:
        return store_cli_merge(cli, opt, path, rest, n_rest);
    case WORD_LINEAGE:
        return store_cli_lineage(cli, opt, path, rest, n_rest);
    case WORD_PRUNE:
        return prune(cli, opt, path);
    default:
        return store_cli_check(cli, opt, path);
    }
}

const CliCommand cmd_store = {
    .arguments = WORDS " FILE [TASK|SOLVERS|STORE|PROGRAM...]",
    .words = WORDS,
    .min_args = 2,
    .max_args = -1,
    .details =
        "FILE is a store: programs, their results on tasks, where they came from, and the runs that found "
        "them. Programs of a task are ranked by mean score (of 1000: right on all training pairs), then "
        "fewest steps, then least time.\nstats FILE\twhat the store holds\nbest FILE [TASK...]\tthe best "
        "programs of each task\nlist FILE [TASK...]\tall programs that match the options\nrecords FILE "
        "[TASK...]\trecorded scores: from the Python pipeline's collections, and of evolved differs\nexport "
        "FILE [TASK...]\twrites a solver file, with all that the store knows about each program in "
        "comments\nimport FILE SOLVERS...\treads such a file, any solver file, or a folder; from the Python "
        "pipeline's folders (solver_dir/solve_TASK/SCORE/SPEED/MD5.py) it also records task, score and "
        "speed, and lists broken links\nmerge FILE STORE...\tmerges other stores into FILE, created if "
        "missing; if one is damaged or not a store, nothing is merged; merging twice changes nothing\nprune "
        "FILE\tdeletes all but the best programs of each task (--best)\ncheck FILE\tchecks the file for "
        "damage\nlineage FILE PROGRAM\tthe ancestors of a program: what each step changed, and what that did "
        "to the score; PROGRAM is the first digits of its hash, or a task id for the best program of that "
        "task\nSeveral processes may use a store at once. Programs that call primitives of a C or Python "
        "process "
        "are kept and shown, and skipped where they would run. A file that is damaged or not a store is "
        "rejected "
        "and left unchanged.",
    .options = options,
    .size = sizeof(StoreOptions),
    .main = "best count solved text output",
    .examples = examples,
    .run = run};
