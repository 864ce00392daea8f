/* The pick part: the output is one object of the input, cut out. The inputs are divided into objects in every
 * way; what is wanted is a condition that the chosen objects meet and no others of their grids do. */
#include "search/objects_inside.h"
#include "search/parts.h"

#include <string.h>

enum { WORDS = 2 * OBJECTS_MOST / 64, TRIES = 2 * WAY_COUNT, MOST_OFFERS = 24 };

typedef struct Pick {
    Objects o;
    uint64_t right[CUT_COUNT][WORDS]; /* objects that give the output when cut out in this way */
    bool possible[CUT_COUNT];         /* every pair has one */
    uint32_t offers;
} Pick;

/* A question, or its opposite. */
typedef struct Side {
    uint32_t question;
    bool no;
} Side;

static bool gives_output(const Scene *s, int32_t object, SceneCut how, Val out) {
    SceneFrame frame;
    if (!scene_cut(s, object, how, &frame) || frame.h != (int32_t)out.n || frame.w != (int32_t)out.w) {
        return false;
    }
    for (int32_t k = 0; k < frame.h * frame.w; k++) {
        int32_t cell = (frame.top + k / frame.w) * s->board.w + frame.left + k % frame.w;
        if (scene_cut_color(s, object, how, cell) != out.b8[k]) {
            return false;
        }
    }
    return true;
}

/* False: no way of cutting gives every output. */
static bool find_right(Pick *p) {
    const SearchTask *t = p->o.search->task;
    bool any = false;
    for (int how = 0; how < CUT_COUNT; how++) {
        p->possible[how] = true;
        for (uint32_t s = 0; s < t->n_train && p->possible[how]; s++) {
            bool found = false;
            for (int32_t k = 0; k < p->o.scenes[s]->count; k++) {
                uint32_t at = p->o.first[s] + (uint32_t)k;
                bool gives = gives_output(p->o.scenes[s], k, (SceneCut)how, t->out[s]);
                p->right[how][at / 64] |= (uint64_t)gives << at % 64;
                found |= gives;
            }
            p->possible[how] = found;
        }
        any |= p->possible[how];
    }
    return any;
}

/* Is exactly one object chosen in every input, and the right one in the training pairs? */
static bool picks(const Pick *p, const uint64_t *chosen, int how) {
    const SearchTask *t = p->o.search->task;
    for (uint32_t s = 0; s < t->n; s++) {
        uint32_t n = 0, which = 0;
        for (uint32_t k = p->o.first[s]; k < p->o.first[s + 1] && n < 2; k++) {
            if (objects_in(chosen, k)) {
                n++;
                which = k;
            }
        }
        if (n != 1 || (s < t->n_train && !objects_in(p->right[how], which))) {
            return false;
        }
    }
    return true;
}

static double side_cost(const Pick *p, Side side) {
    return p->o.questions[side.question].cost + (side.no ? 0.5 : 0);
}

static void offer(Pick *p, const Side *sides, uint32_t n, int how) {
    Search *search = p->o.search;
    Builder *b = &search->builder;
    Val *items = val_buffer(search->ctx, n);
    double cost = search->tune->pick_cost + scene_ways[p->o.way].cost + (how != CUT_BOX ? 1.5 : 0) +
                  (p->o.ground != SCENE_GROUND_USUAL ? search->tune->objects_ground_cost : 0);
    if (items == NULL || p->offers++ >= MOST_OFFERS) {
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        const ObjectsQuestion *q = &p->o.questions[sides[k].question];
        items[k] = val_triple32(q->attribute, q->test + (sides[k].no ? RULE_TESTS : 0), q->number);
        cost += search->tune->pick_scale * side_cost(p, sides[k]);
    }
    Val conditions = val_tuple(search->ctx, items, n);
    if (val_failed(conditions)) {
        return;
    }
    build_start(b);
    Ref args[4] = {PARAM_I, build_const(b, val_pair32((int32_t)p->o.way, p->o.ground)),
                   build_const(b, conditions), build_const(b, val_int(how))};
    search_offer(search, search_finish(search, build_op(b, OP_PRIM, P_object_pick, args, 4, 0, "", 0)), cost);
}

/* The objects of `before` that are on this side. */
static void meet(const Pick *p, Side side, const uint64_t *before, uint64_t *to) {
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
            any = objects_in(left, k) && (s >= t->n_train || objects_in(p->right[how], k));
        }
        if (!any) {
            return false;
        }
    }
    return true;
}

static bool try_conditions(Pick *p, int how) {
    uint64_t all[WORDS], one[WORDS], two[WORDS];
    uint32_t before = p->offers;
    memset(all, 0, sizeof all);
    for (uint32_t k = 0; k < p->o.n; k++) {
        all[k / 64] |= (uint64_t)1 << k % 64;
    }
    if (picks(p, all, how)) {
        offer(p, NULL, 0, how);
    }
    for (uint32_t a = 0; a < 2 * p->o.n_questions; a++) {
        Side side = {a / 2, a % 2};
        meet(p, side, all, one);
        if (picks(p, one, how)) {
            offer(p, &side, 1, how);
        }
    }
    for (uint32_t a = 0; a < 2 * p->o.n_questions && p->offers == before; a++) {
        Side sides[2] = {{a / 2, a % 2}, {0, false}};
        meet(p, sides[0], all, one);
        if (!still_possible(p, one, how)) {
            continue;
        }
        for (uint32_t b = a + 1; b < 2 * p->o.n_questions; b++) {
            sides[1] = (Side){b / 2, b % 2};
            meet(p, sides[1], one, two);
            if (picks(p, two, how)) {
                offer(p, sides, 2, how);
            }
        }
        if (!search_spend(p->o.search, 4 + p->o.n_questions / 8)) {
            return false;
        }
    }
    return search_spend(p->o.search, 16 + p->o.n_questions / 4);
}

static void look(Search *search, int try) {
    CtxMark mark = ctx_mark(search->ctx);
    Pick *p = quota_grow(&search->quota, NULL, 1, sizeof *p);
    if (p != NULL) {
        memset(p, 0, sizeof *p);
        p->o.search = search;
        p->o.way = (SceneWay)(try % WAY_COUNT);
        p->o.ground = try / WAY_COUNT == 0 ? SCENE_GROUND_USUAL : SCENE_GROUND_MOST;
        if (objects_divide(&p->o) && find_right(p) && objects_make_questions(&p->o)) {
            for (int how = 0; how < CUT_COUNT; how++) {
                if (p->possible[how] && !try_conditions(p, how)) {
                    break;
                }
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

void part_pick_run(Search *search, void *state) {
    (void)state;
    for (int try = 0; is_cut(search->task) && try < TRIES && !search->look_over; try++) {
        look(search, try);
    }
}
