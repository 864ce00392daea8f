/* What a search notes outside its region: counted, and bounded.
 *
 * Values live in the region, which has a size; tables, bit sets and candidates live on the heap. A Heap
 * counts the bytes of one search and refuses what goes beyond, so that a task that could go on for ever stops
 * growing instead. What is asked for is counted, not what malloc makes of it: the same search is refused the
 * same thing. One thread owns a Heap. */
#ifndef BATT_SEARCH_QUOTA_H
#define BATT_SEARCH_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Heap {
    uint64_t used, most; /* bytes; most 0: no bound */
} Heap;

/* As mem_grow and mem_free. While a block grows the old one may still be there: both must have room. */
void *heap_grow(Heap *heap, void *old, size_t count, size_t size);
void heap_free(Heap *heap, void *block);

/* What others allocate for a search: is there room for it? Then it is counted until it is dropped. */
bool heap_take(Heap *heap, size_t bytes);
void heap_drop(Heap *heap, size_t bytes);

#endif
