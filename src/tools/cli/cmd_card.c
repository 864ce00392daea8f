/* batt card: picks programs, mutates some, and writes them as one battery. */
#include "base/alloc.h"
#include "base/json.h"
#include "search/evolution/card_python.h"
#include "search/evolution/differs.h"
#include "search/persistence/card_store.h"
#include "tools/cli/data.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/statistics_option.h"
#include "tools/profiler/phase.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Options {
    CliList sources, differs;
    int64_t count, seed, jobs;
    const char *output, *python, *store;
    bool freeze, scored, json, stats;
    ProfileChoice profile;
} Options;

static const CliOption options[] = {
    CLI_FILES(Options, sources, 's', "solvers", "FILE", CLI_ROLE_READ,
              "solver file or folder, repeatable; default: the built-in solvers"),
    CLI_INT(Options, count, 'n', "count", "N", "0", 0, 1 << 20, "programs to pick; 0: all"),
    CLI_INT(Options, seed, 0, "seed", "N", "1", 0, INT64_MAX, "random seed for picking and mutation"),
    CLI_FLAG(Options, freeze, 0, "freeze", "mutate nothing"),
    CLI_FLAG(Options, scored, 0, "scored",
             "add the built-in differs, with which `batt run --battery` rates how close answers come"),
    CLI_FILES(Options, differs, 0, "differs", "FILE", CLI_ROLE_READ,
              "add these differs and the built-in ones; repeatable"),
    CLI_FILE(Options, output, 'o', "output", "FILE", CLI_ROLE_WRITE,
             "write the battery here; default: standard output"),
    CLI_FILE(
        Options, python, 0, "python", "FILE", CLI_ROLE_WRITE,
        "write the battery as a Python module for the pipeline's run_batt.py, with FILE_call.py beside it"),
    CLI_FILE(Options, store, 0, "store", "FILE", CLI_ROLE_GROW,
             "cache the battery in this store, and reuse it while sources and options are unchanged"),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024,
            "threads that read and mutate; 0: one per core (with --profile: one)"),
    PROFILE_OPTIONS(Options, profile),
    STATISTICS_OPTION(Options),
    CLI_FLAG(Options, json, 0, "json", "write figures as JSON; needs -o"),
    CLI_END};

static const CliExample examples[] = {
    {"batt card --freeze -n 8", "eight of the built-in solvers as one function", false},
    {"batt card -n 32 --seed 7 -o battery.py", "thirty-two, about half of them mutated", false},
    {"batt run --battery battery.py data/training", "every one of its programs on every task", true},
    {"batt card -n 32 --python batt.py", "the same for the Python pipeline: batt.py and batt_call.py", false},
    {"batt card --scored -o scored.py", "with differs: the run rates how close each answer comes", false},
    {0}};

typedef struct CardFigures {
    Card card;
    CardPython python;
    bool unchanged; /* taken from the store */
    Phases phases;
} CardFigures;

static double seconds(const CardFigures *f, Phase phase) {
    return (double)f->phases.ns[phase] * 1e-9;
}

static void write_python_figures(Out *out, const CardPython *p) {
    out_fmt(out, "Python module: %" PRIu32 " programs, %" PRIu32 " steps, %" PRIu32 " scores\n", p->programs,
            p->steps, p->scores);
    if (p->arcdsl > 0) {
        out_fmt(out,
                "  %" PRIu32 " in arc-dsl's form, over I alone: they run there with the dialect's cells\n",
                p->arcdsl);
    }
    if (p->left_out > 0) {
        out_fmt(out,
                "  %" PRIu32 " left out: they call primitives that the pipeline does not have (%s, ..)\n",
                p->left_out, prim_table[p->missing].name);
    }
}

static int write_figures(Out *out, const TermStyle *style, const Options *o, CardFigures *f,
                         ProfileRecorder *recorder) {
    double sharing = f->card.calls_after > 0 ? (double)f->card.calls_before / (double)f->card.calls_after : 1;
    if (o->json) {
        Json json = json_on(out, 2);
        json_begin_report(&json, "batt.card/1");
        json_kv_uint(&json, "programs", f->card.programs);
        json_kv_uint(&json, "mutated", COUNTED(&f->card.statistics, MUTATED));
        json_kv_uint(&json, "differs", f->card.differs);
        json_kv_bool(&json, "unchanged", f->unchanged);
        json_kv_uint(&json, "calls_before", f->card.calls_before);
        json_kv_uint(&json, "calls_after", f->card.calls_after);
        json_kv_fixed(&json, "sharing", sharing, 4);
        if (o->python != NULL) {
            json_kv_uint(&json, "python_programs", f->python.programs);
            json_kv_uint(&json, "python_steps", f->python.steps);
            json_kv_uint(&json, "python_scores", f->python.scores);
            json_kv_uint(&json, "python_left_out", f->python.left_out);
        }
        json_kv_fixed(&json, "load_s", seconds(f, PHASE_PARSE), 6);
        json_kv_fixed(&json, "generate_s", seconds(f, PHASE_GENERATE), 6);
        if (o->stats) {
            statistics_json(&json, &f->card.statistics);
        }
        phase_json(&json, &f->phases);
        int code = profile_collect(recorder, NULL, NULL, &json, out);
        json_end_object(&json);
        out_char(out, '\n');
        return code;
    }
    out_fmt(out, "%" PRIu32 " programs, %" PRIu64 " of them mutated", f->card.programs,
            COUNTED(&f->card.statistics, MUTATED));
    if (f->card.differs > 0) {
        out_fmt(out, ", and %" PRIu32 " differs", f->card.differs);
    }
    out_char(out, '\n');
    out_fmt(out, "%" PRIu64 " calls, %" PRIu64 " after merging: sharing %.2f\n", f->card.calls_before,
            f->card.calls_after, sharing);
    if (o->python != NULL) {
        write_python_figures(out, &f->python);
    }
    if (f->unchanged) {
        out_str(out, "unchanged: reused from the store\n");
    } else {
        out_fmt(out, "loaded in %.2f ms, generated in %.2f ms\n", seconds(f, PHASE_PARSE) * 1e3,
                seconds(f, PHASE_GENERATE) * 1e3);
    }
    if (o->stats) {
        statistics_text(out, style, &f->card.statistics);
    }
    return profile_collect(recorder, NULL, NULL, NULL, out);
}

static int write_battery(Cli *cli, const Options *o, const Out *text, CardFigures *f,
                         ProfileRecorder *recorder) {
    Out figures;
    out_init(&figures);
    int code = write_figures(&figures, &cli->style, o, f, recorder);
    if (code != EXIT_DONE) {
        out_free(&figures);
        return code;
    }
    if (o->output == NULL && o->python == NULL) {
        code = cli_print(cli, text) ? EXIT_DONE : EXIT_SHORT;
        out_flush_to(&figures, cli_err(cli));
    } else if (o->output != NULL && !cli_save(cli, text, o->output)) {
        code = EXIT_SHORT;
    } else {
        code = cli_print(cli, &figures) ? EXIT_DONE : EXIT_SHORT;
    }
    out_free(&figures);
    return code;
}

/* The differs that were asked for: the built-in ones and those of the files. */
static int load_differs(const Cli *cli, const Options *o, Solvers *more, ProgList *differs, size_t *own) {
    char why[256];
    if (!o->scored && o->differs.count == 0) {
        return EXIT_DONE;
    }
    int code =
        o->differs.count > 0 ? solvers_load(cli, &o->differs, PARSE_MODE_AUTO, o->jobs, more) : EXIT_DONE;
    bool good = code != EXIT_DONE || differs_parse(differs);
    *own = differs->count;
    for (size_t k = 0; k < more->list.count && code == EXIT_DONE && good; k++) {
        const Program *p = more->list.items[k];
        if (!differ_is_good(p, why, sizeof why)) {
            return cli_error(cli, "%s", why);
        }
        Program *copy = prog_strip(p);
        good = copy != NULL && progs_add(differs, copy);
    }
    return good ? code : cli_no_memory(cli);
}

/* FILE_call.py, beside FILE.py. NULL: reported. */
static char *call_path(const Cli *cli, const char *path) {
    static const char end[] = "_call.py";
    size_t length = strlen(path);
    if (length <= 3 || strcmp(path + length - 3, ".py") != 0) {
        cli_error(cli, "--python %s: the name of a Python module ends in .py", path);
        return NULL;
    }
    char *other = mem_alloc(length + sizeof end);
    if (other == NULL) {
        cli_no_memory(cli);
        return NULL;
    }
    memcpy(other, path, length - 3);
    memcpy(other + length - 3, end, sizeof end);
    if (!cli_may_replace(cli, other)) {
        mem_free(other);
        return NULL;
    }
    return other;
}

static int make_python(const Cli *cli, const Options *o, const CardOptions *wanted, const ProgList *programs,
                       CardPython *figures) {
    char *other = call_path(cli, o->python);
    if (other == NULL) {
        return EXIT_BAD;
    }
    Out module, calls;
    out_init(&module);
    out_init(&calls);
    int code = EXIT_DONE;
    if (!card_write_python(&module, &calls, wanted, (const Program *const *)programs->items, programs->count,
                           figures)) {
        code = cli_no_memory(cli);
    } else if (figures->programs == 0) {
        code =
            cli_error(cli, "no program can be written as Python: all call primitives that only batt has (%s)",
                      figures->missing >= 0 ? prim_table[figures->missing].name : "nothing");
    } else if (!cli_save(cli, &module, o->python) || !cli_save(cli, &calls, other)) {
        code = EXIT_SHORT;
    }
    out_free(&module);
    out_free(&calls);
    mem_free(other);
    return code;
}

/* Makes the card. */
static int make(Cli *cli, const Options *o, Out *text, CardFigures *f, ProfileRecorder *recorder) {
    Solvers solvers = {0}, more = {0};
    ProgList differs = {0};
    Pool pool = {0};
    Budget budget = BUDGET_DEFAULT;
    size_t own = 0;
    bool asked = profile_requested(&o->profile);
    phase_enter(&f->phases, PHASE_PARSE);
    int code = solvers_load(cli, &o->sources, PARSE_MODE_AUTO, o->jobs, &solvers);
    code = code == EXIT_DONE ? load_differs(cli, o, &more, &differs, &own) : code;
    phase_enter(&f->phases, PHASE_GENERATE);
    if (code == EXIT_DONE && !pool_open(&pool, asked ? 1 : (unsigned)o->jobs, &budget)) {
        code = cli_no_memory(cli);
    }
    if (code == EXIT_DONE && asked &&
        !profile_attach_alone(recorder, cli, &o->profile, &pool.workers[0].ctx, PHASE_REPORT)) {
        code = EXIT_BAD;
    }
    if (code == EXIT_DONE) {
        CardOptions wanted = {.seed = (uint64_t)o->seed,
                              .count = (uint32_t)o->count,
                              .freeze = o->freeze,
                              .differs = &differs,
                              .n_own_differs = own,
                              .pool = &pool,
                              .stop = cli->stop};
        profile_item(recorder, "card");
        bool good = card_write(text, &wanted, (const Program *const *)solvers.list.items, solvers.list.count,
                               &f->card);
        profile_item_end(recorder);
        pool_count(&pool, &f->card.statistics);
        code = !good && cli_stopped(cli) ? cli_error(cli, "interrupted: no battery was written")
               : !good                   ? cli_no_memory(cli)
               : o->python != NULL       ? make_python(cli, o, &wanted, &solvers.list, &f->python)
                                         : EXIT_DONE;
    }
    phase_enter(&f->phases, PHASE_REPORT);
    code = code == EXIT_DONE ? write_battery(cli, o, text, f, recorder) : code;
    profile_detach(recorder);
    pool_close(&pool);
    progs_free(&differs);
    solvers_free(&more);
    solvers_free(&solvers);
    return code;
}

/* What a card depends on, for the store. False: the sources cannot be read, so there is nothing to find. */
static bool settings_of(const Cli *cli, const Options *o, char *sources, Out *settings) {
    char differs[SOLVERS_HASH_BYTES] = "";
    if (!solvers_hash(cli, &o->sources, sources) ||
        (o->differs.count > 0 && !solvers_hash(cli, &o->differs, differs))) {
        return false;
    }
    Json json = json_on(settings, 0);
    json_begin_object(&json);
    json_kv_string(&json, "command", "card");
    json_kv_string(&json, "version", BATT_VERSION_TEXT);
    json_kv_string(&json, "sources", sources);
    json_kv_int(&json, "count", o->count);
    json_kv_bool(&json, "freeze", o->freeze);
    json_kv_int(&json, "seed", o->freeze && o->count == 0 ? 0 : o->seed);
    json_kv_bool(&json, "scored", o->scored || o->differs.count > 0);
    json_kv_string(&json, "differs", differs);
    json_end_object(&json);
    return !settings->failed;
}

/* With a store: takes the card from it, or makes it and keeps it there. */
static int make_or_take(Cli *cli, const Options *o, Out *text, CardFigures *f, ProfileRecorder *recorder) {
    char sources[SOLVERS_HASH_BYTES], why[STORE_ERROR_MAX];
    Store *store = store_open_unless(o->store, STORE_WRITE | STORE_CREATE, cli->stop, why);
    if (store == NULL) {
        return cli_error(cli, "%s", why);
    }
    Out settings;
    out_init(&settings);
    int code = EXIT_DONE;
    bool known = settings_of(cli, o, sources, &settings), kept = true;
    if (known && !card_store_find(store, settings.data, text, &f->unchanged)) {
        code = cli_error(cli, "%s", store_error(store));
    } else if (f->unchanged && card_figures(text->data, &f->card)) {
        code = write_battery(cli, o, text, f, recorder);
    } else {
        f->unchanged = false;
        out_clear(text);
        code = make(cli, o, text, f, recorder);
        if (code == EXIT_DONE && known &&
            !card_store_keep(store, settings.data, sources, (uint64_t)o->seed, text, &kept)) {
            code = cli_error(cli, "%s", store_error(store));
        }
        if (!kept) {
            fprintf(cli_err(cli),
                    "batt card: the text is larger than %d MB, so it is not cached in the store\n",
                    STORE_TEXT_MAX >> 20);
        }
    }
    out_free(&settings);
    if (!store_close(store, why) && code == EXIT_DONE) {
        code = cli_error(cli, "%s", why);
    }
    return code;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *o = given;
    (void)argc;
    (void)argv;
    bool profiled = profile_requested(&o->profile);
    if (o->python != NULL && o->store != NULL) {
        return cli_error(cli, "--python cannot be combined with --store, which caches batt's own form");
    }
    if (o->json && o->output == NULL && o->python == NULL) {
        return cli_error(cli, "--json writes to standard output; name a file for the battery with -o FILE");
    }
    if (profiled && (o->jobs > 1 || o->store != NULL)) {
        return cli_error(cli,
                         "--profile measures one thread that makes a card; it cannot be combined with %s",
                         o->store != NULL ? "--store" : "-j");
    }
    CardFigures figures = {0};
    ProfileRecorder recorder = {0};
    Out text;
    out_init(&text);
    phase_start(&figures.phases, PHASE_LOAD);
    int code = o->store != NULL ? make_or_take(cli, o, &text, &figures, &recorder)
                                : make(cli, o, &text, &figures, &recorder);
    out_free(&text);
    return code;
}

const CliCommand cmd_card = {
    .max_args = 0,
    .details =
        "Picks programs, mutates about half of them (none with --freeze), and writes them as one function in "
        "the same language, in which every distinct call appears once. Comments mark the lines that give a "
        "program's output, with its name and what was done to it. `batt run --battery` reads the file.\n"
        "Differs are programs over (S, I, C), the task's pairs, the expected output and an answer, that rate "
        "from 0 to 1000 how close the answer comes. With --scored the battery contains differs: their mean "
        "scores every answer to a training pair, and breaks ties between programs that are right equally "
        "often.",
    .options = options,
    .size = sizeof(Options),
    .main = "solvers count seed output store",
    .examples = examples,
    .interruptible = true,
    .run = run};
