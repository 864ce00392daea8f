/* From what workers noted to a profile; see profile.h. */
#include "prof/profile.h"

#include "core/alloc.h"
#include "prof/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

const char *prof_work_name(ProfWork work) {
    static const char *const names[WORK_COUNT] = {"match", "strip",   "merge", "setup",
                                                  "judge", "handout", "idle"};
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
    mem_free(p->stack_slots);
    *p = (Profile){0};
}

static const char *processor_name(Profile *p) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512];
    const char *name = "";
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ') {
            colon[2 + strcspn(colon + 2, "\n")] = '\0';
            name = profile_text(p, colon + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return name;
}

bool profile_begin(Profile *p, const char *command, ProfLevel level, unsigned workers, uint32_t repeats) {
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    *p = (Profile){.level = level, .workers = workers, .repeats = repeats, .processors = pool_processors()};
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    p->version = BATT_VERSION_TEXT;
    p->command = profile_text(p, command);
    p->when = profile_text(p, when);
    p->processor = processor_name(p);
    p->data = "";
    p->names = profile_alloc(p, PRIM_COUNT, sizeof *p->names);
    p->pass_ns = profile_alloc(p, repeats, sizeof *p->pass_ns);
    if (p->names == NULL || p->pass_ns == NULL || p->command == NULL || p->when == NULL) {
        return false;
    }
    p->n_names = PRIM_COUNT;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        p->names[k] = (ProfName){.name = prim_table[k].name, .family = family_titles[prim_table[k].family]};
    }
    return true;
}

/* ---- rows and stacks ---- */

ProfRow *profile_row(Profile *p, ProfTask *task, uint32_t name) {
    for (uint32_t k = 0; k < task->n_rows; k++) {
        if (task->rows[k].name == name) {
            return &task->rows[k];
        }
    }
    if ((task->n_rows & (task->n_rows - 1)) == 0) { /* full at every power of two */
        ProfRow *more = profile_alloc(p, task->n_rows != 0 ? 2 * (size_t)task->n_rows : 1, sizeof *more);
        if (more == NULL) {
            return NULL;
        }
        if (task->n_rows != 0) {
            memcpy(more, task->rows, task->n_rows * sizeof *more);
        }
        task->rows = more;
    }
    ProfRow *row = &task->rows[task->n_rows];
    *row = (ProfRow){.name = name, .self_ns = profile_alloc(p, p->repeats, sizeof *row->self_ns)};
    task->n_rows += row->self_ns != NULL;
    return row->self_ns != NULL ? row : NULL;
}

static uint32_t *stack_slot(const Profile *p, uint32_t parent, uint32_t name, bool task) {
    uint64_t hash = ((uint64_t)parent << 32 | (uint64_t)task << 31 | name) * 0x9e3779b97f4a7c15u;
    uint32_t slot = (uint32_t)(hash >> 32) & p->stack_mask;
    for (uint32_t at; (at = p->stack_slots[slot]) != 0; slot = (slot + 1) & p->stack_mask) {
        const ProfStack *s = &p->stacks[at];
        if (s->parent == parent && s->name == name && s->task == task) {
            break;
        }
    }
    return &p->stack_slots[slot];
}

static bool grow_stacks(Profile *p) {
    uint32_t room = p->stack_mask != 0 ? (p->stack_mask + 1) * 2 : 4096;
    ProfStack *more = profile_alloc(p, room / 2, sizeof *more);
    uint32_t *slots = mem_zalloc(room, sizeof *slots);
    if (more == NULL || slots == NULL) {
        mem_free(slots);
        return false;
    }
    if (p->n_stacks != 0) {
        memcpy(more, p->stacks, p->n_stacks * sizeof *more);
    }
    mem_free(p->stack_slots);
    p->stacks = more;
    p->stack_slots = slots;
    p->stack_mask = room - 1;
    p->n_stacks = p->n_stacks != 0 ? p->n_stacks : 1; /* the root */
    for (uint32_t k = 1; k < p->n_stacks; k++) {
        *stack_slot(p, more[k].parent, more[k].name, more[k].task) = k;
    }
    return true;
}

uint32_t profile_stack(Profile *p, uint32_t parent, uint32_t name, bool task) {
    if (p->n_stacks >= (p->stack_mask + 1) / 2 && !grow_stacks(p)) {
        return 0;
    }
    uint32_t *slot = stack_slot(p, parent, name, task);
    if (*slot == 0) {
        p->stacks[p->n_stacks] = (ProfStack){.parent = parent, .name = name, .task = task};
        *slot = p->n_stacks++;
    }
    return *slot;
}

/* ---- one worker's tree into the profile ---- */

typedef struct Take {
    Profile *profile;
    const Profiler *profiler;
    const ProfWorker *worker;
    uint32_t repeat;
    double *self, *total; /* ticks by node, corrected */
    uint32_t *item;       /* by node: of which item + 1; 0: the root */
    uint32_t *stack;      /* by node */
    double *scale; /* by item: nanoseconds a corrected tick, so that the whole is the item's exact time */
} Take;

/* Whether a caller of the node is the same primitive: its time is in the caller's total already. */
static bool recursive(const ProfWorker *w, uint32_t node) {
    for (uint32_t up = w->nodes[node].parent; up != 0 && w->nodes[up].key < PROF_ITEM;
         up = w->nodes[up].parent) {
        if (w->nodes[up].key == w->nodes[node].key) {
            return true;
        }
    }
    return false;
}

static bool take_node(const Take *t, uint32_t k) {
    Profile *p = t->profile;
    const ProfNode *node = &t->worker->nodes[k];
    uint32_t item = t->item[k] - 1;
    bool is_item = node->key >= PROF_ITEM;
    double scale = t->scale[item], self = t->self[k] * scale, total = t->total[k] * scale;
    if ((node->calls == 0 && !is_item) || item >= p->n_tasks) {
        return true;
    }
    t->stack[k] = profile_stack(p, is_item ? 0 : t->stack[node->parent], is_item ? item : node->key, is_item);
    if (t->stack[k] == 0) {
        return false;
    }
    ProfStack *stack = &p->stacks[t->stack[k]];
    stack->calls += node->calls;
    stack->self_ns += self;
    stack->total_ns += total;
    if (is_item) {
        return true;
    }
    ProfRow *row = profile_row(p, &p->tasks[item], node->key);
    if (row == NULL) {
        return false;
    }
    row->calls += node->calls;
    row->fails += node->fails;
    row->self_ns[t->repeat] += self;
    row->total_ns += recursive(t->worker, k) ? 0 : total;
    row->failed_ns += node->total > 0 ? total * (double)node->failed / (double)node->total : 0;
    return true;
}

/* Ticks of each item in primitives, and the cost of its stamps; for one worker. */
static void find_items(const Take *t, double *primitives, double *stamps) {
    const ProfWorker *w = t->worker;
    t->item[0] = 0;
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        t->item[k] = node->key >= PROF_ITEM ? node->key - PROF_ITEM + 1 : t->item[node->parent];
        uint32_t item = t->item[k] - 1;
        if (node->key < PROF_ITEM && item < t->profiler->n_items) {
            stamps[item] += (double)node->calls * t->profiler->cost.all;
            primitives[item] += t->self[k];
        }
    }
}

static bool open_take(Take *t, const ProfWorker *worker) {
    uint32_t n = worker->n_nodes;
    t->worker = worker;
    t->self = mem_array(n, sizeof *t->self);
    t->total = mem_array(n, sizeof *t->total);
    t->item = mem_array(n, sizeof *t->item);
    t->stack = mem_zalloc(n, sizeof *t->stack);
    if (t->self == NULL || t->total == NULL || t->item == NULL || t->stack == NULL) {
        return false;
    }
    prof_correct(t->profiler, worker, t->self, t->total);
    return true;
}

static void close_take(Take *t) {
    mem_free(t->self);
    mem_free(t->total);
    mem_free(t->item);
    mem_free(t->stack);
    t->self = t->total = NULL;
    t->item = t->stack = NULL;
}

/* Nanoseconds a corrected tick, item by item. */
static void find_scales(const Take *t, const uint64_t *evaluated, const double *primitives,
                        const double *stamps) {
    Profile *p = t->profile;
    for (size_t k = 0; k < t->profiler->n_items; k++) {
        const ProfItem *item = &t->profiler->items[k];
        double seen = (double)(evaluated != NULL ? evaluated[k] : item->measured) - stamps[k];
        seen = fmax(seen, primitives[k]);
        t->scale[k] = 0;
        if (k < p->n_tasks && item->measured > 0 && seen > 0) {
            t->scale[k] = p->tasks[k].execute_ns[t->repeat] / seen;
            p->measured_ns += seen * p->ns_per_tick;
            p->plain_ns += p->tasks[k].execute_ns[t->repeat];
        }
    }
}

bool profile_add_pass(Profile *p, Profiler *profiler, uint32_t repeat, const uint64_t *evaluated) {
    size_t n = profiler->n_items;
    unsigned workers = profiler->level >= PROF_TIMING ? profiler->pool->count : 0;
    double *scratch = mem_zalloc(3 * n + 1, sizeof *scratch);
    Take t = {.profile = p, .profiler = profiler, .repeat = repeat, .scale = scratch};
    bool good = scratch != NULL && !profiler->failed;
    p->ns_per_tick = prof_ns_per_tick(profiler);
    p->start_ticks = profiler->start_ticks;
    p->stamp_ns = profiler->cost.all * p->ns_per_tick;
    prof_replay(profiler);
    for (unsigned k = 0; good && k < workers;
         k++) { /* an item may have come to several workers, in several runs */
        good = open_take(&t, &profiler->workers[k]);
        if (good) {
            find_items(&t, scratch + n, scratch + 2 * n);
        }
        close_take(&t);
    }
    if (good) {
        find_scales(&t, evaluated, scratch + n, scratch + 2 * n);
    }
    p->noted = p->lost = 0;
    for (unsigned k = 0; good && k < workers; k++) {
        good = open_take(&t, &profiler->workers[k]);
        if (good) {
            find_items(&t, scratch + n, scratch + 2 * n);
        }
        for (uint32_t node = 1; good && node < t.worker->n_nodes; node++) {
            good = take_node(&t, node);
        }
        p->noted += profiler->workers[k].noted;
        p->lost += profiler->workers[k].lost;
        close_take(&t);
    }
    mem_free(scratch);
    return good;
}

void profile_finish(Profile *p) {
    double n = p->repeats;
    p->measured_ns /= n;
    p->plain_ns /= n;
    for (uint32_t k = 0; k < p->n_stacks; k++) {
        p->stacks[k].calls /= p->repeats;
        p->stacks[k].self_ns /= n;
        p->stacks[k].total_ns /= n;
    }
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        ProfTask *task = &p->tasks[k];
        task->weight = 1;
        for (uint32_t r = 0; r < task->n_rows; r++) {
            ProfRow *row = &task->rows[r];
            row->calls /= p->repeats;
            row->fails /= p->repeats;
            row->total_ns /= n;
            row->failed_ns /= n;
            p->names[row->name].calls += row->calls;
            p->names[row->name].fails += row->fails;
        }
    }
}

/* ---- a run in which some items were measured ---- */

enum { BUCKETS = 128 };

static int bucket_of(double ticks) {
    int bucket = ticks > 1 ? (int)(2 * log2(ticks)) : 0;
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* Items are put into classes by their time, two to an octave; the measured ones of a class stand for all of
 * it. A class without any goes to the nearest one that has some. */
static void weigh(Profile *p, const Profiler *profiler) {
    double all[BUCKETS] = {0}, measured[BUCKETS] = {0};
    for (size_t k = 0; k < profiler->n_items; k++) {
        const ProfItem *item = &profiler->items[k];
        all[bucket_of((double)item->ticks)] += (double)item->ticks;
        measured[bucket_of((double)item->ticks)] += item->measured > 0 ? (double)item->ticks : 0;
    }
    double share[BUCKETS];
    memcpy(share, all, sizeof share);
    for (int b = 0; b < BUCKETS; b++) {
        for (int away = 1; all[b] > 0 && measured[b] <= 0 && away < BUCKETS; away++) {
            int to = b + away < BUCKETS && measured[b + away] > 0 ? b + away
                     : b - away >= 0 && measured[b - away] > 0    ? b - away
                                                                  : -1;
            if (to >= 0) {
                share[to] += all[b];
                break;
            }
        }
    }
    for (size_t k = 0; k < profiler->n_items; k++) {
        int b = bucket_of((double)profiler->items[k].ticks);
        p->tasks[k].weight = profiler->items[k].measured > 0 ? share[b] / measured[b] : 0;
    }
}

bool profile_from_run(Profile *p, Profiler *profiler, const char *const *ids) {
    size_t n = profiler->n_items;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        for (unsigned w = 0; w < profiler->pool->count; w++) {
            p->names[k].calls += profiler->pool->workers[w].ctx.calls[k];
            p->names[k].fails += profiler->pool->workers[w].ctx.fails[k];
        }
    }
    if (profiler->level < PROF_TIMING) {
        return true;
    }
    p->ns_per_tick = prof_ns_per_tick(profiler);
    p->tasks = profile_alloc(p, n, sizeof *p->tasks);
    double *times = profile_alloc(p, 2 * n, sizeof *times);
    if (p->tasks == NULL || times == NULL || n > UINT32_MAX) {
        return false;
    }
    p->n_tasks = (uint32_t)n;
    for (size_t k = 0; k < n; k++) {
        times[2 * k] = (double)profiler->items[k].ticks * p->ns_per_tick;
        p->tasks[k] = (ProfTask){.id = profile_text(p, ids[k]),
                                 .reason = "",
                                 .evaluations = 1,
                                 .execute_ns = &times[2 * k],
                                 .validate_ns = &times[2 * k + 1]};
        if (p->tasks[k].id == NULL) {
            return false;
        }
    }
    weigh(p, profiler);
    return profile_add_pass(p, profiler, 0, NULL);
}
