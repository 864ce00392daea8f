/* The samples of a task without one of them; see other_pairs.h. */
#include "search/evolution/other_pairs.h"

#include "base/check.h"
#include "engine/eval/eval.h"

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
    ASSERT(n + (without >= 0 && without < task->n_train) == (uint32_t)task->n_train,
           "%u pairs of %d without %d", n, task->n_train, without);
    return val_tuple(ctx, pairs, n);
}
