/* Partial evaluation in plans: closures that closures make, and loops over few elements.
 *
 * A closure that is made for each element, such as lbind(f, element), is mostly made to be called at once, in
 * an inner loop over a few constants. In a plan it is a term, and calling it is calling f with terms; the
 * loop is unrolled. What making it costs (a step, a number in the order of closures, memory) is charged as if
 * it had been made. Where its value is needed after all, the plan is made again with a real one. */
#include "engine/arcdsl/closure_plan_lower.h"

enum {
    UNROLLED = 16,      /* elements of a loop that is unrolled */
    CLOSURE_BYTES = 64, /* what ctx_alloc takes for one */
    LIGHT = 1 << 16     /* weight of a constant that surely does not make a closure too heavy */
};
_Static_assert(sizeof(Closure) > CLOSURE_BYTES - 16 && sizeof(Closure) <= CLOSURE_BYTES, "one step each");

/* What is called within a primitive fails in it, where a budget ends. */
static bool open_scope(ClosurePlan *p, uint32_t prim) {
    if (p->nscopes == CPLAN_SCOPES) {
        return false;
    }
    p->scopes[p->nscopes] = (CplanScope){.prim = (uint16_t)prim, .within = (uint8_t)p->scope};
    p->scope = p->nscopes++;
    return true;
}

static void close_scope(ClosurePlan *p) {
    p->scope = p->scopes[p->scope].within;
}

/* ---- closures ---- */

/* How primitives that make closures use their arguments. */
typedef struct Maker {
    PrimFn fn; /* of both modes */
    uint8_t op, parts, functions;
} Maker;

static const Maker makers[PRIM_COUNT] = {
    [P_compose] = {prim_compose, CLOSURE_COMPOSE, 2, 2}, [P_chain] = {prim_chain, CLOSURE_CHAIN, 3, 3},
    [P_fork] = {prim_fork, CLOSURE_FORK, 3, 3},          [P_matcher] = {prim_matcher, CLOSURE_MATCHER, 2, 1},
    [P_lbind] = {prim_lbind, CLOSURE_LBIND, 2, 1},       [P_rbind] = {prim_rbind, CLOSURE_RBIND, 2, 1},
};

/* The number of parameters of a function; 0: it is none, or one that plans do not call. */
static uint32_t arity_of(const ClosurePlan *p, const CplanTerm *t) {
    if (t->kind == CTERM_MADE) {
        return p->made[t->value].arity;
    }
    if (t->kind != CTERM_CONST || !val_is_fn(p->consts[t->value])) {
        return 0;
    }
    unsigned arity = fn_arity(p->consts[t->value]);
    return arity == ANY_ARITY ? 0 : arity;
}

/* Whether a part surely does not make a closure too heavy. */
static bool is_light(const ClosurePlan *p, const CplanTerm *t) {
    if (t->kind == CTERM_CONST) {
        return val_weight(p->consts[t->value]) < LIGHT;
    }
    if (t->kind == CTERM_VALUE) { /* an element, or the result of a call, of which nothing is known */
        for (uint32_t k = 0; k < p->ninputs; k++) {
            if (p->inputs[k].width == 0 && p->inputs[k].value == t->value) {
                return val_weight(p->inputs[k].c) < LIGHT;
            }
        }
        return false;
    }
    return t->kind <= CTERM_TRIPLE || t->kind == CTERM_POINT || t->kind == CTERM_TWO || t->kind == CTERM_MADE;
}

static bool make_closure(ClosurePlan *p, const Ctx *ctx, uint32_t prim, const CplanTerm *args,
                         CplanTerm *to) {
    const Maker *by = &makers[prim];
    if (ctx->fns[prim] != by->fn || p->nmade == CPLAN_MADE || !cplan_virtual(p)) {
        return false;
    }
    CplanMade *made = &p->made[p->nmade];
    *made = (CplanMade){.op = by->op, .arity = 1, .site = (uint8_t)p->sites};
    for (uint32_t k = 0; k < by->parts; k++) {
        if ((k < by->functions && arity_of(p, &args[k]) == 0) || !is_light(p, &args[k])) {
            return false;
        }
        made->part[k] = args[k];
    }
    if (by->op == CLOSURE_LBIND || by->op == CLOSURE_RBIND) { /* as prim_lbind counts parameters */
        uint32_t arity = arity_of(p, &args[0]);
        made->arity = arity == 2 ? 1 : arity == 3 ? 2 : 3;
    }
    if (!open_scope(p, prim) || !cplan_event(p, CPLAN_CLOSURE)) {
        return false;
    }
    close_scope(p);
    p->sites++;
    p->room += CLOSURE_BYTES;
    *to = (CplanTerm){.kind = CTERM_MADE, .value = (uint8_t)p->nmade++};
    return true;
}

/* ---- loops ---- */

/* Calls f on a term within a loop; only if that gives a number and needs no call element by element. */
static bool number_for(ClosurePlan *p, Ctx *ctx, const CplanTerm *f, const CplanTerm *x, CplanNumber *to) {
    CplanTerm made;
    uint32_t calls = p->ncalls;
    bool good = cplan_call(p, ctx, f, x, 1, &made) && made.kind == CTERM_NUMBER && p->ncalls == calls;
    *to = made.a;
    return good;
}

/* A function applied to the numbers of a pair or triple. */
static bool apply_to_numbers(ClosurePlan *p, Ctx *ctx, const CplanTerm *args, CplanTerm *to) {
    const CplanTerm *x = &args[1];
    CplanTerm a = cterm_number(x->a), b = cterm_number(x->b), c = cterm_number(x->c);
    if ((x->kind != CTERM_PAIR && x->kind != CTERM_TRIPLE) || arity_of(p, &args[0]) != 1) {
        return false;
    }
    *to = (CplanTerm){.kind = x->kind};
    return number_for(p, ctx, &args[0], &a, &to->a) && number_for(p, ctx, &args[0], &b, &to->b) &&
           (x->kind == CTERM_PAIR || number_for(p, ctx, &args[0], &c, &to->c));
}

/* The elements of a container that is constant or made of few terms, and not longer than that. NULL: it is
 * neither. Elements of a constant are put into `space`. */
static const CplanTerm *items_of(ClosurePlan *p, const CplanTerm *t, CplanTerm *space, uint32_t *n) {
    if (t->kind == CTERM_FEW && p->fews[t->value].all) {
        *n = p->fews[t->value].n;
        return p->fews[t->value].item;
    }
    Val c = t->kind == CTERM_CONST ? p->consts[t->value] : VAL_EMPTY_TUPLE;
    if (!val_is_container(c) || val_len(c) == 0 || val_len(c) > UNROLLED) {
        return NULL;
    }
    *n = val_len(c);
    for (uint32_t k = 0; k < *n; k++) {
        if (!cplan_constant(p, val_at(c, k), &space[k])) {
            return NULL;
        }
    }
    return space;
}

/* The first of few with the greatest or least key; or that key. */
static bool extreme(ClosurePlan *p, Ctx *ctx, const CplanTerm *args, bool max, bool key, CplanTerm *to) {
    if (arity_of(p, &args[1]) != 1 || (args[0].kind != CTERM_FEW && args[1].kind != CTERM_MADE) ||
        (args[0].kind == CTERM_FEW && !key)) { /* its elements may come in any order */
        return false;
    }
    CplanTerm space[UNROLLED], chosen, at = cterm_number(number_constant(0));
    uint32_t n;
    const CplanTerm *items = items_of(p, &args[0], space, &n);
    CplanNumber best, x, better;
    bool direct = items != NULL; /* whether what is chosen is made of numbers; else it is by position */
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        if (!number_for(p, ctx, &args[1], &items[k], &x)) {
            return false;
        }
        if (k == 0) {
            best = x;
            chosen = items[0];
            direct = chosen.kind <= CTERM_TRIPLE;
            continue;
        }
        CplanTerm place = cterm_number(number_constant((int32_t)k));
        direct = direct && items[k].kind == chosen.kind;
        if (!cplan_better(p, max, best, x, &better, &best) ||
            (!key && direct && !cplan_choose(p, better, &items[k], &chosen, &chosen)) ||
            (!key && !cplan_choose(p, better, &place, &at, &at))) {
            return false;
        }
    }
    if (items == NULL) {
        return false;
    }
    *to = key      ? cterm_number(best)
          : direct ? chosen
                   : (CplanTerm){.kind = CTERM_ITEM, .value = args[0].value, .a = at.a};
    return true;
}

/* A constant container so short that making another from it costs no steps. False: it is not. */
static bool is_short(const ClosurePlan *p, const CplanTerm *t, Val *c) {
    enum { FREE_VALUES = 3, FREE_KEYS = 7 };
    *c = t->kind == CTERM_CONST ? p->consts[t->value] : VAL_EMPTY_TUPLE;
    return val_is_container(*c) && val_len(*c) != 0 &&
           val_len(*c) <= (val_is_keys(*c) ? FREE_KEYS : FREE_VALUES);
}

static CplanFew *open_few(ClosurePlan *p, uint32_t n, bool all) {
    if (p->nfews == CPLAN_FEWS || n > CPLAN_FEW_ITEMS || !cplan_virtual(p)) {
        return NULL;
    }
    CplanFew *few = &p->fews[p->nfews++];
    few->n = (uint8_t)n;
    few->site = (uint8_t)p->sites++;
    few->all = all;
    return few;
}

static bool close_few(ClosurePlan *p, const CplanFew *few, CplanTerm *to) {
    p->room += 2 * (uint32_t)sizeof(Val) * few->n; /* more than it takes */
    *to = (CplanTerm){.kind = CTERM_FEW, .value = (uint8_t)(few - p->fews)};
    return true;
}

/* Those of a few constants for which a closure holds that the element made. */
static bool filter(ClosurePlan *p, Ctx *ctx, const CplanTerm *args, CplanTerm *to) {
    Val c;
    CplanFew *few;
    if (args[1].kind != CTERM_MADE || !is_short(p, &args[0], &c) ||
        (few = open_few(p, val_len(c), false)) == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(c); k++) {
        CplanNumber x;
        if (!cplan_constant(p, val_at(c, k), &few->item[k]) ||
            !number_for(p, ctx, &args[1], &few->item[k], &x) || !cplan_truth(p, x, &few->kept[k])) {
            return false;
        }
    }
    return close_few(p, few, to);
}

/* A set of few pairs or numbers, if they surely differ. Pairs that do not come in order are sorted, which
 * is charged. */
static bool sort_few(ClosurePlan *p, const CplanFew *few) {
    bool pairs = few->item[0].kind == CTERM_PAIR, sorted = true;
    for (uint32_t k = 1; k < few->n; k++) {
        for (uint32_t x = 0; x < k; x++) {
            CplanOrder order = cplan_order(p, &few->item[x], &few->item[k]);
            if (order != ORDER_LESS && order != ORDER_GREATER) {
                return false;
            }
            sorted = sorted && (x + 1 < k || order == ORDER_LESS);
        }
    }
    for (uint32_t k = 0; pairs && !sorted && k < few->n / 2u; k++) {
        if (!cplan_event(p, CPLAN_NO_PRIM)) { /* a step */
            return false;
        }
    }
    return true;
}

/* A closure that the element made, applied to each of a few constants. Results are pairs that are keys, or
 * small numbers. */
static bool apply_to_few(ClosurePlan *p, Ctx *ctx, const CplanTerm *args, CplanTerm *to) {
    enum { NEAR = 500, FREE = 3 };
    Val c;
    CplanFew *few;
    if (args[0].kind != CTERM_MADE || p->made[args[0].value].arity != 1 || !is_short(p, &args[1], &c) ||
        val_len(c) > FREE || (few = open_few(p, val_len(c), true)) == NULL) {
        return false;
    }
    uint32_t calls = p->ncalls;
    for (uint32_t k = 0; k < val_len(c); k++) {
        CplanTerm item, *made = &few->item[k];
        few->kept[k] = number_constant(1);
        if (!cplan_constant(p, val_at(c, k), &item) || !cplan_call(p, ctx, &args[0], &item, 1, made) ||
            made->kind > CTERM_PAIR || p->ncalls != calls || made->kind != few->item[0].kind ||
            made->a.lo < -NEAR || made->a.hi > NEAR ||
            (made->kind == CTERM_PAIR && (made->b.lo < -NEAR || made->b.hi > NEAR))) {
            return false;
        }
    }
    return (!val_is_set(c) || sort_few(p, few)) && close_few(p, few, to);
}

/* How many of few there are. */
static bool count(ClosurePlan *p, const CplanTerm *args, CplanTerm *to) {
    if (args[0].kind != CTERM_FEW) {
        return false;
    }
    const CplanFew *few = &p->fews[args[0].value];
    *to = cterm_number(few->kept[0]);
    for (uint32_t k = 1; k < few->n; k++) {
        if (few->all) {
            to->a = number_constant((int32_t)few->n);
        } else if (!cplan_sum(p, to->a, few->kept[k], &to->a)) {
            return false;
        }
    }
    return true;
}

/* What a closure that the element made gives for one or two constants, as sets of indices, merged. */
static bool merge_few(ClosurePlan *p, Ctx *ctx, const CplanTerm *args, CplanTerm *to) {
    Val c;
    CplanTerm part[2];
    uint32_t calls = p->ncalls;
    if (!p->with_patches || args[0].kind != CTERM_MADE || p->made[args[0].value].arity != 1 ||
        !is_short(p, &args[1], &c) || !val_is_set(c) || val_len(c) > 2) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(c); k++) {
        CplanTerm item;
        if (!cplan_constant(p, val_at(c, k), &item) || !cplan_call(p, ctx, &args[0], &item, 1, &part[k]) ||
            (part[k].kind != CTERM_PATCH && part[k].kind != CTERM_POINT) || p->ncalls != calls) {
            return false;
        }
    }
    p->room += 2 * (uint32_t)sizeof(Val);
    *to = part[0];
    return val_len(c) == 1 || patch_merge(p, &part[0], &part[1], to);
}

/* ---- calls on constants ---- */

/* Primitives whose calls on packed values call no others. */
static bool is_plain(uint32_t prim) {
    static const bool plain[PRIM_COUNT] = {
        [P_size] = true,      [P_palette] = true,   [P_color] = true,     [P_ulcorner] = true,
        [P_urcorner] = true,  [P_llcorner] = true,  [P_lrcorner] = true,  [P_uppermost] = true,
        [P_lowermost] = true, [P_leftmost] = true,  [P_rightmost] = true, [P_height] = true,
        [P_width] = true,     [P_toindices] = true, [P_first] = true,     [P_last] = true,
        [P_corners] = true,   [P_normalize] = true};
    return plain[prim];
}

/* Such a call is made once, while the plan is made; what it takes is charged for each element. */
static bool fold(ClosurePlan *p, Ctx *ctx, uint32_t prim, const CplanTerm *args, CplanTerm *to) {
    enum { SMALL = 1024, SURE = 4096, STEPS = 4 }; /* so small that there surely is enough fuel */
    const Val *x = &p->consts[args[0].value];
    if (!val_is_keys(*x) || x->n > SMALL || ctx->fuel < SURE || ctx->fail_at != 0 || ctx_room(ctx) < LIGHT) {
        return false;
    }
    CtxMark mark = ctx_mark(ctx);
    int64_t fuel = ctx->fuel;
    Val v = ctx->fns[prim](ctx, x);
    int64_t steps = fuel - ctx->fuel;
    ASSERT(steps >= 0 && ctx->fuel > 0, "%s took %lld steps", prim_table[prim].name, (long long)steps);
    ctx->fuel = fuel;
    p->room += (uint32_t)(ctx_mark(ctx) - mark);
    if (val_failed(v) || v.kind <= VAL_CELL || steps > STEPS) {
        ctx_release(ctx, mark);
    }
    for (int64_t k = 0; k < steps && steps <= STEPS; k++) {
        if (!cplan_event(p, CPLAN_NO_PRIM)) {
            return false;
        }
    }
    return !val_failed(v) && steps <= STEPS && cplan_constant(p, v, to);
}

static bool unroll(ClosurePlan *p, Ctx *ctx, uint32_t prim, const CplanTerm *args, CplanTerm *to) {
    PrimFn fn = ctx->fns[prim];
    return fn == prim_apply     ? apply_to_numbers(p, ctx, args, to) || apply_to_few(p, ctx, args, to)
           : fn == prim_argmax  ? extreme(p, ctx, args, true, false, to)
           : fn == prim_argmin  ? extreme(p, ctx, args, false, false, to)
           : fn == prim_valmax  ? extreme(p, ctx, args, true, true, to)
           : fn == prim_valmin  ? extreme(p, ctx, args, false, true, to)
           : fn == prim_sfilter ? filter(p, ctx, args, to)
           : fn == prim_mapply  ? merge_few(p, ctx, args, to)
                                : fn == prim_size && count(p, args, to);
}

static bool is_loop(uint32_t prim) {
    return prim == P_apply || prim == P_argmax || prim == P_argmin || prim == P_valmax || prim == P_valmin ||
           prim == P_sfilter || prim == P_mapply || prim == P_size;
}

bool partial_lower(ClosurePlan *p, Ctx *ctx, uint32_t prim, const CplanTerm *args, CplanTerm *to) {
    bool maker = makers[prim].fn != NULL, folds = is_plain(prim) && args[0].kind == CTERM_CONST;
    if (!maker && !folds && !is_loop(prim)) {
        return false;
    }
    CplanMark mark = cplan_mark(p);
    uint64_t real = p->real;
    bool again = p->again;
    CplanTerm made;
    bool good = maker ? make_closure(p, ctx, prim, args, &made)
                      : open_scope(p, prim) &&
                            (folds ? fold(p, ctx, prim, args, &made) : unroll(p, ctx, prim, args, &made));
    if (!good) {
        cplan_back(p, &mark);
        p->real = real;
        p->again = again;
        return false;
    }
    if (!maker) {
        close_scope(p);
    }
    *to = made;
    return true;
}
