/* A battery answers what its programs answer alone: random sets of programs, merged and not, strict and safe,
 * with budgets of steps, while programs come and go, on several threads, and when memory runs out. In checked
 * builds also without fast paths. BATT_TEST_SEED and BATT_TEST_ROUNDS pick the programs. */
#include "base/alloc.h"
#include "data/tasks/embedded.h"
#include "engine/eval/battery.h"
#include "engine/eval/eval.h"
#include "engine/eval/pool.h"
#include "engine/language/build.h"
#include "engine/language/parse.h"
#include "search/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct World {
    Ctx ctx, other;
    ProgList base; /* the built-in solvers */
    TaskSet *set;
    Mode mode; /* of the random programs */
    uint64_t seed, first_seed;
    unsigned rounds;
    uint64_t checked, edges, plain; /* answers compared; those that the order of arguments decided; plain */
} World;

static uint64_t next(World *w) { /* splitmix64 */
    uint64_t z = (w->seed += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint32_t below(World *w, uint32_t n) {
    return (uint32_t)(next(w) % n);
}

static void parse_into(ProgList *list, const char *name, const char *text, size_t length) {
    Lang *lang = lang_open();
    Diags diags;
    diags_init(&diags);
    Source source = source_of(name, text, length);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, list, &diags));
    assert_int_equal(diags.errors, 0);
    diags_free(&diags);
    lang_close(lang);
}

static int open_world(void **state) {
    World *w = calloc(1, sizeof *w);
    Budget budget = BUDGET_DEFAULT;
    budget.steps = 200000;
    assert_true(prim_open(&w->ctx, MODE_CORE, false, &budget));
    assert_true(prim_open(&w->other, MODE_CORE, false, &budget));
    size_t files, tasks;
    const EmbeddedFile *solvers = embedded_solvers(&files), *task = embedded_tasks(&tasks);
    for (size_t k = 0; k < files; k++) {
        parse_into(&w->base, solvers[k].name, solvers[k].data, solvers[k].size);
    }
    TaskBytes *bytes = calloc(tasks, sizeof *bytes);
    for (size_t k = 0; k < tasks; k++) {
        bytes[k] = (TaskBytes){task[k].name, task[k].data, task[k].size};
    }
    w->set = task_load_memory(bytes, tasks, NULL);
    free(bytes);
    assert_non_null(w->set);
    assert_true(w->base.count >= 40);
    const char *rounds = getenv("BATT_TEST_ROUNDS"), *seed = getenv("BATT_TEST_SEED");
    w->rounds = rounds != NULL ? (unsigned)atol(rounds) : getenv("BATT_TEST_QUICK") ? 60 : 8000;
    w->first_seed = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    *state = w;
    return 0;
}

static int close_world(void **state) {
    World *w = *state;
    progs_free(&w->base);
    task_set_free(w->set);
    prim_close(&w->ctx);
    prim_close(&w->other);
    free(w);
    return 0;
}

/* A solver with some calls, arguments and constants changed at random: often nonsense, often not. */
static Program *random_program(World *w) {
    const Program *p = w->base.items[below(w, (uint32_t)w->base.count)];
    Builder b;
    build_init(&b);
    build_start(&b);
    uint32_t first = p->nparams + p->nconsts, wild = below(w, 4);
    Ref refs[256];
    refs[0] = REF_PARAM | PARAM_I;
    for (uint32_t k = 0; k < p->nconsts; k++) {
        Val v = p->consts[k];
        if (v.kind == VAL_INT && below(w, 4) < wild) {
            v = val_int((int64_t)below(w, 6) - 1);
        }
        refs[p->nparams + k] = build_const(&b, v);
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        const Op *op = &p->ops[k];
        uint32_t prim = op->prim;
        for (int tries = 0; op->kind == OP_PRIM && below(w, 8) < wild && tries < 50; tries++) {
            uint32_t other = below(w, PRIM_COUNT);
            if (prim_table[other].arity == op->nargs) {
                prim = other;
                break;
            }
        }
        Ref args[BUILD_MAX_ARGS];
        for (uint32_t a = 0; a < op->nargs; a++) {
            args[a] = below(w, 10) < wild ? refs[below(w, first + k)] : refs[p->args[op->first + a]];
        }
        refs[first + k] = build_op(&b, op->kind, prim, args, op->nargs, 1, "", 0);
    }
    Program *made = build_finish(&b, "p", 1, w->mode, 1, refs[p->result]);
    build_free(&b);
    Program *stripped = prog_strip(made);
    prog_free(made);
    assert_non_null(stripped);
    return stripped;
}

static Val random_input(World *w) {
    const Task *task = &w->set->tasks[below(w, (uint32_t)w->set->n_tasks)];
    return eval_grid(task->train[below(w, (uint32_t)task->n_train)].in);
}

/* Functions are equal if they are the same object, and objects of two runs never are. */
static bool has_closure(Val v) {
    if (v.kind == VAL_CLOSURE) {
        return true;
    }
    for (uint32_t k = 0; (v.kind == VAL_TUPLE || v.kind == VAL_SET) && k < v.n; k++) {
        if (has_closure(v.v[k])) {
            return true;
        }
    }
    return false;
}

static bool same_answer(Val battery, Val alone) {
    return val_failed(battery) == val_failed(alone) &&
           (val_failed(alone) ||
            (battery.kind == alone.kind && (has_closure(alone) || val_eq(battery, alone))));
}

static bool same_reason(Val battery, Val alone) {
    return !val_failed(alone) || battery.w == alone.w;
}

static bool over_steps(Val v) {
    return val_failed(v) && v.w == FAIL_STEPS;
}

static bool commutes(const Program *p) {
    for (uint32_t k = 0; k < p->nops; k++) {
        if (p->ops[k].kind == OP_PRIM && (prim_table[p->ops[k].prim].flags & PRIM_COMMUTES)) {
            return true;
        }
    }
    return false;
}

enum { AMPLE = 50000000 };

static void set_steps(World *w, uint64_t steps) {
    Budget budget = w->ctx.budget;
    budget.steps = steps;
    ctx_set_budget(&w->ctx, &budget);
    ctx_set_budget(&w->other, &budget);
}

/* Arguments of commutative calls are put in order where calls are shared, and what a call costs may depend on
 * the order of its arguments. So at the edge of the budget one of the two may have enough and the other not:
 * with as many steps as they like they agree, and each was right about the budget. */
static void check_edge(World *w, const Battery *b, const Program *p, int handle, Val input, bool was_over,
                       bool alone_was_over) {
    const uint64_t max = w->ctx.budget.steps;
    BatteryRun run = {calloc(battery_nodes(b), sizeof(Val)), calloc(battery_nodes(b), sizeof(uint64_t)),
                      NULL};
    uint64_t steps;
    set_steps(w, AMPLE);
    ctx_reset(&w->ctx);
    battery_run(b, &w->ctx, &input, &run);
    Val answer = battery_answer(b, &w->ctx, &run, handle, &steps);
    ctx_reset(&w->other);
    Val alone = eval_program(&w->other, p, &input);
    assert_true(same_answer(answer, alone));
    assert_false(val_failed(alone)); /* the budget was all that was in its way */
    assert_int_equal(steps > max, was_over);
    assert_int_equal(ctx_steps_used(&w->other) > max, alone_was_over);
    set_steps(w, max);
    free(run.values);
    free(run.steps);
}

/* Fast paths change no value. Plain ones charge more steps and take more memory, so that budgets end
 * elsewhere. */
static void check_plain(World *w, const Program *p, Val input, Val fast) {
#ifdef BATT_CHECKED
    bool within = w->other.exhausted == FAIL_NONE;
    ctx_rebudget(&w->other); /* the fast path's answer stays to be compared with */
    w->other.plain = 1;
    Val plain = eval_program(&w->other, p, &input);
    w->other.plain = 0;
    if (within && w->other.exhausted == FAIL_NONE) {
        w->plain++;
        assert_true(same_answer(plain, fast));
    }
#else
    (void)w, (void)p, (void)input, (void)fast;
#endif
}

static void check_all(World *w, const Battery *b, Program *const *programs, const int *handles, uint32_t n,
                      Val input, bool safe, bool share) {
    BatteryRun run = {calloc(battery_nodes(b), sizeof(Val)), calloc(battery_nodes(b), sizeof(uint64_t)),
                      NULL};
    ctx_reset(&w->ctx);
    battery_run(b, &w->ctx, &input, &run);
    prim_bind(&w->other, w->mode, safe);
    for (uint32_t k = 0; k < n; k++) {
        if (programs[k] != NULL) {
            uint64_t steps;
            Val answer = battery_answer(b, &w->ctx, &run, handles[k], &steps);
            ctx_reset(&w->other);
            Val alone = eval_program(&w->other, programs[k], &input);
            w->checked++;
            if (share && commutes(programs[k])) {
                if (!same_answer(answer, alone)) {
                    assert_true(over_steps(answer) != over_steps(alone));
                    w->edges++;
                    check_edge(w, b, programs[k], handles[k], input, over_steps(answer), over_steps(alone));
                    ctx_reset(&w->ctx);
                    battery_run(b, &w->ctx, &input, &run);
                }
                continue;
            }
            assert_true(same_answer(answer, alone));
            assert_true(same_reason(answer, alone) || over_steps(answer) || over_steps(alone));
            if (!over_steps(alone) && !over_steps(answer) && w->other.exhausted == FAIL_NONE) {
                assert_int_equal(steps, ctx_steps_used(&w->other));
            }
            check_plain(w, programs[k], input, alone);
        }
    }
    free(run.values);
    free(run.steps);
}

static void answers_equal_those_alone(void **state) {
    World *w = *state;
    w->seed = w->first_seed;
    for (unsigned round = 0; round < w->rounds; round++) {
        enum { MAX_PROGRAMS = 24 };
        Program *programs[MAX_PROGRAMS];
        int handles[MAX_PROGRAMS];
        uint32_t n = 1 + below(w, MAX_PROGRAMS);
        bool share = below(w, 4) != 0, safe = below(w, 3) == 0;
        static const uint64_t steps[] = {200000, 200000, 3000, 300, 40, 7, 1};
        set_steps(w, steps[below(w, 7)]);
        w->mode = below(w, 4) == 0 ? MODE_BATT : MODE_CORE;
        Battery *b = battery_new(w->mode, safe, 1, share);
        for (uint32_t k = 0; k < n; k++) {
            programs[k] = random_program(w);
            handles[k] = battery_add(b, &w->ctx, programs[k]);
            assert_int_equal(handles[k], k);
        }
        check_all(w, b, programs, handles, n, random_input(w), safe, share);
        for (uint32_t k = 0; k < n; k++) { /* some leave, others come */
            if (below(w, 2) == 0) {
                battery_remove(b, handles[k]);
                prog_free(programs[k]);
                programs[k] = NULL;
            }
        }
        for (uint32_t k = 0; k < n; k++) {
            if (programs[k] == NULL && below(w, 2) == 0) {
                programs[k] = random_program(w);
                handles[k] = battery_add(b, &w->ctx, programs[k]);
                assert_true(handles[k] >= 0);
            }
        }
        check_all(w, b, programs, handles, n, random_input(w), safe, share);
        for (uint32_t k = 0; k < n; k++) {
            prog_free(programs[k]);
        }
        battery_free(b);
    }
    set_steps(w, 200000);
    w->mode = MODE_CORE;
    print_message("%llu answers compared, %llu of them at the edge of a budget, %llu without fast paths\n",
                  (unsigned long long)w->checked, (unsigned long long)w->edges, (unsigned long long)w->plain);
    assert_true(w->edges * 1000 < w->checked); /* the exception, not the rule */
}

/* Programs come and go many times over: the battery stays as large as what it holds. */
static void battery_does_not_grow(void **state) {
    World *w = *state;
    w->seed = 2;
    enum { HELD = 40 };
    Program *programs[HELD] = {NULL};
    int handles[HELD];
    Battery *b = battery_new(MODE_CORE, false, 1, true);
    for (unsigned round = 0; round < w->rounds; round++) {
        uint32_t k = below(w, HELD);
        if (programs[k] != NULL) {
            battery_remove(b, handles[k]);
            prog_free(programs[k]);
        }
        programs[k] = random_program(w);
        handles[k] = battery_add(b, &w->ctx, programs[k]);
        assert_true(handles[k] >= 0 && handles[k] < HELD);
        if (round % 500 == 0) {
            check_all(w, b, programs, handles, HELD, random_input(w), false, true);
        }
    }
    assert_true(battery_nodes(b) < 4096);
    check_all(w, b, programs, handles, HELD, random_input(w), false, true);
    battery_clear(b);
    assert_int_equal(battery_nodes(b), 1);
    for (uint32_t k = 0; k < HELD; k++) {
        handles[k] = programs[k] != NULL ? battery_add(b, &w->ctx, programs[k]) : 0;
    }
    check_all(w, b, programs, handles, HELD, random_input(w), false, true);
    for (uint32_t k = 0; k < HELD; k++) {
        prog_free(programs[k]);
    }
    battery_free(b);
}

static Program *parse_one(const char *text) {
    ProgList list = {0};
    parse_into(&list, "text", text, strlen(text));
    assert_int_equal(list.count, 1);
    Program *p = list.items[0];
    list.count = 0;
    progs_free(&list);
    return p;
}

static void calls_are_counted(void **state) {
    World *w = *state;
    static const char *const texts[] = {
        "def solve_a(I):\n x1 = objects(I, T, F, T)\n x2 = argmax(x1, size)\n O = subgrid(x2, I)\n return "
        "O\n",
        "def solve_b(I):\n x9 = rot90(I)\n x1 = objects(I, T, F, T)\n O = argmin(x1, size)\n return O\n",
        "def solve_c(I):\n x1 = add(TWO, THREE)\n x2 = add(THREE, TWO)\n x3 = multiply(x1, x2)\n"
        " O = upscale(I, x3)\n return O\n"};
    Battery *b = battery_new(MODE_CORE, false, 1, true);
    for (int k = 0; k < 3; k++) {
        Program *p = parse_one(texts[k]);
        assert_int_equal(battery_add(b, &w->ctx, p), k);
        prog_free(p);
    }
    BatteryStats s = battery_stats(b);
    assert_int_equal(s.programs, 3);
    assert_int_equal(s.calls_before, 3 + 2 + 4); /* rot90 is not needed */
    assert_int_equal(s.calls_after, 3 + 1 + 1);
    assert_int_equal(s.constants, 2); /* one sum, one product */
    battery_free(b);
}

/* Closures are ordered by when they were made and equal only to themselves; merging must not show. */
static void closures_keep_their_identity(void **state) {
    World *w = *state;
    static const char *const texts[] = {
        "def solve_a(I):\n x1 = compose(rot90, vmirror)\n x2 = compose(rot90, hmirror)\n x3 = initset(x1)\n"
        " x4 = insert(x2, x3)\n x5 = first(x4)\n O = x5(I)\n return O\n",
        "def solve_b(I):\n x2 = compose(rot90, hmirror)\n x1 = compose(rot90, vmirror)\n x3 = initset(x1)\n"
        " x4 = insert(x2, x3)\n x5 = first(x4)\n O = x5(I)\n return O\n",
        "def solve_c(I):\n x1 = compose(rot90, vmirror)\n x2 = compose(rot90, vmirror)\n"
        " O = equality(x1, x2)\n return O\n",
        "def solve_d(I):\n x1 = lbind(compose, rot90)\n x2 = x1(vmirror)\n x3 = x1(vmirror)\n"
        " O = equality(x2, x3)\n return O\n"};
    Program *programs[4];
    int handles[4];
    for (int share = 0; share < 2; share++) {
        Battery *b = battery_new(MODE_CORE, false, 1, share);
        for (int k = 0; k < 4; k++) {
            programs[k] = parse_one(texts[k]);
            handles[k] = battery_add(b, &w->ctx, programs[k]);
        }
        check_all(w, b, programs, handles, 4, random_input(w), false, true);
        for (int k = 0; k < 4; k++) {
            prog_free(programs[k]);
        }
        battery_free(b);
    }
}

/* Where closures are only called, equal calls are one call, in whatever order programs make them, whatever
 * they are used on, and however often. */
static void closures_that_are_only_called_merge(void **state) {
    World *w = *state;
    static const char *const texts[] = {
        "def solve_a(I):\n x2 = lbind(lbind, shift)\n x3 = objects(I, T, F, F)\n"
        " x4 = apply(x2, x3)\n x5 = rbind(rapply, (0, 1))\n x6 = x5(x4)\n x7 = merge(x6)\n"
        " O = paint(I, x7)\n return O\n",
        "def solve_b(I):\n x5 = rbind(rapply, (0, 1))\n x2 = lbind(lbind, shift)\n x1 = compose(size, "
        "first)\n"
        " x3 = objects(I, T, F, F)\n x4 = apply(x2, x3)\n x6 = x5(x4)\n x7 = merge(x6)\n"
        " x9 = apply(x1, x3)\n x10 = size(x9)\n x11 = canvas(x10, (2, 2))\n"
        " x12 = paint(I, x7)\n O = astuple(x11, x12)\n return O\n",
        ("def solve_c(I):\n x1 = compose(size, first)\n x2 = compose(size, first)\n x3 = objects(I, T, F, "
         "F)\n"
         " x4 = apply(x2, x3)\n x5 = apply(x1, x3)\n O = astuple(x4, x5)\n return O\n")};
    Program *programs[3];
    int handles[3];
    Battery *b = battery_new(MODE_CORE, false, 1, true);
    for (int k = 0; k < 3; k++) {
        programs[k] = parse_one(texts[k]);
        handles[k] = battery_add(b, &w->ctx, programs[k]);
    }
    BatteryStats s = battery_stats(b);
    assert_int_equal(s.calls_before, 7 + 12 + 6);
    assert_int_equal(s.calls_after, 7 + 5 + 1); /* only astuple is new in the last */
    check_all(w, b, programs, handles, 3, random_input(w), false, true);
    for (int k = 0; k < 3; k++) {
        prog_free(programs[k]);
    }
    battery_free(b);
}

/* Closures that make closures merge too, where types show that no closure is in what they are applied to or
 * give. */
static void closures_that_types_tell_apart_merge(void **state) {
    World *w = *state;
    static const char *const texts[] = {
        "def solve_a(I):\n x1 = asindices(I)\n x2 = lbind(rbind, equality)\n x3 = rbind(compose, first)\n"
        " x4 = compose(x3, x2)\n x5 = lbind(sfilter, x1)\n x6 = compose(x5, x4)\n x7 = interval(0, 3, 1)\n"
        " x8 = apply(x6, x7)\n x9 = merge(x8)\n O = fill(I, 3, x9)\n return O\n",
        "def solve_b(I):\n x1 = asindices(I)\n x5 = lbind(sfilter, x1)\n x3 = rbind(compose, first)\n"
        " x2 = lbind(rbind, equality)\n x4 = compose(x3, x2)\n x6 = compose(x5, x4)\n x7 = interval(0, 3, "
        "1)\n"
        " x8 = apply(x6, x7)\n x9 = merge(x8)\n O = fill(I, 3, x9)\n return O\n",
        /* here closures of two calls come into one set, whose order shows which was made first */
        "def solve_c(I):\n x1 = lbind(rbind, equality)\n x2 = lbind(lbind, add)\n x3 = interval(0, 3, 1)\n"
        " x4 = apply(x2, x3)\n x5 = apply(x1, x3)\n x6 = combine(x4, x5)\n x7 = first(x6)\n x8 = x7(1)\n"
        " O = canvas(x8, (2, 2))\n return O\n",
        "def solve_d(I):\n x2 = lbind(lbind, add)\n x1 = lbind(rbind, equality)\n x3 = interval(0, 3, 1)\n"
        " x5 = apply(x1, x3)\n x4 = apply(x2, x3)\n x6 = combine(x4, x5)\n x7 = first(x6)\n x8 = x7(1)\n"
        " O = canvas(x8, (2, 2))\n return O\n"};
    Program *programs[4];
    int handles[4];
    uint32_t before = 0;
    Battery *b = battery_new(MODE_CORE, false, 1, true);
    for (int k = 0; k < 4; k++) {
        programs[k] = parse_one(texts[k]);
        handles[k] = battery_add(b, &w->ctx, programs[k]);
        BatteryStats s = battery_stats(b);
        if (k == 1) {
            assert_int_equal(s.calls_before, 2 * 10);
            assert_int_equal(s.calls_after, 9); /* the interval is a constant */
        }
        if (k == 3) { /* x1 and x2 are only called, and x5 comes first: x4 and what is made of it is new */
            assert_int_equal(s.calls_after, before + 5);
        }
        before = s.calls_after;
    }
    check_all(w, b, programs, handles, 4, random_input(w), false, true);
    for (int k = 0; k < 4; k++) {
        prog_free(programs[k]);
    }
    battery_free(b);
}

static void rerun_follows_the_changed_parameter(void **state) {
    World *w = *state;
    Program *p = parse_one("def differ(S, I, C):\n x1 = rot90(I)\n x2 = hmirror_t(C)\n x3 = hconcat(x1, x2)\n"
                           " x4 = hconcat(x3, I)\n O = vconcat(x4, x4)\n return O\n");
    Battery *b = battery_new(MODE_BATT, false, 3, true);
    int handle = battery_add(b, &w->ctx, p);
    static const int8_t cells[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    Val i = val_grid8(cells[0], 2, 2), c = val_grid8(cells[1], 2, 2);
    BatteryRun run = {calloc(battery_nodes(b), sizeof(Val)), calloc(battery_nodes(b), sizeof(uint64_t)),
                      NULL};
    ctx_reset(&w->ctx);
    battery_run(b, &w->ctx, (Val[]){VAL_EMPTY_TUPLE, i, i}, &run);
    battery_rerun(b, &w->ctx, (Val[]){VAL_EMPTY_TUPLE, i, c}, &run, 1u << 2);
    Val again = battery_answer(b, &w->ctx, &run, handle, NULL);
    prim_bind(&w->other, MODE_BATT, false);
    ctx_reset(&w->other);
    Val alone = eval_program(&w->other, p, (Val[]){VAL_EMPTY_TUPLE, i, c});
    assert_false(val_failed(alone));
    assert_true(val_eq(again, alone));
    free(run.values);
    free(run.steps);
    prog_free(p);
    battery_free(b);
}

typedef struct Shared {
    const Battery *battery;
    Program **programs;
    World *world;
    uint32_t n;
    _Atomic unsigned wrong;
} Shared;

static void run_on_task(Worker *worker, size_t item) {
    Shared *s = worker->shared;
    const Task *task = &s->world->set->tasks[item];
    BatteryRun run = {calloc(battery_nodes(s->battery), sizeof(Val)),
                      calloc(battery_nodes(s->battery), sizeof(uint64_t)), NULL};
    for (int32_t k = 0; k < task->n_train; k++) {
        Val input = eval_grid(task->train[k].in), answers[64];
        ctx_reset(&worker->ctx);
        battery_run(s->battery, &worker->ctx, &input, &run);
        for (uint32_t p = 0; p < s->n; p++) {
            answers[p] = battery_answer(s->battery, &worker->ctx, &run, (int)p, NULL);
        }
        for (uint32_t p = 0; p < s->n; p++) {
            ctx_rebudget(&worker->ctx);
            Val alone = eval_program(&worker->ctx, s->programs[p], &input);
            s->wrong += !same_answer(answers[p], alone);
        }
    }
    free(run.values);
    free(run.steps);
}

static void threads_share_a_battery(void **state) {
    World *w = *state;
    w->seed = 3;
    Budget budget = BUDGET_DEFAULT;
    budget.steps = 20000;
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        Program *programs[64];
        Pool pool = {0};
        assert_true(pool_open(&pool, jobs, &budget));
        Battery *b = battery_new(MODE_CORE, false, 1, true);
        for (int k = 0; k < 64; k++) {
            programs[k] = random_program(w);
            assert_int_equal(battery_add(b, &pool.workers[0].ctx, programs[k]), k);
        }
        Shared shared = {.battery = b, .programs = programs, .world = w, .n = 64};
        assert_int_equal(pool_run(&pool, w->set->n_tasks, run_on_task, &shared, NULL), w->set->n_tasks);
        assert_int_equal(shared.wrong, 0);
        for (int k = 0; k < 64; k++) {
            prog_free(programs[k]);
        }
        battery_free(b);
        pool_close(&pool);
    }
}

/* Every allocation fails once: the program is refused, and the others still answer. */
static void failed_allocations_are_survived(void **state) {
    World *w = *state;
    w->seed = 4;
    Program *programs[12];
    int handles[12];
    for (int k = 0; k < 12; k++) {
        programs[k] = random_program(w);
    }
    for (uint64_t nth = 1; nth < 60; nth++) {
        mem_fail_at(nth);
        Battery *b = battery_new(MODE_CORE, false, 1, true);
        if (b == NULL) {
            mem_fail_at(0);
            continue;
        }
        for (int k = 0; k < 12; k++) {
            handles[k] = battery_add(b, &w->ctx, programs[k]);
        }
        mem_fail_at(0);
        for (int k = 0; k < 12; k++) {
            if (handles[k] < 0) {
                handles[k] = battery_add(b, &w->ctx, programs[k]);
            }
        }
        check_all(w, b, programs, handles, 12, random_input(w), false, true);
        battery_free(b);
    }
    for (int k = 0; k < 12; k++) {
        prog_free(programs[k]);
    }
}

/* Safe rule 3: a line whose variable holds a closure gives () when the call fails, in every program, alone
 * and in a battery; strictly, and in an expression by itself, it fails. */
static void failed_variables_have_a_default(void **state) {
    static const char *const texts[] = {
        "def f(I):\n    x1 = compose(first, last)\n    x2 = x1(5, 6)\n    O = astuple(x2, 7)\n    return O\n",
        "def f(S, I, C):\n    x1 = compose(first, last)\n    x2 = x1(5, 6)\n    O = astuple(x2, 7)\n    "
        "return "
        "O\n",
    };
    (void)state;
    Val params[3] = {VAL_EMPTY_TUPLE, VAL_EMPTY_TUPLE, VAL_EMPTY_TUPLE};
    for (int k = 0; k < 2; k++) {
        ProgList list = {0};
        parse_into(&list, "safe", texts[k], strlen(texts[k]));
        assert_int_equal(list.count, 1);
        const Program *p = list.items[0];
        assert_int_equal(p->nparams, k == 0 ? 1 : 3);
        for (int safe = 0; safe < 2; safe++) {
            Ctx ctx;
            assert_true(prim_open(&ctx, MODE_BATT, safe, NULL));
            Val wanted = val_tuple2(&ctx, VAL_EMPTY_TUPLE, val_int(7)), alone = eval_program(&ctx, p, params);
            Battery *b = battery_new(MODE_BATT, safe, p->nparams, true);
            int handle = battery_add(b, &ctx, p);
            assert_true(handle >= 0);
            BatteryRun run = {calloc(battery_nodes(b), sizeof(Val)),
                              calloc(battery_nodes(b), sizeof(uint64_t)), NULL};
            battery_run(b, &ctx, params, &run);
            Val merged = battery_answer(b, &ctx, &run, handle, NULL);
            assert_true(safe ? val_eq(alone, wanted) : val_failed(alone) && alone.w == FAIL_ARITY);
            assert_true(safe ? val_eq(merged, wanted) : val_failed(merged) && merged.w == FAIL_ARITY);
            if (k == 0) {                    /* the same call, but of no program */
                uint32_t args[] = {0, 1, 2}; /* x(5, 6) with x: compose(first, last) */
                Val parts[] = {prim2(&ctx, P_compose, val_prim(P_first), val_prim(P_last)), val_int(5),
                               val_int(6)};
                Op op = {.kind = OP_VALUE, .nargs = 3};
                Program expression = {
                    .nops = 1, .nconsts = 3, .consts = parts, .ops = &op, .args = args, .result = 3};
                Val bare = eval_program(&ctx, &expression, NULL);
                assert_true(val_failed(bare) && bare.w == FAIL_ARITY);
            }
            free(run.values);
            free(run.steps);
            battery_free(b);
            prim_close(&ctx);
        }
        progs_free(&list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_equal_those_alone),
        cmocka_unit_test(battery_does_not_grow),
        cmocka_unit_test(calls_are_counted),
        cmocka_unit_test(closures_keep_their_identity),
        cmocka_unit_test(closures_that_are_only_called_merge),
        cmocka_unit_test(closures_that_types_tell_apart_merge),
        cmocka_unit_test(failed_variables_have_a_default),
        cmocka_unit_test(rerun_follows_the_changed_parameter),
        cmocka_unit_test(threads_share_a_battery),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
