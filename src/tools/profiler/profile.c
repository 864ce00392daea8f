/* A profile and its parts; see profile.h. */
#include "tools/profiler/profile.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/mix.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *prof_work_name(ProfWork work) {
    static const char *const names[WORK_COUNT] = {
        "match", "strip",  "merge",   "device_build", "setup",           "judge",        "scheduling",
        "idle",  "breaks", "network", "device_wait",  "device_transfer", "device_kernel"};
    return names[work];
}

void *profile_alloc(Profile *p, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / 2 / size) {
        return NULL;
    }
    void *block = slab_alloc(&p->slab, count * size + 1);
    if (block != NULL) {
        memset(block, 0, count * size);
    }
    return block;
}

const char *profile_text(Profile *p, const char *text) {
    return text != NULL ? slab_text(&p->slab, text, strlen(text)) : "";
}

void profile_free(Profile *p) {
    slab_free(&p->slab);
    map_free(&p->stack_map);
    *p = (Profile){0};
}

void prof_processor_name(char *name, size_t room) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512];
    name[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ') {
            snprintf(name, room, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

bool profile_begin_totals(Profile *p, ProfLevel level, unsigned workers, uint32_t repeats) {
    ASSERT(repeats > 0, "a profile without repeats");
    *p = (Profile){.level = level,
                   .workers = workers,
                   .repeats = repeats,
                   .totals_only = true,
                   .version = BATT_VERSION_TEXT,
                   .command = "",
                   .when = "",
                   .processor = "",
                   .data = ""};
    p->names = profile_alloc(p, PROF_NAMES, sizeof *p->names);
    p->pass_ns = profile_alloc(p, repeats, sizeof *p->pass_ns);
    p->run_repeats = profile_alloc(p, 1, sizeof *p->run_repeats);
    if (p->names == NULL || p->pass_ns == NULL || p->run_repeats == NULL) {
        return false;
    }
    p->n_names = PROF_NAMES;
    p->n_runs = 1;
    p->run_repeats[0] = repeats;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        p->names[k] = (ProfName){.name = prim_table[k].name, .family = family_titles[prim_table[k].family]};
    }
    for (uint32_t k = 0; k < SCOPE_COUNT; k++) {
        p->names[PRIM_COUNT + k] =
            (ProfName){.name = scope_table[k].name, .family = PROF_ENGINE, .engine = true};
    }
    return true;
}

bool profile_begin(Profile *p, const char *command, ProfLevel level, unsigned workers, uint32_t repeats) {
    char when[32], processor[128];
    time_t now = time(NULL);
    struct tm utc;
    if (!profile_begin_totals(p, level, workers, repeats)) {
        return false;
    }
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    prof_processor_name(processor, sizeof processor);
    p->totals_only = false;
    p->processors = pool_processors();
    p->command = profile_text(p, command);
    p->when = profile_text(p, when);
    p->processor = profile_text(p, processor);
    return p->command != NULL && p->when != NULL && p->processor != NULL;
}

bool profile_begin_tasks(Profile *p, size_t n) {
    p->tasks = profile_alloc(p, n, sizeof *p->tasks);
    double *times = profile_alloc(p, 2 * n * p->repeats, sizeof *times);
    if (p->tasks == NULL || times == NULL || n >= UINT32_MAX) {
        return false;
    }
    p->n_tasks = (uint32_t)n;
    for (size_t k = 0; k < n; k++, times += 2 * p->repeats) {
        p->tasks[k] =
            (ProfTask){.reason = "", .execute_ns = times, .validate_ns = times + p->repeats, .weight = 1};
    }
    return true;
}

void profile_set_phases(Profile *p, Phases *phases) {
    p->wall_ns = (double)phase_total_ns(phases);
    p->cpu_ns = (double)phase_cpu_ns(phases);
    for (int k = 0; k < PHASE_COUNT; k++) {
        p->phases_ns[k] = (double)phases->ns[k];
    }
}

/* ---- rows and stacks ---- */

bool profile_reserve_rows(Profile *p, ProfTask *task, uint32_t n) {
    ProfRow *rows = slab_alloc(&p->slab, n * sizeof *rows + 1); /* cleared one by one */
    if (rows == NULL) {
        return false;
    }
    task->rows = rows;
    task->row_room = n;
    return true;
}

ProfRow *profile_row(Profile *p, ProfTask *task, uint32_t name) {
    for (uint32_t k = 0; k < task->n_rows; k++) {
        if (task->rows[k].name == name) {
            return &task->rows[k];
        }
    }
    if (task->n_rows == task->row_room) {
        const ProfRow *old = task->rows;
        if (!profile_reserve_rows(p, task, task->n_rows != 0 ? 2 * task->n_rows : 1)) {
            return NULL;
        }
        if (task->n_rows != 0) {
            memcpy(task->rows, old, task->n_rows * sizeof *old);
        }
    }
    ASSERT(name < p->n_names, "name %u of %u", name, p->n_names);
    ProfRow *row = &task->rows[task->n_rows];
    *row = (ProfRow){.name = name, .self_ns = profile_alloc(p, 2 * (size_t)p->repeats, sizeof *row->self_ns)};
    task->n_rows += row->self_ns != NULL;
    return row->self_ns != NULL ? row : NULL;
}

static bool reserve_stack(Profile *p) {
    if (p->n_stacks == p->stack_room) {
        uint32_t room = p->stack_room != 0 ? p->stack_room * 2 : 2048;
        ProfStack *more = slab_alloc(&p->slab, room * sizeof *more); /* cleared one by one */
        if (more == NULL) {
            return false;
        }
        if (p->n_stacks != 0) {
            memcpy(more, p->stacks, p->n_stacks * sizeof *more);
        } else {
            more[0] = (ProfStack){0}; /* the root */
            p->n_stacks = 1;
        }
        p->stacks = more;
        p->stack_room = room;
    }
    return map_reserve(&p->stack_map, 1, 4096);
}

static uint64_t stack_hash(uint32_t parent, uint32_t name, bool task) {
    return mix64((uint64_t)parent << 32, (uint64_t)task << 31 | name);
}

uint32_t profile_stack(Profile *p, uint32_t parent, uint32_t name, bool task) {
    if (!reserve_stack(p)) {
        return 0;
    }
    uint64_t hash = stack_hash(parent, name, task);
    uint32_t at = map_start(&p->stack_map, hash);
    for (uint32_t k; (k = map_next(&p->stack_map, hash, &at)) != MAP_NONE;) {
        const ProfStack *s = &p->stacks[k];
        if (s->parent == parent && s->name == name && s->task == task) {
            return k;
        }
    }
    map_put(&p->stack_map, hash, at, p->n_stacks);
    p->stacks[p->n_stacks] = (ProfStack){.parent = parent, .name = name, .task = task};
    return p->n_stacks++;
}

void profile_keep_first(Profile *p, uint32_t tasks, uint32_t stacks) {
    p->n_tasks = tasks;
    p->n_stacks = stacks;
    map_clear(&p->stack_map);
    for (uint32_t k = 1; k < stacks; k++) {
        map_add(&p->stack_map, stack_hash(p->stacks[k].parent, p->stacks[k].name, p->stacks[k].task), k);
    }
}
