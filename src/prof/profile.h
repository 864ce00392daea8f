/* A profile: what was measured, apart from how it is shown.
 *
 * It is made from a Profiler after a run, or read from a file; every view, export and comparison starts from
 * it, so a saved profile can be looked at in all ways without running anything again.
 *
 * Times are nanoseconds of one pass over the tasks. With several repeats, self_ns and execute_ns have one
 * figure for each. Figures of primitives are scaled so that, task by task, primitives plus dispatch are the
 * task's exact time as it was without readings. If only some tasks were measured (batt run --profile timing),
 * each of those stands for others that took about as long: its rows count `weight` times.
 *
 * Ownership: everything lives in the profile's slab until profile_free. */
#ifndef BATT_PROF_PROFILE_H
#define BATT_PROF_PROFILE_H

#include "prof/phase.h"
#include "prof/record.h"
#include "task/slab.h"

enum { PROFILE_FORMAT = 1 }; /* version of the JSON form; see docs/profile-format.md */

typedef struct ProfRow { /* one primitive in one task */
    uint32_t name;       /* into names */
    uint64_t calls, fails;
    double total_ns, failed_ns;
    double *self_ns; /* by repeat */
    double stacked;  /* used by profile_finish */
} ProfRow;

typedef struct ProfTask {
    const char *id;
    uint32_t evaluations, over_budget; /* a pass */
    const char *reason;                /* of running out: "steps", ..; "" */
    bool solved;
    uint32_t cells;      /* of its largest input */
    double *execute_ns;  /* by repeat: all its evaluations */
    double *seen_ns;     /* by repeat: the same in the pass with readings, corrected; not saved */
    double *validate_ns; /* by repeat: judging the answers */
    double setup_ns;     /* making contexts and parameters ready, a pass */
    double weight;       /* of rows and stacks; 0: not measured */
    ProfRow *rows;
    uint32_t n_rows;
    bool outlier;      /* set by outliers_mark */
    double deviations; /* robust standard deviations above the median, likewise */
} ProfTask;

typedef struct ProfStack { /* a chain of calls, as the tree's node */
    uint32_t parent;       /* 0: the root; parents come first */
    uint32_t name;         /* into names; for a task's node: into tasks */
    bool task;
    uint64_t calls;
    double self_ns, total_ns;
} ProfStack;

#define PROF_ENGINE "engine" /* the family of scopes */
typedef struct ProfName {
    const char *name, *family;
    bool engine;           /* a scope (exec/scope.h), not a primitive */
    uint64_t calls, fails; /* of a pass, exact, by the engine's counters */
} ProfName;

typedef struct ProfEventList { /* one worker's events, with times from the start */
    const ProfEvent *events;
    uint64_t count;
} ProfEventList;

/* Work of the engine outside evaluations, by what it is for. */
typedef enum ProfWork {
    WORK_MATCH,   /* finding the programs of a task */
    WORK_STRIP,   /* leaving out what results do not need */
    WORK_MERGE,   /* merging equal calls of programs */
    WORK_SETUP,   /* making a context and parameters ready */
    WORK_JUDGE,   /* comparing answers with what is expected */
    WORK_HANDOUT, /* giving items to workers, readings of the profiler itself */
    WORK_IDLE,    /* workers with nothing left to do */
    WORK_BREAKS,  /* interruptions: what single measurements were too long by */
    WORK_COUNT
} ProfWork;
const char *prof_work_name(ProfWork work);

typedef struct Profile {
    Slab slab;
    const char *version, *command, *when, *processor, *data; /* data: hash of the tasks, as text */
    ProfLevel level;
    uint32_t processors, workers, repeats, warmup;
    ProfName *names;
    uint32_t n_names;
    ProfTask *tasks;
    uint32_t n_tasks;
    ProfStack *stacks;
    uint32_t n_stacks;
    uint32_t *stack_slots, stack_mask;              /* hash of stacks, while it is made */
    double phases_ns[PHASE_COUNT], wall_ns, cpu_ns; /* cpu: all threads; 0: not known */
    double *pass_ns;                                /* by repeat: wall time of the pass */
    double work_ns[WORK_COUNT];                     /* a pass, summed over workers */
    double measured_ns,
        plain_ns;      /* a pass with readings, corrected, and without: equal if the correction is right */
    double reading_ns; /* what one noted call costs */
    uint64_t noted, lost, disturbed; /* calls; measurements replaced */
    ProfEventList *events;           /* by worker; trace only, not saved */
    double ns_per_tick;
    uint64_t start_ticks;
} Profile;

void profile_free(Profile *profile);
void *profile_alloc(Profile *profile, size_t count, size_t size); /* zeroed; NULL: no memory */
const char *profile_text(Profile *profile, const char *text);     /* a copy */

/* "model name" of the first processor; "" where the kernel does not say. */
void prof_processor_name(char *name, size_t room);

/* ---- making one ---- */

/* Header fields and the table of names (all primitives, all scopes). False: no memory. */
bool profile_begin(Profile *profile, const char *command, ProfLevel level, unsigned workers,
                   uint32_t repeats);
/* One repeat's measured pass: rows and stacks of all items, scaled by execute_ns[repeat], which is set
 * already. evaluated[item]: ticks of the pass in evaluations, readings included; NULL: the item's whole time.
 */
bool profile_add_pass(Profile *profile, Profiler *profiler, uint32_t repeat, const uint64_t *evaluated);
/* After the last pass: interrupted measurements out, shares into times. */
bool profile_finish(Profile *profile); /* false: no memory */
/* After one run with some items measured: tasks, rows, weights, the workers' idle time. ids[item] names the
 * items. Phases are set already. */
bool profile_from_run(Profile *profile, Profiler *profiler, const char *const *ids);

/* Wall time, processor time and phases so far. */
void profile_take_phases(Profile *profile, Phases *phases);

/* Found, or added; NULL and 0: no memory. For making profiles by other ways (reading one, tests). */
ProfRow *profile_row(Profile *profile, ProfTask *task, uint32_t name);
uint32_t profile_stack(Profile *profile, uint32_t parent, uint32_t name, bool task);

/* ---- summing up ---- */

typedef enum ProfFilter { FILTER_ALL, FILTER_WITHOUT, FILTER_ONLY } ProfFilter; /* outliers */

typedef struct ProfSumRow {
    uint32_t name;
    uint64_t calls, fails;
    double self_ns, total_ns, failed_ns; /* mean of the repeats */
    double spread;  /* of self_ns over repeats: standard deviation / mean; NAN with one */
    uint32_t tasks; /* that call it */
    double median_ns, p90_ns, p99_ns, max_ns; /* self time in a task that calls it */
} ProfSumRow;

typedef struct ProfSum {
    ProfSumRow *rows; /* by self time, largest first; only names that were called, scopes among them */
    uint32_t n_rows;
    uint32_t tasks, evaluations;
    uint64_t calls, fails;                        /* of primitives */
    double execute_ns, validate_ns, setup_ns;     /* a pass */
    double primitives_ns, engine_ns, dispatch_ns; /* of execute_ns: calls; scopes without them; the rest */
    double spread;                                /* of execute_ns over repeats */
    double *repeat_ns;                            /* execute_ns by repeat */
    double task_median_ns, task_p90_ns, task_p99_ns, task_max_ns, task_mad_ns; /* execute time of a task */
} ProfSum;

bool profile_sum(const Profile *profile, ProfFilter filter, ProfSum *sum); /* false: no memory */
void profile_sum_free(ProfSum *sum);
/* Self time of a name in each repeat, over the tasks of the filter. */
void profile_repeats(const Profile *profile, ProfFilter filter, uint32_t name, double *out);
/* All workers' time of a pass; what of it is in no row, no scope and no other work. */
double profile_pass_ns(const Profile *profile);
double profile_unaccounted(const Profile *profile, const ProfSum *all);
double task_execute_ns(const Profile *profile, const ProfTask *task); /* mean of the repeats */

/* Tasks that ran out of budget or lie far above the others; returns how many. `method` is for people. */
#define OUTLIERS_DEVIATIONS 3.5
uint32_t outliers_mark(Profile *profile, double deviations);
extern const char outliers_method[];

#endif
