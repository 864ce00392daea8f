/* Functions of functions: closures are made here (dsl/call.c runs them), and functions applied over
 * containers.
 *
 * Results that need no memory of their own give back what the call used, so that applying a function to
 * thousands of elements does not pile up what each call worked with. */
#include "prims/gather.h"

/* ---- closures ---- */

Val prim_compose(Ctx *ctx, const Val *a) {
    return val_closure(ctx, CLOSURE_COMPOSE, 1, a[0], a[1], val_int(0));
}

Val prim_chain(Ctx *ctx, const Val *a) {
    return val_closure(ctx, CLOSURE_CHAIN, 1, a[0], a[1], a[2]);
}

Val prim_matcher(Ctx *ctx, const Val *a) {
    return val_closure(ctx, CLOSURE_MATCHER, 1, a[0], a[1], val_int(0));
}

Val prim_fork(Ctx *ctx, const Val *a) {
    return val_closure(ctx, CLOSURE_FORK, 1, a[0], a[1], a[2]);
}

/* A function of two or three parameters loses one; any other is taken for one of four. */
static Val bind(Ctx *ctx, ClosureOp op, const Val *a) {
    if (!val_is_fn(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    unsigned arity = fn_arity(a[0]);
    if (UNLIKELY(arity == ANY_ARITY && a[0].f->op != CLOSURE_DEFAULT)) { /* from outside */
        return val_closure(ctx, op, ANY_ARITY, a[0], a[1], val_int(0));
    }
    return val_closure(ctx, op, arity == 2 ? 1 : arity == 3 ? 2 : 3, a[0], a[1], val_int(0));
}

Val prim_rbind(Ctx *ctx, const Val *a) {
    return bind(ctx, CLOSURE_RBIND, a);
}

Val prim_lbind(Ctx *ctx, const Val *a) {
    return bind(ctx, CLOSURE_LBIND, a);
}

Val prim_power(Ctx *ctx, const Val *a) {
    if (a[1].kind != VAL_INT) {
        return val_fail(FAIL_TYPE);
    }
    if (a[1].i <= 0 || a[1].i > LIMIT_POWER) {
        return val_fail(FAIL_LIMIT);
    }
    return a[1].i == 1 ? a[0] : val_closure(ctx, CLOSURE_POWER, 1, a[0], a[1], val_int(0));
}

/* ---- over containers ---- */

/* Call f on every element, the results in a buffer; NULL with *why set if a call failed. */
static Val *results(Ctx *ctx, Val f, Val c, Val *why) {
    return collect_keys(ctx, c, f, why);
}

static Val apply_to_tuple(Ctx *ctx, Val f, Val c) {
    Val why, *items = results(ctx, f, c, &why);
    return items != NULL ? val_tuple(ctx, items, val_len(c)) : why;
}

static Val apply_to_set(Ctx *ctx, Val f, Val c) {
    uint32_t n = c.n;
    Gather g;
    if (!gather_open(&g, ctx, n)) {
        return val_fail_budget(ctx);
    }
    Each each = each_open(ctx, f, c);
    for (uint32_t k = 0; k < n; k++) {
        CtxMark mark = ctx_mark(ctx);
        Val v = each_call(ctx, &each, each_at(&each, k));
        if (UNLIKELY(val_failed(v))) {
            return v;
        }
        if (v.kind <= VAL_CELL) {
            ctx_release(ctx, mark);
        }
        gather_add(&g, v);
    }
    return gather_set(&g);
}

Val prim_apply(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(a[1]) == 0) {
        return a[1];
    }
    return val_is_tuple(a[1]) ? apply_to_tuple(ctx, a[0], a[1]) : apply_to_set(ctx, a[0], a[1]);
}

Val prim_apply_t(Ctx *ctx, const Val *a) {
    if (!val_is_container(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    return val_len(a[1]) == 0 ? VAL_EMPTY_TUPLE : apply_to_tuple(ctx, a[0], a[1]);
}

/* What f gives for every element, merged; as a set no matter that equal results were not removed before. */
static Val merged_results(Ctx *ctx, Val f, Val c, bool tuple) {
    if (val_len(c) == 0) {
        return tuple ? VAL_EMPTY_TUPLE : VAL_EMPTY_SET;
    }
    Val why, *parts = results(ctx, f, c, &why);
    return parts != NULL ? collect_merge(ctx, parts, val_len(c), tuple) : why;
}

Val prim_mapply(Ctx *ctx, const Val *a) {
    return val_is_container(a[1]) ? merged_results(ctx, a[0], a[1], val_is_tuple(a[1])) : val_fail(FAIL_TYPE);
}

Val prim_mapply_safe(Ctx *ctx, const Val *a) {
    return prim1(ctx, P_merge, prim2(ctx, P_apply, a[0], a[1]));
}

Val prim_mapply_f_safe(Ctx *ctx, const Val *a) {
    return prim1(ctx, P_merge_f, prim2(ctx, P_apply_f, a[0], a[1]));
}

Val prim_mapply_t(Ctx *ctx, const Val *a) {
    return val_is_container(a[1]) ? merged_results(ctx, a[0], a[1], true) : val_fail(FAIL_TYPE);
}

Val prim_mapply_t_safe(Ctx *ctx, const Val *a) {
    return prim1(ctx, P_merge_t, prim2(ctx, P_apply_t, a[0], a[1]));
}

/* Call every function on one value. */
static Val apply_each(Ctx *ctx, Val functions, Val value, bool tuple) {
    if (!val_is_container(functions)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(functions);
    if (n == 0) {
        return tuple ? VAL_EMPTY_TUPLE : VAL_EMPTY_SET;
    }
    Val *items = val_buffer(ctx, n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = call1(ctx, val_at(functions, k), value);
        if (UNLIKELY(val_failed(items[k]))) {
            return items[k];
        }
    }
    return tuple ? val_tuple(ctx, items, n) : val_set(ctx, items, n);
}

Val prim_rapply(Ctx *ctx, const Val *a) {
    return apply_each(ctx, a[0], a[1], val_is_tuple(a[0]));
}

Val prim_rapply_t(Ctx *ctx, const Val *a) {
    return apply_each(ctx, a[0], a[1], true);
}

/* f on two containers in parallel, the results in a buffer of *n; NULL with *why set, or if there are none.
 */
static Val *parallel(Ctx *ctx, const Val *a, uint32_t *n, Val *why) {
    if (!val_is_container(a[1]) || !val_is_container(a[2])) {
        *why = val_fail(FAIL_TYPE);
        return NULL;
    }
    uint32_t na = val_len(a[1]), nb = val_len(a[2]);
    *n = na < nb ? na : nb;
    *why = VAL_EMPTY_TUPLE;
    Val *items = *n != 0 ? val_buffer(ctx, *n) : NULL;
    if (items == NULL) {
        *why = *n != 0 ? val_fail_budget(ctx) : *why;
        return NULL;
    }
    for (uint32_t k = 0; k < *n; k++) {
        CtxMark mark = ctx_mark(ctx);
        Val v = call2(ctx, a[0], val_at(a[1], k), val_at(a[2], k));
        if (UNLIKELY(val_failed(v))) {
            *why = v;
            return NULL;
        }
        if (v.kind <= VAL_CELL) {
            ctx_release(ctx, mark);
        }
        items[k] = v;
    }
    return items;
}

Val prim_papply(Ctx *ctx, const Val *a) {
    uint32_t n;
    Val why, *items = parallel(ctx, a, &n, &why);
    return items != NULL ? val_tuple(ctx, items, n) : why;
}

Val prim_mpapply(Ctx *ctx, const Val *a) {
    uint32_t n;
    Val why, *parts = parallel(ctx, a, &n, &why);
    return parts != NULL ? collect_merge(ctx, parts, n, true) : why;
}

Val prim_mpapply_safe(Ctx *ctx, const Val *a) {
    return prim1(ctx, P_merge_t, prim3(ctx, P_papply, a[0], a[1], a[2]));
}

Val prim_prapply(Ctx *ctx, const Val *a) {
    if (val_is_container(a[2]) && val_len(a[2]) == 0) {
        return VAL_EMPTY_SET; /* the outer loop: the other argument is not looked at */
    }
    if (!val_is_container(a[1]) || !val_is_container(a[2])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t h = val_len(a[1]), w = val_len(a[2]);
    if (h == 0) {
        return VAL_EMPTY_SET;
    }
    Gather g;
    size_t room = (size_t)h * w;
    if (!gather_open(&g, ctx, room)) {
        return collect_no_room(ctx, room);
    }
    for (uint32_t j = 0; j < w; j++) {
        Val y = val_at(a[2], j);
        for (uint32_t i = 0; i < h; i++) {
            CtxMark mark = ctx_mark(ctx);
            Val v = call2(ctx, a[0], val_at(a[1], i), y);
            if (UNLIKELY(val_failed(v))) {
                return v;
            }
            if (v.kind <= VAL_CELL) {
                ctx_release(ctx, mark);
            }
            gather_add(&g, v);
        }
    }
    return gather_set(&g);
}
