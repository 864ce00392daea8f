/* Colors of grids and objects: the most and the least frequent, counts, palettes.
 *
 * A grid's colors are its entries; an object's are those of its cells. Core mode takes any pair in a set for
 * a cell, so the rows of indices count as colors there (`loose` below); the dialect's own names require true
 * cells. */
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

#include <string.h>

/* Whether the cells are bytes; if so, a walk over them is charged. */
static inline bool charge_packed(Ctx *ctx, Val grid) {
    bool packed = grid_packed(ctx, grid);
    ctx->fuel -= packed ? (int64_t)grid.n * grid.w >> 6 : 0;
    return packed;
}

/* ---- packed sets ---- */

/* Where the color is in a key: (key >> shift & mask) - bias. The shift is 32 for a set that is not packed. */
typedef struct ColorField {
    unsigned shift;
    uint32_t mask;
    int32_t bias;
    bool sorted;
} ColorField;

static inline ColorField color_field(Ctx *ctx, Val e, bool loose) {
    if (FAST_PATH(ctx)) {
        ctx->fuel -= val_is_keys(e) ? e.n >> 6 : 0; /* for the walk that follows */
        if (e.kind == VAL_OBJ_CORE && ctx->mode == MODE_CORE) {
            return (ColorField){24, 0xff, 128, true};
        }
        if (e.kind == VAL_OBJ_BATT && ctx->mode == MODE_BATT) {
            return (ColorField){0, 0xff, 128, false};
        }
        if (e.kind == VAL_INDICES && ctx->mode == MODE_CORE && loose) {
            return (ColorField){16, 0xffff, KEY_INDEX, true};
        }
    }
    return (ColorField){.shift = 32};
}

/* Sorted colors come in runs; unsorted ones are bytes and are counted in a table. */
static int32_t common_in_keys(Val e, ColorField f, bool least) {
    uint32_t best = 0, best_count = 0;
    if (f.sorted) {
        for (uint32_t k = 0, from = 0; k < e.n; from = k) {
            uint32_t color = e.k[k] >> f.shift;
            while (k < e.n && e.k[k] >> f.shift == color) {
                k++;
            }
            if (best_count == 0 || (least ? k - from < best_count : k - from > best_count)) {
                best = color;
                best_count = k - from;
            }
        }
        return (int32_t)best - f.bias;
    }
    uint32_t first = 255, last = 0, count[256];
    for (uint32_t k = 0; k < e.n; k++) {
        uint32_t color = e.k[k] & 0xff;
        first = color < first ? color : first;
        last = color > last ? color : last;
    }
    if (first >= last) {
        return (int32_t)first - f.bias;
    }
    memset(count + first, 0, (last - first + 1) * sizeof *count);
    for (uint32_t k = 0; k < e.n; k++) {
        count[e.k[k] & 0xff]++;
    }
    for (uint32_t c = first; c <= last; c++) {
        if (count[c] != 0 && (best_count == 0 || (least ? count[c] < best_count : count[c] > best_count))) {
            best = c;
            best_count = count[c];
        }
    }
    return (int32_t)best - f.bias;
}

/* ---- everything else ---- */

/* The colors of the cells as a grid of one row, for the functions of colors.h. */
static Val cells_as_row(Ctx *ctx, Val e, bool loose) {
    if (!val_is_container(e)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(e);
    Val *colors = val_buffer(ctx, n), *row = val_buffer(ctx, 1);
    if (colors == NULL || row == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        Val x = val_at(e, k);
        PatchCell cell;
        if (loose && ctx->mode == MODE_CORE) {
            if (!val_is_tuple(x) || val_len(x) != 2) {
                return val_fail(FAIL_TYPE);
            }
            cell.c = val_at(x, 0);
        } else {
            Reason why = patch_read_cell(ctx, x, &cell);
            if (why != FAIL_NONE) {
                return val_fail(why);
            }
        }
        colors[k] = cell.c;
    }
    *row = val_tuple(ctx, colors, n);
    return val_failed(*row) ? *row : val_tuple(ctx, row, 1);
}

static Val none_is_nan(Val v) {
    return val_failed(v) && v.w == FAIL_EMPTY ? val_atom(ATOM_NAN) : v;
}

/* ---- most and least ---- */

static Val common_in_grid(Ctx *ctx, Val grid, bool least) {
    int64_t color;
    if (LIKELY(charge_packed(ctx, grid))) {
        bool any = least ? grid_leastcolor(grid, &color) : grid_mostcolor(grid, &color);
        return any ? val_int(color) : val_fail(FAIL_EMPTY);
    }
    return least ? colors_least(ctx, grid) : colors_most(ctx, grid);
}

static Val common_in_cells(Ctx *ctx, Val e, bool loose, bool least) {
    ColorField f = color_field(ctx, e, loose);
    if (LIKELY(f.shift != 32)) {
        return val_int(common_in_keys(e, f, least));
    }
    Val row = cells_as_row(ctx, e, loose);
    return val_failed(row) ? row : common_in_grid(ctx, row, least);
}

static inline Val common(Ctx *ctx, Val e, bool least) {
    return val_is_tuple(e) ? common_in_grid(ctx, e, least) : common_in_cells(ctx, e, true, least);
}

Val prim_mostcolor(Ctx *ctx, const Val *a) {
    return common(ctx, a[0], false);
}
Val prim_leastcolor(Ctx *ctx, const Val *a) {
    return common(ctx, a[0], true);
}
Val prim_mostcolor_t(Ctx *ctx, const Val *a) {
    return none_is_nan(common_in_grid(ctx, a[0], false));
}
Val prim_leastcolor_t(Ctx *ctx, const Val *a) {
    return none_is_nan(common_in_grid(ctx, a[0], true));
}
Val prim_mostcolor_f(Ctx *ctx, const Val *a) {
    return none_is_nan(common_in_cells(ctx, a[0], false, false));
}
Val prim_leastcolor_f(Ctx *ctx, const Val *a) {
    return none_is_nan(common_in_cells(ctx, a[0], false, true));
}

/* ---- counts ---- */

static Val count_in_grid(Ctx *ctx, Val grid, Val value) {
    uint32_t n = 0;
    if (LIKELY(charge_packed(ctx, grid))) {
        if (val_is_int(value) && value.i == (int8_t)value.i) {
            int8_t color = (int8_t)value.i;
            size_t cells = (size_t)grid.n * grid.w;
            for (size_t k = 0; k < cells; k++) {
                n += grid.b8[k] == color;
            }
        }
        return val_int(n);
    }
    if (!val_is_container(grid)) {
        return val_fail(FAIL_TYPE);
    }
    for (uint32_t i = 0; i < val_len(grid); i++) {
        if (!ctx_check_time_at(ctx, i)) {
            return val_fail_budget(ctx);
        }
        Val row = val_at(grid, i);
        /* colors are counted in tuples only, although a palette may come from sets */
        if (!val_is_tuple(row)) {
            return val_fail(FAIL_TYPE);
        }
        if (!ctx_charge(ctx, 1 + val_len(row) / 4)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t j = 0; j < val_len(row); j++) {
            n += val_eq(val_at(row, j), value);
        }
    }
    return val_int(n);
}

static Val count_in_cells(Ctx *ctx, Val e, Val value, bool loose) {
    ColorField f = color_field(ctx, e, loose);
    if (LIKELY(f.shift != 32)) {
        uint32_t n = 0;
        if (val_is_int(value) && value.i >= -f.bias && value.i < f.bias) {
            uint32_t color = (uint32_t)(value.i + f.bias);
            for (uint32_t k = 0; k < e.n; k++) {
                n += (e.k[k] >> f.shift & f.mask) == color;
            }
        }
        return val_int(n);
    }
    Val row = cells_as_row(ctx, e, loose);
    return val_failed(row) ? row : count_in_grid(ctx, row, value);
}

Val prim_colorcount(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? count_in_grid(ctx, a[0], a[1]) : count_in_cells(ctx, a[0], a[1], true);
}
Val prim_colorcount_t(Ctx *ctx, const Val *a) {
    return count_in_grid(ctx, a[0], a[1]);
}
Val prim_colorcount_f(Ctx *ctx, const Val *a) {
    return count_in_cells(ctx, a[0], a[1], false);
}

/* ---- palettes ---- */

/* A set of bytes; color c is bit c + 128. */
typedef struct ColorBytes {
    uint64_t bits[4];
} ColorBytes;

static inline void palette_add(ColorBytes *p, uint32_t byte) {
    p->bits[byte >> 6] |= (uint64_t)1 << (byte & 63);
}
static uint32_t palette_size(const ColorBytes *p) {
    int n = 0;
    for (int k = 0; k < 4; k++) {
        n += __builtin_popcountll(p->bits[k]);
    }
    return (uint32_t)n;
}

/* Colors below 32, which is nearly always all of them, are collected many at a time without branches. */
static ColorBytes grid_palette(Val grid) {
    ColorBytes p = {{0}};
    size_t n = (size_t)grid.n * grid.w;
    uint32_t low = 0;
    uint8_t all = 0;
    for (size_t k = 0; k < n; k++) {
        low |= (uint32_t)1 << (grid.b8[k] & 31);
        all |= (uint8_t)grid.b8[k];
    }
    if (LIKELY(all < 32)) {
        p.bits[2] = low;
        return p;
    }
    for (size_t k = 0; k < n; k++) {
        palette_add(&p, (uint8_t)(grid.b8[k] + 128));
    }
    return p;
}

static ColorBytes keys_palette(Val e, ColorField f) {
    ColorBytes p = {{0}};
    for (uint32_t k = 0; k < e.n; k++) {
        palette_add(&p, e.k[k] >> f.shift & 0xff);
    }
    return p;
}

/* The colors in ascending order, as a set or as a tuple. */
static Val palette_val(Ctx *ctx, const ColorBytes *p, bool as_set) {
    Val *items = val_buffer(ctx, palette_size(p));
    uint32_t n = 0;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int word = 0; word < 4; word++) {
        for (uint64_t bits = p->bits[word]; bits != 0; bits &= bits - 1) {
            items[n++] = val_int(word * 64 + __builtin_ctzll(bits) - 128);
        }
    }
    return as_set ? val_set_sorted(ctx, items, n) : val_tuple(ctx, items, n);
}

static Val palette_plain(Ctx *ctx, Val rows, bool as_set) {
    Reason why;
    uint32_t n = 0;
    Val *all = colors_entries(ctx, rows, &n, &why);
    if (all == NULL) {
        return val_fail(why);
    }
    Val set = val_set(ctx, all, n);
    if (as_set || val_failed(set)) {
        return set;
    }
    return tuple_walk(ctx, set, 0, 1, val_len(set));
}

static Val palette_of_grid(Ctx *ctx, Val grid, bool as_set) {
    if (LIKELY(charge_packed(ctx, grid))) {
        ColorBytes p = grid_palette(grid);
        return palette_val(ctx, &p, as_set);
    }
    return palette_plain(ctx, grid, as_set);
}

static Val palette_of_cells(Ctx *ctx, Val e, bool loose, bool as_set) {
    ColorField f = color_field(ctx, e, loose);
    if (LIKELY(f.shift != 32 && f.mask == 0xff)) {
        ColorBytes p = keys_palette(e, f);
        return palette_val(ctx, &p, as_set);
    }
    Val row = cells_as_row(ctx, e, loose);
    return val_failed(row) ? row : palette_of_grid(ctx, row, as_set);
}

static Val size_of(Val set) {
    return val_failed(set) ? set : val_int(val_len(set));
}

static Val numcolors_of_grid(Ctx *ctx, Val grid) {
    if (LIKELY(charge_packed(ctx, grid))) {
        ColorBytes p = grid_palette(grid);
        return val_int(palette_size(&p));
    }
    return size_of(palette_plain(ctx, grid, true));
}

static Val numcolors_of_cells(Ctx *ctx, Val e, bool loose) {
    ColorField f = color_field(ctx, e, loose);
    if (LIKELY(f.shift != 32 && f.mask == 0xff)) {
        ColorBytes p = keys_palette(e, f);
        return val_int(palette_size(&p));
    }
    return size_of(palette_of_cells(ctx, e, loose, true));
}

Val prim_palette(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? palette_of_grid(ctx, a[0], true) : palette_of_cells(ctx, a[0], true, true);
}
Val prim_palette_t(Ctx *ctx, const Val *a) {
    return palette_of_grid(ctx, a[0], true);
}
Val prim_palette_f(Ctx *ctx, const Val *a) {
    return palette_of_cells(ctx, a[0], false, true);
}
Val prim_p_g(Ctx *ctx, const Val *a) {
    return palette_of_grid(ctx, a[0], false);
}
Val prim_p_o(Ctx *ctx, const Val *a) {
    return palette_of_cells(ctx, a[0], false, false);
}
Val prim_numcolors(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? numcolors_of_grid(ctx, a[0]) : numcolors_of_cells(ctx, a[0], true);
}
Val prim_numcolors_t(Ctx *ctx, const Val *a) {
    return numcolors_of_grid(ctx, a[0]);
}
Val prim_numcolors_f(Ctx *ctx, const Val *a) {
    return numcolors_of_cells(ctx, a[0], false);
}
