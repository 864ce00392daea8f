/* Verdicts: what counts as solved, which program is chosen for a task, and that threads,
 * interruptions and lack of memory do not change them. */
#include "base/alloc.h"
#include "engine/eval/pool.h"
#include "engine/language/parse.h"
#include "search/run/run.h"
#include "tools/cli/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* turn: mirrored left to right. half: right on training, not on the test. blind: the test's output is not
 * known. */
static const char TASKS[] =
    "{\"turn\":{\"train\":[{\"input\":[[1,2]],\"output\":[[2,1]]},{\"input\":[[3,4]],\"output\":[[4,3]]}],"
    "\"test\":[{\"input\":[[5,6]],\"output\":[[6,5]]},{\"input\":[[7,8]],\"output\":[[8,7]]}]},"
    "\"half\":{\"train\":[{\"input\":[[1,2]],\"output\":[[2,1]]}],"
    "\"test\":[{\"input\":[[5,6]],\"output\":[[6,5]]},{\"input\":[[7,8]],\"output\":[[7,8]]}]},"
    "\"blind\":{\"train\":[{\"input\":[[1,2]],\"output\":[[2,1]]}],\"test\":[{\"input\":[[5,6]]}]},"
    "\"tall\":{\"train\":[{\"input\":[[1,2]],\"output\":[[1],[2]]}],"
    "\"test\":[{\"input\":[[5,6]],\"output\":[[5],[6]]}]}}";

static const char PROGRAMS[] = "def solve_turn(I):\n    O = vmirror(I)\n    return O\n"
                               "def solve_half(I):\n    O = vmirror(I)\n    return O\n"
                               "def solve_blind(I):\n    O = vmirror(I)\n    return O\n"
                               "def solve_tall(I):\n    O = vmirror(I)\n    return O\n";

typedef struct Fixture {
    Data data;
    Solvers solvers;
    Matching matching;
    Pool pool;
    RunTask results[64];
} Fixture;

static void open_fixture(Fixture *f, const char *tasks, const char *programs, unsigned jobs) {
    memset(f, 0, sizeof *f);
    f->data.set = task_load_bytes("tasks.json", tasks, strlen(tasks), NULL);
    assert_non_null(f->data.set);
    assert_int_equal(f->data.set->n_errors, 0);
    f->data.n_tasks = f->data.set->n_tasks;
    f->data.tasks = mem_array(f->data.n_tasks, sizeof *f->data.tasks);
    for (size_t k = 0; k < f->data.n_tasks; k++) {
        f->data.tasks[k] = &f->data.set->tasks[k];
    }
    Lang *lang = lang_open();
    Source source = source_of("programs.py", programs, strlen(programs));
    ParseOptions how = PARSE_OPTIONS_FILE;
    Diags diags;
    diags_init(&diags);
    assert_true(lang_parse(lang, &source, &how, &f->solvers.list, &diags));
    lang_close(lang);
    assert_int_equal(diags.errors, 0);
    diags_free(&diags);
    assert_true(match_programs(&f->solvers.list, f->data.tasks, f->data.n_tasks, &f->matching));
    Budget budget = BUDGET_DEFAULT;
    budget.steps = 1000000;
    assert_true(pool_open(&f->pool, jobs, &budget));
}

static RunSpec spec_of(Fixture *f) {
    return (RunSpec){.tasks = f->data.tasks,
                     .n_tasks = f->data.n_tasks,
                     .programs = (const Program *const *)f->solvers.list.items,
                     .n_programs = f->solvers.list.count,
                     .matches = f->matching.by_task};
}

static void close_fixture(Fixture *f) {
    run_free(f->results, f->data.n_tasks);
    matching_free(&f->matching);
    solvers_free(&f->solvers);
    data_free(&f->data);
    pool_close(&f->pool);
}

static const RunTask *result_of(const Fixture *f, const char *id) {
    for (size_t k = 0; k < f->data.n_tasks; k++) {
        if (strcmp(f->data.tasks[k]->id, id) == 0) {
            return &f->results[k];
        }
    }
    fail_msg("no task %s", id);
    return NULL;
}

static void verdicts_and_three_ways(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f, TASKS, PROGRAMS, 1);
    RunSpec spec = spec_of(&f);
    assert_int_equal(run_tasks(&f.pool, &spec, f.results, NULL), 4);
    assert_string_equal(run_status(result_of(&f, "turn")), "solved");
    assert_string_equal(run_status(result_of(&f, "half")), "training only");
    assert_string_equal(run_status(result_of(&f, "blind")), "answered");
    assert_string_equal(run_status(result_of(&f, "tall")), "wrong");
    assert_false(result_of(&f, "half")->solved);
    assert_false(result_of(&f, "blind")->solved);
    RunTotals t = run_totals(f.results, 4);
    assert_int_equal(t.tasks, 4);
    assert_int_equal(t.tasks_solved, 1);
    assert_int_equal(t.fits_only, 1);
    assert_int_equal(t.answered, 1);
    assert_int_equal(t.outputs, 5);
    assert_int_equal(t.outputs_right, 3);
    assert_true(t.mean_share > 0.4999 && t.mean_share < 0.5001); /* (1 + 1/2 + 0) / 3 */
    assert_int_equal(t.samples, 10);
    assert_int_equal(t.samples_right, 7);
    assert_int_equal(t.wrong, 1);
    assert_int_equal(t.wrong_size, 2);
    char why[100];
    run_reason(result_of(&f, "tall"), why, sizeof why);
    assert_string_equal(why, "2 of 2 of the wrong size");
    run_reason(result_of(&f, "turn"), why, sizeof why);
    assert_string_equal(why, "");
    close_fixture(&f);
}

/* The program is chosen by the training pairs: one that knows only the test's answer is not taken. */
static void choice_is_blind_to_tests(void **state) {
    (void)state;
    static const char programs[] =
        "def solve_half_2(I):\n    O = identity(I)\n    return O\n"
        "def solve_half_1(I):\n    x1 = hmirror(I)\n    O = vmirror(x1)\n    return O\n"
        "def solve_half(I):\n    O = vmirror(I)\n    return O\n";
    Fixture f;
    open_fixture(&f, TASKS, programs, 1);
    RunSpec spec = spec_of(&f);
    spec.keep_grids = true;
    run_tasks(&f.pool, &spec, f.results, NULL);
    const RunTask *half = result_of(&f, "half");
    assert_int_equal(half->tried, 3);
    assert_string_equal(half->program->name, "solve_half"); /* as right as solve_half_1, and shorter */
    assert_int_equal(half->solving, 0);
    assert_int_equal(half->samples[1].got.w, 2);
    assert_int_equal(half->samples[1].got.cells[0], 6);
    assert_int_equal(half->samples[2].got.cells[0], 8);
    assert_null(result_of(&f, "turn")->program);
    assert_string_equal(run_status(result_of(&f, "turn")), "no program");
    close_fixture(&f);
}

static void failures_have_causes(void **state) {
    (void)state;
    static const char programs[] =
        "def solve_turn(I):\n    x1 = first(I)\n    O = rot90(x1)\n    return O\n"
        "def solve_half(I):\n    x1 = interval(ZERO, 900, ONE)\n    x2 = product(x1, x1)\n"
        "    O = identity(x2)\n    return O\n"
        "def solve_tall(I):\n    O = width(I)\n    return O\n";
    Fixture f;
    open_fixture(&f, TASKS, programs, 1);
    RunSpec spec = spec_of(&f);
    Budget tight = BUDGET_DEFAULT;
    tight.steps = 1000;
    ctx_set_budget(&f.pool.workers[0].ctx, &tight);
    run_tasks(&f.pool, &spec, f.results, NULL);
    assert_string_equal(run_status(result_of(&f, "turn")), "failed");
    assert_string_equal(run_status(result_of(&f, "half")), "out of budget");
    char why[100];
    run_reason(result_of(&f, "turn"), why, sizeof why);
    assert_string_equal(why, "failed: type in rot90, line 3");
    run_reason(result_of(&f, "half"), why, sizeof why);
    assert_non_null(strstr(why, "out of steps"));
    run_reason(result_of(&f, "tall"), why, sizeof why);
    assert_string_equal(why, "2 of 2 not a grid");
    RunCause causes[4];
    assert_int_equal(run_causes(f.results, 4, causes, 4), 2);
    assert_int_equal(causes[0].samples, 4);
    assert_int_equal(causes[0].reason, FAIL_TYPE);
    assert_int_equal(causes[1].samples, 3);
    assert_int_equal(causes[1].reason, FAIL_STEPS);
    RunTotals t = run_totals(f.results, 4);
    assert_int_equal(t.failed, 4);
    assert_int_equal(t.over_budget, 3);
    assert_int_equal(t.not_grid, 2);
    close_fixture(&f);
}

static void names_match_tasks(void **state) {
    (void)state;
    static const char tasks[] = "{\"ab\":{\"train\":[{\"input\":[[1]],\"output\":[[1]]}],\"test\":[]},"
                                "\"ab0\":{\"train\":[{\"input\":[[1]],\"output\":[[1]]}],\"test\":[]},"
                                "\"a-b\":{\"train\":[{\"input\":[[1]],\"output\":[[1]]}],\"test\":[]},"
                                "\"c\":{\"train\":[{\"input\":[[1]],\"output\":[[1]]}],\"test\":[]}}";
#define IDENTITY(name) "def " name "(I):\n    O = identity(I)\n    return O\n"
    Fixture f;
    open_fixture(&f, tasks,
                 IDENTITY("solve_ab_z") IDENTITY("solve_ab0") IDENTITY("solve_ab") IDENTITY("solve_abc")
                     IDENTITY("solve_a_b") IDENTITY("unsolve_c") IDENTITY("solve_ab_2"),
                 1);
    RunSpec spec = spec_of(&f);
    run_tasks(&f.pool, &spec, f.results, NULL);
    assert_int_equal(result_of(&f, "ab")->tried, 3);
    assert_int_equal(result_of(&f, "ab0")->tried, 1);
    assert_int_equal(result_of(&f, "a-b")->tried, 1);
    assert_int_equal(result_of(&f, "c")->tried, 0);
    assert_int_equal(f.matching.matched, 3);
    assert_string_equal(match_find(&f.solvers.list, "ab0")->name, "solve_ab0");
    assert_string_equal(match_find(&f.solvers.list, "unsolve_c")->name, "unsolve_c");
    assert_null(match_find(&f.solvers.list, "c"));
    close_fixture(&f);
}

/* Many tasks for threads to compete for: t00..t39. */
static void many_tasks(Out *tasks, Out *programs) {
    out_init(tasks);
    out_init(programs);
    for (int k = 0; k < 40; k++) {
        out_fmt(tasks,
                "%s\"t%02d\":{\"train\":[{\"input\":[[%d,2],[3,4]],\"output\":[[2,%d],[4,3]]}],"
                "\"test\":[{\"input\":[[5,6]],\"output\":[[6,5]]}]}",
                k ? "," : "{", k, k % 10, k % 10);
        out_fmt(programs, "def solve_t%02d(I):\n    O = %s(I)\n    return O\n", k,
                k % 3 == 0   ? "vmirror"
                : k % 3 == 1 ? "hmirror"
                             : "first");
    }
    out_str(tasks, "}");
}

static void threads_change_nothing(void **state) {
    (void)state;
    static Fixture one, eight;
    Out tasks, programs;
    many_tasks(&tasks, &programs);
    open_fixture(&one, tasks.data, programs.data, 1);
    open_fixture(&eight, tasks.data, programs.data, 8);
    RunSpec first = spec_of(&one), second = spec_of(&eight);
    first.keep_grids = second.keep_grids = true;
    assert_int_equal(run_tasks(&one.pool, &first, one.results, NULL), 40);
    assert_int_equal(run_tasks(&eight.pool, &second, eight.results, NULL), 40);
    for (size_t k = 0; k < 40; k++) {
        const RunTask *a = &one.results[k], *b = &eight.results[k];
        assert_string_equal(a->task->id, b->task->id);
        assert_string_equal(run_status(a), run_status(b));
        assert_string_equal(run_status(a), k % 3 == 0 ? "solved" : "wrong");
        for (uint32_t x = 0; x < a->n_samples; x++) {
            assert_int_equal(a->samples[x].verdict, b->samples[x].verdict);
            assert_int_equal(a->samples[x].steps, b->samples[x].steps);
            assert_true(task_image_equal(a->samples[x].got, b->samples[x].got));
        }
    }
    close_fixture(&one);
    close_fixture(&eight);
    out_free(&tasks);
    out_free(&programs);
}

typedef struct Brake {
    atomic_int done;
    Stop stop;
} Brake;

static void brake(void *user, size_t task) {
    (void)task;
    Brake *b = user;
    if (atomic_fetch_add(&b->done, 1) == 9) {
        stop_request(&b->stop);
    }
}

static void interruption_keeps_results(void **state) {
    (void)state;
    static Fixture f;
    Out tasks, programs;
    many_tasks(&tasks, &programs);
    open_fixture(&f, tasks.data, programs.data, 1);
    Brake b = {0};
    RunSpec spec = spec_of(&f);
    spec.done = brake;
    spec.user = &b;
    assert_int_equal(run_tasks(&f.pool, &spec, f.results, &b.stop), 10);
    for (size_t k = 0; k < 10; k++) {
        assert_non_null(f.results[k].samples);
        assert_non_null(f.results[k].program);
    }
    for (size_t k = 10; k < 40; k++) {
        assert_null(f.results[k].task);
    }
    close_fixture(&f);
    out_free(&tasks);
    out_free(&programs);
}

/* Each allocation of a run fails in turn: the task concerned says so, nothing leaks, nobody crashes. */
static void survives_no_memory(void **state) {
    (void)state;
    for (int battery_too = 0; battery_too < 2; battery_too++) {
        Fixture f;
        open_fixture(&f, TASKS, PROGRAMS, 1);
        RunSpec spec = spec_of(&f);
        spec.keep_grids = true;
        Battery *battery = NULL;
        if (battery_too) {
            battery = battery_new(MODE_CORE, false, 1, true);
            for (size_t k = 0; k < spec.n_programs; k++) {
                assert_int_equal(battery_add(battery, &f.pool.workers[0].ctx, spec.programs[k]), (int)k);
            }
            spec.matches = NULL;
            spec.battery = battery;
            spec.first_steps = 1; /* every program is cut off at first */
        }
        uint64_t before = mem_bytes(), calls = mem_calls();
        run_tasks(&f.pool, &spec, f.results, NULL);
        calls = mem_calls() - calls;
        assert_true(calls > 0);
        run_free(f.results, 4);
        for (uint64_t nth = 1; nth <= calls; nth++) {
            memset(f.results, 0, sizeof f.results);
            mem_fail_at(nth);
            run_tasks(&f.pool, &spec, f.results, NULL);
            mem_fail_at(0);
            RunTotals t = run_totals(f.results, 4);
            assert_true(t.no_memory <= 1);
            assert_true(t.matched + t.no_memory == 4);
            for (size_t k = 0; k < 4; k++) {
                if (f.results[k].no_memory) {
                    char why[100];
                    run_reason(&f.results[k], why, sizeof why);
                    assert_string_equal(why, "no memory");
                }
            }
            run_free(f.results, 4);
        }
        assert_int_equal(mem_bytes(), before);
        memset(f.results, 0, sizeof f.results);
        battery_free(battery);
        close_fixture(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_and_three_ways), cmocka_unit_test(choice_is_blind_to_tests),
        cmocka_unit_test(failures_have_causes),    cmocka_unit_test(names_match_tasks),
        cmocka_unit_test(threads_change_nothing),  cmocka_unit_test(interruption_keeps_results),
        cmocka_unit_test(survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
