/* The bounds of the current thread's stack, so that nested calls fail with an error before it
 * overflows. */
#ifndef BATT_BASE_CALLSTACK_H
#define BATT_BASE_CALLSTACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* for threads started by batt: several times what the deepest allowed nesting needs */
    CALLSTACK_BYTES = 16 << 20,
    CALLSTACK_MIN = 8 << 20, /* with less than this, the command line moves to a thread of its own */
    /* Kept free below nested calls: for one primitive's own variables, and for walking the most deeply nested
     * value (some seven thousand levels). */
    CALLSTACK_RESERVE = 2 << 20,
};

typedef struct CallStack {
    uintptr_t low; /* calls may nest while the stack pointer is above this ... */
    size_t room;   /* ... by less than this; 0: not determined yet */
} CallStack;

/* Where the current thread's stack is; false: unknown. */
bool callstack_bounds(uintptr_t *low, size_t *bytes);

/* The slow path of callstack_fits: reads the bounds again, since a different thread may be running than last
 * time. There is no limit on a stack that the system does not know (a coroutine's). */
bool callstack_fits_now(CallStack *stack, uintptr_t at);

/* Whether the caller may call deeper. */
static inline bool callstack_fits(CallStack *stack) {
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    return __builtin_expect(at - stack->low < stack->room, 1) || callstack_fits_now(stack, at);
}

/* Starts a thread with a stack of CALLSTACK_BYTES, whatever the process limit is. False: it could not be
 * started. */
bool callstack_thread(pthread_t *thread, void *(*work)(void *arg), void *arg);

/* Calls work(arg), on a new thread with a stack of CALLSTACK_BYTES if the limit for the main stack is below
 * CALLSTACK_MIN, and waits for it. False: the thread could not be started, and nothing was called. */
bool callstack_run(void (*work)(void *arg), void *arg);

#endif
