/* The cyclic_shifts strategy: the output is the input, or the input without some lines at its
 * sides, with rows, columns or rings shifted cyclically (engine/patterns/cyclic_shift.h).
 *
 * How far is not guessed: every pair determines which numbers of steps make its output, and a
 * number that the inputs provide (cshift_numbers.h) must be among them. A pair whose colors rule a
 * shift out ends the search at once. */
#include "engine/patterns/cyclic_shift.h"
#include "engine/primitives/prim.h"
#include "search/schedule/strategies.h"
#include "search/strategies/cshift_lists.h"
#include "search/strategies/cshift_numbers.h"

#include <string.h>

enum { MAX_DROPPED = 1, MAX_FOUND = 6, MAX_STEPS = 31 };

typedef struct Cut { /* lines left out at the sides of inputs */
    int32_t top, bottom, left, right;
} Cut;

typedef struct FoundSteps { /* two numbers of steps, right and down; NULL: that way nothing moves */
    const CShiftNumber *right, *down;
    double cost;
} FoundSteps;

typedef struct CShifts {
    Search *search;
    CShiftNumbers numbers;
    bool have_numbers;
    Cut cut;
    /* by pair: whether columns moved down and rows moved right so far make the output */
    uint8_t fits[SEARCH_MAX_SAMPLES][FEATURE_MAX_CELLS];
} CShifts;

static bool cut_fits(const SearchTask *t, Cut c) {
    for (uint32_t k = 0; k < t->n_train; k++) {
        if ((int32_t)t->in[k].n - c.top - c.bottom != (int32_t)t->out[k].n ||
            t->in[k].w - c.left - c.right != t->out[k].w) {
            return false;
        }
    }
    for (uint32_t k = t->n_train; k < t->n; k++) {
        if ((int32_t)t->in[k].n <= c.top + c.bottom || t->in[k].w <= c.left + c.right) {
            return false;
        }
    }
    return true;
}

static int8_t cell(const SearchTask *t, Cut c, uint32_t pair, int32_t i, int32_t j) {
    return t->in[pair].b8[(i + c.top) * t->in[pair].w + j + c.left];
}

/* Whether input and output of each pair have as many cells of each color, and are not the same. */
static bool colors_fit(const SearchTask *t, Cut c) {
    bool same = true;
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t more[N_COLORS] = {0}, h = (int32_t)t->out[k].n, w = t->out[k].w;
        for (int32_t x = 0; x < h * w; x++) {
            int8_t from = cell(t, c, k, x / w, x % w), to = t->out[k].b8[x];
            more[from]++;
            more[to]--;
            same &= from == to;
        }
        for (int x = 0; x < N_COLORS; x++) {
            if (more[x] != 0) {
                return false;
            }
        }
    }
    return !same;
}

static bool moved_fits(const SearchTask *t, Cut c, uint32_t pair, int32_t down, int32_t right) {
    int32_t h = (int32_t)t->out[pair].n, w = t->out[pair].w;
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            if (cell(t, c, pair, i, j) != t->out[pair].b8[(i + down) % h * w + (j + right) % w]) {
                return false;
            }
        }
    }
    return true;
}

/* For each pair, all numbers of steps down and right that make the output; false: some pair has none. */
static bool find_moves(CShifts *r) {
    const SearchTask *t = r->search->task;
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t h = (int32_t)t->out[k].n, w = t->out[k].w;
        bool any = false;
        for (int32_t x = 0; x < h * w; x++) {
            r->fits[k][x] = moved_fits(t, r->cut, k, x / w, x % w);
            any |= r->fits[k][x];
        }
        if (!any || !search_spend(r->search, (uint64_t)(h * w))) {
            return false;
        }
    }
    return true;
}

static int32_t around(int32_t at, int32_t length) {
    return (at % length + length) % length;
}

static bool both_fit(const CShifts *r, const CShiftNumber *right, const CShiftNumber *down) {
    const SearchTask *t = r->search->task;
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t h = (int32_t)t->out[k].n, w = t->out[k].w;
        int32_t j = right != NULL ? around(right->value[k], w) : 0,
                i = down != NULL ? around(down->value[k], h) : 0;
        if (!r->fits[k][i * w + j]) {
            return false;
        }
    }
    return true;
}

static Ref cut_ref(Builder *b, Cut c) {
    if (c.top + c.bottom + c.left + c.right == 0) {
        return PARAM_I;
    }
    Ref less = build_const(b, val_pair32(c.top + c.bottom, c.left + c.right)), grid = PARAM_I;
    Ref size = build_call(b, P_subtract, (Ref[]){build_call(b, P_shape, &grid, 1), less}, 2);
    return build_call(b, P_crop, (Ref[]){grid, build_const(b, val_pair32(c.top, c.left)), size}, 3);
}

static Ref cshift_ref(Builder *b, Ref grid, CShiftMode mode, const CShiftNumber *steps) {
    if (steps == NULL) {
        return grid;
    }
    return build_call(b, P_grid_roll,
                      (Ref[]){grid, build_const(b, val_int((int)mode)), cshift_number_ref(b, steps)}, 3);
}

static double cut_cost(const CShifts *r) {
    return r->search->tune->cyclic_shifts_cut_cost *
           (r->cut.top + r->cut.bottom + r->cut.left + r->cut.right);
}

/* Keeps the cheapest. */
static void note(FoundSteps *found, uint32_t *n, FoundSteps more) {
    if (*n == MAX_FOUND && found[MAX_FOUND - 1].cost <= more.cost) {
        return;
    }
    uint32_t at = *n < MAX_FOUND ? (*n)++ : MAX_FOUND - 1;
    for (; at > 0 && found[at - 1].cost > more.cost; at--) {
        found[at] = found[at - 1];
    }
    found[at] = more;
}

/* Rows and columns moved around the edge, by the same number or by two. */
static void try_moves(CShifts *r) {
    Search *s = r->search;
    FoundSteps found[MAX_FOUND] = {0};
    uint32_t n = 0;
    if (!find_moves(r)) {
        return;
    }
    for (uint32_t x = 0; x <= r->numbers.count && search_spend(s, 1); x++) {
        const CShiftNumber *right = x > 0 ? &r->numbers.all[x - 1] : NULL;
        for (uint32_t y = 0; y <= r->numbers.count; y++) {
            const CShiftNumber *down = y > 0 ? &r->numbers.all[y - 1] : NULL;
            if (x + y > 0 && both_fit(r, right, down)) {
                bool alike = right != NULL && down != NULL && cshift_numbers_alike(right, down);
                double cost = (right != NULL ? right->cost : 0) + (down != NULL ? down->cost : 0) -
                              (alike ? s->tune->cyclic_shifts_alike : 0);
                note(found, &n, (FoundSteps){right, down, cost});
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        Builder *b = &s->builder;
        build_start(b);
        Ref at = cshift_ref(b, cut_ref(b, r->cut), CSHIFT_ROWS, found[k].right);
        at = cshift_ref(b, at, CSHIFT_COLUMNS, found[k].down);
        search_offer(s, search_finish(s, at), s->tune->cyclic_shifts_cost + cut_cost(r) + found[k].cost);
    }
}

static bool mode_fits(const SearchTask *t, Cut c, CShiftMode mode, int32_t steps, uint32_t pair,
                      int8_t background) {
    int32_t h0 = (int32_t)t->in[pair].n - c.top - c.bottom, w0 = t->in[pair].w - c.left - c.right, h = h0,
            w = w0;
    if (!cshift_size(mode, steps, &h, &w) || h != (int32_t)t->out[pair].n || w != t->out[pair].w) {
        return false;
    }
    for (int32_t k = 0; k < h * w; k++) {
        int32_t from = cshift_from(mode, steps, h0, w0, k / w, k % w);
        int8_t color = from >= 0 ? cell(t, c, pair, from / w0, from % w0) : background;
        if (t->out[pair].b8[k] != color) {
            return false;
        }
    }
    return true;
}

/* A way with one number of steps: bits say which ones make the output of a pair. */
static void try_mode(CShifts *r, CShiftMode mode) {
    Search *s = r->search;
    const SearchTask *t = s->task;
    uint64_t fits[SEARCH_MAX_SAMPLES] = {0};
    bool grows = mode == CSHIFT_ROWS_SHEAR || mode == CSHIFT_COLUMNS_SHEAR;
    for (uint32_t k = 0; k < t->n_train; k++) {
        GridAnalysis b;
        Reason why;
        bool good = analysis_of(t->in[k], &b, &why);
        for (int32_t steps = -MAX_STEPS; steps <= MAX_STEPS && good; steps++) {
            bool fit = mode_fits(t, r->cut, mode, steps, k, grows ? 0 : b.background);
            fits[k] |= (uint64_t)fit << (steps + MAX_STEPS);
        }
        if (fits[k] == 0 || !search_spend(s, (uint64_t)b.n)) {
            return;
        }
    }
    if (!r->have_numbers && !(r->have_numbers = cshift_numbers_find(s, &r->numbers))) {
        return;
    }
    uint32_t offers = 0;
    for (uint32_t x = 0; x < r->numbers.count && offers < MAX_FOUND; x++) {
        const CShiftNumber *n = &r->numbers.all[x];
        bool good = true;
        for (uint32_t k = 0; k < t->n_train && good; k++) {
            int32_t steps = n->value[k];
            good = steps >= -MAX_STEPS && steps <= MAX_STEPS && (fits[k] >> (steps + MAX_STEPS) & 1) != 0;
        }
        if (good) {
            Builder *b = &s->builder;
            build_start(b);
            Ref at = cshift_ref(b, cut_ref(b, r->cut), mode, n);
            double cost =
                s->tune->cyclic_shifts_cost + s->tune->cyclic_shifts_mode_cost + cut_cost(r) + n->cost;
            search_offer(s, search_finish(s, at), cost);
            offers++;
        }
    }
}

static void try_cut(CShifts *r, Cut c) {
    static const CShiftMode others[] = {CSHIFT_RINGS, CSHIFT_ROWS_SLANT, CSHIFT_COLUMNS_SLANT};
    Search *s = r->search;
    r->cut = c;
    if (!cut_fits(s->task, c)) {
        return;
    }
    if (colors_fit(s->task, c)) {
        r->have_numbers = r->have_numbers || cshift_numbers_find(s, &r->numbers);
        if (r->have_numbers) {
            try_moves(r);
        }
        for (uint32_t k = 0; k < sizeof others / sizeof others[0] && !s->slice_over; k++) {
            try_mode(r, others[k]);
        }
    }
    if (c.top + c.bottom + c.left + c.right == 0 && !s->slice_over) {
        try_mode(r, CSHIFT_ROWS_LOSE);
        try_mode(r, CSHIFT_COLUMNS_LOSE);
        cshift_try_lists(s);
    }
}

/* Whether inputs are large enough in all pairs for lines that outputs do not have. */
static bool may_cut(const SearchTask *t) {
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t h = (int32_t)t->in[k].n - (int32_t)t->out[k].n, w = t->in[k].w - t->out[k].w;
        if (h < 0 || w < 0 || h > 2 * MAX_DROPPED || w > 2 * MAX_DROPPED) {
            return false;
        }
    }
    return true;
}

static bool may_shear(const SearchTask *t, bool rows) {
    bool larger = false;
    for (uint32_t k = 0; k < t->n_train; k++) {
        int32_t h = (int32_t)t->out[k].n - (int32_t)t->in[k].n, w = t->out[k].w - t->in[k].w;
        if ((rows ? h : w) != 0 || (rows ? w : h) < 0) {
            return false;
        }
        larger |= h + w > 0;
    }
    return larger;
}

/* Colors are counted below, so every cell must hold a color. */
static bool readable(const SearchTask *t) {
    GridAnalysis b;
    Reason why;
    for (uint32_t k = 0; k < t->n; k++) {
        if (!analysis_of(t->in[k], &b, &why) || (k < t->n_train && !analysis_of(t->out[k], &b, &why))) {
            return false;
        }
    }
    return true;
}

void strategy_cyclic_shifts_run(Search *search, void *state) {
    (void)state;
    const SearchTask *t = search->task;
    if (!readable(t)) {
        return;
    }
    bool cut = may_cut(t), rows = may_shear(t, true), columns = may_shear(t, false);
    CShifts *r = cut || rows || columns ? quota_grow(&search->quota, NULL, 1, sizeof *r) : NULL;
    if (r == NULL) {
        return;
    }
    CtxMark mark = ctx_mark(search->ctx);
    r->search = search;
    r->have_numbers = false;
    r->cut = (Cut){0};
    for (int32_t k = 0; k < 16 && cut && !search->slice_over; k++) {
        try_cut(r, (Cut){k & 1, k >> 1 & 1, k >> 2 & 1, k >> 3});
    }
    r->cut = (Cut){0};
    if (rows) {
        try_mode(r, CSHIFT_ROWS_SHEAR);
    }
    if (columns) {
        try_mode(r, CSHIFT_COLUMNS_SHEAR);
    }
    ctx_release(search->ctx, mark);
    quota_free(&search->quota, r);
}
