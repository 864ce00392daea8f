/* Many tasks, two rounds; see session.h. */
#include "search/session.h"

#include "core/alloc.h"

/* Half of a worker's memory is for values, some for running what is offered, the rest for what the parts
 * note. The heap is counted by the block; what malloc loses between blocks takes an eighth of it at most. */
static void share_memory(Session *s, uint64_t bytes, Budget *values, Budget *check) {
    enum { MOST_CHECK = 64 << 20 };
    *values = (Budget){.steps = UINT64_MAX / 4, .bytes = bytes / 2, .time_ns = 0, .depth = 500};
    *check = (Budget){.steps = 2000000, .bytes = bytes / 8, .time_ns = 0, .depth = 500};
    check->bytes = check->bytes < MOST_CHECK ? check->bytes : MOST_CHECK;
    s->limits.quota = (bytes - values->bytes - check->bytes) / 8 * 7;
}

bool session_open(Session *s, unsigned jobs, uint64_t memory) {
    Budget values, check;
    share_memory(s, memory, &values, &check);
    s->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (!pool_open(&s->pool, jobs, &values)) {
        return false;
    }
    for (unsigned k = 0; k < s->pool.count; k++) {
        ctx_keep_pages(&s->pool.workers[k].ctx);
    }
    s->results = mem_zalloc(s->n_tasks, sizeof *s->results);
    s->checks = mem_zalloc(s->pool.count, sizeof *s->checks);
    while (s->checks != NULL && s->opened < s->pool.count &&
           prim_open(&s->checks[s->opened], MODE_CORE, false, &check)) {
        s->opened++;
    }
    return s->results != NULL && s->opened == s->pool.count;
}

void session_close(Session *s) {
    for (unsigned k = 0; k < s->opened; k++) {
        prim_close(&s->checks[k]);
    }
    for (size_t k = 0; s->results != NULL && k < s->n_tasks; k++) {
        solve_task_free(&s->results[k]);
    }
    mem_free(s->results);
    mem_free(s->checks);
    pool_close(&s->pool);
    s->results = NULL;
    s->checks = NULL;
    s->opened = 0;
}

static bool stopped(const Session *s) {
    return s->limits.stop != NULL && *s->limits.stop;
}

static void finished(Session *s, Ctx *ctx, size_t item) {
    if (s->hooks.finished != NULL) {
        bool cut = stopped(s);
        pthread_mutex_lock(&s->lock);
        s->hooks.finished(s->hooks.user, ctx, item, cut);
        pthread_mutex_unlock(&s->lock);
    }
}

static void solve_one(Worker *worker, size_t item) {
    Session *s = worker->shared;
    SolveTask *r = &s->results[item];
    if (!r->done) {
        solve_task(r, s->tasks[item], &worker->ctx, &s->checks[worker->index], &s->limits);
    }
    if (r->done) {
        finished(s, &worker->ctx, item);
    }
}

static bool wants_more(const SolveTask *r) {
    return r->done && !r->resumed && r->fitting == 0;
}

static void solve_one_again(Worker *worker, size_t item) {
    Session *s = worker->shared;
    SolveTask *r = &s->results[item];
    if (!wants_more(r)) {
        return;
    }
    SearchLimits limits = s->limits;
    limits.time_ns = s->again_ns;
    if (solve_again(r, &worker->ctx, &s->checks[worker->index], &limits)) {
        finished(s, &worker->ctx, item);
    }
}

static void run_round(Session *s, unsigned round, size_t tasks, PoolFn search) {
    if (s->hooks.round != NULL) {
        s->hooks.round(s->hooks.user, round, tasks);
    }
    pool_run(&s->pool, s->n_tasks, search, s, s->limits.stop);
    if (s->hooks.round_over != NULL) {
        s->hooks.round_over(s->hooks.user);
    }
}

/* What the tasks left of their time, shared among those that found nothing to believe. */
static void use_spare_time(Session *s) {
    uint64_t given = 0, used = 0;
    size_t wanting = 0;
    for (size_t k = 0; k < s->n_tasks; k++) {
        const SolveTask *r = &s->results[k];
        if (r->done && !r->resumed) {
            given += s->limits.time_ns;
            used += r->time_ns;
            wanting += wants_more(r);
        }
    }
    uint64_t each = wanting > 0 && used < given ? (given - used) / wanting : 0;
    if (s->limits.steps != 0 || each < s->limits.time_ns / 4 || stopped(s)) {
        return;
    }
    s->again_ns = each;
    s->n_again = wanting;
    run_round(s, 2, wanting, solve_one_again);
}

void session_run(Session *s) {
    s->n_again = 0;
    s->again_ns = 0;
    run_round(s, 1, s->n_tasks, solve_one);
    if (!s->own_time) {
        use_spare_time(s);
    }
}
