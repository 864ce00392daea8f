/* batt bench prims: nanoseconds per call beside those of the reference, and the speedup. */
#include "base/alloc.h"
#include "tools/bench/cmd_bench.h"
#include "tools/display/table.h"
#include "tools/profiler/timing.h"

#include <math.h>
#include <string.h>

static void write_rows(BenchRun *run, const BenchPrim *rows, size_t n) {
    const TermStyle *style = &run->cli->style;
    Table table;
    table_begin(&table, "primitive", ">lines", ">ns/call", ">reference", ">times faster", "family");
    for (size_t k = 0; k < n; k++) {
        const PrimInfo *info = &prim_table[rows[k].prim];
        table_cell(&table, info->name);
        table_fmt(&table, "%u", rows[k].lines);
        table_fmt(&table, "%.1f", rows[k].ns);
        if (rows[k].reference_ns > 0) {
            table_fmt(&table, "%.0f", rows[k].reference_ns);
            table_fmt(&table, "%.1f", rows[k].reference_ns / rows[k].ns);
        } else {
            table_cell(&table, "-");
            table_cell(&table, "-");
        }
        table_cell(&table, family_titles[info->family]);
    }
    table_end(&table, run->out, style);
    out_char(run->out, '\n');
}

static void write_families(BenchRun *run, const BenchPrim *rows, size_t n) {
    const TermStyle *style = &run->cli->style;
    Table table;
    table_begin(&table, "family", ">primitives", ">times faster (geometric mean)");
    for (int f = 0; f <= FAMILY_COUNT; f++) {
        size_t counted;
        double mean = bench_speedup(rows, n, (Family)f, &counted);
        if (counted > 0) {
            table_cell(&table, f < FAMILY_COUNT ? family_titles[f] : "all");
            table_fmt(&table, "%zu", counted);
            table_fmt(&table, "%.1f", mean);
        }
    }
    table_end(&table, run->out, style);
    out_char(run->out, '\n');
}

static void write_json(Json *json, const BenchPrim *rows, size_t n) {
    size_t counted;
    json_key(json, "prims");
    json_begin_object(json);
    for (size_t k = 0; k < n; k++) {
        json_key(json, prim_table[rows[k].prim].name);
        json_begin_object(json);
        json_kv_uint(json, "lines", rows[k].lines);
        json_kv_fixed(json, "ns", rows[k].ns, 2);
        json_kv_fixed(json, "reference_ns", rows[k].reference_ns > 0 ? rows[k].reference_ns : NAN, 1);
        json_kv_fixed(json, "ratio", rows[k].reference_ns > 0 ? rows[k].reference_ns / rows[k].ns : NAN, 2);
        json_end_object(json);
    }
    json_end_object(json);
    json_key(json, "families");
    json_begin_object(json);
    for (int f = 0; f < FAMILY_COUNT; f++) {
        double mean = bench_speedup(rows, n, (Family)f, &counted);
        if (counted > 0) {
            json_kv_fixed(json, family_titles[f], mean, 2);
        }
    }
    json_end_object(json);
    json_kv_fixed(json, "prims_ratio", bench_speedup(rows, n, FAMILY_COUNT, &counted), 2);
}

int bench_suite_prims(BenchRun *run) {
    for (int k = 0; k < run->n_names; k++) {
        if (prim_find(run->names[k], strlen(run->names[k])) < 0) {
            return cli_error(run->cli, "no primitive is called `%s`", run->names[k]);
        }
    }
    if (run->vectors == NULL) {
        if (run->options->vectors != NULL || run->n_names > 0) {
            return cli_error(run->cli, "%s: no reference vectors there",
                             run->options->vectors ? run->options->vectors : ".");
        }
        out_str(run->out, "primitives: skipped, no reference vectors here (--vectors, or BATT_VECTORS)\n\n");
        return EXIT_DONE;
    }
    BenchPrims options = {.vectors = run->vectors,
                          .dialect = run->options->dialect,
                          .rounds = run->rounds,
                          .slice_ns = (double)run->options->slice,
                          .names = (const char *const *)run->names,
                          .n_names = (size_t)run->n_names,
                          .stop = run->cli->stop};
    BenchPrim *rows = mem_array(PRIM_COUNT, sizeof *rows);
    int n = rows != NULL ? bench_prims(&options, rows) : -1;
    if (n < 0) {
        mem_free(rows);
        return cli_error(run->cli, MEM_NONE);
    }
    out_fmt(run->out, "vectors: %s", run->vectors);
    bool compared = false;
    for (int k = 0; k < n; k++) {
        compared |= rows[k].reference_ns > 0;
    }
    out_str(run->out, compared ? "\n\n" : "; no times of a reference there, so no ratios\n\n");
    json_kv_string(run->json, "vectors", run->vectors);
    write_rows(run, rows, (size_t)n);
    if (!run->options->dialect) {
        write_families(run, rows, (size_t)n);
    }
    write_json(run->json, rows, (size_t)n);
    mem_free(rows);
    return EXIT_DONE;
}
