/* batt devices: what OpenCL offers here, whether it gives what the processor gives, and from which size on
 * each batched operation is faster there. */
#include "base/alloc.h"
#include "base/json.h"
#include "tools/cli/cli.h"
#include "tools/cli/selftest_report.h"
#include "tools/devices/measure.h"
#include "tools/display/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Options {
    bool measure, selftest, json;
    int64_t seed;
} Options;

static const CliOption options[] = {
    CLI_FLAG(
        Options, measure, 0, "measure",
        "time every batched operation on each device and on the CPU, and find the batch size from which the "
        "device is faster"),
    CLI_FLAG(Options, selftest, 0, "selftest",
             "compare every operation of each device with the CPU, and print a report for the authors"),
    CLI_INT(Options, seed, 0, "seed", "N", "1", 1, INT32_MAX,
            "another seed lets --selftest compare other jobs"),
    CLI_FLAG(Options, json, 0, "json", "write JSON"), CLI_END};

static const CliExample examples[] = {
    {"batt devices", "what there is", false},
    {"batt devices --measure", "how fast they are, operation by operation", true},
    {"batt devices --measure 0", "only the first one", true},
    {"batt devices --selftest", "whether they give what the CPU gives", true},
    {0}};

typedef struct Found {
    Devices *devices; /* NULL: there is no OpenCL */
    DeviceError why;
    bool wanted[32];
    Measured measured[32][BACKEND_OPS];
    Selftest *tests[32]; /* NULL: not tested */
    bool known[32];
} Found;

static const char *kind_of(const DeviceInfo *d) {
    return d->gpu ? "GPU" : d->cpu ? "CPU" : "other";
}

/* What a device is to us. */
static const char *remark_of(const DeviceInfo *d) {
    return !d->usable ? "cannot run batt's kernels"
           : d->cpu   ? "the CPU itself, through OpenCL: useful for tests; auto never uses it"
                      : "auto uses it where it is faster";
}

static int measure_one(const Cli *cli, Found *f, unsigned which) {
    BackendChoice choice = {.mode = BACKEND_OPENCL, .which = {which}, .count = 1};
    DeviceError why;
    Backend *backend = backend_open(&choice, &why);
    int code = backend != NULL ? EXIT_DONE : cli_error(cli, "device %u: %s", which, why.text);
    for (unsigned op = 0; op < BACKEND_OPS && code == EXIT_DONE; op++) {
        if (!measure_op(backend, 0, (BackendOpId)op, &f->measured[which][op], &why)) {
            code = cli_error(cli, "device %u: %s: %s", which, backend_op_names[op], why.text);
        }
    }
    backend_close(backend);
    f->known[which] = code == EXIT_DONE;
    return code == EXIT_DONE ? EXIT_DONE : EXIT_SHORT;
}

static int test_one(const Cli *cli, Found *f, unsigned which, uint64_t seed) {
    BackendChoice choice = {.mode = BACKEND_OPENCL, .which = {which}, .count = 1};
    DeviceError why;
    Backend *backend = backend_open(&choice, &why);
    Selftest *test = f->tests[which] = mem_zalloc(1, sizeof *test);
    int code = test == NULL      ? cli_no_memory(cli)
               : backend == NULL ? cli_error(cli, "device %u: %s", which, why.text)
                                 : EXIT_DONE;
    if (code == EXIT_DONE && !selftest_run(test, backend, seed, cli->stop)) {
        code = stop_is_requested(cli->stop) ? EXIT_INTERRUPTED : cli_no_memory(cli);
    }
    backend_close(backend);
    return code == EXIT_DONE && !selftest_good(test) ? EXIT_SHORT : code;
}

/* ---- text ---- */

static void write_measured(Out *out, const TermStyle *style, const DeviceInfo *d, const Measured *m) {
    Table t;
    table_begin(&t, "operation", ">processor, ns", ">device, ns", ">a batch, us", ">faster from", ">a core");
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        table_cell(&t, backend_op_names[op]);
        table_fmt(&t, "%.3g", m[op].cpu_ns);
        table_fmt(&t, "%.3g", m[op].device_ns);
        table_fmt(&t, "%.0f", m[op].batch_ns * 1e-3);
        if (isfinite(m[op].break_even)) {
            table_fmt(&t, "%.3g items", m[op].break_even);
        } else {
            table_cell(&t, "never");
        }
        if (d->cpu) { /* where the device is the processor, its work is ours */
            table_fmt(&t, "%.2f", m[op].cpu_ns / m[op].work_ns);
        } else {
            table_cell(&t, "");
        }
    }
    table_end(&t, out, style);
    out_str(out, "per item of a large batch, including transfers; a batch of one item; the batch size from "
                 "which the device is faster than one core");
    out_str(out, d->cpu ? "; its speed per core, relative to one core of the engine\n" : "\n");
}

static const char *none_because(const Found *f) {
    return f->devices == NULL ? f->why.text : devices_none(f->devices);
}

static void write_text(Out *out, const TermStyle *style, const Found *f) {
    if (f->devices == NULL || f->devices->count == 0) {
        out_fmt(out, "no devices: %s\n", none_because(f));
        return;
    }
    for (unsigned k = 0; k < f->devices->count; k++) {
        const DeviceInfo *d = &f->devices->infos[k];
        if (!f->wanted[k]) {
            continue;
        }
        out_fmt(out, "opencl:%u    ", k);
        out_printable(out, d->name);
        out_fmt(out, "\n            %s, %u units at %u MHz, %.1f GB of memory, %.0f KB local\n            ",
                kind_of(d), d->units, d->mhz, (double)d->memory / (1 << 30), (double)d->local_memory / 1024);
        out_printable(out, d->platform);
        out_str(out, ", ");
        out_printable(out, d->version);
        out_str(out, ", driver ");
        out_printable(out, d->driver);
        out_fmt(out, "\n            %s\n", remark_of(d));
        if (f->known[k]) {
            out_char(out, '\n');
            write_measured(out, style, d, f->measured[k]);
        }
        if (f->tests[k] != NULL) {
            out_char(out, '\n');
            selftest_text(out, style, f->tests[k]);
        }
    }
    if (*f->devices->broken.text != '\0') {
        out_fmt(out, "%s\n", f->devices->broken.text);
    }
}

/* ---- JSON ---- */

static void json_measured(Json *json, const Measured *m) {
    json_key(json, "operations");
    json_begin_array(json);
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        json_begin_object(json);
        json_kv_string(json, "name", backend_op_names[op]);
        json_kv_string(json, "what", backend_op_texts[op]);
        json_kv_uint(json, "items", m[op].items);
        json_kv_double(json, "cpu_ns", m[op].cpu_ns);
        json_kv_double(json, "device_ns", m[op].device_ns);
        json_kv_double(json, "batch_ns", m[op].batch_ns);
        json_kv_double(json, "work_ns", m[op].work_ns);
        json_kv_double(json, "build_ns", m[op].build_ns);
        json_key(json, "break_even"); /* null: never */
        json_double(json, m[op].break_even);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_json(Out *out, const Found *f) {
    Json json = json_on(out, 1);
    json_begin_report(&json, "batt.devices/1");
    json_kv_string(&json, "version", BATT_VERSION_TEXT);
    if (f->devices == NULL || *f->devices->broken.text != '\0') {
        json_kv_string(&json, "why", none_because(f));
    }
    json_key(&json, "devices");
    json_begin_array(&json);
    for (unsigned k = 0; f->devices != NULL && k < f->devices->count; k++) {
        const DeviceInfo *d = &f->devices->infos[k];
        if (!f->wanted[k]) {
            continue;
        }
        json_begin_object(&json);
        json_kv_uint(&json, "number", k);
        json_kv_string(&json, "name", d->name);
        json_kv_string(&json, "platform", d->platform);
        json_kv_string(&json, "version", d->version);
        json_kv_string(&json, "driver", d->driver);
        json_kv_string(&json, "kind", kind_of(d));
        json_kv_bool(&json, "usable", d->usable);
        json_kv_uint(&json, "units", d->units);
        json_kv_uint(&json, "mhz", d->mhz);
        json_kv_uint(&json, "memory", d->memory);
        json_kv_uint(&json, "local_memory", d->local_memory);
        json_kv_uint(&json, "max_work_group", d->max_work_group);
        if (f->known[k]) {
            json_measured(&json, f->measured[k]);
        }
        if (f->tests[k] != NULL) {
            selftest_json(&json, f->tests[k]);
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(out, '\n');
}

/* ---- the command ---- */

/* Which devices were named; all, if none was. */
static int choose(const Cli *cli, Found *f, int argc, char **argv) {
    unsigned count = f->devices != NULL ? f->devices->count : 0;
    for (unsigned k = 0; k < count; k++) {
        f->wanted[k] = argc == 0;
    }
    for (int k = 0; k < argc; k++) {
        char *end;
        unsigned long n = strtoul(argv[k], &end, 10);
        if (*argv[k] < '0' || *argv[k] > '9' || *end != '\0' || n >= count) {
            return count == 0 ? cli_error(cli, "no devices: %s", none_because(f))
                              : cli_error(cli, "no device %s; the devices are 0 to %u", argv[k], count - 1);
        }
        f->wanted[n] = true;
    }
    return EXIT_DONE;
}

/* Measures or tests each device that was chosen. An exit code, the worst of all. */
static int examine(const Cli *cli, const Options *opt, Found *f) {
    int code = EXIT_DONE;
    bool any = false;
    for (unsigned k = 0; f->devices != NULL && code != EXIT_BAD && k < f->devices->count; k++) {
        if (!f->wanted[k] || !f->devices->infos[k].usable) {
            continue;
        }
        int one = opt->selftest ? test_one(cli, f, k, (uint64_t)opt->seed) : EXIT_DONE;
        one = one == EXIT_DONE && opt->measure ? measure_one(cli, f, k) : one;
        code = one != EXIT_DONE ? one : code;
        any = true;
    }
    return any ? code
               : cli_error(cli, "nothing to %s: %s", opt->selftest ? "test" : "measure",
                           f->devices == NULL || f->devices->count == 0
                               ? none_because(f)
                               : "no OpenCL device on this machine can run batt's kernels");
}

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const Options *opt = given;
    Found *f = mem_zalloc(1, sizeof *f); /* too large for a small stack */
    if (f == NULL) {
        return cli_no_memory(cli);
    }
    f->devices = devices_open(&f->why);
    int code = choose(cli, f, argc, argv);
    if (code == EXIT_DONE && (opt->measure || opt->selftest)) {
        code = examine(cli, opt, f);
    }
    if (code == EXIT_DONE || code == EXIT_SHORT) {
        Out out;
        out_init(&out);
        if (opt->json) {
            write_json(&out, f);
        } else {
            if (opt->selftest) {
                out_str(&out, "batt " BATT_VERSION_TEXT "\n");
            }
            write_text(&out, &cli->style, f);
        }
        code = cli_print(cli, &out) ? code : EXIT_SHORT;
        out_free(&out);
    }
    for (unsigned k = 0; k < sizeof f->tests / sizeof *f->tests; k++) {
        mem_free(f->tests[k]);
    }
    devices_close(f->devices);
    mem_free(f);
    return code;
}

const CliCommand cmd_devices = {
    .arguments = "[NUMBER...]",
    .max_args = -1,
    .details =
        "Lists the devices that OpenCL offers on this machine, with the numbers that --device opencl:N "
        "takes, or says why there are none.\n--measure times each batched operation with jobs of the usual "
        "sizes, on the device and on one core of the CPU, and gives the batch size from which the device is "
        "faster. Compiling the kernels is not counted.\n--selftest gives devices random jobs of every "
        "operation, "
        "steps of grids, and calls of every primitive that they can do, and compares all results with the "
        "CPU's. "
        "It exits with 1 if any differs, and with 2 if there is no device. docs/devices.md explains more.",
    .options = options,
    .size = sizeof(Options),
    .examples = examples,
    .run = run};
