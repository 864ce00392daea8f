/* A search as its strategies see it: the task, what they may spend, where programs and memory go.
 *
 * A strategy (search/schedule/strategies.h) proposes programs (search/schedule/candidates.h) when its turn
 * comes. It never sees test outputs: SearchTask does not hold them. The state of the scheduler and the
 * session (search/schedule/search_state.h) is hidden from it.
 *
 * Two contexts: `ctx` is the strategies' own arena for the whole search of a task (values seen stay there),
 * `check` is reset for every offer. Budgets are counted in steps, so that runs with the same number of steps
 * are identical; the clock only matters in runs that were given seconds. */
#ifndef BATT_SEARCH_SCHEDULE_SEARCH_H
#define BATT_SEARCH_SCHEDULE_SEARCH_H

#include "base/statistics.h"
#include "base/stop.h"
#include "engine/language/build.h"
#include "engine/primitives/prim.h"
#include "search/schedule/candidates.h"
#include "search/schedule/intermediates.h"
#include "search/schedule/quota.h"
#include "search/schedule/tunables.h"

typedef enum Strategy {
#define STRATEGY(id, name, functions, max_cells, scope, traits, text) STRATEGY_##id,
#include "search/schedule/strategies.def"
    STRATEGY_COUNT
} Strategy;

extern const char *const strategy_names[STRATEGY_COUNT + 1]; /* ends with NULL */

enum { SEARCH_MAX_SAMPLES = 64 }; /* training pairs beyond this are only used to check */

typedef struct SearchTask {
    const char *id;
    uint32_t n_train, n_test, n; /* n = n_train + n_test: inputs */
    Val in[SEARCH_MAX_SAMPLES];  /* training inputs, then test inputs */
    Val out[SEARCH_MAX_SAMPLES]; /* of the training pairs only */
    uint32_t max_side;           /* of grids worth considering: ARC_SIDE, unless the task has larger ones */
    bool same_size;              /* every training output has its input's size */
    /* bit sets of colors: in any input, any output, all inputs, all outputs; tests count as inputs */
    uint16_t in_colors, out_colors, in_all, out_all;
} SearchTask;

/* Nets: never; where programs have no sure answer and there is time; nothing else. */
typedef enum NetUse { NET_USE_OFF, NET_USE_AUTO, NET_USE_ONLY } NetUse;

/* Where nets come from and go to, and who watches them learn. Called by the thread that trains. */
struct Net;
typedef struct NetHooks {
    void *user;
    /* Before the first step: makes it the net of an earlier search, if there was one. May be NULL. */
    void (*resume)(void *user, struct Net *net, const char *task, uint64_t seed);
    /* After each step, and after the last one. May be NULL. */
    void (*stepped)(void *user, const struct Net *net, const char *task);
    void (*trained)(void *user, const struct Net *net, const char *task, uint64_t seed);
} NetHooks;

typedef struct NetLimits {
    NetUse use;
    unsigned threads;      /* 0: one */
    uint64_t seed;         /* another one for every search of the task */
    const NetHooks *hooks; /* may be NULL */
} NetLimits;

struct Search {
    const SearchTask *task; /* as the strategy that runs now sees it: in a view (view.h), or as it is */
    const SearchTask *own;  /* as it is */
    const Tunables *tune;
    unsigned effort; /* 1: what is quick; 2 and more: everything */
    bool slice_over; /* return soon; set by search_spend and its like, only to be read */
    Ctx *ctx, *check;
    Builder builder; /* scratch for making programs */
    /* memory outside the arena: for what strategies note; for candidates, and for making them */
    Quota quota, kept;
    Statistics *statistics;
    struct Backend *backend;       /* where batched operations run; NULL: on the processor */
    const Stop *stop;              /* may be NULL */
    const struct IdiomSet *idioms; /* what enumeration puts together */
    const struct Library *library; /* may be NULL */
    const NetLimits *net;
    struct SearchState *state; /* of the scheduler: search_state.h */
};

static inline uint64_t search_steps(const Search *search) { /* spent so far, in evaluation and outside it */
    return COUNTED(search->statistics, SEARCH_STEPS);
}
/* Counts work done; false: the slice or the budget is used up or the user wants to stop, so return soon.
 * Cheap enough to call every few microseconds of work. */
bool search_spend(Search *search, uint64_t steps);
/* For work in long steps: ends the slice if its time is over, or if a further step of so many milliseconds
 * would exceed the budget. */
void search_spend_ahead(Search *search, double next_ms);
/* Counts time in which a device worked for this search, as if the search had. */
void search_waited(Search *search, uint64_t ns);
/* Books the time since `begin` (by clock_work_ns) as building values. */
void search_built(Search *search, uint64_t begin);
/* Milliseconds of work so far; if the budget is in steps, the time that the steps would take. */
double search_ms(const Search *search);
double search_budget_ms(const Search *search); /* of the whole search; 0: no limit */
bool search_is_timed(const Search *search);    /* by the clock, not by steps */
/* Ends the slice after a share of what is left of it; returns the end of the whole slice, which
 * search_lengthen_slice goes back to. */
double search_shorten_slice(Search *search, double share);
double search_limit_slice(Search *search, double ms); /* likewise, after so many milliseconds at the latest */
void search_lengthen_slice(Search *search, double end);
/* Whether a pair is left out (leave_out.h), so that nothing that is found is kept. */
bool search_is_trial(const Search *search);

#endif
