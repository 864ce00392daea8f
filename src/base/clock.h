/* Reading clocks, in nanoseconds. */
#ifndef BATT_BASE_CLOCK_H
#define BATT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
/* Never goes backwards: for durations. */
static inline uint64_t clock_now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}
/* CPU time of this thread, unaffected by other load on the machine. */
static inline uint64_t clock_work_ns(void) {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
