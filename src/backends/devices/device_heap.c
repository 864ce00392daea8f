/* Allocates ranges of a device's memory; see device_heap.h. */
#include "backends/devices/device_heap.h"

#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

bool device_heap_open(DeviceHeap *heap, uint64_t bytes) {
    *heap = (DeviceHeap){0};
    if (!MEM_ROOM(heap->spans, heap->count, heap->room, 64)) {
        return false;
    }
    heap->spans[heap->count++] = (DeviceHeapSpan){0, bytes / DEVICE_HEAP_ALIGN * DEVICE_HEAP_ALIGN, false};
    return true;
}

void device_heap_close(DeviceHeap *heap) {
    mem_free(heap->spans);
    *heap = (DeviceHeap){0};
}

uint64_t device_heap_alloc(DeviceHeap *heap, uint64_t bytes) {
    bytes = (bytes + DEVICE_HEAP_ALIGN - 1) / DEVICE_HEAP_ALIGN * DEVICE_HEAP_ALIGN;
    bytes = bytes > 0 ? bytes : DEVICE_HEAP_ALIGN;
    size_t k = 0;
    while (k < heap->count && (heap->spans[k].used || heap->spans[k].bytes < bytes)) {
        k++;
    }
    if (k == heap->count || !MEM_ROOM(heap->spans, heap->count, heap->room, 64)) {
        return DEVICE_HEAP_NONE;
    }
    DeviceHeapSpan *span = &heap->spans[k];
    if (span->bytes > bytes) { /* the rest stays free */
        memmove(span + 1, span, (heap->count - k) * sizeof *span);
        heap->count++;
        span[1].at += bytes;
        span[1].bytes -= bytes;
        span->bytes = bytes;
    }
    span->used = true;
    heap->used += bytes;
    heap->peak = heap->used > heap->peak ? heap->used : heap->peak;
    return span->at;
}

void device_heap_free(DeviceHeap *heap, uint64_t at) {
    size_t low = 0, high = heap->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(heap->spans[middle].at <= at ? &low : &high) = middle;
    }
    ASSERT(low < heap->count && heap->spans[low].at == at && heap->spans[low].used,
           "nothing was taken at %llu", (unsigned long long)at);
    heap->used -= heap->spans[low].bytes;
    heap->spans[low].used = false;
    size_t first = low > 0 && !heap->spans[low - 1].used ? low - 1 : low;
    size_t last = low + 1 < heap->count && !heap->spans[low + 1].used ? low + 1 : low;
    for (size_t k = first + 1; k <= last; k++) {
        heap->spans[first].bytes += heap->spans[k].bytes;
    }
    memmove(&heap->spans[first + 1], &heap->spans[last + 1], (heap->count - last - 1) * sizeof *heap->spans);
    heap->count -= last - first;
}
