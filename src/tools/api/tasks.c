/* Tasks: loaded once, chosen from and joined without copying. */
#include "base/alloc.h"
#include "data/tasks/embedded.h"
#include "data/tasks/select.h"
#include "engine/eval/eval.h"
#include "search/run/run.h"
#include "tools/api/api_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is loaded ---- */

static void loaded_release(LoadedTasks *l) {
    if (l == NULL || atomic_fetch_sub_explicit(&l->count, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t k = 0; k < l->n_faults; k++) {
        mem_free((char *)l->faults[k].text);
    }
    mem_free(l->faults);
    task_set_free(l->set);
    mem_free(l);
}

static bool keep_faults(LoadedTasks *l) {
    l->faults = mem_zalloc(l->set->n_errors, sizeof *l->faults);
    for (size_t k = 0; l->faults != NULL && k < l->set->n_errors; k++) {
        const TaskError *e = &l->set->errors[k];
        Out text;
        out_init(&text);
        if (e->id != NULL) {
            out_fmt(&text, "task %s: ", e->id);
        }
        out_str(&text, e->reason);
        char *copy = text.failed ? NULL : mem_strdup(text.data);
        out_free(&text);
        if (copy == NULL) {
            return false;
        }
        l->faults[l->n_faults++] =
            (batt_fault){BATT_BAD_INPUT, e->file ? e->file : "", e->line, e->column, copy};
    }
    return l->faults != NULL;
}

/* Takes ownership of the set. */
static batt_tasks *all_of(batt_context *c, TaskSet *set) {
    batt_tasks *t = mem_zalloc(1, sizeof *t);
    LoadedTasks *l = mem_zalloc(1, sizeof *l);
    if (l != NULL) {
        atomic_init(&l->count, 1);
        l->set = set;
    }
    if (t != NULL) {
        t->loaded = mem_alloc(sizeof *t->loaded);
        t->tasks = set != NULL ? mem_array(set->n_tasks, sizeof *t->tasks) : NULL;
    }
    if (set == NULL || l == NULL || t == NULL || t->loaded == NULL || t->tasks == NULL || !keep_faults(l)) {
        if (l == NULL && set != NULL) {
            task_set_free(set);
        } else if (l != NULL && set == NULL) {
            mem_free(l);
            l = NULL;
        }
        loaded_release(l);
        batt_tasks_free(t);
        return api_no_memory(c);
    }
    t->loaded[0] = l;
    t->n_loaded = 1;
    t->n_tasks = set->n_tasks;
    for (size_t k = 0; k < set->n_tasks; k++) {
        t->tasks[k] = &set->tasks[k];
    }
    return t;
}

static TaskSet *examples(void) {
    size_t count;
    const EmbeddedFile *files = embedded_tasks(&count);
    TaskBytes *bytes = mem_array(count, sizeof *bytes);
    for (size_t k = 0; bytes != NULL && k < count; k++) {
        bytes[k] = (TaskBytes){files[k].name, files[k].data, files[k].size};
    }
    TaskSet *set = bytes != NULL ? task_load_memory(bytes, count, NULL) : NULL;
    mem_free(bytes);
    return set;
}

batt_tasks *batt_tasks_load(batt_context *c, const char *const *paths, size_t n) {
    if (!api_begin(c)) {
        return NULL;
    }
    for (size_t k = 0; k < n; k++) {
        if (paths == NULL || paths[k] == NULL) {
            return api_fault(c, BATT_BAD_ARGUMENT, "path %zu is NULL", k + 1);
        }
    }
    return all_of(c, n > 0 ? task_load(paths, n, NULL) : examples());
}

batt_tasks *batt_tasks_read(batt_context *c, const char *name, const void *bytes, size_t length) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (name == NULL || (bytes == NULL && length > 0)) {
        return api_fault(c, BATT_BAD_ARGUMENT, name == NULL ? "the name is NULL" : "the bytes are NULL");
    }
    return all_of(c, task_load_bytes(name, bytes != NULL ? bytes : "", length, NULL));
}

void batt_tasks_free(batt_tasks *t) {
    for (size_t k = 0; t != NULL && k < t->n_loaded; k++) {
        loaded_release(t->loaded[k]);
    }
    if (t != NULL) {
        mem_free(t->loaded);
        mem_free(t->tasks);
        mem_free(t);
    }
}

/* ---- choosing ---- */

/* Makes room for tasks of these sets, which are kept alive; NULL: no memory. */
static batt_tasks *tasks_over(const batt_tasks *const *sets, size_t n_sets, size_t n_tasks) {
    size_t n_loaded = 0;
    for (size_t k = 0; k < n_sets; k++) {
        n_loaded += sets[k]->n_loaded;
    }
    batt_tasks *t = mem_zalloc(1, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    t->loaded = mem_array(n_loaded, sizeof *t->loaded);
    t->tasks = mem_array(n_tasks, sizeof *t->tasks);
    if (t->loaded == NULL || t->tasks == NULL) {
        batt_tasks_free(t);
        return NULL;
    }
    for (size_t k = 0; k < n_sets; k++) {
        for (size_t x = 0; x < sets[k]->n_loaded; x++) {
            LoadedTasks *l = sets[k]->loaded[x];
            atomic_fetch_add_explicit(&l->count, 1, memory_order_relaxed);
            t->loaded[t->n_loaded++] = l;
        }
    }
    return t;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Checks the ids that are asked for: each is there, and once; a set cannot hold a task twice. */
static bool ids_are_good(batt_context *c, const char *const *ids, size_t n) {
    for (size_t k = 0; k < n; k++) {
        if (ids == NULL || ids[k] == NULL) {
            api_fault(c, BATT_BAD_ARGUMENT, "id %zu is NULL", k + 1);
            return false;
        }
    }
    const char **sorted = mem_array(n, sizeof *sorted);
    if (sorted == NULL) {
        api_no_memory(c);
        return false;
    }
    size_t k = 1;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = ids[i];
    }
    qsort(sorted, n, sizeof *sorted, by_text);
    while (k < n && strcmp(sorted[k - 1], sorted[k]) != 0) {
        k++;
    }
    if (k < n) {
        api_fault(c, BATT_BAD_ARGUMENT, "the id %s is asked for twice", sorted[k]);
    }
    mem_free(sorted);
    return k >= n;
}

batt_tasks *batt_tasks_select(batt_context *c, const batt_tasks *tasks, const char *const *ids, size_t n,
                              const char *filter, size_t start, size_t count) {
    char why[SELECT_WHY_BYTES];
    if (!api_begin(c)) {
        return NULL;
    }
    if (tasks == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the tasks are NULL");
    }
    if (!ids_are_good(c, ids, n)) {
        return NULL;
    }
    batt_tasks *t = tasks_over(&tasks, 1, tasks->n_tasks);
    Task *copies = mem_array(tasks->n_tasks, sizeof *copies); /* select_tasks expects an array */
    if (t == NULL || copies == NULL) {
        batt_tasks_free(t);
        mem_free(copies);
        return api_no_memory(c);
    }
    for (size_t k = 0; k < tasks->n_tasks; k++) {
        copies[k] = *tasks->tasks[k];
    }
    SelectOptions options = {.ids = ids, .n_ids = n, .filter = filter, .start = start, .count = count};
    TaskSet set = {.tasks = copies, .n_tasks = tasks->n_tasks};
    size_t n_chosen = 0;
    const Task **chosen = select_tasks(&set, &options, &n_chosen, why);
    for (size_t k = 0; chosen != NULL && k < n_chosen; k++) {
        t->tasks[t->n_tasks++] = tasks->tasks[chosen[k] - copies];
    }
    if (chosen == NULL) {
        batt_tasks_free(t);
        t = api_fault(c, BATT_BAD_ARGUMENT, "%s", why);
    }
    mem_free(chosen);
    mem_free(copies);
    return t;
}

/* ---- positions and unions ---- */

static int by_id(const void *a, const void *b) {
    return strcmp((*(const Task *const *)a)->id, (*(const Task *const *)b)->id);
}

/* Submissions, stores and results by id would show one of two tasks with the same id and hide the other.
 * Returns the set, or NULL with the fault set. */
static batt_tasks *with_unique_ids(batt_context *c, batt_tasks *t) {
    const Task **sorted = mem_array(t->n_tasks, sizeof *sorted);
    if (sorted == NULL) {
        batt_tasks_free(t);
        return api_no_memory(c);
    }
    memcpy(sorted, t->tasks, t->n_tasks * sizeof *sorted);
    qsort(sorted, t->n_tasks, sizeof *sorted, by_id);
    for (size_t k = 1; k < t->n_tasks; k++) {
        if (by_id(&sorted[k - 1], &sorted[k]) == 0) {
            api_fault(c, BATT_BAD_ARGUMENT, "two tasks have the id %s: ids must be unique in a set",
                      sorted[k]->id);
            batt_tasks_free(t);
            t = NULL;
            break;
        }
    }
    mem_free(sorted);
    return t;
}

batt_tasks *batt_tasks_at(batt_context *c, const batt_tasks *tasks, const size_t *positions, size_t n) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (tasks == NULL || (positions == NULL && n > 0)) {
        return api_fault(c, BATT_BAD_ARGUMENT,
                         tasks == NULL ? "the tasks are NULL" : "the positions are NULL");
    }
    for (size_t k = 0; k < n; k++) {
        if (positions[k] >= tasks->n_tasks) {
            return api_fault(c, BATT_BAD_ARGUMENT, "there is no task %zu: the set has %zu", positions[k],
                             tasks->n_tasks);
        }
    }
    batt_tasks *t = tasks_over(&tasks, 1, n);
    if (t == NULL) {
        return api_no_memory(c);
    }
    for (size_t k = 0; k < n; k++) {
        t->tasks[t->n_tasks++] = tasks->tasks[positions[k]];
    }
    return with_unique_ids(c, t);
}

batt_tasks *batt_tasks_join(batt_context *c, const batt_tasks *const *sets, size_t n) {
    size_t total = 0;
    if (!api_begin(c)) {
        return NULL;
    }
    for (size_t k = 0; k < n; k++) {
        if (sets == NULL || sets[k] == NULL) {
            return api_fault(c, BATT_BAD_ARGUMENT, "set %zu is NULL", k + 1);
        }
        total += sets[k]->n_tasks;
    }
    batt_tasks *t = tasks_over(sets, n, total);
    if (t == NULL) {
        return api_no_memory(c);
    }
    for (size_t k = 0; k < n; k++) {
        memcpy(t->tasks + t->n_tasks, sets[k]->tasks, sets[k]->n_tasks * sizeof *t->tasks);
        t->n_tasks += sets[k]->n_tasks;
    }
    return with_unique_ids(c, t);
}

/* ---- looking ---- */

size_t batt_tasks_error_count(const batt_tasks *t) {
    size_t count = 0;
    for (size_t k = 0; t != NULL && k < t->n_loaded; k++) {
        count += t->loaded[k]->n_faults;
    }
    return count;
}

const batt_fault *batt_tasks_fault(const batt_tasks *t, size_t k) {
    for (size_t x = 0; t != NULL && x < t->n_loaded; x++) {
        if (k < t->loaded[x]->n_faults) {
            return &t->loaded[x]->faults[k];
        }
        k -= t->loaded[x]->n_faults;
    }
    return NULL;
}

size_t batt_tasks_count(const batt_tasks *t) {
    return t != NULL ? t->n_tasks : 0;
}

uint64_t batt_tasks_hash(const batt_tasks *t) {
    return t != NULL ? task_data_hash(t->tasks, t->n_tasks) : 0;
}

static const Task *at(const batt_tasks *t, size_t k) {
    return t != NULL && k < t->n_tasks ? t->tasks[k] : NULL;
}

const Task *api_task(batt_context *c, const batt_tasks *t, size_t k) {
    const Task *task = at(t, k);
    return task != NULL ? task
                        : api_fault(c, BATT_BAD_ARGUMENT,
                                    t == NULL ? "the tasks are NULL" : "there is no task %zu", k);
}

const char *batt_task_id(const batt_tasks *t, size_t k) {
    return at(t, k) != NULL ? at(t, k)->id : "";
}

const char *batt_task_source(const batt_tasks *t, size_t k) {
    return at(t, k) != NULL && at(t, k)->source != NULL ? at(t, k)->source : "";
}

int64_t batt_tasks_find(const batt_tasks *t, const char *id) {
    for (size_t k = 0; id != NULL && k < batt_tasks_count(t); k++) {
        if (strcmp(t->tasks[k]->id, id) == 0) {
            return (int64_t)k;
        }
    }
    return -1;
}

size_t batt_task_pairs(const batt_tasks *t, size_t k, int which) {
    const Task *task = at(t, k);
    return task == NULL          ? 0
           : which == BATT_TRAIN ? (size_t)task->n_train
           : which == BATT_TEST  ? (size_t)task->n_test
                                 : 0;
}

static const TaskPair *pair_of(const batt_tasks *t, size_t k, int which, size_t pair) {
    if (pair >= batt_task_pairs(t, k, which)) {
        return NULL;
    }
    return which == BATT_TRAIN ? &at(t, k)->train[pair] : &at(t, k)->test[pair];
}

const int8_t *batt_task_grid(const batt_tasks *t, size_t k, int which, size_t pair, int side, int *rows,
                             int *columns) {
    const TaskPair *p = pair_of(t, k, which, pair);
    Image image = {0};
    if (p != NULL && (side == BATT_INPUT || (side == BATT_OUTPUT && p->has_output))) {
        image = side == BATT_INPUT ? p->in : p->out;
    }
    if (rows != NULL) {
        *rows = image.h;
    }
    if (columns != NULL) {
        *columns = image.w;
    }
    return image.h > 0 ? image.cells : NULL;
}

batt_value *batt_task_samples(batt_context *c, const batt_tasks *t, size_t k) {
    if (!api_begin(c)) {
        return NULL;
    }
    const Task *task = api_task(c, t, k);
    if (task == NULL) {
        return NULL;
    }
    api_evaluate(c, BATT_MODE_CORE);
    return api_evaluated(c, run_samples_value(&c->ctx, task), true);
}

/* ---- judging ---- */

int batt_judge(batt_context *c, const batt_tasks *t, size_t k, int which, size_t pair,
               const batt_value *answer) {
    if (!api_begin(c)) {
        return -1;
    }
    const TaskPair *p = pair_of(t, k, which, pair);
    if (p == NULL || answer == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, p == NULL ? "there is no such pair" : "the answer is NULL");
        return -1;
    }
    return (int)run_judge(answer->value, p);
}

_Static_assert((int)BATT_RIGHT == (int)SAMPLE_RIGHT && (int)BATT_OVER_BUDGET == (int)SAMPLE_OVER_BUDGET &&
                   (int)BATT_NOT_RUN == (int)SAMPLE_NOT_RUN,
               "verdicts are those of search/run/run.h");

const char *batt_verdict_name(int verdict) {
    return verdict >= 0 && verdict <= BATT_NOT_RUN ? sample_verdict_names[verdict] : "";
}
