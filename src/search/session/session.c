/* Searching many tasks in two rounds; see session.h. */
#include "search/session/session.h"

#include "backends/devices/backend.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "search/session/solve_wire.h"

#include <string.h>

/* Half of a worker's memory is for values, some for running what is offered, the rest for the state
 * of the strategies. The heap is counted block by block; what malloc wastes between blocks is at
 * most an eighth of it. */
static void share_memory(Session *s, uint64_t bytes, Budget *values, Budget *check) {
    enum { MAX_CHECK = 64 << 20 };
    *values = (Budget){.steps = UINT64_MAX / 4, .bytes = bytes / 2, .time_ns = 0, .depth = 500};
    *check = (Budget){.steps = 2000000, .bytes = bytes / 8, .time_ns = 0, .depth = 500};
    check->bytes = check->bytes < MAX_CHECK ? check->bytes : MAX_CHECK;
    s->limits.quota = (bytes - values->bytes - check->bytes) / 8 * 7;
}

static bool open_merging(Session *s, const Budget *budget) {
    if (s->subsearches.count > 1 && prim_open(&s->merging[0], MODE_CORE, false, budget)) {
        s->merges = prim_open(&s->merging[1], MODE_CORE, false, budget);
        if (!s->merges) {
            prim_close(&s->merging[0]);
        }
    }
    return s->merges || s->subsearches.count == 1;
}

bool session_open(Session *s, unsigned jobs, uint64_t memory) {
    Budget values, check;
    share_memory(s, memory, &values, &check);
    s->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    s->cpu_slots = jobs != 0 ? jobs : pool_processors();
    if (!backend_open_pool(s->limits.backend, &s->pool, s->cpu_slots, &values)) {
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
    bool split = subsearches_open(&s->subsearches, s->n_tasks, s->split) && open_merging(s, &check);
    return split && s->results != NULL && s->opened == s->pool.count && (s->ranks == NULL || s->lang != NULL);
}

void session_count(const Session *s, Statistics *to) {
    pool_count(&s->pool, to);
    for (unsigned k = 0; k < s->opened; k++) {
        prim_count(&s->checks[k], to);
    }
    for (unsigned k = 0; k < 2 && s->merges; k++) {
        prim_count(&s->merging[k], to);
    }
}

void session_close(Session *s) {
    for (unsigned k = 0; k < s->opened; k++) {
        prim_close(&s->checks[k]);
    }
    for (unsigned k = 0; k < 2 && s->merges; k++) {
        prim_close(&s->merging[k]);
    }
    subsearches_close(&s->subsearches);
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
    s->merges = false;
    s->lang = NULL;
}

static bool stopped(const Session *s) {
    return stop_is_requested(s->limits.stop);
}

/* Call with the lock held. */
static void report_finished(Session *s, Ctx *ctx, size_t item, bool cut) {
    if (s->hooks.finished != NULL) {
        s->hooks.finished(s->hooks.user, ctx, item, cut);
    }
}

/* How much of its own time a unit may take so that all `units` that are left get the same before
 * the deadline. Workers may get less than a processor each; finished searches show how much. Until
 * one has finished, units get little: a second round uses the rest. */
static uint64_t share_of_clock(const Session *s, uint64_t own_ns, size_t units) {
    const double min = 1e6, first = 0.05;
    uint64_t now = clock_now_ns(), left = s->deadline_ns > now ? s->deadline_ns - now : 0;
    double speed = s->clock_ns > 0 ? (double)s->work_ns / (double)s->clock_ns : first;
    double share = (double)left * s->cpu_slots * (speed < 1 ? speed : 1) / (double)(units > 0 ? units : 1);
    share = share > min ? share : min;
    return share < (double)own_ns ? (uint64_t)share : own_ns;
}

/* The result of a task takes its place; under the lock. */
static void put_result(Session *s, Ctx *ctx, size_t task, SolveTask *result, bool cut) {
    solve_task_free(&s->results[task]);
    s->results[task] = *result;
    report_finished(s, ctx, task, cut);
}

/* Makes the result of a task from its subsearches; under the lock. */
static void merge_subsearches(Session *s, Ctx *ctx, size_t task, bool cut) {
    const SolveTask *first = s->results[task].done ? &s->results[task] : NULL;
    SolveTask merged;
    if (subsearches_merge(&s->subsearches, task, first, &s->merging[0], &s->merging[1], &s->limits,
                          &merged)) {
        put_result(s, ctx, task, &merged, cut);
    }
}

/* Takes over the result of a unit, where results are kept; under the lock. */
static void take_result(Session *s, Ctx *ctx, size_t unit, SolveTask *result, bool cut) {
    size_t task = subsearches_task(&s->subsearches, unit);
    if (s->subsearches.count == 1) {
        put_result(s, ctx, task, result, cut);
        return;
    }
    SubsearchTask *t = &s->subsearches.tasks[task];
    uint32_t before = t->needed;
    const Tunables *tune = s->limits.tunables != NULL ? s->limits.tunables : &tunables_default;
    bool good = subsearches_take(&s->subsearches, unit, result, cut, tune);
    for (uint32_t k = t->needed; k < before && s->ranks != NULL; k++) {
        ranks_drop(s->ranks, subsearches_unit(&s->subsearches, task, k));
    }
    if (good && subsearches_whole(&s->subsearches, task)) {
        merge_subsearches(s, ctx, task, t->cut);
    }
}

/* What a rank says first about a unit. */
enum { UNIT_WHOLE, UNIT_CUT, UNIT_FAILED };

/* Other ranks send their result to rank 0; NULL: there was no memory for one. */
static void send_result(const Session *s, size_t unit, SolveTask *result, bool cut) {
    Out out;
    out_init(&out);
    wire_u8(&out, result == NULL ? UNIT_FAILED : cut ? UNIT_CUT : UNIT_WHOLE);
    if (result != NULL) {
        solve_pack(&out, result);
        solve_task_free(result);
    }
    ranks_result(s->ranks, unit, &out);
    out_free(&out);
}

/* Takes over the result of a unit: rank 0 keeps and reports it, other ranks send it there. */
static void finished(Session *s, Ctx *ctx, size_t unit, SolveTask *result, bool cut) {
    if (!ranks_is_root(s->ranks)) {
        send_result(s, unit, result, cut);
        return;
    }
    pthread_mutex_lock(&s->lock);
    if (s->ranks == NULL || ranks_claim(s->ranks, unit, 0)) {
        take_result(s, ctx, unit, result, cut);
    } else { /* another rank was faster, or it is not needed any more */
        solve_task_free(result);
    }
    pthread_mutex_unlock(&s->lock);
}

/* A search that there was no memory for: others must not wait for its result. */
static void failed(const Session *s, size_t unit) {
    if (!ranks_is_root(s->ranks)) {
        send_result(s, unit, NULL, true);
    } else if (s->ranks != NULL) {
        ranks_drop(s->ranks, unit);
    }
}

/* What stops the search that this worker is running. */
static const Stop *stop_of(const Session *s, const Worker *worker) {
    const PoolSource *source = s->pool.source;
    return source != NULL ? source->stop(source->user, worker) : s->limits.stop;
}

/* Whether a unit is to be searched; under the lock. */
static bool is_wanted(const Session *s, size_t unit) {
    return s->subsearches.count == 1 || !stop_is_requested(&s->subsearches.dropped[unit]);
}

static void search_one(Worker *worker, size_t unit) {
    Session *s = worker->shared;
    SearchLimits limits = s->limits;
    size_t task = subsearches_task(&s->subsearches, unit);
    SolveTask result;
    subsearches_share(&s->subsearches, unit, &limits);
    pthread_mutex_lock(&s->lock);
    size_t units = subsearches_units(&s->subsearches), ranks = ranks_size(s->ranks);
    size_t share = (units + ranks - 1) / ranks; /* of this rank */
    size_t left = share > s->begun ? share - s->begun : 0;
    if (s->deadline_ns != 0 && left > s->cpu_slots) { /* else no unit is waiting */
        limits.time_ns = share_of_clock(s, limits.time_ns, left);
    }
    s->begun++;
    const SolveTask *known = &s->results[task]; /* with ranks such a task is not handed out */
    if (known->resumed && subsearches_index(&s->subsearches, unit) == 0) {
        report_finished(s, &worker->ctx, task, stopped(s));
    }
    bool wanted = !known->done && is_wanted(s, unit);
    pthread_mutex_unlock(&s->lock);
    if (!wanted) {
        return;
    }
    limits.stop = stop_of(s, worker);
    uint64_t begin = clock_now_ns();
    bool good = solve_task(&result, s->tasks[task], &worker->ctx, &s->checks[worker->index], &limits);
    pthread_mutex_lock(&s->lock);
    s->work_ns += result.time_ns;
    s->clock_ns += clock_now_ns() - begin;
    pthread_mutex_unlock(&s->lock);
    if (good) {
        finished(s, &worker->ctx, unit, &result, stop_is_requested(limits.stop));
    } else {
        solve_task_free(&result);
        failed(s, unit);
    }
}

static bool wants_more(const SolveTask *r) {
    return r->done && !r->resumed && r->fitting == 0;
}

/* A subsearch resumes its arms where they stopped. What was found before is left to the merge, or
 * it would count once for every subsearch. */
static bool subsearch_again(Session *s, Worker *worker, size_t unit, SearchLimits *limits,
                            SolveTask *result) {
    ArmPast past[SEARCH_MAX_PAST];
    size_t task = subsearches_task(&s->subsearches, unit);
    pthread_mutex_lock(&s->lock); /* a merge would put another result there */
    limits->n_past = s->results[task].n_past;
    memcpy(past, s->results[task].past, limits->n_past * sizeof *past);
    pthread_mutex_unlock(&s->lock);
    limits->past = past;
    bool good = solve_task(result, s->tasks[task], &worker->ctx, &s->checks[worker->index], limits);
    if (!good) {
        solve_task_free(result);
    }
    return good;
}

static void search_again(Worker *worker, size_t unit) {
    Session *s = worker->shared;
    size_t task = subsearches_task(&s->subsearches, unit);
    SearchLimits limits = s->limits;
    SolveTask better;
    limits.time_ns = s->again_ns;
    limits.stop = stop_of(s, worker);
    subsearches_share(&s->subsearches, unit, &limits);
    pthread_mutex_lock(&s->lock);
    bool wanted = wants_more(&s->results[task]) && is_wanted(s, unit);
    pthread_mutex_unlock(&s->lock);
    if (!wanted) {
        return;
    }
    bool good = s->subsearches.count > 1 ? subsearch_again(s, worker, unit, &limits, &better)
                                         : solve_again(&better, &s->results[task], &worker->ctx,
                                                       &s->checks[worker->index], &limits);
    if (good) {
        finished(s, &worker->ctx, unit, &better, stop_is_requested(limits.stop));
    } else {
        failed(s, unit);
    }
}

/* ---- with other ranks ---- */

static SolveTask *result_of(const Session *s, size_t unit) {
    return &s->results[subsearches_task(&s->subsearches, unit)];
}

static bool is_known(void *user, size_t unit) {
    return result_of(user, unit)->done;
}

static bool wants_none(void *user, size_t unit) {
    return !wants_more(result_of(user, unit));
}

/* A deeper search starts from what was found. */
static void pack_unit(void *user, size_t unit, Out *out) {
    solve_pack(out, result_of(user, unit));
}

static bool unpack_unit(void *user, size_t unit, Wire *wire) {
    Session *s = user;
    SolveTask *r = result_of(s, unit);
    /* if another subsearch of the task brought it, that one may be working with it */
    return r->done || solve_unpack(r, s->tasks[subsearches_task(&s->subsearches, unit)], s->lang, wire);
}

static bool unpack(void *user, size_t unit, unsigned from, Wire *wire) {
    Session *s = user;
    SolveTask result = {0};
    uint8_t how = wire_get_u8(wire);
    bool failure = how == UNIT_FAILED && wire_ends(wire);
    if (!failure &&
        (how > UNIT_CUT ||
         !solve_unpack(&result, s->tasks[subsearches_task(&s->subsearches, unit)], s->lang, wire))) {
        return false;
    }
    pthread_mutex_lock(&s->lock);
    if (!ranks_claim(s->ranks, unit, from) || failure) {
        solve_task_free(&result);
    } else {
        take_result(s, NULL, unit, &result, how == UNIT_CUT);
    }
    pthread_mutex_unlock(&s->lock);
    return true;
}

/* Subsearches of tasks that were not searched to the end, because all was stopped: what there is counts. */
static void merge_rest(Session *s) {
    pthread_mutex_lock(&s->lock);
    for (size_t k = 0; k < s->n_tasks && s->subsearches.count > 1 && ranks_is_root(s->ranks); k++) {
        if (subsearches_any(&s->subsearches, k)) {
            merge_subsearches(s, NULL, k, true);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void run_pool(Session *s, unsigned round, PoolFn search) {
    size_t units = subsearches_units(&s->subsearches);
    RanksLoop loop = {.units = units,
                      .threads = s->pool.count,
                      .twice = true,
                      .stop = s->limits.stop,
                      .user = s,
                      .known = round == 1 ? is_known : wants_none,
                      .pack_unit = round == 1 ? NULL : pack_unit,
                      .unpack_unit = round == 1 ? NULL : unpack_unit,
                      .unpack = unpack};
    subsearches_begin(&s->subsearches);
    if (s->ranks == NULL) {
        pool_run(&s->pool, units, search, s, s->limits.stop);
    } else if (ranks_loop_begin(s->ranks, &loop)) {
        s->pool.source = ranks_source(s->ranks);
        pool_run(&s->pool, units, search, s, s->limits.stop);
        s->pool.source = NULL;
        ranks_loop_end(s->ranks);
    }
    merge_rest(s);
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
            run_pool(s, round, round == 1 ? search_one : search_again);
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
            report_finished(s, NULL, k, false);
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
    run_round(s, 2, wanting, search_again);
}

void session_run(Session *s) {
    s->n_again = s->begun = 0;
    bool few = s->n_tasks > 0 && s->n_tasks < s->cpu_slots;
    s->limits.net.threads = few ? s->cpu_slots / (unsigned)s->n_tasks : 1;
    s->again_ns = s->work_ns = s->clock_ns = 0;
    if (!ranks_is_root(s->ranks)) {
        follow(s);
        return;
    }
    run_round(s, 1, s->n_tasks, search_one);
    if (!s->own_time) {
        use_spare_time(s);
    }
    announce(s, 0);
}
