/* The report of batt bench search: the curve, the strategies, what changed; see bench_search.h. */
#include "base/alloc.h"
#include "tools/bench/bench_search.h"
#include "tools/display/table.h"

#include <inttypes.h>

const char *bench_search_budget(const OutcomeRun *run, char *text, size_t room) {
    if (run->by_steps) {
        snprintf(text, room, "%" PRIu64 " steps", run->budget);
    } else {
        snprintf(text, room, "%g s", (double)run->budget * 1e-9);
    }
    return text;
}

static double percent(size_t part, size_t whole) {
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void columns(Table *table, const char *const *names, unsigned left) {
    table_init(table);
    for (unsigned k = 0; names[k] != NULL; k++) {
        table_column(table, names[k], k < left ? TABLE_LEFT : TABLE_RIGHT);
    }
}

static void finish(BenchRun *run, Table *table) {
    const TermStyle *style = &run->cli->style;
    if (run->options->report) {
        table_write_markdown(table, run->out);
    } else {
        table_write(table, run->out, style->width, style->color != TERM_MONO);
    }
    out_char(run->out, '\n');
    table_free(table);
}

/* "1 s", "1 s, second run". */
static const char *run_name(const Outcomes *o, const OutcomeRun *run, char *text, size_t room) {
    char budget[64];
    bench_search_budget(run, budget, sizeof budget);
    bool again = false;
    for (size_t k = 0; k < o->n_runs; k++) {
        again |= o->runs[k].repeat > 1;
    }
    int n = snprintf(text, room, "%s%s", budget, run->cut ? " (cut)" : "");
    if (again && n > 0 && (size_t)n < room) {
        snprintf(text + n, room - (size_t)n, ", run %u", run->repeat);
    }
    return text;
}

static void curve(BenchRun *run, const Outcomes *o) {
    static const char *const names[] = {"set", "per task",   "tasks",  "outputs",  "right 1",         "2",
                                        "3",   "first half", "second", "solved 2", "first that fits", "right",
                                        "%",   "trusted",    "right",  "%",        "CPU s",           NULL};
    Table table;
    columns(&table, names, 2);
    for (size_t k = 0; k < o->n_runs; k++) {
        const OutcomeRun *r = &o->runs[k];
        unsigned attempts = (unsigned)run->options->attempts;
        if (r->solo >= 0) {
            continue;
        }
        OutcomeScore s = outcomes_score(o, r, 0, attempts), half[2];
        char text[96];
        table_cell(&table, o->sets[r->set].name);
        table_cell(&table, run_name(o, r, text, sizeof text));
        table_fmt(&table, "%zu", s.tasks);
        table_fmt(&table, "%zu", s.outputs);
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            table_fmt(&table, "%zu", s.right[a]);
        }
        for (unsigned h = 0; h < 2; h++) {
            half[h] = outcomes_score(o, r, h + 1, attempts);
            table_fmt(&table, "%zu/%zu", half[h].right[attempts - 1], half[h].outputs);
        }
        table_fmt(&table, "%zu", s.solved[1]);
        table_fmt(&table, "%zu", s.first);
        table_fmt(&table, "%zu", s.first_right);
        table_fmt(&table, "%.1f", percent(s.first_right, s.first));
        table_fmt(&table, "%zu", s.trusted);
        table_fmt(&table, "%zu", s.trusted_right);
        table_fmt(&table, "%.1f", percent(s.trusted_right, s.trusted));
        table_fmt(&table, "%.0f", s.ms / 1000);
    }
    out_fmt(run->out,
            "Outputs right at 1, 2, 3 attempts; of each half of a set (by id) at %" PRIi64
            "; tasks solved at 2; tasks whose first answer fits all pairs, and how many of those it "
            "solves; the same of those that are trusted, because their programs cost less than the tunable "
            "trusted says.\n\n",
            run->options->attempts);
    finish(run, &table);
}

static void strategies(BenchRun *run, const Outcomes *o) {
    static const char *const names[] = {"set",   "per task", "strategy", "right", "first that fits",
                                        "right", "%",        "time %",   "alone", "only",
                                        NULL};
    unsigned attempts = (unsigned)run->options->attempts;
    bool solo = false;
    Table table;
    columns(&table, names, 3);
    for (size_t k = 0; k < o->n_runs; k++) {
        const OutcomeRun *r = &o->runs[k];
        solo |= r->solo >= 0;
        if (r->solo >= 0 || r->repeat > 1) {
            continue;
        }
        OutcomeScore s = outcomes_score(o, r, 0, attempts);
        for (unsigned p = 0; p < o->n_strategies; p++) {
            size_t alone, only;
            char text[96];
            bool tried = outcomes_alone(o, r, p, attempts, &alone, &only);
            if (s.strategy[p].ms <= 0 && s.strategy[p].right == 0 && !tried) {
                continue; /* it was not run */
            }
            table_cell(&table, o->sets[r->set].name);
            table_cell(&table, run_name(o, r, text, sizeof text));
            table_cell(&table, o->strategies[p]);
            table_fmt(&table, "%zu", s.strategy[p].right);
            table_fmt(&table, "%zu", s.strategy[p].first);
            table_fmt(&table, "%zu", s.strategy[p].first_right);
            table_fmt(&table, "%.0f", percent(s.strategy[p].first_right, s.strategy[p].first));
            table_fmt(&table, "%.0f", s.ms > 0 ? 100 * s.strategy[p].ms / s.ms : 0);
            const size_t figures[2] = {alone, only};
            for (int column = 0; column < 2; column++) {
                if (tried) {
                    table_fmt(&table, "%zu", figures[column]);
                } else {
                    table_cell(&table, "");
                }
            }
        }
    }
    out_fmt(
        run->out,
        "By strategy: outputs right at %" PRIi64
        " attempts; tasks whose first answer fits and is this strategy's, and how many of those are solved "
        "by it; share of the time%s.\n\n",
        run->options->attempts,
        solo ? "; outputs right with this strategy alone, and with no other alone" : "");
    finish(run, &table);
}

static void change_row(Table *table, const char *set, const char *budget, const char *which,
                       const OutcomeChange *c) {
    table_cell(table, set);
    table_cell(table, budget);
    table_cell(table, which);
    table_fmt(table, "%zu", c->outputs);
    table_fmt(table, "%zu", c->before);
    table_fmt(table, "%zu", c->now);
    table_fmt(table, "%zu", c->gained);
    table_fmt(table, "%zu", c->lost);
    table_fmt(table, "%.3f", c->p);
}

static const char *const CHANGE[] = {"set", "per task", "half", "outputs", "before",
                                     "now", "gained",   "lost", "p",       NULL};

/* Flips between repetitions: how much one build differs from itself. */
static bool repeats(BenchRun *run, const Outcomes *o) {
    Table table;
    bool good = true, any = false;
    columns(&table, CHANGE, 3);
    for (size_t k = 0; k < o->n_runs && good; k++) {
        const OutcomeRun *r = &o->runs[k];
        const OutcomeRun *first = r->repeat > 1 ? outcomes_like(o, o, r, r->repeat - 1) : r;
        OutcomeChange c;
        char text[96];
        if (first != r) {
            good = outcomes_compare(first, r, 0, (unsigned)run->options->attempts, false, &c);
            change_row(&table, o->sets[r->set].name, run_name(o, r, text, sizeof text), "", &c);
            any = true;
        }
    }
    if (any) {
        out_str(run->out, "Changes between runs of the same build: the noise level.\n\n");
        finish(run, &table);
    } else {
        table_free(&table);
    }
    return good;
}

static void flips(Out *out, const OutcomeChange *c, bool gained) {
    out_str(out, gained ? "  gained:" : "  lost:");
    for (size_t k = 0; k < c->gained + c->lost; k++) {
        const OutcomeFlip *f = &c->flips[k];
        if (f->gained == gained) {
            out_fmt(out, " %s", f->id);
            if (f->tests > 1) {
                out_fmt(out, ":%" PRIu32, f->test + 1);
            }
        }
    }
    out_char(out, '\n');
}

static bool changes(BenchRun *run, const Outcomes *o, const Outcomes *against) {
    Table table;
    Out lists;
    bool good = true, any = false;
    columns(&table, CHANGE, 3);
    out_init(&lists);
    for (size_t k = 0; k < o->n_runs && good; k++) {
        const OutcomeRun *r = &o->runs[k], *old = outcomes_like(against, o, r, r->repeat);
        OutcomeChange c;
        char text[96], name[160];
        if (old == NULL) {
            continue;
        }
        any = true;
        run_name(o, r, text, sizeof text);
        snprintf(name, sizeof name, "%s%s%s", text, r->solo >= 0 ? ", only " : "",
                 r->solo >= 0 ? o->strategies[r->solo] : "");
        for (unsigned half = 1; half <= 2 && good; half++) {
            good = outcomes_compare(old, r, half, (unsigned)run->options->attempts, false, &c);
            if (good && c.outputs > 0) {
                change_row(&table, o->sets[r->set].name, name, half == 1 ? "first" : "second", &c);
            }
        }
        good = good && outcomes_compare(old, r, 0, (unsigned)run->options->attempts, true, &c);
        if (good) {
            change_row(&table, o->sets[r->set].name, name, "both", &c);
            out_fmt(&lists, "%s, %s\n", o->sets[r->set].name, name);
            flips(&lists, &c, true);
            flips(&lists, &c, false);
            mem_free(c.flips);
        }
    }
    if (any) {
        out_fmt(run->out,
                "Against %s %s of %s: outputs right at %" PRIi64
                " attempts that both runs tried. p: a difference this large or larger by chance (sign "
                "test).\n\n",
                against->version, against->commit, against->when, run->options->attempts);
        finish(run, &table);
        out_fmt(run->out, run->options->report ? "```\n%s```\n\n" : "%s\n", lists.data);
    } else {
        out_fmt(run->out, "Against %s %s of %s: no run of the same set and budget.\n\n", against->version,
                against->commit, against->when);
        table_free(&table);
    }
    run->out->failed |= lists.failed;
    out_free(&lists);
    return good;
}

bool bench_search_text(BenchRun *run, const Outcomes *o, const Outcomes *against) {
    if (run->options->report) {
        out_fmt(run->out, "`%s`, %s %s, %s, %s.\n\n", o->command, o->version, o->commit, o->when, o->machine);
    } else {
        out_fmt(run->out, "%s\ncommit %s, %s\n\n", o->command, o->commit, o->when);
    }
    curve(run, o);
    strategies(run, o);
    return (repeats(run, o) && (against == NULL || changes(run, o, against))) ||
           cli_error(run->cli, MEM_NONE) == EXIT_DONE;
}

/* ---- JSON ---- */

static void json_score(Json *json, const Outcomes *o, const OutcomeRun *r, unsigned half, unsigned attempts) {
    OutcomeScore s = outcomes_score(o, r, half, attempts);
    json_kv_uint(json, "tasks", s.tasks);
    json_kv_uint(json, "outputs", s.outputs);
    json_key(json, "outputs_correct_by_attempt");
    json_begin_row(json);
    for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
        json_uint(json, s.right[a]);
    }
    json_end_array(json);
    json_key(json, "tasks_solved_by_attempt");
    json_begin_row(json);
    for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
        json_uint(json, s.solved[a]);
    }
    json_end_array(json);
    json_kv_uint(json, "first_fits", s.first);
    json_kv_uint(json, "first_fits_right", s.first_right);
    json_kv_uint(json, "first_fits_trusted", s.trusted);
    json_kv_uint(json, "first_fits_trusted_right", s.trusted_right);
    json_kv_fixed(json, "work_s", s.ms / 1000, 3);
}

static void json_strategies(Json *json, const Outcomes *o, const OutcomeRun *r, unsigned attempts) {
    OutcomeScore s = outcomes_score(o, r, 0, attempts);
    json_key(json, "strategies");
    json_begin_object(json);
    for (unsigned p = 0; p < o->n_strategies; p++) {
        size_t alone, only;
        json_key(json, o->strategies[p]);
        json_begin_object(json);
        json_kv_uint(json, "right", s.strategy[p].right);
        json_kv_uint(json, "first_fits", s.strategy[p].first);
        json_kv_uint(json, "first_fits_right", s.strategy[p].first_right);
        json_kv_fixed(json, "work_s", s.strategy[p].ms / 1000, 3);
        if (outcomes_alone(o, r, p, attempts, &alone, &only)) {
            json_kv_uint(json, "alone", alone);
            json_kv_uint(json, "only", only);
        }
        json_end_object(json);
    }
    json_end_object(json);
}

static bool json_change(Json *json, const OutcomeRun *old, const OutcomeRun *now, unsigned attempts,
                        const char *key) {
    OutcomeChange c;
    if (!outcomes_compare(old, now, 0, attempts, true, &c)) {
        return false;
    }
    json_key(json, key);
    json_begin_object(json);
    json_kv_uint(json, "outputs", c.outputs);
    json_kv_uint(json, "before", c.before);
    json_kv_uint(json, "now", c.now);
    json_kv_double(json, "p", c.p);
    for (int gained = 1; gained >= 0; gained--) {
        json_key(json, gained ? "gained" : "lost");
        json_begin_row(json);
        for (size_t k = 0; k < c.gained + c.lost; k++) {
            char text[TASK_MAX_ID + 16];
            if (c.flips[k].gained == (bool)gained) {
                snprintf(text, sizeof text, "%s:%" PRIu32, c.flips[k].id, c.flips[k].test + 1);
                json_text(json, text);
            }
        }
        json_end_array(json);
    }
    json_end_object(json);
    mem_free(c.flips);
    return true;
}

bool bench_search_json(BenchRun *run, const Outcomes *o, const Outcomes *against) {
    Json *json = run->json;
    unsigned attempts = (unsigned)run->options->attempts;
    bool good = true;
    json_kv_string(json, "commit", o->commit);
    json_kv_string(json, "command", o->command);
    json_kv_uint(json, "attempts", attempts);
    json_key(json, "search");
    json_begin_array(json);
    for (size_t k = 0; k < o->n_runs && good; k++) {
        const OutcomeRun *r = &o->runs[k];
        json_begin_object(json);
        json_kv_string(json, "set", o->sets[r->set].name);
        json_kv_uint(json, r->by_steps ? "steps" : "time_ns", r->budget);
        json_kv_bool(json, "own_time", r->own_time);
        json_kv_uint(json, "repeat", r->repeat);
        json_kv_bool(json, "cut", r->cut);
        if (r->solo >= 0) {
            json_kv_string(json, "solo", o->strategies[r->solo]);
        }
        json_score(json, o, r, 0, attempts);
        json_key(json, "halves");
        json_begin_array(json);
        for (unsigned half = 1; half <= 2; half++) {
            json_begin_object(json);
            json_score(json, o, r, half, attempts);
            json_end_object(json);
        }
        json_end_array(json);
        json_strategies(json, o, r, attempts);
        const OutcomeRun *old = against != NULL ? outcomes_like(against, o, r, r->repeat) : NULL;
        good = old == NULL || json_change(json, old, r, attempts, "against");
        const OutcomeRun *first = r->repeat > 1 ? outcomes_like(o, o, r, r->repeat - 1) : r;
        good = good && (first == r || json_change(json, first, r, attempts, "earlier_run"));
        json_end_object(json);
    }
    json_end_array(json);
    return good || cli_error(run->cli, MEM_NONE) == EXIT_DONE;
}
