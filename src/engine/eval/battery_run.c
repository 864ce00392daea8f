/* Running a battery: one pass over its nodes; see battery.h. */
#include "engine/eval/battery_internal.h"
#include "engine/eval/eval.h"

#include <string.h>

/* Uses the evaluator itself, so that steps and answers cannot differ from those of a program run alone. */
Val battery_call(const Battery *b, Ctx *ctx, const DagNode *n, const Val *values) {
    const Program view = {.args = b->args, .nparams = (uint8_t)b->nparams};
    const Op op = {.kind = n->kind, .nargs = n->nargs, .prim = n->prim, .first = n->first};
    return eval_op(ctx, &view, &op, values);
}

/* A call of a primitive goes straight to the dispatch that the evaluator uses too. */
static inline Val run_call(const Battery *b, Ctx *ctx, const DagNode *n, const Val *values) {
    Val args[4];
    if (UNLIKELY(n->kind != OP_PRIM || n->nargs > 4)) {
        return battery_call(b, ctx, n, values);
    }
    const uint32_t *from = b->args + n->first;
    for (uint32_t k = 0; k < n->nargs; k++) {
        args[k] = values[from[k]];
        if (UNLIKELY(val_failed(args[k]))) {
            return args[k];
        }
    }
    return prim_invoke(ctx, n->prim, args, n->nargs);
}

/* Every node has the whole budget. Most do not use up its first slice: then restoring the fuel is enough for
 * a fresh budget, and *fresh stays true. */
static inline uint64_t run_node(const Battery *b, Ctx *ctx, uint32_t k, BatteryRun *run, bool *fresh) {
    ASSERT(k >= b->nparams && k < b->count && !b->nodes[k].constant, "node %u of %u", k, b->count);
    CtxMark mark = ctx_mark(ctx);
    if (UNLIKELY(!*fresh)) {
        ctx_rebudget(ctx);
    }
    uint64_t steps_left = ctx->steps_left;
    ctx->fuel = ctx->slice;
    Val v;
    if (LIKELY(run->ready == NULL) || !run->ready->take(run->ready->user, ctx, k, &v)) {
        v = run_call(b, ctx, &b->nodes[k], run->values);
    } else {
        ctx->calls[b->nodes[k].prim]++;
    }
    v = LIKELY(ctx_charge(ctx, 0)) ? v : val_fail((Reason)ctx->exhausted);
    if (UNLIKELY(val_failed(v))) { /* its leftovers must not take memory from the others */
        ctx_release(ctx, mark);
    }
    run->values[k] = VAL_CHECKED(v);
    *fresh = ctx->steps_left == steps_left && ctx->exhausted == FAIL_NONE && ctx->deadline_ns == 0 &&
             ctx->fail_at == 0;
    return run->steps[k] = LIKELY(*fresh) ? (uint64_t)(ctx->slice - ctx->fuel) : ctx_steps_used(ctx);
}

static void set_fixed(const Battery *b, const Val *params, BatteryRun *run) {
    for (uint32_t k = 0; k < b->nparams; k++) {
        run->values[k] = params[k];
        run->steps[k] = 0;
    }
    for (uint32_t k = b->nparams; k < b->count; k++) {
        if (b->nodes[k].constant) {
            run->values[k] = b->values[k];
            run->steps[k] = b->costs[k];
        }
    }
}

uint64_t battery_run(const Battery *b, Ctx *ctx, const Val *params, BatteryRun *run) {
    set_fixed(b, params, run);
    return battery_rerun(b, ctx, params, run, ~0u);
}

void battery_begin(const Battery *b, Ctx *ctx, const Val *params, BatteryRun *run) {
    COUNT(&ctx->statistics, BATTERIES_RUN, 1);
    prim_bind(ctx, b->mode, b->safe);
    set_fixed(b, params, run);
}

void battery_run_nodes(const Battery *b, Ctx *ctx, const uint32_t *nodes, uint32_t n, BatteryRun *run) {
    bool fresh = false;
    for (uint32_t k = 0; k < n; k++) {
        run_node(b, ctx, nodes[k], run, &fresh);
    }
}

uint64_t battery_rerun(const Battery *b, Ctx *ctx, const Val *params, BatteryRun *run, unsigned changed) {
    ASSERT(run->values != NULL && run->steps != NULL, "a run without room");
    for (uint32_t k = 0; CHECKED && k < b->nparams; k++) {
        ASSERT(!val_failed(params[k]), "parameter %u has failed", k);
    }
    Mode mode = (Mode)ctx->mode;
    bool safe = ctx->safe;
    COUNT(&ctx->statistics, BATTERIES_RUN, 1);
    prim_bind(ctx, b->mode, b->safe);
    memcpy(run->values, params, b->nparams * sizeof *params);
    bool all = changed == ~0u;
    uint64_t spent = 0;
    bool fresh = false;
    for (uint32_t k = b->nparams; k < b->count; k++) {
        const DagNode *n = &b->nodes[k];
        if (n->refs != 0 && !n->constant && (all || (n->depends & changed) != 0)) {
            spent += run_node(b, ctx, k, run, &fresh);
        }
    }
    prim_bind(ctx, mode, safe);
    return spent;
}

Val battery_answer(const Battery *b, const Ctx *ctx, const BatteryRun *run, int handle, uint64_t *steps) {
    ASSERT(handle >= 0 && (uint32_t)handle < b->member_count && b->members[handle].used, "program %d of %u",
           handle, b->member_count);
    const Member *m = &b->members[handle];
    const Use *uses = b->uses + m->first;
    uint64_t total = 0;
    for (uint32_t k = 0; k < m->count; k++) {
        total += run->steps[uses[k].node] * uses[k].times;
    }
    if (steps != NULL) {
        *steps = total;
    }
    Val v = run->values[m->result];
    return total > ctx->budget.steps && !val_failed(v) ? val_fail(FAIL_STEPS) : v;
}
