/* The library: known programs, tried on every task before anything is searched. The grids that come
 * closest to the outputs become intermediates (intermediates.h), from which the other strategies
 * continue.
 *
 * All programs form one battery, so that calls they share run once per input. A Library does not
 * change while it is in use: all workers share one. */
#ifndef BATT_SEARCH_STRATEGIES_LIBRARY_H
#define BATT_SEARCH_STRATEGIES_LIBRARY_H

#include "engine/eval/battery.h"

typedef struct Library {
    Battery *battery;
    Program **programs; /* owned; by handle */
    uint32_t count, room;
} Library;

/* NULL: no memory. */
Library *library_open(void);
/* Copies the program. False: no memory. Programs that read the samples (S, C) are skipped, which returns
 * true. */
bool library_add(Library *library, Ctx *ctx, const Program *program);
size_t library_count(const Library *library);
void library_close(Library *library); /* NULL is fine */

#endif
