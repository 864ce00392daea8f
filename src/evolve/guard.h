/* A guard against overfitting: what fits the training pairs is tried on transformed pairs.
 *
 * Two transformations are sound by what the program is made of: colors that are none of its constants may be
 * permuted (0 stays: it is the background by custom), and where no call has a direction in it (symmetric.def)
 * the pairs may be mirrored. A program that then fails leaned on the order in which things happened to stand.
 */
#ifndef BATT_EVOLVE_GUARD_H
#define BATT_EVOLVE_GUARD_H

#include "core/ctx.h"
#include "lang/program.h"
#include "task/task.h"

typedef struct Guard {
    int32_t passed, total; /* checks, each over all training pairs; none sound: 0 */
} Guard;

enum { GUARD_MOST = 4 }; /* checks */

/* Every one that fails costs a point of the score, so that of equally right programs the sound one is better,
 * here and in the store; and a right one stays better than any that is not (SCORE_NEAREST). */
static inline int32_t guard_failed(Guard guard) {
    return guard.total - guard.passed;
}

/* The context is reset. */
Guard guard_check(Ctx *ctx, const Program *program, const Task *task);

#endif
