/* Numbers units, and merges what subsearches found; see subsearches.h. schedule.c decides which
 * arms belong to which subsearch. */
#include "search/session/subsearches.h"

#include "base/alloc.h"
#include "base/check.h"

#include <string.h>

bool subsearches_open(Subsearches *s, size_t tasks, uint32_t count) {
    *s = (Subsearches){.n_tasks = tasks, .count = count > 1 ? count : 1};
    if (s->count == 1) {
        return true;
    }
    s->tasks = mem_zalloc(tasks > 0 ? tasks : 1, sizeof *s->tasks);
    s->dropped = mem_zalloc(tasks > 0 ? subsearches_units(s) : 1, sizeof *s->dropped);
    return s->tasks != NULL && s->dropped != NULL;
}

static void forget(const Subsearches *s, SubsearchTask *t) {
    for (uint32_t k = 0; t->found != NULL && k < s->count; k++) {
        solve_task_free(&t->found[k]);
    }
    mem_free(t->found);
    t->found = NULL;
}

void subsearches_close(Subsearches *s) {
    for (size_t k = 0; s->tasks != NULL && k < s->n_tasks; k++) {
        forget(s, &s->tasks[k]);
    }
    mem_free(s->tasks);
    mem_free((void *)s->dropped);
    *s = (Subsearches){0};
}

void subsearches_begin(Subsearches *s) {
    for (size_t k = 0; s->tasks != NULL && k < s->n_tasks; k++) {
        forget(s, &s->tasks[k]);
        s->tasks[k] = (SubsearchTask){.needed = s->count};
    }
    for (size_t k = 0; s->tasks != NULL && k < subsearches_units(s); k++) {
        s->dropped[k] = 0;
    }
}

void subsearches_share(const Subsearches *s, size_t unit, SearchLimits *limits) {
    if (s->count == 1) {
        return;
    }
    limits->subsearch = subsearches_index(s, unit);
    limits->subsearches = s->count;
    limits->dropped = &s->dropped[unit];
    limits->steps = limits->steps > 0 && limits->steps < s->count ? 1 : limits->steps / s->count;
    limits->time_ns /= s->count;
}

/* The first attempt fits and is certain enough. */
static bool is_sure(const SolveTask *r, const Tunables *tune) {
    return r->n_programs > 0 && r->programs[0].right == (uint32_t)r->task->n_train &&
           r->programs[0].score <= tune->leave_out_sure;
}

bool subsearches_take(Subsearches *s, size_t unit, SolveTask *result, bool cut, const Tunables *tune) {
    SubsearchTask *t = &s->tasks[subsearches_task(s, unit)];
    uint32_t subsearch = subsearches_index(s, unit);
    if (t->found == NULL) {
        t->found = mem_zalloc(s->count, sizeof *t->found);
    }
    if (t->found == NULL || subsearch >= t->needed || t->found[subsearch].done) {
        solve_task_free(result);
        return t->found != NULL;
    }
    t->found[subsearch] = *result;
    t->cut |= cut;
    if (is_sure(result, tune)) {
        for (uint32_t k = subsearch + 1; k < t->needed; k++) {
            stop_request(&s->dropped[subsearches_unit(s, subsearches_task(s, unit), k)]);
        }
        t->needed = subsearch + 1;
    }
    return true;
}

bool subsearches_any(const Subsearches *s, size_t task) {
    const SubsearchTask *t = &s->tasks[task];
    bool any = false;
    for (uint32_t k = 0; t->found != NULL && k < t->needed; k++) {
        any |= t->found[k].done;
    }
    return any;
}

bool subsearches_whole(const Subsearches *s, size_t task) {
    const SubsearchTask *t = &s->tasks[task];
    bool whole = t->found != NULL;
    for (uint32_t k = 0; whole && k < t->needed; k++) {
        whole = t->found[k].done;
    }
    return whole;
}

static void add_programs(SearchEarlier *earlier, uint32_t *n, const SolveTask *r) {
    for (uint32_t k = 0; k < r->n_programs; k++) {
        earlier[(*n)++] = solve_earlier(&r->programs[k]);
    }
}

static void add_counts(SolveTask *to, const SolveTask *r) {
    to->candidates += r->candidates;
    to->time_ns += r->time_ns;
    search_work_add(&to->work, &r->work);
}

static void add_past(SolveTask *to, const SolveTask *r) {
    uint32_t room = SEARCH_MAX_PAST - to->n_past, n = r->n_past < room ? r->n_past : room;
    memcpy(to->past + to->n_past, r->past, n * sizeof *r->past);
    to->n_past += n;
}

bool subsearches_merge(Subsearches *s, size_t task, const SolveTask *first, Ctx *ctx, Ctx *check,
                       const SearchLimits *limits, SolveTask *to) {
    SubsearchTask *t = &s->tasks[task];
    const Task *about = NULL;
    size_t programs = first != NULL ? first->n_programs : 0;
    for (uint32_t k = 0; k < t->needed; k++) {
        programs += t->found[k].n_programs;
        about = t->found[k].done ? t->found[k].task : about;
    }
    ASSERT(about != NULL, "task %zu has no subsearch to merge", task);
    SearchEarlier *earlier = mem_array(programs > 0 ? programs : 1, sizeof *earlier);
    SearchLimits mine = {.quota = limits->quota,
                         .idioms = limits->idioms,
                         .tunables = limits->tunables,
                         .earlier = earlier,
                         .no_strategies = true};
    if (earlier == NULL) {
        return false;
    }
    if (first != NULL) {
        add_programs(earlier, &mine.n_earlier, first);
    }
    for (uint32_t k = 0; k < t->needed; k++) {
        add_programs(earlier, &mine.n_earlier, &t->found[k]);
    }
    bool good = solve_task(to, about, ctx, check, &mine);
    mem_free(earlier);
    if (!good) {
        solve_task_free(to);
        return false;
    }
    to->work = (SearchWork){0};
    to->candidates = 0;
    to->time_ns = 0;
    to->n_past = 0;
    if (first != NULL) {
        add_counts(to, first);
        to->rounds = first->rounds + 1;
    }
    for (uint32_t k = 0; k < t->needed; k++) {
        add_counts(to, &t->found[k]);
        add_past(to, &t->found[k]);
    }
    forget(s, t);
    return true;
}
