/* Limits what SQLite does for a file that anyone may have made.
 *
 * The schema of a file is a program: defaults, generated columns, checks, views and triggers are evaluated
 * when statements run, and even when the schema is read (statistics of the planner are). So until
 * store_schema_is_ours has accepted the schema, the size of values is limited, patterns are disabled, and
 * no statement of ours touches a table. After that, limits on steps and on pages read end queries over page
 * trees that were made to be walked forever; no statement on a sound store of that size comes near them.
 * count(*) would walk a tree in one step, so our statements do without. While a store is opened, Ctrl-C
 * works.
 */
#include "data/store/store_internal.h"

enum { OPENING_VALUE_MAX = 100000, STEPS_BETWEEN = 100, STEPS_A_BYTE = 50, READS_A_PAGE = 1000 };
static const uint64_t steps_at_least = 20000000, reads_at_least = 1000000;

/* A step may read a large value, so pages count, too: from the cache or not. The counts may wrap around. */
static uint32_t pages_read(Store *store) {
    int hits = 0, misses = 0, most = 0;
    sqlite3_db_status(store->db, SQLITE_DBSTATUS_CACHE_HIT, &hits, &most, 0);
    sqlite3_db_status(store->db, SQLITE_DBSTATUS_CACHE_MISS, &misses, &most, 0);
    return (uint32_t)hits + (uint32_t)misses;
}

static int over(void *context) {
    Store *store = context;
    store->steps += STEPS_BETWEEN;
    return stop_is_requested(store->stop) || (store->most_steps != 0 && store->steps > store->most_steps) ||
           (store->most_pages != 0 && pages_read(store) - store->pages > store->most_pages);
}

static int statement_begins(unsigned event, void *context, void *statement, void *text) {
    (void)event, (void)statement, (void)text;
    Store *store = context;
    store->steps = 0;
    store->pages = store->most_pages != 0 ? pages_read(store) : 0;
    return 0;
}

void store_guard(Store *store) {
    static const struct {
        int limit, value;
    } limits[] = {{SQLITE_LIMIT_LENGTH, OPENING_VALUE_MAX},
                  {SQLITE_LIMIT_SQL_LENGTH, 20000},
                  {SQLITE_LIMIT_COLUMN, 64},
                  {SQLITE_LIMIT_EXPR_DEPTH, 64},
                  {SQLITE_LIMIT_COMPOUND_SELECT, 8},
                  {SQLITE_LIMIT_FUNCTION_ARG, 16},
                  {SQLITE_LIMIT_ATTACHED, 1}, /* by VACUUM */
                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1},
                  {SQLITE_LIMIT_VARIABLE_NUMBER, 64},
                  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        sqlite3_limit(store->db, limits[i].limit, limits[i].value);
    }
    /* A file made by someone else may carry triggers, views and odd schemas: none of them is ever run. */
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    store->most_steps = steps_at_least;
    store->most_pages = reads_at_least;
    sqlite3_progress_handler(store->db, STEPS_BETWEEN, over, store);
    sqlite3_trace_v2(store->db, SQLITE_TRACE_STMT, statement_begins, store);
}

bool store_guard_open(Store *store) {
    int64_t pages = 0, page = 0;
    if (!store_ask_int(store, "PRAGMA page_count", &pages) ||
        !store_ask_int(store, "PRAGMA page_size", &page)) {
        return false;
    }
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, STORE_VALUE_MAX);
    store->most_steps = steps_at_least + (uint64_t)pages * (uint64_t)page * STEPS_A_BYTE;
    store->most_pages = reads_at_least + (uint64_t)pages * READS_A_PAGE;
    return true;
}

void store_guard_verified(Store *store) {
    store->stop = NULL;
    if (store->writable) {
        store->most_steps = 0;
        store->most_pages = 0;
    }
}
