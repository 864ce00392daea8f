/* Sums a profile up, with or without its outliers; see profile.h. */
#include "base/alloc.h"
#include "base/check.h"
#include "tools/profiler/profile.h"
#include "tools/profiler/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char outliers_method[] =
    "ran out of budget, or took more than 100 us and 5 times the median, and the logarithm of its time lies "
    "more than K robust standard deviations (1.4826 times the median absolute deviation) above the median";

double task_execute_ns(const Profile *p, const ProfTask *task) {
    return stats_mean(task->execute_ns, p->repeats);
}

/* Times of tasks spread over orders of magnitude, so distance is measured on their logarithms. */
uint32_t outliers_mark(Profile *p, double deviations) {
    double *logs = mem_array(2 * (size_t)p->n_tasks + 1, sizeof *logs), median = NAN, unit = 0;
    uint32_t count = 0, n = 0;
    for (uint32_t k = 0; logs != NULL && k < p->n_tasks; k++) {
        if (task_execute_ns(p, &p->tasks[k]) > 0) {
            logs[n++] = log(task_execute_ns(p, &p->tasks[k]));
        }
    }
    if (n > 0) {
        stats_sort(logs, n);
        median = stats_quantile(logs, n, 0.5);
        unit = 1.4826 * stats_mad(logs, n, logs + n);
    }
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        ProfTask *task = &p->tasks[k];
        double ns = task_execute_ns(p, task);
        task->deviations = ns > 0 && unit > 0 ? (log(ns) - median) / unit : 0;
        task->outlier =
            task->over_budget > 0 || (task->deviations > deviations && ns > 1e5 && log(ns) > median + log(5));
        count += task->outlier;
    }
    mem_free(logs);
    return count;
}

static bool passes(const ProfTask *task, ProfFilter filter) {
    return filter == FILTER_ALL || task->outlier == (filter == FILTER_ONLY);
}

void profile_repeats(const Profile *p, ProfFilter filter, uint32_t name, double *out) {
    memset(out, 0, p->repeats * sizeof *out);
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        const ProfTask *task = &p->tasks[k];
        for (uint32_t r = 0; passes(task, filter) && r < task->n_rows; r++) {
            for (uint32_t x = 0; task->rows[r].name == name && x < p->repeats; x++) {
                out[x] += task->weight * task->rows[r].self_ns[x];
            }
        }
    }
}

uint32_t profile_by_run(const Profile *p, const double *by_repeat, double *by_run) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < p->n_runs; k++) {
        ASSERT(at + p->run_repeats[k] <= p->repeats, "run %u of %u has too many repeats", k, p->n_runs);
        by_run[k] = stats_mean(by_repeat + at, p->run_repeats[k]);
        at += p->run_repeats[k];
    }
    return p->n_runs;
}

/* The interval in which a row's share lies nine times in ten: from the spread of repeats (of runs, if there
 * are several) and the uncertainty about the cost of timestamps, which all repeats share. */
static void find_interval(const Profile *p, const ProfSum *sum, ProfSumRow *row, double uncertain_ns,
                          const double *self, double *scratch) {
    enum { RUNS = 3 };
    double *shares = scratch, *by_run = scratch + p->repeats, share = row->self_ns / sum->execute_ns, error;
    for (uint32_t x = 0; x < p->repeats; x++) {
        shares[x] = sum->repeat_ns[x] > 0 ? self[x] / sum->repeat_ns[x] : 0;
    }
    uint32_t runs = profile_by_run(p, shares, by_run), n = runs >= RUNS ? runs : p->repeats;
    const double *values = runs >= RUNS ? by_run : shares;
    error = n > 1 ? stats_errors(0.9, n) * stats_deviation(values, n) / sqrt(n) : 0.15 * share;
    error += uncertain_ns / sum->execute_ns;
    row->low = fmax(share - error, 0);
    row->high = fmin(share + error, 1);
}

static int by_self(const void *left, const void *right) {
    const ProfSumRow *a = left, *b = right;
    if (a->self_ns != b->self_ns) {
        return a->self_ns < b->self_ns ? 1 : -1;
    }
    return a->calls != b->calls ? (a->calls < b->calls ? 1 : -1) : (a->name > b->name) - (a->name < b->name);
}

/* Fills rows, which are cleared, and adds what profile_repeats gives for each name to by_repeat, in one pass.
 */
static void sum_names(const Profile *p, ProfFilter filter, ProfSum *sum, double *by_repeat) {
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        const ProfTask *task = &p->tasks[k];
        for (uint32_t r = 0; passes(task, filter) && r < task->n_rows; r++) {
            const ProfRow *from = &task->rows[r];
            ProfSumRow *to = &sum->rows[from->name];
            to->calls += (uint64_t)llround(task->weight * (double)from->calls);
            to->fails += (uint64_t)llround(task->weight * (double)from->fails);
            to->self_ns += task->weight * stats_mean(from->self_ns, p->repeats);
            to->total_ns += task->weight * from->total_ns;
            to->failed_ns += task->weight * from->failed_ns;
            to->high += task->weight * from->uncertain_ns; /* holds the sum until find_interval */
            to->tasks++;
            for (uint32_t x = 0; x < p->repeats; x++) {
                by_repeat[(size_t)from->name * p->repeats + x] += task->weight * from->self_ns[x];
            }
        }
    }
    for (uint32_t k = 0; k < p->n_names; k++) {
        ProfSumRow *row = &sum->rows[k];
        row->name = k;
        if (filter == FILTER_ALL && p->names[k].calls > 0) { /* the counters are exact, weights are not */
            row->calls = p->names[k].calls;
            row->fails = p->names[k].fails;
        }
        if (row->calls > 0) {
            *(p->names[k].engine ? &sum->engine_ns : &sum->primitives_ns) += row->self_ns;
            sum->calls += p->names[k].engine ? 0 : row->calls;
            sum->fails += row->fails;
            sum->rows[sum->n_rows++] = *row;
        }
    }
    qsort(sum->rows, sum->n_rows, sizeof *sum->rows, by_self);
}

static void sum_tasks(const Profile *p, ProfFilter filter, ProfSum *sum) {
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        const ProfTask *task = &p->tasks[k];
        if (!passes(task, filter)) {
            continue;
        }
        sum->tasks++;
        sum->evaluations += task->evaluations;
        sum->execute_ns += task_execute_ns(p, task);
        sum->validate_ns += stats_mean(task->validate_ns, p->repeats);
        sum->setup_ns += task->setup_ns;
        for (uint32_t r = 0; r < p->repeats; r++) {
            sum->repeat_ns[r] += task->execute_ns[r];
        }
    }
    ASSERT(sum->tasks <= p->n_tasks, "%u of %u tasks", (unsigned)sum->tasks, p->n_tasks);
    sum->spread = stats_deviation(sum->repeat_ns, p->repeats) / stats_mean(sum->repeat_ns, p->repeats);
}

/* Quantiles over tasks: of their times, and of the self times of each name in those that call it. */
static bool find_quantiles(const Profile *p, ProfFilter filter, ProfSum *sum) {
    /* By name: where its next value goes, after the times of tasks; 0: it is in no row. */
    uint32_t *next = mem_zalloc(p->n_names, sizeof *next);
    size_t n = sum->tasks;
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        n += sum->rows[k].tasks;
    }
    double *values = mem_array(n + 1, sizeof *values);
    bool good = next != NULL && values != NULL && n < UINT32_MAX;
    if (good) {
        uint32_t tasks = 0, at = sum->tasks;
        for (uint32_t k = 0; k < sum->n_rows; k++) {
            next[sum->rows[k].name] = at;
            at += sum->rows[k].tasks;
        }
        for (uint32_t k = 0; k < p->n_tasks; k++) {
            const ProfTask *task = &p->tasks[k];
            if (!passes(task, filter)) {
                continue;
            }
            values[tasks++] = task_execute_ns(p, task);
            for (uint32_t r = 0; r < task->n_rows; r++) {
                if (next[task->rows[r].name] != 0) {
                    values[next[task->rows[r].name]++] = stats_mean(task->rows[r].self_ns, p->repeats);
                }
            }
        }
        stats_sort(values, tasks);
        sum->task_median_ns = stats_quantile(values, tasks, 0.5);
        sum->task_p90_ns = stats_quantile(values, tasks, 0.9);
        sum->task_p99_ns = stats_quantile(values, tasks, 0.99);
        sum->task_max_ns = stats_quantile(values, tasks, 1);
    }
    for (uint32_t k = 0; good && k < sum->n_rows; k++) {
        ProfSumRow *row = &sum->rows[k];
        double *own = values + next[row->name] - row->tasks;
        stats_sort(own, row->tasks);
        row->median_ns = stats_quantile(own, row->tasks, 0.5);
        row->p90_ns = stats_quantile(own, row->tasks, 0.9);
        row->p99_ns = stats_quantile(own, row->tasks, 0.99);
        row->max_ns = stats_quantile(own, row->tasks, 1);
    }
    mem_free(values);
    mem_free(next);
    return good;
}

bool profile_sum(const Profile *p, ProfFilter filter, ProfSum *sum) {
    double *scratch = mem_array(2 * (size_t)p->repeats + 1, sizeof *scratch);
    double *by_repeat = mem_zalloc((size_t)p->n_names * p->repeats + 1, sizeof *by_repeat);
    *sum = (ProfSum){.rows = mem_zalloc(p->n_names, sizeof *sum->rows),
                     .repeat_ns = mem_zalloc(p->repeats, sizeof *sum->repeat_ns)};
    bool good = scratch != NULL && by_repeat != NULL && sum->rows != NULL && sum->repeat_ns != NULL;
    if (good) {
        sum_tasks(p, filter, sum);
        sum_names(p, filter, sum, by_repeat);
        sum->dispatch_ns = fmax(sum->execute_ns - sum->primitives_ns - sum->engine_ns, 0);
        for (uint32_t k = 0; k < sum->n_rows; k++) {
            const double *own = by_repeat + (size_t)sum->rows[k].name * p->repeats;
            sum->rows[k].spread = stats_deviation(own, p->repeats) / stats_mean(own, p->repeats);
            find_interval(p, sum, &sum->rows[k], sum->rows[k].high, own, scratch);
        }
        good = p->totals_only || find_quantiles(p, filter, sum);
    }
    if (!good) {
        profile_sum_free(sum);
    }
    mem_free(scratch);
    mem_free(by_repeat);
    return good;
}

void profile_sum_free(ProfSum *sum) {
    mem_free(sum->rows);
    mem_free(sum->repeat_ns);
    *sum = (ProfSum){0};
}

double profile_pass_ns(const Profile *p) {
    return stats_mean(p->pass_ns, p->repeats) * p->workers;
}

double profile_unaccounted(const Profile *p, const ProfSum *all) {
    double known = all->primitives_ns + all->engine_ns + all->dispatch_ns, whole = profile_pass_ns(p);
    for (int k = WORK_SETUP; k < WORK_DEVICE_WAIT; k++) { /* devices work after the passes */
        known += p->work_ns[k];
    }
    return whole > 0 ? whole - known : 0;
}
