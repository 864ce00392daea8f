/* Sorting keys: by insertion if there are only a few; by a set of bits if they lie close together, like the
 * cells of one grid; otherwise by radix, byte by byte, skipping bytes in which all keys agree. */
#include "engine/value/bit_positions.h"
#include "engine/value/value.h"

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

/* The smallest and the greatest value of each of the three fields of the keys. */
typedef struct Reach {
    uint32_t low_min, low_max, mid_min, mid_max, top_min, top_max;
} Reach;

INLINE Reach reach_of(const uint32_t *keys, uint32_t n, unsigned low_bits, unsigned mid_bits) {
    const uint32_t low_mask = (1u << low_bits) - 1, mid_mask = (1u << mid_bits) - 1;
    const unsigned top_shift = low_bits + mid_bits;
    uint32_t low_min = low_mask, low_max = 0, mid_min = mid_mask, mid_max = 0, top_min = UINT32_MAX,
             top_max = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t low = keys[k] & low_mask, mid = keys[k] >> low_bits & mid_mask;
        low_min = low < low_min ? low : low_min;
        low_max = low > low_max ? low : low_max;
        mid_min = mid < mid_min ? mid : mid_min;
        mid_max = mid > mid_max ? mid : mid_max;
        if (top_shift < 32) {
            uint32_t top = keys[k] >> (top_shift & 31);
            top_min = top < top_min ? top : top_min;
            top_max = top > top_max ? top : top_max;
        }
    }
    return (Reach){low_min, low_max, mid_min, mid_max, top_shift < 32 ? top_min : 0, top_max};
}

/* One or more whole words per row, for keys whose lowest field is a column: the part of the key that a word
 * has in common is computed only once. 0: there are too many words. */
enum { WORDS = 512 };
INLINE uint32_t sort_rows(uint32_t *keys, uint32_t n, const Reach *r, unsigned low_bits, unsigned mid_bits) {
    uint32_t across = (r->low_max - r->low_min) / 64 + 1, down = r->mid_max - r->mid_min + 1,
             tops = r->top_max - r->top_min + 1;
    uint64_t bits[WORDS];
    if ((uint64_t)across * down * tops > WORDS) {
        return 0;
    }
    memset(bits, 0, (size_t)across * down * tops * sizeof *bits);
    const uint32_t mid_mask = (1u << mid_bits) - 1, low_mask = (1u << low_bits) - 1;
    const unsigned top_shift = low_bits + mid_bits;
    const bool simple = across == 1 && tops == 1; /* a shift by a key is one by its column, modulo 64 */
#pragma GCC unroll 4
    for (uint32_t k = 0; simple && k < n; k++) {
        bits[(keys[k] >> low_bits & mid_mask) - r->mid_min] |= (uint64_t)1 << ((keys[k] - r->low_min) % 64);
    }
    enum { CHUNK = 128 };
    uint32_t at[CHUNK]; /* found for many keys at once, before any bit is set */
    for (uint32_t from = simple ? n : 0, m; from < n; from += m) {
        m = n - from < CHUNK ? n - from : CHUNK;
        for (uint32_t k = 0; k < m; k++) {
            uint32_t key = keys[from + k], low = (key & low_mask) - r->low_min,
                     mid = (key >> low_bits & mid_mask) - r->mid_min,
                     top = top_shift < 32 ? (key >> (top_shift & 31)) - r->top_min : 0;
            at[k] = (top * down + mid) * across * 64 + low;
        }
#pragma GCC unroll 4
        for (uint32_t k = 0; k < m; k++) {
            bits[at[k] / 64] |= (uint64_t)1 << (at[k] % 64);
        }
    }
    uint32_t kept = 0;
    const uint64_t *word = bits;
    for (uint32_t top = 0; top < tops; top++) {
        uint32_t first = top_shift < 32 ? (top + r->top_min) << (top_shift & 31) : 0;
        for (uint32_t mid = r->mid_min; mid <= r->mid_max; mid++) {
            for (uint32_t w = 0; w < across; w++, word++) {
                uint32_t base = first | mid << low_bits | (r->low_min + 64 * w);
                if (n - kept >= 64 + BIT_POSITIONS_SPARE) {
                    kept = (uint32_t)(bit_positions_write(*word, base, keys + kept) - keys);
                    continue;
                }
                for (uint64_t left = *word; left != 0; left &= left - 1) {
                    keys[kept++] = base + (uint32_t)__builtin_ctzll(left);
                }
            }
        }
    }
    return kept;
}

/* A key has three fields, each with few values for a patch of ordinary size. Less their smallest values, the
 * fields side by side number a bit; the set bits come out in order and without duplicates. */
uint32_t keys_sort_bits(Kind kind, uint32_t *keys, uint32_t n) {
    enum { SPARSE = 4 };
    const unsigned low_bits = kind == VAL_INDICES ? 16 : kind == VAL_OBJ_CORE ? 12 : 8;
    const unsigned mid_bits = kind == VAL_INDICES ? 16 : 12;
    const uint32_t low_mask = (1u << low_bits) - 1, mid_mask = (1u << mid_bits) - 1;
    const unsigned top_shift = low_bits + mid_bits;
    Reach reach = kind == VAL_INDICES    ? reach_of(keys, n, 16, 16)
                  : kind == VAL_OBJ_CORE ? reach_of(keys, n, 12, 12)
                                         : reach_of(keys, n, 8, 12);
    const uint32_t low_min = reach.low_min, low_max = reach.low_max, mid_min = reach.mid_min,
                   mid_max = reach.mid_max, top_min = reach.top_min, top_max = reach.top_max;
    unsigned low_width = 32 - (unsigned)__builtin_clz((low_max - low_min) | 1);
    unsigned mid_width = 32 - (unsigned)__builtin_clz((mid_max - mid_min) | 1);
    uint64_t words = (((uint64_t)(top_max - top_min) + 1) << (low_width + mid_width)) / 64 + 1;
    if (words > WORDS || words > 64 + (uint64_t)SPARSE * n) {
        return 0;
    }
    uint32_t in_rows = kind == VAL_INDICES    ? sort_rows(keys, n, &reach, 16, 16)
                       : kind == VAL_OBJ_CORE ? sort_rows(keys, n, &reach, 12, 12)
                                              : 0;
    if (in_rows != 0) {
        return in_rows;
    }
    uint64_t bits[WORDS + 1];
    memset(bits, 0, words * sizeof *bits);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t low = (keys[k] & low_mask) - low_min, mid = (keys[k] >> low_bits & mid_mask) - mid_min;
        /* an index has no third field */
        uint32_t top = (uint32_t)((uint64_t)keys[k] >> top_shift) - top_min;
        uint32_t at = (top << mid_width | mid) << low_width | low;
        bits[at / 64] |= (uint64_t)1 << (at % 64);
    }
    uint32_t kept = 0;
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
            uint32_t at = 64 * word + (uint32_t)__builtin_ctzll(left);
            uint32_t low = (at & ((1u << low_width) - 1)) + low_min;
            uint32_t mid = (at >> low_width & ((1u << mid_width) - 1)) + mid_min;
            uint64_t top = (at >> (low_width + mid_width)) + top_min;
            keys[kept++] = (uint32_t)(top << top_shift) | mid << low_bits | low;
        }
    }
    return kept;
}
