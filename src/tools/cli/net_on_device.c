/* Batches of nets for batt net --device; see net_on_device.h. */
#include "tools/cli/net_on_device.h"

#include "backends/devices/backend.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "search/net/net_device.h"

#include <inttypes.h>
#include <string.h>

struct NetOnDevice {
    Devices *devices;
    Device *device;
    NetDevice *on;
    char note[300];              /* why there is none, under auto */
    size_t batches, nets, steps; /* steps of batches */
    uint64_t peak_bytes;         /* of a batch */
    DeviceCounters before;       /* the first step */
};

typedef struct Trained { /* a net of the batch */
    NetTaskResult *task;
    NetRunResult *run;
    Net net;
    Image *room;
    const Image *right; /* NULL: not known */
    bool resting;
} Trained;

/* ---- the device ---- */

/* The first that is neither the processor itself nor useless; the number of devices: there is none. */
static unsigned find_gpu(const Devices *devices) {
    unsigned k = 0;
    while (k < devices->count && (devices->infos[k].cpu || !devices->infos[k].usable)) {
        k++;
    }
    return k;
}

/* NULL and EXIT_DONE: under auto there is none, and `note` says why. */
static int open_chosen(NetJob *job, struct NetOnDevice *d, const BackendChoice *choice) {
    const char *text = job->options->device;
    DeviceError why = {0};
    unsigned which = choice->which[0];
    d->devices = devices_open(&why);
    if (choice->mode == BACKEND_AUTO) {
        which = d->devices != NULL ? find_gpu(d->devices) : 0;
        if (d->devices == NULL || which == d->devices->count) {
            snprintf(d->note, sizeof d->note, "%.290s",
                     d->devices == NULL       ? why.text
                     : d->devices->count == 0 ? devices_none(d->devices)
                                              : "OpenCL offers only CPU devices, which auto never uses");
            return EXIT_DONE;
        }
    }
    d->device = d->devices != NULL ? device_open(d->devices, which, &why) : NULL;
    d->on = d->device != NULL ? net_device_open(d->device, &why) : NULL;
    return d->on != NULL ? EXIT_DONE : cli_error(job->cli, "--device %s: %s", text, why.text);
}

int net_on_device_open(NetJob *job) {
    const NetCommand *opt = job->options;
    BackendChoice choice;
    char why[300];
    if (!backend_parse_choice(opt->device, &choice, why, sizeof why)) {
        return cli_error(job->cli, "--device: %s", why);
    }
    if (choice.mode == BACKEND_CPU) {
        return EXIT_DONE;
    }
    if (choice.mode == BACKEND_AUTO && strchr(opt->device, ':') != NULL) {
        return cli_error(job->cli, "--device %s: for nets, auto takes no number of seconds", opt->device);
    }
    if (choice.count > 1) {
        return cli_error(job->cli, "--device %s: nets are trained on one device at a time", opt->device);
    }
    job->device = mem_zalloc(1, sizeof *job->device);
    if (job->device == NULL) {
        return cli_no_memory(job->cli);
    }
    int code = open_chosen(job, job->device, &choice);
    if (code == EXIT_DONE && job->device->on != NULL && (opt->layers || profile_requested(&opt->profile))) {
        return cli_error(job->cli, "--%s measures CPU threads and cannot be combined with --device",
                         opt->layers ? "layers" : "profile");
    }
    return code;
}

bool net_on_device(const NetJob *job) {
    return job->device != NULL && job->device->on != NULL;
}

void net_on_device_close(NetJob *job) {
    struct NetOnDevice *d = job->device;
    if (d != NULL) {
        net_device_close(d->on);
        device_close(d->device);
        devices_close(d->devices);
        mem_free(d);
        job->device = NULL;
    }
}

/* ---- a batch ---- */

typedef struct Batch {
    NetJob *job;
    NetBatch *nets;
    Trained *trained;
    size_t count;
    uint64_t start_ns;
} Batch;

static NetTaskResult *task_of(const NetJob *job, size_t item) {
    return &job->tasks[item / (size_t)job->options->seeds];
}

/* One more net; false: it does not fit beside the others, and a batch of its own may take it. */
static bool take_in(Batch *batch, size_t item) {
    NetJob *job = batch->job;
    const NetCommand *opt = job->options;
    NetTaskResult *task = task_of(job, item);
    Trained *one = &batch->trained[batch->count];
    const char *why = net_too_large;
    size_t seed = item % (size_t)opt->seeds;
    *one = (Trained){.task = task, .run = &task->runs[seed]};
    one->run->seed = (uint64_t)opt->seed + seed;
    if (task->why[0] != '\0') {
        progress_add(&job->progress, 1);
        return true;
    }
    task->bytes = net_device_bytes(&task->mem);
    if (batch->count > 0 && task->bytes > net_batch_left(batch->nets)) {
        return false;
    }
    if (task->bytes > (uint64_t)opt->max_memory ||
        !net_batch_add(batch->nets, &one->net, task->task, one->run->seed, &why)) {
        net_refuse(task, why);
        progress_add(&job->progress, 1);
        return true;
    }
    if (job->store != NULL && !net_store_load(job->store, &one->net, task->task->id, one->run->seed)) {
        net_tell_unusable(job, task->task->id);
    }
    one->run->resumed = one->net.step;
    one->room = mem_array((size_t)task->task->n_test, sizeof *one->room);
    one->right = one->room != NULL ? net_right_answers(task->task, one->room) : NULL;
    batch->count++;
    return true;
}

static bool ended(const NetJob *job, const Trained *one) {
    return one->net.failed != NULL || one->net.step >= (size_t)job->options->steps;
}

/* Nets that have all their steps rest; returns how many go on. */
static size_t let_rest(Batch *batch) {
    size_t left = 0;
    for (size_t k = 0; k < batch->count; k++) {
        Trained *one = &batch->trained[k];
        if (!one->resting && ended(batch->job, one)) {
            net_batch_rest(batch->nets, &one->net);
            one->resting = true;
            progress_add(&batch->job->progress, 1);
        }
        left += !one->resting;
    }
    return left;
}

static bool time_is_left(const Batch *batch) {
    const NetCommand *opt = batch->job->options;
    return !cli_stopped(batch->job->cli) &&
           (opt->time == CLI_UNSET || clock_now_ns() - batch->start_ns < (uint64_t)opt->time);
}

static bool train(Batch *batch, DeviceError *why) {
    NetJob *job = batch->job;
    size_t left;
    while ((left = let_rest(batch)) > 0 && time_is_left(batch)) {
        uint64_t begin = clock_now_ns();
        if (!net_batch_step(batch->nets, why)) {
            return false;
        }
        job->device->steps++;
        uint64_t share = (clock_now_ns() - begin) / left;
        for (size_t k = 0; k < batch->count; k++) {
            Trained *one = &batch->trained[k];
            if (one->resting) {
                continue;
            }
            one->run->time_ns += share;
            if (one->net.failed == NULL && one->net.step > 0) { /* else it has just started again */
                net_curve_note(&one->run->curve, &one->net, one->right);
                if (job->live != NULL) {
                    net_live_step(job->live, &one->net, &one->run->curve);
                }
            }
        }
    }
    return job->store == NULL || net_batch_fetch(batch->nets, why);
}

/* What the nets have found is kept, whether the device held out or not; states only if it did. */
static void close_batch(Batch *batch, bool good) {
    NetJob *job = batch->job;
    for (size_t k = 0; k < batch->count; k++) {
        Trained *one = &batch->trained[k];
        one->run->steps = one->net.step;
        one->run->restarts = one->net.restarts;
        one->run->loss = one->net.loss;
        net_keep_run(job, one->task, one->run, &one->net, good);
        if (!one->resting) {
            progress_add(&job->progress, 1);
        }
        net_close(&one->net);
        mem_free(one->room);
    }
    net_batch_close(batch->nets);
}

int net_on_device_train(NetJob *job) {
    size_t items = job->data.n_tasks * (size_t)job->options->seeds, item = 0;
    struct NetOnDevice *d = job->device;
    DeviceError why = {0};
    Trained *trained = mem_zalloc(items, sizeof *trained);
    bool good = true;
    d->before = d->device->counters;
    if (trained == NULL) {
        return cli_no_memory(job->cli);
    }
    while (item < items && good && !cli_stopped(job->cli)) {
        Batch batch = {.job = job, .nets = net_batch_open(d->on, 0), .trained = trained};
        if (batch.nets == NULL) {
            mem_free(trained);
            return cli_no_memory(job->cli);
        }
        while (item < items && take_in(&batch, item)) {
            item++;
        }
        d->batches += batch.count > 0;
        d->nets += batch.count;
        batch.start_ns = clock_now_ns();
        good = batch.count == 0 || train(&batch, &why);
        uint64_t held = d->device->counters.held;
        d->peak_bytes = held > d->peak_bytes ? held : d->peak_bytes;
        close_batch(&batch, good);
    }
    mem_free(trained);
    if (!good) {
        cli_error(job->cli, "device %s: %s; results are incomplete", d->device->info->name, why.text);
    }
    return good ? EXIT_DONE : EXIT_SHORT;
}

/* ---- what it did ---- */

typedef struct Done {
    uint64_t launches, bytes, kernel_ns, transfer_ns;
} Done;

static Done done_by(const struct NetOnDevice *d) {
    const DeviceCounters *now = &d->device->counters, *then = &d->before;
    return (Done){now->launches - then->launches,
                  now->read_bytes + now->write_bytes - then->read_bytes - then->write_bytes,
                  now->kernel_ns - then->kernel_ns, now->transfer_ns - then->transfer_ns};
}

void net_on_device_text(Out *out, const NetJob *job) {
    const struct NetOnDevice *d = job->device;
    if (d == NULL) {
        return;
    }
    if (d->on == NULL) {
        out_fmt(out, "device      none: %s\n", d->note);
        return;
    }
    Done done = done_by(d);
    out_str(out, "device      ");
    out_printable(out, d->device->info->name);
    out_fmt(out,
            ": %zu nets in %zu batch%s, %.1f launches a step, kernels %.3f s, transfers %.3f s (%.2f MB), "
            "building %.3f s, %.1f MB held\n",
            d->nets, d->batches, d->batches == 1 ? "" : "es",
            d->steps > 0 ? (double)done.launches / (double)d->steps : 0.0, (double)done.kernel_ns * 1e-9,
            (double)done.transfer_ns * 1e-9, (double)done.bytes * 1e-6,
            (double)d->device->counters.build_ns * 1e-9, (double)d->peak_bytes * 1e-6);
}

void net_on_device_json(Json *json, const NetJob *job) {
    const struct NetOnDevice *d = job->device;
    json_key(json, "device");
    json_begin_object(json);
    bool used = d != NULL && d->on != NULL;
    json_kv_string(json, "name", used ? d->device->info->name : "cpu");
    if (d != NULL && !used) {
        json_kv_string(json, "note", d->note);
    }
    if (used) {
        Done done = done_by(d);
        json_kv_uint(json, "nets", d->nets);
        json_kv_uint(json, "batches", d->batches);
        json_kv_uint(json, "steps", d->steps);
        json_kv_uint(json, "launches", done.launches);
        json_kv_fixed(json, "kernel_s", (double)done.kernel_ns * 1e-9, 6);
        json_kv_fixed(json, "transfer_s", (double)done.transfer_ns * 1e-9, 6);
        json_kv_uint(json, "transfer_bytes", done.bytes);
        json_kv_fixed(json, "build_s", (double)d->device->counters.build_ns * 1e-9, 6);
        json_kv_uint(json, "held_bytes", d->peak_bytes);
    }
    json_end_object(json);
}
