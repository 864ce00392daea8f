/* Evolution from near misses: programs that almost solve a task are bred until some fit all its training
 * pairs.
 *
 * For searches that have such programs at hand. There is no store and no thread in it: a NearMiss is the
 * scratch of the thread that calls, made once and used for one task after another. What comes out depends on
 * the task, the founders, the seed and the order of calls to `spend` that said no; a clock decides only where
 * time_ns is given. */
#ifndef BATT_EVOLVE_NEAR_MISS_H
#define BATT_EVOLVE_NEAR_MISS_H

#include "core/ctx.h"
#include "lang/program.h"
#include "task/task.h"

#include <signal.h>

typedef struct NearMiss NearMiss;

enum { NEAR_MISS_LEAST_BYTES = 4 << 20 };

/* Heap it may use, for all it remembers about a task and the children of a generation; at least
 * NEAR_MISS_LEAST_BYTES. NULL: no memory. */
NearMiss *near_miss_open(size_t bytes);
void near_miss_close(NearMiss *near); /* NULL is fine */

typedef struct NearMissHooks {
    void *user;
    /* A program right on all training pairs; taken over. It may be met again. False: enough. */
    bool (*fits)(void *user, Program *program);
    /* Steps spent since the last call, every few milliseconds of work; may be NULL. False: return soon. */
    bool (*spend)(void *user, uint64_t steps);
} NearMissHooks;

typedef struct NearMissLimits {
    uint64_t seed;
    uint64_t steps;                    /* 0: no limit. A generation that was begun is finished */
    uint64_t time_ns;                  /* processor time of this thread; 0: no limit, and no clock is read */
    const volatile sig_atomic_t *stop; /* may be NULL */
} NearMissLimits;

typedef struct NearMissFigures {
    uint64_t steps, generations, distinct, evaluations; /* program x pair */
    uint64_t fits;                                      /* programs handed over */
    int32_t best, most;                                 /* score of the best program, and of one that fits */
    bool failed;                                        /* out of memory: it ended early */
} NearMissFigures;

/* Of the task only training pairs and their hash are read; founders are programs over I in core mode or over
 * S, I, C in batt mode (others are passed over), borrowed. Runs in `ctx`, which is reset; its budget is as
 * before afterwards, its mode core and strict. */
NearMissFigures near_miss_run(NearMiss *near, Ctx *ctx, const Task *task, const Program *const *founders,
                              size_t n_founders, const NearMissLimits *limits, const NearMissHooks *hooks);

#endif
