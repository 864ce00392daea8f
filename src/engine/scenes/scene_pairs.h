/* Ordered pairs of a scene's objects: a source with an anchor, what is known about both together
 * (pair_relations.def), and how rules number it. */
#ifndef BATT_ENGINE_SCENES_SCENE_PAIRS_H
#define BATT_ENGINE_SCENES_SCENE_PAIRS_H

#include "engine/scenes/scene_acts.h"

typedef enum PairRelation {
#define RELATION(id, cost, text) RELATION_##id,
#include "engine/scenes/pair_relations.def"
#undef RELATION
    RELATION_COUNT
} PairRelation;

extern const double pair_relation_costs[RELATION_COUNT];

/* Attributes of a pair: the source's have their own numbers, then come the anchor's, then relations. */
enum { PAIR_OF_ANCHOR = 100, PAIR_OF_BOTH = 200 };
bool pair_is_attribute(int64_t number);
int8_t pair_relation(const Scene *scene, PairRelation relation, int32_t source, int32_t anchor);
int8_t pair_attribute(const Scene *scene, int64_t number, int32_t source, int32_t anchor);

/* May a rule over pairs do this? Everything but sliding, which depends on all others. */
static inline bool pair_may_do(const SceneAct *act) {
    return act->act != ACT_SLIDE;
}

#endif
