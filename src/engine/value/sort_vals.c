/* Sorting values into sets.
 *
 * Most of the sets that programs make are sets of patches: results of apply, prapply, objects. Two patches
 * usually differ within their first two cells, so the keys of these are combined into a number, and patches
 * are only compared where these numbers are equal. The same goes for the first bytes of rows and grids. All
 * other values are compared as values. */
#include "engine/value/value.h"

#include <endian.h>
#include <string.h>

enum { RUN = 8 }; /* items sorted by insertion before runs are merged */

typedef struct Ranked {
    uint64_t rank; /* the patch of lower rank is the lesser one */
    uint32_t at;
} Ranked;

/* The thing that is moved: a value, or the position of one with its rank. */
typedef union Item {
    Val value;
    Ranked ranked;
} Item;

typedef struct Sorting {
    Ctx *ctx;
    const Val *values; /* that `at` of ranked items refers to */
    bool timed;        /* the clock is checked before values are compared */
    bool spent;        /* out of budget */
} Sorting;

/* What differs between sorting values and sorting ranked patches. Each sort is compiled separately, with
 * these calls inlined. */
typedef bool SortBefore(Sorting *sorting, const Item *a, const Item *b);
typedef bool SortPay(const Sorting *sorting, const Item *items, uint32_t lo, uint32_t hi, uint32_t width);

/* Stable bottom-up merge sort, with runs of eight sorted by insertion. `pay_range` charges for a run (width
 * 0) or a merge before it is done, `pay_place` while places are filled. False: out of budget. */
INLINE bool merge_sort(Sorting *sorting, Item *items, Item *tmp, uint32_t n, SortBefore *before,
                       SortPay *pay_range, SortPay *pay_place) {
    for (uint32_t lo = 0; lo < n; lo += RUN) {
        uint32_t hi = lo + RUN < n ? lo + RUN : n;
        if (!pay_range(sorting, items, lo, hi, 0)) {
            return false;
        }
        for (uint32_t k = lo + 1; k < hi; k++) {
            Item item = items[k];
            uint32_t at = k;
            for (; at > lo && before(sorting, &item, &items[at - 1]); at--) {
                items[at] = items[at - 1];
            }
            items[at] = item;
        }
        if (sorting->spent) {
            return false;
        }
    }
    for (uint32_t width = RUN; width < n; width *= 2) {
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            uint32_t mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
            uint32_t a = lo, b = mid, at = lo;
            if (!pay_range(sorting, items, lo, hi, width)) {
                return false;
            }
            while (a < mid && b < hi) {
                if (!pay_place(sorting, items, at, hi, width) || sorting->spent) {
                    return false;
                }
                tmp[at++] = before(sorting, &items[b], &items[a]) ? items[b++] : items[a++];
            }
            memcpy(tmp + at, items + a, (mid - a) * sizeof *tmp);
            memcpy(tmp + at + (mid - a), items + b, (hi - b) * sizeof *tmp);
        }
        memcpy(items, tmp, n * sizeof *items);
    }
    return !sorting->spent;
}

/* ---- values ---- */

/* When time is up, values count as equal, and the sort soon ends. */
static inline bool value_before(Sorting *sorting, const Item *a, const Item *b) {
    return (!sorting->timed || val_check_time(sorting->ctx, b->value, a->value)) &&
           val_cmp_inline(b->value, a->value) > 0;
}

/* In a merge each comparison puts one item in its place, so a pass over the items costs no more than their
 * weight. */
static inline bool pay_weight(const Sorting *sorting, const Item *items, uint32_t lo, uint32_t hi,
                              uint32_t width) {
    uint64_t weight = vals_weight(&items[lo].value, hi - lo);
    return ctx_charge(sorting->ctx, width == 0 ? weight * RUN / (2 * STEP_WEIGHT) : weight / STEP_WEIGHT);
}

static inline bool pay_nothing(const Sorting *sorting, const Item *items, uint32_t lo, uint32_t hi,
                               uint32_t width) {
    (void)sorting, (void)items, (void)lo, (void)hi, (void)width;
    return true;
}

static bool sort_values(Ctx *ctx, Val *values, Val *tmp, uint32_t n) {
    Sorting sorting = {.ctx = ctx, .timed = ctx->budget.time_ns != 0};
    return merge_sort(&sorting, (Item *)values, (Item *)tmp, n, value_before, pay_weight, pay_nothing) &&
           ctx->exhausted == FAIL_NONE;
}

/* ---- patches ---- */

/* Ranks for patches of one kind and empty sets, and the cells of the largest. A patch of one cell has 0 for
 * its second key, which is less than any other. False: there are other values, or time is up. */
static bool rank_all(Ctx *ctx, const Val *values, uint32_t n, Item *to, uint32_t *largest) {
    unsigned kind = VAL_SET;
    *largest = 0;
    for (uint32_t k = 0; k < n; k++) {
        Val v = values[k];
        if (!ctx_check_time_at(ctx, k)) {
            return false;
        }
        uint64_t rank = 0;
        if (val_is_keys(v) && (v.kind == kind || kind == VAL_SET)) {
            kind = v.kind;
            rank = (uint64_t)v.k[0] << 32 | (v.n > 1 ? v.k[1] : 0);
        } else if (v.kind != VAL_SET || v.n != 0) {
            return false;
        }
        *largest = v.n > *largest ? v.n : *largest;
        to[k].ranked = (Ranked){rank, k};
    }
    return true;
}

static inline bool ranked_before(Sorting *sorting, const Item *a, const Item *b) {
    if (LIKELY(a->ranked.rank != b->ranked.rank)) {
        return a->ranked.rank < b->ranked.rank;
    }
    Val x = sorting->values[a->ranked.at], y = sorting->values[b->ranked.at];
    sorting->spent |= !ctx_charge(sorting->ctx, val_cost(x, y));
    return !sorting->spent && val_cmp(x, y) < 0;
}

/* Comparing ranks is cheap, so one charge covers many places. Short merges end before a place that is charged
 * for, so the clock is also checked where they begin. */
static inline bool pay_runs(const Sorting *sorting, const Item *items, uint32_t lo, uint32_t hi,
                            uint32_t width) {
    (void)items, (void)hi;
    if (width != 0) {
        return lo % TIME_CHECK_ITEMS != 0 || ctx_check_time(sorting->ctx);
    }
    return lo % TIME_CHECK_ITEMS != TIME_CHECK_ITEMS - RUN || ctx_charge(sorting->ctx, TIME_CHECK_ITEMS / 8);
}

static inline bool pay_places(const Sorting *sorting, const Item *items, uint32_t at, uint32_t hi,
                              uint32_t width) {
    (void)items, (void)hi, (void)width;
    return at % TIME_CHECK_ITEMS != TIME_CHECK_ITEMS - 1 || ctx_charge(sorting->ctx, TIME_CHECK_ITEMS / 8);
}

static bool sort_ranked(Ctx *ctx, const Val *values, Item *ranked, Item *tmp, uint32_t n) {
    Sorting sorting = {.ctx = ctx, .values = values};
    return merge_sort(&sorting, ranked, tmp, n, ranked_before, pay_runs, pay_places);
}

/* A group of neighboring bits of ranks. */
typedef struct BitGroup {
    uint8_t shift, width;
} BitGroup;

/* The groups of bits in which ranks differ, lowest first: those of patches have one for each field of a key,
 * a few bits wide. Returns how many; 0: together they are too wide. */
static uint32_t bit_groups(uint64_t differing, BitGroup *groups, uint32_t max) {
    enum { WIDEST = 32 };
    uint32_t n = 0;
    if (__builtin_popcountll(differing) > WIDEST) {
        return 0;
    }
    for (unsigned shift = 0, width; differing >> shift != 0; shift += width) {
        shift += (unsigned)__builtin_ctzll(differing >> shift);
        width = (unsigned)__builtin_ctzll(~(differing >> shift));
        if (n == max) {
            return 0;
        }
        groups[n++] = (BitGroup){(uint8_t)shift, (uint8_t)width};
        if (shift + width >= 64) {
            break;
        }
    }
    return n;
}

/* Ascending, in either half of keys[2 * n]. */
static const uint64_t *sort_numbers(uint64_t *keys, uint32_t n) {
    for (uint32_t lo = 0; lo < n; lo += RUN) {
        uint32_t hi = lo + RUN < n ? lo + RUN : n;
        for (uint32_t k = lo + 1; k < hi; k++) {
            uint64_t key = keys[k];
            uint32_t at = k;
            for (; at > lo && key < keys[at - 1]; at--) {
                keys[at] = keys[at - 1];
            }
            keys[at] = key;
        }
    }
    uint64_t *from = keys, *to = keys + n;
    for (uint32_t width = RUN; width < n; width *= 2) {
        uint64_t *at = to;
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            const uint64_t *a = from + lo, *mid = from + (lo + width < n ? lo + width : n), *b = mid,
                           *end = from + (lo + 2 * width < n ? lo + 2 * width : n);
            while (a < mid && b < end) {
                bool second = *b < *a;
                *at++ = second ? *b : *a;
                b += second;
                a += !second;
            }
            for (; a < mid; a++) {
                *at++ = *a;
            }
            for (; b < end; b++) {
                *at++ = *b;
            }
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* By rank, and items of equal rank in their order, into `to`. The bits that differ are put together with the
 * position in one number. `keys` has room for two numbers for each item. False: ranks differ in too much. */
static bool sort_ranks(const Item *ranked, Item *to, uint64_t *keys, uint32_t n) {
    enum { GROUPS = 8 };
    BitGroup groups[GROUPS];
    uint64_t differing = 0;
    for (uint32_t k = 1; k < n; k++) {
        differing |= ranked[k].ranked.rank ^ ranked[0].ranked.rank;
    }
    uint32_t m = bit_groups(differing, groups, GROUPS);
    if (m == 0 && differing != 0) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        keys[k] = k;
    }
    unsigned shift = 32;
    for (uint32_t g = 0; g < m; g++) {
        uint64_t mask = ((uint64_t)1 << groups[g].width) - 1;
        for (uint32_t k = 0; k < n; k++) {
            keys[k] |= (ranked[k].ranked.rank >> groups[g].shift & mask) << shift;
        }
        shift += groups[g].width;
    }
    const uint64_t *sorted = m != 0 ? sort_numbers(keys, n) : keys;
    for (uint32_t k = 0; k < n; k++) {
        to[k] = ranked[(uint32_t)sorted[k]];
    }
    return true;
}

/* Values whose comparing costs no steps (see ranked_before), so that they can be sorted in any way; those of
 * equal rank are compared, and most duplicates dropped. Returns where they are: in `ranked` or in `tmp`. */
static Item *sort_light(Ctx *ctx, const Val *values, Item *ranked, Item *tmp, uint64_t *keys, uint32_t *n) {
    enum { SOME = 6 };
    if (*n < SOME || !sort_ranks(ranked, tmp, keys, *n)) {
        sort_ranked(ctx, values, ranked, tmp, *n);
        return ranked;
    }
    uint32_t kept = 0;
    for (uint32_t lo = 0, hi; lo < *n; lo = hi) {
        uint32_t from = kept;
        tmp[kept++] = tmp[lo];
        for (hi = lo + 1; hi < *n && tmp[hi].ranked.rank == tmp[lo].ranked.rank; hi++) {
            tmp[kept] = tmp[hi];
            kept += !val_eq(values[tmp[hi].ranked.at], values[tmp[from].ranked.at]);
        }
        if (kept - from > 1) {
            sort_ranked(ctx, values, tmp + from, ranked, kept - from);
        }
    }
    *n = kept;
    return tmp;
}

/* Keeps one of the empty patches, which are often most of them; returns how many are left. */
static uint32_t drop_empty(const Val *values, Item *ranked, uint32_t n) {
    uint32_t m = 0;
    bool empty = false;
    for (uint32_t k = 0; k < n; k++) {
        bool nothing = values[k].n == 0;
        ranked[m] = ranked[k];
        m += !nothing || !empty;
        empty |= nothing;
    }
    return m;
}

/* ---- rows and grids ---- */

/* Ranks for rows of small numbers, or for grids of one width, by their first bytes. False: there are other
 * values, or some whose comparing costs steps. */
static bool rank_rows(const Val *values, uint32_t n, Item *to) {
    const uint64_t signs = 0x8080808080808080;
    unsigned kind = values[0].kind, width = values[0].w;
    if (kind != VAL_GRID8 && kind != VAL_ROW8) {
        return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        Val v = values[k];
        size_t bytes = kind == VAL_GRID8 ? (size_t)v.n * width : v.n;
        if (v.kind != kind || v.w != width || bytes >= (size_t)64 * (STEP_WEIGHT - 1)) {
            return false;
        }
        uint64_t rank = signs; /* what comes after the last byte counts as least */
        if (LIKELY(bytes >= sizeof rank)) {
            memcpy(&rank, v.b8, sizeof rank);
        } else if (bytes != 0) {
            memcpy(&rank, v.b8, bytes);
        }
        to[k].ranked = (Ranked){be64toh(rank ^ signs), k};
    }
    return true;
}

/* Takes the steps that sort_values would take. */
enum { MOST = 4096 };
static bool pay_passes(Ctx *ctx, const Val *values, uint32_t n) {
    uint64_t before[MOST / RUN + 1]; /* weight of all values before a run */
    uint32_t runs = (n + RUN - 1) / RUN;
    ASSERT(n <= MOST, "%u values", n);
    before[0] = 0;
    for (uint32_t r = 0; r < runs; r++) {
        uint64_t weight = vals_weight(values + r * RUN, r + 1 < runs ? RUN : n - r * RUN);
        before[r + 1] = before[r] + weight;
        if (!ctx_charge(ctx, weight * RUN / (2 * STEP_WEIGHT))) {
            return false;
        }
    }
    for (uint32_t width = 1; width < runs; width *= 2) {
        for (uint32_t lo = 0; lo < runs; lo += 2 * width) {
            uint32_t hi = lo + 2 * width < runs ? lo + 2 * width : runs;
            if (!ctx_charge(ctx, (before[hi] - before[lo]) / STEP_WEIGHT)) {
                return false;
            }
        }
    }
    return ctx->exhausted == FAIL_NONE;
}

/* Copies the values in their order, without duplicates; returns how many, 0: out of budget. */
static uint32_t gather_ranked(Ctx *ctx, const Val *values, const Item *items, Val *to, uint32_t n) {
    uint32_t kept = 0;
    uint64_t last = 0;
    for (uint32_t k = 0; k < n; k++) {
        Ranked ranked = items[k].ranked;
        Val v = values[ranked.at];
        if (k % TIME_CHECK_ITEMS == TIME_CHECK_ITEMS - 1 && !ctx_charge(ctx, TIME_CHECK_ITEMS / 8)) {
            return 0;
        }
        if (kept == 0 || ranked.rank != last || !val_eq(v, to[kept - 1])) {
            to[kept++] = v;
            last = ranked.rank;
        }
    }
    return kept;
}

/* At most RUN values, in place; takes the steps that sort_values would take. */
static uint32_t sort_few(Ctx *ctx, Val *items, uint32_t n) {
    uint64_t buffer = n * sizeof *items / 64;
    if (!ctx_charge(ctx, buffer + vals_weight(items, n) * RUN / (2 * STEP_WEIGHT))) {
        return 0;
    }
    uint32_t kept = 1;
    for (uint32_t k = 1; k < n; k++) {
        Val item = items[k];
        uint32_t at = kept;
        int order = 1;
        while (at > 0 && (order = val_cmp_inline(item, items[at - 1])) < 0) {
            at--;
        }
        if (order == 0 && at > 0) {
            continue;
        }
        for (uint32_t to = kept++; to > at; to--) {
            items[to] = items[to - 1];
        }
        items[at] = item;
    }
    return kept;
}

uint32_t vals_sort_unique(Ctx *ctx, Val *items, uint32_t n) {
    if (n < RUN && !val_is_set(items[0]) && ctx->budget.time_ns == 0 && FAST_PATH(ctx)) {
        return sort_few(ctx, items, n);
    }
    CtxMark mark = ctx_mark(ctx);
    Val *tmp = val_buffer(ctx, n);
    if (tmp == NULL || !ctx_charge(ctx, n / 8)) {
        return 0;
    }
    uint32_t kept = 1;
    Item few[2 * 64], *ranked = n <= 64 ? few : NULL;
    bool patches = val_is_set(items[0]) && FAST_PATH(ctx);
    if (patches && ranked == NULL) {
        ranked = ctx_alloc(ctx, 2 * (size_t)n * sizeof *ranked);
        if (ranked == NULL) {
            return 0;
        }
    }
    bool rows = !patches && n <= MOST && FAST_PATH(ctx);
    if (rows && ranked == NULL) { /* written to and left behind, so that it takes no steps */
        rows = ctx_room(ctx) >= 2 * (size_t)n * sizeof *ranked;
        ranked = (Item *)(void *)ctx->top;
    }
    uint32_t largest;
    if (patches && rank_all(ctx, items, n, ranked, &largest)) {
        if (n < TIME_CHECK_ITEMS - RUN && largest < 16 * (STEP_WEIGHT - 1)) {
            Item *other = ranked + n;
            n = drop_empty(items, ranked, n);
            ranked = sort_light(ctx, items, ranked, other, (uint64_t *)tmp, &n);
        } else if (!sort_ranked(ctx, items, ranked, ranked + n, n)) {
            return 0;
        }
        kept = gather_ranked(ctx, items, ranked, tmp, n);
        memcpy(items, tmp, kept * sizeof *items);
    } else if (rows && rank_rows(items, n, ranked)) {
        if (!pay_passes(ctx, items, n)) {
            return 0;
        }
        ranked = sort_light(ctx, items, ranked, ranked + n, (uint64_t *)tmp, &n);
        kept = gather_ranked(ctx, items, ranked, tmp, n);
        memcpy(items, tmp, kept * sizeof *items);
    } else if (sort_values(ctx, items, tmp, n)) {
        for (uint32_t k = 1; k < n; k++) {
            if (!ctx_check_time_at(ctx, k) || !val_check_time(ctx, items[kept - 1], items[k])) {
                return 0;
            }
            if (val_cmp(items[kept - 1], items[k]) != 0) {
                items[kept++] = items[k];
            }
        }
    } else {
        return 0;
    }
    ctx_release(ctx, mark);
    return kept;
}
