/* What run, solve and evolve found, in one form: the engine's own structures are let go, this stays. */
#ifndef BATT_API_RESULTS_H
#define BATT_API_RESULTS_H

#include "api/api_inside.h"

#include "prof/phase.h"
#include "prof/record.h"
#include "task/run.h"

#include <pthread.h>

typedef struct ResultProgram {
    Program *program; /* owned */
    _Atomic(char *) text;
    const char *part; /* of search, which found it; NULL: none */
    uint32_t right;   /* training pairs */
    double cost;
    uint64_t steps;
} ResultProgram;

typedef struct ResultTask {
    const Task *task;
    const char *status;
    char reason[160];
    bool done, solved;
    uint32_t train_right, test_right, test_known;
    uint64_t time_ns, steps;
    ResultProgram *programs;
    uint32_t n_programs;
    Image *answers; /* attempts for each test */
    int8_t *cells;
    RunSample *samples; /* of a run: one for each pair */
    uint32_t n_samples;
} ResultTask;

struct batt_results {
    const char *command;
    batt_tasks *tasks;
    ResultTask *items;
    unsigned attempts;
    bool stopped;
    uint64_t wall_ns;
    struct {
        const char *name;
        uint64_t number;
    } figures[8]; /* of the run as a whole; the first without a name ends them */
    char *profile;
};

/* ---- results.c ---- */

/* Room for the results of all tasks; NULL with the fault set. */
batt_results *results_new(batt_context *context, const char *command, const batt_tasks *tasks,
                          unsigned attempts);
/* Takes the program over, also on failure. */
bool result_add_program(ResultTask *item, Program *program, const char *part, uint32_t right, double cost,
                        uint64_t steps);
/* Copies answers, n_test * attempts of them; those without cells are none. */
bool result_keep_answers(ResultTask *item, const Image *answers, unsigned attempts);

/* ---- jobs.c ---- */

typedef struct Watch { /* over a pool, from opening to the end */
    batt_job job;
    const char **ids;
    Profiler profiler;
    bool attached;
    Phases phases;
    pthread_mutex_t lock; /* held while the caller is told */
    size_t done;
    size_t total;
} Watch;

/* False with the fault set. */
bool watch_begin(Watch *watch, batt_context *context, const batt_job *job, const batt_tasks *tasks);
bool watch_pool(Watch *watch, batt_context *context, Pool *pool);
void watch_tick(Watch *watch); /* one more is done */
/* Writes the profile, if there is one, and lets go. */
bool watch_end(Watch *watch, batt_context *context, batt_results *results);
const volatile sig_atomic_t *watch_stop(const Watch *watch);
bool watch_stopped(const Watch *watch);

#endif
