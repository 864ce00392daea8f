/* Chooses the backend of a job: the CPU or a device; see backend.h. */
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

/* One whose job runs, and some that wait to share the next launch. If nobody has looked yet, those of one
 * device stand by: that takes a few microseconds. */
static unsigned spare_count(const Backend *b) {
    enum { PER_DEVICE = 3 };
    unsigned devices = b != NULL ? queue_count(b) : 0;
    return PER_DEVICE * (devices == 0 && backend_may_use_device(b) ? 1 : devices);
}

static bool are_spares_wanted(void *user) {
    backend_watch_time(user);
    return backend_uses_device(user);
}

bool backend_open_pool(Backend *b, Pool *pool, unsigned jobs, const Budget *budget) {
    jobs = jobs != 0 ? jobs : pool_processors();
    if (b == NULL) {
        return pool_open(pool, jobs, budget);
    }
    backend_wait_discovery(b); /* if it was to begin at once, it is known now which devices there are */
    PoolSpares spares = {.count = spare_count(b), .wanted = are_spares_wanted, .user = b, .slots = &b->slots};
    bool good = pool_open(pool, jobs + spares.count, budget);
    pool->spares = spares;
    b->slots.free = (int)jobs;
    return good;
}

/* ---- what went wrong ---- */

static void say(Backend *b, const char *line) {
    if (b->say != NULL) {
        b->say(b->user, line);
    }
}

bool backend_note_fault(Backend *b, unsigned queue, BackendOpId op, const DeviceError *why) {
    enum { MAX_FAULTS = 3 }; /* of a device that is tried again after memory, launches or transfers failed */
    char line[1200];
    BackendQueue *at = &b->queues[queue];
    bool again = b->mode == BACKEND_AUTO;
    snprintf(line, sizeof line, "device %s: %s: %s%s", device_queue_info(at->queue)->name,
             backend_op_names[op], why->text, again ? "; repeated on the CPU" : "");
    pthread_mutex_lock(&b->lock);
    b->faults[why->fault]++;
    at->faults++;
    at->barred[op] |= why->fault == DEVICE_BUILD;
    at->dead |= why->fault == DEVICE_LOST || why->fault == DEVICE_WRONG || at->faults >= MAX_FAULTS;
    if (!again && !b->failed) {
        snprintf(b->failure, sizeof b->failure, "%s", line);
        atomic_store_explicit(&b->failed, true, memory_order_release);
        if (b->stop != NULL) {
            stop_request(b->stop);
        }
    }
    pthread_mutex_unlock(&b->lock);
    if (again) {
        say(b, line);
    }
    return again;
}

const char *backend_failure(const Backend *b) {
    return b != NULL && atomic_load_explicit(&b->failed, memory_order_acquire) ? b->failure : NULL;
}

/* ---- choosing ---- */

enum { CHECKS = 2 }; /* jobs of an operation and a size that are done on both sides */

static unsigned size_class(uint64_t work) {
    return work == 0 ? 0 : 63 - (unsigned)__builtin_clzll(work);
}

/* The device queue that is expected to be done first; -1: there is none. Under the lock. */
static int best_queue(Backend *b, const BackendJob *job) {
    int best = -1;
    double earliest = 0;
    for (unsigned k = 0; k < queue_count(b); k++) {
        const BackendQueue *at = &b->queues[k];
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

static Plan plan_job(Backend *b, const BackendJob *job) {
    Plan plan = {-1, false};
    pthread_mutex_lock(&b->lock);
    SizeClass *class = &b->classes[job->op->id][size_class(job->work)];
    plan.check = class->begun < CHECKS;
    if (plan.check || b->mode == BACKEND_OPENCL || class->device_ns < class->cpu_ns) {
        plan.queue = best_queue(b, job);
    }
    plan.check &= plan.queue >= 0;
    class->begun += plan.check;
    if (plan.queue >= 0) {
        b->queues[plan.queue].given += job->work;
    }
    pthread_mutex_unlock(&b->lock);
    return plan;
}

/* The device queue that was planned with is done with the job, or does not get it. */
static void take_back(Backend *b, unsigned queue, const BackendJob *job) {
    pthread_mutex_lock(&b->lock);
    b->queues[queue].given -= job->work;
    pthread_mutex_unlock(&b->lock);
}

/* ---- doing ---- */

static void run_cpu(BackendJob *job) {
    uint64_t begin = clock_work_ns();
    job->op->cpu(job);
    job->times.cpu = clock_work_ns() - begin;
}

static void note_cpu(Backend *b, const BackendJob *job) {
    pthread_mutex_lock(&b->lock);
    BackendOpReport *r = &b->ops[job->op->id];
    r->cpu_batches++;
    r->cpu_items += job->items;
    r->cpu_ns += job->times.cpu;
    pthread_mutex_unlock(&b->lock);
}

static uint64_t device_ns(const BackendJob *job) {
    return job->times.transfer + job->times.kernel;
}

static void note_device(Backend *b, unsigned queue, const BackendJob *job, bool good) {
    pthread_mutex_lock(&b->lock);
    BackendQueue *at = &b->queues[queue];
    BackendOpReport *r = &b->ops[job->op->id];
    b->times.wait += job->times.wait;
    b->times.build += job->times.build;
    b->times.transfer += job->times.transfer;
    b->times.kernel += job->times.kernel;
    at->report.wait_ns += job->times.wait;
    at->report.batches += good;
    if (good) {
        double each = (double)device_ns(job) / (double)(job->work > 0 ? job->work : 1);
        double *known = &at->unit_ns[job->op->id];
        *known = *known > 0 ? 0.75 * *known + 0.25 * each : each;
        r->batches++;
        r->items += job->items;
        r->device_ns += device_ns(job);
    }
    pthread_mutex_unlock(&b->lock);
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

static bool run_on_queue(Backend *b, unsigned queue, Ctx *ctx, BackendJob *job, DeviceError *why) {
    bool watched = ctx != NULL && SCOPE_HOOK(ctx) != NULL;
    Scope was = watched ? scope_enter(ctx, SCOPE_DEVICE_WAIT) : SCOPE_NONE;
    slots_release(&b->slots);
    bool good = device_queue_run(b->queues[queue].queue, job, watched ? told : NULL, ctx, why);
    slots_acquire(&b->slots);
    if (watched) {
        scope_back(ctx, was);
    }
    take_back(b, queue, job);
    note_device(b, queue, job, good);
    return good;
}

/* Both sides; the processor's result is the one that counts. */
static bool run_both(Backend *b, unsigned queue, Ctx *ctx, BackendJob *job) {
    DeviceError why = {0};
    void *result = job->result, *other = mem_alloc(job->result_bytes);
    if (other == NULL) {
        why = (DeviceError){.fault = DEVICE_MEMORY, .text = "no memory to compare its result"};
        take_back(b, queue, job);
    } else {
        job->result = other;
        run_on_queue(b, queue, ctx, job, &why);
        job->result = result;
    }
    if (why.fault != DEVICE_FINE) {
        mem_free(other);
        if (!backend_note_fault(b, queue, job->op->id, &why)) {
            return false;
        }
        run_cpu(job);
        note_cpu(b, job);
        return true;
    }
    run_cpu(job);
    note_cpu(b, job);
    bool same = memcmp(result, other, job->result_bytes) == 0;
    double units = (double)(job->work > 0 ? job->work : 1);
    pthread_mutex_lock(&b->lock);
    SizeClass *class = &b->classes[job->op->id][size_class(job->work)];
    double cpu = (double)job->times.cpu / units, device = (double)device_ns(job) / units;
    class->cpu_ns = class->done == 0 || cpu < class->cpu_ns ? cpu : class->cpu_ns;
    class->device_ns = class->done == 0 || device < class->device_ns ? device : class->device_ns;
    class->done++;
    b->checked++;
    b->differences += !same;
    pthread_mutex_unlock(&b->lock);
    bool good = same;
    if (!same) {
        why.fault = DEVICE_WRONG;
        backend_save_mismatch(b, job, device_queue_info(b->queues[queue].queue)->name, other, why.text,
                              sizeof why.text);
        good = backend_note_fault(b, queue, job->op->id, &why);
    }
    mem_free(other);
    return good;
}

bool backend_run(Backend *b, Ctx *ctx, BackendJob *job) {
    job->times = (BackendTimes){0};
    if (!backend_uses_device(b)) {
        if (b != NULL) {
            backend_watch_time(b);
        }
        job->op->cpu(job);
        return true;
    }
    if (backend_failure(b) != NULL) {
        return false;
    }
    Plan plan = plan_job(b, job);
    if (plan.check) {
        return run_both(b, (unsigned)plan.queue, ctx, job);
    }
    DeviceError why;
    if (plan.queue >= 0) {
        if (run_on_queue(b, (unsigned)plan.queue, ctx, job, &why)) {
            return true;
        }
        if (!backend_note_fault(b, (unsigned)plan.queue, job->op->id, &why)) {
            return false;
        }
    }
    run_cpu(job);
    note_cpu(b, job);
    return true;
}

void backend_drop_block(Backend *b, BackendBlock *block) {
    for (unsigned k = 0; k < backend_queue_count(b); k++) {
        device_queue_drop(b->queues[k].queue, block);
    }
}

bool backend_uses_device(const Backend *b) {
    return backend_queue_count(b) > 0;
}

bool backend_may_use_device(const Backend *b) {
    return backend_uses_device(b) ||
           (b != NULL && atomic_load_explicit(&b->discovery, memory_order_acquire) != DISCOVERY_DONE);
}

uint32_t backend_chunk_size(const Backend *b, uint64_t each, uint32_t left) {
    const uint64_t units = backend_uses_device(b) ? (uint64_t)1 << 22 : (uint64_t)1 << 14;
    uint64_t n = each > 0 ? units / each : units;
    n = n < 1 ? 1 : n;
    return n < left ? (uint32_t)n : left;
}

bool backend_run_on(Backend *b, unsigned queue, BackendJob *job, DeviceError *why) {
    job->times = (BackendTimes){0};
    bool good = device_queue_run(b->queues[queue].queue, job, NULL, NULL, why);
    note_device(b, queue, job, good);
    return good;
}

unsigned backend_queue_count(const Backend *b) {
    return b != NULL ? queue_count(b) : 0;
}

const DeviceInfo *backend_queue_info(const Backend *b, unsigned queue) {
    return device_queue_info(b->queues[queue].queue);
}

/* ---- what was done ---- */

void backend_set_reason(Backend *b, const char *reason) {
    if (b != NULL) {
        pthread_mutex_lock(&b->lock);
        snprintf(b->reason, sizeof b->reason, "%s", reason);
        pthread_mutex_unlock(&b->lock);
    }
}

void backend_note_checked(Backend *b, bool same) {
    pthread_mutex_lock(&b->lock);
    b->checked++;
    b->differences += !same;
    pthread_mutex_unlock(&b->lock);
}

void backend_note_levels(Backend *b, const BackendShare *share, uint64_t ns) {
    pthread_mutex_lock(&b->lock);
    BackendOpReport *op = &b->ops[BACKEND_BATTERY];
    op->batches++;
    op->items += share->device_calls;
    op->cpu_items += share->host_calls;
    op->device_ns += ns;
    uint64_t device = b->share.device_calls, host = b->share.host_calls, left = b->share.left,
             samples = b->share.samples;
    b->share = *share;
    b->share.device_calls += device;
    b->share.host_calls += host;
    b->share.left += left;
    b->share.samples += samples;
    pthread_mutex_unlock(&b->lock);
}

static void add_counters(DeviceCounters *to, const DeviceCounters *c) {
    to->builds += c->builds;
    to->build_ns += c->build_ns;
    to->launches += c->launches;
    to->kernel_ns += c->kernel_ns;
    to->writes += c->writes;
    to->write_bytes += c->write_bytes;
    to->reads += c->reads;
    to->read_bytes += c->read_bytes;
    to->transfer_ns += c->transfer_ns;
    to->held += c->held;
    to->held_peak += c->held_peak;
}

void backend_note_device(Backend *b, unsigned queue, uint64_t calls, const DeviceCounters *counters) {
    pthread_mutex_lock(&b->lock);
    b->queues[queue].report.calls += calls;
    add_counters(&b->queues[queue].report.counters, counters);
    pthread_mutex_unlock(&b->lock);
}

/* On how many of the sizes that were compared a device was faster. Under the lock. */
static void report_sizes(const Backend *b, unsigned op, BackendOpReport *r) {
    for (unsigned k = 0; k < sizeof b->classes[op] / sizeof *b->classes[op]; k++) {
        const SizeClass *class = &b->classes[op][k];
        r->sizes += class->done > 0;
        r->faster += class->done > 0 && class->device_ns < class->cpu_ns;
    }
}

void backend_report(Backend *b, BackendReport *r) {
    *r = (BackendReport){.mode = b != NULL ? b->mode : BACKEND_CPU};
    snprintf(r->name, sizeof r->name, "cpu");
    if (b == NULL) {
        return;
    }
    backend_wait_discovery(b);
    if (backend_may_use_device(b) && !backend_uses_device(b)) {
        snprintf(r->note, sizeof r->note,
                 "not looked for: that is done when a run has taken %g s of processor time",
                 (double)b->discover_after_ns * 1e-9);
    } else {
        snprintf(r->note, sizeof r->note, "%s", b->note);
    }
    r->devices = queue_count(b);
    size_t length = 0;
    for (unsigned k = 0; k < r->devices; k++) {
        BackendDeviceReport *each = &r->each[k];
        DeviceCounters c = device_queue_counters(b->queues[k].queue);
        pthread_mutex_lock(&b->lock);
        *each = b->queues[k].report;
        pthread_mutex_unlock(&b->lock);
        add_counters(&each->counters, &c);
        add_counters(&r->counters, &each->counters);
        each->name = device_queue_info(b->queues[k].queue)->name;
        int n = snprintf(r->name + length, sizeof r->name - length, "%s%s", k > 0 ? " + " : "", each->name);
        length += n > 0 && length + (size_t)n < sizeof r->name ? (size_t)n : 0;
    }
    pthread_mutex_lock(&b->lock);
    r->share = b->share;
    snprintf(r->reason, sizeof r->reason, "%s", b->reason);
    r->launches = r->counters.launches;
    r->checked = b->checked;
    r->differences = b->differences;
    r->times = b->times;
    memcpy(r->ops, b->ops, sizeof r->ops);
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        report_sizes(b, op, &r->ops[op]);
        r->batches += b->ops[op].batches;
        r->items += b->ops[op].items;
    }
    for (unsigned fault = 0; fault < DEVICE_FAULTS; fault++) {
        if (b->faults[fault] > 0 && b->mode == BACKEND_AUTO) {
            r->fallbacks[r->n_fallbacks++] = (BackendFallback){(DeviceFault)fault, b->faults[fault]};
        }
    }
    pthread_mutex_unlock(&b->lock);
}
