/* Leaves of rules over objects and over pairs of them, as values. */
#ifndef BATT_ENGINE_SCENES_OBJECT_RULE_H
#define BATT_ENGINE_SCENES_OBJECT_RULE_H

#include "engine/scenes/scene_acts.h"

/* Reads (act, how, by, color); false: it is malformed. */
bool object_rule_read_act(Val leaf, SceneAct *act);

#endif
