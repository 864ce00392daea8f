/* Features of cells: what a rule may ask about each cell of a grid. */
#ifndef BATT_DSL_FEATURES_H
#define BATT_DSL_FEATURES_H

#include "dsl/prim.h"

enum { FEATURE_COLORS = 23, FEATURE_COUNT = 50, FEATURE_MOST_CELLS = 1024 };

/* All features of all cells of a grid of bytes of at most FEATURE_MOST_CELLS cells, plane by plane (feature *
 * cells + cell). NULL: no memory, or not such a grid (*why). Ground is 0, or the most frequent color where
 * there is no 0. */
const int8_t *features_of(Ctx *ctx, Val grid, Reason *why);

#endif
