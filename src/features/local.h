/* The ways to cut a grid into pieces that are looked at each by itself. */
#ifndef BATT_FEATURES_LOCAL_H
#define BATT_FEATURES_LOCAL_H

#include "features/board.h"

enum { LOCAL_MOST = 64 }; /* pieces; more are noise */

typedef enum LocalHow {
    LOCAL_PANELS,     /* between lines that cross the grid, as panel_grids */
    LOCAL_BLOBS,      /* boxes of what hangs together over corners and is not ground */
    LOCAL_COMPONENTS, /* boxes of what hangs together over sides and has one color but ground */
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
