/* Learns rules of pattern_adorn: what is painted around every object that looks a certain way.
 *
 * templates.c starts from the cells that changed, so a picture that is cut off by the grid's edge,
 * or that another one covers, is a piece of its own there. Here the objects of the inputs come
 * first: those that look alike, turned and scaled if necessary, are laid on each other, and a place
 * around them may be painted unless a sighting contradicts it. Sightings for which the place lies
 * outside, or was painted with another color, say nothing. Of what may be painted, the places that
 * explain most are taken until all changed cells are explained. */
#include "engine/patterns/decorate.h"
#include "engine/scenes/scene.h"
#include "search/strategies/templates_internal.h"

#include <string.h>

enum { MAX_UNIT = 9, UNIT_CELLS = MAX_UNIT * MAX_UNIT, MARGIN = 3 };
enum { MAX_GROUPS = 32, MAX_SIGHTINGS = 256, MAX_SYMBOLS = DECORATE_COLOR + 1, NONE = -1 };

typedef struct Sighting { /* an object, in one of the turns in which it looks like its group */
    uint8_t pair, turn, scale;
    int8_t color; /* of its first cell */
    int16_t group, top, left;
} Sighting;

typedef struct PaintPlace { /* about the objects of a group */
    int8_t symbol;          /* what may be painted there; NONE */
    int8_t seen;            /* how often it was */
    bool taken;
} PaintPlace;

typedef struct AlikeGroup {
    int32_t h, w, sightings;
    int8_t c[UNIT_CELLS];
    PaintPlace places[DECORATE_MAX_CELLS]; /* of the box with a margin */
} AlikeGroup;

typedef struct DecorateChoice {
    int segmentation, how;
    bool variable; /* colors of objects do not matter */
} DecorateChoice;

typedef struct Decorator {
    Search *search;
    DecorateChoice choice;
    GridAnalysis analyses[SEARCH_MAX_SAMPLES];
    int16_t labels[SEARCH_MAX_SAMPLES][FEATURE_MAX_CELLS];
    GridBox boxes[SEARCH_MAX_SAMPLES][SCENE_MAX_OBJECTS];
    int32_t objects[SEARCH_MAX_SAMPLES];
    bool open[SEARCH_MAX_SAMPLES][FEATURE_MAX_CELLS]; /* changed, and not explained yet */
    Sighting sightings[MAX_SIGHTINGS];
    AlikeGroup groups[MAX_GROUPS];
    int32_t n_sightings, n_groups;
    int32_t changed, taken; /* cells, and places that explain them */
    bool rare;              /* a place was taken that was seen painted only once */
    uint64_t work;
} Decorator;

/* ---- objects that look alike ---- */

static bool lies(int32_t turn) {
    return turn == 1 || turn == 3 || turn >= 6;
}

static int8_t own_color(const Decorator *a, uint32_t pair, int32_t object, int32_t i, int32_t j) {
    const GridBox *x = &a->boxes[pair][object];
    int32_t at = (x->top + i) * a->analyses[pair].w + x->left + j;
    return a->labels[pair][at] == object ? a->analyses[pair].c[at] : DECORATE_ANY;
}

static bool has_scale(const Decorator *a, uint32_t pair, int32_t object, int32_t h, int32_t w,
                      int32_t scale) {
    bool has = h % scale == 0 && w % scale == 0;
    for (int32_t k = 0; k < h * w && has; k++) {
        int32_t i = k / w, j = k % w;
        has = own_color(a, pair, object, i, j) == own_color(a, pair, object, i - i % scale, j - j % scale);
    }
    return has;
}

/* Whether the first of two pictures comes first; those of one size only. */
static int compare(const AlikeGroup *x, const AlikeGroup *y) {
    return x->h != y->h   ? x->h - y->h
           : x->w != y->w ? x->w - y->w
                          : memcmp(x->c, y->c, (size_t)(x->h * x->w));
}

static int32_t group_like(Decorator *a, const AlikeGroup *looks) {
    int32_t g = 0;
    while (g < a->n_groups && compare(&a->groups[g], looks) != 0) {
        g++;
    }
    if (g == a->n_groups && g < MAX_GROUPS) {
        a->groups[g] = *looks;
        a->n_groups++;
    }
    return g < MAX_GROUPS ? g : NONE;
}

/* Notes an object in every turn that makes it look like its group; false: there are too many. */
static bool add_object(Decorator *a, uint32_t pair, int32_t object) {
    const GridBox *x = &a->boxes[pair][object];
    int32_t h = x->bottom - x->top + 1, w = x->right - x->left + 1;
    int32_t scale = decorate_scaled(a->choice.how) ? DECORATE_MAX_SCALE : 1,
            turns = decorate_turns(a->choice.how);
    AlikeGroup looks[DECORATE_TURNS];
    int best = 0;
    int8_t color = DECORATE_ANY;
    while (scale > 1 && !has_scale(a, pair, object, h, w, scale)) {
        scale--;
    }
    if (h / scale > MAX_UNIT || w / scale > MAX_UNIT) {
        return true; /* too large to be decorated */
    }
    for (int32_t t = 0; t < turns; t++) {
        int32_t uh = h / scale, uw = w / scale;
        memset(&looks[t], 0, sizeof looks[t]);
        looks[t].h = lies(t) ? uw : uh;
        looks[t].w = lies(t) ? uh : uw;
        for (int32_t k = 0; k < uh * uw; k++) {
            int32_t i, j;
            scene_turned_from((unsigned)t, uh, uw, k / looks[t].w, k % looks[t].w, &i, &j);
            int8_t c = own_color(a, pair, object, i * scale, j * scale);
            color = color == DECORATE_ANY ? c : color;
            looks[t].c[k] = a->choice.variable && c != DECORATE_ANY ? DECORATE_COLOR : c;
        }
        best = compare(&looks[t], &looks[best]) < 0 ? t : best;
    }
    int32_t group = group_like(a, &looks[best]);
    for (int32_t t = 0; t < turns && group != NONE; t++) {
        if (compare(&looks[t], &looks[best]) == 0) {
            if (a->n_sightings == MAX_SIGHTINGS) {
                return false;
            }
            a->groups[group].sightings++;
            a->sightings[a->n_sightings++] =
                (Sighting){(uint8_t)pair,  (uint8_t)t,      (uint8_t)scale,  color,
                           (int16_t)group, (int16_t)x->top, (int16_t)x->left};
        }
    }
    return group != NONE;
}

/* ---- what may be painted about them ---- */

/* What became of a place about an object. */
enum { HIDDEN, STAYED, PAINTED, COVERED, OPPOSED };
typedef struct Fate {
    int8_t fate, color; /* color: if it stayed or was painted */
} Fate;

/* The first cell of a place, and how to go on from there: a square of `scale` cells a side. */
static void corner_of(const Decorator *a, const Sighting *s, int32_t place, int32_t *top, int32_t *left) {
    const AlikeGroup *g = &a->groups[s->group];
    int32_t side = g->w + 2 * MARGIN, i, j;
    scene_turned_from(s->turn, lies(s->turn) ? g->w : g->h, lies(s->turn) ? g->h : g->w,
                      place / side - MARGIN, place % side - MARGIN, &i, &j);
    *top = s->top + i * s->scale;
    *left = s->left + j * s->scale;
}

/* The n-th cell of a place; NONE: it is outside, or is not painted by rules of this kind. */
static int32_t cell_of(const Decorator *a, const Sighting *s, int32_t top, int32_t left, int32_t n) {
    const GridAnalysis *b = &a->analyses[s->pair];
    int32_t i = top + n / s->scale, j = left + n % s->scale;
    int8_t c = analysis_color(b, i, j);
    return c < 0 || (decorate_under(a->choice.how) && c != b->background) ? NONE : i * b->w + j;
}

static Fate fate_of(const Decorator *a, const Sighting *s, int32_t place) {
    const int8_t *out = a->search->task->out[s->pair].b8, *in = a->analyses[s->pair].c;
    int32_t top, left, cells = 0, changed = 0;
    int8_t color = NONE;
    bool even = true;
    corner_of(a, s, place, &top, &left);
    for (int32_t n = 0; n < s->scale * s->scale; n++) {
        int32_t at = cell_of(a, s, top, left, n);
        if (at != NONE) {
            even &= color == NONE || color == out[at];
            color = out[at];
            cells++;
            changed += in[at] != out[at];
        }
    }
    return cells == 0         ? (Fate){HIDDEN, NONE}
           : even             ? (Fate){changed > 0 ? PAINTED : STAYED, color}
           : changed == cells ? (Fate){COVERED, NONE}
                              : (Fate){OPPOSED, NONE};
}

static bool shows(int8_t symbol, const Sighting *s, int8_t color) {
    return color == (symbol == DECORATE_COLOR ? s->color : symbol);
}

/* Finds what may be painted at a place: what was seen there most often, and is never missing. */
static void judge(Decorator *a, int32_t group, int32_t place) {
    Fate fates[MAX_SIGHTINGS];
    PaintPlace *p = &a->groups[group].places[place];
    unsigned painted = 0;
    *p = (PaintPlace){NONE, 0, false};
    for (int32_t k = 0; k < a->n_sightings; k++) {
        if (a->sightings[k].group == group) {
            fates[k] = fate_of(a, &a->sightings[k], place);
            a->work += (uint64_t)(a->sightings[k].scale * a->sightings[k].scale);
            if (fates[k].fate == OPPOSED) {
                return;
            }
            painted |= fates[k].fate == PAINTED ? 1u << fates[k].color : 0;
        }
    }
    painted |= painted != 0 && a->choice.variable ? 1u << DECORATE_COLOR : 0;
    for (int8_t symbol = MAX_SYMBOLS - 1; symbol >= 0; symbol--) {
        int32_t good = 0, covered = 0, bad = 0;
        for (int32_t k = 0; k < a->n_sightings && (painted >> symbol & 1) && bad == 0; k++) {
            const Sighting *s = &a->sightings[k];
            if (s->group == group) {
                bool shown = shows(symbol, s, fates[k].color);
                good += fates[k].fate == PAINTED && shown;
                covered += fates[k].fate == COVERED || (fates[k].fate == PAINTED && !shown);
                bad += fates[k].fate == STAYED && !shown;
            }
        }
        if (bad == 0 && good > p->seen && good >= covered) {
            *p = (PaintPlace){symbol, (int8_t)(good < INT8_MAX ? good : INT8_MAX), false};
        }
    }
}

/* How many open cells a place explains; with `close`, they are closed. */
static int32_t explain(Decorator *a, int32_t group, int32_t place, bool close) {
    int32_t count = 0;
    for (int32_t k = 0; k < a->n_sightings; k++) {
        const Sighting *s = &a->sightings[k];
        if (s->group != group) {
            continue;
        }
        int32_t top, left;
        corner_of(a, s, place, &top, &left);
        for (int32_t n = 0; n < s->scale * s->scale; n++) {
            int32_t at = cell_of(a, s, top, left, n);
            if (at != NONE && a->open[s->pair][at] &&
                shows(a->groups[group].places[place].symbol, s, a->search->task->out[s->pair].b8[at])) {
                count++;
                a->open[s->pair][at] = !close;
            }
            a->work++;
        }
    }
    return count;
}

/* How far a place is from the object's box. */
static int32_t distance(const AlikeGroup *g, int32_t place) {
    int32_t side = g->w + 2 * MARGIN, i = place / side - MARGIN, j = place % side - MARGIN;
    int32_t rows = i < 0       ? -i
                   : i >= g->h ? i - g->h + 1
                               : 0,
            columns = j < 0       ? -j
                      : j >= g->w ? j - g->w + 1
                                  : 0;
    return rows + columns;
}

static int32_t places_of(const AlikeGroup *g) {
    return (g->h + 2 * MARGIN) * (g->w + 2 * MARGIN);
}

/* Opens the changed cells of the pairs; returns how many there are. */
static int32_t open_changes(Decorator *a, uint64_t pairs) {
    const SearchTask *t = a->search->task;
    int32_t count = 0;
    for (uint32_t p = 0; p < t->n_train; p++) {
        for (int32_t k = 0; k < a->analyses[p].n; k++) {
            a->open[p][k] = (pairs >> p & 1) && t->in[p].b8[k] != t->out[p].b8[k];
            count += a->open[p][k];
        }
    }
    return count;
}

/* Whether all that may be painted would explain all that changed. */
static bool can_explain(Decorator *a, uint64_t pairs) {
    int32_t left = open_changes(a, pairs);
    for (int32_t g = 0; g < a->n_groups; g++) {
        for (int32_t place = 0; place < places_of(&a->groups[g]); place++) {
            judge(a, g, place);
            left -= a->groups[g].places[place].symbol != NONE ? explain(a, g, place, true) : 0;
        }
    }
    return left == 0;
}

/* Takes places until all is explained, those that explain most first, of equals the nearest. False: there is
 * no time. */
static bool take_places(Decorator *a, uint64_t pairs) {
    int32_t left = open_changes(a, pairs);
    a->changed = left;
    a->taken = 0;
    a->rare = false;
    while (left > 0) {
        int32_t best = 0, best_group = NONE, best_place = NONE, nearest = 0;
        for (int32_t g = 0; g < a->n_groups; g++) {
            for (int32_t place = 0; place < places_of(&a->groups[g]); place++) {
                const PaintPlace *p = &a->groups[g].places[place];
                int32_t count = p->symbol != NONE && !p->taken ? explain(a, g, place, false) : 0;
                int32_t far = distance(&a->groups[g], place);
                if (count > best || (count == best && count > 0 && far < nearest)) {
                    best = count;
                    best_group = g;
                    best_place = place;
                    nearest = far;
                }
            }
        }
        uint64_t work = a->work;
        a->work = 0;
        if (best == 0 || !search_spend(a->search, 1 + work / 32)) {
            return false;
        }
        PaintPlace *p = &a->groups[best_group].places[best_place];
        p->taken = true;
        a->taken++;
        a->rare |= p->seen < 2;
        left -= explain(a, best_group, best_place, true);
    }
    return true;
}

/* ---- rules ---- */

static bool is_rule(const AlikeGroup *g) {
    for (int32_t k = 0; k < places_of(g); k++) {
        if (g->places[k].taken) {
            return true;
        }
    }
    return false;
}

/* A rule: the smallest part of the window that has the object and all that is painted. */
static Val rule_value(Ctx *ctx, const AlikeGroup *g) {
    int32_t side = g->w + 2 * MARGIN;
    GridBox x = {MARGIN, MARGIN + g->h - 1, MARGIN, MARGIN + g->w - 1};
    for (int32_t k = 0; k < places_of(g); k++) {
        if (g->places[k].taken) {
            grid_box_widen(&x, k / side, k % side);
        }
    }
    Reason why;
    int32_t h = x.bottom - x.top + 1, w = x.right - x.left + 1;
    int8_t *from = grid_buffer(ctx, h, w, &why), *to = grid_buffer(ctx, h, w, &why);
    if (from == NULL || to == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t k = 0; k < h * w; k++) {
        int32_t i = x.top + k / w, j = x.left + k % w;
        const PaintPlace *p = &g->places[i * side + j];
        bool own = i >= MARGIN && j >= MARGIN && i < MARGIN + g->h && j < MARGIN + g->w;
        from[k] = own ? g->c[(i - MARGIN) * g->w + j - MARGIN] : DECORATE_ANY;
        to[k] = p->taken ? p->symbol : DECORATE_ANY;
    }
    return val_tuple2(ctx, val_grid8(from, (uint32_t)h, (uint32_t)w),
                      val_grid8(to, (uint32_t)h, (uint32_t)w));
}

/* Training pairs among some that the rules get right, bits. */
static uint64_t right_pairs(Decorator *a, Val rules, uint64_t among) {
    Search *s = a->search;
    uint64_t right = 0;
    for (uint32_t k = 0; k < s->task->n_train && !val_failed(rules); k++) {
        if (among >> k & 1) {
            CtxMark mark = ctx_mark(s->ctx);
            ctx_rebudget(s->ctx);
            Val args[4] = {s->task->in[k], rules, val_int(a->choice.segmentation), val_int(a->choice.how)};
            Val v = prim_call(s->ctx, P_pattern_adorn, args, 4);
            right |= (uint64_t)val_eq(v, s->task->out[k]) << k;
            search_spend(s, ctx_steps_used(s->ctx));
            ctx_release(s->ctx, mark);
        }
    }
    ctx_rebudget(s->ctx);
    return right;
}

/* The rules in an order in which they get all pairs right: what is painted later covers what was before. A
 * failure if there is none. */
static Val in_order(Decorator *a, uint64_t pairs) {
    enum { MAX_ORDERED = 4 };
    Ctx *ctx = a->search->ctx;
    Val rules[DECORATE_MAX_RULES];
    uint32_t n = 0, orders = 1;
    for (int32_t g = 0; g < a->n_groups; g++) {
        if (is_rule(&a->groups[g])) {
            if (n == DECORATE_MAX_RULES) {
                return val_fail(FAIL_LIMIT);
            }
            rules[n] = rule_value(ctx, &a->groups[g]);
            if (val_failed(rules[n++])) {
                return val_fail_budget(ctx);
            }
        }
    }
    for (uint32_t k = 2; k <= n && n <= MAX_ORDERED; k++) {
        orders *= k;
    }
    for (uint32_t order = 0; order < orders && n > 0; order++) {
        Val *items = val_buffer(ctx, n);
        uint32_t rest = order;
        for (uint32_t k = 0; k < n && items != NULL;
             k++) { /* insertion, at the place that the number encodes */
            uint32_t at = rest % (k + 1);
            rest /= k + 1;
            memmove(items + at + 1, items + at, (k - at) * sizeof *items);
            items[at] = rules[k];
        }
        Val v = items != NULL ? val_tuple(ctx, items, n) : val_fail_budget(ctx);
        if (val_failed(v) || right_pairs(a, v, pairs) == pairs) {
            return v;
        }
    }
    return val_fail(FAIL_EMPTY);
}

/* Learns rules from the training pairs in the set; a failure if there are none. */
static Val learn(Decorator *a, uint64_t pairs) {
    a->n_sightings = a->n_groups = 0;
    for (uint32_t p = 0; p < a->search->task->n_train; p++) {
        for (int32_t o = 0; o < a->objects[p] && (pairs >> p & 1); o++) {
            if (!add_object(a, p, o)) {
                return val_fail(FAIL_LIMIT);
            }
        }
    }
    bool can = can_explain(a, pairs);
    uint64_t work = a->work;
    a->work = 0;
    if (!search_spend(a->search, 1 + work / 32) || !can || !take_places(a, pairs)) {
        return val_fail(FAIL_EMPTY);
    }
    return in_order(a, pairs);
}

/* ---- programs ---- */

static double price(const Decorator *a) {
    enum { COST = 30 }; /* as for other templates */
    double cost = COST + a->choice.segmentation + a->choice.how % DECORATE_TURNINGS +
                  2 * decorate_scaled(a->choice.how) + decorate_under(a->choice.how) + (a->rare ? 6 : 0);
    for (int32_t g = 0; g < a->n_groups; g++) {
        int32_t painted = 0;
        for (int32_t k = 0; k < places_of(&a->groups[g]); k++) {
            painted += a->groups[g].places[k].taken;
        }
        cost +=
            painted > 0 ? 4 + 1.5 * (painted < 8 ? painted : 8) + (a->groups[g].sightings == 1 ? 10 : 0) : 0;
    }
    return cost;
}

/* Whether rules learnt from the other pairs get each pair right. */
static bool predicted(Decorator *a) {
    const SearchTask *task = a->search->task;
    uint64_t all = ((uint64_t)1 << task->n_train) - 1;
    bool good = true;
    for (uint32_t k = 0; k < task->n_train && good; k++) {
        uint64_t one = (uint64_t)1 << k;
        good = right_pairs(a, learn(a, all & ~one), one) != 0;
    }
    return good;
}

/* True if something fits that is worth an offer: what was cut off or covered in one pair may need the others,
 * so rules need not be predicted, but then places must have explained several cells each. */
static bool try_choice(Decorator *a) {
    enum { NOT_PREDICTED = 8, CELLS_A_PLACE = 3 };
    Search *s = a->search;
    uint64_t all = ((uint64_t)1 << s->task->n_train) - 1;
    CtxMark mark = ctx_mark(s->ctx);
    Val rules = learn(a, all);
    bool good = !val_failed(rules);
    if (good) {
        Builder *b = &s->builder;
        double cost = price(a);
        bool often = !a->rare && a->changed >= CELLS_A_PLACE * a->taken;
        build_start(b);
        Ref args[4] = {PARAM_I, build_const(b, rules), build_const(b, val_int(a->choice.segmentation)),
                       build_const(b, val_int(a->choice.how))};
        Program *program = search_finish(s, build_op(b, OP_PRIM, P_pattern_adorn, args, 4, 0, "", 0));
        bool sure = predicted(a);
        good = sure || often;
        if (good) {
            search_offer(s, program, cost + (sure ? 0 : NOT_PREDICTED));
        } else {
            prog_free(program);
        }
    }
    ctx_release(s->ctx, mark);
    return good;
}

/* Divides the training inputs; false: too many objects, or as by the way before. */
static bool segment(Decorator *a, int segmentation) {
    bool other = segmentation == 0;
    for (uint32_t p = 0; p < a->search->task->n_train; p++) {
        const GridAnalysis *b = &a->analyses[p];
        int32_t before = a->objects[p];
        a->objects[p] = decorate_label(b, segmentation, a->labels[p]);
        other |= a->objects[p] != before; /* ways go from finer to coarser ones */
        if (a->objects[p] > SCENE_MAX_OBJECTS) {
            return false;
        }
        for (int32_t o = 0; o < a->objects[p]; o++) {
            a->boxes[p][o] = (GridBox){b->h, -1, b->w, -1};
        }
        for (int32_t k = 0; k < b->n; k++) {
            if (a->labels[p][k] >= 0) {
                grid_box_widen(&a->boxes[p][a->labels[p][k]], k / b->w, k % b->w);
            }
        }
    }
    return other;
}

static void try_segmentation(Decorator *a, int segmentation) {
    for (int x = 0; x < 2 * DECORATE_UNDER && !a->search->slice_over; x++) {
        int how = x % DECORATE_UNDER;
        a->choice = (DecorateChoice){segmentation, how, x >= DECORATE_UNDER};
        if (a->choice.variable && segmentation == DECORATE_SEGMENTATIONS - 1) {
            return; /* there objects have several colors */
        }
        if (!try_choice(a) && !a->search->slice_over) {
            a->choice.how += DECORATE_UNDER;
            try_choice(a);
        }
    }
}

void templates_decorate(Search *s) {
    Decorator *a =
        s->task->same_size && s->task->n_train > 1 ? quota_grow(&s->quota, NULL, 1, sizeof *a) : NULL;
    bool good = a != NULL;
    if (good) {
        a->search = s;
        a->work = 0;
    }
    for (uint32_t p = 0; p < s->task->n_train && good; p++) {
        Reason why;
        good = analysis_of(s->task->in[p], &a->analyses[p], &why);
        a->objects[p] = 0;
    }
    for (int segmentation = 0; segmentation < DECORATE_SEGMENTATIONS && good && !s->slice_over;
         segmentation++) {
        if (segment(a, segmentation)) {
            try_segmentation(a, segmentation);
        }
    }
    quota_free(&s->quota, a);
}
