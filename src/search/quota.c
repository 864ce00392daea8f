/* Counting the heap of a search; see quota.h. */
#include "search/quota.h"

#include "core/alloc.h"

#include <stdalign.h>

/* Before each block its size, as far apart as any alignment wants. */
typedef struct Head {
    alignas(max_align_t) size_t bytes;
} Head;

static Head *head_of(void *block) {
    return block != NULL ? (Head *)block - 1 : NULL;
}

void *heap_grow(Heap *heap, void *old, size_t count, size_t size) {
    size_t bytes;
    Head *head = head_of(old);
    if (__builtin_mul_overflow(count, size, &bytes) || __builtin_add_overflow(bytes, sizeof *head, &bytes) ||
        !heap_take(heap, bytes)) {
        return NULL;
    }
    size_t before = head != NULL ? head->bytes : 0;
    Head *grown = mem_grow(head, bytes, 1);
    heap_drop(heap, grown != NULL ? before : bytes);
    if (grown == NULL) {
        return NULL;
    }
    grown->bytes = bytes;
    return grown + 1;
}

void heap_free(Heap *heap, void *block) {
    Head *head = head_of(block);
    if (head != NULL) {
        heap_drop(heap, head->bytes);
        mem_free(head);
    }
}

bool heap_take(Heap *heap, size_t bytes) {
    if (heap->most != 0 && heap->used + bytes > heap->most) {
        return false;
    }
    heap->used += bytes;
    return true;
}

void heap_drop(Heap *heap, size_t bytes) {
    heap->used -= bytes;
}
