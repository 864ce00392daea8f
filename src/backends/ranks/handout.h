/* Who works on what: the list that rank 0 hands units out from.
 *
 * A unit is a number; what it stands for (a task) is the same on every rank, and so is its result, whichever
 * rank computes it. Near the end, when there are no new units left, units still under way are handed to a
 * second rank, the oldest first: the first result counts. The units of a lost rank are given back. */
#ifndef BATT_RANKS_HANDOUT_H
#define BATT_RANKS_HANDOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HANDOUT_NOBODY = UINT32_MAX };

typedef struct HandoutUnit {
    uint32_t holders[2]; /* ranks, or HANDOUT_NOBODY */
    uint64_t since;      /* when it was first handed out, as a counter */
    bool done, out;
} HandoutUnit;

typedef struct Handout {
    HandoutUnit *units;
    size_t n_units, n_done;
    size_t next;  /* all units before it were handed out at least once */
    size_t given; /* units given back: below `next`, not done, and without a holder */
    uint64_t clock;
    uint32_t threads; /* total over all ranks */
    bool twice;       /* units may have a second holder */
} Handout;

bool handout_open(Handout *handout, size_t units, uint32_t threads, bool twice); /* false: no memory */
void handout_close(Handout *handout);
/* Takes a unit for this rank; false: there is none for it now. */
bool handout_take(Handout *handout, uint32_t rank, size_t *unit);
/* How many units a rank with this many threads should have at a time: two per thread, fewer near the end. */
size_t handout_batch(const Handout *handout, uint32_t threads);
/* Notes that a result arrived, or, if `rank` is HANDOUT_NOBODY, that none is wanted. True: it is the first
 * for this unit. others: the other ranks working on it, or HANDOUT_NOBODY. */
bool handout_finish(Handout *handout, size_t unit, uint32_t rank, uint32_t others[2]);
/* Notes that a rank is lost. Returns how many units it gives back. */
size_t handout_lose(Handout *handout, uint32_t rank);
static inline bool handout_over(const Handout *handout) {
    return handout->n_done == handout->n_units;
}

#endif
