/* Search for programs that solve one task: what its parts see, and what they may spend.
 *
 * A part (search/schedule/strategies.h) proposes programs (search/schedule/candidates.h), when its turn comes
 * (search/schedule/schedule.h). It never sees test outputs: SearchTask does not hold them.
 *
 * Two contexts: `ctx` is the part's own arena for the whole search of a task (values seen stay there),
 * `check` is reset for every offer. Budgets are counted in steps, so that runs with the same number of steps
 * are identical; the clock only matters in runs that were given seconds. */
#ifndef BATT_SEARCH_SCHEDULE_SEARCH_H
#define BATT_SEARCH_SCHEDULE_SEARCH_H

#include "base/stop.h"
#include "data/tasks/task.h"
#include "engine/eval/battery.h"
#include "engine/language/build.h"
#include "search/schedule/candidates.h"
#include "search/schedule/intermediates.h"
#include "search/schedule/quota.h"
#include "search/schedule/tunables.h"

typedef enum Strategy {
#define STRATEGY(id, name, open, run, close, text) STRATEGY_##id,
#include "search/schedule/strategies.def"
#undef STRATEGY
    STRATEGY_COUNT
} Strategy;

extern const char *const strategy_names[STRATEGY_COUNT + 1]; /* ends with NULL */

enum { SEARCH_MAX_SAMPLES = 64 }; /* training pairs beyond this are only used to check */

typedef struct SearchTask {
    const char *id;
    uint32_t n_train, n_test, n; /* n = n_train + n_test: inputs */
    Val in[SEARCH_MAX_SAMPLES];  /* training inputs, then test inputs */
    Val out[SEARCH_MAX_SAMPLES]; /* of the training pairs only */
    uint32_t max_side;           /* of grids worth looking at: ARC_SIDE, unless the task has larger ones */
    bool same_size;              /* every training output has its input's size */
    /* bit sets of colors: in any input, any output, all inputs, all outputs; tests count as inputs */
    uint16_t in_colors, out_colors, in_all, out_all;
} SearchTask;

enum { SEARCH_MAX_PAST = 512 };

typedef struct ArmPast { /* one part at one view, see search/schedule/schedule.h */
    uint8_t strategy;
    int8_t under, view;
    uint8_t effort;
    bool finished;
    double spent, slice_ms; /* milliseconds */
} ArmPast;

/* Nets: never; where programs have no sure answer and there is time; nothing else. */
typedef enum NetUse { NET_USE_OFF, NET_USE_AUTO, NET_USE_ONLY } NetUse;

/* Where nets come from and go to, and who watches them learn. Called by the thread that trains. */
struct Net;
typedef struct SearchNets {
    void *user;
    /* Before the first step: makes it the net of an earlier search, if there was one. May be NULL. */
    void (*resume)(void *user, struct Net *net, const char *task, uint64_t seed);
    /* After each step, and after the last one. May be NULL. */
    void (*stepped)(void *user, const struct Net *net, const char *task);
    void (*trained)(void *user, const struct Net *net, const char *task, uint64_t seed);
} SearchNets;

typedef struct SearchLimits {
    uint64_t steps;             /* for this task, 0: no limit */
    uint64_t time_ns;           /* for this task, 0: no limit */
    uint64_t quota;             /* bytes outside the arenas, 0: no limit */
    const Stop *stop, *dropped; /* dropped: the result is of no use any more; either may be NULL */
    uint32_t subsearch,
        subsearches;               /* which of how many; see subsearches.h. 0 or 1: all is searched at once */
    uint32_t without;              /* bit set of parts that are switched off */
    const struct IdiomSet *idioms; /* what enumeration puts together */
    const Tunables *tunables;      /* NULL: the defaults */
    const struct Library *library; /* may be NULL */
    struct Backend *backend;       /* where bulk operations are done; NULL: by the processor */
    const SearchEarlier *earlier;  /* offered first */
    uint32_t n_earlier;
    const ArmPast *past; /* how far an earlier search has looked */
    uint32_t n_past;
    bool no_strategies; /* only offer the earlier finds */
    NetUse net;
    unsigned net_threads;   /* of a net; 0: one */
    uint64_t net_seed;      /* another one for every search of the task */
    const SearchNets *nets; /* may be NULL */
    /* Called with every candidate that is new, or better than one with the same answers; may be NULL. */
    void (*found)(void *user, const struct Search *search, const Candidate *candidate);
    void *user;
} SearchLimits;

/* What a search has done: in total, and by part. */
typedef struct StrategyWork {
    uint64_t steps, ns, values;
    uint64_t built_ns; /* the share of ns for building and deduplicating values; 0: not known */
} StrategyWork;

typedef struct SearchWork {
    Statistics statistics;
    StrategyWork strategies[STRATEGY_COUNT];
} SearchWork;
void search_work_add(SearchWork *to, const SearchWork *more);

struct Search {
    const SearchTask *task; /* as the current part sees it: in a view (view.h), or as it is */
    const SearchTask *own;  /* as it is */
    int view;
    int under;                               /* the view that `view` is taken of; both and the base: view.h */
    const SearchTask *under_task;            /* what the view is taken of */
    const struct Intermediate *intermediate; /* that `task` starts from, or NULL */
    Ctx *ctx, *check;
    SearchLimits limits;
    const Tunables *tune;
    Builder builder; /* scratch for parts that make programs */
    /* memory outside the arena: for the parts' notes; for candidates, and for making them */
    Quota quota, kept;
    uint64_t start_ns, waited_ns; /* waited: see search_waited */
    SearchWork work;
    Candidate *candidates; /* best first after search_order_candidates */
    uint32_t count, room;
    uint32_t fitting;  /* candidates right on all training pairs, and simple enough to be trusted */
    Strategy strategy; /* the one that runs now */
    unsigned effort;   /* 1: what is quick; 2: everything */
    double slice_end;  /* when the part's turn is over, by search_ms */
    bool slice_over, out_of_budget;
    uint32_t slice_fits;       /* offers of this look that are right on all pairs */
    struct LeaveOut *left_out; /* the pair that is left out right now, or NULL: leave_out.h */
    struct Schedule *schedule;
    struct Net *net;             /* that is trained on the task, or NULL */
    Intermediates intermediates; /* what parts share */
};

bool search_open(Search *search, const SearchTask *task, Ctx *ctx, Ctx *check, const SearchLimits *limits);
void search_close(Search *search);
void search_task_fill(SearchTask *to, const Task *from);
void search_task_colors(SearchTask *task); /* sets the color sets and same_size from the grids */

static inline uint64_t search_steps(const Search *search) { /* spent so far, in evaluation and outside it */
    return COUNTED(&search->work.statistics, SEARCH_STEPS);
}
/* Counts work done; false: the budget is used up or the user wants to stop, so return soon. Cheap enough to
 * call every few microseconds of work. */
bool search_spend(Search *search, uint64_t steps);
/* Counts time in which a device worked for this search, as if the search had. */
void search_waited(Search *search, uint64_t ns);
/* Books the time since `begin` (by clock_work_ns) as building values. */
void search_built(Search *search, uint64_t begin);
/* Milliseconds of work so far; if the budget is in steps, the time that the steps would take. */
double search_ms(const Search *search);
double search_budget_ms(const Search *search); /* of the whole search; 0: no limit */

/* Offers earlier finds, runs the parts that are not switched off (schedule.h), and ranks the candidates. */
void search_run(Search *search);

#endif
