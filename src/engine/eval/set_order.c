/* Running programs with sets in other orders; see set_order.h. */
#include "engine/eval/set_order.h"

#include "base/alloc.h"

#include <string.h>

struct SetOrder {
    Ctx ctx; /* must be first: the replaced primitives get a pointer to it and find the rest from there */
    uint32_t variant;
    PrimFn fns[2][PRIM_COUNT]; /* by mode */
};

typedef struct OrderRow {
    uint32_t prim;
    const char *args;
} OrderRow;

static uint32_t variant_of(const Ctx *ctx) {
    return ((const SetOrder *)ctx)->variant;
}

/* Calls the original primitive, in the usual order. */
static Val usual(Ctx *ctx, uint32_t prim, const Val *args) {
    return prim_fn((Mode)ctx->mode, prim)(ctx, args);
}

/* ---- another order ---- */

/* Whether a comes before b: in the first variant the larger value comes first, in the others the one with the
 * smaller hash. */
static bool before(uint32_t variant, Val a, Val b) {
    if (variant == 1) {
        return val_cmp(a, b) > 0;
    }
    uint64_t ha = val_hash(a, variant), hb = val_hash(b, variant);
    return ha != hb ? ha < hb : val_cmp(a, b) < 0;
}

/* The elements of a set as a tuple in the other order; any other value is returned unchanged. */
static Val permuted(Ctx *ctx, Val set) {
    uint32_t n = val_is_set(set) ? val_len(set) : 0, variant = variant_of(ctx);
    if (n == 0) {
        return val_is_set(set) ? VAL_EMPTY_TUPLE : set;
    }
    Val *items = val_buffer(ctx, n);
    if (items == NULL || !ctx_charge(ctx, n)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) { /* this is backwards already; shuffles sort from there */
        items[k] = val_at(set, n - 1 - k);
    }
    if (variant > 1) {
        /* Shellsort: sets may have thousands of elements. */
        for (uint32_t gap = n / 2; gap > 0; gap /= 2) {
            for (uint32_t k = gap; k < n; k++) {
                Val v = items[k];
                uint32_t at = k;
                for (; at >= gap && before(variant, v, items[at - gap]); at -= gap) {
                    items[at] = items[at - gap];
                }
                items[at] = v;
            }
        }
    }
    return val_tuple(ctx, items, n);
}

/* ---- what set_order.def names ---- */

static Val run_permute(Ctx *ctx, OrderRow row, const Val *a) {
    Val args[4];
    for (uint32_t k = 0; k < prim_table[row.prim].arity; k++) {
        args[k] = row.args[k] == 's' && val_is_set(a[k]) && val_len(a[k]) > 1 ? permuted(ctx, a[k]) : a[k];
        if (val_failed(args[k])) {
            return args[k];
        }
    }
    return usual(ctx, row.prim, args);
}

static Val run_combine(Ctx *ctx, OrderRow row, const Val *a) {
    Val args[2] = {a[0], val_is_tuple(a[0]) && val_is_set(a[1]) ? permuted(ctx, a[1]) : a[1]};
    return val_failed(args[1]) ? args[1] : usual(ctx, row.prim, args);
}

static Val run_flatten(Ctx *ctx, OrderRow row, const Val *a) {
    Val outer = a[0];
    if (outer.kind == VAL_TUPLE && outer.n != 0) {
        Val *items = val_buffer(ctx, outer.n);
        if (items == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t k = 0; k < outer.n; k++) {
            items[k] = permuted(ctx, outer.v[k]);
            if (val_failed(items[k])) {
                return items[k];
            }
        }
        outer = val_tuple(ctx, items, outer.n);
    }
    return val_failed(outer) ? outer : usual(ctx, row.prim, &outer);
}

static Val merged(Ctx *ctx, Val parts, uint32_t merge) {
    return val_failed(parts) ? parts : prim1(ctx, merge, parts);
}

static Val run_mapply(Ctx *ctx, OrderRow row, const Val *a) {
    uint32_t apply = row.prim == P_mapply ? P_apply : row.prim == P_mapply_t ? P_apply_t : P_apply_f;
    uint32_t merge = row.prim == P_mapply ? P_merge : row.prim == P_mapply_t ? P_merge_t : P_merge_f;
    return merged(ctx, prim2(ctx, apply, a[0], a[1]), merge);
}

static Val run_mfilter(Ctx *ctx, OrderRow row, const Val *a) {
    return merged(ctx, prim2(ctx, P_sfilter, a[0], a[1]), row.prim == P_mfilter ? P_merge : P_merge_f);
}

static Val run_mpapply(Ctx *ctx, OrderRow row, const Val *a) {
    (void)row;
    return merged(ctx, prim3(ctx, P_papply, a[0], a[1], a[2]), P_merge);
}

/* Of the most (or least) frequent values, the one that comes first in the other order. */
static Val pick_tied(Ctx *ctx, Val values, bool most) {
    uint32_t n = val_len(values), best_count = 0;
    Val best = val_int(0), *copy = val_buffer(ctx, n);
    if (copy == NULL || !ctx_charge(ctx, (uint64_t)n * n / 16)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        copy[k] = val_at(values, k);
    }
    Val distinct = val_set(ctx, copy, n);
    for (uint32_t d = 0; !val_failed(distinct) && d < val_len(distinct); d++) {
        Val v = val_at(distinct, d);
        uint32_t count = 0;
        for (uint32_t k = 0; k < n; k++) {
            count += val_eq(v, val_at(values, k));
        }
        bool better = d == 0 || (most ? count > best_count : count < best_count);
        if (better || (count == best_count && before(variant_of(ctx), v, best))) {
            best = v;
            best_count = count;
        }
    }
    return val_failed(distinct) ? distinct : best;
}

static Val run_common(Ctx *ctx, OrderRow row, const Val *a) {
    Val v = usual(ctx, row.prim, a);
    return val_failed(v) || !val_is_container(a[0]) || val_len(a[0]) == 0 ? v : pick_tied(ctx, a[0], true);
}

static Val run_rare(Ctx *ctx, OrderRow row, const Val *a) {
    Val v = usual(ctx, row.prim, a);
    return val_failed(v) || !val_is_container(a[0]) || val_len(a[0]) == 0 ? v : pick_tied(ctx, a[0], false);
}

/* Counts each color in a byte grid or a packed object; false: it is something else. */
static bool count_colors(Val element, uint32_t counts[256]) {
    memset(counts, 0, 256 * sizeof *counts);
    if (element.kind == VAL_GRID8) {
        for (uint32_t k = 0; k < element.n * element.w; k++) {
            counts[element.b8[k] + 128]++;
        }
    } else if (element.kind == VAL_OBJ_CORE || element.kind == VAL_OBJ_BATT) {
        for (uint32_t k = 0; k < element.n; k++) {
            counts[key_color(element.kind, element.k[k]) + 128]++;
        }
    } else {
        return false;
    }
    return true;
}

static int tied_color(const Ctx *ctx, const uint32_t counts[256], bool most) {
    int best = -1;
    for (int c = 0; c < 256; c++) {
        if (counts[c] != 0 &&
            (best < 0 || (most ? counts[c] > counts[best] : counts[c] < counts[best]) ||
             (counts[c] == counts[best] && before(variant_of(ctx), val_int(c - 128), val_int(best - 128))))) {
            best = c;
        }
    }
    return best - 128;
}

static Val color_tie(Ctx *ctx, OrderRow row, const Val *a, bool most) {
    uint32_t counts[256];
    Val v = usual(ctx, row.prim, a);
    bool known = v.kind == VAL_INT && count_colors(a[0], counts) && val_len(a[0]) != 0;
    return known && (a[0].kind != VAL_GRID8 || a[0].w != 0) ? val_int(tied_color(ctx, counts, most)) : v;
}

static Val run_color_most(Ctx *ctx, OrderRow row, const Val *a) {
    return color_tie(ctx, row, a, true);
}

static Val run_color_least(Ctx *ctx, OrderRow row, const Val *a) {
    return color_tie(ctx, row, a, false);
}

static Val run_spread(Ctx *ctx, OrderRow row, const Val *a) {
    Val v = usual(ctx, row.prim, a);
    uint32_t n = val_is_tuple(v) ? val_len(v) : 0;
    Val *items = n > 1 ? val_buffer(ctx, n) : NULL;
    for (uint32_t k = 0; items != NULL && k < n; k++) {
        items[k] = val_at(v, k);
    }
    Val set = items != NULL ? val_set(ctx, items, n) : v;
    return val_failed(set) ? set : permuted(ctx, set);
}

/* ---- the background: two colors trade places, before and after ---- */

static Val swap_colors(Ctx *ctx, Val v, int a, int b) {
    if (v.kind == VAL_INT) {
        return v.i == a ? val_int(b) : v.i == b ? val_int(a) : v;
    }
    if (v.kind == VAL_GRID8) {
        Reason why;
        int8_t *cells = grid_buffer(ctx, v.n, v.w, &why);
        for (uint32_t k = 0; cells != NULL && k < v.n * v.w; k++) {
            cells[k] = (int8_t)(v.b8[k] == a ? b : v.b8[k] == b ? a : v.b8[k]);
        }
        return cells != NULL ? val_grid8(cells, v.n, v.w) : val_fail(why);
    }
    if (v.kind == VAL_OBJ_CORE || v.kind == VAL_OBJ_BATT) {
        uint32_t *keys = key_buffer(ctx, v.n);
        for (uint32_t k = 0; keys != NULL && k < v.n; k++) {
            int32_t i = key_row(v.kind, v.k[k]), j = key_col(v.kind, v.k[k]), c = key_color(v.kind, v.k[k]);
            c = c == a ? b : c == b ? a : c;
            keys[k] = v.kind == VAL_OBJ_CORE ? key_core(c, i, j) : key_batt(c, i, j);
        }
        return keys != NULL ? val_keys(ctx, (Kind)v.kind, keys, v.n) : val_fail_budget(ctx);
    }
    if (v.kind == VAL_SET) {
        Val *items = val_buffer(ctx, v.n);
        for (uint32_t k = 0; items != NULL && k < v.n; k++) {
            items[k] = swap_colors(ctx, v.v[k], a, b);
            if (val_failed(items[k])) {
                return items[k];
            }
        }
        return items != NULL ? val_set(ctx, items, v.n) : val_fail_budget(ctx);
    }
    return v;
}

static Val run_background(Ctx *ctx, OrderRow row, const Val *a) {
    uint32_t counts[256], arity = prim_table[row.prim].arity;
    int least = 0, other = 0;
    Val args[4];
    if (a[0].kind == VAL_GRID8 && a[0].w != 0 && count_colors(a[0], counts)) {
        other = tied_color(ctx, counts, true);
        least = other;
        for (int c = other + 127; c >= 0; c--) { /* the language takes the smallest of the tied colors */
            least = counts[c] == counts[other + 128] ? c - 128 : least;
        }
    }
    for (uint32_t k = 0; k < arity; k++) {
        args[k] = row.args[k] != '-' && least != other ? swap_colors(ctx, a[k], least, other) : a[k];
        if (row.args[k] == 'O' && !val_failed(args[k]) && val_is_set(args[k]) && val_len(args[k]) > 1) {
            args[k] = permuted(ctx, args[k]);
        }
        if (val_failed(args[k])) {
            return args[k];
        }
    }
    Val v = usual(ctx, row.prim, args);
    return val_failed(v) || least == other ? v : swap_colors(ctx, v, least, other);
}

static Val run_colorfilter(Ctx *ctx, OrderRow row, const Val *a) {
    Val v = usual(ctx, row.prim, a);
    uint32_t n = val_is_set(a[0]) ? val_len(a[0]) : 0, kept = 0;
    Val *items = n != 0 && !val_failed(v) ? val_buffer(ctx, n) : NULL;
    if (items == NULL) {
        return v;
    }
    for (uint32_t k = 0; k < n; k++) {
        Val object = val_at(a[0], k), color = prim1(ctx, P_color, object);
        if (val_failed(color)) {
            return color;
        }
        if (val_eq_direct(color, a[1])) {
            items[kept++] = object;
        }
    }
    return val_set(ctx, items, kept);
}

#define ORDER(name, how, args)                                \
    static Val order_##name(Ctx *ctx, const Val *a) {         \
        return run_##how(ctx, (OrderRow){P_##name, args}, a); \
    }
#include "engine/eval/set_order.def"
#undef ORDER

/* ---- checking ---- */

SetOrder *set_order_open(const Budget *budget) {
    SetOrder *order = mem_zalloc(1, sizeof *order);
    if (order == NULL || !prim_open(&order->ctx, MODE_CORE, false, budget)) {
        mem_free(order);
        return NULL;
    }
    /* Compiled closures have primitives built in and would bypass the replaced ones. */
    order->ctx.stepwise = true;
    for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
        order->fns[MODE_CORE][prim] = prim_fn(MODE_CORE, prim);
        order->fns[MODE_BATT][prim] = prim_fn(MODE_BATT, prim);
    }
#define ORDER(name, how, args) \
    order->fns[MODE_CORE][P_##name] = order->fns[MODE_BATT][P_##name] = order_##name;
#include "engine/eval/set_order.def"
#undef ORDER
    return order;
}

void set_order_close(SetOrder *order) {
    if (order != NULL) {
        prim_close(&order->ctx);
        mem_free(order);
    }
}

Ctx *set_order_ctx(SetOrder *order) {
    return &order->ctx;
}

static bool same(Val a, Val b) {
    return val_failed(a) || val_failed(b) ? val_failed(a) && val_failed(b)
                                          : (val_is_fn(a) && val_is_fn(b)) || val_eq(a, b);
}

bool set_order_depends(SetOrder *order, const Program *p, const Val *params, bool safe,
                       SetOrderFinding *finding) {
    Ctx *ctx = &order->ctx;
    uint32_t slots = prog_slots(p);
    prim_bind(ctx, (Mode)p->mode, safe);
    ctx_reset(ctx);
    Val *first = ctx_alloc(ctx, slots * sizeof *first), *other = ctx_alloc(ctx, slots * sizeof *other);
    if (first == NULL || other == NULL) {
        return false;
    }
    finding->usual = eval_slots(ctx, p, params, first);
    if (ctx->exhausted != FAIL_NONE) {
        return false; /* nothing can be said about a program that does not finish */
    }
    for (order->variant = 1; order->variant <= SET_ORDER_VARIANTS; order->variant++) {
        CtxMark mark = ctx_mark(ctx);
        ctx_rebudget(ctx);
        ctx->fns = order->fns[p->mode];
        finding->other = eval_slots(ctx, p, params, other);
        bool finished = ctx->exhausted == FAIL_NONE;
        prim_bind(ctx, (Mode)p->mode, safe);
        if (finished && !same(finding->usual, finding->other)) {
            for (finding->op = 0; finding->op < p->nops; finding->op++) {
                if (!same(first[prog_op_slot(p, finding->op)], other[prog_op_slot(p, finding->op)])) {
                    break;
                }
            }
            return true;
        }
        ctx_release(ctx, mark);
    }
    return false;
}
