/* Making views of a task and wrapping programs; see view.h. */
#include "search/schedule/view.h"

#include "base/check.h"
#include "engine/features/features.h"
#include "search/schedule/search_state.h"

#include <string.h>

/* A call of a primitive on a grid, a reference grid (if it `refers` to one), and given arguments. */
typedef struct Way {
    unsigned prim;
    bool refers;
    Val given[2];
    uint32_t n_given;
} Way;

typedef struct Change {
    Way there, back;
} Change;

/* Colors with a role of their own: in all outputs but in no input, or in all inputs but in no output. */
static int fixed_colors(const SearchTask *t) {
    return (t->out_all & ~t->in_colors) | (t->in_all & ~t->out_colors);
}

/* ---- another background ---- */

/* Not analysis_most_frequent: the counts of all inputs together may overflow those of one analysis. */
static int32_t argmax_count(const uint32_t *counts) {
    int32_t best = 0;
    for (int32_t c = 1; c < 10; c++) {
        best = counts[c] > counts[best] ? c : best;
    }
    return best;
}

/* The most frequent color in all inputs together, or on their rims. */
static int32_t most_frequent(const SearchTask *t, bool rim_only) {
    uint32_t counts[10] = {0};
    for (uint32_t k = 0; k < t->n; k++) {
        Val g = t->in[k];
        for (uint32_t c = 0; c < g.n * g.w; c++) {
            uint32_t i = c / g.w, j = c % g.w;
            bool rim = i == 0 || j == 0 || i + 1 == g.n || j + 1u == g.w;
            if ((uint8_t)g.b8[c] < 10 && (rim || !rim_only)) {
                counts[g.b8[c]]++;
            }
        }
    }
    return argmax_count(counts);
}

/* The color that is the background in a view: by view, the most frequent one, the most frequent one on rims,
 * or one that is in all inputs and in no output. 0: none, or an earlier view has it. */
static int32_t background_of(const SearchTask *t, int view) {
    unsigned vanishing = t->in_all & ~(unsigned)t->out_colors & 0x3ff;
    int32_t backgrounds[] = {most_frequent(t, false), most_frequent(t, true),
                             vanishing != 0 ? __builtin_ctz(vanishing) : 0};
    int which = view - VIEW_BACKGROUND;
    for (int k = 0; k < which; k++) {
        if (backgrounds[k] == backgrounds[which]) {
            return 0;
        }
    }
    return backgrounds[which];
}

/* ---- there and back ---- */

static Change change_of(const SearchTask *t, int view) {
    if (view == VIEW_PANELS) {
        return (Change){{P_panel_sum, false, {val_int(0)}, 1},
                        {P_panel_paint, true, {{.kind = VAL_FAIL}}, 0}};
    }
    if (view < VIEW_TURNED) {
        Val by = val_int(view - VIEW_ROLES), fixed = val_int(fixed_colors(t));
        return (Change){{P_stamp_roles, true, {by, fixed}, 2}, {P_stamp_unroles, true, {by, fixed}, 2}};
    }
    if (view >= VIEW_BACKGROUND) {
        Val background = val_int(background_of(t, view));
        Way swap = {P_switch, false, {val_int(0), background}, 2};
        return (Change){swap, swap};
    }
    Val turn = val_int(view - VIEW_TURNED);
    return (Change){{P_stamp_orient, true, {turn}, 1}, {P_stamp_unorient, true, {turn}, 1}};
}

static Val go(Ctx *ctx, const Way *way, Val grid, Val reference) {
    Val args[4] = {grid, reference};
    memcpy(args + 1 + way->refers, way->given, way->n_given * sizeof *args);
    return prim_direct(ctx, way->prim, args);
}

/* Whether all inputs are turned and recolored in the same way, which a grid of ten colors shows. */
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

/* Whether there are panels in rows and columns that are not just single cells: more cells than panels change
 * with the color of their panel. */
static bool has_panels(Ctx *ctx, const Way *back, Val small, Val grid) {
    int8_t plain[FEATURE_MAX_CELLS];
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

/* Whether the view loses nothing: all inputs have panels, and the outputs are the inputs with other colors in
 * their panels. */
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
    ASSERT(view > VIEW_NONE && view < VIEW_COUNT, "view %d", view);
    if (view >= VIEW_LOCAL) {
        return local_task_of(ctx, task, (LocalHow)(view - VIEW_LOCAL), to);
    }
    Change c = change_of(task, view);
    *to = *task;
    if (view >= VIEW_BACKGROUND ? c.there.given[1].i == 0
                                : view != VIEW_PANELS && changed_alike(ctx, task, &c)) {
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

static bool see_one(Ctx *ctx, const SearchTask *task, int view, const Intermediate *intermediate,
                    SearchTask *to) {
    if (view != VIEW_NONE && view != VIEW_INTERMEDIATE) {
        return view_of(ctx, task, view, to);
    }
    *to = *task;
    if (view == VIEW_INTERMEDIATE) {
        memcpy(to->in, intermediate->vals, task->n * sizeof *intermediate->vals);
        search_task_colors(to);
    }
    return true;
}

bool view_see(Ctx *ctx, const SearchTask *task, const Sight *how, SearchTask *under, SearchTask *to) {
    return see_one(ctx, task, how->under, how->intermediate, under) &&
           see_one(ctx, under, how->view, how->intermediate, to);
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
        return local_task_wrap(b, task, p, (LocalHow)(view - VIEW_LOCAL));
    }
    Change c = change_of(task, view);
    build_start(b);
    Ref there = way_ref(b, &c.there, PARAM_I);
    Ref result = way_ref(b, &c.back, build_inline(b, p, &there));
    Program *wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    prog_free(p);
    return wrapped;
}

Program *view_wrap_intermediate(Builder *b, const Program *intermediate, Program *p) {
    Ref input = PARAM_I;
    build_start(b);
    Ref there = build_inline(b, intermediate, &input);
    Ref result = build_inline(b, p, &there);
    Program *wrapped = build_finish(b, p->name, strlen(p->name), (Mode)p->mode, 1, result);
    prog_free(p);
    return wrapped;
}

double view_cost(const Tunables *tune, int view) {
    ASSERT(view > VIEW_NONE && view <= VIEW_INTERMEDIATE, "view %d", view);
    return view == VIEW_PANELS      ? tune->view_panels_cost
           : view < VIEW_TURNED     ? tune->view_roles_cost
           : view < VIEW_BACKGROUND ? tune->view_turned_cost
           : view < VIEW_LOCAL      ? tune->view_background_cost
                                    : tune->view_local_cost;
}
