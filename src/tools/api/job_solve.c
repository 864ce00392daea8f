/* batt_solve: search over tasks. */
#include "base/alloc.h"
#include "search/learning/idioms.h"
#include "search/persistence/solve_store.h"
#include "search/schedule/tunables.h"
#include "search/session/session.h"
#include "search/strategies/library.h"
#include "tools/api/results.h"

#include <string.h>

typedef struct ApiSolveJob {
    Watch watch;
    batt_solve_options options;
    Session session;
    IdiomSet *idioms;
    Library *library;
    SolveStore keep;
} ApiSolveJob;

static void finished(void *user, Ctx *ctx, size_t item, bool cut) {
    ApiSolveJob *job = user;
    (void)ctx;
    if (!cut) {
        solve_store_task(&job->keep, item);
    }
    if (job->session.results[item].rounds <= 1) {
        watch_tick(&job->watch);
    }
}

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
        if (!solve_store_open(&job->keep, ctx)) {
            api_fault(c, BATT_BAD_STORE, "%s", job->keep.error);
            return false;
        }
    }
    if (!job->options.without_library) {
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

static bool keep_task(SolveTask *s, ResultTask *item, unsigned attempts) {
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
        SolveProgram *program = &s->programs[p];
        good = result_add_program(item, program->program, strategy_names[program->strategy], program->right,
                                  program->cost, program->steps);
        program->program = NULL; /* the results have it now */
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

static bool search(ApiSolveJob *job, batt_context *c, const batt_tasks *tasks, batt_results *r) {
    enum { MEMORY = 1 << 30, SECONDS = 5 };
    const batt_solve_options *o = &job->options;
    Tunables tunables = tunables_default;
    char why[256];
    job->idioms = idioms_builtin(why, sizeof why);
    job->library = library_open();
    if (job->idioms == NULL || job->library == NULL) {
        api_no_memory(c);
        return false;
    }
    uint64_t time_ns = o->steps ? 0 : o->nanoseconds ? o->nanoseconds : SECONDS * UINT64_C(1000000000);
    job->session.limits = (SearchLimits){.steps = o->steps,
                                         .time_ns = time_ns,
                                         .stop = watch_stop(&job->watch),
                                         .tunables = &tunables,
                                         .idioms = job->idioms};
    job->session.hooks = (SessionHooks){.user = job, .finished = finished};
    job->session.tasks = tasks->tasks;
    job->session.n_tasks = tasks->n_tasks;
    if (!session_open(&job->session, job->watch.job.jobs, o->bytes ? o->bytes : MEMORY)) {
        api_no_memory(c);
        return false;
    }
    bool good = prepare(job, c, tasks);
    if (good) {
        phase_enter(&job->watch.phases, PHASE_EXECUTE);
        session_run(&job->session);
        phase_enter(&job->watch.phases, PHASE_REPORT);
        for (size_t k = 0; k < tasks->n_tasks && good; k++) {
            good = keep_task(&job->session.results[k], &r->items[k], r->attempts);
        }
        r->figures[0].name = "resumed";
        r->figures[0].number = job->keep.n_resumed;
        r->figures[1].name = "searched_again";
        r->figures[1].number = job->session.n_again;
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
    unsigned attempts = job.options.attempts ? job.options.attempts : 2;
    if (attempts > SOLVE_ATTEMPTS) {
        return api_fault(c, BATT_BAD_ARGUMENT, "%u attempts are more than %d", attempts, SOLVE_ATTEMPTS);
    }
    if (job.options.bytes != 0 && job.options.bytes < 1 << 24) {
        return api_fault(c, BATT_BAD_ARGUMENT, "a worker needs 16 MB or more");
    }
    batt_results *r =
        watch_begin(&job.watch, c, how, tasks) ? results_new(c, "solve", tasks, attempts) : NULL;
    bool good = r != NULL && search(&job, c, tasks, r);
    good = watch_end(&job.watch, c, good ? r : NULL) && good;
    session_close(&job.session);
    library_close(job.library);
    idioms_free(job.idioms);
    return results_or_none(r, good);
}
