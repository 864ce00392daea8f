/* A store as a solver file, and back.
 *
 * The file is what arc-dsl's users load: two imports, then one function per program, named solve_TASK (the
 * second best solve_TASK_2, and so on). Comments above a function hold what it cannot say itself, so that
 * importing the file into an empty store and exporting that gives the same bytes:
 *
 *     # result: task=00d62c1b score=5000 train=5/5 test=1/1 guard=4/4 steps=812 time_ns=90210 outputs=(16)
 *     # record: task=00d62c1b kind=solver score=6000 speed=12 file=(md5)
 *     # name: 00d62c1b
 *     # primitives: put_first other
 *     # lineage: parents=(32 hex digits),(32 hex digits) mutation=replace x3 by x1
 *     def solve_00d62c1b(I):
 *
 * where (16) stands for 16 hex digits; there may be several records. `primitives` are those of one's own that
 * the program calls; where they are unknown, they are believed to exist. A function with neither `result`,
 * `record` nor `name` is stored under its own name. In the values of task, name and mutation, `%` and
 * whatever would end the value are written as %XX. */
#ifndef BATT_DATA_STORE_SOLVER_FILE_H
#define BATT_DATA_STORE_SOLVER_FILE_H

#include "base/json.h"
#include "data/store/store.h"
#include "engine/language/own.h"

enum { STORE_KEY_HEX = 33 }; /* 32 digits and the NUL */

void store_key_write(const StoreKey *key, char text[STORE_KEY_HEX]);
bool store_key_read(const char *text, StoreKey *key); /* reads 32 hex digits, whatever follows them */
StoreKey store_key_of(ProgHash hash);

/* ---- out ---- */

typedef struct StoreExport {
    const char *const *tasks; /* only these; given these, `best` or `solved`, only programs with results */
    size_t n_tasks;
    int64_t best;        /* how many per task; 0: all */
    bool solved;         /* only what is exact on all training pairs */
    int32_t mode;        /* -1: all */
    const OwnPrims *own; /* that are known; may be NULL */
    int64_t count;       /* out: functions written */
    OwnLacking lacking;  /* out: those that cannot run here */
} StoreExport;

bool store_export(Store *store, StoreExport *wanted, Out *out);

/* One program as the export writes it, under the given function name. False: its text is not a function. */
bool store_write_function(Out *out, const char *name, const StoreProgram *program);
void store_write_lineage(Out *out, const StoreLineage *lineage);

/* ---- in ---- */

typedef struct StoreImport {
    int64_t functions, results, lineage, names, records; /* out: rows put; a program may be known already */
} StoreImport;

/* Puts a program under its hash, as canonical text. `scratch` is for that text. */
bool store_put_parsed(Store *store, const Program *program, Out *scratch);

/* What the comments `# primitives: ..` of a file name, for lang_accept_missing; the caller frees it. NULL: no
 * memory. */
char *store_named_primitives(const Source *source);

/* Puts the parsed programs of a source, with what its comments say about them. With store NULL it only checks
 * the comments and reports those that cannot be read. False: out of memory, or the store failed. */
bool store_import(Store *store, const Source *source, const ProgList *programs, Diags *diags,
                  StoreImport *counts);

/* ---- check ---- */

/* A Lang for texts of stores, which may name primitives that this process does not have. `own` may be NULL.
 * NULL: no memory. */
Lang *store_lang_open(const OwnPrims *own);
/* A stored program, which belongs to the caller; NULL: it does not parse, or no memory. */
Program *store_program_of(Lang *lang, const StoreProgram *stored);

/* Writes the member "lacks": the primitives that a program uses and this process does not have; none, if it
 * has them all. */
void store_json_lacks(Json *json, const Program *program);

/* Whether the text of a stored program is canonical and matches its key; if not, `why` (STORE_ERROR_MAX
 * bytes) gives the reason. */
bool store_verify_text(Lang *lang, const StoreProgram *program, char *why);

#endif
