/* Scopes: what the engine is doing outside primitives, reported to the profiler (tools/profiler/record.h).
 *
 * A worker is in exactly one scope at a time. Entering one costs a timestamp, so it is meant for
 * work of many microseconds. Shorter work (a hash table lookup) is recorded only while calls are recorded
 * too:
 *
 *     Scope was = scope_enter(ctx, SCOPE_CHECK);      bool noted = scope_record_begin(ctx, SCOPE_KNOWN);
 *     ...                                             ...
 *     scope_back(ctx, was);                           scope_record_end(ctx, noted);
 *
 * Without a profiler, all this costs one test of a pointer. */
#ifndef BATT_ENGINE_EVAL_SCOPE_H
#define BATT_ENGINE_EVAL_SCOPE_H

#include "base/scopes.h"
#include "engine/value/ctx.h"

typedef enum ScopeMove {
    MOVE_ENTER,        /* into a scope; returns the one before */
    MOVE_BACK,         /* to the one before */
    MOVE_STAY,         /* a good moment to start or stop recording calls */
    MOVE_RECORD_BEGIN, /* a short piece of work begins; returns 1 if it is recorded */
    MOVE_RECORD_END    /* it ends */
} ScopeMove;

#ifdef BATT_NO_PROFILER /* as in engine/primitives/prim.h */
#define SCOPE_HOOK(ctx) ((void)(ctx), (ScopeFn)NULL)
#else
#define SCOPE_HOOK(ctx) ((ctx)->scope)
#endif

static inline Scope scope_enter(Ctx *ctx, Scope scope) {
    return SCOPE_HOOK(ctx) != NULL ? (Scope)ctx->scope(ctx, MOVE_ENTER, scope) : SCOPE_NONE;
}
static inline void scope_back(Ctx *ctx, Scope was) {
    if (SCOPE_HOOK(ctx) != NULL) {
        ctx->scope(ctx, MOVE_BACK, was);
    }
}
static inline void scope_stay(Ctx *ctx) {
    if (SCOPE_HOOK(ctx) != NULL) {
        ctx->scope(ctx, MOVE_STAY, SCOPE_NONE);
    }
}
static inline bool scope_record_begin(Ctx *ctx, Scope scope) {
    return SCOPE_HOOK(ctx) != NULL && UNLIKELY(ctx->measure != NULL) &&
           ctx->scope(ctx, MOVE_RECORD_BEGIN, scope) != 0;
}
static inline void scope_record_end(Ctx *ctx, bool recorded) {
    if (UNLIKELY(recorded)) {
        ctx->scope(ctx, MOVE_RECORD_END, SCOPE_NONE);
    }
}

#endif
