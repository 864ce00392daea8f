/* batt profile compare: two saved profiles, row by row, and whether the difference is more than noise. */
#include "cli/cmd_profile.h"

#include "core/alloc.h"
#include "prof/file.h"
#include "prof/quantiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIGNIFICANT 0.05

typedef struct Change {
    const char *name;
    double before_ns, after_ns, p; /* p NAN: not tested */
    bool regression;
} Change;

typedef struct Pair {
    Profile a, b;
} Pair;

static int by_difference(const void *left, const void *right) {
    const Change *x = left, *y = right;
    double dx = fabs(x->after_ns - x->before_ns), dy = fabs(y->after_ns - y->before_ns);
    return dx != dy ? (dx < dy ? 1 : -1) : strcmp(x->name, y->name);
}

/* Tasks that only one side has do not count: they are marked as outliers, and so is what either side calls
 * one if outliers are left out. Returns the number of common tasks. */
static uint32_t keep_common(Pair *pair, bool without_outliers) {
    uint32_t common = 0;
    for (uint32_t k = 0; k < pair->b.n_tasks; k++) {
        pair->b.tasks[k].deviations = -1; /* not met yet */
    }
    for (uint32_t k = 0; k < pair->a.n_tasks; k++) {
        ProfTask *task = &pair->a.tasks[k], *same = NULL;
        for (uint32_t x = 0; x < pair->b.n_tasks && same == NULL; x++) {
            uint32_t guess = (k + x) % pair->b.n_tasks; /* mostly the same order */
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

static void test_rows(const Pair *pair, uint32_t name_a, uint32_t name_b, Change *change, double *scratch) {
    double *a = scratch, *b = scratch + pair->a.repeats;
    memset(scratch, 0, (pair->a.repeats + pair->b.repeats) * sizeof *scratch);
    if (name_a != UINT32_MAX) {
        profile_repeats(&pair->a, FILTER_WITHOUT, name_a, a);
    }
    if (name_b != UINT32_MAX) {
        profile_repeats(&pair->b, FILTER_WITHOUT, name_b, b);
    }
    change->before_ns = stats_mean(a, pair->a.repeats);
    change->after_ns = stats_mean(b, pair->b.repeats);
    change->p = stats_welch(a, pair->a.repeats, b, pair->b.repeats);
}

static uint32_t find_name(const Profile *p, const char *name) {
    for (uint32_t k = 0; k < p->n_names; k++) {
        if (strcmp(p->names[k].name, name) == 0) {
            return k;
        }
    }
    return UINT32_MAX;
}

/* The first change is the whole; those of primitives follow. Rows below 1 % on both sides are shown, never
 * judged. */
static uint32_t make_changes(const Pair *pair, const ProfSum *a, const ProfSum *b, double threshold,
                             Change *changes, double *scratch) {
    uint32_t n = 1, judged = 0;
    changes[0] = (Change){.name = "all evaluations",
                          .before_ns = a->execute_ns,
                          .after_ns = b->execute_ns,
                          .p = stats_welch(a->repeat_ns, pair->a.repeats, b->repeat_ns, pair->b.repeats)};
    for (uint32_t k = 0; k < pair->a.n_names + pair->b.n_names; k++) {
        bool second = k >= pair->a.n_names;
        const char *name = second ? pair->b.names[k - pair->a.n_names].name : pair->a.names[k].name;
        uint32_t in_a = find_name(&pair->a, name), in_b = find_name(&pair->b, name);
        if (second && in_a != UINT32_MAX) {
            continue;
        }
        Change change = {.name = name};
        test_rows(pair, in_a, in_b, &change, scratch);
        if (change.before_ns > 0 || change.after_ns > 0) {
            changes[n++] = change;
            judged += change.after_ns > 0.01 * b->execute_ns;
        }
    }
    qsort(changes + 1, n - 1, sizeof *changes, by_difference);
    for (uint32_t k = 0; k < n; k++) {
        Change *c = &changes[k];
        double level =
            k == 0 ? SIGNIFICANT : SIGNIFICANT / fmax(judged, 1); /* many rows, many chances to err */
        bool large = k == 0 || c->after_ns > 0.01 * b->execute_ns;
        bool sure = isnan(c->p) ? k == 0 : c->p < level; /* untested, single rows would be false alarms */
        c->regression = large && sure && c->after_ns > c->before_ns * (1 + threshold / 100);
    }
    return n;
}

static const char *verdict(const Change *c) {
    return c->regression         ? (isnan(c->p) ? "REGRESSION, not tested" : "REGRESSION")
           : isnan(c->p)         ? "not tested"
           : c->p >= SIGNIFICANT ? "noise"
                                 : "";
}

/* Without a spread on both sides there is no test: then the threshold alone decides, about the whole. */
static bool can_test(const Pair *pair) {
    return pair->a.repeats > 1 && pair->b.repeats > 1;
}

static void write_changes(Cli *cli, Out *out, const Change *changes, uint32_t n, int64_t top) {
    const TermStyle *style = &cli->style;
    char text[32];
    Table t;
    table_init(&t);
    table_column(&t, "row", TABLE_LEFT);
    table_column(&t, "before", TABLE_RIGHT);
    table_column(&t, "after", TABLE_RIGHT);
    table_column(&t, "change", TABLE_RIGHT);
    table_column(&t, "p", TABLE_RIGHT);
    table_column(&t, "", TABLE_LEFT);
    for (uint32_t k = 0; k < n && (top == 0 || k <= (uint32_t)top); k++) {
        const Change *c = &changes[k];
        table_cell(&t, c->name);
        table_cell(&t, words_time_in(text, c->before_ns));
        table_cell(&t, words_time_in(text, c->after_ns));
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
        table_colored(&t, term_ink(style, c->regression ? INK_BAD : INK_DIM), verdict(c));
    }
    table_write(&t, out, style->width, style->color != TERM_MONO);
    table_free(&t);
}

static void json_changes(Out *out, const Pair *pair, const Change *changes, uint32_t n, uint32_t common,
                         double threshold) {
    Json json = json_on(out, 1);
    bool regression = false;
    json_begin_object(&json);
    json_kv_string(&json, "view", "compare");
    json_kv_uint(&json, "tasks", common);
    json_kv_uint(&json, "repeats_before", pair->a.repeats);
    json_kv_uint(&json, "repeats_after", pair->b.repeats);
    json_kv_double(&json, "threshold_pct", threshold);
    json_kv_bool(&json, "tested", can_test(pair));
    json_key(&json, "rows");
    json_begin_array(&json);
    for (uint32_t k = 0; k < n; k++) {
        const Change *c = &changes[k];
        regression |= c->regression;
        json_begin_object(&json);
        json_kv_string(&json, "name", c->name);
        json_kv_fixed(&json, "before_us", c->before_ns * 1e-3, 3);
        json_kv_fixed(&json, "after_us", c->after_ns * 1e-3, 3);
        json_kv_fixed(&json, "change_pct", c->before_ns > 0 ? 100 * (c->after_ns / c->before_ns - 1) : NAN,
                      3);
        json_kv_double(&json, "p", c->p);
        json_kv_bool(&json, "regression", c->regression);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_kv_bool(&json, "regression", regression);
    json_end_object(&json);
    out_char(out, '\n');
}

static int show(Cli *cli, const ProfileOptions *opt, Pair *pair, uint32_t common, const ProfSum *a,
                const ProfSum *b) {
    size_t room = (size_t)pair->a.n_names + pair->b.n_names + 1;
    Change *changes = mem_zalloc(room, sizeof *changes);
    double *scratch = mem_array((size_t)pair->a.repeats + pair->b.repeats, sizeof *scratch);
    Out out;
    int code = EXIT_DONE;
    out_init(&out);
    if (changes == NULL || scratch == NULL) {
        code = cli_error(cli, "out of memory");
    } else {
        uint32_t n = make_changes(pair, a, b, opt->threshold, changes, scratch);
        if (opt->json) {
            json_changes(&out, pair, changes, n, common, opt->threshold);
        } else {
            out_fmt(&out, "%u task%s on both sides, %u repeat%s before, %u after; ", common,
                    common == 1 ? "" : "s", pair->a.repeats, pair->a.repeats == 1 ? "" : "s",
                    pair->b.repeats);
            if (can_test(pair)) {
                out_fmt(&out, "Welch's test, a regression is a rise of more than %g %% with p < %g\n\n",
                        opt->threshold, SIGNIFICANT);
            } else {
                out_fmt(&out,
                        "%stoo few to test%s: a rise of the whole by more than %g %% counts as a regression; "
                        "--repeat or --append give more\n\n",
                        term_ink(&cli->style, INK_WARN), term_ink(&cli->style, INK_RESET), opt->threshold);
            }
            write_changes(cli, &out, changes, n, opt->top);
            if (strcmp(pair->a.processor, pair->b.processor) != 0) {
                out_str(&out, "the two were measured on different processors\n");
            }
        }
        for (uint32_t k = 0; k < n; k++) {
            code = changes[k].regression ? EXIT_SHORT : code;
        }
        if (!out_flush_to(&out, stdout)) {
            code = EXIT_SHORT;
        }
    }
    out_free(&out);
    mem_free(changes);
    mem_free(scratch);
    return code;
}

int profile_compare(Cli *cli, const ProfileOptions *opt, const char *before, const char *after) {
    Pair pair = {0};
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
            code = cli_error(cli, "out of memory");
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
