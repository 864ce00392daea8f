/* The evaluation context: where values live and what an evaluation may spend.
 *
 * One worker thread owns one Ctx. All values of an evaluation are bump-allocated from its arena and die
 * together at ctx_reset(), which is one store. Memory is reserved once, so evaluation makes no system call of
 * its own (the kernel fills in pages on first touch).
 *
 * Budgets: `fuel` counts down with every primitive call, with every 64 bytes allocated and, where a loop does
 * more work than it writes, with ctx_charge(). When it is used up, ctx_refuel() looks at the step budget and
 * the clock. An exhausted context stays exhausted until the next reset, so that nothing started later can run
 * on. */
#ifndef BATT_ENGINE_VALUE_CTX_H
#define BATT_ENGINE_VALUE_CTX_H

#include "base/callstack.h"
#include "base/check.h"
#include "base/statistics.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* For functions whose parameters are functions or flags that are constant at each call site. */
#define INLINE static inline __attribute__((always_inline))

typedef enum Mode { MODE_CORE, MODE_BATT } Mode;

/* Why a value failed. The reasons from FAIL_STEPS on are exhausted budgets: they end the evaluation, and no
 * safe default replaces them. */
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

enum { LIMIT_ELEMENTS = 1 << 20 }; /* of any container, and cells of a grid */
enum { LIMIT_WEIGHT = 22 }; /* base-2 logarithm of the greatest weight of a value (engine/value/value.h) */
enum { LIMIT_WIDTH = 1 << 15 }; /* of a grid, so that it fits the value's header */
enum { LIMIT_POWER = 900 };     /* power(f, n): the language's own limit */

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
    char *top, *end;   /* free part of the arena */
    int64_t fuel;      /* steps until the budgets are checked next */
    const PrimFn *fns; /* implementations in the current mode, by primitive id */
    uint64_t *calls;   /* calls by primitive id: the profiler's counters */
    /* parameters by primitive id; while calls are measured, a number that no primitive has */
    const uint8_t *arity;
    /* if not NULL, calls go through it, for timing and traces (prof/); set by prim_measure */
    MeasureFn measure;
    void *measure_state;
    uint32_t depth;     /* current nesting of closure calls */
    uint32_t closures;  /* created so far: numbers closures in order of creation */
    void *owner;        /* what functions from outside belong to (tools/api); NULL: a worker evaluates */
    uint8_t mode, safe; /* Mode; bool: substitute the dialect's defaults */
    uint8_t plain;      /* bool: take no fast path (honoured in checked builds only) */
    uint8_t stepwise;   /* bool: closures run call by call, never compiled (engine/arcdsl/closure_plan.h) */
    uint8_t exhausted;  /* Reason that ended the evaluation, or FAIL_NONE */
    char *base;
    size_t reserved;
    size_t resident;      /* after a reset, pages beyond this are returned to the kernel */
    uint64_t steps_left;  /* not yet handed out as fuel */
    uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: the clock has not been read yet */
    uint64_t waited_ns;   /* that functions from outside waited for something; never reset */
    int64_t slice;        /* fuel handed out at the last refuel */
    uint64_t fail_at;     /* for tests: the n-th allocation from now on fails; 0: never */
    Budget budget;
    CallStack stack;       /* of the evaluating thread: nesting fails with FAIL_DEPTH before it overflows */
    uint64_t *fails;       /* failed calls by primitive id */
    const Stop *stop;      /* checked along with the clock; if set, the time counts as used up. May be NULL */
    ScopeFn scope;         /* if not NULL, it is called with what the engine is doing (engine/eval/scope.h) */
    Statistics statistics; /* what was done in this context; calls are counted in `calls`, see prim_count */
};

/* sets up memory only (engine/primitives/prim.h binds primitives); false: out of memory */
bool ctx_open(Ctx *ctx, const Budget *budget);
void ctx_close(Ctx *ctx);
void ctx_set_budget(Ctx *ctx, const Budget *budget); /* bytes are capped at what was reserved */
void ctx_reset(Ctx *ctx);                            /* forget all values, start a fresh budget */
/* For contexts that are filled again and again: resets return no pages to the kernel, and large pages are
 * used where possible. */
void ctx_keep_pages(Ctx *ctx);
/* Resets return only pages beyond this many bytes. */
void ctx_keep_bytes(Ctx *ctx, size_t bytes);
void ctx_rebudget(Ctx *ctx); /* fresh budget; values are kept */
void ctx_inject_failure(Ctx *ctx, uint64_t nth);
uint64_t ctx_steps_used(const Ctx *ctx);
uint64_t ctx_bytes_used(const Ctx *ctx);
const char *reason_name(Reason reason); /* "type", "range", ...: the words of the specification */

/* Whether the caller has called the evaluation off: its results no longer count. */
static inline bool ctx_stopped(const Ctx *ctx) {
    return stop_is_requested(ctx->stop);
}

void *ctx_alloc_slow(Ctx *ctx, size_t bytes);
bool ctx_refuel(Ctx *ctx);
bool ctx_ensure_slow(Ctx *ctx, uint64_t steps);
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

/* Makes sure that this many steps can be charged at once without looking at the budgets. False: they cannot,
 * and nothing was charged; whoever goes on in smaller steps finds out why. */
static inline bool ctx_ensure(Ctx *ctx, uint64_t steps) {
    return LIKELY(ctx->fuel >= (int64_t)steps) || ctx_ensure_slow(ctx, steps);
}

/* For work between charges that walks much and costs few steps: false when the time is used up. Charges
 * nothing, so that step counts do not depend on whether an evaluation is timed. */
static inline bool ctx_check_time(Ctx *ctx) {
    return LIKELY(ctx->budget.time_ns == 0) || ctx_in_time(ctx, 0);
}
/* The same, before work that takes as long as `steps` steps. */
static inline bool ctx_check_time_ahead(Ctx *ctx, uint64_t steps) {
    return LIKELY(ctx->budget.time_ns == 0 || steps == 0) || ctx_in_time(ctx, steps);
}
/* The same, for item k of a loop: checks the clock only now and then. */
enum { TIME_CHECK_ITEMS = 1 << 12 };
static inline bool ctx_check_time_at(Ctx *ctx, size_t k) {
    return LIKELY(k % TIME_CHECK_ITEMS != TIME_CHECK_ITEMS - 1) || ctx_check_time(ctx);
}
/* The same, after a row of n items; `walked` is kept between rows and starts at 0. */
static inline bool ctx_check_time_after(Ctx *ctx, size_t *walked, size_t n) {
    *walked += n;
    if (LIKELY(*walked < TIME_CHECK_ITEMS)) {
        return true;
    }
    *walked = 0;
    return ctx_check_time(ctx);
}

/* memcpy, and memset to 0, for blocks that may be large; false: out of time. */
bool ctx_copy(Ctx *ctx, void *to, const void *from, size_t bytes);
bool ctx_clear(Ctx *ctx, void *to, size_t bytes);

/* Bytes that can still be allocated, or written to and left behind. */
static inline size_t ctx_room(const Ctx *ctx) {
    return (size_t)(ctx->end - ctx->top);
}

/* What was allocated since the mark is garbage once nothing refers to it; higher-order primitives release
 * it. */
typedef char *CtxMark;
static inline CtxMark ctx_mark(const Ctx *ctx) {
    return ctx->top;
}
static inline void ctx_release(Ctx *ctx, CtxMark mark) {
    ASSERT(mark >= ctx->base && mark <= ctx->top, "mark at %td, %td used", mark - ctx->base,
           ctx->top - ctx->base);
    ctx->top = mark;
}

/* A part of an arena with values of its own, which can be forgotten while the others stay. */
typedef struct CtxPart {
    char *base, *top;
    uint64_t bytes;
    uint8_t exhausted;
} CtxPart;
/* Makes a part of the last bytes of the arena, which must be free. */
CtxPart ctx_split(Ctx *ctx, uint64_t bytes);
void ctx_join(Ctx *ctx, const CtxPart *part); /* undoes that */
/* From now on values live in the part, and what was used before becomes the part. */
void ctx_swap(Ctx *ctx, CtxPart *part);
void ctx_forget(Ctx *ctx, CtxMark mark); /* releases values; if that makes room, memory is not exhausted */

#ifdef BATT_CHECKED
#define FAST_PATH(ctx) (!(ctx)->plain)
#else
#define FAST_PATH(ctx) ((void)(ctx), 1)
#endif

#endif
