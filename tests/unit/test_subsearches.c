/* Results of searches that go from one rank to another, and tasks searched in subsearches. */
#include "engine/language/hash.h"
#include "search/schedule/view.h"
#include "search/session/session.h"
#include "search/session/solve_wire.h"
#include "search_fixture.h"

/* No strategy has an answer soon: every arm gets its turn. */
static const char ODD[] =
    "{\"train\":["
    "{\"input\":[[8,8,8,8,8,8],[8,1,2,8,3,4],[8,8,8,8,8,8]],\"output\":[[8,8,8,8,8,8],[8,2,1,8,4,3],[8,8,8,8,"
    "8,5]]},"
    "{\"input\":[[8,8,8,8],[8,5,6,8],[8,8,8,8],[2,7,8,8]],\"output\":[[8,8,8,8],[8,6,5,8],[8,8,8,8],[7,2,8,1]"
    "]}],"
    "\"test\":[{\"input\":[[8,8,8],[8,4,1]]},{\"input\":[[8,8,8],[4,4,1]]}]}";

static void same_program(const SolveProgram *a, const SolveProgram *b) {
    assert_true(prog_hash_eq(a->program->hash, b->program->hash));
    assert_int_equal(a->strategy, b->strategy);
    assert_int_equal(a->right, b->right);
    assert_true(a->cost == b->cost && a->score == b->score && a->penalties == b->penalties &&
                a->steps == b->steps);
    assert_memory_equal(&a->backing, &b->backing, sizeof a->backing);
}

static void same_past(const ArmPast *a, const ArmPast *b) {
    assert_int_equal(a->strategy, b->strategy);
    assert_int_equal(a->under, b->under);
    assert_int_equal(a->view, b->view);
    assert_int_equal(a->effort, b->effort);
    assert_int_equal(a->finished, b->finished);
    assert_true(a->spent == b->spent && a->slice_ms == b->slice_ms);
}

/* All that a second search, a store or a merge needs arrives: how far each arm has got under which
 * view, and all evidence for a program. */
static void test_wire(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(ODD);
    Lang *lang = lang_open();
    SearchLimits limits = limits_of(bench, 2000000, -1);
    SolveTask a, b;
    assert_true(solve_task(&a, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(a.n_programs > 0);
    a.programs[0].backing.tried = 3;
    a.programs[0].backing.mispredicted = 2;
    bool under = false;
    for (uint32_t k = 0; k < a.n_past; k++) {
        under |= a.past[k].under != VIEW_NONE;
    }
    assert_true(under);
    Out out, again;
    out_init(&out);
    out_init(&again);
    solve_pack(&out, &a);
    Wire wire = wire_of(out.data, out.len);
    assert_true(solve_unpack(&b, &set->tasks[0], lang, &wire));
    assert_int_equal(a.n_past, b.n_past);
    for (uint32_t k = 0; k < a.n_past; k++) {
        same_past(&a.past[k], &b.past[k]);
    }
    assert_int_equal(a.n_programs, b.n_programs);
    for (uint32_t k = 0; k < a.n_programs; k++) {
        same_program(&a.programs[k], &b.programs[k]);
    }
    solve_pack(&again, &b);
    assert_int_equal(out.len, again.len);
    assert_memory_equal(out.data, again.data, out.len);
    out_free(&out);
    out_free(&again);
    solve_task_free(&a);
    solve_task_free(&b);
    lang_close(lang);
    task_set_free(set);
}

/* A cell below every 5: soon found, and certain. */
static const char SURE[] = "{\"train\":["
                           "{\"input\":[[0,5,0],[0,0,0],[0,0,0]],\"output\":[[0,5,0],[0,2,0],[0,0,0]]},"
                           "{\"input\":[[0,0,0],[5,0,5],[0,0,0]],\"output\":[[0,0,0],[5,0,5],[2,0,2]]},"
                           "{\"input\":[[5,0,0],[0,0,5],[0,0,0]],\"output\":[[5,0,0],[2,0,5],[0,0,2]]}],"
                           "\"test\":[{\"input\":[[0,0,5],[0,5,0],[0,0,0]]}]}";

static bool same_arm(const ArmPast *a, const ArmPast *b) {
    return a->strategy == b->strategy && a->under == b->under && a->view == b->view;
}

/* However many subsearches there are, every arm is in one of them. */
static void test_arms_distributed(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(ODD);
    SearchLimits limits = limits_of(bench, 20000, -1);
    SolveTask whole, subsearch;
    assert_true(solve_task(&whole, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    for (uint32_t n = 2; n <= 16; n *= 2) {
        uint32_t met[SEARCH_MAX_PAST] = {0};
        limits.subsearches = n;
        for (limits.subsearch = 0; limits.subsearch < n; limits.subsearch++) {
            assert_true(solve_task(&subsearch, &set->tasks[0], &bench->ctx, &bench->check, &limits));
            assert_true(subsearch.n_past > 0);
            for (uint32_t k = 0; k < subsearch.n_past; k++) {
                uint32_t x = 0;
                while (x < whole.n_past && !same_arm(&whole.past[x], &subsearch.past[k])) {
                    x++;
                }
                assert_true(x < whole.n_past);
                met[x]++;
            }
            solve_task_free(&subsearch);
        }
        for (uint32_t x = 0; x < whole.n_past; x++) {
            assert_int_equal(met[x], 1);
        }
    }
    solve_task_free(&whole);
    task_set_free(set);
}

enum { COUNT = 3 };

/* What the subsearches of a task find, taken in some order until the result is whole. */
static SolveTask in_order(Bench *bench, const Task *task, const SearchLimits *limits, const uint32_t *order,
                          uint32_t *used) {
    Subsearches subsearches;
    SolveTask found, result;
    *used = 0;
    assert_true(subsearches_open(&subsearches, 1, COUNT));
    subsearches_begin(&subsearches);
    for (uint32_t k = 0; k < COUNT && !subsearches_whole(&subsearches, 0); k++) {
        SearchLimits mine = *limits;
        subsearches_share(&subsearches, order[k], &mine);
        if (!stop_is_requested(mine.dropped)) {
            assert_true(solve_task(&found, task, &bench->ctx, &bench->check, &mine));
            assert_true(subsearches_take(&subsearches, order[k], &found, false, &tunables_default));
            ++*used;
        }
    }
    assert_true(subsearches_whole(&subsearches, 0));
    assert_true(subsearches_merge(&subsearches, 0, NULL, &bench->ctx, &bench->check, limits, &result));
    assert_false(subsearches_any(&subsearches, 0));
    subsearches_close(&subsearches);
    return result;
}

static void same_result(const SolveTask *a, const SolveTask *b) {
    assert_int_equal(a->n_programs, b->n_programs);
    assert_int_equal(a->candidates, b->candidates);
    assert_int_equal(a->fitting, b->fitting);
    assert_true(solve_steps(a) == solve_steps(b));
    for (uint32_t k = 0; k < a->n_programs; k++) {
        same_program(&a->programs[k], &b->programs[k]);
    }
    for (int32_t t = 0; t < a->task->n_test; t++) {
        for (unsigned x = 0; x < SOLVE_ATTEMPTS; x++) {
            assert_true(task_image_equal(a->answers[t][x].image, b->answers[t][x].image));
        }
    }
}

/* In whatever order subsearches end: the same result. One that is sure makes later ones needless. */
static void test_order(void **state) {
    Bench *bench = *state;
    static const char *const texts[] = {ODD, SURE};
    static const uint32_t orders[][COUNT] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {2, 0, 1}};
    for (int sure = 0; sure < 2; sure++) {
        TaskSet *set = load(texts[sure]);
        SearchLimits limits = limits_of(bench, 450000, -1);
        uint32_t used;
        SolveTask first = in_order(bench, &set->tasks[0], &limits, orders[0], &used);
        assert_int_equal(used, sure ? 1 : COUNT);
        assert_true(solve_steps(&first) <= 450000 + COUNT * 50000);
        for (size_t k = 1; k < sizeof orders / sizeof *orders; k++) {
            SolveTask other = in_order(bench, &set->tasks[0], &limits, orders[k], &used);
            same_result(&first, &other);
            solve_task_free(&other);
        }
        solve_task_free(&first);
        task_set_free(set);
    }
}

/* Whole sessions, with one thread and several, give what the subsearches one by one give; by time, there is a
 * second round. */
static void test_session(void **state) {
    Bench *bench = *state;
    TaskSet *sets[] = {load(ODD), load(SURE)};
    const Task *tasks[] = {&sets[0]->tasks[0], &sets[1]->tasks[0]};
    static const uint32_t order[COUNT] = {0, 1, 2};
    SearchLimits limits = limits_of(bench, 450000, -1);
    for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
        Session session = {.tasks = tasks, .n_tasks = 2, .limits = limits, .split = COUNT};
        assert_true(session_open(&session, jobs, (uint64_t)512 << 20));
        session_run(&session);
        for (size_t k = 0; k < 2; k++) {
            uint32_t used;
            SolveTask alone = in_order(bench, tasks[k], &limits, order, &used);
            assert_true(session.results[k].done);
            same_result(&alone, &session.results[k]);
            solve_task_free(&alone);
        }
        session_close(&session);
    }
    limits.steps = 0;
    limits.time_ns = 300000000;
    Session session = {.tasks = tasks, .n_tasks = 2, .limits = limits, .split = COUNT};
    assert_true(session_open(&session, 2, (uint64_t)512 << 20));
    session_run(&session);
    assert_true(session.results[0].done && session.results[1].done);
    assert_int_equal(session.results[1].rounds, 1);
    assert_int_equal(session.results[0].rounds, 1 + session.n_again);
    session_close(&session);
    task_set_free(sets[0]);
    task_set_free(sets[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wire), cmocka_unit_test(test_arms_distributed),
                                       cmocka_unit_test(test_order), cmocka_unit_test(test_session)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
