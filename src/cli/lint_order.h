/* The inputs on which `batt lint --order` tries programs. */
#ifndef BATT_CLI_LINT_ORDER_H
#define BATT_CLI_LINT_ORDER_H

#include "exec/set_order.h"
#include "task/task.h"

typedef struct OrderInputs OrderInputs;

/* Inputs of these tasks, or grids of our own making if set is NULL. NULL: out of memory. */
OrderInputs *inputs_open(const TaskSet *set);
void inputs_free(OrderInputs *inputs);
Ctx *inputs_ctx(OrderInputs *inputs); /* that programs are run in */

typedef struct OrderVerdict {
    uint32_t tried, differing;
    uint32_t op; /* first line that differs, on the first differing input; nops: only the result */
} OrderVerdict;

/* A program named after a task is tried on that task, any other on a choice of all inputs. */
OrderVerdict inputs_try(OrderInputs *inputs, const Program *program, bool safe);

#endif
