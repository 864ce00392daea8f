/* Repairing patterns: a grid some of whose cells are unknown or wrong is seen as a core that is laid over it
 * by a law; cells that show the same cell of the core form a class, and what most known cells of a class
 * have, all of it gets.
 *
 * A Pattern is scratch memory of one call, in its context's region. Families of laws (repair_laws.c,
 * repair_cores.c) fill in the classes; they choose by whole numbers only, so that a choice never depends on
 * rounding: a class of the core counts one, a cell that is not what its class says counts WRONG_COUNTS. */
#ifndef BATT_PATTERNS_REPAIR_H
#define BATT_PATTERNS_REPAIR_H

#include "features/board.h"

enum { WRONG_COUNTS = 3, REPAIR_MOST_SIDE = 64 };

typedef enum RepairFamily {
    REPAIR_LAWS,    /* mirrors, turns and shifts, all that hold */
    REPAIR_TURNS,   /* mirrors and turns only */
    REPAIR_SHIFTS,  /* shifts only */
    REPAIR_TILE,    /* the least tile */
    REPAIR_RINGS,   /* squares, crosses or diamonds around a point */
    REPAIR_ROWS,    /* a period for each row */
    REPAIR_COLUMNS, /* a period for each column */
    REPAIR_FAMILIES
} RepairFamily;

typedef struct Pattern {
    int32_t h, w, n;
    int8_t c[FEATURE_MOST_CELLS]; /* -1: unknown */
    int32_t known;
    int8_t most;    /* the most frequent known color */
    bool exact;     /* some cells are unknown, so those that are known are right */
    uint64_t looks; /* at cells, not yet charged */
    int16_t class_of[FEATURE_MOST_CELLS];
    int32_t classes; /* numbers in use are below it; 0: no law was found */
    bool upright; /* tiles are not shifted against each other */
    int32_t tile_h, tile_w;
    int16_t counts[FEATURE_MOST_CELLS][BOARD_COLORS]; /* known colors of a class: scratch of the families */
} Pattern;

/* Hand what was looked at to the budget; false: it is used up. */
bool pattern_charge(Ctx *ctx, Pattern *p);

/* Counts colors by class; how many classes have known cells, and known cells that are not of their class's
 * most frequent color. */
typedef struct PatternCost {
    int32_t core, wrong;
} PatternCost;
PatternCost pattern_measure(Pattern *p);

/* Fill in classes, or leave p->classes 0; false: out of budget. */
bool repair_by_laws(Ctx *ctx, Pattern *p, bool turns, bool shifts);
bool repair_by_tile(Ctx *ctx, Pattern *p);
bool repair_by_rings(Ctx *ctx, Pattern *p);
bool repair_by_lines(Ctx *ctx, Pattern *p, bool rows);

#endif
