/* Evolution from near misses: the loop of evolve.h for one task, on the caller's thread; see near_miss.h. */
#include "search/evolution/near_miss.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "engine/language/build.h"
#include "search/evolution/evolve.h"

/* Generations are small: budgets are checked between them, and new programs that fit breed soon. */
enum { CHILDREN = 192, POPULATION = 32, LONGER = 6, LONGEST = 40 };
enum { CHILD_STEPS = 40, GENERATION_STEPS = 1000 }; /* what making one costs, in evaluation steps */
enum { RESERVED = 3 << 20 };                        /* of the bytes: children, parents, their battery */

struct NearMiss {
    Differs differs;
    EvolveScratch *scratch;
    size_t bytes;
};

typedef struct Taker {
    const NearMissHooks *hooks;
    NearMissFigures figures;
    bool enough;
} Taker;

NearMiss *near_miss_open(size_t bytes) {
    NearMiss *near = mem_zalloc(1, sizeof *near);
    char why[200];
    if (near == NULL) {
        return NULL;
    }
    near->bytes = bytes < NEAR_MISS_MIN_BYTES ? NEAR_MISS_MIN_BYTES : bytes;
    if (!differs_open(&near->differs, true, NULL, 0, why, sizeof why)) {
        mem_free(near);
        return NULL;
    }
    near->differs.counted = true; /* budgets are in steps */
    near->scratch = evolve_scratch_open(1, &near->differs);
    if (near->scratch == NULL) {
        near_miss_close(near);
        return NULL;
    }
    return near;
}

void near_miss_close(NearMiss *near) {
    if (near != NULL) {
        evolve_scratch_close(near->scratch, 1);
        differs_close(&near->differs);
        mem_free(near);
    }
}

static void take(void *user, Program *program) {
    Taker *t = user;
    if (t->enough) {
        prog_free(program);
        return;
    }
    t->figures.fits++;
    t->enough = !t->hooks->fits(t->hooks->user, program);
}

static EvolveOptions options_for(const NearMiss *near, const Program *const *founders, size_t n,
                                 const NearMissLimits *limits) {
    EvolveOptions o = EVOLVE_OPTIONS_DEFAULT;
    o.seed = limits->seed;
    o.children = CHILDREN;
    o.population = POPULATION;
    /* half, because it is spent twice: on programs seen, and on scores of outputs */
    o.memories = (near->bytes - RESERVED) / 2;
    for (size_t k = 0; k < n; k++) {
        uint32_t calls = founders[k]->nops + LONGER < LONGEST ? founders[k]->nops + LONGER : LONGEST;
        o.max_calls = calls > o.max_calls ? calls : o.max_calls;
    }
    return o;
}

static bool add_founders(Evolve *e, const Program *const *founders, size_t n) {
    bool good = true;
    for (size_t k = 0; k < n && good; k++) {
        Program *copy = prog_with_mode(founders[k], (Mode)founders[k]->mode);
        good = copy != NULL && evolve_add_founder(e, copy);
    }
    return good;
}

static void generations(Evolve *e, const NearMissLimits *limits, Taker *taker) {
    NearMissFigures *f = &taker->figures;
    const NearMissHooks *hooks = taker->hooks;
    uint64_t start = limits->time_ns > 0 ? clock_work_ns() : 0;
    bool more = true;
    while (more && !taker->enough) {
        if (!evolve_generation(e, limits->stop)) {
            f->failed = !stop_is_requested(limits->stop);
            return;
        }
        const Statistics *done = &e->figures.statistics;
        uint64_t steps = COUNTED(done, EVOLVE_STEPS) + COUNTED(done, CANDIDATES) * CHILD_STEPS +
                         e->figures.generation * GENERATION_STEPS;
        ASSERT(steps >= f->steps, "steps went down");
        uint64_t fresh = steps - f->steps;
        f->steps = steps;
        more = hooks->spend == NULL || hooks->spend(hooks->user, fresh);
        more = more && (limits->steps == 0 || steps < limits->steps) &&
               (limits->time_ns == 0 || clock_work_ns() - start < limits->time_ns);
    }
}

NearMissFigures near_miss_run(NearMiss *near, Ctx *ctx, const Task *task, const Program *const *founders,
                              size_t n_founders, const NearMissLimits *limits, const NearMissHooks *hooks) {
    const EvolveOptions options = options_for(near, founders, n_founders, limits);
    const Task alone = {.id = task->id, .train = task->train, .n_train = task->n_train, .hash = task->hash};
    const Task *const tasks[1] = {&alone};
    const Budget budget = ctx->budget;
    Taker taker = {.hooks = hooks};
    Evolve e;
    if (!evolve_open_on(&e, &options, tasks, 1, ctx, near->scratch)) {
        taker.figures.failed = true;
        return taker.figures;
    }
    ctx_set_budget(ctx, &options.budget);
    e.fits = (EvolveFits){take, &taker};
    taker.figures.failed = !add_founders(&e, founders, n_founders);
    if (!taker.figures.failed) {
        generations(&e, limits, &taker);
    }
    taker.figures.generations = e.figures.generation;
    taker.figures.statistics = e.figures.statistics;
    taker.figures.max = SCORE_EXACT * task->n_train;
    if (e.tasks[0].count > 0) {
        taker.figures.best = e.tasks[0].members[0].score + guard_failed(e.tasks[0].members[0].guard);
    }
    evolve_close(&e);
    prim_bind(ctx, MODE_CORE, false);
    ctx_set_budget(ctx, &budget);
    ctx_reset(ctx);
    return taker.figures;
}
