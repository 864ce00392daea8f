/* Grids read the plain way; see rows.h. */
#include "engine/arcdsl/rows.h"

Reason rows_shape(Val grid, uint32_t *h, uint32_t *w) {
    if (!val_is_tuple(grid)) {
        return FAIL_TYPE;
    }
    *h = val_len(grid);
    if (*h == 0) {
        return FAIL_RANGE;
    }
    Val row = val_at(grid, 0);
    if (!val_is_container(row)) {
        return FAIL_TYPE;
    }
    *w = val_len(row);
    return FAIL_NONE;
}

Reason rows_at(Val grid, uint32_t i, uint32_t j, Val *entry) {
    if (!val_is_tuple(grid)) {
        return FAIL_TYPE;
    }
    if (i >= val_len(grid)) {
        return FAIL_RANGE;
    }
    Val row = val_at(grid, i);
    if (!val_is_tuple(row)) {
        return FAIL_TYPE;
    }
    if (j >= val_len(row)) {
        return FAIL_RANGE;
    }
    *entry = val_at(row, j);
    return FAIL_NONE;
}

Val tuple_walk(Ctx *ctx, Val container, uint32_t first, int step, uint32_t n) {
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    int64_t from = first;
    for (uint32_t k = 0; k < n; k++, from += step) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        items[k] = val_at(container, (uint32_t)from);
    }
    return val_tuple(ctx, items, n);
}

Val rows_map(Ctx *ctx, Val rows, RowFn *of, const void *user) {
    uint32_t n = val_len(rows);
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        items[k] = of(ctx, val_at(rows, k), user);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, n);
}

Reason rows_read(Ctx *ctx, Val grid, Rows *rows) {
    if (!val_is_container(grid)) {
        return FAIL_TYPE;
    }
    uint32_t h = val_len(grid);
    *rows = (Rows){.h = h, .row = ctx_alloc(ctx, h * sizeof(Row))};
    if (rows->row == NULL) {
        return (Reason)ctx->exhausted;
    }
    size_t walked = 0;
    for (uint32_t i = 0; i < h; i++) {
        Val row = val_at(grid, i);
        if (!val_is_container(row)) {
            return FAIL_TYPE;
        }
        uint32_t n = val_len(row);
        Val *v = ctx_check_time_after(ctx, &walked, 1 + n) ? val_buffer(ctx, n) : NULL;
        if (v == NULL) {
            return (Reason)ctx->exhausted;
        }
        for (uint32_t j = 0; j < n; j++) {
            if (!ctx_check_time_at(ctx, j)) {
                return (Reason)ctx->exhausted;
            }
            v[j] = val_at(row, j);
        }
        rows->row[i] = (Row){v, n};
    }
    rows->w = h != 0 ? rows->row[0].n : 0;
    return FAIL_NONE;
}

Val rows_tuple(Ctx *ctx, Rows rows) {
    ASSERT(rows.h == 0 || rows.row != NULL, "%u rows", rows.h);
    Val *items = val_buffer(ctx, rows.h);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    size_t walked = 0;
    for (uint32_t i = 0; i < rows.h; i++) {
        if (!ctx_check_time_after(ctx, &walked, 1 + rows.row[i].n)) {
            return val_fail_budget(ctx);
        }
        items[i] = val_tuple(ctx, rows.row[i].v, rows.row[i].n);
        if (val_failed(items[i])) {
            return items[i];
        }
    }
    return val_tuple(ctx, items, rows.h);
}

Val rows_cell(Ctx *ctx, Val color, uint32_t i, uint32_t j) {
    ASSERT(!val_failed(color) && i <= LIMIT_ELEMENTS && j <= LIMIT_ELEMENTS, "kind %u at (%u, %u)",
           color.kind, i, j);
    if (LIKELY(val_is_int(color))) {
        return val_cell(ctx, color.i, i, j);
    }
    if (ctx->mode == MODE_CORE) {
        return val_fail(FAIL_TYPE);
    }
    Val *items = val_buffer(ctx, 3);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    items[0] = val_int(i);
    items[1] = val_int(j);
    items[2] = color;
    return val_tuple(ctx, items, 3);
}

Reason tuple_two_ints(Val tuple, int64_t *a, int64_t *b) {
    if (LIKELY(tuple.kind == VAL_PAIR)) {
        *a = tuple.a;
        *b = tuple.b;
        return FAIL_NONE;
    }
    if (!val_is_tuple(tuple)) {
        return FAIL_TYPE;
    }
    if (val_len(tuple) < 2) {
        return FAIL_RANGE;
    }
    Val x = val_at(tuple, 0), y = val_at(tuple, 1);
    if (!val_is_int(x) || !val_is_int(y)) {
        return FAIL_TYPE;
    }
    *a = x.i;
    *b = y.i;
    return FAIL_NONE;
}
