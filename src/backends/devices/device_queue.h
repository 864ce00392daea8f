/* A device queue: one device with its memory, its programs, and a thread that submits the jobs which wait for
 * it.
 *
 * Jobs of one operation that wait at the same time share a launch: their blocks lie in one buffer, and a
 * table says which work-groups are whose. */
#ifndef BATT_BACKENDS_DEVICES_DEVICE_QUEUE_H
#define BATT_BACKENDS_DEVICES_DEVICE_QUEUE_H

#include "backends/devices/backend.h"

typedef struct DeviceQueue DeviceQueue;

typedef enum DeviceQueueStage {
    STAGE_WAITING,
    STAGE_BUILDING,
    STAGE_MOVING,
    STAGE_RUNNING,
    STAGE_DONE
} DeviceQueueStage;

/* Told, in the thread of the job's owner, what the job has come to; for the profiler. */
typedef void (*DeviceQueueObserver)(void *user, DeviceQueueStage stage);

/* `index`: which of a block's places is this one's. NULL: `why`. */
DeviceQueue *device_queue_open(const Devices *devices, unsigned which, unsigned index, uint32_t lanes,
                               DeviceError *why);
void device_queue_close(DeviceQueue *queue); /* when no job is waiting */
/* Waits until the job is done, and fills its times. False: `why`. */
bool device_queue_run(DeviceQueue *queue, BackendJob *job, DeviceQueueObserver told, void *user,
                      DeviceError *why);
void device_queue_drop(DeviceQueue *queue, BackendBlock *block);
const DeviceInfo *device_queue_info(const DeviceQueue *queue);
DeviceCounters device_queue_counters(DeviceQueue *queue);

#endif
