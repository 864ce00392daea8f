/* ARC tasks and sets of them.
 *
 * A TaskSet owns everything it points to (grids, names, messages) until task_set_free; it does not change
 * after loading and may be read by any number of threads. Tasks are sorted by id, so nothing depends on the
 * layout of the files, their order or the number of loading threads. */
#ifndef BATT_DATA_TASKS_TASK_H
#define BATT_DATA_TASKS_TASK_H

#include "base/image.h"
#include "base/out.h"
#include "base/slab.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Grids of the ARC competitions have at most ARC_SIDE rows and columns; other public sets have longer ones.
 */
enum { ARC_SIDE = 30, TASK_MAX_SIDE = 255, TASK_COLORS = 10, TASK_MAX_ID = 200 };

typedef struct TaskPair {
    Image in, out;   /* without an output, out is 0 x 0; a solutions file read on its own has no inputs */
    bool has_output; /* training pairs always have one */
} TaskPair;

typedef struct Task {
    const char *id;
    const TaskPair *train, *test;
    int32_t n_train, n_test;
    uint64_t hash;      /* of the grids, not of the id */
    const char *source; /* the file it came from */
    const char *group;  /* the folder, relative to the one that was named; NULL: none */
    uint32_t line, column;
} Task;

typedef struct TaskError {
    const char *file;
    uint32_t line, column; /* from 1, columns in bytes; 0: the file as a whole */
    const char *id;        /* of the task that was left out; NULL: not the fault of a single task */
    const char *reason;
} TaskError;

typedef struct TaskSet {
    const Task *tasks;
    size_t n_tasks;
    const TaskError *errors; /* by file in the order of the paths, then by place */
    size_t n_errors;
    size_t n_files; /* files read */
    /* files found in a folder that hold no tasks: solutions without challenges, submissions */
    size_t n_ignored;
    uint64_t hash; /* of all ids and grids */
    Slab slab;
} TaskSet;

typedef struct TaskLoadOptions {
    int jobs;         /* loading threads; 0: one per core */
    bool strict;      /* stop at the first error: the set then has no tasks and that one error */
    int max_side;     /* larger grids are refused; 0: TASK_MAX_SIDE */
    bool solutions;   /* a solutions file may stand alone: tasks with test outputs and no inputs */
    const Stop *stop; /* if set, reading ends and the set is incomplete; may be NULL */
} TaskLoadOptions;

/* Loads any mix of: a folder (all *.json in and below it, except hidden ones), a task file, a challenges file
 * (its solutions file is found beside it: the same name with "solutions" for "challenges", '_' and '-' being
 * equal), a list of pairs as re-arc writes it (all become training pairs: such a file has no tests). Invalid
 * tasks are left out and listed in errors; the others are loaded. Unknown keys are ignored, but must be
 * correct JSON. NULL only if memory ran out. options may be NULL. */
TaskSet *task_load(const char *const *paths, size_t n_paths, const TaskLoadOptions *options);

/* The same for files that are already in memory; the name stands for the file in messages and gives the
 * id. */
typedef struct TaskBytes {
    const char *name;
    const void *bytes;
    size_t length;
} TaskBytes;
TaskSet *task_load_memory(const TaskBytes *files, size_t n_files, const TaskLoadOptions *options);
TaskSet *task_load_bytes(const char *name, const void *bytes, size_t length, const TaskLoadOptions *options);

void task_set_free(TaskSet *set);

const Task *task_find(const TaskSet *set, const char *id); /* NULL: not there */

/* Hash of a selection, in the given order; for all tasks of a set it is set->hash. */
uint64_t task_data_hash(const Task *const *tasks, size_t n_tasks);
uint64_t task_content_hash(const Task *task);

/* "file:line:column: task id: reason"; returns what snprintf would. */
int task_error_format(const TaskError *error, char *text, size_t room);

bool task_image_equal(Image a, Image b);
bool task_image_valid(Image image, int32_t max_side); /* sides 1..max_side, cells 0..9 */

/* Append compact JSON. The grids must be valid. */
void task_write_grid(Out *out, Image grid);
void task_write_json(Out *out, const Task *task);

#endif
