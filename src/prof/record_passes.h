/* Running programs on tasks for the sake of their profile: warm-up, then passes without and with readings.
 *
 * Each repeat is two passes over all tasks: one that only takes the time of evaluations and judging, and one
 * that notes every call. What a task took comes from the first, what it spent it on from the second; so the
 * readings are in no figure. Passes go over all tasks in turn, as a real run does, and not over one task
 * again and again while it sits in the cache. */
#ifndef BATT_PROF_RECORD_PASSES_H
#define BATT_PROF_RECORD_PASSES_H

#include "prof/profile.h"
#include "task/run.h"

typedef struct PassPlan {
    RunPlan run; /* tasks, programs, matches or battery, safe */
    uint32_t repeats, warmup;
    ProfLevel level;
    uint64_t events; /* room for each worker's events */
} PassPlan;

/* Fills tasks, rows, stacks and work of a profile that was begun. The profiler must be attached with
 * plan->level and is left with the events of the last pass. False: no memory; or interrupted, if *stop is
 * set. */
bool passes_run(Profile *profile, Profiler *profiler, const PassPlan *plan,
                const volatile sig_atomic_t *stop);
uint64_t passes_nodes(const PassPlan *plan); /* room for the profiler's trees */

#endif
