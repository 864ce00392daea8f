/* Which files the store accepts, which it refuses, and that those it refuses stay unchanged, byte for
 * byte. */
#include "store_fixture.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* The first schema as it was released, with rows in it. Kept apart from the code on purpose: it stands for
 * the files that are out there. */
static const char version_1[] =
    "CREATE TABLE programs( hash BLOB PRIMARY KEY NOT NULL CHECK(length(hash) = 16), text TEXT NOT NULL,"
    " calls INTEGER NOT NULL, mode INTEGER NOT NULL);"
    "CREATE TABLE results( task TEXT NOT NULL, program BLOB NOT NULL REFERENCES programs(hash), run INTEGER,"
    " score INTEGER NOT NULL, train_exact INTEGER NOT NULL, train_total INTEGER NOT NULL CHECK(train_total > "
    "0),"
    " test_exact INTEGER NOT NULL, test_total INTEGER NOT NULL, steps INTEGER NOT NULL, time_ns INTEGER NOT "
    "NULL,"
    " PRIMARY KEY(task, program)) WITHOUT ROWID;"
    "CREATE INDEX results_program ON results(program);"
    "CREATE TABLE lineage( child BLOB PRIMARY KEY NOT NULL REFERENCES programs(hash), parent_a BLOB, "
    "parent_b BLOB,"
    " mutation TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE runs( id INTEGER PRIMARY KEY, settings TEXT NOT NULL, data_hash TEXT NOT NULL,"
    " seed INTEGER NOT NULL, figures TEXT, started_ms INTEGER NOT NULL, finished_ms INTEGER);"
    "PRAGMA application_id = 1650553972; PRAGMA user_version = 1;"
    "INSERT INTO runs VALUES(1, '{}', 'data', 9, NULL, 1000, 2000);"
    "INSERT INTO programs VALUES(x'01010101010101010101010101010101', 'first', 1, 0),"
    " (x'02020202020202020202020202020202', 'second', 2, 1);"
    "INSERT INTO results VALUES('t', x'01010101010101010101010101010101', 1, 1000, 1, 2, 0, 1, 30, 40),"
    " ('t', x'02020202020202020202020202020202', NULL, 2000, 2, 2, 1, 1, 50, 60);"
    "INSERT INTO lineage VALUES(x'02020202020202020202020202020202', x'01010101010101010101010101010101', "
    "NULL, 'm');";

static void make_database(const char *path, const char *sql) {
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s", message);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void make_store(const char *path, uint64_t programs) {
    Store *store = open_ok(path, STORE_WRITE | STORE_CREATE);
    for (uint64_t n = 0; n < programs; n++) {
        put_program(store, n);
        put_result(store, n % 2 ? "odd" : "even", n, (int32_t)(n % 3001), 1, 1);
    }
    close_ok(store);
}

static unsigned char *rest_of_schema(const char *path, size_t *size) { /* every object with its text */
    sqlite3 *db;
    sqlite3_stmt *statement;
    unsigned char *text = calloc(1, 8192);
    *size = 0;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_prepare_v2(db, "SELECT name || ':' || coalesce(sql, '') FROM sqlite_schema ORDER BY name", -1,
                       &statement, NULL);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        *size +=
            (size_t)snprintf((char *)text + *size, 8192 - *size, "%s\n", sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return text;
}

/* Refused in every way of opening, with a reason that names the file and holds `word`; bytes, and the list of
 * files in the folder, stay. */
static void refused(const Folder *folder, const char *word) {
    static const unsigned ways[] = {STORE_READ, STORE_WRITE, STORE_WRITE | STORE_CREATE};
    size_t size, size_after;
    unsigned char *before = file_bytes_of(folder->store, &size);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char error[STORE_ERROR_MAX] = "", side[320];
        Store *store = store_open(folder->store, ways[i], error);
        if (store != NULL) {
            fail_msg("opened a file that should be refused (%s)", word);
        }
        assert_non_null(strstr(error, folder->store));
        if (strstr(error, word) == NULL) {
            fail_msg("'%s' does not say '%s'", error, word);
        }
        unsigned char *after = file_bytes_of(folder->store, &size_after);
        assert_int_equal(size, size_after);
        assert_memory_equal(before, after, size);
        free(after);
        snprintf(side, sizeof side, "%s-wal", folder->store);
        assert_int_not_equal(access(side, F_OK), 0);
        snprintf(side, sizeof side, "%s-shm", folder->store);
        assert_int_not_equal(access(side, F_OK), 0);
    }
    free(before);
}

static void garbage_is_refused(void **state) {
    Folder *folder = *state;
    unsigned char bytes[9000];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(i * 131 + 7);
    }
    write_bytes(folder->store, bytes, sizeof bytes);
    refused(folder, "not a batt store");
    write_bytes(folder->store, "x", 1);
    refused(folder, "not a batt store");
    write_bytes(folder->store, "SQLite format 3", 16);
    refused(folder, "not a batt store");
    memcpy(bytes, "SQLite format 3", 16);
    write_bytes(folder->store, bytes, sizeof bytes);
    refused(folder, "another program");
}

static void another_database_is_refused(void **state) {
    Folder *folder = *state;
    make_database(folder->store, "CREATE TABLE programs(hash, text); INSERT INTO programs VALUES(1, 2)");
    refused(folder, "another program");
    make_database(folder->store, "PRAGMA journal_mode = WAL; PRAGMA user_version = 3");
    refused(folder, "another program");
}

static void a_newer_store_is_refused(void **state) {
    Folder *folder = *state;
    make_store(folder->store, 3);
    make_database(folder->store, "PRAGMA user_version = 6");
    refused(folder, "newer");
}

static void our_mark_without_our_tables_is_refused(void **state) {
    Folder *folder = *state;
    make_database(folder->store,
                  "PRAGMA application_id = 1650553972; PRAGMA user_version = 5; PRAGMA journal_mode = WAL;"
                  "CREATE TABLE programs(hash, text)");
    refused(folder, "tables");
    unlink(folder->store);
    make_database(folder->store, "PRAGMA application_id = 1650553972; CREATE TABLE x(y)");
    refused(folder, "not a batt store");
}

static void what_is_no_file_is_refused(void **state) {
    Folder *folder = *state;
    char error[STORE_ERROR_MAX] = "";
    assert_null(store_open(folder->path, STORE_WRITE | STORE_CREATE, error));
    assert_non_null(strstr(error, "folder"));
    assert_int_equal(mkfifo(folder->store, 0600), 0);
    assert_null(store_open(folder->store, STORE_WRITE | STORE_CREATE, error));
    assert_non_null(strstr(error, "not a regular file"));
    unlink(folder->store);
    assert_null(store_open(folder->store, STORE_READ, error));
    assert_non_null(strstr(error, "no such store"));
    assert_null(store_open(folder->store, STORE_WRITE, error));
    assert_int_not_equal(access(folder->store, F_OK), 0);
    assert_null(store_open("", STORE_WRITE | STORE_CREATE, error));
    strcat(folder->store, "/in/no/folder");
    assert_null(store_open(folder->store, STORE_WRITE | STORE_CREATE, error));
    assert_non_null(strstr(error, folder->store));
}

static void names_are_only_names(void **state) {
    Folder *folder = *state;
    static const char *const names[] = {":memory:", "file:x?mode=memory", "a b'c\"%41#?"};
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder->path), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_store(names[i], 2);
        assert_int_equal(access(names[i], F_OK), 0);
        Store *store = open_ok(names[i], STORE_READ);
        check_ok(store);
        close_ok(store);
    }
    assert_int_equal(chdir(before), 0);
}

static void an_empty_file_becomes_a_store_only_when_asked(void **state) {
    Folder *folder = *state;
    char error[STORE_ERROR_MAX] = "";
    write_bytes(folder->store, "", 0);
    assert_null(store_open(folder->store, STORE_READ, error));
    assert_non_null(strstr(error, "empty"));
    assert_null(store_open(folder->store, STORE_WRITE, error));
    make_store(folder->store, 5);
    Store *store = open_ok(folder->store, STORE_WRITE);
    check_ok(store);
    close_ok(store);
}

/* A schema is code that SQLite runs: only ours is accepted, before any of it has run. Values of 400 MB kept
 * whoever opened such a file busy for minutes. */
static void a_changed_schema_is_refused(void **state) {
    static const char *const changes[] = {
        "DROP INDEX results_rank",
        "CREATE TABLE extra(x)",
        "CREATE VIEW extra AS SELECT 1",
        "CREATE INDEX extra ON programs(hex(zeroblob(length(text))))",
        "CREATE TRIGGER t AFTER INSERT ON programs BEGIN DELETE FROM results; END",
        "ALTER TABLE programs ADD COLUMN large GENERATED ALWAYS AS (zeroblob(400000000)) VIRTUAL",
        "ALTER TABLE results ADD COLUMN more INTEGER NOT NULL DEFAULT 1",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'score * 1000 / "
        "train_total', "
        "'length(zeroblob(400000000))') WHERE name = 'results'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'view' WHERE name = 'names'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET tbl_name = 'runs' WHERE name = 'results_rank'",
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = "
        "'names'",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE nets(' || "
        "hex(zeroblob(9000)) || ')' WHERE name = 'nets'",
        "CREATE VIRTUAL TABLE extra USING fts5(x)",
        /* read together with the schema, before anyone could look at it */
        "ANALYZE; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE "
        "sqlite_stat1(tbl, idx, "
        "other, stat AS (hex(zeroblob(400000000))))' WHERE name = 'sqlite_stat1'; CREATE TABLE extra(x)",
    };
    static const unsigned ways[] = {STORE_READ, STORE_READ | STORE_UNVERIFIED, STORE_WRITE,
                                    STORE_WRITE | STORE_CREATE};
    Folder *folder = *state;
    size_t size, before, after;
    make_store(folder->store, 50);
    unsigned char *good = file_bytes_of(folder->store, &size);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        sqlite3 *db;
        write_bytes(folder->store, good, size);
        assert_int_equal(sqlite3_open(folder->store, &db), SQLITE_OK);
        int code = sqlite3_exec(db, changes[i], NULL, NULL, NULL);
        sqlite3_close(db);
        if (code != SQLITE_OK) { /* an SQLite that cannot do such a thing, e.g. without fts5 */
            continue;
        }
        unsigned char *changed = file_bytes_of(folder->store, &before);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            char error[STORE_ERROR_MAX] = "";
            clock_t start = clock();
            if (store_open(folder->store, ways[k], error) != NULL) {
                fail_msg("accepted: %s", changes[i]);
            }
            if (strstr(error, "tables") == NULL && strstr(error, "cannot") == NULL) {
                fail_msg("%s: %s", changes[i], error);
            }
            assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
        }
        unsigned char *now = file_bytes_of(folder->store, &after);
        assert_int_equal(before, after);
        assert_memory_equal(changed, now, before);
        free(now);
        free(changed);
    }
    /* what ANALYZE adds is no harm */
    write_bytes(folder->store, good, size);
    make_database(folder->store, "ANALYZE");
    Store *store = open_ok(folder->store, STORE_WRITE);
    check_ok(store);
    close_ok(store);
    free(good);
}

/* Opening ends when asked to. */
static void opening_can_be_interrupted(void **state) {
    Folder *folder = *state;
    char error[STORE_ERROR_MAX] = "";
    Stop stop;
    atomic_init(&stop, 0);
    make_store(folder->store, 20000);
    Store *store = store_open_unless(folder->store, STORE_WRITE, &stop, error);
    assert_non_null(store);
    stop_request(&stop); /* no reason not to save */
    put_program(store, 1000000);
    assert_true(store_flush(store));
    close_ok(store);
    assert_null(store_open_unless(folder->store, STORE_WRITE, &stop, error));
    assert_non_null(strstr(error, "interrupted"));
}

enum { PAGE = 4096 };

static void put_number(unsigned char *at, uint32_t number, int bytes) {
    for (int k = 0; k < bytes; k++) {
        at[k] = (unsigned char)(number >> 8 * (bytes - 1 - k));
    }
}

/* An inner page of a table's tree whose children are all the same page. */
static void make_inner_page(unsigned char *page, uint32_t child) {
    enum { FAN = 400, HEADER = 12, CELL = 5 };
    memset(page, 0, PAGE);
    page[0] = 5;
    put_number(page + 3, FAN, 2);
    put_number(page + 5, PAGE - FAN * CELL, 2);
    put_number(page + 8, child, 4);
    for (uint32_t k = 0; k < FAN; k++) {
        uint32_t at = PAGE - (k + 1) * CELL;
        put_number(page + at, child, 4);
        page[at + 4] = (unsigned char)(1 + k % 120);
        put_number(page + HEADER + 2 * k, at, 2);
    }
}

static int64_t ask_number(const char *path, const char *sql) {
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

static bool see_run(void *runs, const StoreRun *run) {
    *(size_t *)runs += strlen(run->settings);
    return true;
}

/* A tree that shares its pages is walked for ages: 400^6 runs, of a megabyte each, in a file of one. */
static void shared_pages_are_not_walked_forever(void **state) {
    Folder *folder = *state;
    enum { DEPTH = 6 };
    size_t size, seen = 0;
    make_store(folder->store, 10);
    make_database(folder->store, "INSERT INTO runs(settings, data_hash, seed, started_ms) "
                                 "VALUES(hex(zeroblob(500000)), '', 1, 1); PRAGMA journal_mode = DELETE");
    uint32_t root =
        (uint32_t)ask_number(folder->store, "SELECT rootpage FROM sqlite_schema WHERE name = 'runs'");
    unsigned char *bytes = file_bytes_of(folder->store, &size);
    uint32_t pages = (uint32_t)(size / PAGE);
    bytes = realloc(bytes, size + DEPTH * PAGE);
    assert_non_null(bytes);
    unsigned char *old = bytes + (size_t)(root - 1) * PAGE;
    memcpy(bytes + size, old, PAGE);
    for (uint32_t depth = 1; depth < DEPTH; depth++) {
        make_inner_page(bytes + size + (size_t)depth * PAGE, pages + depth);
    }
    make_inner_page(old, pages + DEPTH);
    put_number(bytes + 28, pages + DEPTH, 4);
    write_bytes(folder->store, bytes, size + DEPTH * PAGE);
    free(bytes);
    StoreStats stats;
    clock_t start = clock();
    Store *store = open_ok(folder->store, STORE_READ | STORE_UNVERIFIED);
    assert_false(store_stats(store, &stats));
    assert_non_null(strstr(store_error(store), "no end of it"));
    assert_false(store_each_run(store, 0, see_run, &seen));
    assert_non_null(strstr(store_error(store), "no end of it"));
    char error[STORE_ERROR_MAX];
    store_close(store, error);
    assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
}

/* Cut anywhere, a store is refused for writing. Reading may not notice at once, but never changes the file.
 */
static void a_truncated_store_is_refused(void **state) {
    Folder *folder = *state;
    size_t size;
    make_store(folder->store, 2000);
    unsigned char *good = file_bytes_of(folder->store, &size);
    assert_true(size > 100000);
    for (size_t cut = 1; cut < size; cut += cut < 200 ? 37 : 7919) {
        write_bytes(folder->store, good, cut);
        refused(folder, cut < 100 ? "not a batt store" : "its end is missing");
    }
    free(good);
}

/* A page overwritten anywhere is found before the first write, and the file stays as it is. */
static void damage_inside_is_found_before_writing(void **state) {
    Folder *folder = *state;
    size_t size, size_after;
    make_store(folder->store, 2000);
    unsigned char *good = file_bytes_of(folder->store, &size);
    unsigned char *bad = malloc(size);
    int refusals = 0, pages = (int)(size / 4096);
    for (int page = 1; page < pages; page++) {
        char error[STORE_ERROR_MAX] = "";
        memcpy(bad, good, size);
        for (size_t i = 0; i < 4096; i++) {
            bad[(size_t)page * 4096 + i] = (unsigned char)(i * 89 + (size_t)page);
        }
        write_bytes(folder->store, bad, size);
        Store *store = store_open(folder->store, STORE_WRITE, error);
        if (store != NULL) {
            fail_msg("page %d is garbage and the store was opened for writing", page);
        }
        refusals++;
        assert_non_null(strstr(error, "damaged"));
        unsigned char *after = file_bytes_of(folder->store, &size_after);
        assert_int_equal(size, size_after);
        assert_memory_equal(bad, after, size);
        free(after);
    }
    assert_int_equal(refusals, pages - 1);
    free(bad);
    free(good);
}

static void say_nothing(void *context, const char *problem) {
    (void)context;
    assert_true(strlen(problem) > 0);
}

static bool count_row(void *context, const StoreRow *row) {
    *(int *)context += row->program.length > 0;
    return true;
}

/* Single bytes changed at random: whatever happens, no crash, and reading changes nothing. */
static void reading_a_damaged_store_is_harmless(void **state) {
    Folder *folder = *state;
    size_t size, size_after;
    make_store(folder->store, 300);
    unsigned char *good = file_bytes_of(folder->store, &size);
    uint64_t random = 88172645463325252u;
    int failures = 0;
    bool quick = getenv("BATT_TEST_QUICK") != NULL;
    for (int round = 0; round < (quick ? 40 : 300); round++) {
        char error[STORE_ERROR_MAX] = "";
        unsigned char *bad = malloc(size);
        memcpy(bad, good, size);
        for (int i = 0; i < 8; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            bad[random % size] = (unsigned char)(random >> 56);
        }
        write_bytes(folder->store, bad, size);
        Store *store = store_open(folder->store, STORE_READ | STORE_UNVERIFIED, error);
        if (store != NULL) {
            StoreStats stats;
            int rows = 0;
            int64_t problems = 0;
            bool fine = store_best(store, NULL, 3, count_row, &rows) && store_stats(store, &stats) &&
                        store_check(store, NULL, say_nothing, NULL, &problems);
            failures += !fine || problems > 0;
            store_close(store, error);
        } else {
            failures++;
        }
        unsigned char *after = file_bytes_of(folder->store, &size_after);
        assert_int_equal(size, size_after);
        assert_memory_equal(bad, after, size);
        free(after);
        free(bad);
    }
    assert_true(failures > (quick ? 5 : 50));
    free(good);
}

static bool see_second(void *context, const StoreRow *row) {
    int *seen = context;
    *seen = *seen * 10 + (row->program.text[0] == 's' ? 2 : 1);
    assert_int_equal(row->result.guard_total, 0);
    assert_int_equal(row->grade, row->program.text[0] == 's' ? 1000000 : 500000);
    return true;
}

static void an_older_store_is_migrated(void **state) {
    static const unsigned ways[] = {STORE_READ, STORE_WRITE};
    Folder *folder = *state;
    char fresh[320];
    size_t size_a, size_b;
    snprintf(fresh, sizeof fresh, "%s/fresh", folder->path);
    make_store(fresh, 0);
    unsigned char *wanted = rest_of_schema(fresh, &size_a);
    for (size_t i = 0; i < 2; i++) {
        int order = 0;
        StoreStats stats;
        unlink(folder->store);
        make_database(folder->store, version_1);
        Store *store = open_ok(folder->store, ways[i]);
        assert_true(store_best(store, "t", 0, see_second, &order));
        assert_int_equal(order, 21);
        assert_true(store_stats(store, &stats));
        assert_int_equal(stats.schema, STORE_SCHEMA);
        assert_int_equal(stats.programs, 2);
        assert_int_equal(stats.lineage, 1);
        assert_int_equal(stats.runs, 1);
        int64_t problems = 0;
        assert_true(store_check(store, NULL, say_problem, NULL, &problems));
        assert_int_equal(problems, 0);
        close_ok(store);
        unsigned char *got = rest_of_schema(folder->store, &size_b);
        assert_int_equal(size_a, size_b);
        assert_string_equal((char *)wanted, (char *)got); /* the same as if it had been made today */
        free(got);
    }
    free(wanted);
}

/* An older store is one to the letter, too: here a table of the next version would be in the way. */
static void a_failed_migration_changes_nothing(void **state) {
    Folder *folder = *state;
    make_database(folder->store, version_1);
    make_database(folder->store, "CREATE TABLE names(mine)");
    refused(folder, "tables");
}

/* A reader without the right to write the file or its folder still reads. Run as another user, because root
 * may write anywhere. */
static void a_store_that_cannot_be_written_can_be_read(void **state) {
    Folder *folder = *state;
    make_store(folder->store, 10);
    chmod(folder->store, 0444);
    chmod(folder->path, 0555);
    pid_t child = fork();
    if (child == 0) {
        char error[STORE_ERROR_MAX] = "";
        int rows = 0;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
            _exit(9);
        }
        Store *store = store_open(folder->store, STORE_WRITE, error);
        if (store != NULL || strstr(error, "writable") == NULL) {
            fprintf(stderr, "for writing: %s\n", error);
            _exit(1);
        }
        store = store_open(folder->store, STORE_READ, error);
        if (store == NULL) {
            fprintf(stderr, "for reading: %s\n", error);
            _exit(2);
        }
        _exit(store_best(store, NULL, 0, count_row, &rows) && rows == 10 && store_close(store, error) ? 0
                                                                                                      : 3);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(folder->path, 0755);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(garbage_is_refused),
        TEST(another_database_is_refused),
        TEST(a_newer_store_is_refused),
        TEST(our_mark_without_our_tables_is_refused),
        TEST(what_is_no_file_is_refused),
        TEST(names_are_only_names),
        TEST(an_empty_file_becomes_a_store_only_when_asked),
        TEST(a_changed_schema_is_refused),
        TEST(opening_can_be_interrupted),
        TEST(shared_pages_are_not_walked_forever),
        TEST(a_truncated_store_is_refused),
        TEST(damage_inside_is_found_before_writing),
        TEST(reading_a_damaged_store_is_harmless),
        TEST(an_older_store_is_migrated),
        TEST(a_failed_migration_changes_nothing),
        TEST(a_store_that_cannot_be_written_can_be_read),
    };
    return cmocka_run_group_tests_name("store_open", tests, NULL, NULL);
}
