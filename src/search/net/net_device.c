/* Batches of nets on a device; see net_device.h. */
#include "search/net/net_device.h"

#include "base/alloc.h"
#include "base/check.h"
#include "search/net/device_steps.h"
#include "search/net/net_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct NetDevice {
    Device *device;
    DeviceProgram *program;
    DeviceKernel *kernels[ND_KERNELS], *clear;
};

/* What an engine knows of a net: here, the state as it goes up and comes down. */
struct NetRun {
    const NetMemory *mem;
    float *state;    /* parameters, moments, squares */
    bool changed;    /* here, and not yet on the device */
    double *outputs; /* of which those of tests are filled */
    NetOutput out;
    bool resting;
};

typedef struct BatchEntry { /* a net of a batch */
    Net *net;
    struct NetRun run;
} BatchEntry;

struct NetBatch {
    NetDevice *on;
    uint64_t memory, used; /* bytes */
    BatchEntry **entries;
    size_t count;
    NdTask *tasks;
    NdNow *nows;
    bool begun;
    size_t back_numbers;
    float *back;
    NetWord first[ND_LISTS][NET_TENSORS + 1]; /* of a tensor's pieces in a list */
    DeviceBuffer *at_memory, *at_tasks, *at_nows, *at_pieces, *at_tables, *at_back;
    DeviceError *why; /* of the step that is under way */
};

/* ---- as an engine ---- */

static size_t state_bytes(const NetMemory *mem) {
    return net_engine_float.state_bytes(mem);
}
static void begin(struct NetRun *run, uint64_t seed) {
    net_engine_float.first_state(run->mem, seed, run->state);
    run->changed = true;
}
static void save(const struct NetRun *run, void *to) {
    memcpy(to, run->state, state_bytes(run->mem));
}
static void load(struct NetRun *run, const void *from) {
    memcpy(run->state, from, state_bytes(run->mem));
    run->changed = true;
}
static const NetOutput *output(const struct NetRun *run) {
    return &run->out;
}
/* The batch does the rest. */
static const NetEngine engine = {.real = sizeof(float),
                                 .begin = begin,
                                 .state_bytes = state_bytes,
                                 .save = save,
                                 .load = load,
                                 .output = output};

/* ---- the device ---- */

NetDevice *net_device_open(Device *device, DeviceError *why) {
    NetDevice *on = mem_zalloc(1, sizeof *on);
    const char *sources[] = {net_kernels_cl};
    if (on == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return NULL;
    }
    on->device = device;
    on->program = device_program(device, sources, 1, "-cl-std=CL1.2 -w", why);
    bool good = on->program != NULL;
    for (unsigned k = 0; good && k < ND_KERNELS; k++) {
        on->kernels[k] = device_kernel(device, on->program, nd_kernel_names[k], why);
        good = on->kernels[k] != NULL;
        if (good && on->kernels[k]->lanes < ND_LANES) {
            *why = (DeviceError){.fault = DEVICE_BUILD};
            snprintf(why->text, sizeof why->text, "%s runs with %zu work-items in a group, not with %d",
                     nd_kernel_names[k], on->kernels[k]->lanes, ND_LANES);
            good = false;
        }
    }
    on->clear = good ? device_kernel(device, on->program, "net_clear", why) : NULL;
    if (on->clear == NULL) {
        net_device_close(on);
        return NULL;
    }
    return on;
}

void net_device_close(NetDevice *on) {
    if (on == NULL) {
        return;
    }
    for (unsigned k = 0; k < ND_KERNELS; k++) {
        device_kernel_free(on->device, on->kernels[k]);
    }
    device_kernel_free(on->device, on->clear);
    device_program_free(on->device, on->program);
    mem_free(on);
}

uint64_t net_device_bytes(const NetMemory *mem) {
    NdTask task;
    return nd_describe(mem, &task) * sizeof(float);
}

/* ---- a batch ---- */

NetBatch *net_batch_open(NetDevice *on, uint64_t memory) {
    NetBatch *batch = mem_zalloc(1, sizeof *batch);
    const DeviceInfo *info = on->device->info;
    if (batch == NULL) {
        return NULL;
    }
    /* one buffer, and room for what else is on the device */
    uint64_t max = info->memory / 8 * 7 < info->max_alloc ? info->memory / 8 * 7 : info->max_alloc;
    batch->on = on;
    batch->memory = memory != 0 && memory < max ? memory : max;
    return batch;
}

uint64_t net_batch_left(const NetBatch *batch) {
    return batch->memory - batch->used;
}

static void close_run(struct NetRun *run) {
    mem_free(run->state);
    mem_free(run->outputs);
}

static bool open_run(struct NetRun *run, const NetMemory *mem) {
    const NetShape *shape = &mem->shape;
    size_t logits = shape->n * mem->outputs, rows = 2 * (size_t)shape->n * shape->rows,
           columns = 2 * (size_t)shape->n * shape->columns;
    run->mem = mem;
    run->state = mem_alloc(state_bytes(mem));
    run->outputs = mem_zalloc(logits + rows + columns, sizeof *run->outputs);
    if (run->state == NULL || run->outputs == NULL) {
        return false;
    }
    run->out = (NetOutput){
        .logits = run->outputs, .rows = run->outputs + logits, .columns = run->outputs + logits + rows};
    return true;
}

/* Room for one more. */
static bool grow(NetBatch *batch) {
    size_t n = batch->count + 1;
    BatchEntry **entries = mem_grow(batch->entries, n, sizeof *entries);
    batch->entries = entries != NULL ? entries : batch->entries;
    NdTask *tasks = mem_grow(batch->tasks, n, sizeof *tasks);
    batch->tasks = tasks != NULL ? tasks : batch->tasks;
    NdNow *nows = mem_grow(batch->nows, n, sizeof *nows);
    batch->nows = nows != NULL ? nows : batch->nows;
    return entries != NULL && tasks != NULL && nows != NULL;
}

bool net_batch_add(NetBatch *batch, Net *net, const Task *task, uint64_t seed, const char **why) {
    NdTask described;
    BatchEntry *entry = NULL;
    ASSERT(!batch->begun, "%zu nets have begun already", batch->count);
    if (!net_open_elsewhere(net, task, &engine, why)) {
        net_close(net);
        return false;
    }
    uint64_t bytes = nd_describe(&net->mem, &described) * sizeof(float);
    if (bytes == 0 || bytes > net_batch_left(batch)) {
        *why = bytes == 0 || bytes > batch->memory ? "it is too large for the memory of the device"
                                                   : "the memory of the device is taken by other nets";
        net_close(net);
        return false;
    }
    *why = MEM_NONE;
    if (!grow(batch) || (entry = mem_zalloc(1, sizeof *entry)) == NULL || !open_run(&entry->run, &net->mem)) {
        if (entry != NULL) {
            close_run(&entry->run);
        }
        mem_free(entry);
        net_close(net);
        return false;
    }
    described.base = batch->used / sizeof(float);
    described.out = (NetWord)batch->back_numbers;
    batch->used += bytes;
    batch->back_numbers += nd_back_numbers(&net->mem.shape);
    batch->tasks[batch->count] = described;
    batch->nows[batch->count] = (NdNow){0};
    batch->entries[batch->count++] = entry;
    entry->net = net;
    net->run = &entry->run;
    net_begin(net, seed);
    return true;
}

/* ---- taking the device's memory ---- */

/* All pieces, list by list, tensor by tensor; NULL: counts them. */
static size_t put_pieces(NetBatch *batch, NdPiece *to) {
    size_t count = 0;
    for (NdList list = 0; list < ND_LISTS; list++) {
        for (NetTensorId t = 0; t < NET_TENSORS; t++) {
            batch->first[list][t] = (NetWord)count;
            for (size_t k = 0; k < batch->count; k++) {
                count += nd_pieces(&batch->entries[k]->net->mem, &batch->tasks[k], list, t, (NetWord)k,
                                   to != NULL ? to + count : NULL);
            }
        }
        batch->first[list][NET_TENSORS] = (NetWord)count;
    }
    return count;
}

static bool send(NetBatch *batch, DeviceBuffer **to, const void *bytes, size_t size, DeviceError *why) {
    *to = device_buffer(batch->on->device, size, why);
    return *to != NULL && device_write(batch->on->device, *to, 0, bytes, size, why);
}

static bool send_pieces(NetBatch *batch, DeviceError *why) {
    size_t n = put_pieces(batch, NULL);
    NdPiece *pieces = mem_array(n, sizeof *pieces);
    if (pieces == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return false;
    }
    put_pieces(batch, pieces);
    bool good = send(batch, &batch->at_pieces, pieces, n * sizeof *pieces, why);
    mem_free(pieces);
    return good;
}

static bool send_fixed(NetBatch *batch, DeviceError *why) {
    bool good = true;
    for (size_t k = 0; good && k < batch->count; k++) {
        const NdTask *task = &batch->tasks[k];
        size_t numbers = nd_fixed_numbers(task);
        float *fixed = mem_array(numbers, sizeof *fixed);
        if (fixed == NULL) {
            *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
            return false;
        }
        nd_fixed(&batch->entries[k]->net->mem, task, fixed);
        good =
            device_write(batch->on->device, batch->at_memory, (task->base + task->averages) * sizeof *fixed,
                         fixed, numbers * sizeof *fixed, why);
        mem_free(fixed);
    }
    return good;
}

static void free_buffers(NetBatch *batch) {
    DeviceBuffer **buffers[] = {&batch->at_memory, &batch->at_tasks,  &batch->at_nows,
                                &batch->at_pieces, &batch->at_tables, &batch->at_back};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        device_buffer_free(batch->on->device, *buffers[k]);
        *buffers[k] = NULL;
    }
    mem_free(batch->back);
    batch->back = NULL;
}

static bool take_memory(NetBatch *batch, DeviceError *why) {
    Device *device = batch->on->device;
    uint64_t numbers = batch->used / sizeof(float);
    float tables[ND_TABLES];
    nd_tables(tables);
    batch->back = mem_zalloc(batch->back_numbers, sizeof *batch->back);
    if (batch->back == NULL) {
        *why = (DeviceError){.fault = DEVICE_MEMORY, .text = MEM_NONE};
        return false;
    }
    batch->at_memory = device_buffer(device, batch->used, why);
    const DeviceArg args[] = {{.buffer = batch->at_memory}, {.value = &numbers, .bytes = sizeof numbers}};
    return batch->at_memory != NULL &&
           device_launch(device, batch->on->clear, args, 2, 1024, ND_LANES, why) &&
           send(batch, &batch->at_tasks, batch->tasks, batch->count * sizeof *batch->tasks, why) &&
           send(batch, &batch->at_nows, batch->nows, batch->count * sizeof *batch->nows, why) &&
           send(batch, &batch->at_tables, tables, sizeof tables, why) &&
           send(batch, &batch->at_back, batch->back, batch->back_numbers * sizeof *batch->back, why) &&
           send_pieces(batch, why) && send_fixed(batch, why);
}

static bool begin_batch(NetBatch *batch, DeviceError *why) {
    batch->begun = take_memory(batch, why);
    if (!batch->begun) {
        free_buffers(batch);
    }
    return batch->begun;
}

/* ---- a step ---- */

static bool launch(void *user, const NdLaunch *what) {
    NetBatch *batch = user;
    NetWord from = batch->first[what->list][what->from], to = batch->first[what->list][what->to];
    const DeviceArg args[] = {{.buffer = batch->at_memory},
                              {.buffer = batch->at_tasks},
                              {.buffer = batch->at_nows},
                              {.buffer = batch->at_pieces},
                              {.buffer = batch->at_tables},
                              {.buffer = batch->at_back},
                              {.value = &from, .bytes = sizeof from},
                              {.value = &what->block, .bytes = sizeof what->block},
                              {.value = &what->extra[0], .bytes = sizeof what->extra[0]},
                              {.value = &what->extra[1], .bytes = sizeof what->extra[1]}};
    return device_submit(batch->on->device, batch->on->kernels[what->kernel], args, 8 + what->extras,
                         to - from, ND_LANES, batch->why);
}

static bool steps_now(const BatchEntry *entry) {
    return !entry->run.resting && entry->net->failed == NULL;
}

static void describe_step(const Net *net, NdNow *to) {
    double t = (double)net->step, ramp = t < 100 ? 1 - t / 100 : 0;
    to->seed = net_seed_now(net);
    to->step = (NetWord)net->step;
    to->first = (float)(0.01 / (1 - pow(0.5, t + 1)));
    to->second = (float)(1 / (1 - pow(0.9, t + 1)));
    to->heat = (float)pow(0.01, ramp);
    to->cool = (float)pow(0.1, ramp);
}

/* States that were drawn or loaded, and what is new in this step. */
static bool send_step(NetBatch *batch, bool *any, DeviceError *why) {
    Device *device = batch->on->device;
    *any = false;
    for (size_t k = 0; k < batch->count; k++) {
        BatchEntry *entry = batch->entries[k];
        batch->nows[k] = (NdNow){.active = steps_now(entry)};
        *any = *any || steps_now(entry);
        if (!steps_now(entry)) {
            continue;
        }
        describe_step(entry->net, &batch->nows[k]);
        if (entry->run.changed &&
            !device_write(device, batch->at_memory, batch->tasks[k].base * sizeof(float), entry->run.state,
                          state_bytes(&entry->net->mem), why)) {
            return false;
        }
        entry->run.changed = false;
    }
    return !*any ||
           device_write(device, batch->at_nows, 0, batch->nows, batch->count * sizeof *batch->nows, why);
}

static NetLoss loss_of(const NetShape *shape, const float *back) {
    NetLoss loss = {0, 0};
    for (size_t k = 0; k < NET_TENSORS; k++) {
        loss.kl += (double)back[k];
    }
    for (size_t k = 0; k < 2 * (size_t)shape->n; k++) {
        loss.rec += (double)back[NET_TENSORS + k];
    }
    return loss;
}

static void copy_numbers(const float *from, double *to, size_t n) {
    for (size_t k = 0; k < n; k++) {
        to[k] = (double)from[k];
    }
}

/* Logits and scores of the tests' outputs to where answers are made of them. */
static void take_outputs(const NetMemory *mem, const float *back, const NetOutput *to) {
    const NetShape *shape = &mem->shape;
    size_t grid = mem->outputs / 2, rows = shape->rows, columns = shape->columns;
    const float *from = back + NET_TENSORS + 2 * (size_t)shape->n;
    for (size_t e = shape->n_train; e < shape->n; e++, from += grid + rows + columns) {
        copy_numbers(from, to->logits + e * mem->outputs + grid, grid);
        copy_numbers(from + grid, to->rows + (2 * e + 1) * rows, rows);
        copy_numbers(from + grid + rows, to->columns + (2 * e + 1) * columns, columns);
    }
}

bool net_batch_step(NetBatch *batch, DeviceError *why) {
    bool any = false;
    *why = (DeviceError){0};
    if (batch->count > 0 && !batch->begun && !begin_batch(batch, why)) {
        return false;
    }
    batch->why = why;
    if (!send_step(batch, &any, why)) {
        return false;
    }
    if (!any) {
        return true;
    }
    if (!nd_step(launch, batch) || !device_finish(batch->on->device, why) ||
        !device_read(batch->on->device, batch->at_back, 0, batch->back,
                     batch->back_numbers * sizeof *batch->back, why)) {
        return false;
    }
    for (size_t k = 0; k < batch->count; k++) {
        Net *net = batch->entries[k]->net;
        const float *back = batch->back + batch->tasks[k].out;
        if (!batch->nows[k].active || !net_take_loss(net, loss_of(&net->mem.shape, back))) {
            continue;
        }
        take_outputs(&net->mem, back, &batch->entries[k]->run.out);
        net_take_answers(net);
        net->step++;
    }
    return true;
}

static size_t entry_of(const NetBatch *batch, const Net *net) {
    size_t k = 0;
    while (batch->entries[k]->net != net) {
        k++;
    }
    return k;
}

void net_batch_rest(NetBatch *batch, const Net *net) {
    batch->entries[entry_of(batch, net)]->run.resting = true;
}

bool net_batch_fetch(NetBatch *batch, DeviceError *why) {
    *why = (DeviceError){0};
    for (size_t k = 0; batch->begun && k < batch->count; k++) {
        BatchEntry *entry = batch->entries[k];
        if (!entry->run.changed &&
            !device_read(batch->on->device, batch->at_memory, batch->tasks[k].base * sizeof(float),
                         entry->run.state, state_bytes(&entry->net->mem), why)) {
            return false;
        }
    }
    return true;
}

bool net_batch_gradient(NetBatch *batch, const Net *net, float *to, DeviceError *why) {
    const NdTask *task = &batch->tasks[entry_of(batch, net)];
    return device_read(batch->on->device, batch->at_memory, (task->base + task->gradient) * sizeof *to, to,
                       net->mem.parameters * sizeof *to, why);
}

void net_batch_close(NetBatch *batch) {
    if (batch == NULL) {
        return;
    }
    free_buffers(batch);
    for (size_t k = 0; k < batch->count; k++) {
        close_run(&batch->entries[k]->run);
        mem_free(batch->entries[k]);
    }
    mem_free(batch->entries);
    mem_free(batch->tasks);
    mem_free(batch->nows);
    mem_free(batch);
}
