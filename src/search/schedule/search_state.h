/* A search as its owner and the scheduler see it: limits, work done, candidates, the view that is current.
 *
 * Strategies do not include this: they are given a Search (search.h), whose `state` this is. */
#ifndef BATT_SEARCH_SCHEDULE_SEARCH_STATE_H
#define BATT_SEARCH_SCHEDULE_SEARCH_STATE_H

#include "data/tasks/task.h"
#include "search/schedule/search.h"

enum { SEARCH_MAX_PAST = 512, SEARCH_MAX_ATTEMPTS = 8 };

typedef struct ArmPast { /* one strategy at one view, see search/schedule/schedule.h */
    uint8_t strategy;
    int8_t under, view;
    uint8_t effort;
    bool finished;
    double spent, slice_ms; /* milliseconds */
} ArmPast;

typedef struct SearchEarlier { /* a program that an earlier search of the task found; as in Candidate */
    const Program *program;    /* NULL: answers of a net */
    uint8_t strategy;
    double cost;
    Backing backing;
    uint64_t steps;
    const Image *answers; /* one per test, if a net gave them; else NULL */
    double by_net;        /* if a net gave them */
} SearchEarlier;

typedef struct SearchLimits {
    uint64_t steps;             /* for this task, 0: no limit */
    uint64_t time_ns;           /* for this task, 0: no limit */
    uint64_t quota;             /* bytes outside the arenas, 0: no limit */
    const Stop *stop, *dropped; /* dropped: the result is of no use any more; either may be NULL */
    uint32_t subsearch,
        subsearches;               /* which of how many; see subsearches.h. 0 or 1: all is searched at once */
    uint32_t without;              /* bit set of strategies that are switched off */
    const struct IdiomSet *idioms; /* for the strategies, as in Search */
    bool own_idioms;               /* some of them call primitives of one's own */
    const Tunables *tunables;      /* NULL: the defaults */
    const struct Library *library;
    struct Backend *backend;
    const SearchEarlier *earlier; /* offered first */
    uint32_t n_earlier;
    const ArmPast *past; /* how far an earlier search has got */
    uint32_t n_past;
    bool no_strategies; /* only offer the earlier finds */
    NetLimits net;
    /* Called with every candidate that is new, or better than one with the same answers; may be NULL. */
    void (*found)(void *user, const Search *search, const Candidate *candidate);
    void *user;
} SearchLimits;

/* What a search has done: in total, and by strategy. */
typedef struct StrategyWork {
    uint64_t steps, ns, values;
    uint64_t built_ns; /* the share of ns for building and deduplicating values; 0: not known */
} StrategyWork;

typedef struct SearchWork {
    Statistics statistics;
    StrategyWork strategies[STRATEGY_COUNT];
} SearchWork;
void search_work_add(SearchWork *to, const SearchWork *more);

typedef struct SearchState {
    SearchLimits limits;
    SearchWork work;
    uint64_t start_ns, waited_ns;     /* waited: see search_waited */
    uint64_t outside_ns;              /* what functions from outside had waited in its contexts before */
    int view, under;                  /* that `task` is seen in; `under`: the view that `view` is taken of */
    const SearchTask *under_task;     /* what the view is taken of */
    const Intermediate *intermediate; /* that `task` starts from, or NULL */
    Strategy strategy;                /* the one that runs now */
    double slice_end;                 /* when its turn is over, by search_ms */
    bool out_of_budget;
    uint32_t slice_fits;       /* offers of this slice that are right on all pairs */
    struct LeaveOut *left_out; /* the pair that is left out right now, or NULL: leave_out.h */
    Candidate *candidates;     /* best first after search_order_candidates */
    uint32_t count, room;
    uint32_t fitting; /* candidates right on all training pairs, and simple enough to be trusted */
    struct Schedule *schedule;
    Intermediates intermediates; /* what strategies share */
} SearchState;

/* False: no memory. */
uint64_t search_waited_ns(const Search *search); /* for devices and functions from outside */
bool search_open(Search *search, const SearchTask *task, Ctx *ctx, Ctx *check, const SearchLimits *limits);
void search_close(Search *search);
void search_task_fill(SearchTask *to, const Task *from);
void search_task_colors(SearchTask *task); /* sets the color sets and same_size from the grids */

/* Offers earlier finds, runs the strategies that are not switched off (schedule.h), and ranks the
 * candidates. */
void search_run(Search *search);

/* Offers a program that an earlier search found. */
bool search_offer_earlier(Search *search, const SearchEarlier *earlier);
/* Tells a candidate how the current slice did with pairs left out, if the slice speaks for it: `wrong` of
 * `tried` pairs were predicted wrongly; `by_same` were predicted rightly by programs with its answers. */
void candidates_predicted(Search *search, Candidate *candidate, uint32_t tried, uint32_t wrong,
                          uint32_t by_same);
void candidates_free(Search *search);
/* The best rank among candidates that are right on all pairs; HUGE_VAL: there are none. */
double search_best_score(Search *search);
/* The answer to a test for this attempt (from 0), different from those before it, or NULL. After
 * search_order_candidates. `who` may be NULL. */
const Image *search_answer(const Search *search, uint32_t test, uint32_t attempt, const Candidate **who);

#endif
