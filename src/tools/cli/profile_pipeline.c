/* batt profile pipeline: what a full run costs step by step, what it would cost for more tasks, how many runs
 * fit into a budget, and what speeding up any row would bring. */
#include "tools/cli/cmd_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = PROFILE_STEPS, MAX_WHAT_IF = 32, EXECUTE = 2 };
static const char *const step_names[STEPS] = {"load", "generate", "execute", "validate"};

typedef struct Steps { /* nanoseconds of wall time of one run over the tasks of a sum */
    double ns[STEPS], total;
    const ProfSum *sum;
} Steps;

/* Loading and generating are counted in proportion to the tasks in the sum. */
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

static double sum_of(const double *ns) {
    double sum = 0;
    for (int k = 0; k < STEPS; k++) {
        sum += ns[k];
    }
    return sum;
}

/* If only one size was measured, loading and generating are assumed to be fixed costs. */
void profile_project(const ProfileView *v, const ProfSum *sum, double tasks, double ns[PROFILE_STEPS]) {
    const Profile *p = &v->profile;
    const ProfModel *m = &p->model;
    double n = sum->tasks > 0 ? sum->tasks : 1, share = tasks / n / p->workers;
    double scheduling = p->n_tasks > 0 ? fmax(p->work_ns[WORK_SCHEDULING], 0) / p->n_tasks * n : 0;
    ns[0] = m->known ? m->load_fixed + m->load_task * tasks
                     : p->phases_ns[PHASE_LOAD] + p->phases_ns[PHASE_PARSE];
    ns[1] = m->known ? m->generate_fixed + m->generate_task * tasks : p->phases_ns[PHASE_GENERATE];
    ns[2] = (sum->execute_ns + sum->setup_ns + scheduling) * share;
    ns[3] = sum->validate_ns * share;
}

/* ---- what if ---- */

typedef struct WhatIf {
    char name[64];
    double factor[2]; /* from, to */
    double ns;        /* of the row in a run, with everything in it */
} WhatIf;

/* Names of rows may be written with - for spaces. */
static bool same_name(const char *a, const char *b) {
    for (; *a != '\0' && (*a == *b || (*a == '-' && *b == ' ')); a++, b++) {
    }
    return *a == *b;
}

static double factor_of(const WhatIf *list, int n, const char *name, int end) {
    double factor = 1;
    for (int k = 0; k < n; k++) {
        factor *= same_name(list[k].name, name) ? list[k].factor[end] : 1;
    }
    return factor;
}

/* Time of one part of execution that contains no other, divided by its own factor, that of its category and
 * that of the step. */
static double part_ns(const WhatIf *list, int n, const char *name, const char *category, double ns, int end) {
    return ns / factor_of(list, n, name, end) / factor_of(list, n, category, end) /
           factor_of(list, n, step_names[EXECUTE], end);
}

/* Time of all parts of execution together. */
static double executed(const ProfileView *v, const ProfSum *sum, const WhatIf *list, int n, int end) {
    const char *engine = profile_engine_category();
    double ns = part_ns(list, n, "dispatch", engine, sum->dispatch_ns, end) +
                part_ns(list, n, "setup", engine, sum->setup_ns, end);
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const char *name = v->profile.names[sum->rows[k].name].name;
        ns += part_ns(list, n, name, profile_category(name), sum->rows[k].self_ns, end);
    }
    return ns;
}

/* The time of a run with the speedups applied, the smallest (end 0) or the largest (1) of each range. */
static double sped_up(const ProfileView *v, const ProfSum *sum, const WhatIf *list, int n, const double *ns,
                      int end) {
    double all = 0, plain = executed(v, sum, list, 0, end);
    for (int k = 0; k < STEPS; k++) {
        all += k != EXECUTE ? ns[k] / factor_of(list, n, step_names[k], end)
               : plain > 0  ? ns[k] * executed(v, sum, list, n, end) / plain
                            : 0;
    }
    return all;
}

/* What a row takes in a run: the time saved if it took none. */
static double row_ns(const ProfileView *v, const Steps *s, const WhatIf *row) {
    WhatIf gone = *row;
    gone.factor[0] = gone.factor[1] = INFINITY;
    return s->total - sped_up(v, s->sum, &gone, 1, s->ns, 0);
}

static bool known_row(const ProfileView *v, const ProfSum *sum, const char *name) {
    bool known =
        same_name(name, "dispatch") || same_name(name, "setup") || same_name(name, profile_engine_category());
    for (int k = 0; k < STEPS; k++) {
        known |= same_name(name, step_names[k]);
    }
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const char *row = v->profile.names[sum->rows[k].name].name;
        known |= same_name(name, row) || same_name(name, profile_category(row));
    }
    return known;
}

/* "4x", "4" or "3x-6x"; NULL: neither. */
static const char *parse_factors(const char *text, double factor[2]) {
    char *end = NULL;
    for (int k = 0; k < 2; k++) {
        factor[k] = strtod(text, &end);
        if (end == text || !(factor[k] > 0) || !isfinite(factor[k])) {
            return NULL;
        }
        end += *end == 'x';
        factor[1] = k == 0 ? factor[0] : factor[1];
        if (k == 0 && *end != '-') {
            break;
        }
        text = end + 1;
    }
    return (*end == ',' || *end == '\0') && factor[0] <= factor[1] ? end : NULL;
}

/* "objects=4x,generate=2x"; returns how many, or -1 after an error message. */
static int parse_what_if(const ProfileView *v, const Steps *s, WhatIf *list) {
    const char *text = v->opt->what_if;
    int n = 0;
    while (text != NULL && *text != '\0') {
        const char *equals = strchr(text, '='), *end = NULL;
        size_t length = equals != NULL ? (size_t)(equals - text) : 0;
        double factor[2];
        if (equals == NULL || length == 0 || length >= sizeof list->name ||
            (end = parse_factors(equals + 1, factor)) == NULL) {
            cli_error(v->cli, "--what-if: `%s` is not of the form objects=4x,generate=3x-6x", text);
            return -1;
        }
        if (n == MAX_WHAT_IF) {
            cli_error(v->cli, "--what-if: at most %d rows", MAX_WHAT_IF);
            return -1;
        }
        WhatIf *w = &list[n++];
        *w = (WhatIf){.factor = {factor[0], factor[1]}};
        memcpy(w->name, text, length);
        if (!known_row(v, s->sum, w->name)) {
            cli_error(v->cli, "--what-if: this profile has no row `%s`", w->name);
            return -1;
        }
        w->ns = row_ns(v, s, w);
        text = *end == ',' ? end + 1 : end;
    }
    return n;
}

/* A number, or two where a range was asked for. */
static const char *range(char text[80], const double *values, const char *(*format)(char *, double)) {
    char a[32], b[32];
    bool same = fabs(values[0] - values[1]) <= 1e-9 * fabs(values[0]);
    snprintf(text, 80, "%s%s%s", format(a, values[0]), same ? "" : " to ", same ? "" : format(b, values[1]));
    return text;
}
static const char *format_time_value(char *text, double ns) {
    return format_time_in(text, ns);
}
static const char *format_factor(char *text, double times) {
    snprintf(text, 32, "%.3g", times);
    return text;
}
static const char *format_count(char *text, double count) {
    snprintf(text, 32, "%.0f", count);
    return text;
}

/* ---- showing ---- */

static void write_steps(ProfileView *v, const Steps *s, const Steps *secondary) {
    const TermStyle *style = &v->cli->style;
    char text[32];
    Table t;
    table_init(&t);
    table_column(&t, "step", TABLE_LEFT);
    table_column(&t, "time", TABLE_RIGHT);
    table_column(&t, "share", TABLE_RIGHT);
    table_column(&t, "ms/task", TABLE_RIGHT);
    table_column(&t, "us/sample", TABLE_RIGHT);
    if (secondary != NULL) {
        table_column(&t, "without outliers", TABLE_RIGHT);
        table_column(&t, "ms/task", TABLE_RIGHT);
        table_column(&t, "us/sample", TABLE_RIGHT);
    }
    for (int k = 0; k <= STEPS; k++) {
        double ns = k < STEPS ? s->ns[k] : s->total;
        table_cell(&t, k < STEPS ? step_names[k] : "whole run");
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

static void write_budget(ProfileView *v, const Steps *s, const double *sizes, int n_sizes, const WhatIf *list,
                         int n) {
    double budget = (double)v->opt->budget;
    char a[80], b[80], c[32];
    for (int k = 0; k < (n_sizes > 0 ? n_sizes : 1); k++) {
        double tasks = n_sizes > 0 ? sizes[k] : s->sum->tasks, ns[STEPS], after[2], faster[2], runs[2];
        profile_project(v, s->sum, tasks, ns);
        double before = sum_of(ns);
        for (int end = 0; end < 2; end++) {
            after[end] = sped_up(v, s->sum, list, n, ns, end);
            faster[end] = after[end] > 0 ? before / after[end] : NAN;
            runs[end] = floor(budget / after[end]) - floor(budget / before);
        }
        out_fmt(&v->out, "%s%.0f tasks: %s per run", k ? "            " : "\nprojected   ", tasks,
                format_time_in(c, before));
        if (n > 0) {
            out_fmt(&v->out, ", %s with the speed-ups (%s times as fast)", range(a, after, format_time_value),
                    range(b, faster, format_factor));
        }
        if (v->opt->budget > 0 && before > 0) {
            out_fmt(&v->out, "; %.0f full runs in %s", floor(budget / before), format_time_in(c, budget));
            if (n > 0) {
                out_fmt(&v->out, ", %s more with them", range(a, runs, format_count));
            }
        }
        out_char(&v->out, '\n');
    }
    if (!v->profile.model.known) {
        out_str(&v->out,
                "            loading and generating are taken to be the same for any number of tasks: they "
                "were measured once\n");
    }
    for (int k = 0; k < n; k++) {
        double after[2];
        for (int end = 0; end < 2; end++) {
            after[end] = list[k].ns / list[k].factor[end];
        }
        out_fmt(&v->out, "what if     %s %s times as fast: %s of a run, all that is in it, becomes %s\n",
                list[k].name, range(b, list[k].factor, format_factor), format_time_in(c, list[k].ns),
                range(a, after, format_time_value));
    }
}

static void json_pipeline(ProfileView *v, const Steps *s, const Steps *secondary, const double *sizes,
                          int n_sizes, const WhatIf *list, int n) {
    Json json = json_on(&v->out, 1);
    const Steps *both[] = {s, secondary};
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
    json_kv_uint(&json, "tasks_solved", solved_tasks(&v->profile));
    json_kv_fixed(&json, "accuracy",
                  v->profile.n_tasks > 0 ? (double)solved_tasks(&v->profile) / v->profile.n_tasks : 0, 6);
    json_key(&json, "projection");
    json_begin_array(&json);
    for (int k = 0; k < (n_sizes > 0 ? n_sizes : 1); k++) {
        double tasks = n_sizes > 0 ? sizes[k] : s->sum->tasks, ns[STEPS], after[2];
        profile_project(v, s->sum, tasks, ns);
        double before = sum_of(ns) * 1e-9, budget = (double)v->opt->budget * 1e-9;
        for (int end = 0; end < 2; end++) {
            after[end] = sped_up(v, s->sum, list, n, ns, end) * 1e-9;
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
    WhatIf list[MAX_WHAT_IF];
    const ProfSum *other = profile_secondary(v);
    Steps s = steps_of(v, profile_main(v)), secondary = other != NULL ? steps_of(v, other) : s;
    int n_sizes = profile_parse_numbers(v->cli, "project", v->opt->project, sizes),
        n = parse_what_if(v, &s, list);
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
