/* Opens the device that was asked for, and reports what it did; see device_option.h. */
#include "tools/cli/device_option.h"

#include "base/out.h"

#include <inttypes.h>
#include <stdio.h>

static void say(void *user, const char *line) {
    const Cli *cli = user;
    cli_error(cli, "%s", line);
}

int device_attach(Cli *cli, const char *text, Backend **backend) {
    BackendChoice choice;
    DeviceError error;
    char why[300];
    *backend = NULL;
    if (!backend_parse_choice(text, &choice, why, sizeof why)) {
        return cli_error(cli, "--device: %s", why);
    }
    if (choice.mode == BACKEND_CPU) {
        return EXIT_DONE;
    }
    choice.say = say;
    choice.user = cli;
    *backend = backend_open(&choice, &error);
    return *backend != NULL ? EXIT_DONE : cli_error(cli, "--device %s: %s", text, error.text);
}

int device_detach(const Cli *cli, Backend *backend, int code) {
    const char *failure = backend_failure(backend);
    if (failure != NULL) {
        cli_error(cli, "%s; results are incomplete", failure);
        code = code == EXIT_DONE || code == EXIT_SHORT ? EXIT_SHORT : code;
    }
    backend_close(backend);
    return code;
}

/* The part of a battery's calls that devices made. */
static double share_of(const BackendShare *share) {
    double all = (double)(share->device_calls + share->host_calls);
    return all > 0 ? (double)share->device_calls / all : 0;
}

/* What each of several devices did. */
static void each_text(Out *out, const BackendReport *r) {
    for (unsigned k = 0; r->devices > 1 && k < r->devices; k++) {
        const BackendDeviceReport *each = &r->each[k];
        const DeviceCounters *c = &each->counters;
        out_str(out, "            ");
        out_printable(out, each->name);
        out_fmt(out,
                ": %" PRIu64 " batches, %" PRIu64 " calls of batteries, %" PRIu64
                " launches, kernels %.3f s, %" PRIu64 " transfers %.3f s (%.2f MB), waiting %.3f s\n",
                each->batches, each->calls, c->launches, (double)c->kernel_ns * 1e-9, c->writes + c->reads,
                (double)c->transfer_ns * 1e-9, (double)(c->write_bytes + c->read_bytes) * 1e-6,
                (double)each->wait_ns * 1e-9);
    }
}

/* Of each batched operation, how much devices did, and under auto, why. */
static void ops_text(Out *out, const BackendReport *r) {
    for (unsigned k = 0; k < BACKEND_JOB_OPS; k++) {
        const BackendOpReport *op = &r->ops[k];
        if (op->items + op->cpu_items > 0) {
            out_fmt(out, "            %s: %.1f %% of %" PRIu64 " items", backend_op_names[k],
                    100 * (double)op->items / (double)(op->items + op->cpu_items), op->items + op->cpu_items);
            if (r->mode == BACKEND_AUTO) {
                out_fmt(out, "; auto: faster there for %u of %u sizes that were compared", op->faster,
                        op->sizes);
            }
            out_char(out, '\n');
        }
    }
}

void device_text(Out *out, Backend *backend) {
    BackendReport r;
    backend_report(backend, &r);
    if (r.mode == BACKEND_CPU) {
        return;
    }
    if (r.devices == 0) {
        out_fmt(out, "device      none: %s\n", r.note);
        return;
    }
    out_str(out, "device      ");
    out_printable(out, r.name);
    out_fmt(out,
            ": %" PRIu64 " batches of %.3g items in %" PRIu64 " launches, kernels %.3f s, transfers %.3f s "
            "(%.2f MB), building %.3f s; %" PRIu64 " compared with the CPU, %" PRIu64 " differ\n",
            r.batches, r.batches > 0 ? (double)r.items / (double)r.batches : 0.0, r.launches,
            (double)r.counters.kernel_ns * 1e-9, (double)r.counters.transfer_ns * 1e-9,
            (double)(r.counters.write_bytes + r.counters.read_bytes) * 1e-6,
            (double)r.counters.build_ns * 1e-9, r.checked, r.differences);
    each_text(out, &r);
    ops_text(out, &r);
    if (r.share.device_calls + r.share.host_calls > 0) {
        out_fmt(out,
                "            %.1f %% of the battery's work: %" PRIu64 " of %" PRIu64 " calls for %" PRIu64
                " samples, %u of %u nodes, %u rounds; %" PRIu64 " calls left to the CPU\n",
                100 * share_of(&r.share), r.share.device_calls, r.share.device_calls + r.share.host_calls,
                r.share.samples, r.share.device_nodes, r.share.nodes, r.share.rounds, r.share.left);
    }
    if (r.reason[0] != '\0') {
        out_fmt(out, "            %s\n", r.reason);
    }
    for (unsigned k = 0; k < r.n_fallbacks; k++) {
        out_fmt(out, "            %" PRIu64 " repeated on the CPU: %s\n", r.fallbacks[k].count,
                device_fault_names[r.fallbacks[k].fault]);
    }
}

static void each_json(Json *json, const BackendReport *r) {
    json_key(json, "devices");
    json_begin_array(json);
    for (unsigned k = 0; k < r->devices; k++) {
        const BackendDeviceReport *each = &r->each[k];
        const DeviceCounters *c = &each->counters;
        json_begin_object(json);
        json_kv_string(json, "name", each->name);
        json_kv_uint(json, "batches", each->batches);
        json_kv_uint(json, "device_calls", each->calls);
        json_kv_uint(json, "launches", c->launches);
        json_kv_fixed(json, "kernel_s", (double)c->kernel_ns * 1e-9, 6);
        json_kv_uint(json, "transfers", c->writes + c->reads);
        json_kv_uint(json, "transfer_bytes", c->write_bytes + c->read_bytes);
        json_kv_fixed(json, "transfer_s", (double)c->transfer_ns * 1e-9, 6);
        json_kv_fixed(json, "build_s", (double)c->build_ns * 1e-9, 6);
        json_kv_fixed(json, "wait_s", (double)each->wait_ns * 1e-9, 6);
        json_end_object(json);
    }
    json_end_array(json);
}

static void ops_json(Json *json, const BackendReport *r) {
    json_key(json, "operations");
    json_begin_array(json);
    for (unsigned k = 0; k < BACKEND_OPS; k++) {
        const BackendOpReport *op = &r->ops[k];
        if (op->batches + op->cpu_batches > 0) {
            json_begin_object(json);
            json_kv_string(json, "name", backend_op_names[k]);
            json_kv_uint(json, "batches", op->batches);
            json_kv_uint(json, "items", op->items);
            json_kv_fixed(json, "device_s", (double)op->device_ns * 1e-9, 6);
            json_kv_uint(json, "cpu_batches", op->cpu_batches);
            json_kv_uint(json, "cpu_items", op->cpu_items);
            json_kv_fixed(json, "share", (double)op->items / (double)(op->items + op->cpu_items), 4);
            if (r->mode == BACKEND_AUTO && k < BACKEND_JOB_OPS) {
                json_kv_uint(json, "sizes", op->sizes);
                json_kv_uint(json, "sizes_faster", op->faster);
            }
            json_kv_fixed(json, "cpu_s", (double)op->cpu_ns * 1e-9, 6);
            json_end_object(json);
        }
    }
    json_end_array(json);
}

void device_json(Json *json, Backend *backend) {
    BackendReport r;
    backend_report(backend, &r);
    json_key(json, "device");
    json_begin_object(json);
    json_kv_string(json, "name", r.name);
    if (r.note[0] != '\0') {
        json_kv_string(json, "note", r.note);
    }
    json_kv_uint(json, "batches", r.batches);
    json_kv_uint(json, "items", r.items);
    json_kv_uint(json, "launches", r.launches);
    json_kv_fixed(json, "kernel_s", (double)r.counters.kernel_ns * 1e-9, 6);
    json_kv_fixed(json, "transfer_s", (double)r.counters.transfer_ns * 1e-9, 6);
    json_kv_uint(json, "transfer_bytes", r.counters.write_bytes + r.counters.read_bytes);
    json_kv_uint(json, "transfers", r.counters.writes + r.counters.reads);
    json_kv_fixed(json, "build_s", (double)r.counters.build_ns * 1e-9, 6);
    json_kv_fixed(json, "wait_s", (double)r.times.wait * 1e-9, 6);
    each_json(json, &r);
    json_key(json, "fallbacks");
    json_begin_array(json);
    for (unsigned k = 0; k < r.n_fallbacks; k++) {
        json_begin_object(json);
        json_kv_string(json, "reason", device_fault_names[r.fallbacks[k].fault]);
        json_kv_uint(json, "count", r.fallbacks[k].count);
        json_end_object(json);
    }
    json_end_array(json);
    json_kv_uint(json, "checked", r.checked);
    json_kv_uint(json, "differences", r.differences);
    if (r.reason[0] != '\0') {
        json_kv_string(json, "reason", r.reason);
    }
    if (r.share.device_calls + r.share.host_calls > 0) {
        json_key(json, "battery");
        json_begin_object(json);
        json_kv_fixed(json, "share", share_of(&r.share), 4);
        json_kv_uint(json, "device_calls", r.share.device_calls);
        json_kv_uint(json, "host_calls", r.share.host_calls);
        json_kv_uint(json, "left_calls", r.share.left);
        json_kv_uint(json, "samples", r.share.samples);
        json_kv_uint(json, "nodes", r.share.nodes);
        json_kv_uint(json, "device_nodes", r.share.device_nodes);
        json_kv_uint(json, "rounds", r.share.rounds);
        json_end_object(json);
    }
    ops_json(json, &r);
    json_end_object(json);
}
