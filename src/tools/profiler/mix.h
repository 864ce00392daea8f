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

/* Collections A and B of mix.def; programs that end in a loop, with the shapes of those of A (loops.def). */
typedef enum MixKind { MIX_SHORT, MIX_LONG, MIX_LOOPS, MIX_KINDS } MixKind;

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
    double wanted[MIX_LOOPS];
} MixRealCalls;

typedef struct MixShape { /* a shape of loops, and its share of the time that real programs spend in loops */
    const char *what;
    double share;
} MixShape;

/* False: no memory; close it anyway. */
bool mix_open(Mix *mix, MixKind kind, uint32_t programs, uint64_t seed);
void mix_close(Mix *mix);
/* Runs every program on every grid once; with closures run call by call, or as they usually are. */
void mix_pass(Mix *mix, bool stepwise);
/* One program on each of its grids. */
void mix_run(Mix *mix, size_t program, bool stepwise);
/* The shapes of loops; *n: how many. The shape of a program of MIX_LOOPS, and the nanoseconds that its loop
 * alone takes on all grids. */
const MixShape *mix_shapes(uint32_t *n);
uint32_t mix_shape(size_t program);
double mix_loop_ns(Mix *mix, size_t program);
/* The calls that real programs make (MADE in mix.def), to compare a mix with; *n: how many. */
const MixRealCalls *mix_real_calls(uint32_t *n);

#endif
