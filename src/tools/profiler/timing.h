/* Benchmarks of the engine: what one call of each primitive costs on recorded calls, and what evaluation
 * costs as a whole. The machine is shared and noisy, so a figure is the smallest of several rounds: noise
 * only ever adds. */
#ifndef BATT_TOOLS_PROFILER_TIMING_H
#define BATT_TOOLS_PROFILER_TIMING_H

#include "base/stop.h"
#include "engine/primitives/prim.h"

typedef struct BenchPrim {
    uint32_t prim;
    uint32_t lines;      /* succeeding lines of its file: what was timed */
    double ns;           /* per call: mean over the lines */
    double reference_ns; /* the reference's figure over the same lines; 0: not known */
} BenchPrim;

typedef struct BenchPrims {
    const char *vectors;      /* folder of NAME.tsv files; reference_times.tsv may be there */
    bool dialect;             /* the names that exist only in the dialect, below vectors/dialect */
    unsigned rounds;          /* a figure is the smallest of them */
    double slice_ns;          /* how long one line is called repeatedly in one round */
    const char *const *names; /* only these; NULL: all */
    size_t n_names;
    const Stop *stop; /* as in engine/eval/pool.h; may be NULL */
} BenchPrims;

/* Fills rows[PRIM_COUNT] in the order of the table; returns how many, or -1: out of memory.
 * Primitives without a file are left out. */
int bench_prims(const BenchPrims *options, BenchPrim *rows);

/* exp(mean(log(reference / ours))) over rows of a family (FAMILY_COUNT: all); 0 if none has a reference. */
double bench_speedup(const BenchPrim *rows, size_t n, Family family, size_t *counted);

typedef struct BenchEngine {
    double typical_ns; /* a program of 15 lines on a 12x12 grid */
    double objects_ns; /* objects on 30x30 cells of noise in ten colors */
    double failed_ns;  /* a program whose only call fails */
    double empty_ns;   /* a program whose only call gives its argument back: evaluation itself */
    bool typical_fails;
    uint64_t allocations; /* heap allocations in a hundred evaluations */
} BenchEngine;
bool bench_engine(BenchEngine *to, unsigned rounds, double slice_ns); /* false: no memory */

#endif
