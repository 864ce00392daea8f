/* Picking the programs of a card, and mutating about half of them: the part of a card that several threads
 * share. */
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

/* Gives `count` of the programs, in their order, each mutated by chance: entry k by a stream of its own, so
 * that the entries do not depend on who made them. Returns NULL: no memory; else card_drop frees them. */
CardEntry *card_pick(const CardOptions *options, const Program *const *programs, size_t n_programs,
                     uint32_t count);
void card_drop(CardEntry *entries, uint32_t count);

#endif
