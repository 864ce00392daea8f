/* Programs as function values: the same value for the same input, or a clear refusal. */
#include "data/tasks/embedded.h"
#include "engine/language/lambda.h"
#include "lang_fixture.h"

/* Program 0 of the fixture as a function applied to (I,), which has I's result in it; NULL: it cannot be
 * said. */
static Program *applied(const Program *p) {
    Builder b;
    build_init(&b);
    build_start(&b);
    Ref function = lambda_of(&b, p);
    Program *made = NULL;
    if (function != (Ref)LAMBDA_NONE) {
        Ref one = build_op(&b, OP_PRIM, P_repeat, (Ref[]){PARAM_I, build_const(&b, val_int(1))}, 2, 0, "", 0);
        Ref result = build_op(&b, OP_PRIM, P_apply, (Ref[]){function, one}, 2, 0, "", 0);
        made = build_finish(&b, "f", 1, MODE_CORE, 1, result);
    }
    build_free(&b);
    return made;
}

static bool same_on(Ctx *ctx, const Program *p, const Program *f, Val in) {
    ctx_reset(ctx);
    Val wanted = eval_program(ctx, p, &in), got = eval_program(ctx, f, &in);
    if (val_failed(wanted)) {
        return val_failed(got);
    }
    return !val_failed(got) && val_len(got) == 1 && val_eq(val_at(got, 0), wanted);
}

static void check_text(Fixture *f, const char *text, bool can) {
    static const int8_t cells[] = {1, 0, 2, 2, 0, 1, 3, 0, 0};
    assert_int_equal(fixture_parse(f, text, strlen(text), PARSE_OPTIONS_FILE), 1);
    Program *made = applied(f->programs.items[0]);
    assert_int_equal(made != NULL, can);
    if (made != NULL) {
        assert_true(same_on(&f->ctx, f->programs.items[0], made, val_grid8(cells, 3, 3)));
        prog_free(made);
    }
}

#define PROGRAM(lines) "def solve_t(I):\n" lines "    return O\n"

static void says_what_it_can(void **state) {
    Fixture *f = *state;
    check_text(f, PROGRAM("    O = vmirror(I)\n"), true);
    check_text(f, PROGRAM("    x1 = hmirror(I)\n    O = hconcat(x1, I)\n"), true);
    check_text(f, PROGRAM("    O = replace(I, ONE, TWO)\n"), true);
    check_text(f,
               PROGRAM("    x1 = objects(I, T, F, T)\n    x2 = argmax(x1, size)\n    O = subgrid(x2, I)\n"),
               true);
    check_text(f, PROGRAM("    x1 = height(I)\n    x2 = astuple(x1, ONE)\n    O = canvas(THREE, x2)\n"),
               true);
    check_text(f, PROGRAM("    x1 = canvas(ZERO, UNITY)\n    O = vconcat(x1, x1)\n"), false); /* not of I */
    check_text(f, PROGRAM("    x1 = ofcolor(I, ONE)\n    O = fill(I, TWO, x1)\n"), false);    /* I, 2, x1 */
    check_text(f, PROGRAM("    x1 = mostcolor(I)\n    x2 = leastcolor(I)\n    O = replace(I, x1, x2)\n"),
               false);
}

/* Every solver that can be said does the same on its task's inputs. */
static void solvers_stay_the_same(void **state) {
    Fixture *f = *state;
    size_t count, said = 0;
    const EmbeddedFile *files = embedded_solvers(&count);
    static const int8_t cells[] = {1, 0, 2, 2, 0, 1, 3, 0, 0, 0, 5, 5};
    for (size_t k = 0; k < count; k++) {
        size_t n = fixture_parse(f, files[k].data, files[k].size, PARSE_OPTIONS_FILE);
        for (size_t x = 0; x < n; x++) {
            Program *made = applied(f->programs.items[x]);
            if (made != NULL) {
                assert_true(same_on(&f->ctx, f->programs.items[x], made, val_grid8(cells, 3, 4)));
                assert_true(same_on(&f->ctx, f->programs.items[x], made, val_grid8(cells, 4, 3)));
                said++;
            }
            prog_free(made);
        }
    }
    assert_true(said >= 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(says_what_it_can), TEST(solvers_stay_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
