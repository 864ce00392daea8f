/* Text to be read, where it came from, and what is wrong with it. */
#ifndef BATT_ENGINE_LANGUAGE_SOURCE_H
#define BATT_ENGINE_LANGUAGE_SOURCE_H

#include "base/out.h"

#include <stdint.h>

enum { SOURCE_LIMIT = 64 << 20 }; /* bytes; a larger file is not a solver file */

typedef struct Source {
    const char *name; /* for messages; not owned */
    const char *text;
    size_t length;
    const char *function; /* what its functions are called instead of their own names, where its path says
                             whose they are; or NULL. Not owned */
    bool collection; /* of the Python pipeline: a function over I alone is in the dialect if it calls what
                        only the dialect has */
    char *owned;     /* what source_free frees */
} Source;

/* Read a file ("-": standard input). False: `why` says what went wrong, without the path. */
bool source_read(Source *source, const char *path, char *why, size_t why_size);
Source source_of(const char *name, const char *text, size_t length); /* borrows both */
void source_free(Source *source);

/* A finding, and all findings of a text in the order they were made. */
typedef struct Diag {
    uint32_t line, column; /* from 1; column counts characters */
    bool warning;
    size_t offset;  /* in the source */
    size_t message; /* in Diags.text */
} Diag;

enum { DIAGS_KEPT = 1000 }; /* further ones are only counted */

typedef struct Diags {
    Diag *items;
    size_t count, room;
    size_t errors, warnings; /* all of them */
    Out text;
    Diag last; /* the last one: places mostly ascend, so lines are counted from there */
} Diags;

void diags_init(Diags *diags);
void diags_clear(Diags *diags);
void diags_free(Diags *diags);
void diags_add(Diags *diags, const Source *source, size_t offset, bool warning, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
static inline const char *diags_message(const Diags *diags, const Diag *diag) {
    return diags->text.data + diag->message;
}

/* "file:line:column: error: message", the line, and a caret below the place. Long lines are cut to a window.
 */
void diags_write(Out *out, const Source *source, const Diags *diags);

#endif
