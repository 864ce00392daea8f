/* The evaluation context: where values live and what an evaluation may spend.
 *
 * One worker thread owns one Ctx. All values of an evaluation are bump-allocated from its region and die
 * together at ctx_reset(), which is one store. Memory is reserved once, so evaluation makes no system call of
 * its own (the kernel fills in pages on first touch).
 *
 * Budgets: `fuel` counts down with every primitive call, with every 64 bytes allocated and, where a loop does
 * more work than it writes, with ctx_charge(). When it is used up, ctx_refuel() looks at the step budget and
 * the clock. An exhausted context stays exhausted until the next reset, so that nothing started later can run
 * on. */
#ifndef BATT_CORE_CTX_H
#define BATT_CORE_CTX_H

#include "core/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/callstack.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef enum Mode { MODE_CORE, MODE_BATT } Mode;

/* Why a value failed. Those from FAIL_STEPS on are budgets: they end the evaluation, and no safe default
 * replaces them. */
typedef enum Reason {
    FAIL_NONE,
    FAIL_TYPE,
    FAIL_RANGE,
    FAIL_EMPTY,
    FAIL_ZERO,
    FAIL_ORDER,
    FAIL_ARITY,
    FAIL_NAME,
    FAIL_OVERFLOW,
    FAIL_LIMIT,
    FAIL_STEPS,
    FAIL_MEMORY,
    FAIL_TIME,
    FAIL_DEPTH,
    FAIL_REASONS
} Reason;

enum { LIMIT_ELEMENTS = 1 << 20 }; /* of any container; also the cells of a grid */
enum { LIMIT_WEIGHT = 22 };        /* logarithm of the greatest weight of a value (core/value.h) */
enum { LIMIT_WIDTH = 1 << 15 };    /* of a grid row, so that a width fits the value's header */
enum { LIMIT_POWER = 900 };        /* power(f, n): the language's own limit */

typedef struct Budget {
    uint64_t steps;   /* per evaluation */
    uint64_t bytes;   /* at most what ctx_open reserved */
    uint64_t time_ns; /* 0: no limit, and no clock is read */
    uint32_t depth;   /* nested closure calls */
} Budget;

#define BUDGET_DEFAULT \
    ((Budget){.steps = 50000000, .bytes = (uint64_t)256 << 20, .time_ns = 0, .depth = 2000})

struct Val;
typedef struct Ctx Ctx;
typedef struct Val (*PrimFn)(Ctx *ctx, const struct Val *args);
typedef struct Val (*MeasureFn)(Ctx *ctx, uint32_t prim, const struct Val *args);
typedef uint32_t (*ScopeFn)(Ctx *ctx, uint32_t move, uint32_t scope);

struct Ctx {
    char *top, *end;      /* free part of the region */
    int64_t fuel;         /* steps until the next look at the budgets */
    const PrimFn *fns;    /* implementation by primitive id, for the mode */
    uint64_t *calls;      /* calls by primitive id: the profiler's counters */
    const uint8_t *arity; /* parameters by primitive id; while calls are measured, a number nobody has */
    MeasureFn measure; /* non-NULL: calls go through it, for timing and traces (prof/); set by prim_measure */
    void *measure_state;
    uint32_t depth;     /* nested closure calls at the moment */
    uint32_t closures;  /* created so far: gives closures their order */
    uint8_t mode, safe; /* Mode; bool: substitute the dialect's defaults */
    uint8_t plain;      /* bool: take no fast path (honoured in checked builds only) */
    uint8_t exhausted;  /* Reason that ended the evaluation, or FAIL_NONE */
    char *base;
    size_t reserved;
    size_t resident;      /* after a reset, pages beyond this go back to the kernel */
    uint64_t steps_left;  /* beyond the present fuel */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC, 0: the clock was not read yet */
    int64_t slice;        /* fuel handed out at the last refuel */
    uint64_t fail_at;     /* tests: the n-th allocation from now on fails; 0: never */
    Budget budget;
    CallStack stack; /* of the thread that evaluates: nesting ends before it does, as FAIL_DEPTH */
    uint64_t *fails; /* failed calls by primitive id */
    ScopeFn scope;   /* non-NULL: wants to know what the engine is at (exec/scope.h) */
};

bool ctx_open(Ctx *ctx,
              const Budget *budget); /* memory only (dsl/prim.h binds primitives); false: no memory */
void ctx_close(Ctx *ctx);
void ctx_set_budget(Ctx *ctx, const Budget *budget); /* bytes are capped by what was reserved */
void ctx_reset(Ctx *ctx);                            /* forget all values, start a fresh budget */
/* For contexts that are filled again and again: a reset gives no pages back, and they come in large ones. */
void ctx_keep_pages(Ctx *ctx);
void ctx_rebudget(Ctx *ctx); /* fresh budget, values stay */
void ctx_inject_failure(Ctx *ctx, uint64_t nth);
uint64_t ctx_steps_used(const Ctx *ctx);
uint64_t ctx_bytes_used(const Ctx *ctx);
const char *reason_name(Reason reason); /* "type", "range", ...: the words of the specification */

void *ctx_alloc_slow(Ctx *ctx, size_t bytes);
bool ctx_refuel(Ctx *ctx);
bool ctx_in_time(Ctx *ctx, uint64_t owed);

/* 16-byte aligned; NULL when a budget is used up (the caller returns val_fail_budget). */
static inline void *ctx_alloc(Ctx *ctx, size_t bytes) {
    bytes = (bytes + 15) & ~(size_t)15;
    ctx->fuel -= (int64_t)(bytes >> 6);
    if (UNLIKELY(bytes > (size_t)(ctx->end - ctx->top) || ctx->fuel < 0)) {
        return ctx_alloc_slow(ctx, bytes);
    }
    void *block = ctx->top;
    ctx->top += bytes;
    ASSERT(ctx->top <= ctx->base + ctx->reserved && ((uintptr_t)block & 15) == 0,
           "%zu bytes, %zu of %zu used", bytes, (size_t)(ctx->top - ctx->base), ctx->reserved);
    return block;
}

/* False when the budget of steps or time is used up. */
static inline bool ctx_charge(Ctx *ctx, uint64_t steps) {
    ASSERT(steps <= INT64_MAX / 2, "%llu steps", (unsigned long long)steps);
    ctx->fuel -= (int64_t)steps;
    return LIKELY(ctx->fuel >= 0) || ctx_refuel(ctx);
}

/* Between charges, where much is walked that costs few steps: false when the time is used up. Charges
 * nothing, so that what an evaluation counts does not depend on whether it is timed. */
static inline bool ctx_look(Ctx *ctx) {
    return LIKELY(ctx->budget.time_ns == 0) || ctx_in_time(ctx, 0);
}
/* The same before something that takes as long as so many steps. */
static inline bool ctx_look_ahead(Ctx *ctx, uint64_t steps) {
    return LIKELY(ctx->budget.time_ns == 0 || steps == 0) || ctx_in_time(ctx, steps);
}
/* The same in a loop over items, of which the k-th is at hand: looks now and then. */
enum { LOOK_ITEMS = 1 << 12 };
static inline bool ctx_look_at(Ctx *ctx, size_t k) {
    return LIKELY(k % LOOK_ITEMS != LOOK_ITEMS - 1) || ctx_look(ctx);
}
/* The same after a row of n items, with a sum kept between rows that begins at 0. */
static inline bool ctx_look_after(Ctx *ctx, size_t *walked, size_t n) {
    *walked += n;
    if (LIKELY(*walked < LOOK_ITEMS)) {
        return true;
    }
    *walked = 0;
    return ctx_look(ctx);
}

/* memcpy and memset to 0 of what may be large; false: out of time. */
bool ctx_copy(Ctx *ctx, void *to, const void *from, size_t bytes);
bool ctx_clear(Ctx *ctx, void *to, size_t bytes);

/* What was allocated since the mark is garbage once nothing refers to it: higher-order primitives give it
 * back. */
typedef char *CtxMark;
static inline CtxMark ctx_mark(const Ctx *ctx) {
    return ctx->top;
}
static inline void ctx_release(Ctx *ctx, CtxMark mark) {
    ASSERT(mark >= ctx->base && mark <= ctx->top, "mark at %td, %td used", mark - ctx->base,
           ctx->top - ctx->base);
    ctx->top = mark;
}

#ifdef BATT_CHECKED
#define FAST_PATH(ctx) (!(ctx)->plain)
#else
#define FAST_PATH(ctx) ((void)(ctx), 1)
#endif

#endif
