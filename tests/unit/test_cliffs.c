/* Just beyond the commonest arguments: a tuple instead of a set, the 65th column, a pair of pairs. The
 * fast paths there give the same values and take the same steps as the plain ones. */
#include "../closures.h"
#include "base/rng.h"
#include "engine/eval/eval.h"
#include "engine/language/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t rounds(uint32_t all) {
    return getenv("BATT_TEST_QUICK") != NULL ? all / 10 : all;
}

static Val random_grid(Ctx *ctx, Rng *rng, uint32_t h, uint32_t w, uint32_t colors) {
    int8_t *cells = ctx_alloc(ctx, (size_t)h * w + GRID_SPARE);
    for (uint32_t k = 0; k < h * w; k++) {
        cells[k] = (int8_t)(rng_below(rng, colors) - (colors > 10 ? 100 : 0));
    }
    return val_grid8(cells, h, w);
}

typedef struct Outcome {
    Val v;
    uint64_t steps;
} Outcome;

static Outcome outcome(Ctx *ctx, uint32_t prim, const Val *args) {
    uint64_t before = ctx_steps_used(ctx);
    Val v = prim_call(ctx, prim, args, prim_arity[prim]);
    return (Outcome){v, ctx_steps_used(ctx) - before};
}

/* ---- tuples as patches ---- */

/* Places in and around a grid. The last one, beyond it, is far away or so far that it fits no byte; then
 * the plain way is taken, with the same steps. */
static Val random_places(Ctx *ctx, Rng *rng, uint32_t n, uint32_t size, bool cells, bool plain) {
    Val *items = val_buffer(ctx, n + 1);
    for (uint32_t k = 0; k <= n; k++) {
        int32_t i = (int32_t)rng_below(rng, size + 4) - 2, j = (int32_t)rng_below(rng, size + 4) - 2;
        int32_t color = (int32_t)rng_below(rng, 12) - 1;
        if (k == n) {
            i = j = plain ? 1000 : 100;
            color = plain ? 200 : 9;
        }
        items[k] = cells ? val_cell(ctx, color, i, j) : val_pair32(i, j);
    }
    return val_tuple(ctx, items, n + 1);
}

static void tuples_are_patches(void **unused) {
    (void)unused;
    static const uint16_t prims[] = {P_fill, P_underfill, P_cover, P_paint, P_underpaint};
    Ctx ctx;
    assert_true(prim_open(&ctx, MODE_CORE, false, NULL));
    for (uint32_t k = 0; k < rounds(20000); k++) {
        Rng rng = rng_stream(31, k, 0), same = rng;
        prim_bind(&ctx, k & 1 ? MODE_BATT : MODE_CORE, false);
        ctx_reset(&ctx);
        uint32_t prim = prims[k % 5];
        bool paints = prim == P_paint || prim == P_underpaint, cells = paints || k % 3 == 0;
        uint32_t h = 1 + rng_below(&rng, 30), w = 1 + rng_below(&rng, 30), n = rng_below(&rng, 20);
        Val grid = random_grid(&ctx, &rng, h, w, 1 + rng_below(&rng, 4));
        same = rng;
        Val near = random_places(&ctx, &rng, n, h, cells, false),
            far = random_places(&ctx, &same, n, h, cells, true);
        Val color = val_int((int64_t)rng_below(&rng, 10));
        Outcome fast =
            outcome(&ctx, prim, paints || prim == P_cover ? (Val[]){grid, near} : (Val[]){grid, color, near});
        Outcome plain =
            outcome(&ctx, prim, paints || prim == P_cover ? (Val[]){grid, far} : (Val[]){grid, color, far});
        assert_true(!val_failed(fast.v) && val_eq(fast.v, plain.v));
        assert_int_equal(fast.steps, plain.steps);
    }
    prim_close(&ctx);
}

/* ---- wide grids ---- */

/* With just the memory that trying place by place takes, there is none for rows of bits. */
static void occurrences_beyond_64_columns(void **unused) {
    (void)unused;
    static const uint32_t widths[] = {65, 66, 100, 127, 128, 129, 192, 200};
    Ctx ctx, tight;
    assert_true(prim_open(&ctx, MODE_CORE, false, NULL) && prim_open(&tight, MODE_CORE, false, NULL));
    uint32_t found = 0, compared = 0;
    for (uint32_t k = 0; k < rounds(2000); k++) {
        Rng rng = rng_stream(32, k, 0);
        Mode mode = k & 1 ? MODE_BATT : MODE_CORE;
        prim_bind(&ctx, mode, false);
        prim_bind(&tight, mode, false);
        ctx_reset(&ctx);
        uint32_t h = 1 + rng_below(&rng, 20), w = widths[k % 8],
                 colors = k % 7 == 0 ? 200 : 1 + rng_below(&rng, 3);
        Val grid = random_grid(&ctx, &rng, h, w, colors);
        uint32_t oh = 1 + rng_below(&rng, h), ow = 1 + rng_below(&rng, k % 3 == 0 ? w : 5);
        uint32_t up = rng_below(&rng, h - oh + 1), left = rng_below(&rng, w - ow + 1), n = 0;
        Val *items = val_buffer(&ctx, (size_t)oh * ow);
        for (uint32_t c = 0; c < oh * ow; c++) {
            uint32_t i = up + c / ow, j = left + c % ow;
            if (k % 5 != 0 || rng_below(&rng, 3) == 0) {
                items[n++] = val_cell(&ctx, grid.b8[i * w + j], (int32_t)i - 7, (int32_t)j - 9);
            }
        }
        Val args[] = {grid, val_set(&ctx, items, n)};
        Outcome fast = outcome(&ctx, P_occurrences, args);
        assert_false(val_failed(fast.v));
        found += n != 0 && val_len(fast.v) != 0;
        Budget budget = BUDGET_DEFAULT;
        for (uint64_t bytes = 16 * (uint64_t)(h - oh + 1) * (w - ow + 1); n != 0; bytes += 16) {
            budget.bytes = bytes;
            ctx_set_budget(&tight, &budget);
            ctx_reset(&tight);
            Outcome plain = outcome(&tight, P_occurrences, args);
            if (!val_failed(plain.v)) {
                assert_true(val_eq(fast.v, plain.v));
                assert_int_equal(fast.steps, plain.steps);
                compared++;
                break;
            }
        }
    }
    assert_true(found > compared / 2 && compared > rounds(1000));
    prim_close(&ctx);
    prim_close(&tight);
}

/* ---- rows of pairs ---- */

static void one_number_of_every_row(void **unused) {
    (void)unused;
    static const uint16_t prims[] = {P_maximum, P_minimum, P_first, P_last};
    Closures t;
    assert_true(closures_open(&t));
    for (uint32_t k = 0; k < rounds(20000); k++) {
        Rng rng = rng_stream(33, k, 0);
        prim_bind(&t.values, k & 1 ? MODE_BATT : MODE_CORE, k & 2);
        ctx_reset(&t.values);
        uint32_t w = k % 3 == 0 ? rng_below(&rng, 300) : 2, n = 1 + rng_below(&rng, 40);
        Val grid = random_grid(&t.values, &rng, n, w, 201);
        if (k % 5 == 0 && w != 0) {
            int64_t wide[40 * 300];
            for (uint32_t x = 0; x < n * w; x++) {
                wide[x] = grid.b8[x] * (k % 10 == 0 ? 3 : INT64_C(1) << 30);
            }
            grid = val_grid64(&t.values, wide, n, w);
        }
        Val f = val_prim(prims[rng_below(&rng, 4)]);
        Budget budget = t.run[0].budget;
        budget.steps = k % 4 == 0 ? rng_below(&rng, 60) : 1000000;
        ctx_set_budget(&t.run[0], &budget);
        ctx_set_budget(&t.run[1], &budget);
        assert_null(closures_compare(&t, P_apply, (Val[]){f, grid}));
        assert_null(closures_compare(&t, P_argmax, (Val[]){grid, f}));
        assert_null(closures_compare(&t, P_valmin, (Val[]){grid, f}));
        assert_null(closures_compare(&t, P_order, (Val[]){grid, f}));
    }
    closures_close(&t);
}

/* ---- pairs of pairs ---- */

/* Sets of n places or cells; `far` is one that fits no byte, or no key. */
static Val random_keys(Ctx *ctx, Rng *rng, uint32_t n, uint32_t spread, bool cells, Val far) {
    Val *items = val_buffer(ctx, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        int32_t i = (int32_t)rng_below(rng, spread) - (int32_t)(spread / 2),
                j = (int32_t)rng_below(rng, spread) - (int32_t)(spread / 2);
        items[k] = cells ? val_cell32((int32_t)rng_below(rng, 12) - 1, i, j) : val_pair32(i, j);
    }
    items[n] = far;
    return val_set(ctx, items, n + (far.kind != VAL_FAIL));
}

static Val product_by_hand(Ctx *ctx, Val x, Val y, uint64_t *steps) {
    Val *items = val_buffer(ctx, (size_t)x.n * y.n), *at = items;
    uint64_t before = ctx_steps_used(ctx);
    for (uint32_t i = 0; i < x.n; i++) {
        ctx_charge(ctx, 1 + y.n / 4);
        for (uint32_t j = 0; j < y.n; j++) {
            *at++ = val_tuple2(ctx, val_at(x, i), val_at(y, j));
        }
    }
    *steps = ctx_steps_used(ctx) - before + (((size_t)x.n * y.n * sizeof(Val)) >> 6);
    return val_set_sorted(ctx, items, x.n * y.n);
}

static void products_of_sets(void **unused) {
    (void)unused;
    Ctx ctx;
    assert_true(prim_open(&ctx, MODE_CORE, false, NULL));
    for (uint32_t k = 0; k < rounds(5000); k++) {
        Rng rng = rng_stream(34, k, 0);
        ctx_reset(&ctx);
        uint32_t spread = (uint32_t[]){4, 30, 256, 258, 3000}[rng_below(&rng, 5)];
        bool cells = k & 1;
        Val far[] = {val_fail(FAIL_NONE), cells ? val_cell32(200, 0, 0) : val_pair32(40000, 1)};
        Val x = random_keys(&ctx, &rng, 1 + rng_below(&rng, 30), spread, cells, far[k % 7 == 0]);
        Val y = random_keys(&ctx, &rng, 1 + rng_below(&rng, 30), spread, k % 5 == 0 ? !cells : cells,
                            far[k % 11 == 0]);
        Outcome made = outcome(&ctx, P_product, (Val[]){x, y});
        uint64_t steps;
        Val other = product_by_hand(&ctx, x, y, &steps);
        assert_true(!val_failed(made.v) && val_eq(made.v, other));
        assert_true(made.v.kind == other.kind && made.v.w == other.w && made.v.n == other.n);
        for (uint32_t e = 0; e < made.v.n; e++) {
            assert_true(made.v.v[e].head == other.v[e].head);
        }
        assert_int_equal(made.steps, steps + 1); /* and the call itself */
    }
    prim_close(&ctx);
}

/* Tuples of two made at once are those made of a buffer. */
static void tuples_of_two_pairs(void **unused) {
    (void)unused;
    static const int32_t numbers[] = {0, 1, -1, 127, 128, -128, -129, 70000, INT32_MAX, INT32_MIN};
    Ctx ctx;
    assert_true(prim_open(&ctx, MODE_CORE, false, NULL));
    for (uint32_t k = 0; k < 10000; k++) {
        Val a = val_pair32(numbers[k % 10], numbers[k / 10 % 10]);
        Val b = val_pair32(numbers[k / 100 % 10], numbers[k / 1000 % 10]);
        ctx_reset(&ctx);
        Val *items = val_buffer(&ctx, 2);
        items[0] = a;
        items[1] = b;
        uint64_t start = ctx_steps_used(&ctx);
        Val two = val_tuple2(&ctx, a, b);
        uint64_t middle = ctx_steps_used(&ctx);
        Val other = val_tuple(&ctx, items, 2);
        assert_true(val_eq(two, other) && two.kind == other.kind && two.w == other.w);
        assert_int_equal(middle - start, ctx_steps_used(&ctx) - middle);
        int64_t max = a.a > a.b ? a.a : a.b, min = a.a < a.b ? a.a : a.b;
        assert_int_equal(prim_call(&ctx, P_maximum, &a, 1).i, max);
        assert_int_equal(prim_call(&ctx, P_minimum, &a, 1).i, min);
    }
    prim_close(&ctx);
}

/* ---- closures on wide grids ---- */

/* Windows of one, two and four words per row, and places that fit none. */
static void closures_beyond_64_columns(void **unused) {
    (void)unused;
    static const char *const programs[] = {
        "O = mapply(neighbors, ofcolor(I, 1))",
        "O = mapply(fork(combine, ineighbors, compose(outbox, initset)), ofcolor(I, 1))",
        "O = mapply(lbind(connect, (1, 90)), ofcolor(I, 1))",
        "O = mapply(compose(backdrop, fork(insert, identity, compose(initset, rbind(add, (2, 70))))), "
        "ofcolor(I, 1))",
        "O = mapply(compose(delta, fork(insert, identity, compose(initset, rbind(add, (2, 3))))), ofcolor(I, "
        "1))",
        "O = mapply(compose(corners, rbind(connect, (0, 40))), ofcolor(I, 1))",
        "O = mapply(rbind(shoot, (1, 1)), ofcolor(I, 1))",
        "O = mapply(rbind(shoot, (0, -1)), ofcolor(I, 1))",
        "O = mapply(fork(combine, vfrontier, hfrontier), ofcolor(I, 1))",
        "O = mapply(fork(shift, neighbors, identity), ofcolor(I, 1))",
        "O = mapply(fork(difference, neighbors, compose(rbind(shoot, (1, 0)), identity)), ofcolor(I, 1))",
        "O = mapply(fork(intersection, neighbors, compose(dneighbors, rbind(add, (0, 1)))), ofcolor(I, 1))",
        "O = sfilter(ofcolor(I, 1), compose(positive, chain(size, rbind(intersection, ofcolor(I, 2)), "
        "neighbors)))",
        "O = sfilter(asindices(I), rbind(contained, ofcolor(I, 2)))",
        "O = sfilter(ofcolor(I, 1), chain(rbind(greater, 1), size, chain(palette, rbind(toobject, I), "
        "neighbors)))",
        "O = sfilter(ofcolor(I, 1), compose(rbind(greater, 1), chain(rbind(colorcount, 1), rbind(toobject, "
        "I), neighbors)))",
        "O = sfilter(ofcolor(I, 1), chain(positive, size, chain(rbind(sfilter, matcher(first, 2)), "
        "rbind(toobject, I), dneighbors)))",
        "O = sfilter(ofcolor(I, 1), compose(rbind(greater, 2), chain(numcolors, rbind(toobject, I), "
        "ineighbors)))",
        "O = mapply(fork(apply, compose(lbind(lbind, astuple), first), compose(neighbors, last)), "
        "toobject(ofcolor(I, 1), I))",
        "O = mapply(fork(recolor, first, compose(dneighbors, last)), asobject(crop(I, (0, 0), (1, 20))))",
        "O = mapply(fork(recolor, color, outbox), objects(crop(I, (0, 0), (1, 30)), T, F, T))",
        "O = mapply(fork(shift, identity, compose(toivec, width)), objects(crop(I, (0, 0), (1, 30)), T, F, "
        "T))",
        "O = mapply(fork(combine, compose(hfrontier, center), outbox), objects(I, T, F, T))",
        "O = mapply(fork(difference, backdrop, toindices), objects(I, T, F, T))",
        "O = mapply(compose(delta, outbox), apply(neighbors, ofcolor(crop(I, (0, 0), (1, 40)), 1)))",
        "S = objects(crop(I, (0, 0), (1, 12)), T, F, F); O = sfilter(product(S, S), compose(lbind(greater, "
        "3), fork(manhattan, first, last)))",
    };
    enum { PROGRAMS = sizeof programs / sizeof *programs, SLOTS = 64 };
    const ParseOptions form = {PARSE_LINE, MODE_CORE, 1};
    Ctx ctx;
    Lang *lang = lang_open();
    ProgList parsed = {0};
    assert_true(lang != NULL && prim_open(&ctx, MODE_CORE, false, NULL));
    for (uint32_t k = 0; k < PROGRAMS; k++) {
        assert_non_null(lang_parse_line(lang, "wide", programs[k], &form, &parsed));
    }
    for (uint32_t k = 0; k < rounds(600); k++) {
        Rng rng = rng_stream(33, k, 0);
        ctx_reset(&ctx);
        uint32_t h = 1 + rng_below(&rng, 8), w = 40 + rng_below(&rng, 260);
        Val grid = random_grid(&ctx, &rng, h, w, 3), slots[SLOTS];
        uint64_t steps[2];
        Val v[2];
        for (int way = 0; way < 2; way++) {
            ctx.stepwise = way == 1;
            uint64_t before = ctx_steps_used(&ctx);
            v[way] = eval_slots(&ctx, parsed.items[k % PROGRAMS], &grid, slots);
            steps[way] = ctx_steps_used(&ctx) - before;
        }
        ctx.stepwise = false;
        assert_true(!val_failed(v[0]) && val_eq(v[0], v[1]));
        assert_int_equal(steps[0], steps[1]);
    }
    progs_free(&parsed);
    lang_close(lang);
    prim_close(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tuples_are_patches),      cmocka_unit_test(occurrences_beyond_64_columns),
        cmocka_unit_test(one_number_of_every_row), cmocka_unit_test(products_of_sets),
        cmocka_unit_test(tuples_of_two_pairs),     cmocka_unit_test(closures_beyond_64_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
