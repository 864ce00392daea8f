/* The kernels of layers.cl as C. */
#include "plain.h"
/* first what all need */
#include "../../src/backends/devices/kernels/common.cl"
/* then these */
#include "../../src/backends/devices/kernels/layers.cl"

PLAIN_RUN(layers_cover)
PLAIN_RUN(layers_tables)

const PlainEntry plain_layers[] = {
    {"layers_cover", run_layers_cover}, {"layers_tables", run_layers_tables}, {0}};
