/* Stamps as values, and how they are measured; see stamp.h. */
#include "stamps/stamp.h"

#include <string.h>

bool stamp_read(Val v, Stamp *s) {
    Val grid = v;
    *s = STAMP_NONE;
    if (v.kind == VAL_TUPLE && v.n == 2 && v.v[0].kind == VAL_PAIR) {
        s->i = v.v[0].a;
        s->j = v.v[0].b;
        grid = v.v[1];
    }
    if (grid.kind != VAL_GRID8 || grid.w == 0 || grid.n > STAMP_MOST_SIDE || grid.w > STAMP_MOST_SIDE ||
        (int32_t)grid.n * grid.w > STAMP_MOST_CELLS) {
        return false;
    }
    enum { FAR = 1 << 20 }; /* keeps all arithmetic on places far from overflow */
    s->h = (int32_t)grid.n;
    s->w = grid.w;
    s->c = grid.b8;
    return s->i > -FAR && s->i < FAR && s->j > -FAR && s->j < FAR;
}

Val stamp_val(Ctx *ctx, Stamp s) {
    ASSERT(s.h >= 0 && s.h <= STAMP_MOST_SIDE && s.w >= 0 && s.w <= STAMP_MOST_SIDE &&
               s.h * s.w <= STAMP_MOST_CELLS,
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

int8_t *stamp_new(Ctx *ctx, int32_t h, int32_t w) {
    if (h <= 0 || w <= 0 || h > STAMP_MOST_SIDE || w > STAMP_MOST_SIDE || h * w > STAMP_MOST_CELLS) {
        return NULL;
    }
    int8_t *cells = ctx_alloc(ctx, (size_t)(h * w) + 8);
    if (cells != NULL) {
        memset(cells, 0, (size_t)(h * w));
    }
    return cells;
}

Stamp stamp_full(Ctx *ctx, int32_t i, int32_t j, int32_t h, int32_t w, int8_t color) {
    int8_t *cells = stamp_new(ctx, h, w);
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
    int32_t counts[256] = {0}, best = 0;
    for (int32_t k = 0, n = stamp_cells(s); k < n; k++) {
        counts[(uint8_t)s->c[k]]++;
    }
    for (int32_t color = 1; color < 10; color++) {
        if (counts[color] > (best ? counts[best] : 0)) {
            best = color;
        }
    }
    return (int8_t)best;
}

int32_t stamp_components(const Stamp *s) {
    int16_t label[STAMP_MOST_CELLS], stack[STAMP_MOST_CELLS];
    int32_t n = stamp_cells(s), components = 0;
    memset(label, 0, (size_t)n * sizeof *label);
    for (int32_t k = 0; k < n; k++) {
        if (s->c[k] == 0 || label[k] != 0) {
            continue;
        }
        int32_t top = 0;
        components++;
        label[k] = 1;
        stack[top++] = (int16_t)k;
        while (top > 0) {
            int32_t at = stack[--top], i = at / s->w, j = at % s->w;
            for (int32_t a = i > 0 ? i - 1 : 0; a <= i + 1 && a < s->h; a++) {
                for (int32_t b = j > 0 ? j - 1 : 0; b <= j + 1 && b < s->w; b++) {
                    int32_t next = a * s->w + b;
                    if (label[next] == 0 && s->c[next] == s->c[k]) {
                        label[next] = 1;
                        ASSERT(top < n, "%d cells on the stack, of %d", top, n);
                        stack[top++] = (int16_t)next;
                    }
                }
            }
        }
    }
    return components;
}
