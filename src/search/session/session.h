/* Searching many tasks at once: worker threads, memory for each of them, and two rounds.
 *
 * In the first round every task gets the same time. What easy tasks leave of it is shared, in a
 * second round, among the tasks for which nothing credible was found; a run limited by steps has no
 * second round, because it must be the same on any machine. Results are indexed by task; in runs
 * limited by steps they do not depend on the number of threads.
 *
 *     Session session = {.tasks = tasks, .n_tasks = n, .limits = {.time_ns = 1000000000, ...}};
 *     bool good = session_open(&session, jobs, memory);
 *     if (good) {
 *         session_run(&session);
 *         ... session.results[k] ...
 *     }
 *     session_close(&session);
 *
 * Hooks save results in a store or report them to the user: the workers call them, one at a time. A
 * result that is set before session_run, `done` and `resumed`, is left as it is.
 *
 * Workers take units: tasks, or subsearches of tasks. With other ranks (backends/ranks/ranks.h) all
 * ranks run the same session; rank 0 assigns the units, has all results in the end, and calls its
 * hooks alone. */
#ifndef BATT_SEARCH_SESSION_SESSION_H
#define BATT_SEARCH_SESSION_SESSION_H

#include "backends/ranks/ranks.h"
#include "engine/eval/pool.h"
#include "engine/language/parse.h"
#include "search/session/subsearches.h"

#include <pthread.h>

typedef struct Session Session;

typedef struct SessionHooks { /* any may be NULL */
    void *user;
    /* A round begins: 1 over all tasks, 2 over those that get what is left. */
    void (*round)(void *user, unsigned round, size_t tasks);
    /* The search of a task ended; twice for one that got a second round. `ctx` is the worker's, NULL for
     * a result of another rank; `cut`: the search was stopped, so the answers are not all there could be. */
    void (*finished)(void *user, Ctx *ctx, size_t item, bool cut);
    void (*round_over)(void *user);
} SessionHooks;

struct Session {
    /* Given */
    const Task *const *tasks;
    size_t n_tasks;
    SearchLimits limits; /* for one task; `quota` is set by session_open */
    bool own_time;       /* no second round: every task keeps to its own time */
    uint32_t
        split; /* subsearches per task (search/session/subsearches.h); 0 or 1: tasks are searched whole */
    uint64_t deadline_ns; /* wall clock (base/clock.h), or 0: tasks get less than their time where the
                             machine is too slow, or too busy, to reach all of them */
    SessionHooks hooks;
    Ranks *ranks; /* NULL: alone */
    /* Made by session_open */
    Pool pool;
    Ctx *checks;             /* one per worker */
    SolveTask *results;      /* one per task */
    Subsearches subsearches; /* what is under way */
    /* Filled by session_run */
    size_t n_again;    /* tasks that were searched again */
    uint64_t again_ns; /* time each of them got for it */
    /* Its own */
    pthread_mutex_t lock; /* held while `finished` is called */
    unsigned opened;      /* checks */
    Ctx merging[2];       /* for merging subsearches; under the lock */
    bool merges;          /* they are open */
    unsigned cpu_slots;   /* workers that work at a time; with a device there are more that wait for it */
    size_t begun;         /* units, of the first round */
    uint64_t work_ns, clock_ns; /* what searches took in processor time, and by the clock */
    Lang *lang;                 /* for what other ranks send; used by the communication thread only */
};

/* jobs 0: one worker per processor; memory: bytes for one worker. False: no memory; close it anyway. */
bool session_open(Session *session, unsigned jobs, uint64_t memory);
/* Searches all tasks; returns soon after *limits.stop becomes true. Tasks that were not reached are not
 * `done`. */
void session_run(Session *session);
/* Adds the work done in the contexts of the workers; what the searches counted is in the results. */
void session_count(const Session *session, Statistics *to);
void session_close(Session *session);

#endif
