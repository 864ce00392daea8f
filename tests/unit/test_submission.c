/* Submissions: written form, strict reading, the three ways of counting, and never half a file. */
#include "base/alloc.h"
#include "data/submission/submission.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TRAIN "\"train\":[{\"input\":[[1]],\"output\":[[2]]}]"
#define TEST(value) "{\"input\":[[1]],\"output\":[[" value "]]}"

/* a has two tests, b one, c one without a known output */
static const char SET[] = "{\"a\":{" TRAIN ",\"test\":[" TEST("3") "," TEST(
    "4") "]},\"b\":{" TRAIN ",\"test\":[" TEST("5") "]},\"c\":{" TRAIN ",\"test\":[{\"input\":[[1]]}]}}";

static TaskSet *load_set(void) {
    TaskSet *set = task_load_bytes("s.json", SET, sizeof SET - 1, NULL);
    assert_non_null(set);
    assert_int_equal(set->n_errors, 0);
    return set;
}

static Image one(const int8_t *cell) {
    return (Image){1, 1, cell};
}

static const int8_t CELLS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static void writes_placeholders(void **state) {
    (void)state;
    TaskSet *set = load_set();
    const Task *tasks[] = {&set->tasks[0], &set->tasks[1], &set->tasks[2]};
    Answer answers[4] = {{{one(&CELLS[3])}}, {{one(&CELLS[10]), one(&CELLS[4])}}, {{{31, 1, CELLS}}}};
    Out out;
    out_init(&out);
    submission_write(&out, tasks, 3, answers);
#define NONE "[[0,0],[0,0]]"
    assert_string_equal(out.data,
                        "{\n\"a\":[{\"attempt_1\":[[3]],\"attempt_2\":" NONE "},{\"attempt_1\":" NONE
                        ",\"attempt_2\":[[4]]}],\n\"b\":[{\"attempt_1\":" NONE ",\"attempt_2\":" NONE
                        "}],\n\"c\":[{\"attempt_1\":" NONE ",\"attempt_2\":" NONE "}]\n}\n");
    Submission *back = submission_read_bytes("w", out.data, out.len);
    assert_int_equal(back->n_errors, 0);
    assert_int_equal(back->n_entries, 3);
    SubmissionScore score = submission_score(back, set);
    assert_int_equal(score.tasks, 2);
    assert_int_equal(score.tasks_solved, 1);
    assert_int_equal(score.outputs, 3);
    assert_int_equal(score.outputs_right, 2);
    assert_true(score.mean_share == 0.5);
    assert_int_equal(score.outputs_unknown, 1);
    assert_int_equal(score.missing + score.extra + score.miscounted, 0);
    submission_free(back);
    out_free(&out);
    task_set_free(set);
}

#define A(x, y) "{\"attempt_1\":[[" x "]],\"attempt_2\":[[" y "]]}"

static void checks_form_and_counts(void **state) {
    (void)state;
    TaskSet *set = load_set();
    const char *text = "{\"z\":[],\n \"a\":[" A("9", "3") "],\"b\":[" A("5", "5") "]}";
    Submission *submission = submission_read_bytes("f", text, strlen(text));
    assert_int_equal(submission->n_errors, 0);
    SubmissionScore score = submission_score(submission, set);
    assert_int_equal(score.tasks_solved, 1);
    assert_int_equal(score.outputs_right, 2);
    assert_true(score.mean_share == 0.75);
    assert_int_equal(score.missing, 1);
    assert_int_equal(score.extra, 1);
    assert_int_equal(score.miscounted, 1);
    Out out;
    out_init(&out);
    assert_int_equal(submission_check(&out, submission, set), 3);
    assert_string_equal(out.data, "f:2:2: task a: 1 answers for 2 test inputs\nf: task c is missing\n"
                                  "f:1:2: task z is unknown\n");
    out_free(&out);
    submission_free(submission);
    task_set_free(set);
}

static void names_place_and_reason(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "f:1:1: a submission must be an object, found the end of the file"},
        {"[]", "f:1:1: a submission must be an object, found a list"},
        {"{\"a\":{}}", "f:1:6: task a: the answers to a task must be a list, found an object"},
        {"{\"a\":[[[1]]]}", "f:1:7: task a: an answer must be an object, found a list"},
        {"{\"a\":[{}]}", "f:1:7: task a: answer has no \"attempt_1\""},
        {"{\"a\":[{\"attempt_1\":[[1]]}]}", "f:1:7: task a: answer has no \"attempt_2\""},
        {"{\"a\":[{\"attempt_3\":[[1]]}]}",
         "f:1:8: task a: unknown key: an answer has \"attempt_1\" and \"attempt_2\""},
        {"{\"a\":[{\"attempt_1\":[[1]],\"attempt_1\":[[1]]}]}",
         "f:1:26: task a: duplicate key \"attempt_1\""},
        {"{\"a\":[" A("1", "10") "]}", "f:1:40: task a: cell is outside 0..9"},
        {"{\"a\":[],\n\"a\":[]}", "f:2:1: task a: duplicate id"},
        {"{\"a\":[]} x", "f:1:10: expected the end of the file, found text that is not JSON"},
        {"{\"\":[]}", "f:1:2: not a task id"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[512];
        Submission *submission = submission_read_bytes("f", cases[i].text, strlen(cases[i].text));
        assert_non_null(submission);
        assert_int_equal(submission->n_errors, 1);
        task_error_format(&submission->errors[0], got, sizeof got);
        assert_string_equal(got, cases[i].message);
        submission_free(submission);
    }
    Submission *missing = submission_read("/nonexistent/submission.json");
    assert_string_equal(missing->errors[0].reason, "No such file or directory");
    submission_free(missing);
}

static void survives_every_allocation_failure(void **state) {
    (void)state;
    const char *text = "{\"a\":[" A("9", "3") "],\"b\":[" A("5", "5") "],\"c\":7,\"a\":[]}";
    uint64_t before = mem_bytes(), nth = 0;
    Submission *submission = NULL;
    while (submission == NULL) {
        mem_fail_at(++nth);
        submission = submission_read_bytes("f", text, strlen(text));
        assert_true(nth < 1000 && (submission != NULL || mem_bytes() == before));
    }
    mem_fail_at(0);
    assert_int_equal(submission->n_entries, 2);
    assert_int_equal(submission->n_errors, 2);
    submission_free(submission);
    assert_true(mem_bytes() == before);
}

/* A child writes two versions in turn without end and is killed at odd moments: whatever is found at the
 * name afterwards must be one whole version. */
static void a_killed_writer_leaves_a_whole_file(void **state) {
    (void)state;
    char folder[] = "/tmp/batt-test-submission-XXXXXX", path[64], command[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/submission.json", folder);
    TaskSet *set = load_set();
    enum { MANY = 3000 };
    const Task **tasks = mem_array(MANY, sizeof *tasks);
    Answer *answers[2] = {mem_zalloc(MANY * 2, sizeof(Answer)), mem_zalloc(MANY * 2, sizeof(Answer))};
    Out versions[2];
    char why[256];
    for (int v = 0; v < 2; v++) {
        for (size_t i = 0; i < MANY; i++) {
            tasks[i] = &set->tasks[0];
            answers[v][i * 2].attempt[0] = one(&CELLS[3 + v]);
        }
        out_init(&versions[v]);
        submission_write(&versions[v], tasks, MANY, answers[v]);
    }
    assert_true(out_save(&versions[0], path, why, sizeof why));
    for (unsigned round = 0; round < 20; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (int v = 0;; v = !v) {
                out_save(&versions[v], path, why, sizeof why);
            }
        }
        usleep(2000 + round * 700);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        char *text = mem_alloc(versions[0].len + 1);
        size_t got = fread(text, 1, versions[0].len + 1, file);
        fclose(file);
        assert_int_equal(got, versions[0].len);
        assert_true(memcmp(text, versions[0].data, got) == 0 || memcmp(text, versions[1].data, got) == 0);
        mem_free(text);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    for (int v = 0; v < 2; v++) {
        out_free(&versions[v]);
        mem_free(answers[v]);
    }
    mem_free(tasks);
    task_set_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_placeholders),
        cmocka_unit_test(checks_form_and_counts),
        cmocka_unit_test(names_place_and_reason),
        cmocka_unit_test(survives_every_allocation_failure),
        cmocka_unit_test(a_killed_writer_leaves_a_whole_file),
    };
    return cmocka_run_group_tests_name("submission", tests, NULL, NULL);
}
