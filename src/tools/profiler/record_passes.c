/* Runs the warm-up and the passes of a profile; see record_passes.h. */
#include "tools/profiler/record_passes.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "tools/profiler/assemble_passes.h"
#include "tools/profiler/quantiles.h"
#include "tools/profiler/record_ticks.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef enum PassKind { PASS_COUNT, PASS_PLAIN, PASS_FLAT, PASS_DEEP } PassKind;

typedef struct PassEval { /* one evaluation of a task */
    double min;           /* ticks of the shortest without timestamps; 0: not known yet */
    double now;           /* in the pass at hand, without the time the thread did not run */
    double *plain;        /* by repeat */
} PassEval;

typedef struct PassTask {
    PassEval *evals;
    uint32_t n, next;
    PassCount *counts;
    uint32_t n_counts;
    /* ticks of the pass at hand; spent: in evaluations, repeated ones included */
    double setup, validate, spent;
    double stamped;     /* in evaluations with timestamps, which are included */
    double plain_setup; /* nanoseconds, in the pass without timestamps of the repeat at hand */
} PassTask;

typedef struct PassWorker {
    uint64_t last, start; /* ticks: the end of what came before the evaluation at hand, and its beginning */
    uint64_t work_ns;     /* by the thread's clock; 0: not read */
    unsigned tries;
    uint64_t *before; /* counters when the task began: calls, fails */
} PassWorker;

typedef struct RecordedPass {
    const PassSpec *spec;
    Profile *profile;
    Profiler *profiler;
    PassKind kind;
    PassTask *tasks;
    PassWorker *workers;
    RunTask *results;
    RunHooks hooks;
    double ns_per_tick;
    size_t from, n; /* the tasks at hand */
    /* Not in the profile yet, since an interruption may undo it: the workers' time besides evaluations and
     * the wall time of the repeat at hand, and those of the complete repeats of the chunk at hand. */
    double repeat_work[WORK_COUNT], repeat_wall, chunk_work[WORK_COUNT], *chunk_walls;
    bool chunks; /* the run takes long, see record_passes.h */
    /* nanoseconds of some evaluations: in the pass that counted, timestamps taken out, and without any */
    double counted_ns, without_ns;
    atomic_bool failed; /* no memory */
} RecordedPass;

uint64_t passes_nodes(const PassSpec *spec) {
    enum { A_TASK = 96, MAX_NODES = 1 << 22 };
    uint64_t nodes = 65536 + A_TASK * (uint64_t)spec->run.n_tasks;
    return nodes < MAX_NODES ? nodes : MAX_NODES;
}

/* ---- hooks ---- */

static void begin(void *user, Worker *worker, size_t item) {
    RecordedPass *pass = user;
    item += pass->from;
    PassTask *t = &pass->tasks[item];
    PassWorker *w = &pass->workers[worker->index];
    ProfTask *to = &pass->profile->tasks[item];
    t->next = 0;
    t->setup = t->validate = t->spent = t->stamped = 0;
    if (pass->kind == PASS_COUNT) {
        to->evaluations = to->over_budget = 0;
        memcpy(w->before, worker->ctx.calls, PRIM_COUNT * sizeof *w->before);
        memcpy(w->before + PRIM_COUNT, worker->ctx.fails, PRIM_COUNT * sizeof *w->before);
    }
    w->tries = 0;
    w->last = prof_ticks();
}

static PassEval *eval_at(RecordedPass *pass, PassTask *t) {
    if (t->next == t->n) {
        PassEval *more = mem_grow(t->evals, (size_t)t->n + 1, sizeof *more);
        double *plain = more != NULL ? mem_zalloc(pass->spec->repeats, sizeof *plain) : NULL;
        t->evals = more != NULL ? more : t->evals;
        if (plain == NULL) {
            pass->failed = true;
            return NULL;
        }
        more[t->n++] = (PassEval){.plain = plain};
    }
    return &t->evals[t->next];
}

static void ready(void *user, Worker *worker, size_t item) {
    enum { LONG_NS = 20000 }; /* reading the thread's clock costs a few hundred */
    RecordedPass *pass = user;
    item += pass->from;
    PassTask *t = &pass->tasks[item];
    PassWorker *w = &pass->workers[worker->index];
    const PassEval *e = eval_at(pass, t);
    if (e == NULL) {
        return;
    }
    w->work_ns = e->min <= 0 || e->min * pass->ns_per_tick > LONG_NS ? clock_work_ns() : 0;
    if (pass->kind != PASS_PLAIN) {
        prof_open_evaluation(pass->profiler, worker, item, pass->kind == PASS_DEEP);
    }
    w->start = prof_ticks();
    t->setup += (double)(w->start - w->last);
}

/* Ticks in which the thread did not run. */
static double preempted_ticks(const RecordedPass *pass, const PassWorker *w, double took) {
    enum { MIN_NS = 5000 }; /* the thread's clock is read before and after the other */
    if (w->work_ns == 0) {
        return 0;
    }
    double worked = (double)(clock_work_ns() - w->work_ns), preempted = took * pass->ns_per_tick - worked;
    return preempted > MIN_NS && preempted > 0.02 * worked ? fmin(preempted / pass->ns_per_tick, 0.999 * took)
                                                           : 0;
}

static bool evaluated(void *user, Worker *worker, size_t item) {
    enum { TRIES = 4, TRIES_CHUNKS = 2, SLACK_NS = 1000 };
    RecordedPass *pass = user;
    item += pass->from;
    PassTask *t = &pass->tasks[item];
    PassWorker *w = &pass->workers[worker->index];
    uint64_t end = prof_ticks();
    double took = (double)(end - w->start), preempted = preempted_ticks(pass, w, took), recorded = 0;
    bool plain = pass->kind <= PASS_PLAIN, stamped = pass->kind != PASS_PLAIN;
    if (stamped) {
        recorded = (double)prof_close_evaluation(pass->profiler, worker);
    }
    if (pass->failed) {
        return false;
    }
    PassEval *e = &t->evals[t->next];
    /* in the pass that counts, the time without the timestamps of its flat calls */
    double without = fmax(took - recorded * pass->profiler->cost.all, 0.5 * took);
    double max = 1.5 * e->min + 3 * recorded * pass->profiler->cost.all + SLACK_NS / pass->ns_per_tick;
    /* where calls are recorded, the time away is inside the times of some of them */
    double length = plain ? without * (1 - preempted / took) : took;
    t->spent += plain ? without : took;
    w->last = end;
    if (plain) {
        e->now = w->tries == 0 ? length : fmin(e->now, length);
    }
    /* in a long run, only what was interrupted for certain */
    bool disturbed = pass->chunks ? !plain && preempted > 0.1 * took : length > max;
    if (disturbed && e->min > 0 && ++w->tries < (pass->chunks ? TRIES_CHUNKS : TRIES) &&
        !stop_is_requested(worker->ctx.stop)) {
        if (!plain) {
            prof_keep_evaluation(pass->profiler, worker, 0);
        }
        return true;
    }
    if (plain) {
        e->min = e->min > 0 ? fmin(e->min, e->now) : e->now;
    }
    if (stamped) {
        t->stamped += took - preempted;
        prof_keep_evaluation(pass->profiler, worker, 1 - preempted / took);
    }
    pass->profile->tasks[item].evaluations += pass->kind == PASS_COUNT;
    w->tries = 0;
    t->next++;
    w->last = prof_ticks();
    return false;
}

static void judged(void *user, Worker *worker, size_t item, Val worst) {
    RecordedPass *pass = user;
    item += pass->from;
    PassWorker *w = &pass->workers[worker->index];
    ProfTask *to = &pass->profile->tasks[item];
    if (pass->kind == PASS_COUNT && val_failed(worst) && worst.w >= FAIL_STEPS) {
        to->over_budget++;
        to->reason = reason_name((Reason)worst.w);
    }
    uint64_t now = prof_ticks();
    pass->tasks[item].validate += (double)(now - w->last);
    w->last = now;
}

static void end(void *user, Worker *worker, size_t item, const RunTask *result) {
    RecordedPass *pass = user;
    item += pass->from;
    PassTask *t = &pass->tasks[item];
    const PassWorker *w = &pass->workers[worker->index];
    const uint64_t *calls = worker->ctx.calls, *fails = worker->ctx.fails;
    if (result->no_memory) {
        pass->failed = true;
    }
    if (pass->kind != PASS_COUNT) {
        return;
    }
    pass->profile->tasks[item].solved = result->solved;
    uint32_t n = 0;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        n += calls[k] != w->before[k];
    }
    t->counts = mem_array(n, sizeof *t->counts);
    if (t->counts == NULL) {
        pass->failed = true;
        return;
    }
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        if (calls[k] != w->before[k]) {
            t->counts[t->n_counts++] =
                (PassCount){k, calls[k] - w->before[k], fails[k] - w->before[PRIM_COUNT + k]};
        }
    }
}

/* ---- passes ---- */

static bool begin_tasks(Profile *p, const RunSpec *spec) {
    size_t n = spec->n_tasks;
    if (!profile_begin_tasks(p, n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        ProfTask *task = &p->tasks[k];
        task->id = profile_text(p, spec->tasks[k]->id);
        for (uint32_t x = 0; x < (uint32_t)(spec->tasks[k]->n_train + spec->tasks[k]->n_test); x++) {
            Image in = run_pair(spec->tasks[k], x)->in;
            uint32_t cells = (uint32_t)(in.h * in.w);
            task->cells = cells > task->cells ? cells : task->cells;
        }
        if (task->id == NULL) {
            return false;
        }
    }
    return true;
}

static void tell(const PassSpec *spec, uint64_t more) {
    if (spec->progress != NULL) {
        spec->progress(spec->user, more);
    }
}

/* A pass over the tasks at hand. False: no memory (pass->failed), or stopped. */
static bool run_pass(RecordedPass *pass, PassKind kind, const Stop *stop) {
    RunSpec spec = pass->spec->run;
    spec.hooks = &pass->hooks;
    spec.tasks += pass->from;
    spec.n_tasks = pass->n;
    spec.matches = spec.matches != NULL ? spec.matches + pass->from : NULL;
    pass->kind = kind;
    pass->ns_per_tick = prof_ns_per_tick(pass->profiler);
    if (kind != PASS_COUNT) { /* that one is made in parts, see count_chunk */
        prof_clear(pass->profiler);
    }
    bool good = run_tasks(pass->profiler->pool, &spec, pass->results, stop) == pass->n && !pass->failed;
    for (size_t k = 0; k < pass->n; k++) {
        good = good && !pass->results[k].cut;
    }
    run_free(pass->results, pass->n);
    memset(pass->results, 0, pass->n * sizeof *pass->results);
    tell(pass->spec, pass->n);
    return good;
}

/* The figures of a pass without timestamps: times of evaluations, and where the workers' other time went. */
typedef struct PlainTimes {
    uint64_t busy, start;
} PlainTimes;

static PlainTimes plain_begin(const RecordedPass *pass) {
    return (PlainTimes){.busy = prof_busy_ns(pass->profiler), .start = clock_now_ns()};
}

static void plain_end(RecordedPass *pass, const PlainTimes *times, uint32_t repeat) {
    double wall = (double)(clock_now_ns() - times->start), inside = 0, *work = pass->repeat_work,
           tick = prof_ns_per_tick(pass->profiler);
    double busy = (double)(prof_busy_ns(pass->profiler) - times->busy);
    memset(work, 0, sizeof pass->repeat_work);
    for (size_t k = pass->from; k < pass->from + pass->n; k++) {
        PassTask *t = &pass->tasks[k];
        for (uint32_t x = 0; x < t->next; x++) {
            t->evals[x].plain[repeat] = t->evals[x].now * tick;
        }
        pass->profile->tasks[k].validate_ns[repeat] = t->validate * tick;
        t->plain_setup = t->setup * tick;
        work[WORK_SETUP] += t->plain_setup;
        work[WORK_BREAKS] += (t->spent + t->validate) * tick; /* finish_times subtracts evaluations later */
        inside += (t->setup + t->spent + t->validate) * tick;
    }
    work[WORK_SCHEDULING] = busy - inside;
    work[WORK_IDLE] = wall * pass->profiler->pool->count - busy;
    pass->repeat_wall = wall;
}

static bool plain_pass(RecordedPass *pass, uint32_t repeat, const Stop *stop) {
    PlainTimes times = plain_begin(pass);
    if (!run_pass(pass, PASS_PLAIN, stop)) {
        return false;
    }
    plain_end(pass, &times, repeat);
    return true;
}

/* A repeat is complete. */
static void keep_repeat(RecordedPass *pass, uint32_t repeat) {
    for (size_t k = 0; k < WORK_COUNT; k++) {
        pass->chunk_work[k] += pass->repeat_work[k];
    }
    for (size_t k = pass->from; k < pass->from + pass->n; k++) {
        pass->profile->tasks[k].setup_ns += pass->tasks[k].plain_setup;
    }
    pass->chunk_walls[repeat] = pass->repeat_wall;
}

/* All repeats of a chunk are complete. */
static void keep_chunk(RecordedPass *pass) {
    Profile *p = pass->profile;
    for (size_t k = 0; k < WORK_COUNT; k++) {
        p->work_ns[k] += pass->chunk_work[k] / p->repeats;
    }
    for (size_t k = pass->from; k < pass->from + pass->n; k++) {
        p->tasks[k].setup_ns /= p->repeats;
    }
    for (uint32_t k = 0; k < p->repeats; k++) {
        p->pass_ns[k] += pass->chunk_walls[k];
    }
    memset(pass->chunk_work, 0, sizeof pass->chunk_work);
}

/* In a long run, times of the first repeat are those of the pass that counted. What timestamps cost there is
 * known only roughly; this holds them to times without timestamps: of some evaluations, or of the second
 * repeat. */
static void scale_counted(RecordedPass *pass) {
    Profile *p = pass->profile;
    double counted = pass->counted_ns, without = pass->without_ns, sum = 0;
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        for (uint32_t x = 0; x < pass->tasks[k].n; x++) {
            const double *plain = pass->tasks[k].evals[x].plain;
            sum += plain[0];
            counted += p->repeats > 1 ? plain[0] : 0;
            without += p->repeats > 1 ? plain[1] : 0;
        }
    }
    double ratio = counted > 0 ? fmin(fmax(without / counted, 0.5), 1.25) : 1;
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        for (uint32_t x = 0; x < pass->tasks[k].n; x++) {
            pass->tasks[k].evals[x].plain[0] *= ratio;
        }
    }
    p->work_ns[WORK_BREAKS] -= (1 - ratio) * sum / p->repeats;
    p->pass_ns[0] -= (1 - ratio) * sum / pass->profiler->pool->count;
}

/* Turns times of evaluations into times of tasks. */
static bool finish_times(RecordedPass *pass) {
    Profile *p = pass->profile;
    if (pass->chunks) {
        scale_counted(pass);
    }
    double *scratch = mem_array(p->repeats, sizeof *scratch), known = 0;
    for (uint32_t k = 0; scratch != NULL && k < p->n_tasks; k++) {
        const PassTask *t = &pass->tasks[k];
        for (uint32_t x = 0; x < t->n; x++) {
            p->disturbed += stats_clip_outliers(t->evals[x].plain, p->repeats, 1000, scratch);
            for (uint32_t r = 0; r < p->repeats; r++) {
                p->tasks[k].execute_ns[r] += t->evals[x].plain[r];
            }
        }
        p->disturbed += stats_clip_outliers(p->tasks[k].validate_ns, p->repeats, 1000, scratch);
        double judge = stats_mean(p->tasks[k].validate_ns, p->repeats);
        p->work_ns[WORK_JUDGE] += judge;
        known += judge + stats_mean(p->tasks[k].execute_ns, p->repeats);
    }
    p->work_ns[WORK_BREAKS] -= known;
    mem_free(scratch);
    return scratch != NULL;
}

static void take_counts(RecordedPass *pass) {
    for (uint32_t k = 0; k < pass->profile->n_tasks && !pass->failed; k++) {
        for (uint32_t x = 0; x < pass->tasks[k].n_counts; x++) {
            const PassCount *count = &pass->tasks[k].counts[x];
            ProfRow *row = profile_row(pass->profile, &pass->profile->tasks[k], count->prim);
            if (row == NULL) {
                pass->failed = true;
                return;
            }
            row->calls = count->calls;
            row->fails = count->fails;
            pass->profile->names[count->prim].calls += count->calls;
            pass->profile->names[count->prim].fails += count->fails;
        }
    }
}

static bool open_pass(RecordedPass *pass, const PassSpec *spec, Profile *p, Profiler *profiler) {
    size_t n = spec->run.n_tasks;
    unsigned workers = profiler->pool->count;
    *pass = (RecordedPass){.spec = spec,
                           .profile = p,
                           .profiler = profiler,
                           .tasks = mem_zalloc(n, sizeof *pass->tasks),
                           .workers = mem_zalloc(workers, sizeof *pass->workers),
                           .results = mem_zalloc(n, sizeof *pass->results),
                           .chunk_walls = mem_array(p->repeats, sizeof *pass->chunk_walls),
                           .hooks = {pass, begin, ready, evaluated, judged, end}};
    bool good =
        pass->tasks != NULL && pass->workers != NULL && pass->results != NULL && pass->chunk_walls != NULL;
    for (unsigned k = 0; good && k < workers; k++) {
        pass->workers[k].before = mem_array(2 * PRIM_COUNT, sizeof *pass->workers[k].before);
        good = pass->workers[k].before != NULL;
    }
    return good;
}

static void close_pass(RecordedPass *pass) {
    for (size_t k = 0; pass->tasks != NULL && k < pass->spec->run.n_tasks; k++) {
        for (uint32_t x = 0; x < pass->tasks[k].n; x++) {
            mem_free(pass->tasks[k].evals[x].plain);
        }
        mem_free(pass->tasks[k].evals);
        mem_free(pass->tasks[k].counts);
    }
    for (unsigned k = 0; pass->workers != NULL && k < pass->profiler->pool->count; k++) {
        mem_free(pass->workers[k].before);
    }
    mem_free(pass->tasks);
    mem_free(pass->workers);
    mem_free(pass->results);
    mem_free(pass->chunk_walls);
}

/* ---- devices ---- */

/* The passes time calls one by one, on the processor. A battery that devices have a part in is run once more
 * as `batt run` does, by levels: what that takes is not a part of the passes. */
static void device_pass(RecordedPass *pass, const Stop *stop) {
    RunSpec run = pass->spec->run;
    Pool *pool = pass->profiler->pool;
    const PoolObserver *observer = pool->observer;
    BackendReport before, after;
    double *work = pass->profile->work_ns;
    run.hooks = NULL;
    run.done = NULL;
    if (run.battery == NULL || !backend_uses_device(run.backend) || stop_is_requested(stop)) {
        return;
    }
    backend_report(run.backend, &before);
    uint64_t start = clock_now_ns();
    pool->observer = NULL;
    run_tasks(pool, &run, pass->results, stop);
    pool->observer = observer;
    double wall = (double)(clock_now_ns() - start);
    run_free(pass->results, run.n_tasks);
    memset(pass->results, 0, run.n_tasks * sizeof *pass->results);
    backend_report(run.backend, &after);
    double build = (double)(after.counters.build_ns - before.counters.build_ns);
    work[WORK_BUILD] += build;
    work[WORK_DEVICE_TRANSFER] = (double)(after.counters.transfer_ns - before.counters.transfer_ns);
    work[WORK_DEVICE_KERNEL] = (double)(after.counters.kernel_ns - before.counters.kernel_ns);
    work[WORK_DEVICE_WAIT] = wall - build - work[WORK_DEVICE_TRANSFER] - work[WORK_DEVICE_KERNEL];
}

/* ---- all passes ---- */

static bool add_sums(RecordedPass *pass, PassSums *sums, uint32_t repeat, bool deep) {
    bool good = sums_add(sums, pass->profile, pass->profiler, repeat, deep);
    pass->failed = pass->failed || !good;
    return good;
}

/* Takes over the flat pass that was just made. */
static bool add_flat(RecordedPass *pass, PassSums *sums, uint32_t repeat) {
    for (size_t k = pass->from; k < pass->from + pass->n; k++) {
        sums->flat_ns[k * sums->stride + repeat] = pass->tasks[k].stamped * pass->ns_per_tick;
    }
    return add_sums(pass, sums, repeat, false);
}

/* The passes of one repeat. counted: its flat pass was the one that counted. */
static bool run_repeat(RecordedPass *pass, PassSums *sums, uint32_t repeat, bool counted, const Stop *stop) {
    if (!counted && (!plain_pass(pass, repeat, stop) || !run_pass(pass, PASS_FLAT, stop))) {
        return false;
    }
    return add_flat(pass, sums, repeat) && run_pass(pass, PASS_DEEP, stop) &&
           add_sums(pass, sums, repeat, true);
}

/* Counts calls, from pass->from on: of all tasks, or of as many as take long enough for a chunk. *good false:
 * no memory. Returns how many were counted before *stop. */
static size_t count_chunk(RecordedPass *pass, const Stop *stop, bool *good) {
    enum { CHUNK_NS = 250000000 };
    size_t begin_at = pass->from, all = pass->spec->run.n_tasks, done = 0;
    uint64_t start = clock_now_ns();
    *good = true;
    prof_clear(pass->profiler);
    for (size_t step = 4 * (size_t)pass->profiler->pool->count; *good && begin_at + done < all; step *= 2) {
        size_t left = all - begin_at - done;
        pass->from = begin_at + done;
        pass->n = step < left ? step : left;
        bool counted = !stop_is_requested(stop) && run_pass(pass, PASS_COUNT, stop);
        *good = !pass->failed;
        if (!counted) {
            break;
        }
        done += pass->n;
        if (clock_now_ns() - start > CHUNK_NS) {
            pass->chunks = true;
            break;
        }
    }
    pass->from = begin_at;
    pass->n = done;
    return done;
}

static uint64_t passes_of_task(const PassSpec *spec) {
    return (spec->warmup > 1 ? spec->warmup : 1) + 3 * (uint64_t)spec->repeats;
}

uint64_t passes_total(const PassSpec *spec) {
    return spec->run.n_tasks * passes_of_task(spec);
}

/* What the evaluations of some tasks of the chunk take without timestamps, for scale_counted. Returns how
 * many. */
static size_t time_some(RecordedPass *pass, const Stop *stop) {
    enum { ONE_IN = 8 };
    size_t n = pass->n, some = (n + ONE_IN - 1) / ONE_IN;
    double counted = 0, without = 0;
    pass->n = some;
    bool good = run_pass(pass, PASS_PLAIN, stop);
    for (size_t k = pass->from; good && k < pass->from + pass->n; k++) {
        for (uint32_t x = 0; x < pass->tasks[k].n; x++) {
            counted += pass->tasks[k].evals[x].plain[0];
            without += pass->tasks[k].evals[x].now * pass->ns_per_tick;
        }
    }
    pass->counted_ns += counted;
    pass->without_ns += without;
    pass->n = n;
    return some;
}

/* The repeats of a chunk; returns how many are complete. timed: the pass that counted belongs to the first.
 */
static uint32_t run_repeats(RecordedPass *pass, PassSums *sums, bool timed, const Stop *stop) {
    uint32_t done = 0;
    while (done < pass->spec->repeats && run_repeat(pass, sums, done, timed && done == 0, stop)) {
        keep_repeat(pass, done++);
    }
    return done;
}

/* All passes over one chunk. False: no memory (pass->failed), or stopped before it was complete; only the
 * first chunk is complete with fewer repeats, which then are those of the profile. */
static bool run_chunk(RecordedPass *pass, PassSums *sums, const Stop *stop) {
    const PassSpec *spec = pass->spec;
    Profile *p = pass->profile;
    PlainTimes times = plain_begin(pass);
    bool good;
    if (count_chunk(pass, stop, &good) == 0 || !good) {
        return false;
    }
    bool timed = pass->chunks; /* the pass that counted */
    if (timed) {
        p->warmup = 0;
        plain_end(pass, &times, 0);
    }
    for (uint32_t k = 1; good && k < spec->warmup && !timed; k++) {
        good = run_pass(pass, PASS_PLAIN, stop);
    }
    uint32_t repeats = good ? run_repeats(pass, sums, timed, stop) : 0;
    if (repeats == 0 || pass->failed || (repeats < p->repeats && pass->from > 0)) {
        return false;
    }
    p->repeats = p->run_repeats[0] = sums->repeats = repeats;
    keep_chunk(pass);
    if (timed) { /* passes that were not made */
        uint64_t made = repeats == 1 ? time_some(pass, stop) : 0;
        tell(spec, pass->n * (passes_of_task(spec) - 3 * (uint64_t)spec->repeats + 1) - made);
    }
    return true;
}

bool passes_run(Profile *p, Profiler *profiler, const PassSpec *spec, const Stop *stop) {
    RecordedPass pass;
    PassSums sums = {0};
    bool good = open_pass(&pass, spec, p, profiler) && begin_tasks(p, &spec->run) && sums_open(&sums, p);
    size_t done = 0;
    profiler->everything = true;
    profiler->pause = true;
    p->warmup = spec->warmup;
    while (good && done < spec->run.n_tasks) {
        uint32_t stacks = p->n_stacks;
        pass.from = done;
        good = run_chunk(&pass, &sums, stop);
        done += good ? pass.n : 0;
        if (!good && !pass.failed && stop_is_requested(stop) && done > 0) {
            profile_keep_first(p, (uint32_t)done, stacks);
            good = true;
            break;
        }
    }
    take_counts(&pass);
    good = good && !pass.failed && finish_times(&pass) && sums_finish(&sums, p, profiler);
    if (good && pass.chunks && p->repeats == 1) { /* no pass was without timestamps */
        p->measured_ns = p->plain_ns = 0;
    }
    if (good) {
        device_pass(&pass, stop);
    }
    sums_close(&sums);
    close_pass(&pass);
    return good;
}

/* ---- trace ---- */

bool passes_trace(Profiler *profiler, const PassSpec *spec, const Stop *stop) {
    size_t n = spec->run.n_tasks;
    RunTask *results = mem_zalloc(n, sizeof *results);
    profiler->everything = true;
    profiler->pause = false;
    bool good = results != NULL && run_tasks(profiler->pool, &spec->run, results, stop) == n;
    for (size_t k = 0; good && k < n; k++) {
        good = !results[k].cut && !results[k].no_memory;
    }
    if (results != NULL) {
        run_free(results, n);
    }
    mem_free(results);
    return good;
}
