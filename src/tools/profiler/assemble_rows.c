/* Adds what workers recorded to a profile; see profile.h. */
#include "base/alloc.h"
#include "base/check.h"
#include "tools/profiler/profile.h"
#include "tools/profiler/record_tree.h"

#include <math.h>
#include <string.h>

typedef struct Assembly {
    Profile *profile;
    const Profiler *profiler;
    const ProfWorker *worker;
    double *self, *total;   /* ticks by node, corrected */
    uint32_t *item;         /* by node: 1 + its item; 0: the root */
    uint32_t *stack;        /* by node */
    double *ratio;          /* by node: all ticks of its place / those in which calls were recorded */
    double *scale;          /* by item: share per tick, so that the whole is the item's exact time */
    double *counted;        /* by primitive: calls from scopes, counted / recorded; NULL: as recorded */
    struct RowFound {       /* by name: its row in the item at hand; nodes of an item mostly come together */
        uint32_t item, row; /* 1 + item */
    } * found;
} Assembly;

/* Of a number that is not negative. */
static inline uint64_t rounded(double x) {
    return (uint64_t)(x + 0.5);
}

static ProfRow *row_of(const Assembly *t, uint32_t item, uint32_t name) {
    ProfTask *task = &t->profile->tasks[item];
    struct RowFound *found = &t->found[name];
    if (found->item == item + 1) {
        return &task->rows[found->row];
    }
    ProfRow *row = profile_row(t->profile, task, name);
    if (row != NULL) {
        *found = (struct RowFound){item + 1, (uint32_t)(row - task->rows)};
    }
    return row;
}

/* Whether a node is a call of a primitive from a scope. */
static bool is_sampled(const Assembly *t, uint32_t k) {
    const ProfNode *nodes = t->worker->nodes;
    if (k == 0 || nodes[k].key >= PRIM_COUNT) {
        return false;
    }
    while (nodes[k].key < PROF_SCOPE) {
        k = nodes[k].parent;
    }
    return nodes[k].key < PROF_ITEM;
}

static double counted_ratio(const Assembly *t, uint32_t k) {
    return t->counted != NULL && is_sampled(t, k) ? t->counted[t->worker->nodes[k].key] : 1;
}

/* The name of a primitive or scope by its key. */
static uint32_t name_of(uint32_t key) {
    return key < PROF_SCOPE ? key : PRIM_COUNT + (key - PROF_SCOPE);
}

/* Whether a node is inside another one of the same name. */
static bool is_recursive(const Assembly *t, uint32_t k) {
    const ProfNode *nodes = t->worker->nodes;
    for (uint32_t up = nodes[k].parent; up != 0 && nodes[up].key < PROF_ITEM; up = nodes[up].parent) {
        if (name_of(nodes[up].key) == name_of(nodes[k].key)) {
            return true;
        }
    }
    return false;
}

static bool add_to_stack(const Assembly *t, uint32_t k, uint32_t name, double calls, double self,
                         double total) {
    Profile *p = t->profile;
    const ProfNode *node = &t->worker->nodes[k];
    bool is_item = node->key >= PROF_ITEM;
    t->stack[k] = profile_stack(p, is_item ? 0 : t->stack[node->parent], name, is_item);
    if (t->stack[k] == 0) {
        return false;
    }
    ProfStack *stack = &p->stacks[t->stack[k]];
    stack->calls += rounded(calls);
    stack->self_ns += self;
    stack->total_ns += total;
    return true;
}

static bool add_node(const Assembly *t, uint32_t k) {
    Profile *p = t->profile;
    const ProfNode *node = &t->worker->nodes[k];
    uint32_t item = t->item[k] - 1;
    bool is_item = node->key >= PROF_ITEM, is_scope = node->key >= PROF_SCOPE && !is_item;
    double scale = t->scale[item] * t->ratio[k], self = t->self[k] * scale, total = t->total[k] * scale;
    if ((prof_node_calls(node) <= 0 && node->whole <= 0 && !is_item) || item >= p->n_tasks) {
        return true;
    }
    uint32_t name = is_item ? item : name_of(node->key);
    double often = t->ratio[k] * counted_ratio(t, k);
    double calls = prof_node_calls(node) * (is_scope ? 1 : often);
    ASSERT((is_item || name < p->n_names) && node->parent < k, "node %u below %u, name %u", k, node->parent,
           name);
    ASSERT(isfinite(self) && isfinite(total) && calls >= 0, "%g ns by itself, %g in all", self, total);
    if (!p->totals_only && !add_to_stack(t, k, name, calls, self, total)) {
        return false;
    }
    if (is_item) {
        return true;
    }
    ProfRow *row = row_of(t, item, name);
    if (row == NULL) {
        return false;
    }
    row->calls += rounded(calls);
    row->fails += rounded((node->kept.fails + (double)node->fails) * often);
    row->self_ns[0] += self;
    row->self_ns[1] += is_recursive(t, k) ? 0 : total; /* holds the total until profile_finish */
    row->failed_ns += prof_node_total(node) > 0
                          ? total * (node->kept.failed + (double)node->failed) / prof_node_total(node)
                          : 0;
    return true;
}

typedef struct ItemTicks { /* what is known of an item */
    /* in all of its places: ticks in calls, corrected, and the cost of their timestamps */
    double primitives, timestamp_cost;
    double whole; /* ticks of its places */
} ItemTicks;

/* For one worker: which item every node belongs to, and how many times the records of its place count. */
static void find_places(const Assembly *t, double *recorded, double *timestamp_cost) {
    const ProfWorker *w = t->worker;
    uint32_t *place = t->stack;                    /* not used for anything else yet */
    bool trace = t->profiler->level == PROF_TRACE; /* times include the timestamps */
    memset(recorded, 0, w->n_nodes * sizeof *recorded);
    memset(timestamp_cost, 0, w->n_nodes * sizeof *timestamp_cost);
    t->item[0] = place[0] = 0;
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        bool is_place = node->key >= PROF_SCOPE;
        t->item[k] = node->key >= PROF_ITEM ? node->key - PROF_ITEM + 1 : t->item[node->parent];
        place[k] = is_place ? k : place[node->parent];
        if (!is_place) {
            recorded[place[k]] += t->self[k];
            timestamp_cost[place[k]] += prof_node_calls(node) * t->profiler->cost.all;
        }
    }
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        if (node->key < PROF_SCOPE) {
            t->ratio[k] = t->ratio[place[k]];
            continue;
        }
        double seen = fmax(prof_node_total(node) - (trace ? timestamp_cost[k] : 0), recorded[k]);
        double whole = fmax(node->whole - (trace ? timestamp_cost[k] : 0), trace ? seen : 0);
        t->ratio[k] = seen > 0 ? whole / seen : 1;
        t->self[k] =
            seen > 0 ? t->self[k] : whole; /* nothing was recorded: all of it is the place's own time */
        t->total[k] = seen > 0 ? t->total[k] : whole;
    }
    memset(place, 0, w->n_nodes * sizeof *place);
}

/* A full trace holds only the beginning of a run, where the mix of calls differs from later on. The counts of
 * calls are exact, so only the time per call is taken from the trace. Time added to calls is taken from their
 * scope. */
static void use_counts(const Assembly *t, double *inside) {
    const ProfWorker *w = t->worker;
    uint32_t *place = t->stack; /* not used for anything else yet */
    memset(inside, 0, w->n_nodes * sizeof *inside);
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        bool is_place = w->nodes[k].key >= PROF_SCOPE;
        place[k] = is_place ? k : place[w->nodes[k].parent];
        if (!is_place) {
            t->self[k] *= counted_ratio(t, k);
            t->total[k] = 0;
            inside[place[k]] += t->self[k];
        }
    }
    for (uint32_t k = w->n_nodes; k-- > 1;) { /* children come after their parents */
        uint32_t at = place[k], parent = w->nodes[k].parent;
        if (at == k) {
            t->self[k] = w->nodes[k].key < PROF_ITEM ? fmax(t->total[k] - inside[k], 0) : t->self[k];
            continue;
        }
        double max = w->nodes[at].key < PROF_ITEM ? t->total[at] : inside[at];
        t->self[k] *= inside[at] > max ? max / inside[at] : 1;
        t->total[k] += t->self[k];
        if (parent != at) {
            t->total[parent] += t->total[k];
        }
    }
    memset(place, 0, w->n_nodes * sizeof *place);
}

/* Calls of primitives as they were recorded: all, and those from scopes. */
static void add_calls(const Assembly *t, double *all, double *sampled) {
    for (uint32_t k = 1; k < t->worker->n_nodes; k++) {
        uint32_t key = t->worker->nodes[k].key, item = t->item[k] - 1;
        if (key < PRIM_COUNT && item < t->profile->n_tasks) {
            double calls =
                prof_node_calls(&t->worker->nodes[k]) * t->ratio[k] * t->profile->tasks[item].weight;
            all[key] += calls;
            sampled[key] += is_sampled(t, k) ? calls : 0;
        }
    }
}

/* Turns calls[] into Assembly.counted. */
static void compare_counts(const Profile *p, double *calls, const double *sampled) {
    const double max = 4; /* few records of a primitive may come from an unusual moment */
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        double exact = (double)p->names[k].calls - (calls[k] - sampled[k]);
        calls[k] = sampled[k] > 0 ? fmin(fmax(exact / sampled[k], 1 / max), max) : 1;
    }
}

static void add_items(const Assembly *t, ItemTicks *items) {
    const ProfWorker *w = t->worker;
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        const ProfNode *node = &w->nodes[k];
        ItemTicks *item = &items[t->item[k] - 1];
        if (t->item[k] - 1 >= t->profiler->n_items) {
            continue;
        }
        if (node->key < PROF_SCOPE) {
            item->timestamp_cost += prof_node_calls(node) * t->profiler->cost.all;
            item->primitives += t->self[k] * t->ratio[k];
        } else {
            item->whole += node->whole;
        }
    }
}

/* Counts the rows that the items of this worker will need. */
static void count_rows(const Assembly *t, uint32_t *rows) {
    const ProfWorker *w = t->worker;
    for (uint32_t k = 1; k < w->n_nodes; k++) {
        uint32_t key = w->nodes[k].key, item = t->item[k];
        if (key < PROF_ITEM && item - 1 < t->profile->n_tasks) {
            struct RowFound *found = &t->found[name_of(key)];
            rows[item - 1] += found->item != item;
            found->item = item;
        }
    }
    memset(t->found, 0, t->profile->n_names * sizeof *t->found);
}

static bool reserve_rows(Profile *p, const uint32_t *rows) {
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        if (rows[k] != 0 && !profile_reserve_rows(p, &p->tasks[k], rows[k])) {
            return false;
        }
    }
    return true;
}

static void close_assembly(Assembly *t) {
    mem_free(t->self);
    mem_free(t->total);
    mem_free(t->ratio);
    mem_free(t->item);
    mem_free(t->stack);
    t->self = t->total = t->ratio = NULL;
    t->item = t->stack = NULL;
}

static bool open_assembly(Assembly *t, const ProfWorker *worker) {
    uint32_t n = worker->n_nodes;
    t->worker = worker;
    t->self = mem_array(n, sizeof *t->self);
    t->total = mem_array(n, sizeof *t->total);
    t->ratio = mem_array(n, sizeof *t->ratio);
    t->item = mem_array(n, sizeof *t->item);
    t->stack = mem_zalloc(n, sizeof *t->stack);
    double *scratch = mem_array(2 * (size_t)n, sizeof *scratch);
    bool good = t->self != NULL && t->total != NULL && t->ratio != NULL && t->item != NULL &&
                t->stack != NULL && scratch != NULL;
    if (good) {
        prof_correct(t->profiler, worker, t->self, t->total);
        find_places(t, scratch, scratch + n);
        if (t->counted != NULL) {
            use_counts(t, scratch);
        }
    }
    mem_free(scratch);
    return good;
}

static void find_scales(const Assembly *t, const ItemTicks *items) {
    const Profile *p = t->profile;
    for (size_t k = 0; k < t->profiler->n_items; k++) {
        const ProfItem *item = &t->profiler->items[k];
        double seen = items[k].whole - (t->profiler->level == PROF_TRACE ? items[k].timestamp_cost : 0);
        seen = fmax(seen, items[k].primitives);
        bool used = k < p->n_tasks && item->measured > 0 && seen > 0;
        t->scale[k] = used ? 1 / seen : 0;
    }
}

/* Takes rows and stacks of all items of a measured run as shares. False: no memory. */
static bool profile_add_run(Profile *p, Profiler *profiler) {
    ASSERT(p->repeats == 1, "%u repeats of a run", p->repeats);
    LOG(PROFILE, "%zu items by %u workers", profiler->n_items, profiler->pool->count);
    size_t n = profiler->n_items;
    unsigned workers = profiler->level >= PROF_TIMING ? profiler->pool->count : 0;
    ItemTicks *items = mem_zalloc(n + 1, sizeof *items);
    double *scale = mem_zalloc(n + 1, sizeof *scale);
    double *calls = mem_zalloc(2 * PRIM_COUNT, sizeof *calls),
           *sampled = calls != NULL ? calls + PRIM_COUNT : NULL;
    uint64_t lost = 0;
    Assembly t = {
        .profile = p, .profiler = profiler, .scale = scale, .found = mem_zalloc(p->n_names, sizeof *t.found)};
    uint32_t *rows = mem_zalloc((size_t)p->n_tasks + 1, sizeof *rows);
    bool good = items != NULL && scale != NULL && calls != NULL && t.found != NULL && rows != NULL &&
                !profiler->failed;
    p->ns_per_tick = prof_ns_per_tick(profiler);
    p->start_ticks = profiler->start_ticks;
    p->timestamp_ns = profiler->cost.all * p->ns_per_tick;
    prof_build_trees(profiler);
    /* an item may have come to several workers, in several runs */
    for (unsigned k = 0; good && k < workers; k++) {
        good = open_assembly(&t, &profiler->workers[k]);
        if (good) {
            add_items(&t, items);
            add_calls(&t, calls, sampled);
            count_rows(&t, rows);
            lost += profiler->workers[k].lost;
        }
        if (workers > 1 || !good) { /* the only one stays open */
            close_assembly(&t);
        }
    }
    good = good && reserve_rows(p, rows);
    if (good) {
        find_scales(&t, items);
        compare_counts(p, calls, sampled);
        t.counted = profiler->level == PROF_TRACE && lost > 0 ? calls : NULL;
    }
    p->recorded = p->lost = 0;
    for (unsigned k = 0; good && k < workers; k++) {
        if (workers > 1 || t.counted != NULL) {
            close_assembly(&t);
            good = open_assembly(&t, &profiler->workers[k]);
        }
        for (uint32_t node = 1; good && node < t.worker->n_nodes; node++) {
            good = add_node(&t, node);
        }
        p->recorded += profiler->workers[k].recorded;
        p->lost += profiler->workers[k].lost;
        close_assembly(&t);
    }
    close_assembly(&t);
    mem_free(t.found);
    mem_free(rows);
    mem_free(items);
    mem_free(scale);
    mem_free(calls);
    return good;
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
        ASSERT(isfinite(p->tasks[k].weight) && p->tasks[k].weight >= 0, "item %zu weighs %g", k,
               p->tasks[k].weight);
    }
}

bool profile_from_run(Profile *p, Profiler *profiler, const char *const *ids) {
    size_t n = profiler->n_items;
    double busy = (double)prof_busy_ns(profiler), rate = prof_ns_per_tick(profiler);
    uint64_t calls = 0, ticks = 0;
    for (uint32_t k = 0; k < PRIM_COUNT; k++) {
        calls += p->names[k].calls = prof_calls(profiler, k, &p->names[k].fails);
    }
    for (uint32_t k = SCOPE_NONE + 1; k < SCOPE_COUNT; k++) {
        prof_scope_ticks(profiler, (Scope)k, &p->names[PRIM_COUNT + k].calls);
    }
    p->pass_ns[0] = p->phases_ns[PHASE_EXECUTE];
    p->work_ns[WORK_IDLE] = p->pass_ns[0] * profiler->pool->count - busy;
    if (profiler->level < PROF_TIMING) {
        return true;
    }
    p->ns_per_tick = rate;
    if (!profile_begin_tasks(p, n)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        ProfTask *task = &p->tasks[k];
        task->id = profile_text(p, ids[k]);
        task->evaluations = 1;
        task->execute_ns[0] = (double)profiler->items[k].ticks * p->ns_per_tick;
        if (task->id == NULL) {
            return false;
        }
    }
    weigh(p, profiler);
    if (!profile_add_run(p, profiler) || !profile_finish(p)) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        ticks += profiler->items[k].ticks;
    }
    p->work_ns[WORK_SCHEDULING] = fmax(busy - (double)ticks * rate, 0);
    p->lost = profiler->level == PROF_TRACE && p->lost > 0 ? calls - p->recorded : p->lost;
    return true;
}
