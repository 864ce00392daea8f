/* A guard against overfitting: programs that fit the training pairs are tried on transformed pairs.
 *
 * What a program is made of decides which of two transformations are sound: colors that are not among
 * its constants may be permuted (0 stays: it is the background by convention), and if no call has a
 * direction in it (symmetric.def), the pairs may be mirrored. A program that then fails relied on an
 * accidental order. */
#ifndef BATT_SEARCH_EVOLUTION_GUARD_H
#define BATT_SEARCH_EVOLUTION_GUARD_H

#include "data/tasks/task.h"
#include "engine/language/program.h"
#include "engine/value/ctx.h"

typedef struct Guard {
    int32_t passed, total; /* checks, each over all training pairs; total 0: none was sound */
} Guard;

enum { GUARD_MAX = 4 }; /* checks */

/* Every failed check costs a point of the score, so that of equally right programs the sound one is better,
 * here and in the store; but a right program stays better than any wrong one (SCORE_NEAREST). */
static inline int32_t guard_failed(Guard guard) {
    return guard.total - guard.passed;
}

/* Runs the checks in `ctx`, which is reset. */
Guard guard_check(Ctx *ctx, const Program *program, const Task *task);

#endif
