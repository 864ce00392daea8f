/* A profile: what was measured, apart from how it is shown.
 *
 * It is made from a Profiler after a run, or read from a file; every view, export and comparison starts from
 * it, so a saved profile can be shown in every way without running anything again.
 *
 * Times are nanoseconds of one pass over the tasks. With several repeats, self_ns and execute_ns have one
 * figure for each. Figures of primitives are scaled so that, task by task, primitives plus dispatch are the
 * task's exact time as it was without timestamps. If only some tasks were measured (batt run --profile
 * timing), each of them stands for others that took about as long: its rows count `weight` times.
 *
 * Ownership: everything lives in the profile's slab until profile_free. */
#ifndef BATT_TOOLS_PROFILER_PROFILE_H
#define BATT_TOOLS_PROFILER_PROFILE_H

#include "base/slab.h"
#include "tools/profiler/phase.h"
#include "tools/profiler/record.h"

enum { PROFILE_FORMAT = 1 }; /* version of the JSON form; see docs/formats.md */

typedef struct ProfRow { /* one primitive in one task */
    uint32_t name;       /* into names */
    uint64_t calls, fails;
    double total_ns, failed_ns;
    double uncertain_ns; /* of the self time, either way: the uncertainty about the cost of timestamps */
    double *self_ns;     /* by repeat */
    double stacked;      /* used by profile_finish */
} ProfRow;

typedef struct ProfTask {
    const char *id;
    uint32_t evaluations, over_budget; /* per pass */
    const char *reason;                /* why it went over budget: "steps", ..; or "" */
    bool solved;
    uint32_t cells;      /* of its largest input */
    double *execute_ns;  /* by repeat: all its evaluations */
    double *validate_ns; /* by repeat: judging the answers */
    double setup_ns;     /* making contexts and parameters ready, per pass */
    double weight;       /* how many times rows and stacks count; 0: not measured */
    ProfRow *rows;
    uint32_t n_rows, row_room;
    uint32_t source;   /* into sources; 0 where there are none */
    bool outlier;      /* set by outliers_mark */
    double deviations; /* robust standard deviations above the median, likewise */
} ProfTask;

typedef struct ProfStack { /* a chain of calls, as a node of the tree */
    uint32_t parent;       /* 0: the root; parents come first */
    uint32_t name;         /* into names; for a task's node: into tasks */
    bool task;
    uint64_t calls;
    double self_ns, total_ns;
} ProfStack;

#define PROF_ENGINE "engine" /* the family of scopes */
typedef struct ProfName {
    const char *name, *family;
    bool engine;           /* a scope (engine/eval/scope.h), not a primitive */
    uint64_t calls, fails; /* per pass, exact, from the engine's counters */
} ProfName;

typedef struct ProfEventList { /* one worker's events (prof_event_read) */
    const uint64_t *words;
    uint64_t count, base;
} ProfEventList;

/* Work of the engine outside evaluations, by what it is for. */
typedef enum ProfWork {
    WORK_MATCH, /* finding the programs of a task */
    WORK_STRIP, /* leaving out calls that results do not need */
    WORK_MERGE, /* merging equal calls of programs */
    WORK_BUILD, /* compiling kernels for a device; like those above, before the passes that are measured */
    WORK_SETUP, /* making a context and parameters ready */
    WORK_JUDGE, /* comparing answers with what is expected */
    WORK_SCHEDULING, /* giving items to workers, the profiler's own timestamps */
    WORK_IDLE,       /* workers with nothing left to do */
    WORK_BREAKS,     /* interruptions: time by which single measurements were too long */
    WORK_NETWORK,    /* waiting for other ranks */
    /* of a run by levels after the passes, by the clock: */
    WORK_DEVICE_WAIT,     /* the host's part of it */
    WORK_DEVICE_TRANSFER, /* bytes going up and coming down */
    WORK_DEVICE_KERNEL,   /* kernels running */
    WORK_COUNT
} ProfWork;
const char *prof_work_name(ProfWork work);

typedef struct ProfSource { /* where a part of a merged profile was measured */
    const char *name;
    uint32_t workers;
    double wall_ns, cpu_ns, pass_ns; /* pass: over all its workers */
    double work_ns[WORK_COUNT];
} ProfSource;
/* A model of what a run over any number of tasks takes, in nanoseconds: a fixed part, and a part per task.
 * Found from two sizes; see cmd_profile.c. */
typedef struct ProfModel {
    bool known; /* loading and generating were measured twice */
    double load_fixed, load_task, generate_fixed, generate_task;
} ProfModel;

typedef struct Profile {
    Slab slab;
    const char *version, *command, *when, *processor, *data; /* data: hash of the tasks, as text */
    ProfLevel level;
    uint32_t processors, workers, repeats, warmup;
    /* repeats of each run (process), one run after the other; see profile_append */
    uint32_t *run_repeats, n_runs;
    ProfName *names;
    uint32_t n_names;
    ProfTask *tasks;
    uint32_t n_tasks;
    bool totals_only; /* nobody will ask for stacks, quantiles or the header: they are left out */
    ProfStack *stacks;
    uint32_t n_stacks, stack_room;
    HashMap stack_map;                              /* stacks but the root, by their hashes */
    double phases_ns[PHASE_COUNT], wall_ns, cpu_ns; /* cpu: all threads; 0: not known */
    double *pass_ns;                                /* by repeat: wall time of the pass */
    double work_ns[WORK_COUNT];                     /* per pass, summed over workers */
    ProfModel model;
    /* time of a pass with timestamps, corrected, and of one without: equal if the correction is right */
    double measured_ns, plain_ns;
    /* what recording a call costs, and the interval that covers this cost in two of three places */
    double timestamp_ns, timestamp_low_ns, timestamp_high_ns;
    uint64_t recorded, lost, disturbed; /* calls; measurements replaced */
    ProfSource *sources;                /* none unless it was merged */
    uint32_t n_sources;
    ProfEventList *events; /* by worker; only of a trace; not saved */
    double ns_per_tick;
    uint64_t start_ticks;
} Profile;

void profile_free(Profile *profile);
/* Room for this many rows of a task that has none yet; false: no memory. */
bool profile_reserve_rows(Profile *profile, ProfTask *task, uint32_t n);
void *profile_alloc(Profile *profile, size_t count, size_t size); /* zeroed; NULL: no memory */
const char *profile_text(Profile *profile, const char *text);     /* a copy */

/* The "model name" of the first processor; "" if the kernel does not say. */
void prof_processor_name(char *name, size_t room);

/* ---- making one ---- */

/* Header fields and the table of names (all primitives, all scopes). False: no memory. */
bool profile_begin(Profile *profile, const char *command, ProfLevel level, unsigned workers,
                   uint32_t repeats);
/* The same for one of which only totals will be shown. */
bool profile_begin_totals(Profile *profile, ProfLevel level, unsigned workers, uint32_t repeats);
/* Tasks with room for their times, unnamed, each counting once. False: no memory, or too many. */
bool profile_begin_tasks(Profile *profile, size_t n);
/* Turns the shares of rows and stacks into times, by execute_ns. False: no memory. */
bool profile_finish(Profile *profile);
/* After one run with some items measured: fills tasks, rows, weights and the workers' idle time. ids[item]
 * names the items. Phases must be set already. */
bool profile_from_run(Profile *profile, Profiler *profiler, const char *const *ids);

/* Wall time, processor time and phases so far. */
void profile_set_phases(Profile *profile, Phases *phases);

/* Found, or added; NULL and 0: no memory. For making profiles in other ways (reading one, tests). */
ProfRow *profile_row(Profile *profile, ProfTask *task, uint32_t name);
uint32_t profile_stack(Profile *profile, uint32_t parent, uint32_t name, bool task);
/* Drops the tasks and stacks that were added last; no stack that stays may be in a task that goes. */
void profile_keep_first(Profile *profile, uint32_t tasks, uint32_t stacks);

/* By stack, the task it is in; NULL: no memory. mem_free it. */
uint32_t *profile_stack_tasks(const Profile *profile);
/* Whether a caller has the same name: its total includes this one's. */
bool profile_stack_recursive(const Profile *profile, uint32_t stack);
/* Totals of stacks from their self times; a task's own time is what its calls leave. False: no memory. */
bool profile_add_up(Profile *profile);

/* ---- several in one (merge_profiles.c) ---- */

/* labels[k] says where from[k] was measured. All must have the same level and number of repeats. False: `why`
 * says the reason, and nothing is kept. */
bool profile_merge(Profile *profile, const Profile *const *from, const char *const *labels, size_t n,
                   char *why, size_t why_size);
/* Self time of a name in the tasks of one source, mean of the repeats. */
double profile_source_ns(const Profile *profile, uint32_t source, uint32_t name);

/* ---- summing up ---- */

typedef enum ProfFilter { FILTER_ALL, FILTER_WITHOUT, FILTER_ONLY } ProfFilter; /* outliers */

typedef struct ProfSumRow {
    uint32_t name;
    uint64_t calls, fails;
    double self_ns, total_ns, failed_ns; /* mean of the repeats */
    double spread;    /* of self_ns over repeats: standard deviation / mean; NAN with one */
    double low, high; /* its share of the time lies between them nine times in ten */
    uint32_t tasks;   /* that call it */
    double median_ns, p90_ns, p99_ns, max_ns; /* self time per task that calls it */
} ProfSumRow;

typedef struct ProfSum {
    ProfSumRow *rows; /* by self time, largest first; only names that were called, scopes among them */
    uint32_t n_rows;
    uint32_t tasks, evaluations;
    uint64_t calls, fails;                    /* of primitives */
    double execute_ns, validate_ns, setup_ns; /* per pass */
    /* parts of execute_ns: calls; scopes without calls; the rest */
    double primitives_ns, engine_ns, dispatch_ns;
    double spread;                                                /* of execute_ns over repeats */
    double *repeat_ns;                                            /* execute_ns by repeat */
    double task_median_ns, task_p90_ns, task_p99_ns, task_max_ns; /* execute time of a task */
} ProfSum;

/* Quantiles stay 0 if the profile has only totals. False: no memory. */
bool profile_sum(const Profile *profile, ProfFilter filter, ProfSum *sum);
void profile_sum_free(ProfSum *sum);
/* Averages figures by repeat into means by run; returns the number of runs. */
uint32_t profile_by_run(const Profile *profile, const double *by_repeat, double *by_run);
/* Self time of a name in each repeat, summed over the tasks that pass the filter. */
void profile_repeats(const Profile *profile, ProfFilter filter, uint32_t name, double *out);
/* The time of a pass over all workers; and the part of it that is in no row, no scope and no other work. */
double profile_pass_ns(const Profile *profile);
double profile_unaccounted(const Profile *profile, const ProfSum *all);
double task_execute_ns(const Profile *profile, const ProfTask *task); /* mean of the repeats */

/* Marks tasks that ran out of budget or lie far above the others; returns how many. outliers_method says in
 * words how they are found. */
#define OUTLIERS_DEVIATIONS 3.5
uint32_t outliers_mark(Profile *profile, double deviations);
extern const char outliers_method[];

#endif
