/* Functions of eight numbers: exponentials, the logistic function, and normally distributed noise.
 *
 * In float they are polynomials, good to the last bit or two; in double, where only the vectors on record are
 * checked, they are those of the C library. */
#ifndef BATT_SEARCH_NET_LANES_MATH_H
#define BATT_SEARCH_NET_LANES_MATH_H

#include "search/net/lanes.h"

#ifdef NET_DOUBLE

#define V_BY_LIBRARY(expression)         \
    Real each[LANES];                    \
    for (size_t k = 0; k < LANES; k++) { \
        Real x = v_lane(a, k);           \
        each[k] = expression;            \
    }                                    \
    return v_of(each[0], each[1], each[2], each[3], each[4], each[5], each[6], each[7]);

enum { EXP_MAX = 700 };
INLINE V v_exp(V a){V_BY_LIBRARY(exp(x))} /* 1 - exp(-a) for a >= 0 */
INLINE V v_fall(V a){V_BY_LIBRARY(-expm1(-x))} INLINE V v_log(V a) {
    V_BY_LIBRARY(log(x))
}

#else

enum { EXP_MAX = 87 }; /* beyond, results would not be normal numbers */

/* exp(a), for a in -EXP_MAX..EXP_MAX; what lies outside is taken to the end of that. */
INLINE V v_exp(V a) {
    const V magic = v_all(12582912.0f); /* 1.5 2^23: adding it rounds to an integer, in the lowest bits */
    a = v_min(v_max(a, v_all(-EXP_MAX)), v_all(EXP_MAX));
    V n = v_fma(a, v_all(1.44269504f), magic);
    V whole = v_sub(n, magic);
    V r = v_fma(whole, v_all(-0.693359375f), a);
    r = v_fma(whole, v_all(2.12194440e-4f), r);
    V p = v_all(1.9875691500e-4f);
    p = v_fma(p, r, v_all(1.3981999507e-3f));
    p = v_fma(p, r, v_all(8.3334519073e-3f));
    p = v_fma(p, r, v_all(4.1665795894e-2f));
    p = v_fma(p, r, v_all(1.6666665459e-1f));
    p = v_fma(p, r, v_all(5.0000001201e-1f));
    p = v_fma(p, v_mul(r, r), v_add(r, v_all(1)));
    return v_scale(p, n);
}

/* 1 - exp(-a) for a >= 0, to all digits for small a */
INLINE V v_fall(V a) {
    V n = v_sub(v_zero(), a), p = v_all(1.0f / 5040);
    p = v_fma(p, n, v_all(1.0f / 720));
    p = v_fma(p, n, v_all(1.0f / 120));
    p = v_fma(p, n, v_all(1.0f / 24));
    p = v_fma(p, n, v_all(1.0f / 6));
    p = v_fma(p, n, v_all(0.5f));
    p = v_fma(p, n, v_all(1));
    p = v_mul(p, a);
    return v_select(v_less(a, v_all(0.25f)), p, v_sub(v_all(1), v_exp(n)));
}

/* log(a) for normal a > 0 */
INLINE V v_log(V a) {
    _Alignas(sizeof(V)) Real m[LANES], e[LANES];
    v_store(m, a);
    for (size_t k = 0; k < LANES; k++) { /* into sqrt(1/2)..sqrt(2), and a power of two */
        int32_t bits;
        memcpy(&bits, &m[k], sizeof bits);
        int32_t power = (bits - 0x3f3504f3) >> 23;
        bits -= power * (1 << 23);
        memcpy(&m[k], &bits, sizeof bits);
        e[k] = (Real)power;
    }
    V x = v_sub(v_load(m), v_all(1)), n = v_load(e), z = v_mul(x, x);
    V p = v_all(7.0376836292e-2f);
    p = v_fma(p, x, v_all(-1.1514610310e-1f));
    p = v_fma(p, x, v_all(1.1676998740e-1f));
    p = v_fma(p, x, v_all(-1.2420140846e-1f));
    p = v_fma(p, x, v_all(1.4249322787e-1f));
    p = v_fma(p, x, v_all(-1.6668057665e-1f));
    p = v_fma(p, x, v_all(2.0000714765e-1f));
    p = v_fma(p, x, v_all(-2.4999993993e-1f));
    p = v_fma(p, x, v_all(3.3333331174e-1f));
    V y = v_mul(v_mul(x, z), p);
    y = v_fma(n, v_all(-2.12194440e-4f), y);
    y = v_fma(z, v_all(-0.5f), y);
    return v_fma(n, v_all(0.693359375f), v_add(x, y));
}

#endif

/* 1 / (1 + exp(-a)) */
INLINE V v_logistic(V a) {
    return v_div(v_all(1), v_add(v_all(1), v_exp(v_sub(v_zero(), a))));
}

/* The number that a normal variable stays below with probability (1 + a) / 2, for -1 < a < 1; to six digits
 * (M. Giles, Approximating the erfinv function). */
INLINE V v_normal(V a) {
    static const float near[] = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                                 -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                 -0.00417768164f,  0.246640727f,    1.50140941f};
    static const float tail[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                                 -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                                 0.00943887047f,   1.00167406f,     2.83297682f};
    V one = v_all(1);
    V w = v_sub(v_zero(), v_log(v_mul(v_sub(one, a), v_add(one, a))));
    V n = v_sub(w, v_all(R(2.5))), t = v_sub(v_sqrt(v_max(w, v_zero())), v_all(3));
    V p = v_all(near[0]), q = v_all(tail[0]);
    for (size_t k = 1; k < sizeof near / sizeof *near; k++) {
        p = v_fma(p, n, v_all(near[k]));
        q = v_fma(q, t, v_all(tail[k]));
    }
    return v_mul(v_mul(v_all(R(1.41421356)), a), v_select(v_less(w, v_all(5)), p, q));
}

#endif
