/* Regions and budgets; see ctx.h. */
#include "core/ctx.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { SLICE = 16384 };           /* steps between two looks at the clock: well under a millisecond */
enum { KEEP_RESIDENT = 4 << 20 }; /* after a reset, pages beyond this go back to the kernel */

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool ctx_open(Ctx *ctx, const Budget *budget) {
    memset(ctx, 0, sizeof *ctx);
    ctx->budget = budget ? *budget : BUDGET_DEFAULT;
    size_t bytes = ((size_t)ctx->budget.bytes + 4095) & ~(size_t)4095;
    void *region = mmap(NULL, bytes ? bytes : 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
        return false;
    }
    ctx->base = region;
    ctx->reserved = bytes ? bytes : 4096;
    ctx_reset(ctx);
    return true;
}

void ctx_close(Ctx *ctx) {
    if (ctx->base != NULL) {
        munmap(ctx->base, ctx->reserved);
    }
    memset(ctx, 0, sizeof *ctx);
}

void ctx_set_budget(Ctx *ctx, const Budget *budget) {
    ctx->budget = *budget;
    if (ctx->budget.bytes > ctx->reserved) {
        ctx->budget.bytes = ctx->reserved;
    }
}

void ctx_reset(Ctx *ctx) {
    size_t used = ctx->top != NULL ? (size_t)(ctx->top - ctx->base) : 0;
    if (used > KEEP_RESIDENT) {
        madvise(ctx->base + KEEP_RESIDENT, ctx->reserved - KEEP_RESIDENT, MADV_DONTNEED);
    }
    ctx->top = ctx->base;
    ctx->closures = 0;
    ctx_rebudget(ctx);
}

void ctx_rebudget(Ctx *ctx) {
    ctx->end = ctx->fail_at ? ctx->top : ctx->base + ctx->budget.bytes;
    ctx->depth = 0;
    ctx->exhausted = FAIL_NONE;
    uint64_t steps = ctx->budget.steps;
    ctx->slice = steps < SLICE ? (int64_t)steps : SLICE;
    ctx->fuel = ctx->slice;
    ctx->steps_left = steps - (uint64_t)ctx->slice;
    ctx->deadline_ns = 0;
}

/* With failures injected, `end` is kept at `top`, so that every allocation comes by here and the fast path
 * stays bare. */
void ctx_inject_failure(Ctx *ctx, uint64_t nth) {
    ctx->fail_at = nth;
    ctx->end = nth ? ctx->top : ctx->base + ctx->budget.bytes;
}

static bool exhaust(Ctx *ctx, Reason reason) {
    if (ctx->exhausted == FAIL_NONE) {
        ctx->exhausted = (uint8_t)reason;
    }
    return false;
}

void *ctx_alloc_slow(Ctx *ctx, size_t bytes) {
    char *limit = ctx->base + ctx->budget.bytes;
    if (ctx->fuel < 0 && !ctx_refuel(ctx)) {
        return NULL;
    }
    bool told = ctx->fail_at == 1;
    if (ctx->fail_at != 0) {
        ctx->fail_at--;
    }
    if (told || bytes > (size_t)(limit - ctx->top)) {
        ctx->end = limit;
        exhaust(ctx, FAIL_MEMORY);
        return NULL;
    }
    void *block = ctx->top;
    ctx->top += bytes;
    ctx->end = ctx->fail_at != 0 ? ctx->top : limit;
    return block;
}

/* The clock starts at the first look, a slice into the evaluation, so that short evaluations never read it.
 * What is charged at once is about to be done: too much of it to be done in time is not begun. */
static bool out_of_time(Ctx *ctx, uint64_t owed) {
    enum { LEAST_NS = 2 }; /* a step takes longer */
    uint64_t now = now_ns();
    if (ctx->deadline_ns == 0) {
        ctx->deadline_ns = now + ctx->budget.time_ns;
    }
    return now > ctx->deadline_ns || owed > (ctx->deadline_ns - now) / LEAST_NS;
}

bool ctx_refuel(Ctx *ctx) {
    if (ctx->exhausted != FAIL_NONE) {
        return false;
    }
    uint64_t owed = ctx->fuel < 0 ? (uint64_t)-ctx->fuel : 0; /* steps already taken beyond the slice */
    if (owed > ctx->steps_left) {
        ctx->steps_left = 0;
        return exhaust(ctx, FAIL_STEPS);
    }
    if (ctx->budget.time_ns != 0 && out_of_time(ctx, owed)) {
        return exhaust(ctx, FAIL_TIME);
    }
    ctx->steps_left -= owed;
    ctx->slice = ctx->steps_left < SLICE ? (int64_t)ctx->steps_left : SLICE;
    ctx->steps_left -= (uint64_t)ctx->slice;
    ctx->fuel = ctx->slice;
    return true;
}

uint64_t ctx_steps_used(const Ctx *ctx) {
    int64_t unspent = (int64_t)ctx->steps_left + ctx->fuel; /* fuel below 0: owed at the next look */
    return ctx->budget.steps - (unspent > 0 ? (uint64_t)unspent : 0);
}

uint64_t ctx_bytes_used(const Ctx *ctx) {
    return (uint64_t)(ctx->top - ctx->base);
}

const char *reason_name(Reason reason) {
    static const char *const names[FAIL_REASONS] = {"none",  "type",   "range", "empty",    "zero",
                                                    "order", "arity",  "name",  "overflow", "limit",
                                                    "steps", "memory", "time",  "depth"};
    return (unsigned)reason < FAIL_REASONS ? names[reason] : "unknown";
}
