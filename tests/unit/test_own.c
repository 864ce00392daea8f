/* Primitives of one's own: registered, parsed, run in any thread, searched with, missing. */
#include "base/alloc.h"
#include "batt.h"
#include "engine/eval/eval.h"
#include "engine/language/own.h"
#include "engine/language/parse.h"
#include "engine/language/print.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct Calls {
    _Atomic int count, dropped;
} Calls;

/* Adds n times its row to every color, modulo 10. */
static batt_value *add_rows(void *user, batt_context *context, const batt_value *const *arguments, size_t n) {
    int8_t cells[900];
    int rows, columns;
    Calls *calls = user;
    assert_int_equal(n, 2);
    calls->count++;
    if (!batt_value_grid(arguments[0], &rows, &columns) || rows > 30 || columns > 30) {
        return batt_fail(context, "not a small grid");
    }
    size_t count = batt_value_cells(arguments[0], cells, sizeof cells);
    for (size_t k = 0; k < count; k++) {
        int64_t sum = cells[k] + (int64_t)(k / (size_t)columns) * (batt_value_int(arguments[1]) % 10);
        cells[k] = (int8_t)((sum % 10 + 10) % 10);
    }
    return batt_grid(context, cells, rows, columns);
}

static void drop(void *user) {
    ((Calls *)user)->dropped++;
}

static batt_value *identity(void *user, const batt_value *const *arguments, size_t n) {
    (void)user, (void)n;
    return batt_retain(arguments[0]);
}

/* Gives a function of this process, which would not outlive the call. */
static batt_value *give_function(void *user, batt_context *context, const batt_value *const *arguments,
                                 size_t n) {
    (void)user, (void)arguments, (void)n;
    return batt_function(context, 1, identity, NULL, NULL);
}

/* Calls a function that it is given. */
static batt_value *call_it(void *user, batt_context *context, const batt_value *const *arguments, size_t n) {
    (void)user, (void)n;
    return batt_call(context, arguments[0], arguments + 1, 1, BATT_MODE_CORE);
}

static batt_context *open_with(Calls *calls, unsigned price) {
    batt_context *batt = batt_open();
    assert_true(batt_primitive_register(batt, "add_rows", "grid: grid, n: int -> grid", price, add_rows,
                                        calls, drop));
    return batt;
}

static batt_programs *parse(batt_context *batt, const char *text) {
    batt_programs *p = batt_parse(batt, text, strlen(text), BATT_MODE_AUTO);
    assert_string_equal(batt_programs_errors(p), "");
    return p;
}

static void assert_run(batt_context *batt, const batt_programs *p, const char *grid, const char *wanted) {
    char text[200];
    batt_value *v = batt_run_text(batt, p, 0, grid, NULL, NULL);
    batt_value_text(v, text, sizeof text);
    assert_string_equal(text, wanted);
    batt_release(v);
}

static const char line[] = "O = add_rows(I, THREE)";

static void registered(void **state) {
    (void)state;
    Calls calls = {0};
    batt_context *batt = open_with(&calls, 0), *other = batt_open();
    batt_programs *p = parse(batt, line);
    assert_string_equal(batt_programs_text(p, 0),
                        "def solve(I):\n    O = add_rows(I, THREE)\n    return O\n");
    assert_true(batt_programs_own(p, 0));
    assert_run(batt, p, "((1, 2), (3, 4))", "((1, 2), (6, 7))");
    assert_run(other, p, "((1, 2), (3, 4))", "((1, 2), (6, 7))"); /* which does not know the name */
    assert_null(batt_eval(other, "add_rows(((1, 2),), 3)", BATT_MODE_CORE));
    assert_non_null(strstr(batt_error(other), "unknown primitive 'add_rows'"));

    batt_value *f = batt_primitive(batt, "add_rows"), *grid = batt_literal(batt, "((1,),(1,))", 11),
               *n = batt_int(batt, 4);
    const batt_value *arguments[] = {grid, n}, *wrong[] = {n, n};
    batt_value *v = batt_call(batt, f, arguments, 2, BATT_MODE_CORE), *failed;
    assert_int_equal(batt_value_hash(v), batt_value_hash(v));
    assert_int_equal(batt_value_arity(f), 2);
    failed = batt_call(batt, f, wrong, 2, BATT_MODE_CORE);
    assert_string_equal(batt_value_reason(failed), "type");
    assert_string_equal(batt_value_where(failed), "add_rows");
    batt_value *all[] = {grid, n, v, failed};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        batt_release(all[k]);
    }

    /* Programs and functions keep it alive. */
    assert_true(batt_primitive_forget(batt, "add_rows"));
    assert_false(batt_primitive_forget(batt, "add_rows"));
    assert_null(batt_primitive(batt, "add_rows"));
    batt_close(batt);
    assert_run(other, p, "((1,), (3,))", "((1,), (6,))");
    batt_programs_free(p);
    assert_int_equal(calls.dropped, 0);
    grid = batt_literal(other, "((1,),(1,))", 11);
    n = batt_int(other, 4);
    const batt_value *again[] = {grid, n};
    v = batt_call(other, f, again, 2, BATT_MODE_CORE);
    assert_int_equal(batt_value_kind(v), BATT_TUPLE);
    batt_release(v);
    batt_release(grid);
    batt_release(n);
    batt_release(f);
    batt_close(other);
    assert_int_equal(calls.dropped, 1);
}

static void names(void **state) {
    (void)state;
    Calls calls = {0};
    batt_context *batt = open_with(&calls, 0);
    static const struct {
        const char *name, *signature, *why;
        unsigned price;
    } wrong[] = {{"vmirror", "g: grid -> grid", "a word of the language", 0},
                 {"ZERO", "g: grid -> grid", "a word of the language", 0},
                 {"x12", "g: grid -> grid", "a word of the language", 0},
                 {"while", "g: grid -> grid", "a word of the language", 0},
                 {"", "g: grid -> grid", "letters", 0},
                 {"two words", "g: grid -> grid", "letters", 0},
                 {"2nd", "g: grid -> grid", "letters", 0},
                 {"long_long_long_long_long_long_long_long_long_long", "g: grid -> grid", "at most 47", 0},
                 {"a", "", "a signature is such as", 0},
                 {"a", "grid", "no result", 0},
                 {"a", "-> grid", "no result", 0},
                 {"a", " -> grid", "no parameters", 0},
                 {"a", "g: picture -> grid", "unknown type", 0},
                 {"a", "g: grid -> picture", "unknown type", 0},
                 {"a", "a: int, b: int, c: int, d: int, e: int -> int", "more than 4", 0},
                 {"a", "g: grid -> grid", "1 to 40 bits", 41},
                 {"a", "f: fn -> grid", "no arguments of the type fn", 3},
                 {"a", "g: grid -> samples", "no use for a result of the type samples", 3},
                 {"a", "a: int, b: int, c: int, d: int -> int", "at most 3 arguments", 3}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_false(batt_primitive_register(batt, wrong[k].name, wrong[k].signature, wrong[k].price,
                                             add_rows, &calls, drop));
        if (strstr(batt_error(batt), wrong[k].why) == NULL) {
            fail_msg("%s, %s: %s", wrong[k].name, wrong[k].signature, batt_error(batt));
        }
    }
    assert_false(batt_primitive_register(batt, NULL, "g: grid -> grid", 0, add_rows, NULL, NULL));
    assert_false(batt_primitive_register(batt, "a", NULL, 0, add_rows, NULL, NULL));
    assert_false(batt_primitive_register(batt, "a", "g: grid -> grid", 0, NULL, NULL, NULL));
    assert_false(batt_primitive_register(NULL, "a", "g: grid -> grid", 0, add_rows, NULL, NULL));
    assert_false(batt_primitive_forget(batt, NULL));
    batt_close(batt);
    assert_int_equal(calls.dropped, 1); /* of the one that was registered */
}

static void replaced(void **state) {
    (void)state;
    Calls first = {0}, second = {0};
    batt_context *batt = open_with(&first, 0);
    batt_programs *old = parse(batt, line);
    assert_true(
        batt_primitive_register(batt, "add_rows", "grid: grid, n: int -> grid", 0, add_rows, &second, drop));
    batt_programs *new = parse(batt, line);
    assert_string_equal(batt_programs_hash(old, 0), batt_programs_hash(new, 0));
    assert_run(batt, old, "((1,), (1,))", "((1,), (4,))");
    assert_run(batt, new, "((1,), (1,))", "((1,), (4,))");
    assert_int_equal(first.count, 1);
    assert_int_equal(second.count, 1);
    batt_programs_free(old);
    batt_programs_free(new);
    batt_close(batt);
    assert_int_equal(first.dropped + second.dropped, 2);
}

static void failures(void **state) {
    (void)state;
    Calls calls = {0};
    batt_context *batt = open_with(&calls, 0);
    assert_true(batt_primitive_register(batt, "give", "g: any -> fn", 0, give_function, NULL, NULL));
    assert_true(batt_primitive_register(batt, "call_it", "f: fn, x: any -> any", 0, call_it, NULL, NULL));
    static const struct {
        const char *text, *reason, *where, *why;
    } rows[] = {{"x1 = size(I)\nO = add_rows(x1, ONE)", "type", "add_rows", "not a small grid"},
                {"O = add_rows(I)", "arity", "", ""},
                {"O = apply(lbind(add_rows, ONE), I)", "type", "add_rows", "not a small grid"},
                {"O = give(I)", "type", "give", ""},
                {"O = call_it(vmirror, ONE)", "type", "vmirror", NULL},
                {"O = call_it(rbind(add_rows, ONE), ONE)", "type", "add_rows", NULL}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        batt_programs *p = parse(batt, rows[k].text);
        batt_value *grid = batt_literal(batt, "((1, 2),)", 9);
        batt_value *v = batt_run_value(batt, p, 0, grid, NULL, NULL);
        char *why = batt_explain_run(batt, p, 0, grid, NULL, NULL, v);
        assert_int_equal(batt_value_kind(v), BATT_FAILED);
        assert_string_equal(batt_value_reason(v), rows[k].reason);
        assert_string_equal(batt_value_where(v), rows[k].where);
        if (rows[k].why != NULL) {
            assert_string_equal(why, rows[k].why);
        }
        batt_text_free(why);
        batt_release(v);
        batt_release(grid);
        batt_programs_free(p);
    }
    batt_programs *p = parse(batt, "x1 = call_it(double, FOUR)\nO = astuple(x1, x1)");
    assert_run(batt, p, "((1,),)", "(8, 8)");
    batt_programs_free(p);
    p = parse(batt, "O = add_rows(ONE, ONE)");
    batt_set_safe(batt, 1);
    assert_run(batt, p, "((1,),)", "()");
    batt_programs_free(p);
    batt_close(batt);
}

static const char task[] =
    "{\"train\":[{\"input\":[[1,2,7],[1,1,9],[0,5,2]],\"output\":[[7,2,1],[2,4,4],[8,1,6]]},"
    "{\"input\":[[3,9,9],[9,1,0]],\"output\":[[9,9,3],[3,4,2]]},"
    "{\"input\":[[8,0,5],[2,2,6]],\"output\":[[5,0,8],[9,5,5]]}],"
    "\"test\":[{\"input\":[[4,6,1],[1,6,4]],\"output\":[[1,6,4],[7,9,4]]}]}";

static void jobs(void **state) {
    (void)state;
    Calls calls = {0};
    batt_context *batt = open_with(&calls, 5);
    batt_tasks *tasks = batt_tasks_read(batt, "mine", task, sizeof task - 1);
    batt_programs *p =
        parse(batt, "def solve_mine(I):\n    x1 = add_rows(I, THREE)\n    return vmirror(x1)\n"
                    "def solve_other(I):\n    x1 = add_rows(I, THREE)\n    return hmirror(x1)\n"
                    "def solve_bad(I):\n    return add_rows(ZERO, I)\n");
    batt_run_options all = {.size = sizeof all, .all = 1};
    batt_job four = {.size = sizeof four, .jobs = 4};
    batt_results *r = batt_run_tasks(batt, p, tasks, &all, &four);
    assert_int_equal(batt_results_solved(r, 0), 1);
    batt_results_free(r);

    batt_solve_options with = {.size = sizeof with, .steps = 5000000, .without_library = 1}, without = with;
    without.without_own = 1;
    r = batt_solve(batt, tasks, &with, &four);
    assert_int_equal(batt_results_solved(r, 0), 1);
    assert_string_equal(
        batt_results_program(r, 0, 0),
        "def solve_mine(I):\n    x1 = add_rows(I, THREE)\n    O = vmirror(x1)\n    return O\n");
    batt_results_free(r);
    int before = calls.count;
    without.steps = 200000;
    r = batt_solve(batt, tasks, &without, NULL);
    assert_int_equal(batt_results_solved(r, 0), 0);
    assert_int_equal(calls.count, before);
    batt_results_free(r);

    batt_evolve_options evolve = {.size = sizeof evolve, .generations = 3, .founders = p};
    r = batt_evolve(batt, tasks, &evolve, &four);
    assert_int_equal(batt_results_solved(r, 0), 1);
    assert_non_null(strstr(batt_results_program(r, 0, 0), "add_rows"));
    batt_results_free(r);
    batt_programs_free(p);
    batt_tasks_free(tasks);
    batt_close(batt);
    assert_int_equal(calls.dropped, 1);
}

static void lint(void **state) {
    (void)state;
    Calls calls = {0};
    batt_context *batt = open_with(&calls, 0);
    batt_programs *p =
        parse(batt, "def f(I):\n    x1 = size(I)\n    x2 = add_rows(x1, ONE)\n    x3 = add_rows(I)\n"
                    "    x4 = apply(add_rows, I)\n    x5 = add_rows(n=ONE, grid=I)\n"
                    "    return vmirror(x5)\n");
    char *text = batt_programs_lint(batt, p);
    assert_non_null(strstr(text, "add_rows wants 'grid' to be grid, not int"));
    assert_non_null(strstr(text, "add_rows takes 2 arguments, not 1"));
    assert_null(strstr(text, "vmirror"));
    batt_text_free(text);
    batt_programs_free(p);
    batt_close(batt);
}

/* Texts that name a primitive which the process does not have: the same text and hash, and a failure. */
static void missing(void **state) {
    (void)state;
    static const char text[] = "def solve(I):\n    x1 = add_rows(I, THREE)\n    x2 = rbind(add_rows, ONE)\n"
                               "    O = x2(x1)\n    return O\n";
    Calls calls = {0};
    batt_context *batt = open_with(&calls, 0);
    batt_programs *known = parse(batt, text);
    Lang *lang = lang_open();
    Source source = source_of("store", text, sizeof text - 1);
    ProgList list = {0};
    Diags diags;
    Out out;
    Ctx ctx;
    char hash[33];
    diags_init(&diags);
    out_init(&out);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    assert_int_equal(list.count, 0);
    lang_accept_missing(lang, "add_row some_other");
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    assert_int_equal(list.count, 0);
    lang_accept_missing(lang, "some_other add_rows");
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    assert_int_equal(list.count, 1);
    progs_free(&list);
    lang_accept_missing(lang, LANG_ANY_NAME);
    diags_free(&diags);
    diags_init(&diags);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    assert_int_equal(list.count, 1);
    const Program *p = list.items[0];
    print_program(&out, p, NULL);
    print_hash(hash, p->hash);
    assert_string_equal(out.data, text);
    assert_string_equal(hash, batt_programs_hash(known, 0));
    const char *names[OWN_NAMES];
    assert_int_equal(own_names(p, true, names), 1);
    assert_string_equal(names[0], "add_rows");
    OwnLacking lacking = {0};
    char note[200];
    assert_true(own_lacking_note(&lacking, p) && own_lacking_note(&lacking, p));
    own_lacking_text(&lacking, " skipped", note, sizeof note);
    assert_string_equal(note, "2 programs skipped: they use add_rows, which this process does not have");
    assert_true(prim_open(&ctx, MODE_CORE, false, NULL));
    Val v = eval_program(&ctx, p, &(Val){.kind = VAL_TUPLE});
    assert_true(val_failed(v) && v.w == FAIL_NAME);
    prim_close(&ctx);
    out_free(&out);
    diags_free(&diags);
    progs_free(&list);
    lang_close(lang);
    batt_programs_free(known);
    batt_close(batt);
}

static void *work(void *user) {
    const batt_programs *p = user;
    batt_context *batt = batt_open();
    uintptr_t right = 0;
    for (int k = 0; k < 50; k++) {
        batt_value *v = batt_run_text(batt, p, 0, "((1,), (3,))", NULL, NULL);
        char text[40];
        batt_value_text(v, text, sizeof text);
        right += strcmp(text, "((1,), (6,))") == 0;
        batt_release(v);
    }
    batt_close(batt);
    return (void *)right;
}

static void threads(void **state) {
    (void)state;
    Calls calls = {0};
    batt_context *batt = open_with(&calls, 0);
    batt_programs *p = parse(batt, line);
    pthread_t thread[4];
    for (int k = 0; k < 4; k++) {
        assert_int_equal(pthread_create(&thread[k], NULL, work, p), 0);
    }
    batt_close(batt);
    for (int k = 0; k < 4; k++) {
        void *right;
        pthread_join(thread[k], &right);
        assert_int_equal((uintptr_t)right, 50);
    }
    assert_int_equal(calls.dropped, 0);
    batt_programs_free(p);
    assert_int_equal(calls.dropped, 1);
    assert_int_equal(calls.count, 200);
}

/* Every allocation fails once: an error or a failed value, nothing lost. */
static void allocation_failures(void **state) {
    (void)state;
    bool good = false;
    for (uint64_t n = 1; n < 400 && !good; n++) {
        Calls calls = {0};
        mem_fail_at(n);
        batt_context *batt = batt_open();
        int added = batt_primitive_register(batt, "add_rows", "grid: grid, n: int -> grid", 5, add_rows,
                                            &calls, drop);
        batt_programs *p = added ? batt_parse(batt, line, sizeof line - 1, BATT_MODE_AUTO) : NULL;
        batt_value *v = batt_run_text(batt, p, 0, "((1,), (3,))", NULL, NULL);
        mem_fail_at(0);
        good = v != NULL && batt_value_kind(v) == BATT_TUPLE && n > 20;
        batt_release(v);
        batt_programs_free(p);
        batt_close(batt);
        assert_int_equal(calls.dropped, added);
    }
    assert_true(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered), cmocka_unit_test(names),   cmocka_unit_test(replaced),
        cmocka_unit_test(failures),   cmocka_unit_test(jobs),    cmocka_unit_test(lint),
        cmocka_unit_test(missing),    cmocka_unit_test(threads), cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
