/* Merging the sets of indices, or objects of one color, that a plan makes for its elements. */
#include "engine/arcdsl/closure_plan_patch_run.h"
#include "engine/arcdsl/container_build.h"

#include <string.h>

enum { SUM_WORDS = 2048 };
_Static_assert(SUM_WORDS >= ROW_WORDS * PATCH_WINDOW, "room for one color");

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
            int64_t before = color * ((int64_t)1 << 32);
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

static void add_elements(PatchRun *r, Sum *sum, uint32_t words) {
    ClosurePlan *p = r->plan;
    CplanNumber color = p->result.a;
    int32_t same[PATCH_LANES];
    for (uint32_t k = 0; k < PATCH_LANES; k++) {
        same[k] = color.lo;
    }
    for (uint32_t at = 0, m; at < p->elements; at += m) {
        m = cplan_columns(p, at, p->elements - at);
        for (uint32_t k = 0, n; k < m; k += n) {
            n = m - k < r->lanes ? m - k : r->lanes;
            patch_run_elements(r, k, n, words);
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
static uint32_t color_keys(const PatchRun *r, const Sum *sum, int32_t color, uint32_t words, uint32_t *keys) {
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
static Val sum_keys(Ctx *ctx, const PatchRun *r, const Sum *sum, uint32_t words) {
    uint32_t *keys = key_buffer(ctx, sum->total), n = 0;
    for (int32_t color = sum->lo; color <= sum->hi; color++) {
        n += color_keys(r, sum, color, words, keys + n);
    }
    collect_trim(ctx, keys, sum->total * sizeof *keys, n * sizeof *keys);
    return val_keys_sorted(r->plan->result.kind == CTERM_COLORED ? VAL_OBJ_CORE : VAL_INDICES, keys, n);
}

/* The empty sum for a plan's results; false: they have too many colors. */
static bool open_sum(Sum *sum, const PatchRun *r, uint32_t words) {
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
    PatchRun r;
    Sum sum;
    uint32_t words = patch_run_words(p);
    patch_run_begin(&r, p, words);
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
    if (!patch_run_affords(ctx, steps, r.bytes + n * p->room + 12 * sum.total + 64)) {
        return false;
    }
    int64_t fuel = ctx->fuel - (int64_t)steps;
    *to = sum.total != 0 ? sum_keys(ctx, &r, &sum, words) : VAL_EMPTY_SET;
    ctx->fuel = fuel;
    patch_run_count(ctx, &r);
    p->whole += (uint32_t)n;
    return true;
}
