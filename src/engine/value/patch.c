/* Unpacking patches element by element; see patch.h. */
#include "engine/value/patch.h"

Reason patch_looks_like_cell(const Ctx *ctx, Val e, bool *yes) {
    if (ctx->mode == MODE_BATT) {
        if (!val_is_container(e)) {
            return FAIL_TYPE;
        }
        *yes = val_len(e) == 3;
        return FAIL_NONE;
    }
    if (!val_is_tuple(e)) {
        return FAIL_TYPE;
    }
    if (val_len(e) < 2) {
        return FAIL_RANGE;
    }
    *yes = e.kind == VAL_CELL || val_is_tuple(val_at(e, 1));
    return FAIL_NONE;
}

Reason patch_read_index(Val e, PatchCell *cell) {
    cell->c = val_int(0);
    return val_get_pair(e, &cell->i, &cell->j) ? FAIL_NONE : FAIL_TYPE;
}

Reason patch_read_cell(const Ctx *ctx, Val e, PatchCell *cell) {
    if (ctx->mode == MODE_CORE) {
        if (e.kind == VAL_CELL) {
            *cell = (PatchCell){e.a, e.b, val_int(val_color(e))};
            return FAIL_NONE;
        }
        if (!val_is_tuple(e) || val_len(e) != 2) {
            return FAIL_TYPE;
        }
        cell->c = val_at(e, 0);
        return val_get_pair(val_at(e, 1), &cell->i, &cell->j) ? FAIL_NONE : FAIL_TYPE;
    }
    if (!val_is_tuple(e) || val_len(e) != 3) {
        return FAIL_TYPE;
    }
    Val i = val_at(e, 0), j = val_at(e, 1);
    if (!val_is_int(i) || !val_is_int(j)) {
        return FAIL_TYPE;
    }
    *cell = (PatchCell){i.i, j.i, val_at(e, 2)};
    return FAIL_NONE;
}

Reason patch_read(Ctx *ctx, Val c, Patch *patch) {
    if (!val_is_container(c)) {
        return FAIL_TYPE;
    }
    *patch = (Patch){.n = val_len(c)};
    if (patch->n == 0) {
        return FAIL_NONE;
    }
    Reason why = patch_looks_like_cell(ctx, val_at(c, 0), &patch->object);
    if (why != FAIL_NONE) {
        return why;
    }
    patch->cells = ctx_alloc(ctx, patch->n * sizeof *patch->cells);
    if (patch->cells == NULL) {
        return (Reason)ctx->exhausted;
    }
    for (uint32_t k = 0; k < patch->n && why == FAIL_NONE; k++) {
        Val e = val_at(c, k);
        why =
            patch->object ? patch_read_cell(ctx, e, &patch->cells[k]) : patch_read_index(e, &patch->cells[k]);
    }
    return why;
}
