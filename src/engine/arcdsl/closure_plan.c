/* Making plans: a closure is walked as a call would do it, with terms in place of values; see memory.h. */
#include "engine/arcdsl/closure_plan_lower.h"
#include "engine/arcdsl/packed_patch.h"

#include <string.h>

/* A constant value as a term; there is room for CPLAN_CONSTS of them. */
static bool cterm_of(ClosurePlan *p, Val v, CplanTerm *to) {
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
    if (p->nconsts == CPLAN_CONSTS) {
        return false;
    }
    p->consts[p->nconsts] = v;
    *to = (CplanTerm){.kind = CTERM_CONST, .value = (uint8_t)p->nconsts++};
    return true;
}

/* ---- calls ---- */

static bool call(ClosurePlan *p, Ctx *ctx, Val f, const CplanTerm *args, uint32_t n, CplanTerm *to);

/* Records that a primitive is called or, with CPLAN_NO_PRIM, that a closure is entered. False: no room. */
static bool event(ClosurePlan *p, uint32_t prim) {
    if (p->nevents == CPLAN_EVENTS) {
        return false;
    }
    p->inside[p->nevents] = (uint8_t)p->within;
    p->events[p->nevents++] = (uint16_t)prim;
    if (prim != CPLAN_NO_PRIM) {
        p->counted[p->ncounted++] = (uint16_t)prim;
    }
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
    made->nmoves = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!constant_value(p, &args[k], &made->args[k]) && !move(p, made, &args[k], k)) {
            return false;
        }
    }
    *to = (CplanTerm){.kind = CTERM_VALUE, .value = made->to};
    return true;
}

/* A function applied to both numbers of a pair, if that needs only columns: the result is a pair as well. */
static bool apply_to_pair(ClosurePlan *p, Ctx *ctx, const CplanTerm *args, CplanTerm *to) {
    CplanMark was = cplan_mark(p);
    CplanTerm a, b, x = cterm_number(args[1].a), y = cterm_number(args[1].b);
    Val f = args[0].kind == CTERM_CONST ? p->consts[args[0].value] : VAL_EMPTY_TUPLE;
    if (args[1].kind != CTERM_PAIR || !val_is_fn(f)) {
        return false;
    }
    p->within++;
    bool good = call(p, ctx, f, &x, 1, &a) && call(p, ctx, f, &y, 1, &b) && a.kind == CTERM_NUMBER &&
                b.kind == CTERM_NUMBER && p->ncalls == was.ncalls;
    p->within--;
    if (good) {
        *to = cterm_pair(a.a, b.a);
    } else {
        cplan_back(p, &was);
    }
    return good;
}

static bool call_prim(ClosurePlan *p, Ctx *ctx, uint32_t prim, const CplanTerm *args, uint32_t n,
                      CplanTerm *to) {
    if (n != prim_arity[prim] || !event(p, prim)) {
        return false;
    }
    if (prim == P_apply && n == 2 && apply_to_pair(p, ctx, args, to)) {
        return true;
    }
    return cplan_lower(p, prim, args, to) || (p->with_patches && patch_lower(p, ctx, prim, args, to)) ||
           body(p, ctx->fns[prim], prim, args, n, to);
}

/* The comparison at the end of a matcher, if it cannot be done on columns. */
static Val match(Ctx *ctx, const Val *a) {
    return ctx_charge(ctx, val_cost(a[0], a[1])) ? val_bool(val_eq_direct(a[0], a[1])) : val_fail_budget(ctx);
}

static bool call_matcher(ClosurePlan *p, Ctx *ctx, const Closure *f, const CplanTerm *args, CplanTerm *to) {
    CplanTerm both[2];
    if (!call(p, ctx, f->part[0], args, 1, &both[0]) || !cterm_of(p, f->part[1], &both[1])) {
        return false;
    }
    return cplan_lower(p, P_equality, both, to) || body(p, match, CPLAN_NO_PRIM, both, 2, to);
}

static bool call_bound(ClosurePlan *p, Ctx *ctx, const Closure *f, const CplanTerm *args, uint32_t n,
                       CplanTerm *to) {
    CplanTerm all[4];
    if (n > 3) {
        return false;
    }
    bool left = f->op == CLOSURE_LBIND;
    memcpy(all + left, args, n * sizeof *args);
    return cterm_of(p, f->part[1], &all[left ? 0 : n]) && call(p, ctx, f->part[0], all, n + 1, to);
}

static bool call_power(ClosurePlan *p, Ctx *ctx, const Closure *f, const CplanTerm *args, CplanTerm *to) {
    *to = args[0];
    for (int64_t k = f->part[1].i; k > 0; k--) {
        CplanTerm x = *to;
        if (!call(p, ctx, f->part[0], &x, 1, to)) {
            return false;
        }
    }
    return true;
}

static bool call_closure(ClosurePlan *p, Ctx *ctx, const Closure *f, const CplanTerm *args, uint32_t n,
                         CplanTerm *to) {
    CplanTerm x, y;
    switch ((ClosureOp)f->op) {
    case CLOSURE_COMPOSE:
        return call(p, ctx, f->part[1], args, 1, &x) && call(p, ctx, f->part[0], &x, 1, to);
    case CLOSURE_CHAIN:
        return call(p, ctx, f->part[2], args, 1, &x) && call(p, ctx, f->part[1], &x, 1, &y) &&
               call(p, ctx, f->part[0], &y, 1, to);
    case CLOSURE_FORK: {
        CplanTerm both[2];
        return call(p, ctx, f->part[1], args, 1, &both[0]) && call(p, ctx, f->part[2], args, 1, &both[1]) &&
               call(p, ctx, f->part[0], both, 2, to);
    }
    case CLOSURE_MATCHER:
        return call_matcher(p, ctx, f, args, to);
    case CLOSURE_LBIND:
    case CLOSURE_RBIND:
        return call_bound(p, ctx, f, args, n, to);
    case CLOSURE_POWER:
        return call_power(p, ctx, f, args, to);
    default:
        return false;
    }
}

static bool call(ClosurePlan *p, Ctx *ctx, Val f, const CplanTerm *args, uint32_t n, CplanTerm *to) {
    if (f.kind == VAL_PRIM) {
        return call_prim(p, ctx, f.n, args, n, to);
    }
    if (f.kind != VAL_CLOSURE || f.f->arity != n || p->depth == CPLAN_DEPTH || !event(p, CPLAN_NO_PRIM)) {
        return false;
    }
    p->depth++;
    p->deepest = p->depth > p->deepest ? p->depth : p->deepest;
    bool good = call_closure(p, ctx, f.f, args, n, to);
    p->depth--;
    return good;
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

/* The term for an element of a container. */
static CplanTerm input_term(ClosurePlan *p, CplanInput *in) {
    Val c = in->c;
    CplanTerm t = {.kind = CTERM_VALUE};
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

static bool make(ClosurePlan *p, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements,
                 bool with_patches) {
    memset(p, 0, offsetof(ClosurePlan, result));
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
    if (!call(p, ctx, f, terms, n, &p->result)) {
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

/* Whether sets of indices that do not exist are only used where that is possible: not beside calls element by
 * element, and as the result only if it is to be merged. */
static bool patches_fit(ClosurePlan *p, bool merged) {
    if (p->result.kind > CTERM_VALUE) {
        uint8_t reg;
        if (!merged || p->result.kind > CTERM_PATCH || !patch_register(p, &p->result, true, &reg)) {
            return false;
        }
        p->result = (CplanTerm){.kind = CTERM_PATCH, .value = reg};
    }
    return !cplan_charges(p) || p->ncalls == 0;
}

static bool make_either(ClosurePlan *p, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements,
                        bool merged) {
    bool good = make(p, ctx, f, inputs, n, elements, true);
    if (!p->tried_patches || (good && patches_fit(p, merged))) {
        return good;
    }
    return make(p, ctx, f, inputs, n, elements, false);
}

bool cplan_make(ClosurePlan *p, Ctx *ctx, Val f, const Val *inputs, uint32_t n, uint32_t elements) {
    return make_either(p, ctx, f, inputs, n, elements, false);
}

bool cplan_make_merged(ClosurePlan *p, Ctx *ctx, Val f, Val input) {
    return make_either(p, ctx, f, &input, 1, val_len(input), true);
}
