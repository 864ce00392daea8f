/* Sizes of grids and patches: height, width, shape, and tests based on them.
 *
 * The variants `_f`, `_i`, `_o` are defined by calls of other primitives, and make these calls if a patch is
 * not packed: in safe mode each call is protected separately, so that a failed lowermost counts as 0. */
#include "engine/arcdsl/packed_patch.h"
#include "engine/primitives/prim.h"

/* ---- arithmetic on results of calls ---- */

/* b - a + 1 */
static Val span(Val a, Val b) {
    int64_t n;
    if (val_failed(a) || val_failed(b)) {
        return val_failed(a) ? a : b;
    }
    if (!val_is_int(a) || !val_is_int(b)) {
        return val_fail(FAIL_TYPE);
    }
    return __builtin_sub_overflow(b.i, a.i, &n) || __builtin_add_overflow(n, 1, &n) ? val_fail(FAIL_OVERFLOW)
                                                                                    : val_int(n);
}

static Val pair_of(Ctx *ctx, Val h, Val w) {
    if (val_failed(h) || val_failed(w)) {
        return val_failed(h) ? h : w;
    }
    return val_tuple2(ctx, h, w);
}

static Val longer(Val h, Val w) {
    if (val_failed(h) || val_failed(w)) {
        return val_failed(h) ? h : w;
    }
    return val_is_int(h) && val_is_int(w) ? val_bool(h.i > w.i) : val_fail(FAIL_TYPE);
}

/* h * w = n and h = w */
static Val is_square(Val h, Val w, Val p) {
    int64_t area;
    if (val_failed(h) || val_failed(w)) {
        return val_failed(h) ? h : w;
    }
    if (!val_is_int(h) || !val_is_int(w) || !val_is_container(p)) {
        return val_fail(FAIL_TYPE);
    }
    if (__builtin_mul_overflow(h.i, w.i, &area)) {
        return val_fail(FAIL_OVERFLOW);
    }
    return val_bool(area == val_len(p) && h.i == w.i);
}

/* length = #p and thickness = 1, where #p is the number of elements */
static Val is_line(Val length, Val thickness, Val p) {
    if (val_failed(length) || val_failed(thickness)) {
        return val_failed(length) ? length : thickness;
    }
    if (!val_is_int(length) || !val_is_int(thickness) || !val_is_container(p)) {
        return val_fail(FAIL_TYPE);
    }
    return val_bool(length.i == val_len(p) && thickness.i == 1);
}

/* ---- the patch variants ---- */

static inline Val keys_height(Val p) {
    return val_int(keys_bottom(p) - keys_top(p) + 1);
}
static inline Val keys_width(Val p) {
    Box box = keys_box(p);
    return val_int(box.right - box.left + 1);
}

static Val span_plain(Ctx *ctx, Val p, PrimId low, PrimId high) {
    if (!val_is_container(p)) {
        return val_fail(FAIL_TYPE);
    }
    return val_len(p) == 0 ? val_int(0) : span(prim1(ctx, low, p), prim1(ctx, high, p));
}

#define SIZES(suffix, as, up, low, left, right)                                                     \
    Val prim_height_##suffix(Ctx *ctx, const Val *a) {                                              \
        return patch_packed(ctx, a[0], as) ? keys_height(a[0]) : span_plain(ctx, a[0], up, low);    \
    }                                                                                               \
    Val prim_width_##suffix(Ctx *ctx, const Val *a) {                                               \
        return patch_packed(ctx, a[0], as) ? keys_width(a[0]) : span_plain(ctx, a[0], left, right); \
    }
SIZES(f, AS_PATCH, P_uppermost, P_lowermost, P_leftmost, P_rightmost)
SIZES(i, AS_INDICES, P_uppermost_i, P_lowermost_i, P_leftmost_i, P_rightmost_i)
SIZES(o, AS_OBJECT, P_uppermost_o, P_lowermost_o, P_leftmost_o, P_rightmost_o)

Val prim_shape_f(Ctx *ctx, const Val *a) {
    if (LIKELY(patch_packed(ctx, a[0], AS_PATCH))) {
        Box b = keys_box(a[0]);
        return val_pair32((int32_t)(b.bottom - b.top + 1), (int32_t)(b.right - b.left + 1));
    }
    return pair_of(ctx, prim1(ctx, P_height_f, a[0]), prim1(ctx, P_width_f, a[0]));
}

Val prim_portrait_f(Ctx *ctx, const Val *a) {
    if (LIKELY(patch_packed(ctx, a[0], AS_PATCH))) {
        Box b = keys_box(a[0]);
        return val_bool(b.bottom - b.top > b.right - b.left);
    }
    return longer(prim1(ctx, P_height_f, a[0]), prim1(ctx, P_width_f, a[0]));
}

static inline bool keys_square(Val p) {
    Box b = keys_box(p);
    int64_t h = b.bottom - b.top + 1, w = b.right - b.left + 1;
    return h == w && h * w == p.n;
}

Val prim_square_f(Ctx *ctx, const Val *a) {
    if (LIKELY(patch_packed(ctx, a[0], AS_PATCH))) {
        return val_bool(keys_square(a[0]));
    }
    return is_square(prim1(ctx, P_height_f, a[0]), prim1(ctx, P_width_f, a[0]), a[0]);
}

static inline bool keys_line(Val p, bool vertical) {
    Box b = keys_box(p);
    int64_t h = b.bottom - b.top + 1, w = b.right - b.left + 1;
    return vertical ? w == 1 && h == p.n : h == 1 && w == p.n;
}

#define LINES(suffix, as)                                                                                    \
    Val prim_vline_##suffix(Ctx *ctx, const Val *a) {                                                        \
        return patch_packed(ctx, a[0], as)                                                                   \
                   ? val_bool(keys_line(a[0], true))                                                         \
                   : is_line(prim1(ctx, P_height_##suffix, a[0]), prim1(ctx, P_width_##suffix, a[0]), a[0]); \
    }                                                                                                        \
    Val prim_hline_##suffix(Ctx *ctx, const Val *a) {                                                        \
        return patch_packed(ctx, a[0], as)                                                                   \
                   ? val_bool(keys_line(a[0], false))                                                        \
                   : is_line(prim1(ctx, P_width_##suffix, a[0]), prim1(ctx, P_height_##suffix, a[0]), a[0]); \
    }
LINES(i, AS_INDICES)
LINES(o, AS_OBJECT)

/* ---- the tuple variants ---- */

Val prim_height_t(Ctx *ctx, const Val *a) {
    (void)ctx;
    return val_is_container(a[0]) ? val_int(val_len(a[0])) : val_fail(FAIL_TYPE);
}

/* the number of entries of the first row */
static Val row_length(Val g) {
    if (LIKELY(g.kind == VAL_GRID8)) {
        return val_int(g.w);
    }
    if (!val_is_tuple(g)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(g) == 0) {
        return val_fail(FAIL_RANGE);
    }
    Val row = val_at(g, 0);
    return val_is_container(row) ? val_int(val_len(row)) : val_fail(FAIL_TYPE);
}

Val prim_width_t(Ctx *ctx, const Val *a) {
    (void)ctx;
    return val_truth(a[0]) ? row_length(a[0]) : val_int(0);
}

Val prim_shape_t(Ctx *ctx, const Val *a) {
    if (LIKELY(a[0].kind == VAL_GRID8)) {
        return val_pair32((int32_t)a[0].n, a[0].w);
    }
    return pair_of(ctx, prim1(ctx, P_height_t, a[0]), prim1(ctx, P_width_t, a[0]));
}

Val prim_portrait_t(Ctx *ctx, const Val *a) {
    if (LIKELY(a[0].kind == VAL_GRID8)) {
        return val_bool(a[0].n > a[0].w);
    }
    return longer(prim1(ctx, P_height_t, a[0]), prim1(ctx, P_width_t, a[0]));
}

Val prim_square_t(Ctx *ctx, const Val *a) {
    (void)ctx;
    Val w = row_length(a[0]);
    return val_failed(w) ? w : val_bool(w.i == val_len(a[0]));
}

/* ---- grids and patches alike ---- */

static Reason piece_size(Ctx *ctx, Val p, Val *h, Val *w) {
    *h = *w = val_int(0);
    if (!val_is_container(p)) {
        return FAIL_TYPE;
    }
    if (val_len(p) == 0) {
        return FAIL_NONE;
    }
    if (val_is_tuple(p)) {
        *h = val_int(val_len(p));
        *w = row_length(p);
    } else {
        Box box;
        Reason why = patch_box(ctx, p, AS_PATCH, &box);
        if (why != FAIL_NONE) {
            return why;
        }
        *h = span(val_int(box.top), val_int(box.bottom));
        *w = span(val_int(box.left), val_int(box.right));
    }
    return FAIL_NONE;
}

#define PIECE(name, expression)                                 \
    Val prim_##name(Ctx *ctx, const Val *a) {                   \
        Val h, w;                                               \
        Reason why = piece_size(ctx, a[0], &h, &w);             \
        return why == FAIL_NONE ? (expression) : val_fail(why); \
    }
PIECE(height, h)
PIECE(width, w)
PIECE(shape, pair_of(ctx, h, w))
PIECE(portrait, longer(h, w))
PIECE(vline, is_line(h, w, a[0]))
PIECE(hline, is_line(w, h, a[0]))

Val prim_square(Ctx *ctx, const Val *a) {
    if (val_is_tuple(a[0])) {
        return prim_square_t(ctx, a);
    }
    Val h, w;
    Reason why = piece_size(ctx, a[0], &h, &w);
    return why == FAIL_NONE ? is_square(h, w, a[0]) : val_fail(why);
}
