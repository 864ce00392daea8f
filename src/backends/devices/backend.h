/* Batched operations, on the CPU or on a device.
 *
 * An operation (backend_ops.def) takes a job: a few blocks of bytes that stay on a device once they are
 * there, some bytes of its own, and gives bytes. The CPU implementation always exists and is the reference;
 * a device must give the same bytes. backend_run returns the result of a job, wherever it was computed:
 *
 *     Backend *backend = backend_open(&choice, &why);       NULL: a device was asked for and is not available
 *     backend_open_pool(backend, &pool, jobs, &budget)      workers, and spare ones for while others wait
 *     backend_run(backend, ctx, &job)                       in any thread; backend NULL: the CPU
 *     backend_drop_block(backend, &block)                   when its bytes change or go
 *     backend_report(backend, &report); backend_close(backend);
 *
 * Under BACKEND_OPENCL a device does all jobs; under BACKEND_AUTO the side that is faster for the operation
 * and the size of the job. Either way the first jobs of each size are done on both sides and compared byte
 * by byte; a difference is an error, and the job is kept in a file. Nothing falls back silently: under
 * BACKEND_AUTO a job that failed on a device is repeated on the CPU, with a line on standard error and a
 * count in the report; under BACKEND_OPENCL backend_run returns false, for this job and all later ones, and
 * sets the caller's `stop`.
 *
 * Querying OpenCL takes about 40 ms, and longer with GPU drivers. So under BACKEND_AUTO discovery waits
 * until a run has used so much CPU time that this does not matter (discover_after_s); a run that ends
 * earlier reports that no device was looked for.
 *
 * Each device has a thread that submits jobs; those of one operation that wait at the same time share a
 * launch. A worker that waits lends its CPU slot (engine/eval/slots.h) to another one. */
#ifndef BATT_BACKENDS_DEVICES_BACKEND_H
#define BATT_BACKENDS_DEVICES_BACKEND_H

#include "backends/devices/device.h"
#include "backends/devices/kernels.h"
#include "base/stop.h"
#include "engine/eval/pool.h"
#include "engine/value/ctx.h"

typedef enum BackendMode { BACKEND_CPU, BACKEND_AUTO, BACKEND_OPENCL } BackendMode;
enum { BACKEND_MAX_DEVICES = 8, BACKEND_MAX_BLOCKS = 4, BACKEND_NUMBERS = 10, BACKEND_MAX_KERNELS = 3 };

/* Listing devices costs less than a hundredth of this, where there are only processors. */
enum { BACKEND_DISCOVER_AFTER_S = 10 };

typedef struct BackendChoice {
    BackendMode mode;
    double discover_after_s;                    /* BACKEND_AUTO: of processor time; 0: at once */
    unsigned which[BACKEND_MAX_DEVICES], count; /* BACKEND_OPENCL: the devices */
    uint32_t lanes; /* work-items of a work-group; 0: what suits the device. For tests: any gives the same */
    /* Hears of what goes wrong, a line at a time, from any thread; may be NULL. */
    void (*say)(void *user, const char *line);
    void *user;
} BackendChoice;

/* "cpu", "auto", "auto:2.5" (seconds), "opencl", "opencl:1", "opencl:0,1". False: `why`. */
bool backend_parse_choice(const char *text, BackendChoice *choice, char *why, size_t room);

typedef struct Backend Backend;
typedef struct BackendJob BackendJob;

typedef enum BackendOpId {
#define BACKEND_OP(id, name, text) BACKEND_##id,
#include "backends/devices/backend_ops.def"
#undef BACKEND_OP
    BACKEND_OPS,
    BACKEND_JOB_OPS = BACKEND_BATTERY /* those before it are done as jobs; batteries by levels.h */
} BackendOpId;

extern const char *const backend_op_names[BACKEND_OPS], *const backend_op_texts[BACKEND_OPS];

typedef struct BackendOp {
    BackendOpId id;
    KernelSource source; /* of the kernels, after KERNEL_COMMON */
    const char *kernels[BACKEND_MAX_KERNELS];
    unsigned n_kernels;                                        /* stages take them in turn */
    uint32_t lanes;                                            /* of a work-group on a GPU */
    void (*cpu)(const BackendJob *job);                        /* writes job->result, all of it */
    unsigned (*stages)(const BackendJob *job);                 /* NULL: one for each kernel */
    uint32_t (*groups)(const BackendJob *job, unsigned stage); /* work-groups of a stage */
} BackendOp;

/* Bytes that stay on a device from their first use until they are dropped. Zero but for the first two. */
typedef struct BackendBlock {
    const void *bytes;
    size_t size;
    uint64_t at[BACKEND_MAX_DEVICES]; /* by device: its place there + 1, 0: not there */
} BackendBlock;

typedef struct BackendTimes { /* nanoseconds; of a launch that several jobs share, each has its part */
    uint64_t wait, build, transfer, kernel, cpu;
} BackendTimes;

struct BackendJob {
    const BackendOp *op;
    BackendBlock *blocks[BACKEND_MAX_BLOCKS];
    const void *args;
    size_t arg_bytes;
    void *result;
    size_t result_bytes, scratch_bytes; /* scratch: memory that only a device needs */
    void *room;                         /* memory that only the processor needs */
    uint32_t numbers[BACKEND_NUMBERS];
    uint64_t work;      /* which distinguishes sizes, in units of the operation */
    uint64_t items;     /* that are counted in reports */
    BackendTimes times; /* filled by backend_run */
};

/* Opens what was chosen; NULL: `why`. The memory of devices and their programs are made when they are first
 * needed. */
Backend *backend_open(const BackendChoice *choice, DeviceError *why);
/* Looks for devices now, if nobody has yet, and waits until it is settled which there are: for those who
 * measure, and want the same from beginning to end. */
void backend_discover(Backend *backend);
void backend_set_stop(Backend *backend,
                      Stop *stop); /* raised when a device fails for good under BACKEND_OPENCL */
void backend_close(Backend *backend);

/* False: a device failed under BACKEND_OPENCL, or there is no memory; backend_failure says what. `ctx` is the
 * worker's, for the profiler; may be NULL. */
bool backend_run(Backend *backend, Ctx *ctx, BackendJob *job);
/* Adds what the job's owner waited; `waited` may be NULL. */
static inline void backend_add_waited(const BackendJob *job, uint64_t *waited) {
    if (waited != NULL) {
        *waited += job->times.wait + job->times.build + job->times.transfer + job->times.kernel;
    }
}
void backend_drop_block(Backend *backend, BackendBlock *block);
bool backend_uses_device(const Backend *backend);    /* there is a device that may be given jobs */
bool backend_may_use_device(const Backend *backend); /* there is, or may be one later */
const char *backend_failure(const Backend *backend); /* NULL: nothing went wrong for good */
/* How much of a job to hand over at a time, of `left` items that cost `each` units of work: little for the
 * processor, which is asked to stop now and then, more for a device. */
uint32_t backend_chunk_size(const Backend *backend, uint64_t each, uint32_t left);

/* With a device there are more workers than CPU slots, so that the others go on while some wait. Opens a pool
 * with a slot for each of `jobs` (0: one per processor) and spare workers; false: no memory. */
bool backend_open_pool(Backend *backend, Pool *pool, unsigned jobs, const Budget *budget);

/* ---- what was done ---- */

typedef struct BackendFallback {
    DeviceFault fault;
    uint64_t count;
} BackendFallback;

typedef struct BackendOpReport {
    uint64_t batches, items;         /* on devices */
    uint64_t cpu_batches, cpu_items; /* on the processor, while there was a device */
    uint64_t device_ns, cpu_ns;
    uint32_t sizes, faster; /* of batches that were compared; of these, on how many a device was faster */
} BackendOpReport;

typedef struct BackendDeviceReport {
    const char *name; /* until the backend is closed */
    uint64_t batches; /* of jobs */
    uint64_t calls;   /* of batteries */
    uint64_t wait_ns; /* of jobs for others */
    DeviceCounters counters;
} BackendDeviceReport;

/* Of batteries (levels.h): who made the calls of their nodes. */
typedef struct BackendShare {
    uint64_t device_calls, host_calls; /* of a node for a sample each */
    uint64_t left;                     /* calls that devices left to the host */
    uint64_t samples;
    uint32_t nodes, device_nodes, rounds; /* of the last chunk */
} BackendShare;

typedef struct BackendReport {
    BackendMode mode;
    char name[400]; /* of the devices; "cpu" */
    char note[300]; /* why there is none, under BACKEND_AUTO; else empty */
    unsigned devices;
    BackendDeviceReport each[BACKEND_MAX_DEVICES]; /* of them */
    uint64_t batches, items, launches, checked, differences;
    BackendTimes times;      /* summed over jobs on devices */
    DeviceCounters counters; /* summed over devices */
    BackendFallback fallbacks[DEVICE_FAULTS];
    unsigned n_fallbacks;
    BackendOpReport ops[BACKEND_OPS];
    BackendShare share;
    char reason[200]; /* why the processor made all calls of a battery, or of the rest of it, or under
                       * BACKEND_AUTO why it did not; else empty */
} BackendReport;
void backend_report(Backend *backend, BackendReport *report); /* backend may be NULL */

/* Why a battery, or the rest of it, is not given to a device: for the report. backend may be NULL. */
void backend_set_reason(Backend *backend, const char *reason);

/* ---- for measuring and tests ---- */

/* The job on a device, without comparing; the queue is an index of the devices that were opened. */
bool backend_run_on(Backend *backend, unsigned queue, BackendJob *job, DeviceError *why);
unsigned backend_queue_count(const Backend *backend);
const DeviceInfo *backend_queue_info(const Backend *backend, unsigned queue);

#endif
