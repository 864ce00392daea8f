/* The objects strategy divides inputs into objects in several ways, and learns for each way a rule
 * that says what is done with every object. */
#include "search/schedule/strategies.h"
#include "search/strategies/objects_internal.h"

#include <string.h>

bool objects_backgrounds_differ(const SearchTask *t) {
    for (uint32_t s = 0; s < t->n; s++) {
        GridAnalysis b;
        Reason why;
        if (analysis_of(t->in[s], &b, &why) && b.background != analysis_most_frequent(b.counts, -1)) {
            return true;
        }
    }
    return false;
}

bool objects_segment(Objects *o) {
    const SearchTask *t = o->search->task;
    Ctx *ctx = o->search->ctx;
    Reason why;
    for (uint32_t s = 0; s < t->n; s++) {
        o->scenes[s] = o->alone ? scene_described(ctx, t->in[s], o->segmentation, o->background, &why)
                                : scene_of(ctx, t->in[s], o->segmentation, o->background, &why);
        if (o->scenes[s] == NULL ||
            !search_spend(o->search, 16 + (uint64_t)(o->scenes[s]->count * o->scenes[s]->count))) {
            return false;
        }
        o->first[s] = o->n;
        o->n += (uint32_t)o->scenes[s]->count;
        o->n_train = s < t->n_train ? o->n : o->n_train;
    }
    o->first[t->n] = o->n;
    if (o->n_train > OBJECTS_MAX || o->n > 2 * OBJECTS_MAX) {
        return false;
    }
    o->words = (o->n + 63) / 64;
    o->train_words = (o->n_train + 63) / 64;
    o->sample = ctx_alloc(ctx, o->n);
    o->scratch = ctx_alloc(ctx, sizeof *o->scratch);
    if (o->sample == NULL || o->scratch == NULL) {
        return false;
    }
    memset(o->scratch, 0, sizeof *o->scratch);
    for (uint32_t s = 0; s < t->n; s++) {
        memset(o->sample + o->first[s], (int)s, o->first[s + 1] - o->first[s]);
    }
    return true;
}

static double price(const Objects *o, const Tree *tree) {
    const Tunables *tune = o->search->tune;
    return tune->objects_cost + scene_segmentations[o->segmentation].cost +
           (o->background != SCENE_BACKGROUND_USUAL ? tune->objects_background_cost : 0) +
           (o->under ? tune->objects_under_cost : 0) + tune->objects_tree_scale * tree->cost;
}

static Program *program_of(Objects *o, const Tree *tree) {
    Builder *b = &o->search->builder;
    Val rule = objects_rule(o, tree);
    if (val_failed(rule)) {
        return NULL;
    }
    build_start(b);
    Ref args[4] = {PARAM_I, build_const(b, val_pair32((int32_t)o->segmentation, o->background)),
                   build_const(b, val_int(o->under)), build_const(b, rule)};
    return search_finish(o->search, build_op(b, OP_PRIM, P_object_rule, args, 4, 0, "", 0));
}

/* Keeps what the tree makes as an intermediate grid: other strategies may explain the rest. */
static void add_intermediate(Objects *o, const Tree *tree) {
    Search *s = o->search;
    CtxMark mark = ctx_mark(s->ctx);
    Val vals[SEARCH_MAX_SAMPLES];
    uint32_t like;
    if (objects_make(o, tree, vals) && intermediates_want(s, vals, &like)) {
        intermediates_add(s, vals, like, price(o, tree), program_of(o, tree));
    }
    ctx_release(s->ctx, mark);
}

/* True if something fits. */
static bool learn(Objects *o) {
    enum { MAX_INTERMEDIATES = 1 };
    bool found = objects_list_acts(o) && objects_make_questions(o) && objects_find_trees(o);
    for (uint32_t k = 0; k < o->items.n_finds && found; k++) {
        if (o->unmet == 0) {
            search_offer(o->search, program_of(o, &o->items.finds[k]), price(o, &o->items.finds[k]));
        } else if (k < MAX_INTERMEDIATES) {
            add_intermediate(o, &o->items.finds[k]);
        }
    }
    return found && o->unmet == 0;
}

/* ---- time slices ---- */

enum { BACKGROUNDS = 2, TRIES = BACKGROUNDS * SEGMENT_COUNT };

typedef struct ObjectsState { /* how far the slices have got */
    ItemsTurn turn;
    unsigned effort;
} ObjectsState;

/* Whether two ways divide all inputs alike, so that one of them is enough. */
static bool segmented_alike(const Objects *a, const Scene *const *scenes) {
    for (uint32_t s = 0; s < a->search->task->n; s++) {
        const Scene *x = a->scenes[s], *y = scenes[s];
        if (y == NULL || x->count != y->count || x->grid.background != y->grid.background ||
            memcmp(x->label, y->label, (size_t)x->grid.n * sizeof *x->label) != 0) {
            return false;
        }
    }
    return true;
}

/* Is there an earlier way that divides all inputs in the same manner? */
static bool met_before(Objects *o, int try) {
    const SearchTask *t = o->search->task;
    Ctx *ctx = o->search->ctx;
    Reason why;
    for (int k = 0; k < try; k++) {
        const Scene *scenes[SEARCH_MAX_SAMPLES] = {NULL};
        CtxMark mark = ctx_mark(ctx);
        int background = k / SEGMENT_COUNT == 0 ? SCENE_BACKGROUND_USUAL : SCENE_BACKGROUND_MOST_FREQUENT;
        bool alike = true;
        for (uint32_t s = 0; s < t->n && alike; s++) {
            scenes[s] =
                scene_segment(ctx, t->in[s], (SceneSegmentation)(k % SEGMENT_COUNT), background, &why);
            alike = scenes[s] != NULL && scenes[s]->count == o->scenes[s]->count;
        }
        alike = alike && segmented_alike(o, scenes);
        ctx_release(ctx, mark);
        if (alike) {
            return true;
        }
    }
    return false;
}

static void try_division(Search *search, ItemsTurn *turn) {
    int try = turn->way;
    Ctx *ctx = search->ctx;
    CtxMark mark = ctx_mark(ctx);
    Objects *o = quota_grow(&search->quota, NULL, 1, sizeof *o);
    if (o != NULL) {
        *o = (Objects){.search = search,
                       .segmentation = (SceneSegmentation)(try % SEGMENT_COUNT),
                       .background =
                           try / SEGMENT_COUNT == 0 ? SCENE_BACKGROUND_USUAL : SCENE_BACKGROUND_MOST_FREQUENT,
                       .patience = items_patience(search, turn),
                       .lenient = search->effort > 1,
                       .of_partners = search->effort > 1,
                       .partial = search->effort > 1 && search->task == search->own};
        bool good = objects_segment(o) && !met_before(o, try);
        CtxMark segmented = ctx_mark(ctx);
        for (int under = 0; under < 2 && good; under++) {
            o->under = under;
            o->n_acts = 0;
            good = !learn(o);
            if (o->items.postponed) {
                items_postpone(turn);
            }
            ctx_release(ctx, segmented);
        }
    }
    quota_free(&search->quota, o);
    ctx_release(ctx, mark);
}

void *strategy_objects_open(Search *search) {
    ObjectsState *state = quota_grow(&search->quota, NULL, 1, sizeof *state);
    if (state != NULL) {
        *state = (ObjectsState){.effort = search->effort};
    }
    return state;
}

void strategy_objects_close(Search *search, void *state) {
    quota_free(&search->quota, state);
}

void strategy_objects_run(Search *search, void *of) {
    ObjectsState *state = of;
    if (state->effort != search->effort) { /* one with more effort starts over */
        *state = (ObjectsState){.effort = search->effort};
    }
    while (search->task->same_size && state->turn.pass < items_passes(search) && !search->slice_over) {
        try_division(search, &state->turn);
        if (!search->slice_over) {
            items_next_turn(&state->turn, TRIES);
        }
    }
}
