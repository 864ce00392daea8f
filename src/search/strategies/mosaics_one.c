/* Outputs made of one cutting: turned and recolored, blown up or repeated as often as a number of the input
 * says, or copied as blocks that are turned, blank or negative. */
#include "engine/features/grid_numbers.h"
#include "search/strategies/mosaics_internal.h"

#include <string.h>

enum { MAX_SIDE_BLOCKS = 8 };

/* ---- turned, colors through a table ---- */

bool mosaics_learn_map(const SearchTask *t, const Val *grids, int turn, MosaicMap *map) {
    memset(map->to, -1, sizeof map->to);
    map->changed = 0;
    for (uint32_t s = 0; s < t->n_train; s++) {
        Val g = grids[s], out = t->out[s];
        int32_t h = (int32_t)g.n, w = g.w;
        bool across = turn == 1 || turn == 3 || turn >= 6;
        if ((across ? w : h) != (int32_t)out.n || (across ? h : w) != out.w) {
            return false;
        }
        for (int32_t k = 0; k < h * w; k++) {
            int32_t i, j;
            scene_turned_from((unsigned)turn, h, w, k / out.w, k % out.w, &i, &j);
            int8_t from = g.b8[i * w + j];
            if (from < 0 || from >= N_COLORS || (map->to[from] >= 0 && map->to[from] != out.b8[k])) {
                return false;
            }
            map->to[from] = out.b8[k];
        }
    }
    for (int c = 0; c < N_COLORS; c++) {
        map->changed += map->to[c] >= 0 && map->to[c] != c;
    }
    return true;
}

Ref mosaics_map_ref(Search *search, Ref at, const MosaicMap *map) {
    Builder *b = &search->builder;
    Val *rows = val_buffer(search->ctx, N_COLORS), *leaf = val_buffer(search->ctx, 3);
    uint32_t n = 0;
    if (map->changed == 0 || rows == NULL || leaf == NULL) {
        return at;
    }
    for (int c = 0; c < N_COLORS; c++) {
        if (map->to[c] >= 0 && map->to[c] != c) {
            rows[n++] = val_pair32(c, map->to[c]);
        }
    }
    leaf[0] = val_int(2); /* MAP */
    leaf[1] = val_int(FEATURE_OWN);
    leaf[2] = val_tuple(search->ctx, rows, n);
    Ref args[2] = {at, build_const(b, val_tuple(search->ctx, leaf, 3))};
    return build_op(b, OP_PRIM, P_cell_rule, args, 2, 0, "", 0);
}

double mosaics_map_cost(const Search *search, const MosaicMap *map) {
    const Tunables *tune = search->tune;
    return map->changed == 0 ? 0 : tune->mosaics_map_cost + tune->mosaics_row_cost * map->changed;
}

static void try_turns(Mosaics *m, const Cutting *c) {
    Search *search = m->search;
    Builder *b = &search->builder;
    for (int turn = 0; turn < MOSAIC_TURNS; turn++) {
        MosaicMap map;
        if (!mosaics_learn_map(search->task, c->vals, turn, &map) ||
            (turn == 0 && map.changed == 0 && c->sum.how < 0) || !mosaics_may_offer(m)) {
            continue;
        }
        build_start(b);
        Ref at = cuttings_ref(search, c);
        if (turn > 0) {
            Ref args[2] = {at, build_const(b, val_int(turn))};
            at = build_op(b, OP_PRIM, P_stamp_turn, args, 2, 0, "", 0);
        }
        at = mosaics_map_ref(search, at, &map);
        mosaics_offer(m, at,
                      c->cost + (turn > 0 ? search->tune->mosaics_turn_cost : 0) +
                          mosaics_map_cost(search, &map));
    }
}

/* ---- copies as blocks ---- */

/* What may stand in a block in all pairs, as bits. */
static uint32_t block_choices(const SearchTask *t, const Cutting *c, int32_t row, int32_t column) {
    uint32_t set = (1u << MOSAIC_BLOCKS) - 1;
    int8_t block[FEATURE_MAX_CELLS];
    for (uint32_t s = 0; s < t->n_train && set != 0; s++) {
        Val g = c->vals[s], out = t->out[s];
        int32_t h = (int32_t)g.n, w = g.w;
        for (int what = 0; what < MOSAIC_BLOCKS; what++) {
            bool good = (set >> what & 1) && mosaic_block(g, what, block);
            for (int32_t k = 0; k < h * w && good; k++) {
                good = out.b8[(row * h + k / w) * out.w + column * w + k % w] == block[k];
            }
            set &= good ? ~0u : ~(1u << what);
        }
    }
    return set;
}

/* Whether all outputs have this many blocks. */
static bool same_blocks(const SearchTask *t, const Cutting *c, int32_t rows, int32_t columns) {
    for (uint32_t s = 0; s < t->n_train; s++) {
        if (t->out[s].n != (uint32_t)rows * c->vals[s].n || t->out[s].w != columns * c->vals[s].w) {
            return false;
        }
    }
    return rows * columns >= 2 && rows <= MAX_SIDE_BLOCKS && columns <= MAX_SIDE_BLOCKS;
}

static void try_blocks(Mosaics *m, const Cutting *c) {
    Search *search = m->search;
    const SearchTask *t = search->task;
    int32_t rows = (int32_t)(t->out[0].n / c->vals[0].n), columns = t->out[0].w / c->vals[0].w;
    int8_t *table = ctx_alloc(search->ctx, MAX_SIDE_BLOCKS * MAX_SIDE_BLOCKS);
    uint32_t kinds = 0;
    if (table == NULL || !same_blocks(t, c, rows, columns)) {
        return;
    }
    for (int32_t k = 0; k < rows * columns; k++) {
        uint32_t set = block_choices(t, c, k / columns, k % columns), again = set & kinds;
        if (set == 0) {
            return;
        }
        /* of several that fit, one that stands elsewhere, too */
        table[k] = (int8_t)__builtin_ctz(again != 0 ? again : set);
        kinds |= 1u << table[k];
    }
    if (kinds == 1u << MOSAIC_BLANK || !mosaics_may_offer(m)) {
        return;
    }
    Builder *b = &search->builder;
    build_start(b);
    Ref args[2] = {cuttings_ref(search, c),
                   build_const(b, val_grid8(table, (uint32_t)rows, (uint32_t)columns))};
    mosaics_offer(m, build_op(b, OP_PRIM, P_mosaic_blocks, args, 2, 0, "", 0),
                  c->cost + search->tune->mosaics_blocks_cost +
                      search->tune->mosaics_kind_cost * (__builtin_popcount(kinds) - 1));
}

/* ---- as large as a number says ---- */

/* How many times as high and wide the outputs are; false: that is one in all pairs, or not the same number
 * both ways where both change. */
typedef struct Factors {
    int32_t of[SEARCH_MAX_SAMPLES];
    bool rows, columns; /* which sides change */
} Factors;

static bool find_factors(const SearchTask *t, const Cutting *c, Factors *f) {
    f->rows = f->columns = false;
    for (uint32_t s = 0; s < t->n_train; s++) {
        Val g = c->vals[s], out = t->out[s];
        if (out.n % g.n != 0 || out.w % g.w != 0) {
            return false;
        }
        f->rows |= out.n != g.n;
        f->columns |= out.w != g.w;
    }
    for (uint32_t s = 0; s < t->n_train; s++) {
        int32_t v = (int32_t)(t->out[s].n / c->vals[s].n), h = t->out[s].w / c->vals[s].w;
        if (f->rows && f->columns && v != h) {
            return false;
        }
        f->of[s] = f->rows ? v : h;
    }
    return f->rows || f->columns;
}

/* Whether the outputs are the cuttings blown up (or repeated) by these factors. */
static bool is_grown(const SearchTask *t, const Cutting *c, bool repeated) {
    for (uint32_t s = 0; s < t->n_train; s++) {
        Val g = c->vals[s], out = t->out[s];
        for (int32_t k = 0; k < (int32_t)out.n * out.w; k++) {
            int32_t i = k / out.w, j = k % out.w;
            int32_t from = repeated ? i % (int32_t)g.n * g.w + j % g.w
                                    : i / (int32_t)(out.n / g.n) * g.w + j / (out.w / g.w);
            if (g.b8[from] != out.b8[k]) {
                return false;
            }
        }
    }
    return true;
}

static void offer_grown(Mosaics *m, const Cutting *c, const Factors *f, bool repeated, GridNumber number) {
    Search *search = m->search;
    Builder *b = &search->builder;
    build_start(b);
    Ref grid = cuttings_ref(search, c);
    Ref ask[2] = {PARAM_I, build_const(b, val_int(number))};
    Ref times = build_op(b, OP_PRIM, P_grid_number, ask, 2, 0, "", 0), one = build_const(b, val_int(1));
    Ref pair[2] = {f->rows ? times : one, f->columns ? times : one};
    pair[0] = build_op(b, OP_PRIM, P_astuple, pair, 2, 0, "", 0);
    pair[1] = build_op(b, OP_PRIM, P_shape, &grid, 1, 0, "", 0);
    Ref size = build_op(b, OP_PRIM, P_multiply, pair, 2, 0, "", 0);
    Ref args[3] = {grid, size, build_const(b, val_int(0))};
    Ref at = repeated ? build_op(b, OP_PRIM, P_stamp_tile, args, 3, 0, "", 0)
                      : build_op(b, OP_PRIM, P_stamp_scale, args, 2, 0, "", 0);
    mosaics_offer(m, at, c->cost + search->tune->mosaics_grow_cost + 1.5 * grid_number_sorts[number].cost);
}

static void try_numbers(Mosaics *m, const Cutting *c) {
    const SearchTask *t = m->search->task;
    Factors f;
    bool may[NUMBER_COUNT];
    if (!find_factors(t, c, &f)) {
        return;
    }
    memset(may, true, sizeof may);
    for (uint32_t s = 0; s < t->n_train; s++) {
        GridAnalysis analysis;
        Reason why;
        GridNumbers numbers;
        if (!analysis_of(t->in[s], &analysis, &why)) {
            return;
        }
        grid_numbers(&analysis, &numbers);
        for (int n = 0; n < NUMBER_COUNT; n++) {
            may[n] &= grid_number_sorts[n].kind == FEATURE_IS_COUNT && numbers.of[n] == f.of[s];
        }
    }
    for (int repeated = 0; repeated < 2; repeated++) {
        bool grown = is_grown(t, c, repeated);
        for (int n = 0; n < NUMBER_COUNT && grown; n++) {
            if (may[n] && mosaics_may_offer(m)) {
                offer_grown(m, c, &f, repeated, (GridNumber)n);
            }
        }
    }
}

/* ---- intermediates ---- */

enum { MAX_INTERMEDIATES = 4 };

static void add_intermediate(Mosaics *m, const Cutting *c) {
    Search *search = m->search;
    uint32_t like;
    for (uint32_t s = 0; s < search->task->n_train; s++) {
        if (c->vals[s].n != search->task->out[s].n || c->vals[s].w != search->task->out[s].w) {
            return;
        }
    }
    if (m->intermediates < MAX_INTERMEDIATES && (c->segmentation != CUTTINGS_WHOLE || c->sum.how >= 0) &&
        intermediates_want(search, c->vals, &like)) {
        m->intermediates++;
        build_start(&search->builder);
        intermediates_add(search, c->vals, like, search->tune->mosaics_cost + c->cost,
                          search_finish(search, cuttings_ref(search, c)));
    }
}

bool mosaics_try_one(Mosaics *m, const Cutting *c) {
    try_turns(m, c);
    try_blocks(m, c);
    try_numbers(m, c);
    add_intermediate(m, c);
    return search_spend(m->search, 8);
}
