/* Rules per cell, learnt from the training pairs; see cell_rules.h.
 *
 * A rule is a small decision tree over features of cells (engine/features/features.h). All questions and all
 * leaves are bit sets over the training cells, so that checking a tree takes a few operations on words. Trees
 * are tried in order of size: a leaf, one question, two, and beyond that lists of questions each of which
 * settles some of the cells. */
#include "base/alloc.h"
#include "search/learning/cells.h"

#include <string.h>

static void keep_tree(Cells *c, const Tree *tree) {
    tree_keep(c->found, &c->n_found, c->search->tune->cells_trees_max, tree);
}

/* ---- batched questions ---- */

/* The question of a key, which has one. */
static uint32_t question_of(uint64_t key) {
    return (uint32_t)(key & 0xffff) - 1;
}

static double fork_cost(const Cells *c, uint32_t question, int16_t yes, int16_t no) {
    return c->questions.list[question].cost + c->leaves[yes].cost + c->leaves[no].cost;
}

/* Appends the rule of at most one question that a key says is the cheapest for a set; returns its root. */
static int16_t add_rule(Cells *c, const uint64_t *set, uint64_t key, uint64_t *scratch, Tree *tree) {
    if ((key & 0xffff) == 0) {
        int16_t leaf = cells_best_leaf(c, set);
        tree->cost += c->leaves[leaf].cost;
        return tree_add_leaf(tree, leaf);
    }
    uint64_t *yes = scratch, *no = scratch + c->words;
    cells_split(c, set, question_of(key), yes, no);
    int16_t a = cells_best_leaf(c, yes), b = cells_best_leaf(c, no);
    ASSERT(a >= 0 && b >= 0, "question %u has leaves %d and %d", question_of(key), a, b);
    tree->cost += fork_cost(c, question_of(key), a, b);
    return tree_add_fork(tree, question_of(key), a, b);
}

/* Appends the tree of at most three questions that a key says is the cheapest for a set; likewise. */
static int16_t add_three(Cells *c, const uint64_t *set, uint64_t key, uint64_t *scratch, Tree *tree) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    if ((key & 0xffff) == 0) {
        return add_rule(c, set, key, scratch, tree);
    }
    cells_split(c, set, question_of(key), yes, no);
    tree->cost += c->questions.list[question_of(key)].cost;
    int16_t a = add_rule(c, yes, rules_best(&c->table, yes, true), rest, tree);
    int16_t b = add_rule(c, no, rules_best(&c->table, no, true), rest, tree);
    return tree_add_branch(tree, question_of(key), a, b);
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
    uint64_t each = trees ? 4ull * c->questions.count * c->questions.count : 2ull * c->questions.count;
    p->room = backend_chunk_size(c->search->backend, each, c->questions.count);
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
    for (uint32_t k = 0; k < c->questions.count; k++) {
        if (!rules_sides_left(&c->table, &known, k, true) || !cells_split(c, all, k, yes, no)) {
            continue;
        }
        int16_t a = cells_best_leaf(c, yes), b = a >= 0 ? cells_best_leaf(c, no) : -1;
        if (b >= 0) {
            Tree tree = {.cost = fork_cost(c, k, a, b)};
            tree.root = tree_add_fork(&tree, k, a, b);
            keep_tree(c, &tree);
        }
    }
    return search_spend(c->search, c->questions.count * 8ull);
}

/* The list with one more question, of which a leaf settles one side. */
static TreeList longer(const Cells *c, const TreeList *list, uint32_t question, int16_t leaf, bool no) {
    TreeList more = tree_list_with(list, question, leaf, !no);
    more.cost += c->questions.list[question].cost;
    more.cost += c->leaves[leaf].cost;
    return more;
}

/* A question that settles one side with a leaf, then one more for the other side: all that are left to ask
 * are asked a portion at a time. */
static bool level_last(Cells *c, const uint64_t *set, uint64_t *scratch, const TreeList *list, Portion *p) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    RulesWitnesses known;
    rules_witnesses(&c->table, set, &known);
    memcpy(p->ask.args, set, c->train_words * sizeof *set);
    for (uint32_t next = list->n == 0 ? c->next_test : 0; next < c->questions.count;) {
        uint32_t end = c->questions.count - next < p->room ? c->questions.count : next + p->room;
        p->ask.count = 0;
        for (; next < end; next++) {
            if (!rules_sides_left(&c->table, &known, next, false) || !cells_split(c, set, next, yes, no)) {
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
            c->next_test = list->n == 0 ? k : c->next_test;
            if (p->ask.best[n] != RULES_NONE) {
                TreeList all = longer(c, list, k, p->leaf[n], side);
                Tree tree = {.cost = all.cost};
                cells_split(c, set, k, yes, no);
                tree_close(&tree, &all, add_rule(c, side ? yes : no, p->ask.best[n], rest, &tree));
                keep_tree(c, &tree);
            }
            if (!search_spend(c->search, 4 + c->questions.count / 4)) {
                return false;
            }
        }
    }
    return true;
}

/* A question that settles one side with a leaf, then `questions` more for the other side. */
static bool level_more(Cells *c, const uint64_t *set, unsigned questions, uint64_t *scratch,
                       const TreeList *list, Portion *p) {
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    RulesWitnesses known;
    if (questions == 1) {
        return level_last(c, set, scratch, list, p);
    }
    rules_witnesses(&c->table, set, &known);
    for (uint32_t k = list->n == 0 ? c->next_test : 0; k < c->questions.count; k++) {
        c->next_test = list->n == 0 ? k : c->next_test;
        if (!rules_sides_left(&c->table, &known, k, false) || !cells_split(c, set, k, yes, no)) {
            continue;
        }
        for (int side = 0; side < 2; side++) {
            int16_t leaf = cells_best_leaf(c, side ? no : yes);
            const uint64_t *other = side ? yes : no;
            if (leaf < 0) {
                continue;
            }
            if (bits_count(other, c->train_words) * 4 < bits_count(set, c->train_words) * 3) {
                TreeList more = longer(c, list, k, leaf, side);
                if (!level_more(c, other, questions - 1, rest, &more, p)) {
                    return false;
                }
            }
            if (!search_spend(c->search, 4 + c->questions.count / 4)) {
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
        p->ask.trees ? add_three : add_rule;
    uint64_t steps =
        4 + (p->ask.trees ? (uint64_t)c->questions.count * c->questions.count / 2 : c->questions.count / 4);
    uint64_t *yes = scratch, *no = scratch + c->words, *rest = no + c->words;
    uint64_t *both = ctx_alloc(c->search->ctx, p->room * sizeof *both); /* the answers on the "yes" side */
    while (c->next_test < c->questions.count && both != NULL) {
        uint32_t first = c->next_test,
                 end = c->questions.count - first < p->room ? c->questions.count : first + p->room;
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
            if (!cells_split(c, set, k, yes, no)) {
                continue;
            }
            if (on_no != RULES_NONE) {
                Tree tree = {.cost = c->questions.list[k].cost};
                int16_t a = add(c, yes, on_yes, rest, &tree), b = add(c, no, on_no, rest, &tree);
                tree.root = tree_add_branch(&tree, k, a, b);
                keep_tree(c, &tree);
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

static Val leaf_value(void *owner, int16_t number) {
    Cells *c = owner;
    Ctx *ctx = c->search->ctx;
    const Leaf *leaf = &c->leaves[number];
    if (number == CELLS_AS_IS) {
        return val_pair32(1, FEATURE_OWN);
    }
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

Val cells_rule(Cells *c, const Tree *tree) {
    return tree_value(tree, &c->questions, leaf_value, c);
}

static void offer(Cells *c, const Tree *tree, double penalty) {
    Builder *b = &c->search->builder;
    double cost = penalty + c->search->tune->cells_cost + c->search->tune->cells_tree_scale * tree->cost +
                  c->source.cost;
    Val rule = cells_rule(c, tree);
    Ref source;
    if (val_failed(rule) || !c->source.begin(c->source.owner, &source)) {
        return;
    }
    Ref args[3] = {source, build_const(b, rule)};
    bool grows = c->source.tall > 0;
    if (grows) {
        args[2] = build_const(b, val_pair32((int32_t)c->source.tall, (int32_t)c->source.wide));
    }
    Ref result = build_op(b, OP_PRIM, grows ? P_cell_grow : P_cell_rule, args, grows ? 3 : 2, 0, "", 0);
    result = c->source.end != NULL ? c->source.end(c->source.owner, result) : result;
    search_offer(c->search, search_finish(c->search, result), cost);
}

/* ---- leaving pairs out ---- */

/* Whether a tree is right on the cells of a pair. */
static bool tree_is_right(const Cells *c, const Tree *tree, uint32_t pair) {
    bool right = true;
    for (uint32_t k = c->pair_start[pair]; k < c->pair_start[pair + 1] && right; k++) {
        right = bits_has(c->leaves[tree_decide(tree, &c->questions, k)].right, k);
    }
    return right;
}

/* How many pairs the simplest rule of at most one question predicts wrongly when it is learnt from the
 * others. Pairs without such a rule do not count. */
static unsigned mispredicted_pairs(Cells *c, const uint64_t *all, uint64_t *scratch) {
    uint32_t pairs = c->search->task->n_train;
    uint64_t *others = scratch, *rest = scratch + c->words;
    unsigned wrong = 0;
    for (uint32_t p = 0; p < pairs && pairs > 2; p++) {
        Tree tree = {.cost = 0};
        memcpy(others, all, c->train_words * sizeof *others);
        for (uint32_t k = c->pair_start[p]; k < c->pair_start[p + 1]; k++) {
            others[k / 64] &= ~((uint64_t)1 << k % 64);
        }
        uint64_t key = cells_best_leaf(c, others) >= 0 ? 0 : rules_best(&c->table, others, false);
        if (key != RULES_NONE) {
            tree.root = add_rule(c, others, key, rest, &tree);
            wrong += !tree_is_right(c, &tree, p);
        }
        search_spend(c->search, 4 + c->questions.count / 4);
    }
    return wrong;
}

/* ---- time slices ---- */

/* Levels of trees that are not lists: with three questions, like the lists of the next level; and after all
 * lists with up to seven, three one below the other. */
enum { BALANCED = 3, DEEP = TREE_LONGEST_LIST + 2 };

/* Tries the trees of the current level. False: cut short. */
static bool run_level(Cells *c, const uint64_t *all, uint64_t *scratch) {
    Portion portion;
    Tree tree = {.cost = 0};
    const TreeList nothing = {.n = 0};
    if (c->level > 1 && !portion_open(c, all, c->level == DEEP, &portion)) {
        return false;
    }
    if (c->level == BALANCED || c->level == DEEP) {
        return level_balanced(c, all, scratch, &portion);
    }
    /* a list has as many questions as the level says, or one less after the balanced ones */
    if (c->level > 1) {
        unsigned questions = c->level < BALANCED ? c->level : c->level - 1;
        return level_more(c, all, questions - 1, scratch, &nothing, &portion);
    }
    int16_t leaf = cells_best_leaf(c, all);
    if (leaf >= 0) {
        tree.cost = c->leaves[leaf].cost;
        tree.root = tree_add_leaf(&tree, leaf);
        keep_tree(c, &tree);
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
        ctx_alloc(c->search->ctx, (size_t)c->words * (2 * TREE_LONGEST_LIST + 6) * sizeof *scratch);
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
                     effort > 2 && c->questions.count <= tune->cells_deep_tests_max);
    } else { /* start over when there is more time */
        ctx_release(c->search->ctx, mark);
        c->cells = c->train_cells = c->n_leaves = 0;
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
