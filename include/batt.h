/* batt: programs over ARC grids. The public interface of the library.
 *
 *     batt_context *batt = batt_open();
 *     batt_programs *solvers = batt_parse_file(batt, "solvers.py", BATT_MODE_AUTO);
 *     batt_value *v = batt_run(batt, solvers, 0, cells, rows, columns);
 *     if (batt_value_kind(v) == BATT_FAILED)
 *         printf("%s in line %d\n", batt_value_reason(v), batt_value_line(v));
 *     batt_release(v);
 *     batt_programs_free(solvers);
 *     batt_close(batt);
 *
 * Contexts. A context is used by one thread at a time; different threads may use different contexts at the
 * same time. Programs, tasks, results and values do not change once they are made and may be shared between
 * threads and contexts. The stack of the calling thread also limits how deeply functions may be nested (the
 * reason is then "depth"); give threads 4 MiB or more.
 *
 * Values. A function that returns a `batt_value *` gives the caller one reference, which batt_release gives
 * back. The memory behind a value stays in place until the last value that uses it is released, so calls
 * chain without copying.
 *
 * Errors. A call that cannot be carried out returns NULL or 0, and batt_fault_of(context) says why as data: a
 * code, a file, a place, a text. NULL may be passed anywhere and is an error like any other, never a crash;
 * freeing or releasing NULL does nothing. A program that goes wrong is not an error: its result is a value of
 * the kind BATT_FAILED. Nothing here prints, exits, installs signal handlers or reads the environment.
 *
 * ABI. The SOVERSION goes up when a function of this header goes away or changes what it promises; until then
 * functions are only added, under a symbol version of their own (BATT_1, BATT_1.1, ..), and structs with a
 * first member `size` only grow at their end. */
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
typedef struct batt_tasks batt_tasks;
typedef struct batt_trace batt_trace;
typedef struct batt_results batt_results;

BATT_API const char *batt_version(void); /* "0.1.0" */
/* Frees a text that a function returned as `char *`. */
BATT_API void batt_text_free(char *text);

/* ---- contexts ---- */

BATT_API batt_context *batt_open(void); /* NULL: out of memory */
BATT_API void batt_close(batt_context *context);

/* What one evaluation may spend; 0 keeps the default (50 million steps, 256 MB, no time limit). More than 256
 * MB is not available. An evaluation that spends more gives a failed value with the reason steps, memory or
 * time. */
BATT_API void batt_set_budget(batt_context *context, uint64_t steps, uint64_t bytes, uint64_t nanoseconds);

/* Nonzero: calls that would fail give the dialect's defaults instead. Off at first. */
BATT_API void batt_set_safe(batt_context *context, int safe);

/* ---- errors ---- */

enum {
    BATT_FINE,
    BATT_NO_MEMORY,
    BATT_BAD_ARGUMENT, /* NULL, an index or size out of range, an unknown name */
    BATT_BAD_INPUT,    /* a malformed text or file: file, line and column say where */
    BATT_NO_FILE,      /* a file cannot be read or written */
    BATT_BUSY,         /* the context is in the middle of a call: a function that it calls may not use it */
    BATT_BAD_STORE     /* the store cannot be opened or written */
};

typedef struct batt_fault {
    int code;
    const char *file;      /* "" if no file is involved */
    uint32_t line, column; /* from 1; 0: not known */
    const char *text;      /* in words, without file and place */
} batt_fault;

/* What the last call on this context complained about; its code is BATT_FINE if nothing. Lives until the next
 * call. Never NULL. */
BATT_API const batt_fault *batt_fault_of(const batt_context *context);
/* The same as one text with file and place, "" if nothing. For a text that does not parse: all errors, with
 * the lines they are in. */
BATT_API const char *batt_error(const batt_context *context);

/* ---- programs ---- */

enum { BATT_MODE_AUTO = -1, BATT_MODE_CORE = 0, BATT_MODE_BATT = 1 };

/* Python text with functions `def NAME(I):` (core mode) and `def NAME(S, I, C):` (batt mode), or statements
 * `x1 = ...; O = ...`. Functions with an error are left out and the others kept. NULL: the file cannot be
 * read, or out of memory. */
BATT_API batt_programs *batt_parse(batt_context *context, const char *text, size_t length, int mode);
BATT_API batt_programs *batt_parse_file(batt_context *context, const char *path, int mode);
/* Files, and folders with *.py in them or below; n 0: the solvers inside the library. */
BATT_API batt_programs *batt_parse_paths(batt_context *context, const char *const *paths, size_t n, int mode);
BATT_API void batt_programs_free(batt_programs *programs);

BATT_API size_t batt_programs_count(const batt_programs *programs);
/* "" for bare statements */
BATT_API const char *batt_programs_name(const batt_programs *programs, size_t index);
BATT_API int batt_programs_mode(const batt_programs *programs, size_t index);
BATT_API size_t batt_programs_calls(const batt_programs *programs, size_t index);     /* its length */
BATT_API const char *batt_programs_text(const batt_programs *programs, size_t index); /* canonical */
/* 32 hexadecimal digits */
BATT_API const char *batt_programs_hash(const batt_programs *programs, size_t index);
/* The program called NAME or solve_NAME; -1: none. */
BATT_API int64_t batt_programs_find(const batt_programs *programs, const char *name);

/* Errors found while parsing: how many; the k-th as data (1,000 are kept; NULL: there is no k-th); all as
 * text, with the lines they are in. */
BATT_API size_t batt_programs_error_count(const batt_programs *programs);
BATT_API const batt_fault *batt_programs_fault(const batt_programs *programs, size_t k);
BATT_API const char *batt_programs_errors(const batt_programs *programs);

/* ---- evaluation ---- */

/* An expression such as "first((1, 2))", in core or batt mode. NULL: it does not parse. */
BATT_API batt_value *batt_eval(batt_context *context, const char *expression, int mode);

/* A program on a grid of rows * columns cells, row by row. A batt program gets no samples, and gets the grid
 * as its candidate. NULL: there is no such program, or the grid is too large. */
BATT_API batt_value *batt_run(batt_context *context, const batt_programs *programs, size_t index,
                              const int8_t *cells, int rows, int columns);
/* The same on a value. samples and candidate are for batt programs and may be NULL. */
BATT_API batt_value *batt_run_value(batt_context *context, const batt_programs *programs, size_t index,
                                    const batt_value *grid, const batt_value *samples,
                                    const batt_value *candidate);
/* The same with parameters as text: "((0, 1), (1, 0))". */
BATT_API batt_value *batt_run_text(batt_context *context, const batt_programs *programs, size_t index,
                                   const char *grid, const char *samples, const char *candidate);

/* The same line by line: the value of every call. */
BATT_API batt_trace *batt_run_trace(batt_context *context, const batt_programs *programs, size_t index,
                                    const batt_value *grid, const batt_value *samples,
                                    const batt_value *candidate);
BATT_API void batt_trace_free(batt_trace *trace);
BATT_API size_t batt_trace_count(const batt_trace *trace);
BATT_API const char *batt_trace_name(const batt_trace *trace, size_t k); /* the variable: "x1" */
BATT_API const char *batt_trace_call(const batt_trace *trace, size_t k); /* "objects(I, T, F, F)" */
BATT_API int batt_trace_line(const batt_trace *trace, size_t k);
BATT_API batt_value *batt_trace_value(const batt_trace *trace, size_t k);

/* ---- primitives ---- */

/* All primitives, numbered from 0; the numbers of one build are not those of another. */
BATT_API size_t batt_primitive_count(void);
BATT_API int64_t batt_primitive_find(const char *name); /* -1: none */
BATT_API const char *batt_primitive_name(size_t k);     /* "" past the last one, as for the functions below */
BATT_API int batt_primitive_arity(size_t k);
BATT_API const char *
batt_primitive_signature(size_t k); /* "grid: grid, value|color: int, patch: patch -> grid" */
BATT_API const char *batt_primitive_doc(size_t k);
BATT_API const char *batt_primitive_example(size_t k); /* "EXPRESSION -> VALUE", maybe after "batt: " */
BATT_API const char *batt_primitive_family(size_t k);
/* 1: its last parameter may be left out and then is `identity`. */
BATT_API int batt_primitive_optional(size_t k);

/* The named constants of the language, such as ZERO or DOWN. */
BATT_API size_t batt_constant_count(void);
BATT_API const char *batt_constant_name(size_t k); /* "" past the last one */
BATT_API batt_value *batt_constant(batt_context *context, size_t k);

/* The k-th of the words that stand for numbers in the arguments of some primitives, such as the names of
 * features; "" past the last one. A word may occur several times. */
BATT_API const char *batt_symbol(size_t k, int64_t *number);
/* The number that a word stands for in an argument, from 0 on, of the k-th primitive; 0: it is no word there.
 * In other arguments the same word may stand for another number. */
BATT_API int batt_symbol_number(size_t k, size_t argument, const char *word, int64_t *number);

/* A primitive as a value, to be called or handed to others. NULL: no such name; the error text suggests
 * similar ones. */
BATT_API batt_value *batt_primitive(batt_context *context, const char *name);
BATT_API batt_value *batt_primitive_at(batt_context *context, size_t k);

/* Calls a function with n arguments. If it goes wrong the result is a failed value; NULL: not a function, or
 * misuse. */
BATT_API batt_value *batt_call(batt_context *context, const batt_value *function,
                               const batt_value *const *arguments, size_t n, int mode);
/* The same for a primitive by its number. */
BATT_API batt_value *batt_call_primitive(batt_context *context, size_t k, const batt_value *const *arguments,
                                         size_t n, int mode);

/* A C function of yours as a value. It borrows its arguments and returns a value (one reference) or NULL,
 * which is a failure with the reason "type". It may not use the context that calls it. `drop` (may be NULL)
 * is called with `user` when the last value that holds the function is released. arity 1..3, or 0: any. */
typedef batt_value *(*batt_callback)(void *user, const batt_value *const *arguments, size_t n);
BATT_API batt_value *batt_function(batt_context *context, unsigned arity, batt_callback callback, void *user,
                                   void (*drop)(void *user));

/* ---- making values ---- */

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

BATT_API batt_value *batt_retain(const batt_value *value); /* one more reference; NULL for NULL */
BATT_API void batt_release(batt_value *value);

BATT_API batt_value *batt_int(batt_context *context, int64_t number);
/* BATT_NONE, BATT_NAN, BATT_INF, BATT_NEG_INF */
BATT_API batt_value *batt_atom(batt_context *context, int kind);
/* A grid of bytes, or of larger numbers; cells are copied. rows or columns may be 0. */
BATT_API batt_value *batt_grid(batt_context *context, const int8_t *cells, int rows, int columns);
BATT_API batt_value *batt_grid_wide(batt_context *context, const int64_t *cells, int rows, int columns);
BATT_API batt_value *batt_ints(batt_context *context, const int64_t *numbers, size_t n); /* a tuple */
BATT_API batt_value *batt_tuple(batt_context *context, const batt_value *const *items, size_t n);
BATT_API batt_value *batt_set(batt_context *context, const batt_value *const *items, size_t n);
/* A set of places from n pairs of row and column; and an object from n triples of color, row and column. The
 * object's cells are those of the mode: (color, (row, column)) or (row, column, color). */
BATT_API batt_value *batt_indices(batt_context *context, const int32_t *places, size_t n);
BATT_API batt_value *batt_object(batt_context *context, const int32_t *cells, size_t n, int mode);
/* From text: "((0, 1), (1, 0))". */
BATT_API batt_value *batt_literal(batt_context *context, const char *text, size_t length);

/* ---- reading values ---- */

BATT_API int batt_value_kind(const batt_value *value);    /* BATT_FAILED for NULL */
BATT_API int64_t batt_value_int(const batt_value *value); /* 0 if it is not an integer */
BATT_API size_t batt_value_size(const batt_value *value); /* elements of a tuple or set */
/* The k-th element, sets in ascending order. NULL: there is none, or out of memory. */
BATT_API batt_value *batt_value_at(const batt_value *value, size_t k);
BATT_API int batt_value_contains(const batt_value *container, const batt_value *item);
BATT_API int batt_value_equal(const batt_value *a, const batt_value *b); /* a failed value equals nothing */
BATT_API int batt_value_order(const batt_value *a, const batt_value *b); /* canonical: below 0, 0, above 0 */
BATT_API uint64_t batt_value_hash(const batt_value *value);              /* equal values hash equally */

/* Nonzero if the value is a grid with at least one cell, all of them from -128 to 127; then its size is
 * stored. */
BATT_API int batt_value_grid(const batt_value *value, int *rows, int *columns);
/* Copies the cells of such a grid; returns how many there are. At most `room` are written. */
BATT_API size_t batt_value_cells(const batt_value *value, int8_t *cells, size_t room);
/* The cells where they are, alive as long as the value. NULL: not such a grid. */
BATT_API const int8_t *batt_value_cells_in_place(const batt_value *value);
/* Copies a tuple of integers; returns how many there are, or -1 if it is something else. */
BATT_API int64_t batt_value_ints(const batt_value *value, int64_t *numbers, size_t room);
/* What a patch is made of: 2 for places (row, column), 3 for cells (color, row, column) of core mode, 4 for
 * those of batt mode (row, column, color), 0 if it is not a patch, or is empty. */
BATT_API int batt_value_patch_kind(const batt_value *value);
/* Copies a patch: pairs of row and column, or triples of color, row and column (in both modes); returns how
 * many elements there are, of which at most `room` are written, or -1 if it is not a patch. */
BATT_API int64_t batt_value_patch(const batt_value *value, int32_t *cells, size_t room);

/* The value as text, "((0, 1), (1, 0))", cut to size - 1 bytes and terminated. Returns the whole length. */
BATT_API size_t batt_value_text(const batt_value *value, char *text, size_t size);

/* For a failed value: "type", "range", ...; the primitive that failed; the line of the source. Otherwise "",
 * "" and 0. */
BATT_API const char *batt_value_reason(const batt_value *value);
BATT_API const char *batt_value_where(const batt_value *value);
BATT_API int batt_value_line(const batt_value *value);
/* For a function value: how many arguments it takes, 255: any. Otherwise 0. */
BATT_API int batt_value_arity(const batt_value *value);

/* ---- tasks ---- */

/* Any mix of folders, task files, challenges files (with their solutions beside them) and lists of pairs; n
 * 0: the examples inside the library. Malformed tasks are left out and reported by batt_tasks_fault. NULL: no
 * memory. */
BATT_API batt_tasks *batt_tasks_load(batt_context *context, const char *const *paths, size_t n);
/* The same from the bytes of a file; messages call it `name`, which also gives a single task its id. */
BATT_API batt_tasks *batt_tasks_read(batt_context *context, const char *name, const void *bytes,
                                     size_t length);
/* A selection, in the order of the ids given, otherwise in the order of the tasks. n 0: any id; filter NULL:
 * all, or conditions such as "h<=10,colors<=3,same_size". Of those, the first `start` are skipped and at most
 * `count` (0: all) kept. NULL: an unknown id or a malformed filter. The loaded tasks stay alive as long as
 * any selection of them. */
BATT_API batt_tasks *batt_tasks_select(batt_context *context, const batt_tasks *tasks, const char *const *ids,
                                       size_t n, const char *filter, size_t start, size_t count);
/* The tasks of several sets as one set, in the order given. */
BATT_API batt_tasks *batt_tasks_join(batt_context *context, const batt_tasks *const *sets, size_t n);
BATT_API void batt_tasks_free(batt_tasks *tasks);

BATT_API size_t batt_tasks_error_count(const batt_tasks *tasks);
BATT_API const batt_fault *batt_tasks_fault(const batt_tasks *tasks, size_t k); /* NULL: there is none */
BATT_API size_t batt_tasks_count(const batt_tasks *tasks);
BATT_API uint64_t batt_tasks_hash(const batt_tasks *tasks);                /* over ids and grids */
BATT_API const char *batt_task_id(const batt_tasks *tasks, size_t k);      /* "" past the last one */
BATT_API const char *batt_task_source(const batt_tasks *tasks, size_t k);  /* the file it came from */
BATT_API int64_t batt_tasks_find(const batt_tasks *tasks, const char *id); /* -1: none */

enum { BATT_TRAIN, BATT_TEST };   /* which pairs */
enum { BATT_INPUT, BATT_OUTPUT }; /* which grid of a pair */

BATT_API size_t batt_task_pairs(const batt_tasks *tasks, size_t k, int which);
/* Cells of a grid, row by row, alive as long as the tasks. NULL: there is none, or the output is not known.
 */
BATT_API const int8_t *batt_task_grid(const batt_tasks *tasks, size_t k, int which, size_t pair, int side,
                                      int *rows, int *columns);
/* ((input, output), ..) of the training pairs: the parameter S of batt programs. */
BATT_API batt_value *batt_task_samples(batt_context *context, const batt_tasks *tasks, size_t k);

/* What an answer is worth. */
enum {
    BATT_RIGHT,
    BATT_WRONG, /* a grid of the right size with wrong cells */
    BATT_WRONG_SIZE,
    BATT_NOT_GRID,    /* a value, but not a grid of 1..30 rows and columns of colors */
    BATT_FAILURE,     /* a failed value */
    BATT_OVER_BUDGET, /* likewise: steps, memory, time or depth */
    BATT_UNKNOWN,     /* a grid; the right one is not known */
    BATT_NOT_RUN
};
/* -1: no such pair. */
BATT_API int batt_judge(batt_context *context, const batt_tasks *tasks, size_t k, int which, size_t pair,
                        const batt_value *answer);
BATT_API const char *
batt_verdict_name(int verdict); /* "right", "wrong size", ..; "" if there is no such verdict */

/* ---- drawing ---- */

/* Palettes are "classic" (NULL too), "arcprize" and "colorblind". Free the texts with batt_text_free. NULL:
 * an unknown palette, no such task, no memory. */
BATT_API char *batt_task_svg(batt_context *context, const batt_tasks *tasks, size_t k, const char *palette);
/* For a terminal of this many columns (0: lines of any length); colors is 0 (digits), 256 or 1 << 24. */
BATT_API char *batt_task_drawing(batt_context *context, const batt_tasks *tasks, size_t k,
                                 const char *palette, size_t columns, int colors);
/* A grid of at most 64 rows and columns, or two: expected and actual, with wrong cells marked. */
BATT_API char *batt_grid_svg(batt_context *context, const batt_value *grid, const char *palette);
BATT_API char *batt_grid_drawing(batt_context *context, const batt_value *grid, const char *palette,
                                 size_t columns, int colors);
BATT_API char *batt_difference_svg(batt_context *context, const batt_value *expected, const batt_value *got,
                                   const char *palette);
/* The same pictures as PNG: the bytes, and how many there are. Also NULL if this build is without PNG. */
BATT_API char *batt_task_png(batt_context *context, const batt_tasks *tasks, size_t k, const char *palette,
                             size_t *length);

/* ---- many programs, many tasks ---- */

/* What these jobs have in common: how to work, how to watch, how to stop. All zero except `size`: the
 * defaults. */
typedef struct batt_job {
    size_t size;              /* sizeof(batt_job) */
    unsigned jobs;            /* worker threads; 0: one per processor */
    const volatile int *stop; /* set nonzero (by a signal handler, or an atomic store from any thread) to end
                                 soon with the results so far; may be NULL */
    /* Called by the workers, one at a time, when a task (in evolution: a generation) is done. May be NULL. */
    void (*progress)(void *user, size_t done, size_t total);
    void *user;
    int profile; /* 0: none, 1: counts of calls, 2: times by sampling, 3: times of every call */
} batt_job;

typedef struct batt_run_options {
    size_t size;                        /* sizeof(batt_run_options) */
    uint64_t steps, bytes, nanoseconds; /* per evaluation; 0: 50 million, 256 MB, 10 s */
    int all;                            /* every program on every task, not only those named solve_ID */
    int safe;                           /* a failed call gives the dialect's default instead */
} batt_run_options;

/* Programs on tasks, as `batt run`: a program is matched to a task by its name. job and options may be NULL.
 */
BATT_API batt_results *batt_run_tasks(batt_context *context, const batt_programs *programs,
                                      const batt_tasks *tasks, const batt_run_options *options,
                                      const batt_job *job);

typedef struct batt_solve_options {
    size_t size; /* sizeof(batt_solve_options) */
    /* per task; a limit in steps gives the same answers on any machine; both 0: 5 s */
    uint64_t nanoseconds, steps;
    uint64_t bytes;             /* memory per worker; 0: 1 GB */
    unsigned attempts;          /* answers per test, 1..3; 0: 2 */
    const batt_programs *known; /* programs to try first; NULL: those inside the library */
    int without_library;        /* nonzero: none are tried */
    /* keep programs there, try those already there, continue an interrupted run; NULL: none */
    const char *store;
} batt_solve_options;

/* Searches for programs that solve tasks, as `batt solve`. */
BATT_API batt_results *batt_solve(batt_context *context, const batt_tasks *tasks,
                                  const batt_solve_options *options, const batt_job *job);

typedef struct batt_evolve_options {
    size_t size;                       /* sizeof(batt_evolve_options) */
    uint64_t nanoseconds, generations; /* stop when either is used up; both 0: 60 s */
    uint64_t seed;                     /* 0: 1 */
    uint32_t children, population;     /* per task; 0: 800 and 48 */
    const batt_programs *founders;     /* to start from; NULL: all programs of one call */
    const char *store;                 /* keep everything there and continue where it stopped; NULL: none */
} batt_evolve_options;

/* Programs by mutation and selection, as `batt evolve`. */
BATT_API batt_results *batt_evolve(batt_context *context, const batt_tasks *tasks,
                                   const batt_evolve_options *options, const batt_job *job);

/* ---- results ---- */

BATT_API void batt_results_free(batt_results *results);
BATT_API size_t batt_results_count(const batt_results *results);   /* tasks, in the order given */
BATT_API int batt_results_stopped(const batt_results *results);    /* 1: ended by `stop` */
BATT_API double batt_results_seconds(const batt_results *results); /* wall time */
BATT_API const char *batt_results_id(const batt_results *results, size_t k);
/* "solved", "training only", "wrong", "failed", "no program", .., and the reason in words; "" past the last
 * one. */
BATT_API const char *batt_results_status(const batt_results *results, size_t k);
BATT_API const char *batt_results_reason(const batt_results *results, size_t k);
/* 1: right on all pairs whose output is known, within the attempts allowed. */
BATT_API int batt_results_solved(const batt_results *results, size_t k);
/* The programs behind the answers, best first: canonical text. NULL: there is no p-th. */
BATT_API const char *batt_results_program(const batt_results *results, size_t k, size_t p);
/* Cells of an attempt at a test; NULL: none. */
BATT_API const int8_t *batt_results_answer(const batt_results *results, size_t k, size_t test, size_t attempt,
                                           int *rows, int *columns);
/* Everything as JSON; and the profile (docs/profile-format.md), NULL if none was asked for. Free both with
 * batt_text_free. */
BATT_API char *batt_results_json(batt_context *context, const batt_results *results);
BATT_API char *batt_results_profile(batt_context *context, const batt_results *results);
/* The answers as a Kaggle submission: as text, or (path not NULL) into a file that appears whole or not at
 * all; the text is then empty. */
BATT_API char *batt_results_submission(batt_context *context, const batt_results *results, const char *path);

/* Scores a submission against tasks whose outputs are known, as JSON: the figures of `batt score --json`.
 * NULL: it cannot be read. */
BATT_API char *batt_score(batt_context *context, const char *submission, size_t length,
                          const batt_tasks *truth);

#ifdef __cplusplus
}
#endif

#endif
