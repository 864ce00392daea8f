/* Types: terms, what fits what, and inference. */
#include "base/clock.h"
#include "lang_fixture.h"

static TypeId type(Fixture *f, const char *text) {
    TypeId id;
    const char *wrong = types_parse(f->types, text, strlen(text), &id);
    if (wrong != NULL) {
        fail_msg("%s: %s", text, wrong);
    }
    return id;
}

static void terms(void **state) {
    Fixture *f = *state;
    static const char *const texts[] = {
        "int",       "grid",        "tuple(object)",          "fn(a, b)->C(c)",
        "container", "C(fn(a)->b)", "set(tuple(set(color)))", "fn(grid)->tuple(a)"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        out_clear(&f->out);
        types_text(&f->out, f->types, type(f, texts[k]));
        assert_string_equal(f->out.data, texts[k]);
    }
    assert_int_equal(type(f, "set(cell)"), TYPE_OBJECT);
    assert_int_equal(type(f, "set(pair)"), TYPE_INDICES);
    assert_int_equal(type(f, "set(object)"), TYPE_OBJECTS);
    assert_int_equal(type(f, "tuple(any)"), TYPE_TUPLE);
    assert_int_equal(type(f, "tuple(int)"), type(f, " tuple( int )"));
    static const char *const wrong[] = {"",         "gird",  "tuple(",  "tuple(int",
                                        "int(int)", "fn(a)", "fn(a)-b", "fn(a,b,c)->d",
                                        "int int",  "C",     "tuple()", "nothing"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        TypeId id;
        assert_non_null(types_parse(f->types, wrong[k], strlen(wrong[k]), &id));
    }
}

static void joins(void **state) {
    Fixture *f = *state;
    static const char *const cases[][3] = {
        {"int", "bool", "int"},
        {"int", "pair", "num"},
        {"grid", "grid", "grid"},
        {"object", "indices", "set(tuple(num))"},
        {"tuple(int)", "pair", "tuple(int)"},
        {"tuple(object)", "objects", "container(object)"},
        {"grid", "int", "any"},
        {"fn", "fn", "fn"},
        {"objects", "set(indices)", "set(set(tuple(num)))"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        TypeId a = type(f, cases[k][0]), b = type(f, cases[k][1]);
        TypeId joined = types_join(f->types, MODE_CORE, a, b);
        out_clear(&f->out);
        types_text(&f->out, f->types, joined);
        assert_string_equal(f->out.data, cases[k][2]);
        assert_int_equal(joined, types_join(f->types, MODE_CORE, b, a));
        assert_int_equal(a, types_join(f->types, MODE_CORE, a, TYPE_NEVER));
        assert_int_equal(TYPE_ANY, types_join(f->types, MODE_CORE, a, TYPE_ANY));
    }
}

static void fitting(void **state) {
    Fixture *f = *state;
    static const char *const fits[][2] = {
        {"int", "color"},
        {"bool", "int"},
        {"int", "num"},
        {"pair", "num"},
        {"grid", "piece"},
        {"object", "piece"},
        {"object", "patch"},
        {"indices", "patch"},
        {"tuple(cell)", "patch"},
        {"grid", "tuple"},
        {"tuple(tuple(int))", "grid"},
        {"any", "grid"},
        {"objects", "container(object)"},
        {"object", "set"},
        {"tuple(int)", "pair"},
        {"object", "element"},
        {"grid", "element"},
        {"tuple(num)", "cell"},
    };
    static const char *const not [][2] = {
        {"int", "grid"},       {"grid", "int"},   {"pair", "grid"},       {"grid", "pair"},
        {"fn", "grid"},        {"grid", "fn"},    {"cell", "pair"},       {"pair", "cell"},
        {"objects", "patch"},  {"grid", "set"},   {"object", "grid"},     {"indices", "object"},
        {"objects", "object"}, {"pair", "patch"}, {"indices", "element"},
    };
    for (size_t k = 0; k < sizeof fits / sizeof *fits; k++) {
        if (!types_fit(f->types, MODE_CORE, type(f, fits[k][0]), type(f, fits[k][1]))) {
            fail_msg("%s does not fit %s", fits[k][0], fits[k][1]);
        }
    }
    for (size_t k = 0; k < sizeof not / sizeof *not ; k++) {
        if (types_fit(f->types, MODE_CORE, type(f, not [k][0]), type(f, not [k][1]))) {
            fail_msg("%s fits %s", not [k][0], not [k][1]);
        }
    }
    TypeId first = types_of_value(f->types, MODE_CORE, val_prim(P_first));
    TypeId add = types_of_value(f->types, MODE_CORE, val_prim(P_add));
    assert_true(types_fit(f->types, MODE_CORE, first, type(f, "fn(a)->b")));
    assert_false(types_fit(f->types, MODE_CORE, add, type(f, "fn(a)->b")));
    assert_true(types_fit(f->types, MODE_CORE, add, type(f, "fn(a,b)->c")));
}

/* Types of the lines of a program, in a row. */
static void assert_types(Fixture *f, const char *text, const char *wanted) {
    const Program *p = fixture_file(f, text);
    TypeId slots[100];
    types_of_program(f->types, p, slots, NULL, NULL);
    out_clear(&f->out);
    for (uint32_t k = 0; k < p->nops; k++) {
        out_str(&f->out, k ? "; " : "");
        types_text(&f->out, f->types, slots[prog_op_slot(p, k)]);
    }
    assert_string_equal(f->out.data, wanted);
}

static void inference(void **state) {
    Fixture *f = *state;
    assert_types(f, "x1 = objects(I, T, F, T); x2 = order(x1, size); x3 = first(x2); O = paint(I, x3)",
                 "objects; tuple(object); object; grid");
    assert_types(
        f, "x1 = add(1, 2); x2 = add(1, UP); x3 = astuple(x1, x1); x4 = astuple(x1, x3); O = initset(x4)",
        "int; pair; pair; cell; object");
    assert_types(
        f,
        "x1 = fork(astuple, height, width); x2 = compose(flip, square); x3 = rbind(fill, I); "
        "x4 = x1(I); x5 = x2(I); O = lbind(lbind, add)",
        "fn(piece)->pair; fn(piece)->bool; fn(grid, color)->grid; pair; bool; fn(any)->fn(num)->num");
    assert_types(
        f,
        "x1 = objects(I, T, F, T); x2 = apply(centerofmass, x1); x3 = totuple(x1); x4 = apply(height, x3); "
        "x5 = papply(astuple, x4, x4); x6 = product(x4, x4); O = mapply(toindices, x1)",
        "objects; indices; tuple(object); tuple(int); tuple(pair); indices; indices");
    assert_types(f,
                 "x1 = partition(I); x2 = merge(x1); x3 = hmirror(I); x4 = hmirror(x2); x5 = shift(x2, UP); "
                 "x6 = upscale(I, 2); x7 = branch(T, x1, x2); O = even(3)",
                 "objects; object; grid; object; object; grid; set(container); bool");
    assert_types(f, "x1 = power(compose(first, first), 3); O = x1(I)",
                 "fn(container)->any; fn(container)->any; any");
    /* Towers of forks double at every storey; following them stops. */
    out_clear(&f->out);
    out_str(&f->out, "x0 = fork(astuple, identity, identity)");
    for (int k = 1; k < 60; k++) {
        out_fmt(&f->out, "; x%d = fork(astuple, x%d, x%d)", k, k - 1, k - 1);
    }
    out_str(&f->out, "; O = x59(1)");
    char *text = strdup(f->out.data);
    const Program *p = fixture_file(f, text);
    TypeId slots[100];
    assert_int_equal(types_of_program(f->types, p, slots, NULL, NULL), TYPE_ANY);
    free(text);
}

typedef struct Found {
    Fixture *f;
    size_t certain, possible;
    char last[300];
} Found;

static void count(void *user, const TypeFinding *finding) {
    Found *found = user;
    found->certain += finding->certain;
    found->possible += !finding->certain;
    Out out;
    out_init(&out);
    types_finding_text(&out, found->f->types, finding);
    snprintf(found->last, sizeof found->last, "%s", out.data);
    out_free(&out);
}

static Found check(Fixture *f, const Program *p) {
    Found found = {.f = f};
    TypeId slots[200];
    types_of_program(f->types, p, slots, count, &found);
    return found;
}

static void impossible_calls(void **state) {
    Fixture *f = *state;
    static const struct {
        const char *text, *says;
        bool certain;
    } cases[] = {
        {"x1 = objects(I, T, F, T); O = rot90(x1)", "rot90 wants 'grid' to be grid, not objects", true},
        {"x1 = height(I); O = first(x1)", "first wants 'container' to be container, not int", true},
        {"O = add(1, 2, 3)", "add takes 2 arguments, not 3", true},
        {"O = I(1)", "this is called, but it is not a function: grid", true},
        {"x1 = compose(first, last); O = x1(I, I)", "this function takes 1 argument, not 2", true},
        {"x1 = chain(first, size, rot90); O = x1(I)", "first wants 'container' to be container, not int",
         true},
        {"x1 = rbind(add, 1); x2 = x1(2); O = vmirror(x2)", "vmirror wants 'piece' to be piece, not int",
         true},
        {"O = apply(first, (1, 2))", "first wants 'container' to be container, not int", false},
        {"O = apply(add, (1, 2))", "add takes 2 arguments, not 1", false},
        {"O = add(I, rot90)", "add wants 'b' to be num, not fn(grid)->grid", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Found found = check(f, fixture_file(f, cases[k].text));
        if (found.certain + found.possible == 0) {
            fail_msg("nothing found in %s", cases[k].text);
        }
        assert_string_equal(found.last, cases[k].says);
        assert_int_equal(found.certain != 0, cases[k].certain);
    }
}

static void possible_calls(void **state) {
    Fixture *f = *state;
    static const char *const texts[] = {
        "O = hmirror((1, 2, 3))",                                /* turns any tuple around */
        "x1 = objects(I, T, F, T); O = colorfilter(x1, (1, 2))", /* compares with anything */
        "O = toivec(I)",
        "O = apply(3, ())",
        "O = compose(3, 4)",
        "x1 = merge((((1, (0, 0)),),)); O = paint(I, x1)", /* a tuple of cells */
        "O = flip(I)",
        "O = greater((1, 2), (1,))",
        "x1 = maximum({}); O = add(x1, 1)",
        "x1 = either(I, 3); O = rot90(x1)",
        "x1 = power(add, 1); O = x1(1, 2)",
        "x1 = power(I, 1); O = rot90(x1)",
        "x1 = rbind(get_nth_by_key_t, identity); O = x1((1, 2), 0)",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        Found found = check(f, fixture_file(f, texts[k]));
        if (found.certain + found.possible != 0) {
            fail_msg("%s: %s", texts[k], found.last);
        }
    }
}

/* No program of the vectors that works is called impossible. */
static void no_false_alarms(void **state) {
    Fixture *f = *state;
    const char *shared = getenv("BATT_VECTORS");
    char path[500];
    snprintf(path, sizeof path, "%s/programs.tsv", shared ? shared : "../shared/vectors");
    FILE *file = fopen(path, "r");
    file = file ? file : fopen("tests/vectors/programs.tsv", "r");
    assert_non_null(file);
    static char line[100000];
    size_t lines = 0;
    while (fgets(line, sizeof line, file)) {
        size_t length = strcspn(line, "\t");
        bool fails = strstr(line, "\t!\n") != NULL;
        assert_int_equal(fixture_parse(f, line, length, (ParseOptions){PARSE_LINE, MODE_CORE, 1}), 1);
        Found found = check(f, f->programs.items[0]);
        if (found.certain + found.possible != 0 && !fails) {
            fail_msg("%.*s: %s", (int)length, line, found.last);
        }
        lines++;
    }
    fclose(file);
    assert_true(lines >= 100);
}

/* What inference says about a value holds for the value: kinds at least, for every vector line of the core.
 */
static bool holds(Fixture *f, Mode mode, TypeId id, Val v) {
    unsigned kind = v.kind == VAL_INT    ? KIND_INT
                    : v.kind == VAL_ATOM ? KIND_ATOM
                    : val_is_fn(v)       ? KIND_FN
                    : val_is_tuple(v)    ? KIND_TUPLE
                                         : KIND_SET;
    if (!(types_at(f->types, id)->kinds & kind)) {
        return kind == KIND_ATOM; /* none from index */
    }
    TypeId inside = types_element(f->types, mode, id);
    for (uint32_t k = 0; val_is_container(v) && k < val_len(v) && k < 20; k++) {
        if (!holds(f, mode, inside, val_at(v, k))) {
            return false;
        }
    }
    return true;
}

static void types_hold_for_values(void **state) {
    Fixture *f = *state;
    static char line[100000], path[200], name[64];
    FILE *names = fopen("tests/names.txt", "r");
    assert_non_null(names);
    size_t checked = 0;
    while (fgets(name, sizeof name, names)) {
        name[strcspn(name, "\n")] = '\0';
        snprintf(path, sizeof path, "tests/vectors/%s.tsv", name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file)) {
            size_t length = strcspn(line, "\t");
            if (line[0] == '#' || line[length] != '\t') {
                continue; /* a comment, or an empty line */
            }
            line[length] = '\0';
            Val v = fixture_eval(f, line, MODE_CORE, false);
            const Program *p = f->programs.items[0];
            TypeId slots[300];
            Found found = {.f = f};
            if (val_failed(v) || prog_slots(p) > 300) {
                continue;
            }
            TypeId id = types_of_program(f->types, p, slots, count, &found);
            if (found.certain != 0) {
                fail_msg("%s works, but: %s", line, found.last);
            }
            if (!holds(f, MODE_CORE, id, v)) {
                out_clear(&f->out);
                types_text(&f->out, f->types, id);
                fail_msg("%s is no %s", line, f->out.data);
            }
            checked++;
        }
        if (file) {
            fclose(file);
        }
    }
    fclose(names);
    assert_true(checked > 2000);
}

static void speed(void **state) {
    Fixture *f = *state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    const Program *p = fixture_file(
        f, "def f(I):\n  x1 = objects(I, T, F, F)\n  x2 = colorfilter(x1, ZERO)\n  x3 = rbind(bordering, I)\n"
           "  x4 = compose(flip, x3)\n  x5 = mfilter(x2, x4)\n  x6 = rbind(shift, UP)\n  x7 = apply(x6, x1)\n"
           "  x8 = argmax(x1, size)\n  x9 = shift(x8, UP_RIGHT)\n  x10 = difference(x5, x9)\n"
           "  x11 = fork(astuple, height, width)\n  x12 = apply(x11, x1)\n  x13 = recolor(THREE, x10)\n"
           "  x14 = paint(I, x13)\n  O = fill(x14, FOUR, x5)\n  return O\n");
    TypeId slots[100];
    enum { ROUNDS = 2000 };
    double best = 1;
    for (int round = 0; round < 20; round++) {
        uint64_t start = clock_work_ns();
        for (int k = 0; k < ROUNDS; k++) {
            assert_int_equal(types_of_program(f->types, p, slots, NULL, NULL), TYPE_GRID);
        }
        double seconds = 1e-9 * (double)(clock_work_ns() - start);
        best = seconds < best ? seconds : best;
    }
    print_message("a program of 15 lines: %.2f us\n", 1e6 * best / ROUNDS);
    assert_true(best / ROUNDS < 40e-6); /* of the processor; some 5 us */
}

static void table_is_bounded(void **state) {
    Fixture *f = *state;
    TypeId id = TYPE_INT;
    for (int k = 0; k < 100000; k++) {
        TypeId parts[3] = {types_of_value(f->types, MODE_CORE, val_prim((uint32_t)k % PRIM_COUNT)), id};
        id = types_make(f->types, TYPE_CLOSURE, CLOSURE_COMPOSE, parts);
        id = k % 50 == 0 ? types_tuple(f->types, (TypeId)(k % 40)) : id;
    }
    for (int k = 0; k < 100; k++) {
        id = types_tuple(f->types, id);
    }
    out_clear(&f->out);
    types_text(&f->out, f->types, id);
    assert_true(f->out.len < 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(terms, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(joins, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(fitting, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(inference, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(impossible_calls, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(possible_calls, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(no_false_alarms, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(types_hold_for_values, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(speed, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(table_is_bounded, fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
