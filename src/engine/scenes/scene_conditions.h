/* Conditions on objects: arguments of primitives that choose some objects of a scene. */
#ifndef BATT_ENGINE_SCENES_SCENE_CONDITIONS_H
#define BATT_ENGINE_SCENES_SCENE_CONDITIONS_H

#include "engine/scenes/scene.h"

enum { SCENE_MAX_CONDITIONS = 4 };

/* Tests: those of RuleTest; plus RULE_TESTS, their opposites; how many objects of the scene have more of an
 * attribute, less of it, as much of it; plus RULE_TESTS, their opposites. */
enum { SCENE_TEST_MORE = 2 * RULE_TESTS, SCENE_TEST_LESS, SCENE_TEST_ALIKE, SCENE_TESTS = 4 * RULE_TESTS };

typedef struct SceneCondition {
    uint8_t attribute, test;
    int64_t number;
} SceneCondition;

/* Reads a tuple of (attribute, test, number); false: it is malformed. */
bool scene_read_conditions(Val conditions, SceneCondition *to, uint32_t *n);
bool scene_meets_one(const Scene *scene, int32_t object, const SceneCondition *condition);
/* Does the object meet all of them? */
bool scene_meets(const Scene *scene, int32_t object, const SceneCondition *conditions, uint32_t n);

#endif
