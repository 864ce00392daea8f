/* The public interface: values that outlive their context, odd arguments, errors as data, failing
 * allocations, threads. */
#include "base/alloc.h"
#include "batt.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char source[] = "def turn(I):\n    O = rot90(I)\n    return O\n"
                             "def broken(I):\n    O = rot91(I)\n    return O\n"
                             "def bad(I):\n    x1 = size(I)\n    O = rot90(x1)\n    return O\n"
                             "def pairs(S, I, C):\n    x1 = size(S)\n    O = astuple(x1, C)\n    return O\n";

static const char task[] =
    "{\"train\":[{\"input\":[[1,2]],\"output\":[[2,1]]},{\"input\":[[3,4]],\"output\":[[4,3]]}],"
    "\"test\":[{\"input\":[[5,6]],\"output\":[[6,5]]},{\"input\":[[7,8]]}]}";

/* Compares the text and releases the value. */
static void assert_text(batt_value *value, const char *wanted) {
    char text[400];
    assert_non_null(value);
    batt_value_text(value, text, sizeof text);
    assert_string_equal(text, wanted);
    assert_int_equal(batt_value_text(value, text, sizeof text), strlen(wanted));
    batt_release(value);
}

static void assert_reason(batt_value *value, const char *reason) {
    assert_int_equal(batt_value_kind(value), BATT_FAILED);
    assert_string_equal(batt_value_reason(value), reason);
    batt_release(value);
}

static batt_value *call(batt_context *batt, const char *name, batt_value *a, batt_value *b) {
    const batt_value *arguments[] = {a, b};
    return batt_call_primitive(batt, (size_t)batt_primitive_find(name), arguments, b != NULL ? 2 : 1,
                               BATT_MODE_CORE);
}

static void programs(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    batt_programs *p = batt_parse(batt, source, strlen(source), BATT_MODE_AUTO);
    assert_int_equal(batt_programs_count(p), 3);
    assert_int_equal(batt_programs_error_count(p), 1);
    assert_non_null(
        strstr(batt_programs_errors(p), "text:5:9: error: unknown primitive 'rot91', did you mean 'rot90'?"));
    const batt_fault *fault = batt_programs_fault(p, 0);
    assert_int_equal(fault->code, BATT_BAD_INPUT);
    assert_int_equal(fault->line, 5);
    assert_int_equal(fault->column, 9);
    assert_string_equal(fault->file, "text");
    assert_string_equal(fault->text, "unknown primitive 'rot91', did you mean 'rot90'?");
    assert_null(batt_programs_fault(p, 1));
    assert_string_equal(batt_programs_name(p, 1), "bad");
    assert_string_equal(batt_programs_name(p, 3), "");
    assert_int_equal(batt_programs_find(p, "pairs"), 2);
    assert_int_equal(batt_programs_find(p, "broken"), -1);
    assert_int_equal(batt_programs_mode(p, 0), BATT_MODE_CORE);
    assert_int_equal(batt_programs_mode(p, 2), BATT_MODE_BATT);
    assert_int_equal(batt_programs_calls(p, 1), 2);
    assert_string_equal(batt_programs_text(p, 0), "def turn(I):\n    O = rot90(I)\n    return O\n");
    assert_int_equal(strlen(batt_programs_hash(p, 0)), 32);

    static const int8_t cells[] = {1, 2, 3, 4, 5, 6};
    batt_value *v = batt_run(batt, p, 0, cells, 2, 3);
    int rows, columns;
    int8_t copy[4];
    assert_true(batt_value_grid(v, &rows, &columns));
    assert_int_equal(rows, 3);
    assert_int_equal(columns, 2);
    assert_int_equal(batt_value_cells(v, copy, sizeof copy), 6);
    assert_int_equal(copy[3], 2);
    assert_int_equal(batt_value_cells_in_place(v)[4], 6);
    assert_text(v, "((4, 1), (5, 2), (6, 3))");

    v = batt_run(batt, p, 1, cells, 2, 3);
    assert_string_equal(batt_value_where(v), "rot90");
    assert_int_equal(batt_value_line(v), 9);
    assert_false(batt_value_grid(v, &rows, &columns));
    assert_reason(v, "type");

    assert_null(batt_run(batt, p, 3, cells, 2, 3));
    assert_string_equal(batt_error(batt), "there is no program 3");
    assert_int_equal(batt_fault_of(batt)->code, BATT_BAD_ARGUMENT);
    assert_null(batt_run(batt, p, 0, cells, 100000, 100000));
    assert_null(batt_run(batt, p, 0, cells, -1, 3));
    assert_text(batt_run(batt, p, 0, cells, 0, 0), "()");
    assert_int_equal(batt_fault_of(batt)->code, BATT_FINE);
    assert_string_equal(batt_error(batt), "");

    assert_text(batt_run_text(batt, p, 2, "((1,),)", "((((1,),), ((2,),)),)", "((7,),)"), "(1, ((7,),))");
    assert_text(batt_run_text(batt, p, 2, "((1,),)", NULL, NULL), "(0, ((1,),))");
    assert_null(batt_run_text(batt, p, 0, "((1,)", NULL, NULL));
    assert_non_null(strstr(batt_error(batt), "grid:1:1: error: '(' is not closed"));
    assert_string_equal(batt_fault_of(batt)->file, "grid");
    assert_int_equal(batt_fault_of(batt)->line, 1);

    batt_value *grid = batt_grid(batt, cells, 2, 3);
    batt_trace *trace = batt_run_trace(batt, p, 1, grid, NULL, NULL);
    assert_int_equal(batt_trace_count(trace), 2);
    assert_string_equal(batt_trace_name(trace, 0), "x1");
    assert_string_equal(batt_trace_call(trace, 0), "size(I)");
    assert_int_equal(batt_trace_line(trace, 1), 9);
    assert_text(batt_trace_value(trace, 0), "2");
    assert_reason(batt_trace_value(trace, 1), "type");
    assert_null(batt_trace_value(trace, 2));
    batt_trace_free(trace);
    batt_release(grid);

    batt_programs_free(p);
    assert_null(batt_parse_file(batt, "no/such/file.py", BATT_MODE_AUTO));
    assert_string_equal(batt_error(batt), "no/such/file.py: No such file or directory");
    assert_int_equal(batt_fault_of(batt)->code, BATT_NO_FILE);
    assert_string_equal(batt_fault_of(batt)->file, "no/such/file.py");
    p = batt_parse_paths(batt, NULL, 0, BATT_MODE_AUTO);
    assert_true(batt_programs_count(p) > 0);
    assert_int_equal(batt_programs_error_count(p), 0);
    batt_programs_free(p);
    batt_close(batt);
    batt_programs_free(NULL);
    batt_close(NULL);
}

static void values(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    batt_value *v = batt_eval(batt, "(-5, {2, 1}, first, None, nan, inf, -inf)", BATT_MODE_CORE);
    static const int kinds[] = {BATT_INT, BATT_SET, BATT_FUNCTION, BATT_NONE,
                                BATT_NAN, BATT_INF, BATT_NEG_INF};
    batt_value *part[7];
    assert_int_equal(batt_value_kind(v), BATT_TUPLE);
    assert_int_equal(batt_value_size(v), 7);
    for (size_t k = 0; k < 7; k++) {
        part[k] = batt_value_at(v, k);
        assert_int_equal(batt_value_kind(part[k]), kinds[k]);
    }
    assert_null(batt_value_at(v, 7));
    char small[5];
    assert_int_equal(batt_value_text(v, small, sizeof small),
                     strlen("(-5, {1, 2}, first, None, nan, inf, -inf)"));
    assert_string_equal(small, "(-5,");
    assert_string_equal(batt_value_reason(v), "");
    assert_int_equal(batt_value_line(v), 0);
    assert_true(batt_value_contains(v, part[1]));
    batt_release(v); /* its elements live on */
    batt_value *other = batt_eval(batt, "{1, 2}", BATT_MODE_CORE);
    assert_int_equal(batt_value_int(part[0]), -5);
    assert_int_equal(batt_value_int(part[1]), 0);
    assert_true(batt_value_equal(part[1], other));
    assert_int_equal(batt_value_hash(part[1]), batt_value_hash(other));
    assert_int_equal(batt_value_order(part[1], other), 0);
    assert_true(batt_value_order(part[0], other) < 0);
    assert_false(batt_value_equal(part[1], part[2]));
    assert_int_equal(batt_value_arity(part[2]), 1);
    assert_text(batt_value_at(part[1], 0), "1");
    for (size_t k = 0; k < 7; k++) {
        batt_release(part[k]);
    }
    batt_release(other);

    assert_null(batt_eval(batt, "I", BATT_MODE_CORE));
    assert_text(batt_eval(batt, "first(())", BATT_MODE_BATT), "None");
    assert_reason(batt_eval(batt, "divide(1, 0)", BATT_MODE_BATT), "zero");
    batt_set_safe(batt, 1);
    assert_text(batt_eval(batt, "divide(1, 0)", BATT_MODE_BATT), "()");
    batt_set_safe(batt, 0);
    batt_set_budget(batt, 1000, 0, 0);
    assert_reason(batt_eval(batt, "size(repeat(repeat(1, 100000), 100000))", 0), "steps");
    batt_set_budget(batt, 0, 5000, 0);
    assert_reason(batt_eval(batt, "interval(0, 100000, 1)", 0), "memory");
    batt_set_budget(batt, 0, 0, 0);
    v = batt_eval(batt, "interval(0, 100000, 1)", 0);
    assert_int_equal(batt_value_size(v), 100000);
    batt_release(v);
    batt_close(batt);
}

static void constructors(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    static const int8_t cells[] = {1, 2, 3, 4};
    static const int64_t wide[] = {1, 200, 3, -4000};
    static const int32_t places[] = {1, 2, 0, 5, 1, 2}, dots[] = {7, 1, 2, 3, 0, 0};
    batt_value *grid = batt_grid(batt, cells, 2, 2), *number = batt_int(batt, 9);
    assert_text(batt_grid_wide(batt, wide, 2, 2), "((1, 200), (3, -4000))");
    assert_text(batt_grid_wide(batt, wide, 0, 2), "()");
    assert_text(batt_grid(batt, NULL, 0, 0), "()");
    assert_text(batt_ints(batt, wide, 3), "(1, 200, 3)");
    assert_text(batt_ints(batt, NULL, 0), "()");
    const batt_value *both[] = {number, grid, number};
    assert_text(batt_tuple(batt, both, 3), "(9, ((1, 2), (3, 4)), 9)");
    assert_text(batt_set(batt, both, 3), "{9, ((1, 2), (3, 4))}");
    assert_text(batt_set(batt, NULL, 0), "{}");
    assert_text(batt_atom(batt, BATT_NONE), "None");
    assert_text(batt_literal(batt, "{(1, 2), 7}", 11), "{7, (1, 2)}");
    assert_null(batt_literal(batt, "first(1)", 8));
    int32_t read[6];
    int64_t numbers[4] = {0};
    batt_value *patch = batt_indices(batt, places, 3);
    assert_int_equal(batt_value_patch_kind(patch), 2);
    assert_int_equal(batt_value_patch(patch, read, 2), 2);
    assert_int_equal(read[0] * 1000 + read[1] * 100 + read[2] * 10 + read[3], 512);
    assert_text(patch, "{(0, 5), (1, 2)}");
    patch = batt_object(batt, dots, 2, BATT_MODE_BATT);
    assert_int_equal(batt_value_patch_kind(patch), 4);
    assert_int_equal(batt_value_patch(patch, read, 1), 2);
    assert_int_equal(read[0], 3);
    assert_text(patch, "{(0, 0, 3), (1, 2, 7)}");
    patch = batt_object(batt, dots, 2, BATT_MODE_CORE);
    assert_int_equal(batt_value_patch_kind(patch), 3);
    assert_text(patch, "{(3, (0, 0)), (7, (1, 2))}");
    batt_value *row = batt_value_at(grid, 1);
    assert_int_equal(batt_value_ints(row, numbers, 1), 2);
    assert_int_equal(numbers[0], 3);
    assert_int_equal(numbers[1], 0);
    assert_int_equal(batt_value_ints(grid, numbers, 1), -1);
    assert_int_equal(batt_value_patch(grid, read, 1), -1);
    batt_release(grid);
    assert_text(row, "(3, 4)");
    batt_release(number);
    batt_close(batt);
}

/* The result of a call may be an element of an argument, or hold it: it outlives the argument
 * either way. */
static void chains(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    uint64_t before = mem_bytes();
    static const int8_t cells[] = {1, 0, 0, 0, 0, 2, 0, 0, 3};
    batt_value *grid = batt_grid(batt, cells, 3, 3), *last = batt_retain(grid);
    for (int k = 0; k < 1000; k++) {
        batt_value *next = call(batt, k % 2 ? "rot90" : "vmirror", last, NULL);
        batt_release(last);
        last = next;
    }
    batt_value *mirrored = call(batt, "hmirror", last, NULL), *held = call(batt, "astuple", mirrored, last);
    batt_release(mirrored);
    batt_release(last);
    batt_value *first = call(batt, "first", held, NULL), *row = call(batt, "first", first, NULL);
    batt_release(held);
    batt_release(first);
    batt_value *function = batt_primitive(batt, "vmirror"), *n = batt_int(batt, 3);
    batt_value *many = call(batt, "repeat", grid, n);
    assert_int_equal(batt_value_size(many), 3);
    const batt_value *arguments[] = {function, many};
    batt_value *bound = batt_call_primitive(batt, (size_t)batt_primitive_find("lbind"),
                                            (const batt_value *[]){function, grid}, 2, 0);
    assert_int_equal(batt_value_kind(bound), BATT_FUNCTION);
    batt_release(grid);
    assert_text(batt_call_primitive(batt, (size_t)batt_primitive_find("apply"), arguments, 2, 0),
                "(((0, 0, 1), (2, 0, 0), (3, 0, 0)), ((0, 0, 1), (2, 0, 0), (3, 0, 0)), ((0, 0, 1), (2, 0, "
                "0), (3, 0, 0)))");
    batt_release(many);
    batt_release(n);
    batt_release(bound);
    batt_release(function);
    assert_int_equal(batt_value_size(row), 3);
    batt_release(row);

    /* A set that grows and shrinks again and again keeps no more than it is. */
    batt_value *set = batt_set(batt, NULL, 0), *thing = batt_literal(batt, "((1, 2), (3, 4), (5, {6}))", 26);
    for (int k = 0; k < 20000; k++) {
        batt_value *next = call(batt, k % 2 ? "remove" : "insert", thing, set);
        batt_release(set);
        set = next;
    }
    assert_true(mem_bytes() < before + (1 << 18));
    batt_release(set);
    set = batt_set(batt, NULL, 0);
    for (int k = 0; k < 2000; k++) {
        batt_value *next = call(batt, "initset", k % 2 ? thing : set, NULL),
                   *joined = call(batt, "combine", set, next);
        batt_release(next);
        batt_release(set);
        set = joined;
        if (k % 10 == 9) {
            batt_release(set);
            set = batt_set(batt, NULL, 0);
        }
    }
    batt_release(set);
    batt_release(thing);
    batt_close(batt);
    assert_true(mem_bytes() < before);
}

/* ---- functions from outside ---- */

typedef struct Counter {
    batt_context *batt; /* of its own */
    int calls, dropped;
    batt_context *caller;
} Counter;

static batt_value *twice(void *user, const batt_value *const *arguments, size_t n) {
    Counter *counter = user;
    counter->calls++;
    assert_int_equal(n, 1);
    assert_null(batt_int(counter->caller, 1)); /* busy, and says so */
    assert_int_equal(batt_fault_of(counter->caller)->code, BATT_BUSY);
    batt_close(counter->caller); /* has no effect */
    const batt_value *both[] = {arguments[0], arguments[0]};
    return batt_value_kind(arguments[0]) == BATT_INT && batt_value_int(arguments[0]) < 0
               ? NULL
               : batt_tuple(counter->batt, both, 2);
}

static void dropped(void *user) {
    ((Counter *)user)->dropped++;
}

/* Errors name the type of a function from outside, whatever is made of it. */
static void functions_in_errors(void **state) {
    (void)state;
    Counter counter = {0};
    batt_context *batt = batt_open();
    size_t halve = (size_t)batt_primitive_find("halve");
    batt_value *f = batt_function(batt, 1, twice, &counter, NULL), *size = batt_primitive(batt, "size");
    batt_value *given[] = {f, call(batt, "compose", size, f), call(batt, "compose", f, size),
                           call(batt, "rbind", f, size), call(batt, "matcher", f, size)};
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        const batt_value *arguments[] = {given[k]};
        batt_value *failed = batt_call_primitive(batt, halve, arguments, 1, BATT_MODE_CORE);
        char *text = batt_explain_call(batt, halve, arguments, 1, BATT_MODE_CORE, failed);
        assert_non_null(text);
        assert_non_null(strstr(text, "argument 1 'n' is "));
        assert_non_null(strstr(text, " (fn"));
        batt_text_free(text);
        batt_release(failed);
        batt_release(given[k]);
    }
    batt_release(size);
    batt_close(batt);
}

static void functions(void **state) {
    (void)state;
    Counter counter = {.batt = batt_open()};
    batt_context *batt = counter.caller = batt_open();
    batt_value *f = batt_function(batt, 1, twice, &counter, dropped);
    batt_value *size = batt_primitive(batt, "size"),
               *items = batt_literal(batt, "(5, {(1, 2)}, ((1, 2), (3, 4)))", 31);
    assert_int_equal(batt_value_arity(f), 1);
    assert_text(call(batt, "apply", f, items),
                "((5, 5), ({(1, 2)}, {(1, 2)}), (((1, 2), (3, 4)), ((1, 2), (3, 4))))");
    assert_int_equal(counter.calls, 3);
    batt_value *made = call(batt, "compose", size, f);
    batt_release(f);
    assert_int_equal(counter.dropped, 0); /* the composed function holds it */
    assert_text(batt_call(batt, made, (const batt_value *[]){items}, 1, BATT_MODE_CORE), "2");
    batt_value *negative = batt_int(batt, -1);
    assert_reason(batt_call(batt, made, (const batt_value *[]){negative}, 1, BATT_MODE_CORE), "type");
    assert_reason(batt_call(batt, made, (const batt_value *[]){negative, negative}, 2, BATT_MODE_CORE),
                  "arity");
    batt_release(made);
    assert_int_equal(counter.dropped, 1);
    f = batt_function(batt, 0, twice, &counter, NULL);
    batt_value *bound = call(batt, "rbind", f, negative);
    assert_int_equal(batt_value_arity(bound), 255);
    batt_release(bound);
    batt_release(f);
    assert_null(batt_call(batt, items, NULL, 0, BATT_MODE_CORE));
    assert_string_equal(batt_error(batt), "the value is not a function");
    assert_null(batt_primitive(batt, "siez"));
    assert_string_equal(batt_error(batt), "unknown primitive 'siez', did you mean 'size'?");
    batt_release(negative);
    batt_release(items);
    batt_release(size);
    batt_close(batt);
    batt_close(counter.batt);

    /* Functions made in different contexts are different functions. */
    batt_context *two[2] = {batt_open(), batt_open()};
    batt_value *closure[2];
    for (int k = 0; k < 2; k++) {
        closure[k] = batt_eval(two[k], "lbind(add, 1)", BATT_MODE_CORE);
    }
    assert_false(batt_value_equal(closure[0], closure[1]));
    batt_value *set = batt_set(two[0], (const batt_value *const *)closure, 2);
    assert_int_equal(batt_value_size(set), 2);
    batt_release(set);
    for (int k = 0; k < 2; k++) {
        batt_release(closure[k]);
        batt_close(two[k]);
    }
}

static void tables(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    assert_true(batt_primitive_count() > 160);
    int64_t objects = batt_primitive_find("objects");
    assert_int_equal(batt_primitive_arity((size_t)objects), 4);
    assert_string_equal(batt_primitive_name((size_t)objects), "objects");
    assert_non_null(strstr(batt_primitive_signature((size_t)objects), "univalued"));
    assert_true(strlen(batt_primitive_doc((size_t)objects)) > 10);
    assert_true(strlen(batt_primitive_example((size_t)objects)) > 10);
    assert_true(strlen(batt_primitive_family((size_t)objects)) > 3);
    assert_int_equal(batt_primitive_find("nothing"), -1);
    assert_string_equal(batt_primitive_name(100000), "");
    size_t turn = (size_t)batt_primitive_find("stamp_turn");
    int64_t number = 0;
    assert_true(batt_symbol_number(turn, 1, "ROT180", &number) && number == 2);
    assert_true(batt_symbol_number(turn, 1, "ROT90", NULL));
    assert_false(batt_symbol_number(turn, 0, "ROT90", &number) ||
                 batt_symbol_number(turn, 1, "ROT", &number));
    assert_false(batt_symbol_number(turn, 9, "ROT90", NULL) || batt_symbol_number(100000, 1, "ROT90", NULL));
    bool seen = false;
    for (size_t k = 0; k < batt_constant_count(); k++) {
        if (strcmp(batt_constant_name(k), "DOWN") == 0) {
            assert_text(batt_constant(batt, k), "(1, 0)");
            seen = true;
        }
    }
    assert_true(seen);
    assert_null(batt_constant(batt, 100000));
    batt_close(batt);
}

/* ---- tasks ---- */

static void tasks(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    batt_tasks *t = batt_tasks_read(batt, "mirror.json", task, strlen(task));
    int rows, columns;
    assert_int_equal(batt_tasks_count(t), 1);
    assert_int_equal(batt_tasks_error_count(t), 0);
    assert_string_equal(batt_task_id(t, 0), "mirror");
    assert_int_equal(batt_task_pairs(t, 0, BATT_TRAIN), 2);
    assert_int_equal(batt_task_pairs(t, 0, BATT_TEST), 2);
    assert_int_equal(batt_task_grid(t, 0, BATT_TRAIN, 1, BATT_OUTPUT, &rows, &columns)[0], 4);
    assert_int_equal(columns, 2);
    assert_null(batt_task_grid(t, 0, BATT_TEST, 1, BATT_OUTPUT, &rows, &columns));
    assert_text(batt_task_samples(batt, t, 0), "((((1, 2),), ((2, 1),)), (((3, 4),), ((4, 3),)))");
    static const struct {
        const char *answer;
        size_t pair;
        int verdict;
    } cases[] = {{"((6, 5),)", 0, BATT_RIGHT},    {"((6, 4),)", 0, BATT_WRONG},
                 {"((6,),)", 0, BATT_WRONG_SIZE}, {"7", 0, BATT_NOT_GRID},
                 {"((8, 7),)", 1, BATT_UNKNOWN},  {"first(5)", 0, BATT_FAILURE}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        batt_value *answer = batt_eval(batt, cases[k].answer, BATT_MODE_CORE);
        assert_int_equal(batt_judge(batt, t, 0, BATT_TEST, cases[k].pair, answer), cases[k].verdict);
        assert_true(strlen(batt_verdict_name(cases[k].verdict)) > 0);
        batt_release(answer);
    }
    assert_int_equal(batt_judge(batt, t, 0, BATT_TEST, 2, NULL), -1);

    char *svg = batt_task_svg(batt, t, 0, NULL),
         *drawing = batt_task_drawing(batt, t, 0, "colorblind", 80, 0);
    assert_non_null(strstr(svg, "</svg>"));
    assert_non_null(strstr(drawing, "2 training pairs, 2 tests"));
    batt_text_free(svg);
    batt_text_free(drawing);
    assert_null(batt_task_svg(batt, t, 0, "mauve"));
    assert_non_null(strstr(batt_error(batt), "unknown palette 'mauve'"));
    size_t length;
    char *png = batt_task_png(batt, t, 0, NULL, &length);
    assert_non_null(png);
    assert_memory_equal(png, "\x89PNG", 4);
    batt_text_free(png);
    batt_value *grid = batt_literal(batt, "((1, 2),)", 9), *other = batt_literal(batt, "((1, 3),)", 9);
    char *one = batt_grid_svg(batt, grid, NULL), *two = batt_difference_svg(batt, grid, other, NULL);
    assert_true(strlen(two) > strlen(one));
    batt_text_free(one);
    batt_text_free(two);
    one = batt_grid_drawing(batt, grid, NULL, 0, 0);
    assert_non_null(strstr(one, "1 2"));
    batt_text_free(one);
    static const struct {
        const char *text;
        size_t strips; /* of up to four pictures, with their sizes above */
    } values[] = {{"((1, 2),)", 1},
                  {"objects(((1, 0), (0, 2)), T, F, T)", 1},
                  {"asindices(((1, 2),))", 1},
                  {"(((1,),), ((2, 2),), ((1,),), ((1,),), ((1,),))", 2},
                  {"5", 0},
                  {"compose(vmirror, hmirror)", 0}};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        batt_value *v = batt_eval(batt, values[k].text, BATT_MODE_CORE);
        size_t count = 0;
        one = batt_value_svg(batt, v, NULL, NULL);
        two = batt_value_png(batt, v, grid, "colorblind", &length);
        assert_non_null(one);
        for (const char *at = one; (at = strstr(at, "class=\"p\"")) != NULL; at++) {
            count++;
        }
        assert_int_equal(count, values[k].strips);
        assert_int_equal(count > 0, length > 0 && memcmp(two, "\x89PNG", 4) == 0);
        batt_text_free(one);
        batt_text_free(two);
        batt_release(v);
    }
    one = batt_pair_svg(batt, grid, NULL, NULL);
    two = batt_pair_png(batt, grid, other, NULL, &length);
    assert_non_null(strstr(one, "1x2 \u2192 ?"));
    assert_memory_equal(two, "\x89PNG", 4);
    batt_text_free(one);
    batt_text_free(two);
    batt_release(grid);
    batt_release(other);

    batt_tasks *all = batt_tasks_load(batt, NULL, 0), *some, *joined;
    const char *id = batt_task_id(all, 1);
    some = batt_tasks_select(batt, all, &id, 1, NULL, 0, 0);
    assert_int_equal(batt_tasks_count(some), 1);
    assert_string_equal(batt_task_id(some, 0), id);
    joined = batt_tasks_join(batt, (const batt_tasks *[]){some, t}, 2);
    batt_tasks_free(all);
    batt_tasks_free(some);
    batt_tasks_free(t);
    assert_int_equal(batt_tasks_count(joined), 2);
    assert_int_equal(batt_tasks_find(joined, "mirror"), 1);
    assert_null(batt_tasks_select(batt, joined, (const char *[]){"nobody"}, 1, NULL, 0, 0));
    assert_non_null(strstr(batt_error(batt), "nobody"));
    assert_null(batt_tasks_select(batt, joined, (const char *[]){"mirror", "mirror"}, 2, NULL, 0, 0));
    assert_string_equal(batt_error(batt), "the id mirror is asked for twice");
    assert_null(batt_tasks_select(batt, joined, NULL, 0, "h<=", 0, 0));
    some = batt_tasks_select(batt, joined, NULL, 0, "h<=1", 0, 0);
    assert_int_equal(batt_tasks_count(some), 1);
    batt_tasks_free(some);
    some = batt_tasks_at(batt, joined, (const size_t[]){1, 0}, 2);
    assert_int_equal(batt_tasks_find(some, "mirror"), 0);
    assert_null(batt_tasks_join(batt, (const batt_tasks *[]){joined, some}, 2));
    assert_non_null(strstr(batt_error(batt), "two tasks have the id"));
    assert_null(batt_tasks_at(batt, joined, (const size_t[]){1, 1}, 2));
    assert_null(batt_tasks_at(batt, joined, (const size_t[]){2}, 1));
    assert_non_null(strstr(batt_error(batt), "the set has 2"));
    batt_tasks_free(joined);
    batt_tasks_free(some);

    t = batt_tasks_read(batt, "odd.json", "{\"train\":[{\"input\":[[1,12]]}]}", 30);
    assert_int_equal(batt_tasks_count(t), 0);
    assert_int_equal(batt_tasks_error_count(t), 1);
    assert_int_equal(batt_tasks_fault(t, 0)->code, BATT_BAD_INPUT);
    assert_string_equal(batt_tasks_fault(t, 0)->file, "odd.json");
    assert_int_equal(batt_tasks_fault(t, 0)->line, 1);
    assert_null(batt_tasks_fault(t, 1));
    batt_tasks_free(t);
    batt_close(batt);
}

/* NULL anywhere: an error, or nothing, but never a crash. */
static void null_anywhere(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    int rows, columns;
    size_t length;
    for (int k = 0; k < 2; k++) {
        batt_context *c = k ? batt : NULL;
        assert_null(batt_parse(c, NULL, 0, 0));
        assert_null(batt_parse_file(c, NULL, 0));
        assert_null(batt_parse_paths(c, NULL, 1, 0));
        assert_null(batt_eval(c, NULL, 0));
        assert_null(batt_run(c, NULL, 0, NULL, 1, 1));
        assert_null(batt_run_value(c, NULL, 0, NULL, NULL, NULL));
        assert_null(batt_run_text(c, NULL, 0, NULL, NULL, NULL));
        assert_null(batt_run_trace(c, NULL, 0, NULL, NULL, NULL));
        assert_null(batt_primitive(c, NULL));
        assert_null(batt_primitive_at(c, SIZE_MAX));
        assert_null(batt_call(c, NULL, NULL, 3, 0));
        assert_null(batt_call_primitive(c, 0, NULL, 1, 0));
        assert_null(batt_call_primitive(c, 0, (const batt_value *[]){NULL}, 1, 0));
        assert_null(batt_function(c, 1, NULL, NULL, NULL));
        assert_null(batt_atom(c, BATT_INT));
        assert_null(batt_grid(c, NULL, 1, 1));
        assert_null(batt_grid_wide(c, NULL, 1, 1));
        assert_null(batt_ints(c, NULL, 1));
        assert_null(batt_tuple(c, NULL, 1));
        assert_null(batt_set(c, (const batt_value *[]){NULL}, 1));
        assert_null(batt_indices(c, NULL, 1));
        assert_null(batt_object(c, NULL, 1, 0));
        assert_null(batt_literal(c, NULL, 1));
        assert_null(batt_tasks_load(c, NULL, 1));
        assert_null(batt_tasks_read(c, NULL, NULL, 1));
        assert_null(batt_tasks_select(c, NULL, NULL, 1, NULL, 0, 0));
        assert_null(batt_tasks_join(c, NULL, 1));
        assert_null(batt_tasks_at(c, NULL, NULL, 1));
        assert_null(batt_task_samples(c, NULL, 0));
        assert_int_equal(batt_judge(c, NULL, 0, 0, 0, NULL), -1);
        assert_null(batt_task_svg(c, NULL, 0, NULL));
        assert_null(batt_task_png(c, NULL, 0, NULL, &length));
        assert_null(batt_task_drawing(c, NULL, 0, NULL, 0, 0));
        assert_null(batt_grid_svg(c, NULL, NULL));
        assert_null(batt_grid_drawing(c, NULL, NULL, 0, 0));
        assert_null(batt_difference_svg(c, NULL, NULL, NULL));
        assert_null(batt_programs_lint(c, NULL));
        assert_null(batt_profile_export(c, NULL, 1, NULL));
        assert_null(batt_store_stats(c, NULL));
        assert_null(batt_store_best(c, NULL, NULL, 0));
        assert_null(batt_store_lineage(c, NULL, NULL));
        assert_null(batt_tasks_synth(c, &(batt_synth_options){0}, NULL));
        assert_null(batt_explain_call(c, 0, NULL, 1, 0, NULL));
        assert_null(batt_explain_run(c, NULL, 0, NULL, NULL, NULL, NULL));
        assert_null(batt_value_svg(c, NULL, NULL, NULL));
        assert_null(batt_value_png(c, NULL, NULL, NULL, NULL));
        assert_null(batt_pair_svg(c, NULL, NULL, NULL));
        assert_null(batt_pair_png(c, NULL, NULL, NULL, NULL));
        batt_set_budget(c, 0, 0, 0);
        batt_set_safe(c, 0);
        batt_value *v = batt_int(c, 1);
        assert_int_equal(v != NULL, k);
        batt_release(v);
        assert_true(strlen(batt_error(NULL)) > 0);
        assert_int_equal(batt_fault_of(NULL)->code, BATT_BAD_ARGUMENT);
    }
    batt_release(NULL);
    assert_null(batt_retain(NULL));
    assert_int_equal(batt_value_kind(NULL), BATT_FAILED);
    assert_int_equal(batt_value_int(NULL), 0);
    assert_int_equal(batt_value_size(NULL), 0);
    assert_null(batt_value_at(NULL, 0));
    assert_int_equal(batt_value_contains(NULL, NULL), 0);
    assert_int_equal(batt_value_equal(NULL, NULL), 0);
    assert_int_equal(batt_value_order(NULL, NULL), 0);
    assert_int_equal(batt_value_hash(NULL), 0);
    assert_int_equal(batt_value_grid(NULL, &rows, &columns), 0);
    assert_int_equal(batt_value_cells(NULL, NULL, 0), 0);
    assert_null(batt_value_cells_in_place(NULL));
    assert_int_equal(batt_value_ints(NULL, NULL, 0), -1);
    assert_int_equal(batt_value_patch_kind(NULL), 0);
    assert_int_equal(batt_value_patch(NULL, NULL, 0), -1);
    assert_int_equal(batt_value_text(NULL, NULL, 0), 1);
    assert_string_equal(batt_value_reason(NULL), "");
    assert_string_equal(batt_value_where(NULL), "");
    assert_int_equal(batt_value_line(NULL), 0);
    assert_int_equal(batt_value_arity(NULL), 0);
    assert_int_equal(batt_programs_count(NULL), 0);
    assert_string_equal(batt_programs_name(NULL, 0), "");
    assert_string_equal(batt_programs_text(NULL, 0), "");
    assert_string_equal(batt_programs_hash(NULL, 0), "");
    assert_string_equal(batt_programs_errors(NULL), "");
    assert_int_equal(batt_programs_error_count(NULL), 0);
    assert_null(batt_programs_fault(NULL, 0));
    assert_int_equal(batt_programs_find(NULL, NULL), -1);
    assert_int_equal(batt_primitive_find(NULL), -1);
    assert_int_equal(batt_tasks_count(NULL), 0);
    assert_int_equal(batt_tasks_error_count(NULL), 0);
    assert_null(batt_tasks_fault(NULL, 0));
    assert_int_equal(batt_tasks_find(NULL, NULL), -1);
    assert_string_equal(batt_task_id(NULL, 0), "");
    assert_string_equal(batt_task_source(NULL, 0), "");
    assert_null(batt_task_grid(NULL, 0, 0, 0, 0, NULL, NULL));
    assert_int_equal(batt_trace_count(NULL), 0);
    assert_string_equal(batt_trace_name(NULL, 0), "");
    assert_null(batt_trace_value(NULL, 0));
    batt_trace_free(NULL);
    batt_tasks_free(NULL);
    batt_text_free(NULL);
    batt_close(batt);
}

static bool everything(void) {
    batt_context *batt = batt_open();
    batt_programs *p = batt_parse(batt, source, strlen(source), BATT_MODE_AUTO);
    batt_value *v = batt_run_text(batt, p, 0, "((1, 2),)", NULL, NULL);
    batt_value *items = batt_literal(batt, "((1, 2), {(3, (4, 5))})", 23),
               *twin = call(batt, "astuple", items, v);
    batt_value *part = batt_value_at(twin, 0);
    batt_tasks *t = batt_tasks_read(batt, "mirror.json", task, strlen(task));
    batt_tasks *some = batt_tasks_select(batt, t, NULL, 0, NULL, 0, 1);
    batt_trace *trace = batt_run_trace(batt, p, 0, v, NULL, NULL);
    char *svg = batt_task_svg(batt, t, 0, NULL);
    bool done = batt_programs_error_count(p) == 1 && batt_programs_count(p) == 3 && batt_value_size(v) == 2 &&
                part != NULL && batt_tasks_count(some) == 1 && svg != NULL && batt_trace_count(trace) == 1;
    if (batt != NULL && svg == NULL && t != NULL) {
        assert_int_equal(batt_fault_of(batt)->code, BATT_NO_MEMORY);
    }
    batt_text_free(svg);
    batt_trace_free(trace);
    batt_tasks_free(some);
    batt_tasks_free(t);
    batt_release(part);
    batt_release(twin);
    batt_release(items);
    batt_release(v);
    batt_programs_free(p);
    batt_close(batt);
    return done;
}

static void allocation_failures(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        mem_fail_at(n);
        done = everything();
        mem_fail_at(0);
        assert_int_equal(mem_bytes(), before);
        assert_true(n < 3000);
    }
}

/* ---- threads: a context each, values and tasks shared ---- */

typedef struct Shared {
    const batt_programs *programs;
    const batt_tasks *tasks;
    batt_value *grid, *function;
    size_t turned;
} Shared;

static void *work(void *user) {
    Shared *s = user;
    batt_context *batt = batt_open();
    size_t right = 0;
    for (int k = 0; k < 200; k++) {
        batt_value *mine = batt_retain(s->grid), *v = batt_run_value(batt, s->programs, 0, mine, NULL, NULL);
        batt_value *w = batt_call(batt, s->function, (const batt_value *[]){v}, 1, BATT_MODE_CORE);
        batt_value *row = batt_value_at(s->grid, 0), *odd = batt_eval(batt, "first(", BATT_MODE_CORE);
        assert_null(odd);
        right += batt_value_equal(w, s->grid) != 0 && batt_value_size(row) == 2;
        const char *id = batt_task_id(s->tasks, 0);
        batt_tasks_free(batt_tasks_select(batt, s->tasks, &id, 1, NULL, 0, 0));
        batt_release(row);
        batt_release(w);
        batt_release(v);
        batt_release(mine);
    }
    batt_close(batt);
    return (void *)(uintptr_t)right;
}

/* A command of the command line: what it prints, its messages and exit code, its errors as data, and
 * stopping. */
static void commands(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    const char *const run[] = {"run", "--json", "--id", "0cd24527"}, *const wrong[] = {"run", "--id",
                                                                                       "nothing"};
    const char *const net[] = {"net", "--steps", "1000000", "--progress", "off", "--json"};
    char *messages = NULL;
    int status = -1;
    char *text = batt_command(batt, run, 4, NULL, &messages, &status);
    assert_non_null(strstr(text, "\"batt.run/1\""));
    assert_non_null(strstr(text, "0cd24527"));
    assert_string_equal(messages, "");
    assert_int_equal(status, 0);
    assert_int_equal(batt_fault_of(batt)->code, BATT_FINE);
    batt_text_free(text);
    batt_text_free(messages);
    assert_null(batt_command(batt, wrong, 3, NULL, &messages, &status));
    assert_int_equal(status, 2);
    assert_int_equal(batt_fault_of(batt)->code, BATT_BAD_ARGUMENT);
    assert_non_null(strstr(batt_error(batt), "nothing"));
    const volatile int stop = 1;
    text = batt_command(batt, net, 6, &stop, NULL, &status);
    assert_non_null(text);
    assert_int_equal(status, 130);
    batt_text_free(text);
    const char *const serve[] = {"serve"}, *const none[] = {"run", NULL};
    assert_null(batt_command(batt, serve, 1, NULL, NULL, NULL));
    assert_non_null(strstr(batt_error(batt), "no command 'serve'"));
    assert_null(batt_command(batt, none, 2, NULL, NULL, NULL));
    assert_null(batt_command(batt, NULL, 0, NULL, NULL, NULL));
    assert_null(batt_command(NULL, run, 4, NULL, NULL, NULL));
    batt_close(batt);
}

static void threads(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    Shared s = {.programs = batt_parse(batt, source, strlen(source), BATT_MODE_AUTO),
                .tasks = batt_tasks_read(batt, "mirror.json", task, strlen(task)),
                .grid = batt_literal(batt, "((1, 2), (3, 4))", 16),
                .function = batt_eval(batt, "chain(rot90, rot90, rot90)", BATT_MODE_CORE)};
    pthread_t thread[4];
    for (int k = 0; k < 4; k++) {
        assert_int_equal(pthread_create(&thread[k], NULL, work, &s), 0);
    }
    for (int k = 0; k < 4; k++) {
        void *right;
        pthread_join(thread[k], &right);
        assert_int_equal((uintptr_t)right, 200);
    }
    batt_release(s.grid);
    batt_release(s.function);
    batt_programs_free((batt_programs *)s.programs);
    batt_tasks_free((batt_tasks *)s.tasks);
    batt_close(batt);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs), cmocka_unit_test(values),        cmocka_unit_test(constructors),
        cmocka_unit_test(chains),   cmocka_unit_test(functions),     cmocka_unit_test(tables),
        cmocka_unit_test(tasks),    cmocka_unit_test(null_anywhere), cmocka_unit_test(allocation_failures),
        cmocka_unit_test(commands), cmocka_unit_test(threads),       cmocka_unit_test(functions_in_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
