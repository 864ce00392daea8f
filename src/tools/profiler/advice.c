/* Advice on acceleration; see advice.h. */
#include "tools/profiler/advice.h"

#include "base/alloc.h"
#include "tools/devices/programs.h"
#include "tools/profiler/quantiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t median_cells(const Profile *p, uint32_t name) {
    double *cells = mem_array((size_t)p->n_tasks + 1, sizeof *cells), median = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; cells != NULL && k < p->n_tasks; k++) {
        for (uint32_t r = 0; r < p->tasks[k].n_rows; r++) {
            if (p->tasks[k].rows[r].name == name && p->tasks[k].cells > 0) {
                cells[n++] = p->tasks[k].cells;
            }
        }
    }
    if (n > 0) {
        stats_sort(cells, n);
        median = stats_quantile(cells, n, 0.5);
    }
    mem_free(cells);
    return (uint32_t)median;
}

static bool takes_functions(const char *name) {
    int id = prim_find(name, strlen(name));
    return id >= 0 && strstr(prim_table[id].signature, ": fn") != NULL;
}

uint32_t advice_make(const Profile *p, const ProfSum *sum, Advice *advice) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < sum->n_rows && n < ADVICE_MAX; k++) {
        const ProfSumRow *r = &sum->rows[k];
        double share = sum->execute_ns > 0 ? r->self_ns / sum->execute_ns : 0;
        if (share >= 0.05 && !p->names[r->name].engine) {
            advice[n++] = (Advice){.name = r->name,
                                   .share = share,
                                   .calls = r->calls,
                                   .call_ns = r->total_ns / (double)r->calls,
                                   .calls_a_task = r->tasks > 0 ? (double)r->calls / r->tasks : 0,
                                   .median_cells = median_cells(p, r->name),
                                   .functions = takes_functions(p->names[r->name].name),
                                   .form = test_battery_knows(p->names[r->name].name),
                                   .why = "no device was measured; add --device auto"};
        }
    }
    return n;
}

const char *const advice_efforts[] = {"low", "medium", "high"};

/* Judged by the measurements: long calls mean one function to speed up; short calls pay only if fewer of them
 * are made; a primitive that takes functions shares its time with whatever it calls. */
AdviceEffort advice_effort(const Advice *a, const char **why) {
    const double long_ns = 1000, short_ns = 100;
    if (a->functions) {
        *why = "it loops over calls of functions passed to it; optimize those first";
        return EFFORT_HIGH;
    }
    if (a->call_ns < short_ns) {
        *why = "calls are short: fewer of them, or together, rather than each faster";
        return EFFORT_HIGH;
    }
    *why = a->call_ns > long_ns ? "one function, long calls" : "one function, short calls";
    return a->call_ns > long_ns ? EFFORT_LOW : EFFORT_MEDIUM;
}

double advice_impact(const Advice *a, double factor) {
    return 1 / (1 - a->share + a->share / factor);
}

void advice_measure(const Profile *p, Advice *advice, uint32_t n, Backend *backend) {
    enum { USUAL_CELLS = 130 };
    BackendReport report;
    if (backend == NULL) {
        return;
    }
    backend_discover(backend);
    backend_report(backend, &report);
    for (uint32_t k = 0; k < n; k++) {
        Advice *a = &advice[k];
        DeviceError why;
        if (backend_queue_count(backend) == 0) {
            snprintf(a->why, sizeof a->why, "there is no device: %.150s", report.note);
        } else if (!a->form) {
            snprintf(a->why, sizeof a->why, "a device has no way to do it");
        } else if (a->functions) { /* what was recorded may have been closures */
            snprintf(a->why, sizeof a->why, "a device does it for primitives, not for closures");
        } else if (!measure_call(backend, p->names[a->name].name,
                                 a->median_cells > 0 ? a->median_cells : USUAL_CELLS, &a->device, &why)) {
            snprintf(a->why, sizeof a->why, "measuring failed: %.150s", why.text);
        } else {
            a->measured = true;
            snprintf(a->name_of_device, sizeof a->name_of_device, "%s", backend_queue_info(backend, 0)->name);
        }
    }
}

void advice_text(const Profile *p, const Advice *a, char *text, size_t room) {
    const char *name = p->names[a->name].name;
    if (a->functions) {
        snprintf(text, room, "%s: it calls functions passed to it, so a device would have to run those too%s",
                 name, a->form ? ", which it does for primitives, not for closures" : "");
        return;
    }
    char grids[64] = ""; /* not known if the profile is a by-product of another command */
    if (a->median_cells > 0) {
        snprintf(grids, sizeof grids, ", grids of %u cells (median)", a->median_cells);
    }
    int length = snprintf(text, room, "%s: %" PRIu64 " calls, %.0f per task%s, %.2f us per call; ", name,
                          a->calls, a->calls_a_task, grids, a->call_ns * 1e-3);
    if (length < 0 || (size_t)length >= room) {
        return;
    }
    text += length;
    room -= (size_t)length;
    if (!a->measured) {
        snprintf(text, room, "%s", a->why);
    } else if (isfinite(a->device.break_even)) {
        snprintf(
            text, room,
            "%s takes %.0f us for a batch and %.2f us for each, a core %.2f us: it pays from %.0f in a batch",
            a->name_of_device, a->device.batch_ns * 1e-3, a->device.device_ns * 1e-3, a->device.cpu_ns * 1e-3,
            a->device.break_even);
    } else {
        snprintf(text, room, "%s takes %.2f us for each, a core %.2f us, and so it never pays",
                 a->name_of_device, a->device.device_ns * 1e-3, a->device.cpu_ns * 1e-3);
    }
}

void advice_json(Json *json, const Profile *p, const Advice *advice, uint32_t n) {
    json_key(json, "acceleration");
    json_begin_array(json);
    for (uint32_t k = 0; k < n; k++) {
        const Advice *a = &advice[k];
        json_begin_object(json);
        json_kv_string(json, "name", p->names[a->name].name);
        json_kv_string(json, "device", a->measured ? a->name_of_device : a->why);
        if (a->measured) {
            json_kv_fixed(json, "device_batch_us", a->device.batch_ns * 1e-3, 3);
            json_kv_fixed(json, "device_call_us", a->device.device_ns * 1e-3, 4);
            json_key(json, "break_even"); /* null: never */
            json_double(json, a->device.break_even);
            json_kv_fixed(json, "device_core_us", a->device.cpu_ns * 1e-3, 4);
        }
        json_kv_fixed(json, "share", a->share, 6);
        json_kv_uint(json, "calls", a->calls);
        json_kv_fixed(json, "calls_a_task", a->calls_a_task, 2);
        json_kv_uint(json, "median_cells", a->median_cells);
        json_kv_fixed(json, "call_us", a->call_ns * 1e-3, 4);
        json_kv_fixed(json, "pays_below_us", a->calls_a_task * a->call_ns * 1e-3, 3);
        json_kv_bool(json, "calls_functions", a->functions);
        const char *why;
        json_kv_string(json, "effort", advice_efforts[advice_effort(a, &why)]);
        json_kv_string(json, "why", why);
        json_kv_fixed(json, "twice_as_fast", advice_impact(a, 2), 4);
        json_kv_fixed(json, "ten_times_as_fast", advice_impact(a, 10), 4);
        json_end_object(json);
    }
    json_end_array(json);
}
