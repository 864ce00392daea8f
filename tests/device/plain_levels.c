/* The kernels of levels.cl as C. */
#include "plain.h"
/* first what all need */
#include "../../src/backends/devices/kernels/common.cl"
/* then these */
#include "../../src/backends/devices/kernels/level_ops.h"
/* and the forms of values */
#include "../../src/backends/devices/kernels/levels.h"
/* and what uses them, in this order */
#include "../../src/backends/devices/kernels/levels.cl"
/* stamps */
#include "../../src/backends/devices/kernels/level_stamps.cl"
/* objects */
#include "../../src/backends/devices/kernels/level_objects.cl"
/* the kernels */
#include "../../src/backends/devices/kernels/level_calls.cl"

PLAIN_RUN(levels_call)
PLAIN_RUN(levels_judge)

const PlainEntry plain_levels[] = {{"levels_call", run_levels_call}, {"levels_judge", run_levels_judge}, {0}};
