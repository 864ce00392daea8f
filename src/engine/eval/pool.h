/* Worker threads: they run one function over items 0..n-1, each worker with a context of its own.
 *
 * Items are handed out by atomic counters, one at a time; results belong in arrays indexed by item, so that
 * they do not depend on the number of threads. Workers share nothing else and take no lock. */
#ifndef BATT_ENGINE_EVAL_POOL_H
#define BATT_ENGINE_EVAL_POOL_H

#include "base/stop.h"
#include "engine/eval/slots.h"
#include "engine/value/ctx.h"

typedef struct Worker {
    Ctx ctx;
    unsigned index;
    void *shared;     /* what pool_run was given */
    uint64_t busy_ns; /* time from the first to the last item */
} Worker;

/* Callbacks for when work begins and ends, used by the profiler. Called by the worker itself. */
typedef struct PoolObserver {
    void *user;
    void (*start)(void *user, size_t items); /* once per pool_run, before any item */
    void (*begin)(void *user, Worker *worker, size_t item);
    void (*end)(void *user, Worker *worker, size_t item);
} PoolObserver;

/* Where items come from instead of a counter, if other machines work on them too (backends/ranks/ranks.h). */
typedef struct PoolSource {
    void *user;
    /* Waits for an item; false: there are no more. */
    bool (*take)(void *user, Worker *worker, size_t *item);
    /* Becomes true when the worker's current item is no longer wanted. */
    const Stop *(*stop)(void *user, const Worker *worker);
} PoolSource;

/* More workers than processors. The last `count` workers of a pool begin in mid-run, when it turns out that
 * they are of use: workers ask after each item. */
typedef struct PoolSpares {
    unsigned count;
    bool (*wanted)(void *user);
    void *user;
    Slots *slots; /* a worker has one while it works on an item; NULL: all work */
} PoolSpares;

typedef struct Pool {
    unsigned count;
    Worker *workers;
    PoolSpares spares;            /* some of the workers; none unless they are set after opening */
    const PoolObserver *observer; /* may be NULL */
    const PoolSource *source;     /* likewise */
    /* workers begin with the items they had in the previous run, whose data may still be in their caches */
    bool keeps;
} Pool;

typedef void (*PoolFn)(Worker *worker, size_t item);

/* jobs 0: one worker per processor. False: no memory. Contexts start in core mode, strict. */
bool pool_open(Pool *pool, unsigned jobs, const Budget *budget);
void pool_close(Pool *pool);
/* Runs fn over all items and returns when all are done, or soon after *stop (may be NULL) becomes true.
 * Returns the number of items started. If a thread cannot be created, the others do its work. */
size_t pool_run(Pool *pool, size_t items, PoolFn fn, void *shared, const Stop *stop);
/* Adds up the statistics of all workers' contexts. */
void pool_count(const Pool *pool, Statistics *to);
unsigned pool_processors(void);

#endif
