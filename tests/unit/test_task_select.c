/* Selecting tasks by id, filter, random sample, start and count. */
#include "base/alloc.h"
#include "data/tasks/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* a: 1x1 -> 1x1, colors 1 2; b: 2x3 -> 1x1, colors 0..3, two pairs; c: as a, output of the test unknown;
 * d: 1x3 -> 3x1 */
static const char SET[] =
    "{\"a\":{\"train\":[{\"input\":[[1]],\"output\":[[2]]}],\"test\":[{\"input\":[[1]],\"output\":[[2]]}]},"
    "\"b\":{\"train\":[{\"input\":[[1,2,3],[1,2,0]],\"output\":[[2]]},{\"input\":[[1]],\"output\":[[2]]}],"
    "\"test\":[{\"input\":[[1]],\"output\":[[2]]}]},"
    "\"c\":{\"train\":[{\"input\":[[1]],\"output\":[[2]]}],\"test\":[{\"input\":[[1]]}]},"
    "\"d\":{\"train\":[{\"input\":[[1,1,1]],\"output\":[[1],[1],[1]]}],\"test\":[]}}";

static void check(SelectOptions options, const char *wanted) {
    char why[SELECT_WHY_BYTES], got[64] = "";
    TaskSet *set = task_load_bytes("s.json", SET, sizeof SET - 1, NULL);
    size_t n_tasks;
    assert_int_equal(set->n_errors, 0);
    const Task **tasks = select_tasks(set, &options, &n_tasks, why);
    if (tasks == NULL) {
        assert_string_equal(why, wanted);
    } else {
        for (size_t i = 0; i < n_tasks; i++) {
            strcat(got, tasks[i]->id);
        }
        assert_string_equal(got, wanted);
    }
    mem_free(tasks);
    task_set_free(set);
}

static void by_id(void **state) {
    (void)state;
    const char *ids[] = {"c,a", "a", "b"}, *bad[] = {"a,,b"}, *unknown[] = {"zebra"};
    check((SelectOptions){.ids = ids, .n_ids = 3}, "cab");
    check((SelectOptions){.ids = ids, .n_ids = 3, .start = 1, .count = 1}, "a");
    check((SelectOptions){.ids = bad, .n_ids = 1}, "an empty task id is named");
    check((SelectOptions){.ids = unknown, .n_ids = 1},
          "no task 'zebra' among the 4 loaded; batt show --list lists them");
}

static void by_place(void **state) {
    (void)state;
    check((SelectOptions){0}, "abcd");
    check((SelectOptions){.start = 2}, "cd");
    check((SelectOptions){.start = 9}, "");
    check((SelectOptions){.start = 1, .count = 2}, "bc");
}

/* A sample is the same for the same seed, has no task twice, keeps the order, and comes before start. */
static void by_sample(void **state) {
    (void)state;
    char why[SELECT_WHY_BYTES];
    TaskSet *set = task_load_bytes("s.json", SET, sizeof SET - 1, NULL);
    unsigned met[4] = {0};
    for (uint64_t seed = 0; seed < 400; seed++) {
        size_t n_tasks, again;
        SelectOptions options = {.sample = 2, .seed = seed};
        const Task **tasks = select_tasks(set, &options, &n_tasks, why);
        const Task **same = select_tasks(set, &options, &again, why);
        assert_int_equal(n_tasks, 2);
        assert_int_equal(again, 2);
        assert_true(tasks[0] < tasks[1] && tasks[0] == same[0] && tasks[1] == same[1]);
        met[tasks[0] - set->tasks]++;
        met[tasks[1] - set->tasks]++;
        mem_free(tasks);
        mem_free(same);
    }
    for (int k = 0; k < 4; k++) { /* half of the time, give or take four standard deviations */
        assert_in_range(met[k], 160, 240);
    }
    task_set_free(set);
    check((SelectOptions){.sample = 9}, "abcd");
    check((SelectOptions){.sample = 4, .start = 1, .count = 2}, "bc");
    check((SelectOptions){.sample = 1, .filter = "tests=0"}, "d");
}

static void by_filter(void **state) {
    (void)state;
    static const struct {
        const char *filter, *wanted;
    } cases[] = {
        {"h=1", "ac"},
        {"h<=2,w<3", "ac"},
        {"w >= 3", "bd"},
        {"pairs>1", "b"},
        {"tests==0", "d"},
        {"colors!=2", "bd"},
        {"cells=6", "b"},
        {"same_size", "ac"},
        {"!same_size , out_h=3", "d"},
        {"in_h=1,in_w=3,out_w=1", "d"},
        {"", "filter '', position 1: expected h, w, in_h, in_w, out_h, out_w, cells, colors, pairs, tests or "
             "same_size"},
        {"h", "filter 'h', position 2: expected one of < <= = == != >= >"},
        {"h!1", "filter 'h!1', position 2: expected one of < <= = == != >= >"},
        {"h<=x", "filter 'h<=x', position 4: expected a whole number of at most nine digits"},
        {"h<1234567890", "filter 'h<1234567890', position 3: expected a whole number of at most nine digits"},
        {"h<1 w<2", "filter 'h<1 w<2', position 5: expected ',' between conditions"},
        {"!h<1", "filter '!h<1', position 2: '!' goes with same_size only"},
        {"h<1,",
         "filter 'h<1,', position 5: expected h, w, in_h, in_w, out_h, out_w, cells, colors, pairs, tests "
         "or same_size"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check((SelectOptions){.filter = cases[i].filter}, cases[i].wanted);
    }
    check((SelectOptions){.filter = "same_size", .start = 1}, "c");
}

static void out_of_memory(void **state) {
    (void)state;
    TaskSet *set = task_load_bytes("s.json", SET, sizeof SET - 1, NULL);
    char why[SELECT_WHY_BYTES];
    size_t n_tasks;
    for (uint64_t nth = 1; nth <= 2; nth++) {
        mem_fail_at(nth);
        assert_null(select_tasks(set, &(SelectOptions){0}, &n_tasks, why));
        assert_string_equal(why, "out of memory");
    }
    mem_fail_at(0);
    task_set_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_id),     cmocka_unit_test(by_place),      cmocka_unit_test(by_sample),
        cmocka_unit_test(by_filter), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
