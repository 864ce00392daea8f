/* Building containers: what the families that read and make tuples and sets share.
 *
 * A SetBuilder collects the elements of a set. As long as all of them fit one kind of key it keeps keys,
 * which is what most sets end up as; the first element that does not fit converts them to plain values. */
#ifndef BATT_ENGINE_ARCDSL_CONTAINER_BUILD_H
#define BATT_ENGINE_ARCDSL_CONTAINER_BUILD_H

#include "engine/arcdsl/closure_plan.h"

#include <string.h>

/* The failure to return for a NULL from val_buffer or key_buffer of n elements. */
static inline Val collect_no_room(const Ctx *ctx, size_t n) {
    return n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
}

/* Gives back the unused part of a block of `bytes`, if nothing was allocated after it. */
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

/* Copies keys, usually so few that a call of memcpy would take longer. */
INLINE void keys_copy(uint32_t *to, const uint32_t *from, uint32_t n) {
    enum { FEW = 8 };
    if (n > FEW) {
        memcpy(to, from, n * sizeof *to);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        to[k] = from[k];
    }
}

typedef struct SetBuilder {
    Ctx *ctx;
    union {
        Val *items;
        uint32_t *keys;
    };
    uint32_t n, room;
    Kind kind; /* VAL_FAIL: nothing there yet; a kind of key; or VAL_SET: plain values */
} SetBuilder;

/* False: no room; return collect_no_room(ctx, room). */
static inline bool set_builder_open(SetBuilder *g, Ctx *ctx, size_t room) {
    *g = (SetBuilder){.ctx = ctx, .kind = FAST_PATH(ctx) ? VAL_FAIL : VAL_SET, .room = (uint32_t)room};
    g->items = val_buffer(ctx, room);
    return g->items != NULL;
}
void set_builder_unpack(SetBuilder *g);
Val set_builder_finish(SetBuilder *g);

INLINE void set_builder_add(SetBuilder *g, Val v) {
    ASSERT(!val_failed(v) && g->n < g->room, "kind %u, element %u of %u", v.kind, g->n, g->room);
    if (g->kind != VAL_SET) {
        uint32_t key;
        Kind kind = collect_key(v, &key);
        if (LIKELY(kind != VAL_SET && (kind == g->kind || g->kind == VAL_FAIL))) {
            g->kind = kind;
            g->keys[g->n++] = key;
            return;
        }
        set_builder_unpack(g);
    }
    g->items[g->n++] = v;
}

/* A function to be called on each element of a container. What a call of a primitive has to look up and check
 * is looked up and checked only once, and elements that are stored as values are not copied. */
typedef struct Each {
    PrimFn fn;         /* of a primitive with one parameter, unless calls are measured; else NULL */
    uint64_t *counter; /* of its calls */
    const Val *items;  /* the elements, if they are stored as values; else NULL */
    ClosurePlan *plan; /* f compiled; or NULL */
    uint32_t at;       /* the element asked for last */
    Val f;             /* the function; the tests of filter.c keep here what they compare with */
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

/* The k-th element, valid until the next one is asked for. */
INLINE const Val *each_at(Each *e, uint32_t k) {
    ASSERT(k < val_len(e->c), "element %u of %u", k, val_len(e->c));
    e->at = k;
    if (e->items != NULL) {
        return e->items + k;
    }
    e->element = val_at(e->c, k);
    return &e->element;
}

/* Only if there is an e->fn. */
INLINE Val each_call_direct(Ctx *ctx, const Each *e, const Val *x) {
    ASSERT(!val_failed(*x), "reason %u", x->w);
    if (UNLIKELY(--ctx->fuel < 0) && !ctx_refuel(ctx)) {
        return val_fail((Reason)ctx->exhausted);
    }
#ifndef BATT_NO_PROFILER
    ++*e->counter;
#endif
    Val v = VAL_CHECKED(e->fn(ctx, x));
    return LIKELY(!val_head_failed(v)) ? v : prim_failed(ctx, e->f.n, x, v);
}

INLINE Val each_call(Ctx *ctx, const Each *e, const Val *x) {
    if (e->plan != NULL) {
        return cplan_value(e->plan, ctx, e->at);
    }
    if (LIKELY(e->fn != NULL)) {
        return each_call_direct(ctx, e, x);
    }
    return LIKELY(e->f.kind == VAL_CLOSURE) ? closure_run(ctx, e->f.f, x, 1) : call_value(ctx, e->f, x, 1);
}

/* To be called after a call that began at the mark: false with *why set if it failed. If the result needs no
 * memory, everything the call allocated is released, so that the scratch memory of thousands of calls does
 * not pile up. */
INLINE bool call_settled(Ctx *ctx, CtxMark mark, Val v, Val *why) {
    if (UNLIKELY(val_head_failed(v))) {
        *why = v;
        return false;
    }
    if (val_head_kind(v) <= VAL_CELL) {
        ctx_release(ctx, mark);
    }
    return true;
}

/* Like each_open, with room for a plan. Its callers are functions of their own, so that others do not need
 * that much stack. It must be closed with each_close. */
INLINE Each each_open_planned(Ctx *ctx, Val f, Val c, ClosurePlan *plan) {
    Each each = each_open(ctx, f, c);
    each.plan = cplan_make(plan, ctx, f, &c, 1, val_len(c)) ? plan : NULL;
    return each;
}
INLINE void each_close(Ctx *ctx, const Each *e) {
    if (e->plan != NULL) {
        cplan_close(e->plan, ctx);
    }
}
/* The results for all elements, into keys; false with *why set if a call failed. */
bool each_keys(Ctx *ctx, Each *each, Val *keys, Val *why);
bool cplan_keys(ClosurePlan *plan, Ctx *ctx, Val *keys, Val *why); /* the same for a plan with any inputs */
INLINE bool each_pure(const Each *e) {
    return e->plan != NULL && cplan_pure(e->plan);
}
#define NOINLINE __attribute__((noinline))

/* Adds the results for the n elements of the block that a pure plan computed last. */
void set_builder_add_plan(SetBuilder *g, const ClosurePlan *plan, uint32_t n);

/* All elements of the parts, in order, as a tuple or as a set. Fails if a part is not a container. */
Val collect_merge(Ctx *ctx, const Val *parts, uint32_t n, bool tuple);
/* What is known about containers that are to be merged. */
typedef struct Survey {
    size_t total; /* elements */
    Kind kind;    /* of those that are not empty */
    bool mixed;   /* they are of several kinds */
    bool odd;     /* something is no container */
} Survey;
/* Returns whether it has elements. */
INLINE bool survey_add(Survey *all, Val part) {
    Kind kind = val_head_kind(part);
    if (UNLIKELY(kind < VAL_PAIR || kind > VAL_OBJ_BATT)) {
        all->odd = true;
        return false;
    }
    uint32_t len = kind > VAL_CELL ? val_head_n(part) : val_len(part);
    if (len != 0) {
        all->mixed |= all->total != 0 && all->kind != kind;
        all->kind = kind;
        all->total += len;
    }
    return len != 0;
}
/* The same as collect_merge of n > 1 parts, of which only m are given; the others are empty. They make no
 * difference to a set; a tuple needs all. */
Val collect_surveyed(Ctx *ctx, const Val *parts, uint32_t m, uint32_t n, const Survey *all, bool tuple);
/* The elements of a container as a tuple. */
Val collect_tuple(Ctx *ctx, Val container);
/* Write the elements of a container to out, which has room for them. False: out of time. */
bool collect_elements(Ctx *ctx, Val *out, Val container);

/* Compares two results of a key function; false: they cannot be compared. With safe defaults a set counts as
 * its size, as in the dialect, so that the empty set from a failed search can be compared with numbers. */
static inline bool collect_compare(const Ctx *ctx, Val a, Val b, int *order) {
    if (ctx->safe) {
        a = val_is_set(a) ? val_int(a.n) : a;
        b = val_is_set(b) ? val_int(b.n) : b;
    }
    return val_kcmp(a, b, order);
}
/* The stable order of n keys by that comparison, as positions. Fails with FAIL_ORDER if two of them cannot be
 * compared. */
Reason collect_order(Ctx *ctx, const Val *keys, uint32_t n, bool descending, uint32_t *positions);
/* Calls f on every element of a non-empty container; NULL with *why set if that failed. */
Val *collect_keys(Ctx *ctx, Val container, Val f, Val *why);

#endif
