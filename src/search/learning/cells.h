/* The state of a search for rules per cell: questions and leaves, as bit sets over the cells.
 *
 * cell_questions.c makes them, cell_rules.c searches for trees of them, cell_passes.c for rules
 * that settle some of the cells. */
#ifndef BATT_SEARCH_LEARNING_CELLS_H
#define BATT_SEARCH_LEARNING_CELLS_H

#include "search/learning/cell_rules.h"
#include "search/learning/rules.h"
#include "search/learning/tree.h"

/* Array sizes, which tunables cannot exceed. */
enum { MAX_LEAVES = 128, MAX_OFFERS = 48 };
enum { MAX_COUNT_LEAVES = 32 }; /* so that maps of counts, which are many, leave room for those of colors */
enum { CELLS_AS_IS = MAX_LEAVES }; /* a leaf besides: the cell keeps its color */

enum { CELLS_COLORS = 10, CELLS_VALUES = 16 }; /* values of a feature that a map has rows for, from -1 */

typedef struct Leaf {
    bool copy;   /* copies a feature; else gives a color */
    bool mapped; /* the copy goes through the map, from value + 1 */
    int16_t what;
    int8_t map[CELLS_VALUES];
    uint64_t *right; /* cells for which it gives the expected color */
    double cost;
} Leaf;

struct Cells {
    Search *search;
    CellsSource source;
    bool ready;         /* questions and leaves are there */
    bool passed;        /* cells_keep_passes was called */
    unsigned level;     /* questions of the trees to try next */
    uint32_t next_test; /* where an earlier time slice at that level ended */
    uint32_t offered;   /* trees */
    uint32_t pair_start[SEARCH_MAX_SAMPLES + 1];
    uint32_t cells, train_cells;   /* of all inputs, those of the training pairs first */
    uint32_t words, train_words;   /* the same in 64-bit words; trees are learnt from the training pairs */
    RulesTable table;              /* questions and leaves over the training cells, for batched questions */
    int8_t *planes[FEATURE_COUNT]; /* over all cells: equal questions must agree on the tests too */
    int8_t *target;
    Leaf leaves[MAX_LEAVES];
    uint32_t n_leaves;
    TreeAttribute attributes[FEATURE_COUNT];
    TreeQuestions questions; /* about all cells */
    Tree found[MAX_OFFERS];  /* cheapest first */
    uint32_t n_found;
};

uint64_t *cells_new_set(Cells *cells); /* an empty set over all cells; NULL: no memory */

/* The cheapest leaf that is right on all of a set; -1: none. */
static inline int16_t cells_best_leaf(const Cells *c, const uint64_t *set) {
    return (int16_t)rules_leaf(&c->table, set);
}
/* Splits a set of training cells by a question; false: all of them are on one side. */
static inline bool cells_split(const Cells *c, const uint64_t *set, uint32_t question, uint64_t *yes,
                               uint64_t *no) {
    return bits_split(set, c->questions.list[question].yes, c->train_words, yes, no);
}

/* The rule that a tree is, as an argument of cell_rule. */
Val cells_rule(Cells *cells, const Tree *tree);

/* Finds rules that settle some of the cells, and keeps what they make of the inputs as
 * intermediates. */
void cells_keep_passes(Cells *cells);

/* Computes the features of all cells, then leaves and questions; false: no memory, or cut short. */
bool cells_prepare(Cells *cells);

#endif
