/* Worker threads; see pool.h. */
#include "engine/eval/pool.h"

#include "base/alloc.h"
#include "base/callstack.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/primitives/prim.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct PoolRun {
    _Atomic size_t next;
    size_t items;
    PoolFn fn;
    const Stop *stop;
    const PoolObserver *observer;
    const PoolSource *source;
    struct Thread *threads;
    unsigned count; /* of them, of which the first `initial` begin at once */
    unsigned initial;
    bool keeps;
    const PoolSpares *spares;
    _Atomic bool open; /* the spare workers have been started */
} PoolRun;

typedef struct Thread {
    PoolRun *run;
    Worker *worker;
    pthread_t id;
    bool started;
    _Atomic uint64_t left; /* its own items: the first in the upper half, the end in the lower half */
} Thread;

unsigned pool_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return (unsigned)CPU_COUNT(&set);
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

bool pool_open(Pool *pool, unsigned jobs, const Budget *budget) {
    *pool = (Pool){0}; /* no observer either */
    jobs = jobs != 0 ? jobs : pool_processors();
    pool->workers = mem_zalloc(jobs, sizeof *pool->workers);
    if (pool->workers == NULL) {
        return false;
    }
    for (; pool->count < jobs; pool->count++) {
        Worker *worker = &pool->workers[pool->count];
        worker->index = pool->count;
        if (!prim_open(&worker->ctx, MODE_CORE, false, budget)) {
            pool_close(pool);
            return false;
        }
    }
    return true;
}

void pool_close(Pool *pool) {
    for (unsigned k = 0; k < pool->count; k++) {
        prim_close(&pool->workers[k].ctx);
    }
    mem_free(pool->workers);
    *pool = (Pool){0};
}

/* Takes an item of this thread's own from the front or, if there are none left, one of another thread's from
 * the back. */
static bool take_kept(Thread *thread, size_t *item) {
    PoolRun *run = thread->run;
    for (unsigned k = 0; k < run->count; k++) {
        Thread *from = &run->threads[(thread->worker->index + k) % run->count];
        uint64_t left = atomic_load_explicit(&from->left, memory_order_relaxed);
        while (left >> 32 < (uint32_t)left) {
            uint64_t rest = k == 0 ? left + ((uint64_t)1 << 32) : left - 1;
            if (atomic_compare_exchange_weak_explicit(&from->left, &left, rest, memory_order_relaxed,
                                                      memory_order_relaxed)) {
                *item = k == 0 ? left >> 32 : (uint32_t)rest;
                ASSERT(*item < run->items, "item %zu of %zu", *item, run->items);
                atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
                return true;
            }
        }
    }
    return false;
}

static bool take(Thread *thread, size_t *item) {
    PoolRun *run = thread->run;
    if (run->source != NULL) {
        bool got = run->source->take(run->source->user, thread->worker, item);
        ASSERT(!got || *item < run->items, "item %zu of %zu", *item, run->items);
        atomic_fetch_add_explicit(&run->next, got, memory_order_relaxed);
        return got;
    }
    if (run->keeps) {
        return take_kept(thread, item);
    }
    *item = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
    return *item < run->items;
}

static void *work(void *argument);

/* Starts the spare workers, once, if they are wanted. */
static void start_spares(PoolRun *run) {
    const PoolSpares *spares = run->spares;
    if (spares->wanted == NULL || atomic_load_explicit(&run->open, memory_order_relaxed) ||
        !spares->wanted(spares->user) || atomic_exchange(&run->open, true)) {
        return;
    }
    for (unsigned k = run->initial; k < run->count; k++) {
        run->threads[k].started = callstack_thread(&run->threads[k].id, work, &run->threads[k]);
    }
}

static void *work(void *argument) {
    Thread *thread = argument;
    PoolRun *run = thread->run;
    uint64_t start = clock_now_ns();
    ASSERT(thread->worker->ctx.depth == 0, "%u calls under way", thread->worker->ctx.depth);
    for (size_t item; !stop_is_requested(run->stop) && take(thread, &item);) {
        if (run->spares->slots != NULL) {
            slots_acquire(run->spares->slots);
        }
        if (run->observer == NULL) {
            run->fn(thread->worker, item);
        } else {
            run->observer->begin(run->observer->user, thread->worker, item);
            run->fn(thread->worker, item);
            run->observer->end(run->observer->user, thread->worker, item);
        }
        if (run->spares->slots != NULL) {
            slots_release(run->spares->slots);
        }
        start_spares(run);
    }
    thread->worker->busy_ns += clock_now_ns() - start;
    return NULL;
}

size_t pool_run(Pool *pool, size_t items, PoolFn fn, void *shared, const Stop *stop) {
    PoolRun run = {.items = items,
                   .fn = fn,
                   .stop = stop,
                   .observer = pool->observer,
                   .source = pool->source,
                   .spares = &pool->spares};
    unsigned count = items < pool->count ? (unsigned)items : pool->count;
    unsigned initial = pool->count - pool->spares.count;
    initial = initial < count ? initial : count;
    Thread alone = {.run = &run, .worker = pool->workers};
    Thread *threads = count > 1 ? mem_zalloc(count, sizeof *threads) : NULL;
    for (unsigned k = 0; k < pool->count; k++) {
        pool->workers[k].shared = shared;
    }
    if (run.observer != NULL) {
        run.observer->start(run.observer->user, items);
    }
    if (threads != NULL) {
        for (unsigned k = 0; k < count; k++) {
            threads[k].run = &run;
            threads[k].worker = &pool->workers[k];
            uint64_t own = (uint64_t)(items * k / initial) << 32 | items * (k + 1) / initial;
            atomic_init(&threads[k].left, k < initial ? own : 0);
        }
        run.threads = threads;
        run.keeps = pool->keeps;
        run.count = count;
        run.initial = initial;
        for (unsigned k = 1; k < initial; k++) {
            threads[k].started = callstack_thread(&threads[k].id, work, &threads[k]);
        }
        start_spares(&run);
    }
    work(threads != NULL ? threads : &alone);
    /* in order: one of the first may be starting the spare workers */
    for (unsigned k = 1; threads != NULL && k < count; k++) {
        if (threads[k].started) {
            pthread_join(threads[k].id, NULL);
        }
    }
    mem_free(threads);
    size_t started = atomic_load(&run.next);
    ASSERT(stop != NULL || pool->source != NULL || started >= items, "%zu of %zu items", started, items);
    return started < items ? started : items;
}

void pool_count(const Pool *pool, Statistics *to) {
    for (unsigned k = 0; k < pool->count; k++) {
        prim_count(&pool->workers[k].ctx, to);
    }
}
