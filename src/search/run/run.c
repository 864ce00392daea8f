/* Evaluates programs on tasks and judges the answers; see run.h. */
#include "search/run/run.h"

#include "backends/devices/batch.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
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

typedef struct TasksJob {
    const RunSpec *spec;
    RunTask *results;
    Batch *batch; /* of the battery; NULL: no batched operations */
} TasksJob;

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

static SampleVerdict judge(Val v, const TaskPair *pair, Image *got) {
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
    return judge(v, pair, &got);
}

static void record(RunTask *r, uint32_t sample, Val v, uint64_t steps, uint64_t ns) {
    RunSample *s = &r->samples[sample];
    ASSERT(sample < r->n_samples, "sample %u of %u", sample, r->n_samples);
    Image got = {0};
    *s = (RunSample){
        .verdict = (uint8_t)judge(v, run_pair(r->task, sample), &got), .steps = steps, .time_ns = ns};
    if (val_failed(v)) {
        s->reason = (uint8_t)v.w;
        s->prim = (uint16_t)v.n;
        s->line = (uint32_t)v.i;
    }
    if (r->cells != NULL && got.cells != NULL) {
        int8_t *copy = r->cells + (size_t)sample * TASK_MAX_SIDE * TASK_MAX_SIDE;
        memcpy(copy, got.cells, (size_t)(got.h * got.w));
        s->got = (Image){got.h, got.w, copy};
    }
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

/* ---- hooks ---- */

static size_t item_of(const Worker *worker, const RunTask *r) {
    return (size_t)(r - ((const TasksJob *)worker->shared)->results);
}

static void hook_ready(const RunSpec *spec, Worker *worker, const RunTask *r) {
    if (spec->hooks != NULL && spec->hooks->ready != NULL) {
        spec->hooks->ready(spec->hooks->user, worker, item_of(worker, r));
    }
}

/* Whether the evaluation that just ended is to be repeated. */
static bool hook_evaluated(const RunSpec *spec, Worker *worker, const RunTask *r) {
    return spec->hooks != NULL && spec->hooks->evaluated != NULL &&
           spec->hooks->evaluated(spec->hooks->user, worker, item_of(worker, r)) &&
           !ctx_stopped(&worker->ctx);
}

static void hook_judged(const RunSpec *spec, Worker *worker, const RunTask *r, Val worst) {
    if (spec->hooks != NULL && spec->hooks->judged != NULL) {
        spec->hooks->judged(spec->hooks->user, worker, item_of(worker, r), worst);
    }
}

/* ---- programs one by one ---- */

static void run_alone(Worker *worker, const RunSpec *spec, const Program *program, RunTask *r) {
    Ctx *ctx = &worker->ctx;
    r->program = program;
    ASSERT(program->nparams == 1 || program->nparams == 3, "%s has %u parameters", program->name,
           program->nparams);
    prim_bind(ctx, (Mode)program->mode, spec->safe);
    for (uint32_t k = 0; k < r->n_samples; k++) {
        const TaskPair *pair = run_pair(r->task, k);
        Val params[3], v;
        uint64_t start;
        bool recorded;
        do {
            ctx_reset(ctx);
            start = clock_now_ns();
            recorded = scope_record_begin(ctx, SCOPE_SETUP);
            run_parameters(ctx, r->task, pair, program->nparams, params);
            scope_record_end(ctx, recorded);
            hook_ready(spec, worker, r);
            v = eval_program(ctx, program, params);
        } while (hook_evaluated(spec, worker, r));
        if (ctx_stopped(ctx)) {
            r->cut = true;
            return;
        }
        uint64_t ns = clock_now_ns() - start;
        recorded = scope_record_begin(ctx, SCOPE_JUDGE);
        record(r, k, v, ctx_steps_used(ctx), ns);
        COUNT(&ctx->statistics, SAMPLES, 1);
        scope_record_end(ctx, recorded);
        hook_judged(spec, worker, r, v);
        r->time_ns += r->samples[k].time_ns;
    }
    sum_up(r);
}

static void run_matches(Worker *worker, const RunSpec *spec, const RunMatch *match, RunTask *r) {
    const Program *best = NULL;
    uint32_t best_right = 0;
    for (uint32_t k = 0; k < match->count && !r->cut; k++) {
        const Program *program = spec->programs[match->programs[k]];
        run_alone(worker, spec, program, r);
        r->solving += r->solved;
        if (best == NULL || r->train_right > best_right ||
            (r->train_right == best_right && program->nops < best->nops)) {
            best = program;
            best_right = r->train_right;
        }
    }
    if (best != r->program && !r->cut) {
        run_alone(worker, spec, best, r);
    }
    r->tried = match->count;
}

/* ---- every program on the task, as one battery ---- */

typedef struct ProgramTally { /* of one program over a task's samples */
    uint32_t train_right, known_right;
    uint64_t score; /* sum over the training pairs */
} ProgramTally;

/* Whether program a stands for the task rather than b. */
static bool is_better(const RunSpec *spec, const ProgramTally *tallies, size_t a, size_t b) {
    const ProgramTally *x = &tallies[a], *y = &tallies[b];
    if (x->train_right != y->train_right) {
        return x->train_right > y->train_right;
    }
    return x->score != y->score ? x->score > y->score : spec->programs[a]->nops < spec->programs[b]->nops;
}

/* Runs the batched operations for all samples of a task. */
static bool run_batch(Worker *worker, const TasksJob *job, const Task *task, BatchRun *run,
                      uint64_t *waited) {
    uint32_t n = (uint32_t)(task->n_train + task->n_test);
    Image *inputs = mem_array(n, sizeof *inputs);
    bool good = inputs != NULL;
    for (uint32_t k = 0; k < n && good; k++) {
        inputs[k] = run_pair(task, k)->in;
    }
    good = good && batch_run(run, job->batch, job->spec->backend, &worker->ctx, inputs, n, waited);
    mem_free(inputs);
    return good;
}

/* `ready`: results of the batched operations; NULL: none. */
static void run_battery(Worker *worker, const RunSpec *spec, BatchRun *ready, RunTask *r) {
    uint32_t nodes = battery_nodes(spec->battery), train = (uint32_t)r->task->n_train, known = 0;
    const RunScoring *scoring = spec->scoring;
    BatteryRun pass = {.values = mem_array(nodes, sizeof *pass.values),
                       .steps = mem_array(nodes, sizeof *pass.steps)};
    ProgramTally *tallies = mem_zalloc(spec->n_programs, sizeof *tallies);
    if (pass.values == NULL || pass.steps == NULL || tallies == NULL) {
        r->no_memory = true;
        goto done;
    }
    for (uint32_t k = 0; k < r->n_samples; k++) {
        const TaskPair *pair = run_pair(r->task, k);
        known += pair->has_output;
        Val params[3];
        uint64_t start;
        do {
            ctx_reset(&worker->ctx);
            start = clock_now_ns();
            run_parameters(&worker->ctx, r->task, pair, spec->programs[0]->nparams, params);
            hook_ready(spec, worker, r);
            pass.ready = ready != NULL ? batch_ready(ready, k) : NULL;
            battery_run(spec->battery, &worker->ctx, params, &pass);
        } while (hook_evaluated(spec, worker, r));
        r->time_ns += clock_now_ns() - start;
        if (ctx_stopped(&worker->ctx)) {
            r->cut = true;
            goto done;
        }
        bool recorded = scope_record_begin(&worker->ctx, SCOPE_JUDGE);
        Val worst = val_int(0);
        bool scored = scoring != NULL && k < train;
        if (scored) {
            scoring->begin(scoring->user, worker, r->task, pair->out);
        }
        for (size_t p = 0; p < spec->n_programs; p++) {
            Image got;
            Val v = battery_answer(spec->battery, &worker->ctx, &pass, (int)p, NULL);
            worst = val_failed(v) && v.w >= FAIL_STEPS ? v : worst;
            bool right = judge(v, pair, &got) == SAMPLE_RIGHT;
            tallies[p].known_right += right;
            tallies[p].train_right += right && k < train;
            tallies[p].score += scored ? (uint64_t)scoring->score(scoring->user, worker, v) : 0;
        }
        scope_record_end(&worker->ctx, recorded);
        hook_judged(spec, worker, r, worst);
    }
    size_t best = 0;
    for (size_t p = 0; p < spec->n_programs; p++) {
        r->solving += tallies[p].known_right == known;
        best = is_better(spec, tallies, p, best) ? p : best;
    }
    /* gives the same answers as the battery, whose values are gone by now */
    run_alone(worker, spec, spec->programs[best], r);
    r->tried = (uint32_t)spec->n_programs;
    r->scored = scoring != NULL;
    r->score = (uint32_t)(tallies[best].score / train);
    ASSERT(r->score <= RUN_SCORE_MAX, "score %u", r->score);
done:
    mem_free(pass.values);
    mem_free(pass.steps);
    mem_free(tallies);
}

/* Discards everything of a task that was not completed. */
static void drop(RunTask *r, bool no_memory) {
    mem_free(r->samples);
    mem_free(r->cells);
    *r = (RunTask){.task = r->task, .n_samples = r->n_samples, .no_memory = no_memory, .cut = !no_memory};
}

/* While a task runs there is room for the largest possible answers; only the cells in use are kept. */
static void keep_cells(RunTask *r) {
    size_t used = 0;
    for (uint32_t k = 0; r->cells != NULL && k < r->n_samples; k++) {
        Image *got = &r->samples[k].got;
        size_t area = (size_t)(got->h * got->w);
        if (area > 0) {
            memmove(r->cells + used, got->cells, area);
            got->cells = r->cells + used;
            used += area;
        }
    }
    int8_t *less = r->cells != NULL ? mem_grow(r->cells, used, 1) : NULL;
    if (less == NULL) { /* keep it as it is, merely larger than necessary */
        return;
    }
    r->cells = less;
    for (uint32_t k = 0; k < r->n_samples; k++) {
        Image *got = &r->samples[k].got;
        if (got->cells != NULL) {
            got->cells = less;
            less += got->h * got->w;
        }
    }
}

static void try_task(Worker *worker, size_t item, BatchRun *ready) {
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
    r->cells = spec->keep_grids ? mem_array(r->n_samples, TASK_MAX_SIDE * TASK_MAX_SIDE) : NULL;
    if (r->samples == NULL || (spec->keep_grids && r->cells == NULL)) {
        drop(r, true);
        return;
    }
    for (uint32_t k = 0; k < r->n_samples; k++) {
        r->samples[k].verdict = SAMPLE_NOT_RUN;
    }
    if (match != NULL) {
        run_matches(worker, spec, match, r);
    } else {
        run_battery(worker, spec, ready, r);
    }
    if (r->cut) {
        drop(r, false);
    } else {
        keep_cells(r);
    }
}

static void report_done(const RunSpec *spec) {
    if (spec->done != NULL) {
        spec->done(spec->user);
    }
}

static void run_one(Worker *worker, size_t item) {
    const TasksJob *job = worker->shared;
    const RunSpec *spec = job->spec;
    const RunHooks *hooks = spec->hooks;
    BatchRun ready = {0};
    uint64_t waited = 0;
    backend_acquire_slot(spec->backend);
    bool batched = job->batch != NULL && backend_uses_device(spec->backend);
    bool good = !batched || run_batch(worker, job, spec->tasks[item], &ready, &waited);
    if (hooks != NULL && hooks->begin != NULL) {
        hooks->begin(hooks->user, worker, item);
    }
    if (good) {
        try_task(worker, item, batched ? &ready : NULL);
        job->results[item].time_ns += waited;
    } else { /* a device failed, and was to do it all the same; or there is no memory */
        job->results[item] = (RunTask){.task = spec->tasks[item]};
        job->results[item].n_samples = (uint32_t)(spec->tasks[item]->n_train + spec->tasks[item]->n_test);
        drop(&job->results[item], backend_failure(spec->backend) == NULL);
    }
    batch_run_free(&ready, spec->backend);
    backend_release_slot(spec->backend);
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
    report_done(spec);
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
        report_done(job->spec);
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
    if (spec->battery != NULL && spec->n_programs > 0 && backend_may_use_device(spec->backend)) {
        job.batch = batch_open(spec->battery, spec->programs[0]->nparams == 3 ? 1 : 0);
    }
    for (unsigned k = 0; k < pool->count; k++) {
        pool->workers[k].ctx.stop = stop;
    }
    size_t begun = run_all(pool, &job, stop);
    for (unsigned k = 0; k < pool->count; k++) {
        pool->workers[k].ctx.stop = NULL;
    }
    batch_free(job.batch);
    return begun;
}

void run_free(RunTask *results, size_t n_tasks) {
    for (size_t k = 0; k < n_tasks; k++) {
        mem_free(results[k].samples);
        mem_free(results[k].cells);
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
                RunCause *cause = &counts[s->reason * PRIMS + s->prim];
                *cause = (RunCause){s->reason, s->prim, cause->samples + 1};
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

void run_failure(const RunSample *s, char *text, size_t room) {
    char in[64] = "", line[32] = "";
    if (s->prim != 0) {
        snprintf(in, sizeof in, " in %s", prim_table[s->prim - 1].name);
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
            run_failure(s, text, room);
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
        snprintf(text, room, "the right answer is not known");
    }
}
