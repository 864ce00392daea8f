/* Searching many tasks: one search a task, spread over worker threads. */
#ifndef BATT_SEARCH_SOLVE_H
#define BATT_SEARCH_SOLVE_H

#include "search/search.h"

enum { SOLVE_ATTEMPTS = 3 };

typedef struct SolveAnswer { /* one attempt at one test */
    Image image;             /* h = 0: none */
    uint32_t candidate;      /* which of the task's programs gave it */
} SolveAnswer;

typedef struct SolveProgram {
    Program *program;
    uint8_t part;
    uint32_t right; /* training pairs */
    uint32_t support, unseen;
    double cost, rank; /* rank: cost with doubts and support; what the order goes by */
    uint8_t doubts;    /* set of SearchDoubtId */
    uint64_t steps;    /* of the search when it was found */
    uint64_t hash;     /* of its answers */
} SolveProgram;

typedef struct SolveTask {
    const Task *task;
    SolveProgram *programs; /* those behind the answers, best first */
    uint32_t n_programs;
    SolveAnswer (*answers)[SOLVE_ATTEMPTS]; /* one row a test */
    int8_t *cells;
    bool done, resumed; /* resumed: the answers are an earlier run's */
    unsigned rounds;    /* searches: 2 if it got time that others left */
    uint32_t candidates, fitting;
    LookPast past[SEARCH_MOST_PAST]; /* what was looked at, for a second round */
    uint32_t n_past;
    uint64_t steps, values, time_ns;
    uint64_t part_steps[PART_COUNT], part_ns[PART_COUNT], part_values[PART_COUNT], part_built_ns[PART_COUNT];
} SolveTask;

/* Search one task and keep the best answers with their programs. False: no memory. time_ns is time the thread
 * worked. */
bool solve_task(SolveTask *result, const Task *task, Ctx *ctx, Ctx *check, const SearchLimits *limits);
/* Search deeper, from what the first search found. False: no memory, and the result is as it was. */
bool solve_again(SolveTask *result, Ctx *ctx, Ctx *check, const SearchLimits *limits);
void solve_task_free(SolveTask *result);
/* Is the test's output among the first `attempts` answers? */
bool solve_is_right(const SolveTask *result, uint32_t test, unsigned attempts);

#endif
