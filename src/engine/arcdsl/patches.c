/* Making patches from patches, cell by cell: toindices, recolor, shift, normalize. */
#include "engine/arcdsl/packed_patch.h"
#include "engine/primitives/prim.h"

#include <string.h>

/* ---- toindices ---- */

/* For a core object of several colors, whose places are not in order: a bitmap sorts them if they are close
 * together. */
static Val toindices_colored(Ctx *ctx, Val p, uint32_t *out) {
    Box box = keys_box(p);
    if (box.bottom - box.top >= 64 || box.right - box.left >= 64) {
        for (uint32_t k = 0; k < p.n; k++) {
            out[k] = index_from_place(p.k[k] & 0xffffff);
        }
        return val_keys(ctx, VAL_INDICES, out, p.n);
    }
    uint64_t rows[64];
    uint32_t height = (uint32_t)(box.bottom - box.top) + 1, n = 0;
    uint32_t top = (uint32_t)(box.top + KEY_COORD), left = (uint32_t)(box.left + KEY_COORD);
    memset(rows, 0, height * sizeof *rows);
    for (uint32_t k = 0; k < p.n; k++) {
        rows[(p.k[k] >> 12 & 0xfff) - top] |= (uint64_t)1 << ((p.k[k] & 0xfff) - left);
    }
    uint32_t base = key_index((int32_t)box.top, (int32_t)box.left);
    for (uint32_t r = 0; r < height; r++, base += 1 << 16) {
        for (uint64_t bits = rows[r]; bits != 0; bits &= bits - 1) {
            out[n++] = base + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return val_keys_sorted(VAL_INDICES, out, n);
}

static Val toindices_keys(Ctx *ctx, Val p) {
    if (p.kind == VAL_INDICES) {
        return p;
    }
    uint32_t *out = key_buffer(ctx, p.n), n = 0;
    if (out == NULL) {
        return val_fail_budget(ctx);
    }
    if (p.kind == VAL_OBJ_BATT) {
        for (uint32_t k = 0; k < p.n; k++) {
            out[n] = index_from_place(p.k[k] >> 8);
            n += k + 1 == p.n || p.k[k] >> 8 != p.k[k + 1] >> 8;
        }
        return val_keys_sorted(VAL_INDICES, out, n);
    }
    if (!keys_ascend_by_row(p)) {
        return toindices_colored(ctx, p, out);
    }
    for (uint32_t k = 0; k < p.n; k++) {
        out[k] = index_from_place(p.k[k] & 0xffffff);
    }
    return val_keys_sorted(VAL_INDICES, out, p.n);
}

static Val places_plain(Ctx *ctx, Val obj) {
    Patch patch;
    Reason why = patch_ix(ctx, obj, AS_OBJECT, &patch);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    patch.object = false;
    for (uint32_t k = 0; k < patch.n; k++) {
        patch.cells[k].c = val_int(0);
    }
    return patch_set(ctx, &patch);
}

static Val toindices_plain(Ctx *ctx, Val p) {
    bool lenient = ctx->mode == MODE_BATT, object;
    if (!val_is_container(p)) {
        return lenient ? VAL_EMPTY_SET : val_fail(FAIL_TYPE);
    }
    if (val_len(p) == 0 || (lenient && !val_is_container(val_at(p, 0)))) {
        return VAL_EMPTY_SET;
    }
    Reason why = patch_looks_like_cell(ctx, val_at(p, 0), &object);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    return object ? places_plain(ctx, p) : p;
}

Val patch_toindices(Ctx *ctx, Val p) {
    return patch_packed(ctx, p, AS_PATCH) ? toindices_keys(ctx, p) : toindices_plain(ctx, p);
}

Val prim_toindices(Ctx *ctx, const Val *a) {
    return patch_toindices(ctx, a[0]);
}

Val prim_toindices_o(Ctx *ctx, const Val *a) {
    return patch_packed(ctx, a[0], AS_OBJECT) ? toindices_keys(ctx, a[0]) : places_plain(ctx, a[0]);
}

/* toindices_i, normalize_t: the argument itself, whatever it is. */
Val prim_toindices_i(Ctx *ctx, const Val *a) {
    (void)ctx;
    return a[0];
}

/* ---- recolor ---- */

/* Keys of an object from sorted indices; false: some coordinate is too large for a key. */
static bool recolor_indices(Val p, Kind kind, int32_t color, uint32_t *out) {
    uint32_t offset = KEY_INDEX - KEY_COORD, beyond = 0;
    uint32_t paint = kind == VAL_OBJ_CORE ? (uint32_t)(color + 128) << 24 : (uint32_t)(color + 128);
    unsigned up = kind == VAL_OBJ_CORE ? 0 : 8;
    for (uint32_t k = 0; k < p.n; k++) {
        uint32_t i = (p.k[k] >> 16) - offset, j = (p.k[k] & 0xffff) - offset;
        beyond |= i | j;
        out[k] = (i << 12 | j) << up | paint;
    }
    return beyond < 2 * KEY_COORD;
}

static Val recolor_keys(Ctx *ctx, int32_t color, Val p) {
    Kind kind = ctx_object_kind(ctx);
    uint32_t *out = key_buffer(ctx, p.n), n = 0;
    if (out == NULL) {
        return val_fail_budget(ctx);
    }
    if (p.kind == VAL_OBJ_BATT) {
        for (uint32_t k = 0; k < p.n; k++) {
            out[n] = (p.k[k] & ~(uint32_t)0xff) | (uint32_t)(color + 128);
            n += k + 1 == p.n || p.k[k] >> 8 != p.k[k + 1] >> 8;
        }
        return val_keys_sorted(kind, out, n);
    }
    if (p.kind == VAL_OBJ_CORE) {
        if ((p.k[0] ^ p.k[p.n - 1]) >> 24 == 0) {
            for (uint32_t k = 0; k < p.n; k++) {
                out[k] = (p.k[k] & 0xffffff) | (uint32_t)(color + 128) << 24;
            }
            return val_keys_sorted(kind, out, p.n);
        }
        p = toindices_keys(ctx, p);
        if (val_failed(p)) {
            return p;
        }
    }
    return recolor_indices(p, kind, color, out) ? val_keys_sorted(kind, out, p.n) : val_fail(FAIL_LIMIT);
}

static Val recolor(Ctx *ctx, Val value, Val p, PatchAs as) {
    if (patch_packed(ctx, p, as) && val_is_int(value) && value.i == (int8_t)value.i) {
        Val v = recolor_keys(ctx, (int32_t)value.i, p);
        if (!(val_failed(v) && v.w == FAIL_LIMIT)) { /* LIMIT: these coordinates do not fit keys */
            return v;
        }
    }
    Patch patch;
    Reason why = patch_ix(ctx, p, as, &patch);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    patch.object = true;
    for (uint32_t k = 0; k < patch.n; k++) {
        patch.cells[k].c = value;
    }
    return patch_set(ctx, &patch);
}

Val prim_recolor(Ctx *ctx, const Val *a) {
    return recolor(ctx, a[0], a[1], AS_PATCH);
}
Val prim_recolor_i(Ctx *ctx, const Val *a) {
    return recolor(ctx, a[0], a[1], AS_INDICES);
}
Val prim_recolor_o(Ctx *ctx, const Val *a) {
    return recolor(ctx, a[0], a[1], AS_OBJECT);
}

/* ---- shift and normalize ---- */

/* Adds one constant to every key, which keeps their order; `beyond` collects bits that overflow a field. */
static bool shift_keys(Val p, int32_t di, int32_t dj, uint32_t *out) {
    KeyFields f = key_fields(p.kind);
    uint32_t up = (uint32_t)di, across = (uint32_t)dj, beyond = 0;
    uint32_t constant = (up << f.row) + (across << f.col);
    for (uint32_t k = 0; k < p.n; k++) {
        uint32_t key = p.k[k];
        beyond |= ((key >> f.row & f.mask) + up) | ((key >> f.col & f.mask) + across);
        out[k] = key + constant;
    }
    return (beyond & ~f.mask) == 0;
}

Val patch_shifted(Ctx *ctx, Val p, int64_t di, int64_t dj) {
    if (patch_packed(ctx, p, AS_PATCH) && di > -0x10000 && di < 0x10000 && dj > -0x10000 && dj < 0x10000) {
        if ((di | dj) == 0) {
            return p;
        }
        CtxMark mark = ctx_mark(ctx);
        uint32_t *out = key_buffer(ctx, p.n);
        if (out == NULL) {
            return val_fail_budget(ctx);
        }
        if (LIKELY(shift_keys(p, (int32_t)di, (int32_t)dj, out))) {
            return val_keys_sorted((Kind)p.kind, out, p.n);
        }
        ctx_release(ctx, mark);
    }
    return patch_mapped(ctx, p, &(PatchMap){.si = 1, .sj = 1, .di = di, .dj = dj});
}

static inline bool is_empty_tuple(Val v) {
    return v.kind == VAL_TUPLE && v.n == 0;
}

Val prim_shift(Ctx *ctx, const Val *a) {
    Val p = a[0];
    if (LIKELY(patch_packed(ctx, p, AS_PATCH) && a[1].kind == VAL_PAIR)) {
        return patch_shifted(ctx, p, a[1].a, a[1].b);
    }
    if (ctx->mode == MODE_BATT) {
        if (!val_truth(p)) {
            return VAL_EMPTY_SET;
        }
        if (is_empty_tuple(a[1])) {
            return p;
        }
    }
    int64_t di, dj;
    if (!val_is_container(p)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(p) == 0) {
        return p;
    }
    return val_get_pair(a[1], &di, &dj) ? patch_shifted(ctx, p, di, dj) : val_fail(FAIL_TYPE);
}

/* Follows the definition: shift(p, (-uppermost, -leftmost)). Written call by call, because in safe mode an
 * uppermost_i that fails is 0. */
static Val normalize(Ctx *ctx, Val p, PatchAs as, PrimId uppermost, PrimId leftmost) {
    if (LIKELY(patch_packed(ctx, p, as))) {
        return patch_shifted(ctx, p, -keys_top(p), -keys_left(p));
    }
    if (!val_is_container(p)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(p) == 0) {
        return p;
    }
    Val top = prim1(ctx, uppermost, p), left = prim1(ctx, leftmost, p);
    if (val_failed(top) || val_failed(left)) {
        return val_failed(top) ? top : left;
    }
    if (!val_is_int(top) || !val_is_int(left)) {
        return val_fail(FAIL_TYPE);
    }
    if (top.i == INT64_MIN || left.i == INT64_MIN) {
        return val_fail(FAIL_OVERFLOW);
    }
    Val by = val_pair(ctx, -top.i, -left.i);
    return prim2(ctx, P_shift, p, by);
}

Val prim_normalize(Ctx *ctx, const Val *a) {
    return normalize(ctx, a[0], AS_PATCH, P_uppermost, P_leftmost);
}
Val prim_normalize_i(Ctx *ctx, const Val *a) {
    return normalize(ctx, a[0], AS_INDICES, P_uppermost_i, P_leftmost_i);
}
Val prim_normalize_o(Ctx *ctx, const Val *a) {
    return normalize(ctx, a[0], AS_OBJECT, P_uppermost_o, P_leftmost_o);
}
