/* batt profile compare: compares two profiles row by row, and tells whether differences are more than
 * noise. */
#include "base/alloc.h"
#include "tools/cli/cmd_profile.h"
#include "tools/profiler/file.h"
#include "tools/profiler/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The probability, for the whole comparison, that any row is called a regression though nothing changed. */
#define SIGNIFICANT 0.01
enum { MIN_RUNS = 3 };

typedef struct ProfileChange {
    const char *name;
    double before_ns, after_ns, p; /* p NAN: not tested */
    double p_ratio;                /* of its ratio to the rest alone */
    double rise;                   /* relative to the rest of the time; 0.1: by a tenth */
    bool large;                    /* large enough to be judged */
    bool regression, faster;
} ProfileChange;

typedef struct ProfilePair {
    Profile a, b;
} ProfilePair;

static int by_difference(const void *left, const void *right) {
    const ProfileChange *x = left, *y = right;
    double dx = fabs(x->after_ns - x->before_ns), dy = fabs(y->after_ns - y->before_ns);
    return dx != dy ? (dx < dy ? 1 : -1) : strcmp(x->name, y->name);
}

/* Tasks that only one side has do not count, so they are marked as outliers; if outliers are left out, those
 * of either side are marked on both. Returns the number of common tasks. */
static uint32_t keep_common(ProfilePair *pair, bool without_outliers) {
    uint32_t common = 0;
    for (uint32_t k = 0; k < pair->b.n_tasks; k++) {
        pair->b.tasks[k].deviations = -1; /* not seen yet */
    }
    for (uint32_t k = 0; k < pair->a.n_tasks; k++) {
        ProfTask *task = &pair->a.tasks[k], *same = NULL;
        for (uint32_t x = 0; x < pair->b.n_tasks && same == NULL; x++) {
            uint32_t guess = (k + x) % pair->b.n_tasks; /* the order is mostly the same */
            same = strcmp(pair->b.tasks[guess].id, task->id) == 0 ? &pair->b.tasks[guess] : NULL;
        }
        bool out = same == NULL || (without_outliers && (task->outlier || same->outlier));
        task->outlier = out;
        if (same != NULL) {
            same->outlier = out;
            same->deviations = 0;
        }
        common += !out;
    }
    for (uint32_t k = 0; k < pair->b.n_tasks; k++) {
        pair->b.tasks[k].outlier |= pair->b.tasks[k].deviations < 0;
    }
    return common;
}

/* A row of one side by run: nanoseconds, and the logarithm of its ratio to the rest of the time. If the
 * machine is slower in one run, all rows are, and the ratio stays the same. */
typedef struct Side {
    const Profile *profile;
    const ProfSum *sum;
    double *ns, *ratio, *scratch;
} Side;

static void by_run(const Side *side, uint32_t name) {
    const Profile *p = side->profile;
    memset(side->scratch, 0, p->repeats * sizeof *side->scratch);
    if (name != UINT32_MAX) {
        profile_repeats(p, FILTER_WITHOUT, name, side->scratch);
    }
    profile_by_run(p, side->scratch, side->ns);
    for (uint32_t k = 0; k < p->repeats; k++) {
        side->scratch[k] = fmax(side->sum->repeat_ns[k] - side->scratch[k], 1);
    }
    profile_by_run(p, side->scratch, side->ratio);
    for (uint32_t k = 0; k < p->n_runs; k++) {
        side->ratio[k] = log(fmax(side->ns[k], 0.1) / side->ratio[k]);
    }
}

static void test_rows(const Side side[2], uint32_t name_a, uint32_t name_b, ProfileChange *change) {
    uint32_t na = side[0].profile->n_runs, nb = side[1].profile->n_runs;
    by_run(&side[0], name_a);
    by_run(&side[1], name_b);
    change->before_ns = stats_mean(side[0].ns, na);
    change->after_ns = stats_mean(side[1].ns, nb);
    change->p_ratio = stats_welch(side[0].ratio, na, side[1].ratio, nb);
    change->p = stats_welch(side[0].ns, na, side[1].ns, nb);
    if (!isnan(change->p)) { /* the better of two tests, corrected for trying both */
        change->p = fmin(2 * fmin(change->p, change->p_ratio), 1);
    }
    change->rise = exp(stats_mean(side[1].ratio, nb) - stats_mean(side[0].ratio, na)) - 1;
}

static void test_whole(const Side side[2], ProfileChange *change) {
    for (int x = 0; x < 2; x++) {
        const Profile *p = side[x].profile;
        profile_by_run(p, side[x].sum->repeat_ns, side[x].ns);
        for (uint32_t k = 0; k < p->n_runs; k++) {
            side[x].ratio[k] = log(fmax(side[x].ns[k], 1));
        }
    }
    uint32_t na = side[0].profile->n_runs, nb = side[1].profile->n_runs;
    *change = (ProfileChange){.name = "all evaluations",
                              .before_ns = stats_mean(side[0].ns, na),
                              .after_ns = stats_mean(side[1].ns, nb),
                              .p = stats_welch(side[0].ratio, na, side[1].ratio, nb),
                              .p_ratio = 0};
    change->rise = change->after_ns / change->before_ns - 1;
}

/* Without several runs on both sides, and so a spread, nothing can be judged. */
static bool can_test(const ProfilePair *pair) {
    return pair->a.n_runs >= MIN_RUNS && pair->b.n_runs >= MIN_RUNS;
}

static uint32_t find_name(const Profile *p, const char *name) {
    for (uint32_t k = 0; k < p->n_names; k++) {
        if (strcmp(p->names[k].name, name) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

static int by_p(const void *left, const void *right) {
    double a = (*(ProfileChange *const *)left)->p, b = (*(ProfileChange *const *)right)->p;
    return (a > b) - (a < b);
}

/* With many rows there are many chances to err: the smallest p must pass a test for all n rows, the next for
 * n - 1, and so on (Holm). */
static void judge(ProfileChange *changes, uint32_t n, double threshold, ProfileChange **order) {
    uint32_t judged = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (changes[k].large && !isnan(changes[k].p)) {
            order[judged++] = &changes[k];
        }
    }
    qsort((void *)order, judged, sizeof *order, by_p);
    for (uint32_t k = 0; k < judged && order[k]->p < SIGNIFICANT / (judged - k); k++) {
        ProfileChange *c = order[k];
        double min = threshold / 100;
        bool its_own = c->p_ratio < 0.05; /* not due to the machine */
        c->regression = its_own && c->rise > min && c->after_ns > c->before_ns * (1 + min);
        c->faster = its_own && c->rise < 0 && c->after_ns < c->before_ns;
    }
}

/* The first change is the whole; those of primitives follow. Rows below 1 % on both sides are shown, never
 * judged. */
static uint32_t make_changes(const ProfilePair *pair, const Side side[2], ProfileChange *changes) {
    uint32_t n = 1;
    test_whole(side, &changes[0]);
    changes[0].large = can_test(pair);
    for (uint32_t k = 0; k < pair->a.n_names + pair->b.n_names; k++) {
        bool second = k >= pair->a.n_names;
        const char *name = second ? pair->b.names[k - pair->a.n_names].name : pair->a.names[k].name;
        uint32_t in_a = find_name(&pair->a, name), in_b = find_name(&pair->b, name);
        if (second && in_a != UINT32_MAX) {
            continue;
        }
        ProfileChange change = {.name = name};
        test_rows(side, in_a, in_b, &change);
        if (change.before_ns > 0 || change.after_ns > 0) {
            change.large = can_test(pair) && (change.after_ns > 0.01 * side[1].sum->execute_ns ||
                                              change.before_ns > 0.01 * side[0].sum->execute_ns);
            changes[n++] = change;
        }
    }
    qsort(changes + 1, n - 1, sizeof *changes, by_difference);
    return n;
}

static const char *verdict(const ProfileChange *c) {
    return c->regression ? "REGRESSION" : c->faster ? "faster" : c->large ? "noise" : "not judged";
}

static void write_changes(Cli *cli, Out *out, const ProfileChange *changes, uint32_t n, int64_t top) {
    const TermStyle *style = &cli->style;
    char text[32];
    Table t;
    table_begin(&t, "row", ">before", ">after", ">change", ">p", "");
    for (uint32_t k = 0; k < n && (top == 0 || k <= (uint32_t)top); k++) {
        const ProfileChange *c = &changes[k];
        table_cell(&t, c->name);
        table_cell(&t, format_time_in(text, c->before_ns));
        table_cell(&t, format_time_in(text, c->after_ns));
        if (c->before_ns > 0) {
            table_fmt(&t, "%+.1f %%", 100 * (c->after_ns / c->before_ns - 1));
        } else {
            table_cell(&t, "new");
        }
        if (isnan(c->p)) {
            table_cell(&t, "-");
        } else {
            table_fmt(&t, "%.4f", c->p);
        }
        table_colored(&t, term_attr(style, c->regression ? ATTR_BAD : ATTR_DIM), verdict(c));
    }
    table_end(&t, out, style);
}

static void json_changes(Out *out, const ProfilePair *pair, const ProfileChange *changes, uint32_t n,
                         uint32_t common, double threshold) {
    Json json = json_on(out, 1);
    bool regression = false;
    json_begin_report(&json, "batt.profile.compare/1");
    json_kv_string(&json, "view", "compare");
    json_kv_uint(&json, "tasks", common);
    json_kv_uint(&json, "repeats_before", pair->a.repeats);
    json_kv_uint(&json, "repeats_after", pair->b.repeats);
    json_kv_uint(&json, "runs_before", pair->a.n_runs);
    json_kv_uint(&json, "runs_after", pair->b.n_runs);
    json_kv_double(&json, "threshold_pct", threshold);
    json_kv_bool(&json, "tested", can_test(pair));
    json_key(&json, "rows");
    json_begin_array(&json);
    for (uint32_t k = 0; k < n; k++) {
        const ProfileChange *c = &changes[k];
        regression |= c->regression;
        json_begin_object(&json);
        json_kv_string(&json, "name", c->name);
        json_kv_fixed(&json, "before_us", c->before_ns * 1e-3, 3);
        json_kv_fixed(&json, "after_us", c->after_ns * 1e-3, 3);
        json_kv_fixed(&json, "change_pct", c->before_ns > 0 ? 100 * (c->after_ns / c->before_ns - 1) : NAN,
                      3);
        json_kv_double(&json, "p", c->p);
        json_kv_fixed(&json, "against_rest_pct", 100 * c->rise, 3);
        json_kv_string(&json, "verdict", verdict(c));
        json_kv_bool(&json, "regression", c->regression);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_kv_bool(&json, "regression", regression);
    json_end_object(&json);
    out_char(out, '\n');
}

static void write_head(Cli *cli, Out *out, const ProfilePair *pair, uint32_t common, double threshold) {
    out_fmt(out, "%u task%s on both sides, %u run%s before, %u after; ", common, common == 1 ? "" : "s",
            pair->a.n_runs, pair->a.n_runs == 1 ? "" : "s", pair->b.n_runs);
    if (can_test(pair)) {
        out_fmt(out,
                "Welch's test between runs; a regression is an increase of more than %g %%, for a row also "
                "relative to the rest, with p < %g after correction for the number of rows\n\n",
                threshold, SIGNIFICANT);
    } else {
        out_fmt(out,
                "%snot enough runs%s to tell a difference from noise: nothing is judged. Each side needs "
                "three; --append adds one, and compare OLD NEW makes them\n\n",
                term_attr(&cli->style, ATTR_WARN), term_attr(&cli->style, ATTR_RESET));
    }
}

static int show(Cli *cli, const ProfileOptions *opt, ProfilePair *pair, uint32_t common, const ProfSum *a,
                const ProfSum *b) {
    size_t room = (size_t)pair->a.n_names + pair->b.n_names + 1;
    size_t max = pair->a.repeats > pair->b.repeats ? pair->a.repeats : pair->b.repeats;
    ProfileChange *changes = mem_zalloc(room, sizeof *changes), **order = mem_array(room, sizeof *order);
    double *values = mem_array(6 * max, sizeof *values);
    Out out;
    int code = EXIT_DONE;
    out_init(&out);
    if (changes == NULL || values == NULL || order == NULL) {
        code = cli_no_memory(cli);
    } else {
        const Side side[2] = {{&pair->a, a, values, values + max, values + 2 * max},
                              {&pair->b, b, values + 3 * max, values + 4 * max, values + 5 * max}};
        uint32_t n = make_changes(pair, side, changes);
        judge(changes, n, opt->threshold, order);
        if (opt->json) {
            json_changes(&out, pair, changes, n, common, opt->threshold);
        } else {
            write_head(cli, &out, pair, common, opt->threshold);
            write_changes(cli, &out, changes, n, opt->top);
            if (strcmp(pair->a.processor, pair->b.processor) != 0) {
                out_str(&out, "the two profiles were measured on different processors\n");
            }
        }
        for (uint32_t k = 0; k < n; k++) {
            code = changes[k].regression ? EXIT_SHORT : code;
        }
        if (!cli_print(cli, &out)) {
            code = EXIT_SHORT;
        }
    }
    out_free(&out);
    mem_free(changes);
    mem_free((void *)order);
    mem_free(values);
    return code;
}

static int compare_files(Cli *cli, const ProfileOptions *opt, const char *before, const char *after) {
    ProfilePair pair = {0};
    ProfSum a = {0}, b = {0};
    char why[600];
    int code;
    if (!profile_read(&pair.a, before, why, sizeof why) || !profile_read(&pair.b, after, why, sizeof why)) {
        code = cli_error(cli, "%s", why);
    } else {
        outliers_mark(&pair.a, opt->outlier_k);
        outliers_mark(&pair.b, opt->outlier_k);
        uint32_t common = keep_common(&pair, opt->filter_outliers);
        if (common == 0) {
            code = cli_error(cli, "%s and %s have no task in common", before, after);
        } else if (!profile_sum(&pair.a, FILTER_WITHOUT, &a) || !profile_sum(&pair.b, FILTER_WITHOUT, &b)) {
            code = cli_no_memory(cli);
        } else {
            code = show(cli, opt, &pair, common, &a, &b);
            if (code != EXIT_BAD && opt->out.count > 0) {
                int written = profile_write_files(cli, &opt->out, &pair.b, NULL, &pair.a, false);
                code = written != EXIT_DONE ? written : code;
            }
        }
    }
    profile_sum_free(&a);
    profile_sum_free(&b);
    profile_free(&pair.a);
    profile_free(&pair.b);
    return code;
}

int profile_compare(Cli *cli, const ProfileOptions *opt, int argc, char **argv) {
    if (argc < 2) {
        return cli_error(cli, "compare needs two saved profiles, or two programs");
    }
    if (!profile_is_program(argv[0]) || !profile_is_program(argv[1])) {
        return argc == 2
                   ? compare_files(cli, opt, argv[0], argv[1])
                   : cli_error(cli, "compare needs two saved profiles, or two programs and tasks for them");
    }
    char files[2][PROFILE_PATH] = {"", ""};
    int code = profile_run_both(cli, opt, (const char *[]){argv[0], argv[1]}, files, argc - 2, argv + 2);
    if (code == EXIT_DONE) {
        code = compare_files(cli, opt, files[0], files[1]);
    }
    profile_forget_both(files);
    return code;
}
