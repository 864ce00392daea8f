/* The batched operations, and batteries, on the OpenCL devices of this machine: random jobs, run by the
 * device with several work-group sizes, by the processor, and by plain models. Without OpenCL they are
 * skipped.
 *
 * BATT_DEVICE_ITEMS=N         items of each operation
 * BATT_DEVICE=N               which device
 * BATT_DEVICE_ONLY=test_NAME  this operation alone
 * BATT_DEVICE_SMALL=N         jobs that are so many times smaller, for simulators */
#include "../device/cases.h"
#include "tools/devices/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t number_of(const char *name, uint64_t preset) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : preset;
}

/* NULL: skip. PoCL compiles for the processor that it finds, which valgrind may not know. */
static Backend *open_device(uint32_t lanes) {
    BackendChoice choice = {
        .mode = BACKEND_OPENCL, .which = {(unsigned)number_of("BATT_DEVICE", 0)}, .count = 1, .lanes = lanes};
    DeviceError why;
    if (getenv("BATT_TEST_VALGRIND") != NULL) {
        print_message("skipped: not under valgrind\n");
        return NULL;
    }
    Backend *backend = backend_open(&choice, &why);
    if (backend == NULL) {
        print_message("skipped: %s\n", why.text);
    }
    return backend;
}

typedef bool (*Case)(Backend *backend, uint64_t seed, bool model, CaseResult *r);

static bool rules(Backend *backend, uint64_t seed, bool model, CaseResult *r) {
    return case_rules(backend, 0, seed, false, model, r);
}
static bool trees(Backend *backend, uint64_t seed, bool model, CaseResult *r) {
    return case_rules(backend, 0, seed, true, model, r);
}
static bool cover(Backend *backend, uint64_t seed, bool model, CaseResult *r) {
    return case_cover(backend, 0, seed, model, r);
}
static bool tables(Backend *backend, uint64_t seed, bool model, CaseResult *r) {
    return case_tables(backend, 0, seed, model, r);
}

static bool grids(Backend *backend, uint64_t seed, bool model, CaseResult *r) {
    static Ctx ctx; /* opened once, for all cases */
    static bool open;
    Budget budget = BUDGET_DEFAULT;
    if (!open) {
        open = prim_open(&ctx, MODE_CORE, false, &budget);
        assert_true(open);
    }
    prim_bind(&ctx, seed & 1 ? MODE_BATT : MODE_CORE, false);
    (void)model; /* the primitives are fast */
    return case_grids(backend, 0, seed, &ctx, r);
}

static void note_value(void *user, uint32_t prim, bool same) {
    CaseResult *r = user;
    r->items++;
    if (!same && r->wrong[0] == '\0') {
        snprintf(r->wrong, sizeof r->wrong, "battery: %s gives another value, or takes other steps",
                 prim_table[prim].name);
    }
}

/* All values, steps and verdicts of a random battery; each compares itself with the processor. */
static bool batteries(Backend *backend, uint64_t seed, bool model, CaseResult *r) {
    Budget budget = BUDGET_DEFAULT;
    Pool pool;
    TestBattery made;
    DeviceError why = {0};
    uint32_t programs = sized(120), samples = sized(60);
    (void)model;
    assert_true(pool_open(&pool, 2, &budget));
    assert_true(test_battery_make(&made, &pool.workers[0].ctx, seed, programs, samples));
    LevelsSpec spec = {.backend = backend,
                       .battery = made.battery,
                       .pool = &pool,
                       .budget = budget,
                       .nparams = made.nparams,
                       .probes = made.samples,
                       .compared = samples,
                       .parameters = test_battery_input,
                       .compare = note_value,
                       .user = r};
    Levels *levels = levels_open(&spec, &why);
    if (levels == NULL || !levels_run(levels, made.samples, made.n_samples, NULL)) {
        const char *failure = backend_failure(backend);
        snprintf(r->wrong, sizeof r->wrong, "battery: %.150s", failure != NULL ? failure : why.text);
    }
    levels_close(levels);
    test_battery_free(&made);
    pool_close(&pool);
    return r->wrong[0] == '\0';
}

/* One in MODELLED cases is done by the model, too. */
static void run_cases(Case one, const char *name, uint64_t items) {
    static const uint32_t lanes[] = {0, 8, 64};
    enum { MODELLED = 8, LANES = sizeof lanes / sizeof *lanes };
    bool long_run = getenv("BATT_DEVICE_ITEMS") != NULL;
    size_t n_lanes = long_run ? LANES : LANES - 1; /* PoCL takes seconds to compile for each */
    items = number_of("BATT_DEVICE_ITEMS", getenv("BATT_TEST_QUICK") != NULL ? items / 10 : items);
    case_smaller = (uint32_t)number_of("BATT_DEVICE_SMALL", 1);
    for (size_t k = 0; k < n_lanes; k++) {
        Backend *backend = open_device(lanes[k]);
        CaseResult r = {0};
        if (backend == NULL) {
            skip();
        }
        uint64_t share = k == 0 ? items - items / 5 : items / 10, seed = 1000 * k;
        while (r.items < share && one(backend, seed, seed % MODELLED == 0, &r)) {
            seed++;
        }
        BackendReport report;
        backend_report(backend, &report);
        backend_close(backend);
        if (r.wrong[0] != '\0') {
            fail_msg("%u lanes, seed %llu: %s", lanes[k], (unsigned long long)seed, r.wrong);
        }
        print_message("%s: %llu items in %llu jobs with %u lanes, %s; kernels %.2f s, building %.2f s\n",
                      name, (unsigned long long)r.items, (unsigned long long)report.batches, lanes[k],
                      report.name, (double)report.times.kernel * 1e-9, (double)report.times.build * 1e-9);
    }
}

static void test_rules(void **state) {
    (void)state;
    run_cases(rules, "rules", 300000);
}
static void test_trees(void **state) {
    (void)state;
    run_cases(trees, "trees", 300000);
}
static void test_cover(void **state) {
    (void)state;
    run_cases(cover, "cover", 300000);
}
static void test_tables(void **state) {
    (void)state;
    run_cases(tables, "tables", 100000);
}

static void test_grids(void **state) {
    (void)state;
    run_cases(grids, "grids", 100000);
}

static void test_batteries(void **state) {
    (void)state;
    run_cases(batteries, "batteries", 100000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),  cmocka_unit_test(test_trees), cmocka_unit_test(test_cover),
        cmocka_unit_test(test_tables), cmocka_unit_test(test_grids), cmocka_unit_test(test_batteries),
    };
    cmocka_set_test_filter(getenv("BATT_DEVICE_ONLY"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
