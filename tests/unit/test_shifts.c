/* One patch shifted by many pairs and merged (engine/arcdsl/shifts.h), against calls one by one: same value,
 * steps and counts, whatever the colors, the size of the window and the budget. */
#include "../closures.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int32_t around(Rng *rng, int32_t middle, uint32_t spread) {
    return middle - (int32_t)(spread / 2) + (int32_t)rng_below(rng, spread);
}

/* A patch of n cells at most, of colors from -128 to 127 that lie within `colors`, or of indices. */
static Val random_patch(Ctx *ctx, Rng *rng, uint32_t n, uint32_t height, uint32_t width, uint32_t colors) {
    Val *items = val_buffer(ctx, n);
    int32_t low = -128 + (int32_t)rng_below(rng, 257 - (colors != 0 ? colors : 1));
    for (uint32_t k = 0; k < n; k++) {
        int32_t i = around(rng, 3, height), j = around(rng, 5, width);
        items[k] =
            colors == 0 ? val_pair32(i, j) : val_cell(ctx, low + (int32_t)rng_below(rng, colors), i, j);
    }
    return val_set(ctx, items, n);
}

static void shifted_alike(Closures *t, Val patch, Val pairs) {
    Val shift = val_closure(&t->values, CLOSURE_LBIND, 1, val_prim(P_shift), patch, val_int(0));
    Val there = val_closure(&t->values, CLOSURE_COMPOSE, 1, shift, val_prim(P_invert), val_int(0));
    assert_null(closures_compare(t, P_mapply, (Val[]){shift, pairs}));
    assert_null(closures_compare(t, P_mapply, (Val[]){there, pairs}));
}

static void windows_of_any_size(void **unused) {
    (void)unused;
    static const uint32_t sizes[] = {1,   2,   7,   30,  33,  62,  64,  65,  97,
                                     127, 128, 129, 190, 240, 256, 300, 4000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    Closures t;
    assert_true(closures_open(&t));
    uint32_t rounds = getenv("BATT_TEST_QUICK") != NULL ? 3000 : 30000;
    for (uint32_t k = 0; k < rounds; k++) {
        Rng rng = rng_stream(29, k, 0);
        prim_bind(&t.values, k % 8 == 0 ? MODE_BATT : MODE_CORE, false);
        ctx_reset(&t.values);
        uint32_t cells = 1 + rng_below(&rng, k % 5 == 0 ? 400 : 40), pairs = 10 + rng_below(&rng, 190);
        uint32_t colors = (uint32_t[]){0, 1, 2, 4, 10, 256}[rng_below(&rng, 6)];
        Val patch = random_patch(&t.values, &rng, cells, sizes[rng_below(&rng, SIZES)],
                                 sizes[rng_below(&rng, SIZES)], colors);
        Val where = random_patch(&t.values, &rng, pairs, sizes[rng_below(&rng, SIZES)],
                                 sizes[rng_below(&rng, SIZES)], 0);
        shifted_alike(&t, patch, where);
    }
    closures_close(&t);
}

/* Copies in ascending order are not sorted, so that is not charged either. */
static void copies_in_order(void **unused) {
    (void)unused;
    Closures t;
    assert_true(closures_open(&t));
    for (uint32_t far = 1; far < 260; far++) {
        ctx_reset(&t.values);
        for (uint32_t kind = 0; kind < 3; kind++) {
            Val cells[2], pairs[30];
            for (int32_t k = 0; k < 2; k++) {
                cells[k] = kind == 0 ? val_pair32(0, 3 * k) : val_cell32(kind == 1 ? 4 : 4 - k, 0, 3 * k);
            }
            for (int32_t k = 0; k < 30; k++) {
                pairs[k] = val_pair32(k * (int32_t)(far % 9), (int32_t)(far * (uint32_t)k % 251));
            }
            shifted_alike(&t, val_set(&t.values, cells, 2), val_set(&t.values, pairs, 30));
            shifted_alike(&t, val_set(&t.values, cells, 2), val_tuple(&t.values, pairs, 30));
        }
    }
    closures_close(&t);
}

static void every_budget(void **unused) {
    (void)unused;
    Closures t;
    assert_true(closures_open(&t));
    Rng rng = rng_stream(30, 0, 0);
    Val patch = random_patch(&t.values, &rng, 30, 20, 20, 9);
    Val pairs = random_patch(&t.values, &rng, 25, 200, 200, 0);
    for (uint64_t steps = 0; steps < 900; steps++) {
        Budget budget = t.run[0].budget;
        budget.steps = steps;
        ctx_set_budget(&t.run[0], &budget);
        ctx_set_budget(&t.run[1], &budget);
        shifted_alike(&t, patch, pairs);
    }
    closures_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_of_any_size),
                                       cmocka_unit_test(copies_in_order), cmocka_unit_test(every_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
