/* Where an object occurs in a grid that has more columns than fit a word: rows of bits of any number of
 * words, one set for the cells of each color. Rows in which nothing is left are not looked at again. */
#ifndef BATT_ENGINE_ARCDSL_MATCH_WIDE_H
#define BATT_ENGINE_ARCDSL_MATCH_WIDE_H

#include "engine/value/patch.h"

/* All places (i, j) with i < rows and j < cols at which all cells, of a packed object, match those of a grid
 * of bytes. What trying the places one by one takes in steps is charged. `room` is for as many values as
 * there are places, and takes the keys of those found. False: not possible, and nothing was done. */
bool match_wide(Ctx *ctx, Val grid, const Patch *cells, uint32_t rows, uint32_t cols, void *room, Val *to);

#endif
