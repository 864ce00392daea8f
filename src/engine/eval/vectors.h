/* Reference vectors: recorded calls and their results.
 *
 * A vector file has lines EXPRESSION<TAB>VALUE or PROGRAM<TAB>GRID<TAB>VALUE; `!` as VALUE means failed.
 * Files below a folder named `dialect` run in batt mode with safe defaults, others in core mode. Values are
 * compared, not text. */
#ifndef BATT_ENGINE_EVAL_VECTORS_H
#define BATT_ENGINE_EVAL_VECTORS_H

#include "engine/language/parse.h"
#include "engine/primitives/prim.h"

typedef struct VectorOptions {
    int mode;  /* Mode, or -1: by the folder */
    bool safe; /* safe defaults also outside `dialect` */
    Budget budget;
    /* Called for each line with a wrong result. wanted and got are text; if the line is malformed, got is the
     * reason. */
    void (*mismatch)(void *user, const char *path, uint32_t line, const char *expression, const char *wanted,
                     const char *got, bool malformed);
    /* Called after each file. */
    void (*file)(void *user, const char *path, uint64_t passed, uint64_t failed, Mode mode, bool safe);
    void *user;
} VectorOptions;

typedef struct VectorCounts {
    uint64_t files, passed, failed, malformed; /* malformed lines count as failed too */
} VectorCounts;

typedef struct Vectors Vectors;
Vectors *vectors_open(const VectorOptions *options); /* NULL: out of memory */
void vectors_close(Vectors *vectors);
/* Runs a file, or all .tsv files below a folder. False: `why` says what cannot be read. */
bool vectors_run(Vectors *vectors, const char *path, char *why, size_t why_size);
/* Runs the lines of a file that is already in memory. */
void vectors_run_text(Vectors *vectors, const Source *source, Mode mode, bool safe);
VectorCounts vectors_counts(const Vectors *vectors);

#endif
