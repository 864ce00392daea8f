/* Tables: two pieces together determine the color of every cell. */
#include "search/strategies/stack.h"

#include <math.h>
#include <string.h>

enum { MAX_ROWS = 16 }; /* room */

static Program *program_of(Stack *s, uint32_t x, uint32_t y, const ColorTable *table) {
    Builder *b = &s->grow.search->builder;
    Ref *refs = grow_refs(&s->grow);
    int8_t rows[MAX_ROWS * 3 + 3];
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

static void offer(Stack *s, uint32_t x, uint32_t y, const ColorTable *table) {
    unsigned cost = s->pieces[x].cost > s->pieces[y].cost ? s->pieces[x].cost : s->pieces[y].cost;
    const Tunables *tune = s->grow.search->tune;
    int colors = __builtin_popcount(s->grow.task->out_colors); /* colors that a row could have */
    double rows = tune->stamps_row_scale * table->rows * log2(colors + 1);
    search_offer(s->grow.search, program_of(s, x, y, table),
                 cost + tune->stamps_table_cost + rows + (x != y ? tune->stamps_second_cost : 0));
}

/* The batched operations of one search for tables (search/strategies/layers.h). */
typedef struct TablesPass {
    Tables tables;
    BackendBlock cells, target;
    int8_t *cell_bytes;
    void *target_bytes;
    uint32_t max; /* pieces that are joined with all before them at a time */
} TablesPass;

/* False: no memory; close it anyway. */
static bool pass_open(TablesPass *l, const Stack *s, uint32_t pieces) {
    Search *search = s->grow.search;
    uint32_t stride = s->cells + s->test_cells;
    size_t bytes = layers_target_bytes(s->cells, pieces);
    *l = (TablesPass){.max = backend_chunk_size(search->backend, pieces, pieces)};
    l->tables = (Tables){.cells = &l->cells,
                         .target = &l->target,
                         .pieces = pieces,
                         .stride = stride,
                         .known = s->cells,
                         .rows = search->tune->stamps_rows_max};
    l->cell_bytes = quota_grow(&search->quota, NULL, pieces, stride);
    l->target_bytes = quota_grow(&search->quota, NULL, bytes, 1);
    l->tables.hits =
        quota_grow(&search->quota, NULL, l->max * layers_table_words(pieces), sizeof *l->tables.hits);
    if (l->cell_bytes == NULL || l->target_bytes == NULL || l->tables.hits == NULL) {
        return false;
    }
    for (uint32_t p = 0; p < pieces; p++) {
        stack_render(s, &s->pieces[p], l->cell_bytes + (size_t)p * stride);
    }
    layers_target_fill(l->target_bytes, s->target, s->cells, l->cell_bytes, stride, pieces);
    l->cells = (BackendBlock){.bytes = l->cell_bytes, .size = (size_t)pieces * stride};
    l->target = (BackendBlock){.bytes = l->target_bytes, .size = bytes};
    return true;
}

static void pass_close(TablesPass *l, Search *search) {
    backend_drop_block(search->backend, &l->cells);
    backend_drop_block(search->backend, &l->target);
    quota_free(&search->quota, l->cell_bytes);
    quota_free(&search->quota, l->target_bytes);
    quota_free(&search->quota, l->tables.hits);
}

bool stack_try_tables(Stack *s, uint32_t max) {
    Search *search = s->grow.search;
    uint32_t pieces = s->count < max ? s->count : max, found = 0, max_found = search->tune->stamps_tables_max;
    if (s->other_cells > 0) {
        return true; /* tables are only for when every output is explained */
    }
    TablesPass pass;
    Tables *t = &pass.tables;
    bool go_on = pass_open(&pass, s, pieces);
    size_t words = layers_table_words(pieces);
    while (t->last < pieces && go_on && found < max_found) {
        uint64_t waited = 0;
        t->first = t->last;
        t->last = pieces - t->first < pass.max ? pieces : t->first + pass.max;
        go_on = layers_tables(search->backend, search->ctx, t, &waited);
        search_waited(search, waited);
        for (uint32_t y = t->first; y < t->last && go_on && found < max_found; y++) {
            const uint32_t *hits = t->hits + (y - t->first) * words;
            for (uint32_t x = 0; x <= y && found < max_found; x++) {
                ColorTable table;
                if (hits[x / 32] >> x % 32 & 1 && layers_table_of(t, x, y, &table)) {
                    offer(s, x, y, &table);
                    found++;
                }
            }
            go_on = search_spend(search, y / 4 + 1);
        }
    }
    pass_close(&pass, search);
    return go_on;
}
