/* A libOpenCL.so.1 for tests: its devices run our kernels as C (plain.h), and go wrong when asked
 * to.
 *
 *     FAKE_OPENCL_DEVICES=N   how many there are; 1 if nothing is said
 *     FAKE_OPENCL_TYPE=cpu    what they say they are; GPUs if nothing is said
 *     FAKE_OPENCL_SLOW=US     microseconds that every launch takes longer
 *     FAKE_OPENCL_FAIL=WHAT@N the N-th call fails, and with WHAT@N+ all later ones, too
 *
 * WHAT is list, open, alloc, build, kernel, write, read, launch, lost, or wrong: the result is
 * changed, and nothing is said. Text after a # makes two settings differ, so that calls are counted
 * from the start. */
#include "backends/opencl/cl.h"
#include "plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct ClMemOf {
    unsigned char *bytes;
    size_t size;
};
struct ClKernelOf {
    const PlainEntry *entry;
    uint8_t *mem;
    uint64_t table;
    uint32_t jobs, stage;
};
struct ClDeviceOf {
    unsigned index;
};

static struct ClDeviceOf devices[32];
static char anything; /* what is only passed around points here */

static unsigned number_of(const char *name, unsigned preset) {
    const char *text = getenv(name);
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : preset;
}

/* Whether this call of a kind is one that must fail. */
static bool fails(const char *what) {
    static unsigned calls; /* of the kind that fails; atomic: devices have threads */
    static char last[64];
    const char *text = getenv("FAKE_OPENCL_FAIL");
    size_t length = strlen(what);
    if (strcmp(last, text != NULL ? text : "") != 0) { /* a test changed the setting, and no thread is busy */
        snprintf(last, sizeof last, "%s", text != NULL ? text : "");
        __atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
    }
    if (text == NULL || strncmp(text, what, length) != 0 || text[length] != '@') {
        return false;
    }
    char *end;
    unsigned nth = (unsigned)strtoul(text + length + 1, &end, 10);
    unsigned now = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return now == nth || (*end == '+' && now > nth);
}

EXPORT int32_t clGetPlatformIDs(uint32_t room, ClPlatform *to, uint32_t *n) {
    *n = 1;
    if (to != NULL && room > 0) {
        to[0] = (ClPlatform)(void *)&anything;
    }
    return CL_SUCCESS_;
}

static int32_t give(const void *from, size_t bytes, size_t room, void *to, size_t *needed) {
    if (needed != NULL) {
        *needed = bytes;
    }
    if (to != NULL) {
        memcpy(to, from, bytes < room ? bytes : room);
    }
    return CL_SUCCESS_;
}

EXPORT int32_t clGetPlatformInfo(ClPlatform platform, uint32_t what, size_t room, void *to, size_t *needed) {
    (void)platform, (void)what;
    static const char name[] = "batt's tests";
    return give(name, sizeof name, room, to, needed);
}

EXPORT int32_t clGetDeviceIDs(ClPlatform platform, uint64_t type, uint32_t room, ClDevice *to, uint32_t *n) {
    (void)platform, (void)type;
    if (fails("list")) {
        *n = 0;
        return CL_OUT_OF_RESOURCES_;
    }
    unsigned count = number_of("FAKE_OPENCL_DEVICES", 1);
    *n = count;
    for (unsigned k = 0; k < count && k < room && k < 32 && to != NULL; k++) {
        devices[k].index = k;
        to[k] = &devices[k];
    }
    return count > 0 ? CL_SUCCESS_ : CL_DEVICE_NOT_FOUND_;
}

EXPORT int32_t clGetDeviceInfo(ClDevice device, uint32_t what, size_t room, void *to, size_t *needed) {
    const char *type = getenv("FAKE_OPENCL_TYPE");
    char text[64];
    uint64_t large = 0;
    uint32_t small = 1;
    size_t size = 1;
    switch (what) {
    case CL_DEVICE_TYPE_:
        large = type != NULL && strcmp(type, "cpu") == 0 ? CL_TYPE_CPU_ : CL_TYPE_GPU_;
        return give(&large, sizeof large, room, to, needed);
    case CL_DEVICE_MEMORY_:
    case CL_DEVICE_MAX_ALLOC_:
    case CL_DEVICE_LOCAL_MEMORY_:
        large = 128u << 20;
        return give(&large, sizeof large, room, to, needed);
    case CL_DEVICE_MAX_GROUP_:
        return give(&size, sizeof size, room, to, needed);
    case CL_DEVICE_NAME_:
        snprintf(text, sizeof text, "fake %u", device->index);
        return give(text, strlen(text) + 1, room, to, needed);
    case CL_DEVICE_LITTLE_ENDIAN_:
        small = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
        return give(&small, sizeof small, room, to, needed);
    case CL_DEVICE_VERSION_:
    case CL_DRIVER_VERSION_:
        return give("1.2", 4, room, to, needed);
    default:
        return give(&small, sizeof small, room, to, needed);
    }
}

EXPORT ClContext clCreateContext(const intptr_t *properties, uint32_t n, const ClDevice *of,
                                 void (*notify)(const char *, const void *, size_t, void *), void *user,
                                 int32_t *code) {
    (void)properties, (void)n, (void)of, (void)notify, (void)user;
    *code = fails("open") ? CL_OUT_OF_RESOURCES_ : CL_SUCCESS_;
    return *code == CL_SUCCESS_ ? (ClContext)(void *)&anything : NULL;
}

EXPORT int32_t clReleaseContext(ClContext context) {
    (void)context;
    return CL_SUCCESS_;
}

EXPORT ClQueue clCreateCommandQueue(ClContext context, ClDevice device, uint64_t properties, int32_t *code) {
    (void)context, (void)device, (void)properties;
    *code = CL_SUCCESS_;
    return (ClQueue)(void *)&anything;
}

EXPORT int32_t clReleaseCommandQueue(ClQueue queue) {
    (void)queue;
    return CL_SUCCESS_;
}

EXPORT ClMem clCreateBuffer(ClContext context, uint64_t flags, size_t size, void *host, int32_t *code) {
    (void)context, (void)flags, (void)host;
    ClMem memory = fails("alloc") ? NULL : malloc(sizeof *memory);
    *code = CL_SUCCESS_;
    if (memory != NULL) {
        memory->size = size;
        memory->bytes = malloc(size);
    }
    if (memory == NULL || memory->bytes == NULL) {
        free(memory);
        *code = CL_OUT_OF_MEMORY_ON_DEVICE_;
        return NULL;
    }
    return memory;
}

EXPORT int32_t clReleaseMemObject(ClMem memory) {
    free(memory->bytes);
    free(memory);
    return CL_SUCCESS_;
}

EXPORT ClProgram clCreateProgramWithSource(ClContext context, uint32_t n, const char **texts,
                                           const size_t *lengths, int32_t *code) {
    (void)context, (void)n, (void)texts, (void)lengths;
    *code = CL_SUCCESS_;
    return (ClProgram)(void *)&anything;
}

EXPORT int32_t clBuildProgram(ClProgram program, uint32_t n, const ClDevice *of, const char *options,
                              void (*notify)(ClProgram, void *), void *user) {
    (void)program, (void)n, (void)of, (void)options, (void)notify, (void)user;
    return fails("build") ? -11 : CL_SUCCESS_;
}

EXPORT int32_t clGetProgramBuildInfo(ClProgram program, ClDevice device, uint32_t what, size_t room, void *to,
                                     size_t *needed) {
    (void)program, (void)device, (void)what;
    static const char log[] = "line 1: a fake error\n";
    return give(log, sizeof log, room, to, needed);
}

EXPORT int32_t clReleaseProgram(ClProgram program) {
    (void)program;
    return CL_SUCCESS_;
}

EXPORT ClKernel clCreateKernel(ClProgram program, const char *name, int32_t *code) {
    (void)program;
    const PlainEntry *all[] = {plain_rules, plain_layers, plain_grids, plain_levels};
    for (size_t k = 0; k < sizeof all / sizeof *all && !fails("kernel"); k++) {
        for (const PlainEntry *e = all[k]; e->name != NULL; e++) {
            ClKernel kernel = strcmp(e->name, name) == 0 ? calloc(1, sizeof *kernel) : NULL;
            if (kernel != NULL) {
                kernel->entry = e;
                *code = CL_SUCCESS_;
                return kernel;
            }
        }
    }
    *code = -46;
    return NULL;
}

EXPORT int32_t clGetKernelWorkGroupInfo(ClKernel kernel, ClDevice device, uint32_t what, size_t room,
                                        void *to, size_t *needed) {
    (void)kernel, (void)device, (void)what;
    size_t max = 1;
    return give(&max, sizeof max, room, to, needed);
}

EXPORT int32_t clReleaseKernel(ClKernel kernel) {
    free(kernel);
    return CL_SUCCESS_;
}

EXPORT int32_t clSetKernelArg(ClKernel kernel, uint32_t index, size_t size, const void *value) {
    ClMem memory;
    switch (index) {
    case 0:
        memcpy(&memory, value, sizeof memory);
        kernel->mem = memory->bytes;
        return CL_SUCCESS_;
    case 1:
        memcpy(&kernel->table, value, size);
        return CL_SUCCESS_;
    default:
        memcpy(index == 2 ? &kernel->jobs : &kernel->stage, value, size);
        return CL_SUCCESS_;
    }
}

EXPORT int32_t clEnqueueWriteBuffer(ClQueue queue, ClMem to, uint32_t blocking, size_t at, size_t size,
                                    const void *from, uint32_t n, const ClEvent *after, ClEvent *event) {
    (void)queue, (void)blocking, (void)n, (void)after, (void)event;
    if (fails("write") || at + size > to->size) {
        return CL_OUT_OF_RESOURCES_;
    }
    memcpy(to->bytes + at, from, size);
    return CL_SUCCESS_;
}

EXPORT int32_t clEnqueueReadBuffer(ClQueue queue, ClMem from, uint32_t blocking, size_t at, size_t size,
                                   void *to, uint32_t n, const ClEvent *after, ClEvent *event) {
    (void)queue, (void)blocking, (void)n, (void)after, (void)event;
    if (fails("read") || at + size > from->size) {
        return CL_OUT_OF_RESOURCES_;
    }
    memcpy(to, from->bytes + at, size);
    if (size > 0 && fails("wrong")) {
        ((unsigned char *)to)[0] ^= 1;
    }
    return CL_SUCCESS_;
}

EXPORT int32_t clEnqueueNDRangeKernel(ClQueue queue, ClKernel kernel, uint32_t dimensions,
                                      const size_t *offset, const size_t *whole, const size_t *part,
                                      uint32_t n, const ClEvent *after, ClEvent *event) {
    (void)queue, (void)dimensions, (void)offset, (void)n, (void)after, (void)event;
    unsigned slow = number_of("FAKE_OPENCL_SLOW", 0);
    if (fails("launch")) {
        return CL_OUT_OF_RESOURCES_;
    }
    if (fails("lost")) {
        return CL_DEVICE_NOT_AVAILABLE_;
    }
    for (size_t group = 0; group < *whole / *part; group++) {
        kernel->entry->run((uint32_t)group, kernel->mem, kernel->table, kernel->jobs, kernel->stage);
    }
    if (slow > 0) {
        usleep(slow);
    }
    return CL_SUCCESS_;
}

EXPORT int32_t clFinish(ClQueue queue) {
    (void)queue;
    return CL_SUCCESS_;
}
