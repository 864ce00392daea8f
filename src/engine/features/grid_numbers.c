/* Numbers that describe a whole grid; see grid_numbers.h. */
#include "engine/features/grid_numbers.h"

#include "base/check.h"

#include <string.h>

const GridNumberSort grid_number_sorts[NUMBER_COUNT] = {
#define GRID_NUMBER(id, kind, cost, text) {FEATURE_IS_##kind, cost},
#include "engine/features/grid_numbers.def"
#undef GRID_NUMBER
};

static void fill_colors(const GridAnalysis *b, int16_t *of) {
    of[NUMBER_COLORS] = 0;
    for (int c = 0; c < N_COLORS; c++) {
        of[NUMBER_COLORS] = (int16_t)(of[NUMBER_COLORS] + (b->counts[c] > 0));
        of[NUMBER_CELLS_0 + c] = b->counts[c];
    }
    bool background = b->counts[b->background] > 0;
    int8_t main = analysis_most_frequent(b->counts, b->background), rarest = analysis_rarest(b);
    of[NUMBER_FOREGROUND_COLORS] = (int16_t)(of[NUMBER_COLORS] - background);
    of[NUMBER_FOREGROUND_CELLS] = (int16_t)(b->n - b->counts[b->background]);
    of[NUMBER_MAIN] = main;
    of[NUMBER_RAREST] = rarest;
    of[NUMBER_BACKGROUND] = b->background;
    of[NUMBER_MAIN_CELLS] = main >= 0 ? b->counts[main] : 0;
    of[NUMBER_RAREST_CELLS] = rarest >= 0 ? b->counts[rarest] : 0;
    of[NUMBER_CORNER] = b->c[0];
    of[NUMBER_MIDDLE] = b->c[b->h / 2 * b->w + b->w / 2];
}

static void fill_parts(const GridAnalysis *b, int16_t *of) {
    static const Connectivity parts = {1, 1, true, false, true, false},
                              parts8 = {1, 1, false, false, true, false},
                              mcomps = {1, 1, false, true, true, false},
                              regions = {1, 1, true, false, false, true};
    int16_t label[FEATURE_MAX_CELLS], sizes[FEATURE_MAX_CELLS] = {0};
    of[NUMBER_COMPONENTS8] = (int16_t)analysis_label_linked(b, &parts8, label);
    of[NUMBER_MULTICOLOR_COMPONENTS] = (int16_t)analysis_label_linked(b, &mcomps, label);
    of[NUMBER_REGIONS] = (int16_t)analysis_label_linked(b, &regions, label);
    of[NUMBER_COMPONENTS] = (int16_t)analysis_label_linked(b, &parts, label);
    of[NUMBER_LARGEST] = 0;
    of[NUMBER_LARGEST_COLOR] = -1;
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            sizes[label[k]]++;
        }
    }
    for (int32_t k = 0; k < b->n; k++) { /* parts in the order of their first cells */
        if (label[k] >= 0 && sizes[label[k]] > of[NUMBER_LARGEST]) {
            of[NUMBER_LARGEST] = sizes[label[k]];
            of[NUMBER_LARGEST_COLOR] = b->c[k];
        }
    }
}

static void fill_order(const GridAnalysis *b, int16_t *of) {
    bool columns = true, rows = true, diagonal = b->h == b->w, half = true;
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = k / b->w, j = k % b->w;
        columns &= b->c[k] == b->c[i * b->w + b->w - 1 - j];
        rows &= b->c[k] == b->c[(b->h - 1 - i) * b->w + j];
        half &= b->c[k] == b->c[b->n - 1 - k];
        diagonal = diagonal && b->c[k] == b->c[j * b->w + i];
    }
    of[NUMBER_MIRRORED_COLUMNS] = columns;
    of[NUMBER_MIRRORED_ROWS] = rows;
    of[NUMBER_DIAGONAL] = diagonal;
    of[NUMBER_HALF_TURN] = half;
    of[NUMBER_TALL] = (int16_t)((b->h > b->w) - (b->h < b->w));
}

static int16_t half_of(int64_t sum, int64_t middle) {
    return sum < middle ? 0 : sum > middle ? 2 : 1;
}

static void fill_place(const GridAnalysis *b, int16_t *of) {
    int64_t rows = 0, columns = 0, n = 0;
    for (int32_t k = 0; k < b->n; k++) {
        if (b->c[k] != b->background) {
            rows += 2 * (k / b->w);
            columns += 2 * (k % b->w);
            n++;
        }
    }
    of[NUMBER_FOREGROUND_ROW] = half_of(rows, n * (b->h - 1));
    of[NUMBER_FOREGROUND_COLUMN] = half_of(columns, n * (b->w - 1));
}

void grid_numbers(const GridAnalysis *b, GridNumbers *to) {
    to->of[NUMBER_HEIGHT] = (int16_t)b->h;
    to->of[NUMBER_WIDTH] = (int16_t)b->w;
    fill_colors(b, to->of);
    fill_parts(b, to->of);
    fill_order(b, to->of);
    fill_place(b, to->of);
}

Val prim_grid_number(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    GridNumbers numbers;
    if (!val_is_int(a[1]) || a[1].i < 0 || a[1].i >= NUMBER_COUNT) {
        return val_fail(FAIL_TYPE);
    }
    if (!analysis_of(a[0], &b, &why)) {
        return val_fail(why);
    }
    if (!ctx_charge(ctx, (uint64_t)b.n)) {
        return val_fail_budget(ctx);
    }
    grid_numbers(&b, &numbers);
    return val_int(numbers.of[a[1].i]);
}
