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
 * element are timed; work on columns counts as time of the primitive that made the plan.
 *
 * Sets of indices that a closure makes on its way (neighbours, lines, boxes and what set algebra makes of
 * them) need not exist either: they are rows of bits in a window around all of them (closure_plan_patch.h).
 * What their keys would have cost is charged as if they had been made. */
#ifndef BATT_ENGINE_ARCDSL_CLOSURE_PLAN_H
#define BATT_ENGINE_ARCDSL_CLOSURE_PLAN_H

#include "engine/primitives/prim.h"

enum {
    CPLAN_BLOCK = 128,  /* elements worked on at a time */
    CPLAN_COLUMNS = 64, /* a set of them is a word of bits */
    CPLAN_OPS = 96,     /* on columns */
    CPLAN_CALLS = 16,
    CPLAN_CONSTS = 48,
    CPLAN_EVENTS = 255,
    CPLAN_TWOS = 16,   /* tuples of two */
    CPLAN_MADE = 16,   /* closures that are made for each element */
    CPLAN_SCOPES = 32, /* primitives that call others */
    CPLAN_FEWS = 6,    /* containers of few terms */
    CPLAN_FEW_ITEMS = 8,
    CPLAN_PLACES = 6,   /* sets that pairs or numbers are looked for in */
    CPLAN_PATCHES = 16, /* operations on sets of indices */
    CPLAN_DEPTH = 32,
    CPLAN_FEW = 10,        /* from this many elements on, a plan is worth making */
    CPLAN_FEW_DIRECT = 32, /* the same for a bare primitive */
    CPLAN_NESTED = 32      /* surrounding closure calls: plans live on the stack, so nesting is limited */
};

/* Whether the elements of the only input are packed patches so small that walking over them is free. */
typedef enum CplanEdged { EDGED_UNKNOWN, EDGED_NOT, EDGED_INDICES, EDGED_OBJECTS, EDGED_MIXED } CplanEdged;

/* A number in a plan: a column or a constant, with its range. */
typedef struct CplanNumber {
    int16_t column; /* -1: a constant, equal to both lo and hi */
    int32_t lo, hi;
} CplanNumber;

typedef enum CplanTermKind {
    CTERM_NUMBER,
    CTERM_PAIR,
    CTERM_CELL,
    CTERM_TRIPLE,
    CTERM_CONST,
    CTERM_VALUE,
    CTERM_POINT,   /* the set of one pair */
    CTERM_PATCH,   /* a set of indices */
    CTERM_COLORED, /* the object of these places in the color `a` */
    CTERM_PAINTED, /* the object that a grid shows there */
    CTERM_COLORS,  /* the colors of that object */
    CTERM_ITEM,    /* an element of the constant container consts[value]: that at position a */
    CTERM_TWO,     /* a tuple of two that is neither pair nor cell: twos[value] */
    CTERM_MADE,    /* a closure that is only called: made[value] */
    CTERM_FEW      /* a container of at most CPLAN_FEW_ITEMS: fews[value] */
} CplanTermKind;

/* What is known about a value before the plan runs. */
typedef struct CplanTerm {
    uint8_t kind;  /* CplanTermKind */
    uint8_t value; /* of a CTERM_VALUE and from CTERM_PATCH on: its register; of a CTERM_CONST: its number */
    /* number; pair or point; color, row and column of a cell; the three numbers of a triple */
    CplanNumber a, b, c;
} CplanTerm;

/* A tuple of two, or a closure, that exists only while the plan is made. `site`: how many were made before
 * it; `value`: the register that also has it, of an element that comes as a value as well, else 255. */
typedef struct CplanTwo {
    CplanTerm part[2];
    uint8_t site, value;
} CplanTwo;

typedef struct CplanMade {
    uint8_t op, arity, site; /* ClosureOp */
    CplanTerm part[3];
} CplanMade;

/* A container of a few terms. Those of a set differ from each other; `kept`: 1, or whether a filter has kept
 * them. */
typedef struct CplanFew {
    uint8_t n, site;
    bool all; /* none was filtered out */
    CplanTerm item[CPLAN_FEW_ITEMS];
    CplanNumber kept[CPLAN_FEW_ITEMS];
} CplanFew;

typedef struct CplanScope {
    uint16_t prim;
    uint8_t within; /* the scope that it is in; 0: none */
} CplanScope;

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
    COLUMN_DIVIDE, /* a by the constant b, rounded down */
    COLUMN_EDGE,  /* of the elements of the only input, which are patches: top, left, bottom or right, by a */
    COLUMN_COLOR, /* of the first cells of the elements of the only input, which are objects */
    COLUMN_AMONG, /* whether (a, b) is in places[c] */
    COLUMN_INDEX, /* the cell at (a, b) of the grid consts[c] */
    COLUMN_SIZE,  /* sizes of the elements of the only input, which are containers */
    COLUMN_DISTANCE /* from (a, b) to the nearest place of the patch consts[c] */
} ColumnOp;

typedef struct CplanOp {
    uint8_t op, to, a, b, c; /* ColumnOp, columns */
    bool late;               /* needs a number that an operation on sets of indices gives */
} CplanOp;

/* Operations on sets of indices. The number of an operation is the register of its result. */
typedef enum PatchStep {
    PATCH_CONSTANT, /* consts[b] */
    PATCH_INPUT,    /* the places of the element */
    PATCH_POINT,    /* (i, j) */
    PATCH_AROUND,   /* those of the eight neighbours of (i, j) whose bits are set in b */
    PATCH_LINE,     /* from (i, j) to (k, l), if there is one */
    PATCH_RAY,      /* from (i, j) b steps, each `by` rows down and `across` columns right */
    PATCH_ROW,      /* 30 places of row i */
    PATCH_COLUMN,   /* 30 places of column j */
    PATCH_INSERT,   /* a and (i, j) */
    PATCH_UNION,
    PATCH_MERGE, /* the same as mapply does it */
    PATCH_COMMON,
    PATCH_WITHOUT,
    PATCH_BACKDROP, /* of the box around a: all places, */
    PATCH_DELTA,    /* those not in a, */
    PATCH_OUTLINE,  /* the border of the box grown by `by`, */
    PATCH_CORNERS,  /* the corners */
    PATCH_SHIFT,    /* a moved by (i, j) */
    PATCH_COPY,     /* a, with what a copy of its keys costs */
    PATCH_CELLS,    /* the same where apply puts a color before each of its places */
    PATCH_PAINTED,  /* the places of a within the grid consts[b], and the colors there */
    PATCH_PICKED,   /* those places of a, painted by the grid consts[b], that have the color i */
    PATCH_PALETTE,  /* only charges for what a's palette costs */
    /* from here on the result is a number, in column `to` */
    PATCH_SIZE,
    PATCH_HAS,       /* whether (i, j) is in a */
    PATCH_COLORS,    /* number of colors of a */
    PATCH_NUMCOLORS, /* the same, with what the primitive costs */
    PATCH_COUNT,     /* of how many places of a, painted by the grid consts[b], the color is i */
    PATCH_HAS_COLOR, /* whether i is one of them */
    PATCH_STEPS
} PatchStep;

/* Rows and columns from top and left to bottom and right, all inclusive; top > bottom: none. */
typedef struct PatchBounds {
    int32_t top, left, bottom, right;
} PatchBounds;

typedef struct PatchOp {
    uint8_t step;           /* PatchStep */
    uint8_t a, b;           /* registers, except where noted */
    uint8_t i, j, k, l, to; /* columns */
    int8_t by, across;
    bool some;      /* its result is never empty */
    bool clipped;   /* a constant of which only the places in the window matter */
    PatchBounds in; /* the places of its result are within these */
} PatchOp;

/* Where an argument that varies between elements comes from. The parts that do not vary are already in
 * place. */
typedef struct CplanMove {
    uint8_t kind, to; /* CplanTermKind; argument */
    uint8_t from;     /* of a CTERM_VALUE: its register */
    uint8_t a, b, c;  /* of other kinds: their columns */
} CplanMove;

typedef struct CplanCall {
    PrimFn fn;
    uint16_t prim; /* CPLAN_NO_PRIM: the comparison of a matcher, which does not count as a call */
    uint8_t to, depth;
    uint8_t events, counted, closures; /* events before its body begins; calls and closures made among them */
    uint8_t steps;                     /* events since the previous body */
    uint8_t nmoves;
    bool direct; /* its only argument is a register, and needs no move */
    CplanMove moves[4];
    Val args[4];
} CplanCall;
enum { CPLAN_NO_PRIM = UINT16_MAX, CPLAN_CLOSURE = UINT16_MAX - 1 };

/* The places of a constant set of indices, as rows of bits in one or two words. */
typedef struct CplanPlaces {
    int32_t top, left;
    uint32_t height, words;
    uint64_t rows[128];
} CplanPlaces;

/* A container that elements are taken from. */
typedef struct CplanInput {
    Val c;
    int16_t column[6]; /* columns of its numbers */
    uint8_t width;     /* numbers per element; 0: it is a value, in register `value` */
    uint8_t value;
    bool valued; /* elements come both ways */
    bool halved; /* elements are tuples of two, whose parts are values in registers value + 1 and value + 2 */
    bool fixed;  /* the same element is used throughout: */
    uint32_t at; /* this one */
} CplanInput;

typedef struct ClosurePlan {
    CplanInput inputs[2];
    uint32_t ninputs, deepest;
    uint32_t tail;            /* events after the last body */
    uint32_t elements, block; /* all elements, and those worked on at a time */
    uint32_t from, upto;      /* range of elements whose columns have been computed */
    uint32_t whole;           /* elements that were completed but not counted yet */
    /* from here on what CplanMark keeps */
    uint64_t late;     /* columns that are known only after operations on sets of indices */
    uint64_t constant; /* columns that are the same for all elements */
    uint32_t ncolumns, nops, ncalls, nconsts, nevents, ncounted, nplaces, nvalues, npatches;
    uint32_t ntwos, nmade, nfews, nscopes, nclosures; /* nclosures: made for each element, but only in name */
    uint32_t sites;                                   /* tuples and closures that need not exist, so far */
    uint32_t room;                                    /* bytes that these would need for each element */
    uint32_t charge; /* steps per element beyond its events, where they are always the same */
    uint8_t
        repeats[CPLAN_PATCHES]; /* how often an operation on sets is asked for again: it is only charged */
    uint32_t depth, scope;      /* while the plan is made */
    /* up to here */
    uint64_t real;       /* sites at which a value is needed after all */
    uint8_t object_kind; /* of the mode */
    bool again;          /* a site turned out to be real, so the plan has to be made again */
    bool values_come;    /* some input supplies values and is not fixed */
    bool with_patches;   /* while the plan is made: operations on sets of indices may be used */
    bool tried_patches;  /* some were */
    bool spent;          /* the fuel does not last for a block: elements are called the plain way */
    PatchBounds window;  /* around all sets of indices */
    Val f;
    CplanTerm result;
    /* from here on nothing is cleared when the plan is made again */
    uint8_t edged;     /* whether elements have edges: CplanEdged */
    bool unicolor;     /* if they are objects: each has one color */
    bool bounded;      /* this is known: */
    PatchBounds edges; /* of all of them together */
    PatchOp patches[CPLAN_PATCHES];
    CplanOp ops[CPLAN_OPS];
    CplanCall calls[CPLAN_CALLS];
    /* primitives called; CPLAN_NO_PRIM: a closure is entered; CPLAN_CLOSURE: one is allocated */
    uint16_t events[CPLAN_EVENTS];
    uint16_t counted[CPLAN_EVENTS]; /* the primitives among them */
    uint8_t inside[CPLAN_EVENTS];   /* scopes that events are part of */
    CplanScope scopes[CPLAN_SCOPES];
    CplanTwo twos[CPLAN_TWOS];
    CplanMade made[CPLAN_MADE];
    CplanFew fews[CPLAN_FEWS];
    Val consts[CPLAN_CONSTS];
    Val values[CPLAN_CALLS + 6];
    CplanPlaces places[CPLAN_PLACES];
    int32_t columns[CPLAN_COLUMNS][CPLAN_BLOCK];
} ClosurePlan;

/* Whether making a plan for this many elements is allowed and worth it. */
static inline bool cplan_wanted(const Ctx *ctx, Val f, uint32_t elements) {
    return elements >= (f.kind == VAL_CLOSURE ? CPLAN_FEW : CPLAN_FEW_DIRECT) && f.kind >= VAL_PRIM &&
           !ctx->stepwise && FAST_PATH(ctx) && ctx->depth < CPLAN_NESTED;
}
/* Makes a plan for calling f on the elements of n inputs; the caller has asked cplan_wanted. False: not
 * possible, or not worth it. */
bool cplan_make(ClosurePlan *plan, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements);
/* The same for results that are only merged: they may be sets of indices that do not exist (CTERM_PATCH), in
 * which case only patches_merged and cplan_value can be asked. */
bool cplan_make_merged(ClosurePlan *plan, Ctx *ctx, Val f, Val input);
/* From now on this input always supplies its element `at`. */
void cplan_fix(ClosurePlan *plan, uint32_t input, uint32_t at);

/* Whether it consists of columns only. */
static inline bool cplan_pure(const ClosurePlan *plan) {
    return plan->ncalls == 0 && (plan->result.kind <= CTERM_TRIPLE || plan->result.kind == CTERM_ITEM);
}
/* Whether elements cost more than their events, so that one alone is called the plain way. */
static inline bool cplan_charges(const ClosurePlan *plan) {
    return plan->npatches != 0 || plan->charge != 0;
}

/* Computes, charges and counts up to `n` elements of a pure plan, starting at `from`. Returns how many; 0:
 * the fuel does not last for the next one, which must then be called the plain way. */
uint32_t cplan_block(ClosurePlan *plan, Ctx *ctx, uint32_t from, uint32_t n);
/* The same for any plan, but only its columns; charges and counts nothing. */
uint32_t cplan_columns(ClosurePlan *plan, uint32_t from, uint32_t n);
/* The number for element k of that block. */
static inline int32_t cplan_number(const ClosurePlan *plan, CplanNumber x, uint32_t k) {
    return x.column < 0 ? x.lo : plan->columns[x.column][k];
}
Val cplan_result(const ClosurePlan *plan, uint32_t k);
void cplan_results(const ClosurePlan *plan, uint32_t n, Val *to); /* for the first n elements */
/* The same numbers one after the other: the one for element k is at[k * step]. */
typedef struct CplanNumbers {
    const int32_t *at;
    uint32_t step;
} CplanNumbers;
static inline CplanNumbers cplan_numbers(const ClosurePlan *plan, const CplanNumber *x) {
    return x->column < 0 ? (CplanNumbers){&x->lo, 0} : (CplanNumbers){plan->columns[x->column], 1};
}

/* The value for element `at`; elements must be asked for in ascending order. */
Val cplan_value(ClosurePlan *plan, Ctx *ctx, uint32_t at);
/* The values for n elements from `from` on; false with *why set if a call failed. What a call allocated is
 * released if its value needs no memory. */
bool cplan_values(ClosurePlan *plan, Ctx *ctx, uint32_t from, uint32_t n, Val *to, Val *why);
/* To be called after the last of these: counts their calls. */
void cplan_close(ClosurePlan *plan, Ctx *ctx);

#endif
