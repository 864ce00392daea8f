/* Program x parameters -> value. */
#ifndef BATT_ENGINE_EVAL_EVAL_H
#define BATT_ENGINE_EVAL_EVAL_H

#include "base/image.h"
#include "engine/language/program.h"
#include "engine/primitives/prim.h"

/* The program's result; params are its nparams values, alive in any arena. The caller sets the context's
 * mode. The context is not reset here, so that inputs may live in its arena. A failed result carries the
 * line where it arose (.i). */
Val eval_program(Ctx *ctx, const Program *program, const Val *params);
/* The same, but keeps the value of every slot (prog_slots() of them). For traces and batteries. */
Val eval_slots(Ctx *ctx, const Program *program, const Val *params, Val *slots);
/* Evaluates one op over the slots filled so far. */
Val eval_op(Ctx *ctx, const Program *program, const Op *op, const Val *slots);
/* A grid of bytes, e.g. of a task, as a value. No copy: cells must outlive the value. */
Val eval_grid(Image image);
/* And back: the cells of a grid of bytes. */
static inline Image eval_image(Val grid) {
    return (Image){(int32_t)grid.n, grid.w, grid.b8};
}

#endif
