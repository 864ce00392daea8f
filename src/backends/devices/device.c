/* Devices, through OpenCL; see device.h. */
#include "backends/devices/device.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEVICES = 32, MAX_PLATFORMS = 16 };

struct Devices {
    Cl cl;
    unsigned count;
    ClPlatform platforms[MAX_DEVICES];
    ClDevice ids[MAX_DEVICES];
    DeviceInfo infos[MAX_DEVICES];
    DeviceError broken; /* the last driver that does not list its devices */
};

struct Device {
    const Cl *cl;
    const DeviceInfo *info;
    ClDevice id;
    ClContext context;
    ClQueue queue;
    DeviceCounters counters;
};

struct DeviceBuffer {
    ClMem memory;
    size_t bytes;
};

struct DeviceProgram {
    ClProgram program;
};

struct DeviceKernel {
    ClKernel kernel;
    size_t lanes;
    char name[48];
};

const char *const device_fault_names[DEVICE_FAULTS] = {"fine",   "missing",  "memory", "build",
                                                       "launch", "transfer", "lost",   "wrong result"};

/* ---- errors ---- */

/* Some codes say more than where they turned up. */
static DeviceFault fault_of(DeviceFault where, int32_t code) {
    const int32_t not_in_the_standard = -1000; /* of a driver: as a rule the device has to be opened anew */
    switch (code) {
    case CL_DEVICE_NOT_AVAILABLE_:
    case CL_INVALID_CONTEXT_:
    case CL_INVALID_QUEUE_:
        return DEVICE_LOST;
    case CL_OUT_OF_MEMORY_ON_DEVICE_:
    case CL_OUT_OF_HOST_MEMORY_:
        return DEVICE_MEMORY;
    default:
        return code < not_in_the_standard ? DEVICE_LOST : where;
    }
}

static bool failed(DeviceError *why, DeviceFault where, int32_t code, const char *what) {
    const char *name = cl_error_name(code);
    why->fault = fault_of(where, code);
    why->code = code;
    snprintf(why->text, sizeof why->text, "%.400s: %s%sOpenCL error %d", what, name, *name ? ", " : "", code);
    return false;
}

static void *no_memory(DeviceError *why) {
    *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
    return NULL;
}

/* ---- the list ---- */

static void info_text(const Cl *cl, ClDevice id, uint32_t what, char *to, size_t room) {
    if (cl->GetDeviceInfo(id, what, room - 1, to, NULL) != CL_SUCCESS_) {
        *to = '\0';
    }
    to[room - 1] = '\0';
}

static uint64_t info_number(const Cl *cl, ClDevice id, uint32_t what, size_t bytes) {
    union {
        uint32_t small;
        uint64_t large;
        size_t size;
    } n = {.large = 0};
    if (cl->GetDeviceInfo(id, what, bytes, &n, NULL) != CL_SUCCESS_) {
        return 0;
    }
    return bytes == sizeof n.small ? n.small : n.large;
}

static bool is_little_endian(void) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static void platform_name(const Cl *cl, ClPlatform platform, char *to, size_t room) {
    if (cl->GetPlatformInfo(platform, CL_PLATFORM_NAME_, room - 1, to, NULL) != CL_SUCCESS_) {
        *to = '\0';
    }
    to[room - 1] = '\0';
}

static void describe(const Cl *cl, ClPlatform platform, ClDevice id, DeviceInfo *to) {
    *to = (DeviceInfo){0};
    info_text(cl, id, CL_DEVICE_NAME_, to->name, sizeof to->name);
    info_text(cl, id, CL_DEVICE_VERSION_, to->version, sizeof to->version);
    info_text(cl, id, CL_DRIVER_VERSION_, to->driver, sizeof to->driver);
    platform_name(cl, platform, to->platform, sizeof to->platform);
    uint64_t type = info_number(cl, id, CL_DEVICE_TYPE_, 8);
    to->cpu = type & CL_TYPE_CPU_;
    to->gpu = type & CL_TYPE_GPU_;
    to->units = (uint32_t)info_number(cl, id, CL_DEVICE_UNITS_, 4);
    to->mhz = (uint32_t)info_number(cl, id, CL_DEVICE_MHZ_, 4);
    to->memory = info_number(cl, id, CL_DEVICE_MEMORY_, 8);
    to->max_alloc = info_number(cl, id, CL_DEVICE_MAX_ALLOC_, 8);
    to->local_memory = info_number(cl, id, CL_DEVICE_LOCAL_MEMORY_, 8);
    to->max_work_group = (size_t)info_number(cl, id, CL_DEVICE_MAX_GROUP_, sizeof(size_t));
    to->usable = info_number(cl, id, CL_DEVICE_AVAILABLE_, 4) &&
                 info_number(cl, id, CL_DEVICE_COMPILER_, 4) &&
                 (info_number(cl, id, CL_DEVICE_LITTLE_ENDIAN_, 4) != 0) == is_little_endian();
}

/* The devices of a driver, behind those of others. */
static void list_devices(Devices *d, ClPlatform platform) {
    uint32_t more = 0, room = MAX_DEVICES - d->count;
    int32_t code = room == 0 ? CL_DEVICE_NOT_FOUND_
                             : d->cl.GetDeviceIDs(platform, CL_TYPE_ALL_, room, d->ids + d->count, &more);
    if (code != CL_SUCCESS_) {
        if (code != CL_DEVICE_NOT_FOUND_) {
            char name[128], what[200];
            platform_name(&d->cl, platform, name, sizeof name);
            snprintf(what, sizeof what, "the OpenCL driver %s does not list its devices", name);
            failed(&d->broken, DEVICE_MISSING, code, what);
        }
        return;
    }
    for (more = more < room ? more : room; more > 0; more--, d->count++) {
        d->platforms[d->count] = platform;
        describe(&d->cl, platform, d->ids[d->count], &d->infos[d->count]);
    }
}

Devices *devices_open(DeviceError *why) {
    Devices *d = mem_zalloc(1, sizeof *d);
    ClPlatform platforms[MAX_PLATFORMS];
    uint32_t n = 0;
    *why = (DeviceError){0};
    if (d == NULL) {
        return no_memory(why);
    }
    if (!cl_load(&d->cl, why->text, sizeof why->text)) {
        why->fault = DEVICE_MISSING;
        mem_free(d);
        return NULL;
    }
    int32_t code = d->cl.GetPlatformIDs(MAX_PLATFORMS, platforms, &n);
    if (code != CL_SUCCESS_ && code != CL_NO_PLATFORM_) {
        failed(why, DEVICE_MISSING, code, "OpenCL does not list its drivers");
        mem_free(d);
        return NULL;
    }
    n = code != CL_SUCCESS_ ? 0 : n < MAX_PLATFORMS ? n : MAX_PLATFORMS;
    for (uint32_t p = 0; p < n; p++) {
        list_devices(d, platforms[p]);
    }
    return d;
}

void devices_close(Devices *d) {
    mem_free(d);
}

const char *devices_broken(const Devices *d) {
    return d->broken.text;
}

const char *devices_none(const Devices *d) {
    return *d->broken.text != '\0' ? d->broken.text : "OpenCL has no device here";
}

unsigned devices_count(const Devices *d) {
    return d->count;
}

const DeviceInfo *devices_info(const Devices *d, unsigned which) {
    return &d->infos[which];
}

/* ---- a device ---- */

Device *device_open(const Devices *devices, unsigned which, DeviceError *why) {
    *why = (DeviceError){0};
    if (which >= devices->count || !devices->infos[which].usable) {
        why->fault = DEVICE_MISSING;
        if (devices->count == 0) {
            snprintf(why->text, sizeof why->text, "%s", devices_none(devices));
        } else if (which >= devices->count) {
            snprintf(why->text, sizeof why->text, "there is no device %u: they are 0 to %u, see batt devices",
                     which, devices->count - 1);
        } else {
            snprintf(why->text, sizeof why->text, "device %u, %s, cannot run our kernels", which,
                     devices->infos[which].name);
        }
        return NULL;
    }
    Device *d = mem_zalloc(1, sizeof *d);
    int32_t code = CL_SUCCESS_;
    if (d == NULL) {
        return no_memory(why);
    }
    d->cl = &devices->cl;
    d->info = &devices->infos[which];
    d->id = devices->ids[which];
    const intptr_t properties[3] = {0x1084 /* the platform */, (intptr_t)devices->platforms[which], 0};
    d->context = d->cl->CreateContext(properties, 1, &d->id, NULL, NULL, &code);
    if (d->context != NULL && code == CL_SUCCESS_) {
        d->queue = d->cl->CreateCommandQueue(d->context, d->id, 0, &code);
    }
    if (d->queue == NULL || code != CL_SUCCESS_) {
        failed(why, DEVICE_MISSING, code, "the device cannot be opened");
        why->fault = DEVICE_MISSING;
        device_close(d);
        return NULL;
    }
    return d;
}

void device_close(Device *d) {
    if (d == NULL) {
        return;
    }
    if (d->queue != NULL) {
        d->cl->ReleaseCommandQueue(d->queue);
    }
    if (d->context != NULL) {
        d->cl->ReleaseContext(d->context);
    }
    mem_free(d);
}

const DeviceInfo *device_info(const Device *d) {
    return d->info;
}

const DeviceCounters *device_counters(const Device *d) {
    return &d->counters;
}

/* ---- memory ---- */

DeviceBuffer *device_buffer(Device *d, size_t bytes, DeviceError *why) {
    DeviceBuffer *buffer = mem_zalloc(1, sizeof *buffer);
    int32_t code = CL_SUCCESS_;
    if (buffer == NULL) {
        return no_memory(why);
    }
    buffer->bytes = bytes;
    buffer->memory = d->cl->CreateBuffer(d->context, CL_MEM_READ_WRITE_, bytes, NULL, &code);
    if (buffer->memory == NULL || code != CL_SUCCESS_) {
        char what[64];
        snprintf(what, sizeof what, "no buffer of %zu bytes", bytes);
        failed(why, DEVICE_MEMORY, code, what);
        mem_free(buffer);
        return NULL;
    }
    d->counters.held += bytes;
    d->counters.held_peak =
        d->counters.held > d->counters.held_peak ? d->counters.held : d->counters.held_peak;
    return buffer;
}

void device_buffer_free(Device *d, DeviceBuffer *buffer) {
    if (buffer != NULL) {
        d->counters.held -= buffer->bytes;
        d->cl->ReleaseMemObject(buffer->memory);
        mem_free(buffer);
    }
}

bool device_write(Device *d, DeviceBuffer *to, size_t at, const void *from, size_t bytes, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    int32_t code = bytes > 0
                       ? d->cl->EnqueueWriteBuffer(d->queue, to->memory, 1, at, bytes, from, 0, NULL, NULL)
                       : CL_SUCCESS_;
    d->counters.transfer_ns += clock_now_ns() - begin;
    d->counters.writes += bytes > 0;
    d->counters.write_bytes += bytes;
    return code == CL_SUCCESS_ || failed(why, DEVICE_TRANSFER, code, "bytes did not go up");
}

bool device_read(Device *d, const DeviceBuffer *from, size_t at, void *to, size_t bytes, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    int32_t code = bytes > 0
                       ? d->cl->EnqueueReadBuffer(d->queue, from->memory, 1, at, bytes, to, 0, NULL, NULL)
                       : CL_SUCCESS_;
    d->counters.transfer_ns += clock_now_ns() - begin;
    d->counters.reads += bytes > 0;
    d->counters.read_bytes += bytes;
    return code == CL_SUCCESS_ || failed(why, DEVICE_TRANSFER, code, "bytes did not come down");
}

/* ---- programs ---- */

/* The first lines of what the compiler says, on one line. */
static void add_build_log(const Device *d, ClProgram program, DeviceError *why) {
    char log[240] = "";
    size_t length = strlen(why->text), whole = 0;
    char *text = NULL;
    if (d->cl->GetProgramBuildInfo(program, d->id, CL_BUILD_LOG_, 0, NULL, &whole) == CL_SUCCESS_ &&
        whole > 0) {
        text = mem_zalloc(whole + 1, 1);
    }
    if (text != NULL &&
        d->cl->GetProgramBuildInfo(program, d->id, CL_BUILD_LOG_, whole, text, NULL) == CL_SUCCESS_) {
        snprintf(log, sizeof log, "%s", text);
    }
    mem_free(text);
    for (char *at = log; *at != '\0'; at++) {
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
    }
    if (*log != '\0' && length + sizeof log < sizeof why->text) {
        snprintf(why->text + length, sizeof why->text - length, "; %s", log);
    }
}

DeviceProgram *device_program(Device *d, const char *const *sources, unsigned n, const char *options,
                              DeviceError *why) {
    DeviceProgram *program = mem_zalloc(1, sizeof *program);
    int32_t code = CL_SUCCESS_;
    uint64_t begin = clock_now_ns();
    if (program == NULL) {
        return no_memory(why);
    }
    const char **texts = (const char **)(uintptr_t)sources; /* they are not changed */
    program->program = d->cl->CreateProgramWithSource(d->context, n, texts, NULL, &code);
    if (program->program != NULL && code == CL_SUCCESS_) {
        code = d->cl->BuildProgram(program->program, 1, &d->id, options, NULL, NULL);
    }
    d->counters.build_ns += clock_now_ns() - begin;
    d->counters.builds++;
    if (program->program == NULL || code != CL_SUCCESS_) {
        failed(why, DEVICE_BUILD, code, "the kernels do not build");
        if (program->program != NULL) {
            add_build_log(d, program->program, why);
        }
        device_program_free(d, program);
        return NULL;
    }
    return program;
}

void device_program_free(Device *d, DeviceProgram *program) {
    if (program != NULL) {
        if (program->program != NULL) {
            d->cl->ReleaseProgram(program->program);
        }
        mem_free(program);
    }
}

/* PoCL and others put off a part of building until here. */
DeviceKernel *device_kernel(Device *d, DeviceProgram *program, const char *name, DeviceError *why) {
    DeviceKernel *kernel = mem_zalloc(1, sizeof *kernel);
    int32_t code = CL_SUCCESS_;
    uint64_t begin = clock_now_ns();
    if (kernel == NULL) {
        return no_memory(why);
    }
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->kernel = d->cl->CreateKernel(program->program, name, &code);
    if (kernel->kernel != NULL && code == CL_SUCCESS_) {
        code = d->cl->GetKernelWorkGroupInfo(kernel->kernel, d->id, CL_KERNEL_MAX_GROUP_,
                                             sizeof kernel->lanes, &kernel->lanes, NULL);
    }
    d->counters.build_ns += clock_now_ns() - begin;
    if (kernel->kernel == NULL || code != CL_SUCCESS_) {
        failed(why, DEVICE_BUILD, code, name);
        device_kernel_free(d, kernel);
        return NULL;
    }
    return kernel;
}

void device_kernel_free(Device *d, DeviceKernel *kernel) {
    if (kernel != NULL) {
        if (kernel->kernel != NULL) {
            d->cl->ReleaseKernel(kernel->kernel);
        }
        mem_free(kernel);
    }
}

size_t device_kernel_lanes(const DeviceKernel *kernel) {
    return kernel->lanes;
}

bool device_submit(Device *d, DeviceKernel *kernel, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    int32_t code = CL_SUCCESS_;
    for (unsigned k = 0; k < n && code == CL_SUCCESS_; k++) {
        bool buffer = args[k].buffer != NULL;
        code = d->cl->SetKernelArg(kernel->kernel, k, buffer ? sizeof(ClMem) : args[k].bytes,
                                   buffer ? (const void *)&args[k].buffer->memory : args[k].value);
    }
    size_t whole = groups * lanes;
    if (code == CL_SUCCESS_ && groups > 0) {
        code = d->cl->EnqueueNDRangeKernel(d->queue, kernel->kernel, 1, NULL, &whole, &lanes, 0, NULL, NULL);
    }
    d->counters.kernel_ns += clock_now_ns() - begin;
    d->counters.launches += groups > 0;
    return code == CL_SUCCESS_ || failed(why, DEVICE_LAUNCH, code, kernel->name);
}

static bool finish(Device *d, const char *what, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    int32_t code = d->cl->Finish(d->queue);
    d->counters.kernel_ns += clock_now_ns() - begin;
    return code == CL_SUCCESS_ || failed(why, DEVICE_LAUNCH, code, what);
}

bool device_finish(Device *d, DeviceError *why) {
    return finish(d, "kernels did not end well", why);
}

bool device_launch(Device *d, DeviceKernel *kernel, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why) {
    return device_submit(d, kernel, args, n, groups, lanes, why) &&
           (groups == 0 || finish(d, kernel->name, why));
}
