/* batt bench programs: times whole programs with the proportions of real ones (tools/profiler/mix.h), per
 * sample. */
#include "base/clock.h"
#include "tools/bench/cmd_bench.h"
#include "tools/display/table.h"
#include "tools/profiler/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BOTH, PATH_COMPILED, PATH_STEPWISE }; /* in the order of the words of --path */

typedef struct Figures { /* nanoseconds per sample; NAN: not measured */
    double compiled, stepwise, python;
    double calls, lines;
} Figures;

static const char *const kind_names[MIX_KINDS] = {"short", "long"};

static double samples(const Mix *mix) {
    return (double)mix->programs.count * MIX_SAMPLES;
}

/* ---- Python ---- */

static void write_grid(Out *out, Val grid) {
    out_char(out, '(');
    for (uint32_t i = 0; i < grid.n; i++) {
        out_char(out, '(');
        for (uint32_t j = 0; j < grid.w; j++) {
            out_fmt(out, "%d,", grid.b8[i * grid.w + j]);
        }
        out_str(out, "),");
    }
    out_str(out, "),");
}

/* Writes a script that defines the programs in terms of the functions of a given file, runs them, and prints
 * the nanoseconds per sample, the smallest of three passes. Failures are reported. */
static void write_script(Out *out, const Mix *mix) {
    out_str(out, "import runpy, sys, time\n"
                 "names = runpy.run_path(sys.argv[1])\n"
                 "names.update(T=True, F=False)\n"
                 "work = []\n"
                 "def add(text, grids):\n"
                 "    body = '\\n'.join('    ' + line for line in text.split('; '))\n"
                 "    exec('def synthetic(I):\\n' + body + '\\n    return O', names)\n"
                 "    work.extend((names['synthetic'], grid) for grid in grids)\n");
    for (size_t k = 0; k < mix->programs.count; k++) {
        out_fmt(out, "add('%s', (", mix->texts[k]);
        for (uint32_t s = 0; s < MIX_SAMPLES; s++) {
            write_grid(out, mix->grids[k * MIX_SAMPLES + s]);
        }
        out_str(out, "))\n");
    }
    out_str(out, "best = None\n"
                 "for _ in range(3):\n"
                 "    start = time.thread_time_ns()\n"
                 "    for synthetic, grid in work:\n"
                 "        synthetic(grid)\n"
                 "    spent = time.thread_time_ns() - start\n"
                 "    best = spent if best is None else min(best, spent)\n"
                 "print(best / len(work))\n");
}

/* The number that `python3 script file` prints; NAN if it prints none. */
static double run_python(const char *script, const char *file) {
    char python[] = "python3", first[4096], second[4096];
    snprintf(first, sizeof first, "%s", script);
    snprintf(second, sizeof second, "%s", file);
    return bench_child_number((char *[]){python, first, second, NULL}, true);
}

static double time_python(const Mix *mix, const char *file) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/batt-programs-XXXXXX", folder != NULL ? folder : "/tmp");
    int handle = mkstemp(path);
    FILE *to = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (to == NULL) {
        return NAN;
    }
    Out script;
    out_init(&script);
    write_script(&script, mix);
    bool written = out_flush_to(&script, to);
    written = fclose(to) == 0 && written;
    out_free(&script);
    double ns = written ? run_python(path, file) : NAN;
    unlink(path);
    return ns;
}

/* ---- ours ---- */

static double time_pass(Mix *mix, bool stepwise) {
    uint64_t start = clock_work_ns();
    mix_pass(mix, stepwise);
    return (double)(clock_work_ns() - start) / samples(mix);
}

static Figures measure(const BenchRun *run, Mix *mix) {
    Figures f = {.compiled = INFINITY, .stepwise = INFINITY, .python = NAN};
    for (unsigned k = 0; k < run->rounds && !cli_stopped(run->cli); k++) {
        if (run->options->path != PATH_STEPWISE) {
            f.compiled = fmin(f.compiled, time_pass(mix, false));
        }
        if (run->options->path != PATH_COMPILED) {
            f.stepwise = fmin(f.stepwise, time_pass(mix, true));
        }
    }
    memset(mix->ctx.calls, 0, PRIM_COUNT * sizeof *mix->ctx.calls);
    mix_pass(mix, run->options->path == PATH_STEPWISE);
    uint64_t calls = 0;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        calls += mix->ctx.calls[k];
    }
    f.calls = (double)calls / samples(mix);
    f.lines = (double)mix->lines / (double)mix->programs.count;
    return f;
}

static void report_time(const BenchRun *run, const char *what, const char *key, double ns, double compiled) {
    if (isfinite(ns)) {
        out_fmt(run->out, "  %-26s %9.2f us for one sample", what, ns * 1e-3);
        if (isfinite(compiled) && ns != compiled) { /* NOLINT: the same number or not */
            out_fmt(run->out, ", %.2f times the compiled", ns / compiled);
        }
        out_char(run->out, '\n');
    }
    json_kv_fixed(run->json, key, isfinite(ns) ? ns * 1e-3 : NAN, 3);
}

static void tell_mix(const BenchRun *run, const Mix *mix, MixKind kind) {
    uint32_t n;
    const MixRealCalls *real = mix_real_calls(&n);
    Table table;
    table_init(&table);
    table_column(&table, "primitive", TABLE_LEFT);
    table_column(&table, "calls per 1000 samples", TABLE_RIGHT);
    table_column(&table, "real programs", TABLE_RIGHT);
    for (uint32_t k = 0; k < n; k++) {
        table_cell(&table, prim_table[real[k].prim].name);
        table_fmt(&table, "%.0f", 1000 * (double)mix->ctx.calls[real[k].prim] / samples(mix));
        table_fmt(&table, "%.0f", real[k].wanted[kind]);
    }
    table_end(&table, run->out, &run->cli->style);
    out_char(run->out, '\n');
}

static int bench_kind(BenchRun *run, MixKind kind) {
    Mix mix;
    if (!mix_open(&mix, kind, (uint32_t)run->options->programs, (uint64_t)run->options->seed)) {
        mix_close(&mix);
        return cli_error(run->cli, "out of memory");
    }
    Figures f = measure(run, &mix);
    if (run->options->python != NULL && isnan(f.python = time_python(&mix, run->options->python))) {
        mix_close(&mix);
        return cli_error(run->cli, "%s: the programs do not run with its functions", run->options->python);
    }
    out_fmt(run->out, "%s programs: %zu of %.1f calls, %d grids each, %.0f calls for one sample\n",
            kind_names[kind], mix.programs.count, f.lines, MIX_SAMPLES, f.calls);
    json_key(run->json, kind_names[kind]);
    json_begin_object(run->json);
    report_time(run, "closures compiled", "compiled_us", f.compiled, f.compiled);
    report_time(run, "closures call by call", "stepwise_us", f.stepwise, f.compiled);
    report_time(run, "Python", "python_us", f.python, f.compiled);
    json_kv_fixed(run->json, "calls", f.calls, 1);
    json_kv_uint(run->json, "samples", (uint64_t)samples(&mix));
    json_end_object(run->json);
    out_char(run->out, '\n');
    if (run->options->mix) {
        tell_mix(run, &mix, kind);
    }
    mix_close(&mix);
    return EXIT_DONE;
}

int bench_suite_programs(BenchRun *run) {
    json_key(run->json, "programs");
    json_begin_object(run->json);
    int code = EXIT_DONE;
    for (int kind = 0; kind < MIX_KINDS && code == EXIT_DONE; kind++) {
        /* in the order of the words of --kind */
        if (run->options->kind == 0 || run->options->kind == kind + 1) {
            code = bench_kind(run, (MixKind)kind);
        }
    }
    json_end_object(run->json);
    return code;
}
