/* Counting colors; see colors.h. Ten colors are counted by comparing 16 or 32 cells at once: for a puzzle's
 * grid that takes a few instructions per color, whereas a table of counters would wait for its own stores. */
#include "engine/arcdsl/colors.h"

#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#define LANES 32
#else
#define LANES 16
#endif
enum { MAX_BLOCKS = 255 }; /* because each lane counts in a byte */
typedef uint8_t Lanes __attribute__((vector_size(LANES)));
typedef uint16_t Lanes16 __attribute__((vector_size(LANES)));
typedef uint64_t Lanes64 __attribute__((vector_size(LANES)));

/* Each color in all lanes: reading them takes less than making them in every call. */
#define LANES_OF(color) \
    { [0 ... LANES - 1] = (color) }
static const _Alignas(LANES) int8_t everywhere[10][LANES] = {
    LANES_OF(0), LANES_OF(1), LANES_OF(2), LANES_OF(3), LANES_OF(4),
    LANES_OF(5), LANES_OF(6), LANES_OF(7), LANES_OF(8), LANES_OF(9)};

/* The sums of the lanes of ten vectors. */
static inline void lane_sums(const Lanes v[10], uint32_t to[10]) {
#ifdef __AVX2__
    /* four partial sums for each of two vectors, which take turns */
    __m256i zero = _mm256_setzero_si256(), two[5];
#pragma GCC unroll 5
    for (unsigned k = 0; k < 5; k++) {
        two[k] = _mm256_or_si256(_mm256_sad_epu8((__m256i)v[2 * k], zero),
                                 _mm256_slli_epi64(_mm256_sad_epu8((__m256i)v[2 * k + 1], zero), 32));
    }
#pragma GCC unroll 3
    for (unsigned k = 0; k < 5; k += 2) {
        __m256i next = k < 4 ? two[k + 1] : zero;
        __m256i four =
            _mm256_add_epi32(_mm256_unpacklo_epi64(two[k], next), _mm256_unpackhi_epi64(two[k], next));
        __m128i all = _mm_add_epi32(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));
        memcpy(to + 2 * k, &all, k < 4 ? 16 : 8);
    }
#else
    for (unsigned c = 0; c < 10; c++) {
        Lanes16 pairs = ((Lanes16)v[c] & 0xff) + ((Lanes16)v[c] >> 8);
        Lanes64 quads = (Lanes64)pairs;
        uint64_t sum = 0;
        for (int k = 0; k < LANES / 8; k++) {
            sum += quads[k];
        }
        to[c] = (uint32_t)(sum * 0x0001000100010001u >> 48);
    }
#endif
}

static Lanes load(const int8_t *cells) {
    Lanes v;
    memcpy(&v, cells, sizeof v);
    return v;
}

/* The last n % LANES of n cells; the remaining lanes hold no color. */
static inline Lanes rest_lanes(const int8_t *cells, size_t n) {
    static const int8_t blot[2 * LANES] = {[0 ... LANES - 1] = -1};
    if (LIKELY(n >= LANES)) { /* cells that were counted before are read again, and blotted out */
        return load(cells + n - LANES) | load(blot + n % LANES);
    }
    Lanes v = (Lanes){0} + 0xff;
    memcpy(&v, cells, n);
    return v;
}

bool colors_count10(const int8_t *cells, size_t n, uint32_t count[10]) {
    size_t blocks = n / LANES, left = n;
    if (blocks >= MAX_BLOCKS) {
        uint32_t all[256];
        colors_count(cells, n, all);
        for (int c = 0; c < 10; c++) {
            count[c] = all[c + 128];
            left -= count[c];
        }
        return left == 0;
    }
    Lanes sum[10] = {{0}}, v = rest_lanes(cells, n);
    for (;;) { /* what is left, then the whole blocks, the last one first */
#pragma GCC unroll 10
        for (unsigned c = 0; c < 10; c++) {
            sum[c] -= (Lanes)(v == load(everywhere[c]));
        }
        if (blocks == 0) {
            break;
        }
        v = load(cells + --blocks * LANES);
    }
    lane_sums(sum, count);
    for (unsigned c = 0; c < 10; c++) {
        left -= count[c];
    }
    return left == 0;
}

void colors_count(const int8_t *cells, size_t n, uint32_t count[256]) {
    memset(count, 0, 256 * sizeof *count);
    for (size_t k = 0; k < n; k++) {
        count[cells[k] + 128]++;
    }
}

/* The color with the highest (lowest nonzero) count; ties go to the smallest. */
static int pick(const uint32_t *count, int colors, bool least) {
    int best = -1;
    for (int c = 0; c < colors; c++) {
        if (count[c] != 0 && (best < 0 || (least ? count[c] < count[best] : count[c] > count[best]))) {
            best = c;
        }
    }
    return best;
}

static bool common(Val grid, bool least, int64_t *color) {
    size_t n = (size_t)grid.n * grid.w;
    uint32_t count[256];
    if (n == 0) {
        return false;
    }
    if (LIKELY(colors_count10(grid.b8, n, count))) {
        *color = pick(count, 10, least);
    } else {
        colors_count(grid.b8, n, count);
        *color = pick(count, 256, least) - 128;
    }
    return true;
}

bool grid_mostcolor(Val grid, int64_t *color) {
    return common(grid, false, color);
}

bool grid_leastcolor(Val grid, int64_t *color) {
    return common(grid, true, color);
}

/* ---- the plain way ---- */

Val *colors_entries(Ctx *ctx, Val rows, uint32_t *n, Reason *why) {
    uint64_t total = 0;
    *why = FAIL_TYPE;
    if (!val_is_container(rows)) {
        return NULL;
    }
    uint32_t h = val_len(rows);
    for (uint32_t k = 0; k < h; k++) {
        Val row = val_at(rows, k);
        if (!val_is_container(row)) {
            return NULL;
        }
        if (!ctx_check_time_at(ctx, k)) {
            *why = FAIL_TIME;
            return NULL;
        }
        total += val_len(row);
    }
    *why = FAIL_LIMIT;
    if (total > LIMIT_ELEMENTS) {
        return NULL;
    }
    Val *entries = val_buffer(ctx, total), *at = entries;
    if (entries == NULL) {
        *why = (Reason)ctx->exhausted;
        return NULL;
    }
    for (uint32_t k = 0; k < h; k++) {
        Val row = val_at(rows, k);
        for (uint32_t j = 0; j < val_len(row); j++) {
            *at++ = val_at(row, j);
            if (!ctx_check_time_at(ctx, (size_t)(at - entries))) {
                *why = FAIL_TIME;
                return NULL;
            }
        }
    }
    *n = (uint32_t)total;
    return entries;
}

static uint32_t rank_of(Val distinct, Val v) { /* v is an element of the set */
    uint32_t lo = 0, hi = val_len(distinct) - 1;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (val_cmp(val_at(distinct, mid), v) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* Ragged rows of colors are counted like a grid. False: some entries are not bytes. */
static bool common_of_bytes(const Val *entries, uint32_t n, bool least, Val *color) {
    uint32_t count[256] = {0};
    for (uint32_t k = 0; k < n; k++) {
        if (entries[k].kind != VAL_INT || entries[k].i != (int8_t)entries[k].i) {
            return false;
        }
        count[entries[k].i + 128]++;
    }
    *color = val_int(pick(count, 256, least) - 128);
    return true;
}

static Val common_plain(Ctx *ctx, Val rows, bool least) {
    Reason why;
    int64_t common;
    if (FAST_PATH(ctx) && rows.kind == VAL_GRID8 && rows.w != 0) { /* charged as if entries were made */
        if (val_buffer(ctx, (size_t)rows.n * rows.w) == NULL) {
            return val_fail_budget(ctx);
        }
        bool found = least ? grid_leastcolor(rows, &common) : grid_mostcolor(rows, &common);
        return found ? val_int(common) : val_fail(FAIL_EMPTY);
    }
    uint32_t n = 0;
    Val *entries = colors_entries(ctx, rows, &n, &why), color;
    if (entries == NULL) {
        return val_fail(why);
    }
    if (n == 0) {
        return val_fail(FAIL_EMPTY);
    }
    if (FAST_PATH(ctx) && common_of_bytes(entries, n, least, &color)) {
        return color;
    }
    Val *copy = val_buffer(ctx, n);
    uint32_t *count = key_buffer(ctx, n);
    if (copy == NULL || count == NULL || !ctx_copy(ctx, copy, entries, n * sizeof *copy) ||
        !ctx_clear(ctx, count, n * sizeof *count)) {
        return val_fail_budget(ctx);
    }
    Val distinct = val_set(ctx, copy, n);
    if (val_failed(distinct)) {
        return distinct;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!ctx_charge(ctx, 1 + 8 * val_cost(entries[k], entries[k]))) {
            return val_fail_budget(ctx);
        }
        count[rank_of(distinct, entries[k])]++;
    }
    return val_at(distinct, (uint32_t)pick(count, (int)val_len(distinct), least));
}

Val colors_most(Ctx *ctx, Val rows) {
    return common_plain(ctx, rows, false);
}

Val colors_least(Ctx *ctx, Val rows) {
    return common_plain(ctx, rows, true);
}
