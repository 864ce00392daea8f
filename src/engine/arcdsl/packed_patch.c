/* Patches the plain way: any container, any coordinates; see packed_patch.h. */
#include "engine/arcdsl/packed_patch.h"

Reason patch_ix(Ctx *ctx, Val p, PatchAs as, Patch *patch) {
    *patch = (Patch){.n = 0};
    bool lenient = as == AS_OBJECT || (as == AS_PATCH && ctx->mode == MODE_BATT);
    if (!val_is_container(p)) {
        return lenient ? FAIL_NONE : FAIL_TYPE;
    }
    uint32_t n = val_len(p);
    if (n == 0) {
        return FAIL_NONE;
    }
    if (as == AS_PATCH) {
        return lenient && !val_is_container(val_at(p, 0)) ? FAIL_NONE : patch_read(ctx, p, patch);
    }
    PatchCell *cells = ctx_alloc(ctx, n * sizeof *cells);
    if (cells == NULL) {
        return (Reason)ctx->exhausted;
    }
    for (uint32_t k = 0; k < n; k++) {
        Val e = val_at(p, k);
        Reason why = as == AS_OBJECT ? patch_read_cell(ctx, e, &cells[k]) : patch_read_index(e, &cells[k]);
        if (why != FAIL_NONE) {
            return why;
        }
    }
    *patch = (Patch){.n = n, .object = as == AS_OBJECT, .cells = cells};
    return FAIL_NONE;
}

Reason patch_box(Ctx *ctx, Val p, PatchAs as, Box *box) {
    if (patch_packed(ctx, p, as)) {
        *box = keys_box(p);
        return FAIL_NONE;
    }
    CtxMark mark = ctx_mark(ctx);
    Patch patch;
    Reason why = patch_ix(ctx, p, as, &patch);
    if (why == FAIL_NONE && patch.n == 0) {
        why = FAIL_EMPTY;
    }
    if (why == FAIL_NONE) {
        const PatchCell *c = patch.cells;
        *box = (Box){c->i, c->j, c->i, c->j};
        for (uint32_t k = 1; k < patch.n; k++) {
            box->top = c[k].i < box->top ? c[k].i : box->top;
            box->bottom = c[k].i > box->bottom ? c[k].i : box->bottom;
            box->left = c[k].j < box->left ? c[k].j : box->left;
            box->right = c[k].j > box->right ? c[k].j : box->right;
        }
    }
    ASSERT(why != FAIL_NONE || (box->top <= box->bottom && box->left <= box->right), "rows %lld to %lld",
           (long long)box->top, (long long)box->bottom);
    ctx_release(ctx, mark);
    return why;
}

Val patch_set(Ctx *ctx, const Patch *patch) {
    ASSERT(patch->n == 0 || patch->cells != NULL, "%u cells", patch->n);
    Val *items = val_buffer(ctx, patch->n);
    if (items == NULL) {
        return patch->n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < patch->n; k++) {
        const PatchCell *c = &patch->cells[k];
        if (!val_is_int(c->c)) {
            return val_fail(FAIL_TYPE);
        }
        items[k] = patch->object ? val_cell(ctx, c->c.i, c->i, c->j) : val_pair(ctx, c->i, c->j);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_set(ctx, items, patch->n);
}

static bool signed_sum(int64_t sign, int64_t x, int64_t d, int64_t *sum) {
    return sign > 0 ? !__builtin_add_overflow(d, x, sum) : !__builtin_sub_overflow(d, x, sum);
}

Val patch_mapped(Ctx *ctx, Val p, const PatchMap *map) {
    ASSERT((map->si == 1 || map->si == -1) && (map->sj == 1 || map->sj == -1), "signs %lld, %lld",
           (long long)map->si, (long long)map->sj);
    Patch patch;
    Reason why = patch_read(ctx, p, &patch);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    for (uint32_t k = 0; k < patch.n; k++) {
        PatchCell *c = &patch.cells[k];
        int64_t i = map->turn ? c->j : c->i, j = map->turn ? c->i : c->j;
        if (!signed_sum(map->si, i, map->di, &c->i) || !signed_sum(map->sj, j, map->dj, &c->j)) {
            return val_fail(FAIL_OVERFLOW);
        }
    }
    return patch_set(ctx, &patch);
}
