/* Places in a device's memory; see arena.h. */
#include "backends/devices/arena.h"

#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

bool arena_open(Arena *a, uint64_t bytes) {
    *a = (Arena){0};
    if (!MEM_ROOM(a->spans, a->count, a->room, 64)) {
        return false;
    }
    a->spans[a->count++] = (ArenaSpan){0, bytes / ARENA_ALIGN * ARENA_ALIGN, false};
    return true;
}

void arena_close(Arena *a) {
    mem_free(a->spans);
    *a = (Arena){0};
}

uint64_t arena_take(Arena *a, uint64_t bytes) {
    bytes = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    bytes = bytes > 0 ? bytes : ARENA_ALIGN;
    size_t k = 0;
    while (k < a->count && (a->spans[k].used || a->spans[k].bytes < bytes)) {
        k++;
    }
    if (k == a->count || !MEM_ROOM(a->spans, a->count, a->room, 64)) {
        return ARENA_NONE;
    }
    ArenaSpan *span = &a->spans[k];
    if (span->bytes > bytes) { /* the rest stays free */
        memmove(span + 1, span, (a->count - k) * sizeof *span);
        a->count++;
        span[1].at += bytes;
        span[1].bytes -= bytes;
        span->bytes = bytes;
    }
    span->used = true;
    a->used += bytes;
    a->most = a->used > a->most ? a->used : a->most;
    return span->at;
}

void arena_give(Arena *a, uint64_t at) {
    size_t low = 0, high = a->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(a->spans[middle].at <= at ? &low : &high) = middle;
    }
    ASSERT(low < a->count && a->spans[low].at == at && a->spans[low].used, "nothing was taken at %llu",
           (unsigned long long)at);
    a->used -= a->spans[low].bytes;
    a->spans[low].used = false;
    size_t first = low > 0 && !a->spans[low - 1].used ? low - 1 : low;
    size_t last = low + 1 < a->count && !a->spans[low + 1].used ? low + 1 : low;
    for (size_t k = first + 1; k <= last; k++) {
        a->spans[first].bytes += a->spans[k].bytes;
    }
    memmove(&a->spans[first + 1], &a->spans[last + 1], (a->count - last - 1) * sizeof *a->spans);
    a->count -= last - first;
}
