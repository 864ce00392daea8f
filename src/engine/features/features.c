/* The features that look at single cells, lines and the whole grid; see features.h. Those of parts of a grid
 * are in components.c, of patterns in patterns.c, of rays in rays.c. */
#include "base/flood_fill.h"
#include "engine/features/grid_analysis.h"

#include <string.h>

enum {
#define GROUP(id, function) GROUP_##id,
#define RUN(id, first, last, length)
#include "engine/features/groups.def"
#undef GROUP
#undef RUN
    GROUP_COUNT
};

#define GROUP(id, function)
#define RUN(id, first, last, length)                               \
    _Static_assert(FEATURE_##last - FEATURE_##first + 1 == length, \
                   "the features from " #first " to " #last " must stand together in features.def");
#include "engine/features/groups.def"
#undef GROUP
#undef RUN

const FeatureSort feature_sorts[FEATURE_COUNT] = {
#define FEATURE(id, group, kind, cost, text) {GROUP_##group, FEATURE_IS_##kind, cost},
#include "engine/features/features.def"
#undef FEATURE
};

/* False: some cell is not a color. */
static bool count_colors(GridAnalysis *b) {
    for (int32_t k = 0; k < b->n; k++) {
        if ((uint8_t)b->c[k] >= N_COLORS) {
            return false;
        }
        b->counts[b->c[k]]++;
    }
    return true;
}

int8_t analysis_most_frequent(const ColorCounts counts, int32_t but) {
    int32_t best = -1;
    for (int32_t c = 0; c < N_COLORS; c++) {
        if (c != but && counts[c] > 0 && (best < 0 || counts[c] > counts[best])) {
            best = c;
        }
    }
    return (int8_t)best;
}

int8_t analysis_least_frequent(const ColorCounts counts) {
    int32_t best = -1;
    for (int32_t c = 0; c < N_COLORS; c++) {
        if (counts[c] > 0 && (best < 0 || counts[c] < counts[best])) {
            best = c;
        }
    }
    return (int8_t)best;
}

int8_t analysis_rarest(const GridAnalysis *b) {
    ColorCounts counts;
    memcpy(counts, b->counts, sizeof counts);
    counts[b->background] = 0;
    return analysis_least_frequent(counts);
}

/* Of the colors other than background of the four neighbors over sides, the one that is least frequent in
 * the whole grid; ties go to the smallest; -1: none. `around` has all eight neighbors, clockwise from
 * above. */
static int8_t rarest_of(const GridAnalysis *b, const int8_t around[8]) {
    int8_t best = -1;
    for (int d = 0; d < 8; d += 2) {
        int8_t c = around[d];
        if (c < 0 || c >= N_COLORS || c == b->background) {
            continue;
        }
        int32_t fewer = best == -1 ? -1 : b->counts[c] - b->counts[best];
        best = fewer < 0 || (fewer == 0 && c < best) ? c : best;
    }
    return best;
}

static const int8_t AROUND_I[8] = {-1, -1, 0, 1, 1, 1, 0, -1}, AROUND_J[8] = {0, 1, 1, 1, 0, -1, -1, -1};

/* Row by row, because processes ask for these again and again. */
static bool fill_around(Ctx *ctx, const GridAnalysis *b) {
    (void)ctx;
    memcpy(analysis_plane(b, FEATURE_OWN), b->c, (size_t)b->n);
    for (int d = 0; d < 8; d++) {
        int8_t *to = analysis_plane(b, feature_of_run(FEATURE_RUN_NEIGHBORS, d));
        memset(to, -1, (size_t)b->n);
        for (int32_t i = 0; i < b->h; i++) {
            int32_t from = i + AROUND_I[d], left = AROUND_J[d] < 0, length = b->w - (AROUND_J[d] != 0);
            if (from >= 0 && from < b->h) {
                memcpy(to + i * b->w + left, b->c + from * b->w + left + AROUND_J[d], (size_t)length);
            }
        }
    }
    return true;
}

static bool fill_near(Ctx *ctx, const GridAnalysis *b) {
    (void)ctx;
    for (int32_t i = 0, k = 0; i < b->h; i++) {
        for (int32_t j = 0; j < b->w; j++, k++) {
            int32_t like = 0, busy = 0, sides_like = 0, sides_busy = 0;
            ColorCounts sides = {0}, all = {0};
            int8_t around[8];
            for (int d = 0; d < 8; d++) {
                int8_t c = around[d] = analysis_color(b, i + AROUND_I[d], j + AROUND_J[d]);
                analysis_plane(b, feature_of_run(FEATURE_RUN_DONE, d))[k] = c;
                like += c == b->c[k];
                busy += c != -1 && c != b->background;
                sides_like += d % 2 == 0 && c == b->c[k];
                sides_busy += d % 2 == 0 && c != -1 && c != b->background;
                if (c != -1 && c != b->background) {
                    all[c]++;
                    sides[c] = (int16_t)(sides[c] + (d % 2 == 0));
                }
            }
            analysis_plane(b, FEATURE_AROUND_MOST)[k] = analysis_most_frequent(all, -1);
            analysis_plane(b, FEATURE_SIDES_MOST)[k] = analysis_most_frequent(sides, -1);
            analysis_plane(b, FEATURE_CORNERS_BUSY)[k] = (int8_t)(busy - sides_busy);
            analysis_plane(b, FEATURE_DONE_RAREST)[k] = rarest_of(b, around);
            analysis_plane(b, FEATURE_MIRROR_ROWS)[k] = analysis_color(b, b->h - 1 - i, j);
            analysis_plane(b, FEATURE_MIRROR_COLUMNS)[k] = analysis_color(b, i, b->w - 1 - j);
            analysis_plane(b, FEATURE_MIRROR_BOTH)[k] = analysis_color(b, b->h - 1 - i, b->w - 1 - j);
            analysis_plane(b, FEATURE_TRANSPOSED)[k] = analysis_color(b, j, i);
            analysis_plane(b, FEATURE_TURNED_RIGHT)[k] = analysis_color(b, b->h - 1 - j, i);
            analysis_plane(b, FEATURE_TURNED_LEFT)[k] = analysis_color(b, j, b->w - 1 - i);
            analysis_plane(b, FEATURE_ANTITRANSPOSED)[k] = analysis_color(b, b->w - 1 - j, b->h - 1 - i);
            analysis_plane(b, FEATURE_LIKE_AROUND)[k] = (int8_t)like;
            analysis_plane(b, FEATURE_BUSY_AROUND)[k] = (int8_t)busy;
            analysis_plane(b, FEATURE_SIDES_LIKE)[k] = (int8_t)sides_like;
            analysis_plane(b, FEATURE_SIDES_BUSY)[k] = (int8_t)sides_busy;
        }
    }
    return true;
}

/* ---- what is seen from a cell ---- */

/* The color of the nearest cell in one direction that is not background. With `corner`, for diagonals, it
 * counts only if both cells beside the step onto it are background. */
static void look(const GridAnalysis *b, int32_t di, int32_t dj, bool corner, int8_t *to) {
    for (int32_t a = 0; a < b->h; a++) {
        int32_t i = di > 0 ? b->h - 1 - a : a;
        for (int32_t x = 0; x < b->w; x++) {
            int32_t j = dj > 0 ? b->w - 1 - x : x;
            int8_t next = analysis_color(b, i + di, j + dj);
            if (next != -1 && next == b->background) {
                to[i * b->w + j] = to[(i + di) * b->w + j + dj];
            } else {
                bool good = !corner || (analysis_color(b, i + di, j) == b->background &&
                                        analysis_color(b, i, j + dj) == b->background);
                to[i * b->w + j] = good ? next : -1;
            }
        }
    }
}

/* The rarer of two different colors; -1: they are equal, or one is missing. */
static int8_t rarer(const GridAnalysis *b, int8_t x, int8_t y) {
    if (x == -1 || y == -1 || x == y) {
        return -1;
    }
    return b->counts[x] != b->counts[y] ? (b->counts[x] < b->counts[y] ? x : y) : (x < y ? x : y);
}

static bool fill_sight(Ctx *ctx, const GridAnalysis *b) {
    static const int8_t di[4] = {-1, 0, 1, 0}, dj[4] = {0, 1, 0, -1};
    (void)ctx;
    for (int d = 0; d < 4; d++) {
        int32_t ei = di[d] + di[(d + 1) % 4], ej = dj[d] + dj[(d + 1) % 4];
        look(b, di[d], dj[d], false, analysis_plane(b, feature_of_run(FEATURE_RUN_SEEN, d)));
        look(b, ei, ej, false, analysis_plane(b, feature_of_run(FEATURE_RUN_SEEN_SLANTED, d)));
        look(b, ei, ej, true, analysis_plane(b, feature_of_run(FEATURE_RUN_CORNERS, d)));
    }
    for (int32_t k = 0; k < b->n; k++) {
        int8_t up = analysis_plane(b, FEATURE_SEEN_UP)[k], right = analysis_plane(b, FEATURE_SEEN_RIGHT)[k];
        int8_t down = analysis_plane(b, FEATURE_SEEN_DOWN)[k], left = analysis_plane(b, FEATURE_SEEN_LEFT)[k];
        analysis_plane(b, FEATURE_BETWEEN_SIDES)[k] = left == right && left != -1;
        analysis_plane(b, FEATURE_BETWEEN_ENDS)[k] = up == down && up != -1;
        int8_t beside = rarer(b, left, right);
        analysis_plane(b, FEATURE_BETWEEN_RARER)[k] = beside != -1 ? beside : rarer(b, up, down);
        analysis_plane(b, FEATURE_SEES)[k] =
            (int8_t)((up != -1) + (right != -1) + (down != -1) + (left != -1));
    }
    return true;
}

/* Distances over sides and corners, in two passes: from above and from below. */
static void fill_rings(const GridAnalysis *b) {
    int8_t *steps = analysis_plane(b, FEATURE_RING_STEPS);
    for (int32_t k = 0; k < b->n; k++) {
        steps[k] = b->c[k] == b->background ? INT8_MAX : 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t at = 0; at < b->n; at++) {
            static const int8_t di[4] = {-1, -1, -1, 0}, dj[4] = {-1, 0, 1, -1};
            int32_t k = pass ? b->n - 1 - at : at, sign = pass ? -1 : 1;
            for (int d = 0; d < 4; d++) {
                int32_t i = k / b->w + sign * di[d], j = k % b->w + sign * dj[d];
                if ((uint32_t)i < (uint32_t)b->h && (uint32_t)j < (uint32_t)b->w) {
                    int8_t via = analysis_clip(steps[i * b->w + j] + 1);
                    steps[k] = via < steps[k] ? via : steps[k];
                }
            }
        }
    }
    for (int32_t k = 0; k < b->n; k++) {
        analysis_plane(b, FEATURE_RING_MOD2)[k] = steps[k] % 2;
    }
}

typedef struct Nearest {
    int8_t *color;
    int16_t *steps;
} Nearest;

enum { TIE = -1, OPEN = INT16_MAX };

INLINE bool enter(void *user, int32_t from, int32_t to) {
    const Nearest *n = user;
    if (n->steps[to] == OPEN) {
        n->steps[to] = (int16_t)(n->steps[from] + 1);
        n->color[to] = n->color[from];
        return true;
    }
    if (n->steps[to] == n->steps[from] + 1 && n->color[to] != n->color[from]) {
        n->color[to] = TIE;
    }
    return false;
}

/* Distances over sides, then over corners too, from all foreground cells at once. A cell that two colors
 * reach at the same step has no nearest color, and passes that on. */
static bool fill_nearest(Ctx *ctx, const GridAnalysis *b) {
    int16_t queue[FEATURE_MAX_CELLS], steps[FEATURE_MAX_CELLS];
    (void)ctx;
    for (int over_corners = 0; over_corners < 2; over_corners++) {
        Nearest nearest = {analysis_plane(b, over_corners ? FEATURE_RING_COLOR : FEATURE_NEAREST_COLOR),
                           steps};
        int32_t n = 0;
        for (int32_t k = 0; k < b->n; k++) {
            bool background = b->c[k] == b->background;
            nearest.color[k] = background ? TIE : b->c[k];
            steps[k] = background ? OPEN : 0;
            if (!background) {
                queue[n++] = (int16_t)k;
            }
        }
        flood_fill(b->h, b->w, over_corners ? FLOOD_CORNERS : FLOOD_SIDES, queue, n, enter, &nearest);
        for (int32_t k = 0; k < b->n && !over_corners; k++) {
            analysis_plane(b, FEATURE_NEAREST_STEPS)[k] = analysis_clip(steps[k]);
        }
    }
    fill_rings(b);
    return true;
}

/* ---- runs ---- */

/* Along a line of cells: the lengths of runs of one color, and how many foreground cells were met. */
static void fill_line(const GridAnalysis *b, int32_t first, int32_t step, int32_t length, int8_t *run,
                      int8_t *before) {
    int32_t busy = 0, start = 0;
    for (int32_t x = 0; x < length; x++) {
        int32_t k = first + x * step;
        before[k] = analysis_clip(busy);
        busy += b->c[k] != b->background;
        if (x + 1 == length || b->c[k + step] != b->c[k]) {
            int32_t run_length = x + 1 - start;
            for (; start <= x; start++) {
                run[first + start * step] = analysis_clip(run_length);
            }
        }
    }
}

static bool fill_runs(Ctx *ctx, const GridAnalysis *b) {
    (void)ctx;
    for (int32_t i = 0; i < b->h; i++) {
        fill_line(b, i * b->w, 1, b->w, analysis_plane(b, FEATURE_ROW_RUN),
                  analysis_plane(b, FEATURE_BUSY_TO_LEFT));
    }
    for (int32_t j = 0; j < b->w; j++) {
        fill_line(b, j, b->w, b->h, analysis_plane(b, FEATURE_COLUMN_RUN),
                  analysis_plane(b, FEATURE_BUSY_ABOVE));
    }
    return true;
}

/* ---- lines and the whole grid ---- */

/* For each line, what lies around it; `main` has the color of each line (-1: all background). */
static void fill_nearest_lines(const GridAnalysis *b, int32_t axis, const int8_t *main) {
    int32_t lines = axis == 0 ? b->h : b->w, length = axis == 0 ? b->w : b->h, first = lines, last = -1;
    for (int32_t x = 0; x < lines; x++) {
        first = main[x] != -1 && first == lines ? x : first;
        last = main[x] != -1 ? x : last;
    }
    last = first == lines ? lines : last; /* all background: before everything */
    for (int32_t x = 0; x < lines; x++) {
        int32_t steps = 0;
        int8_t before = -1, after = -1;
        for (; steps < lines && before == -1 && after == -1; steps++) {
            before = x >= steps ? main[x - steps] : -1;
            after = x + steps < lines ? main[x + steps] : -1;
        }
        steps = before != -1 || after != -1 ? steps - 1 : INT8_MAX;
        int8_t color = before == -1 || before == after ? after : after == -1 ? before : -1;
        for (int32_t y = 0; y < length; y++) {
            int32_t k = axis == 0 ? x * b->w + y : y * b->w + x;
            analysis_plane(b, axis ? FEATURE_COLUMN_STEPS : FEATURE_ROW_STEPS)[k] = analysis_clip(steps);
            analysis_plane(b, axis ? FEATURE_COLUMN_STEPS_MOD2 : FEATURE_ROW_STEPS_MOD2)[k] =
                (int8_t)(steps % 2);
            analysis_plane(b, axis ? FEATURE_NEAR_COLUMN_COLOR : FEATURE_NEAR_ROW_COLOR)[k] = color;
            analysis_plane(b, axis ? FEATURE_BOX_COLUMN : FEATURE_BOX_ROW)[k] =
                (int8_t)((x >= first) + (x > last));
        }
    }
}

static bool fill_lines(Ctx *ctx, const GridAnalysis *b) {
    int8_t mains[FEATURE_MAX_CELLS];
    (void)ctx;
    for (int32_t axis = 0; axis < 2; axis++) {
        int32_t lines = axis == 0 ? b->h : b->w, length = axis == 0 ? b->w : b->h;
        for (int32_t x = 0; x < lines; x++) {
            ColorCounts counts = {0};
            int32_t busy = 0;
            for (int32_t y = 0; y < length; y++) {
                int8_t c = axis == 0 ? b->c[x * b->w + y] : b->c[y * b->w + x];
                counts[c]++;
                busy += c != b->background;
            }
            int8_t main = mains[x] = analysis_most_frequent(counts, b->background);
            counts[b->background] = 0;
            int8_t rare = analysis_least_frequent(counts);
            bool uniform = busy == 0 || (main != -1 && counts[main] == length);
            for (int32_t y = 0; y < length; y++) {
                int32_t k = axis == 0 ? x * b->w + y : y * b->w + x;
                analysis_plane(b, axis ? FEATURE_COLUMN_COLOR : FEATURE_ROW_COLOR)[k] = main;
                analysis_plane(b, axis ? FEATURE_COLUMN_RARE : FEATURE_ROW_RARE)[k] = rare;
                analysis_plane(b, axis ? FEATURE_COLUMN_BUSY : FEATURE_ROW_BUSY)[k] = analysis_clip(busy);
                analysis_plane(b, axis ? FEATURE_COLUMN_UNIFORM : FEATURE_ROW_UNIFORM)[k] = uniform;
            }
        }
        fill_nearest_lines(b, axis, mains);
    }
    for (int32_t k = 0; k < b->n; k++) {
        int32_t sum =
            analysis_plane(b, FEATURE_ROW_STEPS_MOD2)[k] + analysis_plane(b, FEATURE_COLUMN_STEPS_MOD2)[k];
        analysis_plane(b, FEATURE_STEPS_MOD2)[k] = (int8_t)(sum % 2);
    }
    return true;
}

/* The bounding rectangle of each color's cells. */
static void fill_color_boxes(const GridAnalysis *b) {
    GridBox boxes[N_COLORS];
    for (int8_t c = 0; c < N_COLORS; c++) {
        boxes[c] = analysis_box(b, c);
    }
    int8_t rarest = analysis_rarest(b);
    GridBox rare = rarest != -1 ? boxes[rarest] : (GridBox){b->h, b->h, b->w, b->w};
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w, min = INT32_MAX;
        int8_t color = -1;
        for (int8_t c = 0; c < N_COLORS; c++) {
            const GridBox *box = &boxes[c];
            int32_t cells = (box->bottom - box->top + 1) * (box->right - box->left + 1);
            bool inside = i >= box->top && i <= box->bottom && j >= box->left && j <= box->right;
            if (c != b->background && inside && cells < min) {
                min = cells;
                color = c;
            }
        }
        analysis_plane(b, FEATURE_BOX_COLOR)[k] = color;
        analysis_plane(b, FEATURE_RARE_ROW)[k] = (int8_t)((i >= rare.top) + (i > rare.bottom));
        analysis_plane(b, FEATURE_RARE_COLUMN)[k] = (int8_t)((j >= rare.left) + (j > rare.right));
    }
}

static bool fill_whole(Ctx *ctx, const GridAnalysis *b) {
    const int16_t *counts = b->counts;
    size_t n = (size_t)b->n;
    (void)ctx;
    memset(analysis_plane(b, FEATURE_MAIN_COLOR), analysis_most_frequent(counts, -1), n);
    memset(analysis_plane(b, FEATURE_RAREST_COLOR), analysis_least_frequent(counts), n);
    memset(analysis_plane(b, FEATURE_MAIN_FOREGROUND), analysis_most_frequent(counts, b->background), n);
    int8_t rank[N_COLORS] = {0};
    for (int32_t c = 0; c < N_COLORS; c++) {
        for (int32_t d = 0; d < N_COLORS; d++) {
            rank[c] = (int8_t)(rank[c] + (counts[d] > counts[c]));
        }
    }
    for (size_t k = 0; k < n; k++) {
        analysis_plane(b, FEATURE_COLOR_RANK)[k] = rank[b->c[k]];
    }
    fill_color_boxes(b);
    return true;
}

static bool fill_place(Ctx *ctx, const GridAnalysis *b) {
    (void)ctx;
    for (int32_t i = 0, k = 0; i < b->h; i++) {
        for (int32_t j = 0; j < b->w; j++, k++) {
            int32_t across = j < b->w - 1 - j ? j : b->w - 1 - j, along = i < b->h - 1 - i ? i : b->h - 1 - i;
            analysis_plane(b, FEATURE_ROW)[k] = analysis_clip(i);
            analysis_plane(b, FEATURE_COLUMN)[k] = analysis_clip(j);
            analysis_plane(b, FEATURE_ROW_BELOW)[k] = analysis_clip(b->h - 1 - i);
            analysis_plane(b, FEATURE_COLUMN_RIGHT)[k] = analysis_clip(b->w - 1 - j);
            analysis_plane(b, FEATURE_ROW_MOD2)[k] = (int8_t)(i % 2);
            analysis_plane(b, FEATURE_COLUMN_MOD2)[k] = (int8_t)(j % 2);
            analysis_plane(b, FEATURE_SUM_MOD2)[k] = (int8_t)((i + j) % 2);
            analysis_plane(b, FEATURE_ROW_MOD3)[k] = (int8_t)(i % 3);
            analysis_plane(b, FEATURE_COLUMN_MOD3)[k] = (int8_t)(j % 3);
            analysis_plane(b, FEATURE_SUM_MOD3)[k] = (int8_t)((i + j) % 3);
            analysis_plane(b, FEATURE_SLANT_MOD3)[k] = (int8_t)((i + b->w - 1 - j) % 3);
            analysis_plane(b, FEATURE_RIM_DISTANCE)[k] = analysis_clip(across < along ? across : along);
            analysis_plane(b, FEATURE_RIM_MOD2)[k] = (int8_t)((across < along ? across : along) % 2);
            analysis_plane(b, FEATURE_DIAGONAL)[k] = i == j;
            analysis_plane(b, FEATURE_ANTIDIAGONAL)[k] = i + j == b->w - 1;
        }
    }
    return true;
}

/* Foreground falls to one end of its line and keeps its order. */
static bool fill_fall(Ctx *ctx, const GridAnalysis *b) {
    (void)ctx;
    for (int32_t side = 0; side < 4; side++) {
        bool down = side < 2, to_end = side % 2 == 0;
        int32_t lines = down ? b->w : b->h, length = down ? b->h : b->w, stride = down ? b->w : 1;
        int8_t *to = analysis_plane(b, feature_of_run(FEATURE_RUN_FALLEN, side));
        memset(to, b->background, (size_t)b->n);
        for (int32_t line = 0; line < lines; line++) {
            int32_t first = down ? line : line * b->w, place = to_end ? length - 1 : 0;
            for (int32_t y = 0; y < length; y++) {
                int8_t c = b->c[first + (to_end ? length - 1 - y : y) * stride];
                if (c != b->background) {
                    to[first + place * stride] = c;
                    place += to_end ? -1 : 1;
                }
            }
        }
    }
    return true;
}

/* Cells at the ends of lines, where tasks like to put marks that say something about the rest. */
static bool fill_ends(Ctx *ctx, const GridAnalysis *b) {
    size_t n = (size_t)b->n;
    (void)ctx;
    memset(analysis_plane(b, FEATURE_AT_TOP_LEFT), b->c[0], n);
    memset(analysis_plane(b, FEATURE_AT_TOP_RIGHT), b->c[b->w - 1], n);
    memset(analysis_plane(b, FEATURE_AT_BOTTOM_LEFT), b->c[b->n - b->w], n);
    memset(analysis_plane(b, FEATURE_AT_BOTTOM_RIGHT), b->c[b->n - 1], n);
    for (int32_t k = 0; k < b->n; k++) {
        int32_t row = k - k % b->w, j = k % b->w;
        analysis_plane(b, FEATURE_ROW_START)[k] = b->c[row];
        analysis_plane(b, FEATURE_ROW_END)[k] = b->c[row + b->w - 1];
        analysis_plane(b, FEATURE_COLUMN_START)[k] = b->c[j];
        analysis_plane(b, FEATURE_COLUMN_END)[k] = b->c[b->n - b->w + j];
    }
    return true;
}

Val analysis_cut(Ctx *ctx, const GridAnalysis *b, GridBox box) {
    Reason why;
    uint32_t h = (uint32_t)(box.bottom - box.top + 1), w = (uint32_t)(box.right - box.left + 1);
    ASSERT(box.top >= 0 && box.left >= 0 && box.bottom < b->h && box.right < b->w && h > 0 && w > 0,
           "rows %d to %d, columns %d to %d of %d x %d", box.top, box.bottom, box.left, box.right, b->h,
           b->w);
    int8_t *to = grid_buffer(ctx, h, w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    for (uint32_t i = 0; i < h; i++) {
        memcpy(to + i * w, b->c + (box.top + (int32_t)i) * b->w + box.left, w);
    }
    return val_grid8(to, h, w);
}

GridBox analysis_box(const GridAnalysis *b, int8_t color) {
    GridBox box = {b->h, -1, b->w, -1};
    for (int32_t k = 0; k < b->n; k++) {
        if (b->c[k] == color) {
            grid_box_widen(&box, k / b->w, k % b->w);
        }
    }
    return box;
}

bool analysis_of(Val grid, GridAnalysis *b, Reason *why) {
    *why = FAIL_TYPE;
    if (grid.kind != VAL_GRID8 || grid.w == 0) {
        return false;
    }
    *why = FAIL_LIMIT;
    if ((uint64_t)grid.n * grid.w > FEATURE_MAX_CELLS) {
        return false;
    }
    *b = (GridAnalysis){.h = (int32_t)grid.n, .w = grid.w, .n = (int32_t)(grid.n * grid.w), .c = grid.b8};
    *why = FAIL_RANGE;
    if (!count_colors(b)) {
        return false;
    }
    b->background = b->counts[0] > 0 ? 0 : analysis_most_frequent(b->counts, -1);
    ASSERT(b->n > 0 && b->background >= 0 && b->counts[b->background] > 0, "%dx%d cells, background %d", b->h,
           b->w, b->background);
    return true;
}

int8_t *features_of(Ctx *ctx, Val grid, const FeatureSet *wanted, Reason *why) {
    static bool (*const fills[GROUP_COUNT])(Ctx *, const GridAnalysis *) = {
#define GROUP(id, function) function,
#define RUN(id, first, last, length)
#include "engine/features/groups.def"
#undef GROUP
#undef RUN
    };
    GridAnalysis b;
    if (!analysis_of(grid, &b, why)) {
        return NULL;
    }
    b.planes = ctx_alloc(ctx, (size_t)FEATURE_COUNT * (size_t)b.n);
    bool good = b.planes != NULL;
    bool groups[GROUP_COUNT] = {false};
    for (unsigned f = 0; f < FEATURE_COUNT; f++) {
        groups[feature_sorts[f].group] |= wanted == NULL || wanted->has[f];
    }
    for (unsigned g = 0; g < GROUP_COUNT && good; g++) {
        good = !groups[g] || (ctx_charge(ctx, (uint64_t)b.n) && fills[g](ctx, &b));
    }
    *why = (Reason)ctx->exhausted;
    return good ? b.planes : NULL;
}
