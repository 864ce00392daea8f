/* Picks the programs of a card and mutates about half of them: the step of making a card that runs
 * on several threads. */
#ifndef BATT_SEARCH_EVOLUTION_CARD_PICK_H
#define BATT_SEARCH_EVOLUTION_CARD_PICK_H

#include "search/evolution/card.h"

typedef struct CardEntry { /* a picked program */
    const Program *origin;
    Program *child;       /* what mutation made of it; NULL: nothing */
    const char *mutation; /* NULL: not mutated */
    bool no_memory;
    int handle;    /* in the battery of its form, and the rest: set by card.c */
    unsigned form; /* CARD_OVER_GRIDS.. */
    uint32_t next; /* next entry with the same output */
} CardEntry;

enum { CARD_OVER_GRIDS, CARD_OVER_SAMPLES, CARD_DIFFERS, CARD_FORMS };

/* Picks `count` of the programs, in their order, and mutates some at random. Entry k has a random
 * stream of its own, so that the entries do not depend on which thread made them. Returns NULL: no
 * memory; else card_drop frees them. */
CardEntry *card_pick(const CardOptions *options, const Program *const *programs, size_t n_programs,
                     uint32_t count);
void card_drop(CardEntry *entries, uint32_t count);

#endif
