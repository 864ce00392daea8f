/* An object tried at all places of a grid of any width at once; see match_wide.h. */
#include "engine/arcdsl/match_wide.h"

#include "engine/arcdsl/bits.h"

/* The places where all cells seen so far match, as rows of bits of any number of words. Memory is what lies
 * beyond the arena's top, which costs no steps. */
typedef struct WideMatch {
    Val grid;
    uint32_t words;        /* for the columns of the grid */
    uint32_t *live, nlive; /* rows that still have places */
    uint64_t *found, *free;
    const char *end;
    uint64_t *of_color[256]; /* the cells of a color, with a word more per row; NULL: not made yet */
} WideMatch;

static bool wide_open(const Ctx *ctx, WideMatch *m, Val grid, uint32_t rows, uint32_t cols) {
    memset(m, 0, sizeof *m);
    m->grid = grid;
    m->words = (grid.w + 63u) / 64;
    m->nlive = rows;
    m->found = (uint64_t *)(void *)(ctx->top + BIT_POSITIONS_SPARE * sizeof(uint32_t));
    m->end = ctx->end;
    size_t words = (size_t)rows * m->words, result = (size_t)rows * cols * sizeof(uint32_t);
    if (ctx_room(ctx) < result + (words + rows) * sizeof *m->found + 64) {
        return false;
    }
    m->live = (uint32_t *)(void *)(m->found + words);
    m->free = m->found + words + rows;
    for (uint32_t i = 0; i < rows; i++) {
        m->live[i] = i;
        for (uint32_t x = 0; x < m->words; x++) {
            uint32_t left = cols > 64 * x ? cols - 64 * x : 0;
            m->found[i * m->words + x] = left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX;
        }
    }
    return true;
}

/* NULL: no room. */
static const uint64_t *wide_color(WideMatch *m, int64_t color) {
    uint64_t **made = &m->of_color[(uint8_t)color], *to = m->free;
    if (*made != NULL) {
        return *made;
    }
    size_t words = (size_t)m->grid.n * (m->words + 1);
    if ((size_t)(m->end - (const char *)to) < words * sizeof *to) {
        return NULL;
    }
    const int8_t *cells = m->grid.b8;
    for (uint32_t i = 0; i < m->grid.n; i++, cells += m->grid.w) {
        for (uint32_t x = 0; x < m->words; x++) {
            uint32_t left = m->grid.w - 64 * x;
            uint64_t part[64 / 64 + 2]; /* bits_words(64) */
            bits_equal(cells + 64 * (size_t)x, left < 64 ? left : 64, (int8_t)color, part);
            *to++ = part[0];
        }
        *to++ = 0;
    }
    m->free = to;
    return *made = to - words;
}

/* Keeps the places at which this cell of the object matches, and the rows that have any. */
static void wide_keep(WideMatch *m, const uint64_t *of_color, uint32_t down, uint32_t right) {
    uint32_t kept = 0, skip = right / 64, by = right % 64, stride = m->words + 1;
    for (uint32_t k = 0; k < m->nlive; k++) {
        uint32_t i = m->live[k];
        const uint64_t *row = of_color + (size_t)(i + down) * stride + skip;
        uint64_t *found = m->found + (size_t)i * m->words, any = 0;
        for (uint32_t x = 0; x + skip < m->words; x++) {
            found[x] &= row[x] >> by | row[x + 1] << 1 << (63 - by);
            any |= found[x];
        }
        m->live[kept] = i;
        kept += any != 0;
    }
    m->nlive = kept;
}

static uint64_t wide_count(const WideMatch *m) {
    uint64_t n = 0;
    for (uint32_t k = 0; k < m->nlive; k++) {
        for (uint32_t x = 0; x < m->words; x++) {
            n += (uint64_t)__builtin_popcountll(m->found[(size_t)m->live[k] * m->words + x]);
        }
    }
    return n;
}

static uint32_t wide_keys(const WideMatch *m, uint32_t *keys) {
    uint32_t *to = keys;
    for (uint32_t k = 0; k < m->nlive; k++) {
        for (uint32_t x = 0; x < m->words; x++) {
            uint64_t found = m->found[(size_t)m->live[k] * m->words + x];
            to = bit_positions_write(found, key_index((int32_t)m->live[k], (int32_t)(64 * x)), to);
        }
    }
    return (uint32_t)(to - keys);
}

bool match_wide(Ctx *ctx, Val grid, const Patch *cells, uint32_t rows, uint32_t cols, void *room, Val *to) {
    WideMatch m;
    uint64_t places = (uint64_t)rows * cols, charge = places;
    if (grid.n > KEY_INDEX || !ctx_ensure(ctx, 2 * places + 16 * places * (cells->n / 64)) ||
        !wide_open(ctx, &m, grid, rows, cols)) {
        return false;
    }
    for (uint32_t k = 0; k < cells->n; k++) {
        if (cells->cells[k].i > grid.n - rows || cells->cells[k].j > grid.w - cols) {
            return false;
        }
    }
    size_t walked = 0;
    for (uint32_t k = 0; k < cells->n && m.nlive != 0; k++) {
        const PatchCell *cell = &cells->cells[k];
        const uint64_t *of_color = wide_color(&m, cell->c.i);
        if (of_color == NULL) {
            return false;
        }
        charge += k % 64 == 63 ? 16 * wide_count(&m) : 0;
        wide_keep(&m, of_color, (uint32_t)cell->i, (uint32_t)cell->j);
        if (!ctx_check_time_after(ctx, &walked, 1 + (size_t)m.nlive * m.words)) {
            *to = val_fail_budget(ctx);
            return true;
        }
    }
    uint32_t *keys = room, n = wide_keys(&m, keys);
    ctx->fuel -= (int64_t)(charge + ((n * sizeof *keys + 15) & ~(size_t)15) / 64);
    *to = val_keys_sorted(VAL_INDICES, keys, n);
    return true;
}
