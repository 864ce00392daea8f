/* Outputs made of two cuttings, joined cell by cell: one question about the two cells, and for each answer a
 * color or one of theirs; or a table of colors. */
#include "search/strategies/mosaics_internal.h"

#include <math.h>
#include <string.h>

/* Questions about two cells: the colors of each, the most and least frequent ones, whether they are alike. */
enum { ASKED = N_COLORS - MOSAIC_LEAST_FREQUENT, QUESTIONS = 2 * ASKED + 1, TEST_ALIKE = QUESTIONS - 1 };

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
    int8_t table[N_COLORS][N_COLORS];
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
        asked[0][k] = mosaic_asked(k + MOSAIC_LEAST_FREQUENT, first);
        asked[1][k] = mosaic_asked(k + MOSAIC_LEAST_FREQUENT, second);
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
    *cost += leaf >= N_COLORS || leaf == 0 ? 1 : 2;
    return leaf;
}

static void offer_join(Mosaics *m, const Join *x) {
    Search *search = m->search;
    Builder *b = &search->builder;
    const Tunables *tune = search->tune;
    for (int q = 0; q < QUESTIONS; q++) {
        if (x->yes[q] == 0 || x->no[q] == 0 || !x->any_yes[q] || !x->any_no[q]) {
            continue;
        }
        int number = q == TEST_ALIKE ? 0 : q % ASKED + MOSAIC_LEAST_FREQUENT;
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
        if (!first || !second || rule[2] == rule[3] || !mosaics_may_offer(m)) {
            continue; /* it does without one of the two */
        }
        build_start(b);
        Ref args[4] = {cuttings_ref(search, x->first), cuttings_ref(search, x->second),
                       build_const(b, val_int(x->how)), build_const(b, val_ints(search->ctx, rule, 4))};
        mosaics_offer(m, build_op(b, OP_PRIM, P_mosaic_join, args, 4, 0, "", 0),
                      x->first->cost + (x->second != x->first ? x->second->cost : 0) +
                          tune->mosaics_join_cost + tune->mosaics_scale * units);
    }
}

/* ---- tables ---- */

enum { MAX_ROWS = 12 };

typedef struct JoinTable {
    int8_t to[N_COLORS][N_COLORS]; /* -1: not met */
    uint32_t rows;
} JoinTable;

/* Goes through the cells of a sample: in a training pair they make the table, in a test they must be in it.
 */
static bool extend_table(const SearchTask *t, const Join *x, uint32_t s, JoinTable *table) {
    Val first = x->first->vals[s], second = x->second->vals[s];
    int32_t h, w;
    if (!mosaic_size(x->how, first, second, &h, &w)) {
        return false;
    }
    for (int32_t k = 0; k < h * w; k++) {
        int8_t a, b;
        mosaic_at(x->how, first, second, h, w, k / w, k % w, &a, &b);
        int8_t *to = &table->to[a][b], wanted = s < t->n_train ? t->out[s].b8[k] : *to;
        table->rows += *to < 0;
        if (wanted < 0 || (*to >= 0 && *to != wanted)) {
            return false;
        }
        *to = wanted;
    }
    return table->rows <= MAX_ROWS;
}

/* Both grids in one size, each by a join that copies it. */
static Ref sized_ref(const Join *x, Search *search, Ref first, Ref second, int8_t leaf) {
    Builder *b = &search->builder;
    int64_t rule[4] = {0, 0, leaf, leaf};
    Ref args[4] = {first, second, build_const(b, val_int(x->how)),
                   build_const(b, val_ints(search->ctx, rule, 4))};
    bool as_is = x->how == MOSAIC_SAME || (x->how == MOSAIC_BLOWN && leaf == MOSAIC_COPY_SECOND) ||
                 (x->how == MOSAIC_TILED && leaf == MOSAIC_COPY_FIRST);
    return as_is ? (leaf == MOSAIC_COPY_FIRST ? first : second)
                 : build_op(b, OP_PRIM, P_mosaic_join, args, 4, 0, "", 0);
}

static void try_table(Mosaics *m, const Join *x) {
    Search *search = m->search;
    const SearchTask *t = search->task;
    Builder *b = &search->builder;
    JoinTable table = {.rows = 0};
    int8_t *rows = ctx_alloc(search->ctx, (size_t)3 * MAX_ROWS);
    uint32_t n = 0;
    memset(table.to, -1, sizeof table.to);
    for (uint32_t s = 0; s < t->n; s++) {
        if (!extend_table(t, x, s, &table)) {
            return;
        }
    }
    if (rows == NULL || table.rows < 3 || !mosaics_may_offer(m)) {
        return;
    }
    for (int8_t a = 0; a < N_COLORS; a++) {
        for (int8_t c = 0; c < N_COLORS; c++) {
            if (table.to[a][c] >= 0) {
                int8_t row[3] = {a, c, table.to[a][c]};
                memcpy(rows + 3 * (size_t)n++, row, sizeof row);
            }
        }
    }
    build_start(b);
    Ref first = cuttings_ref(search, x->first), second = cuttings_ref(search, x->second);
    Ref args[3] = {sized_ref(x, search, first, second, MOSAIC_COPY_FIRST),
                   sized_ref(x, search, first, second, MOSAIC_COPY_SECOND),
                   build_const(b, val_grid8(rows, n, 3))};
    double bits = log2(1 + __builtin_popcount(t->out_colors));
    mosaics_offer(m, build_op(b, OP_PRIM, P_stamp_table, args, 3, 0, "", 0),
                  x->first->cost + (x->second != x->first ? x->second->cost : 0) +
                      search->tune->mosaics_join_cost + search->tune->mosaics_table_scale * n * bits);
}

/* ---- all of them ---- */

static bool try_join(Mosaics *m, Join *x) {
    Search *search = m->search;
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
        offer_join(m, x);
    } else {
        try_table(m, x);
    }
    return search_spend(search, 16);
}

bool mosaics_try_joins(Mosaics *m) {
    const Cuttings *pool = &m->pool;
    for (uint32_t a = 0; a < pool->count; a++) {
        for (uint32_t b = 0; b < pool->count; b++) {
            for (int how = 0; how < MOSAIC_HOWS; how++) {
                Join x = {.first = &pool->items[a], .second = &pool->items[b], .how = (MosaicHow)how};
                bool twice = how == MOSAIC_SAME && a >= b;
                if (!twice && !try_join(m, &x)) {
                    return false;
                }
            }
        }
        if (!search_spend(m->search, 1 + pool->count / 16)) {
            return false;
        }
    }
    return true;
}
