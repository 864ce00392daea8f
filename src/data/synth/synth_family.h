/* What a family of synthetic tasks consists of; for synth*.c only. */
#ifndef BATT_DATA_SYNTH_SYNTH_FAMILY_H
#define BATT_DATA_SYNTH_SYNTH_FAMILY_H

#include "data/synth/synth.h"
#include "data/synth/synth_scenes.h"

struct SynthFamily {
    const char *name, *title;
    const char *program; /* its lines without def and return, with blanks */
    SynthScene *scene;
};

/* The theme of a task, and the random source from which its scenes are drawn. */
SynthTheme synth_theme(const SynthFamily *family, uint64_t seed, SynthRng *rng);
/* The program of a theme as the function `name`. */
void synth_fill_in(Out *out, const SynthFamily *family, const SynthTheme *theme, const char *name);

#endif
