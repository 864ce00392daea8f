/* Turns shares into times: the last step of making the profile of a run. */
#include "base/alloc.h"
#include "base/check.h"
#include "tools/profiler/profile.h"

#include <math.h>

static void finish_task(Profile *p, ProfTask *task) {
    double execute = task->execute_ns[0];
    ASSERT(p->repeats == 1, "%u repeats of a run", p->repeats);
    for (uint32_t k = 0; k < task->n_rows; k++) {
        ProfRow *row = &task->rows[k];
        double *total = row->self_ns + 1;
        row->failed_ns *= *total > 0 ? 1 / *total : 0; /* share of its own total */
        row->self_ns[0] *= execute;
        row->total_ns = fmax(*total * execute, row->self_ns[0]);
        row->failed_ns *= row->total_ns;
    }
}

/* Stacks hold sums of shares; the sum that those of one row in one task must have is known by now. */
static bool finish_stacks(Profile *p, double *below) {
    uint32_t *task = mem_zalloc((size_t)p->n_stacks + 1, sizeof *task);
    if (task == NULL) {
        return false;
    }
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        ProfStack *s = &p->stacks[k];
        task[k] = s->task ? s->name : task[s->parent];
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
        s->self_ns *= row->stacked > 0 ? row->self_ns[0] / row->stacked : 0;
        s->total_ns = s->self_ns + below[k];
        below[s->parent] += s->total_ns;
    }
    mem_free(task);
    return true;
}

bool profile_finish(Profile *p) {
    double *below = mem_zalloc((size_t)p->n_stacks + 1, sizeof *below);
    for (uint32_t k = 0; below != NULL && k < p->n_tasks; k++) {
        finish_task(p, &p->tasks[k]);
    }
    bool good = below != NULL && finish_stacks(p, below);
    mem_free(below);
    return good;
}
