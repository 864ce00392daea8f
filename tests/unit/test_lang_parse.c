/* The parser: what it reads, what it makes of it, and what it says about the rest. */
#include "base/alloc.h"
#include "base/clock.h"
#include "lang_fixture.h"

static void expressions(void **state) {
    Fixture *f = *state;
    assert_value(f, "7", "7");
    assert_value(f, "-3", "-3");
    assert_value(f, "-9223372036854775808", "-9223372036854775808");
    assert_value(f, "9223372036854775807", "9223372036854775807");
    assert_value(f, "NEG_TWO", "-2");
    assert_value(f, "-TWO", "-2");
    assert_value(f, "(1)", "1");
    assert_value(f, "(1,)", "(1,)");
    assert_value(f, "((), {}, {1}, (2,))", "((), {}, {1}, (2,))");
    assert_value(f, "{3, 1, 2, 1}", "{1, 2, 3}");
    assert_value(f, "{(1, 0), (0, 5)}", "{(0, 5), (1, 0)}");
    assert_value(f, "frozenset({2, 1})", "{1, 2}");
    assert_value(f, "frozenset()", "{}");
    assert_value(f, "set()", "{}");
    assert_value(f, "tuple()", "()");
    assert_value(f, "frozenset((2, 2, 1))", "{1, 2}");
    assert_value(f, "(True, False, T, F, None)", "(1, 0, 1, 0, None)");
    assert_value(f, "(nan, inf, -inf)", "(nan, inf, -inf)");
    assert_value(f, "UP_RIGHT", "(-1, 1)");
    assert_value(f, "first", "first");
    assert_value(f, "compose(first, last)", "compose(first, last)");
    assert_value(f, "compose(first, last)(((1, 2), (3, 4)))", "3");
    assert_value(f, "add(increment(1), double(\n  2  # comment\n ))", "6");
    assert_value(f, "(add(1, 1), {add(1, 2)})", "(2, {3})");
    assert_value(f, "fill(patch={(0, 0)}, grid=((1,),), value=2)", "((2,),)");
    assert_value(f, "fill(((1,),), color=2, patch={(0, 0)})", "((2,),)");
    assert_value(f, "x1 = add(1, 2); x2 = first; O = add(x1, x2((5, 6)))", "8");
    assert_value(f, "x1 = 1; x1 = add(x1, x1); O = x1", "2");
    assert_value(f, "O = 4; 5", "5");
    assert_value(f, "add(1)", "!"); /* arity is a matter of running */
    assert_value(f, "add(b=1)", "!");
    /* the rank is missing, not the key */
    assert_value(f, "get_nth_by_key_t(container=(3, 1), key=invert)", "!");
    assert_value(f, "get_nth_by_key_t(container=(3, 1), rank=0)", "1");
}

static void files(void **state) {
    Fixture *f = *state;
    const char *text = "\xEF\xBB\xBF# -*- coding: utf-8 -*-\r\n"
                       "\"\"\"Docstring with 'quotes' and\n def no(I): nothing\n\"\"\"\n"
                       "from dsl import *\r\nimport os, sys\n\n"
                       "def one(I):\n"
                       "    '''doc'''\n"
                       "    x1 = objects(I, T, F,\n"
                       "                 F)\n"
                       "\n"
                       "  # odd comment\n"
                       "    x2 = colorfilter(x1, value = ZERO)\n"
                       "    O = fill(I, FOUR, merge(x2))  # done\n"
                       "    return O\n"
                       "def two(S: Samples, I: Tuple[Tuple[int, ...], ...], C: 'Grid') -> Grid:\n"
                       "\tx1: Any = identity(I)\n"
                       "\treturn x1\n"
                       "\n"
                       "def three(I): return rot90(I)\n"
                       "def four(grid):\n"
                       "    x1 = \\\n"
                       "        rot90(grid)\n"
                       "    O = x1; pass\n";
    size_t count = fixture_parse(f, text, strlen(text), PARSE_OPTIONS_FILE);
    assert_string_equal(f->out.data, "");
    assert_int_equal(count, 4);
    const Program *one = f->programs.items[0], *two = f->programs.items[1], *four = f->programs.items[3];
    assert_string_equal(one->name, "one");
    assert_int_equal(one->mode, MODE_CORE);
    assert_int_equal(one->nparams, 1);
    assert_int_equal(one->nops, 4);
    assert_string_equal(one->names[0], "x1");
    assert_string_equal(one->names[2], ""); /* merge(x2) inside the call */
    assert_int_equal(one->ops[0].line, 10);
    assert_int_equal(one->ops[3].line, 15);
    assert_string_equal(two->name, "two");
    assert_int_equal(two->mode, MODE_BATT);
    assert_int_equal(two->nparams, 3);
    assert_int_equal(four->nops, 1);
    assert_int_equal(four->result, prog_op_slot(four, 0));
}

static void loose_statements(void **state) {
    Fixture *f = *state;
    assert_int_equal(fixture_file(f, "x1 = rot90(I)\nO = rot90(x1)\n")->nparams, 1);
    assert_int_equal(fixture_file(f, "x1 = rot90(I); O = hconcat(x1, C)")->nparams, 3);
    assert_int_equal(f->programs.items[0]->mode, MODE_BATT);
    assert_int_equal(fixture_file(f, "O = canvas(ONE, UNITY)")->nparams, 1);
    const char *mixed = "O = rot90(I)\ndef f(I):\n  return I\n";
    assert_int_equal(fixture_parse(f, mixed, strlen(mixed), PARSE_OPTIONS_FILE), 2);
    assert_int_equal(fixture_parse(f, "add(1, 2)", 9, PARSE_OPTIONS_LINE), 1);
    assert_int_equal(f->programs.items[0]->nparams, 0);
    assert_int_equal(fixture_parse(f, "rot90(I)", 8, PARSE_OPTIONS_LINE), 1);
    assert_int_equal(f->programs.items[0]->nparams, 1);
}

static void constants_are_shared(void **state) {
    Fixture *f = *state;
    const Program *p = fixture_file(
        f, "def f(I):\n  x1 = fill(I, ONE, {(0, 1)})\n  O = fill(x1, T, {(0, 1)})\n  return O\n");
    assert_int_equal(p->nconsts, 2);
    p = fixture_file(f, "O = paint(I, frozenset({(1, (0, 0)), (1, (0, 1))}))");
    assert_int_equal(p->nconsts, 1); /* the cells inside are no constants of their own */
    assert_int_equal(p->consts[0].kind, VAL_OBJ_CORE);
}

/* Message and place for texts that are wrong in one way. */
static void errors(void **state) {
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"def f(I):\n    O = colourfilter(I)\n    return O\n",
         "t.py:2:9: error: unknown primitive 'colourfilter', did you mean 'colorfilter'?\n"
         "        O = colourfilter(I)\n            ^\n"},
        {"def f(I):\n  return x7\n", "t.py:2:10: error: variable 'x7' is not assigned above"},
        {"def f(I):\n  O = fill(I, FUOR, I)\n",
         "t.py:2:15: error: unknown name 'FUOR', did you mean 'FOUR'?"},
        {"def f(I):\n  O = fill(I, patchy=1)\n",
         "t.py:2:15: error: fill has no parameter 'patchy'; it has 'grid', 'value|color', 'patch'"},
        {"def f(I):\n  O = fill(I, grid=1)\n", "t.py:2:15: error: parameter 'grid' is given twice"},
        {"def f(I):\n  x1 = compose(first, last)\n  O = x1(x=I)\n",
         "t.py:3:10: error: keyword arguments need"},
        {"def f(I):\n  O = rot90(I\n  return O\n", "t.py:2:12: error: '(' is not closed"},
        {"def f(I):\n  x1 = rot90(I\n  O = rot90(x1)\n  return O\n", "t.py:2:13: error: '(' is not closed"},
        {"def f(I):\n  O = rot90(I))\n", "t.py:2:15: error: the end of the statement was expected, not ')'"},
        {"def f(I):\n  O = 1 + 2\n", "t.py:2:9: error: '+' is not part of the language"},
        {"def f(I):\n  O = [1, 2]\n", "t.py:2:7: error: the language has no lists"},
        {"def f(I):\n  O = {1: 2}\n", "t.py:2:9: error: the language has no dictionaries"},
        {"def f(I):\n  O = 'x'\n", "t.py:2:7: error: the language has no strings"},
        {"def f(I):\n  O = 'x\n", "t.py:2:7: error: the language has no strings"},
        {"def f(I):\n  O = lambda x: x\n", "t.py:2:7: error: 'lambda' is not part of the language"},
        {"def f(I):\n  rot90(I)\n", "t.py:2:3: error: nothing is done with this value"},
        {"def f(I):\n  x1 = rot90(I)\n", "t.py:1:5: error: there is no result"},
        {"def f(a, b, c, d):\n  return a\n", "t.py:1:6: error: a solver has the parameter I"},
        {"def f(I, J):\n  return J\n", "t.py:2:10: error: unknown name 'J'"},
        {"def f(I=3):\n  return I\n", "t.py:1:8: error: ',' or ')' was expected, not '='"},
        {"def (I):\n  return I\n", "t.py:1:5: error: the name of the function was expected"},
        {"@cache\ndef f(I):\n  return I\n", "t.py:1:1: error: decorators are not part"},
        {"def f(I):\n  if I:\n    O = I\n  return I\n", "t.py:2:3: error: 'if' is not part of the language"},
        {"def f(I):\n  O = 99999999999999999999\n", "t.py:2:7: error: this integer does not fit in 64 bits"},
        {"def f(I):\n  O = 1.5\n", "t.py:2:7: error: '1.5' is not part of the language"},
        {"\"\"\"open", "t.py:1:1: error: this string is not closed"},
        {"def f(I):\n  O = \xC3\xA9\n", "t.py:2:7: error: '\xC3\xA9' is not part of the language"},
        {"def f(I):\n  # \xC3\xA9\n  O = rot90(\"\xC3\xA9\", x1)\n",
         "t.py:3:13: error: the language has no strings"},
    };
    Fixture *f = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(fixture_parse(f, cases[k].text, strlen(cases[k].text), PARSE_OPTIONS_FILE), 0);
        assert_int_not_equal(f->diags.errors, 0);
        if (strstr(f->out.data, cases[k].says) == NULL) {
            fail_msg("\n%s\nsays:\n%swanted: %s", cases[k].text, f->out.data, cases[k].says);
        }
        if (f->diags.errors != 1) {
            fail_msg("\n%s\nsays too much:\n%s", cases[k].text, f->out.data);
        }
    }
}

static void all_errors_are_found_and_good_functions_kept(void **state) {
    Fixture *f = *state;
    const char *text = "def a(I):\n  x1 = foo(I)\n  x2 = bar(x1, y)\n  return x2\n"
                       "def good(I):\n  return rot90(I)\n"
                       "if x:\n  y = 1\n  z = 2\n"
                       "def b(I):\n  O = rot90(I\n  return O\n"
                       "class C:\n  def m(I):\n    return I\n"
                       "def fine(I):\n  O = rot90(I)\n  return O\n  x1 = I\n";
    assert_int_equal(fixture_parse(f, text, strlen(text), PARSE_OPTIONS_FILE), 2);
    assert_string_equal(f->programs.items[0]->name, "good");
    assert_string_equal(f->programs.items[1]->name, "fine");
    assert_int_equal(f->diags.errors, 6); /* foo, bar, y, if, the bracket, class */
    assert_int_equal(f->diags.warnings, 1);
    assert_non_null(strstr(f->out.data, "t.py:19:3: warning: this is never reached"));
}

static void unclean_text(void **state) {
    Fixture *f = *state;
    static const char nul[] = "def f(I):\n  return \0I\n", broken[] = "def f(I):\n  # \xFF\n  return I\n";
    assert_int_equal(fixture_parse(f, nul, sizeof nul - 1, PARSE_OPTIONS_FILE), 0);
    assert_non_null(strstr(f->out.data, "t.py:2:10: error: a NUL byte"));
    assert_int_equal(fixture_parse(f, broken, sizeof broken - 1, PARSE_OPTIONS_FILE), 0);
    assert_non_null(strstr(f->out.data, "t.py:2:5: error: this is not UTF-8"));
    size_t offset;
    assert_false(lang_text_is_clean("12345678\xC3", 9, &offset));
    assert_int_equal(offset, 8);
    assert_true(lang_text_is_clean("1234567\xC3\xA9", 9, &offset));
}

static char *repeated(const char *piece, size_t times, const char *end, size_t *length) {
    size_t width = strlen(piece);
    char *text = malloc(width * times + strlen(end) + 1);
    for (size_t k = 0; k < times; k++) {
        memcpy(text + k * width, piece, width);
    }
    strcpy(text + width * times, end);
    *length = width * times + strlen(end);
    return text;
}

static void monsters(void **state) {
    static const struct {
        const char *piece;
        size_t times;
        const char *end, *says;
    } cases[] = {
        {"(", 100000, "", "nested deeper than 500 levels"},
        {"first(", 100000, "1", "nested deeper than 500 levels"},
        {"{", 100000, "", "nested deeper than 500 levels"},
        {"1", 1000000, "", "this integer does not fit in 64 bits"},
        {"x", 1000000, "", "unknown name 'xxxx"},
        {"1,", 200, "2", "the end of the statement"},
        {"()", 100000, "", ""},
        {"- ", 100000, "1", "a number was expected"},
    };
    Fixture *f = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t length;
        char *text = repeated(cases[k].piece, cases[k].times, cases[k].end, &length);
        fixture_parse(f, text, length, PARSE_OPTIONS_LINE);
        if (strstr(f->out.data, cases[k].says) == NULL) {
            fail_msg("%s: %.300s", cases[k].says, f->out.data);
        }
        assert_true(f->out.len < 1000); /* not the whole line */
        free(text);
    }
    /* A literal with more elements than a container may have. */
    size_t length;
    char *text = repeated("1,", (size_t)LIMIT_ELEMENTS + 3, ")", &length);
    memcpy(text, "(11,", 4);
    fixture_parse(f, text, length, PARSE_OPTIONS_LINE);
    assert_non_null(strstr(f->out.data, "too large"));
    free(text);
    /* Many arguments are a question of arity until they do not fit the op. */
    text = repeated("1,", 254, "1)", &length);
    char *call = malloc(length + 5);
    sprintf(call, "add(%s", text);
    fixture_parse(f, call, length + 4, PARSE_OPTIONS_LINE);
    assert_non_null(strstr(f->out.data, "more than 254 arguments"));
    free(call);
    free(text);
    /* Errors are kept up to a number, and counted beyond. */
    text = repeated("foo = bar(1)\n", 5000, "", &length);
    fixture_parse(f, text, length, PARSE_OPTIONS_FILE);
    assert_int_equal(f->diags.errors, 5000);
    assert_non_null(strstr(f->out.data, "t.py: 4000 more\n"));
    free(text);
}

static void fast(void **state) {
    Fixture *f = *state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    size_t length;
    char *text =
        repeated("def solve_0(I):\n    x1 = objects(I, T, F, F)\n    x2 = colorfilter(x1, ZERO)\n"
                 "    x3 = rbind(bordering, I)\n    x4 = compose(flip, x3)\n    x5 = mfilter(x2, x4)\n"
                 "    x6 = rbind(fill, x5)\n    x7 = chain(first, x4, x3)\n    x8 = argmax(x1, size)\n"
                 "    x9 = shift(x8, UP_RIGHT)\n    x10 = difference(x5, x9)\n    x11 = sfilter(x10, x7)\n"
                 "    x12 = combine(x11, x9)\n    x13 = recolor(THREE, x12)\n    x14 = paint(I, x13)\n"
                 "    O = fill(x14, FOUR, x5)\n    return O\n\n",
                 400, "", &length);
    double best = 1;
    for (int round = 0; round < 10; round++) {
        uint64_t start = clock_work_ns();
        assert_int_equal(fixture_parse(f, text, length, PARSE_OPTIONS_FILE), 400);
        double seconds = 1e-9 * (double)(clock_work_ns() - start);
        best = seconds < best ? seconds : best;
    }
    print_message("400 programs, %zu bytes: %.2f ms\n", length, 1000 * best);
    assert_true(best < 0.02); /* of the processor; some 5 ms */
    free(text);
}

/* The Python pipeline's lists of parameters: the same program whatever else is listed. */
static void parameters(void **state) {
    static const struct {
        const char *text;
        unsigned nparams;
        Mode mode;
    } cases[] = {
        {"def f(I):\n  return vmirror_t(I)\n", 1, MODE_CORE},
        {"def f(grid):\n  return vmirror_t(grid)\n", 1, MODE_CORE},
        {"def f(I, task_id):\n  return vmirror_t(I)\n", 1, MODE_CORE},
        {"def f(S, I, C):\n  return vmirror_t(I)\n", 3, MODE_BATT},
        {"def f(S, I):\n  return vmirror_t(I)\n", 3, MODE_BATT},
        {"def f(a, b):\n  return vmirror_t(b)\n", 3, MODE_BATT},
        {"def f(a, b, c):\n  return vmirror_t(b)\n", 3, MODE_BATT},
        {"def f(task_id, S, I, C, log_path):\n  return vmirror_t(I)\n", 3, MODE_BATT},
        {"def f(S: Samples, I: Grid, C: Grid, x: int) -> Grid:\n  return vmirror_t(I)\n", 3, MODE_BATT},
    };
    Fixture *f = *state;
    ProgHash hashes[2] = {0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Program *p = fixture_file(f, cases[k].text);
        assert_int_equal(p->nparams, cases[k].nparams);
        assert_int_equal(p->mode, cases[k].mode);
        ProgHash *first = &hashes[p->nparams == 3];
        if (first->lo == 0) {
            *first = p->hash;
        }
        assert_memory_equal(first, &p->hash, sizeof p->hash);
    }
}

/* Every allocation may fail: the answer is then "out of memory", never a crash, and nothing leaks. */
static void allocation_failures(void **state) {
    (void)state;
    const char *text =
        "def f(I):\n  x1 = foo(I)\n  return x1\n"
        "def g(S, I, C):\n  x1 = fill(I, ONE, frozenset({(0, 1)}))\n  O = (x1, rot90(x1))\n  return O\n";
    Source source = source_of("t.py", text, strlen(text));
    uint64_t before = mem_bytes();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        ProgList programs = {0};
        Diags diags;
        diags_init(&diags);
        mem_fail_at(n);
        Lang *lang = lang_open();
        ParseOptions options = PARSE_OPTIONS_FILE;
        bool good = lang != NULL && lang_parse(lang, &source, &options, &programs, &diags);
        if (good) {
            Program *stripped = prog_strip(programs.items[0]),
                    *core = prog_with_mode(programs.items[0], MODE_CORE);
            good = stripped != NULL && core != NULL;
            prog_free(stripped);
            prog_free(core);
        }
        mem_fail_at(0);
        done = good;
        progs_free(&programs);
        diags_free(&diags);
        lang_close(lang);
        assert_int_equal(mem_bytes(), before);
        assert_true(n < 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(expressions, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(files, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(loose_statements, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(constants_are_shared, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(parameters, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(errors, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(all_errors_are_found_and_good_functions_kept, fixture_open,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(unclean_text, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(monsters, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(fast, fixture_open, fixture_close),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
