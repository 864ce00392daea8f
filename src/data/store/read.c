/* Reading: each query runs in one read transaction, so that its result is consistent even while another
 * process writes. */
#include "base/check.h"
#include "data/store/store_internal.h"

#include <string.h>

/* ---- transactions and columns ---- */

bool store_read_begin(Store *store) {
    if (store->reading == 0 && !store->queue.held && !store_flush(store)) {
        return false;
    }
    if (store->reading == 0 && !store_run_statement(store, STATEMENT_BEGIN_READ, "read the store")) {
        return false;
    }
    store->reading++;
    return true;
}

bool store_read_end(Store *store, bool done) {
    ASSERT(store->reading > 0, "%s: reading ended that never began", store->path);
    if (--store->reading > 0) {
        return done;
    }
    done = done && store_run_statement(store, STATEMENT_COMMIT, "read the store");
    if (!done) {
        store_rollback(store);
    }
    return done;
}

static const char *text_at(sqlite3_stmt *statement, int column) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

static StoreKey key_at(sqlite3_stmt *statement, int column) {
    StoreKey key = {{0}};
    const void *bytes = sqlite3_column_blob(statement, column);
    if (bytes != NULL && sqlite3_column_bytes(statement, column) == sizeof key.bytes) {
        memcpy(key.bytes, bytes, sizeof key.bytes);
    }
    return key;
}

static void bind_key(sqlite3_stmt *statement, int index, const StoreKey *key) {
    sqlite3_bind_blob(statement, index, key->bytes, sizeof key->bytes, SQLITE_STATIC);
}

static void program_at(sqlite3_stmt *statement, int column, StoreProgram *program) { /* text, calls, mode */
    program->text = text_at(statement, column);
    program->length = (size_t)sqlite3_column_bytes(statement, column);
    program->calls = sqlite3_column_int(statement, column + 1);
    program->mode = sqlite3_column_int(statement, column + 2);
}

static StoreResult result_at(sqlite3_stmt *s) { /* FIGURE_COLUMNS */
    return (StoreResult){.task = text_at(s, 0),
                         .program = key_at(s, 1),
                         .run = sqlite3_column_int64(s, 2),
                         .score = sqlite3_column_int(s, 3),
                         .train_exact = sqlite3_column_int(s, 4),
                         .train_total = sqlite3_column_int(s, 5),
                         .test_exact = sqlite3_column_int(s, 6),
                         .test_total = sqlite3_column_int(s, 7),
                         .guard_passed = sqlite3_column_int(s, 8),
                         .guard_total = sqlite3_column_int(s, 9),
                         .outputs = (uint64_t)sqlite3_column_int64(s, 10),
                         .steps = sqlite3_column_int64(s, 11),
                         .time_ns = sqlite3_column_int64(s, 12)};
}

static void row_at(sqlite3_stmt *s, StoreRow *row) { /* ROW_COLUMNS */
    ASSERT(sqlite3_column_count(s) == 18, "%d columns of a row", sqlite3_column_count(s));
    row->result = result_at(s);
    row->grade = sqlite3_column_int(s, 13);
    row->program.key = row->result.program;
    program_at(s, 14, &row->program);
    row->named = sqlite3_column_int(s, 17);
    row->place = 0;
}

/* Fetching a text can run out of memory; a row with a missing text must not look like one with an empty
 * text. */
static bool texts_there(sqlite3_stmt *statement) {
    for (int i = sqlite3_column_count(statement); i-- > 0;) {
        if (sqlite3_column_type(statement, i) == SQLITE_TEXT && sqlite3_column_text(statement, i) == NULL) {
            return false;
        }
    }
    return true;
}

/* Runs a bound statement, passing each row to `take` until that returns false. *stopped: it did. */
typedef bool Take(sqlite3_stmt *statement, void *context);

static bool walk(Store *store, sqlite3_stmt *statement, Take *take, void *context, bool *stopped) {
    int code = SQLITE_ROW;
    *stopped = false;
    while (!*stopped && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!texts_there(statement)) {
            code = SQLITE_NOMEM;
            break;
        }
        *stopped = !take(statement, context);
    }
    bool done = *stopped || code == SQLITE_DONE || store_fail_sql(store, code, "read the store");
    sqlite3_reset(statement);
    return done;
}

static bool walk_once(Store *store, sqlite3_stmt *statement, Take *take, void *context) {
    bool stopped;
    return statement != NULL && walk(store, statement, take, context, &stopped);
}

/* ---- results ---- */

typedef struct RowTaker {
    StoreEachRow *each;
    void *context;
    bool placed;
    int32_t place;
} RowTaker;

static bool take_row(sqlite3_stmt *statement, void *context) {
    RowTaker *taker = context;
    StoreRow row;
    row_at(statement, &row);
    row.place = taker->placed ? ++taker->place : 0;
    return taker->each(taker->context, &row);
}

static bool best_of_task(Store *store, const char *task, int64_t k, RowTaker *taker, bool *stopped) {
    sqlite3_stmt *statement = store_statement(store, STATEMENT_BEST);
    if (statement == NULL) {
        return false;
    }
    taker->place = 0;
    sqlite3_bind_text(statement, 1, task, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, k > 0 ? k : -1);
    return walk(store, statement, take_row, taker, stopped);
}

/* Hops from task to task along the index: one short search per task, however many results there are. */
static bool best_of_all(Store *store, int64_t k, RowTaker *taker) {
    char task[STORE_TASK_MAX + 1] = "";
    bool stopped = false;
    while (!stopped) {
        sqlite3_stmt *next = store_statement(store, STATEMENT_NEXT_TASK);
        if (next == NULL) {
            return false;
        }
        sqlite3_bind_text(next, 1, task, -1, SQLITE_STATIC);
        int code = sqlite3_step(next);
        if (code == SQLITE_ROW && !texts_there(next)) {
            code = SQLITE_NOMEM;
        }
        if (code == SQLITE_ROW) {
            const char *found = text_at(next, 0);
            size_t length = strnlen(found, sizeof task);
            if (length == sizeof task || length == 0 || strcmp(found, task) <= 0) { /* or round and round */
                code = SQLITE_CORRUPT;
            } else {
                memcpy(task, found, length + 1);
            }
        }
        sqlite3_reset(next);
        if (code == SQLITE_DONE) {
            return true;
        }
        if (code != SQLITE_ROW) {
            return store_fail_sql(store, code, "read the store");
        }
        if (!best_of_task(store, task, k, taker, &stopped)) {
            return false;
        }
    }
    return true;
}

bool store_best(Store *store, const char *task, int64_t k, StoreEachRow *each, void *context) {
    RowTaker taker = {each, context, true, 0};
    bool stopped;
    if (!store_read_begin(store)) {
        return false;
    }
    return store_read_end(store, task ? best_of_task(store, task, k, &taker, &stopped)
                                      : best_of_all(store, k, &taker));
}

bool store_list(Store *store, const StoreFilter *filter, StoreEachRow *each, void *context) {
    RowTaker taker = {each, context, false, 0};
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_LIST);
    if (statement != NULL) {
        /* one task is a range of one; the range of all tasks ends at a blob, which SQLite sorts after every
         * text */
        sqlite3_bind_text(statement, 1, filter->task ? filter->task : "", -1, SQLITE_STATIC);
        if (filter->task) {
            sqlite3_bind_text(statement, 2, filter->task, -1, SQLITE_STATIC);
        } else {
            sqlite3_bind_zeroblob(statement, 2, 1);
        }
        sqlite3_bind_int(statement, 3, filter->min_grade);
        sqlite3_bind_int(statement, 4, filter->solved);
        sqlite3_bind_int(statement, 5, filter->mode);
        sqlite3_bind_int(statement, 6, filter->max_calls);
        sqlite3_bind_int64(statement, 7, filter->limit > 0 ? filter->limit : -1);
    }
    return store_read_end(store, walk_once(store, statement, take_row, &taker));
}

typedef struct ResultTaker {
    StoreEachResult *each;
    void *context;
} ResultTaker;

static bool take_result(sqlite3_stmt *statement, void *context) { /* RESULT_COLUMNS */
    ResultTaker *taker = context;
    StoreResult result = result_at(statement);
    return taker->each(taker->context, &result, sqlite3_column_int64(statement, 13));
}

bool store_each_result(Store *store, StoreEachResult *each, void *context) {
    ResultTaker taker = {each, context};
    return store_read_begin(store) &&
           store_read_end(
               store, walk_once(store, store_statement(store, STATEMENT_EACH_RESULT), take_result, &taker));
}

bool store_get_result(Store *store, const char *task, const StoreKey *program, StoreEachResult *each,
                      void *context) {
    ResultTaker taker = {each, context};
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_GET_RESULT);
    if (statement != NULL) {
        sqlite3_bind_text(statement, 1, task, -1, SQLITE_STATIC);
        bind_key(statement, 2, program);
    }
    return store_read_end(store, walk_once(store, statement, take_result, &taker));
}

/* ---- programs ---- */

typedef struct ProgramTaker {
    StoreEachProgram *each;
    StoreEachName *each_name;
    void *context;
} ProgramTaker;

static bool take_program(sqlite3_stmt *statement, void *context) { /* PROGRAM_COLUMNS, perhaps name */
    ProgramTaker *taker = context;
    StoreProgram program = {.key = key_at(statement, 0)};
    program_at(statement, 1, &program);
    return taker->each ? taker->each(taker->context, &program)
                       : taker->each_name(taker->context, text_at(statement, 4), &program,
                                          sqlite3_column_int(statement, 5));
}

static bool programs(Store *store, StatementId id, const StoreKey *key, ProgramTaker taker) {
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, id);
    if (statement != NULL && key != NULL) {
        bind_key(statement, 1, key);
    }
    return store_read_end(store, walk_once(store, statement, take_program, &taker));
}

bool store_each_program(Store *store, StoreEachProgram *each, void *context) {
    return programs(store, STATEMENT_EACH_PROGRAM, NULL, (ProgramTaker){each, NULL, context});
}

bool store_each_unused(Store *store, StoreEachProgram *each, void *context) {
    return programs(store, STATEMENT_EACH_UNUSED, NULL, (ProgramTaker){each, NULL, context});
}

bool store_each_named(Store *store, StoreEachName *each, void *context) {
    return programs(store, STATEMENT_EACH_NAMED, NULL, (ProgramTaker){NULL, each, context});
}

bool store_get_program(Store *store, const StoreKey *key, StoreEachProgram *each, void *context) {
    return programs(store, STATEMENT_GET_PROGRAM, key, (ProgramTaker){each, NULL, context});
}

bool store_each_recorded(Store *store, StoreEachProgram *each, void *context) {
    return programs(store, STATEMENT_EACH_RECORDED, NULL, (ProgramTaker){each, NULL, context});
}

/* ---- records ---- */

typedef struct RecordTaker {
    StoreEachRecord *each;
    void *context;
} RecordTaker;

static bool take_record(sqlite3_stmt *s, void *context) { /* RECORD_COLUMNS */
    RecordTaker *taker = context;
    StoreRecord record = {.task = text_at(s, 0),
                          .program = key_at(s, 1),
                          .kind = sqlite3_column_int(s, 2) == STORE_DIFFER ? STORE_DIFFER : STORE_SOLVER,
                          .score = sqlite3_column_int(s, 3),
                          .speed = sqlite3_column_int(s, 4),
                          .file = text_at(s, 5)};
    StoreProgram program = {.key = record.program};
    program_at(s, 6, &program);
    return taker->each(taker->context, &record, &program);
}

bool store_each_record(Store *store, const char *task, StoreEachRecord *each, void *context) {
    RecordTaker taker = {each, context};
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_EACH_RECORD);
    if (statement != NULL && task != NULL) {
        sqlite3_bind_text(statement, 1, task, -1, SQLITE_STATIC);
    }
    return store_read_end(store, walk_once(store, statement, take_record, &taker));
}

bool store_get_records(Store *store, const StoreKey *program, StoreEachRecord *each, void *context) {
    RecordTaker taker = {each, context};
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_GET_RECORDS);
    if (statement != NULL) {
        bind_key(statement, 1, program);
    }
    return store_read_end(store, walk_once(store, statement, take_record, &taker));
}

/* ---- lineage, runs, figures ---- */

typedef struct LineageTaker {
    StoreEachLineage *each;
    void *context;
} LineageTaker;

static bool take_lineage(sqlite3_stmt *statement, void *context) {
    LineageTaker *taker = context;
    StoreLineage lineage = {.child = key_at(statement, 0), .mutation = text_at(statement, 3)};
    for (int column = 1; column <= 2; column++) {
        if (sqlite3_column_type(statement, column) != SQLITE_NULL) {
            lineage.parent[lineage.parents++] = key_at(statement, column);
        }
    }
    return taker->each(taker->context, &lineage);
}

bool store_get_lineage(Store *store, const StoreKey *child, StoreEachLineage *each, void *context) {
    LineageTaker taker = {each, context};
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_GET_LINEAGE);
    if (statement != NULL) {
        bind_key(statement, 1, child);
    }
    return store_read_end(store, walk_once(store, statement, take_lineage, &taker));
}

bool store_each_lineage(Store *store, StoreEachLineage *each, void *context) {
    LineageTaker taker = {each, context};
    return store_read_begin(store) &&
           store_read_end(
               store, walk_once(store, store_statement(store, STATEMENT_EACH_LINEAGE), take_lineage, &taker));
}

typedef struct RunTaker {
    StoreEachRun *each;
    void *context;
} RunTaker;

static bool take_run(sqlite3_stmt *s, void *context) {
    RunTaker *taker = context;
    StoreRun run = {.id = sqlite3_column_int64(s, 0),
                    .settings = text_at(s, 1),
                    .data_hash = text_at(s, 2),
                    .seed = (uint64_t)sqlite3_column_int64(s, 3),
                    .figures = (const char *)sqlite3_column_text(s, 4),
                    .state = (const char *)sqlite3_column_text(s, 5),
                    .started_ms = sqlite3_column_int64(s, 6),
                    .finished_ms = sqlite3_column_int64(s, 7),
                    .updated_ms = sqlite3_column_int64(s, 8)};
    return taker->each(taker->context, &run);
}

bool store_each_run(Store *store, int64_t limit, StoreEachRun *each, void *context) {
    RunTaker taker = {each, context};
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_EACH_RUN);
    if (statement != NULL) {
        sqlite3_bind_int64(statement, 1, limit > 0 ? limit : -1);
    }
    return store_read_end(store, walk_once(store, statement, take_run, &taker));
}

typedef struct NetTaker {
    StoreEachNet *each;
    void *context;
} NetTaker;

static bool take_net(sqlite3_stmt *s, void *context) {
    NetTaker *taker = context;
    StoreNet net = {.task = text_at(s, 0),
                    .seed = (uint64_t)sqlite3_column_int64(s, 1),
                    .step = (uint64_t)sqlite3_column_int64(s, 2),
                    .state = sqlite3_column_blob(s, 3),
                    .bytes = (size_t)sqlite3_column_bytes(s, 3)};
    return taker->each(taker->context, &net);
}

bool store_get_net(Store *store, const char *task, uint64_t seed, StoreEachNet *each, void *context) {
    NetTaker taker = {each, context};
    if (!store_read_begin(store)) {
        return false;
    }
    sqlite3_stmt *statement = store_statement(store, STATEMENT_GET_NET);
    if (statement != NULL) {
        sqlite3_bind_text(statement, 1, task, -1, SQLITE_STATIC);
        sqlite3_bind_int64(statement, 2, (int64_t)seed);
    }
    return store_read_end(store, walk_once(store, statement, take_net, &taker));
}

bool store_each_net(Store *store, StoreEachNet *each, void *context) {
    NetTaker taker = {each, context};
    if (!store_read_begin(store)) {
        return false;
    }
    return store_read_end(store,
                          walk_once(store, store_statement(store, STATEMENT_EACH_NET), take_net, &taker));
}

static bool take_stats(sqlite3_stmt *s, void *context) {
    int64_t *figures = context;
    for (int i = 0; i < 10; i++) {
        figures[i] = sqlite3_column_int64(s, i);
    }
    return true;
}

bool store_stats(Store *store, StoreStats *stats) {
    int64_t f[10] = {0}, pages = 0, page = 0, schema = 0;
    if (!store_read_begin(store)) {
        return false;
    }
    bool done = walk_once(store, store_statement(store, STATEMENT_STATS), take_stats, f) &&
                store_ask_int(store, "PRAGMA page_count", &pages) &&
                store_ask_int(store, "PRAGMA page_size", &page) &&
                store_ask_int(store, "PRAGMA user_version", &schema);
    *stats = (StoreStats){.programs = f[0],
                          .results = f[1],
                          .lineage = f[2],
                          .names = f[3],
                          .runs = f[4],
                          .nets = f[5],
                          .records = f[6],
                          .tasks = f[7],
                          .solved_train = f[8],
                          .solved_test = f[9],
                          .bytes = pages * page,
                          .schema = schema};
    return store_read_end(store, done);
}
