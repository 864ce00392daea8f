/* Asking work to stop: a flag that is set once, by another thread or a signal handler, and checked now and
 * then. */
#ifndef BATT_BASE_STOP_H
#define BATT_BASE_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef volatile sig_atomic_t Stop;

/* Atomic because different threads set and read it; relaxed because no other data depends on it. NULL: nobody
 * will ask. */
static inline bool stop_is_requested(const Stop *stop) {
    return stop != NULL && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

/* clang-tidy does not see that the builtin writes. NOLINTNEXTLINE(readability-non-const-parameter) */
static inline void stop_request(Stop *stop) {
    __atomic_store_n(stop, 1, __ATOMIC_RELAXED);
}

#endif
