/* Running a battery on all tasks by levels (backends/devices/levels.h): chunks of whole tasks, whose first
 * answers come from there; what follows is done task by task as without devices. */
#include "base/alloc.h"
#include "base/clock.h"
#include "search/run/run_internal.h"

typedef struct PairOf {
    const Task *task;
    const TaskPair *pair;
} PairOf;

typedef struct Batch {
    const RunSpec *spec;
    LevelsSample *samples; /* of all tasks */
    PairOf *pairs;         /* likewise */
    uint32_t *first;       /* by task: its first sample; one more at the end */
    uint32_t n;
} Batch;

static void make_parameters(Ctx *ctx, const void *user, unsigned nparams, Val *params) {
    const PairOf *of = user;
    run_parameters(ctx, of->task, of->pair, nparams, params);
}

static bool list_samples(Batch *b) {
    const RunSpec *spec = b->spec;
    uint32_t n = 0;
    b->first = mem_array(spec->n_tasks + 1, sizeof *b->first);
    for (size_t t = 0; t < spec->n_tasks && b->first != NULL; t++) {
        b->first[t] = n;
        n += (uint32_t)(spec->tasks[t]->n_train + spec->tasks[t]->n_test);
    }
    b->n = n;
    b->samples = mem_zalloc(n, sizeof *b->samples);
    b->pairs = mem_array(n, sizeof *b->pairs);
    if (b->first == NULL || b->samples == NULL || b->pairs == NULL) {
        return false;
    }
    b->first[spec->n_tasks] = n;
    for (size_t t = 0; t < spec->n_tasks; t++) {
        for (uint32_t s = b->first[t]; s < b->first[t + 1]; s++) {
            const TaskPair *pair = run_pair(spec->tasks[t], s - b->first[t]);
            b->pairs[s] = (PairOf){spec->tasks[t], pair};
            b->samples[s] = (LevelsSample){.input = pair->in, .user = &b->pairs[s]};
            b->samples[s].expected = pair->has_output ? pair->out : (Image){0};
        }
    }
    return true;
}

/* Samples from everywhere among the tasks. */
static Levels *open_levels(const Batch *b, Pool *pool, DeviceError *why) {
    enum { PROBES = 12, COMPARED = 2 };
    LevelsSample probes[PROBES];
    const RunSpec *spec = b->spec;
    uint32_t n = b->n < PROBES ? b->n : PROBES;
    for (uint32_t k = 0; k < n; k++) {
        probes[k] = b->samples[(uint64_t)k * b->n / n];
    }
    LevelsSpec levels = {.backend = spec->backend,
                         .battery = spec->battery,
                         .pool = pool,
                         .budget = pool->workers[0].ctx.budget,
                         .nparams = spec->programs[0]->nparams,
                         .probes = probes,
                         .n_probes = n,
                         .compared = COMPARED,
                         .parameters = make_parameters};
    bool staged = spec->first_steps > 0 && spec->first_steps < levels.budget.steps;
    levels.budget.steps = staged ? spec->first_steps : levels.budget.steps;
    return levels_open(&levels, why);
}

/* Why the CPU makes all calls of a battery; NULL: it need not. */
static const char *why_not(const RunSpec *spec) {
    size_t samples = 0;
    for (size_t t = 0; t < spec->n_tasks; t++) {
        samples += (size_t)(spec->tasks[t]->n_train + spec->tasks[t]->n_test);
    }
    return spec->hooks != NULL           ? "where evaluations are watched one by one the CPU makes all calls"
           : spec->safe                  ? "in safe mode the CPU makes all calls"
           : spec->ranks != NULL         ? "with several processes the CPU makes all calls"
           : spec->scoring != NULL       ? "where answers are scored the CPU makes all calls"
           : samples < spec->device_from ? "there are fewer samples than --device-from says"
                                         : NULL;
}

bool run_can_use_levels(const RunSpec *spec) {
    if (spec->battery == NULL || spec->n_programs == 0 || spec->n_tasks == 0) {
        return false;
    }
    if (!backend_uses_device(spec->backend)) {
        backend_set_reason(spec->backend,
                           "auto: no device was known when the battery began; auto:0 looks before that");
        return false;
    }
    const char *why = why_not(spec);
    backend_set_reason(spec->backend, why != NULL ? why : "");
    return why == NULL;
}

/* Tasks from `from` on whose samples make up a chunk; at least one. */
static size_t end_of_chunk(const Batch *b, size_t from, uint32_t chunk) {
    size_t end = from + 1;
    while (end < b->spec->n_tasks && b->first[end + 1] - b->first[from] <= chunk) {
        end++;
    }
    return end;
}

size_t run_by_levels(Pool *pool, TasksJob *job, PoolFn run_task, const Stop *stop) {
    Batch b = {.spec = job->spec};
    DeviceError why = {0};
    char reason[200];
    size_t begun = 0, n = job->spec->n_tasks;
    Levels *levels = list_samples(&b) ? open_levels(&b, pool, &why) : NULL;
    if (levels == NULL && why.fault == DEVICE_FINE) {
        backend_set_reason(job->spec->backend, why.text);
    }
    while (begun < n && !stop_is_requested(stop)) {
        size_t end = n;
        RunLevels view = {.levels = levels, .first = b.first};
        if (levels != NULL) {
            uint64_t start = clock_now_ns();
            end = end_of_chunk(&b, begun, levels_chunk(levels));
            uint32_t samples = b.first[end] - b.first[begun];
            if (!levels_run(levels, b.samples + b.first[begun], samples, stop)) {
                job->device_failed = backend_failure(job->spec->backend) != NULL;
                levels_close(levels);
                levels = NULL;
                continue;
            }
            view.offset = b.first[begun];
            view.sample_ns = (clock_now_ns() - start) / (samples > 0 ? samples : 1);
        }
        job->levels = levels != NULL ? &view : NULL;
        job->first = begun;
        size_t done = pool_run(pool, end - begun, run_task, job, stop);
        begun += done;
        if (levels != NULL) {
            bool pays = levels_pays(levels, reason, sizeof reason);
            backend_set_reason(job->spec->backend, reason);
            levels_close(pays ? NULL : levels);
            levels = pays ? levels : NULL;
        }
        if (done < end - job->first) {
            break;
        }
    }
    job->levels = NULL;
    levels_close(levels);
    mem_free(b.first);
    mem_free(b.samples);
    mem_free(b.pairs);
    return begun;
}
