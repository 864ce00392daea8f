/* What the files of accel.h share. */
#ifndef BATT_ACCEL_ACCEL_INSIDE_H
#define BATT_ACCEL_ACCEL_INSIDE_H

#include "accel/station.h"

#include <pthread.h>

typedef struct AccelStation { /* a device, and what is known about it; under the lock */
    Station *station;
    bool dead;
    bool barred[ACCEL_OPS]; /* its kernels do not build */
    unsigned faults;
    uint64_t given;            /* work that it has and is not done with */
    double unit_ns[ACCEL_OPS]; /* what a unit of work takes; 0: not known */
} AccelStation;

typedef struct SizeClass {    /* jobs of an operation whose work has the same number of binary digits */
    unsigned begun, done;     /* comparisons */
    double cpu_ns, device_ns; /* for a unit of work, the least of them */
} SizeClass;

struct Accel {
    AccelMode mode;
    uint32_t lanes;
    Devices *devices;
    AccelStation stations[ACCEL_MOST_DEVICES];
    unsigned count; /* constant once accel_ready has returned */
    char note[300];
    pthread_t finder; /* under ACCEL_AUTO, until accel_ready */
    bool finding;
    void (*say)(void *user, const char *line);
    void *user;
    Stop *stop;
    pthread_mutex_t lock; /* of all up to `failed` */
    SizeClass classes[ACCEL_OPS][64];
    AccelOpReport ops[ACCEL_OPS];
    AccelTimes times;
    uint64_t faults[DEVICE_FAULTS], checked, differences;
    bool failed;
    char failure[1200]; /* written once, before `failed` */
    pthread_mutex_t seat_lock;
    pthread_cond_t seat_free;
    unsigned seats;
};

/* Writes the job and both results to a file, and what became of that to `text`. */
void accel_keep_difference(Accel *accel, const AccelJob *job, const char *device, const void *other,
                           char *text, size_t room);

#endif
