/* The built-in differs, computed directly.
 *
 * differs.c defines them; run as a battery they take some forty calls per answer, most of the cost of
 * evolution's scoring. This computes the same sum in one pass over each grid. A test compares the two. */
#ifndef BATT_SEARCH_EVOLUTION_DIFFERS_OWN_H
#define BATT_SEARCH_EVOLUTION_DIFFERS_OWN_H

#include "data/tasks/task.h"
#include "engine/value/value.h"

enum { TRAITS_SIDE = ARC_SIDE, TRAITS_CELLS = TRAITS_SIDE * TRAITS_SIDE };

/* What the differs need to know about a grid. */
typedef struct Traits {
    Val grid;                     /* borrowed */
    uint64_t colors[4];           /* bit c + 128: color c is in it */
    uint64_t rows[TRAITS_SIDE];   /* a hash of each */
    uint32_t things;              /* pieces of one color, connected by sides, without the background */
    uint16_t sizes[TRAITS_CELLS]; /* of them */
    uint64_t sized[TRAITS_CELLS / 64 + 1]; /* bit n: one has n cells */
} Traits;

void traits_of(Traits *traits, Val grid); /* a grid of bytes, not empty, no side above TRAITS_SIDE */
/* The sum of the grades that the built-in differs give, 0..1000 each. */
int64_t traits_grades(const Traits *wanted, const Traits *answer);

#endif
