/* Parses --device and opens the chosen devices; see backend.h. */
#include "backends/devices/backend_internal.h"
#include "base/alloc.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands after "auto": nothing, or a colon and seconds. */
static bool read_auto(const char *text, BackendChoice *choice, char *why, size_t room) {
    const double max = 1e6;
    char *end = NULL;
    choice->mode = BACKEND_AUTO;
    choice->discover_after_s = BACKEND_DISCOVER_AFTER_S;
    if (*text == '\0') {
        return true;
    }
    bool digit = text[1] >= '0' && text[1] <= '9';
    choice->discover_after_s = digit ? strtod(text + 1, &end) : -1;
    if (!digit || *end != '\0' || !(choice->discover_after_s <= max)) {
        snprintf(why, room, "'auto%.80s': after the colon stand seconds of processor time, 0 to %.0f", text,
                 max);
        return false;
    }
    return true;
}

bool backend_parse_choice(const char *text, BackendChoice *choice, char *why, size_t room) {
    static const char opencl[] = "opencl";
    *choice = (BackendChoice){.mode = BACKEND_CPU};
    if (strcmp(text, "cpu") == 0) {
        return true;
    }
    if (strcmp(text, "auto") == 0 || strncmp(text, "auto:", 5) == 0) {
        return read_auto(text + 4, choice, why, room);
    }
    const char *at = text + sizeof opencl - 1;
    if (strncmp(text, opencl, sizeof opencl - 1) != 0 || (*at != ':' && *at != '\0')) {
        snprintf(why, room, "'%.80s': expected one of cpu, auto, auto:SECONDS, opencl, opencl:N, opencl:N,M",
                 text);
        return false;
    }
    choice->mode = BACKEND_OPENCL;
    choice->count = *at == '\0';
    while (*at != '\0') { /* at the colon or a comma */
        char *end;
        unsigned long n = at[1] >= '0' && at[1] <= '9' ? strtoul(at + 1, &end, 10) : 1000;
        if (n >= 1000 || (*end != ',' && *end != '\0') || choice->count == BACKEND_MAX_DEVICES) {
            snprintf(why, room, "'%.80s': after the colon stand numbers of devices, at most %d, with commas",
                     text, BACKEND_MAX_DEVICES);
            return false;
        }
        choice->which[choice->count++] = (unsigned)n;
        at = end;
    }
    return true;
}

static bool add_queue(Backend *b, unsigned *count, unsigned which, DeviceError *why) {
    DeviceQueue *queue = device_queue_open(b->devices, which, *count, b->lanes, why);
    if (queue != NULL) {
        b->queues[(*count)++] = (BackendQueue){.queue = queue, .which = which};
    }
    return queue != NULL;
}

/* ---- looking for devices ---- */

/* Takes all devices but processors, which are no faster than we are without them. */
static void *find_devices(void *argument) {
    Backend *b = argument;
    DeviceError why = {0};
    b->devices = devices_open(&why);
    unsigned all = b->devices != NULL ? b->devices->count : 0, processors = 0, count = 0;
    for (unsigned k = 0; k < all; k++) {
        const DeviceInfo *info = &b->devices->infos[k];
        processors += info->cpu;
        if (!info->cpu && count < BACKEND_MAX_DEVICES && !add_queue(b, &count, k, &why)) {
            char line[800];
            snprintf(line, sizeof line, "device %s: %s; it is left out", info->name, why.text);
            if (b->say != NULL) {
                b->say(b->user, line);
            }
        }
    }
    if (count == 0) {
        const char *reason = b->devices == NULL || processors < all ? why.text
                             : all > 0 ? "OpenCL offers only processors, which auto never takes"
                                       : devices_none(b->devices);
        snprintf(b->note, sizeof b->note, "%.290s", reason);
    }
    atomic_store_explicit(&b->count, count, memory_order_release);
    pthread_mutex_lock(&b->discovery_lock);
    atomic_store_explicit(&b->discovery, DISCOVERY_DONE, memory_order_release);
    pthread_cond_broadcast(&b->discovered);
    pthread_mutex_unlock(&b->discovery_lock);
    return NULL;
}

/* Begins to look, unless somebody has. */
static void begin_discovery(Backend *b) {
    bool here = false;
    pthread_mutex_lock(&b->discovery_lock);
    if (b->discovery == DISCOVERY_PENDING) {
        atomic_store_explicit(&b->discovery, DISCOVERY_RUNNING, memory_order_release);
        b->in_thread = pthread_create(&b->finder, NULL, find_devices, b) == 0;
        here = !b->in_thread;
    }
    pthread_mutex_unlock(&b->discovery_lock);
    if (here) {
        find_devices(b);
    }
}

void backend_wait_discovery(Backend *b) {
    pthread_mutex_lock(&b->discovery_lock);
    while (b->discovery == DISCOVERY_RUNNING) {
        pthread_cond_wait(&b->discovered, &b->discovery_lock);
    }
    pthread_mutex_unlock(&b->discovery_lock);
}

void backend_discover(Backend *b) {
    if (b != NULL) {
        begin_discovery(b);
        backend_wait_discovery(b);
    }
}

void backend_watch_time(Backend *b) {
    if (atomic_load_explicit(&b->discovery, memory_order_acquire) != DISCOVERY_PENDING) {
        return;
    }
    uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
    if (now < atomic_load_explicit(&b->ask_ns, memory_order_relaxed)) {
        return;
    }
    uint64_t spent = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (spent >= b->discover_after_ns) {
        begin_discovery(b);
    } else {
        uint64_t left = b->discover_after_ns - spent, min = b->discover_after_ns / 50;
        atomic_store_explicit(&b->ask_ns, now + (left > min ? left : min), memory_order_relaxed);
    }
}

Backend *backend_open(const BackendChoice *choice, DeviceError *why) {
    *why = (DeviceError){0};
    Backend *b = mem_zalloc(1, sizeof *b);
    if (b == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return NULL;
    }
    b->mode = choice->mode;
    b->lanes = choice->lanes;
    b->say = choice->say;
    b->user = choice->user;
    pthread_mutex_init(&b->lock, NULL);
    slots_open(&b->slots);
    pthread_mutex_init(&b->discovery_lock, NULL);
    pthread_cond_init(&b->discovered, NULL);
    b->discovery = DISCOVERY_DONE;
    if (choice->mode == BACKEND_AUTO) {
        b->discovery = DISCOVERY_PENDING;
        b->discover_after_ns = (uint64_t)(choice->discover_after_s * 1e9);
        b->ask_ns = clock_ns(CLOCK_MONOTONIC_COARSE) + b->discover_after_ns / pool_processors();
        if (b->discover_after_ns == 0) {
            begin_discovery(b);
        }
    } else if (choice->mode == BACKEND_OPENCL) {
        b->devices = devices_open(why);
        bool good = b->devices != NULL;
        unsigned count = 0;
        for (unsigned k = 0; k < choice->count && good; k++) {
            good = add_queue(b, &count, choice->which[k], why);
        }
        b->count = count;
        if (!good) {
            backend_close(b);
            return NULL;
        }
    }
    return b;
}

void backend_set_stop(Backend *b, Stop *stop) {
    if (b != NULL) {
        b->stop = stop;
    }
}

void backend_close(Backend *b) {
    if (b == NULL) {
        return;
    }
    backend_wait_discovery(b);
    if (b->in_thread) {
        pthread_join(b->finder, NULL);
    }
    for (unsigned k = 0; k < b->count; k++) {
        device_queue_close(b->queues[k].queue);
    }
    devices_close(b->devices);
    pthread_cond_destroy(&b->discovered);
    pthread_mutex_destroy(&b->discovery_lock);
    slots_close(&b->slots);
    pthread_mutex_destroy(&b->lock);
    mem_free(b);
}
