/* Learning what is done with items: objects of a scene, beams of a grid, whatever a rule is a tree
 * over.
 *
 * The owner lists its items (those of the training pairs first), their attributes, the acts that
 * may be done with an item, and what each act would do with each item of the training pairs: which
 * color the output wants there, and how many of the changed cells it paints. An act with a source
 * for its color is a leaf. Questions about attributes and leaves are bit sets over items; items
 * with the same leaves and the same answers are one class, so that trees are searched over few. The
 * owner checks what the bits allow by applying it. */
#ifndef BATT_SEARCH_LEARNING_ITEMS_H
#define BATT_SEARCH_LEARNING_ITEMS_H

#include "search/learning/tree.h"

enum { ITEMS_MAX_LEAVES = 2048, ITEMS_MAX_QUESTIONS = 1024, ITEMS_MAX_FINDS = 24, ITEMS_MAX_CLASSES = 6144 };

enum { WANT_NOTHING = -1, WANT_NO = -2 }; /* besides colors: any color will do; the act is wrong here */

typedef struct ItemAlike { /* two attributes whose agreement may mean something */
    uint16_t a, b;
} ItemAlike;

typedef enum ItemActKind {
    ITEM_COLORLESS, /* no source is needed */
    ITEM_PAINTS,    /* one color */
    ITEM_MOVES      /* the colors it has, or one */
} ItemActKind;

typedef struct ItemAct {
    uint8_t kind;
    double cost;
} ItemAct;

typedef struct ItemSource { /* where a color comes from, cheapest first */
    int16_t number;
    bool own; /* what moves keeps its colors */
    double cost;
    const int8_t *colors; /* by item; -1: it names none */
} ItemSource;

typedef struct ItemLeaf {
    uint16_t act;
    int16_t source;
    double cost;
} ItemLeaf;

typedef struct Items {
    Search *search;
    void *owner;
    uint32_t n, n_train, words; /* words of a set over all items */
    const uint8_t *sample;      /* by item */
    double question_cost, backing_cost;
    uint32_t longest_list; /* of questions that settle items one after the other, at low effort */
    double patience;       /* milliseconds for such lists; 0: as long as they take */
    bool postponed;        /* there was more to try */

    const TreeAttribute *attributes;
    uint32_t n_attributes;
    const ItemAlike *alike;
    uint32_t n_alike;
    const ItemAct *acts; /* the first one changes nothing */
    uint32_t n_acts;
    const ItemSource *sources;
    uint32_t n_sources;
    const int8_t *want;     /* [act * n_train + item]: color, WANT_NOTHING, WANT_NO */
    const uint8_t *as_is;   /* likewise: its own colors are right; NULL: nothing moves */
    const uint16_t *covers; /* likewise: changed cells that it paints */
    const uint8_t *must;    /* likewise: it is right, and paints all cells that only this item can */
    const uint8_t *kept;    /* by item: it stays as it is, and has nothing to paint */
    uint32_t needs;         /* changed cells that must be painted */
    const uint64_t
        *reach; /* [act * reach_words]: those that it paints somewhere, as bits; as many as needs */
    uint32_t reach_words;
    /* Does the tree explain the training pairs? If so, notes its answer. */
    bool (*fits)(void *owner, Tree *tree);

    ItemLeaf *leaves; /* cheapest first */
    uint32_t n_leaves, leaf_words;
    uint64_t *right; /* [item * leaf_words]: leaves that are right there */
    TreeQuestions questions;

    uint32_t n_classes, class_words;
    uint32_t *class_first;    /* item of a class */
    struct ItemsKnown *known; /* leaves for sets of classes */
    uint64_t *class_yes;      /* [question * class_words] */
    uint64_t *class_right;    /* [leaf * class_words] */
    uint64_t *class_paints;   /* [act * class_words]: it covers something there */
    uint32_t *class_covers;   /* [act * n_classes + class] */
    uint64_t *class_pairs;    /* by class: the pairs it is of, bits */
    uint64_t *class_clashes;  /* [class * class_words]: classes that it has no leaf in common with */
    uint32_t *class_degree;   /* by class: how many these are */

    Tree finds[ITEMS_MAX_FINDS]; /* cheapest first; all of them fit */
    uint32_t n_finds;
} Items;

/* The steps, in order. False: there is no rule of this kind, or no memory or time. */
bool items_make_leaves(Items *items);
bool items_make_questions(Items *items); /* may be called alone */
bool items_find_trees(Items *items);

/* How far an owner has got with the ways in which its items can be made: all of them come once before lists
 * of questions that take long are tried, and again with ever more patience, if lists were left for later. */
enum { ITEMS_PASSES = 3, ITEMS_MAX_WAYS = 64 };
typedef struct ItemsTurn {
    uint8_t way, pass;
    uint64_t postponed[ITEMS_PASSES]; /* by pass: ways that want another */
} ItemsTurn;
void items_next_turn(ItemsTurn *turn, unsigned ways);
/* Without more effort the last pass, which takes as long as it takes, is left out. */
static inline unsigned items_passes(const Search *search) {
    return search->effort > 1 ? ITEMS_PASSES : ITEMS_PASSES - 1;
}
double items_patience(const Search *search, const ItemsTurn *turn);
static inline void items_postpone(ItemsTurn *turn) {
    turn->postponed[turn->pass] |= (uint64_t)1 << turn->way;
}

/* Adds the cells of a grid to the hash of an answer. */
uint64_t items_hash(uint64_t hash, const int8_t *cells, int32_t n);

#endif
