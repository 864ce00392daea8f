/* Batched grids: many grids through the same chains of steps, which stay where they are made between the
 * steps.
 *
 *     GridStep steps[] = {{.op = GRID_ROT90, .a = GRID_INPUT},
 *                         {.op = GRID_REPLACE, .a = 0, .n = {1, 4}, .keep = true}};
 *     grids_put(&input, images, n)                 the grids, which stay on a device until grids_drop
 *     grids_plan(&run, steps, 2, &input)           what becomes how large
 *     grids_run(backend, ctx, &run, &waited)
 *     grids_cells(&run, step, grid, &h, &w)
 *
 * Sizes follow from sizes, so all places are known beforehand, and a device only fills in cells. Colors are
 * 0..9. A step that is beyond this (an empty result, a size that does not fit, a color, more than
 * GRIDS_MAX_CELLS) is `left`: it and what follows from it is not computed, and the caller evaluates it. */
#ifndef BATT_BACKENDS_DEVICES_GRIDS_H
#define BATT_BACKENDS_DEVICES_GRIDS_H

#include "backends/devices/backend.h"
#include "base/image.h"

typedef enum GridOp {
#define GRID_OP(id, grids, numbers, text) GRID_##id,
#include "backends/devices/grid_ops.def"
#undef GRID_OP
    GRID_OPS
} GridOp;

typedef struct GridOpRow {
    const char *text; /* as an expression over a, b and n0.. */
    uint8_t grids, numbers;
} GridOpRow;
extern const GridOpRow grid_ops[GRID_OPS];

enum { GRID_INPUT = -1, GRIDS_MAX_CELLS = 4096, GRIDS_MAX_LEVELS = 48 };

typedef struct GridStep {
    uint8_t op;
    bool keep;    /* the result is wanted */
    int32_t a, b; /* earlier steps, or GRID_INPUT */
    int32_t n[4];
} GridStep;

typedef struct GridsInput {
    BackendBlock block;
    int8_t *cells;
    Image *images; /* of the cells */
    bool *fits;    /* colors 0..9, and not too large */
    uint32_t count;
} GridsInput;

bool grids_put(GridsInput *input, const Image *images, uint32_t count); /* false: no memory */
void grids_drop(Backend *backend, GridsInput *input);

typedef struct GridsPlace { /* of a step's result for one grid */
    uint64_t at;            /* for orders; GRIDS_LEFT: it is left to the caller */
    uint16_t h, w;
} GridsPlace;
#define GRIDS_LEFT UINT64_MAX

typedef struct GridsRun {
    const GridStep *steps;
    uint32_t n_steps;
    GridsInput *input;
    GridsPlace *places; /* by step, then by grid */
    unsigned char *args, *result, *room;
    size_t arg_bytes, result_bytes, room_bytes;
    uint32_t orders, stages;
    uint64_t work; /* cells that are written */
} GridsRun;

bool grids_plan(GridsRun *run, const GridStep *steps, uint32_t count,
                GridsInput *input);                                          /* false: no memory */
bool grids_run(Backend *backend, Ctx *ctx, GridsRun *run, uint64_t *waited); /* as rules_ask */
void grids_job(const GridsRun *run, BackendJob *job);
void grids_free(GridsRun *run);

/* NULL: left to the caller, or not kept. */
const int8_t *grids_cells(const GridsRun *run, uint32_t step, uint32_t grid, uint32_t *h, uint32_t *w);

#endif
