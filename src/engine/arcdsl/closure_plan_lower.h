/* Internals of plans: terms, turning primitives into operations on columns, and undoing what was begun. */
#ifndef BATT_ENGINE_ARCDSL_CLOSURE_PLAN_LOWER_H
#define BATT_ENGINE_ARCDSL_CLOSURE_PLAN_LOWER_H

#include "engine/arcdsl/closure_plan.h"

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
typedef struct CplanMark {
    uint32_t ncolumns, nops, ncalls, nconsts, nevents, ncounted, nplaces, nvalues, depth, npatches, charge;
    uint64_t late;
} CplanMark;

static inline CplanMark cplan_mark(const ClosurePlan *p) {
    return (CplanMark){p->ncolumns, p->nops,    p->ncalls, p->nconsts,  p->nevents, p->ncounted,
                       p->nplaces,  p->nvalues, p->depth,  p->npatches, p->charge,  p->late};
}
static inline void cplan_back(ClosurePlan *p, const CplanMark *to) {
    p->ncolumns = to->ncolumns;
    p->nops = to->nops;
    p->ncalls = to->ncalls;
    p->nconsts = to->nconsts;
    p->nevents = to->nevents;
    p->nplaces = to->nplaces;
    p->nvalues = to->nvalues;
    p->ncounted = to->ncounted;
    p->depth = to->depth;
    p->npatches = to->npatches;
    p->charge = to->charge;
    p->late = to->late;
}

/* The column of a number; a constant gets one that is filled once. False: no room. */
bool cplan_column_of(ClosurePlan *p, CplanNumber x, uint8_t *to);
/* A new column for numbers in this range. False: no room, or the range is too large. */
bool cplan_new_column(ClosurePlan *p, int64_t lo, int64_t hi, CplanNumber *to);
static inline bool cplan_is_late(const ClosurePlan *p, uint8_t column) {
    return p->late >> column & 1;
}
/* The result of a primitive by operations on columns. False: not possible, and the plan is unchanged. */
bool cplan_lower(ClosurePlan *p, uint32_t prim, const CplanTerm *args, CplanTerm *to);
/* The same by operations on sets of indices (closure_plan_patch.c). */
bool patch_lower(ClosurePlan *p, const Ctx *ctx, uint32_t prim, const CplanTerm *args, CplanTerm *to);
/* The register of a term that is a set of indices. */
bool patch_register(ClosurePlan *p, const CplanTerm *t, bool whole, uint8_t *to);

#endif
