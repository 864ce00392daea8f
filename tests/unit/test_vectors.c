/* The vector runner itself: what counts as passed, failed and malformed. (That all vectors pass is the
 * driver's test.) */
#include "engine/eval/vectors.h"
#include "lang_fixture.h"

typedef struct Seen {
    size_t mismatches, malformed, files;
    uint32_t line;
    char wanted[100], got[200];
} Seen;

static void mismatch(void *user, const char *path, uint32_t line, const char *expression, const char *wanted,
                     const char *got, bool malformed) {
    Seen *seen = user;
    assert_non_null(path);
    assert_non_null(expression);
    seen->mismatches++;
    seen->malformed += malformed;
    seen->line = line;
    snprintf(seen->wanted, sizeof seen->wanted, "%s", wanted);
    snprintf(seen->got, sizeof seen->got, "%s", got);
}

static void file_done(void *user, const char *path, uint64_t passed, uint64_t failed, Mode mode, bool safe) {
    (void)path, (void)passed, (void)failed, (void)mode, (void)safe;
    ((Seen *)user)->files++;
}

static VectorCounts run(const char *text, Mode mode, bool safe, Seen *seen) {
    *seen = (Seen){0};
    VectorOptions options = {
        .mode = -1, .budget = BUDGET_DEFAULT, .mismatch = mismatch, .file = file_done, .user = seen};
    Vectors *vectors = vectors_open(&options);
    assert_non_null(vectors);
    Source source = source_of("v.tsv", text, strlen(text));
    vectors_run_text(vectors, &source, mode, safe);
    VectorCounts counts = vectors_counts(vectors);
    vectors_close(vectors);
    return counts;
}

static void verdicts(void **state) {
    (void)state;
    Seen seen;
    VectorCounts c =
        run("add(1, 2)\t3\r\nadd(1, 2)\t(3,)\n\n# comment\nfirst(5)\t!\nadd(1, 1)\t!\nflip(0)\tT\n"
            "asindices(((1,),))\t{(0, 0)}",
            MODE_CORE, false, &seen);
    assert_int_equal(c.passed, 4);
    assert_int_equal(c.failed, 2);
    assert_int_equal(c.malformed, 0);
    assert_int_equal(seen.line, 6);
    assert_string_equal(seen.wanted, "!");
    assert_string_equal(seen.got, "2");
    assert_int_equal(seen.files, 1);
    c = run("first(5)\t7\n", MODE_CORE, false, &seen);
    assert_string_equal(seen.got, "! failed: type in first, line 1");
}

static void programs(void **state) {
    (void)state;
    Seen seen;
    const char *text = "x1 = rot90(I); O = trim(x1)\t((1, 2, 3), (4, 5, 6), (7, 8, 9))\t((5,),)\n"
                       "x1 = first(5); O = rot90(I)\t((1, 2),)\t!\n"; /* any failed line fails the whole */
    assert_int_equal(run(text, MODE_CORE, false, &seen).passed, 2);
}

static void modes(void **state) {
    (void)state;
    Seen seen;
    assert_int_equal(run("first(())\tNone\n", MODE_BATT, false, &seen).passed, 1);
    assert_int_equal(run("first(())\t!\n", MODE_CORE, false, &seen).passed, 1);
    assert_int_equal(run("divide(1, 0)\t()\n", MODE_BATT, true, &seen).passed, 1);
    assert_int_equal(run("color({})\t-inf\n", MODE_BATT, true, &seen).passed, 1);
}

static void malformed(void **state) {
    (void)state;
    static const char *const lines[] = {"add(1, 2)",    "add(1, 2)\t",       "\t3",
                                        "1\t2\t3\t4",   "add(1, 2)\t3 4",    "nothing(1)\t2",
                                        "1\tadd(1, 2)", "O = I\t((1,),)\t!x"};
    Seen seen;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        VectorCounts c = run(lines[k], MODE_CORE, false, &seen);
        if (c.malformed != 1 || c.failed != 1 || c.passed != 0) {
            fail_msg("%s: %s", lines[k], seen.got);
        }
        assert_true(strlen(seen.got) > 5);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(programs),
        cmocka_unit_test(modes),
        cmocka_unit_test(malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
