/* Changing a task and wrapping programs; see view.h. */
#include "search/view.h"

#include <string.h>

typedef struct Change {
    unsigned there, back; /* primitives over a grid, a reference and `given` */
    Val given[2];
    uint32_t n_given;
} Change;

/* Colors that play a part of their own: in all outputs but in no input, or in all inputs but in no output. */
static int fixed_colors(const SearchTask *t) {
    return (t->out_all & ~t->in_colors) | (t->in_all & ~t->out_colors);
}

static Change change_of(const SearchTask *t, int view) {
    if (view < VIEW_TURNED) {
        return (Change){
            P_stamp_roles, P_stamp_unroles, {val_int(view - VIEW_ROLES), val_int(fixed_colors(t))}, 2};
    }
    return (Change){P_stamp_orient, P_stamp_unorient, {val_int(view - VIEW_TURNED)}, 1};
}

static Val changed(Ctx *ctx, const Change *c, Val grid, Val reference) {
    Val args[4] = {grid, reference, c->given[0], c->given[1]};
    return prim_direct(ctx, c->there, args);
}

/* Where a grid of ten colors goes tells how it was turned and recolored. */
static bool changed_alike(Ctx *ctx, const SearchTask *t, const Change *c) {
    static const int8_t probe[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    Val first = VAL_EMPTY_TUPLE;
    for (uint32_t k = 0; k < t->n; k++) {
        Val v = changed(ctx, c, val_grid8(probe, 2, 5), t->in[k]);
        if (k > 0 && !val_eq(v, first)) {
            return false;
        }
        first = v;
    }
    return true;
}

bool view_of(Ctx *ctx, const SearchTask *task, int view, SearchTask *to) {
    Change c = change_of(task, view);
    *to = *task;
    if (changed_alike(ctx, task, &c)) {
        return false;
    }
    for (uint32_t k = 0; k < task->n; k++) {
        to->in[k] = changed(ctx, &c, task->in[k], task->in[k]);
        to->out[k] = k < task->n_train ? changed(ctx, &c, task->out[k], task->in[k]) : VAL_EMPTY_TUPLE;
        if (to->in[k].kind != VAL_GRID8 || (k < task->n_train && to->out[k].kind != VAL_GRID8)) {
            return false;
        }
    }
    search_task_colors(to);
    return true;
}

static Ref change_ref(Builder *b, const Change *c, unsigned prim, Ref grid) {
    Ref args[4] = {grid, PARAM_I};
    for (uint32_t k = 0; k < c->n_given; k++) {
        args[2 + k] = build_const(b, c->given[k]);
    }
    return build_op(b, OP_PRIM, prim, args, 2 + c->n_given, 0, "", 0);
}

Program *view_wrap(Builder *b, const SearchTask *task, Program *p, int view) {
    Change c = change_of(task, view);
    build_start(b);
    Ref there = change_ref(b, &c, c.there, PARAM_I);
    Ref result = change_ref(b, &c, c.back, build_inline(b, p, &there));
    Program *wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    prog_free(p);
    return wrapped;
}

double view_cost(int view) {
    enum { TURNED = 5 }; /* numbering colors by role is no more than what the rule says of them anyway */
    return view < VIEW_TURNED ? 0 : TURNED;
}
