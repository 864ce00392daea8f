/* Getting programs ready to run: what `batt run` and `batt profile` do between loading and executing. */
#ifndef BATT_CLI_PLAN_H
#define BATT_CLI_PLAN_H

#include "cli/data.h"
#include "exec/battery.h"

/* Copies without what their results do not need, in place of the programs. False: no memory. */
bool plan_strip(Solvers *solvers);

/* Every program on every task: one battery if the programs have one form (share false: nothing is merged),
 * else matching says that every task has all programs. False: no memory. */
bool plan_all(const Solvers *solvers, const Data *data, Ctx *ctx, bool safe, bool share, Battery **battery,
              Matching *matching);

#endif
