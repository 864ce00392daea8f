/* Compiled closures: a function that is to be called on many elements, analyzed only once.
 *
 * A closure is a tree of calls without branches, so for elements of one kind it is a straight sequence of
 * calls. A plan is that sequence. Calls of primitives on numbers, pairs and cells work on columns, with one
 * 32-bit number for each element of a block; taking a pair apart or putting one together is then no work at
 * all. Ranges of the numbers are known beforehand, so nothing in a column can overflow, and no call on
 * columns can fail. Everything else is called element by element, in the order of the plain path.
 *
 * Step and call counts are the same as without plans: every call and every closure entered is an event that
 * costs a step, and the events of an element are charged and counted in order. Where the fuel may not last
 * for all of them, they are charged one by one (or the element runs call by call), so that an evaluation ends
 * at the same call. ctx->stepwise switches plans off. When calls are measured, only calls made element by
 * element are timed; work on columns counts as time of the primitive that made the plan. */
#ifndef BATT_PRIMS_PLAN_H
#define BATT_PRIMS_PLAN_H

#include "dsl/prim.h"

enum {
    PLAN_BLOCK = 128, /* elements worked on at a time */
    PLAN_COLUMNS = 40,
    PLAN_OPS = 48, /* on columns */
    PLAN_CALLS = 12,
    PLAN_CONSTS = 16,
    PLAN_EVENTS = 64,
    PLAN_DEPTH = 32,
    PLAN_FEW = 10,        /* from this many elements on, a plan is worth making */
    PLAN_FEW_DIRECT = 32, /* the same for a bare primitive */
    PLAN_NESTED = 32      /* surrounding closure calls: plans live on the stack, so nesting is limited */
};

/* A number in a plan: a column or a constant, with its range. */
typedef struct PlanNumber {
    int16_t column; /* -1: a constant, equal to both lo and hi */
    int32_t lo, hi;
} PlanNumber;

typedef enum TermKind { TERM_NUMBER, TERM_PAIR, TERM_CELL, TERM_TRIPLE, TERM_CONST, TERM_VALUE } TermKind;

/* What is known about a value before the plan runs. */
typedef struct Term {
    uint8_t kind;       /* TermKind */
    uint8_t value;      /* of a TERM_VALUE: its register; of a TERM_CONST: its number */
    PlanNumber a, b, c; /* number; pair; color, row and column of a cell; the three numbers of a triple */
} Term;

typedef enum ColumnOp {
    COLUMN_ADD,
    COLUMN_SUBTRACT,
    COLUMN_MULTIPLY,
    COLUMN_HALVE,
    COLUMN_SIGN,
    COLUMN_EVEN,
    COLUMN_GREATER,
    COLUMN_EQUAL,
    COLUMN_NOT,
    COLUMN_CHOOSE, /* a != 0 ? b : c */
    COLUMN_MAX,
    COLUMN_MIN,
    COLUMN_AND,
    COLUMN_AMONG, /* whether (a, b) is in places[c] */
    COLUMN_SIZE   /* sizes of the elements of the only input, which are containers */
} ColumnOp;

typedef struct PlanOp {
    uint8_t op, to, a, b, c; /* ColumnOp, columns */
} PlanOp;

/* Where an argument that varies between elements comes from. The parts that do not vary are already in
 * place. */
typedef struct PlanMove {
    uint8_t kind, to; /* TermKind; argument */
    uint8_t from;     /* of a TERM_VALUE: its register */
    uint8_t a, b, c;  /* of other kinds: their columns */
} PlanMove;

typedef struct PlanCall {
    PrimFn fn;
    uint16_t prim; /* PLAN_NO_PRIM: the comparison of a matcher, which does not count as a call */
    uint8_t to, depth;
    uint8_t events, counted; /* events before its body begins, and the calls among them */
    uint8_t steps;           /* events since the previous body */
    uint8_t nmoves;
    PlanMove moves[4];
    Val args[4];
} PlanCall;
enum { PLAN_NO_PRIM = UINT16_MAX };

/* The places of a constant set of indices, as rows of bits. */
typedef struct PlanPlaces {
    int32_t top, left;
    uint64_t rows[64];
} PlanPlaces;

/* A container that elements are taken from. */
typedef struct PlanInput {
    Val c;
    int16_t column[3]; /* columns of its numbers; -1: not needed */
    uint8_t width;     /* numbers per element; 0: it is a value, in register `value` */
    uint8_t value;
    bool fixed; /* the same element is used throughout */
} PlanInput;

typedef struct Plan {
    PlanInput inputs[2];
    uint32_t ninputs, ncolumns, nops, ncalls, nconsts, nevents, ncounted, nplaces, nvalues;
    uint32_t depth, deepest;
    uint32_t tail; /* events after the last body */
    /* surrounding calls of apply, while the plan is made and where the fuel ran out */
    uint32_t within;
    uint32_t elements, block; /* all elements, and those worked on at a time */
    uint32_t from, upto;      /* range of elements whose columns have been computed */
    uint32_t whole;           /* elements that were completed but not counted yet */
    bool values_come;         /* some input supplies values and is not fixed */
    Term result;
    PlanOp ops[PLAN_OPS];
    PlanCall calls[PLAN_CALLS];
    uint16_t events[PLAN_EVENTS];  /* primitives called; PLAN_NO_PRIM: a closure is entered */
    uint16_t counted[PLAN_EVENTS]; /* the primitives among them */
    uint8_t inside[PLAN_EVENTS];   /* number of calls of apply that an event is part of */
    Val consts[PLAN_CONSTS];
    Val values[PLAN_CALLS + 2];
    PlanPlaces places[2];
    int32_t columns[PLAN_COLUMNS][PLAN_BLOCK];
} Plan;

/* Whether making a plan for this many elements is allowed and worth it. */
static inline bool plan_wanted(const Ctx *ctx, Val f, uint32_t elements) {
    return elements >= (f.kind == VAL_CLOSURE ? PLAN_FEW : PLAN_FEW_DIRECT) && f.kind >= VAL_PRIM &&
           !ctx->stepwise && FAST_PATH(ctx) && ctx->depth < PLAN_NESTED;
}
/* Makes a plan for calling f on the elements of n inputs; the caller has asked plan_wanted. False: not
 * possible, or not worth it. */
bool plan_make(Plan *plan, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements);
/* From now on this input always supplies its element `at`. */
void plan_fix(Plan *plan, uint32_t input, uint32_t at);

/* Whether it consists of columns only. */
static inline bool plan_pure(const Plan *plan) {
    return plan->ncalls == 0 && plan->result.kind <= TERM_TRIPLE;
}

/* Computes, charges and counts up to `n` elements of a pure plan, starting at `from`. Returns how many; 0:
 * the fuel does not last for the next one, which must then be called the plain way. */
uint32_t plan_block(Plan *plan, Ctx *ctx, uint32_t from, uint32_t n);
/* The same for any plan, but only its columns; charges and counts nothing. */
uint32_t plan_columns(Plan *plan, uint32_t from, uint32_t n);
/* The number for element k of that block. */
static inline int32_t plan_number(const Plan *plan, PlanNumber x, uint32_t k) {
    return x.column < 0 ? x.lo : plan->columns[x.column][k];
}
Val plan_result(const Plan *plan, uint32_t k);

/* The value for element `at`; elements must be asked for in ascending order. */
Val plan_value(Plan *plan, Ctx *ctx, uint32_t at);
/* To be called after the last of these: counts their calls. */
void plan_close(Plan *plan, Ctx *ctx);

#endif
