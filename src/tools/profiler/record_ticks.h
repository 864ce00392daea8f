/* The time-stamp counter: the cheapest clock there is. What a tick is worth is measured
 * (tools/profiler/record.h), never assumed; where the processor has no such counter, ticks are the
 * nanoseconds of the monotonic clock.
 */
#ifndef BATT_TOOLS_PROFILER_RECORD_TICKS_H
#define BATT_TOOLS_PROFILER_RECORD_TICKS_H

#include "base/clock.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
static inline uint64_t prof_ticks(void) {
    return __rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t prof_ticks(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}
#else
static inline uint64_t prof_ticks(void) {
    return clock_now_ns();
}
#endif

/* The same, ordered after everything before it and before everything after it: an out-of-order processor
 * would otherwise begin a short call before it has read the clock. It costs more than a plain timestamp, but
 * the same everywhere. */
static inline uint64_t prof_ticks_in_order(void) {
#if defined(__x86_64__) || defined(__i386__)
    _mm_lfence();
    uint64_t ticks = __rdtsc();
    _mm_lfence();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
    uint64_t ticks = prof_ticks();
    __asm__ volatile("isb" ::: "memory");
#else
    uint64_t ticks = prof_ticks();
#endif
    return ticks;
}

/* The same moment on both clocks. Another process may run between two timestamps, so the closest of several
 * pairs counts. */
static inline void prof_moment(uint64_t *ns, uint64_t *ticks) {
    uint64_t closest = UINT64_MAX;
    for (int k = 0; k < 8; k++) {
        uint64_t before = prof_ticks(), now = clock_now_ns(), gap = prof_ticks() - before;
        if (gap < closest) {
            closest = gap;
            *ns = now;
            *ticks = before + gap / 2;
        }
    }
}

#endif
