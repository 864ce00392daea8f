/* The backward pass, phase by phase (template: see engine.h).
 *
 * The same phases as forward.h in the opposite order. BUFFER_G holds the gradient of the stream,
 * BUFFER_WORK what is on its way through a norm. The stream between cummax, shift and mixing is not
 * kept: it is recovered by subtracting what was added; mixing and the nonlinear step are recomputed. */
#ifndef BATT_SEARCH_NET_BACKWARD_H
#define BATT_SEARCH_NET_BACKWARD_H

#include "search/net/forward.h"

/* ---- the norm that ends a block, and out of "down" ---- */

KERNEL void down_out_back(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                          size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_DOWN);
    Real *g = buffer(run, BUFFER_G, t, 0, item), *work = buffer(run, BUFFER_WORK, t, 0, item);
    if (!net_alive(run->block, t, STAGE_DOWN_OUT)) {
        memset(g, 0, p->cells * n * sizeof *g);
        memset(work, 0, p->cells * m * sizeof *work);
        return;
    }
    const Norm *end = &run->norms[run->block][NORM_END][t], *norm = &run->norms[run->block][NORM_DOWN][t];
    const Real *x = buffer(run, BUFFER_X, t, run->block + 1, item);
    const Real *down = buffer(run, BUFFER_DOWN, t, run->block, item);
    Adding adding;
    adding_begin(kind, NET_DOWN, &adding);
    outer_begin(kind, NET_DOWN * channels, s->sum[0]);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        norm_apply(kind, channels, end, x + i * n, s->x, cells);
        norm_back(kind, channels, end, &run->backs[t], false, g + i * n, s->x, g + i * n, cells);
        norm_apply(kind, NET_DOWN, norm, down + i * m, s->y, cells);
        linear(kind, channels, NET_DOWN, LINEAR_BACK, weight(run, w->down_out), g + i * n, work + i * m,
               cells);
        outer(kind, NET_DOWN, channels, s->y, g + i * n, s->sum[0], cells);
        adding_products(kind, NET_DOWN, &adding, work + i * m, s->y, cells);
    }
    outer_end(kind, NET_DOWN * channels, s->sum[0], weight_gradient(run, item, w->down_out));
    adding_end(kind, NET_DOWN, &adding, sums_of(run, t, item));
}

static void phase_down_back(NetRun *run, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    meter_move(run, thread, NET_LAYER_NORM_BACK);
    EACH_TENSOR(run, item, t)
    if (net_alive(run->block, t, STAGE_MIDDLE)) {
        BY_KIND(t, down_out_back, run, t, item, s);
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* ---- into "down", nonlinear, mixing ---- */

/* The gradient of the sums that went down, before it is spread. */
KERNEL void down_sums_back(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                           size_t item, Scratch *s) {
    (void)channels;
    const NetPlace *p = &run->mem->places[t];
    const size_t m = NUMBERS(kind, NET_DOWN);
    const Norm *norm = &run->norms[run->block][NORM_DOWN][t];
    const Real *down = buffer(run, BUFFER_DOWN, t, run->block, item);
    Real *work = buffer(run, BUFFER_WORK, t, 0, item);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        norm_apply(kind, NET_DOWN, norm, down + i * m, s->y, cells);
        norm_back(kind, NET_DOWN, norm, &run->backs[t], false, work + i * m, s->y, work + i * m, cells);
    }
}

static void down_common_back(NetRun *run) {
    size_t item = run->mem->shape.n;
    if (net_alive(run->block, NET_C, STAGE_DOWN_OUT)) {
        EACH_TENSOR(run, item, t)
        BY_KIND(t, down_sums_back, run, t, item, &run->scratches[0]);
        hold(run, item, t, BUFFER_WORK, 0, NET_DOWN);
        END_EACH
        spread_common(run, BUFFER_WORK, 0, NET_DOWN, true);
    }
}

/* g5 from g6: the strip x before the nonlinear step, its gradient g in place. */
KERNEL void bend_back(const TensorKind kind, const size_t channels, const NetRun *run, const NetWeights *w,
                      const Real *x, Real *g, Scratch *s, size_t cells) {
    const size_t all = cells * NUMBERS(kind, NET_SHARE);
    linear(kind, channels, NET_SHARE, LINEAR_SET, weight(run, w->bend_in), x, s->h, cells);
    linear(kind, channels, NET_SHARE, LINEAR_BACK, weight(run, w->bend_out), g, s->g, cells);
    for (size_t k = 0; k < all; k += LANES) {
        V h = v_load(s->h + k), logistic = v_logistic(h);
        V slope = v_mul(logistic, v_fma(h, v_sub(v_all(1), logistic), v_all(1)));
        v_store(s->h + k, v_mul(h, logistic));
        v_store(s->g + k, v_mul(v_load(s->g + k), slope));
    }
    outer(kind, NET_SHARE, channels, s->h, g, s->sum[1], cells);
    outer(kind, channels, NET_SHARE, x, s->g, s->sum[2], cells);
    linear(kind, NET_SHARE, channels, LINEAR_BACKADD, weight(run, w->bend_in), s->g, g, cells);
}

KERNEL void late_back(const TensorKind kind, const size_t channels, const bool wide, NetRun *run,
                      NetTensorId t, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_DOWN), partners = wide ? 3 : 2;
    const Real *middle = buffer(run, BUFFER_MIDDLE, t, run->block, item);
    const Real *after = buffer(run, BUFFER_LATE, t, run->block, item);
    const Real *down = buffer(run, BUFFER_DOWN, t, run->block, item);
    Real *g = buffer(run, BUFFER_G, t, 0, item), *work = buffer(run, BUFFER_WORK, t, 0, item);
    /* the gradient of mixing is made in place of that of the sums, which has as many numbers: m == n */
    const bool largest = t == NET_ECDXY;
    Faces faces = {0};
    Adding adding;
    if (largest) {
        faces = faces_of(run, item);
    }
    outer_begin(kind, channels * NET_DOWN, s->sum[0]);
    outer_begin(kind, NET_SHARE * channels, s->sum[1]);
    outer_begin(kind, channels * NET_SHARE, s->sum[2]);
    adding_begin(kind, 8, &adding);
    if (kind == KIND_LANES) {
        memset(s->mix, 0, partners * 64 * LANES * sizeof *s->mix);
    }
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        Real *gi = g + i * n, *wi = work + i * m;
        const Real *x = middle + i * n;
        meter_move(run, thread, NET_LAYER_DOWN_BACK);
        if (largest) {
            const Norm *norm = &run->norms[run->block][NORM_DOWN][t];
            if (net_alive(run->block, t, STAGE_DOWN_OUT)) {
                norm_apply(kind, NET_DOWN, norm, down + i * m, s->y, cells);
                norm_back(kind, NET_DOWN, norm, &run->backs[t], false, wi, s->y, wi, cells);
            }
            spread_strip_down(&faces, wi, i, cells);
        }
        outer(kind, channels, NET_DOWN, after + i * n, wi, s->sum[0], cells);
        linear(kind, NET_DOWN, channels, LINEAR_BACKADD, weight(run, w->down_in), wi, gi, cells);
        if (kind == KIND_LANES) {
            meter_move(run, thread, NET_LAYER_MIX_BACK);
            mix_strip(wide, run, t, x, s, cells); /* s->y normed, s->z prepared */
            x = s->x;
        }
        meter_move(run, thread, NET_LAYER_BEND_BACK);
        bend_back(kind, channels, run, w, x, gi, s, cells);
        if (kind == KIND_LANES) {
            meter_move(run, thread, NET_LAYER_MIX_BACK);
            const Real *weights = run->mixes + (run->block * NET_TENSORS + t) * MIX_NUMBERS;
            mix_back(wide, weights, s->z, gi, s->g, s->h, wi, s->mix, cells);
            adding_products(kind, 8, &adding, wi, s->y, cells);
        }
    }
    meter_move(run, thread, NET_LAYER_DOWN_BACK);
    outer_end(kind, channels * NET_DOWN, s->sum[0], weight_gradient(run, item, w->down_in));
    meter_move(run, thread, NET_LAYER_BEND_BACK);
    outer_end(kind, NET_SHARE * channels, s->sum[1], weight_gradient(run, item, w->bend_out));
    outer_end(kind, channels * NET_SHARE, s->sum[2], weight_gradient(run, item, w->bend_in));
    if (kind == KIND_LANES) {
        meter_move(run, thread, NET_LAYER_MIX_BACK);
        mix_weights_back(t, &run->mix_tables[t], s->mix, weight_gradient(run, item, w->mix));
        adding_end(kind, 8, &adding, sums_of(run, t, item));
    }
}

static void late_square_back(NetRun *run, NetTensorId t, size_t item, unsigned thread) {
    late_back(KIND_LANES, 8, false, run, t, item, thread);
}
static void late_wide_back(NetRun *run, NetTensorId t, size_t item, unsigned thread) {
    late_back(KIND_LANES, 8, true, run, t, item, thread);
}
static void late_cells_back(NetRun *run, NetTensorId t, size_t item, unsigned thread) {
    late_back(KIND_CELLS, 16, false, run, t, item, thread);
}

static void phase_late_back(NetRun *run, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    if (item < run->mem->shape.n) {
        meter_move(run, thread, NET_LAYER_DOWN_BACK);
        EACH_TENSOR(run, item, t)
        if (t != NET_ECDXY && net_alive(run->block, t, STAGE_DOWN_OUT)) {
            BY_KIND(t, down_sums_back, run, t, item, s);
        }
        END_EACH
        spread(run, item, BUFFER_WORK, 0, NET_DOWN, true);
    }
    EACH_TENSOR(run, item, t)
    if (net_alive(run->block, t, STAGE_MIDDLE)) {
        if (kind_of(t) == KIND_CELLS) {
            late_cells_back(run, t, item, thread);
        } else if (net_mix_wide(t)) {
            late_wide_back(run, t, item, thread);
        } else {
            late_square_back(run, t, item, thread);
        }
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* ---- shift and cummax ---- */

/* Out of cummax or shift: from g, with y the normed result, to the gradient of the result before its norm. */
KERNEL void rays_out_back(const NetRun *run, const Norm *norm, const Real *result, const Real *out,
                          const Real *g, Real *work, Scratch *s, Adding *adding, size_t cells) {
    (void)run;
    norm_apply(KIND_LANES, NET_RAYS, norm, result, s->y, cells);
    linear(KIND_LANES, 8, NET_RAYS, LINEAR_BACK, out, g, work, cells);
    outer(KIND_LANES, NET_RAYS, 8, s->y, g, s->sum[0], cells);
    adding_products(KIND_LANES, NET_RAYS, adding, work, s->y, cells);
}

static void phase_shift_back(NetRun *run, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    EACH_TENSOR(run, item, t)
    const NetPlace *p = &run->mem->places[t];
    if (!p->lanes || !net_alive(run->block, t, STAGE_MIDDLE)) {
        continue;
    }
    const Norm *norm = &run->norms[run->block][NORM_MIX][t];
    const Real *middle = buffer(run, BUFFER_MIDDLE, t, run->block, item);
    Real *g = buffer(run, BUFFER_G, t, 0, item), *work = buffer(run, BUFFER_WORK, t, 0, item);
    const Real *result = net_has_rays(t) ? buffer(run, BUFFER_SHIFT, t, run->block, item) : NULL;
    Adding adding;
    adding_begin(KIND_LANES, NET_RAYS, &adding);
    outer_begin(KIND_LANES, NET_RAYS * 8, s->sum[0]);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i), at = i * 8 * LANES;
        meter_move(run, thread, NET_LAYER_MIX_BACK);
        norm_apply(KIND_LANES, 8, norm, middle + at, s->x, cells);
        norm_back(KIND_LANES, 8, norm, &run->backs[t], true, work + at, s->x, g + at, cells);
        if (result != NULL) { /* work is filled anew, a smaller strip behind the one that is read */
            meter_move(run, thread, NET_LAYER_SHIFT_BACK);
            rays_out_back(run, &run->norms[run->block][NORM_SHIFT][t], result + i * RAY_NUMBERS,
                          weight(run, p->weights[run->block].shift_out), g + at, work + i * RAY_NUMBERS, s,
                          &adding, cells);
        }
    }
    if (result != NULL) {
        outer_end(KIND_LANES, NET_RAYS * 8, s->sum[0],
                  weight_gradient(run, item, p->weights[run->block].shift_out));
        adding_end(KIND_LANES, NET_RAYS, &adding, sums_of(run, t, item));
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* Through shift, then out of cummax. */
static void phase_cummax_back(NetRun *run, size_t e, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    meter_move(run, thread, NET_LAYER_SHIFT_BACK);
    Frame f = frame_of(run, s, e);
    Real *frame_out_at = f.out;
    size_t all = f.rows * f.columns;
    for (NetTensorId t = NET_EDXY; t <= NET_ECDXY; t++) {
        const NetPlace *p = &run->mem->places[t];
        const NetWeights *w = &p->weights[run->block];
        const Norm *shift = &run->norms[run->block][NORM_SHIFT][t];
        const Real *middle = buffer(run, BUFFER_MIDDLE, t, run->block, e);
        const Real *shifted = buffer(run, BUFFER_SHIFT, t, run->block, e);
        const Real *cummax = buffer(run, BUFFER_CUMMAX, t, run->block, e);
        Real *now = buffer(run, BUFFER_NOW, t, 0, e), *g = buffer(run, BUFFER_G, t, 0, e);
        Real *work = buffer(run, BUFFER_WORK, t, 0, e);
        Adding adding;
        adding_begin(KIND_LANES, NET_RAYS, &adding);
        outer_begin(KIND_LANES, NET_RAYS * 8, s->sum[0]);
        outer_begin(KIND_LANES, 8 * NET_RAYS, s->sum[1]);
        for (size_t c = 0; c < p->colors; c++) {
            size_t at = c * all, ray = at * RAY_NUMBERS, cell = at * 8 * LANES;
            f.out = frame_out_at;
            for (size_t i = 0; i < all;
                 i += STRIP) { /* the stream before shift, and the gradient of its result */
                size_t cells = strip_cells(all, i), r = ray + i * RAY_NUMBERS, x = cell + i * 8 * LANES;
                norm_apply(KIND_LANES, NET_RAYS, shift, shifted + r, s->y, cells);
                norm_back(KIND_LANES, NET_RAYS, shift, &run->backs[t], false, work + r, s->y,
                          f.in + i * RAY_NUMBERS, cells);
                linear(KIND_LANES, NET_RAYS, 8, LINEAR_SET, weight(run, w->shift_out), s->y, s->x, cells);
                for (size_t k = 0; k < cells * 8 * LANES; k += LANES) {
                    v_store(now + x + k, v_sub(v_load(middle + x + k), v_load(s->x + k)));
                }
            }
            shift_frame_back(&f);
            for (size_t i = 0; i < all; i += STRIP) {
                size_t cells = strip_cells(all, i), r = ray + i * RAY_NUMBERS, x = cell + i * 8 * LANES;
                const Real *gh = f.out + i * RAY_NUMBERS;
                outer(KIND_LANES, 8, NET_RAYS, now + x, gh, s->sum[1], cells);
                linear(KIND_LANES, NET_RAYS, 8, LINEAR_BACKADD, weight(run, w->shift_in), gh, g + x, cells);
                rays_out_back(run, &run->norms[run->block][NORM_CUMMAX][t], cummax + r,
                              weight(run, w->cummax_out), g + x, work + r, s, &adding, cells);
            }
        }
        outer_end(KIND_LANES, 8 * NET_RAYS, s->sum[1], weight_gradient(run, e, w->shift_in));
        outer_end(KIND_LANES, NET_RAYS * 8, s->sum[0], weight_gradient(run, e, w->cummax_out));
        adding_end(KIND_LANES, NET_RAYS, &adding, sums_of(run, t, e));
    }
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* Through cummax. */
static void cummax_in_back(const NetRun *run, NetTensorId t, size_t e, Scratch *s) {
    Frame f = frame_of(run, s, e);
    size_t all = f.rows * f.columns;
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const Norm *norm = &run->norms[run->block][NORM_CUMMAX][t];
    const Real *cummax = buffer(run, BUFFER_CUMMAX, t, run->block, e),
               *work = buffer(run, BUFFER_WORK, t, 0, e);
    Real *now = buffer(run, BUFFER_NOW, t, 0, e), *g = buffer(run, BUFFER_G, t, 0, e);
    outer_begin(KIND_LANES, 8 * NET_RAYS, s->sum[1]);
    for (size_t c = 0; c < p->colors; c++) {
        size_t ray = c * all * RAY_NUMBERS, cell = c * all * 8 * LANES;
        for (size_t i = 0; i < all; i += STRIP) {
            size_t cells = strip_cells(all, i), r = ray + i * RAY_NUMBERS, x = cell + i * 8 * LANES;
            norm_apply(KIND_LANES, NET_RAYS, norm, cummax + r, s->y, cells);
            norm_back(KIND_LANES, NET_RAYS, norm, &run->backs[t], false, work + r, s->y,
                      f.out + i * RAY_NUMBERS, cells);
            linear(KIND_LANES, NET_RAYS, 8, LINEAR_SET, weight(run, w->cummax_out), s->y, s->x, cells);
            for (size_t k = 0; k < cells * 8 * LANES; k += LANES) {
                v_store(now + x + k, v_sub(v_load(now + x + k), v_load(s->x + k)));
            }
            linear(KIND_LANES, 8, NET_RAYS, LINEAR_SET, weight(run, w->cummax_in), now + x,
                   f.in + i * RAY_NUMBERS, cells);
        }
        cummax_frame_back(&f);
        for (size_t i = 0; i < all; i += STRIP) {
            size_t cells = strip_cells(all, i), x = cell + i * 8 * LANES;
            const Real *gh = f.out + i * RAY_NUMBERS;
            outer(KIND_LANES, 8, NET_RAYS, now + x, gh, s->sum[1], cells);
            linear(KIND_LANES, NET_RAYS, 8, LINEAR_BACKADD, weight(run, w->cummax_in), gh, g + x, cells);
        }
    }
    outer_end(KIND_LANES, 8 * NET_RAYS, s->sum[1], weight_gradient(run, e, w->cummax_in));
}

/* ---- softmax, and out of "up" ---- */

/* Into softmax: gradient gh of a strip to that of the stream x before it. */
KERNEL void soft_in_back(const TensorKind kind, const Real *w, const Real *x, const Real *gh, Real *g,
                         Real *sum, size_t cells) {
    if (kind == KIND_LANES) {
        outer(KIND_LANES, 8, NET_SOFT, x, gh, sum, cells);
        linear(KIND_LANES, NET_SOFT, 8, LINEAR_BACKADD, w, gh, g, cells);
        return;
    }
    V column[NET_SOFT][2], of[NET_SOFT][2];
    for (size_t ch = 0; ch < NET_SOFT; ch++) {
        for (size_t q = 0; q < 2; q++) {
            const Real *from = w + q * LANES * NET_SOFT + ch;
            column[ch][q] = v_of(from[0], from[2], from[4], from[6], from[8], from[10], from[12], from[14]);
            of[ch][q] = v_zero();
        }
    }
    for (size_t i = 0; i < cells; i++) {
        for (size_t q = 0; q < 2; q++) {
            V to = v_load(g + i * 16 + q * LANES), in = v_load(x + i * 16 + q * LANES);
            for (size_t ch = 0; ch < NET_SOFT; ch++) {
                V each = v_all(gh[i * NET_SOFT + ch]);
                to = v_fma(each, column[ch][q], to);
                of[ch][q] = v_fma(each, in, of[ch][q]);
            }
            v_store(g + i * 16 + q * LANES, to);
        }
    }
    for (size_t k = 0; k < 16; k++) {
        for (size_t ch = 0; ch < NET_SOFT; ch++) {
            sum[k * NET_SOFT + ch] += v_lane(of[ch][k / LANES], k % LANES);
        }
    }
}

KERNEL void soft_back(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                      size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_SOFT);
    const Real *out = weight(run, w->soft_out), *in = weight(run, w->soft_in);
    const Real *x = buffer(run, BUFFER_UP, t, run->block, item);
    const Real *soft = buffer(run, BUFFER_SOFT, t, run->block, item);
    Real *g = buffer(run, BUFFER_G, t, 0, item), *gradient = weight_gradient(run, item, w->soft_out);
    outer_begin(kind, channels * NET_SOFT, s->sum[0]);
    if (run->slow[(run->block * NET_TENSORS + t) * net_items(run->mem) + item]) {
        Real *gh = buffer(run, BUFFER_WORK, t, 0, item);
        SoftSlow path = soft_slow_open(run, t, s, soft);
        soft_slow_back(&path, t, out, g, gh, gradient);
        soft_in_back(kind, in, x, gh, g, s->sum[0], p->cells);
    } else if (kind == KIND_LANES) {
        SoftLanes lanes;
        soft_lanes_open(run, t, s, &lanes);
        soft_lanes_sums(p, &lanes, soft);
        soft_lanes_collect(p, &lanes, out);
        Real *own = s->sum[1];
        memset(own, 0, SOFT_ALL * sizeof *own);
        soft_lanes_back_sums(p, &lanes, soft, g, own);
        soft_lanes_back_sets(p, &lanes, out, gradient);
        outer_end(kind, (size_t)NET_SOFT * 8, own, gradient + (size_t)lanes.table.row[0][1] * NET_SOFT * 8);
        for (size_t i = 0; i < p->cells; i += STRIP) {
            size_t cells = strip_cells(p->cells, i);
            soft_lanes_back_strip(p, &lanes, out, soft + i * m, g + i * n, s->h, i, cells);
            soft_in_back(kind, in, x + i * n, s->h, g + i * n, s->sum[0], cells);
        }
    } else {
        Real *all = s->soft, *g_all = all + p->cells * SOFT_ROOM, *gh = g_all + p->cells * SOFT_ROOM;
        Real *sums = gh + p->cells * NET_SOFT;
        soft_cells_all(t, p, soft, sums, all);
        soft_cells_unapply(soft_cells_sets(t) * NET_SOFT, out, all, g, g_all, gradient, p->cells);
        soft_cells_back(t, p, all, g_all, sums, gh);
        soft_in_back(kind, in, x, gh, g, s->sum[0], p->cells);
    }
    outer_end(kind, channels * NET_SOFT, s->sum[0], weight_gradient(run, item, w->soft_in));
}

KERNEL void up_out_back(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                        size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_SHARE);
    const Norm *norm = &run->norms[run->block][NORM_UP][t];
    const Real *shared = buffer(run, BUFFER_SHARED, t, run->block, item),
               *g = buffer(run, BUFFER_G, t, 0, item);
    Real *work = buffer(run, BUFFER_WORK, t, 0, item);
    Adding adding;
    adding_begin(kind, NET_SHARE, &adding);
    outer_begin(kind, NET_SHARE * channels, s->sum[0]);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        norm_apply(kind, NET_SHARE, norm, shared + i * m, s->y, cells);
        linear(kind, channels, NET_SHARE, LINEAR_BACK, weight(run, w->up_out), g + i * n, work + i * m,
               cells);
        outer(kind, NET_SHARE, channels, s->y, g + i * n, s->sum[0], cells);
        adding_products(kind, NET_SHARE, &adding, work + i * m, s->y, cells);
    }
    outer_end(kind, NET_SHARE * channels, s->sum[0], weight_gradient(run, item, w->up_out));
    adding_end(kind, NET_SHARE, &adding, sums_of(run, t, item));
}

static void phase_softmax_back(NetRun *run, size_t item, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    EACH_TENSOR(run, item, t)
    if (!net_alive(run->block, t, STAGE_MIDDLE)) {
        continue;
    }
    if (net_has_rays(t)) {
        meter_move(run, thread, NET_LAYER_CUMMAX_BACK);
        cummax_in_back(run, t, item, s);
    }
    meter_move(run, thread, NET_LAYER_SOFTMAX_BACK);
    BY_KIND(t, soft_back, run, t, item, s);
    meter_move(run, thread, NET_LAYER_UP_BACK);
    BY_KIND(t, up_out_back, run, t, item, s);
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* ---- into "up" ---- */

/* Gradient of the sums that went up, before it is gathered. */
KERNEL void up_sums_back(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                         size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const size_t m = NUMBERS(kind, NET_SHARE);
    Real *work = buffer(run, BUFFER_WORK, t, 0, item);
    if (!net_alive(run->block, t, STAGE_MIDDLE)) {
        memset(work, 0, p->cells * m * sizeof *work);
        memset(buffer(run, BUFFER_G, t, 0, item), 0, p->cells * NUMBERS(kind, channels) * sizeof *work);
        return;
    }
    const Norm *norm = &run->norms[run->block][NORM_UP][t];
    const Real *shared = buffer(run, BUFFER_SHARED, t, run->block, item);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        norm_apply(kind, NET_SHARE, norm, shared + i * m, s->y, cells);
        norm_back(kind, NET_SHARE, norm, &run->backs[t], false, work + i * m, s->y, work + i * m, cells);
    }
}

/* Strips of the gradient of sums to that of the stream that comes into the block. */
KERNEL void up_in_back(const TensorKind kind, const size_t channels, const NetRun *run, NetTensorId t,
                       size_t item, Scratch *s) {
    const NetPlace *p = &run->mem->places[t];
    const NetWeights *w = &p->weights[run->block];
    const size_t n = NUMBERS(kind, channels), m = NUMBERS(kind, NET_SHARE);
    const Real *x = buffer(run, BUFFER_X, t, run->block, item);
    const Real *shared = buffer(run, BUFFER_SHARED, t, run->block, item);
    const Norm *norm = &run->norms[run->block][NORM_UP][t];
    Real *g = buffer(run, BUFFER_G, t, 0, item), *work = buffer(run, BUFFER_WORK, t, 0, item);
    const bool largest = t == NET_ECDXY;
    Faces faces = {0};
    Adding adding;
    adding_begin(kind, channels, &adding);
    if (largest) {
        faces = faces_of(run, item);
        faces_clear(run, &faces, NET_SHARE);
    }
    outer_begin(kind, channels * NET_SHARE, s->sum[0]);
    for (size_t i = 0; i < p->cells; i += STRIP) {
        size_t cells = strip_cells(p->cells, i);
        Real *strip = work + i * m;
        if (largest) {
            norm_apply(kind, NET_SHARE, norm, shared + i * m, s->y, cells);
            norm_back(kind, NET_SHARE, norm, &run->backs[t], false, strip, s->y, s->h, cells);
            strip = s->h;
            gather_strip_up(&faces, strip, i, cells);
        }
        norm_apply(kind, channels, norm_in(run, run->block, t), x + i * n, s->x, cells);
        outer(kind, channels, NET_SHARE, s->x, strip, s->sum[0], cells);
        linear(kind, NET_SHARE, channels, LINEAR_BACKADD, weight(run, w->up_in), strip, g + i * n, cells);
        adding_products(kind, channels, &adding, g + i * n, s->x, cells);
    }
    outer_end(kind, channels * NET_SHARE, s->sum[0], weight_gradient(run, item, w->up_in));
    adding_end(kind, channels, &adding, sums_of(run, t, item));
}

static void phase_up_back(NetRun *run, size_t e, unsigned thread) {
    Scratch *s = &run->scratches[thread];
    meter_move(run, thread, NET_LAYER_UP_BACK);
    EACH_TENSOR(run, e, t)
    if (t != NET_ECDXY) {
        BY_KIND(t, up_sums_back, run, t, e, s);
    }
    END_EACH
    up_in_back(KIND_LANES, 8, run, NET_ECDXY, e, s);
    gather(run, e, BUFFER_WORK, 0, NET_SHARE, false);
    EACH_TENSOR(run, e, t)
    if (t != NET_ECDXY) {
        BY_KIND(t, up_in_back, run, t, e, s);
    }
    END_EACH
    meter_move(run, thread, NET_LAYER_WAIT);
}

/* After that: tensors without examples. */
static void up_common_back(NetRun *run) {
    size_t item = run->mem->shape.n;
    Scratch *s = &run->scratches[0];
    EACH_TENSOR(run, item, t)
    BY_KIND(t, up_sums_back, run, t, item, s);
    END_EACH
    gather_common(run, BUFFER_WORK, 0, NET_SHARE, false);
    EACH_TENSOR(run, item, t)
    BY_KIND(t, up_in_back, run, t, item, s);
    END_EACH
}

/* Sums to means, for all tensors that have the norm of a stage. */
static void backward_join(NetRun *run, NormStage stage) {
    static const size_t channels[] = {NET_SHARE, NET_RAYS, NET_RAYS, 8, NET_DOWN, 0};
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        bool has = stage == NORM_UP                              ? net_alive(run->block, t, STAGE_MIDDLE)
                   : stage == NORM_CUMMAX || stage == NORM_SHIFT ? net_has_rays(t)
                   : stage == NORM_MIX ? net_has(t, AXIS_D) && net_alive(run->block, t, STAGE_MIDDLE)
                                       : net_alive(run->block, t, STAGE_DOWN_OUT);
        if (has) {
            back_join(run, t, stage == NORM_END ? net_channels(t) : channels[stage]);
        }
    }
}

#endif
