/* Nodes of a battery that batched grids (grids.h) can compute: for all samples of a task at once, before
 * the battery runs.
 *
 *     Batch *batch = batch_open(battery, input);                 NULL: nothing of it is
 *     BatchRun run;
 *     batch_run(&run, batch, backend, ctx, inputs, n, &waited)    false: see backend_run, or no memory
 *     pass.ready = batch_ready(&run, sample);                  then battery_run(.., &pass)
 *     batch_run_free(&run, backend); batch_free(batch);
 *
 * A node's value, its steps and the memory it is charged for are those of the call. Without a device
 * (backend_uses_device) nothing is batched: plain calls are as fast and need no preparation. */
#ifndef BATT_BACKENDS_DEVICES_BATCH_H
#define BATT_BACKENDS_DEVICES_BATCH_H

#include "backends/devices/grids.h"
#include "engine/eval/battery.h"

typedef struct Batch Batch;

typedef struct BatchRun {
    const Batch *batch;
    GridsInput input;
    GridsRun run;
    uint32_t sample;
    BatteryReady ready;
} BatchRun;

/* The battery must not change while it is used. `input`: which parameter is the input grid. Also NULL if
 * there is no memory: the battery makes its calls then. */
Batch *batch_open(const Battery *battery, uint32_t input);
void batch_free(Batch *batch); /* may be NULL */
uint32_t batch_nodes(const Batch *batch);
bool batch_run(BatchRun *run, const Batch *batch, Backend *backend, Ctx *ctx, const Image *inputs, uint32_t n,
               uint64_t *waited);
const BatteryReady *batch_ready(BatchRun *run, uint32_t sample);
void batch_run_free(BatchRun *run, Backend *backend);

#endif
