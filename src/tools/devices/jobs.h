/* Synthetic jobs of the batched operations, for measuring and comparing devices: of the usual sizes for seed
 * 0, else of any. */
#ifndef BATT_TOOLS_DEVICES_JOBS_H
#define BATT_TOOLS_DEVICES_JOBS_H

#include "backends/devices/grids.h"
#include "search/learning/rules.h"
#include "search/strategies/layers.h"

/* What a job is made of; all of it lives in `blocks`. */
typedef struct SyntheticJob {
    BackendJob job;
    BackendBlock one, two;
    void *blocks[8];
    unsigned n_blocks;
    RulesTable table;
    RulesAsk ask;
    LayersCover cover;
    Tables tables;
    GridsInput input;
    GridsRun run;
    GridStep steps[8];
} SyntheticJob;

/* A job of so many items that are made of it; jobs_free in any case. False: no memory. */
bool jobs_make(SyntheticJob *made, BackendOpId op, uint32_t n, uint64_t seed);
bool jobs_make_step(SyntheticJob *made, GridOp op, uint32_t n, uint64_t seed);
void jobs_free(SyntheticJob *made, Backend *backend);

#endif
