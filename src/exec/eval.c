/* The evaluator: a loop over ops. Everything that costs is in dsl/. */
#include "exec/eval.h"

#include <string.h>

/* Calls with more arguments than any function takes: no need to look at the values, only at their number. */
enum { MOST_ARGS = 8 };

static Val build(Ctx *ctx, const Program *p, const Op *op, const Val *slots) {
    Val *items = val_buffer(ctx, op->nargs);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < op->nargs; k++) {
        items[k] = slots[p->args[op->first + k]];
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return op->kind == OP_TUPLE ? val_tuple(ctx, items, op->nargs) : val_set(ctx, items, op->nargs);
}

/* All but calls of a primitive with as many arguments as one can have. */
static __attribute__((noinline)) Val other_op(Ctx *ctx, const Program *p, const Op *op, const Val *slots) {
    const uint32_t *from = p->args + op->first;
    Val args[MOST_ARGS];
    uint32_t n = op->nargs;
    if (op->kind == OP_TUPLE || op->kind == OP_SET) {
        return build(ctx, p, op, slots);
    }
    if (UNLIKELY(n > MOST_ARGS)) {
        for (uint32_t k = 0; k < n; k++) { /* a failed argument comes before the wrong number of them */
            if (val_failed(slots[from[k]])) {
                return slots[from[k]];
            }
        }
        n = MOST_ARGS;
    }
    for (uint32_t k = 0; k < n; k++) {
        args[k] = slots[from[k]];
    }
    if (LIKELY(op->kind == OP_PRIM)) {
        return prim_call(ctx, op->prim, args, n);
    }
    Val v = val_failed(args[0]) ? args[0] : call_value(ctx, args[0], args + 1, n - 1);
    /* In a line of a program a variable that holds no primitive has no default of its own: the dialect gives
     * (). An expression by itself has no lines, and what its closures do stays as it is. */
    if (val_failed(v) && ctx->safe && ctx->exhausted == FAIL_NONE && p->nparams != 0) {
        return VAL_EMPTY_TUPLE;
    }
    return v;
}

static inline Val run_op(Ctx *ctx, const Program *p, const Op *op, const Val *slots) {
    const uint32_t *from = p->args + op->first;
    Val args[4];
    uint32_t n = op->nargs;
    if (UNLIKELY(op->kind != OP_PRIM || n > 4)) {
        return other_op(ctx, p, op, slots);
    }
    for (uint32_t k = 0; k < n; k++) {
        args[k] = slots[from[k]];
        if (UNLIKELY(val_failed(args[k]))) {
            return args[k];
        }
    }
    return prim_invoke(ctx, op->prim, args, n);
}

Val eval_op(Ctx *ctx, const Program *p, const Op *op, const Val *slots) {
    return run_op(ctx, p, op, slots);
}

Val eval_slots(Ctx *ctx, const Program *p, const Val *params, Val *slots) {
    ASSERT(p->result < prog_slots(p), "%s: result %u of %u slots", p->name, p->result, prog_slots(p));
    if (p->nparams != 0) {
        memcpy(slots, params, p->nparams * sizeof *slots);
    }
    memcpy(slots + p->nparams, p->consts, p->nconsts * sizeof *slots);
    Val *to = slots + p->nparams + p->nconsts;
    for (uint32_t k = 0; k < p->nops; k++) {
        Val v = run_op(ctx, p, &p->ops[k], slots);
        if (UNLIKELY(val_failed(v)) && v.i == 0) {
            v.i = p->ops[k].line;
        }
        to[k] = VAL_CHECKED(v);
    }
    /* Allocation is charged without a look at the budget; the last op may have gone over it. And what was
     * made after a budget had run out is no result. */
    bool spent = !ctx_charge(ctx, 0) || ctx->exhausted != FAIL_NONE;
    return UNLIKELY(spent) && !val_failed(slots[p->result]) ? val_fail((Reason)ctx->exhausted)
                                                            : slots[p->result];
}

Val eval_program(Ctx *ctx, const Program *p, const Val *params) {
    ASSERT(p->result < prog_slots(p), "result %u of %u slots", p->result, prog_slots(p));
    int64_t fuel = ctx->fuel;
    Val *slots = ctx_alloc(ctx, prog_slots(p) * sizeof *slots);
    ctx->fuel = fuel; /* the room for slots is ours, not the program's */
    return slots != NULL ? eval_slots(ctx, p, params, slots) : val_fail_budget(ctx);
}

Val eval_grid(Image image) {
    ASSERT(image.h >= 0 && image.w >= 0 && image.w <= LIMIT_WIDTH, "%d x %d", image.h, image.w);
    return val_grid8(image.cells, (uint32_t)image.h, (uint32_t)image.w);
}
