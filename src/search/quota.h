/* What a search notes outside its region: counted, and bounded.
 *
 * Values live in the region, which has a size; tables, bit sets and candidates live on the heap. A Quota
 * counts the bytes of one search and refuses what goes beyond, so that a task that could go on for ever stops
 * growing instead. What is asked for is counted, not what malloc makes of it: the same search is refused the
 * same thing. One thread owns a Quota. */
#ifndef BATT_SEARCH_QUOTA_H
#define BATT_SEARCH_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Quota {
    uint64_t used, most; /* bytes; most 0: no bound */
} Quota;

/* As mem_grow and mem_free. While a block grows the old one may still be there: both must have room. */
void *quota_grow(Quota *quota, void *old, size_t count, size_t size);
void quota_free(Quota *quota, void *block);

/* What others allocate for a search: is there room for it? Then it is counted until it is dropped. */
bool quota_take(Quota *quota, size_t bytes);
void quota_drop(Quota *quota, size_t bytes);

#endif
