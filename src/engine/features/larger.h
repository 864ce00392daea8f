/* The features that a cell of a grid enlarged by whole factors has besides those of the cell it comes
 * from. */
#ifndef BATT_ENGINE_FEATURES_LARGER_H
#define BATT_ENGINE_FEATURES_LARGER_H

#include "engine/features/grid_analysis.h"

enum { GROW_FEATURES = 10, GROW_MAX = 30 }; /* the run GROW of groups.def; greatest factor */

/* The values of the run's features for cell (i, j) of the larger grid. */
void larger_see(const GridAnalysis *b, int32_t tall, int32_t wide, int32_t i, int32_t j, int8_t *to);

#endif
