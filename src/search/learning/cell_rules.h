/* Learning rules per cell, over grids of which the whole, or a frame, has the outputs' sizes. */
#ifndef BATT_SEARCH_LEARNING_CELL_RULES_H
#define BATT_SEARCH_LEARNING_CELL_RULES_H

#include "search/schedule/search.h"

typedef struct CellsFrame { /* a rectangle of a grid */
    uint32_t top, left, h, w;
} CellsFrame;

enum { CELLS_ORDERS = 9 }; /* of cell_sweep */

typedef struct CellsSource {
    const Val *vals; /* a grid for each input */
    /* what becomes the output, and on the training pairs has its size; NULL: all of the grid */
    const CellsFrame *frames;
    double cost; /* bits that describe the grids */
    double max;  /* programs that cost more bits are not offered. 0: no limit */
    bool sweeps; /* rules of cell_sweep in this order, only those that see what is already done */
    unsigned order;
    uint32_t tall, wide; /* outputs are this many times as large, by rules of cell_grow; 0: they are not */
    /* `begin` begins a program in the search's builder and gives the grid in it; false: no memory. `end` (may
     * be NULL) cuts the frame out of the grid that the rule made. */
    bool (*begin)(void *owner, Ref *source);
    Ref (*end)(void *owner, Ref ruled);
    void *owner;
} CellsSource;

/* What is known about the grids, kept from slice to slice. It lives in the search's arena, and the owner must
 * outlive it. */
typedef struct Cells Cells;
Cells *cells_open(Search *search, const CellsSource *source); /* NULL: no memory */
/* Offers the simplest rules that turn the grids into the outputs; `effort` as in Search. */
void cells_search(Cells *cells, unsigned effort);
void cells_close(Cells *cells);
bool cells_grow(const Cells *cells); /* whether outputs are larger by factors */

/* Opens, searches once and closes. */
void cells_try(Search *search, const CellsSource *source, unsigned effort);

#endif
