/* Layouts: tasks that only lists and layouts explain; sizes are learned, not copied; a task that cannot
 * be a layout costs nothing. */
#include "engine/patterns/lay.h"
#include "search_fixture.h"

/* A row for each color, as long as it has cells, the longest first. */
static const char BARS[] = "{\"train\":[{\"input\":[[1,1,0],[0,2,0],[1,0,0]],\"output\":[[1,1,1],[2,0,0]]},"
                           "{\"input\":[[4,0,5],[5,5,0],[0,5,4]],\"output\":[[5,5,5,5],[4,4,0,0]]},"
                           "{\"input\":[[3,8,8,0],[6,6,6,0]],\"output\":[[6,6,6],[8,8,0],[3,0,0]]}],"
                           "\"test\":[{\"input\":[[7,7,0,7],[9,7,7,2],[2,0,0,0]],"
                           "\"output\":[[7,7,7,7,7],[2,2,0,0,0],[9,0,0,0,0]]}]}";

/* The objects beside each other, the smallest first, a column between them. */
static const char ROW[] =
    "{\"train\":[{\"input\":[[3,3,0,0,0],[3,3,0,0,0],[3,3,0,0,4],[0,0,0,0,4]],"
    "\"output\":[[4,0,3,3],[4,0,3,3],[0,0,3,3]]},"
    "{\"input\":[[0,0,6,6],[5,0,6,6],[5,0,6,6]],\"output\":[[5,0,6,6],[5,0,6,6],[0,0,6,6]]},"
    "{\"input\":[[1,0,0,0,0],[0,0,2,2,2],[0,0,2,2,2]],\"output\":[[1,0,2,2,2],[0,0,2,2,2]]}],"
    "\"test\":[{\"input\":[[8,8,8,0,0],[8,8,8,0,7],[0,0,0,0,7],[0,9,0,0,0]],"
    "\"output\":[[9,0,7,0,8,8,8],[0,0,7,0,8,8,8]]}]}";

/* Nested rings, the colors by how many cells they have. */
static const char RINGS[] =
    "{\"train\":[{\"input\":[[1,1,1,2,0]],\"output\":[[1,1,1],[1,2,1],[1,1,1]]},"
    "{\"input\":[[4,4],[4,3],[3,5],[0,0]],\"output\":[[4,4,4,4,4],[4,3,3,3,4],[4,3,5,3,4],["
    "4,3,3,3,4],[4,4,4,4,4]]},"
    "{\"input\":[[6,8,8,0],[8,8,6,0]],\"output\":[[8,8,8],[8,6,8],[8,8,8]]}],"
    "\"test\":[{\"input\":[[9,9,9,0],[2,2,1,0]],"
    "\"output\":[[9,9,9,9,9],[9,2,2,2,9],[9,2,1,2,9],[9,2,2,2,9],[9,9,9,9,9]]}]}";

static void finds(Bench *bench, const char *text, uint64_t steps) {
    TaskSet *set = load(text);
    SearchLimits limits = limits_of(bench, steps, STRATEGY_LAYOUTS);
    SolveTask result;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_is_right(&result, 0, 1));
    assert_int_equal(result.programs[0].strategy, STRATEGY_LAYOUTS);
    solve_task_free(&result);
    task_set_free(set);
}

static void test_lists(void **state) {
    finds(*state, BARS, 3000000);
    finds(*state, ROW, 3000000);
    finds(*state, RINGS, 3000000);
}

/* Budgets hold wherever they end; what is not reached is not answered. */
static void test_budgets(void **state) {
    for (uint64_t steps = 1; steps < 20000; steps = steps * 3 + 1) {
        Bench *bench = *state;
        TaskSet *set = load(ROW);
        SearchLimits limits = limits_of(bench, steps, STRATEGY_LAYOUTS);
        SolveTask result;
        assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
        solve_task_free(&result);
        task_set_free(set);
    }
}

/* Memory that runs out anywhere leaves a search without answers, not a crash. */
static void test_no_memory(void **state) {
    Bench *bench = *state;
    for (uint64_t bytes = 1000; bytes < 3000000; bytes *= 3) {
        TaskSet *set = load(ROW);
        SearchLimits limits = limits_of(bench, 200000, STRATEGY_LAYOUTS);
        limits.quota = bytes;
        SolveTask result;
        if (solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits)) {
            solve_task_free(&result);
        }
        task_set_free(set);
    }
}

/* Every place along a path is the place of some cell, and none lies beyond them. */
static void test_places(void **state) {
    (void)state;
    for (int path = 0; path < LAY_BARS_RIGHT; path++) {
        for (int32_t h = 1; h <= 6; h++) {
            for (int32_t w = 1; w <= 6; w++) {
                bool met[64] = {false};
                int32_t room = lay_room((LayPath)path, h, w);
                for (int32_t k = 0; k < h * w; k++) {
                    int32_t place = lay_place((LayPath)path, h, w, k / w, k % w);
                    assert_true(place < room);
                    if (place >= 0) {
                        met[place] = true;
                    }
                }
                for (int32_t k = 0; k < room; k++) {
                    assert_true(met[k]);
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_budgets),
                                       cmocka_unit_test(test_no_memory), cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
