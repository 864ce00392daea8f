/* Turns the records of flat and deep passes (record_passes.h) into rows and stacks of a profile.
 *
 * The cost of a timestamp is measured where it is taken, not in a separate loop:
 *  - the part that falls inside the time of a call, from empty pairs of timestamps made right after calls of
 * the same primitive;
 *  - all of it, from the same calls of the same program in the flat and in the deep pass: they differ by the
 *    timestamps inside them, and the number of those is known.
 * Costs vary from place to place, so they form an interval; the uncertainty is carried into every row
 * (uncertain_ns).
 *
 * The parts of each task add up: the program's calls and dispatch to its time without timestamps, and a
 * call's self time and its callees to what the call took in flat passes. Where the machine was faster or
 * slower in the flat pass than without timestamps, by more than timestamps can explain, times of calls are
 * scaled to the speed without: else the difference would be taken for dispatch. */
#ifndef BATT_TOOLS_PROFILER_ASSEMBLE_PASSES_H
#define BATT_TOOLS_PROFILER_ASSEMBLE_PASSES_H

#include "tools/profiler/profile.h"

typedef struct PassCount { /* calls of a primitive in a task, by the engine's counters */
    uint32_t prim;
    uint64_t calls, fails;
} PassCount;

typedef struct PassSums {
    uint32_t repeats; /* that count; sums_finish divides by them */
    uint32_t stride;  /* that there is room for */
    double
        *records;  /* per stack: NOTE_*, then self times in deep passes and totals in flat ones, by repeat */
    uint32_t room; /* stacks */
    double *flat_ns; /* by task and repeat: evaluations in flat passes, timestamps included */
} PassSums;

bool sums_open(PassSums *sums, const Profile *profile); /* false: no memory, as for all of these */
/* Takes over the records of one pass; prof_clear may be called then. */
bool sums_add(PassSums *sums, Profile *profile, const Profiler *profiler, uint32_t repeat, bool deep);
/* Called after the last pass, when execute_ns of tasks and the counts of rows are known. */
bool sums_finish(PassSums *sums, Profile *profile, const Profiler *profiler);
void sums_close(PassSums *sums);

#endif
