/* Numbers and logic: arithmetic on integers and pairs, comparisons, choice.
 *
 * Arithmetic is lifted: an operator is written once for two integers and applies to pairs component by
 * component. The operators are inlined into the lifting, so `add` of two integers is an addition and an
 * overflow test. */
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

#include <string.h>

typedef Reason (*Op1)(int64_t x, int64_t *out);
typedef Reason (*Op2)(int64_t x, int64_t y, int64_t *out);

/* ---- operators ---- */

INLINE Reason op_add(int64_t x, int64_t y, int64_t *out) {
    return __builtin_add_overflow(x, y, out) ? FAIL_OVERFLOW : FAIL_NONE;
}
INLINE Reason op_subtract(int64_t x, int64_t y, int64_t *out) {
    return __builtin_sub_overflow(x, y, out) ? FAIL_OVERFLOW : FAIL_NONE;
}
INLINE Reason op_multiply(int64_t x, int64_t y, int64_t *out) {
    return __builtin_mul_overflow(x, y, out) ? FAIL_OVERFLOW : FAIL_NONE;
}
INLINE Reason op_divide(int64_t x, int64_t y, int64_t *out) {
    if (UNLIKELY(y == 0)) {
        return FAIL_ZERO;
    }
    if (UNLIKELY(y == -1)) { /* the only quotient that may not fit */
        return __builtin_sub_overflow(0, x, out) ? FAIL_OVERFLOW : FAIL_NONE;
    }
    int64_t q = x / y, r = x % y;
    *out = q - (r != 0 && (r < 0) != (y < 0));
    return FAIL_NONE;
}
INLINE Reason op_invert(int64_t x, int64_t *out) {
    return op_subtract(0, x, out);
}
INLINE Reason op_double(int64_t x, int64_t *out) {
    return op_multiply(x, 2, out);
}
INLINE Reason op_halve(int64_t x, int64_t *out) {
    *out = x / 2 - (x % 2 < 0);
    return FAIL_NONE;
}
INLINE Reason op_increment(int64_t x, int64_t *out) {
    return op_add(x, 1, out);
}
INLINE Reason op_decrement(int64_t x, int64_t *out) {
    return op_subtract(x, 1, out);
}
INLINE Reason op_sign(int64_t x, int64_t *out) {
    *out = (x > 0) - (x < 0);
    return FAIL_NONE;
}
INLINE Reason op_crement(int64_t x, int64_t *out) {
    return op_add(x, (x > 0) - (x < 0), out);
}

/* ---- lifting ---- */

/* The first two components of a tuple, or an integer twice. */
static Reason components(Val v, int64_t *x, int64_t *y) {
    if (v.kind == VAL_INT) {
        *x = *y = v.i;
        return FAIL_NONE;
    }
    return tuple_two_ints(v, x, y);
}

static Val pair_or_reason(Ctx *ctx, Reason first, Reason second, int64_t x, int64_t y) {
    return first != FAIL_NONE    ? val_fail(first)
           : second != FAIL_NONE ? val_fail(second)
                                 : val_pair(ctx, x, y);
}

/* Off the fast paths: arguments that are neither integers nor pairs, and failures. */
INLINE Val lift2_any(Ctx *ctx, Val a, Val b, Op2 op) {
    /* x and y are initialized because a failed operation writes nothing, and both are passed on */
    int64_t a0, a1, b0, b1, x = 0, y = 0;
    if (a.kind == VAL_INT && b.kind == VAL_INT) {
        Reason why = op(a.i, b.i, &x);
        return why == FAIL_NONE ? val_int(x) : val_fail(why);
    }
    Reason first = components(a, &a0, &a1), second = components(b, &b0, &b1);
    if (first != FAIL_NONE || second != FAIL_NONE) {
        return val_fail(first != FAIL_NONE ? first : second);
    }
    first = op(a0, b0, &x);
    second = op(a1, b1, &y);
    return pair_or_reason(ctx, first, second, x, y);
}

INLINE Val lift1_any(Ctx *ctx, Val n, Op1 op) {
    int64_t a, b, x = 0, y = 0;
    if (n.kind == VAL_INT) {
        Reason why = op(n.i, &x);
        return why == FAIL_NONE ? val_int(x) : val_fail(why);
    }
    Reason why = components(n, &a, &b);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    Reason first = op(a, &x), second = op(b, &y);
    return pair_or_reason(ctx, first, second, x, y);
}

/* Whether both numbers fit a VAL_PAIR. */
INLINE bool fit_pair(int64_t x, int64_t y) {
    return x == (int32_t)x && y == (int32_t)y;
}

/* The dialect treats () as the neutral element. */
INLINE Val or_neutral(Val v, int64_t neutral) {
    return UNLIKELY(v.kind == VAL_TUPLE && v.n == 0) ? val_int(neutral) : v;
}

#define NOINLINE __attribute__((noinline))
#define LIFT2(name, neutral)                                                              \
    static NOINLINE Val name##_any(Ctx *ctx, Val a, Val b) {                              \
        return lift2_any(ctx, a, b, op_##name);                                           \
    }                                                                                     \
    INLINE Val name##_lifted(Ctx *ctx, Val a, Val b) {                                    \
        int64_t x = 0, y = 0;                                                             \
        if (LIKELY(a.kind == VAL_INT && b.kind == VAL_INT)) {                             \
            if (LIKELY(op_##name(a.i, b.i, &x) == FAIL_NONE)) {                           \
                return val_int(x);                                                        \
            }                                                                             \
        } else if (LIKELY(a.kind == VAL_PAIR && b.kind == VAL_PAIR) && FAST_PATH(ctx)) {  \
            if (LIKELY(op_##name(a.a, b.a, &x) == FAIL_NONE) &&                           \
                LIKELY(op_##name(a.b, b.b, &y) == FAIL_NONE) && LIKELY(fit_pair(x, y))) { \
                return val_pair32((int32_t)x, (int32_t)y);                                \
            }                                                                             \
        }                                                                                 \
        return name##_any(ctx, a, b);                                                     \
    }                                                                                     \
    Val prim_##name(Ctx *ctx, const Val *a) {                                             \
        return name##_lifted(ctx, a[0], a[1]);                                            \
    }                                                                                     \
    Val prim_##name##_batt(Ctx *ctx, const Val *a) {                                      \
        return name##_lifted(ctx, or_neutral(a[0], neutral), or_neutral(a[1], neutral));  \
    }
#define LIFT1(name)                                                                                         \
    static NOINLINE Val name##_any(Ctx *ctx, Val n) {                                                       \
        return lift1_any(ctx, n, op_##name);                                                                \
    }                                                                                                       \
    Val prim_##name(Ctx *ctx, const Val *a) {                                                               \
        int64_t x = 0, y = 0;                                                                               \
        if (LIKELY(a[0].kind == VAL_INT)) {                                                                 \
            if (LIKELY(op_##name(a[0].i, &x) == FAIL_NONE)) {                                               \
                return val_int(x);                                                                          \
            }                                                                                               \
        } else if (LIKELY(a[0].kind == VAL_PAIR) && FAST_PATH(ctx)) {                                       \
            if (LIKELY(op_##name(a[0].a, &x) == FAIL_NONE) && LIKELY(op_##name(a[0].b, &y) == FAIL_NONE) && \
                LIKELY(fit_pair(x, y))) {                                                                   \
                return val_pair32((int32_t)x, (int32_t)y);                                                  \
            }                                                                                               \
        }                                                                                                   \
        return name##_any(ctx, a[0]);                                                                       \
    }

LIFT2(add, 0)
LIFT2(subtract, 0)
LIFT2(multiply, 1)
LIFT2(divide, 1)
LIFT1(invert)
LIFT1(double)
LIFT1(halve)
LIFT1(increment)
LIFT1(decrement)
LIFT1(crement)
LIFT1(sign)

/* ---- tests ---- */

Val prim_even(Ctx *ctx, const Val *a) {
    (void)ctx;
    if (LIKELY(a[0].kind == VAL_INT)) {
        return val_bool((a[0].i & 1) == 0);
    }
    return a[0].kind == VAL_ATOM && a[0].w != ATOM_NONE ? val_bool(false) : val_fail(FAIL_TYPE);
}

Val prim_positive(Ctx *ctx, const Val *a) {
    (void)ctx;
    if (LIKELY(a[0].kind == VAL_INT)) {
        return val_bool(a[0].i > 0);
    }
    return a[0].kind == VAL_ATOM && a[0].w != ATOM_NONE ? val_bool(a[0].w == ATOM_POS_INF)
                                                        : val_fail(FAIL_TYPE);
}

static bool is_number(Val v) {
    return v.kind == VAL_INT || (v.kind == VAL_ATOM && v.w != ATOM_NONE);
}

static bool greater_numbers(Val a, Val b) {
    if (a.kind == VAL_INT && b.kind == VAL_INT) {
        return a.i > b.i;
    }
    return !val_is_atom(a, ATOM_NAN) && !val_is_atom(b, ATOM_NAN) && val_cmp(a, b) > 0;
}

static Val proper_superset(Ctx *ctx, Val a, Val b) {
    uint32_t k = 0;
    for (uint32_t j = 0; j < a.n && k < b.n && b.n < a.n; j++) { /* both ascend */
        int order = val_cmp(val_at(a, j), val_at(b, k));
        if (order > 0) {
            return val_bool(false);
        }
        if (!ctx_check_time_at(ctx, j)) {
            return val_fail_budget(ctx);
        }
        k += order == 0;
    }
    return val_bool(k == b.n && b.n < a.n);
}

/* The first position at which two tuples differ decides, so this follows a single path into them. */
Val prim_greater(Ctx *ctx, const Val *a) {
    Val x = a[0], y = a[1];
    while (val_is_tuple(x) && val_is_tuple(y)) {
        uint32_t nx = val_len(x), ny = val_len(y), n = nx < ny ? nx : ny, k = 0;
        if (!ctx_charge(ctx, n / 16 + val_cost(x, y))) {
            return val_fail_budget(ctx);
        }
        while (k < n && val_eq(val_at(x, k), val_at(y, k))) {
            if (!ctx_check_time_at(ctx, k++)) {
                return val_fail_budget(ctx);
            }
        }
        if (k == n) {
            return val_bool(nx > ny);
        }
        x = val_at(x, k);
        y = val_at(y, k);
    }
    if (is_number(x) && is_number(y)) {
        return val_bool(greater_numbers(x, y));
    }
    if (!val_is_set(x) || !val_is_set(y)) {
        return val_fail(FAIL_ORDER);
    }
    return ctx_charge(ctx, (x.n + y.n) / 16 + val_cost(x, y)) ? proper_superset(ctx, x, y)
                                                              : val_fail_budget(ctx);
}

/* ---- logic and choice ---- */

Val prim_identity(Ctx *ctx, const Val *a) {
    (void)ctx;
    return a[0];
}

Val prim_flip(Ctx *ctx, const Val *a) {
    (void)ctx;
    return val_bool(!val_truth(a[0]));
}

Val prim_both(Ctx *ctx, const Val *a) {
    (void)ctx;
    return val_truth(a[0]) ? a[1] : a[0];
}

Val prim_either(Ctx *ctx, const Val *a) {
    (void)ctx;
    return val_truth(a[0]) ? a[0] : a[1];
}

Val prim_equality(Ctx *ctx, const Val *a) {
    return ctx_charge(ctx, val_cost(a[0], a[1])) && val_check_time(ctx, a[0], a[1])
               ? val_bool(val_eq_direct(a[0], a[1]))
               : val_fail_budget(ctx);
}

Val prim_branch(Ctx *ctx, const Val *a) {
    (void)ctx;
    return val_truth(a[0]) ? a[1] : a[2];
}

/* ---- tuples made of numbers ---- */

Val prim_toivec(Ctx *ctx, const Val *a) {
    return val_tuple2(ctx, a[0], val_int(0));
}

Val prim_tojvec(Ctx *ctx, const Val *a) {
    return val_tuple2(ctx, val_int(0), a[0]);
}

Val prim_astuple(Ctx *ctx, const Val *a) {
    return val_tuple2(ctx, a[0], a[1]);
}

Val prim_interval(Ctx *ctx, const Val *a) {
    if (a[0].kind != VAL_INT || a[1].kind != VAL_INT || a[2].kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    int64_t start = a[0].i, stop = a[1].i, step = a[2].i;
    if (step == 0) {
        return val_fail(FAIL_ZERO);
    }
    if (step > 0 ? start >= stop : start <= stop) {
        return VAL_EMPTY_TUPLE;
    }
    uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    uint64_t count = (span - 1) / stride + 1;
    if (count > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    uint32_t n = (uint32_t)count;
    int64_t last = start + (int64_t)(n - 1) * step;
    if (FAST_PATH(ctx) && n > 3 && start == (int8_t)start && last == (int8_t)last) {
        int8_t *cells = ctx_alloc(ctx, n);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t k = 0; k < n; k++) {
            cells[k] = (int8_t)(start + (int64_t)k * step);
        }
        return (Val){.kind = VAL_ROW8, .n = n, .b8 = cells};
    }
    int64_t few[64], *items = n <= 64 ? few : ctx_alloc(ctx, n * sizeof *items);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = start + (int64_t)k * step;
    }
    return val_ints(ctx, items, n);
}

Val prim_repeat(Ctx *ctx, const Val *a) {
    Val item = a[0];
    if (a[1].kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    if (a[1].i <= 0) {
        return VAL_EMPTY_TUPLE;
    }
    if (a[1].i > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    uint32_t n = (uint32_t)a[1].i;
    if (FAST_PATH(ctx) && item.kind == VAL_INT && item.i == (int8_t)item.i && n > 3) {
        int8_t *cells = ctx_alloc(ctx, n);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        memset(cells, (int)item.i, n);
        return (Val){.kind = VAL_ROW8, .n = n, .b8 = cells};
    }
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = item;
    }
    return val_tuple(ctx, items, n);
}

/* ---- extremes ---- */

/* The greatest (sign 1) or least (sign -1) element; the first among equals. */
INLINE Val extreme(Ctx *ctx, Val c, int sign) {
    if (LIKELY(c.kind == VAL_PAIR)) { /* costs no steps */
        return val_int(sign > 0 ? (c.b > c.a ? c.b : c.a) : (c.b < c.a ? c.b : c.a));
    }
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(c);
    if (n == 0) {
        return val_int(0);
    }
    if (!ctx_charge(ctx, n / (c.kind == VAL_ROW8 ? 64 : 8) + 2 * val_weight(c) / STEP_WEIGHT)) {
        return val_fail_budget(ctx);
    }
    if (c.kind == VAL_ROW8 && FAST_PATH(ctx)) {
        int8_t best = c.b8[0];
        for (uint32_t k = 1; k < n; k++) {
            best = sign > 0 ? (c.b8[k] > best ? c.b8[k] : best) : (c.b8[k] < best ? c.b8[k] : best);
        }
        return val_int(best);
    }
    if (val_is_keys(c) && FAST_PATH(ctx)) { /* they hold only numbers, so key order is canonical order */
        return val_at(c, sign > 0 ? n - 1 : 0);
    }
    Val best = val_at(c, 0);
    for (uint32_t k = 1; k < n; k++) {
        Val v = val_at(c, k);
        int order;
        if (!ctx_check_time_at(ctx, k) || !val_check_time(ctx, v, best)) {
            return val_fail_budget(ctx);
        }
        if (UNLIKELY(!val_kcmp(v, best, &order))) {
            return val_fail(FAIL_ORDER);
        }
        if (order * sign > 0) {
            best = v;
        }
    }
    return best;
}

Val prim_maximum(Ctx *ctx, const Val *a) {
    return extreme(ctx, a[0], 1);
}

Val prim_minimum(Ctx *ctx, const Val *a) {
    return extreme(ctx, a[0], -1);
}
