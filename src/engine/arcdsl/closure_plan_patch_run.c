/* Running operations on sets of indices; see closure_plan_patch.h.
 *
 * Elements are taken some at a time, and each operation is done for all of these before the next one. So what
 * is to be done is decided once for all of them, and rows are no longer on their way to the cache when the
 * next operation reads them. A row of the window is one word, two if it has more than 64 columns, or four;
 * every operation is compiled for each. */
#include "engine/arcdsl/closure_plan_patch.h"
#include "engine/arcdsl/container_build.h"
#include "engine/arcdsl/window.h"

#include <string.h>

/* A set: the rows from `top` up to `end`, all others are empty. */
typedef struct Bits {
    uint32_t top, end;
    uint32_t n;           /* places; of a constant also those outside the window */
    uint32_t colors;      /* of what is painted, as bits */
    const uint64_t *rows; /* row 0 of the window */
} Bits;

enum { LANES = 16, SPACE = 16384, SUM_WORDS = 2048 };
_Static_assert(PATCH_WINDOW == 64 * ROW_WORDS && SPACE >= CPLAN_PATCHES * ROW_WORDS * PATCH_WINDOW &&
                   SUM_WORDS >= ROW_WORDS * PATCH_WINDOW,
               "room for one element at a time");

typedef struct Run {
    ClosurePlan *plan;
    int32_t top, left; /* of the window */
    uint32_t height;
    uint32_t lanes;         /* elements taken at a time */
    uint64_t steps, bytes;  /* that keys would have cost */
    uint64_t cells, firsts; /* calls of astuple and first within loops over places */
    Bits bits[CPLAN_PATCHES][LANES];
    uint64_t space[SPACE]; /* rows of the window for every register and element */
} Run;

/* ---- rows ---- */

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

/* Copies a, with empty rows from `top` up to `end` around it. */
INLINE void rows_spread(uint64_t *rows, const Bits *a, uint32_t top, uint32_t end, const uint32_t words) {
    for (uint32_t k = top * words; k < a->top * words; k++) {
        rows[k] = 0;
    }
    for (uint32_t k = a->top * words; k < a->end * words; k++) {
        rows[k] = a->rows[k];
    }
    for (uint32_t k = a->end * words; k < end * words; k++) {
        rows[k] = 0;
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

/* ---- costs ---- */

typedef struct Cost {
    uint64_t steps, bytes;
    uint64_t cells, firsts;
} Cost;

/* Of a buffer for n keys. */
INLINE void cost_keys(Cost *cost, uint64_t n) {
    uint64_t bytes = (n * sizeof(uint32_t) + 15) & ~(uint64_t)15;
    cost->bytes += bytes;
    cost->steps += bytes >> 6;
}

/* Of walking a packed set. */
INLINE void cost_walk(Cost *cost, const Bits *a) {
    cost->steps += a->n >> 6;
}

/* ---- operations ---- */

/* What an operation is given: what to do for elements `from` to from + n of the block, and where. */
typedef struct Work {
    Run *run;
    const PatchOp *op;
    uint32_t reg, from, n;
} Work;
typedef void (*Operation)(const Work *work);

/* An operation for one element: with columns at i, j, .. and registers at a, b, it sets *to, with its rows
 * below `rows`, and adds to *cost. Three functions go over several elements, for rows of one, two and four
 * words. */
typedef struct Place {
    const Run *run;
    const PatchOp *op;
    const int32_t *i, *j, *k, *l;
    const Bits *a, *b;
    const Val *item; /* the element, if it comes as a value */
    uint64_t *rows;
} Place;

static const Bits nothing = {0};

INLINE void each(const Work *work, Bits (*one)(const Place *at, Cost *cost, const uint32_t words),
                 const uint32_t words) {
    Run *r = work->run;
    const PatchOp *op = work->op;
    const int32_t(*columns)[CPLAN_BLOCK] = (const int32_t(*)[CPLAN_BLOCK])r->plan->columns;
    size_t stride = (size_t)r->height * words;
    Cost cost = {0, 0, 0, 0};
    Place at = {r,
                op,
                columns[op->i] + work->from,
                columns[op->j] + work->from,
                columns[op->k] + work->from,
                columns[op->l] + work->from,
                r->bits[op->a],
                r->bits[op->b < CPLAN_PATCHES ? op->b : 0],
                op->step == PATCH_INPUT ? r->plan->inputs[0].c.v + r->plan->from + work->from : NULL,
                r->space + work->reg * r->lanes * stride};
    Bits *to = r->bits[work->reg], *end = to + work->n;
    for (; to < end; to++) {
        *to = one(&at, &cost, words);
        at.i++;
        at.j++;
        at.k++;
        at.l++;
        at.a++;
        at.b++;
        at.item += op->step == PATCH_INPUT;
        at.rows += stride;
    }
    r->steps += cost.steps;
    r->bytes += cost.bytes;
    r->cells += cost.cells;
    r->firsts += cost.firsts;
}

#define OPERATION(name)                                                     \
    INLINE Bits name(const Place *at, Cost *cost, const uint32_t words);    \
    static __attribute__((noinline)) void name##_narrow(const Work *work) { \
        each(work, name, 1);                                                \
    }                                                                       \
    static __attribute__((noinline)) void name##_wide(const Work *work) {   \
        each(work, name, 2);                                                \
    }                                                                       \
    static __attribute__((noinline)) void name##_widest(const Work *work) { \
        each(work, name, 4);                                                \
    }                                                                       \
    INLINE Bits name(const Place *at, Cost *cost, const uint32_t words)

INLINE uint32_t row_of(const Place *at, int32_t i) {
    return (uint32_t)(i - at->run->top);
}
INLINE uint32_t column_of(const Place *at, int32_t j) {
    return (uint32_t)(j - at->run->left);
}

/* A small patch; of objects the places, whatever their order. */
OPERATION(input) {
    (void)cost;
    Val v = *at->item;
    KeyFields f = key_fields(v.kind);
    uint32_t top = row_of(at, keys_top(v)), end = row_of(at, keys_bottom(v)) + 1;
    const uint64_t empty[ROW_WORDS] = {0};
    rows_fill(at->rows, top, end, empty, words);
    for (uint32_t k = 0; k < v.n; k++) {
        uint32_t i = row_of(at, key_row_in(f, v.k[k])), j = column_of(at, key_col_in(f, v.k[k]));
        at->rows[i * words + j / 64] |= (uint64_t)1 << (j % 64);
    }
    return (Bits){top, end, v.n, 0, at->rows};
}

OPERATION(point) {
    uint32_t i = row_of(at, *at->i);
    row_place(at->rows + i * words, 1, column_of(at, *at->j), words);
    cost->bytes += sizeof(Val);
    return (Bits){i, i + 1, 1, 0, at->rows};
}

OPERATION(around) {
    uint32_t i = row_of(at, *at->i) - 1, j = column_of(at, *at->j) - 1, which = at->op->b;
    uint64_t *rows = at->rows + i * words;
    row_place(rows, which & 7, j, words);
    row_place(rows + words, (which >> 3 & 1) | (which >> 2 & 4), j, words);
    row_place(rows + 2 * words, which >> 5, j, words);
    cost_keys(cost, 8);
    return (Bits){i, i + 3, (uint32_t)__builtin_popcount(which), 0, at->rows};
}

OPERATION(line) {
    uint32_t i = row_of(at, *at->i), j = column_of(at, *at->j), x = row_of(at, *at->k),
             y = column_of(at, *at->l);
    if (x < i) {
        uint32_t row = i, column = j;
        i = x;
        j = y;
        x = row;
        y = column;
    }
    uint32_t down = x - i, across = y > j ? y - j : j - y;
    if (down == 0) {
        row_set(at->rows + i * words, y > j ? j : y, across + 1, words);
        cost_keys(cost, across + 1);
        return (Bits){i, i + 1, across + 1, 0, at->rows};
    }
    if (across != 0 && across != down) {
        return nothing;
    }
    if (across == 0) {
        uint64_t bits[ROW_WORDS];
        row_place(bits, 1, j, words);
        rows_fill(at->rows, i, x + 1, bits, words);
    } else {
        uint32_t step = y > j ? 1 : UINT32_MAX;
        for (uint64_t *row = at->rows + i * words, *end = at->rows + x * words; row <= end;
             row += words, j += step) {
            row_place(row, 1, j, words);
        }
    }
    cost_keys(cost, down + 1);
    return (Bits){i, x + 1, down + 1, 0, at->rows};
}

OPERATION(ray) {
    uint32_t i = row_of(at, *at->i), j = column_of(at, *at->j), n = at->op->b,
             across = (uint32_t)at->op->across;
    cost_keys(cost, n + 1);
    if (at->op->by == 0) {
        row_set(at->rows + i * words, across == 1 ? j : j - n, n + 1, words);
        return (Bits){i, i + 1, n + 1, 0, at->rows};
    }
    if (at->op->by < 0) { /* from its upper end */
        i -= n;
        j += n * across;
        across = 0 - across;
    }
    if (across == 0) {
        uint64_t bits[ROW_WORDS];
        row_place(bits, 1, j, words);
        rows_fill(at->rows, i, i + n + 1, bits, words);
    } else {
        for (uint64_t *row = at->rows + i * words, *end = row + n * words; row <= end;
             row += words, j += across) {
            row_place(row, 1, j, words);
        }
    }
    return (Bits){i, i + n + 1, n + 1, 0, at->rows};
}

enum { FRONTIER = 30 };

OPERATION(frontier_row) {
    uint32_t i = row_of(at, *at->i);
    row_set(at->rows + i * words, column_of(at, 0), FRONTIER, words);
    cost_keys(cost, FRONTIER);
    return (Bits){i, i + 1, FRONTIER, 0, at->rows};
}

OPERATION(frontier_column) {
    uint32_t i = row_of(at, 0);
    uint64_t bits[ROW_WORDS];
    row_place(bits, 1, column_of(at, *at->j), words);
    rows_fill(at->rows, i, i + FRONTIER, bits, words);
    cost_keys(cost, FRONTIER);
    return (Bits){i, i + FRONTIER, FRONTIER, 0, at->rows};
}

OPERATION(insert) {
    const Bits *a = at->a;
    if (a->n == 0) {
        return point(at, cost, words);
    }
    uint32_t i = row_of(at, *at->i), j = column_of(at, *at->j);
    uint32_t top = a->top < i ? a->top : i, end = a->end > i ? a->end : i + 1;
    rows_spread(at->rows, a, top, end, words);
    bool there = row_has(at->rows + i * words, j);
    at->rows[i * words + j / 64] |= (uint64_t)1 << (j % 64);
    cost_keys(cost, (uint64_t)a->n + 1);
    return (Bits){top, end, a->n + !there, 0, at->rows};
}

OPERATION(join) {
    const Bits *a = at->a, *b = at->b;
    if (a->n == 0 || b->n == 0) {
        return a->n != 0 ? *a : *b;
    }
    uint32_t top = a->top < b->top ? a->top : b->top, end = a->end > b->end ? a->end : b->end;
    rows_spread(at->rows, a, top, end, words);
    rows_add(at->rows, b, words);
    cost_keys(cost, (uint64_t)a->n + b->n);
    return (Bits){top, end, rows_count(at->rows, top, end, words), 0, at->rows};
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

/* The same, with what collect_merge and val_keys charge: sorting keys costs steps unless they come in order
 * or are sorted by bits. */
OPERATION(merge) {
    const Bits *a = at->a, *b = at->b;
    uint64_t total = (uint64_t)a->n + b->n;
    if (total == 0) {
        return nothing;
    }
    cost->steps += (2 + total) / 32;
    cost_keys(cost, total);
    if (a->n == 0 || b->n == 0) {
        return a->n != 0 ? *a : *b;
    }
    uint32_t top = a->top < b->top ? a->top : b->top, end = a->end > b->end ? a->end : b->end;
    rows_spread(at->rows, a, top, end, words);
    rows_add(at->rows, b, words);
    Bits sum = {top, end, rows_count(at->rows, top, end, words), 0, at->rows};
    if (end_place(a, true, words) >= end_place(b, false, words)) {
        Box box = rows_box(&sum, words);
        if (!window_sorts(total, box.bottom - box.top + 1, box.right - box.left + 1, 1)) {
            cost_keys(cost, total);
            cost->steps += total / 2;
        }
    }
    return sum;
}

OPERATION(common) {
    const Bits *a = at->a, *b = at->b;
    if (a->n == 0 || b->n == 0) {
        return nothing;
    }
    uint32_t top = a->top > b->top ? a->top : b->top, end = a->end < b->end ? a->end : b->end, n = 0;
    for (uint32_t k = top * words; k < end * words; k++) {
        ONE_BY_ONE;
        uint64_t row = a->rows[k] & b->rows[k];
        at->rows[k] = row;
        n += (uint32_t)__builtin_popcountll(row);
    }
    cost_keys(cost, a->n);
    return n != 0 ? (Bits){top, end, n, 0, at->rows} : nothing;
}

OPERATION(without) {
    const Bits *a = at->a, *b = at->b;
    if (a->n == 0 || b->n == 0) {
        return *a;
    }
    uint32_t n = 0;
    for (uint32_t i = a->top; i < a->end; i++) {
        bool met = i - b->top < b->end - b->top;
        for (uint32_t k = i * words; k < (i + 1) * words; k++) {
            ONE_BY_ONE;
            uint64_t row = met ? a->rows[k] & ~b->rows[k] : a->rows[k];
            at->rows[k] = row;
            n += (uint32_t)__builtin_popcountll(row);
        }
    }
    cost_keys(cost, a->n);
    return n != 0 ? (Bits){a->top, a->end, n, 0, at->rows} : nothing;
}

OPERATION(backdrop) {
    if (at->a->n == 0) {
        return nothing;
    }
    Box b = rows_box(at->a, words);
    uint32_t top = (uint32_t)b.top, end = (uint32_t)b.bottom + 1, w = (uint32_t)(b.right - b.left) + 1;
    uint64_t bits[ROW_WORDS];
    row_set(bits, (uint32_t)b.left, w, words);
    rows_fill(at->rows, top, end, bits, words);
    cost_walk(cost, at->a);
    cost_keys(cost, (uint64_t)(end - top) * w);
    return (Bits){top, end, (end - top) * w, 0, at->rows};
}

OPERATION(delta) {
    const Bits *a = at->a;
    cost_walk(cost, a);
    if (a->n <= 1) {
        return nothing;
    }
    cost_walk(cost, a);
    Box b = rows_box(a, words);
    uint32_t top = (uint32_t)b.top, end = (uint32_t)b.bottom + 1, w = (uint32_t)(b.right - b.left) + 1;
    uint32_t left = (end - top) * w - a->n;
    if (left == 0) {
        return nothing;
    }
    uint64_t bits[ROW_WORDS];
    row_set(bits, (uint32_t)b.left, w, words);
    for (uint32_t k = top; k < end; k++) {
        for (uint32_t x = 0; x < words; x++) {
            at->rows[k * words + x] = bits[x] & ~a->rows[k * words + x];
        }
    }
    cost_keys(cost, (uint64_t)left + 1);
    return (Bits){top, end, left, 0, at->rows};
}

OPERATION(outline) {
    if (at->a->n == 0) {
        return nothing;
    }
    Box b = box_grown(rows_box(at->a, words), at->op->by);
    uint32_t top = (uint32_t)(b.top < b.bottom ? b.top : b.bottom),
             bottom = (uint32_t)(b.top < b.bottom ? b.bottom : b.top),
             left = (uint32_t)(b.left < b.right ? b.left : b.right),
             right = (uint32_t)(b.left < b.right ? b.right : b.left), h = bottom - top, w = right - left;
    uint64_t sides[ROW_WORDS], other[ROW_WORDS];
    row_place(sides, 1, left, words);
    row_place(other, 1, right, words);
    for (uint32_t x = 0; x < words; x++) {
        sides[x] |= other[x];
    }
    rows_fill(at->rows, top, bottom, sides, words);
    row_set(at->rows + top * words, left, w + 1, words);
    row_set(at->rows + bottom * words, left, w + 1, words);
    cost_walk(cost, at->a);
    cost_keys(cost, 2 * ((uint64_t)h + w + 2));
    return (Bits){top, bottom + 1, h == 0 ? w + 1 : w == 0 ? h + 1 : 2 * (h + w), 0, at->rows};
}

OPERATION(corners) {
    Box b = rows_box(at->a, words);
    uint32_t top = (uint32_t)b.top, bottom = (uint32_t)b.bottom;
    const uint64_t empty[ROW_WORDS] = {0};
    uint64_t sides[ROW_WORDS], other[ROW_WORDS];
    row_place(sides, 1, (uint32_t)b.left, words);
    row_place(other, 1, (uint32_t)b.right, words);
    for (uint32_t x = 0; x < words; x++) {
        sides[x] |= other[x];
    }
    rows_fill(at->rows, top, bottom, empty, words);
    rows_fill(at->rows, top, top + 1, sides, words);
    rows_fill(at->rows, bottom, bottom + 1, sides, words);
    cost_walk(cost, at->a);
    cost_keys(cost, 4);
    return (Bits){top, bottom + 1, (1u + (top != bottom)) * (1u + (b.left != b.right)), 0, at->rows};
}

OPERATION(shift) {
    const Bits *a = at->a;
    int32_t di = *at->i, dj = *at->j;
    cost_walk(cost, a); /* prim_shift, and patch_shifted once more */
    cost_walk(cost, a);
    if ((di | dj) == 0 || a->n == 0) {
        return *a;
    }
    cost_keys(cost, a->n);
    uint32_t top = a->top + (uint32_t)di, end = a->end + (uint32_t)di;
    for (uint32_t from = a->top, to = top; to < end; from++, to++) {
        row_shift(at->rows + to * words, a->rows + from * words, dj, words);
    }
    return (Bits){top, end, a->n, 0, at->rows};
}

OPERATION(copy) {
    (void)words;
    cost_walk(cost, at->a);
    cost_keys(cost, at->a->n);
    return *at->a;
}

/* What apply takes for a closure of one call: a buffer of values, and two steps for each. */
OPERATION(cells) {
    (void)words;
    uint64_t n = at->a->n;
    cost->bytes += n * sizeof(Val);
    cost->steps += (n * sizeof(Val) >> 6) + 2 * n;
    cost->cells += n;
    return *at->a;
}

/* The part within a grid, and the colors there. */
OPERATION(painted) {
    const Bits *a = at->a;
    const Run *r = at->run;
    Val grid = r->plan->consts[at->op->b];
    if (a->n == 0) {
        return nothing;
    }
    cost_walk(cost, a);
    cost_walk(cost, a);
    cost_keys(cost, a->n);
    uint32_t n = 0, colors = 0;
    for (uint32_t k = a->top; k < a->end; k++) {
        uint32_t i = k + (uint32_t)r->top;
        for (uint32_t x = 0; x < words; x++) {
            uint64_t kept = 0;
            for (uint64_t bits = i < grid.n ? a->rows[k * words + x] : 0; bits != 0; bits &= bits - 1) {
                uint32_t bit = (uint32_t)__builtin_ctzll(bits), j = 64 * x + bit + (uint32_t)r->left;
                if (j < grid.w) {
                    colors |= 1u << grid.b8[i * grid.w + j];
                    kept |= (uint64_t)1 << bit;
                    n++;
                }
            }
            at->rows[k * words + x] = kept;
        }
    }
    if (r->plan->object_kind == VAL_OBJ_CORE && (colors & (colors - 1)) != 0) {
        cost_keys(cost, n); /* sorted by color */
    }
    return n != 0 ? (Bits){a->top, a->end, n, colors, at->rows} : nothing;
}

/* The color that the grid has at a place within it. */
INLINE int32_t color_at(const Run *r, Val grid, uint32_t row, uint32_t column) {
    return grid.b8[(row + (uint32_t)r->top) * grid.w + column + (uint32_t)r->left];
}

/* The places of a painted set that have this color. */
INLINE uint32_t picked_row(const Run *r, Val grid, uint32_t row, uint32_t x, uint64_t bits, int32_t color,
                           uint64_t *kept) {
    uint32_t n = 0;
    *kept = 0;
    for (; bits != 0; bits &= bits - 1) {
        uint32_t bit = (uint32_t)__builtin_ctzll(bits);
        bool same = color_at(r, grid, row, 64 * x + bit) == color;
        *kept |= (uint64_t)same << bit;
        n += same;
    }
    return n;
}

/* What filtering takes: a buffer of keys, and a closure and a call for each. */
OPERATION(picked) {
    const Bits *a = at->a;
    const Run *r = at->run;
    Val grid = r->plan->consts[at->op->b];
    uint32_t n = 0;
    if (a->n == 0) {
        return nothing;
    }
    cost->steps += a->n / 8 + 2 * (uint64_t)a->n;
    cost->firsts += a->n;
    cost_keys(cost, a->n);
    for (uint32_t k = a->top; k < a->end; k++) {
        for (uint32_t x = 0; x < words; x++) {
            n += picked_row(r, grid, k, x, a->rows[k * words + x], *at->i, &at->rows[k * words + x]);
        }
    }
    return n != 0 ? (Bits){a->top, a->end, n, 1u << *at->i, at->rows} : nothing;
}

/* Only what it costs: the colors are there already. */
OPERATION(palette) {
    (void)words;
    uint32_t colors = (uint32_t)__builtin_popcount(at->a->colors);
    cost_walk(cost, at->a);
    cost->bytes += (colors + 1) * sizeof(Val);
    cost->steps += colors * sizeof(Val) >> 6;
    return nothing;
}

/* ---- operations that give a number ---- */

INLINE int32_t count_color(Run *r, const PatchOp *op, const Bits *a, int32_t color, const uint32_t words) {
    Val grid = r->plan->consts[op->b];
    uint32_t n = 0;
    uint64_t kept;
    r->steps += a->n >> 6;
    if (a->n == 0 || color < 0 || color >= PATCH_COLORS_MAX || (a->colors >> color & 1) == 0) {
        return 0;
    }
    for (uint32_t k = a->top; k < a->end; k++) {
        for (uint32_t x = 0; x < words; x++) {
            n += picked_row(r, grid, k, x, a->rows[k * words + x], color, &kept);
        }
    }
    return (int32_t)n;
}

INLINE void numbers(const Work *work, const uint32_t words) {
    Run *r = work->run;
    const PatchOp *op = work->op;
    const Bits *a = r->bits[op->a];
    const int32_t *i = r->plan->columns[op->i] + work->from, *j = r->plan->columns[op->j] + work->from;
    int32_t *to = r->plan->columns[op->to] + work->from;
    for (uint32_t k = 0; k < work->n; k++) {
        if (op->step == PATCH_SIZE) {
            to[k] = (int32_t)a[k].n;
        } else if (op->step == PATCH_COLORS) {
            to[k] = __builtin_popcount(a[k].colors);
        } else if (op->step == PATCH_NUMCOLORS) {
            to[k] = __builtin_popcount(a[k].colors);
            r->steps += a[k].n >> 6;
        } else if (op->step == PATCH_COUNT) {
            to[k] = count_color(r, op, &a[k], i[k], words);
        } else if (op->step == PATCH_HAS_COLOR) {
            uint32_t color = (uint32_t)i[k];
            to[k] = color < PATCH_COLORS_MAX && (a[k].colors >> color & 1);
        } else {
            uint32_t row = (uint32_t)(i[k] - r->top), column = (uint32_t)(j[k] - r->left);
            to[k] = row >= a[k].top && row < a[k].end && column < 64 * words &&
                    row_has(a[k].rows + row * words, column);
        }
    }
}
static __attribute__((noinline)) void number_narrow(const Work *work) {
    numbers(work, 1);
}
static __attribute__((noinline)) void number_wide(const Work *work) {
    numbers(work, 2);
}
static __attribute__((noinline)) void number_widest(const Work *work) {
    numbers(work, 4);
}

static void constant(const Work *work) {
    (void)work; /* see begin */
}

static const Operation operations[PATCH_STEPS][3] = {
    [PATCH_CONSTANT] = {constant, constant, constant},
    [PATCH_INPUT] = {input_narrow, input_wide, input_widest},
    [PATCH_POINT] = {point_narrow, point_wide, point_widest},
    [PATCH_AROUND] = {around_narrow, around_wide, around_widest},
    [PATCH_LINE] = {line_narrow, line_wide, line_widest},
    [PATCH_RAY] = {ray_narrow, ray_wide, ray_widest},
    [PATCH_ROW] = {frontier_row_narrow, frontier_row_wide, frontier_row_widest},
    [PATCH_COLUMN] = {frontier_column_narrow, frontier_column_wide, frontier_column_widest},
    [PATCH_INSERT] = {insert_narrow, insert_wide, insert_widest},
    [PATCH_UNION] = {join_narrow, join_wide, join_widest},
    [PATCH_MERGE] = {merge_narrow, merge_wide, merge_widest},
    [PATCH_COMMON] = {common_narrow, common_wide, common_widest},
    [PATCH_WITHOUT] = {without_narrow, without_wide, without_widest},
    [PATCH_BACKDROP] = {backdrop_narrow, backdrop_wide, backdrop_widest},
    [PATCH_DELTA] = {delta_narrow, delta_wide, delta_widest},
    [PATCH_OUTLINE] = {outline_narrow, outline_wide, outline_widest},
    [PATCH_CORNERS] = {corners_narrow, corners_wide, corners_widest},
    [PATCH_SHIFT] = {shift_narrow, shift_wide, shift_widest},
    [PATCH_COPY] = {copy_narrow, copy_wide, copy_widest},
    [PATCH_CELLS] = {cells_narrow, cells_wide, cells_widest},
    [PATCH_PICKED] = {picked_narrow, picked_wide, picked_widest},
    [PATCH_PAINTED] = {painted_narrow, painted_wide, painted_widest},
    [PATCH_PALETTE] = {palette_narrow, palette_wide, palette_widest},
    [PATCH_SIZE] = {number_narrow, number_wide, number_widest},
    [PATCH_HAS] = {number_narrow, number_wide, number_widest},
    [PATCH_COLORS] = {number_narrow, number_wide, number_widest},
    [PATCH_NUMCOLORS] = {number_narrow, number_wide, number_widest},
    [PATCH_COUNT] = {number_narrow, number_wide, number_widest},
    [PATCH_HAS_COLOR] = {number_narrow, number_wide, number_widest},
};

/* ---- elements ---- */

/* Words of a row of the window. */
static inline uint32_t words_of(const ClosurePlan *p) {
    int32_t across = p->window.right - p->window.left;
    return across < 64 ? 1 : across < 128 ? 2 : 4;
}

static void do_elements(Run *r, uint32_t from, uint32_t n, uint32_t words) {
    const ClosurePlan *p = r->plan;
    Work work = {r, p->patches, 0, from, n};
    for (; work.reg < p->npatches; work.reg++, work.op++) {
        operations[work.op->step][words / 2](&work);
    }
}

/* The places of a constant that are in the window, for all lanes. */
static void set_constant(Run *r, Val v, uint32_t reg, uint32_t words) {
    uint64_t *rows = r->space + (size_t)reg * r->lanes * r->height * words;
    uint32_t up = (uint32_t)(r->top + KEY_INDEX), back = (uint32_t)(r->left + KEY_INDEX), from = 0, n = v.n;
    while (from < n && v.k[from] >> 16 < up) {
        from++;
    }
    while (from < n && (v.k[n - 1] >> 16) - up >= r->height) {
        n--;
    }
    Bits bits = {0, 0, v.n, 0, rows};
    if (from < n) {
        bits.top = (v.k[from] >> 16) - up;
        bits.end = (v.k[n - 1] >> 16) - up + 1;
        memset(rows + bits.top * words, 0, (bits.end - bits.top) * words * sizeof *rows);
    }
    for (uint32_t k = from; k < n; k++) {
        uint32_t i = (v.k[k] >> 16) - up, j = (v.k[k] & 0xffff) - back;
        if (j < 64 * words) {
            rows[i * words + j / 64] |= (uint64_t)1 << (j % 64);
        }
    }
    for (uint32_t lane = 0; lane < r->lanes; lane++) {
        r->bits[reg][lane] = bits;
    }
}

static void begin(Run *r, ClosurePlan *p, uint32_t words) {
    r->plan = p;
    r->top = p->window.top;
    r->left = p->window.left;
    r->height = p->window.top <= p->window.bottom ? (uint32_t)(p->window.bottom - p->window.top) + 1 : 0;
    r->steps = r->bytes = r->cells = r->firsts = 0;
    uint32_t fit = SPACE / (p->npatches * r->height * words + 1);
    r->lanes = fit < LANES ? fit : LANES;
    for (uint32_t reg = 0; reg < p->npatches; reg++) {
        if (p->patches[reg].step == PATCH_CONSTANT) {
            set_constant(r, p->consts[p->patches[reg].b], reg, words);
        }
    }
}

/* Whether fuel and memory last for what was done. */
static bool affords(Ctx *ctx, uint64_t steps, uint64_t bytes) {
    return (uint64_t)(ctx->end - ctx->top) >= bytes && ctx_ensure(ctx, steps);
}

/* Calls whose number depends on how many places there are. */
static void count_calls(Ctx *ctx, const Run *r) {
#ifndef BATT_NO_PROFILER
    ctx->calls[P_astuple] += r->cells;
    ctx->calls[P_first] += r->firsts;
#else
    (void)ctx, (void)r;
#endif
}

bool patches_block(ClosurePlan *p, Ctx *ctx, uint32_t n) {
    Run r;
    uint32_t words = words_of(p);
    begin(&r, p, words);
    for (uint32_t k = 0; k < n; k += r.lanes) {
        do_elements(&r, k, n - k < r.lanes ? n - k : r.lanes, words);
    }
    uint64_t steps = r.steps + (uint64_t)n * (p->nevents + p->charge);
    bool good = affords(ctx, steps, r.bytes + (uint64_t)n * p->room);
    if (good) {
        ctx->fuel -= (int64_t)steps;
        count_calls(ctx, &r);
    }
    return good;
}

/* ---- merging ---- */

/* Sums of places, one for each color, which is the order of an object's keys. Sets of indices have one. */
typedef struct Sum {
    uint32_t top, end; /* rows that may have bits */
    uint64_t total;    /* places of all sets together */
    uint32_t stride;   /* words of a color */
    int32_t least;     /* color of the first */
    int32_t lo, hi;    /* colors of sets that are not empty */
    bool ordered;      /* keys have come in ascending order so far, the last one at: */
    int64_t last;
    uint64_t rows[SUM_WORDS];
} Sum;

INLINE void add_up(Sum *sum, const Bits *a, uint32_t n, const int32_t *colors, const uint32_t words) {
    uint32_t top = sum->top, end = sum->end;
    uint64_t total = 0;
    for (const Bits *last = a + n; a < last; a++) {
        int32_t color = colors != NULL ? *colors++ : 0;
        if (a->n == 0) {
            continue;
        }
        rows_add(sum->rows + (uint32_t)(color - sum->least) * sum->stride, a, words);
        if (colors != NULL) {
            sum->lo = color < sum->lo ? color : sum->lo;
            sum->hi = color > sum->hi ? color : sum->hi;
        }
        if (sum->ordered) {
            int64_t before = (int64_t)color << 32;
            sum->ordered = before + end_place(a, false, words) > sum->last;
            sum->last = before + end_place(a, true, words);
        }
        top = a->top < top ? a->top : top;
        end = a->end > end ? a->end : end;
        total += a->n;
    }
    sum->top = top;
    sum->end = end;
    sum->total += total;
}
static __attribute__((noinline)) void add_narrow(Sum *sum, const Bits *a, uint32_t n, const int32_t *colors) {
    colors == NULL ? add_up(sum, a, n, NULL, 1) : add_up(sum, a, n, colors, 1);
}
static __attribute__((noinline)) void add_wide(Sum *sum, const Bits *a, uint32_t n, const int32_t *colors) {
    add_up(sum, a, n, colors, 2);
}
static __attribute__((noinline)) void add_widest(Sum *sum, const Bits *a, uint32_t n, const int32_t *colors) {
    add_up(sum, a, n, colors, 4);
}

static void add_elements(Run *r, Sum *sum, uint32_t words) {
    ClosurePlan *p = r->plan;
    CplanNumber color = p->result.a;
    int32_t same[LANES];
    for (uint32_t k = 0; k < LANES; k++) {
        same[k] = color.lo;
    }
    for (uint32_t at = 0, m; at < p->elements; at += m) {
        m = cplan_columns(p, at, p->elements - at);
        for (uint32_t k = 0, n; k < m; k += n) {
            n = m - k < r->lanes ? m - k : r->lanes;
            do_elements(r, k, n, words);
            const Bits *a = r->bits[p->result.value];
            const int32_t *colors = p->result.kind != CTERM_COLORED ? NULL
                                    : color.column < 0              ? same
                                                                    : p->columns[color.column] + k;
            words == 1   ? add_narrow(sum, a, n, colors)
            : words == 2 ? add_wide(sum, a, n, colors)
                         : add_widest(sum, a, n, colors);
        }
    }
}

/* The keys of one color, written to `keys`; returns how many. */
static uint32_t color_keys(const Run *r, const Sum *sum, int32_t color, uint32_t words, uint32_t *keys) {
    int32_t top = r->top + (int32_t)sum->top;
    bool colored = r->plan->result.kind == CTERM_COLORED;
    uint32_t base = colored ? key_core(color, top, r->left) : key_index(top, r->left);
    const uint64_t *rows = sum->rows + sum->top * words;
    rows += colored ? (uint32_t)(color - sum->least) * sum->stride : 0;
    uint32_t height = sum->end - sum->top, down = colored ? 1u << 12 : 1u << 16;
    return words == 1   ? window_keys(rows, height, base, down, keys, 1)
           : words == 2 ? window_keys(rows, height, base, down, keys, 2)
                        : window_keys(rows, height, base, down, keys, 4);
}

/* The sum as a set of indices, or as an object. Its keys have been charged, and there is room for all of
 * them. */
static Val sum_keys(Ctx *ctx, const Run *r, const Sum *sum, uint32_t words) {
    uint32_t *keys = key_buffer(ctx, sum->total), n = 0;
    for (int32_t color = sum->lo; color <= sum->hi; color++) {
        n += color_keys(r, sum, color, words, keys + n);
    }
    collect_trim(ctx, keys, sum->total * sizeof *keys, n * sizeof *keys);
    return val_keys_sorted(r->plan->result.kind == CTERM_COLORED ? VAL_OBJ_CORE : VAL_INDICES, keys, n);
}

/* The empty sum for a plan's results; false: they have too many colors. */
static bool open_sum(Sum *sum, const Run *r, uint32_t words) {
    const CplanTerm *t = &r->plan->result;
    bool colored = t->kind == CTERM_COLORED;
    uint32_t colors = colored ? (uint32_t)(t->a.hi - t->a.lo) + 1 : 1;
    sum->top = r->height;
    sum->end = 0;
    sum->total = 0;
    sum->ordered = true;
    sum->last = INT64_MIN;
    sum->stride = r->height * words;
    sum->least = colored ? t->a.lo : 0;
    sum->lo = colored ? INT32_MAX : 0;
    sum->hi = colored ? INT32_MIN : 0;
    if ((uint64_t)colors * sum->stride > SUM_WORDS) {
        return false;
    }
    memset(sum->rows, 0, colors * sum->stride * sizeof *sum->rows);
    return true;
}

/* The box around all colors. */
static Box sum_box(const Sum *sum, uint32_t words) {
    Box all = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
    for (int32_t color = sum->lo; color <= sum->hi; color++) {
        const uint64_t *rows = sum->rows + (uint32_t)(color - sum->least) * sum->stride;
        uint64_t any = 0;
        for (uint32_t k = sum->top * words; k < sum->end * words; k++) {
            any |= rows[k];
        }
        if (any == 0) {
            continue;
        }
        Box b = rows_box(&(Bits){sum->top, sum->end, 1, 0, rows}, words);
        all.top = b.top < all.top ? b.top : all.top;
        all.left = b.left < all.left ? b.left : all.left;
        all.bottom = b.bottom > all.bottom ? b.bottom : all.bottom;
        all.right = b.right > all.right ? b.right : all.right;
    }
    return all;
}

static bool sorted_by_bits(const Sum *sum, uint32_t words) {
    Box box = sum_box(sum, words);
    return window_sorts(sum->total, box.bottom - box.top + 1, box.right - box.left + 1,
                        (uint32_t)(sum->hi - sum->lo) + 1);
}

bool patches_merged(Ctx *ctx, ClosurePlan *p, Val *to) {
    Run r;
    Sum sum;
    uint32_t words = words_of(p);
    begin(&r, p, words);
    if (!open_sum(&sum, &r, words)) {
        return false;
    }
    add_elements(&r, &sum, words);
    uint64_t n = p->elements, steps = r.steps + n * (p->nevents + p->charge);
    if (sum.total != 0) {
        if (sum.total > LIMIT_ELEMENTS) {
            return false;
        }
        /* collect_merge; then val_keys, unless it sorts by a set of bits */
        uint64_t buffer = ((sum.total * sizeof(uint32_t) + 15) & ~(uint64_t)15) >> 6;
        steps += (n + sum.total) / 32 + buffer;
        steps += sum.ordered || sorted_by_bits(&sum, words) ? 0 : buffer + sum.total / 2;
    }
    if (!affords(ctx, steps, r.bytes + n * p->room + 12 * sum.total + 64)) {
        return false;
    }
    int64_t fuel = ctx->fuel - (int64_t)steps;
    *to = sum.total != 0 ? sum_keys(ctx, &r, &sum, words) : VAL_EMPTY_SET;
    ctx->fuel = fuel;
    count_calls(ctx, &r);
    p->whole += (uint32_t)n;
    return true;
}
