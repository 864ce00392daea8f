/* The public interface: every function once, odd arguments, and failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "batt.h"
#include "core/alloc.h"

static const char source[] = "def turn(I):\n    O = rot90(I)\n    return O\n"
                             "def broken(I):\n    O = rot91(I)\n    return O\n"
                             "def bad(I):\n    x1 = size(I)\n    O = rot90(x1)\n    return O\n"
                             "def pairs(S, I, C):\n    x1 = size(S)\n    O = astuple(x1, C)\n    return O\n";

static void assert_text(const batt_value *value, const char *wanted) {
    char text[200];
    assert_non_null(value);
    assert_int_equal(batt_value_text(value, text, sizeof text), strlen(wanted));
    assert_string_equal(text, wanted);
}

static void programs(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    batt_programs *p = batt_parse(batt, source, strlen(source), BATT_MODE_AUTO);
    assert_int_equal(batt_programs_count(p), 3);
    assert_int_equal(batt_programs_error_count(p), 1);
    assert_non_null(
        strstr(batt_programs_errors(p), "text:5:9: error: unknown primitive 'rot91', did you mean 'rot90'?"));
    assert_string_equal(batt_programs_name(p, 1), "bad");
    assert_string_equal(batt_programs_name(p, 3), "");
    assert_int_equal(batt_programs_mode(p, 0), BATT_MODE_CORE);
    assert_int_equal(batt_programs_mode(p, 2), BATT_MODE_BATT);
    assert_string_equal(batt_programs_text(p, 0), "def turn(I):\n    O = rot90(I)\n    return O\n");
    assert_int_equal(strlen(batt_programs_hash(p, 0)), 32);

    static const int8_t cells[] = {1, 2, 3, 4, 5, 6};
    const batt_value *v = batt_run(batt, p, 0, cells, 2, 3);
    int rows, columns;
    int8_t copy[4];
    assert_text(v, "((4, 1), (5, 2), (6, 3))");
    assert_true(batt_value_grid(v, &rows, &columns));
    assert_int_equal(rows, 3);
    assert_int_equal(columns, 2);
    assert_int_equal(batt_value_cells(v, copy, sizeof copy), 6);
    assert_int_equal(copy[3], 2);

    v = batt_run(batt, p, 1, cells, 2, 3);
    assert_int_equal(batt_value_kind(v), BATT_FAILED);
    assert_string_equal(batt_value_reason(v), "type");
    assert_int_equal(batt_value_line(v), 9);
    assert_false(batt_value_grid(v, &rows, &columns));

    assert_null(batt_run(batt, p, 3, cells, 2, 3));
    assert_string_equal(batt_error(batt), "there is no program 3");
    assert_null(batt_run(batt, p, 0, cells, 100000, 100000));
    assert_null(batt_run(batt, p, 0, cells, -1, 3));
    assert_text(batt_run(batt, p, 0, cells, 0, 0), "()");

    assert_text(batt_run_text(batt, p, 2, "((1,),)", "((((1,),), ((2,),)),)", "((7,),)"), "(1, ((7,),))");
    assert_text(batt_run_text(batt, p, 2, "((1,),)", NULL, NULL), "(0, ((1,),))");
    assert_null(batt_run_text(batt, p, 0, "((1,)", NULL, NULL));
    assert_non_null(strstr(batt_error(batt), "grid:1:1: error: '(' is not closed"));
    batt_programs_free(p);
    assert_null(batt_parse_file(batt, "no/such/file.py", BATT_MODE_AUTO));
    assert_string_equal(batt_error(batt), "no/such/file.py: No such file or directory");
    batt_close(batt);
    batt_programs_free(NULL);
    batt_close(NULL);
}

static void values(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    const batt_value *v = batt_eval(batt, "(-5, {2, 1}, first, None, nan, inf, -inf)", BATT_MODE_CORE);
    static const int kinds[] = {BATT_INT, BATT_SET, BATT_FUNCTION, BATT_NONE,
                                BATT_NAN, BATT_INF, BATT_NEG_INF};
    assert_int_equal(batt_value_kind(v), BATT_TUPLE);
    assert_int_equal(batt_value_size(v), 7);
    for (size_t k = 0; k < 7; k++) {
        assert_int_equal(batt_value_kind(batt_value_at(v, k)), kinds[k]);
    }
    assert_int_equal(batt_value_int(batt_value_at(v, 0)), -5);
    assert_int_equal(batt_value_int(batt_value_at(v, 1)), 0);
    assert_text(batt_value_at(batt_value_at(v, 1), 0), "1");
    assert_null(batt_value_at(v, 7));
    assert_true(batt_value_equal(batt_value_at(v, 1), batt_value_at(v, 1)));
    assert_false(batt_value_equal(batt_value_at(v, 1), batt_value_at(v, 2)));
    assert_string_equal(batt_value_reason(v), "");
    assert_int_equal(batt_value_line(v), 0);
    char small[5];
    assert_int_equal(batt_value_text(v, small, sizeof small),
                     strlen("(-5, {1, 2}, first, None, nan, inf, -inf)"));
    assert_string_equal(small, "(-5,");
    assert_null(batt_eval(batt, "I", BATT_MODE_CORE));
    assert_text(batt_eval(batt, "first(())", BATT_MODE_BATT), "None");
    assert_int_equal(batt_value_kind(batt_eval(batt, "divide(1, 0)", BATT_MODE_BATT)), BATT_FAILED);
    batt_set_safe(batt, 1);
    assert_text(batt_eval(batt, "divide(1, 0)", BATT_MODE_BATT), "()");
    batt_set_safe(batt, 0);
    batt_set_budget(batt, 1000, 0, 0);
    assert_string_equal(batt_value_reason(batt_eval(batt, "size(repeat(repeat(1, 100000), 100000))", 0)),
                        "steps");
    batt_set_budget(batt, 0, 5000, 0);
    assert_string_equal(batt_value_reason(batt_eval(batt, "interval(0, 100000, 1)", 0)), "memory");
    batt_set_budget(batt, 0, 0, 0);
    assert_int_equal(batt_value_size(batt_eval(batt, "interval(0, 100000, 1)", 0)), 100000);
    batt_close(batt);
}

static void allocation_failures(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        mem_fail_at(n);
        batt_context *batt = batt_open();
        batt_programs *p = batt ? batt_parse(batt, source, strlen(source), BATT_MODE_AUTO) : NULL;
        const batt_value *v = p ? batt_run_text(batt, p, 0, "((1, 2),)", NULL, NULL) : NULL;
        if (batt != NULL && (p == NULL || v == NULL)) {
            assert_non_null(strstr(batt_error(batt), "out of memory"));
        }
        mem_fail_at(0);
        done = v != NULL && batt_programs_error_count(p) == 1 && batt_programs_count(p) == 3;
        batt_programs_free(p);
        batt_close(batt);
        assert_int_equal(mem_bytes(), before);
        assert_true(n < 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs),
        cmocka_unit_test(values),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
