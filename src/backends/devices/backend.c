/* Who does a job: the processor, or which device; see backend.h. */
#include "backends/devices/backend.h"

#include "backends/devices/backend_internal.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/eval/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const backend_op_names[BACKEND_OPS] = {
#define BACKEND_OP(id, name, text) name,
#include "backends/devices/backend_ops.def"
#undef BACKEND_OP
};
const char *const backend_op_texts[BACKEND_OPS] = {
#define BACKEND_OP(id, name, text) text,
#include "backends/devices/backend_ops.def"
#undef BACKEND_OP
};

/* ---- CPU slots ---- */

void backend_set_slots(Backend *a, unsigned slots) {
    if (a != NULL) {
        backend_wait_discovery(
            a); /* if discovery was to start at once, it is known now which devices there are */
        a->slots = (int)slots;
    }
}

/* One whose job runs, and some that wait to share the next launch. If nobody has looked yet, those of one
 * device stand by: that takes a few microseconds. */
static unsigned spare_count(const Backend *a) {
    enum { PER_DEVICE = 3 };
    unsigned devices = a != NULL ? queue_count(a) : 0;
    return PER_DEVICE * (devices == 0 && backend_may_use_device(a) ? 1 : devices);
}

static bool are_spares_wanted(const void *user) {
    return backend_uses_device(user);
}

bool backend_open_pool(Backend *a, Pool *pool, unsigned jobs, const Budget *budget) {
    jobs = jobs != 0 ? jobs : pool_processors();
    backend_set_slots(a, jobs);
    PoolSpares spares = {.count = spare_count(a), .wanted = are_spares_wanted, .user = a};
    bool good = pool_open(pool, jobs + spares.count, budget);
    pool->spares = spares;
    return good;
}

void backend_acquire_slot(Backend *a) {
    if (a == NULL) {
        return;
    }
    backend_watch_time(a);
    if (atomic_fetch_sub_explicit(&a->slots, 1, memory_order_acquire) <= 0) {
        pthread_mutex_lock(&a->slot_lock);
        while (a->slots_granted == 0) {
            pthread_cond_wait(&a->slot_free, &a->slot_lock);
        }
        a->slots_granted--;
        pthread_mutex_unlock(&a->slot_lock);
    }
}

void backend_release_slot(Backend *a) {
    if (a != NULL && atomic_fetch_add_explicit(&a->slots, 1, memory_order_release) < 0) {
        pthread_mutex_lock(&a->slot_lock);
        a->slots_granted++;
        pthread_cond_signal(&a->slot_free);
        pthread_mutex_unlock(&a->slot_lock);
    }
}

/* ---- what went wrong ---- */

static void say(Backend *a, const char *line) {
    if (a->say != NULL) {
        a->say(a->user, line);
    }
}

/* Notes a fault of a device queue; true: the processor may do the job instead. */
static bool note_fault(Backend *a, unsigned queue, const BackendJob *job, const DeviceError *why) {
    enum { MAX_FAULTS = 3 }; /* of a device that is tried again after memory, launches or transfers failed */
    char line[1200];
    BackendQueue *at = &a->queues[queue];
    bool again = a->mode == BACKEND_AUTO;
    snprintf(line, sizeof line, "device %s: %s: %s%s", device_queue_info(at->queue)->name,
             backend_op_names[job->op->id], why->text, again ? "; done again by the processor" : "");
    pthread_mutex_lock(&a->lock);
    a->faults[why->fault]++;
    at->faults++;
    at->barred[job->op->id] |= why->fault == DEVICE_BUILD;
    at->dead |= why->fault == DEVICE_LOST || why->fault == DEVICE_WRONG || at->faults >= MAX_FAULTS;
    if (!again && !a->failed) {
        snprintf(a->failure, sizeof a->failure, "%s", line);
        atomic_store_explicit(&a->failed, true, memory_order_release);
        if (a->stop != NULL) {
            stop_request(a->stop);
        }
    }
    pthread_mutex_unlock(&a->lock);
    if (again) {
        say(a, line);
    }
    return again;
}

const char *backend_failure(const Backend *a) {
    return a != NULL && atomic_load_explicit(&a->failed, memory_order_acquire) ? a->failure : NULL;
}

/* ---- choosing ---- */

enum { CHECKS = 2 }; /* jobs of an operation and a size that are done on both sides */

static unsigned size_class(uint64_t work) {
    return work == 0 ? 0 : 63 - (unsigned)__builtin_clzll(work);
}

/* The device queue that is expected to be done first; -1: there is none. Under the lock. */
static int best_queue(Backend *a, const BackendJob *job) {
    int best = -1;
    double earliest = 0;
    for (unsigned k = 0; k < queue_count(a); k++) {
        const BackendQueue *at = &a->queues[k];
        double each = at->unit_ns[job->op->id] > 0 ? at->unit_ns[job->op->id] : 1e-9; /* try it first */
        double when = each * ((double)at->given + (double)job->work);
        if (!at->dead && !at->barred[job->op->id] && (best < 0 || when < earliest)) {
            best = (int)k;
            earliest = when;
        }
    }
    return best;
}

typedef struct Plan {
    int queue;  /* -1: the processor alone */
    bool check; /* both, and compare */
} Plan;

static Plan plan_job(Backend *a, const BackendJob *job) {
    Plan plan = {-1, false};
    pthread_mutex_lock(&a->lock);
    SizeClass *class = &a->classes[job->op->id][size_class(job->work)];
    plan.check = class->begun < CHECKS;
    if (plan.check || a->mode == BACKEND_OPENCL || class->device_ns < class->cpu_ns) {
        plan.queue = best_queue(a, job);
    }
    plan.check &= plan.queue >= 0;
    class->begun += plan.check;
    if (plan.queue >= 0) {
        a->queues[plan.queue].given += job->work;
    }
    pthread_mutex_unlock(&a->lock);
    return plan;
}

/* The device queue that was planned with is done with the job, or does not get it. */
static void take_back(Backend *a, unsigned queue, const BackendJob *job) {
    pthread_mutex_lock(&a->lock);
    a->queues[queue].given -= job->work;
    pthread_mutex_unlock(&a->lock);
}

/* ---- doing ---- */

static void run_cpu(BackendJob *job) {
    uint64_t begin = clock_work_ns();
    job->op->cpu(job);
    job->times.cpu = clock_work_ns() - begin;
}

static void note_cpu(Backend *a, const BackendJob *job) {
    pthread_mutex_lock(&a->lock);
    BackendOpReport *r = &a->ops[job->op->id];
    r->cpu_batches++;
    r->cpu_items += job->items;
    r->cpu_ns += job->times.cpu;
    pthread_mutex_unlock(&a->lock);
}

static uint64_t device_ns(const BackendJob *job) {
    return job->times.transfer + job->times.kernel;
}

static void note_device(Backend *a, unsigned queue, const BackendJob *job, bool good) {
    pthread_mutex_lock(&a->lock);
    BackendQueue *at = &a->queues[queue];
    BackendOpReport *r = &a->ops[job->op->id];
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
static void told(void *user, DeviceQueueStage stage) {
    static const Scope scopes[] = {[STAGE_WAITING] = SCOPE_DEVICE_WAIT,
                                   [STAGE_BUILDING] = SCOPE_DEVICE_BUILD,
                                   [STAGE_MOVING] = SCOPE_DEVICE_TRANSFER,
                                   [STAGE_RUNNING] = SCOPE_DEVICE_KERNEL,
                                   [STAGE_DONE] = SCOPE_DEVICE_WAIT};
    scope_enter(user, scopes[stage]);
}

static bool run_on_queue(Backend *a, unsigned queue, Ctx *ctx, BackendJob *job, DeviceError *why) {
    bool watched = ctx != NULL && SCOPE_HOOK(ctx) != NULL;
    Scope was = watched ? scope_enter(ctx, SCOPE_DEVICE_WAIT) : SCOPE_NONE;
    backend_release_slot(a);
    bool good = device_queue_run(a->queues[queue].queue, job, watched ? told : NULL, ctx, why);
    backend_acquire_slot(a);
    if (watched) {
        scope_back(ctx, was);
    }
    take_back(a, queue, job);
    note_device(a, queue, job, good);
    return good;
}

/* Both sides; the processor's result is the one that counts. */
static bool run_both(Backend *a, unsigned queue, Ctx *ctx, BackendJob *job) {
    DeviceError why = {0};
    void *result = job->result, *other = mem_alloc(job->result_bytes);
    if (other == NULL) {
        why = (DeviceError){.fault = DEVICE_MEMORY, .text = "no memory to compare its result"};
        take_back(a, queue, job);
    } else {
        job->result = other;
        run_on_queue(a, queue, ctx, job, &why);
        job->result = result;
    }
    if (why.fault != DEVICE_FINE) {
        mem_free(other);
        if (!note_fault(a, queue, job, &why)) {
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
        backend_save_mismatch(a, job, device_queue_info(a->queues[queue].queue)->name, other, why.text,
                              sizeof why.text);
        good = note_fault(a, queue, job, &why);
    }
    mem_free(other);
    return good;
}

bool backend_run(Backend *a, Ctx *ctx, BackendJob *job) {
    job->times = (BackendTimes){0};
    if (!backend_uses_device(a)) {
        if (a != NULL) {
            backend_watch_time(a);
        }
        job->op->cpu(job);
        return true;
    }
    if (backend_failure(a) != NULL) {
        return false;
    }
    Plan plan = plan_job(a, job);
    if (plan.check) {
        return run_both(a, (unsigned)plan.queue, ctx, job);
    }
    DeviceError why;
    if (plan.queue >= 0) {
        if (run_on_queue(a, (unsigned)plan.queue, ctx, job, &why)) {
            return true;
        }
        if (!note_fault(a, (unsigned)plan.queue, job, &why)) {
            return false;
        }
    }
    run_cpu(job);
    note_cpu(a, job);
    return true;
}

void backend_drop_block(Backend *a, BackendBlock *block) {
    for (unsigned k = 0; k < backend_queue_count(a); k++) {
        device_queue_drop(a->queues[k].queue, block);
    }
}

bool backend_uses_device(const Backend *a) {
    return backend_queue_count(a) > 0;
}

bool backend_may_use_device(const Backend *a) {
    return backend_uses_device(a) ||
           (a != NULL && atomic_load_explicit(&a->discovery, memory_order_acquire) != DISCOVERY_DONE);
}

uint32_t backend_chunk_size(const Backend *a, uint64_t each, uint32_t left) {
    const uint64_t units = backend_uses_device(a) ? (uint64_t)1 << 22 : (uint64_t)1 << 14;
    uint64_t n = each > 0 ? units / each : units;
    n = n < 1 ? 1 : n;
    return n < left ? (uint32_t)n : left;
}

bool backend_run_on(Backend *a, unsigned queue, BackendJob *job, DeviceError *why) {
    job->times = (BackendTimes){0};
    bool good = device_queue_run(a->queues[queue].queue, job, NULL, NULL, why);
    note_device(a, queue, job, good);
    return good;
}

unsigned backend_queue_count(const Backend *a) {
    return a != NULL ? queue_count(a) : 0;
}

const DeviceInfo *backend_queue_info(const Backend *a, unsigned queue) {
    return device_queue_info(a->queues[queue].queue);
}

/* ---- what was done ---- */

void backend_report(Backend *a, BackendReport *r) {
    *r = (BackendReport){.mode = a != NULL ? a->mode : BACKEND_CPU};
    snprintf(r->name, sizeof r->name, "cpu");
    if (a == NULL) {
        return;
    }
    backend_wait_discovery(a);
    if (backend_may_use_device(a) && !backend_uses_device(a)) {
        snprintf(r->note, sizeof r->note,
                 "not looked for: that is done when a run has taken %g s of processor time",
                 (double)a->discover_after_ns * 1e-9);
    } else {
        snprintf(r->note, sizeof r->note, "%s", a->note);
    }
    r->devices = queue_count(a);
    size_t length = 0;
    for (unsigned k = 0; k < r->devices; k++) {
        DeviceCounters c = device_queue_counters(a->queues[k].queue);
        int n = snprintf(r->name + length, sizeof r->name - length, "%s%s", k > 0 ? " + " : "",
                         device_queue_info(a->queues[k].queue)->name);
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
        r->counters.held_peak += c.held_peak;
    }
    pthread_mutex_lock(&a->lock);
    r->launches = r->counters.launches;
    r->checked = a->checked;
    r->differences = a->differences;
    r->times = a->times;
    memcpy(r->ops, a->ops, sizeof r->ops);
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        r->batches += a->ops[op].batches;
        r->items += a->ops[op].items;
    }
    for (unsigned fault = 0; fault < DEVICE_FAULTS; fault++) {
        if (a->faults[fault] > 0 && a->mode == BACKEND_AUTO) {
            r->fallbacks[r->n_fallbacks++] = (BackendFallback){(DeviceFault)fault, a->faults[fault]};
        }
    }
    pthread_mutex_unlock(&a->lock);
}
