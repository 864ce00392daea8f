/* The library: programs that are known already, tried on every task before anything is searched. What comes
 * closest to the outputs becomes a base (intermediates.h) from which the other parts go on.
 *
 * All of them form one battery, so that what they share is computed once per input. A Library does not change
 * while it is used: all workers share one. */
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
