/* What a step of a net costs a device, counted from its memory layout; for estimates on devices
 * that are not present.
 *
 * Bytes are those of arrays as large as the tensor that is worked on, once for every launch:
 * weights, smaller tensors and what a work-group reads twice are taken to come from caches. */
#ifndef BATT_SEARCH_NET_DEVICE_COST_H
#define BATT_SEARCH_NET_DEVICE_COST_H

#include "search/net/memory.h"

typedef struct NetStepCost {
    unsigned launches; /* for all nets of a batch */
    double read_bytes, written_bytes, operations;
} NetStepCost;

NetStepCost net_device_cost(const NetMemory *mem);

#endif
