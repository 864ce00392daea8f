/* Which programs are meant for which task; see match_programs.h. */
#include "search/run/match_programs.h"

#include "base/alloc.h"
#include "base/check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

/* Solvers, and the verifiers of re-arc, which solve a task's grids as well. */
static const char *const prefixes[] = {"solve_", "verify_"};

void match_name(char name[MATCH_NAME_ROOM], const char *id) {
    snprintf(name, MATCH_NAME_ROOM, "%s%s", prefixes[0], id);
}

const char *match_id(const Program *program) {
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        if (strncmp(program->name, prefixes[k], strlen(prefixes[k])) == 0) {
            return program->name + strlen(prefixes[k]);
        }
    }
    return NULL;
}

const Program *match_find(const ProgList *programs, const char *name) {
    for (size_t k = 0; k < programs->count; k++) {
        const Program *program = programs->items[k];
        const char *id = match_id(program);
        if (strcmp(program->name, name) == 0 || (id != NULL && strcmp(id, name) == 0)) {
            return program;
        }
    }
    return NULL;
}

/* ---- matching ---- */

typedef struct NamedProgram {
    const char *id;
    uint32_t program;
} NamedProgram;

/* The order of characters. A name cannot hold all characters of an id, so all except letters and digits count
 * as '_'. That sorts first, so that ID, ID_a and ID_b stand together before ID0. */
static int char_order(char c) {
    return c == '\0' ? 0 : isalnum((unsigned char)c) ? (unsigned char)c : 1;
}

static int compare_ids(const char *a, const char *b) {
    while (*a != '\0' && char_order(*a) == char_order(*b)) {
        a++;
        b++;
    }
    return char_order(*a) - char_order(*b);
}

static int by_id(const void *left, const void *right) {
    const NamedProgram *a = left, *b = right;
    int order = compare_ids(a->id, b->id);
    return order != 0 ? order : (a->program > b->program) - (a->program < b->program);
}

static bool is_for(const char *name, const char *task_id) {
    while (*task_id != '\0' && char_order(*name) == char_order(*task_id)) {
        name++;
        task_id++;
    }
    return *task_id == '\0' && (*name == '\0' || *name == '_');
}

/* Index of the first name that is not less than id. */
static size_t first_from(const NamedProgram *names, size_t n, const char *id) {
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (compare_ids(names[mid].id, id) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

bool match_programs(const ProgList *programs, const Task *const *tasks, size_t n_tasks, Matching *m) {
    size_t n = 0;
    NamedProgram *names = mem_array(programs->count, sizeof *names);
    *m = (Matching){.by_task = mem_zalloc(n_tasks, sizeof *m->by_task),
                    .programs = mem_array(programs->count, sizeof *m->programs)};
    if (names == NULL || m->by_task == NULL || m->programs == NULL) {
        mem_free(names);
        matching_free(m);
        return false;
    }
    for (size_t k = 0; k < programs->count; k++) {
        const char *id = match_id(programs->items[k]);
        if (id != NULL) {
            names[n++] = (NamedProgram){id, (uint32_t)k};
        }
    }
    qsort(names, n, sizeof *names, by_id);
    for (size_t k = 0; k < n; k++) {
        m->programs[k] = names[k].program;
    }
    for (size_t k = 0; k < n_tasks; k++) {
        size_t first = first_from(names, n, tasks[k]->id), end = first;
        while (end < n && is_for(names[end].id, tasks[k]->id)) {
            end++;
        }
        ASSERT(first == 0 || !is_for(names[first - 1].id, tasks[k]->id),
               "%s: its programs do not stand together", tasks[k]->id);
        m->by_task[k] = (RunMatch){m->programs + first, (uint32_t)(end - first)};
        m->matched += end > first;
    }
    mem_free(names);
    return true;
}

void matching_free(Matching *m) {
    mem_free(m->by_task);
    mem_free(m->programs);
    mem_free(m->places);
    *m = (Matching){0};
}
