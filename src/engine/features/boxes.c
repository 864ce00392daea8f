/* Features of the smallest rectangle around a component that covers a cell, which background has, too: where
 * the cell lies in it, what is mirrored in it, which colors it has. And the size of groups of one color that
 * are connected over sides or corners. */
#include "engine/features/grid_analysis.h"

#include <string.h>

enum { MAX_BOXES = 200 }; /* more components are noise */

typedef struct LabeledBoxes {
    int16_t label[FEATURE_MAX_CELLS];
    GridBox box[FEATURE_MAX_CELLS];
    int16_t size[FEATURE_MAX_CELLS];
    int32_t count;
} LabeledBoxes;

static void measure(const GridAnalysis *b, LabeledBoxes *to) {
    for (int32_t p = 0; p < to->count; p++) {
        to->box[p] = (GridBox){b->h, -1, b->w, -1};
        to->size[p] = 0;
    }
    for (int32_t k = 0; k < b->n; k++) {
        int16_t p = to->label[k];
        if (p >= 0) {
            to->size[p]++;
            grid_box_widen(&to->box[p], k / b->w, k % b->w);
        }
    }
}

static int32_t area_of(GridBox box) {
    return (box.bottom - box.top + 1) * (box.right - box.left + 1);
}

/* How often each color except background is in a rectangle. */
static void count_box(const GridAnalysis *b, GridBox box, ColorCounts counts) {
    memset(counts, 0, sizeof(ColorCounts));
    for (int32_t i = box.top; i <= box.bottom; i++) {
        for (int32_t j = box.left; j <= box.right; j++) {
            int8_t c = b->c[i * b->w + j];
            counts[c] = (int16_t)(counts[c] + (c != b->background));
        }
    }
}

/* ---- in the smallest rectangle of a multicolor component ---- */

/* For each cell, the rectangle; -1: none covers it. */
static void find_smallest(const GridAnalysis *b, const LabeledBoxes *mcomps, int16_t *smallest) {
    memset(smallest, -1, (size_t)b->n * sizeof *smallest);
    for (int32_t p = 0; p < mcomps->count && mcomps->count <= MAX_BOXES; p++) {
        GridBox box = mcomps->box[p];
        for (int32_t i = box.top; i <= box.bottom; i++) {
            for (int32_t j = box.left; j <= box.right; j++) {
                int16_t *at = &smallest[i * b->w + j];
                *at = *at < 0 || area_of(box) < area_of(mcomps->box[*at]) ? (int16_t)p : *at;
            }
        }
    }
}

static void fill_boxed(const GridAnalysis *b, GridBox box, int8_t main, int8_t rarest, int32_t k) {
    int32_t i = k / b->w, j = k % b->w, below = box.bottom - i, right = box.right - j;
    int32_t row = i - box.top, column = j - box.left;
    int32_t rim = row < below ? row : below, end = column < right ? column : right;
    bool square = box.bottom - box.top == box.right - box.left;
    analysis_plane(b, FEATURE_BOXED_MIRROR_COLUMNS)[k] = b->c[i * b->w + box.left + right];
    analysis_plane(b, FEATURE_BOXED_MIRROR_ROWS)[k] = b->c[(box.top + below) * b->w + j];
    analysis_plane(b, FEATURE_BOXED_MIRROR_BOTH)[k] = b->c[(box.top + below) * b->w + box.left + right];
    analysis_plane(b, FEATURE_BOXED_TRANSPOSED)[k] =
        square ? b->c[(box.top + column) * b->w + box.left + row] : -1;
    analysis_plane(b, FEATURE_BOXED_MAIN)[k] = main;
    analysis_plane(b, FEATURE_BOXED_RAREST)[k] = rarest;
    analysis_plane(b, FEATURE_BOXED_RIM)[k] = analysis_clip(rim < end ? rim : end);
    analysis_plane(b, FEATURE_BOXED_AT_ROW)[k] = analysis_clip(row);
    analysis_plane(b, FEATURE_BOXED_AT_COLUMN)[k] = analysis_clip(column);
    analysis_plane(b, FEATURE_BOXED_AT_BELOW)[k] = analysis_clip(below);
    analysis_plane(b, FEATURE_BOXED_AT_RIGHT)[k] = analysis_clip(right);
    analysis_plane(b, FEATURE_BOXED_AT_MOD2)[k] = (int8_t)((row + column) % 2);
}

static void fill_all_boxed(const GridAnalysis *b, const LabeledBoxes *mcomps) {
    int16_t smallest[FEATURE_MAX_CELLS];
    int8_t main[FEATURE_MAX_CELLS], rarest[FEATURE_MAX_CELLS];
    find_smallest(b, mcomps, smallest);
    for (int32_t p = 0; p < mcomps->count; p++) {
        ColorCounts counts;
        count_box(b, mcomps->box[p], counts);
        main[p] = analysis_most_frequent(counts, -1);
        rarest[p] = analysis_least_frequent(counts);
    }
    for (int32_t k = 0; k < b->n; k++) {
        int32_t p = smallest[k];
        if (p >= 0) {
            fill_boxed(b, mcomps->box[p], main[p], rarest[p], k);
            continue;
        }
        for (int f = 0; f < 12; f++) {
            analysis_plane(b, feature_of_run(FEATURE_RUN_BOXED, f))[k] = -1;
        }
    }
}

/* ---- groups of one color ---- */

static void fill_linked(const GridAnalysis *b, const LabeledBoxes *linked) {
    for (int32_t k = 0; k < b->n; k++) {
        int32_t rank = 0, mine = linked->label[k];
        for (int32_t p = 0; p < linked->count && mine >= 0 && linked->count <= MAX_BOXES; p++) {
            rank += linked->size[p] > linked->size[mine];
        }
        analysis_plane(b, FEATURE_LINKED_SIZE)[k] = mine < 0 ? 0 : analysis_clip(linked->size[mine]);
        analysis_plane(b, FEATURE_LINKED_RANK)[k] = mine < 0 ? -1 : analysis_clip(rank);
    }
}

bool features_fill_boxes(Ctx *ctx, const GridAnalysis *b) {
    static const Connectivity over_corners = {.rows = 1, .columns = 1, .foreground = true};
    CtxMark mark = ctx_mark(ctx);
    LabeledBoxes *boxes = ctx_alloc(ctx, sizeof *boxes);
    if (boxes == NULL) {
        return false;
    }
    boxes->count = analysis_label(b, true, boxes->label);
    measure(b, boxes);
    fill_all_boxed(b, boxes);
    boxes->count = analysis_label_linked(b, &over_corners, boxes->label);
    measure(b, boxes);
    fill_linked(b, boxes);
    ctx_release(ctx, mark);
    return true;
}
