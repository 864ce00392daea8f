/* Reports the results of `batt run`; see run_report.h. */
#include "tools/cli/run_report.h"

#include "base/alloc.h"
#include "engine/eval/explain.h"
#include "engine/language/print.h"
#include "tools/display/table.h"
#include "tools/display/task_drawing.h"

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

/* ---- the most likely cause of 0 % ---- */

bool run_is_zero(const RunReport *r) {
    return r->n_done > 0 && r->totals.tasks_solved + r->totals.answered == 0;
}

static void cause_text(const RunCause *cause, char *text, size_t room) {
    snprintf(text, room, "%s%s%s", reason_name((Reason)cause->reason), cause->prim > 0 ? " in " : "",
             cause->prim > 0 ? prim_table[cause->prim - 1].name : "");
}

static void failure_cause(const RunReport *r, char *text, size_t room) {
    RunCause top_cause = {0};
    size_t kinds = run_causes(r->results, r->n_done, &top_cause, 1);
    char what[96];
    bool dialect = false;
    for (size_t k = 0; k < r->n_done && !dialect; k++) {
        dialect = r->results[k].program != NULL && r->results[k].program->mode == MODE_BATT;
    }
    cause_text(&top_cause, what, sizeof what);
    snprintf(text, room, "every evaluation failed%s: %s%s%s", kinds == 1 ? ", all with the same reason" : "",
             kinds == 1 ? "" : "most often ", what,
             dialect && !r->options->safe ? " (most programs in the batt dialect expect --safe)" : "");
}

void run_likely_cause(const RunReport *r, char *text, size_t room) {
    const RunTotals *t = &r->totals;
    size_t ran = t->samples_right + t->failed + t->over_budget + t->wrong + t->wrong_size + t->not_grid;
    if (t->no_memory == t->tasks) {
        snprintf(text, room, MEM_NONE);
    } else if (t->matched == 0 && r->options->solvers.count == 0 && r->options->battery == NULL) {
        snprintf(text, room,
                 "the built-in programs are for the example tasks; name your programs with batt run -s FILE, "
                 "or search for some with batt solve");
    } else if (t->matched == 0) {
        const char *id = r->data->tasks[0]->id, *name = r->solvers->list.items[0]->name;
        snprintf(text, room,
                 "no program matched: tasks have ids like %s, programs have names like %s (expected: "
                 "solve_%s; or use --all)",
                 id, name[0] ? name : "(none)", id);
    } else if (ran > 0 && t->failed + t->over_budget == ran) {
        failure_cause(r, text, room);
    } else if (ran > 0 && t->wrong_size + t->not_grid == ran) {
        snprintf(
            text, room,
            "programs ran, but every answer has the wrong size or is not a grid: are these their tasks?");
    } else if (t->samples_right == 0) {
        snprintf(text, room,
                 "programs ran and every answer is wrong: are these their tasks? --diff shows the "
                 "differences");
    } else {
        snprintf(
            text, room,
            "%zu of %zu samples are right, but no task has all its pairs right; --diff shows the differences",
            t->samples_right, t->samples);
    }
}

/* ---- people ---- */

static void write_lines(Out *out, const TermStyle *style, const RunReport *r) {
    Table table;
    table_begin(&table, "task", "verdict", ">right", ">time");
    if (r->scoring != NULL) {
        table_columns(&table, ">score", "nearest");
    }
    table_columns(&table, "why not");
    for (size_t k = 0; k < r->n_done; k++) {
        const RunTask *t = &r->results[k];
        char why[256];
        Out time;
        out_init(&time);
        run_reason(t, why, sizeof why);
        write_duration(&time, t->time_ns);
        table_cell(&table, t->task->id);
        table_colored(&table,
                      term_attr(style, t->solved ? ATTR_GOOD
                                       : t->fits ? ATTR_WARN
                                                 : ATTR_BAD),
                      run_status(t));
        table_fmt(&table, "%u/%u", t->train_right + t->test_right, run_known(t));
        table_cell(&table, time.data);
        if (r->scoring != NULL) {
            table_fmt(&table, "%u", t->score);
            table_cell(&table, t->program != NULL ? t->program->name : "");
        }
        table_cell(&table, t->solved ? "" : why);
        out_free(&time);
    }
    table_end(&table, out, style);
    out_char(out, '\n');
}

static int by_time(const void *left, const void *right) {
    const RunTask *a = *(const RunTask *const *)left, *b = *(const RunTask *const *)right;
    return a->time_ns != b->time_ns ? (a->time_ns < b->time_ns ? 1 : -1) : strcmp(a->task->id, b->task->id);
}

/* The tasks that a program ran on by time, slowest first; NULL: no memory. */
static const RunTask **slowest_first(const RunReport *r, size_t *n) {
    const RunTask **order = mem_array(r->data->n_tasks, sizeof *order);
    *n = 0;
    for (size_t k = 0; order != NULL && k < r->data->n_tasks; k++) {
        if (r->results[k].program != NULL) {
            order[(*n)++] = &r->results[k];
        }
    }
    if (order != NULL) {
        qsort(order, *n, sizeof *order, by_time);
    }
    return order;
}

/* ---- programs that were cut off ---- */

typedef struct CostlyCutoff {
    const RunTask *task;
    const RunCutoff *cutoff;
} CostlyCutoff;

static int by_cost(const void *left, const void *right) {
    const CostlyCutoff *a = left, *b = right;
    if (a->cutoff->steps != b->cutoff->steps) {
        return a->cutoff->steps < b->cutoff->steps ? 1 : -1;
    }
    int order = strcmp(a->task->task->id, b->task->task->id);
    return order != 0 ? order : strcmp(a->cutoff->program->name, b->cutoff->program->name);
}

static void write_steps(Out *out, uint64_t steps) {
    static const char *const units[] = {"", " k", " M", " G", " T"};
    double n = (double)steps;
    unsigned unit = 0;
    for (; n >= 9999.5 && unit + 1 < sizeof units / sizeof *units; unit++) {
        n /= 1000;
    }
    out_fmt(out, "%.0f%s steps", n, units[unit]);
}

/* How many, and the costliest by name. */
static void write_cutoffs(Out *out, const RunReport *r) {
    enum { SHOWN = 5 };
    size_t n = 0, room = 0;
    for (size_t k = 0; k < r->data->n_tasks; k++) {
        room += r->results[k].n_cutoffs;
    }
    CostlyCutoff *all = mem_array(room, sizeof *all);
    for (size_t k = 0; all != NULL && k < r->data->n_tasks; k++) {
        for (size_t x = 0; x < r->results[k].n_cutoffs; x++) {
            all[n++] = (CostlyCutoff){&r->results[k], &r->results[k].cutoffs[x]};
        }
    }
    out->failed |= all == NULL;
    if (n > 0) {
        qsort(all, n, sizeof *all, by_cost);
        out_fmt(out, "cut off     %zu evaluation%s on %zu task%s after ", r->totals.cut_off,
                r->totals.cut_off == 1 ? "" : "s", r->totals.tasks_cut_off,
                r->totals.tasks_cut_off == 1 ? "" : "s");
        write_steps(out, r->totals.cut_off_steps);
        for (size_t k = 0; k < n && k < SHOWN; k++) {
            out_str(out, k > 0 ? ", " : "; costliest: ");
            out_printable(out, all[k].cutoff->program->name);
            out_fmt(out, " on %s ", all[k].task->task->id);
            write_steps(out, all[k].cutoff->steps);
        }
        out_char(out, '\n');
    }
    mem_free(all);
}

static void write_slowest(Out *out, const RunReport *r) {
    size_t n;
    const RunTask **order = slowest_first(r, &n);
    n = (size_t)r->options->slowest < n ? (size_t)r->options->slowest : n;
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

/* ---- why, in words ---- */

typedef struct Explainer { /* runs failed programs once more */
    Types *types;
    Ctx ctx;
    bool open;
} Explainer;

static bool explainer_open(Explainer *e) {
    Budget budget = BUDGET_DEFAULT;
    *e = (Explainer){.types = types_open()};
    e->open = e->types != NULL && prim_open(&e->ctx, MODE_CORE, false, &budget);
    return e->open;
}

static void explainer_close(Explainer *e) {
    if (e->open) {
        prim_close(&e->ctx);
    }
    types_close(e->types);
}

static void explain_sample(Out *out, Explainer *e, const RunTask *t, uint32_t sample) {
    const RunSample *s = &t->samples[sample];
    Val params[3], failed = val_fail((Reason)s->reason);
    failed.n = s->prim;
    failed.i = s->line;
    prim_bind(&e->ctx, (Mode)t->program->mode, false);
    ctx_reset(&e->ctx);
    run_parameters(&e->ctx, t->task, run_pair(t->task, sample), t->program->nparams, params);
    explain_program(out, e->types, &e->ctx, t->program, params, failed);
}

/* The first sample that failed for this cause. */
static bool find_cause(const RunReport *r, const RunCause *cause, const RunTask **task, uint32_t *sample) {
    for (size_t k = 0; k < r->n_done; k++) {
        *task = &r->results[k];
        for (*sample = 0; (*task)->samples != NULL && *sample < (*task)->n_samples; (*sample)++) {
            const RunSample *s = &(*task)->samples[*sample];
            if (s->verdict == SAMPLE_FAILED && s->reason == cause->reason && s->prim == cause->prim) {
                return true;
            }
        }
    }
    return false;
}

static void write_explanations(Out *out, const RunReport *r, const RunCause *causes, size_t n) {
    Explainer e;
    Out why;
    out_init(&why);
    for (size_t k = 0; k < n && (k > 0 || explainer_open(&e)); k++) {
        const RunTask *task;
        uint32_t sample;
        char what[96];
        out_clear(&why);
        if (r->options->safe || !find_cause(r, &causes[k], &task, &sample)) {
            continue;
        }
        explain_sample(&why, &e, task, sample);
        cause_text(&causes[k], what, sizeof what);
        if (why.len > 0) {
            out_fmt(out, "            %s", what);
            out_printable(out, why.data);
            out_fmt(out, " (%s, line %u)\n", task->task->id, task->samples[sample].line);
        }
    }
    if (n > 0) {
        explainer_close(&e);
    }
    out->failed |= why.failed;
    out_free(&why);
}

static void write_failures(Out *out, const RunReport *r) {
    RunCause causes[5];
    enum { SHOWN = sizeof causes / sizeof *causes };
    size_t n = run_causes(r->results, r->n_done, causes, SHOWN);
    for (size_t k = 0; k < n && k < SHOWN; k++) {
        char what[96];
        cause_text(&causes[k], what, sizeof what);
        out_fmt(out, "%s%zu x %s", k > 0 ? ", " : "failures    ", causes[k].samples, what);
    }
    if (n > SHOWN) {
        out_fmt(out, ", and %zu other causes", n - SHOWN);
    }
    out_str(out, n > 0 ? "\n" : "");
    write_explanations(out, r, causes, n < SHOWN ? n : SHOWN);
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
        out_fmt(out, " %sunaccounted %.1f %%%s", term_attr(style, ATTR_BAD), percent(wall - sum, wall),
                term_attr(style, ATTR_RESET));
    }
    out_str(out, "\nwall        ");
    write_duration(out, wall);
    out_char(out, '\n');
    device_text(out, r->backend);
    rank_summaries_text(out, &r->ranks);
}

unsigned run_group(const void *user, size_t task) {
    const RunReport *r = user;
    const RunTask *t = &r->results[task];
    bool known = t->task->n_test == 0; /* also where no program ran */
    for (int32_t x = 0; x < t->task->n_test; x++) {
        known |= t->task->test[x].has_output;
    }
    return (known ? GROUP_KNOWN : 0u) | (t->solved ? GROUP_SOLVED : 0u) |
           (t->samples != NULL && t->fits ? GROUP_FITS : 0u);
}

static void write_summary(Out *out, const TermStyle *style, RunReport *r) {
    const RunTotals *t = &r->totals;
    const char *bold = term_attr(style, ATTR_BOLD), *reset = term_attr(style, ATTR_RESET);
    if (r->n_done - t->cut < r->data->n_tasks) {
        out_fmt(out, "%sinterrupted%s after %zu of %zu tasks\n", term_attr(style, ATTR_WARN), reset,
                r->n_done - t->cut, r->data->n_tasks);
    }
    if (r->data->set->n_errors > 0) {
        out_fmt(out, "%srefused%s     %zu tasks or files, listed above\n", term_attr(style, ATTR_BAD), reset,
                r->data->set->n_errors);
    }
    if (t->outputs > 0 || t->tasks_solved > 0) {
        out_fmt(out, "%stasks       %zu of %zu solved (%.1f %%)%s", bold, t->tasks_solved, t->tasks,
                percent(t->tasks_solved, t->tasks), reset);
    } else {
        out_fmt(out, "%stasks       %zu of %zu answered by a program that fits all pairs%s", bold,
                t->answered, t->tasks, reset);
    }
    if (t->fits_only > 0) {
        out_fmt(out, ", %zu right on the training pairs only", t->fits_only);
    }
    if (t->answered > 0 && (t->outputs > 0 || t->tasks_solved > 0)) {
        out_fmt(out, ", %zu answered", t->answered);
    }
    size_t none = r->n_done - t->cut - t->no_memory - t->matched;
    if (none > 0) {
        out_fmt(out, ", %zu without a program", none);
    }
    if (t->no_memory > 0) {
        out_fmt(out, ", %s%zu not tried: out of memory%s", term_attr(style, ATTR_BAD), t->no_memory, reset);
    }
    out_char(out, '\n');
    if (t->outputs > 0) {
        out_fmt(out, "outputs     %zu of %zu right (%.1f %%)\n", t->outputs_right, t->outputs,
                percent(t->outputs_right, t->outputs));
        out_fmt(out, "mean share  %.1f %% of a task's outputs\n", 100 * t->mean_share);
    }
    out_fmt(out,
            "samples     %zu of %zu right, %zu wrong, %zu of the wrong size, %zu failed, %zu out of budget\n",
            t->samples_right, t->samples, t->wrong, t->wrong_size + t->not_grid, t->failed, t->over_budget);
    write_failures(out, r);
    write_cutoffs(out, r);
    run_rescored_text(out, r);
    write_slowest(out, r);
    write_phases(out, style, r);
    out_fmt(out, "data        %016" PRIx64 " (hash of the tasks)\n", r->data->hash);
    if (r->options->stats) {
        statistics_text(out, style, &r->statistics);
    }
}

static void write_differences(Out *out, const TermStyle *style, const RunReport *r) {
    for (size_t k = 0; k < r->n_done; k++) {
        const RunTask *t = &r->results[k];
        for (uint32_t x = 0; t->samples != NULL && !t->solved && x < t->n_samples; x++) {
            const TaskPair *pair = run_pair(t->task, x);
            const RunSample *s = &t->samples[x];
            if (s->verdict == SAMPLE_RIGHT || !pair->has_output) {
                continue;
            }
            char which[32], why[128] = "", label[TASK_MAX_ID + 200];
            task_pair_label(t->task, x, which, sizeof which);
            if (s->verdict == SAMPLE_FAILED || s->verdict == SAMPLE_OVER_BUDGET) {
                run_failure(t->program, s, why, sizeof why);
            }
            snprintf(label, sizeof label, "%s %s%s%s", t->task->id, which, why[0] ? "  " : "", why);
            draw_diff(out, style, label, &pair->in, &pair->out, &s->got);
            out_char(out, '\n');
        }
    }
}

/* ---- pictures of what was solved ---- */

/* How interesting a program is to look at: more than a call or two, but short enough to follow. */
static uint32_t interest(const RunTask *t) {
    enum { LONGEST = 8 };
    return t->program->nops <= LONGEST ? t->program->nops : 0;
}

static int by_interest(const void *left, const void *right) {
    const RunTask *a = *(const RunTask *const *)left, *b = *(const RunTask *const *)right;
    return interest(a) != interest(b) ? (interest(a) < interest(b) ? 1 : -1)
                                      : strcmp(a->task->id, b->task->id);
}

/* A training pair and a test, and the program that leads from left to right. */
static void write_picture(Out *out, const TermStyle *style, const RunTask *t) {
    TaskView view;
    if (!task_view_make(&view, &t->task, 1, false)) {
        out->failed = true;
        return;
    }
    DrawStrip strips[2] = {view.strips[0], view.strips[view.count - 1]};
    strips[1].note = "solved";
    strips[1].note_attr = ATTR_GOOD;
    out_fmt(out, "%s%s%s\n", term_attr(style, ATTR_NAME), t->task->id, term_attr(style, ATTR_RESET));
    draw_strips(out, style, strips, 2);
    out_fmt(out, "\n%s", term_attr(style, ATTR_DIM));
    print_program(out, t->program, NULL);
    out_fmt(out, "%s\n", term_attr(style, ATTR_RESET));
    task_view_free(&view);
}

static void write_pictures(Out *out, const TermStyle *style, const RunReport *r) {
    const RunTask **solved = mem_array(r->n_done, sizeof *solved);
    size_t n = 0, wanted = (size_t)r->options->show;
    if (solved == NULL) {
        out->failed = true;
        return;
    }
    for (size_t k = 0; wanted > 0 && k < r->n_done; k++) {
        if (r->results[k].solved && r->results[k].task->n_test > 0) {
            solved[n++] = &r->results[k];
        }
    }
    qsort(solved, n, sizeof *solved, by_interest);
    for (size_t k = 0; k < n && k < wanted; k++) {
        write_picture(out, style, solved[k]);
    }
    mem_free(solved);
}

/* ---- the gallery ---- */

static bool write_gallery(const Cli *cli, const RunReport *r) {
    Out out;
    Page page;
    char summary[200];
    out_init(&out);
    if (r->totals.outputs > 0) {
        snprintf(summary, sizeof summary, "%zu of %zu tasks solved, %zu of %zu outputs right",
                 r->totals.tasks_solved, r->totals.tasks, r->totals.outputs_right, r->totals.outputs);
    } else {
        snprintf(summary, sizeof summary, "%zu of %zu tasks have a program that fits all pairs",
                 r->totals.answered + r->totals.tasks_solved, r->totals.tasks);
    }
    gallery_begin(&page, &out, "batt run", summary, cli->style.palette);
    for (size_t k = 0; k < r->n_done; k++) {
        task_gallery(&page, &r->results[k], true);
    }
    gallery_end(&page);
    bool good = cli_save(cli, &out, r->options->gallery);
    out_free(&out);
    return good;
}

int run_report(Cli *cli, RunReport *r, bool submitted) {
    Out out;
    out_init(&out);
    bool good = r->options->gallery == NULL || write_gallery(cli, r);
    if (r->options->json) {
        run_json(&out, r);
    } else {
        const TermStyle *style = &cli->style;
        if (run_is_zero(r)) {
            char cause[768];
            run_likely_cause(r, cause, sizeof cause);
            out_fmt(&out, "%s%s0 %% SOLVED%s: ", term_attr(style, ATTR_BOLD), term_attr(style, ATTR_BAD),
                    term_attr(style, ATTR_RESET));
            out_printable(&out, cause);
            out_str(&out, "\n\n");
        }
        if (!r->options->quiet) {
            write_lines(&out, style, r);
        }
        if (r->options->diff) {
            write_differences(&out, style, r);
        }
        write_pictures(&out, style, r);
        groups_write(&out, style, r->data, run_group, r);
        write_summary(&out, style, r);
        if (r->options->gallery != NULL && good) {
            out_fmt(&out, "gallery     %s\n", r->options->gallery);
        }
        if (r->options->submission != NULL && submitted) {
            out_fmt(&out, "submission  %s\n", r->options->submission);
        }
        r->profile_code = profile_collect(r->recorder, &r->phases, r->ids, NULL, &out);
    }
    bool printed = cli_print(cli, &out);
    out_free(&out);
    return r->profile_code != EXIT_DONE ? r->profile_code : good && printed ? EXIT_DONE : EXIT_SHORT;
}
