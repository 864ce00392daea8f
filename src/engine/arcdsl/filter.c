/* Keeping some elements of a container: by a condition, by size, by color, or by differing from a value.
 *
 * They all share one loop, into which the test is inlined. The elements kept of an ascending set ascend, so
 * no set is sorted again, and a packed set stays packed. */
#include "engine/arcdsl/bits.h"
#include "engine/arcdsl/container_build.h"

#include <string.h>

typedef enum ResultShape { AS_LIKE, AS_TUPLE, AS_SET } ResultShape;
typedef enum Verdict { DROP, KEEP, FAILED } Verdict;
/* each->f is what the test uses: a function, a number, a value or a color */
typedef Verdict (*Test)(Ctx *ctx, const Each *each, const Val *element, Val *why);

/* ---- tests ---- */

INLINE Verdict test_condition(Ctx *ctx, const Each *each, const Val *e, Val *why) {
    CtxMark mark = ctx_mark(ctx);
    Val v = each_call(ctx, each, e);
    if (UNLIKELY(val_failed(v))) {
        *why = v;
        return FAILED;
    }
    ctx_release(ctx, mark);
    return val_truth(v) ? KEEP : DROP;
}

INLINE Verdict test_size(Ctx *ctx, const Each *each, const Val *e, Val *why) {
    (void)ctx;
    if (UNLIKELY(!val_is_container(*e))) {
        *why = val_fail(FAIL_TYPE);
        return FAILED;
    }
    return each->f.kind == VAL_INT && each->f.i == val_len(*e) ? KEEP : DROP;
}

INLINE Verdict test_unequal(Ctx *ctx, const Each *each, const Val *e, Val *why) {
    if (!ctx_charge(ctx, val_cost(*e, each->f)) || !val_check_time(ctx, *e, each->f)) {
        *why = val_fail_budget(ctx);
        return FAILED;
    }
    return val_eq_direct(*e, each->f) ? DROP : KEEP;
}

/* The color component of the first element, whatever it is. */
static Val first_color(const Ctx *ctx, Val obj) {
    if (!val_is_container(obj)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(obj) == 0) {
        return val_fail(FAIL_EMPTY);
    }
    Val cell = val_at(obj, 0);
    uint32_t place = ctx->mode == MODE_CORE ? 0 : 2;
    if (!val_is_tuple(cell)) {
        return val_fail(FAIL_TYPE);
    }
    return place < val_len(cell) ? val_at(cell, place) : val_fail(FAIL_RANGE);
}

INLINE Verdict test_color(Ctx *ctx, const Each *each, const Val *obj, Val *why) {
    if (LIKELY((Kind)obj->kind == ctx_object_kind(ctx)) && FAST_PATH(ctx)) {
        return each->f.kind == VAL_INT && key_color(obj->kind, obj->k[0]) == each->f.i ? KEEP : DROP;
    }
    Val c = first_color(ctx, *obj);
    if (val_failed(c)) {
        *why = c;
        return FAILED;
    }
    return val_eq_direct(c, each->f) ? KEEP : DROP;
}

INLINE Verdict test_tuple_color(Ctx *ctx, const Each *each, const Val *obj, Val *why) {
    Val c = val_is_tuple(*obj) ? first_color(ctx, *obj) : val_fail(FAIL_TYPE);
    if (val_failed(c)) {
        *why = c;
        return FAILED;
    }
    return val_eq_direct(c, each->f) ? KEEP : DROP;
}

/* ---- the loop ---- */

/* The result of a filter as the primitive gives it: like the container it came from, a tuple, or a set. */
static Val as_shape(Ctx *ctx, Val v, ResultShape shape) {
    if (shape == AS_TUPLE) {
        return collect_tuple(ctx, v);
    }
    return shape == AS_LIKE || val_is_set(v) ? v : collect_merge(ctx, &v, 1, false);
}

/* Where to check the clock next when going over n elements from k on: a test may be so short that checking at
 * every element would be noticeable. */
static inline uint32_t next_time_check(uint32_t k, uint32_t n) {
    return n - k < TIME_CHECK_ITEMS ? n : k + TIME_CHECK_ITEMS;
}

/* Appends the keys from `from` on that pass to kept; false with *why set if a test failed. */
INLINE bool keep_keys(Ctx *ctx, Each *each, Test test, uint32_t from, uint32_t to, uint32_t *kept,
                      uint32_t *n, Val *why) {
    Val c = each->c;
    for (uint32_t at = from; at < to; at++) {
        Val e;
        if (each->plan == NULL) { /* a plan fetches elements itself */
            e = key_val(c.kind, c.k[at]);
        }
        each->at = at;
        Verdict verdict = test(ctx, each, &e, why);
        if (UNLIKELY(verdict == FAILED)) {
            return false;
        }
        kept[*n] = c.k[at];
        *n += verdict == KEEP;
    }
    return true;
}

/* All of them, checking the clock now and then. */
INLINE bool keep_all_keys(Ctx *ctx, Each *each, Test test, uint32_t *kept, uint32_t *n, Val *why) {
    uint32_t len = each->c.n;
    for (uint32_t k = 0, stop; k < len; k = stop) {
        stop = next_time_check(k, len);
        if (k != 0 && !ctx_check_time(ctx)) {
            *why = val_fail_budget(ctx);
            return false;
        }
        if (!keep_keys(ctx, each, test, k, stop, kept, n, why)) {
            return false;
        }
    }
    return true;
}

/* Whether a plan gives a column of numbers. */
INLINE bool gives_column(const Each *each) {
    return each_pure(each) && each->plan->result.kind == CTERM_NUMBER && each->plan->result.a.column >= 0;
}

static bool keep_keys_planned(Ctx *ctx, Each *each, uint32_t *kept, uint32_t *n, Val *why) {
    ClosurePlan *plan = each->plan;
    Val c = each->c;
    for (uint32_t k = 0, m; k < c.n; k += m) {
        m = cplan_block(plan, ctx, k, c.n - k);
        if (m == 0) {
            m = 1;
            if (!keep_keys(ctx, each, test_condition, k, k + 1, kept, n, why)) {
                return false;
            }
            continue;
        }
        *n += bits_keep(c.k + k, plan->columns[plan->result.a.column], m, kept + *n);
    }
    return true;
}

static NOINLINE bool filter_keys_planned(Ctx *ctx, Val c, Val f, uint32_t *kept, uint32_t *n, Val *why) {
    ClosurePlan plan;
    Each each = each_open_planned(ctx, f, c, &plan);
    bool good = gives_column(&each) ? keep_keys_planned(ctx, &each, kept, n, why)
                                    : keep_all_keys(ctx, &each, test_condition, kept, n, why);
    each_close(ctx, &each);
    return good;
}

INLINE Val filter_keys(Ctx *ctx, Val c, ResultShape shape, Test test, Val arg) {
    uint32_t *kept = key_buffer(ctx, c.n), n = 0;
    if (kept == NULL) {
        return val_fail_budget(ctx);
    }
    Val why;
    bool good;
    if (test == test_condition && cplan_wanted(ctx, arg, c.n)) {
        good = filter_keys_planned(ctx, c, arg, kept, &n, &why);
    } else {
        Each each = each_open(ctx, arg, c);
        good = keep_all_keys(ctx, &each, test, kept, &n, &why);
    }
    if (UNLIKELY(!good)) {
        return why;
    }
    collect_trim(ctx, kept, c.n * sizeof *kept, n * sizeof *kept);
    return as_shape(ctx, n == c.n ? c : val_keys_sorted((Kind)c.kind, kept, n), shape);
}

/* Copies the elements that pass to kept; false with *why set if a test failed. */
INLINE bool keep_values(Ctx *ctx, Each *each, Test test, Val *kept, uint32_t *count, Val *why) {
    uint32_t len = val_len(each->c), n = 0;
    for (uint32_t k = 0, stop; k < len; k = stop) {
        stop = next_time_check(k, len);
        if (k != 0 && !ctx_check_time(ctx)) {
            *why = val_fail_budget(ctx);
            return false;
        }
        for (uint32_t at = k; at < stop; at++) {
            const Val *e = each_at(each, at);
            Verdict verdict = test(ctx, each, e, why);
            if (UNLIKELY(verdict == FAILED)) {
                return false;
            }
            kept[n] = *e;
            n += verdict == KEEP;
        }
    }
    *count = n;
    return true;
}

/* The same by blocks, for a plan whose result is a column. */
static bool keep_by_column(Ctx *ctx, Each *each, Val *kept, uint32_t *count, Val *why) {
    ClosurePlan *plan = each->plan;
    const Val *items = each->items, c = each->c;
    uint32_t len = val_len(c), n = 0;
    for (uint32_t from = 0, m; from < len; from += m) {
        m = cplan_block(plan, ctx, from, len - from);
        if (m == 0) { /* the fuel does not last for all of them */
            const Val *e = each_at(each, from);
            Verdict verdict = test_condition(ctx, each, e, why);
            if (verdict == FAILED) {
                return false;
            }
            kept[n] = *e;
            n += verdict == KEEP;
            m = 1;
            continue;
        }
        const int32_t *column = plan->columns[plan->result.a.column];
        for (uint32_t k = 0; k < m && items != NULL; k++) {
            kept[n] = items[from + k];
            n += column[k] != 0;
        }
        for (uint32_t k = 0; k < m && items == NULL; k++) {
            kept[n] = val_at(c, from + k);
            n += column[k] != 0;
        }
    }
    *count = n;
    return true;
}

static NOINLINE bool keep_values_planned(Ctx *ctx, Val c, Val f, Val *kept, uint32_t *count, Val *why) {
    ClosurePlan plan;
    Each each = each_open_planned(ctx, f, c, &plan);
    bool good = gives_column(&each) ? keep_by_column(ctx, &each, kept, count, why)
                                    : keep_values(ctx, &each, test_condition, kept, count, why);
    each_close(ctx, &each);
    return good;
}

/* The elements that pass, in a buffer; NULL with *why set if a test failed. */
INLINE Val *filter_values(Ctx *ctx, Val c, Test test, Val arg, uint32_t *count, Val *why) {
    uint32_t len = val_len(c);
    Val *kept = val_buffer(ctx, len);
    if (kept == NULL) {
        *why = val_fail_budget(ctx);
        return NULL;
    }
    bool good;
    if (test == test_condition && cplan_wanted(ctx, arg, len)) {
        good = keep_values_planned(ctx, c, arg, kept, count, why);
    } else {
        Each each = each_open(ctx, arg, c);
        good = keep_values(ctx, &each, test, kept, count, why);
    }
    if (good) {
        collect_trim(ctx, kept, len * sizeof *kept, *count * sizeof *kept);
    }
    return good ? kept : NULL;
}

INLINE Val filter(Ctx *ctx, Val c, ResultShape shape, Test test, Val arg) {
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(c) == 0) {
        return shape == AS_LIKE ? c : shape == AS_TUPLE ? VAL_EMPTY_TUPLE : VAL_EMPTY_SET;
    }
    if (!ctx_charge(ctx, val_len(c) / 8)) {
        return val_fail_budget(ctx);
    }
    if (val_is_keys(c) && FAST_PATH(ctx)) {
        return filter_keys(ctx, c, shape, test, arg);
    }
    uint32_t n;
    Val why, *kept = filter_values(ctx, c, test, arg, &n, &why);
    if (kept == NULL) {
        return why;
    }
    if (n == val_len(c)) {
        return as_shape(ctx, c, shape);
    }
    if (shape == AS_TUPLE || (shape == AS_LIKE && val_is_tuple(c))) {
        return val_tuple(ctx, kept, n);
    }
    return val_is_set(c) ? val_set_sorted(ctx, kept, n) : val_set(ctx, kept, n);
}

/* ---- primitives ---- */

Val prim_sfilter(Ctx *ctx, const Val *a) {
    return filter(ctx, a[0], AS_LIKE, test_condition, a[1]);
}

Val prim_sfilter_t(Ctx *ctx, const Val *a) {
    return filter(ctx, a[0], AS_TUPLE, test_condition, a[1]);
}

Val prim_sfilter_f(Ctx *ctx, const Val *a) {
    return filter(ctx, a[0], AS_SET, test_condition, a[1]);
}

/* The elements that pass are merged straight from the buffer. */
Val prim_mfilter(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n;
    Val why, *kept = filter_values(ctx, a[0], test_condition, a[1], &n, &why);
    return kept != NULL ? collect_merge(ctx, kept, n, val_is_tuple(a[0])) : why;
}

Val prim_mfilter_safe(Ctx *ctx, const Val *a) {
    return prim1(ctx, P_merge_f, prim2(ctx, P_sfilter, a[0], a[1]));
}

INLINE Val extract_from(Ctx *ctx, Each *each, Val nothing) {
    for (uint32_t k = 0, n = val_len(each->c); k < n; k++) {
        const Val *e = each_at(each, k);
        Val why;
        Verdict verdict = test_condition(ctx, each, e, &why);
        if (verdict != DROP) {
            return verdict == KEEP ? *e : why;
        }
    }
    return nothing;
}

static NOINLINE Val extract_planned(Ctx *ctx, const Val *a, Val nothing) {
    ClosurePlan plan;
    Each each = each_open_planned(ctx, a[1], a[0], &plan);
    Val v = extract_from(ctx, &each, nothing);
    each_close(ctx, &each);
    return v;
}

static Val extract(Ctx *ctx, const Val *a, Val nothing) {
    if (!val_is_container(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    if (cplan_wanted(ctx, a[1], val_len(a[0]) / 2)) { /* usually not all of them are looked at */
        return extract_planned(ctx, a, nothing);
    }
    Each each = each_open(ctx, a[1], a[0]);
    return extract_from(ctx, &each, nothing);
}

Val prim_extract(Ctx *ctx, const Val *a) {
    return extract(ctx, a, val_fail(FAIL_EMPTY));
}

Val prim_extract_batt(Ctx *ctx, const Val *a) {
    return extract(ctx, a, VAL_EMPTY_SET);
}

Val prim_sizefilter(Ctx *ctx, const Val *a) {
    if (a[0].kind == VAL_GRID8 && FAST_PATH(ctx)) { /* all rows, or none */
        Val grid = a[0];
        bool all = a[1].kind == VAL_INT && a[1].i == grid.w;
        if (!ctx_charge(ctx, grid.n / 8 + grid.n / 4)) {
            return val_fail_budget(ctx);
        }
        return all ? collect_merge(ctx, &grid, 1, false) : VAL_EMPTY_SET;
    }
    return filter(ctx, a[0], AS_SET, test_size, a[1]);
}

Val prim_sizefilter_t(Ctx *ctx, const Val *a) {
    return filter(ctx, a[0], AS_TUPLE, test_size, a[1]);
}

Val prim_colorfilter(Ctx *ctx, const Val *a) {
    return filter(ctx, a[0], AS_SET, test_color, a[1]);
}

Val prim_colorfilter_t(Ctx *ctx, const Val *a) {
    return filter(ctx, a[0], AS_TUPLE, test_tuple_color, a[1]);
}

/* A set has a value at most once, where a binary search finds it; nan equals nothing. */
static Val set_without(Ctx *ctx, Val set, Val value) {
    uint32_t n = set.n - 1, at;
    unsigned probes = 32 - (unsigned)__builtin_clz(set.n);
    if (!ctx_charge(ctx, set.n / 32 + probes * (val_weight(value) / STEP_WEIGHT))) {
        return val_fail_budget(ctx);
    }
    if (val_is_atom(value, ATOM_NAN) || !set_find(set, value, &at)) {
        return set;
    }
    Val *kept = val_buffer(ctx, n);
    if (kept == NULL) {
        return val_fail_budget(ctx);
    }
    if (!ctx_copy(ctx, kept, set.v, at * sizeof *kept) ||
        !ctx_copy(ctx, kept + at, set.v + at + 1, (n - at) * sizeof *kept)) {
        return val_fail_budget(ctx);
    }
    /* the weight of a set is exact as long as it is small; elements are looked at if they could fit keys now
     */
    uint64_t weight = val_weight(set);
    if (LIKELY(weight < 1u << WEIGHT_BITS && n != 0 && kept[0].kind > VAL_CELL)) {
        return val_weighed(VAL_SET, kept, n, weight - 1 - val_weight(value));
    }
    return val_set_sorted(ctx, kept, n);
}

/* The same for a packed set. */
static Val keys_without(Ctx *ctx, Val set, Val value) {
    uint32_t key = 0, at = 0, *kept = key_buffer(ctx, set.n);
    if (kept == NULL || !ctx_charge(ctx, set.n / 8)) {
        return val_fail_budget(ctx);
    }
    if (collect_key(value, &key) == (Kind)set.kind) {
        for (uint32_t k = 0; k < set.n; k++) { /* as fast as a copy */
            at += set.k[k] < key;
        }
        if (at < set.n && set.k[at] == key) {
            keys_copy(kept, set.k, at);
            keys_copy(kept + at, set.k + at + 1, set.n - at - 1);
            collect_trim(ctx, kept, set.n * sizeof *kept, (set.n - 1) * sizeof *kept);
            return val_keys_sorted((Kind)set.kind, kept, set.n - 1);
        }
    }
    collect_trim(ctx, kept, set.n * sizeof *kept, 0);
    return set;
}

/* The same for a row of small numbers, which may have it several times. */
static Val row_without(Ctx *ctx, Val row, Val value) {
    if (!ctx_charge(ctx, row.n / 8 + row.n / 4)) { /* what a tuple of values would take */
        return val_fail_budget(ctx);
    }
    if (value.kind != VAL_INT || value.i != (int8_t)value.i) {
        return row;
    }
    int8_t x = (int8_t)value.i;
    uint32_t n = 0, at = 0;
    for (uint32_t k = 0; k < row.n; k++) {
        n += row.b8[k] != x;
    }
    if (n == row.n) {
        return row;
    }
    int8_t *kept = ctx_alloc(ctx, n);
    if (kept == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < row.n; k++) {
        if (row.b8[k] != x) {
            kept[at++] = row.b8[k];
        }
    }
    return val_row8(kept, n);
}

static inline Val without(Ctx *ctx, Val c, Val value, ResultShape shape) {
    if ((val_is_set(c) || c.kind == VAL_ROW8) && c.n != 0 && FAST_PATH(ctx)) {
        Val v = c.kind == VAL_SET    ? set_without(ctx, c, value)
                : c.kind == VAL_ROW8 ? row_without(ctx, c, value)
                                     : keys_without(ctx, c, value);
        return val_failed(v) ? v : as_shape(ctx, v, shape);
    }
    return filter(ctx, c, shape, test_unequal, value);
}

Val prim_remove(Ctx *ctx, const Val *a) {
    return without(ctx, a[1], a[0], AS_LIKE);
}

Val prim_remove_t(Ctx *ctx, const Val *a) {
    return without(ctx, a[1], a[0], AS_TUPLE);
}
