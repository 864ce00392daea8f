/* Rolls: the cells of every row, column or ring of a grid moved on by a number of steps.
 *
 * One function says where a cell of the result comes from; the primitive and the search that looks for the
 * number of steps share it. */
#ifndef BATT_PATTERNS_ROLL_H
#define BATT_PATTERNS_ROLL_H

#include "engine/features/board.h"

typedef enum RollWay {
    ROLL_ROWS, /* right, around the edge */
    ROLL_COLUMNS,
    ROLL_RINGS,         /* clockwise */
    ROLL_ROWS_SLANT,    /* the k-th row k times as far */
    ROLL_COLUMNS_SLANT, /* the k-th column */
    ROLL_ROWS_LOSE,     /* what leaves the grid is lost */
    ROLL_COLUMNS_LOSE,
    ROLL_ROWS_SHEAR, /* slanted, on a canvas that has room for all */
    ROLL_COLUMNS_SHEAR,
    ROLL_WAYS
} RollWay;

/* The size of the result for a grid of h x w; false: it is too large. */
bool roll_size(RollWay way, int64_t steps, int32_t *h, int32_t *w);
/* The cell of a grid of h x w that comes to (i, j) of the result; -1: none does. */
int32_t roll_from(RollWay way, int64_t steps, int32_t h, int32_t w, int32_t i, int32_t j);

#endif
