/* Random numbers: small state, and the same on every machine. A stream is made from numbers
 * (seed, task, generation), so that no draw depends on which thread makes it. */
#ifndef BATT_BASE_RNG_H
#define BATT_BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Rng {
    uint64_t state;
} Rng;

static inline uint64_t rng64(Rng *rng) { /* splitmix64 */
    uint64_t z = (rng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline Rng rng_stream(uint64_t seed, uint64_t a, uint64_t b) {
    Rng rng = {seed};
    rng.state = rng64(&rng) ^ a;
    rng.state = rng64(&rng) ^ b;
    return rng;
}

/* 0..n-1, n > 0; the bias is below 2^-32. */
static inline uint32_t rng_below(Rng *rng, uint32_t n) {
    return (uint32_t)((rng64(rng) >> 32) * n >> 32);
}

static inline bool rng_percent(Rng *rng, unsigned percent) {
    return rng_below(rng, 100) < percent;
}

#endif
