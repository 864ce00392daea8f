/* Phases of a command: at every moment exactly one is running, so their times sum to the wall time. */
#ifndef BATT_TOOLS_PROFILER_PHASE_H
#define BATT_TOOLS_PROFILER_PHASE_H

#include "base/json.h"

#include <stdint.h>

typedef enum Phase {
    PHASE_LOAD,     /* reading tasks */
    PHASE_PARSE,    /* reading programs */
    PHASE_GENERATE, /* matching, merging, mutating: making what is run */
    PHASE_EXECUTE,  /* running programs */
    PHASE_VALIDATE, /* judging and scoring answers */
    PHASE_STORE,    /* reading and writing the store */
    PHASE_REPORT,   /* writing results */
    PHASE_COUNT
} Phase;

typedef struct Phases {
    uint64_t ns[PHASE_COUNT];
    uint64_t start_ns, since_ns, start_cpu_ns;
    Phase now;
} Phases;

const char *phase_name(Phase phase);
void phase_start(Phases *phases, Phase first);
void phase_enter(Phases *phases, Phase next);
/* Ends the running phase (and goes on with it); returns the wall time since phase_start. */
uint64_t phase_total_ns(Phases *phases);
/* Processor time of all threads since phase_start. */
uint64_t phase_cpu_ns(const Phases *phases);
/* "phases": {"load": 0.0123, ..}, "wall_s", "cpu_s", "unaccounted_s"; only phases that were entered. */
void phase_json(Json *json, Phases *phases);

#endif
