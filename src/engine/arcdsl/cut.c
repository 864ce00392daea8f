/* Cutting, joining and scaling grids, and reading grids as indices.
 *
 * Values never change, so whole rows cut out of a grid of bytes share its memory; only columns are copied. */
#include "engine/arcdsl/bits.h"
#include "engine/arcdsl/bytes.h"
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/rows.h"
#include "engine/arcdsl/turn.h"
#include "engine/primitives/prim.h"

/* ---- slices ---- */

/* A Python slice from:to of n elements, as start and length. */
typedef struct Slice {
    uint32_t at, n;
} Slice;

static Slice slice_of(uint32_t n, int64_t from, int64_t to) {
    from = from < 0 ? from + n : from;
    to = to < 0 ? to + n : to;
    from = from < 0 ? 0 : from > n ? n : from;
    to = to < 0 ? 0 : to > n ? n : to;
    return (Slice){(uint32_t)from, from < to ? (uint32_t)(to - from) : 0};
}

static Val sliced(Ctx *ctx, Val tuple, int64_t from, int64_t to) {
    if (!val_is_tuple(tuple)) {
        return val_fail(FAIL_TYPE);
    }
    Slice s = slice_of(val_len(tuple), from, to);
    if (grid_packed(ctx, tuple)) {
        return val_grid8(tuple.b8 + (size_t)s.at * tuple.w, s.n, tuple.w);
    }
    if (FAST_PATH(ctx) && tuple.kind == VAL_ROW8) {
        return val_row8(tuple.b8 + s.at, s.n);
    }
    return tuple_walk(ctx, tuple, s.at, 1, s.n);
}

/* A rectangle of a grid of bytes. */
static Val block(Ctx *ctx, Val grid, Slice rows, Slice cols) {
    const int8_t *from = grid.b8 + (size_t)rows.at * grid.w + cols.at;
    if (cols.n == grid.w || cols.n == 0 || rows.n == 0) {
        return val_grid8(from, rows.n, cols.n);
    }
    Reason why;
    int8_t *cells = grid_buffer(ctx, rows.n, cols.n, &why), *to = cells;
    if (cells == NULL || !ctx_charge(ctx, rows.n / 32)) {
        return cells == NULL ? val_fail(why) : val_fail_budget(ctx);
    }
    const int8_t *end = grid.b8 + (size_t)grid.n * grid.w;
    for (uint32_t i = 0; i < rows.n; i++, to += cols.n, from += grid.w) {
        bytes_copy(to, from, cols.n, end);
    }
    return val_grid8(cells, rows.n, cols.n);
}

/* The part of a row from column left to right. */
static Val sliced_row(Ctx *ctx, Val row, const void *user) {
    const int64_t *columns = user;
    return sliced(ctx, row, columns[0], columns[1]);
}

static Val block_plain(Ctx *ctx, Val grid, int64_t top, int64_t bottom, int64_t left, int64_t right) {
    Val rows = sliced(ctx, grid, top, bottom);
    return val_failed(rows) ? rows : rows_map(ctx, rows, sliced_row, (const int64_t[]){left, right});
}

/* Rows top:bottom, columns left:right. */
static inline Val cut(Ctx *ctx, Val grid, int64_t top, int64_t bottom, int64_t left, int64_t right) {
    if (LIKELY(grid_packed(ctx, grid))) {
        return block(ctx, grid, slice_of(grid.n, top, bottom), slice_of(grid.w, left, right));
    }
    return block_plain(ctx, grid, top, bottom, left, right);
}

static Val crop(Ctx *ctx, Val grid, int64_t i, int64_t j, int64_t h, int64_t w) {
    int64_t bottom, right;
    if (__builtin_add_overflow(i, h, &bottom) || __builtin_add_overflow(j, w, &right)) {
        return val_fail(FAIL_OVERFLOW);
    }
    if (ctx->mode == MODE_BATT) {
        uint32_t rows, cols;
        if (val_is_tuple(grid) && val_len(grid) == 0) {
            return VAL_EMPTY_TUPLE;
        }
        Reason why = rows_shape(grid, &rows, &cols);
        if (why != FAIL_NONE) {
            return val_fail(why);
        }
        if (i < 0 || i >= rows || j < 0 || j >= cols || bottom > rows || right > cols) {
            return VAL_EMPTY_TUPLE;
        }
    }
    return cut(ctx, grid, i, bottom, j, right);
}

Val prim_crop(Ctx *ctx, const Val *a) {
    int64_t i, j, h, w;
    if (ctx->mode == MODE_BATT && val_is_tuple(a[0]) && val_len(a[0]) == 0) {
        return VAL_EMPTY_TUPLE;
    }
    Reason why = tuple_two_ints(a[1], &i, &j);
    why = why != FAIL_NONE ? why : tuple_two_ints(a[2], &h, &w);
    return why != FAIL_NONE ? val_fail(why) : crop(ctx, a[0], i, j, h, w);
}

Val prim_subgrid(Ctx *ctx, const Val *a) {
    Box box;
    if (LIKELY(patch_packed(ctx, a[0], AS_PATCH))) {
        box = keys_box(a[0]);
        if (!ctx_charge(ctx, a[0].n / 64)) {
            return val_fail_budget(ctx);
        }
    } else {
        if (ctx->mode == MODE_BATT && val_is_container(a[0]) && val_len(a[0]) == 0) {
            return VAL_EMPTY_TUPLE;
        }
        Reason why = patch_box(ctx, a[0], AS_PATCH, &box);
        uint32_t h, w;
        /* core mode measures a tuple as a grid */
        if (why == FAIL_NONE && ctx->mode == MODE_CORE && val_is_tuple(a[0])) {
            why = rows_shape(a[0], &h, &w);
            return why != FAIL_NONE ? val_fail(why) : crop(ctx, a[1], box.top, box.left, h, w);
        }
        if (why != FAIL_NONE) {
            return val_fail(why);
        }
    }
    int64_t h, w;
    if (__builtin_sub_overflow(box.bottom, box.top, &h) || __builtin_sub_overflow(box.right, box.left, &w) ||
        h == INT64_MAX || w == INT64_MAX) {
        return val_fail(FAIL_OVERFLOW);
    }
    return crop(ctx, a[1], box.top, box.left, h + 1, w + 1);
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* n pieces one after another; if they do not divide the grid evenly, one line between neighbours is left
 * out. */
static Val split(Ctx *ctx, Val grid, Val number, bool by_rows) {
    uint32_t h, w;
    Reason why = rows_shape(grid, &h, &w);
    why = why != FAIL_NONE ? why : !val_is_int(number) ? FAIL_TYPE : number.i == 0 ? FAIL_ZERO : FAIL_NONE;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    int64_t n = number.i, length = by_rows ? h : w;
    if (n < 0) {
        return VAL_EMPTY_TUPLE;
    }
    int64_t size = floor_div(length, n), step = size + (length % n != 0);
    Val *pieces = n > LIMIT_ELEMENTS ? NULL : val_buffer(ctx, (size_t)n);
    if (pieces == NULL) {
        return n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (int64_t k = 0; k < n; k++) {
        pieces[k] = by_rows ? crop(ctx, grid, k * step, 0, size, w) : crop(ctx, grid, 0, k * step, h, size);
        if (val_failed(pieces[k])) {
            return pieces[k];
        }
    }
    return val_tuple(ctx, pieces, (uint32_t)n);
}

Val prim_hsplit(Ctx *ctx, const Val *a) {
    return split(ctx, a[0], a[1], false);
}

Val prim_vsplit(Ctx *ctx, const Val *a) {
    return split(ctx, a[0], a[1], true);
}

Val prim_trim(Ctx *ctx, const Val *a) {
    return cut(ctx, a[0], 1, -1, 1, -1);
}

Val prim_tophalf(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? sliced(ctx, a[0], 0, val_len(a[0]) / 2) : val_fail(FAIL_TYPE);
}

Val prim_bottomhalf(Ctx *ctx, const Val *a) {
    if (!val_is_tuple(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(a[0]);
    return sliced(ctx, a[0], n / 2 + n % 2, n);
}

/* Columns from:to of a grid of bytes; () if there are none. */
static Val columns(Ctx *ctx, Val grid, uint32_t from, uint32_t to) {
    return from == to ? VAL_EMPTY_TUPLE : block(ctx, grid, (Slice){0, grid.n}, (Slice){from, to - from});
}

/* The left or right half of any tuple of rows; the shortest row determines how many columns there are. */
static Val half_plain(Ctx *ctx, Val grid, bool right) {
    Rows rows;
    Reason why = val_is_tuple(grid) ? rows_read(ctx, grid, &rows) : FAIL_TYPE;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint32_t w = rows.w;
    for (uint32_t i = 0; i < rows.h; i++) {
        w = rows.row[i].n < w ? rows.row[i].n : w;
    }
    for (uint32_t i = 0; i < rows.h; i++) {
        rows.row[i].v += right ? w / 2 + w % 2 : 0;
        rows.row[i].n = w / 2;
    }
    return w < 2 ? VAL_EMPTY_TUPLE : rows_tuple(ctx, rows);
}

Val prim_lefthalf(Ctx *ctx, const Val *a) {
    return grid_packed(ctx, a[0]) ? columns(ctx, a[0], 0, a[0].w / 2u) : half_plain(ctx, a[0], false);
}

Val prim_righthalf(Ctx *ctx, const Val *a) {
    return grid_packed(ctx, a[0]) ? columns(ctx, a[0], a[0].w / 2u + a[0].w % 2u, a[0].w)
                                  : half_plain(ctx, a[0], true);
}

/* ---- joining ---- */

static Val joined(Ctx *ctx, Val a, Val b) {
    if (!val_is_tuple(a) || !val_is_tuple(b)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(a), m = val_len(b);
    Val *items = val_buffer(ctx, (size_t)n + m);
    if (items == NULL) {
        return n + m > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        items[k] = val_at(a, k);
    }
    for (uint32_t k = 0; k < m; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        items[n + k] = val_at(b, k);
    }
    return val_tuple(ctx, items, n + m);
}

static Val hconcat_plain(Ctx *ctx, Val a, Val b) {
    if (!val_is_container(a) || !val_is_container(b)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(a) < val_len(b) ? val_len(a) : val_len(b);
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        items[k] = joined(ctx, val_at(a, k), val_at(b, k));
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, n);
}

Val prim_hconcat(Ctx *ctx, const Val *a) {
    Val x = a[0], y = a[1];
    if (!grid_packed(ctx, x) || !grid_packed(ctx, y)) {
        return hconcat_plain(ctx, x, y);
    }
    Reason why;
    uint32_t h = x.n < y.n ? x.n : y.n, w = (uint32_t)x.w + y.w;
    int8_t *cells = grid_buffer(ctx, h, w, &why), *to = cells;
    if (cells == NULL) {
        return val_fail(why);
    }
    const int8_t *x_end = x.b8 + (size_t)x.n * x.w, *y_end = y.b8 + (size_t)y.n * y.w;
    for (uint32_t i = 0; i < h; i++, to += w, x.b8 += x.w, y.b8 += y.w) {
        bytes_copy(to, x.b8, x.w, x_end);
        bytes_copy(to + x.w, y.b8, y.w, y_end);
    }
    return val_grid8(cells, h, w);
}

/* The rows of a grid as values; returns the end. */
static Val *write_rows(Val *to, Val grid) {
    const int8_t *cells = grid.b8;
    if (grid.w == 0 || grid.w == 2 || grid.w == 3) {
        for (uint32_t i = 0; i < grid.n; i++, cells += grid.w) {
            *to++ = val_row8(cells, grid.w);
        }
        return to;
    }
    for (uint32_t i = 0; i < grid.n; i++, cells += grid.w) {
        *to++ = (Val){.kind = VAL_ROW8, .n = grid.w, .b8 = cells};
    }
    return to;
}

/* Two grids of bytes of different widths: the result is not a grid, but a tuple of rows. */
static Val ragged(Ctx *ctx, Val a, Val b) {
    Val *items = val_buffer(ctx, (size_t)a.n + b.n), *at = items;
    if (items == NULL) {
        return (size_t)a.n + b.n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    at = write_rows(at, a);
    write_rows(at, b);
    return val_weighed(VAL_TUPLE, items, a.n + b.n,
                       a.n * (1 + (uint64_t)a.w / 64) + b.n * (1 + (uint64_t)b.w / 64));
}

Val prim_vconcat(Ctx *ctx, const Val *a) {
    Val x = a[0], y = a[1];
    if (!grid_packed(ctx, x) || !grid_packed(ctx, y)) {
        bool nothing = FAST_PATH(ctx) && x.kind == VAL_TUPLE && x.n == 0 && val_is_tuple(y);
        return nothing ? y : joined(ctx, x, y);
    }
    if (x.w != y.w) {
        return ragged(ctx, x, y);
    }
    Reason why;
    int64_t h = (int64_t)x.n + y.n;
    size_t above = (size_t)x.n * x.w, below = (size_t)y.n * y.w;
    int8_t *cells = grid_buffer(ctx, h, x.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    bytes_copy_exactly(cells, x.b8, above);
    bytes_copy_exactly(cells + above, y.b8, below);
    return val_grid8(cells, (uint32_t)h, x.w);
}

/* ---- scaling and turning ---- */

Val prim_hupscale(Ctx *ctx, const Val *a) {
    if (LIKELY(val_is_int(a[1]))) {
        return grid_blocks(ctx, a[0], 1, a[1].i);
    }
    Reason why = FAIL_TYPE;
    uint32_t entries = 0; /* if there are none, the factor is not looked at */
    Val *all = colors_entries(ctx, a[0], &entries, &why);
    return all != NULL && entries == 0 ? grid_blocks(ctx, a[0], 1, 1)
                                       : val_fail(all != NULL ? FAIL_TYPE : why);
}

Val prim_vupscale(Ctx *ctx, const Val *a) {
    if (UNLIKELY(!val_is_int(a[1]))) {
        return val_is_container(a[0]) && val_len(a[0]) == 0 ? VAL_EMPTY_TUPLE : val_fail(FAIL_TYPE);
    }
    return grid_packed(ctx, a[0]) ? grid_blocks(ctx, a[0], a[1].i, 1) : tuple_repeated(ctx, a[0], a[1].i);
}

Val prim_downscale(Ctx *ctx, const Val *a) {
    uint32_t h, w;
    Reason why = rows_shape(a[0], &h, &w);
    why = why != FAIL_NONE ? why : !val_is_int(a[1]) ? FAIL_TYPE : a[1].i == 0 ? FAIL_ZERO : FAIL_NONE;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint64_t by = a[1].i < 0 ? -(uint64_t)a[1].i : (uint64_t)a[1].i;
    uint32_t step = by > LIMIT_ELEMENTS ? LIMIT_ELEMENTS : (uint32_t)by; /* no grid is larger */
    uint32_t rows = (h + step - 1) / step, cols = (w + step - 1) / step;
    if (grid_packed(ctx, a[0])) {
        int8_t *cells = grid_buffer(ctx, rows, cols, &why), *to = cells;
        if (cells == NULL) {
            return val_fail(why);
        }
        for (uint32_t i = 0; i < h; i += step) {
            const int8_t *row = a[0].b8 + (size_t)i * w;
            for (uint32_t j = 0; j < w; j += step) {
                *to++ = row[j];
            }
        }
        return val_grid8(cells, rows, cols);
    }
    Rows kept = {.h = rows, .w = cols, .row = ctx_alloc(ctx, rows * sizeof(Row))};
    if (kept.row == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t i = 0; i < rows; i++) {
        kept.row[i] = (Row){val_buffer(ctx, cols), cols};
        if (kept.row[i].v == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t j = 0; j < cols && why == FAIL_NONE; j++) {
            why = rows_at(a[0], i * step, j * step, &kept.row[i].v[j]);
        }
    }
    return why != FAIL_NONE ? val_fail(why) : rows_tuple(ctx, kept);
}

Val prim_rot90(Ctx *ctx, const Val *a) {
    return grid_rot90(ctx, a[0]);
}

Val prim_rot180(Ctx *ctx, const Val *a) {
    return grid_rot180(ctx, a[0]);
}

Val prim_rot270(Ctx *ctx, const Val *a) {
    return grid_rot270(ctx, a[0]);
}

Val prim_mir_rot_t(Ctx *ctx, const Val *a) {
    int64_t turn = val_is_int(a[1]) ? a[1].i : -1;
    if (!val_is_tuple(a[0]) && !ctx->safe && turn >= 0 && turn <= 6) {
        return val_fail(FAIL_TYPE); /* the dialect's original turns some sets; strictly a grid is a tuple */
    }
    switch (turn) {
    case 0:
        return grid_hmirror(ctx, a[0]);
    case 1:
        return grid_dmirror(ctx, a[0]);
    case 2:
        return grid_vmirror(ctx, a[0]);
    case 3:
        return grid_cmirror(ctx, a[0]);
    case 4:
        return grid_rot90(ctx, a[0]);
    case 5:
        return grid_rot180(ctx, a[0]);
    case 6:
        return grid_rot270(ctx, a[0]);
    default:
        return a[0];
    }
}

/* ---- grids as indices ---- */

static Val asindices_plain(Ctx *ctx, uint32_t h, uint32_t w) {
    uint64_t n = (uint64_t)h * w;
    Val *items = n > LIMIT_ELEMENTS ? NULL : val_buffer(ctx, n), *at = items;
    if (items == NULL) {
        return n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (uint32_t i = 0; i < h; i++) {
        for (uint32_t j = 0; j < w; j++) {
            *at++ = val_pair32((int32_t)i, (int32_t)j);
        }
    }
    return val_set_sorted(ctx, items, (uint32_t)n);
}

Val prim_asindices(Ctx *ctx, const Val *a) {
    uint32_t h, w;
    if (val_is_container(a[0]) && val_len(a[0]) == 0) {
        return VAL_EMPTY_SET;
    }
    Reason why = rows_shape(a[0], &h, &w);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    if (!FAST_PATH(ctx) || h > KEY_INDEX || w > KEY_INDEX || (uint64_t)h * w > LIMIT_ELEMENTS) {
        return asindices_plain(ctx, h, w);
    }
    uint32_t *keys = key_buffer(ctx, (size_t)h * w), *at = keys;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    enum { LANES = 8 };
    const uint32_t *end = keys + (size_t)h * w;
    for (uint32_t i = 0; i < h; i++, at += w) {
        uint32_t key = key_index((int32_t)i, 0), j = 0;
        for (; j < w && end - at >= j + LANES; j += LANES) { /* what is too much, the next row overwrites */
            for (uint32_t k = 0; k < LANES; k++) {
                at[j + k] = key + j + k;
            }
        }
        for (; j < w; j++) {
            at[j] = key + j;
        }
    }
    return val_keys_sorted(VAL_INDICES, keys, h * w);
}

static Val ofcolor_plain(Ctx *ctx, Val grid, Val color) {
    Rows rows;
    Reason why = rows_read(ctx, grid, &rows);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint64_t room = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows.h; i++) {
        room += rows.row[i].n;
    }
    Val *items = room > LIMIT_ELEMENTS ? NULL : val_buffer(ctx, room);
    if (items == NULL) {
        return room > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (uint32_t i = 0; i < rows.h; i++) {
        for (uint32_t j = 0; j < rows.row[i].n; j++) {
            if (val_eq(rows.row[i].v[j], color)) {
                items[n++] = val_pair32((int32_t)i, (int32_t)j);
            }
        }
    }
    return val_set_sorted(ctx, items, n);
}

Val prim_ofcolor(Ctx *ctx, const Val *a) {
    Val grid = a[0];
    if (!grid_packed(ctx, grid) || grid.n > KEY_INDEX) {
        return ofcolor_plain(ctx, grid, a[1]);
    }
    if (!fits_byte(a[1]) || grid.w == 0) {
        return VAL_EMPTY_SET;
    }
    size_t cells = (size_t)grid.n * grid.w;
    uint32_t *keys = key_buffer(ctx, cells), *at = keys;
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    int8_t color = (int8_t)a[1].i;
    /* the key of cell p is base + p until the next row begins, where base changes */
    uint32_t base = key_index(0, 0), next = grid.w;
    for (size_t from = 0; from < cells; from += BITS_WIDTH) {
        uint64_t words[3];
        bits_equal(grid.b8 + from, cells - from < BITS_WIDTH ? cells - from : BITS_WIDTH, color, words);
        for (uint64_t bits = words[0]; bits != 0; bits &= bits - 1) {
            uint32_t p = (uint32_t)from + (uint32_t)__builtin_ctzll(bits);
            for (; p >= next; next += grid.w) {
                base += (1u << 16) - grid.w;
            }
            *at++ = base + p;
        }
    }
    uint32_t n = (uint32_t)(at - keys);
    ctx_release(ctx, (char *)keys + ((n * sizeof *keys + 15) & ~(size_t)15));
    return val_keys_sorted(VAL_INDICES, keys, n);
}
