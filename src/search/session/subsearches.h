/* Subsearches of a task, so that several workers, and several machines, can search one task at a
 * time.
 *
 * The arms (search/schedule/schedule.h) are distributed over the subsearches by a fixed rule; each
 * subsearch is a search of its own, with its share of the task's budget. What they found is merged into one
 * result: every program is offered again, subsearch by subsearch, and all are ranked together. So the
 * result depends on the number of subsearches, which the user chooses, and on nothing else.
 *
 * Subsearches with the more promising arms come first. If one of them has an answer that is certain
 * enough, the result is merged from the subsearches up to this one, whatever the later ones have
 * found: they are dropped, however far they had got.
 *
 * A unit is one subsearch of one task. Units are numbered subsearch by subsearch, so that all tasks
 * have their first subsearch before any has its second. */
#ifndef BATT_SEARCH_SESSION_SUBSEARCHES_H
#define BATT_SEARCH_SESSION_SUBSEARCHES_H

#include "search/session/solve.h"

enum { SUBSEARCHES_MAX = 64 };

typedef struct SubsearchTask {
    SolveTask *found; /* one per subsearch, `done` if it is there; NULL: none is */
    uint32_t needed;  /* the first so many subsearches make the result */
    bool cut;         /* one of them was stopped */
} SubsearchTask;

typedef struct Subsearches {
    size_t n_tasks;
    uint32_t count; /* per task; 1: they are searched whole, and nothing is kept here */
    SubsearchTask *tasks;
    Stop *dropped; /* by unit */
} Subsearches;

bool subsearches_open(Subsearches *subsearches, size_t tasks,
                      uint32_t count); /* false: no memory; close it anyway */
void subsearches_close(Subsearches *subsearches);
void subsearches_begin(Subsearches *subsearches); /* a round over all tasks */

static inline size_t subsearches_units(const Subsearches *subsearches) {
    return subsearches->n_tasks * subsearches->count;
}
static inline size_t subsearches_task(const Subsearches *subsearches, size_t unit) {
    return unit % subsearches->n_tasks;
}
static inline uint32_t subsearches_index(const Subsearches *subsearches, size_t unit) {
    return (uint32_t)(unit / subsearches->n_tasks);
}
static inline size_t subsearches_unit(const Subsearches *subsearches, size_t task, uint32_t subsearch) {
    return subsearch * subsearches->n_tasks + task;
}

/* The limits of a subsearch, from those of the task. */
void subsearches_share(const Subsearches *subsearches, size_t unit, SearchLimits *limits);
/* Takes over what a subsearch found. Units that are of no use any more are marked as dropped: the subsearches
 * from `needed` on. False: no memory. */
bool subsearches_take(Subsearches *subsearches, size_t unit, SolveTask *result, bool cut,
                      const Tunables *tune);
bool subsearches_any(const Subsearches *subsearches, size_t task);   /* something is there */
bool subsearches_whole(const Subsearches *subsearches, size_t task); /* all that is needed is there */
/* Makes the task's result from what is there, and from the result of an earlier round (NULL: none), and
 * forgets the subsearches. False: no memory. */
bool subsearches_merge(Subsearches *subsearches, size_t task, const SolveTask *first, Ctx *ctx, Ctx *check,
                       const SearchLimits *limits, SolveTask *result);

#endif
