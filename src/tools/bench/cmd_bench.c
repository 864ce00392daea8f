/* batt bench: the project's own benchmarks; with the machine they ran on. */
#include "tools/bench/cmd_bench.h"

#include "engine/eval/pool.h"
#include "tools/cli/strategies_option.h"
#include "tools/profiler/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

static const CliOption options[] = {
    CLI_FILE(BenchOptions, vectors, 0, "vectors", "DIR", CLI_ROLE_READ,
             "folder of reference vectors; default: $BATT_VECTORS, ../shared/vectors or tests/vectors"),
    CLI_INT(BenchOptions, rounds, 0, "rounds", "N", NULL, 1, 1000,
            "take the minimum of N rounds, default 5; profiler: the median, default 41"),
    CLI_TIME(BenchOptions, slice, 0, "slice", "20us", 1000, CLI_SECOND, "time per line and round"),
    CLI_FLAG(BenchOptions, dialect, 0, "dialect", "prims: only the dialect's own primitives"),
    CLI_FILE(BenchOptions, baseline, 0, "baseline", "FILE", CLI_ROLE_READ,
             "profiler: a batt built with -DBATT_NO_PROFILER to compare with; default: the one made by "
             "scripts/bench-profiler, or --profile off"),
    CLI_GROUP("profiler and kernel"),
    CLI_INT(BenchOptions, passes, 0, "passes", "N", "16", 1, 1000000,
            "profiler, kernel: passes over the programs in one measurement"),
    CLI_CHOICE(BenchOptions, level, 0, "profile", "off|counters|timing|trace", "off",
               "kernel: profiler level"),
    CLI_GROUP("programs"),
    CLI_INT(BenchOptions, programs, 0, "programs", "N", "400", 1, 100000,
            "programs: number generated of each kind (--seed)"),
    CLI_CHOICE(BenchOptions, path, 0, "path", "both|compiled|stepwise", "both",
               "programs: run closures compiled, call by call, or both"),
    CLI_CHOICE(BenchOptions, kind, 0, "kind", "all|short|long|loops", "all",
               "programs, profiler, kernel: modeled on short solvers, on long verifiers, or on the loops of "
               "solvers (all: for profiler and kernel, short)"),
    CLI_FLAG(BenchOptions, mix, 0, "mix",
             "programs: also show the mix of calls and loops, next to that of real programs"),
    CLI_FILE(BenchOptions, python, 0, "python", "FILE", CLI_ROLE_READ,
             "programs: also time them in Python, with the functions that FILE defines"),
    CLI_GROUP("search"),
    CLI_TEXT(BenchOptions, budgets, 0, "budgets", "TIME,...", "0.3s,1s,5s,20s",
             "search: CPU time per task; time left over by easy tasks goes to others of the set"),
    CLI_TEXT(BenchOptions, steps, 0, "steps", "N,...", NULL,
             "search: steps per task instead of time: the same outcomes on any machine"),
    CLI_FLAG(BenchOptions, own_time, 0, "own-time",
             "search: keep each task to its own time, so that runs over different tasks are comparable"),
    CLI_TEXT(BenchOptions, solo, 0, "solo", "BUDGET", NULL,
             "search: also run every strategy alone, with this time (or steps) per task"),
    CLI_LIST(BenchOptions, without, 0, "without", "STRATEGY", "search: disable a strategy; repeatable"),
    CLI_CHOICE(BenchOptions, net, 0, "net", NET_WORDS, "off", "search: " NET_HELP),
    CLI_LIST(BenchOptions, set, 0, "set", "NAME=VALUE",
             "search: change a tunable, see 'batt help tunables'; repeatable"),
    CLI_FILE(BenchOptions, save, 0, "save", "FILE", CLI_ROLE_WRITE, "search: save all outcomes to FILE"),
    CLI_FILE(BenchOptions, against, 0, "against", "FILE", CLI_ROLE_READ,
             "search: compare with saved outcomes: tasks gained and lost, with a sign test"),
    CLI_FLAG(BenchOptions, report, 0, "report",
             "search: report on saved files as Markdown, without running anything"),
    CLI_INT(BenchOptions, repeat, 'r', "repeat", "N", "1", 1, 1000,
            "search: run each budget N times and count the outcomes that change"),
    CLI_INT(BenchOptions, attempts, 0, "attempts", "N", "2", 1, 3,
            "search: answers per test that count in gains, halves and strategies"),
    CLI_INT(BenchOptions, jobs, 'j', "jobs", "N", "0", 0, 1024, "search: worker threads; 0: one per core"),
    CLI_SIZE(BenchOptions, max_memory, 0, "max-memory", "1G", 1 << 24, INT64_C(1) << 40,
             "search: memory per worker"),
    CLI_FILE(BenchOptions, ids, 0, "ids", "FILE", CLI_ROLE_READ, "search: only tasks listed in FILE"),
    CLI_INT(BenchOptions, half, 0, "half", "1|2", "0", 0, 2,
            "search: only the first or second half of each set, by id; 0: both"),
    CLI_INT(BenchOptions, sample, 0, "sample", "N", "0", 0, INT64_C(1) << 31,
            "search: N random tasks of each set (--seed); 0: all"),
    CLI_INT(BenchOptions, seed, 0, "seed", "S", "1", 0, INT64_MAX, "search, programs: random seed"),
    CLI_TEXT(BenchOptions, shard, 0, "shard", "K/N", NULL,
             "search: only shard K of N, a stable split of the tasks by id; K/N:SEED gives another split"),
    CLI_FILE(BenchOptions, costs, 0, "shard-costs", "FILE", CLI_ROLE_READ,
             "search: with --shard: balance shards by the costs in FILE (lines 'ID COST'); use the same file "
             "for all shards"),
    CLI_FLAG(
        BenchOptions, merge, 0, "merge",
        "search: merge files saved for shards (--save) and report on the whole, without running anything"),
    CLI_TEXT(BenchOptions, device, 0, "device", "WHERE", "cpu",
             "search: backend for batched operations, as in batt solve, but auto queries devices at once"),
    CLI_FLAG(BenchOptions, json, 0, "json", "write JSON"),
    CLI_END};

static const CliExample examples[] = {
    {"batt bench engine", "whole evaluations", false},
    {"batt bench prims objects fill", "two primitives", true},
    {"batt bench programs --programs 20 --mix", "synthetic programs, and what they call", false},
    {"batt bench limits", "how much time grows beyond the limits of fast paths", true},
    {"batt bench search --steps 20000 --sample 4", "what search solves of four built-in tasks", false},
    {"batt bench search --budgets 1s --save new.tsv --against old.tsv data/training",
     "what a change gained and lost", true},
    {"batt bench search --merge --save whole.tsv shard1.tsv shard2.tsv", "shards of a measurement as one",
     true},
    {0}};

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *find_vectors(const BenchOptions *opt) {
    if (opt->vectors != NULL) {
        return is_folder(opt->vectors) ? opt->vectors : NULL;
    }
    const char *places[] = {getenv("BATT_VECTORS"), "../shared/vectors", "tests/vectors"};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        if (places[k] != NULL && is_folder(places[k])) {
            return places[k];
        }
    }
    return NULL;
}

static void describe_machine(BenchRun *run) {
    char processor[128], when[32];
    struct utsname system = {0};
    time_t now = time(NULL);
    struct tm utc;
    prof_processor_name(processor, sizeof processor);
    uname(&system);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    out_fmt(run->out, "batt %s on %s, %u processors, %s %s, compiled by %s\n\n", BATT_VERSION_TEXT,
            processor[0] ? processor : system.machine, pool_processors(), system.sysname, system.release,
            __VERSION__);
    json_kv_string(run->json, "version", BATT_VERSION_TEXT);
    json_kv_string(run->json, "when", when);
    json_key(run->json, "machine");
    json_begin_object(run->json);
    json_kv_string(run->json, "processor", processor);
    json_kv_string(run->json, "architecture", system.machine);
    json_kv_uint(run->json, "processors", pool_processors());
    json_kv_string(run->json, "system", system.sysname);
    json_kv_string(run->json, "release", system.release);
    json_kv_string(run->json, "compiler", __VERSION__);
    json_end_object(run->json);
}

/* In the order of the words of the command. */
enum {
    SUITE_ALL,
    SUITE_PRIMS,
    SUITE_ENGINE,
    SUITE_PROFILER,
    SUITE_KERNEL,
    SUITE_SEARCH,
    SUITE_PROGRAMS,
    SUITE_LIMITS
};

static int run(Cli *cli, const void *given, int argc, char **argv) {
    const BenchOptions *opt = given;
    int suite = argc > 0 ? cli_word(cli, "suite", argv[0], cli->entry->command->words) : SUITE_ALL;
    if (suite < 0) {
        return EXIT_BAD;
    }
    if (argc > 1 && suite != SUITE_PRIMS && suite != SUITE_SEARCH) {
        return cli_error(cli, "only `prims` and `search` take names");
    }
    if (suite != SUITE_SEARCH && strcmp(opt->device, "cpu") != 0) {
        return cli_error(
            cli, "--device needs the suite search; `batt devices --measure` compares devices with the CPU");
    }
    Backend *backend;
    if (device_attach(cli, opt->device, &backend) != EXIT_DONE) {
        return EXIT_BAD;
    }
    backend_discover(backend); /* not in the midst of what is measured */
    Out text, data;
    out_init(&text);
    out_init(&data);
    Json json = json_on(&data, 0);
    BenchRun bench = {.cli = cli,
                      .options = opt,
                      .vectors = find_vectors(opt),
                      .names = argv + 1,
                      .n_names = argc > 1 ? argc - 1 : 0,
                      .backend = backend,
                      .out = &text,
                      .json = &json};
    json_begin_report(&json, "batt.bench/1");
    if (!opt->report && !opt->merge) {
        describe_machine(&bench);
    }
    static int (*const suites[])(BenchRun *) = {bench_suite_engine,   bench_suite_prims,  bench_suite_engine,
                                                bench_suite_profiler, bench_suite_kernel, bench_suite_search,
                                                bench_suite_programs, bench_suite_limits};
    bench.rounds = opt->rounds != CLI_UNSET ? (unsigned)opt->rounds : suite == SUITE_PROFILER ? 41 : 5;
    int code = suites[suite](&bench);
    if (code == EXIT_DONE && suite == SUITE_ALL) {
        code = bench_suite_prims(&bench);
    }
    if (backend != NULL) {
        device_text(&text, backend);
        device_json(&json, backend);
    }
    json_end_object(&json);
    if (code == EXIT_DONE) {
        out_char(&data, '\n');
        code = cli_print(cli, opt->json ? &data : &text) ? EXIT_DONE : EXIT_SHORT;
    }
    out_free(&text);
    out_free(&data);
    code = device_detach(cli, backend, code);
    code = code == EXIT_DONE && bench.missed ? EXIT_SHORT : code;
    return code != EXIT_BAD && cli_stopped(cli) ? EXIT_INTERRUPTED : code;
}

const CliCommand cmd_bench = {
    .arguments = "[SUITE] [NAME...]",
    .words = "all|prims|engine|profiler|kernel|search|programs|limits",
    .max_args = -1,
    .details =
        "Measures batt itself. Without SUITE, runs engine and prims.\nprims [NAME...]\tnanoseconds per call "
        "of each primitive on its reference vectors, compared with Python on the same lines; geometric means "
        "by family\nengine\twhole evaluations, start-up, allocations\nprograms\tsynthetic programs modeled "
        "on real ones (short, long, loops): time per sample, mean and slowest tenth, with closures compiled "
        "and run call by call\nlimits\ttime per element just below and just above the limit of each fast "
        "path; exit code 1 if it more than doubles\nprofiler\tthe cost of each level of --profile against a "
        "build without a profiler (--baseline), by interleaved runs\nkernel\tthe workload of the profiler "
        "suite alone; prints nanoseconds per pass\nsearch [TASKS...]\toutputs that search gets right without "
        "known programs, for each budget; each argument is a set, reported as a whole and by halves; "
        "default: the example tasks",
    .options = options,
    .size = sizeof(BenchOptions),
    .main = "rounds budgets own-time save against",
    .examples = examples,
    .interruptible = true,
    .run = run};
