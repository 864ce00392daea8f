/* The ways to cut a grid into pieces that are treated separately. */
#ifndef BATT_FEATURES_LOCAL_H
#define BATT_FEATURES_LOCAL_H

#include "features/board.h"

enum { LOCAL_MOST = 64 }; /* pieces; more are noise */

typedef enum LocalHow {
    LOCAL_PANELS,     /* between lines that cross the grid, as in panel_grids */
    LOCAL_BLOBS,      /* boxes of blobs: ink connected over sides or corners */
    LOCAL_COMPONENTS, /* boxes of ink of one color, connected over sides */
    LOCAL_FRAMES,     /* what frames of one color enclose */
    LOCAL_ROWS,
    LOCAL_COLUMNS,
    LOCAL_BANDS,   /* rows between rows of ground */
    LOCAL_STRIPES, /* columns between columns of ground */
    LOCAL_HOWS
} LocalHow;

/* The boxes of the panels of panel_grids, row by row (panels.c); 0: none, or more than `most`. */
int32_t board_panels(const Board *b, BoardBox *boxes, int32_t most);

#endif
