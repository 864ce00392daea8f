/* Searching many tasks in two rounds; see session.h. */
#include "search/session.h"

#include "accel/accel.h"
#include "core/alloc.h"
#include "core/clock.h"
#include "search/solve_wire.h"

/* Half of a worker's memory is for values, some for running what is offered, the rest for what the parts
 * note. The heap is counted block by block; what malloc wastes between blocks is at most an eighth of it. */
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
    s->seats = jobs != 0 ? jobs : pool_processors();
    if (!accel_pool(s->limits.accel, &s->pool, s->seats, &values)) {
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
    s->lang = s->ranks != NULL ? lang_open() : NULL;
    return s->results != NULL && s->opened == s->pool.count && (s->ranks == NULL || s->lang != NULL);
}

void session_count(const Session *s, Statistics *to) {
    pool_count(&s->pool, to);
    for (unsigned k = 0; k < s->opened; k++) {
        prim_count(&s->checks[k], to);
    }
}

void session_close(Session *s) {
    for (unsigned k = 0; k < s->opened; k++) {
        prim_close(&s->checks[k]);
    }
    for (size_t k = 0; s->results != NULL && k < s->n_tasks; k++) {
        solve_task_free(&s->results[k]);
    }
    if (s->lang != NULL) {
        lang_close(s->lang);
    }
    mem_free(s->results);
    mem_free(s->checks);
    pool_close(&s->pool);
    s->results = NULL;
    s->checks = NULL;
    s->opened = 0;
    s->lang = NULL;
}

static bool stopped(const Session *s) {
    return stop_asked(s->limits.stop);
}

/* Call with the lock held. */
static void tell(Session *s, Ctx *ctx, size_t item, bool cut) {
    if (s->hooks.finished != NULL) {
        s->hooks.finished(s->hooks.user, ctx, item, cut);
    }
}

/* How much of its own time a task may take so that the `tasks` that are left all get as much before the
 * deadline. Workers may get less than a processor each; finished searches show how much. Until one has
 * finished, little is given: a second round has the rest. */
static uint64_t share_of_clock(const Session *s, uint64_t own_ns, size_t tasks) {
    const double least = 1e6, first = 0.05;
    uint64_t now = clock_now_ns(), left = s->deadline_ns > now ? s->deadline_ns - now : 0;
    double speed = s->clock_ns > 0 ? (double)s->work_ns / (double)s->clock_ns : first;
    double share = (double)left * s->seats * (speed < 1 ? speed : 1) / (double)(tasks > 0 ? tasks : 1);
    share = share > least ? share : least;
    return share < (double)own_ns ? (uint64_t)share : own_ns;
}

/* Takes over the result of a task: rank 0 keeps and reports it, other ranks send it there. */
static void finished(Session *s, Ctx *ctx, size_t item, SolveTask *result, bool cut) {
    if (!ranks_lead(s->ranks)) {
        Out out;
        out_init(&out);
        wire_u8(&out, cut);
        solve_pack(&out, result);
        ranks_result(s->ranks, item, &out);
        out_free(&out);
        solve_task_free(result);
        return;
    }
    pthread_mutex_lock(&s->lock);
    if (s->ranks == NULL || ranks_claim(s->ranks, item, 0)) {
        solve_task_free(&s->results[item]);
        s->results[item] = *result;
        tell(s, ctx, item, cut);
    } else { /* another rank was faster */
        solve_task_free(result);
    }
    pthread_mutex_unlock(&s->lock);
}

/* What stops the search that this worker is running. */
static const Stop *stop_of(const Session *s, const Worker *worker) {
    const PoolSource *source = s->pool.source;
    return source != NULL ? source->stop(source->user, worker) : s->limits.stop;
}

static void search_one(Worker *worker, size_t item) {
    Session *s = worker->shared;
    SearchLimits limits = s->limits;
    SolveTask result;
    pthread_mutex_lock(&s->lock);
    size_t share = (s->n_tasks + ranks_size(s->ranks) - 1) / ranks_size(s->ranks); /* of this rank */
    size_t left = share > s->begun ? share - s->begun : 0;
    if (s->deadline_ns != 0 && left > s->seats) { /* else no task is waiting */
        limits.time_ns = share_of_clock(s, limits.time_ns, left);
    }
    s->begun++;
    if (s->results[item].done) { /* known before; with ranks such a task is not handed out */
        tell(s, &worker->ctx, item, stopped(s));
        pthread_mutex_unlock(&s->lock);
        return;
    }
    pthread_mutex_unlock(&s->lock);
    limits.stop = stop_of(s, worker);
    uint64_t begin = clock_now_ns();
    bool good = solve_task(&result, s->tasks[item], &worker->ctx, &s->checks[worker->index], &limits);
    pthread_mutex_lock(&s->lock);
    s->work_ns += result.time_ns;
    s->clock_ns += clock_now_ns() - begin;
    pthread_mutex_unlock(&s->lock);
    if (good) {
        finished(s, &worker->ctx, item, &result, stop_asked(limits.stop));
    } else {
        solve_task_free(&result);
    }
}

/* A worker that waits for a device lends its seat to another one, which goes on with another task. */
static void solve_one(Worker *worker, size_t item) {
    Session *s = worker->shared;
    accel_sit(s->limits.accel);
    search_one(worker, item);
    accel_rise(s->limits.accel);
}

static bool wants_more(const SolveTask *r) {
    return r->done && !r->resumed && r->fitting == 0;
}

static void solve_one_again(Worker *worker, size_t item) {
    Session *s = worker->shared;
    if (!wants_more(&s->results[item])) {
        return;
    }
    SearchLimits limits = s->limits;
    SolveTask better;
    limits.time_ns = s->again_ns;
    limits.stop = stop_of(s, worker);
    accel_sit(s->limits.accel);
    if (solve_again(&better, &s->results[item], &worker->ctx, &s->checks[worker->index], &limits)) {
        finished(s, &worker->ctx, item, &better, stop_asked(limits.stop));
    }
    accel_rise(s->limits.accel);
}

/* ---- with other ranks ---- */

static bool is_known(void *user, size_t item) {
    return ((const Session *)user)->results[item].done;
}

static bool wants_none(void *user, size_t item) {
    return !wants_more(&((const Session *)user)->results[item]);
}

/* A deeper search goes on from what was found. */
static void pack_unit(void *user, size_t item, Out *out) {
    solve_pack(out, &((const Session *)user)->results[item]);
}

static bool unpack_unit(void *user, size_t item, Wire *wire) {
    Session *s = user;
    SolveTask *r = &s->results[item];
    solve_task_free(r);
    return solve_unpack(r, s->tasks[item], s->lang, wire);
}

static bool unpack(void *user, size_t item, unsigned from, Wire *wire) {
    Session *s = user;
    SolveTask result;
    bool cut = wire_get_bool(wire);
    if (!solve_unpack(&result, s->tasks[item], s->lang, wire)) {
        return false;
    }
    pthread_mutex_lock(&s->lock);
    if (ranks_claim(s->ranks, item, from)) {
        solve_task_free(&s->results[item]);
        s->results[item] = result;
        tell(s, NULL, item, cut);
    } else {
        solve_task_free(&result);
    }
    pthread_mutex_unlock(&s->lock);
    return true;
}

static void run_pool(Session *s, unsigned round, PoolFn search) {
    RanksLoop loop = {.units = s->n_tasks,
                      .threads = s->pool.count,
                      .twice = true,
                      .stop = s->limits.stop,
                      .user = s,
                      .known = round == 1 ? is_known : wants_none,
                      .pack_unit = round == 1 ? NULL : pack_unit,
                      .unpack_unit = round == 1 ? NULL : unpack_unit,
                      .unpack = unpack};
    if (s->ranks == NULL) {
        pool_run(&s->pool, s->n_tasks, search, s, s->limits.stop);
    } else if (ranks_loop_begin(s->ranks, &loop)) {
        s->pool.source = ranks_source(s->ranks);
        pool_run(&s->pool, s->n_tasks, search, s, s->limits.stop);
        s->pool.source = NULL;
        ranks_loop_end(s->ranks);
    }
}

/* Rank 0 says which round comes next; 0: none. */
static void announce(Session *s, unsigned round) {
    Out out;
    if (s->ranks != NULL) {
        out_init(&out);
        wire_u32(&out, round);
        wire_u64(&out, s->again_ns);
        ranks_put_all(s->ranks, RANKS_ROUND, &out);
        out_free(&out);
    }
}

/* The rounds of a rank that does not lead. */
static void follow(Session *s) {
    Out got;
    out_init(&got);
    for (bool more = true; more && ranks_get(s->ranks, 0, RANKS_ROUND, &got);) {
        Wire wire = wire_of(got.data, got.len);
        unsigned round = wire_get_below(&wire, 2);
        s->again_ns = wire_get_u64(&wire);
        more = wire_ends(&wire) && round > 0;
        if (more) {
            run_pool(s, round, round == 1 ? solve_one : solve_one_again);
        }
    }
    out_free(&got);
}

static void run_round(Session *s, unsigned round, size_t tasks, PoolFn search) {
    announce(s, round);
    if (s->hooks.round != NULL) {
        s->hooks.round(s->hooks.user, round, tasks);
    }
    for (size_t k = 0; k < s->n_tasks && s->ranks != NULL && round == 1; k++) {
        if (s->results[k].done) {
            pthread_mutex_lock(&s->lock);
            tell(s, NULL, k, false);
            pthread_mutex_unlock(&s->lock);
        }
    }
    run_pool(s, round, search);
    if (s->hooks.round_over != NULL) {
        s->hooks.round_over(s->hooks.user);
    }
}

/* Shares the time that tasks left over among those that found nothing credible. */
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
    if (s->deadline_ns != 0 && each > 0) {
        each = share_of_clock(s, each, wanting);
    }
    if (s->limits.steps != 0 || each < s->limits.time_ns / 4 || stopped(s)) {
        return;
    }
    s->again_ns = each;
    s->n_again = wanting;
    run_round(s, 2, wanting, solve_one_again);
}

void session_run(Session *s) {
    s->n_again = s->begun = 0;
    bool few = s->n_tasks > 0 && s->n_tasks < s->seats;
    s->limits.net_threads = few ? s->seats / (unsigned)s->n_tasks : 1;
    s->again_ns = s->work_ns = s->clock_ns = 0;
    if (!ranks_lead(s->ranks)) {
        follow(s);
        return;
    }
    run_round(s, 1, s->n_tasks, solve_one);
    if (!s->own_time) {
        use_spare_time(s);
    }
    announce(s, 0);
}
