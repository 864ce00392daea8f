/* Telling what `batt run` found; see run_report.h. */
#include "cli/run_report.h"

#include "cli/task_view.h"
#include "core/alloc.h"
#include "view/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double percent(size_t part, size_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static void write_duration(Out *out, uint64_t ns) {
    double us = (double)ns * 1e-3;
    if (us < 1e3) {
        out_fmt(out, "%.1f us", us);
    } else if (us < 1e6) {
        out_fmt(out, "%.1f ms", us * 1e-3);
    } else {
        out_fmt(out, "%.2f s", us * 1e-6);
    }
}

static uint32_t samples_right(const RunTask *t) {
    return t->train_right + t->test_right;
}

static uint32_t samples_known(const RunTask *t) {
    uint32_t known = (uint32_t)t->task->n_train;
    for (int32_t k = 0; k < t->task->n_test; k++) {
        known += t->task->test[k].has_output;
    }
    return known;
}

/* ---- the most likely cause of 0 % ---- */

static const char *most_likely_cause(const RunReport *r, char *text, size_t room) {
    const RunTotals *t = &r->totals;
    size_t ran = t->samples_right + t->failed + t->over_budget + t->wrong + t->wrong_size + t->not_grid;
    if (t->matched == 0) {
        const Program *p = r->solvers->list.items[0];
        snprintf(text, room,
                 "no program matched: the tasks have ids like %s, the programs names like %s (wanted: "
                 "solve_%s; or use --all)",
                 r->data->tasks[0]->id, p->name[0] ? p->name : "(none)", r->data->tasks[0]->id);
    } else if (ran > 0 && t->failed + t->over_budget == ran) {
        char why[200] = "";
        for (size_t k = 0; k < r->data->n_tasks && why[0] == '\0'; k++) {
            if (r->results[k].program != NULL) {
                run_reason(&r->results[k], why, sizeof why);
            }
        }
        snprintf(text, room, "every evaluation failed; the first one: %s%s", why,
                 r->options->safe || r->options->mode >= 0 ? ""
                                                           : " (programs of the batt dialect expect --safe)");
    } else if (t->wrong_size + t->not_grid == ran) {
        snprintf(text, room,
                 "programs ran, but every answer has the wrong size or is no grid: are these their tasks?");
    } else {
        snprintf(text, room,
                 "programs ran and gave wrong answers: are these their tasks? --diff shows the differences");
    }
    return text;
}

/* ---- people ---- */

static void write_lines(Out *out, const TermStyle *style, const RunReport *r) {
    Table table;
    table_init(&table);
    table_column(&table, "task", TABLE_LEFT);
    table_column(&table, "verdict", TABLE_LEFT);
    table_column(&table, "right", TABLE_RIGHT);
    table_column(&table, "time", TABLE_RIGHT);
    table_column(&table, "why not", TABLE_LEFT);
    for (size_t k = 0; k < r->n_done; k++) {
        const RunTask *t = &r->results[k];
        char why[256];
        Out time;
        out_init(&time);
        run_reason(t, why, sizeof why);
        write_duration(&time, t->time_ns);
        table_cell(&table, t->task->id);
        table_colored(&table,
                      term_ink(style, t->solved ? INK_GOOD
                                      : t->fits ? INK_WARN
                                                : INK_BAD),
                      run_status(t));
        table_fmt(&table, "%u/%u", samples_right(t), samples_known(t));
        table_cell(&table, time.data);
        table_cell(&table, t->solved ? "" : why);
        out_free(&time);
    }
    table_write(&table, out, style->width, style->color != TERM_MONO);
    table_free(&table);
    out_char(out, '\n');
}

static int by_time(const void *left, const void *right) {
    const RunTask *a = *(const RunTask *const *)left, *b = *(const RunTask *const *)right;
    return a->time_ns != b->time_ns ? (a->time_ns < b->time_ns ? 1 : -1) : strcmp(a->task->id, b->task->id);
}

/* The tasks by time, slowest first; NULL without memory. */
static const RunTask **slowest_first(const RunReport *r) {
    const RunTask **order = mem_array(r->n_done, sizeof *order);
    for (size_t k = 0; order != NULL && k < r->n_done; k++) {
        order[k] = &r->results[k];
    }
    if (order != NULL) {
        qsort(order, r->n_done, sizeof *order, by_time);
    }
    return order;
}

static void write_slowest(Out *out, const RunReport *r) {
    const RunTask **order = slowest_first(r);
    size_t n = (size_t)r->options->slowest < r->n_done ? (size_t)r->options->slowest : r->n_done;
    if (order != NULL && n > 0) {
        out_str(out, "slowest     ");
        for (size_t k = 0; k < n; k++) {
            out_fmt(out, "%s%s ", k ? ", " : "", order[k]->task->id);
            write_duration(out, order[k]->time_ns);
        }
        out_char(out, '\n');
    }
    mem_free(order);
}

/* Failures by reason and primitive, the most frequent first. */
typedef struct Cause {
    uint32_t key, count; /* reason and primitive */
} Cause;

static int by_count(const void *left, const void *right) {
    const Cause *a = left, *b = right;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : (a->key > b->key) - (a->key < b->key);
}

static void write_failures(Out *out, const RunReport *r) {
    enum { KINDS = FAIL_REASONS * (PRIM_COUNT + 1), SHOWN = 5 };
    Cause *causes = mem_zalloc(KINDS, sizeof *causes);
    if (causes == NULL || r->totals.failed + r->totals.over_budget == 0) {
        mem_free(causes);
        return;
    }
    for (uint32_t k = 0; k < KINDS; k++) {
        causes[k].key = k;
    }
    for (size_t k = 0; k < r->n_done; k++) {
        for (uint32_t x = 0; r->results[k].samples != NULL && x < r->results[k].n_samples; x++) {
            const RunSample *s = &r->results[k].samples[x];
            if (s->verdict == SAMPLE_FAILED || s->verdict == SAMPLE_OVER_BUDGET) {
                causes[s->reason * (PRIM_COUNT + 1) + s->prim].count++;
            }
        }
    }
    qsort(causes, KINDS, sizeof *causes, by_count);
    out_str(out, "failures    ");
    for (uint32_t k = 0; k < SHOWN && causes[k].count > 0; k++) {
        uint32_t prim = causes[k].key % (PRIM_COUNT + 1);
        out_fmt(out, "%s%u x %s", k ? ", " : "", causes[k].count,
                reason_name((Reason)(causes[k].key / (PRIM_COUNT + 1))));
        if (prim > 0) {
            out_fmt(out, " in %s", prim_table[prim - 1].name);
        }
    }
    out_char(out, '\n');
    mem_free(causes);
}

static void write_phases(Out *out, const TermStyle *style, RunReport *r) {
    uint64_t wall = phase_total_ns(&r->phases), sum = 0;
    out_str(out, "phases      ");
    const char *comma = "";
    for (int k = 0; k < PHASE_COUNT; k++) {
        uint64_t ns = r->phases.ns[k];
        sum += ns;
        if (ns > 0) {
            out_fmt(out, "%s%s ", comma, phase_name((Phase)k));
            write_duration(out, ns);
            out_fmt(out, " %.0f %%", 100.0 * (double)ns / (double)wall);
            comma = ", ";
        }
    }
    if (sum + wall / 100 < wall) {
        out_fmt(out, " %sunaccounted %.1f %%%s", term_ink(style, INK_BAD), percent(wall - sum, wall),
                term_ink(style, INK_RESET));
    }
    out_str(out, "\nwall        ");
    write_duration(out, wall);
    out_char(out, '\n');
}

static void write_summary(Out *out, const TermStyle *style, RunReport *r) {
    const RunTotals *t = &r->totals;
    const char *bold = term_ink(style, INK_BOLD), *reset = term_ink(style, INK_RESET);
    if (r->n_done < r->data->n_tasks) {
        out_fmt(out, "%sinterrupted%s after %zu of %zu tasks\n", term_ink(style, INK_WARN), reset, r->n_done,
                r->data->n_tasks);
    }
    out_fmt(out, "%stasks       %zu of %zu solved (%.1f %%)%s", bold, t->tasks_solved, t->tasks,
            percent(t->tasks_solved, t->tasks), reset);
    if (t->fits_only > 0) {
        out_fmt(out, ", %zu right on the training pairs only", t->fits_only);
    }
    if (t->matched < t->tasks) {
        out_fmt(out, ", %zu without a program", t->tasks - t->matched);
    }
    out_fmt(out, "\noutputs     %zu of %zu right (%.1f %%)\n", t->outputs_right, t->outputs,
            percent(t->outputs_right, t->outputs));
    out_fmt(out, "mean share  %.1f %% of a task's outputs\n", 100 * t->mean_share);
    out_fmt(out,
            "samples     %zu of %zu right, %zu wrong, %zu of the wrong size, %zu failed, %zu out of budget\n",
            t->samples_right, t->samples, t->wrong, t->wrong_size + t->not_grid, t->failed, t->over_budget);
    write_failures(out, r);
    write_slowest(out, r);
    write_phases(out, style, r);
    out_fmt(out, "data        %016" PRIx64 "\n", r->data->hash);
}

static void write_differences(Out *out, const TermStyle *style, const RunReport *r) {
    for (size_t k = 0; k < r->n_done; k++) {
        const RunTask *t = &r->results[k];
        for (uint32_t x = 0; t->samples != NULL && !t->solved && x < t->n_samples; x++) {
            bool train = x < (uint32_t)t->task->n_train;
            uint32_t number = train ? x : x - (uint32_t)t->task->n_train;
            const TaskPair *pair = train ? &t->task->train[number] : &t->task->test[number];
            if (t->samples[x].verdict == SAMPLE_RIGHT || !pair->has_output) {
                continue;
            }
            char label[TASK_MAX_ID + 40];
            snprintf(label, sizeof label, "%s %s %u", t->task->id, train ? "train" : "test", number + 1);
            draw_diff(out, style, label, &pair->in, &pair->out, &t->samples[x].got);
            out_char(out, '\n');
        }
    }
}

/* ---- scripts ---- */

static void write_json(Out *out, RunReport *r) {
    const RunTotals *t = &r->totals;
    Json json = json_on(out, 1);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, r->data->hash);
    json_begin_object(&json);
    json_kv_uint(&json, "tasks", t->tasks);
    json_kv_uint(&json, "tasks_solved", t->tasks_solved);
    json_kv_uint(&json, "tasks_matched", t->matched);
    json_kv_uint(&json, "tasks_fit_only", t->fits_only);
    json_kv_uint(&json, "samples", t->samples);
    json_kv_uint(&json, "samples_correct", t->samples_right);
    json_kv_uint(&json, "outputs", t->outputs);
    json_kv_uint(&json, "outputs_correct", t->outputs_right);
    json_kv_double(&json, "mean_share", t->mean_share);
    json_kv_uint(&json, "failed", t->failed);
    json_kv_uint(&json, "over_budget", t->over_budget);
    json_kv_uint(&json, "wrong", t->wrong);
    json_kv_uint(&json, "wrong_size", t->wrong_size + t->not_grid);
    json_kv_uint(&json, "programs", r->solvers->list.count);
    json_kv_uint(&json, "program_errors", r->solvers->n_errors);
    json_kv_bool(&json, "interrupted", r->n_done < r->data->n_tasks);
    json_kv_string(&json, "data_hash", hash);
    if (t->samples_right == 0) {
        char cause[512];
        json_kv_string(&json, "likely_cause", most_likely_cause(r, cause, sizeof cause));
    }
    json_key(&json, "results");
    json_begin_array(&json);
    for (size_t k = 0; k < r->n_done; k++) {
        const RunTask *task = &r->results[k];
        char why[256];
        run_reason(task, why, sizeof why);
        json_begin_object(&json);
        json_kv_string(&json, "id", task->task->id);
        json_kv_bool(&json, "solved", task->solved);
        json_kv_string(&json, "status", run_status(task));
        json_kv_uint(&json, "samples", samples_known(task));
        json_kv_uint(&json, "correct", samples_right(task));
        json_kv_fixed(&json, "time_us", (double)task->time_ns * 1e-3, 3);
        json_kv_string(&json, "program", task->program != NULL ? task->program->name : NULL);
        json_kv_uint(&json, "tried", task->tried);
        json_kv_uint(&json, "solving", task->solving);
        json_kv_string(&json, "reason", task->solved ? "" : why);
        json_end_object(&json);
    }
    json_end_array(&json);
    phase_json(&json, &r->phases);
    json_end_object(&json);
    out_char(out, '\n');
}

/* ---- the gallery ---- */

static bool write_gallery(const Cli *cli, const RunReport *r) {
    Out out;
    Page page;
    char summary[200], why[512];
    out_init(&out);
    snprintf(summary, sizeof summary, "%zu of %zu tasks solved, %zu of %zu outputs right",
             r->totals.tasks_solved, r->totals.tasks, r->totals.outputs_right, r->totals.outputs);
    gallery_begin(&page, &out, "batt run", summary, cli->style.palette);
    for (size_t k = 0; k < r->n_done; k++) {
        task_gallery(&page, &r->results[k]);
    }
    gallery_end(&page);
    bool good = out_save(&out, r->options->gallery, why, sizeof why);
    if (!good) {
        cli_error(cli, "%s", why);
    }
    out_free(&out);
    return good;
}

int run_report(Cli *cli, RunReport *r) {
    Out out;
    out_init(&out);
    bool good = r->options->gallery == NULL || write_gallery(cli, r);
    if (r->options->json) {
        write_json(&out, r);
    } else {
        const TermStyle *style = &cli->style;
        if (r->totals.samples_right == 0 && r->n_done > 0) {
            char cause[512];
            out_fmt(&out, "%s%s0 %% right%s: %s\n\n", term_ink(style, INK_BOLD), term_ink(style, INK_BAD),
                    term_ink(style, INK_RESET), most_likely_cause(r, cause, sizeof cause));
        }
        if (!r->options->quiet) {
            write_lines(&out, style, r);
        }
        if (r->options->diff) {
            write_differences(&out, style, r);
        }
        write_summary(&out, style, r);
        if (r->options->gallery != NULL && good) {
            out_fmt(&out, "gallery     %s\n", r->options->gallery);
        }
        if (r->options->submission != NULL) {
            out_fmt(&out, "submission  %s\n", r->options->submission);
        }
    }
    good &= out_flush_to(&out, stdout);
    out_free(&out);
    return good ? EXIT_DONE : EXIT_BAD;
}
