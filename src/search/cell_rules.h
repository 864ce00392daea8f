/* Rules per cell over any grid that has the outputs' sizes, or a part of one that has. */
#ifndef BATT_SEARCH_CELL_RULES_H
#define BATT_SEARCH_CELL_RULES_H

#include "search/search.h"

typedef struct CellsFrame { /* of a grid */
    uint32_t top, left, h, w;
} CellsFrame;

typedef struct CellsBase {
    const Val *vals; /* a grid for each input */
    const CellsFrame
        *frames; /* what becomes the output, of its size on the training pairs; NULL: all of it */
    double cost; /* bits that describe them */
    /* Begins a program in the search's builder and gives the base in it; false: no memory. Then cuts the
     * frame out of the grid that the rule made. */
    bool (*begin)(void *owner, Ref *base);
    Ref (*end)(void *owner, Ref ruled);
    void *owner;
} CellsBase;

/* What is known about a base, from look to look: it lives in the search's region and its owner must stay. */
typedef struct Cells Cells;
Cells *cells_open(Search *search, const CellsBase *base); /* NULL: no memory */
/* Offers the rules that turn the base into the outputs, the simplest; `effort` as in Search. */
void cells_look(Cells *cells, unsigned effort);
void cells_close(Cells *cells);

/* All of that at once. */
void cells_try(Search *search, const CellsBase *base, unsigned effort);

#endif
