/* Stamps: transformations that look at one stamp alone. */
#include "engine/arcdsl/bits.h"
#include "engine/stamps/stamp.h"

#include <string.h>

Stamp stamp_keep(Ctx *ctx, const Stamp *s, int32_t color) {
    const int8_t *from = s->c;
    int8_t *to = stamp_blank(ctx, s->h, s->w), any = 0;
    int32_t n = stamp_cells(s);
    if (to == NULL) {
        return STAMP_NONE;
    }
    if (color == 0) { /* the transparent cells, in the smallest color present, or 1 */
        uint32_t colors = stamp_colors(s);
        int8_t foreground = (int8_t)(colors ? __builtin_ctz(colors) : 1);
        for (int32_t k = 0; k < n; k++) {
            to[k] = from[k] == 0 ? foreground : 0;
            any |= to[k];
        }
    } else {
        int8_t foreground = (int8_t)color;
        for (int32_t k = 0; k < n; k++) {
            to[k] = from[k] == foreground ? foreground : 0;
            any |= to[k];
        }
    }
    return any ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

Stamp stamp_erase(Ctx *ctx, const Stamp *s, int32_t color) {
    const int8_t *from = s->c;
    int8_t *to = color != 0 ? stamp_blank(ctx, s->h, s->w) : NULL, foreground = (int8_t)color, changed = 0;
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        to[k] = from[k] == foreground ? 0 : from[k];
        changed |= from[k] ^ to[k];
    }
    return changed ? (Stamp){s->i, s->j, s->h, s->w, to} : STAMP_NONE;
}

Stamp stamp_paint(Ctx *ctx, const Stamp *s, int32_t color) {
    const int8_t *from = s->c;
    int8_t *to = color > 0 && color < 10 ? stamp_blank(ctx, s->h, s->w) : NULL;
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        to[k] = from[k] != 0 ? (int8_t)color : 0;
    }
    return (Stamp){s->i, s->j, s->h, s->w, to};
}

/* Copies the marked rows and columns. */
static Stamp pick_lines(Ctx *ctx, const Stamp *s, const bool *rows, const bool *cols) {
    int32_t h = 0, w = 0, i0 = -1, j0 = -1, j1 = -1;
    for (int32_t i = 0; i < s->h; i++) {
        h += rows[i];
        i0 = i0 < 0 && rows[i] ? i : i0;
    }
    for (int32_t j = 0; j < s->w; j++) {
        w += cols[j];
        j0 = j0 < 0 && cols[j] ? j : j0;
        j1 = cols[j] ? j : j1;
    }
    int8_t *to = stamp_blank(ctx, h, w), *at = to;
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t i = i0; i < s->h; i++) {
        const int8_t *from = s->c + i * s->w;
        if (!rows[i]) {
            continue;
        }
        if (j1 - j0 + 1 == w) { /* side by side */
            memcpy(at, from + j0, (size_t)w);
            at += w;
            continue;
        }
        for (int32_t j = j0; j <= j1; j++) {
            *at = from[j];
            at += cols[j];
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
    bool rows[STAMP_MAX_SIDE], cols[STAMP_MAX_SIDE];
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
    bool rows[STAMP_MAX_SIDE] = {false}, cols[STAMP_MAX_SIDE] = {false};
    if (how == 2) {
        for (int32_t i = 0; i < s->h; i++) {
            rows[i] = i == 0 || !same_rows(s, i - 1, i);
        }
        for (int32_t j = 0; j < s->w; j++) {
            cols[j] = j == 0 || !same_cols(s, j - 1, j);
        }
        return pick_lines(ctx, s, rows, cols);
    }
    int32_t h = s->h, w = s->w, top = h, bottom = -1, left = w, right = -1;
    int8_t in_column[STAMP_MAX_SIDE] = {0};
    for (int32_t i = 0; i < h; i++) {
        const int8_t *from = s->c + i * w;
        int8_t in_row = 0;
        for (int32_t j = 0; j < w; j++) {
            in_row |= from[j];
            in_column[j] |= from[j];
        }
        rows[i] = in_row != 0;
        top = rows[i] && top == h ? i : top;
        bottom = rows[i] ? i : bottom;
    }
    if (bottom < 0 || how < 0 || how > 3) {
        return STAMP_NONE;
    }
    for (int32_t j = 0; j < w; j++) {
        cols[j] = in_column[j] != 0;
        left = cols[j] && left == w ? j : left;
        right = cols[j] ? j : right;
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
    int8_t foreground = how != 1 ? stamp_majority(s) : 0;
    switch (how) {
    case 0:
    case 1:
        return stamp_full(ctx, s->i, s->j, s->h, s->w, foreground);
    case 2:
        return stamp_full(ctx, 0, 0, s->h, s->w, foreground);
    case 3:
        return stamp_full(ctx, s->i, s->j, 1, 1, foreground);
    case 4: {
        int32_t h = 2 - s->h % 2, w = 2 - s->w % 2;
        return stamp_full(ctx, s->i + (s->h - h) / 2, s->j + (s->w - w) / 2, h, w,
                          foreground ? foreground : 1);
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

/* ---- inside and outside, by rows of bits ---- */

/* The cells of a row that cells of `from` reach through cells of `open`, which has them all. */
static inline uint64_t spread_in_row(uint64_t from, uint64_t open) {
    uint64_t up = from | (((open + from) ^ open) & open); /* the sum carries through a run of ones */
    uint64_t down = from, way = open;
    for (unsigned by = 1; by < 64; by *= 2) {
        down |= way & down >> by;
        way &= way >> by;
    }
    return up | down;
}

/* The transparent cells that a path through transparent cells (up, down, left, right) connects with the
 * outside. */
static void find_outside(const uint64_t *open, uint64_t *outside, int32_t h, int32_t w) {
    uint64_t sides = (uint64_t)1 << (w - 1) | 1;
    for (int32_t i = 0; i < h; i++) {
        uint64_t from =
            (i == 0 || i == h - 1 ? open[i] : open[i] & sides) | (i > 0 ? outside[i - 1] & open[i] : 0);
        outside[i] = spread_in_row(from, open[i]);
    }
    for (bool up = true, changed = true; changed; up = !up) { /* up and down until nothing changes */
        changed = false;
        for (int32_t k = 1; k < h; k++) {
            int32_t i = up ? h - 1 - k : k;
            uint64_t more = outside[up ? i + 1 : i - 1] & open[i] & ~outside[i];
            if (more != 0) {
                outside[i] |= spread_in_row(more, open[i]);
                changed = true;
            }
        }
    }
}

static inline uint64_t widened(uint64_t row) {
    return row | row << 1 | row >> 1;
}

/* Writes foreground to the cells of a row that are set. */
static inline void paint_bits(int8_t *row, uint64_t bits, int8_t foreground) {
    for (; bits != 0; bits &= bits - 1) {
        row[__builtin_ctzll(bits)] = foreground;
    }
}

/* stamp_fill for cells of at most 64 columns; returns whether any cell is left. */
static bool fill_cells(const int8_t *c, int32_t h, int32_t w, int32_t how, int8_t foreground, int8_t *to) {
    uint64_t words[STAMP_MAX_CELLS / 64 + 2], open[STAMP_MAX_SIDE], outside[STAMP_MAX_SIDE];
    uint64_t all = ~(uint64_t)0 >> (64 - w), sides = (uint64_t)1 << (w - 1) | 1, any = 0;
    bits_equal(c, (size_t)(h * w), 0, words);
    for (int32_t i = 0; i < h; i++) {
        open[i] = bits_row(words, (size_t)(i * w), (unsigned)w);
    }
    find_outside(open, outside, h, w);
    if (how == 0) {
        memcpy(to, c, (size_t)(h * w));
    } else {
        memset(to, 0, (size_t)(h * w));
    }
    for (int32_t i = 0; i < h; i++) {
        if (how <= 1) {
            uint64_t holes = open[i] & ~outside[i];
            paint_bits(to + i * w, holes, foreground);
            any |= (foreground != 0 ? holes : 0) | (how == 0 ? all & ~open[i] : 0);
            continue;
        }
        /* a border cell touches, over a side or corner, the outside or the edge of the rectangle */
        uint64_t border =
            i == 0 || i == h - 1 ? all : sides | widened(outside[i - 1] | outside[i] | outside[i + 1]);
        uint64_t kept = all & ~open[i] & (how == 3 ? border : ~border);
        any |= kept;
        for (; kept != 0; kept &= kept - 1) {
            int32_t k = i * w + __builtin_ctzll(kept);
            to[k] = c[k];
        }
    }
    return any != 0;
}

static void transpose(const int8_t *c, int32_t h, int32_t w, int8_t *to) {
    for (int32_t i = 0; i < h; i++) {
        for (int32_t j = 0; j < w; j++) {
            to[j * h + i] = c[i * w + j];
        }
    }
}

Stamp stamp_fill(Ctx *ctx, const Stamp *s, int32_t how) {
    int8_t *to = stamp_blank(ctx, s->h, s->w);
    if (to == NULL || how < 0 || how > 3) {
        return STAMP_NONE;
    }
    int8_t foreground = how <= 1 ? stamp_majority(s) : 0;
    bool any;
    if (s->w <= BITS_WIDTH) {
        any = fill_cells(s->c, s->h, s->w, how, foreground, to);
    } else { /* then it is low, and can be filled lying on its side */
        _Static_assert(STAMP_MAX_CELLS / BITS_WIDTH < BITS_WIDTH, "a wide stamp is low");
        int8_t from[STAMP_MAX_CELLS], filled[STAMP_MAX_CELLS];
        transpose(s->c, s->h, s->w, from);
        any = fill_cells(from, s->w, s->h, how, foreground, filled);
        transpose(filled, s->w, s->h, to);
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
    int8_t *to = stamp_blank(ctx, h, w), *at = to;
    if (to == NULL) {
        return STAMP_NONE;
    }
    /* quarter turns 1 to 3; 4 left and right, 5 top and bottom swapped; 6 and 7 the diagonals */
    bool up = how == 1 || how == 2 || how == 5 || how == 7; /* rows are read from the last one on */
    bool back = how == 2 || how == 3 || how == 4 || how == 7;
    int32_t by_row = up ? -s->w : s->w, by_col = back ? -1 : 1;
    int32_t down = swapped ? by_col : by_row, across = swapped ? by_row : by_col;
    int32_t from = (up ? (s->h - 1) * s->w : 0) + (back ? s->w - 1 : 0);
    const int8_t *cells = s->c;
    for (int32_t i = 0; i < h; i++, from += down) {
        if (across == 1) {
            memcpy(at, cells + from, (size_t)w);
            at += w;
            continue;
        }
        for (int32_t j = 0, cell = from; j < w; j++, cell += across) {
            *at++ = cells[cell];
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
    if (how < 0 || n <= 0 || n > STAMP_MAX_SIDE) {
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
    int8_t *to = stamp_blank(ctx, h, w);
    if (to == NULL) {
        return STAMP_NONE;
    }
    for (int32_t i = 0; i < h; i++) {
        memcpy(to + i * w, s->c + (i0 + i) * s->w + j0, (size_t)w);
    }
    return (Stamp){s->i + i0, s->j + j0, h, w, to};
}
