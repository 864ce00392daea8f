/* Stamps: transformations that paint transparent cells (rays, frames, joins, spreading), and fitting to a
 * size. */
#include "stamps/stamp.h"

#include <string.h>

/* Directions, in the order of their bits: right, down, left, up, then the diagonals. */
static const int8_t STEP_I[8] = {0, 1, 0, -1, 1, 1, -1, -1};
static const int8_t STEP_J[8] = {1, 0, -1, 0, 1, -1, -1, 1};
static const uint8_t RAY_SETS[15] = {1, 2, 4, 8, 5, 10, 15, 16, 32, 64, 128, 80, 160, 240, 255};

Stamp stamp_rays(Ctx *ctx, const Stamp *s, int32_t how) {
    int8_t *to = how >= 0 && how < 15 ? stamp_new(ctx, s->h, s->w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    memcpy(to, s->c, (size_t)stamp_cells(s));
    bool changed = false;
    for (int d = 0; d < 8; d++) {
        if (!(RAY_SETS[how] >> d & 1)) {
            continue;
        }
        /* Visit cells so that the neighbour a ray comes from is done first. */
        int32_t di = STEP_I[d], dj = STEP_J[d];
        int8_t carried[STAMP_MOST_CELLS];
        for (int32_t a = 0; a < s->h; a++) {
            int32_t i = di < 0 ? s->h - 1 - a : a;
            for (int32_t b = 0; b < s->w; b++) {
                int32_t j = dj < 0 ? s->w - 1 - b : b, k = i * s->w + j;
                int32_t pi = i - di, pj = j - dj;
                bool inside = pi >= 0 && pj >= 0 && pi < s->h && pj < s->w;
                int8_t from = inside ? carried[pi * s->w + pj] : 0;
                carried[k] = s->c[k] != 0 ? s->c[k] : from;
                if (s->c[k] == 0 && from != 0) {
                    to[k] = from;
                    changed = true;
                }
            }
        }
    }
    return changed ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

Stamp stamp_frame(Ctx *ctx, const Stamp *s, int32_t how) {
    int32_t h = s->h + 2, w = s->w + 2;
    int8_t *to = how >= 0 && how <= 2 ? stamp_new(ctx, h, w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    int8_t ink = how == 2 ? stamp_majority(s) : 1;
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            int8_t mine = stamp_at(s, i - 1, j - 1);
            bool edge = i == 0 || j == 0 || i == h - 1 || j == w - 1, near = false;
            if (how == 0 && mine == 0) {
                for (int32_t a = i - 2; a <= i && !near; a++) {
                    for (int32_t b = j - 2; b <= j && !near; b++) {
                        near = stamp_at(s, a, b) != 0;
                    }
                }
            }
            to[i * w + j] = mine != 0 ? mine : (how == 0 ? near : edge) ? ink : 0;
        }
    }
    return (Stamp){s->i - 1, s->j - 1, h, w, to};
}

/* Fills the transparent cells between two cells of one color on a line. */
static bool join_line(int8_t *to, const int8_t *from, int32_t n, int32_t stride) {
    int32_t last = -1;
    bool changed = false;
    for (int32_t k = 0; k < n; k++) {
        if (from[k * stride] == 0) {
            continue;
        }
        if (last >= 0 && from[last * stride] == from[k * stride]) {
            for (int32_t x = last + 1; x < k; x++) {
                to[x * stride] = from[k * stride];
                changed = true;
            }
        }
        last = k;
    }
    return changed;
}

Stamp stamp_join(Ctx *ctx, const Stamp *s, int32_t how) {
    int8_t *to = how >= 0 && how <= 2 ? stamp_new(ctx, s->h, s->w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    memcpy(to, s->c, (size_t)stamp_cells(s));
    bool changed = false;
    for (int32_t j = 0; how != 0 && j < s->w; j++) {
        changed |= join_line(to + j, s->c + j, s->h, s->w);
    }
    for (int32_t i = 0; how != 1 && i < s->h; i++) {
        changed |= join_line(to + i * s->w, s->c + i * s->w, s->w, 1);
    }
    return changed ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

Stamp stamp_spread(Ctx *ctx, const Stamp *s, int32_t how) {
    int16_t queue[STAMP_MOST_CELLS];
    int8_t *to = how >= 0 && how <= 1 ? stamp_new(ctx, s->h, s->w) : NULL;
    int8_t still = how == 1 ? stamp_majority(s) : 0;
    int32_t head = 0, tail = 0;
    if (to == NULL) {
        return STAMP_NONE;
    }
    memcpy(to, s->c, (size_t)stamp_cells(s));
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        if (s->c[k] != 0 && s->c[k] != still) {
            queue[tail++] = (int16_t)k;
        }
    }
    int32_t started = tail;
    while (head < tail) {
        int32_t at = queue[head++], i = at / s->w, j = at % s->w;
        for (int d = 0; d < 4; d++) {
            int32_t a = i + STEP_I[d], b = j + STEP_J[d];
            if (a >= 0 && b >= 0 && a < s->h && b < s->w && to[a * s->w + b] == 0) {
                to[a * s->w + b] = to[at];
                queue[tail++] = (int16_t)(a * s->w + b);
            }
        }
    }
    return tail > started ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

/* ---- to a given size, at the origin ---- */

Stamp stamp_paste(Ctx *ctx, const Stamp *s, int32_t h, int32_t w) {
    int8_t *to = stamp_new(ctx, h, w);
    if (to == NULL) {
        return STAMP_NONE;
    }
    int32_t i0 = s->i > 0 ? s->i : 0, i1 = s->i + s->h < h ? s->i + s->h : h;
    int32_t j0 = s->j > 0 ? s->j : 0, j1 = s->j + s->w < w ? s->j + s->w : w;
    for (int32_t i = i0; i < i1 && j0 < j1; i++) {
        memcpy(to + i * w + j0, s->c + (i - s->i) * s->w + (j0 - s->j), (size_t)(j1 - j0));
    }
    return (Stamp){0, 0, h, w, to};
}

Stamp stamp_corner(Ctx *ctx, const Stamp *s, int32_t h, int32_t w, int32_t how) {
    int8_t *to = how >= 0 && how <= 4 && h <= s->h && w <= s->w ? stamp_new(ctx, h, w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    int32_t i0 = how == 4 ? (s->h - h) / 2 : how >= 2 ? s->h - h : 0;
    int32_t j0 = how == 4 ? (s->w - w) / 2 : how % 2 ? s->w - w : 0;
    for (int32_t i = 0; i < h; i++) {
        memcpy(to + i * w, s->c + (i0 + i) * s->w + j0, (size_t)w);
    }
    return (Stamp){0, 0, h, w, to};
}

Stamp stamp_wrap(Ctx *ctx, const Stamp *s, int32_t h, int32_t w) {
    int8_t *to = s->h == 1 || s->w == 1 ? stamp_new(ctx, h, w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    int32_t n = stamp_cells(s);
    memcpy(to, s->c, (size_t)(n < h * w ? n : h * w));
    return (Stamp){0, 0, h, w, to};
}

Stamp stamp_scale(Ctx *ctx, const Stamp *s, int32_t h, int32_t w) {
    bool fits = (h % s->h == 0 || s->h % h == 0) && (w % s->w == 0 || s->w % w == 0);
    int8_t *to = h > 0 && w > 0 && fits ? stamp_new(ctx, h, w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            to[i * w + j] = s->c[(i * s->h / h) * s->w + j * s->w / w];
        }
    }
    return (Stamp){0, 0, h, w, to};
}

static int32_t floor_mod(int32_t a, int32_t n) {
    int32_t r = a % n;
    return r < 0 ? r + n : r;
}

Stamp stamp_tile(Ctx *ctx, const Stamp *s, int32_t h, int32_t w, int32_t gap, bool mirrored) {
    int8_t *to = gap >= 0 && gap <= 1 ? stamp_new(ctx, h, w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    int32_t ph = s->h + gap, pw = s->w + gap;
    for (int32_t i = 0; i < h; i++) {
        int32_t a = floor_mod(i - s->i, ph * (mirrored ? 2 : 1));
        a = mirrored && a >= ph ? 2 * ph - 1 - gap - a : a;
        for (int32_t j = 0; j < w; j++) {
            int32_t b = floor_mod(j - s->j, pw * (mirrored ? 2 : 1));
            b = mirrored && b >= pw ? 2 * pw - 1 - gap - b : b;
            to[i * w + j] = stamp_at(s, a, b);
        }
    }
    return (Stamp){0, 0, h, w, to};
}

/* The smallest number of lines along an axis after which the stamp repeats itself; `blind`: transparent cells
 * agree with any color. `merged`: scratch for a line. */
static int32_t period_of(const Stamp *s, bool columns, bool blind, int8_t *merged) {
    int32_t side = columns ? s->w : s->h, length = columns ? s->h : s->w;
    for (int32_t p = 1; p < side; p++) {
        bool agrees = true;
        for (int32_t first = 0; first < p && agrees; first++) {
            for (int32_t x = first; x < side && agrees; x += p) {
                for (int32_t y = 0; y < length && agrees; y++) {
                    int8_t c = columns ? s->c[y * s->w + x] : s->c[x * s->w + y];
                    merged[y] = x == first || (blind && merged[y] == 0) ? c : merged[y];
                    agrees = c == merged[y] || (blind && c == 0);
                }
            }
        }
        if (agrees) {
            return p;
        }
    }
    return side;
}

Stamp stamp_repeat(Ctx *ctx, const Stamp *s, int32_t h, int32_t w) {
    int8_t *to = stamp_new(ctx, h, w), *unit = stamp_new(ctx, s->h, s->w);
    if (to == NULL || unit == NULL) {
        return STAMP_NONE;
    }
    int32_t ph = period_of(s, false, false, unit), pw = period_of(s, true, false, unit);
    if (ph == s->h && pw == s->w) { /* no exact period: look for one with gaps */
        ph = period_of(s, false, true, unit);
        pw = period_of(s, true, true, unit);
    }
    memset(unit, 0, (size_t)stamp_cells(s));
    for (int32_t k = 0; k < stamp_cells(s); k++) {
        int8_t *cell = &unit[k / s->w % ph * pw + k % s->w % pw];
        *cell = *cell != 0 ? *cell : s->c[k];
    }
    for (int32_t k = 0; k < h * w; k++) {
        to[k] = unit[floor_mod(k / w - s->i, ph) * pw + floor_mod(k % w - s->j, pw)];
    }
    return (Stamp){0, 0, h, w, to};
}
