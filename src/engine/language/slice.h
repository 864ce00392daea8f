/* Cutting single programs out of a large one.
 *
 * A cut costs as much as the program that comes out of it, however large the one is that it comes from: only
 * what the wanted slot needs is looked at. */
#ifndef BATT_ENGINE_LANGUAGE_SLICE_H
#define BATT_ENGINE_LANGUAGE_SLICE_H

#include "engine/language/build.h"

typedef struct Slicer {
    const Program *program;
    ProgHash *hashes; /* by slot: what a cut computes is known from here */
    Builder builder;
    Ref *refs;        /* by slot, of the cut under way */
    uint32_t *seen;   /* by slot: the last cut that needed it */
    uint32_t *needed; /* ops */
    uint64_t *marks;  /* a bit per op, to put them in order; all zero between cuts */
    uint32_t cuts;
} Slicer;

bool slicer_open(Slicer *slicer, const Program *program); /* false: no memory; the program is borrowed */
/* The program whose result is this slot. NULL: no memory. */
Program *slicer_cut(Slicer *slicer, uint32_t slot, const char *name, size_t name_length);
void slicer_close(Slicer *slicer);

#endif
