/* Learns rules per cell, over grids that have the outputs' sizes, as a whole or within a frame. */
#ifndef BATT_SEARCH_LEARNING_CELL_RULES_H
#define BATT_SEARCH_LEARNING_CELL_RULES_H

#include "search/schedule/search.h"

typedef struct CellsFrame { /* a rectangle of a grid */
    uint32_t top, left, h, w;
} CellsFrame;

typedef struct CellsSource {
    const Val *vals; /* a grid for each input */
    /* what becomes the output, and on the training pairs has its size; NULL: all of the grid */
    const CellsFrame *frames;
    double cost;         /* bits that describe the grids */
    uint32_t tall, wide; /* outputs are this many times as large, by rules of cell_grow; 0: they are not */
    /* `begin` starts a program in the search's builder and returns its source grid; false: no
     * memory. `end` (may be NULL) cuts the frame out of the grid that the rule made. */
    bool (*begin)(void *owner, Ref *source);
    Ref (*end)(void *owner, Ref ruled);
    void *owner;
} CellsSource;

/* The `begin` of sources whose grids are the inputs; the owner is the Search. */
bool cells_begin_input(void *owner, Ref *source);

/* What is known about a source grid, kept between time slices. It lives in the search's arena, and
 * the owner must outlive it. */
typedef struct Cells Cells;
Cells *cells_open(Search *search, const CellsSource *source); /* NULL: no memory */
/* Offers the simplest rules that turn the source grids into the outputs; `effort` as in Search. */
void cells_search(Cells *cells, unsigned effort);
void cells_close(Cells *cells);
bool cells_grow(const Cells *cells); /* whether outputs are larger by factors */

/* Opens, searches once and closes. */
void cells_try(Search *search, const CellsSource *source, unsigned effort);

#endif
