/* Makes plans: walks a closure as a call would, with terms in place of values; see closure_plan.h. */
#include "engine/arcdsl/closure_plan_lower.h"
#include "engine/arcdsl/packed_patch.h"

#include <string.h>

bool cplan_constant(ClosurePlan *p, Val v, CplanTerm *to) {
    if (v.kind == VAL_INT && v.i == (int32_t)v.i) {
        *to = cterm_number(number_constant((int32_t)v.i));
        return true;
    }
    if (v.kind == VAL_PAIR) {
        *to = cterm_pair(number_constant(v.a), number_constant(v.b));
        return true;
    }
    if (v.kind == VAL_CELL || v.kind == VAL_TRIPLE) {
        int32_t c = val_color(v);
        *to = v.kind == VAL_CELL ? (CplanTerm){.kind = CTERM_CELL,
                                               .a = number_constant(c),
                                               .b = number_constant(v.a),
                                               .c = number_constant(v.b)}
                                 : (CplanTerm){.kind = CTERM_TRIPLE,
                                               .a = number_constant(v.a),
                                               .b = number_constant(v.b),
                                               .c = number_constant(c)};
        return true;
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        if (p->consts[k].head == v.head && p->consts[k].i == v.i) { /* the same number or pointer */
            *to = (CplanTerm){.kind = CTERM_CONST, .value = (uint8_t)k};
            return true;
        }
    }
    if (p->nconsts == CPLAN_CONSTS) {
        return false;
    }
    p->consts[p->nconsts] = v;
    *to = (CplanTerm){.kind = CTERM_CONST, .value = (uint8_t)p->nconsts++};
    return true;
}

/* ---- what exists only while the plan is made ---- */

enum { NO_VALUE = 255, SITES = 64, TWO_BYTES = 48 };

bool cplan_virtual(const ClosurePlan *p) {
    return p->sites < SITES && (p->real >> p->sites & 1) == 0;
}

/* A value is needed after all. The next plan makes it where it comes about, so that steps keep their
 * order. */
static bool needed(ClosurePlan *p, uint8_t site) {
    p->real |= (uint64_t)1 << site;
    p->again = true;
    return false;
}

static bool two(ClosurePlan *p, const CplanTerm *a, const CplanTerm *b, uint8_t value, CplanTerm *to) {
    if (p->ntwos == CPLAN_TWOS) {
        return false;
    }
    p->twos[p->ntwos] = (CplanTwo){.part = {*a, *b}, .site = (uint8_t)p->sites, .value = value};
    *to = (CplanTerm){.kind = CTERM_TWO, .value = (uint8_t)p->ntwos++};
    return true;
}

bool cplan_two(ClosurePlan *p, const CplanTerm *a, const CplanTerm *b, CplanTerm *to) {
    bool good = two(p, a, b, NO_VALUE, to);
    p->sites++;
    p->room += TWO_BYTES;
    return good;
}

/* ---- calls ---- */

static bool call(ClosurePlan *p, Ctx *ctx, Val f, const CplanTerm *args, uint32_t n, CplanTerm *to);

bool cplan_event(ClosurePlan *p, uint32_t prim) {
    if (p->nevents == CPLAN_EVENTS) {
        return false;
    }
    p->inside[p->nevents] = (uint8_t)p->scope;
    p->events[p->nevents++] = (uint16_t)prim;
    if (prim < CPLAN_CLOSURE) {
        p->counted[p->ncounted++] = (uint16_t)prim;
    }
    p->nclosures += prim == CPLAN_CLOSURE;
    return true;
}

/* The value of a term that is the same for all elements; false: it varies. */
static bool constant_value(const ClosurePlan *p, const CplanTerm *t, Val *to) {
    bool a = number_is_constant(t->a), b = a && number_is_constant(t->b), c = b && number_is_constant(t->c);
    switch ((CplanTermKind)t->kind) {
    case CTERM_CONST:
        *to = p->consts[t->value];
        return true;
    case CTERM_NUMBER:
        *to = val_int(t->a.lo);
        return a;
    case CTERM_PAIR:
        *to = val_pair32(t->a.lo, t->b.lo);
        return b;
    case CTERM_CELL:
        *to = val_cell32(t->a.lo, t->b.lo, t->c.lo);
        return c;
    case CTERM_TRIPLE:
        *to = val_triple32(t->a.lo, t->b.lo, t->c.lo);
        return c;
    default:
        return false;
    }
}

/* An argument that varies. Its head is written here, so that only numbers are left to be moved. */
static bool move(ClosurePlan *p, CplanCall *c, const CplanTerm *t, uint32_t to) {
    CplanMove m = {.kind = t->kind, .to = (uint8_t)to, .from = t->value};
    if (t->kind == CTERM_TWO && p->twos[t->value].value != NO_VALUE) {
        m.kind = CTERM_VALUE;
        m.from = p->twos[t->value].value;
        p->values_come = p->inputs[0].valued = true;
        c->moves[c->nmoves++] = m;
        return true;
    }
    if (t->kind == CTERM_TWO) {
        return needed(p, p->twos[t->value].site);
    }
    if (t->kind == CTERM_MADE) {
        return needed(p, p->made[t->value].site);
    }
    if (t->kind == CTERM_FEW) {
        return needed(p, p->fews[t->value].site);
    }
    if (t->kind == CTERM_ITEM) {
        c->moves[c->nmoves++] = m;
        return cplan_column_of(p, t->a, &c->moves[c->nmoves - 1].a);
    }
    if (t->kind > CTERM_VALUE) { /* it would have to be made */
        return false;
    }
    if (t->kind != CTERM_VALUE &&
        (!cplan_column_of(p, t->a, &m.a) || (t->kind >= CTERM_PAIR && !cplan_column_of(p, t->b, &m.b)) ||
         (t->kind >= CTERM_CELL && !cplan_column_of(p, t->c, &m.c)))) {
        return false;
    }
    c->args[to] = t->kind == CTERM_NUMBER ? val_int(0)
                  : t->kind == CTERM_PAIR ? val_pair32(0, 0)
                  : t->kind == CTERM_CELL ? val_cell32(0, 0, 0)
                                          : val_triple32(0, 0, 0);
    c->moves[c->nmoves++] = m;
    return true;
}

/* Adds a call for what cannot be done on columns. */
static bool body(ClosurePlan *p, PrimFn fn, uint32_t prim, const CplanTerm *args, uint32_t n, CplanTerm *to) {
    if (p->ncalls == CPLAN_CALLS || n > 4) {
        return false;
    }
    CplanCall *made = &p->calls[p->ncalls++];
    made->fn = fn;
    made->prim = (uint16_t)prim;
    made->depth = (uint8_t)p->depth;
    made->to = (uint8_t)p->nvalues++;
    made->events = (uint8_t)p->nevents;
    made->counted = (uint8_t)p->ncounted;
    made->closures = (uint8_t)p->nclosures;
    made->nmoves = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!constant_value(p, &args[k], &made->args[k]) && !move(p, made, &args[k], k)) {
            return false;
        }
    }
    made->direct = n == 1 && made->nmoves == 1 && made->moves[0].kind == CTERM_VALUE;
    *to = (CplanTerm){.kind = CTERM_VALUE, .value = made->to};
    return true;
}

/* Whether a call makes a tuple or a closure that might have been one in name only. */
static bool is_site(uint32_t prim, const CplanTerm *args, uint32_t n) {
    return (prim_table[prim].flags & PRIM_CLOSURE) != 0 || prim == P_sfilter || prim == P_apply ||
           (prim == P_astuple && n == 2 && args[0].kind == args[1].kind &&
            (args[0].kind == CTERM_PAIR || args[0].kind == CTERM_CELL));
}

static bool call_prim(ClosurePlan *p, Ctx *ctx, uint32_t prim, const CplanTerm *args, uint32_t n,
                      CplanTerm *to) {
    if (n != prim_arity[prim] || !cplan_event(p, prim)) {
        return false;
    }
    if (cplan_lower(p, prim, args, to) || partial_lower(p, ctx, prim, args, to) ||
        (p->with_patches && patch_lower(p, ctx, prim, args, to))) {
        return true;
    }
    p->sites += is_site(prim, args, n);
    return body(p, ctx->fns[prim], prim, args, n, to);
}

/* The comparison at the end of a matcher, if it cannot be done on columns. */
static Val match(Ctx *ctx, const Val *a) {
    return ctx_charge(ctx, val_cost(a[0], a[1])) ? val_bool(val_eq_direct(a[0], a[1])) : val_fail_budget(ctx);
}

/* A closure, which either exists or was made by a call in the plan. */
typedef struct Callee {
    const Closure *real;
    const CplanMade *made;
} Callee;

static bool call_part(ClosurePlan *p, Ctx *ctx, Callee f, uint32_t k, const CplanTerm *args, uint32_t n,
                      CplanTerm *to) {
    return f.real != NULL ? call(p, ctx, f.real->part[k], args, n, to)
                          : cplan_call(p, ctx, &f.made->part[k], args, n, to);
}

static bool part_term(ClosurePlan *p, Callee f, uint32_t k, CplanTerm *to) {
    if (f.real != NULL) {
        return cplan_constant(p, f.real->part[k], to);
    }
    *to = f.made->part[k];
    return true;
}

static bool call_matcher(ClosurePlan *p, Ctx *ctx, Callee f, const CplanTerm *args, CplanTerm *to) {
    CplanTerm both[2];
    if (!call_part(p, ctx, f, 0, args, 1, &both[0]) || !part_term(p, f, 1, &both[1])) {
        return false;
    }
    return cplan_lower(p, P_equality, both, to) || body(p, match, CPLAN_NO_PRIM, both, 2, to);
}

static bool call_bound(ClosurePlan *p, Ctx *ctx, Callee f, bool left, const CplanTerm *args, uint32_t n,
                       CplanTerm *to) {
    CplanTerm all[4];
    if (n > 3) {
        return false;
    }
    memcpy(all + left, args, n * sizeof *args);
    return part_term(p, f, 1, &all[left ? 0 : n]) && call_part(p, ctx, f, 0, all, n + 1, to);
}

static bool call_power(ClosurePlan *p, Ctx *ctx, Callee f, const CplanTerm *args, CplanTerm *to) {
    CplanTerm times;
    *to = args[0];
    if (!part_term(p, f, 1, &times) || times.kind != CTERM_NUMBER || !number_is_constant(times.a)) {
        return false;
    }
    for (int32_t k = times.a.lo; k > 0; k--) {
        CplanTerm x = *to;
        if (!call_part(p, ctx, f, 0, &x, 1, to)) {
            return false;
        }
    }
    return true;
}

static bool call_closure(ClosurePlan *p, Ctx *ctx, Callee f, const CplanTerm *args, uint32_t n,
                         CplanTerm *to) {
    CplanTerm x, y;
    ClosureOp op = (ClosureOp)(f.real != NULL ? f.real->op : f.made->op);
    switch (op) {
    case CLOSURE_COMPOSE:
        return call_part(p, ctx, f, 1, args, 1, &x) && call_part(p, ctx, f, 0, &x, 1, to);
    case CLOSURE_CHAIN:
        return call_part(p, ctx, f, 2, args, 1, &x) && call_part(p, ctx, f, 1, &x, 1, &y) &&
               call_part(p, ctx, f, 0, &y, 1, to);
    case CLOSURE_FORK: {
        CplanTerm both[2];
        return call_part(p, ctx, f, 1, args, 1, &both[0]) && call_part(p, ctx, f, 2, args, 1, &both[1]) &&
               call_part(p, ctx, f, 0, both, 2, to);
    }
    case CLOSURE_MATCHER:
        return call_matcher(p, ctx, f, args, to);
    case CLOSURE_LBIND:
    case CLOSURE_RBIND:
        return call_bound(p, ctx, f, op == CLOSURE_LBIND, args, n, to);
    case CLOSURE_POWER:
        return call_power(p, ctx, f, args, to);
    default:
        return false;
    }
}

static bool enter(ClosurePlan *p, Ctx *ctx, Callee f, const CplanTerm *args, uint32_t n, CplanTerm *to) {
    uint32_t arity = f.real != NULL ? f.real->arity : f.made->arity;
    if (arity != n || p->depth == CPLAN_DEPTH || !cplan_event(p, CPLAN_NO_PRIM)) {
        return false;
    }
    p->depth++;
    p->deepest = p->depth > p->deepest ? p->depth : p->deepest;
    bool good = call_closure(p, ctx, f, args, n, to);
    p->depth--;
    return good;
}

static bool call(ClosurePlan *p, Ctx *ctx, Val f, const CplanTerm *args, uint32_t n, CplanTerm *to) {
    if (f.kind == VAL_PRIM) {
        return call_prim(p, ctx, f.n, args, n, to);
    }
    return f.kind == VAL_CLOSURE && enter(p, ctx, (Callee){.real = f.f}, args, n, to);
}

bool cplan_call(ClosurePlan *p, Ctx *ctx, const CplanTerm *f, const CplanTerm *args, uint32_t n,
                CplanTerm *to) {
    if (f->kind == CTERM_CONST) {
        return call(p, ctx, p->consts[f->value], args, n, to);
    }
    return f->kind == CTERM_MADE && enter(p, ctx, (Callee){.made = &p->made[f->value]}, args, n, to);
}

/* ---- plans ---- */

/* Canonical order keeps kinds together: if its first and last elements are integers, all elements are. */
static bool small_ints(Val set) {
    return set.kind == VAL_SET && set.v[0].kind == VAL_INT && set.v[set.n - 1].kind == VAL_INT &&
           set.v[0].i >= INT32_MIN && set.v[set.n - 1].i <= INT32_MAX;
}

static CplanNumber input_number(ClosurePlan *p, CplanInput *in, int32_t lo, int32_t hi) {
    in->column[in->width++] = (int16_t)p->ncolumns;
    return (CplanNumber){.column = (int16_t)p->ncolumns++, .lo = lo, .hi = hi};
}

/* A column of bytes in rows of `width`; its range is looked for, because sets of indices need narrow ones. */
static CplanNumber input_bytes(ClosurePlan *p, CplanInput *in, uint32_t width) {
    int8_t lo = INT8_MAX, hi = INT8_MIN;
    for (const int8_t *x = in->c.b8 + in->width, *end = in->c.b8 + (size_t)in->c.n * width; x < end;
         x += width) {
        lo = *x < lo ? *x : lo;
        hi = *x > hi ? *x : hi;
    }
    return input_number(p, in, lo, hi);
}

/* Whether all elements are tuples of two pairs (or two cells). Their numbers and ranges, if so. */
enum { TWO_PAIRS = 4, TWO_CELLS = 6 };

INLINE bool two_numbers(Val v, const uint32_t width, int32_t *to) {
    if (width == TWO_PAIRS) {
        if (v.kind != VAL_GRID8 || v.n != 2 || v.w != 2) {
            return false;
        }
        for (uint32_t x = 0; x < TWO_PAIRS; x++) {
            to[x] = v.b8[x];
        }
        return true;
    }
    if (v.kind != VAL_TUPLE || v.n != 2 || v.v[0].kind != VAL_CELL || v.v[1].kind != VAL_CELL) {
        return false;
    }
    for (uint32_t x = 0; x < 2; x++) {
        to[3 * x] = val_color(v.v[x]);
        to[3 * x + 1] = v.v[x].a;
        to[3 * x + 2] = v.v[x].b;
    }
    return true;
}

INLINE bool two_ranges(Val c, const uint32_t width, int32_t *lo, int32_t *hi) {
    int32_t least[TWO_CELLS], most[TWO_CELLS], x[TWO_CELLS];
    for (uint32_t at = 0; at < TWO_CELLS; at++) {
        least[at] = INT32_MAX;
        most[at] = INT32_MIN;
    }
    for (uint32_t k = 0; k < c.n; k++) {
        if (!two_numbers(c.v[k], width, x)) {
            return false;
        }
        for (uint32_t at = 0; at < width; at++) {
            least[at] = x[at] < least[at] ? x[at] : least[at];
            most[at] = x[at] > most[at] ? x[at] : most[at];
        }
    }
    memcpy(lo, least, sizeof least);
    memcpy(hi, most, sizeof most);
    return true;
}

static bool input_twos(ClosurePlan *p, CplanInput *in, CplanTerm *t) {
    Val c = in->c;
    uint32_t width = c.v[0].kind == VAL_GRID8 ? TWO_PAIRS : TWO_CELLS, half = width / 2;
    int32_t lo[TWO_CELLS], hi[TWO_CELLS];
    if (!(width == TWO_PAIRS ? two_ranges(c, TWO_PAIRS, lo, hi) : two_ranges(c, TWO_CELLS, lo, hi))) {
        return false;
    }
    CplanTerm part[2];
    for (uint32_t at = 0; at < 2; at++) {
        const int32_t *low = lo + at * half, *high = hi + at * half;
        part[at] = (CplanTerm){.kind = half == 2 ? CTERM_PAIR : CTERM_CELL};
        part[at].a = input_number(p, in, low[0], high[0]);
        part[at].b = input_number(p, in, low[1], high[1]);
        if (half == 3) {
            part[at].c = input_number(p, in, low[2], high[2]);
        }
    }
    in->value = (uint8_t)p->nvalues++;
    return two(p, &part[0], &part[1], in->value, t);
}

/* Tuples of two of any other values, such as product makes of objects. */
static bool input_halves(ClosurePlan *p, CplanInput *in, CplanTerm *t) {
    for (uint32_t k = 0; k < in->c.n; k++) {
        if (in->c.v[k].kind != VAL_TUPLE || in->c.v[k].n != 2) {
            return false;
        }
    }
    in->value = (uint8_t)p->nvalues;
    in->halved = p->values_come = true;
    p->nvalues += 3;
    CplanTerm part[2] = {{.kind = CTERM_VALUE, .value = (uint8_t)(in->value + 1)},
                         {.kind = CTERM_VALUE, .value = (uint8_t)(in->value + 2)}};
    return two(p, &part[0], &part[1], in->value, t);
}

/* The term for an element of a container. */
static CplanTerm input_term(ClosurePlan *p, CplanInput *in) {
    Val c = in->c;
    CplanTerm t = {.kind = CTERM_VALUE};
    if ((c.kind == VAL_SET || c.kind == VAL_TUPLE) && p->ninputs == 1 &&
        (input_twos(p, in, &t) || input_halves(p, in, &t))) {
        return t;
    }
    if (val_is_keys(c)) {
        Box box = keys_box(c);
        int32_t top = (int32_t)box.top, left = (int32_t)box.left, bottom = (int32_t)box.bottom,
                right = (int32_t)box.right;
        t.kind = c.kind == VAL_INDICES ? CTERM_PAIR : c.kind == VAL_OBJ_CORE ? CTERM_CELL : CTERM_TRIPLE;
        if (t.kind == CTERM_CELL) {
            t.a = input_number(p, in, key_color(c.kind, c.k[0]), key_color(c.kind, c.k[c.n - 1]));
            t.b = input_number(p, in, top, bottom);
            t.c = input_number(p, in, left, right);
            return t;
        }
        t.a = input_number(p, in, top, bottom);
        t.b = input_number(p, in, left, right);
        if (t.kind == CTERM_TRIPLE) {
            t.c = input_number(p, in, INT8_MIN, INT8_MAX);
        }
    } else if (c.kind == VAL_SET && small_ints(c)) {
        t.kind = CTERM_NUMBER;
        t.a = input_number(p, in, (int32_t)c.v[0].i, (int32_t)c.v[c.n - 1].i);
    } else if (c.kind == VAL_ROW8) {
        t.kind = CTERM_NUMBER;
        t.a = input_bytes(p, in, 1);
    } else if (c.kind == VAL_GRID8 && (c.w == 2 || c.w == 3)) {
        t.kind = c.w == 3 ? CTERM_TRIPLE : CTERM_PAIR;
        t.a = input_bytes(p, in, c.w);
        t.b = input_bytes(p, in, c.w);
        if (t.kind == CTERM_TRIPLE) {
            t.c = input_bytes(p, in, c.w);
        }
    } else {
        t.value = in->value = (uint8_t)p->nvalues++;
        p->values_come = true;
    }
    return t;
}

/* The result as a value, if it is one that exists only in the plan. */
static bool give_value(ClosurePlan *p) {
    CplanTerm *t = &p->result;
    if (t->kind == CTERM_MADE) {
        return needed(p, p->made[t->value].site);
    }
    if (t->kind == CTERM_FEW) {
        return needed(p, p->fews[t->value].site);
    }
    if (t->kind == CTERM_TWO) {
        const CplanTwo *x = &p->twos[t->value];
        if (x->value == NO_VALUE) {
            return needed(p, x->site);
        }
        *t = (CplanTerm){.kind = CTERM_VALUE, .value = x->value};
        p->values_come = p->inputs[0].valued = true;
    }
    return true;
}

static bool try_make(ClosurePlan *p, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements,
                     bool with_patches, uint64_t real) {
    memset(p, 0, offsetof(ClosurePlan, result));
    p->real = real;
    p->nscopes = 1;
    p->ninputs = n;
    p->elements = elements;
    p->block = elements < CPLAN_BLOCK ? elements : CPLAN_BLOCK;
    p->f = f;
    p->object_kind = (uint8_t)ctx_object_kind(ctx);
    p->with_patches = with_patches;
    p->window = (PatchBounds){.top = 1, .bottom = 0};
    CplanTerm terms[2];
    for (uint32_t k = 0; k < n; k++) {
        p->inputs[k].c = inputs[k];
        terms[k] = input_term(p, &p->inputs[k]);
    }
    if (!call(p, ctx, f, terms, n, &p->result) || !give_value(p)) {
        return false;
    }
    uint32_t done = 0;
    for (uint32_t k = 0; k < p->ncalls; k++) {
        p->calls[k].steps = (uint8_t)(p->calls[k].events - done);
        done = p->calls[k].events;
    }
    p->tail = p->nevents - done;
    /* a bare primitive is called just as directly without a plan */
    bool worth = p->ncalls == 0 || f.kind == VAL_CLOSURE;
    return worth && ctx->depth + p->deepest <= ctx->budget.depth && callstack_fits(&ctx->stack);
}

static bool make(ClosurePlan *p, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements,
                 bool with_patches) {
    enum { TRIES = 6 };
    bool good;
    uint64_t real = 0;
    CtxMark mark = ctx_mark(ctx);
    for (uint32_t k = 0; k < TRIES; k++) {
        good = try_make(p, ctx, f, inputs, n, elements, with_patches, real);
        if (good) {
            return true;
        }
        ctx_release(ctx, mark); /* what calls on constants have made */
        if (!p->again) {
            break;
        }
        real = p->real;
    }
    return false;
}

/* Whether sets of indices that do not exist are only used where that is possible: not beside calls element by
 * element, and as the result only if it is to be merged. */
static bool patches_fit(ClosurePlan *p, bool merged) {
    uint8_t kind = p->result.kind;
    if (kind > CTERM_VALUE && kind != CTERM_ITEM) {
        uint8_t reg;
        if (!merged || kind > CTERM_COLORED || !patch_register(p, &p->result, true, &reg)) {
            return false;
        }
        p->result.kind = kind == CTERM_COLORED ? CTERM_COLORED : CTERM_PATCH;
        p->result.value = reg;
    }
    return !cplan_charges(p) || p->ncalls == 0;
}

static bool make_either(ClosurePlan *p, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements,
                        bool merged) {
    CtxMark mark = ctx_mark(ctx);
    p->edged = EDGED_UNKNOWN;
    bool good = make(p, ctx, f, inputs, n, elements, true);
    if (!p->tried_patches || (good && patches_fit(p, merged))) {
        return good;
    }
    ctx_release(ctx, mark);
    return make(p, ctx, f, inputs, n, elements, false);
}

bool cplan_make(ClosurePlan *p, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements) {
    return make_either(p, ctx, f, inputs, n, elements, false);
}

bool cplan_make_merged(ClosurePlan *p, Ctx *ctx, Val f, Val input) {
    return make_either(p, ctx, f, &input, 1, val_len(input), true);
}
