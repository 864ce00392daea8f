/* Stamps as values, and how they are measured; see stamp.h. */
#include "engine/stamps/stamp.h"

#include "engine/arcdsl/colors.h"

#include <string.h>

Val stamp_val(Ctx *ctx, Stamp s) {
    ASSERT(s.h >= 0 && s.h <= STAMP_MAX_SIDE && s.w >= 0 && s.w <= STAMP_MAX_SIDE &&
               s.h * s.w <= STAMP_MAX_CELLS,
           "%d x %d", s.h, s.w);
    ASSERT(s.h == 0 || (s.w > 0 && s.c != NULL), "%d x %d without cells", s.h, s.w);
    if (s.h == 0) {
        return ctx->exhausted != FAIL_NONE ? val_fail_budget(ctx) : val_fail(FAIL_EMPTY);
    }
    Val grid = val_grid8(s.c, (uint32_t)s.h, (uint32_t)s.w);
    return s.i == 0 && s.j == 0 ? grid : val_tuple2(ctx, val_pair32(s.i, s.j), grid);
}

bool stamp_is_list(Val v) {
    Stamp s;
    if (v.kind != VAL_TUPLE || v.n == 0 || v.v[0].kind == VAL_PAIR) {
        return false;
    }
    for (uint32_t k = 0; k < v.n; k++) {
        if (!stamp_read(v.v[k], &s)) {
            return false;
        }
    }
    return true;
}

int8_t *stamp_blank(Ctx *ctx, int32_t h, int32_t w) {
    if (h <= 0 || w <= 0 || h > STAMP_MAX_SIDE || w > STAMP_MAX_SIDE || h * w > STAMP_MAX_CELLS) {
        return NULL;
    }
    return ctx_alloc(ctx, (size_t)(h * w) + 8);
}

int8_t *stamp_new(Ctx *ctx, int32_t h, int32_t w) {
    int8_t *cells = stamp_blank(ctx, h, w);
    if (cells != NULL) {
        memset(cells, 0, (size_t)(h * w));
    }
    return cells;
}

Stamp stamp_full(Ctx *ctx, int32_t i, int32_t j, int32_t h, int32_t w, int8_t color) {
    int8_t *cells = stamp_blank(ctx, h, w);
    if (cells == NULL) {
        return STAMP_NONE;
    }
    memset(cells, color, (size_t)(h * w));
    return (Stamp){i, j, h, w, cells};
}

int32_t stamp_count(const Stamp *s) {
    int32_t count = 0;
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        count += s->c[k] != 0;
    }
    return count;
}

uint32_t stamp_colors(const Stamp *s) {
    uint32_t set = 0;
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        set |= s->c[k] > 0 && s->c[k] < 10 ? 1u << s->c[k] : 0;
    }
    return set;
}

int8_t stamp_majority(const Stamp *s) {
    uint32_t counts[256], best = 0;
    if (!colors_count10(s->c, (size_t)stamp_cells(s), counts)) { /* there are other colors, too */
        colors_count(s->c, (size_t)stamp_cells(s), counts);
        memmove(counts, counts + 128, 10 * sizeof *counts);
    }
    for (uint32_t color = 1; color < 10; color++) {
        if (counts[color] > (best ? counts[best] : 0)) {
            best = color;
        }
    }
    return (int8_t)best;
}

/* ---- cells that belong together ---- */

/* The group that a cell is in for now: that of its first cell in reading order, once all are joined. */
static inline int32_t group_of(int16_t *first, int32_t k) {
    while (first[k] != k) {
        first[k] = first[first[k]];
        k = first[k];
    }
    return k;
}

/* Joins the groups of two cells; returns the one that is left. */
static inline int32_t join_groups(int16_t *first, int32_t a, int32_t b) {
    a = group_of(first, a);
    b = group_of(first, b);
    int32_t min = a < b ? a : b;
    first[a < b ? b : a] = (int16_t)min;
    return min;
}

INLINE bool linked(const Stamp *s, int32_t a, int32_t b, int8_t background, bool one_color) {
    return one_color ? s->c[a] == s->c[b] : s->c[b] != background;
}

/* Cell by cell, with those above and to the left, which are done: those of them that touch each other are in
 * one group already. */
INLINE void group_cells(const Stamp *s, int8_t background, bool corners, bool one_color, int16_t *first) {
    int32_t w = s->w;
    for (int32_t i = 0, k = 0; i < s->h; i++) {
        for (int32_t j = 0; j < w; j++, k++) {
            first[k] = -1;
            if (s->c[k] == background) {
                continue;
            }
            bool above = i > 0 && linked(s, k, k - w, background, one_color),
                 left = j > 0 && linked(s, k, k - 1, background, one_color);
            if (!corners) {
                first[k] = (int16_t)(above && left ? join_groups(first, k - w, k - 1)
                                     : above       ? first[k - w]
                                     : left        ? first[k - 1]
                                                   : k);
                continue;
            }
            if (above) { /* it touches the other three */
                first[k] = first[k - w];
                continue;
            }
            bool before = i > 0 && j > 0 && linked(s, k, k - w - 1, background, one_color),
                 after = i > 0 && j + 1 < w && linked(s, k, k - w + 1, background, one_color);
            int32_t one = left ? k - 1 : k - w - 1;
            first[k] = (int16_t)(!left && !before ? after ? first[k - w + 1] : k
                                 : after          ? join_groups(first, one, k - w + 1)
                                                  : first[one]);
        }
    }
}

int32_t stamp_group(const Stamp *s, int8_t background, bool corners, bool one_color, int16_t *first) {
    if (corners && one_color) {
        group_cells(s, background, true, true, first);
    } else if (corners) {
        group_cells(s, background, true, false, first);
    } else {
        ASSERT(one_color, "groups of several colors that touch over sides only");
        group_cells(s, background, false, true, first);
    }
    int32_t groups = 0;
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        if (first[k] >= 0) {
            groups += first[k] == k;
            first[k] = first[first[k]]; /* which is final: it comes before k */
        }
    }
    return groups;
}

int32_t stamp_components(const Stamp *s) {
    int16_t first[STAMP_MAX_CELLS];
    return stamp_group(s, 0, true, true, first);
}
