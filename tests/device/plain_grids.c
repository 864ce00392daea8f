/* The kernels of grids.cl as C. */
#include "plain.h"
/* first what all need */
#include "../../src/backends/devices/kernels/common.cl"
/* then these */
#include "../../src/backends/devices/kernels/grids.cl"

PLAIN_RUN(grids_cells)

const PlainEntry plain_grids[] = {{"grids_cells", run_grids_cells}, {0}};
