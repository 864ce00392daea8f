/* Merges the profiles of several machines, ranks or shards into one.
 *
 * Every task keeps its source, and every source keeps what its workers did besides evaluations; so rows can
 * be split by source, and waiting for others is shown beside the work. Times of all sources are added up: the
 * whole is what all workers of all sources did. The time of a pass is the average over all workers of what it
 * took at their source. */
#include "base/alloc.h"
#include "tools/profiler/file.h"

#include <stdio.h>
#include <string.h>

static bool has_time(const Profile *p, const ProfTask *task) {
    bool any = task->n_rows > 0;
    for (uint32_t k = 0; k < p->repeats && !any; k++) {
        any = task->execute_ns[k] > 0;
    }
    return any;
}

/* Maps each name of `from` to its index among ours; new ones are appended. NULL: no memory. */
static uint32_t *map_names(Profile *p, const Profile *from) {
    uint32_t *map = mem_array(from->n_names, sizeof *map);
    ProfName *names = map != NULL ? profile_alloc(p, p->n_names + from->n_names, sizeof *names) : NULL;
    if (names == NULL) {
        mem_free(map);
        return NULL;
    }
    if (p->n_names > 0) {
        memcpy(names, p->names, p->n_names * sizeof *names);
    }
    p->names = names;
    for (uint32_t k = 0; k < from->n_names; k++) {
        const ProfName *name = &from->names[k];
        uint32_t at = k < p->n_names && strcmp(p->names[k].name, name->name) == 0 ? k : 0;
        while (at < p->n_names &&
               (strcmp(p->names[at].name, name->name) != 0 || p->names[at].engine != name->engine)) {
            at++;
        }
        if (at == p->n_names) {
            names[p->n_names++] = (ProfName){.name = profile_text(p, name->name),
                                             .family = profile_text(p, name->family),
                                             .engine = name->engine};
            if (names[at].name == NULL || names[at].family == NULL) {
                mem_free(map);
                return NULL;
            }
        }
        names[at].calls += name->calls;
        names[at].fails += name->fails;
        map[k] = at;
    }
    return map;
}

static double *copy_of(Profile *p, const double *values) {
    double *copy = profile_alloc(p, p->repeats, sizeof *copy);
    if (copy != NULL && values != NULL) {
        memcpy(copy, values, p->repeats * sizeof *copy);
    }
    return copy;
}

static bool take_task(Profile *p, const ProfTask *from, uint32_t source, const uint32_t *names) {
    ProfTask *task = &p->tasks[p->n_tasks++];
    *task = *from;
    task->source = source;
    task->id = profile_text(p, from->id);
    task->reason = profile_text(p, from->reason);
    task->execute_ns = copy_of(p, from->execute_ns);
    task->validate_ns = copy_of(p, from->validate_ns);
    task->rows = NULL;
    task->n_rows = task->row_room = 0;
    bool good =
        task->id != NULL && task->reason != NULL && task->execute_ns != NULL && task->validate_ns != NULL;
    for (uint32_t k = 0; k < from->n_rows && good; k++) {
        const ProfRow *row = &from->rows[k];
        ProfRow *to = profile_row(p, task, names[row->name]);
        good = to != NULL;
        if (good) {
            to->calls = row->calls;
            to->fails = row->fails;
            to->total_ns = row->total_ns;
            to->failed_ns = row->failed_ns;
            memcpy(to->self_ns, row->self_ns, p->repeats * sizeof *to->self_ns);
            to->uncertain_ns = row->uncertain_ns;
        }
    }
    return good;
}

/* tasks[] maps their tasks to ours; stacks without time are left out. */
static bool take_stacks(Profile *p, const Profile *from, const uint32_t *names, const uint32_t *tasks) {
    uint32_t *map = mem_zalloc(from->n_stacks > 0 ? from->n_stacks : 1, sizeof *map);
    bool good = map != NULL;
    for (uint32_t k = 1; k < from->n_stacks && good; k++) {
        const ProfStack *s = &from->stacks[k];
        uint32_t name = s->task ? tasks[s->name] : names[s->name];
        if ((s->task && name == UINT32_MAX) || (!s->task && map[s->parent] == 0)) {
            continue;
        }
        map[k] = profile_stack(p, map[s->parent], name, s->task);
        good = map[k] != 0;
        if (good) {
            p->stacks[map[k]].calls = s->calls;
            p->stacks[map[k]].self_ns = s->self_ns;
            p->stacks[map[k]].total_ns = s->total_ns;
        }
    }
    mem_free(map);
    return good;
}

/* A profile that is itself merged brings its own sources. */
static bool take_sources(Profile *p, const Profile *from, const char *label) {
    ProfSource alone = {.name = "",
                        .workers = from->workers,
                        .wall_ns = from->wall_ns,
                        .cpu_ns = from->cpu_ns,
                        .pass_ns = profile_pass_ns(from)};
    memcpy(alone.work_ns, from->work_ns, sizeof alone.work_ns);
    const ProfSource *theirs = from->n_sources > 0 ? from->sources : &alone;
    uint32_t n = from->n_sources > 0 ? from->n_sources : 1;
    ProfSource *all = profile_alloc(p, p->n_sources + n, sizeof *all);
    if (all == NULL) {
        return false;
    }
    if (p->n_sources > 0) {
        memcpy(all, p->sources, p->n_sources * sizeof *all);
    }
    for (uint32_t k = 0; k < n; k++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s%s", label, theirs[k].name[0] != '\0' ? ": " : "", theirs[k].name);
        all[p->n_sources + k] = theirs[k];
        all[p->n_sources + k].name = profile_text(p, name);
        if (all[p->n_sources + k].name == NULL) {
            return false;
        }
    }
    p->sources = all;
    p->n_sources += n;
    return true;
}

static void add_times(Profile *p, const Profile *from) {
    double before = p->workers, after = before + from->workers;
    for (int k = 0; k < PHASE_COUNT; k++) {
        p->phases_ns[k] += from->phases_ns[k];
    }
    for (int k = 0; k < WORK_COUNT; k++) {
        p->work_ns[k] += from->work_ns[k];
    }
    for (uint32_t k = 0; k < p->repeats; k++) {
        p->pass_ns[k] = (p->pass_ns[k] * before + from->pass_ns[k] * from->workers) / after;
    }
    p->workers += from->workers;
    p->processors += from->processors;
    p->wall_ns += from->wall_ns;
    p->cpu_ns += from->cpu_ns;
    p->measured_ns += from->measured_ns;
    p->plain_ns += from->plain_ns;
    p->timestamp_ns = from->timestamp_ns > p->timestamp_ns ? from->timestamp_ns : p->timestamp_ns;
    p->recorded += from->recorded;
    p->lost += from->lost;
    p->disturbed += from->disturbed;
}

static bool take_profile(Profile *p, const Profile *from, const char *label) {
    uint32_t first = p->n_sources;
    uint32_t *names = map_names(p, from), *tasks = mem_array(from->n_tasks + 1, sizeof *tasks);
    ProfTask *room = profile_alloc(p, p->n_tasks + from->n_tasks, sizeof *room);
    bool good = names != NULL && tasks != NULL && room != NULL && take_sources(p, from, label);
    if (good && p->n_tasks > 0) {
        memcpy(room, p->tasks, p->n_tasks * sizeof *room);
    }
    p->tasks = room;
    for (uint32_t k = 0; k < from->n_tasks && good; k++) {
        tasks[k] = has_time(from, &from->tasks[k]) ? p->n_tasks : UINT32_MAX;
        good = tasks[k] == UINT32_MAX || take_task(p, &from->tasks[k], first + from->tasks[k].source, names);
    }
    good = good && take_stacks(p, from, names, tasks);
    add_times(p, from);
    mem_free(names);
    mem_free(tasks);
    return good;
}

bool profile_merge(Profile *p, const Profile *const *from, const char *const *labels, size_t n, char *why,
                   size_t why_size) {
    const Profile *first = from[0];
    *p = (Profile){.level = first->level, .repeats = first->repeats, .warmup = first->warmup};
    p->version = profile_text(p, first->version);
    p->command = profile_text(p, first->command);
    p->when = profile_text(p, first->when);
    p->processor = profile_text(p, first->processor);
    p->data = profile_text(p, first->data);
    p->pass_ns = profile_alloc(p, p->repeats, sizeof *p->pass_ns);
    p->run_repeats = profile_alloc(p, 1, sizeof *p->run_repeats);
    bool good = p->version != NULL && p->command != NULL && p->when != NULL && p->processor != NULL &&
                p->data != NULL && p->pass_ns != NULL && p->run_repeats != NULL;
    if (good) { /* one run, measured in several places */
        p->n_runs = 1;
        p->run_repeats[0] = p->repeats;
    }
    snprintf(why, why_size, MEM_NONE);
    for (size_t k = 0; k < n && good; k++) {
        if (from[k]->level != p->level || from[k]->repeats != p->repeats) {
            snprintf(why, why_size, "%.200s: another level, or another number of repeats, than in %.200s",
                     labels[k], labels[0]);
            good = false;
        } else {
            p->data = strcmp(p->data, from[k]->data) == 0 ? p->data : ""; /* of several sets */
            good = from[k]->workers > 0 && take_profile(p, from[k], labels[k]);
        }
    }
    if (!good) {
        profile_free(p);
    }
    return good;
}

double profile_source_ns(const Profile *p, uint32_t source, uint32_t name) {
    double sum = 0;
    for (uint32_t t = 0; t < p->n_tasks; t++) {
        const ProfTask *task = &p->tasks[t];
        for (uint32_t r = 0; task->source == source && r < task->n_rows; r++) {
            for (uint32_t k = 0; task->rows[r].name == name && k < p->repeats; k++) {
                sum += task->rows[r].self_ns[k] * task->weight / p->repeats;
            }
        }
    }
    return sum;
}
