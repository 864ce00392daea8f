/* Batched operations and their backend, with a fake libOpenCL (tests/device) whose devices run the
 * kernels as C: injected failures are reported and lose nothing, several devices and threads give
 * the same results, and sanitizers see all of it. */
#include "../device/cases.h"
#include "../device/fake_loader.h"
#include "backends/devices/device_heap.h"
#include "engine/language/parse.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- help ---- */

static unsigned quick(unsigned rounds) {
    return getenv("BATT_TEST_QUICK") != NULL ? rounds / 4 + 1 : rounds;
}

static _Atomic unsigned lines_told;
static char last_line[1500];

static void hear(void *user, const char *line) {
    (void)user;
    if (atomic_fetch_add(&lines_told, 1) == 0) {
        snprintf(last_line, sizeof last_line, "%s", line);
    }
}

static Backend *open_fake(const char *text, DeviceError *why) {
    BackendChoice choice;
    char error[200];
    assert_true(backend_parse_choice(text, &choice, error, sizeof error));
    choice.say = hear;
    atomic_store(&lines_told, 0);
    last_line[0] = '\0';
    Backend *backend = backend_open(&choice, why);
    backend_discover(backend);
    return backend;
}

static void fail_at(const char *what) { /* NULL: nothing */
    static unsigned wishes;
    char text[64];
    if (what == NULL) {
        unsetenv("FAKE_OPENCL_FAIL");
    } else {
        snprintf(text, sizeof text, "%s#%u", what, ++wishes);
        setenv("FAKE_OPENCL_FAIL", text, 1);
    }
}

/* A small job of rules, and what is right. */
typedef struct Small {
    RulesTable table;
    RulesAsk ask;
    uint64_t right[8];
} Small;

static void small_open(Small *s, uint64_t seed) {
    Dice d = {seed};
    uint32_t tests = 30, leaves = 6, cells = 100, words = cells / 64 + 1;
    rules_table_lay(&s->table, calloc(rules_table_bytes(tests, leaves, words, cells), 1), tests, leaves,
                    words, cells);
    fill_table(&d, &s->table);
    s->ask = (RulesAsk){.table = &s->table, .count = 8, .leaf = true};
    s->ask.args = calloc(rules_ask_bytes(&s->table, 8), 1);
    s->ask.best = calloc(8, sizeof *s->ask.best);
    for (uint32_t c = 0; c < cells; c++) {
        s->ask.args[c / 64] |= (uint64_t)(dice(&d, 2) == 0) << c % 64;
    }
    for (uint32_t k = 0; k < 8; k++) {
        rules_ask_literals(&s->ask)[k] = dice(&d, 2 * tests);
    }
    assert_true(rules_ask(NULL, NULL, &s->ask, NULL));
    memcpy(s->right, s->ask.best, sizeof s->right);
}

static bool small_run(Small *s, Backend *backend) {
    memset(s->ask.best, 0, sizeof s->right);
    return rules_ask(backend, NULL, &s->ask, NULL);
}

static bool small_is_right(const Small *s) {
    return memcmp(s->ask.best, s->right, sizeof s->right) == 0;
}

static void small_close(Small *s, Backend *backend) {
    backend_drop_block(backend, &s->table.block);
    free(s->table.yes);
    free(s->ask.args);
    free(s->ask.best);
}

/* ---- device specifications ---- */

static void test_choice_syntax(void **state) {
    (void)state;
    BackendChoice c;
    char why[200];
    assert_true(backend_parse_choice("cpu", &c, why, sizeof why) && c.mode == BACKEND_CPU);
    assert_true(backend_parse_choice("auto", &c, why, sizeof why) && c.mode == BACKEND_AUTO);
    assert_true(c.discover_after_s == BACKEND_DISCOVER_AFTER_S);
    assert_true(backend_parse_choice("auto:0", &c, why, sizeof why) && c.mode == BACKEND_AUTO &&
                c.discover_after_s == 0);
    assert_true(backend_parse_choice("auto:2.5", &c, why, sizeof why) && c.discover_after_s == 2.5);
    assert_true(backend_parse_choice("opencl", &c, why, sizeof why) && c.mode == BACKEND_OPENCL &&
                c.count == 1 && c.which[0] == 0);
    assert_true(backend_parse_choice("opencl:3", &c, why, sizeof why) && c.count == 1 && c.which[0] == 3);
    assert_true(backend_parse_choice("opencl:0,2", &c, why, sizeof why) && c.count == 2 && c.which[0] == 0 &&
                c.which[1] == 2);
    static const char *const wrong[] = {"",
                                        "gpu",
                                        "auto:",
                                        "auto:x",
                                        "auto:-1",
                                        "auto:1s",
                                        "auto:1e9",
                                        "automatic",
                                        "opencl:",
                                        "opencl:x",
                                        "opencl:1,",
                                        "opencl:,1",
                                        "opencl:1x",
                                        "opencl:-1",
                                        "opencl:1 ,2",
                                        "openclx:1",
                                        "CPU",
                                        "opencl:99999999999",
                                        "opencl:0,0,0,0,0,0,0,0,0"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        why[0] = '\0';
        assert_false(backend_parse_choice(wrong[k], &c, why, sizeof why));
        assert_true(why[0] != '\0');
    }
}

/* ---- places ---- */

static void test_device_heap(void **state) {
    (void)state;
    enum { BYTES = 1 << 16, MAX_HELD = 64 };
    DeviceHeap a;
    Dice d = {1};
    struct {
        uint64_t at, bytes;
    } held[MAX_HELD];
    size_t n = 0;
    static uint8_t used[BYTES];
    memset(used, 0, sizeof used);
    assert_true(device_heap_open(&a, BYTES));
    for (unsigned round = 0; round < 20000; round++) {
        if (n < MAX_HELD && dice(&d, 2) == 0) {
            uint64_t bytes = dice(&d, 4000), at = device_heap_alloc(&a, bytes);
            if (at == DEVICE_HEAP_NONE) {
                continue;
            }
            assert_true(at % DEVICE_HEAP_ALIGN == 0 && at + bytes <= BYTES);
            for (uint64_t k = at; k < at + bytes; k++) {
                assert_true(used[k]++ == 0);
            }
            held[n].at = at;
            held[n++].bytes = bytes;
        } else if (n > 0) {
            size_t k = dice(&d, (uint32_t)n);
            for (uint64_t x = held[k].at; x < held[k].at + held[k].bytes; x++) {
                used[x]--;
            }
            device_heap_free(&a, held[k].at);
            held[k] = held[--n];
        }
    }
    while (n > 0) {
        device_heap_free(&a, held[--n].at);
    }
    assert_true(a.count == 1 && a.used == 0); /* all of it is one piece again */
    assert_true(device_heap_alloc(&a, BYTES) == 0);
    assert_true(device_heap_alloc(&a, 1) == DEVICE_HEAP_NONE);
    device_heap_close(&a);
}

/* ---- the kernels ---- */

static void test_kernels(void **state) {
    (void)state;
    DeviceError why;
    Budget budget = BUDGET_DEFAULT;
    Ctx ctx;
    CaseResult r = {0};
    fail_at(NULL);
    Backend *backend = open_fake("opencl:0", &why);
    assert_non_null(backend);
    assert_true(prim_open(&ctx, MODE_CORE, false, &budget));
    for (uint64_t seed = 0; seed < quick(40) && r.wrong[0] == '\0'; seed++) {
        bool model = seed % 4 == 0;
        case_rules(backend, 0, seed, false, model, &r);
        case_rules(backend, 0, seed, true, model, &r);
        case_cover(backend, 0, seed, model, &r);
        case_tables(backend, 0, seed, model, &r);
        prim_bind(&ctx, seed & 1 ? MODE_BATT : MODE_CORE, false);
        case_grids(backend, 0, seed, &ctx, &r);
    }
    prim_close(&ctx);
    backend_close(backend);
    if (r.wrong[0] != '\0') {
        fail_msg("%s", r.wrong);
    }
}

/* ---- what goes wrong ---- */

static void test_failures(void **state) {
    (void)state;
    static const struct {
        const char *what;
        DeviceFault fault;
    } failures[] = {{"alloc@1+", DEVICE_MEMORY},   {"build@1+", DEVICE_BUILD},   {"kernel@1+", DEVICE_BUILD},
                    {"write@1+", DEVICE_TRANSFER}, {"write@3", DEVICE_TRANSFER}, {"read@1+", DEVICE_TRANSFER},
                    {"read@4", DEVICE_TRANSFER},   {"launch@1+", DEVICE_LAUNCH}, {"launch@3", DEVICE_LAUNCH},
                    {"lost@1+", DEVICE_LOST},      {"lost@4", DEVICE_LOST},      {"wrong@1", DEVICE_WRONG},
                    {"wrong@2", DEVICE_WRONG}};
    Small s;
    small_open(&s, 1);
    for (size_t k = 0; k < sizeof failures / sizeof *failures; k++) {
        for (int forced = 0; forced < 2; forced++) {
            DeviceError why;
            BackendReport report;
            Stop stop = 0;
            fail_at(failures[k].what);
            Backend *backend = open_fake(forced ? "opencl:0" : "auto", &why);
            assert_non_null(backend);
            assert_true(backend_uses_device(backend));
            backend_set_stop(backend, &stop);
            bool good = true;
            for (int job = 0; job < 8 && good; job++) {
                good = small_run(&s, backend);
                assert_true(!good || small_is_right(&s));
            }
            backend_report(backend, &report);
            if (forced) { /* the run is over, says so and stays over */
                assert_false(good);
                assert_false(small_run(&s, backend));
                assert_non_null(backend_failure(backend));
                assert_non_null(strstr(backend_failure(backend), "fake 0"));
                assert_non_null(strstr(backend_failure(backend), "rules"));
                assert_true(stop_is_requested(&stop));
                assert_int_equal(report.n_fallbacks, 0);
            } else if (report.n_fallbacks > 0) { /* nothing is lost, and everything is reported */
                assert_true(good);
                assert_null(backend_failure(backend));
                assert_int_equal(report.n_fallbacks, 1);
                assert_int_equal(report.fallbacks[0].fault, failures[k].fault);
                assert_int_equal(report.fallbacks[0].count, atomic_load(&lines_told));
                assert_non_null(strstr(last_line, "repeated on the CPU"));
            } else { /* the device was slower, and the fourth job did not get there */
                assert_true(good &&
                            (strchr(failures[k].what, '4') != NULL || strchr(failures[k].what, '3') != NULL));
            }
            assert_int_equal(report.differences, failures[k].fault == DEVICE_WRONG);
            backend_drop_block(backend, &s.table.block);
            backend_close(backend);
        }
    }
    fail_at("open@1+");
    DeviceError why = {0};
    BackendReport report;
    assert_null(open_fake("opencl:0", &why));
    assert_int_equal(why.fault, DEVICE_MISSING);
    Backend *none = open_fake("auto", &why); /* continues without it, and says so */
    assert_non_null(none);
    assert_false(backend_uses_device(none));
    assert_int_equal(atomic_load(&lines_told), 1);
    backend_report(none, &report);
    assert_non_null(strstr(report.note, "cannot be opened"));
    backend_close(none);
    fail_at(NULL);
    assert_null(open_fake("opencl:1", &why));
    assert_int_equal(why.fault, DEVICE_MISSING);
    small_close(&s, NULL);
}

/* The job on which they differ lies in the working folder, as docs/devices.md says. */
static void test_difference_is_kept(void **state) {
    (void)state;
    Small s;
    DeviceError why;
    char text[4096];
    small_open(&s, 5);
    fail_at("wrong@1");
    Backend *backend = open_fake("auto", &why);
    assert_true(small_run(&s, backend) && small_is_right(&s));
    const char *name = strstr(last_line, "./batt-device-rules-");
    assert_non_null(name);
    char path[300];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(name, ";"), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_int_equal(unlink(path), 0);
    char *line = memchr(text, '\n', n);
    assert_non_null(line);
    *line = '\0';
    char expected[200];
    snprintf(
        expected, sizeof expected,
        " op rules device \"fake 0\" numbers 30 6 2 100 8 1 0 0 0 0 args %zu blocks %zu 0 0 0 results 64",
        rules_ask_bytes(&s.table, 8), s.table.block.size);
    assert_non_null(strstr(text, expected));
    assert_int_equal(n, (size_t)(line - text) + 1 + rules_ask_bytes(&s.table, 8) + s.table.block.size + 128);
    assert_memory_equal(line + 1, s.ask.args, rules_ask_bytes(&s.table, 8));
    assert_memory_equal(text + n - 128, s.right, 64);
    assert_memory_not_equal(text + n - 64, s.right, 64);
    small_close(&s, backend);
    backend_close(backend);
    fail_at(NULL);
}

/* ---- what stays, and what is chosen ---- */

static void test_residency(void **state) {
    (void)state;
    Small s;
    DeviceError why;
    BackendReport one, two, three, four;
    small_open(&s, 2);
    fail_at(NULL);
    Backend *backend = open_fake("opencl:0", &why);
    assert_true(small_run(&s, backend));
    backend_report(backend, &one);
    assert_true(small_run(&s, backend));
    backend_report(backend, &two);
    backend_drop_block(backend, &s.table.block);
    assert_true(small_run(&s, backend));
    backend_report(backend, &three);
    uint64_t first = one.counters.write_bytes, second = two.counters.write_bytes - first,
             third = three.counters.write_bytes - two.counters.write_bytes;
    assert_int_equal(first, third);
    assert_int_equal(first - second, s.table.block.size);
    assert_int_equal(two.counters.read_bytes, 2 * one.counters.read_bytes);
    assert_int_equal(one.counters.builds, 1);
    assert_int_equal(three.counters.builds, 1);
    assert_int_equal(three.batches, 3);
    assert_int_equal(three.items, 3 * 8 * 30);
    assert_int_equal(three.checked, 2); /* of this size */
    assert_true(small_is_right(&s));
    backend_report(NULL, &four);
    assert_string_equal(four.name, "cpu");
    small_close(&s, backend);
    backend_close(backend);
}

static void test_choice(void **state) {
    (void)state;
    Small s;
    DeviceError why;
    BackendReport r;
    small_open(&s, 3);
    fail_at(NULL);
    setenv("FAKE_OPENCL_SLOW", "3000", 1);
    Backend *backend = open_fake("auto", &why); /* the processor is faster than that */
    for (int k = 0; k < 10; k++) {
        assert_true(small_run(&s, backend) && small_is_right(&s));
    }
    backend_report(backend, &r);
    assert_int_equal(r.batches, 2);
    assert_int_equal(r.ops[BACKEND_RULES].cpu_batches, 10);
    assert_int_equal(r.checked, 2);
    backend_drop_block(backend, &s.table.block);
    backend_close(backend);
    unsetenv("FAKE_OPENCL_SLOW");
    setenv("FAKE_OPENCL_TYPE", "cpu", 1); /* auto never takes a processor */
    backend = open_fake("auto", &why);
    backend_report(backend, &r);
    assert_false(backend_uses_device(backend));
    assert_non_null(strstr(r.note, "only processors"));
    backend_close(backend);
    backend = open_fake("opencl:0", &why); /* but an explicit request is honored */
    assert_true(small_run(&s, backend) && small_is_right(&s));
    small_close(&s, backend);
    backend_close(backend);
    unsetenv("FAKE_OPENCL_TYPE");
    setenv("FAKE_OPENCL_DEVICES", "0", 1);
    backend = open_fake("auto", &why);
    backend_report(backend, &r);
    assert_non_null(strstr(r.note, "no device"));
    backend_close(backend);
    assert_null(open_fake("opencl", &why));
    assert_non_null(strstr(why.text, "no device"));
    unsetenv("FAKE_OPENCL_DEVICES");
}

/* ---- threads ---- */

enum { THREADS = 8, JOBS = 40, CPU_SLOTS = 2 };

typedef struct Crowd {
    Backend *backend;
    Slots *slots;
    _Atomic int slots_held, max, wrong;
} Crowd;

static void *work_along(void *argument) {
    Crowd *c = argument;
    Small s;
    small_open(&s, (uint64_t)(uintptr_t)&s);
    for (int k = 0; k < JOBS; k++) {
        slots_acquire(c->slots);
        int now = atomic_fetch_add(&c->slots_held, 1) + 1, max = atomic_load(&c->max);
        while (now > max && !atomic_compare_exchange_weak(&c->max, &max, now)) {
        }
        atomic_fetch_sub(&c->slots_held, 1); /* while it waits, another one may take the slot */
        c->wrong += !small_run(&s, c->backend) || !small_is_right(&s);
        slots_release(c->slots);
    }
    small_close(&s, c->backend);
    return NULL;
}

static void test_crowd(void **state) {
    (void)state;
    static const char *const devices[] = {"opencl:0", "opencl:0,1,2"};
    fail_at(NULL);
    setenv("FAKE_OPENCL_DEVICES", "3", 1);
    setenv("FAKE_OPENCL_SLOW", "200", 1);
    for (size_t x = 0; x < sizeof devices / sizeof *devices; x++) {
        DeviceError why;
        BackendReport r;
        Crowd crowd = {.backend = open_fake(devices[x], &why)};
        pthread_t threads[THREADS];
        assert_non_null(crowd.backend);
        Pool pool;
        assert_true(backend_open_pool(crowd.backend, &pool, CPU_SLOTS, NULL));
        assert_int_equal(pool.count, CPU_SLOTS + (x == 0 ? 3 : 9));
        crowd.slots = pool.spares.slots;
        pool_close(&pool);
        for (int k = 0; k < THREADS; k++) {
            assert_int_equal(pthread_create(&threads[k], NULL, work_along, &crowd), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            pthread_join(threads[k], NULL);
        }
        backend_report(crowd.backend, &r);
        assert_int_equal(crowd.wrong, 0);
        assert_true(crowd.max <= CPU_SLOTS);
        assert_int_equal(r.batches, THREADS * JOBS);
        assert_int_equal(r.devices, x == 0 ? 1 : 3);
        assert_true(x > 0 || r.launches < r.batches); /* jobs that waited at the same time shared a launch */
        assert_int_equal(r.differences, 0);
        backend_close(crowd.backend);
    }
    unsetenv("FAKE_OPENCL_DEVICES");
    unsetenv("FAKE_OPENCL_SLOW");
}

/* ---- late discovery ---- */

typedef struct Late {
    Backend *backend;
    Small smalls[16]; /* by worker */
    _Atomic unsigned before, after, spares, wrong;
} Late;

static void late_item(Worker *worker, size_t item) {
    Late *l = worker->shared;
    Small *s = &l->smalls[worker->index];
    (void)item;
    *(backend_uses_device(l->backend) ? &l->after : &l->before) += 1;
    l->spares += worker->index >= CPU_SLOTS;
    l->wrong += worker->index >= CPU_SLOTS && !backend_uses_device(l->backend);
    for (int k = 0; k < 20; k++) {
        l->wrong += !small_run(s, l->backend) || !small_is_right(s);
    }
}

/* A device that is found during a run: spare workers start, and nothing else changes. */
static void test_late_discovery(void **state) {
    (void)state;
    enum { ITEMS = 100000 };
    BackendChoice choice;
    BackendReport r;
    DeviceError why;
    Late l = {0};
    Pool pool;
    fail_at(NULL);
    setenv("FAKE_OPENCL_SLOW", "200", 1);
    assert_true(backend_parse_choice("auto:0.1", &choice, why.text, sizeof why.text));
    l.backend = backend_open(&choice, &why);
    assert_non_null(l.backend);
    assert_true(backend_may_use_device(l.backend) && !backend_uses_device(l.backend));
    backend_report(l.backend, &r);
    assert_string_equal(r.note, "not looked for: that is done when a run has taken 0.1 s of processor time");
    assert_true(backend_open_pool(l.backend, &pool, CPU_SLOTS, NULL));
    assert_int_equal(pool.count, CPU_SLOTS + 3);
    for (unsigned k = 0; k < pool.count; k++) {
        small_open(&l.smalls[k], k + 1);
    }
    Stop stop = 0;
    size_t done = 0;
    for (unsigned rounds = 0; rounds < 100 && l.spares == 0; rounds++) {
        done += pool_run(&pool, ITEMS / 100, late_item, &l, &stop);
    }
    backend_report(l.backend, &r);
    assert_true(l.before > 0 && l.after > 0 && l.spares > 0);
    assert_int_equal(l.before + l.after, done);
    assert_int_equal(l.wrong, 0);
    assert_int_equal(r.devices, 1);
    assert_string_equal(r.note, "");
    assert_true(r.checked > 0 && r.differences == 0);
    for (unsigned k = 0; k < pool.count; k++) {
        small_close(&l.smalls[k], l.backend);
    }
    pool_close(&pool);
    backend_close(l.backend);
    unsetenv("FAKE_OPENCL_SLOW");
}

static void test_never_discovered(void **state) {
    (void)state;
    BackendChoice choice;
    BackendReport r;
    DeviceError why;
    Small s;
    assert_true(backend_parse_choice("auto", &choice, why.text, sizeof why.text));
    Backend *backend = backend_open(&choice, &why);
    small_open(&s, 5);
    assert_true(small_run(&s, backend) && small_is_right(&s));
    backend_report(backend, &r);
    assert_int_equal(r.devices, 0);
    assert_non_null(strstr(r.note, "not looked for"));
    small_close(&s, backend);
    backend_close(backend);
}

/* One of three devices is lost: the others, and the processor, do its work. */
static void test_one_of_several_is_lost(void **state) {
    (void)state;
    DeviceError why;
    BackendReport r;
    Small s;
    small_open(&s, 7);
    setenv("FAKE_OPENCL_DEVICES", "3", 1);
    fail_at("lost@1");
    Backend *backend = open_fake("auto", &why);
    for (int k = 0; k < 12; k++) {
        assert_true(small_run(&s, backend) && small_is_right(&s));
    }
    backend_report(backend, &r);
    assert_int_equal(r.n_fallbacks, 1);
    assert_int_equal(r.fallbacks[0].count, 1);
    assert_true(r.batches >= 1);
    small_close(&s, backend);
    backend_close(backend);
    unsetenv("FAKE_OPENCL_DEVICES");
    fail_at(NULL);
}

/* ---- batteries ---- */

static const char *const PROGRAMS =
    "def f0(I):\n    x1 = hmirror(I)\n    x2 = vconcat(x1, I)\n    O = rot90(x2)\n    return O\n"
    "def f1(I):\n    x1 = rot180(I)\n    x2 = hconcat(I, x1)\n    x3 = upscale(x2, TWO)\n    O = "
    "lefthalf(x3)\n    return O\n"
    "def f2(I):\n    x1 = objects(I, T, F, T)\n    x2 = argmax(x1, size)\n    O = subgrid(x2, I)\n    return "
    "O\n"
    "def f3(I):\n    x1 = replace(I, ONE, FIVE)\n    x2 = switch(x1, FIVE, TWO)\n    x3 = crop(x2, ORIGIN, "
    "TWO_BY_TWO)\n"
    "    O = downscale(x2, TWO)\n    return O\n"
    "def f4(I):\n    x1 = dmirror(I)\n    x2 = cmirror(x1)\n    x3 = trim(x2)\n    O = vmirror(x3)\n    "
    "return O\n"
    "def f5(I):\n    x1 = tophalf(I)\n    x2 = bottomhalf(I)\n    x3 = cellwise(x1, x2, ZERO)\n    O = "
    "rot270(x3)\n    return O\n"
    "def f6(I):\n    x1 = fgpartition(I)\n    x2 = merge(x1)\n    O = fill(I, THREE, x2)\n    return O\n"
    "def f7(I):\n    x1 = partition(I)\n    x2 = objects(I, F, T, F)\n    x3 = size(x1)\n    x4 = size(x2)\n "
    "   x5 = astuple(x3, x4)\n"
    "    O = canvas(ONE, x5)\n    return O\n"
    "def f8(I):\n    x1 = hupscale(I, THREE)\n    x2 = vupscale(I, THREE)\n    x3 = righthalf(x1)\n    O = "
    "vconcat(x3, x2)\n    return O\n"
    "def f9(I):\n    x1 = objects(I, T, T, F)\n    x2 = objects(I, F, F, T)\n    x3 = combine(x1, x2)\n    "
    "x4 = merge(x3)\n"
    "    O = paint(I, x4)\n    return O\n";

static void test_battery(void **state) {
    (void)state;
    DeviceError why;
    Ctx ctx;
    Budget budget = BUDGET_DEFAULT;
    Lang *lang = lang_open();
    fail_at(NULL);
    Backend *backend = open_fake("opencl:0", &why);
    assert_true(lang != NULL && backend != NULL && prim_open(&ctx, MODE_CORE, false, &budget));
    ProgList programs = {0};
    Diags diags;
    diags_init(&diags);
    Source source = source_of("programs", PROGRAMS, strlen(PROGRAMS));
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &programs, &diags));
    assert_int_equal(diags.errors, 0);
    assert_int_equal(programs.count, 10);
    diags_free(&diags);
    Battery *battery = battery_new(MODE_CORE, false, 1, true);
    for (size_t k = 0; k < programs.count; k++) {
        assert_true(battery_add(battery, &ctx, programs.items[k]) == (int)k);
    }
    uint32_t nodes = battery_nodes(battery);
    Batch *batch = batch_open(battery, 0);
    assert_non_null(batch);
    assert_int_equal(batch_nodes(batch), 22);
    Dice d = {9};
    for (unsigned round = 0; round < quick(30); round++) {
        enum { N = 5 };
        Image images[N];
        BatchRun run;
        random_images(&d, images, N);
        assert_true(batch_run(&run, batch, backend, &ctx, images, N, NULL));
        for (uint32_t k = 0; k < N; k++) {
            BatteryRun plain = {.values = calloc(nodes, sizeof(Val)), .steps = calloc(nodes, 8)};
            BatteryRun ready = {.values = calloc(nodes, sizeof(Val)), .steps = calloc(nodes, 8)};
            Val input = val_grid8(images[k].cells, (uint32_t)images[k].h, (uint32_t)images[k].w);
            ctx_reset(&ctx);
            uint64_t steps = battery_run(battery, &ctx, &input, &plain), bytes = ctx_bytes_used(&ctx);
            CtxMark mark = ctx_mark(&ctx);
            ready.ready = batch_ready(&run, k);
            uint64_t steps_ready = battery_run(battery, &ctx, &input, &ready);
            for (uint32_t n = 0; n < nodes; n++) {
                if (!battery_node(battery, n).needed) {
                    continue;
                }
                Val a = plain.values[n], b = ready.values[n];
                bool same = val_failed(a) ? val_failed(b) && a.w == b.w : !val_failed(b) && val_eq(a, b);
                if (!same || plain.steps[n] != ready.steps[n]) {
                    fail_msg("node %u, %s: %s, %llu steps instead of %llu", n,
                             prim_table[battery_node(battery, n).prim].name,
                             same ? "the same" : "another value", (unsigned long long)ready.steps[n],
                             (unsigned long long)plain.steps[n]);
                }
            }
            assert_int_equal(steps, steps_ready);
            assert_int_equal((size_t)(ctx_mark(&ctx) - mark), bytes); /* and as much memory */
            free(plain.values);
            free(plain.steps);
            free(ready.values);
            free(ready.steps);
        }
        batch_run_free(&run, backend);
        for (uint32_t k = 0; k < N; k++) {
            free((void *)(uintptr_t)images[k].cells);
        }
    }
    batch_free(batch);
    battery_free(battery);
    progs_free(&programs);
    lang_close(lang);
    prim_close(&ctx);
    backend_close(backend);
}

/* ---- no memory ---- */

/* Every allocation fails once: an error or a fallback, never a crash or a wrong result. */
static void test_no_memory(void **state) {
    (void)state;
    Small s;
    small_open(&s, 11);
    fail_at(NULL);
    bool through = false;
    for (uint64_t nth = 1; !through && nth < 200; nth++) {
        DeviceError why;
        uint64_t before = mem_bytes();
        mem_fail_at(nth);
        Backend *backend = open_fake(nth % 2 ? "auto" : "opencl:0", &why);
        bool good = backend != NULL;
        for (int k = 0; k < 4 && good; k++) {
            good = small_run(&s, backend);
            assert_true(!good || small_is_right(&s));
        }
        assert_true(good || backend == NULL || backend_failure(backend) != NULL);
        backend_drop_block(backend, &s.table.block);
        backend_close(backend);
        mem_fail_at(0);
        assert_int_equal(mem_bytes(), before);
        through = good && atomic_load(&lines_told) == 0 && nth > 20;
    }
    assert_true(through);
    small_close(&s, NULL);
}

int main(int argc, char **argv) {
    (void)argc;
    if (!begin_again(argv)) {
        return 2;
    }
    char folder[] = "/tmp/batt-test-XXXXXX"; /* what is kept of jobs goes there */
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice_syntax),
        cmocka_unit_test(test_device_heap),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_difference_is_kept),
        cmocka_unit_test(test_residency),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_crowd),
        cmocka_unit_test(test_late_discovery),
        cmocka_unit_test(test_never_discovered),
        cmocka_unit_test(test_one_of_several_is_lost),
        cmocka_unit_test(test_battery),
        cmocka_unit_test(test_no_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (system("rm -f ./batt-device-*.bin") != 0 || chdir("/") != 0 || rmdir(folder) != 0) {
        return 2;
    }
    return failed;
}
