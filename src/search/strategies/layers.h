/* Stacked pieces, batched: covering outputs with them, and finding two that determine every cell.
 *
 * A piece is a picture on a canvas of the output's size. `zero` has its transparent cells as bits, `wrong`
 * the cells where its color is not the right one. Laying a piece over others takes one of three ways: with
 * its opaque cells, its transparent ones, or all of them (LAYERS_WAYS). */
#ifndef BATT_SEARCH_STRATEGIES_LAYERS_H
#define BATT_SEARCH_STRATEGIES_LAYERS_H

#include "backends/devices/backend.h"

enum { LAYERS_MAX = 16, LAYERS_WAYS = 3 };

/* One attempt to cover the cells of `goal`: again and again the layer that is wrong on no open cell and
 * covers most of the goal's, of equals the first piece and way; open cells that it covers are open no more.
 */
typedef struct CoverRun {
    uint32_t limit;       /* pieces to choose from, the first ones */
    uint32_t first, last; /* words that the goal lies in */
    uint32_t max;         /* layers */
} CoverRun;

typedef enum CoverEnd { COVER_STUCK, COVER_DONE, COVER_MAX_LAYERS } CoverEnd;

typedef struct CoverResult {
    uint32_t layers;            /* chosen */
    uint32_t end;               /* CoverEnd: no layer helps, the goal is covered, or there are `max` layers */
    uint32_t layer[LAYERS_MAX]; /* piece << 2 | way, the first one on top; 0 beyond `layers` */
} CoverResult;

typedef struct LayersCover {
    BackendBlock *zero, *wrong; /* by piece, `words` words each */
    uint32_t words, count;      /* count: of runs */
    void *args;                 /* layers_cover_bytes: filled by layers_cover_set */
    CoverResult *results;       /* by run */
} LayersCover;

size_t layers_cover_bytes(uint32_t words, uint32_t count);
/* Sets one run; `open` and `goal` point to its sets, which are the caller's to fill. */
void layers_cover_set(const LayersCover *cover, uint32_t run, const CoverRun *what, uint64_t **open,
                      uint64_t **goal);
/* As rules_ask. `room`: `words` words, for the processor. */
bool layers_cover(Backend *backend, Ctx *ctx, const LayersCover *cover, uint64_t *room, uint64_t *waited);
void layers_cover_job(const LayersCover *cover, uint64_t *room, BackendJob *job); /* the job alone */

/* Pairs of pieces x <= y, for y in first..last-1, such that a table of at most `rows` rows from their two
 * colors (0..9) gives the right color for every cell, and knows what to do at every cell that is to be
 * predicted. */
typedef struct Tables {
    /* by piece: `stride` colors, first those of known cells, then of those to be predicted */
    BackendBlock *cells;
    /* the right colors of the known ones, padded to TABLES_WORD bytes, then by piece the couples */
    BackendBlock *target;
    uint32_t pieces, stride, known, first, last, rows;
    uint32_t *hits; /* by y - first: a bit for each x, in layers_table_words(pieces) words */
} Tables;

enum { TABLES_COUPLES = 256, TABLES_WORD = 8 };
/* For some couples of cells whose right colors differ, a bit that says that they look the same in a piece:
 * two pieces with such a bit in common cannot do it, which rules out nearly all. */
typedef uint64_t TablesBlind[TABLES_COUPLES / 64];

size_t layers_table_words(uint32_t pieces);
size_t layers_target_bytes(uint32_t known, uint32_t pieces);
/* Fills `target`, layers_target_bytes() of it, from the right colors and the pieces' cells. */
void layers_target_fill(void *target, const int8_t *right, uint32_t known, const int8_t *cells,
                        uint32_t stride, uint32_t pieces);
bool layers_tables(Backend *backend, Ctx *ctx, const Tables *tables, uint64_t *waited);
void layers_tables_job(const Tables *tables, BackendJob *job);

typedef struct ColorTable {
    int8_t map[10][10]; /* -1: not met */
    uint32_t rows;
} ColorTable;
/* The table of one pair of pieces; false: there is none. */
bool layers_table_of(const Tables *tables, uint32_t x, uint32_t y, ColorTable *table);

#endif
