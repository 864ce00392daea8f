/* Sorting values into sets.
 *
 * Sets of patches are what programs make most often: of the results of apply, prapply, objects. Two patches
 * mostly differ in their first two cells, so these are put side by side as a number, and only where numbers
 * are equal are patches compared. Everything else is compared as values. */
#include "core/value.h"

#include <string.h>

enum { RUN = 8 }; /* sorted by insertion before runs are merged */

/* Out of time, values pass for equal, and soon the sorting ends. */
static inline int compare(Ctx *ctx, bool timed, Val a, Val b) {
    return !timed || val_look(ctx, a, b) ? val_cmp(a, b) : 0;
}

/* Stable merge sort from the bottom up, runs of eight by insertion. In a merge every comparison puts one item
 * in its place, so that a pass over items costs no more than their weight. False: out of budget. */
static bool sort_values(Ctx *ctx, Val *items, Val *tmp, uint32_t n) {
    const bool timed = ctx->budget.time_ns != 0;
    for (uint32_t lo = 0; lo < n; lo += RUN) {
        uint32_t hi = lo + RUN < n ? lo + RUN : n;
        if (!ctx_charge(ctx, vals_weight(items + lo, hi - lo) * RUN / (2 * STEP_WEIGHT))) {
            return false;
        }
        for (uint32_t k = lo + 1; k < hi; k++) {
            Val v = items[k];
            uint32_t at = k;
            for (; at > lo && compare(ctx, timed, items[at - 1], v) > 0; at--) {
                items[at] = items[at - 1];
            }
            items[at] = v;
        }
    }
    for (uint32_t width = RUN; width < n; width *= 2) {
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            uint32_t mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
            uint32_t a = lo, b = mid, at = lo;
            if (!ctx_charge(ctx, vals_weight(items + lo, hi - lo) / STEP_WEIGHT)) {
                return false;
            }
            while (a < mid && b < hi) {
                tmp[at++] = compare(ctx, timed, items[b], items[a]) < 0 ? items[b++] : items[a++];
            }
            while (a < mid) {
                tmp[at++] = items[a++];
            }
            while (b < hi) {
                tmp[at++] = items[b++];
            }
        }
        memcpy(items, tmp, n * sizeof *items);
    }
    return ctx->exhausted == FAIL_NONE;
}

/* ---- patches ---- */

typedef struct Ranked {
    uint64_t rank; /* of two patches the one of lower rank is the lesser */
    uint32_t at;
} Ranked;

/* Ranks for patches of one kind and empty sets. A patch of one cell has no second key, which is less than
 * any. False: other values, or out of time. */
static bool rank_all(Ctx *ctx, const Val *items, uint32_t n, Ranked *to) {
    unsigned kind = VAL_SET;
    for (uint32_t k = 0; k < n; k++) {
        Val v = items[k];
        if (!ctx_look_at(ctx, k)) {
            return false;
        }
        uint64_t rank = 0;
        if (val_is_keys(v) && (v.kind == kind || kind == VAL_SET)) {
            kind = v.kind;
            rank = (uint64_t)v.k[0] << 32 | (v.n > 1 ? v.k[1] : 0);
        } else if (v.kind != VAL_SET || v.n != 0) {
            return false;
        }
        to[k] = (Ranked){rank, k};
    }
    return true;
}

static inline bool comes_before(Ctx *ctx, const Val *items, Ranked a, Ranked b, bool *spent) {
    if (LIKELY(a.rank != b.rank)) {
        return a.rank < b.rank;
    }
    Val x = items[a.at], y = items[b.at];
    *spent |= !ctx_charge(ctx, val_cost(x, y));
    return !*spent && val_cmp(x, y) < 0;
}

static bool sort_ranked(Ctx *ctx, const Val *items, Ranked *ranked, Ranked *tmp, uint32_t n) {
    bool spent = false;
    for (uint32_t lo = 0; lo < n && !spent; lo += RUN) {
        uint32_t hi = lo + RUN < n ? lo + RUN : n;
        spent = lo % LOOK_ITEMS == LOOK_ITEMS - RUN && !ctx_charge(ctx, LOOK_ITEMS / 8);
        for (uint32_t k = lo + 1; k < hi; k++) {
            Ranked x = ranked[k];
            uint32_t at = k;
            for (; at > lo && comes_before(ctx, items, x, ranked[at - 1], &spent); at--) {
                ranked[at] = ranked[at - 1];
            }
            ranked[at] = x;
        }
    }
    for (uint32_t width = RUN; width < n && !spent; width *= 2) {
        for (uint32_t lo = 0; lo < n && !spent; lo += 2 * width) {
            uint32_t mid = lo + width < n ? lo + width : n, hi = lo + 2 * width < n ? lo + 2 * width : n;
            uint32_t a = lo, b = mid, at = lo;
            while (a < mid && b < hi && !spent) {
                spent = at % LOOK_ITEMS == LOOK_ITEMS - 1 && !ctx_charge(ctx, LOOK_ITEMS / 8);
                tmp[at++] =
                    comes_before(ctx, items, ranked[b], ranked[a], &spent) ? ranked[b++] : ranked[a++];
            }
            memcpy(tmp + at, ranked + a, (mid - a) * sizeof *tmp);
            memcpy(tmp + at + (mid - a), ranked + b, (hi - b) * sizeof *tmp);
        }
        memcpy(ranked, tmp, n * sizeof *ranked);
    }
    return !spent;
}

/* 0: out of budget. */
static uint32_t gather_ranked(Ctx *ctx, const Val *items, const Ranked *ranked, Val *to, uint32_t n) {
    uint32_t kept = 0;
    uint64_t last = 0;
    for (uint32_t k = 0; k < n; k++) {
        Val v = items[ranked[k].at];
        if (k % LOOK_ITEMS == LOOK_ITEMS - 1 && !ctx_charge(ctx, LOOK_ITEMS / 8)) {
            return 0;
        }
        if (kept == 0 || ranked[k].rank != last || !val_eq(v, to[kept - 1])) {
            to[kept++] = v;
            last = ranked[k].rank;
        }
    }
    return kept;
}

uint32_t vals_sort_unique(Ctx *ctx, Val *items, uint32_t n) {
    CtxMark mark = ctx_mark(ctx);
    Val *tmp = val_buffer(ctx, n);
    if (tmp == NULL || !ctx_charge(ctx, n / 8)) {
        return 0;
    }
    uint32_t kept = 1;
    Ranked few[2 * 64], *ranked = n <= 64 ? few : NULL;
    bool patches = val_is_set(items[0]) && FAST_PATH(ctx);
    if (patches && ranked == NULL) {
        ranked = ctx_alloc(ctx, 2 * (size_t)n * sizeof *ranked);
        if (ranked == NULL) {
            return 0;
        }
    }
    if (patches && rank_all(ctx, items, n, ranked)) {
        if (!sort_ranked(ctx, items, ranked, ranked + n, n)) {
            return 0;
        }
        kept = gather_ranked(ctx, items, ranked, tmp, n);
        memcpy(items, tmp, kept * sizeof *items);
    } else if (sort_values(ctx, items, tmp, n)) {
        for (uint32_t k = 1; k < n; k++) {
            if (!ctx_look_at(ctx, k) || !val_look(ctx, items[kept - 1], items[k])) {
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
