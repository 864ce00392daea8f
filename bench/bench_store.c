/* Times operations on a large store: 100,000 programs with results on 400 tasks. Prints one line per
 * figure: name, value, unit.
 */
#include "base/clock.h"
#include "data/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAMS = 100000, TASKS = 400 };

static double now(void) {
    return (double)clock_now_ns() * 1e-9;
}

static void need(bool fine, const char *why) {
    if (!fine) {
        fprintf(stderr, "bench_store: %s\n", why);
        exit(1);
    }
}

static StoreKey key_of(uint64_t number) {
    StoreKey key;
    uint64_t halves[2] = {(number + 1) * 0x9e3779b97f4a7c15u, (number + 7) * 0xc2b2ae3d27d4eb4fu};
    memcpy(key.bytes, halves, sizeof key.bytes);
    return key;
}

static Store *open_store(const char *path, unsigned flags) {
    char error[STORE_ERROR_MAX] = "";
    Store *store = store_open(path, flags, error);
    need(store != NULL, error);
    return store;
}

static void close_store(Store *store) {
    char error[STORE_ERROR_MAX] = "";
    need(store_close(store, error), error);
}

/* A program of ten lines, as solvers are, and its result on one task. */
static void put(Store *store, uint64_t number) {
    char text[600], task[16];
    int length = snprintf(text, sizeof text, "def solve(I):\n");
    for (int line = 1; line <= 8; line++) {
        length +=
            snprintf(text + length, sizeof text - (size_t)length, "    x%d = objects(I, T, F, %c) # %llu\n",
                     line, number >> line & 1 ? 'T' : 'F', (unsigned long long)number);
    }
    length +=
        snprintf(text + length, sizeof text - (size_t)length, "    O = fill(I, FOUR, x8)\n    return O\n");
    snprintf(task, sizeof task, "%08x", (unsigned)(number % TASKS) * 2654435761u);
    StoreProgram program = {key_of(number), text, (size_t)length, 9, 0};
    StoreResult result = {.task = task,
                          .program = program.key,
                          .score = (int32_t)(number * 7919 % 3001),
                          .train_exact = 1,
                          .train_total = 3,
                          .steps = (int64_t)(number % 97),
                          .time_ns = (int64_t)(number % 9973)};
    StoreLineage lineage = {program.key, 1, {key_of(number / 2)}, "replace x3 by x1"};
    need(store_put_program(store, &program) && store_put_result(store, &result) &&
             store_put_lineage(store, &lineage),
         "cannot put");
}

static bool count(void *context, const StoreRow *row) {
    *(int64_t *)context += row->place == 1;
    return true;
}

int main(int argc, char **argv) {
    char folder[256], path[300];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/batt-bench-XXXXXX", base && *base ? base : P_tmpdir);
    if (argc > 1) { /* keep the store, for timing commands on it */
        snprintf(path, sizeof path, "%s", argv[1]);
    } else {
        need(mkdtemp(folder) != NULL, "cannot make a folder");
        snprintf(path, sizeof path, "%s/s.batt", folder);
    }

    double start = now();
    Store *store = open_store(path, STORE_WRITE | STORE_CREATE);
    for (uint64_t n = 0; n < PROGRAMS; n++) {
        put(store, n);
    }
    need(store_flush(store), store_error(store));
    double wrote = now() - start;
    close_store(store);
    printf("write            %9.0f rows/s (%d programs with result and lineage)\n", 3 * PROGRAMS / wrote,
           PROGRAMS);

    double min = 1e9, min_task = 1e9;
    int64_t tasks = 0;
    for (int round = 0; round < 10; round++) {
        start = now();
        store = open_store(path, STORE_READ);
        tasks = 0;
        need(store_best(store, NULL, 3, count, &tasks), store_error(store));
        close_store(store);
        double took = now() - start;
        min = took < min ? took : min;

        start = now();
        store = open_store(path, STORE_READ);
        need(store_best(store, "00000000", 10, count, &tasks), store_error(store));
        close_store(store);
        took = now() - start;
        min_task = took < min_task ? took : min_task;
    }
    printf("best, all tasks  %9.2f ms (open to close; %lld tasks, 3 each)\n", 1e3 * min,
           (long long)tasks - 1);
    printf("best, one task   %9.2f ms (open to close)\n", 1e3 * min_task);

    StoreStats stats;
    start = now();
    store = open_store(path, STORE_READ);
    need(store_stats(store, &stats), store_error(store));
    close_store(store);
    printf("stats            %9.2f ms (%.1f MB)\n", 1e3 * (now() - start), (double)stats.bytes / 1e6);

    start = now();
    close_store(open_store(path, STORE_WRITE));
    printf("open for writing %9.2f ms (with its check)\n", 1e3 * (now() - start));

    StorePruned pruned;
    store = open_store(path, STORE_WRITE);
    start = now();
    if (argc <= 1) {
        need(store_prune(store, 10, &pruned), store_error(store));
        printf("prune            %9.2f ms (%lld programs dropped)\n", 1e3 * (now() - start),
               (long long)pruned.programs);
    }
    close_store(store);
    if (argc <= 1) {
        unlink(path);
        rmdir(folder);
    }
    return 0;
}
