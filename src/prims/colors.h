/* How often each color occurs: what mostcolor, background and partition primitives stand on. */
#ifndef BATT_PRIMS_COLORS_H
#define BATT_PRIMS_COLORS_H

#include "core/value.h"

/* Counts of 0..9. False, with counts of no meaning, when there is any other color. */
bool colors_count10(const int8_t *cells, size_t n, uint32_t count[10]);
/* Counts of all bytes; color c is at c + 128. */
void colors_count(const int8_t *cells, size_t n, uint32_t count[256]);

/* The smallest of the most (least) frequent colors of a VAL_GRID8; false: it has no cells. */
bool grid_mostcolor(Val grid, int64_t *color);
bool grid_leastcolor(Val grid, int64_t *color);

/* The same for any container of containers, whose entries may be anything; no entries fails FAIL_EMPTY. */
Val colors_most(Ctx *ctx, Val rows);
Val colors_least(Ctx *ctx, Val rows);
/* All entries of all rows, in order, as a buffer of *n values; NULL with *why set. */
Val *colors_entries(Ctx *ctx, Val rows, uint32_t *n, Reason *why);

#endif
