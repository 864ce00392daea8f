/* batt bench: the parts of the suite and what they share. */
#ifndef BATT_CLI_CMD_BENCH_H
#define BATT_CLI_CMD_BENCH_H

#include "cli/cli.h"
#include "core/json.h"
#include "core/out.h"

typedef struct BenchOptions {
    const char *vectors, *history, *baseline;
    int64_t rounds, slice, passes;
    bool dialect, json;
    int level;
    /* of search */
    const char *budgets, *steps, *solo, *save, *against, *ids;
    int64_t repeat, attempts, jobs, sample, seed, half, max_memory;
    CliList without, set;
    bool own_time, report;
} BenchOptions;

/* One part: appends text for people to `out`, and members to the JSON object that is open. Returns an exit
 * code. */
typedef struct BenchRun {
    Cli *cli;
    const BenchOptions *options;
    const char *vectors; /* folder, found */
    unsigned rounds;
    char **names; /* primitives asked for */
    int n_names;
    Out *out;
    Json *json;
} BenchRun;

int bench_part_prims(BenchRun *run);
int bench_part_engine(BenchRun *run);
int bench_part_profiler(BenchRun *run);
int bench_part_search(BenchRun *run); /* names: sets of tasks, or saved files */
int bench_part_trend(BenchRun *run);  /* names: a history file, then figures */
int bench_part_kernel(BenchRun *run); /* what bench_part_profiler starts: prints one number */

#endif
