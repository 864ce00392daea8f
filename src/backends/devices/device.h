/* Devices: finding, opening, memory, programs, launches; with counts and times of all of it.
 *
 * What a kind of device can do is a table of functions, DeviceDriver, as transport.h is for messages. There
 * is one, OpenCL (backends/opencl/), loaded when devices are asked for; all else knows the table only. This
 * layer knows nothing of batt's operations: its callers (backend.h for batched operations, net_device.h for
 * nets) bring the sources of their kernels. Calls return when the device is done, so the times they count are
 * complete; only one thread at a time may use a Device. Every call that can fail says why in a DeviceError,
 * and nothing here falls back to anything. */
#ifndef BATT_BACKENDS_DEVICES_DEVICE_H
#define BATT_BACKENDS_DEVICES_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum DeviceFault {
    DEVICE_FINE,
    DEVICE_MISSING,  /* no library, no driver, no such device, or one that cannot run our kernels */
    DEVICE_MEMORY,   /* an allocation failed */
    DEVICE_BUILD,    /* the driver's compiler refused a program */
    DEVICE_LAUNCH,   /* a kernel could not be started, or did not end well */
    DEVICE_TRANSFER, /* bytes did not go up or down */
    DEVICE_LOST,     /* the device is gone: nothing more can be done with it */
    DEVICE_WRONG,    /* its result is not that of the CPU; set by those who compare */
    DEVICE_FAULTS
} DeviceFault;
extern const char *const device_fault_names[DEVICE_FAULTS]; /* "fine", "missing", "memory", .. */

typedef struct DeviceError {
    DeviceFault fault;
    int32_t code; /* of OpenCL, or 0 */
    char text[600];
} DeviceError;

typedef struct DeviceInfo {
    char name[128], platform[128], version[96], driver[64];
    bool cpu; /* the processor itself behind OpenCL, as PoCL's is: for tests, and no faster than it */
    bool gpu;
    bool usable; /* there, with a compiler, and of our byte order */
    uint32_t units, mhz;
    uint64_t memory, max_alloc, local_memory;
    size_t max_work_group; /* work-items of a work-group */
} DeviceInfo;

typedef struct DeviceCounters {
    uint64_t builds, build_ns;
    uint64_t launches, kernel_ns;
    uint64_t writes, write_bytes, reads, read_bytes, transfer_ns;
    uint64_t held, held_peak; /* bytes in buffers, now and at most */
} DeviceCounters;

typedef struct DeviceDriver DeviceDriver;

/* What these point to begins with this; the rest is the driver's. */
typedef struct Devices {
    const DeviceDriver *driver;
    unsigned count;
    DeviceInfo infos[32];
    DeviceError broken; /* of the last driver of the system that does not list its devices; empty: none */
} Devices;

typedef struct Device {
    const DeviceDriver *driver;
    const DeviceInfo *info;
    DeviceCounters counters;
} Device;

typedef struct DeviceBuffer {
    size_t bytes;
} DeviceBuffer;

typedef struct DeviceProgram DeviceProgram;

typedef struct DeviceKernel {
    size_t lanes; /* most work-items of a work-group */
} DeviceKernel;

typedef struct DeviceArg { /* a buffer; or `bytes` of `value`; or, if that is NULL, of local memory */
    const DeviceBuffer *buffer;
    const void *value;
    size_t bytes;
} DeviceArg;

/* The functions of a kind of device. What they free is not NULL. */
struct DeviceDriver {
    Devices *(*list)(DeviceError *why); /* NULL: `why`; a list may be empty */
    void (*forget)(Devices *devices);
    Device *(*open)(const Devices *devices, unsigned which, DeviceError *why);
    void (*close)(Device *device);
    DeviceBuffer *(*buffer)(Device *device, size_t bytes, DeviceError *why);
    void (*buffer_free)(Device *device, DeviceBuffer *buffer);
    bool (*write)(Device *device, DeviceBuffer *to, size_t at, const void *from, size_t bytes,
                  DeviceError *why);
    bool (*read)(Device *device, const DeviceBuffer *from, size_t at, void *to, size_t bytes,
                 DeviceError *why);
    DeviceProgram *(*program)(Device *device, const char *const *sources, unsigned n, const char *options,
                              DeviceError *why);
    void (*program_free)(Device *device, DeviceProgram *program);
    DeviceKernel *(*kernel)(Device *device, DeviceProgram *program, const char *name, DeviceError *why);
    void (*kernel_free)(Device *device, DeviceKernel *kernel);
    /* Returns before it is done. */
    bool (*submit)(Device *device, DeviceKernel *kernel, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why);
    bool (*finish)(Device *device, DeviceError *why);
};
extern const DeviceDriver opencl_driver;

/* ---- what there is ---- */

Devices *devices_open(DeviceError *why); /* NULL: `why`; a list may be empty */
void devices_close(Devices *devices);    /* after all that were opened from it; may be NULL */
/* Why there are none, or what is wrong with them. */
const char *devices_none(const Devices *devices);

/* ---- one of them ---- */

Device *device_open(const Devices *devices, unsigned which, DeviceError *why);
void device_close(Device *device); /* buffers, programs and kernels must be freed before; may be NULL */

DeviceBuffer *device_buffer(Device *device, size_t bytes, DeviceError *why);
void device_buffer_free(Device *device, DeviceBuffer *buffer); /* may be NULL, as what else is freed */
bool device_write(Device *device, DeviceBuffer *to, size_t at, const void *from, size_t bytes,
                  DeviceError *why);
bool device_read(Device *device, const DeviceBuffer *from, size_t at, void *to, size_t bytes,
                 DeviceError *why);

/* Sources are taken one after the other; options go to the compiler. */
DeviceProgram *device_program(Device *device, const char *const *sources, unsigned n, const char *options,
                              DeviceError *why);
void device_program_free(Device *device, DeviceProgram *program);
DeviceKernel *device_kernel(Device *device, DeviceProgram *program, const char *name, DeviceError *why);
void device_kernel_free(Device *device, DeviceKernel *kernel);

/* Runs `groups` work-groups of `lanes` work-items, and waits for them. */
bool device_launch(Device *device, DeviceKernel *kernel, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why);
/* The same without waiting: launches are done in their order, and a read or device_finish waits for them.
 * Their time counts there. */
bool device_submit(Device *device, DeviceKernel *kernel, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why);
bool device_finish(Device *device, DeviceError *why);

#endif
