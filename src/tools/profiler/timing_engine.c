/* What evaluation costs as a whole: the figures to look at first. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/language/parse.h"
#include "tools/profiler/phase.h"
#include "tools/profiler/timing.h"

#include <math.h>
#include <string.h>

/* Fifteen lines of the kind that solvers consist of. */
static const char typical[] =
    "x1 = objects(I, T, F, T); x2 = argmax(x1, size); x3 = color(x2); x4 = toindices(x2); "
    "x5 = box(x2); x6 = fill(I, TWO, x5); x7 = rbind(colorcount, x3); x8 = hmirror(x6); "
    "x9 = remove(x2, x1); x10 = mapply(delta, x9); x11 = difference(x10, x4); "
    "x12 = underfill(x8, ONE, x11); x13 = ofcolor(x12, TWO); x14 = shift(x13, DOWN); "
    "O = fill(x12, FOUR, x14)";
static const char failing[] = "O = first(I, I)";

typedef struct Case {
    Ctx ctx;
    Lang *lang;
    ProgList programs;
} Case;

static Program *parse(Case *c, const char *text) {
    const ParseOptions form = {PARSE_LINE, MODE_CORE, 1};
    return lang_parse_line(c->lang, "benchmark", text, &form, &c->programs);
}

/* A grid of noise: the same on every machine, and in every version, so that their figures compare; that is
 * why it is not drawn by base/rng.h. */
static Val noise(Ctx *ctx, uint32_t side, uint32_t colors, int8_t *cells) {
    uint32_t seed = 1;
    (void)ctx;
    for (uint32_t k = 0; k < side * side; k++) {
        seed = seed * 1664525 + 1013904223;
        cells[k] = (int8_t)((seed >> 16) % colors);
    }
    return eval_grid((Image){.h = (int32_t)side, .w = (int32_t)side, .cells = cells});
}

/* Nanoseconds per evaluation, the smallest of the rounds. */
static double time_program(Ctx *ctx, const Program *p, Val input, unsigned rounds, double slice_ns) {
    double best = INFINITY;
    for (uint64_t round = 0, calls = 1; round < rounds;) {
        uint64_t start = clock_now_ns();
        for (uint64_t k = 0; k < calls; k++) {
            ctx_reset(ctx);
            eval_program(ctx, p, &input);
        }
        double ns = (double)(clock_now_ns() - start);
        if (ns < slice_ns / 2 && calls < 1000000) {
            calls *= 2;
            continue;
        }
        best = fmin(best, ns / (double)calls);
        round++;
    }
    return best;
}

bool bench_engine(BenchEngine *to, unsigned rounds, double slice_ns) {
    static const char objects_program[] = "O = objects(I, T, F, F)", nothing_program[] = "O = identity(I)";
    Case c = {.lang = lang_open()};
    Budget budget = BUDGET_DEFAULT;
    int8_t large[900], small[144];
    bool good = false;
    *to = (BenchEngine){0};
    if (c.lang != NULL && prim_open(&c.ctx, MODE_CORE, false, &budget)) {
        const Program *programs[] = {parse(&c, typical), parse(&c, objects_program), parse(&c, failing),
                                     parse(&c, nothing_program)};
        Val big = noise(&c.ctx, 30, 10, large), usual = noise(&c.ctx, 12, 4, small);
        good = programs[0] != NULL && programs[1] != NULL && programs[2] != NULL && programs[3] != NULL;
        if (good) {
            to->typical_ns = time_program(&c.ctx, programs[0], usual, rounds, slice_ns);
            to->typical_fails = val_failed(eval_program(&c.ctx, programs[0], &usual));
            to->objects_ns = time_program(&c.ctx, programs[1], big, rounds, slice_ns);
            to->failed_ns = time_program(&c.ctx, programs[2], usual, rounds, slice_ns);
            to->empty_ns = time_program(&c.ctx, programs[3], usual, rounds, slice_ns);
            uint64_t before = mem_calls();
            for (int k = 0; k < 100; k++) {
                ctx_reset(&c.ctx);
                eval_program(&c.ctx, programs[k % 4], k % 4 == 1 ? &big : &usual);
            }
            to->allocations = mem_calls() - before;
        }
        prim_close(&c.ctx);
    }
    progs_free(&c.programs);
    lang_close(c.lang);
    return good;
}
