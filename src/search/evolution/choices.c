/* Lists of primitives, one per question; see choices.h. */
#include "search/evolution/choices.h"

#include "base/alloc.h"
#include "base/mix.h"

#include <string.h>

bool choices_open(PrimChoices *c) {
    c->items = mem_array(CHOICE_ROOM, sizeof *c->items);
    c->map = (HashMap){0};
    c->count = 0;
    return map_reserve(&c->map, CHOICE_LISTS, 2 * CHOICE_LISTS) && c->items != NULL;
}

void choices_close(PrimChoices *c) {
    mem_free(c->items);
    map_free(&c->map);
    c->items = NULL;
}

void choices_forget(PrimChoices *c) {
    map_clear(&c->map);
    c->count = 0;
}

static uint64_t key_hash(const ChoiceKey *key) {
    uint64_t hash = 0;
    for (int k = 0; k < CHOICE_KEYS; k++) {
        hash = mix64(hash, key->word[k]);
    }
    return hash;
}

const ChoiceList *choices_find(const PrimChoices *c, const ChoiceKey *key) {
    uint64_t hash = key_hash(key);
    for (uint32_t at = map_start(&c->map, hash), k; (k = map_next(&c->map, hash, &at)) != MAP_NONE;) {
        if (memcmp(&c->lists[k].key, key, sizeof *key) == 0) {
            return &c->lists[k];
        }
    }
    return NULL;
}

void choices_begin(PrimChoices *c) {
    if (c->map.count == CHOICE_LISTS || c->count + PRIM_COUNT + 1 > CHOICE_ROOM) {
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
    ChoiceList *list = &c->lists[c->map.count];
    uint32_t end = ++c->count, first = end - 1;
    while (c->items[first].prim != PRIM_COUNT) {
        first--;
    }
    *list = (ChoiceList){*key, first + 1, end - first - 1};
    map_add(&c->map, key_hash(key), c->map.count);
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
