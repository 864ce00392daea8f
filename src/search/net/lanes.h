/* Eight numbers at a time.
 *
 * The net's arithmetic is written once, over V: eight lanes, of float or (NET_DOUBLE, for the
 * vectors on record) of double. With NET_PLAIN a V is a struct and every operation a loop, lane by
 * lane in the same order, so that both give the same bits; tests compare them. Where the machine
 * has fused multiply-add both use it, because that is half of the speed; so results are the same
 * for one build, not from machine to machine.
 *
 * These headers are a template: engine.h says how they are instantiated. */
#ifndef BATT_SEARCH_NET_LANES_H
#define BATT_SEARCH_NET_LANES_H

#include "engine/value/ctx.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef NET_DOUBLE
typedef double Real;
typedef int64_t RealBits;
#else
typedef float Real;
typedef int32_t RealBits;
#endif

#define R(x) ((Real)(x))
enum { LANES = 8 };

#if defined __AVX2__ && defined __FMA__ && !defined NET_DOUBLE
#define NET_FUSED 1
#else
#define NET_FUSED 0
#endif

/* Functions whose parameters are constants at each call: inlined, and their loops unrolled, so that sums stay
 * in registers. Under checks that would take the compiler minutes, and tests (NET_SMALL) need no speed. */
#if defined BATT_CHECKED && !defined NET_SMALL
#define NET_SMALL
#endif
#ifdef NET_SMALL
#define KERNEL static __attribute__((noinline, unused))
#define UNROLL
#else
#define KERNEL INLINE
#define UNROLL _Pragma("GCC unroll 16")
#endif

static inline Real real_sqrt(Real x) {
#ifdef NET_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

#if !defined NET_PLAIN && defined __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define NET_VECTORS 1
#endif
#endif
#ifndef NET_VECTORS
#define NET_VECTORS 0
#endif

#if NET_VECTORS

#if NET_FUSED
#include <immintrin.h>
#endif
/* No V crosses a call that is not inlined, so how one would be passed does not matter. */
#pragma GCC diagnostic ignored "-Wpsabi"

typedef Real V __attribute__((vector_size(LANES * sizeof(Real)), may_alias));
typedef RealBits VBits __attribute__((vector_size(LANES * sizeof(Real)), may_alias));

INLINE V v_load(const Real *p) {
    return *(const V *)p;
}
INLINE void v_store(Real *p, V v) {
    *(V *)p = v;
}
INLINE V v_all(Real x) {
    return (V){x, x, x, x, x, x, x, x};
}
INLINE V v_of(Real a, Real b, Real c, Real d, Real e, Real f, Real g, Real h) {
    return (V){a, b, c, d, e, f, g, h};
}
INLINE V v_add(V a, V b) {
    return a + b;
}
INLINE V v_sub(V a, V b) {
    return a - b;
}
INLINE V v_mul(V a, V b) {
    return a * b;
}
INLINE V v_div(V a, V b) {
    return a / b;
}
#if NET_FUSED
INLINE V v_fma(V a, V b, V c) { /* a b + c */
    return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
INLINE V v_max(V a, V b) {
    return (V)_mm256_max_ps((__m256)a, (__m256)b);
}
INLINE V v_min(V a, V b) {
    return (V)_mm256_min_ps((__m256)a, (__m256)b);
}
INLINE V v_sqrt(V a) {
    return (V)_mm256_sqrt_ps((__m256)a);
}
#else
INLINE V v_select(VBits mask, V a, V b);
INLINE V v_fma(V a, V b, V c) {
    return a * b + c;
}
INLINE V v_max(V a, V b) {
    return v_select(a > b, a, b);
}
INLINE V v_min(V a, V b) {
    return v_select(a < b, a, b);
}
INLINE V v_sqrt(V a) {
    for (size_t k = 0; k < LANES; k++) {
        a[k] = real_sqrt(a[k]);
    }
    return a;
}
#endif

typedef VBits VMask; /* all bits of a lane, or none */
INLINE VMask v_less(V a, V b) {
    return a < b;
}
INLINE VMask v_equal(V a, V b) {
    return a == b;
}
INLINE V v_select(VMask mask, V a, V b) { /* a where the mask is set */
    return (V)(((VBits)a & mask) | ((VBits)b & ~mask));
}
INLINE V v_keep(VMask mask, V a) { /* 0 where it is not */
    return (V)((VBits)a & mask);
}
INLINE VMask v_both(VMask a, VMask b) {
    return a & b;
}
/* 2^n p, n given as n + REAL_MAGIC */
INLINE V v_scale(V p, V n) {
    return (V)((VBits)p + ((VBits)n << (sizeof(Real) == 4 ? 23 : 52)));
}
#define V_PERMUTE(name, ...)                               \
    INLINE V v_##name(V a) {                               \
        return __builtin_shufflevector(a, a, __VA_ARGS__); \
    }
/* Lanes 0,4 of a, 1,5 of b, 2,6 of c, 3,7 of d */
INLINE V v_pick(V a, V b, V c, V d) {
    V ab = __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
    V cd = __builtin_shufflevector(c, d, 0, 1, 2, 11, 4, 5, 6, 15);
    return __builtin_shufflevector(ab, cd, 0, 1, 10, 11, 4, 5, 14, 15);
}
/* Lanes 0,1,2,7 of a, 3,4,5,6 of b */
INLINE V v_ahead(V a, V b) {
    return __builtin_shufflevector(a, b, 0, 1, 2, 11, 12, 13, 14, 7);
}
INLINE Real v_sum(V a) {
    V b = a + __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3);
    V c = b + __builtin_shufflevector(b, b, 2, 3, 0, 1, 6, 7, 4, 5);
    return c[0] + c[1];
}
INLINE V v_pair(V a, V b) { /* a0+a1, b0+b1, a2+a3, b2+b3, ... */
    return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}
/* Lane k is the sum of the lanes of a[k]. */
INLINE V v_sums(const V *a) {
    V p0 = v_pair(a[0], a[1]), p1 = v_pair(a[2], a[3]), p2 = v_pair(a[4], a[5]), p3 = v_pair(a[6], a[7]);
    V q0 = __builtin_shufflevector(p0, p1, 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(p0, p1, 2, 3, 10, 11, 6, 7, 14, 15);
    V q1 = __builtin_shufflevector(p2, p3, 0, 1, 8, 9, 4, 5, 12, 13) +
           __builtin_shufflevector(p2, p3, 2, 3, 10, 11, 6, 7, 14, 15);
    return __builtin_shufflevector(q0, q1, 0, 1, 2, 3, 8, 9, 10, 11) +
           __builtin_shufflevector(q0, q1, 4, 5, 6, 7, 12, 13, 14, 15);
}
INLINE Real v_lane(V a, size_t k) {
    return a[k];
}

#else /* plain */

typedef struct V {
    Real l[LANES];
} V;
typedef struct VMask {
    bool l[LANES];
} VMask;

#define V_EACH(expression)               \
    V r;                                 \
    for (size_t k = 0; k < LANES; k++) { \
        r.l[k] = expression;             \
    }                                    \
    return r;
#define M_EACH(expression)               \
    VMask r;                             \
    for (size_t k = 0; k < LANES; k++) { \
        r.l[k] = expression;             \
    }                                    \
    return r;

INLINE V v_load(const Real *p){V_EACH(p[k])} INLINE void v_store(Real *p, V v) {
    memcpy(p, v.l, sizeof v.l);
}
INLINE V v_all(Real x){V_EACH(x)} INLINE V
    v_of(Real a, Real b, Real c, Real d, Real e, Real f, Real g, Real h) {
    return (V){{a, b, c, d, e, f, g, h}};
}
INLINE V v_add(V a, V b){V_EACH(a.l[k] + b.l[k])} INLINE V v_sub(V a, V b){V_EACH(a.l[k] - b.l[k])} INLINE V
    v_mul(V a, V b){V_EACH(a.l[k] * b.l[k])} INLINE V v_div(V a, V b){V_EACH(a.l[k] / b.l[k])} INLINE V
    v_fma(V a, V b, V c) {
#if NET_FUSED
    V_EACH(__builtin_fmaf(a.l[k], b.l[k], c.l[k]))
#else
    V_EACH(a.l[k] * b.l[k] + c.l[k])
#endif
}
INLINE V v_max(V a, V b){V_EACH(a.l[k] > b.l[k] ? a.l[k] : b.l[k])} INLINE V
    v_min(V a, V b){V_EACH(a.l[k] < b.l[k] ? a.l[k] : b.l[k])} INLINE V
    v_sqrt(V a){V_EACH(real_sqrt(a.l[k]))} INLINE VMask v_less(V a, V b){M_EACH(a.l[k] < b.l[k])} INLINE VMask
    v_equal(V a, V b){M_EACH(a.l[k] == b.l[k])} INLINE V
    v_select(VMask mask, V a, V b){V_EACH(mask.l[k] ? a.l[k] : b.l[k])} INLINE V
    v_keep(VMask mask, V a){V_EACH(mask.l[k] ? a.l[k] : 0)} INLINE VMask
    v_both(VMask a, VMask b){M_EACH(a.l[k] && b.l[k])} INLINE V v_scale(V p, V n) {
    V r;
    for (size_t k = 0; k < LANES; k++) {
        RealBits bits, power;
        memcpy(&bits, &p.l[k], sizeof bits);
        memcpy(&power, &n.l[k], sizeof power);
        bits = (RealBits)((uint64_t)bits + ((uint64_t)power << (sizeof(Real) == 4 ? 23 : 52)));
        memcpy(&r.l[k], &bits, sizeof bits);
    }
    return r;
}
#define V_PERMUTE(name, ...)                         \
    INLINE V v_##name(V a) {                         \
        static const uint8_t from[] = {__VA_ARGS__}; \
        V_EACH(a.l[from[k]])                         \
    }
INLINE V v_pick(V a, V b, V c, V d){V_EACH(k % 4 == 0   ? a.l[k]
                                           : k % 4 == 1 ? b.l[k]
                                           : k % 4 == 2 ? c.l[k]
                                                        : d.l[k])} INLINE V
    v_ahead(V a, V b){V_EACH(k < 3 || k == 7 ? a.l[k] : b.l[k])} INLINE Real v_sum(V a) {
    return ((a.l[0] + a.l[4]) + (a.l[2] + a.l[6])) + ((a.l[1] + a.l[5]) + (a.l[3] + a.l[7]));
}
INLINE V v_sums(const V *a){V_EACH(((a[k].l[0] + a[k].l[1]) + (a[k].l[2] + a[k].l[3])) +
                                   ((a[k].l[4] + a[k].l[5]) + (a[k].l[6] + a[k].l[7])))} INLINE Real
    v_lane(V a, size_t k) {
    return a.l[k];
}

#endif

INLINE V v_zero(void) {
    return v_all(0);
}

#endif
