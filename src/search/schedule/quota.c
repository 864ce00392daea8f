/* Counting the heap of a search; see quota.h. */
#include "search/schedule/quota.h"

#include "base/alloc.h"
#include "base/check.h"

#include <stdalign.h>
#include <string.h>

/* Precedes each block: its size, padded for any alignment. */
typedef struct Head {
    alignas(max_align_t) size_t bytes;
} Head;

static Head *head_of(void *block) {
    return block != NULL ? (Head *)block - 1 : NULL;
}

void *quota_grow(Quota *quota, void *old, size_t count, size_t size) {
    size_t bytes;
    Head *head = head_of(old);
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, sizeof *head, &bytes) ||
        !quota_take(quota, bytes)) {
        return NULL;
    }
    size_t before = head != NULL ? head->bytes : 0;
    Head *grown = mem_grow(head, bytes, 1);
    quota_drop(quota, grown != NULL ? before : bytes);
    if (grown == NULL) {
        return NULL;
    }
    grown->bytes = bytes;
    return grown + 1;
}

void quota_free(Quota *quota, void *block) {
    Head *head = head_of(block);
    if (head != NULL) {
        quota_drop(quota, head->bytes);
        mem_free(head);
    }
}

bool quota_map_reserve(Quota *quota, HashMap *map) {
    enum { FIRST = 8192 };
    if (!map_is_full(map)) {
        return true;
    }
    uint32_t size = map->size ? map->size * 2 : FIRST;
    uint64_t *slots = quota_grow(quota, NULL, size, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    memset(slots, 0, size * sizeof *slots);
    quota_free(quota, map_move(map, slots, size));
    return true;
}

void quota_map_free(Quota *quota, HashMap *map) {
    quota_free(quota, map->slots);
    *map = (HashMap){0};
}

bool quota_take(Quota *quota, size_t bytes) {
    if (quota->max != 0 && quota->used + bytes > quota->max) {
        return false;
    }
    quota->used += bytes;
    ASSERT(quota->max == 0 || quota->used <= quota->max, "%llu bytes of %llu",
           (unsigned long long)quota->used, (unsigned long long)quota->max);
    return true;
}

void quota_drop(Quota *quota, size_t bytes) {
    ASSERT(bytes <= quota->used, "%zu bytes given back of %llu", bytes, (unsigned long long)quota->used);
    quota->used -= bytes;
}
