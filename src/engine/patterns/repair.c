/* Repairing patterns: which cells are unknown, which regularity holds, and what the classes say; see
 * repair.h. */
#include "engine/patterns/repair.h"

#include "base/check.h"

#include <string.h>

enum { LOOKS_PER_STEP = 32 };
/* Masks that are not a color. NONE: only cells of -1 are unknown; FOUND: hide the color for which a
 * regularity explains most; OUTSIDE: hide everything outside the bounding rectangle of the foreground. */
enum { MASK_NONE = -1, MASK_FOUND = -2, MASK_OUTSIDE = -3 };

bool pattern_charge(Ctx *ctx, Pattern *p) {
    uint64_t steps = p->looks / LOOKS_PER_STEP;
    p->looks %= LOOKS_PER_STEP;
    return ctx_charge(ctx, steps);
}

PatternCost pattern_measure(Pattern *p) {
    PatternCost cost = {0, 0};
    memset(p->counts, 0, (size_t)p->classes * sizeof *p->counts);
    for (int32_t k = 0; k < p->n; k++) {
        if (p->c[k] >= 0) {
            p->counts[p->class_of[k]][p->c[k]]++;
        }
    }
    for (int32_t x = 0; x < p->classes; x++) {
        int32_t sum = 0, most = 0;
        for (int32_t c = 0; c < N_COLORS; c++) {
            sum += p->counts[x][c];
            most = p->counts[x][c] > most ? p->counts[x][c] : most;
        }
        cost.core += sum > 0;
        cost.wrong += sum - most;
    }
    return cost;
}

/* ---- what is known ---- */

static void hide_outside(Pattern *p) {
    ColorCounts counts = {0};
    for (int32_t k = 0; k < p->n; k++) {
        if (p->c[k] >= 0) {
            counts[p->c[k]]++;
        }
    }
    int8_t background = counts[0] > 0 ? 0 : analysis_most_frequent(counts, -1);
    int32_t top = p->h, left = p->w, bottom = -1, right = -1;
    for (int32_t k = 0; k < p->n; k++) {
        if (p->c[k] >= 0 && p->c[k] != background) {
            int32_t i = k / p->w, j = k % p->w;
            top = i < top ? i : top;
            left = j < left ? j : left;
            bottom = i > bottom ? i : bottom;
            right = j > right ? j : right;
        }
    }
    for (int32_t k = 0; k < p->n; k++) {
        int32_t i = k / p->w, j = k % p->w;
        p->c[k] = i < top || i > bottom || j < left || j > right ? -1 : p->c[k];
    }
}

/* Reads a grid of colors or -1 and hides what the mask says is unknown. */
static Reason load(Pattern *p, Val grid, int64_t mask) {
    if (grid.kind != VAL_GRID8 || grid.w == 0) {
        return FAIL_TYPE;
    }
    if ((uint64_t)grid.n * grid.w > FEATURE_MAX_CELLS || grid.n > REPAIR_MAX_SIDE ||
        grid.w > REPAIR_MAX_SIDE) {
        return FAIL_LIMIT;
    }
    p->h = (int32_t)grid.n;
    p->w = grid.w;
    p->n = p->h * p->w;
    p->looks = (uint64_t)p->n;
    p->known = p->classes = p->tile_h = p->tile_w = 0;
    ColorCounts counts = {0};
    for (int32_t k = 0; k < p->n; k++) {
        if (grid.b8[k] < -1 || grid.b8[k] >= N_COLORS) {
            return FAIL_RANGE;
        }
        p->c[k] = grid.b8[k] == mask ? -1 : grid.b8[k];
    }
    if (mask == MASK_OUTSIDE) {
        hide_outside(p);
    }
    for (int32_t k = 0; k < p->n; k++) {
        p->known += p->c[k] >= 0;
        if (p->c[k] >= 0) {
            counts[p->c[k]]++;
        }
    }
    p->most = analysis_most_frequent(counts, -1);
    p->exact = p->known < p->n;
    return p->known > 0 ? FAIL_NONE : FAIL_EMPTY;
}

/* ---- regularities and what they say ---- */

static bool find_classes(Ctx *ctx, Pattern *p, int64_t family) {
    switch (family) {
    case REPAIR_TILE:
        return repair_by_tile(ctx, p);
    case REPAIR_RINGS:
        return repair_by_rings(ctx, p);
    case REPAIR_ROWS:
    case REPAIR_COLUMNS:
        return repair_by_lines(ctx, p, family == REPAIR_ROWS);
    default:
        return repair_by_regularities(ctx, p, family != REPAIR_SHIFTS, family != REPAIR_TURNS);
    }
}

/* The color of a class: the one that more than half of its known cells have; -1: none. Call after
 * pattern_measure. */
static int8_t class_color(const Pattern *p, int32_t x) {
    ASSERT(x >= 0, "class %d", x);
    int32_t best = 0, sum = 0;
    for (int32_t c = 0; c < N_COLORS; c++) {
        sum += p->counts[x][c];
        best = p->counts[x][c] > p->counts[x][best] ? c : best;
    }
    return (int8_t)(2 * p->counts[x][best] > sum ? best : -1);
}

static int32_t count_unsaid(Pattern *p) {
    int32_t unsaid = 0;
    pattern_measure(p);
    for (int32_t k = 0; k < p->n; k++) {
        unsaid += p->c[k] < 0 && class_color(p, p->class_of[k]) < 0;
    }
    return unsaid;
}

/* Tries every color as the mask. Takes the one for which the regularity says all hidden cells and the core is
 * smallest compared with the number of known cells. */
static Reason find_mask(Ctx *ctx, Pattern *p, Val grid, int64_t family, int64_t *mask) {
    int32_t most = 0;
    *mask = MASK_FOUND;
    for (int8_t c = 0; c < N_COLORS; c++) {
        Reason why = load(p, grid, c);
        if (why == FAIL_EMPTY || (why == FAIL_NONE && !p->exact)) {
            continue;
        }
        CtxMark mark = ctx_mark(ctx);
        if (why != FAIL_NONE || !find_classes(ctx, p, family)) {
            return why != FAIL_NONE ? why : (Reason)ctx->exhausted;
        }
        ctx_release(ctx, mark);
        if (p->classes > 0 && count_unsaid(p) == 0) {
            int32_t gain = p->known - pattern_measure(p).core;
            *mask = gain > most ? c : *mask;
            most = gain > most ? gain : most;
        }
    }
    return most > 0 ? FAIL_NONE : FAIL_EMPTY;
}

/* Loads a grid and finds its classes and their colors. */
static Reason solve(Ctx *ctx, Pattern *p, const Val *a) {
    int64_t mask = a[1].i;
    Reason why = FAIL_NONE;
    if (mask == MASK_FOUND) {
        why = find_mask(ctx, p, a[0], a[2].i, &mask);
    }
    why = why == FAIL_NONE ? load(p, a[0], mask) : why;
    if (why != FAIL_NONE) {
        return why;
    }
    if (!find_classes(ctx, p, a[2].i)) {
        return (Reason)ctx->exhausted;
    }
    if (p->classes == 0) {
        return FAIL_EMPTY;
    }
    pattern_measure(p);
    return pattern_charge(ctx, p) ? FAIL_NONE : (Reason)ctx->exhausted;
}

static Reason check_choices(const Val *a) {
    if (!val_is_int(a[1]) || !val_is_int(a[2])) {
        return FAIL_TYPE;
    }
    bool good = a[1].i >= MASK_OUTSIDE && a[1].i < N_COLORS && a[2].i >= 0 && a[2].i < REPAIR_FAMILIES;
    return good ? FAIL_NONE : FAIL_RANGE;
}

Val prim_pattern_repair(Ctx *ctx, const Val *a) {
    Reason why = check_choices(a);
    if (why != FAIL_NONE || a[0].kind != VAL_GRID8) {
        return val_fail(why != FAIL_NONE ? why : FAIL_TYPE);
    }
    int8_t *to = grid_buffer(ctx, a[0].n, a[0].w, &why);
    if (to == NULL) {
        return val_fail(why);
    }
    CtxMark mark = ctx_mark(ctx);
    Pattern *p = ctx_alloc(ctx, sizeof *p);
    if (p == NULL) {
        return val_fail_budget(ctx);
    }
    p->upright = false;
    why = solve(ctx, p, a);
    for (int32_t k = 0; why == FAIL_NONE && k < p->n; k++) {
        int8_t said = class_color(p, p->class_of[k]);
        to[k] = said >= 0 ? said : a[0].b8[k];
    }
    ctx_release(ctx, mark);
    return why == FAIL_NONE ? val_grid8(to, a[0].n, a[0].w) : val_fail(why);
}

Val prim_pattern_core(Ctx *ctx, const Val *a) {
    Val with[3] = {a[0], a[1], val_int(REPAIR_TILE)};
    Reason why = check_choices(with);
    CtxMark before = ctx_mark(ctx);
    Pattern *p = why == FAIL_NONE ? ctx_alloc(ctx, sizeof *p) : NULL;
    if (p == NULL) {
        return why != FAIL_NONE ? val_fail(why) : val_fail_budget(ctx);
    }
    p->upright = true;
    why = solve(ctx, p, with);
    int8_t tile[FEATURE_MAX_CELLS];
    int32_t h = p->tile_h, w = p->tile_w;
    for (int32_t x = 0; why == FAIL_NONE && x < h * w; x++) {
        tile[x] = class_color(p, x);
        why = tile[x] < 0 ? FAIL_EMPTY : FAIL_NONE;
    }
    ctx_release(ctx, before);
    int8_t *to = why == FAIL_NONE ? grid_buffer(ctx, h, w, &why) : NULL;
    if (to == NULL) {
        return val_fail(why);
    }
    memcpy(to, tile, (size_t)(h * w));
    return val_grid8(to, (uint32_t)h, (uint32_t)w);
}
