/* The kernels of rules.cl as C. */
#include "plain.h"
/* first what all need */
#include "../../src/backends/devices/kernels/common.cl"
/* then these */
#include "../../src/backends/devices/kernels/rules.cl"

PLAIN_RUN(rules_one)
PLAIN_RUN(rules_trees)
PLAIN_RUN(rules_min)

const PlainEntry plain_rules[] = {
    {"rules_one", run_rules_one}, {"rules_trees", run_rules_trees}, {"rules_min", run_rules_min}, {0}};
