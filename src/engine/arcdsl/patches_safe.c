/* Safe mode: the results of the dialect's own definitions for ill-shaped patches.
 *
 * The language requires the elements of a patch to be pairs or cells of integers, and fails for anything
 * else. The dialect's definitions only unpack, compare and add elements: they happen to work for some patches
 * of another shape (tuples of sets, cells whose color is a set, places with one or three numbers), and
 * programs run in safe mode expect those results. So these definitions, written call by call, are tried after
 * a failure before the default is taken. */
#include "engine/arcdsl/colors.h"
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/turn.h"
#include "engine/primitives/prim.h"

/* ---- unpacking ---- */

/* Unpacks a tuple or set of exactly n elements. */
static bool unpack(Val e, uint32_t n, Val *out) {
    if (!val_is_container(e) || val_len(e) != n) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        out[k] = val_at(e, k);
    }
    return true;
}

static bool unpack_ints(Val e, int64_t *a, int64_t *b) {
    Val x[2];
    if (!unpack(e, 2, x) || !val_is_int(x[0]) || !val_is_int(x[1])) {
        return false;
    }
    *a = x[0].i;
    *b = x[1].i;
    return true;
}

static bool looks_like_cell(Val p) { /* p is not empty */
    Val e = val_at(p, 0);
    return val_is_container(e) && val_len(e) == 3;
}

static Val indices_of(Ctx *ctx, Val p, PatchAs as) {
    return as == AS_INDICES ? p : prim1(ctx, as == AS_OBJECT ? P_toindices_o : P_toindices, p);
}

static Val tuple_of(Ctx *ctx, const Val *from, uint32_t n) {
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = from[k];
    }
    return val_tuple(ctx, items, n);
}

/* ---- patches from patches ---- */

/* What to do to one element, unpacked into n values. False: it cannot be done. */
typedef struct Change Change;
struct Change {
    bool (*apply)(const Change *change, Val *cell);
    int64_t di, dj;
    Val color;
};

/* The set of changed elements. Each must have exactly n components, of which the first `keep` are kept after
 * the change. */
static Val changed(Ctx *ctx, Val p, uint32_t n, uint32_t keep, const Change *change) {
    if (!val_is_container(p)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t count = val_len(p);
    Val *items = val_buffer(ctx, count);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < count; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        Val cell[3];
        if (!unpack(val_at(p, k), n, cell) || !change->apply(change, cell)) {
            return val_fail(FAIL_TYPE);
        }
        items[k] = tuple_of(ctx, cell, keep);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_set(ctx, items, count);
}

static Val changed_patch(Ctx *ctx, Val p, PatchAs as, const Change *change) {
    if (!val_is_container(p) || val_len(p) == 0) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = as == AS_OBJECT || (as == AS_PATCH && looks_like_cell(p)) ? 3 : 2;
    return changed(ctx, p, n, n, change);
}

static bool nothing(const Change *change, Val *cell) {
    (void)change;
    (void)cell;
    return true;
}

static bool paint(const Change *change, Val *cell) {
    cell[2] = change->color;
    return true;
}

static bool add(const Change *change, Val *cell) {
    return val_is_int(cell[0]) && val_is_int(cell[1]) &&
           !__builtin_add_overflow(cell[0].i, change->di, &cell[0].i) &&
           !__builtin_add_overflow(cell[1].i, change->dj, &cell[1].i);
}

static bool flip_row(const Change *change, Val *cell) {
    return val_is_int(cell[0]) && !__builtin_sub_overflow(change->di, cell[0].i, &cell[0].i);
}

static bool flip_col(const Change *change, Val *cell) {
    return val_is_int(cell[1]) && !__builtin_sub_overflow(change->dj, cell[1].i, &cell[1].i);
}

static bool turn(const Change *change, Val *cell) {
    Val i = cell[0];
    cell[0] = cell[1];
    cell[1] = i;
    return add(change, cell);
}

Val prim_toindices_o_safe(Ctx *ctx, const Val *a) {
    return changed(ctx, a[0], 3, 2, &(Change){.apply = nothing});
}

Val prim_toindices_safe(Ctx *ctx, const Val *a) {
    return prim_toindices_o_safe(ctx, a); /* the primitive fails only for objects */
}

Val prim_recolor_i_safe(Ctx *ctx, const Val *a) {
    return changed(ctx, a[1], 2, 3, &(Change){.apply = paint, .color = a[0]});
}

Val prim_recolor_o_safe(Ctx *ctx, const Val *a) {
    return changed(ctx, prim1(ctx, P_toindices_o, a[1]), 2, 3, &(Change){.apply = paint, .color = a[0]});
}

Val prim_shift_safe(Ctx *ctx, const Val *a) {
    Change by = {.apply = add};
    return unpack_ints(a[1], &by.di, &by.dj) ? changed_patch(ctx, a[0], AS_PATCH, &by) : val_fail(FAIL_TYPE);
}

/* The sum of component k of the upper left and lower right corners. */
static bool corner_sum(Ctx *ctx, Val p, uint32_t k, int64_t *sum) {
    Val a = prim1(ctx, P_ulcorner, p), b = prim1(ctx, P_lrcorner, p);
    if (!val_is_tuple(a) || !val_is_tuple(b) || val_len(a) <= k || val_len(b) <= k) {
        return false;
    }
    a = val_at(a, k);
    b = val_at(b, k);
    return val_is_int(a) && val_is_int(b) && !__builtin_add_overflow(a.i, b.i, sum);
}

static Val hmirror(Ctx *ctx, Val p, PatchAs as) {
    Change flip = {.apply = flip_row};
    return corner_sum(ctx, p, 0, &flip.di) ? changed_patch(ctx, p, as, &flip) : val_fail(FAIL_TYPE);
}

static Val vmirror(Ctx *ctx, Val p, PatchAs as) {
    Change flip = {.apply = flip_col};
    return corner_sum(ctx, p, 1, &flip.dj) ? changed_patch(ctx, p, as, &flip) : val_fail(FAIL_TYPE);
}

static Val dmirror(Ctx *ctx, Val p, PatchAs as) {
    Change by = {.apply = turn};
    int64_t a, b;
    if (!unpack_ints(prim1(ctx, P_ulcorner, p), &a, &b) || __builtin_sub_overflow(a, b, &by.di) ||
        __builtin_sub_overflow(b, a, &by.dj)) {
        return val_fail(FAIL_TYPE);
    }
    return changed_patch(ctx, p, as, &by);
}

#define MIRROR_SAFE(name, suffix, as)                           \
    Val prim_##name##_##suffix##_safe(Ctx *ctx, const Val *a) { \
        return name(ctx, a[0], as);                             \
    }
MIRROR_SAFE(hmirror, f, AS_PATCH)
MIRROR_SAFE(hmirror, i, AS_INDICES)
MIRROR_SAFE(hmirror, o, AS_OBJECT)
MIRROR_SAFE(vmirror, f, AS_PATCH)
MIRROR_SAFE(vmirror, i, AS_INDICES)
MIRROR_SAFE(vmirror, o, AS_OBJECT)
MIRROR_SAFE(dmirror, f, AS_PATCH)
MIRROR_SAFE(dmirror, i, AS_INDICES)
MIRROR_SAFE(dmirror, o, AS_OBJECT)

Val prim_cmirror_f_safe(Ctx *ctx, const Val *a) {
    return prim1(ctx, P_vmirror_f, prim1(ctx, P_dmirror_f, prim1(ctx, P_vmirror_f, a[0])));
}

/* The tuple branches accept any container of rows. */
Val prim_vmirror_t_safe(Ctx *ctx, const Val *a) {
    return grid_vmirror(ctx, a[0]);
}
Val prim_dmirror_t_safe(Ctx *ctx, const Val *a) {
    return grid_dmirror(ctx, a[0]);
}

Val prim_upscale_f_safe(Ctx *ctx, const Val *a) {
    int64_t top, left, f = val_is_int(a[1]) ? a[1].i : 0;
    if (!unpack_ints(prim1(ctx, P_ulcorner, a[0]), &top, &left) || !val_is_int(a[1]) || top == INT64_MIN ||
        left == INT64_MIN) {
        return val_fail(FAIL_TYPE);
    }
    Val small = prim2(ctx, P_shift, a[0], val_pair(ctx, -top, -left));
    uint32_t n = val_is_container(small) ? val_len(small) : 0, made = 0;
    if (f <= 0 || n == 0) {
        return VAL_EMPTY_SET;
    }
    if (f > LIMIT_ELEMENTS || f * f > LIMIT_ELEMENTS / n) {
        return val_fail(FAIL_LIMIT);
    }
    Val *items = val_buffer(ctx, (size_t)(n * f * f));
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        Val cell[3];
        int64_t i, j;
        if (!unpack(val_at(small, k), 3, cell) || !val_is_int(cell[0]) || !val_is_int(cell[1]) ||
            __builtin_mul_overflow(cell[0].i, f, &i) || __builtin_mul_overflow(cell[1].i, f, &j)) {
            return val_fail(FAIL_TYPE);
        }
        for (int64_t at = 0; at < f * f; at++) {
            if (__builtin_add_overflow(i, at / f, &cell[0].i) ||
                __builtin_add_overflow(j, at % f, &cell[1].i)) {
                return val_fail(FAIL_OVERFLOW);
            }
            items[made++] = tuple_of(ctx, cell, 3);
            if (val_failed(items[made - 1])) {
                return items[made - 1];
            }
        }
    }
    return prim2(ctx, P_shift, val_set(ctx, items, made), val_pair(ctx, top, left));
}

/* ---- bounds ---- */

/* Whether y is beyond x in the direction of the sign. False with *ok cleared: they cannot be compared, or not
 * in time. */
static bool beyond(Ctx *ctx, Val x, Val y, int sign, bool *ok) {
    int order;
    *ok = val_check_time(ctx, x, y) && val_kcmp(y, x, &order);
    return *ok && order * sign > 0;
}

/* The least (sign -1) or greatest (1) value of a component over all elements, which are pairs of anything. */
static Val edge(Ctx *ctx, Val p, PatchAs as, uint32_t component, int sign) {
    Val ix = indices_of(ctx, p, as), best = val_fail(FAIL_EMPTY), x[2];
    if (!val_is_container(ix)) {
        return val_fail(FAIL_TYPE);
    }
    for (uint32_t k = 0; k < val_len(ix); k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        bool ok = true;
        if (!unpack(val_at(ix, k), 2, x)) {
            return val_fail(FAIL_TYPE);
        }
        if (k == 0 || beyond(ctx, best, x[component], sign, &ok)) {
            best = x[component];
        }
        if (!ok) {
            return val_fail(FAIL_ORDER);
        }
    }
    return best;
}

#define EDGE_SAFE(name, component, sign)                     \
    Val prim_##name##_safe(Ctx *ctx, const Val *a) {         \
        return edge(ctx, a[0], AS_PATCH, component, sign);   \
    }                                                        \
    Val prim_##name##_i_safe(Ctx *ctx, const Val *a) {       \
        return edge(ctx, a[0], AS_INDICES, component, sign); \
    }                                                        \
    Val prim_##name##_o_safe(Ctx *ctx, const Val *a) {       \
        return edge(ctx, a[0], AS_OBJECT, component, sign);  \
    }
EDGE_SAFE(uppermost, 0, -1)
EDGE_SAFE(lowermost, 0, 1)
EDGE_SAFE(leftmost, 1, -1)
EDGE_SAFE(rightmost, 1, 1)

/* The number of components that all elements have; false: some element is not a container, or the time is
 * up. */
static bool shortest(Ctx *ctx, Val ix, uint32_t *length) {
    *length = UINT32_MAX;
    for (uint32_t k = 0; k < val_len(ix); k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return false;
        }
        Val e = val_at(ix, k);
        if (!val_is_container(e)) {
            return false;
        }
        *length = val_len(e) < *length ? val_len(e) : *length;
    }
    return true;
}

/* The extreme of each component that all elements have. Corners with mixed signs allow only two
 * components. */
static Val corner(Ctx *ctx, Val p, PatchAs as, int row_sign, int col_sign) {
    Val ix = indices_of(ctx, p, as);
    uint32_t length;
    if (!val_is_container(ix) || !shortest(ctx, ix, &length)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(ix) == 0) {
        return VAL_EMPTY_TUPLE;
    }
    if (row_sign != col_sign && length > 2) {
        return val_fail(FAIL_RANGE);
    }
    Val *items = val_buffer(ctx, length);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    size_t seen = 0;
    for (uint32_t c = 0; c < length; c++) {
        for (uint32_t k = 0; k < val_len(ix); k++) {
            if (!ctx_check_time_at(ctx, seen++)) {
                return val_fail_budget(ctx);
            }
            bool ok = true;
            Val x = val_at(val_at(ix, k), c);
            if (k == 0 || beyond(ctx, items[c], x, c == 0 ? row_sign : col_sign, &ok)) {
                items[c] = x;
            }
            if (!ok) {
                return val_fail(FAIL_ORDER);
            }
        }
    }
    return val_tuple(ctx, items, length);
}

#define CORNER_SAFE(name, row_sign, col_sign)                     \
    Val prim_##name##_safe(Ctx *ctx, const Val *a) {              \
        return corner(ctx, a[0], AS_PATCH, row_sign, col_sign);   \
    }                                                             \
    Val prim_##name##_i_safe(Ctx *ctx, const Val *a) {            \
        return corner(ctx, a[0], AS_INDICES, row_sign, col_sign); \
    }                                                             \
    Val prim_##name##_o_safe(Ctx *ctx, const Val *a) {            \
        return corner(ctx, a[0], AS_OBJECT, row_sign, col_sign);  \
    }
CORNER_SAFE(ulcorner, -1, -1)
CORNER_SAFE(urcorner, -1, 1)
CORNER_SAFE(llcorner, 1, -1)
CORNER_SAFE(lrcorner, 1, 1)

Val prim_centerofmass_safe(Ctx *ctx, const Val *a) {
    Val ix = prim1(ctx, P_toindices, a[0]);
    uint32_t length;
    if (!val_is_container(ix) || !shortest(ctx, ix, &length) || !val_is_container(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(ix) == 0) {
        return VAL_EMPTY_TUPLE;
    }
    Val *items = val_buffer(ctx, length);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    size_t seen = 0;
    for (uint32_t c = 0; c < length; c++) {
        int64_t sum = 0, n = val_len(a[0]);
        for (uint32_t k = 0; k < val_len(ix); k++) {
            if (!ctx_check_time_at(ctx, seen++)) {
                return val_fail_budget(ctx);
            }
            Val x = val_at(val_at(ix, k), c);
            if (!val_is_int(x) || __builtin_add_overflow(sum, x.i, &sum)) {
                return val_fail(FAIL_TYPE);
            }
        }
        items[c] = val_int(sum / n - (sum % n < 0));
    }
    return val_tuple(ctx, items, length);
}

static bool corner_box(Ctx *ctx, Val p, Box *box) {
    return unpack_ints(prim1(ctx, P_ulcorner, p), &box->top, &box->left) &&
           unpack_ints(prim1(ctx, P_lrcorner, p), &box->bottom, &box->right);
}

Val prim_backdrop_safe(Ctx *ctx, const Val *a) {
    Box box;
    return corner_box(ctx, a[0], &box) ? box_backdrop(ctx, box) : val_fail(FAIL_TYPE);
}

Val prim_box_safe(Ctx *ctx, const Val *a) {
    Box box;
    return corner_box(ctx, a[0], &box) ? box_outline(ctx, box) : val_fail(FAIL_TYPE);
}

Val prim_delta_safe(Ctx *ctx, const Val *a) {
    Val ix = prim1(ctx, P_toindices, a[0]);
    return val_is_set(ix) ? prim2(ctx, P_difference, prim1(ctx, P_backdrop, a[0]), ix) : val_fail(FAIL_TYPE);
}

/* ---- two patches ---- */

static Val matching(Ctx *ctx, const Val *a, uint32_t component) {
    Val p = prim1(ctx, P_toindices, a[0]), q = prim1(ctx, P_toindices, a[1]), x[2], y[2];
    if (!val_is_container(p) || !val_is_container(q)) {
        return val_fail(FAIL_TYPE);
    }
    bool found = false;
    for (uint32_t m = 0; m < val_len(q); m++) {
        if (!ctx_check_time_at(ctx, m)) {
            return val_fail_budget(ctx);
        }
        if (!unpack(val_at(q, m), 2, y)) {
            return val_fail(FAIL_TYPE);
        }
    }
    for (uint32_t k = 0; k < val_len(p); k++) {
        if (!unpack(val_at(p, k), 2, x)) {
            return val_fail(FAIL_TYPE);
        }
        if (!ctx_charge(ctx, val_len(q) / 8)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t m = 0; m < val_len(q); m++) {
            if (!ctx_check_time_at(ctx, m)) {
                return val_fail_budget(ctx);
            }
            unpack(val_at(q, m), 2, y);
            found |= val_eq(x[component], y[component]);
        }
    }
    return val_bool(found);
}

Val prim_hmatching_safe(Ctx *ctx, const Val *a) {
    return matching(ctx, a, 0);
}
Val prim_vmatching_safe(Ctx *ctx, const Val *a) {
    return matching(ctx, a, 1);
}

/* The places of a patch whose pairs may be sets, converted to true indices. */
static Val true_indices(Ctx *ctx, Val p) {
    return changed(ctx, prim1(ctx, P_toindices, p), 2, 2, &(Change){.apply = add});
}

Val prim_manhattan_safe(Ctx *ctx, const Val *a) {
    Val p = true_indices(ctx, a[0]), q = true_indices(ctx, a[1]);
    if (val_failed(p) || val_failed(q) || val_len(p) == 0 || val_len(q) == 0) {
        return val_fail(FAIL_TYPE);
    }
    return prim2(ctx, P_manhattan, p, q);
}

/* ---- objects and grids ---- */

Val prim_index_safe(Ctx *ctx, const Val *a) {
    int64_t i, j;
    return a[1].kind == VAL_PAIR || !unpack_ints(a[1], &i, &j)
               ? val_fail(FAIL_TYPE)
               : prim2(ctx, P_index, a[0], val_pair(ctx, i, j));
}

Val prim_toobject_safe(Ctx *ctx, const Val *a) {
    Val ix = true_indices(ctx, a[0]), grid = a[1];
    if (val_failed(ix) || !val_is_tuple(grid) || val_len(grid) == 0 || !val_is_container(val_at(grid, 0))) {
        return val_fail(FAIL_TYPE);
    }
    int64_t h = val_len(grid), w = val_len(val_at(grid, 0)), i = 0, j = 0;
    Val *items = val_buffer(ctx, val_len(ix));
    uint32_t n = 0;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < val_len(ix); k++) {
        unpack_ints(val_at(ix, k), &i, &j);
        if (i < 0 || i >= h || j < 0 || j >= w) {
            continue;
        }
        Val row = val_at(grid, (uint32_t)i);
        if (!val_is_tuple(row) || j >= val_len(row)) {
            return val_fail(FAIL_RANGE);
        }
        items[n++] = tuple_of(ctx, (Val[]){val_int(i), val_int(j), val_at(row, (uint32_t)j)}, 3);
        if (val_failed(items[n - 1])) {
            return items[n - 1];
        }
    }
    return val_set(ctx, items, n);
}

/* ---- colors ---- */

/* The third components of the cells, as a grid of one row. */
static Val colors_as_row(Ctx *ctx, Val obj) {
    uint32_t n = val_is_container(obj) ? val_len(obj) : 0;
    Val *colors = val_buffer(ctx, n), row, cell[3];
    if (colors == NULL || !val_is_container(obj)) {
        return val_fail(FAIL_TYPE);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!unpack(val_at(obj, k), 3, cell)) {
            return val_fail(FAIL_TYPE);
        }
        colors[k] = cell[2];
    }
    row = val_tuple(ctx, colors, n);
    return val_failed(row) ? row : tuple_of(ctx, &row, 1);
}

#define COLORS_SAFE(name, of_row)                    \
    Val prim_##name##_safe(Ctx *ctx, const Val *a) { \
        Val row = colors_as_row(ctx, a[0]);          \
        return val_failed(row) ? row : of_row;       \
    }
COLORS_SAFE(mostcolor_f, colors_most(ctx, row))
COLORS_SAFE(leastcolor_f, colors_least(ctx, row))
COLORS_SAFE(palette_f, prim1(ctx, P_palette_t, row))
COLORS_SAFE(numcolors_f, prim1(ctx, P_numcolors_t, row))
COLORS_SAFE(colorcount_f, prim2(ctx, P_colorcount_t, row, a[1]))
COLORS_SAFE(p_o, prim1(ctx, P_p_g, row))
