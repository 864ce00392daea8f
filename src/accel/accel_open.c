/* Reading the choice of a device, and opening what was chosen; see accel.h. */
#include "accel/accel_inside.h"
#include "core/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool accel_read(const char *text, AccelChoice *choice, char *why, size_t room) {
    static const char opencl[] = "opencl";
    *choice = (AccelChoice){.mode = ACCEL_CPU};
    if (strcmp(text, "cpu") == 0) {
        return true;
    }
    if (strcmp(text, "auto") == 0) {
        choice->mode = ACCEL_AUTO;
        return true;
    }
    const char *at = text + sizeof opencl - 1;
    if (strncmp(text, opencl, sizeof opencl - 1) != 0 || (*at != ':' && *at != '\0')) {
        snprintf(why, room, "'%.80s' is none of cpu, auto, opencl, opencl:N, opencl:N,M", text);
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

static bool add_station(Accel *a, unsigned which, DeviceError *why) {
    Station *station = station_open(a->devices, which, a->count, a->lanes, why);
    if (station != NULL) {
        a->stations[a->count++] = (AccelStation){.station = station};
    }
    return station != NULL;
}

/* Takes all devices but processors, which are no faster than we are without them. */
static void *find_devices(void *argument) {
    Accel *a = argument;
    DeviceError why = {0};
    a->devices = devices_open(&why);
    unsigned processors = 0;
    for (unsigned k = 0; a->devices != NULL && k < devices_count(a->devices); k++) {
        const DeviceInfo *info = devices_info(a->devices, k);
        processors += info->cpu;
        if (!info->cpu && info->usable && a->count < ACCEL_MOST_DEVICES && !add_station(a, k, &why)) {
            char line[800];
            snprintf(line, sizeof line, "device %s: %s; it is left out", info->name, why.text);
            if (a->say != NULL) {
                a->say(a->user, line);
            }
        }
    }
    if (a->count == 0) {
        const char *reason = a->devices == NULL ? why.text
                             : processors > 0   ? "OpenCL offers only processors, which auto never takes"
                                                : "OpenCL has no device here";
        snprintf(a->note, sizeof a->note, "%.290s", reason);
    }
    return NULL;
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
    if (choice->mode == ACCEL_AUTO) {
        a->finding = pthread_create(&a->finder, NULL, find_devices, a) == 0;
        if (!a->finding) {
            find_devices(a);
        }
    } else if (choice->mode == ACCEL_OPENCL) {
        a->devices = devices_open(why);
        bool good = a->devices != NULL;
        for (unsigned k = 0; k < choice->count && good; k++) {
            good = add_station(a, choice->which[k], why);
        }
        if (!good) {
            accel_close(a);
            return NULL;
        }
    }
    return a;
}

void accel_ready(Accel *a) {
    if (a != NULL && a->finding) {
        pthread_join(a->finder, NULL);
        a->finding = false;
    }
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
    accel_ready(a);
    for (unsigned k = 0; k < a->count; k++) {
        station_close(a->stations[k].station);
    }
    devices_close(a->devices);
    pthread_cond_destroy(&a->seat_free);
    pthread_mutex_destroy(&a->seat_lock);
    pthread_mutex_destroy(&a->lock);
    mem_free(a);
}
