/* Reading the choice of a device, and opening what was chosen; see accel.h. */
#include "backends/devices/accel_inside.h"
#include "base/alloc.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands after "auto": nothing, or a colon and seconds. */
static bool read_auto(const char *text, AccelChoice *choice, char *why, size_t room) {
    const double most = 1e6;
    char *end = NULL;
    choice->mode = ACCEL_AUTO;
    choice->look_after_s = ACCEL_LOOK_AFTER_S;
    if (*text == '\0') {
        return true;
    }
    bool digit = text[1] >= '0' && text[1] <= '9';
    choice->look_after_s = digit ? strtod(text + 1, &end) : -1;
    if (!digit || *end != '\0' || !(choice->look_after_s <= most)) {
        snprintf(why, room, "'auto%.80s': after the colon stand seconds of processor time, 0 to %.0f", text,
                 most);
        return false;
    }
    return true;
}

bool accel_read(const char *text, AccelChoice *choice, char *why, size_t room) {
    static const char opencl[] = "opencl";
    *choice = (AccelChoice){.mode = ACCEL_CPU};
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
    choice->mode = ACCEL_OPENCL;
    choice->count = *at == '\0';
    while (*at != '\0') { /* at the colon or a comma */
        char *end;
        unsigned long n = at[1] >= '0' && at[1] <= '9' ? strtoul(at + 1, &end, 10) : 1000;
        if (n >= 1000 || (*end != ',' && *end != '\0') || choice->count == ACCEL_MOST_DEVICES) {
            snprintf(why, room, "'%.80s': after the colon stand numbers of devices, at most %d, with commas",
                     text, ACCEL_MOST_DEVICES);
            return false;
        }
        choice->which[choice->count++] = (unsigned)n;
        at = end;
    }
    return true;
}

static bool add_station(Accel *a, unsigned *count, unsigned which, DeviceError *why) {
    Station *station = station_open(a->devices, which, *count, a->lanes, why);
    if (station != NULL) {
        a->stations[(*count)++] = (AccelStation){.station = station};
    }
    return station != NULL;
}

/* ---- looking for devices ---- */

/* Takes all devices but processors, which are no faster than we are without them. */
static void *find_devices(void *argument) {
    Accel *a = argument;
    DeviceError why = {0};
    a->devices = devices_open(&why);
    unsigned all = a->devices != NULL ? devices_count(a->devices) : 0, processors = 0, count = 0;
    for (unsigned k = 0; k < all; k++) {
        const DeviceInfo *info = devices_info(a->devices, k);
        processors += info->cpu;
        if (!info->cpu && count < ACCEL_MOST_DEVICES && !add_station(a, &count, k, &why)) {
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
    __atomic_store_n(&a->count, count, __ATOMIC_RELEASE);
    pthread_mutex_lock(&a->look_lock);
    __atomic_store_n(&a->looking, LOOKED, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&a->looked);
    pthread_mutex_unlock(&a->look_lock);
    return NULL;
}

/* Begins to look, unless somebody has. */
static void begin_look(Accel *a) {
    bool here = false;
    pthread_mutex_lock(&a->look_lock);
    if (a->looking == NOT_LOOKED) {
        __atomic_store_n(&a->looking, LOOK_BEGUN, __ATOMIC_RELEASE);
        a->in_thread = pthread_create(&a->finder, NULL, find_devices, a) == 0;
        here = !a->in_thread;
    }
    pthread_mutex_unlock(&a->look_lock);
    if (here) {
        find_devices(a);
    }
}

void accel_settle(Accel *a) {
    pthread_mutex_lock(&a->look_lock);
    while (a->looking == LOOK_BEGUN) {
        pthread_cond_wait(&a->looked, &a->look_lock);
    }
    pthread_mutex_unlock(&a->look_lock);
}

void accel_look(Accel *a) {
    if (a != NULL) {
        begin_look(a);
        accel_settle(a);
    }
}

void accel_watch_time(Accel *a) {
    if (__atomic_load_n(&a->looking, __ATOMIC_ACQUIRE) != NOT_LOOKED) {
        return;
    }
    uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);
    if (now < __atomic_load_n(&a->ask_ns, __ATOMIC_RELAXED)) {
        return;
    }
    uint64_t spent = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    if (spent >= a->look_after_ns) {
        begin_look(a);
    } else {
        uint64_t left = a->look_after_ns - spent, least = a->look_after_ns / 50;
        __atomic_store_n(&a->ask_ns, now + (left > least ? left : least), __ATOMIC_RELAXED);
    }
}

Accel *accel_open(const AccelChoice *choice, DeviceError *why) {
    *why = (DeviceError){0};
    Accel *a = mem_zalloc(1, sizeof *a);
    if (a == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return NULL;
    }
    a->mode = choice->mode;
    a->lanes = choice->lanes;
    a->say = choice->say;
    a->user = choice->user;
    pthread_mutex_init(&a->lock, NULL);
    pthread_mutex_init(&a->seat_lock, NULL);
    pthread_cond_init(&a->seat_free, NULL);
    pthread_mutex_init(&a->look_lock, NULL);
    pthread_cond_init(&a->looked, NULL);
    a->looking = LOOKED;
    if (choice->mode == ACCEL_AUTO) {
        a->looking = NOT_LOOKED;
        a->look_after_ns = (uint64_t)(choice->look_after_s * 1e9);
        a->ask_ns = clock_ns(CLOCK_MONOTONIC_COARSE) + a->look_after_ns / pool_processors();
        if (a->look_after_ns == 0) {
            begin_look(a);
        }
    } else if (choice->mode == ACCEL_OPENCL) {
        a->devices = devices_open(why);
        bool good = a->devices != NULL;
        for (unsigned k = 0; k < choice->count && good; k++) {
            good = add_station(a, &a->count, choice->which[k], why);
        }
        if (!good) {
            accel_close(a);
            return NULL;
        }
    }
    return a;
}

void accel_stop_by(Accel *a, Stop *stop) {
    if (a != NULL) {
        a->stop = stop;
    }
}

void accel_close(Accel *a) {
    if (a == NULL) {
        return;
    }
    accel_settle(a);
    if (a->in_thread) {
        pthread_join(a->finder, NULL);
    }
    for (unsigned k = 0; k < a->count; k++) {
        station_close(a->stations[k].station);
    }
    devices_close(a->devices);
    pthread_cond_destroy(&a->looked);
    pthread_mutex_destroy(&a->look_lock);
    pthread_cond_destroy(&a->seat_free);
    pthread_mutex_destroy(&a->seat_lock);
    pthread_mutex_destroy(&a->lock);
    mem_free(a);
}
