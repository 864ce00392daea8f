/* Regularities that carry a grid into itself: every mirror, turn and shift, wherever its axis, center or
 * offset; see repair.h.
 *
 * A regularity sends (i, j) to (a, b) plus or minus (i, j) or (j, i), so there are eight kinds, each with any
 * a and b that leave enough of the grid inside. Nearly all are refuted by the first cells looked at. Those
 * that hold are combined, the best supported first, as long as the core shrinks by more than the new errors
 * cost. */
#include "base/check.h"
#include "engine/patterns/repair.h"

#include <string.h>

enum { KINDS = 8, FLIP_I = 1, FLIP_J = 2, SWAP = 4 };
enum { SIDE = REPAIR_MAX_SIDE, PLANES = 6, KNOWN = 4, OTHER = 5, LOOKS_PER_LINE = 8 };
enum { MAX_REGULARITIES = 48, MIN_AGREE = 8, MIN_SHARE = 6, NOISE_SHARE = 8 };

typedef struct Regularity {
    int32_t kind, a, b;
    int32_t agree, wrong; /* pairs of known cells; agree ignores the most frequent color */
} Regularity;

typedef struct Regularities {
    Regularity best[MAX_REGULARITIES];
    int32_t count;
    /* Lines as bit sets: rows, then columns; as they are, then reversed. The planes are the bits of the
     * color, whether it is known, and whether it is known and not the most frequent one. */
    uint64_t lines[2][2][SIDE][PLANES];
    int16_t parent[FEATURE_MAX_CELLS];
    int16_t before[FEATURE_MAX_CELLS];
} Regularities;

/* The range from..to of those x in 0..n-1 for which 0 <= base +- x < end. */
static void range_inside(int32_t base, bool flip, int32_t n, int32_t end, int32_t *from, int32_t *to) {
    int32_t low = flip ? base - end + 1 : -base, high = flip ? base + 1 : end - base;
    *from = low > 0 ? low : 0;
    *to = high < n ? high : n;
}

/* The image of a cell, which must lie inside the grid. */
static int32_t image_of(const Pattern *p, const Regularity *regularity, int32_t i, int32_t j) {
    int32_t x = regularity->kind & SWAP ? j : i, y = regularity->kind & SWAP ? i : j;
    int32_t to_i = regularity->a + (regularity->kind & FLIP_I ? -x : x),
            to_j = regularity->b + (regularity->kind & FLIP_J ? -y : y);
    return to_i * p->w + to_j;
}

typedef struct Span { /* cells whose image is inside */
    int32_t i0, i1, j0, j1;
} Span;

static Span span_of(const Pattern *p, const Regularity *regularity) {
    Span s;
    if (regularity->kind & SWAP) {
        range_inside(regularity->a, regularity->kind & FLIP_I, p->w, p->h, &s.j0, &s.j1);
        range_inside(regularity->b, regularity->kind & FLIP_J, p->h, p->w, &s.i0, &s.i1);
    } else {
        range_inside(regularity->a, regularity->kind & FLIP_I, p->h, p->h, &s.i0, &s.i1);
        range_inside(regularity->b, regularity->kind & FLIP_J, p->w, p->w, &s.j0, &s.j1);
    }
    return s;
}

/* The first n bits of a line in reverse order. */
static uint64_t reversed(uint64_t line, int32_t n) {
    ASSERT(n >= 1 && n <= 64, "a line of %d cells", n);
    uint64_t to = 0;
    for (int32_t x = 0; x < n; x++) {
        to |= (line >> x & 1) << (n - 1 - x);
    }
    return to;
}

static void fill_lines(const Pattern *p, Regularities *regularities) {
    memset(regularities->lines, 0, sizeof regularities->lines);
    for (int32_t k = 0; k < p->n; k++) {
        int32_t i = k / p->w, j = k % p->w, c = p->c[k];
        for (int32_t plane = 0; plane < PLANES && c >= 0; plane++) {
            bool has = plane == KNOWN ? true : plane == OTHER ? c != p->most : c >> plane & 1;
            regularities->lines[0][0][i][plane] |= (uint64_t)has << j;
            regularities->lines[1][0][j][plane] |= (uint64_t)has << i;
        }
    }
    for (int32_t swap = 0; swap < 2; swap++) {
        for (int32_t x = 0; x < (swap ? p->w : p->h); x++) {
            for (int32_t plane = 0; plane < PLANES; plane++) {
                regularities->lines[swap][1][x][plane] =
                    reversed(regularities->lines[swap][0][x][plane], swap ? p->h : p->w);
            }
        }
    }
}

static uint64_t shifted(uint64_t line, int32_t by) {
    return by >= 0 ? line << by : line >> -by;
}

/* The cells of row i that are their own images, as bits; x is the source line that is mapped onto row i. */
static uint64_t own_image(const Regularity *regularity, int32_t i, int32_t x) {
    bool flip = regularity->kind & FLIP_J;
    if (regularity->kind & SWAP) {
        return regularity->b + (flip ? -i : i) == x ? (uint64_t)1 << x : 0;
    }
    if (i != x || (!flip && regularity->b != 0)) {
        return 0;
    }
    return !flip ? UINT64_MAX : regularity->b % 2 == 0 ? (uint64_t)1 << regularity->b / 2 : 0;
}

/* Counts how well a regularity holds; false: it does not, or too little of the grid supports it. */
static bool regularity_holds(Pattern *p, const Regularities *regularities, Regularity *regularity) {
    Span s = span_of(p, regularity);
    int32_t cells = (s.i1 - s.i0) * (s.j1 - s.j0);
    if (s.i1 <= s.i0 || s.j1 <= s.j0 || cells * MIN_SHARE < p->known) {
        return false;
    }
    bool swap = regularity->kind & SWAP, flip = regularity->kind & FLIP_J;
    int32_t max_wrong = p->exact ? 0 : cells / NOISE_SHARE, compared = 0;
    int32_t x0 = swap ? s.j0 : s.i0, x1 = swap ? s.j1 : s.i1, length = swap ? p->h : p->w;
    int32_t by = flip ? regularity->b - length + 1 : regularity->b;
    uint64_t inside = p->w == SIDE ? UINT64_MAX : ((uint64_t)1 << p->w) - 1;
    regularity->agree = regularity->wrong = 0;
    for (int32_t x = x0; x < x1; x++) {
        int32_t i = regularity->a + (regularity->kind & FLIP_I ? -x : x);
        const uint64_t *from = regularities->lines[swap][flip][x], *to = regularities->lines[0][0][i];
        uint64_t both = shifted(from[KNOWN], by) & to[KNOWN] & inside & ~own_image(regularity, i, x),
                 differ = 0;
        for (int32_t plane = 0; plane < KNOWN; plane++) {
            differ |= shifted(from[plane], by) ^ to[plane];
        }
        compared += __builtin_popcountll(both);
        regularity->wrong += __builtin_popcountll(both & differ);
        regularity->agree += __builtin_popcountll(both & ~differ & to[OTHER]);
        p->looks += LOOKS_PER_LINE;
        if (regularity->wrong > max_wrong) {
            return false;
        }
    }
    return regularity->agree >= MIN_AGREE && compared * MIN_SHARE >= p->known &&
           regularity->wrong * NOISE_SHARE <= compared;
}

static int32_t regularity_weight(const Regularity *regularity) {
    return regularity->agree - WRONG_COUNTS * regularity->wrong;
}

/* Inserts a regularity among the best ones; ties keep the earlier one first. */
static void keep_regularity(Regularities *regularities, const Regularity *regularity) {
    int32_t at = regularities->count;
    while (at > 0 && regularity_weight(&regularities->best[at - 1]) < regularity_weight(regularity)) {
        at--;
    }
    if (at == MAX_REGULARITIES) {
        return;
    }
    regularities->count += regularities->count < MAX_REGULARITIES;
    memmove(&regularities->best[at + 1], &regularities->best[at],
            (size_t)(regularities->count - 1 - at) * sizeof *regularity);
    regularities->best[at] = *regularity;
}

/* Tries all kinds of regularities at all offsets that leave anything inside the grid. */
static bool find_regularities(Ctx *ctx, Pattern *p, Regularities *regularities, bool turns, bool shifts) {
    for (int32_t kind = 0; kind < KINDS; kind++) {
        if (kind == 0 ? !shifts : !turns) {
            continue;
        }
        int32_t from_h = kind & SWAP ? p->w : p->h, from_w = kind & SWAP ? p->h : p->w;
        int32_t a0 = kind & FLIP_I ? 0 : 1 - from_h, b0 = kind & FLIP_J ? 0 : 1 - from_w;
        for (int32_t a = kind == 0 ? 0 : a0; a < a0 + from_h + p->h - 1; a++) {
            for (int32_t b = b0; b < b0 + from_w + p->w - 1; b++) {
                Regularity regularity = {kind, a, b, 0, 0};
                bool back = kind == 0 && a == 0 && b <= 0; /* a shift and its opposite are one regularity */
                if (!back && regularity_holds(p, regularities, &regularity)) {
                    keep_regularity(regularities, &regularity);
                }
            }
            if (!pattern_charge(ctx, p)) {
                return false;
            }
        }
    }
    return true;
}

static int16_t root_of(int16_t *parent, int16_t k) {
    ASSERT(k >= 0, "cell %d", k);
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

static void join(const Pattern *p, Regularities *regularities, const Regularity *regularity) {
    Span s = span_of(p, regularity);
    for (int32_t i = s.i0; i < s.i1; i++) {
        for (int32_t j = s.j0; j < s.j1; j++) {
            int16_t x = root_of(regularities->parent, (int16_t)(i * p->w + j));
            int16_t y = root_of(regularities->parent, (int16_t)image_of(p, regularity, i, j));
            regularities->parent[x > y ? x : y] = x > y ? y : x;
        }
    }
}

/* Makes classes of the joined cells and measures them. */
static PatternCost measure_joined(Pattern *p, Regularities *regularities) {
    for (int32_t k = 0; k < p->n; k++) {
        p->class_of[k] = root_of(regularities->parent, (int16_t)k);
    }
    p->classes = p->n;
    return pattern_measure(p);
}

static int32_t price(PatternCost cost) {
    return cost.core + WRONG_COUNTS * cost.wrong;
}

bool repair_by_regularities(Ctx *ctx, Pattern *p, bool turns, bool shifts) {
    Regularities *regularities = ctx_alloc(ctx, sizeof *regularities);
    if (regularities == NULL) {
        return false;
    }
    regularities->count = 0;
    fill_lines(p, regularities);
    if (!find_regularities(ctx, p, regularities, turns, shifts)) {
        return false;
    }
    for (int32_t k = 0; k < p->n; k++) {
        regularities->parent[k] = (int16_t)k;
    }
    PatternCost best = {p->known, 0};
    size_t bytes = (size_t)p->n * sizeof *regularities->parent;
    for (int32_t x = 0; x < regularities->count; x++) {
        memcpy(regularities->before, regularities->parent, bytes);
        join(p, regularities, &regularities->best[x]);
        PatternCost cost = measure_joined(p, regularities);
        if ((p->exact && cost.wrong > 0) || price(cost) > price(best)) {
            memcpy(regularities->parent, regularities->before, bytes);
        } else {
            best = cost;
        }
        p->looks += (uint64_t)p->n * 2;
        if (!pattern_charge(ctx, p)) {
            return false;
        }
    }
    measure_joined(p, regularities);
    p->classes = regularities->count > 0 && price(best) < p->known ? p->n : 0;
    return true;
}
