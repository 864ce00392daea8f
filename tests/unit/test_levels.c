/* Batteries by levels (backends/devices/levels.h), with a fake libOpenCL (tests/device) whose devices run the
 * kernels as C: random programs of everything that has a form, and of some that has none, give the values,
 * steps and failures that the processor gives; on one device and on several; and failing devices are
 * reported. */
#include "../device/fake_loader.h"
#include "backends/devices/levels_internal.h"
#include "base/alloc.h"
#include "tools/devices/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { PROGRAMS = 40, SAMPLES = 40 };

typedef struct Case {
    Pool pool;
    TestBattery made;
} Case;

static void case_open(Case *c, uint64_t seed) {
    Budget budget = BUDGET_DEFAULT;
    *c = (Case){0};
    budget.steps = 10000;
    assert_true(pool_open(&c->pool, 2, &budget));
    assert_true(test_battery_make(&c->made, &c->pool.workers[0].ctx, seed, PROGRAMS, SAMPLES));
}

static void case_close(Case *c) {
    test_battery_free(&c->made);
    pool_close(&c->pool);
}

static Levels *open_levels(Case *c, Backend *backend, uint32_t probes, DeviceError *why) {
    LevelsSpec spec = {.backend = backend,
                       .battery = c->made.battery,
                       .pool = &c->pool,
                       .budget = c->pool.workers[0].ctx.budget,
                       .nparams = c->made.nparams,
                       .probes = c->made.samples,
                       .n_probes = probes,
                       .compared = SAMPLES,
                       .parameters = test_battery_input};
    return levels_open(&spec, why);
}

static Backend *open_fake(const char *text) {
    BackendChoice choice;
    DeviceError why;
    char error[200];
    assert_true(backend_parse_choice(text, &choice, error, sizeof error));
    Backend *backend = backend_open(&choice, &why);
    assert_non_null(backend);
    return backend;
}

/* What a device says of an answer, against the answer. */
static void expect_verdict(Levels *levels, const Case *c, uint32_t sample, int program, Val v, int verdict) {
    const Image *expected = &c->made.samples[sample].expected;
    Image got = {0};
    int8_t cells[LEVELS_MAX_CELLS];
    bool grid = v.kind == VAL_GRID8 && v.n <= 255 && v.w <= 255;
    for (uint32_t k = 0; grid && k < v.n * v.w; k++) {
        grid = v.b8[k] >= 0 && v.b8[k] < 10;
    }
    bool same_size = grid && (int32_t)v.n == expected->h && v.w == expected->w;
    bool same = same_size && memcmp(v.b8, expected->cells, (size_t)v.n * v.w) == 0;
    assert_int_equal(verdict, !grid ? 3 : expected->cells == NULL ? 6 : !same_size ? 2 : !same ? 1 : 0);
    if (grid) {
        assert_true(levels_grid(levels, sample, program, &got, cells));
        assert_true(got.h == (int32_t)v.n && got.w == v.w && memcmp(got.cells, v.b8, (size_t)v.n * v.w) == 0);
    }
}

static void compare_answers(Levels *levels, Case *c, uint32_t *known) {
    uint32_t nodes = battery_nodes(c->made.battery);
    BatteryRun run = {.values = calloc(nodes, sizeof(Val)), .steps = calloc(nodes, 8)};
    Ctx *ctx = &c->pool.workers[0].ctx;
    for (uint32_t s = 0; s < SAMPLES; s++) {
        Val params[TEST_MAX_PARAMS];
        ctx_reset(ctx);
        test_battery_input(ctx, &c->made.images[s], c->made.nparams, params);
        battery_run(c->made.battery, ctx, params, &run);
        for (int p = 0; p < PROGRAMS; p++) {
            uint64_t steps;
            Val v = battery_answer(c->made.battery, ctx, &run, p, &steps);
            LevelsAnswer answer = levels_answer(levels, s, p);
            if (answer.left) {
                continue;
            }
            (*known)++;
            assert_int_equal(answer.steps, steps);
            assert_int_equal(val_failed(answer.value), val_failed(v));
            if (val_failed(v)) {
                assert_true(answer.value.w == v.w && answer.value.n == v.n);
            } else if (answer.verdict >= 0) {
                expect_verdict(levels, c, s, p, v, answer.verdict);
            } else {
                assert_true(val_eq(answer.value, v));
            }
        }
    }
    free(run.values);
    free(run.steps);
}

static void test_values(void **state) {
    (void)state;
    unsigned rounds = getenv("BATT_TEST_QUICK") != NULL ? 6 : 60;
    uint64_t device_calls = 0, host_calls = 0;
    for (unsigned round = 0; round < rounds; round++) {
        Case c;
        DeviceError why;
        BackendReport report;
        uint32_t known = 0;
        setenv("FAKE_OPENCL_DEVICES", "3", 1);
        Backend *backend = open_fake(round % 2 ? "opencl:0,1,2" : "opencl:0");
        case_open(&c, 77 + round);
        Levels *levels = open_levels(&c, backend, round % 3 ? 4 : 0, &why);
        assert_non_null(levels);
        for (int again = 0; again < 2; again++) { /* with another plan, perhaps */
            if (!levels_run(levels, c.made.samples, SAMPLES, NULL)) {
                fail_msg("round %u: %s", round, backend_failure(backend));
            }
            compare_answers(levels, &c, &known);
        }
        levels_close(levels);
        backend_report(backend, &report);
        assert_true(known > PROGRAMS * SAMPLES);
        device_calls += report.share.device_calls;
        host_calls += report.share.host_calls;
        assert_true(report.checked >= SAMPLES && report.differences == 0);
        backend_close(backend);
        case_close(&c);
    }
    assert_true(device_calls > 2 * host_calls);
    unsetenv("FAKE_OPENCL_DEVICES");
}

/* A device that fails is told of, whatever fails, and nothing is lost or leaks. */
static void test_failures(void **state) {
    (void)state;
    static const char *const wishes[] = {"open@1+",  "alloc@1+",  "build@1+", "kernel@1+",
                                         "write@1+", "write@2+",  "read@1+",  "read@4+",
                                         "launch@1", "launch@3+", "lost@2+",  "wrong@4"};
    Case c;
    case_open(&c, 24);
    for (size_t k = 0; k < sizeof wishes / sizeof *wishes; k++) {
        DeviceError why = {0};
        char wish[64];
        Backend *backend = open_fake("opencl:0");
        snprintf(wish, sizeof wish, "%s#levels%zu", wishes[k], k);
        setenv("FAKE_OPENCL_FAIL", wish, 1);
        Levels *levels = open_levels(&c, backend, 4, &why);
        bool good = levels != NULL && levels_run(levels, c.made.samples, SAMPLES, NULL);
        assert_false(good);
        assert_non_null(backend_failure(backend));
        levels_close(levels);
        unsetenv("FAKE_OPENCL_FAIL");
        backend_close(backend);
    }
    case_close(&c);
}

static void test_no_memory(void **state) {
    (void)state;
    Case c;
    case_open(&c, 6);
    bool through = false;
    for (uint64_t nth = 1; !through && nth < 400; nth++) {
        DeviceError why = {0};
        Backend *backend = open_fake("opencl:0");
        uint64_t before = mem_bytes();
        mem_fail_at(nth);
        Levels *levels = open_levels(&c, backend, 2, &why);
        bool good = levels != NULL && levels_run(levels, c.made.samples, SAMPLES, NULL);
        mem_fail_at(0);
        levels_close(levels);
        assert_int_equal(mem_bytes(), before);
        backend_close(backend);
        through = good;
    }
    assert_true(through);
    case_close(&c);
}

/* Sets of objects come back as they went, in both modes; what cannot be one is noticed; and sets that are not
 * those of one grid have no form. */
static void test_objects(void **state) {
    (void)state;
    Case c;
    case_open(&c, 31);
    Ctx *ctx = &c.pool.workers[0].ctx;
    for (uint32_t s = 0; s < 2 * SAMPLES; s++) {
        unsigned char bytes[LEVEL_MAX_BYTES] = {0};
        LevelValue form, other;
        Val params[TEST_MAX_PARAMS];
        ctx_reset(ctx);
        prim_bind(ctx, s % 2 ? MODE_BATT : MODE_CORE, false);
        test_battery_input(ctx, &c.made.images[s / 2], 1, params);
        Val args[4] = {params[0], val_bool(s & 2), val_bool(s & 4), val_bool(s & 8)};
        Val objects = prim_call(ctx, P_objects, args, 4);
        assert_true(level_form(objects, &form));
        if (form.form == LEVEL_EMPTY_SET) {
            continue;
        }
        assert_int_equal(form.form, LEVEL_OBJECTS);
        level_write(objects, &form, bytes);
        assert_true(level_is_sound(&form, bytes) && val_eq(level_read(ctx, &form, bytes), objects));
        uint16_t *labels = (uint16_t *)(void *)(bytes + form.n * sizeof(LevelPart));
        labels[0] = (uint16_t)(form.n + 1);
        assert_false(level_is_sound(&form, bytes));
        level_write(objects, &form, bytes);
        ((LevelPart *)(void *)bytes)->n++;
        assert_false(level_is_sound(&form, bytes));
        Val by[] = {val_at(objects, 0), val_pair32(0, 1)};
        Val both[] = {val_at(objects, 0), prim_call(ctx, P_shift, by, 2)};
        Val two = val_set(ctx, both, 2);
        bool apart = !val_failed(two) && two.n == 2 && level_form(two, &other);
        Val first = val_at(objects, 0);
        bool solid = false; /* some cell of it is right of another */
        for (uint32_t k = 0; k < first.n; k++) {
            for (uint32_t x = 0; x < first.n; x++) {
                Kind kind = first.kind;
                solid |= key_row(kind, first.k[k]) == key_row(kind, first.k[x]) &&
                         key_col(kind, first.k[k]) == key_col(kind, first.k[x]) + 1;
            }
        }
        assert_int_equal(apart, !solid);
    }
    case_close(&c);
}

/* Few steps: the processor does it, and says why. */
static void test_small_budget(void **state) {
    (void)state;
    Case c;
    DeviceError why = {0};
    case_open(&c, 8);
    c.pool.workers[0].ctx.budget.steps = 100;
    Backend *backend = open_fake("opencl:0");
    assert_null(open_levels(&c, backend, 2, &why));
    assert_true(why.fault == DEVICE_FINE && strstr(why.text, "steps") != NULL);
    backend_close(backend);
    case_close(&c);
}

int main(int argc, char **argv) {
    (void)argc;
    if (!begin_again(argv)) {
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_failures),     cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_objects), cmocka_unit_test(test_small_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
