/* Profiles against primitives of known cost, on a quiet and on a busy machine.
 *
 * Six primitives are replaced when this program is linked (Makefile): they only spin, for as many turns as
 * `turns` says, and give back their argument. What they cost is known from loops of nothing else, and what
 * share of the time each has follows; the profile has to say the same, whatever else the machine does. */
#include "base/alloc.h"
#include "base/clock.h"
#include "prof_fixture.h"
#include "search/run/match_programs.h"
#include "tools/cli/cmd_profile.h"
#include "tools/profiler/quantiles.h"
#include "tools/profiler/record_passes.h"
#include "tools/profiler/record_ticks.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SPUN = 6 };
static const uint32_t spun[SPUN] = {P_hmirror, P_vmirror, P_dmirror, P_normalize, P_outbox, P_backdrop};
/* short ones are called inside apply, mapply and compositions */
static unsigned turns[SPUN] = {3000, 1000, 300, 12, 60, 240};

static _Thread_local volatile uint64_t sink;
static __attribute__((noinline)) void spin(unsigned n) {
    uint64_t x = sink;
    for (unsigned k = 0; k < n; k++) {
        x = x * 0x9e3779b97f4a7c15u + 1; /* each waits for the one before */
        __asm__ volatile("" : "+r"(x));
    }
    sink = x;
}

#define SPIN(name, which)                       \
    Val __wrap_##name(Ctx *ctx, const Val *a);  \
    Val __wrap_##name(Ctx *ctx, const Val *a) { \
        (void)ctx;                              \
        spin(turns[which]);                     \
        return a[0];                            \
    }
SPIN(prim_hmirror, 0)
SPIN(prim_vmirror, 1)
SPIN(prim_dmirror, 2)
SPIN(prim_normalize, 3)
SPIN(prim_outbox, 4)
SPIN(prim_backdrop, 5)

/* Nanoseconds of a call: the middle of many short loops, by the thread's own clock. */
static double cost_of(int which) {
    enum { ROUNDS = 40 };
    unsigned calls = turns[which] < 20000 ? 100000 / turns[which] + 1 : 1;
    double rounds[ROUNDS];
    Val one = val_int(1);
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t start = clock_work_ns();
        for (unsigned k = 0; k < calls; k++) {
            prim_fn(MODE_CORE, spun[which])(NULL, &one);
        }
        rounds[r] = (double)(clock_work_ns() - start) / calls;
    }
    stats_sort(rounds, ROUNDS);
    return stats_quantile(rounds, ROUNDS, 0.5);
}

/* ---- tasks and programs ---- */

static const char PROGRAM[] = "    x1 = objects(I, T, F, F)\n"
                              "    x2 = apply(normalize, x1)\n"
                              "    x3 = hmirror(I)\n"
                              "    x4 = apply(outbox, x1)\n"
                              "    x5 = compose(backdrop, normalize)\n"
                              "    x6 = apply(x5, x1)\n"
                              "    x7 = vmirror(x3)\n"
                              "    x8 = dmirror(x7)\n"
                              "    x9 = asindices(I)\n"
                              "    x10 = lbind(contained, ZERO)\n"
                              "    x11 = sfilter(x9, x10)\n"
                              "    O = x8\n    return O\n";
enum { TASKS = 8, SAMPLES = 3, SIDE = 10 };

typedef struct Work {
    TaskSet *set;
    const Task *tasks[TASKS];
    Lang *lang;
    ProgList programs;
    Matching matching;
    Pool pool;
} Work;

static void open_work(Work *w, unsigned jobs) {
    Out text, programs;
    char name[32];
    out_init(&text);
    out_init(&programs);
    *w = (Work){0};
    out_char(&text, '{');
    for (int t = 0; t < TASKS; t++) {
        snprintf(name, sizeof name, "t%d", t);
        out_fmt(&text, "%s\"%s\":{\"train\":[", t ? "," : "", name);
        out_fmt(&programs, "def solve_%s(I):\n%s", name, PROGRAM);
        for (int k = 0; k < SAMPLES; k++) {
            out_fmt(&text, "%s{\"input\":[", k == 0 ? "" : k == SAMPLES - 1 ? "],\"test\":[" : ",");
            for (int i = 0; i < SIDE * SIDE; i++) {
                out_fmt(&text, "%s%d%s", i % SIDE == 0 ? (i ? ",[" : "[") : ",", (i * (t + k + 3) / 7) % 4,
                        i % SIDE == SIDE - 1 ? "]" : "");
            }
            out_fmt(&text, "]%s}", k == SAMPLES - 1 ? "" : ",\"output\":[[1]]");
        }
        out_str(&text, "]}");
    }
    out_char(&text, '}');
    w->set = task_load_bytes("challenges.json", text.data, text.len, NULL);
    assert_non_null(w->set);
    assert_int_equal(w->set->n_tasks, TASKS);
    for (size_t k = 0; k < TASKS; k++) {
        w->tasks[k] = &w->set->tasks[k];
    }
    w->lang = lang_open();
    Source source = source_of("made", programs.data, programs.len);
    ParseOptions how = PARSE_OPTIONS_FILE;
    Diags diags;
    diags_init(&diags);
    assert_true(lang_parse(w->lang, &source, &how, &w->programs, &diags));
    assert_int_equal(diags.errors, 0);
    diags_free(&diags);
    assert_true(match_programs(&w->programs, w->tasks, TASKS, &w->matching));
    assert_true(pool_open(&w->pool, jobs, &BUDGET));
    out_free(&text);
    out_free(&programs);
}

static void close_work(Work *w) {
    pool_close(&w->pool);
    matching_free(&w->matching);
    progs_free(&w->programs);
    lang_close(w->lang);
    task_set_free(w->set);
}

static void profile_work(Work *w, Profile *p, uint32_t repeats) {
    Profiler profiler;
    PassSpec spec = {.run = {.tasks = w->tasks,
                             .n_tasks = TASKS,
                             .programs = (const Program *const *)w->programs.items,
                             .n_programs = w->programs.count,
                             .matches = w->matching.by_task},
                     .repeats = repeats,
                     .warmup = 1};
    assert_true(prof_attach(&profiler, &w->pool, PROF_TIMING, passes_nodes(&spec), 0));
    assert_true(profile_begin(p, "test", PROF_TIMING, w->pool.count, repeats));
    assert_true(passes_run(p, &profiler, &spec, NULL));
    prof_detach(&profiler);
    p->data = "";
}

/* ---- a busy machine ---- */

enum { MAX_BURNERS = 16 };
static pid_t burners[MAX_BURNERS];
static int n_burners;

static void make_busy(void) {
    n_burners = (int)pool_processors() < MAX_BURNERS ? (int)pool_processors() : MAX_BURNERS;
    for (int k = 0; k < n_burners; k++) {
        burners[k] = fork();
        if (burners[k] == 0) {
            alarm(60); /* whatever happens to the test */
            for (;;) {
                spin(1 << 20);
            }
        }
    }
}

static void make_quiet(void) {
    for (int k = 0; k < n_burners; k++) {
        kill(burners[k], SIGKILL);
        waitpid(burners[k], NULL, 0);
    }
    n_burners = 0;
}

static int calm_again(void **state) {
    (void)state;
    make_quiet();
    return 0;
}

/* ---- what is said, and what is true ---- */

typedef struct Said {
    double share[SPUN], low[SPUN], high[SPUN]; /* of the time in the six */
    double truth[SPUN];
} Said;

static const ProfSumRow *row_of(const ProfSum *sum, uint32_t prim) {
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        if (sum->rows[k].name == prim) {
            return &sum->rows[k];
        }
    }
    fail_msg("no row for %s", prim_table[prim].name);
    return NULL;
}

static Said ask(const Profile *p, const double *costs) {
    Said s = {0};
    ProfSum sum;
    double all = 0, true_all = 0;
    assert_true(profile_sum(p, FILTER_ALL, &sum));
    for (int k = 0; k < SPUN; k++) {
        const ProfSumRow *row = row_of(&sum, spun[k]);
        s.truth[k] = costs[k] * (double)row->calls;
        true_all += s.truth[k];
        all += row->self_ns;
    }
    for (int k = 0; k < SPUN; k++) { /* a share of the six is as uncertain as all of them */
        const ProfSumRow *row = row_of(&sum, spun[k]);
        double low = 0, high = 0;
        for (int x = 0; x < SPUN; x++) {
            low += x != k ? row_of(&sum, spun[x])->low : 0;
            high += x != k ? row_of(&sum, spun[x])->high : 0;
        }
        s.truth[k] /= true_all;
        s.share[k] = row->self_ns / all;
        s.low[k] = row->low / (row->low + high);
        s.high[k] = row->high / (row->high + low);
    }
    profile_sum_free(&sum);
    return s;
}

/* By how much the worst share of the middle of some runs is off; says each of them. */
static double worst_share(Work *work) {
    enum { RUNS = 9 };
    double costs[SPUN], seen[SPUN][RUNS], truth[SPUN] = {0}, worst = 0;
    for (int k = 0; k < SPUN; k++) {
        costs[k] = cost_of(k);
    }
    for (int run = 0; run < RUNS; run++) {
        Profile p;
        profile_work(work, &p, 5);
        Said s = ask(&p, costs);
        for (int k = 0; k < SPUN; k++) {
            seen[k][run] = s.share[k];
            truth[k] = s.truth[k];
        }
        profile_free(&p);
    }
    for (int k = 0; k < SPUN; k++) {
        stats_sort(seen[k], RUNS);
        double middle = stats_quantile(seen[k], RUNS, 0.5);
        worst = fmax(worst, fabs(middle - truth[k]));
        print_message("%-10s %5.1f %% is %5.1f %% (%.1f to %.1f), %.0f ns per call\n",
                      prim_table[spun[k]].name, 100 * truth[k], 100 * middle, 100 * seen[k][0],
                      100 * seen[k][RUNS - 1], costs[k]);
    }
    return worst;
}

/* On a quiet machine; as other tests run beside this one, one quiet moment of three is enough. */
static void shares_are_true(void **state) {
    (void)state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip(); /* sanitizers add costs of their own */
    }
    Work work;
    double worst = 1;
    open_work(&work, 1);
    for (int moment = 0; moment < 3 && worst > 0.02; moment++) {
        worst = worst_share(&work);
    }
    if (worst > 0.02) {
        fail_msg("a share is off by %.1f points", 100 * worst);
    }
    close_work(&work);
}

static void intervals_hold_the_truth_on_a_busy_machine(void **state) {
    enum { RUNS = 15 };
    (void)state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    Work work;
    double costs[SPUN];
    int held = 0;
    open_work(&work, 1);
    for (int k = 0; k < SPUN; k++) {
        costs[k] = cost_of(k);
    }
    make_busy();
    for (int run = 0; run < RUNS; run++) {
        Profile p;
        profile_work(&work, &p, 5);
        Said s = ask(&p, costs);
        for (int k = 0; k < SPUN; k++) {
            bool in = s.low[k] <= s.truth[k] && s.truth[k] <= s.high[k];
            held += in;
            if (!in) {
                print_message("%s: %.2f %% is not in %.2f to %.2f\n", prim_table[spun[k]].name,
                              100 * s.truth[k], 100 * s.low[k], 100 * s.high[k]);
            }
        }
        profile_free(&p);
    }
    make_quiet();
    print_message("%d of %d intervals hold the truth\n", held, RUNS * SPUN);
    assert_true(held >= RUNS * SPUN * 9 / 10);
    close_work(&work);
}

/* Time in the six primitives, which interruptions must not be part of. */
static void totals_are_true_on_a_busy_machine(void **state) {
    enum { RUNS = 7 };
    (void)state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    Work work;
    double costs[SPUN], off[RUNS], worst = 0;
    unsigned before = turns[0];
    turns[0] = 400000; /* some hundred microseconds: seldom spared */
    open_work(&work, 1);
    for (int k = 0; k < SPUN; k++) {
        costs[k] = cost_of(k);
    }
    make_busy();
    for (int run = 0; run < RUNS; run++) {
        Profile p;
        profile_work(&work, &p, 3);
        for (uint32_t t = 0; t < p.n_tasks; t++) {
            double truth = 0;
            for (uint32_t r = 0; r < p.tasks[t].n_rows; r++) {
                for (int k = 0; k < SPUN; k++) {
                    truth +=
                        p.tasks[t].rows[r].name == spun[k] ? costs[k] * (double)p.tasks[t].rows[r].calls : 0;
                }
            }
            double ratio = task_execute_ns(&p, &p.tasks[t]) / truth;
            worst = fmax(worst, fmax(ratio, 1 / ratio));
            off[run] = task_execute_ns(&p, &p.tasks[t]) / truth;
        }
        profile_free(&p);
    }
    make_quiet();
    turns[0] = before;
    stats_sort(off, RUNS);
    print_message("a task takes %.2f times what it should, at worst a factor of %.2f\n",
                  stats_quantile(off, RUNS, 0.5), worst);
    assert_true(fabs(stats_quantile(off, RUNS, 0.5) - 1) < 0.25 && worst < 2);
    close_work(&work);
}

/* ---- counts ---- */

static void calls_are_counted_exactly(void **state) {
    (void)state;
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        Work work;
        open_work(&work, jobs);
        uint64_t exact[PRIM_COUNT] = {0};
        RunTask results[TASKS];
        RunSpec spec = {.tasks = work.tasks,
                        .n_tasks = TASKS,
                        .programs = (const Program *const *)work.programs.items,
                        .n_programs = work.programs.count,
                        .matches = work.matching.by_task};
        assert_int_equal(run_tasks(&work.pool, &spec, results, NULL), TASKS);
        for (unsigned w = 0; w < jobs; w++) {
            for (uint32_t k = 0; k < PRIM_COUNT; k++) {
                exact[k] += work.pool.workers[w].ctx.calls[k];
            }
        }
        assert_true(exact[P_contained] > 0); /* on columns, or one by one */
        for (uint32_t repeats = 1; repeats <= 3; repeats++) {
            Profile p;
            profile_work(&work, &p, repeats);
            for (uint32_t k = 0; k < PRIM_COUNT; k++) {
                uint64_t by_tasks = 0;
                for (uint32_t t = 0; t < p.n_tasks; t++) {
                    for (uint32_t r = 0; r < p.tasks[t].n_rows; r++) {
                        by_tasks += p.tasks[t].rows[r].name == k ? p.tasks[t].rows[r].calls : 0;
                    }
                }
                assert_int_equal(p.names[k].calls, exact[k]);
                assert_int_equal(by_tasks, exact[k]);
            }
            for (size_t t = 0; t < TASKS; t++) { /* one loop, one verdict */
                assert_int_equal(p.tasks[t].solved, results[t].solved);
            }
            profile_free(&p);
        }
        run_free(results, TASKS);
        close_work(&work);
    }
}

/* ---- comparing ---- */

/* Five runs of each side in turn; the exit code of the comparison. */
static int compare_runs(Work *work, double slower) {
    enum { RUNS = 5 };
    const char *paths[] = {"before.json", "after.json"};
    char folder[] = "/tmp/batt-truth-XXXXXX", files[2][64], why[200];
    unsigned usual = turns[2];
    Profile sides[2];
    assert_non_null(mkdtemp(folder));
    for (int run = 0; run < RUNS; run++) {
        for (int x = 0; x < 2; x++) {
            int side = (x + run) % 2;
            Profile p;
            turns[2] = side == 1 ? (unsigned)(slower * usual) : usual;
            profile_work(work, run == 0 ? &sides[side] : &p, 5);
            if (run > 0) {
                assert_true(profile_append(&sides[side], &p, why, sizeof why));
                profile_free(&p);
            }
        }
    }
    turns[2] = usual;
    for (int side = 0; side < 2; side++) {
        Out out;
        FILE *file;
        snprintf(files[side], sizeof files[side], "%s/%s", folder, paths[side]);
        out_init(&out);
        profile_write_json(&out, &sides[side]);
        file = fopen(files[side], "w");
        assert_non_null(file);
        assert_true(out_flush_to(&out, file));
        fclose(file);
        out_free(&out);
        profile_free(&sides[side]);
    }
    Cli cli = {.entry = cli_find("profile")};
    ProfileOptions opt = {.threshold = 5, .outlier_k = 3.5, .top = 4, .runs = 5};
    int code = profile_compare(&cli, &opt, 2, (char *[]){files[0], files[1]});
    unlink(files[0]);
    unlink(files[1]);
    rmdir(folder);
    return code;
}

static void nothing_changed_is_no_regression(void **state) {
    (void)state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    Work work;
    open_work(&work, 1);
    make_busy();
    for (int k = 0; k < 10; k++) {
        assert_int_equal(compare_runs(&work, 1), EXIT_DONE);
    }
    make_quiet();
    close_work(&work);
}

static void a_tenth_slower_is_found(void **state) {
    int found = 0;
    (void)state;
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    Work work;
    turns[2] = 4000;
    open_work(&work, 1);
    for (int k = 0; k < 3 && found == 0; k++) { /* somebody may come between, on a machine that others use */
        found += compare_runs(&work, 1.1) == EXIT_SHORT;
    }
    turns[2] = 300;
    assert_true(found > 0);
    close_work(&work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_counted_exactly),
        cmocka_unit_test(shares_are_true),
        cmocka_unit_test_teardown(intervals_hold_the_truth_on_a_busy_machine, calm_again),
        cmocka_unit_test_teardown(totals_are_true_on_a_busy_machine, calm_again),
        cmocka_unit_test_teardown(nothing_changed_is_no_regression, calm_again),
        cmocka_unit_test(a_tenth_slower_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
