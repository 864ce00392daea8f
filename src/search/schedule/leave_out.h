/* Learning again without one of the training pairs, to see whether the result predicts that pair.
 *
 * What a strategy learns from all pairs fits them by construction; whether it could have predicted one of
 * them from the others speaks for or against it. So when a slice has found a program that fits, its strategy
 * runs again, once for each pair, on the task without that pair, and the cheapest program that fits the
 * others is tried on the pair that was left out. Nothing that is found on the way becomes a candidate.
 *
 * Only strategies with TRAIT_LEARNS do: stamps do this by themselves (every choice of pairs is stacked), and
 * enumeration and evolution put programs together instead of learning them. */
#ifndef BATT_SEARCH_SCHEDULE_LEAVE_OUT_H
#define BATT_SEARCH_SCHEDULE_LEAVE_OUT_H

#include "search/schedule/search_state.h"

typedef struct LeaveOut { /* one pair, while the strategy sees the others */
    Val output;           /* the right output of the pair */
    uint32_t tests;       /* of the task itself; the pair's input comes after them */
    bool fits, right;     /* a program fits the other pairs; the cheapest such one is right on this pair */
    double cost;          /* of that program */
    uint64_t answers;     /* to the tests, by hash */
} LeaveOut;

/* Tries the current slice in this way, each pair in at most this many milliseconds, and tells the candidates
 * that the slice speaks for. */
void leave_out_try(Search *search, double ms);
/* Whether it is worth trying: not with few pairs, nor for strategies that do not learn. */
bool leave_out_can(const Search *search, Strategy strategy);
/* Takes an offer made while a pair is left out: answers to the tests and, last, to the pair. */
void leave_out_offer(LeaveOut *out, double cost, bool fits, const Val *answers, uint64_t hash);

#endif
