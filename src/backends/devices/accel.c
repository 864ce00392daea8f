/* Who does a job: the processor, or which device; see accel.h. */
#include "backends/devices/accel.h"

#include "backends/devices/accel_inside.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/eval/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const accel_op_names[ACCEL_OPS] = {
#define ACCEL_OP(id, name, text) name,
#include "backends/devices/accel_ops.def"
#undef ACCEL_OP
};
const char *const accel_op_texts[ACCEL_OPS] = {
#define ACCEL_OP(id, name, text) text,
#include "backends/devices/accel_ops.def"
#undef ACCEL_OP
};

/* ---- seats ---- */

void accel_seats(Accel *a, unsigned seats) {
    if (a != NULL) {
        accel_settle(a); /* if it was to look at once, it is known now which devices there are */
        a->seats = (int)seats;
    }
}

/* One whose job runs, and some that wait to share the next launch. If nobody has looked yet, those of one
 * device stand by: that takes a few microseconds. */
static unsigned guests_of(const Accel *a) {
    enum { PER_DEVICE = 3 };
    unsigned devices = a != NULL ? stations_of(a) : 0;
    return PER_DEVICE * (devices == 0 && accel_may_yet(a) ? 1 : devices);
}

static bool is_guest_wanted(const void *user) {
    return accel_uses_device(user);
}

bool accel_pool(Accel *a, Pool *pool, unsigned jobs, const Budget *budget) {
    jobs = jobs != 0 ? jobs : pool_processors();
    accel_seats(a, jobs);
    PoolGuests guests = {.count = guests_of(a), .wanted = is_guest_wanted, .user = a};
    bool good = pool_open(pool, jobs + guests.count, budget);
    pool->guests = guests;
    return good;
}

void accel_sit(Accel *a) {
    if (a == NULL) {
        return;
    }
    accel_watch_time(a);
    if (__atomic_fetch_sub(&a->seats, 1, __ATOMIC_ACQUIRE) <= 0) {
        pthread_mutex_lock(&a->seat_lock);
        while (a->seats_given == 0) {
            pthread_cond_wait(&a->seat_free, &a->seat_lock);
        }
        a->seats_given--;
        pthread_mutex_unlock(&a->seat_lock);
    }
}

void accel_rise(Accel *a) {
    if (a != NULL && __atomic_fetch_add(&a->seats, 1, __ATOMIC_RELEASE) < 0) {
        pthread_mutex_lock(&a->seat_lock);
        a->seats_given++;
        pthread_cond_signal(&a->seat_free);
        pthread_mutex_unlock(&a->seat_lock);
    }
}

/* ---- what went wrong ---- */

static void say(Accel *a, const char *line) {
    if (a->say != NULL) {
        a->say(a->user, line);
    }
}

/* Notes a fault of a station; true: the processor may do the job instead. */
static bool note_fault(Accel *a, unsigned station, const AccelJob *job, const DeviceError *why) {
    enum { MOST_FAULTS = 3 }; /* of a device that is tried again after memory, launches or transfers failed */
    char line[1200];
    AccelStation *at = &a->stations[station];
    bool again = a->mode == ACCEL_AUTO;
    snprintf(line, sizeof line, "device %s: %s: %s%s", station_info(at->station)->name,
             accel_op_names[job->op->id], why->text, again ? "; done again by the processor" : "");
    pthread_mutex_lock(&a->lock);
    a->faults[why->fault]++;
    at->faults++;
    at->barred[job->op->id] |= why->fault == DEVICE_BUILD;
    at->dead |= why->fault == DEVICE_LOST || why->fault == DEVICE_WRONG || at->faults >= MOST_FAULTS;
    if (!again && !a->failed) {
        snprintf(a->failure, sizeof a->failure, "%s", line);
        __atomic_store_n(&a->failed, true, __ATOMIC_RELEASE);
        if (a->stop != NULL) {
            stop_ask(a->stop);
        }
    }
    pthread_mutex_unlock(&a->lock);
    if (again) {
        say(a, line);
    }
    return again;
}

const char *accel_failed(const Accel *a) {
    return a != NULL && __atomic_load_n(&a->failed, __ATOMIC_ACQUIRE) ? a->failure : NULL;
}

/* ---- choosing ---- */

enum { CHECKS = 2 }; /* jobs of an operation and a size that are done on both sides */

static unsigned size_class(uint64_t work) {
    return work == 0 ? 0 : 63 - (unsigned)__builtin_clzll(work);
}

/* The station that is expected to be done first; -1: there is none. Under the lock. */
static int best_station(Accel *a, const AccelJob *job) {
    int best = -1;
    double least = 0;
    for (unsigned k = 0; k < stations_of(a); k++) {
        const AccelStation *at = &a->stations[k];
        double each = at->unit_ns[job->op->id] > 0 ? at->unit_ns[job->op->id] : 1e-9; /* try it first */
        double when = each * ((double)at->given + (double)job->work);
        if (!at->dead && !at->barred[job->op->id] && (best < 0 || when < least)) {
            best = (int)k;
            least = when;
        }
    }
    return best;
}

typedef struct Plan {
    int station; /* -1: the processor alone */
    bool check;  /* both, and compare */
} Plan;

static Plan plan_job(Accel *a, const AccelJob *job) {
    Plan plan = {-1, false};
    pthread_mutex_lock(&a->lock);
    SizeClass *class = &a->classes[job->op->id][size_class(job->work)];
    plan.check = class->begun < CHECKS;
    if (plan.check || a->mode == ACCEL_OPENCL || class->device_ns < class->cpu_ns) {
        plan.station = best_station(a, job);
    }
    plan.check &= plan.station >= 0;
    class->begun += plan.check;
    if (plan.station >= 0) {
        a->stations[plan.station].given += job->work;
    }
    pthread_mutex_unlock(&a->lock);
    return plan;
}

/* The station that was planned with is done with the job, or does not get it. */
static void take_back(Accel *a, unsigned station, const AccelJob *job) {
    pthread_mutex_lock(&a->lock);
    a->stations[station].given -= job->work;
    pthread_mutex_unlock(&a->lock);
}

/* ---- doing ---- */

static void run_cpu(AccelJob *job) {
    uint64_t begin = clock_work_ns();
    job->op->cpu(job);
    job->times.cpu = clock_work_ns() - begin;
}

static void note_cpu(Accel *a, const AccelJob *job) {
    pthread_mutex_lock(&a->lock);
    AccelOpReport *r = &a->ops[job->op->id];
    r->cpu_batches++;
    r->cpu_items += job->items;
    r->cpu_ns += job->times.cpu;
    pthread_mutex_unlock(&a->lock);
}

static uint64_t device_ns(const AccelJob *job) {
    return job->times.transfer + job->times.kernel;
}

static void note_device(Accel *a, unsigned station, const AccelJob *job, bool good) {
    pthread_mutex_lock(&a->lock);
    AccelStation *at = &a->stations[station];
    AccelOpReport *r = &a->ops[job->op->id];
    a->times.wait += job->times.wait;
    a->times.build += job->times.build;
    a->times.transfer += job->times.transfer;
    a->times.kernel += job->times.kernel;
    if (good) {
        double each = (double)device_ns(job) / (double)(job->work > 0 ? job->work : 1);
        double *known = &at->unit_ns[job->op->id];
        *known = *known > 0 ? 0.75 * *known + 0.25 * each : each;
        r->batches++;
        r->items += job->items;
        r->device_ns += device_ns(job);
    }
    pthread_mutex_unlock(&a->lock);
}

/* What a worker waits for, as scopes of the profiler. */
static void told(void *user, StationStage stage) {
    static const Scope scopes[] = {[STAGE_WAITING] = SCOPE_DEVICE_WAIT,
                                   [STAGE_BUILDING] = SCOPE_DEVICE_BUILD,
                                   [STAGE_MOVING] = SCOPE_DEVICE_TRANSFER,
                                   [STAGE_RUNNING] = SCOPE_DEVICE_KERNEL,
                                   [STAGE_DONE] = SCOPE_DEVICE_WAIT};
    scope_enter(user, scopes[stage]);
}

static bool run_station(Accel *a, unsigned station, Ctx *ctx, AccelJob *job, DeviceError *why) {
    bool watched = ctx != NULL && SCOPE_HOOK(ctx) != NULL;
    Scope was = watched ? scope_enter(ctx, SCOPE_DEVICE_WAIT) : SCOPE_NONE;
    accel_rise(a);
    bool good = station_do(a->stations[station].station, job, watched ? told : NULL, ctx, why);
    accel_sit(a);
    if (watched) {
        scope_back(ctx, was);
    }
    take_back(a, station, job);
    note_device(a, station, job, good);
    return good;
}

/* Both sides; the processor's result is the one that counts. */
static bool run_both(Accel *a, unsigned station, Ctx *ctx, AccelJob *job) {
    DeviceError why = {0};
    void *result = job->result, *other = mem_alloc(job->result_bytes);
    if (other == NULL) {
        why = (DeviceError){.fault = DEVICE_MEMORY, .text = "no memory to compare its result"};
        take_back(a, station, job);
    } else {
        job->result = other;
        run_station(a, station, ctx, job, &why);
        job->result = result;
    }
    if (why.fault != DEVICE_FINE) {
        mem_free(other);
        if (!note_fault(a, station, job, &why)) {
            return false;
        }
        run_cpu(job);
        note_cpu(a, job);
        return true;
    }
    run_cpu(job);
    note_cpu(a, job);
    bool same = memcmp(result, other, job->result_bytes) == 0;
    double units = (double)(job->work > 0 ? job->work : 1);
    pthread_mutex_lock(&a->lock);
    SizeClass *class = &a->classes[job->op->id][size_class(job->work)];
    double cpu = (double)job->times.cpu / units, device = (double)device_ns(job) / units;
    class->cpu_ns = class->done == 0 || cpu < class->cpu_ns ? cpu : class->cpu_ns;
    class->device_ns = class->done == 0 || device < class->device_ns ? device : class->device_ns;
    class->done++;
    a->checked++;
    a->differences += !same;
    pthread_mutex_unlock(&a->lock);
    bool good = same;
    if (!same) {
        why.fault = DEVICE_WRONG;
        accel_keep_difference(a, job, station_info(a->stations[station].station)->name, other, why.text,
                              sizeof why.text);
        good = note_fault(a, station, job, &why);
    }
    mem_free(other);
    return good;
}

bool accel_run(Accel *a, Ctx *ctx, AccelJob *job) {
    job->times = (AccelTimes){0};
    if (!accel_uses_device(a)) {
        if (a != NULL) {
            accel_watch_time(a);
        }
        job->op->cpu(job);
        return true;
    }
    if (accel_failed(a) != NULL) {
        return false;
    }
    Plan plan = plan_job(a, job);
    if (plan.check) {
        return run_both(a, (unsigned)plan.station, ctx, job);
    }
    DeviceError why;
    if (plan.station >= 0) {
        if (run_station(a, (unsigned)plan.station, ctx, job, &why)) {
            return true;
        }
        if (!note_fault(a, (unsigned)plan.station, job, &why)) {
            return false;
        }
    }
    run_cpu(job);
    note_cpu(a, job);
    return true;
}

void accel_drop(Accel *a, AccelBlock *block) {
    for (unsigned k = 0; k < accel_stations(a); k++) {
        station_drop(a->stations[k].station, block);
    }
}

bool accel_uses_device(const Accel *a) {
    return accel_stations(a) > 0;
}

bool accel_may_yet(const Accel *a) {
    return accel_uses_device(a) || (a != NULL && __atomic_load_n(&a->looking, __ATOMIC_ACQUIRE) != LOOKED);
}

uint32_t accel_portion(const Accel *a, uint64_t each, uint32_t left) {
    const uint64_t units = accel_uses_device(a) ? (uint64_t)1 << 22 : (uint64_t)1 << 14;
    uint64_t n = each > 0 ? units / each : units;
    n = n < 1 ? 1 : n;
    return n < left ? (uint32_t)n : left;
}

bool accel_run_on(Accel *a, unsigned station, AccelJob *job, DeviceError *why) {
    job->times = (AccelTimes){0};
    bool good = station_do(a->stations[station].station, job, NULL, NULL, why);
    note_device(a, station, job, good);
    return good;
}

unsigned accel_stations(const Accel *a) {
    return a != NULL ? stations_of(a) : 0;
}

const DeviceInfo *accel_station_info(const Accel *a, unsigned station) {
    return station_info(a->stations[station].station);
}

/* ---- what was done ---- */

void accel_report(Accel *a, AccelReport *r) {
    *r = (AccelReport){.mode = a != NULL ? a->mode : ACCEL_CPU};
    snprintf(r->name, sizeof r->name, "cpu");
    if (a == NULL) {
        return;
    }
    accel_settle(a);
    if (accel_may_yet(a) && !accel_uses_device(a)) {
        snprintf(r->note, sizeof r->note,
                 "not looked for: that is done when a run has taken %g s of processor time",
                 (double)a->look_after_ns * 1e-9);
    } else {
        snprintf(r->note, sizeof r->note, "%s", a->note);
    }
    r->devices = stations_of(a);
    size_t length = 0;
    for (unsigned k = 0; k < r->devices; k++) {
        DeviceCounters c = station_counters(a->stations[k].station);
        int n = snprintf(r->name + length, sizeof r->name - length, "%s%s", k > 0 ? " + " : "",
                         station_info(a->stations[k].station)->name);
        length += n > 0 && length + (size_t)n < sizeof r->name ? (size_t)n : 0;
        r->counters.builds += c.builds;
        r->counters.build_ns += c.build_ns;
        r->counters.launches += c.launches;
        r->counters.kernel_ns += c.kernel_ns;
        r->counters.writes += c.writes;
        r->counters.write_bytes += c.write_bytes;
        r->counters.reads += c.reads;
        r->counters.read_bytes += c.read_bytes;
        r->counters.transfer_ns += c.transfer_ns;
        r->counters.held += c.held;
        r->counters.held_most += c.held_most;
    }
    pthread_mutex_lock(&a->lock);
    r->launches = r->counters.launches;
    r->checked = a->checked;
    r->differences = a->differences;
    r->times = a->times;
    memcpy(r->ops, a->ops, sizeof r->ops);
    for (unsigned op = 0; op < ACCEL_OPS; op++) {
        r->batches += a->ops[op].batches;
        r->items += a->ops[op].items;
    }
    for (unsigned fault = 0; fault < DEVICE_FAULTS; fault++) {
        if (a->faults[fault] > 0 && a->mode == ACCEL_AUTO) {
            r->fallbacks[r->n_fallbacks++] = (AccelFallback){(DeviceFault)fault, a->faults[fault]};
        }
    }
    pthread_mutex_unlock(&a->lock);
}
