/* batt profile: where the time goes. This file makes or reads the profile; the views are in profile_*.c. */
#include "cli/cmd_profile.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "prof/file.h"
#include "prof/record_passes.h"
#include "task/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WORDS "dsl|batch|framework|pipeline|lines|compare"
enum { VIEW_DSL, VIEW_BATCH, VIEW_FRAMEWORK, VIEW_PIPELINE, VIEW_LINES, VIEW_COMPARE };
enum { TRACE_EVENTS = 8 << 20 }; /* a worker */

static const CliOption options[] = {
    DATA_OPTIONS(ProfileOptions),
    CLI_FILES(ProfileOptions, solvers, 's', "solvers", "FILE", CLI_ROLE_READ,
              "solver file, or folder of them; may be given several times; default: the built-in ones"),
    CLI_FLAG(ProfileOptions, all, 'a', "all", "every program on every task, as one battery"),
    CLI_FLAG(ProfileOptions, no_share, 0, "no-share", "with --all: do not merge equal calls"),
    CLI_FILE(ProfileOptions, from, 0, "from", "FILE", CLI_ROLE_READ,
             "look at a saved profile instead of running anything"),
    CLI_FILES(ProfileOptions, out, 'o', "output", "FILE", CLI_ROLE_WRITE,
              "write the profile; the format is in the name: " FORMAT_ENDINGS "; may be given several times"),
    CLI_FLAG(ProfileOptions, append, 0, "append",
             "add the repeats to FILE.json if it is there, to interleave two builds"),
    CLI_CHOICE(ProfileOptions, level, 0, "profile", "timing|trace", "timing",
               "trace: keep every call, for speedscope's and Chrome's time lines"),
    CLI_INT(ProfileOptions, repeat, 'r', "repeat", "N", "5", 1, 10000, "passes that count"),
    CLI_INT(ProfileOptions, warmup, 0, "warmup", "N", "1", 0, 10000, "passes before them that do not"),
    CLI_FLAG(ProfileOptions, filter_outliers, 0, "filter-outliers", "only the figures without outliers"),
    CLI_REAL(ProfileOptions, outlier_k, 0, "outlier-k", "K", "3.5", 0, 1000000,
             "an outlier's time lies so many robust deviations above the median"),
    CLI_CHOICE(ProfileOptions, sort, 0, "sort", "self|total|calls|per-call|name", "self",
               "order of the primitives"),
    CLI_INT(ProfileOptions, top, 0, "top", "N", "20", 0, 100000, "rows to show; 0: all"),
    CLI_TEXT(ProfileOptions, project, 0, "project", "N,...", NULL,
             "the time for so many tasks, e.g. 400,1000,120000"),
    CLI_TIME(ProfileOptions, budget, 0, "budget", "0", 0, 3660 * CLI_DAY,
             "pipeline: how many full runs fit, e.g. 8h"),
    CLI_TEXT(ProfileOptions, what_if, 0, "what-if", "ROW=Fx,...", NULL,
             "pipeline: with rows sped up, e.g. objects=4x,generate=2x"),
    CLI_REAL(ProfileOptions, threshold, 0, "threshold", "PCT", "5", 0, 1000000,
             "compare: a rise up to this is no regression; with one repeat on a side there is no test, and a "
             "larger rise of the whole is one"),
    CLI_INT(ProfileOptions, jobs, 'j', "jobs", "N", "1", 0, 1024,
            "worker threads; 0: one a core; one measures best"),
    CLI_TIME(ProfileOptions, timeout, 0, "timeout", "10s", 0, CLI_DAY, "time for one evaluation; 0: any"),
    CLI_INT(ProfileOptions, max_steps, 0, "max-steps", "N", "50000000", 1, INT64_MAX / 4,
            "steps for one evaluation"),
    CLI_SIZE(ProfileOptions, max_memory, 0, "max-memory", "256M", 65536, INT64_C(1) << 40,
             "memory for one evaluation"),
    CLI_CHOICE(ProfileOptions, mode, 0, "mode", "core|batt", NULL, "instead of the mode the parameters say"),
    CLI_FLAG(ProfileOptions, safe, 0, "safe", "a failed call gives the dialect's default instead"),
    CLI_FLAG(ProfileOptions, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt profile batch", "the built-in solvers on the built-in tasks", false},
    {"batt profile batch -o profile.json -o profile.html", "the same, kept, and as a page", false},
    {"batt profile dsl --id 00d62c1b -s solvers.py data/training", "one task", true},
    {"batt profile batch -n 100 --start 200 --project 400,120000 -s solvers.py data/training",
     "a hundred tasks, and a forecast", true},
    {"batt profile pipeline --budget 8h --what-if objects=4x", "runs in a night, before and after a speed-up",
     false},
    {"batt profile batch --from profile.json --filter-outliers", "a saved profile, without outliers", true},
    {"batt profile lines solver.py 00d62c1b data/training", "a program line by line", true},
    {"batt profile compare before.json after.json --threshold 3", "exit code 1 on a regression", true},
    {0}};

/* ---- making a profile ---- */

static double elapsed(uint64_t *since) {
    uint64_t now = clock_now_ns(), before = *since;
    *since = now;
    return (double)(now - before);
}

/* Programs, made ready; what that took goes into `work`. */
static bool make_ready(const ProfileOptions *opt, Solvers *solvers, const Data *data, Pool *pool,
                       Battery **battery, Matching *matching, double *work) {
    uint64_t since = clock_now_ns();
    if (!plan_strip(&solvers->list)) {
        return false;
    }
    work[WORK_STRIP] = elapsed(&since);
    bool good = opt->all ? plan_all(&solvers->list, data->n_tasks, &pool->workers[0].ctx, opt->safe,
                                    !opt->no_share, battery, matching)
                         : match_programs(&solvers->list, data->tasks, data->n_tasks, matching);
    work[opt->all ? WORK_MERGE : WORK_MATCH] = elapsed(&since);
    return good;
}

static bool keep_events(Profile *p, const Profiler *profiler) {
    p->events = profile_alloc(p, profiler->pool->count, sizeof *p->events);
    for (unsigned k = 0; p->events != NULL && k < profiler->pool->count; k++) {
        const ProfWorker *w = &profiler->workers[k];
        ProfEvent *copy = profile_alloc(p, w->n_events, sizeof *copy);
        if (copy == NULL) {
            return false;
        }
        memcpy(copy, w->events, w->n_events * sizeof *copy);
        p->events[k] = (ProfEventList){copy, w->n_events};
    }
    return p->events != NULL;
}

static int run_passes(ProfileView *v, Solvers *solvers, Pool *pool, Phases *phases) {
    const ProfileOptions *opt = v->opt;
    Battery *battery = NULL;
    Matching matching = {0};
    Profiler profiler = {0};
    double work[WORK_COUNT] = {0};
    PassPlan plan = {.repeats = (uint32_t)opt->repeat,
                     .warmup = (uint32_t)opt->warmup,
                     .level = opt->level == 1 ? PROF_TRACE : PROF_TIMING};
    int code = EXIT_DONE;
    phase_enter(phases, PHASE_GENERATE);
    bool good = make_ready(opt, solvers, &v->data, pool, &battery, &matching, work);
    plan.run = (RunPlan){.tasks = v->data.tasks,
                         .n_tasks = v->data.n_tasks,
                         .programs = (const Program *const *)solvers->list.items,
                         .n_programs = solvers->list.count,
                         .matches = matching.by_task,
                         .battery = battery,
                         .safe = opt->safe};
    phase_enter(phases, PHASE_REPORT); /* the profiler's own work */
    good = good && prof_attach(&profiler, pool, plan.level, passes_nodes(&plan), TRACE_EVENTS) &&
           profile_begin(&v->profile, "batt profile", plan.level, pool->count, plan.repeats);
    if (good && !opt->all && matching.matched == 0) {
        code = cli_error(
            v->cli, "no program is named after one of these tasks (solve_ID); use --all, or other --solvers");
    } else if (good) {
        phase_enter(phases, PHASE_EXECUTE);
        memcpy(v->profile.work_ns, work, sizeof work);
        good = passes_run(&v->profile, &profiler, &plan, v->cli->stop) &&
               (plan.level != PROF_TRACE || keep_events(&v->profile, &profiler));
    }
    if (!good) {
        code = cli_stopped(v->cli) ? EXIT_INTERRUPTED : cli_error(v->cli, "out of memory");
    }
    phase_enter(phases, PHASE_REPORT);
    prof_detach(&profiler);
    battery_free(battery);
    matching_free(&matching);
    return code;
}

static int make_profile(ProfileView *v, int argc, char **argv) {
    const ProfileOptions *opt = v->opt;
    Solvers solvers = {0};
    Pool pool = {0};
    Phases phases;
    Budget budget = BUDGET_DEFAULT;
    budget.steps = (uint64_t)opt->max_steps;
    budget.bytes = (uint64_t)opt->max_memory;
    budget.time_ns = (uint64_t)opt->timeout;
    phase_start(&phases, PHASE_LOAD);
    int code = data_load(v->cli, &opt->data, opt->jobs, argc, argv, &v->data);
    if (code == EXIT_DONE) {
        phase_enter(&phases, PHASE_PARSE);
        code = solvers_load(v->cli, &opt->solvers, opt->mode < 0 ? PARSE_MODE_AUTO : opt->mode, &solvers);
    }
    if (code == EXIT_DONE) {
        code = pool_open(&pool, (unsigned)opt->jobs, &budget) ? run_passes(v, &solvers, &pool, &phases)
                                                              : cli_error(v->cli, "out of memory");
    }
    if (code == EXIT_DONE) {
        char hash[17];
        snprintf(hash, sizeof hash, "%016" PRIx64, v->data.hash);
        v->profile.data = profile_text(&v->profile, hash);
        profile_take_phases(&v->profile, &phases);
        code = v->profile.data != NULL ? EXIT_DONE : cli_error(v->cli, "out of memory");
    }
    pool_close(&pool);
    solvers_free(&solvers);
    return code;
}

/* ---- the command ---- */

static int view_profile(ProfileView *v, int what, int argc, char **argv) {
    char why[600];
    int code = EXIT_DONE;
    if (v->opt->from == NULL) {
        code = make_profile(v, argc, argv);
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
        return cli_error(v->cli, "out of memory");
    }
    code = profile_write_files(v->cli, &v->opt->out, &v->profile, &v->data, NULL, v->opt->append);
    if (code != EXIT_DONE) {
        return code;
    }
    static int (*const views[])(ProfileView *) = {profile_view_dsl, profile_view_batch,
                                                  profile_view_framework, profile_view_pipeline};
    return views[what](v);
}

/* Before anything runs for minutes: are the names of the files fine? */
static int check_names(const Cli *cli, const ProfileOptions *opt) {
    for (size_t k = 0; k < opt->out.count; k++) {
        ProfFormat format = format_of(opt->out.items[k]);
        if (format == FORMAT_UNKNOWN) {
            return cli_error(cli, "--out %s: the name says no format; known endings: " FORMAT_ENDINGS,
                             opt->out.items[k]);
        }
        if (format == FORMAT_CHROME && (opt->level != 1 || opt->from != NULL)) {
            return cli_error(
                cli, "--out %s: Chrome's format shows single calls: add --profile trace, without --from",
                opt->out.items[k]);
        }
    }
    return EXIT_DONE;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const ProfileOptions *opt = given;
    int what = cli_word(cli, "view", argv[0], WORDS), code = what < 0 ? EXIT_BAD : check_names(cli, opt);
    if (code != EXIT_DONE) {
        return code;
    }
    if (what == VIEW_LINES) {
        return argc >= 3 ? profile_lines(cli, opt, argc - 1, argv + 1)
                         : cli_error(cli, "lines wants a program and a task");
    }
    if (what == VIEW_COMPARE) {
        return argc == 3 ? profile_compare(cli, opt, argv[1], argv[2])
                         : cli_error(cli, "compare wants two saved profiles");
    }
    ProfileView view = {.cli = cli, .opt = opt};
    out_init(&view.out);
    code = view_profile(&view, what, argc - 1, argv + 1);
    out_free(&view.out);
    profile_sum_free(&view.all);
    profile_sum_free(&view.kept);
    profile_free(&view.profile);
    data_free(&view.data);
    return code;
}

const CliCommand cmd_profile = {
    .arguments = "VIEW [ARGUMENTS...]",
    .words = WORDS,
    .min_args = 1,
    .max_args = -1,
    .details =
        "Runs programs on tasks and says where the time goes. Without task files: the built-in examples.\n"
        "dsl: primitives of a task. batch: summed up over tasks, with medians, outliers and projections. "
        "framework: by what the "
        "time is for, the engine's own work included. pipeline: load, generate, execute, validate, with "
        "rates, a budget and "
        "what-ifs. lines PROGRAM TASK [FILES]: line by line. compare BEFORE.json AFTER.json: two saved "
        "profiles.\n"
        "Each repeat is one pass that only takes times and one that notes every call; what calls cost is "
        "taken out. Priorities: "
        "HIGH over 10 %, MEDIUM from 5 %, LOW from 1 %.",
    .options = options,
    .size = sizeof(ProfileOptions),
    .examples = examples,
    .interruptible = true,
    .run = run};
