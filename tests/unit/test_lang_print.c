/* Printing, hashing and rebuilding programs. */
#include "lang_fixture.h"

static const char *printed(Fixture *f, const Program *p) {
    out_clear(&f->out);
    print_program(&f->out, p, NULL);
    return f->out.data;
}

static void canonical_text(void **state) {
    Fixture *f = *state;
    const Program *p = fixture_file(f, "def f(I):\n"
                                       "    a = objects(grid=I, univalued=1, diagonal=0, without_bg=True)\n"
                                       "    b = colorfilter(a, 0)\n"
                                       "    c = shift(merge(b), (1, -1))\n"
                                       "    d = fill(I, 11, {(0, 1)})\n"
                                       "    e = (c, d, 3)\n"
                                       "    g = {d, e}\n"
                                       "    h = lbind(astuple, -3)\n"
                                       "    return h((1, 7))\n");
    assert_string_equal(printed(f, p), "def f(I):\n"
                                       "    x1 = objects(I, T, F, T)\n"
                                       "    x2 = colorfilter(x1, ZERO)\n"
                                       "    x3 = merge(x2)\n"
                                       "    x4 = shift(x3, DOWN_LEFT)\n"
                                       "    x5 = fill(I, 11, frozenset({(0, 1)}))\n"
                                       "    x6 = (x4, x5, THREE)\n"
                                       "    x7 = frozenset({x5, x6})\n"
                                       "    x8 = lbind(astuple, -3)\n"
                                       "    O = x8((1, 7))\n"
                                       "    return O\n");
    p = fixture_file(
        f, "def f(S, I, C):\n  x1 = get_nth_t(S, -1)\n  x2 = o_g(I, 5)\n  x3 = mir_rot_t(C, 2)\n"
           "  x4 = fill(x3, 4, x2)\n  x5 = objects(I, 1, 1, 0)\n  x6 = interval(0, -7, 100)\n  return x4\n");
    assert_string_equal(printed(f, p), "def f(S, I, C):\n"
                                       "    x1 = get_nth_t(S, L1)\n"
                                       "    x2 = o_g(I, R5)\n"
                                       "    x3 = mir_rot_t(C, A2)\n"
                                       "    O = fill(x3, YELLOW, x2)\n"
                                       "    x4 = objects(I, T, T, F)\n"
                                       "    x5 = interval(ZERO, NEG_SEVEN, HUNDRED)\n"
                                       "    return O\n");
    assert_string_equal(printed(f, fixture_file(f, "def f(I):\n  return I\n")),
                        "def f(I):\n    O = I\n    return O\n");
    p = fixture_file(f, "O = canvas(0, (3, 3))");
    out_clear(&f->out);
    print_oneline(&f->out, p);
    assert_string_equal(f->out.data, "O = canvas(ZERO, THREE_BY_THREE)");
}

/* print(parse(print(p))) = print(p), with the same hash. */
static void assert_stable(Fixture *f, const Program *p) {
    char first[20000];
    ProgHash hash = p->hash;
    ParseOptions options = {PARSE_FILE, p->mode, p->nparams == 0 ? 0 : -1};
    out_clear(&f->out);
    print_program(&f->out, p, "same");
    assert_true(f->out.len < sizeof first);
    strcpy(first, f->out.data);
    if (fixture_parse(f, first, strlen(first), options) != 1) {
        fail_msg("%s%s", first, f->out.data);
    }
    assert_true(prog_hash_eq(hash, f->programs.items[0]->hash));
    out_clear(&f->out);
    print_program(&f->out, f->programs.items[0], "same");
    assert_string_equal(f->out.data, first);
}

static void round_trip(void **state) {
    static const char *const texts[] = {
        "def f(I):\n  return 5\n",
        "def f(I):\n  return (I, frozenset({(1, (2, 3))}), {}, (), (None, -inf, nan))\n",
        "def f(I):\n  x1 = first(I)\n  O = last(I)\n  x2 = size(O)\n  return O\n",
        "def f(S, I, C):\n  x1 = power(compose(first, size), TEN)\n  return x1(x1)\n",
        "def f(S, I, C):\n  return (first, add(R0, L10), {add, 1, -9223372036854775808})\n",
        "x1 = add(1, 2)\nO = x1(x1, x1)\n",
    };
    Fixture *f = *state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        assert_stable(f, fixture_file(f, texts[k]));
    }
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* Programs put together at random, all kinds of ops and constants, printed and read back. */
static void random_round_trips(void **state) {
    Fixture *f = *state;
    uint64_t seed = 1;
    Builder b;
    build_init(&b);
    int rounds = getenv("BATT_TEST_QUICK") ? 200 : 3000;
    for (int round = 0; round < rounds; round++) {
        Mode mode = next_random(&seed) % 2 ? MODE_BATT : MODE_CORE;
        unsigned nparams = mode == MODE_BATT ? 3 : 1, nops = 1 + (unsigned)next_random(&seed) % 20;
        Ref refs[64] = {REF_PARAM | PARAM_I};
        unsigned count = 1;
        build_start(&b);
        for (unsigned k = 0; k < 6; k++) {
            int64_t number = (int64_t)(next_random(&seed) % 24) - 12;
            int32_t half = (int32_t)(number / 2);
            Val v = k % 3 == 0   ? val_int(number * (number > 8 ? 100000000000 : 1))
                    : k % 3 == 1 ? val_pair32(half, half / 3)
                                 : val_prim((uint32_t)next_random(&seed) % PRIM_COUNT);
            refs[count++] = build_const(&b, v);
        }
        for (unsigned k = 0; k < nops; k++) {
            Ref args[5];
            unsigned n = 1 + (unsigned)next_random(&seed) % 4, kind = (unsigned)next_random(&seed) % 8;
            for (unsigned a = 0; a < n; a++) {
                args[a] = refs[next_random(&seed) % count];
            }
            OpKind op = kind < 5 ? OP_PRIM : kind == 5 ? OP_VALUE : kind == 6 ? OP_TUPLE : OP_SET;
            if (op == OP_VALUE) { /* of a variable: of a constant it would be read back as a primitive's */
                args[0] = k == 0 ? refs[0] : REF_OP | 0;
            } else if (op != OP_PRIM) {
                args[0] = refs[0]; /* not all constant: that would be read back as one */
            }
            refs[count++] =
                build_op(&b, op, (uint32_t)next_random(&seed) % PRIM_COUNT, args, n, k + 1, NULL, 0);
        }
        Program *p = build_finish(&b, "r", 1, mode, nparams, refs[count - 1 - next_random(&seed) % nops]);
        assert_non_null(p);
        assert_stable(f, p);
        prog_free(p);
    }
    build_free(&b);
}

static ProgHash hash_of(Fixture *f, const char *text) {
    return fixture_file(f, text)->hash;
}

static void hashes(void **state) {
    Fixture *f = *state;
    ProgHash a =
        hash_of(f, "def f(I):\n  x1 = rot90(I)\n  x2 = rot180(I)\n  O = hconcat(x1, x2)\n  return O\n");
    static const char *const same[] = {
        "def other(grid):\n  b = rot180(grid)  # c\n  a = rot90(grid)\n  return hconcat(a, b)\n",
        "def f(I):\n  x9 = trim(I)\n  O = hconcat(b=rot180(I), a=rot90(I))\n  return O\n",
        "x1 = rot90(I); x2 = rot180(I); O = hconcat(x1, x2)",
    };
    static const char *const different[] = {
        "def f(I):\n  x1 = rot90(I)\n  x2 = rot180(I)\n  O = hconcat(x2, x1)\n  return O\n",
        "def f(I):\n  x1 = rot90(I)\n  x2 = rot180(I)\n  O = vconcat(x1, x2)\n  return O\n",
        "def f(I):\n  x1 = rot90(I)\n  x2 = rot180(x1)\n  O = hconcat(x1, x2)\n  return O\n",
        "def f(S, I, C):\n  x1 = rot90(I)\n  x2 = rot180(I)\n  O = hconcat(x1, x2)\n  return O\n",
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        assert_true(prog_hash_eq(a, hash_of(f, same[k])));
    }
    for (size_t k = 0; k < sizeof different / sizeof *different; k++) {
        assert_false(prog_hash_eq(a, hash_of(f, different[k])));
    }
    assert_true(prog_hash_eq(hash_of(f, "O = (I, T, ZERO)"), hash_of(f, "O = (I, ONE, F0)")));
    assert_false(prog_hash_eq(hash_of(f, "O = (I, I)"), hash_of(f, "O = {I, I}")));
    assert_false(prog_hash_eq(hash_of(f, "O = 1"), hash_of(f, "O = (1,)")));
    assert_false(prog_hash_eq(hash_of(f, "O = ((1, 2), 3)"), hash_of(f, "O = (1, (2, 3))")));
    /* Hashes are stored: this one must never change. */
    char text[33];
    print_hash(text, hash_of(f, "def f(I):\n  O = fill(I, TWO, {(0, 1), (1, 0)})\n  return O\n"));
    assert_string_equal(text, "187db194e5f3c2834cda9daa38e77a13");
}

static void strip(void **state) {
    Fixture *f = *state;
    const Program *p =
        fixture_file(f, "def f(I):\n  x1 = first(5)\n  x2 = rot90(I)\n  x3 = fill(I, 7, x2)\n  O = trim(x2)\n"
                        "  x5 = size(O)\n  return O\n");
    Program *q = prog_strip(p);
    assert_int_equal(q->nops, 2);
    assert_int_equal(q->nconsts, 0);
    assert_true(prog_hash_eq(p->hash, q->hash));
    assert_string_equal(q->names[0], "x2");
    assert_int_equal(q->ops[1].line, 5);
    prog_free(q);
    q = prog_with_mode(p, MODE_BATT);
    assert_int_equal(q->mode, MODE_BATT);
    assert_int_equal(q->nops, p->nops);
    assert_false(prog_hash_eq(p->hash, q->hash));
    prog_free(q);
}

static void values(void **state) {
    Fixture *f = *state;
    Out out;
    out_init(&out);
    text_value_bool(&out, fixture_eval(f, "(0, 1, 2, {1})", MODE_CORE, false));
    assert_string_equal(out.data, "(F, T, 2, {T})");
    assert_value(f, "fork(add, rbind(multiply, 2), power(increment, 3))",
                 "fork(add, rbind(multiply, 2), power(increment, 3))");
    assert_value(f, "((1, 300), (-129, 4))", "((1, 300), (-129, 4))");
    out_clear(&out);
    text_failure(&out, fixture_eval(f, "x1 = 1\nx2 = rot90(x1)\nO = rot90(x2)", MODE_CORE, false));
    assert_string_equal(out.data, "failed: type in rot90, line 2");
    out_clear(&out);
    text_elided(&out, "0123456789", 10, 10);
    text_elided(&out, "0123456789abcdef", 16, 11);
    assert_string_equal(out.data, "0123456789012 ... def");
    /* Tuples of tuples of the same tuple: more text than there are atoms. */
    out_clear(&out);
    Val v = val_pair32(1, 2);
    for (Val next = v; !val_failed(next); next = val_tuple2(&f->ctx, v, v)) { /* until it is too heavy */
        v = next;
    }
    text_value(&out, v);
    assert_true(out.len < (size_t)TEXT_LIMIT + 1000);
    /* Nested as deeply as a program may. */
    v = val_pair32(1, 2);
    for (Val next = v; !val_failed(next);) {
        v = next;
        Val *one = val_buffer(&f->ctx, 1);
        *one = v;
        next = val_tuple(&f->ctx, one, 1);
    }
    out_clear(&out);
    text_value(&out, v);
    assert_non_null(strstr(out.data, "..."));
    out_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(canonical_text, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(round_trip, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(random_round_trips, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(hashes, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(strip, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(values, fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
