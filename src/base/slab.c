/* Chunked bump allocation; see slab.h. */
#include "base/slab.h"

#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

enum { FIRST_CHUNK = 1 << 15, LARGEST_CHUNK = 1 << 20 };
enum { SPARE = 16 }; /* the evaluator may read a word beyond a grid's last cell */

struct SlabChunk {
    SlabChunk *older;
    size_t bytes;
    uint64_t data[];
};

static uint8_t *add_chunk(Slab *slab, size_t wanted) {
    size_t bytes = slab->chunks ? slab->chunks->bytes * 2 : FIRST_CHUNK;
    if (bytes > LARGEST_CHUNK) {
        bytes = LARGEST_CHUNK;
    }
    if (bytes < wanted) {
        bytes = wanted;
    }
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    SlabChunk *chunk = mem_alloc(sizeof(SlabChunk) + bytes + SPARE);
    if (chunk == NULL) {
        return NULL;
    }
    chunk->older = slab->chunks;
    chunk->bytes = bytes;
    slab->chunks = chunk;
    slab->next = (uint8_t *)chunk->data;
    slab->end = slab->next + bytes;
    ASSERT(bytes >= wanted && ((uintptr_t)slab->next & 7) == 0, "a chunk of %zu bytes for %zu", bytes,
           wanted);
    return slab->next;
}

uint8_t *slab_reserve(Slab *slab, size_t bytes) {
    if (slab->next != NULL && (size_t)(slab->end - slab->next) >= bytes) {
        return slab->next;
    }
    return add_chunk(slab, bytes);
}

void slab_commit(Slab *slab, size_t bytes) {
    ASSERT(slab->next != NULL && bytes <= (size_t)(slab->end - slab->next), "%zu bytes were not reserved",
           bytes);
    slab->next += bytes;
}

void *slab_alloc(Slab *slab, size_t bytes) {
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    size_t skew = (size_t)(-(uintptr_t)slab->next & 7);
    if (slab_reserve(slab, bytes + skew) == NULL) {
        return NULL;
    }
    /* Computed again, not `skew`: the reserve may have taken a fresh chunk, which is aligned already. */
    slab->next += (size_t)(-(uintptr_t)slab->next & 7);
    ASSERT(bytes <= (size_t)(slab->end - slab->next), "%zu bytes of %zu", bytes,
           (size_t)(slab->end - slab->next));
    void *block = slab->next;
    slab->next += bytes;
    return block;
}

char *slab_text(Slab *slab, const char *text, size_t length) {
    char *copy = (char *)slab_reserve(slab, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        slab_commit(slab, length + 1);
    }
    return copy;
}

void slab_absorb(Slab *into, Slab *from) {
    ASSERT(into != from, "a slab cannot absorb itself");
    SlabChunk **tail = &from->chunks;
    while (*tail != NULL) {
        tail = &(*tail)->older;
    }
    if (from->chunks != NULL) {
        *tail = into->chunks;
        *into = *from;
    }
    *from = (Slab){0};
}

void slab_free(Slab *slab) {
    for (SlabChunk *chunk = slab->chunks; chunk != NULL;) {
        SlabChunk *older = chunk->older;
        mem_free(chunk);
        chunk = older;
    }
    *slab = (Slab){0};
}
