/* Worker threads: the same function over items 0..n-1, each worker with a context of its own.
 *
 * Items are handed out by atomic counters, one at a time; results belong in arrays indexed by item, so that
 * they do not depend on the number of threads. Workers share nothing else and take no lock. */
#ifndef BATT_EXEC_POOL_H
#define BATT_EXEC_POOL_H

#include "core/ctx.h"

#include <signal.h>

typedef struct Worker {
    Ctx ctx;
    unsigned index;
    void *shared;     /* what pool_run was given */
    uint64_t busy_ns; /* time between the first and the last item */
} Worker;

/* Someone who wants to know when work begins and ends: the profiler. Called by the worker itself. */
typedef struct PoolObserver {
    void *user;
    void (*start)(void *user, size_t items); /* once a pool_run, before any item */
    void (*begin)(void *user, Worker *worker, size_t item);
    void (*end)(void *user, Worker *worker, size_t item);
} PoolObserver;

typedef struct Pool {
    unsigned count;
    Worker *workers;
    const PoolObserver *observer; /* may be NULL */
    bool
        keeps; /* workers begin with the items they had in the run before, whose data their caches may hold */
} Pool;

typedef void (*PoolFn)(Worker *worker, size_t item);

/* jobs 0: one worker a processor. False: no memory. Contexts start in core mode, strict. */
bool pool_open(Pool *pool, unsigned jobs, const Budget *budget);
void pool_close(Pool *pool);
/* Runs fn over all items and returns when all are done, or soon after *stop (may be NULL) becomes true.
 * Returns how many items were started. If a thread cannot be made, the others do its work. */
size_t pool_run(Pool *pool, size_t items, PoolFn fn, void *shared, const volatile sig_atomic_t *stop);
unsigned pool_processors(void);

#endif
