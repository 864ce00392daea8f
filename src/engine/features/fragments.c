/* Echoes: where a grid shows some cells of a pattern that stands elsewhere as a whole, the rest is added.
 *
 * Every way to lay a pattern over a fragment is encoded as a number, ordered by preference, so a priority
 * queue of numbers is all that is kept. The few placements that are taken off the queue are measured
 * again. */
#include "engine/features/grid_analysis.h"

#include <string.h>

enum { MAX_PATTERNS = 8, MAX_SPOTS = 256, SCALES = 4, TURNS = 8 };
enum { MAX_PLACEMENTS = 4096, MAX_LOOKS = 1 << 19 }; /* more are noise */
enum { LOOKS_PER_STEP = 16 };

typedef struct FragmentSpot {
    int16_t i, j;
    int8_t color;
} FragmentSpot;

/* A multicolor component with two or more colors; its spots lie color by color. */
typedef struct FragmentPattern {
    int32_t mcomp, size, h, w;
    int8_t main;
    bool placed;
    int16_t start[N_COLORS + 1]; /* of the spots of a color */
    FragmentSpot spots[MAX_SPOTS];
} FragmentPattern;

/* A completed multicolor component can no longer serve as a pattern, nor a copied one as a fragment. */
typedef enum McompState { MCOMP_FREE, MCOMP_COMPLETED, MCOMP_COPIED } McompState;

typedef struct Mcomp {
    int32_t size, covered; /* covered: scratch while a placement is measured, otherwise 0 */
    int16_t colors;        /* bit set */
    McompState state;
} Mcomp;

typedef struct Echo {
    const GridAnalysis *grid;
    int32_t mcomp_count, pattern_count, heap_count, touched_count;
    int64_t looks;
    int16_t label[FEATURE_MAX_CELLS];    /* the multicolor component of a cell, -1: background */
    int16_t by_color[FEATURE_MAX_CELLS]; /* cells that are not background, color by color */
    int16_t color_start[N_COLORS + 1];
    Mcomp mcomps[FEATURE_MAX_CELLS];
    int16_t touched[FEATURE_MAX_CELLS]; /* multicolor components that the current placement covers, wholly or
                                           in part */
    FragmentPattern patterns[MAX_PATTERNS];
    int8_t pictures[TURNS][FEATURE_MAX_CELLS];
    FragmentSpot turned[MAX_SPOTS]; /* the spots of the current pattern in the current turn */
    uint64_t heap[MAX_PLACEMENTS];
} Echo;

typedef struct Placement {
    int32_t pattern, turn, scale, i, j; /* i, j: upper left corner, possibly outside the grid */
    int32_t matched, outside;           /* spots; cells */
    int8_t main;                        /* what becomes of the main color */
} Placement;

/* ---- multicolor components and patterns ---- */

static void find_mcomps(Echo *e) {
    const GridAnalysis *b = e->grid;
    e->mcomp_count = analysis_label(b, true, e->label);
    memset(e->mcomps, 0, (size_t)e->mcomp_count * sizeof *e->mcomps);
    for (int32_t k = 0; k < b->n; k++) {
        if (e->label[k] >= 0) {
            Mcomp *mcomp = &e->mcomps[e->label[k]];
            mcomp->size++;
            mcomp->colors = (int16_t)(mcomp->colors | 1 << b->c[k]);
        }
    }
}

static void sort_cells(Echo *e) {
    const GridAnalysis *b = e->grid;
    int16_t n = 0;
    for (int8_t c = 0; c < N_COLORS; c++) {
        e->color_start[c] = n;
        for (int32_t k = 0; k < b->n && c != b->background; k++) {
            if (b->c[k] == c) {
                e->by_color[n++] = (int16_t)k;
            }
        }
    }
    e->color_start[N_COLORS] = n;
}

/* Keeps the largest multicolor components with two or more colors, in order of size; ties go to the earlier
 * one. */
static void choose_patterns(Echo *e) {
    for (int32_t mcomp = 0; mcomp < e->mcomp_count; mcomp++) {
        const Mcomp *made = &e->mcomps[mcomp];
        if ((made->colors & (made->colors - 1)) == 0 || made->size > MAX_SPOTS) {
            continue;
        }
        int32_t at = e->pattern_count;
        while (at > 0 && e->patterns[at - 1].size < made->size) {
            at--;
        }
        e->pattern_count += e->pattern_count < MAX_PATTERNS;
        for (int32_t p = e->pattern_count - 1; p > at; p--) {
            e->patterns[p].mcomp = e->patterns[p - 1].mcomp;
            e->patterns[p].size = e->patterns[p - 1].size;
        }
        if (at < e->pattern_count) {
            e->patterns[at].mcomp = mcomp;
            e->patterns[at].size = made->size;
        }
    }
}

/* Collects the spots of a pattern, relative to its upper left corner. */
static void lift_pattern(const Echo *e, FragmentPattern *p) {
    const GridAnalysis *b = e->grid;
    int32_t top = b->h, left = b->w, bottom = 0, right = 0, n = 0;
    ColorCounts counts = {0};
    for (int8_t c = 0; c < N_COLORS; c++) {
        p->start[c] = (int16_t)n;
        for (int32_t x = e->color_start[c]; x < e->color_start[c + 1]; x++) {
            int32_t k = e->by_color[x], i = k / b->w, j = k % b->w;
            if (e->label[k] == p->mcomp) {
                p->spots[n++] = (FragmentSpot){(int16_t)i, (int16_t)j, c};
                top = i < top ? i : top;
                left = j < left ? j : left;
                bottom = i > bottom ? i : bottom;
                right = j > right ? j : right;
                counts[c]++;
            }
        }
    }
    p->start[N_COLORS] = (int16_t)n;
    for (int32_t x = 0; x < n; x++) {
        p->spots[x].i = (int16_t)(p->spots[x].i - top);
        p->spots[x].j = (int16_t)(p->spots[x].j - left);
    }
    p->h = bottom - top + 1;
    p->w = right - left + 1;
    p->main = analysis_most_frequent(counts, -1);
    p->placed = false;
}

/* Turns are numbered as in stamp_turn. */
static FragmentSpot turn_spot(const FragmentPattern *p, FragmentSpot s, int32_t turn) {
    int16_t up = s.i, left = s.j, down = (int16_t)(p->h - 1 - s.i), right = (int16_t)(p->w - 1 - s.j);
    const int16_t to[TURNS][2] = {{up, left},  {left, down}, {down, right}, {right, up},
                                  {up, right}, {down, left}, {left, up},    {right, down}};
    return (FragmentSpot){to[turn][0], to[turn][1], s.color};
}

static void turn_pattern(Echo *e, const FragmentPattern *p, int32_t turn) {
    for (int32_t x = 0; x < p->size; x++) {
        e->turned[x] = turn_spot(p, p->spots[x], turn);
    }
}

static bool turn_lies_down(int32_t turn) {
    return turn == 1 || turn == 3 || turn >= 6;
}

/* Whether an earlier turn gives the same picture. Must be called for turns in ascending order. */
static bool turn_seen(Echo *e, const FragmentPattern *p, int32_t turn) {
    int32_t w = turn_lies_down(turn) ? p->h : p->w;
    size_t n = (size_t)(p->h * p->w);
    memset(e->pictures[turn], e->grid->background, n);
    for (int32_t x = 0; x < p->size; x++) {
        e->pictures[turn][e->turned[x].i * w + e->turned[x].j] = e->turned[x].color;
    }
    for (int32_t t = 0; t < turn; t++) {
        bool same_shape = p->h == p->w || turn_lies_down(t) == turn_lies_down(turn);
        if (same_shape && memcmp(e->pictures[t], e->pictures[turn], n) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- placements ---- */

/* The smallest key is best: fields from the most to the least important. The main color is not encoded, as it
 * follows from the grid. */
static uint64_t placement_key(const Placement *at, bool recolored) {
    uint64_t key = (uint64_t)(MAX_SPOTS - at->matched);
    key = key << 1 | recolored;
    key = key << 13 | (uint64_t)at->outside;
    key = key << 3 | (uint64_t)at->pattern;
    key = key << 2 | (uint64_t)(at->scale - 1);
    key = key << 3 | (uint64_t)at->turn;
    key = key << 13 | (uint64_t)(at->i + SCALES * FEATURE_MAX_CELLS);
    return key << 13 | (uint64_t)(at->j + SCALES * FEATURE_MAX_CELLS);
}

static Placement key_placement(uint64_t key) {
    return (Placement){
        .j = (int32_t)(key & 0x1fff) - SCALES * FEATURE_MAX_CELLS,
        .i = (int32_t)(key >> 13 & 0x1fff) - SCALES * FEATURE_MAX_CELLS,
        .turn = key >> 26 & 7,
        .scale = (int32_t)(key >> 29 & 3) + 1,
        .pattern = key >> 31 & 7,
    };
}

/* Whether all spots of a color lie on cells of that color. It rarely holds, so it is tested first. */
static bool class_matches(Echo *e, const Placement *at, int8_t color) {
    const FragmentPattern *p = &e->patterns[at->pattern];
    const GridAnalysis *b = e->grid;
    int32_t s = at->scale;
    for (int32_t x = p->start[color]; x < p->start[color + 1]; x++) {
        int32_t i = at->i + e->turned[x].i * s, j = at->j + e->turned[x].j * s;
        e->looks++;
        if (i < 0 || j < 0 || i + s > b->h || j + s > b->w) {
            return false;
        }
        for (int32_t y = 0; y < s; y++) {
            for (int32_t k = (i + y) * b->w + j, end = k + s; k < end; k++) {
                if (b->c[k] != color) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* The y-th cell of the grid under a spot; -1: outside. */
static int32_t cell_under(const GridAnalysis *b, const Placement *at, FragmentSpot spot, int32_t y) {
    int32_t s = at->scale, i = at->i + spot.i * s + y / s, j = at->j + spot.j * s + y % s;
    return (uint32_t)i < (uint32_t)b->h && (uint32_t)j < (uint32_t)b->w ? i * b->w + j : -1;
}

static int8_t placed_color(const FragmentPattern *p, const Placement *at, FragmentSpot spot) {
    return spot.color == p->main ? at->main : spot.color;
}

static void cover(Echo *e, int32_t mcomp) {
    if (e->mcomps[mcomp].covered++ == 0) {
        e->touched[e->touched_count++] = (int16_t)mcomp;
    }
}

/* What the pattern's main color becomes, given the first colored cell that it covers. */
static int8_t main_becomes(const Echo *e, const FragmentPattern *p, int8_t color) {
    bool of_pattern = (e->mcomps[p->mcomp].colors >> color & 1) != 0;
    return of_pattern ? p->main : color;
}

/* Compares a spot with the cells under it; false: they do not fit. */
static bool meet(Echo *e, const FragmentPattern *p, Placement *at, FragmentSpot spot, int32_t *background) {
    const GridAnalysis *b = e->grid;
    int32_t cells = at->scale * at->scale, colored = 0, bare = 0;
    e->looks += cells;
    for (int32_t y = 0; y < cells; y++) {
        int32_t k = cell_under(b, at, spot, y);
        if (k < 0 || b->c[k] == b->background) {
            at->outside += k < 0;
            bare += k >= 0;
            continue;
        }
        if (spot.color == p->main && at->main < 0) {
            at->main = main_becomes(e, p, b->c[k]);
        }
        if (b->c[k] != placed_color(p, at, spot) || e->label[k] == p->mcomp) {
            return false;
        }
        cover(e, e->label[k]);
        colored++;
    }
    at->matched += colored > 0;
    *background += bare;
    return bare == 0 || colored == 0;
}

/* Forgets what was covered; false: a multicolor component was covered in part. */
static bool uncover(Echo *e) {
    bool whole = true;
    while (e->touched_count > 0) {
        Mcomp *mcomp = &e->mcomps[e->touched[--e->touched_count]];
        whole &= mcomp->covered == mcomp->size;
        mcomp->covered = 0;
    }
    return whole;
}

/* Fills in what a placement matches; false: it clashes, covers a multicolor component in part, or has nothing
 * to add. */
static bool measure(Echo *e, Placement *at) {
    const FragmentPattern *p = &e->patterns[at->pattern];
    int32_t background = 0;
    bool good = true;
    at->main = -1;
    at->matched = at->outside = 0;
    for (int32_t x = 0; x < p->size && good; x++) {
        good = meet(e, p, at, e->turned[x], &background);
    }
    at->main = at->main < 0 ? p->main : at->main;
    return uncover(e) && good && background > 0;
}

/* ---- the heap of placements ---- */

static bool heap_push(Echo *e, uint64_t key) {
    if (e->heap_count == MAX_PLACEMENTS) {
        return false;
    }
    int32_t at = e->heap_count++;
    while (at > 0 && e->heap[(at - 1) / 2] > key) {
        e->heap[at] = e->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    e->heap[at] = key;
    return true;
}

static uint64_t heap_pop(Echo *e) {
    uint64_t min = e->heap[0], last = e->heap[--e->heap_count];
    int32_t at = 0, below = 1;
    while (below < e->heap_count) {
        below += below + 1 < e->heap_count && e->heap[below + 1] < e->heap[below];
        if (e->heap[below] >= last) {
            break;
        }
        e->heap[at] = e->heap[below];
        at = below;
        below = 2 * at + 1;
    }
    e->heap[at] = last;
    return min;
}

/* Tries the pattern with its first spot of a color on every cell of that color; false: too many
 * placements. */
static bool try_color(Echo *e, int32_t pattern, int32_t turn, int32_t scale, int8_t color) {
    const FragmentPattern *p = &e->patterns[pattern];
    FragmentSpot first = e->turned[p->start[color]];
    for (int32_t x = e->color_start[color]; x < e->color_start[color + 1]; x++) {
        int32_t k = e->by_color[x], mcomp = e->label[k];
        Placement at = {
            pattern, turn, scale, k / e->grid->w - first.i * scale, k % e->grid->w - first.j * scale,
            0,       0,    -1};
        if (e->looks++ > MAX_LOOKS) {
            return false;
        }
        bool hopeless = mcomp == p->mcomp || e->mcomps[mcomp].size > p->size * scale * scale;
        if (hopeless || !class_matches(e, &at, color) || !measure(e, &at)) {
            continue;
        }
        if (!heap_push(e, placement_key(&at, at.main != p->main))) {
            return false;
        }
    }
    return true;
}

static bool try_turn(Echo *e, int32_t pattern, int32_t turn) {
    const FragmentPattern *p = &e->patterns[pattern];
    for (int32_t scale = 1; scale <= SCALES; scale++) {
        for (int8_t color = 0; color < N_COLORS; color++) {
            if (p->start[color] < p->start[color + 1] && !try_color(e, pattern, turn, scale, color)) {
                return false;
            }
        }
    }
    return true;
}

static Reason try_patterns(Ctx *ctx, Echo *e) {
    for (int32_t pattern = 0; pattern < e->pattern_count; pattern++) {
        for (int32_t turn = 0; turn < TURNS; turn++) {
            int64_t before = e->looks;
            turn_pattern(e, &e->patterns[pattern], turn);
            e->looks += e->patterns[pattern].size;
            bool few = turn_seen(e, &e->patterns[pattern], turn) || try_turn(e, pattern, turn);
            if (!ctx_charge(ctx, (uint64_t)(e->looks - before) / LOOKS_PER_STEP)) {
                return (Reason)ctx->exhausted;
            }
            if (!few) {
                return FAIL_LIMIT;
            }
        }
    }
    return FAIL_NONE;
}

/* ---- painting ---- */

/* Whether no earlier placement has completed its fragments or painted another color where it lies. */
static bool still_free(const Echo *e, const Placement *at, const int8_t *cells) {
    const FragmentPattern *p = &e->patterns[at->pattern];
    const GridAnalysis *b = e->grid;
    for (int32_t x = 0; x < p->size; x++) {
        int8_t color = placed_color(p, at, e->turned[x]);
        for (int32_t y = 0; y < at->scale * at->scale; y++) {
            int32_t k = cell_under(b, at, e->turned[x], y);
            bool taken = k >= 0 && e->label[k] >= 0 && e->mcomps[e->label[k]].state != MCOMP_FREE;
            if (taken || (k >= 0 && cells[k] != b->background && cells[k] != color)) {
                return false;
            }
        }
    }
    return true;
}

static void paint(Echo *e, const Placement *at, int8_t *cells) {
    FragmentPattern *p = &e->patterns[at->pattern];
    for (int32_t x = 0; x < p->size; x++) {
        for (int32_t y = 0; y < at->scale * at->scale; y++) {
            int32_t k = cell_under(e->grid, at, e->turned[x], y);
            if (k >= 0) {
                cells[k] = placed_color(p, at, e->turned[x]);
            }
            if (k >= 0 && e->label[k] >= 0) {
                e->mcomps[e->label[k]].state = MCOMP_COMPLETED;
            }
        }
    }
    e->mcomps[p->mcomp].state = MCOMP_COPIED;
    p->placed = true;
}

/* Carries out the placements that are still free, the best first. */
static Reason complete(Ctx *ctx, Echo *e, int8_t *cells) {
    while (e->heap_count > 0) {
        Placement at = key_placement(heap_pop(e));
        const FragmentPattern *p = &e->patterns[at.pattern];
        if (e->mcomps[p->mcomp].state == MCOMP_COMPLETED) {
            continue;
        }
        int64_t before = e->looks;
        turn_pattern(e, p, at.turn);
        measure(e, &at);
        if (still_free(e, &at, cells)) {
            paint(e, &at, cells);
        }
        if (!ctx_charge(ctx, 1 + (uint64_t)(e->looks - before) / LOOKS_PER_STEP)) {
            return (Reason)ctx->exhausted;
        }
        if (e->looks > MAX_LOOKS) {
            return FAIL_LIMIT;
        }
    }
    return FAIL_NONE;
}

static void erase_placed(const Echo *e, int8_t *cells) {
    for (int32_t p = 0; p < e->pattern_count; p++) {
        for (int32_t k = 0; k < e->grid->n && e->patterns[p].placed; k++) {
            cells[k] = e->label[k] == e->patterns[p].mcomp ? e->grid->background : cells[k];
        }
    }
}

/* Paints the cells and returns FAIL_NONE, or the reason why not. */
static Reason echo(Ctx *ctx, Echo *e, int8_t *cells, bool erase) {
    find_mcomps(e);
    choose_patterns(e);
    if (e->pattern_count == 0) {
        return FAIL_EMPTY;
    }
    sort_cells(e);
    for (int32_t p = 0; p < e->pattern_count; p++) {
        lift_pattern(e, &e->patterns[p]);
    }
    Reason why = try_patterns(ctx, e);
    if (why != FAIL_NONE || e->heap_count == 0) {
        return why != FAIL_NONE ? why : FAIL_EMPTY;
    }
    memcpy(cells, e->grid->c, (size_t)e->grid->n);
    why = complete(ctx, e, cells);
    if (why == FAIL_NONE && erase) {
        erase_placed(e, cells);
    }
    return why;
}

Val prim_pattern_echo(Ctx *ctx, const Val *a) {
    GridAnalysis b;
    Reason why;
    if (!val_is_int(a[1])) {
        return val_fail(FAIL_TYPE);
    }
    if (a[1].i < 0 || a[1].i > 1) {
        return val_fail(FAIL_RANGE);
    }
    if (!analysis_of(a[0], &b, &why)) {
        return val_fail(why);
    }
    CtxMark before = ctx_mark(ctx);
    int8_t *cells = grid_buffer(ctx, b.h, b.w, &why);
    if (cells == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Echo *e = ctx_charge(ctx, (uint64_t)b.n) ? ctx_alloc(ctx, sizeof *e) : NULL;
    if (e == NULL) {
        return val_fail_budget(ctx);
    }
    e->grid = &b;
    e->pattern_count = e->heap_count = e->touched_count = 0;
    e->looks = 0;
    why = echo(ctx, e, cells, a[1].i == 1);
    ctx_release(ctx, why == FAIL_NONE ? mark : before);
    return why == FAIL_NONE ? val_grid8(cells, (uint32_t)b.h, (uint32_t)b.w) : val_fail(why);
}
