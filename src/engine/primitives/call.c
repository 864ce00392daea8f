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

/* Calls a part of a closure with arguments that have not failed. It stays in memory, since taking a value
 * apart and putting it together again took a third of the time of a call. */
INLINE Val call_part(Ctx *ctx, const Val *f, const Val *args, uint32_t n) {
    if (LIKELY(f->kind == VAL_PRIM)) {
        return prim_invoke(ctx, f->n, args, n);
    }
    if (LIKELY(f->kind == VAL_CLOSURE)) {
        return closure_run(ctx, f->f, args, n);
    }
    return val_head_failed(*f) ? *f : val_fail(FAIL_TYPE);
}

static Val call_matcher(Ctx *ctx, const Closure *f, const Val *args) {
    Val x = call_part(ctx, &f->part[0], args, 1);
    if (UNLIKELY(val_head_failed(x))) {
        return x;
    }
    return ctx_charge(ctx, val_cost(x, f->part[1])) ? val_bool(val_eq_direct(x, f->part[1]))
                                                    : val_fail_budget(ctx);
}

static inline Val call_closure(Ctx *ctx, const Closure *f, const Val *args, uint32_t n) {
    Val x[2];
    switch ((ClosureOp)f->op) {
    case CLOSURE_COMPOSE:
        x[0] = call_part(ctx, &f->part[1], args, 1);
        return LIKELY(!val_head_failed(x[0])) ? call_part(ctx, &f->part[0], x, 1) : x[0];
    case CLOSURE_CHAIN:
        x[0] = call_part(ctx, &f->part[2], args, 1);
        if (UNLIKELY(val_head_failed(x[0]))) {
            return x[0];
        }
        x[1] = call_part(ctx, &f->part[1], x, 1);
        return LIKELY(!val_head_failed(x[1])) ? call_part(ctx, &f->part[0], &x[1], 1) : x[1];
    case CLOSURE_MATCHER:
        return call_matcher(ctx, f, args);
    case CLOSURE_LBIND:
        if (UNLIKELY(n != 1)) {
            return bound(ctx, f, args, n);
        }
        x[0] = f->part[1];
        x[1] = args[0];
        return call_part(ctx, &f->part[0], x, 2);
    case CLOSURE_RBIND:
        if (UNLIKELY(n != 1)) {
            return bound(ctx, f, args, n);
        }
        x[0] = args[0];
        x[1] = f->part[1];
        return call_part(ctx, &f->part[0], x, 2);
    case CLOSURE_POWER:
        x[0] = args[0];
        for (int64_t k = f->part[1].i; k > 0 && !val_head_failed(x[0]); k--) {
            x[0] = call_part(ctx, &f->part[0], x, 1);
        }
        return x[0];
    case CLOSURE_FORK:
        x[0] = call_part(ctx, &f->part[1], args, 1);
        if (UNLIKELY(val_head_failed(x[0]))) {
            return x[0];
        }
        x[1] = call_part(ctx, &f->part[2], args, 1);
        return LIKELY(!val_head_failed(x[1])) ? call_part(ctx, &f->part[0], x, 2) : x[1];
    case CLOSURE_HOST:
        return ((HostFn)(uintptr_t)f->part[0].i)(ctx, (void *)(uintptr_t)f->part[1].i, args, n);
    case CLOSURE_DEFAULT:
    default:
        return VAL_EMPTY_TUPLE;
    }
}

Val closure_run(Ctx *ctx, const Closure *f, const Val *args, uint32_t n) {
    if (UNLIKELY(f->arity != n && f->arity != ANY_ARITY)) {
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
    Val v = call_closure(ctx, f, args, n);
    ASSERT(ctx->depth > 0, "a call ended that did not begin");
    ctx->depth--;
    return VAL_CHECKED(v);
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
    return closure_run(ctx, f.f, args, n);
}
