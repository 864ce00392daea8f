/* Preparing and running the statements of statements.h. */
#include "base/check.h"
#include "data/store/store_internal.h"

#define X(id, sql) sql,
static const char *const statement_sql[STATEMENT_COUNT] = {STATEMENTS(X)};
#undef X

bool store_prepare(Store *store) {
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        int code = sqlite3_prepare_v3(store->db, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                                      &store->statements[i], NULL);
        if (code == SQLITE_ERROR) { /* the text is fixed, so a table or column must be missing */
            return store_fail(store, "its tables are not those of a batt store (%s); left unchanged",
                              sqlite3_errmsg(store->db));
        }
        if (code != SQLITE_OK) {
            return store_fail_sql(store, code, "read the schema");
        }
    }
    return true;
}

void store_finalize(Store *store) {
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
}

sqlite3_stmt *store_statement(Store *store, StatementId id) {
    ASSERT(id < STATEMENT_COUNT && store->statements[id] != NULL, "statement %u is not prepared", id);
    sqlite3_stmt *statement = store->statements[id];
    if (sqlite3_stmt_busy(statement)) {
        store_fail(store, "asked again from inside its own callback");
        return NULL;
    }
    sqlite3_clear_bindings(statement);
    return statement;
}

bool store_run_statement(Store *store, StatementId id, const char *doing) {
    ASSERT(id < STATEMENT_COUNT && store->statements[id] != NULL, "statement %u is not prepared", id);
    sqlite3_stmt *statement = store->statements[id];
    int code = sqlite3_step(statement);
    bool done = code == SQLITE_DONE || code == SQLITE_ROW || store_fail_sql(store, code, doing);
    sqlite3_reset(statement);
    return done;
}

/* Some errors make SQLite roll back by itself. */
void store_rollback(Store *store) {
    if (!sqlite3_get_autocommit(store->db)) {
        sqlite3_step(store->statements[STATEMENT_ROLLBACK]);
        sqlite3_reset(store->statements[STATEMENT_ROLLBACK]);
    }
}

bool store_exec(Store *store, const char *sql, const char *doing) {
    int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK || store_fail_sql(store, code, doing);
}

bool store_ask_int(Store *store, const char *sql, int64_t *answer) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    bool done = code == SQLITE_ROW;
    if (done) {
        *answer = sqlite3_column_int64(statement, 0);
    } else {
        store_fail_sql(store, code, "read the store");
    }
    sqlite3_finalize(statement);
    return done;
}
