/* Arenas and budgets; see ctx.h. */
#include "engine/value/ctx.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <string.h>
#include <sys/mman.h>

enum { SLICE = 16384 };           /* steps between two checks of the step budget */
enum { TIMED_SLICE = 1024 };      /* and of the clock: a step may stand for eight items, each a cache miss */
enum { STEP_NS = 16 };            /* time per step when a lot is done at once in memory not touched before */
enum { LARGE_BLOCK = 1 << 16 };   /* bytes; with a time limit, blocks this large go through ctx_alloc_slow */
enum { KEEP_RESIDENT = 4 << 20 }; /* bytes of an arena that stay resident after a reset */

bool ctx_open(Ctx *ctx, const Budget *budget) {
    memset(ctx, 0, sizeof *ctx);
    ctx->budget = budget ? *budget : BUDGET_DEFAULT;
    size_t bytes = ((size_t)ctx->budget.bytes + 4095) & ~(size_t)4095;
    void *arena = mmap(NULL, bytes ? bytes : 4096, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) {
        return false;
    }
    ctx->base = arena;
    ctx->reserved = bytes ? bytes : 4096;
    ctx->resident = KEEP_RESIDENT;
    callstack_fits(&ctx->stack); /* finds its bounds now, not in the middle of the first evaluation */
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

void ctx_keep_pages(Ctx *ctx) {
    ctx->resident = ctx->reserved;
    mem_prefer_large_pages(ctx->base, ctx->reserved);
}

void ctx_keep_bytes(Ctx *ctx, size_t bytes) {
    ctx->resident = bytes < ctx->reserved ? bytes : ctx->reserved;
}

void ctx_reset(Ctx *ctx) {
    size_t used = ctx->top != NULL ? (size_t)(ctx->top - ctx->base) : 0;
    if (used > ctx->resident) {
        madvise(ctx->base + ctx->resident, ctx->reserved - ctx->resident, MADV_DONTNEED);
    }
    ASSERT(used <= ctx->reserved, "%zu bytes used of %zu", used, ctx->reserved);
    LOG(ARENA, "reset after %zu bytes, %llu steps%s%s", used, (unsigned long long)ctx_steps_used(ctx),
        ctx->exhausted != FAIL_NONE ? ", out of " : "",
        ctx->exhausted != FAIL_NONE ? reason_name((Reason)ctx->exhausted) : "");
    COUNT(&ctx->statistics, RESETS, 1);
    ctx->top = ctx->base;
    ctx->closures = 0;
    ctx_rebudget(ctx);
}

static int64_t next_slice(const Ctx *ctx, uint64_t steps) {
    uint64_t slice = ctx->budget.time_ns != 0 ? TIMED_SLICE : SLICE;
    return (int64_t)(steps < slice ? steps : slice);
}

/* While a failure is to be injected, `end` is kept at `top`, so that every allocation takes the slow path and
 * the fast path needs no extra test. */
static inline void set_end(Ctx *ctx) {
    ctx->end = ctx->fail_at != 0 ? ctx->top : ctx->base + ctx->budget.bytes;
}

void ctx_rebudget(Ctx *ctx) {
    set_end(ctx);
    ctx->depth = 0;
    ctx->exhausted = FAIL_NONE;
    uint64_t steps = ctx->budget.steps;
    ctx->slice = next_slice(ctx, steps);
    ctx->fuel = ctx->slice;
    ASSERT(ctx->slice >= 0 && (uint64_t)ctx->slice <= steps, "slice %lld of %llu steps",
           (long long)ctx->slice, (unsigned long long)steps);
    ASSERT(ctx->budget.bytes <= ctx->reserved, "%llu bytes of %zu", (unsigned long long)ctx->budget.bytes,
           ctx->reserved);
    ctx->steps_left = steps - (uint64_t)ctx->slice;
    ctx->deadline_ns = 0;
}

void ctx_inject_failure(Ctx *ctx, uint64_t nth) {
    ctx->fail_at = nth;
    set_end(ctx);
}

CtxPart ctx_split(Ctx *ctx, uint64_t bytes) {
    bytes &= ~(uint64_t)4095;
    ASSERT(bytes <= ctx->budget.bytes - ctx_bytes_used(ctx), "%llu bytes of %llu", (unsigned long long)bytes,
           (unsigned long long)ctx->budget.bytes);
    ctx->budget.bytes -= bytes;
    char *base = ctx->base + (ctx->budget.bytes & ~(uint64_t)15);
    set_end(ctx);
    return (CtxPart){.base = base, .top = base, .bytes = bytes};
}

void ctx_join(Ctx *ctx, const CtxPart *part) {
    ctx->budget.bytes += part->bytes;
    set_end(ctx);
}

void ctx_swap(Ctx *ctx, CtxPart *part) {
    CtxPart to = *part;
    *part = (CtxPart){ctx->base, ctx->top, ctx->budget.bytes, ctx->exhausted};
    ctx->base = to.base;
    ctx->top = to.top;
    ctx->budget.bytes = to.bytes;
    ctx->exhausted = to.exhausted;
    set_end(ctx);
}

void ctx_forget(Ctx *ctx, CtxMark mark) {
    ctx_release(ctx, mark);
    ctx->exhausted = ctx->exhausted == FAIL_MEMORY ? FAIL_NONE : ctx->exhausted;
}

static bool exhaust(Ctx *ctx, Reason reason) {
    ASSERT(reason >= FAIL_STEPS && reason < FAIL_REASONS, "reason %u", reason);
    if (ctx->exhausted == FAIL_NONE) {
        ctx->exhausted = (uint8_t)reason;
        COUNT(&ctx->statistics, EXHAUSTED, 1);
        LOG(ARENA, "out of %s after %llu steps", reason_name(reason),
            (unsigned long long)ctx_steps_used(ctx));
    }
    return false;
}

/* Mapping a new page may take several microseconds, and thousands of pages longer than the evaluation has
 * left. So a large block is touched page by page, checking the clock, before a caller fills it in one go. */
static bool touch(Ctx *ctx, char *block, size_t bytes) {
    enum { PAGE = 4096, PAGES = 16 };
    for (size_t at = 0; at < bytes; at += PAGE) {
        volatile char *page = block + at;
        *page = *page;
        if (at / PAGE % PAGES == PAGES - 1 && !ctx_check_time(ctx)) {
            return false;
        }
    }
    return true;
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
    set_end(ctx);
    if (ctx->budget.time_ns != 0 && bytes >= LARGE_BLOCK && !touch(ctx, block, bytes)) {
        return NULL;
    }
    return block;
}

/* The clock starts at the first check, one slice into the evaluation, so that short evaluations never read
 * it. Charged steps are work about to be done: if it cannot be finished in time, it is not begun. */
static bool out_of_time(Ctx *ctx, uint64_t owed) {
    uint64_t now = clock_now_ns();
    if (ctx->deadline_ns == 0) {
        ctx->deadline_ns = now + ctx->budget.time_ns;
    }
    return now > ctx->deadline_ns || ctx_stopped(ctx) || owed > (ctx->deadline_ns - now) / STEP_NS;
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
    ASSERT(ctx->steps_left <= ctx->budget.steps, "%llu steps left of %llu",
           (unsigned long long)ctx->steps_left, (unsigned long long)ctx->budget.steps);
    ctx->steps_left -= owed;
    ctx->slice = next_slice(ctx, ctx->steps_left);
    ctx->steps_left -= (uint64_t)ctx->slice;
    ctx->fuel = ctx->slice;
    return true;
}

bool ctx_ensure_slow(Ctx *ctx, uint64_t steps) {
    enum { MAX_STEPS = 1 << 20 };
    if (ctx->exhausted != FAIL_NONE || ctx->fuel < 0 || steps > MAX_STEPS ||
        steps - (uint64_t)ctx->fuel > ctx->steps_left || !ctx_check_time_ahead(ctx, steps)) {
        return false;
    }
    uint64_t more = steps - (uint64_t)ctx->fuel;
    ctx->steps_left -= more;
    ctx->fuel += (int64_t)more;
    ctx->slice = ctx->fuel > ctx->slice ? ctx->fuel : ctx->slice;
    return true;
}

bool ctx_in_time(Ctx *ctx, uint64_t owed) {
    if (ctx->exhausted == FAIL_NONE && out_of_time(ctx, owed)) {
        exhaust(ctx, FAIL_TIME);
        /* so that the steps used stay the same and the next charge fails */
        ctx->steps_left += (uint64_t)(ctx->fuel + 1);
        ctx->fuel = -1;
    }
    return ctx->exhausted == FAIL_NONE;
}

enum { AT_ONCE = 1 << 18 }; /* bytes between two checks of the clock */

bool ctx_copy(Ctx *ctx, void *to, const void *from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += AT_ONCE) {
        if (at != 0 && !ctx_check_time(ctx)) {
            return false;
        }
        memcpy((char *)to + at, (const char *)from + at, bytes - at < AT_ONCE ? bytes - at : AT_ONCE);
    }
    return true;
}

bool ctx_clear(Ctx *ctx, void *to, size_t bytes) {
    for (size_t at = 0; at < bytes; at += AT_ONCE) {
        if (at != 0 && !ctx_check_time(ctx)) {
            return false;
        }
        memset((char *)to + at, 0, bytes - at < AT_ONCE ? bytes - at : AT_ONCE);
    }
    return true;
}

uint64_t ctx_steps_used(const Ctx *ctx) {
    ASSERT(ctx->fuel <= ctx->slice, "fuel %lld of a slice of %lld", (long long)ctx->fuel,
           (long long)ctx->slice);
    int64_t unspent = (int64_t)ctx->steps_left + ctx->fuel; /* fuel below 0 is owed at the next refuel */
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
