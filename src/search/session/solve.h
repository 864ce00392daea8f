/* Searching one task and keeping its best answers, with the programs behind them. */
#ifndef BATT_SEARCH_SESSION_SOLVE_H
#define BATT_SEARCH_SESSION_SOLVE_H

#include "search/schedule/search_state.h"

enum { SOLVE_ATTEMPTS = 3 };

typedef struct SolveAnswer { /* one attempt at one test */
    Image image;             /* h = 0: none */
    uint32_t candidate;      /* which of the task's programs gave it */
} SolveAnswer;

typedef struct SolveProgram {
    Program *program; /* NULL: answers of a net */
    Image *answers;   /* of a net, one per test in one block: a second round takes them over; else NULL */
    double by_net;    /* what they cost then */
    uint8_t strategy;
    uint32_t right; /* training pairs */
    Backing backing;
    double cost, score; /* rank: cost with penalties and support, by which they are sorted */
    uint16_t penalties; /* set of PenaltyId */
    uint64_t steps;     /* of the search when it was found */
    uint64_t hash;      /* of its answers */
} SolveProgram;

typedef struct SolveTask {
    const Task *task;
    SolveProgram *programs; /* those behind the answers, best first */
    uint32_t n_programs;
    SolveAnswer (*answers)[SOLVE_ATTEMPTS]; /* one row per test */
    int8_t *cells;
    bool done, resumed; /* resumed: the answers are from an earlier run */
    unsigned rounds;    /* searches: 2 if it got time that others left over */
    uint32_t candidates, fitting;
    ArmPast past[SEARCH_MAX_PAST]; /* how far it was searched, for a second round */
    uint32_t n_past;
    uint64_t time_ns;
    SearchWork work;
} SolveTask;

static inline uint64_t solve_steps(const SolveTask *result) {
    return COUNTED(&result->work.statistics, SEARCH_STEPS);
}

/* Searches one task and keeps the best answers with their programs. False: no memory. time_ns is the time
 * that the thread worked. */
bool solve_task(SolveTask *result, const Task *task, Ctx *ctx, Ctx *check, const SearchLimits *limits);
/* Searches deeper, from what the first search found, which is not changed. False: no memory, and there is no
 * result. */
bool solve_again(SolveTask *result, const SolveTask *first, Ctx *ctx, Ctx *check, const SearchLimits *limits);
/* A program as the input of a later search. */
SearchEarlier solve_earlier(const SolveProgram *program);
void solve_task_free(SolveTask *result);
/* Is the test's output among the first `attempts` answers? */
bool solve_is_right(const SolveTask *result, uint32_t test, unsigned attempts);

#endif
