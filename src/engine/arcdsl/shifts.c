/* The union of one patch shifted by many pairs; see shifts.h. */
#include "engine/arcdsl/shifts.h"

#include "engine/arcdsl/closure_plan_patch.h"
#include "engine/arcdsl/container_build.h"
#include "engine/arcdsl/window.h"

#include <string.h>

typedef struct Shifts {
    ClosurePlan *plan;
    uint32_t down_by, right_by; /* columns of the pairs */
    Val patch;
    Box box;                       /* of the patch */
    int32_t up, down, left, right; /* bounds of the pairs */
    uint32_t unmoved;              /* number of pairs that are (0, 0) */
    /* what a call costs beside its events: steps, and bytes that it allocates */
    uint64_t walk, copy;
    bool stays; /* a patch that does not move is not copied */
} Shifts;

static size_t padded(size_t keys) {
    return (keys * sizeof(uint32_t) + 15) & ~(size_t)15;
}

/* ---- what is shifted ---- */

/* The patch that an operation on sets of indices shifts to a place, if it does only that. A patch that is no
 * value gets these keys. */
static bool shifted_bits(const ClosurePlan *plan, Shifts *s, uint32_t *keys) {
    const PatchOp *op = &plan->patches[plan->npatches - 1];
    uint32_t n = 0;
    if (plan->result.value != plan->npatches - 1 || plan->repeats[plan->result.value] != 0) {
        return false;
    }
    s->down_by = op->i;
    s->right_by = op->j;
    if (op->step == PATCH_SHIFT) {
        if (plan->npatches != 2 || plan->patches[0].step != PATCH_CONSTANT) {
            return false;
        }
        s->patch = plan->consts[plan->patches[0].b];
        s->walk = 2 * (s->patch.n >> 6);
        s->copy = padded(s->patch.n);
        s->stays = true;
        return s->patch.n != 0;
    }
    if (plan->npatches != 1) {
        return false;
    }
    if (op->step == PATCH_AROUND) {
        for (uint32_t k = 0; k < 9; k++) {
            if (k != 4 && op->b >> (k - (k > 4)) & 1) {
                keys[n++] = key_index((int32_t)k / 3 - 1, (int32_t)k % 3 - 1);
            }
        }
        s->copy = padded(8);
    } else if (op->step == PATCH_RAY) {
        /* places ascend, so a ray that goes up, or left in one row, begins at its end */
        bool back = op->by < 0 || (op->by == 0 && op->across < 0);
        int32_t from = back ? op->b : 0, step = back ? -1 : 1;
        for (; n <= op->b; n++, from += step) {
            keys[n] = key_index(op->by * from, op->across * from);
        }
        s->copy = padded(n);
    }
    s->patch = val_keys_sorted(VAL_INDICES, keys, n);
    return n != 0;
}

/* Whether a plan does nothing but shift one packed patch by pairs in columns. */
static bool only_shifts(const Ctx *ctx, const ClosurePlan *plan, Shifts *s, uint32_t *keys) {
    if (plan->result.kind == CTERM_PATCH) {
        return shifted_bits(plan, s, keys);
    }
    const CplanCall *c = &plan->calls[0];
    if (plan->ncalls != 1 || plan->result.kind != CTERM_VALUE || plan->result.value != c->to ||
        c->fn != prim_shift || c->nmoves != 1 || c->moves[0].to != 1 || c->moves[0].kind != CTERM_PAIR ||
        (c->args[0].kind != VAL_INDICES && c->args[0].kind != (unsigned)ctx_object_kind(ctx))) {
        return false;
    }
    s->patch = c->args[0];
    s->down_by = c->moves[0].a;
    s->right_by = c->moves[0].b;
    s->walk = 2 * (s->patch.n >> 6); /* a call walks the patch twice */
    s->copy = padded(s->patch.n);
    s->stays = true;
    return true;
}

/* ---- pairs ---- */

/* The pairs of the block that starts at element `from`; returns how many. */
static uint32_t next_pairs(const Shifts *s, uint32_t from, const int32_t **di, const int32_t **dj) {
    ClosurePlan *plan = s->plan;
    uint32_t left = plan->elements - from;
    if (from < plan->from || from >= plan->upto) {
        cplan_columns(plan, from, left);
    }
    *di = plan->columns[s->down_by];
    *dj = plan->columns[s->right_by];
    return left < plan->block ? left : plan->block;
}

static void reach(Shifts *s) {
    const int32_t *di, *dj;
    for (uint32_t k = 0, n; k < s->plan->elements; k += n) {
        n = next_pairs(s, k, &di, &dj);
        for (uint32_t x = 0; x < n; x++) {
            s->up = di[x] < s->up ? di[x] : s->up;
            s->down = di[x] > s->down ? di[x] : s->down;
            s->left = dj[x] < s->left ? dj[x] : s->left;
            s->right = dj[x] > s->right ? dj[x] : s->right;
            s->unmoved += (di[x] | dj[x]) == 0;
        }
    }
}

/* Whether all copies fit keys. */
static bool fits_keys(const Shifts *s) {
    int64_t bias = key_fields(s->patch.kind).bias;
    return s->box.top + s->up >= -bias && s->box.bottom + s->down < bias && s->box.left + s->left >= -bias &&
           s->box.right + s->right < bias;
}

/* ---- rows of bits ---- */

enum { WINDOW = 256, WORDS = WINDOW / 64 };

static inline int64_t height_of(const Shifts *s) {
    return s->box.bottom - s->box.top + s->down - s->up + 1;
}
static inline int64_t width_of(const Shifts *s) {
    return s->box.right - s->box.left + s->right - s->left + 1;
}

/* Places within a window, in as many words per row as they need. */
typedef struct BitRows {
    uint32_t height, words;
    uint64_t rows[WINDOW * WORDS];
} BitRows;

INLINE void bit_rows_open(BitRows *b, uint32_t height, uint32_t width, const bool narrow) {
    b->height = height;
    b->words = narrow ? 1 : (width + 63) / 64;
    memset(b->rows, 0, (size_t)height * b->words * sizeof *b->rows);
}
INLINE void bit_rows_set(BitRows *b, uint32_t i, uint32_t j, const bool narrow) {
    b->rows[narrow ? i : i * b->words + j / 64] |= (uint64_t)1 << (j % 64);
}

/* The keys from `keys` on that have the color of the first one; indices have no color. */
static uint32_t one_color(const Shifts *s, const uint32_t *keys) {
    const uint32_t *end = s->patch.k + s->patch.n;
    if (s->patch.kind == VAL_INDICES || (keys[0] ^ end[-1]) >> 24 == 0) {
        return (uint32_t)(end - keys);
    }
    uint32_t n = 1;
    while ((keys[n] ^ keys[0]) >> 24 == 0) {
        n++;
    }
    return n;
}

/* Rows that are shifted, if every place of one set is taken and all rows of the other shifted by it. */
static inline uint64_t rows_shifted(uint32_t places, uint32_t height) {
    return (uint64_t)places * height;
}

/* Whether it is worth the walk over the window, once for every color. */
static bool fits_rows(const Shifts *s, size_t total) {
    enum { SPARSE = 4, FREE = 256 };
    if (s->patch.kind == VAL_OBJ_BATT || height_of(s) > WINDOW || width_of(s) > WINDOW) {
        return false;
    }
    KeyFields f = key_fields(s->patch.kind);
    uint64_t words = (uint64_t)(width_of(s) + 63) / 64, work = 0;
    uint32_t pairs = s->plan->elements, reach = (uint32_t)(s->down - s->up) + 1;
    for (uint32_t at = 0, n; at < s->patch.n; at += n) {
        n = one_color(s, s->patch.k + at);
        uint32_t height =
            (uint32_t)(key_row_in(f, s->patch.k[at + n - 1]) - key_row_in(f, s->patch.k[at])) + 1;
        uint64_t by_pair = rows_shifted(pairs, height), by_place = rows_shifted(n, reach);
        work += (height + reach + (by_pair < by_place ? by_pair : by_place)) * words;
    }
    return work <= FREE + SPARSE * (uint64_t)total;
}

/* Adds all rows of b, moved to row i and column j. Where the window is one word wide, so is b; otherwise a
 * word of b falls into two, and the second may be the first one of the next row, which then gets no bits. */
INLINE void add_moved(uint64_t *restrict sum, uint32_t stride, const BitRows *b, uint32_t i, uint32_t j,
                      const bool narrow) {
    unsigned by = j % 64;
    uint64_t *restrict to = sum + i * stride + j / 64;
    for (uint32_t r = 0; r < b->height; r++, to += stride) {
        if (narrow) {
            *to |= b->rows[r] << by;
            continue;
        }
        for (uint32_t x = 0; x < b->words; x++) {
            uint64_t row = b->rows[r * b->words + x];
            to[x] |= row << by;
            to[x + 1] |= row >> 1 >> (63 - by);
        }
    }
}

/* The places of one color, shifted by every pair. */
INLINE void add_by_pairs(const Shifts *s, const uint32_t *keys, uint32_t n, uint64_t *sum, uint32_t stride,
                         const bool narrow) {
    KeyFields f = key_fields(s->patch.kind);
    BitRows places;
    int32_t top = key_row_in(f, keys[0]);
    bit_rows_open(&places, (uint32_t)(key_row_in(f, keys[n - 1]) - top) + 1,
                  (uint32_t)(s->box.right - s->box.left) + 1, narrow);
    for (uint32_t k = 0; k < n; k++) {
        bit_rows_set(&places, (uint32_t)(key_row_in(f, keys[k]) - top),
                     (uint32_t)(key_col_in(f, keys[k]) - s->box.left), narrow);
    }
    const int32_t *di, *dj;
    for (uint32_t k = 0, m; k < s->plan->elements; k += m) {
        m = next_pairs(s, k, &di, &dj);
        for (uint32_t x = 0; x < m; x++) {
            add_moved(sum, stride, &places, (uint32_t)(di[x] - s->up), (uint32_t)(dj[x] - s->left), narrow);
        }
    }
}

/* The pairs, shifted by every place of one color. */
INLINE void add_by_places(const Shifts *s, const uint32_t *keys, uint32_t n, const BitRows *pairs,
                          uint64_t *sum, uint32_t stride, const bool narrow) {
    KeyFields f = key_fields(s->patch.kind);
    int32_t top = key_row_in(f, keys[0]);
    for (uint32_t k = 0; k < n; k++) {
        add_moved(sum, stride, pairs, (uint32_t)(key_row_in(f, keys[k]) - top),
                  (uint32_t)(key_col_in(f, keys[k]) - s->box.left), narrow);
    }
}

INLINE void pair_rows(const Shifts *s, BitRows *pairs, const bool narrow) {
    bit_rows_open(pairs, (uint32_t)(s->down - s->up) + 1, (uint32_t)(s->right - s->left) + 1, narrow);
    const int32_t *di, *dj;
    for (uint32_t k = 0, n; k < s->plan->elements; k += n) {
        n = next_pairs(s, k, &di, &dj);
        for (uint32_t x = 0; x < n; x++) {
            bit_rows_set(pairs, (uint32_t)(di[x] - s->up), (uint32_t)(dj[x] - s->left), narrow);
        }
    }
}

/* The keys of all sums, color by color, which is their order. Returns how many. */
INLINE uint32_t sum_of_rows(const Shifts *s, uint32_t *keys, const bool narrow) {
    KeyFields f = key_fields(s->patch.kind);
    BitRows pairs;
    pairs.height = 0; /* not made yet */
    uint64_t sum[WINDOW * WORDS + 1];
    uint32_t stride = narrow ? 1 : (uint32_t)(width_of(s) + 63) / 64, kept = 0;
    uint32_t left = (uint32_t)(s->box.left + s->left + f.bias), reach = (uint32_t)(s->down - s->up) + 1;
    for (uint32_t at = 0, n; at < s->patch.n; at += n) {
        const uint32_t *part = s->patch.k + at;
        n = one_color(s, part);
        int32_t top = key_row_in(f, part[0]);
        uint32_t rows = (uint32_t)(key_row_in(f, part[n - 1]) - top) + 1, height = rows + reach - 1;
        memset(sum, 0, (height * stride + 1) * sizeof *sum);
        if (rows_shifted(s->plan->elements, rows) < rows_shifted(n, reach)) {
            add_by_pairs(s, part, n, sum, stride, narrow);
        } else {
            if (pairs.height == 0) {
                pair_rows(s, &pairs, narrow);
            }
            add_by_places(s, part, n, &pairs, sum, stride, narrow);
        }
        uint32_t color = s->patch.kind == VAL_INDICES ? 0 : part[0] & 0xff000000u;
        uint32_t first = color | (uint32_t)(top + s->up + f.bias) << f.row | left;
        kept += window_keys(sum, height, first, 1u << f.row, keys + kept, stride);
    }
    return kept;
}

static __attribute__((noinline)) uint32_t sum_narrow(const Shifts *s, uint32_t *keys) {
    return sum_of_rows(s, keys, true);
}
static __attribute__((noinline)) uint32_t sum_wide(const Shifts *s, uint32_t *keys) {
    return sum_of_rows(s, keys, false);
}

/* ---- what sorting copies would have cost ---- */

/* Whether the copies of a patch of one color come in ascending order. */
static bool in_order(const Shifts *s) {
    KeyFields f = key_fields(s->patch.kind);
    uint32_t first = s->patch.k[0], last = s->patch.k[s->patch.n - 1], before = 0;
    const int32_t *di, *dj;
    for (uint32_t k = 0, n; k < s->plan->elements; k += n) {
        n = next_pairs(s, k, &di, &dj);
        for (uint32_t x = 0; x < n; x++) {
            uint32_t by = ((uint32_t)di[x] << f.row) + ((uint32_t)dj[x] << f.col);
            if (k + x != 0 && before >= first + by) {
                return false;
            }
            before = last + by;
        }
    }
    return true;
}

/* Steps that val_keys would have charged for all copies. */
static uint64_t sort_steps(const Shifts *s, size_t total) {
    bool colored = s->patch.kind != VAL_INDICES;
    uint32_t colors = colored ? (s->patch.k[s->patch.n - 1] >> 24) - (s->patch.k[0] >> 24) + 1 : 1;
    if (window_sorts(total, height_of(s), width_of(s), colors) || (colors == 1 && in_order(s))) {
        return 0;
    }
    return (padded(total) >> 6) + total / 2;
}

/* ---- copies ---- */

static Val sum_of_copies(Ctx *ctx, const Shifts *s, uint32_t *keys, uint32_t total) {
    KeyFields f = key_fields(s->patch.kind);
    const int32_t *di, *dj;
    uint32_t *to = keys;
    for (uint32_t k = 0, n; k < s->plan->elements; k += n) {
        n = next_pairs(s, k, &di, &dj);
        for (uint32_t x = 0; x < n; x++) {
            uint32_t by = ((uint32_t)di[x] << f.row) + ((uint32_t)dj[x] << f.col);
            for (uint32_t y = 0; y < s->patch.n; y++) {
                *to++ = s->patch.k[y] + by;
            }
        }
    }
    return val_keys(ctx, (Kind)s->patch.kind, keys, total);
}

bool shifts_merged(Ctx *ctx, ClosurePlan *plan, Val *to) {
    Shifts s = {.plan = plan};
    uint32_t patch[PATCH_WINDOW];
    if (!only_shifts(ctx, plan, &s, patch)) {
        return false;
    }
    Val p = s.patch;
    size_t n = plan->elements, total = n * p.n;
    uint64_t steps = plan->nevents + plan->charge + s.walk + (s.copy >> 6);
    if (total > LIMIT_ELEMENTS || (size_t)(ctx->end - ctx->top) < n * s.copy + 16 * total + 64 ||
        !ctx_ensure(ctx, n * steps + 2 * total)) {
        return false;
    }
    s.box = keys_box(p);
    s.up = s.left = INT32_MAX;
    s.down = s.right = INT32_MIN;
    reach(&s);
    if (!fits_keys(&s)) {
        plan->from = plan->upto = 0; /* elements will be asked for from the first one on again */
        return false;
    }
    uint32_t *keys = key_buffer(ctx, total);
    ctx->fuel -= (int64_t)(n * steps - (s.stays ? s.unmoved * (s.copy >> 6) : 0) + (n + total) / 32);
    plan->whole += (uint32_t)n;
    if (fits_rows(&s, total)) {
        ctx->fuel -= (int64_t)sort_steps(&s, total);
        uint32_t kept = width_of(&s) <= 64 ? sum_narrow(&s, keys) : sum_wide(&s, keys);
        collect_trim(ctx, keys, total * sizeof *keys, kept * sizeof *keys);
        *to = VAL_CHECKED(val_keys_sorted((Kind)p.kind, keys, kept));
    } else {
        *to = sum_of_copies(ctx, &s, keys, (uint32_t)total);
    }
    return true;
}
