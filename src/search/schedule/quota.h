/* Quota: the memory that a search uses outside its arena, counted and bounded.
 *
 * Values live in the arena, which has a size; tables, bit sets and candidates live on the heap. A Quota
 * counts the bytes of one search and refuses what exceeds the bound, so that no search grows forever. It
 * counts what is asked for, not what malloc makes of it, so that the same search is always refused the
 * same thing. One thread owns a Quota. */
#ifndef BATT_SEARCH_SCHEDULE_QUOTA_H
#define BATT_SEARCH_SCHEDULE_QUOTA_H

#include "base/hash_map.h"

#include <stddef.h>

typedef struct Quota {
    uint64_t used, max; /* bytes; max 0: no bound */
} Quota;

/* Like mem_grow and mem_free. While a block grows, the old one may still exist, so there must be room for
 * both. */
void *quota_grow(Quota *quota, void *old, size_t count, size_t size);
void quota_free(Quota *quota, void *block);
/* Like map_reserve for one more item, and map_free. */
bool quota_map_reserve(Quota *quota, HashMap *map);
void quota_map_free(Quota *quota, HashMap *map);

/* For memory that others allocate for a search: if there is room, it is counted until it is dropped. */
bool quota_take(Quota *quota, size_t bytes);
void quota_drop(Quota *quota, size_t bytes);

#endif
