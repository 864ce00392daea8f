/* Merging stores: nothing lost, nothing twice, all or nothing, whatever the order. */
#include "base/alloc.h"
#include "store_fixture.h"

#include <sqlite3.h>

typedef struct Files {
    char a[300], b[300], into[300], other[300];
} Files;

static Files files_in(const Folder *folder) {
    Files f;
    snprintf(f.a, sizeof f.a, "%s/a.batt", folder->path);
    snprintf(f.b, sizeof f.b, "%s/b.batt", folder->path);
    snprintf(f.into, sizeof f.into, "%s/into.batt", folder->path);
    snprintf(f.other, sizeof f.other, "%s/other.batt", folder->path);
    return f;
}

static StoreResult result_of(uint64_t program, const char *task, int64_t run, int32_t score,
                             int64_t time_ns) {
    return (StoreResult){.task = task,
                         .program = key_of(program),
                         .run = run,
                         .score = score,
                         .train_exact = score / 1000,
                         .train_total = 3,
                         .test_total = 1,
                         .outputs = program,
                         .steps = 10,
                         .time_ns = time_ns};
}

static void put_result_of(Store *store, StoreResult result) {
    assert_true(store_put_result(store, &result));
}

/* Programs first..last-1 with a result each of one run, the second with parents, the third with a name. */
static void fill(const char *path, uint64_t first, uint64_t last, const char *settings, int32_t score,
                 int64_t time_ns) {
    Store *store = open_ok(path, STORE_WRITE | STORE_CREATE);
    int64_t run;
    assert_true(store_run_begin(store, settings, "d", 7, &run));
    for (uint64_t n = first; n < last; n++) {
        put_program(store, n);
        put_result_of(store, result_of(n, "t", run, score, time_ns));
    }
    StoreLineage lineage = {key_of(first + 1), 1, {key_of(first)}, "insert"};
    StoreKey named = key_of(first + 2);
    assert_true(store_put_lineage(store, &lineage));
    assert_true(store_put_name(store, "name", &named));
    assert_true(store_run_finish(store, run, "{}", settings));
    close_ok(store);
}

static StoreMerged merge_ok(const char *into_path, const char *const *paths, size_t n) {
    Store *from[4], *into = open_ok(into_path, STORE_WRITE | STORE_CREATE);
    StoreMerged counts;
    for (size_t k = 0; k < n; k++) {
        from[k] = open_ok(paths[k], STORE_READ);
    }
    if (!store_merge(into, from, n, NULL, NULL, &counts)) {
        fail_msg("%s", store_error(into));
    }
    for (size_t k = 0; k < n; k++) {
        close_ok(from[k]);
    }
    close_ok(into);
    return counts;
}

static void merge_refused(const char *into_path, const char *from_path, const char *reason) {
    Store *from = open_ok(from_path, STORE_READ | STORE_UNVERIFIED), *into = open_ok(into_path, STORE_WRITE);
    StoreMerged counts;
    assert_false(store_merge(into, &from, 1, NULL, NULL, &counts));
    assert_non_null(strstr(store_error(into), reason));
    assert_non_null(strstr(store_error(into), from_path));
    close_ok(from);
    close_ok(into);
}

static StoreStats stats_of(const char *path) {
    Store *store = open_ok(path, STORE_READ);
    StoreStats stats;
    assert_true(store_stats(store, &stats));
    close_ok(store);
    return stats;
}

static void assert_sound(const char *path) {
    Store *store = open_ok(path, STORE_READ);
    check_ok(store);
    close_ok(store);
}

typedef struct Rows {
    char text[4096];
} Rows;

static bool note_result(void *context, const StoreResult *r, int64_t started_ms) {
    Rows *rows = context;
    size_t at = strlen(rows->text);
    (void)started_ms;
    snprintf(rows->text + at, sizeof rows->text - at, "%s %llu %d %lld\n", r->task,
             (unsigned long long)r->outputs, r->score, (long long)r->time_ns);
    return true;
}

static Rows results_of(const char *path) {
    Rows rows = {""};
    Store *store = open_ok(path, STORE_READ);
    assert_true(store_each_result(store, note_result, &rows));
    close_ok(store);
    return rows;
}

static void test_all_is_there(void **state) {
    Files f = files_in(*state);
    const char *both[] = {f.a, f.b};
    fill(f.a, 0, 10, "one", 1000, 50);
    fill(f.b, 5, 20, "two", 1000, 50);
    StoreMerged counts = merge_ok(f.into, both, 2);
    assert_int_equal(counts.programs, 20);
    assert_int_equal(counts.results, 20);
    assert_int_equal(counts.runs, 2);
    assert_int_equal(counts.lineage, 2);
    assert_int_equal(counts.names, 2);
    assert_sound(f.into);
    StoreStats stats = stats_of(f.into);
    assert_int_equal(stats.programs, 20);
    assert_int_equal(stats.results, 20);
    assert_int_equal(stats.runs, 2);
}

static void test_twice_changes_nothing(void **state) {
    Files f = files_in(*state);
    const char *both[] = {f.a, f.b};
    fill(f.a, 0, 10, "one", 1000, 50);
    fill(f.b, 5, 20, "two", 2000, 40);
    merge_ok(f.into, both, 2);
    Rows first = results_of(f.into);
    StoreStats before = stats_of(f.into);
    for (int k = 0; k < 2; k++) {
        StoreMerged counts = merge_ok(f.into, &both[k], 1);
        assert_int_equal(counts.programs + counts.results + counts.runs + counts.lineage + counts.names, 0);
        assert_string_equal(results_of(f.into).text, first.text);
    }
    StoreStats after = stats_of(f.into);
    assert_int_equal(before.runs, after.runs);
}

static void test_order_does_not_matter(void **state) {
    Files f = files_in(*state);
    const char *ab[] = {f.a, f.b}, *ba[] = {f.b, f.a};
    fill(f.a, 0, 10, "one", 2000, 40);
    usleep(5000); /* so that the second run begins later */
    fill(f.b, 5, 20, "two", 1000, 50);
    merge_ok(f.into, ab, 2);
    merge_ok(f.other, ba, 2);
    Rows rows = results_of(f.into);
    assert_string_equal(rows.text, results_of(f.other).text);
    assert_non_null(strstr(rows.text, "t 0 2000 40\n"));
    assert_non_null(strstr(rows.text, "t 5 1000 40\n")); /* the later run's figures, the smallest time */
    assert_non_null(strstr(rows.text, "t 19 1000 50\n"));
}

typedef struct Seen {
    int64_t run[2];
    int n;
} Seen;

static bool note_run(void *context, const StoreResult *r, int64_t started_ms) {
    Seen *seen = context;
    assert_true(started_ms > 0);
    if (seen->n == 0 || seen->run[seen->n - 1] != r->run) {
        assert_in_range(seen->n, 0, 1);
        seen->run[seen->n++] = r->run;
    }
    return true;
}

/* Both stores call their run 1. */
static void test_runs_get_new_numbers(void **state) {
    Files f = files_in(*state);
    const char *both[] = {f.a, f.b};
    fill(f.a, 0, 3, "one", 1000, 50);
    fill(f.b, 3, 6, "two", 1000, 50);
    merge_ok(f.into, both, 2);
    Store *store = open_ok(f.into, STORE_READ);
    Seen seen[2] = {{{0}, 0}, {{0}, 0}};
    for (uint64_t n = 0; n < 6; n++) {
        StoreKey key = key_of(n);
        assert_true(store_get_result(store, "t", &key, note_run, &seen[n / 3]));
    }
    assert_int_equal(seen[0].n, 1);
    assert_int_equal(seen[1].n, 1);
    assert_int_not_equal(seen[0].run[0], seen[1].run[0]);
    close_ok(store);
    assert_sound(f.into);
}

static bool check_state(void *context, const StoreRun *run) {
    assert_string_equal(run->state, context);
    assert_true(run->finished_ms > 0);
    return true;
}

/* A copy of a store that went on: its run is the same run, further on. */
static void test_a_run_that_went_on(void **state) {
    Files f = files_in(*state);
    Store *store = open_ok(f.a, STORE_WRITE | STORE_CREATE);
    int64_t run;
    assert_true(store_run_begin(store, "s", "d", 1, &run));
    assert_true(store_run_progress(store, run, NULL, "early"));
    close_ok(store);
    merge_ok(f.into, &(const char *){f.a}, 1);
    merge_ok(f.b, &(const char *){f.a}, 1); /* as it was then */
    usleep(5000);
    store = open_ok(f.a, STORE_WRITE);
    assert_true(store_run_finish(store, run, "{}", "late"));
    close_ok(store);
    merge_ok(f.into, &(const char *){f.a}, 1);
    merge_ok(f.into, &(const char *){f.b}, 1); /* the old copy changes nothing */
    store = open_ok(f.into, STORE_READ);
    char late[] = "late";
    assert_true(store_each_run(store, 0, check_state, late));
    close_ok(store);
    assert_int_equal(stats_of(f.into).runs, 1);
}

static void break_store(const char *path, const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void test_a_broken_giver_is_refused_whole(void **state) {
    static const char *const breaks[][2] = {
        {"PRAGMA foreign_keys=OFF; DELETE FROM programs WHERE calls = 2", "is missing"},
        {"UPDATE results SET score = 999999", "out of range"},
    };
    Files f = files_in(*state);
    fill(f.into, 100, 110, "into", 1000, 50);
    Rows before = results_of(f.into);
    for (size_t k = 0; k < sizeof breaks / sizeof *breaks; k++) {
        unlink(f.a);
        fill(f.a, 0, 10, "one", 1000, 50);
        break_store(f.a, breaks[k][0]);
        merge_refused(f.into, f.a, breaks[k][1]);
        assert_string_equal(results_of(f.into).text, before.text);
        assert_int_equal(stats_of(f.into).programs, 10);
        assert_int_equal(stats_of(f.into).runs, 1);
    }
}

static bool refuse_third(void *context, const StoreProgram *program, char *why) {
    (void)program;
    snprintf(why, STORE_ERROR_MAX, "for a test");
    return ++*(int *)context != 3;
}

static void test_a_wrong_text_is_refused(void **state) {
    Files f = files_in(*state);
    fill(f.a, 0, 10, "one", 1000, 50);
    Store *from = open_ok(f.a, STORE_READ), *into = open_ok(f.into, STORE_WRITE | STORE_CREATE);
    StoreMerged counts;
    int met = 0;
    assert_false(store_merge(into, &from, 1, refuse_third, &met, &counts));
    assert_non_null(strstr(store_error(into), "for a test"));
    close_ok(from);
    put_program(into, 77); /* the handle works on */
    close_ok(into);
    assert_int_equal(stats_of(f.into).programs, 1);
}

/* Larger than what waits at once, so that rows are written in several goes of one transaction. */
static void test_many_rows(void **state) {
    Files f = files_in(*state);
    fill(f.a, 0, 3 * STORE_QUEUE_ROWS / 2, "one", 1000, 50);
    StoreMerged counts = merge_ok(f.into, &(const char *){f.a}, 1);
    assert_int_equal(counts.programs, 3 * STORE_QUEUE_ROWS / 2);
    assert_int_equal(counts.results, 3 * STORE_QUEUE_ROWS / 2);
    assert_sound(f.into);
}

/* Without memory at any moment: the taker is as it was, or has it all. */
static void test_no_memory(void **state) {
    Files f = files_in(*state);
    const char *both[] = {f.a, f.b};
    fill(f.a, 0, 10, "one", 1000, 50);
    fill(f.b, 5, 20, "two", 1000, 50);
    fill(f.into, 100, 110, "into", 1000, 50);
    bool merged = false;
    for (uint64_t nth = 1; !merged; nth++) {
        Store *from[2] = {open_ok(both[0], STORE_READ), open_ok(both[1], STORE_READ)};
        Store *into = open_ok(f.into, STORE_WRITE);
        StoreMerged counts;
        mem_fail_at(nth);
        merged = store_merge(into, from, 2, NULL, NULL, &counts);
        mem_fail_at(0);
        assert_true(merged || strstr(store_error(into), "out of memory") != NULL);
        close_ok(from[0]);
        close_ok(from[1]);
        close_ok(into);
        assert_int_equal(stats_of(f.into).programs, merged ? 30 : 10);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_all_is_there),
        TEST(test_twice_changes_nothing),
        TEST(test_order_does_not_matter),
        TEST(test_runs_get_new_numbers),
        TEST(test_a_run_that_went_on),
        TEST(test_a_broken_giver_is_refused_whole),
        TEST(test_a_wrong_text_is_refused),
        TEST(test_many_rows),
        TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
