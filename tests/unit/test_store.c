/* The store as its callers see it: what goes in comes out, ranked, filtered, and saved when it says so. */
#include "base/clock.h"
#include "data/store/store_internal.h"
#include "store_fixture.h"

typedef struct Seen {
    int count;
    uint64_t number[64];
    char task[64][16];
    int32_t place[64];
    StoreRow last;
    int stop_after; /* 0: never */
} Seen;

static uint64_t number_of(const StoreKey *key) {
    uint64_t number;
    memcpy(&number, key->bytes + 8, 8);
    return number;
}

static bool see(void *context, const StoreRow *row) {
    Seen *seen = context;
    assert_true(seen->count < 64);
    seen->number[seen->count] = number_of(&row->program.key);
    seen->place[seen->count] = row->place;
    snprintf(seen->task[seen->count], sizeof seen->task[0], "%s", row->result.task);
    seen->last = *row;
    seen->count++;
    return seen->count != seen->stop_after;
}

static void check_numbers(const Seen *seen, int count, const uint64_t *numbers) {
    assert_int_equal(seen->count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(seen->number[i], numbers[i]);
    }
}

static void rows_come_back_as_they_went_in(void **state) {
    Folder *folder = *state;
    char text[64];
    StoreProgram program = program_of(7, text);
    StoreResult result = {.task = "00d62c1b",
                          .program = program.key,
                          .run = 1,
                          .score = 2500,
                          .train_exact = 2,
                          .train_total = 3,
                          .test_exact = 1,
                          .test_total = 2,
                          .guard_passed = 4,
                          .guard_total = 5,
                          .outputs = UINT64_MAX - 3,
                          .steps = INT64_MAX,
                          .time_ns = 1234567890123};
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    int64_t run;
    assert_true(store_run_begin(store, "{}", "abc", 1, &run));
    assert_int_equal(run, 1);
    store_hold(store); /* a slow machine must not commit in between */
    assert_true(store_put_program(store, &program));
    assert_true(store_put_result(store, &result));
    assert_int_equal(store_saved(store), 0);
    assert_int_equal(store_waiting(store), 2);
    close_ok(store);

    store = open_ok(folder->store, STORE_READ);
    Seen seen = {0};
    assert_true(store_best(store, "00d62c1b", 0, see, &seen));
    assert_int_equal(seen.count, 1);
    assert_string_equal(seen.task[0], "00d62c1b");
    assert_memory_equal(&seen.last.program.key, &program.key, 16);
    assert_int_equal(seen.last.program.calls, program.calls);
    assert_int_equal(seen.last.program.mode, program.mode);
    assert_int_equal(seen.last.program.length, program.length);
    seen.last.result.task = result.task; /* the pointer is void by now, the text was compared */
    assert_memory_equal(&seen.last.result.program, &result.program, 16);
    assert_int_equal(seen.last.result.run, 1);
    assert_int_equal(seen.last.result.score, 2500);
    assert_int_equal(seen.last.grade, 833333);
    assert_int_equal(seen.last.result.train_exact, 2);
    assert_int_equal(seen.last.result.train_total, 3);
    assert_int_equal(seen.last.result.test_exact, 1);
    assert_int_equal(seen.last.result.test_total, 2);
    assert_int_equal(seen.last.result.guard_passed, 4);
    assert_int_equal(seen.last.result.guard_total, 5);
    assert_true(seen.last.result.outputs == UINT64_MAX - 3);
    assert_true(seen.last.result.steps == INT64_MAX);
    assert_true(seen.last.result.time_ns == 1234567890123);
    check_ok(store);
    close_ok(store);
}

static Store *ranked_store(Folder *folder) {
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    for (uint64_t n = 1; n <= 8; n++) {
        put_program(store, n);
    }
    put_result(store, "aaaa", 1, 1000, 10, 5);
    put_result(store, "aaaa", 2, 3000, 99, 5); /* best score, more steps */
    put_result(store, "aaaa", 3, 3000, 10, 9); /* best score, few steps, slower */
    put_result(store, "aaaa", 4, 3000, 10, 5); /* the best */
    put_result(store, "aaaa", 5, 0, 1, 1);
    put_result(store, "bbbb", 6, 500, 7, 7);
    put_result(store, "bbbb", 1, 600, 7, 7);
    put_result(store, "c", 7, 3000, 1, 1);
    assert_true(store_flush(store));
    return store;
}

static void ranking_is_score_then_steps_then_time(void **state) {
    Store *store = ranked_store(*state);
    Seen seen = {0};
    assert_true(store_best(store, "aaaa", 0, see, &seen));
    check_numbers(&seen, 5, (uint64_t[]){4, 3, 2, 1, 5});
    assert_int_equal(seen.place[0], 1);
    assert_int_equal(seen.place[4], 5);

    seen = (Seen){0};
    assert_true(store_best(store, "aaaa", 2, see, &seen));
    check_numbers(&seen, 2, (uint64_t[]){4, 3});

    seen = (Seen){0};
    assert_true(store_best(store, NULL, 1, see, &seen));
    check_numbers(&seen, 3, (uint64_t[]){4, 1, 7});
    assert_string_equal(seen.task[1], "bbbb");
    assert_int_equal(seen.place[2], 1);

    seen = (Seen){.stop_after = 2};
    assert_true(store_best(store, NULL, 0, see, &seen));
    check_numbers(&seen, 2, (uint64_t[]){4, 3});

    seen = (Seen){0};
    assert_true(store_best(store, "nosuch", 3, see, &seen));
    assert_int_equal(seen.count, 0);
    close_ok(store);
}

static void filters_narrow_the_list(void **state) {
    Store *store = ranked_store(*state);
    StoreFilter all = {.mode = -1};
    StoreFilter filter = all;
    Seen seen = {0};
    assert_true(store_list(store, &filter, see, &seen));
    check_numbers(&seen, 8, (uint64_t[]){4, 3, 2, 1, 5, 1, 6, 7});

    filter.task = "bbbb";
    seen = (Seen){0};
    assert_true(store_list(store, &filter, see, &seen));
    check_numbers(&seen, 2, (uint64_t[]){1, 6});

    filter = all;
    filter.solved = true;
    filter.limit = 3;
    seen = (Seen){0};
    assert_true(store_list(store, &filter, see, &seen));
    check_numbers(&seen, 3, (uint64_t[]){4, 3, 2});

    filter = all;
    filter.mode = 1; /* odd numbers */
    filter.min_grade = 200000;
    seen = (Seen){0};
    assert_true(store_list(store, &filter, see, &seen));
    check_numbers(&seen, 4, (uint64_t[]){3, 1, 1, 7});

    filter = all;
    filter.max_calls = 4; /* program n has n + 1 calls */
    seen = (Seen){0};
    assert_true(store_list(store, &filter, see, &seen));
    check_numbers(&seen, 4, (uint64_t[]){3, 2, 1, 1});
    close_ok(store);
}

static void a_newer_result_replaces_an_older_one(void **state) {
    Store *store = ranked_store(*state);
    put_result(store, "c", 7, 1500, 20, 50);
    Seen seen = {0};
    assert_true(store_best(store, "c", 0, see, &seen)); /* reading flushes first */
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.last.result.score, 1500);
    assert_int_equal(seen.last.result.steps, 20);
    assert_int_equal(seen.last.result.time_ns, 1); /* the shortest seen */
    close_ok(store);
}

static bool see_text(void *context, const StoreProgram *program) {
    snprintf(context, 100, "%s %d", program->text, (int)program->calls);
    return true;
}

static void the_shorter_text_of_a_program_stands(void **state) {
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    StoreKey key = key_of(1);
    const StoreProgram texts[] = {{key, "middle", 6, 5, 0}, {key, "long", 4, 6, 0}, {key, "short", 5, 4, 0}};
    char seen[100];
    for (size_t i = 0; i < 3; i++) {
        assert_true(store_put_program(store, &texts[i]));
        assert_true(store_get_program(store, &key, see_text, seen));
        assert_string_equal(seen, i < 2 ? "middle 5" : "short 4");
    }
    close_ok(store);
}

static void figures_out_of_range_are_refused(void **state) {
    Store *store = ranked_store(*state);
    char longest[STORE_TASK_MAX + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const StoreResult good = {.task = "t", .program = key_of(1), .score = 1, .train_total = 1};
    StoreResult bad[10];
    for (size_t i = 0; i < 10; i++) {
        bad[i] = good;
    }
    bad[0].task = "";
    bad[1].task = longest;
    bad[2].score = 1001;
    bad[3].score = -1;
    bad[4].train_total = 0;
    bad[5].train_exact = 2;
    bad[6].test_exact = 1;
    bad[7].guard_passed = 1;
    bad[8].steps = -1;
    bad[9].time_ns = -1;
    for (size_t i = 0; i < 10; i++) {
        assert_false(store_put_result(store, &bad[i]));
        assert_non_null(strstr(store_error(store), "rejected a result"));
    }
    assert_true(store_put_result(store, &good));
    StoreProgram zero = {key_of(9), "a\0b", 3, 1, 0};
    assert_false(store_put_program(store, &zero));
    StoreLineage three = {.child = key_of(1), .parents = 3, .mutation = "x"};
    assert_false(store_put_lineage(store, &three));
    assert_int_equal(store_waiting(store), 1);
    close_ok(store);
}

static void rows_of_a_missing_program_are_skipped_and_counted(void **state) {
    Store *store = ranked_store(*state);
    uint64_t before = store_saved(store);
    StoreLineage orphan = {.child = key_of(999), .mutation = "x"};
    put_result(store, "t", 999, 1, 1, 1);
    put_result(store, "t", 1, 1, 1, 1);
    assert_true(store_put_lineage(store, &orphan));
    assert_true(store_put_name(store, "n", &orphan.child));
    assert_true(store_flush(store));
    assert_int_equal(store_skipped(store), 3);
    assert_int_equal(store_saved(store), before + 1);
    check_ok(store);
    close_ok(store);
}

static bool count_name(void *context, const char *name, const StoreProgram *program, bool scored) {
    char *seen = context;
    assert_int_equal(scored, strcmp(name, "aaaa") == 0);
    snprintf(seen + strlen(seen), 200 - strlen(seen), "%s=%llu ", name,
             (unsigned long long)number_of(&program->key));
    return true;
}

static bool count_program(void *context, const StoreProgram *program) {
    char *seen = context;
    snprintf(seen + strlen(seen), 200 - strlen(seen), "%llu ", (unsigned long long)number_of(&program->key));
    return true;
}

static void programs_are_found_by_key_name_and_use(void **state) {
    Store *store = ranked_store(*state);
    char seen[200] = "";
    StoreKey two = key_of(2), none = key_of(77), eight = key_of(8);
    assert_true(store_each_program(store, count_program, seen));
    assert_string_equal(seen, "1 2 3 4 5 6 7 8 ");
    seen[0] = '\0';
    assert_true(store_get_program(store, &two, count_program, seen));
    assert_true(store_get_program(store, &none, count_program, seen));
    assert_string_equal(seen, "2 ");
    seen[0] = '\0';
    assert_true(store_each_unused(store, count_program, seen));
    assert_string_equal(seen, "8 ");
    assert_true(store_put_name(store, "zz", &two));
    assert_true(store_put_name(store, "mm", &eight));
    assert_true(store_put_name(store, "aaaa", &two));
    assert_true(store_put_name(store, "aaaa", &two));
    seen[0] = '\0';
    assert_true(store_each_named(store, count_name, seen));
    assert_string_equal(seen, "aaaa=2 mm=8 zz=2 ");
    seen[0] = '\0';
    assert_true(store_each_unused(store, count_program, seen));
    assert_string_equal(seen, "");
    Seen rows = {0};
    assert_true(store_best(store, "aaaa", 3, see, &rows));
    assert_int_equal(rows.number[2], 2);
    assert_true(rows.last.named);
    assert_true(store_best(store, "bbbb", 1, see, &rows));
    assert_false(rows.last.named);
    close_ok(store);
}

static bool see_lineage(void *context, const StoreLineage *lineage) {
    StoreLineage *seen = context;
    *seen = *lineage;
    seen->mutation = strcmp(lineage->mutation, "cross 2 with 3") == 0 ? "right" : "wrong";
    return true;
}

static void the_first_lineage_stands(void **state) {
    Store *store = ranked_store(*state);
    StoreLineage first = {key_of(4), 2, {key_of(2), key_of(3)}, "cross 2 with 3"};
    StoreLineage second = {key_of(4), 1, {key_of(1)}, "replace a constant"};
    StoreLineage got = {0};
    assert_true(store_put_lineage(store, &first));
    assert_true(store_put_lineage(store, &second));
    assert_true(store_get_lineage(store, &first.child, see_lineage, &got));
    assert_int_equal(got.parents, 2);
    assert_memory_equal(&got.parent[0], &first.parent[0], 16);
    assert_memory_equal(&got.parent[1], &first.parent[1], 16);
    assert_string_equal(got.mutation, "right");
    close_ok(store);
}

static bool see_run(void *context, const StoreRun *run) {
    char *seen = context;
    snprintf(seen + strlen(seen), 300 - strlen(seen), "%lld %s %s %llu %s %s %s;", (long long)run->id,
             run->settings, run->data_hash, (unsigned long long)run->seed, run->figures ? run->figures : "-",
             run->state ? run->state : "-", run->finished_ms >= run->started_ms ? "finished" : "open");
    return true;
}

static void runs_keep_their_settings_state_and_figures(void **state) {
    Store *store = ranked_store(*state);
    int64_t first, second;
    char seen[300] = "";
    assert_true(store_run_begin(store, "{\"n\":1}", "d1", UINT64_MAX, &first));
    assert_true(store_run_begin(store, "{\"n\":2}", "d2", 5, &second));
    assert_true(store_run_progress(store, first, NULL, "generation 1"));
    assert_true(store_run_progress(store, first, "{\"solved\":1}", NULL));
    assert_true(store_run_finish(store, second, "{\"solved\":2}", NULL));
    assert_true(store_each_run(store, 0, see_run, seen));
    assert_string_equal(seen, "2 {\"n\":2} d2 5 {\"solved\":2} - finished;"
                              "1 {\"n\":1} d1 18446744073709551615 {\"solved\":1} generation 1 open;");
    seen[0] = '\0';
    assert_true(store_each_run(store, 1, see_run, seen));
    assert_string_equal(seen, "2 {\"n\":2} d2 5 {\"solved\":2} - finished;");
    close_ok(store);
}

static void a_tick_commits_what_has_waited(void **state) {
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    uint64_t before = clock_now_ns();
    put_program(store, 1);
    assert_true(store_tick(store));
    uint64_t saved = store_saved(store);
    /* not before its time */
    assert_true(saved == 0 || clock_now_ns() - before >= STORE_COMMIT_MS * 1000000ull);
    usleep(STORE_COMMIT_MS * 1000 + 1000);
    assert_true(store_tick(store));
    assert_int_equal(store_saved(store), 1);
    for (uint64_t n = 0; n <= STORE_QUEUE_ROWS; n++) { /* a full queue does not wait for the clock */
        put_program(store, n);
    }
    /* one more was put; on a slow machine many went in time */
    assert_true(store_waiting(store) <= STORE_QUEUE_ROWS);
    close_ok(store);
}

static void held_rows_are_saved_together(void **state) {
    Folder *folder = *state;
    Store *store = open_ok(folder->store, STORE_WRITE | STORE_CREATE);
    store_hold(store);
    for (uint64_t n = 0; n < STORE_QUEUE_ROWS + 100; n++) {
        put_program(store, n);
    }
    assert_true(store_tick(store));
    assert_false(store_flush(store));
    assert_int_equal(store_saved(store), 0);
    assert_true(store_release(store));
    assert_int_equal(store_saved(store), STORE_QUEUE_ROWS + 100);
    assert_int_equal(store_waiting(store), 0);
    close_ok(store);
}

typedef struct Nested {
    Store *store;
    int rows;
} Nested;

static bool write_inside(void *context, const StoreRow *row) {
    Nested *nested = context;
    char seen[200] = "";
    nested->rows++;
    put_program(nested->store, 100);
    assert_false(store_flush(nested->store));
    assert_true(store_get_program(nested->store, &row->program.key, count_program, seen));
    assert_true(strlen(seen) > 0);
    assert_false(store_best(nested->store, "aaaa", 1, write_inside, nested)); /* the same question again */
    return true;
}

static void a_callback_may_read_and_put(void **state) {
    Store *store = ranked_store(*state);
    Nested nested = {store, 0};
    assert_true(store_best(store, "aaaa", 0, write_inside, &nested));
    assert_int_equal(nested.rows, 5);
    assert_int_equal(store_waiting(store), 5);
    assert_true(store_flush(store));
    close_ok(store);
}

static void pruning_keeps_the_best_and_the_named(void **state) {
    Store *store = ranked_store(*state);
    StoreKey five = key_of(5);
    StoreLineage kept = {key_of(4), 1, {key_of(2)}, "x"}, dropped = {key_of(3), 1, {key_of(2)}, "x"};
    char seen[200] = "";
    StorePruned pruned;
    StoreStats stats;
    assert_true(store_put_lineage(store, &kept));
    assert_true(store_put_lineage(store, &dropped));
    assert_true(store_put_name(store, "mine", &five));
    assert_true(store_prune(store, 1, &pruned));
    assert_int_equal(pruned.results, 5);
    assert_int_equal(pruned.programs, 4); /* 2, 3, 6, 8 */
    assert_int_equal(pruned.lineage, 1);
    assert_true(pruned.compacted);
    assert_true(store_each_program(store, count_program, seen));
    assert_string_equal(seen, "1 4 5 7 ");
    assert_true(store_stats(store, &stats));
    assert_int_equal(stats.programs, 4);
    assert_int_equal(stats.results, 3);
    assert_int_equal(stats.lineage, 1);
    assert_false(store_prune(store, 0, &pruned));
    check_ok(store);
    close_ok(store);
}

static void stats_count(void **state) {
    Store *store = ranked_store(*state);
    StoreStats stats;
    StoreResult tested = {.task = "c",
                          .program = key_of(1),
                          .score = 3000,
                          .train_exact = 3,
                          .train_total = 3,
                          .test_exact = 1,
                          .test_total = 1};
    assert_true(store_put_result(store, &tested));
    assert_true(store_stats(store, &stats));
    assert_int_equal(stats.programs, 8);
    assert_int_equal(stats.results, 9);
    assert_int_equal(stats.tasks, 3);
    assert_int_equal(stats.solved_train, 2);
    assert_int_equal(stats.solved_test, 1);
    assert_int_equal(stats.schema, STORE_SCHEMA);
    assert_true(stats.bytes > 0);
    close_ok(store);
}

static void check_finds_what_is_wrong(void **state) {
    static const char *const harms[] = {
        "PRAGMA foreign_keys = OFF; DELETE FROM programs WHERE hash = (SELECT program FROM results LIMIT 1)",
        "UPDATE programs SET text = 'other' WHERE rowid = 1",
        "UPDATE results SET score = 5000 WHERE task = 'c'",
        "UPDATE results SET run = 42 WHERE task = 'c'",
        "INSERT INTO lineage VALUES((SELECT hash FROM programs LIMIT 1), x'00', NULL, '')",
    };
    Folder *folder = *state;
    Store *store = ranked_store(folder);
    close_ok(store);
    size_t size;
    unsigned char *good = file_bytes_of(folder->store, &size);
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++) {
        sqlite3 *db;
        int64_t problems = 0;
        write_bytes(folder->store, good, size);
        assert_int_equal(sqlite3_open(folder->store, &db), SQLITE_OK);
        assert_int_equal(sqlite3_exec(db, harms[i], NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        store = open_ok(folder->store, STORE_READ | STORE_UNVERIFIED);
        assert_true(store_check(store, verify_number, say_problem, NULL, &problems));
        assert_true(problems > 0);
        close_ok(store);
    }
    free(good);
}

/* What must be fast walks the index of the ranking, without sorting. */
static void the_ranking_is_read_from_its_index(void **state) {
    static const StatementId ids[] = {STATEMENT_BEST, STATEMENT_LIST, STATEMENT_NEXT_TASK};
    Store *store = ranked_store(*state);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char sql[2000];
        bool index = false;
        sqlite3_stmt *plan;
        snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", sqlite3_sql(store->statements[ids[i]]));
        assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &plan, NULL), SQLITE_OK);
        while (sqlite3_step(plan) == SQLITE_ROW) {
            const char *step = (const char *)sqlite3_column_text(plan, 3);
            index = index || strstr(step, "results_rank") != NULL;
            assert_null(strstr(step, "TEMP B-TREE"));
        }
        sqlite3_finalize(plan);
        assert_true(index);
    }
    close_ok(store);
}

static void a_reader_cannot_write(void **state) {
    Folder *folder = *state;
    close_ok(ranked_store(folder));
    Store *store = open_ok(folder->store, STORE_READ);
    char text[64];
    StoreProgram program = program_of(1, text);
    StorePruned pruned;
    int64_t run;
    assert_false(store_put_program(store, &program));
    assert_false(store_run_begin(store, "{}", "", 1, &run));
    assert_false(store_prune(store, 1, &pruned));
    close_ok(store);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(rows_come_back_as_they_went_in),
        TEST(ranking_is_score_then_steps_then_time),
        TEST(filters_narrow_the_list),
        TEST(a_newer_result_replaces_an_older_one),
        TEST(the_shorter_text_of_a_program_stands),
        TEST(figures_out_of_range_are_refused),
        TEST(rows_of_a_missing_program_are_skipped_and_counted),
        TEST(programs_are_found_by_key_name_and_use),
        TEST(the_first_lineage_stands),
        TEST(runs_keep_their_settings_state_and_figures),
        TEST(a_tick_commits_what_has_waited),
        TEST(held_rows_are_saved_together),
        TEST(a_callback_may_read_and_put),
        TEST(pruning_keeps_the_best_and_the_named),
        TEST(stats_count),
        TEST(check_finds_what_is_wrong),
        TEST(the_ranking_is_read_from_its_index),
        TEST(a_reader_cannot_write),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
