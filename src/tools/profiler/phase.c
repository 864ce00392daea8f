/* Phases of a command; see phase.h. */
#include "tools/profiler/phase.h"

#include "base/check.h"
#include "base/clock.h"

#include <string.h>

const char *phase_name(Phase phase) {
    static const char *const names[PHASE_COUNT] = {"load",     "parse", "generate", "execute",
                                                   "validate", "store", "report"};
    return names[phase];
}

void phase_start(Phases *phases, Phase first) {
    memset(phases, 0, sizeof *phases);
    phases->start_ns = phases->since_ns = clock_now_ns();
    phases->start_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    phases->now = first;
}

void phase_enter(Phases *phases, Phase next) {
    ASSERT(phases->now < PHASE_COUNT && next < PHASE_COUNT && phases->start_ns != 0, "from phase %u to %u",
           phases->now, next);
    uint64_t now = clock_now_ns();
    phases->ns[phases->now] += now - phases->since_ns;
    phases->since_ns = now;
    phases->now = next;
}

uint64_t phase_total_ns(Phases *phases) {
    phase_enter(phases, phases->now);
    return phases->since_ns - phases->start_ns;
}

uint64_t phase_cpu_ns(const Phases *phases) {
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID) - phases->start_cpu_ns;
}

void phase_json(Json *json, Phases *phases) {
    uint64_t wall = phase_total_ns(phases), sum = 0;
    json_key(json, "phases");
    json_begin_object(json);
    for (int k = 0; k < PHASE_COUNT; k++) {
        sum += phases->ns[k];
        if (phases->ns[k] != 0) {
            json_kv_fixed(json, phase_name((Phase)k), (double)phases->ns[k] * 1e-9, 9);
        }
    }
    json_end_object(json);
    ASSERT(sum <= wall, "phases take %llu ns of %llu", (unsigned long long)sum, (unsigned long long)wall);
    json_kv_fixed(json, "wall_s", (double)wall * 1e-9, 9);
    json_kv_fixed(json, "cpu_s", (double)phase_cpu_ns(phases) * 1e-9, 9);
    json_kv_fixed(json, "unaccounted_s", (double)(wall - sum) * 1e-9, 9);
}
