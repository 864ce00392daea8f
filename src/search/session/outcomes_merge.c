/* Merging the outcomes of shards into those of the whole; see outcomes.h. */
#include "base/alloc.h"
#include "search/session/outcomes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b) {
    return strcmp(((const OutcomeTask *)a)->id, ((const OutcomeTask *)b)->id);
}

static bool same_build(const Outcomes *a, const Outcomes *b) {
    bool same = a->n_strategies == b->n_strategies && a->n_sets == b->n_sets &&
                strcmp(a->version, b->version) == 0 && strcmp(a->commit, b->commit) == 0;
    for (unsigned k = 0; same && k < a->n_strategies; k++) {
        same = strcmp(a->strategies[k], b->strategies[k]) == 0;
    }
    for (size_t k = 0; same && k < a->n_sets; k++) {
        same = strcmp(a->sets[k].name, b->sets[k].name) == 0 && a->sets[k].tasks == b->sets[k].tasks &&
               a->sets[k].outputs == b->sets[k].outputs;
    }
    return same;
}

static const OutcomeRun *run_like(const Outcomes *in, const OutcomeRun *run) {
    for (size_t k = 0; k < in->n_runs; k++) {
        const OutcomeRun *r = &in->runs[k];
        if (r->set == run->set && r->by_steps == run->by_steps && r->own_time == run->own_time &&
            r->budget == run->budget && r->solo == run->solo && r->repeat == run->repeat) {
            return r;
        }
    }
    return NULL;
}

static bool join(Outcomes *o, OutcomeRun *run, const OutcomeRun *more, char *why, size_t room) {
    size_t n = run->n_tasks + more->n_tasks;
    OutcomeTask *tasks = slab_alloc(&o->slab, n * sizeof *tasks + 1);
    if (tasks == NULL) {
        snprintf(why, room, MEM_NONE);
        return false;
    }
    if (run->n_tasks > 0) {
        memcpy(tasks, run->tasks, run->n_tasks * sizeof *tasks);
    }
    if (more->n_tasks > 0) {
        memcpy(tasks + run->n_tasks, more->tasks, more->n_tasks * sizeof *tasks);
    }
    if (n > 1) {
        qsort(tasks, n, sizeof *tasks, by_id);
    }
    for (size_t k = 1; k < n; k++) {
        if (strcmp(tasks[k - 1].id, tasks[k].id) == 0) {
            snprintf(why, room, "task %.100s is in both", tasks[k].id);
            return false;
        }
    }
    run->tasks = tasks;
    run->n_tasks = n;
    run->cut |= more->cut;
    return true;
}

bool outcomes_merge(Outcomes *o, const Outcomes *more, char *why, size_t room) {
    if (!same_build(o, more)) {
        snprintf(why, room, "comes from another build, with other strategies or other sets");
        return false;
    }
    if (o->n_runs != more->n_runs) {
        snprintf(why, room, "has other budgets or repetitions");
        return false;
    }
    for (size_t k = 0; k < o->n_runs; k++) {
        const OutcomeRun *like = run_like(more, &o->runs[k]);
        if (like == NULL) {
            snprintf(why, room, "has other budgets or repetitions");
            return false;
        }
        if (!join(o, &o->runs[k], like, why, room)) {
            return false;
        }
    }
    return true;
}
