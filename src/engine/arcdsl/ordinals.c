/* Picking by rank: the n-th element, the n-th by a key, the n-th by how often it occurs, the n-th most
 * frequent color.
 *
 * A rank r is valid for n elements if and only if -n <= r < n; a negative one counts from the end. */
#include "engine/arcdsl/container_build.h"
#include "engine/arcdsl/tally.h"
#include "engine/value/patch.h"

/* The position that rank r points to among n elements; false: none. */
static bool ordinal_at(Val ordinal, uint32_t n, uint32_t *at) {
    int64_t r = ordinal.i < 0 ? ordinal.i + n : ordinal.i; /* cannot overflow: n is small */
    *at = (uint32_t)r;
    return r >= 0 && r < n;
}

Val prim_get_nth_t(Ctx *ctx, const Val *a) {
    (void)ctx;
    uint32_t at;
    if (!val_is_tuple(a[0])) {
        return val_atom(ATOM_NAN);
    }
    if (a[1].kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    return ordinal_at(a[1], val_len(a[0]), &at) ? val_at(a[0], at) : val_atom(ATOM_NAN);
}

Val prim_get_nth_f(Ctx *ctx, const Val *a) {
    (void)ctx;
    uint32_t at;
    if (!val_is_container(a[0]) || a[1].kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    return ordinal_at(a[1], val_len(a[0]), &at) ? val_at(a[0], at) : VAL_EMPTY_SET;
}

/* ---- by key ---- */

/* Positions of the elements of a non-empty container, ordered by their keys; NULL with *why set. */
static uint32_t *ordered(Ctx *ctx, Val c, Val f, bool descending, Val *why) {
    uint32_t n = val_len(c), *positions = key_buffer(ctx, n);
    if (positions == NULL) {
        *why = val_fail_budget(ctx);
        return NULL;
    }
    Val *keys = collect_keys(ctx, c, f, why);
    if (keys == NULL) {
        return NULL;
    }
    Reason reason = collect_order(ctx, keys, n, descending, positions);
    *why = val_fail(reason);
    return reason == FAIL_NONE ? positions : NULL;
}

/* The element of that rank, or `nothing` if the rank is not valid. */
static Val by_key(Ctx *ctx, Val c, Val f, Val ordinal, bool descending, Val nothing) {
    uint32_t at;
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(c) == 0) {
        return ordinal.kind == VAL_INT ? nothing : val_fail(FAIL_TYPE);
    }
    CtxMark mark = ctx_mark(ctx);
    Val why;
    uint32_t *positions = ordered(ctx, c, f, descending, &why);
    if (positions == NULL) {
        return why;
    }
    if (ordinal.kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    Val v = ordinal_at(ordinal, val_len(c), &at) ? val_at(c, positions[at]) : nothing;
    ctx_release(ctx, mark);
    return v;
}

Val prim_get_nth_by_key_t(Ctx *ctx, const Val *a) {
    if (val_is_container(a[0]) && val_len(a[0]) == 0) {
        return val_atom(ATOM_NONE);
    }
    return by_key(ctx, a[0], a[2], a[1], false, val_fail(FAIL_RANGE));
}

Val prim_get_nth_by_key_f(Ctx *ctx, const Val *a) {
    Val ordinal = a[1];
    if (ordinal.kind == VAL_INT && ordinal.i < 0) {
        ordinal.i = 0;
    }
    return by_key(ctx, a[0], a[2], ordinal, false, val_atom(ATOM_NONE));
}

/* The elements are compared as they are: unlike elsewhere in safe mode, a set beside a number does not count
 * as its size. */
Val prim_get_rank(Ctx *ctx, const Val *a) {
    uint32_t n = val_is_container(a[0]) ? val_len(a[0]) : 0;
    for (uint32_t k = 1; k < n && ctx->safe; k++) {
        if (!ctx_check_time_at(ctx, k)) {
            return val_fail_budget(ctx);
        }
        if (val_is_set(val_at(a[0], k)) != val_is_set(val_at(a[0], 0))) {
            return val_fail(FAIL_ORDER);
        }
    }
    return by_key(ctx, a[0], val_prim(P_identity), a[1], true, val_int(0));
}

Val prim_get_arg_rank(Ctx *ctx, const Val *a) {
    return by_key(ctx, a[0], a[1], a[2], true, val_is_tuple(a[0]) ? VAL_EMPTY_TUPLE : VAL_EMPTY_SET);
}

Val prim_get_arg_rank_t(Ctx *ctx, const Val *a) {
    return by_key(ctx, a[0], a[1], a[2], true, VAL_EMPTY_TUPLE);
}

Val prim_get_arg_rank_f(Ctx *ctx, const Val *a) {
    return by_key(ctx, a[0], a[1], a[2], true, VAL_EMPTY_SET);
}

Val prim_get_val_rank(Ctx *ctx, const Val *a) {
    Val c = a[0], why = VAL_EMPTY_TUPLE;
    uint32_t at, *positions = NULL;
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(c) != 0) {
        positions = ordered(ctx, c, a[1], false, &why);
        if (positions == NULL) {
            return why;
        }
    }
    if (a[2].kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    return call1(ctx, a[1], ordinal_at(a[2], val_len(c), &at) ? val_at(c, positions[at]) : val_int(0));
}

/* ---- by multiplicity ---- */

/* The value of that rank by count; ties keep the order of the tally. */
static Val by_count(Ctx *ctx, const Tally *t, Val ordinal, bool descending, Val nothing) {
    uint32_t at;
    if (ordinal.kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    if (!ordinal_at(ordinal, t->n, &at)) {
        return nothing;
    }
    Val *counts = val_buffer(ctx, t->n);
    uint32_t *positions = key_buffer(ctx, t->n);
    if (counts == NULL || positions == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < t->n; k++) {
        counts[k] = val_int(t->counts[k]);
    }
    Reason reason = collect_order(ctx, counts, t->n, descending, positions);
    return reason == FAIL_NONE ? t->items[positions[at]] : val_fail(reason);
}

/* The distinct values are added first, in canonical order; that each then counts one too many changes no
 * rank. */
static Reason tally_canonical(Ctx *ctx, Val c, Tally *t) {
    uint32_t n = val_len(c);
    Val *items = val_buffer(ctx, n);
    if (items == NULL || !collect_elements(ctx, items, c)) {
        return (Reason)val_fail_budget(ctx).w;
    }
    Val distinct = val_set(ctx, items, n);
    if (val_failed(distinct)) {
        return (Reason)distinct.w;
    }
    Reason why = tally_take(ctx, distinct, t);
    for (uint32_t k = 0; k < n && why == FAIL_NONE; k++) {
        why = tally_add(ctx, t, val_at(c, k));
    }
    return why;
}

static Val common_ordinal(Ctx *ctx, Val c, Val ordinal, Val nothing) {
    Tally tally;
    Reason why = val_is_tuple(c) ? tally_canonical(ctx, c, &tally) : tally_take(ctx, c, &tally);
    return why == FAIL_NONE ? by_count(ctx, &tally, ordinal, false, nothing) : val_fail(why);
}

Val prim_get_common_rank(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? common_ordinal(ctx, a[0], a[1], VAL_EMPTY_TUPLE) : val_fail(FAIL_TYPE);
}

Val prim_get_common_rank_f(Ctx *ctx, const Val *a) {
    return val_is_container(a[0]) ? common_ordinal(ctx, a[0], a[1], VAL_EMPTY_SET) : val_fail(FAIL_TYPE);
}

/* ---- colors ---- */

/* Colors that fit a byte: counts, and the order of first appearance. */
typedef struct Bytes {
    uint32_t counts[256], n;
    int8_t first[256];
} Bytes;

static inline void bytes_add(Bytes *b, int8_t color) {
    if (b->counts[(uint8_t)color]++ == 0) {
        b->first[b->n++] = color;
    }
}

/* Descending by count, ties by first appearance; there are at most 256, and rarely more than ten. */
static Val bytes_ordinal(const Bytes *b, Val ordinal, Val nothing) {
    uint32_t at;
    if (ordinal.kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    if (!ordinal_at(ordinal, b->n, &at)) {
        return nothing;
    }
    for (uint32_t k = 0; k < b->n; k++) {
        uint32_t count = b->counts[(uint8_t)b->first[k]], before = 0;
        for (uint32_t o = 0; o < b->n; o++) {
            uint32_t other = b->counts[(uint8_t)b->first[o]];
            before += other > count || (other == count && o < k);
        }
        if (before == at) {
            return val_int(b->first[k]);
        }
    }
    return nothing;
}

/* Counts all entries of all rows of a container of containers. */
static Reason tally_entries(Ctx *ctx, Val grid, Tally *t) {
    size_t total = 0;
    uint32_t h = val_len(grid);
    for (uint32_t i = 0; i < h; i++) {
        if (!ctx_check_time_at(ctx, i)) {
            return (Reason)ctx->exhausted;
        }
        Val row = val_at(grid, i);
        if (!val_is_container(row)) {
            return FAIL_TYPE;
        }
        total += val_len(row);
    }
    if (total > LIMIT_ELEMENTS) {
        return FAIL_LIMIT;
    }
    Reason why = tally_open(ctx, t, (uint32_t)total);
    for (uint32_t i = 0; i < h; i++) {
        Val row = val_at(grid, i);
        for (uint32_t j = 0; j < val_len(row) && why == FAIL_NONE; j++) {
            why = tally_add(ctx, t, val_at(row, j));
        }
    }
    return why;
}

Val prim_get_color_rank_t(Ctx *ctx, const Val *a) {
    Val grid = a[0];
    if (!val_is_container(grid)) {
        return val_fail(FAIL_TYPE);
    }
    if (grid.kind == VAL_GRID8 && FAST_PATH(ctx)) {
        Bytes b = {.n = 0};
        size_t n = (size_t)grid.n * grid.w;
        if (!ctx_charge(ctx, n / 64)) {
            return val_fail_budget(ctx);
        }
        for (size_t k = 0; k < n; k++) {
            if (!ctx_check_time_at(ctx, k)) {
                return val_fail_budget(ctx);
            }
            bytes_add(&b, grid.b8[k]);
        }
        return bytes_ordinal(&b, a[1], VAL_EMPTY_TUPLE);
    }
    Tally tally;
    Reason why = tally_entries(ctx, grid, &tally);
    return why == FAIL_NONE ? by_count(ctx, &tally, a[1], true, VAL_EMPTY_TUPLE) : val_fail(why);
}

Val prim_get_color_rank_f(Ctx *ctx, const Val *a) {
    Val obj = a[0];
    if (!val_is_container(obj)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(obj);
    if ((Kind)obj.kind == ctx_object_kind(ctx) && FAST_PATH(ctx)) {
        Bytes b = {.n = 0};
        if (!ctx_charge(ctx, n / 64)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t k = 0; k < n; k++) {
            if (!ctx_check_time_at(ctx, k)) {
                return val_fail_budget(ctx);
            }
            bytes_add(&b, (int8_t)key_color(obj.kind, obj.k[k]));
        }
        return bytes_ordinal(&b, a[1], VAL_EMPTY_SET);
    }
    Tally tally;
    Reason why = tally_open(ctx, &tally, n);
    for (uint32_t k = 0; k < n && why == FAIL_NONE; k++) {
        PatchCell cell;
        why = patch_read_cell(ctx, val_at(obj, k), &cell);
        if (why == FAIL_NONE) {
            why = tally_add(ctx, &tally, cell.c);
        }
    }
    return why == FAIL_NONE ? by_count(ctx, &tally, a[1], true, VAL_EMPTY_SET) : val_fail(why);
}
