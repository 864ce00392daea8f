/* The primitives: one table, and the one place through which every call passes.
 *
 * The table is engine/primitives/prims.def; it includes one .def file per family; arcdsl/, features/,
 * patterns/, scenes/ and stamps/ implement them. Enum, names, signatures, implementations, safe defaults,
 * documentation and the completeness tests all come from it.
 *
 * An implementation is `Val prim_NAME(Ctx *ctx, const Val *a)`. It gets exactly its parameters, none of them
 * failed, and returns a value or val_fail(reason). It never crashes, whatever kinds it is given. */
#ifndef BATT_ENGINE_PRIMITIVES_PRIM_H
#define BATT_ENGINE_PRIMITIVES_PRIM_H

#include "engine/value/value.h"

typedef enum Family {
#define LISTED_FAMILY(id) FAMILY_##id,
#define LISTED_PRIM(name, core, batt)
#include "prim_list.h" /* generated from engine/primitives/prims.def */
#undef LISTED_FAMILY
#undef LISTED_PRIM
    FAMILY_COUNT
} Family;

typedef enum PrimId {
#define LISTED_FAMILY(id)
#define LISTED_PRIM(name, core, batt) P_##name,
#include "prim_list.h"
#undef LISTED_FAMILY
#undef LISTED_PRIM
    PRIM_COUNT
} PrimId;

/* What a failed call becomes in safe mode. */
typedef enum SafeDefault { DEFAULT_TUPLE, DEFAULT_SET, DEFAULT_ZERO, DEFAULT_FALSE, DEFAULT_FN } SafeDefault;

enum {
    PRIM_COMMUTES = 1,  /* f(a, b) = f(b, a) */
    PRIM_ORDER = 2,     /* result may depend on the order of a set */
    PRIM_CORE_ONLY = 4, /* not a name of the dialect */
    PRIM_DIALECT = 8,   /* not a name of arc-dsl */
    PRIM_OURS = 16,     /* ours: in neither vocabulary */
    PRIM_CLOSURE = 32,  /* result is a new closure */
    PRIM_OPTIONAL = 64, /* the last argument may be left out and defaults to `identity` */
};

enum { PRIM_MAX_ARITY = 4 };

typedef struct PrimInfo {
    const char *name;
    uint8_t family, arity, flags, safe_default;
    uint8_t symbols[PRIM_MAX_ARITY]; /* words for numbers in its arguments: SymbolShape of symbol_table.h */
    /* "grid: grid, value|color: int, patch: patch -> grid"; see engine/language/types.h for the grammar */
    const char *signature;
    const char *hints; /* the dialect's hints "Grid, C_, Patch -> Grid"; "" if it has none */
    PrimFn safe;       /* definition call by call, tried in safe mode after a failure; or NULL */
    const char *doc;   /* a paragraph */
    /* "EXPRESSION -> VALUE" in core mode, or "batt: EXPRESSION -> VALUE"; run as a test */
    const char *example;
} PrimInfo;

extern const PrimInfo prim_table[PRIM_COUNT];
extern const char *const family_titles[FAMILY_COUNT];

/* Declares the functions; prim_NAME_safe is defined only if the row of NAME has it as safe definition. */
#define LISTED_FAMILY(id)
#define LISTED_PRIM(name, core, batt) \
    Val core(Ctx *ctx, const Val *a); \
    Val batt(Ctx *ctx, const Val *a); \
    Val prim_##name##_safe(Ctx *ctx, const Val *a);
#include "prim_list.h"
#undef LISTED_FAMILY
#undef LISTED_PRIM

/* Open and close a context with primitives bound and counters allocated. */
bool prim_open(Ctx *ctx, Mode mode, bool safe, const Budget *budget);
void prim_close(Ctx *ctx);
void prim_bind(Ctx *ctx, Mode mode, bool safe);

int prim_find(const char *name, size_t length); /* id, or -1 */
PrimFn prim_fn(Mode mode, uint32_t id);         /* aliases have the same function */

/* Calls primitive `id` with n arguments; handles arity, failed arguments, budgets, counters and safe
 * defaults. */
Val prim_call(Ctx *ctx, uint32_t id, const Val *args, uint32_t n);
/* Calls any value as a function (engine/primitives/call.c). */
Val call_value(Ctx *ctx, Val f, const Val *args, uint32_t n);
Val closure_run(Ctx *ctx, const Closure *f, const Val *args, uint32_t n); /* the arguments have not failed */
enum { ANY_ARITY = 255 };
unsigned fn_arity(Val f); /* of a function value, or ANY_ARITY */

/* The part of prim_call after the check for failed arguments. It is inline so that a call costs as little as
 * possible: the numbers of parameters are in an array of their own, and everything rare is out of line. */
extern const uint8_t prim_arity[PRIM_COUNT];
Val prim_invoke_slow(Ctx *ctx, uint32_t id, const Val *args, uint32_t n);
Val prim_failed(Ctx *ctx, uint32_t id, const Val *args, Val failure);
/* Adds up what was done in the context, including calls. */
void prim_count(const Ctx *ctx, Statistics *to);
void prim_measure(Ctx *ctx, MeasureFn measure); /* calls go through it from now on; NULL stops that */

static inline Val prim_invoke(Ctx *ctx, uint32_t id, const Val *args, uint32_t n) {
    ASSERT(id < PRIM_COUNT, "primitive %u", id);
    for (uint32_t k = 0; CHECKED && k < n; k++) {
        ASSERT(!val_failed(args[k]), "argument %u of %s has failed: %s", k, prim_table[id].name,
               reason_name((Reason)args[k].w));
    }
#ifndef BATT_NO_PROFILER /* without it: the build that profiling is measured against */
    /* one test for two cases: a wrong number of arguments, or calls are measured */
    if (UNLIKELY(n != ctx->arity[id])) {
        return prim_invoke_slow(ctx, id, args, n);
    }
#else
    if (UNLIKELY(n != prim_arity[id])) {
        return prim_invoke_slow(ctx, id, args, n);
    }
#endif
    if (UNLIKELY(--ctx->fuel < 0) && !ctx_refuel(ctx)) {
        return val_fail((Reason)ctx->exhausted);
    }
#ifndef BATT_NO_PROFILER
    ctx->calls[id]++;
#endif
    Val v = VAL_CHECKED(ctx->fns[id](ctx, args));
    return LIKELY(!val_head_failed(v)) ? v : prim_failed(ctx, id, args, v);
}

/* For callers that handle arity, budget and failures themselves, such as search; the call is still counted
 * and measured. */
static inline Val prim_direct(Ctx *ctx, uint32_t id, const Val *args) {
#ifndef BATT_NO_PROFILER
    ctx->calls[id]++;
    Val v = UNLIKELY(ctx->measure != NULL) ? ctx->measure(ctx, id, args) : ctx->fns[id](ctx, args);
    ctx->fails[id] += val_failed(v);
    return VAL_CHECKED(v);
#else
    return ctx->fns[id](ctx, args);
#endif
}

/* For arguments that have not failed. */
static inline Val call_fn(Ctx *ctx, const Val *f, const Val *args, uint32_t n) {
    return f->kind == VAL_PRIM      ? prim_invoke(ctx, f->n, args, n)
           : f->kind == VAL_CLOSURE ? closure_run(ctx, f->f, args, n)
                                    : call_value(ctx, *f, args, n);
}
static inline Val call1(Ctx *ctx, Val f, Val x) {
    return call_fn(ctx, &f, &x, 1);
}
static inline Val call2(Ctx *ctx, Val f, Val x, Val y) {
    return call_fn(ctx, &f, (Val[]){x, y}, 2);
}
/* Protected calls by name, for the definitions that safe mode runs call by call. */
static inline Val prim1(Ctx *ctx, uint32_t id, Val x) {
    return prim_call(ctx, id, &x, 1);
}
static inline Val prim2(Ctx *ctx, uint32_t id, Val x, Val y) {
    return prim_call(ctx, id, (Val[]){x, y}, 2);
}
static inline Val prim3(Ctx *ctx, uint32_t id, Val x, Val y, Val z) {
    return prim_call(ctx, id, (Val[]){x, y, z}, 3);
}

#endif
