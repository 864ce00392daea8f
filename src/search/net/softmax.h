/* Softmax along every set of a tensor's axes (template: see engine.h).
 *
 * For a set Q of axes the probabilities are p = e i, with e = exp(h - max) computed once for all
 * sets and i = 1 / (sum of e along Q), which does not change along Q. The output of a cell is the
 * sum over sets and the two channels of p times a row of the matrix, so with directions as lanes
 * the sum over Q of i W is put together first, on the faces of the example: what does not change
 * along colors, along rows, along columns. The way back goes along the same faces. Sets with the
 * directions in them (whose sum is over lanes) join the set without.
 *
 * One exponential for all sets is exact as long as the smallest e is not lost beside the largest.
 * Where h varies more than that, every set has its own maximum and its own exponentials: the slow
 * path, number by number. */
#ifndef BATT_SEARCH_NET_SOFTMAX_H
#define BATT_SEARCH_NET_SOFTMAX_H

#include "search/net/lanes_math.h"
#include "search/net/norm.h"

#ifdef NET_DOUBLE
#define SOFT_RANGE R(600)
#else
#define SOFT_RANGE R(64)
#endif

/* Sets of C, X, Y: bits as below. Weights of a set are row SOFT_ROW of the matrix, or none (SOFT_NONE). */
enum { SOFT_C = 1, SOFT_X = 2, SOFT_Y = 4, SOFT_SETS = 8, SOFT_NONE = 255 };

typedef struct SoftTable {
    uint8_t row[SOFT_SETS]
               [2]; /* without and with directions, counted in sets; SOFT_NONE: the tensor has it not */
} SoftTable;

static SoftTable soft_table(NetTensorId t) {
    SoftTable table;
    memset(&table, SOFT_NONE, sizeof table);
    for (size_t k = 0; k < net_soft_sets(t); k++) {
        unsigned set = net_soft_set(t, k);
        unsigned bits = ((set & AXIS_C) != 0 ? SOFT_C : 0u) | ((set & AXIS_X) != 0 ? SOFT_X : 0u) |
                        ((set & AXIS_Y) != 0 ? SOFT_Y : 0u);
        table.row[bits][(set & AXIS_D) != 0] = (uint8_t)k;
    }
    return table;
}

/* A tensor's slice summed along a set: how far apart its entries are along colors, rows and columns. */
typedef struct SoftFace {
    size_t colors, rows, columns; /* 1 where summed */
    size_t color, row, column;    /* strides, 0 where summed */
} SoftFace;

static SoftFace soft_face(const NetPlace *p, unsigned set) {
    SoftFace f = {.colors = (set & SOFT_C) != 0 ? 1 : p->colors,
                  .rows = (set & SOFT_X) != 0 ? 1 : p->rows,
                  .columns = (set & SOFT_Y) != 0 ? 1 : p->columns};
    f.column = (set & SOFT_Y) != 0 ? 0 : 1;
    f.row = (set & SOFT_X) != 0 ? 0 : f.columns;
    f.color = (set & SOFT_C) != 0 ? 0 : f.rows * f.columns;
    return f;
}
static size_t soft_entries(const SoftFace *f) {
    return f->colors * f->rows * f->columns;
}

/* The face that a set of two or three axes is summed from, and the axis. */
static unsigned soft_parent(unsigned set) {
    return set == (SOFT_C | SOFT_X | SOFT_Y) ? SOFT_X | SOFT_Y
           : set == (SOFT_C | SOFT_X)        ? SOFT_X
           : set == (SOFT_C | SOFT_Y)        ? SOFT_Y
           : set == (SOFT_X | SOFT_Y)        ? SOFT_Y
                                             : 0;
}
/* The single axis on whose face the weights of a set are collected: the entries of the set are among its own.
 */
static unsigned soft_collected(unsigned set) {
    return (set & SOFT_Y) != 0 ? SOFT_Y : (set & SOFT_X) != 0 ? SOFT_X : SOFT_C;
}

/* to[entry of `set`] = sum over `from` [entry of `parent`], n numbers an entry. */
KERNEL void soft_sum(const NetPlace *p, unsigned parent, unsigned set, const size_t n, const Real *from,
                     Real *to) {
    SoftFace a = soft_face(p, parent), b = soft_face(p, set);
    memset(to, 0, soft_entries(&b) * n * sizeof *to);
    for (size_t c = 0; c < a.colors; c++) {
        for (size_t x = 0; x < a.rows; x++) {
            for (size_t y = 0; y < a.columns; y++, from += n) {
                Real *sum = to + (c * b.color + x * b.row + y * b.column) * n;
                for (size_t v = 0; v < n; v += LANES) {
                    v_store(sum + v, v_add(v_load(sum + v), v_load(from + v)));
                }
            }
        }
    }
}

/* ---- directions as lanes ---- */

enum {
    SOFT_TWO = NET_SOFT * LANES,
    SOFT_ALL = NET_SOFT * 8 * LANES
}; /* numbers: two V, and two times eight */

typedef struct SoftLanes { /* in scratch */
    SoftTable table;
    Real *inverse[SOFT_SETS]; /* [entry][channel] V */
    Real *all[SOFT_SETS];     /* the same with directions, in all lanes */
    Real *weights[SOFT_SETS]; /* single axes: [entry][channel][8] V */
    Real *back[SOFT_SETS];    /* sums of e g: [entry][channel][8] V */
    Real *taken[SOFT_SETS];   /* single axes: what is taken off on the way back, [entry][channel] V */
    Real *nothing;            /* SOFT_ALL zeros */
} SoftLanes;

static void soft_lanes_open(const NetRun *run, NetTensorId t, const Scratch *s, SoftLanes *to) {
    const NetPlace *p = &run->mem->places[t];
    Real *next = s->soft;
    *to = (SoftLanes){.table = soft_table(t), .nothing = next};
    memset(next, 0, SOFT_ALL * sizeof *next);
    next += SOFT_ALL;
    for (unsigned set = 1; set < SOFT_SETS; set++) {
        if (to->table.row[set][0] == SOFT_NONE) {
            continue;
        }
        SoftFace f = soft_face(p, set);
        size_t entries = soft_entries(&f);
        to->inverse[set] = next;
        to->all[set] = next += entries * SOFT_TWO;
        to->back[set] = next += entries * SOFT_TWO;
        next += entries * SOFT_ALL;
        if (soft_collected(set) == set) {
            to->weights[set] = next;
            to->taken[set] = next += entries * SOFT_ALL;
            next += entries * SOFT_TWO;
        }
    }
}

/* Sums of e along all sets, and their inverses. */
static void soft_lanes_sums(const NetPlace *p, const SoftLanes *s, const Real *e) {
    static const unsigned order[] = {
        SOFT_C, SOFT_X, SOFT_Y, SOFT_X | SOFT_Y, SOFT_C | SOFT_X, SOFT_C | SOFT_Y, SOFT_C | SOFT_X | SOFT_Y};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        unsigned set = order[k], parent = soft_parent(set);
        if (s->table.row[set][0] != SOFT_NONE) {
            soft_sum(p, parent, set, SOFT_TWO, parent == 0 ? e : s->inverse[parent], s->inverse[set]);
        }
    }
    for (unsigned set = 1; set < SOFT_SETS; set++) {
        if (s->table.row[set][0] == SOFT_NONE) {
            continue;
        }
        SoftFace f = soft_face(p, set);
        for (size_t k = 0; k < soft_entries(&f) * SOFT_TWO; k += LANES) {
            V sum = v_load(s->inverse[set] + k);
            v_store(s->all[set] + k, v_all(1 / v_sum(sum)));
            v_store(s->inverse[set] + k, v_div(v_all(1), sum));
        }
    }
}

/* Rows of the matrix of a set: [channel][8]. */
INLINE const Real *soft_rows(const SoftLanes *s, const Real *out, unsigned set, bool lanes) {
    return out + (size_t)s->table.row[set][lanes] * NET_SOFT * 8;
}

/* Weights collected on the faces of single axes. */
static void soft_lanes_collect(const NetPlace *p, const SoftLanes *s, const Real *out) {
    for (unsigned face = 1; face < SOFT_SETS; face++) {
        if (s->weights[face] == NULL) {
            continue;
        }
        SoftFace f = soft_face(p, face);
        memset(s->weights[face], 0, soft_entries(&f) * SOFT_ALL * sizeof(Real));
        for (unsigned set = 1; set < SOFT_SETS; set++) {
            if (s->table.row[set][0] == SOFT_NONE || soft_collected(set) != face) {
                continue;
            }
            SoftFace g = soft_face(p, set);
            const Real *w = soft_rows(s, out, set, false), *wall = soft_rows(s, out, set, true);
            Real *to = s->weights[face];
            for (size_t c = 0; c < f.colors; c++) {
                for (size_t x = 0; x < f.rows; x++) {
                    for (size_t y = 0; y < f.columns; y++, to += SOFT_ALL) {
                        size_t at = (c * g.color + x * g.row + y * g.column) * SOFT_TWO;
                        for (size_t ch = 0; ch < NET_SOFT; ch++) {
                            V i = v_load(s->inverse[set] + at + ch * LANES);
                            V a = v_load(s->all[set] + at + ch * LANES);
                            UNROLL for (size_t j = 0; j < 8; j++) {
                                Real *sum = to + (ch * 8 + j) * LANES;
                                V d = v_fma(i, v_all(w[ch * 8 + j]), v_load(sum));
                                v_store(sum, v_fma(a, v_all(wall[ch * 8 + j]), d));
                            }
                        }
                    }
                }
            }
        }
    }
}

typedef struct SoftCell { /* of the three faces */
    const Real *weights[3], *taken[3];
} SoftCell;

INLINE SoftCell soft_cell(const NetPlace *p, const SoftLanes *s, const CellAt *cell_of) {
    size_t c = cell_of->c, x = cell_of->x, y = cell_of->y;
    SoftCell cell;
    UNROLL for (size_t k = 0; k < 3; k++) {
        unsigned set = 1u << k;
        size_t at = k == 0 ? x * p->columns + y : k == 1 ? c * p->columns + y : c * p->rows + x;
        bool has = s->weights[set] != NULL;
        cell.weights[k] = has ? s->weights[set] + at * SOFT_ALL : s->nothing;
        cell.taken[k] = has ? s->taken[set] + at * SOFT_TWO : s->nothing;
    }
    return cell;
}

/* x += softmax, for a strip that begins at cell `begin`. */
KERNEL void soft_lanes_strip(const NetPlace *p, const SoftLanes *s, const Real *out, const Real *e, Real *x,
                             size_t begin, size_t cells) {
    const Real *w = soft_rows(s, out, 0, true);
    CellAt at_cell = cell_at(p, begin);
    for (size_t i = 0; i < cells; i++, cell_next(p, &at_cell), e += SOFT_TWO, x += 8 * LANES) {
        SoftCell cell = soft_cell(p, s, &at_cell);
        V ex[NET_SOFT], own[NET_SOFT];
        UNROLL for (size_t ch = 0; ch < NET_SOFT; ch++) {
            ex[ch] = v_load(e + ch * LANES);
            own[ch] = v_mul(ex[ch], v_all(1 / v_sum(ex[ch])));
        }
        UNROLL for (size_t j = 0; j < 8; j++) {
            V sum = v_load(x + j * LANES);
            UNROLL for (size_t ch = 0; ch < NET_SOFT; ch++) {
                size_t at = (ch * 8 + j) * LANES;
                V all = v_add(v_add(v_load(cell.weights[0] + at), v_load(cell.weights[1] + at)),
                              v_load(cell.weights[2] + at));
                sum = v_fma(ex[ch], all, sum);
                sum = v_fma(own[ch], v_all(w[ch * 8 + j]), sum);
            }
            v_store(x + j * LANES, sum);
        }
    }
}

/* Sums of e g on the faces, and the gradient of the rows of the directions alone. */
static void soft_lanes_back_sums(const NetPlace *p, const SoftLanes *s, const Real *e, const Real *g,
                                 Real *own_sum) {
    Real *faces[3] = {s->back[SOFT_C], s->back[SOFT_X], s->back[SOFT_Y]};
    for (size_t k = 0; k < 3; k++) {
        if (faces[k] != NULL) {
            SoftFace f = soft_face(p, 1u << k);
            memset(faces[k], 0, soft_entries(&f) * SOFT_ALL * sizeof(Real));
        }
    }
    for (size_t c = 0; c < p->colors; c++) {
        for (size_t x = 0; x < p->rows; x++) {
            for (size_t y = 0; y < p->columns; y++, e += SOFT_TWO, g += 8 * LANES) {
                Real *to[3] = {faces[0] != NULL ? faces[0] + (x * p->columns + y) * SOFT_ALL : NULL,
                               faces[1] != NULL ? faces[1] + (c * p->columns + y) * SOFT_ALL : NULL,
                               faces[2] != NULL ? faces[2] + (c * p->rows + x) * SOFT_ALL : NULL};
                UNROLL for (size_t ch = 0; ch < NET_SOFT; ch++) {
                    V ex = v_load(e + ch * LANES), own = v_mul(ex, v_all(1 / v_sum(ex)));
                    UNROLL for (size_t j = 0; j < 8; j++) {
                        size_t at = (ch * 8 + j) * LANES;
                        V gj = v_load(g + j * LANES), product = v_mul(ex, gj);
                        v_store(own_sum + at, v_fma(own, gj, v_load(own_sum + at)));
                        for (size_t k = 0; k < 3; k++) {
                            if (to[k] != NULL) {
                                v_store(to[k] + at, v_add(v_load(to[k] + at), product));
                            }
                        }
                    }
                }
            }
        }
    }
}

/* From the sums of e g: what is taken off, collected on the faces, and the gradients of the rows. */
static void soft_lanes_back_sets(const NetPlace *p, const SoftLanes *s, const Real *out, Real *gradient) {
    for (unsigned face = 1; face < SOFT_SETS; face++) {
        if (s->taken[face] != NULL) {
            SoftFace f = soft_face(p, face);
            memset(s->taken[face], 0, soft_entries(&f) * SOFT_TWO * sizeof(Real));
        }
    }
    static const unsigned order[] = {
        SOFT_C, SOFT_X, SOFT_Y, SOFT_X | SOFT_Y, SOFT_C | SOFT_X, SOFT_C | SOFT_Y, SOFT_C | SOFT_X | SOFT_Y};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        unsigned set = order[k], parent = soft_parent(set), face = soft_collected(set);
        if (s->table.row[set][0] == SOFT_NONE) {
            continue;
        }
        if (parent != 0) {
            soft_sum(p, parent, set, SOFT_ALL, s->back[parent], s->back[set]);
        }
        SoftFace f = soft_face(p, set), on = soft_face(p, face);
        const Real *w[2] = {soft_rows(s, out, set, false), soft_rows(s, out, set, true)};
        Real *back = s->back[set];
        V of_rows[2][NET_SOFT * 8];
        for (size_t j = 0; j < (size_t)NET_SOFT * 8; j++) {
            of_rows[0][j] = of_rows[1][j] = v_zero();
        }
        for (size_t entry = 0; entry < soft_entries(&f); entry++, back += SOFT_ALL) {
            for (size_t ch = 0; ch < NET_SOFT; ch++) {
                size_t at = entry * SOFT_TWO + ch * LANES;
                V i = v_load(s->inverse[set] + at), a = v_load(s->all[set] + at), u = v_zero(),
                  all = v_zero();
                for (size_t j = 0; j < 8; j++) {
                    V sum = v_load(back + (ch * 8 + j) * LANES);
                    u = v_fma(v_all(w[0][ch * 8 + j]), sum, u);
                    all = v_fma(v_all(w[1][ch * 8 + j]), sum, all);
                    of_rows[0][ch * 8 + j] = v_fma(i, sum, of_rows[0][ch * 8 + j]);
                    of_rows[1][ch * 8 + j] = v_fma(a, sum, of_rows[1][ch * 8 + j]);
                }
                /* kept where the inverse was: it is not needed again */
                V alone = v_mul(i, v_mul(i, u)); /* the square of an inverse may overflow */
                v_store(s->inverse[set] + at, v_fma(a, v_mul(a, v_all(v_sum(all))), alone));
            }
        }
        for (size_t lanes = 0; lanes < 2; lanes++) {
            Real *to = gradient + (size_t)s->table.row[set][lanes] * NET_SOFT * 8;
            for (size_t j = 0; j < (size_t)NET_SOFT * 8; j += LANES) {
                v_store(to + j, v_add(v_load(to + j), v_sums(of_rows[lanes] + j)));
            }
        }
        Real *to = s->taken[face];
        for (size_t c = 0; c < on.colors; c++) {
            for (size_t x = 0; x < on.rows; x++) {
                for (size_t y = 0; y < on.columns; y++, to += SOFT_TWO) {
                    const Real *from = s->inverse[set] + (c * f.color + x * f.row + y * f.column) * SOFT_TWO;
                    v_store(to, v_add(v_load(to), v_load(from)));
                    v_store(to + LANES, v_add(v_load(to + LANES), v_load(from + LANES)));
                }
            }
        }
    }
}

/* The gradient of h, for a strip: gh[cell][channel] V. */
KERNEL void soft_lanes_back_strip(const NetPlace *p, const SoftLanes *s, const Real *out, const Real *e,
                                  const Real *g, Real *gh, size_t begin, size_t cells) {
    const Real *w = soft_rows(s, out, 0, true);
    CellAt at_cell = cell_at(p, begin);
    for (size_t n = 0; n < cells;
         n++, cell_next(p, &at_cell), e += SOFT_TWO, g += 8 * LANES, gh += SOFT_TWO) {
        SoftCell cell = soft_cell(p, s, &at_cell);
        UNROLL for (size_t ch = 0; ch < NET_SOFT; ch++) {
            V ex = v_load(e + ch * LANES), sum = v_zero(), own = v_zero();
            UNROLL for (size_t j = 0; j < 8; j++) {
                size_t at = (ch * 8 + j) * LANES;
                V gj = v_load(g + j * LANES);
                V all = v_add(v_add(v_load(cell.weights[0] + at), v_load(cell.weights[1] + at)),
                              v_load(cell.weights[2] + at));
                sum = v_fma(gj, all, sum);
                own = v_fma(gj, v_all(w[ch * 8 + j]), own);
            }
            Real inverse = 1 / v_sum(ex);
            Real mean = v_sum(v_mul(ex, own)) * inverse;
            sum = v_fma(v_sub(own, v_all(mean)), v_all(inverse), sum);
            V taken = v_add(v_add(v_load(cell.taken[0] + ch * LANES), v_load(cell.taken[1] + ch * LANES)),
                            v_load(cell.taken[2] + ch * LANES));
            v_store(gh + ch * LANES, v_mul(ex, v_sub(sum, taken)));
        }
    }
}

/* ---- channels as lanes ---- */

enum { SOFT_ROOM = 16 }; /* numbers of a cell's probabilities: 14, and zeros */

static size_t soft_cells_sets(NetTensorId t) {
    return net_soft_sets(t);
}

/* x += p w; p has SOFT_ROOM numbers a cell, of which `rows` count. */
static void soft_cells_apply(size_t rows, const Real *w, const Real *all, Real *x, size_t cells) {
    for (size_t i = 0; i < cells; i++, all += SOFT_ROOM, x += 16) {
        V a = v_load(x), b = v_load(x + LANES);
        for (size_t k = 0; k < rows; k++) {
            V p = v_all(all[k]);
            a = v_fma(p, v_load(w + k * 16), a);
            b = v_fma(p, v_load(w + k * 16 + LANES), b);
        }
        v_store(x, a);
        v_store(x + LANES, b);
    }
}
/* And back: gradient of p, and of w added to `sum`. */
static void soft_cells_unapply(size_t rows, const Real *w, const Real *all, const Real *g, Real *g_all,
                               Real *sum, size_t cells) {
    for (size_t i = 0; i < cells; i++, all += SOFT_ROOM, g_all += SOFT_ROOM, g += 16) {
        V a = v_load(g), b = v_load(g + LANES);
        for (size_t k = 0; k < rows; k++) {
            V p = v_all(all[k]);
            g_all[k] = v_sum(v_fma(a, v_load(w + k * 16), v_mul(b, v_load(w + k * 16 + LANES))));
            v_store(sum + k * 16, v_fma(p, a, v_load(sum + k * 16)));
            v_store(sum + k * 16 + LANES, v_fma(p, b, v_load(sum + k * 16 + LANES)));
        }
    }
}

/* Probabilities of all sets: p[cell][set][channel]. */
static void soft_cells_all(NetTensorId t, const NetPlace *p, const Real *e, Real *sums, Real *all) {
    SoftTable table = soft_table(t);
    memset(all, 0, p->cells * SOFT_ROOM * sizeof *all);
    for (unsigned set = 1; set < SOFT_SETS; set++) {
        size_t row = table.row[set][0];
        if (row == SOFT_NONE) {
            continue;
        }
        SoftFace f = soft_face(p, set);
        memset(sums, 0, soft_entries(&f) * NET_SOFT * sizeof *sums);
        for (size_t pass = 0; pass < 2; pass++) {
            size_t i = 0;
            for (size_t c = 0; c < p->colors; c++) {
                for (size_t x = 0; x < p->rows; x++) {
                    for (size_t y = 0; y < p->columns; y++, i++) {
                        Real *sum = sums + (c * f.color + x * f.row + y * f.column) * NET_SOFT;
                        if (pass == 0) {
                            sum[0] += e[i * NET_SOFT];
                            sum[1] += e[i * NET_SOFT + 1];
                        } else {
                            all[i * SOFT_ROOM + row * NET_SOFT] = e[i * NET_SOFT] * sum[0];
                            all[i * SOFT_ROOM + row * NET_SOFT + 1] = e[i * NET_SOFT + 1] * sum[1];
                        }
                    }
                }
            }
            for (size_t k = 0; pass == 0 && k < soft_entries(&f) * NET_SOFT; k++) {
                sums[k] = 1 / sums[k];
            }
        }
    }
}

/* gh = sum over sets of p (g - sum of g p along the set) */
static void soft_cells_back(NetTensorId t, const NetPlace *p, const Real *all, const Real *g, Real *sums,
                            Real *gh) {
    SoftTable table = soft_table(t);
    memset(gh, 0, p->cells * NET_SOFT * sizeof *gh);
    for (unsigned set = 1; set < SOFT_SETS; set++) {
        size_t row = table.row[set][0];
        if (row == SOFT_NONE) {
            continue;
        }
        SoftFace f = soft_face(p, set);
        memset(sums, 0, soft_entries(&f) * NET_SOFT * sizeof *sums);
        for (size_t pass = 0; pass < 2; pass++) {
            size_t i = 0;
            for (size_t c = 0; c < p->colors; c++) {
                for (size_t x = 0; x < p->rows; x++) {
                    for (size_t y = 0; y < p->columns; y++, i++) {
                        Real *sum = sums + (c * f.color + x * f.row + y * f.column) * NET_SOFT;
                        size_t at = i * SOFT_ROOM + row * NET_SOFT;
                        if (pass == 0) {
                            sum[0] += g[at] * all[at];
                            sum[1] += g[at + 1] * all[at + 1];
                        } else {
                            gh[i * NET_SOFT] += all[at] * (g[at] - sum[0]);
                            gh[i * NET_SOFT + 1] += all[at + 1] * (g[at + 1] - sum[1]);
                        }
                    }
                }
            }
        }
    }
}

/* ---- exponentials ---- */

/* h to exp(h - max), per channel of the slice, in place. False, and nothing done: h varies too
 * much. A slice has pairs of V (channels), or pairs of numbers. */
INLINE bool soft_exponentials(const TensorKind kind, Real range, Real *h, size_t cells) {
    Real max[NET_SOFT], min[NET_SOFT];
    if (kind == KIND_LANES) {
        for (size_t ch = 0; ch < NET_SOFT; ch++) {
            V high = v_load(h + ch * LANES), low = high;
            for (size_t i = 1; i < cells; i++) {
                V x = v_load(h + i * SOFT_TWO + ch * LANES);
                high = v_max(high, x);
                low = v_min(low, x);
            }
            max[ch] = v_lane(high, 0);
            min[ch] = v_lane(low, 0);
            for (size_t k = 1; k < LANES; k++) {
                max[ch] = v_lane(high, k) > max[ch] ? v_lane(high, k) : max[ch];
                min[ch] = v_lane(low, k) < min[ch] ? v_lane(low, k) : min[ch];
            }
        }
    } else {
        for (size_t ch = 0; ch < NET_SOFT; ch++) {
            max[ch] = min[ch] = h[ch];
            for (size_t i = 1; i < cells; i++) {
                Real x = h[i * NET_SOFT + ch];
                max[ch] = x > max[ch] ? x : max[ch];
                min[ch] = x < min[ch] ? x : min[ch];
            }
        }
    }
    if (!(max[0] - min[0] < range) || !(max[1] - min[1] < range)) {
        return false;
    }
    if (kind == KIND_LANES) {
        V high[NET_SOFT] = {v_all(max[0]), v_all(max[1])};
        for (size_t i = 0; i < cells; i++) {
            UNROLL for (size_t ch = 0; ch < NET_SOFT; ch++) {
                Real *at = h + i * SOFT_TWO + ch * LANES;
                v_store(at, v_exp(v_sub(v_load(at), high[ch])));
            }
        }
    } else { /* slices are rounded up, so whole V may be taken */
        V high = v_of(max[0], max[1], max[0], max[1], max[0], max[1], max[0], max[1]);
        for (size_t i = 0; i < cells * NET_SOFT; i += LANES) {
            v_store(h + i, v_exp(v_sub(v_load(h + i), high)));
        }
    }
    return true;
}

/* ---- the slow path, of either kind ---- */

typedef struct SoftSlow { /* a slice number by number */
    const NetPlace *p;
    size_t lanes, channels; /* 8 and 8, or 1 and 16 */
    const Real *h;
    Real *group; /* scratch: three numbers for each group of a set, then p of all numbers of a channel */
    Real *p_of;
} SoftSlow;

static size_t soft_group(const SoftSlow *s, unsigned set, size_t cell, size_t lane) {
    unsigned bits = ((set & AXIS_C) != 0 ? SOFT_C : 0u) | ((set & AXIS_X) != 0 ? SOFT_X : 0u) |
                    ((set & AXIS_Y) != 0 ? SOFT_Y : 0u);
    SoftFace f = soft_face(s->p, bits);
    size_t plane = s->p->rows * s->p->columns;
    size_t at =
        cell / plane * f.color + cell % plane / s->p->columns * f.row + cell % s->p->columns * f.column;
    return (set & AXIS_D) != 0 ? at : at * s->lanes + lane;
}

static Real soft_exp(Real x) {
    return R(exp((double)x));
}

/* p of every number of channel ch along a set. */
static void soft_slow_all(const SoftSlow *s, unsigned set, size_t ch) {
    size_t numbers = s->p->cells * s->lanes;
    for (size_t k = 0; k < numbers; k++) {
        Real *group = s->group + 3 * soft_group(s, set, k / s->lanes, k % s->lanes);
        group[0] = -HUGE_VALF;
        group[1] = 0;
    }
    for (int pass = 0; pass < 3; pass++) {
        for (size_t k = 0; k < numbers; k++) {
            Real h = s->h[(k / s->lanes * NET_SOFT + ch) * s->lanes + k % s->lanes];
            Real *group = s->group + 3 * soft_group(s, set, k / s->lanes, k % s->lanes);
            if (pass == 0) {
                group[0] = h > group[0] ? h : group[0];
            } else if (pass == 1) {
                s->p_of[k] = soft_exp(h - group[0]);
                group[1] += s->p_of[k];
            } else {
                s->p_of[k] /= group[1];
            }
        }
    }
}

/* x += softmax */
static void soft_slow(const SoftSlow *s, NetTensorId t, const Real *out, Real *x) {
    for (size_t q = 0; q < net_soft_sets(t); q++) {
        for (size_t ch = 0; ch < NET_SOFT; ch++) {
            soft_slow_all(s, net_soft_set(t, q), ch);
            const Real *w = out + (q * NET_SOFT + ch) * s->channels;
            for (size_t k = 0; k < s->p->cells * s->lanes; k++) {
                for (size_t j = 0; j < s->channels; j++) {
                    x[(k / s->lanes * s->channels + j) * s->lanes + k % s->lanes] += s->p_of[k] * w[j];
                }
            }
        }
    }
}

/* gh, and the gradient of the matrix, from g */
static void soft_slow_back(const SoftSlow *s, NetTensorId t, const Real *out, const Real *g, Real *gh,
                           Real *gradient) {
    size_t numbers = s->p->cells * s->lanes;
    memset(gh, 0, numbers * NET_SOFT * sizeof *gh);
    for (size_t q = 0; q < net_soft_sets(t); q++) {
        unsigned set = net_soft_set(t, q);
        for (size_t ch = 0; ch < NET_SOFT; ch++) {
            soft_slow_all(s, set, ch);
            const Real *w = out + (q * NET_SOFT + ch) * s->channels;
            Real *gw = gradient + (q * NET_SOFT + ch) * s->channels;
            for (size_t k = 0; k < numbers; k++) {
                s->group[3 * soft_group(s, set, k / s->lanes, k % s->lanes) + 2] = 0;
            }
            for (int pass = 0; pass < 2; pass++) {
                for (size_t k = 0; k < numbers; k++) {
                    Real *group = s->group + 3 * soft_group(s, set, k / s->lanes, k % s->lanes);
                    Real of_p = 0;
                    for (size_t j = 0; j < s->channels; j++) {
                        Real gj = g[(k / s->lanes * s->channels + j) * s->lanes + k % s->lanes];
                        of_p += gj * w[j];
                        gw[j] += pass == 0 ? gj * s->p_of[k] : 0;
                    }
                    if (pass == 0) {
                        group[2] += of_p * s->p_of[k];
                    } else {
                        gh[(k / s->lanes * NET_SOFT + ch) * s->lanes + k % s->lanes] +=
                            s->p_of[k] * (of_p - group[2]);
                    }
                }
            }
        }
    }
}

static SoftSlow soft_slow_open(const NetRun *run, NetTensorId t, const Scratch *scratch, const Real *h) {
    const NetPlace *p = &run->mem->places[t];
    size_t lanes = p->lanes ? LANES : 1;
    return (SoftSlow){.p = p,
                      .lanes = lanes,
                      .channels = p->channels,
                      .h = h,
                      .group = scratch->soft,
                      .p_of = scratch->soft + 3 * p->cells * lanes};
}

#endif
