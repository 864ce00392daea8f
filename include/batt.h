/* batt.h: the public interface of libbatt, which runs and searches programs over ARC grids.
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
 * Contexts. Only one thread at a time may use a context; different threads may use different
 * contexts concurrently. Programs, tasks, results and values are immutable once made and may be
 * shared between threads and contexts. The stack of the calling thread limits the nesting depth of
 * functions (a call that exceeds it fails with the reason "depth"); give threads 4 MiB or more.
 *
 * Values. A function that returns a `batt_value *` returns one reference, which the caller owns and
 * gives back with batt_release. The memory of a value stays in place until the last value that uses
 * it is released, so calls chain without copying.
 *
 * Errors. A call that cannot be carried out returns NULL or 0, and batt_fault_of(context) describes
 * the error as data: a code, a file, a position, a message. NULL is accepted for any argument and
 * is an error like any other, never a crash; freeing or releasing NULL does nothing. A program that
 * fails is not an error: its result is a value of the kind BATT_FAILED. The library does not print,
 * exit, install signal handlers or read the environment.
 *
 * ABI. The SOVERSION is incremented when a function of this header is removed or changes its
 * contract. Until then functions are only added, each release under a symbol version of its own
 * (BATT_1, BATT_1.1, ..), and structs whose first member is `size` only grow at their end. */
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

BATT_API const char *batt_version(void); /* "1.0.0" */
/* Frees a string that a function returned as `char *`. */
BATT_API void batt_text_free(char *text);

/* ---- contexts ---- */

BATT_API batt_context *batt_open(void); /* NULL: out of memory */
BATT_API void batt_close(batt_context *context);

/* Limits one evaluation; 0 keeps the default (50 million steps, 256 MB, no time limit). The maximum
 * for `bytes` is 256 MB. An evaluation that exceeds a limit returns a failed value with the reason
 * "steps", "memory" or "time". */
BATT_API void batt_set_budget(batt_context *context, uint64_t steps, uint64_t bytes, uint64_t nanoseconds);

/* Nonzero: calls that would fail return the defaults of the batt dialect instead. Initially off. */
BATT_API void batt_set_safe(batt_context *context, int safe);

/* ---- errors ---- */

enum {
    BATT_FINE,
    BATT_NO_MEMORY,
    BATT_BAD_ARGUMENT, /* NULL, an index or size out of range, an unknown name */
    BATT_BAD_INPUT,    /* a malformed text or file, at `file`, `line` and `column` */
    BATT_NO_FILE,      /* a file cannot be read or written */
    BATT_BUSY,         /* a callback used the context that is calling it */
    BATT_BAD_STORE     /* the store cannot be opened or written */
};

typedef struct batt_fault {
    int code;
    const char *file;      /* "" if there is none */
    uint32_t line, column; /* from 1; 0: unknown */
    const char *text;      /* the message, without file and position */
} batt_fault;

/* The error of the last call on this context; its code is BATT_FINE if the call succeeded. Valid
 * until the next call. Never NULL. */
BATT_API const batt_fault *batt_fault_of(const batt_context *context);
/* The same as one string with file and position; "" if the call succeeded. For a program text that
 * does not parse: all errors, with the lines they are in. */
BATT_API const char *batt_error(const batt_context *context);

/* ---- programs ---- */

enum { BATT_MODE_AUTO = -1, BATT_MODE_CORE = 0, BATT_MODE_BATT = 1 };

/* Parse Python text that consists of functions `def NAME(I):` (core mode) and `def NAME(S, I, C):`
 * (batt mode), or of statements `x1 = ...; O = ...`. Functions with an error are skipped. Return
 * NULL if the file cannot be read or memory runs out. */
BATT_API batt_programs *batt_parse(batt_context *context, const char *text, size_t length, int mode);
BATT_API batt_programs *batt_parse_file(batt_context *context, const char *path, int mode);
/* Parses files, and the *.py files in folders and their subfolders; n 0: the built-in solvers. */
BATT_API batt_programs *batt_parse_paths(batt_context *context, const char *const *paths, size_t n, int mode);
BATT_API void batt_programs_free(batt_programs *programs);

BATT_API size_t batt_programs_count(const batt_programs *programs);
/* "" for bare statements. */
BATT_API const char *batt_programs_name(const batt_programs *programs, size_t index);
BATT_API int batt_programs_mode(const batt_programs *programs, size_t index);
BATT_API size_t batt_programs_calls(const batt_programs *programs, size_t index); /* its length in calls */
BATT_API const char *batt_programs_text(const batt_programs *programs, size_t index); /* canonical */
/* 32 hexadecimal digits. */
BATT_API const char *batt_programs_hash(const batt_programs *programs, size_t index);
/* The index of the program called NAME, solve_NAME or verify_NAME; -1: none. */
BATT_API int64_t batt_programs_find(const batt_programs *programs, const char *name);

/* Errors found while parsing: their number; the k-th as data (the first 1,000 are kept; NULL: there
 * is no k-th); all of them as text, with the lines they are in. */
BATT_API size_t batt_programs_error_count(const batt_programs *programs);
BATT_API const batt_fault *batt_programs_fault(const batt_programs *programs, size_t k);
BATT_API const char *batt_programs_errors(const batt_programs *programs);

/* What type checking finds, as JSON: an array of objects with "program", "line", "text" and "certain" (it
 * fails whenever that line is reached). Free it with batt_text_free. */
BATT_API char *batt_programs_lint(batt_context *context, const batt_programs *programs);

/* ---- evaluation ---- */

/* Evaluates an expression such as "first((1, 2))", in core or batt mode. NULL: it does not parse. */
BATT_API batt_value *batt_eval(batt_context *context, const char *expression, int mode);

/* Runs a program on a grid of rows * columns cells, row by row. A batt program gets no samples, and
 * the grid as its candidate. NULL: there is no such program, or the grid is too large. */
BATT_API batt_value *batt_run(batt_context *context, const batt_programs *programs, size_t index,
                              const int8_t *cells, int rows, int columns);
/* The same on a value. `samples` and `candidate` are for batt programs and may be NULL. */
BATT_API batt_value *batt_run_value(batt_context *context, const batt_programs *programs, size_t index,
                                    const batt_value *grid, const batt_value *samples,
                                    const batt_value *candidate);
/* The same with parameters as text, such as "((0, 1), (1, 0))". */
BATT_API batt_value *batt_run_text(batt_context *context, const batt_programs *programs, size_t index,
                                   const char *grid, const char *samples, const char *candidate);

/* Runs a program and records the value of every call. */
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

/* All primitives, numbered from 0. The numbers differ between builds. */
BATT_API size_t batt_primitive_count(void);
BATT_API int64_t batt_primitive_find(const char *name); /* -1: none */
BATT_API const char *batt_primitive_name(size_t k);     /* "" past the last one, as for the functions below */
BATT_API int batt_primitive_arity(size_t k);
/* "grid: grid, value|color: int, patch: patch -> grid". */
BATT_API const char *batt_primitive_signature(size_t k);
BATT_API const char *batt_primitive_doc(size_t k);
BATT_API const char *batt_primitive_example(size_t k); /* "EXPRESSION -> VALUE", optionally after "batt: " */
BATT_API const char *batt_primitive_family(size_t k);
/* 1: its last parameter may be omitted and then is `identity`. */
BATT_API int batt_primitive_optional(size_t k);

/* The named constants of the language, such as ZERO or DOWN. */
BATT_API size_t batt_constant_count(void);
BATT_API const char *batt_constant_name(size_t k); /* "" past the last one */
BATT_API batt_value *batt_constant(batt_context *context, size_t k);

/* The k-th symbol: a name that stands for a number in the arguments of some primitives, such as the
 * name of a feature; "" past the last one. A name may occur several times. */
BATT_API const char *batt_symbol(size_t k, int64_t *number);
/* The number that a word stands for in an argument, from 0 on, of the k-th primitive; 0: it is no word there.
 * In other arguments the same word may stand for another number. */
BATT_API int batt_symbol_number(size_t k, size_t argument, const char *word, int64_t *number);

/* A primitive as a value, to be called or passed to other functions. NULL: there is no such name;
 * the error message suggests similar ones. */
BATT_API batt_value *batt_primitive(batt_context *context, const char *name);
BATT_API batt_value *batt_primitive_at(batt_context *context, size_t k);

/* Calls a function with n arguments. If the call fails, the result is a failed value. NULL: not a
 * function, or invalid arguments of batt_call itself. */
BATT_API batt_value *batt_call(batt_context *context, const batt_value *function,
                               const batt_value *const *arguments, size_t n, int mode);
/* The same for a primitive, given by its number. */
BATT_API batt_value *batt_call_primitive(batt_context *context, size_t k, const batt_value *const *arguments,
                                         size_t n, int mode);

/* Why a call or a run failed, in words: "argument 1 'piece' is 5 (int), expected piece"; "" if there is
 * nothing to add to the reason. Free it with batt_text_free. batt_explain_run runs the program once more. */
BATT_API char *batt_explain_call(batt_context *context, size_t k, const batt_value *const *arguments,
                                 size_t n, int mode, const batt_value *failed);
BATT_API char *batt_explain_run(batt_context *context, const batt_programs *programs, size_t index,
                                const batt_value *grid, const batt_value *samples,
                                const batt_value *candidate, const batt_value *failed);

/* Wraps a C function as a value. The callback borrows its arguments and returns a value (one
 * reference), or NULL to fail with the reason "type". It must not use the context that calls it.
 * `drop` (may be NULL) is called with `user` when the last value that holds the function is
 * released. `arity` is 1..3, or 0 for any number of arguments. */
typedef batt_value *(*batt_callback)(void *user, const batt_value *const *arguments, size_t n);
BATT_API batt_value *batt_function(batt_context *context, unsigned arity, batt_callback callback, void *user,
                                   void (*drop)(void *user));

/* ---- primitives of your own ---- */

/* A C function as a primitive. It borrows its arguments and returns a value (one reference); NULL fails with
 * the reason "type". It makes values in `context`, which is its own until it returns and knows none of your
 * primitives; it must not use the context that it is registered in, or keep arguments that are functions.
 *
 * Search and batt_run_tasks call it from their worker threads, several at a time: it must be thread-safe, and
 * give the same result for the same arguments, because results are shared between programs and kept. It ends
 * soon: neither budgets nor `stop` interrupt it, and a call counts as one step. */
typedef batt_value *(*batt_primitive_function)(void *user, batt_context *context,
                                               const batt_value *const *arguments, size_t n);

/* Makes a function a primitive of this context: texts that the context parses may name it, and programs run
 * with it everywhere, in other contexts too. The signature is as batt_primitive_signature gives it, with 1 to
 * 4 parameters, such as "grid: grid, color: int -> grid". `price` is the cost of a call in bits, 1 to 40:
 * batt_solve then tries programs that call it. 0: search does not. Registering a name again replaces it, for
 * what is parsed from then on; names of the language are refused. `drop` (may be NULL) is called with `user`
 * once the context is closed and no program or value needs the function. 1; 0 with the fault set. */
BATT_API int batt_primitive_register(batt_context *context, const char *name, const char *signature,
                                     unsigned price, batt_primitive_function function, void *user,
                                     void (*drop)(void *user));
/* Makes a registered name unknown again; programs that were parsed with it still run. 1; 0: it was unknown.
 */
BATT_API int batt_primitive_forget(batt_context *context, const char *name);
/* For `return batt_fail(context, "..")` in a primitive: NULL. After a run in a context that failed there,
 * batt_explain_run and batt_explain_call tell the message. */
BATT_API batt_value *batt_fail(batt_context *context, const char *why);
/* 1: the program uses primitives of your own. */
BATT_API int batt_programs_own(const batt_programs *programs, size_t index);

/* ---- creating values ---- */

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

BATT_API batt_value *batt_retain(const batt_value *value); /* adds a reference; NULL for NULL */
BATT_API void batt_release(batt_value *value);

BATT_API batt_value *batt_int(batt_context *context, int64_t number);
/* BATT_NONE, BATT_NAN, BATT_INF, BATT_NEG_INF */
BATT_API batt_value *batt_atom(batt_context *context, int kind);
/* A grid of bytes, or of wider integers. The cells are copied. `rows` and `columns` may be 0. */
BATT_API batt_value *batt_grid(batt_context *context, const int8_t *cells, int rows, int columns);
BATT_API batt_value *batt_grid_wide(batt_context *context, const int64_t *cells, int rows, int columns);
BATT_API batt_value *batt_ints(batt_context *context, const int64_t *numbers, size_t n); /* a tuple */
BATT_API batt_value *batt_tuple(batt_context *context, const batt_value *const *items, size_t n);
BATT_API batt_value *batt_set(batt_context *context, const batt_value *const *items, size_t n);
/* A set of indices from n pairs (row, column), and an object from n triples (color, row, column).
 * The object has the cell format of the mode: (color, (row, column)) in core mode, (row, column,
 * color) in batt mode. */
BATT_API batt_value *batt_indices(batt_context *context, const int32_t *places, size_t n);
BATT_API batt_value *batt_object(batt_context *context, const int32_t *cells, size_t n, int mode);
/* Parses a literal such as "((0, 1), (1, 0))". */
BATT_API batt_value *batt_literal(batt_context *context, const char *text, size_t length);

/* ---- reading values ---- */

BATT_API int batt_value_kind(const batt_value *value);    /* BATT_FAILED for NULL */
BATT_API int64_t batt_value_int(const batt_value *value); /* 0 for other kinds */
BATT_API size_t batt_value_size(const batt_value *value); /* elements of a tuple or set */
/* The k-th element; sets are in ascending order. NULL: there is none, or out of memory. */
BATT_API batt_value *batt_value_at(const batt_value *value, size_t k);
BATT_API int batt_value_contains(const batt_value *container, const batt_value *item);
BATT_API int batt_value_equal(const batt_value *a, const batt_value *b); /* a failed value equals nothing */
BATT_API int batt_value_order(const batt_value *a, const batt_value *b); /* canonical order: < 0, 0 or > 0 */
BATT_API uint64_t batt_value_hash(const batt_value *value);              /* equal values hash equally */

/* Nonzero if the value is a grid with at least one cell, all of them in -128..127; its size is then
 * stored in *rows and *columns. */
BATT_API int batt_value_grid(const batt_value *value, int *rows, int *columns);
/* Copies at most `room` cells of such a grid; returns how many it has. */
BATT_API size_t batt_value_cells(const batt_value *value, int8_t *cells, size_t room);
/* The cells without copying, valid as long as the value. NULL: not such a grid. */
BATT_API const int8_t *batt_value_cells_in_place(const batt_value *value);
/* Copies at most `room` elements of a tuple of integers; returns how many it has, or -1 for other
 * values. */
BATT_API int64_t batt_value_ints(const batt_value *value, int64_t *numbers, size_t room);
/* The element format of a patch: 2 for indices (row, column), 3 for core mode cells (color, (row,
 * column)), 4 for batt mode cells (row, column, color), 0 if the value is no patch or empty. */
BATT_API int batt_value_patch_kind(const batt_value *value);
/* Copies at most `room` elements of a patch, as pairs (row, column) or, in both modes, as triples
 * (color, row, column); returns how many it has, or -1 if the value is no patch. */
BATT_API int64_t batt_value_patch(const batt_value *value, int32_t *cells, size_t room);

/* Writes the value as text, such as "((0, 1), (1, 0))", truncated to size - 1 bytes and terminated.
 * Returns the full length. */
BATT_API size_t batt_value_text(const batt_value *value, char *text, size_t size);

/* Of a failed value: the reason ("type", "range", ..), the primitive that failed, and the source
 * line. "", "" and 0 for other values. */
BATT_API const char *batt_value_reason(const batt_value *value);
BATT_API const char *batt_value_where(const batt_value *value);
BATT_API int batt_value_line(const batt_value *value);
/* The number of arguments that a function value takes; 255: any. 0 for other values. */
BATT_API int batt_value_arity(const batt_value *value);

/* ---- tasks ---- */

/* Loads any mix of folders, task files, challenges files (with the solutions file next to them) and
 * lists of pairs, and *.jsonl with a task in every line; n 0: the built-in examples. Malformed tasks are
 * skipped and reported by batt_tasks_fault. NULL: out of memory. */
BATT_API batt_tasks *batt_tasks_load(batt_context *context, const char *const *paths, size_t n);
/* The same from the bytes of a file. `name` appears in messages, and names a single task. */
BATT_API batt_tasks *batt_tasks_read(batt_context *context, const char *name, const void *bytes,
                                     size_t length);
/* Selects tasks: those with the given ids, in that order (n 0: all, in their order), that meet the
 * filter, conditions such as "h<=10,colors<=3,same_size" (NULL: none). Of these, skips the first
 * `start` and keeps at most `count` (0: all). NULL: an id that is unknown or given twice, or a malformed
 * filter. The selection keeps the loaded tasks alive. */
BATT_API batt_tasks *batt_tasks_select(batt_context *context, const batt_tasks *tasks, const char *const *ids,
                                       size_t n, const char *filter, size_t start, size_t count);
/* The tasks at these positions, in that order. NULL: there is no such position, or one is named twice. */
BATT_API batt_tasks *batt_tasks_at(batt_context *context, const batt_tasks *tasks, const size_t *positions,
                                   size_t n);
/* Joins several sets into one, in the given order. The ids of a set are unique, as submissions and stores
 * go by them; NULL: two tasks have the same id. */
BATT_API batt_tasks *batt_tasks_join(batt_context *context, const batt_tasks *const *sets, size_t n);
BATT_API void batt_tasks_free(batt_tasks *tasks);

typedef struct batt_synth_options {
    size_t size;          /* sizeof(batt_synth_options) */
    const char *families; /* "rays,fill_holes"; NULL: all */
    uint64_t count;       /* tasks in all; 0: one per family */
    unsigned pairs;       /* training pairs per task; 0: 3 */
    int tests;            /* tests per task; 0: 1, -1: none */
    uint64_t seed;        /* another seed gives other tasks */
} batt_synth_options;

/* Generates tasks, as `batt synth` does; `options` may be NULL. If `programs` is not NULL, it gets the text
 * of their solvers, to be freed with batt_text_free. NULL: there is no such family, or out of memory. */
BATT_API batt_tasks *batt_tasks_synth(batt_context *context, const batt_synth_options *options,
                                      char **programs);

BATT_API size_t batt_tasks_error_count(const batt_tasks *tasks);
BATT_API const batt_fault *batt_tasks_fault(const batt_tasks *tasks, size_t k); /* NULL: there is none */
BATT_API size_t batt_tasks_count(const batt_tasks *tasks);
BATT_API uint64_t batt_tasks_hash(const batt_tasks *tasks);                /* of ids and grids */
BATT_API const char *batt_task_id(const batt_tasks *tasks, size_t k);      /* "" past the last one */
BATT_API const char *batt_task_source(const batt_tasks *tasks, size_t k);  /* the file it came from */
BATT_API int64_t batt_tasks_find(const batt_tasks *tasks, const char *id); /* -1: none */

enum { BATT_TRAIN, BATT_TEST };   /* which pairs */
enum { BATT_INPUT, BATT_OUTPUT }; /* which grid of a pair */

BATT_API size_t batt_task_pairs(const batt_tasks *tasks, size_t k, int which);
/* The cells of a grid, row by row, valid as long as the tasks. NULL: there is no such grid, or the
 * output is unknown. */
BATT_API const int8_t *batt_task_grid(const batt_tasks *tasks, size_t k, int which, size_t pair, int side,
                                      int *rows, int *columns);
/* The training pairs as ((input, output), ..): the parameter S of batt programs. */
BATT_API batt_value *batt_task_samples(batt_context *context, const batt_tasks *tasks, size_t k);

/* Verdicts on an answer. */
enum {
    BATT_RIGHT,
    BATT_WRONG, /* a grid of the right size with wrong cells */
    BATT_WRONG_SIZE,
    BATT_NOT_GRID,    /* a value, but not a grid of colors with 1..30 rows and columns */
    BATT_FAILURE,     /* a failed value */
    BATT_OVER_BUDGET, /* a failed value: steps, memory, time or depth */
    BATT_UNKNOWN,     /* a grid; the right output is unknown */
    BATT_NOT_RUN
};
/* Judges an answer to a pair. -1: there is no such pair. */
BATT_API int batt_judge(batt_context *context, const batt_tasks *tasks, size_t k, int which, size_t pair,
                        const batt_value *answer);
/* "right", "wrong size", ..; "" if there is no such verdict. */
BATT_API const char *batt_verdict_name(int verdict);

/* ---- drawing ---- */

/* Palettes are "classic" (the default, also for NULL), "arcprize" and "colorblind". Free the
 * returned strings with batt_text_free. NULL: an unknown palette, no such task, or out of memory. */
BATT_API char *batt_task_svg(batt_context *context, const batt_tasks *tasks, size_t k, const char *palette);
/* For a terminal with this many columns (0: lines of any length). `colors` is 0 (digits), 256 or
 * 1 << 24. */
BATT_API char *batt_task_drawing(batt_context *context, const batt_tasks *tasks, size_t k,
                                 const char *palette, size_t columns, int colors);
/* Draw a grid of at most 64 rows and columns, or two: expected and actual, with wrong cells marked. */
BATT_API char *batt_grid_svg(batt_context *context, const batt_value *grid, const char *palette);
BATT_API char *batt_grid_drawing(batt_context *context, const batt_value *grid, const char *palette,
                                 size_t columns, int colors);
BATT_API char *batt_difference_svg(batt_context *context, const batt_value *expected, const batt_value *got,
                                   const char *palette);
/* The picture of batt_task_svg as PNG; stores the number of bytes in *length. */
BATT_API char *batt_task_png(batt_context *context, const batt_tasks *tasks, size_t k, const char *palette,
                             size_t *length);

/* Any value as a picture: a grid, a patch, a set of objects (lit over the grid `over`, which may be NULL), a
 * tuple or set of grids. "" (of 0 bytes): numbers and functions have none. */
BATT_API char *batt_value_svg(batt_context *context, const batt_value *value, const batt_value *over,
                              const char *palette);
BATT_API char *batt_value_png(batt_context *context, const batt_value *value, const batt_value *over,
                              const char *palette, size_t *length);
/* An input and its output (NULL: unknown) side by side. */
BATT_API char *batt_pair_svg(batt_context *context, const batt_value *input, const batt_value *output,
                             const char *palette);
BATT_API char *batt_pair_png(batt_context *context, const batt_value *input, const batt_value *output,
                             const char *palette, size_t *length);

/* ---- many programs, many tasks ---- */

/* Options common to all jobs: threads, progress, stopping. All members zero except `size` are the
 * defaults. */
typedef struct batt_job {
    size_t size;              /* sizeof(batt_job) */
    unsigned jobs;            /* worker threads; 0: one per processor */
    const volatile int *stop; /* may be NULL. Set it nonzero (from a signal handler, or by an atomic store
                                 from any thread) to end the job early with the results so far */
    /* May be NULL. Called by the workers, one at a time, after each task (in evolution: generation). */
    void (*progress)(void *user, size_t done, size_t total);
    void *user;
    int profile; /* 0: none, 1: counts of calls, 2: times by sampling, 3: times of every call */
    /* May be NULL. Called by the workers, one at a time, when the task at a position has a result, and again
     * when it has a better one. `result` holds this task alone; the function owns it and frees it with
     * batt_results_free, in any thread and at any time. */
    void (*found)(void *user, size_t position, batt_results *result);
} batt_job;

typedef struct batt_run_options {
    size_t size;                        /* sizeof(batt_run_options) */
    uint64_t steps, bytes, nanoseconds; /* per evaluation; 0: 50 million, 256 MB, 10 s */
    int all;                            /* run every program on every task, not only those named solve_ID */
    int safe;                           /* a failed call returns the default of the batt dialect instead */
    const char *device; /* with `all`: backend for batched operations: "cpu", "auto", "opencl:0";
                           NULL: "cpu" */
} batt_run_options;

/* Runs programs on tasks, as `batt run` does: a program is matched to a task by its name. `options`
 * and `job` may be NULL, here and below. */
BATT_API batt_results *batt_run_tasks(batt_context *context, const batt_programs *programs,
                                      const batt_tasks *tasks, const batt_run_options *options,
                                      const batt_job *job);

typedef struct batt_solve_options {
    size_t size; /* sizeof(batt_solve_options) */
    /* per task; both 0: 5 s. A limit in steps gives the same answers on any machine */
    uint64_t nanoseconds, steps;
    uint64_t bytes;             /* memory per worker; 0: 1 GB */
    unsigned attempts;          /* answers per test, 1..3; 0: 2 */
    const batt_programs *known; /* programs to try first; NULL: the built-in ones */
    int without_library;        /* nonzero: try no known programs */
    /* file that keeps programs: those in it are tried, and an interrupted run resumes; NULL: none */
    const char *store;
    /* wall-clock limit for all tasks; 0: none. Without `nanoseconds` each task gets its share of it. Cannot
     * be combined with `steps` */
    uint64_t total_nanoseconds;
    unsigned split;      /* subsearches per task, which may run at the same time; 0: 1 */
    const char *without; /* strategies to disable, "stamps,enumeration"; NULL: none */
    const char *set;     /* tunables of search, "NAME=VALUE,NAME=VALUE"; NULL: the defaults */
    const char *device;  /* backend for batched operations: "cpu", "auto", "opencl:0"; NULL: "cpu" */
    int without_own;     /* nonzero: leave out the primitives that were registered with a price */
} batt_solve_options;

/* Searches for programs that solve tasks, as `batt solve` does. */
BATT_API batt_results *batt_solve(batt_context *context, const batt_tasks *tasks,
                                  const batt_solve_options *options, const batt_job *job);

typedef struct batt_evolve_options {
    size_t size;                       /* sizeof(batt_evolve_options) */
    uint64_t nanoseconds, generations; /* stop at the first limit reached; both 0: 60 s */
    uint64_t seed;                     /* 0: 1 */
    uint32_t children, population;     /* per task; 0: 800 and 48 */
    const batt_programs *founders;     /* the first population; NULL: all programs of one call */
    const char *store;  /* file that keeps the state: a later run resumes from it; NULL: none */
    uint32_t max_calls; /* length of the longest program; 0: the default */
    uint64_t max_steps; /* for one program on one sample; 0: the default */
    const char *device; /* backend for batched operations; NULL: "cpu" */
    int mode;           /* BATT_MODE_CORE or BATT_MODE_BATT: of the programs of one call; without founders */
    const batt_programs *differs; /* besides the built-in ones, rate how close outputs come; NULL: none */
} batt_evolve_options;

/* Evolves programs by mutation and selection, as `batt evolve` does. */
BATT_API batt_results *batt_evolve(batt_context *context, const batt_tasks *tasks,
                                   const batt_evolve_options *options, const batt_job *job);

/* ---- results ---- */

BATT_API void batt_results_free(batt_results *results);
BATT_API size_t batt_results_count(const batt_results *results);   /* tasks, in the given order */
BATT_API int batt_results_stopped(const batt_results *results);    /* 1: ended by `stop` */
BATT_API double batt_results_seconds(const batt_results *results); /* wall time */
BATT_API const char *batt_results_id(const batt_results *results, size_t k);
/* "solved", "training only", "wrong", "failed", "no program", ..; and why, in a few words. "" past
 * the last one. */
BATT_API const char *batt_results_status(const batt_results *results, size_t k);
BATT_API const char *batt_results_reason(const batt_results *results, size_t k);
/* 1: right, within the allowed attempts, on all pairs whose output is known. */
BATT_API int batt_results_solved(const batt_results *results, size_t k);
/* The canonical text of the p-th program behind the answers, best first. NULL: there is none. */
BATT_API const char *batt_results_program(const batt_results *results, size_t k, size_t p);
/* The cells of an attempt at a test. NULL: there is none. */
BATT_API const int8_t *batt_results_answer(const batt_results *results, size_t k, size_t test, size_t attempt,
                                           int *rows, int *columns);
/* All results as JSON, and the profile (docs/formats.md; NULL if none was requested). Free
 * both with batt_text_free. */
BATT_API char *batt_results_json(batt_context *context, const batt_results *results);
BATT_API char *batt_results_profile(batt_context *context, const batt_results *results);
/* The answers as a Kaggle submission. With a path, writes the file atomically and returns an empty
 * string; with NULL, returns the text. */
BATT_API char *batt_results_submission(batt_context *context, const batt_results *results, const char *path);

/* A profile (of batt_results_profile) in the format that a file name says: *.json, *.csv, *.folded,
 * *.speedscope.json, *.callgrind, *.html. NULL: the name says none, or the profile cannot be read. Free it
 * with batt_text_free. */
BATT_API char *batt_profile_export(batt_context *context, const char *profile, size_t length,
                                   const char *name);

/* The devices that OpenCL offers, as JSON: "devices" with "number", "name", "platform" and "version"; without
 * any, "why". Free it with batt_text_free. */
BATT_API char *batt_devices(batt_context *context);

/* ---- stores ---- */

/* What a store holds, as JSON with the members of `batt store --json`: figures; the k best programs (0: all)
 * of a task (NULL: of every task), best first; a program, named by its hash, and its ancestors, nearest first
 * (at most 1,000). Free them with batt_text_free. NULL: the file cannot be read, or is no store. A program
 * that uses primitives which this context does not have is named with them as "lacks"; jobs with a store
 * leave it alone. */
BATT_API char *batt_store_stats(batt_context *context, const char *path);
BATT_API char *batt_store_best(batt_context *context, const char *path, const char *task, size_t k);
BATT_API char *batt_store_lineage(batt_context *context, const char *path, const char *program);

/* Scores a submission against tasks with known outputs; returns the JSON of `batt score --json`.
 * NULL: the submission cannot be read. */
BATT_API char *batt_score(batt_context *context, const char *submission, size_t length,
                          const batt_tasks *truth);

/* ---- commands ---- */

/* Runs a command of the command line in this process, with its options: {"net", "--steps", "100", "--json",
 * "task.json"}. All commands but serve, bench and help; their options, defaults and files are those of `batt
 * COMMAND --help`. Returns what the command prints on standard output. NULL: an option or a file is bad, and
 * batt_fault_of says what. `stop` is as in batt_job; `messages` gets what the command prints on standard
 * error, `status` its exit code (1: not everything was solved or right; 130: stopped); all three may be NULL.
 * Free the texts with batt_text_free. */
BATT_API char *batt_command(batt_context *context, const char *const *arguments, size_t n,
                            const volatile int *stop, char **messages, int *status);

#ifdef __cplusplus
}
#endif

#endif
