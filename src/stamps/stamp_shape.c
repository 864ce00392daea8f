/* Stamps: transformations that look at one stamp alone. */
#include "stamps/stamp.h"

#include <string.h>

Stamp stamp_keep(Ctx *ctx, const Stamp *s, int32_t color) {
    int8_t *to = stamp_new(ctx, s->h, s->w);
    int32_t n = stamp_cells(s), any = 0;
    if (to == NULL) {
        return STAMP_NONE;
    }
    if (color == 0) { /* the transparent cells, in the smallest color present, or 1 */
        uint32_t colors = stamp_colors(s);
        int8_t ink = (int8_t)(colors ? __builtin_ctz(colors) : 1);
        for (int32_t k = 0; k < n; k++) {
            to[k] = s->c[k] == 0 ? ink : 0;
            any |= to[k];
        }
    } else {
        for (int32_t k = 0; k < n; k++) {
            to[k] = s->c[k] == color ? s->c[k] : 0;
            any |= to[k];
        }
    }
    return any ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

Stamp stamp_erase(Ctx *ctx, const Stamp *s, int32_t color) {
    int8_t *to = color != 0 ? stamp_new(ctx, s->h, s->w) : NULL;
    int32_t changed = 0;
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        to[k] = s->c[k] == color ? 0 : s->c[k];
        changed |= s->c[k] == color;
    }
    return changed ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

Stamp stamp_paint(Ctx *ctx, const Stamp *s, int32_t color) {
    int8_t *to = color > 0 && color < 10 ? stamp_new(ctx, s->h, s->w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        to[k] = s->c[k] != 0 ? (int8_t)color : 0;
    }
    return (Stamp){s->i, s->j, s->h, s->w, to};
}

/* Copies the marked rows and columns. */
static Stamp pick_lines(Ctx *ctx, const Stamp *s, const bool *rows, const bool *cols) {
    int32_t h = 0, w = 0, i0 = -1, j0 = -1;
    for (int32_t i = 0; i < s->h; i++) {
        h += rows[i];
        i0 = i0 < 0 && rows[i] ? i : i0;
    }
    for (int32_t j = 0; j < s->w; j++) {
        w += cols[j];
        j0 = j0 < 0 && cols[j] ? j : j0;
    }
    int8_t *to = stamp_new(ctx, h, w), *at = to;
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t i = 0; i < s->h; i++) {
        for (int32_t j = 0; rows[i] && j < s->w; j++) {
            if (cols[j]) {
                *at++ = s->c[i * s->w + j];
            }
        }
    }
    return (Stamp){s->i + i0, s->j + j0, h, w, to};
}

static bool same_rows(const Stamp *s, int32_t a, int32_t b) {
    return memcmp(s->c + a * s->w, s->c + b * s->w, (size_t)s->w) == 0;
}

static bool same_cols(const Stamp *s, int32_t a, int32_t b) {
    for (int32_t i = 0; i < s->h; i++) {
        if (s->c[i * s->w + a] != s->c[i * s->w + b]) {
            return false;
        }
    }
    return true;
}

/* Is every block of f by f cells of one color? */
static bool has_blocks(const Stamp *s, int32_t f) {
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        int32_t i = k / s->w, j = k % s->w;
        if (s->c[k] != s->c[(i - i % f) * s->w + j - j % f]) {
            return false;
        }
    }
    return true;
}

/* One cell for each of the largest blocks; no stamp if those are single cells. */
static Stamp merge_blocks(Ctx *ctx, const Stamp *s) {
    bool rows[STAMP_MOST_SIDE], cols[STAMP_MOST_SIDE];
    int32_t f = s->h < s->w ? s->h : s->w;
    while (f > 1 && (s->h % f != 0 || s->w % f != 0 || !has_blocks(s, f))) {
        f--;
    }
    if (f <= 1) {
        return STAMP_NONE;
    }
    for (int32_t i = 0; i < s->h; i++) {
        rows[i] = i % f == 0;
    }
    for (int32_t j = 0; j < s->w; j++) {
        cols[j] = j % f == 0;
    }
    return pick_lines(ctx, s, rows, cols);
}

Stamp stamp_trim(Ctx *ctx, const Stamp *s, int32_t how) {
    bool rows[STAMP_MOST_SIDE] = {false}, cols[STAMP_MOST_SIDE] = {false};
    if (how == 2) {
        for (int32_t i = 0; i < s->h; i++) {
            rows[i] = i == 0 || !same_rows(s, i - 1, i);
        }
        for (int32_t j = 0; j < s->w; j++) {
            cols[j] = j == 0 || !same_cols(s, j - 1, j);
        }
        return pick_lines(ctx, s, rows, cols);
    }
    int32_t top = s->h, bottom = -1, left = s->w, right = -1;
    for (int32_t i = 0; i < s->h; i++) {
        for (int32_t j = 0; j < s->w; j++) {
            if (s->c[i * s->w + j] != 0) {
                rows[i] = cols[j] = true;
                top = i < top ? i : top;
                bottom = i;
                left = j < left ? j : left;
                right = j > right ? j : right;
            }
        }
    }
    if (bottom < 0 || how < 0 || how > 3) {
        return STAMP_NONE;
    }
    for (int32_t i = top; how != 1 && i <= bottom; i++) {
        rows[i] = true;
    }
    for (int32_t j = left; how != 1 && j <= right; j++) {
        cols[j] = true;
    }
    Stamp cut = pick_lines(ctx, s, rows, cols);
    return how == 3 && cut.h != 0 ? merge_blocks(ctx, &cut) : cut;
}

Stamp stamp_box(Ctx *ctx, const Stamp *s, int32_t how) {
    int8_t ink = stamp_majority(s);
    switch (how) {
    case 0:
        return stamp_full(ctx, s->i, s->j, s->h, s->w, ink);
    case 1:
        return stamp_full(ctx, s->i, s->j, s->h, s->w, 0);
    case 2:
        return stamp_full(ctx, 0, 0, s->h, s->w, ink);
    case 3:
        return stamp_full(ctx, s->i, s->j, 1, 1, ink);
    case 4: {
        int32_t h = 2 - s->h % 2, w = 2 - s->w % 2;
        return stamp_full(ctx, s->i + (s->h - h) / 2, s->j + (s->w - w) / 2, h, w, ink ? ink : 1);
    }
    default:
        return STAMP_NONE;
    }
}

Stamp stamp_home(Ctx *ctx, const Stamp *s, int32_t how) {
    (void)ctx;
    (void)how;
    return (Stamp){0, 0, s->h, s->w, s->c};
}

Stamp stamp_main(Ctx *ctx, const Stamp *s, int32_t how) {
    (void)how;
    return stamp_full(ctx, 0, 0, 1, 1, stamp_majority(s));
}

/* Marks the transparent cells that a path through transparent cells (up, down, left, right) connects with the
 * outside. */
static void mark_outside(const Stamp *s, uint8_t *outside) {
    int16_t stack[STAMP_MOST_CELLS];
    int32_t top = 0, n = stamp_cells(s);
    memset(outside, 0, (size_t)n);
    for (int32_t k = 0; k < n; k++) {
        int32_t i = k / s->w, j = k % s->w;
        if (s->c[k] == 0 && (i == 0 || j == 0 || i == s->h - 1 || j == s->w - 1)) {
            outside[k] = 1;
            stack[top++] = (int16_t)k;
        }
    }
    while (top > 0) {
        int32_t at = stack[--top], i = at / s->w, j = at % s->w;
        const int32_t next[4] = {i > 0 ? at - s->w : -1, i < s->h - 1 ? at + s->w : -1, j > 0 ? at - 1 : -1,
                                 j < s->w - 1 ? at + 1 : -1};
        for (int k = 0; k < 4; k++) {
            if (next[k] >= 0 && s->c[next[k]] == 0 && !outside[next[k]]) {
                outside[next[k]] = 1;
                stack[top++] = (int16_t)next[k];
            }
        }
    }
}

/* Does the cell touch, over a side or corner, the outside or the edge of the rectangle? */
static bool at_border(const Stamp *s, const uint8_t *outside, int32_t i, int32_t j) {
    for (int32_t a = i - 1; a <= i + 1; a++) {
        for (int32_t b = j - 1; b <= j + 1; b++) {
            if (a < 0 || b < 0 || a >= s->h || b >= s->w || outside[a * s->w + b]) {
                return true;
            }
        }
    }
    return false;
}

Stamp stamp_fill(Ctx *ctx, const Stamp *s, int32_t how) {
    uint8_t outside[STAMP_MOST_CELLS];
    int8_t *to = stamp_new(ctx, s->h, s->w), ink = stamp_majority(s);
    int32_t any = 0;
    if (to == NULL || how < 0 || how > 3) {
        return STAMP_NONE;
    }
    mark_outside(s, outside);
    for (int32_t i = 0, k = 0; i < s->h; i++) {
        for (int32_t j = 0; j < s->w; j++, k++) {
            bool hole = s->c[k] == 0 && !outside[k];
            switch (how) {
            case 0:
                to[k] = hole ? ink : s->c[k];
                break;
            case 1:
                to[k] = hole ? ink : 0;
                break;
            default:
                to[k] = s->c[k] != 0 && at_border(s, outside, i, j) == (how == 3) ? s->c[k] : 0;
                break;
            }
            any |= to[k];
        }
    }
    return any ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

Stamp stamp_turn(Ctx *ctx, const Stamp *s, int32_t how) {
    if (how == 8) { /* along the longer side; a square along its diagonal */
        how = s->w > s->h ? 4 : s->w < s->h ? 5 : 6;
    }
    if (how < 1 || how > 7) {
        return STAMP_NONE;
    }
    bool swapped = how == 1 || how == 3 || how == 6 || how == 7;
    int32_t h = swapped ? s->w : s->h, w = swapped ? s->h : s->w;
    int8_t *to = stamp_new(ctx, h, w);
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            int32_t a = swapped ? j : i, b = swapped ? i : j; /* transposed if the sides are swapped */
            switch (how) {
            case 1: /* quarter turns */
                a = s->h - 1 - a;
                break;
            case 2:
                a = s->h - 1 - a;
                b = s->w - 1 - b;
                break;
            case 3:
                b = s->w - 1 - b;
                break;
            case 4: /* left and right */
                b = s->w - 1 - b;
                break;
            case 5: /* top and bottom */
                a = s->h - 1 - a;
                break;
            case 7: /* the other diagonal */
                a = s->h - 1 - a;
                b = s->w - 1 - b;
                break;
            default:
                break;
            }
            to[i * w + j] = s->c[a * s->w + b];
        }
    }
    return (Stamp){s->i, s->j, h, w, to};
}

Stamp stamp_tally(Ctx *ctx, const Stamp *s, int32_t how) {
    int32_t what = how / 3, shape = how % 3;
    int32_t n = what == 0   ? stamp_count(s)
                : what == 1 ? __builtin_popcount(stamp_colors(s))
                : what == 2 ? stamp_components(s)
                            : 0;
    if (how < 0 || n <= 0 || n > STAMP_MOST_SIDE) {
        return STAMP_NONE;
    }
    return stamp_full(ctx, 0, 0, shape == 1 ? 1 : n, shape == 2 ? 1 : n, stamp_majority(s));
}

Stamp stamp_half(Ctx *ctx, const Stamp *s, int32_t how) {
    if (how < 0 || how > 5) {
        return STAMP_NONE;
    }
    if (how >= 4) { /* of the longer side */
        how = s->h > s->w ? how - 2 : how - 4;
    }
    bool across = how >= 2;
    int32_t h = across ? s->h / 2 : s->h, w = across ? s->w : s->w / 2;
    int32_t i0 = how == 3 ? s->h - h : 0, j0 = how == 1 ? s->w - w : 0;
    int8_t *to = stamp_new(ctx, h, w);
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t i = 0; i < h; i++) {
        memcpy(to + i * w, s->c + (i0 + i) * s->w + j0, (size_t)w);
    }
    return (Stamp){s->i + i0, s->j + j0, h, w, to};
}
