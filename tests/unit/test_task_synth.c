/* Synthetic tasks: every family yields what it promises, and the same on every run. */
#include "base/alloc.h"
#include "data/synth/synth_batch.h"
#include "engine/eval/eval.h"
#include "engine/language/parse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const TaskPair *pair_at(const Task *task, int32_t k) {
    return k < task->n_train ? &task->train[k] : &task->test[k - task->n_train];
}

static void every_family_makes_sound_tasks(void **state) {
    (void)state;
    Synth *synth = synth_open();
    const char *why = "";
    assert_non_null(synth);
    assert_true(synth_count() >= 40);
    for (size_t f = 0; f < synth_count(); f++) {
        for (uint64_t seed = 0; seed < 20; seed++) {
            const Task *task = synth_make(synth, synth_family(f), seed, 4, 2, &why);
            if (task == NULL) {
                fail_msg("%s: %s", synth_name(synth_family(f)), why);
            }
            assert_int_equal(task->n_train, 4);
            assert_int_equal(task->n_test, 2);
            bool alike = true;
            for (int32_t k = 0; k < 6; k++) {
                const TaskPair *pair = pair_at(task, k);
                assert_true(pair->has_output && task_image_valid(pair->in, TASK_MAX_SIDE) &&
                            task_image_valid(pair->out, TASK_MAX_SIDE));
                assert_false(task_image_equal(pair->in, pair->out));
                alike = alike && task_image_equal(pair->out, task->train[0].out);
                for (int32_t i = 0; i < k; i++) {
                    assert_false(task_image_equal(pair->in, pair_at(task, i)->in));
                }
            }
            assert_false(alike);
        }
    }
    synth_close(synth);
}

/* The written solver, read back as a user would, must solve the task. */
static void programs_solve_their_tasks(void **state) {
    (void)state;
    Synth *synth = synth_open();
    Lang *lang = lang_open();
    Ctx ctx;
    const Budget budget = BUDGET_DEFAULT;
    assert_true(synth && lang && prim_open(&ctx, MODE_CORE, false, &budget));
    for (size_t f = 0; f < synth_count(); f++) {
        const char *why;
        const Task *task = synth_make(synth, synth_family(f), 77, 3, 1, &why);
        ProgList programs = {0};
        Diags diags;
        Out text;
        char name[32];
        out_init(&text);
        diags_init(&diags);
        synth_program(&text, synth_family(f), 77);
        Source source = source_of("s", text.data, text.len);
        assert_non_null(task);
        assert_true(lang_parse(lang, &source, &PARSE_OPTIONS_FILE, &programs, &diags));
        assert_int_equal(diags.errors, 0);
        assert_int_equal(programs.count, 1);
        snprintf(name, sizeof name, "solve_%s", task->id);
        assert_string_equal(programs.items[0]->name, name);
        for (int32_t k = 0; k < 4; k++) {
            ctx_reset(&ctx);
            Val in = eval_grid(pair_at(task, k)->in);
            Val out = eval_program(&ctx, programs.items[0], &in);
            assert_true(val_eq(out, eval_grid(pair_at(task, k)->out)));
        }
        progs_free(&programs);
        diags_free(&diags);
        out_free(&text);
    }
    prim_close(&ctx);
    lang_close(lang);
    synth_close(synth);
}

static void equal_seeds_make_equal_tasks(void **state) {
    (void)state;
    Synth *one = synth_open(), *two = synth_open();
    const char *why;
    for (size_t f = 0; f < synth_count(); f += 7) {
        const Task *task = synth_make(one, synth_family(f), 5, 3, 1, &why);
        uint64_t hash = task->hash;
        char id[SYNTH_ID_BYTES];
        synth_id(id, synth_family(f), 5);
        assert_string_equal(task->id, id);
        assert_true(synth_make(one, synth_family(f), 6, 3, 1, &why)->hash != hash);
        assert_true(synth_make(two, synth_family(f), 5, 3, 1, &why)->hash == hash);
    }
    synth_close(one);
    synth_close(two);
}

static int compare_ids(const void *a, const void *b) {
    const unsigned *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void batches_have_unique_ids(void **state) {
    (void)state;
    enum { MANY = 200000 }; /* enough for several collisions among 32-bit ids */
    const SynthFamily *families[] = {synth_family(0), synth_family(1), synth_family(2)};
    SynthBatch batch;
    unsigned *ids = mem_array(MANY, sizeof *ids);
    assert_non_null(ids);
    assert_true(synth_batch_open(&batch, families, 3, 9, MANY));
    for (size_t k = 0; k < MANY; k++) {
        uint64_t seed;
        char id[SYNTH_ID_BYTES];
        const SynthFamily *family = synth_batch_next(&batch, &seed);
        assert_ptr_equal(family, families[k % 3]);
        synth_id(id, family, seed);
        assert_int_equal(sscanf(id, "%8x", &ids[k]), 1);
    }
    qsort(ids, MANY, sizeof *ids, compare_ids);
    for (size_t k = 1; k < MANY; k++) {
        assert_true(ids[k - 1] != ids[k]);
    }
    synth_batch_close(&batch);
    mem_free(ids);
}

static void survives_every_allocation_failure(void **state) {
    (void)state;
    uint64_t before = mem_bytes(), nth = 0;
    const char *why;
    for (bool done = false; !done;) {
        mem_fail_at(++nth);
        Synth *synth = synth_open();
        done = synth != NULL && synth_make(synth, synth_find("fill_holes", 10), 1, 3, 1, &why) != NULL;
        synth_close(synth);
        assert_true(nth < 1000 && mem_bytes() == before);
    }
    mem_fail_at(0);
    assert_true(nth > 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_makes_sound_tasks),    cmocka_unit_test(programs_solve_their_tasks),
        cmocka_unit_test(equal_seeds_make_equal_tasks),      cmocka_unit_test(batches_have_unique_ids),
        cmocka_unit_test(survives_every_allocation_failure),
    };
    return cmocka_run_group_tests_name("synth", tests, NULL, NULL);
}
