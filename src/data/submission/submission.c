/* Writing and scoring submissions; see submission.h. Reading is in submission_read.c. */
#include "data/submission/submission.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

static void write_attempt(Out *out, const char *key, Image attempt) {
    static const int8_t zeros[4] = {0};
    static const Image placeholder = {.h = 2, .w = 2, .cells = zeros};
    out_str(out, key);
    task_write_grid(out, task_image_valid(attempt, ARC_SIDE) ? attempt : placeholder);
}

void submission_begin_task(Out *out, const char *id, bool first) {
    out_str(out, first ? "\n" : ",\n");
    out_json_string(out, id);
    out_str(out, ":[");
}

void submission_write_answer(Out *out, const Answer *answer, bool first) {
    write_attempt(out, first ? "{\"attempt_1\":" : ",{\"attempt_1\":", answer->attempt[0]);
    write_attempt(out, ",\"attempt_2\":", answer->attempt[1]);
    out_char(out, '}');
}

void submission_write(Out *out, const Task *const *tasks, size_t n_tasks, const Answer *answers) {
    out_char(out, '{');
    for (size_t i = 0; i < n_tasks; i++) {
        submission_begin_task(out, tasks[i]->id, i == 0);
        ASSERT(tasks[i]->n_test >= 0 && answers != NULL, "%s has %d tests", tasks[i]->id, tasks[i]->n_test);
        for (int32_t k = 0; k < tasks[i]->n_test; k++, answers++) {
            submission_write_answer(out, answers, k == 0);
        }
        out_char(out, ']');
    }
    out_str(out, "\n}\n");
}

static int compare_id(const void *id, const void *entry) {
    return strcmp(id, ((const SubmissionEntry *)entry)->id);
}

const SubmissionEntry *submission_find(const Submission *submission, const char *id) {
    size_t n = submission->n_entries;
    return n > 0 ? bsearch(id, submission->entries, n, sizeof *submission->entries, compare_id) : NULL;
}

size_t submission_right(const Task *task, const SubmissionEntry *entry, size_t *counted) {
    size_t right = 0;
    *counted = 0;
    for (int32_t i = 0; i < task->n_test; i++) {
        if (!task->test[i].has_output) {
            continue;
        }
        ++*counted;
        if (entry != NULL && (size_t)i < entry->n_answers) {
            const Answer *answer = &entry->answers[i];
            right += task_image_equal(answer->attempt[0], task->test[i].out) ||
                     task_image_equal(answer->attempt[1], task->test[i].out);
        }
    }
    return right;
}

SubmissionScore submission_score(const Submission *submission, const TaskSet *truth) {
    SubmissionScore score = {0};
    size_t met = 0;
    double shares = 0;
    for (size_t i = 0; i < truth->n_tasks; i++) {
        const Task *task = &truth->tasks[i];
        const SubmissionEntry *entry = submission_find(submission, task->id);
        met += entry != NULL;
        score.missing += entry == NULL;
        score.miscounted += entry != NULL && entry->n_answers != (size_t)task->n_test;
        size_t counted, right = submission_right(task, entry, &counted);
        score.outputs_unknown += (size_t)task->n_test - counted;
        if (counted > 0) {
            score.tasks++;
            score.tasks_solved += right == counted;
            ASSERT(right <= counted, "%s: %zu of %zu right", task->id, right, counted);
            score.outputs += counted;
            score.outputs_right += right;
            shares += (double)right / (double)counted;
        }
    }
    ASSERT(met <= submission->n_entries && score.outputs_right <= score.outputs, "%zu of %zu entries met",
           met, submission->n_entries);
    score.extra = submission->n_entries - met;
    score.mean_share = score.tasks ? shares / (double)score.tasks : 0;
    return score;
}

void submission_json_score(Json *json, const SubmissionScore *score) {
    json_kv_uint(json, "tasks", score->tasks);
    json_kv_uint(json, "tasks_solved", score->tasks_solved);
    json_kv_uint(json, "outputs", score->outputs);
    json_kv_uint(json, "outputs_correct", score->outputs_right);
    json_kv_double(json, "mean_share", score->mean_share);
    json_kv_uint(json, "outputs_unknown", score->outputs_unknown);
    json_kv_uint(json, "missing", score->missing);
    json_kv_uint(json, "extra", score->extra);
    json_kv_uint(json, "miscounted", score->miscounted);
}

void submission_json_results(Json *json, const Submission *submission, const TaskSet *truth) {
    json_key(json, "results");
    json_begin_array(json);
    for (size_t k = 0; k < truth->n_tasks; k++) {
        const Task *task = &truth->tasks[k];
        const SubmissionEntry *entry = submission_find(submission, task->id);
        size_t counted, right = submission_right(task, entry, &counted);
        json_begin_object(json);
        json_kv_string(json, "id", task->id);
        json_kv_bool(json, "solved", counted > 0 && right == counted);
        json_kv_uint(json, "outputs", counted);
        json_kv_uint(json, "outputs_correct", right);
        json_kv_bool(json, "answered", entry != NULL);
        json_end_object(json);
    }
    json_end_array(json);
}

size_t submission_check(Out *out, const Submission *submission, const TaskSet *tasks) {
    size_t found = 0;
    for (size_t i = 0; i < tasks->n_tasks; i++) {
        const Task *task = &tasks->tasks[i];
        const SubmissionEntry *entry = submission_find(submission, task->id);
        if (entry == NULL) {
            out_fmt(out, "%s: task %s is missing\n", submission->file, task->id);
            found++;
        } else if (entry->n_answers != (size_t)task->n_test) {
            out_fmt(out, "%s:%u:%u: task %s: %zu answers for %d test inputs\n", submission->file, entry->line,
                    entry->column, task->id, entry->n_answers, (int)task->n_test);
            found++;
        }
    }
    for (size_t i = 0; i < submission->n_entries; i++) {
        const SubmissionEntry *entry = &submission->entries[i];
        if (task_find(tasks, entry->id) == NULL) {
            out_fmt(out, "%s:%u:%u: task %s is unknown\n", submission->file, entry->line, entry->column,
                    entry->id);
            found++;
        }
    }
    return found;
}
