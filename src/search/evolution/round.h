/* The scratch of one worker while it breeds tasks: shared by round.c, which breeds solvers, and
 * round_differs.c. */
#ifndef BATT_SEARCH_EVOLUTION_ROUND_H
#define BATT_SEARCH_EVOLUTION_ROUND_H

#include "backends/devices/batch.h"
#include "search/evolution/evolve.h"

enum { FORMS = 2, MAX_CHANGES = 4 };

typedef struct EvolveChild {
    const Program *program; /* in EvolveScratch.programs, or from outside */
    int handle;             /* in the battery of its form */
    uint8_t form;
    bool dead; /* an answer was not a grid */
    int32_t parents[2];
    uint32_t calls;
    uint8_t n_changes, changes[MAX_CHANGES]; /* MutationKind, FRESH or OFFERED */
    int32_t score, exact;
    Guard guard; /* only if it is exact */
    uint64_t outputs, steps, hash;
} EvolveChild;

typedef struct NodeScore { /* of a node's value on the current sample */
    uint64_t hash;
    int32_t score; /* or HASHED: only the hash is known so far; or UNKNOWN */
} NodeScore;

struct EvolveScratch {
    Mutator mutator;
    Scorer scorer;
    Battery *batteries[FORMS]; /* core over I; batt over S, I, C */
    BatteryRun run;
    Batch *batches[FORMS]; /* of this round; NULL: the battery has no batched operations */
    BatchRun batch_runs[FORMS];
    NodeScore *scores;
    uint32_t run_room;
    Typed *parents; /* of the population, by member */
    bool *drafted;
    uint64_t *parent_weights;
    uint32_t parents_room;
    EvolveChild *children;
    uint32_t count, room;
    void *programs, *unused; /* of the children, one after another; where the next one goes */
    size_t programs_room;
    int32_t min_score[EVOLVE_CLASSES]; /* score that a child of each length needs to be kept */
    /* of this round; kept here because tasks lie side by side in memory, and scratches do not */
    Statistics statistics;
    Draft one, two, bred;
    Typed child[2], mate;
    Builder builder;
    DifferTally *tallies; /* of the children on the current sample, if they are differs */
};

/* Room for a run of a battery with this many nodes. False: no memory. */
bool round_run_room(EvolveScratch *scratch, uint32_t nodes);

/* ---- differs (round_differs.c) ---- */

/* Runs all children over the cases of the training pairs, and scores them. False: no memory. */
bool round_judge_differs(EvolveScratch *scratch, Ctx *ctx, EvolveTask *task);
/* Measures time and tests. */
void round_examine_differ(Ctx *ctx, const EvolveTask *task, EvolveMember *member);

#endif
