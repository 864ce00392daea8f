/* Budgets hold: programs made to explode, and every primitive on the largest arguments there are, end within
 * a tenth of what they may spend, in steps, bytes and time. */
#include "base/clock.h"
#include "lang_fixture.h"

static const char *const explosions[] = {
    /* calls of calls */
    "a = power(identity, 900); b = power(a, 900); c = power(b, 900); O = c(I)",
    "a = power(rot90, 900); b = power(a, 900); c = power(b, 900); d = compose(c, c); O = d(I)",
    "a = compose(rot90, vmirror); b = compose(a, a); c = compose(b, b); d = compose(c, c); e = compose(d, "
    "d); "
    "f = compose(e, e); g = compose(f, f); h = compose(g, g); i = compose(h, h); j = compose(i, i); "
    "k = compose(j, j); l = compose(k, k); m = compose(l, l); n = compose(m, m); o = chain(n, n, n); O = "
    "o(I)",
    "a = power(identity, 900); b = power(a, 2); c = lbind(apply, b); d = asindices(canvas(0, (300, 300))); "
    "O = apply(b, d)",
    /* values that double */
    "a = fork(astuple, identity, identity); b = power(a, 900); O = b(I)",
    "a = fork(combine, identity, identity); b = power(a, 900); O = b(totuple(asindices(I)))",
    "a = fork(hconcat, identity, identity); b = power(a, 900); O = b(I)",
    "a = fork(vconcat, identity, identity); b = power(a, 900); O = b(I)",
    "a = fork(product, identity, identity); b = power(a, 900); O = b(asindices(I))",
    "a = fork(add, identity, identity); b = power(a, 900); O = b(7)",
    "a = fork(multiply, identity, identity); b = power(a, 900); O = b((3, -4))",
    "a = rbind(repeat, 1000); b = power(a, 900); O = b(I)",
    "a = compose(merge, rbind(repeat, 1000)); b = power(a, 900); O = b(I)",
    "a = power(initset, 900); b = power(a, 900); O = b(I)",
    "a = rbind(upscale, 3); b = power(a, 900); O = b(I)",
    "a = rbind(hupscale, 2); b = power(a, 900); O = b(I)",
    "a = upscale(I, 10); b = upscale(a, 10); c = upscale(b, 10); O = upscale(c, 10)",
    "a = compose(asobject, trim); b = upscale(I, 30); O = objects(b, F, T, F)",
    "a = canvas(1, (1000, 1000)); b = asindices(a); O = apply(rbind(shift, (1, 1)), repeat(b, 1000))",
    "a = canvas(1, (1000, 1000)); b = asindices(a); O = mapply(rbind(shift, (1, 1)), repeat(b, 1000))",
    "a = canvas(1, (1000, 1000)); O = merge(repeat(a, 100))",
    "a = canvas(1, (1000, 1000)); O = apply(rbind(upscale, 1), repeat(a, 1000))",
    /* products */
    "a = asindices(I); b = product(a, a); O = product(b, b)",
    "a = asindices(I); O = prapply(connect, a, a)",
    "a = asindices(I); O = prapply(astuple, a, a)",
    "a = asindices(I); b = rbind(shift, (0, 1)); O = prapply(lbind(prapply, add), repeat(a, 9), repeat(a, "
    "9))",
    "a = product(asindices(I), asindices(I)); O = order(a, identity)",
    "a = product(asindices(I), asindices(I)); O = order(a, last)",
    "a = totuple(product(asindices(I), asindices(I))); O = mostcommon(combine(a, a))",
    "a = totuple(product(asindices(I), asindices(I))); O = dedupe(combine(a, a))",
    "a = totuple(product(asindices(I), asindices(I))); O = difference(a, a)",
    "a = product(asindices(I), asindices(I)); b = totuple(a); O = sfilter(b, rbind(contained, b))",
    "a = interval(0, 1000000, 1); O = sfilter(a, rbind(contained, a))",
    "a = interval(0, 1000000, 1); O = apply(lbind(remove, 5), repeat(a, 1000))",
    "a = interval(0, 1000000, 1); O = argmax(a, compose(maximum, rbind(repeat, 1000)))",
    "a = interval(1000000, 0, -1); O = order(combine(a, a), identity)",
    "a = interval(0, 1000000, 1); O = papply(add, a, a)",
    "a = interval(0, 1000, 1); b = apply(lbind(repeat, a), a); O = order(merge(b), identity)",
    /* numbers beyond reason */
    "O = repeat(0, 1000000000)",
    "O = interval(0, 1000000000, 1)",
    "O = interval(0, 9223372036854775807, 1)",
    "O = canvas(0, (1000000000, 1000000000))",
    "O = canvas(0, (1024, 1024))",
    "O = hupscale(I, 1000000000)",
    "O = backdrop({(-1000000000, 0), (1000000000, 1000000000)})",
    "O = box({(-1000000000, 0), (1000000000, 1000000000)})",
    "O = connect((0, 0), (1000000000, 1000000000))",
    "O = apply(lbind(connect, (0, 0)), asindices(canvas(0, (1000, 1000))))",
    "O = shift(asindices(canvas(0, (1000, 1000))), (9223372036854775807, 1))",
    /* work that is more than what it writes */
    "a = canvas(0, (1000, 1000)); b = asobject(canvas(0, (500, 500))); O = occurrences(a, b)",
    "a = canvas(0, (1000, 1000)); b = asobject(canvas(0, (9, 9))); O = occurrences(fill(a, 1, {(999, 999)}), "
    "b)",
    "a = asindices(canvas(0, (1000, 1000))); b = shift(a, (2000, 2000)); O = manhattan(a, b)",
    "a = asindices(canvas(0, (1000, 1000))); b = shift(a, (2000, 3)); O = gravitate(a, b)",
    "a = asindices(canvas(0, (1000, 1000))); b = shift(a, (0, 20000)); O = adjacent(a, b)",
    "a = asindices(canvas(0, (1000, 1000))); O = apply(lbind(manhattan, a), repeat(a, 1000))",
    "a = asindices(canvas(0, (1000, 1000))); O = apply(lbind(equality, a), apply(rbind(shift, (1, 0)), "
    "repeat(a, 90)))",
    "a = objects(upscale(I, 30), T, F, F); O = prapply(manhattan, a, a)",
    "a = objects(I, T, F, F); O = prapply(gravitate, a, a)",
    "a = asobject(canvas(1, (1000, 1000))); O = hperiod(a)",
    "a = canvas(0, (1000, 1000)); O = mapply(lbind(ofcolor, a), interval(0, 1000, 1))",
    "a = canvas(0, (1000, 1000)); O = apply(rbind(lbind(fill, a), asindices(a)), interval(0, 1000, 1))",
    /* shared structures compared */
    "f = fork(astuple, identity, identity); g = power(f, 17); a = g(None); b = g(None); O = equality(a, b)",
    "f = fork(astuple, identity, identity); g = power(f, 17); a = g(None); b = g(None); c = repeat(a, 8); "
    "O = apply(matcher(identity, b), repeat(a, 100))",
    "f = fork(astuple, identity, identity); g = power(f, 16); a = g(None); b = g(I); "
    "O = order(merge(repeat((a, b), 30)), identity)",
    "f = fork(astuple, identity, identity); g = power(f, 16); a = g({1}); b = g({2}); "
    "O = dedupe(merge(repeat((a, b), 30)))",
    "f = fork(astuple, identity, identity); g = power(f, 15); a = apply(g, interval(0, 30, 1)); O = "
    "insert(a, {a})",
};

static int8_t cells[30 * 30];

static Val input(void) { /* 30 x 30, noise */
    uint32_t x = 12345;
    for (size_t k = 0; k < sizeof cells; k++) {
        x = x * 1664525 + 1013904223;
        cells[k] = (int8_t)((x >> 24) % 10);
    }
    return val_grid8(cells, 30, 30);
}

static bool quick(void) { /* under sanitizers and valgrind time means little */
    return getenv("BATT_TEST_QUICK") != NULL;
}

typedef struct Spent {
    Val result;
    uint64_t steps, bytes, ns;
} Spent;

static Spent spend(Fixture *f, const char *text, Mode mode, bool safe, const Budget *budget) {
    if (fixture_parse(f, text, strlen(text), (ParseOptions){PARSE_LINE, (int)mode, 1}) != 1) {
        fail_msg("%s\n%s", text, f->out.data);
    }
    Val in = input();
    prim_bind(&f->ctx, mode, safe);
    ctx_set_budget(&f->ctx, budget);
    ctx_reset(&f->ctx);
    uint64_t start = clock_work_ns();
    Spent s = {.result = eval_program(&f->ctx, f->programs.items[0], &in)};
    s.ns = clock_work_ns() - start;
    s.steps = ctx_steps_used(&f->ctx);
    s.bytes = ctx_bytes_used(&f->ctx);
    return s;
}

static void check(const char *text, int config, const Spent *s, const Budget *budget) {
    if (s->steps > budget->steps + budget->steps / 10 || s->bytes > budget->bytes) {
        fail_msg("config %d: %s\n%llu steps, %llu bytes", config, text, (unsigned long long)s->steps,
                 (unsigned long long)s->bytes);
    }
    if (val_failed(s->result) && s->result.w == FAIL_NONE) {
        fail_msg("config %d: %s: failed without a reason", config, text);
    }
}

/* Small budgets one after the other: what ends the evaluation is the budget that was small. */
static void steps_and_bytes(void **state) {
    static const Budget budgets[] = {
        {.steps = 1000, .bytes = 256 << 20, .depth = 500},
        {.steps = 200000, .bytes = 256 << 20, .depth = 500},
        {.steps = 500000, .bytes = 1 << 20, .depth = 500},
        {.steps = 500000, .bytes = 16 << 20, .depth = 500},
        {.steps = 500000, .bytes = 4096, .depth = 3},
    };
    Fixture *f = *state;
    size_t count = quick() ? 2 : sizeof budgets / sizeof *budgets;
    unsigned failed = 0;
    for (size_t b = 0; b < count; b++) {
        for (size_t k = 0; k < sizeof explosions / sizeof *explosions; k++) {
            for (int config = 0; config < 3; config++) {
                Spent s =
                    spend(f, explosions[k], config == 0 ? MODE_CORE : MODE_BATT, config == 2, &budgets[b]);
                check(explosions[k], config, &s, &budgets[b]);
                failed += val_failed(s.result) && s.result.w >= FAIL_STEPS;
            }
        }
    }
    assert_true(failed > 100); /* the programs are what they are called */
}

/* The processor time used is what counts here: a loaded machine makes the clock run out earlier,
 * never later. Yet now and then a machine takes long over a page or a lost cache. That does not
 * repeat, unlike the fault of a loop that reads the clock too rarely: the best of a few tries
 * counts. */
enum { MS = 1000000, TRIES = 5 };

/* A tenth over, and what a busy host may take from a virtual processor meanwhile. */
static bool in_time(uint64_t ns, const Budget *budget) {
    return ns <= budget->time_ns + budget->time_ns / 10 + 10 * MS;
}

static void time_budget(void **state) {
    if (quick()) {
        skip();
    }
    Fixture *f = *state;
    const Budget budget = {
        .steps = UINT64_MAX / 4, .bytes = 256 << 20, .time_ns = (uint64_t)60 * MS, .depth = 500};
    unsigned ended = 0;
    for (size_t k = 0; k < sizeof explosions / sizeof *explosions; k++) {
        for (int config = 0; config < 3; config++) {
            Spent s = {.ns = UINT64_MAX};
            for (int try = 0; try < TRIES && !in_time(s.ns, &budget); try++) {
                s = spend(f, explosions[k], config == 0 ? MODE_CORE : MODE_BATT, config == 2, &budget);
            }
            ended += val_failed(s.result) && s.result.w == FAIL_TIME;
            if (!in_time(s.ns, &budget)) {
                fail_msg("config %d: %s\n%.1f ms of %.1f", config, explosions[k], (double)s.ns / MS,
                         (double)budget.time_ns / MS);
            }
        }
    }
    assert_true(ended > 10);
}

/* ---- every primitive on large arguments ---- */

enum { LARGE = 16, ALL = 24 };

static void draw_large(Ctx *ctx, Val *pool) {
    Val grid = prim2(ctx, P_upscale, input(), val_int(34)), all = prim1(ctx, P_asindices, grid);
    Val doubled = val_atom(ATOM_NONE), again = doubled;
    for (int k = 0; k < 18; k++) {
        doubled = val_tuple2(ctx, doubled, doubled);
        again = val_tuple2(ctx, again, again);
    }
    Val far = prim2(ctx, P_shift, prim2(ctx, P_ofcolor, grid, val_int(3)), val_pair32(1000000, 7));
    Val numbers = prim3(ctx, P_interval, val_int(0), val_int(500000), val_int(1));
    Val more = prim3(ctx, P_interval, val_int(LIMIT_ELEMENTS), val_int(0), val_int(-1));
    Val values[ALL] = {grid,
                       all,
                       prim1(ctx, P_asobject, grid),
                       far,
                       prim2(ctx, P_ofcolor, grid, val_int(1)),
                       prim2(ctx, P_shift, all, val_pair32(-20000, 20000)),
                       prim2(ctx, P_canvas, val_int(1000), val_pair32(1024, 1024)),
                       prim2(ctx, P_canvas, val_int(1), val_pair32(32, LIMIT_WIDTH)),
                       prim1(ctx, P_partition, grid),
                       prim2(ctx, P_repeat, grid, val_int(100)),
                       more,
                       prim2(ctx, P_apply, val_prim(P_toivec), numbers),
                       prim1(ctx, P_merge, grid),
                       prim1(ctx, P_totuple, far),
                       doubled,
                       again,
                       val_int(0),
                       val_int(1),
                       val_int(1000),
                       val_pair32(1, 1),
                       val_pair32(1000, 0),
                       val_prim(P_identity),
                       val_prim(P_size),
                       val_prim(P_astuple)};
    for (int k = 0; k < ALL; k++) {
        assert_false(val_failed(values[k]));
        pool[k] = values[k];
    }
}

typedef struct Large {
    uint64_t time_ns;
    int rounds;
    bool safe;
} Large;

static void draw_and_call(Ctx *ctx, const Val *pool, uint32_t id, const Large *how, uint32_t *x) {
    Val args[4];
    for (uint32_t k = 0; k < prim_table[id].arity; k++) {
        *x = *x * 1664525 + 1013904223;
        args[k] = pool[(*x >> 8) % (*x >> 31 ? LARGE : ALL)];
    }
    uint64_t ns = UINT64_MAX;
    for (int try = 0; try < (quick() ? 1 : TRIES) && !in_time(ns, &ctx->budget); try++) {
        ctx_reset(ctx);
        uint64_t start = clock_work_ns();
        Val v = prim_call(ctx, id, args, prim_table[id].arity);
        ns = clock_work_ns() - start;
        assert_true(!val_failed(v) || v.w != FAIL_NONE);
    }
    if (!quick() && !in_time(ns, &ctx->budget)) {
        fail_msg("%s, mode %d, safe %d: %.1f ms of %.1f", prim_table[id].name, ctx->mode, ctx->safe,
                 (double)ns / MS, (double)how->time_ns / MS);
    }
}

/* A short time is harder to keep than a long one. */
static void large_arguments(void **state) {
    (void)state;
    static const Large ways[] = {{100 * MS, 2, false}, {5 * MS, 8, false}, {5 * MS, 8, true}};
    uint32_t x = 7;
    for (int mode = MODE_CORE; mode <= MODE_BATT; mode++) {
        Ctx keep, ctx;
        Val pool[ALL];
        assert_true(prim_open(&keep, (Mode)mode, false, NULL));
        draw_large(&keep, pool);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
            const Budget budget = {
                .steps = UINT64_MAX / 4, .bytes = 256 << 20, .time_ns = ways[w].time_ns, .depth = 500};
            assert_true(prim_open(&ctx, (Mode)mode, ways[w].safe, &budget));
            for (uint32_t id = 0; id < PRIM_COUNT; id++) {
                for (int round = 0; round < (quick() ? 1 : ways[w].rounds); round++) {
                    draw_and_call(&ctx, pool, id, &ways[w], &x);
                }
            }
            prim_close(&ctx);
        }
        prim_close(&keep);
    }
}

/* A part of an arena runs out of memory by itself, and is forgotten by itself. */
static void parts(void **state) {
    (void)state;
    enum { KB = 1 << 10, WHOLE = 256 * KB, PART = 64 * KB };
    Budget budget = {.steps = 1000000, .bytes = WHOLE, .depth = 10};
    Ctx ctx;
    assert_true(ctx_open(&ctx, &budget));
    char *first = ctx_alloc(&ctx, KB);
    memset(first, 1, KB);
    CtxPart part = ctx_split(&ctx, PART);
    assert_int_equal(ctx_room(&ctx), WHOLE - PART - KB);
    ctx_swap(&ctx, &part);
    assert_int_equal(ctx_room(&ctx), PART);
    CtxMark mark = ctx_mark(&ctx);
    char *second = ctx_alloc(&ctx, PART);
    memset(second, 2, PART);
    assert_null(ctx_alloc(&ctx, 1));
    assert_int_equal(ctx.exhausted, FAIL_MEMORY);
    ctx_swap(&ctx, &part); /* the rest is not affected */
    assert_int_equal(ctx.exhausted, FAIL_NONE);
    char *third = ctx_alloc(&ctx, WHOLE - PART - KB);
    assert_non_null(third);
    memset(third, 3, WHOLE - PART - KB);
    assert_int_equal(second[0] + second[PART - 1], 4);
    assert_int_equal(first[KB - 1], 1);
    assert_null(ctx_alloc(&ctx, 1));
    ctx_swap(&ctx, &part);
    assert_null(ctx_alloc(&ctx, 1)); /* still full */
    ctx_forget(&ctx, mark);
    assert_int_equal(ctx.exhausted, FAIL_NONE);
    assert_non_null(ctx_alloc(&ctx, PART));
    ctx_swap(&ctx, &part);
    assert_int_equal(ctx.exhausted, FAIL_MEMORY);
    ctx_join(&ctx, &part);
    ctx_reset(&ctx);
    assert_int_equal(ctx_room(&ctx), WHOLE);
    ctx_close(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(steps_and_bytes, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(time_budget, fixture_open, fixture_close),
        cmocka_unit_test(large_arguments),
        cmocka_unit_test(parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
