/* Why a call failed: which argument, what it was and what was expected.
 *
 * A failed value carries a reason, a primitive and a line, which is all that the fast path can afford to
 * record. For a human reader, the program is run once more up to that line, and the arguments are compared
 * with the signature. */
#ifndef BATT_ENGINE_EVAL_EXPLAIN_H
#define BATT_ENGINE_EVAL_EXPLAIN_H

#include "engine/language/program.h"
#include "engine/language/types.h"

const char *explain_reason(Reason reason); /* "a value of the wrong kind" */

/* Appends ": argument 1 'piece' is 5 (int), expected piece" for a primitive that was called with n arguments
 * and failed, or whatever else can be said, if anything. */
void explain_call(Out *out, Types *types, Mode mode, uint32_t prim, const Val *args, uint32_t n, Val failed);

/* Appends ": argument 3 'patch' is 5 (int), expected patch", or whatever else can be said, if anything. op is
 * the one that failed although none of its arguments did. */
void explain_op(Out *out, Types *types, const Program *program, const Op *op, const Val *slots, Val failed);

/* The same after running the program again in ctx, with a fresh budget. */
void explain_program(Out *out, Types *types, Ctx *ctx, const Program *program, const Val *params, Val failed);

#endif
