/* The files that ship inside the library: the example tasks and the solvers.
 * They are the default data of every command, so batt works without a data set. */
#ifndef BATT_DATA_TASKS_EMBEDDED_H
#define BATT_DATA_TASKS_EMBEDDED_H

#include <stddef.h>

typedef struct EmbeddedFile {
    const char *name; /* a task's id, or a solver file's base name ("examples.py") */
    const char *data; /* size bytes, followed by a zero byte that is not counted */
    size_t size;
} EmbeddedFile;

/* Sorted by name. *count receives the number of entries (it may be 0). */
const EmbeddedFile *embedded_tasks(size_t *count);
const EmbeddedFile *embedded_solvers(size_t *count);

#endif
