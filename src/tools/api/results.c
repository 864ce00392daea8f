/* Results: made, looked at, written as JSON and as a submission. */
#include "tools/api/results.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/json.h"
#include "data/submission/submission.h"
#include "engine/language/own.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

batt_results *results_new(batt_context *c, const char *command, const batt_tasks *tasks, unsigned attempts) {
    batt_results *r = mem_zalloc(1, sizeof *r);
    if (r == NULL) {
        return api_no_memory(c);
    }
    r->command = command;
    r->attempts = attempts;
    ASSERT(attempts >= 1, "%s without attempts", command);
    r->tasks = batt_tasks_join(c, &tasks, 1);
    r->items = r->tasks != NULL ? mem_zalloc(tasks->n_tasks, sizeof *r->items) : NULL;
    if (r->items == NULL) {
        batt_results_free(r);
        return api_no_memory(c);
    }
    for (size_t k = 0; k < tasks->n_tasks; k++) {
        r->items[k] = (ResultTask){.task = r->tasks->tasks[k], .status = "not reached"};
    }
    return r;
}

batt_results *results_or_none(batt_results *r, bool good) {
    if (!good) {
        batt_results_free(r);
    }
    return good ? r : NULL;
}

void batt_results_free(batt_results *r) {
    for (size_t k = 0; r != NULL && r->items != NULL && k < r->tasks->n_tasks; k++) {
        ResultTask *item = &r->items[k];
        for (uint32_t p = 0; p < item->n_programs; p++) {
            mem_free(item->programs[p].text);
            prog_free(item->programs[p].program);
        }
        mem_free(item->programs);
        mem_free(item->answers);
        mem_free(item->cells);
        mem_free(item->samples);
    }
    if (r != NULL) {
        mem_free(r->items);
        mem_free(r->profile);
        batt_tasks_free(r->tasks);
        mem_free(r);
    }
}

bool result_add_program(ResultTask *item, Program *program, const char *strategy, uint32_t right, double cost,
                        uint64_t steps) {
    ResultProgram *programs = mem_grow(item->programs, item->n_programs + 1, sizeof *programs);
    if (programs == NULL || program == NULL) {
        item->programs = programs != NULL ? programs : item->programs;
        prog_free(program);
        return false;
    }
    item->programs = programs;
    ASSERT(right <= (uint32_t)item->task->n_train, "%s: %u of %d right", item->task->id, right,
           item->task->n_train);
    programs[item->n_programs++] = (ResultProgram){
        .program = program, .strategy = strategy, .right = right, .cost = cost, .steps = steps};
    return true;
}

bool result_keep_answers(ResultTask *item, const Image *answers, unsigned attempts) {
    ASSERT(item->answers == NULL && attempts > 0, "%s: answers are kept twice", item->task->id);
    size_t n = (size_t)item->task->n_test * attempts, cells = 0;
    for (size_t k = 0; k < n; k++) {
        cells += (size_t)(answers[k].h * answers[k].w);
    }
    item->answers = mem_zalloc(n, sizeof *item->answers);
    int8_t *at = item->cells = mem_alloc(cells);
    if (item->answers == NULL || at == NULL) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        size_t count = (size_t)(answers[k].h * answers[k].w);
        if (count != 0) {
            memcpy(at, answers[k].cells, count);
            item->answers[k] = (Image){answers[k].h, answers[k].w, at};
            at += count;
        }
    }
    return true;
}

/* ---- looking ---- */

static const ResultTask *at(const batt_results *r, size_t k) {
    return k < batt_results_count(r) ? &r->items[k] : NULL;
}

size_t batt_results_count(const batt_results *r) {
    return r != NULL ? r->tasks->n_tasks : 0;
}

int batt_results_stopped(const batt_results *r) {
    return r != NULL && r->stopped;
}

double batt_results_seconds(const batt_results *r) {
    return r != NULL ? (double)r->wall_ns * 1e-9 : 0;
}

const char *batt_results_id(const batt_results *r, size_t k) {
    return at(r, k) != NULL ? at(r, k)->task->id : "";
}

const char *batt_results_status(const batt_results *r, size_t k) {
    return at(r, k) != NULL ? at(r, k)->status : "";
}

const char *batt_results_reason(const batt_results *r, size_t k) {
    return at(r, k) != NULL ? at(r, k)->reason : "";
}

int batt_results_solved(const batt_results *r, size_t k) {
    return at(r, k) != NULL && at(r, k)->solved;
}

const char *batt_results_program(const batt_results *r, size_t k, size_t p) {
    const ResultTask *item = at(r, k);
    return item != NULL && p < item->n_programs
               ? api_program_text(&item->programs[p].text, item->programs[p].program)
               : NULL;
}

static Image answer_of(const batt_results *r, const ResultTask *item, size_t test, size_t attempt) {
    bool there = item->answers != NULL && test < (size_t)item->task->n_test && attempt < r->attempts;
    return there ? item->answers[test * r->attempts + attempt] : (Image){0};
}

const int8_t *batt_results_answer(const batt_results *r, size_t k, size_t test, size_t attempt, int *rows,
                                  int *columns) {
    Image image = at(r, k) != NULL ? answer_of(r, at(r, k), test, attempt) : (Image){0};
    if (rows != NULL) {
        *rows = image.h;
    }
    if (columns != NULL) {
        *columns = image.w;
    }
    return image.cells;
}

/* ---- JSON ---- */

static void write_programs(Json *json, ResultTask *item) {
    json_key(json, "programs");
    json_begin_array(json);
    for (uint32_t p = 0; p < item->n_programs; p++) {
        ResultProgram *program = &item->programs[p];
        json_begin_object(json);
        json_kv_string(json, "name", program->program->name);
        if (program->strategy != NULL) {
            json_kv_string(json, "strategy", program->strategy);
            json_kv_double(json, "cost", program->cost);
            json_kv_uint(json, "found_after_steps", program->steps);
        }
        json_kv_uint(json, "train_correct", program->right);
        json_kv_string(json, "program", api_program_text(&program->text, program->program));
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_samples(Json *json, const ResultTask *item) {
    json_key(json, "samples");
    json_begin_array(json);
    for (uint32_t k = 0; k < item->n_samples; k++) {
        const RunSample *s = &item->samples[k];
        const char *where = own_failed_in(item->n_programs > 0 ? item->programs[0].program : NULL, s->prim);
        json_begin_object(json);
        json_kv_string(json, "verdict", batt_verdict_name(s->verdict));
        if (s->verdict == SAMPLE_FAILED || s->verdict == SAMPLE_OVER_BUDGET) {
            json_kv_string(json, "reason", reason_name((Reason)s->reason));
            json_kv_string(json, "primitive", where[0] != '\0' ? where : NULL);
            json_kv_uint(json, "line", s->line);
        }
        json_kv_uint(json, "steps", s->steps);
        json_kv_fixed(json, "time_s", (double)s->time_ns * 1e-9, 9);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_answers(Json *json, const batt_results *r, const ResultTask *item) {
    json_key(json, "answers");
    json_begin_array(json);
    for (int32_t x = 0; x < item->task->n_test && item->answers != NULL; x++) {
        json_begin_array(json);
        for (unsigned a = 0; a < r->attempts; a++) {
            json_image(json, answer_of(r, item, (size_t)x, a), true);
        }
        json_end_array(json);
    }
    json_end_array(json);
}

static void write_item(Json *json, const batt_results *r, ResultTask *item) {
    json_begin_object(json);
    json_kv_string(json, "id", item->task->id);
    json_kv_bool(json, "done", item->done);
    json_kv_bool(json, "solved", item->solved);
    json_kv_string(json, "status", item->status);
    json_kv_string(json, "reason", item->reason);
    json_kv_uint(json, "train_correct", item->train_right);
    json_kv_int(json, "train", item->task->n_train);
    json_kv_uint(json, "test_correct", item->test_right);
    json_kv_uint(json, "test_known", item->test_known);
    json_kv_uint(json, "steps", item->steps);
    json_kv_fixed(json, "time_s", (double)item->time_ns * 1e-9, 9);
    write_programs(json, item);
    if (item->samples != NULL) {
        write_samples(json, item);
    }
    write_answers(json, r, item);
    json_end_object(json);
}

char *batt_results_json(batt_context *c, const batt_results *r) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (r == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the results are NULL");
    }
    Out out;
    char hash[17];
    size_t solved = 0, done = 0;
    for (size_t k = 0; k < r->tasks->n_tasks; k++) {
        solved += r->items[k].solved;
        done += r->items[k].done;
    }
    out_init(&out);
    Json json = json_on(&out, 0);
    snprintf(hash, sizeof hash, "%016" PRIx64, batt_tasks_hash(r->tasks));
    json_begin_report(&json, "batt.results/1");
    json_kv_string(&json, "command", r->command);
    json_kv_uint(&json, "tasks", r->tasks->n_tasks);
    json_kv_uint(&json, "tasks_done", done);
    json_kv_uint(&json, "tasks_solved", solved);
    json_kv_bool(&json, "interrupted", r->stopped);
    json_kv_uint(&json, "attempts", r->attempts);
    json_kv_fixed(&json, "wall_s", (double)r->wall_ns * 1e-9, 9);
    json_kv_string(&json, "data_hash", hash);
    json_key(&json, "figures");
    json_begin_object(&json);
    for (size_t k = 0; r->figures[k].name != NULL; k++) {
        json_kv_uint(&json, r->figures[k].name, r->figures[k].number);
    }
    json_end_object(&json);
    json_key(&json, "results");
    json_begin_array(&json);
    for (size_t k = 0; k < r->tasks->n_tasks; k++) {
        write_item(&json, r, &r->items[k]);
    }
    json_end_array(&json);
    json_end_object(&json);
    return api_text(c, &out);
}

char *batt_results_profile(batt_context *c, const batt_results *r) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (r == NULL || r->profile == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT,
                         r == NULL ? "the results are NULL" : "no profile was asked for");
    }
    char *text = mem_strdup(r->profile);
    return text != NULL ? text : api_no_memory(c);
}

/* ---- submissions ---- */

char *batt_results_submission(batt_context *c, const batt_results *r, const char *path) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (r == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the results are NULL");
    }
    SubmissionDraft draft;
    Out out;
    char why[512];
    bool good = submission_draft_open(&draft, r->tasks->tasks, r->tasks->n_tasks);
    for (size_t k = 0; k < r->tasks->n_tasks; k++) {
        for (int32_t x = 0; x < r->items[k].task->n_test; x++) {
            /* a single answer is used for both attempts */
            for (unsigned a = 0; a < SUBMISSION_ATTEMPTS; a++) {
                Image image = answer_of(r, &r->items[k], (size_t)x, a);
                image = image.cells != NULL ? image : answer_of(r, &r->items[k], (size_t)x, 0);
                good = good && submission_draft_set(&draft, k, x, a, image);
            }
        }
    }
    out_init(&out);
    if (good) {
        submission_draft_write(&out, &draft);
    }
    submission_draft_close(&draft);
    if (!good) {
        return api_no_memory(c);
    }
    if (path != NULL) {
        if (!out_save(&out, path, why, sizeof why)) {
            out_free(&out);
            return api_fault_at(c, BATT_NO_FILE, path, 0, 0, why);
        }
        out_clear(&out);
    }
    return api_text(c, &out);
}

char *batt_score(batt_context *c, const char *text, size_t length, const batt_tasks *truth) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (text == NULL || truth == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the %s NULL", text == NULL ? "submission is" : "tasks are");
    }
    Submission *submission = submission_read_bytes("submission", text, length);
    Task *copies = mem_array(truth->n_tasks, sizeof *copies);
    if (submission == NULL || copies == NULL) {
        mem_free(copies);
        submission_free(submission);
        return api_no_memory(c);
    }
    for (size_t k = 0; k < truth->n_tasks; k++) {
        copies[k] = *truth->tasks[k];
    }
    TaskSet set = {.tasks = copies, .n_tasks = truth->n_tasks};
    if (submission->n_entries == 0 && submission->n_errors > 0) {
        const TaskError *e = &submission->errors[0];
        api_fault_at(c, BATT_BAD_INPUT, e->file ? e->file : "submission", e->line, e->column, e->reason);
        mem_free(copies);
        submission_free(submission);
        return NULL;
    }
    SubmissionScore s = submission_score(submission, &set);
    Out out;
    out_init(&out);
    Json json = json_on(&out, 0);
    json_begin_report(&json, "batt.score/1");
    submission_json_score(&json, &s);
    submission_json_results(&json, submission, &set);
    json_end_object(&json);
    mem_free(copies);
    submission_free(submission);
    return api_text(c, &out);
}
