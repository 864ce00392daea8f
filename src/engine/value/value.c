/* Constructors: each chooses the one representation that value.h prescribes. */
#include "engine/value/value.h"

#include <string.h>

bool val_truth(Val v) {
    switch (v.kind) {
    case VAL_INT:
        return v.i != 0;
    case VAL_TUPLE:
    case VAL_SET:
        return v.n != 0;
    case VAL_ATOM:
        return v.w != ATOM_NONE;
    default:
        return true;
    }
}

static bool fits8(int64_t x) {
    return x == (int8_t)x;
}

static bool fits32(int64_t x) {
    return x == (int32_t)x;
}

static Val over_limit(const Ctx *ctx, size_t n) {
    return n > LIMIT_ELEMENTS ? val_fail(FAIL_LIMIT) : val_fail_budget(ctx);
}

Val val_row64(const int64_t *cells, uint32_t w) {
    if (w == 0) {
        return VAL_EMPTY_TUPLE;
    }
    if (w == 2 && fits32(cells[0]) && fits32(cells[1])) {
        return val_pair32((int32_t)cells[0], (int32_t)cells[1]);
    }
    if (w == 3 && fits32(cells[0]) && fits32(cells[1]) && fits32(cells[2])) {
        return val_triple32((int32_t)cells[0], (int32_t)cells[1], (int32_t)cells[2]);
    }
    return (Val){.kind = VAL_ROW64, .n = w, .i64 = cells};
}

Val val_at_slow(Val c, uint32_t k) {
    switch (c.kind) {
    case VAL_CELL:
        return k == 0 ? val_int(val_color(c)) : val_pair32(c.a, c.b);
    case VAL_GRID64:
        return val_row64(c.i64 + (size_t)k * c.w, c.w);
    default:
        return val_int(val_ints_at(c, k));
    }
}

Val val_ints(Ctx *ctx, const int64_t *items, uint32_t n) {
    Val small = n == 0 || n == 2 || n == 3 ? val_row64(items, n) : val_int(0);
    if (small.kind != VAL_INT && small.kind != VAL_ROW64) {
        return small;
    }
    bool narrow = true;
    for (uint32_t k = 0; k < n; k++) {
        narrow &= fits8(items[k]);
    }
    if (narrow) {
        int8_t *cells = n > LIMIT_ELEMENTS ? NULL : ctx_alloc(ctx, n);
        if (cells == NULL) {
            return over_limit(ctx, n);
        }
        for (uint32_t k = 0; k < n; k++) {
            cells[k] = (int8_t)items[k];
        }
        return VAL_CHECKED(((Val){.kind = VAL_ROW8, .n = n, .b8 = cells}));
    }
    int64_t *copy = n > LIMIT_ELEMENTS ? NULL : ctx_alloc(ctx, (size_t)n * sizeof *copy);
    if (copy == NULL) {
        return over_limit(ctx, n);
    }
    memcpy(copy, items, (size_t)n * sizeof *copy);
    return VAL_CHECKED(((Val){.kind = VAL_ROW64, .n = n, .i64 = copy}));
}

Val val_pair(Ctx *ctx, int64_t a, int64_t b) {
    if (LIKELY(fits32(a) && fits32(b))) {
        return val_pair32((int32_t)a, (int32_t)b);
    }
    return val_ints(ctx, (int64_t[]){a, b}, 2);
}

Val val_cell(Ctx *ctx, int64_t color, int64_t i, int64_t j) {
    if (ctx->mode == MODE_CORE) {
        if (LIKELY(fits32(color) && fits32(i) && fits32(j))) {
            return val_cell32((int32_t)color, (int32_t)i, (int32_t)j);
        }
        Val place = val_pair(ctx, i, j);
        return val_failed(place) ? place : val_tuple2(ctx, val_int(color), place);
    }
    return val_ints(ctx, (int64_t[]){i, j, color}, 3);
}

int8_t *grid_buffer(Ctx *ctx, int64_t h, int64_t w, Reason *why) {
    *why = FAIL_LIMIT;
    if (h < 0 || w < 0 || h > LIMIT_ELEMENTS || w > LIMIT_WIDTH || h * w > LIMIT_ELEMENTS) {
        return NULL;
    }
    ctx->fuel -= h / 32; /* for a walk over the rows, however short they are */
    int8_t *cells = ctx_alloc(ctx, (size_t)(h * w) + GRID_SPARE);
    if (cells == NULL) {
        *why = (Reason)ctx->exhausted;
    }
    return cells;
}

int8_t *grid_buffer_like(Ctx *ctx, Val grid, Reason *why) {
    *why = FAIL_TYPE;
    return grid.kind == VAL_GRID8 ? grid_buffer(ctx, grid.n, grid.w, why) : NULL;
}

Val val_grid64(Ctx *ctx, const int64_t *cells, uint32_t h, uint32_t w) {
    size_t n = (size_t)h * w;
    bool narrow = true;
    for (size_t k = 0; k < n; k++) {
        narrow &= fits8(cells[k]);
    }
    Reason why;
    if (narrow) {
        int8_t *bytes = grid_buffer(ctx, h, w, &why);
        if (bytes == NULL) {
            return val_fail(why);
        }
        for (size_t k = 0; k < n; k++) {
            bytes[k] = (int8_t)cells[k];
        }
        return val_grid8(bytes, h, w);
    }
    if (h > LIMIT_ELEMENTS || w > LIMIT_WIDTH || n > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    int64_t *copy = ctx_alloc(ctx, n * sizeof *copy);
    if (copy == NULL) {
        return val_fail_budget(ctx);
    }
    memcpy(copy, cells, n * sizeof *copy);
    return VAL_CHECKED(((Val){.kind = VAL_GRID64, .w = (uint16_t)w, .n = h, .i64 = copy}));
}

/* ---- weights of values made of values ---- */
/* Because values are shared, a program could build in sixty steps a tuple of tuples that would take ages to
 * walk, or that is nested deeper than the stack allows. So a value made of values carries its weight, and
 * values that are too heavy are refused. The header has room for an exponent and nine bits after the leading
 * one. Rounding up makes every level heavier than the one inside it, so that the limit also bounds the depth,
 * to about seven thousand. */

static uint16_t weight_pack(uint64_t weight) { /* weight is not 0 */
    ASSERT(weight != 0 && weight <= (uint64_t)1 << LIMIT_WEIGHT, "weight %llu", (unsigned long long)weight);
    unsigned e = 63 - (unsigned)__builtin_clzll(weight);
    uint64_t digits = e <= WEIGHT_BITS
                          ? weight << (WEIGHT_BITS - e)
                          : (weight + ((uint64_t)1 << (e - WEIGHT_BITS)) - 1) >> (e - WEIGHT_BITS);
    /* digits rounded up to the next power of two carry into the exponent */
    return (uint16_t)((e << WEIGHT_BITS) + digits - (1u << WEIGHT_BITS));
}

uint64_t vals_weight(const Val *items, uint32_t n) {
    uint64_t total = n;
    for (uint32_t k = 0; k < n; k++) {
        if (LIKELY(val_is_keys(items[k]))) { /* the most common case: the objects of a grid */
            total += items[k].n / 16;
        } else if (items[k].kind == VAL_ROW8) {
            total += items[k].n / 64;
        } else if (items[k].kind > VAL_CELL) {
            total += val_weight(items[k]) - 1;
        }
    }
    return total;
}

/* The weight that a container (or closure) of these items carries; false: too heavy. */
static bool weigh(const Val *items, uint32_t n, uint16_t *weight) {
    uint64_t total = 1 + vals_weight(items, n);
    *weight = 0;
    if (UNLIKELY(total > (uint64_t)1 << LIMIT_WEIGHT)) {
        return false;
    }
    *weight = weight_pack(total);
    return true;
}

Val val_plain(Kind kind, const Val *items, uint32_t n) {
    uint16_t weight;
    if (n == 0) {
        return (Val){.kind = (uint16_t)kind};
    }
    return LIKELY(weigh(items, n, &weight))
               ? VAL_CHECKED(((Val){.kind = (uint16_t)kind, .w = weight, .n = n, .v = items}))
               : val_fail(FAIL_LIMIT);
}

Val val_weighed(Kind kind, const Val *items, uint32_t n, uint64_t weight) {
    ASSERT(weight == vals_weight(items, n), "%llu", (unsigned long long)weight);
    if (n == 0) {
        return (Val){.kind = (uint16_t)kind};
    }
    return LIKELY(weight < (uint64_t)1 << LIMIT_WEIGHT)
               ? VAL_CHECKED(
                     ((Val){.kind = (uint16_t)kind, .w = weight_pack(1 + weight), .n = n, .v = items}))
               : val_fail(FAIL_LIMIT);
}

/* To be called before one of several short walks over n items. */
static inline bool check_time_once(Ctx *ctx, uint32_t n) {
    return LIKELY(n < TIME_CHECK_ITEMS) || ctx_check_time(ctx);
}

/* For items that are all integers. */
static Val tuple_of_ints(Ctx *ctx, const Val *items, uint32_t n) {
    ASSERT(n > 0 && val_is_int(items[0]) && val_is_int(items[n - 1]), "%u items", n);
    bool narrow = true;
    if (!check_time_once(ctx, n)) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        narrow &= fits8(items[k].i);
    }
    if (n == 2 || n == 3 || !narrow) {
        int64_t *ints = ctx_alloc(ctx, (size_t)n * sizeof *ints);
        if (ints == NULL) {
            return val_fail_budget(ctx);
        }
        for (uint32_t k = 0; k < n; k++) {
            ints[k] = items[k].i;
        }
        return val_row64(ints, n);
    }
    int8_t *cells = ctx_alloc(ctx, n);
    if (cells == NULL) {
        return val_fail_budget(ctx);
    }
    for (uint32_t k = 0; k < n; k++) {
        cells[k] = (int8_t)items[k].i;
    }
    return VAL_CHECKED(((Val){.kind = VAL_ROW8, .n = n, .b8 = cells}));
}

static bool row_is_narrow(Val row) {
    switch (row.kind) {
    case VAL_PAIR:
        return fits8(row.a) && fits8(row.b);
    case VAL_TRIPLE:
        return fits8(row.a) && fits8(row.b) && fits8(val_color(row));
    case VAL_ROW64:
        for (uint32_t k = 0; k < row.n; k++) {
            if (!fits8(row.i64[k])) {
                return false;
            }
        }
        return true;
    default:
        return true;
    }
}

/* For items that are all pairs, the numbers of which fit a byte; *cells: NULL if there is no room. False:
 * some do not, and nothing was done. */
static bool narrow_pairs(Ctx *ctx, const Val *items, uint32_t n, int8_t **cells) {
    uint32_t beyond = 0;
    for (uint32_t k = 0; k < n; k++) {
        beyond |= ((uint32_t)items[k].a + 128) | ((uint32_t)items[k].b + 128);
    }
    if (beyond >= 256) {
        return false;
    }
    int8_t *to = *cells = ctx_alloc(ctx, 2 * (size_t)n + 8);
    for (uint32_t k = 0; k < n && to != NULL; k++) {
        to[2 * k] = (int8_t)items[k].a;
        to[2 * k + 1] = (int8_t)items[k].b;
    }
    return true;
}

/* For items that are all tuples of w integers. */
static Val tuple_of_rows(Ctx *ctx, const Val *items, uint32_t h, uint32_t w) {
    ASSERT(h > 0 && val_len(items[h - 1]) == w, "%u rows, the first has %u, the last %u", h, w,
           val_len(items[h - 1]));
    if (w > LIMIT_WIDTH || (uint64_t)h * w > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    bool narrow = true;
    for (uint32_t k = 0; k < h && narrow; k++) {
        narrow = row_is_narrow(items[k]);
    }
    if (narrow) {
        int8_t *cells = ctx_alloc(ctx, (size_t)h * w + 8);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        int8_t *at = cells;
        for (uint32_t k = 0; k < h; k++, at += w) {
            if (items[k].kind == VAL_ROW8) {
                memcpy(at, items[k].b8, w);
            } else {
                for (uint32_t x = 0; x < w; x++) {
                    at[x] = (int8_t)val_ints_at(items[k], x);
                }
            }
        }
        return val_grid8(cells, h, w);
    }
    int64_t *wide = ctx_alloc(ctx, (size_t)h * w * sizeof *wide);
    if (wide == NULL) {
        return val_fail_budget(ctx);
    }
    int64_t *at = wide;
    for (uint32_t k = 0; k < h; k++) {
        for (uint32_t x = 0; x < w; x++) {
            *at++ = val_ints_at(items[k], x);
        }
    }
    return VAL_CHECKED(((Val){.kind = VAL_GRID64, .w = (uint16_t)w, .n = h, .i64 = wide}));
}

/* The tuple of two values that are not both small integers. */
static __attribute__((noinline)) Val other_tuple2(Ctx *ctx, Val a, Val b) {
    if (a.kind == VAL_INT && b.kind == VAL_INT) {
        return val_pair(ctx, a.i, b.i);
    }
    if (a.kind == VAL_INT && b.kind == VAL_PAIR && fits32(a.i)) {
        return val_cell32((int32_t)a.i, b.a, b.b);
    }
    ASSERT(!val_failed(a) && !val_failed(b), "reasons %u and %u", a.w, b.w);
    if (a.kind == VAL_PAIR && b.kind == VAL_PAIR && fits8(a.a) && fits8(a.b) && fits8(b.a) && fits8(b.b)) {
        int8_t *cells = ctx_alloc(ctx, 4 + 8);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        cells[0] = (int8_t)a.a;
        cells[1] = (int8_t)a.b;
        cells[2] = (int8_t)b.a;
        cells[3] = (int8_t)b.b;
        return val_grid8(cells, 2, 2);
    }
    if (a.kind == VAL_ROW8 && b.kind == VAL_ROW8 && a.n == b.n && a.n <= LIMIT_WIDTH) { /* two rows */
        int8_t *cells = ctx_alloc(ctx, 2 * (size_t)a.n + 8);
        if (cells == NULL) {
            return val_fail_budget(ctx);
        }
        memcpy(cells, a.b8, a.n);
        memcpy(cells + a.n, b.b8, a.n);
        return val_grid8(cells, 2, a.n);
    }
    Val *items = ctx_alloc(ctx, 2 * sizeof *items);
    if (items == NULL) {
        return val_fail_budget(ctx);
    }
    items[0] = a;
    items[1] = b;
    if (UNLIKELY(val_is_ints(a) && val_is_ints(b))) { /* they may be rows of one length */
        return val_tuple(ctx, items, 2);
    }
    return val_weighed(VAL_TUPLE, items, 2, val_weight(a) + val_weight(b));
}

Val val_tuple2(Ctx *ctx, Val a, Val b) {
    if (LIKELY(val_head_kind(a) == VAL_INT && val_head_kind(b) == VAL_INT && fits32(a.i) && fits32(b.i))) {
        return val_pair32((int32_t)a.i, (int32_t)b.i);
    }
    return other_tuple2(ctx, a, b);
}

Val val_tuple(Ctx *ctx, Val *items, uint32_t n) {
    if (n == 0) {
        return VAL_EMPTY_TUPLE;
    }
    if (n > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    if (items[0].kind == VAL_INT) {
        uint32_t k = 1;
        while (k < n && items[k].kind == VAL_INT) {
            k++;
        }
        if (k == n) {
            return tuple_of_ints(ctx, items, n);
        }
        if (n == 2 && items[1].kind == VAL_PAIR && fits32(items[0].i)) {
            return val_cell32((int32_t)items[0].i, items[1].a, items[1].b);
        }
    } else if (val_is_ints(items[0])) {
        uint32_t w = val_len(items[0]), k = 0;
        int8_t *cells;
        while (k < n && items[k].kind == VAL_PAIR) {
            k++;
        }
        if (k == n && 2 * (uint64_t)n <= LIMIT_ELEMENTS && narrow_pairs(ctx, items, n, &cells)) {
            return cells != NULL ? val_grid8(cells, n, 2) : val_fail_budget(ctx);
        }
        while (k < n && val_is_ints(items[k]) && val_len(items[k]) == w) {
            k++;
        }
        if (k == n) {
            return tuple_of_rows(ctx, items, n, w);
        }
    }
    return val_plain(VAL_TUPLE, items, n);
}

Val val_keys(Ctx *ctx, Kind kind, uint32_t *keys, uint32_t n) {
    ASSERT(kind >= VAL_INDICES && kind <= VAL_OBJ_BATT && n <= LIMIT_ELEMENTS, "kind %u, n %u", kind, n);
    for (uint32_t k = 1; k < n; k++) { /* often they are in order already */
        if (keys[k - 1] >= keys[k]) {
            enum { FEW = 24 };
            uint32_t kept = n > FEW && FAST_PATH(ctx) ? keys_sort_bits(kind, keys, n) : 0;
            if (kept != 0) {
                n = kept;
                break;
            }
            uint32_t *tmp = key_buffer(ctx, n);
            if (tmp == NULL || !ctx_charge(ctx, n / 2)) {
                return over_limit(ctx, n);
            }
            n = keys_sort_unique(keys, n, tmp);
            break;
        }
    }
    return VAL_CHECKED(val_keys_sorted(kind, keys, n));
}

static Kind packed_kind(Val v) { /* VAL_SET: v fits no key */
    switch (v.kind) {
    case VAL_PAIR:
        return key_fits_index(v.a, v.b) ? VAL_INDICES : VAL_SET;
    case VAL_CELL:
        return key_fits_cell(val_color(v), v.a, v.b) ? VAL_OBJ_CORE : VAL_SET;
    case VAL_TRIPLE:
        return key_fits_cell(val_color(v), v.a, v.b) ? VAL_OBJ_BATT : VAL_SET;
    default:
        return VAL_SET;
    }
}

/* The keys of the items if all fit one kind of key. Otherwise NULL, with *failed set if memory ran out. */
static uint32_t *pack(Ctx *ctx, const Val *items, uint32_t n, Kind *kind, bool *failed) {
    *failed = false;
    *kind = packed_kind(items[0]);
    for (uint32_t k = 1; k < n && *kind != VAL_SET; k++) {
        if (packed_kind(items[k]) != *kind) {
            *kind = VAL_SET;
        }
    }
    if (*kind == VAL_SET) {
        return NULL;
    }
    uint32_t *keys = check_time_once(ctx, n) ? key_buffer(ctx, n) : NULL;
    *failed = keys == NULL;
    for (uint32_t k = 0; k < n && keys != NULL; k++) {
        Val v = items[k];
        keys[k] = *kind == VAL_INDICES    ? key_index(v.a, v.b)
                  : *kind == VAL_OBJ_CORE ? key_core(val_color(v), v.a, v.b)
                                          : key_batt(val_color(v), v.a, v.b);
    }
    return keys;
}

Val val_set_sorted(Ctx *ctx, Val *items, uint32_t n) {
    if (n == 0) {
        return VAL_EMPTY_SET;
    }
    Kind kind;
    bool failed;
    uint32_t *keys = pack(ctx, items, n, &kind, &failed);
    if (failed) {
        return val_fail_budget(ctx);
    }
    return keys ? VAL_CHECKED(val_keys_sorted(kind, keys, n)) : val_plain(VAL_SET, items, n);
}

Val val_set(Ctx *ctx, Val *items, uint32_t n) {
    if (n == 0) {
        return VAL_EMPTY_SET;
    }
    if (n > LIMIT_ELEMENTS) {
        return val_fail(FAIL_LIMIT);
    }
    Kind kind;
    bool failed;
    uint32_t *keys = pack(ctx, items, n, &kind, &failed);
    if (failed) {
        return val_fail_budget(ctx);
    }
    if (keys != NULL) {
        return val_keys(ctx, kind, keys, n);
    }
    if (n > 1 && !ctx_charge(ctx, vals_weight(items, n) / (2 * STEP_WEIGHT))) {
        return val_fail_budget(ctx);
    }
    uint32_t ascending = 1;
    while (ascending < n && val_check_time(ctx, items[ascending - 1], items[ascending]) &&
           val_cmp_inline(items[ascending - 1], items[ascending]) < 0) {
        if (!ctx_check_time_at(ctx, ascending++)) {
            return val_fail_budget(ctx);
        }
    }
    if (ascending < n) {
        n = vals_sort_unique(ctx, items, n);
        if (n == 0) {
            return val_fail_budget(ctx);
        }
    }
    return val_plain(VAL_SET, items, n);
}

Val val_closure_slow(Ctx *ctx, ClosureOp op, unsigned arity, const Val *parts, uint32_t n) {
    Closure *f = ctx_alloc(ctx, sizeof *f);
    if (UNLIKELY(f == NULL)) {
        return val_fail_budget(ctx);
    }
    ASSERT(arity <= 255 && op <= CLOSURE_HOST && n <= CLOSURE_PARTS, "op %u, arity %u, %u parts", op, arity,
           n);
    f->op = (uint8_t)op;
    f->arity = (uint8_t)arity;
    f->id = ctx->closures++;
    uint64_t weight = 1 + CLOSURE_PARTS;
    for (uint32_t k = 0; k < CLOSURE_PARTS; k++) {
        f->part[k] = k < n ? parts[k] : val_int(0);
        Kind kind = val_head_kind(f->part[k]);
        if (LIKELY(kind == VAL_CLOSURE)) {
            weight += packed_weight(f->part[k].w) - 1;
        } else if (kind > VAL_CELL && kind != VAL_PRIM) {
            weight += val_weight(f->part[k]) - 1;
        }
    }
    ASSERT(weight == 1 + vals_weight(f->part, CLOSURE_PARTS), "%llu", (unsigned long long)weight);
    return LIKELY(weight <= (uint64_t)1 << LIMIT_WEIGHT)
               ? (Val){.kind = VAL_CLOSURE, .w = weight_pack(weight), .f = f}
               : val_fail(FAIL_LIMIT);
}

Val val_closure(Ctx *ctx, ClosureOp op, unsigned arity, Val p0, Val p1, Val p2) {
    return val_closure_of(ctx, op, arity, (Val[]){p0, p1, p2}, CLOSURE_PARTS);
}

static size_t padded(size_t bytes) {
    return (bytes + 15) & ~(size_t)15;
}

size_t val_deep_size(Val v) {
    size_t bytes = 0;
    switch (v.kind) {
    case VAL_ROW8:
        return padded(v.n);
    case VAL_ROW64:
        return padded((size_t)v.n * 8);
    case VAL_GRID8:
        return padded((size_t)v.n * v.w + 8);
    case VAL_GRID64:
        return padded((size_t)v.n * v.w * 8);
    case VAL_TUPLE:
    case VAL_SET:
        bytes = padded(v.n * sizeof(Val));
        for (uint32_t k = 0; k < v.n; k++) {
            bytes += val_deep_size(v.v[k]);
        }
        return bytes;
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return padded((size_t)v.n * 4);
    case VAL_CLOSURE:
        return padded(sizeof(Closure)) + val_deep_size(v.f->part[0]) + val_deep_size(v.f->part[1]) +
               val_deep_size(v.f->part[2]);
    default:
        return 0;
    }
}

static void *copy_block(const void *from, size_t used, size_t room, char **cursor) {
    void *to = *cursor;
    if (used != 0) {
        memcpy(to, from, used);
    }
    *cursor += padded(room);
    return to;
}

Val val_deep_copy(Val v, char **cursor) {
    switch (v.kind) {
    case VAL_ROW8:
        v.b8 = copy_block(v.b8, v.n, v.n, cursor);
        break;
    case VAL_ROW64:
        v.i64 = copy_block(v.i64, (size_t)v.n * 8, (size_t)v.n * 8, cursor);
        break;
    case VAL_GRID8:
        v.b8 = copy_block(v.b8, (size_t)v.n * v.w, (size_t)v.n * v.w + 8, cursor);
        break;
    case VAL_GRID64:
        v.i64 = copy_block(v.i64, (size_t)v.n * v.w * 8, (size_t)v.n * v.w * 8, cursor);
        break;
    case VAL_TUPLE:
    case VAL_SET: {
        Val *items = copy_block(v.v, v.n * sizeof(Val), v.n * sizeof(Val), cursor);
        for (uint32_t k = 0; k < v.n; k++) {
            items[k] = val_deep_copy(items[k], cursor);
        }
        v.v = v.n ? items : NULL;
        break;
    }
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        v.k = copy_block(v.k, (size_t)v.n * 4, (size_t)v.n * 4, cursor);
        break;
    case VAL_CLOSURE: {
        Closure *f = copy_block(v.f, sizeof *f, sizeof *f, cursor);
        for (int k = 0; k < 3; k++) {
            f->part[k] = val_deep_copy(f->part[k], cursor);
        }
        v.f = f;
        break;
    }
    default:
        break;
    }
    return v;
}
