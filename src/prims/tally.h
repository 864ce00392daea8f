/* Counting equal values: the distinct elements of a container in the order of their first appearance, and how
 * often each occurs. Behind dedupe, the most and least common, and ranks by multiplicity. */
#ifndef BATT_PRIMS_TALLY_H
#define BATT_PRIMS_TALLY_H

#include "core/value.h"

typedef struct Tally {
    Val *items;       /* distinct, by first appearance */
    uint32_t *counts; /* beside them */
    uint32_t n, room;
    uint32_t *slots; /* hash table of positions + 1; NULL while a few are searched one by one */
    uint32_t mask;
} Tally;

/* For up to `room` values. */
Reason tally_open(Ctx *ctx, Tally *tally, uint32_t room);
Reason tally_add(Ctx *ctx, Tally *tally, Val v);
/* All elements of a container. */
Reason tally_take(Ctx *ctx, Val container, Tally *tally);

#endif
