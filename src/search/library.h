/* The library: programs that are known already, tried on every task before anything is searched.
 *
 * All of them are one battery, so that what they share is computed once an input. A Library does not change
 * while it is used: all workers share one. */
#ifndef BATT_SEARCH_LIBRARY_H
#define BATT_SEARCH_LIBRARY_H

#include "exec/battery.h"

typedef struct Library {
    Battery *battery;
    Program **programs; /* owned; by handle */
    uint32_t count, room;
} Library;

/* NULL: no memory. */
Library *library_open(void);
/* Copies the program. False: no memory. Programs that read the samples (S, C) are left out: true. */
bool library_add(Library *library, Ctx *ctx, const Program *program);
void library_close(Library *library); /* NULL is fine */

#endif
