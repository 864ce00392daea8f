/* The programs of one task, with budgets in stages.
 *
 * First every program gets a small budget on every sample: as one battery, or one by one. Most answers are
 * there by then. A program that was cut off gets more, in levels, only where that can still change the
 * outcome: while it is right on all training pairs that it finished, and if, being right on the others too,
 * it would stand for the task in place of the best one known. It starts with its smallest grid, where being
 * wrong is found out soonest. Everything is counted in steps, so nothing depends on clocks or threads; at the
 * last level a program has the whole budget, so a task is solved if it would be with the whole budget for
 * all. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/slab.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
#include "search/run/run_internal.h"

#include <stdlib.h>
#include <string.h>

enum { GROWTH = 64 }; /* of the budget from level to level */

typedef struct Standing { /* of one program on the task */
    uint32_t train_right;
    bool wrong;     /* on a training pair, for good: more steps would not help */
    uint64_t score; /* sum over the training pairs */
} Standing;

typedef struct Schedule {
    Worker *worker;
    const RunSpec *spec;
    RunTask *r;
    const RunMatch *match;   /* NULL: all programs */
    const RunLevels *levels; /* the battery's answers; NULL: it has to be run */
    uint32_t n, train;       /* programs, training pairs */
    uint64_t first, most;    /* steps of the first and the last level */
    RunSample *samples;      /* n_samples for each program; one that was cut off has its budget as steps */
    uint64_t *scores;        /* by program, over the training pairs; NULL: not scored */
    uint64_t *tests;         /* and over the tests, where those are scored */
    uint32_t *by_place;      /* programs */
    uint32_t *by_area;       /* training pairs, the smallest input first */
    Slab grids;              /* of the samples, if they are kept */
} Schedule;

/* ---- hooks ---- */

static size_t item_of(const Schedule *s) {
    return (size_t)(s->r - ((const TasksJob *)s->worker->shared)->results);
}

static void hook_ready(const Schedule *s) {
    const RunHooks *hooks = s->spec->hooks;
    if (hooks != NULL && hooks->ready != NULL) {
        hooks->ready(hooks->user, s->worker, item_of(s));
    }
}

/* Whether the evaluation that just ended is to be repeated. */
static bool hook_evaluated(const Schedule *s) {
    const RunHooks *hooks = s->spec->hooks;
    return hooks != NULL && hooks->evaluated != NULL &&
           hooks->evaluated(hooks->user, s->worker, item_of(s)) && !ctx_stopped(&s->worker->ctx);
}

static void hook_judged(const Schedule *s, Val worst) {
    const RunHooks *hooks = s->spec->hooks;
    if (hooks != NULL && hooks->judged != NULL) {
        hooks->judged(hooks->user, s->worker, item_of(s), worst);
    }
}

/* ---- one answer ---- */

static size_t index_of(const Schedule *s, size_t p) {
    return s->match != NULL ? s->match->programs[p] : p;
}

static const Program *program_of(const Schedule *s, size_t p) {
    return s->spec->programs[index_of(s, p)];
}

static RunSample *sample_of(const Schedule *s, size_t p, uint32_t k) {
    return &s->samples[p * s->r->n_samples + k];
}

/* Whether a sample was cut off and could be finished with more steps. */
static bool is_open(const Schedule *s, const RunSample *sample) {
    return sample->verdict == SAMPLE_OVER_BUDGET && sample->reason == FAIL_STEPS && sample->steps < s->most;
}

/* A value that failed for lack of budget, if that is final. */
static Val final_failure(const Schedule *s, Val v) {
    bool over = val_failed(v) && v.w >= FAIL_STEPS;
    return over && (v.w != FAIL_STEPS || s->worker->ctx.budget.steps >= s->most) ? v : val_int(0);
}

static bool is_scored(const Schedule *s, uint32_t k) {
    return s->scores != NULL &&
           (k < s->train || (s->spec->scoring->sum && run_pair(s->r->task, k)->has_output));
}

/* Notes a program's answer to a sample. */
static void note(Schedule *s, size_t p, uint32_t k, Val v, uint64_t steps, uint64_t ns) {
    RunSample *sample = sample_of(s, p, k);
    const TaskPair *pair = run_pair(s->r->task, k);
    Image got = {0};
    *sample = (RunSample){
        .verdict = (uint8_t)run_judge_image(v, pair, &got), .steps = steps, .time_ns = ns, .got = {0}};
    if (val_failed(v)) {
        sample->reason = (uint8_t)v.w;
        sample->prim = (uint16_t)v.n;
        sample->line = (uint32_t)v.i;
        sample->steps = v.w == FAIL_STEPS ? s->worker->ctx.budget.steps : steps;
    }
    if (is_scored(s, k) && sample->verdict != SAMPLE_OVER_BUDGET) {
        const RunScoring *scoring = s->spec->scoring;
        uint64_t *sum = k < s->train ? &s->scores[p] : &s->tests[p];
        *sum += (uint64_t)scoring->score(scoring->user, s->worker, index_of(s, p), v);
    }
    if (s->spec->keep_grids && got.cells != NULL) {
        size_t area = (size_t)(got.h * got.w);
        int8_t *copy = slab_alloc(&s->grids, area);
        if (copy == NULL) {
            s->r->no_memory = true;
            return;
        }
        memcpy(copy, got.cells, area);
        sample->got = (Image){got.h, got.w, copy};
    }
}

static void begin_scoring(const Schedule *s, uint32_t k) {
    if (is_scored(s, k)) {
        const RunScoring *scoring = s->spec->scoring;
        scoring->begin(scoring->user, s->worker, s->r->task, run_pair(s->r->task, k));
    }
}

static void set_steps(Schedule *s, uint64_t steps) {
    Budget budget = s->worker->ctx.budget;
    budget.steps = steps;
    ctx_set_budget(&s->worker->ctx, &budget);
}

/* Evaluates one program on one sample with at most this many steps. False: stopped. */
static bool run_alone(Schedule *s, size_t p, uint32_t k, uint64_t steps) {
    const Program *program = program_of(s, p);
    Ctx *ctx = &s->worker->ctx;
    Val params[3], v;
    uint64_t start;
    bool recorded;
    ASSERT(program->nparams == 1 || program->nparams == 3, "%s has %u parameters", program->name,
           program->nparams);
    prim_bind(ctx, (Mode)program->mode, s->spec->safe);
    set_steps(s, steps);
    do {
        ctx_reset(ctx);
        start = clock_now_ns();
        recorded = scope_record_begin(ctx, SCOPE_SETUP);
        run_parameters(ctx, s->r->task, run_pair(s->r->task, k), program->nparams, params);
        scope_record_end(ctx, recorded);
        hook_ready(s);
        v = eval_program(ctx, program, params);
    } while (hook_evaluated(s));
    if (ctx_stopped(ctx)) {
        s->r->cut = true;
        return false;
    }
    uint64_t ns = clock_now_ns() - start;
    s->r->time_ns += ns;
    recorded = scope_record_begin(ctx, SCOPE_JUDGE);
    begin_scoring(s, k);
    note(s, p, k, v, ctx_steps_used(ctx), ns);
    COUNT(&ctx->statistics, SAMPLES, 1);
    scope_record_end(ctx, recorded);
    hook_judged(s, final_failure(s, v));
    return !s->r->no_memory;
}

/* ---- many programs at once ---- */

typedef struct Group { /* programs that run as one battery */
    const Battery *battery;
    const uint32_t *programs; /* by handle; NULL: the handle itself */
    uint32_t n;
    BatteryRun pass;
} Group;

static bool group_room(Group *g) {
    uint32_t nodes = battery_nodes(g->battery);
    g->pass.values = mem_array(nodes, sizeof *g->pass.values);
    g->pass.steps = mem_array(nodes, sizeof *g->pass.steps);
    return g->pass.values != NULL && g->pass.steps != NULL;
}

static void group_free(Group *g) {
    mem_free(g->pass.values);
    mem_free(g->pass.steps);
}

static uint32_t member(const Group *g, uint32_t x) {
    return g->programs != NULL ? g->programs[x] : x;
}

/* Judges what the battery answered to a sample. The memory of a pass is for all programs together: those that
 * found none are left as they were, to be run alone. */
static void judge_pass(Schedule *s, const Group *g, uint32_t k, uint64_t ns, uint8_t *hungry) {
    Ctx *ctx = &s->worker->ctx;
    bool recorded = scope_record_begin(ctx, SCOPE_JUDGE);
    Val worst = val_int(0);
    begin_scoring(s, k);
    for (uint32_t x = 0; x < g->n && !s->r->no_memory; x++) {
        uint64_t steps;
        Val v = battery_answer(g->battery, ctx, &g->pass, (int)x, &steps);
        hungry[x] = val_failed(v) && v.w == FAIL_MEMORY;
        if (!hungry[x]) {
            Val final = final_failure(s, v);
            worst = val_failed(final) ? final : worst;
            note(s, member(g, x), k, v, steps, ns / g->n);
        }
    }
    COUNT(&ctx->statistics, SAMPLES, 1);
    scope_record_end(ctx, recorded);
    hook_judged(s, worst);
}

/* Runs a group on a sample with at most this many steps for each program. False: stopped, or no memory. */
static bool run_group(Schedule *s, Group *g, uint32_t k, uint64_t steps) {
    Ctx *ctx = &s->worker->ctx;
    Val params[3];
    uint64_t start;
    set_steps(s, steps);
    do {
        ctx_reset(ctx);
        start = clock_now_ns();
        run_parameters(ctx, s->r->task, run_pair(s->r->task, k), program_of(s, member(g, 0))->nparams,
                       params);
        hook_ready(s);
        battery_run(g->battery, ctx, params, &g->pass);
    } while (hook_evaluated(s));
    uint64_t ns = clock_now_ns() - start;
    s->r->time_ns += ns;
    s->r->cut = ctx_stopped(ctx);
    uint8_t *hungry = mem_zalloc(g->n, 1);
    s->r->no_memory |= hungry == NULL;
    bool good = !s->r->cut && hungry != NULL;
    if (good) {
        judge_pass(s, g, k, ns, hungry);
        good = !s->r->no_memory;
    }
    for (uint32_t x = 0; x < g->n && good; x++) {
        good = !hungry[x] || run_alone(s, member(g, x), k, steps);
    }
    mem_free(hungry);
    return good;
}

/* ---- the first level ---- */

static bool run_battery(Schedule *s) {
    Group g = {.battery = s->spec->battery, .n = s->n};
    bool good = group_room(&g);
    s->r->no_memory |= !good;
    for (uint32_t k = 0; k < s->r->n_samples && good; k++) {
        good = run_group(s, &g, k, s->first);
    }
    group_free(&g);
    return good;
}

/* An answer that a device judged; its grid stays there. */
static void note_judged(Schedule *s, size_t p, uint32_t k, const LevelsAnswer *answer) {
    *sample_of(s, p, k) = (RunSample){
        .verdict = (uint8_t)answer->verdict, .steps = answer->steps, .time_ns = s->levels->sample_ns / s->n};
}

/* The battery's answers to a sample, worked out by levels. What was left is run alone. */
static bool take_levels(Schedule *s) {
    uint32_t first = s->levels->first[item_of(s)] - s->levels->offset;
    bool good = true;
    set_steps(s, s->first);
    s->r->time_ns += s->levels->sample_ns * s->r->n_samples;
    for (uint32_t k = 0; k < s->r->n_samples && good; k++) {
        COUNT(&s->worker->ctx.statistics, SAMPLES, 1);
        for (uint32_t p = 0; p < s->n && good; p++) {
            LevelsAnswer answer = levels_answer(s->levels->levels, first + k, (int)p);
            if (answer.left) {
                good = run_alone(s, p, k, s->first);
            } else if (answer.verdict >= 0) {
                note_judged(s, p, k, &answer);
            } else {
                note(s, p, k, answer.value, answer.steps, s->levels->sample_ns / s->n);
                good = !s->r->no_memory;
            }
        }
    }
    return good;
}

/* Brings down the chosen program's answers that are still on a device; those that are right are known. */
static bool fetch_answers(Schedule *s, uint32_t best) {
    bool good = true;
    for (uint32_t k = 0; s->levels != NULL && s->spec->keep_grids && k < s->r->n_samples && good; k++) {
        RunSample *sample = sample_of(s, best, k);
        const TaskPair *pair = run_pair(s->r->task, k);
        bool grid = sample->verdict <= SAMPLE_WRONG_SIZE || sample->verdict == SAMPLE_UNKNOWN;
        if (!grid || sample->got.cells != NULL) {
            continue;
        }
        if (sample->verdict == SAMPLE_RIGHT) {
            sample->got = pair->out;
            continue;
        }
        int8_t *cells = slab_alloc(&s->grids, LEVELS_MAX_CELLS);
        uint32_t at = s->levels->first[item_of(s)] - s->levels->offset + k;
        s->r->no_memory |= cells == NULL;
        good = cells != NULL && levels_grid(s->levels->levels, at, (int)best, &sample->got, cells);
        s->r->cut |= cells != NULL && !good;
    }
    return good;
}

static bool run_each(Schedule *s) {
    bool good = true;
    for (uint32_t p = 0; p < s->n; p++) {
        for (uint32_t k = 0; k < s->r->n_samples && good; k++) {
            good = run_alone(s, p, k, s->first);
        }
    }
    return good;
}

/* ---- more for some ---- */

static Standing standing_of(const Schedule *s, uint32_t p) {
    Standing standing = {.score = s->scores != NULL ? s->scores[p] : 0};
    for (uint32_t k = 0; k < s->train; k++) {
        const RunSample *sample = sample_of(s, p, k);
        standing.train_right += sample->verdict == SAMPLE_RIGHT;
        standing.wrong |= sample->verdict != SAMPLE_RIGHT && !is_open(s, sample);
    }
    return standing;
}

/* Which of two equally good programs is first. */
static bool comes_before(const Schedule *s, uint32_t p, uint32_t other) {
    const uint32_t *places = s->spec->places;
    uint32_t calls = program_of(s, p)->nops, other_calls = program_of(s, other)->nops;
    if (places != NULL) {
        return places[index_of(s, p)] < places[index_of(s, other)];
    }
    return calls != other_calls ? calls < other_calls : p < other;
}

/* Whether a program stands for the task rather than another; if_right: supposing that it is right on all that
 * it was cut off on. */
static bool is_better(const Schedule *s, uint32_t p, uint32_t other, bool if_right) {
    Standing a = standing_of(s, p), b = standing_of(s, other);
    if (if_right) {
        a.score += s->scores != NULL ? (uint64_t)(s->train - a.train_right) * RUN_SCORE_MAX : 0;
        a.train_right = s->train;
    }
    if (a.train_right != b.train_right) {
        return a.train_right > b.train_right;
    }
    if (a.score != b.score) {
        return a.score > b.score;
    }
    return comes_before(s, p, other);
}

static uint32_t best_of(const Schedule *s) {
    uint32_t best = 0;
    for (uint32_t p = 1; p < s->n; p++) {
        best = is_better(s, p, best, false) ? p : best;
    }
    return best;
}

/* Whether more steps for a program could make it the one that stands for the task. */
static bool can_matter(const Schedule *s, uint32_t p, uint32_t best) {
    Standing standing = standing_of(s, p);
    return !standing.wrong && standing.train_right < s->train && is_better(s, p, best, true);
}

/* The pair that a program is to be tried on next: the smallest that it was cut off on; s->train: none. */
static uint32_t next_pair(const Schedule *s, uint32_t p, uint64_t steps) {
    for (uint32_t x = 0; x < s->train; x++) {
        const RunSample *sample = sample_of(s, p, s->by_area[x]);
        if (is_open(s, sample)) {
            return sample->steps < steps ? s->by_area[x] : s->train;
        }
    }
    return s->train;
}

/* Runs some programs on a training pair; as one battery, because those that take long often do so in the same
 * calls. False: stopped, or no memory. */
static bool try_together(Schedule *s, const uint32_t *programs, uint32_t n, uint32_t k, uint64_t steps) {
    if (n == 1 || s->spec->battery == NULL) {
        bool good = true;
        for (uint32_t x = 0; x < n && good; x++) {
            good = run_alone(s, programs[x], k, steps);
        }
        return good;
    }
    const Program *one = program_of(s, programs[0]);
    Battery *battery = battery_new((Mode)one->mode, s->spec->safe, one->nparams, true);
    Group g = {.battery = battery, .programs = programs, .n = n};
    bool good = battery != NULL;
    set_steps(s, steps);
    ctx_reset(&s->worker->ctx);
    for (uint32_t x = 0; x < n && good; x++) {
        good = battery_add(battery, &s->worker->ctx, program_of(s, programs[x])) >= 0;
    }
    good = good && group_room(&g);
    s->r->no_memory |= !good;
    good = good && run_group(s, &g, k, steps);
    group_free(&g);
    battery_free(battery);
    return good;
}

/* One level: pair by pair, the programs that can matter and come to this pair next. */
static bool try_level(Schedule *s, uint32_t *best, uint64_t steps, uint32_t *programs) {
    for (uint32_t x = 0; x < s->train; x++) {
        uint32_t k = s->by_area[x], n = 0;
        for (uint32_t y = 0; y < s->n; y++) {
            uint32_t p = s->by_place[y];
            if (can_matter(s, p, *best) && next_pair(s, p, steps) == k) {
                programs[n++] = p;
            }
        }
        if (n > 0 && !try_together(s, programs, n, k, steps)) {
            return false;
        }
        for (uint32_t y = 0; y < n; y++) {
            *best = is_better(s, programs[y], *best, false) ? programs[y] : *best;
        }
    }
    return true;
}

static bool second_chances(Schedule *s, uint32_t *best) {
    uint32_t *programs = mem_array(s->n, sizeof *programs);
    bool good = programs != NULL;
    s->r->no_memory |= !good;
    for (uint64_t steps = s->first; good && steps < s->most;) {
        steps = steps < s->most / GROWTH / 4 ? steps * GROWTH : s->most;
        good = try_level(s, best, steps, programs);
    }
    mem_free(programs);
    return good;
}

/* ---- the result ---- */

/* The chosen program's tests get the whole budget. A battery does not know lines: where it failed, the
 * program is asked for the line. */
static bool complete(Schedule *s, uint32_t best) {
    bool good = true;
    for (uint32_t k = 0; k < s->r->n_samples && good; k++) {
        const RunSample *sample = sample_of(s, best, k);
        bool test = k >= s->train && is_open(s, sample);
        bool lineless = s->match == NULL && sample->verdict == SAMPLE_FAILED && sample->line == 0;
        uint64_t score = s->scores != NULL ? s->scores[best] : 0,
                 tests = s->scores != NULL ? s->tests[best] : 0;
        good = !(test || lineless) || run_alone(s, best, k, s->most);
        if (s->scores != NULL && !test) { /* this was counted before */
            s->scores[best] = score;
            s->tests[best] = tests;
        }
    }
    return good;
}

static void count_solving(Schedule *s) {
    for (uint32_t p = 0; p < s->n; p++) {
        bool right = true;
        for (uint32_t k = 0; k < s->r->n_samples && right; k++) {
            right = sample_of(s, p, k)->verdict == SAMPLE_RIGHT || !run_pair(s->r->task, k)->has_output;
        }
        s->r->solving += right;
    }
}

/* How many samples each program got right, as far as more steps would not change that. */
static void count_right(const Schedule *s) {
    for (uint32_t p = 0; p < s->n && s->spec->right != NULL; p++) {
        uint32_t right = 0;
        bool open = false;
        for (uint32_t k = 0; k < s->r->n_samples; k++) {
            right += sample_of(s, p, k)->verdict == SAMPLE_RIGHT;
            open |= is_open(s, sample_of(s, p, k));
        }
        if (!open) {
            s->spec->right[index_of(s, p)] = right;
        }
    }
}

static RunCutoff cutoff_of(const Schedule *s, uint32_t p) {
    RunCutoff cutoff = {.program = program_of(s, p)};
    for (uint32_t k = 0; k < s->r->n_samples; k++) {
        const RunSample *sample = sample_of(s, p, k);
        if (sample->verdict == SAMPLE_OVER_BUDGET) {
            cutoff.samples++;
            cutoff.steps += sample->steps;
            cutoff.reason = sample->reason;
        }
    }
    return cutoff;
}

static bool list_cutoffs(const Schedule *s) {
    RunTask *r = s->r;
    size_t n = 0;
    for (uint32_t p = 0; p < s->n; p++) {
        n += cutoff_of(s, p).samples > 0;
    }
    r->cutoffs = n > 0 ? mem_array(n, sizeof *r->cutoffs) : NULL;
    for (uint32_t x = 0; x < s->n && r->cutoffs != NULL; x++) {
        RunCutoff cutoff = cutoff_of(s, s->by_place[x]);
        if (cutoff.samples > 0) {
            r->cutoffs[r->n_cutoffs++] = cutoff;
        }
    }
    return r->n_cutoffs == n;
}

static bool keep_best(Schedule *s, uint32_t best) {
    RunTask *r = s->r;
    size_t area = 0;
    memcpy(r->samples, sample_of(s, best, 0), r->n_samples * sizeof *r->samples);
    for (uint32_t k = 0; k < r->n_samples; k++) {
        area += (size_t)(r->samples[k].got.h * r->samples[k].got.w);
    }
    r->cells = s->spec->keep_grids ? mem_alloc(area > 0 ? area : 1) : NULL;
    if (s->spec->keep_grids && r->cells == NULL) {
        return false;
    }
    area = 0;
    for (uint32_t k = 0; k < r->n_samples; k++) {
        Image *got = &r->samples[k].got;
        if (got->cells != NULL) {
            memcpy(r->cells + area, got->cells, (size_t)(got->h * got->w));
            got->cells = r->cells + area;
            area += (size_t)(got->h * got->w);
        }
    }
    return true;
}

static void report(Schedule *s, uint32_t best) {
    RunTask *r = s->r;
    r->program = program_of(s, best);
    r->tried = s->n;
    r->scored = s->scores != NULL;
    r->score = !r->scored              ? 0
               : s->spec->scoring->sum ? (uint32_t)(s->scores[best] + s->tests[best])
                                       : (uint32_t)(s->scores[best] / s->train);
    ASSERT(r->score <= RUN_SCORE_MAX * r->n_samples, "score %u", r->score);
    count_solving(s);
    count_right(s);
    if (!list_cutoffs(s) || !keep_best(s, best)) {
        r->no_memory = true;
    }
}

/* ---- the schedule ---- */

static int by_place(const void *left, const void *right, void *schedule) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return comes_before(schedule, a, b) ? -1 : a != b;
}

static int by_area(const void *left, const void *right, void *task) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    Image x = run_pair(task, a)->in, y = run_pair(task, b)->in;
    return x.h * x.w != y.h * y.w ? x.h * x.w - y.h * y.w : (int)a - (int)b;
}

static bool open_schedule(Schedule *s) {
    size_t cells = (size_t)s->n * s->r->n_samples;
    s->samples = mem_zalloc(cells, sizeof *s->samples);
    s->by_place = mem_array(s->n, sizeof *s->by_place);
    s->by_area = mem_array(s->train, sizeof *s->by_area);
    s->scores = s->spec->scoring != NULL ? mem_zalloc(s->n, 2 * sizeof *s->scores) : NULL;
    s->tests = s->scores != NULL ? s->scores + s->n : NULL;
    if (s->samples == NULL || s->by_place == NULL || s->by_area == NULL ||
        (s->spec->scoring != NULL && s->scores == NULL)) {
        return false;
    }
    for (size_t k = 0; k < cells; k++) {
        s->samples[k].verdict = SAMPLE_NOT_RUN;
    }
    for (uint32_t p = 0; p < s->n; p++) {
        s->by_place[p] = p;
    }
    for (uint32_t k = 0; k < s->train; k++) {
        s->by_area[k] = k;
    }
    qsort_r(s->by_place, s->n, sizeof *s->by_place, by_place, s);
    qsort_r(s->by_area, s->train, sizeof *s->by_area, by_area, (void *)(uintptr_t)s->r->task);
    return true;
}

void run_schedule(Worker *worker, const RunSpec *spec, const RunMatch *match, const RunLevels *levels,
                  RunTask *r) {
    const Budget whole = worker->ctx.budget;
    Schedule s = {.worker = worker,
                  .spec = spec,
                  .r = r,
                  .match = match,
                  .levels = levels,
                  .n = match != NULL ? match->count : (uint32_t)spec->n_programs,
                  .train = (uint32_t)r->task->n_train,
                  .most = whole.steps};
    uint64_t start = clock_now_ns();
    s.first = spec->first_steps > 0 && spec->first_steps < s.most ? spec->first_steps : s.most;
    if (!open_schedule(&s)) {
        r->no_memory = true;
    } else if (match != NULL ? run_each(&s) : levels != NULL ? take_levels(&s) : run_battery(&s)) {
        uint32_t best = best_of(&s);
        r->phase_ns[RUN_PHASE_FIRST] = r->time_ns;
        if (second_chances(&s, &best) && complete(&s, best) && fetch_answers(&s, best)) {
            report(&s, best);
        }
        r->phase_ns[RUN_PHASE_MORE] = r->time_ns - r->phase_ns[RUN_PHASE_FIRST];
        uint64_t all = clock_now_ns() - start;
        r->phase_ns[RUN_PHASE_JUDGE] = all > r->time_ns ? all - r->time_ns : 0;
    }
    ctx_set_budget(&worker->ctx, &whole);
    mem_free(s.samples);
    mem_free(s.by_place);
    mem_free(s.by_area);
    mem_free(s.scores);
    slab_free(&s.grids);
}
