/* The work queue of rank 0: which rank works on which unit.
 *
 * A unit is a number; what it stands for (a task) is the same on every rank, and so is its result,
 * whichever rank computes it. Near the end, when there are no new units left, units still under way
 * are assigned to a second rank as well, the oldest first: the first result counts. The units of a
 * lost rank are given back. */
#ifndef BATT_BACKENDS_RANKS_WORK_QUEUE_H
#define BATT_BACKENDS_RANKS_WORK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORK_QUEUE_NONE = UINT32_MAX };

typedef struct WorkUnit {
    uint32_t holders[2]; /* ranks, or WORK_QUEUE_NONE */
    uint64_t since;      /* when it was first assigned, as a counter */
    bool done, out;
} WorkUnit;

typedef struct WorkQueue {
    WorkUnit *units;
    size_t n_units, n_done;
    size_t next;  /* all units before it were assigned at least once */
    size_t given; /* units given back: below `next`, not done, and without a holder */
    uint64_t clock;
    uint32_t threads; /* total over all ranks */
    bool twice;       /* units may have a second holder */
} WorkQueue;

bool work_queue_open(WorkQueue *work_queue, size_t units, uint32_t threads,
                     bool twice); /* false: no memory */
void work_queue_close(WorkQueue *work_queue);
/* Takes a unit for this rank; false: there is none for it now. */
bool work_queue_take(WorkQueue *work_queue, uint32_t rank, size_t *unit);
/* How many units a rank with this many threads should have at a time: two per thread, fewer near the end. */
size_t work_queue_batch(const WorkQueue *work_queue, uint32_t threads);
/* Notes that a result arrived, or, if `rank` is WORK_QUEUE_NONE, that none is wanted. True: it is the first
 * for this unit. others: the other ranks working on it, or WORK_QUEUE_NONE. */
bool work_queue_finish(WorkQueue *work_queue, size_t unit, uint32_t rank, uint32_t others[2]);
/* Notes that a rank is lost. Returns how many units it gives back. */
size_t work_queue_lose(WorkQueue *work_queue, uint32_t rank);
static inline bool work_queue_done(const WorkQueue *work_queue) {
    return work_queue->n_done == work_queue->n_units;
}

#endif
