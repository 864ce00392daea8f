/* Running operations on sets of indices, element by element; see plan_patch.h.
 *
 * A row of the window is one word, or two if it has more than 64 columns; the functions below are made for
 * both. */
#include "prims/patchset.h"
#include "prims/plan_patch.h"

#include <string.h>

/* The rows from `top` up to `end`, all others are empty. */
typedef struct Bits {
    uint32_t top, end;
    uint32_t n;           /* places; of a constant also those outside the window */
    uint32_t colors;      /* of what is painted, as bits */
    const uint64_t *rows; /* row 0 of the window */
} Bits;

typedef struct Run {
    const Plan *plan;
    int32_t top, left; /* of the window */
    uint32_t height;
    uint64_t steps, bytes; /* that keys would have cost */
    Bits bits[PLAN_PATCHES];
    uint64_t space[PLAN_PATCHES][2 * PATCH_WINDOW];
} Run;

/* ---- rows ---- */

/* Sets `row` to the n bits from column j on. */
INLINE void row_set(uint64_t *row, uint32_t j, uint32_t n, const uint32_t words) {
    if (words == 1) {
        row[0] = (n < 64 ? ((uint64_t)1 << n) - 1 : UINT64_MAX) << j;
        return;
    }
    unsigned __int128 bits = (n < 128 ? ((unsigned __int128)1 << n) - 1 : ~(unsigned __int128)0) << j;
    row[0] = (uint64_t)bits;
    row[1] = (uint64_t)(bits >> 64);
}

/* Sets `row` to bits shifted to column j. */
INLINE void row_place(uint64_t *row, uint64_t bits, uint32_t j, const uint32_t words) {
    if (words == 1) {
        row[0] = bits << j;
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
    unsigned __int128 all = (unsigned __int128)from[1] << 64 | from[0];
    all = by >= 0 ? all << by : all >> -by;
    to[0] = (uint64_t)all;
    to[1] = (uint64_t)(all >> 64);
}

INLINE bool row_has(const uint64_t *row, uint32_t j) {
    return row[j / 64] >> (j % 64) & 1;
}

INLINE uint32_t count_rows(const uint64_t *rows, uint32_t from, uint32_t to, const uint32_t words) {
    uint32_t n = 0;
    for (uint32_t k = from * words; k < to * words; k++) {
        n += (uint32_t)__builtin_popcountll(rows[k]);
    }
    return n;
}

/* ---- costs ---- */

/* Of a buffer for n keys. */
static inline void cost_keys(Run *r, uint64_t n) {
    uint64_t bytes = (n * sizeof(uint32_t) + 15) & ~(uint64_t)15;
    r->bytes += bytes;
    r->steps += bytes >> 6;
}

/* Of walking a packed set. */
static inline void cost_walk(Run *r, const Bits *a) {
    r->steps += a->n >> 6;
}

/* ---- operations ---- */

static const Bits none = {0};

static inline int32_t number(const Run *r, uint32_t column, uint32_t k) {
    return r->plan->columns[column][k];
}
static inline uint32_t row_at(const Run *r, uint32_t column, uint32_t k) {
    return (uint32_t)(number(r, column, k) - r->top);
}
static inline uint32_t col_at(const Run *r, uint32_t column, uint32_t k) {
    return (uint32_t)(number(r, column, k) - r->left);
}

INLINE Bits point(Run *r, const PatchOp *op, uint64_t *rows, uint32_t k, const uint32_t words) {
    uint32_t i = row_at(r, op->i, k);
    row_place(rows + i * words, 1, col_at(r, op->j, k), words);
    r->bytes += sizeof(Val);
    return (Bits){i, i + 1, 1, 0, rows};
}

INLINE Bits around(Run *r, const PatchOp *op, uint64_t *rows, uint32_t k, const uint32_t words) {
    uint32_t i = row_at(r, op->i, k) - 1, j = col_at(r, op->j, k) - 1, which = op->b;
    row_place(rows + i * words, which & 7, j, words);
    row_place(rows + (i + 1) * words, (which >> 3 & 1) | (which >> 2 & 4), j, words);
    row_place(rows + (i + 2) * words, which >> 5, j, words);
    cost_keys(r, 8);
    return (Bits){i, i + 3, (uint32_t)__builtin_popcount(which), 0, rows};
}

INLINE Bits line(Run *r, const PatchOp *op, uint64_t *rows, uint32_t k, const uint32_t words) {
    uint32_t i = row_at(r, op->i, k), j = col_at(r, op->j, k), x = row_at(r, op->k, k),
             y = col_at(r, op->l, k);
    if (x < i) {
        uint32_t row = i, col = j;
        i = x;
        j = y;
        x = row;
        y = col;
    }
    uint32_t down = x - i, across = y > j ? y - j : j - y;
    if (down == 0) {
        row_set(rows + i * words, y > j ? j : y, across + 1, words);
        cost_keys(r, across + 1);
        return (Bits){i, i + 1, across + 1, 0, rows};
    }
    if (across != 0 && across != down) {
        return none;
    }
    uint32_t step = across == 0 ? 0 : y > j ? 1 : UINT32_MAX;
    uint64_t *row = rows + i * words;
    for (uint32_t at = 0; at <= down; at++, row += words, j += step) {
        row_place(row, 1, j, words);
    }
    cost_keys(r, down + 1);
    return (Bits){i, x + 1, down + 1, 0, rows};
}

enum { FRONTIER = 30 };

INLINE Bits frontier_row(Run *r, const PatchOp *op, uint64_t *rows, uint32_t k, const uint32_t words) {
    uint32_t i = row_at(r, op->i, k);
    row_set(rows + i * words, (uint32_t)-r->left, FRONTIER, words);
    cost_keys(r, FRONTIER);
    return (Bits){i, i + 1, FRONTIER, 0, rows};
}

INLINE Bits frontier_column(Run *r, const PatchOp *op, uint64_t *rows, uint32_t k, const uint32_t words) {
    uint32_t i = (uint32_t)-r->top, j = col_at(r, op->j, k);
    uint64_t bits[2];
    row_place(bits, 1, j, words);
    for (uint32_t at = 0; at < FRONTIER; at++) {
        for (uint32_t w = 0; w < words; w++) {
            rows[(i + at) * words + w] = bits[w];
        }
    }
    cost_keys(r, FRONTIER);
    return (Bits){i, i + FRONTIER, FRONTIER, 0, rows};
}

/* Copies a to `rows`, with empty rows from `top` up to `end` around it. */
INLINE void spread(const Bits *a, uint32_t top, uint32_t end, uint64_t *rows, const uint32_t words) {
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

INLINE Bits join(const Bits *a, const Bits *b, uint64_t *rows, const uint32_t words) {
    uint32_t top = a->top < b->top ? a->top : b->top, end = a->end > b->end ? a->end : b->end;
    spread(a, top, end, rows, words);
    for (uint32_t k = b->top * words; k < b->end * words; k++) {
        rows[k] |= b->rows[k];
    }
    return (Bits){top, end, count_rows(rows, top, end, words), 0, rows};
}

INLINE Bits insert(Run *r, const PatchOp *op, uint64_t *rows, uint32_t k, const uint32_t words) {
    const Bits *a = &r->bits[op->a];
    if (a->n == 0) {
        return point(r, op, rows, k, words);
    }
    uint32_t i = row_at(r, op->i, k), j = col_at(r, op->j, k);
    uint32_t top = a->top < i ? a->top : i, end = a->end > i ? a->end : i + 1;
    spread(a, top, end, rows, words);
    bool there = row_has(rows + i * words, j);
    rows[i * words + j / 64] |= (uint64_t)1 << (j % 64);
    cost_keys(r, (uint64_t)a->n + 1);
    return (Bits){top, end, a->n + !there, 0, rows};
}

INLINE Bits joined(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words) {
    const Bits *a = &r->bits[op->a], *b = &r->bits[op->b];
    if (a->n == 0 || b->n == 0) {
        return a->n != 0 ? *a : *b;
    }
    cost_keys(r, (uint64_t)a->n + b->n);
    return join(a, b, rows, words);
}

INLINE Bits common(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words) {
    const Bits *a = &r->bits[op->a], *b = &r->bits[op->b];
    if (a->n == 0 || b->n == 0) {
        return none;
    }
    cost_keys(r, a->n);
    uint32_t top = a->top > b->top ? a->top : b->top, end = a->end < b->end ? a->end : b->end, n = 0;
    for (uint32_t k = top * words; k < end * words; k++) {
        rows[k] = a->rows[k] & b->rows[k];
        n += (uint32_t)__builtin_popcountll(rows[k]);
    }
    return n != 0 ? (Bits){top, end, n, 0, rows} : none;
}

INLINE Bits without(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words) {
    const Bits *a = &r->bits[op->a], *b = &r->bits[op->b];
    if (a->n == 0 || b->n == 0) {
        return *a;
    }
    cost_keys(r, a->n);
    uint32_t n = 0;
    for (uint32_t i = a->top; i < a->end; i++) {
        bool met = i >= b->top && i < b->end;
        for (uint32_t k = i * words; k < (i + 1) * words; k++) {
            rows[k] = met ? a->rows[k] & ~b->rows[k] : a->rows[k];
            n += (uint32_t)__builtin_popcountll(rows[k]);
        }
    }
    return n != 0 ? (Bits){a->top, a->end, n, 0, rows} : none;
}

/* The box around something that is not empty; rows and columns of the window. */
INLINE Box box_of(const Bits *a, const uint32_t words) {
    uint64_t all[2] = {0, 0};
    uint32_t top = a->top, end = a->end;
    for (uint32_t k = a->top * words; k < a->end * words; k += words) {
        for (uint32_t w = 0; w < words; w++) {
            all[w] |= a->rows[k + w];
        }
    }
    while (a->rows[top * words] == 0 && (words == 1 || a->rows[top * words + 1] == 0)) {
        top++;
    }
    while (a->rows[(end - 1) * words] == 0 && (words == 1 || a->rows[(end - 1) * words + 1] == 0)) {
        end--;
    }
    int64_t left = all[0] != 0 ? __builtin_ctzll(all[0]) : 64 + __builtin_ctzll(all[1]);
    int64_t right = all[1] != 0 ? 127 - __builtin_clzll(all[1]) : 63 - __builtin_clzll(all[0]);
    return (Box){top, left, (int64_t)end - 1, right};
}

INLINE Bits backdrop(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words) {
    const Bits *a = &r->bits[op->a];
    if (a->n == 0) {
        return none;
    }
    cost_walk(r, a);
    Box b = box_of(a, words);
    uint32_t top = (uint32_t)b.top, end = (uint32_t)b.bottom + 1, w = (uint32_t)(b.right - b.left) + 1;
    uint64_t bits[2];
    row_set(bits, (uint32_t)b.left, w, words);
    for (uint32_t k = top; k < end; k++) {
        memcpy(rows + k * words, bits, words * sizeof *rows);
    }
    cost_keys(r, (uint64_t)(end - top) * w);
    return (Bits){top, end, (end - top) * w, 0, rows};
}

INLINE Bits delta(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words) {
    const Bits *a = &r->bits[op->a];
    if (a->n == 0) {
        return none;
    }
    cost_walk(r, a);
    if (a->n == 1) {
        return none;
    }
    cost_walk(r, a);
    Box b = box_of(a, words);
    uint32_t top = (uint32_t)b.top, end = (uint32_t)b.bottom + 1, w = (uint32_t)(b.right - b.left) + 1;
    uint32_t free = (end - top) * w - a->n;
    if (free == 0) {
        return none;
    }
    uint64_t bits[2];
    row_set(bits, (uint32_t)b.left, w, words);
    for (uint32_t k = top; k < end; k++) {
        for (uint32_t x = 0; x < words; x++) {
            rows[k * words + x] = bits[x] & ~a->rows[k * words + x];
        }
    }
    cost_keys(r, (uint64_t)free + 1);
    return (Bits){top, end, free, 0, rows};
}

INLINE Bits outline(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words) {
    const Bits *a = &r->bits[op->a];
    if (a->n == 0) {
        return none;
    }
    cost_walk(r, a);
    Box b = box_grown(box_of(a, words), op->by);
    uint32_t top = (uint32_t)(b.top < b.bottom ? b.top : b.bottom),
             bottom = (uint32_t)(b.top < b.bottom ? b.bottom : b.top),
             left = (uint32_t)(b.left < b.right ? b.left : b.right),
             right = (uint32_t)(b.left < b.right ? b.right : b.left), h = bottom - top, w = right - left;
    uint64_t sides[2], other[2];
    row_place(sides, 1, left, words);
    row_place(other, 1, right, words);
    for (uint32_t k = top; k <= bottom; k++) {
        for (uint32_t x = 0; x < words; x++) {
            rows[k * words + x] = sides[x] | other[x];
        }
    }
    row_set(rows + top * words, left, w + 1, words);
    row_set(rows + bottom * words, left, w + 1, words);
    cost_keys(r, 2 * ((uint64_t)h + w + 2));
    return (Bits){top, bottom + 1, h == 0 ? w + 1 : w == 0 ? h + 1 : 2 * (h + w), 0, rows};
}

INLINE Bits corners(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words) {
    const Bits *a = &r->bits[op->a];
    cost_walk(r, a);
    Box b = box_of(a, words);
    uint32_t top = (uint32_t)b.top, bottom = (uint32_t)b.bottom;
    uint64_t sides[2], other[2];
    row_place(sides, 1, (uint32_t)b.left, words);
    row_place(other, 1, (uint32_t)b.right, words);
    for (uint32_t k = top; k <= bottom; k++) {
        for (uint32_t x = 0; x < words; x++) {
            rows[k * words + x] = k == top || k == bottom ? sides[x] | other[x] : 0;
        }
    }
    cost_keys(r, 4);
    return (Bits){top, bottom + 1, (1u + (top != bottom)) * (1u + (b.left != b.right)), 0, rows};
}

INLINE Bits shifted(Run *r, const PatchOp *op, uint64_t *rows, uint32_t k, const uint32_t words) {
    const Bits *a = &r->bits[op->a];
    int32_t di = number(r, op->i, k), dj = number(r, op->j, k);
    if (a->n == 0) {
        return none;
    }
    cost_walk(r, a); /* prim_shift, and patch_shifted once more */
    cost_walk(r, a);
    if ((di | dj) == 0) {
        return *a;
    }
    cost_keys(r, a->n);
    uint32_t top = a->top + (uint32_t)di, end = a->end + (uint32_t)di;
    for (uint32_t from = a->top, to = top; from < a->end; from++, to++) {
        row_shift(rows + to * words, a->rows + from * words, dj, words);
    }
    return (Bits){top, end, a->n, 0, rows};
}

/* The part of a within a grid, and the colors there. */
INLINE Bits painted(Run *r, const PatchOp *op, uint64_t *rows, const uint32_t words, bool by_color) {
    const Bits *a = &r->bits[op->a];
    Val grid = r->plan->consts[op->b];
    if (a->n == 0) {
        return none;
    }
    cost_walk(r, a);
    cost_walk(r, a);
    cost_keys(r, a->n);
    uint32_t n = 0, colors = 0;
    for (uint32_t k = a->top; k < a->end; k++) {
        uint32_t i = k + (uint32_t)r->top;
        for (uint32_t x = 0; x < words; x++) {
            uint64_t kept = 0;
            for (uint64_t bits = i < grid.n ? a->rows[k * words + x] : 0; bits != 0; bits &= bits - 1) {
                uint32_t at = (uint32_t)__builtin_ctzll(bits), j = 64 * x + at + (uint32_t)r->left;
                if (j < grid.w) {
                    colors |= 1u << grid.b8[i * grid.w + j];
                    kept |= (uint64_t)1 << at;
                    n++;
                }
            }
            rows[k * words + x] = kept;
        }
    }
    if (by_color && (colors & (colors - 1)) != 0) {
        cost_keys(r, n);
    }
    return n != 0 ? (Bits){a->top, a->end, n, colors, rows} : none;
}

static inline void palette(Run *r, const PatchOp *op) {
    const Bits *a = &r->bits[op->a];
    uint32_t colors = (uint32_t)__builtin_popcount(a->colors);
    cost_walk(r, a);
    r->bytes += (colors + 1) * sizeof(Val);
    r->steps += colors * sizeof(Val) >> 6;
}

static inline int32_t count(const Run *r, const PatchOp *op, uint32_t k, const uint32_t words) {
    const Bits *a = &r->bits[op->a];
    switch ((PatchStep)op->step) {
    case PATCH_SIZE:
        return (int32_t)a->n;
    case PATCH_COLORS:
        return __builtin_popcount(a->colors);
    case PATCH_HAS_COLOR: {
        uint32_t color = (uint32_t)number(r, op->i, k);
        return color < PATCH_COLORS_MOST && (a->colors >> color & 1);
    }
    case PATCH_HAS:
    default: {
        uint32_t i = row_at(r, op->i, k), j = col_at(r, op->j, k);
        return i >= a->top && i < a->end && j < 64 * words && row_has(a->rows + i * words, j);
    }
    }
}

/* ---- elements ---- */

INLINE void do_op(Run *r, Plan *p, uint32_t reg, uint32_t k, const uint32_t words) {
    const PatchOp *op = &p->patches[reg];
    Bits *to = &r->bits[reg];
    uint64_t *rows = r->space[reg];
    switch ((PatchStep)op->step) {
    case PATCH_CONSTANT:
        break;
    case PATCH_POINT:
        *to = point(r, op, rows, k, words);
        break;
    case PATCH_AROUND:
        *to = around(r, op, rows, k, words);
        break;
    case PATCH_LINE:
        *to = line(r, op, rows, k, words);
        break;
    case PATCH_ROW:
        *to = frontier_row(r, op, rows, k, words);
        break;
    case PATCH_COLUMN:
        *to = frontier_column(r, op, rows, k, words);
        break;
    case PATCH_INSERT:
        *to = insert(r, op, rows, k, words);
        break;
    case PATCH_UNION:
        *to = joined(r, op, rows, words);
        break;
    case PATCH_COMMON:
        *to = common(r, op, rows, words);
        break;
    case PATCH_WITHOUT:
        *to = without(r, op, rows, words);
        break;
    case PATCH_BACKDROP:
        *to = backdrop(r, op, rows, words);
        break;
    case PATCH_DELTA:
        *to = delta(r, op, rows, words);
        break;
    case PATCH_OUTLINE:
        *to = outline(r, op, rows, words);
        break;
    case PATCH_CORNERS:
        *to = corners(r, op, rows, words);
        break;
    case PATCH_SHIFT:
        *to = shifted(r, op, rows, k, words);
        break;
    case PATCH_PAINTED:
        *to = painted(r, op, rows, words, p->object_kind == VAL_OBJ_CORE);
        break;
    case PATCH_PALETTE:
        palette(r, op);
        break;
    case PATCH_SIZE:
    case PATCH_HAS:
    case PATCH_COLORS:
    case PATCH_HAS_COLOR:
    case PATCH_STEPS:
    default:
        p->columns[op->to][k] = count(r, op, k, words);
    }
}

INLINE void do_element(Run *r, Plan *p, uint32_t k, const uint32_t words) {
    for (uint32_t reg = 0; reg < p->npatches; reg++) {
        do_op(r, p, reg, k, words);
    }
}

/* The places of a constant that are in the window. */
INLINE void constant(Run *r, Val v, uint32_t reg, const uint32_t words) {
    uint64_t *rows = r->space[reg];
    r->bits[reg] = (Bits){0, 0, v.n, 0, rows};
    uint32_t up = (uint32_t)(r->top + KEY_INDEX), back = (uint32_t)(r->left + KEY_INDEX), from = 0, n = v.n;
    while (from < n && v.k[from] >> 16 < up) {
        from++;
    }
    while (from < n && (v.k[n - 1] >> 16) - up >= r->height) {
        n--;
    }
    if (from == n) {
        return;
    }
    uint32_t top = (v.k[from] >> 16) - up, end = (v.k[n - 1] >> 16) - up + 1;
    r->bits[reg].top = top;
    r->bits[reg].end = end;
    memset(rows + top * words, 0, (end - top) * words * sizeof *rows);
    for (uint32_t k = from; k < n; k++) {
        uint32_t i = (v.k[k] >> 16) - up, j = (v.k[k] & 0xffff) - back;
        if (j < 64 * words) {
            rows[i * words + j / 64] |= (uint64_t)1 << (j % 64);
        }
    }
}

/* Words of a row of the window. */
static inline uint32_t words_of(const Plan *p) {
    return p->window.right - p->window.left < 64 ? 1 : 2;
}

INLINE void begin(Run *r, const Plan *p, const uint32_t words) {
    r->plan = p;
    r->top = p->window.top;
    r->left = p->window.left;
    r->height = p->window.top <= p->window.bottom ? (uint32_t)(p->window.bottom - p->window.top) + 1 : 0;
    r->steps = r->bytes = 0;
    for (uint32_t reg = 0; reg < p->npatches; reg++) {
        if (p->patches[reg].step == PATCH_CONSTANT) {
            constant(r, p->consts[p->patches[reg].b], reg, words);
        }
    }
}

/* Whether fuel and memory last for what was done. */
static bool affords(Ctx *ctx, uint64_t steps, uint64_t bytes) {
    return (uint64_t)(ctx->end - ctx->top) >= bytes && ctx_ensure(ctx, steps);
}

INLINE bool block(Plan *p, Ctx *ctx, uint32_t n, const uint32_t words) {
    Run r;
    begin(&r, p, words);
    for (uint32_t k = 0; k < n; k++) {
        do_element(&r, p, k, words);
    }
    uint64_t steps = r.steps + (uint64_t)n * (p->nevents + p->charge);
    bool good = affords(ctx, steps, r.bytes);
    ctx->fuel -= good ? (int64_t)steps : 0;
    return good;
}

static __attribute__((noinline)) bool block_narrow(Plan *p, Ctx *ctx, uint32_t n) {
    return block(p, ctx, n, 1);
}
static __attribute__((noinline)) bool block_wide(Plan *p, Ctx *ctx, uint32_t n) {
    return block(p, ctx, n, 2);
}

bool patches_block(Plan *p, Ctx *ctx, uint32_t n) {
    return words_of(p) == 1 ? block_narrow(p, ctx, n) : block_wide(p, ctx, n);
}

/* ---- merging ---- */

typedef struct Sum {
    uint32_t top, end; /* rows that may have bits */
    uint64_t total;    /* places of all sets together */
    uint64_t rows[2 * PATCH_WINDOW];
} Sum;

INLINE void add_up(Sum *sum, const Bits *a, const uint32_t words) {
    for (uint32_t k = a->top * words; k < a->end * words; k++) {
        sum->rows[k] |= a->rows[k];
    }
    if (a->n != 0) {
        sum->top = a->top < sum->top ? a->top : sum->top;
        sum->end = a->end > sum->end ? a->end : sum->end;
        sum->total += a->n;
    }
}

/* Whether val_keys would sort this many keys by a set of bits, which is not charged. */
static bool sorts_by_bits(uint64_t total, Box box) {
    enum { FEW = 24, WORDS = 512, FREE = 64, SPARSE = 4 };
    unsigned low = 32 - (unsigned)__builtin_clz((uint32_t)(box.right - box.left) | 1),
             mid = 32 - (unsigned)__builtin_clz((uint32_t)(box.bottom - box.top) | 1);
    uint64_t words = ((uint64_t)1 << (low + mid)) / 64 + 1;
    return total > FEW && words <= WORDS && words <= FREE + SPARSE * total;
}

INLINE bool merged(Ctx *ctx, Plan *p, Val *to, const uint32_t words) {
    Run r;
    Sum sum;
    begin(&r, p, words);
    sum.top = r.height;
    sum.end = 0;
    sum.total = 0;
    memset(sum.rows, 0, r.height * words * sizeof *sum.rows);
    const Bits *result = &r.bits[p->result.value];
    for (uint32_t at = 0, n; at < p->elements; at += n) {
        n = plan_columns(p, at, p->elements - at);
        for (uint32_t k = 0; k < n; k++) {
            do_element(&r, p, k, words);
            add_up(&sum, result, words);
        }
    }
    uint64_t n = p->elements, steps = r.steps + n * (p->nevents + p->charge);
    if (sum.total == 0) {
        *to = VAL_EMPTY_SET;
    } else {
        Box box = box_of(&(Bits){sum.top, sum.end, 1, 0, sum.rows}, words);
        if (sum.total > LIMIT_ELEMENTS || !sorts_by_bits(sum.total, box)) {
            return false;
        }
        /* collect_merge */
        steps += (n + sum.total) / 32 + (((sum.total * sizeof(uint32_t) + 15) & ~(uint64_t)15) >> 6);
    }
    if (!affords(ctx, steps, r.bytes + 8 * sum.total + 64)) {
        return false;
    }
    p->whole += (uint32_t)n;
    int64_t fuel = ctx->fuel - (int64_t)steps;
    if (sum.total == 0) {
        ctx->fuel = fuel;
        return true;
    }
    uint32_t kept = count_rows(sum.rows, sum.top, sum.end, words), *keys = key_buffer(ctx, kept), *out = keys;
    ctx->fuel = fuel;
    uint32_t base = key_index(r.top + (int32_t)sum.top, r.left);
    for (uint32_t i = sum.top; i < sum.end; i++, base += 1u << 16) {
        for (uint32_t x = 0; x < words; x++) {
            for (uint64_t bits = sum.rows[i * words + x]; bits != 0; bits &= bits - 1) {
                *out++ = base + 64 * x + (uint32_t)__builtin_ctzll(bits);
            }
        }
    }
    *to = val_keys_sorted(VAL_INDICES, keys, kept);
    return true;
}

static __attribute__((noinline)) bool merged_narrow(Ctx *ctx, Plan *p, Val *to) {
    return merged(ctx, p, to, 1);
}
static __attribute__((noinline)) bool merged_wide(Ctx *ctx, Plan *p, Val *to) {
    return merged(ctx, p, to, 2);
}

bool patches_merged(Ctx *ctx, Plan *p, Val *to) {
    return words_of(p) == 1 ? merged_narrow(ctx, p, to) : merged_wide(ctx, p, to);
}
