/* A net as a whole: what it refuses, that a step allocates nothing, that it survives overflow, and that
 * it resumes where it stopped. */
#include "engine/eval/pool.h"
#include "net_fixture.h"
#include "search/net/net.h"

static bool quick(void) {
    return getenv("BATT_TEST_QUICK") != NULL;
}

static void open_net(Net *net, TaskSet *set, uint64_t seed, unsigned threads) {
    const char *why = "";
    assert_non_null(set);
    assert_true(net_open(net, &set->tasks[0], &(NetOptions){.seed = seed, .threads = threads}, &why));
}

/* The same after n steps in one go, with any number of threads, and after a break. */
static void resumes(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("free");
    size_t steps = quick() ? 4 : 12, n, m;
    Net net, other;
    open_net(&net, set, 3, 1);
    for (size_t k = 0; k < steps; k++) {
        assert_true(net_step(&net));
    }
    char *whole = saved(&net, &n);
    open_net(&other, set, 99, 2);
    net_begin(&other, 3);
    for (size_t k = 0; k < steps / 2; k++) {
        assert_true(net_step(&other));
    }
    char *half = saved(&other, &m);
    net_close(&other);
    open_net(&other, set, 5, 3);
    assert_true(net_step(&other));
    assert_true(net_load(&other, half, m));
    assert_int_equal(other.step, steps / 2);
    assert_int_equal(other.seed, 3);
    while (other.step < steps) {
        assert_true(net_step(&other));
    }
    free(half);
    half = saved(&other, &m);
    assert_int_equal(n, m);
    assert_memory_equal(whole, half, n);
    /* another seed is another run */
    net_begin(&other, 4);
    while (other.step < steps) {
        assert_true(net_step(&other));
    }
    assert_true(other.loss.kl != net.loss.kl);
    free(half);
    free(whole);
    net_close(&net);
    net_close(&other);
    task_set_free(set);
}

/* Bytes from elsewhere are refused, or are a net of this task. */
static void wrong_bytes(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("free"), *same = synthetic_task("same");
    Net net, other;
    size_t n;
    open_net(&net, set, 3, 1);
    assert_true(net_step(&net));
    char *bytes = saved(&net, &n);
    open_net(&other, same, 3, 1);
    assert_false(net_load(&other, bytes, n));
    assert_false(net_load(&net, bytes, n - 1));
    assert_false(net_load(&net, bytes, 10));
    for (size_t k = 0; k < 8; k++) { /* the magic word */
        bytes[k] ^= 1;
        assert_false(net_load(&net, bytes, n));
        bytes[k] ^= 1;
    }
    for (size_t k = 0; k < 2000; k++) { /* the checksum sees a bit that changed anywhere */
        size_t at = (size_t)(test_unit(2, k) * 1e6 + 1e7) % n;
        bytes[at] ^= (char)(1 << k % 8);
        assert_false(net_load(&net, bytes, n));
        bytes[at] ^= (char)(1 << k % 8);
    }
    assert_true(net_load(&net, bytes, n));
    /* without a checksum, as older versions saved it */
    uint64_t length = n -= 8;
    bytes[7] = '1';
    memcpy(bytes + 56, &length, sizeof length);
    bytes[n - 1] = 11; /* a cell of the last answer */
    assert_false(net_load(&net, bytes, n));
    bytes[n - 1] = 0;
    assert_true(net_load(&net, bytes, n));
    for (size_t k = 0; k < 2000; k++) { /* whatever is taken, the answers can be shown */
        size_t at = (size_t)(test_unit(1, k) * 1e6 + 1e7) % 400;
        at = k % 2 == 0 ? at : n - 1 - at;
        char was = bytes[at];
        bytes[at] = (char)(was + (char)(k % 255) + 1);
        if (net_load(&net, bytes, n)) {
            for (uint32_t a = 0; a < net.answers.count; a++) {
                Image grid = net_answer_grid(&net.answers, a, 0);
                assert_true(task_image_valid(grid, TASK_MAX_SIDE));
            }
        }
        bytes[at] = was;
    }
    free(bytes);
    net_close(&net);
    net_close(&other);
    task_set_free(set);
    task_set_free(same);
}

static void overflow_is_survived(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("same");
    Net net;
    open_net(&net, set, 1, 1);
    net.poison = 2;
    for (size_t k = 0; k < 4; k++) {
        assert_true(net_step(&net));
        assert_true(isfinite(net.loss.kl) && isfinite(net.loss.rec));
    }
    assert_int_equal(net.restarts, 1);
    assert_int_equal(net.step, 2); /* two steps, then again from the start */
    /* parameters that are no numbers: every new start is checked, and then it gives up */
    NetParameter what;
    net_parameter(&net.mem, NET_PARAMETERS - 4, &what);
    double *nothing = calloc(what.rows * what.columns, sizeof *nothing);
    assert_non_null(nothing);
    for (size_t k = 0; k < what.rows * what.columns; k++) {
        nothing[k] = NAN;
    }
    for (uint32_t k = net.restarts; k < NET_RESTARTS; k++) {
        net.engine->write(net.run, &what, nothing);
        assert_true(net_step(&net));
        assert_int_equal(net.restarts, k + 1);
    }
    net.engine->write(net.run, &what, nothing);
    assert_false(net_step(&net));
    assert_string_equal(net.failed, "its numbers overflow");
    assert_false(net_step(&net));
    net_begin(&net, 2);
    assert_true(net_step(&net));
    free(nothing);
    net_close(&net);
    task_set_free(set);
}

/* Far away from where training goes, numbers stay numbers or it is noticed. */
static void wild_numbers(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("same");
    Net net;
    open_net(&net, set, 1, 1);
    static const double sizes[] = {1e3, 1e6, 1e15, 1e30};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t which = 0; which < NET_PARAMETERS; which += 37) {
            NetParameter what;
            net_parameter(&net.mem, which, &what);
            double *values = calloc(what.rows * what.columns, sizeof *values);
            assert_non_null(values);
            for (size_t i = 0; i < what.rows * what.columns; i++) {
                values[i] = sizes[k] * test_unit(which + 1, i);
            }
            net_begin(&net, k + 1);
            net.engine->write(net.run, &what, values);
            for (int step = 0; step < 2; step++) {
                assert_true(net_step(&net));
                assert_true(isfinite(net.loss.kl) && isfinite(net.loss.rec));
            }
            free(values);
        }
        if (quick()) {
            break;
        }
    }
    net_close(&net);
    task_set_free(set);
}

/* A parameter's numbers, or those of its gradient. The caller frees them. */
static double *numbers_of(Net *net, size_t which, bool gradient, NetParameter *what) {
    net_parameter(&net->mem, which, what);
    double *values = calloc(what->rows * what->columns, sizeof *values);
    assert_non_null(values);
    net->engine->read(net->run, what, gradient, values);
    return values;
}

/* The sharper softmax is, the smaller its smallest exponential: gradients stay numbers on the way to the slow
 * path, and on it. */
static void sharp_softmax(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("same");
    Net net;
    NetParameter what;
    open_net(&net, set, 1, 1);
    for (double sharper = 1; sharper < (quick() ? 3 : 200); sharper *= 1.5) {
        net_begin(&net, 1);
        for (size_t which = 0; which < NET_PARAMETERS; which++) {
            double *values = numbers_of(&net, which, false, &what);
            for (size_t i = 0; i < what.rows * what.columns; i++) {
                values[i] *= strstr(what.name, ".sm.in") != NULL ? sharper : 1;
            }
            net.engine->write(net.run, &what, values);
            free(values);
        }
        assert_true(net_step(&net));
        assert_int_equal(net.restarts, 0);
        for (size_t which = 0; which < NET_PARAMETERS; which++) {
            double *values = numbers_of(&net, which, true, &what);
            for (size_t i = 0; i < what.rows * what.columns; i++) {
                assert_true(isfinite(values[i]));
            }
            free(values);
        }
    }
    net_close(&net);
    task_set_free(set);
}

static void a_step_takes_no_memory(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("free");
    Net net;
    open_net(&net, set, 1, 2);
    uint64_t calls = mem_calls();
    for (int k = 0; k < 3; k++) {
        assert_true(net_step(&net));
    }
    assert_int_equal(mem_calls(), calls);
    net_close(&net);
    task_set_free(set);
}

static TaskSet *grids_of(int side, int color) {
    size_t room = (size_t)side * (size_t)side * 2 * 4 + 1000;
    char *text = malloc(room), *to = text;
    assert_non_null(text);
    to += sprintf(to, "{\"train\":[");
    for (int k = 0; k < 4; k++) {
        to += sprintf(to, "%s",
                      k == 0   ? "{\"input\":["
                      : k == 1 ? "],\"output\":["
                      : k == 2 ? "]}],\"test\":[{\"input\":["
                               : "]}]}");
        for (int i = 0; k < 3 && i < side * side; i++) {
            to += sprintf(to, "%s%d%s", i % side == 0 ? (i > 0 ? ",[" : "[") : ",", color,
                          i % side == side - 1 ? "]" : "");
        }
    }
    TaskSet *set = task_load_bytes("made.json", text, strlen(text), NULL);
    free(text);
    return set;
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        int side, color;
        const char *why;
    } rows[] = {{3, 0, "all its grids are black"},
                {255, 1, "it is too large for the memory that a net may use"},
                {60, 1, "it is too large for the memory that a net may use"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        TaskSet *set = grids_of(rows[k].side, rows[k].color);
        assert_int_equal(set->n_tasks, 1);
        Net net;
        const char *why = "";
        uint64_t memory = k == 2 ? (uint64_t)1 << 25 : 0;
        assert_false(net_open(&net, &set->tasks[0], &(NetOptions){.seed = 1, .memory = memory}, &why));
        assert_string_equal(why, rows[k].why);
        net_close(&net);
        task_set_free(set);
    }
    /* the smallest task there is, and one of lines */
    TaskSet *set = grids_of(1, 1);
    Net net;
    open_net(&net, set, 1, 4);
    assert_true(net_step(&net));
    assert_true(net_step(&net));
    net_close(&net);
    task_set_free(set);
    static const char line[] =
        "{\"train\":[{\"input\":[[1,2,3,4,5,6,7,8,9,0,1,2]],\"output\":[[1],[2],[3]]}],"
        "\"test\":[{\"input\":[[3]]},{\"input\":[[4]]},{\"input\":[[5]]}]}";
    set = task_load_bytes("line.json", line, sizeof line - 1, NULL);
    open_net(&net, set, 1, 1);
    assert_true(net_step(&net));
    net_close(&net);
    task_set_free(set);
}

static void no_memory(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("same");
    uint64_t before = mem_bytes();
    for (uint64_t nth = 1;; nth++) {
        Net net;
        const char *why = "";
        mem_fail_at(nth);
        bool good =
            net_open(&net, &set->tasks[0], &(NetOptions){.seed = 1, .threads = 2, .measured = true}, &why);
        mem_fail_at(0);
        if (!good) {
            assert_string_equal(why, MEM_NONE);
        }
        net_close(&net);
        assert_int_equal(mem_bytes(), before);
        if (good) {
            assert_true(nth > 8);
            break;
        }
    }
    task_set_free(set);
}

/* Totals of several seeds add up, whoever came first. */
static void seeds_pool(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("free");
    Net a, b;
    open_net(&a, set, 1, 1);
    open_net(&b, set, 2, 1);
    for (int k = 0; k < 5; k++) {
        assert_true(net_step(&a));
        assert_true(net_step(&b));
    }
    NetAnswers pool;
    assert_true(net_answers_open(&pool, &a.mem.shape));
    net_answers_pool(&pool, &a.answers);
    net_answers_pool(&pool, &b.answers);
    uint32_t times = 0;
    for (uint32_t k = 0; k < pool.count; k++) {
        times += pool.answers[k].count;
    }
    assert_int_equal(times, 20);
    uint32_t best[3];
    uint32_t n = net_answers_best(&pool, best, 3);
    for (uint32_t k = 1; k < n; k++) {
        assert_true(pool.answers[best[k - 1]].total >= pool.answers[best[k]].total);
    }
    net_answers_close(&pool);
    /* adding answers beyond what is kept drops the least trusted */
    assert_true(net_answers_open(&pool, &a.mem.shape));
    NetOutput out = *a.engine->output(a.run);
    NetMeans means;
    assert_true(net_means_open(&means, &a.mem.shape));
    for (size_t k = 0; k < (quick() ? 900u : 1500u); k++) {
        for (size_t i = 0; i < a.mem.shape.n * a.mem.outputs; i++) {
            out.logits[i] = test_unit(k + 1, i);
        }
        for (size_t i = 0; i < (size_t)2 * a.mem.shape.n * a.mem.shape.rows; i++) {
            out.rows[i] = test_unit(k + 1, i);
        }
        for (size_t i = 0; i < (size_t)2 * a.mem.shape.n * a.mem.shape.columns; i++) {
            out.columns[i] = test_unit(k + 1, i);
        }
        net_answers_add(&pool, &means, &a.mem, &out, k);
    }
    assert_true(pool.count <= NET_ANSWERS_MAX);
    assert_true(pool.distinct > pool.count || quick());
    n = net_answers_best(&pool, best, 3);
    assert_int_equal(n, 3);
    net_means_close(&means);
    net_answers_close(&pool);
    net_close(&a);
    net_close(&b);
    task_set_free(set);
}

/* A task that is learnt within some steps: every cell is as in the input. The right answer comes to be
 * trusted. */
static void learns(void **state) {
    (void)state;
    if (quick()) {
        skip();
    }
    static const char text[] =
        "{\"train\":[{\"input\":[[1,0,0],[0,1,0],[0,0,0]],\"output\":[[2,0,0],[0,2,0],[0,0,0]]},"
        "{\"input\":[[0,0,1],[0,0,0],[1,0,1]],\"output\":[[0,0,2],[0,0,0],[2,0,2]]},"
        "{\"input\":[[0,1,0],[1,1,0],[0,0,0]],\"output\":[[0,2,0],[2,2,0],[0,0,0]]}],"
        "\"test\":[{\"input\":[[1,0,1],[0,1,1],[0,0,0]]}]}";
    static const int8_t right[] = {2, 0, 2, 0, 2, 2, 0, 0, 0}, wrong[] = {2, 0, 2, 0, 2, 2, 0, 0, 1};
    TaskSet *set = task_load_bytes("learn.json", text, sizeof text - 1, NULL);
    Net net;
    open_net(&net, set, 1, 1);
    while (net.step < 250) {
        assert_true(net_step(&net));
    }
    Image grid = net_answer_grid(&net.answers, net.answers.slots[0], 0);
    assert_int_equal(grid.h, 3);
    assert_int_equal(grid.w, 3);
    assert_memory_equal(grid.cells, right, sizeof right);
    Image is = {3, 3, right}, off = {3, 3, wrong}, small = {1, 1, right};
    static const int8_t other[9] = {7};
    Image color = {3, 3, other};
    assert_true(net_log_probability(&net, &is) > net_log_probability(&net, &off) + 1);
    assert_true(net_log_probability(&net, &is) < 0);
    assert_true(net_log_probability(&net, &small) == -HUGE_VAL);
    assert_true(net_log_probability(&net, &color) == -HUGE_VAL);
    net_close(&net);
    task_set_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumes),
        cmocka_unit_test(wrong_bytes),
        cmocka_unit_test(overflow_is_survived),
        cmocka_unit_test(wild_numbers),
        cmocka_unit_test(sharp_softmax),
        cmocka_unit_test(a_step_takes_no_memory),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(seeds_pool),
        cmocka_unit_test(learns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
