/* Mixing of directions (template: see engine.h).
 *
 * Every direction gets a sum over all eight of a matrix times what they hold. Which matrices are the same
 * (net_tie) makes the whole map commute with the symmetries of the square, or with the two reflections. So
 * the lanes are first turned into sums that those symmetries keep apart (mix_tables.h). There a lane depends
 * on itself and one or two partners only. Weights differ by lane then, but a product needs 16 (24) V where it
 * needed 64. */
#ifndef BATT_SEARCH_NET_MIXING_H
#define BATT_SEARCH_NET_MIXING_H

#include "search/net/engine_state.h"

V_PERMUTE(opposite, 4, 5, 6, 7, 0, 1, 2, 3)
V_PERMUTE(across, 2, 3, 0, 1, 4, 7, 6, 5)
V_PERMUTE(partner, 1, 0, 3, 2, 5, 4, 7, 6)
V_PERMUTE(next_of_three, 1, 2, 0, 3, 5, 4, 7, 6)
V_PERMUTE(after_next, 2, 0, 1, 3, 4, 5, 6, 7)
/* and the other way */
V_PERMUTE(previous_of_three, 2, 0, 1, 3, 5, 4, 7, 6)
V_PERMUTE(before_previous, 1, 2, 0, 3, 4, 5, 6, 7)

#define HALF R(0.5)
#define ROOT R(0.70710678118654752440)

INLINE V mix_signs(void) {
    return v_of(1, 1, 1, 1, -1, -1, -1, -1);
}
/* Directions to sums, and back; the transform is orthonormal. */
INLINE V mix_turn(V z) {
    V a = v_fma(mix_signs(), z, v_opposite(z));
    V own = v_of(HALF, HALF, -HALF, -HALF, ROOT, HALF, ROOT, HALF);
    V other = v_of(HALF, HALF, HALF, HALF, 0, -HALF, 0, HALF);
    return v_fma(other, v_across(a), v_mul(own, a));
}
INLINE V mix_unturn(V b) {
    V own = v_of(HALF, HALF, -HALF, -HALF, ROOT, HALF, ROOT, HALF);
    V other = v_of(HALF, HALF, HALF, HALF, 0, HALF, 0, -HALF); /* as above, across */
    V a = v_fma(other, v_across(b), v_mul(own, b));
    return v_fma(mix_signs(), a, v_opposite(a));
}

static void mix_table(NetTensorId t, MixTable *to) {
    double of[MIX_MAX][MIX_TIES][LANES];
    net_mix_table(t, (double)ROOT, of);
    for (size_t k = 0; k < (size_t)MIX_MAX * MIX_TIES * LANES; k++) {
        ((Real *)to->of)[k] = (Real)((const double *)of)[k];
    }
}

/* Matrices of a block to weights by lane: [partner, channel][channel] V. */
static void mix_weights(NetTensorId t, const MixTable *table, const Real *matrices, Real *to) {
    for (size_t p = 0; p < net_mix_partners(t); p++) {
        for (size_t k = 0; k < 64; k++, to += LANES) {
            V sum = v_zero();
            for (size_t tie = 0; tie < net_ties(t); tie++) {
                sum = v_fma(v_all(matrices[tie * 64 + k]), v_load(table->of[p][tie]), sum);
            }
            v_store(to, sum);
        }
    }
}

/* The way back, for gradients. */
static void mix_weights_back(NetTensorId t, const MixTable *table, const Real *sums, Real *gradient) {
    for (size_t tie = 0; tie < net_ties(t); tie++) {
        for (size_t k = 0; k < 64; k += LANES) {
            V part[LANES];
            for (size_t q = 0; q < LANES; q++) {
                part[q] = v_zero();
                for (size_t p = 0; p < net_mix_partners(t); p++) {
                    part[q] =
                        v_fma(v_load(sums + (p * 64 + k + q) * LANES), v_load(table->of[p][tie]), part[q]);
                }
            }
            Real *to = gradient + tie * 64 + k;
            v_store(to, v_add(v_load(to), v_sums(part)));
        }
    }
}

/* A strip turned, with its partners: z[cell][8] V to out[cell][partner, 8] V. */
KERNEL void mix_prepare(const bool wide, const Real *z, Real *out, size_t cells) {
    const size_t partners = wide ? 3 : 2;
    for (size_t i = 0; i < cells; i++, z += 8 * LANES, out += partners * 8 * LANES) {
        UNROLL for (size_t k = 0; k < 8; k++) {
            V turned = mix_turn(v_load(z + k * LANES));
            v_store(out + k * LANES, turned);
            v_store(out + (8 + k) * LANES, wide ? v_next_of_three(turned) : v_partner(turned));
            if (wide) {
                v_store(out + (16 + k) * LANES, v_after_next(turned));
            }
        }
    }
}

/* x += what is mixed of the prepared strip; `work` is a strip of 8 channels. */
KERNEL void mix_apply(const bool wide, const Real *weights, const Real *prepared, Real *work, Real *x,
                      size_t cells) {
    if (wide) {
        linear_of(KIND_LANES, true, 24, 8, LINEAR_SET, weights, prepared, work, cells);
    } else {
        linear_of(KIND_LANES, true, 16, 8, LINEAR_SET, weights, prepared, work, cells);
    }
    for (size_t k = 0; k < cells * 8 * LANES; k += LANES) {
        v_store(x + k, v_add(v_load(x + k), mix_unturn(v_load(work + k))));
    }
}

/* From g: gradient of z to gz, and of the weights added to sums. turned: strip of 8 channels, back: of 24. */
KERNEL void mix_back(const bool wide, const Real *weights, const Real *prepared, const Real *g, Real *turned,
                     Real *back, Real *gz, Real *sums, size_t cells) {
    const size_t partners = wide ? 3 : 2;
    for (size_t k = 0; k < cells * 8 * LANES; k += LANES) {
        v_store(turned + k, mix_turn(v_load(g + k)));
    }
    if (wide) {
        outer(KIND_LANES, 24, 8, prepared, turned, sums, cells);
        linear_of(KIND_LANES, true, 8, 24, LINEAR_BACK, weights, turned, back, cells);
    } else {
        outer(KIND_LANES, 16, 8, prepared, turned, sums, cells);
        linear_of(KIND_LANES, true, 8, 16, LINEAR_BACK, weights, turned, back, cells);
    }
    for (size_t i = 0; i < cells; i++, back += partners * 8 * LANES, gz += 8 * LANES) {
        UNROLL for (size_t k = 0; k < 8; k++) {
            V own = v_load(back + k * LANES), other = v_load(back + (8 + k) * LANES);
            if (wide) {
                /* the opposite way: what went to the next of three comes from the one before */
                V third = v_load(back + (16 + k) * LANES);
                own = v_add(own, v_add(v_previous_of_three(other), v_before_previous(third)));
            } else {
                own = v_add(own, v_partner(other));
            }
            v_store(gz + k * LANES, mix_unturn(own));
        }
    }
}

#endif
