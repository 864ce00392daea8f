/* batt run: runs solver programs on tasks, with a verdict for each. The pages, pictures and tables are in
 * run_report.c. */
#include "base/alloc.h"
#include "data/submission/submission.h"
#include "search/evolution/score_run.h"
#include "search/run/run_battery.h"
#include "tools/cli/run_report.h"
#include "tools/display/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const CliOption options[] = {
    CLI_GROUP("choosing programs"),
    CLI_FILES(RunOptions, solvers, 's', "solvers", "FILE", CLI_ROLE_READ,
              "solver file or folder, repeatable; default: the built-in solvers"),
    CLI_FLAG(RunOptions, all, 'a', "all",
             "try every program on every task, not only those named after the task"),
    CLI_FILE(RunOptions, battery, 0, "battery", "FILE", CLI_ROLE_READ,
             "run a battery that `batt card` or the Python pipeline wrote: every one of its programs on "
             "every task"),
    CLI_FLAG(RunOptions, no_share, 0, "no-share",
             "with --all or --battery: do not merge equal calls of the programs"),
    DATA_OPTIONS(RunOptions),
    DATA_SEED_OPTION(RunOptions),
    CLI_GROUP("running"),
    CLI_INT(RunOptions, jobs, 'j', "jobs", "N", "0", 0, 1024, "worker threads; 0: one per core"),
    BUDGET_OPTIONS(RunOptions, "10s", 65536),
    CLI_INT(
        RunOptions, first_steps, 0, "first-steps", "N", NULL, 0, INT64_MAX / 4,
        "with --all or --battery: step limit of the first attempt; a program is run again with --max-steps "
        "only where that can change the task's outcome; 0: use --max-steps at once; default: 10000"),
    CLI_INT(RunOptions, device_from, 0, "device-from", "N", "0", 0, INT64_MAX / 4,
            "with --device: keep batteries on fewer than N samples on the CPU"),
    CLI_GROUP("output"),
    CLI_FLAG(RunOptions, diff, 'd', "diff", "draw the expected and the actual output of every wrong answer"),
    CLI_FLAG(RunOptions, quiet, 'q', "quiet", "only the summary, no line per task"),
    CLI_INT(
        RunOptions, show, 0, "show", "N", NULL, 0, 1000,
        "draw N of the solved tasks with their programs; default: 3 on a terminal without arguments, else 0"),
    CLI_INT(RunOptions, slowest, 0, "slowest", "N", "5", 0, 1000, "list the N slowest tasks"),
    CLI_FILE(RunOptions, submission, 0, "submission", "FILE", CLI_ROLE_WRITE, "write a Kaggle submission"),
    CLI_FILE(RunOptions, gallery, 0, "gallery", "FILE", CLI_ROLE_WRITE,
             "write a page with all tasks and results (HTML)"),
    CLI_FILE(RunOptions, history, 0, "history", "FILE", CLI_ROLE_GROW,
             "append a JSON line when a task starts and when it ends, for batt profile history"),
    DEVICE_OPTION(RunOptions),
    PROFILE_OPTIONS(RunOptions, profile),
    STATISTICS_OPTION(RunOptions),
    CLI_FLAG(RunOptions, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt run", "the built-in solvers on the built-in tasks", false},
    {"batt run --gallery page.html", "the same, and a page of the results", false},
    {"batt run -s solvers.py data/training", "your solvers on a folder of tasks", true},
    {"batt run -s solvers.py --id 00d62c1b --diff data/training", "one task, expected and actual output",
     true},
    {"batt run --all --json -s solvers/ data/training", "every program on every task, for a script", true},
    {"batt run --battery battery.py data/training", "a battery that `batt card` or card.py wrote", true},
    {"batt run --all --history runs.jsonl -s solvers/ data/training",
     "with a log of every task, appended run by run", true},
    {"batt run -s solvers.py --submission submission.json arc-agi_test_challenges.json", "for Kaggle", true},
    {0}};

static bool write_submission(const Cli *cli, const RunReport *r) {
    SubmissionDraft draft;
    Out out;
    bool good = submission_draft_open(&draft, r->data->tasks, r->data->n_tasks);
    for (size_t k = 0; k < r->data->n_tasks; k++) {
        const RunTask *task = &r->results[k];
        for (int32_t x = 0; task->samples != NULL && x < task->task->n_test; x++) {
            for (unsigned a = 0; a < SUBMISSION_ATTEMPTS; a++) {
                good =
                    good && submission_draft_set(&draft, k, x, a, task->samples[task->task->n_train + x].got);
            }
        }
    }
    out_init(&out);
    if (good) {
        submission_draft_write(&out, &draft);
    }
    good = good ? cli_save(cli, &out, r->options->submission) : cli_no_memory(cli) == EXIT_DONE;
    out_free(&out);
    submission_draft_close(&draft);
    return good;
}

static void tick(void *progress, size_t task) {
    (void)task;
    progress_add(progress, 1);
}

/* Checks what all ranks must have in common. */
static bool agree(const Cli *cli, const RunReport *r) {
    char fingerprint[512], why[RANKS_WHY_BYTES];
    uint64_t programs = solvers_mix(&r->solvers->list, &r->solvers->differs);
    Out payload;
    out_init(&payload);
    snprintf(fingerprint, sizeof fingerprint,
             "batt " BATT_VERSION_TEXT " run, data %016" PRIx64 ", programs %016" PRIx64 ", steps %" PRId64
             ", bytes %" PRId64 ", first %" PRId64 ", options %d%d%d",
             r->data->hash, programs, r->options->max_steps, r->options->max_memory, r->options->first_steps,
             r->options->all, r->options->safe, r->options->no_share);
    bool good = ranks_agree(cli->ranks, fingerprint, &payload, why) || cli_error(cli, "%s", why) == EXIT_DONE;
    out_free(&payload);
    return good;
}

/* Has the right samples of every program counted if they have scores on record. False: no memory. */
static bool want_right(const Cli *cli, RunReport *r, RunSpec *spec) {
    if (r->solvers->scores == NULL || r->options->all) {
        return true;
    }
    if (cli->ranks != NULL) {
        if (ranks_is_root(cli->ranks)) {
            fprintf(cli_err(cli), "recorded scores are compared only when one process runs\n");
        }
        return true;
    }
    r->right = mem_array(r->solvers->list.count, sizeof *r->right);
    if (r->right == NULL) {
        return false;
    }
    memset(r->right, 0xff, r->solvers->list.count * sizeof *r->right);
    spec->right = r->right;
    return true;
}

static int execute(Cli *cli, RunReport *r, Pool *pool) {
    Battery *battery = NULL;
    phase_enter(&r->phases, PHASE_GENERATE);
    if (!run_battery_strip(&r->solvers->list) ||
        !(r->options->all
              ? run_battery_build(&r->solvers->list, r->data->n_tasks, &pool->workers[0].ctx,
                                  r->options->safe, !r->options->no_share, &battery, &r->matching)
              : match_programs(&r->solvers->list, r->data->tasks, r->data->n_tasks, &r->matching))) {
        battery_free(battery);
        return cli_no_memory(cli);
    }
    if (r->examples && !r->options->all && r->matching.matched == 0) {
        return cli_error(
            cli,
            "no program is named after a built-in example; name the tasks to run on: batt run -s FILE TASKS");
    }
    RunSpec spec = {.tasks = r->data->tasks,
                    .n_tasks = r->data->n_tasks,
                    .programs = (const Program *const *)r->solvers->list.items,
                    .n_programs = r->solvers->list.count,
                    .matches = r->matching.by_task,
                    .battery = battery,
                    .places = r->matching.places,
                    .first_steps = r->options->all ? (uint64_t)r->options->first_steps : 0,
                    .device_from = (uint64_t)r->options->device_from,
                    .scoring = r->scoring,
                    .safe = r->options->safe,
                    .keep_grids = r->options->diff || r->options->gallery || r->options->submission};
    if (!want_right(cli, r, &spec)) {
        battery_free(battery);
        return cli_no_memory(cli);
    }
    phase_enter(&r->phases, PHASE_EXECUTE);
    Progress progress;
    if (r->history->file >= 0) {
        spec.hooks = &r->history->hooks;
    }
    spec.ranks = cli->ranks;
    spec.backend = r->backend;
    if (cli->ranks != NULL && !agree(cli, r)) {
        battery_free(battery);
        return EXIT_BAD;
    }
    spec.done = tick;
    spec.user = &progress;
    progress_start(&progress, r->options->json || !ranks_is_root(cli->ranks) ? NULL : cli_err(cli), "running",
                   "tasks", spec.n_tasks);
    run_tasks(pool, &spec, r->results, cli_stop(cli));
    progress_end(&progress);
    battery_free(battery);
    pool_count(pool, &r->statistics);
    phase_enter(&r->phases, PHASE_VALIDATE);
    if (!profile_gather(r->recorder, &r->phases, r->ids, &r->ranks, &r->statistics)) {
        return cli_no_memory(cli);
    }
    if (!ranks_is_root(cli->ranks)) {
        return EXIT_DONE; /* rank 0 reports */
    }
    rank_summaries_add(&r->ranks, &r->statistics);
    for (size_t k = 0; k < r->data->n_tasks; k++) { /* tasks not reached: interrupted */
        const Task *task = r->data->tasks[k];
        r->n_done += r->results[k].task != NULL;
        if (r->results[k].task == NULL) {
            r->results[k] = (RunTask){.task = task, .n_samples = (uint32_t)(task->n_train + task->n_test)};
        }
    }
    r->totals = run_totals(r->results, r->data->n_tasks);
    phase_enter(&r->phases, PHASE_REPORT);
    bool written = r->options->submission == NULL || write_submission(cli, r);
    int code = run_report(cli, r, written); /* even if the submission could not be written */
    code = written || code != EXIT_DONE ? code : EXIT_SHORT;
    if (code != EXIT_DONE) {
        return code;
    }
    if (cli_stopped(cli)) {
        return EXIT_INTERRUPTED;
    }
    return r->totals.tasks_solved + r->totals.answered == r->totals.tasks ? EXIT_DONE : EXIT_SHORT;
}

typedef struct RunScores { /* one of them, or none */
    ScoreRun differs;
    PythonScoring python;
} RunScores;

/* If the battery brings differs, answers are scored by them. */
static bool open_scores(const Cli *cli, RunReport *r, RunScores *scores, const Pool *pool) {
    char why[256];
    if (r->solvers->python.whole != NULL) {
        r->scoring = &scores->python.scoring;
        return python_scoring_open(&scores->python, &r->solvers->python, pool, r->options->safe) ||
               cli_no_memory(cli) == EXIT_DONE;
    }
    if (r->solvers->differs.count == 0) {
        return true;
    }
    if (!score_run_open(&scores->differs, &r->solvers->differs, pool, why, sizeof why)) {
        return cli_error(cli, "%s: %s", r->options->battery, why) == EXIT_DONE;
    }
    r->scoring = &scores->differs.scoring;
    return true;
}

/* Options that would have no effect are refused. */
static bool check(const Cli *cli, const RunOptions *opt) {
    if (opt->no_share && !opt->all) {
        cli_error(cli, "--no-share needs --all or --battery");
        return false;
    }
    if (opt->first_steps != CLI_UNSET && !opt->all) {
        cli_error(cli, "--first-steps needs --all or --battery");
        return false;
    }
    if (strcmp(opt->device, "cpu") != 0 && !opt->all) {
        cli_error(cli, "--device needs --all or --battery");
        return false;
    }
    if (opt->device_from > 0 && strcmp(opt->device, "cpu") == 0) {
        cli_error(cli, "--device-from needs --device");
        return false;
    }
    if (opt->battery != NULL && (opt->solvers.count > 0 || opt->mode >= 0)) {
        cli_error(cli,
                  "--battery cannot be combined with --solvers or --mode; the battery file determines both");
        return false;
    }
    if (opt->json && (opt->diff || opt->quiet || opt->show > 0)) {
        cli_error(cli, "--json cannot be combined with --diff, --quiet or --show");
        return false;
    }
    return true;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    RunOptions options_given = *(const RunOptions *)given, *opt = &options_given;
    opt->all |= opt->battery != NULL;
    if (!check(cli, opt)) {
        return EXIT_BAD;
    }
    opt->first_steps = opt->first_steps == CLI_UNSET ? RUN_FIRST_STEPS : opt->first_steps;
    if (opt->show == CLI_UNSET) {
        bool bare = argc == 0 && opt->solvers.count == 0 && opt->battery == NULL && !opt->quiet && !opt->json;
        opt->show = bare && cli->style.color != TERM_MONO ? 3 : 0;
    }
    Data data = {0};
    Solvers solvers = {0};
    Pool pool = {0};
    ProfileRecorder recorder = {0};
    RunScores scores = {0};
    RunHistory history = {.file = -1};
    RunReport r = {
        .history = &history, .options = opt, .data = &data, .solvers = &solvers, .recorder = &recorder};
    r.examples = argc == 0 && cli->reads;
    Budget budget = BUDGET_OF(opt);
    phase_start(&r.phases, PHASE_LOAD);
    int code = device_attach(cli, opt->device, &r.backend);
    code = code == EXIT_DONE ? data_load(cli, &opt->data, opt->jobs, argc, argv, &data) : code;
    if (code == EXIT_DONE) {
        phase_enter(&r.phases, PHASE_PARSE);
        code = opt->battery != NULL
                   ? solvers_load_battery(cli, opt->battery, &solvers)
                   : solvers_load(cli, &opt->solvers, opt->mode < 0 ? PARSE_MODE_AUTO : opt->mode, opt->jobs,
                                  &solvers);
    }
    opt->safe |= solvers_guarded(&solvers);
    if (code == EXIT_DONE) {
        r.results = mem_zalloc(data.n_tasks, sizeof *r.results);
        r.ids = mem_array(data.n_tasks, sizeof *r.ids);
        for (size_t k = 0; r.ids != NULL && k < data.n_tasks; k++) {
            r.ids[k] = data.tasks[k]->id;
        }
        if (r.results == NULL || r.ids == NULL) {
            code = cli_no_memory(cli);
        } else if (!backend_open_pool(r.backend, &pool, (unsigned)opt->jobs, &budget)) {
            code = cli_no_workers(cli, opt->jobs, opt->max_memory);
        } else {
            bool told = opt->history == NULL || run_history_open(&history, cli, opt->history, data.tasks);
            code = told && open_scores(cli, &r, &scores, &pool) &&
                           profile_attach(&recorder, cli, &opt->profile, &pool)
                       ? execute(cli, &r, &pool)
                       : EXIT_BAD;
        }
    }
    if (!run_history_close(&history, cli) && code == EXIT_DONE) {
        code = EXIT_SHORT;
    }
    if (r.results != NULL) {
        run_free(r.results, data.n_tasks);
    }
    rank_summaries_free(&r.ranks);
    mem_free(r.results);
    mem_free(r.ids);
    mem_free(r.right);
    profile_detach(&recorder);
    score_run_close(&scores.differs);
    python_scoring_close(&scores.python);
    matching_free(&r.matching);
    pool_close(&pool);
    solvers_free(&solvers);
    data_free(&data);
    return device_detach(cli, r.backend, code);
}

const CliCommand cmd_run = {
    .arguments = "[TASKS...]",
    .max_args = -1,
    .details = "Runs solver programs on tasks and gives a verdict for each. A task is solved if one program "
               "is right on all its training and test pairs. TASKS are folders, task files or challenges "
               "files; without any, batt uses the built-in examples.\nPrograms are matched to tasks by name: "
               "solve_ID, or solve_ID_anything if a task has several.\nExit code 0: every task is solved, or "
               "answered if its outputs are unknown; 1: some are not.",
    .options = options,
    .size = sizeof(RunOptions),
    .main = "solvers all id diff gallery",
    .examples = examples,
    .interruptible = true,
    .ranked = true,
    .run = run};
