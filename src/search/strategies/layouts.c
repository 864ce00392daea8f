/* The layouts strategy: the output is a list of objects laid out, or a list of their colors and
 * counts. */
#include "search/schedule/strategies.h"
#include "search/strategies/layouts_internal.h"

#include <string.h>

enum { BACKGROUNDS = 2, TRIES = BACKGROUNDS * SEGMENT_COUNT, MAX_OFFERS = 48 };

/* Where several orders give the same list, the first one is meant: by top row, or left column, as one
 * reads. */
const LayoutOrder layouts_orders[LAYOUTS_ORDERS] = {
    {ATTRIBUTE_TOP_ROW, false, 0.5},   {ATTRIBUTE_LEFT_COLUMN, false, 0.5},
    {ATTRIBUTE_SIZE, true, 1},         {ATTRIBUTE_SIZE, false, 1},
    {ATTRIBUTE_TOP_ROW, true, 1.5},    {ATTRIBUTE_LEFT_COLUMN, true, 1.5},
    {ATTRIBUTE_SAME_COLOR, true, 2},   {ATTRIBUTE_SAME_COLOR, false, 2.5},
    {ATTRIBUTE_HEIGHT, true, 2},       {ATTRIBUTE_HEIGHT, false, 2},
    {ATTRIBUTE_WIDTH, true, 2},        {ATTRIBUTE_WIDTH, false, 2},
    {ATTRIBUTE_FOREGROUND, true, 2},   {ATTRIBUTE_FOREGROUND, false, 2},
    {ATTRIBUTE_HOLES, true, 2.5},      {ATTRIBUTE_HOLES, false, 2.5},
    {ATTRIBUTE_COLORS, true, 2.5},     {ATTRIBUTE_COLORS, false, 2.5},
    {ATTRIBUTE_SAME_SHAPE, true, 2.5}, {ATTRIBUTE_SAME_SHAPE, false, 2.5},
    {ATTRIBUTE_COLOR, false, 3},       {ATTRIBUTE_COLOR, true, 3},
    {ATTRIBUTE_HELD, false, 2},        {ATTRIBUTE_HELD, true, 2},
};

const LayoutTimes layouts_times[LAYOUTS_TIMES] = {
    {OBJECT_ONCE, 0},        {ATTRIBUTE_SIZE, 1.5},  {ATTRIBUTE_FOREGROUND, 2},
    {ATTRIBUTE_HOLES, 2},    {ATTRIBUTE_HEIGHT, 2},  {ATTRIBUTE_WIDTH, 2},
    {ATTRIBUTE_COLORS, 2.5}, {ATTRIBUTE_HOLDS, 2.5}, {ATTRIBUTE_SAME_COLOR, 2.5},
};

/* ---- lists ---- */

int32_t layouts_list(Layouts *l, const LayoutChoice *choice, uint32_t order, uint32_t sample, uint8_t *list) {
    const Objects *o = &l->o;
    int32_t n = 0;
    uint8_t *all = l->orders + (size_t)order * o->n;
    for (uint32_t s = 0; s < o->search->task->n && !l->made[order]; s++) {
        object_list_order(o->scenes[s], layouts_orders[order].attribute, layouts_orders[order].down,
                          all + o->first[s]);
    }
    l->made[order] = true;
    for (uint32_t k = o->first[sample]; k < o->first[sample + 1]; k++) {
        if (bits_has(choice->set, o->first[sample] + all[k])) {
            list[n++] = all[k];
        }
    }
    return n;
}

bool layouts_may_offer(Layouts *l) {
    return l->offers++ < MAX_OFFERS;
}

static double segmentation_cost(const Layouts *l) {
    return scene_segmentations[l->o.segmentation].cost +
           (l->o.background != SCENE_BACKGROUND_USUAL ? l->o.search->tune->objects_background_cost : 0);
}

double layouts_list_cost(const Layouts *l, const LayoutChoice *choice, uint32_t times) {
    const Tunables *tune = l->o.search->tune;
    return tune->layouts_cost + segmentation_cost(l) +
           tune->layouts_scale * (choice->cost + layouts_times[times].cost);
}

Ref layouts_list_ref(Layouts *l, unsigned prim, const LayoutChoice *choice, uint32_t order, int32_t what,
                     uint32_t times) {
    Search *search = l->o.search;
    Builder *b = &search->builder;
    Val conditions = VAL_EMPTY_TUPLE;
    if (choice->question >= 0) {
        const ObjectsQuestion *q = &l->o.questions[choice->question];
        Val *item = val_buffer(search->ctx, 1);
        if (item != NULL) {
            item[0] = val_triple32(q->attribute, q->test + (choice->no ? RULE_TESTS : 0), q->number);
            conditions = val_tuple(search->ctx, item, 1);
        }
    }
    int64_t how[4] = {layouts_orders[order].attribute, layouts_orders[order].down, what,
                      layouts_times[times].attribute};
    Ref args[4] = {PARAM_I, build_const(b, val_pair32((int32_t)l->o.segmentation, l->o.background)),
                   build_const(b, conditions), build_const(b, val_ints(search->ctx, how, 4))};
    return build_op(b, OP_PRIM, prim, args, 4, 0, "", 0);
}

/* ---- choices ---- */

static void count_chosen(const Layouts *l, LayoutChoice *c) {
    const SearchTask *t = l->o.search->task;
    c->min = UINT32_MAX;
    c->max = 0;
    for (uint32_t s = 0; s < t->n; s++) {
        uint32_t n = 0;
        for (uint32_t k = l->o.first[s]; k < l->o.first[s + 1]; k++) {
            n += bits_has(c->set, k);
        }
        c->min = n < c->min ? n : c->min;
        c->max = n > c->max ? n : c->max;
    }
}

static void choose(const Layouts *l, int32_t question, bool no, LayoutChoice *c) {
    c->question = question;
    c->no = no;
    c->cost = question < 0 ? 0 : l->o.questions[question].cost + (no ? 0.5 : 0);
    memset(c->set, 0, sizeof c->set);
    for (uint32_t k = 0; k < l->o.n; k++) {
        bool in = question < 0 || bits_has(l->o.questions[question].yes, k) != no;
        c->set[k / 64] |= (uint64_t)in << k % 64;
    }
    count_chosen(l, c);
}

static bool try_choice(Layouts *l, int32_t question, bool no) {
    LayoutChoice c;
    choose(l, question, no, &c);
    return search_spend(l->o.search, 1 + l->o.n / 16) && layouts_try_runs(l, &c) &&
           layouts_try_grids(l, &c) && layouts_try_pile(l, &c);
}

static void learn(Layouts *l) {
    bool go_on = try_choice(l, -1, false) && objects_make_questions(&l->o);
    for (uint32_t k = 0; k < 2 * l->o.n_questions && go_on && l->offers < MAX_OFFERS; k++) {
        go_on = try_choice(l, (int32_t)(k / 2), k % 2);
    }
}

/* ---- time slices ---- */

typedef struct LayoutsState { /* how far the time slices have got */
    int next;
} LayoutsState;

static bool make_scratch(Layouts *l) {
    l->orders = ctx_alloc(l->o.search->ctx, (size_t)LAYOUTS_ORDERS * l->o.n);
    l->runs = ctx_alloc(l->o.search->ctx, sizeof *l->runs);
    l->pile = ctx_alloc(l->o.search->ctx, layouts_pile_bytes());
    return l->orders != NULL && l->runs != NULL && l->pile != NULL;
}

static void try_division(Search *search, const LayoutReadings *readings, int try) {
    CtxMark mark = ctx_mark(search->ctx);
    Layouts *l = quota_grow(&search->quota, NULL, 1, sizeof *l);
    if (l != NULL) {
        memset(l, 0, sizeof *l);
        l->o.search = search;
        l->o.alone = true;
        l->o.segmentation = (SceneSegmentation)(try % SEGMENT_COUNT);
        l->o.background = try / SEGMENT_COUNT == 0 ? SCENE_BACKGROUND_USUAL : SCENE_BACKGROUND_MOST_FREQUENT;
        l->readings = readings;
        if (objects_segment(&l->o) && make_scratch(l)) {
            learn(l);
        }
    }
    quota_free(&search->quota, l);
    ctx_release(search->ctx, mark);
}

void *strategy_layouts_open(Search *search) {
    LayoutsState *state = quota_grow(&search->quota, NULL, 1, sizeof *state);
    if (state != NULL) {
        *state = (LayoutsState){.next = 0};
    }
    return state;
}

void strategy_layouts_close(Search *search, void *state) {
    quota_free(&search->quota, state);
}

void strategy_layouts_run(Search *search, void *of) {
    LayoutsState *state = of;
    if (search->task->same_size) {
        return;
    }
    CtxMark mark = ctx_mark(search->ctx);
    LayoutReadings *readings = ctx_alloc(search->ctx, sizeof *readings);
    if (readings != NULL && layouts_read(search, readings)) {
        int tries = objects_backgrounds_differ(search->task) ? TRIES : SEGMENT_COUNT;
        while (state->next < tries && !search->slice_over) {
            try_division(search, readings, state->next);
            state->next += !search->slice_over;
        }
    }
    ctx_release(search->ctx, mark);
}
