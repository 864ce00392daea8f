/* Lists of primitives, one per question; see choices.h. */
#include "search/evolution/choices.h"

#include "base/alloc.h"

#include <string.h>

bool choices_open(PrimChoices *c) {
    c->items = mem_array(CHOICE_ROOM, sizeof *c->items);
    choices_forget(c);
    return c->items != NULL;
}

void choices_close(PrimChoices *c) {
    mem_free(c->items);
    c->items = NULL;
}

void choices_forget(PrimChoices *c) {
    memset(c->lists, 0, sizeof c->lists);
    c->used = c->count = 0;
}

static uint32_t place_of(const PrimChoices *c, const ChoiceKey *key) {
    uint64_t h = 0;
    for (int k = 0; k < CHOICE_KEYS; k++) {
        h = (h ^ key->word[k]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    uint32_t at = (uint32_t)(h >> 32) % CHOICE_LISTS;
    while (c->lists[at].used && memcmp(&c->lists[at].key, key, sizeof *key) != 0) {
        at = (at + 1) % CHOICE_LISTS;
    }
    return at;
}

const ChoiceList *choices_find(const PrimChoices *c, const ChoiceKey *key) {
    const ChoiceList *list = &c->lists[place_of(c, key)];
    return list->used ? list : NULL;
}

void choices_begin(PrimChoices *c) {
    if (c->used >= CHOICE_LISTS / 2 || c->count + PRIM_COUNT + 1 > CHOICE_ROOM) {
        choices_forget(c);
    }
    c->items[c->count] = (WeightedPrim){PRIM_COUNT, 0}; /* a sentinel: cumulative weights start here */
}

void choices_add(PrimChoices *c, uint32_t prim, unsigned weight) {
    if (weight > 0) {
        uint16_t before = c->items[c->count].upto;
        c->items[++c->count] = (WeightedPrim){(uint16_t)prim, (uint16_t)(before + weight)};
    }
}

const ChoiceList *choices_end(PrimChoices *c, const ChoiceKey *key) {
    ChoiceList *list = &c->lists[place_of(c, key)];
    uint32_t end = ++c->count, first = end - 1;
    while (c->items[first].prim != PRIM_COUNT) {
        first--;
    }
    *list = (ChoiceList){*key, first + 1, end - first - 1, true};
    c->used++;
    return list;
}

uint32_t choices_draw(const PrimChoices *c, const ChoiceList *list, Rng *rng) {
    if (list->count == 0) {
        return PRIM_COUNT;
    }
    const WeightedPrim *items = c->items + list->first;
    uint32_t dice = rng_below(rng, items[list->count - 1].upto), lo = 0, hi = list->count - 1;
    while (lo < hi) { /* the first whose cumulative weight exceeds the draw */
        uint32_t mid = (lo + hi) / 2;
        if (items[mid].upto > dice) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return items[lo].prim;
}
