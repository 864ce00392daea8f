/* Which programs are meant for which task: solve_ID, or solve_ID_anything where there are several. Characters
 * that an identifier cannot hold are '_' in the name. */
#ifndef BATT_SEARCH_RUN_MATCH_PROGRAMS_H
#define BATT_SEARCH_RUN_MATCH_PROGRAMS_H

#include "engine/language/parse.h"
#include "search/run/run.h"

typedef struct Matching {
    RunMatch *by_task;
    uint32_t *programs; /* what by_task points into */
    size_t matched;     /* tasks with a program */
    uint32_t *places;   /* program_places(), where every program is tried on every task; or NULL */
} Matching;

/* False: no memory. */
bool match_programs(const ProgList *programs, const Task *const *tasks, size_t n_tasks, Matching *matching);
void matching_free(Matching *matching);

/* The program of that name: NAME or solve_NAME; NULL if there is none. */
const Program *match_find(const ProgList *programs, const char *name);
/* What follows "solve_" in a program's name; NULL if it does not begin so. */
const char *match_id(const Program *program);
/* The name of a task's program: solve_ID. */
enum { MATCH_NAME_ROOM = TASK_MAX_ID + 8 };
void match_name(char name[MATCH_NAME_ROOM], const char *id);

#endif
