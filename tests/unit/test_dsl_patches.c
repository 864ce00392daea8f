/* Measures and patches: every fast path against the plain path on random arguments of all shapes, in both
 * modes, strict and safe; and laws that hold for all patches. */
#include "dsl_fixture.h"

/* ---- random values ---- */

static int32_t draw_color(void) {
    return draw(20) == 0 ? between(-130, 130) : between(0, 9);
}

/* Up to `max` places near each other; now and then far out, where keys end, or spread beyond a
 * window of 64. */
static Val draw_patch(Ctx *ctx, bool object, bool as_tuple) {
    static const int32_t far[] = {2040, -2048, -2052, 2047, 32760, -32768, 70000, 60};
    uint32_t n = 1 + draw(draw(4) == 0 ? 60 : 14);
    int32_t top = draw(8) == 0 ? far[draw(8)] : between(-4, 12),
            left = draw(8) == 0 ? far[draw(8)] : between(-4, 12);
    int32_t height = draw(12) == 0 ? 90 : between(1, 8), width = draw(12) == 0 ? 90 : between(1, 8);
    int32_t colors[3] = {draw_color(), draw_color(), draw_color()};
    uint32_t kinds = 1 + draw(3);
    Val *items = val_buffer(ctx, n);
    assert_non_null(items);
    for (uint32_t k = 0; k < n; k++) {
        int32_t i = top + between(0, height - 1), j = left + between(0, width - 1);
        items[k] = object ? val_cell(ctx, colors[draw(kinds)], i, j) : val_pair(ctx, i, j);
    }
    return as_tuple ? val_tuple(ctx, items, n) : val_set(ctx, items, n);
}

static Val draw_grid(Ctx *ctx) {
    uint32_t h = 1 + draw(9), w = draw(15) == 0 ? 0 : 1 + draw(draw(9) == 0 ? 80 : 9);
    int32_t colors[3] = {draw_color(), draw_color(), draw_color()};
    Reason why;
    int8_t *cells = grid_buffer(ctx, h, w, &why);
    assert_non_null(cells);
    for (uint32_t k = 0; k < h * w; k++) {
        cells[k] = (int8_t)colors[draw(3)];
    }
    return val_grid8(cells, h, w);
}

static Val draw_number(void) {
    return val_int(draw(10) == 0 ? between(-300, 300) : between(-2, 10));
}

static Val draw_any(Ctx *ctx) {
    Val *items = val_buffer(ctx, 3);
    assert_non_null(items);
    switch (draw(7)) {
    case 0:
        return VAL_EMPTY_SET;
    case 1:
        return VAL_EMPTY_TUPLE;
    case 2:
        return draw_number();
    case 3:
        return val_prim(P_size);
    case 4:
        return val_pair32(between(-3, 3), between(-3, 3));
    default:
        for (int k = 0; k < 3; k++) {
            items[k] = draw(2) == 0 ? draw_patch(ctx, draw(2) == 0, draw(2) == 0) : draw_number();
        }
        return draw(2) == 0 ? val_tuple(ctx, items, 3) : val_set(ctx, items, 3);
    }
}

/* An argument of the type that follows `name: ` in the signature, mostly. */
static Val draw_argument(Ctx *ctx, const char *type) {
    if (draw(12) == 0) {
        return draw_any(ctx);
    }
    if (strncmp(type, "grid", 4) == 0 || (strncmp(type, "pi", 2) == 0 && draw(3) == 0)) {
        return draw_grid(ctx);
    }
    if (strncmp(type, "pair", 4) == 0) {
        return val_pair32(between(-3, 3), draw(9) == 0 ? between(-70000, 70000) : between(-3, 3));
    }
    if (strncmp(type, "int", 3) == 0) { /* a factor or a choice; large factors meet the limits */
        return val_int(between(-1, 5));
    }
    if (strncmp(type, "color", 5) == 0) {
        return draw_number();
    }
    return draw_patch(ctx, draw(2) == 0, draw(10) == 0);
}

static const Families families = {.set = 1u << FAMILY_MEASURE | 1u << FAMILY_PATCHES,
                                  .draw_argument = draw_argument};

static void fast_and_plain_agree(void **unused) {
    (void)unused;
    check_paths(&families, 600);
}

/* ---- laws ---- */

static void patches_obey_their_laws(void **unused) {
    (void)unused;
    for (int config = 0; config < 2; config++) {
        Ctx ctx;
        assert_true(prim_open(&ctx, config ? MODE_BATT : MODE_CORE, false, &BUDGET_DEFAULT));
        for (int round = 0; round < 3000; round++) {
            ctx_reset(&ctx);
            Val p = draw_patch(&ctx, draw(2) == 0, false), q = draw_patch(&ctx, draw(2) == 0, false);
            Val by = val_pair32(between(-9, 9), between(-9, 9)), back = val_pair32(-by.a, -by.b);
            static const uint16_t mirrors[] = {P_hmirror, P_vmirror, P_dmirror, P_cmirror};
            for (int k = 0; k < 4; k++) {
                assert_true(val_eq(prim1(&ctx, mirrors[k], prim1(&ctx, mirrors[k], p)), p));
            }
            Val away = prim2(&ctx, P_shift, p, by);
            assert_true(val_eq(prim2(&ctx, P_shift, away, back), p));
            assert_true(val_eq(prim1(&ctx, P_normalize, away), prim1(&ctx, P_normalize, p)));
            assert_true(val_eq(prim2(&ctx, P_manhattan, p, q), prim2(&ctx, P_manhattan, q, p)));
            assert_true(
                val_eq(prim2(&ctx, P_adjacent, p, q), val_bool(prim2(&ctx, P_manhattan, p, q).i == 1)));
            Val box = prim1(&ctx, P_backdrop, p), ix = prim1(&ctx, P_toindices, p),
                free = prim1(&ctx, P_delta, p);
            if (!val_failed(box)) { /* it may have too many places */
                assert_true(val_eq(prim2(&ctx, P_combine, free, ix), box));
                assert_true(val_eq(prim1(&ctx, P_corners, box), prim1(&ctx, P_corners, p)));
            }
            Val pull = prim2(&ctx, P_gravitate, p, q);
            int32_t far = pull.a + pull.b < 0 ? -(pull.a + pull.b) : pull.a + pull.b;
            if (far < 42) {
                assert_true(prim2(&ctx, P_adjacent, prim2(&ctx, P_shift, p, pull), q).i);
            }
        }
        prim_close(&ctx);
    }
}

static void failed_allocations_are_failures(void **unused) {
    (void)unused;
    visit_all(&families, 20, fail_each_allocation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_plain_agree),
        cmocka_unit_test(patches_obey_their_laws),
        cmocka_unit_test(failed_allocations_are_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
