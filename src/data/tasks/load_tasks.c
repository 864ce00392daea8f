/* From paths to a task set: files are distributed to threads, their tasks sorted, duplicates dropped; see
 * task.h. */
#include "base/alloc.h"
#include "base/callstack.h"
#include "base/check.h"
#include "data/tasks/formats.h"
#include "data/tasks/paths.h"
#include "data/tasks/task.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct LoadWork { /* what the loading threads share */
    const PathList *files;
    atomic_size_t next;    /* file to take */
    atomic_size_t stop_at; /* strict: the first file with an error so far; later files need not be read */
    bool strict;
} LoadWork;

typedef struct LoadWorker {
    Loader loader;
    LoadWork *work;
    pthread_t thread;
    bool started;
} LoadWorker;

static void load_solutions(Loader *loader, size_t first_task) {
    const char *challenges = loader->path;
    const char *path = paths_solutions(&loader->slab, challenges, &loader->no_memory);
    if (path == NULL) {
        return;
    }
    loader->path = path;
    const char *why = file_read(&loader->buffer, path);
    if (why == NULL) {
        parse_solutions(loader, first_task);
    } else {
        parse_unreadable(loader, why);
    }
    loader->path = challenges;
}

static void load_file(Loader *loader, const PathEntry *entry, size_t number) {
    size_t first_task;
    loader->path = entry->path;
    loader->named = entry->named;
    loader->group = entry->group;
    loader->file = number;
    loader->file_errors = 0;
    const char *why = file_read(&loader->buffer, entry->path);
    if (why != NULL) {
        parse_unreadable(loader, why);
    } else if (parse_file(loader, &first_task)) {
        if (!(loader->strict && loader->file_errors > 0)) {
            load_solutions(loader, first_task);
        }
    }
}

static void *work_off(void *argument) {
    LoadWorker *worker = argument;
    LoadWork *work = worker->work;
    Loader *loader = &worker->loader;
    const Stop *stop = work->files->stop;
    while (!loader->no_memory && !stop_is_requested(stop)) {
        size_t number = atomic_fetch_add(&work->next, 1);
        if (number >= work->files->n_entries || number > atomic_load(&work->stop_at)) {
            break;
        }
        load_file(loader, &work->files->entries[number], number);
        if (work->strict && loader->file_errors > 0) {
            size_t seen = atomic_load(&work->stop_at);
            while (number < seen && !atomic_compare_exchange_weak(&work->stop_at, &seen, number)) {
            }
        }
    }
    return NULL;
}

static size_t thread_count(int jobs, size_t n_files) {
    size_t wanted = jobs > 0 ? (size_t)jobs : 1;
    cpu_set_t cpus;
    if (jobs <= 0 && sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        wanted = (size_t)CPU_COUNT(&cpus);
    }
    return wanted < n_files ? wanted : n_files > 0 ? n_files : 1;
}

typedef struct SortKey {
    uint64_t prefix; /* the id's first eight bytes as a number: most comparisons end here */
    const LoadedTask *loaded;
} SortKey;

static uint64_t prefix_of(const char *id) {
    uint64_t prefix = 0;
    for (int i = 0; i < 8; i++) {
        prefix = prefix << 8 | (unsigned char)*id;
        id += *id != '\0';
    }
    return prefix;
}

static int compare_tasks(const void *a, const void *b) {
    const SortKey *x = a, *y = b;
    if (x->prefix != y->prefix) {
        return x->prefix < y->prefix ? -1 : 1;
    }
    int order = strcmp(x->loaded->task.id, y->loaded->task.id);
    if (order == 0 && x->loaded->file != y->loaded->file) {
        return x->loaded->file < y->loaded->file ? -1 : 1;
    }
    /* Tasks of one file stand in one array, in the order of the file. */
    return order != 0 ? order : x->loaded < y->loaded ? -1 : 1;
}

static int compare_errors(const void *a, const void *b) {
    const LoadedError *x = a, *y = b;
    if (x->file != y->file) {
        return x->file < y->file ? -1 : 1;
    }
    return x->error_order < y->error_order ? -1 : x->error_order > y->error_order;
}

static void note_duplicate(Loader *loader, const LoadedTask *again, const LoadedTask *before) {
    char reason[256];
    snprintf(reason, sizeof reason, "duplicate id, first in %s:%u:%u", before->task.source, before->task.line,
             before->task.column);
    loader->path = again->task.source;
    loader->file = again->file;
    loader->file_errors = 0; /* the limit on messages is for files full of rubbish, not for these */
    parse_error(loader, again->task.line, again->task.column, again->task.id, reason);
}

/* Collects the tasks into the set, sorted and unique. Duplicates become errors of the first loader. */
static bool collect_tasks(TaskSet *set, LoadWorker *workers, size_t n_workers) {
    size_t total = 0;
    for (size_t i = 0; i < n_workers; i++) {
        total += workers[i].loader.n_tasks;
    }
    SortKey *keys = mem_array(total, sizeof *keys);
    Task *tasks = slab_alloc(&set->slab, total * sizeof *tasks);
    if (keys == NULL || tasks == NULL) {
        mem_free(keys);
        return false;
    }
    size_t n = 0;
    bool sorted = true;
    for (size_t i = 0; i < n_workers; i++) {
        for (size_t k = 0; k < workers[i].loader.n_tasks; k++, n++) {
            const LoadedTask *loaded = &workers[i].loader.tasks[k];
            keys[n] = (SortKey){prefix_of(loaded->task.id), loaded};
            sorted = sorted && (n == 0 || compare_tasks(&keys[n - 1], &keys[n]) < 0);
        }
    }
    if (!sorted) {
        qsort(keys, n, sizeof *keys, compare_tasks);
    }
    const LoadedTask *last = NULL;
    for (size_t i = 0; i < n; i++) {
        if (last != NULL && strcmp(last->task.id, keys[i].loaded->task.id) == 0) {
            note_duplicate(&workers[0].loader, keys[i].loaded, last);
            continue;
        }
        last = keys[i].loaded;
        tasks[set->n_tasks++] = last->task;
    }
    set->tasks = tasks;
    mem_free(keys);
    return true;
}

static bool collect_errors(TaskSet *set, LoadWorker *workers, size_t n_workers) {
    size_t total = 0;
    for (size_t i = 0; i < n_workers; i++) {
        total += workers[i].loader.n_errors;
    }
    LoadedError *all = mem_array(total, sizeof *all);
    TaskError *errors = slab_alloc(&set->slab, total * sizeof *errors);
    if (all == NULL || errors == NULL) {
        mem_free(all);
        return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < n_workers; i++) {
        for (size_t k = 0; k < workers[i].loader.n_errors; k++) {
            all[n++] = workers[i].loader.errors[k];
        }
    }
    if (n > 1) {
        qsort(all, n, sizeof *all, compare_errors);
    }
    for (size_t i = 0; i < n; i++) {
        errors[i] = all[i].error;
    }
    set->errors = errors;
    set->n_errors = n;
    mem_free(all);
    return true;
}

static uint64_t hash_of_set(const TaskSet *set) {
    const Task **pointers = mem_array(set->n_tasks, sizeof *pointers);
    if (pointers == NULL) {
        return 0;
    }
    for (size_t i = 0; i < set->n_tasks; i++) {
        pointers[i] = &set->tasks[i];
    }
    uint64_t hash = task_data_hash(pointers, set->n_tasks);
    mem_free(pointers);
    return hash;
}

/* Moves everything that the workers made into the set; false: out of memory. */
static bool finish(TaskSet *set, LoadWorker *workers, size_t n_workers, bool strict) {
    for (size_t i = 0; i < n_workers; i++) {
        set->n_ignored += workers[i].loader.n_ignored;
        if (workers[i].loader.no_memory) {
            return false;
        }
    }
    if (!collect_tasks(set, workers, n_workers) || workers[0].loader.no_memory ||
        !collect_errors(set, workers, n_workers)) {
        return false;
    }
    for (size_t i = 0; i < n_workers; i++) {
        slab_absorb(&set->slab, &workers[i].loader.slab);
    }
    if (strict && set->n_errors > 0) {
        set->n_tasks = 0;
        set->n_errors = 1;
    }
    set->hash = hash_of_set(set);
    return set->hash != 0 || set->n_tasks == 0;
}

static void start_worker(LoadWorker *worker, LoadWork *work, const TaskLoadOptions *options) {
    worker->work = work;
    worker->loader.strict = options->strict;
    worker->loader.max_side = options->max_side;
    worker->loader.solutions = options->solutions;
}

static bool load_files(TaskSet *set, const PathList *files, const TaskLoadOptions *options) {
    size_t n_workers = thread_count(options->jobs, files->n_entries);
    LoadWorker *workers = mem_zalloc(n_workers, sizeof *workers);
    if (workers == NULL) {
        return false;
    }
    LoadWork work = {.files = files, .strict = options->strict};
    atomic_init(&work.stop_at, SIZE_MAX);
    for (size_t i = 0; i < n_workers; i++) {
        start_worker(&workers[i], &work, options);
        workers[i].started = i > 0 && callstack_thread(&workers[i].thread, work_off, &workers[i]);
    }
    work_off(&workers[0]); /* this thread works too, so threads that did not start are not missed */
    for (size_t i = 1; i < n_workers; i++) {
        if (workers[i].started) {
            pthread_join(workers[i].thread, NULL);
        }
    }
    if (files->bad_folder != NULL) {
        workers[0].loader.path = files->bad_folder;
        workers[0].loader.file = files->n_entries;
        workers[0].loader.file_errors = 0;
        parse_error(&workers[0].loader, 0, 0, NULL, files->bad_reason);
    }
    bool good = finish(set, workers, n_workers, options->strict);
    for (size_t i = 0; i < n_workers; i++) {
        loader_free(&workers[i].loader);
    }
    mem_free(workers);
    return good;
}

TaskSet *task_load(const char *const *paths, size_t n_paths, const TaskLoadOptions *options) {
    static const TaskLoadOptions defaults = {0};
    TaskSet *set = mem_zalloc(1, sizeof *set);
    PathList files = {.stop = options != NULL ? options->stop : NULL};
    bool good = set != NULL && paths_expand(&files, &set->slab, paths, n_paths);
    if (good) {
        set->n_files = files.n_entries + files.n_paired;
        good = load_files(set, &files, options ? options : &defaults);
    }
    paths_free(&files);
    if (!good) {
        task_set_free(set);
        return NULL;
    }
    ASSERT(set->n_tasks == 0 || set->tasks != NULL, "%zu tasks nowhere", set->n_tasks);
    LOG(TASK, "%zu tasks of %zu files, %zu refused", set->n_tasks, set->n_files, set->n_errors);
    return set;
}

TaskSet *task_load_memory(const TaskBytes *files, size_t n_files, const TaskLoadOptions *options) {
    static const TaskLoadOptions defaults = {0};
    TaskSet *set = mem_zalloc(1, sizeof *set);
    LoadWorker worker = {0};
    Loader *loader = &worker.loader;
    bool good = set != NULL;
    start_worker(&worker, NULL, options ? options : &defaults);
    loader->named = true;
    for (size_t i = 0; good && i < n_files && !(loader->strict && loader->n_errors > 0); i++) {
        size_t first_task;
        loader->file = i;
        loader->path = slab_text(&set->slab, files[i].name, strlen(files[i].name));
        good = loader->path != NULL && file_copy(&loader->buffer, files[i].bytes, files[i].length) == NULL;
        if (good) {
            parse_file(loader, &first_task);
        }
    }
    if (good) {
        set->n_files = n_files;
        good = finish(set, &worker, 1, loader->strict);
    }
    loader_free(loader);
    if (!good) {
        task_set_free(set);
        return NULL;
    }
    return set;
}

TaskSet *task_load_bytes(const char *name, const void *bytes, size_t length, const TaskLoadOptions *options) {
    return task_load_memory(&(TaskBytes){name, bytes, length}, 1, options);
}
