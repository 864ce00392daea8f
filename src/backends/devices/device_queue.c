/* Submits jobs to a device; see device_queue.h. */
#include "backends/devices/device_queue.h"

#include "backends/devices/device_heap.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SHARED = 64 };                             /* jobs of a launch */
static const uint64_t MEMORY_MAX = (uint64_t)1 << 30; /* of a device that we take */

typedef struct TableRow { /* struct Job of kernels/common.cl */
    uint64_t block[BACKEND_MAX_BLOCKS], args, result, scratch;
    uint32_t number[BACKEND_NUMBERS], first, groups;
} TableRow;
_Static_assert(sizeof(TableRow) == 104, "kernels/common.cl has the same");

typedef struct Waiting { /* on the stack of the job's owner */
    BackendJob *job;
    DeviceError error;
    uint64_t since_ns;
    DeviceQueueStage stage;
    bool watched;
    struct Waiting *next;
} Waiting;

struct DeviceQueue {
    Device *device;
    unsigned index;
    uint32_t lanes; /* of all work-groups; 0: as the operation says */
    pthread_t thread;
    pthread_mutex_t lock; /* of all up to `counters` */
    pthread_cond_t work, change;
    Waiting *first, **end; /* jobs that wait */
    bool closing, lost;
    DeviceHeap heap;
    DeviceCounters counters; /* a copy for other threads */
    /* only the thread uses these */
    DeviceBuffer *memory;
    DeviceProgram *programs[BACKEND_OPS];
    DeviceKernel *kernels[BACKEND_OPS][BACKEND_MAX_KERNELS];
    uint32_t op_lanes[BACKEND_OPS];
    unsigned char *staging;
    size_t staging_room;
};

/* ---- stages ---- */

static void tell(DeviceQueue *q, Waiting **jobs, unsigned n, DeviceQueueStage stage) {
    bool watched = stage == STAGE_DONE;
    for (unsigned k = 0; k < n; k++) {
        watched |= jobs[k]->watched;
    }
    if (watched) {
        pthread_mutex_lock(&q->lock);
        for (unsigned k = 0; k < n; k++) {
            jobs[k]->stage = stage;
        }
        pthread_cond_broadcast(&q->change);
        pthread_mutex_unlock(&q->lock);
    }
}

/* ---- programs ---- */

static bool build(DeviceQueue *q, const BackendOp *op, DeviceError *why) {
    const DeviceInfo *info = q->device->info;
    if (q->programs[op->id] == NULL) {
        const char *sources[] = {kernel_source(KERNEL_COMMON), kernel_source(op->source)};
        char options[64];
        uint32_t lanes = q->lanes != 0 ? q->lanes : info->cpu ? 1 : op->lanes;
        while (lanes > info->max_work_group && lanes > 1) { /* a power of two, which group_min() needs */
            lanes /= 2;
        }
        snprintf(options, sizeof options, "-DLANES=%u", lanes);
        q->programs[op->id] = device_program(q->device, sources, 2, options, why);
        q->op_lanes[op->id] = lanes;
    }
    bool good = q->programs[op->id] != NULL;
    for (unsigned k = 0; k < op->n_kernels && good; k++) {
        DeviceKernel **kernel = &q->kernels[op->id][k];
        *kernel =
            *kernel != NULL ? *kernel : device_kernel(q->device, q->programs[op->id], op->kernels[k], why);
        good = *kernel != NULL;
        if (good && (*kernel)->lanes < q->op_lanes[op->id]) {
            *why = (DeviceError){.fault = DEVICE_BUILD};
            snprintf(why->text, sizeof why->text, "%s runs with %zu work-items in a group, not with %u",
                     op->kernels[k], (*kernel)->lanes, q->op_lanes[op->id]);
            good = false;
        }
    }
    return good;
}

/* ---- memory ---- */

static bool open_memory(DeviceQueue *q, DeviceError *why) {
    const DeviceInfo *info = q->device->info;
    uint64_t bytes = info->memory / 4 < MEMORY_MAX ? info->memory / 4 : MEMORY_MAX;
    bytes = info->max_alloc < bytes ? info->max_alloc : bytes;
    if (q->memory != NULL) {
        return true;
    }
    q->memory = device_buffer(q->device, (size_t)bytes, why);
    if (q->memory != NULL && q->heap.spans == NULL && !device_heap_open(&q->heap, bytes)) {
        device_buffer_free(q->device, q->memory);
        q->memory = NULL;
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
    }
    return q->memory != NULL;
}

static uint64_t take(DeviceQueue *q, uint64_t bytes, DeviceError *why) {
    pthread_mutex_lock(&q->lock);
    uint64_t at = device_heap_alloc(&q->heap, bytes);
    uint64_t used = q->heap.used;
    pthread_mutex_unlock(&q->lock);
    if (at == DEVICE_HEAP_NONE) {
        *why = (DeviceError){.fault = DEVICE_MEMORY};
        snprintf(why->text, sizeof why->text, "no room for %llu bytes: %llu are in use",
                 (unsigned long long)bytes, (unsigned long long)used);
    }
    return at;
}

static void give(DeviceQueue *q, uint64_t at) {
    pthread_mutex_lock(&q->lock);
    device_heap_free(&q->heap, at);
    pthread_mutex_unlock(&q->lock);
}

/* What a block holds goes up once. */
static bool put_blocks(DeviceQueue *q, const BackendJob *job, DeviceError *why) {
    for (unsigned k = 0; k < BACKEND_MAX_BLOCKS; k++) {
        BackendBlock *b = job->blocks[k];
        if (b == NULL || b->at[q->index] != 0) {
            continue;
        }
        uint64_t at = take(q, b->size, why);
        if (at == DEVICE_HEAP_NONE) {
            return false;
        }
        if (!device_write(q->device, q->memory, (size_t)at, b->bytes, b->size, why)) {
            give(q, at);
            return false;
        }
        b->at[q->index] = at + 1;
    }
    return true;
}

static bool reserve_staging(DeviceQueue *q, size_t bytes) {
    if (bytes > q->staging_room) {
        unsigned char *more = mem_grow(q->staging, bytes + bytes / 2, 1);
        if (more == NULL) {
            return false;
        }
        q->staging = more;
        q->staging_room = bytes + bytes / 2;
    }
    return true;
}

/* ---- a launch ---- */

typedef struct Launch {
    const BackendOp *op;
    Waiting **jobs;
    unsigned n, stages;
    uint64_t at;                   /* of all that follows, in the arena */
    size_t tables, args, up_bytes; /* first the tables by stage, then arguments: these go up */
    size_t result, down_bytes;     /* then results: these come down */
    size_t whole;                  /* then scratch memory */
} Launch;

static unsigned stages_of(const BackendJob *job) {
    return job->op->stages != NULL ? job->op->stages(job) : job->op->n_kernels;
}

static size_t aligned(size_t bytes) {
    return (bytes + DEVICE_HEAP_ALIGN - 1) / DEVICE_HEAP_ALIGN * DEVICE_HEAP_ALIGN;
}

static void lay_out(Launch *l) {
    l->stages = 0;
    for (unsigned k = 0; k < l->n; k++) {
        unsigned stages = stages_of(l->jobs[k]->job);
        l->stages = stages > l->stages ? stages : l->stages;
    }
    l->tables = 0;
    l->args = aligned((size_t)l->stages * l->n * sizeof(TableRow));
    l->result = l->args;
    for (unsigned k = 0; k < l->n; k++) {
        l->result += aligned(l->jobs[k]->job->arg_bytes);
    }
    l->up_bytes = l->result;
    l->whole = l->result;
    for (unsigned k = 0; k < l->n; k++) {
        l->whole += aligned(l->jobs[k]->job->result_bytes);
    }
    l->down_bytes = l->whole - l->result;
    for (unsigned k = 0; k < l->n; k++) {
        l->whole += aligned(l->jobs[k]->job->scratch_bytes);
    }
}

static void fill_staging(const DeviceQueue *q, const Launch *l) {
    TableRow *rows = (TableRow *)(void *)q->staging;
    size_t args = l->args, result = l->result, scratch = l->result + l->down_bytes;
    memset(q->staging, 0, l->up_bytes);
    for (unsigned k = 0; k < l->n; k++) {
        const BackendJob *job = l->jobs[k]->job;
        TableRow row = {.args = l->at + args, .result = l->at + result, .scratch = l->at + scratch};
        for (unsigned b = 0; b < BACKEND_MAX_BLOCKS; b++) {
            row.block[b] = job->blocks[b] != NULL ? job->blocks[b]->at[q->index] - 1 : 0;
        }
        memcpy(row.number, job->numbers, sizeof row.number);
        if (job->arg_bytes > 0) {
            memcpy(q->staging + args, job->args, job->arg_bytes);
        }
        for (unsigned stage = 0; stage < l->stages; stage++) {
            TableRow *to = &rows[stage * l->n + k];
            bool takes_part = stage < stages_of(job);
            *to = row;
            to->first = k > 0 ? to[-1].first + to[-1].groups : 0;
            to->groups = takes_part ? l->op->groups(job, stage) : 0;
        }
        args += aligned(job->arg_bytes);
        result += aligned(job->result_bytes);
        scratch += aligned(job->scratch_bytes);
    }
}

static bool run_stages(DeviceQueue *q, const Launch *l, DeviceError *why) {
    for (unsigned stage = 0; stage < l->stages; stage++) {
        const TableRow *last = (const TableRow *)(const void *)q->staging + (size_t)stage * l->n + l->n - 1;
        uint64_t table = l->at + (size_t)stage * l->n * sizeof(TableRow);
        uint32_t jobs = l->n, number = stage;
        unsigned kernel = stage % l->op->n_kernels;
        const DeviceArg args[] = {{.buffer = q->memory},
                                  {.value = &table, .bytes = sizeof table},
                                  {.value = &jobs, .bytes = sizeof jobs},
                                  {.value = &number, .bytes = sizeof number}};
        if (!device_launch(q->device, q->kernels[l->op->id][kernel], args, 4, last->first + last->groups,
                           q->op_lanes[l->op->id], why)) {
            return false;
        }
    }
    return true;
}

static bool fetch(DeviceQueue *q, const Launch *l, DeviceError *why) {
    if (!device_read(q->device, q->memory, (size_t)l->at + l->result, q->staging, l->down_bytes, why)) {
        return false;
    }
    size_t from = 0;
    for (unsigned k = 0; k < l->n; k++) {
        BackendJob *job = l->jobs[k]->job;
        memcpy(job->result, q->staging + from, job->result_bytes);
        from += aligned(job->result_bytes);
    }
    return true;
}

static bool launch(DeviceQueue *q, Waiting **jobs, unsigned n, DeviceError *why) {
    Launch l = {.op = jobs[0]->job->op, .jobs = jobs, .n = n};
    tell(q, jobs, n, STAGE_BUILDING);
    if (!build(q, l.op, why)) {
        return false;
    }
    tell(q, jobs, n, STAGE_MOVING);
    bool good = open_memory(q, why);
    for (unsigned k = 0; k < n && good; k++) {
        good = put_blocks(q, jobs[k]->job, why);
    }
    lay_out(&l);
    size_t max = l.up_bytes > l.down_bytes ? l.up_bytes : l.down_bytes;
    if (good && !reserve_staging(q, max)) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        good = false;
    }
    l.at = good ? take(q, l.whole, why) : DEVICE_HEAP_NONE;
    if (l.at == DEVICE_HEAP_NONE) {
        return false;
    }
    fill_staging(q, &l);
    good = device_write(q->device, q->memory, (size_t)l.at, q->staging, l.up_bytes, why);
    tell(q, jobs, n, STAGE_RUNNING);
    good = good && run_stages(q, &l, why);
    tell(q, jobs, n, STAGE_MOVING);
    good = good && fetch(q, &l, why);
    give(q, l.at);
    return good;
}

/* ---- the thread ---- */

/* Takes the first job, and those after it that are of the same operation. */
static unsigned take_jobs(DeviceQueue *q, Waiting **jobs) {
    unsigned n = 0;
    q->end = &q->first;
    for (Waiting **at = &q->first; *at != NULL;) {
        Waiting *one = *at;
        if (n < MAX_SHARED && (n == 0 || one->job->op == jobs[0]->job->op)) {
            jobs[n++] = one;
            *at = one->next;
        } else {
            at = &one->next;
        }
        q->end = at;
    }
    return n;
}

static void *submit(void *argument) {
    DeviceQueue *q = argument;
    Waiting *jobs[MAX_SHARED];
    pthread_mutex_lock(&q->lock);
    while (true) {
        while (q->first == NULL && !q->closing) {
            pthread_cond_wait(&q->work, &q->lock);
        }
        if (q->first == NULL) {
            break;
        }
        unsigned n = take_jobs(q, jobs);
        pthread_mutex_unlock(&q->lock);
        const DeviceCounters before = q->device->counters;
        DeviceError why = {0};
        bool good = launch(q, jobs, n, &why);
        const DeviceCounters after = q->device->counters;
        uint64_t now = clock_now_ns();
        for (unsigned k = 0; k < n; k++) {
            BackendTimes *t = &jobs[k]->job->times;
            t->build = (after.build_ns - before.build_ns) / n;
            t->transfer = (after.transfer_ns - before.transfer_ns) / n;
            t->kernel = (after.kernel_ns - before.kernel_ns) / n;
            /* for its turn, and for others in the same launch; so that all four are what its owner waited */
            t->wait = now - jobs[k]->since_ns - t->build - t->transfer - t->kernel;
            if (!good) {
                jobs[k]->error = why;
            }
        }
        pthread_mutex_lock(&q->lock);
        q->counters = after;
        q->lost |= !good && why.fault == DEVICE_LOST;
        pthread_mutex_unlock(&q->lock);
        tell(q, jobs, n, STAGE_DONE);
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

bool device_queue_run(DeviceQueue *q, BackendJob *job, DeviceQueueObserver told, void *user,
                      DeviceError *why) {
    Waiting w = {.job = job, .watched = told != NULL, .since_ns = clock_now_ns()};
    DeviceQueueStage seen = STAGE_WAITING;
    pthread_mutex_lock(&q->lock);
    if (q->lost) {
        pthread_mutex_unlock(&q->lock);
        *why = (DeviceError){.fault = DEVICE_LOST, .text = "the device was lost before"};
        return false;
    }
    *q->end = &w;
    q->end = &w.next;
    pthread_cond_signal(&q->work);
    while (w.stage != STAGE_DONE) {
        pthread_cond_wait(&q->change, &q->lock);
        if (told != NULL && w.stage != seen) {
            seen = w.stage;
            pthread_mutex_unlock(&q->lock);
            told(user, seen);
            pthread_mutex_lock(&q->lock);
        }
    }
    pthread_mutex_unlock(&q->lock);
    *why = w.error;
    return w.error.fault == DEVICE_FINE;
}

void device_queue_drop(DeviceQueue *q, BackendBlock *block) {
    if (block->at[q->index] != 0) {
        give(q, block->at[q->index] - 1);
        block->at[q->index] = 0;
    }
}

/* ---- opening ---- */

DeviceQueue *device_queue_open(const Devices *devices, unsigned which, unsigned index, uint32_t lanes,
                               DeviceError *why) {
    DeviceQueue *q = mem_zalloc(1, sizeof *q);
    if (q == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return NULL;
    }
    q->index = index;
    q->lanes = lanes;
    q->end = &q->first;
    q->device = device_open(devices, which, why);
    if (q->device == NULL) {
        mem_free(q);
        return NULL;
    }
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->work, NULL);
    pthread_cond_init(&q->change, NULL);
    if (pthread_create(&q->thread, NULL, submit, q) != 0) {
        *why = (DeviceError){.fault = DEVICE_MISSING, .text = "no thread can be started"};
        device_close(q->device);
        mem_free(q);
        return NULL;
    }
    return q;
}

void device_queue_close(DeviceQueue *q) {
    if (q == NULL) {
        return;
    }
    pthread_mutex_lock(&q->lock);
    q->closing = true;
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->lock);
    pthread_join(q->thread, NULL);
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        for (unsigned k = 0; k < BACKEND_MAX_KERNELS; k++) {
            device_kernel_free(q->device, q->kernels[op][k]);
        }
        device_program_free(q->device, q->programs[op]);
    }
    device_buffer_free(q->device, q->memory);
    device_close(q->device);
    device_heap_close(&q->heap);
    mem_free(q->staging);
    pthread_cond_destroy(&q->change);
    pthread_cond_destroy(&q->work);
    pthread_mutex_destroy(&q->lock);
    mem_free(q);
}

const DeviceInfo *device_queue_info(const DeviceQueue *q) {
    return q->device->info;
}

DeviceCounters device_queue_counters(DeviceQueue *q) {
    pthread_mutex_lock(&q->lock);
    DeviceCounters counters = q->counters;
    pthread_mutex_unlock(&q->lock);
    return counters;
}
