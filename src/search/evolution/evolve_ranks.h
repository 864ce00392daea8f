/* Evolution on several ranks: either the tasks are split among them, or they are islands that exchange new
 * programs.
 *
 * Split: every rank evolves its own tasks; after each generation rank 0 collects their populations and
 * sends all ranks the programs that tasks pass to each other. What a task draws depends only on the seed,
 * the task and the generation, so the result is the same as in one process. So it is if a rank is lost:
 * rank 0, which has all populations of the last complete generation, evolves the tasks of the lost rank and
 * then assigns them to the remaining ones.
 *
 * Islands: every rank evolves all tasks from a seed of its own, and at intervals sends its new best
 * programs to the others as text. If one is lost, the others go on without it. */
#ifndef BATT_SEARCH_EVOLUTION_EVOLVE_RANKS_H
#define BATT_SEARCH_EVOLUTION_EVOLVE_RANKS_H

#include "backends/ranks/wire.h"
#include "search/evolution/evolve.h"

/* The state of the run: rank 0 packs it, the others start from it. */
void evolve_pack_state(Out *out, const Evolve *evolve);
bool evolve_unpack_state(Evolve *evolve, Ranks *ranks, Wire *wire); /* false: not a state of these tasks */
/* Splits generations from now on. False: no memory. */
bool evolve_split(Evolve *evolve, Ranks *ranks);

/* Inside a generation, called by evolve_generation: rank 0 collects what the others made... */
bool evolve_collect(Evolve *evolve, bool good);
/* ... breeds the tasks of those that are lost: true if there are any, which are `mine` then... */
bool evolve_adopt(Evolve *evolve);
/* ... and sends the others the outcome, the next offers and the tasks they own from now on; they
 * wait for that. False: it was incomplete. */
bool evolve_spread(Evolve *evolve, bool good);
/* Sets `mine` by the owners of the tasks. */
void evolve_own(Evolve *evolve);

/* A task's next population from bytes. */
bool evolve_unpack_next(const Evolve *evolve, EvolveTask *task, Lang *lang, Wire *wire);

/* Takes the populations of tasks that are this rank's from now on, up to the end of the wire. */
bool evolve_take_given(Evolve *evolve, Wire *wire);

/* Islands: sends what became best in the last generations to all others, and offers theirs here in the next
 * one. *over: in, whether this island ends; out, whether any does. False: a rank is lost, or stopped. */
bool evolve_exchange(Evolve *evolve, Ranks *ranks, uint64_t generations, bool *over);
/* At the end: gathers the best of all islands for every task at rank 0, for its report. */
bool evolve_gather_best(Evolve *evolve, Ranks *ranks);

#endif
