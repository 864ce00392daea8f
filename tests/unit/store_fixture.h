/* What the tests of the store share: a folder of their own, and programs and results made from a number. */
#ifndef BATT_TESTS_STORE_FIXTURE_H
#define BATT_TESTS_STORE_FIXTURE_H

#include "data/store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Folder {
    char path[256];
    char store[300]; /* path of a store in it */
} Folder;

static inline int folder_make(void **state) {
    const char *base = getenv("TMPDIR");
    Folder *folder = calloc(1, sizeof *folder);
    snprintf(folder->path, sizeof folder->path, "%s/batt-store-XXXXXX", base && *base ? base : P_tmpdir);
    if (mkdtemp(folder->path) == NULL) {
        return -1;
    }
    snprintf(folder->store, sizeof folder->store, "%s/s.batt", folder->path);
    *state = folder;
    return 0;
}

static inline int folder_remove(void **state) {
    Folder *folder = *state;
    char command[320];
    snprintf(command, sizeof command, "rm -rf '%s'", folder->path);
    int code = system(command);
    free(folder);
    return code;
}

static inline StoreKey key_of(uint64_t number) {
    StoreKey key = {{0}};
    uint64_t mixed = (number + 1) * 0x9e3779b97f4a7c15u; /* spread, as hashes are */
    memcpy(key.bytes, &mixed, 8);
    memcpy(key.bytes + 8, &number, 8);
    return key;
}

/* Text says the number, so that a row can be checked against its key. */
static inline StoreProgram program_of(uint64_t number, char text[64]) {
    int length =
        snprintf(text, 64, "def solve(I):\n    O = p%llu(I)\n    return O\n", (unsigned long long)number);
    return (StoreProgram){key_of(number), text, (size_t)length, (int32_t)(number % 20) + 1,
                          (int32_t)(number % 2)};
}

static inline Store *open_ok(const char *path, unsigned flags) {
    char error[STORE_ERROR_MAX] = "";
    Store *store = store_open(path, flags, error);
    if (store == NULL) {
        fail_msg("%s", error);
    }
    return store;
}

static inline void close_ok(Store *store) {
    char error[STORE_ERROR_MAX] = "";
    if (!store_close(store, error)) {
        fail_msg("%s", error);
    }
}

static inline void put_program(Store *store, uint64_t number) {
    char text[64];
    StoreProgram program = program_of(number, text);
    assert_true(store_put_program(store, &program));
}

static inline void put_result(Store *store, const char *task, uint64_t number, int32_t score, int64_t steps,
                              int64_t time_ns) {
    StoreResult result = {.task = task,
                          .program = key_of(number),
                          .score = score,
                          .train_exact = score / 1000,
                          .train_total = 3,
                          .steps = steps,
                          .time_ns = time_ns};
    assert_true(store_put_result(store, &result));
}

static inline void say_problem(void *context, const char *problem) {
    (void)context;
    print_message("problem: %s\n", problem);
}

static inline bool verify_number(void *context, const StoreProgram *program, char *why) {
    uint64_t number;
    char text[64];
    (void)context;
    memcpy(&number, program->key.bytes + 8, 8);
    StoreProgram wanted = program_of(number, text);
    if (program->length == wanted.length && strcmp(program->text, text) == 0) {
        return true;
    }
    snprintf(why, STORE_ERROR_MAX, "text and key differ");
    return false;
}

static inline void check_ok(Store *store) {
    int64_t problems = -1;
    assert_true(store_check(store, verify_number, say_problem, NULL, &problems));
    assert_int_equal(problems, 0);
}

/* Whole file in memory; free() it. */
static inline unsigned char *file_bytes_of(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
