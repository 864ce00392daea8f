/* Features of what is seen from a cell in the eight directions, and of what several directions have in
 * common.
 *
 * A ray goes from a cell to the edge and leaves out the cell itself. It is the ray of the next cell plus one
 * step, so one pass against a direction finds all its rays. */
#include "engine/features/grid_analysis.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 8, NOTHING = INT8_MAX };

/* clockwise from above, like the neighbors */
static const int8_t DI[DIRECTIONS] = {-1, -1, 0, 1, 1, 1, 0, -1},
                    DJ[DIRECTIONS] = {0, 1, 1, 1, 0, -1, -1, -1};

typedef struct Rays {
    int8_t seen[DIRECTIONS][FEATURE_MAX_CELLS]; /* the first color other than background; -1: none */
} Rays;

/* The color seen, its distance, and the next different color behind it. */
static void follow(const GridAnalysis *b, int d, int8_t *seen) {
    int8_t *far = analysis_plane(b, feature_of_run(FEATURE_RUN_FAR, d));
    int8_t *beyond = analysis_plane(b, feature_of_run(FEATURE_RUN_BEYOND, d));
    for (int32_t a = 0; a < b->h; a++) {
        int32_t i = DI[d] > 0 ? b->h - 1 - a : a;
        for (int32_t x = 0; x < b->w; x++) {
            int32_t j = DJ[d] > 0 ? b->w - 1 - x : x, k = i * b->w + j;
            int32_t next = (i + DI[d]) * b->w + j + DJ[d];
            int8_t color = analysis_color(b, i + DI[d], j + DJ[d]);
            if (color == -1) {
                far[k] = NOTHING;
                seen[k] = beyond[k] = -1;
            } else if (color == b->background) {
                far[k] = analysis_clip(far[next] + 1);
                seen[k] = seen[next];
                beyond[k] = beyond[next];
            } else {
                far[k] = 1;
                seen[k] = color;
                beyond[k] = seen[next] != color ? seen[next] : beyond[next];
            }
        }
    }
}

/* Steps to the next cell of the same color, from where each color was last met on its line. */
static void find_like(const GridAnalysis *b, int d) {
    enum { NEVER = INT16_MIN, MAX_LINES = FEATURE_MAX_CELLS + 2 };
    int16_t last[MAX_LINES][N_COLORS];
    int8_t *like = analysis_plane(b, feature_of_run(FEATURE_RUN_LIKE, d));
    for (int32_t line = 0; line < b->h + b->w; line++) {
        for (int c = 0; c < N_COLORS; c++) {
            last[line][c] = NEVER;
        }
    }
    for (int32_t a = 0; a < b->h; a++) {
        int32_t i = DI[d] > 0 ? b->h - 1 - a : a;
        for (int32_t x = 0; x < b->w; x++) {
            int32_t j = DJ[d] > 0 ? b->w - 1 - x : x, k = i * b->w + j;
            int32_t line = DI[d] == 0 ? i : DJ[d] == 0 ? j : DI[d] == DJ[d] ? i - j + b->w : i + j;
            int32_t at = DI[d] != 0 ? i : j;
            int16_t *met = &last[line][b->c[k]];
            int32_t steps = at > *met ? at - *met : *met - at;
            like[k] = *met == NEVER ? NOTHING : analysis_clip(steps);
            *met = (int16_t)at;
        }
    }
}

/* The only color among some, where -1 means none; -1: there is none, or more than one. */
static int8_t only_of(const int8_t *colors, int n) {
    int8_t only = -1;
    for (int x = 0; x < n; x++) {
        if (colors[x] != -1 && only != -1 && colors[x] != only) {
            return -1;
        }
        only = colors[x] != -1 ? colors[x] : only;
    }
    return only;
}

/* For the straight (from = 0) or the slanted directions (from = 1): the color seen where the opposite
 * direction sees nothing, and the color that two opposite directions both see. */
static void pool(const GridAnalysis *b, const Rays *rays, int from, int32_t k) {
    int8_t single[4], both[2];
    for (int x = 0; x < 4; x++) {
        int d = from + 2 * x;
        int8_t mine = rays->seen[d][k], other = rays->seen[(d + 4) % DIRECTIONS][k];
        single[x] = other == -1 ? mine : -1;
        both[x % 2] = mine == other ? mine : -1;
    }
    analysis_plane(b, from ? FEATURE_SLANTED_ONE_WAY : FEATURE_SEEN_ONE_WAY)[k] = only_of(single, 4);
    analysis_plane(b, from ? FEATURE_SLANTED_TWO_WAYS : FEATURE_SEEN_TWO_WAYS)[k] =
        both[0] != -1 ? both[0] : both[1];
}

/* What all directions together see. */
static void count_seen(const GridAnalysis *b, const Rays *rays, int32_t k) {
    ColorCounts straight = {0}, all = {0};
    int slanted = 0, straight_colors = 0, colors = 0;
    int8_t nearest = NOTHING, at_nearest[4];
    for (int d = 0; d < DIRECTIONS; d++) {
        int8_t c = rays->seen[d][k];
        if (c != -1) {
            all[c]++;
            straight[c] = (int16_t)(straight[c] + (d % 2 == 0));
            slanted += d % 2;
        }
        int8_t far = analysis_plane(b, feature_of_run(FEATURE_RUN_FAR, d))[k];
        nearest = d % 2 == 0 && far < nearest ? far : nearest;
    }
    for (int c = 0; c < N_COLORS; c++) {
        straight_colors += straight[c] > 0;
        colors += all[c] > 0;
    }
    for (int x = 0; x < 4; x++) {
        bool is_nearest = analysis_plane(b, feature_of_run(FEATURE_RUN_FAR, 2 * x))[k] == nearest;
        at_nearest[x] = is_nearest ? rays->seen[2 * x][k] : -1;
    }
    analysis_plane(b, FEATURE_SEEN_MOST)[k] = analysis_most_frequent(all, -1);
    analysis_plane(b, FEATURE_SEEN_STRAIGHT_MOST)[k] = analysis_most_frequent(straight, -1);
    analysis_plane(b, FEATURE_SEES_SLANTED)[k] = (int8_t)slanted;
    analysis_plane(b, FEATURE_SEEN_STRAIGHT_COLORS)[k] = (int8_t)straight_colors;
    analysis_plane(b, FEATURE_SEEN_COLORS)[k] = (int8_t)colors;
    analysis_plane(b, FEATURE_SEEN_NEAREST)[k] = only_of(at_nearest, 4);
    analysis_plane(b, FEATURE_FAR_LEAST)[k] = nearest;
}

bool features_fill_rays(Ctx *ctx, const GridAnalysis *b) {
    Rays *rays = ctx_alloc(ctx, sizeof *rays);
    if (rays == NULL) {
        return false;
    }
    for (int d = 0; d < DIRECTIONS; d++) {
        follow(b, d, rays->seen[d]);
        find_like(b, d);
    }
    for (int32_t k = 0; k < b->n; k++) {
        for (int x = 0; x < 4; x++) {
            int8_t far = analysis_plane(b, feature_of_run(FEATURE_RUN_FAR, 2 * x))[k];
            bool none = far == NOTHING;
            analysis_plane(b, feature_of_run(FEATURE_RUN_FAR_MOD2, x))[k] = (int8_t)(none ? -1 : far % 2);
            analysis_plane(b, feature_of_run(FEATURE_RUN_FAR_MOD3, x))[k] = (int8_t)(none ? -1 : far % 3);
        }
        pool(b, rays, 0, k);
        pool(b, rays, 1, k);
        count_seen(b, rays, k);
    }
    return true;
}

/* ---- coordinates from a mark, and from lines ---- */

/* Steps from a place to the range first..last. */
static int32_t steps_to(int32_t at, int32_t first, int32_t last) {
    return at < first ? first - at : at > last ? at - last : 0;
}

/* For each row (axis 0) or column (1) the nearest one that has one color except background, of two the first;
 * -1: there is none. */
static void find_lines(const GridAnalysis *b, int32_t axis, int16_t *nearest) {
    int32_t lines = axis == 0 ? b->h : b->w, length = axis == 0 ? b->w : b->h;
    bool full[FEATURE_MAX_CELLS];
    for (int32_t x = 0; x < lines; x++) {
        int8_t color = b->c[axis == 0 ? x * b->w : x];
        full[x] = color != b->background;
        for (int32_t y = 1; y < length && full[x]; y++) {
            full[x] = b->c[axis == 0 ? x * b->w + y : y * b->w + x] == color;
        }
    }
    for (int32_t x = 0; x < lines; x++) {
        nearest[x] = -1;
        for (int32_t steps = 0; steps < lines && nearest[x] < 0; steps++) {
            bool before = x >= steps && full[x - steps], after = x + steps < lines && full[x + steps];
            nearest[x] = (int16_t)(before ? x - steps : after ? x + steps : -1);
        }
    }
}

static void fill_full_lines(const GridAnalysis *b) {
    int16_t rows[FEATURE_MAX_CELLS], columns[FEATURE_MAX_CELLS];
    find_lines(b, 0, rows);
    find_lines(b, 1, columns);
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w, row = rows[i], column = columns[j];
        analysis_plane(b, FEATURE_LINE_ROWS)[k] = row < 0 ? NOTHING : analysis_clip(abs(i - row));
        analysis_plane(b, FEATURE_LINE_COLUMNS)[k] = column < 0 ? NOTHING : analysis_clip(abs(j - column));
        int8_t seen[4] = {b->c[k], row < 0 ? -1 : analysis_color(b, 2 * row - i, j),
                          column < 0 ? -1 : analysis_color(b, i, 2 * column - j),
                          row < 0 || column < 0 ? -1 : analysis_color(b, 2 * row - i, 2 * column - j)};
        analysis_plane(b, FEATURE_FOLD_ROWS)[k] = seen[1];
        analysis_plane(b, FEATURE_FOLD_COLUMNS)[k] = seen[2];
        analysis_plane(b, FEATURE_FOLD_ANY)[k] = analysis_first_foreground(b, seen, 4);
    }
}

bool features_fill_mark(Ctx *ctx, const GridAnalysis *b) {
    int8_t rarest = analysis_rarest(b);
    GridBox box = rarest != -1 ? analysis_box(b, rarest) : (GridBox){0};
    (void)ctx;
    for (int32_t k = 0; k < b->n; k++) {
        int32_t rows = steps_to(k / b->w, box.top, box.bottom),
                columns = steps_to(k % b->w, box.left, box.right);
        int32_t ring = rows > columns ? rows : columns;
        bool none = rarest == -1;
        analysis_plane(b, FEATURE_MARK_ROWS)[k] = none ? NOTHING : analysis_clip(rows);
        analysis_plane(b, FEATURE_MARK_COLUMNS)[k] = none ? NOTHING : analysis_clip(columns);
        analysis_plane(b, FEATURE_MARK_RING)[k] = none ? NOTHING : analysis_clip(ring);
        analysis_plane(b, FEATURE_MARK_ROWS_MOD2)[k] = (int8_t)(none ? -1 : rows % 2);
        analysis_plane(b, FEATURE_MARK_COLUMNS_MOD2)[k] = (int8_t)(none ? -1 : columns % 2);
        analysis_plane(b, FEATURE_MARK_RING_MOD2)[k] = (int8_t)(none ? -1 : ring % 2);
        analysis_plane(b, FEATURE_MARK_ROWS_MOD3)[k] = (int8_t)(none ? -1 : rows % 3);
        analysis_plane(b, FEATURE_MARK_COLUMNS_MOD3)[k] = (int8_t)(none ? -1 : columns % 3);
        analysis_plane(b, FEATURE_MARK_RING_MOD3)[k] = (int8_t)(none ? -1 : ring % 3);
    }
    fill_full_lines(b);
    return true;
}
