/* What most commands start with: tasks, chosen by common options, and solver programs.
 *
 * Without paths both come from inside the binary: the example tasks and their solvers. */
#ifndef BATT_TOOLS_CLI_DATA_H
#define BATT_TOOLS_CLI_DATA_H

#include "data/tasks/paths.h"
#include "engine/language/own.h"
#include "search/evolution/python_battery.h"
#include "search/run/match_programs.h"
#include "tools/cli/cli.h"

/* ---- tasks (data.c) ---- */

typedef struct DataOptions {
    CliList ids;
    const char *ids_file, *filter;
    int64_t sample, seed, start, count, max_side;
    const char *shard, *costs;
    bool strict;
} DataOptions;

/* The option for a shard of the tasks, for work that is split over machines (data/tasks/shard.h). */
#define SHARD_OPTIONS(T)                                                                                   \
    CLI_TEXT(T, data.shard, 0, "shard", "K/N", NULL,                                                       \
             "only shard K of N, a stable split of the tasks by id, for several machines; K/N:SEED gives " \
             "another split"),                                                                             \
        CLI_FILE(T, data.costs, 0, "shard-costs", "FILE", CLI_ROLE_READ,                                   \
                 "with --shard: balance shards by the costs in FILE (lines 'ID COST'); use the same file " \
                 "for all shards")

/* For a command's options: `DataOptions data;` in its struct T, then DATA_OPTIONS(T) in its table. */
#define DATA_OPTIONS(T)                                                                                 \
    CLI_GROUP("choosing tasks"),                                                                        \
        CLI_LIST(T, data.ids, 0, "id", "ID", "only this task; repeatable, or a list a,b"),              \
        CLI_FILE(T, data.ids_file, 0, "ids", "FILE", CLI_ROLE_READ, "only tasks listed in FILE"),       \
        CLI_TEXT(T, data.filter, 0, "filter", "CONDITIONS", NULL,                                       \
                 "only tasks that meet all conditions, e.g. h<=10,colors<=3,pairs>=3,same_size"),       \
        CLI_INT(T, data.sample, 0, "sample", "N", "0", 0, INT64_C(1) << 31,                             \
                "N random tasks (--seed); 0: all"),                                                     \
        CLI_INT(T, data.start, 0, "start", "K", "0", 0, INT64_C(1) << 40, "skip the first K tasks"),    \
        CLI_INT(T, data.count, 'n', "count", "N", "0", 0, INT64_C(1) << 40, "at most N tasks; 0: all"), \
        CLI_INT(T, data.max_side, 0, "max-side", "N", "255", 1, TASK_MAX_SIDE,                          \
                "reject grids with more than N rows or columns; ARC's limit is 30"),                    \
        SHARD_OPTIONS(T), CLI_FLAG(T, data.strict, 0, "strict", "stop at the first error in the task files")

/* For commands without other random numbers. */
#define DATA_SEED_OPTION(T) CLI_INT(T, data.seed, 0, "seed", "S", "1", 0, INT64_MAX, "seed of --sample")

typedef struct Data {
    TaskSet *set;
    const Task **tasks; /* chosen */
    size_t n_tasks;
    uint64_t hash;      /* of the chosen tasks */
    const char *origin; /* for messages: "the examples", or the first path */
} Data;

/* Reports problems with the files on standard error. Returns EXIT_DONE, or EXIT_BAD if nothing could be
 * loaded. */
int data_load(const Cli *cli, const DataOptions *options, int64_t jobs, int n_paths, char **paths,
              Data *data);
/* The same for arguments that may also be ids: one that is not a file and does not look like one is the id of
 * a task in the files given or, without files, of an example. */
int data_load_named(const Cli *cli, const DataOptions *options, int64_t jobs, int n_names, char **names,
                    Data *data);
void data_free(Data *data);

/* The example tasks; NULL: out of memory. */
TaskSet *data_examples(void);
void data_report_errors(const Cli *cli, const TaskError *errors, size_t n_errors);

/* ---- solvers (load_solvers.c) ---- */

typedef struct Solvers {
    ProgList list, differs; /* differs: those of a battery that batt wrote */
    PythonBattery python;   /* of a battery of the Python pipeline: the rest of it */
    int32_t *scores;        /* by program: its score on record in a collection, or -1; NULL: none has one */
    size_t scores_room;     /* programs behind it have none */
    size_t n_files, n_errors;
} Solvers;

Lang *
cli_lang_open(const Cli *cli); /* knows the primitives of one's own, if there are any; NULL: no memory */
/* Says on standard error that programs cannot run here, if there are any; what: "" or " skipped". */
void cli_report_lacking(const Cli *cli, const OwnLacking *lacking, const char *what);

/* Files, and folders with *.py in them or below, parsed by so many threads (0: one per core). Errors are
 * reported, in the order of the files; EXIT_BAD if no program could be read. */
int solvers_load(const Cli *cli, const CliList *paths, int mode, int64_t jobs, Solvers *solvers);
/* Names the links of a walk that lead nowhere. */
void report_dangling(const Cli *cli, const PathList *files);
enum { SOLVERS_HASH_BYTES = 33 };
/* A hash of the files' bytes, in hexadecimal; no paths: the built-in solvers. False: a file cannot be read
 * (solvers_load says which), or it was interrupted. */
bool solvers_hash(const Cli *cli, const CliList *paths, char hash[SOLVERS_HASH_BYTES]);
/* The programs and the differs of a battery that batt card or the Python pipeline wrote, one by one; they are
 * merged again to be run. */
int solvers_load_battery(const Cli *cli, const char *path, Solvers *solvers);
/* A hash of programs and differs, in their order. It is in the settings of runs in stores. */
uint64_t solvers_mix(const ProgList *programs, const ProgList *differs);
void solvers_free(Solvers *solvers);
/* Whether they are to be run in safe mode whatever the options say: their file has guards. */
static inline bool solvers_guarded(const Solvers *solvers) {
    return solvers->python.guarded > 0;
}

#endif
