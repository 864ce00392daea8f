/* Which primitives fit a place, by weight: lists that are made on first use.
 *
 * Growing asks the same few questions over and over ("what gives a grid", "what maps an object to a
 * number"). The answer depends on types alone, so it is found once, by trying every primitive, and
 * drawing from it then takes one random number. Lists are dropped when room runs out or types are
 * renumbered; nothing that is drawn depends on that. */
#ifndef BATT_SEARCH_EVOLUTION_CHOICES_H
#define BATT_SEARCH_EVOLUTION_CHOICES_H

#include "base/hash_map.h"
#include "search/evolution/vocab.h"

enum { CHOICE_KEYS = 4, CHOICE_LISTS = 2048, CHOICE_ROOM = 1 << 17 };

typedef struct ChoiceKey {
    uint32_t word[CHOICE_KEYS]; /* [0]: the question */
} ChoiceKey;

typedef struct WeightedPrim {
    uint16_t prim;
    uint16_t upto; /* sum of the weights up to and including this one */
} WeightedPrim;

typedef struct ChoiceList {
    ChoiceKey key;
    uint32_t first, count; /* in Choices.items */
} ChoiceList;

typedef struct PrimChoices {
    ChoiceList lists[CHOICE_LISTS];
    HashMap map; /* lists, by the hashes of their keys; its count is theirs */
    WeightedPrim *items;
    uint32_t count;
} PrimChoices;

bool choices_open(PrimChoices *choices); /* false: no memory */
void choices_close(PrimChoices *choices);
void choices_forget(PrimChoices *choices);

/* NULL: the list must be made, between choices_begin and choices_end. */
const ChoiceList *choices_find(const PrimChoices *choices, const ChoiceKey *key);
void choices_begin(PrimChoices *choices);
void choices_add(PrimChoices *choices, uint32_t prim, unsigned weight);
const ChoiceList *choices_end(PrimChoices *choices, const ChoiceKey *key);

/* PRIM_COUNT: the list is empty. */
uint32_t choices_draw(const PrimChoices *choices, const ChoiceList *list, Rng *rng);

#endif
