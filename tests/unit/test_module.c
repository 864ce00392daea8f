/* Generated Python batteries: what is read of them, cuts out of them, allocations that fail; and the paths of
 * collections. What their values are is compared in tests/cli/python_battery.sh. */
#include "base/alloc.h"
#include "base/clock.h"
#include "data/store/collection.h"
#include "engine/language/module.h"
#include "engine/language/slice.h"
#include "lang_fixture.h"

static const char text[] = "# head\n"
                           "from dsl import *\n"
                           "import sys\n"
                           "@profile\n"
                           "def batt(task_id, S, I, C, log_path):\n"
                           "    s = []\n"
                           "    o = []\n"
                           "    t1 = identity(p_g)\n"
                           "    try:\n"
                           "        t2 = t1(I)\n"
                           "    except (TypeError, AttributeError, ValueError):\n"
                           "        t2 = _get_safe_default(t1)\n"
                           "    o.append((2, False, 'aa', t2))\n"
                           "\ttry:\n" /* replaced by other spellings below */
                           "    t3, t4, t5, t6 = batch_process_samples_gpu(S)\n"
                           "    t7 = size_t(t5)\n"
                           "    s.append((7, 'None', 'iz_x', t7))\n"
                           "    s.append((7, 'aa', 'differ_1', t7))\n"
                           "    o.append((7, True, 'aa', t7))\n"
                           "    s.append((7, 'aa', 'differ_2', t2))\n"
                           "    s.append((7, 'zz', 'differ_3', t2))\n"
                           "    return o, s\n";

/* The text with its spare line replaced. */
static char *spelled(const char *line) {
    const char *spare = strstr(text, "\ttry:\n");
    char *made = malloc(sizeof text + strlen(line));
    sprintf(made, "%.*s%s%s", (int)(spare - text), text, line, spare + strlen("\ttry:\n"));
    return made;
}

static void reads(void **state) {
    Fixture *f = *state;
    static const char *const lines[] = {
        "", "    # Pre-mutate: t3 = rot90(I)\n",
        "    try:\n        t8 = rot90(t2)\n        t9 = rot90(t8)\n    except Exception as e:\n"
        "        t8 = _get_safe_default(rot90)\n        t9 = _get_safe_default(rot90)\n",
        "    try:\n\tt8 = rot90(t2)\n    except (TypeError, AttributeError, ValueError):\n"
        "\tt8 = _get_safe_default(rot90)\n"};
    static const uint32_t guarded[] = {1, 1, 3, 2};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char *module_text = spelled(lines[k]);
        Source source = source_of("m.py", module_text, strlen(module_text));
        Module m;
        diags_clear(&f->diags);
        assert_true(lang_is_module(&source));
        assert_true(lang_parse_module(f->lang, &source, &m, &f->diags));
        out_clear(&f->out);
        diags_write(&f->out, &source, &f->diags);
        if (m.program == NULL || f->diags.count > 0) {
            fail_msg("%s", f->out.data);
        }
        assert_int_equal(m.guarded, guarded[k]);
        assert_int_equal(m.program->nparams, 3);
        assert_int_equal(m.program->mode, MODE_BATT);
        assert_int_equal(m.n_outputs, 2);
        assert_int_equal(m.n_scores, 4);
        assert_false(m.outputs[0].mutated || m.outputs[0].again);
        assert_true(m.outputs[1].mutated && m.outputs[1].again);
        assert_int_equal(m.scores[0].output, -1);
        assert_int_equal(m.scores[1].output, 0); /* the answer that is there by then */
        assert_int_equal(m.scores[2].output, 1);
        assert_int_equal(m.scores[3].output, -1);
        out_clear(&f->out);
        print_call(&f->out, m.program, m.outputs[1].slot - prog_op_slot(m.program, 0));
        assert_string_equal(f->out.data, "size_t(t5)");
        module_free(&m);
        free(module_text);
    }
}

/* A cut is what stripping gives, for every slot. */
static void cuts(void **state) {
    Fixture *f = *state;
    char *module_text = spelled("");
    Source source = source_of("m.py", module_text, strlen(module_text));
    Module m;
    Slicer slicer;
    assert_true(lang_parse_module(f->lang, &source, &m, &f->diags));
    assert_true(slicer_open(&slicer, m.program));
    for (uint32_t slot = 0; slot < prog_slots(m.program); slot++) {
        Program view = *m.program;
        view.result = slot;
        Program *cut = slicer_cut(&slicer, slot, "solve_a", 7), *stripped = prog_strip(&view);
        assert_non_null(cut);
        assert_memory_equal(&cut->hash, &stripped->hash, sizeof cut->hash);
        assert_int_equal(cut->nops, stripped->nops);
        for (uint32_t k = 0; k < cut->nops; k++) {
            assert_int_equal(cut->ops[k].line, stripped->ops[k].line);
            assert_string_equal(cut->names[k], stripped->names[k]);
        }
        prog_free(cut);
        prog_free(stripped);
    }
    slicer_close(&slicer);
    module_free(&m);
    free(module_text);
}

static void allocation_failures(void **state) {
    (void)state;
    char *module_text = spelled("");
    Source source = source_of("m.py", module_text, strlen(module_text));
    uint64_t before = mem_bytes();
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        Module m = {0};
        Diags diags;
        diags_init(&diags);
        mem_fail_at(n);
        Lang *lang = lang_open();
        Slicer slicer = {0};
        Program *cut = NULL;
        if (lang != NULL && lang_parse_module(lang, &source, &m, &diags) && m.program != NULL &&
            slicer_open(&slicer, m.program)) {
            cut = slicer_cut(&slicer, m.outputs[1].slot, "a", 1);
            slicer_close(&slicer);
        }
        mem_fail_at(0);
        done = cut != NULL;
        prog_free(cut);
        module_free(&m);
        diags_free(&diags);
        lang_close(lang);
        assert_int_equal(mem_bytes(), before);
        assert_true(n < 1000);
    }
    free(module_text);
}

/* 20,000 steps with their guards, every 20th of them an answer: read, and cut into solvers. */
static void fast(void **state) {
    Fixture *f = *state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    enum { STEPS = 20000, LEAST_BYTES = 2 << 20 };
    static const char *const prims[] = {"difference_tuple(t%d, t%d)", "combine_t(t%d, t%d)",
                                        "equality(t%d, t%d)", "get_nth_t(t%d, F%d)"};
    Out out;
    out_init(&out);
    out_str(&out, "from dsl import *\n\n\ndef batt(task_id, S, I, C, log_path):\n    s = []\n    o = []\n    "
                  "t1 = p_g(I)\n");
    for (int k = 2; k <= STEPS; k++) {
        char call[100];
        const char *prim = prims[k % 4];
        int near = k - 1 - k % 7 % (k - 1);
        snprintf(call, sizeof call, prim, near, k % 4 == 3 ? k % 10 : (near + 1) / 2);
        out_fmt(&out,
                "    try:\n        t%d = %s\n    except (TypeError, AttributeError, ValueError):\n"
                "        t%d = _get_safe_default(%.*s)\n",
                k, call, k, (int)strcspn(call, "("), call);
        if (k % 20 == 0) {
            out_fmt(&out, "    o.append((%d, False, '%08x', t%d))\n", k, (unsigned)k, k % 400 / 2 + 1);
        }
    }
    out_str(&out, "    return o, s\n");
    Source source = source_of("m.py", out.data, out.len);
    double best = 1;
    for (int round = 0; round < 10; round++) {
        Module m;
        Slicer slicer;
        uint64_t start = clock_work_ns();
        assert_true(lang_parse_module(f->lang, &source, &m, &f->diags));
        assert_non_null(m.program);
        assert_true(slicer_open(&slicer, m.program));
        for (size_t k = 0; k < m.n_outputs; k++) {
            prog_free(slicer_cut(&slicer, m.outputs[k].slot, "a", 1));
        }
        slicer_close(&slicer);
        double seconds = 1e-9 * (double)(clock_work_ns() - start);
        best = seconds < best ? seconds : best;
        assert_int_equal(m.program->nops, STEPS);
        module_free(&m);
    }
    print_message("%d steps, %zu bytes: %.2f ms\n", STEPS, out.len, 1000 * best);
    assert_true(out.len > LEAST_BYTES && best < 0.015);
    out_free(&out);
}

static void places(void **state) {
    (void)state;
    static const struct {
        const char *path, *task, *file;
        int32_t score, speed;
        StoreKind kind;
    } cases[] = {
        {"solver_dir/solve_007bbfb7/4000/12/ab.py", "007bbfb7", "ab", 4000, 12, STORE_SOLVER},
        {"/x//differ_dir/solve_a_b/0/-3/ab.cd.py", "a_b", "ab.cd", 0, -3, STORE_DIFFER},
        {"solve_t/3420/10/m.py", "t", "m", 3420, 10, STORE_SOLVER},
    };
    static const char *const others[] = {"",
                                         "solve_t.py",
                                         "10/m.py",
                                         "4000/10/m.py",
                                         "x/4000/10/m.py",
                                         "solve_/4000/10/m.py",
                                         "solve_t/4e3/10/m.py",
                                         "solve_t/-1/10/m.py",
                                         "solve_t/4000/ten/m.py",
                                         "solve_t/4000/10/m.txt",
                                         "solve_t/4000/10/.py",
                                         "solve_t/99999999999999999999/10/m.py"};
    CollectionPlace place;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_true(collection_place(cases[k].path, &place));
        assert_string_equal(place.task, cases[k].task);
        assert_string_equal(place.file, cases[k].file);
        assert_int_equal(place.score, cases[k].score);
        assert_int_equal(place.speed, cases[k].speed);
        assert_int_equal(place.kind, cases[k].kind);
    }
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        assert_false(collection_place(others[k], &place));
    }
    assert_true(collection_score_fits(4000, 4, 4));
    assert_false(collection_score_fits(4000, 3, 4));
    assert_false(collection_score_fits(3000, 4, 4));
    assert_true(collection_score_fits(3420, 3, 4));
    assert_true(collection_score_fits(3420, 2, 4)); /* two wrong ones can have 1420 */
    assert_false(collection_score_fits(3420, 1, 3));
    assert_false(collection_score_fits(3420, 4, 4));
    assert_int_equal(collection_speed(1000000000), 11);
    assert_int_equal(collection_speed(50000000), 13);
    assert_int_equal(collection_speed(0), COLLECTION_UNMEASURED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(cuts, fixture_open, fixture_close),
        cmocka_unit_test(allocation_failures),
        cmocka_unit_test_setup_teardown(fast, fixture_open, fixture_close),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
