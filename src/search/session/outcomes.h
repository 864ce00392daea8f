/* Outcomes of a measured search: for every task, test and attempt whether the answer was right,
 * which strategy found it and what it cost; kept in a text file, so that a later build can be
 * compared with it.
 *
 * The file has lines of fields between tabs. The first line is `batt-outcomes 1`. Then come, with
 * one field each, `version`, `commit`, `when`, `machine` and `command`; then
 *
 *     strategies  the names of the strategies of that build
 *     set      name, tasks and known outputs of the whole set, whatever was chosen of it
 *
 * and for each run over a set one line `run` and a line `task` for each of its tasks, by ascending
 * id:
 *
 *     run      the set; `time` or `steps`; nanoseconds or steps for one task; the strategy that worked
 *              alone, or -; which repetition, from 1; `shared` or `own`, whether easy tasks leave
 *              their time to the others; `whole` or `cut`, whether it was interrupted
 *
 *     task     the id; the half of the set, 1 or 2; training pairs; whole milliseconds of work; those of
 *              each strategy, with commas between; a field for each attempt, SOLVE_ATTEMPTS for a test
 *
 * An attempt is `?` where the right output is not known, `.` where there is no answer, else `+`
 * right or `-` wrong, followed by strategy:cost:pairs, the pairs being the training pairs that its
 * program gets right.
 *
 * An Outcomes owns all it points to until outcomes_free. */
#ifndef BATT_SEARCH_SESSION_OUTCOMES_H
#define BATT_SEARCH_SESSION_OUTCOMES_H

#include "base/out.h"
#include "base/slab.h"
#include "search/session/session.h"

enum { OUTCOME_STRATEGIES = 32 };

typedef enum OutcomeState { OUTCOME_NONE, OUTCOME_WRONG, OUTCOME_RIGHT, OUTCOME_UNKNOWN } OutcomeState;

typedef struct OutcomeAnswer {
    uint8_t state;    /* OutcomeState */
    uint8_t strategy; /* index into Outcomes.strategies */
    bool fits;        /* the program is right on all training pairs */
    uint32_t pairs;
    double cost;
} OutcomeAnswer;

typedef struct OutcomeTask {
    const char *id;
    uint8_t half; /* 1 or 2 */
    uint32_t n_train, n_test;
    double ms, *strategy_ms;
    OutcomeAnswer (*answers)[SOLVE_ATTEMPTS]; /* one row for each test */
} OutcomeTask;

typedef struct OutcomeSet {
    const char *name;
    size_t tasks, outputs; /* outputs that are known */
} OutcomeSet;

typedef struct OutcomeRun {
    uint32_t set;
    bool by_steps, own_time, cut;
    uint64_t budget; /* steps or nanoseconds */
    int solo;        /* strategy, or -1 */
    unsigned repeat; /* from 1 */
    OutcomeTask *tasks;
    size_t n_tasks;
} OutcomeRun;

typedef struct Outcomes {
    const char *version, *commit, *when, *machine, *command;
    const char *strategies[OUTCOME_STRATEGIES];
    unsigned n_strategies;
    OutcomeSet *sets;
    size_t n_sets;
    OutcomeRun *runs;
    size_t n_runs;
    Slab slab;
} Outcomes;

/* ---- making (outcomes.c); false: no memory ---- */

void outcomes_init(Outcomes *outcomes); /* with the strategies of this build */
void outcomes_free(Outcomes *outcomes);
bool outcomes_text(Outcomes *outcomes, const char **field, const char *text); /* copies the text */
bool outcomes_add_set(Outcomes *outcomes, const char *name, size_t tasks, size_t known);
/* Adds an empty run of a set, with room for this many tasks; NULL: no memory. Valid until the next call. */
OutcomeRun *outcomes_add_run(Outcomes *outcomes, uint32_t set, size_t room);
bool outcomes_add_task(Outcomes *outcomes, OutcomeRun *run, const SolveTask *result, unsigned half);

/* ---- the file (outcomes_file.c) ---- */

void outcomes_write(Out *out, const Outcomes *outcomes);
/* False: `why` says what is wrong, with file and line; `outcomes` must be freed anyway. */
bool outcomes_read(Outcomes *outcomes, const char *path, char *why, size_t room);

/* Adds the tasks of `more`, another shard of the same measurement by the same build, which must live as long.
 * False: it is not one, or a task is in both; `why` says more. */
bool outcomes_merge(Outcomes *outcomes, const Outcomes *more, char *why, size_t room);

/* ---- scores and comparisons (outcomes_score.c) ---- */

typedef struct OutcomeScore {
    size_t tasks, outputs;         /* tasks with known outputs; known outputs */
    size_t right[SOLVE_ATTEMPTS];  /* outputs right within [k] + 1 attempts */
    size_t solved[SOLVE_ATTEMPTS]; /* tasks with all outputs right */
    size_t first, first_right;     /* tasks whose first answer fits all pairs; those of them that it solves */
    size_t trusted, trusted_right; /* those whose program is also cheap enough to be trusted, by default */
    double ms;
    struct {
        size_t right; /* outputs right within the attempts, where this strategy gave the right answer */
        size_t first, first_right;
        double ms;
    } strategy[OUTCOME_STRATEGIES];
} OutcomeScore;

/* The first attempt that is right, or SOLVE_ATTEMPTS. */
unsigned outcomes_right_attempt(const OutcomeTask *task, uint32_t test);
/* half 0: both. `attempts`: how many of them count for the strategies. */
OutcomeScore outcomes_score(const Outcomes *outcomes, const OutcomeRun *run, unsigned half,
                            unsigned attempts);
/* The run of the same set (by name), budget and strategy; if there are several, that repetition or
 * else the first. */
const OutcomeRun *outcomes_like(const Outcomes *in, const Outcomes *outcomes, const OutcomeRun *run,
                                unsigned repeat);

/* Two runs side by side, over the outputs that both have. */
typedef struct OutcomeFlip {
    const char *id;
    uint32_t test, tests;
    uint8_t half;
    bool gained;
} OutcomeFlip;
typedef struct OutcomeChange {
    size_t outputs, before, now, gained, lost;
    double p;           /* sign test: probability of a difference at least this large by chance */
    OutcomeFlip *flips; /* NULL: not asked for; free with mem_free */
} OutcomeChange;
/* False: no memory. With `list`, the flips are listed. */
bool outcomes_compare(const OutcomeRun *before, const OutcomeRun *now, unsigned half, unsigned attempts,
                      bool list, OutcomeChange *change);
/* Two-sided sign test of a split n = a + b. */
double outcomes_sign_test(size_t a, size_t b);
/* How many outputs a strategy gets right alone (in a `solo` run over the same set as `run`), and
 * how many of those no other strategy gets right alone. False: there is no such run of this
 * strategy. */
bool outcomes_alone(const Outcomes *outcomes, const OutcomeRun *run, unsigned strategy, unsigned attempts,
                    size_t *solved, size_t *only);

/* ---- finders (outcomes_finders.c) ---- */

/* A strategy is the finder of a task if the first right answer to one of its tests, within the attempts, is
 * its own. */
typedef struct OutcomeFinder {
    const char *strategy, *set, *id;
    uint8_t half;
} OutcomeFinder;
/* All finders in all runs of these files but those of single strategies, by strategy, set and id, each once,
 * however many runs and tests show it. They point into the files. False: no memory; else free with mem_free.
 */
bool outcomes_finders(const Outcomes *files, size_t n_files, unsigned attempts, OutcomeFinder **finders,
                      size_t *count);

#endif
