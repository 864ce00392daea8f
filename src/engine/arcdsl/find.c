/* Finding things by color and by line: partition, fgpartition, frontiers, compress. */
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/rows.h"
#include "engine/arcdsl/turn.h"
#include "engine/primitives/prim.h"

#include <string.h>

/* ---- partition ---- */

/* The cells of every color in `colors` except `without`, as objects; if `without` is a failure, nothing is
 * left out. */
static Val partition_plain(Ctx *ctx, Val grid, Val colors, Val without) {
    uint32_t n = 0, kept = 0;
    Rows rows = {0};
    Reason why = val_failed(colors) ? (Reason)colors.w : rows_read(ctx, grid, &rows);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    for (uint32_t i = 0; i < rows.h; i++) {
        n += rows.row[i].n;
    }
    Val *items = val_buffer(ctx, val_len(colors));
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < val_len(colors); k++) {
        Val color = val_at(colors, k);
        uint32_t size = 0;
        if (val_eq(color, without)) {
            continue;
        }
        Val *cells = val_buffer(ctx, n);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t i = 0; i < rows.h; i++) {
            for (uint32_t j = 0; j < rows.row[i].n; j++) {
                if (!val_eq(rows.row[i].v[j], color)) {
                    continue;
                }
                cells[size] = rows_cell(ctx, color, i, j);
                if (val_failed(cells[size++])) {
                    return cells[size - 1];
                }
            }
        }
        items[kept] = val_set(ctx, cells, size);
        if (val_failed(items[kept++])) {
            return items[kept - 1];
        }
    }
    return val_set(ctx, items, kept);
}

/* Finds the keys of all colors in one pass over the grid, in reading order. */
static Val partition_packed(Ctx *ctx, Val grid, bool foreground) {
    size_t n = (size_t)grid.n * grid.w;
    uint32_t count[256], *first = count + 128, objects = 0;
    int low = 0, high = 9;
    if (!colors_count10(grid.b8, n, first)) {
        colors_count(grid.b8, n, count);
        low = -128;
        high = 127;
    }
    int without = low; /* the most common color, or none for a partition of everything */
    for (int c = low + 1; c <= high; c++) {
        without = first[c] > first[without] ? c : without;
    }
    without = foreground ? without : high + 1;
    bool core = ctx->mode == MODE_CORE;
    uint32_t *keys = key_buffer(ctx, n), *at[256], **next = at + 128, *free_keys = keys;
    Val *items = val_buffer(ctx, (size_t)(high - low + 1));
    if (keys == NULL || items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int c = low; c <= high; c++) {
        next[c] = free_keys;
        if (first[c] != 0 && c != without) {
            items[objects++] = val_keys_sorted(core ? VAL_OBJ_CORE : VAL_OBJ_BATT, free_keys, first[c]);
        }
        free_keys += first[c];
    }
    const int8_t *from = grid.b8;
    for (uint32_t i = 0; i < grid.n; i++) {
        uint32_t key = core ? key_core(0, (int32_t)i, 0) : key_batt(0, (int32_t)i, 0);
        unsigned by_color = core ? 24 : 0, by_column = core ? 0 : 8;
        for (uint32_t j = 0; j < grid.w; j++) {
            int8_t c = *from++;
            *next[c]++ = key + (j << by_column) + ((uint32_t)c << by_color);
        }
    }
    for (uint32_t k = 1; !core && k < objects; k++) { /* core: by color; batt: by first cell */
        Val object = items[k];
        uint32_t place = k;
        for (; place > 0 && items[place - 1].k[0] > object.k[0]; place--) {
            items[place] = items[place - 1];
        }
        items[place] = object;
    }
    return val_plain(VAL_SET, items, objects);
}

/* Palette and most common color, by calling those primitives: core mode takes a set for an object. */
static Val palette_of(Ctx *ctx, Val grid) {
    return ctx->mode == MODE_CORE ? prim1(ctx, P_palette, grid) : prim1(ctx, P_palette_t, grid);
}

Val prim_partition(Ctx *ctx, const Val *a) {
    if (LIKELY(grid_has_keys(ctx, a[0]))) {
        return partition_packed(ctx, a[0], false);
    }
    return partition_plain(ctx, a[0], palette_of(ctx, a[0]), val_fail(FAIL_NONE));
}

Val prim_fgpartition(Ctx *ctx, const Val *a) {
    if (LIKELY(grid_has_keys(ctx, a[0]))) {
        bool nothing = a[0].w == 0 && ctx->mode == MODE_CORE; /* then there is no most common color */
        return nothing ? val_fail(FAIL_EMPTY) : partition_packed(ctx, a[0], true);
    }
    Val bg = prim1(ctx, ctx->mode == MODE_CORE ? P_mostcolor : P_mostcolor_t, a[0]);
    return val_failed(bg) ? bg : partition_plain(ctx, a[0], palette_of(ctx, a[0]), bg);
}

/* ---- rows and columns of one color ---- */

typedef struct Uniform {
    uint8_t *row, *column; /* by number: whether it has only one color */
} Uniform;

static bool uniform_open(Ctx *ctx, uint32_t h, uint32_t w, Uniform *uniform) {
    uniform->row = ctx_alloc(ctx, (size_t)h + w);
    if (uniform->row == NULL) {
        return false;
    }
    uniform->column = uniform->row + h;
    return true;
}

/* For a grid of bytes that has columns. */
static bool uniform_packed(Ctx *ctx, Val grid, Uniform *uniform) {
    if (!uniform_open(ctx, grid.n, grid.w, uniform) || !ctx_charge(ctx, (uint64_t)grid.n * grid.w / 64)) {
        return false;
    }
    const int8_t *row = grid.b8;
    memset(uniform->column, 1, grid.w);
    for (uint32_t i = 0; i < grid.n; i++, row += grid.w) {
        uint8_t same = 1;
        for (uint32_t j = 0; j < grid.w; j++) {
            same &= row[j] == row[0];
            uniform->column[j] &= row[j] == grid.b8[j];
        }
        uniform->row[i] = same;
    }
    return true;
}

static bool all_equal(Val container) {
    uint32_t n = val_len(container);
    for (uint32_t k = 1; k < n; k++) {
        if (!val_eq(val_at(container, k), val_at(container, 0))) {
            return false;
        }
    }
    return n != 0;
}

static bool column_equal(Val rows, uint32_t j) {
    Val top = val_at(val_at(rows, 0), j);
    for (uint32_t i = 1, h = val_len(rows); i < h; i++) {
        if (!val_eq(val_at(val_at(rows, i), j), top)) {
            return false;
        }
    }
    return true;
}

/* The same for any container of rows. Its columns are those of dmirror, cut to the shortest row; core mode
 * takes a set for a patch there. */
static Reason uniform_plain(Ctx *ctx, Val grid, Uniform *uniform) {
    bool patch = ctx->mode == MODE_CORE && val_is_set(grid);
    Val mirrored = patch ? prim1(ctx, P_dmirror, grid) : VAL_EMPTY_TUPLE;
    if (val_failed(mirrored) || !val_is_container(grid)) {
        return val_failed(mirrored) ? (Reason)mirrored.w : FAIL_TYPE;
    }
    uint32_t h = val_len(grid), w = 0, shortest = h == 0 ? 0 : UINT32_MAX;
    for (uint32_t i = 0; i < h; i++) {
        Val row = val_at(grid, i);
        if (!val_is_container(row)) {
            return FAIL_TYPE;
        }
        w = val_len(row) > w ? val_len(row) : w;
        shortest = val_len(row) < shortest ? val_len(row) : shortest;
    }
    uint32_t columns = patch ? val_len(mirrored) : shortest;
    w = columns > w ? columns : w;
    if (!uniform_open(ctx, h, w, uniform) || !ctx_charge(ctx, (uint64_t)h * shortest / 16)) {
        return (Reason)ctx->exhausted;
    }
    for (uint32_t i = 0; i < h; i++) {
        uniform->row[i] = all_equal(val_at(grid, i));
    }
    for (uint32_t j = 0; j < w; j++) {
        uniform->column[j] = j < columns && (patch ? all_equal(val_at(mirrored, j)) : column_equal(grid, j));
    }
    return FAIL_NONE;
}

/* n cells from entry (i, j) on, downwards or to the right, as an object. */
static Val line_plain(Ctx *ctx, Rows rows, uint32_t i, uint32_t j, bool down, uint32_t n) {
    Val *cells = val_buffer(ctx, n);
    if (cells == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t x = down ? i + k : i, y = down ? j : j + k;
        if (y >= rows.row[x].n) {
            return val_fail(FAIL_RANGE);
        }
        cells[k] = rows_cell(ctx, rows.row[x].v[y], x, y);
        if (val_failed(cells[k])) {
            return cells[k];
        }
    }
    return val_set(ctx, cells, n);
}

static Val frontiers_plain(Ctx *ctx, Val grid) {
    uint32_t h, w, n = 0;
    Rows rows;
    Uniform uniform;
    Reason why = rows_shape(grid, &h, &w);
    why = why != FAIL_NONE ? why : rows_read(ctx, grid, &rows);
    why = why != FAIL_NONE ? why : uniform_plain(ctx, grid, &uniform);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    for (uint32_t i = 0; i < h; i++) { /* entries are looked up by position, which a set does not have */
        rows.row[i].n = val_is_tuple(val_at(grid, i)) ? rows.row[i].n : 0;
    }
    Val *items = val_buffer(ctx, (size_t)h + w);
    if (items == NULL) {
        return (uint64_t)h + w > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (uint32_t i = 0; i < h; i++) {
        if (!uniform.row[i]) {
            continue;
        }
        items[n] =
            val_is_tuple(val_at(grid, i)) ? line_plain(ctx, rows, i, 0, false, w) : val_fail(FAIL_TYPE);
        if (val_failed(items[n++])) {
            return items[n - 1];
        }
    }
    for (uint32_t j = 0; j < w; j++) {
        if (!uniform.column[j]) {
            continue;
        }
        items[n] = line_plain(ctx, rows, 0, j, true, h);
        if (val_failed(items[n++])) {
            return items[n - 1];
        }
    }
    return val_set(ctx, items, n);
}

/* n cells of one color from (i, j) on, downwards or to the right. */
static Val line_packed(Ctx *ctx, int8_t color, uint32_t i, uint32_t j, bool down, uint32_t n) {
    bool core = ctx->mode == MODE_CORE;
    uint32_t *keys = key_buffer(ctx, n);
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    uint32_t key = core ? key_core(color, (int32_t)i, (int32_t)j) : key_batt(color, (int32_t)i, (int32_t)j);
    uint32_t step = 1u << (core ? (down ? 12 : 0) : (down ? 20 : 8));
    for (uint32_t k = 0; k < n; k++) {
        keys[k] = key + k * step;
    }
    return val_keys_sorted(core ? VAL_OBJ_CORE : VAL_OBJ_BATT, keys, n);
}

Val prim_frontiers(Ctx *ctx, const Val *a) {
    Val grid = a[0];
    if (UNLIKELY(!grid_has_keys(ctx, grid) || grid.w == 0)) {
        return frontiers_plain(ctx, grid);
    }
    Uniform uniform;
    Val *items = uniform_packed(ctx, grid, &uniform) ? val_buffer(ctx, (size_t)grid.n + grid.w) : NULL;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    uint32_t n = 0;
    /* row 0, all columns, the other rows: in ascending order except for the colors */
    for (uint32_t i = 0; i < grid.n; i++) {
        if (uniform.row[i]) {
            items[n++] = line_packed(ctx, grid.b8[(size_t)i * grid.w], i, 0, false, grid.w);
        }
        for (uint32_t j = 0; i == 0 && j < grid.w; j++) {
            if (uniform.column[j]) {
                items[n++] = line_packed(ctx, grid.b8[j], 0, j, true, grid.n);
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_set(ctx, items, n);
}

Val prim_compress(Ctx *ctx, const Val *a) {
    Val grid = a[0];
    Uniform uniform;
    if (LIKELY(FAST_PATH(ctx) && grid.kind == VAL_GRID8 && grid.w != 0)) {
        Reason why = FAIL_NONE;
        int8_t *cells = uniform_packed(ctx, grid, &uniform) ? grid_buffer(ctx, grid.n, grid.w, &why) : NULL;
        if (cells == NULL) {
            return why != FAIL_NONE ? val_fail(why) : val_fail_budget(ctx);
        }
        uint32_t h = 0, w = 0;
        for (uint32_t j = 0; j < grid.w; j++) {
            w += !uniform.column[j];
        }
        int8_t *to = cells;
        for (uint32_t i = 0; i < grid.n; i++) {
            const int8_t *row = grid.b8 + (size_t)i * grid.w;
            if (uniform.row[i]) {
                continue;
            }
            h++;
            for (uint32_t j = 0; j < grid.w; j++) {
                *to = row[j];
                to += !uniform.column[j];
            }
        }
        return val_grid8(cells, h, w);
    }
    Rows rows;
    Reason why = !ctx->safe && !val_is_tuple(grid) ? FAIL_TYPE : rows_read(ctx, grid, &rows);
    why = why != FAIL_NONE ? why : uniform_plain(ctx, grid, &uniform);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint32_t h = 0;
    for (uint32_t i = 0; i < rows.h; i++) {
        Row row = rows.row[i];
        uint32_t n = 0;
        if (uniform.row[i]) {
            continue;
        }
        for (uint32_t j = 0; j < row.n; j++) {
            row.v[n] = row.v[j];
            n += !uniform.column[j];
        }
        rows.row[h++] = (Row){row.v, n};
    }
    rows.h = h;
    return rows_tuple(ctx, rows);
}
