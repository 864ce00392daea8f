/* Decoration: wherever a grid has a certain object, a picture is painted over it and around it, turned and
 * enlarged as the object is.
 *
 * Unlike rewriting, which looks for a pattern at every place, this compares whole objects: what an object
 * touches does not matter, nor that an enlarged object has a small one's pattern in it. */
#include "engine/patterns/decorate.h"

#include "base/check.h"
#include "engine/features/grid_analysis.h"

#include <string.h>

typedef struct Figure { /* one of the two grids of a rule, in some turn */
    int32_t h, w;
    int8_t c[DECORATE_MAX_CELLS];
} Figure;

typedef struct DecorateRule {
    Figure from[DECORATE_TURNS], to[DECORATE_TURNS];
    GridBox box[DECORATE_TURNS]; /* of what is the object's in `from` */
} DecorateRule;

typedef struct Decoration {
    GridAnalysis b;
    DecorateRule rules[DECORATE_MAX_RULES];
    int32_t count, turns, scales;
    bool under;
    int16_t label[FEATURE_MAX_CELLS];
    GridBox boxes[FEATURE_MAX_CELLS];
} Decoration;

static Figure turned(const Figure *f, int32_t turn) {
    bool lies = turn == 1 || turn == 3 || turn >= 6;
    Figure to = {.h = lies ? f->w : f->h, .w = lies ? f->h : f->w};
    for (int32_t k = 0; k < f->h * f->w; k++) {
        int32_t up = k / f->w, left = k % f->w, down = f->h - 1 - up, right = f->w - 1 - left;
        const int32_t at[DECORATE_TURNS][2] = {{up, left},  {left, down}, {down, right}, {right, up},
                                               {up, right}, {down, left}, {left, up},    {right, down}};
        to.c[at[turn][0] * to.w + at[turn][1]] = f->c[k];
    }
    return to;
}

static const GridBox NO_BOX = {INT32_MAX, -1, INT32_MAX, -1};

/* Reads one grid of a rule; false: it has other numbers, or is too large. */
static bool read_figure(Val v, Figure *f) {
    if (v.kind != VAL_GRID8 || v.w == 0 || v.n > DECORATE_MAX_SIDE || v.w > DECORATE_MAX_SIDE) {
        return false;
    }
    *f = (Figure){.h = (int32_t)v.n, .w = v.w};
    for (int32_t k = 0; k < f->h * f->w; k++) {
        f->c[k] = v.b8[k];
        if (f->c[k] < DECORATE_ANY || f->c[k] > DECORATE_COLOR) {
            return false;
        }
    }
    return true;
}

/* Reads a rule; false: it is none. It must show an object, and paint that one's color only if it names it. */
static bool read_rule(Val v, DecorateRule *r) {
    if (!val_is_tuple(v) || val_len(v) != 2 || !read_figure(val_at(v, 0), &r->from[0]) ||
        !read_figure(val_at(v, 1), &r->to[0]) || r->from[0].h != r->to[0].h || r->from[0].w != r->to[0].w) {
        return false;
    }
    bool named = false, painted = false;
    for (int32_t k = 0; k < r->from[0].h * r->from[0].w; k++) {
        named |= r->from[0].c[k] == DECORATE_COLOR;
        painted |= r->to[0].c[k] == DECORATE_COLOR;
    }
    for (int32_t t = 0; t < DECORATE_TURNS; t++) {
        r->from[t] = turned(&r->from[0], t);
        r->to[t] = turned(&r->to[0], t);
        r->box[t] = NO_BOX;
        for (int32_t k = 0; k < r->from[t].h * r->from[t].w; k++) {
            if (r->from[t].c[k] != DECORATE_ANY) {
                grid_box_widen(&r->box[t], k / r->from[t].w, k % r->from[t].w);
            }
        }
    }
    return r->box[0].bottom >= 0 && (named || !painted);
}

static bool read_rules(Val rules, Decoration *a) {
    if (!val_is_tuple(rules) || val_len(rules) == 0 || val_len(rules) > DECORATE_MAX_RULES) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(rules); k++) {
        if (!read_rule(val_at(rules, k), &a->rules[k])) {
            return false;
        }
    }
    a->count = (int32_t)val_len(rules);
    return true;
}

int32_t decorate_label(const GridAnalysis *b, int segmentation, int16_t *label) {
    static const Connectivity links[DECORATE_SEGMENTATIONS] = {{1, 1, true, false, true, false},
                                                               {1, 1, false, false, true, false},
                                                               {1, 1, false, true, true, false}};
    ASSERT(segmentation >= 0 && segmentation < DECORATE_SEGMENTATIONS, "way %d", segmentation);
    return analysis_label_linked(b, &links[segmentation], label);
}

/* How many cells a side the object has for each of the pattern's; 0: it is another one. *color becomes what
 * DECORATE_COLOR stands for. */
static int32_t scale_of(const Decoration *a, int32_t object, const DecorateRule *r, int32_t t,
                        int8_t *color) {
    const GridBox *x = &a->boxes[object], *y = &r->box[t];
    int32_t h = x->bottom - x->top + 1, w = x->right - x->left + 1;
    int32_t rows = y->bottom - y->top + 1, columns = y->right - y->left + 1, scale = h / rows;
    *color = DECORATE_ANY;
    if (scale < 1 || scale > a->scales || scale * rows != h || scale * columns != w) {
        return 0;
    }
    for (int32_t k = 0; k < h * w; k++) {
        int32_t at = (x->top + k / w) * a->b.w + x->left + k % w;
        int8_t want = r->from[t].c[(y->top + k / w / scale) * r->from[t].w + y->left + k % w / scale];
        if ((want == DECORATE_ANY) != (a->label[at] != object)) {
            return 0;
        }
        if (want == DECORATE_COLOR && *color == DECORATE_ANY) {
            *color = a->b.c[at];
        }
        if (want != DECORATE_ANY && a->b.c[at] != (want == DECORATE_COLOR ? *color : want)) {
            return 0;
        }
    }
    return scale;
}

static void paint(const Decoration *a, int32_t object, const DecorateRule *r, int32_t t, int32_t scale,
                  int8_t color, int8_t *cells) {
    const Figure *f = &r->to[t];
    int32_t top = a->boxes[object].top - r->box[t].top * scale;
    int32_t left = a->boxes[object].left - r->box[t].left * scale;
    for (int32_t i = 0; i < f->h * scale; i++) {
        for (int32_t j = 0; j < f->w * scale; j++) {
            int8_t c = f->c[i / scale * f->w + j / scale], was = analysis_color(&a->b, top + i, left + j);
            if (c != DECORATE_ANY && was >= 0 && (!a->under || was == a->b.background)) {
                cells[(top + i) * a->b.w + left + j] = c == DECORATE_COLOR ? color : c;
            }
        }
    }
}

/* False: the budget is spent. */
static bool decorate(Ctx *ctx, const Decoration *a, int32_t objects, int8_t *cells) {
    for (int32_t x = 0; x < a->count; x++) {
        const DecorateRule *r = &a->rules[x];
        for (int32_t object = 0; object < objects; object++) {
            for (int32_t t = 0; t < a->turns; t++) {
                int8_t color;
                int32_t scale = scale_of(a, object, r, t, &color);
                if (scale > 0) {
                    paint(a, object, r, t, scale, color, cells);
                }
                if (scale > 0 && !ctx_charge(ctx, (uint64_t)(r->to[t].h * r->to[t].w * scale * scale))) {
                    return false;
                }
            }
        }
        if (!ctx_charge(ctx, (uint64_t)(objects + a->b.n / 4))) {
            return false;
        }
    }
    return true;
}

Val prim_pattern_adorn(Ctx *ctx, const Val *v) {
    GridAnalysis b;
    Reason why;
    if (!val_is_int(v[2]) || !val_is_int(v[3])) {
        return val_fail(FAIL_TYPE);
    }
    if (v[2].i < 0 || v[2].i >= DECORATE_SEGMENTATIONS || v[3].i < 0 || v[3].i >= DECORATE_MODES) {
        return val_fail(FAIL_RANGE);
    }
    int8_t *cells = analysis_of(v[0], &b, &why) ? grid_buffer(ctx, b.h, b.w, &why) : NULL;
    if (cells == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Decoration *a = ctx_alloc(ctx, sizeof *a);
    if (a == NULL) {
        return val_fail_budget(ctx);
    }
    if (!read_rules(v[1], a)) {
        return val_fail(FAIL_TYPE);
    }
    a->b = b;
    a->turns = decorate_turns(v[3].i);
    a->scales = decorate_scaled(v[3].i) ? DECORATE_MAX_SCALE : 1;
    a->under = decorate_under(v[3].i);
    int32_t objects = decorate_label(&b, (int)v[2].i, a->label);
    for (int32_t k = 0; k < objects; k++) {
        a->boxes[k] = NO_BOX;
    }
    for (int32_t k = 0; k < b.n; k++) {
        if (a->label[k] >= 0) {
            grid_box_widen(&a->boxes[a->label[k]], k / b.w, k % b.w);
        }
    }
    memcpy(cells, b.c, (size_t)b.n);
    bool good = decorate(ctx, a, objects, cells);
    ctx_release(ctx, mark);
    return good ? val_grid8(cells, (uint32_t)b.h, (uint32_t)b.w) : val_fail_budget(ctx);
}
