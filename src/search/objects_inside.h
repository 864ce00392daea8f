/* Learning a rule over objects: which act explains which object, and what tells the objects apart.
 *
 * One Objects is one way of dividing all inputs (scenes/scene.h). Every act is tried on every object of the
 * training pairs: does the output show what it paints? An act together with a source for its color is a leaf;
 * a leaf is a bit set over objects, and an object a bit set over leaves. Changed cells that only one object
 * can paint must be painted by it. Trees are searched for in these sets, and checked by applying them. */
#ifndef BATT_SEARCH_OBJECTS_INSIDE_H
#define BATT_SEARCH_OBJECTS_INSIDE_H

#include "scenes/scene_acts.h"
#include "scenes/scene_conditions.h"
#include "search/search.h"

enum {
    OBJECTS_MOST = 512, /* of the training pairs; there may be as many in the tests */
    OBJECTS_MOST_ACTS = 1536,
    OBJECTS_MOST_LEAVES = 2048,
    OBJECTS_MOST_QUESTIONS = 1024,
    OBJECTS_MOST_FINDS = 16,
    OBJECTS_MOST_NODES = 24,
    OBJECTS_SOURCES = SOURCE_LIMIT
};

enum { WANT_NOTHING = -1, WANT_NO = -2 }; /* besides colors: any color will do; the act is wrong here */

typedef struct ObjectsLeaf {
    uint16_t act;
    int16_t source;
    double cost;
} ObjectsLeaf;

typedef struct ObjectsQuestion {
    uint8_t attribute, test; /* as in SceneCondition */
    int16_t number;
    double cost;
    uint64_t *yes; /* over all objects */
} ObjectsQuestion;

typedef struct ObjectsNode { /* a leaf, or a question and two nodes */
    int16_t leaf, question, yes, no;
} ObjectsNode;

typedef struct ObjectsTree {
    ObjectsNode nodes[OBJECTS_MOST_NODES];
    int16_t count, root;
    double cost;
} ObjectsTree;

typedef struct Objects {
    Search *search;
    SceneWay way;
    int ground;
    bool under;
    bool alone; /* nobody asks for partners */
    const Scene *scenes[SEARCH_MOST_SAMPLES];
    /* first object of each sample; those of the training pairs come first */
    uint32_t first[SEARCH_MOST_SAMPLES + 1];
    uint32_t n, n_train, words, train_words;
    uint8_t *sample; /* by object */

    SceneAct *acts; /* without colors */
    uint32_t n_acts;
    int8_t *want;     /* [act * n_train + object]: color, WANT_NOTHING, WANT_NO */
    uint8_t *as_is;   /* likewise: its own colors are right */
    uint16_t *covers; /* likewise: changed cells that it paints */
    uint8_t *must;    /* likewise: it paints all cells that only this object can, if any */
    uint8_t *kept;    /* by object: it stays as it is, and has nothing to paint */
    uint32_t needs;   /* changed cells that must be painted */
    SceneCells *scratch;

    ObjectsLeaf *leaves; /* cheapest first */
    uint32_t n_leaves, leaf_words;
    uint64_t *right; /* [object * leaf_words]: leaves that are right there */
    ObjectsQuestion *questions;
    uint32_t n_questions;

    ObjectsTree finds[OBJECTS_MOST_FINDS]; /* cheapest first; all of them fit the training pairs */
    uint32_t n_finds;
} Objects;

/* Whether the usual ground is not the most frequent color in some input. If it is, dividing by the latter
 * gives nothing new. */
bool objects_grounds_differ(const SearchTask *task);

/* The steps, in order. False: there is no rule of this kind, or no memory or time. Values live in
 * search->ctx. */
bool objects_divide(Objects *o);
bool objects_list_acts(Objects *o); /* and what each would do */
bool objects_make_leaves(Objects *o);
bool objects_make_questions(Objects *o);
bool objects_ask_ranks(Objects *o); /* further questions, which rules over objects have not */
void objects_find_trees(Objects *o);

/* Writes what the tree makes of a sample's input to `to`. */
void objects_apply(Objects *o, const ObjectsTree *tree, uint32_t sample, int8_t *to);
/* The tree as a rule of the primitive object_rule. */
Val objects_rule(Objects *o, const ObjectsTree *tree, int16_t at);

static inline bool objects_in(const uint64_t *set, uint32_t k) {
    return set[k / 64] >> k % 64 & 1;
}

#endif
