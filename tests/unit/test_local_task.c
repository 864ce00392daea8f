/* Local tasks: into which pieces tasks are cut, when they are not, and that programs found for pieces
 * work on the whole grid. */
#include "data/tasks/task.h"
#include "lang_fixture.h"
#include "search/schedule/local_task.h"
#include "search/schedule/search_state.h"

/* Every multicolor component is mirrored in place. */
static const char MIRRORED[] =
    "{\"train\":[{\"input\":[[1,2,0,0],[0,0,0,0],[0,0,3,1]],\"output\":[[2,1,0,0],[0,0,0,0],[0,0,1,3]]},"
    "{\"input\":[[0,5,4,0],[0,0,0,0],[6,7,7,0]],\"output\":[[0,4,5,0],[0,0,0,0],[7,7,6,0]]}],"
    "\"test\":[{\"input\":[[8,9,0,0],[0,0,0,0],[0,0,8,1]]}]}";

static bool pieces_of(Ctx *ctx, const char *json, LocalHow how, SearchTask *to) {
    TaskSet *set = task_load_bytes("t.json", json, strlen(json), NULL);
    SearchTask task;
    assert_int_equal(set->n_tasks, 1);
    search_task_fill(&task, &set->tasks[0]);
    ctx_reset(ctx);
    bool cut = local_task_of(ctx, &task, how, to);
    to->id = "t";
    task_set_free(set);
    return cut;
}

static void pieces_are_pairs(void **state) {
    Fixture *f = *state;
    SearchTask seen;
    static const int8_t in[] = {6, 7, 7}, out[] = {7, 7, 6};
    assert_true(pieces_of(&f->ctx, MIRRORED, LOCAL_MCOMPS, &seen));
    assert_int_equal(seen.n_train, 4);
    assert_int_equal(seen.n_test, 2);
    assert_true(val_eq(seen.in[3], val_grid8(in, 1, 3)));
    assert_true(val_eq(seen.out[3], val_grid8(out, 1, 3)));
    assert_true(seen.same_size);
}

static void not_what_it_seems(void **state) {
    Fixture *f = *state;
    SearchTask seen;
    /* nothing in frames; a row is no more than a row */
    assert_false(pieces_of(&f->ctx, MIRRORED, LOCAL_FRAMES, &seen));
    /* something outside the pieces changes */
    assert_false(pieces_of(&f->ctx,
                           "{\"train\":[{\"input\":[[1,0,2]],\"output\":[[1,3,2]]},"
                           "{\"input\":[[4,0,2]],\"output\":[[4,3,2]]}],\"test\":[{\"input\":[[1,0,5]]}]}",
                           LOCAL_MCOMPS, &seen));
    /* equal pieces become different */
    assert_false(pieces_of(&f->ctx,
                           "{\"train\":[{\"input\":[[1,0,1]],\"output\":[[1,0,2]]},"
                           "{\"input\":[[4,0,2]],\"output\":[[4,0,2]]}],\"test\":[{\"input\":[[1,0,5]]}]}",
                           LOCAL_MCOMPS, &seen));
    /* outputs of a size that cannot be shared out */
    assert_false(pieces_of(
        &f->ctx, "{\"train\":[{\"input\":[[1,0,1]],\"output\":[[1]]}],\"test\":[{\"input\":[[1,0,5]]}]}",
        LOCAL_MCOMPS, &seen));
    /* a color that no piece of one color can have painted */
    assert_false(pieces_of(&f->ctx,
                           "{\"train\":[{\"input\":[[1,0,2]],\"output\":[[1,3,2]]},"
                           "{\"input\":[[4,0,2]],\"output\":[[4,3,2]]}],\"test\":[{\"input\":[[1,0,5]]}]}",
                           LOCAL_COLORS, &seen));
}

/* Each color goes one cell to the right, through cells of other colors. */
static void colors_are_pieces(void **state) {
    Fixture *f = *state;
    SearchTask seen;
    static const int8_t in[] = {0, 2, 0, 0}, out[] = {0, 0, 2, 0};
    assert_true(
        pieces_of(&f->ctx,
                  "{\"train\":[{\"input\":[[1,2,0,0]],\"output\":[[0,1,2,0]]},"
                  "{\"input\":[[3,0,4,0]],\"output\":[[0,3,0,4]]}],\"test\":[{\"input\":[[0,1,4,0]]}]}",
                  LOCAL_COLORS, &seen));
    assert_int_equal(seen.n_train, 4);
    assert_int_equal(seen.n_test, 2);
    assert_true(val_eq(seen.in[1], val_grid8(in, 1, 4)));
    assert_true(val_eq(seen.out[1], val_grid8(out, 1, 4)));
}

/* Areas may be of any shape: what lies in the box of one and is not its own looks like the walls. */
static void areas_are_pieces(void **state) {
    Fixture *f = *state;
    SearchTask seen;
    static const int8_t in[] = {0, 3, 5, 0}, out[] = {3, 3, 5, 3};
    assert_true(
        pieces_of(&f->ctx,
                  "{\"train\":[{\"input\":[[0,3,5],[5,0,5],[4,5,5]],\"output\":[[3,3,5],[5,3,5],[4,5,5]]}],"
                  "\"test\":[{\"input\":[[0,5,5],[5,5,0]]}]}",
                  LOCAL_AREAS, &seen));
    assert_int_equal(seen.n_train, 2);
    assert_true(val_eq(seen.in[0], val_grid8(in, 2, 2)));
    assert_true(val_eq(seen.out[0], val_grid8(out, 2, 2)));
}

/* Of each row its last color: outputs are shared out among the pieces, and laid side by side again. */
static const char LAST[] =
    "{\"train\":[{\"input\":[[1,2],[3,4]],\"output\":[[2],[4]]},"
    "{\"input\":[[5,6],[7,8]],\"output\":[[6],[8]]}],\"test\":[{\"input\":[[8,9],[6,1]]}]}";

static void pieces_of_other_sizes(void **state) {
    Fixture *f = *state;
    SearchTask seen;
    Builder b;
    static const int8_t in[] = {7, 8}, grid[] = {8, 9, 6, 1}, last[] = {9, 1};
    assert_true(pieces_of(&f->ctx, LAST, LOCAL_ROWS, &seen));
    assert_int_equal(seen.n_train, 4);
    assert_true(val_eq(seen.in[3], val_grid8(in, 1, 2)));
    assert_true(val_eq(seen.out[3], val_grid8(in + 1, 1, 1)));
    build_init(&b);
    fixture_file(f, "def solve_t(I):\n    O = righthalf(I)\n    return O\n");
    Program *whole =
        local_task_wrap(&b, &(SearchTask){.same_size = false}, prog_strip(f->programs.items[0]), LOCAL_ROWS);
    assert_non_null(whole);
    Val given = val_grid8(grid, 2, 2);
    ctx_reset(&f->ctx);
    assert_true(val_eq(eval_program(&f->ctx, whole, &given), val_grid8(last, 2, 1)));
    prog_free(whole);
    build_free(&b);
}

static void found_for_the_whole(void **state) {
    Fixture *f = *state;
    Builder b;
    build_init(&b);
    fixture_file(f, "def solve_t(I):\n    O = vmirror(I)\n    return O\n");
    Program *whole =
        local_task_wrap(&b, &(SearchTask){.same_size = true}, prog_strip(f->programs.items[0]), LOCAL_MCOMPS);
    assert_non_null(whole);
    static const int8_t in[] = {8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 8, 1},
                        out[] = {9, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 8};
    Val grid = val_grid8(in, 3, 4);
    ctx_reset(&f->ctx);
    assert_true(val_eq(eval_program(&f->ctx, whole, &grid), val_grid8(out, 3, 4)));
    prog_free(whole);
    build_free(&b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(pieces_are_pairs),    TEST(not_what_it_seems),
                                       TEST(found_for_the_whole), TEST(colors_are_pieces),
                                       TEST(areas_are_pieces),    TEST(pieces_of_other_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
