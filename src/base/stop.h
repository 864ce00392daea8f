/* Asking work to stop: a flag that is set once, by another thread or a signal handler, and checked now and
 * then. */
#ifndef BATT_BASE_STOP_H
#define BATT_BASE_STOP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef atomic_int Stop;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may not set a Stop");

/* Relaxed because no other data depends on it. NULL: nobody will ask. */
static inline bool stop_is_requested(const Stop *stop) {
    return stop != NULL && atomic_load_explicit(stop, memory_order_relaxed) != 0;
}

static inline void stop_request(Stop *stop) {
    atomic_store_explicit(stop, 1, memory_order_relaxed);
}

#endif
