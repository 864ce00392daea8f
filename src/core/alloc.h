/* The one door to the heap.
 *
 * Everything that is not in an arena is allocated here, so that bytes are counted, a limit holds, and a test
 * can ask for the n-th allocation to fail. Evaluation never comes here. The counters are atomics shared by all
 * threads: they are the single piece of process-wide state, because the heap itself is process-wide. */
#ifndef BATT_CORE_ALLOC_H
#define BATT_CORE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *mem_alloc(size_t bytes);                          /* NULL on failure; never aborts */
void *mem_zalloc(size_t count, size_t size);            /* zeroed, product checked for overflow */
void *mem_array(size_t count, size_t size);             /* not zeroed, product checked */
void *mem_grow(void *old, size_t count, size_t size);   /* realloc to count * size; old stays valid on failure */
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
void mem_free(void *block);
/* A large block that will be looked up all over: in large pages, where the system has them. */
void mem_prefer_large_pages(void *block, size_t bytes);

uint64_t mem_calls(void);             /* allocations since start: tests prove that evaluation adds none */
uint64_t mem_bytes(void);             /* bytes in use */
void mem_fail_at(uint64_t nth);       /* 0: never; n: the n-th allocation from now on fails, once */

#endif
