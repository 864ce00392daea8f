/* The one hash table: open addressing with linear probing, from hashes to the numbers of items.
 *
 * The items and their keys belong to the caller, which hashes them and compares keys where hashes are
 * equal; no result depends on the order of the slots. A slot holds the upper half of the hash beside the
 * number, so that most other items are skipped without being read and a table grows without asking for
 * hashes again. Single items are never removed. The size is a power of two, and at most half of it is
 * used. */
#ifndef BATT_BASE_HASH_MAP_H
#define BATT_BASE_HASH_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { MAP_NONE = 0xffffffffu };

typedef struct HashMap {
    uint64_t *slots; /* number + 1 in the lower half; 0: free */
    uint32_t size, count;
} HashMap;

/* Room for `more` items, on the heap; a new table has at least `first` slots. False: no memory, and the table
 * is as it was. */
bool map_reserve(HashMap *map, uint32_t more, uint32_t first);
void map_free(HashMap *map); /* one on the heap */
/* Takes over a larger block of cleared slots, from wherever the caller has it; the old one is returned. */
uint64_t *map_move(HashMap *map, uint64_t *slots, uint32_t size);
void map_clear(HashMap *map);

static inline bool map_is_full(const HashMap *map) { /* no room for one more */
    return map->count >= map->size / 2;
}

/* For a hash of 32 bits. */
static inline uint64_t map_hash32(uint32_t hash) {
    return (uint64_t)hash << 32;
}

/* A walk over the items that may have this hash, for which the table must have slots:
 *     for (uint32_t at = map_start(m, hash), k; (k = map_next(m, hash, &at)) != MAP_NONE;) ...
 * When it is over, slot `at` is free for map_put. */
static inline uint32_t map_start(const HashMap *map, uint64_t hash) {
    return (uint32_t)(hash >> 32) & (map->size - 1);
}

static inline uint32_t map_next(const HashMap *map, uint64_t hash, uint32_t *at) {
    for (;;) {
        uint64_t slot = map->slots[*at];
        if (slot == 0) {
            return MAP_NONE;
        }
        *at = (*at + 1) & (map->size - 1);
        if (slot >> 32 == hash >> 32) {
            return (uint32_t)slot - 1;
        }
    }
}

static inline void map_put(HashMap *map, uint64_t hash, uint32_t at, uint32_t number) {
    map->slots[at] = (hash >> 32 << 32) | (number + 1);
    map->count++;
}

/* Puts an item that is known to be new. */
static inline void map_add(HashMap *map, uint64_t hash, uint32_t number) {
    uint32_t at = map_start(map, hash);
    while (map->slots[at] != 0) {
        at = (at + 1) & (map->size - 1);
    }
    map_put(map, hash, at, number);
}

#endif
