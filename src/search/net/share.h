/* Sums that go up and down between tensors (template: see engine.h).
 *
 * "Up" gives every tensor the sum over all tensors whose axes are among its own; "down" the sum of means over
 * all tensors that have its axes. Both are done axis by axis: to spread along an axis is to add to every
 * tensor that has it the one without, to gather is the way back. Spreading in the order E, C, X, Y, D and
 * gathering in the opposite order makes every sum once. ECDXY is larger than all others together, so it is
 * not gone over axis by axis: what it would get at each axis is held (BUFFER_HOLD) and added while it is
 * worked on, and the same for what it gives.
 *
 * Means over rows and columns count only cells inside the grids, if the sizes of all grids are known. */
#ifndef BATT_SEARCH_NET_SHARE_H
#define BATT_SEARCH_NET_SHARE_H

#include "search/net/engine_state.h"

/* ---- weights of means ---- */

/* Per example: over columns, for tensors with both and with columns alone; the same over rows. */
static size_t averages_numbers(const NetShape *shape) {
    size_t x = shape->rows, y = shape->columns;
    return (2 * x * y + x + y + LANES - 1) / LANES * LANES;
}

static void averages_fill(Real *to, const NetShape *shape, size_t e) {
    size_t rows = shape->rows, columns = shape->columns;
    Real *y_both = to, *x_both = to + rows * columns, *y_only = x_both + rows * columns,
         *x_only = y_only + columns;
    for (size_t x = 0; x < rows; x++) {
        for (size_t y = 0; y < columns; y++) {
            y_both[x * columns + y] = (Real)net_mean_weight(shape, e, x, y, false);
            x_both[x * columns + y] = (Real)net_mean_weight(shape, e, x, y, true);
        }
        x_only[x] = x_both[x * columns];
    }
    memcpy(y_only, y_both, columns * sizeof *y_only);
}

/* By row and column of a tensor with this axis. */
static const Real *averages_of(const NetRun *run, size_t item, NetTensorId with, unsigned axis) {
    const NetShape *shape = &run->mem->shape;
    size_t plane = (size_t)shape->rows * shape->columns;
    const Real *of = run->averages + item * averages_numbers(shape);
    bool both = net_has(with, AXIS_X) && net_has(with, AXIS_Y);
    if (axis == AXIS_Y) {
        return both ? of : of + 2 * plane;
    }
    return both ? of + plane : of + 2 * plane + shape->columns;
}

/* ---- one axis ---- */

typedef struct ShareEdge { /* between a tensor and the one without an axis */
    const NetPlace *with;
    size_t color, row,
        column;          /* how far apart cells of the smaller one are, along the axes of the larger one */
    const Real *weights; /* by row and column; NULL: `even` everywhere */
    Real even;
} ShareEdge;

static ShareEdge edge_of(const NetRun *run, size_t item, NetTensorId with, unsigned axis, bool means) {
    const NetPlace *p = &run->mem->places[with];
    ShareEdge edge = {.with = p, .even = 1};
    size_t columns = axis == AXIS_Y ? 1 : p->columns, rows = axis == AXIS_X ? 1 : p->rows;
    edge.column = axis == AXIS_Y ? 0 : 1;
    edge.row = axis == AXIS_X ? 0 : columns;
    edge.color = axis == AXIS_C ? 0 : columns * rows;
    if (means) {
        const NetShape *shape = &run->mem->shape;
        edge.even = axis == AXIS_C   ? R(1.0 / shape->colors)
                    : axis == AXIS_D ? R(1.0 / LANES)
                    : axis == AXIS_E ? R(1.0 / shape->n)
                                     : 1;
        edge.weights = axis == AXIS_X || axis == AXIS_Y ? averages_of(run, item, with, axis) : NULL;
    }
    return edge;
}

/* larger += weight * smaller, or with `back` smaller += weight * larger; n numbers a cell. */
KERNEL void edge_add(const ShareEdge *edge, size_t n, const bool back, Real *larger, Real *smaller) {
    const NetPlace *p = edge->with;
    for (size_t c = 0; c < p->colors; c++) {
        for (size_t k = 0, x = 0; x < p->rows; x++) {
            for (size_t y = 0; y < p->columns; y++, k++, larger += n) {
                V weight = v_all(edge->weights != NULL ? edge->weights[k] : edge->even);
                Real *other = smaller + (c * edge->color + x * edge->row + y * edge->column) * n;
                const Real *from = back ? larger : other;
                Real *to = back ? other : larger;
                for (size_t v = 0; v < n; v += LANES) {
                    v_store(to + v, v_fma(weight, v_load(from + v), v_load(to + v)));
                }
            }
        }
    }
}
NOINLINE void edge_spread(const ShareEdge *edge, size_t n, Real *larger, Real *smaller) {
    edge_add(edge, n, false, larger, smaller);
}
NOINLINE void edge_gather(const ShareEdge *edge, size_t n, Real *larger, Real *smaller) {
    edge_add(edge, n, true, larger, smaller);
}

/* The same along directions: the smaller one has its channels as lanes. */
NOINLINE void edge_add_lanes(const ShareEdge *edge, size_t channels, bool back, Real *larger, Real *smaller) {
    for (size_t i = 0; i < edge->with->cells; i++, larger += channels * LANES, smaller += channels) {
        for (size_t k = 0; k < channels; k += LANES) {
            V part[LANES];
            UNROLL for (size_t q = 0; q < LANES; q++) {
                part[q] = v_load(larger + (k + q) * LANES);
            }
            if (back) {
                v_store(smaller + k, v_fma(v_all(edge->even), v_sums(part), v_load(smaller + k)));
            } else {
                UNROLL for (size_t q = 0; q < LANES; q++) {
                    v_store(larger + (k + q) * LANES,
                            v_fma(v_all(edge->even), v_all(smaller[k + q]), part[q]));
                }
            }
        }
    }
}

static void edge_between(const NetRun *run, size_t item, NetTensorId with, unsigned axis, size_t channels,
                         bool means, bool back, Real *larger, Real *smaller) {
    ShareEdge edge = edge_of(run, item, with, axis, means);
    size_t n = net_has(with, AXIS_D) ? channels * LANES : channels;
    if (axis == AXIS_D) {
        edge_add_lanes(&edge, channels, back, larger, smaller);
    } else if (back) {
        edge_gather(&edge, n, larger, smaller);
    } else {
        edge_spread(&edge, n, larger, smaller);
    }
}

/* Whether a tensor is included: all are on the way up; on the way down of the last block few have
 * an effect. */
INLINE bool shares(const NetRun *run, NetTensorId t, bool means) {
    return !means || net_alive(run->block, t, STAGE_MIDDLE);
}

/* All tensors of the item along one axis, except ECDXY. */
static void axis_add(const NetRun *run, size_t item, unsigned axis, NetBuffer in, size_t block,
                     size_t channels, bool means, bool back) {
    EACH_TENSOR(run, item, t)
    NetTensorId without = net_has(t, axis) ? net_tensor_with(net_tensors[t].axes & ~axis) : NET_NO_TENSOR;
    if (t != NET_ECDXY && without != NET_NO_TENSOR && shares(run, without, means)) {
        edge_between(run, item, t, axis, channels, means, back, buffer(run, in, t, block, item),
                     buffer(run, in, without, block, item));
    }
    END_EACH
}

/* ---- all axes ---- */

static void hold(const NetRun *run, size_t item, NetTensorId t, NetBuffer in, size_t block,
                 const size_t channels) {
    const NetPlace *p = &run->mem->places[t];
    memcpy(buffer(run, BUFFER_HOLD, t, 0, item), buffer(run, in, t, block, item),
           p->cells * channels * (p->lanes ? LANES : 1) * sizeof(Real));
}

/* Adds what is held. */
static void unhold(const NetRun *run, size_t item, NetTensorId t, NetBuffer in, size_t block,
                   const size_t channels) {
    const NetPlace *p = &run->mem->places[t];
    Real *to = buffer(run, in, t, block, item);
    const Real *from = buffer(run, BUFFER_HOLD, t, 0, item);
    for (size_t k = 0; k < p->cells * channels * (p->lanes ? LANES : 1); k += LANES) {
        v_store(to + k, v_add(v_load(to + k), v_load(from + k)));
    }
}

static const struct {
    NetTensorId examples, common;
} share_common[] = {{NET_EC, NET_C}, {NET_ED, NET_D}, {NET_ECD, NET_CD}};
enum { SHARE_COMMON = 3 };

/* From small to large, in an example; what it has in common with others is held already. ECDXY is left for
 * spread_strip. */
static void spread(const NetRun *run, size_t e, NetBuffer in, size_t block, size_t channels, bool means) {
    for (size_t k = 0; k < SHARE_COMMON; k++) {
        NetTensorId t = share_common[k].examples;
        if (!shares(run, t, means)) {
            continue;
        }
        const NetPlace *p = &run->mem->places[t];
        Real *to = buffer(run, in, t, block, e);
        const Real *from = buffer(run, BUFFER_HOLD, share_common[k].common, 0, 0);
        V weight = v_all(means ? R(1.0 / run->mem->shape.n) : 1);
        for (size_t i = 0; i < p->cells * channels * (p->lanes ? LANES : 1); i += LANES) {
            v_store(to + i, v_fma(weight, v_load(from + i), v_load(to + i)));
        }
    }
    hold(run, e, NET_EDXY, in, block, channels);
    axis_add(run, e, AXIS_C, in, block, channels, means, false);
    hold(run, e, NET_ECDY, in, block, channels);
    axis_add(run, e, AXIS_X, in, block, channels, means, false);
    hold(run, e, NET_ECDX, in, block, channels);
    axis_add(run, e, AXIS_Y, in, block, channels, means, false);
    hold(run, e, NET_ECXY, in, block, channels);
    axis_add(run, e, AXIS_D, in, block, channels, means, false);
}

/* From large to small; gather_strip has already summed ECDXY. */
static void gather(const NetRun *run, size_t e, NetBuffer in, size_t block, const size_t channels,
                   const bool means) {
    unhold(run, e, NET_ECXY, in, block, channels);
    axis_add(run, e, AXIS_D, in, block, channels, means, true);
    unhold(run, e, NET_ECDX, in, block, channels);
    axis_add(run, e, AXIS_Y, in, block, channels, means, true);
    unhold(run, e, NET_ECDY, in, block, channels);
    axis_add(run, e, AXIS_X, in, block, channels, means, true);
    unhold(run, e, NET_EDXY, in, block, channels);
    axis_add(run, e, AXIS_C, in, block, channels, means, true);
}

/* What tensors without examples add to each other. */
static void spread_common(const NetRun *run, NetBuffer in, size_t block, const size_t channels,
                          const bool means) {
    size_t item = run->mem->shape.n;
    axis_add(run, item, AXIS_C, in, block, channels, means, false);
    axis_add(run, item, AXIS_D, in, block, channels, means, false);
}
/* And what they get from each other, and from all examples. */
static void gather_common(const NetRun *run, NetBuffer in, size_t block, const size_t channels,
                          const bool means) {
    size_t item = run->mem->shape.n;
    axis_add(run, item, AXIS_D, in, block, channels, means, true);
    axis_add(run, item, AXIS_C, in, block, channels, means, true);
    for (size_t k = 0; k < SHARE_COMMON; k++) {
        NetTensorId t = share_common[k].common;
        const NetPlace *p = &run->mem->places[t];
        Real *to = buffer(run, in, t, block, item);
        V weight = v_all(means ? R(1.0 / run->mem->shape.n) : 1);
        for (size_t e = 0; e < run->mem->shape.n; e++) {
            const Real *from = buffer(run, in, share_common[k].examples, block, e);
            for (size_t i = 0; i < p->cells * channels * (p->lanes ? LANES : 1); i += LANES) {
                v_store(to + i, v_fma(weight, v_load(from + i), v_load(to + i)));
            }
        }
    }
}

/* ---- ECDXY, strip by strip ---- */

typedef struct Faces {                  /* what is held of the tensors next to ECDXY, and weights of means */
    Real *color, *row, *column, *lanes; /* without color, row, column, directions */
    const Real *over_row, *over_column;
    Real over_color, over_lanes;
    const NetPlace *place; /* of ECDXY */
    size_t rows, columns;
} Faces;

static Faces faces_of(const NetRun *run, size_t e) {
    const NetShape *shape = &run->mem->shape;
    return (Faces){
        .color = buffer(run, BUFFER_HOLD, NET_EDXY, 0, e),
        .row = buffer(run, BUFFER_HOLD, NET_ECDY, 0, e),
        .column = buffer(run, BUFFER_HOLD, NET_ECDX, 0, e),
        .lanes = buffer(run, BUFFER_HOLD, NET_ECXY, 0, e),
        .over_row = averages_of(run, e, NET_ECDXY, AXIS_X),
        .over_column = averages_of(run, e, NET_ECDXY, AXIS_Y),
        .over_color = R(1.0 / shape->colors),
        .over_lanes = R(1.0 / LANES),
        .place = &run->mem->places[NET_ECDXY],
        .rows = shape->rows,
        .columns = shape->columns,
    };
}

/* Adds to a strip that begins at cell `begin` what comes from the faces. */
KERNEL void spread_strip(const Faces *faces, const size_t channels, const bool means, Real *strip,
                         size_t begin, size_t cells) {
    const size_t n = channels * LANES;
    CellAt at = cell_at(faces->place, begin);
    for (size_t i = 0; i < cells; i++, cell_next(faces->place, &at)) {
        size_t plane = at.x * faces->columns + at.y;
        const Real *color = faces->color + plane * n, *row = faces->row + (at.c * faces->columns + at.y) * n;
        const Real *column = faces->column + (at.c * faces->rows + at.x) * n;
        const Real *lanes = faces->lanes + (begin + i) * channels;
        V w_color = v_all(faces->over_color), w_lanes = v_all(faces->over_lanes);
        V w_row = v_all(faces->over_row[plane]), w_column = v_all(faces->over_column[plane]);
        Real *to = strip + i * n;
        UNROLL for (size_t k = 0; k < channels; k++) {
            V sum = v_load(to + k * LANES);
            if (means) {
                sum = v_fma(w_color, v_load(color + k * LANES), sum);
                sum = v_fma(w_row, v_load(row + k * LANES), sum);
                sum = v_fma(w_column, v_load(column + k * LANES), sum);
                sum = v_fma(w_lanes, v_all(lanes[k]), sum);
            } else {
                sum = v_add(sum, v_load(color + k * LANES));
                sum = v_add(sum, v_add(v_load(row + k * LANES), v_load(column + k * LANES)));
                sum = v_add(sum, v_all(lanes[k]));
            }
            v_store(to + k * LANES, sum);
        }
    }
}

NOINLINE void spread_strip_up(const Faces *faces, Real *strip, size_t begin, size_t cells) {
    spread_strip(faces, NET_SHARE, false, strip, begin, cells);
}
NOINLINE void spread_strip_down(const Faces *faces, Real *strip, size_t begin, size_t cells) {
    spread_strip(faces, NET_DOWN, true, strip, begin, cells);
}

static void faces_clear(const NetRun *run, const Faces *faces, size_t channels) {
    const NetPlace *places = run->mem->places;
    size_t n = channels * LANES * sizeof(Real);
    memset(faces->color, 0, places[NET_EDXY].cells * n);
    memset(faces->row, 0, places[NET_ECDY].cells * n);
    memset(faces->column, 0, places[NET_ECDX].cells * n);
}

/* The way back: gives a strip to the faces. */
KERNEL void gather_strip(const Faces *faces, const size_t channels, const bool means, const Real *strip,
                         size_t begin, size_t cells) {
    const size_t n = channels * LANES;
    CellAt at = cell_at(faces->place, begin);
    for (size_t i = 0; i < cells; i++, cell_next(faces->place, &at)) {
        size_t plane = at.x * faces->columns + at.y;
        Real *color = faces->color + plane * n, *row = faces->row + (at.c * faces->columns + at.y) * n;
        Real *column = faces->column + (at.c * faces->rows + at.x) * n;
        Real *lanes = faces->lanes + (begin + i) * channels;
        V w_color = v_all(means ? faces->over_color : 1), w_lanes = v_all(means ? faces->over_lanes : 1);
        V w_row = v_all(means ? faces->over_row[plane] : 1),
          w_column = v_all(means ? faces->over_column[plane] : 1);
        const Real *from = strip + i * n;
        for (size_t k = 0; k < channels; k += LANES) {
            V part[LANES];
            UNROLL for (size_t q = 0; q < LANES; q++) {
                size_t v = (k + q) * LANES;
                part[q] = v_load(from + v);
                v_store(color + v, v_fma(w_color, part[q], v_load(color + v)));
                v_store(row + v, v_fma(w_row, part[q], v_load(row + v)));
                v_store(column + v, v_fma(w_column, part[q], v_load(column + v)));
            }
            v_store(lanes + k, v_mul(w_lanes, v_sums(part)));
        }
    }
}

NOINLINE void gather_strip_up(const Faces *faces, const Real *strip, size_t begin, size_t cells) {
    gather_strip(faces, NET_SHARE, false, strip, begin, cells);
}
NOINLINE void gather_strip_down(const Faces *faces, const Real *strip, size_t begin, size_t cells) {
    gather_strip(faces, NET_DOWN, true, strip, begin, cells);
}

#endif
