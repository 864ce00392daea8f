/* Nets on a device against the same nets on the processor: losses, answers' numbers and gradients within the
 * rounding of float; batches, saved states, numbers that overflow, and what does not fit. Without OpenCL all
 * of it is skipped.
 *
 * BATT_DEVICE=N        which device
 * BATT_DEVICE_SMALL=N  one small step only, for simulators */
#define NET_DOUBLE
#define NET_SMALL
#define NET_ENGINE engine_double
#include "net_fixture.h"
#include "search/net/device_cost.h"
#include "search/net/engine.h"
#include "search/net/net_device.h"

static bool quick(void) {
    return getenv("BATT_TEST_QUICK") != NULL;
}

typedef struct TestDevice {
    Devices *devices;
    Device *device;
    NetDevice *on;
} TestDevice;

static TestDevice test_device;

/* PoCL compiles for the processor that it finds, which valgrind may not know. */
static int open_device(void **state) {
    (void)state;
    DeviceError why = {0};
    const char *which = getenv("BATT_DEVICE");
    if (getenv("BATT_TEST_VALGRIND") != NULL) {
        print_message("skipped: not under valgrind\n");
        return 0;
    }
    test_device.devices = devices_open(&why);
    if (test_device.devices != NULL) {
        test_device.device =
            device_open(test_device.devices, which != NULL ? (unsigned)atoi(which) : 0, &why);
    }
    if (test_device.device == NULL) {
        print_message("skipped: %s\n", why.text);
        return 0;
    }
    test_device.on = net_device_open(test_device.device, &why);
    if (test_device.on == NULL) {
        print_message("%s\n", why.text);
    }
    return test_device.on != NULL ? 0 : -1;
}

static int close_device(void **state) {
    (void)state;
    net_device_close(test_device.on);
    device_close(test_device.device);
    devices_close(test_device.devices);
    return 0;
}

static NetBatch *open_batch(uint64_t memory) {
    if (test_device.on == NULL) {
        skip();
    }
    NetBatch *batch = net_batch_open(test_device.on, memory);
    assert_non_null(batch);
    return batch;
}

static void add_net(NetBatch *batch, Net *net, const TaskSet *set, uint64_t seed) {
    const char *why = "";
    if (!net_batch_add(batch, net, &set->tasks[0], seed, &why)) {
        fail_msg("%s", why);
    }
}

static void step(NetBatch *batch) {
    DeviceError why;
    if (!net_batch_step(batch, &why)) {
        fail_msg("%s", why.text);
    }
}

/* A state as bytes of the engine. */
static float *fetched(NetBatch *batch, const Net *net) {
    DeviceError why;
    float *state = malloc(net->engine->state_bytes(&net->mem));
    assert_non_null(state);
    assert_true(net_batch_fetch(batch, &why));
    net->engine->save(net->run, state);
    return state;
}

/* ---- step by step against the processor ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct Errors {
    double median, worst;
    char where[24];
} Errors;

/* How far gradients are off from those in double: for each parameter relative to its size, both as
 * roots of mean squares. Gradients of a device are loaded as if they were parameters. */
static Errors gradient_errors(const TestNet *exact, const TestNet *of, bool loaded) {
    double errors[NET_PARAMETERS];
    size_t count = 0;
    Errors all = {0};
    for (size_t k = 0; k < NET_PARAMETERS; k++) {
        NetParameter what;
        net_parameter(&of->mem, k, &what);
        size_t n = what.rows * what.columns;
        double *a = calloc(n, sizeof *a), *b = calloc(n, sizeof *b), size = 0, off = 0;
        assert_true(a != NULL && b != NULL);
        exact->engine->read(exact->run, &what, true, a);
        of->engine->read(of->run, &what, !loaded, b);
        for (size_t i = 0; i < n; i++) {
            size += a[i] * a[i] / (double)n;
            off += (a[i] - b[i]) * (a[i] - b[i]) / (double)n;
        }
        /* of two cells a norm makes 1 and -1, whatever they are: what is left is rounding */
        if (size > 0 && (what.tensor != NET_C || of->mem.shape.colors != 2)) {
            double error = sqrt(off) / (sqrt(size) + 1e-3);
            if (!(error <= all.worst)) {
                all.worst = error;
                snprintf(all.where, sizeof all.where, "%s", what.name);
            }
            errors[count++] = error;
        } else {
            assert_true(size > 0 || off == 0); /* without effect */
        }
        free(a);
        free(b);
    }
    qsort(errors, count, sizeof *errors, by_size);
    all.median = errors[count / 2];
    return all;
}

static void copy_parameters(const TestNet *from, const TestNet *to) {
    for (size_t k = 0; k < NET_PARAMETERS; k++) {
        NetParameter what;
        net_parameter(&from->mem, k, &what);
        double *values = calloc(what.rows * what.columns, sizeof *values);
        assert_non_null(values);
        from->engine->read(from->run, &what, false, values);
        to->engine->write(to->run, &what, values);
        free(values);
    }
}

static double worst_of(const double *a, const double *b, size_t n) {
    double worst = 0;
    for (size_t k = 0; k < n; k++) {
        double off = fabs(a[k] - b[k]);
        worst = off <= worst ? worst : off;
    }
    return worst;
}

/* Logits and scores of the tests. */
static double output_error(const NetMemory *mem, const NetOutput *a, const NetOutput *b) {
    const NetShape *shape = &mem->shape;
    size_t grid = mem->outputs / 2, rows = shape->rows, columns = shape->columns;
    double worst = 0;
    for (size_t e = shape->n_train; e < shape->n; e++) {
        size_t at = e * mem->outputs + grid, row = (2 * e + 1) * rows, column = (2 * e + 1) * columns;
        worst = fmax(worst, worst_of(a->logits + at, b->logits + at, grid));
        worst = fmax(worst, worst_of(a->rows + row, b->rows + row, rows));
        worst = fmax(worst, worst_of(a->columns + column, b->columns + column, columns));
    }
    return worst;
}

/* The device and the processor's float engine from the same parameters, drawn widely so that noise, code and
 * capacity all count; each against the engine in double. Cummax divides by small differences, so that what
 * is before it has few digits in float, and the processor adds up in double: losses to five digits and more;
 * half of the gradients to 0.5 %, the worst to 10 %, and neither worse than twenty times the processor's. */
static void compare_steps(const char *task, size_t at) {
    TaskSet *set = synthetic_task(task);
    NetBatch *batch = open_batch(0);
    TestNet cpu, exact, gradients;
    Net net;
    DeviceError why;
    test_net_open(&cpu, synthetic_task(task), &net_engine_float, 1);
    test_net_open(&gradients, synthetic_task(task), &net_engine_float, 1);
    test_net_open(&exact, synthetic_task(task), &engine_double, 1);
    test_net_begin(&cpu, true);
    add_net(batch, &net, set, 7);
    float *state = calloc(1, net_engine_float.state_bytes(&cpu.mem));
    assert_non_null(state);
    for (size_t t = at; t < at + 2; t++) {
        copy_parameters(&cpu, &exact);
        net_engine_float.save(cpu.run, state);
        net.engine->load(net.run, state);
        net.step = t;
        step(batch);
        NetLoss loss = engine_double.forward(exact.run, &exact.team, t, 7, NET_NOISE_NORMAL);
        engine_double.backward(exact.run, &exact.team);
        net_engine_float.forward(cpu.run, &cpu.team, t, 7, NET_NOISE_NORMAL);
        net_engine_float.backward(cpu.run, &cpu.team);
        assert_true(net_batch_gradient(batch, &net, state, &why));
        gradients.engine->load(gradients.run, state);
        double off = output_error(&cpu.mem, engine_double.output(exact.run), net.engine->output(net.run));
        double off_kl = relative_error(net.loss.kl, loss.kl),
               off_rec = relative_error(net.loss.rec, loss.rec);
        Errors here = gradient_errors(&exact, &cpu, false), there = gradient_errors(&exact, &gradients, true);
        print_message(
            "%s, step %zu: KL off by %.1g, grids by %.1g, outputs by %.1g, gradients by %.1g and at "
            "most %.1g (%s); the processor's by %.1g and %.1g\n",
            task, t, off_kl, off_rec, off, there.median, there.worst, there.where, here.median, here.worst);
        assert_true(off_kl < 1e-6);
        assert_true(off_rec < 1e-5);
        assert_true(off < 1e-3);
        assert_true(there.median < 0.005 && there.median < 20 * here.median);
        assert_true(there.worst < 0.1 && there.worst < 20 * here.worst);
        net_engine_float.improve(cpu.run, &cpu.team);
    }
    free(state);
    net_close(&net);
    net_batch_close(batch);
    test_net_close(&cpu);
    test_net_close(&exact);
    test_net_close(&gradients);
    task_set_free(set);
}

static void steps_are_equal(void **state) {
    (void)state;
    compare_steps("same", 0);
    compare_steps("free", 0);
    compare_steps("free", 150); /* places and sizes compete in earnest */
}

/* ---- batches ---- */

/* A task with several tests, of another size than the made ones. */
static TaskSet *other_task(void) {
    static const char text[] = "{\"train\":[{\"input\":[[0,1,0,2],[3,0,0,0]],\"output\":[[1,1],[2,3]]},"
                               "{\"input\":[[1,0,0],[0,2,0],[0,0,3]],\"output\":[[1,2],[2,1]]}],"
                               "\"test\":[{\"input\":[[2,0,3,1,0]]},{\"input\":[[0,3],[1,0],[0,0]]}]}";
    return task_load_bytes("other.json", text, sizeof text - 1, NULL);
}

enum { BATCH = 4 };
static TaskSet *batch_task(size_t k) {
    return k == 0   ? synthetic_task("same")
           : k == 1 ? synthetic_task("free")
           : k == 2 ? other_task()
                    : synthetic_task("same");
}

/* Different tasks together. Steps of the optimiser depend on little more than signs, so two ways of
 * rounding diverge soon (as float and double do); the first loss agrees to five digits, and then
 * the code to 1 %, and the grids to a fifth of where they began. */
static void batch_follows_processor(void **state) {
    (void)state;
    NetBatch *batch = open_batch(0);
    TaskSet *sets[BATCH];
    Net nets[BATCH], cpu;
    size_t steps = quick() ? 5 : 20;
    for (size_t k = 0; k < BATCH; k++) {
        sets[k] = batch_task(k);
        add_net(batch, &nets[k], sets[k], 11 + k);
    }
    double worst = 0, worst_kl = 0;
    NetLoss losses[BATCH][20];
    for (size_t k = 0; k < BATCH; k++) {
        assert_true(net_open(&cpu, &sets[k]->tasks[0], &(NetOptions){.seed = 11 + k}, NULL));
        for (size_t t = 0; t < steps; t++) {
            assert_true(net_step(&cpu));
            losses[k][t] = cpu.loss;
        }
        net_close(&cpu);
    }
    for (size_t t = 0; t < steps; t++) {
        step(batch);
        for (size_t k = 0; k < BATCH; k++) {
            assert_int_equal(nets[k].step, t + 1);
            double off_kl = relative_error(nets[k].loss.kl, losses[k][t].kl);
            double off = fabs(nets[k].loss.rec - losses[k][t].rec) / losses[k][0].rec;
            assert_true(t > 0 || (off_kl < 1e-5 && off < 1e-5));
            worst_kl = off_kl <= worst_kl ? worst_kl : off_kl;
            worst = off <= worst ? worst : off;
        }
    }
    print_message("in %zu steps codes were off by at most %.1g, grids by %.1g of the first loss\n", steps,
                  worst_kl, worst);
    assert_true(worst_kl < 0.01);
    assert_true(worst < 0.2);
    for (size_t k = 0; k < BATCH; k++) {
        net_close(&nets[k]);
        task_set_free(sets[k]);
    }
    net_batch_close(batch);
}

static float *state_after(NetBatch *batch, Net *nets, size_t n, size_t which, size_t steps) {
    for (size_t t = 0; t < steps; t++) {
        step(batch);
    }
    float *state = fetched(batch, &nets[which]);
    for (size_t k = 0; k < n; k++) {
        net_close(&nets[k]);
    }
    net_batch_close(batch);
    return state;
}

/* Alone or among others, at any place: the same bits. */
static void batch_changes_nothing(void **state) {
    (void)state;
    TaskSet *sets[BATCH];
    Net nets[BATCH], net;
    for (size_t k = 0; k < BATCH; k++) {
        sets[k] = batch_task(k);
    }
    for (size_t which = 0; which < BATCH; which++) {
        NetBatch *alone = open_batch(0);
        add_net(alone, &net, sets[which], 5);
        size_t bytes = net.engine->state_bytes(&net.mem);
        float *one = state_after(alone, &net, 1, 0, 3);
        NetBatch *batch = open_batch(0);
        for (size_t k = 0; k < BATCH; k++) {
            add_net(batch, &nets[k], sets[k], k == which ? 5 : 6 + k);
        }
        float *many = state_after(batch, nets, BATCH, which, 3);
        assert_memory_equal(one, many, bytes);
        free(one);
        free(many);
    }
    for (size_t k = 0; k < BATCH; k++) {
        task_set_free(sets[k]);
    }
}

/* ---- resuming ---- */

/* Each side resumes what the other saved; and a device resumes its own state to the bit. */
static void resumes_elsewhere(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("free");
    Net cpu, net, again;
    DeviceError why;
    size_t n, m;
    assert_true(net_open(&cpu, &set->tasks[0], &(NetOptions){.seed = 3}, NULL));
    for (size_t t = 0; t < 4; t++) {
        assert_true(net_step(&cpu));
    }
    char *bytes = saved(&cpu, &n);
    NetBatch *batch = open_batch(0);
    add_net(batch, &net, set, 99);
    step(batch); /* of another run, which is forgotten */
    assert_true(net_load(&net, bytes, n));
    assert_int_equal(net.step, 4);
    assert_int_equal(net.seed, 3);
    step(batch);
    assert_true(net_step(&cpu));
    assert_true(relative_error(net.loss.kl, cpu.loss.kl) < 1e-5);
    assert_true(relative_error(net.loss.rec, cpu.loss.rec) < 1e-4);
    /* down, and up on another batch and on the processor */
    assert_true(net_batch_fetch(batch, &why));
    free(bytes);
    bytes = saved(&net, &n);
    NetBatch *other = open_batch(0);
    add_net(other, &again, set, 1);
    assert_true(net_load(&again, bytes, n) && net_load(&cpu, bytes, n));
    step(batch);
    step(other);
    assert_true(net_step(&cpu));
    assert_true(relative_error(net.loss.kl, cpu.loss.kl) < 1e-5);
    assert_true(net_batch_fetch(batch, &why) && net_batch_fetch(other, &why));
    free(bytes);
    bytes = saved(&net, &n);
    char *same = saved(&again, &m);
    assert_int_equal(n, m);
    assert_memory_equal(bytes, same, n);
    free(same);
    free(bytes);
    net_close(&net);
    net_close(&again);
    net_close(&cpu);
    net_batch_close(batch);
    net_batch_close(other);
    task_set_free(set);
}

/* A net whose numbers overflow starts again, and its neighbours notice nothing. */
static void overflow_is_survived(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("same"), *free_set = synthetic_task("free");
    NetBatch *batch = open_batch(0), *calm = open_batch(0);
    Net net, neighbour, alone;
    add_net(batch, &net, set, 1);
    add_net(batch, &neighbour, free_set, 2);
    add_net(calm, &alone, free_set, 2);
    net.poison = 2;
    for (size_t t = 0; t < 5; t++) {
        step(batch);
        step(calm);
        assert_true(isfinite(neighbour.loss.kl) && neighbour.loss.kl == alone.loss.kl &&
                    neighbour.loss.rec == alone.loss.rec);
    }
    assert_int_equal(net.restarts, 1);
    assert_int_equal(net.step, 2);
    /* parameters that are no numbers: every new start is checked, and then it gives up */
    size_t numbers = net.engine->state_bytes(&net.mem) / sizeof(float);
    float *nothing = calloc(numbers, sizeof *nothing);
    assert_non_null(nothing);
    for (size_t k = 0; k < numbers; k++) {
        nothing[k] = NAN;
    }
    for (uint32_t k = 1; k <= NET_RESTARTS; k++) {
        net.engine->load(net.run, nothing);
        step(batch);
        assert_int_equal(net.restarts, k < NET_RESTARTS ? k + 1 : NET_RESTARTS);
        assert_true((net.failed != NULL) == (k == NET_RESTARTS));
    }
    assert_string_equal(net.failed, "its numbers overflow");
    size_t done = neighbour.step;
    step(batch);
    assert_int_equal(neighbour.step, done + 1);
    net_batch_rest(batch, &neighbour);
    step(batch);
    assert_int_equal(neighbour.step, done + 1);
    free(nothing);
    net_close(&net);
    net_close(&neighbour);
    net_close(&alone);
    net_batch_close(batch);
    net_batch_close(calm);
    task_set_free(set);
    task_set_free(free_set);
}

static void too_large_is_refused(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("same");
    Net nets[2];
    const char *why = "";
    NetBatch *batch = open_batch(1 << 16);
    assert_false(net_batch_add(batch, &nets[0], &set->tasks[0], 1, &why));
    assert_string_equal(why, "it is too large for the memory of the device");
    net_batch_close(batch);
    NetMemory mem;
    assert_true(net_memory_open(&mem, &set->tasks[0], NULL));
    uint64_t bytes = net_device_bytes(&mem);
    net_memory_close(&mem);
    batch = open_batch(bytes + bytes / 2);
    add_net(batch, &nets[0], set, 1);
    assert_true(net_batch_left(batch) == bytes / 2);
    assert_false(net_batch_add(batch, &nets[1], &set->tasks[0], 2, &why));
    assert_string_equal(why, "the memory of the device is taken by other nets");
    step(batch);
    assert_int_equal(nets[0].step, 1);
    net_close(&nets[0]);
    net_batch_close(batch);
    task_set_free(set);
}

/* Wherever memory ends, that is said, nothing is lost, and the next try does it. */
static void no_memory(void **state) {
    (void)state;
    TaskSet *set = synthetic_task("free");
    bool done = false;
    size_t failures = 0;
    for (uint64_t nth = 1; !done; nth++) {
        NetBatch *batch = open_batch(0);
        Net net;
        const char *reason = "";
        DeviceError why = {0};
        mem_fail_at(nth);
        bool added = net_batch_add(batch, &net, &set->tasks[0], 1, &reason);
        bool stepped = added && net_batch_step(batch, &why);
        mem_fail_at(0);
        done = stepped;
        failures += !stepped;
        if (!added) {
            assert_string_equal(reason, MEM_NONE);
            add_net(batch, &net, set, 1);
        } else if (!stepped) {
            assert_string_equal(why.text, MEM_NONE);
        }
        if (!stepped) {
            step(batch);
        }
        assert_int_equal(net.step, 1);
        net_close(&net);
        net_batch_close(batch);
    }
    assert_true(failures > 10);
    task_set_free(set);
}

/* The estimate knows all launches, and grows with the task. */
static void cost_is_counted(void **state) {
    (void)state;
    NetBatch *batch = open_batch(0);
    TaskSet *set = synthetic_task("same"), *other = other_task();
    Net net, small;
    add_net(batch, &small, set, 1);
    add_net(batch, &net, other, 1);
    assert_true(net_device_bytes(&net.mem) > net_device_bytes(&small.mem));
    step(batch);
    uint64_t before = test_device.device->counters.launches;
    step(batch);
    NetStepCost cost = net_device_cost(&net.mem), less = net_device_cost(&small.mem);
    assert_int_equal(test_device.device->counters.launches - before, cost.launches);
    assert_int_equal(cost.launches, less.launches);
    assert_true(cost.read_bytes > less.read_bytes && less.read_bytes > 0);
    assert_true(cost.written_bytes > less.written_bytes && cost.operations > less.operations);
    net_close(&net);
    net_close(&small);
    net_batch_close(batch);
    task_set_free(set);
    task_set_free(other);
}

/* For simulators, which take minutes for it: one step of a task that is as small as they get. */
static void one_small_step(void **state) {
    (void)state;
    static const char text[] = "{\"train\":[{\"input\":[[0,1],[2,0]],\"output\":[[1,1]]}],"
                               "\"test\":[{\"input\":[[2,0],[1,0],[0,2]]}]}";
    TaskSet *set = task_load_bytes("small.json", text, sizeof text - 1, NULL);
    NetBatch *batch = open_batch(0);
    Net net, cpu;
    add_net(batch, &net, set, 1);
    assert_true(net_open(&cpu, &set->tasks[0], &(NetOptions){.seed = 1}, NULL));
    step(batch);
    assert_true(net_step(&cpu));
    assert_true(relative_error(net.loss.kl, cpu.loss.kl) < 1e-6);
    assert_true(relative_error(net.loss.rec, cpu.loss.rec) < 1e-5);
    net_close(&net);
    net_close(&cpu);
    net_batch_close(batch);
    task_set_free(set);
}

int main(void) {
    const struct CMUnitTest small[] = {cmocka_unit_test(one_small_step)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_small_step),          cmocka_unit_test(steps_are_equal),
        cmocka_unit_test(batch_follows_processor), cmocka_unit_test(batch_changes_nothing),
        cmocka_unit_test(resumes_elsewhere),       cmocka_unit_test(overflow_is_survived),
        cmocka_unit_test(too_large_is_refused),    cmocka_unit_test(no_memory),
        cmocka_unit_test(cost_is_counted),
    };
    return getenv("BATT_DEVICE_SMALL") != NULL ? cmocka_run_group_tests(small, open_device, close_device)
                                               : cmocka_run_group_tests(tests, open_device, close_device);
}
