/* batt bench programs: times whole programs with the proportions of real ones (tools/profiler/mix.h), per
 * sample. */
#include "base/alloc.h"
#include "base/clock.h"
#include "tools/bench/cmd_bench.h"
#include "tools/display/table.h"
#include "tools/profiler/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BOTH, PATH_COMPILED, PATH_STEPWISE }; /* in the order of the words of --path */

/* What one program takes: nanoseconds per sample; NAN: not measured. */
typedef struct Times {
    double compiled, stepwise, python;
} Times;

typedef struct Figures {
    Times *programs;
    Times mean, worst;              /* over all; over the slowest tenth */
    Times compared, compared_worst; /* over those that run in Python; over the tenth least ahead of it */
    size_t failed;                  /* programs that do not run there */
    double calls, lines;
} Figures;

static const char *const kind_names[MIX_KINDS] = {"short", "long", "loops"};

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
 * the nanoseconds per sample of each, the smallest of three passes; nan for those that fail, as some do where
 * the order of a set matters. The first failure is reported. */
static void write_script(Out *out, const Mix *mix) {
    out_str(out, "import runpy, sys, time\n"
                 "names = runpy.run_path(sys.argv[1])\n"
                 "names.update(T=True, F=False)\n"
                 "work = []\n"
                 "def add(text, grids):\n"
                 "    body = '\\n'.join('    ' + line for line in text.split('; '))\n"
                 "    exec('def synthetic(I):\\n' + body + '\\n    return O', names)\n"
                 "    work.append((names['synthetic'], grids))\n");
    for (size_t k = 0; k < mix->programs.count; k++) {
        out_fmt(out, "add('%s', (", mix->texts[k]);
        for (uint32_t s = 0; s < MIX_SAMPLES; s++) {
            write_grid(out, mix->grids[k * MIX_SAMPLES + s]);
        }
        out_str(out, "))\n");
    }
    out_str(out, "best = [float('inf')] * len(work)\n"
                 "for _ in range(3):\n"
                 "    for k, (synthetic, grids) in enumerate(work):\n"
                 "        start = time.thread_time_ns()\n"
                 "        try:\n"
                 "            for grid in grids:\n"
                 "                synthetic(grid)\n"
                 "        except Exception as why:\n"
                 "            if best[k] == best[k] and not any(x != x for x in best):\n"
                 "                print(f'Python: program {k} fails: {why!r}', file=sys.stderr)\n"
                 "            best[k] = float('nan')\n"
                 "        if best[k] == best[k]:\n"
                 "            best[k] = min(best[k], time.thread_time_ns() - start)\n"
                 "for (_, grids), spent in zip(work, best):\n"
                 "    print(spent / len(grids))\n");
}

/* Whether `python3 script file` prints a number for every program; puts them there. */
static bool run_python(const char *script, const char *file, Figures *f, size_t n) {
    char python[] = "python3", first[4096], second[4096];
    double *numbers = mem_array(n, sizeof *numbers);
    snprintf(first, sizeof first, "%s", script);
    snprintf(second, sizeof second, "%s", file);
    bool good =
        numbers != NULL && bench_child_numbers((char *[]){python, first, second, NULL}, true, numbers, n);
    for (size_t k = 0; good && k < n; k++) {
        f->programs[k].python = numbers[k];
        f->failed += isnan(numbers[k]) ? 1 : 0;
    }
    mem_free(numbers);
    return good && f->failed < n;
}

static bool time_python(const Mix *mix, const char *file, Figures *f) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/batt-programs-XXXXXX", folder != NULL ? folder : "/tmp");
    int handle = mkstemp(path);
    FILE *to = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (to == NULL) {
        return false;
    }
    Out script;
    out_init(&script);
    write_script(&script, mix);
    bool written = out_flush_to(&script, to);
    written = fclose(to) == 0 && written;
    out_free(&script);
    bool good = written && run_python(path, file, f, mix->programs.count);
    unlink(path);
    return good;
}

/* ---- ours ---- */

static void time_program(Mix *mix, size_t program, bool stepwise, double *least) {
    uint64_t start = clock_work_ns();
    mix_run(mix, program, stepwise);
    *least = fmin(*least, (double)(clock_work_ns() - start) / MIX_SAMPLES);
}

/* The slowest first. */
static int slowest_first(const void *a, const void *b) {
    const Times *x = a, *y = b;
    return (x->compiled < y->compiled) - (x->compiled > y->compiled);
}

/* Those least ahead of Python first, those that do not run there last. */
static int closest_first(const void *a, const void *b) {
    const Times *x = a, *y = b;
    double first = isnan(x->python) ? INFINITY : x->python / x->compiled,
           second = isnan(y->python) ? INFINITY : y->python / y->compiled;
    return (first > second) - (first < second);
}

static Times mean_of(const Times *programs, size_t n) {
    Times sum = {0, 0, 0};
    for (size_t k = 0; k < n; k++) {
        sum.compiled += programs[k].compiled;
        sum.stepwise += programs[k].stepwise;
        sum.python += programs[k].python;
    }
    double count = (double)n;
    return (Times){sum.compiled / count, sum.stepwise / count, sum.python / count};
}

/* Orders the programs, so it is called when nothing else needs their order. */
static void sum_up(Figures *f, size_t n) {
    f->mean = mean_of(f->programs, n);
    qsort(f->programs, n, sizeof *f->programs, slowest_first);
    f->worst = mean_of(f->programs, (n + 9) / 10);
    qsort(f->programs, n, sizeof *f->programs, closest_first);
    f->compared = mean_of(f->programs, n - f->failed);
    f->compared_worst = mean_of(f->programs, (n - f->failed + 9) / 10);
}

static void measure(const BenchRun *run, Mix *mix, Figures *f) {
    size_t n = mix->programs.count;
    for (size_t k = 0; k < n; k++) {
        f->programs[k] = (Times){INFINITY, INFINITY, NAN};
    }
    for (unsigned k = 0; k < run->rounds && !cli_stopped(run->cli); k++) {
        for (size_t p = 0; p < n && run->options->path != PATH_STEPWISE; p++) {
            time_program(mix, p, false, &f->programs[p].compiled);
        }
        for (size_t p = 0; p < n && run->options->path != PATH_COMPILED; p++) {
            time_program(mix, p, true, &f->programs[p].stepwise);
        }
    }
    memset(mix->ctx.calls, 0, PRIM_COUNT * sizeof *mix->ctx.calls);
    mix_pass(mix, run->options->path == PATH_STEPWISE);
    uint64_t calls = 0;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        calls += mix->ctx.calls[k];
    }
    f->calls = (double)calls / samples(mix);
    f->lines = (double)mix->lines / (double)n;
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
    table_begin(&table, "primitive", ">calls per 1000 samples", ">real programs");
    for (uint32_t k = 0; k < n; k++) {
        table_cell(&table, prim_table[real[k].prim].name);
        table_fmt(&table, "%.0f", 1000 * (double)mix->ctx.calls[real[k].prim] / samples(mix));
        table_fmt(&table, "%.0f", real[k].wanted[kind]);
    }
    table_end(&table, run->out, &run->cli->style);
    out_char(run->out, '\n');
}

/* Shares of time of the shapes of loops, beside those of real programs. */
static void tell_shapes(const BenchRun *run, Mix *mix) {
    enum { SHAPES_MAX = 16 };
    uint32_t n;
    const MixShape *shapes = mix_shapes(&n);
    double spent[SHAPES_MAX] = {0}, total = 0;
    uint32_t programs[SHAPES_MAX] = {0};
    for (size_t k = 0; k < mix->programs.count; k++) {
        double ns = INFINITY;
        for (unsigned round = 0; round < run->rounds; round++) {
            ns = fmin(ns, mix_loop_ns(mix, k));
        }
        spent[mix_shape(k)] += ns;
        programs[mix_shape(k)]++;
        total += ns;
    }
    Table table;
    table_begin(&table, "loops", ">programs", ">us", ">% of time", ">real programs");
    for (uint32_t k = 0; k < n && k < SHAPES_MAX; k++) {
        table_cell(&table, shapes[k].what);
        table_fmt(&table, "%u", programs[k]);
        table_fmt(&table, "%.2f", programs[k] != 0 ? spent[k] * 1e-3 / programs[k] / MIX_SAMPLES : 0);
        table_fmt(&table, "%.1f", 100 * spent[k] / total);
        table_fmt(&table, "%.1f", 100 * shapes[k].share);
    }
    table_end(&table, run->out, &run->cli->style);
    out_char(run->out, '\n');
}

static void report(const BenchRun *run, const Mix *mix, MixKind kind, const Figures *f) {
    out_fmt(run->out, "%s: %zu programs of %.1f calls, %d grids each, %.0f calls for one sample\n",
            kind_names[kind], mix->programs.count, f->lines, MIX_SAMPLES, f->calls);
    json_key(run->json, kind_names[kind]);
    json_begin_object(run->json);
    report_time(run, "closures compiled", "compiled_us", f->mean.compiled, f->mean.compiled);
    report_time(run, "  the slowest tenth", "compiled_worst_us", f->worst.compiled, f->worst.compiled);
    report_time(run, "closures call by call", "stepwise_us", f->mean.stepwise, f->mean.compiled);
    report_time(run, "Python", "python_us", f->compared.python, f->compared.compiled);
    report_time(run, "  the tenth that gains least", "python_worst_us", f->compared_worst.python,
                f->compared_worst.compiled);
    json_kv_fixed(run->json, "python_ratio", f->compared.python / f->compared.compiled, 2);
    json_kv_fixed(run->json, "python_worst_ratio", f->compared_worst.python / f->compared_worst.compiled, 2);
    if (f->failed != 0) {
        out_fmt(run->out, "  %zu programs fail in Python and are not counted there\n", f->failed);
    }
    json_kv_fixed(run->json, "calls", f->calls, 1);
    json_kv_uint(run->json, "samples", (uint64_t)samples(mix));
    json_end_object(run->json);
    out_char(run->out, '\n');
}

static int bench_kind(BenchRun *run, MixKind kind) {
    Mix mix;
    Figures f = {.programs = mem_array((size_t)run->options->programs, sizeof *f.programs)};
    int code = EXIT_DONE;
    if (!mix_open(&mix, kind, (uint32_t)run->options->programs, (uint64_t)run->options->seed) ||
        f.programs == NULL) {
        code = cli_error(run->cli, MEM_NONE);
    } else {
        measure(run, &mix, &f);
        if (run->options->python != NULL && !time_python(&mix, run->options->python, &f)) {
            code =
                cli_error(run->cli, "%s: the programs do not run with its functions", run->options->python);
        }
    }
    if (code == EXIT_DONE) {
        sum_up(&f, mix.programs.count);
        report(run, &mix, kind, &f);
        if (run->options->mix && kind == MIX_LOOPS) {
            tell_shapes(run, &mix);
        } else if (run->options->mix) {
            tell_mix(run, &mix, kind);
        }
    }
    mix_close(&mix);
    mem_free(f.programs);
    return code;
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
