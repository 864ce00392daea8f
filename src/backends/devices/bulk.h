/* Nodes of a battery that are grids in bulk (grids.h): done for all samples of a task before the battery
 * runs.
 *
 *     Bulk *bulk = bulk_open(battery, input);                 NULL: nothing of it is
 *     BulkRun run;
 *     bulk_run(&run, bulk, accel, ctx, inputs, n, &waited)    false: see accel_run, or no memory
 *     pass.ready = bulk_ready(&run, sample);                  then battery_run(.., &pass)
 *     bulk_run_free(&run, accel); bulk_free(bulk);
 *
 * A node's value, its steps and the memory it is charged for are those of the call. Without a device
 * (accel_uses_device) the calls themselves are the bulk operation: they are as fast, and nothing has to be
 * put together first. */
#ifndef BATT_ACCEL_BULK_H
#define BATT_ACCEL_BULK_H

#include "backends/devices/grids.h"
#include "engine/eval/battery.h"

typedef struct Bulk Bulk;

typedef struct BulkRun {
    const Bulk *bulk;
    GridsInput input;
    GridsRun run;
    uint32_t sample;
    BatteryReady ready;
} BulkRun;

/* The battery must not change while it is used. `input`: which parameter is the input grid. Also NULL if
 * there is no memory: the battery makes its calls then. */
Bulk *bulk_open(const Battery *battery, uint32_t input);
void bulk_free(Bulk *bulk); /* may be NULL */
uint32_t bulk_nodes(const Bulk *bulk);
bool bulk_run(BulkRun *run, const Bulk *bulk, Accel *accel, Ctx *ctx, const Image *inputs, uint32_t n,
              uint64_t *waited);
const BatteryReady *bulk_ready(BulkRun *run, uint32_t sample);
void bulk_run_free(BulkRun *run, Accel *accel);

/* The value of objects or partition, of parts of a grid of at most BULK_MOST_CELLS; charges what the call
 * does. */
enum { BULK_MOST_CELLS = 1024 };
Val bulk_objects(Ctx *ctx, const GridParts *parts, const int8_t *cells, bool univalued);
Val bulk_partition(Ctx *ctx, const GridParts *parts, const int8_t *cells);

#endif
