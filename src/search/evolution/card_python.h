/* The card as the Python pipeline reads it: a module `batt` of guarded steps (engine/language/module.h),
 * and the module that lists the call of each step, t_call = {1: 'identity, p_g', ..}. */
#ifndef BATT_SEARCH_EVOLUTION_CARD_PYTHON_H
#define BATT_SEARCH_EVOLUTION_CARD_PYTHON_H

#include "search/evolution/card.h"

typedef struct CardPython {
    uint32_t programs, steps, scores;
    uint32_t left_out; /* programs that call what the pipeline does not have */
    uint32_t arcdsl;   /* programs over I alone: they run as the dialect does, with its form of cells */
    int missing;       /* the first primitive that it does not have; -1: none */
} CardPython;

/* Picks and mutates as card_write does, merges equal calls, and appends both texts. Values that have no name
 * are made by calls. Each differ is run on every answer, and once on the wanted output itself. False: no
 * memory. */
bool card_write_python(Out *module, Out *calls, const CardOptions *options, const Program *const *programs,
                       size_t n_programs, CardPython *figures);

#endif
