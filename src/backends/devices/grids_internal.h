/* Orders for operations on grids: made by grids.c, executed by grids_cpu.c and kernels/grids.cl. */
#ifndef BATT_BACKENDS_DEVICES_GRIDS_INTERNAL_H
#define BATT_BACKENDS_DEVICES_GRIDS_INTERNAL_H

#include "backends/devices/grids.h"

typedef enum GridDo {
    DO_WALK,     /* out[i][j] = a[base + i * down + j * along] */
    DO_BLOCKS,   /* out[i][j] = a[i / n0][j / n1] */
    DO_REPLACE,  /* n0 becomes n1 */
    DO_SWITCH,   /* and the other way round */
    DO_HJOIN,    /* a, and b to its right */
    DO_VJOIN,    /* a, and b below */
    DO_CELLWISE, /* where a and b agree, that; else n0 */
} GridDo;

/* Places are (space << 60) | distance. */
enum { SPACE_INPUT, SPACE_ROOM, SPACE_RESULT };
#define PLACE(space, at) ((uint64_t)(space) << 60 | (at))
#define PLACE_AT(place) ((place) & (((uint64_t)1 << 60) - 1))

typedef struct GridOrder { /* struct Order of kernels/grids.cl */
    uint64_t a, b, out;
    uint32_t what, h, w; /* of the result */
    uint32_t a_h, a_w, b_h, b_w;
    int32_t base, down, along, n[2];
} GridOrder;
_Static_assert(sizeof(GridOrder) == 72, "kernels/grids.cl has the same");

/* The arguments of a job: where the orders of each stage start, and where the last ones end; then the orders.
 * A stage is a level. */
typedef struct GridsHead {
    uint32_t starts[GRIDS_MAX_LEVELS + 2];
} GridsHead;
enum { GRIDS_STAGES, GRIDS_ORDERS }; /* numbers of a job */

void grids_cpu(const BackendJob *job);

#endif
