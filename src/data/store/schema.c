/* The tables, version by version.
 *
 * A new store runs through every step just as an old one does, so each version has one schema whatever the
 * file's history, and store_schema_is_ours can compare a file with a fresh one. A step that has been released
 * is never edited: a change is a new step. */
#include "data/store/store_internal.h"

#include <string.h>

static const char step_1[] = /* programs, results, lineage, runs */
    "CREATE TABLE programs("
    " hash BLOB PRIMARY KEY NOT NULL CHECK(length(hash) = 16),"
    " text TEXT NOT NULL,"
    " calls INTEGER NOT NULL,"
    " mode INTEGER NOT NULL);"
    "CREATE TABLE results("
    " task TEXT NOT NULL,"
    " program BLOB NOT NULL REFERENCES programs(hash),"
    " run INTEGER,"
    " score INTEGER NOT NULL,"
    " train_exact INTEGER NOT NULL,"
    " train_total INTEGER NOT NULL CHECK(train_total > 0),"
    " test_exact INTEGER NOT NULL,"
    " test_total INTEGER NOT NULL,"
    " steps INTEGER NOT NULL,"
    " time_ns INTEGER NOT NULL,"
    " PRIMARY KEY(task, program)) WITHOUT ROWID;"
    "CREATE INDEX results_program ON results(program);"
    "CREATE TABLE lineage("
    " child BLOB PRIMARY KEY NOT NULL REFERENCES programs(hash),"
    " parent_a BLOB,"
    " parent_b BLOB,"
    " mutation TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE runs("
    " id INTEGER PRIMARY KEY,"
    " settings TEXT NOT NULL,"
    " data_hash TEXT NOT NULL,"
    " seed INTEGER NOT NULL,"
    " figures TEXT,"
    " started_ms INTEGER NOT NULL,"
    " finished_ms INTEGER);";

/* The ranking as an index, by mean score so that results of a task whose pairs were revised stay comparable;
 * what the guard against overfitting found; the signature of outputs; the state a run resumes from; names of
 * imported programs. */
static const char step_2[] =
    "ALTER TABLE results ADD COLUMN guard_passed INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE results ADD COLUMN guard_total INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE results ADD COLUMN outputs INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE results ADD COLUMN grade INTEGER GENERATED ALWAYS AS (score * 1000 / train_total) VIRTUAL;"
    "CREATE INDEX results_rank ON results(task, grade DESC, steps, time_ns, program);"
    "ALTER TABLE runs ADD COLUMN state TEXT;"
    "CREATE TABLE names("
    " name TEXT NOT NULL,"
    " program BLOB NOT NULL REFERENCES programs(hash),"
    " PRIMARY KEY(name, program)) WITHOUT ROWID;"
    "CREATE INDEX names_program ON names(program);";

/* When a run last made progress: of two copies of a run, this tells which one went on. */
static const char step_3[] = "ALTER TABLE runs ADD COLUMN updated_ms INTEGER NOT NULL DEFAULT 0;";

/* Nets, which a later run goes on with. */
static const char step_4[] = "CREATE TABLE nets("
                             " task TEXT NOT NULL,"
                             " seed INTEGER NOT NULL,"
                             " step INTEGER NOT NULL,"
                             " updated_ms INTEGER NOT NULL,"
                             " state BLOB NOT NULL,"
                             " PRIMARY KEY(task, seed));";

/* What collections of the Python pipeline had on record about their programs. */
static const char step_5[] = "CREATE TABLE records("
                             " kind INTEGER NOT NULL CHECK(kind IN (0, 1)),"
                             " task TEXT NOT NULL,"
                             " program BLOB NOT NULL REFERENCES programs(hash),"
                             " score INTEGER NOT NULL,"
                             " speed INTEGER NOT NULL,"
                             " file TEXT NOT NULL,"
                             " PRIMARY KEY(kind, task, program)) WITHOUT ROWID;"
                             "CREATE INDEX records_program ON records(program);";

static const char *const steps[] = {step_1, step_2, step_3, step_4, step_5};
_Static_assert(sizeof steps / sizeof *steps == STORE_SCHEMA, "one step a version");

/* Runs the steps and marks the file as ours in one transaction: a file is completely ours or not at all.
 * Another process may be doing the same right now, so the version is read again once the lock is held. */
bool store_schema_upgrade(Store *store) {
    int64_t version;
    if (!store_exec(store, "BEGIN EXCLUSIVE", "upgrade the schema")) {
        return false;
    }
    bool done = store_ask_int(store, "PRAGMA user_version", &version);
    for (; done && version < STORE_SCHEMA; version++) {
        char mark[96];
        sqlite3_snprintf(sizeof mark, mark, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                         STORE_APPLICATION_ID, (int)version + 1);
        done = store_exec(store, steps[version], "upgrade the schema") &&
               store_exec(store, mark, "upgrade the schema");
    }
    done = done && store_exec(store, "COMMIT", "upgrade the schema");
    if (!done && !sqlite3_get_autocommit(store->db)) {
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return done;
}

static const char *column(sqlite3_stmt *statement, int index) {
    const char *text = (const char *)sqlite3_column_text(statement, index);
    return text ? text : "";
}

/* Compares the objects of both databases in the order of their names. */
static bool same(Store *store, sqlite3_stmt *ours, sqlite3_stmt *fresh) {
    int a = sqlite3_step(ours), b = sqlite3_step(fresh);
    for (; a == SQLITE_ROW || b == SQLITE_ROW; a = sqlite3_step(ours), b = sqlite3_step(fresh)) {
        int order = a != SQLITE_ROW ? 1 : b != SQLITE_ROW ? -1 : strcmp(column(ours, 0), column(fresh, 0));
        bool equal = order == 0;
        for (int i = 1; i < 4 && equal; i++) {
            equal = strcmp(column(ours, i), column(fresh, i)) == 0;
        }
        if (a != SQLITE_ROW && a != SQLITE_DONE) {
            break;
        }
        if (!equal) {
            const char *what = order < 0   ? "is not part of a store"
                               : order > 0 ? "is missing"
                                           : "is not defined as it should be";
            return store_fail(store, "its tables are not those of a batt store (%.60s %s); left unchanged",
                              column(order <= 0 ? ours : fresh, 0), what);
        }
    }
    return a == SQLITE_DONE || store_fail_sql(store, a, "read the schema");
}

bool store_schema_is_ours(Store *store, int64_t version) {
    /* Statistics, which ANALYZE leaves, are harmless. */
    static const char sql[] = "SELECT name, type, tbl_name, sql FROM sqlite_schema "
                              "WHERE type <> 'table' OR name NOT IN ('sqlite_stat1', 'sqlite_stat4') "
                              "ORDER BY name, type";
    sqlite3 *memory = NULL;
    sqlite3_stmt *ours = NULL, *fresh = NULL;
    int code = sqlite3_open(":memory:", &memory);
    for (int64_t i = 0; code == SQLITE_OK && i < version; i++) {
        code = sqlite3_exec(memory, steps[i], NULL, NULL, NULL);
    }
    if (code == SQLITE_OK) {
        code = sqlite3_prepare_v2(memory, sql, -1, &fresh, NULL);
    }
    bool done = code == SQLITE_OK ||
                store_fail(store, "cannot make a schema to compare with: %s", sqlite3_errstr(code));
    if (done) {
        code = sqlite3_prepare_v2(store->db, sql, -1, &ours, NULL);
        done = code == SQLITE_OK ? same(store, ours, fresh) : store_fail_sql(store, code, "read the schema");
    }
    sqlite3_finalize(ours);
    sqlite3_finalize(fresh);
    sqlite3_close(memory);
    return done;
}
