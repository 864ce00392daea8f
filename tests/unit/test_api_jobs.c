/* run, solve and evolve through the public interface: what they find, progress, stopping, stores, threads. */
#include "base/alloc.h"
#include "batt.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Seen {
    size_t calls, done, total;
    volatile int stop;
} Seen;

static void progress(void *user, size_t done, size_t total) {
    Seen *seen = user;
    seen->calls++;
    seen->done = done;
    seen->total = total;
    seen->stop = 1;
}

static void runs(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    batt_context *batt = batt_open();
    batt_tasks *tasks = batt_tasks_load(batt, NULL, 0);
    batt_programs *programs = batt_parse_paths(batt, NULL, 0, BATT_MODE_AUTO);
    Seen seen = {0};
    batt_job job = {.size = sizeof job, .jobs = 2, .progress = progress, .user = &seen, .profile = 2};
    batt_results *r = batt_run_tasks(batt, programs, tasks, NULL, &job);
    assert_int_equal(batt_results_count(r), batt_tasks_count(tasks));
    assert_int_equal(seen.calls, batt_tasks_count(tasks));
    assert_false(batt_results_stopped(r));
    int rows, columns;
    for (size_t k = 0; k < batt_results_count(r); k++) {
        assert_string_equal(batt_results_status(r, k), "solved");
        assert_true(batt_results_solved(r, k));
        assert_string_equal(batt_results_id(r, k), batt_task_id(tasks, k));
        assert_non_null(strstr(batt_results_program(r, k, 0), "def solve_"));
        assert_null(batt_results_program(r, k, 1));
        const int8_t *cells = batt_results_answer(r, k, 0, 0, &rows, &columns);
        batt_value *answer = batt_grid(batt, cells, rows, columns);
        assert_int_equal(batt_judge(batt, tasks, k, BATT_TEST, 0, answer), BATT_RIGHT);
        batt_release(answer);
    }
    char *json = batt_results_json(batt, r), *profile = batt_results_profile(batt, r);
    char *sheet = batt_results_submission(batt, r, NULL);
    assert_non_null(strstr(json, "\"tasks_solved\""));
    assert_non_null(strstr(profile, "\"batt-profile\""));
    char *score = batt_score(batt, sheet, strlen(sheet), tasks), wanted[64];
    snprintf(wanted, sizeof wanted, "\"tasks_solved\":%zu", batt_tasks_count(tasks));
    assert_non_null(strstr(score, wanted));
    batt_text_free(json);
    batt_text_free(profile);
    batt_text_free(sheet);
    batt_text_free(score);
    assert_null(batt_results_submission(batt, r, "/no/such/folder/x.json"));
    assert_int_equal(batt_fault_of(batt)->code, BATT_NO_FILE);
    batt_results_free(r);

    batt_programs *odd = batt_parse(batt, "O = rot90(size(I))", 18, BATT_MODE_AUTO);
    batt_run_options all = {.size = sizeof all, .all = 1};
    r = batt_run_tasks(batt, odd, tasks, &all, NULL);
    assert_string_equal(batt_results_status(r, 0), "failed");
    assert_non_null(strstr(batt_results_reason(r, 0), "fail"));
    batt_results_free(r);
    batt_programs_free(odd);
    batt_programs_free(programs);
    batt_tasks_free(tasks);
    batt_close(batt);
    assert_int_equal(mem_bytes(), before);
}

static batt_tasks *few(batt_context *batt, size_t n) {
    batt_tasks *all = batt_tasks_load(batt, NULL, 0),
               *some = batt_tasks_select(batt, all, NULL, 0, NULL, 0, n);
    batt_tasks_free(all);
    return some;
}

static void searches(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    batt_context *batt = batt_open();
    batt_tasks *tasks = few(batt, 3);
    char path[] = "/tmp/batt-api-XXXXXX";
    assert_non_null(mkdtemp(path));
    char file[64];
    snprintf(file, sizeof file, "%s/found.batt", path);
    batt_solve_options how = {.size = sizeof how, .steps = 3000, .store = file};
    batt_job job = {.size = sizeof job, .jobs = 2};
    char *first = NULL;
    for (int k = 0; k < 2; k++) {
        batt_results *r = batt_solve(batt, tasks, &how, &job);
        assert_non_null(r);
        assert_non_null(batt_results_program(r, 0, 0));
        char *json = batt_results_json(batt, r);
        assert_non_null(
            strstr(json, k == 0 || how.store == NULL ? "\"tasks_resumed\":0" : "\"tasks_resumed\":3"));
        first = k == 0 ? batt_results_submission(batt, r, NULL) : first;
        char *sheet = batt_results_submission(batt, r, NULL);
        assert_string_equal(first, sheet); /* what the store gives back answers alike */
        batt_text_free(sheet);
        batt_text_free(json);
        batt_results_free(r);
    }
    batt_text_free(first);
    how.store = "/no/such/folder/x.batt";
    assert_null(batt_solve(batt, tasks, &how, &job));
    assert_int_equal(batt_fault_of(batt)->code, BATT_BAD_STORE);
    how = (batt_solve_options){.size = sizeof how, .attempts = 9};
    assert_null(batt_solve(batt, tasks, &how, NULL));

    batt_evolve_options evolve = {.size = sizeof evolve, .generations = 2};
    Seen seen = {0};
    job = (batt_job){.size = sizeof job, .jobs = 2, .progress = progress, .user = &seen};
    batt_results *r = batt_evolve(batt, tasks, &evolve, &job);
    assert_int_equal(seen.calls, 2);
    assert_non_null(batt_results_program(r, 0, 0));
    batt_results_free(r);
    unlink(file);
    rmdir(path);
    batt_tasks_free(tasks);
    batt_close(batt);
    assert_int_equal(mem_bytes(), before);
}

/* The first task that is done asks for the end: the others are not searched. */
static void stops(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    batt_tasks *tasks = few(batt, 30);
    Seen seen = {0};
    batt_solve_options how = {.size = sizeof how, .steps = 2000};
    batt_job job = {.size = sizeof job, .jobs = 1, .progress = progress, .user = &seen, .stop = &seen.stop};
    batt_results *r = batt_solve(batt, tasks, &how, &job);
    assert_true(batt_results_stopped(r));
    assert_true(seen.calls < 30);
    assert_string_equal(batt_results_status(r, 29), "not reached");
    assert_non_null(batt_results_program(r, 0, 0));
    batt_results_free(r);
    batt_tasks_free(tasks);
    batt_close(batt);
}

static void *search_apart(void *user) {
    batt_context *batt = batt_open();
    batt_tasks *tasks = few(batt, 2);
    batt_solve_options how = {.size = sizeof how, .steps = 1000};
    batt_job job = {.size = sizeof job, .jobs = 2};
    batt_results *r = batt_solve(batt, tasks, &how, &job);
    *(size_t *)user = batt_results_count(r);
    batt_results_free(r);
    batt_tasks_free(tasks);
    batt_close(batt);
    return NULL;
}

static void threads(void **state) {
    (void)state;
    pthread_t thread[2];
    size_t counts[2] = {0};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(pthread_create(&thread[k], NULL, search_apart, &counts[k]), 0);
    }
    for (int k = 0; k < 2; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(counts[k], 2);
    }
}

static void nothing(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    batt_tasks *tasks = few(batt, 1);
    batt_job empty = {0};
    batt_run_options bare = {0};
    for (int k = 0; k < 2; k++) {
        batt_context *c = k ? batt : NULL;
        assert_null(batt_run_tasks(c, NULL, tasks, NULL, NULL));
        assert_null(batt_run_tasks(c, NULL, NULL, &bare, NULL));
        assert_null(batt_solve(c, NULL, NULL, NULL));
        assert_null(batt_solve(c, tasks, NULL, &empty));
        assert_null(batt_evolve(c, NULL, NULL, NULL));
        assert_null(batt_results_json(c, NULL));
        assert_null(batt_results_profile(c, NULL));
        assert_null(batt_results_submission(c, NULL, NULL));
        assert_null(batt_score(c, NULL, 0, tasks));
        assert_null(batt_score(c, "{", 1, tasks));
    }
    assert_int_equal(batt_fault_of(batt)->code, BATT_BAD_INPUT);
    assert_int_equal(batt_results_count(NULL), 0);
    assert_string_equal(batt_results_id(NULL, 0), "");
    assert_string_equal(batt_results_status(NULL, 0), "");
    assert_null(batt_results_program(NULL, 0, 0));
    assert_null(batt_results_answer(NULL, 0, 0, 0, NULL, NULL));
    batt_results_free(NULL);
    batt_tasks_free(tasks);
    batt_close(batt);
}

/* Wherever memory runs out, there is an error and nothing is lost. */
static void allocation_failures(void **state) {
    (void)state;
    batt_context *batt = batt_open();
    batt_tasks *tasks = few(batt, 1);
    batt_programs *programs = batt_parse(batt, "O = vmirror(I)", 14, BATT_MODE_AUTO);
    batt_run_options all = {.size = sizeof all, .all = 1};
    batt_job job = {.size = sizeof job, .jobs = 1};
    uint64_t before = mem_bytes();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        mem_fail_at(n);
        batt_results *r = batt_run_tasks(batt, programs, tasks, &all, &job);
        char *json = r != NULL ? batt_results_json(batt, r) : NULL;
        mem_fail_at(0);
        done = json != NULL;
        if (!done) {
            assert_int_equal(batt_fault_of(batt)->code, BATT_NO_MEMORY);
        }
        batt_text_free(json);
        batt_results_free(r);
        assert_int_equal(mem_bytes(), before);
        assert_true(n < 2000);
    }
    batt_programs_free(programs);
    batt_tasks_free(tasks);
    batt_close(batt);
}

typedef struct Kept { /* results as they come */
    batt_results *results[64];
    size_t calls;
} Kept;

static void keep(void *user, size_t position, batt_results *result) {
    Kept *kept = user;
    assert_true(position < 64);
    batt_results_free(kept->results[position]); /* of an earlier round */
    kept->results[position] = result;
    kept->calls++;
}

/* What is found on the way is what the results have in the end. */
static void finds(void **state) {
    (void)state;
    uint64_t before = mem_bytes();
    batt_context *batt = batt_open();
    batt_tasks *all = batt_tasks_load(batt, NULL, 0),
               *tasks = batt_tasks_select(batt, all, NULL, 0, NULL, 0, 5);
    batt_programs *programs = batt_parse_paths(batt, NULL, 0, BATT_MODE_AUTO);
    for (int what = 0; what < 3; what++) {
        Kept kept = {0};
        batt_job job = {.size = sizeof job, .jobs = 2, .user = &kept, .found = keep};
        batt_solve_options solve = {.size = sizeof solve, .steps = 3000};
        batt_evolve_options evolve = {.size = sizeof evolve, .generations = 2, .children = 32};
        batt_results *r = what == 0   ? batt_run_tasks(batt, programs, tasks, NULL, &job)
                          : what == 1 ? batt_solve(batt, tasks, &solve, &job)
                                      : batt_evolve(batt, tasks, &evolve, &job);
        assert_non_null(r);
        assert_true(what == 2 ? kept.calls > 0 : kept.calls == 5);
        for (size_t k = 0; k < 5; k++) {
            batt_results *one = kept.results[k];
            if (one != NULL) {
                assert_int_equal(batt_results_count(one), 1);
                assert_string_equal(batt_results_id(one, 0), batt_results_id(r, k));
                assert_string_equal(batt_results_status(one, 0), batt_results_status(r, k));
                const char *a = batt_results_program(one, 0, 0), *b = batt_results_program(r, k, 0);
                assert_true((a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0));
            }
            batt_results_free(one);
        }
        batt_results_free(r);
    }
    batt_programs_free(programs);
    batt_tasks_free(tasks);
    batt_tasks_free(all);
    batt_close(batt);
    assert_int_equal(mem_bytes(), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),
        cmocka_unit_test(finds),
        cmocka_unit_test(searches),
        cmocka_unit_test(stops),
        cmocka_unit_test(threads),
        cmocka_unit_test(nothing),
        cmocka_unit_test(allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
