/* Dividing a grid by position, frames or boxes; see scene_splits.h. */
#include "engine/scenes/scene_splits.h"

#include "base/check.h"

#include <string.h>

/* ---- by position ---- */

typedef struct Split { /* one axis cut into equal pieces */
    int32_t pieces, length, gap;
} Split;

/* False: that many equal pieces, with a line between neighbors or without, do not fill n cells. */
static bool split(int32_t n, int32_t pieces, Split *to) {
    int32_t gap = n % pieces == 0 ? 0 : 1;
    *to = (Split){pieces, (n - gap * (pieces - 1)) / pieces, gap};
    return to->length > 0 && to->length * pieces + gap * (pieces - 1) == n;
}

static int32_t piece_of(const Split *s, int32_t x) { /* -1: on a line between pieces */
    int32_t piece = x / (s->length + s->gap);
    return x % (s->length + s->gap) < s->length ? piece : -1;
}

static int32_t label_split(const GridAnalysis *b, int32_t rows, int32_t columns, int16_t *label) {
    Split v, h;
    if (rows * columns < 2 || rows * columns > SCENE_MAX_OBJECTS || !split(b->h, rows, &v) ||
        !split(b->w, columns, &h)) {
        return 0;
    }
    for (int32_t k = 0; k < b->n; k++) {
        int32_t i = piece_of(&v, k / b->w), j = piece_of(&h, k % b->w);
        label[k] = (int16_t)(i < 0 || j < 0 ? -1 : i * columns + j);
    }
    return rows * columns;
}

static int32_t label_squares(const GridAnalysis *b, int16_t *label) {
    int32_t side = b->h < b->w ? b->h : b->w, longer = b->h < b->w ? b->w : b->h;
    return longer % side != 0 ? 0 : label_split(b, b->h / side, b->w / side, label);
}

/* ---- by boxes ---- */

/* Numbers labels anew, by their first cells; those that no cell has fall away. */
static int32_t renumber(const GridAnalysis *b, int16_t *label) {
    int16_t number[FEATURE_MAX_CELLS];
    int16_t count = 0;
    memset(number, -1, sizeof number);
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            number[label[k]] = number[label[k]] < 0 ? count++ : number[label[k]];
            label[k] = number[label[k]];
        }
    }
    return count;
}

static void find_boxes(const GridAnalysis *b, const int16_t *label, GridBox *boxes, int32_t *sizes,
                       int32_t n) {
    for (int32_t k = 0; k < n; k++) {
        boxes[k] = (GridBox){b->h, -1, b->w, -1};
        sizes[k] = 0;
    }
    for (int32_t k = 0; k < b->n; k++) {
        if (label[k] >= 0) {
            GridBox *x = &boxes[label[k]];
            int32_t i = k / b->w, j = k % b->w;
            x->top = i < x->top ? i : x->top;
            x->bottom = i > x->bottom ? i : x->bottom;
            x->left = j < x->left ? j : x->left;
            x->right = j > x->right ? j : x->right;
            sizes[label[k]]++;
        }
    }
}

/* Whether a component is exactly the rim of its box. */
static bool is_frame(const GridAnalysis *b, const int16_t *label, int32_t number, const GridBox *x,
                     int32_t size) {
    int32_t h = x->bottom - x->top + 1, w = x->right - x->left + 1;
    bool frame = h >= 3 && w >= 3 && size == 2 * (h + w) - 4;
    for (int32_t j = x->left; j <= x->right && frame; j++) {
        frame = label[x->top * b->w + j] == number && label[x->bottom * b->w + j] == number;
    }
    for (int32_t i = x->top; i <= x->bottom && frame; i++) {
        frame = label[i * b->w + x->left] == number && label[i * b->w + x->right] == number;
    }
    return frame;
}

static int32_t label_insides(const GridAnalysis *b, int16_t *label) {
    int16_t part[FEATURE_MAX_CELLS], inner[FEATURE_MAX_CELLS] = {0}; /* inner: the area of that frame */
    GridBox boxes[FEATURE_MAX_CELLS];
    int32_t sizes[FEATURE_MAX_CELLS];
    int32_t n = analysis_label_linked(b, &(Connectivity){1, 1, true, false, true, false}, part);
    find_boxes(b, part, boxes, sizes, n);
    memset(label, -1, (size_t)b->n * sizeof *label);
    for (int32_t k = 0; k < n; k++) {
        const GridBox *x = &boxes[k];
        int16_t area = (int16_t)((x->bottom - x->top) * (x->right - x->left));
        if (!is_frame(b, part, k, x, sizes[k])) {
            continue;
        }
        for (int32_t i = x->top + 1; i < x->bottom; i++) {
            for (int32_t j = x->left + 1; j < x->right; j++) {
                int32_t at = i * b->w + j;
                if (label[at] < 0 || area < inner[at]) {
                    label[at] = (int16_t)k;
                    inner[at] = area;
                }
            }
        }
    }
    return renumber(b, label);
}

static bool overlap(const GridBox *a, const GridBox *b) {
    return a->top <= b->bottom && b->top <= a->bottom && a->left <= b->right && b->left <= a->right;
}

static int32_t label_boxes(const GridAnalysis *b, int16_t *label) {
    GridBox boxes[FEATURE_MAX_CELLS];
    int32_t sizes[FEATURE_MAX_CELLS];
    int32_t n = analysis_label_linked(b, &(Connectivity){1, 1, false, true, true, false}, label);
    if (n > SCENE_MAX_OBJECTS) {
        return n;
    }
    bool again = true;
    while (again) { /* boxes grow when they are taken together, so that others may overlap them now */
        int16_t joins[SCENE_MAX_OBJECTS] = {0};
        again = false;
        find_boxes(b, label, boxes, sizes, n);
        for (int32_t k = 0; k < n; k++) {
            joins[k] = (int16_t)k;
            for (int32_t x = 0; x < k && joins[k] == k; x++) {
                joins[k] = overlap(&boxes[k], &boxes[x]) ? joins[x] : joins[k];
            }
            again |= joins[k] != k;
        }
        for (int32_t k = 0; k < b->n; k++) {
            label[k] = label[k] < 0 ? label[k] : joins[label[k]];
        }
        n = renumber(b, label);
    }
    return n;
}

static int32_t label_foreground(const GridAnalysis *b, int16_t *label) {
    bool any = false;
    for (int32_t k = 0; k < b->n; k++) {
        label[k] = b->c[k] == b->background ? -1 : 0;
        any |= label[k] == 0;
    }
    return any;
}

int32_t scene_label_split(const GridAnalysis *b, SceneSegmentation segmentation, int16_t *label) {
    switch (segmentation) {
    case SEGMENT_INSIDES:
        return label_insides(b, label);
    case SEGMENT_BOXES:
        return label_boxes(b, label);
    case SEGMENT_FOREGROUND:
        return label_foreground(b, label);
    case SEGMENT_SQUARES:
        return label_squares(b, label);
    case SEGMENT_LEFT_RIGHT:
        return label_split(b, 1, 2, label);
    case SEGMENT_TOP_BOTTOM:
        return label_split(b, 2, 1, label);
    case SEGMENT_QUARTERS:
        return label_split(b, 2, 2, label);
    default:
        ASSERT(segmentation == SEGMENT_NINTHS, "way %u", segmentation);
        return label_split(b, 3, 3, label);
    }
}
