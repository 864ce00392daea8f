/* From shares to times: the last step of making a profile. */
#include "core/alloc.h"
#include "prof/profile.h"
#include "prof/quantiles.h"

#include <math.h>
#include <string.h>

/* Puts the median in place of values that an interruption made too long; returns by how much in all. Needs
 * three values to know which one is odd. */
static double calm(Profile *p, double *values, double *sorted, bool *odd) {
    uint32_t n = p->repeats;
    double taken = 0;
    memcpy(sorted, values, n * sizeof *sorted);
    stats_sort(sorted, n);
    double median = stats_quantile(sorted, n, 0.5), limit = 1.5 * median + 1000;
    for (uint32_t k = 0; k < n; k++) {
        odd[k] = n >= 3 && values[k] > limit;
        if (odd[k]) {
            taken += values[k] - median;
            values[k] = median;
            p->disturbed++;
        }
    }
    return taken;
}

/* The shares of odd repeats become the mean of the others. */
static void mend(double *shares, const bool *odd, uint32_t n) {
    double sum = 0;
    uint32_t good = 0;
    for (uint32_t k = 0; k < n; k++) {
        sum += odd[k] ? 0 : shares[k];
        good += !odd[k];
    }
    for (uint32_t k = 0; k < n && good > 0; k++) {
        shares[k] = odd[k] ? sum / good : shares[k];
    }
}

static void finish_task(Profile *p, ProfTask *task, double *scratch, bool *odd) {
    uint32_t n = p->repeats;
    p->work_ns[WORK_BREAKS] +=
        (calm(p, task->execute_ns, scratch, odd) + calm(p, task->validate_ns, scratch, odd)) / n;
    calm(p, task->seen_ns, scratch, odd);
    double execute = stats_mean(task->execute_ns, n);
    p->plain_ns += task->seen_ns[0] > 0 ? execute : 0;
    p->measured_ns += stats_mean(task->seen_ns, n);
    for (uint32_t k = 0; k < task->n_rows; k++) {
        ProfRow *row = &task->rows[k];
        double *total = row->self_ns + n, shares = stats_mean(total, n);
        row->failed_ns *= shares > 0 ? 1 / (shares * n) : 0; /* share of its own total */
        mend(row->self_ns, odd, n);
        mend(total, odd, n);
        row->total_ns = stats_mean(total, n) * execute;
        row->calls /= n;
        row->fails /= n;
        for (uint32_t r = 0; r < n; r++) {
            row->self_ns[r] *= task->execute_ns[r];
        }
        row->total_ns =
            fmax(row->total_ns, stats_mean(row->self_ns, n)); /* means of products differ a little */
        row->failed_ns *= row->total_ns;
    }
}

/* Stacks hold sums of shares; what those of one row in one task must sum up to is known by now. */
static bool finish_stacks(Profile *p, double *below) {
    uint32_t *task = mem_zalloc((size_t)p->n_stacks + 1, sizeof *task);
    if (task == NULL) {
        return false;
    }
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        ProfStack *s = &p->stacks[k];
        task[k] = s->task ? s->name : task[s->parent];
        s->calls /= p->repeats;
        if (!s->task) {
            profile_row(p, &p->tasks[task[k]], s->name)->stacked += s->self_ns;
        }
    }
    for (uint32_t k = p->n_stacks; k-- > 1;) { /* callees come after their callers */
        ProfStack *s = &p->stacks[k];
        const ProfRow *row = s->task ? NULL : profile_row(p, &p->tasks[task[k]], s->name);
        if (s->task) {
            double execute = task_execute_ns(p, &p->tasks[s->name]), inside = below[k];
            s->total_ns = fmax(execute, inside);
            s->self_ns = s->total_ns - inside;
            continue;
        }
        s->self_ns *= row->stacked > 0 ? stats_mean(row->self_ns, p->repeats) / row->stacked : 0;
        s->total_ns = s->self_ns + below[k];
        below[s->parent] += s->total_ns;
    }
    mem_free(task);
    return true;
}

bool profile_finish(Profile *p) {
    double *scratch = mem_array(p->repeats, sizeof *scratch);
    bool *odd = mem_array(p->repeats, sizeof *odd);
    double *below = mem_zalloc((size_t)p->n_stacks + 1, sizeof *below);
    bool good = scratch != NULL && odd != NULL && below != NULL;
    for (uint32_t k = 0; good && k < p->n_tasks; k++) {
        finish_task(p, &p->tasks[k], scratch, odd);
    }
    good = good && finish_stacks(p, below);
    mem_free(scratch);
    mem_free(odd);
    mem_free(below);
    return good;
}
