/* Heap allocation with counting and fault injection; see alloc.h. */
#include "base/alloc.h"

#include "base/check.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic uint64_t calls, bytes_in_use, fail_countdown;

static bool must_fail(void) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0) {
        return false;
    }
    return atomic_fetch_sub_explicit(&fail_countdown, 1, memory_order_relaxed) == 1;
}

static void *account(void *block) {
    if (block != NULL) {
        atomic_fetch_add_explicit(&bytes_in_use, malloc_usable_size(block), memory_order_relaxed);
    }
    return block;
}

static void unaccount(size_t size) {
    atomic_fetch_sub_explicit(&bytes_in_use, size, memory_order_relaxed);
}

void *mem_alloc(size_t bytes) {
    return must_fail() ? NULL : account(malloc(bytes ? bytes : 1));
}

void *mem_array(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : mem_alloc(bytes);
}

void *mem_zalloc(size_t count, size_t size) {
    return must_fail() ? NULL : account(calloc(count ? count : 1, size ? size : 1));
}

void *mem_grow(void *old, size_t count, size_t size) {
    size_t bytes;
    if (must_fail() || __builtin_mul_overflow(count, size, &bytes)) {
        return NULL;
    }
    size_t before = old ? malloc_usable_size(old) : 0;
    void *block = realloc(old, bytes ? bytes : 1);
    if (block != NULL) {
        unaccount(before);
        account(block);
    }
    return block;
}

char *mem_strndup(const char *text, size_t length) {
    char *copy = mem_alloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

bool mem_double(void *array, void *room, size_t room_size, size_t first, size_t size) {
    /* Copied with memcpy because the items may be of any type and the room a number of either width. */
    void *items;
    uint32_t narrow = 0;
    size_t wide = 0;
    memcpy(&items, array, sizeof items);
    memcpy(room_size == sizeof narrow ? (void *)&narrow : (void *)&wide, room, room_size);
    size_t before = room_size == sizeof narrow ? narrow : wide, larger = before != 0 ? 2 * before : first;
    ASSERT(room_size == sizeof narrow || room_size == sizeof wide, "a room of %zu bytes", room_size);
    if (larger <= before || (room_size == sizeof narrow && larger > UINT32_MAX)) {
        return false;
    }
    items = mem_grow(items, larger, size);
    if (items == NULL) {
        return false;
    }
    narrow = (uint32_t)larger;
    memcpy(array, &items, sizeof items);
    memcpy(room, room_size == sizeof narrow ? (void *)&narrow : (void *)&larger, room_size);
    return true;
}

char *mem_strdup(const char *text) {
    return mem_strndup(text, strlen(text));
}

void mem_free(void *block) {
    if (block != NULL) {
        unaccount(malloc_usable_size(block));
        free(block);
    }
}

uint64_t mem_calls(void) {
    return atomic_load_explicit(&calls, memory_order_relaxed);
}

uint64_t mem_bytes(void) {
    return atomic_load_explicit(&bytes_in_use, memory_order_relaxed);
}

void mem_fail_at(uint64_t nth) {
    atomic_store_explicit(&fail_countdown, nth, memory_order_relaxed);
}

static void advise(void *block, size_t bytes, int advice) {
    enum { PAGE = 4096 };
    uintptr_t first = ((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t last = ((uintptr_t)block + bytes) & ~(uintptr_t)(PAGE - 1);
    if (first < last) {
        madvise((void *)first, last - first, advice); /* if this fails, the other size of pages will do */
    }
}

void mem_prefer_large_pages(void *block, size_t bytes) {
    advise(block, bytes, MADV_HUGEPAGE);
}

void mem_prefer_small_pages(void *block, size_t bytes) {
    advise(block, bytes, MADV_NOHUGEPAGE);
}
