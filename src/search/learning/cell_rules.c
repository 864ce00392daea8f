/* Rules per cell, learnt from the training pairs; see cell_rules.h.
 *
 * A rule is a small decision tree over features of cells (engine/features/features.h). All questions and all
 * leaves are bit sets over the training cells, so that checking a tree takes a few operations on words. Trees
 * are tried in order of size: a leaf, one question, two, and beyond that lists of questions each of which
 * settles some of the cells. */
#include "base/alloc.h"
#include "search/learning/cells.h"

#include <string.h>

/* ---- bit sets ---- */

/* Splits a set into its yes and no sides; false if one of them is empty. */
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

static int16_t add_node(Tree *tree, TreeNode node) {
    if (tree->count == MAX_NODES) {
        return -1;
    }
    tree->nodes[tree->count] = node;
    return tree->count++;
}

static void keep_tree(Cells *c, const Tree *tree) {
    uint32_t max = c->search->tune->cells_trees_max, at = c->n_found;
    if (c->source.sweeps && !cells_sees_done(c, tree)) { /* a rule that needs no sweep */
        return;
    }
    if (at == max) {
        if (max == 0 || c->found[max - 1].cost <= tree->cost) {
            return;
        }
        at = max - 1;
    }
    for (; at > 0 && c->found[at - 1].cost > tree->cost; at--) {
        c->found[at] = c->found[at - 1];
    }
    c->found[at] = *tree;
    c->n_found += c->n_found < max;
}

/* ---- batched questions ---- */

/* Appends the tree of one question that a key says is the cheapest for a set; returns its root, or -1. */
static int16_t add_question(Cells *c, const uint64_t *set, uint64_t key, uint64_t *scratch, Tree *tree) {
    uint64_t *yes = scratch, *no = scratch + c->words;
    if (key == RULES_NONE || tree->count + 3 > MAX_NODES) {
        return -1;
    }
    TreeNode node = {-1, (int16_t)((key & 0xffff) - 1), -1, -1};
    split(c, set, &c->tests[node.test], yes, no);
    int16_t a = cells_best_leaf(c, yes), b = cells_best_leaf(c, no);
    ASSERT(a >= 0 && b >= 0, "question %d has leaves %d and %d", node.test, a, b);
    node.yes = add_node(tree, (TreeNode){a, -1, -1, -1});
    node.no = add_node(tree, (TreeNode){b, -1, -1, -1});
    tree->cost += c->tests[node.test].cost + c->leaves[a].cost + c->leaves[b].cost;
    return add_node(tree, node);
}

/* Appends the cheapest rule of at most one question for a set that has one; returns its root, or -1. */
static int16_t add_rule(Cells *c, const uint64_t *set, uint64_t *scratch, Tree *tree) {
    uint64_t key = rules_best(&c->table, set, true);
    if ((key & 0xffff) != 0) {
        return add_question(c, set, key, scratch, tree);
    }
    int16_t leaf = cells_best_leaf(c, set);
    tree->cost += c->leaves[leaf].cost;
    return add_node(tree, (TreeNode){leaf, -1, -1, -1});
}

/* Appends the tree of at most three questions that a key says is the cheapest for a set; likewise. */
static int16_t add_three(Cells *c, const uint64_t *set, uint64_t key, uint64_t *scratch, Tree *tree) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    if ((key & 0xffff) == 0) { /* a leaf */
        return add_rule(c, set, scratch, tree);
    }
    TreeNode node = {-1, (int16_t)((key & 0xffff) - 1), -1, -1};
    split(c, set, &c->tests[node.test], yes, no);
    tree->cost += c->tests[node.test].cost;
    node.yes = add_rule(c, yes, rest, tree);
    node.no = add_rule(c, no, rest, tree);
    return node.yes >= 0 && node.no >= 0 ? add_node(tree, node) : -1;
}

/* Appends the cheapest tree with one question for a set to `tree`; returns its root, or -1. */
static int16_t one_question(Cells *c, const uint64_t *set, uint64_t *scratch, Tree *tree) {
    return add_question(c, set, rules_best(&c->table, set, false), scratch, tree);
}

/* Sides of questions, for each of which the cheapest rule of one more question is to be found. */
typedef struct Portion {
    RulesAsk ask;
    uint32_t *literals; /* those of `ask` */
    int16_t *leaf;      /* that settles the other side of the question */
    uint32_t room;      /* questions */
} Portion;

/* Room for the sides of as many questions as are asked about at a time. */
static bool portion_open(Cells *c, const uint64_t *set, bool trees, Portion *p) {
    Ctx *ctx = c->search->ctx;
    uint64_t each = trees ? 4ull * c->n_tests * c->n_tests : 2ull * c->n_tests;
    p->room = backend_chunk_size(c->search->backend, each, c->n_tests);
    p->ask = (RulesAsk){.table = &c->table, .trees = trees};
    p->ask.args = ctx_alloc(ctx, rules_ask_bytes(&c->table, 2 * p->room));
    p->ask.best = ctx_alloc(ctx, 2ull * p->room * sizeof *p->ask.best);
    p->leaf = ctx_alloc(ctx, 2ull * p->room * sizeof *p->leaf);
    if (p->ask.args == NULL || p->ask.best == NULL || p->leaf == NULL) {
        return false;
    }
    memcpy(p->ask.args, set, c->train_words * sizeof *set);
    p->literals = rules_ask_literals(&p->ask);
    return true;
}

static bool portion_ask(Cells *c, const Portion *p) {
    Search *s = c->search;
    uint64_t waited = 0;
    bool good = p->ask.count == 0 || rules_ask(s->backend, s->ctx, &p->ask, &waited);
    search_waited(s, waited);
    return good;
}

/* Rules of one question: all that are right are kept. */
static bool level_one(Cells *c, const uint64_t *all, uint64_t *scratch) {
    uint64_t *yes = scratch, *no = scratch + c->words;
    RulesWitnesses known;
    rules_witnesses(&c->table, all, &known);
    for (uint32_t k = 0; k < c->n_tests; k++) {
        if (!rules_sides_left(&c->table, &known, k, true) || !split(c, all, &c->tests[k], yes, no)) {
            continue;
        }
        int16_t a = cells_best_leaf(c, yes), b = a >= 0 ? cells_best_leaf(c, no) : -1;
        if (b >= 0) {
            Tree tree = {.cost = c->tests[k].cost + c->leaves[a].cost + c->leaves[b].cost};
            TreeNode root = {-1, (int16_t)k, add_node(&tree, (TreeNode){a, -1, -1, -1}),
                             add_node(&tree, (TreeNode){b, -1, -1, -1})};
            add_node(&tree, root);
            keep_tree(c, &tree);
        }
    }
    return search_spend(c->search, c->n_tests * 8ull);
}

typedef int16_t Chain[LONGEST_LIST + 1][3]; /* question, the leaf that settles a side, which side */

/* Keeps the tree whose last question is the one that a key names, below those of a chain. */
static void keep_list(Cells *c, const uint64_t *set, uint64_t key, double cost, const Chain chain,
                      unsigned depth, uint64_t *scratch) {
    Tree tree = {.cost = cost};
    int16_t at = add_question(c, set, key, scratch, &tree);
    for (int d = (int)depth; at >= 0 && d >= 0; d--) {
        int16_t settled = add_node(&tree, (TreeNode){chain[d][1], -1, -1, -1});
        at = settled < 0 ? -1
                         : add_node(&tree, (TreeNode){-1, chain[d][0], chain[d][2] ? at : settled,
                                                      chain[d][2] ? settled : at});
    }
    if (at >= 0) {
        keep_tree(c, &tree);
    }
}

/* A question that settles one side with a leaf, then one more for the other side: all that are left to ask
 * are asked a portion at a time. */
static bool level_last(Cells *c, const uint64_t *set, uint64_t *scratch, double cost, Chain chain,
                       unsigned depth, Portion *p) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    RulesWitnesses known;
    rules_witnesses(&c->table, set, &known);
    memcpy(p->ask.args, set, c->train_words * sizeof *set);
    for (uint32_t next = depth == 0 ? c->next_test : 0; next < c->n_tests;) {
        uint32_t end = c->n_tests - next < p->room ? c->n_tests : next + p->room;
        p->ask.count = 0;
        for (; next < end; next++) {
            if (!rules_sides_left(&c->table, &known, next, false) ||
                !split(c, set, &c->tests[next], yes, no)) {
                continue;
            }
            for (uint32_t side = 0; side < 2; side++) {
                int16_t leaf = cells_best_leaf(c, side ? no : yes);
                if (leaf >= 0) {
                    p->leaf[p->ask.count] = leaf;
                    p->literals[p->ask.count++] = next << 1 | !side;
                }
            }
        }
        if (!portion_ask(c, p)) {
            return false;
        }
        for (uint32_t n = 0; n < p->ask.count; n++) {
            uint32_t k = p->literals[n] >> 1, side = !(p->literals[n] & 1);
            c->next_test = depth == 0 ? k : c->next_test;
            if (p->ask.best[n] != RULES_NONE) {
                split(c, set, &c->tests[k], yes, no);
                chain[depth][0] = (int16_t)k;
                chain[depth][1] = p->leaf[n];
                chain[depth][2] = (int16_t)side;
                keep_list(c, side ? yes : no, p->ask.best[n],
                          cost + c->tests[k].cost + c->leaves[p->leaf[n]].cost, chain, depth, rest);
            }
            if (!search_spend(c->search, 4 + c->n_tests / 4)) {
                return false;
            }
        }
    }
    return true;
}

/* A question that settles one side with a leaf, then `questions` more for the other side. */
static bool level_more(Cells *c, const uint64_t *set, unsigned questions, uint64_t *scratch, double cost,
                       Chain chain, unsigned depth, Portion *p) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    RulesWitnesses known;
    if (questions == 1) {
        return level_last(c, set, scratch, cost, chain, depth, p);
    }
    rules_witnesses(&c->table, set, &known);
    for (uint32_t k = depth == 0 ? c->next_test : 0; k < c->n_tests; k++) {
        c->next_test = depth == 0 ? k : c->next_test;
        if (!rules_sides_left(&c->table, &known, k, false) || !split(c, set, &c->tests[k], yes, no)) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            int16_t leaf = cells_best_leaf(c, side ? no : yes);
            const uint64_t *other = side ? yes : no;
            if (leaf < 0) {
                continue;
            }
            chain[depth][0] = (int16_t)k;
            chain[depth][1] = leaf;
            chain[depth][2] = (int16_t)side;
            if (cells_count(other, c->train_words) * 4 < cells_count(set, c->train_words) * 3) {
                uint64_t *copy = rest;
                memcpy(copy, other, c->train_words * sizeof *copy);
                if (!level_more(c, copy, questions - 1, rest + c->words,
                                cost + c->tests[k].cost + c->leaves[leaf].cost, chain, depth + 1, p)) {
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

/* A question with one more on each of its sides, or with a tree of at most three (p->ask.trees): first the
 * "yes" sides, then the "no" sides of those that have an answer. */
static bool level_balanced(Cells *c, const uint64_t *set, uint64_t *scratch, Portion *p) {
    int16_t (*add)(Cells *, const uint64_t *, uint64_t, uint64_t *, Tree *) =
        p->ask.trees ? add_three : add_question;
    uint64_t steps = 4 + (p->ask.trees ? (uint64_t)c->n_tests * c->n_tests / 2 : c->n_tests / 4);
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    uint64_t *both = ctx_alloc(c->search->ctx, p->room * sizeof *both); /* the answers on the "yes" side */
    while (c->next_test < c->n_tests && both != NULL) {
        uint32_t first = c->next_test, end = c->n_tests - first < p->room ? c->n_tests : first + p->room;
        p->ask.count = 0;
        for (uint32_t k = first; k < end; k++) {
            p->literals[p->ask.count++] = k << 1;
        }
        if (!portion_ask(c, p)) {
            return false;
        }
        memcpy(both, p->ask.best, (end - first) * sizeof *both);
        p->ask.count = 0;
        for (uint32_t k = first; k < end; k++) {
            if (both[k - first] != RULES_NONE) {
                p->literals[p->ask.count++] = k << 1 | 1;
            }
        }
        if (!portion_ask(c, p)) {
            return false;
        }
        for (uint32_t k = first, n = 0; k < end; k++) {
            uint64_t on_yes = both[k - first], on_no = on_yes != RULES_NONE ? p->ask.best[n++] : RULES_NONE;
            c->next_test = k + 1;
            if (!split(c, set, &c->tests[k], yes, no)) {
                continue;
            }
            if (on_no != RULES_NONE) {
                Tree tree = {.cost = c->tests[k].cost};
                int16_t a = add(c, yes, on_yes, rest, &tree), b = add(c, no, on_no, rest, &tree);
                if (a >= 0 && b >= 0 && add_node(&tree, (TreeNode){-1, (int16_t)k, a, b}) >= 0) {
                    keep_tree(c, &tree);
                }
            }
            if (!search_spend(c->search, steps)) {
                return false;
            }
        }
        c->next_test = end;
    }
    return both != NULL;
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
    const TreeNode *n = &tree->nodes[at];
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

static void offer(Cells *c, const Tree *tree, double penalty) {
    Builder *b = &c->search->builder;
    double cost = penalty + c->search->tune->cells_cost + c->search->tune->cells_tree_scale * tree->cost +
                  c->source.cost;
    if (c->source.max > 0 && cost > c->source.max) {
        return;
    }
    Val rule = tree_value(c, tree, (int16_t)(tree->count - 1));
    Ref source;
    if (val_failed(rule) || !c->source.begin(c->source.owner, &source)) {
        return;
    }
    Ref args[3] = {source, build_const(b, rule)};
    unsigned prim = c->source.sweeps ? P_cell_sweep : c->source.tall > 0 ? P_cell_grow : P_cell_rule;
    if (prim != P_cell_rule) {
        args[2] = build_const(b, prim == P_cell_sweep
                                     ? val_int(c->source.order)
                                     : val_pair32((int32_t)c->source.tall, (int32_t)c->source.wide));
    }
    Ref result = build_op(b, OP_PRIM, prim, args, prim == P_cell_rule ? 2 : 3, 0, "", 0);
    result = c->source.end != NULL ? c->source.end(c->source.owner, result) : result;
    search_offer(c->search, search_finish(c->search, result), cost);
}

/* ---- leaving pairs out ---- */

static bool tree_is_right(const Cells *c, const Tree *tree, int16_t at, const uint64_t *set,
                          uint64_t *scratch) {
    const TreeNode *n = &tree->nodes[at];
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
static unsigned mispredicted_pairs(Cells *c, const uint64_t *all, uint64_t *scratch) {
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
            leaf >= 0 ? add_node(&tree, (TreeNode){leaf, -1, -1, -1}) : one_question(c, others, rest, &tree);
        wrong += root >= 0 && !tree_is_right(c, &tree, root, left_out, rest);
        search_spend(c->search, 4 + c->n_tests / 4);
    }
    return wrong;
}

/* ---- time slices ---- */

/* Levels of trees that are not lists: with three questions, like the lists of the next level; and after all
 * lists with up to seven, three one below the other. */
enum { BALANCED = 3, DEEP = LONGEST_LIST + 2 };

/* Tries the trees of the current level. False: cut short. */
static bool run_level(Cells *c, const uint64_t *all, uint64_t *scratch) {
    Portion portion;
    Chain chain;
    Tree nothing = {.cost = 0};
    if (c->level > 1 && !portion_open(c, all, c->level == DEEP, &portion)) {
        return false;
    }
    if (c->level == BALANCED || c->level == DEEP) {
        return level_balanced(c, all, scratch, &portion);
    }
    /* a list has as many questions as the level says, or one less after the balanced ones */
    if (c->level > 1) {
        unsigned questions = c->level < BALANCED ? c->level : c->level - 1;
        return level_more(c, all, questions - 1, scratch, 0, chain, 0, &portion);
    }
    int16_t leaf = cells_best_leaf(c, all);
    if (leaf >= 0) {
        nothing.cost = c->leaves[leaf].cost;
        add_node(&nothing, (TreeNode){leaf, -1, -1, -1});
        keep_tree(c, &nothing);
    }
    return level_one(c, all, scratch);
}

/* Tries trees with lists of up to `max` questions and, if `deep`, also the trees after all
 * lists. */
static void search_trees(Cells *c, unsigned max, bool deep) {
    max += max >= BALANCED;
    CtxMark mark = ctx_mark(c->search->ctx);
    uint64_t *all = cells_new_set(c);
    uint64_t *scratch =
        ctx_alloc(c->search->ctx, (size_t)c->words * (3 * LONGEST_LIST + 6) * sizeof *scratch);
    bool go_on = all != NULL && scratch != NULL;
    for (uint32_t k = 0; k < c->train_cells && go_on; k++) {
        all[k / 64] |= (uint64_t)1 << k % 64;
    }
    c->level = deep && c->level > max ? DEEP : c->level;
    while (go_on && c->n_found == 0 && (c->level <= max || (deep && c->level == DEEP))) {
        go_on = run_level(c, all, scratch);
        c->level += go_on;
        c->next_test = go_on ? 0 : c->next_test;
    }
    if (c->n_found == 0 && c->level > 2 && !c->passed) { /* no short rule: one pass is not enough */
        c->passed = true;
        cells_keep_passes(c);
    }
    if (c->n_found > 0 && c->offered == 0 && scratch != NULL) {
        const Tunables *tune = c->search->tune;
        double penalty = tune->misprediction_cost * mispredicted_pairs(c, all, scratch);
        bool was_deep = c->level - go_on == DEEP;
        for (; c->offered < c->n_found; c->offered++) {
            offer(c, &c->found[c->offered], penalty + (was_deep ? tune->cells_deep_cost : 0));
        }
        if (was_deep && !go_on) { /* there may be cheaper ones among those not tried yet */
            c->n_found = c->offered = 0;
        }
    }
    ctx_release(c->search->ctx, mark);
}

Cells *cells_open(Search *search, const CellsSource *source) {
    Cells *c = mem_zalloc(1, sizeof *c);
    if (c != NULL) {
        c->search = search;
        c->source = *source;
        c->level = 1;
    }
    return c;
}

void cells_search(Cells *c, unsigned effort) {
    const Tunables *tune = c->search->tune;
    CtxMark mark = ctx_mark(c->search->ctx);
    if (!c->ready) {
        c->ready = cells_prepare(c);
    }
    if (c->ready) {
        search_trees(c, effort > 1 ? tune->cells_long_list : tune->cells_short_list,
                     effort > 2 && c->n_tests <= tune->cells_deep_tests_max);
    } else { /* start over when there is more time */
        ctx_release(c->search->ctx, mark);
        c->cells = c->train_cells = c->n_leaves = c->n_tests = 0;
    }
}

bool cells_grow(const Cells *c) {
    return c->source.tall > 0;
}

void cells_close(Cells *c) {
    if (c != NULL) {
        backend_drop_block(c->search->backend, &c->table.block);
    }
    mem_free(c);
}

bool cells_begin_input(void *owner, Ref *source) {
    Search *search = owner;
    build_start(&search->builder);
    *source = PARAM_I;
    return true;
}

void cells_try(Search *search, const CellsSource *source, unsigned effort) {
    CtxMark mark = ctx_mark(search->ctx);
    Cells *c = cells_open(search, source);
    if (c != NULL) {
        cells_search(c, effort);
        cells_close(c);
    }
    ctx_release(search->ctx, mark);
}
