/* The net without vectors: the same bits as the library's engine. And in float, against the vectors of our
 * own. */
#define NET_PLAIN
#define NET_SMALL
#define NET_ENGINE engine_plain
#include "net_fixture.h"
#include "search/net/engine.h"

/* Parameters and moments after a few steps from a seed. */
static void *state_after(const char *task, const NetEngine *engine, unsigned threads, size_t steps,
                         size_t *bytes) {
    TestNet net;
    test_net_open(&net, synthetic_task(task), engine, threads);
    engine->begin(net.run, 7);
    for (size_t t = 0; t < steps; t++) {
        engine->forward(net.run, &net.team, t, 7, NET_NOISE_NORMAL);
        engine->backward(net.run, &net.team);
        engine->improve(net.run, &net.team);
    }
    *bytes = engine->state_bytes(&net.mem);
    void *state = calloc(1, *bytes);
    assert_non_null(state);
    engine->save(net.run, state);
    test_net_close(&net);
    return state;
}

static void plain_is_equal(void **state) {
    (void)state;
    static const char *const names[] = {"same", "free"};
    for (size_t k = 0; k < 2; k++) {
        size_t bytes;
        size_t steps = getenv("BATT_TEST_QUICK") != NULL ? 2 : 8;
        void *fast = state_after(names[k], &net_engine_float, 1, steps, &bytes);
        void *plain = state_after(names[k], &engine_plain, 1, steps, &bytes);
        assert_memory_equal(fast, plain, bytes);
        free(plain);
        for (unsigned threads = 2; threads <= 4; threads++) { /* and the number of threads changes nothing */
            void *many = state_after(names[k], &net_engine_float, threads, steps, &bytes);
            assert_memory_equal(fast, many, bytes);
            free(many);
        }
        free(fast);
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* In float: losses to six digits; half of the gradients to four of their mean size, the worst to one. */
static void float_is_near(void **state) {
    (void)state;
    static const char *const names[] = {"same", "free"};
    for (size_t k = 0; k < 2; k++) {
        char path[100];
        snprintf(path, sizeof path, "tests/vectors/net/%s.json", names[k]);
        json_t *gold = read_json(path);
        assert_non_null(gold);
        TestNet net;
        test_net_open(&net, synthetic_task(names[k]), &net_engine_float, 1);
        test_net_begin(&net, true);
        NetLoss loss = net.engine->forward(net.run, &net.team, 0, 0, NET_NOISE_RECORDED);
        const json_t *of = json_array_get(json_object_get(gold, "losses"), 0);
        double off_kl = relative_error(loss.kl, json_number_value(json_array_get(of, 2)));
        double off_rec = relative_error(loss.rec, json_number_value(json_array_get(of, 3)));
        net.engine->backward(net.run, &net.team);
        double errors[NET_PARAMETERS];
        size_t count = 0;
        const char *name;
        json_t *statistic;
        json_object_foreach(json_object_get(gold, "gradients"), name, statistic) {
            for (size_t which = 0; which < NET_PARAMETERS; which++) {
                NetParameter what;
                net_parameter(&net.mem, which, &what);
                /* of two cells a norm makes 1 and -1, whatever they are: what is left is rounding */
                if (strcmp(what.name, name) != 0 || strcmp(name, "mask.b") == 0 ||
                    (what.tensor == NET_C && net.mem.shape.colors == 2)) {
                    continue;
                }
                double *values = calloc(what.rows * what.columns, sizeof *values);
                assert_non_null(values);
                net.engine->read(net.run, &what, true, values);
                errors[count++] = statistic_error(statistic, values, what.rows * what.columns, 1, 1e-3);
                free(values);
            }
        }
        qsort(errors, count, sizeof *errors, by_size);
        print_message("%s in float: KL off by %.1g, grids by %.1g, gradients by %.1g and at most %.1g\n",
                      names[k], off_kl, off_rec, errors[count / 2], errors[count - 1]);
        assert_true(off_kl < 1e-6);
        assert_true(off_rec < 3e-6);
        assert_true(errors[count / 2] < 1e-4);
        assert_true(errors[count - 1] < 0.1);
        test_net_close(&net);
        json_decref(gold);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_is_equal),
        cmocka_unit_test(float_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
