/* Internals of running operations on sets of indices: sets as rows of bits, and the elements taken at a
 * time. */
#ifndef BATT_ENGINE_ARCDSL_CLOSURE_PLAN_PATCH_RUN_H
#define BATT_ENGINE_ARCDSL_CLOSURE_PLAN_PATCH_RUN_H

#include "engine/arcdsl/closure_plan_patch.h"
#include "engine/arcdsl/window.h"

/* A set: the rows from `top` up to `end`, all others are empty. */
typedef struct Bits {
    uint32_t top, end;
    uint32_t n;           /* places; of a constant also those outside the window */
    uint32_t colors;      /* of what is painted, as bits */
    const uint64_t *rows; /* row 0 of the window */
} Bits;

enum { PATCH_LANES = 16, PATCH_SPACE = 16384 };
_Static_assert(PATCH_WINDOW == 64 * ROW_WORDS && PATCH_SPACE >= CPLAN_PATCHES * ROW_WORDS * PATCH_WINDOW,
               "room for one element at a time");

typedef struct PatchRun {
    ClosurePlan *plan;
    int32_t top, left; /* of the window */
    uint32_t height;
    uint32_t lanes;         /* elements taken at a time */
    uint64_t steps, bytes;  /* that keys would have cost */
    uint64_t cells, firsts; /* calls of astuple and first within loops over places */
    Bits bits[CPLAN_PATCHES][PATCH_LANES];
    uint64_t space[PATCH_SPACE]; /* rows of the window for every register and element */
} PatchRun;

/* Adds the rows of a to others. */
INLINE void rows_add(uint64_t *rows, const Bits *a, const uint32_t words) {
    if (a->end - a->top <= FEW_ROWS) {
        for (uint32_t k = a->top * words; k < a->end * words; k++) {
            ONE_BY_ONE;
            rows[k] |= a->rows[k];
        }
        return;
    }
    for (uint32_t k = a->top * words; k < a->end * words; k++) {
        rows[k] |= a->rows[k];
    }
}

INLINE bool row_is_empty(const uint64_t *row, const uint32_t words) {
    uint64_t all = row[0];
    for (uint32_t w = 1; w < words; w++) {
        all |= row[w];
    }
    return all == 0;
}

/* The box around something that is not empty; rows and columns of the window. */
INLINE Box rows_box(const Bits *a, const uint32_t words) {
    uint64_t all[ROW_WORDS] = {0};
    uint32_t top = a->top, end = a->end, first = 0, last = words - 1;
    for (uint32_t k = a->top * words; k < a->end * words; k += words) {
        for (uint32_t w = 0; w < words; w++) {
            all[w] |= a->rows[k + w];
        }
    }
    while (row_is_empty(a->rows + top * words, words)) {
        top++;
    }
    while (row_is_empty(a->rows + (end - 1) * words, words)) {
        end--;
    }
    while (words > 1 && all[first] == 0) {
        first++;
    }
    while (words > 1 && all[last] == 0) {
        last--;
    }
    int64_t left = 64 * first + (uint32_t)__builtin_ctzll(all[first]);
    int64_t right = 64 * last + 63 - (uint32_t)__builtin_clzll(all[last]);
    return (Box){top, left, (int64_t)end - 1, right};
}

/* The number of the first or last place of a set that is not empty, row by row. */
INLINE uint32_t end_place(const Bits *a, bool last, const uint32_t words) {
    uint32_t from = a->top * words, to = a->end * words - 1;
    while (!last && a->rows[from] == 0) {
        from++;
    }
    while (last && a->rows[to] == 0) {
        to--;
    }
    return last ? 64 * to + 63 - (uint32_t)__builtin_clzll(a->rows[to])
                : 64 * from + (uint32_t)__builtin_ctzll(a->rows[from]);
}

/* Words of a row of the window. */
static inline uint32_t patch_run_words(const ClosurePlan *p) {
    int32_t across = p->window.right - p->window.left;
    return across < 64 ? 1 : across < 128 ? 2 : 4;
}

/* Places the constants of a plan in its window, whose rows have so many words. */
void patch_run_begin(PatchRun *r, ClosurePlan *p, uint32_t words);
/* Does all operations for n elements of the block, at most r->lanes. */
void patch_run_elements(PatchRun *r, uint32_t from, uint32_t n, uint32_t words);
/* Whether fuel and memory last for what was done. */
bool patch_run_affords(Ctx *ctx, uint64_t steps, uint64_t bytes);
/* Counts the calls whose number depends on how many places there are. */
void patch_run_count(Ctx *ctx, const PatchRun *r);

#endif
