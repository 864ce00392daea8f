/* The cells part: for tasks that keep the size, a rule that gives every cell its new color.
 *
 * A rule is a small decision tree over features of cells (dsl/features.h). All questions and all leaves are
 * bit sets over the training cells, so that whether a tree is right is a few operations on words. Trees come
 * in order of size: a leaf, one question, two, and beyond that lists of questions each of which settles a
 * part of the cells. */
#include "search/search.h"

#include "core/alloc.h"
#include "dsl/features.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 700, MOST_LEAVES = 40, MOST_OFFERS = 48, MOST_NODES = 16, LONGEST_LIST = 5 };

typedef struct Leaf {
    bool copy; /* of a feature, else a color */
    int8_t what;
    uint64_t *right; /* cells for which it gives the wanted color */
    double cost;
} Leaf;

typedef struct Test {
    uint8_t feature, greater;
    int8_t number;
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

typedef struct Cells {
    Search *search;
    uint32_t cells, words;
    int8_t *planes[FEATURE_COUNT]; /* over all training cells */
    int8_t *target;
    Leaf leaves[MOST_LEAVES];
    uint32_t n_leaves;
    Test tests[MOST_TESTS];
    uint32_t n_tests;
    Tree found[MOST_OFFERS]; /* cheapest first */
    uint32_t n_found;
} Cells;

static double feature_cost(int32_t f) {
    return f == 0               ? 1
           : f <= 8             ? 2.5
           : f <= 12            ? 2
           : f <= 18            ? 2.5
           : f <= 22            ? 2
           : f <= 24            ? 2
           : f <= 30            ? 2
           : f <= 34            ? 5
           : f <= 39            ? 3
           : f == 42 || f == 43 ? 2
           : f == 48 || f == 49 ? 3
                                : 3.5;
}

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
    for (uint32_t w = 0; w < c->words; w++) {
        yes[w] = set[w] & test->yes[w];
        no[w] = set[w] & ~test->yes[w];
        any_yes |= yes[w];
        any_no |= no[w];
    }
    return any_yes && any_no;
}

static int16_t best_leaf(const Cells *c, const uint64_t *set) {
    for (uint32_t k = 0; k < c->n_leaves; k++) { /* sorted by cost */
        if (inside(set, c->leaves[k].right, c->words)) {
            return (int16_t)k;
        }
    }
    return -1;
}

/* ---- preparing ---- */

static bool gather(Cells *c) {
    const SearchTask *t = c->search->task;
    Ctx *ctx = c->search->ctx;
    for (uint32_t k = 0; k < t->n_train; k++) {
        c->cells += t->in[k].n * t->in[k].w;
    }
    c->words = c->cells / 64 + 1;
    c->target = ctx_alloc(ctx, c->cells);
    int8_t *all = ctx_alloc(ctx, (size_t)FEATURE_COUNT * c->cells);
    if (c->target == NULL || all == NULL) {
        return false;
    }
    for (int32_t f = 0; f < FEATURE_COUNT; f++) {
        c->planes[f] = all + (size_t)f * c->cells;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < t->n_train; k++) {
        Reason why;
        uint32_t n = t->in[k].n * t->in[k].w;
        const int8_t *planes = features_of(ctx, t->in[k], &why);
        if (planes == NULL) {
            return false;
        }
        for (int32_t f = 0; f < FEATURE_COUNT; f++) {
            memcpy(c->planes[f] + at, planes + (size_t)f * n, n);
        }
        memcpy(c->target + at, t->out[k].b8, n);
        at += n;
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
    return x->cost != y->cost ? (x->cost < y->cost ? -1 : 1) : x->what - y->what;
}

static bool make_leaves(Cells *c) {
    for (int8_t what = 0; what < 10 + FEATURE_COLORS; what++) {
        bool copy = what >= 10;
        Leaf leaf = {.copy = copy, .what = (int8_t)(copy ? what - 10 : what)};
        if (!copy && !(c->search->task->out_colors >> what & 1)) {
            continue;
        }
        leaf.cost = copy ? feature_cost(leaf.what) : 2;
        leaf.right = new_set(c);
        if (leaf.right == NULL) {
            return false;
        }
        for (uint32_t k = 0; k < c->cells; k++) {
            int8_t x = copy ? c->planes[leaf.what][k] : leaf.what;
            leaf.right[k / 64] |= (uint64_t)(x == c->target[k]) << k % 64;
        }
        c->leaves[c->n_leaves++] = leaf;
    }
    qsort(c->leaves, c->n_leaves, sizeof *c->leaves, by_leaf_cost);
    return true;
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

static bool add_test(Cells *c, uint8_t feature, bool greater, int8_t number) {
    CtxMark mark = ctx_mark(c->search->ctx);
    uint64_t *yes = new_set(c);
    if (yes == NULL || c->n_tests == MOST_TESTS) {
        return false;
    }
    for (uint32_t k = 0; k < c->cells; k++) {
        int8_t x = c->planes[feature][k];
        yes[k / 64] |= (uint64_t)(greater ? x > number : x == number) << k % 64;
    }
    uint32_t n = count(yes, c->words);
    if (n == 0 || n == c->cells || !is_new(c, yes)) {
        ctx_release(c->search->ctx, mark);
        return true;
    }
    double cost = 2 + feature_cost(feature) + (greater ? 0.5 : 0);
    c->tests[c->n_tests++] = (Test){feature, greater, number, yes, cost};
    return search_spend(c->search, c->words + c->cells / 64);
}

static bool make_tests(Cells *c) {
    /* Cheap features first, so that of equal questions the simpler one stays. */
    for (double cost = 1; cost <= 5; cost += 0.5) {
        for (uint8_t f = 0; f < FEATURE_COUNT; f++) {
            if (feature_cost(f) != cost) {
                continue;
            }
            bool seen[256] = {false};
            uint32_t distinct = 0;
            for (uint32_t k = 0; k < c->cells; k++) {
                distinct += !seen[(uint8_t)c->planes[f][k]];
                seen[(uint8_t)c->planes[f][k]] = true;
            }
            for (int number = -1; number < 127 && distinct <= 40; number++) {
                if (!seen[(uint8_t)number]) {
                    continue;
                }
                bool counts = f >= FEATURE_COLORS;
                if (!add_test(c, f, false, (int8_t)number) ||
                    (counts && !add_test(c, f, true, (int8_t)number))) {
                    return c->n_tests == MOST_TESTS && !c->search->stage_over;
                }
            }
        }
    }
    return true;
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
    uint32_t at = c->n_found < MOST_OFFERS ? c->n_found : MOST_OFFERS - 1;
    if (c->n_found == MOST_OFFERS && c->found[at].cost <= tree->cost) {
        return;
    }
    for (; at > 0 && c->found[at - 1].cost > tree->cost; at--) {
        c->found[at] = c->found[at - 1];
    }
    c->found[at] = *tree;
    c->n_found += c->n_found < MOST_OFFERS;
}

/* The cheapest tree with one question for a set, appended to `tree`; its root, or -1. */
static int16_t one_question(Cells *c, const uint64_t *set, uint64_t *scratch, Tree *tree) {
    uint64_t *yes = scratch, *no = scratch + c->words;
    double best = 1e9;
    Node node = {-1, -1, -1, -1};
    int16_t leaf_yes = -1, leaf_no = -1;
    for (uint32_t k = 0; k < c->n_tests; k++) {
        if (c->tests[k].cost >= best || !split(c, set, &c->tests[k], yes, no)) {
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
    for (uint32_t k = 0; k < c->n_tests; k++) {
        if (!split(c, all, &c->tests[k], yes, no)) {
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
    for (uint32_t k = 0; k < c->n_tests; k++) {
        if (!split(c, set, &c->tests[k], yes, no)) {
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
            } else if (count(other, c->words) * 4 < count(set, c->words) * 3) {
                Tree longer = {.cost = prefix->cost + c->tests[k].cost + c->leaves[leaf].cost};
                uint64_t *copy = rest;
                memcpy(copy, other, c->words * sizeof *copy);
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
    items[1] = val_int(test->greater);
    items[2] = val_int(test->number);
    items[3] = tree_value(c, tree, n->yes);
    items[4] = tree_value(c, tree, n->no);
    return val_failed(items[3]) || val_failed(items[4]) ? val_fail_budget(ctx) : val_tuple(ctx, items, 5);
}

static void offer(Cells *c, const Tree *tree) {
    Builder *b = &c->search->builder;
    Val rule = tree_value(c, tree, (int16_t)(tree->count - 1));
    if (val_failed(rule)) {
        return;
    }
    build_start(b);
    Ref args[2] = {PARAM_I, build_const(b, rule)};
    Ref result = build_op(b, OP_PRIM, P_cell_rule, args, 2, 0, "", 0);
    char name[TASK_MAX_ID + 8] = "solve_";
    strncat(name, c->search->task->id, TASK_MAX_ID);
    search_offer(c->search, build_finish(b, name, strlen(name), MODE_CORE, 1, result), 8 + 1.5 * tree->cost);
}

static void search_trees(Cells *c) {
    uint64_t *all = new_set(c);
    uint64_t *scratch =
        ctx_alloc(c->search->ctx, (size_t)c->words * (3 * LONGEST_LIST + 6) * sizeof *scratch);
    int16_t chain[LONGEST_LIST + 1][3];
    if (all == NULL || scratch == NULL) {
        return;
    }
    for (uint32_t k = 0; k < c->cells; k++) {
        all[k / 64] |= (uint64_t)1 << k % 64;
    }
    int16_t leaf = best_leaf(c, all);
    if (leaf >= 0) {
        Tree tree = {.cost = c->leaves[leaf].cost};
        add_node(&tree, (Node){leaf, -1, -1, -1});
        keep_tree(c, &tree);
    }
    bool go_on = level_one(c, all, scratch);
    unsigned most = c->search->effort > 1 ? LONGEST_LIST : 2;
    for (unsigned questions = 1; go_on && c->n_found == 0 && questions < most; questions++) {
        Tree nothing = {.cost = 0};
        go_on = level_more(c, all, questions, scratch, &nothing, chain, 0);
    }
    for (uint32_t k = 0; k < c->n_found; k++) {
        offer(c, &c->found[k]);
    }
}

void part_cells(Search *search) {
    if (!search->task->same_size) {
        return;
    }
    CtxMark mark = ctx_mark(search->ctx);
    Cells *c = mem_zalloc(1, sizeof *c);
    if (c != NULL) {
        c->search = search;
        if (gather(c) && make_leaves(c) && make_tests(c)) {
            search_trees(c);
        }
    }
    mem_free(c);
    ctx_release(search->ctx, mark);
}
