/* Between objects and grids: the color of an object, reading an object from a grid or moving it there, one
 * entry of a grid. */
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/places.h"
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

#include <string.h>

Val prim_color_core(Ctx *ctx, const Val *a) {
    Val o = a[0];
    if (LIKELY(o.kind == VAL_OBJ_CORE && FAST_PATH(ctx))) {
        return val_int(key_color(VAL_OBJ_CORE, o.k[0]));
    }
    if (!val_is_container(o)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(o) == 0) {
        return val_fail(FAIL_EMPTY);
    }
    Val e = val_at(o, 0);
    return !val_is_tuple(e) ? val_fail(FAIL_TYPE) : val_len(e) == 0 ? val_fail(FAIL_RANGE) : val_at(e, 0);
}

Val prim_color_batt(Ctx *ctx, const Val *a) {
    Val o = a[0];
    if (LIKELY(o.kind == VAL_OBJ_BATT && FAST_PATH(ctx))) {
        return val_int(key_color(VAL_OBJ_BATT, o.k[0]));
    }
    if (!val_is_container(o)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(o) == 0 || !val_is_tuple(val_at(o, 0))) {
        return val_atom(ATOM_NEG_INF);
    }
    Val e = val_at(o, 0);
    return val_len(e) < 3 ? val_fail(FAIL_RANGE) : val_at(e, 2);
}

/* Sorts a core object of several colors, all within `first` to `last`, by color. The given keys are in
 * reading order. */
static Val by_color(Ctx *ctx, const uint32_t *keys, uint32_t n, uint32_t first, uint32_t last) {
    uint32_t start[257], *out = key_buffer(ctx, n);
    if (out == NULL) {
        return val_fail_budget(ctx);
    }
    memset(start + first, 0, (last - first + 2) * sizeof *start);
    for (uint32_t k = 0; k < n; k++) {
        start[(keys[k] >> 24) + 1]++;
    }
    for (uint32_t c = first; c < last; c++) {
        start[c + 1] += start[c];
    }
    for (uint32_t k = 0; k < n; k++) {
        out[start[keys[k] >> 24]++] = keys[k];
    }
    return val_keys_sorted(VAL_OBJ_CORE, out, n);
}

/* The key of the place with this index key, without its color. */
INLINE uint32_t place_key(Kind kind, uint32_t key) {
    uint32_t place = ((key >> 16) - KEY_INDEX + KEY_COORD) << 12 | ((key & 0xffff) - KEY_INDEX + KEY_COORD);
    return kind == VAL_OBJ_CORE ? place : place << 8;
}

/* The cells at these places that lie in the grid, in the order of the places; returns how many. */
INLINE uint32_t write_cells(Kind kind, Val places, Val grid, uint32_t *out) {
    const unsigned up = kind == VAL_OBJ_CORE ? 24 : 0;
    uint32_t n = 0, k = 0, at[PLACES];
    for (; k + PLACES <= places.n && places_of(VAL_INDICES, places.k + k, grid, at); k += PLACES) {
        for (uint32_t m = 0; m < PLACES; m++) {
            at[m] = (uint32_t)(grid.b8[at[m]] + 128) << up;
        }
        for (uint32_t m = 0; m < PLACES; m++) {
            out[n + m] = place_key(kind, places.k[k + m]) | at[m];
        }
        n += PLACES;
    }
    for (; k < places.n; k++) {
        uint32_t key = places.k[k], i = (key >> 16) - KEY_INDEX, j = (key & 0xffff) - KEY_INDEX;
        if (i < grid.n && j < grid.w) {
            out[n++] = place_key(kind, key) | (uint32_t)(grid.b8[(size_t)i * grid.w + j] + 128) << up;
        }
    }
    return n;
}

static Val toobject_keys(Ctx *ctx, Val p, Val grid) {
    p = patch_toindices(ctx, p);
    uint32_t *out = val_failed(p) ? NULL : key_buffer(ctx, p.n);
    if (out == NULL) {
        return val_fail_budget(ctx);
    }
    if (ctx_object_kind(ctx) == VAL_OBJ_BATT) {
        return val_keys_sorted(VAL_OBJ_BATT, out, write_cells(VAL_OBJ_BATT, p, grid, out));
    }
    uint32_t n = write_cells(VAL_OBJ_CORE, p, grid, out), min = UINT32_MAX, max = 0;
    for (uint32_t k = 0; k < n; k++) {
        min = out[k] < min ? out[k] : min;
        max = out[k] > max ? out[k] : max;
    }
    bool mixed = n != 0 && min >> 24 != max >> 24;
    return mixed ? by_color(ctx, out, n, min >> 24, max >> 24) : val_keys_sorted(VAL_OBJ_CORE, out, n);
}

/* grid[i][j]; *inside is false if it is outside the height of the grid or the width of its first row. */
static Val entry(Val grid, int64_t i, int64_t j, bool *inside) {
    uint32_t h, w;
    Val v = val_int(0);
    Reason why = rows_shape(grid, &h, &w);
    *inside = why == FAIL_NONE && i >= 0 && i < h && j >= 0 && j < w;
    if (*inside) {
        why = rows_at(grid, (uint32_t)i, (uint32_t)j, &v);
    }
    return why == FAIL_NONE ? v : val_fail(why);
}

Val prim_toobject(Ctx *ctx, const Val *a) {
    Val p = a[0], grid = a[1];
    if (patch_packed(ctx, p, AS_PATCH) && grid.kind == VAL_GRID8 && grid.n <= KEY_COORD &&
        grid.w <= KEY_COORD) {
        return toobject_keys(ctx, p, grid);
    }
    bool inside;
    Val corner = entry(grid, -1, -1, &inside);
    if (val_failed(corner)) {
        return corner;
    }
    Patch patch;
    Reason why = patch_ix(ctx, p, AS_PATCH, &patch);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint32_t n = 0;
    for (uint32_t k = 0; k < patch.n; k++) {
        PatchCell c = patch.cells[k];
        c.c = entry(grid, c.i, c.j, &inside);
        if (val_failed(c.c)) {
            return c.c;
        }
        if (inside) {
            patch.cells[n++] = c;
        }
    }
    patch.n = n;
    patch.object = true;
    return patch_set(ctx, &patch);
}

Val prim_index(Ctx *ctx, const Val *a) {
    Val grid = a[0], loc = a[1];
    if (LIKELY(grid.kind == VAL_GRID8 && loc.kind == VAL_PAIR && FAST_PATH(ctx))) {
        if (LIKELY((uint32_t)loc.a < grid.n && (uint32_t)loc.b < grid.w)) {
            return val_int(grid.b8[(size_t)loc.a * grid.w + (size_t)loc.b]);
        }
        return val_atom(ctx->mode == MODE_CORE ? ATOM_NONE : ATOM_NEG_INF);
    }
    if (ctx->mode == MODE_BATT && loc.kind == VAL_TUPLE && loc.n == 0) {
        return val_atom(ATOM_NEG_INF);
    }
    int64_t i, j;
    bool inside = true;
    if (!val_get_pair(loc, &i, &j)) {
        return val_fail(FAIL_TYPE);
    }
    Val v = entry(grid, i, j, &inside);
    return inside || val_failed(v) ? v : val_atom(ctx->mode == MODE_CORE ? ATOM_NONE : ATOM_NEG_INF);
}

static Val move_keys(Ctx *ctx, Val grid, Val obj, int32_t di, int32_t dj) {
    int64_t background;
    KeyFields f = key_fields(obj.kind);
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    grid_mostcolor(grid, &background);
    memcpy(cells, grid.b8, (size_t)grid.n * grid.w);
    for (uint32_t k = 0; k < obj.n; k++) {
        uint32_t i = (uint32_t)key_row_in(f, obj.k[k]), j = (uint32_t)key_col_in(f, obj.k[k]);
        if (i < grid.n && j < grid.w) {
            cells[(size_t)i * grid.w + j] = (int8_t)background;
        }
    }
    for (uint32_t k = 0; k < obj.n; k++) {
        int64_t i = (int64_t)key_row_in(f, obj.k[k]) + di, j = (int64_t)key_col_in(f, obj.k[k]) + dj;
        if (i >= 0 && i < grid.n && j >= 0 && j < grid.w) {
            cells[i * grid.w + j] = (int8_t)key_color(obj.kind, obj.k[k]);
        }
    }
    return val_grid8(cells, grid.n, grid.w);
}

Val prim_move(Ctx *ctx, const Val *a) {
    Val grid = a[0], obj = a[1], offset = a[2];
    if (LIKELY(patch_packed(ctx, obj, AS_OBJECT) && grid.kind == VAL_GRID8 && grid.w != 0 &&
               offset.kind == VAL_PAIR)) {
        return move_keys(ctx, grid, obj, offset.a, offset.b);
    }
    if (val_is_container(obj) && val_len(obj) == 0 && grid.kind == VAL_GRID8 && grid.w != 0) {
        return grid;
    }
    Val covered = prim2(ctx, P_cover, grid, obj), moved = prim2(ctx, P_shift, obj, offset);
    return prim2(ctx, P_paint, covered, moved);
}
