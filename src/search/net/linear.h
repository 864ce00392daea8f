/* Linear maps of cells, and the gradients of their matrices.
 *
 * Two kinds of tensors (tensors.h): with directions as lanes, a channel of a cell is a V and a weight one
 * number for all lanes; with channels as lanes, a channel is a number and a row of the matrix one or two V.
 * `kind` and the numbers of channels are constants at every call, so each combination becomes a loop of its
 * own whose sums stay in registers. */
#ifndef BATT_SEARCH_NET_LINEAR_H
#define BATT_SEARCH_NET_LINEAR_H

#include "search/net/lanes.h"

typedef enum TensorKind { KIND_LANES, KIND_CELLS } TensorKind; /* directions are lanes; channels are lanes */

/* V and numbers per cell, of so many channels */
#define VECTORS(kind, channels) ((kind) == KIND_LANES ? (channels) : (channels) / LANES)
#define NUMBERS(kind, channels) ((kind) == KIND_LANES ? (channels)*LANES : (channels))

typedef enum LinearMode {
    LINEAR_SET,    /* out = x w */
    LINEAR_ADD,    /* out += x w */
    LINEAR_BACK,   /* out = x w', w being [b, a] */
    LINEAR_BACKADD /* out += x w' */
} LinearMode;
#define LINEAR_ADDS(mode) ((mode) == LINEAR_ADD || (mode) == LINEAR_BACKADD)
#define LINEAR_TURNED(mode) ((mode) == LINEAR_BACK || (mode) == LINEAR_BACKADD)

/* ---- directions as lanes ---- */

/* `cells` cells at once, and `many` of the outputs. With `wide`, weights differ by lane: they are V. */
KERNEL void lanes_tile(const size_t a, const size_t b, const LinearMode mode, const bool wide,
                       const size_t cells, const size_t many, const Real *w, const Real *x, Real *out) {
    for (size_t j = 0; j < b; j += many) {
        V sum[4][4];
        UNROLL for (size_t i = 0; i < cells; i++) {
            UNROLL for (size_t q = 0; q < many; q++) {
                sum[i][q] = LINEAR_ADDS(mode) ? v_load(out + (i * b + j + q) * LANES) : v_zero();
            }
        }
        UNROLL for (size_t k = 0; k < a; k++) {
            V in[4];
            UNROLL for (size_t i = 0; i < cells; i++) {
                in[i] = v_load(x + (i * a + k) * LANES);
            }
            UNROLL for (size_t q = 0; q < many; q++) {
                size_t at = LINEAR_TURNED(mode) ? (j + q) * a + k : k * b + j + q;
                V weight = wide ? v_load(w + at * LANES) : v_all(w[at]);
                UNROLL for (size_t i = 0; i < cells; i++) {
                    sum[i][q] = v_fma(in[i], weight, sum[i][q]);
                }
            }
        }
        UNROLL for (size_t i = 0; i < cells; i++) {
            UNROLL for (size_t q = 0; q < many; q++) {
                v_store(out + (i * b + j + q) * LANES, sum[i][q]);
            }
        }
    }
}

KERNEL void lanes_linear(const size_t a, const size_t b, const LinearMode mode, const bool wide,
                         const Real *w, const Real *x, Real *out, size_t cells) {
    const size_t many = b >= 4 ? 4 : b, together = 3;
    size_t i = 0;
    for (; i + together <= cells; i += together) {
        lanes_tile(a, b, mode, wide, together, many, w, x + i * a * LANES, out + i * b * LANES);
    }
    for (; i < cells; i++) {
        lanes_tile(a, b, mode, wide, 1, many, w, x + i * a * LANES, out + i * b * LANES);
    }
}

/* sum[k][j] += x[k] g[j], lane by lane; sum is [a, b] of V. */
KERNEL void lanes_outer(const size_t a, const size_t b, const Real *x, const Real *g, Real *sum,
                        size_t cells) {
    const size_t high = 2, wide = b >= 4 ? 4 : b;
    for (size_t k = 0; k < a; k += high) {
        for (size_t j = 0; j < b; j += wide) {
            V s[2][4] = {{v_zero()}};
            UNROLL for (size_t p = 0; p < high; p++) {
                UNROLL for (size_t q = 0; q < wide; q++) {
                    s[p][q] = v_load(sum + ((k + p) * b + j + q) * LANES);
                }
            }
            for (size_t i = 0; i < cells; i++) {
                V in[2];
                UNROLL for (size_t p = 0; p < high; p++) {
                    in[p] = v_load(x + (i * a + k + p) * LANES);
                }
                UNROLL for (size_t q = 0; q < wide; q++) {
                    V back = v_load(g + (i * b + j + q) * LANES);
                    UNROLL for (size_t p = 0; p < high; p++) {
                        s[p][q] = v_fma(in[p], back, s[p][q]);
                    }
                }
            }
            UNROLL for (size_t p = 0; p < high; p++) {
                UNROLL for (size_t q = 0; q < wide; q++) {
                    v_store(sum + ((k + p) * b + j + q) * LANES, s[p][q]);
                }
            }
        }
    }
}

/* ---- channels as lanes ---- */

/* One or two V of outputs for four cells */
KERNEL void cells_tile(size_t a, const size_t b, const bool add, const size_t cells, const Real *w,
                       const Real *x, Real *out) {
    const size_t many = b / LANES;
    V sum[4][2];
    UNROLL for (size_t i = 0; i < cells; i++) {
        UNROLL for (size_t q = 0; q < many; q++) {
            sum[i][q] = add ? v_load(out + i * b + q * LANES) : v_zero();
        }
    }
    for (size_t k = 0; k < a; k++) {
        V weight[2];
        UNROLL for (size_t q = 0; q < many; q++) {
            weight[q] = v_load(w + k * b + q * LANES);
        }
        UNROLL for (size_t i = 0; i < cells; i++) {
            V in = v_all(x[i * a + k]);
            UNROLL for (size_t q = 0; q < many; q++) {
                sum[i][q] = v_fma(in, weight[q], sum[i][q]);
            }
        }
    }
    UNROLL for (size_t i = 0; i < cells; i++) {
        UNROLL for (size_t q = 0; q < many; q++) {
            v_store(out + i * b + q * LANES, sum[i][q]);
        }
    }
}

/* Each output is the sum of the lanes of a product: no turned copy of the matrix is needed. */
KERNEL void cells_back(const size_t a, const size_t b, const bool add, const Real *w, const Real *x,
                       Real *out) {
    for (size_t j = 0; j < b; j += LANES) {
        V sum[LANES];
        UNROLL for (size_t q = 0; q < LANES; q++) {
            sum[q] = v_mul(v_load(x), v_load(w + (j + q) * a));
            UNROLL for (size_t k = LANES; k < a; k += LANES) {
                sum[q] = v_fma(v_load(x + k), v_load(w + (j + q) * a + k), sum[q]);
            }
        }
        V all = v_sums(sum);
        v_store(out + j, add ? v_add(v_load(out + j), all) : all);
    }
}

KERNEL void cells_linear(size_t a, const size_t b, const LinearMode mode, const Real *w, const Real *x,
                         Real *out, size_t cells) {
    size_t i = 0;
    if (LINEAR_TURNED(mode)) {
        for (; i < cells; i++) {
            cells_back(a, b, LINEAR_ADDS(mode), w, x + i * a, out + i * b);
        }
        return;
    }
    for (; i + 4 <= cells; i += 4) {
        cells_tile(a, b, LINEAR_ADDS(mode), 4, w, x + i * a, out + i * b);
    }
    for (; i < cells; i++) {
        cells_tile(a, b, LINEAR_ADDS(mode), 1, w, x + i * a, out + i * b);
    }
}

/* sum[k][j] += x[k] g[j]; sum is [a, b] of numbers, a a multiple of 4. */
KERNEL void cells_outer(const size_t a, const size_t b, const Real *x, const Real *g, Real *sum,
                        size_t cells) {
    const size_t many = b / LANES;
    for (size_t k = 0; k < a; k += 4) {
        V s[4][2] = {{v_zero()}};
        UNROLL for (size_t p = 0; p < 4; p++) {
            UNROLL for (size_t q = 0; q < many; q++) {
                s[p][q] = v_load(sum + (k + p) * b + q * LANES);
            }
        }
        for (size_t i = 0; i < cells; i++) {
            V back[2];
            UNROLL for (size_t q = 0; q < many; q++) {
                back[q] = v_load(g + i * b + q * LANES);
            }
            UNROLL for (size_t p = 0; p < 4; p++) {
                V in = v_all(x[i * a + k + p]);
                UNROLL for (size_t q = 0; q < many; q++) {
                    s[p][q] = v_fma(in, back[q], s[p][q]);
                }
            }
        }
        UNROLL for (size_t p = 0; p < 4; p++) {
            UNROLL for (size_t q = 0; q < many; q++) {
                v_store(sum + (k + p) * b + q * LANES, s[p][q]);
            }
        }
    }
}

/* ---- each combination once ---- */

/* Out of line, because they are used in many places: the code of a step must stay small enough for its cache.
 */
#define NOINLINE static __attribute__((noinline))

/* kind, inputs, outputs, mode */
#define LINEARS(X)            \
    X(lanes, 8, 16, SET)      \
    X(lanes, 8, 16, BACK)     \
    X(lanes, 16, 8, ADD)      \
    X(lanes, 16, 8, BACKADD)  \
    X(lanes, 8, 8, SET)       \
    X(lanes, 8, 8, ADD)       \
    X(lanes, 8, 8, BACK)      \
    X(lanes, 8, 8, BACKADD)   \
    X(lanes, 8, 4, SET)       \
    X(lanes, 8, 4, BACK)      \
    X(lanes, 4, 8, SET)       \
    X(lanes, 4, 8, ADD)       \
    X(lanes, 4, 8, BACKADD)   \
    X(lanes, 8, 2, SET)       \
    X(lanes, 2, 8, BACKADD)   \
    X(wide, 16, 8, SET)       \
    X(wide, 24, 8, SET)       \
    X(wide, 8, 16, BACK)      \
    X(wide, 8, 24, BACK)      \
    X(cells, 16, 16, SET)     \
    X(cells, 16, 16, ADD)     \
    X(cells, 16, 16, BACK)    \
    X(cells, 16, 16, BACKADD) \
    X(cells, 16, 8, SET)      \
    X(cells, 16, 8, BACK)     \
    X(cells, 8, 16, ADD)      \
    X(cells, 8, 16, BACKADD)
/* kind, rows, columns */
#define OUTERS(X)    \
    X(lanes, 8, 16)  \
    X(lanes, 16, 8)  \
    X(lanes, 24, 8)  \
    X(lanes, 8, 8)   \
    X(lanes, 8, 4)   \
    X(lanes, 4, 8)   \
    X(lanes, 8, 2)   \
    X(cells, 16, 16) \
    X(cells, 16, 8)  \
    X(cells, 8, 16)  \
    X(cells, 4, 16)

#define LINEAR_IS_lanes(kind, wide) ((kind) == KIND_LANES && !(wide))
#define LINEAR_IS_wide(kind, wide) ((kind) == KIND_LANES && (wide))
#define LINEAR_IS_cells(kind, wide) ((kind) == KIND_CELLS)
#define LINEAR_CALL_lanes(a, b, mode) lanes_linear(a, b, mode, false, w, x, out, cells)
#define LINEAR_CALL_wide(a, b, mode) lanes_linear(a, b, mode, true, w, x, out, cells)
#define LINEAR_CALL_cells(a, b, mode) cells_linear(a, b, mode, w, x, out, cells)

#define LINEAR_FUNCTION(kind, a, b, mode)                                                     \
    NOINLINE void linear_##kind##_##a##_##b##_##mode(const Real *w, const Real *x, Real *out, \
                                                     size_t cells) {                          \
        LINEAR_CALL_##kind(a, b, LINEAR_##mode);                                              \
    }
#define OUTER_FUNCTION(kind, a, b)                                                                  \
    NOINLINE void outer_##kind##_##a##_##b(const Real *x, const Real *g, Real *sum, size_t cells) { \
        kind##_outer(a, b, x, g, sum, cells);                                                       \
    }
#ifndef NET_SMALL
LINEARS(LINEAR_FUNCTION)
OUTERS(OUTER_FUNCTION)
#endif

KERNEL void linear_of(const TensorKind kind, const bool wide, const size_t a, const size_t b,
                      const LinearMode mode, const Real *w, const Real *x, Real *out, size_t cells) {
#define LINEAR_TRY(k, i, o, m)                                                     \
    if (LINEAR_IS_##k(kind, wide) && a == (i) && b == (o) && mode == LINEAR_##m) { \
        linear_##k##_##i##_##o##_##m(w, x, out, cells);                            \
        return;                                                                    \
    }
#ifndef NET_SMALL
    LINEARS(LINEAR_TRY)
#endif
#undef LINEAR_TRY
    if (kind == KIND_LANES) { /* not in the list */
        lanes_linear(a, b, mode, wide, w, x, out, cells);
    } else {
        cells_linear(a, b, mode, w, x, out, cells);
    }
}
KERNEL void linear(const TensorKind kind, const size_t a, const size_t b, const LinearMode mode,
                   const Real *w, const Real *x, Real *out, size_t cells) {
    linear_of(kind, false, a, b, mode, w, x, out, cells);
}

/* Adds to `sum`, which has room for [a, b] numbers, or V if directions are lanes, until outer_end. */
KERNEL void outer(const TensorKind kind, const size_t a, const size_t b, const Real *x, const Real *g,
                  Real *sum, size_t cells) {
#define OUTER_TRY(k, i, o)                                    \
    if (LINEAR_IS_##k(kind, false) && a == (i) && b == (o)) { \
        outer_##k##_##i##_##o(x, g, sum, cells);              \
        return;                                               \
    }
#ifndef NET_SMALL
    OUTERS(OUTER_TRY)
#endif
#undef OUTER_TRY
    if (kind == KIND_LANES) {
        lanes_outer(a, b, x, g, sum, cells);
    } else {
        cells_outer(a, b, x, g, sum, cells);
    }
}

static void outer_begin(TensorKind kind, size_t weights, Real *sum) {
    memset(sum, 0, weights * (kind == KIND_LANES ? LANES : 1) * sizeof *sum);
}

/* Adds the sums to the gradient of the matrix. */
static void outer_end(TensorKind kind, size_t weights, const Real *sum, Real *gradient) {
    if (kind == KIND_CELLS) {
        for (size_t k = 0; k < weights; k++) {
            gradient[k] += sum[k];
        }
        return;
    }
    for (size_t k = 0; k < weights; k += LANES) { /* all matrices have a multiple of eight */
        V part[LANES];
        for (size_t q = 0; q < LANES; q++) {
            part[q] = v_load(sum + (k + q) * LANES);
        }
        v_store(gradient + k, v_add(v_load(gradient + k), v_sums(part)));
    }
}

#endif
