/* Lists of steps; see cshift_lists.h. */
#include "search/strategies/cshift_lists.h"

#include "engine/patterns/cyclic_shift.h"
#include "engine/primitives/prim.h"

enum { MAX_STEPS = 31, MAX_LIST = 4, MAX_LINES = 32 };

static bool goes_by_rows(CShiftMode mode) {
    return mode == CSHIFT_ROWS || mode == CSHIFT_ROWS_LOSE;
}

/* The steps that bring a line of an input to that of the output, as bits from -MAX_STEPS on. */
static uint64_t line_fits(const SearchTask *t, CShiftMode mode, uint32_t pair, int32_t line,
                          int8_t background) {
    bool rows = goes_by_rows(mode);
    const Val in = t->in[pair], out = t->out[pair];
    int32_t h = (int32_t)in.n, w = in.w, length = rows ? w : h;
    uint64_t fits = 0;
    for (int32_t steps = -MAX_STEPS; steps <= MAX_STEPS; steps++) {
        int32_t x = 0;
        for (; x < length; x++) {
            int32_t i = rows ? line : x, j = rows ? x : line, from = cshift_from(mode, steps, h, w, i, j);
            if (out.b8[i * w + j] != (from >= 0 ? in.b8[from] : background)) {
                break;
            }
        }
        fits |= (uint64_t)(x == length) << (steps + MAX_STEPS);
    }
    return fits;
}

/* The steps nearest to 0 among bits. */
static int32_t min_steps(uint64_t fits) {
    for (int32_t k = 0; k < MAX_STEPS; k++) {
        if ((fits >> (MAX_STEPS + k) & 1) != 0) {
            return k;
        }
        if ((fits >> (MAX_STEPS - k) & 1) != 0) {
            return -k;
        }
    }
    return (fits & 1) != 0 ? -MAX_STEPS : MAX_STEPS;
}

typedef struct LineFits { /* by pair and line: steps that make the line of the output, as bits from
                             -MAX_STEPS on */
    uint64_t of[SEARCH_MAX_SAMPLES][MAX_LINES];
} LineFits;

typedef struct Turns { /* what lines that take the same number of a list agree on */
    uint64_t fits;
    uint32_t move; /* how many of them cannot stay as they are */
} Turns;

/* Lines take the numbers of a list in turn, counted from the first line or from the last. */
static void try_list(Search *s, const LineFits *known, CShiftMode mode, uint32_t length, bool last) {
    const SearchTask *t = s->task;
    bool rows = goes_by_rows(mode);
    Turns turns[MAX_LIST];
    Val steps[MAX_LIST];
    for (uint32_t k = 0; k < length; k++) {
        turns[k] = (Turns){~(uint64_t)0, 0};
    }
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t lines = rows ? (int32_t)t->in[k].n : t->in[k].w;
        for (int32_t line = 0; line < lines; line++) {
            Turns *turn = &turns[(uint32_t)(last ? lines - 1 - line : line) % length];
            uint64_t fits = known->of[k][line];
            turn->fits &= fits;
            turn->move += (fits >> MAX_STEPS & 1) == 0;
            if (turn->fits == 0) {
                return;
            }
        }
    }
    double cost =
        s->tune->cyclic_shifts_cost + s->tune->cyclic_shifts_mode_cost + 2 * length + (last ? 2 : 0);
    bool alike = true;
    for (uint32_t k = 0; k < length; k++) {
        if (turns[k].move == 1) { /* one line alone does not speak for a number */
            return;
        }
        steps[k] = val_int(min_steps(turns[k].fits));
        alike &= steps[k].i == steps[0].i;
    }
    Val list = alike ? val_fail(FAIL_EMPTY) : val_tuple(s->ctx, steps, length);
    if (val_failed(list)) {
        return;
    }
    Builder *b = &s->builder;
    build_start(b);
    Ref at = PARAM_I;
    at = last ? build_call(b, rows ? P_hmirror : P_vmirror, &at, 1) : at;
    at = build_call(b, P_grid_roll, (Ref[]){at, build_const(b, val_int((int)mode)), build_const(b, list)}, 3);
    at = last ? build_call(b, rows ? P_hmirror : P_vmirror, &at, 1) : at;
    search_offer(s, search_finish(s, at), cost);
}

static void try_lists(Search *s, CShiftMode mode) {
    LineFits known;
    const SearchTask *t = s->task;
    bool rows = goes_by_rows(mode);
    for (uint32_t k = 0; k < t->n_train; k++) {
        GridAnalysis b;
        Reason why;
        if (!analysis_of(t->in[k], &b, &why) || !search_spend(s, (uint64_t)b.n)) {
            return;
        }
        int32_t lines = rows ? b.h : b.w;
        for (int32_t line = 0; line < lines; line++) {
            uint64_t fits = lines <= MAX_LINES ? line_fits(t, mode, k, line, b.background) : 0;
            if (fits == 0) {
                return;
            }
            known.of[k][line] = fits;
        }
    }
    for (uint32_t length = 2; length <= MAX_LIST && !s->slice_over; length++) {
        try_list(s, &known, mode, length, false);
        try_list(s, &known, mode, length, true);
    }
}

void cshift_try_lists(Search *s) {
    static const CShiftMode modes[] = {CSHIFT_ROWS, CSHIFT_COLUMNS, CSHIFT_ROWS_LOSE, CSHIFT_COLUMNS_LOSE};
    for (uint32_t k = 0; k < sizeof modes / sizeof modes[0] && !s->slice_over; k++) {
        try_lists(s, modes[k]);
    }
}
