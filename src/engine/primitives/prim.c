/* The table of primitives, built from prims.def, and the dispatch that every primitive call passes. */
#include "engine/primitives/prim.h"

#include "base/alloc.h"
#include "engine/primitives/symbol_table.h"

#include <string.h>

const char *const family_titles[FAMILY_COUNT] = {
#define FAMILY(id, title) title,
#define PRIM(...)
#include "engine/primitives/prims.def"
#undef FAMILY
#undef PRIM
};

const PrimInfo prim_table[PRIM_COUNT] = {
#define FAMILY(id, title)
#define SYMBOLS(argument, shape) .symbols[argument] = SYMBOLS_##shape
#define PRIM(label, args, sig, hint_text, core, batt, safe_fn, dflt, flag_bits, text, ...) \
    {.name = #label,                                                                       \
     .family = PRIM_FAMILY,                                                                \
     .arity = args,                                                                        \
     .flags = flag_bits,                                                                   \
     .safe_default = dflt,                                                                 \
     .signature = sig,                                                                     \
     .hints = hint_text,                                                                   \
     .safe = safe_fn,                                                                      \
     .doc = text,                                                                          \
     .example = __VA_ARGS__},
#include "engine/primitives/prims.def"
#undef SYMBOLS
#undef FAMILY
#undef PRIM
};

const uint8_t prim_arity[PRIM_COUNT] = {
#define FAMILY(id, title)
#define PRIM(name, arity, ...) arity,
#include "engine/primitives/prims.def"
#undef FAMILY
#undef PRIM
};

static const PrimFn core_fns[PRIM_COUNT] = {
#define FAMILY(id, title)
#define PRIM(name, arity, signature, hints, core, batt, ...) core,
#include "engine/primitives/prims.def"
#undef FAMILY
#undef PRIM
};

static const PrimFn batt_fns[PRIM_COUNT] = {
#define FAMILY(id, title)
#define PRIM(name, arity, signature, hints, core, batt, ...) batt,
#include "engine/primitives/prims.def"
#undef FAMILY
#undef PRIM
};

PrimFn prim_fn(Mode mode, uint32_t id) {
    return mode == MODE_CORE ? core_fns[id] : batt_fns[id];
}

void prim_bind(Ctx *ctx, Mode mode, bool safe) {
    ctx->mode = (uint8_t)mode;
    ctx->safe = safe;
    ASSERT(mode == MODE_CORE || mode == MODE_BATT, "mode %u", mode);
    ctx->fns = mode == MODE_CORE ? core_fns : batt_fns;
}

bool prim_open(Ctx *ctx, Mode mode, bool safe, const Budget *budget) {
    uint64_t *counters = mem_zalloc(2 * PRIM_COUNT, sizeof *counters);
    if (counters == NULL || !ctx_open(ctx, budget)) {
        mem_free(counters);
        return false;
    }
    ctx->calls = counters;
    ctx->fails = counters + PRIM_COUNT;
    ctx->arity = prim_arity;
    prim_bind(ctx, mode, safe);
    return true;
}

void prim_close(Ctx *ctx) {
    mem_free(ctx->calls);
    ctx_close(ctx);
}

void prim_count(const Ctx *ctx, Statistics *to) {
    statistics_add(to, &ctx->statistics);
    for (unsigned id = 0; id < PRIM_COUNT; id++) {
        COUNT(to, CALLS, ctx->calls[id]);
        COUNT(to, FAILED_CALLS, ctx->fails[id]);
    }
}

/* For the command line; the parser, which looks up thousands of names, uses a hash table
 * (engine/language/names.h). */
int prim_find(const char *name, size_t length) {
    for (int id = 0; id < PRIM_COUNT; id++) {
        const char *other = prim_table[id].name;
        if (other[0] == name[0] && strncmp(other, name, length) == 0 && other[length] == '\0') {
            return id;
        }
    }
    return -1;
}

static Val safe_default(Ctx *ctx, uint32_t id) {
    switch ((SafeDefault)prim_table[id].safe_default) {
    case DEFAULT_SET:
        return VAL_EMPTY_SET;
    case DEFAULT_ZERO:
    case DEFAULT_FALSE:
        return val_int(0);
    case DEFAULT_FN:
        return val_closure(ctx, CLOSURE_DEFAULT, ANY_ARITY, val_int(0), val_int(0), val_int(0));
    case DEFAULT_TUPLE:
    default:
        return VAL_EMPTY_TUPLE;
    }
}

/* A failed call, off the fast path: counts it, records where it happened, and replaces it in safe mode. The
 * definition call by call is tried first, because an inner call may fail, be replaced, and let the outer one
 * succeed. */
Val prim_failed(Ctx *ctx, uint32_t id, const Val *args, Val failure) {
    ASSERT(val_failed(failure) && failure.w > FAIL_NONE && failure.w < FAIL_REASONS, "%s: kind %u, reason %u",
           prim_table[id].name, failure.kind, failure.w);
    LOG(CALL, "%s failed: %s", prim_table[id].name, reason_name((Reason)failure.w));
    ctx->fails[id]++;
    if (ctx->safe && ctx->exhausted == FAIL_NONE) {
        PrimFn definition = prim_table[id].safe;
        Val v = definition != NULL && args != NULL ? definition(ctx, args) : failure;
        /* otherwise the budget ran out in an inner call, so the result means nothing */
        if (ctx->exhausted == FAIL_NONE) {
            return val_failed(v) ? safe_default(ctx, id) : v;
        }
    }
    if (ctx->exhausted != FAIL_NONE) {
        failure.w = ctx->exhausted;
    }
    if (failure.n == 0) {
        failure.n = id + 1;
    }
    return failure;
}

void prim_measure(Ctx *ctx, MeasureFn measure) {
    /* a number of arguments that no call has, so that every call takes the way of prim_invoke_slow */
    static const uint8_t nobody[PRIM_COUNT] = {
#define LISTED_FAMILY(id)
#define LISTED_PRIM(name, core, batt) 255,
#include "prim_list.h"
#undef LISTED_FAMILY
#undef LISTED_PRIM
    };
    ctx->measure = measure;
    ctx->arity = measure != NULL ? nobody : prim_arity;
}

/* A call that is measured, or whose number of arguments differs from the number of parameters. */
Val prim_invoke_slow(Ctx *ctx, uint32_t id, const Val *args, uint32_t n) {
    if (UNLIKELY(n != prim_arity[id])) {
        if (n + 1u != prim_arity[id] || !(prim_table[id].flags & PRIM_OPTIONAL)) {
            /* in safe mode a loop of such calls goes on, so they must cost steps */
            if (!ctx_charge(ctx, 1)) {
                return val_fail((Reason)ctx->exhausted);
            }
            return prim_failed(ctx, id, NULL, val_fail(FAIL_ARITY));
        }
        ASSERT(n < 4, "%s takes %u", prim_table[id].name, prim_arity[id]);
        Val filled[4] = {{.kind = VAL_FAIL}};
        memcpy(filled, args, n * sizeof *args);
        filled[n] = val_prim(P_identity);
        return prim_invoke(ctx, id, filled, n + 1);
    }
    if (UNLIKELY(--ctx->fuel < 0) && !ctx_refuel(ctx)) {
        return val_fail((Reason)ctx->exhausted);
    }
    ctx->calls[id]++;
    ASSERT(ctx->measure != NULL, "%s with %u arguments", prim_table[id].name, n);
    Val v = VAL_CHECKED(ctx->measure(ctx, id, args));
    return LIKELY(!val_failed(v)) ? v : prim_failed(ctx, id, args, v);
}

Val prim_call(Ctx *ctx, uint32_t id, const Val *args, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        if (UNLIKELY(val_failed(args[k]))) {
            return args[k];
        }
    }
    return prim_invoke(ctx, id, args, n);
}
