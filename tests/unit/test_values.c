/* A value means the same however it came about: equality, order, hash and membership along many routes of
 * making it, the laws of the order, borders of the packed kinds, copies, weights. */
#include "engine/primitives/prim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint32_t draw(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 32) * below >> 32);
}

static int64_t draw_int(void) { /* small ones meet often; the others stand where a representation ends */
    static const int64_t edges[] = {127,   128,        -128,       -129,        2047,      2048,
                                    -2048, -2049,      32767,      32768,       -32768,    -32769,
                                    65536, 2147483647, 2147483648, -2147483649, INT64_MAX, INT64_MIN};
    return draw(6) == 0 ? edges[draw(18)] : (int64_t)draw(4) - 1;
}

static void open_ctx(Ctx *ctx, Mode mode) {
    assert_true(prim_open(ctx, mode, false, NULL));
}

/* ---- the same value again ---- */

static Val rebuild(Ctx *ctx, Val v);

/* Its elements, each made anew. */
static Val *parts(Ctx *ctx, Val v) {
    Val *items = val_buffer(ctx, val_len(v));
    assert_non_null(items);
    for (uint32_t k = 0; k < val_len(v); k++) {
        items[k] = rebuild(ctx, val_at(v, k));
    }
    return items;
}

static void shuffle(Val *items, uint32_t n) {
    for (uint32_t k = n; k > 1; k--) {
        uint32_t other = draw(k);
        Val v = items[k - 1];
        items[k - 1] = items[other];
        items[other] = v;
    }
}

static Val tuple_again(Ctx *ctx, Val v) {
    uint32_t n = val_len(v);
    Val *items = parts(ctx, v), one;
    switch (draw(5)) {
    case 0: /* put together from two halves */
        one = prim2(ctx, P_combine, val_tuple(ctx, items, n / 2), val_tuple(ctx, items + n / 2, n - n / 2));
        return one;
    case 1: /* as the result of a call on every element */
        return prim2(ctx, P_apply, val_prim(P_identity), val_tuple(ctx, items, n));
    case 2: /* out of a wide grid, in which small numbers lie beside large ones */
        if (n != 0 && val_is_ints(v)) {
            int64_t *cells = ctx_alloc(ctx, 2 * (size_t)n * sizeof *cells);
            assert_non_null(cells);
            for (uint32_t k = 0; k < n; k++) {
                cells[k] = INT64_MAX - k;
                cells[n + k] = val_ints_at(v, k);
            }
            return prim1(ctx, P_last, val_grid64(ctx, cells, 2, n));
        }
        return val_tuple(ctx, items, n);
    case 3:
        if (n == 2) {
            return prim2(ctx, P_astuple, items[0], items[1]);
        }
        return prim1(ctx, P_merge, prim2(ctx, P_repeat, val_tuple(ctx, items, n), val_int(1)));
    default:
        return val_tuple(ctx, items, n);
    }
}

static Val set_again(Ctx *ctx, Val v) {
    uint32_t n = val_len(v);
    Val *items = val_buffer(ctx, 2 * (size_t)n + 1), *once = parts(ctx, v), sum = VAL_EMPTY_SET;
    assert_non_null(items);
    if (n != 0) {
        memcpy(items, once, n * sizeof *items);
        memcpy(items + n, once, n * sizeof *items);
    }
    switch (draw(5)) {
    case 0: /* every element twice, in any order */
        shuffle(items, 2 * n);
        return val_set(ctx, items, 2 * n);
    case 1: /* one after the other */
        shuffle(items, n);
        for (uint32_t k = 0; k < n; k++) {
            sum = prim2(ctx, P_insert, items[k], sum);
        }
        return sum;
    case 2: /* two overlapping parts */
        return prim2(ctx, P_combine, val_set(ctx, items, n - n / 3),
                     val_set(ctx, items + n + n / 3, n - n / 3));
    case 3: /* more, and what was too much taken away: elements of another kind may have kept it from being
               packed */
        items[n] = val_atom(ATOM_POS_INF);
        sum = val_set(ctx, items, n + 1);
        for (uint32_t k = 0; k < n; k++) {
            if (val_eq(once[k], val_atom(ATOM_POS_INF))) {
                return sum;
            }
        }
        return prim2(ctx, P_remove, val_atom(ATOM_POS_INF), sum);
    default:
        return val_set_sorted(ctx, once, n);
    }
}

static Val rebuild(Ctx *ctx, Val v) {
    return val_is_tuple(v) ? tuple_again(ctx, v) : val_is_set(v) ? set_again(ctx, v) : v;
}

/* ---- values of all kinds ---- */

static Val draw_value(Ctx *ctx, int depth) {
    uint32_t n = draw(5), shape = draw(6);
    if (depth == 0 || draw(4) == 0) {
        switch (draw(8)) {
        case 0:
            return val_atom((Atom)draw(4));
        case 1:
            return val_prim(draw(3));
        case 2:
            return draw(2) == 0 ? VAL_EMPTY_SET : VAL_EMPTY_TUPLE;
        case 3:
            return draw(3) != 0 ? val_prim(0) : prim2(ctx, P_compose, val_prim(0), val_prim(draw(2)));
        default:
            return val_int(draw_int());
        }
    }
    Val *items = val_buffer(ctx, n);
    assert_non_null(items);
    uint32_t w = draw(5);
    for (uint32_t k = 0; k < n; k++) {
        int64_t row[5];
        for (uint32_t x = 0; x < 5; x++) {
            row[x] = draw_int();
        }
        items[k] = shape == 0   ? val_int(row[0])
                   : shape == 1 ? val_ints(ctx, row, w)
                   : shape == 2 ? val_pair(ctx, row[0], row[1])
                   : shape == 3 ? val_cell(ctx, row[0], row[1], row[2])
                                : draw_value(ctx, depth - 1);
    }
    return draw(2) == 0 ? val_tuple(ctx, items, n) : val_set(ctx, items, n);
}

/* Equal to the last byte: what is behind pointers is compared, the pointers are not. */
static bool identical(Val a, Val b) {
    if (a.kind != b.kind || a.w != b.w || a.n != b.n) {
        return false;
    }
    if (a.kind == VAL_TUPLE || a.kind == VAL_SET) {
        for (uint32_t k = 0; k < a.n; k++) {
            if (!identical(a.v[k], b.v[k])) {
                return false;
            }
        }
        return true;
    }
    return val_eq(a, b);
}

static void check_same(Ctx *ctx, Val a, Val b) {
    assert_false(val_failed(b));
    assert_true(val_eq(a, b));
    assert_true(val_eq(b, a));
    assert_int_equal(val_cmp(a, b), 0);
    assert_int_equal(val_cmp(b, a), 0);
    for (uint64_t s = 0; s < 3; s++) {
        assert_true(val_hash(a, s) == val_hash(b, s));
    }
    assert_int_equal(val_truth(a), val_truth(b));
    assert_int_equal(val_weight(a), val_weight(b));
    Val *two = val_buffer(ctx, 2);
    assert_non_null(two);
    two[0] = a;
    two[1] = b;
    Val set = val_set(ctx, two, 2);
    assert_int_equal(val_len(set), 1);
    assert_true(val_contains(set, a) && val_contains(set, b));
    Val *one = val_buffer(ctx, 2);
    assert_non_null(one);
    one[0] = val_tuple2(ctx, val_int(3), VAL_EMPTY_SET);
    one[1] = b;
    assert_true(val_contains(val_tuple(ctx, one, 2), a));
}

/* A row read out of a wide grid is the one value with two forms (engine/value/value.h). */
static bool has_loose_row(Val v) {
    if (v.kind == VAL_ROW64) {
        bool narrow = true;
        for (uint32_t k = 0; k < v.n; k++) {
            narrow &= v.i64[k] == (int8_t)v.i64[k];
        }
        return narrow;
    }
    for (uint32_t k = 0; (v.kind == VAL_TUPLE || v.kind == VAL_SET) && k < v.n; k++) {
        if (has_loose_row(v.v[k])) {
            return true;
        }
    }
    return false;
}

static void routes(Mode mode) {
    Ctx ctx;
    open_ctx(&ctx, mode);
    for (int round = 0; round < 20000; round++) {
        ctx_reset(&ctx);
        Val v = draw_value(&ctx, 3);
        for (int route = 0; route < 3; route++) {
            Val again = rebuild(&ctx, v);
            check_same(&ctx, v, again);
            if (!has_loose_row(v) && !has_loose_row(again)) {
                assert_true(identical(v, again));
            }
            v = again;
        }
    }
    prim_close(&ctx);
}

static void routes_core(void **state) {
    (void)state;
    routes(MODE_CORE);
}

static void routes_batt(void **state) {
    (void)state;
    routes(MODE_BATT);
}

/* A row stored widely weighs more than the same row stored narrowly, and so does what holds it; they are
 * still equal, wherever values are looked for or counted. */
static void rows_of_two_forms(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    enum { WIDTH = 80 };
    int64_t cells[2 * WIDTH] = {1000};
    Val grid = val_grid64(&ctx, cells, 2, WIDTH), narrow = val_ints(&ctx, cells + WIDTH, WIDTH);
    Val wide = prim1(&ctx, P_last, grid);
    assert_int_equal(wide.kind, VAL_ROW64);
    assert_int_equal(narrow.kind, VAL_ROW8);
    Val a = val_tuple2(&ctx, VAL_EMPTY_SET, wide), b = val_tuple2(&ctx, VAL_EMPTY_SET, narrow);
    assert_int_not_equal(a.w, b.w);
    assert_true(val_eq(a, b) && val_eq(b, a));
    Val *items = val_buffer(&ctx, 4);
    assert_non_null(items);
    items[0] = items[1] = VAL_EMPTY_SET;
    items[2] = a;
    items[3] = b;
    Val tuple = val_tuple(&ctx, items, 4);
    assert_int_equal(val_len(prim1(&ctx, P_dedupe, tuple)), 2);
    assert_true(val_eq(prim1(&ctx, P_mostcommon, prim2(&ctx, P_remove, VAL_EMPTY_SET, tuple)), a));
    assert_true(val_contains(val_tuple(&ctx, items, 3), b));
    prim_close(&ctx);
}

/* A tuple of pairs is a grid two wide; one of cells of the dialect is a grid three wide. */
static void pairs_are_grids(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    static const int8_t cells[] = {0, 0, 0, 1, 1, 0, 1, 1};
    Val grid = val_grid8(cells, 4, 2);
    Val two = prim2(&ctx, P_interval, val_int(0), val_int(2));
    two = val_failed(two) ? prim3(&ctx, P_interval, val_int(0), val_int(2), val_int(1)) : two;
    Val product = prim2(&ctx, P_product, two, two);
    assert_int_equal(product.kind, VAL_INDICES);
    Val *items = val_buffer(&ctx, 4);
    assert_non_null(items);
    for (int k = 0; k < 4; k++) {
        items[k] = val_pair32(k / 2, k % 2);
    }
    check_same(&ctx, grid, prim1(&ctx, P_totuple, product));
    check_same(&ctx, grid, val_tuple(&ctx, items, 4));
    check_same(&ctx, grid, val_grid64(&ctx, (int64_t[]){0, 0, 0, 1, 1, 0, 1, 1}, 4, 2));
    check_same(&ctx, grid, prim1(&ctx, P_vmirror, prim1(&ctx, P_vmirror, grid)));
    check_same(&ctx, product, prim1(&ctx, P_asindices, val_grid8(cells, 2, 2)));
    check_same(&ctx, val_at(grid, 1), prim2(&ctx, P_astuple, val_int(0), val_int(1)));
    check_same(&ctx, val_cell32(3, 0, 1), prim2(&ctx, P_astuple, val_int(3), val_at(grid, 1)));
    check_same(&ctx, prim1(&ctx, P_merge, grid), val_ints(&ctx, (int64_t[]){0, 0, 0, 1, 1, 0, 1, 1}, 8));
    check_same(&ctx, VAL_EMPTY_TUPLE, val_grid8(cells, 0, 7));
    check_same(&ctx, VAL_EMPTY_SET, prim2(&ctx, P_difference, product, product));
    assert_false(val_eq(VAL_EMPTY_SET, VAL_EMPTY_TUPLE));
    assert_false(val_eq(val_grid8(cells, 2, 0), val_grid8(cells, 3, 0)));
    prim_close(&ctx);
}

/* ---- order ---- */

static void order_laws(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    for (int round = 0; round < 300; round++) {
        enum { MANY = 24 };
        Val v[MANY];
        ctx_reset(&ctx);
        for (int k = 0; k < MANY; k++) {
            v[k] = k % 3 == 2 ? rebuild(&ctx, v[draw((uint32_t)k)]) : draw_value(&ctx, 2);
        }
        for (int a = 0; a < MANY; a++) {
            for (int b = 0; b < MANY; b++) {
                int ab = val_cmp(v[a], v[b]), ba = val_cmp(v[b], v[a]), k;
                assert_true((ab < 0) == (ba > 0) && (ab == 0) == (ba == 0));
                assert_true((ab == 0) == val_eq(v[a], v[b]));
                if (val_kcmp(v[a], v[b], &k)) {
                    int back;
                    assert_true(val_kcmp(v[b], v[a], &back));
                    assert_true((k < 0) == (back > 0) && (k == 0) == (back == 0));
                }
                for (int c = 0; c < MANY && ab <= 0; c++) {
                    assert_true(val_cmp(v[b], v[c]) > 0 || val_cmp(v[a], v[c]) <= 0);
                }
            }
        }
        Val *items = val_buffer(&ctx, MANY);
        assert_non_null(items);
        memcpy(items, v, sizeof v);
        Val set = val_set(&ctx, items, MANY);
        for (uint32_t k = 1; k < val_len(set); k++) {
            assert_true(val_cmp(val_at(set, k - 1), val_at(set, k)) < 0);
        }
        for (int k = 0; k < MANY; k++) {
            assert_true(val_contains(set, v[k]));
        }
    }
    prim_close(&ctx);
}

/* none < numbers < tuples < sets < functions, and the infinities where they belong. */
static void order_of_kinds(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    Val ascending[] = {val_atom(ATOM_NONE),
                       val_atom(ATOM_NEG_INF),
                       val_int(INT64_MIN),
                       val_int(0),
                       val_int(INT64_MAX),
                       val_atom(ATOM_POS_INF),
                       val_atom(ATOM_NAN),
                       VAL_EMPTY_TUPLE,
                       val_ints(&ctx, (int64_t[]){-5}, 1),
                       val_pair32(-5, 2),
                       val_triple32(-5, 2, 0),
                       val_cell32(0, 0, 0),
                       VAL_EMPTY_SET,
                       prim1(&ctx, P_initset, val_int(1)),
                       prim1(&ctx, P_initset, val_pair32(-9, 9)),
                       val_prim(0),
                       val_prim(1),
                       prim2(&ctx, P_compose, val_prim(0), val_prim(0)),
                       prim2(&ctx, P_compose, val_prim(0), val_prim(0))};
    size_t n = sizeof ascending / sizeof *ascending;
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++) {
            int order = val_cmp(ascending[a], ascending[b]);
            assert_true(a < b ? order < 0 : a == b ? order == 0 : order > 0);
        }
    }
    prim_close(&ctx);
}

/* ---- borders of keys ---- */

static Val set_of(Ctx *ctx, Val v) {
    Val *one = val_buffer(ctx, 1);
    assert_non_null(one);
    one[0] = v;
    return val_set(ctx, one, 1);
}

static void key_borders(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    static const int32_t at[] = {-40000, -32769, -32768, -2049, -2048, -1,
                                 0,      2047,   2048,   32767, 32768, 40000};
    static const int32_t colors[] = {-129, -128, -1, 0, 9, 127, 128};
    enum { PLACES = sizeof at / sizeof *at, COLORS = sizeof colors / sizeof *colors };
    for (int x = 0; x < PLACES; x++) {
        for (int y = 0; y < PLACES; y++) {
            int32_t i = at[x], j = at[y];
            bool fits = i >= -32768 && i <= 32767 && j >= -32768 && j <= 32767;
            Val set = set_of(&ctx, val_pair32(i, j));
            assert_int_equal(set.kind, fits ? VAL_INDICES : VAL_SET);
            check_same(&ctx, val_at(set, 0), val_pair32(i, j));
            fits = i >= -2048 && i <= 2047 && j >= -2048 && j <= 2047;
            for (int c = 0; c < COLORS; c++) {
                bool packs = fits && colors[c] >= -128 && colors[c] <= 127;
                Val core = set_of(&ctx, val_cell32(colors[c], i, j));
                Val batt = set_of(&ctx, val_triple32(i, j, colors[c]));
                assert_int_equal(core.kind, packs ? VAL_OBJ_CORE : VAL_SET);
                assert_int_equal(batt.kind, packs ? VAL_OBJ_BATT : VAL_SET);
                check_same(&ctx, val_at(core, 0), val_cell32(colors[c], i, j));
                check_same(&ctx, val_at(batt, 0), val_triple32(i, j, colors[c]));
            }
            ctx_reset(&ctx);
        }
    }
    prim_close(&ctx);
}

/* Key order is canonical order, whatever signs meet. */
static void keys_ascend(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    for (int round = 0; round < 20000; round++) {
        int32_t v[6];
        for (int k = 0; k < 6; k++) {
            v[k] = draw(4) == 0 ? (draw(2) == 0 ? -2048 : 2047) : (int32_t)draw(5) - 2;
        }
        int32_t c = (int32_t)draw(256) - 128, d = draw(2) == 0 ? c : (int32_t)draw(256) - 128;
        uint32_t a = key_core(c, v[0], v[1]), b = key_core(d, v[2], v[3]);
        int order = val_cmp(val_cell32(c, v[0], v[1]), val_cell32(d, v[2], v[3]));
        assert_true((a < b) == (order < 0) && (a == b) == (order == 0));
        a = key_batt(c, v[0], v[1]);
        b = key_batt(d, v[2], v[3]);
        order = val_cmp(val_triple32(v[0], v[1], c), val_triple32(v[2], v[3], d));
        assert_true((a < b) == (order < 0) && (a == b) == (order == 0));
        a = key_index(16 * v[0], v[1]);
        b = key_index(16 * v[2], v[3]);
        order = val_cmp(val_pair32(16 * v[0], v[1]), val_pair32(16 * v[2], v[3]));
        assert_true((a < b) == (order < 0) && (a == b) == (order == 0));
    }
    prim_close(&ctx);
}

/* ---- copies and weights ---- */

static void deep_copies(void **state) {
    (void)state;
    Ctx ctx, other;
    open_ctx(&ctx, MODE_CORE);
    open_ctx(&other, MODE_CORE);
    for (int round = 0; round < 5000; round++) {
        ctx_reset(&ctx);
        ctx_reset(&other);
        Val v = draw_value(&ctx, 3);
        size_t size = val_deep_size(v);
        char *block = malloc(size + 1), *cursor = block; /* malloc aligns to 16 bytes */
        assert_non_null(block);
        Val copy = val_deep_copy(v, &cursor);
        assert_true(cursor == block + size);
        uint64_t hash = val_hash(v, 0);
        check_same(&other, v, copy);
        memset(ctx.base, 0x5a, ctx_bytes_used(&ctx)); /* nothing of the copy lives in the arena */
        assert_true(val_hash(copy, 0) == hash);
        free(block);
    }
    prim_close(&ctx);
    prim_close(&other);
}

/* Sharing makes heavy and deep values cheaply; both end at the limit, whatever they are made of. */
static void weights(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    Val v = val_tuple2(&ctx, val_atom(ATOM_NONE), VAL_EMPTY_SET);
    uint64_t last = val_weight(v);
    assert_int_equal(last, 3);
    int doubled = 0;
    while (!val_failed(v)) {
        assert_true(doubled < 100);
        v = val_tuple2(&ctx, v, v);
        assert_true(val_failed(v) || val_weight(v) >= 2 * last + 1);
        last = val_weight(v);
        doubled++;
    }
    assert_int_equal(v.w, FAIL_LIMIT);
    assert_true(doubled > 15 && doubled < LIMIT_WEIGHT);

    v = val_int(7);
    int depth = 0;
    for (Val deeper = v; !val_failed(deeper); depth++) {
        v = deeper;
        deeper = depth % 2 == 0 ? prim1(&ctx, P_initset, v) : prim2(&ctx, P_repeat, v, val_int(1));
        assert_true(depth < 20000);
    }
    assert_true(depth > 5000);
    assert_int_equal(val_cmp(v, v), 0); /* the deepest there is fits the stack */
    assert_true(val_hash(v, 1) != 0 && val_deep_size(v) > 0);

    v = prim2(&ctx, P_canvas, val_int(0), val_pair32(1000, 1000));
    assert_false(val_failed(v));
    Val many = prim2(&ctx, P_repeat, v, val_int(1000000));
    assert_true(val_failed(many) && many.w == FAIL_LIMIT); /* 10^12 cells behind 16 million bytes */
    assert_false(val_failed(prim2(&ctx, P_repeat, v, val_int(100))));

    Val f = val_prim(P_identity);
    for (depth = 0; !val_failed(f) && depth < 100; depth++) {
        f = prim3(&ctx, P_fork, f, f, f);
    }
    assert_true(depth > 5 && depth < LIMIT_WEIGHT);
    prim_close(&ctx);
}

/* ---- sorting ---- */

/* Rows, grids or patches, few of which differ in what comes first. */
static Val draw_sortable(Ctx *ctx, uint32_t what, uint32_t width) {
    int8_t *cells = ctx_alloc(ctx, 64);
    uint32_t *keys = key_buffer(ctx, 8), n = draw(6);
    assert_true(cells != NULL && keys != NULL);
    for (uint32_t k = 0; k < 64; k++) {
        cells[k] = (int8_t)(draw(12) == 0 ? draw(256) : 0);
    }
    switch (what) {
    case 0:
        return val_row8(cells, 4 + draw(12));
    case 1:
        return val_grid8(cells, 2 + draw(5), width);
    case 2:
        return val_grid8(cells, 2 + draw(5), 1 + draw(4));
    default:
        for (uint32_t k = 0; k < n; k++) {
            keys[k] = what == 3 ? key_index((int32_t)draw(9) - 4, (int32_t)draw(3))
                                : key_core((int32_t)draw(2), (int32_t)draw(40), (int32_t)draw(2));
        }
        return val_keys(ctx, what == 3 ? VAL_INDICES : VAL_OBJ_CORE, keys, n);
    }
}

/* Steps that a merge sort of values takes: for its buffer, for runs of eight, and for each merge. */
static uint64_t sorting_steps(const Val *items, uint32_t n) {
    uint64_t steps = n * sizeof *items / 64 + n / 8;
    for (uint32_t lo = 0; lo < n; lo += 8) {
        steps += vals_weight(items + lo, n - lo < 8 ? n - lo : 8) / 2;
    }
    for (uint32_t width = 8; width < n; width *= 2) {
        for (uint32_t lo = 0; lo < n; lo += 2 * width) {
            steps += vals_weight(items + lo, n - lo < 2 * width ? n - lo : 2 * width) / STEP_WEIGHT;
        }
    }
    return steps;
}

static void sorting(void **state) {
    (void)state;
    Ctx ctx;
    open_ctx(&ctx, MODE_CORE);
    for (int round = 0; round < 3000; round++) {
        enum { MOST = 300 };
        static Val items[MOST], sorted[MOST];
        uint32_t what = draw(5), width = 1 + draw(9), n = 1 + draw(round % 8 == 0 ? MOST : 40), kept = 0;
        ctx_reset(&ctx);
        for (uint32_t k = 0; k < n; k++) {
            items[k] = draw_sortable(&ctx, what, width);
            uint32_t at = kept;
            while (at > 0 && val_cmp(items[k], sorted[at - 1]) < 0) {
                at--;
            }
            if (at == 0 || val_cmp(items[k], sorted[at - 1]) != 0) {
                memmove(sorted + at + 1, sorted + at, (kept - at) * sizeof *sorted);
                sorted[at] = items[k];
                kept++;
            }
        }
        uint64_t before = ctx_steps_used(&ctx), steps = sorting_steps(items, n);
        Budget budget = BUDGET_DEFAULT;
        bool counted = what < 2 && n > 1, enough = !counted || draw(3) != 0;
        budget.steps = enough ? budget.steps : steps == 0 ? 0 : draw((uint32_t)steps);
        if (counted) {
            ctx_set_budget(&ctx, &budget);
            ctx_rebudget(&ctx);
            before = 0;
        }
        assert_int_equal(vals_sort_unique(&ctx, items, n), enough ? kept : 0);
        assert_true(!enough || vals_eq(items, sorted, kept));
        assert_true(!counted || !enough || ctx_steps_used(&ctx) - before == steps);
        budget = BUDGET_DEFAULT;
        ctx_set_budget(&ctx, &budget);
    }
    prim_close(&ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_core),       cmocka_unit_test(routes_batt), cmocka_unit_test(pairs_are_grids),
        cmocka_unit_test(rows_of_two_forms), cmocka_unit_test(order_laws),  cmocka_unit_test(order_of_kinds),
        cmocka_unit_test(key_borders),       cmocka_unit_test(keys_ascend), cmocka_unit_test(deep_copies),
        cmocka_unit_test(weights),           cmocka_unit_test(sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
