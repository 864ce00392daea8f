/* Synthetic programs and grids for measuring, with the proportions of real ones, which mix.def lists.
 *
 * A program is grown line by line: a line of some type is drawn by weight, and its arguments are earlier
 * lines or new ones put before it. A program that fails on one of its grids, or takes very long, is thrown
 * away and drawn again, since no real program fails on its own task. A mix depends only on its size, kind and
 * seed, on every machine. */
#ifndef BATT_TOOLS_PROFILER_MIX_H
#define BATT_TOOLS_PROFILER_MIX_H

#include "engine/eval/eval.h"
#include "engine/language/parse.h"

typedef enum MixKind { MIX_SHORT, MIX_LONG, MIX_KINDS } MixKind; /* collections A and B of mix.def */

enum { MIX_SAMPLES = 4 }; /* grids that a program runs on */

typedef struct Mix {
    Ctx ctx;
    Lang *lang;
    ProgList programs;
    char **texts; /* one program each, lines separated by "; " */
    Val *grids;   /* MIX_SAMPLES for each program */
    int8_t *cells;
    uint32_t lines; /* in all programs */
} Mix;

typedef struct MixRealCalls { /* calls per thousand samples */
    uint32_t prim;
    double wanted[MIX_KINDS];
} MixRealCalls;

/* False: no memory; close it anyway. */
bool mix_open(Mix *mix, MixKind kind, uint32_t programs, uint64_t seed);
void mix_close(Mix *mix);
/* Runs every program on every grid once; with closures run call by call, or as they usually are. */
void mix_pass(Mix *mix, bool stepwise);
/* The calls that real programs make (MADE in mix.def), to compare a mix with; *n: how many. */
const MixRealCalls *mix_real_calls(uint32_t *n);

#endif
