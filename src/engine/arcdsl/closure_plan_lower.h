/* Internals of plans: terms, turning primitives into operations on columns, and undoing what was begun. */
#ifndef BATT_ENGINE_ARCDSL_CLOSURE_PLAN_LOWER_H
#define BATT_ENGINE_ARCDSL_CLOSURE_PLAN_LOWER_H

#include "engine/arcdsl/closure_plan.h"

#include <string.h>

static inline CplanNumber number_constant(int32_t x) {
    return (CplanNumber){.column = -1, .lo = x, .hi = x};
}
static inline bool number_is_constant(CplanNumber x) {
    return x.column < 0;
}
static inline CplanTerm cterm_number(CplanNumber a) {
    return (CplanTerm){.kind = CTERM_NUMBER, .a = a};
}
static inline CplanTerm cterm_pair(CplanNumber a, CplanNumber b) {
    return (CplanTerm){.kind = CTERM_PAIR, .a = a, .b = b};
}

/* The state to return to if something turns out not to be possible on columns. */
enum { CPLAN_STATE = offsetof(ClosurePlan, real) - offsetof(ClosurePlan, late) };
typedef struct CplanMark {
    char state[CPLAN_STATE];
} CplanMark;

static inline CplanMark cplan_mark(const ClosurePlan *p) {
    CplanMark mark;
    memcpy(mark.state, (const char *)p + offsetof(ClosurePlan, late), CPLAN_STATE);
    return mark;
}
static inline void cplan_back(ClosurePlan *p, const CplanMark *to) {
    memcpy((char *)p + offsetof(ClosurePlan, late), to->state, CPLAN_STATE);
}

/* The column of a number; a constant gets one that is filled once. False: no room. */
bool cplan_column_of(ClosurePlan *p, CplanNumber x, uint8_t *to);
/* A new column for numbers in this range. False: no room, or the range is too large. */
bool cplan_new_column(ClosurePlan *p, int64_t lo, int64_t hi, CplanNumber *to);
static inline bool cplan_is_late(const ClosurePlan *p, uint8_t column) {
    return p->late >> column & 1;
}
/* A constant value as a term. False: no room. */
bool cplan_constant(ClosurePlan *p, Val v, CplanTerm *to);
/* The tuple of two terms that are pairs or cells, as a term. False: no room. */
bool cplan_two(ClosurePlan *p, const CplanTerm *a, const CplanTerm *b, CplanTerm *to);
/* Whether the next tuple or closure need not exist, as far as is known. */
bool cplan_virtual(const ClosurePlan *p);
/* Records an event. False: no room. */
bool cplan_event(ClosurePlan *p, uint32_t prim);
/* Calls a function that is a term. False: not possible. */
bool cplan_call(ClosurePlan *p, Ctx *ctx, const CplanTerm *f, const CplanTerm *args, uint32_t n,
                CplanTerm *to);
/* Closures that closures make, and loops over few constants (closure_plan_partial.c); the primitive's own
 * event is recorded. False: not possible, and the plan is unchanged. */
bool partial_lower(ClosurePlan *p, Ctx *ctx, uint32_t prim, const CplanTerm *args, CplanTerm *to);
/* One of two terms of the same kind, chosen by a number. False: not possible. */
bool cplan_choose(ClosurePlan *p, CplanNumber by, const CplanTerm *yes, const CplanTerm *no, CplanTerm *to);
/* Whether a number is not 0; the sum of two. */
bool cplan_truth(ClosurePlan *p, CplanNumber x, CplanNumber *to);
bool cplan_sum(ClosurePlan *p, CplanNumber x, CplanNumber y, CplanNumber *to);
/* What is known about the order of two numbers, or of two pairs. */
typedef enum CplanOrder { ORDER_UNKNOWN, ORDER_SAME, ORDER_LESS, ORDER_GREATER } CplanOrder;
CplanOrder cplan_order(const ClosurePlan *p, const CplanTerm *x, const CplanTerm *y);
/* The greater (or lesser) of two numbers, and whether the second one is. */
bool cplan_better(ClosurePlan *p, bool max, CplanNumber best, CplanNumber x, CplanNumber *better,
                  CplanNumber *to);
/* Whether a term is the element, and all elements are packed patches so small that walking over them costs
 * nothing. If so: the colors of their first cells, if they are objects; false: no room. */
bool cplan_small_patch(ClosurePlan *p, const CplanTerm *t);
PatchBounds cplan_edges(ClosurePlan *p); /* the box around all of them */
bool cplan_color(ClosurePlan *p, CplanNumber *to);
/* Whether there are such operations for a primitive at all. */
bool cplan_lowers(uint32_t prim);
/* The result of a primitive by operations on columns. False: not possible, and the plan is unchanged. */
bool cplan_lower(ClosurePlan *p, uint32_t prim, const CplanTerm *args, CplanTerm *to);
/* The same by operations on sets of indices (closure_plan_patch.c). */
bool patch_lower(ClosurePlan *p, const Ctx *ctx, uint32_t prim, const CplanTerm *args, CplanTerm *to);
/* The register of a term that is a set of indices. */
bool patch_register(ClosurePlan *p, const CplanTerm *t, bool whole, uint8_t *to);
/* What mapply makes of two sets of indices. */
bool patch_merge(ClosurePlan *p, const CplanTerm *x, const CplanTerm *y, CplanTerm *to);

#endif
