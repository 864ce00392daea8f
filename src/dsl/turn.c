/* Mirrors, turns and block scaling; see turn.h. */
#include "dsl/turn.h"

#include <string.h>

/* ---- the plain way: values in, values out ---- */

static Val reversed(Ctx *ctx, Val tuple) {
    if (!val_is_tuple(tuple)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(tuple);
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        items[n - 1 - k] = val_at(tuple, k);
    }
    return val_tuple(ctx, items, n);
}

static Val rows_reversed(Ctx *ctx, Val rows) {
    if (!val_is_container(rows)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(rows);
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = reversed(ctx, val_at(rows, k));
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, n);
}

/* Column k of all rows becomes row k, as many as the shortest row has entries. */
static Val transposed(Ctx *ctx, Val rows) {
    if (!val_is_container(rows)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t h = val_len(rows), w = h == 0 ? 0 : UINT32_MAX;
    for (uint32_t k = 0; k < h; k++) {
        Val row = val_at(rows, k);
        if (!val_is_container(row)) {
            return val_fail(FAIL_TYPE);
        }
        w = val_len(row) < w ? val_len(row) : w;
    }
    Val *items = val_buffer(ctx, w);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t j = 0; j < w; j++) {
        Val *column = val_buffer(ctx, h);
        if (column == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t i = 0; i < h; i++) {
            column[i] = val_at(val_at(rows, i), j);
        }
        items[j] = val_tuple(ctx, column, h);
        if (val_failed(items[j])) {
            return items[j];
        }
    }
    return val_tuple(ctx, items, w);
}

/* ---- grids of bytes ---- */

static bool packed(const Ctx *ctx, Val grid) {
    return FAST_PATH(ctx) && grid.kind == VAL_GRID8;
}

/* to[a][b] = from[first + a * down + b * along], h x w cells. */
static void gather(int8_t *to, const int8_t *from, uint32_t h, uint32_t w, ptrdiff_t down, ptrdiff_t along) {
    for (uint32_t a = 0; a < h; a++, from += down) {
        const int8_t *at = from;
        for (uint32_t b = 0; b < w; b++, at += along) {
            *to++ = *at;
        }
    }
}

/* The w x h grid whose rows walk the columns of `grid`: from the first row or the last, first column first or
 * last. */
static Val turned(Ctx *ctx, Val grid, bool last_row, bool last_column) {
    uint32_t h = grid.n, w = grid.w;
    if (w == 0) {
        return VAL_EMPTY_TUPLE;
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, w, h, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    const int8_t *from = grid.b8 + (last_row ? (size_t)(h - 1) * w : 0) + (last_column ? w - 1 : 0);
    gather(cells, from, w, h, last_column ? -1 : 1, last_row ? -(ptrdiff_t)w : (ptrdiff_t)w);
    return val_grid8(cells, w, h);
}

Val grid_hmirror(Ctx *ctx, Val grid) {
    if (!packed(ctx, grid)) {
        return reversed(ctx, grid);
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    const int8_t *row = grid.b8 + (size_t)grid.n * grid.w;
    for (uint32_t i = 0; i < grid.n; i++) {
        row -= grid.w;
        memcpy(cells + (size_t)i * grid.w, row, grid.w);
    }
    return val_grid8(cells, grid.n, grid.w);
}

Val grid_vmirror(Ctx *ctx, Val grid) {
    if (!packed(ctx, grid)) {
        return rows_reversed(ctx, grid);
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    gather(cells, grid.b8 + grid.w - 1, grid.n, grid.w, grid.w, -1);
    return val_grid8(cells, grid.n, grid.w);
}

Val grid_dmirror(Ctx *ctx, Val grid) {
    return packed(ctx, grid) ? turned(ctx, grid, false, false) : transposed(ctx, grid);
}

Val grid_cmirror(Ctx *ctx, Val grid) {
    if (packed(ctx, grid)) {
        return turned(ctx, grid, true, true);
    }
    Val up = reversed(ctx, grid);
    Val back = val_failed(up) ? up : rows_reversed(ctx, up);
    return val_failed(back) ? back : transposed(ctx, back);
}

Val grid_rot90(Ctx *ctx, Val grid) {
    if (packed(ctx, grid)) {
        return turned(ctx, grid, true, false);
    }
    Val up = reversed(ctx, grid);
    return val_failed(up) ? up : transposed(ctx, up);
}

Val grid_rot180(Ctx *ctx, Val grid) {
    if (!packed(ctx, grid)) {
        Val up = reversed(ctx, grid);
        return val_failed(up) ? up : rows_reversed(ctx, up);
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    size_t n = (size_t)grid.n * grid.w;
    for (size_t k = 0; k < n; k++) {
        cells[k] = grid.b8[n - 1 - k];
    }
    return val_grid8(cells, grid.n, grid.w);
}

Val grid_rot270(Ctx *ctx, Val grid) {
    if (packed(ctx, grid)) {
        return turned(ctx, grid, false, true);
    }
    if (!val_is_tuple(grid)) { /* the definition reverses the rows first */
        return val_fail(FAIL_TYPE);
    }
    Val columns = transposed(ctx, grid);
    return val_failed(columns) ? columns : reversed(ctx, columns);
}

/* ---- scaling ---- */

/* How often to repeat something: negative is never, and more than any limit stays more. */
static int64_t times_within(int64_t times) {
    return times < 0 ? 0 : times > LIMIT_ELEMENTS ? LIMIT_ELEMENTS + 1 : times;
}

static Val repeated_plain(Ctx *ctx, Val row, uint32_t times) {
    if (!val_is_container(row)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(row);
    if ((uint64_t)n * times > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    Val *items = val_buffer(ctx, (size_t)n * times), *at = items;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        Val v = val_at(row, k);
        for (uint32_t t = 0; t < times; t++) {
            *at++ = v;
        }
    }
    return val_tuple(ctx, items, n * times);
}

Val tuple_repeated(Ctx *ctx, Val container, int64_t times) {
    return repeated_plain(ctx, container, (uint32_t)times_within(times));
}

static Val blocks_plain(Ctx *ctx, Val rows, uint32_t down, uint32_t right) {
    if (!val_is_container(rows)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t h = val_len(rows);
    if ((uint64_t)h * down > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    Val *items = val_buffer(ctx, (size_t)h * down), *at = items;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < h; k++) {
        Val row = repeated_plain(ctx, val_at(rows, k), right);
        if (val_failed(row)) {
            return row;
        }
        for (uint32_t t = 0; t < down; t++) {
            *at++ = row;
        }
    }
    return val_tuple(ctx, items, h * down);
}

Val grid_blocks(Ctx *ctx, Val grid, int64_t down, int64_t right) {
    down = times_within(down);
    right = times_within(right);
    if (!packed(ctx, grid)) {
        return blocks_plain(ctx, grid, (uint32_t)down, (uint32_t)right);
    }
    Reason why;
    int64_t h = grid.n * down, w = grid.w * right;
    int8_t *cells = grid_buffer(ctx, h, w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    const int8_t *from = grid.b8;
    int8_t *to = cells;
    for (uint32_t i = 0; i < grid.n && down > 0; i++) {
        int8_t *row = to;
        for (uint32_t j = 0; j < grid.w; j++) {
            int8_t v = *from++;
            for (int64_t t = 0; t < right; t++) {
                *to++ = v;
            }
        }
        for (int64_t t = 1; t < down; t++, to += w) {
            memcpy(to, row, (size_t)w);
        }
    }
    return val_grid8(cells, (uint32_t)h, (uint32_t)w);
}

Val grid_upscale(Ctx *ctx, Val grid, Val factor) {
    return val_is_int(factor) ? grid_blocks(ctx, grid, factor.i, factor.i) : val_fail(FAIL_TYPE);
}
