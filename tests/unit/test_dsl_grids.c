/* The families on grids: every fast path against the plain path on random arguments, in both modes, strict
 * and safe; laws that hold for all grids; and every allocation failing in turn. */
#include "dsl_fixture.h"

/* ---- random values ---- */

static int32_t draw_color(void) {
    return draw(25) == 0 ? between(-128, 127) : between(0, 9);
}

/* Noise, blocks of one color, or lines of one color; sizes around those of blocks, words and puzzles. */
static Val draw_grid(Ctx *ctx) {
    uint32_t max = draw(12) == 0 ? 70 : draw(4) == 0 ? 31 : 12;
    uint32_t h = 1 + draw(max), w = draw(25) == 0 ? 0 : 1 + draw(draw(12) == 0 ? 70 : max);
    uint32_t colors = 1 + draw(4), block = 1 + draw(3);
    int32_t palette[5];
    for (int k = 0; k < 5; k++) {
        palette[k] = draw_color();
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, h, w, &why);
    assert_non_null(cells);
    for (uint32_t i = 0; i < h; i++) {
        for (uint32_t j = 0; j < w; j++) {
            bool copy = i % block != 0 || j % block != 0;
            uint32_t from = (i - i % block) * w + (j - j % block);
            cells[i * w + j] = copy ? cells[from] : (int8_t)palette[draw(3) == 0 ? draw(colors) : 0];
        }
    }
    for (uint32_t line = draw(3); line > 0 && w > 0; line--) {
        uint32_t i = draw(h), j = draw(w);
        for (uint32_t k = 0; k < (line == 1 ? w : h); k++) {
            cells[line == 1 ? i * w + k : k * w + j] = (int8_t)palette[4];
        }
    }
    return val_grid8(cells, h, w);
}

/* A piece of the grid, moved: an argument for `occurrences`. */
static Val draw_piece(Ctx *ctx, Val grid) {
    uint32_t n = 0, h = 1 + draw(3), w = 1 + draw(3);
    Val *items = val_buffer(ctx, 9);
    assert_non_null(items);
    uint32_t top = draw(grid.n), left = grid.w == 0 ? 0 : draw(grid.w);
    int32_t down = between(-9, 9), right = between(-9, 9);
    for (uint32_t i = top; i < top + h && i < grid.n; i++) {
        for (uint32_t j = left; j < left + w && j < grid.w; j++) {
            items[n++] = val_cell(ctx, grid.b8[i * grid.w + j], (int32_t)i + down, (int32_t)j + right);
        }
    }
    return val_set(ctx, items, n);
}

static Val draw_patch(Ctx *ctx, bool object) {
    static const int32_t far[] = {2040, -2048, 32760, 70000};
    uint32_t n = draw(draw(4) == 0 ? 80 : 12), colors = 1 + draw(3);
    int32_t top = draw(15) == 0 ? far[draw(4)] : between(-3, 6),
            left = draw(15) == 0 ? far[draw(4)] : between(-3, 6);
    int32_t palette[3] = {draw_color(), draw_color(), draw_color()},
            side = draw(10) == 0 ? 70 : between(0, 8);
    Val *items = val_buffer(ctx, n);
    assert_non_null(items);
    for (uint32_t k = 0; k < n; k++) {
        int32_t i = top + between(0, side), j = left + between(0, side);
        items[k] = object ? val_cell(ctx, palette[draw(colors)], i, j) : val_pair(ctx, i, j);
    }
    return draw(10) == 0 ? val_tuple(ctx, items, n) : val_set(ctx, items, n);
}

static Val draw_any(Ctx *ctx) {
    Val *items = val_buffer(ctx, 3);
    assert_non_null(items);
    switch (draw(6)) {
    case 0:
        return VAL_EMPTY_SET;
    case 1:
        return VAL_EMPTY_TUPLE;
    case 2:
        return val_int(between(-300, 300));
    case 3:
        return val_prim(P_size);
    default: /* rows of unequal length, or of unequal kind */
        for (int k = 0; k < 3; k++) {
            Val row = val_at(prim1(ctx, P_identity, draw_grid(ctx)), 0);
            items[k] = draw(3) == 0 ? draw_patch(ctx, draw(2) == 0) : row;
        }
        return draw(3) == 0 ? val_set(ctx, items, 3) : val_tuple(ctx, items, 3);
    }
}

static Val draw_argument(Ctx *ctx, const char *type) {
    if (draw(15) == 0) {
        return draw_any(ctx);
    }
    if (strncmp(type, "grid", 4) == 0) {
        return draw_grid(ctx);
    }
    if (strncmp(type, "pair", 4) == 0) {
        return val_pair32(between(-3, 12), draw(9) == 0 ? between(-70000, 70000) : between(-3, 12));
    }
    if (strncmp(type, "int", 3) == 0) {
        return val_int(between(-2, 8));
    }
    if (strncmp(type, "bool", 4) == 0) {
        return val_bool(draw(2) == 0);
    }
    if (strncmp(type, "color", 5) == 0) {
        return val_int(draw(20) == 0 ? between(-300, 300) : draw_color());
    }
    return draw_patch(ctx, type[0] == 'o' ? draw(12) != 0 : draw(2) == 0);
}

static void adapt(Ctx *ctx, uint32_t id, Val *args) {
    if (id == P_occurrences && args[0].kind == VAL_GRID8 && draw(4) != 0) {
        args[1] = draw_piece(ctx, args[0]);
    }
    if (id == P_cellwise && draw(2) == 0) {
        args[1] = prim3(ctx, P_replace, args[0], val_int(0), val_int(1));
        args[1] = val_failed(args[1]) ? args[0] : args[1];
    }
}

static const Families families = {.set = 1u << FAMILY_PAINT | 1u << FAMILY_CUT | 1u << FAMILY_LINES |
                                         1u << FAMILY_FIND,
                                  .draw_argument = draw_argument,
                                  .adapt = adapt};

static void fast_and_plain_agree(void **unused) {
    (void)unused;
    check_paths(&families, 1500);
}

/* ---- laws ---- */

static void grids_obey_their_laws(void **unused) {
    (void)unused;
    for (int config = 0; config < 2; config++) {
        Ctx ctx;
        assert_true(prim_open(&ctx, config ? MODE_BATT : MODE_CORE, false, &BUDGET_DEFAULT));
        for (int round = 0; round < 3000; round++) {
            ctx_reset(&ctx);
            Val g = draw_grid(&ctx);
            if (g.w == 0) {
                continue;
            }
            Val turned = g;
            for (int k = 0; k < 4; k++) {
                turned = prim1(&ctx, P_rot90, turned);
            }
            assert_true(val_eq(turned, g));
            Val half = prim1(&ctx, P_rot180, g), quarter = prim1(&ctx, P_rot90, g);
            assert_true(val_eq(prim1(&ctx, P_rot270, quarter), g));
            assert_true(val_eq(prim1(&ctx, P_rot90, quarter), half));
            assert_true(val_eq(prim1(&ctx, P_hmirror_t, prim1(&ctx, P_vmirror_t, g)), half));
            assert_true(
                val_eq(prim1(&ctx, P_hmirror_t, prim1(&ctx, P_dmirror_t, g)), prim1(&ctx, P_rot270, g)));
            Val twice = prim2(&ctx, P_upscale_t, g, val_int(2));
            assert_true(val_eq(prim2(&ctx, P_downscale, twice, val_int(2)), g));
            Val beside = prim2(&ctx, P_hconcat, g, g), below = prim2(&ctx, P_vconcat, g, g);
            assert_true(val_eq(prim1(&ctx, P_lefthalf, beside), g));
            assert_true(val_eq(prim1(&ctx, P_righthalf, beside), g));
            assert_true(val_eq(prim1(&ctx, P_bottomhalf, below), g));

            Val all = prim1(&ctx, P_asobject, g), parts = prim1(&ctx, P_partition, g);
            assert_true(val_eq(prim1(&ctx, P_merge, parts), all));
            assert_true(val_eq(
                prim2(&ctx, P_paint, prim2(&ctx, P_canvas, val_int(5), val_pair32((int)g.n, g.w)), all), g));
            for (int type = 0; type < 8; type += 2) { /* with the background: every cell is in one object */
                Val objects = prim2(&ctx, P_o_g, g, val_int(type)),
                    walks = prim2(&ctx, P_o_g_t, g, val_int(type));
                assert_true(val_eq(prim1(&ctx, P_merge, objects), all));
                assert_int_equal(val_len(objects), val_len(walks));
                uint32_t cells = 0;
                for (uint32_t k = 0; k < val_len(objects); k++) {
                    cells += val_len(val_at(objects, k));
                }
                assert_int_equal(cells, val_len(all));
            }
            Val part = draw_piece(&ctx, g), places = prim2(&ctx, P_occurrences, g, part);
            assert_true(val_len(places) > 0);
            for (uint32_t k = 0; k < val_len(places); k++) {
                Val there = prim2(&ctx, P_shift, prim1(&ctx, P_normalize, part), val_at(places, k));
                assert_true(val_eq(prim2(&ctx, P_paint, g, there), g));
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
        cmocka_unit_test(grids_obey_their_laws),
        cmocka_unit_test(failed_allocations_are_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
