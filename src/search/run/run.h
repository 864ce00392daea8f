/* Running programs on tasks: the verdicts.
 *
 * A task is tried by the programs matched to it; each is evaluated on all training and test inputs. The
 * program that stands for the task is chosen by the training pairs alone (most right, then the nearest if
 * answers are scored, then by search/run/program_places.h), so a verdict never peeks at what is to be
 * predicted. Results are indexed by task and do not depend on the number of threads, or on the order of the
 * programs if they have places.
 *
 * Where many programs are tried, most are wrong, and a few of these take nearly all of the time. So every
 * program gets a small budget first, and more only where it can still change the outcome
 * (search/run/run_schedule.c). */
#ifndef BATT_SEARCH_RUN_RUN_H
#define BATT_SEARCH_RUN_RUN_H

#include "backends/devices/backend.h"
#include "backends/ranks/ranks.h"
#include "data/tasks/task.h"
#include "engine/eval/battery.h"
#include "engine/eval/pool.h"

typedef enum SampleVerdict {
    SAMPLE_RIGHT,
    SAMPLE_WRONG, /* a grid of the right size with wrong cells */
    SAMPLE_WRONG_SIZE,
    SAMPLE_NOT_GRID, /* a value, but not a grid of colors with 1..255 rows and columns */
    SAMPLE_FAILED,
    SAMPLE_OVER_BUDGET,
    SAMPLE_UNKNOWN, /* there is an answer, but the right one is not known */
    SAMPLE_NOT_RUN
} SampleVerdict;
extern const char *const sample_verdict_names[SAMPLE_NOT_RUN + 1]; /* in a word or two */

typedef struct RunSample {
    uint8_t verdict; /* SampleVerdict */
    uint8_t reason;  /* Reason, where it failed */
    uint16_t prim;   /* the one in which it failed, + 1; or 0 */
    uint32_t line;   /* of the program, or 0 */
    uint64_t steps, time_ns;
    Image got; /* the program's answer, if it is a grid of colors; owned by the RunTask */
} RunSample;

/* A program that did not get to the end of some samples, because a budget ran out or because more steps could
 * not have changed which program stands for the task. */
typedef struct RunCutoff {
    const Program *program;
    uint32_t samples;
    uint8_t reason; /* Reason */
    uint64_t steps; /* spent on them in vain, not counting earlier tries with less */
} RunCutoff;

/* Where the time of a task went. */
typedef enum RunPhase {
    RUN_PHASE_FIRST, /* every program with the first budget */
    RUN_PHASE_MORE,  /* some with more */
    RUN_PHASE_JUDGE, /* judging answers, and all else */
    RUN_PHASES
} RunPhase;
extern const char *const run_phase_names[RUN_PHASES];

enum { RUN_SCORE_MAX = 1000 };
enum { RUN_FIRST_STEPS = 10000 }; /* of every program on every sample, by default */

typedef struct RunTask {
    const Task *task;
    const Program *program; /* the chosen one; NULL: none was matched */
    uint32_t tried;         /* number of programs */
    uint32_t solving;   /* programs right on all pairs with a known output, of those that were not cut off */
    RunCutoff *cutoffs; /* programs that were cut off, by their places */
    size_t n_cutoffs;
    RunSample *samples; /* training pairs, then tests; NULL if none was matched */
    uint32_t n_samples;
    uint32_t train_right, test_right, test_known;
    bool no_memory;   /* no memory for its results: it was not tried */
    bool cut;         /* stopped in the middle: nothing is known about it */
    bool fits;        /* right on all training pairs */
    bool solved;      /* and on all known test pairs; if there are tests, at least one is known */
    bool scored;      /* the RunSpec had scoring: */
    uint32_t score;   /* how near the chosen one comes: mean over the training pairs, or RunScoring.sum */
    uint64_t time_ns; /* of all evaluations for this task */
    uint64_t phase_ns[RUN_PHASES];
    int8_t *cells; /* of the samples' grids */
} RunTask;

typedef struct RunMatch { /* programs that are meant for a task, by name */
    const uint32_t *programs;
    uint32_t count;
} RunMatch;

/* Callbacks around every evaluation, for the profiler. Called by the worker; any may be NULL. */
typedef struct RunHooks {
    void *user;
    void (*begin)(void *user, Worker *worker, size_t item);     /* a task */
    void (*ready)(void *user, Worker *worker, size_t item);     /* parameters are made, evaluation begins */
    bool (*evaluated)(void *user, Worker *worker, size_t item); /* it ended; true: do it once more */
    /* worst: a failure, if there was one */
    void (*judged)(void *user, Worker *worker, size_t item, Val worst);
    void (*end)(void *user, Worker *worker, size_t item, const RunTask *result);
} RunHooks;

/* How near answers come to the expected outputs, for a battery that brings differs (search/evolution/card.h).
 * Called by the worker: `begin` for a training pair, then `score`, 0..RUN_SCORE_MAX, for each program's
 * answer to it. */
typedef struct RunScoring {
    void *user;
    void (*begin)(void *user, const Worker *worker, const Task *task, const TaskPair *pair);
    int (*score)(void *user, const Worker *worker, size_t program, Val answer);
    bool sum; /* tests whose output is known are scored too, and a task's score is the sum over all samples */
} RunScoring;

typedef struct RunSpec {
    const Task *const *tasks;
    size_t n_tasks;
    const Program *const *programs; /* for a battery, all in the same mode */
    size_t n_programs;
    const RunMatch *matches; /* by task: the programs to try; NULL: all, through the battery */
    const Battery *battery;  /* with matches NULL: handles are indices into programs */
    const uint32_t *places;  /* by program: program_places(); NULL: fewest calls first, then by index */
    uint64_t first_steps;    /* the small budget that every program gets first; 0: the whole budget at once */
    bool safe;
    bool keep_grids;                       /* keep the answers, not only the verdicts */
    void (*done)(void *user, size_t task); /* called after each task, from any thread; may be NULL */
    void *user;
    Backend *backend;      /* runs batched operations of a battery; NULL: every call by itself */
    uint64_t device_from;  /* batteries on fewer samples stay on the processor */
    Ranks *ranks;          /* rank 0 assigns the tasks and has all results in the end; NULL: one process */
    const RunHooks *hooks; /* may be NULL */
    const RunScoring *scoring; /* with a battery only; may be NULL */
    uint32_t
        *right; /* out, by program: samples it got right on the task it is matched to; NULL: not wanted */
} RunSpec;

/* Fills results[n_tasks]. Returns the number of tasks begun here; after *stop these are fewer, and those
 * under way are cut. Results of tasks that were not reached stay empty, with task NULL. */
size_t run_tasks(Pool *pool, const RunSpec *spec, RunTask *results, const Stop *stop);
void run_free(RunTask *results, size_t n_tasks);

typedef struct RunTotals {
    size_t tasks, matched, tasks_solved;
    size_t fits_only;              /* right on training pairs, but not on tests */
    size_t answered;               /* right on training pairs, and no test's output is known */
    size_t no_memory;              /* tasks that could not be tried */
    size_t cut;                    /* tasks that were stopped in the middle */
    size_t cut_off, tasks_cut_off; /* evaluations that were cut off, and the tasks they were for */
    uint64_t cut_off_steps;
    size_t samples, samples_right; /* all pairs whose output is known */
    size_t outputs, outputs_right; /* test pairs whose output is known */
    size_t failed, over_budget, wrong, wrong_size, not_grid;
    double mean_share; /* share of right outputs, averaged over tasks */
} RunTotals;

RunTotals run_totals(const RunTask *results, size_t n_tasks);
uint32_t run_known(const RunTask *result); /* pairs whose output is known */
/* The verdict in a few words: solved, training only, answered, wrong, failed, out of budget, no program,
 * interrupted. */
const char *run_status(const RunTask *result);
/* Why a sample failed: "failed: type in first, line 3". */
void run_failure(const Program *program, const RunSample *sample, char *text, size_t room);
/* Why a task is not solved, in a few words: "2 of 5 of the wrong size"; "" if it is solved. */
void run_reason(const RunTask *result, char *text, size_t room);

/* The steps of a run, for code that runs programs in its own way. Training pairs come before tests. */
const TaskPair *run_pair(const Task *task, uint32_t sample);
/* Makes the parameters I, or S, I, C. The candidate C is the input as well: programs that predict do not read
 * it. */
void run_parameters(Ctx *ctx, const Task *task, const TaskPair *pair, unsigned nparams, Val *params);
/* Whether a value is a grid that may be a task's output, with no side longer than max_side. */
bool run_answer(Val v, int32_t max_side, Image *image);
SampleVerdict run_judge(Val v, const TaskPair *pair);

/* Why samples failed: at most `room` causes, the most frequent first. Returns the number of different
 * causes. */
typedef struct RunCause {
    uint8_t reason; /* Reason */
    uint16_t prim;  /* + 1, or 0 */
    size_t samples;
} RunCause;
size_t run_causes(const RunTask *results, size_t n_tasks, RunCause *causes, size_t room);

/* The parameter S of batt programs: ((input, output), ..) of the training pairs, in the context's arena. */
Val run_samples_value(Ctx *ctx, const Task *task);

#endif
