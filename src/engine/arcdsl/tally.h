/* Counting equal values: the distinct elements of a container in order of first appearance, and how often
 * each occurs. Used for dedupe, the most and least common element, and ranks by multiplicity. */
#ifndef BATT_ENGINE_ARCDSL_TALLY_H
#define BATT_ENGINE_ARCDSL_TALLY_H

#include "engine/value/value.h"

typedef struct Tally {
    Val *items;       /* distinct values in order of first appearance */
    uint32_t *counts; /* how often each item occurs */
    uint32_t n, room;
    uint32_t *slots; /* hash table of positions + 1; NULL while there are few, which are searched linearly */
    uint32_t mask;
} Tally;

/* Makes an empty tally for up to `room` values. */
Reason tally_open(Ctx *ctx, Tally *tally, uint32_t room);
Reason tally_add(Ctx *ctx, Tally *tally, Val v);
/* Counts all elements of a container. */
Reason tally_take(Ctx *ctx, Val container, Tally *tally);

/* The distinct rows of a grid of few short rows that are not empty. */
enum { TALLY_ROWS = 12, TALLY_WIDTH = 64 };
typedef struct RowTally {
    uint32_t n;
    uint8_t first[TALLY_ROWS];  /* rows that differ from all above them, from the top */
    uint8_t counts[TALLY_ROWS]; /* how often each of them occurs */
} RowTally;
static inline bool tally_fits_rows(Val grid) {
    return grid.kind == VAL_GRID8 && grid.n <= TALLY_ROWS && grid.w != 0 && grid.w <= TALLY_WIDTH;
}
Reason tally_rows(Ctx *ctx, Val grid, RowTally *tally);

#endif
