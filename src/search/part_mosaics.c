/* The mosaics part: outputs made of one or two cuttings of the input (cuttings.h): turned or recolored,
 * copied block by block, or joined cell by cell, each cell of one a block of the other. Sizes refute nearly
 * every choice. */
#include "patterns/mosaic.h"
#include "search/cuttings.h"
#include "search/parts.h"

#include <string.h>

enum { MOST_OFFERS = 60, MOST_SIDE_BLOCKS = 8 };

typedef struct State {
    Cuttings pool;
    uint32_t offers;
    bool done;
} State;

/* ---- sizes ---- */

static bool divides(Val grid, Val out) {
    return out.n % grid.n == 0 && out.w % grid.w == 0;
}

/* Grids are of use if they divide the outputs, as they are or turned, and are not single cells. */
static bool want(const SearchTask *t, const Val *vals) {
    bool as_is = true, turned = true, cell = true;
    for (uint32_t s = 0; s < t->n_train; s++) {
        as_is &= divides(vals[s], t->out[s]);
        turned &= vals[s].w == t->out[s].n && vals[s].n == t->out[s].w;
        cell &= vals[s].n * vals[s].w == 1;
    }
    return (as_is || turned) && !cell;
}

static bool may_offer(State *st) {
    return st->offers++ < MOST_OFFERS;
}

static double base_cost(const Search *search) {
    return search->tune->mosaics_cost;
}

/* ---- one cutting: turned, and its colors through a table ---- */

typedef struct Map {
    int8_t to[BOARD_COLORS]; /* -1: not seen */
    uint32_t changed;
} Map;

static bool learn_map(const SearchTask *t, const Cutting *c, int turn, Map *map) {
    memset(map, -1, sizeof *map);
    map->changed = 0;
    for (uint32_t s = 0; s < t->n_train; s++) {
        Val g = c->vals[s], out = t->out[s];
        int32_t h = (int32_t)g.n, w = g.w;
        bool across = turn == 1 || turn == 3 || turn >= 6;
        if ((across ? w : h) != (int32_t)out.n || (across ? h : w) != out.w) {
            return false;
        }
        for (int32_t k = 0; k < h * w; k++) {
            int32_t i, j;
            scene_turned_from((unsigned)turn, h, w, k / out.w, k % out.w, &i, &j);
            int8_t from = g.b8[i * w + j];
            if (from < 0 || from >= BOARD_COLORS || (map->to[from] >= 0 && map->to[from] != out.b8[k])) {
                return false;
            }
            map->to[from] = out.b8[k];
        }
    }
    for (int c0 = 0; c0 < BOARD_COLORS; c0++) {
        map->changed += map->to[c0] >= 0 && map->to[c0] != c0;
    }
    return true;
}

static Ref map_ref(Search *search, Ref at, const Map *map) {
    Builder *b = &search->builder;
    Val *rows = val_buffer(search->ctx, BOARD_COLORS), *leaf = val_buffer(search->ctx, 3);
    uint32_t n = 0;
    if (rows == NULL || leaf == NULL) {
        return at;
    }
    for (int c = 0; c < BOARD_COLORS; c++) {
        if (map->to[c] >= 0 && map->to[c] != c) {
            rows[n++] = val_pair32(c, map->to[c]);
        }
    }
    leaf[0] = val_int(2);
    leaf[1] = val_int(FEATURE_OWN);
    leaf[2] = val_tuple(search->ctx, rows, n);
    Ref args[2] = {at, build_const(b, val_tuple(search->ctx, leaf, 3))};
    return build_op(b, OP_PRIM, P_cell_rule, args, 2, 0, "", 0);
}

static void try_turns(Search *search, State *st, const Cutting *c) {
    Builder *b = &search->builder;
    const Tunables *tune = search->tune;
    for (int turn = 0; turn < MOSAIC_TURNS; turn++) {
        Map map;
        if (!learn_map(search->task, c, turn, &map) || (turn == 0 && map.changed == 0) || !may_offer(st)) {
            continue;
        }
        build_start(b);
        Ref at = cuttings_ref(search, c);
        if (turn > 0) {
            Ref args[2] = {at, build_const(b, val_int(turn))};
            at = build_op(b, OP_PRIM, P_stamp_turn, args, 2, 0, "", 0);
        }
        if (map.changed > 0) {
            at = map_ref(search, at, &map);
        }
        double cost = base_cost(search) + c->cost + (turn > 0 ? tune->mosaics_turn_cost : 0) +
                      (map.changed > 0 ? tune->mosaics_map_cost : 0) + tune->mosaics_row_cost * map.changed;
        search_offer(search, search_finish(search, at), cost);
    }
}

/* ---- one cutting: copies as blocks ---- */

/* What may stand in a block in all pairs, as bits. */
static uint32_t block_choices(const SearchTask *t, const Cutting *c, int32_t row, int32_t column) {
    uint32_t set = (1u << MOSAIC_BLOCKS) - 1;
    int8_t block[FEATURE_MOST_CELLS];
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

static void try_blocks(Search *search, State *st, const Cutting *c) {
    const SearchTask *t = search->task;
    int32_t rows = (int32_t)(t->out[0].n / c->vals[0].n), columns = t->out[0].w / c->vals[0].w;
    int8_t *table = ctx_alloc(search->ctx, MOSAIC_BLOCKS * MOST_SIDE_BLOCKS * MOST_SIDE_BLOCKS);
    if (table == NULL || rows * columns < 2 || rows > MOST_SIDE_BLOCKS || columns > MOST_SIDE_BLOCKS) {
        return;
    }
    for (uint32_t s = 0; s < t->n_train; s++) {
        if (t->out[s].n != (uint32_t)rows * c->vals[s].n || t->out[s].w != columns * c->vals[s].w) {
            return;
        }
    }
    uint32_t kinds = 0;
    for (int32_t k = 0; k < rows * columns; k++) {
        uint32_t set = block_choices(t, c, k / columns, k % columns);
        if (set == 0) {
            return;
        }
        /* of several that fit, one that stands elsewhere, too */
        uint32_t again = set & kinds;
        table[k] = (int8_t)__builtin_ctz(again != 0 ? again : set);
        kinds |= 1u << table[k];
    }
    uint32_t n = (uint32_t)__builtin_popcount(kinds);
    if (kinds == 1u << MOSAIC_BLANK || !may_offer(st)) {
        return;
    }
    Builder *b = &search->builder;
    build_start(b);
    Ref args[2] = {cuttings_ref(search, c),
                   build_const(b, val_grid8(table, (uint32_t)rows, (uint32_t)columns))};
    double cost = base_cost(search) + c->cost + search->tune->mosaics_blocks_cost +
                  search->tune->mosaics_kind_cost * (n - 1);
    search_offer(search, search_finish(search, build_op(b, OP_PRIM, P_mosaic_blocks, args, 2, 0, "", 0)),
                 cost);
}

/* ---- two cuttings, joined ---- */

/* Questions about two cells: the colors of each, the most and least frequent ones, whether they are alike. */
enum { ASKED = BOARD_COLORS - MOSAIC_LEAST, QUESTIONS = 2 * ASKED + 1, TEST_ALIKE = QUESTIONS - 1 };

typedef struct Join {
    const Cutting *first, *second;
    MosaicHow how;
    uint16_t yes[QUESTIONS], no[QUESTIONS]; /* leaves that are right for all cells so far, as bits */
    bool any_yes[QUESTIONS], any_no[QUESTIONS];
} Join;

static bool sizes_fit(const SearchTask *t, const Join *x) {
    int32_t h, w;
    for (uint32_t s = 0; s < t->n_train; s++) {
        if (!mosaic_size(x->how, x->first->vals[s], x->second->vals[s], &h, &w) ||
            h != (int32_t)t->out[s].n || w != t->out[s].w) {
            return false;
        }
    }
    return true;
}

/* Whether the colors of both grids determine that of the output at all, in the first pair. */
static bool is_function(const SearchTask *t, const Join *x) {
    int8_t table[BOARD_COLORS][BOARD_COLORS];
    Val out = t->out[0];
    memset(table, -1, sizeof table);
    for (int32_t k = 0; k < (int32_t)out.n * out.w; k++) {
        int8_t a, b;
        mosaic_at(x->how, x->first->vals[0], x->second->vals[0], (int32_t)out.n, out.w, k / out.w, k % out.w,
                  &a, &b);
        if (table[a][b] >= 0 && table[a][b] != out.b8[k]) {
            return false;
        }
        table[a][b] = out.b8[k];
    }
    return true;
}

static bool learn_pair(const SearchTask *t, Join *x, uint32_t s) {
    Val out = t->out[s], first = x->first->vals[s], second = x->second->vals[s];
    int8_t asked[2][ASKED];
    bool left = false;
    for (int k = 0; k < ASKED; k++) {
        asked[0][k] = mosaic_asked(k + MOSAIC_LEAST, first);
        asked[1][k] = mosaic_asked(k + MOSAIC_LEAST, second);
    }
    for (int32_t k = 0; k < (int32_t)out.n * out.w; k++) {
        int8_t a, b;
        mosaic_at(x->how, first, second, (int32_t)out.n, out.w, k / out.w, k % out.w, &a, &b);
        uint16_t right = (uint16_t)(1u << out.b8[k] | (unsigned)(a == out.b8[k]) << MOSAIC_COPY_FIRST |
                                    (unsigned)(b == out.b8[k]) << MOSAIC_COPY_SECOND);
        for (int q = 0; q < QUESTIONS; q++) {
            bool says = q == TEST_ALIKE ? a == b : q < ASKED ? a == asked[0][q] : b == asked[1][q - ASKED];
            uint16_t *leaves = says ? &x->yes[q] : &x->no[q];
            *leaves &= right;
            x->any_yes[q] |= says;
            x->any_no[q] |= !says;
        }
    }
    for (int q = 0; q < QUESTIONS; q++) {
        left |= x->yes[q] != 0 && x->no[q] != 0;
    }
    return left;
}

/* The cheapest of some leaves: copies before colors. */
static int8_t best_leaf(uint16_t set, double *cost) {
    int8_t leaf = set >> MOSAIC_COPY_SECOND & 1  ? MOSAIC_COPY_SECOND
                  : set >> MOSAIC_COPY_FIRST & 1 ? MOSAIC_COPY_FIRST
                                                 : (int8_t)__builtin_ctz(set);
    *cost += leaf >= BOARD_COLORS || leaf == 0 ? 1 : 2;
    return leaf;
}

static void offer_join(Search *search, State *st, const Join *x) {
    Builder *b = &search->builder;
    const Tunables *tune = search->tune;
    for (int q = 0; q < QUESTIONS; q++) {
        if (x->yes[q] == 0 || x->no[q] == 0 || !x->any_yes[q] || !x->any_no[q]) {
            continue;
        }
        int number = q == TEST_ALIKE ? 0 : q % ASKED + MOSAIC_LEAST;
        double units = number == 0 ? 1 : 2;
        int64_t rule[4] = {q == TEST_ALIKE ? MOSAIC_ALIKE
                           : q < ASKED     ? MOSAIC_FIRST
                                           : MOSAIC_SECOND,
                           number, 0, 0};
        rule[2] = best_leaf(x->yes[q], &units);
        rule[3] = best_leaf(x->no[q], &units);
        bool first = rule[0] != MOSAIC_SECOND || rule[2] == MOSAIC_COPY_FIRST || rule[3] == MOSAIC_COPY_FIRST;
        bool second =
            rule[0] != MOSAIC_FIRST || rule[2] == MOSAIC_COPY_SECOND || rule[3] == MOSAIC_COPY_SECOND;
        if (!first || !second || rule[2] == rule[3] || !may_offer(st)) {
            continue; /* it does without one of the two */
        }
        build_start(b);
        Ref args[4] = {cuttings_ref(search, x->first), cuttings_ref(search, x->second),
                       build_const(b, val_int(x->how)), build_const(b, val_ints(search->ctx, rule, 4))};
        double cost = base_cost(search) + x->first->cost + (x->second != x->first ? x->second->cost : 0) +
                      tune->mosaics_join_cost + tune->mosaics_scale * units;
        search_offer(search, search_finish(search, build_op(b, OP_PRIM, P_mosaic_join, args, 4, 0, "", 0)),
                     cost);
    }
}

static bool try_join(Search *search, State *st, Join *x) {
    const SearchTask *t = search->task;
    if (!sizes_fit(t, x)) {
        return true;
    }
    if (!is_function(t, x)) {
        return search_spend(search, 2);
    }
    bool left = true;
    memset(x->yes, -1, sizeof x->yes);
    memset(x->no, -1, sizeof x->no);
    memset(x->any_yes, 0, sizeof x->any_yes);
    memset(x->any_no, 0, sizeof x->any_no);
    for (uint32_t s = 0; s < t->n_train && left; s++) {
        left = learn_pair(t, x, s);
    }
    if (left) {
        offer_join(search, st, x);
    }
    return search_spend(search, 16);
}

static bool try_joins(Search *search, State *st) {
    const Cuttings *pool = &st->pool;
    for (uint32_t a = 0; a < pool->count; a++) {
        for (uint32_t b = 0; b < pool->count; b++) {
            for (int how = 0; how < MOSAIC_HOWS; how++) {
                Join x = {.first = &pool->items[a], .second = &pool->items[b], .how = (MosaicHow)how};
                bool twice = how == MOSAIC_SAME && a >= b;
                if (!twice && !try_join(search, st, &x)) {
                    return false;
                }
            }
        }
        if (!search_spend(search, 1 + pool->count / 16)) {
            return false;
        }
    }
    return true;
}

/* ---- looks ---- */

void *part_mosaics_open(Search *search) {
    State *st = quota_grow(&search->quota, NULL, 1, sizeof *st);
    if (st != NULL) {
        *st = (State){.offers = 0};
        if (!cuttings_open(search, &st->pool)) {
            quota_free(&search->quota, st);
            st = NULL;
        }
    }
    return st;
}

void part_mosaics_close(Search *search, void *of) {
    State *st = of;
    cuttings_close(search, &st->pool);
    quota_free(&search->quota, st);
}

void part_mosaics_run(Search *search, void *of) {
    State *st = of;
    if (search->task->same_size || st->done || !cuttings_find(search, &st->pool, want)) {
        return;
    }
    CtxMark mark = ctx_mark(search->ctx);
    bool go_on = true;
    for (uint32_t k = 0; k < st->pool.count && go_on; k++) {
        try_turns(search, st, &st->pool.items[k]);
        try_blocks(search, st, &st->pool.items[k]);
        go_on = search_spend(search, 8);
    }
    st->done = go_on && try_joins(search, st);
    ctx_release(search->ctx, mark);
}
