/* The grid whose features are computed, shared by the files that compute them. */
#ifndef BATT_FEATURES_BOARD_H
#define BATT_FEATURES_BOARD_H

#include "features/features.h"

enum { BOARD_COLORS = 10 };

typedef int16_t BoardCounts[BOARD_COLORS]; /* how many cells have a color */

typedef struct Board {
    int32_t h, w, n;
    const int8_t *c;
    int8_t ground;
    BoardCounts counts;
    int8_t *planes;
} Board;

static inline int8_t *board_plane(const Board *b, FeatureId feature) {
    ASSERT(b->planes != NULL && feature < FEATURE_COUNT, "feature %u of %u", feature, FEATURE_COUNT);
    return b->planes + (size_t)feature * (size_t)b->n;
}

static inline int8_t board_color(const Board *b, int32_t i, int32_t j) {
    return (uint32_t)i < (uint32_t)b->h && (uint32_t)j < (uint32_t)b->w ? b->c[i * b->w + j] : -1;
}

static inline int8_t board_clip(int32_t x) {
    ASSERT(x >= -128, "%d", x);
    return (int8_t)(x > 127 ? 127 : x);
}

typedef struct BoardBox {
    int32_t top, bottom, left, right;
} BoardBox;

/* The rectangle of all cells of a color; bottom -1: there are none. */
BoardBox board_box(const Board *b, int8_t color);

/* A grid as a board without planes; false: it is none, or too large (*why). */
bool board_of(Val grid, Board *b, Reason *why);

/* The color of which there are most (but not `but`) or fewest, the smallest of equals; -1: none. */
int8_t board_most_frequent(const BoardCounts counts, int32_t but);
int8_t board_least_frequent(const BoardCounts counts);
int8_t board_rarest(const Board *b); /* the least frequent of the grid but ground; -1: none */

/* Numbers the blobs, or else (mixed is false) the parts of one color connected over sides, by their first
 * cells; ground has no blob, -1. Returns how many. */
int32_t board_label(const Board *b, bool mixed, int16_t *label);

/* Numbers the panels of panel_grids; lines have -1. Returns how many, 0: there are none. */
int32_t board_label_panels(const Board *b, int16_t *label);

/* One group of features each; false: no memory. */
bool features_fill_parts(Ctx *ctx, const Board *b);
bool features_fill_blobs(Ctx *ctx, const Board *b);
bool features_fill_period(Ctx *ctx, const Board *b);
bool features_fill_mirror(Ctx *ctx, const Board *b);
bool features_fill_panels(Ctx *ctx, const Board *b);
bool features_fill_rects(Ctx *ctx, const Board *b);

#endif
