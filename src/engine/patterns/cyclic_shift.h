/* Cyclic shifts: the cells of every row, column or ring of a grid moved on by a number of steps.
 *
 * One function says where a cell of the result comes from; the primitive and the search that looks for the
 * number of steps share it. */
#ifndef BATT_ENGINE_PATTERNS_CYCLIC_SHIFT_H
#define BATT_ENGINE_PATTERNS_CYCLIC_SHIFT_H

#include "engine/features/grid_analysis.h"

typedef enum CShiftMode {
    CSHIFT_ROWS, /* right, around the edge */
    CSHIFT_COLUMNS,
    CSHIFT_RINGS,         /* clockwise */
    CSHIFT_ROWS_SLANT,    /* the k-th row k times as far */
    CSHIFT_COLUMNS_SLANT, /* the k-th column */
    CSHIFT_ROWS_LOSE,     /* what leaves the grid is lost */
    CSHIFT_COLUMNS_LOSE,
    CSHIFT_ROWS_SHEAR, /* slanted, on a canvas that has room for all */
    CSHIFT_COLUMNS_SHEAR,
    CSHIFT_MODES
} CShiftMode;

/* The size of the result for a grid of h x w; false: it is too large. */
bool cshift_size(CShiftMode mode, int64_t steps, int32_t *h, int32_t *w);
/* The cell of a grid of h x w that comes to (i, j) of the result; -1: none does. */
int32_t cshift_from(CShiftMode mode, int64_t steps, int32_t h, int32_t w, int32_t i, int32_t j);

#endif
