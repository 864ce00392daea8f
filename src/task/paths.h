/* Which files a list of paths means: folders are walked, solutions are put beside their challenges. */
#ifndef BATT_TASK_PATHS_H
#define BATT_TASK_PATHS_H

#include "task/slab.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct PathEntry {
    const char *path;
    bool named;        /* by the user, not met in a folder */
    const char *group; /* the folder it was met in, seen from the one named; NULL: that one */
} PathEntry;

typedef struct PathList {
    PathEntry *entries;
    size_t n_entries, room;
    size_t n_paired; /* solutions files left out because their challenges are in the list */
    const char *bad_folder, *bad_reason; /* the first folder that could not be read */
    const volatile sig_atomic_t *stop;   /* given; set while folders are walked: what was found by then */
} PathList;

/* The files named, and of folders those that end in suffix, with what is below them; hidden ones are left
 * out. False: out of memory. Texts live in the slab. */
bool paths_find(PathList *list, Slab *slab, const char *const *paths, size_t n_paths, const char *suffix);
/* The same for task files: *.json, with solutions put beside their challenges. */
bool paths_expand(PathList *list, Slab *slab, const char *const *paths, size_t n_paths);
void paths_free(PathList *list);

/* The solutions file beside a challenges file, NULL if there is none (or *no_memory). */
const char *paths_solutions(Slab *slab, const char *challenges, bool *no_memory);

#endif
