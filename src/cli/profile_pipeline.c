/* batt profile pipeline: what a full run costs step by step, what it would cost for more tasks, how many runs
 * fit into a budget, and what a speed-up of any row would bring. */
#include "cli/cmd_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 4, MOST_WHAT_IF = 32 };
static const char *const step_names[STEPS] = {"load", "generate", "execute", "validate"};

typedef struct Steps { /* nanoseconds of wall time of one run over the tasks of a sum */
    double ns[STEPS], total;
    const ProfSum *sum;
} Steps;

/* Loading and generating are done once a run; they are taken to grow with the tasks, as the others do. */
static Steps steps_of(const ProfileView *v, const ProfSum *sum) {
    const Profile *p = &v->profile;
    double part = p->n_tasks > 0 ? (double)sum->tasks / p->n_tasks : 1;
    Steps s = {.ns = {(p->phases_ns[PHASE_LOAD] + p->phases_ns[PHASE_PARSE]) * part,
                      p->phases_ns[PHASE_GENERATE] * part, (sum->execute_ns + sum->setup_ns) / p->workers,
                      sum->validate_ns / p->workers},
               .sum = sum};
    for (int k = 0; k < STEPS; k++) {
        s.total += s.ns[k];
    }
    return s;
}

/* ---- what if ---- */

typedef struct WhatIf {
    char name[64];
    double factor, ns; /* of the row, in a run */
} WhatIf;

static double row_ns(const ProfileView *v, const Steps *s, const char *name) {
    for (int k = 0; k < STEPS; k++) {
        if (strcmp(name, step_names[k]) == 0) {
            return s->ns[k];
        }
    }
    if (strcmp(name, "dispatch") == 0) {
        return s->sum->dispatch_ns / v->profile.workers;
    }
    for (uint32_t k = 0; k < s->sum->n_rows; k++) {
        if (strcmp(v->profile.names[s->sum->rows[k].name].name, name) == 0) {
            return s->sum->rows[k].self_ns / v->profile.workers;
        }
    }
    return NAN;
}

/* "objects=4x,generate=2x"; returns how many, or -1 after an error message. */
static int parse_what_if(const ProfileView *v, const Steps *s, WhatIf *list) {
    const char *text = v->opt->what_if;
    int n = 0;
    while (text != NULL && *text != '\0') {
        const char *equals = strchr(text, '=');
        char *end = NULL;
        size_t length = equals != NULL ? (size_t)(equals - text) : 0;
        double factor = equals != NULL ? strtod(equals + 1, &end) : 0;
        if (equals == NULL || length == 0 || length >= sizeof list->name || !(factor > 0) ||
            !isfinite(factor) ||
            (*end == 'x' ? end[1] != ',' && end[1] != '\0' : *end != ',' && *end != '\0')) {
            cli_error(v->cli, "--what-if: `%s` is not of the form objects=4x,generate=2x", text);
            return -1;
        }
        if (n == MOST_WHAT_IF) {
            cli_error(v->cli, "--what-if: at most %d rows", MOST_WHAT_IF);
            return -1;
        }
        WhatIf *w = &list[n++];
        memcpy(w->name, text, length);
        w->name[length] = '\0';
        w->factor = factor;
        w->ns = row_ns(v, s, w->name);
        if (isnan(w->ns)) {
            cli_error(v->cli, "--what-if: this profile has no row `%s`", w->name);
            return -1;
        }
        end += *end == 'x';
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

static double sped_up(const WhatIf *list, int n, double total) {
    for (int k = 0; k < n; k++) {
        total -= list[k].ns * (1 - 1 / list[k].factor);
    }
    return fmax(total, 0);
}

/* ---- showing ---- */

static void write_steps(ProfileView *v, const Steps *s, const Steps *beside) {
    const TermStyle *style = &v->cli->style;
    char text[32];
    Table t;
    table_init(&t);
    table_column(&t, "step", TABLE_LEFT);
    table_column(&t, "time", TABLE_RIGHT);
    table_column(&t, "share", TABLE_RIGHT);
    table_column(&t, "ms/task", TABLE_RIGHT);
    table_column(&t, "us/sample", TABLE_RIGHT);
    if (beside != NULL) {
        table_column(&t, "without outliers", TABLE_RIGHT);
        table_column(&t, "ms/task", TABLE_RIGHT);
        table_column(&t, "us/sample", TABLE_RIGHT);
    }
    for (int k = 0; k <= STEPS; k++) {
        double ns = k < STEPS ? s->ns[k] : s->total;
        table_cell(&t, k < STEPS ? step_names[k] : "a run");
        table_cell(&t, words_time_in(text, ns));
        table_fmt(&t, "%.1f %%", s->total > 0 ? 100 * ns / s->total : 0);
        table_fmt(&t, "%.4f", s->sum->tasks > 0 ? ns * 1e-6 / s->sum->tasks : 0);
        table_fmt(&t, "%.3f", s->sum->evaluations > 0 ? ns * 1e-3 / s->sum->evaluations : 0);
        if (beside != NULL) {
            ns = k < STEPS ? beside->ns[k] : beside->total;
            table_cell(&t, words_time_in(text, ns));
            table_fmt(&t, "%.4f", beside->sum->tasks > 0 ? ns * 1e-6 / beside->sum->tasks : 0);
            table_fmt(&t, "%.3f", beside->sum->evaluations > 0 ? ns * 1e-3 / beside->sum->evaluations : 0);
        }
    }
    table_write(&t, &v->out, style->width, style->color != TERM_MONO);
    table_free(&t);
}

static void write_budget(ProfileView *v, const Steps *s, const double *sizes, int n_sizes, const WhatIf *list,
                         int n) {
    double budget = (double)v->opt->budget;
    char a[32], b[32];
    double own = s->sum->tasks;
    for (int k = 0; k < (n_sizes > 0 ? n_sizes : 1); k++) {
        double tasks = n_sizes > 0 ? sizes[k] : own, scale = own > 0 ? tasks / own : 0;
        double before = s->total * scale, after = sped_up(list, n, s->total) * scale;
        out_fmt(&v->out, "%s%.0f tasks: %s a run", k ? "            " : "\nprojected   ", tasks,
                words_time_in(a, before));
        if (n > 0) {
            out_fmt(&v->out, ", %s with the speed-ups (%.2f times as fast)", words_time_in(b, after),
                    after > 0 ? before / after : INFINITY);
        }
        if (v->opt->budget > 0 && before > 0) {
            out_fmt(&v->out, "; %.0f full runs in %s", floor(budget / before), words_time_in(a, budget));
            if (n > 0 && after > 0) {
                out_fmt(&v->out, ", %.0f more with them", floor(budget / after) - floor(budget / before));
            }
        }
        out_char(&v->out, '\n');
    }
    for (int k = 0; k < n; k++) {
        out_fmt(&v->out, "what if     %s %g times as fast: %s of a run becomes %s\n", list[k].name,
                list[k].factor, words_time_in(a, list[k].ns), words_time_in(b, list[k].ns / list[k].factor));
    }
}

static void json_pipeline(ProfileView *v, const Steps *s, const Steps *beside, const double *sizes,
                          int n_sizes, const WhatIf *list, int n) {
    Json json = json_on(&v->out, 1);
    const Steps *both[] = {s, beside};
    json_begin_object(&json);
    profile_json_common(&json, v, "pipeline");
    for (int x = 0; x < 2 && both[x] != NULL; x++) {
        json_key(&json, x ? "without_outliers" : "steps");
        json_begin_object(&json);
        for (int k = 0; k < STEPS; k++) {
            json_key(&json, step_names[k]);
            json_begin_object(&json);
            json_kv_fixed(&json, "s", both[x]->ns[k] * 1e-9, 9);
            json_kv_fixed(&json, "ms_a_task", both[x]->ns[k] * 1e-6 / both[x]->sum->tasks, 6);
            json_kv_fixed(&json, "us_a_sample", both[x]->ns[k] * 1e-3 / both[x]->sum->evaluations, 4);
            json_end_object(&json);
        }
        json_kv_fixed(&json, "run_s", both[x]->total * 1e-9, 9);
        json_end_object(&json);
    }
    json_key(&json, "projection");
    json_begin_array(&json);
    for (int k = 0; k < (n_sizes > 0 ? n_sizes : 1); k++) {
        double tasks = n_sizes > 0 ? sizes[k] : s->sum->tasks, scale = tasks / s->sum->tasks;
        double before = s->total * scale * 1e-9, after = sped_up(list, n, s->total) * scale * 1e-9;
        json_begin_object(&json);
        json_kv_double(&json, "tasks", tasks);
        json_kv_fixed(&json, "run_s", before, 9);
        if (n > 0) {
            json_kv_fixed(&json, "run_sped_up_s", after, 9);
        }
        if (v->opt->budget > 0 && before > 0) {
            json_kv_double(&json, "runs_in_budget", floor((double)v->opt->budget * 1e-9 / before));
            if (n > 0) {
                json_kv_double(&json, "runs_sped_up_in_budget", floor((double)v->opt->budget * 1e-9 / after));
            }
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(&v->out, '\n');
}

int profile_view_pipeline(ProfileView *v) {
    double sizes[WORDS_MOST_NUMBERS];
    WhatIf list[MOST_WHAT_IF];
    const ProfSum *other = profile_beside(v);
    Steps s = steps_of(v, profile_main(v)), beside = other != NULL ? steps_of(v, other) : s;
    int n_sizes = words_numbers(v->cli, "project", v->opt->project, sizes), n = parse_what_if(v, &s, list);
    if (n_sizes < 0 || n < 0) {
        return EXIT_BAD;
    }
    if (v->opt->json) {
        json_pipeline(v, &s, other != NULL ? &beside : NULL, sizes, n_sizes, list, n);
    } else {
        write_steps(v, &s, other != NULL ? &beside : NULL);
        if (n_sizes > 0 || n > 0 || v->opt->budget > 0) {
            write_budget(v, &s, sizes, n_sizes, list, n);
        }
        profile_write_common(v);
    }
    return profile_flush(v);
}
