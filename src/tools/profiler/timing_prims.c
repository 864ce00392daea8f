/* What one call of each primitive costs, on its reference vectors.
 *
 * Measured like the reference: only the outermost call of a line is timed, its arguments are already
 * computed, and a primitive's figure is the mean over the succeeding lines of its file. Each line is called
 * again and again for a slice of time; its figure is the best slice. */
#include "base/alloc.h"
#include "base/clock.h"
#include "engine/eval/eval.h"
#include "engine/language/parse.h"
#include "tools/profiler/phase.h"
#include "tools/profiler/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PrimBench {
    const BenchPrims *options;
    Lang *lang;
    Ctx ctx;
    Diags diags;
    ProgList programs;
    Source times;
} PrimBench;

/* Time of one call of `op`, the best of the rounds. */
static double time_op(PrimBench *b, const Program *p, const Op *op, const Val *slots) {
    Ctx *ctx = &b->ctx;
    CtxMark mark = ctx_mark(ctx);
    double best = INFINITY;
    uint64_t calls = 1;
    for (unsigned round = 0; round < b->options->rounds;) {
        ctx_rebudget(ctx);
        uint64_t start = clock_now_ns();
        for (uint64_t k = 0; k < calls; k++) {
            eval_op(ctx, p, op, slots);
            ctx_release(ctx, mark);
        }
        double ns = (double)(clock_now_ns() - start);
        /* warming up: find how many calls fill a slice */
        if (ns < b->options->slice_ns / 2 && calls < 100000) {
            calls *= 2;
            continue;
        }
        best = fmin(best, ns / (double)calls);
        round++;
    }
    return best;
}

/* Adds a line's time to the row. Lines that fail, or whose result is no call, do not count. */
static void bench_line(PrimBench *b, const char *text, size_t length, BenchPrim *row, double *sum) {
    Source source = source_of("", text, length);
    ParseOptions form = {PARSE_LINE, (int)b->ctx.mode, 0};
    diags_clear(&b->diags);
    if (!lang_parse(b->lang, &source, &form, &b->programs, &b->diags) || b->diags.errors != 0 ||
        b->programs.count != 1) {
        return;
    }
    const Program *p = b->programs.items[0];
    uint32_t before = p->nparams + p->nconsts;
    ctx_reset(&b->ctx);
    Val *slots = ctx_alloc(&b->ctx, prog_slots(p) * sizeof *slots);
    if (slots == NULL || p->result < before || val_failed(eval_slots(&b->ctx, p, NULL, slots))) {
        return;
    }
    *sum += time_op(b, p, &p->ops[p->result - before], slots);
    row->lines++;
}

static void bench_file(PrimBench *b, const Source *file, BenchPrim *row) {
    double sum = 0;
    for (const char *at = file->text, *end = at + file->length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline != NULL ? newline : end;
        const char *tab = memchr(at, '\t', (size_t)(stop - at));
        if (tab != NULL && !(stop - tab == 2 && tab[1] == '!')) {
            bench_line(b, at, (size_t)(tab - at), row, &sum);
            for (size_t k = 0; k < b->programs.count; k++) {
                prog_free(b->programs.items[k]);
            }
            b->programs.count = 0;
        }
        at = stop + 1;
    }
    row->ns = row->lines > 0 ? sum / row->lines : 0;
}

/* The reference's nanoseconds: lines NAME<TAB>CALLS<TAB>MICROSECONDS. */
static double reference_of(const Source *times, const char *name) {
    size_t length = strlen(name);
    for (const char *at = times->text, *end = at + times->length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline != NULL ? newline : end;
        double us;
        char line[128];
        if ((size_t)(stop - at) > length && at[length] == '\t' && memcmp(at, name, length) == 0 &&
            (size_t)(stop - at) < sizeof line) {
            memcpy(line, at, (size_t)(stop - at));
            line[stop - at] = '\0';
            if (sscanf(line + length, "%*d%lf", &us) == 1) {
                return us * 1000;
            }
        }
        at = stop + 1;
    }
    return 0;
}

static bool wanted(const BenchPrims *options, uint32_t prim) {
    for (size_t k = 0; k < options->n_names; k++) {
        if (strcmp(options->names[k], prim_table[prim].name) == 0) {
            return true;
        }
    }
    return options->n_names == 0;
}

/* From the second pass on `rows` hold the smallest so far. */
static int bench_all(PrimBench *b, unsigned pass, BenchPrim *rows) {
    int n = 0;
    for (uint32_t id = 0; id < PRIM_COUNT && !stop_is_requested(b->options->stop); id++) {
        char path[4096], why[256];
        Source file;
        snprintf(path, sizeof path, "%s/%s%s.tsv", b->options->vectors, b->options->dialect ? "dialect/" : "",
                 prim_table[id].name);
        if (!wanted(b->options, id) || !source_read(&file, path, why, sizeof why)) {
            continue;
        }
        BenchPrim row = {.prim = id};
        bench_file(b, &file, &row);
        row.reference_ns = b->options->dialect ? 0 : reference_of(&b->times, prim_table[id].name);
        if (row.lines > 0) {
            row.ns = pass > 0 && rows[n].ns < row.ns ? rows[n].ns : row.ns;
            rows[n++] = row;
        }
        source_free(&file);
    }
    return n;
}

int bench_prims(const BenchPrims *options, BenchPrim *rows) {
    Budget budget = BUDGET_DEFAULT;
    PrimBench b = {.options = options, .lang = lang_open()};
    char path[4096], why[256];
    int n = -1;
    snprintf(path, sizeof path, "%s/reference_times.tsv", options->vectors);
    diags_init(&b.diags);
    if (b.lang != NULL &&
        prim_open(&b.ctx, options->dialect ? MODE_BATT : MODE_CORE, options->dialect, &budget)) {
        if (!source_read(&b.times, path, why, sizeof why)) { /* then there is nothing to compare with */
            b.times = source_of("", "", 0);
        }
        /* A shared machine may be slow for seconds, and then all rounds in a row are; so there are several
         * passes. */
        enum { PASSES = 4 };
        for (unsigned pass = 0; pass < PASSES && !(pass > 0 && stop_is_requested(options->stop)); pass++) {
            int measured = bench_all(&b, pass, rows); /* fewer in a pass that is stopped */
            n = measured > n ? measured : n;
        }
        prim_close(&b.ctx);
    }
    source_free(&b.times);
    progs_free(&b.programs);
    diags_free(&b.diags);
    lang_close(b.lang);
    return n;
}

double bench_speedup(const BenchPrim *rows, size_t n, Family family, size_t *counted) {
    double sum = 0;
    *counted = 0;
    for (size_t k = 0; k < n; k++) {
        if ((family == FAMILY_COUNT || prim_table[rows[k].prim].family == family) &&
            rows[k].reference_ns > 0 && rows[k].ns > 0) {
            sum += log(rows[k].reference_ns / rows[k].ns);
            ++*counted;
        }
    }
    return *counted > 0 ? exp(sum / (double)*counted) : 0;
}
