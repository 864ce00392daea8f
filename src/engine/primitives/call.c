/* Calling a function value: a primitive, or a closure, which is run according to its kind. */
#include "engine/primitives/prim.h"

unsigned fn_arity(Val f) {
    return f.kind == VAL_PRIM ? prim_table[f.n].arity : f.f->arity;
}

static __attribute__((noinline)) Val bound(Ctx *ctx, const Closure *f, const Val *args, uint32_t n) {
    Val all[4];
    uint32_t at = 0;
    if (f->op == CLOSURE_LBIND) {
        all[at++] = f->part[1];
    }
    if (UNLIKELY(n > 3)) { /* only a function from outside may take that many */
        return val_fail(FAIL_ARITY);
    }
    for (uint32_t k = 0; k < n; k++) {
        all[at++] = args[k];
    }
    if (f->op == CLOSURE_RBIND) {
        all[at++] = f->part[1];
    }
    ASSERT(at <= 4, "%u arguments with the bound one", at);
    return call_value(ctx, f->part[0], all, at);
}

static inline Val call_closure(Ctx *ctx, const Closure *f, const Val *args, uint32_t n) {
    Val x = args[0];
    switch ((ClosureOp)f->op) {
    case CLOSURE_COMPOSE:
        x = call1(ctx, f->part[1], x);
        return val_head_failed(x) ? x : call1(ctx, f->part[0], x);
    case CLOSURE_CHAIN:
        x = call1(ctx, f->part[2], x);
        x = val_head_failed(x) ? x : call1(ctx, f->part[1], x);
        return val_head_failed(x) ? x : call1(ctx, f->part[0], x);
    case CLOSURE_MATCHER:
        x = call1(ctx, f->part[0], x);
        if (UNLIKELY(val_head_failed(x))) {
            return x;
        }
        return ctx_charge(ctx, val_cost(x, f->part[1])) ? val_bool(val_eq_direct(x, f->part[1]))
                                                        : val_fail_budget(ctx);
    case CLOSURE_RBIND:
        return n == 1 ? call2(ctx, f->part[0], x, f->part[1]) : bound(ctx, f, args, n);
    case CLOSURE_LBIND:
        return n == 1 ? call2(ctx, f->part[0], f->part[1], x) : bound(ctx, f, args, n);
    case CLOSURE_POWER:
        for (int64_t k = f->part[1].i; k > 0 && !val_head_failed(x); k--) {
            x = call1(ctx, f->part[0], x);
        }
        return x;
    case CLOSURE_FORK: {
        Val left = call1(ctx, f->part[1], x);
        if (val_head_failed(left)) {
            return left;
        }
        Val right = call1(ctx, f->part[2], x);
        return val_head_failed(right) ? right : call2(ctx, f->part[0], left, right);
    }
    case CLOSURE_HOST:
        return ((HostFn)(uintptr_t)f->part[0].i)(ctx, (void *)(uintptr_t)f->part[1].i, args, n);
    case CLOSURE_DEFAULT:
    default:
        return VAL_EMPTY_TUPLE;
    }
}

Val call_value(Ctx *ctx, Val f, const Val *args, uint32_t n) {
    if (f.kind == VAL_PRIM) {
        return prim_call(ctx, f.n, args, n);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (UNLIKELY(val_head_failed(args[k]))) {
            return args[k];
        }
    }
    if (UNLIKELY(f.kind != VAL_CLOSURE)) {
        return val_head_failed(f) ? f : val_fail(FAIL_TYPE);
    }
    if (UNLIKELY(f.f->arity != n && f.f->arity != ANY_ARITY)) {
        return val_fail(FAIL_ARITY);
    }
    if (UNLIKELY(ctx->depth >= ctx->budget.depth || !callstack_fits(&ctx->stack))) {
        ctx->exhausted = FAIL_DEPTH;
        return val_fail(FAIL_DEPTH);
    }
    if (UNLIKELY(--ctx->fuel < 0) && !ctx_refuel(ctx)) {
        return val_fail((Reason)ctx->exhausted);
    }
    ctx->depth++;
    static const Val nothing[1];
    Val v = call_closure(ctx, f.f, n != 0 ? args : nothing, n);
    ASSERT(ctx->depth > 0, "a call ended that did not begin");
    ctx->depth--;
    return VAL_CHECKED(v);
}
