/* batt_run_tasks: programs on tasks. */
#include "base/alloc.h"
#include "engine/language/build.h"
#include "search/run/run_battery.h"
#include "tools/api/results.h"

#include <string.h>

typedef struct RunJob {
    Watch watch;
    batt_run_options options;
    ProgList list; /* stripped copies */
    Pool pool;
    Backend *backend;
    Matching matching;
    Battery *battery;
    RunTask *results;
    size_t n_tasks;
} RunJob;

static bool copy_programs(RunJob *job, const batt_programs *programs) {
    bool good = true;
    for (size_t k = 0; k < programs->list.count && good; k++) {
        Program *stripped = prog_strip(programs->list.items[k]);
        good = stripped != NULL && progs_add(&job->list, stripped);
    }
    return good;
}

static bool keep_task(const RunTask *t, ResultTask *item) {
    item->status = run_status(t);
    run_reason(t, item->reason, sizeof item->reason);
    item->done = true;
    item->solved = t->solved;
    item->train_right = t->train_right;
    item->test_right = t->test_right;
    item->test_known = t->test_known;
    item->time_ns = t->time_ns;
    if (t->program != NULL && !result_add_program(item, prog_strip(t->program), NULL, t->train_right, 0, 0)) {
        return false;
    }
    if (t->samples == NULL) {
        return true;
    }
    item->samples = mem_array(t->n_samples, sizeof *item->samples);
    Image *answers = mem_zalloc((size_t)t->task->n_test, sizeof *answers);
    bool good = item->samples != NULL && answers != NULL;
    if (good) {
        memcpy(item->samples, t->samples, t->n_samples * sizeof *item->samples);
        item->n_samples = t->n_samples;
        for (uint32_t k = 0; k < t->n_samples; k++) {
            item->steps += t->samples[k].steps;
            item->samples[k].got = (Image){0}; /* lives in the run's own memory */
        }
        for (int32_t x = 0; x < t->task->n_test; x++) {
            answers[x] = t->samples[t->task->n_train + x].got;
        }
        good = result_keep_answers(item, answers, 1);
    }
    mem_free(answers);
    return good;
}

static bool copy_task(void *user, size_t k, ResultTask *item) {
    return keep_task(&((RunJob *)user)->results[k], item);
}

static void tick(void *user, size_t k) {
    RunJob *job = user;
    if (!job->results[k].cut && !job->results[k].no_memory) {
        watch_found(&job->watch, "run", 1, k, copy_task, job);
    }
    watch_tick(&job->watch);
}

static bool execute(RunJob *job, batt_context *c, const batt_tasks *tasks, batt_results *r) {
    Budget budget = BUDGET_DEFAULT;
    enum { SECONDS = 10 };
    budget.steps = job->options.steps ? job->options.steps : budget.steps;
    budget.bytes = job->options.bytes ? job->options.bytes : budget.bytes;
    budget.time_ns = job->options.nanoseconds ? job->options.nanoseconds : SECONDS * UINT64_C(1000000000);
    job->results = mem_zalloc(tasks->n_tasks, sizeof *job->results);
    bool good = job->results != NULL &&
                backend_open_pool(job->backend, &job->pool, job->watch.job.jobs, &budget) &&
                watch_pool(&job->watch, c, &job->pool) &&
                (job->options.all && job->list.count > 0
                     ? run_battery_build(&job->list, tasks->n_tasks, &job->pool.workers[0].ctx,
                                         job->options.safe != 0, true, &job->battery, &job->matching)
                     : match_programs(&job->list, tasks->tasks, tasks->n_tasks, &job->matching));
    if (!good) {
        return false;
    }
    RunSpec spec = {.tasks = tasks->tasks,
                    .n_tasks = tasks->n_tasks,
                    .programs = (const Program *const *)job->list.items,
                    .n_programs = job->list.count,
                    .matches = job->matching.by_task,
                    .battery = job->battery,
                    .places = job->matching.places,
                    .first_steps = job->options.all ? RUN_FIRST_STEPS : 0,
                    .safe = job->options.safe != 0,
                    .backend = job->backend,
                    .keep_grids = true,
                    .done = tick,
                    .user = job};
    phase_enter(&job->watch.phases, PHASE_EXECUTE);
    job->n_tasks = run_tasks(&job->pool, &spec, job->results, watch_stop(&job->watch));
    phase_enter(&job->watch.phases, PHASE_REPORT);
    for (size_t k = 0; k < job->n_tasks && good; k++) {
        RunTask *t = &job->results[k];
        good = t->cut || (!t->no_memory && keep_task(t, &r->items[k]));
    }
    return good;
}

batt_results *batt_run_tasks(batt_context *c, const batt_programs *programs, const batt_tasks *tasks,
                             const batt_run_options *options, const batt_job *how) {
    RunJob job = {0};
    if (!api_begin(c)) {
        return NULL;
    }
    if (programs == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the programs are NULL");
    }
    if (!job_options(c, tasks, options, &job.options, sizeof job.options)) {
        return NULL;
    }
    if (job.options.device != NULL && strcmp(job.options.device, "cpu") != 0 && !job.options.all) {
        return api_fault(c, BATT_BAD_ARGUMENT, "a device evaluates batteries only: set `all`");
    }
    batt_results *r = watch_begin(&job.watch, c, how, tasks) ? results_new(c, "run", tasks, 1) : NULL;
    bool good = r != NULL && api_device_open(c, job.options.device, &job.backend);
    if (good && !(copy_programs(&job, programs) && execute(&job, c, tasks, r))) {
        api_no_memory(c);
        good = false;
    }
    good = watch_end(&job.watch, c, good ? r : NULL) && good;
    if (job.results != NULL) {
        run_free(job.results, tasks->n_tasks);
    }
    mem_free(job.results);
    battery_free(job.battery);
    matching_free(&job.matching);
    pool_close(&job.pool);
    good = api_device_close(c, job.backend, good);
    progs_free(&job.list);
    return results_or_none(r, good);
}
