/* Painting and recoloring grids.
 *
 * The fast paths are for a grid of bytes, a packed patch or a tuple of pairs or cells, and colors that fit a
 * byte. They copy the cells once and then touch only what changes. If a patch changes nothing, the result is
 * the grid itself. */
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/paint_tuple.h"
#include "engine/arcdsl/places.h"
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

#include <string.h>

/* A copy to be changed at the places of a patch; charges for both. */
static int8_t *copy_cells(Ctx *ctx, Val grid, Val patch, Reason *why) {
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, why);
    if (cells != NULL && !ctx_charge(ctx, patch.n / 64)) {
        *why = (Reason)ctx->exhausted;
        return NULL;
    }
    if (cells != NULL) {
        memcpy(cells, grid.b8, (size_t)grid.n * grid.w);
    }
    return cells;
}

/* Whether the fast paths can read a patch or object: it is packed, or the empty set. */
static bool places_packed(Ctx *ctx, Val patch, PatchAs as) {
    return patch_packed(ctx, patch, as) || (patch.kind == VAL_SET && patch.n == 0);
}

/* ---- the plain way ---- */

/* The cells of an object; every element must be a cell. */
static Reason read_cells(Ctx *ctx, Val obj, Patch *cells) {
    if (!val_is_container(obj)) {
        return FAIL_TYPE;
    }
    *cells = (Patch){.n = val_len(obj), .object = true};
    cells->cells = ctx_alloc(ctx, cells->n * sizeof *cells->cells);
    if (cells->cells == NULL) {
        return (Reason)ctx->exhausted;
    }
    Reason why = FAIL_NONE;
    for (uint32_t k = 0; k < cells->n && why == FAIL_NONE; k++) {
        why = patch_read_cell(ctx, val_at(obj, k), &cells->cells[k]);
    }
    return why;
}

/* D4: what is written into a grid is an integer. The dialect's vectors have other values, as its original
 * does. */
static bool may_be_color(const Ctx *ctx, Val v) {
    return val_is_int(v) || ctx->mode != MODE_CORE;
}

/* Colors the places of a patch, each in its own color or all in *color; if `only` is given, only where the
 * entry equals it at that moment. */
static Val edit_plain(Ctx *ctx, Val grid, const Patch *patch, const Val *color, const Val *only) {
    uint32_t h, w;
    Rows rows;
    Reason why = rows_shape(grid, &h, &w);
    why = why != FAIL_NONE ? why : rows_read(ctx, grid, &rows);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    for (uint32_t k = 0; k < patch->n; k++) {
        const PatchCell *cell = &patch->cells[k];
        if (cell->i < 0 || cell->i >= h || cell->j < 0 || cell->j >= w) {
            continue;
        }
        Row row = rows.row[cell->i];
        if (cell->j >= row.n) {
            return val_fail(FAIL_RANGE);
        }
        if (only != NULL && !val_eq_direct(row.v[cell->j], *only)) {
            continue;
        }
        row.v[cell->j] = color != NULL ? *color : cell->c;
        if (!may_be_color(ctx, row.v[cell->j])) {
            return val_fail(FAIL_TYPE);
        }
    }
    return rows_tuple(ctx, rows);
}

/* The most common entry. If there is none, core mode fails; in batt mode it is nan, which equals nothing. */
static Val background(Ctx *ctx, Val grid) {
    uint32_t h, w;
    Reason why = rows_shape(grid, &h, &w);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    Val bg = colors_most(ctx, grid);
    return ctx->mode == MODE_BATT && val_failed(bg) && bg.w == FAIL_EMPTY ? val_atom(ATOM_NAN) : bg;
}

/* ---- fill, cover, underfill ---- */

/* The result if there is nothing to color: the grid. Without cells there is no most common color, and core
 * mode fails. */
static Val without_change(const Ctx *ctx, Val grid) {
    return grid.w == 0 && ctx->mode == MODE_CORE ? val_fail(FAIL_EMPTY) : grid;
}

INLINE void edit_one(int8_t *cell, unsigned kind, uint32_t key, int color, int only) {
    int8_t new = (int8_t)(color == PAINT_OWN ? key_color(kind, key) : color);
    *cell = only == PAINT_ANY || *cell == only ? new : *cell;
}

INLINE void edit_keys(int8_t *cells, Val grid, Val patch, unsigned kind, int color, int only) {
    uint32_t at[PLACES], k = 0;
    for (; k + PLACES <= patch.n && places_of(kind, patch.k + k, grid, at); k += PLACES) {
#pragma GCC unroll 8
        for (uint32_t m = 0; m < PLACES; m++) {
            edit_one(cells + at[m], kind, patch.k[k + m], color, only);
        }
    }
    for (; k < patch.n; k++) {
        uint32_t i = (uint32_t)key_row(kind, patch.k[k]), j = (uint32_t)key_col(kind, patch.k[k]);
        if (i < grid.n && j < grid.w) {
            edit_one(cells + i * grid.w + j, kind, patch.k[k], color, only);
        }
    }
}

/* The same for every kind of key, so that the compiler knows which one it is. */
INLINE void edit(int8_t *cells, Val grid, Val patch, int color, int only) {
    switch (patch.kind) {
    case VAL_INDICES:
        edit_keys(cells, grid, patch, VAL_INDICES, color, only);
        break;
    case VAL_OBJ_CORE:
        edit_keys(cells, grid, patch, VAL_OBJ_CORE, color, only);
        break;
    default:
        edit_keys(cells, grid, patch, VAL_OBJ_BATT, color, only);
    }
}

static Val fill_fast(Ctx *ctx, Val grid, int8_t color, Val patch) {
    if (patch.kind == VAL_SET) {
        return grid;
    }
    Reason why;
    int8_t *cells = copy_cells(ctx, grid, patch, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    edit(cells, grid, patch, color, PAINT_ANY);
    return val_grid8(cells, grid.n, grid.w);
}

static Val fill_plain(Ctx *ctx, Val grid, Val color, Val patch) {
    Patch places;
    Val filled;
    if (fits_byte(color) && paint_tuple(ctx, grid, patch, AS_PATCH, (int)color.i, PAINT_ANY, &filled)) {
        return filled;
    }
    Reason why = patch_ix(ctx, patch, AS_PATCH, &places);
    return why != FAIL_NONE ? val_fail(why) : edit_plain(ctx, grid, &places, &color, NULL);
}

Val prim_fill(Ctx *ctx, const Val *a) {
    if (LIKELY(grid_packed(ctx, a[0]) && places_packed(ctx, a[2], AS_PATCH) && fits_byte(a[1]))) {
        return fill_fast(ctx, a[0], (int8_t)a[1].i, a[2]);
    }
    return fill_plain(ctx, a[0], a[1], a[2]);
}

Val prim_cover(Ctx *ctx, const Val *a) {
    if (LIKELY(grid_packed(ctx, a[0]) && places_packed(ctx, a[1], AS_PATCH))) {
        int64_t bg;
        if (a[0].w == 0 || a[1].kind == VAL_SET) {
            return without_change(ctx, a[0]);
        }
        grid_mostcolor(a[0], &bg);
        return fill_fast(ctx, a[0], (int8_t)bg, a[1]);
    }
    Val bg = background(ctx, a[0]);
    return val_failed(bg) ? bg : fill_plain(ctx, a[0], bg, a[1]);
}

Val prim_underfill(Ctx *ctx, const Val *a) {
    if (LIKELY(grid_packed(ctx, a[0]) && places_packed(ctx, a[2], AS_PATCH) && fits_byte(a[1]))) {
        int64_t bg;
        if (a[0].w == 0 || a[2].kind == VAL_SET) {
            return without_change(ctx, a[0]);
        }
        grid_mostcolor(a[0], &bg);
        Reason why;
        int8_t *cells = copy_cells(ctx, a[0], a[2], &why);
        if (cells == NULL) {
            return val_fail(why);
        }
        edit(cells, a[0], a[2], (int8_t)a[1].i, (int8_t)bg);
        return val_grid8(cells, a[0].n, a[0].w);
    }
    Val bg = background(ctx, a[0]), filled;
    Patch places;
    if (fits_byte(bg) && fits_byte(a[1]) &&
        paint_tuple(ctx, a[0], a[2], AS_PATCH, (int)a[1].i, (int)bg.i, &filled)) {
        return filled;
    }
    Reason why = val_failed(bg) ? (Reason)bg.w : patch_ix(ctx, a[2], AS_PATCH, &places);
    return why != FAIL_NONE ? val_fail(why) : edit_plain(ctx, a[0], &places, &a[1], &bg);
}

/* ---- paint, underpaint ---- */

Val prim_paint(Ctx *ctx, const Val *a) {
    Reason why;
    if (LIKELY(grid_packed(ctx, a[0]) && places_packed(ctx, a[1], AS_OBJECT))) {
        if (a[1].kind == VAL_SET) {
            return a[0];
        }
        int8_t *cells = copy_cells(ctx, a[0], a[1], &why);
        if (cells == NULL) {
            return val_fail(why);
        }
        edit(cells, a[0], a[1], PAINT_OWN, PAINT_ANY);
        return val_grid8(cells, a[0].n, a[0].w);
    }
    Patch cells;
    Val painted;
    if (paint_tuple(ctx, a[0], a[1], AS_OBJECT, PAINT_OWN, PAINT_ANY, &painted)) {
        return painted;
    }
    why = read_cells(ctx, a[1], &cells);
    return why != FAIL_NONE ? val_fail(why) : edit_plain(ctx, a[0], &cells, NULL, NULL);
}

Val prim_underpaint(Ctx *ctx, const Val *a) {
    Reason why;
    if (LIKELY(grid_packed(ctx, a[0]) && places_packed(ctx, a[1], AS_OBJECT))) {
        int64_t bg;
        if (a[0].w == 0 || a[1].kind == VAL_SET) {
            return without_change(ctx, a[0]);
        }
        grid_mostcolor(a[0], &bg);
        int8_t *cells = copy_cells(ctx, a[0], a[1], &why);
        if (cells == NULL) {
            return val_fail(why);
        }
        edit(cells, a[0], a[1], PAINT_OWN, (int8_t)bg);
        return val_grid8(cells, a[0].n, a[0].w);
    }
    Val bg = background(ctx, a[0]), painted;
    Patch cells;
    if (fits_byte(bg) && paint_tuple(ctx, a[0], a[1], AS_OBJECT, PAINT_OWN, (int)bg.i, &painted)) {
        return painted;
    }
    why = val_failed(bg) ? (Reason)bg.w : read_cells(ctx, a[1], &cells);
    return why != FAIL_NONE ? val_fail(why) : edit_plain(ctx, a[0], &cells, NULL, &bg);
}

/* ---- replace, switch, cellwise ---- */

static Val swap_plain(Ctx *ctx, Val grid, Val x, Val for_x, const Val *for_other) {
    Rows rows;
    Reason why = rows_read(ctx, grid, &rows);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    size_t walked = 0;
    for (uint32_t i = 0; i < rows.h; i++) {
        if (!ctx_check_time_after(ctx, &walked, 1 + rows.row[i].n)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t j = 0; j < rows.row[i].n; j++) {
            Val *v = &rows.row[i].v[j];
            if (val_eq_direct(*v, x)) {
                *v = for_x;
                if (for_other == NULL &&
                    !may_be_color(ctx, for_x)) { /* switch only exchanges what it finds */
                    return val_fail(FAIL_TYPE);
                }
            } else if (for_other != NULL && val_eq_direct(*v, for_x)) {
                *v = *for_other;
            }
        }
    }
    return rows_tuple(ctx, rows);
}

/* Changes x to y, and with `both` also y to x. */
INLINE Val swap_bytes(Ctx *ctx, Val grid, int8_t x, int8_t y, bool both) {
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    size_t n = (size_t)grid.n * grid.w;
    for (size_t k = 0; k < n; k++) {
        int8_t v = grid.b8[k];
        cells[k] = v == x ? y : both && v == y ? x : v;
    }
    return val_grid8(cells, grid.n, grid.w);
}

Val prim_replace(Ctx *ctx, const Val *a) {
    if (LIKELY(grid_packed(ctx, a[0]) && fits_byte(a[2]))) {
        return fits_byte(a[1]) ? swap_bytes(ctx, a[0], (int8_t)a[1].i, (int8_t)a[2].i, false) : a[0];
    }
    return swap_plain(ctx, a[0], a[1], a[2], NULL);
}

Val prim_switch(Ctx *ctx, const Val *a) {
    if (LIKELY(grid_packed(ctx, a[0]) && fits_byte(a[1]) && fits_byte(a[2]))) {
        return swap_bytes(ctx, a[0], (int8_t)a[1].i, (int8_t)a[2].i, true);
    }
    return swap_plain(ctx, a[0], a[1], a[2], &a[1]);
}

/* The entry of b at (i, j); if there is none, core mode fails and batt mode gives -inf. */
static Reason other_entry(const Ctx *ctx, Val b, uint32_t i, uint32_t j, Val *entry) {
    uint32_t h, w;
    if (ctx->mode == MODE_BATT) {
        Reason why = rows_shape(b, &h, &w);
        if (why != FAIL_NONE || i >= h || j >= w) {
            *entry = val_atom(ATOM_NEG_INF);
            return why;
        }
    }
    return rows_at(b, i, j, entry);
}

typedef Val EntryOf(Ctx *ctx, Val b, uint32_t i, uint32_t j);

static Val entry_strict(Ctx *ctx, Val b, uint32_t i, uint32_t j) {
    Val entry;
    Reason why = other_entry(ctx, b, i, j, &entry);
    return why != FAIL_NONE ? val_fail(why) : entry;
}

static Val cellwise_plain(Ctx *ctx, const Val *a, EntryOf *entry_of) {
    uint32_t h, w;
    Rows rows;
    Reason why = rows_shape(a[0], &h, &w);
    why = why != FAIL_NONE ? why : rows_read(ctx, a[0], &rows);
    for (uint32_t i = 0; i < h && why == FAIL_NONE; i++) {
        if (w != 0 && (!val_is_tuple(val_at(a[0], i)) || rows.row[i].n < w)) {
            return val_fail(val_is_tuple(val_at(a[0], i)) ? FAIL_RANGE : FAIL_TYPE);
        }
        rows.row[i].n = w;
        for (uint32_t j = 0; j < w; j++) {
            Val other = entry_of(ctx, a[1], i, j), *v = &rows.row[i].v[j];
            if (val_failed(other)) {
                return other;
            }
            if (!val_eq_direct(*v, other)) {
                *v = a[2];
                if (!may_be_color(ctx, *v)) {
                    return val_fail(FAIL_TYPE);
                }
            }
        }
    }
    return why != FAIL_NONE ? val_fail(why) : rows_tuple(ctx, rows);
}

static inline Val cellwise(Ctx *ctx, const Val *a, bool clip) {
    Val x = a[0], y = a[1];
    if (LIKELY(FAST_PATH(ctx) && x.kind == VAL_GRID8 && y.kind == VAL_GRID8 && fits_byte(a[2]) &&
               (clip || (y.n >= x.n && y.w >= x.w)))) {
        Reason why;
        int8_t *cells = grid_buffer(ctx, x.n, x.w, &why), other = (int8_t)a[2].i;
        if (cells == NULL) {
            return val_fail(why);
        }
        uint32_t common_h = y.n < x.n ? y.n : x.n, common_w = y.w < x.w ? y.w : x.w;
        if (common_w < x.w || common_h < x.n) {
            memset(cells, other, (size_t)x.n * x.w);
        }
        size_t run = common_w, runs = common_h;
        if (x.w == y.w) { /* one loop over all rows */
            run *= runs;
            runs = 1;
        }
        int8_t *to = cells;
        for (; runs > 0; runs--, to += x.w, x.b8 += x.w, y.b8 += y.w) {
            for (size_t k = 0; k < run; k++) {
                to[k] = x.b8[k] == y.b8[k] ? x.b8[k] : other;
            }
        }
        return val_grid8(cells, x.n, x.w);
    }
    return cellwise_plain(ctx, a, entry_strict);
}

Val prim_cellwise(Ctx *ctx, const Val *a) {
    return cellwise(ctx, a, false);
}

Val prim_cellwise_batt(Ctx *ctx, const Val *a) {
    return cellwise(ctx, a, true);
}

/* ---- canvas, asobject ---- */

static Val canvas_plain(Ctx *ctx, Val value, uint32_t h, uint32_t w) {
    Val *row = val_buffer(ctx, w), *rows = val_buffer(ctx, h);
    if (row == NULL || rows == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t j = 0; j < w; j++) {
        row[j] = value;
    }
    rows[0] = val_tuple(ctx, row, w);
    for (uint32_t i = 1; i < h; i++) {
        rows[i] = rows[0];
    }
    return val_failed(rows[0]) ? rows[0] : val_tuple(ctx, rows, h);
}

Val prim_canvas(Ctx *ctx, const Val *a) {
    int64_t h, w;
    Reason why = may_be_color(ctx, a[0]) ? tuple_two_ints(a[1], &h, &w) : FAIL_TYPE;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    if (h <= 0) {
        return VAL_EMPTY_TUPLE;
    }
    w = w < 0 ? 0 : w;
    if (h > LIMIT_ELEMENTS || w > LIMIT_WIDTH || h * w > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    if (UNLIKELY(!FAST_PATH(ctx) || !fits_byte(a[0]))) {
        return canvas_plain(ctx, a[0], (uint32_t)h, (uint32_t)w);
    }
    int8_t *cells = grid_buffer(ctx, h, w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    memset(cells, (int)a[0].i, (size_t)(h * w));
    return val_grid8(cells, (uint32_t)h, (uint32_t)w);
}

static Val asobject_plain(Ctx *ctx, Val grid) {
    Rows rows;
    Reason why = rows_read(ctx, grid, &rows);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint64_t n = 0, at = 0;
    for (uint32_t i = 0; i < rows.h; i++) {
        n += rows.row[i].n;
    }
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (uint32_t i = 0; i < rows.h; i++) {
        for (uint32_t j = 0; j < rows.row[i].n; j++) {
            items[at] = rows_cell(ctx, rows.row[i].v[j], i, j);
            if (val_failed(items[at++])) {
                return items[at - 1];
            }
        }
    }
    return val_set(ctx, items, (uint32_t)n);
}

Val prim_asobject(Ctx *ctx, const Val *a) {
    Val grid = a[0];
    if (!grid_has_keys(ctx, grid)) {
        return asobject_plain(ctx, grid);
    }
    size_t n = (size_t)grid.n * grid.w;
    uint32_t *keys = key_buffer(ctx, n), at[256], sum = 0;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    uint32_t *first = at + 128; /* by color: where the next key goes */
    if (LIKELY(colors_count10(grid.b8, n, first))) {
        for (int c = 0; c < 10; c++) {
            uint32_t count = first[c];
            first[c] = sum;
            sum += count;
        }
    } else {
        colors_count(grid.b8, n, at);
        for (int c = 0; c < 256; c++) {
            uint32_t count = at[c];
            at[c] = sum;
            sum += count;
        }
    }
    const int8_t *from = grid.b8;
    for (uint32_t i = 0; i < grid.n; i++) {
        uint32_t key = key_core(0, (int32_t)i, 0);
        for (uint32_t j = 0; j < grid.w; j++) {
            int8_t c = *from++;
            keys[first[c]++] = key + j + (uint32_t)c * (1u << 24);
        }
    }
    return val_keys_sorted(VAL_OBJ_CORE, keys, (uint32_t)n);
}

static bool is_grid_shaped(Val v) { /* a tuple of tuples of integers, possibly ragged */
    if (v.kind != VAL_TUPLE) {
        return val_is_grid(v);
    }
    for (uint32_t k = 0; k < v.n; k++) {
        if (!val_is_ints(v.v[k])) {
            return false;
        }
    }
    return true;
}

Val prim_asobject_batt(Ctx *ctx, const Val *a) {
    Val grid = a[0];
    if (!grid_has_keys(ctx, grid)) {
        return is_grid_shaped(grid) ? asobject_plain(ctx, grid) : VAL_EMPTY_SET;
    }
    size_t n = (size_t)grid.n * grid.w;
    uint32_t *keys = key_buffer(ctx, n), *at = keys;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    const int8_t *from = grid.b8;
    for (uint32_t i = 0; i < grid.n; i++, from += grid.w, at += grid.w) {
        uint32_t key = key_batt(-128, (int32_t)i, 0);
        for (uint32_t j = 0; j < grid.w; j++) {
            at[j] = key + (j << 8) + ((uint8_t)from[j] ^ 0x80u);
        }
    }
    return val_keys_sorted(VAL_OBJ_BATT, keys, (uint32_t)n);
}
