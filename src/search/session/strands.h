/* Tasks searched in strands, so that several workers, and several machines, can search one task at a time.
 *
 * The lines of looks (search/schedule/schedule.h) are dealt out to so many strands by a fixed rule; each of
 * them is a search of its own, with its share of the task's budget. What they found is merged into one
 * result: every program is offered again, strand by strand, and all are ranked by the one price. So the
 * result depends on the number of strands, which is part of the question, and on nothing else.
 *
 * Strands with the more promising lines come first. If one of them has an answer that is certain enough,
 * the result is merged from the strands up to this one, whatever the later ones have found: they are dropped,
 * and it does not matter how far they had got.
 *
 * A unit is one strand of one task. Units are numbered strand by strand, so that all tasks have their first
 * strand before any has its second. */
#ifndef BATT_SEARCH_STRANDS_H
#define BATT_SEARCH_STRANDS_H

#include "search/session/solve.h"

enum { STRANDS_MOST = 64 };

typedef struct StrandsTask {
    SolveTask *found; /* one per strand, `done` if it is there; NULL: none is */
    uint32_t needed;  /* the first so many strands make the result */
    bool cut;         /* one of them was stopped */
} StrandsTask;

typedef struct Strands {
    size_t n_tasks;
    uint32_t count; /* per task; 1: they are searched whole, and nothing is kept here */
    StrandsTask *tasks;
    Stop *dropped; /* by unit */
} Strands;

bool strands_open(Strands *strands, size_t tasks, uint32_t count); /* false: no memory; close it anyway */
void strands_close(Strands *strands);
void strands_begin(Strands *strands); /* a round over all tasks */

static inline size_t strands_units(const Strands *strands) {
    return strands->n_tasks * strands->count;
}
static inline size_t strands_task(const Strands *strands, size_t unit) {
    return unit % strands->n_tasks;
}
static inline uint32_t strands_strand(const Strands *strands, size_t unit) {
    return (uint32_t)(unit / strands->n_tasks);
}
static inline size_t strands_unit(const Strands *strands, size_t task, uint32_t strand) {
    return strand * strands->n_tasks + task;
}

/* The limits of a strand, from those of the task. */
void strands_share(const Strands *strands, size_t unit, SearchLimits *limits);
/* Takes over what a strand found. Units that are of no use any more are marked as dropped: the strands from
 * `needed` on. False: no memory. */
bool strands_take(Strands *strands, size_t unit, SolveTask *result, bool cut, const Tunables *tune);
bool strands_any(const Strands *strands, size_t task);   /* something is there */
bool strands_whole(const Strands *strands, size_t task); /* all that is needed is there */
/* Makes the task's result from what is there, and from the result of an earlier round (NULL: none), and
 * forgets the strands. False: no memory. */
bool strands_merge(Strands *strands, size_t task, const SolveTask *first, Ctx *ctx, Ctx *check,
                   const SearchLimits *limits, SolveTask *result);

#endif
