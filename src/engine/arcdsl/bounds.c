/* Where a patch lies: its edges, corners and centers, and the boxes drawn around it. */
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

/* ---- edges ---- */

typedef enum BoundsEdge { TOP, BOTTOM, LEFT, RIGHT } BoundsEdge;

static __attribute__((noinline)) Val edge_plain(Ctx *ctx, Val p, PatchAs as, BoundsEdge which) {
    bool nan_for_none = as == AS_PATCH ? ctx->mode == MODE_BATT : which != RIGHT;
    if (nan_for_none && !val_truth(p)) {
        return val_atom(ATOM_NAN);
    }
    Box box;
    Reason why = patch_box(ctx, p, as, &box);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    return val_int(which == TOP      ? box.top
                   : which == BOTTOM ? box.bottom
                   : which == LEFT   ? box.left
                                     : box.right);
}

static inline Val edge(Ctx *ctx, Val p, PatchAs as, BoundsEdge which) {
    if (UNLIKELY(!patch_packed(ctx, p, as))) {
        return edge_plain(ctx, p, as, which);
    }
    return val_int(which == TOP      ? keys_top(p)
                   : which == BOTTOM ? keys_bottom(p)
                   : which == LEFT   ? keys_left(p)
                                     : keys_right(p));
}

#define EDGE(name, as, which)                 \
    Val prim_##name(Ctx *ctx, const Val *a) { \
        return edge(ctx, a[0], as, which);    \
    }
EDGE(uppermost, AS_PATCH, TOP)
EDGE(uppermost_i, AS_INDICES, TOP)
EDGE(uppermost_o, AS_OBJECT, TOP)
EDGE(lowermost, AS_PATCH, BOTTOM)
EDGE(lowermost_i, AS_INDICES, BOTTOM)
EDGE(lowermost_o, AS_OBJECT, BOTTOM)
EDGE(leftmost, AS_PATCH, LEFT)
EDGE(leftmost_i, AS_INDICES, LEFT)
EDGE(leftmost_o, AS_OBJECT, LEFT)
EDGE(rightmost, AS_PATCH, RIGHT)
EDGE(rightmost_i, AS_INDICES, RIGHT)
EDGE(rightmost_o, AS_OBJECT, RIGHT)

Val prim_col_row(Ctx *ctx, const Val *a) {
    static const uint16_t edges[] = {P_lowermost, P_uppermost, P_leftmost, P_rightmost};
    if (!val_is_int(a[1]) || a[1].i < 0 || a[1].i > 3) {
        return val_atom(ATOM_NONE);
    }
    return prim1(ctx, edges[a[1].i], a[0]);
}

/* ---- corners ---- */

static __attribute__((noinline)) Val corner_plain(Ctx *ctx, Val p, PatchAs as, BoundsEdge row,
                                                  BoundsEdge col) {
    Box box;
    Reason why = patch_box(ctx, p, as, &box);
    if (why != FAIL_NONE) {
        return why == FAIL_EMPTY ? VAL_EMPTY_TUPLE : val_fail(why);
    }
    return val_pair(ctx, row == TOP ? box.top : box.bottom, col == LEFT ? box.left : box.right);
}

static inline Val corner(Ctx *ctx, Val p, PatchAs as, BoundsEdge row, BoundsEdge col) {
    if (UNLIKELY(!patch_packed(ctx, p, as))) {
        return corner_plain(ctx, p, as, row, col);
    }
    return val_pair32(row == TOP ? keys_top(p) : keys_bottom(p), col == LEFT ? keys_left(p) : keys_right(p));
}

#define CORNER(name, as, row, col)              \
    Val prim_##name(Ctx *ctx, const Val *a) {   \
        return corner(ctx, a[0], as, row, col); \
    }
CORNER(ulcorner, AS_PATCH, TOP, LEFT)
CORNER(ulcorner_i, AS_INDICES, TOP, LEFT)
CORNER(ulcorner_o, AS_OBJECT, TOP, LEFT)
CORNER(urcorner, AS_PATCH, TOP, RIGHT)
CORNER(urcorner_i, AS_INDICES, TOP, RIGHT)
CORNER(urcorner_o, AS_OBJECT, TOP, RIGHT)
CORNER(llcorner, AS_PATCH, BOTTOM, LEFT)
CORNER(llcorner_i, AS_INDICES, BOTTOM, LEFT)
CORNER(llcorner_o, AS_OBJECT, BOTTOM, LEFT)
CORNER(lrcorner, AS_PATCH, BOTTOM, RIGHT)
CORNER(lrcorner_i, AS_INDICES, BOTTOM, RIGHT)
CORNER(lrcorner_o, AS_OBJECT, BOTTOM, RIGHT)

Val prim_corner(Ctx *ctx, const Val *a) {
    static const uint16_t corners[] = {P_ulcorner, P_urcorner, P_llcorner, P_lrcorner};
    bool known = val_int_within(a[1], 0, 4);
    return prim1(ctx, corners[known ? a[1].i : 0], a[0]);
}

Val prim_corners(Ctx *ctx, const Val *a) {
    Val p = a[0];
    if (LIKELY(patch_packed(ctx, p, AS_PATCH))) {
        Box box = keys_box(p);
        uint32_t *keys = key_buffer(ctx, 4), n = 0;
        if (keys == NULL) {
            return val_fail_budget(ctx);
        }
        for (int64_t i = box.top;; i = box.bottom) {
            keys[n++] = key_index((int32_t)i, (int32_t)box.left);
            keys[n] = key_index((int32_t)i, (int32_t)box.right);
            n += box.left != box.right;
            if (i == box.bottom) {
                return val_keys_sorted(VAL_INDICES, keys, n);
            }
        }
    }
    static const uint16_t ids[] = {P_ulcorner, P_urcorner, P_llcorner, P_lrcorner};
    Val *items = val_buffer(ctx, 4);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int k = 0; k < 4; k++) {
        items[k] = prim1(ctx, ids[k], p);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_set(ctx, items, 4);
}

/* ---- centers ---- */

/* at + half of the length, as in center. */
static Val plus_half(Val at, Val length) {
    int64_t sum;
    if (val_failed(at) || val_failed(length)) {
        return val_failed(at) ? at : length;
    }
    if (!val_is_int(at) || !val_is_int(length)) {
        return val_fail(FAIL_TYPE);
    }
    return __builtin_add_overflow(at.i, length.i >> 1, &sum) ? val_fail(FAIL_OVERFLOW) : val_int(sum);
}

static inline Val center_of(Box box) {
    return val_pair32((int32_t)(box.top + ((box.bottom - box.top + 1) >> 1)),
                      (int32_t)(box.left + ((box.right - box.left + 1) >> 1)));
}

static Val center_plain(Ctx *ctx, Val p) {
    bool core = ctx->mode == MODE_CORE;
    if (!core && !val_truth(p)) {
        return VAL_EMPTY_TUPLE;
    }
    Val i = plus_half(prim1(ctx, P_uppermost, p), prim1(ctx, core ? P_height : P_height_f, p));
    Val j = plus_half(prim1(ctx, P_leftmost, p), prim1(ctx, core ? P_width : P_width_f, p));
    return val_failed(i) ? i : val_failed(j) ? j : val_pair(ctx, i.i, j.i);
}

Val prim_center(Ctx *ctx, const Val *a) {
    return patch_packed(ctx, a[0], AS_PATCH) ? center_of(keys_box(a[0])) : center_plain(ctx, a[0]);
}

Val prim_position(Ctx *ctx, const Val *a) {
    Val c[2];
    for (int k = 0; k < 2; k++) {
        c[k] = patch_packed(ctx, a[k], AS_PATCH) ? center_of(keys_box(a[k]))
                                                 : prim1(ctx, P_center, prim1(ctx, P_toindices, a[k]));
        if (val_failed(c[k])) {
            return c[k];
        }
    }
    int64_t ia, ja, ib, jb;
    if (!val_get_pair(c[0], &ia, &ja) || !val_get_pair(c[1], &ib, &jb)) {
        return val_fail(FAIL_TYPE);
    }
    int32_t i = ia == ib ? 0 : ia < ib ? 1 : -1, j = ja < jb ? 1 : -1;
    return val_pair32(i, i != 0 && ja == jb ? 0 : j);
}

static int64_t floor_div(int64_t a, int64_t b) { /* b > 0 */
    return a / b - (a % b < 0);
}

/* Sums are taken over the distinct places, but the divisor is the number of elements. */
Val prim_centerofmass(Ctx *ctx, const Val *a) {
    Val p = a[0], ix = patch_toindices(ctx, p);
    if (val_failed(ix)) {
        return ix;
    }
    int64_t i = 0, j = 0;
    if (LIKELY(ix.kind == VAL_INDICES && FAST_PATH(ctx))) {
        for (uint32_t k = 0; k < ix.n; k++) {
            i += ix.k[k] >> 16;
            j += ix.k[k] & 0xffff;
        }
        i -= (int64_t)ix.n * KEY_INDEX;
        j -= (int64_t)ix.n * KEY_INDEX;
    } else {
        Patch patch;
        Reason why = patch_ix(ctx, ix, AS_INDICES, &patch);
        if (why != FAIL_NONE || patch.n == 0) {
            return why != FAIL_NONE ? val_fail(why) : VAL_EMPTY_TUPLE;
        }
        for (uint32_t k = 0; k < patch.n; k++) {
            if (__builtin_add_overflow(i, patch.cells[k].i, &i) ||
                __builtin_add_overflow(j, patch.cells[k].j, &j)) {
                return val_fail(FAIL_OVERFLOW);
            }
        }
    }
    return val_pair(ctx, floor_div(i, val_len(p)), floor_div(j, val_len(p)));
}

/* ---- boxes ---- */

static inline bool box_fits_keys(Box b) {
    return key_fits_index(b.top, b.left) && key_fits_index(b.bottom, b.right);
}

Val box_backdrop(Ctx *ctx, Box b) {
    int64_t h, w, n;
    if (__builtin_sub_overflow(b.bottom, b.top, &h) || __builtin_sub_overflow(b.right, b.left, &w) ||
        h >= LIMIT_ELEMENTS || w >= LIMIT_ELEMENTS || (n = (h + 1) * (w + 1)) > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    if (LIKELY(box_fits_keys(b) && FAST_PATH(ctx))) {
        uint32_t *keys = key_buffer(ctx, (size_t)n), *at = keys;
        uint32_t base = key_index((int32_t)b.top, (int32_t)b.left), across = (uint32_t)w + 1;
        if (keys == NULL) {
            return val_fail_budget(ctx);
        }
        for (int64_t i = 0; i <= h; i++, base += 1 << 16, at += across) {
            for (uint32_t j = 0; j < across; j++) {
                at[j] = base + j;
            }
        }
        return val_keys_sorted(VAL_INDICES, keys, (uint32_t)n);
    }
    Val *items = val_buffer(ctx, (size_t)n), *at = items;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int64_t i = 0; i <= h; i++) {
        for (int64_t j = 0; j <= w; j++, at++) {
            *at = val_pair(ctx, b.top + i, b.left + j);
            if (val_failed(*at)) {
                return *at;
            }
        }
    }
    return val_set_sorted(ctx, items, (uint32_t)n);
}

/* The result of backdrop and delta for an empty patch or something that is no patch; VAL_FAIL with FAIL_NONE:
 * go on. */
static Val none_of(const Ctx *ctx, Val p) {
    if (!val_is_container(p)) {
        return ctx->mode == MODE_BATT ? VAL_EMPTY_SET : val_fail(FAIL_TYPE);
    }
    return val_len(p) == 0 ? VAL_EMPTY_SET : val_fail(FAIL_NONE);
}

Val prim_backdrop(Ctx *ctx, const Val *a) {
    Val p = a[0], none = none_of(ctx, p);
    Box box;
    if (!val_failed(none) || none.w != FAIL_NONE) {
        return none;
    }
    Reason why = patch_box(ctx, p, AS_PATCH, &box);
    return why == FAIL_NONE ? box_backdrop(ctx, box) : val_fail(why);
}

/* The places of the box that are not in p, whose places ascend: a single walk over both. */
static inline Val delta_walk(Ctx *ctx, Val p, bool object) {
    Box b = keys_box(p);
    int64_t h = b.bottom - b.top + 1, w = b.right - b.left + 1;
    if (h * w > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    if (h * w == p.n) {
        return VAL_EMPTY_SET;
    }
    uint32_t *out = key_buffer(ctx, (size_t)(h * w - p.n) + 1), n = 0, at = 0;
    uint32_t base = key_index((int32_t)b.top, (int32_t)b.left), across = (uint32_t)w;
    if (out == NULL) {
        return val_fail_budget(ctx);
    }
    for (int64_t i = 0; i < h; i++, base += 1 << 16) {
        for (uint32_t j = 0; j < across; j++) {
            bool there = (object ? index_from_place(p.k[at] & 0xffffff) : p.k[at]) == base + j;
            out[n] = base + j;
            n += !there;
            at += there && at + 1 < p.n; /* stays on the last key, which cannot match again */
        }
    }
    return val_keys_sorted(VAL_INDICES, out, n);
}

/* For a packed patch. Batt objects may have several colors at one place, and core objects of several colors
 * are in a different order; both are converted to indices first. */
static __attribute__((noinline)) Val delta_keys(Ctx *ctx, Val p) {
    if (p.kind == VAL_OBJ_CORE && keys_ascend_by_row(p)) {
        return delta_walk(ctx, p, true);
    }
    Val ix = patch_toindices(ctx, p);
    return val_failed(ix) ? ix : delta_walk(ctx, ix, false);
}

static __attribute__((noinline)) Val delta_plain(Ctx *ctx, Val p) {
    Val none = none_of(ctx, p);
    Box box;
    if (!val_failed(none) || none.w != FAIL_NONE) {
        return none;
    }
    Val ix = patch_toindices(ctx, p);
    if (val_failed(ix)) {
        return ix;
    }
    if (ix.kind == VAL_INDICES && FAST_PATH(ctx)) { /* the patch was not packed, but its places are */
        return delta_walk(ctx, ix, false);
    }
    Reason why = val_is_set(ix) ? patch_box(ctx, p, AS_PATCH, &box) : FAIL_TYPE;
    Val all = why == FAIL_NONE ? box_backdrop(ctx, box) : val_fail(why);
    uint32_t n = 0;
    if (val_failed(all)) {
        return all;
    }
    Val *items = val_buffer(ctx, val_len(all));
    if (items == NULL || !ctx_charge(ctx, val_len(all))) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < val_len(all); k++) {
        Val e = val_at(all, k);
        if (!val_contains(ix, e)) {
            items[n++] = e;
        }
    }
    return val_set_sorted(ctx, items, n);
}

Val prim_delta(Ctx *ctx, const Val *a) {
    if (LIKELY(patch_packed(ctx, a[0], AS_PATCH))) {
        /* a single cell fills its box */
        return a[0].n == 1 ? VAL_EMPTY_SET : delta_keys(ctx, a[0]);
    }
    return delta_plain(ctx, a[0]);
}

/* The border of a box, its sides put in order first. */
Val box_outline(Ctx *ctx, Box b) {
    int64_t r1 = b.top < b.bottom ? b.top : b.bottom, r2 = b.top < b.bottom ? b.bottom : b.top;
    int64_t c1 = b.left < b.right ? b.left : b.right, c2 = b.left < b.right ? b.right : b.left, h, w;
    if (__builtin_sub_overflow(r2, r1, &h) || __builtin_sub_overflow(c2, c1, &w) || h >= LIMIT_ELEMENTS ||
        w >= LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    size_t room = 2 * ((size_t)h + (size_t)w + 2);
    bool packed = box_fits_keys((Box){r1, c1, r2, c2}) && FAST_PATH(ctx);
    if (packed) {
        uint32_t *keys = key_buffer(ctx, room), n = 0;
        if (keys == NULL) {
            return room > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
        }
        uint32_t base = key_index((int32_t)r1, (int32_t)c1), across = (uint32_t)w;
        for (int64_t i = 0; i <= h; i++, base += 1 << 16) {
            if (i != 0 && i != h) {
                keys[n++] = base;
                keys[n] = base + across;
                n += across != 0;
                continue;
            }
            for (uint32_t j = 0; j <= across; j++) {
                keys[n++] = base + j;
            }
        }
        return val_keys_sorted(VAL_INDICES, keys, n);
    }
    Val *items = val_buffer(ctx, room);
    uint32_t n = 0;
    if (items == NULL) {
        return room > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
    }
    for (int64_t i = 0; i <= h; i++) {
        int64_t step = i == 0 || i == h || w == 0 ? 1 : w;
        for (int64_t j = 0; j <= w; j += step) {
            items[n] = val_pair(ctx, r1 + i, c1 + j);
            if (val_failed(items[n])) {
                return items[n];
            }
            n++;
        }
    }
    return val_set_sorted(ctx, items, n);
}

static inline bool is_empty(Val v) {
    return (v.kind == VAL_TUPLE || v.kind == VAL_SET) && v.n == 0;
}

Val prim_box(Ctx *ctx, const Val *a) {
    Val p = a[0];
    Box box;
    if (LIKELY(patch_packed(ctx, p, AS_PATCH))) {
        return box_outline(ctx, keys_box(p));
    }
    if (is_empty(p)) {
        return ctx->mode == MODE_BATT ? VAL_EMPTY_SET : p;
    }
    Reason why = patch_box(ctx, p, AS_PATCH, &box);
    return why == FAIL_NONE ? box_outline(ctx, box) : val_fail(why);
}

/* inbox: by = -1; outbox: by = 1. Written call by call, because in safe mode an edge that fails is 0. */
static Val grown_outline(Ctx *ctx, Val p, int64_t by) {
    if (LIKELY(patch_packed(ctx, p, AS_PATCH))) {
        return box_outline(ctx, box_grown(keys_box(p), by));
    }
    if (ctx->mode == MODE_BATT && is_empty(p)) {
        return VAL_EMPTY_SET;
    }
    static const uint16_t ids[] = {P_uppermost, P_leftmost, P_lowermost, P_rightmost};
    int64_t at[4];
    for (int k = 0; k < 4; k++) {
        Val v = prim1(ctx, ids[k], p);
        if (!val_is_int(v)) {
            return val_failed(v) ? v : val_fail(FAIL_TYPE);
        }
        if (__builtin_add_overflow(v.i, k < 2 ? -by : by, &at[k])) {
            return val_fail(FAIL_OVERFLOW);
        }
    }
    return box_outline(ctx, (Box){at[0], at[1], at[2], at[3]});
}

Val prim_inbox(Ctx *ctx, const Val *a) {
    return grown_outline(ctx, a[0], -1);
}
Val prim_outbox(Ctx *ctx, const Val *a) {
    return grown_outline(ctx, a[0], 1);
}

/* ---- bordering ---- */

/* The size of the grid is only looked at if no earlier test has decided. */
static Val bordering_plain(Ctx *ctx, Val p, Val grid) {
    static const uint16_t ids[] = {P_uppermost, P_leftmost, P_lowermost, P_rightmost};
    for (int k = 0; k < 4; k++) {
        Val v = prim1(ctx, ids[k], p); /* in the dialect, nan for something empty: no border */
        if (val_failed(v)) {
            return v;
        }
        int64_t border = 0;
        if (k >= 2) {
            if (!val_is_container(grid)) {
                return val_fail(FAIL_TYPE);
            }
            border = (int64_t)val_len(grid) - 1;
        }
        if (k == 3) {
            uint32_t h, w;
            Reason why = rows_shape(grid, &h, &w);
            if (why != FAIL_NONE) {
                return val_fail(why);
            }
            border = (int64_t)w - 1;
        }
        if (val_is_int(v) && v.i == border) {
            return val_bool(true);
        }
    }
    return val_bool(false);
}

Val prim_bordering(Ctx *ctx, const Val *a) {
    Val p = a[0], grid = a[1];
    if (LIKELY(patch_packed(ctx, p, AS_PATCH) && grid.kind == VAL_GRID8)) {
        Box box = keys_box(p);
        return val_bool(box.top == 0 || box.left == 0 || box.bottom == (int64_t)grid.n - 1 ||
                        box.right == (int64_t)grid.w - 1);
    }
    return bordering_plain(ctx, p, grid);
}
