/* Learning from programs that solve tasks: what idioms cost, and which of them belong together.
 *
 * Every place in a program where an idiom's expression occurs is counted. An idiom that is used often for
 * results of its type becomes cheap; one that is never used keeps its cost. Two idioms that are nested in the
 * same way in several programs become one new idiom. */
#ifndef BATT_SEARCH_LEARNING_LEARN_H
#define BATT_SEARCH_LEARNING_LEARN_H

#include "search/learning/idioms.h"

typedef struct Learning {
    uint32_t programs; /* those that contained any idiom */
    uint32_t uses;     /* of idioms */
    uint32_t changed;  /* costs */
    uint32_t mined;    /* new idioms */
} Learning;

enum { LEARN_MIN = 3 }; /* how many programs must nest two idioms before they become one */

/* Updates the idioms from the programs, with at most max_new new ones. False: no memory. */
bool learn_from(IdiomSet *idioms, Program *const *programs, size_t n, uint32_t max_new, Learning *learning);

#endif
