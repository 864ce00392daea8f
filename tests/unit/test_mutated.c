/* Task data damaged in thousands of ways: nothing crashes or hangs, what is rejected is rejected with a
 * place, and what is accepted is sound. With arguments `write FOLDER N` it puts damaged files into a folder
 * instead, for tests of the commands. */
#include "base/clock.h"
#include "data/submission/submission.h"
#include "data/tasks/embedded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_BYTES = 1 << 16 };

typedef struct Text {
    char bytes[MAX_BYTES];
    size_t length;
} Text;

static uint64_t next_random(uint64_t *state) {
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n) {
    return n > 0 ? (size_t)(next_random(state) % n) : 0;
}

static void replace(Text *text, size_t at, size_t gone, const char *with, size_t n) {
    if (text->length - gone + n > MAX_BYTES) {
        return;
    }
    memmove(text->bytes + at + n, text->bytes + at + gone, text->length - at - gone);
    memcpy(text->bytes + at, with, n);
    text->length += n - gone;
}

static void mutate(Text *text, uint64_t *state) {
    static const char *const words[] = {
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "-1",
        "10",
        "1.5",
        "1e9",
        "null",
        "true",
        "[[]]",
        "[]",
        "{}",
        "\\u0000",
        "\"train\"",
        "\"test\"",
        "\"input\"",
        "\xff\xfe",
        "0123",
        "99999999999999999999",
        "\"output\"",
        "[[1,2],[3]]",
        " ",
        "\n",
        "NaN",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["};
    enum { WORDS = sizeof words / sizeof *words };
    size_t at = below(state, text->length), span = below(state, text->length - at);
    switch (below(state, 7)) {
    case 0: /* another byte */
        text->bytes[at] = (char)next_random(state);
        break;
    case 1: /* a piece is missing */
        replace(text, at, span < 40 ? span : below(state, 40), "", 0);
        break;
    case 2: /* the end is missing */
        text->length = at;
        break;
    case 3: { /* something strange in between */
        const char *word = words[below(state, WORDS)];
        replace(text, at, 0, word, strlen(word));
        break;
    }
    case 4: { /* a piece twice */
        static char copy[MAX_BYTES];
        size_t n = span < 200 ? span : below(state, 200);
        memcpy(copy, text->bytes + at, n);
        replace(text, at, 0, copy, n);
        break;
    }
    case 5: { /* another token for a character */
        const char *word = words[below(state, WORDS)];
        replace(text, at, 1, word, strlen(word));
        break;
    }
    default: /* a bit */
        text->bytes[at] = (char)(text->bytes[at] ^ 1 << below(state, 8));
    }
}

static void put(Text *text, const char *bytes, size_t n) {
    if (text->length + n <= MAX_BYTES) {
        memcpy(text->bytes + text->length, bytes, n);
        text->length += n;
    }
}

enum { FORMATS = 5 };

/* A sound file in one of the layouts: task, challenges, list of pairs, solutions, submission. */
static void sound_file(Text *text, unsigned format, uint64_t *state) {
    size_t count;
    const EmbeddedFile *files = embedded_tasks(&count);
    const EmbeddedFile *file = &files[below(state, count)], *other = &files[below(state, count)];
    static const char pairs[] =
        "[{\"input\":[[0,1],[2,3]],\"output\":[[1]]},{\"input\":[[5]],\"output\":[[5]]}]",
                      solutions[] = "{\"00d62c1b\":[[[1,2],[3,4]]],\"aa\":[[[1]],[[2]]]}",
                      answers[] = "{\"00d62c1b\":[{\"attempt_1\":[[1,2]],\"attempt_2\":[[0,0],[0,0]]}],"
                                  "\"aa\":[{\"attempt_1\":[[3]],\"attempt_2\":[[4]]}]}";
    text->length = 0;
    switch (format) {
    case 0:
        put(text, file->data, file->size);
        break;
    case 1:
        put(text, "{\"one\":", 7);
        put(text, file->data, file->size);
        put(text, ",\"two\":", 7);
        put(text, other->data, other->size);
        put(text, "}", 1);
        break;
    case 2:
        put(text, pairs, sizeof pairs - 1);
        break;
    case 3:
        put(text, solutions, sizeof solutions - 1);
        break;
    default:
        put(text, answers, sizeof answers - 1);
    }
}

static void damaged_file(Text *text, unsigned format, uint64_t *state) {
    sound_file(text, format, state);
    for (size_t k = 1 + below(state, 4); k > 0 && text->length > 0; k--) {
        mutate(text, state);
    }
}

static void check_errors(const TaskError *errors, size_t n, const Text *text) {
    for (size_t k = 0; k < n; k++) {
        assert_true(errors[k].reason[0] != '\0');
        assert_true(errors[k].line >= 1 && errors[k].column >= 1); /* every rejection names a place */
        assert_true(errors[k].line <= text->length + 1 && errors[k].column <= text->length + 1);
    }
}

static void check_task(const Task *task, bool solutions) {
    assert_true(task->id[0] != '\0');
    for (int32_t k = 0; k < task->n_train + task->n_test; k++) {
        bool train = k < task->n_train;
        const TaskPair *pair = train ? &task->train[k] : &task->test[k - task->n_train];
        assert_true(solutions || task_image_valid(pair->in, TASK_MAX_SIDE));
        assert_true(!pair->has_output || task_image_valid(pair->out, TASK_MAX_SIDE));
        assert_true(!train || pair->has_output);
    }
}

static void rejections_name_a_place(void **state) {
    (void)state;
    static Text text;
    size_t rounds = getenv("BATT_TEST_QUICK") != NULL ? 2000 : 200000, rejected = 0, accepted = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        uint64_t seed = round;
        unsigned format = (unsigned)(round % FORMATS);
        damaged_file(&text, format, &seed);
        uint64_t start = clock_now_ns();
        if (format == 4) {
            Submission *submission = submission_read_bytes("damaged.json", text.bytes, text.length);
            assert_non_null(submission);
            check_errors(submission->errors, submission->n_errors, &text);
            rejected += submission->n_errors > 0;
            submission_free(submission);
        } else {
            TaskLoadOptions how = {.solutions = format == 3, .strict = round % 3 == 0};
            TaskSet *set = task_load_bytes("damaged.json", text.bytes, text.length, &how);
            assert_non_null(set);
            assert_true(set->n_tasks > 0 || set->n_errors > 0 || format == 3);
            check_errors(set->errors, set->n_errors, &text);
            for (size_t k = 0; k < set->n_tasks; k++) {
                check_task(&set->tasks[k], how.solutions);
            }
            rejected += set->n_errors > 0;
            accepted += set->n_errors == 0;
            task_set_free(set);
        }
        assert_true(clock_now_ns() - start < 20000000000u);
    }
    assert_true(rejected > rounds / 3 && accepted > 0); /* the damage neither spares nor kills everything */
}

static int write_files(const char *folder, size_t n) {
    static Text text;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t seed = k + UINT64_C(1000000007);
        char path[4096];
        damaged_file(&text, (unsigned)(k % FORMATS), &seed);
        snprintf(path, sizeof path, "%s/%06llu.json", folder, (unsigned long long)k);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(text.bytes, 1, text.length, file) != text.length || fclose(file) != 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "write") == 0) {
        return write_files(argv[2], strtoul(argv[3], NULL, 10));
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(rejections_name_a_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
