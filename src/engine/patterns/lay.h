/* Laying lists out: runs of colors along a path, and grids beside, below or over each other.
 *
 * The same functions serve the primitives and the search that looks for a layout, so that what is learnt is
 * what runs. */
#ifndef BATT_ENGINE_PATTERNS_LAY_H
#define BATT_ENGINE_PATTERNS_LAY_H

#include "engine/features/grid_analysis.h"

typedef enum LayPath {
#define PATH(id, cost, text) LAY_##id,
#include "engine/patterns/lay.def"
#undef PATH
    LAY_PATHS
} LayPath;

typedef enum Laying {
#define LAYING(id, cost, text) LAYING_##id,
#include "engine/patterns/lay.def"
#undef LAYING
    LAYING_COUNT
} Laying;

extern const double lay_path_costs[LAY_PATHS], laying_costs[LAYING_COUNT];

enum { LAY_MAX = 256, LAY_MAX_TIMES = FEATURE_MAX_CELLS, LAY_MAX_GAP = 3 };

typedef struct LayRun {
    int8_t color;
    int16_t times;
} LayRun;

typedef struct LayColors {
    int8_t foreground; /* for all runs; -1: their own colors */
    int8_t rest;       /* where no run goes */
} LayColors;

static inline bool lay_is_bars(LayPath path) {
    return path >= LAY_BARS_RIGHT;
}
/* The number of places along a path on a canvas, and the place of a cell on it (-1: none). Not for bars. */
int32_t lay_room(LayPath path, int32_t h, int32_t w);
int32_t lay_place(LayPath path, int32_t h, int32_t w, int32_t i, int32_t j);
/* Replaces sides that are 0 by the smallest number that leaves room for all runs; false: there is none. */
bool lay_size(LayPath path, const LayRun *runs, int32_t n, int32_t *h, int32_t *w);
/* Paints the runs along a path; with `again` they start over when they end. `to` has room for h * w <=
 * FEATURE_MAX_CELLS cells. */
void lay_runs(const LayRun *runs, int32_t n, LayPath path, bool again, LayColors colors, int32_t h, int32_t w,
              int8_t *to);

typedef struct LaySize {
    int32_t h, w;
} LaySize;
/* Fills in the upper left corners, as (h, w), of grids of these sizes and returns the size of the whole. 1 <=
 * n <= LAY_MAX. */
LaySize lay_corners(Laying way, int32_t gap, const LaySize *sizes, int32_t n, LaySize *corners);

#endif
