/* Conditions on objects: arguments of primitives that choose some objects of a scene. */
#ifndef BATT_SCENES_SCENE_CONDITIONS_H
#define BATT_SCENES_SCENE_CONDITIONS_H

#include "scenes/scene.h"

enum { SCENE_MOST_CONDITIONS = 4 };

typedef struct SceneCondition {
    uint8_t attribute, test; /* RuleTest; plus RULE_TESTS: its opposite */
    int64_t number;
} SceneCondition;

/* Reads a tuple of (attribute, test, number); false: it is malformed. */
bool scene_read_conditions(Val conditions, SceneCondition *to, uint32_t *n);
/* Does the object meet all of them? */
bool scene_meets(const Scene *scene, int32_t object, const SceneCondition *conditions, uint32_t n);

#endif
