/* A program: straight-line calls over numbered slots.
 *
 * Slots come in three runs: parameters (I; or S, I, C), then constants, then one slot per op. An op reads
 * only slots below its own. A Program is one heap block, immutable once made, and owned by whoever made it;
 * prog_free frees it. */
#ifndef BATT_ENGINE_LANGUAGE_PROGRAM_H
#define BATT_ENGINE_LANGUAGE_PROGRAM_H

#include "engine/value/value.h"

typedef enum OpKind {
    OP_PRIM,  /* prim(args..) */
    OP_VALUE, /* args[0] is called with the others */
    OP_TUPLE, /* (args..) */
    OP_SET    /* {args..} */
} OpKind;

typedef struct Op {
    uint8_t kind; /* OpKind */
    uint8_t nargs;
    uint16_t prim;  /* id, for OP_PRIM */
    uint32_t first; /* index of its first argument in Program.args */
    uint32_t line;  /* in the source, from 1 */
} Op;

typedef struct ProgHash {
    uint64_t hi, lo;
} ProgHash;

typedef struct Program {
    const char *name; /* of the function; "" for a bare expression */
    uint8_t mode;     /* Mode, from the parameter list unless overridden */
    uint8_t nparams;  /* 1: I; 3: S, I, C */
    bool own_names;   /* lines are shown with the variables of the source: steps of a battery have numbers */
    uint32_t nconsts, nops, nargs;
    uint32_t result;   /* slot of O, or of the returned value */
    const Val *consts; /* deep-copied into the program's own block */
    const Op *ops;
    const uint32_t *args;     /* slots */
    const char *const *names; /* variable of each op's slot, "" where the source has none (nested calls) */
    ProgHash hash; /* of what it computes: names, spacing and the order of independent lines do not count */
} Program;

static inline uint32_t prog_slots(const Program *p) {
    return p->nparams + p->nconsts + p->nops;
}
static inline uint32_t prog_op_slot(const Program *p, uint32_t op) {
    return p->nparams + p->nconsts + op;
}
void prog_free(Program *program);
/* What is malformed in a program (the order of slots, a constant), or NULL. For assertions. */
const char *prog_wrong(const Program *program);

#endif
