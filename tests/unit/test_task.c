/* Loading tasks: every layout, every kind of mistake, every allocation failing once. */
#include "base/alloc.h"
#include "data/tasks/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PAIR "{\"input\":[[1,2],[3,4]],\"output\":[[5]]}"
#define GOOD "{\"train\":[" PAIR "],\"test\":[" PAIR "]}"
#define OPEN "{\"train\":[" PAIR "],\"test\":[{\"input\":[[7]]}]}"

static TaskSet *load_text(const char *name, const char *text, TaskLoadOptions options) {
    TaskSet *set = task_load_bytes(name, text, strlen(text), &options);
    assert_non_null(set);
    return set;
}

/* The first message of loading this text as x.json. */
static void expect_error(const char *text, const char *message) {
    char got[512];
    TaskSet *set = load_text("x.json", text, (TaskLoadOptions){0});
    assert_true(set->n_errors > 0);
    task_error_format(&set->errors[0], got, sizeof got);
    assert_string_equal(got, message);
    task_set_free(set);
}

static void reads_a_task(void **state) {
    (void)state;
    TaskSet *set = load_text("dir/abc.json",
                             " {\"name\":{\"a\":[1,-2.5e+3,true,null,\"\\u00e9\\n\"]},\"test\":[" PAIR
                             ", {\"input\" : [[ 9 ,0],\n[1, 2]]}], \"train\":[" PAIR "]}\n",
                             (TaskLoadOptions){0});
    assert_int_equal(set->n_errors, 0);
    assert_int_equal(set->n_tasks, 1);
    const Task *task = &set->tasks[0];
    assert_string_equal(task->id, "abc");
    assert_string_equal(task->source, "dir/abc.json");
    assert_int_equal(task->n_train, 1);
    assert_int_equal(task->n_test, 2);
    assert_true(task->test[0].has_output);
    assert_false(task->test[1].has_output);
    assert_int_equal(task->test[1].out.h, 0);
    assert_int_equal(task->train[0].in.h, 2);
    assert_int_equal(task->train[0].in.w, 2);
    assert_memory_equal(task->train[0].in.cells, ((int8_t[]){1, 2, 3, 4}), 4);
    assert_memory_equal(task->test[1].in.cells, ((int8_t[]){9, 0, 1, 2}), 4);
    assert_ptr_equal(task_find(set, "abc"), task);
    assert_null(task_find(set, "abd"));
    task_set_free(set);
}

static void reads_a_list_of_pairs_as_training(void **state) {
    (void)state;
    TaskSet *set = load_text("r.json", "[" PAIR "," PAIR "," PAIR "]", (TaskLoadOptions){0});
    assert_int_equal(set->n_tasks, 1);
    assert_int_equal(set->tasks[0].n_train, 3);
    assert_int_equal(set->tasks[0].n_test, 0);
    task_set_free(set);
}

static void reads_challenges_sorted_and_steps_over_bad_ones(void **state) {
    (void)state;
    TaskSet *set =
        load_text("c.json",
                  "{\"b\":" OPEN ",\n\"bad\":{\"train\":[{\"input\":[[1],[2,3]],\"output\":[[1]]}],"
                  "\"test\":[]},\n \"odd\":7,\"a\":" GOOD ",\"b\":" GOOD "}",
                  (TaskLoadOptions){0});
    char got[512];
    assert_int_equal(set->n_tasks, 2);
    assert_string_equal(set->tasks[0].id, "a");
    assert_string_equal(set->tasks[1].id, "b");
    assert_false(set->tasks[1].test[0].has_output); /* the first b stays */
    assert_int_equal(set->n_errors, 3);
    task_error_format(&set->errors[0], got, sizeof got);
    assert_string_equal(got, "c.json:2:31: task bad: ragged grid: row 2 has 2 cells, the rows above have 1");
    task_error_format(&set->errors[1], got, sizeof got);
    assert_string_equal(got, "c.json:3:8: task odd: a task must be an object, found a number");
    task_error_format(&set->errors[2], got, sizeof got);
    assert_non_null(strstr(got, ": task b: duplicate id, first in c.json:1:2"));
    task_set_free(set);
}

static void strict_stops_at_the_first_error(void **state) {
    (void)state;
    TaskSet *set = load_text("c.json", "{\"a\":" GOOD ",\"odd\":7,\"bad\":8,\"z\":" GOOD "}",
                             (TaskLoadOptions){.strict = true});
    assert_int_equal(set->n_tasks, 0);
    assert_int_equal(set->n_errors, 1);
    assert_string_equal(set->errors[0].id, "odd");
    task_set_free(set);
}

static void a_broken_end_keeps_what_came_before(void **state) {
    (void)state;
    TaskSet *set = load_text("c.json", "{\"a\":" GOOD ",\"b\":{\"train\":[", (TaskLoadOptions){0});
    assert_int_equal(set->n_tasks, 1);
    assert_int_equal(set->n_errors, 1);
    assert_string_equal(set->errors[0].reason, "expected a value, found the end of the file");
    task_set_free(set);
}

#define WITH_IN(grid) "{\"train\":[{\"output\":[[1]],\"input\":" grid "}],\"test\":[]}"

static void names_place_and_reason(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "x.json:1:1: file is empty"},
        {" \n ", "x.json:2:2: file is empty"},
        {"7", "x.json:1:1: expected a task, found a number"},
        {"{}", "x.json:1:1: not a task file: expected \"train\" and \"test\", or task ids"},
        {"{\"name\":1}", "x.json:1:1: not a task file: expected \"train\" and \"test\", or task ids"},
        {"{\"name\":tru}", "x.json:1:9: expected a value, found text that is not JSON"},
        {"\xEF\xBB\xBF{}", "x.json:1:1: not a task file: expected \"train\" and \"test\", or task ids"},
        {"not json", "x.json:1:1: expected a task, found text that is not JSON"},
        {"null", "x.json:1:1: expected a task, found null"},
        {"nullify", "x.json:1:1: expected a task, found text that is not JSON"},
        {"[]", "x.json:1:1: task x: list of pairs is empty"},
        {"[7]", "x.json:1:2: task x: a pair must be an object, found a number"},
        {GOOD "x", "x.json:1:99: task x: expected the end of the file, found text that is not JSON"},
        {"{\"train\":[],\"test\":[]}", "x.json:1:1: task x: task has no training pairs"},
        {"{\"train\":[" PAIR "]}", "x.json:1:1: task x: task has no \"test\""},
        {"{\"test\":[]}", "x.json:1:1: task x: task has no \"train\""},
        {"{\"test\":[],\"test\":[]}", "x.json:1:12: task x: duplicate key \"test\" in a task"},
        {"{\"train\":{}}", "x.json:1:10: task x: the training pairs must be a list, found an object"},
        {"{\"train\":[{\"input\":[[1]]}]}", "x.json:1:11: task x: pair has no \"output\""},
        {"{\"test\":[{\"output\":[[1]]}]}", "x.json:1:10: task x: pair has no \"input\""},
        {"{\"test\":[{\"input\":[[1]],\"input\":[[1]]}]}",
         "x.json:1:25: task x: duplicate key \"input\" in a pair"},
        {WITH_IN("[]"), "x.json:1:35: task x: grid is empty"},
        {WITH_IN("[[]]"), "x.json:1:37: task x: row is empty"},
        {WITH_IN("7"), "x.json:1:35: task x: a grid must be a list, found a number"},
        {WITH_IN("[7]"), "x.json:1:36: task x: a row must be a list, found a number"},
        {WITH_IN("[[1,10]]"), "x.json:1:39: task x: cell is outside 0..9"},
        {WITH_IN("[[-1]]"), "x.json:1:37: task x: cell is outside 0..9"},
        {WITH_IN("[[01]]"), "x.json:1:37: task x: malformed number"},
        {WITH_IN("[[1.0]]"), "x.json:1:37: task x: cell is not an integer"},
        {WITH_IN("[[1e0]]"), "x.json:1:37: task x: cell is not an integer"},
        {WITH_IN("[[\"1\"]]"), "x.json:1:37: task x: cell must be an integer, found a string"},
        {WITH_IN("[[null]]"), "x.json:1:37: task x: cell must be an integer, found null"},
        {WITH_IN("[[[1]]]"), "x.json:1:37: task x: cell must be an integer, found a list"},
        {WITH_IN("[[1,]]"), "x.json:1:39: task x: cell must be an integer, found ']'"},
        {WITH_IN("[[1 2]]"), "x.json:1:39: task x: expected ',' or ']', found a number"},
        {WITH_IN("[[1x]]"),
         "x.json:1:38: task x: expected ',' or ']' after a cell, found text that is not JSON"},
        {WITH_IN("[[1,2],[3]]"),
         "x.json:1:42: task x: ragged grid: row 2 has 1 cells, the rows above have 2"},
        {WITH_IN("[[1],]"), "x.json:1:40: task x: a row must be a list, found ']'"},
        {"{\"train\":[{\"input\":[[1,", "x.json:1:24: task x: the file ends inside a grid"},
        {"{\"train\":[{\"input\":[[1",
         "x.json:1:23: task x: expected ',' or ']' after a cell, found the end of the file"},
        {"{\"train\":[],\"te", "x.json:1:16: task x: the file ends inside a string"},
        {"{\"a\\x\":1,\"train\":[]}", "x.json:1:4: bad escape in a string"},
        {"{\"train\" [],", "x.json:1:10: expected ':' after a key, found a list"},
        {"{\"train\":[],\"k\":\"\xff\"}", "x.json:1:18: task x: string is not valid UTF-8"},
        {"{\"train\":[],\"k\":\"\n\"}", "x.json:1:18: task x: control character inside a string"},
        {"{\"train\":[],\"k\":-}", "x.json:1:17: task x: malformed number"},
        {"{\"train\":[],\"k\":1.e}", "x.json:1:17: task x: malformed number"},
        {"{\"a\":[[[1]]]}", "x.json:1:1: a solutions file has no inputs: name its challenges file instead"},
        {"{\"a\":[{}]}", "x.json:1:1: a submission file holds no tasks"},
        {"{\"a/b\":" GOOD "}",
         "x.json:1:2: not a task id (printable, no quotes, escapes or slashes, at most 200 bytes)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_error(cases[i].text, cases[i].message);
    }
}

static void bounds_sides_and_nesting(void **state) {
    (void)state;
    static char row[2 * TASK_MAX_SIDE + 2] = "[0", grid[sizeof row * TASK_MAX_SIDE + 2] = "[",
                                        text[2 * sizeof grid + 100];
    char message[100];
    for (int i = 1; i < TASK_MAX_SIDE; i++) {
        strcat(row, ",0");
    }
    for (int i = 0; i < TASK_MAX_SIDE; i++) {
        strcat(strcat(strcat(grid, i ? "," : ""), row), "]");
    }
    snprintf(text, sizeof text, "{\"train\":[{\"input\":%s],\"output\":%s]}],\"test\":[]}", grid, grid);
    TaskSet *set = load_text("x.json", text, (TaskLoadOptions){0});
    assert_int_equal(set->n_tasks, 1);
    task_set_free(set);
    snprintf(text, sizeof text, "{\"train\":[{\"input\":%s,%s]]", grid, row);
    snprintf(message, sizeof message, "x.json:1:%zu: task x: grid has more than 255 rows",
             strlen("{'train':[{'input':") + strlen(grid) + 2);
    expect_error(text, message);
    snprintf(text, sizeof text, "{\"train\":[{\"input\":[%s,0]]", row);
    snprintf(message, sizeof message, "x.json:1:%zu: task x: row is longer than 255 cells",
             strlen("{'train':[{'input':[") + strlen(row) + 2);
    expect_error(text, message);
    snprintf(text, sizeof text, "{\"train\":[{\"input\":[[0,0,0]]");
    set = load_text("x.json", text, (TaskLoadOptions){.max_side = 2});
    assert_int_equal(set->n_tasks, 0);
    assert_string_equal(set->errors[0].reason, "row is longer than 2 cells");
    task_set_free(set);
    memset(text, '[', 5000);
    memcpy(text, "{\"k\":[0,", 8);
    text[5000] = '\0';
    expect_error(text, "x.json:1:71: nested deeper than 64 levels");
}

static void hash_depends_on_data_alone(void **state) {
    (void)state;
    TaskSet *one = load_text("c.json", "{\"a\":" GOOD ",\"b\":" OPEN "}", (TaskLoadOptions){0});
    TaskSet *two = load_text("d.json", "{\n\"b\": " OPEN ",  \"a\":" GOOD "}", (TaskLoadOptions){0});
    TaskSet *three = load_text("c.json", "{\"a\":" GOOD ",\"c\":" OPEN "}", (TaskLoadOptions){0});
    TaskSet *four = load_text("c.json", "{\"a\":" GOOD ",\"b\":" GOOD "}", (TaskLoadOptions){0});
    const Task *chosen[] = {&two->tasks[0], &two->tasks[1]};
    assert_true(one->hash == two->hash);
    assert_true(one->hash == task_data_hash(chosen, 2));
    assert_true(one->hash != three->hash);
    assert_true(one->hash != four->hash);
    assert_true(one->tasks[0].hash == four->tasks[1].hash);
    task_set_free(one);
    task_set_free(two);
    task_set_free(three);
    task_set_free(four);
}

static void writes_what_it_reads(void **state) {
    (void)state;
    TaskSet *set = load_text("a.json", OPEN, (TaskLoadOptions){0});
    Out out;
    out_init(&out);
    task_write_json(&out, &set->tasks[0]);
    assert_string_equal(out.data, OPEN "\n");
    out_free(&out);
    task_set_free(set);
}

static void no_cut_of_a_file_is_accepted(void **state) {
    (void)state;
    const char *text = "{\"a\":" GOOD ",\"k\\n\":" OPEN "}";
    for (size_t length = 0; length < strlen(text); length++) {
        TaskSet *set = task_load_bytes("x.json", text, length, NULL);
        assert_non_null(set);
        assert_true(set->n_errors > 0);
        assert_true(set->errors[0].line == 1 && set->errors[0].column <= length + 1);
        task_set_free(set);
    }
}

/* ---- files ---- */

static char folder[] = "/tmp/batt-test-task-XXXXXX";

static const char *put(const char *name, const char *text) {
    static char path[4][512];
    static int turn;
    char *to = path[turn = (turn + 1) % 4];
    snprintf(to, sizeof path[0], "%s/%s", folder, name);
    char *slash = strrchr(to, '/');
    *slash = '\0';
    mkdir(to, 0777);
    *slash = '/';
    FILE *file = fopen(to, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return to;
}

static TaskSet *load_path(const char *path, TaskLoadOptions options) {
    TaskSet *set = task_load(&path, 1, &options);
    assert_non_null(set);
    return set;
}

static void loads_folders_and_pairs_solutions(void **state) {
    (void)state;
    put("set/a.json", GOOD);
    put("set/.hidden.json", "x");
    put("set/notes.txt", "x");
    put("set/k/arc_test_challenges.json", "{\"c\":" OPEN ",\"d\":" OPEN ",\"e\":" OPEN ",\"f\":3}");
    put("set/k/arc-test-solutions.json",
        "{\"e\":[[[5]]],\n\"c\":[[[4]]],\n\"d\":[],\n\"z\":[[[1]]],\n\"c\":[[[3]]],\"f\":[]}");
    put("set/k/submission.json", "{\"a\":[{\"attempt_1\":[[1]]}]}");
    char path[64];
    snprintf(path, sizeof path, "%s/set", folder);
    uint64_t hash = 0;
    for (int jobs = 1; jobs <= 8; jobs++) {
        TaskSet *set = load_path(path, (TaskLoadOptions){.jobs = jobs});
        assert_int_equal(set->n_tasks, 4);
        assert_int_equal(set->n_ignored, 1);
        assert_int_equal(task_find(set, "c")->test[0].out.cells[0], 4);
        assert_int_equal(task_find(set, "e")->test[0].out.cells[0], 5);
        assert_false(task_find(set, "d")->test[0].has_output);
        assert_int_equal(set->n_errors, 4);
        assert_string_equal(set->errors[0].reason, "a task must be an object, found a number");
        assert_string_equal(set->errors[1].reason, "0 solutions for 1 test inputs");
        assert_int_equal(set->errors[1].line, 3);
        assert_string_equal(set->errors[2].reason, "solution for a task that is not in the challenges");
        assert_string_equal(set->errors[3].reason, "solution 1 differs from the output in the challenges");
        assert_true(jobs == 1 || set->hash == hash);
        hash = set->hash;
        task_set_free(set);
    }
    TaskSet *strict = load_path(path, (TaskLoadOptions){.jobs = 2, .strict = true});
    assert_int_equal(strict->n_tasks, 0);
    assert_int_equal(strict->n_errors, 1);
    assert_string_equal(strict->errors[0].id, "f");
    task_set_free(strict);
}

static void loads_solutions_alone_when_asked(void **state) {
    (void)state;
    const char *path = put("alone/only_solutions.json", "{\"b\":[[[4]],[[5,6]]],\"a\":[[[1]]]}");
    TaskSet *set = load_path(path, (TaskLoadOptions){0});
    assert_int_equal(set->n_tasks, 0);
    assert_int_equal(set->n_errors, 1);
    task_set_free(set);
    set = load_path(path, (TaskLoadOptions){.solutions = true});
    assert_int_equal(set->n_tasks, 2);
    assert_int_equal(set->tasks[1].n_test, 2);
    assert_int_equal(set->tasks[1].n_train, 0);
    assert_int_equal(set->tasks[1].test[1].out.w, 2);
    task_set_free(set);
}

static void reports_files_that_cannot_be_read(void **state) {
    (void)state;
    char missing[64];
    snprintf(missing, sizeof missing, "%s/nothing.json", folder);
    const char *paths[] = {missing, put("two/a.json", GOOD), put("two/b/a.json", OPEN)};
    TaskSet *set = task_load(paths, 3, NULL);
    assert_non_null(set);
    assert_int_equal(set->n_tasks, 1);
    assert_true(set->tasks[0].test[0].has_output);
    assert_int_equal(set->n_errors, 2);
    assert_string_equal(set->errors[0].reason, "No such file or directory");
    assert_string_equal(set->errors[1].file, paths[2]);
    assert_int_equal(set->errors[1].line, 1);
    assert_non_null(strstr(set->errors[1].reason, "duplicate id, first in "));
    task_set_free(set);
}

static void survives_every_allocation_failure(void **state) {
    (void)state;
    put("oom/a.json", GOOD);
    put("oom/x_challenges.json", "{\"c\":" OPEN ",\"d\":7,\"c\":" GOOD "}");
    put("oom/x_solutions.json", "{\"e\":[],\"c\":[[[4]]]}");
    char path[64];
    snprintf(path, sizeof path, "%s/oom", folder);
    const char *paths[] = {path};
    uint64_t before = mem_bytes(), nth = 0;
    TaskSet *set = NULL;
    while (set == NULL) {
        mem_fail_at(++nth);
        set = task_load(paths, 1, &(TaskLoadOptions){.jobs = 1});
        if (set == NULL) {
            assert_true(mem_bytes() == before);
        }
        assert_true(nth < 1000);
    }
    mem_fail_at(0);
    assert_true(nth > 5); /* the loop did meet failures */
    assert_int_equal(set->n_tasks, 2);
    assert_int_equal(set->n_errors, 3);
    task_set_free(set);
    assert_true(mem_bytes() == before);
}

/* The public sets, where they are installed: the counts are those their authors give. */
static void loads_the_public_sets(void **state) {
    (void)state;
    const char *root = getenv("BATT_DATA") ? getenv("BATT_DATA") : "../shared/data";
    char one[512], two[512];
    snprintf(one, sizeof one, "%s/arc1-training", root);
    snprintf(two, sizeof two, "%s/arc2-kaggle", root);
    if (access(one, R_OK) != 0 || access(two, R_OK) != 0) {
        print_message("no ARC data in %s: skipped\n", root);
        skip();
    }
    const char *paths[] = {two, one};
    uint64_t hash = 0;
    for (int jobs = 1; jobs <= 4; jobs += 3) {
        TaskSet *set = task_load(paths, 2, &(TaskLoadOptions){.jobs = jobs});
        assert_non_null(set);
        assert_int_equal(set->n_errors, 0);
        assert_int_equal(set->n_tasks, 400 + 233);
        for (size_t i = 0; i < set->n_tasks; i++) {
            for (int32_t k = 0; k < set->tasks[i].n_test; k++) {
                assert_true(set->tasks[i].test[k].has_output);
            }
        }
        assert_true(jobs == 1 || set->hash == hash);
        hash = set->hash;
        task_set_free(set);
    }
    TaskSet *first = load_path(one, (TaskLoadOptions){0});
    size_t outputs = 0;
    for (size_t i = 0; i < first->n_tasks; i++) {
        outputs += (size_t)first->tasks[i].n_test;
    }
    assert_int_equal(first->n_tasks, 400);
    assert_int_equal(outputs, 416);
    task_set_free(first);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_task),
        cmocka_unit_test(reads_a_list_of_pairs_as_training),
        cmocka_unit_test(reads_challenges_sorted_and_steps_over_bad_ones),
        cmocka_unit_test(strict_stops_at_the_first_error),
        cmocka_unit_test(a_broken_end_keeps_what_came_before),
        cmocka_unit_test(names_place_and_reason),
        cmocka_unit_test(bounds_sides_and_nesting),
        cmocka_unit_test(hash_depends_on_data_alone),
        cmocka_unit_test(writes_what_it_reads),
        cmocka_unit_test(no_cut_of_a_file_is_accepted),
        cmocka_unit_test(loads_folders_and_pairs_solutions),
        cmocka_unit_test(loads_solutions_alone_when_asked),
        cmocka_unit_test(reports_files_that_cannot_be_read),
        cmocka_unit_test(survives_every_allocation_failure),
        cmocka_unit_test(loads_the_public_sets),
    };
    return cmocka_run_group_tests_name("task", tests, make_folder, remove_folder);
}
