/* Cuttings: grids cut out of the inputs, one for each: the input itself, or the one object that
 * meets a condition, as it is or shrunk; or a sum of its blocks. How cuttings relate to the outputs
 * is up to the callers.
 *
 * Of two cuttings that are equal on all inputs only the cheaper is kept. */
#ifndef BATT_SEARCH_STRATEGIES_CUTTINGS_H
#define BATT_SEARCH_STRATEGIES_CUTTINGS_H

#include "engine/patterns/mosaic.h"
#include "search/strategies/objects_internal.h"

enum { CUTTINGS_MAX = 512, CUTTINGS_WHOLE = -1 };

/* As it is, or by stamp_trim. */
typedef enum CuttingShrink {
    SHRINK_NOT,
    SHRINK_CONTENT,
    SHRINK_MERGED,
    SHRINK_BLOCKS,
    SHRINK_COUNT
} CuttingShrink;

/* Summed up block by block: into so many rows and columns of blocks, or into blocks of so many rows and
 * columns. */
typedef struct CuttingSum {
    int8_t how; /* MosaicSum; -1: not summed up */
    bool fraction;
    int16_t h, w;
} CuttingSum;

typedef struct Cutting {
    Val *vals;            /* one for each input */
    int16_t segmentation; /* SceneSegmentation, or CUTTINGS_WHOLE for the input */
    int8_t background;
    uint8_t cut, shrink; /* SceneCut, CuttingShrink */
    bool picked;         /* by the condition; else there is only one object */
    SceneCondition condition;
    CuttingSum sum; /* of the whole input only */
    double cost;    /* bits */
    uint64_t hash;
} Cutting;

typedef struct Cuttings {
    Cutting *items; /* CUTTINGS_MAX */
    uint32_t count;
    int next; /* how far the ways have been tried */
} Cuttings;

/* Whether a cutting with grids of these sizes is of use. */
typedef bool (*CuttingsWant)(const SearchTask *task, const Val *vals);

/* False: no memory. */
bool cuttings_open(Search *search, Cuttings *cuttings);
/* Adds the cuttings that `want` accepts until all ways have been tried or the time slice is over;
 * the next call resumes there. True: all ways have been tried. */
bool cuttings_find(Search *search, Cuttings *cuttings, CuttingsWant want);
/* The calls that make it, in the search's builder. */
Ref cuttings_ref(Search *search, const Cutting *cutting);
void cuttings_close(Search *search, Cuttings *cuttings);

#endif
