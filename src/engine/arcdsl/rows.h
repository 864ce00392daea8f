/* Grids read the plain way: any tuple of rows, including wide or ragged ones and odd entries, element by
 * element.
 *
 * The primitives on grids have a fast path for VAL_GRID8 and use this for the rest. A Rows is a copy that may
 * be changed: every row is a buffer of values. */
#ifndef BATT_ENGINE_ARCDSL_ROWS_H
#define BATT_ENGINE_ARCDSL_ROWS_H

#include "engine/value/value.h"

typedef struct Row {
    Val *v;
    uint32_t n;
} Row;

typedef struct Rows {
    Row *row;
    uint32_t h, w; /* w: number of entries in the first row */
} Rows;

/* Height and width of a tuple of rows. () fails with FAIL_RANGE, a first row that is not a container with
 * FAIL_TYPE. */
Reason rows_shape(Val grid, uint32_t *h, uint32_t *w);
/* grid[i][j] of a tuple of tuples. */
Reason rows_at(Val grid, uint32_t i, uint32_t j, Val *entry);
/* A copy of any container of containers. () has h = w = 0. A set is no grid, but `asobject`, `partition`,
 * `fgpartition`, `ofcolor`, `replace` and `switch` read one as its elements in ascending order: the reference
 * vectors have it so, as the original does. In safe mode `compress` does as well. */
Reason rows_read(Ctx *ctx, Val grid, Rows *rows);
Val rows_tuple(Ctx *ctx, Rows rows);

/* A tuple of n elements of a container, starting at `first`, forwards (step 1) or backwards (-1). */
Val tuple_walk(Ctx *ctx, Val container, uint32_t first, int step, uint32_t n);
/* The tuple of the results of `of` for every row, or the first failure. */
typedef Val RowFn(Ctx *ctx, Val row, const void *user);
Val rows_map(Ctx *ctx, Val rows, RowFn *of, const void *user);

/* A cell of the mode. Its color is an integer (D4); in the dialect any value, as its vectors have it. */
Val rows_cell(Ctx *ctx, Val color, uint32_t i, uint32_t j);

/* The first two components of a tuple, which must be integers. */
Reason tuple_two_ints(Val tuple, int64_t *a, int64_t *b);

/* Whether to take the fast path for grids of bytes. */
static inline bool grid_packed(const Ctx *ctx, Val grid) {
    return FAST_PATH(ctx) && grid.kind == VAL_GRID8;
}

/* The same, and every cell fits a key. */
static inline bool grid_has_keys(const Ctx *ctx, Val grid) {
    return grid_packed(ctx, grid) && grid.n <= KEY_COORD && grid.w <= KEY_COORD;
}

static inline bool fits_byte(Val v) {
    return v.kind == VAL_INT && v.i == (int8_t)v.i;
}

#endif
