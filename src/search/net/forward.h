/* The forward pass, phase by phase (template: see engine.h).
 *
 * A phase goes over one item: all tensors of an example, or those that have none. It ends where a norm needs
 * the sums of all items; what is done between phases (forward_join) takes little time. Block by block: up
 * sums | up, softmax, cummax | shift | the stream before mixing | mixing, nonlinear, down sums | down */
#ifndef BATT_SEARCH_NET_FORWARD_H
#define BATT_SEARCH_NET_FORWARD_H

#include "search/net/latents.h"
#include "search/net/meter.h"
#include "search/net/mixing.h"
#include "search/net/rays.h"
#include "search/net/share.h"
#include "search/net/softmax.h"

/* ---- up ---- */

KERNEL void up_in(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t, size_t item,
                  Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_SHARE);
    const Real *x = buffer(run, BUFFER_X, t, run->block, item);
    Real *to = buffer(run, BUFFER_SHARED, t, run->block, item);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        norm_apply(kind, channels, norm_in(run, run->block, t), x + i * n, s->x, cells);
        linear(kind, channels, NET_SHARE, LINEAR_SET, weight(run, p->weights[run->block].up_in), s->x,
               to + i * m, cells);
    }
}

KERNEL void up_stats(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                     size_t item) {
    (void)channels;
    sum_squares(kind, NET_SHARE, buffer(run, BUFFER_SHARED, t, run->block, item), run->mem->places[t].cells,
                sums_of(run, t, item));
}

/* The largest tensor: into the sums, and what the others give it, in one go. */
static void up_largest(const NetRun *run, size_t e, Scratch *s) {
    const NetPlace *p = &run->mem->places[NET_ECDXY];
    const Real *x = buffer(run, BUFFER_X, NET_ECDXY, run->block, e);
    Real *to = buffer(run, BUFFER_SHARED, NET_ECDXY, run->block, e);
    Faces faces = faces_of(run, e);
    Adding adding;
    adding_begin(KIND_LANES, NET_SHARE, &adding);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        Real *strip = to + i * NET_SHARE * LANES;
        norm_apply(KIND_LANES, 8, norm_in(run, run->block, NET_ECDXY), x + i * 8 * LANES, s->x, cells);
        linear(KIND_LANES, 8, NET_SHARE, LINEAR_SET, weight(run, p->weights[run->block].up_in), s->x, strip,
               cells);
        spread_strip_up(&faces, strip, i, cells);
        adding_squares(KIND_LANES, NET_SHARE, &adding, strip, cells);
    }
    adding_end_squares(KIND_LANES, NET_SHARE, &adding, p->cells, sums_of(run, NET_ECDXY, e));
}

static void phase_up(NetRun *run, size_t e, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    meter_move(run, thread, NET_LAYER_UP);
    EACH_TENSOR(run, e, t)
    if (t != NET_ECDXY) {
        BY_KIND(t, up_in, run, t, e, s);
    }
    END_EACH
    spread(run, e, BUFFER_SHARED, run->block, NET_SHARE, false);
    up_largest(run, e, s);
    EACH_TENSOR(run, e, t)
    if (t != NET_ECDXY && net_alive(run->block, t, STAGE_MIDDLE)) {
        BY_KIND(t, up_stats, run, t, e);
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* Before that: tensors without examples, which the others take from. */
static void up_common(NetRun *run) {
    size_t item = run->mem->shape.n;
    EACH_TENSOR(run, item, t)
    BY_KIND(t, up_in, run, t, item, &run->scratches[0]);
    hold(run, item, t, BUFFER_SHARED, run->block, NET_SHARE);
    END_EACH
    spread_common(run, BUFFER_SHARED, run->block, NET_SHARE, false);
    EACH_TENSOR(run, item, t)
    BY_KIND(t, up_stats, run, t, item);
    END_EACH
}

/* ---- up and softmax ---- */

/* Softmax logits of a strip: two numbers, or V, a cell. */
KERNEL void soft_in(const TensorKind kind, const Real *w, const Real *x, Real *h, size_t cells) {
    if (kind == KIND_LANES) {
        linear(KIND_LANES, 8, NET_SOFT, LINEAR_SET, w, x, h, cells);
        return;
    }
    V column[NET_SOFT][2];
    for (size_t ch = 0; ch < NET_SOFT; ch++) {
        for (size_t q = 0; q < 2; q++) {
            const Real *from = w + q * LANES * NET_SOFT + ch;
            column[ch][q] = v_of(from[0], from[2], from[4], from[6], from[8], from[10], from[12], from[14]);
        }
    }
    for (size_t i = 0; i < cells; i++) {
        V a = v_load(x + i * 16), b = v_load(x + i * 16 + LANES);
        for (size_t ch = 0; ch < NET_SOFT; ch++) {
            h[i * NET_SOFT + ch] = v_sum(v_fma(a, column[ch][0], v_mul(b, column[ch][1])));
        }
    }
}

KERNEL void up_out(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                   size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_SHARE), h = NUMBERS(kind, NET_SOFT);
    const Real *x = buffer(run, BUFFER_X, t, run->block, item);
    const Real *shared = buffer(run, BUFFER_SHARED, t, run->block, item);
    Real *to = buffer(run, BUFFER_UP, t, run->block, item),
         *soft = buffer(run, BUFFER_SOFT, t, run->block, item);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        norm_apply(kind, channels, norm_in(run, run->block, t), x + i * n, to + i * n, cells);
        norm_apply(kind, NET_SHARE, &run->norms[run->block][NORM_UP][t], shared + i * m, s->y, cells);
        linear(kind, NET_SHARE, channels, LINEAR_ADD, weight(run, w->up_out), s->y, to + i * n, cells);
        soft_in(kind, weight(run, w->soft_in), to + i * n, soft + i * h, cells);
    }
}

/* Adds softmax to the stream: from BUFFER_UP to `to`. */
static void soft_out_lanes(const NetRun *run, NetTensorId t, size_t item, Scratch *s, Real *to) {
    const NetPlace *p = &run->mem->places[t];
    const Real *out = weight(run, p->weights[run->block].soft_out);
    const Real *x = buffer(run, BUFFER_UP, t, run->block, item);
    Real *soft = buffer(run, BUFFER_SOFT, t, run->block, item);
    memcpy(to, x, p->cells * 8 * LANES * sizeof *to);
    uint8_t *slow = &run->slow[(run->block * NET_TENSORS + t) * net_items(run->mem) + item];
    *slow = !soft_exponentials(KIND_LANES, run->soft_range, soft, p->cells);
    if (*slow) {
        SoftSlow path = soft_slow_open(run, t, s, soft);
        soft_slow(&path, t, out, to);
        return;
    }
    SoftLanes lanes;
    soft_lanes_open(run, t, s, &lanes);
    soft_lanes_sums(p, &lanes, soft);
    soft_lanes_collect(p, &lanes, out);
    soft_lanes_strip(p, &lanes, out, soft, to, 0, p->cells);
}

static void soft_out_cells(const NetRun *run, NetTensorId t, size_t item, Scratch *s, Real *to) {
    const NetPlace *p = &run->mem->places[t];
    const Real *out = weight(run, p->weights[run->block].soft_out);
    Real *soft = buffer(run, BUFFER_SOFT, t, run->block, item);
    memcpy(to, buffer(run, BUFFER_UP, t, run->block, item), p->cells * 16 * sizeof *to);
    uint8_t *slow = &run->slow[(run->block * NET_TENSORS + t) * net_items(run->mem) + item];
    *slow = !soft_exponentials(KIND_CELLS, run->soft_range, soft, p->cells);
    if (*slow) {
        SoftSlow path = soft_slow_open(run, t, s, soft);
        soft_slow(&path, t, out, to);
        return;
    }
    Real *all = s->soft, *sums = all + p->cells * SOFT_ROOM;
    soft_cells_all(t, p, soft, sums, all);
    soft_cells_apply(soft_cells_sets(t) * NET_SOFT, out, all, to, p->cells);
}

/* ---- cummax and shift ---- */

/* The stream of one color's cells, from `from` (which may be `to`) with the last operation's result added,
 * then into the frame of the next operation. */
KERNEL void rays_color(const NetRun *run, NetTensorId t, const Frame *f, const Norm *norm, const Real *result,
                       const Real *out, const Real *in, const Real *from, Real *to, Scratch *s,
                       Adding *adding) {
    (void)run;
    (void)t;
    size_t all = f->rows * f->columns;
    for (size_t i = 0; i < all; i += STRIP) {
        size_t cells = strip_cells(all, i), at = i * 8 * LANES;
        if (result != NULL) {
            norm_apply(KIND_LANES, NET_RAYS, norm, result + i * RAY_NUMBERS, s->y, cells);
            if (to != from) {
                memcpy(to + at, from + at, cells * 8 * LANES * sizeof *to);
            }
            linear(KIND_LANES, NET_RAYS, 8, LINEAR_ADD, out, s->y, to + at, cells);
        }
        if (in != NULL) {
            linear(KIND_LANES, 8, NET_RAYS, LINEAR_SET, in, to + at, f->in + i * RAY_NUMBERS, cells);
        }
        if (adding != NULL) {
            adding_squares(KIND_LANES, 8, adding, to + at, cells);
        }
    }
}

static void cummax_out(const NetRun *run, NetTensorId t, size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    Frame f = frame_of(run, s, item);
    size_t all = f.rows * f.columns;
    Real *x = buffer(run, BUFFER_NOW, t, 0, item), *to = buffer(run, BUFFER_CUMMAX, t, run->block, item);
    Adding adding;
    adding_begin(KIND_LANES, NET_RAYS, &adding);
    for (size_t c = 0; c < p->colors; c++) {
        Real *stream = x + c * all * 8 * LANES;
        rays_color(run, t, &f, NULL, NULL, NULL, weight(run, p->weights[run->block].cummax_in), stream,
                   stream, s, NULL);
        f.out = to + c * all * RAY_NUMBERS;
        cummax_frame(&f);
        adding_squares(KIND_LANES, NET_RAYS, &adding, f.out, all);
    }
    adding_end_squares(KIND_LANES, NET_RAYS, &adding, p->cells, sums_of(run, t, item));
}

static void phase_softmax(NetRun *run, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    EACH_TENSOR(run, item, t)
    if (!net_alive(run->block, t, STAGE_MIDDLE)) {
        continue;
    }
    meter_move(run, thread, NET_LAYER_UP);
    BY_KIND(t, up_out, run, t, item, s);
    meter_move(run, thread, NET_LAYER_SOFTMAX);
    Real *to = net_has_rays(t) ? buffer(run, BUFFER_NOW, t, 0, item)
                               : buffer(run, BUFFER_MIDDLE, t, run->block, item);
    if (kind_of(t) == KIND_LANES) {
        soft_out_lanes(run, t, item, s, to);
    } else {
        soft_out_cells(run, t, item, s, to);
    }
    probe_strip(run, NET_AFTER_SOFTMAX, t, item, to, 0, run->mem->places[t].cells);
    if (net_has_rays(t)) {
        meter_move(run, thread, NET_LAYER_CUMMAX);
        cummax_out(run, t, item, s);
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

static void phase_shift(NetRun *run, size_t e, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    meter_move(run, thread, NET_LAYER_SHIFT);
    Frame f = frame_of(run, s, e);
    size_t all = f.rows * f.columns;
    for (NetTensorId t = NET_EDXY; t <= NET_ECDXY; t++) {
        const NetPlace *p = &run->mem->places[t];
        const NetWeights *w = &p->weights[run->block];
        Real *x = buffer(run, BUFFER_NOW, t, 0, e), *to = buffer(run, BUFFER_SHIFT, t, run->block, e);
        const Real *from = buffer(run, BUFFER_CUMMAX, t, run->block, e);
        Adding adding;
        adding_begin(KIND_LANES, NET_RAYS, &adding);
        for (size_t c = 0; c < p->colors; c++) {
            Real *stream = x + c * all * 8 * LANES;
            rays_color(run, t, &f, &run->norms[run->block][NORM_CUMMAX][t], from + c * all * RAY_NUMBERS,
                       weight(run, w->cummax_out), weight(run, w->shift_in), stream, stream, s, NULL);
            probe_strip(run, NET_AFTER_CUMMAX, t, e, stream, c * all, all);
            f.out = to + c * all * RAY_NUMBERS;
            shift_frame(&f);
            adding_squares(KIND_LANES, NET_RAYS, &adding, f.out, all);
        }
        adding_end_squares(KIND_LANES, NET_RAYS, &adding, p->cells, sums_of(run, t, e));
    }
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* The stream before mixing, with its sums; other tensors with directions have it already. */
static void phase_middle(NetRun *run, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    EACH_TENSOR(run, item, t)
    const NetPlace *p = &run->mem->places[t];
    if (!p->lanes || !net_alive(run->block, t, STAGE_MIDDLE)) {
        continue;
    }
    Real *to = buffer(run, BUFFER_MIDDLE, t, run->block, item);
    if (net_has_rays(t)) {
        meter_move(run, thread, NET_LAYER_SHIFT);
        Frame f = frame_of(run, s, item);
        f.rows = p->colors * p->rows; /* all colors at once: nothing goes to the frame */
        Adding adding;
        adding_begin(KIND_LANES, 8, &adding);
        rays_color(run, t, &f, &run->norms[run->block][NORM_SHIFT][t],
                   buffer(run, BUFFER_SHIFT, t, run->block, item),
                   weight(run, p->weights[run->block].shift_out), NULL, buffer(run, BUFFER_NOW, t, 0, item),
                   to, s, &adding);
        adding_end_squares(KIND_LANES, 8, &adding, p->cells, sums_of(run, t, item));
    } else {
        meter_move(run, thread, NET_LAYER_MIX);
        sum_squares(KIND_LANES, 8, to, p->cells, sums_of(run, t, item));
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* ---- mixing, the nonlinear step, down ---- */

/* Strip of the stream before mixing to that after it, in s->x; s->z keeps what is prepared. */
KERNEL void mix_strip(const bool wide, const NetRun *run, NetTensorId t, const Real *from, Scratch *s,
                      size_t cells) {
    const Real *weights = run->mixes + (run->block * NET_TENSORS + t) * MIX_NUMBERS;
    norm_apply(KIND_LANES, 8, &run->norms[run->block][NORM_MIX][t], from, s->y, cells);
    mix_prepare(wide, s->y, s->z, cells);
    memcpy(s->x, from, cells * 8 * LANES * sizeof *from);
    mix_apply(wide, weights, s->z, s->h, s->x, cells);
}

KERNEL void bend_strip(const TensorKind kind, const size_t channels, const NetRun *run, const NetWeights *w,
                       const Real *x, Real *to, Scratch *s, size_t cells) {
    linear(kind, channels, NET_SHARE, LINEAR_SET, weight(run, w->bend_in), x, s->h, cells);
    for (size_t k = 0; k < cells * NUMBERS(kind, NET_SHARE); k += LANES) {
        V h = v_load(s->h + k);
        v_store(s->h + k, v_mul(h, v_logistic(h)));
    }
    memcpy(to, x, cells * NUMBERS(kind, channels) * sizeof *to);
    linear(kind, NET_SHARE, channels, LINEAR_ADD, weight(run, w->bend_out), s->h, to, cells);
}

KERNEL void late(const TensorKind kind, const size_t channels, const bool wide, NetRun *run, NetTensorId t,
                 size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_DOWN);
    const Real *from = buffer(run, BUFFER_MIDDLE, t, run->block, item);
    Real *to = buffer(run, BUFFER_LATE, t, run->block, item),
         *down = buffer(run, BUFFER_DOWN, t, run->block, item);
    bool largest = t == NET_ECDXY;
    Faces faces = {0};
    Adding adding;
    adding_begin(kind, NET_DOWN, &adding);
    if (largest) {
        faces = faces_of(run, item);
        faces_clear(run, &faces, NET_DOWN);
    }
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        const Real *x = from + i * n;
        if (kind == KIND_LANES) {
            meter_move(run, thread, NET_LAYER_MIX);
            mix_strip(wide, run, t, x, s, cells);
            x = s->x;
            probe_strip(run, NET_AFTER_MIX, t, item, x, i, cells);
        }
        meter_move(run, thread, NET_LAYER_BEND);
        bend_strip(kind, channels, run, w, x, to + i * n, s, cells);
        meter_move(run, thread, NET_LAYER_DOWN);
        linear(kind, channels, NET_DOWN, LINEAR_SET, weight(run, w->down_in), to + i * n, down + i * m,
               cells);
        if (largest) {
            gather_strip_down(&faces, down + i * m, i, cells);
            if (net_alive(run->block, t, STAGE_DOWN_OUT)) {
                adding_squares(kind, NET_DOWN, &adding, down + i * m, cells);
            }
        }
    }
    if (largest && net_alive(run->block, t, STAGE_DOWN_OUT)) {
        adding_end_squares(kind, NET_DOWN, &adding, p->cells, sums_of(run, t, item));
    }
}

static void late_square(NetRun *run, NetTensorId t, size_t item, unsigned thread) {
    late(KIND_LANES, 8, false, run, t, item, thread);
}
static void late_wide(NetRun *run, NetTensorId t, size_t item, unsigned thread) {
    late(KIND_LANES, 8, true, run, t, item, thread);
}
static void late_cells(NetRun *run, NetTensorId t, size_t item, unsigned thread) {
    late(KIND_CELLS, 16, false, run, t, item, thread);
}

KERNEL void down_stats(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                       size_t item) {
    (void)channels;
    sum_squares(kind, NET_DOWN, buffer(run, BUFFER_DOWN, t, run->block, item), run->mem->places[t].cells,
                sums_of(run, t, item));
}

static void phase_late(NetRun *run, size_t item, unsigned thread) {
    EACH_TENSOR(run, item, t)
    if (net_alive(run->block, t, STAGE_MIDDLE)) {
        if (kind_of(t) == KIND_CELLS) {
            late_cells(run, t, item, thread);
        } else if (net_mix_wide(t)) {
            late_wide(run, t, item, thread);
        } else {
            late_square(run, t, item, thread);
        }
    }
    END_EACH
    if (item < run->mem->shape.n) {
        meter_move(run, thread, NET_LAYER_DOWN);
        gather(run, item, BUFFER_DOWN, run->block, NET_DOWN, true);
        EACH_TENSOR(run, item, t)
        if (t != NET_ECDXY && net_alive(run->block, t, STAGE_DOWN_OUT)) {
            BY_KIND(t, down_stats, run, t, item);
        }
        END_EACH
    }
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* After that: tensors without examples get what all of them give. */
static void down_common(NetRun *run) {
    size_t item = run->mem->shape.n;
    if (net_alive(run->block, NET_C, STAGE_DOWN_OUT)) {
        gather_common(run, BUFFER_DOWN, run->block, NET_DOWN, true);
        EACH_TENSOR(run, item, t)
        BY_KIND(t, down_stats, run, t, item);
        END_EACH
    }
}

KERNEL void down_out(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                     size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_DOWN);
    const Real *x = buffer(run, BUFFER_LATE, t, run->block, item);
    const Real *down = buffer(run, BUFFER_DOWN, t, run->block, item);
    Real *to = buffer(run, BUFFER_X, t, run->block + 1, item);
    Adding adding;
    adding_begin(kind, channels, &adding);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        norm_apply(kind, NET_DOWN, &run->norms[run->block][NORM_DOWN][t], down + i * m, s->y, cells);
        memcpy(to + i * n, x + i * n, cells * n * sizeof *to);
        linear(kind, NET_DOWN, channels, LINEAR_ADD, weight(run, p->weights[run->block].down_out), s->y,
               to + i * n, cells);
        adding_squares(kind, channels, &adding, to + i * n, cells);
    }
    adding_end_squares(kind, channels, &adding, p->cells, sums_of(run, t, item));
}

static void phase_down(NetRun *run, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    meter_move(run, thread, NET_LAYER_DOWN);
    EACH_TENSOR(run, item, t)
    if (net_alive(run->block, t, STAGE_DOWN_OUT)) {
        BY_KIND(t, down_out, run, t, item, s);
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* Makes the norm of a stage for all tensors that have it. */
static void forward_join(NetRun *run, NormStage stage) {
    static const size_t channels[] = {NET_SHARE, NET_RAYS, NET_RAYS, 8, NET_DOWN, 0};
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        bool has = stage == NORM_UP                              ? net_alive(run->block, t, STAGE_MIDDLE)
                   : stage == NORM_CUMMAX || stage == NORM_SHIFT ? net_has_rays(t)
                   : stage == NORM_MIX ? net_has(t, AXIS_D) && net_alive(run->block, t, STAGE_MIDDLE)
                                       : net_alive(run->block, t, STAGE_DOWN_OUT);
        if (has) {
            norm_join(run, t, stage == NORM_END ? net_channels(t) : channels[stage],
                      &run->norms[run->block][stage][t]);
        }
    }
}

#endif
