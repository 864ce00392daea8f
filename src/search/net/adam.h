/* The optimiser (template: see engine.h). */
#ifndef BATT_SEARCH_NET_ADAM_H
#define BATT_SEARCH_NET_ADAM_H

#include "search/net/engine_state.h"

#define HALF_STEP R(0.5)

typedef struct Adam {   /* of one step */
    Real first, second; /* what the moments are divided by */
} Adam;

static Adam adam_step(size_t t) { /* t steps are done */
    double n = (double)(t + 1);
    return (Adam){(Real)(0.01 / (1 - pow(0.5, n))), (Real)(1 / (1 - pow(0.9, n)))};
}

INLINE void adam_vector(const Adam *adam, V g, Real *p, Real *m, Real *v) {
    V moment = v_mul(v_all(HALF_STEP), v_add(v_load(m), g));
    V square = v_fma(v_mul(v_all(R(0.1)), g), g, v_mul(v_all(R(0.9)), v_load(v)));
    v_store(m, moment);
    v_store(v, square);
    V root = v_add(v_sqrt(v_mul(square, v_all(adam->second))), v_all(R(1e-8)));
    v_store(p, v_sub(v_load(p), v_div(v_mul(v_all(adam->first), moment), root)));
}

/* Latents of a slice, or anything whose gradient lies in latent_gradient. */
static void adam_latents(const NetRun *run, const Adam *adam, size_t at, size_t numbers) {
    for (size_t k = at; k < at + numbers; k += LANES) {
        adam_vector(adam, v_load(run->latent_gradient + k), run->parameters + k, run->moment + k,
                    run->square + k);
    }
}

/* A share of the weights: gradients of all items are added in their order. */
static void adam_weights(const NetRun *run, const Adam *adam, size_t begin, size_t end) {
    size_t weights = net_weights(run->mem), items = net_items(run->mem), first = run->mem->latents;
    for (size_t k = begin; k < end; k += LANES) {
        V g = v_load(run->weight_gradients + k);
        for (size_t item = 1; item < items; item++) {
            g = v_add(g, v_load(run->weight_gradients + item * weights + k));
        }
        adam_vector(adam, g, run->parameters + first + k, run->moment + first + k, run->square + first + k);
    }
}

#endif
