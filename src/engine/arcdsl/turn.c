/* Mirrors, turns and block scaling; see turn.h. */
#include "engine/arcdsl/turn.h"

#include "engine/arcdsl/bytes.h"
#include "engine/arcdsl/rows.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* ---- the plain way: values in, values out ---- */

static Val reversed(Ctx *ctx, Val tuple) {
    uint32_t n = val_is_tuple(tuple) ? val_len(tuple) : 0;
    return val_is_tuple(tuple) ? tuple_walk(ctx, tuple, n - 1, -1, n) : val_fail(FAIL_TYPE);
}

static Val reversed_row(Ctx *ctx, Val row, const void *user) {
    (void)user;
    return reversed(ctx, row);
}

static Val rows_reversed(Ctx *ctx, Val rows) {
    return val_is_container(rows) ? rows_map(ctx, rows, reversed_row, NULL) : val_fail(FAIL_TYPE);
}

/* Column k of all rows becomes row k; there are as many as the shortest row has entries. */
static Val transposed(Ctx *ctx, Val rows) {
    if (!val_is_container(rows)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t h = val_len(rows), w = h == 0 ? 0 : UINT32_MAX;
    for (uint32_t k = 0; k < h; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
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
    size_t walked = 0;
    for (uint32_t j = 0; j < w; j++) {
        Val *column = ctx_check_time_after(ctx, &walked, 1 + h) ? val_buffer(ctx, h) : NULL;
        if (column == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t i = 0; i < h; i++) {
            if (!ctx_check_time_at(ctx, i)) {
                return val_fail_budget(ctx);
            }
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

/* to[a][b] = from[a * down + b * along], for h x w cells. */
static void gather(int8_t *to, const int8_t *from, uint32_t h, uint32_t w, ptrdiff_t down, ptrdiff_t along) {
    for (uint32_t a = 0; a < h; a++, from += down) {
        const int8_t *at = from;
        for (uint32_t b = 0; b < w; b++, at += along) {
            *to++ = *at;
        }
    }
}

#ifdef __SSE2__
/* Transposes a block of 8 x 8 cells: column k of the rows at from, from + down, .. goes to to + k * step. */
static inline void turn_block(int8_t *to, ptrdiff_t step, const int8_t *from, ptrdiff_t down) {
    __m128i row[8], two[4], four[4], eight[4];
    for (int k = 0; k < 8; k++) {
        row[k] = _mm_loadl_epi64((const __m128i *)(const void *)(from + k * down));
    }
    for (int k = 0; k < 4; k++) {
        two[k] = _mm_unpacklo_epi8(row[2 * k], row[2 * k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        four[2 * k] = _mm_unpacklo_epi16(two[2 * k], two[2 * k + 1]);
        four[2 * k + 1] = _mm_unpackhi_epi16(two[2 * k], two[2 * k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        eight[2 * k] = _mm_unpacklo_epi32(four[k], four[k + 2]);
        eight[2 * k + 1] = _mm_unpackhi_epi32(four[k], four[k + 2]);
    }
    for (int k = 0; k < 4; k++) {
        _mm_storel_epi64((__m128i *)(void *)(to + 2 * k * step), eight[k]);
        _mm_storel_epi64((__m128i *)(void *)(to + (2 * k + 1) * step),
                         _mm_unpackhi_epi64(eight[k], eight[k]));
    }
}
#else
static inline void turn_block(int8_t *to, ptrdiff_t step, const int8_t *from, ptrdiff_t down) {
    for (int k = 0; k < 8; k++) {
        for (int m = 0; m < 8; m++) {
            to[k * step + m] = from[m * down + k];
        }
    }
}
#endif

/* The w x h grid whose rows are the columns of `grid`, read from the first or the last row, starting with the
 * first or the last column. */
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
    ptrdiff_t down = last_row ? -(ptrdiff_t)w : (ptrdiff_t)w;
    const int8_t *from = grid.b8 + (last_row ? (size_t)(h - 1) * w : 0);
    if (h < 8 || w < 8) {
        gather(cells, from + (last_column ? w - 1 : 0), w, h, last_column ? -1 : 1, down);
        return val_grid8(cells, w, h);
    }
    /* Blocks of 8 x 8 cells. The last ones of a row or column overlap those before them. */
    for (uint32_t i = 0; i < h; i += 8) {
        uint32_t top = i + 8 <= h ? i : h - 8;
        for (uint32_t j = 0; j < w; j += 8) {
            uint32_t left = j + 8 <= w ? j : w - 8;
            int8_t *to = cells + (size_t)(last_column ? w - 1 - left : left) * h + top;
            turn_block(to, last_column ? -(ptrdiff_t)h : (ptrdiff_t)h, from + top * down + left, down);
        }
    }
    return val_grid8(cells, w, h);
}

Val grid_hmirror(Ctx *ctx, Val grid) {
    if (!grid_packed(ctx, grid)) {
        return reversed(ctx, grid);
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    const int8_t *end = grid.b8 + (size_t)grid.n * grid.w, *row = end;
    for (uint32_t i = 0; i < grid.n; i++) {
        row -= grid.w;
        bytes_copy(cells + (size_t)i * grid.w, row, grid.w, end);
    }
    return val_grid8(cells, grid.n, grid.w);
}

Val grid_vmirror(Ctx *ctx, Val grid) {
    if (!grid_packed(ctx, grid)) {
        return rows_reversed(ctx, grid);
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    const int8_t *end = grid.b8 + (size_t)grid.n * grid.w;
    for (uint32_t i = 0; i < grid.n; i++) {
        size_t row = (size_t)i * grid.w;
        bytes_reverse(cells + row, grid.b8 + row, grid.w, end);
    }
    return val_grid8(cells, grid.n, grid.w);
}

Val grid_dmirror(Ctx *ctx, Val grid) {
    return grid_packed(ctx, grid) ? turned(ctx, grid, false, false) : transposed(ctx, grid);
}

Val grid_cmirror(Ctx *ctx, Val grid) {
    if (grid_packed(ctx, grid)) {
        return turned(ctx, grid, true, true);
    }
    Val up = reversed(ctx, grid);
    Val back = val_failed(up) ? up : rows_reversed(ctx, up);
    return val_failed(back) ? back : transposed(ctx, back);
}

Val grid_rot90(Ctx *ctx, Val grid) {
    if (grid_packed(ctx, grid)) {
        return turned(ctx, grid, true, false);
    }
    Val up = reversed(ctx, grid);
    return val_failed(up) ? up : transposed(ctx, up);
}

Val grid_rot180(Ctx *ctx, Val grid) {
    if (!grid_packed(ctx, grid)) {
        Val up = reversed(ctx, grid);
        return val_failed(up) ? up : rows_reversed(ctx, up);
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, grid.n, grid.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    size_t n = (size_t)grid.n * grid.w;
    bytes_reverse(cells, grid.b8, n, grid.b8 + n);
    return val_grid8(cells, grid.n, grid.w);
}

Val grid_rot270(Ctx *ctx, Val grid) {
    if (grid_packed(ctx, grid)) {
        return turned(ctx, grid, false, true);
    }
    if (!val_is_tuple(grid)) { /* the definition reverses the rows first, which only a tuple allows */
        return val_fail(FAIL_TYPE);
    }
    Val columns = transposed(ctx, grid);
    return val_failed(columns) ? columns : reversed(ctx, columns);
}

/* ---- scaling ---- */

/* How often to repeat something: negative means never; numbers beyond the limit are cut, but stay beyond
 * it. */
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
            if (!ctx_check_time_at(ctx, (size_t)(at - items))) {
                return val_fail_budget(ctx);
            }
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
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
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
    if (!grid_packed(ctx, grid)) {
        return blocks_plain(ctx, grid, (uint32_t)down, (uint32_t)right);
    }
    Reason why;
    int64_t h = grid.n * down, w = grid.w * right;
    int8_t *cells = grid_buffer(ctx, h, w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    const int8_t *from = grid.b8, *end = from + (size_t)grid.n * grid.w;
    int8_t *to = cells, *stop = cells + h * w + GRID_SPARE;
    for (uint32_t i = 0; i < grid.n && down > 0; i++, from += grid.w) {
        int8_t *row = to;
        if (right == 1) {
            bytes_copy(row, from, grid.w, end);
        } else {
            for (uint32_t j = 0; j < grid.w; j++) {
                bytes_fill(row + (size_t)j * (size_t)right, from[j], (size_t)right);
            }
        }
        to += w;
        for (int64_t t = 1; t < down; t++, to += w) {
            bytes_copy(to, row, (size_t)w, stop);
        }
    }
    return val_grid8(cells, (uint32_t)h, (uint32_t)w);
}

Val grid_upscale(Ctx *ctx, Val grid, Val factor) {
    return val_is_int(factor) ? grid_blocks(ctx, grid, factor.i, factor.i) : val_fail(FAIL_TYPE);
}
