/* batt profile: shows where the time goes. This file makes or reads the profile; the views are in
 * profile_*.c. */
#include "tools/cli/cmd_profile.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "search/run/run_battery.h"
#include "tools/cli/profile_option.h"
#include "tools/display/progress.h"
#include "tools/profiler/file.h"
#include "tools/profiler/record_passes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct ViewRow {
    const char *name;
    int (*report)(ProfileView *view);
    int (*alone)(Cli *cli, const ProfileOptions *opt, int argc, char **argv);
    unsigned traits;
} ViewRow;

enum { RUNS = 1, DEVICE = 2, MERGES = 4 };

static const ViewRow views[] = {
#define VIEW(name, report, alone, traits, arguments, text) {#name, report, alone, traits},
#include "tools/cli/profile_views.def"
#undef VIEW
};

/* As cli_word wants them, after one more bar. */
#define VIEW(name, report, alone, traits, arguments, text) "|" #name
static const char view_words[] =
#include "tools/cli/profile_views.def"
    ;
#undef VIEW

enum { TRACE_EVENTS = 8 << 20 }; /* per worker */

static const CliOption options[] = {
    DATA_OPTIONS(ProfileOptions),
    DATA_SEED_OPTION(ProfileOptions),
    CLI_GROUP("choosing programs"),
    CLI_FILES(ProfileOptions, solvers, 's', "solvers", "FILE", CLI_ROLE_READ,
              "solver file or folder, repeatable; default: the built-in solvers"),
    CLI_FLAG(ProfileOptions, all, 'a', "all", "every program on every task, as one battery"),
    CLI_FILE(ProfileOptions, battery, 0, "battery", "FILE", CLI_ROLE_READ,
             "profile a battery that `batt card` or the Python pipeline wrote: every one of its programs on "
             "every task"),
    CLI_FLAG(ProfileOptions, no_share, 0, "no-share", "with --all or --battery: do not merge equal calls"),
    CLI_TEXT(ProfileOptions, device, 0, "device", "WHERE", "cpu",
             "with --all or --battery: backend for batched operations, as in batt run, but auto queries "
             "devices at once; batch and dsl then also give the batch size from which the device is faster"),
    CLI_GROUP("output"),
    CLI_FILE(ProfileOptions, from, 0, "from", "FILE", CLI_ROLE_READ,
             "show a saved profile instead of running anything"),
    CLI_FILES(ProfileOptions, out, 'o', "output", "FILE", CLI_ROLE_WRITE,
              "write the profile; the file name selects the format: " FORMAT_ENDINGS "; repeatable"),
    CLI_FLAG(ProfileOptions, append, 0, "append",
             "add the repeats to FILE.json if it exists, to alternate two builds"),
    CLI_CHOICE(ProfileOptions, level, 0, "profile", "timing|trace", "timing",
               "trace: record every call, for the timelines of speedscope and Chrome"),
    CLI_FLAG(ProfileOptions, json, 0, "json", "write JSON"),
    CLI_GROUP("measuring"),
    CLI_INT(ProfileOptions, repeat, 'r', "repeat", "N", "5", 1, 10000, "measured passes"),
    CLI_INT(ProfileOptions, warmup, 0, "warmup", "N", "1", 0, 10000, "passes before the measured ones"),
    CLI_FLAG(ProfileOptions, filter_outliers, 0, "filter-outliers", "show only the figures without outliers"),
    CLI_REAL(ProfileOptions, outlier_k, 0, "outlier-k", "K", "3.5", 0, 1000000,
             "a task is an outlier if its time is more than K robust standard deviations above the median"),
    CLI_CHOICE(ProfileOptions, sort, 0, "sort", "self|total|calls|per-call|name", "self",
               "sort order of the primitives"),
    CLI_INT(ProfileOptions, top, 0, "top", "N", "20", 0, 100000, "rows to show; 0: all"),
    CLI_GROUP("projecting and comparing"),
    CLI_TEXT(ProfileOptions, project, 0, "project", "N,...", NULL,
             "project the time for N tasks, e.g. 400,1000,120000"),
    CLI_TIME(ProfileOptions, budget, 0, "budget", "0", 0, 3660 * CLI_DAY,
             "pipeline, batch: how many full runs fit into this time; batch assumes 8h"),
    CLI_TEXT(ProfileOptions, what_if, 0, "what-if", "ROW=Fx,...", NULL,
             "pipeline, batch: the gain if rows were faster, e.g. objects=4x,generate=2x, or objects=3x-6x; "
             "rows are "
             "steps, primitives, dispatch, the categories of framework, and the priorities HIGH, MEDIUM and "
             "LOW; batch assumes HIGH=3x-6x,MEDIUM=2x-4x"),
    CLI_TEXT(ProfileOptions, search, 0, "search", "WORD", NULL,
             "framework: only rows whose name or category contains WORD"),
    CLI_REAL(ProfileOptions, threshold, 0, "threshold", "PCT", "5", 0, 1000000,
             "compare: smallest increase that is a regression, in percent"),
    CLI_INT(ProfileOptions, runs, 0, "runs", "N", "5", 3, 1000, "compare: runs of each binary"),
    CLI_GROUP("running"),
    CLI_INT(ProfileOptions, jobs, 'j', "jobs", "N", "1", 0, 1024,
            "worker threads; 0: one per core; times are most accurate with one"),
    BUDGET_OPTIONS(ProfileOptions, "10s", 65536),
    CLI_END};

static const CliExample examples[] = {
    {"batt profile batch", "the built-in solvers on the built-in tasks", false},
    {"batt profile batch -o profile.json -o profile.html", "the same, saved, and as a page", false},
    {"batt profile dsl --id 00d62c1b -s solvers.py data/training", "one task", true},
    {"batt profile batch -n 100 --start 200 --project 400,120000 -s solvers.py data/training",
     "a hundred tasks, and a forecast", true},
    {"batt profile pipeline --budget 8h --what-if objects=4x", "runs per night, before and after a speed-up",
     false},
    {"batt profile batch --what-if HIGH=5x", "the gain if all HIGH rows were five times as fast", false},
    {"batt profile framework --search set", "rows whose name or category contains a word", false},
    {"batt profile batch --from profile.json --filter-outliers", "a saved profile, without outliers", true},
    {"batt profile lines solvers.py:solve_00d62c1b 00d62c1b data/training", "a program line by line", true},
    {"batt profile history runs.jsonl", "runs over time, and what their outliers have in common", true},
    {"batt profile merge -o all.json shard1.json shard2.json", "profiles of several machines in one", true},
    {"batt profile compare before.json after.json --threshold 3", "exit code 1 on a regression", true},
    {"batt profile compare old/batt new/batt --runs 5", "two builds, run alternately", true},
    {0}};

/* ---- making a profile ---- */

static double elapsed(uint64_t *since) {
    uint64_t now = clock_now_ns(), before = *since;
    *since = now;
    return (double)(now - before);
}

/* Makes the programs ready to run; the time that takes goes into `work`. */
static bool make_ready(const ProfileOptions *opt, Solvers *solvers, const Data *data, Pool *pool,
                       Battery **battery, Matching *matching, double *work) {
    uint64_t since = clock_now_ns();
    if (!run_battery_strip(&solvers->list)) {
        return false;
    }
    work[WORK_STRIP] = elapsed(&since);
    bool good =
        opt->all ? run_battery_build(&solvers->list, data->n_tasks, &pool->workers[0].ctx,
                                     opt->safe || solvers_guarded(solvers), !opt->no_share, battery, matching)
                 : match_programs(&solvers->list, data->tasks, data->n_tasks, matching);
    work[opt->all ? WORK_MERGE : WORK_MATCH] = elapsed(&since);
    return good;
}

static bool keep_events(Profile *p, const Profiler *profiler) {
    p->events = profile_alloc(p, profiler->pool->count, sizeof *p->events);
    for (unsigned k = 0; p->events != NULL && k < profiler->pool->count; k++) {
        const ProfWorker *w = &profiler->workers[k];
        uint64_t *copy = profile_alloc(p, w->n_events, sizeof *copy);
        if (copy == NULL) {
            return false;
        }
        memcpy(copy, w->events, w->n_events * sizeof *copy);
        p->events[k] = (ProfEventList){copy, w->n_events, w->base};
    }
    return p->events != NULL;
}

/* The figures are those of timing; one more pass records when each call was made. */
static bool trace_pass(Profile *p, Profiler *profiler, const PassSpec *spec, const Stop *stop) {
    Pool *pool = profiler->pool;
    prof_detach(profiler);
    if (!prof_attach(profiler, pool, PROF_TRACE, passes_nodes(spec), TRACE_EVENTS)) {
        return false;
    }
    bool good = passes_trace(profiler, spec, stop);
    prof_build_trees(profiler);
    p->ns_per_tick = prof_ns_per_tick(profiler);
    p->start_ticks = profiler->start_ticks;
    for (unsigned k = 0; k < pool->count; k++) {
        p->lost += profiler->workers[k].lost;
    }
    return good && keep_events(p, profiler);
}

static void tick(void *progress, uint64_t more) {
    progress_add(progress, more);
}

static int run_passes(ProfileView *v, Solvers *solvers, Pool *pool, Phases *phases) {
    const ProfileOptions *opt = v->opt;
    Battery *battery = NULL;
    Matching matching = {0};
    Profiler profiler = {0};
    double work[WORK_COUNT] = {0};
    PassSpec spec = {.repeats = (uint32_t)opt->repeat, .warmup = (uint32_t)opt->warmup};
    bool trace = opt->level == 1;
    int code = EXIT_DONE;
    phase_enter(phases, PHASE_GENERATE);
    bool good = make_ready(opt, solvers, &v->data, pool, &battery, &matching, work);
    spec.run = (RunSpec){.tasks = v->data.tasks,
                         .n_tasks = v->data.n_tasks,
                         .programs = (const Program *const *)solvers->list.items,
                         .n_programs = solvers->list.count,
                         .matches = matching.by_task,
                         .battery = battery,
                         .places = matching.places,
                         .first_steps = opt->all ? RUN_FIRST_STEPS : 0,
                         .backend = v->backend,
                         .safe = opt->safe || solvers_guarded(solvers)};
    phase_enter(phases, PHASE_REPORT); /* from here on, the profiler's own work */
    good = good && prof_attach(&profiler, pool, PROF_TIMING, passes_nodes(&spec), 0) &&
           profile_begin(&v->profile, "batt profile", trace ? PROF_TRACE : PROF_TIMING, pool->count,
                         spec.repeats);
    if (good && !opt->all && matching.matched == 0 && v->cli->ranks == NULL) {
        code = cli_error(v->cli, "no program is named after one of these tasks (solve_ID); use --all, or "
                                 "name other solvers with -s");
    } else if (good) {
        Progress progress;
        phase_enter(phases, PHASE_EXECUTE);
        memcpy(v->profile.work_ns, work, sizeof work);
        spec.progress = tick;
        spec.user = &progress;
        progress_start(&progress, opt->json || !ranks_is_root(v->cli->ranks) ? NULL : cli_err(v->cli),
                       "profiling", "passes", passes_total(&spec));
        good = passes_run(&v->profile, &profiler, &spec, cli_stop(v->cli));
        progress_end(&progress);
        good = good &&
               (!trace || cli_stopped(v->cli) || trace_pass(&v->profile, &profiler, &spec, cli_stop(v->cli)));
    }
    BackendReport report;
    backend_report(v->backend, &report);
    v->profile.work_ns[WORK_BUILD] = (double)report.counters.build_ns;
    if (!good && cli_stopped(v->cli) && ranks_is_root(v->cli->ranks)) {
        fprintf(cli_err(v->cli), "interrupted before the first tasks were complete\n");
    }
    if (!good) {
        code = cli_stopped(v->cli)                   ? EXIT_INTERRUPTED
               : backend_failure(v->backend) != NULL ? EXIT_SHORT
                                                     : cli_error(v->cli, MEM_NONE);
    }
    phase_enter(phases, PHASE_REPORT);
    prof_detach(&profiler);
    battery_free(battery);
    matching_free(&matching);
    return code;
}

/* Each of N ranks measures every N-th task, all at the same time: a profile of ranks shows them working side
 * by side. */
static int take_share(ProfileView *v) {
    unsigned size = ranks_size(v->cli->ranks);
    size_t n = 0;
    char words[256], why[RANKS_WHY_BYTES];
    Out payload;
    snprintf(words, sizeof words, "batt " BATT_VERSION_TEXT " profile, data %016" PRIx64 ", repeats %" PRId64,
             v->data.hash, v->opt->repeat);
    out_init(&payload);
    bool agreed = ranks_agree(v->cli->ranks, words, &payload, why);
    out_free(&payload);
    if (!agreed) {
        return cli_error(v->cli, "%s", why);
    }
    if (v->data.n_tasks < size) {
        return cli_error(v->cli, "%zu tasks for %u ranks: use fewer ranks", v->data.n_tasks, size);
    }
    for (size_t k = ranks_rank(v->cli->ranks); k < v->data.n_tasks; k += size) {
        v->data.tasks[n++] = v->data.tasks[k];
    }
    v->data.n_tasks = n;
    return EXIT_DONE;
}

/* Merges the profiles of all ranks into that of rank 0. */
static int join_ranks(ProfileView *v) {
    RankSummaries all = {0};
    Statistics none = {0};
    Out text;
    out_init(&text);
    if (!ranks_is_root(v->cli->ranks)) {
        profile_write_json(&text, &v->profile);
    }
    int code = rank_summaries_gather(&all, v->cli, v->profile.workers, &none, &text) &&
                       (!ranks_is_root(v->cli->ranks) || profile_add_ranks(v->cli, &v->profile, &all))
                   ? EXIT_DONE
                   : cli_error(v->cli, "the profiles of the ranks cannot be merged");
    rank_summaries_free(&all);
    out_free(&text);
    return code;
}

/* ---- for how many tasks ---- */

/* Nanoseconds that loading and matching take with the first `count` tasks; the smallest of several runs. */
static bool time_size(const ProfileView *v, Solvers *solvers, int64_t count, int argc, char **argv,
                      double *load, double *generate) {
    enum { TIMES = 7 };
    DataOptions some = v->opt->data;
    some.count = count;
    *load = *generate = INFINITY;
    for (int k = 0; k < TIMES; k++) {
        Data data = {0};
        Matching matching = {0};
        uint64_t since = clock_now_ns();
        bool good = data_load(v->cli, &some, v->opt->jobs, argc, argv, &data) == EXIT_DONE;
        *load = fmin(*load, elapsed(&since));
        good = good && match_programs(&solvers->list, data.tasks, data.n_tasks, &matching);
        *generate = fmin(*generate, elapsed(&since));
        matching_free(&matching);
        data_free(&data);
        if (!good) {
            return false;
        }
    }
    return true;
}

/* What one more task costs. If everything grows with the tasks, the difference is half of the whole; one that
 * is small in comparison is noise, which a projection would multiply, and counts as 0. */
static double slope(const double ns[2], double tasks) {
    return ns[1] - ns[0] > 0.2 * ns[1] ? (ns[1] - ns[0]) / tasks : 0;
}

/* Finds the fixed cost, which does not depend on the number of tasks, by measuring with all tasks and with
 * half. */
static void find_model(ProfileView *v, Solvers *solvers, int argc, char **argv) {
    Profile *p = &v->profile;
    double load[2], generate[2];
    uint32_t half = p->n_tasks / 2, more = p->n_tasks - half;
    if (p->n_tasks < 2 || !time_size(v, solvers, p->n_tasks, argc, argv, &load[1], &generate[1]) ||
        !time_size(v, solvers, half, argc, argv, &load[0], &generate[0])) {
        return;
    }
    ProfModel *m = &p->model;
    m->known = true;
    m->load_task = slope(load, more);
    m->generate_task = slope(generate, more);
    /* the first time is a little longer, or a lot if something interfered */
    double first = fmin(p->phases_ns[PHASE_LOAD], 2 * load[1]);
    m->load_fixed = fmax(first + p->phases_ns[PHASE_PARSE] - m->load_task * p->n_tasks, 0);
    m->generate_fixed = fmax(p->phases_ns[PHASE_GENERATE] - m->generate_task * p->n_tasks, 0);
}

static int make_profile(ProfileView *v, int argc, char **argv) {
    const ProfileOptions *opt = v->opt;
    Solvers solvers = {0};
    Pool pool = {0};
    Phases phases;
    Budget budget = BUDGET_OF(opt);
    phase_start(&phases, PHASE_LOAD);
    int code = data_load(v->cli, &opt->data, opt->jobs, argc, argv, &v->data);
    if (code == EXIT_DONE && v->cli->ranks != NULL) {
        code = take_share(v);
    }
    if (code == EXIT_DONE) {
        phase_enter(&phases, PHASE_PARSE);
        code = opt->battery != NULL
                   ? solvers_load_battery(v->cli, opt->battery, &solvers)
                   : solvers_load(v->cli, &opt->solvers, opt->mode < 0 ? PARSE_MODE_AUTO : opt->mode,
                                  opt->jobs, &solvers);
    }
    const PythonBattery *python = &solvers.python;
    size_t differs = solvers.differs.count + (python->whole != NULL ? python->first[python->n_solvers] : 0);
    if (code == EXIT_DONE && differs > 0) {
        fprintf(cli_err(v->cli), "differs of the battery are not profiled: %zu\n", differs);
    }
    if (code == EXIT_DONE) {
        /* no more workers than are asked for, from the first pass on: a profile says where those were */
        backend_discover(v->backend);
        code = pool_open(&pool, (unsigned)opt->jobs, &budget)
                   ? run_passes(v, &solvers, &pool, &phases)
                   : cli_no_workers(v->cli, opt->jobs, opt->max_memory);
    }
    if (code == EXIT_DONE) {
        char hash[17];
        snprintf(hash, sizeof hash, "%016" PRIx64, v->data.hash);
        v->profile.data = profile_text(&v->profile, hash);
        profile_set_phases(&v->profile, &phases);
        code = v->profile.data != NULL ? EXIT_DONE : cli_error(v->cli, MEM_NONE);
        if (code == EXIT_DONE && (opt->project != NULL || opt->budget > 0)) {
            find_model(v, &solvers, argc, argv);
        }
    }
    if (code == EXIT_DONE && v->cli->ranks != NULL) {
        code = join_ranks(v);
    }
    pool_close(&pool);
    solvers_free(&solvers);
    return code;
}

/* ---- the command ---- */

static int view_profile(ProfileView *v, const ViewRow *row, int argc, char **argv) {
    char why[600];
    int code = EXIT_DONE;
    if (row->traits & MERGES) {
        code = argc > 0 ? profile_merge_files(v->cli, &v->profile, argc, argv)
                        : cli_error(v->cli, "merge needs saved profiles");
    } else if (v->opt->from == NULL) {
        code = make_profile(v, argc, argv);
        if (code == EXIT_DONE && !ranks_is_root(v->cli->ranks)) {
            return code; /* rank 0 reports */
        }
    } else if (!profile_read(&v->profile, v->opt->from, why, sizeof why)) {
        code = cli_error(v->cli, "%s", why);
    } else if (argc > 0) { /* the tasks' grids, for a page */
        code = data_load(v->cli, &v->opt->data, v->opt->jobs, argc, argv, &v->data);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    v->outliers = outliers_mark(&v->profile, v->opt->outlier_k);
    if (!profile_sum(&v->profile, FILTER_ALL, &v->all) ||
        !profile_sum(&v->profile, FILTER_WITHOUT, &v->kept)) {
        return cli_error(v->cli, MEM_NONE);
    }
    code = profile_write_files(v->cli, &v->opt->out, &v->profile, &v->data, NULL, v->opt->append);
    if (code != EXIT_DONE) {
        return code;
    }
    code = row->report(v);
    if (v->opt->from == NULL && cli_stopped(v->cli)) { /* what was complete by then has been shown */
        fprintf(cli_err(v->cli), "interrupted: this is the profile of %u tasks in %u repeat%s\n",
                v->profile.n_tasks, v->profile.repeats, v->profile.repeats == 1 ? "" : "s");
        return EXIT_INTERRUPTED;
    }
    return code;
}

/* Checks the names of output files before anything runs for minutes. */
static int check_names(const Cli *cli, const ProfileOptions *opt, const ViewRow *row) {
    for (size_t k = 0; k < opt->out.count; k++) {
        ProfFormat format = format_of(opt->out.items[k]);
        if (format == FORMAT_UNKNOWN) {
            return cli_error(cli, "-o %s: the file name selects no format; known endings: " FORMAT_ENDINGS,
                             opt->out.items[k]);
        }
        if (format == FORMAT_TEXT && (opt->json || row->report == NULL)) {
            return cli_error(
                cli, "-o %s: text files are for the views dsl, batch, framework and pipeline, without --json",
                opt->out.items[k]);
        }
        if (format == FORMAT_CHROME && (opt->level != 1 || opt->from != NULL)) {
            return cli_error(cli,
                             "-o %s: Chrome traces need every call: add --profile trace, and drop --from",
                             opt->out.items[k]);
        }
    }
    return EXIT_DONE;
}

/* Options that would have no effect are refused. */
static int check_battery(const Cli *cli, const ProfileOptions *opt, const ViewRow *row) {
    if (opt->battery != NULL && (opt->solvers.count > 0 || opt->mode >= 0)) {
        return cli_error(
            cli, "--battery cannot be combined with --solvers or --mode; the battery file determines both");
    }
    if (opt->battery != NULL && (row->report == NULL || opt->from != NULL)) {
        return cli_error(cli,
                         "--battery is for the views dsl, batch, framework and pipeline, without --from");
    }
    return EXIT_DONE;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    ProfileOptions options_given = *(const ProfileOptions *)given, *opt = &options_given;
    opt->all |= opt->battery != NULL;
    int what = cli_word(cli, "view", argv[0], view_words + 1);
    if (what < 0) {
        return EXIT_BAD;
    }
    const ViewRow *row = &views[what];
    int code = check_names(cli, opt, row);
    code = code == EXIT_DONE ? check_battery(cli, opt, row) : code;
    if (code == EXIT_DONE && strcmp(opt->device, "cpu") != 0 && !(row->traits & DEVICE) &&
        !(opt->all && row->traits & RUNS)) {
        code = cli_error(cli, "--device is for the views batch and dsl, with --all or --battery");
    }
    if (code == EXIT_DONE && opt->search != NULL && row->report != profile_view_framework) {
        code = cli_error(cli, "--search is for the view framework");
    }
    if (code == EXIT_DONE && opt->what_if != NULL && row->report != profile_view_pipeline &&
        row->report != profile_view_batch) {
        code = cli_error(cli, "--what-if is for the views pipeline, batch and merge");
    }
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli->ranks != NULL && (!(row->traits & RUNS) || opt->from != NULL)) {
        return cli_error(
            cli, "reading saved profiles, and %s, runs in one process; set BATT_RANKS=0 in the environment",
            argv[0]);
    }
    if (row->alone != NULL) {
        return row->alone(cli, opt, argc - 1, argv + 1);
    }
    ProfileView view = {.cli = cli, .opt = opt};
    code = device_attach(cli, opt->device, &view.backend);
    if (code != EXIT_DONE) {
        return code;
    }
    out_init(&view.out);
    code = view_profile(&view, row, argc - 1, argv + 1);
    out_free(&view.out);
    profile_sum_free(&view.all);
    profile_sum_free(&view.kept);
    profile_free(&view.profile);
    data_free(&view.data);
    return device_detach(cli, view.backend, code);
}

const CliCommand cmd_profile = {
    .arguments = "VIEW [ARGUMENTS...]",
    .words = view_words + 1,
    .min_args = 1,
    .max_args = -1,
    .details =
        "Runs programs on tasks, by default the built-in ones, and reports where the time goes.\n"
#define VIEW(name, report, alone, traits, arguments, text) #name arguments "\t" text "\n"
#include "tools/cli/profile_views.def"
#undef VIEW
        "Each repeat makes three passes: one times whole evaluations, one records the calls that programs "
        "make, one records all calls. The cost of recording is measured in place and subtracted.\n"
        "Priorities: HIGH if a row takes more than 10 % of the time, MEDIUM from 5 %, LOW from 1 %, each "
        "by the lower end of the 90 % interval of its share.",
    .options = options,
    .size = sizeof(ProfileOptions),
    .main = "solvers output from id top",
    .examples = examples,
    .interruptible = true,
    .ranked = true,
    .run = run};
