/* Walkers: they start at cells of a color, look at the cell ahead, and do what a table says for its color.
 *
 * A walker sees the original grid, never what others paint, so their order matters only where two paint the
 * same cell. The same code serves the primitive and the search for tables: given the wanted grid, it ends at
 * the first wrong cell; given a table with gaps, it ends at the first gap it needs, so that tables are found
 * entry by entry. */
#ifndef BATT_PATTERNS_WALK_H
#define BATT_PATTERNS_WALK_H

#include "features/board.h"
#include "patterns/headings.h"

typedef enum WalkAction {
    WALK_STOP,
    WALK_GO,   /* go and paint */
    WALK_PASS, /* go without painting */
    WALK_LEFT, /* turn a quarter */
    WALK_RIGHT,
    WALK_BOUNCE, /* turn back; along a wall, only away from it */
    WALK_SPLIT,  /* one to the left, one to the right */
    WALK_HIT,    /* paint the cell ahead and stop */
    WALK_TAKE,   /* take its color from now on; go without painting */
    WALK_ACTIONS
} WalkAction;

enum {
    WALK_HEADINGS = HEADINGS,
    WALK_EDGE = BOARD_COLORS,
    WALK_ENTRIES = BOARD_COLORS + 1,
    WALK_OPEN = -1,
    WALK_OWN = BOARD_COLORS
};

typedef struct WalkRule {
    int8_t start;  /* color; -1: any except ground */
    int8_t behind; /* color of the cell behind a start; -1: any */
    uint8_t headings;
    int8_t paint; /* color; -1: that of the start */
    /* The color that must be ahead at the end, or else nothing is painted; -1: any; WALK_OWN: the color of
     * the start. */
    int8_t arrive;
    int8_t table[WALK_ENTRIES];
} WalkRule;

typedef enum WalkEnd { WALK_DONE, WALK_WRONG, WALK_NEEDS, WALK_TOO_LONG } WalkEnd;

typedef struct Walk { /* scratch and result for one grid */
    int8_t cells[FEATURE_MOST_CELLS];
    uint8_t been[FEATURE_MOST_CELLS];                  /* bit set of headings */
    int32_t needs;                                     /* the open entry that was needed */
    int16_t trail[FEATURE_MOST_CELLS * WALK_HEADINGS]; /* where the current walker has painted */
    int8_t colors[FEATURE_MOST_CELLS * WALK_HEADINGS];
    int32_t length;
    uint64_t looks;
} Walk;

/* Runs all walkers of a grid; `wanted` may be NULL. */
WalkEnd walk_run(Walk *walk, const Board *b, const WalkRule *rule, const int8_t *wanted);

#endif
