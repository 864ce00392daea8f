/* Turning a task and wrapping programs; see view.h. */
#include "search/view.h"

#include <string.h>

static Val oriented(Ctx *ctx, unsigned prim, Val grid, Val reference, int view) {
    Val args[3] = {grid, reference, val_int(view)};
    return ctx->fns[prim](ctx, args);
}

/* Where a 2 x 3 grid of six colors goes tells which way it was turned. */
static bool turned_alike(Ctx *ctx, const SearchTask *t, int view) {
    static const int8_t probe[6] = {1, 2, 3, 4, 5, 6};
    Val first = VAL_EMPTY_TUPLE;
    for (uint32_t k = 0; k < t->n; k++) {
        Val v = oriented(ctx, P_stamp_orient, val_grid8(probe, 2, 3), t->in[k], view);
        if (k > 0 && !val_eq(v, first)) {
            return false;
        }
        first = v;
    }
    return true;
}

bool view_of(Ctx *ctx, const SearchTask *task, int view, SearchTask *to) {
    *to = *task;
    if (turned_alike(ctx, task, view)) {
        return false;
    }
    for (uint32_t k = 0; k < task->n; k++) {
        to->in[k] = oriented(ctx, P_stamp_orient, task->in[k], task->in[k], view);
        to->out[k] = k < task->n_train ? oriented(ctx, P_stamp_orient, task->out[k], task->in[k], view)
                                       : VAL_EMPTY_TUPLE;
        if (to->in[k].kind != VAL_GRID8 || (k < task->n_train && to->out[k].kind != VAL_GRID8)) {
            return false;
        }
    }
    search_task_colors(to);
    return true;
}

Program *view_wrap(Builder *b, Program *p, int view) {
    build_start(b);
    Ref by = build_const(b, val_int(view)), args[3] = {PARAM_I, PARAM_I, by};
    Ref turned = build_op(b, OP_PRIM, P_stamp_orient, args, 3, 0, "", 0);
    Ref back[3] = {build_inline(b, p, &turned), PARAM_I, by};
    Ref result = build_op(b, OP_PRIM, P_stamp_unorient, back, 3, 0, "", 0);
    Program *wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    prog_free(p);
    return wrapped;
}
