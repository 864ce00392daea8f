/* Writes the results of `batt run` as JSON. Fields keep their names. Only the times (time_us, phases, wall_s,
 * unaccounted_s) depend on the machine or the number of threads. */
#include "tools/cli/run_report.h"

#include <inttypes.h>
#include <stdio.h>

static void write_causes(Json *json, const RunReport *r) {
    enum { LISTED = 100 };
    RunCause causes[LISTED];
    size_t n = run_causes(r->results, r->n_done, causes, LISTED);
    json_key(json, "failures");
    json_begin_array(json);
    for (size_t k = 0; k < n && k < LISTED; k++) {
        json_begin_object(json);
        json_kv_string(json, "reason", reason_name((Reason)causes[k].reason));
        json_kv_string(json, "primitive", causes[k].prim > 0 ? prim_table[causes[k].prim - 1].name : NULL);
        json_kv_uint(json, "samples", causes[k].samples);
        json_end_object(json);
    }
    json_end_array(json);
}

/* Programs that were cut off on a task. */
static void write_cutoffs(Json *json, const RunTask *task) {
    json_key(json, "cut_off");
    json_begin_array(json);
    for (size_t k = 0; k < task->n_cutoffs; k++) {
        const RunCutoff *cutoff = &task->cutoffs[k];
        json_begin_object(json);
        json_kv_string(json, "program", cutoff->program->name);
        json_kv_uint(json, "samples", cutoff->samples);
        json_kv_string(json, "reason", reason_name((Reason)cutoff->reason));
        json_kv_uint(json, "steps", cutoff->steps);
        json_end_object(json);
    }
    json_end_array(json);
}

void run_json(Out *out, RunReport *r) {
    const RunTotals *t = &r->totals;
    Json json = json_on(out, 1);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->data->hash);
    json_begin_report(&json, "batt.run/1");
    json_kv_uint(&json, "tasks", t->tasks);
    json_kv_uint(&json, "tasks_solved", t->tasks_solved);
    json_kv_uint(&json, "tasks_matched", t->matched);
    json_kv_uint(&json, "tasks_fit_only", t->fits_only);
    json_kv_uint(&json, "tasks_answered", t->answered);
    json_kv_uint(&json, "samples", t->samples);
    json_kv_uint(&json, "samples_correct", t->samples_right);
    json_kv_uint(&json, "outputs", t->outputs);
    json_kv_uint(&json, "outputs_correct", t->outputs_right);
    json_kv_double(&json, "mean_share", t->mean_share);
    json_kv_uint(&json, "failed", t->failed);
    json_kv_uint(&json, "over_budget", t->over_budget);
    json_kv_uint(&json, "cut_off", t->cut_off);
    json_kv_uint(&json, "tasks_cut_off", t->tasks_cut_off);
    json_kv_uint(&json, "wrong", t->wrong);
    json_kv_uint(&json, "wrong_size", t->wrong_size + t->not_grid);
    json_kv_uint(&json, "programs", r->solvers->list.count);
    json_kv_uint(&json, "program_errors", r->solvers->n_errors);
    json_kv_uint(&json, "load_errors", r->data->set->n_errors);
    json_kv_bool(&json, "interrupted", r->n_done - t->cut < r->data->n_tasks);
    json_kv_string(&json, "data_hash", hash);
    if (run_is_zero(r)) {
        char cause[768];
        run_likely_cause(r, cause, sizeof cause);
        json_kv_string(&json, "likely_cause", cause);
    }
    write_causes(&json, r);
    groups_json(&json, r->data, run_group, r);
    json_key(&json, "results");
    json_begin_array(&json);
    for (size_t k = 0; k < r->n_done; k++) {
        const RunTask *task = &r->results[k];
        char why[256];
        run_reason(task, why, sizeof why);
        json_begin_object(&json);
        json_kv_string(&json, "id", task->task->id);
        if (task->task->group != NULL) {
            json_kv_string(&json, "group", task->task->group);
        }
        json_kv_bool(&json, "solved", task->solved);
        json_kv_string(&json, "status", run_status(task));
        json_kv_uint(&json, "samples", run_known(task));
        json_kv_uint(&json, "samples_correct", task->train_right + task->test_right);
        json_kv_fixed(&json, "time_s", (double)task->time_ns * 1e-9, 9);
        json_kv_string(&json, "program", task->program != NULL ? task->program->name : NULL);
        json_kv_uint(&json, "tried", task->tried);
        json_kv_uint(&json, "solving", task->solving);
        if (task->scored) {
            json_kv_uint(&json, "score", task->score);
        }
        json_kv_string(&json, "reason", task->solved ? "" : why);
        if (task->n_cutoffs > 0) {
            write_cutoffs(&json, task);
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    run_rescored_json(&json, r);
    r->profile_code = profile_collect(r->recorder, &r->phases, r->ids, &json, NULL);
    if (r->options->stats) {
        statistics_json(&json, &r->statistics);
    }
    device_json(&json, r->backend);
    rank_summaries_json(&json, &r->ranks);
    phase_json(&json, &r->phases);
    json_end_object(&json);
    out_char(out, '\n');
}
