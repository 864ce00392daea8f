/* Copying and repeating short rows of cells by whole blocks.
 *
 * A row of a puzzle's grid is shorter than it takes to call memcpy. These write up to GRID_SPARE bytes beyond
 * what they are asked for, so rows have to be written in order, into memory that has that much room after the
 * last. */
#ifndef BATT_PRIMS_BYTES_H
#define BATT_PRIMS_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { BYTES_BLOCK = 16, BYTES_BLOCKS = 32 };

/* n cells from `from`, of which nothing at or beyond `end` is read. */
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

/* Eight cells, last first. */
static inline uint64_t bytes_reversed8(const int8_t *from) {
    uint64_t block;
    memcpy(&block, from, sizeof block);
    return __builtin_bswap64(block);
}

/* n cells, last first; what is at or beyond `end` is not read. */
static inline void bytes_reverse(int8_t *to, const int8_t *from, size_t n, const int8_t *end) {
    uint64_t block;
    (void)end; /* read where the lowest byte comes first */
    if (n >= 8) { /* the last block overlaps the one before */
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

/* n times the same cell. */
static inline void bytes_fill(int8_t *to, int8_t cell, size_t n) {
    if (n <= BYTES_BLOCK) {
        memset(to, cell, BYTES_BLOCK);
    } else {
        memset(to, cell, n);
    }
}

#endif
