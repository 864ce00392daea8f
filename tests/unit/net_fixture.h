/* What the tests of nets share: a net over a task, with first values and noise as the vectors on record have
 * them, and the comparison of its numbers with theirs (../shared/vectors/compress or BATT_VECTORS, and
 * tests/vectors/net). */
#ifndef BATT_TEST_NET_FIXTURE_H
#define BATT_TEST_NET_FIXTURE_H

#include "base/alloc.h"
#include "search/net/answers.h"
#include "search/net/engine_table.h"
#include "search/net/net.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct TestNet {
    TaskSet *set;
    NetMemory mem;
    NetTeam team;
    const NetEngine *engine;
    struct NetRun *run;
    void *block;
} TestNet;

static inline double test_unit(uint64_t seed, uint64_t i) {
    uint64_t s = seed + (i + 1) * 0x9E3779B97F4A7C15u;
    s = (s ^ (s >> 30)) * 0xBF58476D1CE4E5B9u;
    s = (s ^ (s >> 27)) * 0x94D049BB133111EBu;
    s ^= s >> 31;
    return (2 * ((double)(s >> 11) * 0x1p-53) - 1) * sqrt(3);
}

static inline void test_net_open(TestNet *net, TaskSet *set, const NetEngine *engine, unsigned threads) {
    const char *why = "";
    *net = (TestNet){.set = set, .engine = engine};
    assert_non_null(set);
    assert_int_equal(set->n_tasks, 1);
    assert_true(net_memory_open(&net->mem, &set->tasks[0], &why));
    size_t bytes = engine->bytes(&net->mem, threads) + 64;
    net->block = mem_zalloc(1, bytes);
    assert_non_null(net->block);
    assert_true(net_team_open(&net->team, threads));
    net->run = engine->open(&net->mem, threads, (char *)net->block + (64 - (uintptr_t)net->block % 64));
}

static inline void test_net_close(TestNet *net) {
    net_team_close(&net->team);
    mem_free(net->block);
    net_memory_close(&net->mem);
    task_set_free(net->set);
}

/* First values of the vectors: "plain" or "spread". */
static inline void test_net_begin(TestNet *net, bool spread) {
    for (size_t k = 0; k < NET_PARAMETERS; k++) {
        NetParameter what;
        net_parameter(&net->mem, k, &what);
        size_t n = what.rows * what.columns;
        double *values = calloc(n, sizeof *values);
        assert_non_null(values);
        for (size_t i = 0; i < n; i++) {
            double unit = test_unit(k + 1, i);
            if (strncmp(what.name, "lat.adj", 7) == 0) {
                values[i] = spread ? 0.5 * unit : 0;
            } else if (strncmp(what.name, "lat.cap", 7) == 0) {
                values[i] = spread ? -0.5 + 0.2 * unit : 0;
            } else if (!spread && strcmp(what.name, "head.w") == 0) {
                values[i] = what.scale * test_unit(k + 1, i / 2);
            } else {
                values[i] = what.scale * unit;
            }
        }
        net->engine->write(net->run, &what, values);
        free(values);
    }
}

/* What a net saves; the caller frees it. */
static inline char *saved(const Net *net, size_t *bytes) {
    *bytes = net_saved_bytes(net);
    char *block = calloc(1, *bytes);
    assert_non_null(block);
    net_save(net, block);
    return block;
}

/* ---- comparison ---- */

/* A statistic: the sum, the sum of absolute values, and samples evenly spread. Two arrays agree if all of it
 * does within `relative` times the mean absolute value, and `absolute`. Returns the error in units of what is
 * allowed. */
static inline double statistic_error(const json_t *gold, const double *values, size_t n, double relative,
                                     double absolute) {
    size_t samples = json_array_size(gold) - 2;
    double sum = 0, size = 0, worst = 0;
    for (size_t k = 0; k < n; k++) {
        sum += values[k];
        size += fabs(values[k]);
    }
    double gold_size = json_number_value(json_array_get(gold, 1));
    double allowed = relative * gold_size / (double)n + absolute;
    double error = fabs(sum - json_number_value(json_array_get(gold, 0))) / (double)n / allowed;
    worst = error > worst ? error : worst;
    error = fabs(size - gold_size) / (double)n / allowed;
    worst = error > worst || isnan(error) ? error : worst;
    assert_true(n >= samples);
    for (size_t j = 0; j < samples; j++) {
        size_t at = n <= samples ? j : j * (n - 1) / (samples - 1);
        error = fabs(values[at] - json_number_value(json_array_get(gold, j + 2))) / allowed;
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

/* All numbers, in order. */
static inline double array_error(const json_t *gold, const double *values, size_t n, double allowed) {
    double worst = 0;
    assert_int_equal(json_array_size(gold), n);
    for (size_t k = 0; k < n; k++) {
        double error = fabs(values[k] - json_number_value(json_array_get(gold, k))) / allowed;
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

static inline double relative_error(double a, double b) {
    return fabs(a - b) / fabs(b);
}

static inline json_t *read_json(const char *path) {
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        print_message("%s: %s, line %d\n", path, error.text, error.line);
    }
    return root;
}

/* The folder of vectors on record; NULL, and says so: it is not there. */
static inline const char *recorded_vectors(char *path, size_t room) {
    const char *shared = getenv("BATT_VECTORS");
    snprintf(path, room, "%s/compress", shared != NULL ? shared : "../shared/vectors");
    char file[600];
    snprintf(file, sizeof file, "%s/selection.json", path);
    FILE *there = fopen(file, "r");
    if (there == NULL) {
        print_message("skipped: no vectors of the compression net in %s\n", path);
        return NULL;
    }
    fclose(there);
    return path;
}

/* The made task of tests/vectors/net/NAME.json. */
static inline TaskSet *synthetic_task(const char *name) {
    char path[100];
    snprintf(path, sizeof path, "tests/vectors/net/%s.json", name);
    json_t *gold = read_json(path);
    assert_non_null(gold);
    char *text = json_dumps(json_object_get(gold, "task"), 0);
    assert_non_null(text);
    TaskSet *set = task_load_bytes("made.json", text, strlen(text), NULL);
    free(text);
    json_decref(gold);
    return set;
}

static inline TaskSet *recorded_task(const char *id) {
    char path[600];
    const char *data = getenv("BATT_DATA");
    snprintf(path, sizeof path, "%s/arc1-training/%s.json", data != NULL ? data : "../shared/data", id);
    const char *paths[] = {path};
    TaskSet *set = task_load(paths, 1, NULL);
    if (set != NULL && set->n_tasks == 0) {
        print_message("skipped: no task %s\n", path);
        task_set_free(set);
        return NULL;
    }
    return set;
}

#endif
