/* Times the batched operations on a device and on the CPU, with synthetic jobs of the usual sizes.
 *
 * A device has a cost per batch and a cost per item, the CPU only a cost per item. The batch size at
 * which both take equally long is the break-even size. */
#ifndef BATT_TOOLS_DEVICES_MEASURE_H
#define BATT_TOOLS_DEVICES_MEASURE_H

#include "backends/devices/backend.h"

typedef struct Measured {
    uint64_t items;    /* of the largest batch that was timed */
    double cpu_ns;     /* for an item, by the processor */
    double device_ns;  /* for an item of a large batch, with transfers */
    double batch_ns;   /* for a batch of one item, by the device */
    double work_ns;    /* for an item: processor time of the whole process; says something where the device is
                        * the processor itself */
    double break_even; /* items from which on the device is faster; INFINITY: never */
    double build_ns;   /* compiling, once */
} Measured;

/* One of the operations. Of a battery, what the host does for it counts, from grids to verdicts, and all
 * devices of the backend have a part in it. False: `why`. */
bool measure_op(Backend *backend, unsigned queue, BackendOpId op, Measured *measured, DeviceError *why);
/* Likewise a battery of calls of one primitive that has a form (test_battery_knows), on grids of so many
 * cells. */
bool measure_call(Backend *backend, const char *primitive, uint32_t cells, Measured *measured,
                  DeviceError *why);

#endif
