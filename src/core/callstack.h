/* The stack of the thread that runs: how far down it goes, so that nested calls end with an error before it
 * does. */
#ifndef BATT_CORE_CALLSTACK_H
#define BATT_CORE_CALLSTACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CALLSTACK_BYTES =
        16 << 20, /* of threads made by batt: the deepest nesting allowed fits several times over */
    CALLSTACK_LEAST = 8 << 20, /* the command line moves to a thread of its own where it has less */
    /* Kept free below nested calls: for one primitive's own variables, and for walking the most deeply nested
     * value (some seven thousand levels). */
    CALLSTACK_RESERVE = 2 << 20,
};

typedef struct CallStack {
    uintptr_t low; /* calls may be nested while they are above this ... */
    size_t room;   /* ... by less than this; 0: not looked at yet */
} CallStack;

/* Where the current thread's stack is; false: unknown. */
bool callstack_bounds(uintptr_t *low, size_t *bytes);

/* The slow part of callstack_fits: looks at the bounds afresh, since another thread may be at work than the
 * last time. On a stack that is unknown to the system (a coroutine's) there is no limit. */
bool callstack_fits_now(CallStack *stack, uintptr_t at);

/* Whether the caller may call deeper. */
static inline bool callstack_fits(CallStack *stack) {
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    return __builtin_expect(at - stack->low < stack->room, 1) || callstack_fits_now(stack, at);
}

/* Starts a thread with a stack of CALLSTACK_BYTES, whatever the limit of the process is. False: it cannot be
 * had.
 */
bool callstack_thread(pthread_t *thread, void *(*work)(void *arg), void *arg);

/* Calls work(arg) on a stack of CALLSTACK_BYTES: on a thread of its own, which is waited for, if this one's
 * is less than CALLSTACK_LEAST. False: such a thread cannot be had, and nothing was called. */
bool callstack_run(void (*work)(void *arg), void *arg);

#endif
