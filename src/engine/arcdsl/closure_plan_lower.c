/* Closures on columns: which operations a primitive becomes if all its arguments are numbers, pairs and
 * cells.
 *
 * Ranges are tracked, so that nothing in a column can overflow; operations that might are not done on
 * columns. */
#include "engine/arcdsl/closure_plan_lower.h"

#include "engine/arcdsl/packed_patch.h"

#include <string.h>

/* ---- columns ---- */

bool cplan_new_column(ClosurePlan *p, int64_t lo, int64_t hi, CplanNumber *to) {
    if (lo < INT32_MIN || hi > INT32_MAX || p->ncolumns == CPLAN_COLUMNS) {
        return false;
    }
    *to = (CplanNumber){.column = (int16_t)p->ncolumns++, .lo = (int32_t)lo, .hi = (int32_t)hi};
    return true;
}

bool cplan_column_of(ClosurePlan *p, CplanNumber x, uint8_t *to) {
    CplanNumber made = x;
    if (number_is_constant(x)) {
        for (uint64_t left = p->constant; left != 0; left &= left - 1) {
            uint32_t column = (uint32_t)__builtin_ctzll(left);
            if (p->columns[column][0] == x.lo) {
                *to = (uint8_t)column;
                return true;
            }
        }
        if (!cplan_new_column(p, x.lo, x.hi, &made)) {
            return false;
        }
        p->constant |= (uint64_t)1 << made.column;
        for (uint32_t k = 0; k < p->block; k++) {
            p->columns[made.column][k] = x.lo;
        }
    }
    *to = (uint8_t)made.column;
    return true;
}

/* The result of an operation as a new column. Operands that the operation does not have are ignored. */
static bool emit(ClosurePlan *p, ColumnOp op, CplanNumber a, CplanNumber b, CplanNumber c, int64_t lo,
                 int64_t hi, CplanNumber *to) {
    static const uint8_t operands[] = {
        [COLUMN_ADD] = 2,    [COLUMN_SUBTRACT] = 2, [COLUMN_MULTIPLY] = 2, [COLUMN_HALVE] = 1,
        [COLUMN_SIGN] = 1,   [COLUMN_EVEN] = 1,     [COLUMN_NOT] = 1,      [COLUMN_GREATER] = 2,
        [COLUMN_EQUAL] = 2,  [COLUMN_AND] = 2,      [COLUMN_CHOOSE] = 3,   [COLUMN_MAX] = 2,
        [COLUMN_MIN] = 2,    [COLUMN_AMONG] = 2,    [COLUMN_SIZE] = 0,     [COLUMN_DISTANCE] = 2,
        [COLUMN_DIVIDE] = 2, [COLUMN_EDGE] = 1,     [COLUMN_COLOR] = 0,    [COLUMN_INDEX] = 2};
    CplanOp made = {.op = (uint8_t)op};
    uint32_t n = operands[op];
    if (p->nops == CPLAN_OPS || (n > 0 && !cplan_column_of(p, a, &made.a)) ||
        (n > 1 && !cplan_column_of(p, b, &made.b)) || (n > 2 && !cplan_column_of(p, c, &made.c))) {
        return false;
    }
    for (const CplanOp *x = p->ops, *end = x + p->nops; x < end && op < COLUMN_AMONG; x++) {
        if (x->op == made.op && x->a == made.a && x->b == made.b && x->c == made.c) { /* computed once */
            *to = (CplanNumber){.column = x->to, .lo = (int32_t)lo, .hi = (int32_t)hi};
            return true;
        }
    }
    if (!cplan_new_column(p, lo, hi, to)) {
        return false;
    }
    made.to = (uint8_t)to->column;
    made.late = (n > 0 && cplan_is_late(p, made.a)) || (n > 1 && cplan_is_late(p, made.b)) ||
                (n > 2 && cplan_is_late(p, made.c));
    p->late |= (uint64_t)made.late << made.to;
    p->ops[p->nops++] = made;
    return true;
}

static int64_t min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static bool arithmetic(ClosurePlan *p, ColumnOp op, CplanNumber a, CplanNumber b, CplanNumber *to) {
    int64_t lo, hi;
    if (op == COLUMN_ADD) {
        lo = (int64_t)a.lo + b.lo;
        hi = (int64_t)a.hi + b.hi;
    } else if (op == COLUMN_SUBTRACT) {
        lo = (int64_t)a.lo - b.hi;
        hi = (int64_t)a.hi - b.lo;
    } else {
        int64_t w = (int64_t)a.lo * b.lo, x = (int64_t)a.lo * b.hi, y = (int64_t)a.hi * b.lo,
                z = (int64_t)a.hi * b.hi;
        lo = min_i64(min_i64(w, x), min_i64(y, z));
        hi = max_i64(max_i64(w, x), max_i64(y, z));
    }
    return emit(p, op, a, b, b, lo, hi, to);
}

static bool test(ClosurePlan *p, ColumnOp op, CplanNumber a, CplanNumber b, CplanNumber *to) {
    return emit(p, op, a, b, b, 0, 1, to);
}

static bool choose(ClosurePlan *p, CplanNumber a, CplanNumber b, CplanNumber c, CplanNumber *to) {
    return emit(p, COLUMN_CHOOSE, a, b, c, min_i64(b.lo, c.lo), max_i64(b.hi, c.hi), to);
}

/* A test that both others hold. */
static bool both_hold(ClosurePlan *p, CplanNumber a, CplanNumber b, CplanNumber *to) {
    return test(p, COLUMN_AND, a, b, to);
}

/* ---- what primitives do to terms ---- */

/* A row of the table below: the function that handles a primitive, and its parameters. */
typedef struct Lowering Lowering;
struct Lowering {
    bool (*lower)(ClosurePlan *p, const Lowering *by, const CplanTerm *args, CplanTerm *to);
    uint8_t op; /* ColumnOp */
    int8_t with;
    bool (*each)(ClosurePlan *p, CplanNumber x, CplanNumber *to);
};

#define LOWERED(name) \
    static bool name(ClosurePlan *p, const Lowering *by, const CplanTerm *args, CplanTerm *to)
#define UNUSED (void)p, (void)by

/* A number twice, or the two numbers of a pair; false for other terms. */
static bool components(const CplanTerm *t, CplanNumber *x, CplanNumber *y) {
    *x = t->a;
    *y = t->kind == CTERM_NUMBER ? t->a : t->b;
    return t->kind <= CTERM_PAIR;
}

/* by->op on two numbers or pairs. */
LOWERED(lift2) {
    CplanNumber a0, a1, b0, b1;
    if (!components(&args[0], &a0, &a1) || !components(&args[1], &b0, &b1)) {
        return false;
    }
    bool two = args[0].kind == CTERM_PAIR || args[1].kind == CTERM_PAIR;
    to->kind = two ? CTERM_PAIR : CTERM_NUMBER;
    return arithmetic(p, by->op, a0, b0, &to->a) && (!two || arithmetic(p, by->op, a1, b1, &to->b));
}

/* by->op with the constant by->with, as second or first operand. */
LOWERED(lift_with) {
    CplanTerm both[2] = {args[0], cterm_number(number_constant(by->with))};
    return lift2(p, by, both, to);
}
LOWERED(lift_after) {
    CplanTerm both[2] = {cterm_number(number_constant(by->with)), args[0]};
    return lift2(p, by, both, to);
}

/* by->each on a number, or on both numbers of a pair. */
LOWERED(lift1) {
    const CplanTerm *x = &args[0];
    if (x->kind > CTERM_PAIR) {
        return false;
    }
    to->kind = x->kind;
    return by->each(p, x->a, &to->a) && (x->kind == CTERM_NUMBER || by->each(p, x->b, &to->b));
}

static int sign(int32_t x) {
    return (x > 0) - (x < 0);
}
static bool sign_of(ClosurePlan *p, CplanNumber x, CplanNumber *to) {
    return emit(p, COLUMN_SIGN, x, x, x, sign(x.lo), sign(x.hi), to);
}
static bool half_of(ClosurePlan *p, CplanNumber x, CplanNumber *to) {
    return emit(p, COLUMN_HALVE, x, x, x, x.lo >> 1, x.hi >> 1, to);
}
/* The primitive `crement`: one step away from 0, and 0 stays 0. */
static bool cremented(ClosurePlan *p, CplanNumber x, CplanNumber *to) {
    CplanNumber by;
    return sign_of(p, x, &by) && arithmetic(p, COLUMN_ADD, x, by, to);
}

/* by->op tests one number, a number against by->with, or two numbers. */
LOWERED(test1) {
    to->kind = CTERM_NUMBER;
    return args[0].kind == CTERM_NUMBER && test(p, by->op, args[0].a, args[0].a, &to->a);
}
LOWERED(test_with) {
    to->kind = CTERM_NUMBER;
    return args[0].kind == CTERM_NUMBER && test(p, by->op, args[0].a, number_constant(by->with), &to->a);
}
LOWERED(test2) {
    to->kind = CTERM_NUMBER;
    return args[0].kind == CTERM_NUMBER && args[1].kind == CTERM_NUMBER &&
           test(p, by->op, args[0].a, args[1].a, &to->a);
}

/* Whether two terms of one kind are equal, number by number. */
static bool equal_terms(ClosurePlan *p, const CplanTerm *x, const CplanTerm *y, CplanNumber *to) {
    CplanNumber more;
    return test(p, COLUMN_EQUAL, x->a, y->a, to) &&
           (x->kind < CTERM_PAIR ||
            (test(p, COLUMN_EQUAL, x->b, y->b, &more) && both_hold(p, *to, more, to))) &&
           (x->kind < CTERM_CELL ||
            (test(p, COLUMN_EQUAL, x->c, y->c, &more) && both_hold(p, *to, more, to)));
}

/* Values of different kinds are never equal, since each value has only one representation. */
LOWERED(lower_equality) {
    UNUSED;
    const CplanTerm *x = &args[0], *y = &args[1];
    if (x->kind == CTERM_TWO && y->kind == CTERM_TWO) {
        const CplanTerm *a = p->twos[x->value].part, *b = p->twos[y->value].part;
        CplanNumber more;
        to->kind = CTERM_NUMBER;
        return a[0].kind <= CTERM_TRIPLE && a[1].kind <= CTERM_TRIPLE && a[0].kind == b[0].kind &&
               a[1].kind == b[1].kind && equal_terms(p, &a[0], &b[0], &to->a) &&
               equal_terms(p, &a[1], &b[1], &more) && both_hold(p, to->a, more, &to->a);
    }
    if (x->kind >= CTERM_VALUE || y->kind >= CTERM_VALUE ||
        (x->kind == CTERM_CONST && y->kind == CTERM_CONST)) {
        return false;
    }
    *to = cterm_number(number_constant(0));
    return x->kind != y->kind || equal_terms(p, x, y, &to->a);
}

LOWERED(lower_flip) {
    UNUSED;
    *to = cterm_number(number_constant(0)); /* for a non-empty tuple */
    if (args[0].kind == CTERM_NUMBER) {
        return test(p, COLUMN_NOT, args[0].a, args[0].a, &to->a);
    }
    return args[0].kind <= CTERM_TRIPLE || args[0].kind == CTERM_TWO;
}

bool cplan_choose(ClosurePlan *p, CplanNumber by, const CplanTerm *yes, const CplanTerm *no, CplanTerm *to) {
    if (yes->kind != no->kind || yes->kind > CTERM_TRIPLE) {
        return false;
    }
    to->kind = yes->kind;
    return choose(p, by, yes->a, no->a, &to->a) &&
           (yes->kind == CTERM_NUMBER || choose(p, by, yes->b, no->b, &to->b)) &&
           (yes->kind <= CTERM_PAIR || choose(p, by, yes->c, no->c, &to->c));
}

bool cplan_better(ClosurePlan *p, bool max, CplanNumber best, CplanNumber x, CplanNumber *better,
                  CplanNumber *to) {
    return test(p, COLUMN_GREATER, max ? x : best, max ? best : x, better) && choose(p, *better, x, best, to);
}

bool cplan_truth(ClosurePlan *p, CplanNumber x, CplanNumber *to) {
    *to = x;
    return (x.lo >= 0 && x.hi <= 1) || (test(p, COLUMN_NOT, x, x, to) && test(p, COLUMN_NOT, *to, *to, to));
}

bool cplan_sum(ClosurePlan *p, CplanNumber x, CplanNumber y, CplanNumber *to) {
    return arithmetic(p, COLUMN_ADD, x, y, to);
}

/* The operation that computes a column; NULL: none does. */
static const CplanOp *op_of(const ClosurePlan *p, CplanNumber x) {
    for (uint32_t k = 0; k < p->nops; k++) {
        if (p->ops[k].to == x.column) {
            return &p->ops[k];
        }
    }
    return NULL;
}

/* Of sums (or differences) of one column with constants, and of constants, the order is known. */
static CplanOrder order_of_numbers(const ClosurePlan *p, CplanNumber x, CplanNumber y) {
    if (number_is_constant(x) && number_is_constant(y)) {
        return x.lo < y.lo ? ORDER_LESS : x.lo > y.lo ? ORDER_GREATER : ORDER_SAME;
    }
    if (x.column == y.column) {
        return ORDER_SAME;
    }
    const CplanOp *a = op_of(p, x), *b = op_of(p, y);
    if (a == NULL || b == NULL || a->op != b->op || (a->op != COLUMN_ADD && a->op != COLUMN_SUBTRACT)) {
        return ORDER_UNKNOWN;
    }
    if (a->a == b->a && p->constant >> a->b & 1 && p->constant >> b->b & 1) {
        bool less = p->columns[a->b][0] < p->columns[b->b][0];
        return less == (a->op == COLUMN_ADD) ? ORDER_LESS : ORDER_GREATER;
    }
    if (a->b == b->b && p->constant >> a->a & 1 && p->constant >> b->a & 1) {
        return p->columns[a->a][0] < p->columns[b->a][0] ? ORDER_LESS : ORDER_GREATER;
    }
    return ORDER_UNKNOWN;
}

CplanOrder cplan_order(const ClosurePlan *p, const CplanTerm *x, const CplanTerm *y) {
    CplanOrder first = order_of_numbers(p, x->a, y->a);
    return first != ORDER_SAME || x->kind == CTERM_NUMBER ? first : order_of_numbers(p, x->b, y->b);
}

LOWERED(lower_branch) {
    UNUSED;
    return args[0].kind == CTERM_NUMBER && cplan_choose(p, args[0].a, &args[1], &args[2], to);
}
LOWERED(lower_both) {
    UNUSED;
    return args[0].kind == CTERM_NUMBER && cplan_choose(p, args[0].a, &args[1], &args[0], to);
}
LOWERED(lower_either) {
    UNUSED;
    return args[0].kind == CTERM_NUMBER && cplan_choose(p, args[0].a, &args[0], &args[1], to);
}

LOWERED(lower_identity) {
    UNUSED;
    *to = args[0];
    return true;
}
LOWERED(lower_toivec) {
    UNUSED;
    *to = cterm_pair(args[0].a, number_constant(0));
    return args[0].kind == CTERM_NUMBER;
}
LOWERED(lower_tojvec) {
    UNUSED;
    *to = cterm_pair(number_constant(0), args[0].a);
    return args[0].kind == CTERM_NUMBER;
}
LOWERED(lower_astuple) {
    UNUSED;
    if (args[0].kind == args[1].kind && (args[0].kind == CTERM_PAIR || args[0].kind == CTERM_CELL)) {
        return cplan_virtual(p) && cplan_two(p, &args[0], &args[1], to);
    }
    *to = args[1].kind == CTERM_NUMBER
              ? cterm_pair(args[0].a, args[1].a)
              : (CplanTerm){.kind = CTERM_CELL, .a = args[0].a, .b = args[1].a, .c = args[1].b};
    return args[0].kind == CTERM_NUMBER && args[1].kind <= CTERM_PAIR;
}
LOWERED(lower_first) {
    UNUSED;
    if (args[0].kind == CTERM_TWO) {
        *to = p->twos[args[0].value].part[0];
        return true;
    }
    *to = cterm_number(args[0].a);
    return args[0].kind >= CTERM_PAIR && args[0].kind <= CTERM_TRIPLE;
}
LOWERED(lower_last) {
    UNUSED;
    if (args[0].kind == CTERM_TWO) {
        *to = p->twos[args[0].value].part[1];
        return true;
    }
    *to = args[0].kind == CTERM_CELL ? cterm_pair(args[0].b, args[0].c)
                                     : cterm_number(args[0].kind == CTERM_PAIR ? args[0].b : args[0].c);
    return args[0].kind >= CTERM_PAIR && args[0].kind <= CTERM_TRIPLE;
}
/* Whether all elements are containers. The order of a set keeps elements that are sets together. */
static bool all_containers(Val c) {
    if (c.kind == VAL_SET) {
        return val_is_set(c.v[0]) && val_is_set(c.v[c.n - 1]);
    }
    uint32_t k = 0;
    while (c.kind == VAL_TUPLE && k < c.n && val_is_container(c.v[k])) {
        k++;
    }
    return c.kind == VAL_TUPLE && k == c.n;
}

LOWERED(lower_size) {
    UNUSED;
    const CplanTerm *x = &args[0];
    const CplanInput *in = &p->inputs[0];
    if (x->kind == CTERM_VALUE) { /* usually the size of an object */
        *to = cterm_number(number_constant(0));
        return p->ninputs == 1 && in->width == 0 && in->value == x->value && all_containers(in->c) &&
               emit(p, COLUMN_SIZE, number_constant(0), number_constant(0), number_constant(0), 0,
                    LIMIT_ELEMENTS, &to->a);
    }
    *to = cterm_number(number_constant(x->kind == CTERM_TRIPLE ? 3 : 2));
    return (x->kind >= CTERM_PAIR && x->kind <= CTERM_TRIPLE) || x->kind == CTERM_TWO;
}

/* by->op over the two or three numbers of a tuple. */
LOWERED(extreme) {
    const CplanTerm *x = &args[0];
    ColumnOp op = by->op;
    if (x->kind != CTERM_PAIR && x->kind != CTERM_TRIPLE) {
        return false;
    }
    bool max = op == COLUMN_MAX;
    to->kind = CTERM_NUMBER;
    int64_t lo = max ? max_i64(x->a.lo, x->b.lo) : min_i64(x->a.lo, x->b.lo),
            hi = max ? max_i64(x->a.hi, x->b.hi) : min_i64(x->a.hi, x->b.hi);
    if (!emit(p, op, x->a, x->b, x->b, lo, hi, &to->a)) {
        return false;
    }
    if (x->kind == CTERM_PAIR) {
        return true;
    }
    CplanNumber two = to->a;
    return emit(p, op, two, x->c, x->c, max ? max_i64(two.lo, x->c.lo) : min_i64(two.lo, x->c.lo),
                max ? max_i64(two.hi, x->c.hi) : min_i64(two.hi, x->c.hi), &to->a);
}
/* ---- elements that are patches ---- */

enum { EDGE_TOP, EDGE_LEFT, EDGE_BOTTOM, EDGE_RIGHT };

bool cplan_small_patch(ClosurePlan *p, const CplanTerm *t) {
    enum { SMALL = 64 };
    const CplanInput *in = &p->inputs[0];
    if (t->kind != CTERM_VALUE || p->ninputs != 1 || in->width != 0 || in->value != t->value ||
        (in->c.kind != VAL_SET && in->c.kind != VAL_TUPLE)) {
        return false;
    }
    if (p->edged != EDGED_UNKNOWN) {
        return p->edged != EDGED_NOT;
    }
    p->edged = EDGED_NOT;
    uint8_t kinds = 0;
    p->bounded = false;
    p->unicolor = true;
    for (const Val *v = in->c.v, *end = v + in->c.n; v < end; v++) {
        if ((v->kind != VAL_INDICES && v->kind != p->object_kind) || v->n >= SMALL) {
            return false;
        }
        p->unicolor &= v->kind == VAL_INDICES || (v->k[0] ^ v->k[v->n - 1]) >> 24 == 0;
        kinds |= v->kind == VAL_INDICES ? 1 : 2;
    }
    p->edged = kinds == 1 ? EDGED_INDICES : kinds == 2 ? EDGED_OBJECTS : EDGED_MIXED;
    return true;
}

PatchBounds cplan_edges(ClosurePlan *p) {
    ASSERT(p->edged > EDGED_NOT, "elements without edges");
    if (p->bounded) {
        return p->edges;
    }
    PatchBounds all = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    Val c = p->inputs[0].c;
    for (uint32_t k = 0; k < c.n; k++) {
        Box b = keys_box(c.v[k]);
        all.top = (int32_t)min_i64(all.top, b.top);
        all.left = (int32_t)min_i64(all.left, b.left);
        all.bottom = (int32_t)max_i64(all.bottom, b.bottom);
        all.right = (int32_t)max_i64(all.right, b.right);
    }
    p->bounded = true;
    return p->edges = all;
}

static bool edge(ClosurePlan *p, int32_t which, CplanNumber *to) {
    bool row = which == EDGE_TOP || which == EDGE_BOTTOM;
    CplanNumber edge_number = number_constant(which);
    PatchBounds all = cplan_edges(p);
    return emit(p, COLUMN_EDGE, edge_number, edge_number, edge_number, row ? all.top : all.left,
                row ? all.bottom : all.right, to);
}

/* by->op: which edge; by->with: which elements it takes. */
LOWERED(lower_edge) {
    to->kind = CTERM_NUMBER;
    return cplan_small_patch(p, &args[0]) && (by->with == 0 || by->with == p->edged) &&
           edge(p, by->op, &to->a);
}

/* by->op: the edge that gives the row, plus eight times the one that gives the column. */
LOWERED(lower_corner) {
    to->kind = CTERM_PAIR;
    return cplan_small_patch(p, &args[0]) && (by->with == 0 || by->with == p->edged) &&
           edge(p, by->op % 8, &to->a) && edge(p, by->op / 8, &to->b);
}

static bool extent(ClosurePlan *p, bool row, CplanNumber *to) {
    CplanNumber low, high;
    return edge(p, row ? EDGE_TOP : EDGE_LEFT, &low) && edge(p, row ? EDGE_BOTTOM : EDGE_RIGHT, &high) &&
           arithmetic(p, COLUMN_SUBTRACT, high, low, to) &&
           arithmetic(p, COLUMN_ADD, *to, number_constant(1), to);
}

/* by->op: height. */
LOWERED(lower_extent) {
    to->kind = CTERM_NUMBER;
    return cplan_small_patch(p, &args[0]) && (by->with == 0 || by->with == p->edged) &&
           extent(p, by->op, &to->a);
}

/* The place in the middle, as center finds it: half of the size below the upper edge. */
static bool middle(ClosurePlan *p, bool row, CplanNumber *to) {
    CplanNumber low, half;
    return edge(p, row ? EDGE_TOP : EDGE_LEFT, &low) && extent(p, row, &half) && half_of(p, half, &half) &&
           arithmetic(p, COLUMN_ADD, low, half, to);
}

LOWERED(lower_center) {
    UNUSED;
    to->kind = CTERM_PAIR;
    return cplan_small_patch(p, &args[0]) && middle(p, true, &to->a) && middle(p, false, &to->b);
}

LOWERED(lower_shape) {
    UNUSED;
    to->kind = CTERM_PAIR;
    return cplan_small_patch(p, &args[0]) && extent(p, true, &to->a) && extent(p, false, &to->b);
}

bool cplan_color(ClosurePlan *p, CplanNumber *to) {
    CplanNumber none = number_constant(0);
    int32_t lo = INT8_MAX, hi = INT8_MIN;
    for (uint32_t k = 0; k < p->inputs[0].c.n; k++) {
        Val v = p->inputs[0].c.v[k];
        int32_t color = key_color(v.kind, v.k[0]);
        lo = color < lo ? color : lo;
        hi = color > hi ? color : hi;
    }
    return emit(p, COLUMN_COLOR, none, none, none, lo, hi, to);
}

LOWERED(lower_color) {
    UNUSED;
    to->kind = CTERM_NUMBER;
    return cplan_small_patch(p, &args[0]) && p->edged == EDGED_OBJECTS && cplan_color(p, &to->a);
}

/* ---- grids and sets ---- */

/* A cell of a constant grid, at places that are all within it. */
LOWERED(lower_index) {
    UNUSED;
    const CplanTerm *at = &args[1];
    if (args[0].kind != CTERM_CONST || at->kind != CTERM_PAIR) {
        return false;
    }
    Val grid = p->consts[args[0].value];
    if (grid.kind != VAL_GRID8 || at->a.lo < 0 || at->b.lo < 0 || at->a.hi >= (int64_t)grid.n ||
        at->b.hi >= grid.w) {
        return false;
    }
    to->kind = CTERM_NUMBER;
    if (!emit(p, COLUMN_INDEX, at->a, at->b, at->b, INT8_MIN, INT8_MAX, &to->a)) {
        return false;
    }
    p->ops[p->nops - 1].c = args[0].value;
    return true;
}

static int64_t floor_of(int64_t x, int64_t y) {
    int64_t q = x / y, r = x % y;
    return q - (r != 0 && (r < 0) != (y < 0));
}

static bool quotient(ClosurePlan *p, CplanNumber x, CplanNumber y, CplanNumber *to) {
    if (!number_is_constant(y) || y.lo == 0) {
        return false;
    }
    int64_t a = floor_of(x.lo, y.lo), b = floor_of(x.hi, y.lo);
    return emit(p, COLUMN_DIVIDE, x, y, y, min_i64(a, b), max_i64(a, b), to);
}

LOWERED(lower_divide) {
    UNUSED;
    CplanNumber a0, a1, b0, b1;
    if (!components(&args[0], &a0, &a1) || !components(&args[1], &b0, &b1)) {
        return false;
    }
    bool both = args[0].kind == CTERM_PAIR || args[1].kind == CTERM_PAIR;
    to->kind = both ? CTERM_PAIR : CTERM_NUMBER;
    return quotient(p, a0, b0, &to->a) && (!both || quotient(p, a1, b1, &to->b));
}

/* Few numbers as places in one row; false: they are too far apart, or too many to be looked at for free. */
static bool places_of_numbers(Val set, CplanPlaces *places) {
    enum { FREE = 32 };
    if (set.kind != VAL_SET || set.n == 0 || set.n >= FREE || set.v[0].kind != VAL_INT ||
        set.v[set.n - 1].kind != VAL_INT || set.v[0].i < INT8_MIN || set.v[set.n - 1].i > INT8_MAX ||
        set.v[set.n - 1].i - set.v[0].i >= 64) {
        return false;
    }
    places->top = 0;
    places->left = (int32_t)set.v[0].i;
    places->height = places->words = 1;
    places->rows[0] = 0;
    for (uint32_t k = 0; k < set.n; k++) {
        places->rows[0] |= (uint64_t)1 << (set.v[k].i - set.v[0].i);
    }
    return true;
}

/* The places of a set of indices as rows of bits; false: they do not fit. */
static bool places_of(Val indices, CplanPlaces *places) {
    Box box = keys_box(indices);
    int64_t height = box.bottom - box.top + 1, words = (box.right - box.left) / 64 + 1;
    if (words > 2 || height * words > (int64_t)(sizeof places->rows / sizeof *places->rows)) {
        return false;
    }
    places->top = (int32_t)box.top;
    places->left = (int32_t)box.left;
    places->height = (uint32_t)height;
    places->words = (uint32_t)words;
    memset(places->rows, 0, (size_t)(height * words) * sizeof *places->rows);
    for (uint32_t k = 0; k < indices.n; k++) {
        uint32_t i = (uint32_t)(key_row(VAL_INDICES, indices.k[k]) - places->top),
                 j = (uint32_t)(key_col(VAL_INDICES, indices.k[k]) - places->left);
        places->rows[i * places->words + j / 64] |= (uint64_t)1 << (j % 64);
    }
    return true;
}

/* Whether a pair is in a constant set of indices. For packed sets nothing is charged. */
LOWERED(lower_contained) {
    UNUSED;
    bool number = args[0].kind == CTERM_NUMBER;
    if ((args[0].kind != CTERM_PAIR && !number) || args[1].kind != CTERM_CONST ||
        p->nplaces == CPLAN_PLACES) {
        return false;
    }
    Val set = p->consts[args[1].value];
    CplanPlaces *places = &p->places[p->nplaces];
    if (number ? !places_of_numbers(set, places) : set.kind != VAL_INDICES || !places_of(set, places)) {
        return false;
    }
    to->kind = CTERM_NUMBER;
    CplanNumber row = number ? number_constant(0) : args[0].a, column = number ? args[0].a : args[0].b;
    if (!emit(p, COLUMN_AMONG, row, column, column, 0, 1, &to->a)) {
        return false;
    }
    p->ops[p->nops - 1].c = (uint8_t)p->nplaces++;
    return true;
}

/* What comparing all pairs of n and m places costs (manhattan). */
static uint32_t cost_of_pairs(uint32_t n, uint32_t m) {
    enum { CHUNK = 128, CHARGE_EVERY = 256 };
    uint32_t steps = 0;
    for (uint32_t from = 0; from < m; from += CHUNK) {
        uint32_t chunk = m - from < CHUNK ? m - from : CHUNK;
        for (uint32_t k = 0; k < n; k += CHARGE_EVERY) {
            steps += (n - k < CHARGE_EVERY ? n - k : CHARGE_EVERY) * chunk / 64;
        }
    }
    return steps;
}

/* The distance between a constant patch and a set of one place. Of larger patches the cost depends on the
 * place. */
LOWERED(lower_manhattan) {
    UNUSED;
    enum { FREE = 16, MAX_PATCH = 512 };
    bool left = args[0].kind == CTERM_CONST;
    const CplanTerm *point = &args[left], *other = &args[!left];
    if (point->kind != CTERM_POINT || other->kind != CTERM_CONST) {
        return false;
    }
    Val patch = p->consts[other->value];
    if ((patch.kind != VAL_INDICES && patch.kind != p->object_kind) || patch.n > MAX_PATCH) {
        return false;
    }
    to->kind = CTERM_NUMBER;
    if (!emit(p, COLUMN_DISTANCE, point->a, point->b, point->b, 0, 4 * KEY_INDEX, &to->a)) {
        return false;
    }
    p->ops[p->nops - 1].c = other->value;
    p->charge += (patch.n >> 6) + (patch.n <= FREE ? 0
                                   : left          ? cost_of_pairs(patch.n, 1)
                                                   : cost_of_pairs(1, patch.n));
    return true;
}

static const Lowering lowerings[PRIM_COUNT] = {
    [P_add] = {.lower = lift2, .op = COLUMN_ADD},
    [P_subtract] = {.lower = lift2, .op = COLUMN_SUBTRACT},
    [P_multiply] = {.lower = lift2, .op = COLUMN_MULTIPLY},
    [P_invert] = {.lower = lift_after, .op = COLUMN_SUBTRACT, .with = 0},
    [P_double] = {.lower = lift_with, .op = COLUMN_MULTIPLY, .with = 2},
    [P_increment] = {.lower = lift_with, .op = COLUMN_ADD, .with = 1},
    [P_decrement] = {.lower = lift_with, .op = COLUMN_SUBTRACT, .with = 1},
    [P_halve] = {.lower = lift1, .each = half_of},
    [P_crement] = {.lower = lift1, .each = cremented},
    [P_sign] = {.lower = lift1, .each = sign_of},
    [P_even] = {.lower = test1, .op = COLUMN_EVEN},
    [P_positive] = {.lower = test_with, .op = COLUMN_GREATER, .with = 0},
    [P_greater] = {.lower = test2, .op = COLUMN_GREATER},
    [P_maximum] = {.lower = extreme, .op = COLUMN_MAX},
    [P_minimum] = {.lower = extreme, .op = COLUMN_MIN},
    [P_equality] = {.lower = lower_equality},
    [P_flip] = {.lower = lower_flip},
    [P_branch] = {.lower = lower_branch},
    [P_both] = {.lower = lower_both},
    [P_either] = {.lower = lower_either},
    [P_identity] = {.lower = lower_identity},
    [P_toivec] = {.lower = lower_toivec},
    [P_tojvec] = {.lower = lower_tojvec},
    [P_astuple] = {.lower = lower_astuple},
    [P_first] = {.lower = lower_first},
    [P_last] = {.lower = lower_last},
    [P_size] = {.lower = lower_size},
    [P_contained] = {.lower = lower_contained},
    [P_manhattan] = {.lower = lower_manhattan},
    [P_index] = {.lower = lower_index},
    [P_divide] = {.lower = lower_divide},
    [P_uppermost] = {.lower = lower_edge, .op = EDGE_TOP},
    [P_leftmost] = {.lower = lower_edge, .op = EDGE_LEFT},
    [P_lowermost] = {.lower = lower_edge, .op = EDGE_BOTTOM},
    [P_rightmost] = {.lower = lower_edge, .op = EDGE_RIGHT},
    [P_uppermost_i] = {.lower = lower_edge, .op = EDGE_TOP, .with = EDGED_INDICES},
    [P_leftmost_i] = {.lower = lower_edge, .op = EDGE_LEFT, .with = EDGED_INDICES},
    [P_lowermost_i] = {.lower = lower_edge, .op = EDGE_BOTTOM, .with = EDGED_INDICES},
    [P_rightmost_i] = {.lower = lower_edge, .op = EDGE_RIGHT, .with = EDGED_INDICES},
    [P_uppermost_o] = {.lower = lower_edge, .op = EDGE_TOP, .with = EDGED_OBJECTS},
    [P_leftmost_o] = {.lower = lower_edge, .op = EDGE_LEFT, .with = EDGED_OBJECTS},
    [P_lowermost_o] = {.lower = lower_edge, .op = EDGE_BOTTOM, .with = EDGED_OBJECTS},
    [P_rightmost_o] = {.lower = lower_edge, .op = EDGE_RIGHT, .with = EDGED_OBJECTS},
    [P_ulcorner] = {.lower = lower_corner, .op = EDGE_TOP + 8 * EDGE_LEFT},
    [P_urcorner] = {.lower = lower_corner, .op = EDGE_TOP + 8 * EDGE_RIGHT},
    [P_llcorner] = {.lower = lower_corner, .op = EDGE_BOTTOM + 8 * EDGE_LEFT},
    [P_lrcorner] = {.lower = lower_corner, .op = EDGE_BOTTOM + 8 * EDGE_RIGHT},
    [P_height] = {.lower = lower_extent, .op = true},
    [P_width] = {.lower = lower_extent, .op = false},
    [P_height_f] = {.lower = lower_extent, .op = true},
    [P_width_f] = {.lower = lower_extent, .op = false},
    [P_height_i] = {.lower = lower_extent, .op = true, .with = EDGED_INDICES},
    [P_width_i] = {.lower = lower_extent, .op = false, .with = EDGED_INDICES},
    [P_height_o] = {.lower = lower_extent, .op = true, .with = EDGED_OBJECTS},
    [P_width_o] = {.lower = lower_extent, .op = false, .with = EDGED_OBJECTS},
    [P_center] = {.lower = lower_center},
    [P_shape] = {.lower = lower_shape},
    [P_shape_f] = {.lower = lower_shape},
    [P_color] = {.lower = lower_color},
};

bool cplan_lowers(uint32_t prim) {
    return lowerings[prim].lower != NULL;
}

bool cplan_lower(ClosurePlan *p, uint32_t prim, const CplanTerm *args, CplanTerm *to) {
    const Lowering *by = &lowerings[prim];
    if (by->lower == NULL) {
        return false;
    }
    CplanMark mark = cplan_mark(p);
    CplanTerm made;
    if (!by->lower(p, by, args, &made)) {
        cplan_back(p, &mark);
        return false;
    }
    *to = made;
    return true;
}
