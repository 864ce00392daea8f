/* batt_solve: search over tasks. */
#include "backends/devices/backend.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/language/build.h"
#include "search/learning/idioms.h"
#include "search/persistence/solve_store.h"
#include "search/schedule/strategies.h"
#include "search/schedule/tunables.h"
#include "search/session/session.h"
#include "search/strategies/library.h"
#include "tools/api/own.h"
#include "tools/api/results.h"

#include <string.h>
#include <time.h>

typedef struct ApiSolveJob {
    Watch watch;
    batt_solve_options options;
    Session session;
    IdiomSet *idioms;
    Library *library;
    SolveStore keep;
    unsigned attempts;
    Tunables tunables;
    Backend *backend;
    uint64_t deadline_ns; /* wall clock; 0: none */
    Stop stop;            /* what the search obeys: the caller's flag, or the deadline */
    pthread_t timer;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool over; /* under the lock */
} ApiSolveJob;

static bool fill_library(ApiSolveJob *job, batt_context *c, Ctx *ctx) {
    const batt_programs *known = job->options.known;
    batt_programs *built_in = NULL;
    if (known == NULL) {
        known = built_in = batt_parse_paths(c, NULL, 0, BATT_MODE_AUTO);
    }
    bool good = known != NULL;
    for (size_t k = 0; good && k < known->list.count; k++) {
        good = library_add(job->library, ctx, known->list.items[k]);
    }
    batt_programs_free(built_in);
    if (!good) {
        api_no_memory(c);
    } else if (job->keep.store != NULL && !solve_store_load(&job->keep, job->library, ctx)) {
        api_fault(c, BATT_BAD_STORE, "%s", job->keep.error);
        good = false;
    }
    return good;
}

/* Called with the session open. False with the fault set. */
static bool prepare(ApiSolveJob *job, batt_context *c, const batt_tasks *tasks) {
    Ctx *ctx = &job->session.pool.workers[0].ctx;
    if (job->options.store != NULL) {
        solve_store_describe(&job->keep, job->options.store, &job->session, batt_tasks_hash(tasks), false);
        job->keep.stop = watch_stop(&job->watch);
        job->keep.own = own_prims(c);
        if (!solve_store_open(&job->keep, ctx)) {
            api_fault(c, BATT_BAD_STORE, "%s", job->keep.error);
            return false;
        }
    }
    if (!job->options.without_library && !(job->session.limits.without >> STRATEGY_LIBRARY & 1)) {
        if (!fill_library(job, c, ctx)) {
            return false;
        }
        job->session.limits.library = job->library;
    }
    if (!watch_pool(&job->watch, c, &job->session.pool)) {
        return false;
    }
    for (unsigned k = 0; job->watch.attached && k < job->session.pool.count; k++) {
        prof_add_ctx(&job->watch.profiler, k, &job->session.checks[k]);
    }
    return true;
}

static const char *status_of(const ResultTask *item, const SolveTask *s) {
    return item->solved                                        ? "solved"
           : s->n_programs == 0                                ? "no program"
           : item->test_known == 0                             ? "answered"
           : item->test_right > 0                              ? "partly right"
           : s->programs[0].right < (uint32_t)s->task->n_train ? "wrong"
                                                               : "training only";
}

static bool keep_task(const SolveTask *s, ResultTask *item, unsigned attempts) {
    item->done = s->done;
    if (!s->done) {
        return true;
    }
    size_t tests = (size_t)s->task->n_test;
    Image *answers = mem_zalloc(tests * attempts, sizeof *answers);
    bool good = answers != NULL;
    for (size_t x = 0; good && x < tests; x++) {
        item->test_known += s->task->test[x].has_output;
        item->test_right += solve_is_right(s, (uint32_t)x, attempts);
        for (unsigned a = 0; a < attempts; a++) {
            answers[x * attempts + a] = s->answers[x][a].image;
        }
    }
    good = good && result_keep_answers(item, answers, attempts);
    mem_free(answers);
    for (uint32_t p = 0; good && p < s->n_programs; p++) {
        const SolveProgram *program = &s->programs[p];
        good = result_add_program(item, prog_strip(program->program), strategy_names[program->strategy],
                                  program->right, program->cost, program->steps);
    }
    item->train_right = s->n_programs > 0 ? s->programs[0].right : 0;
    item->solved = item->test_known > 0 && item->test_right == item->test_known;
    item->status = status_of(item, s);
    item->time_ns = s->time_ns;
    item->steps = solve_steps(s);
    if (!item->solved && s->n_programs > 0) {
        snprintf(item->reason, sizeof item->reason, "%u of %d training pairs right", item->train_right,
                 s->task->n_train);
    }
    return good;
}

static bool copy_task(void *user, size_t k, ResultTask *item) {
    ApiSolveJob *job = user;
    return keep_task(&job->session.results[k], item, job->attempts);
}

static void finished(void *user, Ctx *ctx, size_t item, bool cut) {
    ApiSolveJob *job = user;
    (void)ctx;
    if (!cut) {
        solve_store_task(&job->keep, item);
    }
    watch_found(&job->watch, "solve", job->attempts, item, copy_task, job);
    if (job->session.results[item].rounds <= 1) {
        watch_tick(&job->watch);
    }
}

/* ---- a limit by the clock ---- */

/* Passes on the caller's flag, and ends the search at the deadline. */
static void *keep_time(void *user) {
    ApiSolveJob *job = user;
    pthread_mutex_lock(&job->lock);
    while (!job->over) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&job->ended, &job->lock, &until);
        if (watch_stopped(&job->watch) || (job->deadline_ns != 0 && clock_now_ns() >= job->deadline_ns)) {
            stop_request(&job->stop);
        }
    }
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

static void run_in_time(ApiSolveJob *job) {
    if (job->session.limits.stop != &job->stop || pthread_create(&job->timer, NULL, keep_time, job) != 0) {
        session_run(&job->session); /* tasks keep to their share of the time */
        return;
    }
    session_run(&job->session);
    pthread_mutex_lock(&job->lock);
    job->over = true;
    pthread_cond_signal(&job->ended);
    pthread_mutex_unlock(&job->lock);
    pthread_join(job->timer, NULL);
}

/* As batt solve does: a twentieth of the time is kept for the results, and all tasks share what is left. */
static void share_time(ApiSolveJob *job, uint64_t begin_ns) {
    const uint64_t total = job->options.total_nanoseconds, min_margin = 50000000, max_margin = 30000000000;
    uint64_t margin = total / 20 < min_margin   ? min_margin
                      : total / 20 < max_margin ? total / 20
                                                : max_margin;
    job->deadline_ns = begin_ns + (margin < total ? total - margin : total);
    if (job->options.nanoseconds == 0) {
        uint64_t now = clock_now_ns(), left = job->deadline_ns > now ? job->deadline_ns - now : 0;
        double each =
            (double)left * job->session.cpu_slots / (double)(job->session.n_tasks ? job->session.n_tasks : 1);
        job->session.limits.time_ns = each > 1e6 ? (uint64_t)each : 1000000;
        job->session.deadline_ns = job->deadline_ns;
    }
}

/* ---- options ---- */

/* Calls `take` for every part of "a,b"; false as soon as it is. */
static bool each_part(ApiSolveJob *job, batt_context *c, const char *list,
                      bool (*take)(ApiSolveJob *job, batt_context *c, const char *part)) {
    char part[200];
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), at);
        if (!take(job, c, part)) {
            return false;
        }
        at += length + (at[length] == ',');
    }
    return true;
}

static bool leave_out(ApiSolveJob *job, batt_context *c, const char *name) {
    for (unsigned k = 0; k < STRATEGY_COUNT; k++) {
        if (strcmp(name, strategy_names[k]) == 0) {
            job->session.limits.without |= 1u << k;
            return true;
        }
    }
    api_fault(c, BATT_BAD_ARGUMENT, "there is no strategy '%.60s'", name);
    return false;
}

static bool set_number(ApiSolveJob *job, batt_context *c, const char *setting) {
    char why[256];
    if (!tunables_set(&job->tunables, setting, why, sizeof why)) {
        api_fault(c, BATT_BAD_ARGUMENT, "%s", why);
        return false;
    }
    return true;
}

static bool open_device(ApiSolveJob *job, batt_context *c) {
    if (!api_device_open(c, job->options.device, &job->backend)) {
        return false;
    }
    job->session.limits.backend = job->backend;
    backend_set_stop(job->backend, &job->stop);
    return true;
}

static bool search(ApiSolveJob *job, batt_context *c, const batt_tasks *tasks, batt_results *r) {
    enum { MEMORY = 1 << 30, SECONDS = 5 };
    const batt_solve_options *o = &job->options;
    char why[256];
    uint64_t begin_ns = clock_now_ns();
    bool own = o->total_nanoseconds != 0 || o->device != NULL; /* not only the caller may stop the search */
    job->tunables = tunables_default;
    job->idioms = idioms_builtin(why, sizeof why);
    job->library = library_open();
    if (job->idioms == NULL || job->library == NULL || (!o->without_own && !own_idioms(c, job->idioms))) {
        api_no_memory(c);
        return false;
    }
    uint64_t time_ns = o->steps ? 0 : o->nanoseconds ? o->nanoseconds : SECONDS * UINT64_C(1000000000);
    job->session.limits = (SearchLimits){.steps = o->steps,
                                         .time_ns = time_ns,
                                         .stop = own ? &job->stop : watch_stop(&job->watch),
                                         .tunables = &job->tunables,
                                         .idioms = job->idioms,
                                         .own_idioms = job->idioms->own};
    job->session.hooks = (SessionHooks){.user = job, .finished = finished};
    job->session.tasks = tasks->tasks;
    job->session.n_tasks = tasks->n_tasks;
    job->session.split = o->split ? o->split : 1;
    if (!each_part(job, c, o->without, leave_out) || !each_part(job, c, o->set, set_number) ||
        !open_device(job, c)) {
        return false;
    }
    if (!session_open(&job->session, job->watch.job.jobs, o->bytes ? o->bytes : MEMORY)) {
        api_no_memory(c);
        return false;
    }
    if (o->total_nanoseconds != 0) {
        share_time(job, begin_ns);
    }
    bool good = prepare(job, c, tasks);
    if (good) {
        phase_enter(&job->watch.phases, PHASE_EXECUTE);
        run_in_time(job);
        phase_enter(&job->watch.phases, PHASE_REPORT);
        for (size_t k = 0; k < tasks->n_tasks && good; k++) {
            good = keep_task(&job->session.results[k], &r->items[k], r->attempts);
        }
        r->figures[0].name = "tasks_resumed";
        r->figures[0].number = job->keep.n_resumed;
        r->figures[1].name = "tasks_searched_again";
        r->figures[1].number = job->session.n_again;
        if (job->keep.lacking.programs > 0) {
            r->figures[2].name = "stored_programs_skipped"; /* they lack primitives of one's own */
            r->figures[2].number = job->keep.lacking.programs;
        }
        if (!good) {
            api_no_memory(c);
        }
    }
    if (!solve_store_close(&job->keep) && good) {
        api_fault(c, BATT_BAD_STORE, "%s", job->keep.error);
        good = false;
    }
    return good;
}

batt_results *batt_solve(batt_context *c, const batt_tasks *tasks, const batt_solve_options *options,
                         const batt_job *how) {
    ApiSolveJob job = {0};
    if (!api_begin(c) || !job_options(c, tasks, options, &job.options, sizeof job.options)) {
        return NULL;
    }
    job.attempts = job.options.attempts ? job.options.attempts : 2;
    if (job.attempts > SOLVE_ATTEMPTS) {
        return api_fault(c, BATT_BAD_ARGUMENT, "%u attempts are more than %d", job.attempts, SOLVE_ATTEMPTS);
    }
    if (job.options.total_nanoseconds != 0 && job.options.steps != 0) {
        return api_fault(c, BATT_BAD_ARGUMENT, "a wall-clock limit cannot be combined with a limit in steps");
    }
    if (job.options.split > SUBSEARCHES_MAX) {
        return api_fault(c, BATT_BAD_ARGUMENT, "%u subsearches are more than %d", job.options.split,
                         SUBSEARCHES_MAX);
    }
    if (job.options.bytes != 0 && job.options.bytes < 1 << 24) {
        return api_fault(c, BATT_BAD_ARGUMENT, "a worker needs 16 MB or more");
    }
    pthread_mutex_init(&job.lock, NULL);
    pthread_cond_init(&job.ended, NULL);
    batt_results *r =
        watch_begin(&job.watch, c, how, tasks) ? results_new(c, "solve", tasks, job.attempts) : NULL;
    bool good = r != NULL && search(&job, c, tasks, r);
    good = watch_end(&job.watch, c, good ? r : NULL) && good;
    session_close(&job.session);
    good = api_device_close(c, job.backend, good);
    pthread_cond_destroy(&job.ended);
    pthread_mutex_destroy(&job.lock);
    library_close(job.library);
    idioms_free(job.idioms);
    return results_or_none(r, good);
}
