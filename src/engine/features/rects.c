/* Features of the rectangles of one color that cover a cell.
 *
 * Rectangles are visited in order of their extent in lines, the largest first. What was found for one extent
 * is inherited by the next smaller one, so no rectangle's cells are ever walked. */
#include "engine/features/grid_analysis.h"

typedef struct Rects {
    const GridAnalysis *b;
    bool wide;                        /* lines are rows, otherwise columns: whichever are fewer */
    int32_t lines, length;            /* their number and their length */
    int16_t alike[FEATURE_MAX_CELLS]; /* how many lines from here on have the same color at this place */
    int16_t cells[FEATURE_MAX_CELLS], side[FEATURE_MAX_CELLS]; /* by line and place: the greatest so far */
} Rects;

static int32_t cell_at(const Rects *r, int32_t line, int32_t place) {
    return r->wide ? line * r->b->w + place : place * r->b->w + line;
}

static int16_t greater(int32_t x, int32_t y) {
    return (int16_t)(x > y ? x : y);
}

static void count_alike(Rects *r) {
    for (int32_t line = r->lines - 1; line >= 0; line--) {
        for (int32_t place = 0; place < r->length; place++) {
            int8_t c = r->b->c[cell_at(r, line, place)];
            bool more = line + 1 < r->lines && r->b->c[cell_at(r, line + 1, place)] == c;
            r->alike[line * r->length + place] =
                (int16_t)(1 + (more ? r->alike[(line + 1) * r->length + place] : 0));
        }
    }
}

/* Visits the rectangles of one extent that begin at a line. Larger ones that were noted at this line or the
 * one before cover it too. */
static void look_from_line(Rects *r, int32_t extent, int32_t line) {
    int16_t *cells = r->cells + line * r->length, *side = r->side + line * r->length;
    const int16_t *alike = r->alike + line * r->length;
    for (int32_t place = 0, end; place < r->length; place = end) {
        int8_t c = r->b->c[cell_at(r, line, place)];
        bool is_rect = alike[place] >= extent;
        for (end = place + 1;
             is_rect && end < r->length && alike[end] >= extent && r->b->c[cell_at(r, line, end)] == c;) {
            end++;
        }
        int32_t long_side = end - place;
        for (int32_t p = place; p < end; p++) {
            if (line > 0) {
                cells[p] = greater(cells[p], cells[p - r->length]);
                side[p] = greater(side[p], side[p - r->length]);
            }
            if (is_rect) {
                cells[p] = greater(cells[p], extent > 1 && long_side > 1 ? extent * long_side : 0);
                side[p] = greater(side[p], extent < long_side ? extent : long_side);
            }
        }
    }
}

static void find_rects(Rects *r) {
    for (int32_t k = 0; k < r->b->n; k++) {
        r->cells[k] = r->side[k] = 0;
    }
    for (int32_t extent = r->lines; extent > 0; extent--) {
        /* Backwards: a line inherits from the one before, as that was for the larger extent. */
        for (int32_t line = r->lines - extent; line >= 0; line--) {
            look_from_line(r, extent, line);
        }
    }
}

bool features_fill_rects(Ctx *ctx, const GridAnalysis *b) {
    CtxMark mark = ctx_mark(ctx);
    bool wide = b->h <= b->w;
    int32_t lines = wide ? b->h : b->w, max[N_COLORS] = {0};
    Rects *r = ctx_charge(ctx, (uint64_t)(b->n * lines / 16)) ? ctx_alloc(ctx, sizeof *r) : NULL;
    if (r == NULL) {
        return false;
    }
    r->b = b;
    r->wide = wide;
    r->lines = lines;
    r->length = b->n / lines;
    count_alike(r);
    find_rects(r);
    for (int32_t line = 0, at = 0; line < r->lines; line++) {
        for (int32_t place = 0; place < r->length; place++, at++) {
            int32_t k = cell_at(r, line, place);
            max[b->c[k]] = greater(max[b->c[k]], r->cells[at]);
            analysis_plane(b, FEATURE_SQUARE)[k] = analysis_clip(r->side[at]);
            analysis_plane(b, FEATURE_RECT_CELLS)[k] = analysis_clip(r->cells[at]);
        }
    }
    for (int32_t line = 0, at = 0; line < r->lines; line++) {
        for (int32_t place = 0; place < r->length; place++, at++) {
            int32_t k = cell_at(r, line, place);
            analysis_plane(b, FEATURE_RECT_LARGEST)[k] = r->cells[at] > 0 && r->cells[at] == max[b->c[k]];
        }
    }
    ctx_release(ctx, mark);
    return true;
}
