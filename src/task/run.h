/* Programs against tasks: the verdicts.
 *
 * A task is tried by the programs matched to it; each is evaluated on all training and test inputs. The
 * program that stands for the task is chosen by the training pairs alone (most right, then fewest calls, then
 * the first), so a verdict never peeks at what is to be predicted. Results are indexed by task and do not
 * depend on the number of threads. */
#ifndef BATT_TASK_RUN_H
#define BATT_TASK_RUN_H

#include "exec/battery.h"
#include "exec/pool.h"
#include "task/task.h"

typedef enum SampleVerdict {
    SAMPLE_RIGHT,
    SAMPLE_WRONG, /* a grid of the right size with wrong cells */
    SAMPLE_WRONG_SIZE,
    SAMPLE_NOT_GRID, /* a value, but no grid of 1..255 rows and columns of colors */
    SAMPLE_FAILED,
    SAMPLE_OVER_BUDGET,
    SAMPLE_UNKNOWN, /* answered; the right answer is not known */
    SAMPLE_NOT_RUN
} SampleVerdict;

typedef struct RunSample {
    uint8_t verdict; /* SampleVerdict */
    uint8_t reason;  /* Reason, where it failed */
    uint16_t prim;   /* in which it failed + 1, or 0 */
    uint32_t line;   /* of the program, or 0 */
    uint64_t steps, time_ns;
    Image got; /* what the program gave, if it is a grid of colors; owned by the RunTask */
} RunSample;

typedef struct RunTask {
    const Task *task;
    const Program *program; /* chosen; NULL: none was matched */
    uint32_t tried;         /* programs */
    uint32_t solving;       /* programs right on all pairs whose output is known */
    RunSample *samples;     /* training pairs, then tests; NULL if none was matched */
    uint32_t n_samples;
    uint32_t train_right, test_right, test_known;
    bool no_memory;   /* for its results: it was not tried */
    bool fits;        /* right on all training pairs */
    bool solved;      /* and on all test pairs, of which at least one is known, or there are none */
    uint64_t time_ns; /* of all evaluations for this task */
    int8_t *cells;    /* behind samples' grids */
} RunTask;

typedef struct RunMatch { /* programs that are meant for a task, by name */
    const uint32_t *programs;
    uint32_t count;
} RunMatch;

typedef struct RunPlan {
    const Task *const *tasks;
    size_t n_tasks;
    const Program *const *programs; /* all in one mode for a battery */
    size_t n_programs;
    const RunMatch *matches; /* by task: the programs to try; NULL: all, through the battery */
    const Battery *battery;  /* with matches NULL: handles are indices into programs */
    bool safe;
    bool keep_grids;          /* keep what was answered, not only the verdicts */
    void (*done)(void *user); /* called after each task, from any thread; may be NULL */
    void *user;
} RunPlan;

/* Fills results[n_tasks]. Returns the number of tasks done (fewer after *stop). */
size_t run_tasks(Pool *pool, const RunPlan *plan, RunTask *results, const volatile sig_atomic_t *stop);
void run_free(RunTask *results, size_t n_tasks);

typedef struct RunTotals {
    size_t tasks, matched, tasks_solved;
    size_t fits_only;              /* right on training, not on tests */
    size_t answered;               /* right on training, and no test's output is known */
    size_t no_memory;              /* tasks that could not be tried */
    size_t samples, samples_right; /* all pairs whose output is known */
    size_t outputs, outputs_right; /* test pairs whose output is known */
    size_t failed, over_budget, wrong, wrong_size, not_grid;
    double mean_share; /* over tasks, of right outputs */
} RunTotals;

RunTotals run_totals(const RunTask *results, size_t n_tasks);
uint32_t run_known(const RunTask *result); /* pairs whose output is known */
/* The verdict in a word or two: solved, training only, answered, wrong, failed, out of budget, no program. */
const char *run_status(const RunTask *result);
/* Why a sample failed: "failed: type in first, line 3". */
void run_failure(const RunSample *sample, char *text, size_t room);
/* Why a task is not solved, in a few words: "2 of 5 of the wrong size". "" if it is. */
void run_reason(const RunTask *result, char *text, size_t room);

/* The steps of a run, for those who run programs in their own way. Training pairs come before tests. */
const TaskPair *run_pair(const Task *task, uint32_t sample);
/* I; or S, I, C, where the candidate C is the input too: programs that predict do not read it. */
void run_parameters(Ctx *ctx, const Task *task, const TaskPair *pair, unsigned nparams, Val *params);
SampleVerdict run_judge(Val answer, const TaskPair *pair);

/* What samples failed of, the most frequent first; at most room of them. Returns how many different causes
 * there are. */
typedef struct RunCause {
    uint8_t reason; /* Reason */
    uint16_t prim;  /* + 1, or 0 */
    size_t samples;
} RunCause;
size_t run_causes(const RunTask *results, size_t n_tasks, RunCause *causes, size_t room);

/* The samples parameter S of batt programs: ((input, output), ..) of the training pairs, in the context's
 * region. */
Val run_samples_value(Ctx *ctx, const Task *task);

#endif
