/* Learning from programs that solve tasks: what steps cost, and which of them belong together.
 *
 * Every place in a program where a step's expression occurs is counted. A step that is used often for results
 * of its type becomes cheap; one that is never used keeps its cost. Two steps that follow each other in
 * several programs become one step of their own. */
#ifndef BATT_SEARCH_LEARN_H
#define BATT_SEARCH_LEARN_H

#include "search/idioms.h"

typedef struct Learning {
    uint32_t programs; /* that contained any step */
    uint32_t uses;     /* of steps */
    uint32_t changed;  /* costs */
    uint32_t mined;    /* new steps */
} Learning;

enum { LEARN_LEAST = 3 }; /* programs that must have two steps in a row before they become one */

/* Adds what programs teach to the steps. most_new: so many new steps at most. False: no memory. */
bool learn_from(StepSet *steps, Program *const *programs, size_t n, uint32_t most_new, Learning *learning);

#endif
