/* Random numbers of a net: its first values, and the noise of every step (template: see engine.h).
 *
 * Every number is a function of seed, stream and place, so that nothing depends on which thread
 * draws it, or when. */
#ifndef BATT_SEARCH_NET_NOISE_H
#define BATT_SEARCH_NET_NOISE_H

#include "search/net/engine_state.h"
#include "search/net/kernels/bits.h"
#include "search/net/lanes_math.h"

/* The numbers that the vectors on record were made with: uniform, of mean 0 and variance 1. */
static double noise_unit(uint64_t seed, uint64_t i) {
    uint64_t s = noise_mix(seed + (i + 1) * 0x9E3779B97F4A7C15u);
    return (2 * ((double)(s >> 11) * 0x1p-53) - 1) * 1.7320508075688772;
}

/* Normally distributed numbers, as many V as asked for. */
static void noise_fill(uint64_t key, Real *to, size_t vectors) {
    uint32_t a = (uint32_t)key, b = (uint32_t)(key >> 32);
    for (size_t k = 0; k < vectors; k++) {
        _Alignas(64) Real each[LANES];
        for (uint32_t l = 0; l < LANES; l++) {
            /* the middle of one of 2^24 equal intervals of -1..1 */
            int32_t part = (int32_t)(noise_bits((uint32_t)k * LANES + l, a, b) >> 8);
            each[l] = ((Real)(part - (1 << 23)) + R(0.5)) * R(0x1p-23);
        }
        v_store(to + k * LANES, v_normal(v_load(each)));
    }
}

static void noise_slice(const NetRun *run, NetTensorId t, size_t item, uint64_t seed, NetNoise noise) {
    const NetPlace *p = &run->mem->places[t];
    size_t slot = net_has(t, AXIS_E) ? item : 0;
    Real *to = run->noise + p->mean / 2 + slot * p->latent;
    if (noise == NET_NOISE_NORMAL) {
        noise_fill(noise_key(seed, run->step + 1, t * 1024 + slot), to, p->latent / LANES);
        return;
    }
    for (size_t cell = 0; cell < p->cells; cell++) {
        for (size_t d = 0; d < (p->lanes ? (size_t)LANES : 1); d++) {
            for (size_t ch = 0; ch < NET_LATENT; ch++) {
                to[slice_index(p, cell, d, ch, NET_LATENT)] = (Real)noise_unit(
                    ((uint64_t)(run->step + 1) << 32) + t, canonical(p, slot, cell, d, ch, NET_LATENT));
            }
        }
    }
}

/* First values of all parameters. Those of capacity and adjustment stay 0. */
static void noise_parameters(const NetMemory *mem, uint64_t seed, Real *parameters) {
    memset(parameters, 0, mem->parameters * sizeof(Real));
    for (size_t k = 0; k < NET_PARAMETERS; k++) {
        NetParameter what;
        net_parameter(mem, k, &what);
        size_t numbers = what.rows * what.columns;
        if (what.scale == 0) {
            continue;
        }
        Real *to = parameters + what.at;
        if (what.latent) {
            const NetPlace *p = &mem->places[what.tensor];
            numbers = p->latent * p->slots;
        }
        for (size_t i = 0; i < numbers; i += LANES) {
            _Alignas(64) Real each[LANES];
            noise_fill(noise_key(seed, 0, k << 32 | i / LANES), each, 1);
            for (size_t l = 0; l < LANES && i + l < numbers; l++) {
                to[i + l] = (Real)what.scale * each[l];
            }
        }
        if (what.at == mem->head_w) { /* both columns start equal */
            for (size_t i = 0; i < numbers; i += 2) {
                to[i + 1] = to[i];
            }
        }
        /* what lies behind the cells of a slice must stay 0 */
        for (size_t slot = 0; what.latent && slot < mem->places[what.tensor].slots; slot++) {
            const NetPlace *p = &mem->places[what.tensor];
            size_t used = p->cells * NET_LATENT * (p->lanes ? LANES : 1);
            memset(to + slot * p->latent + used, 0, (p->latent - used) * sizeof *to);
        }
    }
}

#endif
