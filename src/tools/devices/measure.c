/* Timing batched operations on both sides; see measure.h. */
#include "tools/devices/measure.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "tools/devices/jobs.h"
#include "tools/devices/programs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3 }; /* a figure is the least of them */

/* ---- times ---- */

typedef struct DeviceTimes {
    double cpu, device, work, build;
} DeviceTimes;

static double lesser(double a, double b) {
    return a < b ? a : b;
}

/* What a job takes; the blocks go up each time, unless they are those that stay. */
static bool time_job(Backend *backend, unsigned queue, BackendJob *job, DeviceTimes *t, DeviceError *why) {
    *t = (DeviceTimes){INFINITY, INFINITY, INFINITY, 0};
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_work_ns();
        job->op->cpu(job);
        t->cpu = lesser(t->cpu, (double)(clock_work_ns() - begin));
    }
    for (int round = 0; round <= ROUNDS; round++) { /* the first one builds, and is not counted */
        uint64_t begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (!backend_run_on(backend, queue, job, why)) {
            return false;
        }
        double work = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin);
        t->build += (double)job->times.build;
        if (round > 0) {
            t->device = lesser(t->device, (double)(job->times.transfer + job->times.kernel));
            t->work = lesser(t->work, work);
        }
    }
    return true;
}

static void take(Measured *to, const DeviceTimes *one, const DeviceTimes *many, double items_one,
                 double items) {
    to->items = (uint64_t)items;
    to->cpu_ns = many->cpu / items;
    to->device_ns = many->device / items;
    to->work_ns = many->work / items;
    to->batch_ns = one->device;
    to->build_ns = one->build;
    /* beyond what the small batch had */
    double each = items > items_one ? (many->device - one->device) / (items - items_one) : to->device_ns;
    to->device_ns = each > 0 ? each : to->device_ns;
    to->break_even =
        to->cpu_ns > to->device_ns ? ceil(to->batch_ns / (to->cpu_ns - to->device_ns)) : INFINITY;
}

static bool no_memory(DeviceError *why) {
    *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
    return false;
}

/* ---- batteries ---- */

/* The same calls one by one on the processor, in one thread. */
static void time_battery(const TestBattery *t, Ctx *ctx, uint32_t samples, BatteryRun *run, DeviceTimes *to) {
    to->cpu = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_work_ns();
        for (uint32_t k = 0; k < samples; k++) {
            Val params[TEST_MAX_PARAMS];
            ctx_reset(ctx);
            test_battery_input(ctx, t->samples[k].user, t->nparams, params);
            battery_run(t->battery, ctx, params, run);
        }
        to->cpu = lesser(to->cpu, (double)(clock_work_ns() - begin));
    }
}

/* By levels, from grids to verdicts: all that the host does for it counts. */
static bool time_levels(Levels *levels, const TestBattery *t, uint32_t samples, DeviceTimes *to) {
    to->device = to->work = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t begin = clock_now_ns(), work = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (!levels_run(levels, t->samples, samples, NULL)) {
            return false;
        }
        to->device = lesser(to->device, (double)(clock_now_ns() - begin));
        to->work = lesser(to->work, (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - work));
    }
    return true;
}

static bool time_both(Backend *backend, Pool *pool, const TestBattery *t, BatteryRun *run, Measured *to,
                      DeviceError *why) {
    enum { PROBES = 12 };
    LevelsSpec spec = {.backend = backend,
                       .battery = t->battery,
                       .pool = pool,
                       .budget = pool->workers[0].ctx.budget,
                       .nparams = t->nparams,
                       .probes = t->samples,
                       .n_probes = PROBES,
                       .parameters = test_battery_input};
    DeviceTimes small = {0}, large = {0};
    Levels *levels = levels_open(&spec, why);
    uint32_t samples =
        levels == NULL || levels_chunk(levels) > t->n_samples ? t->n_samples : levels_chunk(levels);
    bool good =
        levels != NULL && time_levels(levels, t, 1, &small) && time_levels(levels, t, samples, &large);
    if (levels != NULL && !good) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        snprintf(why->text, sizeof why->text, "%.500s",
                 backend_failure(backend) != NULL ? backend_failure(backend) : MEM_NONE);
    }
    levels_close(levels);
    if (good) {
        uint32_t calls = battery_stats(t->battery).calls_after;
        time_battery(t, &pool->workers[0].ctx, samples, run, &large);
        take(to, &small, &large, calls, (double)calls * samples);
    }
    return good;
}

static bool measure_battery(Backend *backend, const char *primitive, uint32_t cells, Measured *to,
                            DeviceError *why) {
    enum { PROGRAMS = 200, SAMPLES = 600 };
    const Budget budget = BUDGET_DEFAULT;
    Pool pool;
    TestBattery t = {0};
    *to = (Measured){0};
    *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
    if (!pool_open(&pool, 1, &budget)) {
        return false;
    }
    Ctx *ctx = &pool.workers[0].ctx;
    bool good = primitive != NULL ? test_battery_make_call(&t, ctx, primitive, cells, 4 * SAMPLES)
                                  : test_battery_make(&t, ctx, 1, PROGRAMS, SAMPLES);
    size_t nodes = good ? battery_nodes(t.battery) : 1;
    BatteryRun run = {.values = mem_array(nodes, sizeof *run.values),
                      .steps = mem_array(nodes, sizeof *run.steps)};
    good = good && run.values != NULL && run.steps != NULL && time_both(backend, &pool, &t, &run, to, why);
    mem_free(run.values);
    mem_free(run.steps);
    test_battery_free(&t);
    pool_close(&pool);
    return good;
}

bool measure_op(Backend *backend, unsigned queue, BackendOpId op, Measured *to, DeviceError *why) {
    static const uint32_t many[BACKEND_JOB_OPS] = {[BACKEND_RULES] = 2400,
                                                   [BACKEND_TREES] = 60,
                                                   [BACKEND_COVER] = 400,
                                                   [BACKEND_TABLES] = 500,
                                                   [BACKEND_GRIDS] = 4000};
    DeviceTimes small, large;
    double items[2];
    bool good = true;
    if (op == BACKEND_BATTERY) {
        return measure_battery(backend, NULL, 0, to, why);
    }
    *to = (Measured){0};
    for (int k = 0; k < 2 && good; k++) {
        SyntheticJob m;
        good = jobs_make(&m, op, k == 0 ? 1 : many[op], 0) || no_memory(why);
        good = good && time_job(backend, queue, &m.job, k == 0 ? &small : &large, why);
        items[k] = (double)m.job.items;
        jobs_free(&m, backend);
    }
    if (good) {
        take(to, &small, &large, items[0], items[1]);
    }
    return good;
}

bool measure_call(Backend *backend, const char *primitive, uint32_t cells, Measured *to, DeviceError *why) {
    return measure_battery(backend, primitive, cells, to, why);
}
