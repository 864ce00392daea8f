/* The text of a signature in the table of primitives:
 *
 *   grid: grid, value|color: int, patch: patch -> grid
 *
 * parameters with their names (alternatives separated by `|`) and types, then the result's type. */
#ifndef BATT_ENGINE_LANGUAGE_SIGNATURE_H
#define BATT_ENGINE_LANGUAGE_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

enum { SIGNATURE_MAX = 8 }; /* parameters; the primitives have at most four */

/* Number of the parameter with this name, or -1. */
int signature_param(const char *signature, const char *name, size_t length);
/* "'grid', 'value' and 'patch'" for messages. */
void signature_names(const char *signature, char *text, size_t size);
/* Reads the next parameter from *at on, its names and type as spans, and moves *at behind it. False: only the
 * result is left, and *at is where its type starts. */
typedef struct SignatureParam {
    const char *name, *type;
    size_t name_length, type_length;
} SignatureParam;
bool signature_next(const char **at, SignatureParam *param);

#endif
