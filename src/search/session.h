/* Searching many tasks at once: worker threads, memory for each of them, and two rounds.
 *
 * In the first round every task gets the same time. What easy tasks leave of it is shared, in a second round,
 * among the tasks for which nothing was found that can be believed; a run that goes by steps has no second
 * round, because it must be the same run anywhere. Results are indexed by task and, by steps, do not depend
 * on the number of threads.
 *
 *     Session session = {.tasks = tasks, .n_tasks = n, .limits = {.time_ns = 1000000000, ...}};
 *     bool good = session_open(&session, jobs, memory);
 *     if (good) {
 *         session_run(&session);
 *         ... session.results[k] ...
 *     }
 *     session_close(&session);
 *
 * Whoever keeps results (a store) or tells people about them does so in the hooks: they are called by the
 * workers, one at a time. A result that is set before session_run, `done` and `resumed`, is left as it is. */
#ifndef BATT_SEARCH_SESSION_H
#define BATT_SEARCH_SESSION_H

#include "exec/pool.h"
#include "search/solve.h"

#include <pthread.h>

typedef struct Session Session;

typedef struct SessionHooks { /* any may be NULL */
    void *user;
    /* A round begins: 1 over all tasks, 2 over those that get what is left. */
    void (*round)(void *user, unsigned round, size_t tasks);
    /* The search of a task ended; twice for one that got a second round. `ctx` is the worker's; `cut`: the
     * search was stopped, so the answers are not all there could be. */
    void (*finished)(void *user, Ctx *ctx, size_t item, bool cut);
    void (*round_over)(void *user);
} SessionHooks;

struct Session {
    /* Given */
    const Task *const *tasks;
    size_t n_tasks;
    SearchLimits limits; /* for one task; `quota` is set by session_open */
    bool own_time;       /* no second round: every task keeps to its own time */
    SessionHooks hooks;
    /* Made by session_open */
    Pool pool;
    Ctx *checks;        /* one per worker */
    SolveTask *results; /* one per task */
    /* Filled by session_run */
    size_t n_again;    /* tasks that were searched again */
    uint64_t again_ns; /* time each of them got for it */
    /* Its own */
    pthread_mutex_t lock; /* held while `finished` is called */
    unsigned opened;      /* checks */
};

/* jobs 0: one worker per processor; memory: bytes for one worker. False: no memory; close it anyway. */
bool session_open(Session *session, unsigned jobs, uint64_t memory);
/* Searches all tasks; returns soon after *limits.stop becomes true. Tasks that were not reached are not
 * `done`. */
void session_run(Session *session);
void session_close(Session *session);

#endif
