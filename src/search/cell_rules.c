/* Rules per cell, learnt from the training pairs; see cell_rules.h.
 *
 * A rule is a small decision tree over features of cells (features/features.h). All questions and all leaves
 * are bit sets over the training cells, so that checking a tree takes a few operations on words. Trees are
 * tried in order of size: a leaf, one question, two, and beyond that lists of questions each of which settles
 * some of the cells. */
#include "core/alloc.h"
#include "search/cells.h"

#include <string.h>

/* ---- bit sets ---- */

/* Splits a set into its yes and no parts; false if one of them is empty. */
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

int16_t cells_best_leaf(const Cells *c, const uint64_t *set) {
    for (uint32_t k = 0; k < c->n_leaves; k++) { /* sorted by cost */
        if (cells_inside(set, c->leaves[k].right, c->train_words)) {
            return (int16_t)k;
        }
    }
    return -1;
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
    uint32_t most = c->search->tune->cells_trees_most, at = c->n_found;
    if (c->base.sweeps && !cells_sees_done(c, tree)) { /* a rule that needs no sweep */
        return;
    }
    if (at == most) {
        if (most == 0 || c->found[most - 1].cost <= tree->cost) {
            return;
        }
        at = most - 1;
    }
    for (; at > 0 && c->found[at - 1].cost > tree->cost; at--) {
        c->found[at] = c->found[at - 1];
    }
    c->found[at] = *tree;
    c->n_found += c->n_found < most;
}

/* ---- witnesses ---- */
/* Witnesses are a few cells of a set, chosen so that they want different leaves. If a question puts some of
 * them on the same side and no leaf is right for all of those, the whole set need not be looked at; this is
 * nearly always the case. */

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

/* Whether leaves can be right on one or both (`sides`) sides of a question, as far as the witnesses tell. */
static inline bool sides_left(const Witnesses *of, const Test *test, unsigned sides) {
    LeafSet yes = ~(LeafSet)0, no = yes;
    bool left = true;
    for (uint32_t k = 0; k < of->count && left; k++) {
        /* all bits if the answer is yes, else none */
        LeafSet says = -(LeafSet)(test->yes[of->cell[k] / 64] >> of->cell[k] % 64 & 1);
        yes &= of->leaves[k] | ~says;
        no &= of->leaves[k] | says;
        left = sides == 2 ? yes != 0 && no != 0 : (yes | no) != 0;
    }
    return left;
}

/* Appends the cheapest tree with one question for a set to `tree`; returns its root, or -1. */
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
        int16_t a = cells_best_leaf(c, yes), b = a >= 0 ? cells_best_leaf(c, no) : -1;
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

/* Rules of one question: all that are right are kept. */
static bool level_one(Cells *c, const uint64_t *all, uint64_t *scratch) {
    uint64_t *yes = scratch, *no = scratch + c->words;
    Witnesses known = call_witnesses(c, all);
    for (uint32_t k = 0; k < c->n_tests; k++) {
        if (!sides_left(&known, &c->tests[k], 2) || !split(c, all, &c->tests[k], yes, no)) {
            continue;
        }
        int16_t a = cells_best_leaf(c, yes), b = a >= 0 ? cells_best_leaf(c, no) : -1;
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
            int16_t leaf = cells_best_leaf(c, side ? no : yes);
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
            } else if (cells_count(other, c->train_words) * 4 < cells_count(set, c->train_words) * 3) {
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

/* A question with one more on each of its sides. */
static bool level_balanced(Cells *c, const uint64_t *set, uint64_t *scratch) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    for (uint32_t k = c->next_test; k < c->n_tests; k++) {
        c->next_test = k;
        if (!split(c, set, &c->tests[k], yes, no)) {
            continue;
        }
        Tree tree = {.cost = c->tests[k].cost};
        int16_t a = one_question(c, yes, rest, &tree), b = a >= 0 ? one_question(c, no, rest, &tree) : -1;
        if (b >= 0 && add_node(&tree, (Node){-1, (int16_t)k, a, b}) >= 0) {
            keep_tree(c, &tree);
        }
        if (!search_spend(c->search, 4 + c->n_tests / 4)) {
            return false;
        }
    }
    return true;
}

/* ---- programs ---- */

Val cells_leaf_value(Ctx *ctx, const Leaf *leaf) {
    if (!leaf->mapped) {
        return val_pair32(leaf->copy, leaf->what);
    }
    Val *items = val_buffer(ctx, 3), *rows = items != NULL ? val_buffer(ctx, CELLS_VALUES) : NULL;
    uint32_t n = 0;
    if (rows == NULL) {
        return val_fail_budget(ctx);
    }
    for (int32_t v = 0; v < CELLS_VALUES; v++) {
        if (leaf->map[v] != v - 1) {
            rows[n++] = val_pair32(v - 1, leaf->map[v]);
        }
    }
    items[0] = val_int(2);
    items[1] = val_int(leaf->what);
    items[2] = val_tuple(ctx, rows, n);
    return val_failed(items[2]) ? items[2] : val_tuple(ctx, items, 3);
}

static Val tree_value(Cells *c, const Tree *tree, int16_t at) {
    Ctx *ctx = c->search->ctx;
    const Node *n = &tree->nodes[at];
    if (n->test < 0) {
        return cells_leaf_value(ctx, &c->leaves[n->leaf]);
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
    double cost =
        doubt + c->search->tune->cells_cost + c->search->tune->cells_tree_scale * tree->cost + c->base.cost;
    if (c->base.most > 0 && cost > c->base.most) {
        return;
    }
    Val rule = tree_value(c, tree, (int16_t)(tree->count - 1));
    Ref base;
    if (val_failed(rule) || !c->base.begin(c->base.owner, &base)) {
        return;
    }
    Ref args[3] = {base, build_const(b, rule)};
    unsigned prim = c->base.sweeps ? P_cell_sweep : c->base.tall > 0 ? P_cell_grow : P_cell_rule;
    if (prim != P_cell_rule) {
        args[2] =
            build_const(b, prim == P_cell_sweep ? val_int(c->base.order)
                                                : val_pair32((int32_t)c->base.tall, (int32_t)c->base.wide));
    }
    Ref result = build_op(b, OP_PRIM, prim, args, prim == P_cell_rule ? 2 : 3, 0, "", 0);
    result = c->base.end != NULL ? c->base.end(c->base.owner, result) : result;
    search_offer(c->search, search_finish(c->search, result), cost);
}

/* ---- leaving pairs out ---- */

static bool tree_is_right(const Cells *c, const Tree *tree, int16_t at, const uint64_t *set,
                          uint64_t *scratch) {
    const Node *n = &tree->nodes[at];
    if (n->test < 0) {
        return cells_inside(set, c->leaves[n->leaf].right, c->train_words);
    }
    uint64_t *yes = scratch, *no = scratch + c->words;
    split(c, set, &c->tests[n->test], yes, no);
    return tree_is_right(c, tree, n->yes, yes, no + c->words) &&
           tree_is_right(c, tree, n->no, no, no + c->words);
}

/* How many pairs the simplest rule of at most one question predicts wrongly when it is learnt from the
 * others. Pairs without such a rule do not count. */
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
        int16_t leaf = cells_best_leaf(c, others);
        int16_t root =
            leaf >= 0 ? add_node(&tree, (Node){leaf, -1, -1, -1}) : one_question(c, others, rest, &tree);
        wrong += root >= 0 && !tree_is_right(c, &tree, root, left_out, rest);
        search_spend(c->search, 4 + c->n_tests / 4);
    }
    return wrong;
}

/* ---- looks ---- */

/* The level of trees that are not lists: with three questions, like the lists of the next level. */
enum { BALANCED = 3 };

/* Tries the trees of the current level. False: cut short. */
static bool run_level(Cells *c, const uint64_t *all, uint64_t *scratch) {
    int16_t chain[LONGEST_LIST + 1][3];
    Tree nothing = {.cost = 0};
    if (c->level == BALANCED) {
        return level_balanced(c, all, scratch);
    }
    /* a list has as many questions as the level says, or one less after the balanced ones */
    if (c->level > 1) {
        unsigned questions = c->level < BALANCED ? c->level : c->level - 1;
        return level_more(c, all, questions - 1, scratch, &nothing, chain, 0);
    }
    int16_t leaf = cells_best_leaf(c, all);
    if (leaf >= 0) {
        nothing.cost = c->leaves[leaf].cost;
        add_node(&nothing, (Node){leaf, -1, -1, -1});
        keep_tree(c, &nothing);
    }
    return level_one(c, all, scratch);
}

/* Tries trees with lists of up to `most` questions. */
static void search_trees(Cells *c, unsigned most) {
    most += most >= BALANCED;
    CtxMark mark = ctx_mark(c->search->ctx);
    uint64_t *all = cells_new_set(c);
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
    if (c->n_found == 0 && c->level > 2 && !c->passed) { /* no short rule: one pass is not enough */
        c->passed = true;
        cells_keep_passes(c);
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
        c->ready = cells_prepare(c);
    }
    if (c->ready) {
        search_trees(c, effort > 1 ? tune->cells_long_list : tune->cells_short_list);
    } else { /* start over when there is more time */
        ctx_release(c->search->ctx, mark);
        c->cells = c->train_cells = c->n_leaves = c->n_tests = 0;
    }
}

bool cells_grow(const Cells *c) {
    return c->base.tall > 0;
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
