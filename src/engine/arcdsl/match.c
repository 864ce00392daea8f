/* Matching by shifts: where an object occurs in a grid, and after how many steps it repeats itself.
 *
 * Both turn cells into bit rows, one string of bits per color and row. Trying an object at all places of a
 * row is then a shift of words. */
#include "engine/arcdsl/color_rows.h"
#include "engine/arcdsl/match_wide.h"
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

/* ---- occurrences ---- */

/* All (i, j) with i < h and j < w. */
static Val all_places(Ctx *ctx, int64_t h, int64_t w) {
    if (h <= 0 || w <= 0) {
        return VAL_EMPTY_SET;
    }
    if (h > KEY_INDEX || w > KEY_INDEX || h * w > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    uint32_t *keys = key_buffer(ctx, (size_t)(h * w)), *at = keys;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            *at++ = key_index(i, j);
        }
    }
    return val_keys_sorted(VAL_INDICES, keys, (uint32_t)(h * w));
}

static Val indices_of_bits(Ctx *ctx, const uint64_t *rows, uint32_t h) {
    size_t n = 0;
    for (uint32_t i = 0; i < h; i++) {
        n += (size_t)__builtin_popcountll(rows[i]);
    }
    uint32_t *keys = key_buffer(ctx, n), *at = keys;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t i = 0; i < h; i++) {
        for (uint64_t bits = rows[i]; bits != 0; bits &= bits - 1) {
            *at++ = key_index((int32_t)i, __builtin_ctzll(bits));
        }
    }
    return val_keys_sorted(VAL_INDICES, keys, (uint32_t)n);
}

/* For a grid of bytes with 1..64 columns and a packed object. */
static Val occurrences_packed(Ctx *ctx, Val grid, Val obj) {
    Box box = keys_box(obj);
    int64_t h = grid.n - (box.bottom - box.top), w = grid.w - (box.right - box.left);
    if (h <= 0 || w <= 0) {
        return VAL_EMPTY_SET;
    }
    ColorRows colors;
    color_rows_open(&colors, grid);
    CtxMark mark = ctx_mark(ctx);
    uint64_t *found = ctx_alloc(ctx, (size_t)h * sizeof *found);
    if (found == NULL || !ctx_charge(ctx, obj.n * (uint64_t)h / 64)) {
        return val_fail_budget(ctx);
    }
    for (int64_t i = 0; i < h; i++) {
        found[i] = ~(uint64_t)0 >> (64 - w);
    }
    for (uint32_t k = 0; k < obj.n; k++) {
        const uint64_t *rows = color_rows(ctx, &colors, key_color(obj.kind, obj.k[k]));
        if (rows == NULL) {
            return val_fail_budget(ctx);
        }
        rows += key_row(obj.kind, obj.k[k]) - box.top;
        uint64_t any = 0;
        unsigned shift = (unsigned)(key_col(obj.kind, obj.k[k]) - box.left);
        for (int64_t i = 0; i < h; i++) {
            found[i] &= rows[i] >> shift;
            any |= found[i];
        }
        if (any == 0) {
            ctx_release(ctx, mark);
            return VAL_EMPTY_SET;
        }
    }
    return indices_of_bits(ctx, found, (uint32_t)h);
}

static bool occurs_at(Ctx *ctx, Val grid, const Patch *cells, int64_t i, int64_t j, uint32_t h, uint32_t w,
                      Reason *why) {
    for (uint32_t k = 0; k < cells->n; k++) {
        const PatchCell *cell = &cells->cells[k];
        int64_t x, y;
        Val entry;
        if (k % 64 == 63 && !ctx_charge(ctx, 16)) {
            *why = (Reason)ctx->exhausted;
            return false;
        }
        if (__builtin_add_overflow(cell->i, i, &x) || __builtin_add_overflow(cell->j, j, &y)) {
            *why = FAIL_OVERFLOW;
            return false;
        }
        if (x < 0 || x >= h || y < 0 || y >= w) {
            return false;
        }
        *why = rows_at(grid, (uint32_t)x, (uint32_t)y, &entry);
        if (*why != FAIL_NONE || !val_eq_direct(entry, cell->c)) {
            return false;
        }
    }
    return true;
}

/* `normal` is the object moved to the origin, of size oh x ow; its cells are read only if there is a place to
 * try. */
static Val occurrences_plain(Ctx *ctx, Val grid, Val normal, int64_t oh, int64_t ow) {
    uint32_t h, w;
    Reason why = rows_shape(grid, &h, &w);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    int64_t rows = (int64_t)h - oh + 1, cols = (int64_t)w - ow + 1;
    if (rows <= 0 || cols <= 0) {
        return VAL_EMPTY_SET;
    }
    Patch cells = {0};
    why = patch_read(ctx, normal, &cells);
    why = why == FAIL_NONE && cells.n != 0 && !cells.object ? FAIL_TYPE : why;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    if (cells.n == 0) {
        return all_places(ctx, rows, cols);
    }
    Val *items = rows * cols > LIMIT_ELEMENTS ? NULL : val_buffer(ctx, (size_t)(rows * cols));
    uint32_t n = 0;
    Val found;
    if (items == NULL) {
        return rows * cols > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    if (grid_packed(ctx, grid) && normal.kind == (unsigned)ctx_object_kind(ctx) &&
        match_wide(ctx, grid, &cells, (uint32_t)rows, (uint32_t)cols, items, &found)) {
        return found;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (!ctx_charge(ctx, (uint64_t)cols)) {
            return val_fail_budget(ctx);
        }
        for (int64_t j = 0; j < cols; j++) {
            if (occurs_at(ctx, grid, &cells, i, j, h, w, &why)) {
                items[n++] = val_pair32((int32_t)i, (int32_t)j);
            }
            if (why != FAIL_NONE) {
                return val_fail(why);
            }
        }
    }
    return val_set_sorted(ctx, items, n);
}

Val prim_occurrences(Ctx *ctx, const Val *a) {
    Val grid = a[0], obj = a[1];
    bool narrow = grid_packed(ctx, grid) && grid.w - 1u < BITS_WIDTH;
    if (LIKELY(narrow && patch_packed(ctx, obj, AS_OBJECT))) {
        return occurrences_packed(ctx, grid, obj);
    }
    uint32_t h, w;
    Reason why = rows_shape(grid, &h, &w);
    if (why != FAIL_NONE || !val_is_container(obj)) {
        return val_fail(why != FAIL_NONE ? why : FAIL_TYPE);
    }
    if (val_len(obj) == 0) {
        return all_places(ctx, (int64_t)h + 1, (int64_t)w + 1);
    }
    Box box;
    why = patch_box(ctx, obj, AS_PATCH, &box);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    int64_t oh, ow, up, left;
    if (__builtin_sub_overflow(box.bottom, box.top, &oh) ||
        __builtin_sub_overflow(box.right, box.left, &ow) || __builtin_sub_overflow(0, box.top, &up) ||
        __builtin_sub_overflow(0, box.left, &left) || oh == INT64_MAX || ow == INT64_MAX) {
        return val_fail(FAIL_OVERFLOW);
    }
    oh++;
    ow++;
    if (ctx->mode == MODE_CORE && val_is_tuple(obj)) { /* core mode measures a tuple as a grid */
        uint32_t rows, cols;
        why = rows_shape(obj, &rows, &cols);
        oh = rows;
        ow = cols;
    }
    Val normal = why != FAIL_NONE ? val_fail(why) : patch_shifted(ctx, obj, up, left);
    return val_failed(normal) ? normal : occurrences_plain(ctx, grid, normal, oh, ow);
}

/* ---- periods ---- */

/* Whether every string of bits repeats itself after p bits, that is, bit k is set wherever bit k + p is. */
static bool repeats(const uint64_t *strings, size_t n, unsigned p) {
    uint64_t odd = 0;
    for (size_t k = 0; k < n; k++) {
        odd |= strings[k] >> p & ~strings[k];
    }
    return odd == 0;
}

static Val period_packed(Ctx *ctx, Val obj, Box box, bool by_rows) {
    int64_t h = box.bottom - box.top + 1, w = box.right - box.left + 1;
    int64_t along = by_rows ? h : w, across = by_rows ? w : h;
    if (along == 1) {
        return val_int(1);
    }
    uint16_t number[256] = {0}; /* by color: its position among those that occur, + 1 */
    uint16_t colors = 0;
    for (uint32_t k = 0; k < obj.n; k++) {
        uint16_t *slot = &number[key_color(obj.kind, obj.k[k]) + 128];
        if (*slot == 0) {
            *slot = ++colors;
        }
    }
    CtxMark mark = ctx_mark(ctx);
    size_t n = colors * (size_t)across;
    uint64_t *strings = ctx_alloc(ctx, n * sizeof *strings);
    if (strings == NULL || !ctx_charge(ctx, (obj.n + n * (size_t)along) / 64)) {
        return val_fail_budget(ctx);
    }
    memset(strings, 0, n * sizeof *strings);
    for (uint32_t k = 0; k < obj.n; k++) {
        uint32_t key = obj.k[k];
        int64_t i = key_row(obj.kind, key) - box.top, j = key_col(obj.kind, key) - box.left;
        uint64_t *of_color = strings + (number[key_color(obj.kind, key) + 128] - 1) * across;
        of_color[by_rows ? j : i] |= (uint64_t)1 << (by_rows ? i : j);
    }
    unsigned p = 1;
    while (p < along && !repeats(strings, n, p)) {
        p++;
    }
    ctx_release(ctx, mark);
    return val_int(p);
}

static Val period_plain(Ctx *ctx, Val obj, bool by_rows) {
    if (!val_is_container(obj)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(obj) == 0) {
        return val_int(0);
    }
    Box box;
    Reason why = patch_box(ctx, obj, AS_PATCH, &box);
    int64_t h = 0, w = 0, up = 0, left = 0;
    if (why == FAIL_NONE &&
        (__builtin_sub_overflow(box.bottom, box.top, &h) || __builtin_sub_overflow(box.right, box.left, &w) ||
         __builtin_sub_overflow(0, box.top, &up) || __builtin_sub_overflow(0, box.left, &left) ||
         h == INT64_MAX || w == INT64_MAX)) {
        why = FAIL_OVERFLOW;
    }
    Val normal = why != FAIL_NONE ? val_fail(why) : patch_shifted(ctx, obj, up, left);
    if (val_failed(normal)) {
        return normal;
    }
    int64_t along = by_rows ? h + 1 : w + 1;
    if (along < 2) {
        return val_int(along);
    }
    Patch cells;
    why = patch_read(ctx, normal, &cells);
    why = why == FAIL_NONE && !cells.object ? FAIL_TYPE : why;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    for (int64_t p = 1; p < along; p++) {
        bool repeated = true;
        if (!ctx_charge(ctx, 1 + cells.n / 16)) { /* for walking the cells that are not moved */
            return val_fail_budget(ctx);
        }
        for (uint32_t k = 0; k < cells.n && repeated; k++) {
            PatchCell cell = cells.cells[k];
            int64_t *moving = by_rows ? &cell.i : &cell.j;
            if (*moving < p) {
                continue;
            }
            *moving -= p;
            Val shifted = val_cell(ctx, cell.c.i, cell.i, cell.j);
            if (val_failed(shifted) || !ctx_charge(ctx, 1)) {
                return val_fail_budget(ctx);
            }
            repeated = val_contains(normal, shifted);
            ctx_release(ctx, mark);
        }
        if (repeated) {
            return val_int(p);
        }
    }
    return val_int(along);
}

static inline Val period(Ctx *ctx, Val obj, bool by_rows) {
    if (LIKELY(patch_packed(ctx, obj, AS_OBJECT))) {
        Box box = keys_box(obj);
        if (LIKELY(box.bottom - box.top < BITS_WIDTH && box.right - box.left < BITS_WIDTH)) {
            return period_packed(ctx, obj, box, by_rows);
        }
    }
    return period_plain(ctx, obj, by_rows);
}

Val prim_hperiod(Ctx *ctx, const Val *a) {
    return period(ctx, a[0], false);
}

Val prim_vperiod(Ctx *ctx, const Val *a) {
    return period(ctx, a[0], true);
}
