/* Lines and neighbourhoods: sets of indices made from one or two places.
 *
 * Keys come out in ascending order. Places beyond the range of a key are made as pairs. */
#include "engine/arcdsl/rows.h"
#include "engine/primitives/prim.h"

static bool is_empty_tuple(Val v) {
    return v.kind == VAL_TUPLE && v.n == 0;
}

static bool is_empty(Val v) {
    return (v.kind == VAL_TUPLE || v.kind == VAL_SET) && v.n == 0;
}

/* n places starting at (i, j), in steps of (di, dj). They ascend: di > 0, or di = 0 and dj > 0. */
static Val line(Ctx *ctx, int64_t i, int64_t j, int64_t di, int64_t dj, int64_t n) {
    int64_t last_i = i + di * (n - 1), last_j = j + dj * (n - 1);
    if (n > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    if (LIKELY(FAST_PATH(ctx) && key_fits_index(i, j) && key_fits_index(last_i, last_j))) {
        uint32_t *keys = key_buffer(ctx, (size_t)n);
        if (keys == NULL) {
            return val_fail_budget(ctx);
        }
        uint32_t key = key_index((int32_t)i, (int32_t)j), step = (uint32_t)di * 0x10000u + (uint32_t)dj;
        for (uint32_t k = 0; k < n; k++) {
            keys[k] = key + k * step;
        }
        return val_keys_sorted(VAL_INDICES, keys, (uint32_t)n);
    }
    Val *items = val_buffer(ctx, (size_t)n);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (int64_t k = 0; k < n; k++) {
        items[k] = val_pair(ctx, i + k * di, j + k * dj);
        if (val_failed(items[k])) {
            return items[k];
        }
    }
    return val_set(ctx, items, (uint32_t)n);
}

/* ---- neighbours ---- */

typedef struct Offset {
    int8_t i, j;
} Offset;

static const Offset around[8] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};
enum { ORTHOGONAL = 0x5a, DIAGONAL = 0xa5, BOTH = 0xff }; /* which of the eight neighbours */

static inline Val neighbours(Ctx *ctx, Val loc, unsigned which) {
    int64_t i, j;
    Reason why = tuple_two_ints(loc, &i, &j);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint32_t n = 0;
    if (LIKELY(FAST_PATH(ctx) && i > -KEY_INDEX && i < KEY_INDEX - 1 && j > -KEY_INDEX &&
               j < KEY_INDEX - 1)) {
        uint32_t *keys = key_buffer(ctx, 8), key = key_index((int32_t)i, (int32_t)j);
        if (keys == NULL) {
            return val_fail_budget(ctx);
        }
        for (unsigned k = 0; k < 8; k++) {
            if (which >> k & 1) {
                keys[n++] = key + (uint32_t)(around[k].i * 0x10000 + around[k].j);
            }
        }
        return val_keys_sorted(VAL_INDICES, keys, n);
    }
    Val *items = val_buffer(ctx, 8);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    for (unsigned k = 0; k < 8; k++) {
        int64_t x, y;
        if ((which >> k & 1) == 0) {
            continue;
        }
        if (__builtin_add_overflow(i, around[k].i, &x) || __builtin_add_overflow(j, around[k].j, &y)) {
            return val_fail(FAIL_OVERFLOW);
        }
        items[n] = val_pair(ctx, x, y);
        if (val_failed(items[n++])) {
            return items[n - 1];
        }
    }
    return val_set(ctx, items, n);
}

/* In batt mode anything that is not a location has no neighbours, instead of failing. */
static inline Val neighbours_batt(Ctx *ctx, Val loc, unsigned which) {
    return is_empty_tuple(loc) || !val_is_tuple(loc) ? VAL_EMPTY_SET : neighbours(ctx, loc, which);
}

#define NEIGHBOURS(name, which)                      \
    Val prim_##name(Ctx *ctx, const Val *a) {        \
        return neighbours(ctx, a[0], which);         \
    }                                                \
    Val prim_##name##_batt(Ctx *ctx, const Val *a) { \
        return neighbours_batt(ctx, a[0], which);    \
    }
NEIGHBOURS(dneighbors, ORTHOGONAL)
NEIGHBOURS(ineighbors, DIAGONAL)
NEIGHBOURS(neighbors, BOTH)

/* ---- lines ---- */

static Val connected(Ctx *ctx, int64_t ai, int64_t aj, int64_t bi, int64_t bj) {
    if (bi < ai || (bi == ai && bj < aj)) { /* upper end first, so that the line ascends */
        int64_t i = ai, j = aj;
        ai = bi;
        aj = bj;
        bi = i;
        bj = j;
    }
    int64_t down, right, span;
    if (__builtin_sub_overflow(bi, ai, &down) || __builtin_sub_overflow(bj, aj, &right) ||
        __builtin_add_overflow(right < 0 ? -(right + 1) : right, 1, &span) || down == INT64_MAX) {
        return val_fail(FAIL_OVERFLOW);
    }
    if (down == 0) {
        return line(ctx, ai, aj, 0, 1, right + 1);
    }
    if (right == 0) {
        return line(ctx, ai, aj, 1, 0, down + 1);
    }
    if (right == down || right == -down) {
        return line(ctx, ai, aj, 1, right < 0 ? -1 : 1, down + 1);
    }
    return VAL_EMPTY_SET;
}

Val prim_connect(Ctx *ctx, const Val *a) {
    int64_t ai, aj, bi, bj;
    if (!val_get_pair(a[0], &ai, &aj) || !val_get_pair(a[1], &bi, &bj)) {
        return val_fail(FAIL_TYPE);
    }
    return connected(ctx, ai, aj, bi, bj);
}

Val prim_connect_batt(Ctx *ctx, const Val *a) {
    return is_empty_tuple(a[0]) || is_empty_tuple(a[1]) ? VAL_EMPTY_SET : prim_connect(ctx, a);
}

Val prim_shoot(Ctx *ctx, const Val *a) {
    enum { STEPS = 42 };
    int64_t i, j, di, dj;
    Reason why = val_get_pair(a[0], &i, &j) ? tuple_two_ints(a[1], &di, &dj) : FAIL_TYPE;
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    if (__builtin_mul_overflow(di, STEPS, &di) || __builtin_mul_overflow(dj, STEPS, &dj) ||
        __builtin_add_overflow(i, di, &di) || __builtin_add_overflow(j, dj, &dj)) {
        return val_fail(FAIL_OVERFLOW);
    }
    return connected(ctx, i, j, di, dj);
}

Val prim_shoot_batt(Ctx *ctx, const Val *a) {
    return is_empty(a[0]) || is_empty(a[1]) ? VAL_EMPTY_SET : prim_shoot(ctx, a);
}

enum { FRONTIER = 30 }; /* the side of the largest puzzle grid */

/* The 30 places of the row or column whose number is component k of the location: an integer (D5), in the
 * dialect any value, as its vectors have it. */
static Val frontier(Ctx *ctx, Val location, uint32_t k) {
    if (!val_is_tuple(location) || val_len(location) <= k) {
        return val_fail(val_is_tuple(location) ? FAIL_RANGE : FAIL_TYPE);
    }
    Val number = val_at(location, k);
    if (LIKELY(val_is_int(number))) {
        return k == 0 ? line(ctx, number.i, 0, 0, 1, FRONTIER) : line(ctx, 0, number.i, 1, 0, FRONTIER);
    }
    Val *items = ctx->mode == MODE_CORE ? NULL : val_buffer(ctx, FRONTIER);
    if (items == NULL) {
        return ctx->mode == MODE_CORE ? val_fail(FAIL_TYPE) : val_fail_budget(ctx);
    }
    for (uint32_t x = 0; x < FRONTIER; x++) {
        items[x] = k == 0 ? val_tuple2(ctx, number, val_int(x)) : val_tuple2(ctx, val_int(x), number);
        if (val_failed(items[x])) {
            return items[x];
        }
    }
    return val_set(ctx, items, FRONTIER);
}

Val prim_vfrontier(Ctx *ctx, const Val *a) {
    return frontier(ctx, a[0], 1);
}

Val prim_hfrontier(Ctx *ctx, const Val *a) {
    return frontier(ctx, a[0], 0);
}

Val prim_hfrontier_batt(Ctx *ctx, const Val *a) {
    return is_empty_tuple(a[0]) ? VAL_EMPTY_SET : frontier(ctx, a[0], 0);
}
