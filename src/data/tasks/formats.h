/* One file's bytes -> tasks and errors. Used by load_tasks.c, one Loader per thread.
 *
 * Errors and tasks are appended in the order of the file; `file` numbers keep that order across threads. */
#ifndef BATT_DATA_TASKS_FORMATS_H
#define BATT_DATA_TASKS_FORMATS_H

#include "base/fileio.h"
#include "data/tasks/scan.h"
#include "data/tasks/task.h"

typedef struct LoadedTask {
    Task task;
    size_t file;
} LoadedTask;

typedef struct LoadedError {
    TaskError error;
    size_t file, error_order; /* rank: order among the errors of a file */
} LoadedError;

typedef struct Loader {
    Slab slab;
    FileBuffer buffer;
    TaskPair *pairs; /* of the task being read, before they move into the slab */
    size_t n_pairs, pairs_room;
    LoadedTask *tasks;
    size_t n_tasks, tasks_room;
    LoadedError *errors;
    size_t n_errors, errors_room;
    size_t n_ignored;
    bool no_memory;
    /* the file being read */
    const char *path; /* lives in the slab of the set */
    size_t file, file_errors;
    bool strict, solutions;
    int32_t max_side;  /* 0: TASK_MAX_SIDE */
    const char *group; /* the folder, relative to the one that was named, or NULL */
    bool named;        /* by the user, not found in a folder: then it must hold tasks */
} Loader;

/* Parses loader->buffer as the file loader->path. Returns true if it was a challenges file, which may have a
 * solutions file; its tasks are those from *first_task on. */
bool parse_file(Loader *loader, size_t *first_task);

/* Parses loader->buffer as the solutions of the tasks from first_task on; PARSE_ALONE: makes tasks of
 * them. */
#define PARSE_ALONE SIZE_MAX
void parse_solutions(Loader *loader, size_t first_task);

/* Shared by the parsers of all layouts. */
void parse_keep(Loader *loader, Task *task);                      /* append it, with source and hash */
void parse_note(Loader *loader, Scanner *reader, const char *id); /* append the reader's error */
/* After an error inside the value at start: notes it and skips the value; false: that is impossible. */
bool parse_recover(Loader *loader, Scanner *reader, const uint8_t *start, const char *id);

void parse_error(Loader *loader, uint32_t line, uint32_t column, const char *id, const char *reason);
void parse_unreadable(Loader *loader, const char *why);       /* what file_read said about the file */
bool parse_task(Loader *loader, Scanner *reader, Task *task); /* false: the reader has the error */
bool parse_is_lines(const char *path);                        /* by its name, *.jsonl */
void parse_lines(Loader *loader, Scanner *reader);
bool parse_id_valid(const char *id, size_t length);
void *parse_room(Loader *loader, void *array, size_t count, size_t *room, size_t size); /* grown or NULL */
bool parse_pair_room(Loader *loader,
                     Scanner *reader); /* for one more pair; false: no memory, which is reported */
void loader_free(Loader *loader);

#endif
