/* Extremes and orderings by a key function, and by how often a value occurs. */
#include "engine/arcdsl/container_build.h"
#include "engine/arcdsl/tally.h"

#include <string.h>

/* ---- by a key function ---- */

/* The first element with the greatest (sign 1) or least (sign -1) key: returns its position, with its key in
 * *best, or a failure in *best. Memory of keys that are not kept, or that need none, is released. */
INLINE uint32_t extreme_by_calls(Ctx *ctx, Each *each, uint32_t from, uint32_t n, uint32_t at, int sign,
                                 Val *best) {
    for (uint32_t k = from; k < n; k++) {
        CtxMark mark = ctx_mark(ctx);
        Val key = each_call(ctx, each, each_at(each, k));
        if (UNLIKELY(val_failed(key))) {
            *best = key;
            return 0;
        }
        bool better = k == 0;
        if (!better) {
            int order;
            if (LIKELY(key.kind == VAL_INT && best->kind == VAL_INT)) {
                better = sign > 0 ? key.i > best->i : key.i < best->i;
            } else if (!ctx_charge(ctx, val_cost(key, *best)) || !val_check_time(ctx, key, *best)) {
                *best = val_fail_budget(ctx);
                return 0;
            } else if (LIKELY(collect_compare(ctx, key, *best, &order))) {
                better = order * sign > 0;
            } else {
                *best = val_fail(FAIL_ORDER);
                return 0;
            }
        }
        if (key.kind <= VAL_CELL || !better) {
            ctx_release(ctx, mark);
        }
        if (better) {
            *best = key;
            at = k;
        }
    }
    return at;
}

/* The first extreme of a column: returns the number, with its position in *at. */
INLINE int32_t extreme_of(const int32_t *column, uint32_t n, int sign, uint32_t *at) {
    int32_t best = column[0];
    for (uint32_t k = 1; k < n; k++) {
        best = sign > 0 ? (column[k] > best ? column[k] : best) : (column[k] < best ? column[k] : best);
    }
    uint32_t k = 0;
    while (column[k] != best) {
        k++;
    }
    *at = k;
    return best;
}

INLINE uint32_t extreme_of_numbers(Ctx *ctx, Each *each, uint32_t n, int sign, Val *best) {
    ClosurePlan *plan = each->plan;
    uint32_t at = 0;
    for (uint32_t k = 0, m; k < n; k += m) {
        m = cplan_block(plan, ctx, k, n - k);
        if (m == 0) {
            m = 1;
            at = extreme_by_calls(ctx, each, k, k + 1, at, sign, best);
            if (val_failed(*best)) {
                return 0;
            }
            continue;
        }
        uint32_t place;
        int64_t x = extreme_of(plan->columns[plan->result.a.column], m, sign, &place);
        if (k == 0 || (sign > 0 ? x > best->i : x < best->i)) {
            *best = val_int(x);
            at = k + place;
        }
    }
    return at;
}

static NOINLINE uint32_t extreme_planned(Ctx *ctx, Val c, Val f, int sign, Val *best) {
    ClosurePlan plan;
    Each each = each_open_planned(ctx, f, c, &plan);
    uint32_t n = val_len(c);
    bool numbers = each_pure(&each) && plan.result.kind == CTERM_NUMBER && plan.result.a.column >= 0;
    uint32_t at = !numbers   ? extreme_by_calls(ctx, &each, 0, n, 0, sign, best)
                  : sign > 0 ? extreme_of_numbers(ctx, &each, n, 1, best)
                             : extreme_of_numbers(ctx, &each, n, -1, best);
    each_close(ctx, &each);
    return at;
}

/* Objects by size, which is what they are mostly asked for: nothing is called. False: that is not possible.
 */
INLINE bool extreme_by_size(Ctx *ctx, Val c, Val f, int sign, Val *best, uint32_t *at) {
    uint32_t n = val_len(c);
    if (f.kind != VAL_PRIM || ctx->fns[f.n] != prim_size || (c.kind != VAL_SET && c.kind != VAL_TUPLE) ||
        ctx->fuel < n || ctx->measure != NULL || ctx->stepwise || !FAST_PATH(ctx)) {
        return false;
    }
    uint32_t max = c.v[0].n, place = 0;
    bool packed = true;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t size = c.v[k].n;
        packed &= val_is_keys(c.v[k]);
        bool better = sign > 0 ? size > max : size < max;
        max = better ? size : max;
        place = better ? k : place;
    }
    if (!packed) {
        return false;
    }
    ctx->fuel -= n;
#ifndef BATT_NO_PROFILER
    ctx->calls[f.n] += n;
#endif
    *best = val_int(max);
    *at = place;
    return true;
}

INLINE uint32_t extreme_at(Ctx *ctx, Val c, Val f, int sign, Val *best) {
    uint32_t n = val_len(c), at;
    if (extreme_by_size(ctx, c, f, sign, best, &at)) {
        return at;
    }
    if (cplan_wanted(ctx, f, n)) {
        return extreme_planned(ctx, c, f, sign, best);
    }
    Each each = each_open(ctx, f, c);
    return extreme_by_calls(ctx, &each, 0, n, 0, sign, best);
}

INLINE Val arg_extreme(Ctx *ctx, Val c, Val f, int sign) {
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(c) == 0) {
        return val_fail(FAIL_EMPTY);
    }
    Val best;
    uint32_t at = extreme_at(ctx, c, f, sign, &best);
    return val_failed(best) ? best : val_at(c, at);
}

INLINE Val val_extreme(Ctx *ctx, Val c, Val f, int sign) {
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (val_len(c) == 0) {
        return call1(ctx, f, val_int(0));
    }
    Val best;
    extreme_at(ctx, c, f, sign, &best);
    return best;
}

Val prim_argmax(Ctx *ctx, const Val *a) {
    return arg_extreme(ctx, a[0], a[1], 1);
}

Val prim_argmin(Ctx *ctx, const Val *a) {
    return arg_extreme(ctx, a[0], a[1], -1);
}

Val prim_valmax(Ctx *ctx, const Val *a) {
    return val_extreme(ctx, a[0], a[1], 1);
}

Val prim_valmin(Ctx *ctx, const Val *a) {
    return val_extreme(ctx, a[0], a[1], -1);
}

Val prim_order(Ctx *ctx, const Val *a) {
    Val c = a[0], why;
    if (!val_is_container(c)) {
        return val_fail(FAIL_TYPE);
    }
    uint32_t n = val_len(c);
    if (n == 0) {
        return VAL_EMPTY_TUPLE;
    }
    Val *items = val_buffer(ctx, n);
    uint32_t few[64], *positions = n <= 64 ? few : key_buffer(ctx, n);
    if (items == NULL || positions == NULL) {
        return val_fail_budget(ctx);
    }
    CtxMark mark = ctx_mark(ctx);
    Val *keys = collect_keys(ctx, c, a[1], &why);
    if (keys == NULL) {
        return why;
    }
    Reason reason = collect_order(ctx, keys, n, false, positions);
    if (reason != FAIL_NONE) {
        return val_fail(reason);
    }
    ctx_release(ctx, mark);
    for (uint32_t k = 0; k < n; k++) {
        items[k] = val_at(c, positions[k]);
    }
    return val_tuple(ctx, items, n);
}

/* ---- by multiplicity ---- */

/* For small numbers: the one that occurs most (sign 1) or least (sign -1) often; ties go to the smallest. */
static Val common_byte(const int8_t *cells, uint32_t n, int sign) {
    int8_t min = cells[0], max = cells[0];
    for (uint32_t k = 1; k < n; k++) {
        min = cells[k] < min ? cells[k] : min;
        max = cells[k] > max ? cells[k] : max;
    }
    uint32_t counts[256], range = (uint32_t)(max - min) + 1, best = 0;
    memset(counts, 0, range * sizeof *counts);
    for (uint32_t k = 0; k < n; k++) {
        counts[cells[k] - min]++;
    }
    for (uint32_t x = 1; x < range; x++) { /* the smallest number always occurs */
        if (counts[x] != 0 && (sign > 0 ? counts[x] > counts[best] : counts[x] < counts[best])) {
            best = x;
        }
    }
    return val_int(min + (int64_t)best);
}

/* The same for rows of a grid. */
static Val common_row(Ctx *ctx, Val grid, int sign) {
    RowTally rows;
    Reason why = tally_rows(ctx, grid, &rows);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    Val best = val_at(grid, 0);
    uint32_t count = rows.counts[0];
    for (uint32_t k = 1; k < rows.n; k++) {
        int more = ((int)rows.counts[k] - (int)count) * sign;
        if (more < 0) {
            continue;
        }
        Val row = val_at(grid, rows.first[k]);
        if (more > 0 || val_cmp(row, best) < 0) {
            best = row;
            count = rows.counts[k];
        }
    }
    return best;
}

static Val common(Ctx *ctx, Val c, int sign) {
    uint32_t n = val_len(c);
    if (n == 0) {
        return val_fail(FAIL_EMPTY);
    }
    if (val_is_set(c)) {
        return val_at(c, 0);
    }
    if (c.kind == VAL_ROW8 && FAST_PATH(ctx)) {
        return ctx_charge(ctx, n / 64) ? common_byte(c.b8, n, sign) : val_fail_budget(ctx);
    }
    if (tally_fits_rows(c) && FAST_PATH(ctx)) {
        return common_row(ctx, c, sign);
    }
    CtxMark mark = ctx_mark(ctx);
    Tally tally;
    Reason why = tally_take(ctx, c, &tally);
    if (why != FAIL_NONE) {
        return val_fail(why);
    }
    uint32_t best = 0;
    for (uint32_t k = 1; k < tally.n; k++) {
        int64_t more = ((int64_t)tally.counts[k] - tally.counts[best]) * sign;
        if (more > 0 || (more == 0 && val_cmp(tally.items[k], tally.items[best]) < 0)) {
            best = k;
        }
    }
    Val v = tally.items[best];
    ctx_release(ctx, mark);
    return v;
}

Val prim_mostcommon(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? common(ctx, a[0], 1) : val_fail(FAIL_TYPE);
}

Val prim_leastcommon(Ctx *ctx, const Val *a) {
    return val_is_tuple(a[0]) ? common(ctx, a[0], -1) : val_fail(FAIL_TYPE);
}

Val prim_mostcommon_f(Ctx *ctx, const Val *a) {
    return val_is_container(a[0]) ? common(ctx, a[0], 1) : val_fail(FAIL_TYPE);
}

Val prim_leastcommon_f(Ctx *ctx, const Val *a) {
    return val_is_container(a[0]) ? common(ctx, a[0], -1) : val_fail(FAIL_TYPE);
}
