/* The time-stamp counter: the cheapest clock there is. What a tick is worth is measured (prof/collect.h),
 * never assumed; where the processor has no such counter, ticks are the nanoseconds of the monotonic clock.
 */
#ifndef BATT_PROF_TICKS_H
#define BATT_PROF_TICKS_H

#include <stdint.h>

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
#include "prof/phase.h"
static inline uint64_t prof_ticks(void) {
    return phase_clock_ns();
}
#endif

#endif
