/* Any bytes as task data, solutions and submission: no crash, every error has a place inside the file, and
 * what was accepted survives being written and read again. */
#include "base/alloc.h"
#include "data/submission/submission.h"
#include "data/tasks/select.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_errors(const TaskError *errors, size_t n_errors, size_t size) {
    for (size_t i = 0; i < n_errors; i++) {
        if (errors[i].reason[0] == '\0' || errors[i].line > size + 1 || errors[i].column > size + 1) {
            abort();
        }
    }
}

static void check_task(const Task *task) {
    Out out;
    out_init(&out);
    task_write_json(&out, task);
    TaskSet *again = task_load_bytes("again.json", out.data, out.len, NULL);
    if (again == NULL || again->n_errors != 0 || again->n_tasks != 1 || again->tasks[0].hash != task->hash) {
        abort();
    }
    task_set_free(again);
    out_free(&out);
}

static void check_set(const char *name, const uint8_t *data, size_t size, TaskLoadOptions options) {
    TaskSet *set = task_load_bytes(name, data, size, &options);
    if (set == NULL) {
        abort();
    }
    check_errors(set->errors, set->n_errors, size);
    if (set->n_tasks == 0 && set->n_errors == 0 && !options.solutions) {
        abort();
    }
    for (size_t i = 0; i < set->n_tasks; i++) {
        (void)select_facts(&set->tasks[i]);
        if (set->tasks[i].n_train > 0) {
            check_task(&set->tasks[i]);
        }
    }
    task_set_free(set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint64_t before = mem_bytes();
    check_set("fuzz.json", data, size, (TaskLoadOptions){0});
    check_set("fuzz.json", data, size, (TaskLoadOptions){.strict = true, .solutions = true});
    check_set("fuzz.jsonl", data, size, (TaskLoadOptions){0});
    check_set("fuzz.jsonl", data, size, (TaskLoadOptions){.strict = true});
    Submission *submission = submission_read_bytes("fuzz.json", data, size);
    if (submission == NULL) {
        abort();
    }
    check_errors(submission->errors, submission->n_errors, size);
    submission_free(submission);
    if (mem_bytes() != before) {
        abort();
    }
    return 0;
}
