/* Repairing patterns: a grid with unknown or wrong cells is seen as a small core that a regularity repeats
 * all over it. Cells that show the same cell of the core form a class, and the whole class gets the color
 * that most of its known cells have.
 *
 * A Pattern is scratch memory of one call, in its context's arena. Families of regularities
 * (repair_regularities.c, repair_cores.c) fill in the classes. They compare integers only, so that a choice
 * never depends on rounding: a class of the core costs one, a cell that contradicts its class costs
 * WRONG_COUNTS. */
#ifndef BATT_ENGINE_PATTERNS_REPAIR_H
#define BATT_ENGINE_PATTERNS_REPAIR_H

#include "engine/features/grid_analysis.h"

enum { WRONG_COUNTS = 3, REPAIR_MAX_SIDE = 64 };

typedef enum RepairFamily {
    REPAIR_REGULARITIES, /* all mirrors, turns and shifts that hold */
    REPAIR_TURNS,        /* mirrors and turns only */
    REPAIR_SHIFTS,       /* shifts only */
    REPAIR_TILE,         /* the smallest tile */
    REPAIR_RINGS,        /* squares, crosses or diamonds around a point */
    REPAIR_ROWS,         /* a period for each row */
    REPAIR_COLUMNS,      /* a period for each column */
    REPAIR_FAMILIES
} RepairFamily;

typedef struct Pattern {
    int32_t h, w, n;
    int8_t c[FEATURE_MAX_CELLS]; /* -1: unknown */
    int32_t known;
    int8_t most;    /* the most frequent known color */
    bool exact;     /* some cells are unknown, so the known ones are taken to be right */
    uint64_t looks; /* cells looked at, not yet charged */
    int16_t class_of[FEATURE_MAX_CELLS];
    int32_t classes; /* class numbers are below it; 0: no regularity was found */
    bool upright;    /* tiles are not shifted against each other */
    int32_t tile_h, tile_w;
    /* known cells by class and color: scratch of the families */
    int16_t counts[FEATURE_MAX_CELLS][N_COLORS];
} Pattern;

/* Charges the looks to the budget; false: it is used up. */
bool pattern_charge(Ctx *ctx, Pattern *p);

/* Counts colors by class. core: classes with known cells; wrong: known cells that differ from the most
 * frequent color of their class. */
typedef struct PatternCost {
    int32_t core, wrong;
} PatternCost;
PatternCost pattern_measure(Pattern *p);

/* Each fills in the classes, or leaves p->classes at 0; false: out of budget. */
bool repair_by_regularities(Ctx *ctx, Pattern *p, bool turns, bool shifts);
bool repair_by_tile(Ctx *ctx, Pattern *p);
bool repair_by_rings(Ctx *ctx, Pattern *p);
bool repair_by_lines(Ctx *ctx, Pattern *p, bool rows);

#endif
