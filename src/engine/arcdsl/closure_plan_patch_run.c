/* Running operations on sets of indices; see closure_plan_patch.h.
 *
 * Elements are taken some at a time, and each operation is done for all of these before the next one. So what
 * is to be done is decided once for all of them, and rows are no longer on their way to the cache when the
 * next operation reads them. A row of the window is one word, two if it has more than 64 columns, or four;
 * every operation is compiled for each. */
#include "engine/arcdsl/closure_plan_patch_run.h"

#include "engine/arcdsl/container_build.h"

#include <string.h>

/* ---- rows ---- */

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
    PatchRun *run;
    const PatchOp *op;
    uint32_t reg, from, n;
} Work;
typedef void (*Operation)(const Work *work);

/* An operation for one element: with columns at i, j, .. and registers at a, b, it sets *to, with its rows
 * below `rows`, and adds to *cost. Three functions go over several elements, for rows of one, two and four
 * words. */
typedef struct Place {
    const PatchRun *run;
    const PatchOp *op;
    const int32_t *i, *j, *k, *l;
    const Bits *a, *b;
    const Val *item; /* the element, if it comes as a value */
    uint64_t *rows;
} Place;

static const Bits nothing = {0};
static const Val no_item = {0};

INLINE void each(const Work *work, Bits (*one)(const Place *at, Cost *cost, const uint32_t words),
                 const uint32_t words) {
    PatchRun *r = work->run;
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
                op->step == PATCH_INPUT ? r->plan->inputs[0].c.v + r->plan->from + work->from : &no_item,
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

/* The same as join, with what collect_merge and val_keys charge: sorting keys costs steps unless they come in
 * order or are sorted by bits. */
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
    const PatchRun *r = at->run;
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
INLINE int32_t color_at(const PatchRun *r, Val grid, uint32_t row, uint32_t column) {
    return grid.b8[(row + (uint32_t)r->top) * grid.w + column + (uint32_t)r->left];
}

/* The places of a painted set that have this color. */
INLINE uint32_t picked_row(const PatchRun *r, Val grid, uint32_t row, uint32_t x, uint64_t bits,
                           int32_t color, uint64_t *kept) {
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
    const PatchRun *r = at->run;
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

INLINE int32_t count_color(PatchRun *r, const PatchOp *op, const Bits *a, int32_t color,
                           const uint32_t words) {
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
    PatchRun *r = work->run;
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

void patch_run_elements(PatchRun *r, uint32_t from, uint32_t n, uint32_t words) {
    const ClosurePlan *p = r->plan;
    Work work = {r, p->patches, 0, from, n};
    for (; work.reg < p->npatches; work.reg++, work.op++) {
        uint64_t steps = r->steps, bytes = r->bytes, cells = r->cells, firsts = r->firsts;
        operations[work.op->step][words / 2](&work);
        uint32_t again = p->repeats[work.reg];
        if (again != 0) {
            r->steps += again * (r->steps - steps);
            r->bytes += again * (r->bytes - bytes);
            r->cells += again * (r->cells - cells);
            r->firsts += again * (r->firsts - firsts);
        }
    }
}

/* The places of a constant that are in the window, for all lanes. */
static void set_constant(PatchRun *r, Val v, uint32_t reg, uint32_t words) {
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

void patch_run_begin(PatchRun *r, ClosurePlan *p, uint32_t words) {
    r->plan = p;
    r->top = p->window.top;
    r->left = p->window.left;
    r->height = p->window.top <= p->window.bottom ? (uint32_t)(p->window.bottom - p->window.top) + 1 : 0;
    r->steps = r->bytes = r->cells = r->firsts = 0;
    uint32_t fit = PATCH_SPACE / (p->npatches * r->height * words + 1);
    r->lanes = fit < PATCH_LANES ? fit : PATCH_LANES;
    for (uint32_t reg = 0; reg < p->npatches; reg++) {
        if (p->patches[reg].step == PATCH_CONSTANT) {
            set_constant(r, p->consts[p->patches[reg].b], reg, words);
        }
    }
}

bool patch_run_affords(Ctx *ctx, uint64_t steps, uint64_t bytes) {
    return (uint64_t)(ctx->end - ctx->top) >= bytes && ctx_ensure(ctx, steps);
}

void patch_run_count(Ctx *ctx, const PatchRun *r) {
#ifndef BATT_NO_PROFILER
    ctx->calls[P_astuple] += r->cells;
    ctx->calls[P_first] += r->firsts;
#else
    (void)ctx, (void)r;
#endif
}

bool patches_block(ClosurePlan *p, Ctx *ctx, uint32_t n) {
    PatchRun r;
    uint32_t words = patch_run_words(p);
    patch_run_begin(&r, p, words);
    for (uint32_t k = 0; k < n; k += r.lanes) {
        patch_run_elements(&r, k, n - k < r.lanes ? n - k : r.lanes, words);
    }
    uint64_t steps = r.steps + (uint64_t)n * (p->nevents + p->charge);
    bool good = patch_run_affords(ctx, steps, r.bytes + (uint64_t)n * p->room);
    if (good) {
        ctx->fuel -= (int64_t)steps;
        patch_run_count(ctx, &r);
    }
    return good;
}
