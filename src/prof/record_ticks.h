/* The time-stamp counter: the cheapest clock there is. What a tick is worth is measured (prof/record.h),
 * never assumed; where the processor has no such counter, ticks are the nanoseconds of the monotonic clock.
 */
#ifndef BATT_PROF_RECORD_TICKS_H
#define BATT_PROF_RECORD_TICKS_H

#include "core/clock.h"

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

/* One moment on both clocks. A process that comes between two readings sets them apart, so of several
 * readings the closest count. */
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
