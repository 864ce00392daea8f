/* Which files a list of paths means: folders are walked, and solutions are paired with their challenges. */
#ifndef BATT_DATA_TASKS_PATHS_H
#define BATT_DATA_TASKS_PATHS_H

#include "base/slab.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct PathEntry {
    const char *path;
    bool named;        /* by the user, not found in a folder */
    const char *group; /* the folder it was found in, relative to the named one; NULL: the named one itself */
} PathEntry;

typedef struct PathList {
    PathEntry *entries;
    size_t n_entries, room;
    size_t n_paired; /* solutions files left out because their challenges are in the list */
    const char *bad_folder, *bad_reason; /* the first folder that could not be read */
    const char **dangling; /* links with the wanted ending that lead nowhere: they are left out */
    size_t n_dangling, dangling_room;
    const Stop *stop; /* input; if it is set during the walk, the list has what was found by then */
} PathList;

/* Finds the named files, and in and below the named folders all files that end in suffix, except hidden ones.
 * False: out of memory. Texts live in the slab. */
bool paths_find(PathList *list, Slab *slab, const char *const *paths, size_t n_paths, const char *suffix);
/* The same for task files: *.json, with solutions paired with their challenges. */
bool paths_expand(PathList *list, Slab *slab, const char *const *paths, size_t n_paths);
void paths_free(PathList *list);

/* The solutions file beside a challenges file, NULL if there is none (or *no_memory). */
const char *paths_solutions(Slab *slab, const char *challenges, bool *no_memory);

#endif
