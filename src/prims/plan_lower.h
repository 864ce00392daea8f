/* Internals of plans: terms, turning primitives into operations on columns, and undoing what was begun. */
#ifndef BATT_PRIMS_PLAN_LOWER_H
#define BATT_PRIMS_PLAN_LOWER_H

#include "prims/plan.h"

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
    uint32_t ncolumns, nops, ncalls, nconsts, nevents, ncounted, nplaces, nvalues, depth;
} PlanMark;

static inline PlanMark plan_mark(const Plan *p) {
    return (PlanMark){p->ncolumns, p->nops,    p->ncalls,  p->nconsts, p->nevents,
                      p->ncounted, p->nplaces, p->nvalues, p->depth};
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
}

/* The column of a number; a constant gets one that is filled once. False: no room. */
bool plan_column_of(Plan *p, PlanNumber x, uint8_t *to);
/* The result of a primitive by operations on columns. False: not possible, and the plan is unchanged. */
bool plan_lower(Plan *p, uint32_t prim, const Term *args, Term *to);

#endif
