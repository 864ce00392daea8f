/* Evaluation without memory: every allocation failing in turn over all recorded vectors and every primitive's
 * example, and none of the heap at all while programs run. */
#include "base/alloc.h"
#include "lang_fixture.h"

#include <dirent.h>

typedef void Visit(Fixture *f, const Program *program, const Val *params, Mode mode, bool safe);

static bool quick(void) {
    return getenv("BATT_TEST_QUICK") != NULL;
}

/* One line of text, as vectors and examples have it, parsed and handed on. False: it is none. */
static bool visit_line(Fixture *f, const char *line, const char *grid, Mode mode, bool safe, Visit *visit) {
    ProgList kept = {0};
    Val in = val_int(0);
    if (grid != NULL) {
        if (fixture_parse(f, grid, strlen(grid), PARSE_OPTIONS_LITERAL) != 1) {
            return false;
        }
        kept = f->programs;
        f->programs = (ProgList){0};
        in = kept.items[0]->consts[0];
    }
    bool fine =
        fixture_parse(f, line, strlen(line), (ParseOptions){PARSE_LINE, (int)mode, grid != NULL}) == 1;
    if (fine) {
        prim_bind(&f->ctx, mode, safe);
        visit(f, f->programs.items[0], &in, mode, safe);
    }
    progs_free(&kept);
    return fine;
}

static size_t visit_file(Fixture *f, const char *path, Mode mode, bool safe, Visit *visit, size_t every) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *line = NULL;
    size_t room = 0, seen = 0, lines = 0;
    while (getline(&line, &room, file) > 0) {
        char *value = strchr(line, '\t'), *third = value != NULL ? strchr(value + 1, '\t') : NULL;
        if (value == NULL || lines++ % every != 0) {
            continue;
        }
        *value = '\0';
        if (third != NULL) {
            *third = '\0';
        }
        seen += visit_line(f, line, third != NULL ? value + 1 : NULL, mode, safe, visit);
    }
    free(line);
    fclose(file);
    return seen;
}

static size_t visit_folder(Fixture *f, const char *folder, Mode mode, bool safe, Visit *visit, size_t every) {
    DIR *dir = opendir(folder);
    size_t seen = 0;
    if (dir == NULL) {
        print_message("no folder %s, so none of its vectors: run from the project's root\n", folder);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[600];
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".tsv") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            seen += visit_file(f, path, mode, safe, visit, every);
        }
    }
    closedir(dir);
    return seen;
}

static size_t visit_examples(Fixture *f, Visit *visit) {
    size_t seen = 0;
    for (uint32_t id = 0; id < PRIM_COUNT; id++) {
        char text[2000];
        const char *example = prim_table[id].example;
        bool batt = strncmp(example, "batt: ", 6) == 0;
        snprintf(text, sizeof text, "%s", example + (batt ? 6 : 0));
        char *arrow = strstr(text, " -> ");
        assert_non_null(arrow);
        *arrow = '\0';
        seen += visit_line(f, text, NULL, batt ? MODE_BATT : MODE_CORE, false, visit);
    }
    return seen;
}

static size_t visit_all(Fixture *f, Visit *visit, size_t every) {
    return visit_examples(f, visit) + visit_folder(f, "tests/vectors", MODE_CORE, false, visit, every) +
           visit_folder(f, "tests/vectors/dialect", MODE_BATT, true, visit, every);
}

/* The n-th allocation fails, for every n that there is: the result is a failure for lack of memory. */
static void fail_each(Fixture *f, const Program *program, const Val *params, Mode mode, bool safe) {
    (void)mode, (void)safe;
    ctx_reset(&f->ctx);
    Val whole = eval_program(&f->ctx, program, params);
    size_t size = val_failed(whole) ? 0 : val_deep_size(whole);
    char *block = malloc(size + 1), *cursor = block;
    assert_non_null(block);
    whole = val_deep_copy(whole, &cursor);
    for (uint64_t nth = 1; nth < 400; nth++) {
        ctx_inject_failure(&f->ctx, nth);
        ctx_reset(&f->ctx);
        Val v = eval_program(&f->ctx, program, params);
        bool reached = f->ctx.exhausted != FAIL_NONE;
        uint8_t why = f->ctx.exhausted;
        ctx_inject_failure(&f->ctx, 0);
        if (!reached) {
            assert_true(val_failed(whole) ? val_failed(v) : val_is_fn(whole) || val_eq(v, whole));
            break;
        }
        if (!val_failed(v) || (v.w != FAIL_MEMORY && !val_failed(whole))) {
            out_clear(&f->out);
            print_oneline(&f->out, program);
            fail_msg("allocation %u: kind %u, reason %u, exhausted %u\n%s", (unsigned)nth, v.kind, v.w, why,
                     f->out.data);
        }
    }
    free(block);
}

static void failing_allocations(void **state) {
    size_t seen = visit_all(*state, fail_each, quick() ? 10 : 1);
    assert_true(seen > 250);
}

static void count_heap(Fixture *f, const Program *program, const Val *params, Mode mode, bool safe) {
    (void)mode, (void)safe;
    uint64_t before = mem_calls();
    ctx_reset(&f->ctx);
    eval_program(&f->ctx, program, params);
    assert_true(mem_calls() == before);
}

static void no_heap(void **state) {
    size_t seen = visit_all(*state, count_heap, quick() ? 10 : 1);
    assert_true(seen > 250);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(failing_allocations, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(no_heap, fixture_open, fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
