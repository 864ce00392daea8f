/* Norms: every channel brought to mean 0 and variance 1 over all cells of its tensor (template: see
 * engine.h).
 *
 * A norm takes sums over all items, so it is done in two phases: strips add to Sums, norm_join makes a Norm
 * of them, and the next phase applies it while it reads. Squares are summed about the first number met, so
 * that a channel which hardly varies loses no digits. On the way back gx = (g - mean(g) - y mean(g y)) / r.
 */
#ifndef BATT_SEARCH_NET_NORM_H
#define BATT_SEARCH_NET_NORM_H

#include "search/net/engine_state.h"

/* The numbers of the v-th V of a cell: one for all lanes, or one per lane. */
INLINE V per_channel(const TensorKind kind, const Real *numbers, size_t v) {
    return kind == KIND_LANES ? v_all(numbers[v]) : v_load(numbers + v * LANES);
}

KERNEL void norm_apply(const TensorKind kind, const size_t channels, const Norm *norm, const Real *x, Real *y,
                       size_t cells) {
    const size_t n = VECTORS(kind, channels);
    for (size_t v = 0; v < n; v++) {
        V mean = per_channel(kind, norm->mean, v), inverse = per_channel(kind, norm->inverse, v);
        for (size_t i = 0; i < cells; i++) {
            size_t at = (i * n + v) * LANES;
            v_store(y + at, v_mul(v_sub(v_load(x + at), mean), inverse));
        }
    }
}

/* out = the gradient of x; out may be g, or with `add` is added to. */
KERNEL void norm_back(const TensorKind kind, const size_t channels, const Norm *norm, const Norm *back,
                      const bool add, const Real *g, const Real *y, Real *out, size_t cells) {
    const size_t n = VECTORS(kind, channels);
    for (size_t v = 0; v < n; v++) {
        V inverse = per_channel(kind, norm->inverse, v);
        V mg = per_channel(kind, back->mean, v), mgy = per_channel(kind, back->inverse, v);
        for (size_t i = 0; i < cells; i++) {
            size_t at = (i * n + v) * LANES;
            V d = v_sub(v_sub(v_load(g + at), mg), v_mul(v_load(y + at), mgy));
            v_store(out + at, add ? v_fma(d, inverse, v_load(out + at)) : v_mul(d, inverse));
        }
    }
}

/* ---- sums ---- */

typedef struct Adding { /* sums of a slice on the way; one per channel, or per lane of channels */
    _Alignas(64) Real pivot[MAX_CHANNELS * LANES], a[MAX_CHANNELS * LANES], b[MAX_CHANNELS * LANES];
    bool begun;
} Adding;

KERNEL void adding_begin(const TensorKind kind, const size_t channels, Adding *to) {
    const size_t n = VECTORS(kind, channels);
    to->begun = false;
    for (size_t v = 0; v < n; v++) {
        v_store(to->a + v * LANES, v_zero());
        v_store(to->b + v * LANES, v_zero());
        v_store(to->pivot + v * LANES, v_zero());
    }
}

/* For a norm: numbers about the pivot, and their squares. */
KERNEL void adding_squares(const TensorKind kind, const size_t channels, Adding *to, const Real *x,
                           size_t cells) {
    const size_t n = VECTORS(kind, channels);
    if (!to->begun) {
        to->begun = true;
        for (size_t v = 0; v < n; v++) {
            V first = v_load(x + v * LANES);
            v_store(to->pivot + v * LANES, kind == KIND_LANES ? v_all(v_lane(first, 0)) : first);
        }
    }
    for (size_t v = 0; v < n; v++) {
        V pivot = v_load(to->pivot + v * LANES), a = v_load(to->a + v * LANES), b = v_load(to->b + v * LANES);
        for (size_t i = 0; i < cells; i++) {
            V d = v_sub(v_load(x + (i * n + v) * LANES), pivot);
            a = v_add(a, d);
            b = v_fma(d, d, b);
        }
        v_store(to->a + v * LANES, a);
        v_store(to->b + v * LANES, b);
    }
}

/* On the way back: g and g y. */
KERNEL void adding_products(const TensorKind kind, const size_t channels, Adding *to, const Real *g,
                            const Real *y, size_t cells) {
    const size_t n = VECTORS(kind, channels);
    for (size_t v = 0; v < n; v++) {
        V a = v_load(to->a + v * LANES), b = v_load(to->b + v * LANES);
        for (size_t i = 0; i < cells; i++) {
            V d = v_load(g + (i * n + v) * LANES);
            a = v_add(a, d);
            b = v_fma(d, v_load(y + (i * n + v) * LANES), b);
        }
        v_store(to->a + v * LANES, a);
        v_store(to->b + v * LANES, b);
    }
}

KERNEL void adding_end(const TensorKind kind, const size_t channels, const Adding *from, NormSums *to) {
    for (size_t k = 0; k < channels; k++) {
        to->a[k] = kind == KIND_LANES ? v_sum(v_load(from->a + k * LANES)) : from->a[k];
        to->b[k] = kind == KIND_LANES ? v_sum(v_load(from->b + k * LANES)) : from->b[k];
    }
}

/* The same for squares: turns sums about the pivot into mean and squares about the mean. */
KERNEL void adding_end_squares(const TensorKind kind, const size_t channels, const Adding *from, size_t cells,
                               NormSums *to) {
    adding_end(kind, channels, from, to);
    double count = (double)(kind == KIND_LANES ? cells * LANES : cells);
    for (size_t k = 0; k < channels; k++) {
        double about = to->a[k] / count, pivot = from->pivot[kind == KIND_LANES ? k * LANES : k];
        double squares = to->b[k] - to->a[k] * about;
        to->a[k] = pivot + about;
        to->b[k] = squares > 0 ? squares : 0;
    }
}

/* Adds up a whole slice that lies in memory. */
KERNEL void sum_squares(const TensorKind kind, const size_t channels, const Real *x, size_t cells,
                        NormSums *to) {
    Adding adding;
    adding_begin(kind, channels, &adding);
    adding_squares(kind, channels, &adding, x, cells);
    adding_end_squares(kind, channels, &adding, cells, to);
}

/* ---- joining items ---- */

static double cells_of_all(const NetMemory *mem, NetTensorId t) {
    const NetPlace *p = &mem->places[t];
    return (double)(p->cells * p->slots) * (p->lanes ? LANES : 1);
}

static void first_and_last_item(const NetRun *run, NetTensorId t, size_t *first, size_t *end) {
    bool examples = net_has(t, AXIS_E);
    *first = examples ? 0 : run->mem->shape.n;
    *end = examples ? run->mem->shape.n : *first + 1;
}

static void norm_join(NetRun *run, NetTensorId t, size_t channels, Norm *to) {
    size_t first, end;
    first_and_last_item(run, t, &first, &end);
    double count = cells_of_all(run->mem, t), each = count / (double)(end - first);
    for (size_t k = 0; k < channels; k++) {
        double mean = 0, squares = 0;
        for (size_t item = first; item < end; item++) {
            mean += sums_of(run, t, item)->a[k];
        }
        mean /= (double)(end - first);
        for (size_t item = first; item < end; item++) {
            double off = sums_of(run, t, item)->a[k] - mean;
            squares += sums_of(run, t, item)->b[k] + each * off * off;
        }
        to->mean[k] = (Real)mean;
        to->inverse[k] = (Real)(1 / sqrt(1e-8 + squares / count));
    }
}

static void back_join(NetRun *run, NetTensorId t, size_t channels) {
    size_t first, end;
    first_and_last_item(run, t, &first, &end);
    double count = cells_of_all(run->mem, t);
    for (size_t k = 0; k < channels; k++) {
        double a = 0, b = 0;
        for (size_t item = first; item < end; item++) {
            a += sums_of(run, t, item)->a[k];
            b += sums_of(run, t, item)->b[k];
        }
        run->backs[t].mean[k] = (Real)(a / count);
        run->backs[t].inverse[k] = (Real)(b / count);
    }
}

#endif
