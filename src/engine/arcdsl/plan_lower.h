/* Internals of plans: terms, turning primitives into operations on columns, and undoing what was begun. */
#ifndef BATT_PRIMS_PLAN_LOWER_H
#define BATT_PRIMS_PLAN_LOWER_H

#include "engine/arcdsl/plan.h"

static inline PlanNumber number_constant(int32_t x) {
    return (PlanNumber){.column = -1, .lo = x, .hi = x};
}
static inline bool number_is_constant(PlanNumber x) {
    return x.column < 0;
}
static inline Term term_number(PlanNumber a) {
    return (Term){.kind = TERM_NUMBER, .a = a};
}
static inline Term term_pair(PlanNumber a, PlanNumber b) {
    return (Term){.kind = TERM_PAIR, .a = a, .b = b};
}

/* The state to return to if something turns out not to be possible on columns. */
typedef struct PlanMark {
    uint32_t ncolumns, nops, ncalls, nconsts, nevents, ncounted, nplaces, nvalues, depth, npatches, charge;
    uint64_t late;
} PlanMark;

static inline PlanMark plan_mark(const Plan *p) {
    return (PlanMark){p->ncolumns, p->nops,    p->ncalls, p->nconsts,  p->nevents, p->ncounted,
                      p->nplaces,  p->nvalues, p->depth,  p->npatches, p->charge,  p->late};
}
static inline void plan_back(Plan *p, const PlanMark *to) {
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
bool plan_column_of(Plan *p, PlanNumber x, uint8_t *to);
/* A new column for numbers in this range. False: no room, or the range is too large. */
bool plan_new_column(Plan *p, int64_t lo, int64_t hi, PlanNumber *to);
static inline bool plan_is_late(const Plan *p, uint8_t column) {
    return p->late >> column & 1;
}
/* The result of a primitive by operations on columns. False: not possible, and the plan is unchanged. */
bool plan_lower(Plan *p, uint32_t prim, const Term *args, Term *to);
/* The same by operations on sets of indices (plan_patch.c). */
bool patch_lower(Plan *p, const Ctx *ctx, uint32_t prim, const Term *args, Term *to);
/* The register of a term that is a set of indices. */
bool patch_register(Plan *p, const Term *t, bool whole, uint8_t *to);

#endif
