/* Learning a rule over objects: which act explains which object, and what tells the objects apart.
 *
 * An Objects holds one way of dividing all inputs (engine/scenes/scene.h). Every act is tried on
 * every object of the training pairs: does the output show what it paints? Changed cells that only
 * one object can paint must be painted by it. From there on objects are items like any other
 * (items.h). */
#ifndef BATT_SEARCH_STRATEGIES_OBJECTS_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_OBJECTS_INTERNAL_H

#include "engine/scenes/scene_acts.h"
#include "engine/scenes/scene_conditions.h"
#include "search/learning/items.h"
#include "search/schedule/search.h"

enum {
    OBJECTS_MAX = 512, /* of the training pairs; there may be as many in the tests */
    OBJECTS_MAX_ACTS = 3072,
    OBJECTS_SOURCES = SOURCE_LIMIT
};

typedef TreeQuestion ObjectsQuestion;

typedef struct Objects {
    Search *search;
    SceneSegmentation segmentation;
    int background;
    bool under;
    double patience;  /* of items.h */
    bool alone;       /* nobody asks for partners */
    bool lenient;     /* what an act paints may be painted over by others */
    bool of_partners; /* attributes of partners are asked about, too */
    bool partial;     /* it is enough to explain most of what changed, and to harm nothing */
    const Scene *scenes[SEARCH_MAX_SAMPLES];
    /* first object of each sample; the training pairs come first */
    uint32_t first[SEARCH_MAX_SAMPLES + 1];
    uint32_t n, n_train, words, train_words;
    uint8_t *sample; /* by object */

    SceneAct *acts; /* without colors */
    uint32_t n_acts;
    int8_t *want;     /* [act * n_train + object]: color, WANT_NOTHING, WANT_NO */
    uint8_t *as_is;   /* likewise: its own colors are right */
    uint16_t *covers; /* likewise: changed cells that it paints */
    uint8_t *must;    /* likewise: it paints all cells that only this object can, if any */
    uint8_t *kept;    /* by object: it stays as it is, and has nothing to paint */
    uint32_t needs;   /* changed cells that must be painted, and can be */
    uint32_t unmet;   /* those that cannot */
    uint64_t *reach;  /* [act * reach_words]: those that it paints somewhere */
    uint32_t reach_words;
    uint32_t changed;           /* all of both, so far */
    struct ObjectsWrong *wrong; /* scratch */
    SceneCells *scratch;

    ObjectsQuestion *questions; /* those of items */
    uint32_t n_questions;
    Items items;
} Objects;

/* Whether the usual background is not the most frequent color in some input. If it is, dividing by the latter
 * gives nothing new. */
bool objects_backgrounds_differ(const SearchTask *task);

/* The steps, in order. False: there is no rule of this kind, or no memory or time. Values live in
 * search->ctx. */
bool objects_segment(Objects *o);
bool objects_make_questions(Objects *o);
bool objects_ask_ranks(Objects *o); /* further questions, which rules over objects have not */
bool objects_list_acts(Objects *o); /* and what each would do */
bool objects_find_trees(Objects *o);

/* What the tree makes of all inputs; false: no memory. */
bool objects_make(const Objects *o, const Tree *tree, Val *to);
/* What acts and sources of colors cost, and an act as a leaf of a rule. */
double objects_act_cost(const SceneAct *act);
double objects_source_cost(const Search *search, int source);
Val objects_leaf_value(Ctx *ctx, const SceneAct *act);
/* The tree as a rule of the primitive object_rule. */
Val objects_rule(Objects *o, const Tree *tree);

#endif
