/* batt bench profiler: what profiling costs.
 *
 * The same work, synthetic programs with the proportions of real ones (tools/profiler/mix.h), is done by
 * short processes started in turn: by a batt that was built without a profiler, and by this one at each
 * level. Processor time counts, and of each process the best of several stretches: other work on the machine
 * only ever adds. Each round gives the ratio of every level to the build without a profiler; the figure is
 * the median of the ratios, with a 95 % interval that assumes no distribution. */
#include "base/alloc.h"
#include "base/clock.h"
#include "search/run/run.h"
#include "tools/bench/cmd_bench.h"
#include "tools/profiler/mix.h"
#include "tools/profiler/quantiles.h"
#include "tools/profiler/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LEVELS = 4, PASSES_A_ROUND = 2 };

/* ---- the work ---- */

/* Each program of the mix is made a task of its own, whose test inputs are the grids it runs on. */
typedef struct Kernel {
    Mix mix;
    Task *tasks;
    const Task **list;
    TaskPair *pairs;
    RunMatch *matches;
    uint32_t *indices;
    RunTask *results;
    size_t n;
    Pool pool;
    Profiler profiler;
} Kernel;

static bool make_tasks(Kernel *k) {
    size_t n = k->n = k->mix.programs.count;
    k->tasks = mem_zalloc(n, sizeof *k->tasks);
    k->list = mem_array(n, sizeof *k->list);
    k->pairs = mem_zalloc(n * MIX_SAMPLES, sizeof *k->pairs);
    k->matches = mem_array(n, sizeof *k->matches);
    k->indices = mem_array(n, sizeof *k->indices);
    k->results = mem_zalloc(n, sizeof *k->results);
    if (k->tasks == NULL || k->list == NULL || k->pairs == NULL || k->matches == NULL || k->indices == NULL ||
        k->results == NULL) {
        return false;
    }
    for (size_t t = 0; t < n; t++) {
        for (size_t x = t * MIX_SAMPLES; x < (t + 1) * MIX_SAMPLES; x++) {
            Val grid = k->mix.grids[x];
            k->pairs[x].in = (Image){.h = (int32_t)grid.n, .w = grid.w, .cells = grid.b8};
        }
        k->tasks[t] = (Task){.id = "synthetic", .test = k->pairs + t * MIX_SAMPLES, .n_test = MIX_SAMPLES};
        k->list[t] = &k->tasks[t];
        k->indices[t] = (uint32_t)t;
        k->matches[t] = (RunMatch){&k->indices[t], 1};
    }
    return true;
}

static bool open_kernel(const BenchRun *run, Kernel *k) {
    enum { NODES = 1 << 18, EVENTS = 1 << 21 };
    Budget budget = BUDGET_DEFAULT;
    ProfLevel level = (ProfLevel)run->options->level;
    MixKind kind = run->options->kind == 0 ? MIX_SHORT : (MixKind)(run->options->kind - 1);
    return mix_open(&k->mix, kind, (uint32_t)run->options->programs, (uint64_t)run->options->seed) &&
           make_tasks(k) && pool_open(&k->pool, 1, &budget) &&
           (level == PROF_OFF || prof_attach(&k->profiler, &k->pool, level, NODES, EVENTS));
}

static void close_kernel(Kernel *k) {
    if (k->profiler.pool != NULL) {
        prof_detach(&k->profiler);
    }
    mem_free(k->results);
    mem_free(k->tasks);
    mem_free((void *)k->list);
    mem_free(k->pairs);
    mem_free(k->matches);
    mem_free(k->indices);
    pool_close(&k->pool);
    mix_close(&k->mix);
}

static double processor_ns(void) {
    return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Nanoseconds per pass: the smallest mean of a round of passes, so that sampling is included at its usual
 * rate. */
static double time_passes(Kernel *k, int64_t passes) {
    RunSpec spec = {.tasks = k->list,
                    .n_tasks = k->n,
                    .programs = (const Program *const *)k->mix.programs.items,
                    .n_programs = k->n,
                    .matches = k->matches};
    double best = INFINITY;
    for (int64_t done = 0; done < passes; done += PASSES_A_ROUND) {
        double sum = 0;
        for (int x = 0; x < PASSES_A_ROUND; x++) {
            double start = processor_ns();
            run_tasks(&k->pool, &spec, k->results, NULL);
            sum += processor_ns() - start;
            run_free(k->results, spec.n_tasks);
            if (k->profiler.level == PROF_TRACE) {
                prof_clear(&k->profiler); /* as a run would after writing its trace */
            }
        }
        /* the first round warms up */
        best = done > 0 || passes <= PASSES_A_ROUND ? fmin(best, sum / PASSES_A_ROUND) : best;
    }
    return best;
}

int bench_suite_kernel(BenchRun *run) {
    Kernel k = {0};
    int code = EXIT_DONE;
    if (open_kernel(run, &k)) {
        k.profiler.everything = k.profiler.level == PROF_TRACE;
        out_clear(run->out);
        double ns = time_passes(&k, run->options->passes);
        out_fmt(run->out, "%.1f\n", ns);
        json_kv_fixed(run->json, "pass_ns", ns, 1);
        json_kv_int(run->json, "passes", run->options->passes);
        if (k.profiler.workers != NULL) {
            json_kv_uint(run->json, "recorded", k.profiler.workers[0].recorded);
        }
    } else {
        code = cli_error(run->cli, MEM_NONE);
    }
    close_kernel(&k);
    return code;
}

/* ---- running it ---- */

/* The number that `program bench kernel` prints; NAN if it prints none. */
static double kernel_of(const BenchRun *run, const char *program, const char *level) {
    static const char *const kinds[] = {"all", "short", "long", "loops"}; /* the words of --kind */
    char bench[] = "bench", kernel[] = "kernel", profile[] = "--profile", option[] = "--passes",
         kind[] = "--kind", count[24], name[16], mix[8], path[4096];
    snprintf(mix, sizeof mix, "%s", kinds[run->options->kind]);
    snprintf(path, sizeof path, "%s", program);
    snprintf(name, sizeof name, "%s", level);
    snprintf(count, sizeof count, "%" PRId64, run->options->passes);
    double ns = bench_child_number(
        (char *[]){path, bench, kernel, profile, name, option, count, kind, mix, NULL}, false);
    return ns > 0 ? ns : NAN;
}

typedef struct ProfilerTimes { /* by round: without profiler, then the levels */
    double *ns[LEVELS + 1];
    unsigned rounds;
    const char *baseline; /* NULL: none was found; level "off" of this build takes its place */
} ProfilerTimes;

static bool measure(const BenchRun *run, ProfilerTimes *m) {
    for (unsigned r = 0; r < m->rounds && !cli_stopped(run->cli); r++) {
        for (int k = 0; k <= LEVELS && !cli_stopped(run->cli); k++) {
            int at = (k + (int)r) % (LEVELS + 1); /* none is always first */
            if (at == 0 && m->baseline == NULL) {
                m->ns[at][r] = NAN;
                continue;
            }
            m->ns[at][r] = at == 0 ? kernel_of(run, m->baseline, "off")
                                   : kernel_of(run, "/proc/self/exe", prof_level_name((ProfLevel)(at - 1)));
            if (isnan(m->ns[at][r])) {
                cli_error(run->cli, "%s bench kernel failed", at == 0 ? m->baseline : "batt");
                return false;
            }
        }
    }
    return !cli_stopped(run->cli);
}

typedef struct Overhead { /* of a level, in percent above the build without a profiler */
    double percent, low, high;
} Overhead;

/* The median of the rounds' ratios, and the order statistics around it that bound a 95 % interval. */
static Overhead compare(const ProfilerTimes *m, int level, double *ratios) {
    unsigned n = m->rounds, out = (unsigned)fmax(0, floor(n / 2.0 - 0.98 * sqrt(n)));
    const double *base = m->ns[m->baseline != NULL ? 0 : 1];
    for (unsigned r = 0; r < n; r++) {
        ratios[r] = 100 * (m->ns[level][r] / base[r] - 1);
    }
    stats_sort(ratios, n);
    return (Overhead){stats_quantile(ratios, n, 0.5), ratios[out], ratios[n - 1 - out]};
}

static void report(const BenchRun *run, const ProfilerTimes *m, double *scratch) {
    bool based = m->baseline != NULL;
    for (int k = 0; k <= LEVELS; k++) {
        const char *name = k == 0 ? "no profiler" : prof_level_name((ProfLevel)(k - 1));
        if (k == 0 && !based) {
            out_str(run->out,
                    "no profiler  not measured: give --baseline FILE, or run scripts/bench-profiler\n");
            continue;
        }
        memcpy(scratch, m->ns[k], m->rounds * sizeof *scratch);
        stats_sort(scratch, m->rounds);
        double median = stats_quantile(scratch, m->rounds, 0.5);
        out_fmt(run->out, "%-12s %8.1f us per pass", name, median * 1e-3);
        char key[32];
        snprintf(key, sizeof key, "%s_us", k == 0 ? "baseline" : name);
        json_kv_fixed(run->json, key, median * 1e-3, 3);
        if (k > (based ? 0 : 1)) {
            Overhead f = compare(m, k, scratch);
            out_fmt(run->out, "  %+6.2f %%   %+.2f to %+.2f", f.percent, f.low, f.high);
            snprintf(key, sizeof key, "%s_pct", name);
            json_kv_fixed(run->json, key, f.percent, 3);
            snprintf(key, sizeof key, "%s_low_pct", name);
            json_kv_fixed(run->json, key, f.low, 3);
            snprintf(key, sizeof key, "%s_high_pct", name);
            json_kv_fixed(run->json, key, f.high, 3);
        }
        out_char(run->out, '\n');
    }
    out_fmt(run->out, "processor time: medians of %u rounds; ratios within a round to %s, %s\n\n", m->rounds,
            based ? m->baseline : "--profile off of this build",
            m->rounds < 6 ? "the lowest and the highest" : "95 % interval of the median");
    json_kv_string(run->json, "baseline", based ? m->baseline : "off");
    json_kv_uint(run->json, "rounds", m->rounds);
}

/* The build without a profiler that scripts/bench-profiler puts beside this program. */
static const char *find_baseline(char *path, size_t room) {
    ssize_t n = readlink("/proc/self/exe", path, room - 1);
    if (n <= 0) {
        return NULL;
    }
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash - path) + sizeof "/noprof/batt" > room) {
        return NULL;
    }
    memcpy(slash, "/noprof/batt", sizeof "/noprof/batt");
    return access(path, X_OK) == 0 ? path : NULL;
}

int bench_suite_profiler(BenchRun *run) {
    char beside[4096];
    ProfilerTimes m = {.rounds = run->rounds, .baseline = run->options->baseline};
    if (m.baseline == NULL) {
        m.baseline = find_baseline(beside, sizeof beside);
    }
    double *values = mem_zalloc((size_t)m.rounds * (LEVELS + 2), sizeof *values);
    if (values == NULL) {
        return cli_error(run->cli, MEM_NONE);
    }
    for (int k = 0; k <= LEVELS; k++) {
        m.ns[k] = values + (size_t)k * m.rounds;
    }
    bool good = measure(run, &m);
    if (good) {
        report(run, &m, values + (size_t)m.rounds * (LEVELS + 1));
    }
    mem_free(values);
    return good ? EXIT_DONE : cli_stopped(run->cli) ? EXIT_INTERRUPTED : EXIT_BAD;
}
