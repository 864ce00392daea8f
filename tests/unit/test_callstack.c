/* Nested calls end before the stack does, on whichever thread a context is used. */
#include "base/callstack.h"
#include "batt.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* 801 compositions inside each other. */
static const char nested[] = "power(rbind(compose, increment), 800)(increment)(0)";

typedef struct Job {
    batt_context *batt;
    char answer[64];
} Job;

static void *evaluate(void *arg) {
    Job *job = arg;
    batt_value *v = batt_eval(job->batt, nested, BATT_MODE_CORE);
    if (v == NULL || batt_value_kind(v) == BATT_FAILED) {
        strcpy(job->answer, v == NULL ? "nothing" : batt_value_reason(v));
    } else {
        batt_value_text(v, job->answer, sizeof job->answer);
    }
    batt_release(v);
    return NULL;
}

static void evaluate_with(Job *job, size_t bytes) {
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    assert_int_equal(pthread_attr_setstacksize(&attr, bytes), 0);
    assert_int_equal(pthread_create(&thread, &attr, evaluate, job), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

static void small_threads_say_depth(void **state) {
    (void)state;
    Job job = {.batt = batt_open()};
    assert_non_null(job.batt);
    evaluate(&job);
    assert_string_equal(job.answer, "801");
    evaluate_with(&job, (size_t)128 << 10);
    assert_string_equal(job.answer, "depth");
    evaluate_with(&job, (size_t)32 << 20);
    assert_string_equal(job.answer, "801");
    evaluate(&job); /* back on the thread whose bounds it had first */
    assert_string_equal(job.answer, "801");
    batt_close(job.batt);
}

static void note_room(void *arg) {
    uintptr_t low;
    size_t bytes;
    assert_true(callstack_bounds(&low, &bytes));
    assert_true((uintptr_t)&low - low < bytes);
    *(size_t *)arg = bytes;
}

static void bounds_hold_what_runs(void **state) {
    (void)state;
    size_t bytes = 0;
    assert_true(callstack_run(note_room, &bytes));
    assert_true(bytes > CALLSTACK_MIN / 2); /* the system takes a page or two of it */
    CallStack stack = {0};
    assert_true(callstack_fits(&stack));
    assert_true(stack.room > 0);
}

/* The quick way for the main thread says what the library reads from the mappings. */
static void bounds_are_the_librarys(void **state) {
    (void)state;
    uintptr_t low;
    size_t bytes, size;
    pthread_attr_t attr;
    void *base;
    assert_true(callstack_bounds(&low, &bytes));
    assert_int_equal(pthread_getattr_np(pthread_self(), &attr), 0);
    assert_int_equal(pthread_attr_getstack(&attr, &base, &size), 0);
    pthread_attr_destroy(&attr);
    assert_int_equal(low, (uintptr_t)base);
    assert_true(bytes >= size); /* the library leaves out what lies above the first frame */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_threads_say_depth),
        cmocka_unit_test(bounds_hold_what_runs),
        cmocka_unit_test(bounds_are_the_librarys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
