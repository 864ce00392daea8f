/* Evaluates programs on tasks and judges the answers; see run.h. */
#include "search/run/run.h"

#include "base/alloc.h"
#include "engine/eval/eval.h"
#include "engine/language/own.h"
#include "search/run/run_internal.h"
#include "search/run/run_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sample_verdict_names[SAMPLE_NOT_RUN + 1] = {[SAMPLE_RIGHT] = "right",
                                                              [SAMPLE_WRONG] = "wrong",
                                                              [SAMPLE_WRONG_SIZE] = "wrong size",
                                                              [SAMPLE_NOT_GRID] = "not a grid",
                                                              [SAMPLE_FAILED] = "failed",
                                                              [SAMPLE_OVER_BUDGET] = "out of budget",
                                                              [SAMPLE_UNKNOWN] = "answer unknown",
                                                              [SAMPLE_NOT_RUN] = "not run"};

const char *const run_phase_names[RUN_PHASES] = {"first", "more", "judge"};

enum { KEPT_BYTES = 64 << 20 };

const TaskPair *run_pair(const Task *task, uint32_t sample) {
    uint32_t train = (uint32_t)task->n_train;
    return sample < train ? &task->train[sample] : &task->test[sample - train];
}

Val run_samples_value(Ctx *ctx, const Task *task) {
    uint32_t n = (uint32_t)task->n_train;
    Val *pairs = val_buffer(ctx, n);
    if (pairs == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        pairs[k] = val_tuple2(ctx, eval_grid(task->train[k].in), eval_grid(task->train[k].out));
        if (val_failed(pairs[k])) {
            return pairs[k];
        }
    }
    return val_tuple(ctx, pairs, n);
}

void run_parameters(Ctx *ctx, const Task *task, const TaskPair *pair, unsigned nparams, Val *params) {
    Val input = eval_grid(pair->in);
    if (nparams == 3) {
        params[0] = run_samples_value(ctx, task);
        params[1] = input;
        params[2] = input;
    } else {
        params[0] = input;
    }
}

bool run_answer(Val v, int32_t max_side, Image *image) {
    if (v.kind != VAL_GRID8 || v.n > (uint32_t)max_side || v.w > max_side || v.w == 0) {
        return false;
    }
    *image = (Image){.h = (int32_t)v.n, .w = v.w, .cells = v.b8};
    return task_image_valid(*image, max_side);
}

SampleVerdict run_judge_image(Val v, const TaskPair *pair, Image *got) {
    if (val_failed(v)) {
        return v.w >= FAIL_STEPS ? SAMPLE_OVER_BUDGET : SAMPLE_FAILED;
    }
    if (!run_answer(v, TASK_MAX_SIDE, got)) {
        return SAMPLE_NOT_GRID;
    }
    if (!pair->has_output) {
        return SAMPLE_UNKNOWN;
    }
    if (got->h != pair->out.h || got->w != pair->out.w) {
        return SAMPLE_WRONG_SIZE;
    }
    return task_image_equal(*got, pair->out) ? SAMPLE_RIGHT : SAMPLE_WRONG;
}

SampleVerdict run_judge(Val v, const TaskPair *pair) {
    Image got;
    return run_judge_image(v, pair, &got);
}

static void sum_up(RunTask *r) {
    uint32_t train = (uint32_t)r->task->n_train;
    r->train_right = r->test_right = r->test_known = 0;
    for (uint32_t k = 0; k < r->n_samples; k++) {
        bool right = r->samples[k].verdict == SAMPLE_RIGHT;
        if (k < train) {
            r->train_right += right;
        } else {
            r->test_right += right;
            r->test_known += run_pair(r->task, k)->has_output;
        }
    }
    r->fits = r->train_right == train;
    r->solved = r->fits && r->test_right == r->test_known && (r->test_known > 0 || r->task->n_test == 0);
}

/* Discards everything of a task that was not completed. */
static void drop(RunTask *r, bool no_memory) {
    run_free(r, 1);
    *r = (RunTask){.task = r->task, .n_samples = r->n_samples, .no_memory = no_memory, .cut = !no_memory};
}

static void try_task(Worker *worker, size_t item) {
    const TasksJob *job = worker->shared;
    const RunSpec *spec = job->spec;
    RunTask *r = &job->results[item];
    *r = (RunTask){.task = spec->tasks[item]};
    r->n_samples = (uint32_t)(r->task->n_train + r->task->n_test);
    const RunMatch *match = spec->matches != NULL ? &spec->matches[item] : NULL;
    if (spec->n_programs == 0 || (match != NULL && match->count == 0)) {
        return;
    }
    r->samples = mem_zalloc(r->n_samples, sizeof *r->samples);
    if (r->samples == NULL) {
        drop(r, true);
        return;
    }
    run_schedule(worker, spec, match, job->levels, r);
    if (r->no_memory || r->cut) {
        drop(r, r->no_memory);
    } else {
        sum_up(r);
    }
}

static void report_done(const RunSpec *spec, size_t task) {
    if (spec->done != NULL) {
        spec->done(spec->user, task);
    }
}

static void run_one(Worker *worker, size_t item) {
    const TasksJob *job = worker->shared;
    const RunSpec *spec = job->spec;
    const RunHooks *hooks = spec->hooks;
    item += job->first;
    if (hooks != NULL && hooks->begin != NULL) {
        hooks->begin(hooks->user, worker, item);
    }
    if (!job->device_failed) {
        try_task(worker, item);
    } else {
        job->results[item] = (RunTask){.task = spec->tasks[item]};
        job->results[item].n_samples = (uint32_t)(spec->tasks[item]->n_train + spec->tasks[item]->n_test);
        drop(&job->results[item], false);
    }
    if (hooks != NULL && hooks->end != NULL) {
        hooks->end(hooks->user, worker, item, &job->results[item]);
    }
    if (!ranks_is_root(spec->ranks)) {
        Out out;
        out_init(&out);
        run_pack(&out, spec, &job->results[item]);
        ranks_result(spec->ranks, item, &out);
        out_free(&out);
        return;
    }
    if (spec->ranks != NULL) {
        ranks_claim(spec->ranks, item, 0);
    }
    report_done(spec, item);
}

/* Takes the result of another rank; nobody here works on that task. */
static bool unpack(void *user, size_t item, unsigned from, Wire *wire) {
    const TasksJob *job = user;
    RunTask result;
    if (!run_unpack(&result, job->spec, job->spec->tasks[item], wire)) {
        return false;
    }
    if (ranks_claim(job->spec->ranks, item, from)) {
        job->results[item] = result;
        report_done(job->spec, item);
    } else {
        run_free(&result, 1);
    }
    return true;
}

static size_t run_all(Pool *pool, TasksJob *job, const Stop *stop) {
    Ranks *ranks = job->spec->ranks;
    size_t n = job->spec->n_tasks, begun = 0;
    RanksLoop loop = {.units = n, .threads = pool->count, .stop = stop, .user = job, .unpack = unpack};
    if (ranks == NULL) {
        return pool_run(pool, n, run_one, job, stop);
    }
    if (ranks_loop_begin(ranks, &loop)) {
        pool->source = ranks_source(ranks);
        begun = pool_run(pool, n, run_one, job, stop);
        pool->source = NULL;
        ranks_loop_end(ranks);
    }
    return begun;
}

size_t run_tasks(Pool *pool, const RunSpec *spec, RunTask *results, const Stop *stop) {
    TasksJob job = {.spec = spec, .results = results};
    for (unsigned k = 0; k < pool->count; k++) {
        pool->workers[k].ctx.stop = stop;
        if (spec->matches == NULL) { /* passes over all programs fill the arena again and again */
            ctx_keep_bytes(&pool->workers[k].ctx, KEPT_BYTES);
        }
    }
    size_t begun =
        run_can_use_levels(spec) ? run_by_levels(pool, &job, run_one, stop) : run_all(pool, &job, stop);
    for (unsigned k = 0; k < pool->count; k++) {
        pool->workers[k].ctx.stop = NULL;
    }
    return begun;
}

void run_free(RunTask *results, size_t n_tasks) {
    for (size_t k = 0; k < n_tasks; k++) {
        mem_free(results[k].samples);
        mem_free(results[k].cells);
        mem_free(results[k].cutoffs);
    }
}

/* ---- totals and words ---- */

static void count_verdicts(const RunTask *r, RunTotals *t) {
    for (uint32_t k = 0; k < r->n_samples; k++) {
        bool known = run_pair(r->task, k)->has_output;
        t->samples += known;
        if (r->samples == NULL) {
            continue;
        }
        switch ((SampleVerdict)r->samples[k].verdict) {
        case SAMPLE_RIGHT:
            t->samples_right++;
            break;
        case SAMPLE_WRONG:
            t->wrong++;
            break;
        case SAMPLE_WRONG_SIZE:
            t->wrong_size++;
            break;
        case SAMPLE_NOT_GRID:
            t->not_grid++;
            break;
        case SAMPLE_FAILED:
            t->failed++;
            break;
        case SAMPLE_OVER_BUDGET:
            t->over_budget++;
            break;
        default:
            break;
        }
    }
}

RunTotals run_totals(const RunTask *results, size_t n_tasks) {
    RunTotals t = {.tasks = n_tasks};
    size_t scored = 0;
    for (size_t k = 0; k < n_tasks; k++) {
        const RunTask *r = &results[k];
        size_t known = 0;
        for (int32_t x = 0; x < r->task->n_test; x++) {
            known += r->task->test[x].has_output;
        }
        t.matched += r->program != NULL;
        t.tasks_solved += r->solved;
        t.fits_only += r->program != NULL && r->fits && !r->solved && known > 0;
        t.answered += r->program != NULL && r->fits && !r->solved && known == 0;
        t.no_memory += r->no_memory;
        t.cut += r->cut;
        t.tasks_cut_off += r->n_cutoffs > 0;
        for (size_t x = 0; x < r->n_cutoffs; x++) {
            t.cut_off += r->cutoffs[x].samples;
            t.cut_off_steps += r->cutoffs[x].steps;
        }
        t.outputs += known;
        t.outputs_right += r->test_right;
        if (known > 0) {
            t.mean_share += (double)r->test_right / (double)known;
            scored++;
        }
        count_verdicts(r, &t);
    }
    t.mean_share = scored > 0 ? t.mean_share / (double)scored : 0;
    return t;
}

static int by_samples(const void *left, const void *right) {
    const RunCause *a = left, *b = right;
    if (a->samples != b->samples) {
        return a->samples < b->samples ? 1 : -1;
    }
    return a->reason != b->reason ? a->reason - b->reason : a->prim - b->prim;
}

size_t run_causes(const RunTask *results, size_t n_tasks, RunCause *causes, size_t room) {
    enum { PRIMS = PRIM_COUNT + 1 };
    RunCause counts[FAIL_REASONS * PRIMS] = {0};
    size_t found = 0;
    for (size_t k = 0; k < n_tasks; k++) {
        for (uint32_t x = 0; results[k].samples != NULL && x < results[k].n_samples; x++) {
            const RunSample *s = &results[k].samples[x];
            if (s->verdict == SAMPLE_FAILED || s->verdict == SAMPLE_OVER_BUDGET) {
                uint16_t prim = s->prim <= PRIM_COUNT ? s->prim : 0; /* else one of one's own */
                RunCause *cause = &counts[s->reason * PRIMS + prim];
                *cause = (RunCause){s->reason, prim, cause->samples + 1};
            }
        }
    }
    qsort(counts, FAIL_REASONS * PRIMS, sizeof *counts, by_samples);
    while (found < FAIL_REASONS * PRIMS && counts[found].samples > 0) {
        if (found < room) {
            causes[found] = counts[found];
        }
        found++;
    }
    return found;
}

uint32_t run_known(const RunTask *r) {
    uint32_t known = 0;
    for (uint32_t k = 0; k < (uint32_t)(r->task->n_train + r->task->n_test); k++) {
        known += run_pair(r->task, k)->has_output;
    }
    return known;
}

const char *run_status(const RunTask *r) {
    if (r->no_memory) {
        return "no memory";
    }
    if (r->cut) {
        return "interrupted";
    }
    if (r->program == NULL) {
        return "no program";
    }
    if (r->solved) {
        return "solved";
    }
    if (r->fits) {
        return r->test_known > 0 ? "training only" : "answered";
    }
    for (uint32_t k = 0; k < r->n_samples; k++) {
        if (r->samples[k].verdict == SAMPLE_OVER_BUDGET) {
            return "out of budget";
        }
        if (r->samples[k].verdict == SAMPLE_FAILED) {
            return "failed";
        }
    }
    return "wrong";
}

void run_failure(const Program *program, const RunSample *s, char *text, size_t room) {
    const char *where = own_failed_in(program, s->prim);
    char in[64] = "", line[32] = "";
    if (where[0] != '\0') {
        snprintf(in, sizeof in, " in %s", where);
    }
    if (s->line != 0) {
        snprintf(line, sizeof line, ", line %u", s->line);
    }
    snprintf(text, room, "%s%s%s%s",
             s->verdict == SAMPLE_OVER_BUDGET ? "out of " : "failed: ", reason_name((Reason)s->reason), in,
             line);
}

void run_reason(const RunTask *r, char *text, size_t room) {
    uint32_t wrong = 0, wrong_size = 0, not_grid = 0;
    text[0] = '\0';
    if (r->no_memory || r->program == NULL) {
        snprintf(text, room, "%s", run_status(r));
        return;
    }
    for (uint32_t k = 0; k < r->n_samples; k++) {
        const RunSample *s = &r->samples[k];
        if (s->verdict == SAMPLE_FAILED || s->verdict == SAMPLE_OVER_BUDGET) {
            run_failure(r->program, s, text, room);
            return;
        }
        wrong += s->verdict == SAMPLE_WRONG;
        wrong_size += s->verdict == SAMPLE_WRONG_SIZE;
        not_grid += s->verdict == SAMPLE_NOT_GRID;
    }
    if (not_grid > 0) {
        snprintf(text, room, "%u of %u not a grid", not_grid, r->n_samples);
    } else if (wrong_size > 0) {
        snprintf(text, room, "%u of %u of the wrong size", wrong_size, r->n_samples);
    } else if (wrong > 0) {
        snprintf(text, room, "%u of %u with wrong cells", wrong, r->n_samples);
    } else if (!r->solved) {
        snprintf(text, room, "the right answer is unknown");
    }
}
