/* A strict streaming reader for the JSON that ARC data comes in.
 *
 * It walks the bytes once, writes grids straight into a slab, and builds no tree: a cell costs about a
 * nanosecond, not a heap node. The text must be followed by FILE_PAD zero bytes (fileio.h). After the first
 * error every function returns false, and the reader holds its place and reason. */
#ifndef BATT_DATA_TASKS_SCAN_H
#define BATT_DATA_TASKS_SCAN_H

#include "base/image.h"
#include "base/slab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCAN_MAX_DEPTH = 64, SCAN_REASON_BYTES = 160 };

typedef struct Scanner {
    const uint8_t *start, *next, *end;
    const uint8_t *error_at; /* NULL: no error so far */
    char reason[SCAN_REASON_BYTES];
    bool no_memory; /* the error is a lack of memory, not the text's fault */
    /* how far lines have been counted: places are mostly asked for in ascending order */
    const uint8_t *counted, *line_start;
    uint32_t line;
    int32_t max_side; /* of grids; TASK_MAX_SIDE at first */
} Scanner;

typedef struct ScanSpan { /* a string's bytes between its quotes, escapes left as they are */
    const char *text;
    size_t length;
    bool escaped;
} ScanSpan;

void scan_init(Scanner *reader, const uint8_t *text, size_t length);
bool scan_fail(Scanner *reader, const uint8_t *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool scan_fail_memory(Scanner *reader);
void scan_clear(Scanner *reader, const uint8_t *next); /* forget the error, go on at next */
void scan_place(Scanner *reader, const uint8_t *at, uint32_t *line, uint32_t *column);

uint8_t scan_peek(Scanner *reader); /* the next byte that is not white space; 0 at the end */
const char *scan_what(const Scanner *reader, const uint8_t *at); /* "a string", "the end of the file".. */
bool scan_skip(Scanner *reader); /* any value, its syntax checked; bounded nesting */
bool scan_end(Scanner *reader);  /* nothing but white space may follow */
bool scan_span_is(const ScanSpan *span, const char *text);

/* Walking: open ('[' or '{'), then next_item or next_key until there is no more. `what` names the thing in
 * messages: "the list of pairs". */
bool scan_open(Scanner *reader, uint8_t bracket, const char *what);
bool scan_next_item(Scanner *reader, bool *first, bool *more);
bool scan_next_key(Scanner *reader, bool *first, bool *more, ScanSpan *key, const uint8_t **key_at);

/* One grid: rows of cells 0..9, sides 1..max_side, all rows equally long. Its cells live in the slab. */
bool scan_grid(Scanner *reader, Slab *slab, Image *grid);

#endif
