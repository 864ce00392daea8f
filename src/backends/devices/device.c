/* Counts and times what devices do, whatever their kind; see device.h. */
#include "backends/devices/device.h"

#include "base/clock.h"

#include <stdio.h>

const char *const device_fault_names[DEVICE_FAULTS] = {"fine",   "missing",  "memory", "build",
                                                       "launch", "transfer", "lost",   "wrong result"};

Devices *devices_open(DeviceError *why) {
    *why = (DeviceError){0};
    Devices *devices = opencl_driver.list(why);
    if (devices != NULL) {
        devices->driver = &opencl_driver;
    }
    return devices;
}

void devices_close(Devices *devices) {
    if (devices != NULL) {
        devices->driver->forget(devices);
    }
}

const char *devices_none(const Devices *devices) {
    return *devices->broken.text != '\0' ? devices->broken.text : "OpenCL has no device here";
}

/* ---- a device ---- */

Device *device_open(const Devices *devices, unsigned which, DeviceError *why) {
    *why = (DeviceError){.fault = DEVICE_MISSING};
    if (devices->count == 0) {
        snprintf(why->text, sizeof why->text, "%s", devices_none(devices));
        return NULL;
    }
    if (which >= devices->count) {
        snprintf(why->text, sizeof why->text, "there is no device %u: they are 0 to %u, see batt devices",
                 which, devices->count - 1);
        return NULL;
    }
    if (!devices->infos[which].usable) {
        snprintf(why->text, sizeof why->text, "device %u, %s, cannot run our kernels", which,
                 devices->infos[which].name);
        return NULL;
    }
    why->fault = DEVICE_FINE;
    Device *device = devices->driver->open(devices, which, why);
    if (device != NULL) {
        device->driver = devices->driver;
        device->info = &devices->infos[which];
    }
    return device;
}

void device_close(Device *d) {
    if (d != NULL) {
        d->driver->close(d);
    }
}

/* ---- memory ---- */

DeviceBuffer *device_buffer(Device *d, size_t bytes, DeviceError *why) {
    DeviceBuffer *buffer = d->driver->buffer(d, bytes, why);
    if (buffer != NULL) {
        DeviceCounters *c = &d->counters;
        buffer->bytes = bytes;
        c->held += bytes;
        c->held_peak = c->held > c->held_peak ? c->held : c->held_peak;
    }
    return buffer;
}

void device_buffer_free(Device *d, DeviceBuffer *buffer) {
    if (buffer != NULL) {
        d->counters.held -= buffer->bytes;
        d->driver->buffer_free(d, buffer);
    }
}

bool device_write(Device *d, DeviceBuffer *to, size_t at, const void *from, size_t bytes, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    bool good = bytes == 0 || d->driver->write(d, to, at, from, bytes, why);
    d->counters.transfer_ns += clock_now_ns() - begin;
    d->counters.writes += bytes > 0;
    d->counters.write_bytes += bytes;
    return good;
}

bool device_read(Device *d, const DeviceBuffer *from, size_t at, void *to, size_t bytes, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    bool good = bytes == 0 || d->driver->read(d, from, at, to, bytes, why);
    d->counters.transfer_ns += clock_now_ns() - begin;
    d->counters.reads += bytes > 0;
    d->counters.read_bytes += bytes;
    return good;
}

/* ---- programs ---- */

DeviceProgram *device_program(Device *d, const char *const *sources, unsigned n, const char *options,
                              DeviceError *why) {
    uint64_t begin = clock_now_ns();
    DeviceProgram *program = d->driver->program(d, sources, n, options, why);
    d->counters.build_ns += clock_now_ns() - begin;
    d->counters.builds++;
    return program;
}

void device_program_free(Device *d, DeviceProgram *program) {
    if (program != NULL) {
        d->driver->program_free(d, program);
    }
}

/* PoCL and others put off a part of building until here. */
DeviceKernel *device_kernel(Device *d, DeviceProgram *program, const char *name, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    DeviceKernel *kernel = d->driver->kernel(d, program, name, why);
    d->counters.build_ns += clock_now_ns() - begin;
    return kernel;
}

void device_kernel_free(Device *d, DeviceKernel *kernel) {
    if (kernel != NULL) {
        d->driver->kernel_free(d, kernel);
    }
}

bool device_submit(Device *d, DeviceKernel *kernel, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    bool good = groups == 0 || d->driver->submit(d, kernel, args, n, groups, lanes, why);
    d->counters.kernel_ns += clock_now_ns() - begin;
    d->counters.launches += groups > 0;
    return good;
}

bool device_finish(Device *d, DeviceError *why) {
    uint64_t begin = clock_now_ns();
    bool good = d->driver->finish(d, why);
    d->counters.kernel_ns += clock_now_ns() - begin;
    return good;
}

bool device_launch(Device *d, DeviceKernel *kernel, const DeviceArg *args, unsigned n, size_t groups,
                   size_t lanes, DeviceError *why) {
    return device_submit(d, kernel, args, n, groups, lanes, why) && (groups == 0 || device_finish(d, why));
}
