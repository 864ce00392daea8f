/* The kernels of parts.cl and grids.cl as C. */
#include "plain.h"
/* first what all need */
#include "../../src/backends/devices/kernels/common.cl"
/* then these */
#include "../../src/backends/devices/kernels/parts.cl"
/* and what uses them */
#include "../../src/backends/devices/kernels/grids.cl"

PLAIN_RUN(grids_cells)
PLAIN_RUN(grids_parts)

const PlainEntry plain_grids[] = {{"grids_cells", run_grids_cells}, {"grids_parts", run_grids_parts}, {0}};
