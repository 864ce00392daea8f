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
    if (plan->result.value != plan->npatches - 1) {
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

static inline int64_t height_of(const Shifts *s) {
    return s->box.bottom - s->box.top + s->down - s->up + 1;
}
static inline int64_t width_of(const Shifts *s) {
    return s->box.right - s->box.left + s->right - s->left + 1;
}

static bool fits_rows(const Shifts *s, size_t total) {
    bool plain = s->patch.kind == VAL_INDICES ||
                 (s->patch.kind == VAL_OBJ_CORE && (s->patch.k[0] ^ s->patch.k[s->patch.n - 1]) >> 24 == 0);
    return plain && height_of(s) <= PATCH_WINDOW && width_of(s) <= PATCH_WINDOW &&
           window_sorts(total, height_of(s), width_of(s));
}

INLINE void add_rows(uint64_t *to, const uint64_t *rows, uint32_t height, uint32_t by, const uint32_t words) {
    for (uint32_t i = 0; i < height; i++) {
        if (words == 1) {
            to[i] |= rows[i] << by;
        } else {
            uint64_t moved[2];
            row_shift(moved, rows + 2 * i, (int32_t)by, 2);
            to[2 * i] |= moved[0];
            to[2 * i + 1] |= moved[1];
        }
    }
}

INLINE void set_bit(uint64_t *rows, uint32_t i, uint32_t j, const uint32_t words) {
    rows[i * words + (words == 1 ? 0 : j / 64)] |= (uint64_t)1 << (j % 64);
}

/* Rows of the patch are shifted by every pair, or rows of pairs by every place of the patch; whichever is
 * fewer is taken one by one. */
INLINE void add_patch_rows(const Shifts *s, const int32_t *di, const int32_t *dj, uint32_t n, uint64_t *sum,
                           const uint32_t words) {
    KeyFields f = key_fields(s->patch.kind);
    uint64_t rows[PATCH_WINDOW * 2];
    uint32_t height = (uint32_t)(s->box.bottom - s->box.top) + 1;
    memset(rows, 0, height * words * sizeof *rows);
    for (uint32_t k = 0; k < s->patch.n; k++) {
        uint32_t key = s->patch.k[k];
        set_bit(rows, (uint32_t)(key_row_in(f, key) - s->box.top),
                (uint32_t)(key_col_in(f, key) - s->box.left), words);
    }
    for (uint32_t k = 0; k < n; k++) {
        add_rows(sum + (uint32_t)(di[k] - s->up) * words, rows, height, (uint32_t)(dj[k] - s->left), words);
    }
}

INLINE void add_pair_rows(const Shifts *s, const int32_t *di, const int32_t *dj, uint32_t n, uint64_t *sum,
                          const uint32_t words) {
    KeyFields f = key_fields(s->patch.kind);
    uint64_t rows[PATCH_WINDOW * 2];
    uint32_t height = (uint32_t)(s->down - s->up) + 1;
    memset(rows, 0, height * words * sizeof *rows);
    for (uint32_t k = 0; k < n; k++) {
        set_bit(rows, (uint32_t)(di[k] - s->up), (uint32_t)(dj[k] - s->left), words);
    }
    for (uint32_t k = 0; k < s->patch.n; k++) {
        uint32_t key = s->patch.k[k];
        add_rows(sum + (uint32_t)(key_row_in(f, key) - s->box.top) * words, rows, height,
                 (uint32_t)(key_col_in(f, key) - s->box.left), words);
    }
}

INLINE uint32_t sum_of_rows(const Shifts *s, uint32_t *keys, const uint32_t words) {
    uint64_t sum[PATCH_WINDOW * 2];
    uint32_t height = (uint32_t)height_of(s);
    memset(sum, 0, height * words * sizeof *sum);
    const int32_t *di, *dj;
    for (uint32_t k = 0, n; k < s->plan->elements; k += n) {
        n = next_pairs(s, k, &di, &dj);
        if (n < s->patch.n) {
            add_patch_rows(s, di, dj, n, sum, words);
        } else {
            add_pair_rows(s, di, dj, n, sum, words);
        }
    }
    KeyFields f = key_fields(s->patch.kind);
    uint32_t top = (uint32_t)(s->box.top + s->up + f.bias), left = (uint32_t)(s->box.left + s->left + f.bias);
    uint32_t color = s->patch.kind == VAL_INDICES ? 0 : s->patch.k[0] & 0xff000000u;
    return window_keys(sum, height, color | top << f.row | left << f.col, 1u << f.row, keys, words);
}

static __attribute__((noinline)) uint32_t sum_narrow(const Shifts *s, uint32_t *keys) {
    return sum_of_rows(s, keys, 1);
}
static __attribute__((noinline)) uint32_t sum_wide(const Shifts *s, uint32_t *keys) {
    return sum_of_rows(s, keys, 2);
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
        uint32_t kept = width_of(&s) <= 64 ? sum_narrow(&s, keys) : sum_wide(&s, keys);
        collect_trim(ctx, keys, total * sizeof *keys, kept * sizeof *keys);
        *to = val_keys_sorted((Kind)p.kind, keys, kept);
    } else {
        *to = sum_of_copies(ctx, &s, keys, (uint32_t)total);
    }
    return true;
}
