/* Safe mode: the definitions of grid primitives call by call.
 *
 * They run after the primitive itself has failed. Every inner call is protected, so one that fails gives its
 * default and the definition goes on with that. Primitives whose inner defaults lead to their own default
 * need none. */
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"
#include "engine/value/patch.h"

/* Calls `function` with toindices of its last argument; if that cannot be read, safe mode takes it for no
 * places. */
static Val with_indices(Ctx *ctx, PrimFn function, const Val *a, uint32_t n) {
    Val args[3];
    for (uint32_t k = 0; k + 1 < n; k++) {
        args[k] = a[k];
    }
    args[n - 1] = prim1(ctx, P_toindices, a[n - 1]);
    return val_failed(args[n - 1]) ? args[n - 1] : function(ctx, args);
}

Val prim_fill_safe(Ctx *ctx, const Val *a) {
    return with_indices(ctx, prim_fill, a, 3);
}

Val prim_cover_safe(Ctx *ctx, const Val *a) {
    return with_indices(ctx, prim_cover, a, 2);
}

Val prim_underfill_safe(Ctx *ctx, const Val *a) {
    return with_indices(ctx, prim_underfill, a, 3);
}

Val prim_cellwise_safe(Ctx *ctx, const Val *a) {
    uint32_t h, w;
    Rows rows;
    Reason why = rows_shape(a[0], &h, &w);
    why = why != FAIL_NONE ? why : rows_read(ctx, a[0], &rows);
    for (uint32_t i = 0; i < h && why == FAIL_NONE; i++) {
        for (uint32_t j = 0; j < w && why == FAIL_NONE; j++) {
            Val v, other = prim2(ctx, P_index, a[1], val_pair32((int32_t)i, (int32_t)j));
            why = val_failed(other) ? (Reason)other.w : rows_at(a[0], i, j, &v);
            if (why == FAIL_NONE && !val_eq_direct(v, other)) {
                rows.row[i].v[j] = a[2];
            }
        }
        rows.row[i].n = w;
    }
    return why != FAIL_NONE ? val_fail(why) : rows_tuple(ctx, rows);
}

Val prim_subgrid_safe(Ctx *ctx, const Val *a) {
    Val corner = prim1(ctx, P_ulcorner, a[0]), shape = prim1(ctx, P_shape_f, a[0]);
    return prim3(ctx, P_crop, a[1], corner, shape);
}

static Val split_safe(Ctx *ctx, const Val *a, bool by_rows) {
    uint32_t h, w;
    Reason why = rows_shape(a[0], &h, &w);
    if (why != FAIL_NONE || !val_is_int(a[1]) || a[1].i <= 0 || a[1].i > LIMIT_ELEMENTS) {
        return val_fail(why != FAIL_NONE ? why : FAIL_TYPE);
    }
    int64_t n = a[1].i, length = by_rows ? h : w, size = length / n, step = size + (length % n != 0);
    Val *pieces = val_buffer(ctx, (size_t)n),
        dims = by_rows ? val_pair(ctx, size, w) : val_pair(ctx, h, size);
    if (pieces == NULL) {
        return val_fail_budget(ctx);
    }
    for (int64_t k = 0; k < n; k++) {
        Val start = by_rows ? val_pair(ctx, k * step, 0) : val_pair(ctx, 0, k * step);
        pieces[k] = prim3(ctx, P_crop, a[0], start, dims);
        if (val_failed(pieces[k])) {
            return pieces[k];
        }
    }
    return val_tuple(ctx, pieces, (uint32_t)n);
}

Val prim_hsplit_safe(Ctx *ctx, const Val *a) {
    return split_safe(ctx, a, false);
}

Val prim_vsplit_safe(Ctx *ctx, const Val *a) {
    return split_safe(ctx, a, true);
}

/* Whether all cells of the object, already shifted, agree with the grid. */
static Reason agrees(const Ctx *ctx, Val grid, Val obj, uint32_t h, uint32_t w, bool *yes) {
    if (!val_is_container(obj)) {
        return FAIL_TYPE;
    }
    *yes = true;
    for (uint32_t k = 0; k < val_len(obj) && *yes; k++) {
        PatchCell cell;
        Val entry;
        Reason why = patch_read_cell(ctx, val_at(obj, k), &cell);
        *yes = why == FAIL_NONE && cell.i >= 0 && cell.i < h && cell.j >= 0 && cell.j < w;
        why = *yes ? rows_at(grid, (uint32_t)cell.i, (uint32_t)cell.j, &entry) : why;
        if (why != FAIL_NONE) {
            return why;
        }
        *yes = *yes && val_eq_direct(entry, cell.c);
    }
    return FAIL_NONE;
}

Val prim_occurrences_safe(Ctx *ctx, const Val *a) {
    uint32_t h, w, n = 0;
    int64_t oh, ow;
    Val normal = prim1(ctx, P_normalize, a[1]), shape = prim1(ctx, P_shape_f, a[1]);
    Reason why = rows_shape(a[0], &h, &w);
    if (why != FAIL_NONE || val_failed(normal) || !val_get_pair(shape, &oh, &ow)) {
        return val_fail(why != FAIL_NONE ? why : FAIL_TYPE);
    }
    int64_t rows = (int64_t)h - oh + 1, cols = (int64_t)w - ow + 1;
    if (rows <= 0 || cols <= 0) {
        return VAL_EMPTY_SET;
    }
    Val *items = rows * cols > LIMIT_ELEMENTS ? NULL : val_buffer(ctx, (size_t)(rows * cols));
    if (items == NULL) {
        return rows * cols > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < cols; j++) {
            Val place = val_pair32(i, j), moved = prim2(ctx, P_shift, normal, place);
            bool yes = false;
            why = val_failed(moved) ? (Reason)moved.w : agrees(ctx, a[0], moved, h, w, &yes);
            if (why != FAIL_NONE) {
                return val_fail(why);
            }
            if (yes) {
                items[n++] = place;
            }
        }
    }
    return val_set_sorted(ctx, items, n);
}

Val prim_o_g_safe(Ctx *ctx, const Val *a) {
    if (!val_is_int(a[1]) || a[1].i < 0 || a[1].i > 7) {
        return val_atom(ATOM_NONE);
    }
    Val args[4] = {a[0], val_bool(a[1].i & 4), val_bool(a[1].i & 2), val_bool(a[1].i & 1)};
    return prim_call(ctx, P_objects, args, 4);
}
