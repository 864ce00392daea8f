/* Decision trees that are being learnt: questions about attributes as bit sets, what they cost, trees of
 * them, and such a tree as the value that rules are read from (engine/features/decision.h).
 *
 * What a tree decides about is the owner's: cells (cells.h), or objects and beams (items.h); here all of them
 * are items. Leaves are the owner's, too: a tree has their numbers. */
#ifndef BATT_SEARCH_LEARNING_TREE_H
#define BATT_SEARCH_LEARNING_TREE_H

#include "base/bits.h"
#include "engine/features/decision.h"
#include "search/schedule/search.h"

/* ---- questions ---- */

typedef struct TreeAttribute {
    int16_t number; /* in rules */
    bool counts;    /* numbers may be compared; else it is a color */
    double cost;
    const int8_t *values; /* by item */
} TreeAttribute;

typedef struct TreeQuestion {
    uint16_t attribute;
    uint8_t test;   /* RuleTest, or one of the owner's */
    int16_t number; /* or the attribute to compare with */
    double cost;
    uint64_t *yes; /* items */
} TreeQuestion;

typedef struct TreePrices {
    double question, greater, color;
    double large, larger; /* a count above 3, above 9: small numbers mean something more often */
    double same_scale;    /* share of the second attribute's cost where two are compared */
} TreePrices;

typedef struct TreeQuestions {
    Search *search;
    const TreeAttribute *attributes;
    TreePrices prices;
    uint32_t n, words; /* items, and words of a set of them */
    uint32_t apart;    /* a question must not have the same answer for all of this many first items */
    /* Of questions that split the items alike the cheapest is kept; else the first. */
    bool cheapest;
    uint64_t asked_steps, kept_steps; /* of the search, for each question that is asked, and is new */
    TreeQuestion *list;
    uint32_t count, max;
    uint64_t *asked;  /* scratch: the answers to the question at hand */
    uint64_t *hashes; /* of the answers of questions, or of their opposites */
    uint16_t *slots;  /* hash table: question + 1, 0: free */
    uint32_t n_slots; /* a power of two, more than `max` */
} TreeQuestions;

bool tree_questions_open(TreeQuestions *questions); /* makes room for `max` of them; false: no memory */
/* Adds a question whose answers are in `asked`. False: no room, no memory, or no time. */
bool tree_ask_further(TreeQuestions *questions, TreeQuestion question);
bool tree_ask(TreeQuestions *questions, uint32_t attribute, RuleTest test, int number);
/* Asks whether one of the four directions' features from `first` on is the number. */
bool tree_ask_among(TreeQuestions *questions, uint32_t first, int number);
/* Asks for each value of an attribute, unless it has more than `max`. */
bool tree_ask_values(TreeQuestions *questions, uint32_t attribute, uint32_t max);

/* ---- trees ---- */

enum { TREE_MAX_NODES = 24, TREE_LONGEST_LIST = 5 };

typedef struct TreeNode { /* a leaf, or a question and two nodes */
    int16_t leaf, question, yes, no;
} TreeNode;

typedef struct Tree {
    TreeNode nodes[TREE_MAX_NODES];
    int16_t count, root;
    double cost;
    uint64_t answer; /* hash of what it makes of the tests, where the owner compares that */
} Tree;

/* These return the new node. */
int16_t tree_add_leaf(Tree *tree, int16_t leaf);
int16_t tree_add_branch(Tree *tree, uint32_t question, int16_t yes, int16_t no);
int16_t tree_add_fork(Tree *tree, uint32_t question, int16_t yes_leaf, int16_t no_leaf);

/* Questions asked one after the other, each of which settles one side with a leaf. */
typedef struct TreeList {
    struct TreeAsked {
        uint32_t question;
        int16_t leaf;
        bool settles_yes; /* the leaf is on the yes side */
    } asked[TREE_LONGEST_LIST];
    uint32_t n, covers; /* covers: as the owner counts what its leaves do */
    double cost;
} TreeList;

/* The list with one more question; cost and coverage are as before. */
TreeList tree_list_with(const TreeList *list, uint32_t question, int16_t leaf, bool settles_yes);
/* Puts the questions of a list above a node, and makes the first of them the root. */
void tree_close(Tree *tree, const TreeList *list, int16_t node);

/* Puts a tree in its place among at most `max`, cheapest first; of equal ones the earlier comes first. */
void tree_keep(Tree *trees, uint32_t *count, uint32_t max, const Tree *tree);

/* The leaf that the tree has for an item. */
int16_t tree_decide(const Tree *tree, const TreeQuestions *questions, uint32_t item);

/* The tree as a rule: branches are (attribute, test, number, yes, no), leaves are the owner's. */
typedef Val TreeLeafValue(void *owner, int16_t leaf);
Val tree_value(const Tree *tree, const TreeQuestions *questions, TreeLeafValue *leaf, void *owner);

#endif
