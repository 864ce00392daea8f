/* Rules per cell that see what they have painted so far: see cell_sweep in engine/primitives/rules.def. */
#include "engine/features/grid_analysis.h"
#include "engine/features/rule.h"

#include <string.h>

enum { ORDERS = 9, ROUNDS = 8, MAX_ROUNDS = 64 };

typedef struct Sweep {
    const Rule *rule;
    GridAnalysis grid;
    /* planes: features of the grid, with those of the run DONE kept up to date; cells: the grid so far */
    int8_t *planes, *cells;
} Sweep;

/* The cell at a step of a sweep. Order bits: 1 from the right, 2 from below, 4 column by column. */
static int32_t cell_at(const GridAnalysis *b, int order, int32_t step) {
    int32_t length = order & 4 ? b->h : b->w, line = step / length, place = step % length;
    int32_t i = order & 4 ? place : line, j = order & 4 ? line : place;
    i = order & 2 ? b->h - 1 - i : i;
    j = order & 1 ? b->w - 1 - j : j;
    return i * b->w + j;
}

static void see_done(const Sweep *s, int32_t k) {
    static const int8_t di[8] = {-1, -1, 0, 1, 1, 1, 0, -1}, dj[8] = {0, 1, 1, 1, 0, -1, -1, -1};
    const GridAnalysis *b = &s->grid;
    int8_t around[8];
    for (int d = 0; d < 8; d++) {
        int32_t i = k / b->w + di[d], j = k % b->w + dj[d];
        bool inside = (uint32_t)i < (uint32_t)b->h && (uint32_t)j < (uint32_t)b->w;
        around[d] = inside ? s->cells[i * b->w + j] : -1;
        s->planes[(int32_t)feature_of_run(FEATURE_RUN_DONE, d) * b->n + k] = around[d];
    }
    s->planes[FEATURE_DONE_RAREST * b->n + k] = analysis_rarest_of(b, around);
}

/* Returns whether any cell changed. */
static bool sweep(const Sweep *s, int order) {
    bool changed = false;
    for (int32_t step = 0; step < s->grid.n; step++) {
        int32_t k = cell_at(&s->grid, order, step);
        see_done(s, k);
        int8_t color = rule_color(s->rule, s->planes, s->grid.n, k);
        changed |= color != s->cells[k];
        s->cells[k] = color;
    }
    return changed;
}

Val prim_cell_sweep(Ctx *ctx, const Val *a) {
    Rule rule;
    Reason why;
    if (a[0].kind != VAL_GRID8 || !val_is_int(a[2]) || !rule_read(&rule, a[1])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[2].i < 0 || a[2].i >= ORDERS) {
        return val_fail(FAIL_RANGE);
    }
    int8_t *to = grid_buffer(ctx, a[0].n, a[0].w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    FeatureSet used = rule_features(&rule);
    Sweep s = {.rule = &rule, .cells = to};
    s.planes = features_of(ctx, a[0], &used, &why);
    if (s.planes == NULL || !analysis_of(a[0], &s.grid, &why)) {
        return val_fail(why);
    }
    memcpy(to, s.grid.c, (size_t)s.grid.n);
    bool changed = true, rounds = a[2].i == ROUNDS;
    for (int round = 0; changed && round < (rounds ? MAX_ROUNDS : 1); round++) {
        if (!ctx_charge(ctx, (uint64_t)s.grid.n)) {
            return val_fail_budget(ctx);
        }
        changed = sweep(&s, rounds ? 0 : (int)a[2].i);
        changed |= rounds && sweep(&s, 3);
    }
    ctx_release(ctx, mark);
    return rounds && changed ? val_fail(FAIL_LIMIT) : val_grid8(to, a[0].n, a[0].w);
}
