/* Writes the data of the profile page; its script, profile.js, draws. */
#include "tools/display/profile_page.h"

#include "base/alloc.h"
#include "tools/display/page.h"
#include "tools/profiler/file.h"
#include "tools/profiler/quantiles.h"

#include <math.h>
#include <string.h>

enum { SHOWN_TASKS = 12, SHOWN_PAIRS = 3 };

static void write_rows(Json *json, const char *key, const Profile *p, const ProfSum *sum) {
    json_key(json, key);
    json_begin_object(json);
    json_kv_uint(json, "tasks", sum->tasks);
    json_kv_uint(json, "evaluations", sum->evaluations);
    json_kv_uint(json, "calls", sum->calls);
    json_kv_fixed(json, "execute", sum->execute_ns, 1);
    json_kv_fixed(json, "dispatch", sum->dispatch_ns, 1);
    json_kv_fixed(json, "median", sum->task_median_ns, 1);
    json_kv_fixed(json, "p90", sum->task_p90_ns, 1);
    json_kv_fixed(json, "p99", sum->task_p99_ns, 1);
    json_kv_fixed(json, "max", sum->task_max_ns, 1);
    json_key(json, "rows");
    json_begin_array(json);
    for (uint32_t k = 0; k < sum->n_rows; k++) {
        const ProfSumRow *r = &sum->rows[k];
        json_begin_object(json);
        json_kv_string(json, "name", p->names[r->name].name);
        json_kv_string(json, "family", p->names[r->name].family);
        json_kv_uint(json, "calls", r->calls);
        json_kv_uint(json, "fails", r->fails);
        json_kv_fixed(json, "self", r->self_ns, 1);
        json_kv_fixed(json, "total", r->total_ns, 1);
        json_kv_uint(json, "tasks", r->tasks);
        json_kv_double(json, "spread", r->spread);
        json_kv_fixed(json, "low", r->low, 6);
        json_kv_fixed(json, "high", r->high, 6);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

/* [parent, name, calls, self, total], the root first. */
static void write_flame(Json *json, const char *key, const Profile *p, ProfFilter filter) {
    uint32_t n;
    ProfStack *stacks = profile_flatten(p, filter, &n);
    json_key(json, key);
    json_begin_array(json);
    for (uint32_t k = 0; stacks != NULL && k < n; k++) {
        json_begin_row(json);
        json_uint(json, stacks[k].parent);
        json_text(json, k == 0 ? "batt" : p->names[stacks[k].name].name);
        json_uint(json, stacks[k].calls);
        json_fixed(json, stacks[k].self_ns, 1);
        json_fixed(json, stacks[k].total_ns, 1);
        json_end_array(json);
    }
    json_end_array(json);
    json->out->failed |= stacks == NULL;
    mem_free(stacks);
}

enum { MAX_TASK_FRAMES = 30000 }; /* more would make the page too slow to open */

/* The same with a frame for each task. */
static void write_flame_tasks(Json *json, const Profile *p) {
    bool shown = p->n_stacks <= MAX_TASK_FRAMES;
    double *weight = mem_zalloc((size_t)p->n_stacks + 1, sizeof *weight), whole = 0;
    for (uint32_t k = 1; weight != NULL && k < p->n_stacks; k++) {
        const ProfStack *s = &p->stacks[k];
        weight[k] = s->task ? p->tasks[s->name].weight : weight[s->parent];
        whole += s->task ? weight[k] * s->total_ns : 0;
    }
    json_key(json, "flame_tasks");
    json_begin_array(json);
    for (uint32_t k = 0; shown && weight != NULL && k < p->n_stacks; k++) {
        const ProfStack *s = &p->stacks[k];
        json_begin_row(json);
        json_uint(json, s->parent);
        json_text(json, k == 0 ? "batt" : s->task ? p->tasks[s->name].id : p->names[s->name].name);
        json_uint(json, s->task || k == 0 ? 0 : (uint64_t)llround(weight[k] * (double)s->calls));
        json_fixed(json, k == 0 ? 0 : weight[k] * s->self_ns, 1);
        json_fixed(json, k == 0 ? whole : weight[k] * s->total_ns, 1);
        json_end_array(json);
    }
    json_end_array(json);
    json->out->failed |= weight == NULL;
    mem_free(weight);
}

static void write_phase(Json *json, const char *name, double ns) {
    if (ns > 0) {
        json_begin_row(json);
        json_text(json, name);
        json_fixed(json, ns, 0);
        json_end_array(json);
    }
}

/* The phases of one run of the programs. A profiler makes many passes over the tasks, so that its own phases
 * would only say that it measured: reading and matching are taken from it, the rest is one pass without
 * timestamps. */
static void write_phases(Json *json, const Profile *p, const ProfSum *all) {
    bool passes = profile_pass_ns(p) > 0;
    double workers = p->workers > 0 ? p->workers : 1;
    json_key(json, "phases");
    json_begin_array(json);
    for (int k = 0; k < PHASE_COUNT; k++) {
        if (!passes || k < PHASE_EXECUTE) {
            write_phase(json, phase_name((Phase)k), p->phases_ns[k]);
        }
    }
    if (passes) {
        write_phase(json, "primitives", all->primitives_ns / workers);
        write_phase(json, "dispatch", (all->dispatch_ns + all->engine_ns) / workers);
        write_phase(json, "setup", p->work_ns[WORK_SETUP] / workers);
        write_phase(json, "validate", p->work_ns[WORK_JUDGE] / workers);
        write_phase(json, "scheduling", (p->work_ns[WORK_SCHEDULING] + p->work_ns[WORK_IDLE]) / workers);
    }
    json_end_array(json);
}

static void write_grids(Page *page, const ProfilePage *from, const char *id) {
    const Task *task = NULL;
    for (size_t k = 0; k < from->n_tasks && task == NULL; k++) {
        task = strcmp(from->tasks[k]->id, id) == 0 ? from->tasks[k] : NULL;
    }
    json_key(&page->json, "pairs");
    json_begin_array(&page->json);
    for (int32_t k = 0; task != NULL && k < task->n_train && k < SHOWN_PAIRS; k++) {
        json_begin_object(&page->json);
        page_grid(page, "input", &task->train[k].in);
        page_grid(page, "output", &task->train[k].out);
        json_end_object(&page->json);
    }
    json_end_array(&page->json);
}

static void write_task(Page *page, const ProfilePage *from, const ProfTask *task, bool grids) {
    const Profile *p = from->profile;
    Json *json = &page->json;
    double whole = task_execute_ns(p, task);
    json_begin_object(json);
    json_kv_string(json, "id", task->id);
    json_kv_fixed(json, "execute", whole, 1);
    json_kv_uint(json, "evaluations", task->evaluations);
    json_kv_uint(json, "over_budget", task->over_budget);
    json_kv_string(json, "reason", task->reason);
    json_kv_bool(json, "outlier", task->outlier);
    json_kv_fixed(json, "deviations", task->deviations, 2);
    json_key(json, "rows");
    json_begin_array(json);
    for (uint32_t k = 0; k < task->n_rows; k++) {
        json_begin_row(json);
        json_text(json, p->names[task->rows[k].name].name);
        json_fixed(json, whole > 0 ? stats_mean(task->rows[k].self_ns, p->repeats) / whole : 0, 5);
        json_end_array(json);
    }
    json_end_array(json);
    if (grids) {
        write_grids(page, from, task->id);
    }
    json_end_object(json);
}

/* The slowest tasks, and all outliers. */
static void write_tasks(Page *page, const ProfilePage *from) {
    const Profile *p = from->profile;
    const ProfTask *slow[SHOWN_TASKS + 1];
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        uint32_t at = n < SHOWN_TASKS ? n++ : n;
        for (; at > 0 && task_execute_ns(p, slow[at - 1]) < task_execute_ns(p, &p->tasks[k]); at--) {
            slow[at] = slow[at - 1];
        }
        slow[at] = &p->tasks[k];
    }
    json_key(&page->json, "slowest");
    json_begin_array(&page->json);
    for (uint32_t k = 0; k < n; k++) {
        write_task(page, from, slow[k], true);
    }
    json_end_array(&page->json);
    json_key(&page->json, "outliers");
    json_begin_array(&page->json);
    for (uint32_t k = 0; k < p->n_tasks; k++) {
        if (p->tasks[k].outlier) {
            write_task(page, from, &p->tasks[k], false);
        }
    }
    json_end_array(&page->json);
    json_kv_string(&page->json, "method", outliers_method);
}

static void write_before(Page *page, const Profile *before) {
    ProfSum sum;
    if (!profile_sum(before, FILTER_WITHOUT, &sum)) {
        page->out->failed = true;
        return;
    }
    write_rows(&page->json, "before", before, &sum);
    profile_sum_free(&sum);
}

static const char *plural(unsigned n) {
    return n == 1 ? "" : "s";
}

void profile_page(Out *out, const ProfilePage *from) {
    const Profile *p = from->profile;
    Page page;
    char summary[300];
    unsigned tasks = from->all->tasks, evaluations = from->all->evaluations;
    snprintf(summary, sizeof summary,
             "%u task%s, %u evaluation%s, %u repeat%s after %u warm-up, %u worker%s; %s; %s", tasks,
             plural(tasks), evaluations, plural(evaluations), p->repeats, plural(p->repeats), p->warmup,
             p->workers, plural(p->workers), p->processor, p->when);
    page_begin(&page, out, from->before != NULL ? "batt profile: before and after" : "batt profile", summary,
               from->palette, ASSET_PROFILE_CSS, ASSET_PROFILE_HTML, ASSET_PROFILE_JS);
    json_kv_bool(&page.json, "sampled",
                 p->plain_ns > 0 && p->warmup == 0 && p->repeats == 1 && p->pass_ns[0] <= 0);
    write_phases(&page.json, p, from->all);
    write_rows(&page.json, "all", p, from->all);
    write_rows(&page.json, "kept", p, from->kept);
    write_flame(&page.json, "flame", p, FILTER_ALL);
    write_flame(&page.json, "flame_kept", p, FILTER_WITHOUT);
    write_flame_tasks(&page.json, p);
    write_tasks(&page, from);
    if (from->before != NULL) {
        write_before(&page, from->before);
    }
    page_end(&page);
}
