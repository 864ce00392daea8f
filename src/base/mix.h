/* Mixes numbers into a hash that is used only within the process. Hashes that are saved in files or
 * decide an order are other functions, which must not change. */
#ifndef BATT_BASE_MIX_H
#define BATT_BASE_MIX_H

#include <stdint.h>

#define MIX_FACTOR UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio, odd */

/* The upper bits are the best mixed. */
static inline uint64_t mix64(uint64_t hash, uint64_t x) {
    hash = (hash ^ x) * MIX_FACTOR;
    return hash ^ hash >> 29;
}

#endif
