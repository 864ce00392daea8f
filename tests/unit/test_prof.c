/* Profiles are accurate: programs with known costs are reported with these costs; outliers are
 * removed without a trace. */
#include "base/clock.h"
#include "prof_fixture.h"
#include "tools/profiler/quantiles.h"
#include "tools/profiler/record_ticks.h"
#include "tools/profiler/record_tree.h"

#include <math.h>
#include <time.h>

/* ---- primitives of known cost ---- */

static uint64_t unit; /* ticks of a short call; a long one takes three */

/* Where the time went by the clock of the thread that spent it: interrupted or not, this is what
 * profiles must report. */
typedef enum Spent {
    IN_IDENTITY,
    IN_FLIP,
    IN_DOUBLE,
    IN_HALVE,
    IN_STAMPS,
    IN_KNOWN,
    IN_CHECK,
    IN_NO_SCOPE,
    SPENT
} Spent;
static double spent[SPENT];

static double spent_share(Spent in) {
    double all = 0;
    for (int k = 0; k < SPENT; k++) {
        all += spent[k];
    }
    return spent[in] / all;
}

static void spin(Spent in, uint64_t ticks) {
    uint64_t start = prof_ticks(), now = start;
    while (now - start < ticks) {
        now = prof_ticks();
    }
    spent[in] += (double)(now - start);
}

static Val spin_short(Ctx *ctx, const Val *args) {
    (void)ctx;
    spin(IN_IDENTITY, unit);
    return args[0];
}

static Val spin_long(Ctx *ctx, const Val *args) {
    (void)ctx;
    spin(IN_FLIP, 3 * unit);
    return args[0];
}

/* Works itself as long as the three calls it makes. */
static Val spin_caller(Ctx *ctx, const Val *args) {
    for (int k = 0; k < 3; k++) {
        prim_call(ctx, P_identity, args, 1);
    }
    spin(IN_DOUBLE, 3 * unit);
    return args[0];
}

static double wall_ns(void) {
    return (double)clock_now_ns();
}

static double slept_ns; /* by the sleeper's own clock */
static Val sleeping(Ctx *ctx, const Val *args) {
    (void)ctx;
    double start = wall_ns();
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    slept_ns += wall_ns() - start;
    return args[0];
}

static Val failing(Ctx *ctx, const Val *args) {
    (void)ctx;
    (void)args;
    spin(IN_HALVE, unit);
    return val_fail(FAIL_RANGE);
}

static void work_item(Worker *worker, size_t item) {
    const PrimFn *fns = worker->shared;
    Val one = val_int(1);
    ctx_reset(&worker->ctx);
    worker->ctx.fns = fns;
    for (int k = 0; k < 10; k++) {
        prim_call(&worker->ctx, P_identity, &one, 1); /* 10 short */
    }
    for (int k = 0; k < 5; k++) {
        prim_call(&worker->ctx, P_flip, &one, 1); /* 5 long */
    }
    if (item % 2 == 0) {
        prim_call(&worker->ctx, P_double, &one, 1); /* 3 short inside, and 3 itself */
        prim_call(&worker->ctx, P_halve, &one, 1);  /* fails */
    }
}

static void known_fns(PrimFn *fns) {
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        fns[k] = prim_fn(MODE_CORE, k);
    }
    fns[P_identity] = spin_short;
    fns[P_flip] = spin_long;
    fns[P_double] = spin_caller;
    fns[P_halve] = failing;
}

static const ProfSumRow *row_of(const ProfSum *sum, uint32_t prim) {
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        if (sum->rows[k].name == prim) {
            return &sum->rows[k];
        }
    }
    fail_msg("no row for %s", prim_table[prim].name);
    return NULL;
}

static bool near_share(double got, double wanted, double tolerance) {
    return fabs(got / wanted - 1) <= tolerance;
}

typedef struct Known {
    double shares[4]; /* of the time in primitives; reported, to what was spent: 1 is the truth */
    size_t measured;
    bool counts_right;
} Known;

static Known run_known(ProfLevel level, bool everything, size_t items) {
    PrimFn fns[PRIM_COUNT];
    Pool pool;
    Profiler profiler;
    Profile profile;
    ProfSum sum;
    Known known = {0};
    const char **ids = calloc(items, sizeof *ids);
    assert_non_null(ids);
    for (size_t k = 0; k < items; k++) {
        ids[k] = "item";
    }
    known_fns(fns);
    assert_true(pool_open(&pool, 1, &BUDGET));
    assert_true(prof_attach(&profiler, &pool, level, 1 << 16, 1 << 20));
    profiler.everything = everything;
    memset(spent, 0, sizeof spent);
    assert_int_equal(pool_run(&pool, items, work_item, fns, NULL), items);
    assert_true(profile_begin(&profile, "test", level, 1, 1));
    assert_true(profile_from_run(&profile, &profiler, ids));
    assert_true(profile_sum(&profile, FILTER_ALL, &sum));
    for (int k = 0; k < 4; k++) {
        static const uint32_t prims[] = {P_identity, P_flip, P_double, P_halve};
        known.shares[k] = row_of(&sum, prims[k])->self_ns / sum.primitives_ns / spent_share((Spent)k);
    }
    for (uint32_t k = 0; k < profile.n_tasks; k++) {
        known.measured += profile.tasks[k].weight > 0;
    }
    known.counts_right = row_of(&sum, P_identity)->calls == items * 10 + items / 2 * 3 &&
                         row_of(&sum, P_flip)->calls == items * 5 &&
                         row_of(&sum, P_halve)->fails == items / 2;
    assert_int_equal(profile.lost, 0);
    profile_sum_free(&sum);
    profile_free(&profile);
    prof_detach(&profiler);
    pool_close(&pool);
    free(ids);
    return known;
}

/* ---- medians ---- */

/* Other processes only disturb some of many short runs, and either way; a bias is in all of them. So what is
 * compared with the truth is the middle of many. */
enum { RUNS = 101 };
static double middle(const double *values) {
    double sorted[RUNS];
    memcpy(sorted, values, sizeof sorted);
    stats_sort(sorted, RUNS);
    return stats_quantile(sorted, RUNS, 0.5);
}

static void assert_true_in_the_middle(const char *what, const double *values, double tolerance) {
    if (!near_share(middle(values), 1, tolerance)) {
        fail_msg("%s: %.4f of what was spent is reported", what, middle(values));
    }
}

/* Calls must be long compared with a timestamp, whose cost among other work is known to some 20 ns
 * only, and with what comes before the first timestamp in a rare call. So where calls are short, as
 * samples need it, the first two primitives count, which are called often and call nothing. */
static void truth_of(ProfLevel level, bool everything, size_t items, uint64_t ticks, int prims) {
    enum { PRIMS = 4 };
    static const char *const names[PRIMS] = {"identity", "flip", "double", "halve"};
    double shares[PRIMS][RUNS];
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip(); /* sanitizers and valgrind add costs of their own, which are no part of any share */
    }
    unit = ticks;
    for (int k = 0; k < RUNS; k++) {
        Known known = run_known(level, everything, items);
        assert_true(known.counts_right);
        assert_true(known.measured > 0 && known.measured <= items);
        assert_true(!everything || known.measured == items);
        for (int prim = 0; prim < PRIMS; prim++) {
            shares[prim][k] = known.shares[prim];
        }
    }
    for (int k = 0; k < prims; k++) {
        assert_true_in_the_middle(names[k], shares[k], !everything ? 0.05 : k < 2 ? 0.02 : 0.04);
    }
}

static void timing_is_accurate(void **state) {
    (void)state;
    truth_of(PROF_TIMING, true, 20, 20000, 4);
}

static void sampled_timing_is_accurate(void **state) {
    (void)state;
    truth_of(PROF_TIMING, false, 60, 1000, 2);
}

static void trace_is_accurate(void **state) {
    (void)state;
    truth_of(PROF_TRACE, true, 20, 20000, 4);
}

/* ---- scopes ---- */

/* Forty units: 10 of stamps' own, 10 in calls from there, 5 looking values up; 4 of checking, 6 in calls from
 * there; 5 in no scope. */
enum { ROUNDS = 5 };
static void work_in_scopes(Worker *worker, size_t item) {
    Ctx *ctx = &worker->ctx;
    Val one = val_int(1);
    (void)item;
    ctx_reset(ctx);
    ctx->fns = worker->shared;
    for (int round = 0; round < ROUNDS; round++) {
        spin(IN_NO_SCOPE, 5 * unit);
        Scope was = scope_enter(ctx, SCOPE_STAMPS);
        for (int k = 0; k < 5; k++) {
            prim_call(ctx, P_identity, &one, 1);
            spin(IN_STAMPS, 2 * unit);
            bool recorded = scope_record_begin(ctx, SCOPE_KNOWN);
            spin(IN_KNOWN, unit);
            scope_record_end(ctx, recorded);
            prim_call(ctx, P_identity, &one, 1);
        }
        scope_stay(ctx);
        Scope inner = scope_enter(ctx, SCOPE_CHECK);
        assert_int_equal(inner, SCOPE_STAMPS);
        prim_call(ctx, P_flip, &one, 1);
        spin(IN_CHECK, 4 * unit);
        prim_call(ctx, P_flip, &one, 1);
        scope_back(ctx, inner);
        scope_back(ctx, was);
    }
}

enum { SCOPE_SHARES = 7 };
static const struct {
    const char *name;
    uint32_t key;
    Spent in;
} scope_spent[SCOPE_SHARES] = {
    {"stamps", PRIM_COUNT + SCOPE_STAMPS, IN_STAMPS},
    {"identity", P_identity, IN_IDENTITY},
    {"known", PRIM_COUNT + SCOPE_KNOWN, IN_KNOWN},
    {"check", PRIM_COUNT + SCOPE_CHECK, IN_CHECK},
    {"flip", P_flip, IN_FLIP},
    {"outside of scopes", PRIM_COUNT, IN_NO_SCOPE},
    {"stamps and what is called from there", PRIM_COUNT, SPENT}, /* exact */
};

static void scope_shares(ProfLevel level, bool everything, double *shares) {
    enum { ITEMS = 4 }; /* short, so that it fits between two interruptions */
    PrimFn fns[PRIM_COUNT];
    const char *ids[ITEMS];
    Pool pool;
    Profiler profiler;
    Profile profile;
    ProfSum sum;
    uint64_t calls;
    for (int k = 0; k < ITEMS; k++) {
        ids[k] = "item";
    }
    known_fns(fns);
    assert_true(pool_open(&pool, 1, &BUDGET));
    assert_true(prof_attach(&profiler, &pool, level, 1 << 16, 1 << 20));
    profiler.everything = everything;
    memset(spent, 0, sizeof spent);
    uint64_t start = clock_now_ns();
    assert_int_equal(pool_run(&pool, ITEMS, work_in_scopes, fns, NULL), ITEMS);
    double wall = (double)(clock_now_ns() - start);
    assert_true(profile_begin(&profile, "test", level, 1, 1));
    profile.phases_ns[PHASE_EXECUTE] = wall;
    assert_true(profile_from_run(&profile, &profiler, ids));
    assert_true(profile_sum(&profile, FILTER_ALL, &sum));
    double exact = (double)prof_scope_ticks(&profiler, SCOPE_STAMPS, &calls) * profile.ns_per_tick;
    assert_int_equal(calls, ROUNDS * ITEMS);
    /* counts are exact, sums hold: calls, scopes and the rest are the items' time, which is the wall time */
    assert_int_equal(row_of(&sum, P_flip)->calls, 2 * ROUNDS * ITEMS);
    assert_true(fabs(sum.primitives_ns + sum.engine_ns + sum.dispatch_ns - sum.execute_ns) <
                0.01 * sum.execute_ns);
    assert_true(fabs(profile_unaccounted(&profile, &sum)) <= 0.01 * wall);
    for (int k = 0; k < SCOPE_SHARES - 2; k++) {
        double self = row_of(&sum, scope_spent[k].key)->self_ns;
        shares[k] = self / sum.execute_ns / spent_share(scope_spent[k].in);
    }
    shares[SCOPE_SHARES - 2] = sum.dispatch_ns / sum.execute_ns / spent_share(IN_NO_SCOPE);
    shares[SCOPE_SHARES - 1] =
        exact / sum.execute_ns / (spent_share(IN_STAMPS) + spent_share(IN_IDENTITY) + spent_share(IN_KNOWN));
    assert_int_equal(profile.lost, 0);
    profile_sum_free(&sum);
    profile_free(&profile);
    prof_detach(&profiler);
    pool_close(&pool);
}

static void scopes_are_accurate(void **state) {
    (void)state;
    static const struct {
        ProfLevel level;
        bool everything;
    } ways[] = {{PROF_TIMING, true}, {PROF_TIMING, false}, {PROF_TRACE, true}};
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    unit = 20000;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        double shares[SCOPE_SHARES][RUNS], one[SCOPE_SHARES];
        for (int run = 0; run < RUNS; run++) {
            scope_shares(ways[way].level, ways[way].everything, one);
            for (int k = 0; k < SCOPE_SHARES; k++) {
                shares[k][run] = one[k];
            }
        }
        for (int k = 0; k < SCOPE_SHARES; k++) {
            char what[128];
            snprintf(what, sizeof what, "%s, %s, %s", prof_level_name(ways[way].level),
                     ways[way].everything ? "everything" : "samples", scope_spent[k].name);
            assert_true_in_the_middle(what, shares[k], ways[way].everything ? 0.03 : 0.06);
        }
    }
}

/* Half of the time in many short calls, which use up a window at once, half without any. */
static void work_in_bursts(Worker *worker, size_t item) {
    enum { BURSTS = 60, CALLS = 2500 };
    Ctx *ctx = &worker->ctx;
    Val one = val_int(1);
    (void)item;
    ctx_reset(ctx);
    ctx->fns = worker->shared;
    Scope was = scope_enter(ctx, SCOPE_ENUMERATE);
    for (int burst = 0; burst < BURSTS; burst++) {
        for (int k = 0; k < CALLS; k++) {
            prim_call(ctx, P_identity, &one, 1);
        }
        scope_stay(ctx);
        spin(IN_STAMPS, CALLS * unit);
        scope_stay(ctx);
    }
    scope_back(ctx, was);
}

static void bursts_count_by_their_time(void **state) {
    (void)state;
    const char *ids[] = {"a"};
    double shares[RUNS];
    if (getenv("BATT_TEST_IDLE") == NULL) {
        skip();
    }
    unit = 150;
    for (int k = 0; k < RUNS; k++) {
        PrimFn fns[PRIM_COUNT];
        Pool pool;
        Profiler profiler;
        Profile profile;
        ProfSum sum;
        known_fns(fns);
        assert_true(pool_open(&pool, 1, &BUDGET));
        assert_true(prof_attach(&profiler, &pool, PROF_TIMING, 1 << 10, 0));
        memset(spent, 0, sizeof spent);
        pool_run(&pool, 1, work_in_bursts, fns, NULL);
        assert_true(profile_begin(&profile, "test", PROF_TIMING, 1, 1) &&
                    profile_from_run(&profile, &profiler, ids) && profile_sum(&profile, FILTER_ALL, &sum));
        assert_true(profile.recorded < 75000); /* of 150000 */
        shares[k] = row_of(&sum, P_identity)->self_ns / sum.execute_ns / spent_share(IN_IDENTITY);
        profile_sum_free(&sum);
        profile_free(&profile);
        prof_detach(&profiler);
        pool_close(&pool);
    }
    assert_true_in_the_middle("bursts", shares, 0.2);
}

/* Counters know how long scopes took, and a trace without room says what it lost. */
static void scopes_are_timed_by_counters(void **state) {
    (void)state;
    PrimFn fns[PRIM_COUNT];
    Pool pool;
    Profiler profiler;
    Profile profile;
    const char *ids[] = {"a"};
    uint64_t calls;
    unit = 100;
    known_fns(fns);
    assert_true(pool_open(&pool, 1, &BUDGET));
    assert_true(prof_attach(&profiler, &pool, PROF_COUNTERS, 0, 0));
    pool_run(&pool, 1, work_in_scopes, fns, NULL);
    assert_true(prof_scope_ticks(&profiler, SCOPE_CHECK, &calls) >= ROUNDS * 10 * unit);
    assert_int_equal(calls, ROUNDS);
    prof_detach(&profiler);
    assert_true(pool.workers[0].ctx.scope == NULL);
    pool_close(&pool);

    assert_true(pool_open(&pool, 1, &BUDGET));
    assert_true(prof_attach(&profiler, &pool, PROF_TRACE, 1 << 10, 80));
    profiler.everything = true;
    pool_run(&pool, 1, work_in_scopes, fns, NULL);
    assert_true(profile_begin(&profile, "test", PROF_TRACE, 1, 1) &&
                profile_from_run(&profile, &profiler, ids));
    assert_true(profiler.workers[0].n_events <= 80);
    assert_true(profile.lost > 20 && profile.lost + profile.recorded == ROUNDS * 12);
    profile_free(&profile);
    prof_detach(&profiler);
    pool_close(&pool);
}

static double called_ns; /* from before the calls to after them, by the same clock */
static void nap_item(Worker *worker, size_t item) {
    Val one = val_int(1);
    (void)item;
    ctx_reset(&worker->ctx);
    worker->ctx.fns = worker->shared;
    double start = wall_ns();
    prim_call(&worker->ctx, P_identity, &one, 1);
    called_ns += wall_ns() - start;
}

/* What the profile says lies between a clock inside the call and one around it, and what is not the call's is
 * within what is left of the clock around all: bounds that hold however busy the machine is. */
static void sleep_is_seen(void **state) {
    (void)state;
    PrimFn fns[PRIM_COUNT];
    Pool pool;
    Profiler profiler;
    Profile profile;
    ProfSum sum;
    const char *ids[] = {"a", "b", "c"};
    const double exact = 0.002; /* of both clocks, and of the costs taken out */
    if (getenv("BATT_TEST_SLOW") != NULL) {
        skip();
    }
    known_fns(fns);
    fns[P_identity] = sleeping;
    slept_ns = called_ns = 0;
    assert_true(pool_open(&pool, 1, &BUDGET));
    assert_true(prof_attach(&profiler, &pool, PROF_TIMING, 1024, 0));
    double begin = wall_ns();
    pool_run(&pool, 3, nap_item, fns, NULL);
    double wall = wall_ns() - begin;
    assert_true(profile_begin(&profile, "test", PROF_TIMING, 1, 1) &&
                profile_from_run(&profile, &profiler, ids));
    assert_true(profile_sum(&profile, FILTER_ALL, &sum));
    double self = row_of(&sum, P_identity)->self_ns;
    if (slept_ns < 3 * 2e6 || self < slept_ns * (1 - exact) || self > called_ns * (1 + exact) ||
        sum.execute_ns < self || sum.execute_ns > wall * (1 + exact) ||
        sum.execute_ns - self > wall - slept_ns + exact * wall) {
        fail_msg("slept %.0f ns, self %.0f, called %.0f, executed %.0f, wall %.0f", slept_ns, self, called_ns,
                 sum.execute_ns, wall);
    }
    profile_sum_free(&sum);
    profile_free(&profile);
    prof_detach(&profiler);
    pool_close(&pool);
}

/* ---- outliers ---- */

static void outliers_leave_without_a_trace(void **state) {
    (void)state;
    Profile hundred, rest;
    ProfSum filtered, alone, all;
    make_profile(&hundred, 100, 4, 3);
    make_profile(&rest, 96, 0, 3);
    assert_int_equal(outliers_mark(&hundred, OUTLIERS_DEVIATIONS), 4);
    assert_int_equal(outliers_mark(&rest, OUTLIERS_DEVIATIONS), 0);
    for (uint32_t k = 0; k < 100; k++) {
        assert_int_equal(hundred.tasks[k].outlier, k >= 96);
    }
    assert_true(profile_sum(&hundred, FILTER_WITHOUT, &filtered) && profile_sum(&rest, FILTER_ALL, &alone) &&
                profile_sum(&hundred, FILTER_ALL, &all));
    assert_int_equal(filtered.tasks, 96);
    assert_int_equal(filtered.n_rows, alone.n_rows);
    assert_int_equal(filtered.calls, alone.calls);
    assert_true(filtered.execute_ns == alone.execute_ns && filtered.dispatch_ns == alone.dispatch_ns);
    for (uint32_t k = 0; k < alone.n_rows; k++) {
        assert_int_equal(filtered.rows[k].name, alone.rows[k].name);
        assert_int_equal(filtered.rows[k].calls, alone.rows[k].calls);
        assert_true(filtered.rows[k].self_ns / filtered.execute_ns ==
                    alone.rows[k].self_ns / alone.execute_ns);
        assert_true(filtered.rows[k].p99_ns == alone.rows[k].p99_ns);
    }
    /* and what they do to an average that keeps them */
    assert_true(all.execute_ns > 100 * filtered.execute_ns);
    assert_true(all.task_median_ns < 2 * filtered.task_median_ns);
    profile_sum_free(&filtered);
    profile_sum_free(&alone);
    profile_sum_free(&all);
    profile_free(&hundred);
    profile_free(&rest);
}

static void far_task_is_an_outlier_without_a_budget(void **state) {
    (void)state;
    Profile p;
    make_profile(&p, 50, 0, 1);
    p.tasks[17].execute_ns[0] *= 1000;
    assert_int_equal(outliers_mark(&p, OUTLIERS_DEVIATIONS), 1);
    assert_true(p.tasks[17].outlier);
    assert_int_equal(outliers_mark(&p, 1e6), 0);
    profile_free(&p);
}

/* A profile of totals gives those of a whole one, and neither quantiles nor stacks. */
static void totals_are_those_of_a_whole_profile(void **state) {
    (void)state;
    Profile p;
    ProfSum whole, totals;
    make_profile(&p, 50, 2, 3);
    assert_true(profile_sum(&p, FILTER_ALL, &whole));
    p.totals_only = true;
    assert_true(profile_sum(&p, FILTER_ALL, &totals));
    assert_true(totals.n_rows == 3 && whole.n_rows == 3);
    assert_true(whole.task_max_ns > 0 && totals.task_max_ns == 0);
    assert_true(totals.execute_ns == whole.execute_ns && totals.primitives_ns == whole.primitives_ns &&
                totals.dispatch_ns == whole.dispatch_ns && totals.calls == whole.calls);
    for (uint32_t k = 0; k < 3; k++) {
        ProfSumRow *row = &whole.rows[k];
        assert_true(row->median_ns > 0 && row->p90_ns >= row->median_ns && row->max_ns >= row->p99_ns);
        row->median_ns = row->p90_ns = row->p99_ns = row->max_ns = 0;
        assert_memory_equal(row, &totals.rows[k], sizeof *row);
    }
    profile_sum_free(&whole);
    profile_sum_free(&totals);
    profile_free(&p);
    assert_true(profile_begin_totals(&p, PROF_TIMING, 1, 1));
    assert_true(p.totals_only && p.n_names == PROF_NAMES && p.processor[0] == '\0');
    profile_free(&p);
}

/* ---- statistics ---- */

static void statistics_are_right(void **state) {
    (void)state;
    double values[] = {1, 2, 3, 4, 100}, scratch[5];
    assert_true(stats_quantile(values, 5, 0.5) == 3);
    assert_true(stats_quantile(values, 5, 0.25) == 2);
    assert_true(fabs(stats_quantile(values, 5, 0.9) - 61.6) < 1e-9);
    assert_true(stats_mad(values, 5, scratch) == 1);
    assert_true(isnan(stats_quantile(values, 0, 0.5)) && isnan(stats_deviation(values, 1)));
    double a[] = {1, 2, 3, 4, 5}, b[] = {2, 3, 4, 5, 9};
    assert_true(fabs(stats_welch(a, 5, b, 5) - 0.293725491) < 1e-6); /* as statistics packages have it */
    double c[] = {10.0, 10.1, 9.9, 10.0, 10.05}, d[] = {11.0, 11.1, 10.9, 11.0, 11.05};
    assert_true(stats_welch(c, 5, d, 5) < 1e-6);
    assert_true(stats_welch(c, 5, c, 5) > 0.999);
    assert_true(isnan(stats_welch(c, 1, d, 5)));
}

/* ---- memory ---- */

static void words_hold_events(void **state) {
    (void)state;
    static const uint64_t ticks[] = {0, 1, 12345, EVENT_MAX_TICKS - 1};
    static const uint32_t keys[] = {0, 1, PRIM_COUNT - 1, PROF_NAMES - 1, PROF_SCOPE, PROF_ITEM, UINT32_MAX};
    enum { TICKS = sizeof ticks / sizeof *ticks, KEYS = sizeof keys / sizeof *keys, BASE = 777 };
    uint64_t words[2 * TICKS * KEYS * 6], n = 0, at = 0;
    for (int write = 1; write >= 0; write--) {
        for (uint32_t k = 0; k < TICKS * KEYS * 6; k++) {
            uint64_t when = ticks[k % TICKS];
            uint32_t key = keys[k / TICKS % KEYS], rest = k / TICKS / KEYS;
            ProfEventKind kind = (ProfEventKind)(rest % 3);
            if (write && key < PROF_NAMES) {
                words[n++] = prof_event_word(when, key, kind, rest >= 3);
            } else if (write) {
                words[n++] = prof_event_word(when, EVENT_PLACE, kind, rest >= 3);
                words[n++] = key;
            } else {
                ProfEvent e = prof_event_read(words, BASE, &at);
                assert_int_equal(e.ticks, when != 0 ? BASE + when : 0);
                assert_int_equal(e.key, key);
                assert_int_equal(e.kind, kind);
                assert_int_equal(e.failed, rest >= 3);
            }
        }
    }
    assert_int_equal(at, n);
}

/* The table of nodes begins small; what was in it is still found when it has grown, up to the last node. */
static void trees_grow(void **state) {
    (void)state;
    enum { NODES = 1 << 14 };
    Pool pool;
    Profiler profiler;
    assert_true(pool_open(&pool, 1, &BUDGET));
    assert_true(prof_attach(&profiler, &pool, PROF_TIMING, NODES, 0));
    ProfWorker *w = &profiler.workers[0];
    assert_true(w->map.size < NODES);
    for (uint32_t k = 1; k < NODES; k++) {
        assert_int_equal(prof_child(w, (k - 1) / 7, 100000 + k), k);
    }
    assert_int_equal(w->lost, 0);
    for (uint32_t k = 1; k < NODES; k++) {
        assert_int_equal(prof_child(w, (k - 1) / 7, 100000 + k), k);
    }
    assert_int_equal(prof_child(w, 5, 7), 5); /* no room: the parent */
    assert_int_equal(w->lost, 1);
    prof_detach(&profiler);
    pool_close(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_hold_events),
        cmocka_unit_test(trees_grow),
        cmocka_unit_test(timing_is_accurate),
        cmocka_unit_test(sampled_timing_is_accurate),
        cmocka_unit_test(trace_is_accurate),
        cmocka_unit_test(scopes_are_accurate),
        cmocka_unit_test(bursts_count_by_their_time),
        cmocka_unit_test(scopes_are_timed_by_counters),
        cmocka_unit_test(sleep_is_seen),
        cmocka_unit_test(outliers_leave_without_a_trace),
        cmocka_unit_test(far_task_is_an_outlier_without_a_budget),
        cmocka_unit_test(totals_are_those_of_a_whole_profile),
        cmocka_unit_test(statistics_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
