/* Solutions: {"id": [grid, ..]}, the outputs of the tests of a challenges file; see formats.h. */
#include "base/alloc.h"
#include "data/tasks/formats.h"

#include <stdlib.h>
#include <string.h>

typedef struct NamedSolution {
    const char *id;
    size_t index;
} NamedSolution;

typedef struct Targets { /* the tasks that solutions may belong to */
    LoadedTask *tasks;
    size_t n_tasks, guess;  /* files usually have the same order: try the next one first */
    NamedSolution *by_name; /* made when a guess fails */
} Targets;

static int compare_names(const void *a, const void *b) {
    return strcmp(((const NamedSolution *)a)->id, ((const NamedSolution *)b)->id);
}

static bool sort_names(Targets *targets) {
    targets->by_name = mem_array(targets->n_tasks, sizeof *targets->by_name);
    if (targets->by_name == NULL) {
        return false;
    }
    for (size_t i = 0; i < targets->n_tasks; i++) {
        targets->by_name[i] = (NamedSolution){targets->tasks[i].task.id, i};
    }
    qsort(targets->by_name, targets->n_tasks, sizeof *targets->by_name, compare_names);
    return true;
}

/* NULL without an error: there is no such task. */
static Task *find_target(Targets *targets, Scanner *reader, const char *id) {
    if (targets->guess < targets->n_tasks && strcmp(targets->tasks[targets->guess].task.id, id) == 0) {
        return &targets->tasks[targets->guess++].task;
    }
    if (targets->by_name == NULL && !sort_names(targets)) {
        scan_fail_memory(reader);
        return NULL;
    }
    NamedSolution key = {id, 0};
    NamedSolution *found = bsearch(&key, targets->by_name, targets->n_tasks, sizeof key, compare_names);
    if (found == NULL) {
        return NULL;
    }
    targets->guess = found->index + 1;
    return &targets->tasks[found->index].task;
}

/* Reads the list of grids as outputs of loader->pairs. */
static bool read_outputs(Loader *loader, Scanner *reader) {
    bool first = true, more = true;
    loader->n_pairs = 0;
    if (!scan_open(reader, '[', "the solutions of a task")) {
        return false;
    }
    while (scan_next_item(reader, &first, &more) && more) {
        if (!parse_pair_room(loader, reader)) {
            return false;
        }
        TaskPair pair = {.has_output = true};
        if (!scan_grid(reader, &loader->slab, &pair.out)) {
            return false;
        }
        loader->pairs[loader->n_pairs++] = pair;
    }
    return reader->error_at == NULL;
}

static bool attach(Loader *loader, Scanner *reader, Task *task, const uint8_t *start) {
    if ((size_t)task->n_test != loader->n_pairs) {
        return scan_fail(reader, start, "%zu solutions for %d test inputs", loader->n_pairs,
                         (int)task->n_test);
    }
    /* The pairs are in this loader's slab, and nobody else has seen them yet. */
    TaskPair *tests = (TaskPair *)task->test;
    for (int32_t i = 0; i < task->n_test; i++) {
        if (tests[i].has_output && !task_image_equal(tests[i].out, loader->pairs[i].out)) {
            return scan_fail(reader, start, "solution %d differs from the output in the challenges",
                             (int)i + 1);
        }
    }
    for (int32_t i = 0; i < task->n_test; i++) {
        tests[i].out = loader->pairs[i].out;
        tests[i].has_output = true;
    }
    task->hash = task_content_hash(task);
    return true;
}

static bool keep_alone(Loader *loader, Scanner *reader, Task *task) {
    size_t bytes = loader->n_pairs * sizeof(TaskPair);
    TaskPair *tests = slab_alloc(&loader->slab, bytes);
    if (tests == NULL) {
        return scan_fail_memory(reader);
    }
    if (bytes > 0) {
        memcpy(tests, loader->pairs, bytes);
    }
    task->test = tests;
    task->n_test = (int32_t)loader->n_pairs;
    parse_keep(loader, task);
    return !loader->no_memory || scan_fail_memory(reader);
}

/* A task that was left out has been reported already; its solution is not a second mistake. */
static bool was_rejected(const Loader *loader, const char *id) {
    for (size_t i = loader->n_errors; i-- > 0 && loader->errors[i].file == loader->file;) {
        if (loader->errors[i].error.id != NULL && strcmp(loader->errors[i].error.id, id) == 0) {
            return true;
        }
    }
    return false;
}

static bool read_solution(Loader *loader, Scanner *reader, Targets *targets, const ScanSpan *key,
                          const uint8_t *key_at) {
    const uint8_t *start = (scan_peek(reader), reader->next);
    if (key->escaped || !parse_id_valid(key->text, key->length)) {
        scan_fail(reader, key_at, "not a task id");
        return parse_recover(loader, reader, start, NULL);
    }
    Task alone = {.id = slab_text(&loader->slab, key->text, key->length)};
    if (alone.id == NULL) {
        return scan_fail_memory(reader);
    }
    bool good;
    if (targets == NULL) {
        scan_place(reader, key_at, &alone.line, &alone.column);
        good = read_outputs(loader, reader) && keep_alone(loader, reader, &alone);
    } else {
        Task *task = find_target(targets, reader, alone.id);
        good = read_outputs(loader, reader) &&
               (task != NULL
                    ? attach(loader, reader, task, start)
                    : was_rejected(loader, alone.id) ||
                          scan_fail(reader, key_at, "solution for a task that is not in the challenges"));
    }
    return good || parse_recover(loader, reader, start, alone.id);
}

void parse_solutions(Loader *loader, size_t first_task) {
    Scanner reader;
    scan_init(&reader, loader->buffer.data, loader->buffer.length);
    reader.max_side = loader->max_side > 0 ? loader->max_side : TASK_MAX_SIDE;
    bool alone = first_task == PARSE_ALONE, first = true, more = true;
    Targets targets = {0};
    if (!alone && loader->n_tasks > first_task) {
        targets.tasks = loader->tasks + first_task;
        targets.n_tasks = loader->n_tasks - first_task;
    }
    ScanSpan key;
    const uint8_t *key_at;
    size_t errors_before = loader->file_errors;
    if (scan_open(&reader, '{', "solutions")) {
        while (scan_next_key(&reader, &first, &more, &key, &key_at) && more) {
            if (!read_solution(loader, &reader, alone ? NULL : &targets, &key, key_at)) {
                break;
            }
        }
    }
    if (reader.error_at == NULL && !more) {
        scan_end(&reader);
    }
    if (reader.error_at != NULL && !(loader->strict && loader->file_errors > errors_before)) {
        parse_note(loader, &reader, NULL);
    }
    mem_free(targets.by_name);
}
