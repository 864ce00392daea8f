/* What the tests of search share: two contexts and the built-in idioms, tasks from text, programs from text.
 */
#ifndef BATT_TEST_SEARCH_FIXTURE_H
#define BATT_TEST_SEARCH_FIXTURE_H

#include "base/alloc.h"
#include "data/tasks/task.h"
#include "engine/language/parse.h"
#include "engine/primitives/prim.h"
#include "search/learning/idioms.h"
#include "search/session/solve.h"
#include "search/strategies/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Bench {
    Ctx ctx, check;
    IdiomSet *idioms;
} Bench;

static inline int open_bench(void **state) {
    static Bench bench;
    char why[256];
    Budget large = {.steps = UINT64_MAX / 4, .bytes = (uint64_t)256 << 20, .depth = 500};
    Budget small = {.steps = 2000000, .bytes = (uint64_t)64 << 20, .depth = 500};
    *state = &bench;
    bench.idioms = idioms_builtin(why, sizeof why);
    if (bench.idioms == NULL) {
        print_error("%s\n", why);
    }
    return !(bench.idioms != NULL && prim_open(&bench.ctx, MODE_CORE, false, &large) &&
             prim_open(&bench.check, MODE_CORE, false, &small));
}

static inline int close_bench(void **state) {
    Bench *bench = *state;
    idioms_free(bench->idioms);
    prim_close(&bench->ctx);
    prim_close(&bench->check);
    return 0;
}

/* One task, as JSON. */
static inline TaskSet *load(const char *text) {
    TaskSet *set = task_load_bytes("task.json", text, strlen(text), NULL);
    assert_non_null(set);
    assert_int_equal(set->n_errors, 0);
    return set;
}

/* A budget of steps for one strategy, or for all (-1). */
static inline SearchLimits limits_of(const Bench *bench, uint64_t steps, int only) {
    return (SearchLimits){.steps = steps, .without = only < 0 ? 0 : ~(1u << only), .idioms = bench->idioms};
}

/* The one program of a text. */
static inline Program *parse(Lang *lang, const char *text) {
    Source source = source_of("test", text, strlen(text));
    ParseOptions how = PARSE_OPTIONS_FILE;
    ProgList list = {0};
    Diags diags;
    diags_init(&diags);
    assert_true(lang_parse(lang, &source, &how, &list, &diags));
    assert_int_equal(list.count, 1);
    Program *program = list.items[0];
    list.count = 0;
    progs_free(&list);
    diags_free(&diags);
    return program;
}

#endif
