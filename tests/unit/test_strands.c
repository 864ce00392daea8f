/* Results of searches that go from one rank to another. */
#include "lang/hash.h"
#include "search/solve_wire.h"
#include "search/view.h"
#include "search_fixture.h"

/* No part has an answer soon: every line of looks gets its turn. */
static const char ODD[] =
    "{\"train\":["
    "{\"input\":[[8,8,8,8,8,8],[8,1,2,8,3,4],[8,8,8,8,8,8]],\"output\":[[8,8,8,8,8,8],[8,2,1,8,4,3],[8,8,8,8,"
    "8,5]]},"
    "{\"input\":[[8,8,8,8],[8,5,6,8],[8,8,8,8],[2,7,8,8]],\"output\":[[8,8,8,8],[8,6,5,8],[8,8,8,8],[7,2,8,1]"
    "]}],"
    "\"test\":[{\"input\":[[8,8,8],[8,4,1]]},{\"input\":[[8,8,8],[4,4,1]]}]}";

static void same_program(const SolveProgram *a, const SolveProgram *b) {
    assert_true(prog_hash_eq(a->program->hash, b->program->hash));
    assert_int_equal(a->part, b->part);
    assert_int_equal(a->right, b->right);
    assert_true(a->cost == b->cost && a->rank == b->rank && a->doubts == b->doubts && a->steps == b->steps);
    assert_memory_equal(&a->backing, &b->backing, sizeof a->backing);
}

static void same_past(const LookPast *a, const LookPast *b) {
    assert_int_equal(a->part, b->part);
    assert_int_equal(a->under, b->under);
    assert_int_equal(a->view, b->view);
    assert_int_equal(a->effort, b->effort);
    assert_int_equal(a->finished, b->finished);
    assert_true(a->spent == b->spent && a->slice == b->slice);
}

/* All that a second search, a store or a merge needs arrives: how far each line of looks has got under which
 * view, and all that speaks for a program. */
static void test_wire(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(ODD);
    Lang *lang = lang_open();
    SearchLimits limits = limits_of(bench, 2000000, -1);
    SolveTask a, b;
    assert_true(solve_task(&a, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(a.n_programs > 0);
    a.programs[0].backing.tried = 3;
    a.programs[0].backing.mistold = 2;
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wire)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
