/* Rewriting: wherever a small pattern occurs in a grid, it is replaced by another one.
 *
 * Rules are tried in order, in every turn and at every place. Within a round no rule sees what another one
 * painted, unless rewriting is in place: then copies that would overlap are found once. */
#include "base/check.h"
#include "engine/features/grid_analysis.h"

#include <string.h>

enum { MAX_RULES = 8, MAX_SIDE = 9, MAX_SPOTS = MAX_SIDE * MAX_SIDE, TURNS = 8, LOOKS_PER_STEP = 16 };
enum { ANY = -1, FIRST_VARIABLE = N_COLORS, VARIABLES = 6, FIRST_KEYED = FIRST_VARIABLE + VARIABLES };
enum { MAX_ROUNDS = 64 };
enum { ONCE, AGAIN, IN_PLACE, REPEATS };

typedef struct Spot { /* a cell of a pattern that is compared or painted */
    int8_t i, j, from, to;
} Spot;

typedef struct RewriteRule {
    Spot spots[TURNS][MAX_SPOTS];
    int32_t count[TURNS], h[TURNS], w[TURNS];
    unsigned keyed; /* variables for which it paints what a legend pairs with them, bits */
} RewriteRule;

typedef struct Rewriting {
    const GridAnalysis *b;
    RewriteRule rules[MAX_RULES];
    int32_t count, turns;
    uint64_t looks;
    int8_t legend[N_COLORS]; /* of the grid that is given */
} Rewriting;

/* Turns are numbered as in stamp_turn; 0 is none. */
static Spot turn_spot(Spot s, int32_t h, int32_t w, int32_t turn) {
    ASSERT(turn >= 0 && turn < 8, "turn %d of %d x %d", turn, h, w);
    int8_t up = s.i, left = s.j, down = (int8_t)(h - 1 - s.i), right = (int8_t)(w - 1 - s.j);
    const int8_t to[TURNS][2] = {{up, left},  {left, down}, {down, right}, {right, up},
                                 {up, right}, {down, left}, {left, up},    {right, down}};
    return (Spot){to[turn][0], to[turn][1], s.from, s.to};
}

static bool is_symbol(int8_t c, bool painted) {
    return c >= ANY && c < (painted ? FIRST_KEYED + VARIABLES : FIRST_KEYED);
}

/* The variable that a symbol stands for, as a bit; 0: none. */
static unsigned variable_of(int8_t c) {
    return c >= FIRST_KEYED ? 1u << (c - FIRST_KEYED) : c >= FIRST_VARIABLE ? 1u << (c - FIRST_VARIABLE) : 0;
}

/* Reads a rule: two grids of one size; false: it is not one. Every variable that it paints must occur in its
 * pattern. */
static bool read_rule(Val v, RewriteRule *r) {
    if (!val_is_tuple(v) || val_len(v) != 2) {
        return false;
    }
    Val from = val_at(v, 0), to = val_at(v, 1);
    if (from.kind != VAL_GRID8 || to.kind != VAL_GRID8 || from.n != to.n || from.w != to.w || from.w == 0 ||
        from.n > MAX_SIDE || from.w > MAX_SIDE) {
        return false;
    }
    unsigned seen = 0, painted = 0;
    int32_t h = (int32_t)from.n, w = from.w;
    memset(r->count, 0, sizeof r->count);
    r->keyed = 0;
    for (int32_t k = 0; k < h * w; k++) {
        Spot s = {(int8_t)(k / w), (int8_t)(k % w), from.b8[k], to.b8[k]};
        if (!is_symbol(s.from, false) || !is_symbol(s.to, true)) {
            return false;
        }
        seen |= variable_of(s.from);
        painted |= variable_of(s.to);
        r->keyed |= s.to >= FIRST_KEYED ? variable_of(s.to) : 0;
        for (int32_t t = 0; t < TURNS && (s.from != ANY || s.to != ANY); t++) {
            r->spots[t][r->count[t]++] = turn_spot(s, h, w, t);
        }
    }
    for (int32_t t = 0; t < TURNS; t++) {
        bool lies = t == 1 || t == 3 || t >= 6;
        r->h[t] = lies ? w : h;
        r->w[t] = lies ? h : w;
    }
    return (painted & ~seen) == 0;
}

/* Whether a rule fits with its corner at (i, j); if so, fills in what its variables stand for. */
static bool fits(Rewriting *r, const RewriteRule *rule, int32_t turn, int32_t i, int32_t j, int8_t *bound) {
    const GridAnalysis *b = r->b;
    memset(bound, ANY, VARIABLES);
    for (int32_t x = 0; x < rule->count[turn]; x++) {
        Spot s = rule->spots[turn][x];
        int8_t c = analysis_color(b, i + s.i, j + s.j);
        r->looks++;
        if (s.from >= FIRST_VARIABLE) {
            int8_t *var = &bound[s.from - FIRST_VARIABLE];
            if (c < 0 || c == b->background || (*var != ANY && *var != c)) {
                return false;
            }
            *var = c;
        } else if (s.from != ANY && c != s.from) {
            return false;
        }
    }
    for (int32_t v = 0; v < VARIABLES && rule->keyed != 0; v++) {
        if ((rule->keyed >> v & 1) && r->legend[bound[v]] < 0) {
            return false;
        }
    }
    return true;
}

static int8_t color_of(const Rewriting *r, int8_t symbol, const int8_t *bound) {
    return symbol >= FIRST_KEYED      ? r->legend[bound[symbol - FIRST_KEYED]]
           : symbol >= FIRST_VARIABLE ? bound[symbol - FIRST_VARIABLE]
                                      : symbol;
}

static void put(const Rewriting *r, const RewriteRule *rule, int32_t turn, int32_t i, int32_t j,
                const int8_t *bound, int8_t *cells) {
    const GridAnalysis *b = r->b;
    for (int32_t x = 0; x < rule->count[turn]; x++) {
        Spot s = rule->spots[turn][x];
        if (s.to != ANY && analysis_color(b, i + s.i, j + s.j) >= 0) {
            cells[(i + s.i) * b->w + j + s.j] = color_of(r, s.to, bound);
        }
    }
}

/* One round. `cells` starts as a copy of the grid, or is the grid. */
static bool round_of(Ctx *ctx, Rewriting *r, int8_t *cells) {
    const GridAnalysis *b = r->b;
    int8_t bound[VARIABLES];
    for (int32_t x = 0; x < r->count; x++) {
        const RewriteRule *rule = &r->rules[x];
        for (int32_t t = 0; t < r->turns; t++) {
            for (int32_t i = 1 - rule->h[t]; i < b->h; i++) {
                for (int32_t j = 1 - rule->w[t]; j < b->w; j++) {
                    if (fits(r, rule, t, i, j, bound)) {
                        put(r, rule, t, i, j, bound, cells);
                    }
                }
            }
            uint64_t steps = r->looks / LOOKS_PER_STEP;
            r->looks = 0;
            if (!ctx_charge(ctx, steps)) {
                return false;
            }
        }
    }
    return true;
}

static Reason rewrite(Ctx *ctx, Rewriting *r, GridAnalysis *b, int8_t *cells, int8_t *before,
                      int64_t repeat) {
    int32_t max = repeat == AGAIN ? MAX_ROUNDS : 1;
    for (int32_t k = 0; k < max; k++) {
        memcpy(before, cells, (size_t)b->n);
        b->c = repeat == IN_PLACE ? cells : before;
        if (!round_of(ctx, r, cells)) {
            return (Reason)ctx->exhausted;
        }
        if (memcmp(before, cells, (size_t)b->n) == 0) {
            return FAIL_NONE;
        }
    }
    return repeat == AGAIN ? FAIL_LIMIT : FAIL_NONE;
}

static bool read_rules(Val rules, Rewriting *r) {
    if (!val_is_tuple(rules) || val_len(rules) == 0 || val_len(rules) > MAX_RULES) {
        return false;
    }
    for (uint32_t k = 0; k < val_len(rules); k++) {
        if (!read_rule(val_at(rules, k), &r->rules[k])) {
            return false;
        }
    }
    r->count = (int32_t)val_len(rules);
    return true;
}

Val prim_pattern_rewrite(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    if (!val_is_int(a[2]) || !val_is_int(a[3])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[2].i < 0 || a[2].i > 2 || a[3].i < 0 || a[3].i >= REPEATS) {
        return val_fail(FAIL_RANGE);
    }
    int8_t *cells = analysis_of(a[0], &b, &why) ? grid_buffer(ctx, b.h, b.w, &why) : NULL;
    if (cells == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Rewriting *r = ctx_alloc(ctx, sizeof *r);
    int8_t *before = r != NULL ? ctx_alloc(ctx, (size_t)b.n) : NULL;
    if (before == NULL) {
        return val_fail_budget(ctx);
    }
    r->b = &b;
    r->looks = 0;
    r->turns = a[2].i == 0 ? 1 : a[2].i == 1 ? 4 : TURNS;
    if (!read_rules(a[1], r)) {
        return val_fail(FAIL_TYPE);
    }
    analysis_legend(&b, r->legend);
    memcpy(cells, b.c, (size_t)b.n);
    why = rewrite(ctx, r, &b, cells, before, a[3].i);
    ctx_release(ctx, mark);
    return why == FAIL_NONE ? val_grid8(cells, (uint32_t)b.h, (uint32_t)b.w) : val_fail(why);
}
