/* Rules per cell: tasks that only one of their means solves, and the programs found for them. */
#include "search_fixture.h"

/* Grids are rows of digits with blanks between them; inputs and outputs take turns, the last pair is the
 * test. */
static TaskSet *load_grids(const char *const *grids, int n) {
    char text[8192], *at = text;
    at += sprintf(at, "{\"train\":[");
    for (int k = 0; k < n; k++) {
        at += sprintf(at, "%s%s:[[",
                      k == 0 || k % 2 ? ""
                      : k == n - 2    ? "],\"test\":["
                                      : ",",
                      k % 2 ? "\"output\"" : "{\"input\"");
        for (const char *c = grids[k]; *c != 0; c++) {
            at +=
                *c == ' ' ? sprintf(at, "],[") : sprintf(at, "%c%s", *c, c[1] != 0 && c[1] != ' ' ? "," : "");
        }
        at += sprintf(at, "]]%s", k % 2 ? "}" : ",");
    }
    sprintf(at, "]}");
    return load(text);
}

static unsigned calls_of(const Program *p, unsigned prim) {
    unsigned n = 0;
    for (uint32_t k = 0; k < p->nops; k++) {
        n += p->ops[k].kind == OP_PRIM && p->ops[k].prim == prim;
    }
    return n;
}

/* The first answer is right, and its program calls the primitive this many times. */
static void finds(Bench *bench, const char *const *grids, int n, uint32_t strategies, const Library *library,
                  unsigned prim, unsigned calls) {
    TaskSet *set = load_grids(grids, n);
    SearchLimits limits = {
        .steps = 4000000, .without = ~strategies, .idioms = bench->idioms, .library = library};
    SolveTask result;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_is_right(&result, 0, 1));
    assert_int_equal(calls_of(result.programs[0].program, prim), calls);
    solve_task_free(&result);
    task_set_free(set);
}

/* Six colors become others, but only in the lower half: one question and a table. */
static void test_map(void **state) {
    static const char *const grids[] = {"1234 5612 1234 5612",         "1234 5612 2345 6123",
                                        "2461 3512 2461 3512",         "2461 3512 3512 4623",
                                        "654321 162534 654321 162534", "654321 162534 165432 213645",
                                        "3355 1166 3355 1166",         "3355 1166 4466 2211"};
    finds(*state, grids, 8, 1u << STRATEGY_CELLS, NULL, P_cell_rule, 1);
}

/* Which of two sides of its rectangle a cell is nearer to: no single number decides, a comparison
 * does. */
static void test_more(void **state) {
    static const char *const grids[] = {"00000000 05555550 00000000",
                                        "00000000 05552220 00000000",
                                        "5555000000 0000000000 0005555555",
                                        "5522000000 0000000000 0005555222",
                                        "000000 555550 000000",
                                        "000000 555220 000000",
                                        "000000000000 055555555550 000000000000",
                                        "000000000000 055555222220 000000000000"};
    finds(*state, grids, 8, 1u << STRATEGY_CELLS, NULL, P_cell_rule, 1);
}

/* Every cell becomes a block: blocks of 5 hold the grid itself, blocks of 3 their own lower right corner. */
static void test_grow(void **state) {
    static const char *const grids[] = {"50 03", "5000 0300 0000 0003", "35 50", "0035 0350 3500 5000",
                                        "05 30", "0005 0030 0000 0300", "53 05", "5300 0503 0053 0005"};
    finds(*state, grids, 8, 1u << STRATEGY_CELLS, NULL, P_cell_grow, 1);
}

/* Holes become 4, and walls to the left of them 5, but not those to the left of other background.
 * With at most two questions that takes two rules: the second one sees what the first has
 * painted. */
static void test_passes(void **state) {
    if (getenv("BATT_TEST_VALGRIND") != NULL) {
        skip(); /* it would take a minute; the address sanitizer sees the same */
    }
    static const char *const grids[] = {
        "0000000000 0333033330 0303030030 0333030030 0000030030 3330033330 0030000000 0030030000",
        "0000000000 0333033330 0543054430 0333054430 0000054430 3330033330 0030000000 0030030000",
        "00000000 03333000 03003000 03333033 00000030 03000030 00000030",
        "00000000 03333000 05443000 03333033 00000030 03000030 00000030",
        "33330000 30030333 33330303 00000333 00000000 33333000 00003000 00003000",
        "33330000 54430333 33330543 00000333 00000000 33333000 00003000 00003000",
        "000000000 033300000 030300333 033300030 000000030 033330030 030030030 033330030",
        "000000000 033300000 054300333 033300030 000000030 033330030 054430030 033330030"};
    Bench *bench = *state;
    Tunables two = tunables_default;
    TaskSet *set = load_grids(grids, 8);
    SearchLimits limits = {
        .steps = 8000000, .without = ~(1u << STRATEGY_CELLS), .idioms = bench->idioms, .tunables = &two};
    SolveTask result;
    two.cells_long_list = 2;
    two.arm_cells_views_gain = two.arm_cells_local_gain = two.arm_cells_intermediate_views_gain = 0;
    two.arm_cells_local_views_gain = two.arm_cells_background_local_gain = 0;
    for (uint32_t passes = 0; passes <= 4; passes += 4) {
        two.cells_passes_max = passes;
        assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
        assert_int_equal(result.fitting > 0, passes > 0);
        if (passes > 0) {
            assert_true(solve_is_right(&result, 0, 1));
            assert_int_equal(calls_of(result.programs[0].program, P_cell_rule), 2);
        }
        solve_task_free(&result);
    }
    task_set_free(set);
}

/* What a known program makes is an intermediate: a rule per cell, which alone cannot turn a grid,
 * continues from it. */
static void test_library_intermediate(void **state) {
    static const char *const grids[] = {"102 030 001", "000 131 080",         "001 300 120",
                                        "813 000 010", "2200 0103 1010 0000", "0108 0018 0100 0030",
                                        "120 210 003", "008 311 008"};
    Lang *lang = lang_open();
    Library *library = library_open();
    Program *program = parse(lang, "def rolled(I):\n    O = grid_roll(I, 2, 3)\n    return O\n");
    assert_true(library_add(library, &((Bench *)*state)->ctx, program));
    prog_free(program);
    finds(*state, grids, 8, 1u << STRATEGY_CELLS | 1u << STRATEGY_LIBRARY, library, P_grid_roll, 1);
    library_close(library);
    lang_close(lang);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_map), cmocka_unit_test(test_more),
                                       cmocka_unit_test(test_grow), cmocka_unit_test(test_passes),
                                       cmocka_unit_test(test_library_intermediate)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
