/* Strategies that learn one kind of program: each solves a task that was made for it alone, keeps
 * its budget of steps wherever that ends, and survives lack of memory. */
#include "search/schedule/strategies.h"
#include "search_fixture.h"

typedef struct SyntheticTask {
    Strategy strategy;
    const char *task;
} SyntheticTask;

static const SyntheticTask SYNTHETIC[] = {
    /* The length of a bar tells its color: one row of a table for each. */
    {STRATEGY_CELLS,
     "{\"train\":[{\"input\":[[5,5,5,5,5,5,5,0],[0,5,5,5,5,0,0,0],[5,5,0,0,0,0,0,0],[0,0,0,0,0,5,0,0],[0,5,5"
     ",5,5,5,5,0],[0,5,5,5,0,0,0,0],[0,0,0,5,5,5,5,5]],\"output\":[[4,4,4,4,4,4,4,0],[0,8,8,8,8,0,0,0],[7,7,"
     "0,0,0,0,0,0],[0,0,0,0,0,3,0,0],[0,6,6,6,6,6,6,0],[0,2,2,2,0,0,0,0],[0,0,0,1,1,1,1,1]]},{\"input\":[[0,"
     "0,0,5,5,5,5,0],[0,0,5,5,5,0,0,0],[5,5,5,5,5,5,0,0],[0,0,0,0,0,0,5,5],[0,5,5,5,5,5,5,5],[0,0,5,0,0,0,0,"
     "0],[5,5,5,5,5,0,0,0]],\"output\":[[0,0,0,8,8,8,8,0],[0,0,2,2,2,0,0,0],[6,6,6,6,6,6,0,0],[0,0,0,0,0,0,7"
     ",7],[0,4,4,4,4,4,4,4],[0,0,3,0,0,0,0,0],[1,1,1,1,1,0,0,0]]},{\"input\":[[5,5,5,5,5,5,5,0],[5,5,5,0,0,0"
     ",0,0],[0,0,0,5,0,0,0,0],[0,5,5,5,5,0,0,0],[5,5,5,5,5,5,0,0],[0,5,5,5,5,5,0,0],[0,0,5,5,0,0,0,0]],\"out"
     "put\":[[4,4,4,4,4,4,4,0],[2,2,2,0,0,0,0,0],[0,0,0,3,0,0,0,0],[0,8,8,8,8,0,0,0],[6,6,6,6,6,6,0,0],[0,1,"
     "1,1,1,1,0,0],[0,0,7,7,0,0,0,0]]}],\"test\":[{\"input\":[[0,0,0,5,5,5,5,0],[0,5,5,5,5,5,5,5],[5,0,0,0,0"
     ",0,0,0],[0,5,5,5,5,5,5,0],[0,0,0,5,5,5,5,5],[0,5,5,0,0,0,0,0],[0,5,5,5,0,0,0,0]],\"output\":[[0,0,0,8,"
     "8,8,8,0],[0,4,4,4,4,4,4,4],[3,0,0,0,0,0,0,0],[0,6,6,6,6,6,6,0],[0,0,0,1,1,1,1,1],[0,7,7,0,0,0,0,0],[0,"
     "2,2,2,0,0,0,0]]}]}"},
    /* Lines go up from every 3, and bend to the right before the 5. */
    {STRATEGY_BEAMS,
     "{\"train\":[{\"input\":[[0,0,5,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,3,0,0]],"
     "\"output\":[[0,0,5,0,0],[0,0,3,3,3],[0,0,3,0,0],[0,0,3,0,0]]},"
     "{\"input\":[[0,0,0,0,0,0],[0,5,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,3,0,0,0,0]],"
     "\"output\":[[0,0,0,0,0,0],[0,5,0,0,0,0],[0,3,3,3,3,3],[0,3,0,0,0,0],[0,3,0,0,0,0]]},"
     "{\"input\":[[0,5,0,0],[0,0,0,0],[0,3,0,0],[0,0,0,0]],"
     "\"output\":[[0,5,0,0],[0,3,3,3],[0,3,0,0],[0,0,0,0]]}],"
     "\"test\":[{\"input\":[[0,0,0,5,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,3,0,0]],"
     "\"output\":[[0,0,0,5,0,0],[0,0,0,3,3,3],[0,0,0,3,0,0],[0,0,0,3,0,0],[0,0,0,3,0,0]]}]}"},
    /* Water falls from the 1, splits at what it falls on, and goes on falling beside it. */
    {STRATEGY_WALKERS,
     "{\"train\":[{\"input\":[[0,0,0,1,0,0,0],[0,0,0,0,0,0,0],[0,0,5,5,5,0,0],[0,0,0,0,0,0,0],[0,0,0,0,0,0,0]"
     ",[0,0,0,0,0,0,0]],"
     "\"output\":[[0,0,0,1,0,0,0],[0,1,1,1,1,1,0],[0,1,5,5,5,1,0],[0,1,0,0,0,1,0],[0,1,0,0,0,1,0],[0,1,0,0,0,"
     "1,0]]},"
     "{\"input\":[[0,1,0,0,0,0],[0,0,0,0,0,0],[5,5,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,5,5,0,0],[0,0,0,"
     "0,0,0]],"
     "\"output\":[[0,1,0,0,0,0],[1,1,1,0,0,0],[5,5,1,0,0,0],[0,0,1,0,0,0],[0,1,1,1,1,0],[0,1,5,5,1,0],[0,1,0,"
     "0,1,0]]},"
     "{\"input\":[[0,0,0,0,1,0,0],[0,0,0,0,0,0,0],[0,0,0,0,0,0,0],[0,0,0,0,5,5,0],[0,0,0,0,0,0,0]],"
     "\"output\":[[0,0,0,0,1,0,0],[0,0,0,0,1,0,0],[0,0,0,1,1,1,1],[0,0,0,1,5,5,1],[0,0,0,1,0,0,1]]}],"
     "\"test\":[{\"input\":[[0,0,0,0,0,1,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,5,5,0,0],[0,0,0,0,0,0,0,0],[0,0,0,0,"
     "0,0,0,0],[0,0,0,0,0,5,5,0],[0,0,0,0,0,0,0,0]],"
     "\"output\":[[0,0,0,0,0,1,0,0],[0,0,0,1,1,1,1,0],[0,0,0,1,5,5,1,0],[0,0,0,1,0,0,1,0],[0,0,0,1,1,1,1,1],["
     "0,0,0,1,1,5,5,1],[0,0,0,1,1,0,0,1]]}]}"},
    /* Color 3 flows until walls of 5 stop it. */
    {STRATEGY_PROCESSES,
     "{\"train\":[{\"input\":[[0,0,5,0,0],[0,3,5,0,0],[5,5,5,0,0],[0,0,0,5,5],[0,0,0,5,0]],\"output\":"
     "[[3,3,5,0,0],[3,3,5,0,0],[5,5,5,0,0],[0,0,0,5,5],[0,0,0,5,0]]},{\"input\":[[0,0,0,0,5,0],[0,5,5,"
     "5,5,0],[0,5,0,0,0,0],[0,5,0,3,0,3],[0,5,5,5,5,5]],\"output\":[[0,0,0,0,5,3],[0,5,5,5,5,3],[0,5,3"
     ",3,3,3],[0,5,3,3,3,3],[0,5,5,5,5,5]]},{\"input\":[[0,0,0,0],[5,5,5,0],[0,0,5,0],[3,0,5,0]],\"out"
     "put\":[[0,0,0,0],[5,5,5,0],[3,3,5,0],[3,3,5,0]]}],\"test\":[{\"input\":[[0,0,0,5,0,0,0],[0,0,5,5"
     ",5,0,0],[0,0,5,0,5,0,0],[5,5,5,0,5,5,5],[0,0,0,3,0,0,0],[5,5,5,5,0,5,5],[0,0,0,0,5,0,0]],\"outpu"
     "t\":[[0,0,0,5,0,0,0],[0,0,5,5,5,0,0],[0,0,5,3,5,0,0],[5,5,5,3,5,5,5],[3,3,3,3,3,3,3],[5,5,5,5,3,"
     "5,5],[0,0,0,0,5,0,0]]}]}"},
    /* Four copies, mirrored so that they meet in the middle. */
    {STRATEGY_MOSAICS,
     "{\"train\":[{\"input\":[[1,2],[0,3]],\"output\":[[1,2,2,1],[0,3,3,0],[0,3,3,0],[1,2,2,1]]},"
     "{\"input\":[[4,0,5],[0,0,6]],\"output\":[[4,0,5,5,0,4],[0,0,6,6,0,0],[0,0,6,6,0,0],[4,0,5,5,0,4]]}],"
     "\"test\":[{\"input\":[[7,8],[0,9],[1,0]],"
     "\"output\":[[7,8,8,7],[0,9,9,0],[1,0,0,1],[1,0,0,1],[0,9,9,0],[7,8,8,7]]}]}"},
    /* All but the first column goes down around the edge, as far as the 5 in that column lies. */
    {STRATEGY_CYCLIC_SHIFTS,
     "{\"train\":[{\"input\":[[3,1,2],[5,4,6],[3,7,7],[3,8,1]],\"output\":[[8,1],[1,2],[4,6],[7,7]]},"
     "{\"input\":[[3,1,1],[3,2,4],[3,0,6],[5,9,8]],\"output\":[[2,4],[0,6],[9,8],[1,1]]},"
     "{\"input\":[[3,6,2],[3,1,4],[5,1,7],[3,0,2]],\"output\":[[1,7],[0,2],[6,2],[1,4]]}],"
     "\"test\":[{\"input\":[[3,8,2],[5,1,4],[3,1,7],[3,9,0]],\"output\":[[9,0],[8,2],[1,4],[1,7]]}]}"},
    /* Rows go right and left in turn, as a wave, counted from below. */
    {STRATEGY_CYCLIC_SHIFTS,
     "{\"train\":[{\"input\":[[0,3,1,1,0],[0,3,0,2,0],[0,3,0,0,0],[0,3,2,0,0],[0,3,2,0,0]],\"output\":[[0,"
     "3,1,1,0],[3,0,2,0,0],[0,3,0,0,0],[0,0,3,2,0],[0,3,2,0,0]]},{\"input\":[[0,3,1,1,0],[0,3,1,2,0],[0,3,"
     "1,0,0],[0,3,0,0,0],[0,3,1,2,0],[0,3,1,1,0]],\"output\":[[0,0,3,1,1],[0,3,1,2,0],[3,1,0,0,0],[0,3,0,0"
     ",0],[0,0,3,1,2],[0,3,1,1,0]]},{\"input\":[[0,3,0,2,1,0],[0,3,0,1,2,0],[0,3,0,2,0,0],[0,3,0,2,0,0],[0"
     ",3,2,2,0,0],[0,3,0,2,0,0],[0,3,0,1,2,0]],\"output\":[[0,3,0,2,1,0],[0,0,3,0,1,2],[0,3,0,2,0,0],[3,0,"
     "2,0,0,0],[0,3,2,2,0,0],[0,0,3,0,2,0],[0,3,0,1,2,0]]}],\"test\":[{\"input\":[[0,3,0,2,1,0],[0,3,2,1,1"
     ",0],[0,3,1,1,0,0],[0,3,2,0,2,0],[0,3,1,2,1,0],[0,3,1,2,2,0]],\"output\":[[0,0,3,0,2,1],[0,3,2,1,1,0]"
     ",[3,1,1,0,0,0],[0,3,2,0,2,0],[0,0,3,1,2,1],[0,3,1,2,2,0]]}]}"},
    /* One of two outputs, by how many cells there are of color 3. */
    {STRATEGY_CASES,
     "{\"train\":[{\"input\":[[3,0],[0,0]],\"output\":[[1]]},{\"input\":[[0,3],[3,0]],\"output\":[[2]]},"
     "{\"input\":[[0,0],[0,3]],\"output\":[[1]]},{\"input\":[[3,3],[0,0]],\"output\":[[2]]},"
     "{\"input\":[[0,0],[3,0]],\"output\":[[1]]}],"
     "\"test\":[{\"input\":[[3,0],[3,0]],\"output\":[[2]]}]}"},
    /* The picture that stands there twice, which object_pick takes for one. */
    {STRATEGY_PICK,
     "{\"train\":[{\"input\":[[1,1,0,2,2],[0,1,0,0,2],[0,0,0,0,0],[1,1,0,0,0],[0,1,0,0,0]],"
     "\"output\":[[1,1],[0,1]]},"
     "{\"input\":[[4,0,0,3,0],[4,4,0,3,3],[0,0,0,0,0],[0,0,0,3,0],[0,0,0,3,3]],\"output\":[[3,0],[3,3]]},"
     "{\"input\":[[0,6,0,6,0],[6,6,0,6,0],[0,0,0,6,0],[0,6,0,0,0],[6,6,0,0,0]],\"output\":[[0,6],[6,6]]}],"
     "\"test\":[{\"input\":[[8,8,0,9,9],[8,0,0,9,0],[0,0,0,0,0],[8,8,0,8,8],[0,8,0,8,0]],"
     "\"output\":[[8,8],[8,0]]}]}"},
    /* Below every cell that stands alone, the color that the legend in the corner pairs with it. */
    {STRATEGY_TEMPLATES,
     "{\"train\":[{\"input\":[[1,2,0,0,0,0],[3,4,0,0,1,0],[0,0,0,0,0,0],[0,0,3,0,0,0],[0,0,0,0,0,0]],\"o"
     "utput\":[[1,2,0,0,0,0],[3,4,0,0,1,0],[0,0,0,0,2,0],[0,0,3,0,0,0],[0,0,4,0,0,0]]},{\"input\":[[5,6,"
     "0,0,0,0],[7,8,0,0,0,0],[0,0,0,8,0,0],[0,0,0,0,0,0],[0,5,0,0,0,0],[0,0,0,0,0,0]],\"output\":[[5,6,0"
     ",0,0,0],[7,8,0,0,0,0],[0,0,0,8,0,0],[0,0,0,7,0,0],[0,5,0,0,0,0],[0,6,0,0,0,0]]},{\"input\":[[2,6,0"
     ",0,0,0],[3,1,0,0,6,0],[0,0,0,0,0,0],[0,0,3,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0]],\"output\":[[2,6,0,"
     "0,0,0],[3,1,0,0,6,0],[0,0,0,0,2,0],[0,0,3,0,0,0],[0,0,1,0,0,0],[0,0,0,0,0,0]]}],\"test\":[{\"input"
     "\":[[2,9,0,0,0,0],[4,1,0,0,0,0],[0,0,0,0,9,0],[0,0,0,0,0,0],[0,0,4,0,0,0],[0,0,0,0,0,0]],\"output"
     "\":[[2,9,0,0,0,0],[4,1,0,0,0,0],[0,0,0,0,9,0],[0,0,0,0,2,0],[0,0,4,0,0,0],[0,0,1,0,0,0]]}]}"},
    /* Every angle of color 2 has a 4 behind its corner, turned and enlarged with it, some cut off by the
       edge. */
    {STRATEGY_TEMPLATES,
     "{\"train\":[{\"input\":[[0,2,0,0,0,0],[2,2,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,2,0,0],[0,0,0"
     ",2,2,0]],\"output\":[[0,2,0,0,0,0],[2,2,0,0,0,0],[0,0,4,0,0,0],[0,0,0,0,0,0],[0,0,0,2,0,0],[0,0,0,2,"
     "2,0]]},{\"input\":[[0,0,0,0,0,0,0],[0,2,2,2,2,0,0],[0,2,2,2,2,0,0],[0,2,2,0,0,0,0],[0,2,2,0,0,0,0],["
     "0,0,0,0,0,0,0],[2,2,0,0,0,0,0],[0,2,0,0,0,0,0]],\"output\":[[4,0,0,0,0,0,0],[0,2,2,2,2,0,0],[0,2,2,2"
     ",2,0,0],[0,2,2,0,0,0,0],[0,2,2,0,0,0,0],[0,0,4,0,0,0,0],[2,2,0,0,0,0,0],[0,2,0,0,0,0,0]]},{\"input\""
     ":[[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,2,0],[0,2,2,0,0,2,2,0],[0,2,2,0,0,0,0,0],[0,2,2,2,2,0,0,0],[0,2,2,2"
     ",2,0,0,0],[0,0,0,0,0,0,0,0]],\"output\":[[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,2,0],[0,2,2,0,0,2,2,0],[0,2,"
     "2,0,0,0,0,4],[0,2,2,2,2,0,0,0],[0,2,2,2,2,0,0,0],[4,0,0,0,0,0,0,0]]}],\"test\":[{\"input\":[[2,2,0,0"
     ",0,0,2,2,0,0],[0,2,0,0,0,0,2,0,0,0],[0,0,0,0,0,0,0,0,0,0],[0,0,0,0,0,0,2,2,2,0],[0,0,0,0,0,0,2,2,2,0"
     "],[0,0,0,0,0,0,2,2,2,0],[0,0,0,2,2,2,2,2,2,0],[0,0,0,2,2,2,2,2,2,0],[0,0,0,2,2,2,2,2,2,0],[0,0,0,0,0"
     ",0,0,0,0,0]],\"output\":[[2,2,0,0,0,0,2,2,0,0],[0,2,0,0,0,0,2,0,0,0],[0,0,0,0,0,0,0,0,0,0],[0,0,0,0,"
     "0,0,2,2,2,0],[0,0,0,0,0,0,2,2,2,0],[0,0,0,0,0,0,2,2,2,0],[0,0,0,2,2,2,2,2,2,0],[0,0,0,2,2,2,2,2,2,0]"
     ",[0,0,0,2,2,2,2,2,2,0],[0,0,0,0,0,0,0,0,0,4]]}]}"},
    /* Where two colors of a picture stand elsewhere, perhaps turned, the rest of it is added. */
    {STRATEGY_PAIRS,
     "{\"train\":[{\"input\":[[1,2,0,0,0,0,0],[3,2,0,0,0,0,0],[0,0,0,0,0,0,0],[0,0,0,0,1,0,0],[0,0,0,0,3,0"
     ",0],[0,0,0,0,0,0,0],[0,3,1,0,0,0,0],[0,0,0,0,0,0,0]],\"output\":[[1,2,0,0,0,0,0],[3,2,0,0,0,0,0],[0,"
     "0,0,0,0,0,0],[0,0,0,0,1,2,0],[0,0,0,0,3,2,0],[0,0,0,0,0,0,0],[0,3,1,0,0,0,0],[0,2,2,0,0,0,0]]},{\"in"
     "put\":[[0,0,0,0,0,4,4],[0,6,0,0,0,6,4],[0,7,0,0,0,7,0],[0,0,0,0,0,0,0],[0,0,7,6,0,0,0],[0,0,0,0,0,0,"
     "0],[0,0,0,0,0,0,0]],\"output\":[[0,4,4,0,0,4,4],[0,6,4,0,0,6,4],[0,7,0,0,0,7,0],[0,0,0,0,0,0,0],[0,0"
     ",7,6,4,0,0],[0,0,0,4,4,0,0],[0,0,0,0,0,0,0]]},{\"input\":[[0,0,0,0,0,0,0,0],[0,5,8,0,0,0,0,0],[0,0,0"
     ",0,0,9,0,0],[0,0,0,0,9,5,8,0],[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0],[0,5,0,0,0,0,0,0],[0,8,0,0,0,0,0,0"
     "]],\"output\":[[0,9,0,0,0,0,0,0],[9,5,8,0,0,0,0,0],[0,0,0,0,0,9,0,0],[0,0,0,0,9,5,8,0],[0,0,0,0,0,0,"
     "0,0],[0,9,0,0,0,0,0,0],[0,5,9,0,0,0,0,0],[0,8,0,0,0,0,0,0]]}],\"test\":[{\"input\":[[0,0,0,0,2,0,0,0"
     "],[0,0,0,0,6,0,0,0],[0,0,0,0,0,0,0,0],[0,2,6,0,0,0,0,0],[0,9,9,0,0,0,2,0],[0,0,9,0,0,0,6,0],[0,0,0,0"
     ",0,0,0,0]],\"output\":[[0,0,0,9,2,0,0,0],[0,0,9,9,6,0,0,0],[0,0,0,0,0,0,0,0],[0,2,6,0,0,0,0,0],[0,9,"
     "9,0,0,9,2,0],[0,0,9,0,9,9,6,0],[0,0,0,0,0,0,0,0]]}]}"},
    /* Every object takes the color of the one that it touches. */
    {STRATEGY_OBJECTS,
     "{\"train\":[{\"input\":[[5,5,0,0,0,0],[5,5,1,0,0,0],[0,0,0,0,0,0],[0,0,0,5,5,0],[0,0,2,5,5,0]],"
     "\"output\":[[1,1,0,0,0,0],[1,1,1,0,0,0],[0,0,0,0,0,0],[0,0,0,2,2,0],[0,0,2,2,2,0]]},"
     "{\"input\":[[0,3,0,0,0],[0,5,5,0,0],[0,0,0,0,4],[0,0,0,5,5]],"
     "\"output\":[[0,3,0,0,0],[0,3,3,0,0],[0,0,0,0,4],[0,0,0,4,4]]}],"
     "\"test\":[{\"input\":[[0,0,6,0,0],[0,0,5,5,0],[0,0,0,0,0],[5,5,0,0,0],[0,7,0,0,0]],"
     "\"output\":[[0,0,6,0,0],[0,0,6,6,0],[0,0,0,0,0],[7,7,0,0,0],[0,7,0,0,0]]}]}"}};
enum { SYNTHETIC_COUNT = sizeof SYNTHETIC / sizeof *SYNTHETIC };

static void test_finds(void **state) {
    Bench *bench = *state;
    for (size_t k = 0; k < SYNTHETIC_COUNT; k++) {
        TaskSet *set = load(SYNTHETIC[k].task);
        SearchLimits limits = limits_of(bench, 4000000, (int)SYNTHETIC[k].strategy);
        SolveTask result;
        assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
        if (!solve_is_right(&result, 0, 2)) {
            fail_msg("strategy %s does not find its task", strategy_table[SYNTHETIC[k].strategy].name);
        }
        assert_int_equal(result.programs[0].strategy, SYNTHETIC[k].strategy);
        solve_task_free(&result);
        task_set_free(set);
    }
}

static bool has_choice(const SolveTask *result) {
    bool found = false;
    for (uint32_t k = 0; k < result->n_programs; k++) {
        found |= result->programs[k].strategy == STRATEGY_CASES && result->programs[k].right == 4;
    }
    return found;
}

/* One program or another: neither mirror is right for all pairs. If the choice costs too much to be believed,
 * it is not offered. */
static void test_branches(void **state) {
    static const char TASK[] = "{\"train\":[{\"input\":[[1,2,0],[3,0,0]],\"output\":[[0,2,1],[0,0,3]]},"
                               "{\"input\":[[1,2,4],[3,0,5]],\"output\":[[3,0,5],[1,2,4]]},"
                               "{\"input\":[[7,0,3],[0,6,0]],\"output\":[[3,0,7],[0,6,0]]},"
                               "{\"input\":[[5,0,1],[1,6,2]],\"output\":[[1,6,2],[5,0,1]]}],"
                               "\"test\":[{\"input\":[[9,1,0],[4,4,3]],\"output\":[[0,1,9],[3,4,4]]},"
                               "{\"input\":[[9,1,0],[5,4,0]],\"output\":[[5,4,0],[9,1,0]]}]}";
    Bench *bench = *state;
    TaskSet *set = load(TASK);
    SearchLimits limits = limits_of(bench, 12000000, STRATEGY_CASES);
    limits.without &= ~(1u << STRATEGY_STAMPS);
    SolveTask result;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_is_right(&result, 0, 1));
    assert_true(solve_is_right(&result, 1, 1));
    assert_true(has_choice(&result));
    solve_task_free(&result);
    Tunables tunables = tunables_default;
    tunables.cases_cost_max = 10;
    limits.tunables = &tunables;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_false(has_choice(&result));
    solve_task_free(&result);
    /* a bit at least for what is asked, besides the two mirrors */
    tunables.cases_cost_max = 1000;
    tunables.cases_scale = tunables.cases_branch_cost = tunables.cases_once_cost = 0;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(has_choice(&result));
    double mirrors = 2 * (tunables.stamps_step_cost + tunables.stamps_stack_cost);
    for (uint32_t k = 0; k < result.n_programs; k++) {
        assert_true(result.programs[k].strategy != STRATEGY_CASES || result.programs[k].cost >= mirrors + 1);
    }
    solve_task_free(&result);
    task_set_free(set);
}

static void test_budgets(void **state) {
    Bench *bench = *state;
    for (size_t k = 0; k < SYNTHETIC_COUNT; k++) {
        for (uint64_t steps = 1; steps < 30000; steps = steps * 3 + 1) {
            TaskSet *set = load(SYNTHETIC[k].task);
            SearchLimits limits = limits_of(bench, steps, (int)SYNTHETIC[k].strategy);
            SolveTask result;
            assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
            solve_task_free(&result);
            task_set_free(set);
        }
    }
}

static void test_no_memory(void **state) {
    Bench *bench = *state;
    for (size_t k = 0; k < SYNTHETIC_COUNT; k++) {
        for (uint64_t bytes = 1000; bytes < 3000000; bytes *= 5) {
            TaskSet *set = load(SYNTHETIC[k].task);
            SearchLimits limits = limits_of(bench, 100000, (int)SYNTHETIC[k].strategy);
            limits.quota = bytes;
            SolveTask result;
            if (solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits)) {
                solve_task_free(&result);
            }
            task_set_free(set);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finds), cmocka_unit_test(test_branches),
                                       cmocka_unit_test(test_budgets), cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
