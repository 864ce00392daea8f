/* The queue of slices; see schedule.h. */
#include "search/schedule/schedule.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "search/schedule/leave_out.h"
#include "search/schedule/strategies.h"
#include "search/schedule/view.h"
#include "search/strategies/net_strategy.h"

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
#define ARM(name, strategy, first, last, efforts) \
    ARM_TWICE(name, strategy, VIEW_NONE, VIEW_NONE, first, last, efforts)
#define ARM_TWICE(name, strategy, under_first, under_last, first, last, efforts) \
    {STRATEGY_##strategy,                                                        \
     under_first,                                                                \
     under_last,                                                                 \
     first,                                                                      \
     last,                                                                       \
     efforts,                                                                    \
     offsetof(Tunables, arm_##name##_ms),                                        \
     offsetof(Tunables, arm_##name##_gain)},
#include "search/schedule/arms.def"
#undef ARM
#undef ARM_TWICE
};

enum { ROW_COUNT = sizeof ROWS / sizeof *ROWS };

typedef struct Arm {
    const ArmRow *row;
    int8_t under, view;
    bool finished, tried; /* tried: pairs have been left out */
    uint8_t effort;
    double spent, slice_ms, gain; /* milliseconds so far, and for the next slice */
    /* Two tasks: as seen from this line, and what its view is taken of. Made before the first slice. */
    SearchTask *task;
    Intermediate intermediate; /* if one of the views is a intermediate */
    void *state;
} Arm;

typedef struct Schedule {
    Arm *arms;
    uint32_t count, room;
    uint32_t intermediates; /* that have lines */
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

/* ---- lines ---- */

/* In a short search slices are shorter, so that all parts get their turn. A subsearch has a share of the
 * budget and the same share of the lines. */
static double short_scale(const Search *s) {
    double all = search_budget_ms(s) * (s->limits.subsearches > 1 ? s->limits.subsearches : 1);
    return all > 0 && all < s->tune->short_ms ? all / s->tune->short_ms : 1;
}

static Arm *add_arm(Search *s, const ArmRow *row, int under, int view) {
    Schedule *q = s->schedule;
    if ((s->limits.without >> row->strategy & 1) || !MEM_ROOM(q->arms, q->count, q->room, 64)) {
        return NULL;
    }
    Arm *arm = &q->arms[q->count++];
    *arm = (Arm){.row = row, .under = (int8_t)under, .view = (int8_t)view, .effort = 1};
    arm->slice_ms =
        row->strategy == STRATEGY_NET ? strategy_net_slice_ms(s) : tuned(s, row->ms) * short_scale(s);
    arm->gain = tuned(s, row->gain);
    ASSERT(arm->slice_ms >= 0 && arm->effort >= 1 && arm->effort <= row->efforts,
           "strategy %u: slice %g ms, effort %u", row->strategy, arm->slice_ms, arm->effort);
    arm->finished = arm->gain <= 0 || arm->slice_ms <= 0;
    return arm;
}

/* Lets the line go on where an earlier search of the task ended. */
static void remember(const Search *s, Arm *arm) {
    for (uint32_t k = 0; k < s->limits.n_past; k++) {
        const ArmPast *past = &s->limits.past[k];
        /* a net begins anew, from another seed */
        if (past->strategy != STRATEGY_NET && past->strategy == arm->row->strategy &&
            past->under == arm->under && past->view == arm->view) {
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

/* Parts that build on what others have found, and the library, which soon has nothing left to do. */
static bool goes_first(const Arm *arm) {
    return arm->row->strategy == STRATEGY_LIBRARY || arm->row->strategy == STRATEGY_CASES ||
           arm->row->strategy == STRATEGY_EVOLVE;
}

static bool promises_more(const Arm *a, const Arm *b) {
    double x = bound_of(a), y = bound_of(b);
    return x != y ? x < y : a < b;
}

/* Of the lines of the whole task, keeps those of this subsearch. The queue gives a line time in proportion to
 * what is expected of it; so subsearches that share the time equally have equal shares of that, the first of
 * them in the lines that promise most. */
static void keep_subsearch(Search *s) {
    Schedule *q = s->schedule;
    uint32_t kept = 0;
    double all = 0;
    if (s->limits.subsearches <= 1) {
        return;
    }
    uint32_t *subsearches = mem_array(q->count > 0 ? q->count : 1, sizeof *subsearches);
    for (uint32_t k = 0; k < q->count; k++) {
        all += goes_first(&q->arms[k]) ? 0 : q->arms[k].gain;
    }
    for (uint32_t k = 0; subsearches != NULL && k < q->count; k++) {
        double before = 0;
        for (uint32_t x = 0; x < q->count && !goes_first(&q->arms[k]); x++) {
            bool counts = !goes_first(&q->arms[x]) && promises_more(&q->arms[x], &q->arms[k]);
            before += counts ? q->arms[x].gain : 0;
        }
        subsearches[k] = before > 0 ? (uint32_t)(before / all * s->limits.subsearches) : 0;
    }
    for (uint32_t k = 0; subsearches != NULL && k < q->count; k++) {
        if (subsearches[k] == s->limits.subsearch) {
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
    for (uint32_t k = 0; k < s->schedule->count; k++) {
        remember(s, &s->schedule->arms[k]);
    }
}

/* Adds lines that start from a intermediate: the more it is like the outputs, the more is expected of them.
 */
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

/* Turns the best bases so far into views; of the first ones, further views are taken too. */
static void add_intermediates(Search *s) {
    Schedule *q = s->schedule;
    for (uint32_t b = 0; b < s->intermediates.count && q->intermediates < s->tune->intermediates_arms_max;
         b++) {
        Intermediate *intermediate = &s->intermediates.items[b];
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
    const StrategyRow *strategy = &strategy_table[arm->row->strategy];
    if (arm->state != NULL && strategy->close != NULL) {
        strategy->close(s, arm->state);
    }
    arm->state = NULL;
}

static Sight sight_of(const Arm *arm) {
    bool intermediate = arm->view == VIEW_INTERMEDIATE || arm->under == VIEW_INTERMEDIATE;
    return (Sight){arm->under, arm->view, intermediate ? &arm->intermediate : NULL};
}

/* Makes the task as the line sees it. False: the view makes no difference, or there is no memory. */
static bool see(Search *s, Arm *arm) {
    if (arm->view == VIEW_NONE || arm->task != NULL) {
        return true;
    }
    Sight how = sight_of(arm);
    arm->task = mem_array(2, sizeof *arm->task);
    return arm->task != NULL && view_see(s->ctx, s->own, &how, &arm->task[1], &arm->task[0]);
}

static void set_sight(Search *s, const Arm *arm) {
    s->task = arm->task != NULL ? &arm->task[0] : s->own;
    s->under_task = arm->task != NULL ? &arm->task[1] : s->own;
    s->view = arm->view;
    s->under = arm->under;
    s->intermediate = sight_of(arm).intermediate;
}

static void see_as_it_is(Search *s) {
    s->task = s->under_task = s->own;
    s->view = s->under = VIEW_NONE;
    s->intermediate = NULL;
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

/* A state that would crowd out others is given up; only one made in this slice is at the end of the arena and
 * can be. */
static bool is_crowded(const Search *s) {
    return (double)ctx_bytes_used(s->ctx) > s->tune->states_share * (double)s->ctx->budget.bytes;
}

/* If something fits but is not certain yet, tries the slice with pairs left out: once per line, and for each
 * pair in no more time than finding it took. */
static void try_without_pairs(Search *s, Arm *arm, double took) {
    double all = search_budget_ms(s), max = all * s->tune->leave_out_share / s->tune->leave_out_pairs_max;
    if (s->slice_fits > 0 && !arm->tried && !s->out_of_budget && leave_out_can(s, s->strategy) &&
        search_best_score(s) > s->tune->leave_out_sure) {
        arm->tried = true;
        took += arm->spent;
        leave_out_try(s, all > 0 && max < took ? max : took);
    }
}

static void run_slice(Search *s, Arm *arm) {
    uint64_t start = clock_work_ns(), values = COUNTED(&s->work.statistics, VALUES);
    unsigned p = arm->row->strategy;
    ASSERT(!arm->finished && p < STRATEGY_COUNT && !(s->limits.without >> p & 1),
           "a slice of strategy %u that is not due", p);
    double begin = search_ms(s), took = 0;
    uint8_t effort = arm->effort;
    s->strategy = (Strategy)p;
    s->effort = arm->effort;
    s->slice_end = begin + arm->slice_ms;
    s->slice_over = s->out_of_budget;
    s->slice_fits = 0;
    Scope was = scope_enter(s->ctx, strategy_table[p].scope);
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
    if (arm->view != VIEW_NONE && (arm->finished || (new &&is_crowded(s)))) {
        close_state(s, arm);
        mem_free(arm->task);
        arm->task = NULL;
        if (new) {
            ctx_release(s->ctx, mark);
        }
    }
    ASSERT(s->task == s->own && s->view == VIEW_NONE && s->intermediate == NULL,
           "strategy %u left a view behind", p);
    scope_back(s->ctx, was);
    arm->spent += took;
    arm->slice_ms *= cut ? 2 : arm->effort > effort ? s->tune->slice_deeper_scale : 1;
    ASSERT(arm->spent >= 0 && isfinite(arm->slice_ms) && arm->effort <= arm->row->efforts,
           "strategy %u: %g ms spent, slice %g, effort %u", p, arm->spent, arm->slice_ms, arm->effort);
    LOG(SEARCH, "%s, view %d, effort %u: %g ms%s, %u candidates, %u fit", strategy_names[p], arm->view,
        effort, search_ms(s) - begin, cut ? ", cut short" : "", s->count, s->fitting);
    COUNT(&s->work.statistics, SLICES, 1);
    s->work.strategies[p].ns += clock_work_ns() - start;
    s->work.strategies[p].values += COUNTED(&s->work.statistics, VALUES) - values;
}

/* The line whose turn it is, among those of nets or among the others. */
static Arm *next_arm(const Search *s, bool net) {
    Schedule *q = s->schedule;
    Arm *best = NULL;
    for (uint32_t k = 0; k < q->count; k++) {
        Arm *arm = &q->arms[k];
        if (!arm->finished && net == (arm->row->strategy == STRATEGY_NET) &&
            (best == NULL || bound_of(arm) < bound_of(best))) {
            best = arm;
        }
    }
    return best;
}

/* Once something fits, slices that promise much less than the one that found it are not taken; how much less
 * depends on how credible the fit is. */
static bool is_worth_it(const Search *s, const Arm *arm) {
    double uncertainty = s->schedule->score - s->tune->patience_sure;
    double max = s->schedule->fit * s->tune->patience * exp2(fmax(0, uncertainty) / s->tune->patience_bits);
    return s->schedule->fit == 0 ||
           bound_of(arm) <= (max > s->tune->patience_min ? max : s->tune->patience_min);
}

/* The next slice that is worth it; NULL: none is. While programs agree, the turns of a net pass; where they
 * do not and no further slice for programs is worth it, the rest of the time is the net's. */
static Arm *choose_arm(Search *s) {
    Arm *programs = next_arm(s, false), *net = next_arm(s, true);
    bool worth = programs != NULL && is_worth_it(s, programs);
    if (net != NULL && (!worth || bound_of(net) < bound_of(programs))) {
        if (strategy_net_needed(s)) {
            return net;
        }
        net->spent += net->slice_ms;
    }
    return worth ? programs : NULL;
}

void schedule_run(Search *s) {
    if (s->schedule == NULL) {
        s->schedule = mem_zalloc(1, sizeof *s->schedule);
        if (s->schedule == NULL) {
            return;
        }
        add_arms(s);
        s->schedule->score = s->fitting > 0 ? search_best_score(s) : 0;
    }
    Schedule *q = s->schedule;
    for (Arm *arm; !s->out_of_budget && (arm = choose_arm(s)) != NULL;) {
        double bound = bound_of(arm);
        run_slice(s, arm);
        q->fit = q->fit == 0 && s->fitting > 0 ? bound : q->fit;
        q->score = s->slice_fits > 0 ? search_best_score(s) : q->score;
        add_intermediates(s);
    }
}

void schedule_close(Search *s) {
    for (uint32_t k = 0; s->schedule != NULL && k < s->schedule->count; k++) {
        Arm *arm = &s->schedule->arms[k];
        close_state(s, arm);
        mem_free(arm->task);
    }
    if (s->schedule != NULL) {
        mem_free(s->schedule->arms);
    }
    mem_free(s->schedule);
    s->schedule = NULL;
}

uint32_t schedule_past(const Search *s, ArmPast *past) {
    uint32_t n = 0;
    for (uint32_t k = 0; s->schedule != NULL && k < s->schedule->count && n < SEARCH_MAX_PAST; k++) {
        const Arm *arm = &s->schedule->arms[k];
        if (!starts_from_intermediate(arm->row)) {
            past[n++] = (ArmPast){arm->row->strategy, arm->under, arm->view,    arm->effort,
                                  arm->finished,      arm->spent, arm->slice_ms};
        }
    }
    return n;
}
