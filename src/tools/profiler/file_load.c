/* Reading a saved profile back. The file may come from anywhere: everything is checked, and the first thing
 * that is wrong is named with its place in the document. */
#include "base/alloc.h"
#include "tools/profiler/file.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Load {
    Profile *p;
    const char *path;
    char *why;
    size_t why_size;
} Load;

static void say(const Load *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const Load *l, const char *format, ...) {
    va_list args;
    int at = snprintf(l->why, l->why_size, "%.300s: ", l->path);
    va_start(args, format);
    vsnprintf(l->why + at, l->why_size - (size_t)at, format, args);
    va_end(args);
}
#define wrong(...) (say(__VA_ARGS__), false) /* so that the compiler knows that it is false */

/* About a hundred days; beyond that, a double is no longer exact to the nanosecond. */
#define MAX_NS 9e15

static bool number_up_to(const Load *l, const json_t *value, const char *where, double max, double *to) {
    if (!json_is_number(value) || !(json_number_value(value) >= 0 && json_number_value(value) <= max)) {
        return wrong(l, "%s must be a number from 0 to %.0e", where, max);
    }
    *to = json_number_value(value);
    return true;
}

static bool number(const Load *l, const json_t *value, const char *where, double *to) {
    return number_up_to(l, value, where, MAX_NS, to);
}

static bool seconds(const Load *l, const json_t *value, const char *where, double *ns) {
    bool good = number_up_to(l, value, where, MAX_NS * 1e-9, ns);
    *ns *= 1e9;
    return good;
}

static bool count(const Load *l, const json_t *value, const char *where, uint64_t max, uint64_t *to) {
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > max) {
        return wrong(l, "%s must be a whole number from 0 to %llu", where, (unsigned long long)max);
    }
    *to = (uint64_t)json_integer_value(value);
    return true;
}

static bool count32(const Load *l, const json_t *object, const char *key, uint32_t max, uint32_t *to) {
    uint64_t wide;
    if (!count(l, json_object_get(object, key), key, max, &wide)) {
        return false;
    }
    *to = (uint32_t)wide;
    return true;
}

static bool text(const Load *l, const json_t *value, const char *where, const char **to) {
    if (!json_is_string(value)) {
        return wrong(l, "%s must be a text", where);
    }
    for (const char *at = json_string_value(value); *at != '\0'; at++) {
        /* exports put the text into lines and columns */
        if ((unsigned char)*at < ' ' || *at == '"' || *at == 127) {
            return wrong(l, "%s has a character that no name has", where);
        }
    }
    *to = profile_text(l->p, json_string_value(value));
    return *to != NULL || wrong(l, MEM_NONE);
}

static bool array(const Load *l, const json_t *value, const char *where, size_t min) {
    return (json_is_array(value) && json_array_size(value) >= min) ||
           wrong(l, "%s must be a list of at least %zu", where, min);
}

static bool numbers(const Load *l, const json_t *value, const char *where, double **to) {
    uint32_t n = l->p->repeats;
    if (!array(l, value, where, n)) {
        return false;
    }
    *to = profile_alloc(l->p, n, sizeof **to);
    if (*to == NULL) {
        return wrong(l, MEM_NONE);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (!number(l, json_array_get(value, k), where, &(*to)[k])) {
            return false;
        }
    }
    return true;
}

/* ---- the parts ---- */

static bool load_level(const Load *l, const char *name) {
    for (int k = PROF_OFF; k <= PROF_TRACE; k++) {
        if (strcmp(name, prof_level_name((ProfLevel)k)) == 0) {
            l->p->level = (ProfLevel)k;
            return true;
        }
    }
    return wrong(l, "level `%.50s` is unknown", name);
}

/* Repeats of each run; a profile without this member has one run. */
static bool load_runs(const Load *l, const json_t *runs) {
    Profile *p = l->p;
    size_t n = runs != NULL ? json_array_size(runs) : 1;
    uint64_t sum = 0;
    if (runs != NULL && (!json_is_array(runs) || n == 0 || n > p->repeats)) {
        return wrong(l, "runs must be a list of 1 to %u numbers", p->repeats);
    }
    p->run_repeats = profile_alloc(p, n, sizeof *p->run_repeats);
    if (p->run_repeats == NULL) {
        return wrong(l, MEM_NONE);
    }
    p->n_runs = (uint32_t)n;
    for (size_t k = 0; k < n; k++) {
        uint64_t repeats = p->repeats;
        if (runs != NULL && !count(l, json_array_get(runs, k), "repeats of a run", p->repeats, &repeats)) {
            return false;
        }
        p->run_repeats[k] = (uint32_t)repeats;
        sum += repeats;
        if (repeats == 0) {
            return wrong(l, "a run without repeats");
        }
    }
    return sum == p->repeats ||
           wrong(l, "the runs have %llu repeats, not %u", (unsigned long long)sum, p->repeats);
}

static bool load_header(const Load *l, const json_t *root) {
    Profile *p = l->p;
    const char *format, *level;
    uint32_t version;
    if (!json_is_object(root) || !json_is_string(json_object_get(root, "format"))) {
        return wrong(l, "not a profile: it has no \"format\"");
    }
    format = json_string_value(json_object_get(root, "format"));
    if (strcmp(format, "batt-profile") != 0) {
        return wrong(l, "not a profile: its format is `%.50s`", format);
    }
    if (!count32(l, root, "version", UINT32_MAX, &version)) {
        return false;
    }
    if (version != PROFILE_FORMAT) {
        return wrong(l, "version %u of the format, this batt reads version %d", version, PROFILE_FORMAT);
    }
    return text(l, json_object_get(root, "batt"), "batt", &p->version) &&
           text(l, json_object_get(root, "command"), "command", &p->command) &&
           text(l, json_object_get(root, "when"), "when", &p->when) &&
           text(l, json_object_get(root, "processor"), "processor", &p->processor) &&
           text(l, json_object_get(root, "data"), "data", &p->data) &&
           text(l, json_object_get(root, "level"), "level", &level) && load_level(l, level) &&
           count32(l, root, "processors", UINT32_MAX, &p->processors) &&
           count32(l, root, "workers", 1 << 20, &p->workers) &&
           count32(l, root, "repeats", 1 << 20, &p->repeats) &&
           count32(l, root, "warmup", UINT32_MAX, &p->warmup) &&
           (p->repeats > 0 || wrong(l, "repeats must be at least 1")) &&
           load_runs(l, json_object_get(root, "runs"));
}

static bool load_model(const Load *l, const json_t *model) {
    ProfModel *m = &l->p->model;
    if (model == NULL) { /* projections were not asked for */
        return true;
    }
    m->known = true;
    const struct {
        const char *name;
        double *to;
    } members[] = {{"load_fixed_ns", &m->load_fixed},
                   {"load_task_ns", &m->load_task},
                   {"generate_fixed_ns", &m->generate_fixed},
                   {"generate_task_ns", &m->generate_task}};
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        if (!number(l, json_object_get(model, members[k].name), members[k].name, members[k].to)) {
            return false;
        }
    }
    return true;
}

static bool load_work(const Load *l, const json_t *work, double *to) {
    for (int k = 0; k < WORK_COUNT; k++) {
        const json_t *value = json_object_get(work, prof_work_name((ProfWork)k));
        if (value == NULL && (k >= WORK_NETWORK || k == WORK_BUILD)) { /* older profiles have none */
            continue;
        }
        if (!json_is_number(value) || !(fabs(json_number_value(value)) <= MAX_NS)) {
            return wrong(l, "work_ns.%s must be a number up to %.0e", prof_work_name((ProfWork)k), MAX_NS);
        }
        to[k] = json_number_value(value); /* may be a little below 0: it is a difference */
    }
    return true;
}

/* Of merged profiles only. */
static bool load_sources(const Load *l, const json_t *sources) {
    Profile *p = l->p;
    if (sources == NULL) {
        return true;
    }
    if (!array(l, sources, "sources", 1)) {
        return false;
    }
    p->sources = profile_alloc(p, json_array_size(sources), sizeof *p->sources);
    if (p->sources == NULL) {
        return wrong(l, MEM_NONE);
    }
    p->n_sources = (uint32_t)json_array_size(sources);
    for (uint32_t k = 0; k < p->n_sources; k++) {
        const json_t *entry = json_array_get(sources, k);
        ProfSource *s = &p->sources[k];
        if (!text(l, json_object_get(entry, "name"), "name of a source", &s->name) ||
            !count32(l, entry, "workers", 1 << 20, &s->workers) ||
            !seconds(l, json_object_get(entry, "wall_s"), "wall_s of a source", &s->wall_ns) ||
            !seconds(l, json_object_get(entry, "cpu_s"), "cpu_s of a source", &s->cpu_ns) ||
            !seconds(l, json_object_get(entry, "pass_s"), "pass_s of a source", &s->pass_ns) ||
            !load_work(l, json_object_get(entry, "work_ns"), s->work_ns)) {
            return false;
        }
    }
    return true;
}

static bool load_times(const Load *l, const json_t *root) {
    Profile *p = l->p;
    const json_t *phases = json_object_get(root, "phases"), *work = json_object_get(root, "work_ns");
    for (int k = 0; k < PHASE_COUNT; k++) {
        if (!seconds(l, json_object_get(phases, phase_name((Phase)k)), phase_name((Phase)k),
                     &p->phases_ns[k])) {
            return false;
        }
    }
    if (!load_work(l, work, p->work_ns)) {
        return false;
    }
    const json_t *cpu = json_object_get(root, "cpu_s"), *low = json_object_get(root, "timestamp_low_ns"),
                 *high = json_object_get(root, "timestamp_high_ns");
    return load_model(l, json_object_get(root, "model")) &&
           (low == NULL || number(l, low, "timestamp_low_ns", &p->timestamp_low_ns)) &&
           (high == NULL || number(l, high, "timestamp_high_ns", &p->timestamp_high_ns)) &&
           (cpu == NULL || seconds(l, cpu, "cpu_s", &p->cpu_ns)) &&
           seconds(l, json_object_get(root, "wall_s"), "wall_s", &p->wall_ns) &&
           numbers(l, json_object_get(root, "pass_ns"), "pass_ns", &p->pass_ns) &&
           number(l, json_object_get(root, "measured_ns"), "measured_ns", &p->measured_ns) &&
           number(l, json_object_get(root, "plain_ns"), "plain_ns", &p->plain_ns) &&
           number(l, json_object_get(root, "timestamp_ns"), "timestamp_ns", &p->timestamp_ns) &&
           count(l, json_object_get(root, "recorded"), "recorded", INT64_MAX, &p->recorded) &&
           count(l, json_object_get(root, "lost"), "lost", INT64_MAX, &p->lost) &&
           count(l, json_object_get(root, "disturbed"), "disturbed", INT64_MAX, &p->disturbed);
}

static bool is_name(const Load *l, const char *name) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return (length > 0 && name[length] == '\0') || wrong(l, "`%.50s` is not the name of a primitive", name);
}

static bool load_names(const Load *l, const json_t *names) {
    Profile *p = l->p;
    if (!array(l, names, "names", 1)) {
        return false;
    }
    p->n_names = (uint32_t)json_array_size(names);
    p->names = profile_alloc(p, p->n_names, sizeof *p->names);
    if (p->names == NULL) {
        return wrong(l, MEM_NONE);
    }
    for (uint32_t k = 0; k < p->n_names; k++) {
        const json_t *entry = json_array_get(names, k);
        ProfName *name = &p->names[k];
        if (!array(l, entry, "an entry of names", 4) ||
            !text(l, json_array_get(entry, 0), "a name", &name->name) || !is_name(l, name->name) ||
            !text(l, json_array_get(entry, 1), "a family", &name->family) ||
            !count(l, json_array_get(entry, 2), "calls of a name", INT64_MAX, &name->calls) ||
            !count(l, json_array_get(entry, 3), "fails of a name", INT64_MAX, &name->fails)) {
            return false;
        }
        name->engine = strcmp(name->family, PROF_ENGINE) == 0;
    }
    return true;
}

static bool load_row(const Load *l, const json_t *entry, const char *id, ProfTask *task) {
    Profile *p = l->p;
    uint64_t name;
    if (!array(l, entry, "a row", 5 + p->repeats) ||
        !count(l, json_array_get(entry, 0), "the name of a row", p->n_names - 1, &name)) {
        return false;
    }
    uint32_t before = task->n_rows;
    ProfRow *row = profile_row(p, task, (uint32_t)name);
    if (row == NULL) {
        return wrong(l, MEM_NONE);
    }
    if (task->n_rows == before) {
        return wrong(l, "task %.100s has two rows for %s", id, p->names[name].name);
    }
    if (!count(l, json_array_get(entry, 1), "calls of a row", INT64_MAX, &row->calls) ||
        !count(l, json_array_get(entry, 2), "fails of a row", INT64_MAX, &row->fails) ||
        !number(l, json_array_get(entry, 3), "total_ns of a row", &row->total_ns) ||
        !number(l, json_array_get(entry, 4), "failed_ns of a row", &row->failed_ns)) {
        return false;
    }
    for (uint32_t k = 0; k < p->repeats; k++) {
        if (!number(l, json_array_get(entry, 5 + k), "self_ns of a row", &row->self_ns[k])) {
            return false;
        }
    }
    return true;
}

static bool load_task(const Load *l, const json_t *entry, ProfTask *task) {
    const json_t *rows = json_object_get(entry, "rows");
    if (!json_is_object(entry)) {
        return wrong(l, "an entry of tasks must be an object");
    }
    task->solved = json_is_true(json_object_get(entry, "solved"));
    if (l->p->n_sources > 0 && !count32(l, entry, "from", l->p->n_sources - 1, &task->source)) {
        return false;
    }
    if (!text(l, json_object_get(entry, "id"), "id", &task->id) ||
        !text(l, json_object_get(entry, "reason"), "reason", &task->reason) ||
        !count32(l, entry, "evaluations", UINT32_MAX, &task->evaluations) ||
        !count32(l, entry, "over_budget", UINT32_MAX, &task->over_budget) ||
        !count32(l, entry, "cells", UINT32_MAX, &task->cells) ||
        !number(l, json_object_get(entry, "weight"), "weight", &task->weight) ||
        !number(l, json_object_get(entry, "setup_ns"), "setup_ns", &task->setup_ns) ||
        !numbers(l, json_object_get(entry, "execute_ns"), "execute_ns", &task->execute_ns) ||
        !numbers(l, json_object_get(entry, "validate_ns"), "validate_ns", &task->validate_ns) ||
        !array(l, rows, "rows", 0)) {
        return false;
    }
    const json_t *uncertain = json_object_get(entry, "uncertain_ns");
    if (uncertain != NULL && !array(l, uncertain, "uncertain_ns", json_array_size(rows))) {
        return false;
    }
    for (size_t k = 0; k < json_array_size(rows); k++) {
        if (!load_row(l, json_array_get(rows, k), task->id, task) ||
            (uncertain != NULL &&
             !number(l, json_array_get(uncertain, k), "uncertain_ns", &task->rows[k].uncertain_ns))) {
            return false;
        }
    }
    return true;
}

static bool load_tasks(const Load *l, const json_t *tasks) {
    Profile *p = l->p;
    if (!array(l, tasks, "tasks", 0)) {
        return false;
    }
    p->tasks = profile_alloc(p, json_array_size(tasks), sizeof *p->tasks);
    if (p->tasks == NULL) {
        return wrong(l, MEM_NONE);
    }
    p->n_tasks = (uint32_t)json_array_size(tasks);
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        if (!load_task(l, json_array_get(tasks, k), &p->tasks[k])) {
            return false;
        }
    }
    return true;
}

static bool load_stacks(const Load *l, const json_t *stacks) {
    Profile *p = l->p;
    if (!array(l, stacks, "stacks", 0)) {
        return false;
    }
    for (uint32_t k = 1; k <= json_array_size(stacks); k++) {
        const json_t *entry = json_array_get(stacks, k - 1);
        uint64_t parent, calls;
        double self, total;
        if (!array(l, entry, "a stack", 5) ||
            !count(l, json_array_get(entry, 0), "the parent of a stack", k - 1, &parent) ||
            !count(l, json_array_get(entry, 2), "calls of a stack", INT64_MAX, &calls) ||
            !number(l, json_array_get(entry, 3), "self_ns of a stack", &self) ||
            !number(l, json_array_get(entry, 4), "total_ns of a stack", &total)) {
            return false;
        }
        const json_t *key = json_array_get(entry, 1);
        json_int_t name = json_integer_value(key), max = parent == 0 ? p->n_tasks : p->n_names;
        bool task = json_is_integer(key) && name < 0;
        if (!json_is_integer(key) || task != (parent == 0) || (task ? -1 - name : name) >= max) {
            return wrong(l, "the name of stack %u is out of range", k);
        }
        if (profile_stack(p, (uint32_t)parent, (uint32_t)(task ? -1 - name : name), task) != k) {
            return wrong(l, "stack %u is there twice, or there is no memory for it", k);
        }
        p->stacks[k].calls = calls;
        p->stacks[k].self_ns = self;
        p->stacks[k].total_ns = total;
    }
    return true;
}

static bool load_root(const Load *l, json_t *root, const json_error_t *error) {
    if (root == NULL) {
        return error->line > 0 ? wrong(l, "line %d, column %d: %s", error->line, error->column, error->text)
                               : wrong(l, "%s", error->text);
    }
    bool good =
        load_header(l, root) && load_times(l, root) && load_sources(l, json_object_get(root, "sources")) &&
        load_names(l, json_object_get(root, "names")) && load_tasks(l, json_object_get(root, "tasks")) &&
        load_stacks(l, json_object_get(root, "stacks"));
    json_decref(root);
    if (!good) {
        profile_free(l->p);
    }
    return good;
}

bool profile_read(Profile *p, const char *path, char *why, size_t why_size) {
    json_error_t error;
    *p = (Profile){0};
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    return load_root(&(Load){p, path, why, why_size}, root, &error);
}

bool profile_read_bytes(Profile *p, const char *name, const char *bytes, size_t size, char *why,
                        size_t why_size) {
    json_error_t error;
    *p = (Profile){0};
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    return load_root(&(Load){p, name, why, why_size}, root, &error);
}

/* ---- more repeats of the same ---- */

static double *joined(Profile *p, const double *a, uint32_t na, const double *b, uint32_t nb) {
    double *to = profile_alloc(p, (size_t)na + nb, sizeof *to);
    if (to != NULL) {
        memcpy(to, a, na * sizeof *to);
        memcpy(to + na, b, nb * sizeof *to);
    }
    return to;
}

static double mixed(double a, uint32_t na, double b, uint32_t nb) {
    return (a * na + b * nb) / (na + nb);
}

static const ProfRow *find_row(const ProfTask *task, uint32_t name) {
    for (uint32_t k = 0; k < task->n_rows; k++) {
        if (task->rows[k].name == name) {
            return &task->rows[k];
        }
    }
    return NULL;
}

static bool append_task(Profile *p, ProfTask *to, const ProfTask *from, uint32_t more) {
    uint32_t n = p->repeats;
    to->execute_ns = joined(p, to->execute_ns, n, from->execute_ns, more);
    to->validate_ns = joined(p, to->validate_ns, n, from->validate_ns, more);
    to->setup_ns = mixed(to->setup_ns, n, from->setup_ns, more);
    for (uint32_t k = 0; k < to->n_rows; k++) {
        ProfRow *row = &to->rows[k];
        const ProfRow *other = find_row(from, row->name);
        if (other == NULL) {
            return false;
        }
        row->self_ns = joined(p, row->self_ns, n, other->self_ns, more);
        row->total_ns = mixed(row->total_ns, n, other->total_ns, more);
        row->failed_ns = mixed(row->failed_ns, n, other->failed_ns, more);
        row->uncertain_ns = mixed(row->uncertain_ns, n, other->uncertain_ns, more);
        if (row->self_ns == NULL) {
            return false;
        }
    }
    return to->execute_ns != NULL && to->validate_ns != NULL;
}

/* Stacks are matched by their chains: workers may have met them in another order. */
static bool append_stacks(Profile *p, const Profile *more) {
    uint32_t n = p->repeats, m = more->repeats;
    uint32_t *place = mem_zalloc((size_t)more->n_stacks + 1, sizeof *place);
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        p->stacks[k].self_ns *= (double)n / (n + m);
        p->stacks[k].total_ns *= (double)n / (n + m);
    }
    for (uint32_t k = 1; place != NULL && k < more->n_stacks; k++) {
        const ProfStack *from = &more->stacks[k];
        place[k] = profile_stack(p, place[from->parent], from->name, from->task);
        if (place[k] == 0) {
            mem_free(place);
            return false;
        }
        ProfStack *to = &p->stacks[place[k]];
        to->calls = to->calls != 0 ? to->calls : from->calls;
        to->self_ns += from->self_ns * m / (n + m);
        to->total_ns += from->total_ns * m / (n + m);
    }
    mem_free(place);
    return place != NULL;
}

static bool append_runs(Profile *p, const Profile *more) {
    uint32_t *runs = profile_alloc(p, (size_t)p->n_runs + more->n_runs, sizeof *runs);
    if (runs != NULL) {
        memcpy(runs, p->run_repeats, p->n_runs * sizeof *runs);
        memcpy(runs + p->n_runs, more->run_repeats, more->n_runs * sizeof *runs);
        p->run_repeats = runs;
        p->n_runs += more->n_runs;
    }
    return runs != NULL;
}

bool profile_append(Profile *p, const Profile *more, char *why, size_t why_size) {
    uint32_t n = p->repeats, m = more->repeats;
    bool same = p->n_tasks == more->n_tasks && p->n_names == more->n_names &&
                strcmp(p->data, more->data) == 0 && p->level == more->level && p->workers == more->workers;
    for (uint32_t k = 0; same && k < p->n_names; k++) {
        same =
            strcmp(p->names[k].name, more->names[k].name) == 0 && p->names[k].calls == more->names[k].calls;
    }
    for (uint32_t k = 0; same && k < p->n_tasks; k++) {
        same = strcmp(p->tasks[k].id, more->tasks[k].id) == 0 &&
               p->tasks[k].n_rows == more->tasks[k].n_rows &&
               append_task(p, &p->tasks[k], &more->tasks[k], m);
    }
    if (same && !append_stacks(p, more)) {
        snprintf(why, why_size, MEM_NONE);
        return false;
    }
    if (!same) {
        snprintf(why, why_size,
                 "the profiles are of different runs: tasks, programs, level and workers must agree");
        return false;
    }
    for (int k = 0; k < PHASE_COUNT; k++) {
        p->phases_ns[k] += more->phases_ns[k];
    }
    for (int k = 0; k < WORK_COUNT; k++) {
        p->work_ns[k] = mixed(p->work_ns[k], n, more->work_ns[k], m);
    }
    p->pass_ns = joined(p, p->pass_ns, n, more->pass_ns, m);
    p->wall_ns += more->wall_ns;
    p->cpu_ns += more->cpu_ns;
    p->measured_ns = mixed(p->measured_ns, n, more->measured_ns, m);
    p->plain_ns = mixed(p->plain_ns, n, more->plain_ns, m);
    p->timestamp_low_ns = fmin(p->timestamp_low_ns, more->timestamp_low_ns);
    p->timestamp_high_ns = fmax(p->timestamp_high_ns, more->timestamp_high_ns);
    bool good = append_runs(p, more) && p->pass_ns != NULL;
    p->repeats = n + m;
    if (!good) {
        snprintf(why, why_size, MEM_NONE);
    }
    return good;
}
