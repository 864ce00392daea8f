/* The state of a search for one task, and its budgets; see search.h. */
#include "backends/devices/backend.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
#include "search/schedule/schedule.h"
#include "search/schedule/search_state.h"
#include "search/schedule/strategies.h"
#include "search/schedule/view.h"

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
    SearchState *state = mem_zalloc(1, sizeof *state);
    if (state == NULL) {
        return false;
    }
    ASSERT(task->n == task->n_train + task->n_test && task->n <= SEARCH_MAX_SAMPLES, "%u pairs, %u tests",
           task->n_train, task->n_test);
    uint32_t nets = strategies_with(TRAIT_NO_PROGRAMS);
    state->limits = *limits;
    state->limits.without |= limits->net.use == NET_USE_OFF    ? nets
                             : limits->net.use == NET_USE_ONLY ? ~nets
                                                               : 0;
    state->view = state->under = VIEW_NONE;
    state->under_task = task;
    state->start_ns = clock_work_ns();
    state->outside_ns = ctx->waited_ns + check->waited_ns;
    *s = (Search){.task = task,
                  .own = task,
                  .tune = limits->tunables != NULL ? limits->tunables : &tunables_default,
                  .ctx = ctx,
                  .check = check,
                  .statistics = &state->work.statistics,
                  .backend = limits->backend,
                  .stop = limits->stop,
                  .idioms = limits->idioms,
                  .library = limits->library,
                  .net = &state->limits.net,
                  .state = state};
    s->kept.max = limits->quota / 4;
    s->quota.max = limits->quota - s->kept.max;
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
    mem_free(s->state);
    *s = (Search){0};
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

/* ---- what is spent ---- */

uint64_t search_waited_ns(const Search *s) {
    return s->state->waited_ns + s->ctx->waited_ns + s->check->waited_ns - s->state->outside_ns;
}

/* By this thread, and by devices and functions from outside for it. */
static uint64_t work_ns(const Search *s) {
    return clock_work_ns() - s->state->start_ns + search_waited_ns(s);
}

/* The share of the budget used so far. */
static double used(const Search *s) {
    const SearchLimits *limits = &s->state->limits;
    double by_steps = limits->steps ? (double)search_steps(s) / (double)limits->steps : 0;
    double by_time = limits->time_ns ? (double)work_ns(s) / (double)limits->time_ns : 0;
    return by_steps > by_time ? by_steps : by_time;
}

bool search_is_timed(const Search *s) {
    return s->state->limits.time_ns != 0;
}

double search_budget_ms(const Search *s) {
    const SearchLimits *limits = &s->state->limits;
    return limits->time_ns ? (double)limits->time_ns * 1e-6 : (double)limits->steps / s->tune->steps_per_ms;
}

double search_ms(const Search *s) {
    return search_is_timed(s) ? (double)work_ns(s) * 1e-6 : (double)search_steps(s) / s->tune->steps_per_ms;
}

bool search_spend(Search *s, uint64_t steps) {
    enum { CHECK_EVERY = 1 << 13, STAY_EVERY = 1 << 6 };
    SearchState *state = s->state;
    uint64_t before = search_steps(s), now = before + steps;
    ASSERT(state->strategy < STRATEGY_COUNT && now >= before, "strategy %u spends %llu", state->strategy,
           (unsigned long long)steps);
    COUNT(s->statistics, SEARCH_STEPS, steps);
    state->work.strategies[state->strategy].steps += steps;
    if (before / CHECK_EVERY != now / CHECK_EVERY) {
        state->out_of_budget |= used(s) >= 1 || stop_is_requested(s->stop) ||
                                stop_is_requested(state->limits.dropped) ||
                                backend_failure(s->backend) != NULL;
        s->slice_over |= state->out_of_budget || search_ms(s) >= state->slice_end;
    }
    if (before / STAY_EVERY != now / STAY_EVERY) {
        scope_stay(s->ctx);
    }
    return !s->slice_over;
}

void search_spend_ahead(Search *s, double next_ms) {
    double now = search_ms(s), budget = search_budget_ms(s);
    s->slice_over |= now >= s->state->slice_end || (budget > 0 && now + next_ms > budget);
}

static double end_slice_at(Search *s, double ms) {
    double end = s->state->slice_end;
    s->state->slice_end = ms < end ? ms : end;
    return end;
}

double search_shorten_slice(Search *s, double share) {
    double now = search_ms(s);
    return end_slice_at(s, now + share * (s->state->slice_end - now));
}

double search_limit_slice(Search *s, double ms) {
    return end_slice_at(s, search_ms(s) + ms);
}

void search_lengthen_slice(Search *s, double end) {
    s->state->slice_end = end;
    s->slice_over = s->state->out_of_budget || search_ms(s) >= end;
}

void search_waited(Search *s, uint64_t ns) {
    s->state->waited_ns += ns;
}

void search_built(Search *s, uint64_t begin) {
    s->state->work.strategies[s->state->strategy].built_ns += clock_work_ns() - begin;
}

bool search_is_trial(const Search *s) {
    return s->state->left_out != NULL;
}

/* ---- the whole search ---- */

void search_run(Search *s) {
    const SearchLimits *limits = &s->state->limits;
    s->state->slice_end = HUGE_VAL;
    for (uint32_t k = 0; k < limits->n_earlier; k++) {
        search_offer_earlier(s, &limits->earlier[k]);
    }
    if (!limits->no_strategies) {
        schedule_run(s);
    }
    Scope was = scope_enter(s->ctx, SCOPE_ORDER);
    schedule_weigh(s);
    search_order_candidates(s);
    scope_back(s->ctx, was);
}
