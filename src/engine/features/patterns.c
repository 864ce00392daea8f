/* Features of patterns that the grid as a whole follows: periods and axes of symmetry. */
#include "engine/features/grid_analysis.h"

#include <string.h>

/* ---- periods ---- */

typedef struct Direction {
    int8_t di, dj;
} Direction;

/* Whether all cells agree with those `by` steps away wherever neither is background. */
static bool agrees_after(const GridAnalysis *b, Direction d, int32_t by) {
    for (int32_t i = 0, k = 0; i < b->h; i++) {
        for (int32_t j = 0; j < b->w; j++, k++) {
            int32_t a = i + by * d.di, x = j + by * d.dj;
            if ((uint32_t)a < (uint32_t)b->h && (uint32_t)x < (uint32_t)b->w) {
                int8_t other = b->c[a * b->w + x];
                if (b->c[k] != other && b->c[k] != b->background && other != b->background) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* The smallest such shift along an axis; 0: none below the side's length. */
static int32_t period(const GridAnalysis *b, Direction d) {
    int32_t side = d.di ? b->h : b->w;
    for (int32_t p = 1; p < side; p++) {
        if (agrees_after(b, d, p)) {
            return p;
        }
    }
    return 0;
}

static void fill_axes(const GridAnalysis *b) {
    int32_t pi = period(b, (Direction){1, 0}), pj = period(b, (Direction){0, 1});
    for (int32_t i = 0, k = 0; i < b->h; i++) {
        for (int32_t j = 0; j < b->w; j++, k++) {
            int8_t found = b->c[k];
            for (int32_t a = pi ? i % pi : i; found == b->background && a < b->h; a += pi ? pi : b->h) {
                for (int32_t x = pj ? j % pj : j; found == b->background && x < b->w; x += pj ? pj : b->w) {
                    found = b->c[a * b->w + x];
                }
            }
            analysis_plane(b, FEATURE_PERIODIC)[k] = found;
        }
    }
}

/* The period of the diagonals: the smallest p such that the foreground has one color on all diagonals whose
 * numbers are equal modulo p. */
static void fill_diagonals(const GridAnalysis *b, bool falling, int8_t *to) {
    int32_t lines = b->h + b->w - 1, p = 1;
    int8_t by_line[2 * FEATURE_MAX_CELLS];
    for (; p <= lines; p++) {
        bool agrees = true;
        memset(by_line, b->background, (size_t)p);
        for (int32_t k = 0; k < b->n && agrees; k++) {
            int32_t i = k / b->w, j = k % b->w, line = (falling ? i - j + b->w - 1 : i + j) % p;
            agrees = b->c[k] == b->background || by_line[line] == b->background || by_line[line] == b->c[k];
            by_line[line] = b->c[k] != b->background ? b->c[k] : by_line[line];
        }
        if (agrees) {
            break;
        }
    }
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w;
        to[k] = p > lines || b->c[k] != b->background ? b->c[k]
                                                      : by_line[(falling ? i - j + b->w - 1 : i + j) % p];
    }
}

/* The shift along an axis, at most half of the side, for which the greatest share of foreground cells agrees;
 * if shares are nearly equal, the smallest shift. 0: no shift has a share above one half. */
static int32_t likely_period(const GridAnalysis *b, bool columns) {
    enum { NEAR = 20 }; /* thousandths */
    int32_t side = columns ? b->w : b->h, best = 0, max = 500;
    for (int32_t p = 1; p <= side / 2; p++) {
        int32_t said = 0, same = 0;
        for (int32_t k = 0; k < b->n; k++) {
            int32_t place = columns ? k % b->w : k / b->w;
            if (place >= p) {
                int8_t other = b->c[k - p * (columns ? 1 : b->w)];
                bool both = b->c[k] != b->background && other != b->background;
                said += both;
                same += both && b->c[k] == other;
            }
        }
        int32_t share = said > 0 ? 1000 * same / said : 0;
        if (share > max + (best ? NEAR : 0)) {
            max = share;
            best = p;
        }
    }
    return best;
}

/* For each cell, the most frequent foreground color among the cells that the likely periods map to the same
 * place. */
static bool fill_mostly(Ctx *ctx, const GridAnalysis *b) {
    int32_t pi = likely_period(b, false), pj = likely_period(b, true);
    int8_t *to = analysis_plane(b, FEATURE_PERIODIC_MOSTLY);
    CtxMark mark = ctx_mark(ctx);
    pi = pi ? pi : b->h;
    pj = pj ? pj : b->w;
    ColorCounts *counts = ctx_alloc(ctx, (size_t)(pi * pj) * sizeof *counts);
    if (counts == NULL) {
        return false;
    }
    memset(counts, 0, (size_t)(pi * pj) * sizeof *counts);
    for (int32_t k = 0; k < b->n; k++) {
        if (b->c[k] != b->background) {
            counts[k / b->w % pi * pj + k % b->w % pj][b->c[k]]++;
        }
    }
    for (int32_t k = 0; k < b->n; k++) {
        int8_t best = analysis_most_frequent(counts[k / b->w % pi * pj + k % b->w % pj], -1);
        to[k] = best < 0 ? b->background : best;
    }
    ctx_release(ctx, mark);
    return true;
}

bool features_fill_period(Ctx *ctx, const GridAnalysis *b) {
    fill_axes(b);
    fill_diagonals(b, false, analysis_plane(b, FEATURE_PERIODIC_RISING));
    fill_diagonals(b, true, analysis_plane(b, FEATURE_PERIODIC_FALLING));
    return fill_mostly(ctx, b);
}

/* ---- axes of symmetry ---- */

/* Twice the position of the best axis of symmetry: most cells that agree, less those that do not. Only axes
 * that leave a partner to at least half of the grid count; those nearer to the middle come first. */
static int32_t best_axis(const GridAnalysis *b, bool columns) {
    int32_t side = columns ? b->w : b->h, middle = side - 1, best = middle, max = INT32_MIN;
    for (int32_t off = 0; off <= side / 2; off++) {
        for (int32_t sign = -1; sign <= (off ? 1 : -1); sign += 2) {
            int32_t sum = middle + sign * off, score = 0;
            for (int32_t k = 0; k < b->n; k++) {
                int32_t i = k / b->w, j = k % b->w;
                int32_t mate = sum - (columns ? j : i);
                if (mate < 0 || mate >= side || mate <= (columns ? j : i)) {
                    continue;
                }
                int8_t other = columns ? b->c[i * b->w + mate] : b->c[mate * b->w + j];
                bool said = b->c[k] != b->background && other != b->background;
                score += said ? (b->c[k] == other ? 1 : -2) : 0;
            }
            if (score > max) {
                max = score;
                best = sum;
            }
        }
    }
    return best;
}

/* The cells mirrored about the center of the rarest color's rectangle: it is often a mark that the rest turns
 * around. */
static void fill_center(const GridAnalysis *b) {
    GridBox box = analysis_box(b, analysis_rarest(b));
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w, a = box.top + box.bottom - i, x = box.left + box.right - j;
        int8_t images[4] = {b->c[k], analysis_color(b, i, x), analysis_color(b, a, j),
                            analysis_color(b, a, x)};
        analysis_plane(b, FEATURE_CENTER_ANY)[k] = analysis_first_foreground(b, images, 4);
    }
}

bool features_fill_mirror(Ctx *ctx, const GridAnalysis *b) {
    int32_t columns = best_axis(b, true), rows = best_axis(b, false);
    (void)ctx;
    fill_center(b);
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w;
        /* There are eight images about the point where the axes cross. Those across its diagonals exist only
         * if the point lies between cells along both axes or along neither. */
        bool crosses = ((rows - columns) & 1) == 0;
        int32_t a = j + (rows - columns) / 2, x = i - (rows - columns) / 2;
        int8_t images[8] = {b->c[k],
                            analysis_color(b, i, columns - j),
                            analysis_color(b, rows - i, j),
                            analysis_color(b, rows - i, columns - j),
                            crosses ? analysis_color(b, a, x) : (int8_t)-1,
                            crosses ? analysis_color(b, a, columns - x) : (int8_t)-1,
                            crosses ? analysis_color(b, rows - a, x) : (int8_t)-1,
                            crosses ? analysis_color(b, rows - a, columns - x) : (int8_t)-1};
        analysis_plane(b, FEATURE_AXIS_COLUMNS)[k] = images[1];
        analysis_plane(b, FEATURE_AXIS_ROWS)[k] = images[2];
        analysis_plane(b, FEATURE_AXIS_BOTH)[k] = images[3];
        analysis_plane(b, FEATURE_AXIS_TRANSPOSED)[k] = images[4];
        analysis_plane(b, FEATURE_AXIS_ANY)[k] = analysis_first_foreground(b, images, 8);
    }
    return true;
}
