/* Keeping some elements of a container: by a condition, by size, by color, by being unequal to a value.
 *
 * One loop serves them all; the test is inlined into it. What is kept of an ascending set ascends, so no set
 * is sorted again, and what is kept of a packed set stays packed. */
#include "prims/gather.h"

#include <string.h>

typedef enum Shape { AS_LIKE, AS_TUPLE, AS_SET } Shape;
typedef enum Verdict { DROP, KEEP, FAILED } Verdict;
/* each->f is what is tested with: a function, a number, a value, a color */
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
    if (!ctx_charge(ctx, val_cost(*e, each->f)) || !val_look(ctx, *e, each->f)) {
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

static Val as_shape(Ctx *ctx, Val v, Shape shape) {
    if (shape == AS_TUPLE) {
        return collect_tuple(ctx, v);
    }
    return shape == AS_LIKE || val_is_set(v) ? v : collect_merge(ctx, &v, 1, false);
}

/* Where to look at the clock next, going over n elements from k on: a test may be so short that doing it for
 * each of them would show. */
static inline uint32_t look_stop(uint32_t k, uint32_t n) {
    return n - k < LOOK_ITEMS ? n : k + LOOK_ITEMS;
}

INLINE Val filter_keys(Ctx *ctx, Val c, Shape shape, Test test, Val arg) {
    uint32_t *kept = key_buffer(ctx, c.n), n = 0;
    if (kept == NULL) {
        return val_fail_budget(ctx);
    }
    Each each = each_open(ctx, arg, c);
    for (uint32_t k = 0, stop; k < c.n; k = stop) {
        stop = look_stop(k, c.n);
        if (k != 0 && !ctx_look(ctx)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t at = k; at < stop; at++) {
            Val why, e = key_val(c.kind, c.k[at]);
            Verdict verdict = test(ctx, &each, &e, &why);
            if (UNLIKELY(verdict == FAILED)) {
                return why;
            }
            kept[n] = c.k[at];
            n += verdict == KEEP;
        }
    }
    collect_trim(ctx, kept, c.n * sizeof *kept, n * sizeof *kept);
    return as_shape(ctx, n == c.n ? c : val_keys_sorted((Kind)c.kind, kept, n), shape);
}

/* What passes the test, in a buffer; NULL with *why set if a test failed. */
INLINE Val *filter_values(Ctx *ctx, Val c, Test test, Val arg, uint32_t *count, Val *why) {
    uint32_t len = val_len(c), n = 0;
    Val *kept = val_buffer(ctx, len);
    if (kept == NULL) {
        *why = val_fail_budget(ctx);
        return NULL;
    }
    Each each = each_open(ctx, arg, c);
    for (uint32_t k = 0, stop; k < len; k = stop) {
        stop = look_stop(k, len);
        if (k != 0 && !ctx_look(ctx)) {
            *why = val_fail_budget(ctx);
            return NULL;
        }
        for (uint32_t at = k; at < stop; at++) {
            const Val *e = each_at(&each, at);
            Verdict verdict = test(ctx, &each, e, why);
            if (UNLIKELY(verdict == FAILED)) {
                return NULL;
            }
            kept[n] = *e;
            n += verdict == KEEP;
        }
    }
    collect_trim(ctx, kept, len * sizeof *kept, n * sizeof *kept);
    *count = n;
    return kept;
}

INLINE Val filter(Ctx *ctx, Val c, Shape shape, Test test, Val arg) {
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

/* What passes is merged from the buffer it was kept in. */
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

static Val extract(Ctx *ctx, const Val *a, Val nothing) {
    if (!val_is_container(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    Each each = each_open(ctx, a[1], a[0]);
    for (uint32_t k = 0, n = val_len(a[0]); k < n; k++) {
        const Val *e = each_at(&each, k);
        Val why;
        Verdict verdict = test_condition(ctx, &each, e, &why);
        if (verdict != DROP) {
            return verdict == KEEP ? *e : why;
        }
    }
    return nothing;
}

Val prim_extract(Ctx *ctx, const Val *a) {
    return extract(ctx, a, val_fail(FAIL_EMPTY));
}

Val prim_extract_batt(Ctx *ctx, const Val *a) {
    return extract(ctx, a, VAL_EMPTY_SET);
}

Val prim_sizefilter(Ctx *ctx, const Val *a) {
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

/* A set has a value at most once, in a place that a search finds; nan equals nothing. */
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
    return val_set_sorted(ctx, kept, n);
}

static inline Val without(Ctx *ctx, Val c, Val value, Shape shape) {
    if (c.kind == VAL_SET && c.n != 0 && FAST_PATH(ctx)) {
        Val v = set_without(ctx, c, value);
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
