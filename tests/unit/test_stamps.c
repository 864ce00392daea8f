/* Stamps by rows and groups (engine/stamps/stamp.h) against slow models that go cell by cell, on random
 * stamps of all sizes: rays, what lies inside and outside, components. tests/models has models of all
 * primitives, for small stamps. */
#include "base/rng.h"
#include "engine/stamps/stamp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 3000, QUICK_ROUNDS = 200 };

static uint32_t rounds(void) {
    return getenv("BATT_TEST_QUICK") != NULL ? QUICK_ROUNDS : ROUNDS;
}

/* One in eight is up to a hundred cells wide or high. */
static Stamp random_stamp(uint64_t seed, int8_t *cells) {
    Rng rng = rng_stream(21, seed, 0);
    uint32_t max = rng_below(&rng, 8) == 0 ? STAMP_MAX_SIDE : 12;
    int32_t h, w;
    do {
        h = 1 + (int32_t)rng_below(&rng, max);
        w = 1 + (int32_t)rng_below(&rng, max);
    } while (h * w > STAMP_MAX_CELLS);
    uint32_t full = 1 + rng_below(&rng, 9), colors = 1 + rng_below(&rng, 4);
    for (int32_t k = 0; k < h * w; k++) {
        cells[k] = (int8_t)(rng_below(&rng, 10) < full ? 1 + rng_below(&rng, colors) : 0);
    }
    return (Stamp){1, -2, h, w, cells};
}

static void assert_cells(Stamp got, const Stamp *s, const int8_t *cells) {
    bool any = false;
    for (int32_t k = 0; k < s->h * s->w; k++) {
        any |= cells[k] != 0;
    }
    assert_int_equal(got.h, any ? s->h : 0);
    if (any) {
        assert_int_equal(got.w, s->w);
        assert_memory_equal(got.c, cells, (size_t)(s->h * s->w));
    }
}

/* Marks what has a neighbour with the mark, again and again. */
static void spread_mark(const Stamp *s, bool *mark, bool corners,
                        bool (*may)(const Stamp *, int32_t, int32_t)) {
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t k = 0; k < s->h * s->w; k++) {
            int32_t i = k / s->w, j = k % s->w;
            for (int32_t a = i - 1; a <= i + 1 && !mark[k]; a++) {
                for (int32_t b = j - 1; b <= j + 1 && !mark[k]; b++) {
                    bool inside = a >= 0 && b >= 0 && a < s->h && b < s->w;
                    bool near = inside && (corners || a == i || b == j) && mark[a * s->w + b];
                    mark[k] = near && may(s, a * s->w + b, k);
                    changed |= mark[k];
                }
            }
        }
    }
}

static bool both_transparent(const Stamp *s, int32_t a, int32_t b) {
    return s->c[a] == 0 && s->c[b] == 0;
}
static bool of_one_color(const Stamp *s, int32_t a, int32_t b) {
    return s->c[a] == s->c[b];
}

static void fills_agree(void **unused) {
    (void)unused;
    Ctx ctx;
    Budget budget = BUDGET_DEFAULT;
    int8_t cells[STAMP_MAX_CELLS], wanted[STAMP_MAX_CELLS];
    bool outside[STAMP_MAX_CELLS];
    assert_true(prim_open(&ctx, MODE_CORE, false, &budget));
    for (uint32_t round = 0; round < rounds(); round++) {
        Stamp s = random_stamp(round, cells);
        ctx_reset(&ctx);
        for (int32_t k = 0; k < s.h * s.w; k++) {
            int32_t i = k / s.w, j = k % s.w;
            outside[k] = cells[k] == 0 && (i == 0 || j == 0 || i == s.h - 1 || j == s.w - 1);
        }
        spread_mark(&s, outside, false, both_transparent);
        for (int32_t how = 0; how < 4; how++) {
            for (int32_t k = 0; k < s.h * s.w; k++) {
                int32_t i = k / s.w, j = k % s.w;
                bool hole = cells[k] == 0 && !outside[k], border = false;
                for (int32_t a = i - 1; a <= i + 1; a++) {
                    for (int32_t b = j - 1; b <= j + 1; b++) {
                        border |= a < 0 || b < 0 || a >= s.h || b >= s.w || outside[a * s.w + b];
                    }
                }
                wanted[k] = how <= 1 ? (hole       ? stamp_majority(&s)
                                        : how == 0 ? cells[k]
                                                   : (int8_t)0)
                                     : (border == (how == 3) ? cells[k] : (int8_t)0);
            }
            assert_cells(stamp_fill(&ctx, &s, how), &s, wanted);
        }
    }
    prim_close(&ctx);
}

static void components_agree(void **unused) {
    (void)unused;
    int8_t cells[STAMP_MAX_CELLS];
    for (uint32_t round = 0; round < rounds() / 4; round++) {
        Stamp s = random_stamp(round, cells);
        bool mark[STAMP_MAX_CELLS], seen[STAMP_MAX_CELLS] = {false};
        int32_t components = 0;
        if (s.h * s.w > 300) { /* the model takes too long */
            continue;
        }
        for (int32_t k = 0; k < s.h * s.w; k++) {
            if (cells[k] == 0 || seen[k]) {
                continue;
            }
            components++;
            memset(mark, 0, sizeof mark);
            mark[k] = true;
            spread_mark(&s, mark, true, of_one_color);
            for (int32_t x = 0; x < s.h * s.w; x++) {
                seen[x] |= mark[x];
            }
        }
        assert_int_equal(stamp_components(&s), components);
    }
}

/* Ray by ray: from every cell that is not transparent in one direction, until it meets another. */
static void rays_agree(void **unused) {
    (void)unused;
    static const int32_t di[8] = {0, 1, 0, -1, 1, 1, -1, -1}, dj[8] = {1, 0, -1, 0, 1, -1, -1, 1};
    static const uint32_t sets[15] = {1, 2, 4, 8, 5, 10, 15, 16, 32, 64, 128, 80, 160, 240, 255};
    Ctx ctx;
    Budget budget = BUDGET_DEFAULT;
    int8_t cells[STAMP_MAX_CELLS], wanted[STAMP_MAX_CELLS];
    assert_true(prim_open(&ctx, MODE_CORE, false, &budget));
    for (uint32_t round = 0; round < rounds(); round++) {
        Stamp s = random_stamp(round, cells);
        ctx_reset(&ctx);
        for (int32_t how = 0; how < 15; how++) {
            memcpy(wanted, cells, (size_t)(s.h * s.w));
            for (uint32_t d = 0; d < 8; d++) {
                for (int32_t k = 0; (sets[how] >> d & 1) && k < s.h * s.w; k++) {
                    int32_t i = k / s.w + di[d], j = k % s.w + dj[d];
                    for (; cells[k] != 0 && i >= 0 && j >= 0 && i < s.h && j < s.w && cells[i * s.w + j] == 0;
                         i += di[d], j += dj[d]) {
                        wanted[i * s.w + j] = cells[k];
                    }
                }
            }
            bool changed = memcmp(wanted, cells, (size_t)(s.h * s.w)) != 0;
            Stamp got = stamp_rays(&ctx, &s, how);
            assert_int_equal(got.h, changed ? s.h : 0);
            if (changed) {
                assert_memory_equal(got.c, wanted, (size_t)(s.h * s.w));
            }
        }
    }
    prim_close(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_agree), cmocka_unit_test(components_agree),
                                       cmocka_unit_test(rays_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
