/* A program while it is being changed: fixed room, no heap.
 *
 * Ops may be in any order and may be unused; an argument is a Ref (engine/language/build.h). So an edit
 * appends ops and redirects arguments, and draft_simplify afterwards keeps what the result needs, each call
 * once, in the one order that follows from the result; it refuses cycles. Constants are borrowed from the
 * program the draft came from, or are small enough to need no memory. */
#ifndef BATT_SEARCH_EVOLUTION_DRAFT_H
#define BATT_SEARCH_EVOLUTION_DRAFT_H

#include "engine/language/build.h"

enum { DRAFT_OPS = 96, DRAFT_CONSTS = 64, DRAFT_ARGS = 6, DRAFT_SLOTS = 3 + DRAFT_CONSTS + DRAFT_OPS };
#define REF_NONE UINT32_MAX

typedef struct DraftOp {
    uint8_t kind, nargs; /* OpKind */
    uint16_t prim;
    Ref args[DRAFT_ARGS];
} DraftOp;

typedef struct Draft {
    uint8_t mode, nparams;
    uint32_t nops, nconsts;
    Ref result;
    uint64_t hash; /* of what it computes; set by draft_simplify */
    Val consts[DRAFT_CONSTS];
    DraftOp ops[DRAFT_OPS];
} Draft;

/* A draft as a program, for evaluating and typing; it points into itself and into the draft. */
typedef struct DraftView {
    Program program; /* without names and hash */
    Op ops[DRAFT_OPS];
    uint32_t args[DRAFT_OPS * DRAFT_ARGS];
} DraftView;

void draft_start(Draft *draft, Mode mode, unsigned nparams); /* nothing but parameters */
bool draft_from(Draft *draft, const Program *program);       /* false: it is too large to be changed */
void draft_copy(Draft *to, const Draft *from);               /* only what is in use */
Ref draft_const(Draft *draft, Val value);                    /* REF_NONE: no room */
Ref draft_op(Draft *draft, OpKind kind, uint32_t prim, const Ref *args, uint32_t n); /* REF_NONE: no room */

/* Canonical form: see above; arguments of commutative primitives are put in order, identity(x) becomes x.
 * False: it has a cycle, or is too large. */
bool draft_simplify(const Draft *draft, Draft *simple);
/* The same; from[k] becomes the op of `draft` that op k of `simple` came from. */
bool draft_simplify_from(const Draft *draft, Draft *simple, uint8_t from[DRAFT_OPS]);
/* The simplified draft as a view. */
void draft_view(const Draft *draft, DraftView *view);
/* The same, written to `memory`: at most DRAFT_BYTES(its ops). *end is the first aligned address after it. */
const Program *draft_write(const Draft *draft, void *memory, void **end);
#define DRAFT_BYTES(nops)                                                                                   \
    (sizeof(Program) + DRAFT_CONSTS * sizeof(Val) + (nops) * (sizeof(Op) + DRAFT_ARGS * sizeof(uint32_t)) + \
     16)
Program *draft_finish(const Draft *draft, Builder *builder, const char *name); /* NULL: no memory */

#endif
