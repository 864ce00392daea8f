/* What becomes of a grid that a learner has made from the input: it is the output as it is; or each pair of
 * colors, of the input and of that grid, has a color of its own in the output; or the output is what the
 * grid shows where the input has one color, or where the two differ.
 *
 * A learner hands over its grid for the training inputs one by one, so that what explains no output is given
 * up after the first; what explains them all is offered as a program. */
#ifndef BATT_SEARCH_FORMS_H
#define BATT_SEARCH_FORMS_H

#include "search/search.h"

typedef struct FormBase {
    /* The grid for an input, in the search's region, or a failed value. */
    Val (*make)(void *owner, Ctx *ctx, uint32_t sample);
    /* The same in the search's builder. */
    Ref (*build)(void *owner, Builder *builder, Ref input);
    void *owner;
    double cost;   /* bits of choosing it */
    int8_t mask;   /* a color the grid has no use for in the input; -1: none */
    uint64_t from; /* training pairs it was made from, bits */
} FormBase;

/* Offers what explains all training outputs; true if something did. */
bool forms_try(Search *search, const FormBase *base);

#endif
