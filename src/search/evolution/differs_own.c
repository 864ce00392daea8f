/* Computes the scores of the built-in differs; see differs_own.h. */
#include "search/evolution/differs_own.h"

#include "base/mix.h"
#include "engine/arcdsl/bits.h"
#include "engine/arcdsl/colors.h"

#include <string.h>

enum { WHOLE = 1000, PIECE = 100, WIDE = 32 }; /* WIDE: bytes compared per row */

/* ---- one grid ---- */

typedef struct ColorRun { /* cells of one color in a row */
    uint32_t from, until;
    int8_t color;
    uint16_t label;
} ColorRun;

typedef struct Labels { /* of runs; runs that touch share the smaller one */
    uint32_t count;
    uint16_t up[TRAITS_CELLS], size[TRAITS_CELLS];
} Labels;

static uint16_t top_of(Labels *l, uint16_t label) {
    while (l->up[label] != label) {
        label = l->up[label] = l->up[l->up[label]];
    }
    return label;
}

static void join(Labels *l, uint16_t a, uint16_t b) {
    a = top_of(l, a);
    b = top_of(l, b);
    if (a != b) {
        uint16_t low = a < b ? a : b, high = a < b ? b : a;
        l->up[high] = low;
        l->size[low] = (uint16_t)(l->size[low] + l->size[high]);
        l->size[high] = 0;
    }
}

static uint64_t row_hash(const int8_t *row, uint32_t w) {
    uint64_t words[WIDE / 8] = {0}, hash = 0;
    memcpy(words, row, w);
    for (int k = 0; k < WIDE / 8; k++) {
        hash = mix64(hash, words[k]);
    }
    return hash;
}

/* Bit j: cell j is the last of its run. */
static uint64_t row_ends(const int8_t *row, uint32_t w) {
    uint64_t same = bits_same16(row, row + 1) | bits_same16(row + 16, row + 17) << 16;
    return (~same & (((uint64_t)1 << w) - 1)) | (uint64_t)1 << (w - 1);
}

/* The runs of a row that are not background; each gets a label, joined with those of the runs above. */
static uint32_t read_row(Traits *t, Labels *l, const int8_t *row, int64_t background, const ColorRun *above,
                         uint32_t n_above, ColorRun *runs) {
    uint32_t n = 0, from = 0, near = 0;
    for (uint64_t ends = row_ends(row, t->grid.w); ends != 0; ends &= ends - 1) {
        uint32_t until = (uint32_t)__builtin_ctzll(ends) + 1;
        int8_t color = row[from];
        unsigned slot = (unsigned)(color + 128);
        t->colors[slot / 64] |= (uint64_t)1 << slot % 64;
        if (color != background) {
            uint16_t label = (uint16_t)l->count++;
            l->up[label] = label;
            l->size[label] = (uint16_t)(until - from);
            while (near < n_above && above[near].until <= from) {
                near++;
            }
            for (uint32_t k = near; k < n_above && above[k].from < until; k++) {
                if (above[k].color == color) {
                    join(l, above[k].label, label);
                }
            }
            runs[n++] = (ColorRun){from, until, color, label};
        }
        from = until;
    }
    return n;
}

void traits_of(Traits *t, Val grid) {
    int8_t cells[TRAITS_CELLS + WIDE + 1];
    size_t n = (size_t)grid.n * grid.w;
    Labels labels;
    ColorRun runs[2][TRAITS_SIDE];
    uint32_t n_runs[2] = {0, 0};
    int64_t background = 0;
    memcpy(cells, grid.b8, n);
    memset(cells + n, 0, WIDE + 1);
    memset(t->colors, 0, sizeof t->colors);
    memset(t->sized, 0, sizeof t->sized);
    t->grid = grid;
    t->things = labels.count = 0;
    grid_mostcolor(grid, &background);
    for (uint32_t i = 0; i < grid.n; i++) {
        const int8_t *row = cells + i * grid.w;
        unsigned now = i & 1;
        t->rows[i] = row_hash(row, grid.w);
        n_runs[now] = read_row(t, &labels, row, background, runs[!now], n_runs[!now], runs[now]);
    }
    for (uint32_t k = 0; k < labels.count; k++) {
        uint16_t size = labels.size[k];
        if (size != 0) {
            t->sizes[t->things++] = size;
            t->sized[size / 64] |= (uint64_t)1 << size % 64;
        }
    }
}

/* ---- two grids ---- */

static int64_t cells_alike(Val a, Val b) {
    uint32_t n = a.n * a.w, alike = 0;
    if (a.n != b.n || a.w != b.w) {
        return 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        alike += a.b8[k] == b.b8[k];
    }
    return (int64_t)alike * WHOLE / n;
}

static bool has_row(const Traits *t, const Traits *from, uint32_t row) {
    const int8_t *cells = from->grid.b8 + (size_t)row * from->grid.w;
    uint32_t at = row < t->grid.n ? row : 0; /* most likely in the same place */
    for (uint32_t k = 0; k < t->grid.n; k++, at = at + 1 < t->grid.n ? at + 1 : 0) {
        if (t->rows[at] == from->rows[row] &&
            memcmp(t->grid.b8 + (size_t)at * t->grid.w, cells, t->grid.w) == 0) {
            return true;
        }
    }
    return false;
}

static int64_t rows_found(const Traits *wanted, const Traits *answer) {
    int64_t found = 0;
    for (uint32_t i = 0; i < wanted->grid.n && wanted->grid.w == answer->grid.w; i++) {
        found += has_row(answer, wanted, i);
    }
    return found * WHOLE / wanted->grid.n;
}

static int64_t quotient(uint32_t a, uint32_t b) {
    return a < b ? (int64_t)a * WHOLE / b : (int64_t)b * WHOLE / a;
}

static int64_t colors_lost(const Traits *a, const Traits *b) {
    int64_t lost = 0;
    for (int k = 0; k < 4; k++) {
        lost += __builtin_popcountll(a->colors[k] & ~b->colors[k]);
    }
    return lost;
}

static int64_t sizes_lost(const Traits *a, const Traits *b) {
    int64_t lost = 0;
    for (uint32_t k = 0; k < a->things; k++) {
        lost += (b->sized[a->sizes[k] / 64] >> a->sizes[k] % 64 & 1) == 0;
    }
    return lost;
}

static int64_t minus(int64_t pieces) {
    return pieces * PIECE < WHOLE ? WHOLE - pieces * PIECE : 0;
}

int64_t traits_grades(const Traits *wanted, const Traits *answer) {
    int64_t tall = quotient(wanted->grid.n, answer->grid.n), wide = quotient(wanted->grid.w, answer->grid.w);
    return cells_alike(wanted->grid, answer->grid) + rows_found(wanted, answer) +
           (tall < wide ? tall : wide) + minus(colors_lost(wanted, answer)) +
           minus(colors_lost(answer, wanted)) +
           minus(sizes_lost(wanted, answer) + sizes_lost(answer, wanted));
}
