/* Inside a run: what run.c, which goes from task to task, and run_schedule.c, which tries the programs of one
 * task, share. */
#ifndef BATT_SEARCH_RUN_RUN_INTERNAL_H
#define BATT_SEARCH_RUN_RUN_INTERNAL_H

#include "backends/devices/batch.h"
#include "search/run/run.h"

typedef struct TasksJob {
    const RunSpec *spec;
    RunTask *results;
    Batch *batch; /* of the battery; NULL: no batched operations */
} TasksJob;

/* Tries the programs of a task: `match`, or NULL for all of the battery, and fills everything of the result
 * except task and n_samples. `ready`: results of the batched operations; NULL: none. On lack of memory, or if
 * it was stopped, r->no_memory or r->cut is set and the rest means nothing. */
void run_schedule(Worker *worker, const RunSpec *spec, const RunMatch *match, BatchRun *ready, RunTask *r);

/* The judgement of an answer; *got is the grid, if it is one. */
SampleVerdict run_judge_image(Val v, const TaskPair *pair, Image *got);

#endif
