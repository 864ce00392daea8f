/* The pairs strategy divides inputs into objects, and learns what objects do with others: which ordered pairs
 * of them act (a source with an anchor), and how. Every act is tried on every pair of the training pairs, as
 * in objects.c; pairs that need not act may stay idle. */
#include "base/mix.h"
#include "search/schedule/strategies.h"
#include "search/strategies/pairs_internal.h"

#include <string.h>

enum { BACKGROUNDS = 2, TRIES = BACKGROUNDS * SEGMENT_COUNT };

typedef struct PairsState { /* how far the slices have got */
    ItemsTurn turn;
    unsigned effort;
    uint64_t seen[TRIES]; /* hashes of the ways to divide all inputs that were tried */
} PairsState;

static uint64_t hash_of(const Pairs *p) {
    uint64_t hash = 0;
    for (uint32_t s = 0; s < p->search->task->n; s++) {
        const Scene *scene = p->scenes[s];
        hash = mix64(hash, (uint64_t)scene->grid.background);
        for (int32_t k = 0; k < scene->grid.n; k++) {
            hash = mix64(hash, (uint64_t)(scene->label[k] + 1));
        }
    }
    return hash;
}

/* Divides all inputs, and lists the pairs of each. False: there are none, or too many. */
static bool segment(Pairs *p) {
    const SearchTask *t = p->search->task;
    Ctx *ctx = p->search->ctx;
    Reason why;
    for (uint32_t s = 0; s < t->n; s++) {
        Scene *scene = p->scenes[s] = scene_described(ctx, t->in[s], p->segmentation, p->background, &why);
        if (scene == NULL || !search_spend(p->search, 16 + (uint64_t)scene->count * 4)) {
            return false;
        }
        memset(scene->partners, -1, sizeof scene->partners);
        p->first[s] = p->n;
        p->n += (uint32_t)(scene->count * (scene->count - 1));
        p->n_train = s < t->n_train ? p->n : p->n_train;
    }
    p->first[t->n] = p->n;
    if (p->n_train == 0 || p->n_train > PAIRS_MAX || p->n > 2 * PAIRS_MAX) {
        return false;
    }
    p->pair = ctx_alloc(ctx, p->n * sizeof *p->pair);
    p->sample = ctx_alloc(ctx, p->n);
    p->scratch = ctx_alloc(ctx, sizeof *p->scratch);
    if (p->pair == NULL || p->sample == NULL || p->scratch == NULL) {
        return false;
    }
    memset(p->scratch, 0, sizeof *p->scratch);
    uint32_t at = 0;
    for (uint32_t s = 0; s < t->n; s++) {
        for (int32_t a = 0; a < p->scenes[s]->count; a++) {
            for (int32_t b = 0; b < p->scenes[s]->count; b++) {
                if (a != b) {
                    p->pair[at] = (SceneDeed){(uint8_t)a, (uint8_t)b, 0};
                    p->sample[at++] = (uint8_t)s;
                }
            }
        }
    }
    return true;
}

static double price(const Pairs *p, const Tree *tree) {
    const Tunables *tune = p->search->tune;
    return tune->pairs_cost + scene_segmentations[p->segmentation].cost +
           (p->background != SCENE_BACKGROUND_USUAL ? tune->objects_background_cost : 0) +
           (p->under ? tune->objects_under_cost : 0) + tune->pairs_tree_scale * tree->cost;
}

static void offer(Pairs *p, const Tree *tree) {
    Builder *b = &p->search->builder;
    Val rule = pairs_rule(p, tree);
    if (val_failed(rule)) {
        return;
    }
    build_start(b);
    Ref args[4] = {PARAM_I, build_const(b, val_pair32((int32_t)p->segmentation, p->background)),
                   build_const(b, val_int(p->under)), build_const(b, rule)};
    search_offer(p->search, search_finish(p->search, build_op(b, OP_PRIM, P_pair_rule, args, 4, 0, "", 0)),
                 price(p, tree));
}

/* True if something fits. */
static bool learn(Pairs *p) {
    bool found = pairs_list_acts(p) && pairs_find_trees(p);
    for (uint32_t k = 0; k < p->items.n_finds && found; k++) {
        offer(p, &p->items.finds[k]);
    }
    return found;
}

static void try_division(Search *search, PairsState *state) {
    int try = state->turn.way;
    Ctx *ctx = search->ctx;
    CtxMark mark = ctx_mark(ctx);
    Pairs *p = quota_grow(&search->quota, NULL, 1, sizeof *p);
    if (p != NULL) {
        *p = (Pairs){.search = search,
                     .segmentation = (SceneSegmentation)(try % SEGMENT_COUNT),
                     .background =
                         try / SEGMENT_COUNT == 0 ? SCENE_BACKGROUND_USUAL : SCENE_BACKGROUND_MOST_FREQUENT,
                     .patience = items_patience(search, &state->turn),
                     .all_attributes = search->effort > 1};
        bool good = segment(p);
        state->seen[try] = good ? hash_of(p) : 0;
        for (int k = 0; k < try && good; k++) {
            good = state->seen[k] != state->seen[try];
        }
        CtxMark segmented = ctx_mark(ctx);
        for (int under = 0; under < 2 && good; under++) {
            p->under = under;
            p->n_acts = 0;
            good = !learn(p);
            if (p->items.postponed) {
                items_postpone(&state->turn);
            }
            ctx_release(ctx, segmented);
        }
    }
    quota_free(&search->quota, p);
    ctx_release(ctx, mark);
}

void *strategy_pairs_open(Search *search) {
    PairsState *state = quota_grow(&search->quota, NULL, 1, sizeof *state);
    if (state != NULL) {
        *state = (PairsState){.effort = search->effort};
    }
    return state;
}

void strategy_pairs_close(Search *search, void *state) {
    quota_free(&search->quota, state);
}

void strategy_pairs_run(Search *search, void *of) {
    PairsState *state = of;
    if (state->effort != search->effort) { /* one with more effort starts over */
        *state = (PairsState){.effort = search->effort};
    }
    while (search->task->same_size && state->turn.pass < items_passes(search) && !search->slice_over) {
        try_division(search, state);
        if (!search->slice_over) {
            items_next_turn(&state->turn, TRIES);
        }
    }
}
