/* Lists laid out; see lay.h. */
#include "engine/patterns/lay.h"

#include "base/check.h"

#include <string.h>

const double lay_path_costs[LAY_PATHS] = {
#define PATH(id, cost, text) cost,
#include "engine/patterns/lay.def"
#undef PATH
};
const double laying_costs[LAYING_COUNT] = {
#define LAYING(id, cost, text) cost,
#include "engine/patterns/lay.def"
#undef LAYING
};

static int32_t min_i32(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t max_i32(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* ---- runs ---- */

int32_t lay_room(LayPath path, int32_t h, int32_t w) {
    ASSERT(!lay_is_bars(path), "path %u", path);
    switch (path) {
    case LAY_FULL_ROWS:
        return h;
    case LAY_FULL_COLUMNS:
        return w;
    case LAY_RINGS:
    case LAY_RINGS_OUT:
        return (min_i32(h, w) + 1) / 2;
    case LAY_DIAGONAL:
    case LAY_ANTI_DIAGONAL:
        return min_i32(h, w);
    case LAY_DIAGONALS:
        return h + w - 1;
    case LAY_CORNERS:
        return max_i32(h, w);
    case LAY_CHECKER:
        return (h * w + 1) / 2;
    default:
        return h * w;
    }
}

/* The number of cells in the rings before this one, plus those on its sides, clockwise. */
static int32_t spiral_place(int32_t h, int32_t w, int32_t i, int32_t j) {
    int32_t ring = min_i32(min_i32(i, j), min_i32(h - 1 - i, w - 1 - j));
    int32_t rows = h - 2 * ring, columns = w - 2 * ring, before = h * w - rows * columns;
    int32_t a = i - ring, b = j - ring;
    if (a == 0) {
        return before + b;
    }
    if (b == columns - 1) {
        return before + columns - 1 + a;
    }
    return a == rows - 1 ? before + columns - 1 + rows - 1 + columns - 1 - b
                         : before + 2 * (columns - 1) + rows - 1 + rows - 1 - a;
}

int32_t lay_place(LayPath path, int32_t h, int32_t w, int32_t i, int32_t j) {
    ASSERT(i >= 0 && i < h && j >= 0 && j < w, "(%d, %d) of %d x %d", i, j, h, w);
    int32_t ring = min_i32(min_i32(i, j), min_i32(h - 1 - i, w - 1 - j));
    switch (path) {
    case LAY_ROWS:
        return i * w + j;
    case LAY_COLUMNS:
        return j * h + i;
    case LAY_SNAKE:
        return i * w + (i % 2 ? w - 1 - j : j);
    case LAY_SNAKE_COLUMNS:
        return j * h + (j % 2 ? h - 1 - i : i);
    case LAY_FULL_ROWS:
        return i;
    case LAY_FULL_COLUMNS:
        return j;
    case LAY_RINGS:
        return ring;
    case LAY_RINGS_OUT:
        return lay_room(path, h, w) - 1 - ring;
    case LAY_DIAGONAL:
        return i == j ? i : -1;
    case LAY_ANTI_DIAGONAL:
        return i + j == w - 1 ? i : -1;
    case LAY_DIAGONALS:
        return i + j;
    case LAY_CORNERS:
        return max_i32(i, j);
    case LAY_CHECKER:
        return (i + j) % 2 ? -1 : (i * w + j + (w % 2 || i % 2 == 0 ? 1 : 0)) / 2;
    default:
        return spiral_place(h, w, i, j);
    }
}

static int32_t total(const LayRun *runs, int32_t n) {
    int32_t sum = 0;
    for (int32_t k = 0; k < n; k++) {
        sum += runs[k].times;
    }
    return sum;
}

/* The size that bars need: one line per run across, and the longest run along. */
static void size_of_bars(LayPath path, const LayRun *runs, int32_t n, int32_t *h, int32_t *w) {
    bool lie = path == LAY_BARS_RIGHT || path == LAY_BARS_LEFT;
    int32_t longest = 0, *across = lie ? h : w, *along = lie ? w : h;
    for (int32_t k = 0; k < n; k++) {
        longest = max_i32(longest, runs[k].times);
    }
    *across = *across == 0 ? n : *across;
    *along = *along == 0 ? longest : *along;
}

bool lay_size(LayPath path, const LayRun *runs, int32_t n, int32_t *h, int32_t *w) {
    bool any_h = *h == 0, any_w = *w == 0;
    if (lay_is_bars(path)) {
        size_of_bars(path, runs, n, h, w);
    } else if (any_h || any_w) {
        int32_t needed = max_i32(total(runs, n), 1), side = 0;
        do {
            side++;
            *h = any_h ? side : *h;
            *w = any_w ? side : *w;
        } while (lay_room(path, *h, *w) < needed && *h * *w <= FEATURE_MAX_CELLS);
    }
    return *h > 0 && *w > 0 && *h <= FEATURE_MAX_CELLS && *w <= FEATURE_MAX_CELLS &&
           *h * *w <= FEATURE_MAX_CELLS;
}

static void lay_bars(const LayRun *runs, int32_t n, LayPath path, bool again, LayColors colors, int32_t h,
                     int32_t w, int8_t *to) {
    for (int32_t k = 0; k < h * w; k++) {
        int32_t i = k / w, j = k % w;
        bool lies = path == LAY_BARS_RIGHT || path == LAY_BARS_LEFT;
        int32_t bar = lies ? i : j;
        int32_t along = path == LAY_BARS_RIGHT  ? j
                        : path == LAY_BARS_LEFT ? w - 1 - j
                        : path == LAY_BARS_UP   ? h - 1 - i
                                                : i;
        bar = again && n > 0 ? bar % n : bar;
        bool inside = bar < n && along < runs[bar].times;
        to[k] = !inside ? colors.rest : colors.foreground >= 0 ? colors.foreground : runs[bar].color;
    }
}

void lay_runs(const LayRun *runs, int32_t n, LayPath path, bool again, LayColors colors, int32_t h, int32_t w,
              int8_t *to) {
    ASSERT(n >= 0 && h > 0 && w > 0 && h * w <= FEATURE_MAX_CELLS, "%d runs on %d x %d", n, h, w);
    int8_t along[FEATURE_MAX_CELLS];
    int32_t length = 0;
    if (lay_is_bars(path)) {
        lay_bars(runs, n, path, again, colors, h, w, to);
        return;
    }
    for (int32_t k = 0; k < n && length < FEATURE_MAX_CELLS; k++) {
        int32_t times = min_i32(runs[k].times, FEATURE_MAX_CELLS - length);
        memset(along + length, colors.foreground >= 0 ? colors.foreground : runs[k].color, (size_t)times);
        length += times;
    }
    for (int32_t k = 0; k < h * w; k++) {
        int32_t place = lay_place(path, h, w, k / w, k % w);
        place = again && place >= 0 && length > 0 ? place % length : place;
        to[k] = place >= 0 && place < length ? along[place] : colors.rest;
    }
}

/* ---- grids ---- */

static int32_t flush(int32_t room, int32_t size, int32_t how) { /* how: 0 first, 1 middle, 2 last */
    return how == 0 ? 0 : how == 1 ? (room - size) / 2 : room - size;
}

LaySize lay_corners(Laying way, int32_t gap, const LaySize *sizes, int32_t n, LaySize *corners) {
    ASSERT(n >= 1 && n <= LAY_MAX && gap >= 0, "%d grids, gap %d", n, gap);
    LaySize largest = {0, 0}, next = {0, 0};
    int32_t in_row = 1;
    while (in_row * in_row < n) {
        in_row++;
    }
    for (int32_t k = 0; k < n; k++) {
        largest = (LaySize){max_i32(largest.h, sizes[k].h), max_i32(largest.w, sizes[k].w)};
    }
    for (int32_t k = 0; k < n; k++) {
        switch (way) {
        case LAYING_ROW_TOP:
        case LAYING_ROW_MIDDLE:
        case LAYING_ROW_BOTTOM:
            corners[k] = (LaySize){flush(largest.h, sizes[k].h, (int32_t)(way - LAYING_ROW_TOP)), next.w};
            break;
        case LAYING_COLUMN_LEFT:
        case LAYING_COLUMN_MIDDLE:
        case LAYING_COLUMN_RIGHT:
            corners[k] = (LaySize){next.h, flush(largest.w, sizes[k].w, (int32_t)(way - LAYING_COLUMN_LEFT))};
            break;
        case LAYING_OVER:
            corners[k] = (LaySize){0, 0};
            break;
        case LAYING_CENTERED:
            corners[k] = (LaySize){flush(largest.h, sizes[k].h, 1), flush(largest.w, sizes[k].w, 1)};
            break;
        case LAYING_SQUARE:
            corners[k] = (LaySize){k / in_row * (largest.h + gap), k % in_row * (largest.w + gap)};
            break;
        default:
            corners[k] = next;
        }
        next = (LaySize){next.h + sizes[k].h + gap, next.w + sizes[k].w + gap};
    }
    LaySize chain = {next.h - gap, next.w - gap};
    int32_t rows = (n + in_row - 1) / in_row;
    switch (way) {
    case LAYING_ROW_TOP:
    case LAYING_ROW_MIDDLE:
    case LAYING_ROW_BOTTOM:
        return (LaySize){largest.h, chain.w};
    case LAYING_COLUMN_LEFT:
    case LAYING_COLUMN_MIDDLE:
    case LAYING_COLUMN_RIGHT:
        return (LaySize){chain.h, largest.w};
    case LAYING_OVER:
    case LAYING_CENTERED:
        return largest;
    case LAYING_SQUARE:
        return (LaySize){rows * (largest.h + gap) - gap, in_row * (largest.w + gap) - gap};
    default:
        for (int32_t k = 0; k < n && way == LAYING_DIAGONAL_UP; k++) { /* the first at the bottom */
            corners[k].h = chain.h - corners[k].h - sizes[k].h;
        }
        return chain;
    }
}
