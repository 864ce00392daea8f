/* batt profile dsl and batch: tables of primitives, of one task or summed up over many. */
#include "base/alloc.h"
#include "tools/cli/cmd_profile.h"
#include "tools/profiler/advice.h"
#include "tools/profiler/quantiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

enum { SORT_SELF, SORT_TOTAL, SORT_CALLS, SORT_PER_CALL, SORT_NAME };

typedef struct Sorted {
    const ProfSumRow *row;
    const char *name;
    double key;
} Sorted;

static int by_key(const void *left, const void *right) {
    const Sorted *a = left, *b = right;
    return a->key != b->key ? (a->key < b->key ? 1 : -1) : strcmp(a->name, b->name);
}

/* Rows in the order asked for; NULL: no memory. */
static Sorted *sorted_rows(const ProfileView *v, const ProfSum *sum) {
    Sorted *rows = mem_array((size_t)sum->n_rows + 1, sizeof *rows);
    for (uint32_t k = 0; rows != NULL && k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        double keys[] = {r->self_ns, r->total_ns, (double)r->calls, r->total_ns / (double)r->calls, 0};
        rows[k] = (Sorted){r, v->profile.names[r->name].name, keys[v->opt->sort]};
    }
    if (rows != NULL) {
        qsort(rows, sum->n_rows, sizeof *rows, by_key);
    }
    return rows;
}

static const ProfSumRow *row_of(const ProfSum *sum, uint32_t name) {
    for (uint32_t k = 0; sum != NULL && k < sum->n_rows; k++) {
        if (sum->rows[k].name == name) {
            return &sum->rows[k];
        }
    }
    return NULL;
}

static double share_of(const ProfSum *sum, double ns) {
    return sum->execute_ns > 0 ? ns / sum->execute_ns : 0;
}

/* ---- tables ---- */

static void cell_time(Table *table, double ns) {
    char text[32];
    table_cell(table, format_time_in(text, ns));
}

/* The priority if the whole interval agrees on one, otherwise those of its ends. */
static void cell_priority(Table *table, const TermStyle *style, const ProfSumRow *row) {
    char text[48];
    const char *low = format_priority(row->low), *high = format_priority(row->high);
    if (low == high) {
        snprintf(text, sizeof text, "%s", low);
    } else {
        snprintf(text, sizeof text, "%s or %s?", low[0] != '\0' ? low : "none", high);
    }
    table_colored(table, term_attr(style, low == high ? format_priority_attr(row->high) : ATTR_DIM), text);
}

static bool write_rows(ProfileView *v, bool batch) {
    const ProfSum *sum = profile_main(v), *secondary = profile_secondary(v);
    const TermStyle *style = &v->cli->style;
    Sorted *rows = sorted_rows(v, sum);
    Table t;
    bool unstable = false;
    if (rows == NULL) {
        return false;
    }
    table_begin(&t, "primitive", ">calls", ">failed", ">total", ">self", ">per call");
    if (batch) {
        table_columns(&t, ">per task", ">median", ">p90", ">p99", ">max");
    }
    table_columns(&t, ">share", ">from to");
    if (secondary != NULL) {
        table_columns(&t, ">without");
    }
    table_columns(&t, ">spread", "priority");
    uint32_t shown = v->opt->top > 0 && v->opt->top < sum->n_rows ? (uint32_t)v->opt->top : sum->n_rows;
    double rest = 0;
    for (uint32_t k = shown; k < sum->n_rows; k++) {
        rest += rows[k].row->self_ns;
    }
    for (uint32_t k = 0; k < shown; k++) {
        const ProfSumRow *r = rows[k].row, *other = row_of(secondary, r->name);
        double share = share_of(sum, r->self_ns);
        unstable |= profile_is_unstable(r->spread) && share >= 0.01;
        table_cell(&t, rows[k].name);
        table_fmt(&t, "%" PRIu64, r->calls);
        if (r->fails > 0) {
            table_fmt(&t, "%" PRIu64, r->fails);
        } else {
            table_cell(&t, "");
        }
        cell_time(&t, r->total_ns);
        cell_time(&t, r->self_ns);
        cell_time(&t, r->total_ns / (double)r->calls);
        if (batch) {
            cell_time(&t, sum->tasks > 0 ? r->self_ns / sum->tasks : 0);
            cell_time(&t, r->median_ns);
            cell_time(&t, r->p90_ns);
            cell_time(&t, r->p99_ns);
            cell_time(&t, r->max_ns);
        }
        table_fmt(&t, "%.1f %%", 100 * share);
        table_fmt(&t, "%.1f %.1f", 100 * r->low, 100 * r->high);
        if (secondary != NULL) {
            table_fmt(&t, "%.1f %%", other != NULL ? 100 * share_of(secondary, other->self_ns) : 0.0);
        }
        if (isfinite(r->spread)) {
            table_fmt(&t, "%.1f %%", 100 * r->spread);
        } else {
            table_cell(&t, "-");
        }
        cell_priority(&t, style, r);
    }
    table_end(&t, &v->out, style);
    mem_free(rows);
    if (shown < sum->n_rows) {
        out_fmt(&v->out, "and %u more primitives with ", sum->n_rows - shown);
        format_time(&v->out, rest);
        out_fmt(&v->out, " (%.1f %%); --top 0 shows all\n", 100 * share_of(sum, rest));
    }
    out_str(&v->out, "dispatch: ");
    format_time(&v->out, sum->dispatch_ns);
    out_fmt(&v->out, " (%.1f %%), the engine between primitives", 100 * share_of(sum, sum->dispatch_ns));
    if (secondary != NULL) {
        out_fmt(&v->out, "; without outliers %.1f %%", 100 * share_of(secondary, secondary->dispatch_ns));
    }
    out_str(&v->out, unstable ? "\nunstable: repeats of some rows spread by more than 10 %\n" : "\n");
    out_str(&v->out, "from, to: 90 % interval of the share; a priority holds for the whole interval\n");
    return true;
}

static bool write_outliers(ProfileView *v) {
    const Profile *p = &v->profile;
    if (v->outliers == 0) {
        return true;
    }
    out_fmt(&v->out, "\n%u outliers (%s; K = %.1f)\n", v->outliers, outliers_method, v->opt->outlier_k);
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        const ProfTask *task = &p->tasks[k];
        if (!task->outlier) {
            continue;
        }
        out_str(&v->out, "  ");
        out_printable(&v->out, task->id);
        out_str(&v->out, "  ");
        format_time(&v->out, task_execute_ns(p, task));
        if (task->over_budget > 0) {
            out_fmt(&v->out, ", %u of %u evaluations out of %s", task->over_budget, task->evaluations,
                    task->reason);
        } else {
            out_fmt(&v->out, ", %.1f deviations", task->deviations);
        }
        double last = INFINITY; /* for its three largest rows */
        for (int n = 0; n < 3; n++) {
            const ProfRow *best = NULL;
            for (uint32_t r = 0; r < task->n_rows; r++) {
                double self = stats_mean(task->rows[r].self_ns, p->repeats);
                if (self < last && (best == NULL || self > stats_mean(best->self_ns, p->repeats))) {
                    best = &task->rows[r];
                }
            }
            last = best != NULL ? stats_mean(best->self_ns, p->repeats) : 0;
            if (best == NULL || last < 0.005 * task_execute_ns(p, task)) {
                break;
            }
            out_fmt(&v->out, "%s %s %.0f %%", n ? "," : "; spent on", p->names[best->name].name,
                    100 * last / task_execute_ns(p, task));
        }
        out_char(&v->out, '\n');
    }
    return true;
}

/* Tasks by time, slowest first; NULL: no memory. */
static const ProfTask **slowest_first(const ProfileView *v, uint32_t *count) {
    const Profile *p = &v->profile;
    const ProfTask **order = mem_array((size_t)p->n_tasks + 1, sizeof *order);
    *count = 0;
    for (uint32_t k = 0; order != NULL && k < p->n_tasks; k++) {
        if (v->opt->filter_outliers && p->tasks[k].outlier) {
            continue;
        }
        uint32_t at = (*count)++;
        for (; at > 0 && task_execute_ns(p, order[at - 1]) < task_execute_ns(p, &p->tasks[k]) && at > 0;
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = &p->tasks[k];
        *count = *count > 10 ? 10 : *count; /* only the first ten are asked for */
    }
    return order;
}

static bool write_slowest(ProfileView *v) {
    uint32_t n;
    const ProfTask **order = slowest_first(v, &n);
    if (order == NULL) {
        return false;
    }
    out_str(&v->out, "\nslowest     ");
    for (uint32_t k = 0; k < n; k++) {
        out_str(&v->out, k ? ", " : "");
        out_printable(&v->out, order[k]->id);
        out_char(&v->out, ' ');
        format_time(&v->out, task_execute_ns(&v->profile, order[k]));
    }
    out_char(&v->out, '\n');
    mem_free(order);
    return true;
}

/* The rows that matter: what speeding them up would bring, and how much work that is. */
static void write_impact(ProfileView *v, const Advice *advice, uint32_t n) {
    const TermStyle *style = &v->cli->style;
    Table t;
    table_begin(&t, "impact and effort", ">share", ">2x gives", ">10x gives", ">at most", "effort", "");
    for (uint32_t k = 0; k < n; k++) {
        const char *why;
        AdviceEffort effort = advice_effort(&advice[k], &why);
        table_cell(&t, v->profile.names[advice[k].name].name);
        table_fmt(&t, "%.1f %%", 100 * advice[k].share);
        table_fmt(&t, "%.2f", advice_impact(&advice[k], 2));
        table_fmt(&t, "%.2f", advice_impact(&advice[k], 10));
        table_fmt(&t, "%.2f", advice_impact(&advice[k], INFINITY));
        table_cell(&t, advice_efforts[effort]);
        table_cell(&t, why);
    }
    out_char(&v->out, '\n');
    table_end(&t, &v->out, style);
}

/* What the battery took by levels, after the passes, by the clock; nothing if no device had a part in it. */
static void write_levels(ProfileView *v) {
    static const struct {
        ProfWork work;
        const char *name;
    } rows[] = {{WORK_BUILD, "compiling kernels"},
                {WORK_DEVICE_TRANSFER, "transfers"},
                {WORK_DEVICE_KERNEL, "kernels running"},
                {WORK_DEVICE_WAIT, "the host's part"}};
    const double *work = v->profile.work_ns;
    Table t;
    if (work[WORK_DEVICE_KERNEL] <= 0) {
        return;
    }
    table_begin(&t, "battery on devices", ">time");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        table_cell(&t, rows[k].name);
        cell_time(&t, work[rows[k].work]);
    }
    out_char(&v->out, '\n');
    table_end(&t, &v->out, &v->cli->style);
    if (v->backend != NULL) { /* else a saved profile */
        device_text(&v->out, v->backend);
    }
}

static void write_advice(ProfileView *v) {
    Advice advice[ADVICE_MAX];
    const ProfSum *sum = profile_main(v);
    uint32_t n = advice_make(&v->profile, sum, advice);
    advice_measure(&v->profile, advice, n, v->backend);
    if (n > 0) {
        write_impact(v, advice, n);
        out_str(&v->out, "\nacceleration (rows of at least 5 %)\n");
    }
    for (uint32_t k = 0; k < n; k++) {
        char text[800];
        advice_text(&v->profile, &advice[k], text, sizeof text);
        out_fmt(&v->out, "  %s\n", text);
    }
}

/* One line per figure of the whole, with and without outliers. */
static void write_figures(ProfileView *v) {
    const ProfSum *sums[] = {profile_main(v), profile_secondary(v)};
    static const char *const names[] = {"tasks", "evaluations", "calls",    "failed calls",
                                        "time",  "per call",    "per task", "median task",
                                        "p90",   "p99",         "slowest",  "spread"};
    const TermStyle *style = &v->cli->style;
    Table t;
    table_begin(&t, "");
    table_column(&t, v->opt->filter_outliers ? "without outliers" : "all tasks", TABLE_RIGHT);
    if (sums[1] != NULL) {
        table_columns(&t, ">without outliers");
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        table_cell(&t, names[k]);
        for (int x = 0; x < 2 && sums[x] != NULL; x++) {
            const ProfSum *s = sums[x];
            double times[] = {0,
                              0,
                              0,
                              0,
                              s->execute_ns,
                              s->calls > 0 ? s->execute_ns / (double)s->calls : NAN,
                              s->tasks > 0 ? s->execute_ns / s->tasks : NAN,
                              s->task_median_ns,
                              s->task_p90_ns,
                              s->task_p99_ns,
                              s->task_max_ns};
            uint64_t counts[] = {s->tasks, s->evaluations, s->calls, s->fails};
            if (k < 4) {
                table_fmt(&t, "%" PRIu64, counts[k]);
            } else if (k < 11) {
                cell_time(&t, times[k]);
            } else if (isfinite(s->spread)) {
                table_fmt(&t, "%.1f %%%s", 100 * s->spread,
                          profile_is_unstable(s->spread) ? " unstable" : "");
            } else {
                table_cell(&t, "one repeat");
            }
        }
    }
    table_end(&t, &v->out, style);
    out_char(&v->out, '\n');
}

/* Time of a run over `tasks` tasks, from loading to judging. */
static double projected_ns(const ProfileView *v, const ProfSum *sum, double tasks) {
    double ns[PROFILE_STEPS], all = 0;
    profile_project(v, sum, tasks, ns);
    for (int k = 0; k < PROFILE_STEPS; k++) {
        all += ns[k];
    }
    return all;
}

static bool write_projection(ProfileView *v) {
    double numbers[PROFILE_MAX_NUMBERS];
    int n = profile_parse_numbers(v->cli, "project", v->opt->project, numbers);
    const ProfSum *sums[] = {profile_main(v), profile_secondary(v)};
    for (int k = 0; k < n; k++) {
        out_fmt(&v->out, "%s%.0f tasks ", k ? "            " : "\nprojected   ", numbers[k]);
        for (int x = 0; x < 2 && sums[x] != NULL && sums[x]->tasks > 0; x++) {
            out_str(&v->out, x ? "; without outliers " : "");
            format_time(&v->out, projected_ns(v, sums[x], numbers[k]));
        }
        out_str(&v->out, "\n");
    }
    return n >= 0;
}

/* ---- scripts ---- */

static void json_rows(Json *json, const ProfileView *v, const ProfSum *sum) {
    json_kv_uint(json, "tasks", sum->tasks);
    json_kv_uint(json, "evaluations", sum->evaluations);
    json_kv_uint(json, "calls", sum->calls);
    json_kv_uint(json, "fails", sum->fails);
    json_kv_fixed(json, "execute_s", sum->execute_ns * 1e-9, 9);
    json_kv_fixed(json, "validate_s", sum->validate_ns * 1e-9, 9);
    json_kv_fixed(json, "primitives_s", sum->primitives_ns * 1e-9, 9);
    json_kv_fixed(json, "engine_s", sum->engine_ns * 1e-9, 9);
    json_kv_fixed(json, "dispatch_s", sum->dispatch_ns * 1e-9, 9);
    json_kv_double(json, "spread", sum->spread);
    json_kv_fixed(json, "mean_task_us", sum->tasks > 0 ? sum->execute_ns / sum->tasks * 1e-3 : NAN, 3);
    json_kv_fixed(json, "median_task_us", sum->task_median_ns * 1e-3, 3);
    json_kv_fixed(json, "p90_task_us", sum->task_p90_ns * 1e-3, 3);
    json_kv_fixed(json, "p99_task_us", sum->task_p99_ns * 1e-3, 3);
    json_kv_fixed(json, "max_task_us", sum->task_max_ns * 1e-3, 3);
    json_key(json, "rows");
    json_begin_array(json);
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        double share = share_of(sum, r->self_ns);
        json_begin_object(json);
        json_kv_string(json, "name", v->profile.names[r->name].name);
        json_kv_string(json, "family", v->profile.names[r->name].family);
        json_kv_uint(json, "calls", r->calls);
        json_kv_uint(json, "fails", r->fails);
        json_kv_fixed(json, "total_us", r->total_ns * 1e-3, 3);
        json_kv_fixed(json, "self_us", r->self_ns * 1e-3, 3);
        json_kv_fixed(json, "per_call_us", r->total_ns / (double)r->calls * 1e-3, 4);
        json_kv_fixed(json, "share", share, 6);
        json_kv_uint(json, "tasks", r->tasks);
        json_kv_fixed(json, "median_us", r->median_ns * 1e-3, 3);
        json_kv_fixed(json, "p90_us", r->p90_ns * 1e-3, 3);
        json_kv_fixed(json, "p99_us", r->p99_ns * 1e-3, 3);
        json_kv_fixed(json, "max_us", r->max_ns * 1e-3, 3);
        json_kv_double(json, "spread", r->spread);
        json_kv_bool(json, "unstable", profile_is_unstable(r->spread));
        json_kv_fixed(json, "share_low", r->low, 6);
        json_kv_fixed(json, "share_high", r->high, 6);
        json_kv_string(json, "priority", format_priority_of(r));
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_outliers(Json *json, const ProfileView *v) {
    const Profile *p = &v->profile;
    json_kv_string(json, "outlier_method", outliers_method);
    json_kv_double(json, "outlier_k", v->opt->outlier_k);
    json_key(json, "outliers");
    json_begin_array(json);
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        const ProfTask *task = &p->tasks[k];
        if (!task->outlier) {
            continue;
        }
        json_begin_object(json);
        json_kv_string(json, "id", task->id);
        json_kv_fixed(json, "execute_us", task_execute_ns(p, task) * 1e-3, 3);
        json_kv_uint(json, "over_budget", task->over_budget);
        json_kv_string(json, "reason", task->reason);
        json_kv_fixed(json, "deviations", task->deviations, 3);
        json_key(json, "rows");
        json_begin_object(json);
        for (uint32_t r = 0; r < task->n_rows; r++) {
            json_kv_fixed(json, p->names[task->rows[r].name].name,
                          stats_mean(task->rows[r].self_ns, p->repeats) / task_execute_ns(p, task), 6);
        }
        json_end_object(json);
        json_end_object(json);
    }
    json_end_array(json);
}

static bool json_batch(ProfileView *v, const char *name) {
    Json json = json_on(&v->out, 1);
    double numbers[PROFILE_MAX_NUMBERS];
    int n = profile_parse_numbers(v->cli, "project", v->opt->project, numbers);
    uint32_t slow;
    const ProfTask **order = slowest_first(v, &slow);
    if (n < 0 || order == NULL) {
        mem_free(order);
        return false;
    }
    json_begin_report(&json, "batt.profile/1");
    profile_json_common(&json, v, name);
    if (v->backend != NULL) {
        device_json(&json, v->backend);
    }
    json_key(&json, v->opt->filter_outliers ? "without_outliers" : "all");
    json_begin_object(&json);
    json_rows(&json, v, profile_main(v));
    json_end_object(&json);
    if (!v->opt->filter_outliers) {
        json_key(&json, "without_outliers");
        json_begin_object(&json);
        json_rows(&json, v, &v->kept);
        json_end_object(&json);
    }
    json_outliers(&json, v);
    json_key(&json, "slowest");
    json_begin_array(&json);
    for (uint32_t k = 0; k < slow; k++) {
        json_begin_object(&json);
        json_kv_string(&json, "id", order[k]->id);
        json_kv_fixed(&json, "execute_us", task_execute_ns(&v->profile, order[k]) * 1e-3, 3);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_key(&json, "projection");
    json_begin_array(&json);
    for (int k = 0; k < n; k++) {
        const ProfSum *s = profile_main(v);
        json_begin_object(&json);
        json_kv_double(&json, "tasks", numbers[k]);
        json_kv_fixed(&json, "seconds", s->tasks > 0 ? projected_ns(v, s, numbers[k]) * 1e-9 : NAN, 6);
        json_end_object(&json);
    }
    json_end_array(&json);
    Advice advice[ADVICE_MAX];
    uint32_t advices = advice_make(&v->profile, profile_main(v), advice);
    advice_measure(&v->profile, advice, advices, v->backend);
    advice_json(&json, &v->profile, advice, advices);
    bool good = profile_impact_json(&json, v);
    json_end_object(&json);
    out_char(&v->out, '\n');
    mem_free(order);
    return good;
}

/* ---- the views ---- */

int profile_view_dsl(ProfileView *v) {
    if (v->opt->json) {
        return json_batch(v, "dsl") ? profile_flush(v) : EXIT_BAD;
    }
    const ProfSum *sum = profile_main(v);
    if (v->profile.n_tasks == 1) {
        out_printable(&v->out, v->profile.tasks[0].id);
    } else {
        out_fmt(&v->out, "%u tasks", sum->tasks);
    }
    out_fmt(&v->out, ": %u evaluations in ", sum->evaluations);
    format_time(&v->out, sum->execute_ns);
    out_fmt(&v->out, ", %" PRIu64 " calls%s\n\n", sum->calls,
            v->profile.n_tasks == 1 ? (v->profile.tasks[0].solved ? ", solved" : ", not solved") : "");
    if (!write_rows(v, false)) {
        return cli_error(v->cli, MEM_NONE);
    }
    write_outliers(v);
    write_levels(v);
    write_advice(v);
    profile_write_common(v);
    return profile_flush(v);
}

int profile_view_batch(ProfileView *v) {
    if (v->opt->json) {
        return json_batch(v, "batch") ? profile_flush(v) : EXIT_BAD;
    }
    write_figures(v);
    if (!write_rows(v, true) || !write_outliers(v) || !write_slowest(v)) {
        return cli_error(v->cli, MEM_NONE);
    }
    if (!write_projection(v)) {
        return EXIT_BAD;
    }
    write_levels(v);
    write_advice(v);
    if (!profile_impact_text(v)) {
        return EXIT_BAD;
    }
    profile_write_common(v);
    return profile_flush(v);
}
