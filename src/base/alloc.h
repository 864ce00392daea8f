/* The only access to the heap.
 *
 * Everything outside an arena is allocated here, so that bytes are counted and a test can make the n-th
 * allocation fail. Evaluation never allocates here. The counters are atomics shared by all threads: they are
 * the only process-wide state, because the heap itself is process-wide. */
#ifndef BATT_BASE_ALLOC_H
#define BATT_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text for error messages. */
#define MEM_NONE "out of memory"

void *mem_alloc(size_t bytes);               /* NULL on failure; never aborts */
void *mem_zalloc(size_t count, size_t size); /* zeroed, product checked for overflow */
void *mem_array(size_t count, size_t size);  /* not zeroed, product checked */
/* realloc to count * size; old stays valid on failure */
void *mem_grow(void *old, size_t count, size_t size);
/* Makes room for one more item after the first `count` of an array by doubling it, starting with `first`
 * items. Updates `array` and `room` (a uint32_t or a size_t). False: out of memory, and both are
 * unchanged. */
#define MEM_ROOM(array, count, room, first) \
    ((count) < (room) || mem_double(&(array), &(room), sizeof(room), first, sizeof *(array)))
bool mem_double(void *array, void *room, size_t room_size, size_t first, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
void mem_free(void *block);
/* Asks for large pages, where the system has them, for a large block with scattered accesses. */
void mem_prefer_large_pages(void *block, size_t bytes);
/* The opposite, for a large block of which mostly little is used: a large page is cleared as a whole. */
void mem_prefer_small_pages(void *block, size_t bytes);

uint64_t mem_calls(void);       /* allocations since the start; tests prove that evaluation adds none */
uint64_t mem_bytes(void);       /* bytes in use */
void mem_fail_at(uint64_t nth); /* 0: never; n: the n-th allocation from now on fails, once */

#endif
