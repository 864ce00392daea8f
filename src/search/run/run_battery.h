/* Getting programs ready to run: what `batt run` and `batt profile` do between loading and executing. */
#ifndef BATT_SEARCH_RUN_RUN_BATTERY_H
#define BATT_SEARCH_RUN_RUN_BATTERY_H

#include "search/run/match_programs.h"

/* Replaces the programs by copies without the ops that their results do not need. False: no memory. */
bool run_battery_strip(ProgList *programs);

/* Prepares a run of every program on every task: as one battery if all programs have the same form
 * (share false: nothing is merged), otherwise by a matching that gives every task all programs. The matching
 * gets their places.
 * False: no memory. */
bool run_battery_build(const ProgList *programs, size_t n_tasks, Ctx *ctx, bool safe, bool share,
                       Battery **battery, Matching *matching);

#endif
