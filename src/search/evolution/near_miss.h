/* Evolution from near misses: programs that almost solve a task are mutated and crossed until some fit all
 * its training pairs.
 *
 * For searches that hold such programs. It uses no store and no threads: a NearMiss is the scratch
 * of the calling thread, made once and used for one task after another. The outcome depends on the
 * task, the founders, the seed, and when `spend` returned false; the clock matters only if time_ns
 * is given. */
#ifndef BATT_SEARCH_EVOLUTION_NEAR_MISS_H
#define BATT_SEARCH_EVOLUTION_NEAR_MISS_H

#include "base/stop.h"
#include "data/tasks/task.h"
#include "engine/language/program.h"
#include "engine/value/ctx.h"

typedef struct NearMiss NearMiss;

enum { NEAR_MISS_MIN_BYTES = 4 << 20 };

/* `bytes`: heap it may use for its caches of a task and for the children of a generation; at least
 * NEAR_MISS_MIN_BYTES. NULL: no memory. */
NearMiss *near_miss_open(size_t bytes);
void near_miss_close(NearMiss *near); /* NULL is fine */

typedef struct NearMissHooks {
    void *user;
    /* Called with a program that is right on all training pairs, taken over; maybe more than once. False:
     * enough. */
    bool (*fits)(void *user, Program *program);
    /* Called every few milliseconds of work with the steps spent since the last call; may be NULL. False:
     * return soon. */
    bool (*spend)(void *user, uint64_t steps);
} NearMissHooks;

typedef struct NearMissLimits {
    uint64_t seed;
    uint64_t steps;   /* 0: no limit. A generation that has begun is finished */
    uint64_t time_ns; /* processor time of this thread; 0: no limit, and no clock is read */
    const Stop *stop; /* may be NULL */
} NearMissLimits;

typedef struct NearMissFigures {
    uint64_t steps, generations;
    Statistics statistics; /* of evolution */
    uint64_t fits;         /* programs passed to `fits` */
    int32_t best, max;     /* score of the best program, and of one that fits */
    bool failed;           /* out of memory: it ended early */
} NearMissFigures;

/* Only the training pairs of the task and their hash are read. Founders are borrowed programs over I in core
 * mode or over S, I, C in batt mode; others are skipped. Runs in `ctx`, which is reset; afterwards its budget
 * is restored, and its mode is core and strict. */
NearMissFigures near_miss_run(NearMiss *near, Ctx *ctx, const Task *task, const Program *const *founders,
                              size_t n_founders, const NearMissLimits *limits, const NearMissHooks *hooks);

#endif
