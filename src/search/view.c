/* Changing a task and wrapping programs; see view.h. */
#include "search/view.h"

#include "features/features.h"

#include <string.h>

/* A primitive over a grid, a reference if it `refers` to one, and what is given. */
typedef struct Way {
    unsigned prim;
    bool refers;
    Val given[2];
    uint32_t n_given;
} Way;

typedef struct Change {
    Way there, back;
} Change;

/* Colors that play a part of their own: in all outputs but in no input, or in all inputs but in no output. */
static int fixed_colors(const SearchTask *t) {
    return (t->out_all & ~t->in_colors) | (t->in_all & ~t->out_colors);
}

static Change change_of(const SearchTask *t, int view) {
    if (view == VIEW_PANELS) {
        return (Change){{P_panel_sum, false, {val_int(0)}, 1}, {P_panel_paint, true, {{0}}, 0}};
    }
    if (view < VIEW_TURNED) {
        Val by = val_int(view - VIEW_ROLES), fixed = val_int(fixed_colors(t));
        return (Change){{P_stamp_roles, true, {by, fixed}, 2}, {P_stamp_unroles, true, {by, fixed}, 2}};
    }
    Val turn = val_int(view - VIEW_TURNED);
    return (Change){{P_stamp_orient, true, {turn}, 1}, {P_stamp_unorient, true, {turn}, 1}};
}

static Val go(Ctx *ctx, const Way *way, Val grid, Val reference) {
    Val args[4] = {grid, reference};
    memcpy(args + 1 + way->refers, way->given, way->n_given * sizeof *args);
    return prim_direct(ctx, way->prim, args);
}

/* Where a grid of ten colors goes tells how it was turned and recolored. */
static bool changed_alike(Ctx *ctx, const SearchTask *t, const Change *c) {
    static const int8_t probe[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    Val first = VAL_EMPTY_TUPLE;
    for (uint32_t k = 0; k < t->n; k++) {
        Val v = go(ctx, &c->there, val_grid8(probe, 2, 5), t->in[k]);
        if (k > 0 && !val_eq(v, first)) {
            return false;
        }
        first = v;
    }
    return true;
}

/* Panels in rows and columns, not all of them cells already: cells that change with the color of their panel
 * are more than panels. */
static bool has_panels(Ctx *ctx, const Way *back, Val small, Val grid) {
    int8_t plain[FEATURE_MOST_CELLS];
    Val painted[2];
    size_t panels = (size_t)small.n * small.w, cells = 0;
    for (int c = 0; c < 2; c++) {
        memset(plain, c, panels);
        painted[c] = go(ctx, back, val_grid8(plain, small.n, small.w), grid);
        if (painted[c].kind != VAL_GRID8) {
            return false;
        }
    }
    for (size_t k = 0; k < (size_t)grid.n * grid.w; k++) {
        cells += painted[0].b8[k] != painted[1].b8[k];
    }
    return small.n >= 2 && small.w >= 2 && cells > panels;
}

/* Nothing is lost: all inputs have panels, and the outputs are the inputs with other colors in them. */
static bool panels_tell(Ctx *ctx, const SearchTask *t, const SearchTask *seen, const Way *back) {
    for (uint32_t k = 0; k < t->n; k++) {
        if (!has_panels(ctx, back, seen->in[k], t->in[k]) ||
            (k < t->n_train && !val_eq(go(ctx, back, seen->out[k], t->in[k]), t->out[k]))) {
            return false;
        }
    }
    return true;
}

bool view_of(Ctx *ctx, const SearchTask *task, int view, SearchTask *to) {
    if (view >= VIEW_LOCAL) {
        return local_task_of(ctx, task, (LocalHow)(view - VIEW_LOCAL), to);
    }
    Change c = change_of(task, view);
    *to = *task;
    if (view != VIEW_PANELS && changed_alike(ctx, task, &c)) {
        return false;
    }
    for (uint32_t k = 0; k < task->n; k++) {
        to->in[k] = go(ctx, &c.there, task->in[k], task->in[k]);
        to->out[k] = k < task->n_train ? go(ctx, &c.there, task->out[k], task->in[k]) : VAL_EMPTY_TUPLE;
        if (to->in[k].kind != VAL_GRID8 || (k < task->n_train && to->out[k].kind != VAL_GRID8)) {
            return false;
        }
    }
    search_task_colors(to);
    return view != VIEW_PANELS || panels_tell(ctx, task, to, &c.back);
}

static Ref way_ref(Builder *b, const Way *way, Ref grid) {
    Ref args[4] = {grid, PARAM_I};
    uint32_t n = 1 + way->refers;
    for (uint32_t k = 0; k < way->n_given; k++) {
        args[n++] = build_const(b, way->given[k]);
    }
    return build_op(b, OP_PRIM, way->prim, args, n, 0, "", 0);
}

Program *view_wrap(Builder *b, const SearchTask *task, Program *p, int view) {
    if (view >= VIEW_LOCAL) {
        return local_task_wrap(b, p, (LocalHow)(view - VIEW_LOCAL));
    }
    Change c = change_of(task, view);
    build_start(b);
    Ref there = way_ref(b, &c.there, PARAM_I);
    Ref result = way_ref(b, &c.back, build_inline(b, p, &there));
    Program *wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    prog_free(p);
    return wrapped;
}

Program *view_wrap_base(Builder *b, const Program *base, Program *p) {
    Ref input = PARAM_I;
    build_start(b);
    Ref there = build_inline(b, base, &input);
    Ref result = build_inline(b, p, &there);
    Program *wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    prog_free(p);
    return wrapped;
}

double view_cost(const Tunables *tune, int view) {
    return view == VIEW_PANELS  ? tune->view_panels_cost
           : view < VIEW_TURNED ? tune->view_roles_cost
           : view < VIEW_LOCAL  ? tune->view_turned_cost
                                : tune->view_local_cost;
}
