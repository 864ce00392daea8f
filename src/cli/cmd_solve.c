/* batt solve: search programs for tasks nobody wrote a program for. */
#include "cli/cmd_solve.h"

#include "core/alloc.h"
#include "search/idioms.h"

#include <stdio.h>
#include <string.h>

typedef SolveOptions Options;

static const CliOption options[] = {
    CLI_TIME(Options, time_per_task, 't', "time-per-task", "5s", 0, CLI_DAY,
             "working time for one task; what easy tasks leave goes to the others"),
    CLI_INT(Options, steps, 0, "steps", "N", "0", 0, INT64_MAX / 4,
            "steps for one task instead of time: the same answers on any machine; 0: go by time"),
    CLI_INT(Options, attempts, 'n', "attempts", "N", "2", 1, SOLVE_ATTEMPTS, "answers for each test input"),
    CLI_LIST(Options, without, 0, "without", "PART",
             "leave out a part of the search; may be given several times"),
    DATA_OPTIONS(Options),
    CLI_INT(Options, jobs, 'j', "jobs", "N", "0", 0, 1024, "worker threads; 0: one a core"),
    CLI_SIZE(Options, max_memory, 0, "max-memory", "1G", 1 << 24, INT64_C(1) << 40, "memory for one worker"),
    CLI_TEXT(Options, store, 0, "store", "FILE", NULL,
             "keep programs there and try those it has; a run that was ended goes on"),
    CLI_LIST(Options, solvers, 0, "solvers", "PATH",
             "programs to try first, instead of the built-in ones; may be given several times"),
    CLI_TEXT(Options, vocabulary, 0, "vocabulary", "FILE", NULL,
             "steps that enumeration puts together, as written by batt learn"),
    CLI_TEXT(Options, submission, 0, "submission", "FILE", NULL, "write a Kaggle submission"),
    CLI_TEXT(Options, found, 0, "found", "DIR", NULL,
             "write the programs that are right as solver files, one a task, and TABLE.md about them"),
    CLI_FLAG(Options, explain, 'e', "explain", "print the programs, who found them and why they come first"),
    CLI_FLAG(Options, quiet, 'q', "quiet", "only the summary, no line a task"),
    PROFILE_OPTIONS(Options, profile),
    CLI_FLAG(Options, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt solve --time-per-task 100ms --count 4", "the first built-in tasks", false},
    {"batt solve --explain --id 00d62c1b data/training", "one task, with the programs", true},
    {"batt solve --without library data/training", "only what search finds", true},
    {"batt solve --store found.batt --found solvers/found data/training", "a library for batt run --solvers",
     true},
    {"batt solve --time-per-task 20s --submission submission.json challenges.json", "for Kaggle", true},
    {0}};

/* ---- searching ---- */

static bool is_solved(const SolveTask *r) {
    for (int32_t x = 0; x < r->task->n_test; x++) {
        if (!solve_is_right(r, (uint32_t)x, SOLVE_ATTEMPTS - 1)) {
            return false;
        }
    }
    return r->done;
}

static void finished(SolveJob *job, Ctx *ctx, size_t item) {
    const SolveTask *r = &job->results[item];
    bool cut = job->limits.stop != NULL && *job->limits.stop; /* answers, but not all there could be */
    Scope was = scope_enter(ctx, SCOPE_STORE);
    pthread_mutex_lock(&job->lock);
    job->n_known += r->task->n_test > 0 && r->task->test[0].has_output;
    job->n_solved += is_solved(r);
    if (!cut) {
        solve_store_task(job, item);
    }
    snprintf(job->unit, sizeof job->unit, job->n_known > 0 ? "tasks, %zu solved" : "tasks", job->n_solved);
    progress_add(&job->progress, 1);
    pthread_mutex_unlock(&job->lock);
    scope_back(ctx, was);
}

static void solve_one(Worker *worker, size_t item) {
    SolveJob *job = worker->shared;
    SolveTask *r = &job->results[item];
    if (!r->done) {
        solve_task(r, job->data->tasks[item], &worker->ctx, &job->checks[worker->index], &job->limits);
    }
    if (r->done) {
        finished(job, &worker->ctx, item);
    }
}

static bool wants_more(const SolveTask *r) {
    return r->done && !r->resumed && r->fitting == 0;
}

static void solve_one_again(Worker *worker, size_t item) {
    SolveJob *job = worker->shared;
    SolveTask *r = &job->results[item];
    if (!wants_more(r)) {
        return;
    }
    SearchLimits limits = job->limits;
    limits.time_ns = job->again_ns;
    if (solve_again(r, &worker->ctx, &job->checks[worker->index], &limits)) {
        finished(job, &worker->ctx, item);
    }
}

/* What the tasks left of their time, shared among those that found nothing to believe. */
static void use_spare_time(Cli *cli, SolveJob *job, Pool *pool) {
    uint64_t given = 0, used = 0;
    size_t wanting = 0;
    for (size_t k = 0; k < job->data->n_tasks; k++) {
        const SolveTask *r = &job->results[k];
        if (r->done && !r->resumed) {
            given += job->limits.time_ns;
            used += r->time_ns;
            wanting += wants_more(r);
        }
    }
    uint64_t each = wanting > 0 && used < given ? (given - used) / wanting : 0;
    if (job->limits.steps != 0 || each < job->limits.time_ns / 4 || cli_stopped(cli)) {
        return;
    }
    job->again_ns = each;
    job->n_again = wanting;
    job->n_solved = job->n_known = 0;
    progress_start(&job->progress, job->options->json ? NULL : stderr, "searching deeper", job->unit,
                   wanting);
    pool_run(pool, job->data->n_tasks, solve_one_again, job, cli->stop);
    progress_end(&job->progress);
}

static int search_all(Cli *cli, SolveJob *job, Pool *pool) {
    phase_enter(&job->phases, PHASE_EXECUTE);
    snprintf(job->unit, sizeof job->unit, "tasks");
    progress_start(&job->progress, job->options->json ? NULL : stderr, "solving", job->unit,
                   job->data->n_tasks);
    pool_run(pool, job->data->n_tasks, solve_one, job, cli->stop);
    progress_end(&job->progress);
    use_spare_time(cli, job, pool);
    phase_enter(&job->phases, PHASE_REPORT);
    Out out;
    out_init(&out);
    int told = job->options->json ? solve_write_json(&out, job) : solve_write_text(&out, &cli->style, job);
    bool good = out_flush_to(&out, stdout) && told == EXIT_DONE;
    out_free(&out);
    good &= job->options->submission == NULL || solve_write_submission(cli, job);
    good &= job->options->found == NULL || solve_write_found(cli, job);
    return !good                  ? EXIT_BAD
           : cli_stopped(cli)     ? EXIT_INTERRUPTED
           : solve_all_right(job) ? EXIT_DONE
                                  : EXIT_SHORT;
}

/* ---- setting up ---- */

static bool read_without(const Cli *cli, const CliList *names, uint32_t *set) {
    char words[256] = "";
    for (unsigned p = 0; p < PART_COUNT; p++) {
        size_t at = strlen(words);
        snprintf(words + at, sizeof words - at, "%s%s", p ? "|" : "", search_part_names[p]);
    }
    for (size_t k = 0; k < names->count; k++) {
        int part = cli_word(cli, "part", names->items[k], words);
        if (part < 0) {
            return false;
        }
        *set |= 1u << part;
    }
    return true;
}

/* The programs to try first: files or built-in ones, and those of the store. */
static int load_library(const Cli *cli, SolveJob *job, Library *library, Ctx *ctx) {
    Solvers solvers;
    int code = solvers_load(cli, &job->options->solvers, PARSE_MODE_AUTO, &solvers);
    for (size_t k = 0; code == EXIT_DONE && k < solvers.list.count; k++) {
        code = library_add(library, ctx, solvers.list.items[k]) ? EXIT_DONE : cli_error(cli, "out of memory");
    }
    solvers_free(&solvers);
    if (code == EXIT_DONE && job->keep.store != NULL && !solve_store_load(job, library, ctx)) {
        code = cli_error(cli, "%s", job->keep.error);
    }
    job->limits.library = library;
    return code;
}

static int with_pool(Cli *cli, SolveJob *job, Pool *pool) {
    size_t opened = 0;
    for (unsigned k = 0; k < pool->count; k++) {
        ctx_keep_pages(&pool->workers[k].ctx);
    }
    int code = EXIT_DONE;
    Library *library = library_open();
    job->results = mem_zalloc(job->data->n_tasks, sizeof *job->results);
    job->checks = mem_zalloc(pool->count, sizeof *job->checks);
    job->ids = mem_array(job->data->n_tasks, sizeof *job->ids);
    for (size_t k = 0; job->ids != NULL && k < job->data->n_tasks; k++) {
        job->ids[k] = job->data->tasks[k]->id;
    }
    while (job->checks != NULL && opened < pool->count &&
           prim_open(&job->checks[opened], MODE_CORE, false, &job->memory.check)) {
        opened++;
    }
    if (job->results == NULL || job->ids == NULL || opened < pool->count || library == NULL) {
        code = cli_error(cli, "out of memory");
    } else if (job->options->store != NULL) {
        phase_enter(&job->phases, PHASE_STORE);
        code =
            solve_store_open(job, &pool->workers[0].ctx) ? EXIT_DONE : cli_error(cli, "%s", job->keep.error);
    }
    phase_enter(&job->phases, PHASE_PARSE);
    if (code == EXIT_DONE && !(job->limits.without >> PART_LIBRARY & 1)) {
        code = load_library(cli, job, library, &pool->workers[0].ctx);
    }
    if (code == EXIT_DONE && !profile_attach(&job->tap, cli, &job->options->profile, pool)) {
        code = EXIT_BAD;
    }
    if (code == EXIT_DONE) {
        for (unsigned k = 0; k < pool->count; k++) {
            prof_also(&job->tap.profiler, k, &job->checks[k]);
        }
        code = search_all(cli, job, pool);
    }
    profile_let_go(&job->tap);
    if (!solve_store_close(job)) {
        code = cli_error(cli, "%s", job->keep.error);
    }
    library_close(library);
    for (size_t k = 0; k < opened; k++) {
        prim_close(&job->checks[k]);
    }
    for (size_t k = 0; job->results != NULL && k < job->data->n_tasks; k++) {
        solve_task_free(&job->results[k]);
    }
    mem_free(job->results);
    mem_free(job->ids);
    mem_free(job->checks);
    return code;
}

/* Half of a worker's memory is for values, some for running what is offered, the rest for what the parts
 * note. The heap is counted by the block; what malloc loses between blocks takes an eighth of it at most. */
static void share_memory(SolveJob *job, uint64_t bytes) {
    enum { MOST_CHECK = 64 << 20 };
    Budget values = {.steps = UINT64_MAX / 4, .bytes = bytes / 2, .time_ns = 0, .depth = 500};
    Budget check = {.steps = 2000000, .bytes = bytes / 8, .time_ns = 0, .depth = 500};
    check.bytes = check.bytes < MOST_CHECK ? check.bytes : MOST_CHECK;
    job->memory.values = values;
    job->memory.check = check;
    job->limits.heap = (bytes - values.bytes - check.bytes) / 8 * 7;
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Data data = {0};
    Pool pool = {0};
    SolveJob job = {.options = opt, .data = &data, .lock = PTHREAD_MUTEX_INITIALIZER};
    char why[512];
    phase_start(&job.phases, PHASE_LOAD);
    job.limits = (SearchLimits){.steps = (uint64_t)opt->steps,
                                .time_ns = opt->steps ? 0 : (uint64_t)opt->time_per_task,
                                .stop = cli->stop};
    if (!read_without(cli, &opt->without, &job.limits.without)) {
        return EXIT_BAD;
    }
    StepSet *steps =
        opt->vocabulary ? steps_read(opt->vocabulary, why, sizeof why) : steps_builtin(why, sizeof why);
    if (steps == NULL) {
        return cli_error(cli, "%s", why);
    }
    job.limits.steps_set = steps;
    int code = data_load(cli, &opt->data, opt->jobs, argc, argv, &data);
    if (code == EXIT_DONE) {
        share_memory(&job, (uint64_t)opt->max_memory);
        code = pool_open(&pool, (unsigned)opt->jobs, &job.memory.values) ? with_pool(cli, &job, &pool)
                                                                         : cli_error(cli, "out of memory");
    }
    pool_close(&pool);
    data_free(&data);
    steps_free(steps);
    return code;
}

const CliCommand cmd_solve = {
    .arguments = "[TASKS...]",
    .max_args = -1,
    .details = "Searches programs that turn a task's training inputs into its outputs, and answers the tests "
               "with them. "
               "Test outputs, where they are known, are used to score the answers and for nothing else.",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .interruptible = true,
    .run = run};
