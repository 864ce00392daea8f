/* Profiles as files: what is written can be read back and opened in other viewers. */
#include "base/alloc.h"
#include "prof_fixture.h"

#include <jansson.h>
#include <math.h>
#include <unistd.h>

static char folder[] = "/tmp/batt_prof_XXXXXX";

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
    (void)state;
    unlink(path_of("p.json"));
    return rmdir(folder);
}

static void save(const Out *out) {
    char why[300];
    if (!out_save(out, path_of("p.json"), why, sizeof why)) {
        fail_msg("%s", why);
    }
}

/* ---- our own form ---- */

static void what_is_written_is_read(void **state) {
    (void)state;
    Profile p, q;
    Out first, second;
    char why[600] = "";
    out_init(&first);
    out_init(&second);
    make_profile(&p, 20, 2, 3);
    profile_write_json(&first, &p);
    save(&first);
    if (!profile_read(&q, path_of("p.json"), why, sizeof why)) {
        fail_msg("%s", why);
    }
    profile_write_json(&second, &q);
    assert_string_equal(first.data, second.data);
    outliers_mark(&q, OUTLIERS_DEVIATIONS);
    assert_true(q.tasks[19].outlier && !q.tasks[0].outlier);
    profile_free(&p);
    profile_free(&q);
    out_free(&first);
    out_free(&second);
}

static void repeats_are_added(void **state) {
    (void)state;
    Profile p, q;
    char why[600];
    make_profile(&p, 10, 0, 2);
    make_profile(&q, 10, 0, 3);
    assert_true(profile_append(&p, &q, why, sizeof why));
    assert_int_equal(p.repeats, 5);
    assert_true(p.tasks[3].execute_ns[4] == q.tasks[3].execute_ns[2]);
    profile_free(&q);
    make_profile(&q, 11, 0, 3);
    assert_false(profile_append(&p, &q, why, sizeof why));
    profile_free(&p);
    profile_free(&q);
}

/* Every way of cutting the file short, and single wrong bytes, give a reason and no crash. */
static void broken_files_are_refused(void **state) {
    (void)state;
    Profile p, q;
    Out out, cut;
    char why[600];
    out_init(&out);
    out_init(&cut);
    make_profile(&p, 3, 1, 2);
    profile_write_json(&out, &p);
    for (size_t n = 0; n + 2 < out.len; n += 1 + out.len / 60) {
        out_clear(&cut);
        out_bytes(&cut, out.data, n);
        save(&cut);
        why[0] = '\0';
        assert_false(profile_read(&q, path_of("p.json"), why, sizeof why));
        assert_non_null(strstr(why, "p.json"));
    }
    static const char *const swaps[][2] = {{"\"version\": 1", "\"version\": 9"},
                                           {"batt-profile", "something"},
                                           {"\"repeats\": 2", "\"repeats\": 0"},
                                           {"\"repeats\": 2", "\"repeats\": 3"},
                                           {"\"weight\": 1", "\"weight\": -1"},
                                           {"\"evaluations\": 4", "\"evaluations\": \"4\""},
                                           {"\"level\": \"timing\"", "\"level\": \"tim\""},
                                           {"\"apply\"", "\"a;b\""},
                                           {"00000000", "0000\\n00"}};
    for (size_t k = 0; k < sizeof swaps / sizeof *swaps; k++) {
        const char *at = strstr(out.data, swaps[k][0]);
        if (at == NULL) {
            fail_msg("the file has no %s", swaps[k][0]);
        }
        out_clear(&cut);
        out_bytes(&cut, out.data, (size_t)(at - out.data));
        out_str(&cut, swaps[k][1]);
        out_str(&cut, at + strlen(swaps[k][0]));
        save(&cut);
        if (profile_read(&q, path_of("p.json"), why, sizeof why)) {
            fail_msg("read in spite of %s", swaps[k][1]);
        }
    }
    assert_false(profile_read(&q, path_of("none.json"), why, sizeof why));
    profile_free(&p);
    out_free(&out);
    out_free(&cut);
}

/* ---- folded stacks ---- */

static void folded_stacks_parse(void **state) {
    (void)state;
    Profile p;
    Out out;
    uint32_t n;
    double sum = 0, wanted = 0;
    out_init(&out);
    make_profile(&p, 20, 0, 1);
    ProfStack *stacks = profile_flatten(&p, FILTER_ALL, &n);
    assert_non_null(stacks);
    export_folded(&out, &p, stacks, n);
    assert_non_null(strstr(out.data, "batt;apply;increment "));
    for (char *line = strtok(out.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *space = strrchr(line, ' ');
        assert_non_null(space);
        assert_int_equal(strncmp(line, "batt", 4), 0);
        assert_int_equal(strspn(space + 1, "0123456789"), strlen(space + 1));
        assert_true(strlen(space + 1) > 0);
        *space = '\0';
        assert_int_equal(strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789_;"), strlen(line));
        assert_null(strstr(line, ";;"));
        sum += atof(space + 1);
    }
    for (uint32_t k = 0; k < p.n_tasks; k++) {
        wanted += p.tasks[k].execute_ns[0];
    }
    assert_true(fabs(sum - wanted) <= 10); /* rounding */
    mem_free(stacks);
    profile_free(&p);
    out_free(&out);
}

/* ---- a trace, for the formats that show single calls ---- */

static void traced_item(Worker *worker, size_t item) {
    Val pair[] = {val_int(3), val_int((int64_t)item)};
    ctx_reset(&worker->ctx);
    prim_bind(&worker->ctx, MODE_CORE, false);
    Val tuple = val_tuple2(&worker->ctx, pair[0], pair[1]);
    prim_call(&worker->ctx, P_add, pair, 2);
    prim_call(&worker->ctx, P_apply, (Val[]){val_prim(P_increment), tuple}, 2);
    prim_call(&worker->ctx, P_first, pair, 1); /* fails */
}

typedef struct Traced {
    Pool pool;
    Profiler profiler;
    Profile profile;
} Traced;

static void make_trace(Traced *t) {
    static const char *const ids[] = {"t<0>", "t1", "t2", "t3", "t4"};
    assert_true(pool_open(&t->pool, 2, &BUDGET));
    assert_true(prof_attach(&t->profiler, &t->pool, PROF_TRACE, 1024, 1024));
    t->profiler.everything = true;
    pool_run(&t->pool, 5, traced_item, NULL, NULL);
    assert_true(profile_begin(&t->profile, "traced", PROF_TRACE, 2, 1));
    assert_true(profile_from_run(&t->profile, &t->profiler, ids));
    t->profile.events = profile_alloc(&t->profile, 2, sizeof *t->profile.events);
    for (int k = 0; k < 2; k++) {
        const ProfWorker *w = &t->profiler.workers[k];
        t->profile.events[k] = (ProfEventList){w->events, w->n_events, w->base};
    }
}

static void free_trace(Traced *t) {
    profile_free(&t->profile);
    prof_detach(&t->profiler);
    pool_close(&t->pool);
}

static json_t *parsed(const Out *out) {
    json_error_t error;
    json_t *root = json_loads(out->data, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        fail_msg("line %d: %s", error.line, error.text);
    }
    return root;
}

/* What the viewer's own reader asks for: names, phases of events, times, and B and E that nest. */
static void chrome_trace_is_valid(void **state) {
    (void)state;
    Traced t;
    Out out;
    out_init(&out);
    make_trace(&t);
    export_chrome(&out, &t.profile);
    json_t *root = parsed(&out), *events = json_object_get(root, "traceEvents"), *event;
    size_t k, calls = 0, depth[2] = {0, 0}, failed = 0;
    double last[2] = {0, 0};
    assert_string_equal(json_string_value(json_object_get(root, "displayTimeUnit")), "ns");
    json_array_foreach(events, k, event) {
        const char *ph = json_string_value(json_object_get(event, "ph"));
        json_int_t tid = json_integer_value(json_object_get(event, "tid"));
        assert_non_null(ph);
        assert_true(json_is_string(json_object_get(event, "name")) &&
                    json_is_integer(json_object_get(event, "pid")));
        assert_true(tid == 0 || tid == 1);
        if (*ph == 'M') {
            assert_true(json_is_object(json_object_get(event, "args")));
            continue;
        }
        double ts = json_number_value(json_object_get(event, "ts")), dur = 0;
        assert_true(json_is_number(json_object_get(event, "ts")) && ts >= last[tid] - 0.0011);
        if (*ph == 'X') {
            assert_true(json_is_number(json_object_get(event, "dur")));
            dur = json_number_value(json_object_get(event, "dur"));
            assert_true(dur >= 0 && depth[tid] > 0);
            calls++;
        } else {
            assert_true(*ph == 'B' || *ph == 'E');
            assert_true(*ph == 'B' || depth[tid] > 0);
            depth[tid] += *ph == 'B' ? 1 : (size_t)-1;
        }
        failed += json_is_true(json_object_get(json_object_get(event, "args"), "failed"));
        last[tid] = ts + dur;
    }
    assert_int_equal(depth[0] + depth[1], 0);
    /* twice increment, first; apply, and add as the first of its task, are pairs */
    assert_int_equal(calls, 5 * 3);
    assert_int_equal(failed, 5);
    json_decref(root);
    out_free(&out);
    free_trace(&t);
}

static void check_sampled(const json_t *profile, size_t frames) {
    const json_t *samples = json_object_get(profile, "samples"),
                 *weights = json_object_get(profile, "weights");
    double sum = 0;
    assert_int_equal(json_array_size(samples), json_array_size(weights));
    for (size_t k = 0; k < json_array_size(samples); k++) {
        const json_t *stack = json_array_get(samples, k);
        assert_true(json_array_size(stack) > 0);
        for (size_t x = 0; x < json_array_size(stack); x++) {
            assert_true((size_t)json_integer_value(json_array_get(stack, x)) < frames);
        }
        sum += json_number_value(json_array_get(weights, k));
        assert_true(json_number_value(json_array_get(weights, k)) >= 0);
    }
    assert_true(fabs(sum - json_number_value(json_object_get(profile, "endValue"))) < 1);
}

static void check_evented(const json_t *profile, size_t frames) {
    const json_t *events = json_object_get(profile, "events");
    json_int_t open[64];
    size_t depth = 0;
    double last = json_number_value(json_object_get(profile, "startValue"));
    for (size_t k = 0; k < json_array_size(events); k++) {
        const json_t *event = json_array_get(events, k);
        json_int_t frame = json_integer_value(json_object_get(event, "frame"));
        double at = json_number_value(json_object_get(event, "at"));
        assert_true(at >= last && (size_t)frame < frames);
        last = at;
        if (*json_string_value(json_object_get(event, "type")) == 'O') {
            open[depth++] = frame;
        } else {
            assert_true(depth > 0 && open[depth - 1] == frame);
            depth--;
        }
    }
    assert_int_equal(depth, 0);
    assert_true(json_number_value(json_object_get(profile, "endValue")) >= last);
}

static void speedscope_is_valid(void **state) {
    (void)state;
    Traced t;
    Out out;
    uint32_t n;
    out_init(&out);
    make_trace(&t);
    ProfStack *stacks = profile_flatten(&t.profile, FILTER_ALL, &n);
    export_speedscope(&out, &t.profile, stacks, n);
    json_t *root = parsed(&out), *profiles = json_object_get(root, "profiles"), *profile;
    size_t frames = json_array_size(json_object_get(json_object_get(root, "shared"), "frames")), k,
           sampled = 0;
    assert_string_equal(json_string_value(json_object_get(root, "$schema")),
                        "https://www.speedscope.app/file-format-schema.json");
    json_array_foreach(profiles, k, profile) {
        assert_true(json_is_string(json_object_get(profile, "name")));
        assert_string_equal(json_string_value(json_object_get(profile, "unit")), "nanoseconds");
        assert_true(json_is_number(json_object_get(profile, "startValue")));
        if (strcmp(json_string_value(json_object_get(profile, "type")), "sampled") == 0) {
            check_sampled(profile, frames);
            sampled++;
        } else {
            assert_string_equal(json_string_value(json_object_get(profile, "type")), "evented");
            check_evented(profile, frames);
        }
    }
    assert_int_equal(k, 3); /* the sum, and two workers */
    assert_int_equal(sampled, 1);
    json_decref(root);
    mem_free(stacks);
    out_free(&out);
    free_trace(&t);
}

static void a_full_trace_says_so(void **state) {
    (void)state;
    Pool pool;
    Profiler profiler;
    assert_true(pool_open(&pool, 1, &BUDGET));
    assert_true(prof_attach(&profiler, &pool, PROF_TRACE, 1024, 64));
    profiler.everything = true;
    pool_run(&pool, 100, traced_item, NULL, NULL);
    assert_true(profiler.workers[0].n_events <= 64);
    prof_build_trees(&profiler); /* what was kept is balanced */
    assert_true(profiler.workers[0].nodes[0].self == 0);
    prof_detach(&profiler);
    pool_close(&pool);
}

/* Each allocation in turn is refused: the answer is no, and nothing is lost or broken. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    Profile p;
    bool done = false;
    make_profile(&p, 20, 2, 3);
    for (uint64_t nth = 1; !done && nth < 200; nth++) {
        ProfSum sum = {0};
        uint32_t n;
        mem_fail_at(nth);
        ProfStack *stacks = profile_flatten(&p, FILTER_ALL, &n);
        bool good = stacks != NULL && profile_sum(&p, FILTER_ALL, &sum);
        mem_fail_at(0);
        mem_free(stacks);
        profile_sum_free(&sum);
        done = good;
    }
    assert_true(done);
    done = false;
    for (uint64_t nth = 1; !done && nth < 200; nth++) {
        static const char *const ids[] = {"a", "b", "c", "d", "e"};
        Pool pool;
        Profiler profiler = {0};
        Profile made = {0};
        assert_true(pool_open(&pool, 1, &BUDGET));
        mem_fail_at(nth);
        bool good = prof_attach(&profiler, &pool, PROF_TIMING, 1024, 0);
        if (good) {
            profiler.everything = true;
            pool_run(&pool, 5, traced_item, NULL, NULL);
            good = profile_begin(&made, "test", PROF_TIMING, 1, 1) &&
                   profile_from_run(&made, &profiler, ids) && made.n_tasks == 5;
        }
        mem_fail_at(0);
        profile_free(&made);
        prof_detach(&profiler);
        pool_close(&pool);
        done = good;
    }
    assert_true(done);
    profile_free(&p);
}

static void names_say_formats(void **state) {
    (void)state;
    assert_int_equal(format_of("a/p.json"), FORMAT_PROFILE);
    assert_int_equal(format_of("p.speedscope.json"), FORMAT_SPEEDSCOPE);
    assert_int_equal(format_of("p.trace.json"), FORMAT_CHROME);
    assert_int_equal(format_of("p.collapsedstack.txt"), FORMAT_FOLDED);
    assert_int_equal(format_of("x/callgrind.out.17"), FORMAT_CALLGRIND);
    assert_int_equal(format_of("callgrind.out.d/p.txt"), FORMAT_TEXT);
    assert_int_equal(format_of("callgrind.out.d/p"), FORMAT_UNKNOWN);
    assert_int_equal(format_of("p"), FORMAT_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),   cmocka_unit_test(repeats_are_added),
        cmocka_unit_test(broken_files_are_refused),  cmocka_unit_test(folded_stacks_parse),
        cmocka_unit_test(chrome_trace_is_valid),     cmocka_unit_test(speedscope_is_valid),
        cmocka_unit_test(a_full_trace_says_so),      cmocka_unit_test(names_say_formats),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
