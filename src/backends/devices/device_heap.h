/* First-fit allocation of ranges in one large buffer of a device; they may be freed in any order. This
 * is only the bookkeeping, on the host; kernels find everything by its offset in that buffer, so that
 * one launch can reach the data of several jobs. */
#ifndef BATT_BACKENDS_DEVICES_DEVICE_HEAP_H
#define BATT_BACKENDS_DEVICES_DEVICE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_HEAP_ALIGN = 64 };
#define DEVICE_HEAP_NONE UINT64_MAX

typedef struct DeviceHeapSpan { /* spans touch each other, and no two free ones do */
    uint64_t at, bytes;
    bool used;
} DeviceHeapSpan;

typedef struct DeviceHeap {
    DeviceHeapSpan *spans;
    size_t count, room;
    uint64_t used, peak;
} DeviceHeap;

bool device_heap_open(DeviceHeap *heap, uint64_t bytes); /* false: no memory */
void device_heap_close(DeviceHeap *heap);
/* A multiple of DEVICE_HEAP_ALIGN; DEVICE_HEAP_NONE: no room, or no memory on the host. */
uint64_t device_heap_alloc(DeviceHeap *heap, uint64_t bytes);
void device_heap_free(DeviceHeap *heap, uint64_t at);

#endif
