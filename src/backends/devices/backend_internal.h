/* Shared by the files that implement backend.h. */
#ifndef BATT_BACKENDS_DEVICES_BACKEND_INTERNAL_H
#define BATT_BACKENDS_DEVICES_BACKEND_INTERNAL_H

#include "backends/devices/device_queue.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct BackendQueue { /* a device, and what is known about it; under the lock */
    DeviceQueue *queue;
    unsigned which; /* in the list of devices */
    bool dead;
    bool barred[BACKEND_OPS]; /* its kernels do not build */
    unsigned faults;
    uint64_t given;              /* work that it has and is not done with */
    double unit_ns[BACKEND_OPS]; /* what a unit of work takes; 0: not known */
    BackendDeviceReport report;  /* its counters are those that its queue does not have */
} BackendQueue;

typedef struct SizeClass {    /* jobs of an operation whose work has the same number of binary digits */
    unsigned begun, done;     /* comparisons */
    double cpu_ns, device_ns; /* for a unit of work, the least of them */
} SizeClass;

typedef enum Discovery { DISCOVERY_PENDING, DISCOVERY_RUNNING, DISCOVERY_DONE } Discovery;

struct Backend {
    BackendMode mode;
    uint32_t lanes;
    Devices *devices;
    BackendQueue queues[BACKEND_MAX_DEVICES];
    atomic_uint count; /* of them; written once, after they are there: queue_count */
    /* Looking for devices under BACKEND_AUTO, by a thread that a worker starts when it is time. */
    _Atomic Discovery discovery; /* changes under the lock */
    uint64_t discover_after_ns;  /* of processor time */
    _Atomic uint64_t ask_ns;     /* when to ask for that again, by the clock */
    bool in_thread;
    pthread_t finder;
    pthread_mutex_t discovery_lock;
    pthread_cond_t discovered;
    char note[300]; /* why there is no device; written before DISCOVERY_DONE */
    void (*say)(void *user, const char *line);
    void *user;
    Stop *stop;
    pthread_mutex_t lock; /* of all up to `failed` */
    SizeClass classes[BACKEND_OPS][64];
    BackendOpReport ops[BACKEND_OPS];
    BackendTimes times;
    BackendShare share;
    char reason[200];
    uint64_t faults[DEVICE_FAULTS], checked, differences;
    atomic_bool failed;
    char failure[1200]; /* written once, before `failed` */
    Slots slots;        /* of the pool that was opened with it */
};

static inline unsigned queue_count(const Backend *backend) {
    return atomic_load_explicit(&backend->count, memory_order_acquire);
}

/* Called now and then by those who work: starts looking when it is time. Reads a clock, which takes no call
 * of the system; those are made a few times in all. */
void backend_watch_time(Backend *backend);
/* Waits while somebody looks. */
void backend_wait_discovery(Backend *backend);

/* Notes a fault of a device; true: the processor may do what it did not. */
bool backend_note_fault(Backend *backend, unsigned queue, BackendOpId op, const DeviceError *why);
/* What is done without jobs (levels.c): a comparison, a chunk of samples, what a device did. */
void backend_note_checked(Backend *backend, bool same);
void backend_note_levels(Backend *backend, const BackendShare *share, uint64_t ns);
void backend_note_device(Backend *backend, unsigned queue, uint64_t calls, const DeviceCounters *counters);

/* Writes the job and both results to a file, and what became of that to `text`. */
void backend_save_mismatch(Backend *backend, const BackendJob *job, const char *device, const void *other,
                           char *text, size_t room);

#endif
