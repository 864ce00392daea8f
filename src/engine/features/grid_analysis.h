/* The grid whose features are computed, shared by the files that compute them. */
#ifndef BATT_ENGINE_FEATURES_GRID_ANALYSIS_H
#define BATT_ENGINE_FEATURES_GRID_ANALYSIS_H

#include "engine/features/features.h"

enum { N_COLORS = 10 };

typedef int16_t ColorCounts[N_COLORS]; /* number of cells by color */

typedef struct GridAnalysis {
    int32_t h, w, n;
    const int8_t *c;
    int8_t background;
    ColorCounts counts;
    int8_t *planes;
} GridAnalysis;

static inline int8_t *analysis_plane(const GridAnalysis *b, FeatureId feature) {
    ASSERT(b->planes != NULL && feature < FEATURE_COUNT, "feature %u of %u", feature, FEATURE_COUNT);
    return b->planes + (size_t)feature * (size_t)b->n;
}

static inline int8_t analysis_color(const GridAnalysis *b, int32_t i, int32_t j) {
    return (uint32_t)i < (uint32_t)b->h && (uint32_t)j < (uint32_t)b->w ? b->c[i * b->w + j] : -1;
}

/* Of n colors, -1 for outside, the first that is not background, otherwise the first. */
static inline int8_t analysis_first_foreground(const GridAnalysis *b, const int8_t *colors, int n) {
    for (int k = 0; k < n; k++) {
        if (colors[k] != b->background && colors[k] != -1) {
            return colors[k];
        }
    }
    return colors[0];
}

static inline int8_t analysis_clip(int32_t x) {
    ASSERT(x >= -128, "%d", x);
    return (int8_t)(x > 127 ? 127 : x);
}

typedef struct GridBox {
    int32_t top, bottom, left, right;
} GridBox;
static inline void grid_box_widen(GridBox *box, int32_t i, int32_t j) { /* so that it has a cell */
    box->top = i < box->top ? i : box->top;
    box->bottom = i > box->bottom ? i : box->bottom;
    box->left = j < box->left ? j : box->left;
    box->right = j > box->right ? j : box->right;
}

/* The rectangle of all cells of a color; bottom -1: there are none. */
GridBox analysis_box(const GridAnalysis *b, int8_t color);

/* What is in a rectangle, as a grid. */
Val analysis_cut(Ctx *ctx, const GridAnalysis *b, GridBox box);

/* Analyzes a grid without planes; false: it is not a grid of colors, or too large (*why). */
bool analysis_of(Val grid, GridAnalysis *b, Reason *why);

/* The most frequent color other than `but`, or the least frequent one; ties go to the smallest; -1: none. */
int8_t analysis_most_frequent(const ColorCounts counts, int32_t but);
int8_t analysis_least_frequent(const ColorCounts counts);
int8_t analysis_rarest(const GridAnalysis *b); /* the least frequent color except background; -1: none */

/* Which cells are linked into one object. */
typedef struct Connectivity {
    int8_t rows, columns;        /* how far apart they may be */
    bool sides;                  /* only within one row or one column, never diagonally */
    bool colors;                 /* colors may differ */
    bool foreground, background; /* which cells take part */
} Connectivity;

/* Numbers the linked groups in the order of their first cells; cells that take no part get -1. Returns the
 * number of groups. */
int32_t analysis_label_linked(const GridAnalysis *b, const Connectivity *link, int16_t *label);
/* The same for multicolor components (mixed) or for components, background included. */
int32_t analysis_label(const GridAnalysis *b, bool mixed, int16_t *label);

/* The color that a legend pairs with each color, as the feature LEGEND says; -1: none. */
void analysis_legend(const GridAnalysis *b, int8_t partner[N_COLORS]);

/* Numbers the panels that panel_grids finds; lines get -1. Returns the number of panels; 0: there are
 * none. */
int32_t analysis_label_panels(const GridAnalysis *b, int16_t *label);

/* Each computes one group of features; false: no memory. */
bool features_fill_components(Ctx *ctx, const GridAnalysis *b);
bool features_fill_mcomps(Ctx *ctx, const GridAnalysis *b);
bool features_fill_boxes(Ctx *ctx, const GridAnalysis *b);
bool features_fill_period(Ctx *ctx, const GridAnalysis *b);
bool features_fill_mirror(Ctx *ctx, const GridAnalysis *b);
bool features_fill_panels(Ctx *ctx, const GridAnalysis *b);
bool features_fill_rects(Ctx *ctx, const GridAnalysis *b);
bool features_fill_rays(Ctx *ctx, const GridAnalysis *b);
bool features_fill_mark(Ctx *ctx, const GridAnalysis *b);
bool features_fill_paths(Ctx *ctx, const GridAnalysis *b);
bool features_fill_grow(Ctx *ctx, const GridAnalysis *b);

#endif
