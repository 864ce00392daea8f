/* Sets of indices in plans, as rows of bits.
 *
 * Much of what closures do with places is thrown away at once: the neighbours of a cell are made to be
 * intersected, counted, painted or merged with those of other cells. A plan makes none of these sets. It
 * knows beforehand, from the ranges of its columns, where all of them lie; if that is a window of at most 256
 * rows and columns, a set is a few rows of bits in it. So are elements that are small patches, and objects of
 * one color, which is a number of its own.
 *
 * None of these operations can fail, but the primitives they stand for allocate and walk keys, which costs
 * steps that depend on how many there are. So a block of elements is worked out first; then it is known what
 * they cost, and only if there is certainly enough fuel and memory for all of them it is charged and counts.
 */
#ifndef BATT_ENGINE_ARCDSL_CLOSURE_PLAN_PATCH_H
#define BATT_ENGINE_ARCDSL_CLOSURE_PLAN_PATCH_H

#include "engine/arcdsl/closure_plan.h"

enum { PATCH_WINDOW = 256, PATCH_COLORS_MAX = 32 };

/* cplan_wanted for elements that are patches whose results are merged, as rows of bits: a plan is worth it
 * for fewer of them if what they are made with is dear, and it surely has no calls element by element. */
bool patch_plan_wanted(const Ctx *ctx, Val f, uint32_t elements);

/* Does operations on sets of indices for the n elements of the current block, whose early columns are there.
 * False: fuel or memory may not last; nothing was charged. Otherwise steps are charged, and also the events
 * of the elements. */
bool patches_block(ClosurePlan *plan, Ctx *ctx, uint32_t n);

/* The union of the results for all elements, which are sets of indices or objects of one color (CTERM_PATCH,
 * CTERM_COLORED). False: nothing was done, and elements have to be called the plain way. Charges and counts
 * what single calls and merging their results would have cost. */
bool patches_merged(Ctx *ctx, ClosurePlan *plan, Val *to);

#endif
