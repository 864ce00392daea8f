/* Reading the choice of a device, and opening what was chosen; see backend.h. */
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
        snprintf(why, room, "'%.80s' is none of cpu, auto, auto:SECONDS, opencl, opencl:N, opencl:N,M", text);
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

static bool add_queue(Backend *a, unsigned *count, unsigned which, DeviceError *why) {
    DeviceQueue *queue = device_queue_open(a->devices, which, *count, a->lanes, why);
    if (queue != NULL) {
        a->queues[(*count)++] = (BackendQueue){.queue = queue};
    }
    return queue != NULL;
}

/* ---- looking for devices ---- */

/* Takes all devices but processors, which are no faster than we are without them. */
static void *find_devices(void *argument) {
    Backend *a = argument;
    DeviceError why = {0};
    a->devices = devices_open(&why);
    unsigned all = a->devices != NULL ? devices_count(a->devices) : 0, processors = 0, count = 0;
    for (unsigned k = 0; k < all; k++) {
        const DeviceInfo *info = devices_info(a->devices, k);
        processors += info->cpu;
        if (!info->cpu && count < BACKEND_MAX_DEVICES && !add_queue(a, &count, k, &why)) {
            char line[800];
            snprintf(line, sizeof line, "device %s: %s; it is left out", info->name, why.text);
            if (a->say != NULL) {
                a->say(a->user, line);
            }
        }
    }
    if (count == 0) {
        const char *reason = a->devices == NULL || processors < all ? why.text
                             : all > 0 ? "OpenCL offers only processors, which auto never takes"
                                       : devices_none(a->devices);
        snprintf(a->note, sizeof a->note, "%.290s", reason);
    }
    atomic_store_explicit(&a->count, count, memory_order_release);
    pthread_mutex_lock(&a->discovery_lock);
    atomic_store_explicit(&a->discovery, DISCOVERY_DONE, memory_order_release);
    pthread_cond_broadcast(&a->discovered);
    pthread_mutex_unlock(&a->discovery_lock);
    return NULL;
}

/* Begins to look, unless somebody has. */
static void begin_discovery(Backend *a) {
    bool here = false;
    pthread_mutex_lock(&a->discovery_lock);
    if (a->discovery == DISCOVERY_PENDING) {
        atomic_store_explicit(&a->discovery, DISCOVERY_RUNNING, memory_order_release);
        a->in_thread = pthread_create(&a->finder, NULL, find_devices, a) == 0;
        here = !a->in_thread;
    }
    pthread_mutex_unlock(&a->discovery_lock);
    if (here) {
        find_devices(a);
    }
}

void backend_wait_discovery(Backend *a) {
    pthread_mutex_lock(&a->discovery_lock);
    while (a->discovery == DISCOVERY_RUNNING) {
        pthread_cond_wait(&a->discovered, &a->discovery_lock);
    }
    pthread_mutex_unlock(&a->discovery_lock);
}

void backend_discover(Backend *a) {
    if (a != NULL) {
        begin_discovery(a);
        backend_wait_discovery(a);
    }
}

void backend_watch_time(Backend *a) {
    if (atomic_load_explicit(&a->discovery, memory_order_acquire) != DISCOVERY_PENDING) {
        return;
    }
    uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
    if (now < atomic_load_explicit(&a->ask_ns, memory_order_relaxed)) {
        return;
    }
    uint64_t spent = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (spent >= a->discover_after_ns) {
        begin_discovery(a);
    } else {
        uint64_t left = a->discover_after_ns - spent, min = a->discover_after_ns / 50;
        atomic_store_explicit(&a->ask_ns, now + (left > min ? left : min), memory_order_relaxed);
    }
}

Backend *backend_open(const BackendChoice *choice, DeviceError *why) {
    *why = (DeviceError){0};
    Backend *a = mem_zalloc(1, sizeof *a);
    if (a == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return NULL;
    }
    a->mode = choice->mode;
    a->lanes = choice->lanes;
    a->say = choice->say;
    a->user = choice->user;
    pthread_mutex_init(&a->lock, NULL);
    pthread_mutex_init(&a->slot_lock, NULL);
    pthread_cond_init(&a->slot_free, NULL);
    pthread_mutex_init(&a->discovery_lock, NULL);
    pthread_cond_init(&a->discovered, NULL);
    a->discovery = DISCOVERY_DONE;
    if (choice->mode == BACKEND_AUTO) {
        a->discovery = DISCOVERY_PENDING;
        a->discover_after_ns = (uint64_t)(choice->discover_after_s * 1e9);
        a->ask_ns = clock_ns(CLOCK_MONOTONIC_COARSE) + a->discover_after_ns / pool_processors();
        if (a->discover_after_ns == 0) {
            begin_discovery(a);
        }
    } else if (choice->mode == BACKEND_OPENCL) {
        a->devices = devices_open(why);
        bool good = a->devices != NULL;
        unsigned count = 0;
        for (unsigned k = 0; k < choice->count && good; k++) {
            good = add_queue(a, &count, choice->which[k], why);
        }
        a->count = count;
        if (!good) {
            backend_close(a);
            return NULL;
        }
    }
    return a;
}

void backend_set_stop(Backend *a, Stop *stop) {
    if (a != NULL) {
        a->stop = stop;
    }
}

void backend_close(Backend *a) {
    if (a == NULL) {
        return;
    }
    backend_wait_discovery(a);
    if (a->in_thread) {
        pthread_join(a->finder, NULL);
    }
    for (unsigned k = 0; k < a->count; k++) {
        device_queue_close(a->queues[k].queue);
    }
    devices_close(a->devices);
    pthread_cond_destroy(&a->discovered);
    pthread_mutex_destroy(&a->discovery_lock);
    pthread_cond_destroy(&a->slot_free);
    pthread_mutex_destroy(&a->slot_lock);
    pthread_mutex_destroy(&a->lock);
    mem_free(a);
}
