/* Batteries by levels (backends/devices/levels.h), with a fake libOpenCL (tests/device) whose devices run the
 * kernels as C: random programs of everything that has a form, and of some that has none, give the values,
 * steps and failures that the processor gives; on one device and on several; and failing devices are
 * reported. */
#include "../device/fake_loader.h"
#include "backends/devices/levels.h"
#include "base/alloc.h"
#include "base/out.h"
#include "engine/language/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Dice {
    uint64_t state;
} Dice;

static uint32_t dice(Dice *d, uint32_t sides) {
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(d->state >> 33) % sides;
}

static void random_images(Dice *d, Image *images, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        uint32_t max = dice(d, 8) == 0 ? 30 : 12, colors = 1 + dice(d, dice(d, 2) ? 3 : 10);
        int32_t h = 1 + (int32_t)dice(d, max), w = 1 + (int32_t)dice(d, max);
        int8_t *cells = malloc((size_t)(h * w));
        uint32_t style = dice(d, 3), first = dice(d, 11 - colors);
        for (int32_t c = 0; c < h * w; c++) {
            bool row = style == 0, sparse = style == 1 && dice(d, 4) != 0;
            cells[c] = (int8_t)(sparse ? 0 : first + (row ? (uint32_t)(c / w) % colors : dice(d, colors)));
        }
        images[k] = (Image){h, w, cells};
    }
}

/* Types of arguments and results: g grid, s stamp, p indices, o object, d pair, n number, c color, h small
 * number. */
static const struct Shape {
    const char *name, *args;
    char result;
} SHAPES[] = {
    {"rot90", "g", 'g'},          {"rot180", "g", 'g'},       {"rot270", "g", 'g'},
    {"hmirror", "g", 'g'},        {"vmirror", "g", 'g'},      {"dmirror", "g", 'g'},
    {"cmirror", "g", 'g'},        {"tophalf", "g", 'g'},      {"bottomhalf", "g", 'g'},
    {"lefthalf", "g", 'g'},       {"righthalf", "g", 'g'},    {"trim", "g", 'g'},
    {"crop", "gdd", 'g'},         {"subgrid", "pg", 'g'},     {"subgrid", "og", 'g'},
    {"replace", "gcc", 'g'},      {"switch", "gcc", 'g'},     {"cellwise", "ggc", 'g'},
    {"upscale", "gh", 'g'},       {"hupscale", "gh", 'g'},    {"vupscale", "gh", 'g'},
    {"downscale", "gh", 'g'},     {"hconcat", "gg", 'g'},     {"vconcat", "gg", 'g'},
    {"canvas", "cd", 'g'},        {"shape", "g", 'd'},        {"shape", "p", 'd'},
    {"height", "g", 'n'},         {"width", "o", 'n'},        {"portrait", "g", 'n'},
    {"ofcolor", "gc", 'p'},       {"ofcolor", "gc", 'p'},     {"asindices", "g", 'p'},
    {"asobject", "g", 'o'},       {"fill", "gcp", 'g'},       {"fill", "gco", 'g'},
    {"underfill", "gcp", 'g'},    {"cover", "gp", 'g'},       {"paint", "go", 'g'},
    {"underpaint", "go", 'g'},    {"recolor", "cp", 'o'},     {"shift", "pd", 'p'},
    {"shift", "od", 'o'},         {"combine", "pp", 'p'},     {"intersection", "pp", 'p'},
    {"difference", "pp", 'p'},    {"box", "p", 'p'},          {"inbox", "p", 'p'},
    {"outbox", "o", 'p'},         {"backdrop", "p", 'p'},     {"delta", "p", 'p'},
    {"ulcorner", "p", 'd'},       {"urcorner", "o", 'd'},     {"llcorner", "p", 'd'},
    {"lrcorner", "p", 'd'},       {"center", "p", 'd'},       {"uppermost", "p", 'n'},
    {"lowermost", "o", 'n'},      {"leftmost", "p", 'n'},     {"rightmost", "p", 'n'},
    {"size", "p", 'n'},           {"mostcolor", "g", 'c'},    {"leastcolor", "g", 'c'},
    {"colorcount", "gc", 'n'},    {"add", "dd", 'd'},         {"subtract", "dn", 'd'},
    {"multiply", "dn", 'd'},      {"double", "d", 'd'},       {"halve", "d", 'd'},
    {"increment", "d", 'd'},      {"decrement", "n", 'n'},    {"invert", "d", 'd'},
    {"first", "d", 'n'},          {"last", "d", 'n'},         {"astuple", "nn", 'd'},
    {"stamp_keep", "sc", 's'},    {"stamp_erase", "sc", 's'}, {"stamp_paint", "sc", 's'},
    {"stamp_trim", "sh", 's'},    {"stamp_trim", "sh", 's'},  {"stamp_box", "sh", 's'},
    {"stamp_home", "s", 's'},     {"stamp_main", "s", 's'},   {"stamp_fill", "sh", 's'},
    {"stamp_turn", "sc", 's'},    {"stamp_rays", "sc", 's'},  {"stamp_frame", "sh", 's'},
    {"stamp_join", "sh", 's'},    {"stamp_half", "sh", 's'},  {"stamp_paste", "sd", 'g'},
    {"stamp_corner", "sdh", 'g'}, {"stamp_scale", "sd", 'g'}, {"stamp_tile", "sdh", 'g'},
    {"stamp_lay", "gsh", 'g'},    {"stamp_lay", "ssh", 's'},  {"toindices", "o", 'p'},
    {"stamp_spread", "sh", 's'},  {"ulcorner", "o", 'd'},     {"compress", "g", 'g'},
};
enum { N_SHAPES = sizeof SHAPES / sizeof *SHAPES, CALLS = 7, PROGRAMS = 40, SAMPLES = 40 };

static bool fits(char wanted, char is) {
    return wanted == is || (wanted == 's' && is == 'g') || (wanted == 'n' && is == 'c') ||
           (wanted == 'c' && is == 'n') || (wanted == 'g' && is == 's');
}

static void write_argument(Dice *d, Out *out, char type, const char *types, unsigned n) {
    unsigned at = dice(d, n + 1);
    for (unsigned k = 0; k <= n && dice(d, 12) != 0; k++, at = (at + 1) % (n + 1)) {
        if (fits(type, at == 0 ? 'g' : types[at - 1])) {
            if (at == 0) {
                out_str(out, "I");
            } else {
                out_fmt(out, "x%u", at);
            }
            return;
        }
    }
    switch (type) {
    case 'd':
        out_fmt(out, "(%d, %d)", (int)dice(d, 14) - 2, (int)dice(d, 14) - 2);
        break;
    case 'c':
        out_fmt(out, "%u", dice(d, 10));
        break;
    case 'n':
    case 'h':
        out_fmt(out, "%d", (int)dice(d, 6) - (dice(d, 9) == 0));
        break;
    default:
        out_str(out, "I");
    }
}

static void write_program(Dice *d, Out *out, unsigned number) {
    char types[CALLS];
    out_fmt(out, "def f%u(I):\n", number);
    for (unsigned k = 0; k < CALLS; k++) {
        const struct Shape *shape = &SHAPES[dice(d, N_SHAPES)];
        if (k + 1 < CALLS) {
            out_fmt(out, "    x%u = %s(", k + 1, shape->name);
        } else {
            out_fmt(out, "    O = %s(", shape->name);
        }
        for (const char *a = shape->args; *a != '\0'; a++) {
            out_str(out, a > shape->args ? ", " : "");
            write_argument(d, out, *a, types, k);
        }
        out_str(out, ")\n");
        types[k] = shape->result;
    }
    out_str(out, "    return O\n");
}

typedef struct Case {
    Pool pool;
    ProgList programs;
    Battery *battery;
    Image images[SAMPLES], outputs[SAMPLES];
    LevelsSample samples[SAMPLES];
} Case;

static void give_input(Ctx *ctx, const void *user, unsigned nparams, Val *params) {
    const Image *image = user;
    (void)ctx;
    assert_int_equal(nparams, 1);
    params[0] = val_grid8(image->cells, (uint32_t)image->h, (uint32_t)image->w);
}

static void case_open(Case *c, uint64_t seed) {
    Dice d = {seed};
    Out out;
    Diags diags;
    Budget budget = BUDGET_DEFAULT;
    Lang *lang = lang_open();
    *c = (Case){.battery = battery_new(MODE_CORE, false, 1, true)};
    budget.steps = 10000;
    assert_true(pool_open(&c->pool, 2, &budget) && c->battery != NULL && lang != NULL);
    out_init(&out);
    for (unsigned k = 0; k < PROGRAMS; k++) {
        write_program(&d, &out, k);
    }
    diags_init(&diags);
    Source source = source_of("programs", out.data, out.len);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &c->programs, &diags));
    assert_int_equal(diags.errors, 0);
    for (size_t k = 0; k < c->programs.count; k++) {
        assert_int_equal(battery_add(c->battery, &c->pool.workers[0].ctx, c->programs.items[k]), k);
    }
    random_images(&d, c->images, SAMPLES);
    random_images(&d, c->outputs, SAMPLES);
    for (uint32_t k = 0; k < SAMPLES; k++) {
        c->samples[k] = (LevelsSample){.input = c->images[k], .user = &c->images[k]};
        c->samples[k].expected = k % 5 == 0 ? (Image){0} : k % 2 ? c->outputs[k] : c->images[k];
    }
    diags_free(&diags);
    out_free(&out);
    lang_close(lang);
}

static void case_close(Case *c) {
    for (uint32_t k = 0; k < SAMPLES; k++) {
        free((void *)(uintptr_t)c->images[k].cells);
        free((void *)(uintptr_t)c->outputs[k].cells);
    }
    battery_free(c->battery);
    progs_free(&c->programs);
    pool_close(&c->pool);
}

static Levels *open_levels(Case *c, Backend *backend, uint32_t probes, DeviceError *why) {
    LevelsSpec spec = {.backend = backend,
                       .battery = c->battery,
                       .pool = &c->pool,
                       .budget = c->pool.workers[0].ctx.budget,
                       .nparams = 1,
                       .probes = c->samples,
                       .n_probes = probes,
                       .compared = SAMPLES,
                       .parameters = give_input};
    return levels_open(&spec, why);
}

static Backend *open_fake(const char *text) {
    BackendChoice choice;
    DeviceError why;
    char error[200];
    assert_true(backend_parse_choice(text, &choice, error, sizeof error));
    Backend *backend = backend_open(&choice, &why);
    assert_non_null(backend);
    backend_set_slots(backend, 2);
    return backend;
}

/* What a device says of an answer, against the answer. */
static void expect_verdict(Levels *levels, const Case *c, uint32_t sample, int program, Val v, int verdict) {
    const Image *expected = &c->samples[sample].expected;
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
    uint32_t nodes = battery_nodes(c->battery);
    BatteryRun run = {.values = calloc(nodes, sizeof(Val)), .steps = calloc(nodes, 8)};
    Ctx *ctx = &c->pool.workers[0].ctx;
    for (uint32_t s = 0; s < SAMPLES; s++) {
        Val input;
        ctx_reset(ctx);
        give_input(ctx, &c->images[s], 1, &input);
        battery_run(c->battery, ctx, &input, &run);
        for (int p = 0; p < PROGRAMS; p++) {
            uint64_t steps;
            Val v = battery_answer(c->battery, ctx, &run, p, &steps);
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
            if (!levels_run(levels, c.samples, SAMPLES, NULL)) {
                fail_msg("round %u: %s", round, backend_failure(backend));
            }
            compare_answers(levels, &c, &known);
        }
        levels_close(levels);
        backend_report(backend, &report);
        assert_true(known > PROGRAMS * SAMPLES && report.share.device_calls > report.share.host_calls);
        assert_true(report.checked >= SAMPLES && report.differences == 0);
        backend_close(backend);
        case_close(&c);
    }
    unsetenv("FAKE_OPENCL_DEVICES");
}

/* A device that fails is told of, whatever fails, and nothing is lost or leaks. */
static void test_failures(void **state) {
    (void)state;
    static const char *const wishes[] = {"open@1+",  "alloc@1+",  "build@1+", "kernel@1+",
                                         "write@1+", "write@2+",  "read@1+",  "read@4+",
                                         "launch@1", "launch@3+", "lost@2+",  "wrong@4"};
    Case c;
    case_open(&c, 5);
    for (size_t k = 0; k < sizeof wishes / sizeof *wishes; k++) {
        DeviceError why = {0};
        char wish[64];
        Backend *backend = open_fake("opencl:0");
        snprintf(wish, sizeof wish, "%s#levels%zu", wishes[k], k);
        setenv("FAKE_OPENCL_FAIL", wish, 1);
        Levels *levels = open_levels(&c, backend, 4, &why);
        bool good = levels != NULL && levels_run(levels, c.samples, SAMPLES, NULL);
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
        bool good = levels != NULL && levels_run(levels, c.samples, SAMPLES, NULL);
        mem_fail_at(0);
        levels_close(levels);
        assert_int_equal(mem_bytes(), before);
        backend_close(backend);
        through = good;
    }
    assert_true(through);
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
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_small_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
