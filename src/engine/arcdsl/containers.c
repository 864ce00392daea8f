/* Containers and sets: membership, set algebra, taking elements out and putting them in.
 *
 * Sets of one packed kind are ascending arrays of integers, so the algebra is a merge without branches on the
 * data. */
#include "engine/arcdsl/bytes.h"
#include "engine/arcdsl/container_build.h"
#include "engine/arcdsl/tally.h"

#include <string.h>

/* ---- questions ---- */

Val prim_size(Ctx *ctx, const Val *a) {
    (void)ctx;
    Val v = {.kind = a->kind, .n = a->n}; /* all that it takes */
    return LIKELY(val_is_container(v)) ? val_int(val_len(v)) : val_fail(FAIL_TYPE);
}

Val prim_contained(Ctx *ctx, const Val *a) {
    Val c = a[1];
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (!val_is_keys(c) && !ctx_charge(ctx, val_probe_cost(c, a[0]))) {
        return val_fail_budget(ctx);
    }
    return val_bool(val_contains(c, a[0]));
}

/* ---- set algebra ---- */

typedef enum SetOp { UNION, INTERSECTION, DIFFERENCE } SetOp;

/* The number of keys below `key`: a binary search, then a linear scan of the last few. */
INLINE uint32_t keys_below(const uint32_t *keys, uint32_t n, uint32_t key) {
    enum { FEW = 8 };
    uint32_t from = 0;
    while (n - from > FEW) {
        uint32_t mid = from + (n - from) / 2;
        if (keys[mid] < key) {
            from = mid + 1;
        } else {
            n = mid;
        }
    }
    while (from < n && keys[from] < key) {
        from++;
    }
    return from;
}

INLINE Val keys_op(Ctx *ctx, Val a, Val b, SetOp op) {
    size_t room = op == UNION ? (size_t)a.n + b.n : a.n;
    uint32_t *out = key_buffer(ctx, room);
    if (out == NULL) {
        return collect_no_room(ctx, room);
    }
    uint32_t i = 0, j = 0, n = 0;
    if (op != UNION && a.n != 0 && b.n != 0) { /* skip the keys below the first key of the other set */
        j = keys_below(b.k, b.n, a.k[0]);
        i = j < b.n ? keys_below(a.k, a.n, b.k[j]) : a.n;
        if (op == DIFFERENCE) {
            memcpy(out, a.k, i * sizeof *out);
            n = i;
        }
    }
    while (i < a.n && j < b.n) {
        uint32_t x = a.k[i], y = b.k[j];
        out[n] = op == UNION && y < x ? y : x;
        n += op == UNION ? 1 : op == INTERSECTION ? x == y : x < y;
        i += x <= y;
        j += y <= x;
    }
    if (op != INTERSECTION && i < a.n) {
        memcpy(out + n, a.k + i, (a.n - i) * sizeof *out);
        n += a.n - i;
    }
    if (op == UNION && j < b.n) {
        memcpy(out + n, b.k + j, (b.n - j) * sizeof *out);
        n += b.n - j;
    }
    collect_trim(ctx, out, room * sizeof *out, n * sizeof *out);
    return val_keys_sorted((Kind)a.kind, out, n);
}

/* Canonical order keeps kinds together: if its first and last elements are integers, all elements are. */
static bool only_ints(Val set) {
    return set.kind == VAL_SET && set.n != 0 && set.v[0].kind == VAL_INT && set.v[set.n - 1].kind == VAL_INT;
}

INLINE Val ints_op(Ctx *ctx, Val a, Val b, SetOp op) {
    size_t room = op == UNION ? (size_t)a.n + b.n : a.n;
    Val *out = val_buffer(ctx, room);
    if (out == NULL) {
        return collect_no_room(ctx, room);
    }
    uint32_t i = 0, j = 0, n = 0;
    while (i < a.n && j < b.n) {
        int64_t x = a.v[i].i, y = b.v[j].i;
        out[n] = val_int(op == UNION && y < x ? y : x);
        n += op == UNION ? 1 : op == INTERSECTION ? x == y : x < y;
        i += x <= y;
        j += y <= x;
    }
    for (; op != INTERSECTION && i < a.n; i++) {
        out[n++] = a.v[i];
    }
    for (; op == UNION && j < b.n; j++) {
        out[n++] = b.v[j];
    }
    collect_trim(ctx, out, room * sizeof *out, n * sizeof *out);
    return val_weighed(VAL_SET, out, n, n);
}

/* The same for sets of any values. */
static Val sets_op(Ctx *ctx, Val a, Val b, SetOp op) {
    size_t room = op == UNION ? (size_t)a.n + b.n : a.n;
    Val *out = val_buffer(ctx, room);
    if (out == NULL || !ctx_charge(ctx, (a.n + b.n) / 8 + (val_weight(a) + val_weight(b)) / STEP_WEIGHT)) {
        return collect_no_room(ctx, room);
    }
    if (op == INTERSECTION && val_is_keys(a) && val_is_keys(b) && FAST_PATH(ctx)) {
        return VAL_EMPTY_SET; /* keys of different kinds: indices and cells */
    }
    uint32_t i = 0, j = 0, n = 0;
    bool values = a.kind == VAL_SET && b.kind == VAL_SET;
    for (uint32_t k = 0; values && i < a.n && j < b.n;
         k++) { /* the same as below, without looking for elements */
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        int order = val_cmp_inline(a.v[i], b.v[j]);
        out[n] = op == UNION && order > 0 ? b.v[j] : a.v[i];
        n += op == UNION ? 1 : op == INTERSECTION ? order == 0 : order < 0;
        i += order <= 0;
        j += order >= 0;
    }
    for (uint32_t k = 0; i < a.n && (j < b.n || op != INTERSECTION); k++) {
        Val x = val_at(a, i);
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        int order = j < b.n ? val_cmp(x, val_at(b, j)) : -1;
        if (order > 0 && op == UNION) {
            out[n++] = val_at(b, j);
        }
        if ((order < 0 && op != INTERSECTION) || (order == 0 && op != DIFFERENCE)) {
            out[n++] = x;
        }
        i += order <= 0;
        j += order >= 0;
    }
    for (; op == UNION && j < b.n; j++) {
        if (!ctx_check_time_at(ctx, j)) {
            return val_fail_budget(ctx);
        }
        out[n++] = val_at(b, j);
    }
    if (values && FAST_PATH(ctx) && (n == a.n || (op == UNION && n == b.n))) { /* then it is one of the two */
        collect_trim(ctx, out, room * sizeof *out, 0);
        return n == a.n ? a : b;
    }
    return val_set_sorted(ctx, out, n);
}

INLINE Val set_op(Ctx *ctx, Val a, Val b, SetOp op) {
    if (a.n == 0 || b.n == 0) {
        return op == INTERSECTION ? VAL_EMPTY_SET : a.n != 0 ? a : op == UNION ? b : a;
    }
    if (LIKELY(a.kind == b.kind && val_is_keys(a)) && FAST_PATH(ctx)) {
        return keys_op(ctx, a, b, op);
    }
    if (only_ints(a) && only_ints(b) && FAST_PATH(ctx)) {
        return ints_op(ctx, a, b, op);
    }
    return sets_op(ctx, a, b, op);
}

Val prim_intersection(Ctx *ctx, const Val *a) {
    return val_is_set(a[0]) && val_is_set(a[1]) ? set_op(ctx, a[0], a[1], INTERSECTION) : val_fail(FAIL_TYPE);
}

Val prim_combine_f(Ctx *ctx, const Val *a) {
    return val_is_set(a[0]) && val_is_set(a[1]) ? set_op(ctx, a[0], a[1], UNION) : val_fail(FAIL_TYPE);
}

Val prim_combine_t(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) && val_is_tuple(a[1]) ? collect_merge(ctx, a, 2, true) : val_fail(FAIL_TYPE);
}

Val prim_combine(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[0]) || !val_is_container(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    if (LIKELY(val_is_set(a[0]) && val_is_set(a[1]))) {
        return set_op(ctx, a[0], a[1], UNION);
    }
    return collect_merge(ctx, a, 2, val_is_tuple(a[0]));
}

/* The elements of a that are not in b, where at least one of the two is a tuple. */
static Val absent(Ctx *ctx, Val a, Val b) {
    uint32_t n = val_len(a), kept = 0;
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return collect_no_room(ctx, n);
    }
    for (uint32_t k = 0; k < n; k++) {
        Val v = val_at(a, k);
        uint64_t cost = val_is_keys(b) ? 0 : val_probe_cost(b, v);
        /* For a container larger than the cache, a step's worth of work takes longer than a step. */
        if (!ctx_charge(ctx, 1 + cost) || (cost > TIME_CHECK_ITEMS && !ctx_check_time_ahead(ctx, 8 * cost))) {
            return val_fail_budget(ctx);
        }
        if (!val_contains(b, v)) {
            items[kept++] = v;
        }
    }
    if (kept == n) {
        return a;
    }
    return val_is_tuple(a) ? val_tuple(ctx, items, kept) : val_set_sorted(ctx, items, kept);
}

/* The same for small numbers: those in b are marked once. */
static Val absent_bytes(Ctx *ctx, Val a, Val b) {
    uint64_t marked[4] = {0};
    uint32_t m = val_len(b), n = 0;
    int8_t *cells = ctx_alloc(ctx, a.n);
    if (cells == NULL || !ctx_charge(ctx, m / 32)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < m; k++) {
        Val v = val_at(b, k);
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        if (v.kind == VAL_INT && v.i == (int8_t)v.i) {
            marked[(uint8_t)v.i / 64] |= (uint64_t)1 << ((uint8_t)v.i % 64);
        }
    }
    for (uint32_t k = 0; k < a.n; k++) {
        uint8_t x = (uint8_t)a.b8[k];
        cells[n] = a.b8[k];
        n += !(marked[x / 64] >> (x % 64) & 1);
    }
    return val_row8(cells, n);
}

static bool has_row(Val grid, const int8_t *row) {
    for (uint32_t k = 0; k < grid.n; k++) {
        const int8_t *other = grid.b8 + (size_t)k * grid.w;
        if (other[0] == row[0] && other[grid.w - 1] == row[grid.w - 1] && memcmp(other, row, grid.w) == 0) {
            return true;
        }
    }
    return false;
}

/* The same for grids: they are usually alike, so the row at the same position is compared first. */
static Val absent_rows(Ctx *ctx, Val a, Val b) {
    uint32_t n = 0, w = a.w;
    if (b.w != w) {
        return a;
    }
    int8_t *cells = ctx_alloc(ctx, (size_t)a.n * w + 8);
    if (cells == NULL || !ctx_charge(ctx, a.n * (1 + b.n / 16 + (uint64_t)b.n * w / 256))) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < a.n; k++) {
        const int8_t *row = a.b8 + (size_t)k * w;
        if (!(k < b.n && memcmp(b.b8 + (size_t)k * w, row, w) == 0) && !has_row(b, row)) {
            memcpy(cells + (size_t)n++ * w, row, w);
        }
    }
    return n == a.n ? a : n == 0 ? VAL_EMPTY_TUPLE : val_grid8(cells, n, w);
}

Val prim_difference(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[0]) || !val_is_container(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[0].kind == VAL_ROW8 && FAST_PATH(ctx)) {
        return absent_bytes(ctx, a[0], a[1]);
    }
    if (a[0].kind == VAL_GRID8 && a[1].kind == VAL_GRID8 && a[0].w != 0 && FAST_PATH(ctx)) {
        return absent_rows(ctx, a[0], a[1]);
    }
    return val_is_set(a[0]) && val_is_set(a[1]) ? set_op(ctx, a[0], a[1], DIFFERENCE)
                                                : absent(ctx, a[0], a[1]);
}

Val prim_initset(Ctx *ctx, const Val *a) {
    union {
        Val item;
        uint32_t key;
    } *one = ctx_alloc(ctx, sizeof *one);
    if (one == NULL) {
        return val_fail_budget(ctx);
    }
    uint32_t key;
    Kind kind = collect_key(a[0], &key);
    if (kind != VAL_SET) {
        one->key = key;
        return val_keys_sorted(kind, &one->key, 1);
    }
    one->item = a[0];
    return val_weighed(VAL_SET, &one->item, 1, val_weight(a[0]));
}

static Val insert_key(Ctx *ctx, Val set, uint32_t key) {
    uint32_t *out = key_buffer(ctx, (size_t)set.n + 1);
    if (out == NULL) {
        return collect_no_room(ctx, (size_t)set.n + 1);
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < set.n; k++) { /* as fast as a copy, and finds the place along the way */
        at += set.k[k] < key;
    }
    memcpy(out, set.k, at * sizeof *out);
    out[at] = key;
    bool there = at < set.n && set.k[at] == key;
    memcpy(out + at + 1, set.k + at + there, (set.n - at - there) * sizeof *out);
    return val_keys_sorted((Kind)set.kind, out, set.n + !there);
}

/* A set whose elements are not packed stays so. */
static Val insert_value(Ctx *ctx, Val set, Val value, uint32_t at) {
    Val *items = val_buffer(ctx, (size_t)set.n + 1);
    if (items == NULL || !ctx_copy(ctx, items, set.v, at * sizeof *items) ||
        !ctx_copy(ctx, items + at + 1, set.v + at, (set.n - at) * sizeof *items)) {
        return collect_no_room(ctx, (size_t)set.n + 1);
    }
    items[at] = value;
    uint64_t weight = val_weight(set); /* exact as long as it is small */
    return weight < 1u << WEIGHT_BITS ? val_weighed(VAL_SET, items, set.n + 1, weight - 1 + val_weight(value))
                                      : val_plain(VAL_SET, items, set.n + 1);
}

Val prim_insert(Ctx *ctx, const Val *a) {
    Val set = a[1];
    if (!val_is_set(set)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t key = 0;
    if (val_is_keys(set) && collect_key(a[0], &key) == (Kind)set.kind && FAST_PATH(ctx)) {
        return insert_key(ctx, set, key);
    }
    if (set.n == 0) {
        return prim_initset(ctx, a);
    }
    if (only_ints(set) && a[0].kind == VAL_INT && FAST_PATH(ctx)) {
        Val one = {.kind = VAL_SET, .n = 1, .v = a};
        return ints_op(ctx, set, one, UNION);
    }
    if (!ctx_charge(ctx, 2 * val_probe_cost(set, a[0]))) {
        return val_fail_budget(ctx);
    }
    uint32_t at;
    if (set.kind == VAL_SET && FAST_PATH(ctx)) {
        return set_find(set, a[0], &at) ? set : insert_value(ctx, set, a[0], at);
    }
    if (val_contains(set, a[0])) {
        return set;
    }
    Val *items = val_buffer(ctx, (size_t)set.n + 1);
    if (items == NULL) {
        return collect_no_room(ctx, (size_t)set.n + 1);
    }
    uint32_t k = 0;
    for (; k < set.n; k++) {
        items[k] = val_at(set, k);
        if (val_cmp(items[k], a[0]) > 0) {
            break;
        }
    }
    items[k] = a[0];
    for (; k < set.n; k++) {
        items[k + 1] = val_at(set, k);
    }
    return val_set_sorted(ctx, items, set.n + 1);
}

/* ---- tuples ---- */

static Val dedupe_rows(Ctx *ctx, Val grid) {
    RowTally rows;
    Reason why = tally_rows(ctx, grid, &rows);
    if (why != FAIL_NONE || rows.n == grid.n) {
        return why != FAIL_NONE ? val_fail(why) : grid;
    }
    int8_t *cells = ctx_alloc(ctx, (size_t)rows.n * grid.w + 8);
    if (cells == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < rows.n; k++) {
        bytes_copy_exactly(cells + (size_t)k * grid.w, grid.b8 + (size_t)rows.first[k] * grid.w, grid.w);
    }
    return val_grid8(cells, rows.n, grid.w);
}

Val prim_dedupe(Ctx *ctx, const Val *a) {
    Val c = a[0];
    if (!val_is_tuple(c)) {
        return c.kind == VAL_SET && c.n == 0 ? VAL_EMPTY_TUPLE : val_fail(FAIL_TYPE);
    }
    if (c.kind == VAL_ROW8 && FAST_PATH(ctx)) {
        uint64_t seen[4] = {0};
        int8_t *cells = ctx_alloc(ctx, c.n);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        uint32_t n = 0;
        for (uint32_t k = 0; k < c.n; k++) {
            uint8_t x = (uint8_t)c.b8[k];
            cells[n] = c.b8[k];
            n += !(seen[x / 64] >> (x % 64) & 1);
            seen[x / 64] |= (uint64_t)1 << (x % 64);
        }
        return val_row8(cells, n);
    }
    if (tally_fits_rows(c) && FAST_PATH(ctx)) {
        return dedupe_rows(ctx, c);
    }
    Tally tally;
    Reason why = tally_take(ctx, c, &tally);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    return tally.n == val_len(c) ? c : val_tuple(ctx, tally.items, tally.n);
}

Val prim_totuple(Ctx *ctx, const Val *a) {
    return collect_tuple(ctx, a[0]);
}

/* The set of all rows and columns of indices. */
static Val coordinates(Ctx *ctx, Val indices) {
    size_t room = 2 * (size_t)indices.n;
    SetBuilder g;
    if (!ctx_charge(ctx, indices.n / 4 + 3 * (uint64_t)indices.n / 32) || !set_builder_open(&g, ctx, room)) {
        return collect_no_room(ctx, room);
    }
    g.kind = VAL_SET;
    for (uint32_t k = 0; k < indices.n; k++) {
        g.items[g.n++] = val_int(key_row(VAL_INDICES, indices.k[k]));
        g.items[g.n++] = val_int(key_col(VAL_INDICES, indices.k[k]));
    }
    return set_builder_finish(&g);
}

Val prim_merge(Ctx *ctx, const Val *a) {
    Val c = a[0];
    switch (c.kind) {
    case VAL_TUPLE:
    case VAL_SET:
        return collect_merge(ctx, c.v, c.n, c.kind == VAL_TUPLE);
    case VAL_GRID8: /* the rows of a grid are contiguous already */
        return val_row8(c.b8, c.n * c.w);
    case VAL_GRID64:
        return val_row64(c.i64, c.n * c.w);
    case VAL_INDICES:
        if (FAST_PATH(ctx)) {
            return coordinates(ctx, c);
        } /* fall through */
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT: {
        Val *parts = val_buffer(ctx, c.n);
        if (parts == NULL || !collect_elements(ctx, parts, c)) {
            return val_fail_budget(ctx);
        }
        return collect_merge(ctx, parts, c.n, false);
    }
    default:
        return val_fail(FAIL_TYPE);
    }
}

/* ---- single elements ---- */

Val prim_first(Ctx *ctx, const Val *a) {
    (void)ctx;
    if (LIKELY(val_is_container(a[0]))) {
        return LIKELY(val_len(a[0]) != 0) ? val_at(a[0], 0) : val_fail(FAIL_EMPTY);
    }
    return val_fail(FAIL_TYPE);
}

Val prim_first_batt(Ctx *ctx, const Val *a) {
    Val v = prim_first(ctx, a);
    return val_failed(v) && v.w == FAIL_EMPTY ? val_atom(ATOM_NONE) : v;
}

Val prim_last(Ctx *ctx, const Val *a) {
    (void)ctx;
    if (LIKELY(val_is_container(a[0]))) {
        uint32_t n = val_len(a[0]);
        return LIKELY(n != 0) ? val_at(a[0], n - 1) : val_fail(FAIL_EMPTY);
    }
    return val_fail(FAIL_TYPE);
}

Val prim_last_batt(Ctx *ctx, const Val *a) {
    return val_truth(a[0]) ? prim_last(ctx, a) : VAL_EMPTY_TUPLE;
}

Val prim_first_t(Ctx *ctx, const Val *a) {
    return !val_truth(a[0]) ? VAL_EMPTY_TUPLE : val_is_tuple(a[0]) ? prim_first(ctx, a) : val_fail(FAIL_TYPE);
}

Val prim_last_t(Ctx *ctx, const Val *a) {
    return !val_truth(a[0]) ? VAL_EMPTY_TUPLE : val_is_tuple(a[0]) ? prim_last(ctx, a) : val_fail(FAIL_TYPE);
}

Val prim_first_f(Ctx *ctx, const Val *a) {
    return val_truth(a[0]) ? prim_first(ctx, a) : VAL_EMPTY_SET;
}

Val prim_last_f(Ctx *ctx, const Val *a) {
    return val_truth(a[0]) ? prim_last(ctx, a) : VAL_EMPTY_SET;
}

Val prim_second(Ctx *ctx, const Val *a) {
    (void)ctx;
    if (!val_is_container(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(a[0]);
    return n >= 2 ? val_at(a[0], 1) : n == 1 ? val_atom(ATOM_NONE) : val_fail(FAIL_EMPTY);
}

/* The first element that differs from a value, or `nothing` if there is none. */
static Val first_other(Ctx *ctx, Val c, Val value, Val nothing) {
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (!ctx_charge(ctx, val_probe_cost(c, value))) {
        return val_fail_budget(ctx);
    }
    uint32_t n = val_len(c), k = 0;
    while (k < n && val_eq_direct(val_at(c, k), value)) {
        k++;
    }
    return k < n ? val_at(c, k) : nothing;
}

Val prim_other(Ctx *ctx, const Val *a) {
    return first_other(ctx, a[0], a[1], val_fail(FAIL_EMPTY));
}

Val prim_other_batt(Ctx *ctx, const Val *a) {
    return first_other(ctx, a[0], a[1], val_atom(ATOM_NONE));
}

Val prim_other_safe(Ctx *ctx, const Val *a) {
    return prim1(ctx, P_first, prim2(ctx, P_remove, a[1], a[0]));
}

Val prim_other_t(Ctx *ctx, const Val *a) {
    return first_other(ctx, a[0], a[1], VAL_EMPTY_TUPLE);
}

Val prim_other_f(Ctx *ctx, const Val *a) {
    return first_other(ctx, a[0], a[1], VAL_EMPTY_SET);
}

/* remove_f returns a set, also as its safe default: the result is its first element, or the empty set. */
Val prim_other_f_safe(Ctx *ctx, const Val *a) {
    Val left = prim2(ctx, P_remove_f, a[1], a[0]);
    return val_failed(left) ? left : val_len(left) == 0 ? VAL_EMPTY_SET : val_at(left, 0);
}

/* ---- two containers together ---- */

/* Whether a set consists only of integers that can be coordinates of indices. */
static bool only_coordinates(Val set) {
    return only_ints(set) && set.v[0].i >= -KEY_INDEX && set.v[set.n - 1].i < KEY_INDEX;
}

static Val product_of_ints(Ctx *ctx, Val rows, Val cols) {
    size_t room = (size_t)rows.n * cols.n;
    uint32_t *keys = key_buffer(ctx, room), *at = keys;
    if (keys == NULL) {
        return collect_no_room(ctx, room);
    }
    for (uint32_t i = 0; i < rows.n; i++) {
        uint32_t row = key_index((int32_t)rows.v[i].i, 0);
        for (uint32_t j = 0; j < cols.n; j++) {
            *at++ = row + (uint32_t)(int32_t)cols.v[j].i;
        }
    }
    return val_keys_sorted(VAL_INDICES, keys, (uint32_t)room);
}

static bool all_fit_bytes(Val indices) {
    uint32_t beyond = 0;
    for (uint32_t k = 0; k < indices.n; k++) {
        int32_t i = key_row(VAL_INDICES, indices.k[k]), j = key_col(VAL_INDICES, indices.k[k]);
        beyond |= (uint32_t)(i + 128) | (uint32_t)(j + 128);
    }
    return beyond < 256;
}

/* Pairs of indices whose numbers all fit bytes, or of cells: all are made in one block, as single ones would
 * lie. False: they are something else, or room and steps may not suffice; nothing was done. */
static bool product_of_keys(Ctx *ctx, Val x, Val y, Val *to) {
    bool pairs = x.kind == VAL_INDICES && y.kind == VAL_INDICES && all_fit_bytes(x) && all_fit_bytes(y);
    bool cells = x.kind == VAL_OBJ_CORE && y.kind == VAL_OBJ_CORE;
    size_t n = (size_t)x.n * y.n, size = pairs ? 16 : 2 * sizeof(Val);
    if ((!pairs && !cells) || !FAST_PATH(ctx) || n > LIMIT_ELEMENTS ||
        ctx_room(ctx) < n * (sizeof(Val) + size) ||
        !ctx_ensure(ctx, (uint64_t)x.n * (1 + y.n / 4) + n * (sizeof(Val) + size) / 64 + 1)) {
        return false;
    }
    Val *items = val_buffer(ctx, n), *at = items;
    ctx->fuel -= (int64_t)x.n * (1 + y.n / 4);
    char *block = ctx->top;
    ctx->top += n * size; /* costs no steps, as blocks of less than 64 bytes do not */
    Val two = cells ? val_weighed(VAL_TUPLE, (Val[]){key_val(x.kind, x.k[0]), key_val(y.kind, y.k[0])}, 2, 2)
                    : val_grid8((const int8_t *)block, 2, 2);
    for (uint32_t i = 0; i < x.n; i++) {
        Val left = key_val(x.kind, x.k[i]);
        for (uint32_t j = 0; j < y.n; j++, block += size) {
            if (pairs) {
                int8_t four[4] = {(int8_t)left.a, (int8_t)left.b, (int8_t)key_row(VAL_INDICES, y.k[j]),
                                  (int8_t)key_col(VAL_INDICES, y.k[j])};
                memcpy(block, four, sizeof four);
                two.b8 = (const int8_t *)block;
            } else {
                Val *both = (Val *)(void *)block;
                both[0] = left;
                both[1] = key_val(VAL_OBJ_CORE, y.k[j]);
                two.v = both;
            }
            *at++ = two;
        }
    }
    *to = val_weighed(VAL_SET, items, (uint32_t)n, (cells ? 3 : 1) * (uint64_t)n);
    return true;
}

/* The distinct elements in ascending order. */
static Val as_set(Ctx *ctx, Val c) {
    return val_is_set(c) ? c : collect_merge(ctx, &c, 1, false);
}

/* Both arguments are made sets first: the pairs then come out ascending, and need no sorting. */
Val prim_product(Ctx *ctx, const Val *a) {
    if (val_is_container(a[1]) && val_len(a[1]) == 0) {
        /* a[1] is the outer loop: if it is empty, the other argument is not looked at */
        return VAL_EMPTY_SET;
    }
    if (!val_is_container(a[0]) || !val_is_container(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    Val x = as_set(ctx, a[0]), y = as_set(ctx, a[1]);
    if (val_failed(x) || val_failed(y)) {
        return val_failed(x) ? x : y;
    }
    if (only_coordinates(x) && only_coordinates(y) && FAST_PATH(ctx)) {
        return product_of_ints(ctx, x, y);
    }
    size_t room = (size_t)x.n * y.n;
    Val product;
    if (product_of_keys(ctx, x, y, &product)) {
        return product;
    }
    Val *items = val_buffer(ctx, room), *at = items;
    if (items == NULL) {
        return collect_no_room(ctx, room);
    }
    const Val *right = y.kind == VAL_SET ? y.v : NULL;
    for (uint32_t i = 0; i < x.n; i++) {
        Val left = val_at(x, i);
        if (!ctx_charge(ctx, 1 + y.n / 4)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t j = 0; j < y.n; j++) {
            *at = val_tuple2(ctx, left, right != NULL ? right[j] : val_at(y, j));
            if (UNLIKELY(val_failed(*at))) {
                return *at;
            }
            at++;
        }
    }
    return val_set_sorted(ctx, items, (uint32_t)room);
}

/* Writes the first n elements to every second byte, if they are integers that fit. */
static bool column_of_bytes(Val c, int8_t *cells, uint32_t n) {
    if (c.kind == VAL_ROW8) {
        for (uint32_t k = 0; k < n; k++) {
            cells[2 * k] = c.b8[k];
        }
        return true;
    }
    if (!only_ints(c) && !val_is_ints(c)) {
        return false;
    }
    int64_t beyond = 0;
    for (uint32_t k = 0; k < n; k++) {
        int64_t x = c.kind == VAL_SET ? c.v[k].i : val_ints_at(c, k);
        beyond |= x ^ (int8_t)x;
        cells[2 * k] = (int8_t)x;
    }
    return beyond == 0;
}

Val prim_pair(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[0]) || !val_is_container(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t na = val_len(a[0]), nb = val_len(a[1]), n = na < nb ? na : nb;
    if (n == 0) {
        return VAL_EMPTY_TUPLE;
    }
    if (FAST_PATH(ctx) && n <= LIMIT_ELEMENTS / 2) {
        int8_t *cells = ctx_alloc(ctx, 2 * (size_t)n + 8);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        if (column_of_bytes(a[0], cells, n) && column_of_bytes(a[1], cells + 1, n)) {
            return val_grid8(cells, n, 2);
        }
        collect_trim(ctx, cells, 2 * (size_t)n + 8, 0);
    }
    Val *items = val_buffer(ctx, n);
    if (items == NULL || !ctx_charge(ctx, n / 16)) {
        return val_fail_budget(ctx);
    }
    const Val *x = a[0].kind == VAL_TUPLE || a[0].kind == VAL_SET ? a[0].v : NULL,
              *y = a[1].kind == VAL_TUPLE || a[1].kind == VAL_SET ? a[1].v : NULL;
    for (uint32_t k = 0; k < n; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        items[k] = val_tuple2(ctx, x != NULL ? x[k] : val_at(a[0], k), y != NULL ? y[k] : val_at(a[1], k));
        if (UNLIKELY(val_failed(items[k]))) {
            return items[k];
        }
    }
    return val_tuple(ctx, items, n);
}
