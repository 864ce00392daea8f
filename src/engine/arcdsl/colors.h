/* How often each color occurs: the basis of mostcolor, background and partition primitives. */
#ifndef BATT_ENGINE_ARCDSL_COLORS_H
#define BATT_ENGINE_ARCDSL_COLORS_H

#include "engine/value/value.h"

/* Counts colors 0..9. False if any other color occurs; the counts are then meaningless. */
bool colors_count10(const int8_t *cells, size_t n, uint32_t count[10]);
/* Counts all bytes; color c is at c + 128. */
void colors_count(const int8_t *cells, size_t n, uint32_t count[256]);

/* The most (least) frequent color of a VAL_GRID8; ties go to the smallest. False: there are no cells. */
bool grid_mostcolor(Val grid, int64_t *color);
bool grid_leastcolor(Val grid, int64_t *color);

/* The same for any container of containers, whose entries may be anything. Fails with FAIL_EMPTY if there are
 * no entries. */
Val colors_most(Ctx *ctx, Val rows);
Val colors_least(Ctx *ctx, Val rows);
/* All entries of all rows, in order, as a buffer of *n values; NULL with *why set. */
Val *colors_entries(Ctx *ctx, Val rows, uint32_t *n, Reason *why);

#endif
