/* Keeping a store small (prune) and checking that it is sound (check). */
#include "base/alloc.h"
#include "data/store/store_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- prune ---- */

static bool delete_rows(Store *store, StatementId id, int64_t *deleted) {
    if (!store_run_statement(store, id, "prune the store")) {
        return false;
    }
    *deleted = sqlite3_changes64(store->db);
    return true;
}

static bool file_bytes(Store *store, int64_t *bytes) {
    int64_t pages, page;
    if (!store_ask_int(store, "PRAGMA page_count", &pages) ||
        !store_ask_int(store, "PRAGMA page_size", &page)) {
        return false;
    }
    *bytes = pages * page;
    return true;
}

/* Compacting needs exclusive access. If another process has the file open, its free space just stays for
 * reuse; that is no error. */
static bool compact(Store *store, bool *compacted) {
    int code = sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    }
    *compacted = code == SQLITE_OK;
    return code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY ||
           store_fail_sql(store, code, "compact the store");
}

bool store_prune(Store *store, int64_t k, StorePruned *pruned) {
    *pruned = (StorePruned){0};
    if (!store->writable || k < 1) {
        return store_fail(store, "cannot prune: %s",
                          k < 1 ? "it would keep nothing" : "opened for reading only");
    }
    if (!store_flush(store) || !file_bytes(store, &pruned->bytes_before) ||
        !store_run_statement(store, STATEMENT_BEGIN, "prune the store")) {
        return false;
    }
    sqlite3_bind_int64(store->statements[STATEMENT_PRUNE_RESULTS], 1, k);
    sqlite3_bind_int64(store->statements[STATEMENT_PRUNE_DIFFERS], 1, k);
    /* lineage first: it refers to programs */
    bool done = delete_rows(store, STATEMENT_PRUNE_RESULTS, &pruned->results) &&
                delete_rows(store, STATEMENT_PRUNE_DIFFERS, &pruned->differs) &&
                delete_rows(store, STATEMENT_PRUNE_LINEAGE, &pruned->lineage) &&
                delete_rows(store, STATEMENT_PRUNE_NETS, &pruned->nets) &&
                delete_rows(store, STATEMENT_PRUNE_PROGRAMS, &pruned->programs) &&
                store_run_statement(store, STATEMENT_COMMIT, "prune the store");
    if (!done) {
        store_rollback(store);
        return false;
    }
    return compact(store, &pruned->compacted) && file_bytes(store, &pruned->bytes_after);
}

/* ---- check ---- */

typedef struct Finder {
    Store *store;
    StoreVerify *verify;
    StoreSay *say;
    void *context;
    int64_t problems;
} Finder;

static void found(Finder *finder, const char *problem) {
    finder->say(finder->context, problem);
    finder->problems++;
}

/* Every row that the query returns is a problem, worded by the query itself. */
static bool ask(Finder *finder, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(finder->store->db, sql, -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        for (; text != NULL && sqlite3_stricmp(text, "ok") != 0; text = *text ? text + 1 : NULL) {
            size_t line = strcspn(text, "\n"); /* SQLite puts several findings into one row */
            if (line > 0 && text[0] != '*') {
                char problem[STORE_ERROR_MAX];
                snprintf(problem, sizeof problem, "%.*s", (int)line, text);
                found(finder, problem);
            }
            text += line;
        }
    }
    sqlite3_finalize(statement);
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) { /* damage is a finding here, not a failure */
        found(finder, sqlite3_errmsg(finder->store->db));
        return true;
    }
    return code == SQLITE_DONE || store_fail_sql(finder->store, code, "check the store");
}

static bool verify_program(void *context, const StoreProgram *program) {
    Finder *finder = context;
    char why[STORE_ERROR_MAX] = "", problem[STORE_ERROR_MAX + 64];
    if (!finder->verify(finder->context, program, why)) {
        int at = snprintf(problem, sizeof problem, "program ");
        for (size_t i = 0; i < sizeof program->key.bytes; i++) {
            at += snprintf(problem + at, sizeof problem - (size_t)at, "%02x", program->key.bytes[i]);
        }
        snprintf(problem + at, sizeof problem - (size_t)at, ": %s", why);
        found(finder, problem);
    }
    return true;
}

bool store_check(Store *store, StoreVerify *verify, StoreSay *say, void *context, int64_t *problems) {
    static const char *const questions[] = {
        "PRAGMA integrity_check(100)",
        "SELECT 'result of task ' || task || ': its program ' || lower(hex(program)) || ' is missing' FROM "
        "results "
        "WHERE NOT EXISTS(SELECT 1 FROM programs WHERE hash = program)",
        "SELECT 'lineage of ' || lower(hex(child)) || ': the program is missing' FROM lineage "
        "WHERE NOT EXISTS(SELECT 1 FROM programs WHERE hash = child)",
        "SELECT 'name ' || name || ': its program is missing' FROM names "
        "WHERE NOT EXISTS(SELECT 1 FROM programs WHERE hash = program)",
        "SELECT 'record of task ' || task || ': its program ' || lower(hex(program)) || ' is missing' FROM "
        "records "
        "WHERE NOT EXISTS(SELECT 1 FROM programs WHERE hash = program)",
        "SELECT 'record of task ' || task || ', file ' || file || ': figures out of range' FROM records "
        "WHERE score < 0 OR task = '' OR length(task) > 200 OR file = '' OR length(file) > 200",
        "SELECT 'result of task ' || task || ', program ' || lower(hex(program)) || ': figures out of range' "
        "FROM results WHERE score NOT BETWEEN 0 AND 1000 * train_total OR train_exact NOT BETWEEN 0 AND "
        "train_total "
        "OR test_exact NOT BETWEEN 0 AND test_total OR guard_passed NOT BETWEEN 0 AND guard_total "
        "OR steps < 0 OR time_ns < 0 OR task = '' OR length(task) > 200",
        "SELECT 'result of task ' || task || ', program ' || lower(hex(program)) || ': of unknown run ' || "
        "run "
        "FROM results WHERE run NOT IN (SELECT id FROM runs)",
        "SELECT 'lineage of ' || lower(hex(child)) || ': not a parent' FROM lineage "
        "WHERE length(parent_a) <> 16 OR length(parent_b) <> 16",
        "SELECT 'net of task ' || task || ', seed ' || seed || ': figures out of range' FROM nets "
        "WHERE step < 1 OR length(state) = 0 OR task = '' OR length(task) > 200",
    };
    Finder finder = {store, verify, say, context, 0};
    bool done = store->queue.held || store_flush(store);
    for (size_t i = 0; done && i < sizeof questions / sizeof *questions; i++) {
        done = ask(&finder, questions[i]);
        if (i == 0 && finder.problems > 0) {
            break; /* on damaged pages the other checks would only repeat this, less clearly */
        }
    }
    if (done && finder.problems == 0 && verify != NULL) {
        done = store_each_program(store, verify_program, &finder);
    }
    *problems = finder.problems;
    return done;
}

bool store_image(Store *store, Out *out) {
    sqlite3_int64 size = 0;
    if (store->writable && !store_flush(store)) {
        return false;
    }
    unsigned char *image = sqlite3_serialize(store->db, "main", &size, 0);
    if (image == NULL) {
        return store_fail(store, MEM_NONE);
    }
    out_bytes(out, image, (size_t)size);
    sqlite3_free(image);
    return !out->failed || store_fail(store, MEM_NONE);
}
