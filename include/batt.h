/* batt: programs over ARC grids. The public interface of the library.
 *
 *     batt_context *batt = batt_open();
 *     batt_programs *solvers = batt_parse_file(batt, "solvers.py", BATT_MODE_AUTO);
 *     const batt_value *v = batt_run(batt, solvers, 0, cells, rows, columns);
 *     if (batt_value_kind(v) == BATT_FAILED)
 *         printf("%s in line %d\n", batt_value_reason(v), batt_value_line(v));
 *     batt_programs_free(solvers);
 *     batt_close(batt);
 *
 * A context is used by one thread at a time; any number of contexts may exist. Values belong to their context
 * and live until its next evaluation. How deeply functions may be nested is bounded by the stack of the
 * calling thread, too (the reason is "depth" then); give threads 4 MiB or more. Nothing here aborts, prints
 * or changes global state. All pointers returned are NULL only where it says so. */
#ifndef BATT_H
#define BATT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BATT_API __attribute__((visibility("default")))
#else
#define BATT_API
#endif

typedef struct batt_context batt_context;
typedef struct batt_programs batt_programs;
typedef struct batt_value batt_value;

BATT_API const char *batt_version(void); /* "0.1.0" */

/* ---- contexts ---- */

BATT_API batt_context *batt_open(void); /* NULL: out of memory */
BATT_API void batt_close(batt_context *context);

/* What the last call on this context complained about, "" if nothing. Lives until the next call. */
BATT_API const char *batt_error(const batt_context *context);

/* What one evaluation may spend; 0 keeps the default (50 million steps, 256 MB, no clock). Memory beyond 256
 * MB is not available. An evaluation that spends more is a failed value with the reason steps, memory or
 * time. */
BATT_API void batt_set_budget(batt_context *context, uint64_t steps, uint64_t bytes, uint64_t nanoseconds);

/* Nonzero: calls that would fail give the dialect's defaults instead. Off at first. */
BATT_API void batt_set_safe(batt_context *context, int safe);

/* ---- programs ---- */

enum { BATT_MODE_AUTO = -1, BATT_MODE_CORE = 0, BATT_MODE_BATT = 1 };

/* Python text with functions `def NAME(I):` (core mode) and `def NAME(S, I, C):` (batt mode), or statements
 * `x1 = ...; O = ...`. Functions with an error are left out and the others kept. NULL: the file cannot be
 * read, or out of memory; batt_error says which. */
BATT_API batt_programs *batt_parse(batt_context *context, const char *text, size_t length, int mode);
BATT_API batt_programs *batt_parse_file(batt_context *context, const char *path, int mode);
BATT_API void batt_programs_free(batt_programs *programs);

BATT_API size_t batt_programs_count(const batt_programs *programs);
BATT_API const char *batt_programs_name(const batt_programs *programs,
                                        size_t index); /* "" for bare statements */
BATT_API int batt_programs_mode(const batt_programs *programs, size_t index);
BATT_API const char *batt_programs_text(const batt_programs *programs, size_t index); /* canonical */
BATT_API const char *batt_programs_hash(const batt_programs *programs,
                                        size_t index); /* 32 hexadecimal digits */

/* Errors found while parsing: how many, and their text with places ("" if none). */
BATT_API size_t batt_programs_error_count(const batt_programs *programs);
BATT_API const char *batt_programs_errors(const batt_programs *programs);

/* ---- evaluation ---- */

/* An expression such as "first((1, 2))", in core or batt mode. NULL: it does not parse; see batt_error. */
BATT_API const batt_value *batt_eval(batt_context *context, const char *expression, int mode);

/* A program on a grid of rows * columns cells, row by row. A batt program gets no samples, and the grid as
 * its candidate. NULL: there is no such program, or the grid is too large. */
BATT_API const batt_value *batt_run(batt_context *context, const batt_programs *programs, size_t index,
                                    const int8_t *cells, int rows, int columns);

/* The same with parameters as text: "((0, 1), (1, 0))". samples and candidate may be NULL. */
BATT_API const batt_value *batt_run_text(batt_context *context, const batt_programs *programs, size_t index,
                                         const char *grid, const char *samples, const char *candidate);

/* ---- values ---- */

enum {
    BATT_FAILED,
    BATT_INT,
    BATT_TUPLE,
    BATT_SET,
    BATT_FUNCTION,
    BATT_NONE,
    BATT_NAN,
    BATT_INF,
    BATT_NEG_INF
};

BATT_API int batt_value_kind(const batt_value *value);
BATT_API int64_t batt_value_int(const batt_value *value); /* 0 if it is no integer */
BATT_API size_t batt_value_size(const batt_value *value); /* elements of a tuple or set */
/* The k-th element, sets in ascending order. NULL: there is none, or out of memory. */
BATT_API const batt_value *batt_value_at(const batt_value *value, size_t k);
BATT_API int batt_value_equal(const batt_value *a, const batt_value *b);

/* Nonzero if the value is a grid with at least one cell, all of them from -128 to 127; then its size is
 * stored. */
BATT_API int batt_value_grid(const batt_value *value, int *rows, int *columns);
/* Copies the cells of such a grid; returns how many there are. At most `room` are written. */
BATT_API size_t batt_value_cells(const batt_value *value, int8_t *cells, size_t room);

/* The value as text, "((0, 1), (1, 0))", cut to size - 1 bytes and terminated. Returns the whole length. */
BATT_API size_t batt_value_text(const batt_value *value, char *text, size_t size);

/* Of a failed value: "type", "range", ... and the line of the source, 0 if there is none; else "" and 0. */
BATT_API const char *batt_value_reason(const batt_value *value);
BATT_API int batt_value_line(const batt_value *value);

#ifdef __cplusplus
}
#endif

#endif
