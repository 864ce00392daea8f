/* Choosing tasks from a set: by id, by their properties, at random, by position.
 *
 * They apply one after another: ids first, then the filter, then the sample, then start and count. The order
 * is that of the set (by id), or that of the ids if they are named.
 *
 * A filter is a list of conditions separated by commas, all of which must hold:
 *     name op number     op is one of <  <=  =  ==  !=  >=  >
 *     same_size          every known output has its input's size
 *     !same_size         some known output has not
 * Names:  h w        largest height and width among all grids of the task
 *         in_h in_w  the same among inputs            out_h out_w  among known outputs
 *         cells      cells of the largest grid        colors       different colors in all grids
 *         pairs      training pairs                   tests        test inputs
 * For example: h<=10,w<=10,colors<=3,pairs>=3,same_size */
#ifndef BATT_DATA_TASKS_SELECT_H
#define BATT_DATA_TASKS_SELECT_H

#include "data/tasks/task.h"

enum { SELECT_WHY_BYTES = 256 };

typedef struct SelectOptions {
    const char *const *ids; /* each may be a list "a,b"; none: all tasks */
    size_t n_ids;
    const char *filter; /* NULL: everything passes */
    size_t sample;      /* how many are drawn; 0: all */
    uint64_t seed;      /* of the draw */
    size_t start;       /* how many to skip */
    size_t count;       /* 0: all that follow */
} SelectOptions;

typedef struct TaskFacts {
    int32_t h, w, in_h, in_w, out_h, out_w, cells, colors, pairs, tests;
    bool same_size;
} TaskFacts;

/* The numbers that filters ask about. */
TaskFacts select_facts(const Task *task);

/* The chosen tasks, to be freed with mem_free; at most set->n_tasks, none twice. NULL: why says what is wrong
 * (an unknown id, the place where a filter is malformed, no memory). It is not an error if no task is
 * left. */
const Task **select_tasks(const TaskSet *set, const SelectOptions *options, size_t *n_tasks,
                          char why[SELECT_WHY_BYTES]);

/* Keeps n random tasks, in their order; all choices are equally likely. */
void select_sample(const Task **tasks, size_t *n_tasks, size_t n, uint64_t seed);

/* Ids from a file: words between blanks or commas; a # begins a comment. */
typedef struct SelectIds {
    char *text;
    const char **items; /* point into the text */
    size_t count;
} SelectIds;
bool select_ids_read(SelectIds *ids, const char *path, char why[SELECT_WHY_BYTES]);
void select_ids_free(SelectIds *ids);

#endif
