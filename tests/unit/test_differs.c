/* Differs that evolve: the answers they are judged by, their scores, and populations of them. */
#include "data/tasks/embedded.h"
#include "engine/eval/eval.h"
#include "engine/eval/pool.h" /* threads: also run under the thread sanitizer */
#include "search/evolution/evolve.h"
#include "tools/cli/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 6 };

typedef struct World {
    Differs differs;
    TaskSet *set;
    const Task *tasks[TASKS];
    Lang *lang;
    Ctx ctx;
} World;

static int open_world(void **state) {
    World *w = calloc(1, sizeof *w);
    char why[200];
    Budget budget = BUDGET_DEFAULT;
    w->set = data_examples();
    assert_non_null(w->set);
    for (size_t k = 0; k < TASKS; k++) {
        w->tasks[k] = &w->set->tasks[k];
    }
    w->lang = lang_open();
    assert_true(prim_open(&w->ctx, MODE_BATT, false, &budget));
    assert_true(differs_open(&w->differs, true, NULL, 0, why, sizeof why));
    *state = w;
    return 0;
}

static int close_world(void **state) {
    World *w = *state;
    differs_close(&w->differs);
    task_set_free(w->set);
    lang_close(w->lang);
    prim_close(&w->ctx);
    free(w);
    return 0;
}

static Program *parse(World *w, const char *text) {
    ProgList list = {0};
    Diags diags;
    diags_init(&diags);
    Source source = source_of("text", text, strlen(text));
    assert_true(lang_parse(w->lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    assert_int_equal(diags.errors, 0);
    assert_int_equal(list.count, 1);
    Program *p = list.items[0];
    list.count = 0;
    progs_free(&list);
    diags_free(&diags);
    return p;
}

static uint32_t cells_wrong(Image a, Image b) {
    uint32_t wrong = 0;
    assert_true(a.h == b.h && a.w == b.w);
    for (int32_t k = 0; k < a.h * a.w; k++) {
        wrong += a.cells[k] != b.cells[k];
    }
    return wrong;
}

/* Every answer is wrong and different from the others, and spoiled ones get worse from one to the next. */
static void answers_are_wrong_and_distinct(void **state) {
    World *w = *state;
    Program *solver = parse(w, "def solve_x(I):\n    O = rot180(I)\n    return O\n");
    const Program *solvers[1] = {solver};
    for (size_t t = 0; t < TASKS; t++) {
        const Task *task = w->tasks[t];
        DifferCases with, without;
        assert_true(differ_cases_open(&without, &w->ctx, task, NULL, 0));
        assert_true(differ_cases_open(&with, &w->ctx, task, solvers, 1));
        assert_int_equal(with.n_train, task->n_train);
        assert_true(with.n >= task->n_train && with.n <= task->n_train + task->n_test);
        for (int32_t k = 0; k < with.n; k++) {
            const DifferSample *s = &with.samples[k];
            assert_true(s->spoiled >= 1 && s->spoiled <= CASES_SPOILED && s->count <= CASES_MAX);
            for (uint32_t x = 0; x < s->count; x++) {
                assert_false(task_image_equal(s->answers[x], s->expected));
                for (uint32_t y = 0; y < x; y++) {
                    assert_false(task_image_equal(s->answers[x], s->answers[y]));
                }
            }
            for (uint32_t x = 1; x < s->spoiled; x++) {
                assert_true(cells_wrong(s->answers[x], s->expected) >
                            cells_wrong(s->answers[x - 1], s->expected));
            }
            assert_int_equal(cells_wrong(s->answers[0], s->expected), 1);
            const DifferSample *fewer = &without.samples[k];
            assert_true(s->count >= fewer->count && s->spoiled == fewer->spoiled);
            for (uint32_t x = 0; x < fewer->count; x++) {
                assert_true(task_image_equal(s->answers[x], fewer->answers[x])); /* the same in every run */
            }
        }
        differ_cases_close(&with);
        differ_cases_close(&without);
    }
    prog_free(solver);
}

static int32_t judge(World *w, const char *text, const DifferSample *s) {
    Program *p = parse(w, text);
    prim_bind(&w->ctx, MODE_BATT, false);
    int32_t score = differ_judge(&w->ctx, p, w->tasks[0], s);
    prog_free(p);
    return score;
}

/* 1,000 only for one that orders every pair rightly and knows the expected output; else the share of pairs.
 */
static void a_right_sample_is_a_thousand(void **state) {
    World *w = *state;
    static const int8_t cells[6][4] = {{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 0, 3, 4},
                                       {0, 0, 0, 4}, {4, 3, 2, 1}, {2, 1, 4, 3}};
    DifferSample s = {.expected = {2, 2, cells[0]}, .spoiled = 3, .count = 5};
    for (int k = 0; k < 5; k++) {
        s.answers[k] = (Image){2, 2, cells[k + 1]};
    }
    static const char counts[] = "def differ(S, I, C):\n    x1 = cellwise(I, C, NEG_ONE)\n"
                                 "    x2 = f_ofcolor(x1, NEG_ONE)\n    x3 = size_f(x2)\n"
                                 "    O = subtract(THOUSAND, x3)\n    return O\n";
    assert_int_equal(judge(w, counts, &s), 1000);
    /* the expected output and wrong ones are told apart, but not the better from the worse: 5 of 7 pairs */
    static const char same[] =
        "def differ(S, I, C):\n    x1 = equality(I, C)\n    O = multiply(x1, THOUSAND)\n"
        "    return O\n";
    assert_int_equal(judge(w, same, &s), 1000 * 5 / 7);
    /* all pairs are right, but the expected output gets 996 */
    static const char modest[] =
        "def differ(S, I, C):\n    x1 = cellwise(I, C, NEG_ONE)\n"
        "    x2 = f_ofcolor(x1, NEG_ONE)\n    x3 = size_f(x2)\n"
        "    x4 = subtract(THOUSAND, x3)\n    O = subtract(x4, FOUR)\n    return O\n";
    assert_int_equal(judge(w, modest, &s), 0);
    assert_int_equal(judge(w, "def differ(S, I, C):\n    O = identity(THOUSAND)\n    return O\n", &s), 0);
    assert_int_equal(judge(w, "def differ(S, I, C):\n    O = vmirror_t(C)\n    return O\n", &s), 0);
}

/* ---- populations ---- */

static void open_differs(World *w, Evolve *e, unsigned jobs) {
    EvolveOptions options = EVOLVE_OPTIONS_DEFAULT;
    options.children = 100;
    options.jobs = jobs;
    options.examined = true;
    assert_true(evolve_open(e, &options, w->tasks, TASKS, &w->differs));
    assert_true(evolve_breed_differs(e, NULL, 0, NULL, NULL, NULL));
    /* nearer the end than nothing, and far from it: whether sizes are equal */
    assert_true(evolve_add_founder(
        e, parse(w, "def differ(S, I, C):\n    x1 = shape_t(I)\n    x2 = shape_t(C)\n"
                    "    x3 = equality(x1, x2)\n    O = multiply(x3, THOUSAND)\n    return O\n")));
}

/* Every member's score is the one that it gets by itself. */
static void check_scores(World *w, const Evolve *e) {
    for (size_t k = 0; k < e->n_tasks; k++) {
        const EvolveTask *t = &e->tasks[k];
        assert_true(t->count > 0);
        for (uint32_t x = 0; x < t->count; x++) {
            const EvolveMember *m = &t->members[x];
            int32_t train = 0, test = 0, exact = 0;
            char why[200];
            assert_true(differ_is_good(m->program, why, sizeof why));
            prim_bind(&w->ctx, MODE_BATT, false);
            for (int32_t s = 0; s < t->cases->n; s++) {
                int32_t score = differ_judge(&w->ctx, m->program, t->task, &t->cases->samples[s]);
                train += s < t->cases->n_train ? score : 0;
                test += s < t->cases->n_train ? 0 : score;
                exact += s < t->cases->n_train && score == SCORE_EXACT;
            }
            assert_int_equal(m->score, train);
            assert_int_equal(m->test_score, test);
            assert_int_equal(m->exact, exact);
            assert_true(m->time_ns > 0);
        }
    }
}

static uint64_t fingerprint(const Evolve *e) {
    uint64_t print = 0;
    for (size_t k = 0; k < e->n_tasks; k++) {
        for (uint32_t x = 0; x < e->tasks[k].count; x++) {
            const EvolveMember *m = &e->tasks[k].members[x];
            print = (print ^ m->program->hash.lo ^ (uint64_t)m->score ^ m->outputs) * 0x9e3779b97f4a7c15u + 1;
        }
    }
    return print;
}

static void differs_get_better(void **state) {
    World *w = *state;
    Evolve one, two;
    open_differs(w, &one, 1);
    open_differs(w, &two, 2);
    int64_t before = 0, after = 0;
    for (int k = 0; k < 12; k++) {
        assert_true(evolve_generation(&one, NULL) && evolve_generation(&two, NULL));
        assert_int_equal(fingerprint(&one), fingerprint(&two)); /* on any number of threads */
        for (size_t t = 0; t < TASKS && k == 0; t++) {
            before += one.tasks[t].members[0].score;
        }
    }
    for (size_t t = 0; t < TASKS; t++) {
        after += one.tasks[t].members[0].score;
    }
    assert_true(after > before);
    check_scores(w, &one);
    evolve_close(&one);
    evolve_close(&two);
}

static void a_stop_is_heeded(void **state) {
    World *w = *state;
    static const Stop stop = 1;
    EvolveOptions options = EVOLVE_OPTIONS_DEFAULT;
    Evolve e;
    options.jobs = 1;
    assert_true(evolve_open(&e, &options, w->tasks, TASKS, &w->differs));
    assert_false(evolve_breed_differs(&e, NULL, 0, NULL, NULL, &stop));
    evolve_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_wrong_and_distinct),
        cmocka_unit_test(a_right_sample_is_a_thousand),
        cmocka_unit_test(differs_get_better),
        cmocka_unit_test(a_stop_is_heeded),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
