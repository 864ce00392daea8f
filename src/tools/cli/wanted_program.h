/* The argument PROGRAM of commands that look at one program: a file, FILE:FUNCTION, or a name. */
#ifndef BATT_TOOLS_CLI_WANTED_PROGRAM_H
#define BATT_TOOLS_CLI_WANTED_PROGRAM_H

#include <stdbool.h>

typedef struct WantedProgram {
    char *file;           /* owned; NULL: a name only */
    const char *function; /* NULL: a file only */
} WantedProgram;

bool wanted_program_read(const char *text, WantedProgram *wanted); /* false: no memory */

#endif
