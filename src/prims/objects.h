/* Connected components of a grid. */
#ifndef BATT_PRIMS_OBJECTS_H
#define BATT_PRIMS_OBJECTS_H

#include "core/value.h"

typedef struct Links {
    bool univalued, diagonal, without_bg;
} Links;

/* For grids of bytes whose places fit the keys of cells (objects.c). */
Val objects_packed(Ctx *ctx, Val grid, Links links);
/* Tuples of cells, nearest to the first one first (objects_walk.c): bytes, at most 64 columns and 128 rows.
 */
Val objects_walked(Ctx *ctx, Val grid, Links links);
/* Tuples of batt cells, nearest to the first one first (objects_walk.c): bytes, 1..64 columns and at most 128
 * rows. */
Val objects_walked(Ctx *ctx, Val grid, Links links);
/* Any tuple of rows (objects_plain.c): the set of components as sets, or with `walk` the tuple of walks. */
Val objects_plain(Ctx *ctx, Val grid, Links links, bool walk);

#endif
