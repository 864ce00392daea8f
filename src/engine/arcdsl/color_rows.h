/* The cells of each color as bit rows, made when first asked for. */
#ifndef BATT_ENGINE_ARCDSL_COLOR_ROWS_H
#define BATT_ENGINE_ARCDSL_COLOR_ROWS_H

#include "engine/arcdsl/bits.h"
#include "engine/value/value.h"

typedef struct ColorRows {
    Val grid;         /* of bytes, 1..64 columns */
    uint64_t made[4]; /* one bit per color: whether its rows have been made */
    uint64_t *rows[256];
} ColorRows;

static inline void color_rows_open(ColorRows *colors, Val grid) {
    ASSERT(grid.kind == VAL_GRID8 && grid.w >= 1 && grid.w <= BITS_WIDTH, "kind %u, %u columns", grid.kind,
           grid.w);
    colors->grid = grid;
    memset(colors->made, 0, sizeof colors->made);
}

/* One word per row. NULL: out of memory. */
static inline uint64_t *color_rows(Ctx *ctx, ColorRows *colors, int32_t color) {
    ASSERT(color >= -128 && color < 128, "color %d", color);
    unsigned slot = (unsigned)(color + 128);
    Val grid = colors->grid;
    if (LIKELY(colors->made[slot / 64] >> slot % 64 & 1)) {
        return colors->rows[slot];
    }
    size_t n = (size_t)grid.n * grid.w;
    uint64_t *rows = ctx_alloc(ctx, grid.n * sizeof *rows);
    CtxMark mark = ctx_mark(ctx);
    uint64_t *words = rows == NULL ? NULL : ctx_alloc(ctx, bits_words(n) * sizeof *words);
    if (words == NULL) {
        return NULL;
    }
    bits_equal(grid.b8, n, (int8_t)color, words);
    for (uint32_t i = 0; i < grid.n; i++) {
        rows[i] = bits_row(words, (size_t)i * grid.w, grid.w);
    }
    ctx_release(ctx, mark);
    colors->made[slot / 64] |= (uint64_t)1 << slot % 64;
    colors->rows[slot] = rows;
    return rows;
}

#endif
