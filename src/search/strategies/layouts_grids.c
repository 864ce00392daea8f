/* Outputs made of objects that are cut out and laid beside, below or over each other. */
#include "search/strategies/layouts_internal.h"

#include <string.h>

enum { MAX_INTERMEDIATES = 6, TIMES_TRIED = 4, GAPS = 3 };

typedef struct Pictures { /* the list of one sample */
    uint8_t object[LAY_MAX];
    LaySize sizes[LAY_MAX];
    int32_t count;
} Pictures;

/* The pictures of a sample. False: there are too many or none, or one cannot be cut out. */
static bool fill(Layouts *l, const LayoutChoice *choice, uint32_t order, SceneCut cut, uint32_t times,
                 uint32_t sample, Pictures *to) {
    uint8_t list[SCENE_MAX_OBJECTS];
    const Scene *s = l->o.scenes[sample];
    int32_t n = layouts_list(l, choice, order, sample, list);
    to->count = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t often = object_list_times(s, list[k], layouts_times[times].attribute);
        SceneFrame frame;
        if (to->count + often > LAY_MAX || !scene_cut(s, list[k], cut, &frame)) {
            return false;
        }
        for (; often > 0; often--) {
            to->object[to->count] = list[k];
            to->sizes[to->count++] = (LaySize){frame.h, frame.w};
        }
    }
    return to->count > 0;
}

static void lay_picture(const Scene *s, int32_t object, SceneCut cut, LaySize corner, int32_t width,
                        int8_t rest, int8_t *to) {
    SceneFrame frame;
    scene_cut(s, object, cut, &frame);
    for (int32_t k = 0; k < frame.h * frame.w; k++) {
        int32_t at = (corner.h + k / frame.w) * width + corner.w + k % frame.w;
        int8_t c = scene_cut_color(s, object, cut, frame.top + k / frame.w, frame.left + k % frame.w);
        to[at] = c != rest ? c : to[at];
    }
}

typedef struct Layout { /* one way to lay objects out */
    const LayoutChoice *choice;
    uint32_t order, times;
    SceneCut cut;
    Laying way;
    int32_t gap;
    int8_t rest;
} Layout;

/* Writes what the layout gives for a sample to `to`, with room for FEATURE_MAX_CELLS; h 0: nothing. */
static LaySize lay(Layouts *l, const Layout *y, uint32_t sample, int8_t *to) {
    Pictures p;
    LaySize corners[LAY_MAX];
    if (!fill(l, y->choice, y->order, y->cut, y->times, sample, &p)) {
        return (LaySize){0, 0};
    }
    LaySize whole = lay_corners(y->way, y->gap, p.sizes, p.count, corners);
    if (whole.h * whole.w > FEATURE_MAX_CELLS) {
        return (LaySize){0, 0};
    }
    memset(to, y->rest, (size_t)(whole.h * whole.w));
    for (int32_t k = 0; k < p.count; k++) {
        lay_picture(l->o.scenes[sample], p.object[k], y->cut, corners[k], whole.w, y->rest, to);
    }
    return whole;
}

static bool lies_over(Laying way) {
    return way == LAYING_OVER || way == LAYING_CENTERED;
}

/* Whether each picture is in the output where it would be laid, or the uppermost where they lie over each
 * other. Most orders fail at the first cells. */
static bool pictures_are_there(Layouts *l, const Layout *y, uint32_t sample) {
    Pictures p;
    LaySize corners[LAY_MAX];
    Val out = l->o.search->task->out[sample];
    const Scene *s = l->o.scenes[sample];
    if (!fill(l, y->choice, y->order, y->cut, y->times, sample, &p)) {
        return false;
    }
    LaySize whole = lay_corners(y->way, y->gap, p.sizes, p.count, corners);
    bool there = whole.h == (int32_t)out.n && whole.w == out.w;
    for (int32_t k = lies_over(y->way) ? p.count - 1 : 0; k < p.count && there; k++) {
        SceneFrame frame;
        scene_cut(s, p.object[k], y->cut, &frame);
        for (int32_t c = 0; c < frame.h * frame.w && there; c++) {
            int32_t i = c / frame.w, j = c % frame.w;
            int8_t color = scene_cut_color(s, p.object[k], y->cut, frame.top + i, frame.left + j);
            there = color == out.b8[(corners[k].h + i) * out.w + corners[k].w + j] ||
                    (color == y->rest && lies_over(y->way));
        }
    }
    return there;
}

static bool gives_outputs(Layouts *l, const Layout *y) {
    const SearchTask *t = l->o.search->task;
    int8_t cells[FEATURE_MAX_CELLS];
    for (uint32_t p = 0; p < t->n_train; p++) {
        if (!pictures_are_there(l, y, p)) {
            return false;
        }
    }
    for (uint32_t p = 0; p < t->n_train; p++) {
        LaySize size = lay(l, y, p, cells);
        if (size.h != (int32_t)t->out[p].n || size.w != t->out[p].w ||
            memcmp(cells, t->out[p].b8, (size_t)(size.h * size.w)) != 0) {
            return false;
        }
    }
    return true;
}

static double price(const Layouts *l, const Layout *y) {
    double units = layouts_orders[y->order].cost + laying_costs[y->way] + (y->gap > 0 ? 1 : 0) +
                   (y->rest != 0 ? 1 : 0) + (y->cut != CUT_BOX ? 1 : 0);
    return layouts_list_cost(l, y->choice, y->times) + l->o.search->tune->layouts_scale * units;
}

static Program *program_of(Layouts *l, const Layout *y) {
    Builder *b = &l->o.search->builder;
    build_start(b);
    Ref args[3] = {layouts_list_ref(l, P_object_grids, y->choice, y->order, (int32_t)y->cut, y->times),
                   build_const(b, val_pair32((int32_t)y->way, y->gap)), build_const(b, val_int(y->rest))};
    return search_finish(l->o.search, build_op(b, OP_PRIM, P_lay_grids, args, 3, 0, "", 0));
}

/* Keeps a layout of the right sizes as an intermediate for other strategies. */
static void offer_intermediate(Layouts *l, const Layout *y) {
    Search *search = l->o.search;
    const SearchTask *t = search->task;
    Val vals[SEARCH_MAX_SAMPLES];
    uint32_t like;
    CtxMark mark = ctx_mark(search->ctx);
    bool good = l->intermediates < MAX_INTERMEDIATES;
    for (uint32_t s = 0; s < t->n && good; s++) {
        int8_t *cells = ctx_alloc(search->ctx, FEATURE_MAX_CELLS);
        LaySize size = cells != NULL ? lay(l, y, s, cells) : (LaySize){0, 0};
        good = size.h > 0;
        vals[s] = good ? val_grid8(cells, (uint32_t)size.h, (uint32_t)size.w) : VAL_EMPTY_TUPLE;
    }
    if (good && intermediates_want(search, vals, &like)) {
        l->intermediates++;
        intermediates_add(search, vals, like, price(l, y), program_of(l, y));
    }
    ctx_release(search->ctx, mark);
}

/* Whether the pairs support this way: some pair has several objects or, for laying over, every pair does. */
static bool is_shown(const Layouts *l, const LayoutChoice *choice, Laying way) {
    const Objects *o = &l->o;
    uint32_t several = 0, n_train = o->search->task->n_train;
    bool over = lies_over(way);
    for (uint32_t p = 0; p < n_train; p++) {
        uint32_t n = 0;
        for (uint32_t k = o->first[p]; k < o->first[p + 1]; k++) {
            n += bits_has(choice->set, k);
        }
        several += n > 1;
    }
    return over ? several == n_train : several > 0;
}

/* Whether the sizes of all outputs fit. The order of the objects does not matter for that. */
static bool sizes_fit(Layouts *l, const Layout *y, const Pictures *first) {
    const SearchTask *t = l->o.search->task;
    LaySize corners[LAY_MAX];
    for (uint32_t p = 0; p < t->n_train; p++) {
        Pictures other;
        if (p > 0 && !fill(l, y->choice, 0, y->cut, y->times, p, &other)) {
            return false;
        }
        const Pictures *x = p > 0 ? &other : first;
        LaySize whole = lay_corners(y->way, y->gap, x->sizes, x->count, corners);
        if (whole.h != (int32_t)t->out[p].n || whole.w != t->out[p].w) {
            return false;
        }
    }
    return true;
}

/* Whether an earlier order lists the chosen objects of all samples alike. */
static bool ordered_before(Layouts *l, const Layout *y) {
    uint8_t mine[SCENE_MAX_OBJECTS], other[SCENE_MAX_OBJECTS];
    for (uint32_t order = 0; order < y->order; order++) {
        bool same = true;
        for (uint32_t s = 0; s < l->o.search->task->n && same; s++) {
            size_t n = (size_t)layouts_list(l, y->choice, y->order, s, mine);
            layouts_list(l, y->choice, order, s, other);
            same = memcmp(mine, other, n) == 0;
        }
        if (same) {
            return true;
        }
    }
    return false;
}

static bool try_orders(Layouts *l, Layout *y) {
    uint32_t found = 0;
    bool again[LAYOUTS_ORDERS];
    for (uint32_t order = 0; order < LAYOUTS_ORDERS; order++) {
        y->order = order;
        again[order] = ordered_before(l, y);
    }
    for (int8_t rest = 0; rest < N_COLORS; rest++) {
        if (rest != 0 && (!(l->o.search->task->out_all >> rest & 1) || found > 0)) {
            continue;
        }
        y->rest = rest;
        for (uint32_t order = 0; order < LAYOUTS_ORDERS; order++) {
            y->order = order;
            if (!again[order] && gives_outputs(l, y) && layouts_may_offer(l)) {
                found++;
                search_offer(l->o.search, program_of(l, y), price(l, y));
            }
            if (!search_spend(l->o.search, 8 + l->o.n / 8)) {
                return false;
            }
        }
    }
    if (found == 0 && y->choice->question < 0 && y->times == 0) {
        y->order = 0;
        y->rest = 0;
        offer_intermediate(l, y);
    }
    return true;
}

static bool try_ways(Layouts *l, Layout *y, const Pictures *first) {
    int32_t area = 0; /* beside each other, pictures cannot have more cells than the output */
    for (int32_t k = 0; k < first->count; k++) {
        area += first->sizes[k].h * first->sizes[k].w;
    }
    bool roomy = area <= (int32_t)l->o.search->task->out[0].n * l->o.search->task->out[0].w;
    for (int way = 0; way < LAYING_COUNT; way++) {
        if (!roomy && !lies_over((Laying)way)) {
            continue;
        }
        for (int32_t gap = 0; gap < GAPS; gap++) {
            y->way = (Laying)way;
            y->gap = gap;
            bool over = lies_over((Laying)way);
            if ((gap == 0 || !over) && sizes_fit(l, y, first) &&
                (y->times > 0 || is_shown(l, y->choice, y->way)) && !try_orders(l, y)) {
                return false;
            }
        }
    }
    return search_spend(l->o.search, 4);
}

bool layouts_try_grids(Layouts *l, const LayoutChoice *choice) {
    bool go_on = true;
    if (choice->min == 0) {
        return true;
    }
    for (int cut = 0; cut < CUT_COUNT; cut++) {
        for (uint32_t times = 0; times < TIMES_TRIED && go_on; times++) {
            Layout y = {.choice = choice, .cut = (SceneCut)cut, .times = times};
            Pictures first;
            if ((times > 0 || choice->max > 1) && fill(l, choice, 0, (SceneCut)cut, times, 0, &first)) {
                go_on = try_ways(l, &y, &first);
            }
        }
    }
    return go_on;
}
