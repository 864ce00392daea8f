/* How a grid that a learner has made from the input becomes the output: it is the output; or each
 * pair of colors, one from the input and one from that grid, becomes a certain color; or the output
 * is the piece of the grid where the input has one color, or where the two differ.
 *
 * A learner passes its grids for the training inputs one by one, so that one that explains no
 * output is dropped after the first; what explains them all is offered as a program. */
#ifndef BATT_SEARCH_STRATEGIES_FORMS_H
#define BATT_SEARCH_STRATEGIES_FORMS_H

#include "search/schedule/search.h"

typedef struct FormSource {
    /* The grid for an input, in the search's arena, or a failed value. */
    Val (*make)(void *owner, Ctx *ctx, uint32_t sample);
    /* The same in the search's builder. */
    Ref (*build)(void *owner, Builder *builder, Ref input);
    void *owner;
    double cost;   /* bits of choosing it */
    int8_t mask;   /* a color of the input that hides what is there; -1: none */
    uint64_t from; /* training pairs it was made from, bits */
} FormSource;

/* Offers what explains all training outputs; true if something did. */
bool forms_try(Search *search, const FormSource *source);

#endif
