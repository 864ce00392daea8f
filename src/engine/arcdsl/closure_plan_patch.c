/* Which primitives become operations on sets of indices in plans; see closure_plan_patch.h. */
#include "engine/arcdsl/closure_plan_patch.h"

#include "engine/arcdsl/closure_plan_lower.h"
#include "engine/arcdsl/packed_patch.h"

enum { NEAR = 4096 }; /* coordinates farther from 0 are left to the primitives, which check what keys hold */

/* ---- operations ---- */

static PatchBounds bounds_hull(PatchBounds x, PatchBounds y) {
    if (x.top > x.bottom || y.top > y.bottom) {
        return x.top > x.bottom ? y : x;
    }
    return (PatchBounds){x.top < y.top ? x.top : y.top, x.left < y.left ? x.left : y.left,
                         x.bottom > y.bottom ? x.bottom : y.bottom, x.right > y.right ? x.right : y.right};
}

static PatchBounds bounds_of(CplanNumber i, CplanNumber j) {
    return (PatchBounds){i.lo, j.lo, i.hi, j.hi};
}

static PatchBounds bounds_grown(PatchBounds x, int32_t by) {
    return x.top > x.bottom ? x : (PatchBounds){x.top - by, x.left - by, x.bottom + by, x.right + by};
}

static bool near(CplanNumber x) {
    return x.lo >= -NEAR && x.hi <= NEAR;
}

/* The window that the plan needs with this operation; false: it is too large. */
static bool widen(ClosurePlan *p, PatchBounds in) {
    PatchBounds all = bounds_hull(p->window, in);
    if (all.top < -NEAR || all.left < -NEAR || all.bottom > NEAR || all.right > NEAR ||
        all.bottom - all.top >= PATCH_WINDOW || all.right - all.left >= PATCH_WINDOW) {
        return false;
    }
    p->window = all;
    return true;
}

/* Whether an operation on the same operands is there already, except for the column of its result. */
static bool find(const ClosurePlan *p, const PatchOp *op, uint8_t *at) {
    for (uint32_t k = p->npatches; k-- > 0;) {
        const PatchOp *x = &p->patches[k];
        if (x->step == op->step && x->a == op->a && x->b == op->b && x->i == op->i && x->j == op->j &&
            x->k == op->k && x->l == op->l && x->by == op->by && x->across == op->across &&
            x->clipped == op->clipped) {
            *at = (uint8_t)k;
            return p->repeats[k] < UINT8_MAX;
        }
    }
    return false;
}

/* Adds an operation; its number is that of its register. */
static bool add(ClosurePlan *p, const PatchOp *op, uint8_t *to) {
    p->tried_patches = true;
    if (find(p, op, to)) {
        p->repeats[*to]++;
        return true;
    }
    if (p->npatches == CPLAN_PATCHES || (!op->clipped && !widen(p, op->in))) {
        return false;
    }
    *to = (uint8_t)p->npatches;
    p->patches[p->npatches++] = *op;
    return true;
}

static bool add_term(ClosurePlan *p, const PatchOp *op, CplanTermKind kind, CplanTerm *to) {
    *to = (CplanTerm){.kind = (uint8_t)kind};
    return add(p, op, &to->value);
}

/* The same for an operation that gives a number. */
static bool add_number(ClosurePlan *p, PatchOp *op, int64_t max, CplanTerm *to) {
    uint8_t number;
    *to = (CplanTerm){.kind = CTERM_NUMBER};
    op->in = p->patches[op->a].in;
    op->clipped = true;
    if (find(p, op, &number)) {
        p->repeats[number]++;
        to->a = (CplanNumber){.column = p->patches[number].to, .lo = 0, .hi = (int32_t)max};
        return true;
    }
    if (!cplan_new_column(p, 0, max, &to->a)) {
        return false;
    }
    op->to = (uint8_t)to->a.column;
    p->late |= (uint64_t)1 << op->to;
    return add(p, op, &number);
}

/* The column of a number that is known before operations on sets begin. */
static bool early(ClosurePlan *p, CplanNumber x, uint8_t *to) {
    return cplan_column_of(p, x, to) && !cplan_is_late(p, *to);
}

/* Columns i and j of the operation, for a pair near enough. */
static bool at_pair(ClosurePlan *p, CplanNumber i, CplanNumber j, PatchOp *op) {
    return near(i) && near(j) && early(p, i, &op->i) && early(p, j, &op->j);
}

/* ---- arguments ---- */

static bool constant(ClosurePlan *p, uint8_t number, bool whole, uint8_t *to) {
    Val v = p->consts[number];
    bool none = v.kind == VAL_SET && v.n == 0;
    if (!none && v.kind != VAL_INDICES) {
        return false;
    }
    PatchOp op = {
        .step = PATCH_CONSTANT, .b = number, .some = !none, .clipped = !whole, .in = {.top = 1, .bottom = 0}};
    if (!none && whole) {
        Box box = keys_box(v);
        op.in = (PatchBounds){(int32_t)box.top, (int32_t)box.left, (int32_t)box.bottom, (int32_t)box.right};
    }
    return add(p, &op, to);
}

/* The places of the element, which are read once. */
static bool input(ClosurePlan *p, uint8_t *to) {
    for (uint32_t k = 0; k < p->npatches; k++) {
        if (p->patches[k].step == PATCH_INPUT) {
            *to = (uint8_t)k;
            return true;
        }
    }
    PatchOp op = {.step = PATCH_INPUT, .some = true, .in = cplan_edges(p)};
    return add(p, &op, to);
}

/* Whether a term is the element, and all elements are sets of indices, or objects of one color. */
static bool is_indices(ClosurePlan *p, const CplanTerm *t) {
    return t->kind == CTERM_VALUE && cplan_small_patch(p, t) && p->edged == EDGED_INDICES;
}
static bool is_unicolor(ClosurePlan *p, const CplanTerm *t) {
    return t->kind == CTERM_VALUE && cplan_small_patch(p, t) && p->edged == EDGED_OBJECTS && p->unicolor &&
           p->object_kind == VAL_OBJ_CORE;
}

bool patch_register(ClosurePlan *p, const CplanTerm *t, bool whole, uint8_t *to) {
    if (t->kind == CTERM_PATCH || t->kind == CTERM_COLORED) {
        *to = t->value;
        return true;
    }
    if (t->kind == CTERM_VALUE) {
        return input(p, to);
    }
    if (t->kind == CTERM_CONST) {
        return constant(p, t->value, whole, to);
    }
    PatchOp op = {.step = PATCH_POINT, .some = true, .in = bounds_of(t->a, t->b)};
    return t->kind == CTERM_POINT && at_pair(p, t->a, t->b, &op) && add(p, &op, to);
}

/* ---- what primitives do to terms ---- */

typedef struct Lowering Lowering;
struct Lowering {
    bool (*lower)(ClosurePlan *p, const Ctx *ctx, const Lowering *by, const CplanTerm *args, CplanTerm *to);
    uint8_t step; /* PatchStep */
    uint8_t which;
    int8_t by;
};

#define LOWERED(name) \
    static bool name(ClosurePlan *p, const Ctx *ctx, const Lowering *by, const CplanTerm *args, CplanTerm *to)
#define UNUSED (void)p, (void)by, (void)ctx

LOWERED(lower_initset) {
    UNUSED;
    const CplanTerm *x = &args[0];
    *to = (CplanTerm){.kind = CTERM_POINT, .a = x->a, .b = x->b};
    if (x->kind != CTERM_PAIR || !near(x->a) || !near(x->b)) {
        return false;
    }
    p->tried_patches = true;
    return true;
}

LOWERED(lower_around) {
    UNUSED;
    const CplanTerm *x = &args[0];
    PatchOp op = {.step = PATCH_AROUND, .b = by->which, .some = true};
    if (x->kind != CTERM_PAIR || !at_pair(p, x->a, x->b, &op)) {
        return false;
    }
    op.in = bounds_grown(bounds_of(x->a, x->b), 1);
    return add_term(p, &op, CTERM_PATCH, to);
}

static bool line(ClosurePlan *p, const CplanTerm *x, const CplanTerm *y, CplanTerm *to) {
    PatchOp op = {.step = PATCH_LINE};
    if (!at_pair(p, x->a, x->b, &op) || !near(y->a) || !near(y->b) || !early(p, y->a, &op.k) ||
        !early(p, y->b, &op.l)) {
        return false;
    }
    op.in = bounds_hull(bounds_of(x->a, x->b), bounds_of(y->a, y->b));
    return add_term(p, &op, CTERM_PATCH, to);
}

LOWERED(lower_connect) {
    UNUSED;
    return args[0].kind == CTERM_PAIR && args[1].kind == CTERM_PAIR && line(p, &args[0], &args[1], to);
}

/* A line in a direction that is always the same. False: it is none, or too long. */
static bool ray(ClosurePlan *p, const CplanTerm *x, int32_t di, int32_t dj, CplanTerm *to) {
    int32_t down = di < 0 ? -di : di, across = dj < 0 ? -dj : dj, n = down > across ? down : across;
    if (n >= PATCH_WINDOW || (down != 0 && across != 0 && down != across)) {
        return false;
    }
    PatchOp op = {.step = PATCH_RAY,
                  .b = (uint8_t)n,
                  .by = (int8_t)((di > 0) - (di < 0)),
                  .across = (int8_t)((dj > 0) - (dj < 0)),
                  .some = true};
    PatchBounds from = bounds_of(x->a, x->b),
                end = {from.top + di, from.left + dj, from.bottom + di, from.right + dj};
    if (!at_pair(p, x->a, x->b, &op)) {
        return false;
    }
    op.in = bounds_hull(from, end);
    return add_term(p, &op, CTERM_PATCH, to);
}

/* A line to the place that is 42 steps away. */
LOWERED(lower_shoot) {
    UNUSED;
    enum { STEPS = 42, FAST = 3 };
    const CplanTerm *by_pair = &args[1];
    if (args[0].kind == CTERM_PAIR && by_pair->kind == CTERM_PAIR && number_is_constant(by_pair->a) &&
        number_is_constant(by_pair->b) && by_pair->a.lo >= -FAST && by_pair->a.lo <= FAST &&
        by_pair->b.lo >= -FAST && by_pair->b.lo <= FAST &&
        ray(p, &args[0], STEPS * by_pair->a.lo, STEPS * by_pair->b.lo, to)) {
        return true;
    }
    CplanTerm steps = cterm_number(number_constant(STEPS)), far, end;
    return args[0].kind == CTERM_PAIR && args[1].kind == CTERM_PAIR &&
           cplan_lower(p, P_multiply, (CplanTerm[]){args[1], steps}, &far) &&
           cplan_lower(p, P_add, (CplanTerm[]){args[0], far}, &end) && line(p, &args[0], &end, to);
}

LOWERED(lower_frontier) {
    UNUSED;
    enum { LAST = 29 };
    const CplanTerm *x = &args[0];
    bool row = by->step == PATCH_ROW;
    PatchOp op = {.step = by->step, .some = true};
    CplanNumber number = row ? x->a : x->b;
    if (x->kind != CTERM_PAIR || !near(number) || !early(p, number, row ? &op.i : &op.j)) {
        return false;
    }
    op.in = row ? (PatchBounds){number.lo, 0, number.hi, LAST} : (PatchBounds){0, number.lo, LAST, number.hi};
    return add_term(p, &op, CTERM_PATCH, to);
}

static bool is_patch(ClosurePlan *p, const CplanTerm *t) {
    if (t->kind == CTERM_CONST) {
        Val v = p->consts[t->value];
        return v.kind == VAL_INDICES || (v.kind == VAL_SET && v.n == 0);
    }
    return t->kind == CTERM_POINT || t->kind == CTERM_PATCH || is_indices(p, t);
}

/* At least one is not a constant. */
static bool are_patches(ClosurePlan *p, const CplanTerm *x, const CplanTerm *y) {
    return is_patch(p, x) && is_patch(p, y) && (x->kind != CTERM_CONST || y->kind != CTERM_CONST);
}

LOWERED(lower_algebra) {
    UNUSED;
    PatchOp op = {.step = by->step};
    bool common = op.step == PATCH_COMMON, with = op.step == PATCH_UNION;
    if (!are_patches(p, &args[0], &args[1]) || !patch_register(p, &args[0], !common, &op.a) ||
        !patch_register(p, &args[1], with, &op.b)) {
        return false;
    }
    const PatchOp *a = &p->patches[op.a], *b = &p->patches[op.b];
    op.some = with && (a->some || b->some);
    op.in = with ? bounds_hull(a->in, b->in) : common && a->clipped ? b->in : a->in;
    return add_term(p, &op, CTERM_PATCH, to);
}

bool patch_merge(ClosurePlan *p, const CplanTerm *x, const CplanTerm *y, CplanTerm *to) {
    PatchOp op = {.step = PATCH_MERGE};
    if (!are_patches(p, x, y) || !patch_register(p, x, true, &op.a) || !patch_register(p, y, true, &op.b)) {
        return false;
    }
    const PatchOp *a = &p->patches[op.a], *b = &p->patches[op.b];
    op.some = a->some || b->some;
    op.in = bounds_hull(a->in, b->in);
    return add_term(p, &op, CTERM_PATCH, to);
}

LOWERED(lower_insert) {
    UNUSED;
    const CplanTerm *x = &args[0];
    PatchOp op = {.step = PATCH_INSERT, .some = true};
    if (x->kind != CTERM_PAIR || !is_patch(p, &args[1]) || !patch_register(p, &args[1], true, &op.a) ||
        !at_pair(p, x->a, x->b, &op)) {
        return false;
    }
    op.in = bounds_hull(p->patches[op.a].in, bounds_of(x->a, x->b));
    return add_term(p, &op, CTERM_PATCH, to);
}

/* Whether a term is a patch of which a box can be made. Of objects of several colors delta is made
 * differently. */
static bool has_box(ClosurePlan *p, const CplanTerm *t, PatchStep step) {
    if (t->kind == CTERM_VALUE) {
        return cplan_small_patch(p, t) && p->object_kind == VAL_OBJ_CORE && p->edged != EDGED_MIXED &&
               (p->unicolor || step != PATCH_DELTA);
    }
    return t->kind == CTERM_COLORED ? step != PATCH_DELTA : t->kind != CTERM_CONST && is_patch(p, t);
}

/* What is made of the box around a patch. By `which`, something empty is not handled. */
LOWERED(lower_box) {
    UNUSED;
    PatchOp op = {.step = by->step, .by = by->by};
    if (!has_box(p, &args[0], (PatchStep)op.step) || !patch_register(p, &args[0], true, &op.a)) {
        return false;
    }
    const PatchOp *a = &p->patches[op.a];
    op.some = a->some && op.step != PATCH_DELTA;
    op.in = bounds_grown(a->in, op.by != 0); /* an inbox may turn inside out */
    return (a->some || by->which == 0) && add_term(p, &op, CTERM_PATCH, to);
}

/* ---- objects of one color ---- */

/* Whether all places fit the keys of objects. */
static bool fit_cells(PatchBounds in) {
    return in.top > in.bottom ||
           (in.top >= -KEY_COORD && in.left >= -KEY_COORD && in.bottom < KEY_COORD && in.right < KEY_COORD);
}

/* Adds an operation whose result is an object of this color. */
static bool add_colored(ClosurePlan *p, const PatchOp *op, CplanNumber color, CplanTerm *to) {
    bool good = color.lo >= INT8_MIN && color.hi <= INT8_MAX && fit_cells(op->in) &&
                p->object_kind == VAL_OBJ_CORE && add_term(p, op, CTERM_COLORED, to);
    to->a = color;
    return good;
}

/* Whether a term is an object of one color: its color. */
static bool color_of(ClosurePlan *p, const CplanTerm *t, CplanNumber *to) {
    if (t->kind == CTERM_COLORED) {
        *to = t->a;
        return true;
    }
    return is_unicolor(p, t) && cplan_color(p, to);
}

LOWERED(lower_shift) {
    UNUSED;
    const CplanTerm *x = &args[1];
    PatchOp op = {.step = PATCH_SHIFT};
    CplanNumber color;
    bool plain = is_patch(p, &args[0]);
    if (x->kind != CTERM_PAIR || (!plain && !color_of(p, &args[0], &color)) ||
        !patch_register(p, &args[0], true, &op.a) || !at_pair(p, x->a, x->b, &op)) {
        return false;
    }
    PatchBounds in = p->patches[op.a].in;
    op.some = p->patches[op.a].some;
    op.in = in.top > in.bottom
                ? in
                : (PatchBounds){in.top + x->a.lo, in.left + x->b.lo, in.bottom + x->a.hi, in.right + x->b.hi};
    return plain ? add_term(p, &op, CTERM_PATCH, to) : add_colored(p, &op, color, to);
}

/* Something empty is recolored in another way. */
LOWERED(lower_recolor) {
    UNUSED;
    PatchOp op = {.step = PATCH_COPY, .some = true};
    CplanNumber color;
    if (args[0].kind != CTERM_NUMBER || (!is_patch(p, &args[1]) && !color_of(p, &args[1], &color)) ||
        !patch_register(p, &args[1], true, &op.a)) {
        return false;
    }
    op.in = p->patches[op.a].in;
    return p->patches[op.a].some && add_colored(p, &op, args[0].a, to);
}

/* lbind(astuple, color), made for each element or not. */
static bool puts_color(const ClosurePlan *p, const CplanTerm *f, CplanNumber *color) {
    CplanTerm prim = {.kind = CTERM_CONST}, value;
    Val fn;
    if (f->kind == CTERM_MADE) {
        const CplanMade *made = &p->made[f->value];
        prim = made->part[0];
        value = made->part[1];
        *color = value.a;
        return made->op == CLOSURE_LBIND && prim.kind == CTERM_CONST && value.kind == CTERM_NUMBER &&
               p->consts[prim.value].kind == VAL_PRIM && p->consts[prim.value].n == P_astuple;
    }
    fn = f->kind == CTERM_CONST ? p->consts[f->value] : VAL_EMPTY_TUPLE;
    if (fn.kind != VAL_CLOSURE || fn.f->op != CLOSURE_LBIND || fn.f->part[0].kind != VAL_PRIM ||
        fn.f->part[0].n != P_astuple || fn.f->part[1].kind != VAL_INT ||
        fn.f->part[1].i != (int8_t)fn.f->part[1].i) {
        return false;
    }
    *color = number_constant((int32_t)fn.f->part[1].i);
    return true;
}

/* A color put before each place. */
LOWERED(lower_apply) {
    UNUSED;
    PatchOp op = {.step = PATCH_CELLS};
    CplanNumber color;
    if (ctx->fns[P_apply] != prim_apply || args[1].kind == CTERM_CONST || !is_patch(p, &args[1]) ||
        !puts_color(p, &args[0], &color) || !patch_register(p, &args[1], true, &op.a)) {
        return false;
    }
    op.in = p->patches[op.a].in;
    op.some = p->patches[op.a].some;
    p->deepest = p->depth + 1 > p->deepest ? p->depth + 1 : p->deepest;
    return add_colored(p, &op, color, to);
}

LOWERED(lower_color) {
    UNUSED;
    *to = cterm_number(args[0].a);
    return args[0].kind == CTERM_COLORED && p->patches[args[0].value].some;
}

LOWERED(lower_size) {
    UNUSED;
    PatchOp op = {.step = args[0].kind == CTERM_COLORS ? PATCH_COLORS : PATCH_SIZE};
    if (args[0].kind == CTERM_PAINTED || args[0].kind == CTERM_COLORS) {
        op.a = args[0].value;
    } else if ((args[0].kind != CTERM_PATCH && args[0].kind != CTERM_POINT &&
                args[0].kind != CTERM_COLORED) ||
               !patch_register(p, &args[0], true, &op.a)) {
        return false;
    }
    return add_number(p, &op, PATCH_WINDOW * PATCH_WINDOW, to);
}

LOWERED(lower_contained) {
    UNUSED;
    const CplanTerm *x = &args[0];
    PatchOp op = {.step = PATCH_HAS};
    if (args[1].kind == CTERM_COLORS) {
        op.step = PATCH_HAS_COLOR;
        op.a = args[1].value;
        return x->kind == CTERM_NUMBER && early(p, x->a, &op.i) && add_number(p, &op, 1, to);
    }
    return x->kind == CTERM_PAIR && args[1].kind != CTERM_CONST && is_patch(p, &args[1]) &&
           patch_register(p, &args[1], true, &op.a) && at_pair(p, x->a, x->b, &op) &&
           add_number(p, &op, 1, to);
}

/* Whether the colors of a grid fit a word. */
static bool few_colors(Val grid) {
    uint8_t all = 0;
    for (size_t k = 0, n = (size_t)grid.n * grid.w; k < n; k++) {
        all |= (uint8_t)grid.b8[k];
    }
    return all < PATCH_COLORS_MAX;
}

LOWERED(lower_toobject) {
    UNUSED;
    if (args[1].kind != CTERM_CONST || args[0].kind == CTERM_CONST || !is_patch(p, &args[0])) {
        return false;
    }
    Val grid = p->consts[args[1].value];
    PatchOp op = {.step = PATCH_PAINTED, .b = args[1].value};
    if (grid.kind != VAL_GRID8 || grid.w == 0 || grid.n > KEY_COORD || grid.w > KEY_COORD ||
        !few_colors(grid) || !patch_register(p, &args[0], true, &op.a)) {
        return false;
    }
    op.in = p->patches[op.a].in;
    return add_term(p, &op, CTERM_PAINTED, to);
}

LOWERED(lower_palette) {
    UNUSED;
    PatchOp op = {.step = PATCH_PALETTE, .a = args[0].value};
    if (args[0].kind != CTERM_PAINTED) {
        return false;
    }
    op.in = p->patches[op.a].in;
    uint8_t number;
    *to = (CplanTerm){.kind = CTERM_COLORS, .value = op.a};
    return add(p, &op, &number);
}

LOWERED(lower_numcolors) {
    UNUSED;
    PatchOp op = {.step = PATCH_NUMCOLORS, .a = args[0].value};
    return args[0].kind == CTERM_PAINTED && add_number(p, &op, PATCH_COLORS_MAX, to);
}

/* The grid that a painted patch was painted by. */
static uint8_t painted_by(const ClosurePlan *p, uint8_t reg) {
    return p->patches[reg].b;
}

LOWERED(lower_colorcount) {
    UNUSED;
    PatchOp op = {.step = PATCH_COUNT, .a = args[0].value};
    if (args[0].kind != CTERM_PAINTED || args[1].kind != CTERM_NUMBER || !early(p, args[1].a, &op.i)) {
        return false;
    }
    op.b = painted_by(p, op.a);
    return add_number(p, &op, PATCH_WINDOW * PATCH_WINDOW, to);
}

/* The cells of one color: a filter by matcher(first, color). */
LOWERED(lower_filter) {
    UNUSED;
    PatchOp op = {.step = PATCH_PICKED, .a = args[0].value};
    Val f = args[1].kind == CTERM_CONST ? p->consts[args[1].value] : VAL_EMPTY_TUPLE;
    if (args[0].kind != CTERM_PAINTED || f.kind != VAL_CLOSURE || f.f->op != CLOSURE_MATCHER ||
        f.f->part[0].kind != VAL_PRIM || f.f->part[0].n != P_first || f.f->part[1].kind != VAL_INT ||
        f.f->part[1].i != (int8_t)f.f->part[1].i || p->object_kind != VAL_OBJ_CORE ||
        ctx->fns[P_sfilter] != prim_sfilter || !early(p, number_constant((int32_t)f.f->part[1].i), &op.i)) {
        return false;
    }
    op.b = painted_by(p, op.a);
    op.in = p->patches[op.a].in;
    p->deepest = p->depth + 1 > p->deepest ? p->depth + 1 : p->deepest;
    return add_term(p, &op, CTERM_PAINTED, to);
}

LOWERED(lower_toindices) {
    UNUSED;
    CplanNumber color;
    *to = args[0];
    if (args[0].kind == CTERM_POINT || is_indices(p, &args[0])) {
        return true; /* of larger sets the walk is charged */
    }
    PatchOp op = {.step = PATCH_COPY};
    if (!color_of(p, &args[0], &color) || !patch_register(p, &args[0], true, &op.a)) {
        return false;
    }
    op.in = p->patches[op.a].in;
    op.some = p->patches[op.a].some;
    return op.some && add_term(p, &op, CTERM_PATCH, to);
}

static const Lowering lowerings[PRIM_COUNT] = {
    [P_initset] = {.lower = lower_initset},
    [P_neighbors] = {.lower = lower_around, .which = 0xff},
    [P_dneighbors] = {.lower = lower_around, .which = 0x5a},
    [P_ineighbors] = {.lower = lower_around, .which = 0xa5},
    [P_connect] = {.lower = lower_connect},
    [P_shoot] = {.lower = lower_shoot},
    [P_hfrontier] = {.lower = lower_frontier, .step = PATCH_ROW},
    [P_vfrontier] = {.lower = lower_frontier, .step = PATCH_COLUMN},
    [P_combine] = {.lower = lower_algebra, .step = PATCH_UNION},
    [P_combine_f] = {.lower = lower_algebra, .step = PATCH_UNION},
    [P_intersection] = {.lower = lower_algebra, .step = PATCH_COMMON},
    [P_difference] = {.lower = lower_algebra, .step = PATCH_WITHOUT},
    [P_insert] = {.lower = lower_insert},
    [P_backdrop] = {.lower = lower_box, .step = PATCH_BACKDROP},
    [P_delta] = {.lower = lower_box, .step = PATCH_DELTA},
    [P_box] = {.lower = lower_box, .step = PATCH_OUTLINE},
    [P_outbox] = {.lower = lower_box, .step = PATCH_OUTLINE, .by = 1, .which = 1},
    [P_inbox] = {.lower = lower_box, .step = PATCH_OUTLINE, .by = -1, .which = 1},
    [P_corners] = {.lower = lower_box, .step = PATCH_CORNERS, .which = 1},
    [P_shift] = {.lower = lower_shift},
    [P_recolor] = {.lower = lower_recolor},
    [P_apply] = {.lower = lower_apply},
    [P_color] = {.lower = lower_color},
    [P_numcolors] = {.lower = lower_numcolors},
    [P_colorcount] = {.lower = lower_colorcount},
    [P_sfilter] = {.lower = lower_filter},
    [P_size] = {.lower = lower_size},
    [P_size_f] = {.lower = lower_size},
    [P_contained] = {.lower = lower_contained},
    [P_toobject] = {.lower = lower_toobject},
    [P_palette] = {.lower = lower_palette},
    [P_palette_f] = {.lower = lower_palette},
    [P_toindices] = {.lower = lower_toindices},
};

/* Primitives that take long on keys: many places, or two sets that are walked side by side. */
static bool is_heavy(uint32_t prim) {
    PatchStep step = (PatchStep)lowerings[prim].step;
    return prim == P_apply || (step >= PATCH_UNION && step <= PATCH_WITHOUT) || step == PATCH_ROW ||
           step == PATCH_COLUMN;
}

/* Whether a function does only what plans usually have operations for; whether some of it is heavy. */
static bool only_lowered(Val f, uint32_t depth, bool *heavy) {
    enum { DEEPEST = 6 };
    if (f.kind == VAL_PRIM) {
        *heavy |= is_heavy(f.n);
        return lowerings[f.n].lower != NULL || cplan_lowers(f.n) || f.n == P_lbind;
    }
    if (f.kind != VAL_CLOSURE) { /* a constant argument */
        return true;
    }
    const Closure *c = f.f;
    bool good = depth < DEEPEST && c->op != CLOSURE_HOST;
    for (uint32_t k = 0; k < 3 && good; k++) {
        good = only_lowered(c->part[k], depth + 1, heavy);
    }
    return good;
}

bool patch_plan_wanted(const Ctx *ctx, Val f, uint32_t elements) {
    enum { WORTH = 2 };
    bool heavy = false;
    return cplan_wanted(ctx, f, elements) ||
           (cplan_wanted(ctx, f, WORTH * elements) && only_lowered(f, 0, &heavy) && heavy);
}

bool patch_lower(ClosurePlan *p, const Ctx *ctx, uint32_t prim, const CplanTerm *args, CplanTerm *to) {
    const Lowering *by = &lowerings[prim];
    if (by->lower == NULL) {
        return false;
    }
    CplanMark mark = cplan_mark(p);
    CplanTerm made;
    if (!by->lower(p, ctx, by, args, &made)) {
        cplan_back(p, &mark);
        return false;
    }
    *to = made;
    return true;
}
