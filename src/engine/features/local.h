/* The ways to cut a grid into pieces that are treated separately, and where the pieces are. */
#ifndef BATT_ENGINE_FEATURES_LOCAL_H
#define BATT_ENGINE_FEATURES_LOCAL_H

#include "engine/features/grid_analysis.h"

enum { LOCAL_MAX = 64 }; /* pieces; more are noise */

typedef enum LocalHow {
    LOCAL_PANELS,     /* between lines that cross the grid, as in panel_grids */
    LOCAL_MCOMPS,     /* boxes of multicolor components: foreground connected over sides or corners */
    LOCAL_COMPONENTS, /* boxes of foreground of one color, connected over sides */
    LOCAL_FRAMES,     /* what frames of one color enclose */
    LOCAL_ROWS,
    LOCAL_COLUMNS,
    LOCAL_BANDS,    /* rows between rows of background */
    LOCAL_STRIPES,  /* columns between columns of background */
    LOCAL_ENCLOSED, /* what is shut off from the rim by cells of one color, of any shape */
    LOCAL_AREAS,    /* what the most frequent foreground divides the grid into */
    LOCAL_SLICES,   /* every k-th row and column, where foreground comes again every k rows and columns */
    LOCAL_COLORS,   /* the whole grid, with foreground of one color only */
    LOCAL_HOWS
} LocalHow;

/* A piece: every so many rows and columns of a box. Cells in it that are not its own look blank. */
typedef struct LocalPiece {
    GridBox box;
    int32_t down, right; /* from one row or column to the next */
    int8_t color;        /* its own are the cells of this color, wherever they are; -1: those it owns */
    int8_t blank;
} LocalPiece;

typedef struct LocalPieces {
    int32_t count;
    bool many; /* there were more than fit */
    LocalPiece items[LOCAL_MAX];
    int16_t owner[FEATURE_MAX_CELLS]; /* the piece that each cell belongs to, -1: none */
} LocalPieces;

/* Finds the pieces (local_places.c); false: there are none, too many, or some overlap. */
bool local_places(const GridAnalysis *b, LocalHow how, LocalPieces *pieces);
/* The pieces as a table, by how they lie beside and below each other; `order` gets the piece of every place,
 * row by row. False: not every place has exactly one. */
bool local_table(const LocalPieces *pieces, int32_t *rows, int32_t *columns, int32_t order[LOCAL_MAX]);
/* Cuts a grid of the same size where the pieces are; a tuple of grids. */
Val local_cut(Ctx *ctx, const GridAnalysis *what, const LocalPieces *pieces);

/* The boxes of the panels of panel_grids, row by row (panels.c); 0: none, or more than `max`. */
int32_t analysis_panels(const GridAnalysis *b, GridBox *boxes, int32_t max);

#endif
