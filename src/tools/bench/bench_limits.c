/* batt bench limits: calls just within and just beyond what each fast path handles (limits.def). Where work
 * grows by one, time per element should not grow by much. */
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/language/parse.h"
#include "tools/bench/cmd_bench.h"
#include "tools/display/table.h"

#include <math.h>

typedef struct Limit {
    const char *what;
    const char *text[2]; /* below and above */
    double elements[2];
} Limit;

static const Limit limits[] = {
#define LIMIT(what, below, n, above, m) {what, {below, above}, {n, m}},
#include "tools/bench/limits.def"
#undef LIMIT
};

enum { LIMITS = sizeof limits / sizeof *limits };
static const double STEP_MAX = 2;

/* Nanoseconds of the last call of a program. NAN: it fails. */
static double time_last(Ctx *ctx, const Program *p, unsigned rounds, double slice_ns) {
    enum { SLOTS_MAX = 64, BATCH = 16 };
    const int8_t cell = 0;
    Val slots[SLOTS_MAX], grid = eval_grid((Image){.h = 1, .w = 1, .cells = &cell});
    double best = INFINITY;
    ctx_reset(ctx);
    if (prog_slots(p) > SLOTS_MAX || val_failed(eval_slots(ctx, p, &grid, slots))) {
        return NAN;
    }
    CtxMark mark = ctx_mark(ctx);
    for (unsigned k = 0; k < rounds; k++) {
        uint64_t start = clock_work_ns(), spent = 0;
        double calls = 0;
        while ((double)spent < slice_ns) {
            for (unsigned x = 0; x < BATCH; x++) {
                eval_op(ctx, p, &p->ops[p->nops - 1], slots);
                ctx_release(ctx, mark);
            }
            ctx_rebudget(ctx);
            calls += BATCH;
            spent = clock_work_ns() - start;
        }
        best = fmin(best, (double)spent / calls);
    }
    return best;
}

/* False with the limit named: a program of the table does not run. */
static bool measure(BenchRun *run, Ctx *ctx, Lang *lang, const Limit *limit, double *ns) {
    const ParseOptions form = {PARSE_LINE, MODE_CORE, 1};
    for (int side = 0; side < 2; side++) {
        ProgList programs = {0};
        const Program *p = lang_parse_line(lang, "limits", limit->text[side], &form, &programs);
        ns[side] = p != NULL ? time_last(ctx, p, run->rounds, (double)run->options->slice) : NAN;
        progs_free(&programs);
        if (isnan(ns[side])) {
            cli_error(run->cli, "%s: this does not run: %s", limit->what, limit->text[side]);
            return false;
        }
        ns[side] /= limit->elements[side];
    }
    return true;
}

static uint32_t report(BenchRun *run, double (*ns)[2]) {
    uint32_t steep = 0;
    Table table;
    table_begin(&table, "limit", ">below: ns per element", ">above", ">step");
    json_key(run->json, "limits");
    json_begin_object(run->json);
    for (uint32_t k = 0; k < LIMITS; k++) {
        double step = ns[k][1] / ns[k][0];
        steep += step > STEP_MAX;
        table_cell(&table, limits[k].what);
        table_fmt(&table, "%.2f", ns[k][0]);
        table_fmt(&table, "%.2f", ns[k][1]);
        table_fmt(&table, "%.2f%s", step, step > STEP_MAX ? " !" : "");
        json_kv_fixed(run->json, limits[k].what, step, 3);
    }
    json_end_object(run->json);
    json_kv_uint(run->json, "steep", steep);
    table_end(&table, run->out, &run->cli->style);
    out_fmt(run->out, "\n%u of %u limits have a step of more than %.0f\n", steep, (unsigned)LIMITS, STEP_MAX);
    return steep;
}

int bench_suite_limits(BenchRun *run) {
    Ctx ctx;
    Budget budget = BUDGET_DEFAULT;
    Lang *lang = lang_open();
    double ns[LIMITS][2];
    if (lang == NULL || !prim_open(&ctx, MODE_CORE, false, &budget)) {
        lang_close(lang);
        return cli_error(run->cli, "out of memory");
    }
    bool good = true;
    for (uint32_t k = 0; k < LIMITS && good && !cli_stopped(run->cli); k++) {
        good = measure(run, &ctx, lang, &limits[k], ns[k]);
    }
    if (good && !cli_stopped(run->cli)) {
        run->missed = report(run, ns) != 0;
    }
    prim_close(&ctx);
    lang_close(lang);
    return good ? EXIT_DONE : EXIT_BAD;
}
