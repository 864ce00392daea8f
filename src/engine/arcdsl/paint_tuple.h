/* Tuples as patches of fill, cover, underfill, paint and underpaint.
 *
 * A tuple of pairs is a grid of two columns, and one of cells a plain tuple (core) or a grid of three columns
 * (batt). Its places can be colored in a copy of the grid like those of a packed patch, in the tuple's order.
 * Steps stay those of the plain way, which takes the grid apart into values and puts it together again. */
#ifndef BATT_ENGINE_ARCDSL_PAINT_TUPLE_H
#define BATT_ENGINE_ARCDSL_PAINT_TUPLE_H

#include "engine/arcdsl/packed_patch.h"

/* What becomes of the cells at the places of a patch: all become `color`, or the color of their own if that
 * is PAINT_OWN; if `only` is a color, then only those that have it. Where cells share a place, the last one
 * counts.
 */
enum { PAINT_OWN = 256, PAINT_ANY = 256 };

/* False: it has to be done the plain way, and nothing was done. */
bool paint_tuple(Ctx *ctx, Val grid, Val patch, PatchAs as, int color, int only, Val *to);

#endif
