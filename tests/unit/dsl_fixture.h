/* What the tests of families of primitives share: a random stream, every primitive of some families on random
 * arguments, and the two things that must hold for each call: the fast path gives what the plain one gives,
 * and an allocation that fails is a failure for lack of memory.
 *
 * A test says which families are its own and how arguments are drawn. */
#ifndef BATT_TEST_DSL_FIXTURE_H
#define BATT_TEST_DSL_FIXTURE_H

#include "engine/primitives/prim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- random numbers ---- */

static uint64_t draw_state = 0x2545f4914f6cdd1du; /* xorshift */

static inline uint32_t draw(uint32_t below) {
    draw_state ^= draw_state << 13;
    draw_state ^= draw_state >> 7;
    draw_state ^= draw_state << 17;
    return (uint32_t)((draw_state >> 32) * below >> 32);
}

static inline int32_t between(int32_t low, int32_t high) {
    return low + (int32_t)draw((uint32_t)(high - low + 1));
}

/* ---- all primitives of a family ---- */

typedef struct Families {
    unsigned set;                                     /* 1 << FAMILY_.. of each */
    Val (*draw_argument)(Ctx *ctx, const char *type); /* of the type that follows `name: ` in the signature */
    void (*adapt)(Ctx *ctx, uint32_t id, Val *args);  /* makes arguments fit each other; may be NULL */
} Families;

typedef void Visit(Ctx *ctx, uint32_t id, const Val *args);

static inline bool draw_arguments(Ctx *ctx, const Families *families, uint32_t id, Val *args) {
    const char *at = prim_table[id].signature;
    for (uint32_t k = 0; k < prim_table[id].arity; k++) {
        at = strchr(at, ':') + 2;
        args[k] = families->draw_argument(ctx, at);
        if (val_failed(args[k])) {
            return false;
        }
    }
    if (families->adapt != NULL) {
        families->adapt(ctx, id, args);
    }
    return true;
}

/* Each of them this many times, in both modes, strict and safe. */
static inline void visit_all(const Families *families, int rounds, Visit *visit) {
    for (int config = 0; config < 4; config++) {
        Ctx ctx;
        Budget budget = BUDGET_DEFAULT;
        budget.steps = 200000;
        assert_true(prim_open(&ctx, config & 1 ? MODE_BATT : MODE_CORE, config & 2, &budget));
        for (uint32_t id = 0; id < PRIM_COUNT; id++) {
            for (int round = 0; round < rounds && (families->set >> prim_table[id].family & 1); round++) {
                Val args[4];
                ctx_reset(&ctx);
                if (draw_arguments(&ctx, families, id, args)) {
                    visit(&ctx, id, args);
                }
            }
        }
        prim_close(&ctx);
    }
}

/* ---- fast and plain paths agree ---- */

/* Two calls make two closures, which are never equal. */
static inline bool holds_closure(Val v) {
    if (v.kind == VAL_CLOSURE) {
        return true;
    }
    for (uint32_t k = 0; (v.kind == VAL_TUPLE || v.kind == VAL_SET) && k < v.n; k++) {
        if (holds_closure(v.v[k])) {
            return true;
        }
    }
    return false;
}

static inline bool same_result(Val v, Val w) {
    if (val_failed(v) || val_failed(w)) {
        return val_failed(v) && val_failed(w);
    }
    return holds_closure(v) || holds_closure(w) || val_eq(v, w);
}

#ifdef BATT_CHECKED
static inline void compare_paths(Ctx *ctx, uint32_t id, const Val *args) {
    Val fast = prim_call(ctx, id, args, prim_table[id].arity);
    ctx_rebudget(ctx);
    ctx->plain = true;
    Val plain = prim_call(ctx, id, args, prim_table[id].arity);
    ctx->plain = false;
    if (!same_result(fast, plain)) {
        fail_msg("%s: fast and plain differ (mode %d, %s)", prim_table[id].name, ctx->mode,
                 ctx->safe ? "safe" : "strict");
    }
}
#endif

static inline void check_paths(const Families *families, int rounds) {
#ifndef BATT_CHECKED
    (void)families;
    (void)rounds;
    print_message("skipped: needs a checked build (make CHECKED=1)\n");
    skip();
#else
    visit_all(families, rounds, compare_paths);
#endif
}

/* ---- without memory ---- */

static inline void fail_each_allocation(Ctx *ctx, uint32_t id, const Val *args) {
    Val whole = prim_call(ctx, id, args, prim_table[id].arity);
    for (uint64_t nth = 1; nth < 100; nth++) {
        ctx_rebudget(ctx);
        ctx_inject_failure(ctx, nth);
        Val v = prim_call(ctx, id, args, prim_table[id].arity);
        bool reached = ctx->exhausted == FAIL_MEMORY;
        ctx_inject_failure(ctx, 0);
        if (!reached) {
            assert_true(same_result(v, whole));
            return;
        }
        if (!val_failed(v) || v.w != FAIL_MEMORY) {
            fail_msg("%s does not notice that allocation %u failed (mode %d, %s)", prim_table[id].name,
                     (unsigned)nth, ctx->mode, ctx->safe ? "safe" : "strict");
        }
    }
}

#endif
