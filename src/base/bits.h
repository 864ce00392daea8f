/* Sets as bits in words of 64; a set over n things has at least n bits, and those above are 0. */
#ifndef BATT_BASE_BITS_H
#define BATT_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool bits_has(const uint64_t *set, uint32_t k) {
    return set[k / 64] >> k % 64 & 1;
}

/* Of word w, the bits of a set over the first n things. */
static inline uint64_t bits_below(uint32_t n, uint32_t w) {
    return n / 64 > w ? ~(uint64_t)0 : n / 64 < w ? 0 : ((uint64_t)1 << n % 64) - 1;
}

static inline uint32_t bits_count(const uint64_t *set, uint32_t words) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++) {
        n += (uint32_t)__builtin_popcountll(set[w]);
    }
    return n;
}

static inline bool bits_inside(const uint64_t *set, const uint64_t *of, uint32_t words) {
    for (uint32_t w = 0; w < words; w++) {
        if (set[w] & ~of[w]) {
            return false;
        }
    }
    return true;
}

/* Splits a set in two; false: one of them is empty. `no` may be the set itself. */
static inline bool bits_split(const uint64_t *set, const uint64_t *by, uint32_t words, uint64_t *yes,
                              uint64_t *no) {
    uint64_t any_yes = 0, any_no = 0;
    for (uint32_t w = 0; w < words; w++) {
        any_yes |= yes[w] = set[w] & by[w];
        any_no |= no[w] = set[w] & ~by[w];
    }
    return any_yes != 0 && any_no != 0;
}

#endif
