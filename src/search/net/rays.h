/* Cummax and shift: what runs along straight lines of cells (template: see engine.h).
 *
 * Channel 2q + p of direction d walks along d if p is 0, and against it if p is 1. With directions as lanes,
 * four of them (down, down right, right, down left) come from a cell before in the order of rows, and four
 * from one after it. So the channels of q are put together differently: a V "ahead" has the lanes that walk
 * with the order of cells, p = 0 for d in 0, 1, 2, 7 and p = 1 for the others; the rest is a V "behind",
 * which does the same in the opposite order. Of both, lanes 0 and 4 move along columns, 1 and 5 along one
 * diagonal, 2 and 6 along rows, 3 and 7 along the other diagonal. A cell thus has four V, and what they need
 * of other cells lies in the four neighbours before (or after) it.
 *
 * Cells of one color lie in a frame that has a border on all sides, so that neighbours always exist. What
 * holds for a whole ray is kept per column, diagonal and row (Lines), in the lanes that are theirs. */
#ifndef BATT_SEARCH_NET_RAYS_H
#define BATT_SEARCH_NET_RAYS_H

#include "search/net/engine_state.h"

enum { RAY_V = 4, RAY_NUMBERS = RAY_V * LANES }; /* ahead of q = 0, 1, behind of q = 0, 1 */

typedef struct Frame {
    size_t rows, columns, wide;          /* wide: columns with the border */
    const Real *mask;                    /* of the example, [row][column] */
    Real *v, *u, *pass, *g;              /* [cell with border] of RAY_NUMBERS */
    Real *high, *low, *of_high, *of_low; /* Lines */
    Real *in, *out;                      /* [cell] of RAY_NUMBERS: a slice of one color */
} Frame;

static size_t lines_numbers(size_t rows, size_t columns) { /* columns, diagonals, rows, diagonals */
    return (columns + rows + 2 * (rows + columns)) * RAY_NUMBERS;
}

static Frame frame_of(const NetRun *run, const Scratch *s, size_t item) {
    const NetShape *shape = &run->mem->shape;
    size_t rows = shape->rows, columns = shape->columns, all = (rows + 2) * (columns + 2) * RAY_NUMBERS;
    size_t lines = lines_numbers(rows, columns);
    Real *next = s->rays;
    Frame f = {
        .rows = rows, .columns = columns, .wide = columns + 2, .mask = run->masks + item * rows * columns};
    f.v = next;
    f.u = next += all;
    f.pass = next += all;
    f.g = next += all;
    f.high = next += all;
    f.low = next += lines;
    f.of_high = next += lines;
    f.of_low = next += lines;
    f.in = next += lines;
    f.out = next + rows * columns * RAY_NUMBERS;
    return f;
}

static size_t frame_numbers(const NetShape *shape) {
    size_t rows = shape->rows, columns = shape->columns;
    return 4 * (rows + 2) * (columns + 2) * RAY_NUMBERS + 4 * lines_numbers(rows, columns) +
           2 * rows * columns * RAY_NUMBERS;
}

/* Sets the border of an array. */
static void frame_border(const Frame *f, Real *array, Real value) {
    for (size_t x = 0; x < f->rows + 2; x++) {
        bool edge = x == 0 || x == f->rows + 1;
        for (size_t y = 0; y < f->wide; y += edge ? 1 : f->wide - 1) {
            for (size_t k = 0; k < RAY_NUMBERS; k++) {
                array[(x * f->wide + y) * RAY_NUMBERS + k] = value;
            }
        }
    }
}

INLINE size_t frame_at(const Frame *f, size_t x, size_t y) {
    return ((x + 1) * f->wide + y + 1) * RAY_NUMBERS;
}

/* The k-th V of the neighbours that a lane comes from: before the cell, or after it with `after`. */
INLINE V neighbours(const Frame *f, const Real *array, size_t at, size_t k, const bool after) {
    const ptrdiff_t up = (ptrdiff_t)(f->wide * RAY_NUMBERS), one = RAY_NUMBERS, sign = after ? 1 : -1;
    const Real *from = array + at + k * LANES;
    return v_pick(v_load(from + sign * up), v_load(from + sign * (up + one)), v_load(from + sign * one),
                  v_load(from + sign * (up - one)));
}

/* ---- what holds for a ray ---- */

typedef struct LineAt { /* of one cell: where its column, diagonal, row, diagonal are */
    size_t at[4];
} LineAt;

INLINE LineAt line_at(const Frame *f, size_t x, size_t y) {
    size_t diagonals = f->rows + f->columns;
    return (LineAt){{y * RAY_NUMBERS, (f->columns + f->rows - 1 - x + y) * RAY_NUMBERS,
                     (f->columns + diagonals + x) * RAY_NUMBERS,
                     (f->columns + diagonals + f->rows + x + y) * RAY_NUMBERS}};
}
INLINE V line_get(const Real *lines, const LineAt *l, size_t k) {
    return v_pick(v_load(lines + l->at[0] + k * LANES), v_load(lines + l->at[1] + k * LANES),
                  v_load(lines + l->at[2] + k * LANES), v_load(lines + l->at[3] + k * LANES));
}
INLINE void line_put(Real *lines, const LineAt *l, size_t k, V v) {
    UNROLL for (size_t which = 0; which < 4; which++) {
        v_store(lines + l->at[which] + k * LANES, v);
    }
}
static void lines_fill(const Frame *f, Real *lines, Real value) {
    for (size_t k = 0; k < lines_numbers(f->rows, f->columns); k++) {
        lines[k] = value;
    }
}

/* ---- in and out of frames ---- */

/* Channels to V, masked: h[cell][4] V to the frame's array v. */
static void frame_fill(const Frame *f, const Real *h) {
    for (size_t x = 0; x < f->rows; x++) {
        for (size_t y = 0; y < f->columns; y++, h += RAY_NUMBERS) {
            V m = v_all(f->mask[x * f->columns + y]);
            Real *v = f->v + frame_at(f, x, y);
            UNROLL for (size_t q = 0; q < 2; q++) {
                V along = v_mul(m, v_load(h + 2 * q * LANES)),
                  against = v_mul(m, v_load(h + (2 * q + 1) * LANES));
                v_store(v + q * LANES, v_ahead(along, against));
                v_store(v + (2 + q) * LANES, v_ahead(against, along));
            }
        }
    }
}

/* The same for gradients of outputs, whose channel is 2p + q. */
static void frame_fill_back(const Frame *f, const Real *g, Real *to) {
    for (size_t x = 0; x < f->rows; x++) {
        for (size_t y = 0; y < f->columns; y++, g += RAY_NUMBERS) {
            Real *v = to + frame_at(f, x, y);
            UNROLL for (size_t q = 0; q < 2; q++) {
                V along = v_load(g + q * LANES), against = v_load(g + (2 + q) * LANES);
                v_store(v + q * LANES, v_ahead(along, against));
                v_store(v + (2 + q) * LANES, v_ahead(against, along));
            }
        }
    }
}

/* V of a cell to output channels 2p + q, or with `masked` to the input channels 2q + p. */
INLINE void frame_out(const V *v, const bool masked, Real mask, Real *out) {
    UNROLL for (size_t q = 0; q < 2; q++) {
        V along = v_ahead(v[q], v[2 + q]), against = v_ahead(v[2 + q], v[q]);
        if (masked) {
            v_store(out + 2 * q * LANES, v_mul(v_all(mask), along));
            v_store(out + (2 * q + 1) * LANES, v_mul(v_all(mask), against));
        } else {
            v_store(out + q * LANES, along);
            v_store(out + (2 + q) * LANES, against);
        }
    }
}

/* ---- shift ---- */

/* f->in (4 channels of all cells of a color) to f->out */
static void shift_frame(const Frame *f) {
    frame_border(f, f->v, 0);
    frame_fill(f, f->in);
    for (size_t x = 0; x < f->rows; x++) {
        for (size_t y = 0; y < f->columns; y++) {
            size_t at = frame_at(f, x, y);
            V v[RAY_V];
            UNROLL for (size_t k = 0; k < RAY_V; k++) {
                v[k] = neighbours(f, f->v, at, k, k >= 2);
            }
            frame_out(v, false, 1, f->out + (x * f->columns + y) * RAY_NUMBERS);
        }
    }
}

/* f->in (gradient of outputs) to f->out (gradient of inputs) */
static void shift_frame_back(const Frame *f) {
    frame_border(f, f->v, 0);
    frame_fill_back(f, f->in, f->v);
    for (size_t x = 0; x < f->rows; x++) {
        for (size_t y = 0; y < f->columns; y++) {
            size_t at = frame_at(f, x, y), cell = x * f->columns + y;
            V v[RAY_V];
            UNROLL for (size_t k = 0; k < RAY_V; k++) {
                v[k] = neighbours(f, f->v, at, k, k < 2);
            }
            frame_out(v, true, f->mask[cell], f->out + cell * RAY_NUMBERS);
        }
    }
}

/* ---- cummax ---- */

#define RAY_FAR R(1e30)
#define RAY_OUTSIDE R(1000) /* taken off outside the mask */

/* Running maxima u, and the highest and lowest of every ray. */
static void cummax_scan(const Frame *f) {
    frame_border(f, f->u, -RAY_FAR);
    lines_fill(f, f->high, -RAY_FAR);
    lines_fill(f, f->low, RAY_FAR);
    size_t cells = f->rows * f->columns;
    size_t x = 0, y = 0;
    for (size_t i = 0; i < cells; i++) { /* ahead at this cell, behind at the one opposite */
        size_t bx = f->rows - 1 - x, by = f->columns - 1 - y;
        size_t cell[2] = {x * f->columns + y, bx * f->columns + by};
        size_t at[2] = {frame_at(f, x, y), frame_at(f, bx, by)};
        LineAt line[2] = {line_at(f, x, y), line_at(f, bx, by)};
        UNROLL for (size_t k = 0; k < RAY_V; k++) {
            size_t side = k / 2;
            V outside = v_all(RAY_OUTSIDE * (1 - f->mask[cell[side]]));
            V v = v_load(f->v + at[side] + k * LANES), w = v_sub(v, outside);
            V u = v_max(w, neighbours(f, f->u, at[side], k, side == 1));
            v_store(f->u + at[side] + k * LANES, u);
            line_put(f->high, &line[side], k, v_max(line_get(f->high, &line[side], k), u));
            line_put(f->low, &line[side], k, v_min(line_get(f->low, &line[side], k), v_add(v, outside)));
        }
        if (++y == f->columns) {
            y = 0;
            x++;
        }
    }
}

/* Straight directions are the even lanes. */
INLINE V even_lanes(Real even, Real odd) {
    return v_of(even, odd, even, odd, even, odd, even, odd);
}

typedef struct CummaxCell {
    V rho, den, keep; /* (u + k - B) / den; den; 1, or the mask for diagonals */
} CummaxCell;

INLINE CummaxCell cummax_cell(const Frame *f, size_t cell, size_t at, const LineAt *line, size_t k) {
    V outside = v_all(RAY_OUTSIDE * (1 - f->mask[cell]));
    V slack = even_lanes(R(0.001), 0);
    V a = v_add(v_add(line_get(f->high, line, k), outside), slack);
    V b = v_sub(v_sub(line_get(f->low, line, k), outside), slack);
    CummaxCell c = {.keep = even_lanes(1, f->mask[cell])};
    c.den = v_add(v_sub(a, b), even_lanes(0, R(0.00001)));
    c.rho = v_div(v_sub(v_add(v_load(f->u + at + k * LANES), outside), b), c.den);
    return c;
}

static void cummax_frame(const Frame *f) {
    frame_fill(f, f->in);
    cummax_scan(f);
    for (size_t x = 0; x < f->rows; x++) {
        for (size_t y = 0; y < f->columns; y++) {
            size_t at = frame_at(f, x, y), cell = x * f->columns + y;
            LineAt line = line_at(f, x, y);
            V v[RAY_V];
            UNROLL for (size_t k = 0; k < RAY_V; k++) {
                CummaxCell c = cummax_cell(f, cell, at, &line, k);
                v[k] = v_mul(c.keep, v_sub(v_add(c.rho, c.rho), v_all(1)));
            }
            frame_out(v, false, 1, f->out + cell * RAY_NUMBERS);
        }
    }
}

/* f->in: the inputs; g: the gradient of the outputs, which lies where f->out is; gradient of the inputs to
 * f->out. */
static void cummax_frame_back(const Frame *f) {
    frame_fill(f, f->in);
    cummax_scan(f);
    frame_fill_back(f, f->out, f->g);
    frame_border(f, f->pass, 0);
    lines_fill(f, f->of_high, 0);
    lines_fill(f, f->of_low, 0);
    size_t cells = f->rows * f->columns;
    size_t x = 0, y = 0;
    /* Against the walk: what flows to the last position at which the maximum was new, and the sums of rays.
     */
    for (size_t i = 0; i < cells; i++) {
        size_t bx = f->rows - 1 - x, by = f->columns - 1 - y;
        size_t cell[2] = {bx * f->columns + by, x * f->columns + y};
        size_t at[2] = {frame_at(f, bx, by), frame_at(f, x, y)};
        LineAt line[2] = {line_at(f, bx, by), line_at(f, x, y)};
        UNROLL for (size_t k = 0; k < RAY_V; k++) {
            size_t side = k / 2;
            Real *g = f->g + at[side] + k * LANES;
            CummaxCell c = cummax_cell(f, cell[side], at[side], &line[side], k);
            V w = v_sub(v_load(f->v + at[side] + k * LANES), v_all(RAY_OUTSIDE * (1 - f->mask[cell[side]])));
            V t = v_div(v_mul(v_mul(v_all(2), c.keep), v_load(g)), c.den);
            V flow = v_add(t, neighbours(f, f->pass, at[side], k, side == 0));
            VMask new = v_equal(w, v_load(f->u + at[side] + k * LANES));
            v_store(g, v_keep(new, flow));
            v_store(f->pass + at[side] + k * LANES, v_select(new, v_zero(), flow));
            V high = line_get(f->of_high, &line[side], k), low = line_get(f->of_low, &line[side], k);
            line_put(f->of_high, &line[side], k, v_fma(t, c.rho, high));
            line_put(f->of_low, &line[side], k, v_fma(t, v_sub(c.rho, v_all(1)), low));
        }
        if (++y == f->columns) {
            y = 0;
            x++;
        }
    }
    /* With the walk: the first position of the highest and of the lowest gets the sum of its ray. */
    x = y = 0;
    for (size_t i = 0; i < cells; i++) {
        size_t bx = f->rows - 1 - x, by = f->columns - 1 - y;
        size_t cell[2] = {x * f->columns + y, bx * f->columns + by};
        size_t at[2] = {frame_at(f, x, y), frame_at(f, bx, by)};
        LineAt line[2] = {line_at(f, x, y), line_at(f, bx, by)};
        UNROLL for (size_t k = 0; k < RAY_V; k++) {
            size_t side = k / 2;
            Real *g = f->g + at[side] + k * LANES;
            V outside = v_all(RAY_OUTSIDE * (1 - f->mask[cell[side]])),
              v = v_load(f->v + at[side] + k * LANES);
            VMask high = v_equal(v_sub(v, outside), line_get(f->high, &line[side], k));
            VMask low = v_equal(v_add(v, outside), line_get(f->low, &line[side], k));
            V of_high = line_get(f->of_high, &line[side], k), of_low = line_get(f->of_low, &line[side], k);
            v_store(g, v_add(v_sub(v_load(g), v_keep(high, of_high)), v_keep(low, of_low)));
            line_put(f->of_high, &line[side], k, v_select(high, v_zero(), of_high));
            line_put(f->of_low, &line[side], k, v_select(low, v_zero(), of_low));
        }
        if (++y == f->columns) {
            y = 0;
            x++;
        }
    }
    for (x = 0; x < f->rows; x++) {
        for (y = 0; y < f->columns; y++) {
            size_t at = frame_at(f, x, y), c = x * f->columns + y;
            V v[RAY_V];
            UNROLL for (size_t k = 0; k < RAY_V; k++) {
                v[k] = v_load(f->g + at + k * LANES);
            }
            frame_out(v, true, f->mask[c], f->out + c * RAY_NUMBERS);
        }
    }
}

#endif
