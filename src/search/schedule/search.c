/* The state of a search for one task, and its budgets; see search.h. */
#include "search/schedule/search.h"

#include "backends/devices/backend.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
#include "search/schedule/schedule.h"
#include "search/schedule/strategies.h"
#include "search/schedule/view.h"
#include "search/strategies/net_strategy.h"

#include <math.h>
#include <string.h>

void search_task_colors(SearchTask *t) {
    t->in_all = t->out_all = 0x3ff;
    t->in_colors = t->out_colors = 0;
    t->same_size = true;
    for (uint32_t k = 0; k < t->n; k++) {
        uint16_t colors = image_colors(eval_image(t->in[k]));
        t->in_colors |= colors;
        t->in_all &= colors;
        if (k < t->n_train) {
            colors = image_colors(eval_image(t->out[k]));
            t->out_colors |= colors;
            t->out_all &= colors;
            t->same_size &= t->in[k].n == t->out[k].n && t->in[k].w == t->out[k].w;
        }
    }
}

static uint32_t side_of(Val grid) {
    return grid.n > grid.w ? grid.n : grid.w;
}

void search_task_fill(SearchTask *to, const Task *from) {
    memset(to, 0, sizeof *to);
    to->max_side = ARC_SIDE;
    to->id = from->id;
    uint32_t tests = (uint32_t)from->n_test;
    uint32_t max = tests < SEARCH_MAX_SAMPLES / 2 ? SEARCH_MAX_SAMPLES - tests : SEARCH_MAX_SAMPLES / 2;
    to->n_train = (uint32_t)from->n_train < max ? (uint32_t)from->n_train : max;
    to->n_test = tests < SEARCH_MAX_SAMPLES - to->n_train ? tests : SEARCH_MAX_SAMPLES - to->n_train;
    to->n = to->n_train + to->n_test;
    for (uint32_t k = 0; k < to->n; k++) {
        to->in[k] = eval_grid(k < to->n_train ? from->train[k].in : from->test[k - to->n_train].in);
        if (k < to->n_train) {
            to->out[k] = eval_grid(from->train[k].out);
        }
        if (side_of(to->in[k]) > ARC_SIDE || (k < to->n_train && side_of(to->out[k]) > ARC_SIDE)) {
            to->max_side = TASK_MAX_SIDE;
        }
    }
    search_task_colors(to);
}

bool search_open(Search *s, const SearchTask *task, Ctx *ctx, Ctx *check, const SearchLimits *limits) {
    memset(s, 0, sizeof *s);
    s->task = s->own = task;
    s->view = s->under = VIEW_NONE;
    s->under_task = task;
    s->ctx = ctx;
    s->check = check;
    s->limits = *limits;
    s->limits.without |= limits->net == NET_USE_OFF    ? 1u << STRATEGY_NET
                         : limits->net == NET_USE_ONLY ? ~(1u << STRATEGY_NET)
                                                       : 0;
    s->tune = limits->tunables != NULL ? limits->tunables : &tunables_default;
    ASSERT(task->n == task->n_train + task->n_test && task->n <= SEARCH_MAX_SAMPLES, "%u pairs, %u tests",
           task->n_train, task->n_test);
    s->kept.max = limits->quota / 4;
    s->quota.max = limits->quota - s->kept.max;
    s->start_ns = clock_work_ns();
    build_init(&s->builder);
    ctx_reset(ctx);
    ctx_reset(check);
    prim_bind(ctx, MODE_CORE, false);
    prim_bind(check, MODE_CORE, false);
    return true;
}

void search_close(Search *s) {
    schedule_close(s);
    intermediates_free(s);
    candidates_free(s);
    build_free(&s->builder);
    memset(s, 0, sizeof *s);
}

void search_work_add(SearchWork *to, const SearchWork *more) {
    statistics_add(&to->statistics, &more->statistics);
    for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
        to->strategies[p].steps += more->strategies[p].steps;
        to->strategies[p].ns += more->strategies[p].ns;
        to->strategies[p].values += more->strategies[p].values;
        to->strategies[p].built_ns += more->strategies[p].built_ns;
    }
}

/* By this thread, and by devices for it. */
static uint64_t work_ns(const Search *s) {
    return clock_work_ns() - s->start_ns + s->waited_ns;
}

/* The share of the budget used so far, 0..1. */
static double search_used(const Search *s) {
    double by_steps = s->limits.steps ? (double)search_steps(s) / (double)s->limits.steps : 0;
    double by_time = s->limits.time_ns ? (double)work_ns(s) / (double)s->limits.time_ns : 0;
    return by_steps > by_time ? by_steps : by_time;
}

double search_budget_ms(const Search *s) {
    return s->limits.time_ns ? (double)s->limits.time_ns * 1e-6
                             : (double)s->limits.steps / s->tune->steps_per_ms;
}

double search_ms(const Search *s) {
    return s->limits.time_ns ? (double)work_ns(s) * 1e-6 : (double)search_steps(s) / s->tune->steps_per_ms;
}

bool search_spend(Search *s, uint64_t steps) {
    enum { CHECK_EVERY = 1 << 13, STAY_EVERY = 1 << 6 };
    uint64_t before = search_steps(s), now = before + steps;
    ASSERT(s->strategy < STRATEGY_COUNT && now >= before, "strategy %u spends %llu", s->strategy,
           (unsigned long long)steps);
    COUNT(&s->work.statistics, SEARCH_STEPS, steps);
    s->work.strategies[s->strategy].steps += steps;
    if (before / CHECK_EVERY != now / CHECK_EVERY) {
        s->out_of_budget |= search_used(s) >= 1 || stop_is_requested(s->limits.stop) ||
                            stop_is_requested(s->limits.dropped) ||
                            backend_failure(s->limits.backend) != NULL;
        s->slice_over |= s->out_of_budget || search_ms(s) >= s->slice_end;
    }
    if (before / STAY_EVERY != now / STAY_EVERY) {
        scope_stay(s->ctx);
    }
    return !s->slice_over;
}

void search_waited(Search *s, uint64_t ns) {
    s->waited_ns += ns;
}

void search_built(Search *s, uint64_t begin) {
    s->work.strategies[s->strategy].built_ns += clock_work_ns() - begin;
}

void search_run(Search *s) {
    s->slice_end = HUGE_VAL;
    for (uint32_t k = 0; k < s->limits.n_earlier; k++) {
        search_offer_earlier(s, &s->limits.earlier[k]);
    }
    if (!s->limits.no_strategies) {
        schedule_run(s);
    }
    Scope was = scope_enter(s->ctx, SCOPE_ORDER);
    strategy_net_weigh(s);
    search_order_candidates(s);
    scope_back(s->ctx, was);
}
