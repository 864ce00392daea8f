/* Times the batched operations on a device and on the CPU, with synthetic jobs of the usual sizes.
 *
 * A device has a cost per batch and a cost per item, the CPU only a cost per item. The batch size at
 * which both take equally long is the break-even size. */
#ifndef BATT_BACKENDS_DEVICES_MEASURE_H
#define BATT_BACKENDS_DEVICES_MEASURE_H

#include "backends/devices/grids.h"

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

/* Jobs of one of the operations. False: `why`. */
bool measure_op(Backend *backend, unsigned queue, BackendOpId op, Measured *measured, DeviceError *why);
/* Grids of so many cells through one step. */
bool measure_step(Backend *backend, unsigned queue, GridOp op, uint32_t cells, Measured *measured,
                  DeviceError *why);
/* With what a call takes on the processor, in place of what was measured. */
double measure_break_even(const Measured *measured, double call_ns);
/* The step that a primitive is; -1: none. */
int measure_step_of(const char *primitive);

#endif
