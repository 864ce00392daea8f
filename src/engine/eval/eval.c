/* The evaluator: a loop over ops. All expensive work is in the primitives. */
#include "engine/eval/eval.h"

#include <string.h>

/* No function takes more arguments: of longer calls only the number of values matters. */
enum { MAX_ARGS = 8 };

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

/* All ops except calls of a primitive with a possible number of arguments. */
static __attribute__((noinline)) Val other_op(Ctx *ctx, const Program *p, const Op *op, const Val *slots) {
    const uint32_t *from = p->args + op->first;
    Val args[MAX_ARGS];
    uint32_t n = op->nargs;
    if (op->kind == OP_TUPLE || op->kind == OP_SET) {
        return build(ctx, p, op, slots);
    }
    if (UNLIKELY(n > MAX_ARGS)) {
        /* A failed argument takes precedence over a wrong number of arguments. */
        for (uint32_t k = 0; k < n; k++) {
            if (val_failed(slots[from[k]])) {
                return slots[from[k]];
            }
        }
        n = MAX_ARGS;
    }
    for (uint32_t k = 0; k < n; k++) {
        args[k] = slots[from[k]];
    }
    if (LIKELY(op->kind == OP_PRIM)) {
        return prim_call(ctx, op->prim, args, n);
    }
    Val v = val_failed(args[0]) ? args[0] : call_value(ctx, args[0], args + 1, n - 1);
    /* In a line of a program, a called variable that holds no primitive has no default of its own, so the
     * dialect gives (). A bare expression has no lines, and failures of its closures stay as they are. */
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
    if (n == 1) { /* needs no copy */
        const Val *one = &slots[from[0]];
        return UNLIKELY(val_failed(*one)) ? *one : prim_invoke(ctx, op->prim, one, 1);
    }
    for (uint32_t k = 0; k < n; k++) {
        Val v = slots[from[k]];
        args[k] = v;
        if (UNLIKELY(val_head_failed(v))) {
            return v;
        }
    }
    return prim_invoke(ctx, op->prim, args, n);
}

Val eval_op(Ctx *ctx, const Program *p, const Op *op, const Val *slots) {
    return run_op(ctx, p, op, slots);
}

Val eval_slots(Ctx *ctx, const Program *p, const Val *params, Val *slots) {
    COUNT(&ctx->statistics, PROGRAMS_RUN, 1);
    ASSERT(p->result < prog_slots(p), "%s: result %u of %u slots", p->name, p->result, prog_slots(p));
    if (p->nparams != 0) {
        memcpy(slots, params, p->nparams * sizeof *slots);
    }
    memcpy(slots + p->nparams, p->consts, p->nconsts * sizeof *slots);
    Val *to = slots + p->nparams + p->nconsts;
    for (uint32_t k = 0; k < p->nops; k++) {
        Val v = run_op(ctx, p, &p->ops[k], slots);
        if (UNLIKELY(val_head_failed(v)) && v.i == 0) {
            v.i = p->ops[k].line;
        }
        to[k] = VAL_CHECKED(v);
    }
    /* Allocation is charged without checking the budget, so the last op may have exceeded it. And what was
     * made after the budget ran out is not a result. */
    bool spent = !ctx_charge(ctx, 0) || ctx->exhausted != FAIL_NONE;
    return UNLIKELY(spent) && !val_failed(slots[p->result]) ? val_fail((Reason)ctx->exhausted)
                                                            : slots[p->result];
}

Val eval_program(Ctx *ctx, const Program *p, const Val *params) {
    ASSERT(p->result < prog_slots(p), "result %u of %u slots", p->result, prog_slots(p));
    int64_t fuel = ctx->fuel;
    Val *slots = ctx_alloc(ctx, prog_slots(p) * sizeof *slots);
    ctx->fuel = fuel; /* the memory for slots is ours, not charged to the program */
    return slots != NULL ? eval_slots(ctx, p, params, slots) : val_fail_budget(ctx);
}

Val eval_grid(Image image) {
    ASSERT(image.h >= 0 && image.w >= 0 && image.w <= LIMIT_WIDTH, "%d x %d", image.h, image.w);
    return val_grid8(image.cells, (uint32_t)image.h, (uint32_t)image.w);
}
