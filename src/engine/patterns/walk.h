/* Walkers: they start at cells of a color, look at the cell ahead, and do what a table says for its color.
 *
 * Those of `walk` see the original grid, never what others paint, so their order matters only where two paint
 * the same cell. Those of `trail` see what has been painted, and some of them a second cell beside the one
 * ahead: so they draw spirals, go round what is in the way, and flow down over steps.
 *
 * The same code serves the primitives and the search for tables: given the wanted grid, it ends at the first
 * wrong cell; given a table with gaps, it ends at the first gap it needs, so that tables are found entry by
 * entry. */
#ifndef BATT_ENGINE_PATTERNS_WALK_H
#define BATT_ENGINE_PATTERNS_WALK_H

#include "engine/features/grid_analysis.h"
#include "engine/patterns/headings.h"

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
    WALK_ACTIONS,
    WALK_HOME = WALK_ACTIONS, /* turn to the first heading; only in trails */
    TRAIL_ACTIONS
} WalkAction;

/* What a walker looks at. Beside the color ahead the kind of another cell counts: WalkKind. */
typedef enum WalkSees {
    WALK_SEES_ORIGINAL, /* the color ahead in the grid as it was; the others see what is painted */
    WALK_SEES_AHEAD,
    WALK_SEES_SECOND, /* also the second cell ahead */
    WALK_SEES_SIDES,  /* also the cells to the left and right */
    WALK_SEES_HOME,   /* also the cell in the direction of its first heading, unless that is ahead */
    WALK_SEES_COUNT
} WalkSees;

typedef enum WalkKind { WALK_FREE, WALK_PAINTED_KIND, WALK_TAKEN, WALK_OUTSIDE, WALK_KINDS } WalkKind;

enum {
    WALK_HEADINGS = HEADINGS,
    WALK_EDGE = N_COLORS,
    WALK_ENTRIES = N_COLORS + 1,
    WALK_PAINTED = WALK_ENTRIES, /* ahead is what walkers have painted */
    TRAIL_ENTRIES,
    TRAIL_CONTEXTS = TRAIL_ENTRIES * WALK_KINDS * WALK_KINDS, /* entry + TRAIL_ENTRIES * (kind + 4 * kind) */
    WALK_AT_HOME = WALK_KINDS, /* in place of a kind: the first heading is ahead */
    WALK_OPEN = -1,
    WALK_OWN = N_COLORS,
    WALK_CORNER = N_COLORS, /* starts from here on are corners: top left, then clockwise */
    WALK_CORNERS = 4
};

typedef struct WalkRule {
    int8_t start;  /* color; -1: any except background; WALK_CORNER on: a corner, which is painted */
    int8_t behind; /* color of the cell behind a start; -1: any; WALK_OWN: that of the start */
    uint8_t headings;
    int8_t paint; /* color; -1: that of the start */
    /* The color that must be ahead at the end, or else nothing is painted; -1: any; WALK_OWN: the color of
     * the start. */
    int8_t arrive;
    WalkSees sees;
    /* Where an entry is open, walkers with the wanted grid at hand stop and tell; others go on where the cell
     * ahead is background, and stop elsewhere. */
    int8_t table[TRAIL_CONTEXTS];
} WalkRule;

typedef enum WalkEnd { WALK_DONE, WALK_WRONG, WALK_NEEDS, WALK_TOO_LONG } WalkEnd;

typedef struct Walk { /* scratch and result for one grid */
    int8_t cells[FEATURE_MAX_CELLS];
    uint8_t been[FEATURE_MAX_CELLS]; /* bit set of headings */
    bool painted[FEATURE_MAX_CELLS];
    int32_t needs;                                    /* the open entry that was needed */
    int16_t trail[FEATURE_MAX_CELLS * WALK_HEADINGS]; /* where the current walker has painted */
    int8_t colors[FEATURE_MAX_CELLS * WALK_HEADINGS];
    int32_t length;
    uint64_t looks;
} Walk;

/* The context of the same sight in a mirror, for walkers that see to both sides. */
int32_t walk_mirrored(int32_t context);

/* Runs all walkers of a grid; `wanted` may be NULL. */
WalkEnd walk_run(Walk *walk, const GridAnalysis *b, const WalkRule *rule, const int8_t *wanted);

#endif
