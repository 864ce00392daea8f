/* Which kinds of values a primitive really works with.
 *
 * A declared type says what a parameter is for; many primitives also work, after a fashion, with other values
 * (hmirror reverses any tuple, colorfilter compares with anything). So the signature alone does not tell
 * whether a call is impossible: the primitive is tried once with typical values of the kind in question, when
 * a program first raises the question. */
#include "engine/language/types_internal.h"

enum { SAMPLES = 12 };

typedef struct Samples {
    Val items[SAMPLES];
    uint32_t n;
} Samples;

static void put(Samples *s, Val v) {
    if (!val_failed(v) && s->n < SAMPLES) {
        s->items[s->n++] = v;
    }
}

static Val tuple_of(Ctx *ctx, uint32_t n, const Val *items) {
    Val *copy = val_buffer(ctx, n);
    for (uint32_t k = 0; copy != NULL && k < n; k++) {
        copy[k] = items[k];
    }
    return copy != NULL ? val_tuple(ctx, copy, n) : val_fail_budget(ctx);
}

static Val set_of(Ctx *ctx, uint32_t n, const Val *items) {
    Val *copy = val_buffer(ctx, n);
    for (uint32_t k = 0; copy != NULL && k < n; k++) {
        copy[k] = items[k];
    }
    return copy != NULL ? val_set(ctx, copy, n) : val_fail_budget(ctx);
}

static Val grid(Ctx *ctx) {
    Val rows[2] = {val_pair32(0, 1), val_pair32(1, 0)};
    return tuple_of(ctx, 2, rows);
}

static Val object(Ctx *ctx) {
    Val cells[2] = {val_cell(ctx, 3, 0, 0), val_cell(ctx, 3, 0, 1)};
    return set_of(ctx, 2, cells);
}

static void samples_of_kind(Ctx *ctx, unsigned kind, Samples *s) {
    Val pair = val_pair32(0, 1), thing = object(ctx), ints[3] = {val_int(1), val_int(1), val_int(1)};
    Val places[2] = {pair, val_pair32(2, 2)};
    s->n = 0;
    switch (kind) {
    case KIND_INT:
        put(s, val_int(0));
        put(s, val_int(1));
        put(s, val_int(2));
        put(s, val_int(-1));
        break;
    case KIND_TUPLE:
        put(s, VAL_EMPTY_TUPLE);
        put(s, pair);
        put(s, grid(ctx));
        put(s, val_cell(ctx, 3, 0, 1));
        put(s, tuple_of(ctx, 3, ints));
        put(s, tuple_of(ctx, 2, (Val[]){thing, thing}));
        put(s, tuple_of(ctx, 1, (Val[]){val_cell(ctx, 3, 0, 1)}));
        put(s, tuple_of(ctx, 1, (Val[]){val_tuple2(ctx, grid(ctx), grid(ctx))}));
        put(s, tuple_of(ctx, 2, (Val[]){VAL_EMPTY_TUPLE, VAL_EMPTY_TUPLE}));
        break;
    case KIND_SET:
        put(s, VAL_EMPTY_SET);
        put(s, set_of(ctx, 2, places));
        put(s, thing);
        put(s, set_of(ctx, 1, &thing));
        put(s, set_of(ctx, 2, (Val[]){val_int(1), val_int(2)}));
        put(s, set_of(ctx, 1, (Val[]){grid(ctx)}));
        break;
    case KIND_FN:
        put(s, val_prim(P_identity));
        put(s, val_prim(P_astuple));
        put(s, val_prim(P_initset));
        break;
    default:
        put(s, val_atom(ATOM_NONE));
        put(s, val_atom(ATOM_NAN));
        put(s, val_atom(ATOM_POS_INF));
    }
}

/* Values of all kinds that the declared type has, then some of every other kind, since another argument may
 * matter. */
static void samples_of_type(Ctx *ctx, unsigned kinds, Samples *s) {
    Samples some;
    s->n = 0;
    for (int other = 0; other < 2; other++) {
        for (unsigned kind = 1; kind < KIND_ATOM; kind *= 2) {
            bool declared = (kinds & kind) != 0;
            if (declared == !other) {
                samples_of_kind(ctx, kind, &some);
                uint32_t share = other ? 1 : kinds == kind ? SAMPLES - 3 : 4;
                for (uint32_t k = 0; k < some.n && k < share; k++) {
                    put(s, some.items[k]);
                }
            }
        }
    }
}

static bool ever_works(Ctx *ctx, uint32_t prim, const Samples *args) {
    uint32_t arity = prim_table[prim].arity, at[4] = {0};
    for (;;) {
        Val given[4];
        CtxMark mark = ctx_mark(ctx);
        for (uint32_t k = 0; k < arity; k++) {
            given[k] = args[k].items[at[k]];
        }
        ctx->exhausted = FAIL_NONE;
        bool works = !val_failed(prim_call(ctx, prim, given, arity));
        ctx_release(ctx, mark);
        if (works) {
            return true;
        }
        uint32_t k = 0;
        while (k < arity && ++at[k] == args[k].n) {
            at[k++] = 0;
        }
        if (k == arity) {
            return false;
        }
    }
}

unsigned types_accepted(Types *t, Mode mode, uint32_t prim, uint32_t k) {
    const PrimType *declared = types_of_prim(t, prim);
    if (declared == NULL || k >= 4 || k >= types_prim_arity(t, prim)) {
        return KIND_ALL;
    }
    if (prim >= PRIM_COUNT) { /* a function from outside is not called to try it out */
        return types_at(t, declared->param[k])->kinds;
    }
    uint8_t *known = &t->accepted[mode][prim][k];
    if (*known != 0) {
        return *known;
    }
    Budget small = {.steps = 10000000, .bytes = 8 << 20, .depth = 100};
    if (!t->probing && !prim_open(&t->ctx, MODE_CORE, false, &small)) {
        return KIND_ALL; /* what could not be tried is never called impossible */
    }
    t->probing = true;
    prim_bind(&t->ctx, mode, false);
    unsigned accepted = types_at(t, declared->param[k])->kinds;
    for (unsigned kind = 1; kind <= KIND_ATOM; kind *= 2) {
        if ((accepted & kind) == 0) {
            Samples args[4];
            ctx_reset(&t->ctx);
            for (uint32_t j = 0; j < prim_table[prim].arity; j++) {
                samples_of_type(&t->ctx, types_at(t, declared->param[j])->kinds, &args[j]);
            }
            samples_of_kind(&t->ctx, kind, &args[k]);
            accepted |= ever_works(&t->ctx, prim, args) ? kind : 0;
        }
    }
    return *known = (uint8_t)accepted;
}
