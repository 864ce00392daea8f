/* What the files of accel.h share. */
#ifndef BATT_ACCEL_ACCEL_INSIDE_H
#define BATT_ACCEL_ACCEL_INSIDE_H

#include "backends/devices/station.h"

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

typedef enum Looking { NOT_LOOKED, LOOK_BEGUN, LOOKED } Looking;

struct Accel {
    AccelMode mode;
    uint32_t lanes;
    Devices *devices;
    AccelStation stations[ACCEL_MOST_DEVICES];
    unsigned count; /* of them; written once, after they are there: stations_of */
    /* Looking for devices under ACCEL_AUTO, by a thread that a worker starts when it is time. */
    Looking looking;        /* changes under the lock */
    uint64_t look_after_ns; /* of processor time */
    uint64_t ask_ns;        /* when to ask for that again, by the clock */
    bool in_thread;
    pthread_t finder;
    pthread_mutex_t look_lock;
    pthread_cond_t looked;
    char note[300]; /* why there is no device; written before LOOKED */
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
    int seats; /* free ones; below 0: so many wait for one. Only those who wait, or wake, take the lock */
    pthread_mutex_t seat_lock;
    pthread_cond_t seat_free;
    unsigned seats_given; /* to those who wait */
};

static inline unsigned stations_of(const Accel *accel) {
    return __atomic_load_n(&accel->count, __ATOMIC_ACQUIRE);
}

/* Called now and then by those who work: starts looking when it is time. Reads a clock, which takes no call
 * of the system; those are made a few times in all. */
void accel_watch_time(Accel *accel);
/* Waits while somebody looks. */
void accel_settle(Accel *accel);

/* Writes the job and both results to a file, and what became of that to `text`. */
void accel_keep_difference(Accel *accel, const AccelJob *job, const char *device, const void *other,
                           char *text, size_t room);

#endif
