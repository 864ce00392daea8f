/* What the files of serve/ share. */
#ifndef BATT_TOOLS_SERVE_SERVE_INTERNAL_H
#define BATT_TOOLS_SERVE_SERVE_INTERNAL_H

#include "base/json.h"
#include "data/store/store.h"
#include "engine/language/infer.h"
#include "engine/language/parse.h"
#include "engine/value/ctx.h"
#include "tools/serve/serve.h"

#include <pthread.h>

typedef struct SearchJob SearchJob;
typedef struct TaskList TaskList;

struct Serve {
    ServeOptions options;
    char token[SERVE_TOKEN + 1];
    _Atomic unsigned port;
    double allowance; /* requests still allowed as of `seen_ns` */
    uint64_t seen_ns;
    Ctx ctx; /* for evaluations on behalf of requests */
    Lang *lang;
    Types *types;
    pthread_mutex_t keeping; /* held while the store is used, since the search uses it too */
    Store *store;            /* NULL: none */
    SearchJob *search_job;
    TaskList *tasks;
};

/* ---- task_list.c ---- */

TaskList *task_list_open(const Task *const *tasks, size_t count); /* NULL: no memory */
void task_list_close(TaskList *list);
const Task *task_list_find(const TaskList *list, const char *id); /* NULL: no such task; it stays valid */
void task_list_solved(TaskList *list, const char *id);
/* Adds the tasks of a file and writes their ids as "added". A task whose id another one has gets a number
 * behind it. False: `why` says the reason. */
bool task_list_add(TaskList *list, const char *name, const char *text, size_t length, Json *json, char *why,
                   size_t room);
void task_list_write(const TaskList *list, Json *json);  /* "tasks": what list and filters need */
void task_list_write_task(Json *json, const Task *task); /* its grids */

/* ---- steps.c ---- */

/* Parses a text and picks its program for a task: the one named after the task, else the first. Errors and
 * findings of the type checker go to diags. NULL: there is none. */
Program *steps_parse(Serve *serve, const Task *task, const char *text, size_t length, Diags *diags);
void steps_write_errors(Json *json, const Diags *diags);
/* Writes the output and the verdict of every pair. True: all outputs that are known are right. */
bool steps_write_pairs(Serve *serve, Json *json, const Task *task, const Program *program);
/* The same, and every line of the program on one pair, drawn. False: no memory. */
bool steps_write(Serve *serve, Json *json, const Task *task, const Program *program, uint32_t sample);
/* Puts a program and its results on a task into the store. False: `why` says the reason. */
bool steps_keep(Serve *serve, Ctx *ctx, const Task *task, const Program *program, char *why, size_t room);

/* ---- search_job.c ---- */

SearchJob *search_job_open(Serve *serve); /* NULL: no memory */
void search_job_close(SearchJob *search_job);
bool search_job_begin(SearchJob *search_job, const Task *task,
                      unsigned seconds); /* ends the one before; false: no memory */
void search_job_stop(SearchJob *search_job);
void search_job_write(SearchJob *search_job,
                      Json *json); /* "running", "seconds", "candidates": [..], best first */

#endif
