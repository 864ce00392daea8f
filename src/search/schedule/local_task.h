/* Local tasks: inputs and outputs are cut in the same way, and every piece becomes a pair of a smaller task.
 * More pairs leave less to chance, and what happens to a piece is simpler than what happens to the grid. A
 * program found for the pieces becomes a function that is applied to each of them, and the results are put
 * back, or laid side by side where outputs have other sizes. */
#ifndef BATT_SEARCH_SCHEDULE_LOCAL_TASK_H
#define BATT_SEARCH_SCHEDULE_LOCAL_TASK_H

#include "engine/features/local.h"
#include "search/schedule/search.h"

/* The task of the pieces; values live in ctx. False: not all inputs can be cut like this, something outside
 * the pieces changes, an output of another size has no equal shares for them, no piece changes, two equal
 * pieces become different, or there are no more pairs than before. */
bool local_task_of(Ctx *ctx, const SearchTask *task, LocalHow how, SearchTask *to);
/* Turns a program for the pieces into one for the grids; takes it over. NULL: no memory, or it cannot be
 * expressed. */
Program *local_task_wrap(Builder *builder, const SearchTask *task, Program *program, LocalHow how);

#endif
