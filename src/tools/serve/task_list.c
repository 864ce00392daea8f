/* The tasks that the page offers: those the command was given, and files dropped on the page. */
#include "base/alloc.h"
#include "data/tasks/select.h"
#include "tools/display/page.h"
#include "tools/serve/serve_internal.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DROPPED = 64 << 20 }; /* bytes of all dropped files; they stay until the server ends */

typedef struct Dropped { /* a task of a dropped file, under an id that no other task has */
    Task task;
    char id[TASK_MAX_ID + 16];
} Dropped;

typedef struct Listed {
    const Task *task;
    bool solved;      /* some program was right on every pair whose output is known */
    Dropped *dropped; /* NULL: a task of the command's */
} Listed;

struct TaskList {
    Listed *items;
    size_t count, bytes;
    TaskSet **sets; /* what dropped tasks point into */
    size_t n_sets;
};

TaskList *task_list_open(const Task *const *tasks, size_t count) {
    TaskList *list = mem_zalloc(1, sizeof *list);
    Listed *items = list != NULL ? mem_zalloc(count + 1, sizeof *items) : NULL;
    if (items == NULL) {
        mem_free(list);
        return NULL;
    }
    for (size_t k = 0; k < count; k++) {
        items[k].task = tasks[k];
    }
    list->items = items;
    list->count = count;
    return list;
}

void task_list_close(TaskList *list) {
    if (list == NULL) {
        return;
    }
    for (size_t k = 0; k < list->count; k++) {
        mem_free(list->items[k].dropped);
    }
    for (size_t k = 0; k < list->n_sets; k++) {
        task_set_free(list->sets[k]);
    }
    mem_free(list->sets);
    mem_free(list->items);
    mem_free(list);
}

static Listed *listed(const TaskList *list, const char *id) {
    for (size_t k = 0; id != NULL && k < list->count; k++) {
        if (strcmp(list->items[k].task->id, id) == 0) {
            return &list->items[k];
        }
    }
    return NULL;
}

const Task *task_list_find(const TaskList *list, const char *id) {
    const Listed *found = listed(list, id);
    return found != NULL ? found->task : NULL;
}

void task_list_solved(TaskList *list, const char *id) {
    Listed *found = listed(list, id);
    if (found != NULL) {
        found->solved = true;
    }
}

/* ---- dropped files ---- */

/* A task with this id or, if another task has it, with a number behind it. NULL: no memory. */
static const char *add(TaskList *list, const Task *task) {
    Listed *same = listed(list, task->id);
    if (same != NULL && same->task->hash == task->hash) {
        return same->task->id;
    }
    Dropped *dropped = mem_zalloc(1, sizeof *dropped);
    Listed *items = dropped != NULL ? mem_grow(list->items, list->count + 1, sizeof *items) : NULL;
    if (items == NULL) {
        mem_free(dropped);
        return NULL;
    }
    list->items = items;
    snprintf(dropped->id, sizeof dropped->id, "%s", task->id);
    for (unsigned k = 2; listed(list, dropped->id) != NULL; k++) {
        snprintf(dropped->id, sizeof dropped->id, "%s-%u", task->id, k);
    }
    dropped->task = *task;
    dropped->task.id = dropped->id;
    list->items[list->count++] = (Listed){.task = &dropped->task, .dropped = dropped};
    return dropped->id;
}

static bool add_all(TaskList *list, TaskSet *set, Json *json) {
    TaskSet **sets = mem_grow(list->sets, list->n_sets + 1, sizeof *sets);
    if (sets == NULL) {
        task_set_free(set);
        return false;
    }
    list->sets = sets;
    list->sets[list->n_sets++] = set;
    json_key(json, "added");
    json_begin_array(json);
    bool good = true;
    for (size_t k = 0; good && k < set->n_tasks; k++) {
        const char *id = add(list, &set->tasks[k]);
        good = id != NULL;
        json_text(json, id);
    }
    json_end_array(json);
    return good;
}

bool task_list_add(TaskList *list, const char *name, const char *text, size_t length, Json *json, char *why,
                   size_t room) {
    TaskLoadOptions options = {.jobs = 1};
    list->bytes += length;
    TaskSet *set = list->bytes <= MAX_DROPPED ? task_load_bytes(name, text, length, &options) : NULL;
    if (set == NULL) {
        snprintf(why, room, "%s",
                 list->bytes > MAX_DROPPED ? "too many files; restart batt serve" : "out of memory");
        return false;
    }
    if (set->n_tasks == 0) {
        if (set->n_errors == 0 || task_error_format(&set->errors[0], why, room) < 0) {
            snprintf(why, room, "%.200s: no tasks in this file", name);
        }
        task_set_free(set);
        return false;
    }
    snprintf(why, room, "out of memory");
    return add_all(list, set, json);
}

/* ---- as JSON ---- */

/* For a thumbnail and the filters: the first pair, unless it is too large to be drawn that small. */
static void write_listed(Json *json, const Listed *one) {
    const Task *task = one->task;
    TaskFacts facts = select_facts(task);
    json_begin_object(json);
    json_kv_string(json, "id", task->id);
    json_kv_bool(json, "solved", one->solved);
    json_kv_bool(json, "same_size", facts.same_size);
    json_kv_int(json, "side", facts.h > facts.w ? facts.h : facts.w);
    json_kv_int(json, "colors", facts.colors);
    if (task->n_train > 0 && facts.h <= ARC_SIDE && facts.w <= ARC_SIDE) {
        page_json_grid(json, "input", &task->train[0].in);
        page_json_grid(json, "output", &task->train[0].out);
    }
    json_end_object(json);
}

void task_list_write(const TaskList *list, Json *json) {
    json_key(json, "tasks");
    json_begin_array(json);
    for (size_t k = 0; k < list->count; k++) {
        write_listed(json, &list->items[k]);
    }
    json_end_array(json);
}

static void write_pairs(Json *json, const char *key, const TaskPair *pairs, int32_t count) {
    json_key(json, key);
    json_begin_array(json);
    for (int32_t k = 0; k < count; k++) {
        json_begin_object(json);
        page_json_grid(json, "input", &pairs[k].in);
        page_json_grid(json, "output", pairs[k].has_output ? &pairs[k].out : &(Image){0});
        json_end_object(json);
    }
    json_end_array(json);
}

void task_list_write_task(Json *json, const Task *task) {
    json_kv_string(json, "id", task->id);
    write_pairs(json, "train", task->train, task->n_train);
    write_pairs(json, "test", task->test, task->n_test);
}
