/* Running a battery: one pass over its nodes; see battery.h. */
#include "exec/battery_inside.h"

#include "exec/eval.h"

#include <string.h>

/* By the evaluator itself, so that steps and answers cannot differ from a program's own. */
Val battery_call(const Battery *b, Ctx *ctx, const Node *n, const Val *values) {
    const Program view = {.args = b->args, .nparams = (uint8_t)b->nparams};
    const Op op = {.kind = n->kind, .nargs = n->nargs, .prim = n->prim, .first = n->first};
    return eval_op(ctx, &view, &op, values);
}

static void run_node(const Battery *b, Ctx *ctx, uint32_t k, BatteryRun *run) {
    CtxMark mark = ctx_mark(ctx);
    ctx_rebudget(ctx);
    Val v = battery_call(b, ctx, &b->nodes[k], run->values);
    v = ctx_charge(ctx, 0) ? v : val_fail((Reason)ctx->exhausted);
    if (val_failed(v)) { /* what it left behind must not take the room of the others */
        ctx_release(ctx, mark);
    }
    run->values[k] = v;
    run->steps[k] = ctx_steps_used(ctx);
}

void battery_run(const Battery *b, Ctx *ctx, const Val *params, BatteryRun *run) {
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
    battery_rerun(b, ctx, params, run, ~0u);
}

void battery_rerun(const Battery *b, Ctx *ctx, const Val *params, BatteryRun *run, unsigned changed) {
    Mode mode = (Mode)ctx->mode;
    bool safe = ctx->safe;
    prim_bind(ctx, b->mode, b->safe);
    memcpy(run->values, params, b->nparams * sizeof *params);
    bool all = changed == ~0u;
    for (uint32_t k = b->nparams; k < b->count; k++) {
        const Node *n = &b->nodes[k];
        if (n->refs != 0 && !n->constant && (all || (n->depends & changed) != 0)) {
            run_node(b, ctx, k, run);
        }
    }
    prim_bind(ctx, mode, safe);
}

Val battery_answer(const Battery *b, const Ctx *ctx, const BatteryRun *run, int handle, uint64_t *steps) {
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
