/* Stamps: transformations that paint transparent cells (rays, frames, joins, spreading), and fitting to a
 * size. */
#include "engine/stamps/stamp.h"

#include <string.h>

/* Directions, in the order of their bits: right, down, left, up, then the diagonals. */
static const int8_t STEP_I[8] = {0, 1, 0, -1, 1, 1, -1, -1};
static const int8_t STEP_J[8] = {1, 0, -1, 0, 1, -1, -1, 1};
static const uint8_t RAY_SETS[15] = {1, 2, 4, 8, 5, 10, 15, 16, 32, 64, 128, 80, 160, 240, 255};

/* What rays of one direction carry goes over the rows one by one: a row holds, with a blank column on both
 * sides, the color that each cell hands on. Returns whether any cell was painted. */
static bool ray_rows(const Stamp *s, int8_t *to, int32_t di, int32_t dj) {
    int8_t rows[2][STAMP_MAX_SIDE + 2];
    int8_t changed = 0;
    int32_t h = s->h, w = s->w;
    memset(rows, 0, sizeof rows);
    for (int32_t a = 0; a < h; a++) {
        int32_t at = (di < 0 ? h - 1 - a : a) * w;
        const int8_t *from = rows[a & 1] + 1 - dj, *mine = s->c + at;
        int8_t *carried = rows[~a & 1] + 1, *painted = to + at;
        for (int32_t j = 0; j < w; j++) {
            int8_t ray = mine[j] == 0 ? from[j] : 0;
            carried[j] = mine[j] | ray;
            painted[j] = ray != 0 ? ray : painted[j];
            changed |= ray;
        }
    }
    return changed != 0;
}

/* The same along the rows. */
static bool ray_columns(const Stamp *s, int8_t *to, int32_t dj) {
    const int8_t *mine = s->c;
    int8_t changed = 0;
    int32_t h = s->h, w = s->w;
    for (int32_t i = 0; i < h; i++) {
        int32_t at = i * w + (dj < 0 ? w - 1 : 0);
        int8_t carried = 0;
        for (int32_t b = 0; b < w; b++, at += dj) {
            int8_t ray = mine[at] == 0 ? carried : 0;
            carried = mine[at] | ray;
            to[at] = ray != 0 ? ray : to[at];
            changed |= ray;
        }
    }
    return changed != 0;
}

Stamp stamp_rays(Ctx *ctx, const Stamp *s, int32_t how) {
    int8_t *to = how >= 0 && how < 15 ? stamp_blank(ctx, s->h, s->w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    memcpy(to, s->c, (size_t)stamp_cells(s));
    bool changed = false;
    for (int d = 0; d < 8; d++) {
        if (RAY_SETS[how] >> d & 1) {
            changed |= STEP_I[d] != 0 ? ray_rows(s, to, STEP_I[d], STEP_J[d]) : ray_columns(s, to, STEP_J[d]);
        }
    }
    return changed ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

/* Paints the transparent cells of a row of the outline: those beside, above or below content. Rows have two
 * blank cells on both sides. */
static void outline_row(int8_t *to, const int8_t *above, const int8_t *row, const int8_t *below, int32_t w) {
    int8_t any[STAMP_MAX_SIDE + 4];
    for (int32_t j = 0; j < w + 2; j++) {
        any[j] = above[j] | row[j] | below[j];
    }
    for (int32_t j = 0; j < w; j++) {
        int8_t near = any[j] | any[j + 1] | any[j + 2];
        to[j] = row[j + 1] != 0 ? row[j + 1] : near != 0;
    }
}

Stamp stamp_frame(Ctx *ctx, const Stamp *s, int32_t how) {
    int32_t h = s->h + 2, w = s->w + 2;
    int8_t *to = how >= 0 && how <= 2 ? stamp_blank(ctx, h, w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    if (how == 0) {
        int8_t rows[3][STAMP_MAX_SIDE + 4];
        memset(rows, 0, sizeof rows);
        for (int32_t i = 0; i < h; i++) { /* row i of the frame is row i - 1 of the stamp */
            int8_t *next = rows[(i + 1) % 3] + 2;
            if (i < s->h) {
                memcpy(next, s->c + i * s->w, (size_t)s->w);
            } else {
                memset(next, 0, (size_t)s->w);
            }
            outline_row(to + i * w, rows[(i + 2) % 3], rows[i % 3], rows[(i + 1) % 3], w);
        }
        return (Stamp){s->i - 1, s->j - 1, h, w, to};
    }
    memset(to, how == 2 ? stamp_majority(s) : 1, (size_t)(h * w));
    for (int32_t i = 0; i < s->h; i++) {
        memcpy(to + (i + 1) * w + 1, s->c + i * s->w, (size_t)s->w);
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
    int8_t *to = how >= 0 && how <= 2 ? stamp_blank(ctx, s->h, s->w) : NULL;
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
    int8_t *to = how >= 0 && how <= 1 ? stamp_blank(ctx, s->h, s->w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    /* with a rim of cells that are not transparent, no step has to be checked */
    int8_t cells[(STAMP_MAX_SIDE + 2) * (STAMP_MAX_SIDE + 2)];
    int16_t queue[STAMP_MAX_CELLS];
    int8_t still = how == 1 ? stamp_majority(s) : 0;
    int32_t head = 0, tail = 0, w = s->w + 2;
    memset(cells, 1, (size_t)(w * (s->h + 2)));
    for (int32_t i = 0; i < s->h; i++) {
        int8_t *row = cells + (i + 1) * w + 1;
        memcpy(row, s->c + i * s->w, (size_t)s->w);
        for (int32_t j = 0; j < s->w; j++) {
            queue[tail] = (int16_t)((i + 1) * w + 1 + j);
            tail += row[j] != 0 && row[j] != still;
        }
    }
    int32_t started = tail;
    const int32_t steps[4] = {1, w, -1, -w}; /* in the order of STEP_I */
    while (head < tail) {
        int32_t at = queue[head++];
        for (int d = 0; d < 4; d++) {
            if (cells[at + steps[d]] == 0) {
                cells[at + steps[d]] = cells[at];
                queue[tail++] = (int16_t)(at + steps[d]);
            }
        }
    }
    for (int32_t i = 0; i < s->h; i++) {
        memcpy(to + i * s->w, cells + (i + 1) * w + 1, (size_t)s->w);
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

/* The line of a pattern that comes to each place: `period` lines, then the same again, the first at
 * `start`; -1: none, a gap. */
static void lines_of(int32_t *from, int32_t n, int32_t side, int32_t start, int32_t gap, bool mirrored) {
    int32_t period = side + gap, whole = mirrored ? 2 * period : period, at = floor_mod(-start, whole);
    for (int32_t k = 0; k < n; k++) {
        int32_t line = at >= period ? 2 * period - 1 - gap - at : at;
        from[k] = line >= 0 && line < side ? line : -1;
        at = at + 1 < whole ? at + 1 : 0;
    }
}

/* Lays out lines of cells that are `stride` apart: those that rows and cols say. */
static void lay_lines(int8_t *to, int32_t h, int32_t w, const int8_t *cells, int32_t stride,
                      const int32_t *rows, const int32_t *cols) {
    int32_t done[STAMP_MAX_SIDE]; /* where each line of the pattern was laid out first, + 1 */
    memset(done, 0, sizeof done);
    for (int32_t i = 0; i < h; i++) {
        int8_t *row = to + i * w;
        if (rows[i] < 0) {
            memset(row, 0, (size_t)w);
            continue;
        }
        if (done[rows[i]] != 0) {
            memcpy(row, to + (done[rows[i]] - 1) * w, (size_t)w);
            continue;
        }
        done[rows[i]] = i + 1;
        for (int32_t j = 0; j < w; j++) {
            row[j] = cols[j] >= 0 ? cells[rows[i] * stride + cols[j]] : 0;
        }
    }
}

Stamp stamp_tile(Ctx *ctx, const Stamp *s, int32_t h, int32_t w, int32_t gap, bool mirrored) {
    int8_t *to = gap >= 0 && gap <= 1 ? stamp_blank(ctx, h, w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    int32_t rows[STAMP_MAX_SIDE], cols[STAMP_MAX_SIDE];
    lines_of(rows, h, s->h, s->i, gap, mirrored);
    lines_of(cols, w, s->w, s->j, gap, mirrored);
    lay_lines(to, h, w, s->c, s->w, rows, cols);
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
    int8_t *to = stamp_blank(ctx, h, w), *unit = stamp_blank(ctx, s->h, s->w);
    if (to == NULL || unit == NULL) {
        return STAMP_NONE;
    }
    int32_t ph = period_of(s, false, false, unit), pw = period_of(s, true, false, unit);
    if (ph == s->h && pw == s->w) { /* no exact period: look for one with gaps */
        ph = period_of(s, false, true, unit);
        pw = period_of(s, true, true, unit);
    }
    memset(unit, 0, (size_t)stamp_cells(s));
    for (int32_t i = 0; i < s->h; i++) {
        int8_t *row = unit + i % ph * pw;
        for (int32_t j = 0, at = 0; j < s->w; j++, at = at + 1 < pw ? at + 1 : 0) {
            row[at] = row[at] != 0 ? row[at] : s->c[i * s->w + j];
        }
    }
    int32_t rows[STAMP_MAX_SIDE], cols[STAMP_MAX_SIDE];
    lines_of(rows, h, ph, s->i, 0, false);
    lines_of(cols, w, pw, s->j, 0, false);
    lay_lines(to, h, w, unit, pw, rows, cols);
    return (Stamp){0, 0, h, w, to};
}
