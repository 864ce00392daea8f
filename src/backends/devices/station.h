/* A station: one device with its memory, its programs, and a thread that submits the jobs which wait for it.
 *
 * Jobs of one operation that wait at the same time share a launch: their blocks lie in one buffer, and a
 * table says which work-groups are whose. */
#ifndef BATT_ACCEL_STATION_H
#define BATT_ACCEL_STATION_H

#include "backends/devices/accel.h"

typedef struct Station Station;

typedef enum StationStage {
    STAGE_WAITING,
    STAGE_BUILDING,
    STAGE_MOVING,
    STAGE_RUNNING,
    STAGE_DONE
} StationStage;

/* Told, in the thread of the job's owner, what the job has come to; for the profiler. */
typedef void (*StationTold)(void *user, StationStage stage);

/* `index`: which of a block's places is this one's. NULL: `why`. */
Station *station_open(const Devices *devices, unsigned which, unsigned index, uint32_t lanes,
                      DeviceError *why);
void station_close(Station *station); /* when no job is waiting */
/* Waits until the job is done, and fills its times. False: `why`. */
bool station_do(Station *station, AccelJob *job, StationTold told, void *user, DeviceError *why);
void station_drop(Station *station, AccelBlock *block);
const DeviceInfo *station_info(const Station *station);
DeviceCounters station_counters(Station *station);

#endif
