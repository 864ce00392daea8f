/* The samples without one; see other_pairs.h. */
#include "evolve/other_pairs.h"

#include "exec/eval.h"

Val other_pairs_value(Ctx *ctx, const Task *task, int32_t without) {
    Val *pairs = val_buffer(ctx, (uint32_t)task->n_train);
    uint32_t n = 0;
    if (pairs == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t k = 0; k < task->n_train; k++) {
        if (k != without) {
            pairs[n] = val_tuple2(ctx, eval_grid(task->train[k].in), eval_grid(task->train[k].out));
            if (val_failed(pairs[n++])) {
                return pairs[n - 1];
            }
        }
    }
    return val_tuple(ctx, pairs, n);
}
