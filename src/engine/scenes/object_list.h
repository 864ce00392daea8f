/* The objects of a scene as a list: in which order, and how often each. */
#ifndef BATT_ENGINE_SCENES_OBJECT_LIST_H
#define BATT_ENGINE_SCENES_OBJECT_LIST_H

#include "engine/scenes/scene.h"

/* OBJECT_ONCE, in place of an attribute: each object once. */
enum { OBJECT_ONCE = -1, OBJECT_GRIDS_MAX = 256 };

/* Sorts all objects by an attribute, ascending or `down`; ties stay in the order of their numbers. */
void object_list_order(const Scene *scene, int32_t attribute, bool down, uint8_t *order);
/* How often a list has an object, where `times` is the attribute that says so, or OBJECT_ONCE. */
int32_t object_list_times(const Scene *scene, int32_t object, int32_t times);

#endif
