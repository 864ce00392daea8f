/* Copying and repeating short rows of cells in whole blocks.
 *
 * Copying a row of a puzzle's grid takes less time than a call of memcpy. These functions write up to
 * GRID_SPARE bytes beyond what they are asked for, so rows have to be written in order, into memory with that
 * much room after the last one. */
#ifndef BATT_ENGINE_ARCDSL_BYTES_H
#define BATT_ENGINE_ARCDSL_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BYTES_BLOCK = 16, BYTES_BLOCKS = 32 };

/* Copies n cells; reads nothing at or beyond `end`. */
static inline void bytes_copy(int8_t *to, const int8_t *from, size_t n, const int8_t *end) {
    if (n <= BYTES_BLOCK && end - from >= BYTES_BLOCK) {
        int8_t block[BYTES_BLOCK];
        memcpy(block, from, sizeof block);
        memcpy(to, block, sizeof block);
    } else if (n <= BYTES_BLOCKS && end - from >= BYTES_BLOCKS) {
        int8_t block[BYTES_BLOCKS];
        memcpy(block, from, sizeof block);
        memcpy(to, block, sizeof block);
    } else {
        memcpy(to, from, n);
    }
}

/* Copies n cells and touches nothing else, in two overlapping blocks or several. */
static inline void bytes_copy_exactly(int8_t *to, const int8_t *from, size_t n) {
    enum { FEW = 16 * BYTES_BLOCK };
    if (n >= BYTES_BLOCK && n <= FEW) {
        int8_t block[BYTES_BLOCK], last[BYTES_BLOCK];
        memcpy(last, from + n - BYTES_BLOCK, sizeof last);
        for (size_t k = 0; k + BYTES_BLOCK < n; k += BYTES_BLOCK) {
            memcpy(block, from + k, sizeof block);
            memcpy(to + k, block, sizeof block);
        }
        memcpy(to + n - BYTES_BLOCK, last, sizeof last);
    } else if (n >= 8 && n < BYTES_BLOCK) {
        uint64_t first, last;
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + n - 8, sizeof last);
        memcpy(to, &first, sizeof first);
        memcpy(to + n - 8, &last, sizeof last);
    } else {
        memcpy(to, from, n);
    }
}

/* Eight cells in reverse order. */
static inline uint64_t bytes_reversed8(const int8_t *from) {
    uint64_t block;
    memcpy(&block, from, sizeof block);
    return __builtin_bswap64(block);
}

/* Copies n cells in reverse order; reads nothing at or beyond `end`. */
static inline void bytes_reverse(int8_t *to, const int8_t *from, size_t n, const int8_t *end) {
    uint64_t block;
    (void)end;    /* used only on little-endian machines */
    if (n >= 8) { /* the last block overlaps the one before it */
        for (size_t k = 0; k + 8 <= n; k += 8) {
            block = bytes_reversed8(from + k);
            memcpy(to + n - 8 - k, &block, sizeof block);
        }
        block = bytes_reversed8(from + n - 8);
        memcpy(to, &block, sizeof block);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    } else if (n > 0 && end - from >= 8) {
        block = bytes_reversed8(from) >> 8 * (8 - n);
        memcpy(to, &block, sizeof block);
#endif
    } else {
        for (size_t k = 0; k < n; k++) {
            to[k] = from[n - 1 - k];
        }
    }
}

/* Writes the same cell n times. */
static inline void bytes_fill(int8_t *to, int8_t cell, size_t n) {
    if (n <= BYTES_BLOCK) {
        memset(to, cell, BYTES_BLOCK);
    } else {
        memset(to, cell, n);
    }
}

#endif
