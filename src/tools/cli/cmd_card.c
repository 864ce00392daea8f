/* batt card: picks programs, mutates some, and writes them as one battery. */
#include "base/json.h"
#include "search/evolution/card.h"
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
    const char *output, *store;
    bool freeze, scored, json, stats;
    ProfileChoice profile;
} Options;

static const CliOption options[] = {
    CLI_FILES(Options, sources, 's', "solvers", "FILE", CLI_ROLE_READ,
              "solver file, or folder of them; may be given several times; default: the built-in ones"),
    CLI_INT(Options, count, 'n', "count", "N", "0", 0, 1 << 20, "programs to pick; 0: all"),
    CLI_INT(Options, seed, 0, "seed", "N", "1", 0, INT64_MAX, "seed of picking and mutation"),
    CLI_FLAG(Options, freeze, 0, "freeze", "mutate nothing"),
    CLI_FLAG(Options, scored, 0, "scored",
             "write the built-in differs as well, by which `batt run --battery` says how near answers come"),
    CLI_FILES(Options, differs, 0, "differs", "FILE", CLI_ROLE_READ,
              "write these differs as well, with the built-in ones; may be given several times"),
    CLI_FILE(Options, output, 'o', "output", "FILE", CLI_ROLE_WRITE,
             "write the battery here; default: standard output"),
    CLI_FILE(Options, store, 0, "store", "FILE", CLI_ROLE_GROW,
             "keep the battery in this store, and take it from there if sources and options are unchanged"),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024,
            "threads that read and mutate; 0: one per core, or with --profile one"),
    PROFILE_OPTIONS(Options, profile),
    STATISTICS_OPTION(Options),
    CLI_FLAG(Options, json, 0, "json", "write figures as JSON; needs -o"),
    CLI_END};

static const CliExample examples[] = {
    {"batt card --freeze -n 8", "eight of the built-in solvers as one function", false},
    {"batt card -n 32 --seed 7 -o battery.py", "thirty-two, about half of them mutated", false},
    {"batt run --battery battery.py data/training", "every program of it on every task", true},
    {"batt card --scored -o scored.py", "with differs: the run says how near each answer comes", false},
    {0}};

typedef struct CardFigures {
    Card card;
    bool unchanged; /* taken from the store */
    Phases phases;
} CardFigures;

static double seconds(const CardFigures *f, Phase phase) {
    return (double)f->phases.ns[phase] * 1e-9;
}

static int write_figures(Out *out, const TermStyle *style, const Options *o, CardFigures *f,
                         ProfileRecorder *recorder) {
    double sharing = f->card.calls_after > 0 ? (double)f->card.calls_before / (double)f->card.calls_after : 1;
    if (o->json) {
        Json json = json_on(out, 2);
        json_begin_object(&json);
        json_kv_uint(&json, "programs", f->card.programs);
        json_kv_uint(&json, "mutated", COUNTED(&f->card.statistics, MUTATED));
        json_kv_uint(&json, "differs", f->card.differs);
        json_kv_bool(&json, "unchanged", f->unchanged);
        json_kv_uint(&json, "calls_before", f->card.calls_before);
        json_kv_uint(&json, "calls_after", f->card.calls_after);
        json_kv_fixed(&json, "sharing", sharing, 4);
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
    if (f->unchanged) {
        out_str(out, "nothing has changed: taken from the store\n");
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
    if (o->output == NULL) {
        code = out_flush_to(text, stdout) ? EXIT_DONE : EXIT_SHORT;
        out_flush_to(&figures, stderr);
    } else if (!cli_save(cli, text, o->output)) {
        code = EXIT_SHORT;
    } else {
        code = out_flush_to(&figures, stdout) ? EXIT_DONE : EXIT_SHORT;
    }
    out_free(&figures);
    return code;
}

/* The differs that were asked for: the built-in ones and those of the files. */
static int load_differs(const Cli *cli, const Options *o, Solvers *more, ProgList *differs) {
    char why[256];
    if (!o->scored && o->differs.count == 0) {
        return EXIT_DONE;
    }
    int code =
        o->differs.count > 0 ? solvers_load(cli, &o->differs, PARSE_MODE_AUTO, o->jobs, more) : EXIT_DONE;
    bool good = code != EXIT_DONE || differs_parse(differs);
    for (size_t k = 0; k < more->list.count && code == EXIT_DONE && good; k++) {
        const Program *p = more->list.items[k];
        if (!differ_is_good(p, why, sizeof why)) {
            return cli_error(cli, "%s", why);
        }
        Program *own = prog_strip(p);
        good = own != NULL && progs_add(differs, own);
    }
    return good ? code : cli_no_memory(cli);
}

/* Makes the card. */
static int make(Cli *cli, const Options *o, Out *text, CardFigures *f, ProfileRecorder *recorder) {
    Solvers solvers = {0}, more = {0};
    ProgList differs = {0};
    Pool pool = {0};
    Budget budget = BUDGET_DEFAULT;
    bool asked = profile_requested(&o->profile);
    phase_enter(&f->phases, PHASE_PARSE);
    int code = solvers_load(cli, &o->sources, PARSE_MODE_AUTO, o->jobs, &solvers);
    code = code == EXIT_DONE ? load_differs(cli, o, &more, &differs) : code;
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
                              .pool = &pool};
        profile_item(recorder, "card");
        bool good = card_write(text, &wanted, (const Program *const *)solvers.list.items, solvers.list.count,
                               &f->card);
        profile_item_end(recorder);
        pool_count(&pool, &f->card.statistics);
        code = good ? EXIT_DONE : cli_no_memory(cli);
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
    Store *store = store_open(o->store, STORE_WRITE | STORE_CREATE, why);
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
            fprintf(stderr, "batt card: more than %d MB of text are not kept in a store\n",
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
    if (o->json && o->output == NULL) {
        return cli_error(cli,
                         "--json writes the figures to standard output: say where the battery goes, with -o");
    }
    if (profiled && (o->jobs > 1 || o->store != NULL)) {
        return cli_error(cli, "a profile is of one thread that makes the card: --profile does not go with %s",
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
        "Differs are programs over (S, I, C), the task's pairs, the wanted output and an answer, which give "
        "0 to 1000 for how close it comes. In a battery with differs, --scored, every answer to a training "
        "pair is scored by their mean, and of programs that are right equally often the nearest one is "
        "taken for the task.",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .run = run};
