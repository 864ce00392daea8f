/* Which strategies are the finders of which tasks, over many runs; see outcomes.h. */
#include "base/alloc.h"
#include "search/session/outcomes.h"

#include <stdlib.h>
#include <string.h>

static int by_strategy_and_task(const void *left, const void *right) {
    const OutcomeFinder *a = left, *b = right;
    int order = strcmp(a->strategy, b->strategy);
    order = order != 0 ? order : strcmp(a->set, b->set);
    return order != 0 ? order : strcmp(a->id, b->id);
}

static void list_run(const Outcomes *o, const OutcomeRun *run, unsigned attempts, OutcomeFinder *to,
                     size_t *n) {
    for (size_t k = 0; k < run->n_tasks; k++) {
        const OutcomeTask *t = &run->tasks[k];
        for (uint32_t x = 0; x < t->n_test; x++) {
            unsigned at = outcomes_right_attempt(t, x);
            if (at < attempts) {
                to[(*n)++] = (OutcomeFinder){o->strategies[t->answers[x][at].strategy],
                                             o->sets[run->set].name, t->id, t->half};
            }
        }
    }
}

bool outcomes_finders(const Outcomes *files, size_t n_files, unsigned attempts, OutcomeFinder **finders,
                      size_t *count) {
    size_t room = 0, n = 0;
    for (size_t f = 0; f < n_files; f++) {
        for (size_t k = 0; k < files[f].n_runs; k++) {
            for (size_t x = 0; x < files[f].runs[k].n_tasks; x++) {
                room += files[f].runs[k].tasks[x].n_test;
            }
        }
    }
    OutcomeFinder *list = mem_array(room + 1, sizeof *list);
    *finders = list;
    *count = 0;
    if (list == NULL) {
        return false;
    }
    for (size_t f = 0; f < n_files; f++) {
        for (size_t k = 0; k < files[f].n_runs; k++) {
            if (files[f].runs[k].solo < 0) {
                list_run(&files[f], &files[f].runs[k], attempts, list, &n);
            }
        }
    }
    qsort(list, n, sizeof *list, by_strategy_and_task);
    for (size_t k = 0; k < n; k++) {
        if (*count == 0 || by_strategy_and_task(&list[*count - 1], &list[k]) != 0) {
            list[(*count)++] = list[k];
        }
    }
    return true;
}
