/* Text on its way out: a growable buffer with one failure flag.
 *
 * Everything that batt prints or exports (tables, JSON, SVG, HTML, profiles) is first written here, then
 * passed on in one piece: to a stream, or to a file that is replaced atomically. A failed allocation sets
 * `failed`, after which every append does nothing; so a writer appends freely and asks once, at the end,
 * whether all went well.
 *
 * Ownership: an Out owns its bytes until out_free. `data` is always NUL-terminated and never NULL. */
#ifndef BATT_BASE_OUT_H
#define BATT_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Appears near the beginning of every file that batt writes and whose format has a place for it, so that batt
 * recognizes its own files. */
#define OUT_MARK "written by batt"

typedef struct Out {
    char *data;  /* never NULL; points to a constant "" until the first byte */
    size_t len;  /* without the terminator */
    size_t cap;  /* 0 while nothing is allocated */
    bool failed; /* sticky: memory ran out, the text is incomplete */
} Out;

void out_init(Out *out);
void out_free(Out *out);                    /* may be called twice; leaves an empty, usable Out */
void out_clear(Out *out);                   /* forgets the text and the failure, keeps the memory */
void out_truncate(Out *out, size_t length); /* drops everything after `length` */

void out_str(Out *out, const char *text);
void out_bytes(Out *out, const void *bytes, size_t count);
void out_char(Out *out, char c);
void out_repeat(Out *out, const char *text, size_t times);
void out_fmt(Out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The text in quotes, as a JSON string. Bytes that are not UTF-8 become U+FFFD, so the result is always
 * valid; `<`, `>` and `&` are written as \u escapes, so that it may also appear inside a <script> element. */
void out_json_string(Out *out, const char *text);

/* Text for an XML or HTML element or a quoted attribute: the five special characters are escaped, and what
 * XML cannot hold at all (control characters, broken UTF-8) becomes U+FFFD. */
void out_xml(Out *out, const char *text);

/* Text from outside on its way to a terminal: control characters (escape sequences among them) become `?`. */
void out_printable(Out *out, const char *text);

/* Columns that a UTF-8 text takes in a terminal. Counts characters: batt itself prints no wide or combining
 * ones. */
size_t out_columns(const char *text);

/* Writes everything to a stream and flushes it. False if the text is incomplete or the stream refused. */
bool out_flush_to(const Out *out, FILE *stream);

/* Writes a file so that readers see either the old one or the whole new one, whatever happens in between:
 * temporary file beside it, fsync, rename. The permissions of an existing file are kept. Anything but a
 * regular file (/dev/stdout, a pipe) is written in place. On failure it returns false, and `why` says what
 * went wrong, naming the path. */
bool out_write_file_atomic(const char *path, const void *bytes, size_t count, char *why, size_t why_size);
/* Removes temporary files of earlier writes of `path` (a folder: of any file in it) whose process was killed:
 * named as out_write_file_atomic names them, older than a minute, and of a process that is gone. */
void out_sweep(const char *path);
bool out_save(const Out *out, const char *path, char *why, size_t why_size);

#endif
