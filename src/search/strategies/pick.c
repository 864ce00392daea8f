/* The pick strategy: the output is one object of the input, cut out. It divides the inputs into
 * objects in every way and searches for a condition that the right object of each grid meets and no
 * other object does, except copies of it. An object that only has the size of the output becomes an
 * intermediate for other strategies. */
#include "base/mix.h"
#include "search/schedule/strategies.h"
#include "search/strategies/objects_internal.h"

#include <string.h>

enum { WORDS = 2 * OBJECTS_MAX / 64, TRIES = 2 * SEGMENT_COUNT, MAX_OFFERS = 24, MAX_INTERMEDIATES = 3 };

typedef struct Pick {
    Objects o;
    uint64_t right[CUT_COUNT][WORDS]; /* objects that give the output when cut out in this way */
    uint64_t sized[CUT_COUNT][WORDS]; /* those that have its size */
    bool possible[CUT_COUNT];         /* every pair has a right one */
    bool sizable[CUT_COUNT];          /* every pair has one of the right size */
    uint64_t hashes[2 * OBJECTS_MAX]; /* by object: a hash of what the current cut gives */
    uint32_t offers, intermediates;
} Pick;

/* A question, or its opposite. */
typedef struct QuestionSide {
    uint32_t question;
    bool no;
} QuestionSide;

/* ---- which objects are right ---- */

static bool gives_output(const Scene *s, int32_t object, SceneCut how, const SceneFrame *frame, Val out) {
    for (int32_t k = 0; k < frame->h * frame->w; k++) {
        int32_t i = frame->top + k / frame->w, j = frame->left + k % frame->w;
        if (scene_cut_color(s, object, how, i, j) != out.b8[k]) {
            return false;
        }
    }
    return true;
}

static void find_right_in(Pick *p, uint32_t sample, int how, bool *right, bool *sized) {
    const Scene *s = p->o.scenes[sample];
    Val out = p->o.search->task->out[sample];
    for (int32_t k = 0; k < s->count; k++) {
        uint32_t at = p->o.first[sample] + (uint32_t)k;
        SceneFrame frame;
        bool fits = scene_cut(s, k, (SceneCut)how, &frame) && frame.h == (int32_t)out.n && frame.w == out.w;
        bool gives = fits && gives_output(s, k, (SceneCut)how, &frame, out);
        p->sized[how][at / 64] |= (uint64_t)fits << at % 64;
        p->right[how][at / 64] |= (uint64_t)gives << at % 64;
        *sized |= fits;
        *right |= gives;
    }
}

/* False: no way of cutting gives outputs of the right sizes. */
static bool find_right(Pick *p) {
    const SearchTask *t = p->o.search->task;
    bool any = false;
    for (int how = 0; how < CUT_COUNT; how++) {
        p->possible[how] = p->sizable[how] = true;
        for (uint32_t s = 0; s < t->n_train && p->sizable[how]; s++) {
            bool right = false, sized = false;
            find_right_in(p, s, how, &right, &sized);
            p->possible[how] &= right;
            p->sizable[how] &= sized;
        }
        p->possible[how] &= p->sizable[how];
        any |= p->sizable[how];
    }
    return any;
}

static void note_hashes(Pick *p, int how) {
    for (uint32_t at = 0; at < p->o.n; at++) {
        const Scene *s = p->o.scenes[p->o.sample[at]];
        int32_t object = (int32_t)(at - p->o.first[p->o.sample[at]]);
        SceneFrame frame;
        uint64_t hash = at; /* what cannot be cut out looks like nothing else */
        if (scene_cut(s, object, (SceneCut)how, &frame)) {
            hash = (uint64_t)frame.h << 32 | (uint64_t)frame.w << 16;
            for (int32_t k = 0; k < frame.h * frame.w; k++) {
                int32_t i = frame.top + k / frame.w, j = frame.left + k % frame.w;
                hash = mix64(hash, (uint64_t)scene_cut_color(s, object, (SceneCut)how, i, j));
            }
        }
        p->hashes[at] = hash;
    }
}

/* ---- conditions ---- */

/* Is one object chosen in every input, or several that look the same, and one of `wanted` in the training
 * pairs? */
static bool picks(const Pick *p, const uint64_t *chosen, const uint64_t *wanted) {
    const SearchTask *t = p->o.search->task;
    for (uint32_t s = 0; s < t->n; s++) {
        uint32_t first = UINT32_MAX;
        for (uint32_t k = p->o.first[s]; k < p->o.first[s + 1]; k++) {
            if (bits_has(chosen, k)) {
                if (first != UINT32_MAX && p->hashes[k] != p->hashes[first]) {
                    return false;
                }
                first = first == UINT32_MAX ? k : first;
            }
        }
        if (first == UINT32_MAX || (s < t->n_train && !bits_has(wanted, first))) {
            return false;
        }
    }
    return true;
}

static double side_cost(const Pick *p, QuestionSide side) {
    return p->o.questions[side.question].cost + (side.no ? 0.5 : 0);
}

/* The program that picks by these conditions, and what it costs. NULL: no memory. */
static Program *program_of(Pick *p, const QuestionSide *sides, uint32_t n, int how, double *cost) {
    Search *search = p->o.search;
    Builder *b = &search->builder;
    Val *items = val_buffer(search->ctx, n);
    *cost = search->tune->pick_cost + scene_segmentations[p->o.segmentation].cost +
            (how != CUT_BOX ? 1.5 : 0) +
            (p->o.background != SCENE_BACKGROUND_USUAL ? search->tune->objects_background_cost : 0);
    if (items == NULL) {
        return NULL;
    }
    for (uint32_t k = 0; k < n; k++) {
        const ObjectsQuestion *q = &p->o.questions[sides[k].question];
        items[k] = val_triple32(q->attribute, q->test + (sides[k].no ? RULE_TESTS : 0), q->number);
        *cost += search->tune->pick_scale * side_cost(p, sides[k]);
    }
    Val conditions = val_tuple(search->ctx, items, n);
    if (val_failed(conditions)) {
        return NULL;
    }
    build_start(b);
    Ref args[4] = {PARAM_I, build_const(b, val_pair32((int32_t)p->o.segmentation, p->o.background)),
                   build_const(b, conditions), build_const(b, val_int(how))};
    return search_finish(search, build_op(b, OP_PRIM, P_object_pick, args, 4, 0, "", 0));
}

static void offer(Pick *p, const QuestionSide *sides, uint32_t n, int how) {
    double cost;
    if (p->offers++ < MAX_OFFERS) {
        Program *program = program_of(p, sides, n, how, &cost);
        search_offer(p->o.search, program, cost);
    }
}

/* The objects of `before` that are on this side. */
static void meet(const Pick *p, QuestionSide side, const uint64_t *before, uint64_t *to) {
    const uint64_t *yes = p->o.questions[side.question].yes;
    for (uint32_t w = 0; w < p->o.words; w++) {
        to[w] = (side.no ? ~yes[w] : yes[w]) & before[w];
    }
}

/* Is a right object left in every pair, and any object in every test? */
static bool still_possible(const Pick *p, const uint64_t *left, int how) {
    const SearchTask *t = p->o.search->task;
    for (uint32_t s = 0; s < t->n; s++) {
        bool any = false;
        for (uint32_t k = p->o.first[s]; k < p->o.first[s + 1] && !any; k++) {
            any = bits_has(left, k) && (s >= t->n_train || bits_has(p->right[how], k));
        }
        if (!any) {
            return false;
        }
    }
    return true;
}

static void choose_all(const Pick *p, uint64_t *all) {
    memset(all, 0, WORDS * sizeof *all);
    for (uint32_t k = 0; k < p->o.n; k++) {
        all[k / 64] |= (uint64_t)1 << k % 64;
    }
}

static bool try_conditions(Pick *p, int how) {
    uint64_t all[WORDS], one[WORDS], two[WORDS];
    uint32_t before = p->offers;
    choose_all(p, all);
    if (picks(p, all, p->right[how])) {
        offer(p, NULL, 0, how);
    }
    for (uint32_t a = 0; a < 2 * p->o.n_questions; a++) {
        QuestionSide side = {a / 2, a % 2};
        meet(p, side, all, one);
        if (picks(p, one, p->right[how])) {
            offer(p, &side, 1, how);
        }
    }
    for (uint32_t a = 0; a < 2 * p->o.n_questions && p->offers == before; a++) {
        QuestionSide sides[2] = {{a / 2, a % 2}, {0, false}};
        meet(p, sides[0], all, one);
        if (!still_possible(p, one, how)) {
            continue;
        }
        for (uint32_t b = a + 1; b < 2 * p->o.n_questions; b++) {
            sides[1] = (QuestionSide){b / 2, b % 2};
            meet(p, sides[1], one, two);
            if (picks(p, two, p->right[how])) {
                offer(p, sides, 2, how);
            }
        }
        if (!search_spend(p->o.search, 4 + p->o.n_questions / 8)) {
            return false;
        }
    }
    return search_spend(p->o.search, 16 + p->o.n_questions / 4);
}

/* ---- intermediates ---- */

static void add_intermediate(Pick *p, const uint64_t *chosen, const QuestionSide *sides, uint32_t n,
                             int how) {
    Search *search = p->o.search;
    Val vals[SEARCH_MAX_SAMPLES];
    uint32_t like;
    bool good = true;
    CtxMark mark = ctx_mark(search->ctx);
    for (uint32_t s = 0; s < search->task->n && good; s++) {
        uint32_t k = p->o.first[s];
        while (!bits_has(chosen, k)) {
            k++;
        }
        vals[s] = scene_cut_grid(search->ctx, p->o.scenes[s], (int32_t)(k - p->o.first[s]), (SceneCut)how);
        good = !val_failed(vals[s]);
    }
    if (good && intermediates_want(search, vals, &like)) {
        double cost;
        Program *program = program_of(p, sides, n, how, &cost);
        intermediates_add(search, vals, like, cost, program);
        p->intermediates++;
    }
    ctx_release(search->ctx, mark);
}

/* What has the outputs' sizes when it is cut out, by one condition or none. */
static void find_intermediates(Pick *p, int how) {
    uint64_t all[WORDS], one[WORDS];
    choose_all(p, all);
    if (picks(p, all, p->sized[how])) {
        add_intermediate(p, all, NULL, 0, how);
    }
    for (uint32_t a = 0; a < 2 * p->o.n_questions && p->intermediates < MAX_INTERMEDIATES; a++) {
        QuestionSide side = {a / 2, a % 2};
        meet(p, side, all, one);
        if (picks(p, one, p->sized[how])) {
            add_intermediate(p, one, &side, 1, how);
        }
    }
}

/* ---- time slices ---- */

static void try_division(Search *search, int try) {
    CtxMark mark = ctx_mark(search->ctx);
    Pick *p = quota_grow(&search->quota, NULL, 1, sizeof *p);
    if (p != NULL) {
        memset(p, 0, sizeof *p);
        p->o.search = search;
        p->o.alone = true;
        p->o.segmentation = (SceneSegmentation)(try % SEGMENT_COUNT);
        p->o.background = try / SEGMENT_COUNT == 0 ? SCENE_BACKGROUND_USUAL : SCENE_BACKGROUND_MOST_FREQUENT;
        bool go_on = objects_segment(&p->o) && find_right(p) && objects_make_questions(&p->o) &&
                     objects_ask_ranks(&p->o);
        for (int how = 0; how < CUT_COUNT && go_on; how++) {
            if (p->sizable[how]) {
                note_hashes(p, how);
                go_on = !p->possible[how] || try_conditions(p, how);
                find_intermediates(p, how);
            }
        }
    }
    quota_free(&search->quota, p);
    ctx_release(search->ctx, mark);
}

/* Whether the outputs are smaller than their inputs. */
static bool is_cut(const SearchTask *t) {
    for (uint32_t s = 0; s < t->n_train; s++) {
        if (t->out[s].n > t->in[s].n || t->out[s].w > t->in[s].w ||
            (t->out[s].n == t->in[s].n && t->out[s].w == t->in[s].w)) {
            return false;
        }
    }
    return true;
}

typedef struct PickState { /* how far the time slices have got */
    int next;
} PickState;

void *strategy_pick_open(Search *search) {
    PickState *state = quota_grow(&search->quota, NULL, 1, sizeof *state);
    if (state != NULL) {
        *state = (PickState){.next = 0};
    }
    return state;
}

void strategy_pick_close(Search *search, void *state) {
    quota_free(&search->quota, state);
}

void strategy_pick_run(Search *search, void *of) {
    PickState *state = of;
    int tries = objects_backgrounds_differ(search->task) ? TRIES : SEGMENT_COUNT;
    while (is_cut(search->task) && state->next < tries && !search->slice_over) {
        try_division(search, state->next);
        state->next += !search->slice_over;
    }
}
