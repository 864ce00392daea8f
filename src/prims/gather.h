/* Building containers: what the families that read and make tuples and sets share.
 *
 * A Gather collects the elements of a set. As long as they all fit one kind of key it keeps keys, which is
 * what most sets of a program end up as; the first element that does not fit turns what is there into plain
 * values. */
#ifndef BATT_PRIMS_GATHER_H
#define BATT_PRIMS_GATHER_H

#include "dsl/prim.h"

#define INLINE static inline __attribute__((always_inline))

/* For a NULL from val_buffer or key_buffer of n elements. */
static inline Val collect_no_room(const Ctx *ctx, size_t n) {
    return n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
}

/* Give back what a block of `bytes` did not need, if nothing was allocated after it. */
static inline void collect_trim(Ctx *ctx, void *block, size_t bytes, size_t used) {
    ASSERT(used <= bytes && (char *)block >= ctx->base, "%zu of %zu bytes", used, bytes);
    const size_t mask = 15;
    if ((char *)block + ((bytes + mask) & ~mask) == ctx->top) {
        ctx->top = (char *)block + ((used + mask) & ~mask);
    }
}

/* The key of v and the kind of set it belongs to; VAL_SET if v fits no key. */
INLINE Kind collect_key(Val v, uint32_t *key) {
    if (v.kind == VAL_PAIR && key_fits_index(v.a, v.b)) {
        *key = key_index(v.a, v.b);
        return VAL_INDICES;
    }
    if (v.kind == VAL_CELL && key_fits_cell(val_color(v), v.a, v.b)) {
        *key = key_core(val_color(v), v.a, v.b);
        return VAL_OBJ_CORE;
    }
    if (v.kind == VAL_TRIPLE && key_fits_cell(val_color(v), v.a, v.b)) {
        *key = key_batt(val_color(v), v.a, v.b);
        return VAL_OBJ_BATT;
    }
    return VAL_SET;
}

typedef struct Gather {
    Ctx *ctx;
    union {
        Val *items;
        uint32_t *keys;
    };
    uint32_t n, room;
    Kind kind; /* VAL_FAIL: nothing there yet, a kind of key, or VAL_SET: plain values */
} Gather;

/* False: no room, return collect_no_room(ctx, room). */
static inline bool gather_open(Gather *g, Ctx *ctx, size_t room) {
    *g = (Gather){.ctx = ctx, .kind = FAST_PATH(ctx) ? VAL_FAIL : VAL_SET, .room = (uint32_t)room};
    g->items = val_buffer(ctx, room);
    return g->items != NULL;
}
void gather_unpack(Gather *g);
Val gather_set(Gather *g);

INLINE void gather_add(Gather *g, Val v) {
    ASSERT(!val_failed(v) && g->n < g->room, "kind %u, element %u of %u", v.kind, g->n, g->room);
    if (g->kind != VAL_SET) {
        uint32_t key;
        Kind kind = collect_key(v, &key);
        if (LIKELY(kind != VAL_SET && (kind == g->kind || g->kind == VAL_FAIL))) {
            g->kind = kind;
            g->keys[g->n++] = key;
            return;
        }
        gather_unpack(g);
    }
    g->items[g->n++] = v;
}

/* A function that is to be called on element after element of a container. What a call of a primitive looks
 * up and checks is looked up and checked once, and elements that lie in memory as values are not copied. */
typedef struct Each {
    PrimFn fn;         /* of a primitive of one argument, unless calls are measured; else NULL */
    uint64_t *counter; /* of its calls */
    const Val *items;  /* the elements, if they are values; else NULL */
    Val f;             /* what is called; the tests of filter.c keep here what they compare with */
    Val c, element;
} Each;

INLINE Each each_open(const Ctx *ctx, Val f, Val c) {
    bool direct = f.kind == VAL_PRIM && prim_arity[f.n] == 1 && ctx->measure == NULL;
    return (Each){.fn = direct ? ctx->fns[f.n] : NULL,
                  .counter = direct ? &ctx->calls[f.n] : NULL,
                  .items = c.kind == VAL_TUPLE || c.kind == VAL_SET ? c.v : NULL,
                  .f = f,
                  .c = c};
}

/* The k-th element; good until the next one is asked for. */
INLINE const Val *each_at(Each *e, uint32_t k) {
    ASSERT(k < val_len(e->c), "element %u of %u", k, val_len(e->c));
    if (e->items != NULL) {
        return e->items + k;
    }
    e->element = val_at(e->c, k);
    return &e->element;
}

INLINE Val each_call(Ctx *ctx, const Each *e, const Val *x) {
    ASSERT(!val_failed(*x), "reason %u", x->w);
    if (UNLIKELY(e->fn == NULL)) {
        return call_value(ctx, e->f, x, 1);
    }
    if (UNLIKELY(--ctx->fuel < 0) && !ctx_refuel(ctx)) {
        return val_fail((Reason)ctx->exhausted);
    }
#ifndef BATT_NO_PROFILER
    ++*e->counter;
#endif
    Val v = VAL_CHECKED(e->fn(ctx, x));
    return LIKELY(!val_failed(v)) ? v : prim_failed(ctx, e->f.n, x, v);
}

/* All elements of the parts, in order, as a tuple or as a set. A part that is no container fails. */
Val collect_merge(Ctx *ctx, const Val *parts, uint32_t n, bool tuple);
/* The elements of a container as a tuple. */
Val collect_tuple(Ctx *ctx, Val container);
/* Write the elements of a container to out, which has room for them. False: out of time. */
bool collect_elements(Ctx *ctx, Val *out, Val container);

/* Compare what a key function gave; false: incomparable. With safe defaults a set counts as its size, as the
 * dialect has it, so that the empty set of a failed search can stand beside numbers. */
static inline bool collect_compare(const Ctx *ctx, Val a, Val b, int *order) {
    if (ctx->safe) {
        a = val_is_set(a) ? val_int(a.n) : a;
        b = val_is_set(b) ? val_int(b.n) : b;
    }
    return val_kcmp(a, b, order);
}
/* The stable order of n keys by that comparison, as positions. FAIL_ORDER: two of them cannot be compared. */
Reason collect_order(Ctx *ctx, const Val *keys, uint32_t n, bool descending, uint32_t *positions);
/* Call f on every element of a container of n > 0 elements; NULL with *why set if that failed. */
Val *collect_keys(Ctx *ctx, Val container, Val f, Val *why);

#endif
