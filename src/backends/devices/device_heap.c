/* Places in a device's memory; see device_heap.h. */
#include "backends/devices/device_heap.h"

#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

bool device_heap_open(DeviceHeap *a, uint64_t bytes) {
    *a = (DeviceHeap){0};
    if (!MEM_ROOM(a->spans, a->count, a->room, 64)) {
        return false;
    }
    a->spans[a->count++] = (DeviceHeapSpan){0, bytes / DEVICE_HEAP_ALIGN * DEVICE_HEAP_ALIGN, false};
    return true;
}

void device_heap_close(DeviceHeap *a) {
    mem_free(a->spans);
    *a = (DeviceHeap){0};
}

uint64_t device_heap_alloc(DeviceHeap *a, uint64_t bytes) {
    bytes = (bytes + DEVICE_HEAP_ALIGN - 1) / DEVICE_HEAP_ALIGN * DEVICE_HEAP_ALIGN;
    bytes = bytes > 0 ? bytes : DEVICE_HEAP_ALIGN;
    size_t k = 0;
    while (k < a->count && (a->spans[k].used || a->spans[k].bytes < bytes)) {
        k++;
    }
    if (k == a->count || !MEM_ROOM(a->spans, a->count, a->room, 64)) {
        return DEVICE_HEAP_NONE;
    }
    DeviceHeapSpan *span = &a->spans[k];
    if (span->bytes > bytes) { /* the rest stays free */
        memmove(span + 1, span, (a->count - k) * sizeof *span);
        a->count++;
        span[1].at += bytes;
        span[1].bytes -= bytes;
        span->bytes = bytes;
    }
    span->used = true;
    a->used += bytes;
    a->peak = a->used > a->peak ? a->used : a->peak;
    return span->at;
}

void device_heap_free(DeviceHeap *a, uint64_t at) {
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
