/* The net in double, number by number, against the vectors on record. */
#define NET_DOUBLE
#define NET_SMALL
#define NET_ENGINE engine_double
#include "net_fixture.h"
#include "search/net/engine.h"

static size_t tensor_numbers(const NetMemory *mem, NetTensorId t, size_t channels) {
    const NetPlace *p = &mem->places[t];
    return p->cells * p->slots * channels * (p->lanes ? 8 : 1);
}

/* Room for what no buffer keeps. */
static NetProbe *probe_open(const NetMemory *mem) {
    NetProbe *probe = calloc(1, sizeof *probe);
    assert_non_null(probe);
    for (size_t k = 0; k < (size_t)NET_POINTS * NET_BLOCKS * NET_TENSORS; k++) {
        NetTensorId t = (NetTensorId)(k % NET_TENSORS);
        double *to = calloc(tensor_numbers(mem, t, net_channels(t)), sizeof *to);
        assert_non_null(to);
        probe->to[k / NET_TENSORS / NET_BLOCKS][k / NET_TENSORS % NET_BLOCKS][t] = to;
    }
    return probe;
}
static void probe_close(NetProbe *probe) {
    for (size_t k = 0; k < (size_t)NET_POINTS * NET_BLOCKS * NET_TENSORS; k++) {
        free(probe->to[k / NET_TENSORS / NET_BLOCKS][k / NET_TENSORS % NET_BLOCKS][k % NET_TENSORS]);
    }
    free(probe);
}

typedef struct Worst {
    double error;
    size_t compared;
    char where[64];
} Worst;

static void note(Worst *worst, double error, const char *what, const char *name) {
    worst->compared++;
    if (!(error <= worst->error)) {
        worst->error = error;
        snprintf(worst->where, sizeof worst->where, "%s %s", what, name);
    }
}

/* The stream after a step of a block; false: it is not computed there, because nothing depends on it. */
static bool stream_after(TestNet *net, const NetProbe *probe, const char *layer, NetTensorId t, double *to) {
    if (strcmp(layer, "decoded") == 0) {
        net->engine->stream(net->run, BUFFER_X, t, 0, to);
        return true;
    }
    size_t block = (size_t)(layer[1] - '0'), n = tensor_numbers(&net->mem, t, net_channels(t));
    const char *step = layer + 3;
    NetStage stage = strcmp(step, "down") == 0 ? STAGE_DOWN_OUT : STAGE_MIDDLE;
    if (!net_alive(block, t, stage)) {
        return false;
    }
    if (strcmp(step, "up") == 0) {
        net->engine->stream(net->run, BUFFER_UP, t, block, to);
    } else if (strcmp(step, "sm") == 0 || (strcmp(step, "cm") == 0 && !net_has_rays(t))) {
        memcpy(to, probe->to[NET_AFTER_SOFTMAX][block][t], n * sizeof *to);
    } else if (strcmp(step, "cm") == 0) {
        memcpy(to, probe->to[NET_AFTER_CUMMAX][block][t], n * sizeof *to);
    } else if (strcmp(step, "sh") == 0 || (strcmp(step, "dir") == 0 && !net_has(t, AXIS_D))) {
        net->engine->stream(net->run, BUFFER_MIDDLE, t, block, to);
    } else if (strcmp(step, "dir") == 0) {
        memcpy(to, probe->to[NET_AFTER_MIX][block][t], n * sizeof *to);
    } else if (strcmp(step, "nl") == 0) {
        net->engine->stream(net->run, BUFFER_LATE, t, block, to);
    } else {
        net->engine->stream(net->run, BUFFER_X, t, block + 1, to);
    }
    return true;
}

static void compare_forward(TestNet *net, const NetProbe *probe, const json_t *gold, Worst *worst) {
    size_t room = tensor_numbers(&net->mem, NET_ECDXY, 16);
    double *values = calloc(room, sizeof *values);
    assert_non_null(values);
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        const char *name = net_tensors[t].name;
        net->engine->code(net->run, t, values);
        note(worst,
             statistic_error(json_object_get(json_object_get(gold, "latents"), name), values,
                             tensor_numbers(&net->mem, t, NET_LATENT), 1e-8, 1e-11),
             "latent", name);
        double kl = json_number_value(json_object_get(json_object_get(gold, "kl"), name));
        note(worst, relative_error(net->engine->kl(net->run, t), kl) / 1e-9, "kl", name);
    }
    const char *layer;
    json_t *tensors;
    json_object_foreach(json_object_get(gold, "layers"), layer, tensors) {
        for (NetTensorId t = 0; t < NET_TENSORS; t++) {
            if (stream_after(net, probe, layer, t, values)) {
                note(worst,
                     statistic_error(json_object_get(tensors, net_tensors[t].name), values,
                                     tensor_numbers(&net->mem, t, net_channels(t)), 1e-8, 1e-11),
                     layer, net_tensors[t].name);
            }
        }
    }
    free(values);
}

/* Heads: ours are [grid][color][cell], on record [color][cell][grid]. */
static void compare_heads(TestNet *net, const json_t *gold, Worst *worst) {
    const NetShape *shape = &net->mem.shape;
    const NetOutput *out = net->engine->output(net->run);
    size_t cells = (size_t)shape->rows * shape->columns * (shape->colors + 1), n = shape->n * cells * 2;
    double *values = calloc(n, sizeof *values);
    assert_non_null(values);
    for (size_t k = 0; k < n; k++) {
        values[k] = out->logits[k / cells / 2 * net->mem.outputs + k % 2 * cells + k / 2 % cells];
    }
    const json_t *logits = json_object_get(gold, "logits");
    note(worst,
         json_array_size(logits) == n ? array_error(logits, values, n, 1e-8)
                                      : statistic_error(logits, values, n, 1e-8, 1e-11),
         "logits", "");
    for (size_t k = 0; k < (size_t)shape->n * shape->rows * 2; k++) {
        values[k] =
            out->rows[k / 2 / shape->rows * 2 * shape->rows + k % 2 * shape->rows + k / 2 % shape->rows];
    }
    note(worst,
         array_error(json_object_get(gold, "x_mask"), values, (size_t)shape->n * shape->rows * 2, 1e-7),
         "x_mask", "");
    for (size_t k = 0; k < (size_t)shape->n * shape->columns * 2; k++) {
        size_t columns = shape->columns;
        values[k] = out->columns[k / 2 / columns * 2 * columns + k % 2 * columns + k / 2 % columns];
    }
    note(worst,
         array_error(json_object_get(gold, "y_mask"), values, (size_t)shape->n * shape->columns * 2, 1e-7),
         "y_mask", "");
    free(values);
}

static void compare_parameters(TestNet *net, const json_t *gold, bool gradient, double relative,
                               double absolute, Worst *worst) {
    for (size_t k = 0; k < NET_PARAMETERS; k++) {
        NetParameter what;
        net_parameter(&net->mem, k, &what);
        const json_t *of = json_object_get(gold, what.name);
        size_t n = what.rows * what.columns;
        double *values = calloc(n, sizeof *values);
        assert_non_null(values);
        net->engine->read(net->run, &what, gradient, values);
        if (of != NULL) {
            note(worst, statistic_error(of, values, n, relative, absolute),
                 gradient ? "gradient" : "parameter", what.name);
        } else if (gradient) { /* without effect */
            for (size_t i = 0; i < n; i++) {
                assert_true(values[i] == 0);
            }
        }
        free(values);
    }
}

static void print_worst(const char *run, const char *what, const Worst *worst) {
    print_message("%s: %zu %s, at most %.2g of what is allowed (%s)\n", run, worst->compared, what,
                  worst->error, worst->where);
    if (!(worst->error <= 1)) {
        fail_msg("%s: %s is off by %g of what is allowed", run, worst->where, worst->error);
    }
}

static void grid_text(Image grid, char *to) {
    for (int32_t k = 0; k < grid.h * grid.w; k++) {
        if (k > 0 && k % grid.w == 0) {
            *to++ = '/';
        }
        *to++ = (char)('0' + grid.cells[k]);
    }
    *to = 0;
}

static void compare_answers(const NetAnswers *answers, const json_t *gold, NetScores scores, Worst *worst) {
    note(worst,
         fabs(scores.sample - json_number_value(json_array_get(json_object_get(gold, "sample"), 0))) / 1e-6,
         "score", "sample");
    note(worst,
         fabs(scores.mean - json_number_value(json_array_get(json_object_get(gold, "mean"), 0))) / 1e-6,
         "score", "mean");
    for (size_t slot = 0; slot < 2; slot++) {
        const json_t *grids = json_object_get(gold, slot == 0 ? "first" : "second");
        for (uint32_t test = 0; test < answers->shape->n_test; test++) {
            Image grid = net_answer_grid(answers, answers->slots[slot], test);
            char text[1000];
            grid_text(grid, text);
            assert_string_equal(text, json_string_value(json_array_get(grids, test)));
        }
    }
}

/* With `slow`, softmax takes its slow path everywhere. */
static void compare_run(const char *name, const json_t *gold, TaskSet *set, unsigned threads, bool slow) {
    TestNet net;
    test_net_open(&net, set, &engine_double, threads);
    net.run->soft_range = slow ? 0 : net.run->soft_range;
    const NetShape *shape = &net.mem.shape;
    assert_int_equal(shape->n, json_integer_value(json_object_get(gold, "examples")));
    assert_int_equal(shape->n_test, json_integer_value(json_object_get(gold, "tests")));
    assert_int_equal(shape->colors, json_integer_value(json_object_get(gold, "C")));
    assert_int_equal(shape->rows, json_integer_value(json_object_get(gold, "X")));
    assert_int_equal(shape->columns, json_integer_value(json_object_get(gold, "Y")));
    assert_int_equal(shape->same, json_is_true(json_object_get(gold, "same_size")));
    assert_int_equal(shape->same_inputs, json_is_true(json_object_get(gold, "all_in_same")));
    assert_int_equal(shape->same_outputs, json_is_true(json_object_get(gold, "all_out_same")));
    const json_t *parameters = json_object_get(gold, "parameters");
    for (size_t k = 0; k < json_array_size(parameters); k++) {
        NetParameter what;
        net_parameter(&net.mem, k, &what);
        assert_string_equal(what.name, json_string_value(json_array_get(json_array_get(parameters, k), 0)));
    }
    test_net_begin(&net, strcmp(json_string_value(json_object_get(gold, "init")), "spread") == 0);
    NetProbe *probe = probe_open(&net.mem);
    net.engine->probe(net.run, probe);
    NetAnswers answers;
    NetMeans means;
    assert_true(net_answers_open(&answers, shape));
    assert_true(net_means_open(&means, shape));
    const json_t *losses = json_object_get(gold, "losses");
    for (size_t t = 0; t < 2; t++) {
        Worst worst = {0};
        const json_t *of = json_array_get(losses, t);
        NetLoss loss = net.engine->forward(net.run, &net.team, t, 0, NET_NOISE_RECORDED);
        note(&worst, relative_error(loss.kl + 10 * loss.rec, json_number_value(json_array_get(of, 1))) / 1e-9,
             "loss", "");
        note(&worst, relative_error(loss.kl, json_number_value(json_array_get(of, 2))) / 1e-9, "kl", "");
        note(&worst, relative_error(loss.rec, json_number_value(json_array_get(of, 3))) / 1e-9, "rec", "");
        if (t == 0) {
            compare_forward(&net, probe, gold, &worst);
            compare_heads(&net, gold, &worst);
        }
        print_worst(name, t == 0 ? "values of step 0" : "values of step 1", &worst);
        worst = (Worst){0};
        NetScores scores = net_answers_add(&answers, &means, &net.mem, net.engine->output(net.run), t);
        if (json_object_get(gold, "answers") != NULL) {
            compare_answers(&answers, json_array_get(json_object_get(gold, "answers"), t), scores, &worst);
            print_worst(name, "scores", &worst);
        }
        net.engine->backward(net.run, &net.team);
        if (t == 0) {
            worst = (Worst){0};
            compare_parameters(&net, json_object_get(gold, "gradients"), true, 1e-8, 1e-11, &worst);
            print_worst(name, "gradients", &worst);
        }
        net.engine->improve(net.run, &net.team);
        char after[40];
        snprintf(after, sizeof after, "parameters_after_%zu", t + 1);
        if (t == 0 && json_object_get(gold, after) != NULL) {
            worst = (Worst){0};
            compare_parameters(&net, json_object_get(gold, after), false, 0, 1e-6, &worst);
            print_worst(name, "parameters after step 0", &worst);
        }
    }
    net_answers_close(&answers);
    net_means_close(&means);
    probe_close(probe);
    test_net_close(&net);
}

static void vectors_on_record(void **state) {
    (void)state;
    static const char *const runs[] = {"9af7a82c_spread", "9af7a82c_plain",  "aedd82e4_plain",
                                       "aedd82e4_spread", "0520fde7_spread", "239be575_spread"};
    char folder[500];
    if (recorded_vectors(folder, sizeof folder) == NULL) {
        skip();
    }
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        char path[600], id[9];
        snprintf(path, sizeof path, "%s/%s.json", folder, runs[k]);
        snprintf(id, sizeof id, "%.8s", runs[k]);
        json_t *gold = read_json(path);
        assert_non_null(gold);
        TaskSet *set = recorded_task(id);
        if (set == NULL) {
            json_decref(gold);
            skip();
        }
        compare_run(runs[k], gold, set, k % 2 == 0 ? 1 : 3, false);
        json_decref(gold);
    }
}

/* The same, for tasks of our own. */
static void own_vectors(void **state) {
    (void)state;
    static const char *const names[] = {"same", "free"};
    for (size_t k = 0; k < 2; k++) {
        char path[100];
        snprintf(path, sizeof path, "tests/vectors/net/%s.json", names[k]);
        json_t *gold = read_json(path);
        assert_non_null(gold);
        compare_run(names[k], gold, synthetic_task(names[k]), 1 + (unsigned)k, false);
        compare_run(names[k], gold, synthetic_task(names[k]), 1, true);
        json_decref(gold);
    }
}

/* Cummax and shift alone: two examples without colors, one of them with a smaller mask. */
static void rays_on_record(void **state) {
    (void)state;
    char folder[500], path[600];
    if (recorded_vectors(folder, sizeof folder) == NULL) {
        skip();
    }
    snprintf(path, sizeof path, "%s/directional.json", folder);
    json_t *gold = read_json(path);
    assert_non_null(gold);
    enum { ROWS = 3, COLUMNS = 4, CELLS = ROWS * COLUMNS };
    NetMemory *mem = calloc(1, sizeof *mem);
    NetRun *run = calloc(1, sizeof *run);
    assert_true(mem != NULL && run != NULL);
    mem->shape = (NetShape){.n = 2, .colors = 1, .rows = ROWS, .columns = COLUMNS};
    mem->places[NET_EDXY] =
        (NetPlace){.lanes = true, .slots = 2, .colors = 1, .rows = ROWS, .columns = COLUMNS, .cells = CELLS};
    run->mem = mem;
    size_t numbers = frame_numbers(&mem->shape);
    Scratch scratch = {.rays = aligned_alloc(64, (numbers * sizeof(Real) + 63) / 64 * 64)};
    run->masks = calloc((size_t)2 * CELLS, sizeof(Real));
    assert_true(scratch.rays != NULL && run->masks != NULL);
    for (size_t k = 0; k < (size_t)2 * CELLS; k++) {
        run->masks[k] = json_number_value(json_array_get(json_object_get(gold, "mask"), k));
    }
    for (size_t which = 0; which < 2; which++) {
        const json_t *of = json_object_get(gold, which == 0 ? "cummax" : "shift");
        double out[2 * CELLS * 32], back[2 * CELLS * 32];
        for (size_t e = 0; e < 2; e++) {
            Frame f = frame_of(run, &scratch, e);
            for (size_t pass = 0; pass < 2; pass++) { /* forward, backward */
                for (size_t k = 0; k < (size_t)CELLS * 32; k++) {
                    size_t cell = k / 4 % CELLS, d = k / 4 / CELLS, ch = k % 4;
                    size_t at = canonical(&mem->places[NET_EDXY], e, cell, d, ch, 4);
                    size_t in = slice_index(&mem->places[NET_EDXY], cell, d, ch, 4);
                    f.in[in] = test_unit(pass == 1 && which == 1 ? 7002 : 7001, at);
                    f.out[in] = test_unit(7002, at);
                }
                if (which == 0) {
                    pass == 0 ? cummax_frame(&f) : cummax_frame_back(&f);
                } else {
                    pass == 0 ? shift_frame(&f) : shift_frame_back(&f);
                }
                for (size_t k = 0; k < (size_t)CELLS * 32; k++) {
                    size_t cell = k / 4 % CELLS, d = k / 4 / CELLS, ch = k % 4;
                    (pass == 0 ? out : back)[canonical(&mem->places[NET_EDXY], e, cell, d, ch, 4)] =
                        f.out[slice_index(&mem->places[NET_EDXY], cell, d, ch, 4)];
                }
            }
        }
        assert_true(array_error(json_object_get(of, "output"), out, (size_t)2 * CELLS * 32, 1e-9) <= 1);
        assert_true(array_error(json_object_get(of, "input_gradient"), back, (size_t)2 * CELLS * 32, 1e-8) <=
                    1);
    }
    free(run->masks);
    free(scratch.rays);
    free(run);
    free(mem);
    json_decref(gold);
}

/* Which matrices of directions are the same. */
static void ties_on_record(void **state) {
    (void)state;
    char folder[500], path[600];
    if (recorded_vectors(folder, sizeof folder) == NULL) {
        skip();
    }
    snprintf(path, sizeof path, "%s/direction_ties.json", folder);
    json_t *gold = read_json(path);
    assert_non_null(gold);
    size_t compared = 0;
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        const json_t *table = json_object_get(gold, net_tensors[t].name);
        for (size_t k = 0; k < 64 && table != NULL; k++, compared++) {
            const json_t *row = json_array_get(table, k / 8);
            assert_int_equal(json_integer_value(json_array_get(row, k % 8)), net_tie(t, k / 8, k % 8));
        }
    }
    assert_int_equal(compared, 10 * 64);
    json_decref(gold);
}

/* In the basis of mixing every lane depends on its partners alone: what has no partner is 0. */
static void mixing_splits(void **state) {
    (void)state;
    for (NetTensorId t = 0; t < NET_TENSORS; t++) {
        if (!net_has(t, AXIS_D)) {
            continue;
        }
        MixTable table;
        mix_table(t, &table);
        _Alignas(64) Real matrices[MIX_TIES * 64], weights[MIX_NUMBERS], z[64], prepared[192], work[64],
            x[64];
        for (size_t k = 0; k < MIX_TIES * 64; k++) {
            matrices[k] = test_unit(5, k);
        }
        mix_weights(t, &table, matrices, weights);
        for (size_t k = 0; k < 64; k++) {
            z[k] = test_unit(6, k);
            x[k] = 0;
        }
        mix_prepare(net_mix_wide(t), z, prepared, 1);
        mix_apply(net_mix_wide(t), weights, prepared, work, x, 1);
        static const double strength[8] = {1, 0.2, 0.4, 0.2, 1, 0.2, 0.4, 0.2};
        for (size_t d = 0; d < 8; d++) {
            for (size_t j = 0; j < 8; j++) {
                double sum = 0;
                for (size_t from = 0; from < 8; from++) {
                    for (size_t k = 0; k < 8; k++) {
                        sum += strength[(from + 8 - d) % 8] * z[k * 8 + from] *
                               matrices[net_tie(t, d, from) * 64 + k * 8 + j];
                    }
                }
                assert_true(fabs(sum - x[j * 8 + d]) < 1e-12);
            }
        }
    }
}

/* The bookkeeping of answers alone, on synthetic outputs. */
static void selection_on_record(void **state) {
    (void)state;
    char folder[500], path[600];
    if (recorded_vectors(folder, sizeof folder) == NULL) {
        skip();
    }
    snprintf(path, sizeof path, "%s/selection.json", folder);
    json_t *gold = read_json(path);
    assert_non_null(gold);
    const char *id;
    json_t *of;
    json_object_foreach(gold, id, of) {
        TaskSet *set = recorded_task(id);
        if (set == NULL) {
            json_decref(gold);
            skip();
        }
        NetMemory mem;
        NetAnswers answers;
        NetMeans means;
        assert_true(net_memory_open(&mem, &set->tasks[0], NULL));
        const NetShape *shape = &mem.shape;
        assert_true(net_answers_open(&answers, shape));
        assert_true(net_means_open(&means, shape));
        NetOutput out = {.logits = calloc(shape->n * mem.outputs, sizeof(double)),
                         .rows = calloc((size_t)shape->n * 2 * shape->rows, sizeof(double)),
                         .columns = calloc((size_t)shape->n * 2 * shape->columns, sizeof(double))};
        size_t cells = mem.outputs / 2;
        for (size_t j = 0; j < 40; j++) {
            for (size_t k = 0; k < shape->n * mem.outputs;
                 k++) { /* on record [cell][grid], here [grid][cell] */
                out.logits[k / 2 / cells * mem.outputs + k % 2 * cells + k / 2 % cells] =
                    8 * test_unit(9000 + j % 3, k) + 0.5 * test_unit(9100 + j, k);
            }
            for (size_t side = 0; side < 2; side++) {
                size_t n = side == 0 ? shape->rows : shape->columns;
                for (size_t k = 0; k < shape->n * n * 2; k++) {
                    (side == 0 ? out.rows : out.columns)[k / 2 / n * 2 * n + k % 2 * n + k / 2 % n] =
                        2 * test_unit((side == 0 ? 9200 : 9400) + j % 2, k) +
                        0.2 * test_unit((side == 0 ? 9300 : 9500) + j, k);
                }
            }
            const json_t *row = json_array_get(json_object_get(of, "rows"), j);
            NetScores scores = net_answers_add(&answers, &means, &mem, &out,
                                               (size_t)json_integer_value(json_array_get(row, 0)));
            assert_true(fabs(scores.sample - json_number_value(json_array_get(row, 1))) < 1e-8);
            assert_true(fabs(scores.mean - json_number_value(json_array_get(row, 2))) < 1e-8);
            for (size_t slot = 0; slot < 2; slot++) {
                char text[1000];
                grid_text(net_answer_grid(&answers, answers.slots[slot], 0), text);
                assert_string_equal(text,
                                    json_string_value(json_array_get(json_array_get(row, 3 + slot), 0)));
            }
        }
        assert_int_equal(answers.distinct, json_integer_value(json_object_get(of, "distinct")));
        free(out.logits);
        free(out.rows);
        free(out.columns);
        net_answers_close(&answers);
        net_means_close(&means);
        net_memory_close(&mem);
        task_set_free(set);
    }
    json_decref(gold);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_vectors),         cmocka_unit_test(rays_on_record),
        cmocka_unit_test(ties_on_record),      cmocka_unit_test(mixing_splits),
        cmocka_unit_test(selection_on_record), cmocka_unit_test(vectors_on_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
