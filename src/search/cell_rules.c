/* Rules per cell, learnt from the training pairs; see cell_rules.h.
 *
 * A rule is a small decision tree over features of cells (features/features.h). All questions and all leaves
 * are bit sets over the training cells, so that whether a tree is right is a few operations on words. Trees
 * come in order of size: a leaf, one question, two, and beyond that lists of questions each of which settles
 * a part of the cells. */
#include "search/cell_rules.h"

#include "core/alloc.h"
#include "features/features.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Room, beyond which tunables cannot go. */
enum { MOST_TESTS = 2000, MOST_LEAVES = 128, MOST_OFFERS = 48, MOST_NODES = 16, LONGEST_LIST = 5 };

typedef unsigned __int128 LeafSet;

typedef struct Leaf {
    bool copy; /* of a feature, else a color */
    int16_t what;
    uint64_t *right; /* cells for which it gives the wanted color */
    double cost;
} Leaf;

typedef struct Test {
    uint8_t feature, how; /* RuleTest */
    int16_t number;
    uint64_t *yes;
    double cost;
} Test;

typedef struct Node { /* of a tree under construction: leaf index, or test and children */
    int16_t leaf, test, yes, no;
} Node;

typedef struct Tree {
    Node nodes[MOST_NODES];
    int16_t count;
    double cost;
} Tree;

struct Cells {
    Search *search;
    CellsBase base;
    bool ready;         /* questions and leaves are there */
    unsigned level;     /* questions of the trees to look for next */
    uint32_t next_test; /* of that level, where an earlier look ended */
    uint32_t offered;   /* trees */
    uint32_t pair_start[SEARCH_MOST_SAMPLES + 1];
    uint32_t cells, train_cells;   /* of all inputs, those of the training pairs first */
    uint32_t words, train_words;   /* the same in 64-bit words; trees are looked for in the training pairs */
    LeafSet *leaves_at;            /* by training cell: the leaves that are right there */
    int8_t *planes[FEATURE_COUNT]; /* over all cells: questions are alike only if the tests agree too */
    int8_t *target;
    Leaf leaves[MOST_LEAVES];
    uint32_t n_leaves;
    Test tests[MOST_TESTS];
    uint32_t n_tests;
    Tree found[MOST_OFFERS]; /* cheapest first */
    uint32_t n_found;
};

/* ---- bit sets ---- */

static bool inside(const uint64_t *set, const uint64_t *of, uint32_t words) {
    for (uint32_t w = 0; w < words; w++) {
        if (set[w] & ~of[w]) {
            return false;
        }
    }
    return true;
}

static uint32_t count(const uint64_t *set, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++) {
        n += (uint32_t)__builtin_popcountll(set[w]);
    }
    return n;
}

/* yes and no parts of a set; false if one of them is empty. */
static bool split(const Cells *c, const uint64_t *set, const Test *test, uint64_t *yes, uint64_t *no) {
    uint64_t any_yes = 0, any_no = 0;
    for (uint32_t w = 0; w < c->train_words; w++) {
        yes[w] = set[w] & test->yes[w];
        no[w] = set[w] & ~test->yes[w];
        any_yes |= yes[w];
        any_no |= no[w];
    }
    return any_yes && any_no;
}

static int16_t best_leaf(const Cells *c, const uint64_t *set) {
    for (uint32_t k = 0; k < c->n_leaves; k++) { /* sorted by cost */
        if (inside(set, c->leaves[k].right, c->train_words)) {
            return (int16_t)k;
        }
    }
    return -1;
}

/* ---- preparing ---- */

static CellsFrame frame_of(const CellsBase *base, uint32_t sample) {
    Val grid = base->vals[sample];
    return base->frames ? base->frames[sample] : (CellsFrame){0, 0, grid.n, (uint32_t)grid.w};
}

/* The features of one input's cells, those in the frame, from `at` on. */
static bool gather_one(Cells *c, uint32_t sample, uint32_t at) {
    Ctx *ctx = c->search->ctx;
    Val grid = c->base.vals[sample];
    CellsFrame frame = frame_of(&c->base, sample);
    Reason why;
    CtxMark mark = ctx_mark(ctx);
    const int8_t *planes = features_of(ctx, grid, NULL, &why);
    if (planes == NULL) {
        return false;
    }
    for (size_t f = 0; f < FEATURE_COUNT; f++) {
        for (uint32_t i = 0; i < frame.h; i++) {
            memcpy(c->planes[f] + at + i * frame.w,
                   planes + (f * grid.n + frame.top + i) * (size_t)grid.w + frame.left, frame.w);
        }
    }
    ctx_release(ctx, mark);
    return true;
}

static bool gather(Cells *c) {
    const SearchTask *t = c->search->task;
    Ctx *ctx = c->search->ctx;
    for (uint32_t k = 0; k < t->n; k++) {
        CellsFrame frame = frame_of(&c->base, k);
        c->pair_start[k] = c->cells;
        c->cells += frame.h * frame.w;
        c->train_cells = k < t->n_train ? c->cells : c->train_cells;
    }
    c->words = c->cells / 64 + 1;
    c->train_words = c->train_cells / 64 + 1;
    c->target = ctx_alloc(ctx, c->train_cells);
    int8_t *all = ctx_alloc(ctx, (size_t)FEATURE_COUNT * c->cells);
    if (c->target == NULL || all == NULL) {
        return false;
    }
    for (int32_t f = 0; f < FEATURE_COUNT; f++) {
        c->planes[f] = all + (size_t)f * c->cells;
    }
    for (uint32_t k = 0, at = 0; k < t->n; k++) {
        CellsFrame frame = frame_of(&c->base, k);
        if (!gather_one(c, k, at)) {
            return false;
        }
        if (k < t->n_train) {
            memcpy(c->target + at, t->out[k].b8, (size_t)frame.h * frame.w);
        }
        at += frame.h * frame.w;
    }
    return true;
}

static uint64_t *new_set(Cells *c) {
    uint64_t *set = ctx_alloc(c->search->ctx, c->words * sizeof *set);
    if (set != NULL) {
        memset(set, 0, c->words * sizeof *set);
    }
    return set;
}

static int by_leaf_cost(const void *a, const void *b) {
    const Leaf *x = a, *y = b;
    return x->cost != y->cost   ? (x->cost < y->cost ? -1 : 1)
           : x->what != y->what ? x->what - y->what
                                : x->copy - y->copy;
}

/* One that is right nowhere, or just where a cheaper one is, would never be chosen. */
static bool leaf_is_of_use(const Cells *c, const Leaf *leaf) {
    bool of_use = count(leaf->right, c->train_words) > 0;
    for (uint32_t k = 0; k < c->n_leaves && of_use; k++) {
        of_use = memcmp(c->leaves[k].right, leaf->right, c->train_words * sizeof *leaf->right) != 0;
    }
    return of_use;
}

static bool make_leaves(Cells *c) {
    Leaf all[10 + FEATURE_COUNT];
    uint32_t n = 0;
    for (int what = 0; what < 10 + FEATURE_COUNT; what++) {
        bool copy = what >= 10;
        Leaf leaf = {.copy = copy, .what = (int16_t)(copy ? what - 10 : what)};
        if (copy ? feature_sorts[leaf.what].kind != FEATURE_IS_COLOR
                 : !(c->search->task->out_colors >> what & 1)) {
            continue;
        }
        leaf.cost = copy ? feature_sorts[leaf.what].cost : c->search->tune->cells_color_cost;
        leaf.right = new_set(c);
        if (leaf.right == NULL) {
            return false;
        }
        for (uint32_t k = 0; k < c->train_cells; k++) {
            int16_t x = copy ? c->planes[leaf.what][k] : leaf.what;
            leaf.right[k / 64] |= (uint64_t)(x == c->target[k]) << k % 64;
        }
        all[n++] = leaf;
    }
    qsort(all, n, sizeof *all, by_leaf_cost);
    for (uint32_t k = 0; k < n && c->n_leaves < MOST_LEAVES; k++) {
        if (leaf_is_of_use(c, &all[k])) {
            c->leaves[c->n_leaves++] = all[k];
        }
    }
    c->leaves_at = ctx_alloc(c->search->ctx, c->train_cells * sizeof *c->leaves_at);
    for (uint32_t k = 0; c->leaves_at != NULL && k < c->train_cells; k++) {
        c->leaves_at[k] = 0;
        for (uint32_t leaf = 0; leaf < c->n_leaves; leaf++) {
            c->leaves_at[k] |= (LeafSet)(c->leaves[leaf].right[k / 64] >> k % 64 & 1) << leaf;
        }
    }
    return c->leaves_at != NULL;
}

static bool is_new(const Cells *c, const uint64_t *yes) {
    for (uint32_t k = 0; k < c->n_tests; k++) {
        bool same = true, opposite = true;
        for (uint32_t w = 0; w < c->words && (same || opposite); w++) {
            uint64_t tail = w + 1 == c->words ? ((uint64_t)1 << c->cells % 64) - 1 : ~(uint64_t)0;
            same &= ((c->tests[k].yes[w] ^ yes[w]) & tail) == 0;
            opposite &= ((c->tests[k].yes[w] ^ ~yes[w]) & tail) == 0;
        }
        if (same || opposite) {
            return false;
        }
    }
    return true;
}

/* Small numbers mean something more often than large ones. */
static double question_cost(const Tunables *tune, unsigned feature, RuleTest how, int16_t number) {
    double cost = tune->cells_question_cost + feature_sorts[feature].cost;
    if (how == RULE_SAME) {
        return cost + feature_sorts[number].cost * tune->cells_same_scale;
    }
    if (feature_sorts[feature].kind == FEATURE_IS_COUNT && number > 3) {
        cost += number > 9 ? tune->cells_larger_cost : tune->cells_large_cost;
    }
    return cost + (how == RULE_GREATER ? tune->cells_greater_cost : 0);
}

static bool add_test(Cells *c, unsigned feature, RuleTest how, int16_t number) {
    CtxMark mark = ctx_mark(c->search->ctx);
    uint64_t *yes = new_set(c);
    if (yes == NULL || c->n_tests == c->search->tune->cells_tests_most) {
        return false;
    }
    for (uint32_t k = 0; k < c->cells; k++) {
        int8_t x = c->planes[feature][k];
        int16_t y = how == RULE_SAME ? c->planes[number][k] : number;
        yes[k / 64] |= (uint64_t)(how == RULE_GREATER ? x > y : x == y) << k % 64;
    }
    uint32_t n = count(yes, c->words);
    if (n == 0 || n == c->cells || !is_new(c, yes)) {
        ctx_release(c->search->ctx, mark);
        return true;
    }
    double cost = question_cost(c->search->tune, feature, how, number);
    c->tests[c->n_tests++] = (Test){(uint8_t)feature, (uint8_t)how, number, yes, cost};
    return search_spend(c->search, c->words + c->cells / 64);
}

/* Questions about a feature's values, those that occur. */
static bool add_number_tests(Cells *c, unsigned f) {
    bool seen[256] = {false}, counts = feature_sorts[f].kind == FEATURE_IS_COUNT;
    uint32_t distinct = 0;
    for (uint32_t k = 0; k < c->cells; k++) {
        distinct += !seen[(uint8_t)c->planes[f][k]];
        seen[(uint8_t)c->planes[f][k]] = true;
    }
    for (int number = -1; number < 127 && distinct <= c->search->tune->cells_values_most; number++) {
        if (seen[(uint8_t)number] && (!add_test(c, f, RULE_EQUAL, (int16_t)number) ||
                                      (counts && !add_test(c, f, RULE_GREATER, (int16_t)number)))) {
            return false;
        }
    }
    return true;
}

/* Features whose agreement may mean something, beside the cell's own color with any other. */
static const uint8_t ALIKE[][2] = {
    {FEATURE_SEEN_UP_RIGHT, FEATURE_SEEN_DOWN_LEFT},
    {FEATURE_SEEN_UP_LEFT, FEATURE_SEEN_DOWN_RIGHT},
    {FEATURE_SEEN_UP, FEATURE_SEEN_LEFT},
    {FEATURE_SEEN_UP, FEATURE_SEEN_RIGHT},
    {FEATURE_SEEN_DOWN, FEATURE_SEEN_LEFT},
    {FEATURE_SEEN_DOWN, FEATURE_SEEN_RIGHT},
    {FEATURE_SEEN_UP, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_RIGHT, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_DOWN, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_LEFT, FEATURE_RAREST_COLOR},
    {FEATURE_SEEN_UP, FEATURE_MAIN_OVER_GROUND},
    {FEATURE_SEEN_RIGHT, FEATURE_MAIN_OVER_GROUND},
    {FEATURE_SEEN_DOWN, FEATURE_MAIN_OVER_GROUND},
    {FEATURE_SEEN_LEFT, FEATURE_MAIN_OVER_GROUND},
    {FEATURE_ROW_COLOR, FEATURE_COLUMN_COLOR},
    {FEATURE_AROUND_COMPONENT, FEATURE_RAREST_COLOR},
    {FEATURE_AROUND_COMPONENT, FEATURE_MAIN_OVER_GROUND},
    {FEATURE_BLOB_RAREST, FEATURE_RAREST_COLOR},
    {FEATURE_BLOB_MAIN, FEATURE_MAIN_OVER_GROUND},
    {FEATURE_COMPONENT_HEIGHT, FEATURE_COMPONENT_WIDTH},
    {FEATURE_BLOB_HEIGHT, FEATURE_BLOB_WIDTH},
    {FEATURE_COMPONENT_SIZE, FEATURE_BLOB_SIZE},
    {FEATURE_PANEL_ROW, FEATURE_PANEL_COLUMN},
    {FEATURE_PANEL_COLOR, FEATURE_MAIN_OVER_GROUND},
    {FEATURE_PANEL_COLOR, FEATURE_RAREST_COLOR},
};

static bool add_same_tests(Cells *c) {
    for (unsigned f = 1; f < FEATURE_COUNT; f++) {
        if (feature_sorts[f].kind == FEATURE_IS_COLOR && !add_test(c, FEATURE_OWN, RULE_SAME, (int16_t)f)) {
            return false;
        }
    }
    for (size_t k = 0; k < sizeof ALIKE / sizeof *ALIKE; k++) {
        if (!add_test(c, ALIKE[k][0], RULE_SAME, ALIKE[k][1])) {
            return false;
        }
    }
    return true;
}

/* All features by ascending cost, of equals the first one first. */
static void order_by_cost(uint8_t order[FEATURE_COUNT]) {
    _Static_assert(FEATURE_COUNT <= UINT8_MAX, "a feature's number must fit a byte");
    for (unsigned f = 0; f < FEATURE_COUNT; f++) {
        unsigned at = f;
        assert(feature_sorts[f].cost > 0 && feature_sorts[f].cost <= FEATURE_MOST_COST);
        for (; at > 0 && feature_sorts[order[at - 1]].cost > feature_sorts[f].cost; at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)f;
    }
}

static bool make_tests(Cells *c) {
    enum { SAME_COST = 2 }; /* whether two features agree is asked after features that cost so much */
    uint8_t order[FEATURE_COUNT];
    bool go_on = true, same = false;
    order_by_cost(order);
    /* Cheap features first, so that of equal questions the simpler one stays. */
    for (unsigned k = 0; k < FEATURE_COUNT && go_on; k++) {
        if (!same && feature_sorts[order[k]].cost > SAME_COST) {
            same = true;
            go_on = add_same_tests(c);
        }
        go_on = go_on && add_number_tests(c, order[k]);
    }
    go_on = go_on && (same || add_same_tests(c));
    return go_on || (c->n_tests == c->search->tune->cells_tests_most && !c->search->look_over);
}

/* ---- trees ---- */

static int16_t add_node(Tree *tree, Node node) {
    if (tree->count == MOST_NODES) {
        return -1;
    }
    tree->nodes[tree->count] = node;
    return tree->count++;
}

static void keep_tree(Cells *c, const Tree *tree) {
    uint32_t most = c->search->tune->cells_trees_most, at = c->n_found < most ? c->n_found : most - 1;
    if (c->n_found == most && c->found[at].cost <= tree->cost) {
        return;
    }
    for (; at > 0 && c->found[at - 1].cost > tree->cost; at--) {
        c->found[at] = c->found[at - 1];
    }
    c->found[at] = *tree;
    c->n_found += c->n_found < most;
}

/* ---- witnesses ----
 *
 * A few cells of a set, chosen so that they want different leaves. Where a question leaves some of them
 * together that no leaf has right, the whole set need not be looked at: which is nearly always so. */

enum { MOST_WITNESSES = 24, MOST_ALIKE = 4 };

typedef struct Witnesses {
    uint32_t cell[MOST_WITNESSES], count;
    LeafSet leaves[MOST_WITNESSES];
} Witnesses;

static void call_witness(const Cells *c, Witnesses *from, uint32_t cell) {
    unsigned alike = 0;
    for (uint32_t k = 0; k < from->count; k++) {
        alike += from->leaves[k] == c->leaves_at[cell];
    }
    if (alike < MOST_ALIKE) {
        from->cell[from->count] = cell;
        from->leaves[from->count++] = c->leaves_at[cell];
    }
}

static Witnesses call_witnesses(const Cells *c, const uint64_t *set) {
    enum { A_WORD = 3 };
    Witnesses found;
    found.count = 0;
    for (uint32_t w = 0; w < c->train_words; w++) {
        uint64_t rest = set[w];
        for (unsigned k = 0; k < A_WORD && rest != 0 && found.count < MOST_WITNESSES; k++, rest &= rest - 1) {
            call_witness(c, &found, w * 64 + (uint32_t)__builtin_ctzll(rest));
        }
    }
    return found;
}

/* Can leaves be right on `sides` sides of a question, one or both, as far as witnesses know? */
static inline bool sides_left(const Witnesses *of, const Test *test, unsigned sides) {
    LeafSet yes = ~(LeafSet)0, no = yes;
    bool left = true;
    for (uint32_t k = 0; k < of->count && left; k++) {
        /* all bits, or none */
        LeafSet says = -(LeafSet)(test->yes[of->cell[k] / 64] >> of->cell[k] % 64 & 1);
        yes &= of->leaves[k] | ~says;
        no &= of->leaves[k] | says;
        left = sides == 2 ? yes != 0 && no != 0 : (yes | no) != 0;
    }
    return left;
}

/* The cheapest tree with one question for a set, appended to `tree`; its root, or -1. */
static int16_t one_question(Cells *c, const uint64_t *set, uint64_t *scratch, Tree *tree) {
    uint64_t *yes = scratch, *no = scratch + c->words;
    double best = 1e9;
    Node node = {-1, -1, -1, -1};
    int16_t leaf_yes = -1, leaf_no = -1;
    Witnesses known = call_witnesses(c, set);
    for (uint32_t k = 0; k < c->n_tests; k++) {
        if (c->tests[k].cost >= best || !sides_left(&known, &c->tests[k], 2) ||
            !split(c, set, &c->tests[k], yes, no)) {
            continue;
        }
        int16_t a = best_leaf(c, yes), b = a >= 0 ? best_leaf(c, no) : -1;
        if (b < 0) {
            continue;
        }
        double cost = c->tests[k].cost + c->leaves[a].cost + c->leaves[b].cost;
        if (cost < best) {
            best = cost;
            node.test = (int16_t)k;
            leaf_yes = a;
            leaf_no = b;
        }
    }
    if (node.test < 0 || tree->count + 3 > MOST_NODES) {
        return -1;
    }
    node.yes = add_node(tree, (Node){leaf_yes, -1, -1, -1});
    node.no = add_node(tree, (Node){leaf_no, -1, -1, -1});
    tree->cost += best;
    return add_node(tree, node);
}

/* Rules of one question: all of them are kept. */
static bool level_one(Cells *c, const uint64_t *all, uint64_t *scratch) {
    uint64_t *yes = scratch, *no = scratch + c->words;
    Witnesses known = call_witnesses(c, all);
    for (uint32_t k = 0; k < c->n_tests; k++) {
        if (!sides_left(&known, &c->tests[k], 2) || !split(c, all, &c->tests[k], yes, no)) {
            continue;
        }
        int16_t a = best_leaf(c, yes), b = a >= 0 ? best_leaf(c, no) : -1;
        if (b >= 0) {
            Tree tree = {.cost = c->tests[k].cost + c->leaves[a].cost + c->leaves[b].cost};
            Node root = {-1, (int16_t)k, add_node(&tree, (Node){a, -1, -1, -1}),
                         add_node(&tree, (Node){b, -1, -1, -1})};
            add_node(&tree, root);
            keep_tree(c, &tree);
        }
    }
    return search_spend(c->search, c->n_tests * 8ull);
}

/* A question that settles one side with a leaf, then `questions` more for the other side. */
static bool level_more(Cells *c, const uint64_t *set, unsigned questions, uint64_t *scratch, Tree *prefix,
                       int16_t (*chain)[3], unsigned depth) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    Witnesses known = call_witnesses(c, set);
    for (uint32_t k = depth == 0 ? c->next_test : 0; k < c->n_tests; k++) {
        c->next_test = depth == 0 ? k : c->next_test;
        if (!sides_left(&known, &c->tests[k], 1) || !split(c, set, &c->tests[k], yes, no)) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            int16_t leaf = best_leaf(c, side ? no : yes);
            if (leaf < 0) {
                continue;
            }
            const uint64_t *other = side ? yes : no;
            chain[depth][0] = (int16_t)k;
            chain[depth][1] = leaf;
            chain[depth][2] = (int16_t)side;
            if (questions == 1) {
                Tree tree = {.cost = prefix->cost + c->tests[k].cost + c->leaves[leaf].cost};
                int16_t at = one_question(c, other, rest, &tree);
                for (int d = (int)depth; at >= 0 && d >= 0; d--) {
                    int16_t settled = add_node(&tree, (Node){chain[d][1], -1, -1, -1});
                    at = settled < 0 ? -1
                                     : add_node(&tree, (Node){-1, chain[d][0], chain[d][2] ? at : settled,
                                                              chain[d][2] ? settled : at});
                }
                if (at >= 0) {
                    keep_tree(c, &tree);
                }
            } else if (count(other, c->train_words) * 4 < count(set, c->train_words) * 3) {
                Tree longer = {.cost = prefix->cost + c->tests[k].cost + c->leaves[leaf].cost};
                uint64_t *copy = rest;
                memcpy(copy, other, c->train_words * sizeof *copy);
                if (!level_more(c, copy, questions - 1, rest + c->words, &longer, chain, depth + 1)) {
                    return false;
                }
            }
            if (!search_spend(c->search, 4 + c->n_tests / 4)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- programs ---- */

static Val tree_value(Cells *c, const Tree *tree, int16_t at) {
    Ctx *ctx = c->search->ctx;
    const Node *n = &tree->nodes[at];
    if (n->test < 0) {
        return val_pair32(c->leaves[n->leaf].copy, c->leaves[n->leaf].what);
    }
    const Test *test = &c->tests[n->test];
    Val *items = val_buffer(ctx, 5);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    items[0] = val_int(test->feature);
    items[1] = val_int(test->how);
    items[2] = val_int(test->number);
    items[3] = tree_value(c, tree, n->yes);
    items[4] = tree_value(c, tree, n->no);
    return val_failed(items[3]) || val_failed(items[4]) ? val_fail_budget(ctx) : val_tuple(ctx, items, 5);
}

static void offer(Cells *c, const Tree *tree, double doubt) {
    Builder *b = &c->search->builder;
    Val rule = tree_value(c, tree, (int16_t)(tree->count - 1));
    Ref base;
    if (val_failed(rule) || !c->base.begin(c->base.owner, &base)) {
        return;
    }
    Ref args[2] = {base, build_const(b, rule)};
    Ref result = build_op(b, OP_PRIM, P_cell_rule, args, 2, 0, "", 0);
    result = c->base.end != NULL ? c->base.end(c->base.owner, result) : result;
    search_offer(c->search, search_finish(c->search, result),
                 doubt + c->search->tune->cells_cost + c->search->tune->cells_tree_scale * tree->cost +
                     c->base.cost);
}

/* ---- leaving pairs out ---- */

static bool tree_is_right(const Cells *c, const Tree *tree, int16_t at, const uint64_t *set,
                          uint64_t *scratch) {
    const Node *n = &tree->nodes[at];
    if (n->test < 0) {
        return inside(set, c->leaves[n->leaf].right, c->train_words);
    }
    uint64_t *yes = scratch, *no = scratch + c->words;
    split(c, set, &c->tests[n->test], yes, no);
    return tree_is_right(c, tree, n->yes, yes, no + c->words) &&
           tree_is_right(c, tree, n->no, no, no + c->words);
}

/* Pairs that the simplest rule of up to one question foretells wrongly when it is learnt from the others.
 * Where no such rule is to be had from them nothing is said. */
static unsigned foretold_wrongly(Cells *c, const uint64_t *all, uint64_t *scratch) {
    uint32_t pairs = c->search->task->n_train;
    uint64_t *others = scratch, *left_out = others + c->words, *rest = left_out + c->words;
    unsigned wrong = 0;
    for (uint32_t p = 0; p < pairs && pairs > 2; p++) {
        Tree tree = {.cost = 0};
        memset(left_out, 0, c->words * sizeof *left_out);
        for (uint32_t k = c->pair_start[p]; k < c->pair_start[p + 1]; k++) {
            left_out[k / 64] |= (uint64_t)1 << k % 64;
        }
        for (uint32_t w = 0; w < c->train_words; w++) {
            others[w] = all[w] & ~left_out[w];
        }
        int16_t leaf = best_leaf(c, others);
        int16_t root =
            leaf >= 0 ? add_node(&tree, (Node){leaf, -1, -1, -1}) : one_question(c, others, rest, &tree);
        wrong += root >= 0 && !tree_is_right(c, &tree, root, left_out, rest);
        search_spend(c->search, 4 + c->n_tests / 4);
    }
    return wrong;
}

/* ---- looks ---- */

/* Trees of the level at hand. False: cut short. */
static bool run_level(Cells *c, const uint64_t *all, uint64_t *scratch) {
    int16_t chain[LONGEST_LIST + 1][3];
    Tree nothing = {.cost = 0};
    if (c->level > 1) {
        return level_more(c, all, c->level - 1, scratch, &nothing, chain, 0);
    }
    int16_t leaf = best_leaf(c, all);
    if (leaf >= 0) {
        nothing.cost = c->leaves[leaf].cost;
        add_node(&nothing, (Node){leaf, -1, -1, -1});
        keep_tree(c, &nothing);
    }
    return level_one(c, all, scratch);
}

static void search_trees(Cells *c, unsigned most) {
    CtxMark mark = ctx_mark(c->search->ctx);
    uint64_t *all = new_set(c);
    uint64_t *scratch =
        ctx_alloc(c->search->ctx, (size_t)c->words * (3 * LONGEST_LIST + 6) * sizeof *scratch);
    bool go_on = all != NULL && scratch != NULL;
    for (uint32_t k = 0; k < c->train_cells && go_on; k++) {
        all[k / 64] |= (uint64_t)1 << k % 64;
    }
    while (go_on && c->n_found == 0 && c->level <= most) {
        go_on = run_level(c, all, scratch);
        c->level += go_on;
        c->next_test = go_on ? 0 : c->next_test;
    }
    if (c->n_found > 0 && c->offered == 0 && scratch != NULL) {
        double doubt = c->search->tune->foretold_wrongly_cost * foretold_wrongly(c, all, scratch);
        for (; c->offered < c->n_found; c->offered++) {
            offer(c, &c->found[c->offered], doubt);
        }
    }
    ctx_release(c->search->ctx, mark);
}

Cells *cells_open(Search *search, const CellsBase *base) {
    Cells *c = mem_zalloc(1, sizeof *c);
    if (c != NULL) {
        c->search = search;
        c->base = *base;
        c->level = 1;
    }
    return c;
}

void cells_look(Cells *c, unsigned effort) {
    const Tunables *tune = c->search->tune;
    CtxMark mark = ctx_mark(c->search->ctx);
    if (!c->ready) {
        c->ready = gather(c) && make_leaves(c) && make_tests(c);
    }
    if (c->ready) {
        search_trees(c, effort > 1 ? tune->cells_long_list : tune->cells_short_list);
    } else { /* from the beginning, when there is more time */
        ctx_release(c->search->ctx, mark);
        c->cells = c->train_cells = c->n_leaves = c->n_tests = 0;
    }
}

void cells_close(Cells *c) {
    mem_free(c);
}

void cells_try(Search *search, const CellsBase *base, unsigned effort) {
    CtxMark mark = ctx_mark(search->ctx);
    Cells *c = cells_open(search, base);
    if (c != NULL) {
        cells_look(c, effort);
        cells_close(c);
    }
    ctx_release(search->ctx, mark);
}
