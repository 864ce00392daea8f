/* How two patches are positioned relative to each other: hmatching, vmatching, manhattan, adjacent,
 * gravitate.
 *
 * Packed patches become bit rows (a word of 64 columns per row) clipped to the window in which they can meet;
 * then testing whether they touch takes a shift and an `and`. */
#include "engine/arcdsl/packed_patch.h"
#include "engine/arcdsl/places.h"
#include "engine/primitives/prim.h"

#include <string.h>

enum { WINDOW = 64 }; /* columns of a bit row, and number of rows */

static inline int64_t min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* ---- matching rows and columns ---- */

/* The rows or columns that p has cells in, as bits: those from `from` on that fit a word. */
static uint64_t line_bits(Val p, bool rows, int64_t from) {
    KeyFields f = key_fields(p.kind);
    unsigned shift = rows ? f.row : f.col;
    uint32_t offset = (uint32_t)(from + f.bias);
    uint64_t bits = 0;
    for (uint32_t k = 0; k < p.n; k++) {
        uint32_t at = (p.k[k] >> shift & f.mask) - offset;
        bits |= at < WINDOW ? (uint64_t)1 << at : 0;
    }
    return bits;
}

static Val keys_match(Ctx *ctx, Val a, Val b, bool rows) {
    int64_t from = rows ? max_i64(keys_top(a), keys_top(b)) : max_i64(keys_left(a), keys_left(b));
    int64_t to = rows ? min_i64(keys_bottom(a), keys_bottom(b)) : min_i64(keys_right(a), keys_right(b));
    for (; from <= to; from += WINDOW) {
        if (!ctx_charge(ctx, (a.n + b.n) / 16)) {
            return val_fail_budget(ctx);
        }
        if ((line_bits(a, rows, from) & line_bits(b, rows, from)) != 0) {
            return val_bool(true);
        }
    }
    return val_bool(false);
}

static Val matching(Ctx *ctx, Val a, Val b, bool rows) {
    if (LIKELY(patch_packed(ctx, a, AS_PATCH) && patch_packed(ctx, b, AS_PATCH))) {
        return keys_match(ctx, a, b, rows);
    }
    Patch x, y;
    Reason why = patch_ix(ctx, a, AS_PATCH, &x);
    why = why == FAIL_NONE ? patch_ix(ctx, b, AS_PATCH, &y) : why;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    for (uint32_t k = 0; k < x.n; k++) {
        if (!ctx_charge(ctx, y.n / 64)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t m = 0; m < y.n; m++) {
            if (rows ? x.cells[k].i == y.cells[m].i : x.cells[k].j == y.cells[m].j) {
                return val_bool(true);
            }
        }
    }
    return val_bool(false);
}

Val prim_hmatching(Ctx *ctx, const Val *a) {
    return matching(ctx, a[0], a[1], true);
}
Val prim_vmatching(Ctx *ctx, const Val *a) {
    return matching(ctx, a[0], a[1], false);
}

/* ---- bit rows ---- */

/* The part of p inside the window of `height` x 64 places starting at (top, left), as bit rows. With
 * `across`, rows and columns are exchanged. */
static void fill_bits(Val p, int64_t top, int64_t left, uint32_t height, bool across, uint64_t *rows) {
    KeyFields f = key_fields(p.kind);
    if (across) {
        f = (KeyFields){f.col, f.row, f.bias, f.mask};
    }
    uint32_t up = (uint32_t)(top + f.bias), back = (uint32_t)(left + f.bias), at[PLACES], k = 0;
    memset(rows, 0, height * sizeof *rows);
    for (; k + PLACES <= p.n && places_in(p.k + k, f, up, back, height, WINDOW, at); k += PLACES) {
#pragma GCC unroll 8
        for (uint32_t m = 0; m < PLACES; m++) {
            rows[at[m] / WINDOW] |= (uint64_t)1 << at[m] % WINDOW;
        }
    }
    for (; k < p.n; k++) {
        uint32_t i = (p.k[k] >> f.row & f.mask) - up, j = (p.k[k] >> f.col & f.mask) - back;
        if (i < height && j < WINDOW) {
            rows[i] |= (uint64_t)1 << j;
        }
    }
}

/* near[r]: the places of row r that are in `rows` or directly beside a place in it. */
static void grow_bits(const uint64_t *rows, uint32_t height, uint64_t *near) {
    for (uint32_t r = 0; r < height; r++) {
        near[r] = rows[r] | rows[r] << 1 | rows[r] >> 1;
    }
    for (uint32_t r = 1; r < height; r++) {
        near[r] |= rows[r - 1];
        near[r - 1] |= rows[r];
    }
}

static bool any_common(const uint64_t *a, const uint64_t *b, uint32_t height) {
    uint64_t common = 0;
    for (uint32_t r = 0; r < height; r++) {
        common |= a[r] & b[r];
    }
    return common != 0;
}

static inline int64_t gap(Box a, Box b) { /* places of the two boxes are at least this far apart */
    return max_i64(0, max_i64(a.top - b.bottom, b.top - a.bottom)) +
           max_i64(0, max_i64(a.left - b.right, b.left - a.right));
}

/* ---- manhattan ---- */

/* Compares all pairs; -1: out of budget. The inner loop goes over the longer patch, where that is charged
 * alike, and its last cell stands in for those missing to a multiple of eight, so that it is made of whole
 * vectors. */
static int64_t distance_by_pairs(Ctx *ctx, Val a, Val b) {
    enum { CHUNK = 128, CHARGE_EVERY = 256, LANES = 8 };
    int32_t row[CHUNK], col[CHUNK], nearest = INT32_MAX;
    if (a.n > b.n && a.n <= CHUNK) {
        Val c = a;
        a = b;
        b = c;
    }
    KeyFields fa = key_fields(a.kind), fb = key_fields(b.kind);
    for (uint32_t from = 0; from < b.n; from += CHUNK) {
        uint32_t n = b.n - from < CHUNK ? b.n - from : CHUNK, whole = (n + LANES - 1) & ~(LANES - 1u);
        for (uint32_t k = 0; k < whole; k++) {
            uint32_t key = b.k[from + (k < n ? k : n - 1)];
            row[k] = key_row_in(fb, key);
            col[k] = key_col_in(fb, key);
        }
        for (uint32_t k = 0; k < a.n; k++) {
            if (k % CHARGE_EVERY == 0 &&
                !ctx_charge(ctx, (uint64_t)(a.n - k < CHARGE_EVERY ? a.n - k : CHARGE_EVERY) * n / 64)) {
                return -1;
            }
            int32_t i = key_row_in(fa, a.k[k]), j = key_col_in(fa, a.k[k]);
            for (uint32_t m = 0; m < whole; m++) {
                int32_t di = row[m] - i, dj = col[m] - j;
                int32_t d = (di < 0 ? -di : di) + (dj < 0 ? -dj : dj);
                nearest = d < nearest ? d : nearest;
            }
        }
    }
    return nearest;
}

/* For two patches in one window: grows a until it meets b. */
static int64_t distance_by_growing(Val a, Val b, Box all) {
    uint64_t reached[2][WINDOW], goal[WINDOW];
    uint32_t height = (uint32_t)(all.bottom - all.top) + 1;
    fill_bits(a, all.top, all.left, height, false, reached[0]);
    fill_bits(b, all.top, all.left, height, false, goal);
    int64_t d = 0;
    for (; !any_common(reached[d & 1], goal, height); d++) {
        grow_bits(reached[d & 1], height, reached[~d & 1]);
    }
    return d;
}

/* For so few pairs that nothing is charged, and any preparation would take longer. */
static int64_t distance_of_few(Val a, Val b) {
    KeyFields fa = key_fields(a.kind), fb = key_fields(b.kind);
    int32_t nearest = INT32_MAX;
    for (uint32_t k = 0; k < a.n; k++) {
        int32_t i = key_row_in(fa, a.k[k]), j = key_col_in(fa, a.k[k]);
        for (uint32_t m = 0; m < b.n; m++) {
            int32_t di = key_row_in(fb, b.k[m]) - i, dj = key_col_in(fb, b.k[m]) - j;
            int32_t d = (di < 0 ? -di : di) + (dj < 0 ? -dj : dj);
            nearest = d < nearest ? d : nearest;
        }
    }
    return nearest;
}

static Val manhattan_keys(Ctx *ctx, Val a, Val b) {
    enum { FEW_PAIRS = 512, VERY_FEW = 16 };
    uint64_t pairs = (uint64_t)a.n * b.n;
    if (pairs <= VERY_FEW) {
        return val_int(distance_of_few(a, b));
    }
    if (pairs > FEW_PAIRS) {
        Box x = keys_box(a), y = keys_box(b);
        Box all = {min_i64(x.top, y.top), min_i64(x.left, y.left), max_i64(x.bottom, y.bottom),
                   max_i64(x.right, y.right)};
        if (all.bottom - all.top < WINDOW && all.right - all.left < WINDOW) {
            return val_int(distance_by_growing(a, b, all));
        }
    }
    int64_t nearest = distance_by_pairs(ctx, a, b);
    return nearest >= 0 ? val_int(nearest) : val_fail_budget(ctx);
}

static Val manhattan_plain(Ctx *ctx, Val a, Val b) {
    if (ctx->mode == MODE_BATT &&
        (!val_is_container(a) || val_len(a) == 0 || !val_is_container(b) || val_len(b) == 0)) {
        return val_atom(ATOM_POS_INF);
    }
    Patch x, y;
    Reason why = patch_ix(ctx, a, AS_PATCH, &x);
    why = why == FAIL_NONE ? patch_ix(ctx, b, AS_PATCH, &y) : why;
    if (why == FAIL_NONE && (x.n == 0 || y.n == 0)) {
        why = FAIL_EMPTY;
    }
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    int64_t nearest = INT64_MAX;
    for (uint32_t k = 0; k < x.n; k++) {
        if (!ctx_charge(ctx, y.n / 64)) {
            return val_fail_budget(ctx);
        }
        for (uint32_t m = 0; m < y.n; m++) {
            int64_t di, dj, d;
            if (__builtin_sub_overflow(x.cells[k].i, y.cells[m].i, &di) ||
                __builtin_sub_overflow(x.cells[k].j, y.cells[m].j, &dj) || di == INT64_MIN ||
                dj == INT64_MIN || __builtin_add_overflow(di < 0 ? -di : di, dj < 0 ? -dj : dj, &d)) {
                return val_fail(FAIL_OVERFLOW);
            }
            nearest = min_i64(nearest, d);
        }
    }
    return val_int(nearest);
}

Val prim_manhattan(Ctx *ctx, const Val *a) {
    if (LIKELY(patch_packed(ctx, a[0], AS_PATCH) && patch_packed(ctx, a[1], AS_PATCH))) {
        return manhattan_keys(ctx, a[0], a[1]);
    }
    return manhattan_plain(ctx, a[0], a[1]);
}

/* ---- adjacent ---- */

Val prim_adjacent(Ctx *ctx, const Val *a) {
    Val p = a[0], q = a[1];
    if (LIKELY(patch_packed(ctx, p, AS_PATCH) && patch_packed(ctx, q, AS_PATCH))) {
        Box x = keys_box(p), y = keys_box(q);
        if (gap(x, y) > 1) {
            return val_bool(false);
        }
        x = box_grown(x, 1);
        y = box_grown(y, 1);
        int64_t top = max_i64(x.top, y.top), left = max_i64(x.left, y.left);
        int64_t height = min_i64(x.bottom, y.bottom) - top + 1;
        if (height <= WINDOW && min_i64(x.right, y.right) - left < WINDOW) {
            uint64_t bits[WINDOW], other[WINDOW], near[WINDOW];
            fill_bits(p, top, left, (uint32_t)height, false, bits);
            fill_bits(q, top, left, (uint32_t)height, false, other);
            grow_bits(other, (uint32_t)height, near);
            return val_bool(any_common(bits, near, (uint32_t)height) &&
                            !any_common(bits, other, (uint32_t)height));
        }
    }
    Val d = prim2(ctx, P_manhattan, p, q);
    return val_failed(d) ? d : val_bool(val_is_int(d) && d.i == 1);
}

/* ---- gravitate ---- */

enum { STEPS = 42 }; /* the most that an object falls */

/* The smallest number of steps after which `p` touches `q`; -1: they do not fit a window. Row 0 of q's bits
 * is the row before its first one, so that places near it have bits too; p's bits are clipped to the columns
 * in which it can meet q. */
static int64_t steps_to(Val p, Val q, Box x, Box y, bool across, int64_t direction) {
    uint64_t faller[WINDOW], target[WINDOW + 2], near[WINDOW + 2];
    int64_t first = across ? x.left : x.top, length = (across ? x.right : x.bottom) - first + 1;
    int64_t top = (across ? y.left : y.top) - 1, height = (across ? y.right : y.bottom) + 2 - top;
    int64_t left = (across ? y.top : y.left) - 1, width = (across ? y.bottom : y.right) + 2 - left;
    if (length > WINDOW || height > WINDOW + 2 || width > WINDOW) {
        return -1;
    }
    fill_bits(p, first, left, (uint32_t)length, across, faller);
    fill_bits(q, top, left, (uint32_t)height, across, target);
    grow_bits(target, (uint32_t)height, near);
    /* Before `start` steps the faller has not reached the target's first row, or its last from the other
     * side. */
    int64_t start = direction > 0 ? top - (first + length - 1) : first - (top + height - 1);
    for (int64_t k = max_i64(0, start); k < STEPS; k++) {
        int64_t at = first + k * direction - top; /* the row of q's bits where p's first row lies */
        int64_t from = max_i64(0, at), to = min_i64(height, at + length);
        if (from >= to) {
            break; /* p has passed q */
        }
        uint64_t touch = 0, overlap = 0;
        for (int64_t r = from; r < to; r++) {
            touch |= faller[r - at] & near[r];
            overlap |= faller[r - at] & target[r];
        }
        if (touch != 0 && overlap == 0) {
            return k;
        }
    }
    return STEPS;
}

static Val gravitate_plain(Ctx *ctx, Val source, Val target) {
    if (ctx->mode == MODE_BATT && !val_truth(target)) {
        return source;
    }
    Val a = prim1(ctx, P_center, source), b = prim1(ctx, P_center, target);
    int64_t ai, aj, bi, bj, i = 0, j = 0, k = 0;
    if (val_failed(a) || val_failed(b)) {
        return val_failed(a) ? a : b;
    }
    if (!val_get_pair(a, &ai, &aj) || !val_get_pair(b, &bi, &bj)) {
        return val_fail(FAIL_TYPE);
    }
    Val down = prim2(ctx, P_vmatching, source, target);
    if (val_failed(down)) {
        return down;
    }
    if (val_truth(down)) {
        i = ai < bi ? 1 : -1;
    } else {
        j = aj < bj ? 1 : -1;
    }
    for (; k < STEPS; k++) {
        Val touches = prim2(ctx, P_adjacent, source, target);
        if (val_failed(touches)) {
            return touches;
        }
        if (val_truth(touches)) {
            break;
        }
        source = prim2(ctx, P_shift, source, val_pair32((int32_t)i, (int32_t)j));
        if (val_failed(source)) {
            return source;
        }
    }
    return val_pair32((int32_t)(i * k), (int32_t)(j * k));
}

Val prim_gravitate(Ctx *ctx, const Val *a) {
    Val p = a[0], q = a[1];
    if (LIKELY(patch_packed(ctx, p, AS_PATCH) && patch_packed(ctx, q, AS_PATCH))) {
        Box x = keys_box(p), y = keys_box(q);
        Val below = keys_match(ctx, p, q, false);
        if (val_failed(below)) {
            return below;
        }
        bool down = below.i != 0;
        int64_t from = down ? x.top + ((x.bottom - x.top + 1) >> 1) : x.left + ((x.right - x.left + 1) >> 1);
        int64_t to = down ? y.top + ((y.bottom - y.top + 1) >> 1) : y.left + ((y.right - y.left + 1) >> 1);
        int64_t direction = from < to ? 1 : -1, k = steps_to(p, q, x, y, !down, direction);
        if (LIKELY(k >= 0)) {
            int32_t move = (int32_t)(k * direction);
            return down ? val_pair32(move, 0) : val_pair32(0, move);
        }
    }
    return gravitate_plain(ctx, p, q);
}
