/* Special kinds of cores: tiles, rings, and lines with periods; see repair.h.
 *
 * If cells are unknown, the smallest core is taken that contradicts no known cell and determines all unknown
 * ones; otherwise the one with the lowest cost of core and errors together. Ties go to the one tried
 * first. */
#include "engine/patterns/repair.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TILE = 128, MAX_MODULUS = 8 };

/* Whether the classes determine all cells and contradict no known one. */
static bool says_all(Pattern *p, int32_t classes) {
    int8_t said[FEATURE_MAX_CELLS];
    memset(said, -1, (size_t)classes);
    for (int32_t k = 0; k < p->n; k++) {
        int8_t *at = &said[p->class_of[k]];
        if (p->c[k] >= 0 && *at >= 0 && *at != p->c[k]) {
            p->looks += (uint64_t)k;
            return false;
        }
        *at = p->c[k] >= 0 ? p->c[k] : *at;
    }
    p->looks += 2 * (uint64_t)p->n;
    for (int32_t k = 0; k < p->n; k++) {
        if (said[p->class_of[k]] < 0) {
            return false;
        }
    }
    return true;
}

/* The cost of the current classes if it is below `best`, otherwise best. */
static int32_t price_below(Pattern *p, int32_t classes, int32_t best) {
    p->classes = classes;
    if (p->exact) {
        return says_all(p, classes) && classes < best ? classes : best;
    }
    PatternCost cost = pattern_measure(p);
    p->looks += 2 * (uint64_t)p->n;
    int32_t price = cost.core + WRONG_COUNTS * cost.wrong;
    return price < best ? price : best;
}

/* ---- tiles ---- */

static void lay_tile(Pattern *p, int32_t th, int32_t tw, int32_t skew) {
    for (int32_t i = 0, k = 0; i < p->h; i++) {
        int32_t at = (tw - i / th * skew % tw) % tw, row = i % th * tw;
        for (int32_t j = 0; j < p->w; j++, k++) {
            p->class_of[k] = (int16_t)(row + at);
            at = at + 1 == tw ? 0 : at + 1;
        }
    }
}

/* A tile has th rows of tw cells; the next one below it is shifted to the right by `skew`. */
bool repair_by_tile(Ctx *ctx, Pattern *p) {
    int32_t max = p->known / 2 < MAX_TILE ? p->known / 2 : MAX_TILE;
    int32_t best = p->exact ? max + 1 : p->known / 2, found[3] = {0};
    for (int32_t size = 1; size <= max && size < best; size++) {
        for (int32_t th = 1; th <= size && th <= p->h; th++) {
            int32_t tw = size / th;
            if (size % th != 0 || tw > p->w) {
                continue;
            }
            for (int32_t skew = 0; skew < tw && (skew == 0 || (th < p->h && !p->upright)); skew++) {
                lay_tile(p, th, tw, skew);
                int32_t price = price_below(p, size, best);
                if (price < best) {
                    best = price;
                    found[0] = th;
                    found[1] = tw;
                    found[2] = skew;
                }
            }
            if (!pattern_charge(ctx, p)) {
                return false;
            }
        }
    }
    p->classes = found[0] * found[1];
    if (p->classes > 0) {
        lay_tile(p, found[0], found[1], found[2]);
        p->tile_h = found[0];
        p->tile_w = found[1];
    }
    return true;
}

/* ---- rings ---- */

typedef struct Ring {
    int32_t kind, a, b, modulus; /* around (a / 2, b / 2); modulus 0: none */
} Ring;

static int32_t ring_number(const Ring *r, int32_t i, int32_t j) {
    int32_t x = abs(2 * i - r->a), y = abs(2 * j - r->b);
    int32_t at = r->kind == 0 ? (x > y ? x : y) : r->kind == 1 ? (x < y ? x : y) : x + y;
    return r->modulus > 0 ? at / 2 % r->modulus : at / 2;
}

static int32_t lay_rings(Pattern *p, const Ring *r) {
    int32_t classes = 0;
    for (int32_t i = 0, k = 0; i < p->h; i++) {
        for (int32_t j = 0; j < p->w; j++, k++) {
            p->class_of[k] = (int16_t)ring_number(r, i, j);
            classes = p->class_of[k] >= classes ? p->class_of[k] + 1 : classes;
        }
    }
    return classes;
}

/* Whether a known cell contradicts the rings without a modulus: then it contradicts them with any modulus. */
static bool refuted(Pattern *p, const Ring *r) {
    int8_t said[FEATURE_MAX_CELLS];
    memset(said, -1, sizeof said);
    for (int32_t i = 0, k = 0; i < p->h && p->exact; i++) {
        for (int32_t j = 0; j < p->w; j++, k++) {
            int8_t *at = &said[ring_number(r, i, j)];
            if (p->c[k] >= 0 && *at >= 0 && *at != p->c[k]) {
                p->looks += (uint64_t)k;
                return true;
            }
            *at = p->c[k] >= 0 ? p->c[k] : *at;
        }
    }
    p->looks += (uint64_t)p->n;
    return false;
}

/* Squares, crosses and diamonds around every cell, side and corner of the grid. Without unknown cells, only
 * those around the middle: the others are too many to mean anything. */
bool repair_by_rings(Ctx *ctx, Pattern *p) {
    int32_t best = p->exact ? p->known / 2 : p->known / 4;
    Ring found = {.kind = -1};
    for (int32_t kind = 0; kind < 3; kind++) {
        for (int32_t a = 0; a < 2 * p->h - 1; a++) {
            for (int32_t b = a % 2; b < 2 * p->w - 1; b += 2) {
                Ring r = {kind, a, b, 0};
                if ((!p->exact && (a != p->h - 1 || b != p->w - 1)) || refuted(p, &r)) {
                    continue;
                }
                for (r.modulus = 0; r.modulus <= MAX_MODULUS; r.modulus++) {
                    int32_t price = price_below(p, lay_rings(p, &r), best);
                    found = price < best ? r : found;
                    best = price;
                }
            }
            if (!pattern_charge(ctx, p)) {
                return false;
            }
        }
    }
    p->classes = found.kind >= 0 ? lay_rings(p, &found) : 0;
    return true;
}

/* ---- lines ---- */

typedef struct Line {
    int32_t start, step, length;
} Line;

/* The period of a line with the lowest cost, the smallest if cells are unknown; the line's length: none. */
static int32_t period_of(Pattern *p, Line line) {
    int32_t known = 0, best = line.length, best_price = INT32_MAX;
    for (int32_t x = 0; x < line.length; x++) {
        known += p->c[line.start + x * line.step] >= 0;
    }
    for (int32_t period = 1; period < line.length && period < best_price && 2 * period <= known; period++) {
        int32_t wrong = 0, unsaid = 0;
        for (int32_t x = 0; x < period; x++) {
            int32_t counts[N_COLORS] = {0}, sum = 0, max = 0;
            for (int32_t y = x; y < line.length; y += period) {
                int8_t c = p->c[line.start + y * line.step];
                if (c >= 0) {
                    sum++;
                    counts[c]++;
                    max = counts[c] > max ? counts[c] : max;
                }
            }
            wrong += sum - max;
            unsaid += sum == 0;
        }
        p->looks += (uint64_t)line.length;
        int32_t price = period + WRONG_COUNTS * wrong;
        if ((!p->exact || (wrong == 0 && unsaid == 0)) && price < best_price && 2 * price <= known) {
            best = period;
            best_price = price;
        }
    }
    return best;
}

bool repair_by_lines(Ctx *ctx, Pattern *p, bool rows) {
    int32_t lines = rows ? p->h : p->w;
    p->classes = 0;
    bool any = false;
    for (int32_t l = 0; l < lines; l++) {
        Line line = rows ? (Line){l * p->w, 1, p->w} : (Line){l, p->w, p->h};
        int32_t period = period_of(p, line);
        any |= period < line.length;
        for (int32_t x = 0; x < line.length; x++) {
            p->class_of[line.start + x * line.step] = (int16_t)(p->classes + x % period);
        }
        p->classes += period;
        if (!pattern_charge(ctx, p)) {
            return false;
        }
    }
    p->classes = any ? p->classes : 0;
    return true;
}
