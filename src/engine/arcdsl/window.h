/* A window of the plane as rows of bits: one word per row, two if it has more than 64 columns, four if it has
 * more than 128. Functions are inlined with the number of words as a constant. */
#ifndef BATT_ENGINE_ARCDSL_WINDOW_H
#define BATT_ENGINE_ARCDSL_WINDOW_H

#include "engine/arcdsl/packed_patch.h"
#include "engine/value/bit_positions.h"

/* In a loop: one row at a time. There are mostly three rows or less, fewer than it takes to begin with
 * several at once. */
#define ONE_BY_ONE __asm__ volatile("")
enum { FEW_ROWS = 4, ROW_WORDS = 4 };

/* The word w of bits that are moved to column j, which may be negative. */
INLINE uint64_t word_placed(uint64_t bits, int32_t j, uint32_t w) {
    int32_t by = j - 64 * (int32_t)w;
    return by <= -64 || by >= 64 ? 0 : by >= 0 ? bits << by : bits >> -by;
}

/* Sets `row` to the n bits from column j on. */
INLINE void row_set(uint64_t *row, uint32_t j, uint32_t n, const uint32_t words) {
    if (words == 1) {
        row[0] = (n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX) << j;
        return;
    }
    if (words > 2) {
        for (uint32_t w = 0; w < words; w++) {
            uint64_t from = j > 64 * w ? word_placed(UINT64_MAX, (int32_t)j, w) : UINT64_MAX;
            uint64_t beyond = j + n > 64 * w ? word_placed(UINT64_MAX, (int32_t)(j + n), w) : UINT64_MAX;
            row[w] = from & ~beyond;
        }
        return;
    }
    unsigned __int128 bits = (n < 128 ? ((unsigned __int128)1 << n) - 1 : ~(unsigned __int128)0) << j;
    row[0] = (uint64_t)bits;
    row[1] = (uint64_t)(bits >> 64);
}

/* Sets `row` to bits moved to column j. */
INLINE void row_place(uint64_t *row, uint64_t bits, uint32_t j, const uint32_t words) {
    if (words == 1) {
        row[0] = bits << j;
        return;
    }
    if (words > 2) {
        for (uint32_t w = 0; w < words; w++) {
            row[w] = word_placed(bits, (int32_t)j, w);
        }
        return;
    }
    unsigned __int128 all = (unsigned __int128)bits << j;
    row[0] = (uint64_t)all;
    row[1] = (uint64_t)(all >> 64);
}

INLINE void row_shift(uint64_t *to, const uint64_t *from, int32_t by, const uint32_t words) {
    if (words == 1) {
        to[0] = by >= 0 ? from[0] << by : from[0] >> -by;
        return;
    }
    if (words > 2) {
        for (uint32_t w = 0; w < words; w++) {
            to[w] = 0;
            for (uint32_t x = 0; x < words; x++) {
                to[w] |= word_placed(from[x], 64 * (int32_t)x + by, w);
            }
        }
        return;
    }
    unsigned __int128 all = (unsigned __int128)from[1] << 64 | from[0];
    all = by >= 0 ? all << by : all >> -by;
    to[0] = (uint64_t)all;
    to[1] = (uint64_t)(all >> 64);
}

INLINE bool row_has(const uint64_t *row, uint32_t j) {
    return row[j / 64] >> (j % 64) & 1;
}

/* Sets rows `top` up to `end` to the same bits. */
INLINE void rows_fill(uint64_t *rows, uint32_t top, uint32_t end, const uint64_t *bits,
                      const uint32_t words) {
    for (uint32_t k = top; k < end; k++) {
        for (uint32_t w = 0; w < words; w++) {
            rows[k * words + w] = bits[w];
        }
    }
}

INLINE uint32_t rows_count(const uint64_t *rows, uint32_t top, uint32_t end, const uint32_t words) {
    uint32_t n = 0;
    for (uint32_t k = top * words; k < end * words; k++) {
        ONE_BY_ONE;
        n += (uint32_t)__builtin_popcountll(rows[k]);
    }
    return n;
}

/* Whether val_keys would sort so many keys in a box, of so many colors from the first to the last, by a set
 * of bits, which is not charged. */
static inline bool window_sorts(uint64_t total, int64_t height, int64_t width, uint32_t colors) {
    enum { FEW = 24, WORDS = 512, FREE = 64, SPARSE = 4 };
    unsigned low = 32 - (unsigned)__builtin_clz((uint32_t)(width - 1) | 1),
             mid = 32 - (unsigned)__builtin_clz((uint32_t)(height - 1) | 1);
    uint64_t words = ((uint64_t)colors << (low + mid)) / 64 + 1;
    return total > FEW && words <= WORDS && words <= FREE + SPARSE * total;
}

/* Writes the keys of `height` rows; `base` is the key of the first place of the first row, and `down` what
 * keys grow by from row to row. Returns how many. BIT_POSITIONS_SPARE keys more must have room. */
INLINE uint32_t window_keys(const uint64_t *rows, uint32_t height, uint32_t base, uint32_t down,
                            uint32_t *keys, const uint32_t words) {
    uint32_t *to = keys;
    for (uint32_t i = 0; i < height; i++, base += down) {
        for (uint32_t x = 0; x < words; x++) {
            to = bit_positions_write(rows[i * words + x], base + 64 * x, to);
        }
    }
    return (uint32_t)(to - keys);
}

#endif
