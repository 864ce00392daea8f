/* Inside a run: what run.c, which goes from task to task, run_levels.c, which prepares many of them on
 * devices, and run_schedule.c, which tries the programs of one task, share. */
#ifndef BATT_SEARCH_RUN_RUN_INTERNAL_H
#define BATT_SEARCH_RUN_RUN_INTERNAL_H

#include "backends/devices/levels.h"
#include "search/run/run.h"

typedef struct RunLevels { /* first answers to the samples of a chunk of tasks */
    Levels *levels;
    const uint32_t *first; /* by task: its first sample */
    uint32_t offset;       /* the first sample of the chunk */
    uint64_t sample_ns;    /* what a sample took */
} RunLevels;

typedef struct TasksJob {
    const RunSpec *spec;
    RunTask *results;
    size_t first;            /* task of the pool's first item */
    const RunLevels *levels; /* NULL: none */
    bool device_failed;      /* a device was to do what is left */
} TasksJob;

/* Whether the battery can be evaluated by levels: there is a device, and nobody wants to watch single calls.
 */
bool run_can_use_levels(const RunSpec *spec);
/* Runs all tasks, those of a chunk with run_task. Returns how many were begun. */
size_t run_by_levels(Pool *pool, TasksJob *job, PoolFn run_task, const Stop *stop);

/* Tries the programs of a task: `match`, or NULL for all of the battery, and fills everything of the result
 * except task and n_samples. `levels`: the battery's answers; NULL: none. On lack of memory, or if it was
 * stopped, r->no_memory or r->cut is set and the rest means nothing. */
void run_schedule(Worker *worker, const RunSpec *spec, const RunMatch *match, const RunLevels *levels,
                  RunTask *r);

/* The judgement of an answer; *got is the grid, if it is one. */
SampleVerdict run_judge_image(Val v, const TaskPair *pair, Image *got);

#endif
