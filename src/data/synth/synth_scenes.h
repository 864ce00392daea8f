/* Inputs for the families of synthetic tasks: one function per kind of scene. */
#ifndef BATT_DATA_SYNTH_SYNTH_SCENES_H
#define BATT_DATA_SYNTH_SYNTH_SCENES_H

#include "data/synth/synth_draw.h"

/* What all pairs of a task have in common: it fills the blanks of the rule. */
typedef struct SynthTheme {
    int a, b, c, d; /* different colors, none of them 0: @a.. in a program */
    int n;          /* 2 or 3: @n */
    int direction;  /* 0..3, DOWN RIGHT UP LEFT: @v */
} SynthTheme;

/* Draws an input. False: this attempt did not work out, try again. */
typedef bool SynthScene(Canvas *canvas, const SynthTheme *theme, SynthRng *rng);

#define SCENE(name) SynthScene scene_##name;
#include "data/synth/synth_scenes.def"
#undef SCENE

#endif
