/* batt profile pipeline: what a full run costs step by step, what it would cost for more tasks, how many runs
 * fit into a budget, and what speeding up any row would bring. */
#include "tools/cli/profile_what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = PROFILE_STEPS };

/* ---- showing ---- */

static void write_steps(ProfileView *v, const ProfileSteps *s, const ProfileSteps *secondary) {
    const TermStyle *style = &v->cli->style;
    char text[32];
    Table t;
    table_begin(&t, "step", ">time", ">share", ">ms/task", ">us/sample");
    if (secondary != NULL) {
        table_columns(&t, ">without outliers", ">ms/task", ">us/sample");
    }
    for (int k = 0; k <= STEPS; k++) {
        double ns = k < STEPS ? s->ns[k] : s->total;
        table_cell(&t, k < STEPS ? profile_step_names[k] : "whole run");
        table_cell(&t, format_time_in(text, ns));
        table_fmt(&t, "%.1f %%", s->total > 0 ? 100 * ns / s->total : 0);
        table_fmt(&t, "%.4f", s->sum->tasks > 0 ? ns * 1e-6 / s->sum->tasks : 0);
        table_fmt(&t, "%.3f", s->sum->evaluations > 0 ? ns * 1e-3 / s->sum->evaluations : 0);
        if (secondary != NULL) {
            ns = k < STEPS ? secondary->ns[k] : secondary->total;
            table_cell(&t, format_time_in(text, ns));
            table_fmt(&t, "%.4f", secondary->sum->tasks > 0 ? ns * 1e-6 / secondary->sum->tasks : 0);
            table_fmt(&t, "%.3f",
                      secondary->sum->evaluations > 0 ? ns * 1e-3 / secondary->sum->evaluations : 0);
        }
    }
    table_end(&t, &v->out, style);
}

/* How many tasks are solved. Those whose test outputs are not known count as not solved, as in batt run. */
static uint32_t solved_tasks(const Profile *p) {
    uint32_t solved = 0;
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        solved += p->tasks[k].solved;
    }
    return solved;
}

static void write_accuracy(ProfileView *v) {
    const Profile *p = &v->profile;
    uint32_t solved = solved_tasks(p);
    const char *bad = term_attr(&v->cli->style, ATTR_BAD), *reset = term_attr(&v->cli->style, ATTR_RESET);
    out_fmt(&v->out, "\naccuracy    %u of %u tasks solved, %.1f %%\n", solved, p->n_tasks,
            p->n_tasks > 0 ? 100.0 * solved / p->n_tasks : 0);
    if (solved == 0) {
        out_fmt(&v->out, "%s*** 0 %% ACCURACY: no program is right; these are times of wrong answers ***%s\n",
                bad, reset);
    }
}

static void write_budget(ProfileView *v, const ProfileSteps *s, const double *sizes, int n_sizes,
                         const WhatIf *list, int n) {
    double budget = (double)v->opt->budget;
    char a[80], b[80], c[32];
    for (int k = 0; k < (n_sizes > 0 ? n_sizes : 1); k++) {
        double tasks = n_sizes > 0 ? sizes[k] : s->sum->tasks, ns[STEPS], after[2], faster[2], runs[2];
        profile_project(v, s->sum, tasks, ns);
        double before = profile_steps_sum(ns);
        for (int end = 0; end < 2; end++) {
            after[end] = what_if_sped_up(v, s->sum, list, n, ns, end);
            faster[end] = after[end] > 0 ? before / after[end] : NAN;
            runs[end] = floor(budget / after[end]) - floor(budget / before);
        }
        out_fmt(&v->out, "%s%.0f tasks: %s per run", k ? "            " : "\nprojected   ", tasks,
                format_time_in(c, before));
        if (n > 0) {
            out_fmt(&v->out, ", %s with the speed-ups (%s times as fast)",
                    what_if_range(a, after, what_if_time), what_if_range(b, faster, what_if_factor));
        }
        if (v->opt->budget > 0 && before > 0) {
            out_fmt(&v->out, "; %.0f full runs in %s", floor(budget / before), format_time_in(c, budget));
            if (n > 0) {
                out_fmt(&v->out, ", %s more with them", what_if_range(a, runs, what_if_count));
            }
        }
        out_char(&v->out, '\n');
    }
    if (!v->profile.model.known) {
        out_str(&v->out, "            loading and generating were measured once and are assumed not to "
                         "depend on the number of tasks\n");
    }
    for (int k = 0; k < n; k++) {
        double after[2];
        for (int end = 0; end < 2; end++) {
            after[end] = list[k].ns / list[k].factor[end];
        }
        out_fmt(&v->out, "what if     %s %s times as fast: %s of a run, all that is in it, becomes %s\n",
                list[k].name, what_if_range(b, list[k].factor, what_if_factor), format_time_in(c, list[k].ns),
                what_if_range(a, after, what_if_time));
    }
}

static void json_pipeline(ProfileView *v, const ProfileSteps *s, const ProfileSteps *secondary,
                          const double *sizes, int n_sizes, const WhatIf *list, int n) {
    Json json = json_on(&v->out, 1);
    const ProfileSteps *both[] = {s, secondary};
    json_begin_report(&json, "batt.profile.pipeline/1");
    profile_json_common(&json, v, "pipeline");
    for (int x = 0; x < 2 && both[x] != NULL; x++) {
        json_key(&json, x ? "without_outliers" : "steps");
        json_begin_object(&json);
        for (int k = 0; k < STEPS; k++) {
            json_key(&json, profile_step_names[k]);
            json_begin_object(&json);
            json_kv_fixed(&json, "s", both[x]->ns[k] * 1e-9, 9);
            json_kv_fixed(&json, "ms_a_task", both[x]->ns[k] * 1e-6 / both[x]->sum->tasks, 6);
            json_kv_fixed(&json, "us_a_sample", both[x]->ns[k] * 1e-3 / both[x]->sum->evaluations, 4);
            json_end_object(&json);
        }
        json_kv_fixed(&json, "run_s", both[x]->total * 1e-9, 9);
        json_end_object(&json);
    }
    json_kv_uint(&json, "tasks_solved", solved_tasks(&v->profile));
    json_kv_fixed(&json, "accuracy",
                  v->profile.n_tasks > 0 ? (double)solved_tasks(&v->profile) / v->profile.n_tasks : 0, 6);
    json_key(&json, "projection");
    json_begin_array(&json);
    for (int k = 0; k < (n_sizes > 0 ? n_sizes : 1); k++) {
        double tasks = n_sizes > 0 ? sizes[k] : s->sum->tasks, ns[STEPS], after[2];
        profile_project(v, s->sum, tasks, ns);
        double before = profile_steps_sum(ns) * 1e-9, budget = (double)v->opt->budget * 1e-9;
        for (int end = 0; end < 2; end++) {
            after[end] = what_if_sped_up(v, s->sum, list, n, ns, end) * 1e-9;
        }
        json_begin_object(&json);
        json_kv_double(&json, "tasks", tasks);
        json_kv_fixed(&json, "run_s", before, 9);
        if (n > 0) {
            json_kv_fixed(&json, "run_sped_up_s", after[0], 9);
            json_kv_fixed(&json, "run_sped_up_max_s", after[1], 9);
        }
        if (v->opt->budget > 0 && before > 0) {
            json_kv_double(&json, "runs_in_budget", floor(budget / before));
            if (n > 0) {
                json_kv_double(&json, "runs_sped_up_in_budget", floor(budget / after[0]));
                json_kv_double(&json, "runs_sped_up_max_in_budget", floor(budget / after[1]));
            }
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(&v->out, '\n');
}

int profile_view_pipeline(ProfileView *v) {
    double sizes[PROFILE_MAX_NUMBERS];
    WhatIf list[WHAT_IF_MAX];
    const ProfSum *other = profile_secondary(v);
    ProfileSteps s = profile_steps_of(v, profile_main(v)),
                 secondary = other != NULL ? profile_steps_of(v, other) : s;
    int n_sizes = profile_parse_numbers(v->cli, "project", v->opt->project, sizes),
        n = what_if_parse(v, &s, v->opt->what_if, list);
    if (n_sizes < 0 || n < 0) {
        return EXIT_BAD;
    }
    if (v->opt->json) {
        json_pipeline(v, &s, other != NULL ? &secondary : NULL, sizes, n_sizes, list, n);
    } else {
        write_steps(v, &s, other != NULL ? &secondary : NULL);
        write_accuracy(v);
        if (n_sizes > 0 || n > 0 || v->opt->budget > 0) {
            write_budget(v, &s, sizes, n_sizes, list, n);
        }
        profile_write_common(v);
    }
    int code = profile_flush(v);
    return code == EXIT_DONE && solved_tasks(&v->profile) == 0 ? EXIT_SHORT : code;
}
