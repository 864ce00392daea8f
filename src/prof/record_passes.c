/* Warm-up and passes; see record_passes.h. */
#include "prof/record_passes.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "exec/eval.h"
#include "prof/quantiles.h"
#include "prof/record_ticks.h"

#include <stdatomic.h>

typedef struct PassTimes { /* of one task in one pass, in ticks */
    uint64_t execute, validate, setup;
} PassTimes;

typedef struct Pass {
    const PassPlan *plan;
    Profile *profile;
    PassTimes *times;   /* by task */
    atomic_bool failed; /* no memory for a battery's values */
} Pass;

uint64_t passes_nodes(const PassPlan *plan) {
    enum { A_TASK = 96, MOST = 1 << 22 };
    uint64_t nodes = 65536 + A_TASK * (uint64_t)plan->run.n_tasks;
    return nodes < MOST ? nodes : MOST;
}

/* What judging found out in a pass; every pass finds the same. */
static void note(ProfTask *task, Val v) {
    task->evaluations++;
    if (val_failed(v) && v.w >= FAIL_STEPS) {
        task->over_budget++;
        task->reason = reason_name((Reason)v.w);
    }
}

static bool evaluate(Worker *worker, const RunPlan *plan, const Program *program, const Task *task,
                     PassTimes *times, ProfTask *to) {
    Ctx *ctx = &worker->ctx;
    uint32_t n = (uint32_t)(task->n_train + task->n_test), right = 0;
    prim_bind(ctx, (Mode)program->mode, plan->safe);
    uint64_t last = prof_ticks();
    for (uint32_t k = 0; k < n; k++) {
        const TaskPair *pair = run_pair(task, k);
        Val params[3];
        ctx_reset(ctx);
        run_parameters(ctx, task, pair, program->nparams, params);
        uint64_t start = prof_ticks();
        Val v = eval_program(ctx, program, params);
        uint64_t end = prof_ticks();
        SampleVerdict verdict = run_judge(v, pair);
        right += verdict == SAMPLE_RIGHT || verdict == SAMPLE_UNKNOWN;
        note(to, v);
        uint64_t judged = prof_ticks();
        times->setup += start - last;
        times->execute += end - start;
        times->validate += judged - end;
        last = judged;
    }
    return right == n;
}

static bool evaluate_battery(Worker *worker, const RunPlan *plan, const Task *task, PassTimes *times,
                             ProfTask *to) {
    uint32_t nodes = battery_nodes(plan->battery), n = (uint32_t)(task->n_train + task->n_test);
    BatteryRun run = {.values = mem_array(nodes, sizeof *run.values),
                      .steps = mem_array(nodes, sizeof *run.steps)};
    bool good = run.values != NULL && run.steps != NULL, solved = false;
    uint64_t last = prof_ticks();
    prim_bind(&worker->ctx, (Mode)plan->programs[0]->mode, plan->safe);
    uint32_t *right = good ? mem_zalloc(plan->n_programs, sizeof *right) : NULL;
    for (uint32_t k = 0; right != NULL && k < n; k++) {
        const TaskPair *pair = run_pair(task, k);
        Val params[3];
        ctx_reset(&worker->ctx);
        run_parameters(&worker->ctx, task, pair, plan->programs[0]->nparams, params);
        uint64_t start = prof_ticks();
        battery_run(plan->battery, &worker->ctx, params, &run);
        uint64_t end = prof_ticks();
        Val worst = val_int(0);
        for (size_t p = 0; p < plan->n_programs; p++) {
            Val v = battery_answer(plan->battery, &worker->ctx, &run, (int)p, NULL);
            right[p] += run_judge(v, pair) == SAMPLE_RIGHT;
            solved |= right[p] == n;
            worst = val_failed(v) && v.w >= FAIL_STEPS ? v : worst;
        }
        note(to, worst);
        uint64_t judged = prof_ticks();
        times->setup += start - last;
        times->execute += end - start;
        times->validate += judged - end;
        last = judged;
    }
    to->solved = solved;
    good = right != NULL;
    mem_free(right);
    mem_free(run.values);
    mem_free(run.steps);
    return good;
}

static void pass_item(Worker *worker, size_t item) {
    Pass *pass = worker->shared;
    const RunPlan *plan = &pass->plan->run;
    ProfTask *to = &pass->profile->tasks[item];
    PassTimes *times = &pass->times[item];
    *times = (PassTimes){0};
    to->evaluations = to->over_budget = 0;
    to->solved = false;
    if (plan->matches == NULL) {
        if (!evaluate_battery(worker, plan, plan->tasks[item], times, to)) {
            pass->failed = true;
        }
        return;
    }
    for (uint32_t k = 0; k < plan->matches[item].count; k++) {
        const Program *program = plan->programs[plan->matches[item].programs[k]];
        to->solved |= evaluate(worker, plan, program, plan->tasks[item], times, to);
    }
}

static bool begin_tasks(Profile *p, const RunPlan *plan) {
    size_t n = plan->n_tasks;
    p->tasks = profile_alloc(p, n, sizeof *p->tasks);
    double *times = profile_alloc(p, 3 * n * p->repeats, sizeof *times);
    if (p->tasks == NULL || times == NULL || n >= UINT32_MAX) {
        return false;
    }
    p->n_tasks = (uint32_t)n;
    for (size_t k = 0; k < n; k++) {
        ProfTask *task = &p->tasks[k];
        task->id = profile_text(p, plan->tasks[k]->id);
        task->reason = "";
        task->execute_ns = times + 3 * k * p->repeats;
        task->validate_ns = task->execute_ns + p->repeats;
        task->seen_ns = task->validate_ns + p->repeats;
        task->weight = 1;
        for (uint32_t x = 0; x < (uint32_t)(plan->tasks[k]->n_train + plan->tasks[k]->n_test); x++) {
            Image in = run_pair(plan->tasks[k], x)->in;
            uint32_t cells = (uint32_t)(in.h * in.w);
            task->cells = cells > task->cells ? cells : task->cells;
        }
        if (task->id == NULL) {
            return false;
        }
    }
    return true;
}

static uint64_t busy_ns(const Pool *pool) {
    uint64_t sum = 0;
    for (unsigned k = 0; k < pool->count; k++) {
        sum += pool->workers[k].busy_ns;
    }
    return sum;
}

/* The pass without stamps: times of the tasks, and where the workers' other time went. */
static bool plain_pass(Profile *p, Profiler *profiler, Pass *pass, uint32_t repeat,
                       const volatile sig_atomic_t *stop) {
    Pool *pool = profiler->pool;
    size_t n = pass->plan->run.n_tasks;
    profiler->pause = true;
    uint64_t busy = busy_ns(pool), start = clock_now_ns();
    if (pool_run(pool, n, pass_item, pass, stop) < n || pass->failed) {
        return false;
    }
    double wall = (double)(clock_now_ns() - start), inside = 0;
    double tick = prof_ns_per_tick(profiler);
    busy = busy_ns(pool) - busy;
    for (size_t k = 0; k < n; k++) {
        const PassTimes *t = &pass->times[k];
        p->tasks[k].execute_ns[repeat] = (double)t->execute * tick;
        p->tasks[k].validate_ns[repeat] = (double)t->validate * tick;
        p->tasks[k].setup_ns += (double)t->setup * tick / p->repeats;
        p->work_ns[WORK_SETUP] += (double)t->setup * tick / p->repeats;
        inside += (double)(t->setup + t->execute + t->validate) * tick;
    }
    p->pass_ns[repeat] = wall;
    p->work_ns[WORK_HANDOUT] += ((double)busy - inside) / p->repeats;
    p->work_ns[WORK_IDLE] += (wall * pool->count - (double)busy) / p->repeats;
    return true;
}

static bool measured_pass(Profile *p, Profiler *profiler, Pass *pass, uint32_t repeat, uint64_t *evaluated,
                          const volatile sig_atomic_t *stop) {
    size_t n = pass->plan->run.n_tasks;
    prof_clear(profiler);
    profiler->pause = false;
    if (pool_run(profiler->pool, n, pass_item, pass, stop) < n || pass->failed) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        evaluated[k] = pass->times[k].execute;
    }
    return profile_add_pass(p, profiler, repeat, evaluated);
}

bool passes_run(Profile *p, Profiler *profiler, const PassPlan *plan, const volatile sig_atomic_t *stop) {
    size_t n = plan->run.n_tasks;
    Pass pass = {.plan = plan, .profile = p, .times = mem_zalloc(n, sizeof *pass.times)};
    uint64_t *evaluated = mem_array(n, sizeof *evaluated);
    bool good = pass.times != NULL && evaluated != NULL && begin_tasks(p, &plan->run);
    profiler->everything = true;
    profiler->pause = true;
    p->warmup = plan->warmup;
    for (uint32_t k = 0; good && k < plan->warmup; k++) {
        good = pool_run(profiler->pool, n, pass_item, &pass, stop) == n && !pass.failed;
    }
    for (uint32_t k = 0; good && k < plan->repeats; k++) {
        good = plain_pass(p, profiler, &pass, k, stop) &&
               (plan->level < PROF_TIMING || measured_pass(p, profiler, &pass, k, evaluated, stop));
    }
    good = good && profile_finish(p);
    for (uint32_t k = 0; good && k < p->n_tasks; k++) {
        p->work_ns[WORK_JUDGE] += stats_mean(p->tasks[k].validate_ns, p->repeats);
        for (uint32_t r = 0; r < p->tasks[k].n_rows; r++) {
            const ProfRow *row = &p->tasks[k].rows[r];
            p->names[row->name].calls += row->calls;
            p->names[row->name].fails += row->fails;
        }
    }
    mem_free(pass.times);
    mem_free(evaluated);
    return good;
}
