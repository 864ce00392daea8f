/* batt bench profiler: what profiling costs.
 *
 * The same work, the example tasks with their solvers, is done by processes started in turn: by a batt that
 * was built without a profiler, and by this one at each level. Noise only ever adds,
 * so of all measurements of a level the least counts. */
#include "cli/cmd_bench.h"

#include "cli/data.h"
#include "cli/plan.h"
#include "core/alloc.h"
#include "prof/collect.h"
#include "prof/phase.h"
#include "prof/stats.h"

#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LEVELS = 4, PASSES_A_ROUND = 10 };
static const char *const level_names[LEVELS] = {"off", "counters", "timing", "trace"};

/* ---- the work ---- */

typedef struct Kernel {
    Data data;
    Solvers solvers;
    Matching matching;
    RunTask *results;
    Pool pool;
    Profiler profiler;
} Kernel;

static bool open_kernel(const BenchRun *run, Kernel *k) {
    DataOptions everything = {0};
    CliList built_in = {0};
    Budget budget = BUDGET_DEFAULT;
    ProfLevel level = (ProfLevel)run->options->level;
    return data_load(run->cli, &everything, 1, 0, NULL, &k->data) == EXIT_DONE &&
           solvers_load(run->cli, &built_in, PARSE_MODE_AUTO, &k->solvers) == EXIT_DONE &&
           plan_strip(&k->solvers) && solvers_match(&k->solvers, &k->data, &k->matching) &&
           pool_open(&k->pool, 1, &budget) &&
           (level == PROF_OFF || prof_attach(&k->profiler, &k->pool, level, 1 << 18, 1 << 20)) &&
           (k->results = mem_zalloc(k->data.n_tasks, sizeof *k->results)) != NULL;
}

static void close_kernel(Kernel *k) {
    if (k->profiler.pool != NULL) {
        prof_detach(&k->profiler);
    }
    mem_free(k->results);
    matching_free(&k->matching);
    pool_close(&k->pool);
    solvers_free(&k->solvers);
    data_free(&k->data);
}

/* Nanoseconds a pass: the least over rounds of passes, so that sampling is in it at its usual rate. */
static double time_passes(Kernel *k, int64_t passes) {
    RunPlan plan = {.tasks = k->data.tasks,
                    .n_tasks = k->data.n_tasks,
                    .programs = (const Program *const *)k->solvers.list.items,
                    .n_programs = k->solvers.list.count,
                    .matches = k->matching.by_task};
    double best = INFINITY;
    for (int64_t done = 0; done < passes; done += PASSES_A_ROUND) {
        double sum = 0;
        for (int x = 0; x < PASSES_A_ROUND; x++) {
            uint64_t start = phase_clock_ns();
            run_tasks(&k->pool, &plan, k->results, NULL);
            sum += (double)(phase_clock_ns() - start);
            run_free(k->results, plan.n_tasks);
            if (k->profiler.level == PROF_TRACE) {
                prof_clear(&k->profiler); /* as a run that writes its trace would */
            }
        }
        best = done > 0 || passes <= PASSES_A_ROUND ? fmin(best, sum / PASSES_A_ROUND)
                                                    : best; /* the first warms up */
    }
    return best;
}

int bench_part_kernel(BenchRun *run) {
    Kernel k = {0};
    int code = EXIT_DONE;
    if (open_kernel(run, &k)) {
        k.profiler.everything = k.profiler.level == PROF_TRACE;
        out_clear(run->out);
        double ns = time_passes(&k, run->options->passes);
        out_fmt(run->out, "%.1f\n", ns);
        json_kv_fixed(run->json, "pass_ns", ns, 1);
    } else {
        code = cli_error(run->cli, "the example tasks could not be made ready");
    }
    close_kernel(&k);
    return code;
}

/* ---- running it ---- */

/* What `program bench kernel` prints; NAN if it does not. */
static double kernel_of(const char *program, const char *level, int64_t passes) {
    char bench[] = "bench", kernel[] = "kernel", profile[] = "--profile", option[] = "--passes", count[24],
         name[16], path[4096], line[64] = "";
    char *arguments[] = {path, bench, kernel, profile, name, option, count, NULL};
    int ends[2], status = -1;
    pid_t child;
    double ns = NAN;
    posix_spawn_file_actions_t actions;
    snprintf(path, sizeof path, "%s", program);
    snprintf(name, sizeof name, "%s", level);
    snprintf(count, sizeof count, "%" PRId64, passes);
    if (pipe(ends) != 0) {
        return NAN;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    bool started = posix_spawn(&child, path, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    bool read = from != NULL && fgets(line, sizeof line, from) != NULL;
    if (from != NULL) {
        fclose(from);
    }
    if (started && waitpid(child, &status, 0) == child && read && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0) {
        ns = strtod(line, NULL);
    }
    return ns > 0 ? ns : NAN;
}

typedef struct Measured { /* by round: without profiler, then the levels */
    double *ns[LEVELS + 1];
    unsigned rounds;
} Measured;

static bool measure(const BenchRun *run, Measured *m) {
    for (unsigned r = 0; r < m->rounds && !cli_stopped(run->cli); r++) {
        for (int k = 0; k <= LEVELS; k++) {
            int at = (k + (int)r) % (LEVELS + 1); /* nobody is always first */
            if (at == 0 && run->options->baseline == NULL) {
                m->ns[at][r] = NAN;
                continue;
            }
            m->ns[at][r] = at == 0 ? kernel_of(run->options->baseline, "off", run->options->passes)
                                   : kernel_of("/proc/self/exe", level_names[at - 1], run->options->passes);
            if (isnan(m->ns[at][r])) {
                cli_error(run->cli, "%s bench kernel did not work",
                          at == 0 ? run->options->baseline : "batt");
                return false;
            }
        }
    }
    return !cli_stopped(run->cli);
}

static void report(const BenchRun *run, const Measured *m) {
    double least[LEVELS + 1];
    for (int k = 0; k <= LEVELS; k++) {
        stats_sort(m->ns[k], m->rounds);
        least[k] = m->ns[k][0];
    }
    bool based = run->options->baseline != NULL;
    double base = based ? least[0] : NAN;
    out_fmt(run->out, "no profiler  %10.1f us a pass%s\n", base * 1e-3,
            based ? "" : ": not measured, give --baseline");
    for (int k = 0; k < LEVELS; k++) {
        out_fmt(run->out, "%-12s %10.1f us a pass", level_names[k], least[k + 1] * 1e-3);
        if (based) {
            out_fmt(run->out, "  %+.2f %%", 100 * (least[k + 1] / base - 1));
        }
        out_char(run->out, '\n');
    }
    out_char(run->out, '\n');
    for (int k = 1; k < LEVELS; k++) {
        char key[32];
        snprintf(key, sizeof key, "%s_pct", level_names[k]);
        json_kv_fixed(run->json, key, 100 * (least[k + 1] / base - 1), 3);
    }
    json_kv_fixed(run->json, "baseline_us", base * 1e-3, 3);
    json_kv_uint(run->json, "rounds", m->rounds);
}

int bench_part_profiler(BenchRun *run) {
    Measured m = {.rounds = (unsigned)run->options->rounds};
    double *values = mem_zalloc((size_t)m.rounds * (LEVELS + 1), sizeof *values);
    if (values == NULL) {
        return cli_error(run->cli, "out of memory");
    }
    for (int k = 0; k <= LEVELS; k++) {
        m.ns[k] = values + (size_t)k * m.rounds;
    }
    bool good = measure(run, &m);
    if (good) {
        report(run, &m);
    }
    mem_free(values);
    return good ? EXIT_DONE : cli_stopped(run->cli) ? EXIT_INTERRUPTED : EXIT_BAD;
}
