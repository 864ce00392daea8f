/* Color tables: the color of each output cell follows from the colors of one or two grids at that cell.
 *
 * The table (color, color) -> color is read off the training pairs; as a program it becomes fills over a
 * base, one for each entry that the base has wrong. */
#include "search/strategies/enumerate.h"

#include <string.h>

enum { BASE_FIRST = 10, BASE_SECOND = 11, BASES = 12 };

typedef struct PairTable {
    int8_t to[10][10]; /* by color of the first and the second grid; -1: not seen */
    uint32_t unseen;   /* color combinations of the tests that no training pair has */
} PairTable;

static bool read_table(const SearchTask *t, const EnumTerm *a, const EnumTerm *b, PairTable *table) {
    memset(table, -1, sizeof *table);
    table->unseen = 0;
    for (uint32_t k = 0; k < t->n_train; k++) {
        const int8_t *x = a->vals[k].b8, *y = b->vals[k].b8, *out = t->out[k].b8;
        for (size_t c = 0, n = (size_t)t->out[k].n * t->out[k].w; c < n; c++) {
            if (((unsigned)x[c] | (unsigned)y[c]) > 15 || x[c] > 9 || y[c] > 9) {
                return false;
            }
            int8_t *to = &table->to[x[c]][y[c]];
            if (*to >= 0 && *to != out[c]) {
                return false;
            }
            *to = out[c];
        }
    }
    bool missing[10][10] = {{false}};
    for (uint32_t k = t->n_train; k < t->n; k++) {
        const Val p = a->vals[k], q = b->vals[k];
        if (p.n != q.n || p.w != q.w) {
            return false;
        }
        for (size_t c = 0, n = (size_t)p.n * p.w; c < n; c++) {
            if (((unsigned)p.b8[c] | (unsigned)q.b8[c]) > 15 || p.b8[c] > 9 || q.b8[c] > 9) {
                return false;
            }
            bool new = table->to[p.b8[c]][q.b8[c]] < 0;
            table->unseen += new && !missing[p.b8[c]][q.b8[c]];
            missing[p.b8[c]][q.b8[c]] |= new;
        }
    }
    return true;
}

static int base_color(int base, int x, int y) {
    return base == BASE_FIRST ? x : base == BASE_SECOND ? y : base;
}

/* The one color that color x of the first grid (or y of the second) becomes; -1: several, or none. */
static int whole(const PairTable *t, int x, int y) {
    int to = -1;
    for (int k = 0; k < 10; k++) {
        int here = x >= 0 ? t->to[x][k] : t->to[k][y];
        if (here >= 0 && to >= 0 && here != to) {
            return -1;
        }
        to = here >= 0 ? here : to;
    }
    return to;
}

static unsigned count_wrong(const PairTable *t, int base) {
    unsigned wrong = 0;
    for (int x = 0; x < 10; x++) {
        bool single = whole(t, x, -1) >= 0, any = false;
        for (int y = 0; y < 10; y++) {
            bool bad = t->to[x][y] >= 0 && t->to[x][y] != base_color(base, x, y);
            wrong += bad && !single;
            any |= bad;
        }
        wrong += single && any;
    }
    return wrong;
}

static Ref fill(Builder *b, Ref at, int color, Ref where) {
    Ref args[3] = {at, build_const(b, val_int(color)), where};
    return build_op(b, OP_PRIM, P_fill, args, 3, 0, "", 0);
}

static Ref of_color(Builder *b, Ref grid, int color) {
    Ref args[2] = {grid, build_const(b, val_int(color))};
    return build_op(b, OP_PRIM, P_ofcolor, args, 2, 0, "", 0);
}

static void offer(Enumerate *e, uint32_t first, uint32_t second, const PairTable *t, int base,
                  unsigned fills) {
    Builder *b = &e->search->builder;
    Ref *refs = enumerate_refs(e);
    if (refs == NULL) {
        return;
    }
    Ref one = enumerate_ref(e, first, refs), two = enumerate_ref(e, second, refs), at;
    double cost = e->terms[first].cost + (first != second ? e->terms[second].cost : 0) +
                  e->search->tune->enumerate_fill_cost * fills +
                  e->search->tune->enumerate_unseen_cost * t->unseen;
    if (base == BASE_FIRST || base == BASE_SECOND) {
        at = base == BASE_FIRST ? one : two;
    } else {
        Ref shape = build_op(b, OP_PRIM, P_shape, &one, 1, 0, "", 0);
        Ref args[2] = {build_const(b, val_int(base)), shape};
        at = build_op(b, OP_PRIM, P_canvas, args, 2, 0, "", 0);
        cost += 2;
    }
    for (int x = 0; x < 10; x++) {
        int single = whole(t, x, -1);
        bool done = false;
        for (int y = 0; y < 10 && !done; y++) {
            if (t->to[x][y] >= 0 && t->to[x][y] != base_color(base, x, y)) {
                Ref where = of_color(b, one, x);
                if (single < 0) {
                    Ref args[2] = {where, of_color(b, two, y)};
                    where = build_op(b, OP_PRIM, P_intersection, args, 2, 0, "", 0);
                }
                at = fill(b, at, t->to[x][y], where);
                done = single >= 0;
            }
        }
    }
    enumerate_offer(e, refs, at, cost);
}

static void try_pair(Enumerate *e, uint32_t first, uint32_t second) {
    PairTable t;
    if (!read_table(e->search->task, &e->terms[first], &e->terms[second], &t)) {
        return;
    }
    int best = 0;
    unsigned min = 1000;
    for (int base = BASES - 1; base >= 0; base--) {
        unsigned wrong = count_wrong(&t, base);
        if (wrong < min) {
            min = wrong;
            best = base;
        }
    }
    if (min > 0 && min <= e->search->tune->enumerate_fills_max) {
        offer(e, first, second, &t, best, min);
    }
}

void table_try(Enumerate *e, uint32_t term) {
    try_pair(e, term, term);
    for (uint32_t k = 0; k + 1 < e->n_shaped && search_spend(e->search, 8); k++) {
        try_pair(e, e->shaped[k], term);
    }
}
