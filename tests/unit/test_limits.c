/* Values at the limits of width and size: a primitive gives the same with and without its fast path, and what
 * is too large fails in both. All primitives, both modes, strict and safe. (Checked builds: elsewhere there
 * is no plain path, and the two runs are one.) */
#include "engine/primitives/prim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POOL = 40 };

static uint32_t state = 1;

static uint32_t draw(uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)state * below >> 32);
}

static Val grid_of(Ctx *ctx, uint32_t h, uint32_t w) {
    Reason why;
    int8_t *cells = grid_buffer(ctx, h, w, &why);
    assert_non_null(cells);
    for (uint32_t k = 0; k < h * w; k++) {
        cells[k] = (int8_t)(k % 7 == 0 ? k % 5 : 0);
    }
    return val_grid8(cells, h, w);
}

static uint32_t draw_pool(Ctx *ctx, Val *pool) {
    static const int64_t numbers[] = {0, 1, 2, 3, 31, 32, 1024, 16384, 32767, 32768, 32769, 1 << 20, -32768};
    uint32_t n = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        pool[n++] = val_int(numbers[k]);
    }
    Val edge = grid_of(ctx, 1, LIMIT_WIDTH), tall = grid_of(ctx, LIMIT_WIDTH, 1),
        full = grid_of(ctx, 1024, 1024);
    pool[n++] = edge;
    pool[n++] = tall;
    pool[n++] = full;
    pool[n++] = grid_of(ctx, 2, LIMIT_WIDTH / 2);
    pool[n++] = grid_of(ctx, LIMIT_ELEMENTS, 1);
    pool[n++] = grid_of(ctx, 3, 3);
    pool[n++] = grid_of(ctx, 1, 2);
    pool[n++] = val_at(edge, 0);
    pool[n++] = prim1(ctx, P_merge, full); /* a tuple of as many numbers as there may be */
    pool[n++] = prim1(ctx, P_asindices, edge);
    pool[n++] = prim2(ctx, P_ofcolor, edge, val_int(3));
    pool[n++] = prim1(ctx, P_asobject, grid_of(ctx, 2, 2000));
    pool[n++] = prim1(ctx, P_asindices, full);
    pool[n++] = val_pair32(32768, 1);
    pool[n++] = val_pair32(1, 32769);
    pool[n++] = val_pair32(1024, 1024);
    pool[n++] = val_pair32(-32767, 32766);
    pool[n++] = val_pair32(2, 3);
    pool[n++] = val_tuple2(ctx, edge, edge);
    pool[n++] = val_prim(P_identity);
    pool[n++] = val_prim(P_first);
    pool[n++] = val_prim(P_size);
    pool[n++] = VAL_EMPTY_TUPLE;
    assert_true(n <= POOL);
    for (uint32_t k = 0; k < n; k++) {
        assert_false(val_failed(pool[k]));
    }
    return n;
}

static bool same(Val a, Val b) {
    if (val_failed(a) || val_failed(b)) {
        return val_failed(a) && val_failed(b);
    }
    return a.kind == VAL_CLOSURE ? b.kind == VAL_CLOSURE : val_eq(a, b);
}

static bool usual(Val v, const char *type) {
    return strncmp(type, "grid", 4) == 0   ? v.kind == VAL_GRID8
           : strncmp(type, "int", 3) == 0  ? v.kind == VAL_INT
           : strncmp(type, "pair", 4) == 0 ? v.kind == VAL_PAIR
           : strncmp(type, "fn", 2) == 0   ? val_is_fn(v)
                                           : val_is_container(v);
}

/* Mostly what the signature asks for. */
static Val draw_argument(const Val *pool, uint32_t n, const PrimInfo *prim, uint32_t k) {
    const char *at = prim->signature;
    for (uint32_t comma = 0; comma < k && at != NULL; comma++) {
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    at = at != NULL ? strchr(at, ':') : NULL;
    Val v = pool[draw(n)];
    for (int tries = 0; at != NULL && tries < 30 && !usual(v, at + 2); tries++) {
        v = pool[draw(n)];
    }
    return v;
}

static void fast_and_plain(void **unused) {
    (void)unused;
    const char *quick = getenv("BATT_TEST_QUICK");
    const int rounds = quick != NULL && *quick == '1' ? 1 : 4;
    const Budget budget = {.steps = 400000, .bytes = (uint64_t)256 << 20, .depth = 50};
    unsigned compared = 0, failed = 0;
    for (int config = 0; config < 3; config++) {
        Ctx keep, ctx;
        Val pool[POOL];
        Mode mode = config == 0 ? MODE_CORE : MODE_BATT;
        assert_true(prim_open(&keep, mode, false, NULL) && prim_open(&ctx, mode, config == 2, &budget));
        uint32_t n = draw_pool(&keep, pool);
        for (uint32_t id = 0; id < PRIM_COUNT; id++) {
            for (int round = 0; round < rounds; round++) {
                Val args[4], result[2];
                bool finished = true;
                for (uint32_t k = 0; k < prim_table[id].arity; k++) {
                    args[k] = draw_argument(pool, n, &prim_table[id], k);
                }
                ctx_reset(&ctx);
                for (int plain = 0; plain < 2 && finished; plain++) {
                    ctx_rebudget(&ctx);
                    ctx.plain = (uint8_t)plain;
                    result[plain] = prim_call(&ctx, id, args, prim_table[id].arity);
                    finished = ctx.exhausted == FAIL_NONE && ctx.fuel >= 0;
                }
                ctx.plain = 0;
                if (!finished) {
                    continue; /* the plain way takes more of the budget */
                }
                compared++;
                failed += val_failed(result[0]);
                if (!same(result[0], result[1])) {
                    fail_msg("%s, config %d, round %d: kinds %d (%d) and %d (%d)", prim_table[id].name,
                             config, round, result[0].kind, result[0].w, result[1].kind, result[1].w);
                }
            }
        }
        prim_close(&keep);
        prim_close(&ctx);
    }
    assert_true(compared > 300 && failed > 30 && failed < compared);
}

/* A row may be as wide as the limit, however it is made, and no wider. */
static void widths(void **unused) {
    (void)unused;
    static const struct {
        PrimId prim;
        int64_t by;
        bool good;
    } cases[] = {{P_hupscale, 16384, true}, {P_hupscale, 16385, false}, {P_hupscale, 32768, false}};
    Ctx ctx;
    assert_true(prim_open(&ctx, MODE_CORE, false, NULL));
    Val row = val_tuple2(&ctx, val_int(2), val_int(3)), *items = val_buffer(&ctx, 1);
    assert_non_null(items);
    items[0] = row;
    Val grid = val_tuple(&ctx, items, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int plain = 0; plain < 2; plain++) {
            ctx.plain = (uint8_t)plain;
            Val v = prim2(&ctx, cases[k].prim, grid, val_int(cases[k].by));
            assert_int_equal(val_failed(v) ? v.w : FAIL_NONE, cases[k].good ? FAIL_NONE : FAIL_LIMIT);
        }
    }
    Val wide = prim3(&ctx, P_interval, val_int(0), val_int(LIMIT_WIDTH + 1), val_int(1));
    assert_int_equal(val_len(wide), LIMIT_WIDTH + 1); /* a tuple of numbers is no grid */
    Val two = val_tuple2(&ctx, wide, wide);
    assert_true(val_failed(two) && two.w == FAIL_LIMIT);
    prim_close(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_plain),
        cmocka_unit_test(widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
