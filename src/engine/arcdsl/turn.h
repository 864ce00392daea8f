/* Mirrors, turns and block scaling of grids: the tuple branches shared by the families of grids and of
 * patches.
 *
 * A grid of bytes takes a byte loop; anything else (wide numbers, ragged tuples, rows that are sets) is
 * handled element by element. All return a value or a failure. */
#ifndef BATT_ENGINE_ARCDSL_TURN_H
#define BATT_ENGINE_ARCDSL_TURN_H

#include "engine/value/value.h"

Val grid_hmirror(Ctx *ctx, Val grid); /* any tuple, reversed */
Val grid_vmirror(Ctx *ctx, Val grid); /* any container of tuples */
Val grid_dmirror(Ctx *ctx, Val grid); /* any container of containers, cut to the shortest one */
Val grid_cmirror(Ctx *ctx, Val grid);
Val grid_rot90(Ctx *ctx, Val grid);
Val grid_rot180(Ctx *ctx, Val grid);
Val grid_rot270(Ctx *ctx, Val grid);
/* Every entry becomes a block of down x right copies; factors below 1 count as 0. Takes any container of
 * containers. */
Val grid_blocks(Ctx *ctx, Val grid, int64_t down, int64_t right);
/* Every element of a container repeated `times` times, as a tuple. */
Val tuple_repeated(Ctx *ctx, Val container, int64_t times);
Val grid_upscale(Ctx *ctx, Val grid, Val factor);

#endif
