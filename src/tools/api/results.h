/* The results of run, solve and evolve in one form, which outlives the engine's own structures. */
#ifndef BATT_TOOLS_API_RESULTS_H
#define BATT_TOOLS_API_RESULTS_H

#include "search/run/run.h"
#include "tools/api/api_internal.h"
#include "tools/profiler/phase.h"
#include "tools/profiler/record.h"

#include <pthread.h>

typedef struct ResultProgram {
    Program *program; /* owned */
    _Atomic(char *) text;
    const char *strategy; /* that found it; NULL: none */
    uint32_t right;       /* training pairs that it solves */
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
    Image *answers; /* all attempts, test by test */
    int8_t *cells;
    RunSample *samples; /* of a run: one per pair */
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
    } figures[8]; /* about the run as a whole; the first one without a name ends them */
    char *profile;
};

/* ---- results.c ---- */

/* Room for the results of all tasks; NULL with the fault set. */
batt_results *results_new(batt_context *context, const char *command, const batt_tasks *tasks,
                          unsigned attempts);
batt_results *results_or_none(batt_results *results, bool good); /* not good: freed, and NULL */
/* Takes ownership of the program, even on failure. */
bool result_add_program(ResultTask *item, Program *program, const char *strategy, uint32_t right, double cost,
                        uint64_t steps);
/* Copies answers, n_test * attempts of them; an image without cells is no answer. */
bool result_keep_answers(ResultTask *item, const Image *answers, unsigned attempts);

/* ---- jobs.c ---- */

/* Opens the backend that `device` names (NULL: "cpu", for which *backend stays NULL). False with the fault
 * set. */
bool api_device_open(batt_context *context, const char *device, Backend **backend);
/* Closes it. Whether all went well: `good`, and no device failed; else the fault is set. */
bool api_device_close(batt_context *context, Backend *backend, bool good);

typedef struct Watch { /* watches over a pool, from opening to the end */
    batt_job job;
    batt_context *context;
    const batt_tasks *tasks;
    const char **ids;
    Profiler profiler;
    bool attached;
    Phases phases;
    pthread_mutex_t lock; /* held while the caller's function runs */
    size_t done;
    size_t total;
} Watch;

/* The start of run, solve and evolve: copies the options, as many bytes as the caller's struct has; without
 * options *to is left as it is. False with the fault set. */
bool job_options(batt_context *context, const batt_tasks *tasks, const void *options, void *to, size_t size);
/* False with the fault set. */
bool watch_begin(Watch *watch, batt_context *context, const batt_job *job, const batt_tasks *tasks);
bool watch_pool(Watch *watch, batt_context *context, Pool *pool);
void watch_tick(Watch *watch); /* one more task is done */
/* Gives the caller the result of the k-th task, made by `fill`, if it asked for results as they are found.
 * Without memory there is none: the results of the whole job are made later, and report it. */
void watch_found(Watch *watch, const char *command, unsigned attempts, size_t k,
                 bool (*fill)(void *user, size_t k, ResultTask *item), void *user);
/* Writes the profile, if there is one, and frees everything. */
bool watch_end(Watch *watch, batt_context *context, batt_results *results);
const Stop *watch_stop(const Watch *watch);
bool watch_stopped(const Watch *watch);

#endif
