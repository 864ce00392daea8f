/* What comparing a device with the processor has shown; see selftest_report.h. */
#include "tools/cli/selftest_report.h"

#include "tools/display/table.h"

#include <inttypes.h>

/* How many of the rows were compared. */
static unsigned compared(const SelftestRow *rows, unsigned n) {
    unsigned count = 0;
    for (unsigned k = 0; k < n; k++) {
        count += rows[k].items > 0;
    }
    return count;
}

static void write_wrong(Out *out, const SelftestRow *rows, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        if (rows[k].differences + rows[k].failed > 0) {
            out_fmt(out, rows[k].failed ? "%s failed: " : "%s differs: ", rows[k].name);
            out_printable(out, rows[k].why);
            out_char(out, '\n');
        }
    }
}

void selftest_text(Out *out, const TermStyle *style, const Selftest *t) {
    Table table;
    table_begin(&table, "operation", ">items", ">differences", ">device, ms", ">a core, ms");
    for (unsigned op = 0; op < BACKEND_OPS; op++) {
        const SelftestRow *row = &t->ops[op];
        table_cell(&table, row->name);
        table_fmt(&table, "%" PRIu64, row->items);
        table_fmt(&table, "%" PRIu64, row->differences);
        table_fmt(&table, "%.1f", (double)row->device_ns * 1e-6);
        if (row->cpu_ns > 0) {
            table_fmt(&table, "%.1f", (double)row->cpu_ns * 1e-6);
        } else {
            table_cell(&table, "");
        }
    }
    table_end(&table, out, style);
    write_wrong(out, t->ops, BACKEND_OPS);
    write_wrong(out, t->steps, GRID_OPS);
    write_wrong(out, t->prims, PRIM_COUNT);
    out_fmt(
        out,
        "%u steps of grids and %u primitives of batteries compared; kernels built in %.1f s; seed %" PRIu64
        "\n",
        compared(t->steps, GRID_OPS), compared(t->prims, PRIM_COUNT), (double)t->build_ns * 1e-9, t->seed);
    out_str(out, selftest_good(t)
                     ? "the device gives what the processor gives\n"
                     : "the device does not give what the processor gives: please send us this report\n");
}

static void json_rows(Json *json, const char *key, const SelftestRow *rows, unsigned n) {
    json_key(json, key);
    json_begin_array(json);
    for (unsigned k = 0; k < n; k++) {
        const SelftestRow *row = &rows[k];
        if (row->items + row->failed == 0) {
            continue;
        }
        json_begin_object(json);
        json_kv_string(json, "name", row->name);
        json_kv_uint(json, "items", row->items);
        json_kv_uint(json, "differences", row->differences);
        json_kv_uint(json, "failed", row->failed);
        if (row->device_ns > 0) {
            json_kv_fixed(json, "device_s", (double)row->device_ns * 1e-9, 6);
        }
        if (row->cpu_ns > 0) {
            json_kv_fixed(json, "cpu_s", (double)row->cpu_ns * 1e-9, 6);
        }
        if (row->why[0] != '\0') {
            json_kv_string(json, "why", row->why);
        }
        json_end_object(json);
    }
    json_end_array(json);
}

void selftest_json(Json *json, const Selftest *t) {
    json_key(json, "selftest");
    json_begin_object(json);
    json_kv_uint(json, "seed", t->seed);
    json_kv_uint(json, "differences",
                 selftest_differences(t->ops, BACKEND_OPS) + selftest_differences(t->steps, GRID_OPS));
    json_kv_fixed(json, "build_s", (double)t->build_ns * 1e-9, 6);
    json_rows(json, "operations", t->ops, BACKEND_OPS);
    json_rows(json, "grid_steps", t->steps, GRID_OPS);
    json_rows(json, "primitives", t->prims, PRIM_COUNT);
    json_end_object(json);
}
