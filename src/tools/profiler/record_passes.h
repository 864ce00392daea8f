/* Running programs on tasks for the sake of their profile: warm-up, then passes without and with timestamps.
 *
 * Programs are run by search/run/run.h, whose hooks say when an evaluation begins and ends. Each repeat is
 * three passes over all tasks: one that only times whole evaluations; a flat one that records the calls made
 * by programs themselves; and a deep one that records what those call, too. The time of an evaluation comes
 * from the first, its division among the program's calls from the second, and the division of those among
 * their callees from the third; so no figure includes the timestamps. Passes go over all tasks in turn, as a
 * real run does, and not over one task again and again while it sits in the cache.
 *
 * A run that takes long is done in chunks of tasks, each with all its passes, so that what is there can be
 * shown when it is interrupted. To keep it below three times the run's own time, no pass is then made only to
 * warm up: the one that counts calls is the flat one of the first repeat. The times of its evaluations, less
 * what timestamps cost, are those without timestamps; one task in eight is timed without to scale them. An
 * evaluation is repeated once at most.
 *
 * Evaluations are deterministic, so one that was interrupted (it took much longer than at its best) is
 * repeated. For a long one, the time off the processor is known from the thread's own clock and subtracted.
 * Calls are counted by the engine's counters in the first warm-up pass, in which nothing is repeated. */
#ifndef BATT_TOOLS_PROFILER_RECORD_PASSES_H
#define BATT_TOOLS_PROFILER_RECORD_PASSES_H

#include "search/run/run.h"
#include "tools/profiler/profile.h"

typedef struct PassSpec {
    RunSpec run; /* tasks, programs, matches or battery, safe */
    uint32_t repeats, warmup;
    void (*progress)(void *user, uint64_t more); /* of passes_total; may be NULL */
    void *user;
} PassSpec;
uint64_t passes_total(const PassSpec *spec);

/* Fills tasks, rows, stacks and work of a profile that was begun. The profiler must be attached with timing.
 * After *stop, it holds what is complete by then: fewer tasks, or fewer repeats of all. False: no memory; or
 * nothing is. */
bool passes_run(Profile *profile, Profiler *profiler, const PassSpec *spec, const Stop *stop);
/* One more pass, whose events stay in the profiler: it must be attached with trace. */
bool passes_trace(Profiler *profiler, const PassSpec *spec, const Stop *stop);
uint64_t passes_nodes(const PassSpec *spec); /* room for the profiler's trees */

#endif
