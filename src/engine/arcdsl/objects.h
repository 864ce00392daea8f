/* Connected components of a grid, by the three implementations of objects and objects_t. */
#ifndef BATT_ENGINE_ARCDSL_OBJECTS_H
#define BATT_ENGINE_ARCDSL_OBJECTS_H

#include "engine/value/value.h"

typedef struct Links {
    bool univalued, diagonal, without_bg;
} Links;

/* Tuples of batt cells, those nearest to the first one first (objects_walk.c); for grids of bytes with 1..64
 * columns and at most 128 rows. */
Val objects_walked(Ctx *ctx, Val grid, Links links);
/* For any tuple of rows (objects_plain.c): the set of components as sets, or with `walk` a tuple of tuples of
 * cells as above. */
Val objects_plain(Ctx *ctx, Val grid, Links links, bool walk);

#endif
