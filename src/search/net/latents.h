/* The code of a task: latents to the stream, and back (template: see engine.h).
 *
 * Every tensor has a code of 4 channels: a mean per element, brought to mean 0 and variance 1, and a share of
 * the tensor's capacity. What is decoded is the mean with noise, the more noise the less capacity; the
 * information that this takes (KL) is half of the loss. In a slice, a channel is a V if directions are lanes;
 * else two cells make a V. */
#ifndef BATT_SEARCH_NET_LATENTS_H
#define BATT_SEARCH_NET_LATENTS_H

#include "search/net/lanes_math.h"
#include "search/net/norm.h"

#define LATENT_START R(10000) /* nats of a tensor at the beginning */
#define HALF_NAT R(0.5)

INLINE size_t latent_vectors(const NetPlace *p) { /* in a slice */
    return p->lanes ? p->cells * NET_LATENT : (p->cells + 1) / 2;
}
/* The numbers of the k-th V of a slice: one channel's, or those of all channels twice. */
INLINE V latent_numbers(const NetPlace *p, const Real *numbers, size_t k) {
    return p->lanes ? v_all(numbers[k % NET_LATENT])
                    : v_of(numbers[0], numbers[1], numbers[2], numbers[3], numbers[0], numbers[1], numbers[2],
                           numbers[3]);
}
/* 1 for lanes that belong to a cell. */
INLINE V latent_valid(const NetPlace *p, size_t k) {
    bool half = !p->lanes && 2 * k + 1 == p->cells;
    return half ? v_of(1, 1, 1, 1, 0, 0, 0, 0) : v_all(1);
}
/* Adds the lanes of the k-th V to the sums of channels. */
INLINE void latent_add(const NetPlace *p, V v, size_t k, double *to) {
    if (p->lanes) {
        to[k % NET_LATENT] += (double)v_sum(v);
    } else {
        for (size_t ch = 0; ch < NET_LATENT; ch++) {
            to[ch] += (double)v_lane(v, ch) + (double)v_lane(v, ch + 4);
        }
    }
}
INLINE LatentSums *latent_sums_of(const NetRun *run, NetTensorId t, size_t item) {
    return &run->latent_sums[item * NET_TENSORS + t];
}
INLINE size_t latent_at(const NetPlace *p, NetTensorId t, size_t item) {
    return net_has(t, AXIS_E) ? item * p->latent : 0;
}

/* ---- sums over the means and capacities ---- */

static void latents_sum(const NetRun *run, NetTensorId t, size_t item) {
    const NetPlace *p = &run->mem->places[t];
    const Real *mean = run->parameters + p->mean + latent_at(p, t, item);
    const Real *adjust = run->parameters + p->adjust + latent_at(p, t, item);
    LatentSums *s = latent_sums_of(run, t, item);
    memset(s, 0, sizeof *s);
    size_t n = latent_vectors(p), step = p->lanes ? NET_LATENT : 1;
    Real pivots[NET_LATENT]; /* as for norms */
    for (size_t ch = 0; ch < NET_LATENT; ch++) {
        pivots[ch] = mean[p->lanes ? ch * LANES : ch];
    }
    for (size_t first = 0; first < step;
         first++) { /* one channel after the other, so that sums stay in lanes */
        V a = v_zero(), m = v_zero(), q = v_zero(), pivot = latent_numbers(p, pivots, first);
        for (size_t k = first; k < n; k += step) {
            V valid = latent_valid(p, k), x = v_mul(valid, v_sub(v_load(mean + k * LANES), pivot));
            a = v_fma(valid, v_load(adjust + k * LANES), a);
            m = v_add(m, x);
            q = v_fma(x, x, q);
        }
        latent_add(p, a, first, s->adjust);
        latent_add(p, m, first, s->mean);
        latent_add(p, q, first, s->square);
    }
    double count = (double)(p->cells * (p->lanes ? LANES : 1));
    for (size_t ch = 0; ch < NET_LATENT; ch++) {
        double about = s->mean[ch] / count, squares = s->square[ch] - s->mean[ch] * about;
        s->mean[ch] = (double)pivots[ch] + about;
        s->square[ch] = squares > 0 ? squares : 0;
    }
}

static double latent_elements(const NetMemory *mem, NetTensorId t) {
    return NET_LATENT * cells_of_all(mem, t);
}

static void latents_join(NetRun *run, NetTensorId t) {
    const NetPlace *p = &run->mem->places[t];
    const Real *tau = run->parameters + p->capacity;
    LatentNorm *norm = &run->latent_norms[t];
    size_t first, end;
    first_and_last_item(run, t, &first, &end);
    double count = cells_of_all(run->mem, t), all = latent_elements(run->mem, t);
    for (size_t k = 0; k < NET_LATENT; k++) {
        double adjust = 0, mean = 0, square = 0;
        for (size_t item = first; item < end; item++) {
            const LatentSums *s = latent_sums_of(run, t, item);
            adjust += s->adjust[k];
            mean += s->mean[k];
        }
        mean /= (double)(end - first);
        for (size_t item = first; item < end; item++) {
            const LatentSums *s = latent_sums_of(run, t, item);
            square +=
                s->square[k] + count / (double)(end - first) * (s->mean[k] - mean) * (s->mean[k] - mean);
        }
        double theta = 10 * (double)tau[k];
        theta = theta < 60 ? theta : 60; /* far beyond what a code is worth, and no number overflows */
        norm->adjust[k] = (Real)(adjust / count);
        norm->theta[k] = (Real)theta;
        norm->mean[k] = (Real)mean;
        norm->inverse[k] = (Real)(1 / sqrt(1e-8 + square / count));
        norm->scale[k] = (Real)-expm1(-2 * ((double)LATENT_START * exp(theta) + 0.5) / all);
    }
}

/* ---- one V of elements ---- */

typedef struct Latent {
    V y, q, t, sig, a, a2,
        w;       /* normed mean; capacity, also per element; noise, signal and its square; code */
    VMask exact; /* signal is 1 to all digits */
} Latent;

typedef struct LatentOf { /* per channel, as V */
    V offset, mean, inverse, scale, share;
} LatentOf;

INLINE LatentOf latent_of(const NetPlace *p, const LatentNorm *norm, Real share, size_t k) {
    return (LatentOf){.offset = v_sub(latent_numbers(p, norm->theta, k), latent_numbers(p, norm->adjust, k)),
                      .mean = latent_numbers(p, norm->mean, k),
                      .inverse = latent_numbers(p, norm->inverse, k),
                      .scale = latent_numbers(p, norm->scale, k),
                      .share = v_all(share)};
}

INLINE Latent latent_draw(const LatentOf *of, V mean, V adjust, V noise) {
    Latent l;
    l.y = v_mul(v_sub(mean, of->mean), of->inverse);
    l.q = v_mul(v_all(LATENT_START), v_exp(v_min(v_add(adjust, of->offset), v_all(60))));
    l.t = v_mul(v_add(l.q, v_all(HALF_NAT)), of->share);
    V fall = v_fall(l.t);
    l.sig = v_sub(v_all(1), fall);
    l.a2 = v_mul(fall, v_add(v_all(1), l.sig));
    l.exact = v_less(v_all(10), l.t);
    l.a = v_select(l.exact, v_all(1), v_sqrt(l.a2));
    l.w = v_fma(l.a, l.y, v_mul(l.sig, noise));
    return l;
}

/* ---- decoding ---- */

static void latents_decode(const NetRun *run, NetTensorId t, size_t item, Scratch *s) {
    const NetMemory *mem = run->mem;
    const NetPlace *p = &mem->places[t];
    const Real *mean = run->parameters + p->mean + latent_at(p, t, item);
    const Real *adjust = run->parameters + p->adjust + latent_at(p, t, item);
    const Real *noise = run->noise + p->mean / 2 + latent_at(p, t, item);
    const Real *w = weight(run, p->decode_w), *b = weight(run, p->decode_b);
    Real *x = buffer(run, BUFFER_X, t, 0, item);
    Real share = (Real)(1 / latent_elements(mem, t));
    double kl = 0;
    const size_t group = p->lanes ? NET_LATENT : 1;
    LatentOf of[NET_LATENT];
    for (size_t k = 0; k < group; k++) {
        of[k] = latent_of(p, &run->latent_norms[t], share, k);
    }
    V sum = v_zero();
    for (size_t k = 0; k < latent_vectors(p); k++) {
        const LatentOf *o = &of[k % group];
        Latent l =
            latent_draw(o, v_load(mean + k * LANES), v_load(adjust + k * LANES), v_load(noise + k * LANES));
        /* (sig^2 + (1 - sig^2) y^2 - 1) / 2 + t */
        V information = v_fma(v_mul(l.a2, v_all(HALF_NAT)), v_sub(v_mul(l.y, l.y), v_all(1)), l.t);
        sum = v_fma(latent_valid(p, k), information, sum);
        v_store(s->z + k % group * LANES, v_mul(o->scale, l.w));
        if (k % 64 == 63) {
            kl += (double)v_sum(sum);
            sum = v_zero();
        }
        if (p->lanes && k % NET_LATENT == NET_LATENT - 1) {
            UNROLL for (size_t j = 0; j < 8; j++, x += LANES) {
                V to = v_all(b[j]);
                UNROLL for (size_t ch = 0; ch < NET_LATENT; ch++) {
                    to = v_fma(v_load(s->z + ch * LANES), v_all(w[ch * 8 + j]), to);
                }
                v_store(x, to);
            }
        } else if (!p->lanes) {
            for (size_t cell = 0; cell < 2 && 2 * k + cell < p->cells; cell++) {
                for (size_t j = 0; j < 16; j += LANES, x += LANES) {
                    V to = v_load(b + j);
                    for (size_t ch = 0; ch < NET_LATENT; ch++) {
                        to = v_fma(v_all(s->z[cell * NET_LATENT + ch]), v_load(w + ch * 16 + j), to);
                    }
                    v_store(x, to);
                }
            }
        }
    }
    latent_sums_of(run, t, item)->kl = kl + (double)v_sum(sum);
}

/* ---- backward ---- */

/* Gradients of y and lambda, kept where those of mean and adjust will be; sums; gradients of the decoding. */
static void latents_back(const NetRun *run, NetTensorId t, size_t item, Scratch *s) {
    const NetMemory *mem = run->mem;
    const NetPlace *p = &mem->places[t];
    size_t at = latent_at(p, t, item);
    const Real *mean = run->parameters + p->mean + at, *adjust = run->parameters + p->adjust + at;
    const Real *noise = run->noise + p->mean / 2 + at;
    const Real *w = weight(run, p->decode_w), *g = buffer(run, BUFFER_G, t, 0, item);
    Real *gy = run->latent_gradient + p->mean + at, *glambda = run->latent_gradient + p->adjust + at;
    LatentSums *sums = latent_sums_of(run, t, item);
    Real share = (Real)(1 / latent_elements(mem, t));
    const size_t group = p->lanes ? NET_LATENT : 1, channels = p->channels;
    LatentOf of[NET_LATENT];
    V scale[NET_LATENT], lambda[NET_LATENT], gys[NET_LATENT], gyys[NET_LATENT];
    for (size_t k = 0; k < group; k++) {
        of[k] = latent_of(p, &run->latent_norms[t], share, k);
        scale[k] = lambda[k] = gys[k] = gyys[k] = v_zero();
    }
    TensorKind kind = p->lanes ? KIND_LANES : KIND_CELLS;
    Real *of_w = s->sum[0], *of_b = s->sum[1];
    outer_begin(kind, NET_LATENT * channels, of_w);
    outer_begin(kind, channels, of_b);
    for (size_t k = 0; k < latent_vectors(p); k++) {
        size_t c = k % group;
        const LatentOf *o = &of[c];
        V valid = latent_valid(p, k), gz;
        if (p->lanes) {
            const Real *from = g + k / NET_LATENT * 8 * LANES;
            gz = v_zero();
            UNROLL for (size_t j = 0; j < 8; j++) {
                gz = v_fma(v_load(from + j * LANES), v_all(w[c * 8 + j]), gz);
            }
        } else {
            _Alignas(64) Real each[LANES] = {0};
            for (size_t cell = 0; cell < 2 && 2 * k + cell < p->cells; cell++) {
                const Real *from = g + (2 * k + cell) * 16;
                for (size_t ch = 0; ch < NET_LATENT; ch++) {
                    V product = v_mul(v_load(from), v_load(w + ch * 16));
                    product = v_fma(v_load(from + LANES), v_load(w + ch * 16 + LANES), product);
                    each[cell * NET_LATENT + ch] = v_sum(product);
                }
            }
            gz = v_load(each);
        }
        V eps = v_load(noise + k * LANES);
        Latent l = latent_draw(o, v_load(mean + k * LANES), v_load(adjust + k * LANES), eps);
        V u = v_mul(o->scale, gz);
        V of_y = v_mul(valid, v_fma(u, l.a, v_mul(l.a2, l.y)));
        V of_sig = v_fma(u, eps, v_mul(l.sig, v_sub(v_all(1), v_mul(l.y, l.y))));
        V of_k = v_sub(v_all(1), v_mul(of_sig, l.sig));
        V signal = v_div(v_mul(v_mul(u, l.y), v_mul(l.sig, l.sig)), l.a);
        of_k = v_add(of_k, v_select(l.exact, v_zero(), signal));
        V of_lambda = v_mul(valid, v_mul(v_mul(of_k, o->share), l.q));
        v_store(gy + k * LANES, of_y);
        v_store(glambda + k * LANES, of_lambda);
        scale[c] = v_fma(v_mul(valid, gz), l.w, scale[c]);
        lambda[c] = v_add(lambda[c], of_lambda);
        gys[c] = v_add(gys[c], of_y);
        gyys[c] = v_fma(of_y, l.y, gyys[c]);
        v_store(s->z + c * LANES, v_mul(o->scale, l.w));
        if (p->lanes && c == NET_LATENT - 1) {
            const Real *from = g + k / NET_LATENT * 8 * LANES;
            outer(KIND_LANES, NET_LATENT, 8, s->z, from, of_w, 1);
            UNROLL for (size_t j = 0; j < 8; j++) {
                v_store(of_b + j * LANES, v_add(v_load(of_b + j * LANES), v_load(from + j * LANES)));
            }
        } else if (!p->lanes) {
            size_t cells = 2 * k + 1 < p->cells ? 2 : 1;
            const Real *from = g + 2 * k * 16;
            outer(KIND_CELLS, NET_LATENT, 16, s->z, from, of_w, cells);
            for (size_t j = 0; j < cells * 16; j += LANES) {
                v_store(of_b + j % 16, v_add(v_load(of_b + j % 16), v_load(from + j)));
            }
        }
    }
    for (size_t k = 0; k < group; k++) {
        latent_add(p, scale[k], k, sums->scale);
        latent_add(p, lambda[k], k, sums->lambda);
        latent_add(p, gys[k], k, sums->gy);
        latent_add(p, gyys[k], k, sums->gyy);
    }
    outer_end(kind, NET_LATENT * channels, of_w, weight_gradient(run, item, p->decode_w));
    outer_end(kind, channels, of_b, weight_gradient(run, item, p->decode_b));
}

static void latents_back_join(NetRun *run, NetTensorId t) {
    const NetPlace *p = &run->mem->places[t];
    LatentNorm *norm = &run->latent_norms[t];
    Real *of_tau = run->latent_gradient + p->capacity;
    size_t first, end;
    first_and_last_item(run, t, &first, &end);
    double count = cells_of_all(run->mem, t), all = latent_elements(run->mem, t);
    for (size_t k = 0; k < NET_LATENT; k++) {
        double scale = 0, lambda = 0, gy = 0, gyy = 0;
        for (size_t item = first; item < end; item++) {
            const LatentSums *s = latent_sums_of(run, t, item);
            scale += s->scale[k];
            lambda += s->lambda[k];
            gy += s->gy[k];
            gyy += s->gyy[k];
        }
        double q = (double)LATENT_START * exp((double)norm->theta[k]);
        of_tau[k] = (Real)(10 * (lambda + scale * exp(-2 * (q + 0.5) / all) * (2 / all) * q));
        norm->gy[k] = (Real)(gy / count);
        norm->gyy[k] = (Real)(gyy / count);
        norm->lambda[k] = (Real)(lambda / count);
    }
}

/* Gradients of y and lambda to those of mean and adjust. */
static void latents_back_end(const NetRun *run, NetTensorId t, size_t item) {
    const NetPlace *p = &run->mem->places[t];
    const LatentNorm *norm = &run->latent_norms[t];
    size_t at = latent_at(p, t, item);
    const Real *mean = run->parameters + p->mean + at;
    Real *gy = run->latent_gradient + p->mean + at, *glambda = run->latent_gradient + p->adjust + at;
    for (size_t k = 0; k < latent_vectors(p); k++) {
        V valid = latent_valid(p, k), inverse = latent_numbers(p, norm->inverse, k);
        V y = v_mul(v_sub(v_load(mean + k * LANES), latent_numbers(p, norm->mean, k)), inverse);
        V d = v_sub(v_sub(v_load(gy + k * LANES), latent_numbers(p, norm->gy, k)),
                    v_mul(y, latent_numbers(p, norm->gyy, k)));
        v_store(gy + k * LANES, v_mul(valid, v_mul(d, inverse)));
        v_store(glambda + k * LANES,
                v_mul(valid, v_sub(v_load(glambda + k * LANES), latent_numbers(p, norm->lambda, k))));
    }
}

#endif
