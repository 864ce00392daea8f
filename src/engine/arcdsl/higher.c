/* Functions of functions: making closures (engine/primitives/call.c runs them), and applying functions to
 * containers. */
#include "engine/arcdsl/closure_plan_patch.h"
#include "engine/arcdsl/container_build.h"
#include "engine/arcdsl/shifts.h"

/* ---- closures ---- */

Val prim_compose(Ctx *ctx, const Val *a) {
    return val_closure_of(ctx, CLOSURE_COMPOSE, 1, a, 2);
}

Val prim_chain(Ctx *ctx, const Val *a) {
    return val_closure_of(ctx, CLOSURE_CHAIN, 1, a, 3);
}

Val prim_matcher(Ctx *ctx, const Val *a) {
    return val_closure_of(ctx, CLOSURE_MATCHER, 1, a, 2);
}

Val prim_fork(Ctx *ctx, const Val *a) {
    return val_closure_of(ctx, CLOSURE_FORK, 1, a, 3);
}

/* The closure takes one parameter less than a function of two or three; any other function is treated as one
 * of four. */
static Val bind(Ctx *ctx, ClosureOp op, const Val *a) {
    if (!val_is_fn(a[0])) {
        return val_fail(FAIL_TYPE);
    }
    unsigned arity = fn_arity(a[0]);
    if (UNLIKELY(arity == ANY_ARITY && a[0].f->op != CLOSURE_DEFAULT)) { /* a function from outside */
        return val_closure_of(ctx, op, ANY_ARITY, a, 2);
    }
    return val_closure_of(ctx, op, arity == 2 ? 1 : arity == 3 ? 2 : 3, a, 2);
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
    return a[1].i == 1 ? a[0] : val_closure_of(ctx, CLOSURE_POWER, 1, a, 2);
}

/* ---- over containers ---- */

/* Calls f on every element, with the results in a buffer; NULL with *why set if a call failed. */
static Val *results(Ctx *ctx, Val f, Val c, Val *why) {
    return collect_keys(ctx, c, f, why);
}

static Val apply_to_tuple(Ctx *ctx, Val f, Val c) {
    Val why, *items = results(ctx, f, c, &why);
    return items != NULL ? val_tuple(ctx, items, val_len(c)) : why;
}

/* Calls elements `from` to `to` one by one; false with *why set if a call failed. */
INLINE bool gather_calls(Ctx *ctx, Each *each, SetBuilder *g, uint32_t from, uint32_t to, Val *why) {
    for (uint32_t k = from; k < to; k++) {
        CtxMark mark = ctx_mark(ctx);
        Val v = each_call(ctx, each, each_at(each, k));
        if (!call_settled(ctx, mark, v, why)) {
            return false;
        }
        set_builder_add(g, v);
    }
    return true;
}

static bool gather_columns(Ctx *ctx, Each *each, SetBuilder *g, uint32_t n, Val *why) {
    for (uint32_t k = 0, m; k < n; k += m) {
        m = cplan_block(each->plan, ctx, k, n - k);
        set_builder_add_plan(g, each->plan, m);
        if (UNLIKELY(m == 0)) {
            m = 1;
            if (!gather_calls(ctx, each, g, k, k + 1, why)) {
                return false;
            }
        }
    }
    return true;
}

/* The same with a plan, some at a time. */
static bool gather_values(Ctx *ctx, ClosurePlan *plan, SetBuilder *g, uint32_t n, Val *why) {
    enum { SOME = 16 };
    Val some[SOME];
    for (uint32_t k = 0, m; k < n; k += m) {
        m = n - k < SOME ? n - k : SOME;
        if (!cplan_values(plan, ctx, k, m, some, why)) {
            return false;
        }
        for (uint32_t x = 0; x < m; x++) {
            set_builder_add(g, some[x]);
        }
    }
    return true;
}

static NOINLINE Val apply_planned(Ctx *ctx, Val f, Val c, SetBuilder *g) {
    ClosurePlan plan;
    Val why;
    Each each = each_open_planned(ctx, f, c, &plan);
    bool good = each_pure(&each)    ? gather_columns(ctx, &each, g, c.n, &why)
                : each.plan != NULL ? gather_values(ctx, each.plan, g, c.n, &why)
                                    : gather_calls(ctx, &each, g, 0, c.n, &why);
    each_close(ctx, &each);
    return good ? set_builder_finish(g) : why;
}

/* A color put before each of a few indices, by lbind(astuple, color): what closures mostly make objects with.
 * Takes what calls take. False: something is not as usual, and nothing was done. */
static bool gather_colored(Ctx *ctx, Val f, Val c, SetBuilder *g) {
    if (f.kind != VAL_CLOSURE || c.kind != VAL_INDICES || f.f->op != CLOSURE_LBIND ||
        f.f->part[0].kind != VAL_PRIM || f.f->part[0].n != P_astuple || f.f->part[1].kind != VAL_INT) {
        return false;
    }
    int64_t color = f.f->part[1].i, steps = 2 * (int64_t)c.n; /* each enters the closure and makes a call */
    if (color != (int8_t)color || ctx->fuel < steps || ctx->measure != NULL || ctx->stepwise ||
        ctx->depth >= ctx->budget.depth || !callstack_fits(&ctx->stack) || !FAST_PATH(ctx)) {
        return false;
    }
    for (uint32_t k = 0; k < c.n; k++) {
        int32_t i = key_row(VAL_INDICES, c.k[k]), j = key_col(VAL_INDICES, c.k[k]);
        if (!key_fits_cell((int32_t)color, i, j)) {
            return false;
        }
        g->keys[k] = key_core((int32_t)color, i, j);
    }
    g->kind = VAL_OBJ_CORE;
    g->n = c.n;
    ctx->fuel -= steps;
#ifndef BATT_NO_PROFILER
    ctx->calls[P_astuple] += c.n;
#endif
    return true;
}

static Val apply_to_set(Ctx *ctx, Val f, Val c) {
    SetBuilder g;
    if (!set_builder_open(&g, ctx, c.n)) {
        return val_fail_budget(ctx);
    }
    if (gather_colored(ctx, f, c, &g)) {
        return set_builder_finish(&g);
    }
    if (cplan_wanted(ctx, f, c.n)) {
        return apply_planned(ctx, f, c, &g);
    }
    Val why;
    Each each = each_open(ctx, f, c);
    return gather_calls(ctx, &each, &g, 0, c.n, &why) ? set_builder_finish(&g) : why;
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

/* ---- merged ---- */

static NOINLINE Val merged_planned(Ctx *ctx, Val f, Val c, bool tuple) {
    ClosurePlan plan;
    uint32_t n = val_len(c);
    Val v, *parts = val_buffer(ctx, n);
    if (parts == NULL) {
        return collect_no_room(ctx, n);
    }
    Each each = each_open(ctx, f, c);
    bool good = tuple ? cplan_make(&plan, ctx, f, &c, 1, n) : cplan_make_merged(&plan, ctx, f, c);
    if (good && !tuple && shifts_merged(ctx, &plan, &v)) {
        cplan_close(&plan, ctx);
        return v;
    }
    if (good && (plan.result.kind == CTERM_PATCH || plan.result.kind == CTERM_COLORED)) {
        if (patches_merged(ctx, &plan, &v)) {
            cplan_close(&plan, ctx);
            return v;
        }
        good = cplan_make(&plan, ctx, f, &c, 1, n);
    }
    each.plan = good ? &plan : NULL;
    v = each_keys(ctx, &each, parts, &v) ? collect_merge(ctx, parts, n, tuple) : v;
    each_close(ctx, &each);
    return v;
}

/* The same for a primitive and elements stored as values, if the result is a set: empty results are only
 * counted. */
static Val merged_directly(Ctx *ctx, const Each *each, uint32_t n) {
    Val *parts = val_buffer(ctx, n), why;
    uint32_t m = 0;
    Survey all = {0};
    if (parts == NULL) {
        return collect_no_room(ctx, n);
    }
    for (const Val *x = each->items, *end = x + n; x < end; x++) {
        CtxMark mark = ctx_mark(ctx);
        Val v = each_call_direct(ctx, each, x);
        if (!call_settled(ctx, mark, v, &why)) {
            return why;
        }
        parts[m] = v;
        m += survey_add(&all, v);
    }
    return collect_surveyed(ctx, parts, m, n, &all, false);
}

/* The results of f for all elements, merged. For a set it does not matter that equal results have not been
 * removed before. */
static Val merged_results(Ctx *ctx, Val f, Val c, bool tuple) {
    if (val_len(c) == 0) {
        return tuple ? VAL_EMPTY_TUPLE : VAL_EMPTY_SET;
    }
    Each each = each_open(ctx, f, c);
    if (!tuple && each.fn != NULL && each.items != NULL && c.n > 1) {
        return merged_directly(ctx, &each, c.n);
    }
    bool patches = each.items != NULL && val_is_keys(each.items[0]);
    if (patches ? patch_plan_wanted(ctx, f, c.n) : cplan_wanted(ctx, f, val_len(c))) {
        return merged_planned(ctx, f, c, tuple);
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

/* Calls every function on one value. */
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

static bool pairs_by_calls(Ctx *ctx, const Val *a, Val *items, uint32_t n, Val *why) {
    for (uint32_t k = 0; k < n; k++) {
        CtxMark mark = ctx_mark(ctx);
        items[k] = call2(ctx, a[0], val_at(a[1], k), val_at(a[2], k));
        if (!call_settled(ctx, mark, items[k], why)) {
            return false;
        }
    }
    return true;
}

static NOINLINE bool pairs_planned(Ctx *ctx, const Val *a, Val *items, uint32_t n, Val *why) {
    ClosurePlan plan;
    if (!cplan_make(&plan, ctx, a[0], a + 1, 2, n)) {
        return pairs_by_calls(ctx, a, items, n, why);
    }
    bool good = cplan_keys(&plan, ctx, items, why);
    cplan_close(&plan, ctx);
    return good;
}

/* Calls f on two containers in parallel, with the results in a buffer of *n; NULL with *why set on failure or
 * if there are none. */
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
    bool good = cplan_wanted(ctx, a[0], *n) ? pairs_planned(ctx, a, items, *n, why)
                                            : pairs_by_calls(ctx, a, items, *n, why);
    return good ? items : NULL;
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

/* Calls f on every element of the first container with every element of the second, which is the outer
 * loop. */
static bool product_by_calls(Ctx *ctx, const Val *a, SetBuilder *g, Val *why) {
    uint32_t h = val_len(a[1]), w = val_len(a[2]);
    for (uint32_t j = 0; j < w; j++) {
        Val y = val_at(a[2], j);
        for (uint32_t i = 0; i < h; i++) {
            CtxMark mark = ctx_mark(ctx);
            Val v = call2(ctx, a[0], val_at(a[1], i), y);
            if (!call_settled(ctx, mark, v, why)) {
                return false;
            }
            set_builder_add(g, v);
        }
    }
    return true;
}

/* One pass of the inner loop. */
static bool gather_by_plan(Ctx *ctx, ClosurePlan *plan, SetBuilder *g, Val *why) {
    bool pure = cplan_pure(plan);
    for (uint32_t k = 0, m; k < plan->elements; k += m) {
        m = pure ? cplan_block(plan, ctx, k, plan->elements - k) : 0;
        set_builder_add_plan(g, plan, m);
        if (m == 0) {
            m = 1;
            CtxMark mark = ctx_mark(ctx);
            Val v = cplan_value(plan, ctx, k);
            if (!call_settled(ctx, mark, v, why)) {
                return false;
            }
            set_builder_add(g, v);
        }
    }
    return true;
}

static NOINLINE bool product_planned(Ctx *ctx, const Val *a, SetBuilder *g, Val *why) {
    ClosurePlan plan;
    if (!cplan_make(&plan, ctx, a[0], a + 1, 2, val_len(a[1]))) {
        return product_by_calls(ctx, a, g, why);
    }
    bool good = true;
    for (uint32_t j = 0, w = val_len(a[2]); j < w && good; j++) {
        cplan_fix(&plan, 1, j);
        good = gather_by_plan(ctx, &plan, g, why);
    }
    cplan_close(&plan, ctx);
    return good;
}

Val prim_prapply(Ctx *ctx, const Val *a) {
    if (val_is_container(a[2]) && val_len(a[2]) == 0) {
        return VAL_EMPTY_SET; /* the outer loop is empty: the other argument is not looked at */
    }
    if (!val_is_container(a[1]) || !val_is_container(a[2])) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t h = val_len(a[1]), w = val_len(a[2]);
    if (h == 0) {
        return VAL_EMPTY_SET;
    }
    SetBuilder g;
    size_t room = (size_t)h * w;
    if (!set_builder_open(&g, ctx, room)) {
        return collect_no_room(ctx, room);
    }
    Val why;
    bool good =
        cplan_wanted(ctx, a[0], h) ? product_planned(ctx, a, &g, &why) : product_by_calls(ctx, a, &g, &why);
    return good ? set_builder_finish(&g) : why;
}
