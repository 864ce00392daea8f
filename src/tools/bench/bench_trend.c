/* batt bench trend: shows a history file as a table with a small curve for every figure. */
#include "base/alloc.h"
#include "engine/language/source.h"
#include "tools/bench/cmd_bench.h"
#include "tools/display/table.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVE = 40 }; /* how many runs a curve shows: the last ones */

typedef struct Figure {
    char *name;     /* "engine.typical_us" */
    double *values; /* by run; NAN: not measured */
} Figure;

typedef struct Trend {
    const BenchRun *run;
    json_t **runs; /* on the same machine as the last one */
    size_t n_runs, left_out;
    Figure *figures;
    size_t n_figures, room;
    bool no_memory;
} Trend;

/* ---- reading ---- */

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static bool read_runs(Trend *t, const Source *source, const char *path) {
    const Cli *cli = t->run->cli;
    const char *at = source->text, *end = at + source->length;
    for (unsigned line = 1; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline != NULL ? newline : end;
        json_error_t error;
        json_t *run = stop > at ? json_loadb(at, (size_t)(stop - at), JSON_REJECT_DUPLICATES, &error) : NULL;
        if (stop > at && !json_is_object(json_object_get(run, "machine"))) {
            cli_error(cli, "%s:%u: %s", path, line,
                      run == NULL ? error.text : "not a line that batt bench --history wrote");
            json_decref(run);
            return false;
        }
        at = stop + 1;
        if (run == NULL) {
            continue;
        }
        json_t **more = mem_grow(t->runs, t->n_runs + 1, sizeof *more);
        if (more == NULL) {
            json_decref(run);
            cli_no_memory(cli);
            return false;
        }
        t->runs = more;
        t->runs[t->n_runs++] = run;
    }
    if (t->n_runs == 0) {
        cli_error(cli, "%s: no run in it; batt bench --history %s adds one", path, path);
    }
    return t->n_runs > 0;
}

/* Times from different machines make no trend: only runs on the last run's machine are kept. */
static void keep_machine(Trend *t) {
    json_t *last = json_incref(json_object_get(t->runs[t->n_runs - 1], "machine"));
    size_t kept = 0;
    for (size_t k = 0; k < t->n_runs; k++) {
        const json_t *machine = json_object_get(t->runs[k], "machine");
        if (strcmp(text_of(machine, "processor"), text_of(last, "processor")) == 0 &&
            strcmp(text_of(machine, "architecture"), text_of(last, "architecture")) == 0) {
            t->runs[kept++] = t->runs[k];
        } else {
            json_decref(t->runs[k]);
            t->left_out++;
        }
    }
    t->n_runs = kept;
    json_decref(last);
}

/* ---- figures ---- */

/* Single primitives, and details of how it was measured, are shown only if asked for. */
static bool wanted(const Trend *t, const char *name) {
    static const char *const quiet[] = {"prims.", "machine.", "rounds", "passes"};
    for (int k = 0; k < t->run->n_names; k++) {
        if (strstr(name, t->run->names[k]) != NULL) {
            return true;
        }
    }
    for (size_t k = 0; k < sizeof quiet / sizeof *quiet; k++) {
        if (strncmp(name, quiet[k], strlen(quiet[k])) == 0) {
            return false;
        }
    }
    return t->run->n_names == 0;
}

static Figure *figure_of(Trend *t, const char *name) {
    for (size_t k = 0; k < t->n_figures; k++) {
        if (strcmp(t->figures[k].name, name) == 0) {
            return &t->figures[k];
        }
    }
    if (!MEM_ROOM(t->figures, t->n_figures, t->room, 64)) {
        return NULL;
    }
    Figure *f = &t->figures[t->n_figures];
    *f = (Figure){mem_strndup(name, strlen(name)), mem_array(t->n_runs, sizeof *f->values)};
    if (f->name == NULL || f->values == NULL) {
        mem_free(f->name);
        mem_free(f->values);
        return NULL;
    }
    for (size_t k = 0; k < t->n_runs; k++) {
        f->values[k] = NAN;
    }
    t->n_figures++;
    return f;
}

static void take(Trend *t, size_t run, const char *prefix, json_t *object, unsigned depth) {
    enum { DEEPEST = 8 };
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        char name[256];
        snprintf(name, sizeof name, "%.120s%s%.120s", prefix, prefix[0] != '\0' ? "." : "", key);
        if (json_is_object(value) && depth < DEEPEST) {
            take(t, run, name, value, depth + 1);
        } else if (json_is_number(value) && wanted(t, name)) {
            Figure *f = figure_of(t, name);
            t->no_memory |= f == NULL;
            if (f != NULL) {
                f->values[run] = json_number_value(value);
            }
        }
    }
}

/* ---- showing ---- */

typedef struct Summary {
    double first, last, least, most, before; /* before: the value before the last one */
    size_t n;
} Summary;

static Summary sum_up(const Trend *t, const Figure *f) {
    Summary s = {NAN, NAN, INFINITY, -INFINITY, NAN, 0};
    for (size_t k = 0; k < t->n_runs; k++) {
        double value = f->values[k];
        if (!isnan(value)) {
            s.first = s.n == 0 ? value : s.first;
            s.before = s.last;
            s.last = value;
            s.least = fmin(s.least, value);
            s.most = fmax(s.most, value);
            s.n++;
        }
    }
    return s;
}

static double change(double from, double to) {
    return from != 0 && isfinite(from) ? 100 * (to / from - 1) : NAN;
}

static void number(Table *table, double value) {
    if (fabs(value) >= 1000) {
        table_fmt(table, "%.0f", value);
    } else {
        table_fmt(table, "%.4g", value);
    }
}

static void percent(Table *table, double value) {
    if (isnan(value)) {
        table_cell(table, "-");
    } else {
        table_fmt(table, "%+.1f %%", value);
    }
}

/* The lowest value gets the lowest bar, the highest the highest; a run without this figure gets a blank. */
static void draw_curve(Out *out, const Trend *t, const Figure *f, const Summary *s, bool utf8) {
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", "-", "=", "+", "*", "%", "#"};
    out_clear(out);
    for (size_t k = t->n_runs > CURVE ? t->n_runs - CURVE : 0; k < t->n_runs; k++) {
        double value = f->values[k],
               height = s->most > s->least ? (value - s->least) / (s->most - s->least) : 0;
        out_str(out, isnan(value) ? " " : (utf8 ? bars : plain)[(int)(7 * height + 0.5)]);
    }
}

static void write_text(const Trend *t) {
    const TermStyle *style = &t->run->cli->style;
    Out *out = t->run->out, curve;
    Table table;
    out_init(&curve);
    table_init(&table);
    table_column(&table, "figure", TABLE_LEFT);
    table_column(&table, "first", TABLE_RIGHT);
    table_column(&table, "least", TABLE_RIGHT);
    table_column(&table, "most", TABLE_RIGHT);
    table_column(&table, "last", TABLE_RIGHT);
    table_column(&table, "since first", TABLE_RIGHT);
    table_column(&table, "since before", TABLE_RIGHT);
    table_column(&table, "runs, the last on the right", TABLE_LEFT);
    for (size_t k = 0; k < t->n_figures; k++) {
        const Figure *f = &t->figures[k];
        Summary s = sum_up(t, f);
        draw_curve(&curve, t, f, &s, style->utf8);
        table_cell(&table, f->name);
        number(&table, s.first);
        number(&table, s.least);
        number(&table, s.most);
        number(&table, s.last);
        percent(&table, s.n > 1 ? change(s.first, s.last) : NAN);
        percent(&table, change(s.before, s.last));
        table_cell(&table, curve.data);
    }
    out_fmt(out, "%zu run%s from %s to %s on %s", t->n_runs, t->n_runs == 1 ? "" : "s",
            text_of(t->runs[0], "when"), text_of(t->runs[t->n_runs - 1], "when"),
            text_of(json_object_get(t->runs[0], "machine"), "processor"));
    if (t->left_out > 0) {
        out_fmt(out, "; %zu of other machines left out", t->left_out);
    }
    out_str(out, "\n\n");
    table_write(&table, out, 0, style->color != TERM_MONO);
    table_free(&table);
    out_free(&curve);
}

static void write_json(const Trend *t) {
    Json *json = t->run->json;
    json_kv_uint(json, "runs", t->n_runs);
    json_kv_uint(json, "other_machines", t->left_out);
    json_key(json, "times");
    json_begin_row(json);
    for (size_t k = 0; k < t->n_runs; k++) {
        json_text(json, text_of(t->runs[k], "when"));
    }
    json_end_array(json);
    json_key(json, "figures");
    json_begin_object(json);
    for (size_t k = 0; k < t->n_figures; k++) {
        const Figure *f = &t->figures[k];
        Summary s = sum_up(t, f);
        json_key(json, f->name);
        json_begin_object(json);
        json_key(json, "values");
        json_begin_row(json);
        for (size_t x = 0; x < t->n_runs; x++) {
            json_double(json, f->values[x]);
        }
        json_end_array(json);
        json_kv_double(json, "first", s.first);
        json_kv_double(json, "last", s.last);
        json_kv_double(json, "least", s.least);
        json_kv_double(json, "most", s.most);
        json_kv_double(json, "since_first_pct", s.n > 1 ? change(s.first, s.last) : NAN);
        json_kv_double(json, "since_before_pct", change(s.before, s.last));
        json_end_object(json);
    }
    json_end_object(json);
}

int bench_part_trend(BenchRun *run) {
    if (run->n_names == 0) {
        return cli_error(run->cli, "trend: which file? batt bench --history FILE writes one");
    }
    const char *path = run->names[0];
    BenchRun figures = *run; /* the names after the file choose figures */
    figures.names++;
    figures.n_names--;
    Trend t = {.run = &figures};
    Source source;
    char why[256];
    if (!source_read(&source, path, why, sizeof why)) {
        return cli_error(run->cli, "%s: %s", path, why);
    }
    int code = read_runs(&t, &source, path) ? EXIT_DONE : EXIT_BAD;
    source_free(&source);
    if (code == EXIT_DONE) {
        keep_machine(&t);
        for (size_t k = 0; k < t.n_runs; k++) {
            take(&t, k, "", t.runs[k], 0);
        }
        if (t.no_memory) {
            code = cli_error(run->cli, MEM_NONE);
        } else if (t.n_figures == 0) {
            code = cli_error(run->cli, "%s: no figure has such a name", path);
        } else {
            write_text(&t);
            write_json(&t);
        }
    }
    for (size_t k = 0; k < t.n_figures; k++) {
        mem_free(t.figures[k].name);
        mem_free(t.figures[k].values);
    }
    for (size_t k = 0; k < t.n_runs; k++) {
        json_decref(t.runs[k]);
    }
    mem_free(t.figures);
    mem_free(t.runs);
    return code;
}
