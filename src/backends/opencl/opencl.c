/* OpenCL as a driver of devices; see device.h. Its library is looked up when devices are listed, so nothing
 * links against it, and building needs no headers of it (cl.h). */
#include "backends/devices/device.h"
#include "backends/opencl/cl.h"
#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEVICES = sizeof((Devices *)0)->infos / sizeof *((Devices *)0)->infos, MAX_PLATFORMS = 16 };

typedef struct ClDevices {
    Devices head;
    Cl cl;
    ClPlatform platforms[MAX_DEVICES];
    ClDevice ids[MAX_DEVICES];
} ClDevices;

typedef struct ClOpened {
    Device head;
    const Cl *cl;
    ClDevice id;
    ClContext context;
    ClQueue queue;
} ClOpened;

typedef struct ClBuffer {
    DeviceBuffer head;
    ClMem memory;
} ClBuffer;

struct DeviceProgram {
    ClProgram program;
};

typedef struct ClNamedKernel {
    DeviceKernel head;
    ClKernel kernel;
    char name[48];
} ClNamedKernel;

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
static void list_platform(ClDevices *d, ClPlatform platform) {
    uint32_t more = 0, count = d->head.count, room = MAX_DEVICES - count;
    int32_t code = room == 0 ? CL_DEVICE_NOT_FOUND_
                             : d->cl.GetDeviceIDs(platform, CL_TYPE_ALL_, room, d->ids + count, &more);
    if (code != CL_SUCCESS_) {
        if (code != CL_DEVICE_NOT_FOUND_) {
            char name[128], what[200];
            platform_name(&d->cl, platform, name, sizeof name);
            snprintf(what, sizeof what, "the OpenCL driver %s does not list its devices", name);
            failed(&d->head.broken, DEVICE_MISSING, code, what);
        }
        return;
    }
    for (more = more < room ? more : room; more > 0; more--, count++) {
        d->platforms[count] = platform;
        describe(&d->cl, platform, d->ids[count], &d->head.infos[count]);
    }
    d->head.count = count;
}

static Devices *list(DeviceError *why) {
    ClDevices *d = mem_zalloc(1, sizeof *d);
    ClPlatform platforms[MAX_PLATFORMS];
    uint32_t n = 0;
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
        list_platform(d, platforms[p]);
    }
    return &d->head;
}

static void forget(Devices *devices) {
    mem_free(devices);
}

/* ---- a device ---- */

static void close_device(Device *device) {
    ClOpened *d = (ClOpened *)device;
    if (d->queue != NULL) {
        d->cl->ReleaseCommandQueue(d->queue);
    }
    if (d->context != NULL) {
        d->cl->ReleaseContext(d->context);
    }
    mem_free(d);
}

static Device *open_device(const Devices *devices, unsigned which, DeviceError *why) {
    const ClDevices *of = (const ClDevices *)devices;
    ClOpened *d = mem_zalloc(1, sizeof *d);
    int32_t code = CL_SUCCESS_;
    if (d == NULL) {
        return no_memory(why);
    }
    d->cl = &of->cl;
    d->id = of->ids[which];
    const intptr_t properties[3] = {0x1084 /* the platform */, (intptr_t)of->platforms[which], 0};
    d->context = d->cl->CreateContext(properties, 1, &d->id, NULL, NULL, &code);
    if (d->context != NULL && code == CL_SUCCESS_) {
        d->queue = d->cl->CreateCommandQueue(d->context, d->id, 0, &code);
    }
    if (d->queue == NULL || code != CL_SUCCESS_) {
        failed(why, DEVICE_MISSING, code, "the device cannot be opened");
        why->fault = DEVICE_MISSING;
        close_device(&d->head);
        return NULL;
    }
    return &d->head;
}

/* ---- memory ---- */

static DeviceBuffer *make_buffer(Device *device, size_t bytes, DeviceError *why) {
    const ClOpened *d = (const ClOpened *)device;
    ClBuffer *buffer = mem_zalloc(1, sizeof *buffer);
    int32_t code = CL_SUCCESS_;
    if (buffer == NULL) {
        return no_memory(why);
    }
    buffer->memory = d->cl->CreateBuffer(d->context, CL_MEM_READ_WRITE_, bytes, NULL, &code);
    if (buffer->memory == NULL || code != CL_SUCCESS_) {
        char what[64];
        snprintf(what, sizeof what, "no buffer of %zu bytes", bytes);
        failed(why, DEVICE_MEMORY, code, what);
        mem_free(buffer);
        return NULL;
    }
    return &buffer->head;
}

static void free_buffer(Device *device, DeviceBuffer *buffer) {
    ((const ClOpened *)device)->cl->ReleaseMemObject(((const ClBuffer *)buffer)->memory);
    mem_free(buffer);
}

static bool write_bytes(Device *device, DeviceBuffer *to, size_t at, const void *from, size_t bytes,
                        DeviceError *why) {
    const ClOpened *d = (const ClOpened *)device;
    ClMem memory = ((const ClBuffer *)to)->memory;
    int32_t code = d->cl->EnqueueWriteBuffer(d->queue, memory, 1, at, bytes, from, 0, NULL, NULL);
    return code == CL_SUCCESS_ || failed(why, DEVICE_TRANSFER, code, "bytes did not go up");
}

static bool read_bytes(Device *device, const DeviceBuffer *from, size_t at, void *to, size_t bytes,
                       DeviceError *why) {
    const ClOpened *d = (const ClOpened *)device;
    ClMem memory = ((const ClBuffer *)from)->memory;
    int32_t code = d->cl->EnqueueReadBuffer(d->queue, memory, 1, at, bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS_ || failed(why, DEVICE_TRANSFER, code, "bytes did not come down");
}

/* ---- programs ---- */

/* The first lines of what the compiler says, on one line. */
static void add_build_log(const ClOpened *d, ClProgram program, DeviceError *why) {
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

static void free_program(Device *device, DeviceProgram *program) {
    if (program->program != NULL) {
        ((const ClOpened *)device)->cl->ReleaseProgram(program->program);
    }
    mem_free(program);
}

static DeviceProgram *make_program(Device *device, const char *const *sources, unsigned n,
                                   const char *options, DeviceError *why) {
    const ClOpened *d = (const ClOpened *)device;
    DeviceProgram *program = mem_zalloc(1, sizeof *program);
    int32_t code = CL_SUCCESS_;
    if (program == NULL) {
        return no_memory(why);
    }
    const char **texts = (const char **)(uintptr_t)sources; /* they are not changed */
    program->program = d->cl->CreateProgramWithSource(d->context, n, texts, NULL, &code);
    if (program->program != NULL && code == CL_SUCCESS_) {
        code = d->cl->BuildProgram(program->program, 1, &d->id, options, NULL, NULL);
    }
    if (program->program == NULL || code != CL_SUCCESS_) {
        failed(why, DEVICE_BUILD, code, "the kernels do not build");
        if (program->program != NULL) {
            add_build_log(d, program->program, why);
        }
        free_program(device, program);
        return NULL;
    }
    return program;
}

static void free_kernel(Device *device, DeviceKernel *kernel) {
    ClKernel at = ((const ClNamedKernel *)kernel)->kernel;
    if (at != NULL) {
        ((const ClOpened *)device)->cl->ReleaseKernel(at);
    }
    mem_free(kernel);
}

static DeviceKernel *make_kernel(Device *device, DeviceProgram *program, const char *name, DeviceError *why) {
    const ClOpened *d = (const ClOpened *)device;
    ClNamedKernel *kernel = mem_zalloc(1, sizeof *kernel);
    int32_t code = CL_SUCCESS_;
    if (kernel == NULL) {
        return no_memory(why);
    }
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    kernel->kernel = d->cl->CreateKernel(program->program, name, &code);
    if (kernel->kernel != NULL && code == CL_SUCCESS_) {
        size_t *lanes = &kernel->head.lanes;
        code = d->cl->GetKernelWorkGroupInfo(kernel->kernel, d->id, CL_KERNEL_MAX_GROUP_, sizeof *lanes,
                                             lanes, NULL);
    }
    if (kernel->kernel == NULL || code != CL_SUCCESS_) {
        failed(why, DEVICE_BUILD, code, name);
        free_kernel(device, &kernel->head);
        return NULL;
    }
    return &kernel->head;
}

static bool submit(Device *device, DeviceKernel *what, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why) {
    const ClOpened *d = (const ClOpened *)device;
    const ClNamedKernel *kernel = (const ClNamedKernel *)what;
    int32_t code = CL_SUCCESS_;
    for (unsigned k = 0; k < n && code == CL_SUCCESS_; k++) {
        const ClBuffer *buffer = (const ClBuffer *)args[k].buffer;
        code = d->cl->SetKernelArg(kernel->kernel, k, buffer != NULL ? sizeof(ClMem) : args[k].bytes,
                                   buffer != NULL ? (const void *)&buffer->memory : args[k].value);
    }
    size_t whole = groups * lanes;
    if (code == CL_SUCCESS_) {
        code = d->cl->EnqueueNDRangeKernel(d->queue, kernel->kernel, 1, NULL, &whole, &lanes, 0, NULL, NULL);
    }
    return code == CL_SUCCESS_ || failed(why, DEVICE_LAUNCH, code, kernel->name);
}

static bool finish(Device *device, DeviceError *why) {
    const ClOpened *d = (const ClOpened *)device;
    int32_t code = d->cl->Finish(d->queue);
    return code == CL_SUCCESS_ || failed(why, DEVICE_LAUNCH, code, "kernels did not end well");
}

const DeviceDriver opencl_driver = {.list = list,
                                    .forget = forget,
                                    .open = open_device,
                                    .close = close_device,
                                    .buffer = make_buffer,
                                    .buffer_free = free_buffer,
                                    .write = write_bytes,
                                    .read = read_bytes,
                                    .program = make_program,
                                    .program_free = free_program,
                                    .kernel = make_kernel,
                                    .kernel_free = free_kernel,
                                    .submit = submit,
                                    .finish = finish};
