/* What the files of the store share: the handle, its statements, its queue. Private to this folder. */
#ifndef BATT_DATA_STORE_STORE_INTERNAL_H
#define BATT_DATA_STORE_STORE_INTERNAL_H

#include "data/store/statements.h"
#include "data/store/store.h"

#include <sqlite3.h>

/* "batt" in ASCII, at offset 68 of the file: tells a store from any other database, for us and for
 * file(1). */
#define STORE_APPLICATION_ID 0x62617474

typedef enum QueueKind {
    QUEUE_PROGRAM,
    QUEUE_RESULT,
    QUEUE_LINEAGE,
    QUEUE_NAME,
    QUEUE_RECORD,
    QUEUE_RUN
} QueueKind;

/* One row that waits. Its texts lie in the queue's buffer: `text` first, `text2` right after it; each ends in
 * a NUL that its length does not count. */
typedef struct QueueRow {
    QueueKind kind;
    bool has_text, has_text2;
    size_t text_at, text_length, text2_at, text2_length;
    union {
        StoreProgram program; /* text */
        StoreResult result;   /* text: task */
        StoreLineage lineage; /* text: mutation */
        StoreKey named;       /* text: name */
        StoreRecord record;   /* text: task, text2: file */
        struct {              /* text: figures, text2: state */
            int64_t id, finished_ms, updated_ms;
        } run;
    };
} QueueRow;

typedef struct Queue {
    QueueRow *rows;
    size_t count, capacity;
    char *bytes;
    size_t used, room;
    uint64_t first_ns; /* when the oldest row came in */
    bool held;
} Queue;

struct Store {
    sqlite3 *db;
    char *path; /* as it was given: for messages */
    sqlite3_stmt *statements[STATEMENT_COUNT];
    bool writable;
    const Stop *stop;    /* while opening; then NULL: what is queued has to be saved, whoever wants to stop */
    uint64_t steps;      /* of SQLite's machine, in the statement at hand */
    uint64_t most_steps; /* that a statement may take; 0: any number */
    uint32_t pages;      /* that were read when the statement began */
    uint64_t most_pages; /* that a statement may read; 0: any number */
    int reading;         /* depth of callbacks: no commit while it is not zero */
    Queue queue;
    Statistics statistics; /* ROWS counts the rows saved */
    uint64_t skipped;
    char error[STORE_ERROR_MAX];
};

/* error.c: the last error in words. `store_fail` always returns false. */
bool store_fail(Store *store, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool store_fail_sql(Store *store, int code, const char *doing);

/* statements.c */
bool store_prepare(Store *store);
void store_finalize(Store *store);
/* reset, unbound; NULL with an error if in use */
sqlite3_stmt *store_statement(Store *store, StatementId id);
bool store_run_statement(Store *store, StatementId id, const char *doing);
void store_rollback(Store *store);
bool store_exec(Store *store, const char *sql, const char *doing);
bool store_ask_int(Store *store, const char *sql, int64_t *answer); /* first column of the first row */

/* schema.c */
bool store_schema_upgrade(Store *store); /* from whatever version is there, 0 being an empty file */
/* Says whether the file has exactly the tables and indexes of a version, nothing else; the message names the
 * first difference. */
bool store_schema_is_ours(Store *store, int64_t version);

/* identity.c: looks at the bytes without SQLite, which might write */
typedef enum Identity { IDENTITY_MISSING, IDENTITY_EMPTY, IDENTITY_OURS, IDENTITY_REFUSED } Identity;
Identity store_identify(const char *path, char error[STORE_ERROR_MAX]);

/* read.c: what is read between these two is consistent; `end` returns `done`, or false if ending fails */
bool store_read_begin(Store *store);
bool store_read_end(Store *store, bool done);

/* guard.c: what a connection may do to itself, whatever is in the file */
void store_guard(Store *store);      /* before the first statement: small values, no code of the file's */
bool store_guard_open(Store *store); /* the schema is ours: values as large as ours are */
void store_guard_verified(
    Store *store); /* pages were checked, if any are to be written; nobody stops saving */

/* queue.c */
void store_queue_free(Store *store);
bool store_queue_write(Store *store);              /* writes all that waits, into the open transaction */
bool store_result_fits(const StoreResult *result); /* its figures are in range */

#endif
