/* The last step of making a profile: turns the shares of a run into times, and adds up stacks. */
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

uint32_t *profile_stack_tasks(const Profile *p) {
    uint32_t *task = mem_zalloc((size_t)p->n_stacks + 1, sizeof *task);
    for (uint32_t k = 1; task != NULL && k < p->n_stacks; k++) {
        task[k] = p->stacks[k].task ? p->stacks[k].name : task[p->stacks[k].parent];
    }
    return task;
}

bool profile_stack_recursive(const Profile *p, uint32_t k) {
    for (uint32_t up = p->stacks[k].parent; up != 0 && !p->stacks[up].task; up = p->stacks[up].parent) {
        if (p->stacks[up].name == p->stacks[k].name) {
            return true;
        }
    }
    return false;
}

bool profile_add_up(Profile *p) {
    double *below = mem_zalloc((size_t)p->n_stacks + 1, sizeof *below);
    for (uint32_t k = p->n_stacks; below != NULL && k-- > 1;) { /* callees come after their callers */
        ProfStack *s = &p->stacks[k];
        if (s->task) {
            s->total_ns = fmax(task_execute_ns(p, &p->tasks[s->name]), below[k]);
            s->self_ns = s->total_ns - below[k];
        } else {
            s->total_ns = s->self_ns + below[k];
            below[s->parent] += s->total_ns;
        }
    }
    mem_free(below);
    return below != NULL;
}

/* Stacks hold sums of shares; the sum that those of one row in one task must have is known by now. */
static bool finish_stacks(Profile *p) {
    uint32_t *task = profile_stack_tasks(p);
    if (task == NULL) {
        return false;
    }
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        const ProfStack *s = &p->stacks[k];
        if (!s->task) {
            profile_row(p, &p->tasks[task[k]], s->name)->stacked += s->self_ns;
        }
    }
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        ProfStack *s = &p->stacks[k];
        const ProfRow *row = s->task ? NULL : profile_row(p, &p->tasks[task[k]], s->name);
        s->self_ns *= row != NULL && row->stacked > 0 ? row->self_ns[0] / row->stacked : 0;
    }
    mem_free(task);
    return profile_add_up(p);
}

bool profile_finish(Profile *p) {
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        finish_task(p, &p->tasks[k]);
    }
    return p->totals_only || finish_stacks(p);
}
