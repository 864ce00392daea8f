/* The report of batt net: answers and curves, as text and as JSON, and the data of its page. */
#include "base/alloc.h"
#include "base/json.h"
#include "search/net/device_cost.h"
#include "tools/cli/net_on_device.h"
#include "tools/display/draw.h"
#include "tools/display/net_page.h"
#include "tools/display/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static double share_of(const NetTaskResult *t, uint32_t number) {
    return exp(t->answers.answers[number].total - net_answers_all(&t->answers));
}

static uint32_t place_of_right(const NetTaskResult *t) {
    return t->right != UINT32_MAX ? net_answers_place(&t->answers, t->right) : 0;
}

typedef struct NetReportSums {
    size_t tasks, known, refused, right[NET_ATTEMPTS], among, steps;
    uint64_t time_ns, restarts;
    double layers[NET_LAYERS];
} NetReportSums;

static NetReportSums sum_up(const NetJob *job) {
    NetReportSums s = {.tasks = job->data.n_tasks};
    for (size_t k = 0; k < job->data.n_tasks; k++) {
        const NetTaskResult *t = &job->tasks[k];
        uint32_t place = place_of_right(t);
        s.refused += t->why[0] != '\0';
        s.known += t->known;
        s.among += place > 0;
        for (uint32_t a = 0; a < NET_ATTEMPTS; a++) {
            s.right[a] += place > 0 && place <= a + 1;
        }
        for (int64_t r = 0; r < job->options->seeds; r++) {
            const NetRunResult *run = &t->runs[r];
            s.steps += run->steps - run->resumed;
            s.time_ns += run->time_ns;
            s.restarts += run->restarts;
            for (unsigned layer = 0; layer < NET_LAYERS; layer++) {
                s.layers[layer] += (double)run->meter.ns[layer];
            }
        }
    }
    return s;
}

/* ---- text ---- */

static const char *outcome(const NetTaskResult *t) {
    uint32_t place = place_of_right(t);
    return t->why[0] != '\0'       ? "refused"
           : t->n_best == 0        ? "none"
           : !t->known             ? "given"
           : place == 0            ? "wrong"
           : place <= NET_ATTEMPTS ? "right"
                                   : "not chosen";
}

static TermAttr outcome_attr(const NetTaskResult *t) {
    uint32_t place = place_of_right(t);
    return !t->known ? ATTR_RESET : place > 0 && place <= NET_ATTEMPTS ? ATTR_GOOD : ATTR_BAD;
}

static void write_table(Out *out, const TermStyle *style, const NetJob *job) {
    Table table;
    table_begin(&table, "task", "answer", ">share", ">steps", ">code", ">grids", ">time");
    for (size_t k = 0; k < job->data.n_tasks; k++) {
        const NetTaskResult *t = &job->tasks[k];
        table_cell(&table, t->task->id);
        table_colored(&table, term_attr(style, outcome_attr(t)), outcome(t));
        if (t->why[0] != '\0' || t->n_best == 0) {
            table_cell(&table, "");
        } else {
            table_fmt(&table, "%.1f %%", 100 * share_of(t, t->best[0]));
        }
        size_t steps = 0;
        uint64_t ns = 0;
        const NetRunResult *last = &t->runs[0];
        for (int64_t r = 0; r < job->options->seeds; r++) {
            steps += t->runs[r].steps;
            ns += t->runs[r].time_ns;
            last = t->runs[r].done ? &t->runs[r] : last;
        }
        table_fmt(&table, "%zu", steps);
        table_fmt(&table, "%.1f", last->loss.kl);
        table_fmt(&table, "%.2f", last->loss.rec);
        table_fmt(&table, "%.2f s", (double)ns * 1e-9);
    }
    table_end(&table, out, style);
}

/* Losses at some steps, and what the running means answered then. */
static void write_curve(Out *out, const TermStyle *style, const NetRunResult *run) {
    enum { LINES = 12 };
    Table table;
    table_begin(&table, ">step", ">loss", ">code", ">grids");
    uint32_t n = run->curve.count, every = (n + LINES - 1) / LINES;
    for (uint32_t k = 0; k < n; k += k + every < n || k + 1 == n ? every : n - 1 - k) {
        const NetMoment *m = &run->curve.moments[k];
        table_fmt(&table, "%u", m->step);
        table_fmt(&table, "%.1f", m->kl + 10 * m->rec);
        table_fmt(&table, "%.1f", m->kl);
        table_fmt(&table, "%.2f", m->rec);
    }
    table_end(&table, out, style);
}

static void write_answers(Out *out, const TermStyle *style, const NetTaskResult *t) {
    for (uint32_t test = 0; test < (uint32_t)t->task->n_test; test++) {
        char label[40], note[NET_ATTEMPTS][60];
        DrawStrip strip = {.label = label, .count = 1};
        snprintf(label, sizeof label, "test %u", test + 1);
        strip.panels[0] = (DrawPanel){.name = "input", .image = t->task->test[test].in};
        for (uint32_t a = 0; a < NET_ATTEMPTS && a < t->n_best; a++) {
            bool right = t->known && task_image_equal(t->task->test[test].out,
                                                      net_answer_grid(&t->answers, t->best[a], test));
            snprintf(note[a], sizeof note[a], "answer %u, %.1f %%%s", a + 1, 100 * share_of(t, t->best[a]),
                     !t->known ? ""
                     : right   ? ", right"
                               : ", wrong");
            strip.panels[strip.count++] =
                (DrawPanel){.name = note[a],
                            .joint = a == 0 ? JOINT_ARROW : JOINT_GAP,
                            .image = net_answer_grid(&t->answers, t->best[a], test)};
        }
        draw_strips(out, style, &strip, 1);
    }
}

static void write_layers(Out *out, const TermStyle *style, const NetReportSums *s) {
    double all = 0;
    for (unsigned k = 0; k < NET_LAYERS; k++) {
        all += s->layers[k];
    }
    Table table;
    table_begin(&table, "layer", ">ms a step", ">share", "");
    for (unsigned k = 0; k < NET_LAYERS && s->steps > 0; k++) {
        table_cell(&table, net_layers[k].name);
        table_fmt(&table, "%.3f", s->layers[k] * 1e-6 / (double)s->steps);
        table_fmt(&table, "%.1f %%", all > 0 ? 100 * s->layers[k] / all : 0);
        table_cell(&table, net_layers[k].text);
    }
    table_cell(&table, "all");
    table_fmt(&table, "%.3f", s->steps > 0 ? all * 1e-6 / (double)s->steps : 0);
    table_cell(&table, "");
    table_cell(&table, "threads together");
    table_end(&table, out, style);
}

int net_write_text(Out *out, NetJob *job) {
    const TermStyle *style = &job->cli->style;
    NetReportSums s = sum_up(job);
    const NetTaskResult *only = job->data.n_tasks == 1 ? &job->tasks[0] : NULL;
    if (only != NULL && only->why[0] == '\0' && !job->options->quiet) {
        const NetShape *shape = &only->mem.shape;
        out_fmt(out, "%s%s%s: %u examples, %u colors beside black, %ux%u; %zu numbers to learn, %.0f MB\n",
                term_attr(style, ATTR_BOLD), only->task->id, term_attr(style, ATTR_RESET), shape->n,
                shape->colors, shape->rows, shape->columns, only->mem.parameters, (double)only->bytes * 1e-6);
        for (int64_t r = 0; r < job->options->seeds; r++) {
            if (only->runs[r].curve.count > 0) {
                out_fmt(out, "seed %" PRIu64 "\n", only->runs[r].seed);
                write_curve(out, style, &only->runs[r]);
            }
        }
        write_answers(out, style, only);
    } else if (!job->options->quiet) {
        write_table(out, style, job);
        out_char(out, '\n');
    }
    for (size_t k = 0; k < job->data.n_tasks; k++) {
        if (job->tasks[k].why[0] != '\0') {
            out_fmt(out, "%srefused%s     %s: %s\n", term_attr(style, ATTR_BAD), term_attr(style, ATTR_RESET),
                    job->tasks[k].task->id, job->tasks[k].why);
        }
    }
    for (uint32_t a = 0; a < NET_ATTEMPTS && s.known > 0; a++) {
        out_fmt(out, "%s%u attempt%s  %zu of %zu tasks right%s\n",
                a + 1 == NET_ATTEMPTS ? term_attr(style, ATTR_BOLD) : "", a + 1, a > 0 ? "s" : " ",
                s.right[a], s.known, term_attr(style, ATTR_RESET));
    }
    if (s.known > 0) {
        out_fmt(out, "sampled     %zu of %zu tasks have the right answer among all answers of their nets\n",
                s.among, s.known);
    }
    if (s.restarts > 0) {
        out_fmt(out, "restarts    %" PRIu64 ", because numbers overflowed\n", s.restarts);
    }
    out_fmt(out, "steps       %zu, %.1f ms each\n", s.steps,
            s.steps > 0 ? (double)s.time_ns * 1e-6 / (double)s.steps : 0.0);
    out_fmt(out, "wall        %.2f s\n", (double)phase_total_ns(&job->phases) * 1e-9);
    net_on_device_text(out, job);
    if (job->options->layers) {
        write_layers(out, style, &s);
    }
    return profile_collect(&job->recorder, &job->phases, job->ids, NULL, out);
}

/* ---- JSON ---- */

static void json_answers(Json *json, const NetTaskResult *t) {
    json_key(json, "answers");
    json_begin_array(json);
    for (uint32_t k = 0; k < t->n_best; k++) {
        const NetAnswer *answer = &t->answers.answers[t->best[k]];
        json_begin_object(json);
        json_kv_fixed(json, "share", share_of(t, t->best[k]), 6);
        json_kv_uint(json, "times", answer->count);
        json_kv_uint(json, "first_step", answer->first);
        if (t->known) {
            json_kv_bool(json, "is_correct", t->best[k] == t->right);
        }
        json_key(json, "grids");
        json_begin_array(json);
        for (uint32_t test = 0; test < (uint32_t)t->task->n_test; test++) {
            json_image(json, net_answer_grid(&t->answers, t->best[k], test), true);
        }
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_runs(Json *json, const NetJob *job, const NetTaskResult *t) {
    json_key(json, "runs");
    json_begin_array(json);
    for (int64_t r = 0; r < job->options->seeds; r++) {
        const NetRunResult *run = &t->runs[r];
        if (!run->done) {
            continue;
        }
        json_begin_object(json);
        json_kv_uint(json, "seed", run->seed);
        json_kv_uint(json, "steps", run->steps);
        json_kv_uint(json, "resumed_at", run->resumed);
        json_kv_uint(json, "restarts", run->restarts);
        json_kv_fixed(json, "time_s", (double)run->time_ns * 1e-9, 6);
        json_kv_double(json, "kl", run->loss.kl);
        json_kv_double(json, "reconstruction", run->loss.rec);
        json_kv_double(json, "loss", run->loss.kl + 10 * run->loss.rec);
        json_key(json, "curve");
        json_begin_array(json);
        for (uint32_t k = 0; k < run->curve.count; k++) {
            const NetMoment *m = &run->curve.moments[k];
            json_begin_row(json);
            json_uint(json, m->step);
            json_fixed(json, m->kl, 3);
            json_fixed(json, m->rec, 4);
            json_uint(json, m->place);
            json_end_array(json);
        }
        json_end_array(json);
        json_end_object(json);
    }
    json_end_array(json);
}

static void json_task(Json *json, const NetJob *job, const NetTaskResult *t) {
    const NetShape *shape = &t->mem.shape;
    json_begin_object(json);
    json_kv_string(json, "id", t->task->id);
    if (t->why[0] != '\0') {
        json_kv_string(json, "refused", t->why);
    }
    json_kv_uint(json, "examples", shape->n);
    json_kv_uint(json, "colors", shape->colors);
    json_kv_uint(json, "rows", shape->rows);
    json_kv_uint(json, "columns", shape->columns);
    json_kv_uint(json, "parameters", t->mem.parameters);
    json_kv_uint(json, "bytes", t->bytes);
    if (net_on_device(job) && t->why[0] == '\0') {
        NetStepCost cost = net_device_cost(&t->mem);
        json_kv_double(json, "step_read_bytes", cost.read_bytes);
        json_kv_double(json, "step_written_bytes", cost.written_bytes);
        json_kv_double(json, "step_operations", cost.operations);
    }
    json_kv_uint(json, "distinct_answers", t->answers.distinct);
    if (t->known) {
        json_kv_uint(json, "place_of_correct", place_of_right(t));
    }
    json_answers(json, t);
    json_runs(json, job, t);
    json_end_object(json);
}

int net_write_json(Out *out, NetJob *job) {
    NetReportSums s = sum_up(job);
    Json json = json_on(out, 1);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, job->data.hash);
    json_begin_report(&json, "batt.net/1");
    json_kv_uint(&json, "tasks", s.tasks);
    json_kv_uint(&json, "tasks_known", s.known);
    json_kv_uint(&json, "refused", s.refused);
    json_kv_uint(&json, "tasks_solved", s.right[NET_ATTEMPTS - 1]);
    json_key(&json, "tasks_solved_by_attempt");
    json_begin_row(&json);
    for (uint32_t a = 0; a < NET_ATTEMPTS; a++) {
        json_uint(&json, s.right[a]);
    }
    json_end_array(&json);
    json_kv_uint(&json, "tasks_sampled", s.among);
    json_kv_uint(&json, "steps", s.steps);
    json_kv_fixed(&json, "time_s", (double)s.time_ns * 1e-9, 6);
    json_kv_string(&json, "data_hash", hash);
    net_on_device_json(&json, job);
    if (job->options->layers) {
        json_key(&json, "layers_ms");
        json_begin_object(&json);
        for (unsigned k = 0; k < NET_LAYERS; k++) {
            json_kv_fixed(&json, net_layers[k].name, s.steps > 0 ? s.layers[k] * 1e-6 / (double)s.steps : 0,
                          4);
        }
        json_end_object(&json);
    }
    json_key(&json, "results");
    json_begin_array(&json);
    for (size_t k = 0; k < job->data.n_tasks; k++) {
        json_task(&json, job, &job->tasks[k]);
    }
    json_end_array(&json);
    phase_json(&json, &job->phases);
    int code = profile_collect(&job->recorder, &job->phases, job->ids, &json, out);
    json_end_object(&json);
    out_char(out, '\n');
    return code;
}

/* ---- the page ---- */

void net_write_page(Out *out, NetJob *job) {
    Page page;
    char summary[100];
    NetReportSums s = sum_up(job);
    snprintf(summary, sizeof summary, "%zu task%s, %zu steps", s.tasks, s.tasks == 1 ? "" : "s", s.steps);
    net_page_begin(&page, out, "batt net", summary, job->cli->style.palette);
    for (size_t k = 0; k < job->data.n_tasks; k++) {
        const NetTaskResult *t = &job->tasks[k];
        net_page_task(&page, t->task, t->why[0] != '\0' ? t->why : NULL);
        for (uint32_t a = 0; a < t->n_best; a++) {
            net_page_answer(&page, &t->answers, t->best[a], share_of(t, t->best[a]));
        }
        net_page_runs(&page);
        for (int64_t r = 0; r < job->options->seeds; r++) {
            if (t->runs[r].curve.count > 0) {
                net_page_run(&page, t->runs[r].seed, &t->runs[r].curve, &t->runs[r].answers);
            }
        }
        net_page_task_end(&page);
    }
    net_page_end(&page);
}
