/* Writing JSON without having to think of commas.
 *
 * A Json writes to an Out, in order: open an object or array, write keys and values, close it. There are two
 * layouts: compact (indent 0) and indented. Numbers are written so that reading them back gives the same
 * number; NaN and infinity, which JSON lacks, become null. Misuse (a value without its key, an unbalanced
 * end) is an assertion, not an error: it is a bug in the caller. */
#ifndef BATT_BASE_JSON_H
#define BATT_BASE_JSON_H

#include "base/image.h"
#include "base/out.h"

#include <stdbool.h>
#include <stdint.h>

enum { JSON_MAX_DEPTH = 64 };

typedef struct Json {
    Out *out;
    int indent; /* spaces per level; 0: everything on one line */
    int depth;
    bool after_key;
    bool any[JSON_MAX_DEPTH];  /* this level has a member already */
    bool flat[JSON_MAX_DEPTH]; /* this level stays on one line */
    bool array[JSON_MAX_DEPTH];
} Json;

Json json_on(Out *out, int indent);

void json_begin_object(Json *json);
/* An object of the outermost level whose first member says what it is, as "batt.solve/1": docs/schema has a
 * file of that name, and the number goes up when a member changes its meaning or goes away. */
void json_begin_report(Json *json, const char *schema);
void json_end_object(Json *json);
void json_begin_array(Json *json);
/* an array kept on one line even in the indented layout; closed with json_end_array */
void json_begin_row(Json *json);
void json_end_array(Json *json);

void json_key(Json *json, const char *key);

/* NULL is written as null; the name json_string belongs to jansson */
void json_text(Json *json, const char *text);
void json_int(Json *json, int64_t number);
void json_uint(Json *json, uint64_t number);
void json_double(Json *json, double number);
void json_fixed(Json *json, double number, int digits); /* with this many digits after the point */
void json_none(Json *json);
void json_raw(Json *json, const char *text); /* `text` is JSON already */

/* rows of numbers; in the indented layout all on one line, or one line per row; null if there are no cells */
void json_image(Json *json, Image image, bool one_line);

/* key and value in one call, as most lines of a report need */
void json_kv_string(Json *json, const char *key, const char *text);
void json_kv_int(Json *json, const char *key, int64_t number);
void json_kv_uint(Json *json, const char *key, uint64_t number);
void json_kv_double(Json *json, const char *key, double number);
void json_kv_fixed(Json *json, const char *key, double number, int digits);
void json_kv_bool(Json *json, const char *key, bool truth);

#endif
