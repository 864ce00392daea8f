/* Nets in search: their answers share one ranking with those of programs, a second round and other
 * ranks take them over, and where there is no time for a net nothing changes. */
#include "search/net/net.h"
#include "search/schedule/strategies.h"
#include "search/session/solve_wire.h"
#include "search_fixture.h"

#include <math.h>

/* 1 becomes 2. */
static const char PAINT[] =
    "{\"train\":[{\"input\":[[1,0,0],[1,0,0],[0,1,0]],\"output\":[[2,0,0],[2,0,0],[0,2,0]]},"
    "{\"input\":[[0,0,1],[0,0,0],[1,0,1]],\"output\":[[0,0,2],[0,0,0],[2,0,2]]},"
    "{\"input\":[[0,1,0],[1,1,0],[0,0,0]],\"output\":[[0,2,0],[2,2,0],[0,0,0]]}],"
    "\"test\":[{\"input\":[[1,0,1],[0,1,1],[0,0,0]],\"output\":[[2,0,2],[0,2,2],[0,0,0]]},"
    "{\"input\":[[0,0,1],[0,1,0],[0,0,0]]}]}";
static const char RIGHT[] = "def a(I):\n    O = replace(I, ONE, TWO)\n    return O\n";
static const char WRONG[] =
    "def a(I):\n    x1 = replace(I, ONE, TWO)\n    O = fill(x1, TWO, ((ONE, ONE),))\n    return O\n";

/* right on the training pairs, where this cell is empty; in the first test it leaves a 1 */
static const char OTHERWISE[] =
    "def a(I):\n    x1 = replace(I, ONE, TWO)\n    x2 = crop(I, (ONE, TWO), (ONE, ONE))\n    x3 = "
    "mostcolor(x2)\n    O = fill(x1, x3, ((ONE, TWO),))\n    return O\n";

static const int8_t painted[2][9] = {{2, 0, 2, 0, 2, 2, 0, 0, 0}, {0, 0, 2, 0, 2, 0, 0, 0, 0}};
static const int8_t others[2][9] = {{2, 0, 2, 0, 2, 2, 0, 0, 2}, {0, 0, 2, 0, 2, 0, 0, 0, 0}};

static void images(const int8_t (*cells)[9], Image *to) {
    for (int k = 0; k < 2; k++) {
        to[k] = (Image){3, 3, cells[k]};
    }
}

static void offer_by_net(Search *search, const Image *answers, double cost) {
    search->state->strategy = STRATEGY_NET;
    search_offer_answers(search, answers, cost);
}

/* Answers alone cost what is said; those that a fitting program has speak for it; those that a program has
 * which does not fit are trusted as the net's; a program that comes later replaces nothing but the lack of
 * one. */
static void one_rank(void **state) {
    Bench *bench = *state;
    Lang *lang = lang_open();
    TaskSet *set = load(PAINT);
    SearchTask about;
    SearchLimits limits = limits_of(bench, 1000000, -1);
    Image right[2], other[2];
    images(painted, right);
    images(others, other);
    search_task_fill(&about, &set->tasks[0]);
    for (int later = 0; later < 2; later++) {
        Search search;
        assert_true(search_open(&search, &about, &bench->ctx, &bench->check, &limits));
        search.state->slice_end = HUGE_VAL;
        offer_by_net(&search, other, 20);
        for (int k = 0; k < 2; k++) {
            if (k == later) {
                search.state->strategy = STRATEGY_CELLS;
                assert_true(search_offer(&search, parse(lang, RIGHT), 25));
            } else {
                offer_by_net(&search, right, 30);
            }
        }
        search_order_candidates(&search);
        assert_int_equal(search.state->count, 2);
        assert_int_equal(search.state->fitting, 1);
        /* 25 less what two strategies that agree are worth */
        const Candidate *first = &search.state->candidates[0], *second = &search.state->candidates[1];
        assert_non_null(first->program);
        assert_int_equal(first->strategy, STRATEGY_CELLS);
        assert_true(first->by_net == 30);
        assert_true(first->score < 19);
        assert_null(second->program);
        double penalty = 0; /* it paints what is never painted */
        for (unsigned k = 0; k < PENALTY_COUNT; k++) {
            penalty += second->penalties >> k & 1 ? penalty_table[k].cost : 0;
        }
        assert_true(second->score == 20 + penalty);
        assert_int_equal(second->strategy, STRATEGY_NET);
        assert_true(strategy_net_is_needed(&search) == false);
        search_close(&search);
    }
    /* not fitting, and with the net's answers */
    Search search;
    assert_true(search_open(&search, &about, &bench->ctx, &bench->check, &limits));
    search.state->slice_end = HUGE_VAL;
    search.state->strategy = STRATEGY_CELLS;
    assert_false(search_offer(&search, parse(lang, WRONG), 5));
    assert_true(strategy_net_is_needed(&search));
    search_order_candidates(&search);
    double before = search.state->candidates[0].score;
    offer_by_net(&search, search.state->candidates[0].answers, 30);
    search_order_candidates(&search);
    assert_int_equal(search.state->count, 1);
    assert_true(before > 36);
    assert_true(search.state->candidates[0].score == 30);
    assert_non_null(search.state->candidates[0].program);
    search_close(&search);
    lang_close(lang);
    task_set_free(set);
}

static void same_answers(const SolveTask *a, const SolveTask *b) {
    assert_int_equal(a->n_programs, b->n_programs);
    for (int32_t t = 0; t < a->task->n_test; t++) {
        for (unsigned k = 0; k < SOLVE_ATTEMPTS; k++) {
            assert_true(task_image_equal(a->answers[t][k].image, b->answers[t][k].image));
            assert_int_equal(a->answers[t][k].candidate, b->answers[t][k].candidate);
        }
    }
}

static SolveTask solve(Bench *bench, const Task *task, const SearchLimits *limits) {
    SolveTask result;
    assert_true(solve_task(&result, task, &bench->ctx, &bench->check, limits));
    return result;
}

/* In short searches `auto` is as good as off. */
static void costs_nothing(void **state) {
    Bench *bench = *state;
    TaskSet *set = load(PAINT);
    SearchLimits limits = limits_of(bench, 400000, -1);
    SolveTask off = solve(bench, &set->tasks[0], &limits);
    limits.net.use = NET_USE_AUTO;
    SolveTask on = solve(bench, &set->tasks[0], &limits);
    same_answers(&off, &on);
    assert_int_equal(solve_steps(&off), solve_steps(&on));
    assert_int_equal(COUNTED(&on.work.statistics, NETS), 0);
    solve_task_free(&on);
    limits.steps = 0;
    limits.time_ns = 50000000;
    on = solve(bench, &set->tasks[0], &limits);
    assert_int_equal(COUNTED(&on.work.statistics, NETS), 0);
    solve_task_free(&on);
    solve_task_free(&off);
    task_set_free(set);
}

/* `only` by steps: always the same, whatever the test outputs are and with any number of threads; no
 * programs, and a second search has the answers of the first; so have other ranks. */
static void only_nets(void **state) {
    Bench *bench = *state;
    char other[sizeof PAINT];
    memcpy(other, PAINT, sizeof PAINT);
    memcpy(strstr(other, "[[2,0,2],[0,2,2],[0,0,0]]"), "[[5,5,5],[5,5,5],[5,5,5]]", 25);
    TaskSet *set = load(PAINT), *changed = load(other);
    SearchLimits limits = limits_of(bench, 400000, -1);
    limits.net.use = NET_USE_ONLY;
    SolveTask a = solve(bench, &set->tasks[0], &limits);
    limits.net.threads = 2;
    SolveTask b = solve(bench, &changed->tasks[0], &limits);
    assert_true(COUNTED(&a.work.statistics, NET_STEPS) > 2);
    assert_int_equal(COUNTED(&a.work.statistics, NET_STEPS), COUNTED(&b.work.statistics, NET_STEPS));
    assert_true(a.n_programs > 0);
    same_answers(&a, &b);
    for (uint32_t k = 0; k < a.n_programs; k++) {
        assert_null(a.programs[k].program);
        assert_non_null(a.programs[k].answers);
        assert_int_equal(a.programs[k].strategy, STRATEGY_NET);
    }
    solve_task_free(&b);
    /* a second round in which no net has time */
    SearchLimits again = limits_of(bench, 100, -1);
    again.without = 1u << STRATEGY_NET;
    again.net.use = NET_USE_ONLY;
    assert_true(solve_again(&b, &a, &bench->ctx, &bench->check, &again));
    same_answers(&a, &b);
    solve_task_free(&b);
    /* over the wire */
    Lang *lang = lang_open();
    Out out;
    out_init(&out);
    solve_pack(&out, &a);
    Wire wire = wire_of(out.data, out.len);
    assert_true(solve_unpack(&b, &set->tasks[0], lang, &wire));
    same_answers(&a, &b);
    for (uint32_t k = 0; k < a.n_programs; k++) {
        assert_true(a.programs[k].by_net == b.programs[k].by_net);
        for (int t = 0; t < 2; t++) {
            assert_true(task_image_equal(a.programs[k].answers[t], b.programs[k].answers[t]));
        }
    }
    solve_task_free(&b);
    for (size_t n = 0; n < out.len; n += 7) { /* cut anywhere it is refused, and nothing is lost */
        wire = wire_of(out.data, n);
        assert_false(solve_unpack(&b, &set->tasks[0], lang, &wire));
    }
    out_free(&out);
    lang_close(lang);
    solve_task_free(&a);
    task_set_free(set);
    task_set_free(changed);
}

/* Beside programs: where they find nothing, a net has its turns; by steps, too, and always the same. */
static void where_nothing_fits(void **state) {
    Bench *bench = *state;
    TaskSet *set =
        load("{\"train\":[{\"input\":[[1,0]],\"output\":[[0,3]]},{\"input\":[[1,0]],\"output\":[[4,4]]}],"
             "\"test\":[{\"input\":[[0,1]]}]}");
    Tunables tune = tunables_default;
    tune.arm_net_ms = 1;
    tune.net_steps_min = 1;
    SearchLimits limits = limits_of(bench, 0, -1);
    limits.time_ns = 500000000;
    limits.net.use = NET_USE_AUTO;
    limits.tunables = &tune;
    SolveTask r = solve(bench, &set->tasks[0], &limits);
    assert_int_equal(COUNTED(&r.work.statistics, NETS), 1);
    assert_true(COUNTED(&r.work.statistics, NET_STEPS) > 0);
    assert_int_equal(r.fitting, 0);
    solve_task_free(&r);
    limits.time_ns = 0;
    limits.steps = 500000;
    r = solve(bench, &set->tasks[0], &limits);
    limits.net.threads = 2;
    SolveTask again = solve(bench, &set->tasks[0], &limits);
    assert_true(COUNTED(&r.work.statistics, NET_STEPS) > 0);
    assert_true(r.work.strategies[STRATEGY_CELLS].steps > 0);
    assert_true(r.work.strategies[STRATEGY_ENUMERATE].steps > 0);
    assert_int_equal(COUNTED(&r.work.statistics, NET_STEPS), COUNTED(&again.work.statistics, NET_STEPS));
    same_answers(&r, &again);
    solve_task_free(&again);
    solve_task_free(&r);
    /* too little memory is said */
    limits.quota = 1 << 20;
    r = solve(bench, &set->tasks[0], &limits);
    assert_int_equal(COUNTED(&r.work.statistics, NETS), 0);
    assert_int_equal(COUNTED(&r.work.statistics, NETS_REFUSED), 1);
    solve_task_free(&r);
    task_set_free(set);
}

static void train(void *user, Net *net, const char *task, uint64_t seed) {
    (void)user, (void)task, (void)seed;
    for (int k = 0; k < 150; k++) {
        assert_true(net_step(net));
    }
}

/* A net that has learnt the task takes the wrong answers of a program that fits for unlikely, and so the
 * right ones come first though their program costs more. */
static void programs_are_weighed(void **state) {
    if (getenv("BATT_TEST_QUICK") != NULL) {
        skip();
    }
    Bench *bench = *state;
    Lang *lang = lang_open();
    TaskSet *set = load(PAINT);
    SearchTask about;
    SearchLimits limits = limits_of(bench, 0, -1);
    NetHooks trains = {.resume = train};
    limits.net.use = NET_USE_AUTO;
    search_task_fill(&about, &set->tasks[0]);
    for (int trained = 0; trained < 2; trained++) {
        Search search;
        limits.net.hooks = trained ? &trains : NULL;
        assert_true(search_open(&search, &about, &bench->ctx, &bench->check, &limits));
        search.state->slice_end = HUGE_VAL;
        search.state->strategy = STRATEGY_CELLS;
        assert_true(search_offer(&search, parse(lang, OTHERWISE), 19.5));
        assert_true(search_offer(&search, parse(lang, RIGHT), 28));
        search.state->strategy = STRATEGY_NET;
        void *net = strategy_net_open(&search);
        assert_non_null(net);
        if (trained) {
            strategy_net_weigh(&search, net);
        }
        search_order_candidates(&search);
        Image right[2];
        images(painted, right);
        assert_int_equal(search.state->count, 2);
        assert_true(task_image_equal(search.state->candidates[0].answers[0], right[0]) == (trained != 0));
        assert_true(search.state->candidates[0].under_net == 0);
        strategy_net_close(&search, net);
        search_close(&search);
    }
    lang_close(lang);
    task_set_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank),
        cmocka_unit_test(costs_nothing),
        cmocka_unit_test(only_nets),
        cmocka_unit_test(where_nothing_fits),
        cmocka_unit_test(programs_are_weighed),
    };
    return cmocka_run_group_tests_name("search_net", tests, open_bench, close_bench);
}
