/* Bit rows: the cells of one color as bits, 64 to a word.
 *
 * bits_equal() turns a whole grid into one string of bits, from which a row of up to 64 columns is read with
 * a shift. Neighbours, flood fill and matching then take a few word operations per row. */
#ifndef BATT_ENGINE_ARCDSL_BITS_H
#define BATT_ENGINE_ARCDSL_BITS_H

#include "base/check.h"
#include "engine/value/bit_positions.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

enum { BITS_WIDTH = 64 }; /* widest row */

/* Words needed for n cells: one more than the bits fill, so that bits_row can always read two. */
static inline size_t bits_words(size_t n) {
    return n / 64 + 2;
}

/* Bit k is set if cells[k] == color, for 16 cells. */
static inline uint64_t bits_equal16(const int8_t *cells, int8_t color) {
#ifdef __SSE2__
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)cells);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(color)));
#else
    uint64_t bits = 0;
    for (unsigned k = 0; k < 16; k++) {
        bits |= (uint64_t)(cells[k] == color) << k;
    }
    return bits;
#endif
}

/* Bit k is set if a[k] == b[k], for 16 cells. */
static inline uint64_t bits_same16(const int8_t *a, const int8_t *b) {
#ifdef __SSE2__
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a),
            y = _mm_loadu_si128((const __m128i *)(const void *)b);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
#else
    uint64_t bits = 0;
    for (unsigned k = 0; k < 16; k++) {
        bits |= (uint64_t)(a[k] == b[k]) << k;
    }
    return bits;
#endif
}

static inline uint64_t bits_same64(const int8_t *a, const int8_t *b) {
#ifdef __AVX2__
    uint64_t half[2];
    for (unsigned k = 0; k < 2; k++) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(a + 32 * k)),
                y = _mm256_loadu_si256((const __m256i *)(const void *)(b + 32 * k));
        half[k] = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y));
    }
    return half[0] | half[1] << 32;
#else
    return bits_same16(a, b) | bits_same16(a + 16, b + 16) << 16 | bits_same16(a + 32, b + 32) << 32 |
           bits_same16(a + 48, b + 48) << 48;
#endif
}

/* The same for one color. */
static inline uint64_t bits_equal64(const int8_t *cells, int8_t color) {
#ifdef __AVX2__
    uint64_t half[2];
    for (unsigned k = 0; k < 2; k++) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(cells + 32 * k));
        half[k] = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_set1_epi8(color)));
    }
    return half[0] | half[1] << 32;
#else
    return bits_equal16(cells, color) | bits_equal16(cells + 16, color) << 16 |
           bits_equal16(cells + 32, color) << 32 | bits_equal16(cells + 48, color) << 48;
#endif
}

/* words has room for bits_words(n); bits beyond the last cell are 0. */
static inline void bits_equal(const int8_t *cells, size_t n, int8_t color, uint64_t *words) {
    size_t at = 0;
    for (; at + 64 <= n; at += 64) {
        *words++ = bits_equal64(cells + at, color);
    }
    uint64_t last = 0;
    unsigned shift = 0;
    for (; at + 16 <= n; at += 16, shift += 16) {
        last |= bits_equal16(cells + at, color) << shift;
    }
    if (at < n) {
        int8_t rest[16];
        memset(rest, ~color, sizeof rest);
        memcpy(rest, cells + at, n - at);
        last |= bits_equal16(rest, color) << shift;
    }
    words[0] = last;
    words[1] = 0;
}

/* The w bits from bit `at` on, 0 < w <= 64. */
static inline uint64_t bits_row(const uint64_t *words, size_t at, unsigned w) {
    ASSERT(w > 0 && w <= BITS_WIDTH, "w %u", w);
    const uint64_t *word = words + at / 64;
    unsigned shift = at % 64;
    uint64_t row = word[0] >> shift | word[1] << 1 << (63 - shift);
    return row & ~(uint64_t)0 >> (64 - w);
}

/* Copies the keys whose number is not 0 to `kept`, which has room for all n; returns how many there are. */
static inline uint32_t bits_keep(const uint32_t *keys, const int32_t *numbers, uint32_t n, uint32_t *kept) {
    uint32_t k = 0, at = 0;
#ifdef __AVX2__
    for (; k + 8 <= n; k += 8) { /* at <= k, so eight can be written */
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(keys + k)),
                y = _mm256_loadu_si256((const __m256i *)(const void *)(numbers + k));
        __m256i none = _mm256_cmpeq_epi32(y, _mm256_setzero_si256());
        unsigned set = ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(none)) & 255;
        __m128i places = _mm_loadl_epi64((const __m128i *)(const void *)bit_positions[set]);
        __m256i front = _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(places));
        _mm256_storeu_si256((__m256i *)(void *)(kept + at), front);
        at += (unsigned)__builtin_popcount(set);
    }
#endif
    for (; k < n; k++) {
        kept[at] = keys[k];
        at += numbers[k] != 0;
    }
    return at;
}

#endif
