/* Tables: two pieces together determine the color of every cell. */
#include "search/stack.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 16 }; /* room */

/* Two cells whose right colors differ must look different in at least one of the two pieces. For a sample of
 * such couples of cells, every piece has a bit that says that both look the same to it. Two pieces with a bit
 * in common cannot determine the outputs, which rules out nearly all combinations. */
enum { COUPLES = 256 };
typedef uint64_t Blind[COUPLES / 64];

typedef struct ColorTable {
    int8_t map[10][10]; /* -1: not met */
    unsigned rows;
} ColorTable;

/* Do the two pieces together determine the outputs? */
static bool decides(const Stack *s, const int8_t *x, const int8_t *y, ColorTable *table) {
    memset(table->map, -1, sizeof table->map);
    table->rows = 0;
    for (uint32_t k = 0; k < s->cells; k++) {
        int8_t *z = &table->map[x[k]][y[k]];
        if (*z != s->target[k]) {
            if (*z >= 0 || ++table->rows > s->grow.search->tune->stamps_rows_most) {
                return false;
            }
            *z = s->target[k];
        }
    }
    for (uint32_t k = s->cells; k < s->cells + s->test_cells; k++) {
        if (table->map[x[k]][y[k]] < 0) {
            return false;
        }
    }
    return true;
}

static Program *program_of(Stack *s, uint32_t x, uint32_t y, const ColorTable *table) {
    Builder *b = &s->grow.search->builder;
    Ref *refs = grow_refs(&s->grow);
    int8_t rows[MOST_ROWS * 3 + 3];
    uint32_t n = 0;
    if (refs == NULL) {
        return NULL;
    }
    for (int8_t a = 0; a < 10; a++) {
        for (int8_t c = 0; c < 10; c++) {
            if (table->map[a][c] >= 0) {
                rows[3 * n] = a;
                rows[3 * n + 1] = c;
                rows[3 * n++ + 2] = table->map[a][c];
            }
        }
    }
    Ref dims = grow_size_ref(&s->grow, refs);
    Ref args[3] = {stack_piece_ref(s, x, dims, refs), stack_piece_ref(s, y, dims, refs),
                   build_const(b, val_grid8(rows, n, 3))};
    Ref result = build_op(b, OP_PRIM, P_stamp_table, args, 3, 0, "", 0);
    quota_free(&s->grow.search->kept, refs);
    return search_finish(s->grow.search, result);
}

static void fill_blind(const Stack *s, const int8_t *cells, size_t stride, uint32_t pieces, Blind *blind) {
    uint32_t random = 1;
    memset(blind, 0, pieces * sizeof *blind);
    for (unsigned k = 0; k < COUPLES && s->cells > 0; k++) {
        uint32_t a = 0, b = 0;
        for (unsigned tries = 0; tries < 20 && s->target[a] == s->target[b]; tries++) {
            random = random * 1664525 + 1013904223;
            a = (uint32_t)((uint64_t)random * s->cells >> 32);
            random = random * 1664525 + 1013904223;
            b = (uint32_t)((uint64_t)random * s->cells >> 32);
        }
        for (uint32_t p = 0; p < pieces && s->target[a] != s->target[b]; p++) {
            blind[p][k / 64] |= (uint64_t)(cells[p * stride + a] == cells[p * stride + b]) << k % 64;
        }
    }
}

static bool both_blind(const uint64_t *x, const uint64_t *y) {
    uint64_t both = 0;
    for (unsigned k = 0; k < COUPLES / 64; k++) {
        both |= x[k] & y[k];
    }
    return both != 0;
}

static void offer(Stack *s, uint32_t x, uint32_t y, const ColorTable *table) {
    unsigned cost = s->pieces[x].cost > s->pieces[y].cost ? s->pieces[x].cost : s->pieces[y].cost;
    const Tunables *tune = s->grow.search->tune;
    int colors = __builtin_popcount(s->grow.task->out_colors); /* colors that a row could have */
    double rows = tune->stamps_row_scale * table->rows * log2(colors + 1);
    search_offer(s->grow.search, program_of(s, x, y, table),
                 cost + tune->stamps_table_cost + rows + (x != y ? tune->stamps_second_cost : 0));
}

bool stack_try_tables(Stack *s, uint32_t most) {
    Search *search = s->grow.search;
    uint32_t pieces = s->count < most ? s->count : most, found = 0;
    size_t stride = (size_t)s->cells + s->test_cells;
    if (s->other_cells > 0) {
        return true; /* tables are only for when every output is explained */
    }
    int8_t *cells = quota_grow(&search->quota, NULL, pieces, stride);
    Blind *blind = quota_grow(&search->quota, NULL, pieces, sizeof *blind);
    bool go_on = cells != NULL && blind != NULL;
    for (uint32_t p = 0; p < pieces && go_on; p++) {
        stack_render(s, &s->pieces[p], cells + p * stride);
    }
    if (go_on) {
        fill_blind(s, cells, stride, pieces, blind);
    }
    for (uint32_t y = 0; y < pieces && go_on && found < search->tune->stamps_tables_most; y++) {
        for (uint32_t x = 0; x <= y && found < search->tune->stamps_tables_most; x++) {
            ColorTable table;
            if (!both_blind(blind[x], blind[y]) &&
                decides(s, cells + x * stride, cells + y * stride, &table)) {
                offer(s, x, y, &table);
                found++;
            }
        }
        go_on = search_spend(search, y / 4 + 1);
    }
    quota_free(&search->quota, cells);
    quota_free(&search->quota, blind);
    return go_on;
}
