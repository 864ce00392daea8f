/* batt_evolve: evolution over tasks. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/mix.h"
#include "engine/eval/eval.h"
#include "engine/language/build.h"
#include "search/persistence/evolve_store.h"
#include "tools/api/own.h"
#include "tools/api/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct ApiEvolveJob {
    Watch watch;
    batt_evolve_options options;
    Evolve evolve;
    Differs differs;
    EvolveStore link;
    uint64_t *best; /* by task: the hash of the best program that was reported */
    Backend *backend;
    bool open;
} ApiEvolveJob;

static bool add_founders(ApiEvolveJob *job) {
    const batt_programs *founders = job->options.founders;
    if (founders == NULL) {
        return evolve_add_primitives(&job->evolve, (Mode)job->options.mode);
    }
    bool good = true;
    for (size_t k = 0; k < founders->list.count && good; k++) {
        Program *copy = prog_strip(founders->list.items[k]);
        good = copy != NULL && evolve_add_founder(&job->evolve, copy);
    }
    return good;
}

static void describe(const ApiEvolveJob *job, const EvolveOptions *o, char *text, size_t size) {
    uint64_t programs = 0; /* kept in stores, which know a run by it */
    const batt_programs *founders = job->options.founders;
    for (size_t k = 0; k < batt_programs_count(founders); k++) {
        programs = (programs ^ founders->list.items[k]->hash.lo) * MIX_FACTOR;
    }
    const batt_programs *differs = job->options.differs;
    for (size_t k = 0; k < batt_programs_count(differs); k++) {
        programs = (programs ^ differs->list.items[k]->hash.lo) * MIX_FACTOR;
    }
    snprintf(text, size,
             "{\"command\":\"evolve\",\"seed\":%" PRIu64
             ",\"children\":%u,\"population\":%u,\"max_calls\":%u,"
             "\"max_steps\":%" PRIu64 ",\"mode\":\"%s\",\"programs\":\"%016" PRIx64 "\"}",
             o->seed, o->children, o->population, o->max_calls, o->budget.steps,
             job->options.mode == BATT_MODE_BATT ? "batt" : "core", programs);
}

/* Begins the run, or continues one from the store. False with the fault set. */
static bool prepare(ApiEvolveJob *job, batt_context *c, const batt_tasks *tasks) {
    bool found = false;
    char settings[512], note[200] = "";
    size_t stored;
    EvolveStore *link = &job->link;
    if (job->options.store != NULL) {
        describe(job, &job->evolve.options, settings, sizeof settings);
        link->own = own_prims(c);
        if (!evolve_store_open(link, job->options.store, settings, batt_tasks_hash(tasks),
                               watch_stop(&job->watch)) ||
            !evolve_store_resume(link, &job->evolve, &found, note, sizeof note)) {
            api_fault(c, BATT_BAD_STORE, "%s", link->error);
            return false;
        }
    }
    if (!found && !add_founders(job)) {
        api_no_memory(c);
        return false;
    }
    if (!found && link->store != NULL &&
        (!evolve_store_founders(link, &job->evolve, &stored) ||
         !evolve_store_begin(link, job->evolve.options.seed))) {
        api_fault(c, BATT_BAD_STORE, "%s", link->error);
        return false;
    }
    return true;
}

/* Runs the best program of a task for its answers. */
static bool answer(Ctx *ctx, const Program *program, ResultTask *item) {
    enum { CELLS = TASK_MAX_SIDE * TASK_MAX_SIDE };
    size_t tests = (size_t)item->task->n_test;
    Image *answers = mem_zalloc(tests, sizeof *answers);
    int8_t *cells = mem_array(tests, CELLS);
    bool good = answers != NULL && cells != NULL;
    prim_bind(ctx, (Mode)program->mode, false);
    for (size_t x = 0; x < tests && good; x++) {
        const TaskPair *pair = &item->task->test[x];
        Val params[3];
        ctx_reset(ctx);
        run_parameters(ctx, item->task, pair, program->nparams, params);
        Val v = eval_program(ctx, program, params);
        SampleVerdict verdict = run_judge(v, pair);
        item->test_known += pair->has_output;
        item->test_right += verdict == SAMPLE_RIGHT;
        if (verdict <= SAMPLE_WRONG_SIZE || verdict == SAMPLE_UNKNOWN) {
            memcpy(cells + x * CELLS, v.b8, (size_t)v.n * v.w);
            answers[x] = (Image){(int32_t)v.n, v.w, cells + x * CELLS};
        }
    }
    good = good && result_keep_answers(item, answers, 1);
    mem_free(answers);
    mem_free(cells);
    return good;
}

static bool keep_task(ApiEvolveJob *job, const EvolveTask *t, ResultTask *item) {
    Ctx *ctx = &job->evolve.pool.workers[0].ctx;
    item->done = true;
    item->status = "no program";
    for (uint32_t k = 0, kept = 0; k < t->count && kept < 3; k++) {
        if (evolve_shadowed(t, k)) {
            continue;
        }
        const EvolveMember *m = &t->members[k];
        if (!result_add_program(item, prog_strip(m->program), "evolve", (uint32_t)m->exact, 0, m->steps) ||
            (kept++ == 0 && !answer(ctx, m->program, item))) {
            return false;
        }
    }
    if (t->count > 0) {
        item->train_right = (uint32_t)t->members[0].exact;
        bool fits = item->train_right == (uint32_t)item->task->n_train;
        item->solved =
            fits && item->test_right == item->test_known && (item->test_known > 0 || item->task->n_test == 0);
        item->status = item->solved            ? "solved"
                       : !fits                 ? "wrong"
                       : item->test_known == 0 ? "answered"
                                               : "training only";
        item->steps = t->members[0].steps;
        item->time_ns = t->members[0].time_ns;
        item->reason[0] = '\0';
        if (!item->solved) {
            snprintf(item->reason, sizeof item->reason, "%u of %d training pairs right", item->train_right,
                     item->task->n_train);
        }
    }
    return true;
}

static bool copy_task(void *user, size_t k, ResultTask *item) {
    ApiEvolveJob *job = user;
    return keep_task(job, &job->evolve.tasks[k], item);
}

/* After a generation: the tasks whose best program is another one. */
static void report_found(ApiEvolveJob *job) {
    for (size_t k = 0; job->watch.job.found != NULL && k < job->evolve.n_tasks; k++) {
        const EvolveTask *t = &job->evolve.tasks[k];
        if (t->count > 0 && t->members[0].program->hash.lo != job->best[k]) {
            job->best[k] = t->members[0].program->hash.lo;
            watch_found(&job->watch, "evolve", 1, k, copy_task, job);
        }
    }
}

static bool generations(ApiEvolveJob *job, batt_context *c) {
    enum { SECONDS = 60 };
    const batt_evolve_options *o = &job->options;
    uint64_t time = o->nanoseconds ? o->nanoseconds : o->generations ? 0 : SECONDS * UINT64_C(1000000000);
    uint64_t deadline = time ? clock_now_ns() + time : 0;
    job->watch.total = o->generations;
    while (!watch_stopped(&job->watch) &&
           (o->generations == 0 || job->evolve.figures.generation < o->generations) &&
           (deadline == 0 || clock_now_ns() < deadline)) {
        if (!evolve_generation(&job->evolve, watch_stop(&job->watch))) {
            if (watch_stopped(&job->watch)) {
                break;
            }
            api_no_memory(c);
            return false;
        }
        if (job->link.store != NULL && !evolve_store_save(&job->link, &job->evolve, false)) {
            api_fault(c, BATT_BAD_STORE, "%s", job->link.error);
            return false;
        }
        report_found(job);
        watch_tick(&job->watch);
    }
    return true;
}

static bool evolve_all(ApiEvolveJob *job, batt_context *c, const batt_tasks *tasks, batt_results *r) {
    const batt_evolve_options *o = &job->options;
    EvolveOptions wanted = EVOLVE_OPTIONS_DEFAULT;
    char why[300] = "";
    wanted.seed = o->seed ? o->seed : wanted.seed;
    wanted.children = o->children ? o->children : wanted.children;
    wanted.population = o->population ? o->population : wanted.population;
    wanted.max_calls = o->max_calls ? o->max_calls : wanted.max_calls;
    wanted.budget.steps = o->max_steps ? o->max_steps : wanted.budget.steps;
    wanted.jobs = job->watch.job.jobs;
    wanted.examined = o->store != NULL;
    const batt_programs *more = o->differs;
    size_t n_more = batt_programs_count(more);
    for (size_t k = 0; k < n_more; k++) {
        if (!differ_is_good(more->list.items[k], why, sizeof why)) {
            api_fault(c, BATT_BAD_ARGUMENT, "%s", why);
            return false;
        }
    }
    const Program *const *items = n_more > 0 ? (const Program *const *)more->list.items : NULL;
    if (!differs_open(&job->differs, true, items, n_more, why, sizeof why)) {
        api_fault(c, BATT_NO_MEMORY, "%s", why);
        return false;
    }
    wanted.backend = job->backend;
    job->best = mem_zalloc(tasks->n_tasks, sizeof *job->best);
    job->open =
        job->best != NULL && evolve_open(&job->evolve, &wanted, tasks->tasks, tasks->n_tasks, &job->differs);
    if (!job->open) {
        api_no_memory(c);
        return false;
    }
    if (!watch_pool(&job->watch, c, &job->evolve.pool) || !prepare(job, c, tasks)) {
        return false;
    }
    for (unsigned k = 0; job->watch.attached && k < job->evolve.pool.count; k++) {
        prof_add_ctx(&job->watch.profiler, k, evolve_scratch_scoring(job->evolve.scratches, k));
    }
    phase_enter(&job->watch.phases, PHASE_EXECUTE);
    bool good = generations(job, c);
    phase_enter(&job->watch.phases, PHASE_REPORT);
    const EvolveFigures *f = &job->evolve.figures;
    char figures[200];
    const uint64_t numbers[] = {f->generation, COUNTED(&f->statistics, CANDIDATES),
                                COUNTED(&f->statistics, EVALUATIONS), f->fits, f->sound};
    static const char *const names[] = {"generation", "candidates", "evaluations", "tasks_fitting",
                                        "tasks_sound"};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        r->figures[k].name = names[k];
        r->figures[k].number = numbers[k];
    }
    snprintf(figures, sizeof figures, "{\"generation\": %" PRIu64 ", \"candidates\": %" PRIu64 "}",
             f->generation, COUNTED(&f->statistics, CANDIDATES));
    for (size_t k = 0; k < tasks->n_tasks && good; k++) {
        good = keep_task(job, &job->evolve.tasks[k], &r->items[k]);
        if (!good) {
            api_no_memory(c);
        }
    }
    if (good && job->link.store != NULL && !evolve_store_close(&job->link, &job->evolve, figures)) {
        api_fault(c, BATT_BAD_STORE, "%s", job->link.error);
        good = false;
    }
    return good;
}

batt_results *batt_evolve(batt_context *c, const batt_tasks *tasks, const batt_evolve_options *options,
                          const batt_job *how) {
    ApiEvolveJob job = {0};
    if (!api_begin(c) || !job_options(c, tasks, options, &job.options, sizeof job.options)) {
        return NULL;
    }
    if ((job.options.children != 0 && job.options.children < 8) || job.options.children > 1 << 20 ||
        (job.options.population != 0 && job.options.population < EVOLVE_CLASSES) ||
        job.options.population > 4096) {
        return api_fault(c, BATT_BAD_ARGUMENT, "children are 8 to 1048576, a population %d to 4096",
                         EVOLVE_CLASSES);
    }
    if (job.options.max_calls > 1000) {
        return api_fault(c, BATT_BAD_ARGUMENT, "programs have at most 1000 calls");
    }
    if (job.options.mode != BATT_MODE_CORE && job.options.mode != BATT_MODE_BATT) {
        return api_fault(c, BATT_BAD_ARGUMENT, "mode is BATT_MODE_CORE or BATT_MODE_BATT");
    }
    batt_results *r = watch_begin(&job.watch, c, how, tasks) ? results_new(c, "evolve", tasks, 1) : NULL;
    bool good =
        r != NULL && api_device_open(c, job.options.device, &job.backend) && evolve_all(&job, c, tasks, r);
    good = watch_end(&job.watch, c, good ? r : NULL) && good;
    if (job.link.store != NULL) { /* after an error */
        evolve_store_close(&job.link, &job.evolve, NULL);
    }
    if (job.open) {
        evolve_close(&job.evolve);
    }
    differs_close(&job.differs);
    good = api_device_close(c, job.backend, good);
    mem_free(job.best);
    return results_or_none(r, good);
}
