/* Assertions and logs: they work in the checked build and are compiled out in a release build. */
#include "base/check.h"
#include "engine/value/value.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef BATT_CHECKED

/* Runs it in a child; what it wrote to standard error. Returns how the child ended. */
static int in_child(void (*fn)(void), char *text, size_t size) {
    int ends[2], status = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* cmocka's own would go on with the next test */
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        fn();
        _exit(0);
    }
    close(ends[1]);
    size_t at = 0;
    ssize_t got;
    while (at + 1 < size && (got = read(ends[0], text + at, size - 1 - at)) > 0) {
        at += (size_t)got;
    }
    text[at] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void break_keys(void) {
    static const uint32_t keys[] = {7, 3};
    VAL_CHECKED(val_keys_sorted(VAL_INDICES, keys, 2)); /* as the dispatch does with what a primitive gives */
}
static void break_release(void) {
    Ctx ctx;
    if (ctx_open(&ctx, NULL)) {
        ctx_release(&ctx, ctx.top + 64);
    }
}
static void break_grid(void) {
    static const int8_t cells[4];
    val_grid8(cells, LIMIT_ELEMENTS, 4);
}
static void break_index(void) {
    val_at(val_pair32(1, 2), 2);
}
static void keep_all(void) {
    static const uint32_t keys[] = {3, 7};
    val_at(val_keys_sorted(VAL_INDICES, keys, 2), 1);
}

static void test_breaks(void **state) {
    (void)state;
    static const struct {
        void (*fn)(void);
        const char *says[2];
    } cases[] = {{break_keys, {"keys that do not ascend", "n 2"}},
                 {break_release, {"ctx_release: assertion failed: mark", "mark at 64, 0 used"}},
                 {break_grid, {"too large", "n 1048576"}},
                 {break_index, {"val_at: assertion failed", "element 2 of 2"}}};
    char text[2048];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int status = in_child(cases[k].fn, text, sizeof text);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        for (int word = 0; word < 2; word++) {
            if (strstr(text, cases[k].says[word]) == NULL) {
                fail_msg("no '%s' in: %s", cases[k].says[word], text);
            }
        }
    }
    assert_int_equal(in_child(keep_all, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void say(void) {
    LOG(SEARCH, "kept %d of %s", 3, "them");
    LOG(STORE, "nobody asked");
}
static void say_search(void) {
    setenv("BATT_LOG", "arena,search", 1);
    say();
}
static void say_all(void) {
    setenv("BATT_LOG", "all", 1);
    say();
}
static void say_nothing(void) {
    setenv("BATT_LOG", "searching", 1);
    say();
}

static void test_log(void **state) {
    (void)state;
    char text[2048];
    in_child(say_search, text, sizeof text);
    assert_string_equal(text, "[SEARCH] kept 3 of them\n");
    in_child(say_all, text, sizeof text);
    assert_string_equal(text, "[SEARCH] kept 3 of them\n[STORE] nobody asked\n");
    in_child(say_nothing, text, sizeof text);
    assert_string_equal(text, "");
}

#else

/* Called only where the macros are not empty. */
static __attribute__((unused)) int counted(int *calls) {
    return ++*calls;
}

static void test_breaks(void **state) {
    (void)state;
    int calls = 0;
    ASSERT(counted(&calls) == 7, "%d", counted(&calls));
    assert_int_equal(calls, 0);
}

static void test_log(void **state) {
    (void)state;
    int calls = 0;
    LOG(SEARCH, "%d", counted(&calls));
    assert_int_equal(calls, 0);
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_breaks), cmocka_unit_test(test_log)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
