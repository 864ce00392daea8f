/* Ways to divide a grid other than by connected cells: by position alone, by frames, and by boxes that
 * overlap. */
#ifndef BATT_ENGINE_SCENES_SCENE_SPLITS_H
#define BATT_ENGINE_SCENES_SCENE_SPLITS_H

#include "engine/scenes/scene.h"

/* Numbers the objects of a grid in one of the ways from SEGMENT_INSIDES on, in the order of their first
 * cells, -1 for cells of none. Returns how many there are. */
int32_t scene_label_split(const GridAnalysis *b, SceneSegmentation segmentation, int16_t *label);

#endif
