/* Rules that settle some of the cells: a first pass, on which a second one can build.
 *
 * If a leaf is right on all of one side of a question, painting that side and leaving the rest
 * makes an intermediate grid (intermediates.h) on which all features are computed again, so that a
 * rule can ask what a neighbour became. The passes that put most cells right are kept. */
#include "search/learning/cells.h"

#include <string.h>

enum { MAX_PASSES = 8 };

typedef struct Pass {
    int16_t test, leaf;
    bool no;       /* whether the "no" side is settled */
    uint32_t gain; /* cells put right */
    double cost;
} Pass;

typedef struct Passes {
    Pass items[MAX_PASSES];
    uint32_t count, max;
} Passes;

static bool is_better(const Pass *a, const Pass *b) {
    return a->gain != b->gain ? a->gain > b->gain : a->cost < b->cost;
}

/* Two passes that put the same number of cells right with the same leaf usually settle the same cells. */
static bool is_like(const Pass *a, const Pass *b) {
    return a->gain == b->gain && a->leaf == b->leaf;
}

static void keep_pass(Passes *passes, const Pass *pass) {
    for (uint32_t k = 0; k < passes->count; k++) {
        if (is_like(&passes->items[k], pass)) {
            passes->items[k] = is_better(pass, &passes->items[k]) ? *pass : passes->items[k];
            return;
        }
    }
    uint32_t at = passes->count;
    if (at == passes->max) {
        if (at == 0 || !is_better(pass, &passes->items[at - 1])) {
            return;
        }
        at--;
    }
    for (; at > 0 && is_better(pass, &passes->items[at - 1]); at--) {
        passes->items[at] = passes->items[at - 1];
    }
    passes->items[at] = *pass;
    passes->count += passes->count < passes->max;
}

/* Finds sides of questions on which some leaf is right, and which are not all right already. False: cut
 * short. */
static bool find_passes(Cells *c, uint64_t *scratch, Passes *found) {
    uint64_t *wrong = scratch, *side = scratch + c->words;
    for (uint32_t w = 0; w < c->train_words; w++) {
        wrong[w] = 0;
    }
    for (uint32_t k = 0; k < c->train_cells; k++) {
        wrong[k / 64] |= (uint64_t)(c->planes[FEATURE_OWN][k] != c->target[k]) << k % 64;
    }
    uint32_t all = bits_count(wrong, c->train_words);
    for (uint32_t k = 0; k < c->questions.count; k++) {
        for (int no = 0; no < 2; no++) {
            Pass pass = {.test = (int16_t)k, .no = no};
            for (uint32_t w = 0; w < c->train_words; w++) {
                side[w] = no ? ~c->questions.list[k].yes[w] : c->questions.list[k].yes[w];
            }
            side[c->train_words - 1] &= ((uint64_t)1 << c->train_cells % 64) - 1;
            for (uint32_t w = 0; w < c->train_words; w++) {
                pass.gain += (uint32_t)__builtin_popcountll(side[w] & wrong[w]);
            }
            bool worth_it = pass.gain > 0 && pass.gain < all &&
                            (found->count < found->max || pass.gain >= found->items[found->count - 1].gain);
            pass.leaf = worth_it ? cells_best_leaf(c, side) : -1;
            if (pass.leaf >= 0) {
                pass.cost = c->questions.list[k].cost + c->leaves[pass.leaf].cost;
                keep_pass(found, &pass);
            }
        }
        if (k % 64 == 0 && !search_spend(c->search, 64)) {
            return false;
        }
    }
    return true;
}

/* The rule as a value: the leaf on the settled side, the cells as they are on the other. */
static Val pass_value(Cells *c, const Pass *pass) {
    Tree tree = {.count = 0};
    tree.root = tree_add_fork(&tree, (uint32_t)pass->test, pass->no ? CELLS_AS_IS : pass->leaf,
                              pass->no ? pass->leaf : CELLS_AS_IS);
    return cells_rule(c, &tree);
}

static void keep_intermediate(Cells *c, const Pass *pass) {
    Search *s = c->search;
    CtxMark mark = ctx_mark(s->ctx);
    Val args[2], painted[SEARCH_MAX_SAMPLES];
    uint32_t like;
    bool good = true;
    args[1] = pass_value(c, pass);
    for (uint32_t k = 0; k < s->task->n && good; k++) {
        args[0] = c->source.vals[k];
        painted[k] = prim_direct(s->ctx, P_cell_rule, args);
        good = painted[k].kind == VAL_GRID8;
    }
    Ref source;
    if (good && intermediates_want(s, painted, &like) && c->source.begin(c->source.owner, &source)) {
        Ref refs[2] = {source, build_const(&s->builder, args[1])};
        Ref result = build_op(&s->builder, OP_PRIM, P_cell_rule, refs, 2, 0, "", 0);
        intermediates_add(s, painted, like,
                          s->tune->cells_tree_scale * (pass->cost + s->tune->cells_pass_cost),
                          search_finish(s, result));
    }
    ctx_release(s->ctx, mark);
}

void cells_keep_passes(Cells *c) {
    Passes found = {.max = c->search->tune->cells_passes_max};
    CtxMark mark = ctx_mark(c->search->ctx);
    uint64_t *scratch = ctx_alloc(c->search->ctx, 2ull * c->words * sizeof *scratch);
    bool own = c->source.vals == c->search->own->in && c->source.frames == NULL && c->source.tall == 0;
    _Static_assert(MAX_PASSES >= 8, "the tunable goes up to 8");
    if (own && scratch != NULL && found.max > 0 && find_passes(c, scratch, &found)) {
        for (uint32_t k = 0; k < found.count; k++) {
            keep_intermediate(c, &found.items[k]);
        }
    }
    ctx_release(c->search->ctx, mark);
}
