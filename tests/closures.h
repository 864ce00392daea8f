/* Random closures over random containers, compiled and call by call: what test_closure_plan and fuzz_closures
 * share.
 *
 * Bytes are read as choices. A closure is grown to a depth of at most eight, mostly of parts that fit each
 * other, and handed to one of the functions of functions. Both ways must give the same value or the same
 * failure (reason, primitive), take the same steps, and count the same calls and failures, also where a
 * budget ends them. */
#ifndef BATT_TESTS_CLOSURES_H
#define BATT_TESTS_CLOSURES_H

#include "base/out.h"
#include "engine/language/value_text.h"
#include "engine/primitives/prim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Closures {
    Ctx values; /* where arguments live */
    Ctx run[2]; /* compiled; call by call */
    const uint8_t *data;
    size_t size, at;
    uint64_t made;     /* closures, also those inside others */
    uint64_t compared; /* closures that were applied both ways */
} Closures;

static uint32_t closures_byte(Closures *t) {
    return t->at < t->size ? t->data[t->at++] : (uint32_t)(t->at++ * 37 % 251);
}

/* What a function takes and gives: number, pair, element of the container, set of indices or cells. */
typedef enum Sort { NUMBER, PAIR, CELL, PATCH, SORTS } Sort;

typedef struct Known {
    uint16_t prim;
    uint8_t from[3], to; /* Sorts */
} Known;

static const Known closures_known[] = {{P_increment, {NUMBER}, NUMBER},
                                       {P_decrement, {NUMBER}, NUMBER},
                                       {P_double, {NUMBER}, NUMBER},
                                       {P_halve, {NUMBER}, NUMBER},
                                       {P_invert, {NUMBER}, NUMBER},
                                       {P_sign, {NUMBER}, NUMBER},
                                       {P_crement, {NUMBER}, NUMBER},
                                       {P_even, {NUMBER}, NUMBER},
                                       {P_positive, {NUMBER}, NUMBER},
                                       {P_flip, {NUMBER}, NUMBER},
                                       {P_identity, {NUMBER}, NUMBER},
                                       {P_toivec, {NUMBER}, PAIR},
                                       {P_tojvec, {NUMBER}, PAIR},
                                       {P_first, {PAIR}, NUMBER},
                                       {P_last, {PAIR}, NUMBER},
                                       {P_maximum, {PAIR}, NUMBER},
                                       {P_minimum, {PAIR}, NUMBER},
                                       {P_size, {PAIR}, NUMBER},
                                       {P_increment, {PAIR}, PAIR},
                                       {P_invert, {PAIR}, PAIR},
                                       {P_double, {PAIR}, PAIR},
                                       {P_sign, {PAIR}, PAIR},
                                       {P_crement, {PAIR}, PAIR},
                                       {P_halve, {PAIR}, PAIR},
                                       {P_identity, {PAIR}, PAIR},
                                       {P_neighbors, {PAIR}, PATCH},
                                       {P_initset, {PAIR}, PATCH},
                                       {P_vfrontier, {PAIR}, PATCH},
                                       {P_hfrontier, {PAIR}, PATCH},
                                       {P_dneighbors, {PAIR}, PATCH},
                                       {P_ineighbors, {PAIR}, PATCH},
                                       {P_first, {CELL}, NUMBER},
                                       {P_last, {CELL}, PAIR},
                                       {P_identity, {CELL}, CELL},
                                       {P_flip, {CELL}, NUMBER},
                                       {P_initset, {CELL}, PATCH},
                                       {P_size, {PATCH}, NUMBER},
                                       {P_color, {PATCH}, NUMBER},
                                       {P_height, {PATCH}, NUMBER},
                                       {P_width, {PATCH}, NUMBER},
                                       {P_center, {PATCH}, PAIR},
                                       {P_colorcount, {PATCH, NUMBER}, NUMBER},
                                       {P_numcolors, {PATCH}, NUMBER},
                                       {P_uppermost, {PATCH}, NUMBER},
                                       {P_leftmost, {PATCH}, NUMBER},
                                       {P_lowermost, {PATCH}, NUMBER},
                                       {P_rightmost, {PATCH}, NUMBER},
                                       {P_uppermost_i, {PATCH}, NUMBER},
                                       {P_rightmost_o, {PATCH}, NUMBER},
                                       {P_width_o, {PATCH}, NUMBER},
                                       {P_shape, {PATCH}, PAIR},
                                       {P_lrcorner, {PATCH}, PAIR},
                                       {P_urcorner, {PATCH}, PAIR},
                                       {P_ulcorner, {PATCH}, PAIR},
                                       {P_first, {PATCH}, CELL},
                                       {P_normalize, {PATCH}, PATCH},
                                       {P_toindices, {PATCH}, PATCH},
                                       {P_delta, {PATCH}, PATCH},
                                       {P_outbox, {PATCH}, PATCH},
                                       {P_inbox, {PATCH}, PATCH},
                                       {P_box, {PATCH}, PATCH},
                                       {P_backdrop, {PATCH}, PATCH},
                                       {P_corners, {PATCH}, PATCH},
                                       {P_add, {NUMBER, NUMBER}, NUMBER},
                                       {P_subtract, {NUMBER, NUMBER}, NUMBER},
                                       {P_multiply, {NUMBER, NUMBER}, NUMBER},
                                       {P_divide, {NUMBER, NUMBER}, NUMBER},
                                       {P_greater, {NUMBER, NUMBER}, NUMBER},
                                       {P_equality, {NUMBER, NUMBER}, NUMBER},
                                       {P_both, {NUMBER, NUMBER}, NUMBER},
                                       {P_either, {NUMBER, NUMBER}, NUMBER},
                                       {P_astuple, {NUMBER, NUMBER}, PAIR},
                                       {P_astuple, {NUMBER, PAIR}, CELL},
                                       {P_add, {PAIR, PAIR}, PAIR},
                                       {P_subtract, {PAIR, PAIR}, PAIR},
                                       {P_multiply, {PAIR, NUMBER}, PAIR},
                                       {P_divide, {PAIR, NUMBER}, PAIR},
                                       {P_add, {NUMBER, PAIR}, PAIR},
                                       {P_equality, {PAIR, PAIR}, NUMBER},
                                       {P_greater, {PAIR, PAIR}, NUMBER},
                                       {P_connect, {PAIR, PAIR}, PATCH},
                                       {P_shoot, {PAIR, PAIR}, PATCH},
                                       {P_contained, {PAIR, PATCH}, NUMBER},
                                       {P_contained, {CELL, PATCH}, NUMBER},
                                       {P_equality, {CELL, CELL}, NUMBER},
                                       {P_equality, {PATCH, PATCH}, NUMBER},
                                       {P_both, {NUMBER, PAIR}, PAIR},
                                       {P_either, {PAIR, PAIR}, PAIR},
                                       {P_shift, {PATCH, PAIR}, PATCH},
                                       {P_recolor, {NUMBER, PATCH}, PATCH},
                                       {P_intersection, {PATCH, PATCH}, PATCH},
                                       {P_difference, {PATCH, PATCH}, PATCH},
                                       {P_combine, {PATCH, PATCH}, PATCH},
                                       {P_insert, {PAIR, PATCH}, PATCH},
                                       {P_manhattan, {PATCH, PATCH}, NUMBER},
                                       {P_branch, {NUMBER, NUMBER, NUMBER}, NUMBER},
                                       {P_branch, {NUMBER, PAIR, PAIR}, PAIR},
                                       {P_branch, {NUMBER, PATCH, PATCH}, PATCH},
                                       {P_interval, {NUMBER, NUMBER, NUMBER}, NUMBER}};

enum { CLOSURES_KNOWN = sizeof closures_known / sizeof *closures_known };

static Val closures_cell(Closures *t, int32_t range) {
    int32_t i = (int32_t)(closures_byte(t) * 73u % (uint32_t)range) - range / 4,
            j = (int32_t)(closures_byte(t) * 59u % (uint32_t)range) - range / 4,
            c = (int32_t)closures_byte(t) % 10;
    return t->values.mode == MODE_CORE ? val_cell32(c, i, j) : val_triple32(i, j, c);
}

static Val closures_pair(Closures *t, int32_t range) {
    Val cell = closures_cell(t, range);
    return val_pair32(cell.a, cell.b);
}

static int32_t closures_range(Closures *t) {
    uint32_t x = closures_byte(t);
    return x < 200 ? 9 : x < 240 ? 40 : x < 250 ? 3000 : 100000; /* sometimes beyond what keys hold */
}

static Val closures_set(Closures *t, bool cells, uint32_t max) {
    uint32_t n = 1 + closures_byte(t) * max / 256;
    int32_t range = closures_range(t);
    Val *items = val_buffer(&t->values, n);
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = cells ? closures_cell(t, range) : closures_pair(t, range);
    }
    Val v = items != NULL ? val_set(&t->values, items, n) : VAL_EMPTY_SET;
    return val_failed(v) ? VAL_EMPTY_SET : v;
}

static Val closures_number(Closures *t) {
    static const int64_t far[] = {INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN, 65536, -40000, 46341, 1 << 20};
    uint32_t x = closures_byte(t);
    return val_int(x < 248 ? (int64_t)(x % 16) - 5 : far[x - 248]);
}

static Val closures_constant(Closures *t, Sort sort) {
    if (closures_byte(t) < 6) { /* something else altogether */
        sort = (Sort)(closures_byte(t) % SORTS);
    }
    switch (sort) {
    case NUMBER:
        return closures_number(t);
    case PAIR:
        return closures_pair(t, closures_range(t));
    case CELL:
        return closures_cell(t, 9);
    default:
        return closures_set(t, closures_byte(t) & 1, 40);
    }
}

/* A primitive that takes these and gives that, from a random place of the table on; or any of as many. */
static Val closures_prim(Closures *t, const Sort *from, uint32_t n, Sort to) {
    uint32_t start = closures_byte(t) % CLOSURES_KNOWN;
    bool loose = closures_byte(t) < 8;
    for (uint32_t k = 0; k < CLOSURES_KNOWN; k++) {
        const Known *known = &closures_known[(start + k) % CLOSURES_KNOWN];
        bool fits = prim_arity[known->prim] == n && (loose || known->to == to);
        for (uint32_t a = 0; a < n && fits && !loose; a++) {
            fits = known->from[a] == from[a];
        }
        if (fits) {
            return val_prim(known->prim);
        }
    }
    return val_prim(n == 1 ? P_identity : n == 2 ? P_astuple : P_branch);
}

static Val closures_make(Closures *t, ClosureOp op, unsigned arity, Val a, Val b, Val c) {
    Val f = val_closure(&t->values, op, arity, a, b, c);
    t->made++;
    return val_failed(f) ? val_prim(P_identity) : f;
}

static Sort closures_sort(Closures *t) {
    return (Sort)(closures_byte(t) % SORTS);
}

static Val closures_fn(Closures *t, Sort from, Sort to, uint32_t depth);
static Val closures_grid(Closures *t);
static Val closures_few(Closures *t, Sort sort);
static Val closures_bind(Closures *t, bool left, uint32_t prim, Val v);

/* One argument bound, of two. */
static Val closures_bound(Closures *t, Sort from, Sort to) {
    bool left = closures_byte(t) & 1;
    if (from == PAIR && to == NUMBER && closures_byte(t) < 50) {
        return closures_bind(t, true, P_index, closures_grid(t));
    }
    if (from == NUMBER && to == NUMBER && closures_byte(t) < 50) {
        return closures_bind(t, false, P_contained, closures_few(t, NUMBER));
    }
    Sort other = closures_sort(t), both[2] = {left ? other : from, left ? from : other};
    Val f = closures_prim(t, both, 2, to);
    return closures_make(t, left ? CLOSURE_LBIND : CLOSURE_RBIND, 1, f, closures_constant(t, other),
                         val_int(0));
}

static Val closures_fn(Closures *t, Sort from, Sort to, uint32_t depth) {
    uint32_t choice = closures_byte(t) % 16;
    Sort x = closures_sort(t), y = closures_sort(t);
    if (depth == 0 || choice < 2) {
        return closures_byte(t) & 1 ? closures_bound(t, from, to) : closures_prim(t, &from, 1, to);
    }
    switch (choice) {
    case 2:
    case 3:
    case 4:
        return closures_make(t, CLOSURE_COMPOSE, 1, closures_fn(t, x, to, depth - 1),
                             closures_fn(t, from, x, depth - 1), val_int(0));
    case 5:
    case 6:
        return closures_make(t, CLOSURE_CHAIN, 1, closures_fn(t, y, to, depth - 1),
                             closures_fn(t, x, y, depth - 1), closures_fn(t, from, x, depth - 1));
    case 7:
        return closures_make(t, CLOSURE_MATCHER, 1, closures_fn(t, from, x, depth - 1),
                             closures_constant(t, x), val_int(0));
    case 8:
        return closures_make(t, CLOSURE_POWER, 1, closures_fn(t, from, from, depth - 1),
                             val_int(2 + closures_byte(t) % 3), val_int(0));
    case 9:
        return closures_make(t, CLOSURE_LBIND, 1, val_prim(closures_byte(t) & 1 ? P_apply : P_mapply),
                             closures_fn(t, x, y, depth - 1), val_int(0));
    case 10: {
        Val set = closures_set(t, closures_byte(t) & 1, 12);
        return closures_make(
            t, CLOSURE_COMPOSE, 1, closures_make(t, CLOSURE_LBIND, 1, val_prim(P_sfilter), set, val_int(0)),
            closures_make(t, CLOSURE_LBIND, 1, val_prim(P_lbind), val_prim(P_equality), val_int(0)),
            val_int(0));
    }
    default: {
        Sort both[2] = {x, y};
        return closures_make(t, CLOSURE_FORK, 1, closures_prim(t, both, 2, to),
                             closures_fn(t, from, x, depth - 1), closures_fn(t, from, y, depth - 1));
    }
    }
}

/* ---- sets of indices on the way ---- */

static Val closures_compose(Closures *t, Val f, Val g) {
    return closures_make(t, CLOSURE_COMPOSE, 1, f, g, val_int(0));
}
static Val closures_bind(Closures *t, bool left, uint32_t prim, Val v) {
    return closures_make(t, left ? CLOSURE_LBIND : CLOSURE_RBIND, 1, val_prim(prim), v, val_int(0));
}
static Val closures_fork(Closures *t, uint32_t prim, Val f, Val g) {
    return closures_make(t, CLOSURE_FORK, 1, val_prim(prim), f, g);
}

/* Pair to pair. */
static Val closures_place(Closures *t) {
    static const uint16_t one[] = {P_identity, P_identity, P_increment, P_decrement, P_invert, P_double};
    uint32_t x = closures_byte(t) % 10;
    if (x < 6) {
        return val_prim(one[x]);
    }
    return x == 6   ? closures_bind(t, closures_byte(t) & 1, P_add, closures_pair(t, 20))
           : x == 7 ? closures_bind(t, false, P_multiply, val_int((int64_t)(closures_byte(t) % 5) - 2))
                    : closures_fork(t, P_astuple, val_prim(P_last), val_prim(x == 8 ? P_first : P_last));
}

static Val closures_grid(Closures *t) {
    uint32_t h = 1 + closures_byte(t) % 14, w = 1 + closures_byte(t) % 14, odd = closures_byte(t);
    int8_t *cells = ctx_alloc(&t->values, (size_t)h * w + GRID_SPARE);
    for (uint32_t k = 0; cells != NULL && k < h * w; k++) {
        cells[k] = (int8_t)(closures_byte(t) % (odd < 250 ? 10 : 100));
    }
    return cells != NULL ? val_grid8(cells, h, w) : VAL_EMPTY_TUPLE;
}

/* Pair to set of indices, mostly of what plans do on rows of bits. */
static Val closures_places(Closures *t, uint32_t depth) {
    static const uint16_t one[] = {P_neighbors, P_dneighbors, P_ineighbors,
                                   P_initset,   P_vfrontier,  P_hfrontier};
    static const uint16_t on[] = {P_backdrop, P_box,     P_outbox,    P_inbox,
                                  P_delta,    P_corners, P_toindices, P_normalize};
    static const uint16_t two[] = {P_combine, P_intersection, P_difference};
    uint32_t x = closures_byte(t) % (depth == 0 ? 9 : 22), y = closures_byte(t);
    switch (x) {
    case 6:
        return closures_compose(t, closures_bind(t, false, P_shoot, closures_pair(t, 5)), closures_place(t));
    case 7:
        return closures_compose(t, closures_bind(t, y & 1, P_connect, closures_pair(t, 40)),
                                closures_place(t));
    case 8:
        return closures_fork(t, y & 1 ? P_connect : P_shoot, closures_place(t), closures_place(t));
    case 9:
    case 10:
    case 11:
        return closures_compose(t, val_prim(on[y % 8]), closures_places(t, depth - 1));
    case 12:
    case 13:
    case 14: { /* of different sets, or of one and what is made of the same again */
        Val f = closures_places(t, depth - 1);
        return closures_fork(t, two[y % 3], f,
                             y < 80 ? closures_compose(t, val_prim(on[y % 8]), f)
                                    : closures_places(t, depth - 1));
    }
    case 15:
    case 16:
    case 17: {
        Val set = y < 20 ? VAL_EMPTY_SET : closures_set(t, y > 250, 100);
        return closures_compose(t, closures_bind(t, y & 1, two[y / 2 % 3], set),
                                closures_places(t, depth - 1));
    }
    case 18:
        return closures_fork(t, P_insert, closures_place(t), closures_places(t, depth - 1));
    case 19:
        return closures_compose(t, closures_bind(t, true, P_insert, closures_pair(t, 20)),
                                closures_places(t, depth - 1));
    case 20:
        return closures_fork(t, P_shift, closures_places(t, depth - 1), closures_place(t));
    case 21:
        return closures_compose(t, closures_bind(t, true, P_shift, closures_set(t, y > 250, 80)),
                                closures_place(t));
    default:
        return closures_compose(t, val_prim(one[x]), closures_place(t));
    }
}

/* Pair to a cell's colors: those that a grid has at such places, filtered or counted. */
static Val closures_colors(Closures *t, Val places) {
    uint32_t y = closures_byte(t);
    Val color = val_int(closures_byte(t) % 12), f = closures_bind(t, false, P_toobject, closures_grid(t));
    f = closures_compose(t, f, places);
    if (y & 1) {
        Val first = closures_make(t, CLOSURE_MATCHER, 1, val_prim(P_first), color, val_int(0));
        f = closures_compose(t, closures_bind(t, false, P_sfilter, first), f);
    }
    static const uint16_t then[] = {P_size, P_numcolors, P_palette, P_color, P_mostcolor};
    return closures_compose(
        t, y & 2 ? closures_bind(t, false, P_colorcount, color) : val_prim(then[y / 4 % 5]), f);
}

/* Pair to number, by way of such a set. */
static Val closures_measure(Closures *t, uint32_t depth) {
    uint32_t x = closures_byte(t) % 14, y = closures_byte(t);
    Val places = closures_places(t, depth);
    switch (x) {
    case 0:
    case 1:
        return closures_compose(t, val_prim(P_size), places);
    case 2:
        return closures_compose(t, closures_bind(t, true, P_contained, closures_pair(t, 20)), places);
    case 3:
        return closures_fork(t, P_contained, closures_place(t), places);
    case 4:
        return closures_compose(t, closures_bind(t, y & 1, P_manhattan, closures_set(t, y & 2, 200)),
                                y & 4 ? places : closures_compose(t, val_prim(P_initset), closures_place(t)));
    case 5:
    case 6:
        places = closures_compose(t, closures_bind(t, false, P_toobject, closures_grid(t)), places);
        return closures_compose(t, val_prim(P_size),
                                y & 1 ? places : closures_compose(t, val_prim(P_palette), places));
    case 7:
        places = closures_compose(t, closures_bind(t, false, P_toobject, closures_grid(t)), places);
        return closures_compose(t, closures_bind(t, true, P_contained, val_int(closures_byte(t) % 12)),
                                closures_compose(t, val_prim(P_palette), places));
    case 8: {
        Val f = closures_measure(t, depth / 2);
        return closures_fork(t, y & 1 ? P_subtract : P_greater, f,
                             y & 2 ? closures_compose(t, val_prim(P_double), f)
                                   : closures_measure(t, depth / 2));
    }
    case 11:
    case 12:
    case 13:
        return closures_colors(t, places);
    case 9:
        return closures_fork(t, P_greater, closures_compose(t, val_prim(P_first), closures_place(t)),
                             closures_compose(t, val_prim(P_size), places));
    default:
        return closures_compose(t, closures_bind(t, y & 1, P_greater, val_int(y % 16)),
                                closures_compose(t, val_prim(P_size), places));
    }
}

/* ---- containers ---- */

/* ---- closures made for each element, and elements that are tuples of two ---- */

/* Few constants, as inner loops go over: numbers, pairs, cells or patches. */
static Val closures_few(Closures *t, Sort sort) {
    uint32_t n = closures_byte(t) % 20 == 0 ? 12 : 1 + closures_byte(t) % 4;
    bool tuple = closures_byte(t) & 1;
    Val *items = val_buffer(&t->values, n);
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = sort == PATCH ? closures_set(t, closures_byte(t) & 1, 12) : closures_constant(t, sort);
    }
    Val v = items == NULL ? VAL_EMPTY_SET
            : tuple       ? val_tuple(&t->values, items, n)
                          : val_set(&t->values, items, n);
    return val_failed(v) || closures_byte(t) == 0 ? VAL_EMPTY_SET : v;
}

/* From a pair (or the set of one) to a closure that takes `from`. */
static Val closures_maker(Closures *t, Sort from, Sort to, uint32_t depth) {
    uint32_t x = closures_byte(t) % (depth == 0 ? 4 : 10);
    bool left = closures_byte(t) & 1;
    Sort y = closures_sort(t), mine = x == 0 ? NUMBER : x == 1 ? PATCH : PAIR;
    if (x < 4) {
        Sort both[2] = {left ? mine : from, left ? from : mine};
        Val prim = closures_prim(t, both, 2, to);
        if (from == mine && to == mine && mine != PATCH && closures_byte(t) & 1) {
            prim = val_prim(P_subtract);
        }
        Val f = closures_bind(t, true, left ? P_lbind : P_rbind, prim);
        return mine == NUMBER  ? closures_compose(t, f, val_prim(left ? P_first : P_last))
               : mine == PATCH ? closures_compose(t, f, val_prim(P_initset))
                               : f;
    }
    if (x < 6) {
        return closures_compose(t, closures_bind(t, true, P_compose, closures_fn(t, y, to, depth - 1)),
                                closures_maker(t, from, y, depth - 1));
    }
    if (x < 8) {
        return closures_compose(t, closures_bind(t, false, P_compose, closures_fn(t, from, y, depth - 1)),
                                closures_maker(t, y, to, depth - 1));
    }
    if (x == 8) {
        return closures_compose(t, closures_bind(t, false, P_matcher, closures_constant(t, y)),
                                closures_maker(t, from, y, depth - 1));
    }
    Val fork = closures_make(t, CLOSURE_LBIND, 2, val_prim(P_fork), closures_prim(t, (Sort[]){y, y}, 2, to),
                             val_int(0));
    return closures_make(t, CLOSURE_FORK, 1, fork, closures_maker(t, from, y, depth - 1),
                         closures_maker(t, from, y, depth - 1));
}

/* From a pair to what a loop over few constants gives, by a closure that holds the pair. */
static Val closures_inner(Closures *t, uint32_t depth) {
    static const uint16_t by_key[] = {P_argmin, P_argmax, P_valmin, P_valmax, P_sfilter, P_extract, P_order};
    Sort sort = closures_sort(t);
    uint32_t x = closures_byte(t) % 11;
    Sort to = closures_byte(t) % 8 == 0 ? closures_sort(t)
              : x >= 9                  ? PATCH
              : x == 7 && sort == PAIR  ? PAIR
                                        : NUMBER;
    Val maker = closures_maker(t, sort, to, depth), few = closures_few(t, sort);
    if (x == 8) { /* over the numbers of a tuple */
        maker = closures_maker(t, NUMBER, NUMBER, depth);
        few = closures_byte(t) & 1 ? closures_pair(t, 9) : closures_cell(t, 9);
    }
    Val loop = x < 7   ? closures_bind(t, true, by_key[x], few)
               : x < 9 ? closures_bind(t, false, P_apply, few)
                       : closures_bind(t, false, P_mapply, few);
    Val f = closures_compose(t, loop, maker);
    if ((x == 7 || x == 4) && closures_byte(t) < 160) { /* what that gives is counted, or gone over again */
        return closures_byte(t) < 80
                   ? closures_compose(t, val_prim(P_size), f)
                   : closures_compose(t,
                                      closures_bind(t, false, closures_byte(t) & 1 ? P_valmax : P_argmin,
                                                    closures_fn(t, to, NUMBER, depth)),
                                      f);
    }
    static const uint16_t then[] = {P_identity, P_size, P_first, P_maximum, P_merge};
    return closures_byte(t) & 1 ? closures_compose(t, val_prim(then[closures_byte(t) % 5]), f) : f;
}

/* From a pair to anything: inner loops, and closures around them. */
static Val closures_partial(Closures *t, uint32_t depth) {
    uint32_t x = closures_byte(t) % 6;
    Val f = closures_inner(t, depth);
    if (x == 0) {
        return closures_fork(t, closures_byte(t) & 1 ? P_astuple : P_add, f, closures_inner(t, depth));
    }
    if (x == 1) {
        return closures_compose(t, f, closures_place(t));
    }
    if (x == 2) {
        return closures_fork(t, P_both, closures_fn(t, PAIR, NUMBER, depth), f);
    }
    if (x == 4 && closures_byte(t) < 100) { /* colors put before indices */
        Val color = closures_bind(t, true, P_lbind, val_prim(P_astuple));
        return closures_fork(t, closures_byte(t) & 1 ? P_apply : P_mapply,
                             closures_compose(t, color, closures_fn(t, PAIR, NUMBER, depth)),
                             closures_places(t, depth));
    }
    return x == 3 ? closures_compose(t, closures_fn(t, NUMBER, closures_sort(t), depth), f) : f;
}

/* From a tuple of two pairs (or two cells) to anything. */
static Val closures_two(Closures *t, Sort sort, uint32_t depth) {
    Sort x = closures_sort(t), y = closures_sort(t), both[2] = {x, y};
    uint32_t choice = closures_byte(t) % (depth == 0 ? 4 : 7);
    Val f = closures_compose(t, closures_fn(t, sort, x, depth), val_prim(P_first)),
        g = closures_compose(t, closures_fn(t, sort, y, depth), val_prim(P_last));
    if (choice == 0) {
        return f;
    }
    if (choice == 1) {
        return closures_fork(t, P_equality, val_prim(P_first), val_prim(P_last));
    }
    if (choice == 2) {
        return closures_prim(t, &sort, 1, closures_sort(t));
    }
    if (choice == 3) { /* another tuple of two */
        Val pair =
            closures_fork(t, P_astuple, closures_byte(t) & 1 ? val_prim(P_last) : f, val_prim(P_first));
        return depth == 0 || closures_byte(t) & 1
                   ? pair
                   : closures_compose(t, closures_two(t, sort, depth - 1), pair);
    }
    return closures_make(t, CLOSURE_FORK, 1, closures_prim(t, both, 2, closures_sort(t)), f, g);
}

static Val closures_objects(Closures *t, bool tuple) {
    uint32_t n = 1 + closures_byte(t) % 20;
    bool indices = closures_byte(t) < 100;
    Val *items = val_buffer(&t->values, n);
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = closures_byte(t) < 2 ? closures_number(t) : closures_set(t, closures_byte(t) & 1, 12);
        if (closures_byte(t) < 200 && val_is_set(items[k])) {
            Val recolored = prim_call(&t->values, indices ? P_toindices : P_recolor,
                                      indices ? &items[k] : (Val[]){val_int(closures_byte(t) % 10), items[k]},
                                      indices ? 1 : 2);
            items[k] = val_failed(recolored) ? items[k] : recolored;
        }
    }
    Val v = items == NULL ? VAL_EMPTY_SET
            : tuple       ? val_tuple(&t->values, items, n)
                          : val_set(&t->values, items, n);
    return val_failed(v) ? VAL_EMPTY_SET : v;
}

static Val closures_list(Closures *t, Sort sort, bool tuple) {
    uint32_t n = 1 + closures_byte(t) * 300 / 256;
    int32_t range = closures_range(t);
    Val *items = val_buffer(&t->values, n);
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = sort == NUMBER ? closures_number(t)
                   : sort == PAIR ? closures_pair(t, range)
                                  : closures_cell(t, range);
    }
    Val v = items == NULL ? VAL_EMPTY_SET
            : tuple       ? val_tuple(&t->values, items, n)
                          : val_set(&t->values, items, n);
    return val_failed(v) ? VAL_EMPTY_SET : v;
}

/* A container and the sort of its elements. */
static Val closures_container(Closures *t, Sort *sort) {
    *sort = closures_sort(t);
    bool tuple = closures_byte(t) < 80;
    return *sort == PATCH ? closures_objects(t, tuple) : closures_list(t, *sort, tuple);
}

/* ---- both ways ---- */

static void closures_say(Out *out, Val v) {
    if (val_failed(v)) {
        out_fmt(out, "failed: %s in %s\n", reason_name((Reason)v.w),
                v.n != 0 ? prim_table[v.n - 1].name : "-");
        return;
    }
    text_value(out, v);
    out_char(out, '\n');
}

static void closures_fn_text(Out *out, Val f) {
    static const char *const names[] = {"compose", "chain", "matcher", "rbind", "lbind",
                                        "power",   "fork",  "default", "host"};
    if (f.kind != VAL_CLOSURE) {
        if (f.kind == VAL_PRIM) {
            out_str(out, prim_table[f.n].name);
        } else {
            text_value(out, f);
        }
        return;
    }
    uint32_t n = f.f->op == CLOSURE_CHAIN || f.f->op == CLOSURE_FORK ? 3 : 2;
    out_fmt(out, "%s(", names[f.f->op]);
    for (uint32_t k = 0; k < n; k++) {
        closures_fn_text(out, f.f->part[k]);
        out_str(out, k + 1 < n ? ", " : ")");
    }
}

static bool closures_same(Val a, Val b) {
    if (val_failed(a) || val_failed(b)) {
        return a.kind == b.kind && a.w == b.w && a.n == b.n && a.i == b.i;
    }
    return a.kind == b.kind && val_eq(a, b);
}

static bool closures_has_closure(Val v, uint32_t depth) {
    bool found = v.kind == VAL_CLOSURE || depth > 6;
    for (uint32_t k = 0; (v.kind == VAL_TUPLE || v.kind == VAL_SET) && k < v.n && !found; k++) {
        found = closures_has_closure(v.v[k], depth + 1);
    }
    return found;
}

/* NULL: both ways agree. Else what does not, with the call told on standard error. */
static const char *closures_compare(Closures *t, uint32_t prim, const Val *args) {
    Val v[2];
    t->compared++;
    for (int way = 0; way < 2; way++) {
        Ctx *ctx = &t->run[way];
        prim_bind(ctx, (Mode)t->values.mode, t->values.safe);
        ctx_reset(ctx);
        ctx->stepwise = way == 1;
        ctx->closures = t->values.closures;
        memset(ctx->calls, 0, PRIM_COUNT * sizeof *ctx->calls);
        memset(ctx->fails, 0, PRIM_COUNT * sizeof *ctx->fails);
        v[way] = prim_call(ctx, prim, args, prim_arity[prim]);
    }
    const Ctx *a = &t->run[0], *b = &t->run[1];
    const char *wrong = !closures_same(v[0], v[1]) && !closures_has_closure(v[0], 0) ? "value"
                        : ctx_steps_used(a) != ctx_steps_used(b)                     ? "steps"
                        : memcmp(a->calls, b->calls, PRIM_COUNT * sizeof *a->calls)  ? "calls"
                        : memcmp(a->fails, b->fails, PRIM_COUNT * sizeof *a->fails)  ? "failed calls"
                        : a->exhausted != b->exhausted || a->depth != b->depth       ? "budget"
                        : a->closures != b->closures                                 ? "closures"
                                                                                     : NULL;
    if (wrong != NULL) {
        Out out;
        out_init(&out);
        out_fmt(&out, "%s, %s%s: %s\n", prim_table[prim].name, a->mode == MODE_CORE ? "core" : "batt",
                a->safe ? " safe" : "", wrong);
        for (uint32_t k = 0; k < prim_arity[prim]; k++) {
            closures_fn_text(&out, args[k]);
            out_char(&out, '\n');
        }
        out_fmt(&out, "steps %llu and %llu of %llu\n", (unsigned long long)ctx_steps_used(a),
                (unsigned long long)ctx_steps_used(b), (unsigned long long)a->budget.steps);
        closures_say(&out, v[0]);
        closures_say(&out, v[1]);
        fprintf(stderr, "%s", out.data);
        out_free(&out);
    }
    return wrong;
}

static bool closures_open(Closures *t) {
    Budget large = {.steps = UINT64_MAX / 4, .bytes = 16 << 20, .depth = 100};
    Budget small = {.steps = 20000000, .bytes = 32 << 20, .depth = 2000};
    memset(t, 0, sizeof *t);
    return prim_open(&t->values, MODE_CORE, false, &large) &&
           prim_open(&t->run[0], MODE_CORE, false, &small) && prim_open(&t->run[1], MODE_CORE, false, &small);
}

static inline void closures_close(Closures *t) {
    prim_close(&t->values);
    prim_close(&t->run[0]);
    prim_close(&t->run[1]);
}

static const uint16_t closures_by_condition[] = {P_sfilter, P_mfilter, P_extract, P_argmin,  P_argmax,
                                                 P_valmin,  P_valmax,  P_order,   P_sfilter, P_sfilter};

/* Closures that make sets of indices for each of many places; NULL: all of them the same both ways. */
static const char *closures_try_places(Closures *t) {
    uint32_t flags = closures_byte(t), kind = closures_byte(t);
    bool cells = kind < 40, tuple = kind >= 40 && kind < 60;
    int32_t range = closures_range(t);
    uint32_t n = 1 + closures_byte(t) * (kind % 8 == 0 ? 300u : 40u) / 256;
    Val *items = val_buffer(&t->values, n);
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = cells ? closures_cell(t, range) : closures_pair(t, range);
    }
    Val c = items == NULL ? VAL_EMPTY_SET
            : tuple       ? val_tuple(&t->values, items, n)
                          : val_set(&t->values, items, n);
    const char *wrong = val_failed(c) ? "container" : NULL;
    for (uint32_t k = 0; k < 4 && wrong == NULL; k++) {
        bool merged = closures_byte(t) & 1;
        uint32_t depth = closures_byte(t) % 4;
        Val f = merged ? closures_places(t, depth) : closures_measure(t, depth);
        if (cells) {
            f = closures_compose(t, f, val_prim(P_last));
        }
        if (merged || flags & 32) {
            wrong = closures_compare(t, flags & 32 ? P_apply : P_mapply, (Val[]){f, c});
        } else {
            wrong = closures_compare(t, closures_by_condition[closures_byte(t) % 10], (Val[]){c, f});
        }
    }
    return wrong;
}

/* Closures that make closures, over pairs; or any over tuples of two. NULL: all of them the same both ways.
 */
static const char *closures_try_partial(Closures *t) {
    uint32_t kind = closures_byte(t) % 8;
    bool tuple = closures_byte(t) < 60, twos = kind >= 5;
    Sort sort = kind == 7 ? CELL : PAIR;
    Val c = closures_set(t, sort == CELL, twos ? 12 : 40);
    if (twos) {
        c = prim_call(&t->values, P_product, (Val[]){c, closures_set(t, sort == CELL, 8)}, 2);
    }
    if (tuple) {
        c = prim_call(&t->values, P_totuple, &c, 1);
    }
    const char *wrong = val_failed(c) ? "container" : NULL;
    for (uint32_t k = 0; k < 4 && wrong == NULL; k++) {
        uint32_t depth = closures_byte(t) % 4, choice = closures_byte(t);
        Val f = twos ? closures_two(t, sort, depth) : closures_partial(t, depth);
        wrong = choice < 60    ? closures_compare(t, P_apply, (Val[]){f, c})
                : choice < 100 ? closures_compare(t, P_mapply, (Val[]){f, c})
                               : closures_compare(t, closures_by_condition[choice % 10], (Val[]){c, f});
    }
    return wrong;
}

/* Several closures, as the bytes say; NULL: all of them the same both ways. */
__attribute__((unused)) static const char *closures_try(Closures *t, const uint8_t *data, size_t size) {
    static const uint16_t one[] = {P_apply, P_mapply};
    t->data = data;
    t->size = size;
    t->at = 0;
    uint32_t flags = closures_byte(t);
    Mode mode = flags & 1 ? MODE_BATT : MODE_CORE;
    prim_bind(&t->values, mode, mode == MODE_BATT && (flags & 2));
    ctx_reset(&t->values);
    Budget budget = t->run[0].budget;
    budget.steps = flags & 4 ? closures_byte(t) * 16 + closures_byte(t) : 20000000;
    budget.depth = flags & 8 && flags & 16 ? 1 + closures_byte(t) % 10 : 2000;
    ctx_set_budget(&t->run[0], &budget);
    ctx_set_budget(&t->run[1], &budget);
    if (flags & 64) {
        return flags & 128 ? closures_try_partial(t) : closures_try_places(t);
    }
    Sort sort, second;
    Val c = closures_container(t, &sort), d = closures_container(t, &second);
    const char *wrong = NULL;
    for (uint32_t k = 0; k < 4 && wrong == NULL; k++) {
        uint32_t choice = closures_byte(t);
        Val f = closures_fn(t, sort, closures_sort(t), closures_byte(t) % 9);
        if (choice < 96) {
            wrong = closures_compare(t, one[choice % 2], (Val[]){f, c});
        } else if (choice < 224) {
            wrong = closures_compare(t, closures_by_condition[choice % 10], (Val[]){c, f});
        } else {
            Sort both[2] = {sort, second}, three[3] = {closures_sort(t), sort, second};
            Val g = choice & 1
                        ? closures_prim(t, both, 2, closures_sort(t))
                        : closures_make(t, CLOSURE_LBIND, 2, closures_prim(t, three, 3, closures_sort(t)),
                                        closures_constant(t, three[0]), val_int(0));
            uint32_t prim = choice % 3 == 0 ? P_papply : choice % 3 == 1 ? P_prapply : P_mpapply;
            wrong = closures_compare(t, prim, (Val[]){g, c, d});
        }
    }
    return wrong;
}

#endif
