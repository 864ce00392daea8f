/* Turns the records of passes into a profile; see assemble_passes.h. */
#include "tools/profiler/assemble_passes.h"

#include "base/alloc.h"
#include "base/check.h"
#include "tools/profiler/quantiles.h"
#include "tools/profiler/record_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of deep passes: calls; ticks in failed calls, and in all. */
enum { RECORD_CALLS, RECORD_FAILED, RECORD_TOTAL, RECORD_FIELDS };

static size_t width(const PassSums *s) {
    return RECORD_FIELDS + 2 * (size_t)s->stride;
}
static double *record_of(const PassSums *s, uint32_t stack) {
    return s->records + stack * width(s);
}
static double *deep_of(const PassSums *s, uint32_t stack) {
    return record_of(s, stack) + RECORD_FIELDS;
}
static double *flat_of(const PassSums *s, uint32_t stack) {
    return deep_of(s, stack) + s->stride;
}

bool sums_open(PassSums *s, const Profile *p) {
    *s = (PassSums){.repeats = p->repeats,
                    .stride = p->repeats,
                    .flat_ns = mem_zalloc((size_t)p->n_tasks * p->repeats + 1, sizeof(double))};
    return s->flat_ns != NULL;
}

void sums_close(PassSums *s) {
    mem_free(s->records);
    mem_free(s->flat_ns);
}

static bool make_room(PassSums *s, uint32_t stacks) {
    if (stacks < s->room) {
        return true;
    }
    uint32_t room = 2 * stacks + 1024;
    double *more = mem_grow(s->records, room * width(s), sizeof *more);
    if (more == NULL) {
        return false;
    }
    memset(more + s->room * width(s), 0, (room - s->room) * width(s) * sizeof *more);
    s->records = more;
    s->room = room;
    return true;
}

static bool take_worker(PassSums *s, Profile *p, const ProfWorker *w, uint32_t repeat, bool deep, double tick,
                        uint32_t *stack) {
    stack[0] = 0;
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        const struct ProfKept *kept = deep ? &node->kept : &node->flat;
        bool is_item = node->key >= PROF_ITEM;
        stack[k] = 0;
        if (is_item ? node->key - PROF_ITEM >= p->n_tasks : stack[node->parent] == 0 || kept->calls <= 0) {
            continue;
        }
        stack[k] =
            profile_stack(p, stack[node->parent], is_item ? node->key - PROF_ITEM : node->key, is_item);
        if (stack[k] == 0 || !make_room(s, stack[k])) {
            return false;
        }
        if (!is_item && deep) {
            double *note = record_of(s, stack[k]);
            note[RECORD_CALLS] += kept->calls;
            note[RECORD_FAILED] += kept->failed * tick;
            note[RECORD_TOTAL] += kept->total * tick;
            deep_of(s, stack[k])[repeat] += kept->self * tick;
        } else if (!is_item) {
            flat_of(s, stack[k])[repeat] += kept->total * tick;
        }
    }
    return true;
}

bool sums_add(PassSums *s, Profile *p, const Profiler *profiler, uint32_t repeat, bool deep) {
    double tick = prof_ns_per_tick(profiler);
    bool good = true;
    p->ns_per_tick = tick;
    p->start_ticks = profiler->start_ticks;
    p->recorded = p->lost = 0;
    for (unsigned k = 0; good && k < profiler->pool->count; k++) {
        const ProfWorker *w = &profiler->workers[k];
        uint32_t *stack = mem_array(w->n_nodes, sizeof *stack);
        good = stack != NULL && take_worker(s, p, w, repeat, deep, tick, stack);
        mem_free(stack);
        p->recorded += w->recorded;
        p->lost += w->lost;
    }
    return good;
}

/* ---- what timestamps cost ---- */

typedef struct Costs {
    double inside[2][PRIM_COUNT]; /* ns between the timestamps of a call; flat, deep */
    double all, low, high;        /* ns that recording a call in a deep pass costs its caller's caller */
} Costs;

static void find_inside(Costs *c, const Profiler *profiler, double tick) {
    enum { ENOUGH = 32 };
    for (int deep = 0; deep < 2; deep++) {
        ProfEmpty all = {0}, each[PRIM_COUNT] = {{0}};
        for (unsigned w = 0; w < profiler->pool->count; w++) {
            for (uint32_t k = 0; k < PRIM_COUNT; k++) {
                const ProfEmpty *e = &profiler->workers[w].empty[deep][k];
                each[k].ticks += e->ticks;
                each[k].count += e->count;
                all.ticks += e->ticks;
                all.count += e->count;
            }
        }
        double usual = all.count > 0 ? (double)all.ticks / (double)all.count : profiler->cost.inside;
        for (uint32_t k = 0; k < PRIM_COUNT; k++) {
            /* a mean over few pairs is drawn towards the usual cost */
            double weight = (double)each[k].count / ((double)each[k].count + ENOUGH);
            double own = each[k].count > 0 ? (double)each[k].ticks / (double)each[k].count : usual;
            c->inside[deep][k] = (weight * own + (1 - weight) * usual) * tick;
        }
    }
}

typedef struct PassPlace { /* a call of a program that calls others */
    double cost, count;
} PassPlace;

static int by_cost(const void *left, const void *right) {
    double a = ((const PassPlace *)left)->cost, b = ((const PassPlace *)right)->cost;
    return (a > b) - (a < b);
}

static double weighted_quantile(const PassPlace *sorted, uint32_t n, double all, double q) {
    double sum = 0;
    for (uint32_t k = 0; k < n; k++) {
        sum += sorted[k].count;
        if (sum >= q * all) {
            return sorted[k].cost;
        }
    }
    return n > 0 ? sorted[n - 1].cost : NAN;
}

/* For each stack, its top: the program's own call that it is or is inside of (0: a task). For each top, the
 * calls recorded below it and its time in deep passes. */
typedef struct Tops {
    uint32_t *top;
    double *nested, *deep_ns;
} Tops;

static bool find_tops(const PassSums *s, const Profile *p, Tops *t) {
    t->top = mem_zalloc((size_t)p->n_stacks + 1, sizeof *t->top);
    t->nested = mem_zalloc((size_t)p->n_stacks + 1, sizeof *t->nested);
    t->deep_ns = mem_zalloc((size_t)p->n_stacks + 1, sizeof *t->deep_ns);
    if (t->top == NULL || t->nested == NULL || t->deep_ns == NULL) {
        return false;
    }
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        if (p->stacks[k].task) {
            continue;
        }
        uint32_t parent = p->stacks[k].parent;
        t->top[k] = p->stacks[parent].task ? k : t->top[parent];
        t->nested[t->top[k]] += t->top[k] != k ? record_of(s, k)[RECORD_CALLS] / s->repeats : 0;
        t->deep_ns[t->top[k]] += stats_mean(deep_of(s, k), s->repeats);
    }
    return true;
}

static void close_tops(Tops *t) {
    mem_free(t->top);
    mem_free(t->nested);
    mem_free(t->deep_ns);
}

/* The same call in flat and deep passes differs by the timestamps inside it. */
static double cost_at(const PassSums *s, const Tops *t, uint32_t k) {
    return (t->deep_ns[k] - stats_mean(flat_of(s, k), s->repeats)) / t->nested[k];
}

static bool find_costs(const PassSums *s, const Profile *p, const Profiler *profiler, const Tops *t,
                       Costs *c) {
    enum { MIN_CALLS = 16 }; /* calls inside a place that counts */
    double tick = p->ns_per_tick, all = 0;
    uint32_t n = 0;
    PassPlace *places = mem_array((size_t)p->n_stacks + 1, sizeof *places);
    find_inside(c, profiler, tick);
    for (uint32_t k = 1; places != NULL && k < p->n_stacks; k++) {
        if (t->top[k] == k && t->nested[k] >= MIN_CALLS) {
            places[n++] = (PassPlace){cost_at(s, t, k), t->nested[k]};
            all += t->nested[k];
        }
    }
    c->all = profiler->cost.all * tick; /* as calibrated, which says little about costs elsewhere */
    c->low = 0.75 * c->all;
    c->high = 1.5 * c->all;
    if (n > 0) { /* the middle of what was measured in place, and about a standard deviation to both sides */
        qsort(places, n, sizeof *places, by_cost);
        c->all = fmax(weighted_quantile(places, n, all, 0.5), 1);
        c->low = fmin(fmax(weighted_quantile(places, n, all, 0.16), 0), c->all);
        c->high = fmax(weighted_quantile(places, n, all, 0.84), c->all);
    }
    mem_free(places);
    return places != NULL;
}

/* ---- times ---- */

typedef struct FlatTask { /* a task in flat passes */
    double calls;         /* of its programs */
    double took;          /* those calls without timestamps, in one repeat */
    double speed;         /* how much longer they would have taken without timestamps */
} FlatTask;

typedef struct Finish {
    const PassSums *sums;
    Profile *profile;
    const Costs *costs;
    const Tops *tops;
    double *self;      /* by stack, of one repeat */
    double *added;     /* by top: the sum of self below it */
    double *uncertain; /* by stack, mean of the repeats */
} Finish;

/* Self time of each stack in one repeat, without the timestamps of and inside its calls. */
static void correct(const Finish *f, uint32_t repeat) {
    const Profile *p = f->profile;
    const PassSums *s = f->sums;
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        f->self[k] = p->stacks[k].task ? 0 : deep_of(s, k)[repeat];
    }
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        const ProfStack *stack = &p->stacks[k];
        if (stack->task) {
            continue;
        }
        uint32_t top = f->tops->top[k];
        double calls = record_of(s, k)[RECORD_CALLS] / s->repeats, inside = f->costs->inside[1][stack->name];
        /* a place with few calls inside is drawn towards the usual cost */
        double enough = 16, weight = f->tops->nested[top] / (f->tops->nested[top] + enough);
        double own = top != k && f->tops->nested[top] > 0 ? cost_at(s, f->tops, top) : f->costs->all;
        own = fmin(fmax(own, 0.5 * f->costs->all), 2 * f->costs->all);
        double all = weight * own + (1 - weight) * f->costs->all;
        f->self[k] -= calls * fmin(inside, all);
        if (top != k) {
            f->self[stack->parent] -= calls * fmax(all - inside, 0);
        }
    }
    memset(f->added, 0, ((size_t)p->n_stacks + 1) * sizeof *f->added);
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        f->self[k] = fmax(f->self[k], 0);
        f->added[f->tops->top[k]] += f->self[k];
    }
}

static bool add_repeat(const Finish *f, uint32_t repeat, const FlatTask *flat, const uint32_t *task) {
    Profile *p = f->profile;
    const PassSums *s = f->sums;
    double open = (f->costs->high - f->costs->low) / 2, open_inside = 0.1 * f->costs->all;
    correct(f, repeat);
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        ProfStack *stack = &p->stacks[k];
        if (stack->task) {
            continue;
        }
        uint32_t top = f->tops->top[k];
        const FlatTask *in = &flat[task[k]];
        double execute = p->tasks[task[k]].execute_ns[repeat], all = in->took * in->speed;
        double whole = fmax(flat_of(s, top)[repeat] - record_of(s, top)[RECORD_CALLS] / s->repeats *
                                                          f->costs->inside[0][p->stacks[top].name],
                            0);
        whole *= in->speed * (all > execute ? execute / all : 1);
        double self = f->added[top] > 0 ? f->self[k] / f->added[top] * whole : top == k ? whole : 0;
        double calls = record_of(s, k)[RECORD_CALLS] / s->repeats;
        ProfRow *row = profile_row(p, &p->tasks[task[k]], stack->name);
        if (row == NULL) {
            return false;
        }
        row->self_ns[repeat] += self;
        /* its own timestamps, and those inside it, of which too many or too few may have been charged to it
         */
        double max = top != k ? open + open_inside : f->costs->inside[0][stack->name] * 0.25;
        f->uncertain[k] += fmin(calls * max, fmax(whole - self, self)) / s->repeats;
        stack->self_ns += self / s->repeats;
    }
    return true;
}

/* Totals of stacks and rows from self times. */
static bool add_up(const Finish *f, const uint32_t *task) {
    Profile *p = f->profile;
    if (!profile_add_up(p)) {
        return false;
    }
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        ProfStack *stack = &p->stacks[k];
        if (stack->task) {
            continue;
        }
        const double *note = record_of(f->sums, k);
        ProfRow *row = profile_row(p, &p->tasks[task[k]], stack->name);
        stack->calls = (uint64_t)llround(note[RECORD_CALLS] / f->sums->repeats);
        row->total_ns += profile_stack_recursive(p, k) ? 0 : stack->total_ns;
        row->failed_ns +=
            note[RECORD_TOTAL] > 0 ? stack->total_ns * note[RECORD_FAILED] / note[RECORD_TOTAL] : 0;
        row->uncertain_ns += f->uncertain[k];
    }
    return true;
}

/* How the speed of the machine without timestamps compares with that in the flat pass, as far as the cost of
 * timestamps, which is known only roughly, does not explain the difference. */
static double speed_of(const Finish *f, uint32_t repeat, uint32_t task, double calls) {
    const Costs *c = f->costs;
    double execute = f->profile->tasks[task].execute_ns[repeat];
    double flat = f->sums->flat_ns[task * f->sums->stride + repeat] - calls * c->all;
    double open = calls * fmax((c->high - c->low) / 2, 0.25 * c->all);
    double near = fmin(fmax(execute, flat - open), flat + open);
    return near > 0 ? fmin(fmax(execute / near, 0.25), 4) : 1;
}

/* Every task in one repeat. */
static void add_flat(const Finish *f, uint32_t repeat, const uint32_t *task, FlatTask *flat) {
    const Profile *p = f->profile;
    memset(flat, 0, p->n_tasks * sizeof *flat);
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        if (f->tops->top[k] == k) {
            double calls = record_of(f->sums, k)[RECORD_CALLS] / f->sums->repeats;
            flat[task[k]].calls += calls;
            flat[task[k]].took +=
                fmax(flat_of(f->sums, k)[repeat] - calls * f->costs->inside[0][p->stacks[k].name], 0);
        }
    }
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        flat[k].speed = speed_of(f, repeat, k, flat[k].calls);
    }
}

static bool finish(Finish *f, const uint32_t *task, FlatTask *flat) {
    Profile *p = f->profile;
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        p->stacks[k].self_ns = 0;
    }
    for (uint32_t r = 0; r < p->repeats; r++) {
        add_flat(f, r, task, flat);
        if (!add_repeat(f, r, flat, task)) {
            return false;
        }
    }
    return add_up(f, task);
}

/* How far evaluations in flat passes, less their timestamps, are from those without timestamps. */
static void tell_difference(const PassSums *s, Profile *p, const Costs *c, const Tops *t) {
    double timestamp_cost = 0;
    p->measured_ns = p->plain_ns = 0;
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        timestamp_cost += t->top[k] == k ? record_of(s, k)[RECORD_CALLS] / s->repeats * c->all : 0;
    }
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        p->measured_ns += stats_mean(s->flat_ns + (size_t)k * s->stride, s->repeats);
        p->plain_ns += task_execute_ns(p, &p->tasks[k]);
    }
    p->measured_ns = fmax(p->measured_ns - timestamp_cost, 0);
}

bool sums_finish(PassSums *s, Profile *p, const Profiler *profiler) {
    Costs costs;
    Tops tops = {0};
    size_t n = (size_t)p->n_stacks + 1;
    double *values = mem_zalloc(3 * n + p->repeats, sizeof *values), *scratch = values + 3 * n;
    FlatTask *flat = mem_zalloc((size_t)p->n_tasks + 1, sizeof *flat);
    uint32_t *task = profile_stack_tasks(p);
    bool good = values != NULL && task != NULL && flat != NULL && make_room(s, p->n_stacks);
    for (uint32_t k = 1; good && k < p->n_stacks; k++) {
        if (!p->stacks[k].task) {
            p->disturbed += stats_clip_outliers(deep_of(s, k), s->repeats, 1000, scratch);
            p->disturbed += stats_clip_outliers(flat_of(s, k), s->repeats, 1000, scratch);
        }
    }
    for (uint32_t k = 0; good && k < p->n_tasks; k++) {
        stats_clip_outliers(s->flat_ns + (size_t)k * s->stride, s->repeats, 1000, scratch);
    }
    good = good && find_tops(s, p, &tops) && find_costs(s, p, profiler, &tops, &costs);
    if (good) {
        Finish f = {s, p, &costs, &tops, values, values + n, values + 2 * n};
        good = finish(&f, task, flat);
        p->timestamp_ns = costs.all;
        p->timestamp_low_ns = costs.low;
        p->timestamp_high_ns = costs.high;
        tell_difference(s, p, &costs, &tops);
    }
    close_tops(&tops);
    mem_free(values);
    mem_free(flat);
    mem_free(task);
    return good;
}
