/* Stamps: turning by what a reference grid shows, so that grids that differ only in orientation become alike;
 * and turning back.
 *
 * An orientation is a bit set: columns reversed, rows reversed, and then transposed. */
#include "engine/features/grid_analysis.h"
#include "engine/stamps/stamp.h"

#include <stdlib.h>

enum { REVERSE_COLUMNS = 1, REVERSE_ROWS = 2, TRANSPOSE = 4 };
enum { BY_SHAPE, BY_SIDE, BY_CONTENT, BY_RAREST, BY_MAIN, ORIENT_WAYS };

/* How far cells lie off the middle, in half cells, summed over the foreground or over the cells of one color.
 */
typedef struct Weight {
    int64_t down, right;
} Weight;

static Weight weigh(const GridAnalysis *b, int32_t color) {
    Weight sum = {0, 0};
    for (int32_t k = 0; k < b->n; k++) {
        if (color >= 0 ? b->c[k] == color : b->c[k] != b->background) {
            sum.down += 2 * (k / b->w) - (b->h - 1);
            sum.right += 2 * (k % b->w) - (b->w - 1);
        }
    }
    return sum;
}

/* The heavy side comes to the left, then to the top. */
static unsigned by_weight(const GridAnalysis *b, int32_t color) {
    Weight sum = weigh(b, color);
    unsigned way = (sum.right > 0 ? REVERSE_COLUMNS : 0u) | (sum.down > 0 ? REVERSE_ROWS : 0u);
    return way | (llabs(sum.down) * b->w > llabs(sum.right) * b->h ? TRANSPOSE : 0u);
}

/* The side with the greatest share of foreground comes to the left. */
static unsigned by_side(const GridAnalysis *b) {
    static const uint8_t ways[4] = {0, TRANSPOSE, REVERSE_COLUMNS, REVERSE_ROWS | TRANSPOSE};
    int32_t busy[4] = {0}, length[4] = {b->h, b->w, b->h, b->w}; /* left, above, right, below */
    for (int32_t i = 0; i < b->h; i++) {
        busy[0] += b->c[i * b->w] != b->background;
        busy[2] += b->c[i * b->w + b->w - 1] != b->background;
    }
    for (int32_t j = 0; j < b->w; j++) {
        busy[1] += b->c[j] != b->background;
        busy[3] += b->c[(b->h - 1) * b->w + j] != b->background;
    }
    int best = 0;
    for (int side = 1; side < 4; side++) {
        best = busy[side] * length[best] > busy[best] * length[side] ? side : best;
    }
    return ways[best];
}

static unsigned way_of(const GridAnalysis *b, int64_t by) {
    switch (by) {
    case BY_SHAPE:
        return b->h > b->w ? TRANSPOSE : 0;
    case BY_SIDE:
        return by_side(b);
    case BY_CONTENT:
        return by_weight(b, -1);
    case BY_RAREST:
        return by_weight(b, analysis_least_frequent(b->counts));
    default:
        return by_weight(b, analysis_most_frequent(b->counts, b->background));
    }
}

static Val turn(Ctx *ctx, const Val *a, bool back) {
    Stamp s;
    GridAnalysis b;
    Reason why;
    if (!stamp_read(a[0], &s) || !val_is_int(a[2])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[2].i < 0 || a[2].i >= ORIENT_WAYS) {
        return val_fail(FAIL_RANGE);
    }
    if (!analysis_of(a[1], &b, &why)) {
        return val_fail(why);
    }
    unsigned way = way_of(&b, a[2].i);
    bool swap = way & TRANSPOSE;
    int32_t h = swap ? s.w : s.h, w = swap ? s.h : s.w;
    int8_t *to = stamp_new(ctx, h, w);
    if (to == NULL || !ctx_charge(ctx, (uint64_t)b.n)) {
        return stamp_val(ctx, STAMP_NONE);
    }
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            int32_t a_row = swap ? j : i, a_column = swap ? i : j;
            /* When turning back, the reversals follow the transposition, so they apply to the result's axes,
             * not to the stamp's. */
            bool rows = way & (back && swap ? REVERSE_COLUMNS : REVERSE_ROWS);
            bool columns = way & (back && swap ? REVERSE_ROWS : REVERSE_COLUMNS);
            a_row = rows ? s.h - 1 - a_row : a_row;
            a_column = columns ? s.w - 1 - a_column : a_column;
            to[i * w + j] = s.c[a_row * s.w + a_column];
        }
    }
    return stamp_val(ctx, (Stamp){0, 0, h, w, to});
}

Val prim_stamp_orient(Ctx *ctx, const Val *a) {
    return turn(ctx, a, false);
}

Val prim_stamp_unorient(Ctx *ctx, const Val *a) {
    return turn(ctx, a, true);
}
