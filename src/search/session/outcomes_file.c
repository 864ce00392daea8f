/* Outcomes to text and back; outcomes.h describes the format. */
#include "base/alloc.h"
#include "engine/language/source.h"
#include "search/session/outcomes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char HEAD[] = "batt-outcomes\t1";

/* ---- writing ---- */

static void write_task(Out *out, const Outcomes *o, const OutcomeTask *t) {
    out_fmt(out, "task\t%s\t%u\t%u\t%.0f\t", t->id, t->half, t->n_train, t->ms);
    for (unsigned p = 0; p < o->n_strategies; p++) {
        out_fmt(out, p ? ",%.0f" : "%.0f", t->strategy_ms[p]);
    }
    for (uint32_t x = 0; x < t->n_test; x++) {
        for (unsigned a = 0; a < SOLVE_ATTEMPTS; a++) {
            const OutcomeAnswer *answer = &t->answers[x][a];
            if (answer->state == OUTCOME_NONE || answer->state == OUTCOME_UNKNOWN) {
                out_str(out, answer->state == OUTCOME_NONE ? "\t." : "\t?");
            } else {
                out_fmt(out, "\t%c%s:%.2f:%" PRIu32, answer->state == OUTCOME_RIGHT ? '+' : '-',
                        o->strategies[answer->strategy], answer->cost, answer->pairs);
            }
        }
    }
    out_char(out, '\n');
}

void outcomes_write(Out *out, const Outcomes *o) {
    out_fmt(out, "%s\nversion\t%s\ncommit\t%s\nwhen\t%s\nmachine\t%s\ncommand\t%s\nstrategies", HEAD,
            o->version, o->commit, o->when, o->machine, o->command);
    for (unsigned p = 0; p < o->n_strategies; p++) {
        out_fmt(out, "\t%s", o->strategies[p]);
    }
    out_char(out, '\n');
    for (size_t k = 0; k < o->n_sets; k++) {
        out_fmt(out, "set\t%s\t%zu\t%zu\n", o->sets[k].name, o->sets[k].tasks, o->sets[k].outputs);
    }
    for (size_t k = 0; k < o->n_runs; k++) {
        const OutcomeRun *run = &o->runs[k];
        out_fmt(out, "run\t%s\t%s\t%" PRIu64 "\t%s\t%u\t%s\t%s\n", o->sets[run->set].name,
                run->by_steps ? "steps" : "time", run->budget, run->solo < 0 ? "-" : o->strategies[run->solo],
                run->repeat, run->own_time ? "own" : "shared", run->cut ? "cut" : "whole");
        for (size_t t = 0; t < run->n_tasks; t++) {
            write_task(out, o, &run->tasks[t]);
        }
    }
}

/* ---- reading ---- */

typedef struct OutcomesReader {
    Outcomes *o;
    const char *why; /* what is wrong; NULL: nothing */
    char *fields[1024];
    size_t n;
    OutcomeTask *tasks; /* of the last run; moved to the slab when it is complete */
    size_t n_tasks, room;
} OutcomesReader;

static bool wrong(OutcomesReader *r, const char *why) {
    r->why = why;
    return false;
}

static bool to_uint(OutcomesReader *r, const char *text, uint64_t max, uint64_t *to) {
    char *end;
    *to = strtoull(text, &end, 10);
    return (text[0] >= '0' && text[0] <= '9' && *end == '\0' && *to <= max) ||
           wrong(r, "a number is expected");
}

static bool to_real(OutcomesReader *r, const char *text, char stop, double *to, char **end) {
    *to = strtod(text, end);
    return (*end != text && **end == stop && isfinite(*to)) || wrong(r, "a number is expected");
}

static int strategy_named(const Outcomes *o, const char *name, size_t length) {
    for (unsigned p = 0; p < o->n_strategies; p++) {
        if (strlen(o->strategies[p]) == length && memcmp(o->strategies[p], name, length) == 0) {
            return (int)p;
        }
    }
    return -1;
}

static bool read_strategies(OutcomesReader *r) {
    Outcomes *o = r->o;
    o->n_strategies = 0;
    if (r->n - 1 > OUTCOME_STRATEGIES) {
        return wrong(r, "too many strategies");
    }
    for (size_t k = 1; k < r->n; k++) {
        if (!outcomes_text(o, &o->strategies[o->n_strategies++], r->fields[k])) {
            return wrong(r, MEM_NONE);
        }
    }
    return true;
}

static bool read_set(OutcomesReader *r) {
    uint64_t tasks, known;
    if (r->n != 4) {
        return wrong(r, "a set has a name, tasks and outputs");
    }
    return to_uint(r, r->fields[2], UINT32_MAX, &tasks) && to_uint(r, r->fields[3], UINT32_MAX, &known) &&
           (outcomes_add_set(r->o, r->fields[1], tasks, known) || wrong(r, MEM_NONE));
}

/* Ends a run: the tasks read since it began become its own. */
static bool end_run(OutcomesReader *r) {
    Outcomes *o = r->o;
    if (o->n_runs > 0 && o->runs[o->n_runs - 1].tasks == NULL) {
        OutcomeRun *run = &o->runs[o->n_runs - 1];
        run->tasks = slab_alloc(&o->slab, (r->n_tasks + 1) * sizeof *run->tasks);
        if (run->tasks == NULL) {
            return wrong(r, MEM_NONE);
        }
        if (r->n_tasks > 0) {
            memcpy(run->tasks, r->tasks, r->n_tasks * sizeof *run->tasks);
        }
        run->n_tasks = r->n_tasks;
        r->n_tasks = 0;
    }
    return true;
}

static bool read_run(OutcomesReader *r) {
    Outcomes *o = r->o;
    OutcomeRun run = {.solo = -1};
    uint64_t repeat;
    if (r->n != 8) {
        return wrong(r, "a run has seven fields");
    }
    while (run.set < o->n_sets && strcmp(o->sets[run.set].name, r->fields[1]) != 0) {
        run.set++;
    }
    if (run.set == o->n_sets) {
        return wrong(r, "no such set");
    }
    run.by_steps = strcmp(r->fields[2], "steps") == 0;
    if (strcmp(r->fields[4], "-") != 0) {
        run.solo = strategy_named(o, r->fields[4], strlen(r->fields[4]));
        if (run.solo < 0) {
            return wrong(r, "no such strategy");
        }
    }
    run.own_time = strcmp(r->fields[6], "own") == 0;
    run.cut = strcmp(r->fields[7], "cut") == 0;
    if (!to_uint(r, r->fields[3], UINT64_MAX, &run.budget) || !to_uint(r, r->fields[5], 100000, &repeat) ||
        !end_run(r)) {
        return false;
    }
    run.repeat = (unsigned)repeat;
    OutcomeRun *runs = mem_grow(o->runs, o->n_runs + 1, sizeof *runs);
    if (runs == NULL) {
        return wrong(r, MEM_NONE);
    }
    o->runs = runs;
    runs[o->n_runs++] = run;
    return true;
}

static bool read_answer(OutcomesReader *r, const char *text, uint32_t n_train, OutcomeAnswer *to) {
    *to = (OutcomeAnswer){.state = OUTCOME_NONE};
    if (strcmp(text, ".") == 0 || strcmp(text, "?") == 0) {
        to->state = text[0] == '.' ? OUTCOME_NONE : OUTCOME_UNKNOWN;
        return true;
    }
    const char *colon = strchr(text, ':');
    int strategy = colon != NULL ? strategy_named(r->o, text + 1, (size_t)(colon - text - 1)) : -1;
    char *end;
    uint64_t pairs;
    if (strategy < 0 || (text[0] != '+' && text[0] != '-')) {
        return wrong(r, "an answer is '.', '?', or + or - with strategy:cost:pairs");
    }
    if (!to_real(r, colon + 1, ':', &to->cost, &end) || !to_uint(r, end + 1, n_train, &pairs)) {
        return false;
    }
    to->state = text[0] == '+' ? OUTCOME_RIGHT : OUTCOME_WRONG;
    to->strategy = (uint8_t)strategy;
    to->pairs = (uint32_t)pairs;
    to->fits = pairs == n_train;
    return true;
}

static bool read_task(OutcomesReader *r) {
    enum { FIXED = 6 };
    Outcomes *o = r->o;
    uint64_t half, n_train;
    char *end;
    if (o->n_runs == 0 || r->n < FIXED || (r->n - FIXED) % SOLVE_ATTEMPTS != 0) {
        return wrong(r, "a task has an id, half, pairs, two fields of times and all attempts, after a run");
    }
    if (!MEM_ROOM(r->tasks, r->n_tasks, r->room, 64)) {
        return wrong(r, MEM_NONE);
    }
    OutcomeTask *t = &r->tasks[r->n_tasks];
    *t = (OutcomeTask){.n_test = (uint32_t)((r->n - FIXED) / SOLVE_ATTEMPTS)};
    t->answers = slab_alloc(&o->slab, (t->n_test + 1) * sizeof *t->answers);
    t->strategy_ms = slab_alloc(&o->slab, (o->n_strategies + 1) * sizeof *t->strategy_ms);
    if (t->answers == NULL || t->strategy_ms == NULL || !outcomes_text(o, &t->id, r->fields[1])) {
        return wrong(r, MEM_NONE);
    }
    if (r->n_tasks > 0 && strcmp(r->tasks[r->n_tasks - 1].id, t->id) >= 0) {
        return wrong(r, "tasks must be in ascending order of their ids");
    }
    if (!to_uint(r, r->fields[2], 2, &half) || !to_uint(r, r->fields[3], UINT32_MAX, &n_train) ||
        !to_real(r, r->fields[4], '\0', &t->ms, &end)) {
        return false;
    }
    if (half == 0) {
        return wrong(r, "a half is 1 or 2");
    }
    t->half = (uint8_t)half;
    t->n_train = (uint32_t)n_train;
    const char *at = r->fields[5];
    for (unsigned p = 0; p < o->n_strategies; p++, at = end + 1) {
        if (!to_real(r, at, p + 1 < o->n_strategies ? ',' : '\0', &t->strategy_ms[p], &end)) {
            return false;
        }
    }
    for (uint32_t x = 0; x < t->n_test * SOLVE_ATTEMPTS; x++) {
        OutcomeAnswer *to = &t->answers[x / SOLVE_ATTEMPTS][x % SOLVE_ATTEMPTS];
        if (!read_answer(r, r->fields[FIXED + x], t->n_train, to)) {
            return false;
        }
    }
    r->n_tasks++;
    return true;
}

static bool read_line(OutcomesReader *r) {
    Outcomes *o = r->o;
    const struct {
        const char *name, **field;
    } texts[] = {{"version", &o->version},
                 {"commit", &o->commit},
                 {"when", &o->when},
                 {"machine", &o->machine},
                 {"command", &o->command}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (strcmp(r->fields[0], texts[k].name) == 0) {
            return r->n == 2 ? outcomes_text(o, texts[k].field, r->fields[1]) || wrong(r, MEM_NONE)
                             : wrong(r, "one field is expected");
        }
    }
    const char *what = r->fields[0];
    return strcmp(what, "task") == 0         ? read_task(r)
           : strcmp(what, "run") == 0        ? read_run(r)
           : strcmp(what, "set") == 0        ? read_set(r)
           : strcmp(what, "strategies") == 0 ? read_strategies(r)
           : strcmp(what, "parts") == 0      ? read_strategies(r) /* as older builds write it */
                                             : wrong(r, "no such kind of line");
}

static bool split(OutcomesReader *r, char *line) {
    r->n = 0;
    for (char *next; line != NULL; line = next) {
        if (r->n == sizeof r->fields / sizeof *r->fields) {
            return wrong(r, "too many fields");
        }
        next = strchr(line, '\t');
        if (next != NULL) {
            *next++ = '\0';
        }
        r->fields[r->n++] = line;
    }
    return true;
}

bool outcomes_read(Outcomes *o, const char *path, char *why, size_t room) {
    Source source;
    char reason[256];
    outcomes_init(o);
    if (!source_read(&source, path, reason, sizeof reason)) {
        snprintf(why, room, "%s: %s", path, reason);
        return false;
    }
    OutcomesReader *r = mem_zalloc(1, sizeof *r);
    char *text = mem_strndup(source.text, source.length), *at = text;
    unsigned line = 0;
    bool good = r != NULL && text != NULL;
    if (good) {
        r->o = o;
    }
    while (good && (size_t)(at - text) < source.length) {
        char *end = strchr(at, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        line++;
        if (line == 1) {
            good = strcmp(at, HEAD) == 0 || wrong(r, "not a file written by batt bench search --save");
        } else if (*at != '\0') {
            good = split(r, at) && read_line(r);
        }
        at = end != NULL ? end + 1 : text + source.length;
    }
    if (good && line == 0) {
        good = wrong(r, "not a file written by batt bench search --save");
    }
    good = good && end_run(r);
    if (!good) {
        snprintf(why, room, "%s:%u: %s", path, line, r != NULL && r->why != NULL ? r->why : MEM_NONE);
    }
    if (r != NULL) {
        mem_free(r->tasks);
    }
    mem_free(r);
    mem_free(text);
    source_free(&source);
    return good;
}
