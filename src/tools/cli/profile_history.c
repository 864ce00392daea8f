/* batt profile history: what batt run --history kept, run by run: tasks that never ended, and outliers beside
 * typical tasks, phase by phase. */
#include "base/alloc.h"
#include "base/fileio.h"
#include "search/run/run.h"
#include "tools/cli/cmd_profile.h"
#include "tools/profiler/quantiles.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct PastTask { /* a task in a run */
    const char *id;       /* of the line */
    double ns, phase_ns[RUN_PHASES];
    bool ended, solved, outlier;
} PastTask;

typedef struct PastRun {
    const char *name, *time; /* of its first line */
    PastTask *tasks;
    size_t n, room, ended, solved, outliers;
} PastRun;

typedef struct History {
    const Cli *cli;
    const char *path;
    size_t line;
    json_t **lines; /* all of them, for their texts */
    size_t n_lines, room_lines;
    PastRun *runs;
    size_t n, room;
} History;

/* ---- reading ---- */

static bool complain(const History *h, const char *what) {
    cli_error(h->cli, "%s:%zu: %s", h->path, h->line, what);
    return false;
}

static bool reserve(void **array, size_t *room, size_t n, size_t size) {
    if (n < *room) {
        return true;
    }
    size_t more = 2 * *room + 64;
    void *grown = mem_grow(*array, more, size);
    if (grown == NULL) {
        return false;
    }
    *array = grown;
    *room = more;
    return true;
}

static PastRun *run_of(History *h, const char *name, const char *time) {
    for (size_t k = h->n; k-- > 0;) {
        if (strcmp(h->runs[k].name, name) == 0) {
            return &h->runs[k];
        }
    }
    if (!reserve((void **)&h->runs, &h->room, h->n, sizeof *h->runs)) {
        return NULL;
    }
    h->runs[h->n] = (PastRun){.name = name, .time = time};
    return &h->runs[h->n++];
}

static bool take_start(PastRun *run, const char *id) {
    if (!reserve((void **)&run->tasks, &run->room, run->n, sizeof *run->tasks)) {
        return false;
    }
    run->tasks[run->n++] = (PastTask){.id = id};
    return true;
}

static bool take_end(History *h, PastRun *run, const char *id, const json_t *line) {
    PastTask *task = NULL;
    for (size_t k = run->n; k-- > 0 && task == NULL;) {
        task = !run->tasks[k].ended && strcmp(run->tasks[k].id, id) == 0 ? &run->tasks[k] : NULL;
    }
    const json_t *phases = json_object_get(line, "phases"), *solved = json_object_get(line, "solved");
    if (task == NULL) {
        return complain(h, "a task ends without having started");
    }
    if (!json_is_boolean(solved)) {
        return complain(h, "`solved` is missing");
    }
    for (int k = 0; k < RUN_PHASES; k++) {
        const json_t *seconds = json_object_get(phases, run_phase_names[k]);
        double ns = json_number_value(seconds) * 1e9;
        if (!json_is_number(seconds) || !(ns >= 0)) {
            return complain(h, "a phase of the task is missing or is not a time");
        }
        task->phase_ns[k] = ns;
        task->ns += ns;
    }
    task->ended = true;
    task->solved = json_is_true(solved);
    run->ended++;
    run->solved += task->solved;
    return true;
}

static bool take_line(History *h, const json_t *line) {
    const char *event = json_string_value(json_object_get(line, "event"));
    const char *name = json_string_value(json_object_get(line, "run"));
    const char *time = json_string_value(json_object_get(line, "time"));
    const char *id = json_string_value(json_object_get(line, "task"));
    if (event == NULL || name == NULL || time == NULL || id == NULL) {
        return complain(h, "not a history line: `event`, `run`, `time` or `task` is missing");
    }
    PastRun *run = run_of(h, name, time);
    if (run == NULL) {
        return complain(h, MEM_NONE);
    }
    if (strcmp(event, "start") == 0) {
        return take_start(run, id) || complain(h, MEM_NONE);
    }
    return strcmp(event, "end") == 0 ? take_end(h, run, id, line)
                                     : complain(h, "`event` is neither start nor end");
}

/* A crash may cut a line off: the last one of a run. */
static bool is_cut(const char *line, size_t length) {
    static const char head[] = "{\"schema\":\"batt.run.history/";
    size_t shared = length < sizeof head - 1 ? length : sizeof head - 1;
    return memcmp(line, head, shared) == 0 && line[length - 1] != '}';
}

static bool read_lines(History *h, const char *bytes, size_t size) {
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        size_t length = newline != NULL ? (size_t)(newline - bytes) - at : size - at;
        json_error_t error;
        h->line++;
        if (!reserve((void **)&h->lines, &h->room_lines, h->n_lines, sizeof(json_t *))) {
            return complain(h, MEM_NONE);
        }
        json_t *line = length > 0 ? json_loadb(bytes + at, length, JSON_REJECT_DUPLICATES, &error) : NULL;
        if (line != NULL) {
            h->lines[h->n_lines++] = line;
        } else if (length > 0 && !is_cut(bytes + at, length)) {
            return complain(h, error.text);
        } else if (length > 0) {
            fprintf(cli_err(h->cli), "%s:%zu: skipped a truncated line\n", h->path, h->line);
        }
        if (line != NULL && !take_line(h, line)) {
            return false;
        }
        at += length + (newline != NULL);
    }
    if (h->n == 0) {
        cli_error(h->cli, "%s: contains no run", h->path);
    }
    return h->n > 0;
}

/* ---- figures ---- */

static double *times_of(const PastRun *run, int phase, int outliers, size_t *n) {
    double *times = mem_array(run->n + 1, sizeof *times);
    *n = 0;
    for (size_t k = 0; times != NULL && k < run->n; k++) {
        const PastTask *t = &run->tasks[k];
        if (t->ended && (outliers < 0 || t->outlier == (bool)outliers)) {
            times[(*n)++] = phase < RUN_PHASES ? t->phase_ns[phase] : t->ns;
        }
    }
    if (times != NULL) {
        stats_sort(times, *n);
    }
    return times;
}

/* The median of a phase (RUN_PHASES: of all) over all tasks (outliers -1), typical ones (0) or outliers (1).
 */
static double median_of(const PastRun *run, int phase, int outliers) {
    size_t n;
    double *times = times_of(run, phase, outliers, &n);
    double median = times != NULL && n > 0 ? stats_quantile(times, n, 0.5) : NAN;
    mem_free(times);
    return median;
}

/* By the rule of other profiles (outliers_method). False: no memory. */
static bool mark_outliers(PastRun *run, double deviations) {
    double *logs = mem_array(2 * run->n + 1, sizeof *logs);
    size_t n = 0;
    for (size_t k = 0; logs != NULL && k < run->n; k++) {
        if (run->tasks[k].ended && run->tasks[k].ns > 0) {
            logs[n++] = log(run->tasks[k].ns);
        }
    }
    if (logs == NULL || n == 0) {
        mem_free(logs);
        return logs != NULL;
    }
    stats_sort(logs, n);
    double median = stats_quantile(logs, n, 0.5), unit = 1.4826 * stats_mad(logs, n, logs + n);
    for (size_t k = 0; k < run->n; k++) {
        PastTask *t = &run->tasks[k];
        double from = t->ns > 0 ? log(t->ns) - median : 0;
        t->outlier = t->ended && unit > 0 && from / unit > deviations && t->ns > 1e5 && from > log(5);
        run->outliers += t->outlier;
    }
    mem_free(logs);
    return true;
}

static double total_of(const PastRun *run) {
    double sum = 0;
    for (size_t k = 0; k < run->n; k++) {
        sum += run->tasks[k].ns;
    }
    return sum;
}

static const PastTask *slowest_of(const PastRun *run) {
    const PastTask *slowest = NULL;
    for (size_t k = 0; k < run->n; k++) {
        slowest = run->tasks[k].ended && (slowest == NULL || run->tasks[k].ns > slowest->ns) ? &run->tasks[k]
                                                                                             : slowest;
    }
    return slowest;
}

static const char *phase_word(int phase) {
    return phase < RUN_PHASES ? run_phase_names[phase] : "all";
}

/* ---- text ---- */

static void cell_ns(Table *t, double ns) {
    char text[32];
    table_cell(t, isfinite(ns) ? format_time_in(text, ns) : "-");
}

static void write_runs(const History *h, Out *out) {
    static const char *const names[] = {"tasks", "ended", "solved", "outliers", "time", "typical", "outlier"};
    Table t;
    table_begin(&t, "run");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        table_column(&t, names[k], TABLE_RIGHT);
    }
    table_columns(&t, "slowest");
    for (size_t k = 0; k < h->n; k++) {
        const PastRun *run = &h->runs[k];
        const PastTask *slowest = slowest_of(run);
        table_fmt(&t, "%.19s", run->time);
        table_fmt(&t, "%zu", run->n);
        table_fmt(&t, "%zu", run->ended);
        table_fmt(&t, "%zu", run->solved);
        table_fmt(&t, "%zu", run->outliers);
        cell_ns(&t, total_of(run));
        cell_ns(&t, median_of(run, RUN_PHASES, 0));
        cell_ns(&t, median_of(run, RUN_PHASES, 1));
        char text[32];
        table_fmt(&t, "%s %s", slowest != NULL ? slowest->id : "",
                  slowest != NULL ? format_time_in(text, slowest->ns) : "");
    }
    table_end(&t, out, &h->cli->style);
}

static void write_unfinished(const History *h, Out *out) {
    for (size_t k = 0; k < h->n; k++) {
        const PastRun *run = &h->runs[k];
        bool any = false;
        for (size_t x = 0; x < run->n; x++) {
            if (run->tasks[x].ended) {
                continue;
            }
            if (any) {
                out_str(out, ", ");
            } else {
                out_fmt(out, "\ntasks that did not end in the run of %.19s: ", run->time);
            }
            out_printable(out, run->tasks[x].id);
            any = true;
        }
        out_str(out, any ? "\n" : "");
    }
}

/* The latest run beside the one before it. */
static void write_phases(const History *h, Out *out) {
    const PastRun *run = &h->runs[h->n - 1], *before = h->n > 1 ? run - 1 : NULL;
    Table t;
    out_fmt(out, "\nmedians of %zu outliers and %zu typical tasks in the latest run\n", run->outliers,
            run->ended - run->outliers);
    table_begin(&t, "phase", ">typical", ">outlier", ">times");
    if (before != NULL) {
        table_columns(&t, ">typical before", ">outlier before");
    }
    for (int k = 0; k <= RUN_PHASES; k++) {
        double typical = median_of(run, k, 0), outlier = median_of(run, k, 1);
        table_cell(&t, phase_word(k));
        cell_ns(&t, typical);
        cell_ns(&t, outlier);
        if (isfinite(outlier) && typical > 0) {
            table_fmt(&t, "%.1f", outlier / typical);
        } else {
            table_cell(&t, "-");
        }
        if (before != NULL) {
            cell_ns(&t, median_of(before, k, 0));
            cell_ns(&t, median_of(before, k, 1));
        }
    }
    table_end(&t, out, &h->cli->style);
}

static int slower(const void *left, const void *right) {
    const PastTask *a = *(const PastTask *const *)left, *b = *(const PastTask *const *)right;
    return a->ns != b->ns ? (a->ns < b->ns ? 1 : -1) : strcmp(a->id, b->id);
}

/* The outliers of the latest run, with the phase that makes the difference. */
static bool write_outliers(const History *h, Out *out, int64_t top) {
    const PastRun *run = &h->runs[h->n - 1];
    const PastTask **order = mem_array(run->n + 1, sizeof *order);
    size_t n = 0;
    for (size_t k = 0; order != NULL && k < run->n; k++) {
        if (run->tasks[k].outlier) {
            order[n++] = &run->tasks[k];
        }
    }
    if (order != NULL) {
        qsort(order, n, sizeof *order, slower);
    }
    out_str(out, n > 0 ? "\n" : "");
    for (size_t k = 0; k < n && (top == 0 || k < (size_t)top); k++) {
        char text[32];
        int most = 0;
        double over[RUN_PHASES];
        for (int x = 0; x < RUN_PHASES; x++) {
            over[x] = order[k]->phase_ns[x] - median_of(run, x, 0);
            most = over[x] > over[most] ? x : most;
        }
        out_str(out, "outlier     ");
        out_printable(out, order[k]->id);
        out_fmt(out, " %s, ", format_time_in(text, order[k]->ns));
        out_fmt(out, "%.0f times a typical task; %s more in %s\n",
                order[k]->ns / median_of(run, RUN_PHASES, 0), format_time_in(text, over[most]),
                run_phase_names[most]);
    }
    mem_free(order);
    return order != NULL;
}

/* ---- scripts ---- */

static void write_json(const History *h, Out *out) {
    Json json = json_on(out, 1);
    json_begin_report(&json, "batt.profile.history/1");
    json_key(&json, "runs");
    json_begin_array(&json);
    for (size_t k = 0; k < h->n; k++) {
        const PastRun *run = &h->runs[k];
        json_begin_object(&json);
        json_kv_string(&json, "run", run->name);
        json_kv_string(&json, "time", run->time);
        json_kv_uint(&json, "tasks", run->n);
        json_kv_uint(&json, "ended", run->ended);
        json_kv_uint(&json, "tasks_solved", run->solved);
        json_kv_fixed(&json, "time_s", total_of(run) * 1e-9, 9);
        json_key(&json, "phases");
        json_begin_object(&json);
        for (int x = 0; x <= RUN_PHASES; x++) {
            json_key(&json, phase_word(x));
            json_begin_object(&json);
            json_kv_fixed(&json, "typical_us", median_of(run, x, 0) * 1e-3, 3);
            json_kv_fixed(&json, "outlier_us", median_of(run, x, 1) * 1e-3, 3);
            json_end_object(&json);
        }
        json_end_object(&json);
        for (int unfinished = 0; unfinished < 2; unfinished++) {
            json_key(&json, unfinished ? "unfinished" : "outliers");
            json_begin_array(&json);
            for (size_t x = 0; x < run->n; x++) {
                if (unfinished ? !run->tasks[x].ended : run->tasks[x].outlier) {
                    json_text(&json, run->tasks[x].id);
                }
            }
            json_end_array(&json);
        }
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
    out_char(out, '\n');
}

/* ---- the report ---- */

static int report(const History *h, const ProfileOptions *opt) {
    Out out;
    out_init(&out);
    bool good = true;
    for (size_t k = 0; k < h->n && good; k++) {
        good = mark_outliers(&h->runs[k], opt->outlier_k);
    }
    if (good && opt->json) {
        write_json(h, &out);
    } else if (good) {
        write_runs(h, &out);
        write_unfinished(h, &out);
        write_phases(h, &out);
        good = write_outliers(h, &out, opt->top);
    }
    int code = !good ? cli_no_memory(h->cli) : cli_print(h->cli, &out) ? EXIT_DONE : EXIT_SHORT;
    out_free(&out);
    return code;
}

int profile_history(Cli *cli, const ProfileOptions *opt, int argc, char **argv) {
    if (argc != 1) {
        return cli_error(cli, "history needs one file written by batt run --history");
    }
    FileBuffer bytes = {0};
    History h = {.cli = cli, .path = argv[0]};
    const char *why = file_read(&bytes, argv[0]);
    int code = why != NULL ? cli_error(cli, "%s: %s", argv[0], why) : EXIT_DONE;
    if (code == EXIT_DONE) {
        code = read_lines(&h, (const char *)bytes.data, bytes.length) ? report(&h, opt) : EXIT_BAD;
    }
    for (size_t k = 0; k < h.n; k++) {
        mem_free(h.runs[k].tasks);
    }
    for (size_t k = 0; k < h.n_lines; k++) {
        json_decref(h.lines[k]);
    }
    mem_free(h.lines);
    mem_free(h.runs);
    file_release(&bytes);
    return code;
}
