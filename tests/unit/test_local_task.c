/* Tasks of pieces: what they are cut into, when they are not, and that what is found there holds for the
 * whole. */
#include "lang_fixture.h"
#include "search/local_task.h"
#include "task/task.h"

/* Every blob is mirrored where it stands. */
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
    assert_true(pieces_of(&f->ctx, MIRRORED, LOCAL_BLOBS, &seen));
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
                           LOCAL_BLOBS, &seen));
    /* equal pieces become different */
    assert_false(pieces_of(&f->ctx,
                           "{\"train\":[{\"input\":[[1,0,1]],\"output\":[[1,0,2]]},"
                           "{\"input\":[[4,0,2]],\"output\":[[4,0,2]]}],\"test\":[{\"input\":[[1,0,5]]}]}",
                           LOCAL_BLOBS, &seen));
    /* outputs of another size */
    assert_false(pieces_of(
        &f->ctx, "{\"train\":[{\"input\":[[1,0,1]],\"output\":[[1]]}],\"test\":[{\"input\":[[1,0,5]]}]}",
        LOCAL_BLOBS, &seen));
}

static void found_for_the_whole(void **state) {
    Fixture *f = *state;
    Builder b;
    build_init(&b);
    fixture_file(f, "def solve_t(I):\n    O = vmirror(I)\n    return O\n");
    Program *whole = local_task_wrap(&b, prog_strip(f->programs.items[0]), LOCAL_BLOBS);
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
    const struct CMUnitTest tests[] = {TEST(pieces_are_pairs), TEST(not_what_it_seems),
                                       TEST(found_for_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
