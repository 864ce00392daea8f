/* Building containers: gathering, concatenating, and ordering by key; see container_build.h. */
#include "engine/arcdsl/container_build.h"

#include <string.h>

/* ---- sets under construction ---- */

/* Keys lie at the front of the block that the values will fill, so going backwards overwrites no key that is
 * still needed. */
void set_builder_unpack(SetBuilder *g) {
    const uint32_t *keys = g->keys;
    for (uint32_t k = g->n; k-- > 0;) {
        uint32_t key;
        memcpy(&key, keys + k, sizeof key);
        Val v = key_val(g->kind, key);
        memcpy(g->items + k, &v, sizeof v);
    }
    g->kind = VAL_SET;
}

/* Integers in a narrow range, as colors, sizes and coordinates are, are sorted by a set of bits. */
static bool set_of_small_ints(Val *items, uint32_t n, uint32_t *kept) {
    enum { WORDS = 16, RANGE = 64 * WORDS };
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (uint32_t k = 0; k < n; k++) {
        if (items[k].kind != VAL_INT) {
            return false;
        }
        min = items[k].i < min ? items[k].i : min;
        max = items[k].i > max ? items[k].i : max;
    }
    uint64_t span = (uint64_t)max - (uint64_t)min;
    if (span >= RANGE) {
        return false;
    }
    uint32_t count = 0;
    if (span < 64) { /* mostly */
        uint64_t word = 0;
        for (uint32_t k = 0; k < n; k++) {
            word |= (uint64_t)1 << ((uint64_t)items[k].i - (uint64_t)min);
        }
        for (; word != 0; word &= word - 1) {
            items[count++] = val_int(min + __builtin_ctzll(word));
        }
        *kept = count;
        return true;
    }
    uint64_t bits[WORDS] = {0};
    for (uint32_t k = 0; k < n; k++) {
        uint64_t at = (uint64_t)items[k].i - (uint64_t)min;
        bits[at / 64] |= (uint64_t)1 << (at % 64);
    }
    for (uint32_t word = 0; word <= span / 64; word++) {
        for (uint64_t left = bits[word]; left != 0; left &= left - 1) {
            items[count++] = val_int(min + (int64_t)(64 * word + (uint32_t)__builtin_ctzll(left)));
        }
    }
    *kept = count;
    return true;
}

Val set_builder_finish(SetBuilder *g) {
    uint32_t n = g->n;
    size_t room = (size_t)g->room * sizeof(Val);
    if (n == 0) {
        return VAL_EMPTY_SET;
    }
    if (g->kind != VAL_SET) {
        collect_trim(g->ctx, g->items, room, n * sizeof(uint32_t));
        return val_keys(g->ctx, g->kind, g->keys, n);
    }
    if (FAST_PATH(g->ctx) && set_of_small_ints(g->items, n, &n)) {
        collect_trim(g->ctx, g->items, room, n * sizeof(Val));
        return val_weighed(VAL_SET, g->items, n, n);
    }
    return val_set(g->ctx, g->items, n);
}

/* Adds pairs as keys; false: some do not fit, and nothing was added. */
static bool set_builder_add_pairs(SetBuilder *g, const int32_t *a, const int32_t *b, uint32_t n) {
    uint32_t beyond = 0, *to = g->keys + g->n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = (uint32_t)a[k] + KEY_INDEX, j = (uint32_t)b[k] + KEY_INDEX;
        beyond |= i | j;
        to[k] = i << 16 | j;
    }
    if (beyond >= 2 * KEY_INDEX) {
        return false;
    }
    g->kind = VAL_INDICES;
    g->n += n;
    return true;
}

/* The same for cells. */
static bool set_builder_add_cells(SetBuilder *g, const ClosurePlan *plan, uint32_t n) {
    const CplanTerm *t = &plan->result;
    CplanNumbers a = cplan_numbers(plan, &t->a), b = cplan_numbers(plan, &t->b),
                 c = cplan_numbers(plan, &t->c);
    uint32_t beyond = 0, *to = g->keys + g->n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t color = (uint32_t)a.at[k * a.step] + 128, i = (uint32_t)b.at[k * b.step] + KEY_COORD,
                 j = (uint32_t)c.at[k * c.step] + KEY_COORD;
        beyond |= color >> 8 | i >> 12 | j >> 12;
        to[k] = color << 24 | i << 12 | j;
    }
    if (beyond != 0) {
        return false;
    }
    g->kind = VAL_OBJ_CORE;
    g->n += n;
    return true;
}

void set_builder_add_plan(SetBuilder *g, const ClosurePlan *plan, uint32_t n) {
    const CplanTerm *t = &plan->result;
    if (n == 0) {
        return;
    }
    if (t->kind == CTERM_PAIR && t->a.column >= 0 && t->b.column >= 0 &&
        (g->kind == VAL_INDICES || g->kind == VAL_FAIL) &&
        set_builder_add_pairs(g, plan->columns[t->a.column], plan->columns[t->b.column], n)) {
        return;
    }
    if (t->kind == CTERM_CELL && (g->kind == VAL_OBJ_CORE || g->kind == VAL_FAIL) &&
        set_builder_add_cells(g, plan, n)) {
        return;
    }
    if (t->kind == CTERM_NUMBER && (g->kind == VAL_SET || g->kind == VAL_FAIL)) {
        g->kind = VAL_SET;
        cplan_results(plan, n, g->items + g->n);
        g->n += n;
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        set_builder_add(g, cplan_result(plan, k));
    }
}

/* ---- concatenation ---- */

static void elements(Val *out, Val c, uint32_t from, uint32_t to) {
    switch (c.kind) {
    case VAL_TUPLE:
    case VAL_SET:
        memcpy(out + from, c.v + from, (to - from) * sizeof *out);
        break;
    case VAL_INDICES:
        for (uint32_t k = from; k < to; k++) {
            out[k] = key_val(VAL_INDICES, c.k[k]);
        }
        break;
    case VAL_OBJ_CORE:
        for (uint32_t k = from; k < to; k++) {
            out[k] = key_val(VAL_OBJ_CORE, c.k[k]);
        }
        break;
    case VAL_OBJ_BATT:
        for (uint32_t k = from; k < to; k++) {
            out[k] = key_val(VAL_OBJ_BATT, c.k[k]);
        }
        break;
    case VAL_ROW8:
        for (uint32_t k = from; k < to; k++) {
            out[k] = val_int(c.b8[k]);
        }
        break;
    default:
        for (uint32_t k = from; k < to; k++) {
            out[k] = val_at(c, k);
        }
        break;
    }
}

bool collect_elements(Ctx *ctx, Val *out, Val c) {
    for (uint32_t from = 0, n = val_len(c); from < n; from += TIME_CHECK_ITEMS) {
        if (from != 0 && !ctx_check_time(ctx)) {
            return false;
        }
        elements(out, c, from, n - from < TIME_CHECK_ITEMS ? n : from + TIME_CHECK_ITEMS);
    }
    return true;
}

static Val merge_keys(Ctx *ctx, Kind kind, const Val *parts, uint32_t n, uint32_t total) {
    uint32_t *keys = key_buffer(ctx, total);
    if (keys == NULL) {
        return val_fail_budget(ctx);
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (parts[k].n == total) {
            ctx_release(ctx, (CtxMark)keys);
            return parts[k];
        }
        keys_copy(keys + at, parts[k].k, parts[k].n);
        at += parts[k].n;
    }
    return val_keys(ctx, kind, keys, total);
}

/* Indices and cells of the dialect are tuples of integers, so a tuple of them is a grid with two or three
 * columns. False: some number does not fit a byte. */
static bool rows_of_keys(int8_t *cells, const Val *parts, uint32_t n, Kind kind) {
    uint32_t beyond = 0;
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t k = 0; k < parts[p].n; k++) {
            uint32_t key = parts[p].k[k];
            int32_t i = key_row(kind, key), j = key_col(kind, key);
            beyond |= (uint32_t)(i + 128) | (uint32_t)(j + 128);
            *cells++ = (int8_t)i;
            *cells++ = (int8_t)j;
            if (kind == VAL_OBJ_BATT) {
                *cells++ = (int8_t)key_color(kind, key);
            }
        }
    }
    return beyond < 256;
}

/* Tuples of integers, one after the other; false: a part is something else, or a number does not fit a
 * byte. */
static bool row_of_ints(int8_t *cells, const Val *parts, uint32_t n) {
    int64_t beyond = 0;
    for (uint32_t p = 0; p < n; p++) {
        Val part = parts[p];
        uint32_t len = val_len(part);
        if (part.kind == VAL_ROW8) {
            memcpy(cells, part.b8, len);
        } else if (val_is_ints(part)) {
            for (uint32_t k = 0; k < len; k++) {
                int64_t x = val_ints_at(part, k);
                beyond |= x ^ (int8_t)x;
                cells[k] = (int8_t)x;
            }
        } else {
            return false;
        }
        cells += len;
    }
    return beyond == 0;
}

/* Merges parts of one packed kind into a tuple without making values of the elements; VAL_FAIL with reason
 * FAIL_NONE: not possible. */
static Val merge_bytes(Ctx *ctx, Kind kind, const Val *parts, uint32_t n, uint32_t total) {
    const Val no = {.kind = VAL_FAIL};
    if (kind == VAL_INDICES || kind == VAL_OBJ_BATT) {
        uint32_t w = kind == VAL_INDICES ? 2 : 3;
        CtxMark mark = ctx_mark(ctx);
        int8_t *cells = ctx_alloc(ctx, (size_t)total * w + 8);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        if (total * w <= LIMIT_ELEMENTS &&
            (kind == VAL_INDICES ? rows_of_keys(cells, parts, n, VAL_INDICES)
                                 : rows_of_keys(cells, parts, n, VAL_OBJ_BATT))) {
            return val_grid8(cells, total, w);
        }
        ctx_release(ctx, mark);
        return no;
    }
    if (kind != VAL_GRID8) {
        return no;
    }
    uint32_t w = UINT32_MAX;
    for (uint32_t k = 0; k < n; k++) {
        if (val_len(parts[k]) != 0) {
            if (w != UINT32_MAX && w != parts[k].w) {
                return no;
            }
            w = parts[k].w;
        }
    }
    if ((uint64_t)total * w > LIMIT_ELEMENTS) {
        return no;
    }
    int8_t *cells = ctx_alloc(ctx, (size_t)total * w + 8);
    if (cells == NULL) {
        return val_fail_budget(ctx);
    }
    size_t at = 0;
    for (uint32_t k = 0; k < n; k++) {
        size_t bytes = val_len(parts[k]) != 0 ? (size_t)parts[k].n * w : 0;
        if (bytes != 0) {
            memcpy(cells + at, parts[k].b8, bytes);
            at += bytes;
        }
    }
    return val_grid8(cells, total, w);
}

static Val merge_as_tuple(Ctx *ctx, const Val *parts, uint32_t n, uint32_t total, Kind kind) {
    if (FAST_PATH(ctx)) {
        if (val_is_ints(parts[0])) {
            int8_t *cells = ctx_alloc(ctx, total);
            if (cells == NULL) {
                return val_fail_budget(ctx);
            }
            if (row_of_ints(cells, parts, n)) {
                return val_row8(cells, total);
            }
            collect_trim(ctx, cells, total, 0);
        }
        if (kind != VAL_FAIL && kind != VAL_TUPLE) {
            Val bytes = merge_bytes(ctx, kind, parts, n, total);
            if (bytes.kind != VAL_FAIL || bytes.w != FAIL_NONE) {
                return bytes;
            }
        }
    }
    Val *items = val_buffer(ctx, total), *at = items;
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    uint64_t weight = 0, heaviest = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!collect_elements(ctx, at, parts[k])) {
            return val_fail_budget(ctx);
        }
        at += val_len(parts[k]);
        uint64_t one = val_weight(parts[k]);
        weight += one - 1;
        heaviest = one > heaviest ? one : heaviest;
    }
    /* tuples that are not packed make one that is not, and so do cells; weights are exact as long as they are
     * small */
    if (kind == VAL_TUPLE && heaviest < 1u << WEIGHT_BITS && FAST_PATH(ctx)) {
        return val_weighed(VAL_TUPLE, items, total, weight);
    }
    if (kind == VAL_OBJ_CORE && FAST_PATH(ctx)) {
        return val_weighed(VAL_TUPLE, items, total, total);
    }
    return val_tuple(ctx, items, total);
}

static Val merge_as_set(Ctx *ctx, const Val *parts, uint32_t n, uint32_t total, Kind kind) {
    if (kind >= VAL_INDICES && kind <= VAL_OBJ_BATT && FAST_PATH(ctx)) {
        return merge_keys(ctx, kind, parts, n, total);
    }
    SetBuilder g;
    if (!set_builder_open(&g, ctx, total)) {
        return val_fail_budget(ctx);
    }
    g.kind = VAL_SET;
    for (uint32_t k = 0; k < n; k++) {
        if (!collect_elements(ctx, g.items + g.n, parts[k])) {
            return val_fail_budget(ctx);
        }
        g.n += val_len(parts[k]);
    }
    return set_builder_finish(&g);
}

Val collect_merge(Ctx *ctx, const Val *parts, uint32_t n, bool tuple) {
    Survey all = {0};
    for (uint32_t k = 0; k < n; k++) {
        survey_add(&all, parts[k]);
    }
    if (n == 1 && all.total != 0 && all.total <= LIMIT_ELEMENTS && !all.odd &&
        val_is_tuple(parts[0]) == tuple) {
        return parts[0];
    }
    return collect_surveyed(ctx, parts, n, n, &all, tuple);
}

Val collect_surveyed(Ctx *ctx, const Val *parts, uint32_t m, uint32_t n, const Survey *all, bool tuple) {
    if (UNLIKELY(all->odd)) {
        return val_fail(FAIL_TYPE);
    }
    if (all->total == 0) {
        return tuple ? VAL_EMPTY_TUPLE : VAL_EMPTY_SET;
    }
    if (all->total > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    if (!ctx_charge(ctx, (n + all->total) / 32)) {
        return val_fail_budget(ctx);
    }
    Kind kind = all->mixed ? VAL_FAIL : all->kind;
    return tuple ? merge_as_tuple(ctx, parts, m, (uint32_t)all->total, kind)
                 : merge_as_set(ctx, parts, m, (uint32_t)all->total, kind);
}

Val collect_tuple(Ctx *ctx, Val c) {
    if (val_is_tuple(c)) {
        return c;
    }
    if (!val_is_set(c)) {
        return val_fail(FAIL_TYPE);
    }
    if (c.kind == VAL_SET) {
        /* values are immutable, so the tuple can share the elements of a plain set; if the first one is
         * neither a number nor a row, they are not packed, and weigh the same */
        if (c.n != 0 && c.v[0].kind != VAL_INT && !val_is_ints(c.v[0]) && FAST_PATH(ctx)) {
            return (Val){.kind = VAL_TUPLE, .w = c.w, .n = c.n, .v = c.v};
        }
        return val_tuple(ctx, (Val *)(uintptr_t)c.v, c.n);
    }
    return collect_merge(ctx, &c, 1, true);
}

/* ---- ordering ---- */

typedef struct RankedItem {
    int64_t key;
    uint32_t at;
} RankedItem;

enum { RUN = 12 }; /* items sorted by insertion before runs are merged */

static bool order_ints(Ctx *ctx, RankedItem *items, RankedItem *tmp, uint32_t n) {
    for (uint32_t lo = 0; lo < n; lo += RUN) {
        uint32_t hi = n - lo < RUN ? n : lo + RUN;
        for (uint32_t k = lo + 1; k < hi; k++) {
            RankedItem x = items[k];
            uint32_t at = k;
            for (; at > lo && items[at - 1].key > x.key; at--) {
                items[at] = items[at - 1];
            }
            items[at] = x;
        }
    }
    for (uint32_t width = RUN; width < n; width *= 2) {
        if (!ctx_charge(ctx, n / 16)) {
            return false;
        }
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            uint32_t mid = n - lo < width ? n : lo + width, hi = n - lo < 2 * width ? n : lo + 2 * width;
            uint32_t a = lo, b = mid, at = lo;
            while (a < mid && b < hi) {
                tmp[at++] = items[b].key < items[a].key ? items[b++] : items[a++];
                if (!ctx_check_time_at(ctx, at)) {
                    return false;
                }
            }
            memcpy(tmp + at, items + a, (mid - a) * sizeof *tmp);
            at += mid - a;
            memcpy(tmp + at, items + b, (hi - b) * sizeof *tmp);
        }
        if (!ctx_copy(ctx, items, tmp, n * sizeof *items)) {
            return false;
        }
    }
    return true;
}

enum { COUNTED = 64 }; /* keys that far apart are counted */

/* The same for items whose keys are near the least one, with the same charges. */
static NOINLINE bool order_near(Ctx *ctx, const RankedItem *items, uint32_t n, int64_t least,
                                uint32_t *positions) {
    uint32_t starts[COUNTED + 1] = {0};
    for (uint32_t width = RUN; width < n; width *= 2) {
        if (!ctx_charge(ctx, n / 16)) {
            return false;
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        starts[items[k].key - least + 1]++;
    }
    for (uint32_t k = 1; k < COUNTED; k++) {
        starts[k] += starts[k - 1];
    }
    for (uint32_t k = 0; k < n; k++) {
        positions[starts[items[k].key - least]++] = k;
    }
    return true;
}

static NOINLINE bool are_near(const RankedItem *items, uint32_t n, int64_t *least) {
    int64_t most = items[0].key;
    *least = most;
    for (uint32_t k = 1; k < n; k++) {
        *least = items[k].key < *least ? items[k].key : *least;
        most = items[k].key > most ? items[k].key : most;
    }
    return (uint64_t)most - (uint64_t)*least < COUNTED;
}

/* Positions in the order of whole numbers. */
INLINE Reason order_by_ints(Ctx *ctx, const Val *keys, uint32_t n, bool descending, uint32_t *positions) {
    RankedItem few[64], *items = n <= 32 ? few : ctx_alloc(ctx, 2 * (size_t)n * sizeof *items);
    if (items == NULL) {
        return val_fail_budget(ctx).w;
    }
    for (uint32_t k = 0; k < n; k++) {
        items[k] = (RankedItem){.key = descending ? ~keys[k].i : keys[k].i, .at = k};
    }
    int64_t least;
    if (n > 2 * RUN && n < TIME_CHECK_ITEMS && are_near(items, n, &least)) { /* fewer are sorted sooner */
        return order_near(ctx, items, n, least, positions) ? FAIL_NONE : (Reason)ctx->exhausted;
    }
    if (!order_ints(ctx, items, items + n, n)) {
        return (Reason)ctx->exhausted;
    }
    for (uint32_t k = 0; k < n; k++) {
        positions[k] = items[k].at;
    }
    return FAIL_NONE;
}

/* Whether key b, which stands after key a, must come before it; *fine becomes false if they cannot be
 * compared or the budget is used up. */
static bool overtakes(Ctx *ctx, Val b, Val a, int sign, bool *fine) {
    int order = 0;
    if (!ctx_charge(ctx, val_cost(a, b)) || !val_check_time(ctx, a, b) ||
        !collect_compare(ctx, b, a, &order)) {
        *fine = false;
    }
    return order * sign < 0;
}

static bool order_values(Ctx *ctx, const Val *keys, uint32_t *items, uint32_t *tmp, uint32_t n, int sign) {
    bool fine = true;
    for (uint32_t lo = 0; lo < n; lo += RUN) {
        uint32_t hi = n - lo < RUN ? n : lo + RUN;
        fine = fine && ctx_charge(ctx, RUN / 4);
        for (uint32_t k = lo + 1; k < hi && fine; k++) {
            uint32_t x = items[k], at = k;
            for (; at > lo && overtakes(ctx, keys[x], keys[items[at - 1]], sign, &fine); at--) {
                items[at] = items[at - 1];
            }
            items[at] = x;
        }
    }
    for (uint32_t width = RUN; width < n && fine; width *= 2) {
        for (uint32_t lo = 0; lo < n && fine; lo += 2 * width) {
            uint32_t mid = n - lo < width ? n : lo + width, hi = n - lo < 2 * width ? n : lo + 2 * width;
            uint32_t a = lo, b = mid, at = lo;
            fine = ctx_charge(ctx, (hi - lo) / 8);
            while (a < mid && b < hi && fine) {
                tmp[at++] =
                    overtakes(ctx, keys[items[b]], keys[items[a]], sign, &fine) ? items[b++] : items[a++];
            }
            memcpy(tmp + at, items + a, (mid - a) * sizeof *tmp);
            at += mid - a;
            memcpy(tmp + at, items + b, (hi - b) * sizeof *tmp);
        }
        memcpy(items, tmp, n * sizeof *items);
    }
    return fine;
}

Reason collect_order(Ctx *ctx, const Val *keys, uint32_t n, bool descending, uint32_t *positions) {
    CtxMark mark = ctx_mark(ctx);
    uint32_t ints = 0;
    while (ints < n && keys[ints].kind == VAL_INT) {
        ints++;
    }
    if (!ctx_charge(ctx, n / 8)) {
        return (Reason)ctx->exhausted;
    }
    if (ints == n && FAST_PATH(ctx)) {
        Reason reason = order_by_ints(ctx, keys, n, descending, positions);
        if (reason == FAIL_NONE) {
            ctx_release(ctx, mark);
        }
        return reason;
    }
    uint32_t *tmp = ctx_alloc(ctx, (size_t)n * sizeof *tmp);
    if (tmp == NULL) {
        return val_fail_budget(ctx).w;
    }
    for (uint32_t k = 0; k < n; k++) {
        positions[k] = k;
    }
    bool fine = order_values(ctx, keys, positions, tmp, n, descending ? -1 : 1);
    ctx_release(ctx, mark);
    return fine ? FAIL_NONE : ctx->exhausted != FAIL_NONE ? (Reason)ctx->exhausted : FAIL_ORDER;
}

/* Call by call; false with *why set if a call failed. */
static bool keys_by_calls(Ctx *ctx, Each *each, Val *keys, uint32_t n, Val *why) {
    for (uint32_t k = 0; k < n; k++) {
        CtxMark mark = ctx_mark(ctx);
        keys[k] = each_call(ctx, each, each_at(each, k));
        if (!call_settled(ctx, mark, keys[k], why)) {
            return false;
        }
    }
    return true;
}

/* The same for a primitive and elements stored as values, without any test between two calls. */
static bool keys_directly(Ctx *ctx, const Each *each, Val *keys, uint32_t n, Val *why) {
    for (const Val *x = each->items, *end = x + n; x < end; x++, keys++) {
        CtxMark mark = ctx_mark(ctx);
        Val v = each_call_direct(ctx, each, x);
        *keys = v;
        if (!call_settled(ctx, mark, v, why)) {
            return false;
        }
    }
    return true;
}

static bool keys_of_columns(Ctx *ctx, ClosurePlan *plan, Val *keys, uint32_t n, Val *why) {
    for (uint32_t k = 0, m; k < n; k += m) {
        m = cplan_block(plan, ctx, k, n - k);
        cplan_results(plan, m, keys + k);
        if (UNLIKELY(m == 0)) {
            m = 1;
            if (!cplan_values(plan, ctx, k, 1, keys + k, why)) {
                return false;
            }
        }
    }
    return true;
}

bool cplan_keys(ClosurePlan *plan, Ctx *ctx, Val *keys, Val *why) {
    return cplan_pure(plan) ? keys_of_columns(ctx, plan, keys, plan->elements, why)
                            : cplan_values(plan, ctx, 0, plan->elements, keys, why);
}

bool each_keys(Ctx *ctx, Each *each, Val *keys, Val *why) {
    if (each->plan != NULL) {
        return cplan_keys(each->plan, ctx, keys, why);
    }
    bool direct = each->fn != NULL && each->items != NULL;
    return direct ? keys_directly(ctx, each, keys, val_len(each->c), why)
                  : keys_by_calls(ctx, each, keys, val_len(each->c), why);
}

static NOINLINE bool keys_planned(Ctx *ctx, Val c, Val f, Val *keys, Val *why) {
    ClosurePlan plan;
    Each each = each_open_planned(ctx, f, c, &plan);
    bool good = each_keys(ctx, &each, keys, why);
    each_close(ctx, &each);
    return good;
}

/* ---- one number of every row ---- */

/* The number of row k, w numbers wide, that a primitive gives: the greatest, the least, the first or the
 * last. */
#define EACH_ROW(cells, w)                                                                   \
    for (uint32_t k = 0; k < n; k++) {                                                       \
        int64_t best = (cells)[(size_t)k * (w) + from];                                      \
        for (uint32_t x = 1; x < upto; x++) {                                                \
            int64_t other = (cells)[(size_t)k * (w) + x];                                    \
            best = sign > 0 ? (other > best ? other : best) : (other < best ? other : best); \
        }                                                                                    \
        keys[k] = val_int(best);                                                             \
    }

INLINE void numbers_of_rows(Val c, const uint32_t w, const int sign, uint32_t from, const uint32_t upto,
                            Val *keys) {
    uint32_t n = c.n;
    if (c.kind == VAL_GRID8) {
        EACH_ROW(c.b8, w)
    } else {
        EACH_ROW(c.i64, w)
    }
}

/* maximum, minimum, first and last of the rows of a grid of numbers, mostly a tuple of pairs, without making
 * values of the rows. False: it is something else, or the fuel may not last; nothing was done. */
static bool keys_of_rows(Ctx *ctx, Val c, uint32_t prim, Val *keys) {
    bool extreme = prim == P_maximum || prim == P_minimum;
    uint32_t w = c.w;
    if ((!extreme && prim != P_first && prim != P_last) || w == 0 || ctx->measure != NULL || ctx->stepwise ||
        !FAST_PATH(ctx)) {
        return false;
    }
    uint64_t walk = 0, part = c.kind == VAL_GRID8 ? 64 : 8; /* numbers that a step pays for */
    if (extreme && w > 3) {
        walk = w / part + 2 * (1 + w / part) / STEP_WEIGHT;
    }
    if (!ctx_ensure(ctx, c.n * (1 + walk))) {
        return false;
    }
    ctx->fuel -= (int64_t)(c.n * (1 + walk));
#ifndef BATT_NO_PROFILER
    ctx->calls[prim] += c.n;
#endif
    if (!extreme) {
        numbers_of_rows(c, w, 1, prim == P_last ? w - 1 : 0, 0, keys);
    } else if (w == 2) {
        if (prim == P_maximum) {
            numbers_of_rows(c, 2, 1, 0, 2, keys);
        } else {
            numbers_of_rows(c, 2, -1, 0, 2, keys);
        }
    } else {
        numbers_of_rows(c, w, prim == P_maximum ? 1 : -1, 0, w, keys);
    }
    return true;
}

Val *collect_keys(Ctx *ctx, Val c, Val f, Val *why) {
    uint32_t n = val_len(c);
    Val *keys = val_buffer(ctx, n);
    if (keys == NULL) {
        *why = collect_no_room(ctx, n);
        return NULL;
    }
    if (f.kind == VAL_PRIM && (c.kind == VAL_GRID8 || c.kind == VAL_GRID64) &&
        keys_of_rows(ctx, c, f.n, keys)) {
        return keys;
    }
    if (cplan_wanted(ctx, f, n)) {
        return keys_planned(ctx, c, f, keys, why) ? keys : NULL;
    }
    Each each = each_open(ctx, f, c);
    return each_keys(ctx, &each, keys, why) ? keys : NULL;
}
