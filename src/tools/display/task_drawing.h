/* Shows tasks to people: in the terminal, as a picture, on a page. Shared by show and run. */
#ifndef BATT_TOOLS_DISPLAY_TASK_DRAWING_H
#define BATT_TOOLS_DISPLAY_TASK_DRAWING_H

#include "search/run/run.h"
#include "tools/display/draw.h"
#include "tools/display/html.h"

/* A strip for every pair of some tasks; owns the strips and their labels, borrows the grids. */
typedef struct TaskView {
    DrawStrip *strips;
    size_t count;
    char (*labels)[TASK_MAX_ID + 32];
} TaskView;

/* with_ids: labels say which task a pair belongs to. False: out of memory. */
bool task_view_make(TaskView *view, const Task *const *tasks, size_t n_tasks, bool with_ids);
void task_view_free(TaskView *view);

/* "train 2", "test 1": the name of a task's pair, training pairs first. */
void task_pair_label(const Task *task, uint32_t pair, char *text, size_t room);

/* A heading with the task's id and its key figures, then all its pairs. */
void task_draw(Out *out, const TermStyle *style, const Task *task);

/* Adds the task and, if programs ran, their results to a gallery. */
void task_gallery(Page *page, const RunTask *result, bool ran); /* ran false: only the task */

#endif
