/* Flood fill over a small grid, breadth first, with a queue that the caller lends: room for every cell.
 *
 * Cells are numbered row by row. Neighbors of a cell are visited in reading order; cells that the caller has
 * put into the queue (`n` of them) are where it starts. */
#ifndef BATT_BASE_FLOOD_FILL_H
#define BATT_BASE_FLOOD_FILL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct FloodReach {
    int32_t rows, columns; /* how far away a neighbor may be */
    bool sides;            /* only within the same row or the same column */
} FloodReach;
#define FLOOD_SIDES ((FloodReach){1, 1, true})
#define FLOOD_CORNERS ((FloodReach){1, 1, false})

/* Whether the fill goes on from a filled cell to this neighbor of it. Called for neighbors that are filled
 * already too, and for the cell itself: the callback tells them by its own marks. */
typedef bool FloodEnter(void *user, int32_t from, int32_t to);

/* Returns the number of cells in the queue at the end: those filled, in the order of their distance. Inlined
 * with its callback. */
static inline __attribute__((always_inline)) int32_t
flood_fill(int32_t h, int32_t w, FloodReach reach, int16_t *queue, int32_t n, FloodEnter *enter, void *user) {
    for (int32_t head = 0; head < n; head++) {
        int32_t at = queue[head], i = at / w, j = at % w;
        int32_t top = i > reach.rows ? i - reach.rows : 0, left = j > reach.columns ? j - reach.columns : 0;
        int32_t bottom = i + reach.rows < h ? i + reach.rows : h - 1;
        int32_t right = j + reach.columns < w ? j + reach.columns : w - 1;
        for (int32_t a = top; a <= bottom; a++) {
            bool whole = !reach.sides || a == i;
            for (int32_t x = whole ? left : j; x <= (whole ? right : j); x++) {
                if (enter(user, at, a * w + x)) {
                    queue[n++] = (int16_t)(a * w + x);
                }
            }
        }
    }
    return n;
}

static inline bool flood_mark(void *seen, int32_t from, int32_t to) {
    (void)from;
    bool new = !((bool *)seen)[to];
    ((bool *)seen)[to] = true;
    return new;
}

/* Fills what is connected with the cells in the queue and not `seen`, and marks it so. */
static inline int32_t flood_unseen(int32_t h, int32_t w, FloodReach reach, int16_t *queue, int32_t n,
                                   bool *seen) {
    return flood_fill(h, w, reach, queue, n, flood_mark, seen);
}

#endif
