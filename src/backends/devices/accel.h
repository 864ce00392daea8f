/* Bulk operations, on the processor or on a device.
 *
 * An operation (accel_ops.def) takes a job: a few blocks of bytes that stay on a device once they are there,
 * some bytes of its own, and gives bytes. The processor's way of doing it is always there and is the
 * reference; a device's must give the same bytes. Who has a job calls accel_run and gets the result, wherever
 * it was made:
 *
 *     Accel *accel = accel_open(&choice, &why);        NULL: a device was asked for and cannot be had
 *     accel_pool(accel, &pool, jobs, &budget)          workers, with some that take over while others wait
 *     accel_run(accel, ctx, &job)                      in any thread; accel may be NULL: the processor
 *     accel_drop(accel, &block)                        when its bytes change or go
 *     accel_report(accel, &report); accel_close(accel);
 *
 * Under ACCEL_OPENCL a device does all jobs; under ACCEL_AUTO the side that is faster for the operation and
 * the size of the job. Either way the first jobs of each size are done on both sides and compared byte by
 * byte; a difference is an error, and the job is kept in a file. Nothing falls back silently: under
 * ACCEL_AUTO what went wrong on a device is done again by the processor, with a line on standard error and a
 * count in the report; under ACCEL_OPENCL it is over: accel_run returns false, now and for all later jobs,
 * and the caller's `stop` is raised.
 *
 * Finding out what OpenCL offers takes some 40 ms, and longer with real drivers. So under ACCEL_AUTO nobody
 * looks until a run has taken so much processor time that this does not matter (look_after_s): a run that is
 * over before is told that no device was looked for.
 *
 * Each device has a thread that submits jobs; those of one operation that wait at the same time share a
 * launch. A worker that waits lends its seat (accel_sit) to another one. */
#ifndef BATT_ACCEL_ACCEL_H
#define BATT_ACCEL_ACCEL_H

#include "backends/devices/device.h"
#include "backends/devices/kernels.h"
#include "base/stop.h"
#include "engine/eval/pool.h"
#include "engine/value/ctx.h"

typedef enum AccelMode { ACCEL_CPU, ACCEL_AUTO, ACCEL_OPENCL } AccelMode;
enum { ACCEL_MOST_DEVICES = 8, ACCEL_MOST_BLOCKS = 4, ACCEL_NUMBERS = 10, ACCEL_MOST_KERNELS = 3 };

/* Listing devices costs less than a hundredth of this, where there are only processors. */
enum { ACCEL_LOOK_AFTER_S = 10 };

typedef struct AccelChoice {
    AccelMode mode;
    double look_after_s;                       /* ACCEL_AUTO: of processor time; 0: at once */
    unsigned which[ACCEL_MOST_DEVICES], count; /* ACCEL_OPENCL: the devices */
    uint32_t lanes; /* work-items of a work-group; 0: what suits the device. For tests: any gives the same */
    /* Hears of what goes wrong, a line at a time, from any thread; may be NULL. */
    void (*say)(void *user, const char *line);
    void *user;
} AccelChoice;

/* "cpu", "auto", "auto:2.5" (seconds), "opencl", "opencl:1", "opencl:0,1". False: `why`. */
bool accel_read(const char *text, AccelChoice *choice, char *why, size_t room);

typedef struct Accel Accel;
typedef struct AccelJob AccelJob;

typedef enum AccelOpId {
#define ACCEL_OP(id, name, text) ACCEL_##id,
#include "backends/devices/accel_ops.def"
#undef ACCEL_OP
    ACCEL_OPS
} AccelOpId;

extern const char *const accel_op_names[ACCEL_OPS], *const accel_op_texts[ACCEL_OPS];

typedef struct AccelOp {
    AccelOpId id;
    KernelSource source; /* of the kernels, after KERNEL_COMMON */
    const char *kernels[ACCEL_MOST_KERNELS];
    unsigned n_kernels;                                      /* stages take them in turn */
    uint32_t lanes;                                          /* of a work-group on a GPU */
    void (*cpu)(const AccelJob *job);                        /* writes job->result, all of it */
    unsigned (*stages)(const AccelJob *job);                 /* NULL: one for each kernel */
    uint32_t (*groups)(const AccelJob *job, unsigned stage); /* work-groups of a stage */
} AccelOp;

/* Bytes that stay on a device from their first use until they are dropped. Zero but for the first two. */
typedef struct AccelBlock {
    const void *bytes;
    size_t size;
    uint64_t at[ACCEL_MOST_DEVICES]; /* by device: its place there + 1, 0: not there */
} AccelBlock;

typedef struct AccelTimes { /* nanoseconds; of a launch that several jobs share, each has its part */
    uint64_t wait, build, transfer, kernel, cpu;
} AccelTimes;

struct AccelJob {
    const AccelOp *op;
    AccelBlock *blocks[ACCEL_MOST_BLOCKS];
    const void *args;
    size_t arg_bytes;
    void *result;
    size_t result_bytes, scratch_bytes; /* scratch: memory that only a device needs */
    void *room;                         /* memory that only the processor needs */
    uint32_t numbers[ACCEL_NUMBERS];
    uint64_t work;    /* by which sizes are told apart, in units of the operation */
    uint64_t items;   /* that are counted in reports */
    AccelTimes times; /* filled by accel_run */
};

/* Opens what was chosen; NULL: `why`. The memory of devices and their programs are made when they are first
 * needed. */
Accel *accel_open(const AccelChoice *choice, DeviceError *why);
/* Looks for devices now, if nobody has yet, and waits until it is settled which there are: for those who
 * measure, and want the same from beginning to end. */
void accel_look(Accel *accel);
void accel_stop_by(Accel *accel, Stop *stop); /* raised when a device fails for good under ACCEL_OPENCL */
void accel_close(Accel *accel);

/* False: a device failed under ACCEL_OPENCL, or there is no memory; accel_failed says what. `ctx` is the
 * worker's, for the profiler; may be NULL. */
bool accel_run(Accel *accel, Ctx *ctx, AccelJob *job);
/* Adds what the job's owner waited; `waited` may be NULL. */
static inline void accel_add_waited(const AccelJob *job, uint64_t *waited) {
    if (waited != NULL) {
        *waited += job->times.wait + job->times.build + job->times.transfer + job->times.kernel;
    }
}
void accel_drop(Accel *accel, AccelBlock *block);
bool accel_uses_device(const Accel *accel);   /* there is a device that may be given jobs */
bool accel_may_yet(const Accel *accel);       /* there is, or may be one later */
const char *accel_failed(const Accel *accel); /* NULL: nothing went wrong for good */
/* How much of a job to hand over at a time, of `left` items that cost `each` units of work: little for the
 * processor, which is asked to stop now and then, more for a device. */
uint32_t accel_portion(const Accel *accel, uint64_t each, uint32_t left);

/* Seats: with a device there are more workers than seats, so that the others go on while some wait. Opens a
 * pool with a seat for each of `jobs` (0: one per processor) and guests beyond them; false: no memory. */
bool accel_pool(Accel *accel, Pool *pool, unsigned jobs, const Budget *budget);
void accel_seats(Accel *accel, unsigned seats); /* without guests */
void accel_sit(Accel *accel);
void accel_rise(Accel *accel);

/* ---- what was done ---- */

typedef struct AccelFallback {
    DeviceFault fault;
    uint64_t count;
} AccelFallback;

typedef struct AccelOpReport {
    uint64_t batches, items;         /* on devices */
    uint64_t cpu_batches, cpu_items; /* on the processor, while there was a device */
    uint64_t device_ns, cpu_ns;
} AccelOpReport;

typedef struct AccelReport {
    AccelMode mode;
    char name[400]; /* of the devices; "cpu" */
    char note[300]; /* why there is none, under ACCEL_AUTO; else empty */
    unsigned devices;
    uint64_t batches, items, launches, checked, differences;
    AccelTimes times;        /* summed over jobs on devices */
    DeviceCounters counters; /* summed over devices */
    AccelFallback fallbacks[DEVICE_FAULTS];
    unsigned n_fallbacks;
    AccelOpReport ops[ACCEL_OPS];
} AccelReport;
void accel_report(Accel *accel, AccelReport *report); /* accel may be NULL */

/* ---- for measuring and tests ---- */

/* The job on a device, without comparing; the station is an index of the devices that were opened. */
bool accel_run_on(Accel *accel, unsigned station, AccelJob *job, DeviceError *why);
unsigned accel_stations(const Accel *accel);
const DeviceInfo *accel_station_info(const Accel *accel, unsigned station);

#endif
