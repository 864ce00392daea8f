/* Numbers, containers, ranks, functions of functions and samples: fast paths against plain ones on random
 * arguments of all shapes, one representation per value, the laws of sets and orders, and allocations that
 * fail. */
#include "dsl_fixture.h"

/* ---- random values ---- */

static int64_t draw_int(void) { /* mostly small; now and then where bytes, keys and words end */
    static const int64_t edges[] = {127,       128,     -128,   -129,       2047,        2048,
                                    -2049,     32767,   -32769, 2147483647, -2147483649, INT64_MAX,
                                    INT64_MIN, 1000000, 255,    -1};
    return draw(12) == 0 ? edges[draw(16)] : (int64_t)draw(14) - 3;
}

static Val draw_value(Ctx *ctx, int depth);

static Val draw_function(Ctx *ctx, int depth) {
    static const uint16_t one[] = {P_identity,  P_size,    P_first,   P_last,    P_even,    P_invert,
                                   P_increment, P_initset, P_totuple, P_maximum, P_minimum, P_dedupe,
                                   P_merge,     P_flip,    P_toivec,  P_second};
    static const uint16_t two[] = {P_add,      P_subtract,   P_astuple,   P_combine,
                                   P_equality, P_difference, P_contained, P_remove};
    Val f = val_prim(one[draw(16)]), two_args = val_prim(two[draw(8)]);
    switch (depth > 0 ? draw(8) : 7) {
    case 0:
        return prim2(ctx, P_compose, draw_function(ctx, depth - 1), f);
    case 1:
        return prim2(ctx, P_lbind, two_args, draw_value(ctx, 1));
    case 2:
        return prim2(ctx, P_rbind, two_args, draw_value(ctx, 1));
    case 3:
        return prim3(ctx, P_fork, two_args, f, draw_function(ctx, depth - 1));
    case 4:
        return prim2(ctx, P_matcher, f, draw_value(ctx, 1));
    case 5:
        return two_args;
    default:
        return f;
    }
}

/* n elements of one kind, or of any. */
static Val draw_container(Ctx *ctx, int depth) {
    uint32_t n = draw(5) == 0 ? draw(60) : draw(7), kind = draw(8), w = draw(6);
    Val *items = val_buffer(ctx, n);
    assert_non_null(items);
    for (uint32_t k = 0; k < n; k++) {
        int64_t row[6];
        for (uint32_t x = 0; x < 6; x++) {
            row[x] = draw_int();
        }
        items[k] = kind == 0   ? val_int(row[0])
                   : kind == 1 ? val_pair(ctx, row[0], row[1])
                   : kind == 2 ? val_cell(ctx, row[0], row[1], row[2])
                   : kind == 3 ? val_ints(ctx, row, w)
                   : kind == 4 ? val_pair32((int32_t)draw(40), (int32_t)draw(40) - 5)
                   : kind == 5 ? val_cell(ctx, draw(10), (int32_t)draw(12) - 2, draw(12))
                               : draw_value(ctx, depth - 1);
    }
    return draw(2) == 0 ? val_tuple(ctx, items, n) : val_set(ctx, items, n);
}

static Val draw_value(Ctx *ctx, int depth) {
    static const Atom atoms[] = {ATOM_NONE, ATOM_NEG_INF, ATOM_POS_INF, ATOM_NAN};
    if (depth > 0 && draw(4) != 0) {
        return draw_container(ctx, depth);
    }
    return draw(12) == 0   ? val_atom(atoms[draw(4)])
           : draw(20) == 0 ? draw_function(ctx, depth)
                           : val_int(draw_int());
}

/* An argument of the type that follows `name: ` in the signature, mostly. */
static Val draw_argument(Ctx *ctx, const char *type) {
    if (draw(15) == 0) {
        return draw_value(ctx, 2);
    }
    if (strncmp(type, "fn", 2) == 0) {
        return draw_function(ctx, 2);
    }
    if (strncmp(type, "int", 3) == 0 || strncmp(type, "color", 5) == 0) {
        return val_int(draw(3) == 0 ? draw_int() : (int64_t)draw(5) - 2);
    }
    if (strncmp(type, "num", 3) == 0) {
        return draw(2) == 0 ? val_int(draw_int()) : val_pair(ctx, draw_int(), draw_int());
    }
    Val v;
    do {
        v = draw_container(ctx, 3);
    } while (val_failed(v));
    return v;
}

static const Families families = {.set = 1u << FAMILY_NUMBERS | 1u << FAMILY_CONTAINERS |
                                         1u << FAMILY_ORDINALS | 1u << FAMILY_HIGHER | 1u << FAMILY_SAMPLES,
                                  .draw_argument = draw_argument};

static void fast_and_plain_agree(void **unused) {
    (void)unused;
    check_paths(&families, 400);
}

/* ---- one representation per value ---- */

/* Whether building the value again from its elements gives the same kind all the way down. A repeated grid
 * takes thousands of times the memory it shares, so what was built is given back element by element. */
static bool canonical(Ctx *ctx, Val v) {
    if (!val_is_container(v)) {
        return true;
    }
    uint32_t n = val_len(v);
    CtxMark mark = ctx_mark(ctx);
    Val *items = val_buffer(ctx, n);
    assert_non_null(items);
    for (uint32_t k = 0; k < n; k++) {
        items[k] = val_at(v, k);
        if (!canonical(ctx, items[k]) || (val_is_set(v) && k > 0 && val_cmp(items[k - 1], items[k]) >= 0)) {
            return false;
        }
    }
    Val again = val_is_tuple(v) ? val_tuple(ctx, items, n) : val_set(ctx, items, n);
    bool wide_row = v.kind == VAL_ROW64 && again.kind == VAL_ROW8; /* allowed: read out of a wide grid */
    bool same =
        (again.kind == v.kind || wide_row) && val_eq(again, v) && val_hash(again, 7) == val_hash(v, 7);
    ctx_release(ctx, mark);
    return same;
}

static void check_canonical(Ctx *ctx, uint32_t id, const Val *args) {
    Val v = prim_call(ctx, id, args, prim_table[id].arity);
    /* Building the value again is the test's work, not the call's, and more of it than a call may do. */
    const Budget call = ctx->budget,
                 test = {.steps = UINT64_MAX / 4, .bytes = call.bytes, .depth = call.depth};
    ctx_set_budget(ctx, &test);
    ctx_rebudget(ctx);
    if (!val_failed(v) && val_is_container(v) && val_len(v) < 3000 && !canonical(ctx, v)) {
        fail_msg("%s gives a value in the wrong representation", prim_table[id].name);
    }
    ctx_set_budget(ctx, &call);
}

static void results_have_one_representation(void **unused) {
    (void)unused;
    visit_all(&families, 200, check_canonical);
}

/* ---- laws ---- */

static Val draw_set(Ctx *ctx) {
    Val v;
    do {
        v = draw_container(ctx, 2);
    } while (!val_is_set(v));
    return v;
}

static void sets_obey_their_laws(void **unused) {
    (void)unused;
    Ctx ctx;
    assert_true(prim_open(&ctx, MODE_CORE, false, &BUDGET_DEFAULT));
    for (int round = 0; round < 4000; round++) {
        ctx_reset(&ctx);
        Val a = draw_set(&ctx), b = draw(3) == 0 ? a : draw_set(&ctx), c = draw_set(&ctx);
        Val both = prim2(&ctx, P_intersection, a, b), all = prim2(&ctx, P_combine, a, b);
        Val only_a = prim2(&ctx, P_difference, a, b), only_b = prim2(&ctx, P_difference, b, a);
        assert_true(val_eq(all, prim2(&ctx, P_combine, b, a)));
        assert_true(val_eq(both, prim2(&ctx, P_intersection, b, a)));
        assert_true(val_eq(prim2(&ctx, P_combine, both, only_a), a));
        assert_true(val_eq(prim2(&ctx, P_combine, prim2(&ctx, P_combine, only_a, only_b), both), all));
        assert_int_equal(all.n + both.n, a.n + b.n);
        assert_true(val_eq(prim2(&ctx, P_difference, a, prim2(&ctx, P_combine, b, c)),
                           prim2(&ctx, P_intersection, only_a, prim2(&ctx, P_difference, a, c))));
        Val parts = prim1(&ctx, P_merge, prim2(&ctx, P_apply, val_prim(P_initset), a));
        assert_true(val_eq(parts, a)); /* the merge of the parts is the whole */
        for (uint32_t k = 0; k < a.n; k++) {
            Val e = val_at(a, k), without = prim2(&ctx, P_remove, e, a);
            bool nan = val_is_atom(e, ATOM_NAN); /* equal to nothing, so it cannot be removed */
            assert_true(prim2(&ctx, P_contained, e, a).i);
            assert_int_equal(without.n, nan ? a.n : a.n - 1);
            assert_true(val_eq(prim2(&ctx, P_insert, e, without), a));
        }
    }
    prim_close(&ctx);
}

static void orders_obey_their_laws(void **unused) {
    (void)unused;
    Ctx ctx;
    assert_true(prim_open(&ctx, MODE_CORE, false, &BUDGET_DEFAULT));
    for (int round = 0; round < 4000; round++) {
        ctx_reset(&ctx);
        Val c = draw_container(&ctx, 3), f = val_prim(draw(2) == 0 ? P_size : P_identity);
        Val sorted = prim2(&ctx, P_order, c, f);
        if (val_failed(sorted) || val_len(sorted) == 0) {
            continue;
        }
        uint32_t n = val_len(c);
        assert_int_equal(val_len(sorted), n);
        assert_true(val_eq(val_at(sorted, 0), prim2(&ctx, P_argmin, c, f)));
        int order; /* of keys: sets of one size tie without being equal */
        Val max = call1(&ctx, f, val_at(sorted, n - 1));
        assert_true(n == 1 || (val_kcmp(max, prim2(&ctx, P_valmax, c, f), &order) && order == 0));
        assert_true(val_eq(prim2(&ctx, P_order, sorted, f), sorted));
        for (uint32_t k = 1; k < n; k++) {
            Val before = call1(&ctx, f, val_at(sorted, k - 1)), after = call1(&ctx, f, val_at(sorted, k));
            assert_true(val_kcmp(before, after, &order) && order <= 0);
        }
    }
    prim_close(&ctx);
}

static void failed_allocations_are_failures(void **unused) {
    (void)unused;
    visit_all(&families, 30, fail_each_allocation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_and_plain_agree),
        cmocka_unit_test(results_have_one_representation),
        cmocka_unit_test(sets_obey_their_laws),
        cmocka_unit_test(orders_obey_their_laws),
        cmocka_unit_test(failed_allocations_are_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
