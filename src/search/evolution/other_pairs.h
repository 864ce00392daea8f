/* S as a candidate sees it on a training pair: the other pairs. With the pair itself among the samples, a
 * program that looks up its output would score best. On a test input, S is all training pairs. */
#ifndef BATT_SEARCH_EVOLUTION_OTHER_PAIRS_H
#define BATT_SEARCH_EVOLUTION_OTHER_PAIRS_H

#include "data/tasks/task.h"
#include "engine/value/value.h"

/* ((input, output), ..) of the training pairs except `without` (-1: all of them), in the context's arena. */
Val other_pairs_value(Ctx *ctx, const Task *task, int32_t without);

#endif
