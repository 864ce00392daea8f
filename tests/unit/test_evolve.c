/* Scores, the guard, populations and generations; and cards through text and back. */
#include "base/alloc.h"
#include "data/tasks/embedded.h"
#include "engine/eval/eval.h"
#include "engine/eval/pool.h" /* threads: also run under the thread sanitizer */
#include "engine/language/hash.h"
#include "search/evolution/card.h"
#include "search/evolution/evolve.h"
#include "tools/cli/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct World {
    Differs differs;
    TaskSet *set;
    const Task **tasks;
    Lang *lang;
    Ctx ctx;
} World;

static int open_world(void **state) {
    World *w = calloc(1, sizeof *w);
    char why[200];
    w->set = data_examples();
    assert_non_null(w->set);
    w->tasks = calloc(w->set->n_tasks, sizeof *w->tasks);
    for (size_t k = 0; k < w->set->n_tasks; k++) {
        w->tasks[k] = &w->set->tasks[k];
    }
    w->lang = lang_open();
    Budget budget = BUDGET_DEFAULT;
    assert_true(prim_open(&w->ctx, MODE_CORE, false, &budget));
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
    free(w->tasks);
    free(w);
    return 0;
}

static ProgList parse(World *w, const char *text) {
    ProgList list = {0};
    Diags diags;
    diags_init(&diags);
    Source source = source_of("text", text, strlen(text));
    assert_true(lang_parse(w->lang, &source, &PARSE_OPTIONS_FILE, &list, &diags));
    assert_int_equal(diags.errors, 0);
    diags_free(&diags);
    return list;
}

/* ---- scores ---- */

static void nearer_is_better(void **state) {
    World *w = *state;
    static const int8_t wanted[9] = {0, 1, 0, 2, 2, 0, 0, 0, 3}, one_off[9] = {0, 1, 0, 2, 0, 0, 0, 0, 3},
                        far_off[9] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
    TaskPair pair = {.in = {3, 3, one_off}, .out = {3, 3, wanted}, .has_output = true};
    Task task = {.id = "x", .train = &pair, .n_train = 1};
    Scorer s;
    assert_true(scorer_open(&s, &w->differs));
    scorer_begin(&s, &task, pair.out);
    int exact = scorer_score(&s, val_grid8(wanted, 3, 3), NULL),
        near = scorer_score(&s, val_grid8(one_off, 3, 3), NULL);
    int far = scorer_score(&s, val_grid8(far_off, 3, 3), NULL),
        shape = scorer_score(&s, val_grid8(far_off, 1, 9), NULL);
    assert_int_equal(exact, 1000);
    assert_true(near < 1000 && near > 800);
    assert_true(far < near && shape < far && shape >= 0);
    assert_int_equal(scorer_score(&s, val_int(3), NULL), 0);
    assert_int_equal(scorer_score(&s, val_fail(FAIL_TYPE), NULL), 0);
    assert_int_equal(scorer_score(&s, val_grid8(one_off, 3, 3), NULL), near); /* whatever was scored before */
    scorer_close(&s);
}

/* A grid near another one, or any. */
static Val grid_near(Rng *rng, const int8_t *other, uint32_t h, uint32_t w, int8_t *cells) {
    bool same = rng_percent(rng, 60);
    uint32_t rows = same ? h : 1 + rng_below(rng, 30), columns = same ? w : 1 + rng_below(rng, 30);
    uint32_t colors = 1 + rng_below(rng, 6), changed = rng_below(rng, 100);
    int lowest = rng_percent(rng, 80) ? 0 : (int)rng_below(rng, 256) - 128;
    for (uint32_t k = 0; k < rows * columns; k++) {
        bool kept = same && rng_below(rng, 100) >= changed;
        cells[k] = kept ? other[k] : (int8_t)(lowest + (int)rng_below(rng, colors));
    }
    return val_grid8(cells, rows, columns);
}

/* The built-in differs give one score, run as programs and computed straight; also beside others. */
static void own_differs_have_one_score(void **state) {
    World *w = *state;
    ProgList more = parse(w, "def differ_a(S, I, C):\n    O = height_t(C)\n    return O\n");
    Rng rng = {11};
    for (int with = 0; with < 2; with++) {
        Differs straight, run;
        Scorer a, b;
        char why[200];
        const Program *const *items = (const Program *const *)more.items;
        assert_true(differs_open(&straight, true, items, (size_t)with, why, sizeof why));
        assert_true(differs_open(&run, true, items, (size_t)with, why, sizeof why));
        run.counted = true;
        assert_true(scorer_open(&a, &straight) && scorer_open(&b, &run));
        for (int round = 0; round < (getenv("BATT_TEST_QUICK") ? 30 : 400); round++) {
            int8_t wanted[900], cells[900] = {0};
            for (int k = 0; k < 900; k++) {
                wanted[k] = (int8_t)(rng_percent(&rng, 60) ? 0 : rng_below(&rng, 10));
            }
            int32_t h = 1 + (int32_t)rng_below(&rng, 30), width = 1 + (int32_t)rng_below(&rng, 30);
            TaskPair pair = {.in = {h, width, wanted}, .out = {h, width, wanted}, .has_output = true};
            Task task = {.id = "x", .train = &pair, .n_train = 1};
            scorer_begin(&a, &task, pair.out);
            scorer_begin(&b, &task, pair.out);
            for (int k = 0; k < 10; k++) {
                uint64_t steps = 0;
                Val v = grid_near(&rng, wanted, (uint32_t)h, (uint32_t)width, cells);
                assert_int_equal(scorer_score(&a, v, NULL), scorer_score(&b, v, &steps));
            }
        }
        scorer_close(&a);
        scorer_close(&b);
        differs_close(&straight);
        differs_close(&run);
    }
    progs_free(&more);
}

static void differs_are_checked(void **state) {
    World *w = *state;
    char why[200];
    Differs d;
    ProgList good = parse(w, "def differ_a(S, I, C):\n    O = (5000, I)\n    return O\n");
    ProgList bad = parse(w, "def differ_b(I):\n    O = 5\n    return O\n");
    assert_true(differs_open(&d, true, (const Program *const *)good.items, 1, why, sizeof why));
    assert_int_equal(d.count, w->differs.count + 1);
    differs_close(&d);
    assert_false(differs_open(&d, true, (const Program *const *)bad.items, 1, why, sizeof why));
    assert_non_null(strstr(why, "differ_b"));
    progs_free(&good);
    progs_free(&bad);
}

/* ---- the guard ---- */

static void guard_finds_what_leans_on_order(void **state) {
    World *w = *state;
    /* Two cells; the output is the one of the lower color number, and always the upper one. */
    static const int8_t in[2][2] = {{1, 4}, {2, 7}}, out[2][1] = {{1}, {2}};
    TaskPair pairs[2];
    for (int k = 0; k < 2; k++) {
        pairs[k] = (TaskPair){.in = {2, 1, in[k]}, .out = {1, 1, out[k]}, .has_output = true};
    }
    Task task = {.id = "x", .train = pairs, .n_train = 2};
    ProgList p = parse(w, "def solve_a(I):\n    O = tophalf(I)\n    return O\n"
                          "def solve_b(I):\n    x1 = objects(I, T, F, F)\n    x2 = first(x1)\n"
                          "    O = subgrid(x2, I)\n    return O\n"
                          "def solve_c(I):\n    x1 = replace(I, ONE, ONE)\n    x2 = replace(x1, TWO, TWO)\n"
                          "    x3 = replace(x2, FOUR, FOUR)\n    x4 = replace(x3, SEVEN, SEVEN)\n"
                          "    O = tophalf(x4)\n    return O\n");
    Guard a = guard_check(&w->ctx, p.items[0], &task), b = guard_check(&w->ctx, p.items[1], &task);
    Guard c = guard_check(&w->ctx, p.items[2], &task);
    assert_int_equal(a.total, 2); /* halves have a direction: colors only */
    assert_int_equal(a.passed, 2);
    assert_int_equal(b.total, 4);
    assert_true(b.passed < b.total); /* the first thing is the one of the lower color */
    assert_int_equal(c.total, 0);    /* all colors are constants */
    progs_free(&p);
}

static void true_solvers_pass_the_guard(void **state) {
    World *w = *state;
    size_t n;
    const EmbeddedFile *files = embedded_solvers(&n);
    int32_t passed = 0, total = 0;
    for (size_t f = 0; f < n; f++) {
        ProgList list = parse(w, files[f].data);
        for (size_t k = 0; k < list.count; k++) {
            const Task *task = task_find(w->set, list.items[k]->name + strlen("solve_"));
            if (task != NULL) {
                Guard guard = guard_check(&w->ctx, list.items[k], task);
                passed += guard.passed;
                total += guard.total;
            }
        }
        progs_free(&list);
    }
    assert_true(total > 50);
    assert_true(passed * 10 > total * 9);
}

/* ---- generations ---- */

static EvolveOptions small_options(unsigned jobs) {
    EvolveOptions o = EVOLVE_OPTIONS_DEFAULT;
    o.children = 60;
    o.population = 12;
    o.jobs = jobs;
    o.examined = true;
    return o;
}

static uint64_t fingerprint(const Evolve *e) {
    uint64_t sum = e->figures.generation;
    for (size_t k = 0; k < e->n_tasks; k++) {
        for (uint32_t x = 0; x < e->tasks[k].count; x++) {
            const EvolveMember *m = &e->tasks[k].members[x];
            uint64_t all[] = {m->program->hash.lo,
                              m->program->hash.hi,
                              (uint64_t)m->score,
                              (uint64_t)m->exact,
                              (uint64_t)m->test_exact,
                              (uint64_t)m->guard.passed,
                              (uint64_t)m->guard.total,
                              m->outputs,
                              m->steps,
                              m->hash,
                              m->picks,
                              m->born};
            for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
                sum = (sum ^ all[i]) * 0x9e3779b97f4a7c15u;
                sum ^= sum >> 29;
            }
        }
    }
    return sum;
}

static void check_population(const EvolveTask *t) {
    for (uint32_t k = 0; k < t->count; k++) {
        assert_true(k == 0 || t->members[k].score <= t->members[k - 1].score);
        bool same = false;
        for (uint32_t x = 0; x < k; x++) { /* the same outputs: of another length, and known for it */
            if (t->members[k].outputs == t->members[x].outputs) {
                same = true;
                assert_true(evolve_class(t->members[k].program->nops) !=
                            evolve_class(t->members[x].program->nops));
            }
        }
        assert_int_equal(evolve_shadowed(t, k), same);
    }
}

static void threads_change_nothing(void **state) {
    World *w = *state;
    uint64_t prints[3];
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        EvolveOptions options = small_options(jobs);
        Evolve e;
        assert_true(evolve_open(&e, &options, w->tasks, 12, &w->differs));
        assert_true(evolve_add_primitives(&e, MODE_CORE));
        for (int k = 0; k < 8; k++) {
            assert_true(evolve_generation(&e, NULL));
        }
        for (size_t k = 0; k < e.n_tasks; k++) {
            check_population(&e.tasks[k]);
        }
        assert_true(COUNTED(&e.figures.statistics, DISTINCT) > 1000 &&
                    COUNTED(&e.figures.statistics, EVALUATIONS) > COUNTED(&e.figures.statistics, DISTINCT));
        prints[jobs - 1] = fingerprint(&e);
        evolve_close(&e);
    }
    assert_int_equal(prints[0], prints[1]);
    assert_int_equal(prints[0], prints[2]);
}

/* Populations taken out after some generations and put into a fresh run give the same end. */
static void resume_after(World *w, int generations, uint64_t seed) {
    EvolveOptions options = small_options(2);
    Evolve e, f;
    options.seed = seed;
    assert_true(evolve_open(&e, &options, w->tasks, 8, &w->differs));
    assert_true(evolve_open(&f, &options, w->tasks, 8, &w->differs));
    assert_true(evolve_add_primitives(&e, MODE_CORE));
    for (int k = 0; k < generations; k++) {
        assert_true(evolve_generation(&e, NULL));
    }
    for (size_t k = 0; k < e.n_tasks; k++) {
        for (uint32_t x = 0; x < e.tasks[k].count; x++) {
            const Program *p = e.tasks[k].members[x].program;
            assert_true(evolve_restore_program(&f, k, prog_with_mode(p, (Mode)p->mode)));
        }
    }
    assert_true(evolve_restore(&f, &e.figures));
    for (size_t k = 0; k < e.n_tasks; k++) {
        assert_int_equal(e.tasks[k].count, f.tasks[k].count);
        for (uint32_t x = 0; x < e.tasks[k].count; x++) {
            const EvolveMember *from = &e.tasks[k].members[x];
            EvolveMember *to = evolve_find(&f, k, from->program->hash);
            assert_non_null(to);
            assert_int_equal(to->score, from->score);
            to->picks = from->picks;
            to->born = from->born;
        }
    }
    for (uint32_t k = 0; k < e.n_exchange; k++) {
        for (size_t t = 0; t < e.n_tasks; t++) {
            if (e.tasks[t].count > 0 && e.tasks[t].members[0].program == e.exchange[k]) {
                assert_true(evolve_restore_exchange(&f, t, e.exchange[k]->hash));
            }
        }
    }
    for (int k = 0; k < 12; k++) {
        assert_true(evolve_generation(&e, NULL) && evolve_generation(&f, NULL));
        assert_int_equal(fingerprint(&e), fingerprint(&f));
    }
    evolve_close(&e);
    evolve_close(&f);
}

static void resuming_is_exact(void **state) {
    static const int generations[] = {1, 2, 4, 9, 30};
    uint64_t count = sizeof generations / sizeof *generations;
    for (uint64_t k = 0; k < (getenv("BATT_TEST_QUICK") != NULL ? count - 1 : count); k++) {
        resume_after(*state, generations[k], k);
    }
}

static void interruption_leaves_no_trace(void **state) {
    World *w = *state;
    EvolveOptions options = small_options(1);
    static const Stop stop = 1;
    Evolve e, f;
    assert_true(evolve_open(&e, &options, w->tasks, 6, &w->differs));
    assert_true(evolve_open(&f, &options, w->tasks, 6, &w->differs));
    assert_true(evolve_add_primitives(&e, MODE_CORE) && evolve_add_primitives(&f, MODE_CORE));
    for (int k = 0; k < 4; k++) {
        assert_false(evolve_generation(&e, &stop));
        assert_true(evolve_generation(&e, NULL) && evolve_generation(&f, NULL));
        assert_int_equal(fingerprint(&e), fingerprint(&f));
    }
    evolve_close(&e);
    evolve_close(&f);
}

static void memory_may_run_out(void **state) {
    World *w = *state;
    EvolveOptions options = small_options(1);
    for (uint64_t nth = 1; nth < 400; nth += nth < 60 ? 1 : 17) {
        Evolve e;
        mem_fail_at(nth);
        bool good = evolve_open(&e, &options, w->tasks, 2, &w->differs);
        bool started = good && evolve_add_primitives(&e, MODE_CORE);
        bool bred = started && evolve_generation(&e, NULL);
        mem_fail_at(0);
        if (good) {
            assert_true(!started || bred || evolve_generation(&e, NULL));
            evolve_close(&e);
        }
    }
}

/* ---- cards ---- */

static void cards_read_back(void **state) {
    World *w = *state;
    size_t n;
    const EmbeddedFile *files = embedded_solvers(&n);
    ProgList list = parse(w, files[0].data), differs = {0};
    assert_true(differs_parse(&differs));
    Pool pools[2];
    Budget budget = BUDGET_DEFAULT;
    assert_true(pool_open(&pools[0], 1, &budget) && pool_open(&pools[1], 4, &budget));
    for (uint64_t seed = 1; seed <= 20; seed++) {
        CardOptions options = {.seed = seed,
                               .count = (uint32_t)(seed % 3 == 0 ? 0 : seed * 2),
                               .freeze = seed % 2,
                               .differs = seed % 5 == 0 ? &differs : NULL,
                               .pool = &pools[0]};
        Card card, again;
        Out out, other;
        ProgList back = {0}, back_differs = {0};
        Diags diags;
        out_init(&out);
        out_init(&other);
        diags_init(&diags);
        assert_true(card_write(&out, &options, (const Program *const *)list.items, list.count, &card));
        options.pool = &pools[1]; /* threads change nothing */
        assert_true(card_write(&other, &options, (const Program *const *)list.items, list.count, &again));
        assert_string_equal(out.data, other.data);
        assert_true(card_figures(out.data, &again));
        assert_int_equal(again.programs, card.programs);
        assert_int_equal(again.differs, options.differs != NULL ? differs.count : 0);
        assert_int_equal(again.calls_before, card.calls_before);
        assert_int_equal(again.calls_after, card.calls_after);
        Source source = source_of("card", out.data, out.len);
        assert_true(card_read(w->lang, &source, &back, &back_differs, &diags));
        assert_int_equal(diags.errors, 0);
        assert_int_equal(back.count, card.programs);
        assert_int_equal(back_differs.count, card.differs);
        assert_true(options.freeze == (COUNTED(&card.statistics, MUTATED) == 0));
        for (size_t k = 0; k < back.count && options.freeze; k++) {
            bool found = false;
            for (size_t x = 0; x < list.count && !found; x++) {
                found = strcmp(list.items[x]->name, back.items[k]->name) == 0;
                if (found) { /* the same up to the order of commutative arguments */
                    Draft d, one, two;
                    assert_true(draft_from(&d, list.items[x]) && draft_simplify(&d, &one));
                    assert_true(draft_from(&d, back.items[k]) && draft_simplify(&d, &two));
                    assert_int_equal(one.hash, two.hash);
                }
            }
            assert_true(found);
        }
        progs_free(&back);
        progs_free(&back_differs);
        diags_free(&diags);
        out_free(&out);
        out_free(&other);
    }
    pool_close(&pools[0]);
    pool_close(&pools[1]);
    progs_free(&differs);
    progs_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearer_is_better),
        cmocka_unit_test(own_differs_have_one_score),
        cmocka_unit_test(differs_are_checked),
        cmocka_unit_test(guard_finds_what_leans_on_order),
        cmocka_unit_test(true_solvers_pass_the_guard),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(resuming_is_exact),
        cmocka_unit_test(interruption_leaves_no_trace),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(cards_read_back),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
