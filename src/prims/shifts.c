/* The union of one patch shifted by many pairs; see shifts.h. */
#include "prims/shifts.h"

#include "prims/patchset.h"

/* up to SORTED_BY_COPYING keys, val_keys sorts in another way, which is charged */
enum { SIDE = 64, SORTED_BY_COPYING = 24 };

typedef struct Shifts {
    Plan *plan;
    uint32_t down_by, right_by; /* columns of the pairs */
    Val patch;
    Box box;                       /* of the patch */
    int32_t up, down, left, right; /* bounds of the pairs */
    uint32_t unmoved;              /* number of pairs that are (0, 0) */
} Shifts;

/* Whether a plan does nothing but shift one packed patch by pairs in columns: indices, or an object. */
static bool only_shifts(const Ctx *ctx, const Plan *plan, Shifts *s) {
    if (plan->result.kind == TERM_PATCH) {
        const PatchOp *patch = &plan->patches[0], *shift = &plan->patches[1];
        s->patch = plan->consts[patch->b];
        s->down_by = shift->i;
        s->right_by = shift->j;
        return plan->npatches == 2 && patch->step == PATCH_CONSTANT && shift->step == PATCH_SHIFT &&
               plan->result.value == 1 && s->patch.n != 0;
    }
    const PlanCall *c = &plan->calls[0];
    s->patch = c->args[0];
    s->down_by = c->moves[0].a;
    s->right_by = c->moves[0].b;
    return plan->ncalls == 1 && plan->result.kind == TERM_VALUE && plan->result.value == c->to &&
           c->fn == prim_shift && c->nmoves == 1 && c->moves[0].to == 1 && c->moves[0].kind == TERM_PAIR &&
           (c->args[0].kind == VAL_INDICES || c->args[0].kind == (unsigned)ctx_object_kind(ctx));
}

/* The pairs of the block that starts at element `from`; returns how many. */
static uint32_t next_pairs(const Shifts *s, uint32_t from, const int32_t **di, const int32_t **dj) {
    Plan *plan = s->plan;
    uint32_t left = plan->elements - from;
    if (from < plan->from || from >= plan->upto) {
        plan_columns(plan, from, left);
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

static bool fits_rows(const Shifts *s, size_t total) {
    bool plain = s->patch.kind == VAL_INDICES ||
                 (s->patch.kind == VAL_OBJ_CORE && (s->patch.k[0] ^ s->patch.k[s->patch.n - 1]) >> 24 == 0);
    return plain && total > SORTED_BY_COPYING && s->box.bottom - s->box.top + s->down - s->up < SIDE &&
           s->box.right - s->box.left + s->right - s->left < SIDE;
}

/* Rows of the patch are shifted by every pair, or rows of pairs by every place of the patch; whichever is
 * fewer is taken one by one. */
static void add_patch_rows(const Shifts *s, const int32_t *di, const int32_t *dj, uint32_t n, uint64_t *sum) {
    KeyFields f = key_fields(s->patch.kind);
    uint64_t rows[SIDE] = {0};
    uint32_t height = (uint32_t)(s->box.bottom - s->box.top) + 1;
    for (uint32_t k = 0; k < s->patch.n; k++) {
        uint32_t key = s->patch.k[k];
        rows[key_row_in(f, key) - s->box.top] |= (uint64_t)1 << (key_col_in(f, key) - s->box.left);
    }
    for (uint32_t k = 0; k < n; k++) {
        uint64_t *to = sum + (di[k] - s->up);
        int32_t by = dj[k] - s->left;
        for (uint32_t i = 0; i < height; i++) {
            to[i] |= rows[i] << by;
        }
    }
}

static void add_pair_rows(const Shifts *s, const int32_t *di, const int32_t *dj, uint32_t n, uint64_t *sum) {
    KeyFields f = key_fields(s->patch.kind);
    uint64_t rows[SIDE] = {0};
    uint32_t height = (uint32_t)(s->down - s->up) + 1;
    for (uint32_t k = 0; k < n; k++) {
        rows[di[k] - s->up] |= (uint64_t)1 << (dj[k] - s->left);
    }
    for (uint32_t k = 0; k < s->patch.n; k++) {
        uint32_t key = s->patch.k[k];
        uint64_t *to = sum + (key_row_in(f, key) - s->box.top);
        int64_t by = key_col_in(f, key) - s->box.left;
        for (uint32_t i = 0; i < height; i++) {
            to[i] |= rows[i] << by;
        }
    }
}

static Val sum_of_rows(const Shifts *s, uint32_t *keys) {
    uint64_t sum[SIDE] = {0};
    const int32_t *di, *dj;
    for (uint32_t k = 0, n; k < s->plan->elements; k += n) {
        n = next_pairs(s, k, &di, &dj);
        if (n < s->patch.n) {
            add_patch_rows(s, di, dj, n, sum);
        } else {
            add_pair_rows(s, di, dj, n, sum);
        }
    }
    KeyFields f = key_fields(s->patch.kind);
    uint32_t top = (uint32_t)(s->box.top + s->up + f.bias), left = (uint32_t)(s->box.left + s->left + f.bias),
             n = 0;
    uint32_t base =
        (s->patch.kind == VAL_INDICES ? 0 : s->patch.k[0] & 0xff000000u) | top << f.row | left << f.col;
    uint32_t height = (uint32_t)(s->box.bottom - s->box.top + s->down - s->up) + 1;
    for (uint32_t i = 0; i < height; i++, base += 1u << f.row) {
        for (uint64_t bits = sum[i]; bits != 0; bits &= bits - 1) {
            keys[n++] = base + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return val_keys_sorted((Kind)s->patch.kind, keys, n);
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

bool shifts_merged(Ctx *ctx, Plan *plan, Val *to) {
    Shifts s = {.plan = plan};
    if (!only_shifts(ctx, plan, &s)) {
        return false;
    }
    Val p = s.patch;
    size_t n = plan->elements, total = n * p.n, copy = (p.n * sizeof(uint32_t) + 15) & ~(size_t)15;
    /* a call walks the patch twice, and allocates a copy unless the patch does not move */
    uint64_t steps = plan->nevents + 2 * (p.n >> 6) + (copy >> 6);
    if (total > LIMIT_ELEMENTS || ctx->fuel < (int64_t)(n * steps + 2 * total) ||
        (size_t)(ctx->end - ctx->top) < n * copy + 16 * total + 64) {
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
    ctx->fuel -= (int64_t)(n * steps - s.unmoved * (copy >> 6) + (n + total) / 32);
    plan->whole += (uint32_t)n;
    *to = fits_rows(&s, total) ? sum_of_rows(&s, keys) : sum_of_copies(ctx, &s, keys, (uint32_t)total);
    return true;
}
