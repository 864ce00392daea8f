/* Getting programs ready to run: what `batt run` and `batt profile` do between loading and executing. */
#ifndef BATT_TASK_PLAN_H
#define BATT_TASK_PLAN_H

#include "task/match.h"

/* Copies without what their results do not need, in place of the programs. False: no memory. */
bool plan_strip(ProgList *programs);

/* Every program on every task: one battery if the programs have one form (share false: nothing is merged),
 * else matching says that every task has all programs. False: no memory. */
bool plan_all(const ProgList *programs, size_t n_tasks, Ctx *ctx, bool safe, bool share, Battery **battery,
              Matching *matching);

#endif
