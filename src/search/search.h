/* Search for programs that solve one task: what its parts see, and what they may spend.
 *
 * A part (search/parts.h) proposes programs (search/candidates.h), when its turn comes (search/schedule.h).
 * It never sees test outputs: SearchTask does not hold them.
 *
 * Two contexts: `ctx` is the part's own region for the whole search of a task (values seen stay there),
 * `check` is reset for every offer. Budgets are counted in steps, so that a run with the same number of steps
 * is the same run; a clock only decides in runs that were given seconds. */
#ifndef BATT_SEARCH_SEARCH_H
#define BATT_SEARCH_SEARCH_H

#include "exec/battery.h"
#include "lang/build.h"
#include "search/bases.h"
#include "search/candidates.h"
#include "search/quota.h"
#include "search/tunables.h"
#include "task/task.h"

#include <signal.h>

typedef enum SearchPart {
#define PART(id, name, open, run, close, text) PART_##id,
#include "search/parts.def"
#undef PART
    PART_COUNT
} SearchPart;

extern const char *const search_part_names[PART_COUNT + 1]; /* ends with NULL */

enum { SEARCH_MOST_SAMPLES = 64 }; /* training pairs beyond this are only used to check */

typedef struct SearchTask {
    const char *id;
    uint32_t n_train, n_test, n;  /* n = n_train + n_test: inputs */
    Val in[SEARCH_MOST_SAMPLES];  /* training inputs, then test inputs */
    Val out[SEARCH_MOST_SAMPLES]; /* of the training pairs only */
    uint32_t most_side;           /* of grids worth looking at: ARC_SIDE, unless the task has larger ones */
    bool same_size;               /* every training output has its input's size */
    uint16_t in_colors, out_colors, in_all,
        out_all; /* bit sets: in any / in all inputs (tests too), outputs */
} SearchTask;

enum { SEARCH_MOST_PAST = 64 };

typedef struct LookPast { /* one part at one view, see search/schedule.h */
    uint8_t part;
    int8_t view;
    uint8_t effort;
    bool finished;
    double spent, slice; /* milliseconds */
} LookPast;

typedef struct SearchLimits {
    uint64_t steps;   /* for this task, 0: no limit */
    uint64_t time_ns; /* for this task, 0: no limit */
    uint64_t quota;   /* bytes outside the regions, 0: no limit */
    const volatile sig_atomic_t *stop;
    uint32_t without;              /* bit set of parts that are switched off */
    const struct IdiomSet *idioms; /* what enumeration puts together */
    const Tunables *tunables;      /* NULL: as they are */
    const struct Library *library; /* may be NULL */
    const SearchEarlier *earlier;  /* offered first */
    uint32_t n_earlier;
    const LookPast *past; /* what an earlier search has looked at */
    uint32_t n_past;
    bool no_parts; /* only offer the earlier finds */
} SearchLimits;

struct Search {
    const SearchTask *task; /* as the part at work sees it: in a view (view.h), or as it is */
    const SearchTask *own;  /* as it is */
    int view;
    const Program *base; /* that makes the inputs of `task`, where the view is a base; else NULL */
    double base_cost;
    Ctx *ctx, *check;
    SearchLimits limits;
    const Tunables *tune;
    Builder builder; /* scratch for parts that make programs */
    Quota quota,
        kept; /* memory outside the region: what parts note; candidates, and what making them takes */
    uint64_t start_ns;
    uint64_t steps;  /* spent so far, ctx and check and search_spend together */
    uint64_t values; /* values built so far (over all samples), for the rate */
    uint64_t part_steps[PART_COUNT], part_ns[PART_COUNT], part_values[PART_COUNT];
    uint64_t
        part_built_ns[PART_COUNT]; /* of part_ns, for building and deduplicating values; 0: not known apart */
    Candidate *candidates;         /* best first after search_rank */
    uint32_t count, room;
    uint32_t fitting; /* candidates right on all training pairs, and simple enough to be believed */
    SearchPart part;  /* the one at work */
    unsigned effort;  /* 1: what is quick; 2: everything */
    double look_end;  /* by search_ms, when the part's turn is over */
    bool look_over, out_of_budget;
    struct Schedule *schedule;
    Bases bases; /* what parts share */
};

bool search_open(Search *search, const SearchTask *task, Ctx *ctx, Ctx *check, const SearchLimits *limits);
void search_close(Search *search);
void search_task_fill(SearchTask *to, const Task *from);
void search_task_colors(SearchTask *task); /* the color sets and same_size, from the grids */

/* Count work done; false: the budget is used up or the user wants to stop, return soon. Cheap enough for
 * every few microseconds of work. */
bool search_spend(Search *search, uint64_t steps);
/* What the part did since `begin`, by clock_work_ns, was building values. */
void search_built(Search *search, uint64_t begin);
/* Share of the budget used so far, 0..1, for parts that plan ahead. */
double search_used(const Search *search);
/* Milliseconds of work so far; where the budget is in steps, as many as those would take. */
double search_ms(const Search *search);
double search_budget_ms(const Search *search); /* of the whole search; 0: no limit */

/* Run all parts that are not switched off, cheapest first, until the budget ends or answers are certain. */
void search_run(Search *search);

#endif
