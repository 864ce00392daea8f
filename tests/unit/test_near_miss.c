/* Evolution from near misses: broken solvers are repaired, in the same way for the same seed, within
 * their budget. */
#include "base/alloc.h"
#include "data/tasks/embedded.h"
#include "engine/eval/eval.h"
#include "engine/language/parse.h"
#include "search/evolution/mutate.h"
#include "search/evolution/near_miss.h"
#include "tools/cli/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_TASKS = 64, BYTES = 8 << 20 };

typedef struct World {
    TaskSet *set;
    ProgList solvers;
    const Task *tasks[MAX_TASKS]; /* parallel: a task, and a program that is almost right for it */
    Program *broken[MAX_TASKS];
    size_t count;
    Ctx ctx, check;
} World;

static bool fits(Ctx *ctx, const Program *p, const Task *task) {
    prim_bind(ctx, (Mode)p->mode, false);
    for (int32_t k = 0; k < task->n_train; k++) {
        ctx_reset(ctx);
        Val input = eval_grid(task->train[k].in), v = eval_program(ctx, p, &input);
        if (val_failed(v) || !val_eq(v, eval_grid(task->train[k].out))) {
            return false;
        }
    }
    return true;
}

/* A solver with one change that makes it wrong. */
static Program *broken(Mutator *m, Ctx *ctx, const Program *p, const Task *task) {
    static Draft d;
    static Typed whole, child;
    Program *made = NULL;
    Palettes colors = palettes_of(task);
    Builder b;
    build_init(&b);
    mutator_begin(m, rng_stream(1, task->hash, 0), &colors);
    if (draft_from(&d, p) && draft_simplify(&d, &whole.draft) && mutate_types(m, &whole)) {
        for (int k = 0; k < 200 && made == NULL; k++) {
            if (!mutate(m, mutate_draw(m), &whole, NULL, &child)) {
                continue;
            }
            made = draft_finish(&child.draft, &b, "broken");
            if (fits(ctx, made, task)) {
                prog_free(made);
                made = NULL;
            }
        }
    }
    build_free(&b);
    return made;
}

static int open_world(void **state) {
    World *w = calloc(1, sizeof *w);
    size_t n;
    w->set = data_examples();
    assert_non_null(w->set);
    Budget budget = BUDGET_DEFAULT;
    assert_true(prim_open(&w->ctx, MODE_CORE, false, &budget));
    assert_true(prim_open(&w->check, MODE_CORE, false, &budget));
    Lang *lang = lang_open();
    Diags diags;
    diags_init(&diags);
    const EmbeddedFile *files = embedded_solvers(&n);
    for (size_t k = 0; k < n; k++) {
        Source source = source_of(files[k].name, files[k].data, files[k].size);
        assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &w->solvers, &diags));
    }
    diags_free(&diags);
    lang_close(lang);
    Mutator *m = calloc(1, sizeof *m);
    assert_true(mutator_open(m));
    for (size_t k = 0; k < w->solvers.count && w->count < MAX_TASKS; k++) {
        const Program *p = w->solvers.items[k];
        const Task *task = task_find(w->set, p->name + strlen("solve_"));
        Program *made = task != NULL && p->nparams == 1 ? broken(m, &w->check, p, task) : NULL;
        if (made != NULL) {
            w->tasks[w->count] = task;
            w->broken[w->count++] = made;
        }
    }
    mutator_close(m);
    free(m);
    assert_true(w->count >= 20);
    *state = w;
    return 0;
}

static int close_world(void **state) {
    World *w = *state;
    for (size_t k = 0; k < w->count; k++) {
        prog_free(w->broken[k]);
    }
    progs_free(&w->solvers);
    task_set_free(w->set);
    prim_close(&w->ctx);
    prim_close(&w->check);
    free(w);
    return 0;
}

/* ---- what a caller sees ---- */

typedef struct Caller {
    World *world;
    const Task *task;
    uint64_t sum, steps; /* of the hashes in order; reported by spend */
    uint64_t peak_bytes; /* of the heap, at the end of a generation */
    uint32_t fits, spends, max_fits, max_spends;
} Caller;

static bool on_fit(void *user, Program *p) {
    Caller *c = user;
    assert_true(fits(&c->world->check, p, c->task));
    c->sum = (c->sum ^ p->hash.lo) * 0x9e3779b97f4a7c15u + 1;
    prog_free(p);
    return ++c->fits < c->max_fits;
}

static bool on_spend(void *user, uint64_t steps) {
    Caller *c = user;
    c->steps += steps;
    c->peak_bytes = mem_bytes() > c->peak_bytes ? mem_bytes() : c->peak_bytes;
    return ++c->spends < c->max_spends;
}

static Caller caller(World *w, size_t k) {
    return (Caller){.world = w, .task = w->tasks[k], .max_fits = UINT32_MAX, .max_spends = UINT32_MAX};
}

static NearMissFigures run(NearMiss *near, Caller *c, size_t k, NearMissLimits limits) {
    NearMissHooks hooks = {c, on_fit, on_spend};
    const Program *founders[1] = {c->world->broken[k]};
    return near_miss_run(near, &c->world->ctx, c->task, founders, 1, &limits, &hooks);
}

static void broken_solvers_are_mended(void **state) {
    World *w = *state;
    NearMiss *near = near_miss_open(BYTES);
    size_t mended = 0, tried = 0;
    assert_non_null(near);
    for (size_t k = 0; k < w->count; k += 3) {
        Caller c = caller(w, k);
        c.max_fits = 1;
        NearMissFigures f = run(near, &c, k, (NearMissLimits){.seed = 1, .steps = 2000000});
        assert_false(f.failed);
        assert_int_equal(f.fits, c.fits);
        assert_int_equal(f.max, 1000 * c.task->n_train);
        assert_true(c.fits == 0 ? f.best < f.max : f.best == f.max);
        mended += c.fits > 0;
        tried++;
    }
    assert_true(mended * 2 > tried);
    near_miss_close(near);
}

static uint64_t long_run(void) {
    return getenv("BATT_TEST_QUICK") != NULL ? 50000 : 500000;
}

static void the_same_steps_are_the_same_run(void **state) {
    World *w = *state;
    NearMiss *fresh = near_miss_open(BYTES), *used = near_miss_open(BYTES);
    assert_true(fresh != NULL && used != NULL);
    for (size_t k = 0; k < w->count; k += 7) {
        NearMissLimits limits = {.seed = k, .steps = long_run()};
        Caller a = caller(w, k), b = caller(w, k), other = caller(w, (k + 3) % w->count);
        NearMissFigures one = run(fresh, &a, k, limits);
        run(used, &other, (k + 3) % w->count, limits); /* what was done before leaves nothing behind */
        NearMissFigures two = run(used, &b, k, limits);
        assert_int_equal(a.sum, b.sum);
        assert_int_equal(a.fits, b.fits);
        assert_int_equal(one.steps, two.steps);
        assert_int_equal(one.generations, two.generations);
        assert_memory_equal(&one.statistics, &two.statistics, sizeof one.statistics);
        assert_int_equal(one.best, two.best);
        assert_int_equal(a.steps, one.steps);
        assert_true(one.steps >= limits.steps || a.fits > 0);
        near_miss_close(fresh);
        fresh = near_miss_open(BYTES);
    }
    near_miss_close(fresh);
    near_miss_close(used);
}

static void callers_can_end_it(void **state) {
    World *w = *state;
    static const Stop stop = 1;
    NearMiss *near = near_miss_open(BYTES);
    Caller c = caller(w, 0);
    c.max_spends = 3;
    NearMissFigures f = run(near, &c, 0, (NearMissLimits){.seed = 1});
    assert_int_equal(c.spends, 3);
    assert_int_equal(f.generations, 3);
    c = caller(w, 0);
    f = run(near, &c, 0, (NearMissLimits){.seed = 1, .stop = &stop});
    assert_int_equal(f.generations, 0);
    assert_false(f.failed);
    c = caller(w, 0);
    f = run(near, &c, 0, (NearMissLimits){.seed = 1, .time_ns = 20000000});
    assert_true(f.generations > 0 && !f.failed);
    Budget now = w->ctx.budget, was = BUDGET_DEFAULT;
    assert_true(now.steps == was.steps && now.bytes == was.bytes && now.time_ns == was.time_ns);
    assert_int_equal(now.depth, was.depth);
    near_miss_close(near);
}

static void memory_is_bounded(void **state) {
    World *w = *state;
    uint64_t before = mem_bytes();
    for (size_t bytes = NEAR_MISS_MIN_BYTES; bytes <= (size_t)32 << 20; bytes *= 2) {
        NearMiss *near = near_miss_open(bytes);
        for (size_t k = 0; k < w->count; k += 9) {
            Caller c = caller(w, k);
            run(near, &c, k, (NearMissLimits){.seed = 1, .steps = long_run()});
            assert_true(c.peak_bytes > before && c.peak_bytes - before <= bytes);
        }
        near_miss_close(near);
        assert_int_equal(mem_bytes(), before);
    }
}

static void memory_may_run_out(void **state) {
    World *w = *state;
    uint64_t before = mem_bytes();
    for (uint64_t nth = 1; nth < 300; nth += nth < 80 ? 1 : 13) {
        mem_fail_at(nth);
        NearMiss *near = near_miss_open(BYTES);
        mem_fail_at(0);
        if (near != NULL) {
            Caller c = caller(w, 0);
            mem_fail_at(nth);
            NearMissFigures f = run(near, &c, 0, (NearMissLimits){.seed = 1, .steps = 20000});
            mem_fail_at(0);
            assert_true(f.failed || f.steps >= 20000);
        }
        near_miss_close(near);
        assert_int_equal(mem_bytes(), before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_solvers_are_mended), cmocka_unit_test(the_same_steps_are_the_same_run),
        cmocka_unit_test(callers_can_end_it),        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
