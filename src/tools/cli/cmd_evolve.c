/* batt evolve: evolves programs for tasks by mutation and selection, kept in a store. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/language/print.h"
#include "search/evolution/evolve_ranks.h"
#include "search/persistence/evolve_store.h"
#include "search/persistence/island_store.h"
#include "tools/cli/data.h"
#include "tools/cli/device_option.h"
#include "tools/cli/profile_option.h"
#include "tools/cli/ranks_option.h"
#include "tools/cli/statistics_option.h"
#include "tools/display/progress.h"
#include "tools/display/table.h"
#include "tools/profiler/phase.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Options {
    DataOptions data;
    CliList founders, differs;
    const char *store, *device;
    int64_t time, generations, children, population, max_calls, jobs, max_steps;
    int mode, breed;
    bool fresh, quiet, json, stats, islands;
    int64_t exchange, merge_every;
    ProfileChoice profile;
    int progress;
} Options;

enum { BREED_SOLVERS, BREED_DIFFERS };

static const CliOption options[] = {
    CLI_FILE(Options, store, 0, "store", "FILE", CLI_ROLE_GROW,
             "keep programs, results and the state of the run in this store, created if missing"),
    CLI_FILES(Options, founders, 's', "solvers", "FILE", CLI_ROLE_READ,
              "start from the programs of this file or folder; default: all programs of one call. With "
              "--breed differs: also judge differs by their answers"),
    CLI_CHOICE(Options, breed, 0, "breed", "solvers|differs", "solvers",
               "what evolves: programs that solve tasks, or differs, which rate how close an answer comes"),
    CLI_TIME(Options, time, 't', "time", NULL, 1000000, CLI_DAY,
             "run for this long; default: 60s, unless --generations is given"),
    CLI_GROUP("the population"),
    CLI_INT(Options, generations, 0, "generations", "N", "0", 0, INT64_C(1) << 31,
            "stop after N generations, counting those of a resumed run; 0: limit time"),
    CLI_INT(Options, data.seed, 0, "seed", "N", "1", 0, INT64_MAX, "random seed, also for --sample"),
    CLI_INT(Options, children, 0, "children", "N", "800", 8, 1 << 20, "children per task and generation"),
    CLI_INT(Options, population, 0, "population", "N", "48", EVOLVE_CLASSES, 4096,
            "programs kept for each task"),
    CLI_INT(Options, max_calls, 0, "max-calls", "N", "14", 1, DRAFT_OPS, "longest program"),
    CLI_FILES(Options, differs, 0, "differs", "FILE", CLI_ROLE_READ,
              "additional differs: programs over (S, I, C) that rate from 0 to 1000 how close an output C is "
              "to the expected output I; with --breed differs: start from these, the built-in ones and those "
              "in the store"),
    CLI_CHOICE(Options, mode, 0, "mode", "core|batt", "core",
               "mode of the one-call programs that evolution starts from"),
    DATA_OPTIONS(Options),
    CLI_GROUP("resources"),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024, "worker threads; 0: one per core"),
    CLI_INT(Options, max_steps, 0, "max-steps", "N", "12000", 100, INT64_C(1) << 40,
            "steps per program and pair"),
    CLI_GROUP("several ranks"),
    CLI_FLAG(Options, islands, 0, "islands",
             "under a launcher: every rank evolves all tasks from its own seed, instead of a share of them"),
    CLI_INT(Options, exchange, 0, "exchange", "G", "0", 0, INT64_C(1) << 31,
            "with --islands: send new programs to all other ranks every G generations; 0: never"),
    CLI_TIME(Options, merge_every, 0, "merge-every", "10m", 1000000000, 365 * CLI_DAY,
             "with --islands: how often rank 0 merges the other ranks' stores into its own"),
    CLI_GROUP("the run"),
    CLI_FLAG(Options, fresh, 0, "fresh", "start a new run even if the store has one to continue"),
    CLI_CHOICE(Options, progress, 0, "progress", PROGRESS_MODES, "auto", PROGRESS_HELP),
    CLI_FLAG(Options, quiet, 'q', "quiet", "only the summary, no line per task"),
    DEVICE_OPTION(Options),
    PROFILE_OPTIONS(Options, profile),
    STATISTICS_OPTION(Options),
    CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt evolve --generations 3 --count 4", "a few generations on the first built-in tasks", false},
    {"batt evolve --store my.batt --time 60s", "the built-in tasks, results in a store", true},
    {"batt evolve --store my.batt -s solvers.py data/training", "from your solvers, on a folder of tasks",
     true},
    {"batt evolve --breed differs --differs differ_dir --store my.batt data/training",
     "evolve differs, starting from those of a collection", true},
    {"mpirun -n 4 batt evolve --islands --exchange 20 --store my.batt", "on four ranks, see docs/cluster.md",
     true},
    {"batt evolve --store my.batt --generations 500 --seed 7",
     "the same result on any machine; continue at any time", true},
    {0}};

typedef struct EvolveJob {
    const Options *options;
    Ranks *ranks;                  /* NULL: alone */
    char store[ISLAND_PATH_BYTES]; /* path of this rank's store; "": none */
    uint64_t sent_ns;              /* when an island's store was last sent */
    RankSummaries summaries;
    Data data;
    Solvers founders, differ_files;
    Differs differs;
    Evolve evolve;
    EvolveStore link; /* store NULL: none was asked for */
    Phases phases;
    int64_t seed; /* of this island */
    uint64_t deadline_ns;
    EvolveFigures before; /* as of the start of this process */
    size_t stored_founders;
    ProfileRecorder recorder;
    const char **ids; /* of the tasks */
    bool evolving;
    Backend *backend; /* NULL: the processor */
} EvolveJob;

/* A count of evolution since this process started. */
#define COUNTED_HERE(job, id) \
    (COUNTED(&(job)->evolve.figures.statistics, id) - COUNTED(&(job)->before.statistics, id))

/* Everything besides the data that determines results: two runs with equal settings are the same run. */
static void write_settings(const EvolveJob *job, char *text, size_t size) {
    const Options *o = job->options;
    uint64_t programs = solvers_mix(&job->founders.list, &job->differ_files.list);
    snprintf(text, size,
             "{\"command\":\"evolve\",\"seed\":%" PRId64 ",\"children\":%" PRId64 ",\"population\":%" PRId64
             ",\"max_calls\":%" PRId64 ",\"max_steps\":%" PRId64 ",\"mode\":\"%s\",\"programs\":\"%016" PRIx64
             "\"%s}",
             job->seed, o->children, o->population, o->max_calls, o->max_steps,
             o->mode == MODE_BATT ? "batt" : "core", programs,
             o->breed == BREED_DIFFERS ? ",\"breed\":\"differs\"" : ""); /* as in stores that knew no such */
}

static bool add_founders(EvolveJob *job) {
    bool differs = job->options->breed == BREED_DIFFERS;
    ProgList *list = differs ? &job->differ_files.list : &job->founders.list;
    if (differs && !differs_parse(list)) {
        return false;
    }
    if (list->count == 0) {
        return evolve_add_primitives(&job->evolve, (Mode)job->options->mode);
    }
    bool good = true;
    while (list->count > 0 && good) {
        good = evolve_add_founder(&job->evolve, list->items[--list->count]);
    }
    return good;
}

/* Continues the run, or begins it. */
static int prepare(Cli *cli, EvolveJob *job) {
    bool found = false;
    char settings[512], note[200] = "";
    EvolveStore *link = &job->link;
    write_settings(job, settings, sizeof settings);
    if (job->store[0] != '\0') {
        phase_enter(&job->phases, PHASE_STORE);
        link->own = cli->own;
        if (!evolve_store_open(link, job->store, settings, job->data.hash, cli_stop(cli)) ||
            (job->options->islands && ranks_is_root(job->ranks) &&
             !island_store_adopt(link->store, job->store, ranks_size(job->ranks), link->error)) ||
            (!job->options->fresh && !evolve_store_resume(link, &job->evolve, &found, note, sizeof note))) {
            return cli_error(cli, "%s", link->error);
        }
        if (note[0] != '\0') {
            fprintf(cli_err(cli), "batt evolve: %s; a new run begins\n", note);
        }
    }
    phase_enter(&job->phases, PHASE_GENERATE);
    if (found) {
        job->before = job->evolve.figures;
        return EXIT_DONE;
    }
    if (!add_founders(job)) {
        return cli_no_memory(cli);
    }
    if (link->store != NULL && (!evolve_store_founders(link, &job->evolve, &job->stored_founders) ||
                                !evolve_store_begin(link, (uint64_t)job->seed))) {
        return cli_error(cli, "%s", link->error);
    }
    cli_report_lacking(cli, &link->lacking, " skipped");
    return EXIT_DONE;
}

static bool reached(const EvolveJob *job) {
    const Options *o = job->options;
    return o->generations > 0 && job->evolve.figures.generation >= (uint64_t)o->generations;
}

static bool too_late(const EvolveJob *job) {
    return job->deadline_ns > 0 && clock_now_ns() >= job->deadline_ns;
}

/* ---- with other ranks ---- */

/* All ranks must have the same data and options; with tasks split, rank 0 says how far the run is. */
static int agree(const Cli *cli, EvolveJob *job) {
    char fingerprint[768], settings[512], why[RANKS_WHY_BYTES];
    bool islands = job->options->islands;
    int64_t seed = job->seed;
    Out payload;
    out_init(&payload);
    job->seed = job->options->data.seed;
    write_settings(job, settings, sizeof settings);
    job->seed = seed;
    snprintf(fingerprint, sizeof fingerprint,
             "batt " BATT_VERSION_TEXT " data %016" PRIx64 " %s islands %d, %" PRId64, job->data.hash,
             settings, islands, job->options->exchange);
    if (ranks_is_root(job->ranks) && !islands) {
        evolve_pack_state(&payload, &job->evolve);
    }
    int code = ranks_agree(job->ranks, fingerprint, &payload, why) ? EXIT_DONE : cli_error(cli, "%s", why);
    Wire wire = wire_of(payload.data, payload.len);
    if (code == EXIT_DONE && !islands && !ranks_is_root(job->ranks) &&
        !evolve_unpack_state(&job->evolve, job->ranks, &wire)) {
        code = cli_error(cli, "the state of the run arrived incomplete, or memory ran out");
    }
    if (code == EXIT_DONE && !islands && !evolve_split(&job->evolve, job->ranks)) {
        code = cli_no_memory(cli);
    }
    out_free(&payload);
    return code;
}

/* With tasks split: rank 0 decides whether there is another generation. */
static bool another(EvolveJob *job, bool wanted) {
    if (job->evolve.ranks == NULL) {
        return wanted;
    }
    Out word;
    out_init(&word);
    if (ranks_is_root(job->ranks)) {
        wire_u8(&word, wanted);
        ranks_put_all(job->ranks, RANKS_ROUND, &word);
    } else {
        Wire wire = {0};
        wanted = ranks_get(job->ranks, 0, RANKS_ROUND, &word);
        wire = wire_of(word.data, word.len);
        wanted = wanted && wire_get_bool(&wire);
    }
    out_free(&word);
    return wanted;
}

/* With islands: other ranks send their store now and then; rank 0 takes what has arrived. */
static bool share_stores(EvolveJob *job) {
    char why[STORE_ERROR_MAX];
    bool good = true;
    if (job->link.store == NULL || job->ranks == NULL || !job->options->islands) {
        return true;
    }
    if (!ranks_is_root(job->ranks)) {
        if (clock_now_ns() - job->sent_ns >= (uint64_t)job->options->merge_every) {
            good = evolve_store_save(&job->link, &job->evolve, true) &&
                   island_store_send(job->ranks, RANKS_STORE, job->link.store);
            job->sent_ns = clock_now_ns();
        }
        return good;
    }
    for (unsigned k = 1; k < ranks_size(job->ranks) && good; k++) {
        if (ranks_there(job->ranks, k, RANKS_STORE)) {
            good = evolve_store_save(&job->link, &job->evolve, true) &&
                   island_store_take(job->ranks, k, RANKS_STORE, job->link.store, job->store, why);
            if (!good) {
                snprintf(job->link.error, sizeof job->link.error, "%s", why);
            }
        }
    }
    return good;
}

/* At the end, when every island has closed its own store, rank 0 merges all of them. A store that does not
 * arrive stays where it is: the next run with as many ranks goes on with it, or it is merged by hand. */
static int join_stores(const Cli *cli, EvolveJob *job) {
    char why[STORE_ERROR_MAX];
    if (job->store[0] == '\0' || job->ranks == NULL || !job->options->islands) {
        return EXIT_DONE;
    }
    Store *store = store_open(job->store, ranks_is_root(job->ranks) ? STORE_WRITE : STORE_READ, why);
    if (store == NULL) {
        return cli_error(cli, "%s", why);
    }
    bool good = true;
    if (!ranks_is_root(job->ranks)) {
        good = island_store_send(job->ranks, RANKS_STORE_LAST, store);
        snprintf(why, sizeof why,
                 "%.300s could not be sent to rank 0; merge it later with 'batt store merge'", job->store);
    }
    for (unsigned k = 1; ranks_is_root(job->ranks) && k < ranks_size(job->ranks); k++) {
        char last[STORE_ERROR_MAX];
        if (!island_store_take(job->ranks, k, RANKS_STORE_LAST, store, job->store, last)) {
            good = false;
            cli_error(cli, "%s", last);
            if (ranks_there(job->ranks, k, RANKS_STORE)) { /* at least this */
                island_store_take(job->ranks, k, RANKS_STORE, store, job->store, why);
            }
        }
    }
    char closing[STORE_ERROR_MAX];
    good = store_close(store, closing) && good;
    return good ? EXIT_DONE : ranks_is_root(job->ranks) ? EXIT_SHORT : cli_error(cli, "%s", why);
}

static int generations(Cli *cli, EvolveJob *job) {
    const EvolveFigures *f = &job->evolve.figures;
    const Options *o = job->options;
    char label[96] = "evolving";
    Progress progress;
    uint64_t total = o->generations > 0 && (uint64_t)o->generations > f->generation
                         ? (uint64_t)o->generations - f->generation
                         : 0;
    progress_begin(&progress, cli_err(cli),
                   ranks_is_root(job->ranks) ? (ProgressMode)o->progress : PROGRESS_OFF, label, "generations",
                   total);
    progress.deadline_ns = total == 0 ? (int64_t)job->deadline_ns : 0;
    uint64_t start = clock_now_ns();
    const Stop *stop = cli_stop(cli);
    bool meet = o->exchange > 0 && job->ranks != NULL, over = false; /* islands end at a meeting */
    while (another(job, !reached(job) && !over && (meet || !too_late(job)) && !stop_is_requested(stop))) {
        phase_enter(&job->phases, PHASE_EXECUTE);
        if (!evolve_generation(&job->evolve, stop)) {
            progress_end(&progress);
            bool leaderless = !ranks_is_root(job->ranks) && ranks_lost_any(job->ranks);
            bool ended = stop_is_requested(stop) || leaderless || backend_failure(job->backend) != NULL;
            return ended ? EXIT_DONE : cli_no_memory(cli);
        }
        if (meet && f->generation % (uint64_t)o->exchange == 0) {
            over = too_late(job);
            if (!evolve_exchange(&job->evolve, job->ranks, (uint64_t)o->exchange, &over)) {
                over = true; /* nobody leads, or all were stopped */
            }
        }
        phase_enter(&job->phases, PHASE_STORE);
        if (job->link.store != NULL &&
            (!evolve_store_save(&job->link, &job->evolve, false) || !share_stores(job))) {
            progress_end(&progress);
            return cli_error(cli, "%s", job->link.error);
        }
        double seconds = (double)(clock_now_ns() - start) * 1e-9;
        snprintf(label, sizeof label, "evolving: %zu of %zu fit, %.0f candidates/s, %.0f distinct/s", f->fits,
                 job->evolve.n_tasks, (double)COUNTED_HERE(job, CANDIDATES) / seconds,
                 (double)COUNTED_HERE(job, DISTINCT) / seconds);
        progress_add(&progress, 1);
    }
    progress_end(&progress);
    return EXIT_DONE;
}

/* ---- report ---- */

static double rate(uint64_t times, double seconds) {
    return seconds > 0 ? (double)times / seconds : 0;
}

/* All counts since this process started: by evolution, by its contexts, by the store, and by other ranks. */
static Statistics statistics(const EvolveJob *job) {
    Statistics all = job->evolve.figures.statistics;
    statistics_since(&all, &job->before.statistics);
    pool_count(&job->evolve.pool, &all);
    for (unsigned k = 0; k < job->evolve.pool.count; k++) {
        prim_count(evolve_scratch_scoring(job->evolve.scratches, k), &all);
    }
    if (job->link.store != NULL) {
        statistics_add(&all, store_statistics(job->link.store));
    }
    if (!job->options->islands) { /* otherwise they are in the figures */
        rank_summaries_add(&job->summaries, &all);
    }
    return all;
}

static int write_json(Out *out, EvolveJob *job, bool whole) {
    const EvolveFigures *f = &job->evolve.figures, *b = &job->before;
    Json json = json_on(out, whole ? 2 : 0);
    int code = EXIT_DONE;
    double wall = (double)phase_total_ns(&job->phases) * 1e-9;
    double busy = (double)job->phases.ns[PHASE_EXECUTE] * 1e-9;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, job->data.hash);
    json_begin_report(&json, whole ? "batt.evolve/1" : "batt.evolve.generation/1");
    json_kv_string(&json, "breed", job->options->breed == BREED_DIFFERS ? "differs" : "solvers");
    json_kv_uint(&json, "tasks", job->evolve.n_tasks);
    json_kv_uint(&json, "tasks_solved", f->solved);
    json_kv_uint(&json, "tasks_fitting", f->fits);
    json_kv_uint(&json, "tasks_sound", f->sound);
    json_kv_uint(&json, "generation", f->generation);
    json_kv_uint(&json, "generations", f->generation - b->generation);
    json_kv_uint(&json, "candidates", COUNTED_HERE(job, CANDIDATES));
    json_kv_uint(&json, "distinct", COUNTED_HERE(job, DISTINCT));
    json_kv_uint(&json, "evaluations", COUNTED_HERE(job, EVALUATIONS));
    json_kv_uint(&json, "improved", COUNTED_HERE(job, IMPROVED));
    json_kv_fixed(&json, "evaluations_per_s", rate(COUNTED_HERE(job, EVALUATIONS), busy), 1);
    if (!whole) { /* otherwise it comes with the phases */
        json_kv_fixed(&json, "wall_s", wall, 4);
    }
    json_kv_uint(&json, "jobs", job->evolve.cpu_slots);
    json_kv_int(&json, "seed", job->seed);
    json_kv_string(&json, "data_hash", hash);
    if (whole) {
        json_kv_bool(&json, "resumed", job->link.resumed);
        if (job->options->stats) {
            Statistics all = statistics(job);
            statistics_json(&json, &all);
        }
        device_json(&json, job->backend);
        rank_summaries_json(&json, &job->summaries);
        phase_json(&json, &job->phases);
        code = profile_collect(&job->recorder, &job->phases, job->ids, &json, out);
        json_key(&json, "best");
        json_begin_array(&json);
        Out text;
        out_init(&text);
        for (size_t k = 0; k < job->evolve.n_tasks; k++) {
            const EvolveTask *t = &job->evolve.tasks[k];
            json_begin_object(&json);
            json_kv_string(&json, "task", t->task->id);
            if (t->count > 0) {
                const EvolveMember *m = &t->members[0];
                out_clear(&text);
                print_oneline(&text, m->program);
                json_kv_int(&json, "score", m->score);
                if (t->cases != NULL) {
                    json_kv_int(&json, "on_record", m->score + m->test_score);
                }
                json_kv_int(&json, "train_exact", m->exact);
                json_kv_int(&json, "train_total", t->task->n_train);
                json_kv_int(&json, "test_exact", m->test_exact);
                json_kv_int(&json, "guard_passed", m->guard.passed);
                json_kv_int(&json, "guard_total", m->guard.total);
                json_kv_uint(&json, "steps", m->steps);
                json_kv_string(&json, "program", text.data);
            }
            json_end_object(&json);
        }
        out_free(&text);
        json_end_array(&json);
    }
    json_end_object(&json);
    return code;
}

static void write_tasks(Cli *cli, Out *out, const EvolveJob *job) {
    Table table;
    Out text;
    out_init(&text);
    table_begin(&table, "task", ">pairs", ">tests", ">guard", ">score", "program");
    for (size_t k = 0; k < job->evolve.n_tasks; k++) {
        const EvolveTask *t = &job->evolve.tasks[k];
        if (t->count == 0) {
            table_cell(&table, t->task->id);
            for (int column = 1; column < 6; column++) {
                table_cell(&table, column < 5         ? ""
                                   : t->cases == NULL ? "none gives a grid"
                                                      : "none gives a number");
            }
            continue;
        }
        const EvolveMember *m = &t->members[0];
        bool fits = m->exact == t->task->n_train;
        out_clear(&text);
        print_oneline(&text, m->program);
        table_colored(&table, fits ? term_attr(&cli->style, ATTR_GOOD) : NULL, t->task->id);
        table_fmt(&table, "%d/%d", m->exact, t->task->n_train);
        table_fmt(&table, "%d/%d", m->test_exact, t->task->n_test);
        if (m->guard.total > 0) {
            table_fmt(&table, "%d/%d", m->guard.passed, m->guard.total);
        } else {
            table_cell(&table, "");
        }
        table_fmt(&table, "%d", t->cases != NULL ? m->score + m->test_score : m->score / t->task->n_train);
        table_cell(&table, text.data);
    }
    table_write(&table, out, cli->style.width, cli->style.color != TERM_MONO);
    out_char(out, '\n');
    table_free(&table);
    out_free(&text);
}

static void write_summary(Out *out, EvolveJob *job) {
    const EvolveFigures *f = &job->evolve.figures, *b = &job->before;
    double wall = (double)phase_total_ns(&job->phases) * 1e-9;
    double busy = (double)job->phases.ns[PHASE_EXECUTE] * 1e-9;
    if (job->options->breed == BREED_DIFFERS) {
        out_fmt(out,
                "%zu of %zu tasks have a differ that orders all answers correctly; %zu have one that does so "
                "on the training pairs\n",
                f->solved, job->evolve.n_tasks, f->fits);
    } else {
        out_fmt(out,
                "%zu of %zu tasks solved (right on training and test pairs); %zu fit the training pairs, %zu "
                "of them soundly\n",
                f->solved, job->evolve.n_tasks, f->fits, f->sound);
    }
    out_fmt(out, "generation %" PRIu64 "%s, %" PRIu64 " here; %" PRIu64 " improved\n", f->generation,
            job->link.resumed ? ", resumed" : "", f->generation - b->generation, COUNTED_HERE(job, IMPROVED));
    out_fmt(out, "%.0f candidates/s, %.0f distinct/s, %.0f evaluations/s on %u thread%s, %.2f s\n",
            rate(COUNTED_HERE(job, CANDIDATES), busy), rate(COUNTED_HERE(job, DISTINCT), busy),
            rate(COUNTED_HERE(job, EVALUATIONS), busy), job->evolve.cpu_slots,
            job->evolve.cpu_slots == 1 ? "" : "s", wall);
    device_text(out, job->backend);
    rank_summaries_text(out, &job->summaries);
    if (job->stored_founders > 0) {
        out_fmt(out, "%zu programs of the store were among the founders\n", job->stored_founders);
    }
    if (job->options->store != NULL) {
        out_fmt(out, "kept in %s\n", job->options->store);
    }
}

static int report(Cli *cli, EvolveJob *job) {
    Out out;
    out_init(&out);
    phase_enter(&job->phases, PHASE_REPORT);
    int code;
    if (job->options->json) {
        code = write_json(&out, job, true);
        out_char(&out, '\n');
    } else {
        if (!job->options->quiet) {
            write_tasks(cli, &out, job);
        }
        write_summary(&out, job);
        if (job->options->stats) {
            Statistics all = statistics(job);
            statistics_text(&out, &cli->style, &all);
        }
        code = profile_collect(&job->recorder, &job->phases, job->ids, NULL, &out);
    }
    bool good = cli_print(cli, &out);
    out_free(&out);
    return good ? code : EXIT_SHORT;
}

static int finish_store(Cli *cli, EvolveJob *job) {
    Out figures;
    out_init(&figures);
    write_json(&figures, job, false);
    phase_enter(&job->phases, PHASE_STORE);
    bool good = evolve_store_close(&job->link, &job->evolve, figures.data);
    out_free(&figures);
    return good ? EXIT_DONE : cli_error(cli, "%s", job->link.error);
}

static int watch(Cli *cli, EvolveJob *job) {
    Pool *pool = &job->evolve.pool;
    job->ids = mem_array(job->data.n_tasks, sizeof *job->ids);
    for (size_t k = 0; job->ids != NULL && k < job->data.n_tasks; k++) {
        job->ids[k] = job->data.tasks[k]->id;
    }
    if (job->ids == NULL) {
        return cli_no_memory(cli);
    }
    if (!profile_attach(&job->recorder, cli, &job->options->profile, pool)) {
        return EXIT_BAD;
    }
    for (unsigned k = 0; k < pool->count; k++) {
        prof_add_ctx(&job->recorder.profiler, k, evolve_scratch_scoring(job->evolve.scratches, k));
    }
    return EXIT_DONE;
}

static void note_case(void *progress) {
    progress_add(progress, 1);
}

/* The answers that differs are judged by, some of them from solvers, which takes a while. */
static int make_cases(Cli *cli, EvolveJob *job) {
    const ProgList *solvers = &job->founders.list;
    Progress progress;
    progress_begin(&progress, cli_err(cli),
                   ranks_is_root(job->ranks) ? (ProgressMode)job->options->progress : PROGRESS_OFF,
                   "making answers", "tasks", job->evolve.n_tasks);
    bool good = evolve_breed_differs(&job->evolve, (const Program *const *)solvers->items, solvers->count,
                                     note_case, &progress, cli_stop(cli));
    progress_end(&progress);
    return good ? EXIT_DONE : cli_stopped(cli) ? EXIT_INTERRUPTED : cli_no_memory(cli);
}

static int load(Cli *cli, EvolveJob *job, int argc, char **argv) {
    const Options *o = job->options;
    char why[300];
    phase_start(&job->phases, PHASE_LOAD);
    int code = data_load(cli, &o->data, o->jobs, argc, argv, &job->data);
    phase_enter(&job->phases, PHASE_PARSE);
    if (code == EXIT_DONE && o->founders.count > 0) {
        code = solvers_load(cli, &o->founders, PARSE_MODE_AUTO, o->jobs, &job->founders);
    }
    if (code == EXIT_DONE && o->differs.count > 0) {
        code = solvers_load(cli, &o->differs, PARSE_MODE_AUTO, o->jobs, &job->differ_files);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    phase_enter(&job->phases, PHASE_GENERATE);
    const ProgList *differs = &job->differ_files.list;
    bool bred = o->breed == BREED_DIFFERS; /* then they are founders, any number of them */
    for (size_t k = 0; k < differs->count && bred; k++) {
        if (!differ_is_good(differs->items[k], why, sizeof why)) {
            return cli_error(cli, "%s", why);
        }
    }
    if (!differs_open(&job->differs, true, (const Program *const *)differs->items, bred ? 0 : differs->count,
                      why, sizeof why)) {
        return cli_error(cli, "%s", why);
    }
    EvolveOptions wanted = EVOLVE_OPTIONS_DEFAULT;
    wanted.seed = (uint64_t)job->seed;
    wanted.children = (uint32_t)o->children;
    wanted.population = (uint32_t)o->population;
    wanted.max_calls = (uint32_t)o->max_calls;
    wanted.budget.steps = (uint64_t)o->max_steps;
    wanted.jobs = (unsigned)o->jobs;
    wanted.backend = job->backend;
    wanted.examined = o->store != NULL;
    job->evolving = evolve_open(&job->evolve, &wanted, job->data.tasks, job->data.n_tasks, &job->differs);
    code = job->evolving ? EXIT_DONE : cli_no_memory(cli);
    code = code == EXIT_DONE && bred ? make_cases(cli, job) : code;
    return code == EXIT_DONE ? watch(cli, job) : code;
}

/* Chooses the seed and the store of this rank. */
static int take_place(const Cli *cli, EvolveJob *job) {
    const Options *o = job->options;
    job->ranks = cli->ranks;
    job->seed = o->data.seed + (o->islands ? (int64_t)ranks_rank(cli->ranks) : 0);
    job->sent_ns = clock_now_ns();
    if (o->islands && cli->ranks == NULL) {
        return cli_error(cli, "--islands needs several ranks, as in mpirun -n 4 batt evolve --islands");
    }
    if (o->breed == BREED_DIFFERS && o->mode == MODE_BATT) {
        return cli_error(cli, "--mode applies to solvers only; differs always run in batt mode");
    }
    if (o->exchange > 0 && !o->islands) {
        return cli_error(cli, "--exchange needs --islands");
    }
    if (o->store != NULL && (o->islands || ranks_is_root(cli->ranks)) &&
        !island_store_path(job->store, o->store, ranks_rank(cli->ranks))) {
        return cli_error(cli, "--store: the name is too long");
    }
    return EXIT_DONE;
}

/* Collects what the other ranks contribute to the report of rank 0. */
static int gather(const Cli *cli, EvolveJob *job) {
    Statistics counted = {0};
    if (job->ranks == NULL) {
        return EXIT_DONE;
    }
    if (job->options->islands && !evolve_gather_best(&job->evolve, job->ranks) &&
        !stop_is_requested(cli_stop(cli))) {
        return cli_error(cli, "the best programs of another island arrived incomplete");
    }
    if (job->options->islands && !ranks_is_root(job->ranks)) {
        counted = job->evolve.figures.statistics;
        statistics_since(&counted, &job->before.statistics);
    }
    pool_count(&job->evolve.pool, &counted);
    if (!profile_gather(&job->recorder, &job->phases, job->ids, &job->summaries, &counted)) {
        return cli_no_memory(cli);
    }
    if (job->options->islands) {
        rank_summaries_add(&job->summaries, &job->evolve.figures.statistics);
    }
    return EXIT_DONE;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    EvolveJob job = {.options = given};
    int64_t time = job.options->time != CLI_UNSET ? job.options->time
                   : job.options->generations > 0 ? 0
                                                  : 60 * CLI_SECOND;
    int code = take_place(cli, &job);
    bool leads = ranks_is_root(cli->ranks) || job.options->islands; /* begins on its own */
    code = code == EXIT_DONE ? device_attach(cli, job.options->device, &job.backend) : code;
    if (code == EXIT_DONE) {
        code = load(cli, &job, argc, argv);
    }
    if (code == EXIT_DONE && leads) {
        code = prepare(cli, &job);
    }
    if (code == EXIT_DONE && cli->ranks != NULL) {
        code = agree(cli, &job);
    }
    if (code == EXIT_DONE) {
        job.deadline_ns = time > 0 ? clock_now_ns() + (uint64_t)time : 0;
        code = generations(cli, &job);
    }
    if (code == EXIT_DONE && job.link.store != NULL) {
        code = finish_store(cli, &job);
    }
    int joined = code == EXIT_DONE ? join_stores(cli, &job) : code;
    if (joined == EXIT_DONE || joined == EXIT_SHORT) {
        code = gather(cli, &job);
        if (code == EXIT_DONE && ranks_is_root(cli->ranks)) {
            code = report(cli, &job);
        }
    }
    code = code == EXIT_DONE ? joined : code;
    if (job.link.store != NULL) { /* after an error */
        evolve_store_close(&job.link, &job.evolve, NULL);
    }
    profile_detach(&job.recorder);
    rank_summaries_free(&job.summaries);
    mem_free(job.ids);
    if (job.evolving) {
        evolve_close(&job.evolve);
    }
    differs_close(&job.differs);
    solvers_free(&job.founders);
    solvers_free(&job.differ_files);
    data_free(&job.data);
    return device_detach(cli, job.backend, code);
}

const CliCommand cmd_evolve = {
    .arguments = "[TASKS...]",
    .max_args = -1,
    .details =
        "Evolves programs for tasks: each generation mutates and crosses the programs that score best, runs "
        "the children of a task as one battery over its training pairs, and keeps the best with different "
        "outputs. TASKS are folders, task files or challenges files; without any, the built-in "
        "examples.\nWith --store everything is saved, and the same command continues where the last one "
        "stopped, even after a crash. With --generations the result depends only on the seed, the data and "
        "the options.\nA program that fits all training pairs is also checked on pairs with permuted colors "
        "and, if no step depends on a direction, on mirrored pairs; the column `guard` has the result.\nWith "
        "--breed differs, batt evolves differs instead and judges them by answers of known quality: a differ "
        "scores 1,000 on a sample if it rates the expected output 1000, every other answer lower, and "
        "answers with more wrong cells lower still. The store keeps the sum over all samples as a record "
        "(batt store records, export --layout solver_dir).",
    .options = options,
    .size = sizeof(Options),
    .main = "store solvers time id json",
    .examples = examples,
    .interruptible = true,
    .ranked = true,
    .run = run};
