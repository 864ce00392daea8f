/* The inputs on which `batt lint --order` tries programs. */
#ifndef BATT_TOOLS_CLI_LINT_ORDER_H
#define BATT_TOOLS_CLI_LINT_ORDER_H

#include "data/tasks/task.h"
#include "engine/eval/set_order.h"

typedef struct OrderInputs OrderInputs;

/* Inputs of these tasks, or generated grids if set is NULL. NULL: out of memory. */
OrderInputs *inputs_open(const TaskSet *set);
void inputs_free(OrderInputs *inputs);
Ctx *inputs_ctx(OrderInputs *inputs); /* the context that programs run in */

typedef struct OrderVerdict {
    uint32_t tried, differing;
    /* first line that differs, on the first input with a difference; nops: only the result does */
    uint32_t op;
} OrderVerdict;

/* A program named after a task is tried on that task, any other on a selection of all inputs. */
OrderVerdict inputs_try(OrderInputs *inputs, const Program *program, bool safe);

#endif
