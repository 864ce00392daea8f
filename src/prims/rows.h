/* Grids read the plain way: any tuple of rows, also wide, ragged or with odd entries, element by element.
 *
 * The primitives on grids have a fast path for VAL_GRID8 and come here for the rest. A Rows is a copy that
 * may be changed: every row a buffer of values. */
#ifndef BATT_PRIMS_ROWS_H
#define BATT_PRIMS_ROWS_H

#include "core/value.h"

typedef struct Row {
    Val *v;
    uint32_t n;
} Row;

typedef struct Rows {
    Row *row;
    uint32_t h, w; /* w: entries of the first row */
} Rows;

/* H and W of a tuple of rows: () fails FAIL_RANGE, a first row that is no container FAIL_TYPE. */
Reason rows_shape(Val grid, uint32_t *h, uint32_t *w);
/* grid[i][j], tuples in tuples. */
Reason rows_at(Val grid, uint32_t i, uint32_t j, Val *entry);
/* A copy of any container of containers. () has h = w = 0. */
Reason rows_read(Ctx *ctx, Val grid, Rows *rows);
Val rows_tuple(Ctx *ctx, Rows rows);

/* A cell of the mode, in a color that may be any value: grids pass on what was put into them. */
Val rows_cell(Ctx *ctx, Val color, uint32_t i, uint32_t j);

/* The first two components of a tuple, integers both. */
Reason tuple_two_ints(Val tuple, int64_t *a, int64_t *b);

static inline bool fits_byte(Val v) {
    return v.kind == VAL_INT && v.i == (int8_t)v.i;
}

#endif
