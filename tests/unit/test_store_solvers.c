/* A store as a solver file and back: what export writes, import reads, and nothing is lost or changed on the
 * way. */
#include "base/alloc.h"
#include "data/store/solver_file.h"
#include "store_fixture.h"

/* Parses `text` and puts it; returns the number of errors found (then nothing is put). */
static size_t import_text(Store *store, const char *text, StoreImport *counts) {
    Source source = source_of("folder/file.py", text, strlen(text));
    ParseOptions how = PARSE_OPTIONS_FILE;
    ProgList programs = {0};
    Diags diags;
    Lang *lang = lang_open();
    assert_non_null(lang);
    diags_init(&diags);
    assert_true(lang_parse(lang, &source, &how, &programs, &diags));
    assert_true(store_import(NULL, &source, &programs, &diags, NULL));
    size_t errors = diags.errors;
    if (errors == 0 && !store_import(store, &source, &programs, NULL, counts)) {
        fail_msg("%s", store_error(store));
    }
    progs_free(&programs);
    diags_free(&diags);
    lang_close(lang);
    return errors;
}

static void export_text(Store *store, StoreExport wanted, Out *out) {
    out_init(out);
    if (!store_export(store, &wanted, out)) {
        fail_msg("%s", store_error(store));
    }
}

static const StoreExport everything = {.mode = -1};

/* Imports into a new store, exports, imports that into another, exports again: both exports are the same. */
static void round_trip(const Folder *folder, const char *text, const char *wanted) {
    char path[320];
    StoreImport counts = {0};
    Out first, second;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%d.batt", folder->path, i);
        unlink(path);
        Store *store = open_ok(path, STORE_WRITE | STORE_CREATE);
        assert_int_equal(import_text(store, i == 0 ? text : first.data, &counts), 0);
        export_text(store, everything, i == 0 ? &first : &second);
        close_ok(store);
    }
    assert_string_equal(first.data, second.data);
    if (wanted != NULL) {
        assert_string_equal(first.data, wanted);
    }
    out_free(&first);
    out_free(&second);
}

#define HEAD "from dsl import *\nfrom constants import *\n"
#define RESULT(task, score)                \
    "# result: task=" task " score=" score \
    " train=0/3 test=0/1 guard=0/0 steps=7 time_ns=9 outputs=00000000000000ff\n"

static void plain_solvers_keep_their_names(void **state) {
    round_trip(*state,
               HEAD "def solve_bb(I):\n  y = hmirror(I)\n  return y\n"
                    "def solve_aa(I):\n    O = vmirror(I)\n    return O\n"
                    "def other(I):\n    O = hmirror(I)\n    return O\n",
               HEAD "\n\ndef solve_aa(I):\n    O = vmirror(I)\n    return O\n"
                    "\n\ndef solve_bb(I):\n    O = hmirror(I)\n    return O\n"
                    "\n\ndef solve_other(I):\n    O = hmirror(I)\n    return O\n");
}

static void a_file_of_statements_is_called_as_the_file(void **state) {
    round_trip(*state, "x1 = vmirror(I)\nO = hmirror(x1)\n",
               HEAD "\n\ndef solve_file(I):\n    x1 = vmirror(I)\n    O = hmirror(x1)\n    return O\n");
}

static void results_are_ranked_and_numbered(void **state) {
    round_trip(*state,
               RESULT("t", "100") "def a(I):\n    O = vmirror(I)\n    return O\n" RESULT(
                   "t", "300") "def b(I):\n    O = hmirror(I)\n    return O\n" RESULT("s", "1") //
               "# a word of someone\n\ndef c(I):\n    O = vmirror(I)\n    return O\n",
               HEAD "\n\n" RESULT(
                   "s", "1") "def solve_s(I):\n    O = vmirror(I)\n    return O\n"
                             "\n\n" RESULT("t", "300") "def solve_t(I):\n    O = hmirror(I)\n    return O\n"
                                                       "\n\n" RESULT("t", "100") //
               "def solve_t_2(I):\n    O = vmirror(I)\n    return O\n");
}

/* Everything that could collide or break a line, in one store made by hand. */
static void odd_names_survive(void **state) {
    static const char *const tasks[] = {"a-b", "a_b", "a b",         "a%20b",  "x_2",
                                        "x",   "1",   "\xc3\xa9\n#", "solve_x"};
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    StoreImport counts = {0};
    Out programs, first, second;
    assert_int_equal(import_text(store,
                                 "def p(I):\n    O = vmirror(I)\n    return O\n"
                                 "def p(I):\n    O = hmirror(I)\n    return O\n"
                                 "def p(I):\n    O = rot90(I)\n    return O\n",
                                 &counts),
                     0);
    export_text(store, everything, &programs);
    StoreKey keys[3];
    Lang *lang = lang_open();
    ProgList list = {0};
    Diags diags;
    diags_init(&diags);
    Source source = source_of("x", programs.data, programs.len);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    assert_int_equal(list.count, 3);
    for (size_t p = 0; p < 3; p++) {
        keys[p] = store_key_of(list.items[p]->hash);
        StoreLineage lineage = {keys[p], (int)p, {keys[0], keys[1]}, p == 1 ? "50% more\nlines \t" : ""};
        assert_true(store_put_lineage(store, &lineage));
        for (size_t t = 0; t < sizeof tasks / sizeof *tasks; t++) {
            StoreResult result = {.task = tasks[t],
                                  .program = keys[p],
                                  .score = (int32_t)p,
                                  .train_total = 2147483,
                                  .outputs = UINT64_MAX,
                                  .steps = INT64_MAX,
                                  .time_ns = INT64_MAX};
            assert_true(p == 2 || store_put_result(store, &result));
            assert_true(store_put_name(store, tasks[t], &keys[p]));
        }
    }
    progs_free(&list);
    diags_free(&diags);
    lang_close(lang);
    export_text(store, everything, &first);
    StoreStats before, after;
    assert_true(store_stats(store, &before));
    close_ok(store);
    unlink(folder->store);
    store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    assert_int_equal(import_text(store, first.data, &counts), 0);
    export_text(store, everything, &second);
    assert_string_equal(first.data, second.data);
    assert_true(store_stats(store, &after));
    assert_int_equal(before.programs, after.programs);
    assert_int_equal(before.results, after.results);
    assert_int_equal(before.names, after.names);
    assert_int_equal(before.lineage, after.lineage);
    close_ok(store);
    out_free(&programs);
    out_free(&first);
    out_free(&second);
}

static void filters_pick_what_is_exported(void **state) {
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    StoreImport counts = {0};
    const char *only_s[] = {"s"};
    Out out;
    assert_int_equal(
        import_text(
            store,
            RESULT("t", "100") "def a(I):\n    O = vmirror(I)\n    return O\n" RESULT(
                "t", "300") "def b(S, I, C):\n    O = hmirror(I)\n    return O\n" RESULT("s", "1") //
            "def c(I):\n    O = rot90(I)\n    return O\ndef named(I):\n    O = rot180(I)\n    return O\n",
            &counts),
        0);
    assert_int_equal(counts.functions, 4);
    assert_int_equal(counts.results, 3);
    assert_int_equal(counts.names, 1);
    export_text(store, everything, &out);
    assert_non_null(strstr(out.data, "solve_named"));
    out_free(&out);
    export_text(store, (StoreExport){.best = 1, .mode = -1}, &out);
    assert_non_null(strstr(out.data, "hmirror"));
    assert_null(strstr(out.data, "vmirror"));
    assert_null(strstr(out.data, "solve_named"));
    out_free(&out);
    export_text(store, (StoreExport){.best = 1, .mode = 0}, &out); /* the best of what is left */
    assert_null(strstr(out.data, "hmirror"));
    assert_non_null(strstr(out.data, "solve_t(I)"));
    assert_null(strstr(out.data, "solve_t_2"));
    out_free(&out);
    export_text(store, (StoreExport){.tasks = only_s, .n_tasks = 1, .mode = -1}, &out);
    assert_non_null(strstr(out.data, "solve_s(I)"));
    assert_null(strstr(out.data, "solve_t"));
    out_free(&out);
    export_text(store, (StoreExport){.solved = true, .mode = -1}, &out);
    assert_string_equal(out.data, HEAD);
    out_free(&out);
    close_ok(store);
}

static void broken_comments_are_errors(void **state) {
    static const char *const broken[] = {
        "# result: task=t\n",
        "# result: task= score=1 train=0/3 test=0/1 guard=0/0 steps=7 time_ns=9 outputs=00000000000000ff\n",
        RESULT("t", "3001"),
        RESULT("t", "-1"),
        RESULT("t", "99999999999999999999"),
        RESULT("t%0", "1"),
        RESULT("t%00", "1"),
        RESULT("t%zz", "1"),
        "# result: task=t score=1 train=4/3 test=0/1 guard=0/0 steps=7 time_ns=9 outputs=00000000000000ff\n",
        "# result: task=t score=1 train=0/3 test=0/1 guard=0/0 steps=7 time_ns=9 outputs=00000000000000f\n",
        "# result: task=t score=1 train=0/3 test=0/1 guard=0/0 steps=7 time_ns=9 outputs=00000000000000ff "
        "more\n",
        "# result: task=t score=1 train=0/3 test=0/1 guard=0/0 steps=9223372036854775808 time_ns=9 "
        "outputs=00000000000000ff\n",
        "# name: \n",
        "# name: two words\n",
        "# lineage: \n",
        "# lineage: parents=0123 mutation=x\n",
        "# lineage: parents=00000000000000000000000000000000,00000000000000000000000000000000,"
        "00000000000000000000000000000000 mutation=x\n",
        "# lineage: parents=00000000000000000000000000000000\n",
    };
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    StoreImport counts = {0};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char text[600];
        snprintf(text, sizeof text, "%sdef a(I):\n    O = vmirror(I)\n    return O\n", broken[i]);
        if (import_text(store, text, &counts) != 1) {
            fail_msg("not an error: %s", broken[i]);
        }
    }
    /* a long name, and one as long as allowed */
    for (size_t length = STORE_TASK_MAX; length <= STORE_TASK_MAX + 1; length++) {
        char text[600] = "# name: ";
        memset(text + 8, 'n', length);
        strcpy(text + 8 + length, "\ndef a(I):\n    O = vmirror(I)\n    return O\n");
        assert_int_equal(import_text(store, text, &counts), length > STORE_TASK_MAX);
    }
    close_ok(store);
}

/* Notes belong to the function right below them, also where another of that name could not be read. */
static void notes_stay_with_their_function(void **state) {
    static const char text[] = RESULT("bad", "1") "def a(I):\n    O = nosuchprimitive(I)\n    return O\n" //
        RESULT("good", "2") "def a(I):\n    O = vmirror(I)\n    return O\n" RESULT("late", "3") "x = 1\n";
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    Source source = source_of("f.py", text, sizeof text - 1);
    StoreImport counts = {0};
    ProgList programs = {0};
    Diags diags;
    Out out;
    Lang *lang = lang_open();
    diags_init(&diags);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &programs, &diags));
    assert_true(diags.errors > 0);
    assert_true(store_import(store, &source, &programs, NULL, &counts));
    export_text(store, everything, &out);
    assert_non_null(strstr(out.data, "task=good"));
    assert_null(strstr(out.data, "task=bad"));
    assert_null(strstr(out.data, "task=late"));
    progs_free(&programs);
    diags_free(&diags);
    out_free(&out);
    lang_close(lang);
    close_ok(store);
}

static void texts_are_verified(void **state) {
    (void)state;
    Lang *lang = lang_open();
    char why[STORE_ERROR_MAX] = "";
    static const char good[] = "def solve(I):\n    O = vmirror(I)\n    return O\n";
    ProgList list = {0};
    Diags diags;
    Source source = source_of("x", good, sizeof good - 1);
    diags_init(&diags);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    StoreProgram program = {store_key_of(list.items[0]->hash), good, sizeof good - 1, 1, 0};
    assert_true(store_verify_text(lang, &program, why));
    StoreProgram bad[4] = {program, program, program, program};
    bad[0].key.bytes[5] ^= 1;
    bad[1].text = "def solve(I):\n    x = vmirror(I)\n    return x\n", bad[1].length = strlen(bad[1].text);
    bad[2].text = "nonsense(", bad[2].length = strlen(bad[2].text);
    bad[3].calls = 2;
    for (size_t i = 0; i < 4; i++) {
        why[0] = '\0';
        assert_false(store_verify_text(lang, &bad[i], why));
        assert_true(strlen(why) > 0);
    }
    progs_free(&list);
    diags_free(&diags);
    lang_close(lang);
}

static void keys_read_as_they_are_written(void **state) {
    (void)state;
    char text[STORE_KEY_HEX];
    StoreKey key = store_key_of((ProgHash){0x0123456789abcdefu, 0xfedcba9876543210u}), back;
    store_key_write(&key, text);
    assert_string_equal(text, "0123456789abcdeffedcba9876543210");
    assert_true(store_key_read(text, &back));
    assert_memory_equal(&key, &back, sizeof key);
    assert_false(store_key_read("0123456789abcdeffedcba987654321", &back));
    assert_false(store_key_read("0123456789ABCDEF0123456789abcdef", &back));
}

static void failed_allocations_leave_the_store_as_it_was(void **state) {
    Folder *folder = *state;
    static const char text[] = RESULT("t", "100") "# lineage: parents= mutation=m\n"
                                                  "def a(I):\n    O = vmirror(I)\n    return O\n";
    Lang *lang = lang_open();
    Source source = source_of("f.py", text, sizeof text - 1);
    ProgList programs = {0};
    Diags diags;
    diags_init(&diags);
    assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &programs, &diags));
    for (uint64_t at = 1;; at++) {
        StoreImport counts = {0};
        Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
        Out out;
        uint64_t calls = mem_calls();
        store_hold(store);
        mem_fail_at(at);
        bool fine = store_import(store, &source, &programs, NULL, &counts);
        if (fine) {
            fine = store_release(store);
        } else {
            assert_non_null(strstr(store_error(store), "memory"));
            store_discard(store);
        }
        StoreExport wanted = everything;
        out_init(&out);
        fine = store_export(store, &wanted, &out) && fine;
        mem_fail_at(0);
        bool all = mem_calls() - calls < at;
        out_free(&out);
        close_ok(store);
        if (all) {
            assert_true(fine);
            assert_true(at > 5);
            break;
        }
    }
    progs_free(&programs);
    diags_free(&diags);
    lang_close(lang);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(plain_solvers_keep_their_names),  TEST(a_file_of_statements_is_called_as_the_file),
        TEST(results_are_ranked_and_numbered), TEST(odd_names_survive),
        TEST(filters_pick_what_is_exported),   TEST(broken_comments_are_errors),
        TEST(notes_stay_with_their_function),  TEST(texts_are_verified),
        TEST(keys_read_as_they_are_written),   TEST(failed_allocations_leave_the_store_as_it_was),
    };
    return cmocka_run_group_tests_name("store_solvers", tests, NULL, NULL);
}
