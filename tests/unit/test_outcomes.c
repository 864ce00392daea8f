/* Outcomes of searches: their file, their scores, what changed. */
#include "base/alloc.h"
#include "search/session/outcomes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char TEXT[] = "batt-outcomes\t1\n"
                           "version\t0.1\ncommit\tabc\nwhen\tnow\nmachine\tm\ncommand\tc\n"
                           "strategies\tcells\tstamps\n"
                           "set\tone\t4\t5\n"
                           "run\tone\ttime\t1000000000\t-\t1\tshared\twhole\n"
                           "task\ta\t1\t3\t10\t4,6\t+cells:5.00:3\t.\t.\n"
                           "task\tb\t1\t3\t10\t4,6\t-cells:55.00:3\t+stamps:9.50:2\t.\n"
                           "task\tc\t2\t3\t10\t4,6\t+stamps:5.00:3\t.\t.\t-stamps:5.00:3\t.\t"
                           "+cells:7.00:1\n"
                           "task\td\t2\t3\t10\t4,6\t.\t.\t.\n"
                           "task\te\t2\t3\t10\t4,6\t?\t?\t?\n"
                           "run\tone\ttime\t1000000000\tstamps\t1\town\tcut\n"
                           "task\ta\t1\t3\t1\t0,1\t.\t.\t.\n"
                           "task\tb\t1\t3\t1\t0,1\t+stamps:9.50:2\t.\t.\n";

static bool read_text(Outcomes *o, const char *text, size_t length, char why[512]) {
    char path[] = "/tmp/batt_outcomes_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, length) == (ssize_t)length && close(fd) == 0);
    bool good = outcomes_read(o, path, why, 512);
    unlink(path);
    return good;
}

static void file_round_trip(void **state) {
    (void)state;
    Outcomes o;
    Out out;
    char why[512] = "";
    assert_true(read_text(&o, TEXT, strlen(TEXT), why));
    out_init(&out);
    outcomes_write(&out, &o);
    assert_string_equal(out.data, TEXT);
    out_free(&out);
    outcomes_free(&o);
}

static void scores(void **state) {
    (void)state;
    Outcomes o;
    char why[512];
    assert_true(read_text(&o, TEXT, strlen(TEXT), why));
    OutcomeScore s = outcomes_score(&o, &o.runs[0], 0, 2), second = outcomes_score(&o, &o.runs[0], 2, 2);
    assert_int_equal(s.tasks, 4); /* of e nothing is known */
    assert_int_equal(s.outputs, 5);
    assert_int_equal(s.right[0], 2);
    assert_int_equal(s.right[1], 3);
    assert_int_equal(s.right[2], 4);
    assert_int_equal(s.solved[1], 2);
    assert_int_equal(s.solved[2], 3);
    assert_int_equal(s.first, 3); /* a, b, c; c has one of two tests right at the first attempt */
    assert_int_equal(s.first_right, 1);
    assert_int_equal(s.trusted, 2); /* that of b costs too much */
    assert_int_equal(s.trusted_right, 1);
    assert_int_equal(s.strategy[0].right, 1);
    assert_int_equal(s.strategy[1].right, 2);
    assert_int_equal(s.strategy[1].first, 1);
    assert_int_equal(s.strategy[1].first_right, 0);
    assert_int_equal(second.outputs, 3);
    assert_int_equal(second.right[2], 2);
    size_t solved, only;
    assert_false(outcomes_alone(&o, &o.runs[0], 0, 2, &solved, &only));
    assert_true(outcomes_alone(&o, &o.runs[0], 1, 2, &solved, &only));
    assert_int_equal(solved, 1);
    assert_int_equal(only, 1);
    outcomes_free(&o);
}

static void changes(void **state) {
    (void)state;
    Outcomes o;
    OutcomeChange c;
    char why[512];
    assert_true(read_text(&o, TEXT, strlen(TEXT), why));
    assert_true(outcomes_compare(&o.runs[0], &o.runs[1], 0, 1, true, &c)); /* a and b are in both */
    assert_int_equal(c.outputs, 2);
    assert_int_equal(c.gained, 1);
    assert_int_equal(c.lost, 1);
    assert_string_equal(c.flips[0].id, "a");
    assert_false(c.flips[0].gained);
    assert_string_equal(c.flips[1].id, "b");
    assert_true(c.flips[1].gained);
    mem_free(c.flips);
    assert_ptr_equal(outcomes_like(&o, &o, &o.runs[0], 1), &o.runs[0]);
    outcomes_free(&o);
    assert_true(fabs(outcomes_sign_test(0, 0) - (1)) < 1e-12);
    assert_true(fabs(outcomes_sign_test(5, 0) - (2.0 / 32)) < 1e-12);
    assert_true(fabs(outcomes_sign_test(1, 9) - (22.0 / 1024)) < 1e-12);
    assert_true(fabs(outcomes_sign_test(4, 4) - (1)) < 1e-12);
}

/* Several tests and runs of a task count once for a strategy; runs of single strategies do not count. */
static void finders(void **state) {
    (void)state;
    Outcomes files[2];
    OutcomeFinder *list;
    size_t n;
    char why[512];
    assert_true(read_text(&files[0], TEXT, strlen(TEXT), why) &&
                read_text(&files[1], TEXT, strlen(TEXT), why));
    assert_true(outcomes_finders(files, 2, 2, &list, &n));
    assert_int_equal(n, 3);
    static const char *const expected[] = {"cells", "a", "stamps", "b", "stamps", "c"};
    for (size_t k = 0; k < n; k++) {
        assert_string_equal(list[k].strategy, expected[2 * k]);
        assert_string_equal(list[k].id, expected[2 * k + 1]);
        assert_string_equal(list[k].set, "one");
        assert_int_equal(list[k].half, list[k].id[0] == 'c' ? 2 : 1);
    }
    mem_free(list);
    assert_true(outcomes_finders(files, 1, 3, &list, &n)); /* the third attempt at the second test of c */
    assert_int_equal(n, 4);
    mem_free(list);
    assert_true(outcomes_finders(files, 0, 2, &list, &n));
    assert_int_equal(n, 0);
    mem_free(list);
    mem_fail_at(1);
    assert_false(outcomes_finders(files, 2, 2, &list, &n));
    mem_fail_at(0);
    outcomes_free(&files[0]);
    outcomes_free(&files[1]);
}

/* Any bytes may stand in a file: cut anywhere, and with a byte changed, it is read or refused with a place.
 */
static void damaged_files(void **state) {
    (void)state;
    char text[sizeof TEXT];
    uint32_t random = 1;
    for (size_t k = 0; k < 400; k++) {
        Outcomes o;
        char why[512] = "";
        size_t length = sizeof TEXT - 1;
        memcpy(text, TEXT, sizeof TEXT);
        random = random * 1664525 + 1013904223;
        if (k % 2 == 0) {
            length = random % length;
        } else {
            text[random % length] = "\t\n:+-.,0a"[random >> 20 & 7];
        }
        if (!read_text(&o, text, length, why)) {
            assert_non_null(strchr(why, ':'));
        }
        outcomes_free(&o);
    }
}

static void survives_no_memory(void **state) {
    (void)state;
    bool good = false;
    for (uint64_t nth = 1; nth < 200 && !good; nth++) {
        Outcomes o;
        char why[512] = "";
        mem_fail_at(nth);
        good = read_text(&o, TEXT, strlen(TEXT), why);
        mem_fail_at(0);
        outcomes_free(&o);
    }
    assert_true(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_round_trip), cmocka_unit_test(scores),
        cmocka_unit_test(changes),         cmocka_unit_test(finders),
        cmocka_unit_test(damaged_files),   cmocka_unit_test(survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
