/* The queue of slices; see schedule.h. */
#include "search/schedule/schedule.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "search/schedule/leave_out.h"
#include "search/schedule/strategies.h"
#include "search/schedule/view.h"

#include <math.h>
#include <string.h>

typedef struct ArmRow {
    uint8_t strategy;
    int8_t under_first, under_last; /* views that `first`..`last` are taken of */
    int8_t first, last;             /* views */
    uint8_t efforts;
    size_t ms, gain; /* offsets in Tunables */
} ArmRow;

static const ArmRow ROWS[] = {
#define ARM_TWICE(name, strategy, ms, gain, efforts, under_first, under_last, first, last) \
    {STRATEGY_##strategy,                                                                  \
     under_first,                                                                          \
     under_last,                                                                           \
     first,                                                                                \
     last,                                                                                 \
     efforts,                                                                              \
     offsetof(Tunables, arm_##name##_ms),                                                  \
     offsetof(Tunables, arm_##name##_gain)},
#include "search/schedule/arms.def"
};

enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

typedef struct Arm {
    const ArmRow *row;
    int8_t under, view;
    bool finished, tried; /* tried: pairs have been left out */
    uint8_t effort;
    double spent, slice_ms, gain; /* milliseconds so far, and for the next slice */
    /* Two tasks: as seen by this arm, and what its view is taken of. Made before the first slice. */
    SearchTask *task;
    Intermediate intermediate; /* if one of the views is one */
    void *state;
} Arm;

typedef struct Schedule {
    Arm *arms;
    uint32_t count, room;
    uint32_t intermediates; /* that have arms */
    CtxPart views;          /* of the arena, for what arms with a view keep */
    double fit;             /* how unpromising the slice that found the first fit was; 0: no fit yet */
    double score;           /* of the best fit so far */
} Schedule;

static double tuned(const Search *s, size_t at) {
    double value;
    memcpy(&value, (const char *)s->tune + at, sizeof value);
    return value;
}

static double bound_of(const Arm *arm) {
    return (arm->spent + arm->slice_ms) / arm->gain;
}

/* ---- arms ---- */

static bool has_trait(const ArmRow *row, StrategyTrait trait) {
    return (strategy_table[row->strategy].traits & trait) != 0;
}

/* In a short search slices are shorter, so that all strategies get their turn. A subsearch has a share
 * of the budget and the same share of the arms. */
static double short_scale(const Search *s) {
    double all = search_budget_ms(s) * (s->state->limits.subsearches > 1 ? s->state->limits.subsearches : 1);
    return all > 0 && all < s->tune->short_ms ? all / s->tune->short_ms : 1;
}

static Arm *add_arm(Search *s, const ArmRow *row, int under, int view) {
    Schedule *q = s->state->schedule;
    if ((s->state->limits.without >> row->strategy & 1) || !MEM_ROOM(q->arms, q->count, q->room, 64)) {
        return NULL;
    }
    Arm *arm = &q->arms[q->count++];
    *arm = (Arm){.row = row, .under = (int8_t)under, .view = (int8_t)view, .effort = 1};
    const StrategyRow *strategy = &strategy_table[row->strategy];
    arm->slice_ms = strategy->slice_ms != NULL ? strategy->slice_ms(s) : tuned(s, row->ms) * short_scale(s);
    arm->gain = tuned(s, row->gain);
    if (row->strategy == STRATEGY_ENUMERATE && s->state->limits.own_idioms) {
        arm->gain *= s->tune->own_gain;
    }
    ASSERT(arm->slice_ms >= 0 && arm->effort >= 1 && arm->effort <= row->efforts,
           "strategy %u: slice %g ms, effort %u", row->strategy, arm->slice_ms, arm->effort);
    arm->finished = arm->gain <= 0 || arm->slice_ms <= 0;
    return arm;
}

/* Lets the arm go on where an earlier search of the task ended. */
static void remember(const Search *s, Arm *arm) {
    const SearchLimits *limits = &s->state->limits;
    bool goes_on = !has_trait(arm->row, TRAIT_STARTS_OVER);
    for (uint32_t k = 0; k < limits->n_past && goes_on; k++) {
        const ArmPast *past = &limits->past[k];
        if (past->strategy == arm->row->strategy && past->under == arm->under && past->view == arm->view) {
            arm->finished |= past->finished;
            arm->effort = past->effort < arm->row->efforts ? past->effort : arm->row->efforts;
            arm->spent = past->spent;
            arm->slice_ms = past->slice_ms;
            ASSERT(arm->spent >= 0 && arm->slice_ms >= 0, "strategy %u: %g ms spent, slice %g",
                   arm->row->strategy, arm->spent, arm->slice_ms);
        }
    }
}

static bool starts_from_intermediate(const ArmRow *row) {
    return row->first == VIEW_INTERMEDIATE || row->under_first == VIEW_INTERMEDIATE;
}

static bool promises_more(const Arm *a, const Arm *b) {
    double x = bound_of(a), y = bound_of(b);
    return x != y ? x < y : a < b;
}

/* Of the arms of the whole task, keeps those of this subsearch. The queue gives an arm time in proportion to
 * what is expected of it; so subsearches that share the time equally have equal shares of that, the first of
 * them in the arms that promise most. */
static void keep_subsearch(Search *s) {
    const SearchLimits *limits = &s->state->limits;
    Schedule *q = s->state->schedule;
    uint32_t kept = 0;
    double all = 0;
    if (limits->subsearches <= 1) {
        return;
    }
    uint32_t *subsearches = mem_array(q->count > 0 ? q->count : 1, sizeof *subsearches);
    for (uint32_t k = 0; k < q->count; k++) {
        all += has_trait(q->arms[k].row, TRAIT_FIRST_SUBSEARCH) ? 0 : q->arms[k].gain;
    }
    for (uint32_t k = 0; subsearches != NULL && k < q->count; k++) {
        double before = 0;
        for (uint32_t x = 0; x < q->count && !has_trait(q->arms[k].row, TRAIT_FIRST_SUBSEARCH); x++) {
            bool counts =
                !has_trait(q->arms[x].row, TRAIT_FIRST_SUBSEARCH) && promises_more(&q->arms[x], &q->arms[k]);
            before += counts ? q->arms[x].gain : 0;
        }
        subsearches[k] = before > 0 ? (uint32_t)(before / all * limits->subsearches) : 0;
    }
    for (uint32_t k = 0; subsearches != NULL && k < q->count; k++) {
        if (subsearches[k] == limits->subsearch) {
            q->arms[kept++] = q->arms[k];
        }
    }
    q->count = kept;
    mem_free(subsearches);
}

static void add_arms(Search *s) {
    for (size_t k = 0; k < ROW_COUNT; k++) {
        const ArmRow *row = &ROWS[k];
        for (int under = row->under_first; under <= row->under_last && !starts_from_intermediate(row);
             under++) {
            for (int view = row->first; view <= row->last; view++) {
                add_arm(s, row, under, view);
            }
        }
    }
    keep_subsearch(s);
    for (uint32_t k = 0; k < s->state->schedule->count; k++) {
        remember(s, &s->state->schedule->arms[k]);
    }
}

/* Adds arms that start from an intermediate: the more it is like the outputs, the more is expected of
 * them. */
static void add_intermediate(Search *s, const ArmRow *row, Intermediate *intermediate) {
    double like = intermediate->like / (1000.0 * s->own->n_train);
    for (int view = row->first; view <= row->last; view++) {
        Arm *arm = add_arm(s, row, row->under_first, view);
        if (arm != NULL) {
            intermediate->held = true;
            arm->intermediate = *intermediate;
            arm->gain *= like * like;
        }
    }
}

/* Turns the best intermediates so far into views; of the first ones, further views are taken too. */
static void add_intermediates(Search *s) {
    Schedule *q = s->state->schedule;
    Intermediates *found = &s->state->intermediates;
    for (uint32_t b = 0; b < found->count && q->intermediates < s->tune->intermediates_arms_max; b++) {
        Intermediate *intermediate = &found->items[b];
        if (intermediate->held || vals_eq(intermediate->vals, s->own->in, s->own->n)) {
            continue;
        }
        for (size_t k = 0; k < ROW_COUNT; k++) {
            const ArmRow *row = &ROWS[k];
            bool twice = row->under_first == VIEW_INTERMEDIATE;
            if (starts_from_intermediate(row) &&
                (!twice || q->intermediates < s->tune->intermediates_views_max)) {
                add_intermediate(s, row, intermediate);
            }
        }
        q->intermediates++;
    }
}

static void close_state(Search *s, Arm *arm) {
    ASSERT(arm->row->strategy < STRATEGY_COUNT, "strategy %u", arm->row->strategy);
    if (arm->state != NULL) {
        strategy_table[arm->row->strategy].close(s, arm->state);
    }
    arm->state = NULL;
}

static Sight sight_of(const Arm *arm) {
    bool intermediate = arm->view == VIEW_INTERMEDIATE || arm->under == VIEW_INTERMEDIATE;
    return (Sight){arm->under, arm->view, intermediate ? &arm->intermediate : NULL};
}

/* Makes the task as the arm sees it. False: the view makes no difference, or there is no memory. */
static bool see(Search *s, Arm *arm) {
    if (arm->view == VIEW_NONE || arm->task != NULL) {
        return true;
    }
    Sight how = sight_of(arm);
    arm->task = mem_array(2, sizeof *arm->task);
    return arm->task != NULL && view_see(s->ctx, s->own, &how, &arm->task[1], &arm->task[0]);
}

static void set_sight(Search *s, const Arm *arm) {
    SearchState *now = s->state;
    s->task = arm->task != NULL ? &arm->task[0] : s->own;
    now->under_task = arm->task != NULL ? &arm->task[1] : s->own;
    now->view = arm->view;
    now->under = arm->under;
    now->intermediate = sight_of(arm).intermediate;
}

static void see_as_it_is(Search *s) {
    SearchState *now = s->state;
    s->task = now->under_task = s->own;
    now->view = now->under = VIEW_NONE;
    now->intermediate = NULL;
}

/* ---- slices ---- */

static void call_strategy(Search *s, Arm *arm) {
    const StrategyRow *strategy = &strategy_table[arm->row->strategy];
    if (strategy->open != NULL && arm->state == NULL) {
        arm->state = strategy->open(s);
    }
    if (strategy->open == NULL || arm->state != NULL) {
        strategy->run(s, arm->state);
    }
}

static void forget_view(Search *s, Arm *arm) {
    close_state(s, arm);
    mem_free(arm->task);
    arm->task = NULL;
}

/* After a slice in a view. What is over takes its values with it if they are the last ones. When states take
 * up half of their part of the arena, all are given up, with what others left behind: a later slice is longer
 * and starts over. */
static void clear_views(Search *s, Arm *arm, CtxMark before, bool new) {
    Schedule *q = s->state->schedule;
    if (arm->finished) {
        forget_view(s, arm);
        if (new) {
            ctx_forget(s->ctx, before);
        }
    }
    if (ctx_bytes_used(s->ctx) > s->ctx->budget.bytes / 2) {
        for (uint32_t k = 0; k < q->count; k++) {
            if (q->arms[k].view != VIEW_NONE) {
                forget_view(s, &q->arms[k]);
            }
        }
        ctx_forget(s->ctx, s->ctx->base);
    }
}

/* If something fits but is not certain yet, tries the slice with pairs left out: once per arm, and for each
 * pair in no more time than finding it took. */
static void try_without_pairs(Search *s, Arm *arm, double took) {
    SearchState *now = s->state;
    double all = search_budget_ms(s), max = all * s->tune->leave_out_share / s->tune->leave_out_pairs_max;
    if (now->slice_fits > 0 && !arm->tried && !now->out_of_budget && leave_out_can(s, now->strategy) &&
        search_best_score(s) > s->tune->leave_out_sure) {
        arm->tried = true;
        took += arm->spent;
        leave_out_try(s, all > 0 && max < took ? max : took);
    }
}

static void run_slice(Search *s, Arm *arm) {
    SearchState *now = s->state;
    uint64_t start = clock_work_ns(), values = COUNTED(s->statistics, VALUES);
    unsigned p = arm->row->strategy;
    ASSERT(!arm->finished && p < STRATEGY_COUNT && !(now->limits.without >> p & 1),
           "a slice of strategy %u that is not due", p);
    double begin = search_ms(s), took = 0;
    uint8_t effort = arm->effort;
    now->strategy = (Strategy)p;
    s->effort = arm->effort;
    now->slice_end = begin + arm->slice_ms;
    s->slice_over = now->out_of_budget;
    now->slice_fits = 0;
    Scope was = scope_enter(s->ctx, strategy_table[p].scope);
    if (arm->view != VIEW_NONE) {
        ctx_swap(s->ctx, &now->schedule->views);
    }
    CtxMark mark = ctx_mark(s->ctx);
    bool new = arm->task == NULL && arm->state == NULL, cut = s->slice_over;
    if (see(s, arm)) {
        set_sight(s, arm);
        call_strategy(s, arm);
        cut = s->slice_over;
        took = search_ms(s) - begin;
        try_without_pairs(s, arm, took);
        see_as_it_is(s);
    } else {
        arm->finished = true;
    }
    arm->finished |= !cut && arm->effort >= arm->row->efforts;
    arm->effort = (uint8_t)(arm->effort + (!cut && arm->effort < arm->row->efforts));
    if (arm->view != VIEW_NONE) {
        clear_views(s, arm, mark, new);
        ctx_swap(s->ctx, &now->schedule->views);
    }
    ASSERT(s->task == s->own && now->view == VIEW_NONE && now->intermediate == NULL,
           "strategy %u left a view behind", p);
    scope_back(s->ctx, was);
    arm->spent += took;
    arm->slice_ms *= cut ? 2 : arm->effort > effort ? s->tune->slice_deeper_scale : 1;
    ASSERT(arm->spent >= 0 && isfinite(arm->slice_ms) && arm->effort <= arm->row->efforts,
           "strategy %u: %g ms spent, slice %g, effort %u", p, arm->spent, arm->slice_ms, arm->effort);
    LOG(SEARCH, "%s, view %d, effort %u: %g ms%s, %u candidates, %u fit", strategy_names[p], arm->view,
        effort, search_ms(s) - begin, cut ? ", cut short" : "", now->count, now->fitting);
    COUNT(s->statistics, SLICES, 1);
    now->work.strategies[p].ns += clock_work_ns() - start;
    now->work.strategies[p].values += COUNTED(s->statistics, VALUES) - values;
}

/* The arm whose turn it is, among those of fallbacks or among the others. */
static Arm *next_arm(const Search *s, bool fallback) {
    Schedule *q = s->state->schedule;
    Arm *best = NULL;
    for (uint32_t k = 0; k < q->count; k++) {
        Arm *arm = &q->arms[k];
        if (!arm->finished && fallback == (strategy_table[arm->row->strategy].is_needed != NULL) &&
            (best == NULL || bound_of(arm) < bound_of(best))) {
            best = arm;
        }
    }
    return best;
}

/* Once something fits, slices that promise much less than the one that found it are not taken; how much less
 * depends on how credible the fit is. */
static bool is_worth_it(const Search *s, const Arm *arm) {
    const Schedule *q = s->state->schedule;
    double uncertainty = q->score - s->tune->patience_sure;
    double max = q->fit * s->tune->patience * exp2(fmax(0, uncertainty) / s->tune->patience_bits);
    return q->fit == 0 || bound_of(arm) <= (max > s->tune->patience_min ? max : s->tune->patience_min);
}

/* The next slice that is worth it; NULL: none is. While programs agree, the turns of a fallback pass; where
 * they do not and no further slice for programs is worth it, the rest of the time is the fallback's. */
static Arm *choose_arm(Search *s) {
    Arm *programs = next_arm(s, false), *fallback = next_arm(s, true);
    bool worth = programs != NULL && is_worth_it(s, programs);
    if (fallback != NULL && (!worth || bound_of(fallback) < bound_of(programs))) {
        if (strategy_table[fallback->row->strategy].is_needed(s)) {
            return fallback;
        }
        fallback->spent += fallback->slice_ms;
    }
    return worth ? programs : NULL;
}

void schedule_run(Search *s) {
    SearchState *now = s->state;
    if (now->schedule == NULL) {
        now->schedule = mem_zalloc(1, sizeof *now->schedule);
        if (now->schedule == NULL) {
            return;
        }
        now->schedule->views =
            ctx_split(s->ctx, (uint64_t)(s->tune->states_share * (double)s->ctx->budget.bytes));
        add_arms(s);
        now->schedule->score = now->fitting > 0 ? search_best_score(s) : 0;
    }
    Schedule *q = now->schedule;
    for (Arm *arm; !now->out_of_budget && (arm = choose_arm(s)) != NULL;) {
        double bound = bound_of(arm);
        run_slice(s, arm);
        q->fit = q->fit == 0 && now->fitting > 0 ? bound : q->fit;
        q->score = now->slice_fits > 0 ? search_best_score(s) : q->score;
        add_intermediates(s);
    }
}

void schedule_weigh(Search *s) {
    const Schedule *q = s->state->schedule;
    for (uint32_t k = 0; q != NULL && k < q->count; k++) {
        const StrategyRow *strategy = &strategy_table[q->arms[k].row->strategy];
        if (strategy->weigh != NULL && q->arms[k].state != NULL) {
            strategy->weigh(s, q->arms[k].state);
        }
    }
}

void schedule_close(Search *s) {
    Schedule *q = s->state->schedule;
    for (uint32_t k = 0; q != NULL && k < q->count; k++) {
        close_state(s, &q->arms[k]);
        mem_free(q->arms[k].task);
    }
    if (q != NULL) {
        ctx_join(s->ctx, &q->views);
        mem_free(q->arms);
    }
    mem_free(q);
    s->state->schedule = NULL;
}

uint32_t schedule_past(const Search *s, ArmPast *past) {
    uint32_t n = 0;
    const Schedule *q = s->state->schedule;
    for (uint32_t k = 0; q != NULL && k < q->count && n < SEARCH_MAX_PAST; k++) {
        const Arm *arm = &q->arms[k];
        if (!starts_from_intermediate(arm->row)) {
            past[n++] = (ArmPast){arm->row->strategy, arm->under, arm->view,    arm->effort,
                                  arm->finished,      arm->spent, arm->slice_ms};
        }
    }
    return n;
}
