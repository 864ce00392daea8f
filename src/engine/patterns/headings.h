/* The eight headings of what walks over a grid: up, right, down, left, then the diagonals clockwise from
 * up-right. */
#ifndef BATT_ENGINE_PATTERNS_HEADINGS_H
#define BATT_ENGINE_PATTERNS_HEADINGS_H

#include "base/check.h"
#include "engine/features/grid_analysis.h"

enum { HEADINGS = 8 };

static inline int32_t heading_di(int heading) {
    static const int8_t di[HEADINGS] = {-1, 0, 1, 0, -1, 1, 1, -1};
    return di[heading];
}
static inline int32_t heading_dj(int heading) {
    static const int8_t dj[HEADINGS] = {0, 1, 0, -1, 1, 1, -1, -1};
    return dj[heading];
}
static inline int8_t heading_turned(int heading, int quarters) {
    ASSERT(heading >= 0 && heading < HEADINGS, "heading %d", heading);
    return (int8_t)((heading & 4) | ((heading + quarters) & 3));
}

/* Whether a cell is in the way: outside, or not background. */
static inline bool heading_blocked(const GridAnalysis *b, int32_t i, int32_t j) {
    return analysis_color(b, i, j) != b->background;
}

/* The heading after a bounce at (i, j). A diagonal reverses only the part that a wall blocks, or both. */
static inline int8_t heading_bounced(const GridAnalysis *b, int32_t i, int32_t j, int heading) {
    int32_t di = heading_di(heading), dj = heading_dj(heading);
    if (heading >= 4) {
        bool across_i = heading_blocked(b, i + di, j), across_j = heading_blocked(b, i, j + dj);
        di = across_i || !across_j ? -di : di;
        dj = across_j || !across_i ? -dj : dj;
    } else {
        di = -di;
        dj = -dj;
    }
    int8_t after = 0;
    while (heading_di(after) != di || heading_dj(after) != dj) {
        after++;
    }
    return after;
}

#endif
