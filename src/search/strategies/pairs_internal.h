/* Learning a rule over pairs of objects; see pairs.c. Pairs are items like any other (items.h). */
#ifndef BATT_SEARCH_STRATEGIES_PAIRS_INTERNAL_H
#define BATT_SEARCH_STRATEGIES_PAIRS_INTERNAL_H

#include "engine/scenes/scene_pairs.h"
#include "search/learning/items.h"
#include "search/schedule/search.h"

enum { PAIRS_MAX = 1536, PAIRS_MAX_ACTS = 192 }; /* pairs of objects in all training pairs */

typedef struct Pairs {
    Search *search;
    SceneSegmentation segmentation;
    int background;
    bool under, all_attributes;
    double patience; /* of items.h */
    Scene *scenes[SEARCH_MAX_SAMPLES];
    /* first pair of each sample; the training pairs come first */
    uint32_t first[SEARCH_MAX_SAMPLES + 1];
    uint32_t n, n_train;
    SceneDeed *pair; /* source and anchor */
    uint8_t *sample; /* by pair */

    SceneAct acts[PAIRS_MAX_ACTS]; /* without colors; the first one does nothing */
    ItemAct prices[PAIRS_MAX_ACTS];
    uint32_t n_acts;
    int8_t *want;     /* [act * n_train + pair]: color, WANT_NOTHING, WANT_NO */
    uint8_t *as_is;   /* likewise: the source's own colors are right */
    uint16_t *covers; /* likewise: changed cells that it explains */
    uint8_t *must;    /* likewise: it explains all cells that only this pair can */
    uint8_t *kept;    /* by pair: it may do nothing */
    uint32_t needs;   /* changed cells */
    uint64_t *reach;  /* [act * reach_words]: those that it explains somewhere */
    uint32_t reach_words;
    SceneCells *scratch;
    Items items;
} Pairs;

/* The steps, in order. False: there is no rule of this kind, or no memory or time. */
bool pairs_list_acts(Pairs *p); /* and what each would do */
bool pairs_find_trees(Pairs *p);
/* The tree as a rule of the primitive pair_rule. */
Val pairs_rule(Pairs *p, const Tree *tree);

#endif
