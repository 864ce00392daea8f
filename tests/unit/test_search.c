/* Search: each strategy finds what it is made for, budgets hold, test outputs are never read,
 * memory may run out. */
#include "data/tasks/embedded.h"
#include "engine/language/hash.h"
#include "search/learning/learn.h"
#include "search/schedule/quota.h"
#include "search/schedule/view.h"
#include "search/strategies/grow.h"
#include "search_fixture.h"

#include <math.h>

/* The largest object cut out of the grid. */
static const char CROP[] =
    "{\"train\":["
    "{\"input\":[[0,0,0,0,0],[0,2,2,0,0],[0,2,0,0,3],[0,0,0,0,0]],\"output\":[[2,2],[2,0]]},"
    "{\"input\":[[5,0,0,0],[0,0,4,0],[0,4,4,4],[0,0,0,0]],\"output\":[[0,4,0],[4,4,4]]},"
    "{\"input\":[[0,0,0,7,7],[1,0,0,7,7],[0,0,0,0,7]],\"output\":[[7,7],[7,7],[0,7]]}],"
    "\"test\":[{\"input\":[[0,0,0,0],[0,6,6,0],[0,0,0,0],[8,0,0,0]],\"output\":[[6,6]]}]}";

/* Holes of rings are filled with 4. */
static const char HOLES[] = "{\"train\":["
                            "{\"input\":[[3,3,3,0],[3,0,3,0],[3,3,3,0],[0,0,0,0]],\"output\":[[3,3,3,0],[3,4,"
                            "3,0],[3,3,3,0],[0,0,0,0]]},"
                            "{\"input\":[[0,0,0,0,0],[0,3,3,3,3],[0,3,0,0,3],[0,3,3,3,3]],"
                            "\"output\":[[0,0,0,0,0],[0,3,3,3,3],[0,3,4,4,3],[0,3,3,3,3]]}],"
                            "\"test\":[{\"input\":[[0,3,3,3],[0,3,0,3],[0,3,3,3],[0,0,0,3]],"
                            "\"output\":[[0,3,3,3],[0,3,4,3],[0,3,3,3],[0,0,0,3]]}]}";

/* Cells that both halves have become 2. */
static const char HALVES[] =
    "{\"train\":["
    "{\"input\":[[1,0,5,0,1],[0,1,5,0,1],[1,1,5,1,0]],\"output\":[[0,0],[0,2],[2,0]]},"
    "{\"input\":[[1,1,5,1,1],[0,0,5,1,0],[0,1,5,0,1]],\"output\":[[2,2],[0,0],[0,2]]}],"
    "\"test\":[{\"input\":[[0,1,5,1,1],[1,1,5,1,0],[0,0,5,0,1]],\"output\":[[0,2],[2,0],[0,0]]}]}";

static void finds(Bench *bench, const char *text) {
    TaskSet *set = load(text);
    SearchLimits limits = limits_of(bench, 3000000, STRATEGY_ENUMERATE);
    SolveTask result;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_is_right(&result, 0, 2));
    assert_int_equal(result.programs[0].strategy, STRATEGY_ENUMERATE);
    assert_true(result.fitting > 0);
    solve_task_free(&result);
    task_set_free(set);
}

static void test_enumerate(void **state) {
    finds(*state, CROP);
    finds(*state, HOLES);
    finds(*state, HALVES);
}

/* The same search with another test output gives the same answers: it is never read. */
static void test_blind(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(CROP);
    char other[sizeof CROP];
    memcpy(other, CROP, sizeof CROP);
    memcpy(strstr(other, "[[6,6]]"), "[[9,9]]", 7);
    TaskSet *changed = load(other);
    SearchLimits limits = limits_of(bench, 300000, -1);
    SolveTask a, b;
    assert_true(solve_task(&a, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_task(&b, &changed->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_int_equal(solve_steps(&a), solve_steps(&b));
    assert_int_equal(a.candidates, b.candidates);
    assert_true(task_image_equal(a.answers[0][0].image, b.answers[0][0].image));
    assert_true(solve_is_right(&a, 0, 2));
    assert_false(solve_is_right(&b, 0, 2));
    solve_task_free(&a);
    solve_task_free(&b);
    task_set_free(set);
    task_set_free(changed);
}

/* A bound holds, also while a block grows, and what is freed can be had again. */
static void test_quota(void **state) {
    (void)state;
    Quota quota = {.max = 4000};
    char *one = quota_grow(&quota, NULL, 1500, 1);
    assert_non_null(one);
    assert_true(quota.used >= 1500);
    assert_null(quota_grow(&quota, one, 3000, 1)); /* while it is copied both are there */
    char *two = quota_grow(&quota, NULL, 15, 100);
    assert_non_null(two);
    assert_null(quota_grow(&quota, NULL, 1500, 1));
    assert_null(quota_grow(&quota, NULL, SIZE_MAX / 2, 4));
    quota_free(&quota, two);
    assert_non_null(one = quota_grow(&quota, one, 2000, 1));
    quota_free(&quota, one);
    assert_int_equal(quota.used, 0);
    Quota open = {0};
    assert_non_null(one = quota_grow(&open, NULL, 1 << 20, 1));
    quota_free(&open, one);
    assert_int_equal(open.used, 0);
}

/* Numbers by hash: all are found again, others are not, and hashes may be equal. */
static void test_seen(void **state) {
    (void)state;
    enum { MANY = 40000 };
    Quota quota = {0};
    HashMap seen = {0};
    for (uint32_t k = 0; k < MANY; k++) {
        uint64_t hash = (uint64_t)(k / 2) * 0x9e3779b97f4a7c15u; /* two of each */
        assert_true(quota_map_reserve(&quota, &seen));
        uint32_t at = map_start(&seen, hash), met = 0;
        for (uint32_t other; (other = map_next(&seen, hash, &at)) != MAP_NONE;) {
            met += other == k - 1;
        }
        assert_int_equal(met, k % 2);
        map_put(&seen, hash, at, k);
    }
    for (uint32_t k = 0; k < 2 * MANY; k++) {
        uint64_t hash = (uint64_t)(k / 2) * 0x9e3779b97f4a7c15u;
        uint32_t at = map_start(&seen, hash), met = 0;
        for (uint32_t other; (other = map_next(&seen, hash, &at)) != MAP_NONE;) {
            met += other == k;
        }
        assert_int_equal(met, k < MANY);
    }
    quota_map_free(&quota, &seen);
    assert_int_equal(quota.used, 0);
    quota.max = 1000;
    assert_false(quota_map_reserve(&quota, &seen));
}

/* Noise: 10 pairs of 30x30 in ten colors. Budgets hold, within what one call may take. */
static void test_hostile(void **state) {
    Bench *bench = *state;
    size_t room = 11 * 2 * 30 * 62 + 1000, at = 0;
    char *text = mem_alloc(room);
    uint32_t seed = 1;
    at += (size_t)snprintf(text, room, "{\"train\":[");
    for (int grid = 0; grid < 22; grid++) {
        const char *key = grid % 2 ? "\"output\"" : "{\"input\"";
        at += (size_t)snprintf(text + at, room - at, "%s%s:[",
                               grid == 20 ? "],\"test\":["
                               : grid     ? ","
                                          : "",
                               key);
        for (int i = 0; i < 30; i++) {
            text[at++] = i ? ',' : ' ';
            text[at++] = '[';
            for (int j = 0; j < 30; j++) {
                seed = seed * 1664525 + 1013904223;
                text[at++] = j ? ',' : ' ';
                text[at++] = (char)('0' + (seed >> 16) % 10);
            }
            text[at++] = ']';
        }
        at += (size_t)snprintf(text + at, room - at, grid % 2 ? "]}" : "]");
    }
    snprintf(text + at, room - at, "]}");
    TaskSet *set = load(text);
    uint64_t few = getenv("BATT_TEST_QUICK") != NULL ? 40000 : 400000;
    SearchLimits limits = limits_of(bench, few, -1);
    SolveTask result;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_steps(&result) < 4 * limits.steps);
    assert_int_equal(result.fitting, 0);
    uint64_t steps = solve_steps(&result);
    solve_task_free(&result);
    limits.steps = few * 7; /* more than there is memory for */
    limits.quota = 2 << 20;
    uint64_t before = mem_bytes();
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_steps(&result) > steps / 2);
    solve_task_free(&result);
    assert_int_equal(mem_bytes(), before);
    task_set_free(set);
    mem_free(text);
}

static void test_library(void **state) {
    Bench *bench = *state;
    Lang *lang = lang_open();
    Library *library = library_open();
    const char *texts[] = {"def a(I):\n    O = vmirror(I)\n    return O\n",
                           "def b(I):\n    x1 = objects(I, T, F, T)\n    x2 = argmax(x1, size)\n    O = "
                           "subgrid(x2, I)\n    return O\n"};
    for (int k = 0; k < 2; k++) {
        Program *program = parse(lang, texts[k]);
        assert_true(library_add(library, &bench->ctx, program));
        prog_free(program);
    }
    TaskSet *set = load(CROP);
    SearchLimits limits = limits_of(bench, 1000000, STRATEGY_LIBRARY);
    SolveTask result;
    limits.library = library;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_is_right(&result, 0, 1));
    assert_int_equal(result.programs[0].strategy, STRATEGY_LIBRARY);
    solve_task_free(&result);
    task_set_free(set);
    library_close(library);
    lang_close(lang);
}

/* Of two programs that cost the same, the one that was right on a pair it was not made from is trusted
 * first, also if that is seen only when it is met again. */
static void test_unseen(void **state) {
    Bench *bench = *state;
    Lang *lang = lang_open();
    TaskSet *set =
        load("{\"train\":[{\"input\":[[1,2]],\"output\":[[2,1]]},{\"input\":[[3,0,4]],\"output\":[[4,0,3]]}],"
             "\"test\":[{\"input\":[[5,6],[7,8]]}]}");
    const char *texts[] = {"def a(I):\n    O = vmirror(I)\n    return O\n",
                           "def b(I):\n    O = rot180(I)\n    return O\n"};
    SearchLimits limits = limits_of(bench, 1000000, -1);
    SearchTask task;
    search_task_fill(&task, &set->tasks[0]);
    for (int again = 0; again < 2; again++) {
        Search search;
        SearchFind find;
        assert_true(search_open(&search, &task, &bench->ctx, &bench->check, &limits));
        assert_true(search_offer(&search, parse(lang, texts[0]), 10));
        assert_true(search_offer_from(&search, parse(lang, texts[1]), 10, again ? 3 : 1, &find));
        assert_int_equal(find.right, 3);
        if (again) {
            search_confirm(&search, &find, 2);
        }
        search_order_candidates(&search);
        assert_int_equal(search.state->count, 2);
        assert_int_equal(search.state->candidates[0].backing.unseen, 1);
        assert_int_equal(search.state->candidates[1].backing.unseen, 0);
        assert_int_equal(search.state->candidates[0].answers[0].cells[0], 8);
        search_close(&search);
    }
    lang_close(lang);
    task_set_free(set);
}

/* One row of three programs for one task: each is offered by the strategies in its set, at a
 * cost. */
typedef struct Offer {
    const char *text;
    uint32_t strategies;
    double cost;
} Offer;

static void offer_all(Search *search, Lang *lang, const Offer *offers, size_t n) {
    for (size_t k = 0; k < n; k++) {
        for (unsigned p = 0; p < STRATEGY_COUNT; p++) {
            if (offers[k].strategies >> p & 1) {
                search->state->strategy = (Strategy)p;
                search_offer(search, parse(lang, offers[k].text), offers[k].cost);
            }
        }
    }
    search_order_candidates(search);
}

/* An answer of two strategies ranks before that of a shorter program of one; evolution, which
 * starts from what others found, does not count as a second strategy; the second attempt is that of
 * another strategy. */
static void test_agreement(void **state) {
    Bench *bench = *state;
    Lang *lang = lang_open();
    TaskSet *set =
        load("{\"train\":[{\"input\":[[1,2]],\"output\":[[2,1]]},{\"input\":[[3,0,4]],\"output\":[[4,0,3]]}],"
             "\"test\":[{\"input\":[[5,6],[7,8]]}]}");
    const char mirror[] = "def a(I):\n    O = vmirror(I)\n    return O\n";
    const char turn[] = "def b(I):\n    O = rot180(I)\n    return O\n";
    const char sorted[] = "def c(I):\n    x1 = hmirror(I)\n    x2 = vmirror(I)\n    x3 = height(I)\n"
                          "    x4 = equality(x3, ONE)\n    O = branch(x4, x2, x1)\n    return O\n";
    const uint32_t cells = 1u << STRATEGY_CELLS, stamps = 1u << STRATEGY_STAMPS,
                   evolve = 1u << STRATEGY_EVOLVE;
    const Offer agreed[] = {{mirror, cells, 10}, {turn, cells | stamps, 14}};
    const Offer bred[] = {{mirror, cells, 10}, {turn, cells | evolve, 14}};
    const Offer siblings[] = {{mirror, cells, 10}, {turn, cells, 12}, {sorted, stamps, 20}};
    const struct {
        const Offer *offers;
        size_t n;
        int8_t first, second; /* the first cell of both attempts */
    } cases[] = {{agreed, 2, 8, 6}, {bred, 2, 6, 8}, {siblings, 3, 6, 7}};
    SearchLimits limits = limits_of(bench, 1000000, -1);
    SearchTask task;
    search_task_fill(&task, &set->tasks[0]);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Search search;
        assert_true(search_open(&search, &task, &bench->ctx, &bench->check, &limits));
        offer_all(&search, lang, cases[k].offers, cases[k].n);
        assert_int_equal(search_answer(&search, 0, 0, NULL)->cells[0], cases[k].first);
        assert_int_equal(search_answer(&search, 0, 1, NULL)->cells[0], cases[k].second);
        assert_null(search_answer(&search, 0, (uint32_t)cases[k].n, NULL));
        search_close(&search);
    }
    lang_close(lang);
    task_set_free(set);
}

/* Answers that lack what all training outputs have in common. */
static void test_penalties(void **state) {
    static const struct {
        const char *task, *program;
        unsigned penalties;
    } cases[] = {
        /* outputs are mirrored about the middle; the answer of what hides the 5 is not */
        {"{\"train\":[{\"input\":[[1,2,1]],\"output\":[[1,2,1]]},{\"input\":[[3,0,3]],\"output\":[[3,0,3]]}],"
         "\"test\":[{\"input\":[[5,6,7]]}]}",
         "def a(I):\n    O = replace(I, FIVE, FOUR)\n    return O\n",
         1u << PENALTY_SYMMETRY | 1u << PENALTY_COLORS | 1u << PENALTY_ADDED | 1u << PENALTY_LOST},
        /* outputs repeat themselves */
        {"{\"train\":[{\"input\":[[1,2,1,2]],\"output\":[[1,2,1,2]]},{\"input\":[[3,4,3,4]],\"output\":[[3,4,"
         "3,4]]}],"
         "\"test\":[{\"input\":[[5,6,7,8]]}]}",
         "def a(I):\n    O = replace(I, FIVE, ZERO)\n    return O\n",
         1u << PENALTY_PERIOD | 1u << PENALTY_COLORS | 1u << PENALTY_ADDED | 1u << PENALTY_LOST},
        /* every input has a 9, no output */
        {"{\"train\":[{\"input\":[[9,2]],\"output\":[[0,2]]},{\"input\":[[9,4]],\"output\":[[0,4]]}],"
         "\"test\":[{\"input\":[[9,9]]}]}",
         "def a(I):\n    x1 = astuple(ZERO, ZERO)\n    x2 = initset(x1)\n    O = fill(I, ZERO, x2)\n    "
         "return O\n",
         1u << PENALTY_GONE},
        /* only 3 changes, where a 4 or a 6 may stand beside it */
        {"{\"train\":[{\"input\":[[3,2,4]],\"output\":[[1,2,4]]},{\"input\":[[3,2,6]],\"output\":[[1,2,6]]}],"
         "\"test\":[{\"input\":[[3,7,7]]}]}",
         "def a(I):\n    x1 = replace(I, THREE, ONE)\n    O = replace(x1, SEVEN, ONE)\n    return O\n",
         1u << PENALTY_ONE_COLOR | 1u << PENALTY_CHANGED},
        /* 3 and 5 change, and never the 2 that is everywhere */
        {"{\"train\":[{\"input\":[[3,2,0]],\"output\":[[1,2,0]]},{\"input\":[[5,2,0]],\"output\":[[1,2,0]]}],"
         "\"test\":[{\"input\":[[3,8,2]]}]}",
         "def a(I):\n    x1 = replace(I, THREE, ONE)\n    x2 = replace(x1, FIVE, ONE)\n    x3 = index(I, "
         "RIGHT)\n"
         "    x4 = equality(x3, EIGHT)\n    x5 = branch(x4, TWO, NINE)\n    O = replace(x2, x5, ONE)\n    "
         "return O\n",
         1u << PENALTY_KEPT},
        /* cells only change places */
        {"{\"train\":[{\"input\":[[1,2,2]],\"output\":[[2,2,1]]},{\"input\":[[3,4,4]],\"output\":[[4,4,3]]}],"
         "\"test\":[{\"input\":[[6,7,7]]}]}",
         "def a(I):\n    x1 = vmirror(I)\n    x2 = index(I, ORIGIN)\n    x3 = equality(x2, SIX)\n    "
         "x4 = index(I, RIGHT)\n    x5 = branch(x3, x2, x4)\n    x6 = initset(RIGHT)\n    O = fill(x1, x5, "
         "x6)\n    "
         "return O\n",
         1u << PENALTY_COUNTS},
    };
    Bench *bench = *state;
    Lang *lang = lang_open();
    SearchLimits limits = limits_of(bench, 1000000, -1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        TaskSet *set = load(cases[k].task);
        SearchTask task;
        Search search;
        search_task_fill(&task, &set->tasks[0]);
        assert_true(search_open(&search, &task, &bench->ctx, &bench->check, &limits));
        assert_true(search_offer(&search, parse(lang, cases[k].program), 10));
        search_order_candidates(&search);
        assert_int_equal(search.state->candidates[0].penalties, cases[k].penalties);
        search_close(&search);
        task_set_free(set);
    }
    lang_close(lang);
}

/* Background is the color that there is most of, also where inputs have a few cells of color 0. */
static void test_background(void **state) {
    Bench *bench = *state;
    TaskSet *set =
        load("{\"train\":[{\"input\":[[8,8,8],[8,0,8],[8,8,3]],\"output\":[[8,8,8],[8,3,8],[8,8,3]]},"
             "{\"input\":[[3,8,8],[8,8,0]],\"output\":[[3,8,8],[8,8,3]]}],"
             "\"test\":[{\"input\":[[8,0,8,8]]}]}");
    SearchTask task, seen;
    search_task_fill(&task, &set->tasks[0]);
    ctx_reset(&bench->ctx);
    assert_true(view_of(&bench->ctx, &task, VIEW_BACKGROUND, &seen));
    assert_int_equal(seen.in[0].b8[0], 0);
    assert_int_equal(seen.in[0].b8[4], 8);
    assert_int_equal(seen.out[1].b8[5], 3);
    /* the same color again, and in the third view the one that vanishes: 0 itself */
    assert_false(view_of(&bench->ctx, &task, VIEW_BACKGROUND + 1, &seen));
    assert_false(view_of(&bench->ctx, &task, VIEW_BACKGROUND + 2, &seen));
    task_set_free(set);
}

/* Rules per cell solve the task with a program that goes there first and comes back last. */
static void finds_in_view(Bench *bench, const Task *task, unsigned there, unsigned back) {
    SearchLimits limits = limits_of(bench, 20000000, STRATEGY_CELLS);
    Tunables views = tunables_default;
    SolveTask result;
    views.arm_cells_gain = views.arm_cells_local_gain = 0;
    limits.tunables = &views;
    assert_true(solve_task(&result, task, &bench->ctx, &bench->check, &limits));
    assert_true(solve_is_right(&result, 0, 1));
    const Program *p = result.programs[0].program;
    assert_int_equal(p->ops[0].prim, there);
    assert_int_equal(p->ops[p->nops - 1].prim, back);
    solve_task_free(&result);
}

/* Trails lead away from a wall that stands on another side in every pair: found by turning the wall to the
 * left. */
static void test_turned(void **state) {
    static const char WALLS[] =
        "{\"train\":[{\"input\":[[5,0,0,0,0,0],[5,0,3,0,0,0],[5,0,0,0,0,0],[5,0,0,0,0,0],[5,0,0,0,0,0],[5,0,0"
        ",0,0,0]],\"output\":[[5,0,0,0,0,0],[5,0,3,3,3,3],[5,0,0,0,0,0],[5,0,0,0,0,0],[5,0,0,0,0,0],[5,0,0,"
        "0,0,0]]},{\"input\":[[5,5,5,5,5,5],[0,0,3,0,0,0],[0,0,0,0,0,0],[3,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,"
        "0,0,0]],\"output\":[[5,5,5,5,5,5],[0,0,3,0,0,0],[0,0,3,0,0,0],[3,0,3,0,0,0],[3,0,3,0,0,0],[3,0,3,0"
        ",0,0]]},{\"input\":[[0,0,0,0,0,5],[0,0,0,0,0,5],[0,0,0,0,0,5],[0,0,3,0,0,5],[0,0,0,0,0,5],[0,0,0,0"
        ",0,5]],\"output\":[[0,0,0,0,0,5],[0,0,0,0,0,5],[0,0,0,0,0,5],[3,3,3,0,0,5],[0,0,0,0,0,5],[0,0,0,0,"
        "0,5]]}],\"test\":[{\"input\":[[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,3,0,0,0,0],[0,0,0,0,3,0],"
        "[5,5,5,5,5,5]],\"output\":[[0,3,0,0,3,0],[0,3,0,0,3,0],[0,3,0,0,3,0],[0,3,0,0,3,0],[0,0,0,0,3,0],["
        "5,5,5,5,5,5]]}]}";
    Bench *bench = *state;
    TaskSet *set = load(WALLS);
    finds_in_view(bench, &set->tasks[0], P_stamp_orient, P_stamp_unorient);
    task_set_free(set);
}

/* A grid of 4x4 panels, each 2x3 cells of the color that `small` gives it, between lines of 8. */
static size_t put_panels(char *to, const char *small) {
    size_t at = 0;
    for (int i = 0; i < 11; i++) {
        to[at++] = i ? ',' : '[';
        for (int j = 0; j < 15; j++) {
            to[at++] = j ? ',' : '[';
            to[at++] = i % 3 == 2 || j % 4 == 3 ? '8' : small[i / 3 * 5 + j / 4];
        }
        to[at++] = ']';
    }
    to[at++] = ']';
    to[at] = 0;
    return at;
}

/* Panels beside one of 2 become 1: a rule of cells where panels are cells, and exact on the whole grid. A
 * panel of two colors in an output would be lost in that view, which is not taken then. */
static void test_panels(void **state) {
    static const char *const grids[8] = {"0000 0200 0000 0003", "0100 1210 0100 0003", "2000 0000 0300 0000",
                                         "2100 1000 0300 0000", "0000 0030 0000 0020", "0000 0030 0010 0121",
                                         "0003 0000 2000 0000", "0003 1000 2100 1000"};
    char text[4096], *at = text;
    for (int k = 0; k < 8; k++) {
        at += sprintf(at, "%s%s:",
                      k == 0   ? "{\"train\":["
                      : k == 6 ? "],\"test\":["
                      : k % 2  ? ""
                               : ",",
                      k % 2 ? ",\"output\"" : "{\"input\"");
        at += put_panels(at, grids[k]);
        at += sprintf(at, k % 2 ? "}" : "");
    }
    sprintf(at, "]}");
    Bench *bench = *state;
    TaskSet *set = load(text);
    finds_in_view(bench, &set->tasks[0], P_panel_sum, P_panel_paint);

    SearchTask task, seen;
    ctx_reset(&bench->ctx);
    search_task_fill(&task, &set->tasks[0]);
    assert_true(view_of(&bench->ctx, &task, VIEW_PANELS, &seen));
    assert_int_equal(seen.in[3].n * seen.in[3].w, 16);
    task_set_free(set);
    strstr(text, "\"output\":[[0")[strlen("\"output\":[[")] = '3';
    set = load(text);
    search_task_fill(&task, &set->tasks[0]);
    assert_false(view_of(&bench->ctx, &task, VIEW_PANELS, &seen));
    task_set_free(set);
}

/* A near miss is mended: the mirrored grid needs a color replaced, which one pair does not show. The same
 * steps breed the same programs. */
static void test_evolve(void **state) {
    Bench *bench = *state;
    Lang *lang = lang_open();
    Program *miss = parse(lang, "def a(I):\n    O = vmirror(I)\n    return O\n");
    TaskSet *set = load("{\"train\":[{\"input\":[[3,0],[0,4]],\"output\":[[0,3],[4,0]]},"
                        "{\"input\":[[1,0,0],[3,1,0]],\"output\":[[0,0,2],[0,2,3]]},"
                        "{\"input\":[[1,1,4],[0,0,1]],\"output\":[[4,2,2],[2,0,0]]}],"
                        "\"test\":[{\"input\":[[0,1],[1,7]],\"output\":[[2,0],[7,2]]}]}");
    SearchEarlier earlier = {
        .program = miss, .strategy = STRATEGY_LIBRARY, .cost = 10, .backing = {.support = 1}};
    SearchLimits limits = limits_of(bench, 20000000, STRATEGY_EVOLVE);
    limits.earlier = &earlier;
    limits.n_earlier = 1;
    SolveTask a, b;
    assert_true(solve_task(&a, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_is_right(&a, 0, 1));
    assert_int_equal(a.programs[0].strategy, STRATEGY_EVOLVE);
    assert_int_equal(a.programs[0].right, 3);
    assert_true(solve_task(&b, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_int_equal(solve_steps(&a), solve_steps(&b));
    assert_int_equal(a.n_programs, b.n_programs);
    for (uint32_t k = 0; k < a.n_programs; k++) {
        assert_true(prog_hash_eq(a.programs[k].program->hash, b.programs[k].program->hash));
    }
    solve_task_free(&a);
    solve_task_free(&b);
    Tunables tunables = tunables_default;
    tunables.evolve_cost_max = 10; /* what costs more is not offered */
    limits.tunables = &tunables;
    assert_true(solve_task(&a, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_int_equal(a.fitting, 0);
    solve_task_free(&a);
    limits.tunables = NULL;
    limits.without = ~0u;
    assert_true(solve_task(&a, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_int_equal(a.fitting, 0);
    solve_task_free(&a);
    prog_free(miss);
    lang_close(lang);
    task_set_free(set);
}

/* A later search begins with what an earlier one found and does not lose it. */
static void test_again(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(HOLES);
    SearchLimits limits = limits_of(bench, 3000000, STRATEGY_ENUMERATE);
    SolveTask first, result;
    assert_true(solve_task(&first, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    limits.steps = 20000;
    assert_true(solve_again(&result, &first, &bench->ctx, &bench->check, &limits));
    solve_task_free(&first);
    assert_int_equal(result.rounds, 2);
    assert_true(solve_is_right(&result, 0, 2));
    solve_task_free(&result);
    task_set_free(set);
}

/* However large the budget, a strategy that finds nothing delays the next ones only as long as in a
 * short search. In this example enumeration uses up its share before stamps find the rule. */
static void test_larger_budget(void **state) {
    Bench *bench = *state;
    size_t count;
    const EmbeddedFile *file = embedded_tasks(&count);
    uint64_t found[2];
    while (count > 0 && strcmp(file->name, "49db1a3f") != 0) {
        file++;
        count--;
    }
    assert_true(count > 0);
    TaskSet *set = load(file->data);
    for (int large = 0; large < 2; large++) {
        SearchLimits limits = limits_of(bench, large ? 60000000 : 20000000, -1);
        limits.without = ~(1u << STRATEGY_STAMPS | 1u << STRATEGY_ENUMERATE);
        SolveTask result;
        assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
        assert_true(solve_is_right(&result, 0, 1));
        assert_int_equal(result.programs[0].strategy, STRATEGY_STAMPS);
        assert_true(result.work.strategies[STRATEGY_ENUMERATE].steps > 500000);
        found[large] = result.programs[0].steps;
        solve_task_free(&result);
    }
    assert_int_equal(found[0], found[1]);
    task_set_free(set);
}

/* A fit does not end the search: other strategies still run, unless patience is set to none. */
static void test_patience(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(CROP);
    Tunables tunables = tunables_default;
    SearchLimits limits = limits_of(bench, 20000000, -1);
    SolveTask result;
    limits.tunables = &tunables;
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(result.fitting > 0 && result.programs[0].steps < solve_steps(&result) / 2);
    assert_true(result.work.strategies[STRATEGY_STAMPS].steps > 0 &&
                result.work.strategies[STRATEGY_ENUMERATE].steps > 0);
    assert_true(solve_steps(&result) < limits.steps); /* nor does it take all there is */
    solve_task_free(&result);
    tunables.patience = 0;
    tunables.patience_min = 0;
    tunables.arm_enumerate_gain = 1e6; /* first */
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(result.fitting > 0);
    assert_int_equal(result.work.strategies[STRATEGY_STAMPS].steps, 0);
    solve_task_free(&result);
    task_set_free(set);
}

/* Pairs are left out, one at a time, when something fits. What happens to a color that only one pair has is
 * not known from the others; the largest object is. Nothing that is found on the way is kept. */
static void test_leave_out(void **state) {
    static const char COLORS[] = "{\"train\":[{\"input\":[[1,0,1],[0,1,0]],\"output\":[[2,0,2],[0,2,0]]},"
                                 "{\"input\":[[3,3,0],[0,0,3]],\"output\":[[4,4,0],[0,0,4]]},"
                                 "{\"input\":[[5,0,0],[5,5,0]],\"output\":[[6,0,0],[6,6,0]]}],"
                                 "\"test\":[{\"input\":[[1,3,5]]}]}";
    static const struct {
        const char *text;
        int strategy;
        bool predicted;
    } cases[] = {{COLORS, STRATEGY_CELLS, false}, {CROP, STRATEGY_PICK, true}};
    Bench *bench = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        TaskSet *set = load(cases[k].text);
        Tunables tunables = tunables_default;
        SearchLimits limits = limits_of(bench, 20000000, cases[k].strategy);
        uint32_t candidates[2];
        limits.tunables = &tunables;
        tunables.leave_out_sure = -1000;
        for (int with = 0; with < 2; with++) {
            SolveTask result;
            tunables.leave_out_pairs_max = with ? 4 : 0;
            assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
            const Backing *backing = &result.programs[0].backing;
            assert_int_equal(result.programs[0].right, 3);
            assert_int_equal(backing->tried, with ? 3 : 0);
            assert_int_equal(backing->mispredicted, with && !cases[k].predicted ? 3 : 0);
            assert_int_equal(backing->unseen, with && cases[k].predicted ? 3 : 0);
            candidates[with] = result.candidates;
            solve_task_free(&result);
        }
        assert_int_equal(candidates[0], candidates[1]);
        task_set_free(set);
    }
}

/* A view may be taken of what another one makes: pieces on a background that is not 0, each mirrored. The
 * program goes both ways there and both ways back. */
static void test_two_views(void **state) {
    static const char PIECES[] = "{\"train\":[{\"input\":[[8,8,8,8,8,8],[8,1,2,8,3,4],[8,8,8,8,8,8]],"
                                 "\"output\":[[8,8,8,8,8,8],[8,2,1,8,4,3],[8,8,8,8,8,8]]},"
                                 "{\"input\":[[8,8,8,8],[8,5,6,8],[8,8,8,8],[2,7,8,8]],"
                                 "\"output\":[[8,8,8,8],[8,6,5,8],[8,8,8,8],[7,2,8,8]]}],"
                                 "\"test\":[{\"input\":[[8,8,8],[8,4,1]]}]}";
    Bench *bench = *state;
    Lang *lang = lang_open();
    TaskSet *set = load(PIECES);
    SearchLimits limits = limits_of(bench, 1000000, -1);
    SearchTask task, under, seen;
    Search search;
    Sight how = {VIEW_BACKGROUND, VIEW_LOCAL + LOCAL_MCOMPS, NULL};
    search_task_fill(&task, &set->tasks[0]);
    assert_true(search_open(&search, &task, &bench->ctx, &bench->check, &limits));
    assert_true(view_see(&bench->ctx, &task, &how, &under, &seen));
    assert_int_equal(under.in[0].b8[0], 0);
    assert_int_equal(seen.n_train, 4);
    assert_int_equal(seen.in[0].w, 2);
    search.state->strategy = STRATEGY_CELLS;
    search.task = &seen;
    search.state->under_task = &under;
    search.state->under = how.under;
    search.state->view = how.view;
    assert_true(search_offer(&search, parse(lang, "def a(I):\n    O = vmirror(I)\n    return O\n"), 10));
    search_order_candidates(&search);
    double views = tunables_default.view_background_cost + tunables_default.view_local_cost;
    assert_true(search.state->candidates[0].cost == 10 + views);
    assert_int_equal(search.state->candidates[0].answers[0].cells[4], 1);
    assert_int_equal(search.state->candidates[0].answers[0].cells[5], 4);
    search_close(&search);
    lang_close(lang);
    task_set_free(set);
}

/* A strategy that is cut short resumes where it was: in many short time slices it makes as many
 * values as in a long one. */
static void test_nothing_twice(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(HALVES);
    Tunables tunables = tunables_default;
    static const int strategies[] = {STRATEGY_ENUMERATE, STRATEGY_STAMPS, STRATEGY_CELLS};
    tunables.enumerate_terms_max = 20000;
    tunables.stamps_deep_depth = 2;
    tunables.patience = 1e6;
    tunables.arm_stamps_roles_gain = tunables.arm_stamps_turned_gain = tunables.arm_cells_views_gain = 0;
    tunables.intermediates_arms_max = 0;
    for (size_t k = 0; k < sizeof strategies / sizeof *strategies; k++) {
        uint64_t values[2], steps[2];
        for (int shorter = 0; shorter < 2; shorter++) {
            SearchLimits limits = limits_of(bench, 4000000000, strategies[k]);
            SolveTask result;
            limits.tunables = &tunables;
            tunables.arm_enumerate_ms = tunables.arm_stamps_ms = tunables.arm_cells_ms = shorter ? 5 : 1e6;
            assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
            assert_true(solve_steps(&result) < limits.steps);
            values[shorter] = COUNTED(&result.work.statistics, VALUES);
            steps[shorter] = solve_steps(&result);
            solve_task_free(&result);
        }
        assert_true(values[1] >= values[0] && values[1] < values[0] + values[0] / 20 + 2000);
        assert_true(steps[1] < steps[0] + steps[0] / 4 + 50000);
    }
    task_set_free(set);
}

/* Stacking gets its time also where growing would take it all: the first time slice is far too
 * short to grow to the end, and yet something is stacked. */
static void test_stacking(void **state) {
    Bench *bench = *state;
    size_t count;
    const EmbeddedFile *file = embedded_tasks(&count);
    while (count > 0 && strcmp(file->name, "49db1a3f") != 0) {
        file++;
        count--;
    }
    assert_true(count > 0);
    TaskSet *set = load(file->data);
    SearchLimits limits = limits_of(bench, 0, STRATEGY_STAMPS);
    Tunables tunables = tunables_default;
    SolveTask result;
    limits.tunables = &tunables;
    limits.steps = 100000;
    tunables.short_ms = 1;
    tunables.arm_stamps_ms = 9.5; /* nearly all of it in one time slice */
    assert_true(solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits));
    assert_true(solve_steps(&result) >= limits.steps);
    assert_true(result.candidates > 0);
    solve_task_free(&result);
    task_set_free(set);
}

/* Whatever allocation fails: no crash, no leak (under a sanitizer), and the answers that there are. */
static void test_no_memory(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(CROP);
    SearchLimits limits = limits_of(bench, 60000, -1);
    for (uint64_t nth = 1; nth < 400; nth += nth < 40 ? 1 : 37) {
        SolveTask result = {0};
        uint64_t before = mem_bytes();
        mem_fail_at(nth);
        solve_task(&result, &set->tasks[0], &bench->ctx, &bench->check, &limits);
        mem_fail_at(0);
        solve_task_free(&result);
        assert_int_equal(mem_bytes(), before);
    }
    task_set_free(set);
}

/* Tunables: in bounds, changed by name, and included in the identity of a search. */
static void test_tunables(void **state) {
    (void)state;
    char why[256];
    Tunables t = tunables_default;
    for (const TunableRow *row = tunable_rows; row->name != NULL; row++) {
        assert_true(row->min <= row->value && row->value <= row->max && *row->text != 0);
        assert_true(tunables_get(&t, row) == row->value);
        char text[128];
        snprintf(text, sizeof text, "%s=%.17g", row->name, row->max);
        assert_true(tunables_set(&t, text, why, sizeof why));
        assert_true(tunables_get(&t, row) == row->max);
        assert_int_equal(tunables_hash(&t) == tunables_hash(&tunables_default), row->max == row->value);
        snprintf(text, sizeof text, "%s=%.17g", row->name, row->max * 2 + 1);
        assert_false(tunables_set(&t, text, why, sizeof why));
        snprintf(text, sizeof text, "%s=%.17g", row->name, row->value);
        assert_true(tunables_set(&t, text, why, sizeof why));
        assert_true(tunables_hash(&t) == tunables_hash(&tunables_default));
    }
    assert_false(tunables_set(&t, "trusted", why, sizeof why));
    assert_false(tunables_set(&t, "trusted=", why, sizeof why));
    assert_false(tunables_set(&t, "trusted=4x", why, sizeof why));
    assert_false(tunables_set(&t, "=4", why, sizeof why));
}

static uint8_t cost_of(const IdiomSet *set, const char *text) {
    Out out;
    out_init(&out);
    idioms_write(&out, set);
    const char *at = strstr(out.data, text);
    assert_non_null(at);
    while (at > out.data && at[-1] != '\n') {
        at--;
    }
    uint8_t cost = (uint8_t)atoi(at);
    out_free(&out);
    return cost;
}

static void test_learn(void **state) {
    (void)state;
    char why[256];
    IdiomSet *idioms = idioms_builtin(why, sizeof why);
    Lang *lang = lang_open();
    Program *programs[8];
    for (int k = 0; k < 8; k++) {
        programs[k] = parse(lang, "def a(I):\n    x1 = compress(I)\n    O = trim(x1)\n    return O\n");
    }
    uint32_t before = idioms->count;
    uint8_t trim = cost_of(idioms, "O = trim(S)");
    Learning learning;
    assert_true(learn_from(idioms, programs, 8, 10, &learning));
    assert_int_equal(learning.programs, 8);
    assert_int_equal(learning.uses, 16);
    assert_true(cost_of(idioms, "O = trim(S)") < trim);
    assert_int_equal(learning.mined, 1);
    assert_int_equal(idioms->count, before + 1);
    assert_true(cost_of(idioms, "x1 = compress(S); O = trim(x1)") < 8);
    for (int k = 0; k < 8; k++) {
        prog_free(programs[k]);
    }
    lang_close(lang);
    idioms_free(idioms);
}

/* Stamps grow one move after the other from all entries of a depth, and a growth that is cut short again and
 * again makes the same entries in as many steps as one that is not. */
static void test_growth(void **state) {
    enum { DEPTH = 3 };
    Bench *bench = *state;
    TaskSet *set = load(CROP);
    SearchLimits limits = limits_of(bench, 100000000, STRATEGY_STAMPS);
    SearchTask task;
    search_task_fill(&task, &set->tasks[0]);
    GrowEntry *whole = NULL;
    uint32_t count = 0, cuts = 0;
    uint64_t steps = 0;
    for (int sliced = 0; sliced < 2; sliced++) {
        Search search;
        Grow grow;
        assert_true(search_open(&search, &task, &bench->ctx, &bench->check, &limits));
        search.state->strategy = STRATEGY_STAMPS;
        assert_true(grow_open(&grow, &search));
        do {
            search.slice_over = false;
            search.state->slice_end =
                sliced ? search_ms(&search) : HUGE_VAL; /* to be noticed after some steps */
        } while (!grow_to_depth(&grow, DEPTH) && ++cuts < 10000);
        if (!sliced) {
            count = grow.count;
            steps = search_steps(&search);
            whole = malloc(count * sizeof *whole);
            memcpy(whole, grow.entries, count * sizeof *whole);
            assert_int_equal(cuts, 0);
        }
        assert_true(count > 1000);
        assert_int_equal(grow.count, count);
        assert_int_equal(search_steps(&search), steps);
        for (uint32_t k = 0; k < count; k++) {
            const GrowEntry *e = &grow.entries[k], *before = k > 0 ? &grow.entries[k - 1] : e;
            assert_true(e->parent == whole[k].parent && e->move == whole[k].move &&
                        e->depth == whole[k].depth && e->list == whole[k].list);
            bool grown = e->parent != GROW_NONE && before->parent != GROW_NONE;
            assert_true(!grown || e->depth > before->depth ||
                        (e->depth == before->depth && e->move >= before->move));
        }
        grow_close(&grow);
        search_close(&search);
    }
    assert_true(cuts > 5);
    free(whole);
    task_set_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enumerate),     cmocka_unit_test(test_blind),
        cmocka_unit_test(test_quota),         cmocka_unit_test(test_seen),
        cmocka_unit_test(test_hostile),       cmocka_unit_test(test_library),
        cmocka_unit_test(test_unseen),        cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_penalties),     cmocka_unit_test(test_background),
        cmocka_unit_test(test_turned),        cmocka_unit_test(test_panels),
        cmocka_unit_test(test_evolve),        cmocka_unit_test(test_again),
        cmocka_unit_test(test_larger_budget), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_learn),         cmocka_unit_test(test_tunables),
        cmocka_unit_test(test_patience),      cmocka_unit_test(test_nothing_twice),
        cmocka_unit_test(test_stacking),      cmocka_unit_test(test_leave_out),
        cmocka_unit_test(test_two_views),     cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
