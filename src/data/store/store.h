/* The store: programs, what they scored, where they came from, and the runs that found them. One SQLite file.
 *
 * Promises:
 *   - A row is saved once the commit that holds it has returned: store_saved counts those and nothing else.
 *     Rows are queued and committed together, at the latest STORE_COMMIT_MS after the first of them, provided
 *     that store_tick or a put is called that often. Killing the process or cutting the power loses the queue
 *     but never damages the file.
 *   - Several processes may use one store at once: the write lock is held only while a queue is written.
 *   - A file that is not ours, is damaged, or comes from a newer batt is refused and not changed by a byte.
 * Its schema must be ours to the letter, so nothing that somebody wrote into a file is ever evaluated.
 *   - When writing fails (disk full, another process holding the lock), the queue stays, and the next flush
 *     tries again.
 *
 * Ownership: a Store belongs to one thread at a time. What is put is copied. What a callback is given lives
 * until the callback returns. A callback may read the store and put rows (they are queued), but not flush it.
 *
 * Functions that return bool return false on failure; store_error then says why, naming the file. */
#ifndef BATT_DATA_STORE_STORE_H
#define BATT_DATA_STORE_STORE_H

#include "base/out.h"
#include "base/statistics.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STORE_SCHEMA = 5,         /* the schema version this code writes; older ones are migrated */
    STORE_COMMIT_MS = 500,    /* longest time a row waits for its commit: half of the second we promise */
    STORE_QUEUE_ROWS = 16384, /* rows that wait */
    STORE_QUEUE_BYTES = 8 << 20,
    STORE_BUSY_MS = 10000, /* how long to wait for another process before giving up */
    STORE_TASK_MAX = 200,  /* longest task id and program name, in bytes */
    STORE_TEXT_MAX = 4 << 20,
    STORE_VALUE_MAX = 128 << 20, /* largest value of any kind: the state of a net */
    STORE_ERROR_MAX = 512
};

typedef struct Store Store;

typedef struct StoreKey {
    unsigned char bytes[16];
} StoreKey;

typedef struct StoreProgram {
    StoreKey key;     /* hash of the canonical text and mode */
    const char *text; /* canonical text, text[length] == 0 when read from the store */
    size_t length;    /* bytes of text */
    int32_t calls;    /* its length as a program */
    int32_t mode;     /* as lang numbers it */
} StoreProgram;

/* What a program did on a task. The score is the sum over the training pairs, 0..1000 for each. */
typedef struct StoreResult {
    const char *task;
    StoreKey program;
    int64_t run; /* 0: none */
    int32_t score;
    int32_t train_exact, train_total;
    int32_t test_exact, test_total;    /* total 0: outputs not known */
    int32_t guard_passed, guard_total; /* checks on transformed pairs; total 0: none was sound */
    uint64_t outputs;                  /* signature of its outputs: equal if two programs give the same */
    int64_t steps, time_ns;
} StoreResult;

typedef struct StoreLineage {
    StoreKey child;
    int parents; /* 0..2; a parent need not be in the store any more */
    StoreKey parent[2];
    const char *mutation;
} StoreLineage;

/* What a collection of the Python pipeline had on record about a program (data/store/collection.h). */
typedef enum StoreKind { STORE_SOLVER, STORE_DIFFER } StoreKind;
typedef struct StoreRecord {
    const char *task;
    StoreKey program;
    StoreKind kind;
    int32_t score;    /* sum over all samples, training and test */
    int32_t speed;    /* larger is faster */
    const char *file; /* its name there, without .py */
} StoreRecord;

typedef struct StoreRun {
    int64_t id;
    const char *settings;  /* JSON */
    const char *data_hash; /* of the tasks it ran on */
    uint64_t seed;
    const char *figures; /* JSON, or NULL */
    const char *state;   /* what resuming needs, or NULL */
    int64_t started_ms;  /* milliseconds since 1970 */
    int64_t finished_ms; /* 0: not finished */
    int64_t updated_ms;  /* of its last progress; 0: not known */
} StoreRun;

/* ---- opening ---- */

typedef enum StoreFlags {
    STORE_READ = 0,      /* nothing is written, except a migration of an older store */
    STORE_WRITE = 1,     /* verified with quick_check before the first write */
    STORE_CREATE = 2,    /* with STORE_WRITE: a missing or empty file becomes a store */
    STORE_UNVERIFIED = 4 /* leave quick_check out: for store_check, which does more */
} StoreFlags;

Store *store_open(const char *path, unsigned flags, char error[STORE_ERROR_MAX]);
/* The same, given up when asked to: checking a large store takes a while. `stop` may be NULL. */
Store *store_open_unless(const char *path, unsigned flags, const Stop *stop, char error[STORE_ERROR_MAX]);

/* Flushes and closes. False if rows had to be given up; `error` says how many and why. NULL is fine. */
bool store_close(Store *store, char error[STORE_ERROR_MAX]);
const char *store_error(const Store *store);

/* ---- writing ---- */

/* False: this row was not taken. Of two texts with the same key, the shorter program is kept. A newer result
 * replaces the one of the same task and program (but the shortest time is kept). Of a child's lineages, the
 * first is kept. */
bool store_put_program(Store *store, const StoreProgram *program);
bool store_put_result(Store *store, const StoreResult *result);
bool store_put_lineage(Store *store, const StoreLineage *lineage);
/* Of two records of a kind, task and program the one with the higher score stands, then the faster one, then
 * the first by name of its file. */
bool store_put_record(Store *store, const StoreRecord *record);
bool store_put_name(Store *store, const char *name, const StoreKey *program);

bool store_tick(Store *store);  /* commits if the oldest row has waited long enough; cheap otherwise */
bool store_flush(Store *store); /* commits now */
/* The whole store as the bytes of a file, after committing. */
bool store_image(Store *store, Out *out);

/* Between hold and release nothing is committed, so that rows which only make sense together (a generation
 * and the state to resume from it) are saved together or not at all. The queue may then exceed its bounds. */
void store_hold(Store *store);
bool store_release(Store *store); /* ends the hold and flushes */

void store_discard(Store *store); /* ends the hold and forgets what is queued */

uint64_t store_saved(const Store *store); /* rows committed by this handle */
const Statistics *store_statistics(const Store *store);
uint64_t store_waiting(const Store *store); /* rows queued */
/* rows skipped because their program is not in the store (pruned by another process) */
uint64_t store_skipped(const Store *store);

/* A run's row is written at once, because its id is needed. Progress and finish are queued like any row, so
 * that the state of a run is saved together with what it found. NULL leaves figures or state as they are. */
bool store_run_begin(Store *store, const char *settings, const char *data_hash, uint64_t seed, int64_t *id);
bool store_run_progress(Store *store, int64_t id, const char *figures, const char *state);
bool store_run_finish(Store *store, int64_t id, const char *figures, const char *state);

/* A net of batt net (search/net/net.h), as the bytes that it goes on from: one for each task and seed. It is
 * large, so it is written at once. */
typedef struct StoreNet {
    const char *task;
    uint64_t seed, step;
    const void *state;
    size_t bytes;
} StoreNet;
bool store_put_net(Store *store, const StoreNet *net);

/* ---- reading: what this handle has queued is flushed first ---- */

typedef struct StoreRow {
    StoreProgram program;
    StoreResult result;
    int32_t grade; /* mean score in thousandths: 0..1000000, what the ranking goes by */
    int32_t place; /* store_best: 1 for the best of its task; else 0 */
    bool named;    /* the program carries the task's id as a name */
} StoreRow;

typedef bool StoreEachRow(void *context, const StoreRow *row); /* false: enough */
typedef bool StoreEachProgram(void *context, const StoreProgram *program);
typedef bool StoreEachLineage(void *context, const StoreLineage *lineage);
/* `started_ms`: when the result's run began; 0: none */
typedef bool StoreEachResult(void *context, const StoreResult *result, int64_t started_ms);
typedef bool StoreEachRun(void *context, const StoreRun *run);

/* `scored`: the program has a result on a task whose id is the name */
typedef bool StoreEachName(void *context, const char *name, const StoreProgram *program, bool scored);

/* The k best results (0: all) of one task, or (task NULL) of every task, ordered by task id: highest grade,
 * then fewest steps, then least time, then lowest key. */
bool store_best(Store *store, const char *task, int64_t k, StoreEachRow *each, void *context);

typedef struct StoreFilter {
    const char *task;  /* NULL: all */
    int32_t min_grade; /* 0..1000000 */
    bool solved;       /* exact on every training pair */
    int32_t mode;      /* -1: all */
    int32_t max_calls; /* 0: any length */
    int64_t limit;     /* 0: no limit */
} StoreFilter;

/* by task, then rank */
bool store_list(Store *store, const StoreFilter *filter, StoreEachRow *each, void *context);

bool store_each_program(Store *store, StoreEachProgram *each, void *context); /* in the order they came in */
bool store_each_named(Store *store, StoreEachName *each, void *context);      /* by name, then key */
/* programs with records, but neither result nor name; by key */
bool store_each_recorded(Store *store, StoreEachProgram *each, void *context);
/* programs with neither result, name nor record; by key */
bool store_each_unused(Store *store, StoreEachProgram *each, void *context);
bool store_each_run(Store *store, int64_t limit, StoreEachRun *each, void *context); /* newest first */
bool store_get_program(Store *store, const StoreKey *key, StoreEachProgram *each, void *context);
bool store_get_lineage(Store *store, const StoreKey *child, StoreEachLineage *each, void *context);
bool store_each_lineage(Store *store, StoreEachLineage *each, void *context); /* by child */
bool store_each_result(Store *store, StoreEachResult *each, void *context);   /* by task, then program */
bool store_get_result(Store *store, const char *task, const StoreKey *program, StoreEachResult *each,
                      void *context);
/* By kind, task, score and speed, best first; of one task or, with NULL, of all. */
typedef bool StoreEachRecord(void *context, const StoreRecord *record, const StoreProgram *program);
bool store_each_record(Store *store, const char *task, StoreEachRecord *each, void *context);
bool store_get_records(Store *store, const StoreKey *program, StoreEachRecord *each, void *context);
typedef bool StoreEachNet(void *context, const StoreNet *net);
bool store_get_net(Store *store, const char *task, uint64_t seed, StoreEachNet *each, void *context);
bool store_each_net(Store *store, StoreEachNet *each, void *context); /* by task, then seed */

typedef struct StoreStats {
    int64_t programs, results, tasks, lineage, names, records, runs, nets;
    /* tasks with a program that is exact on all training pairs; and on all test pairs too */
    int64_t solved_train, solved_test;
    int64_t bytes, schema;
} StoreStats;

bool store_stats(Store *store, StoreStats *stats);

/* ---- care ---- */

typedef struct StorePruned {
    int64_t results, differs, programs, lineage, nets; /* differs: records of those that batt evolved */
    int64_t bytes_before, bytes_after;
    bool compacted; /* false: another process was using the file, so its free space stays for reuse */
} StorePruned;

/* Keeps the k best results (at least one) of every task, and as many of the differs that evolved for it
 * (their records are named after their hashes; records from collections stay), drops programs left with
 * neither result, name nor record, drops nets of tasks that have a program which is exact on all training
 * pairs, and compacts the file. */
bool store_prune(Store *store, int64_t k, StorePruned *pruned);

/* Says whether a program's text matches its key; if not, `why` (STORE_ERROR_MAX bytes) gets the reason. */
typedef bool StoreVerify(void *context, const StoreProgram *program, char *why);
typedef void StoreSay(void *context, const char *problem);

/* Looks for damage: SQLite's integrity check, rows that refer to nothing, figures out of range,
 * and every program through `verify` (may be NULL). Each finding goes to `say`. False only if checking was
 * not possible; else *problems counts the findings. */
bool store_check(Store *store, StoreVerify *verify, StoreSay *say, void *context, int64_t *problems);

/* ---- bringing stores together ---- */

typedef struct StoreMerged { /* rows that were new to the store */
    int64_t programs, results, lineage, names, records, runs, nets;
} StoreMerged;

/* Takes over everything that the stores in `from` hold, in one transaction: all of it or nothing. Each is
 * checked first, with `verify` as above. Conflicts are settled by rules under which neither the order of the
 * stores nor merging twice makes a difference to programs and results; runs get new numbers. */
bool store_merge(Store *into, Store *const *from, size_t n, StoreVerify *verify, void *context,
                 StoreMerged *counts);

#endif
