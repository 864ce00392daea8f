/* Sorting keys: insertion for a handful, byte-wise radix beyond, skipping bytes in which all keys agree. */
#include "core/value.h"

#include <string.h>

enum { FEW = 24 };

static void insertion_sort(uint32_t *keys, uint32_t n) {
    for (uint32_t k = 1; k < n; k++) {
        uint32_t key = keys[k], at = k;
        for (; at > 0 && keys[at - 1] > key; at--) {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
}

static void radix_sort(uint32_t *keys, uint32_t n, uint32_t *tmp) {
    uint32_t counts[4][256];
    memset(counts, 0, sizeof counts);
    for (uint32_t k = 0; k < n; k++) {
        for (unsigned byte = 0; byte < 4; byte++) {
            counts[byte][keys[k] >> (8 * byte) & 255]++;
        }
    }
    uint32_t *from = keys, *to = tmp;
    for (unsigned byte = 0; byte < 4; byte++) {
        unsigned shift = 8 * byte;
        uint32_t *count = counts[byte], start = 0;
        if (count[from[0] >> shift & 255] == n) {
            continue;
        }
        for (unsigned digit = 0; digit < 256; digit++) {
            uint32_t c = count[digit];
            count[digit] = start;
            start += c;
        }
        for (uint32_t k = 0; k < n; k++) {
            to[count[from[k] >> shift & 255]++] = from[k];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys) {
        memcpy(keys, from, (size_t)n * sizeof *keys);
    }
}

uint32_t keys_sort_unique(uint32_t *keys, uint32_t n, uint32_t *tmp) {
    if (n == 0) {
        return 0;
    }
    if (n <= FEW) {
        insertion_sort(keys, n);
    } else {
        radix_sort(keys, n, tmp);
    }
    uint32_t kept = 1;
    for (uint32_t k = 1; k < n; k++) {
        keys[kept] = keys[k];
        kept += keys[k] != keys[kept - 1];
    }
    return kept;
}
