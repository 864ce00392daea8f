/* Compares a device with the processor; see selftest.h. */
#include "tools/devices/selftest.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/primitives/prim.h"
#include "tools/devices/programs.h"

#include <stdio.h>
#include <string.h>

/* ---- jobs ---- */

/* The first reason counts. */
static void say(SelftestRow *row, const char *why) {
    if (row->why[0] == '\0') {
        snprintf(row->why, sizeof row->why, "%.190s", why);
    }
}

/* Both sides start from other bytes, so that those they do not write differ, too. What a device cannot do at
 * all is tried once. */
static bool compare_job(SelftestRow *row, Backend *backend, BackendJob *job) {
    DeviceError why = {0};
    void *result = job->result, *other = mem_alloc(job->result_bytes);
    if (other == NULL || row->failed > 0) {
        mem_free(other);
        return row->failed > 0;
    }
    memset(result, 0x5a, job->result_bytes);
    memset(other, 0xa5, job->result_bytes);
    job->result = other;
    bool good = backend_run_on(backend, 0, job, &why);
    job->result = result;
    row->device_ns += job->times.transfer + job->times.kernel;
    uint64_t begin = clock_work_ns();
    job->op->cpu(job);
    row->cpu_ns += clock_work_ns() - begin;
    if (!good) {
        row->failed = 1;
        say(row, why.text);
    } else {
        bool same = memcmp(result, other, job->result_bytes) == 0;
        row->items += job->items;
        row->differences += !same;
        say(row, same ? "" : "other bytes than the processor's");
    }
    mem_free(other);
    return true;
}

static bool test_op(Selftest *t, Backend *backend, BackendOpId op, uint64_t seed) {
    static const uint32_t items[BACKEND_JOB_OPS] = {[BACKEND_RULES] = 400,
                                                    [BACKEND_TREES] = 12,
                                                    [BACKEND_COVER] = 60,
                                                    [BACKEND_TABLES] = 100,
                                                    [BACKEND_GRIDS] = 300};
    SyntheticJob made;
    bool good = jobs_make(&made, op, items[op], seed) && compare_job(&t->ops[op], backend, &made.job);
    jobs_free(&made, backend);
    return good;
}

static bool test_step(Selftest *t, Backend *backend, GridOp op, uint64_t seed) {
    enum { GRIDS = 60 };
    uint64_t before = t->steps[op].items;
    SyntheticJob made;
    if (t->ops[BACKEND_GRIDS].failed > 0) { /* nor will it do one of their steps */
        return true;
    }
    bool good = jobs_make_step(&made, op, GRIDS, seed) && compare_job(&t->steps[op], backend, &made.job);
    jobs_free(&made, backend);
    t->steps[op].items = t->steps[op].items > before ? before + GRIDS : before; /* not cells */
    return good;
}

/* ---- batteries ---- */

static void note_value(void *user, uint32_t prim, bool same) {
    Selftest *t = user;
    SelftestRow *all = &t->ops[BACKEND_BATTERY], *row = &t->prims[prim];
    row->name = prim_table[prim].name;
    row->items++;
    all->items++;
    if (!same) {
        char why[120];
        snprintf(why, sizeof why, "%s gives another value, or takes other steps", row->name);
        row->differences++;
        all->differences++;
        say(row, why);
        say(all, why);
    }
}

/* One by one on the processor, for its time. */
static bool time_battery(SelftestRow *row, Ctx *ctx, const TestBattery *made) {
    size_t nodes = battery_nodes(made->battery);
    BatteryRun run = {.values = mem_array(nodes, sizeof *run.values),
                      .steps = mem_array(nodes, sizeof *run.steps)};
    bool good = run.values != NULL && run.steps != NULL;
    uint64_t begin = clock_work_ns();
    for (uint32_t k = 0; k < made->n_samples && good; k++) {
        Val params[TEST_MAX_PARAMS];
        ctx_reset(ctx);
        test_battery_input(ctx, made->samples[k].user, made->nparams, params);
        battery_run(made->battery, ctx, params, &run);
    }
    row->cpu_ns += clock_work_ns() - begin;
    mem_free(run.values);
    mem_free(run.steps);
    return good;
}

static uint64_t busy_ns(Backend *backend) {
    BackendReport report;
    backend_report(backend, &report);
    return report.counters.kernel_ns; /* transfers are those of what is compared */
}

static bool test_battery(Selftest *t, Backend *backend, Pool *pool, uint64_t seed, uint64_t before,
                         const Stop *stop) {
    enum { PROGRAMS = 120, SAMPLES = 60, PROBES = 4 };
    SelftestRow *row = &t->ops[BACKEND_BATTERY];
    DeviceError why = {0};
    TestBattery made;
    bool good = test_battery_make(&made, &pool->workers[0].ctx, seed, PROGRAMS, SAMPLES);
    LevelsSpec spec = {.backend = backend,
                       .battery = made.battery,
                       .pool = pool,
                       .budget = pool->workers[0].ctx.budget,
                       .nparams = made.nparams,
                       .probes = made.samples,
                       .n_probes = seed % 5 == 0 ? PROBES : 0, /* without any, devices try all */
                       .compared = SAMPLES,
                       .parameters = test_battery_input,
                       .compare = note_value,
                       .user = t};
    Levels *levels = good ? levels_open(&spec, &why) : NULL;
    if (levels == NULL || !levels_run(levels, made.samples, made.n_samples, stop)) {
        good = good && !stop_is_requested(stop);
        if (good) {
            row->failed = 1;
            say(row, backend_failure(backend) != NULL ? backend_failure(backend) : why.text);
        }
    }
    levels_close(levels);
    row->device_ns = busy_ns(backend) - before;
    good = good && time_battery(row, &pool->workers[0].ctx, &made);
    test_battery_free(&made);
    return good;
}

static bool test_batteries(Selftest *t, Backend *backend, uint64_t seed, const Stop *stop) {
    const Budget budget = BUDGET_DEFAULT;
    Pool pool;
    uint64_t before = busy_ns(backend);
    bool good = pool_open(&pool, 0, &budget);
    for (unsigned k = 0; k < SELFTEST_BATTERIES && good && t->ops[BACKEND_BATTERY].failed == 0; k++) {
        good = test_battery(t, backend, &pool, seed + k, before, stop);
    }
    pool_close(&pool);
    return good;
}

/* ---- all of it ---- */

bool selftest_run(Selftest *t, Backend *backend, uint64_t seed, const Stop *stop) {
    BackendReport report;
    bool good = true;
    *t = (Selftest){.seed = seed};
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        t->ops[op].name = backend_op_names[op];
    }
    for (unsigned op = 0; op < GRID_OPS; op++) {
        t->steps[op].name = grid_ops[op].text;
    }
    for (unsigned k = 0; k < SELFTEST_ROUNDS && good; k++) {
        for (unsigned op = 0; op < BACKEND_JOB_OPS && good; op++) {
            good = !stop_is_requested(stop) && test_op(t, backend, (BackendOpId)op, seed + k);
        }
        for (unsigned op = 0; op < GRID_OPS && good; op++) {
            good = !stop_is_requested(stop) && test_step(t, backend, (GridOp)op, seed + k);
        }
    }
    good = good && test_batteries(t, backend, seed, stop);
    backend_report(backend, &report);
    t->build_ns = report.counters.build_ns;
    return good;
}

uint64_t selftest_differences(const SelftestRow *rows, unsigned n) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < n; k++) {
        sum += rows[k].differences;
    }
    return sum;
}

bool selftest_good(const Selftest *t) {
    bool failed = false;
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        failed |= t->ops[op].failed > 0;
    }
    for (unsigned op = 0; op < GRID_OPS; op++) {
        failed |= t->steps[op].failed > 0;
    }
    return !failed &&
           selftest_differences(t->ops, BACKEND_OPS) + selftest_differences(t->steps, GRID_OPS) == 0;
}
