/* batt bench: the suites and what they share. */
#ifndef BATT_TOOLS_BENCH_CMD_BENCH_H
#define BATT_TOOLS_BENCH_CMD_BENCH_H

#include "base/json.h"
#include "base/out.h"
#include "tools/cli/cli.h"
#include "tools/cli/device_option.h"

typedef struct BenchOptions {
    const char *vectors, *baseline;
    int64_t rounds, slice, passes;
    bool dialect, json;
    int level;
    /* of search */
    const char *device, *budgets, *steps, *solo, *save, *against, *ids, *shard, *costs;
    int64_t repeat, attempts, jobs, sample, seed, half, max_memory;
    CliList without, set;
    bool own_time, report, merge;
    /* of programs */
    const char *python;
    int64_t programs;
    int path, kind, net;
    bool mix;
} BenchOptions;

/* What a suite is given. It appends text for people to `out` and members to the open JSON
 * object, and returns an exit code. */
typedef struct BenchRun {
    Cli *cli;
    const BenchOptions *options;
    const char *vectors; /* the folder, once found */
    unsigned rounds;
    Backend *backend; /* of search; NULL: the processor */
    char **names;     /* the primitives asked for */
    int n_names;
    Out *out;
    Json *json;
    bool missed; /* set by a suite: it ran, but a figure is not what it should be */
} BenchRun;

int bench_suite_prims(BenchRun *run);
int bench_suite_engine(BenchRun *run);
int bench_suite_profiler(BenchRun *run);
int bench_suite_search(BenchRun *run); /* names: sets of tasks, or saved files */
int bench_suite_programs(BenchRun *run);
int bench_suite_limits(BenchRun *run);
int bench_suite_kernel(BenchRun *run); /* in processes that bench_suite_profiler starts: prints one number */

/* Runs a program, found on PATH or given as a file, and reads the numbers on its first n lines; false: it
 * prints fewer lines, or fails. */
bool bench_child_numbers(char *const *arguments, bool on_path, double *to, size_t n);
/* The same for one number; NAN: it prints none, or fails. */
double bench_child_number(char *const *arguments, bool on_path);

#endif
