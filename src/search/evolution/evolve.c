/* Running generations over all tasks; see evolve.h. What happens to a single task is in round.c. */
#include "search/evolution/evolve.h"

#include "backends/devices/backend.h"
#include "base/alloc.h"
#include "base/check.h"
#include "engine/language/hash.h"
#include "search/evolution/evolve_ranks.h"

#include <string.h>

enum { EXCHANGE_MAX = 64, PRIMITIVE_VARIANTS = 12 };

/* The largest power of two for which `tables` tables fit into the bytes set aside for memories. */
static uint32_t table_size(size_t bytes, size_t entry, size_t tables, uint32_t min, uint32_t max) {
    uint32_t size = min;
    while (size < max && 2 * (size_t)size * entry * tables <= bytes) {
        size *= 2;
    }
    return size;
}

static bool open_task(Evolve *e, EvolveTask *t, const Task *task) {
    t->task = task;
    t->colors = palettes_of(task);
    t->members = mem_zalloc(e->options.population, sizeof *t->members);
    t->next = mem_zalloc(e->options.population, sizeof *t->next);
    return t->members != NULL && t->next != NULL;
}

/* Accessed at random all the time: with small pages, page misses would cost more than the lookups. */
static bool open_memories(Evolve *e, size_t pairs) {
    size_t seen = e->n_tasks * e->seen_size * sizeof *e->tasks->seen,
           scores = pairs * e->scores_size * sizeof *e->tasks->scores;
    e->memories = mem_zalloc(seen + scores, 1);
    if (e->memories == NULL) {
        return false;
    }
    mem_prefer_large_pages(e->memories, seen + scores);
    uint64_t *next = e->memories;
    for (size_t k = 0; k < e->n_tasks; k++) {
        e->tasks[k].scores = next;
        next += (size_t)e->tasks[k].task->n_train * e->scores_size;
    }
    for (size_t k = 0; k < e->n_tasks; k++) {
        e->tasks[k].seen = (uint32_t *)next + k * e->seen_size;
    }
    return true;
}

static bool open_tasks(Evolve *e, const EvolveOptions *options, const Task *const *tasks, size_t n_tasks) {
    *e = (Evolve){.options = *options, .n_tasks = n_tasks};
    size_t pairs = 0;
    for (size_t k = 0; k < n_tasks; k++) {
        pairs += (size_t)tasks[k]->n_train;
    }
    e->seen_size = table_size(options->memories, sizeof *e->tasks->seen, n_tasks, 1 << 10, 1 << 18);
    e->scores_size = table_size(options->memories, sizeof *e->tasks->scores, pairs, 1 << 8, 1 << 14);
    e->tasks = mem_zalloc(n_tasks, sizeof *e->tasks);
    bool good = e->tasks != NULL;
    for (size_t k = 0; k < n_tasks && good; k++) {
        good = open_task(e, &e->tasks[k], tasks[k]);
    }
    return good && open_memories(e, pairs);
}

bool evolve_open_on(Evolve *e, const EvolveOptions *options, const Task *const *tasks, size_t n_tasks,
                    Ctx *ctx, EvolveScratch *scratch) {
    bool good = open_tasks(e, options, tasks, n_tasks);
    e->ctx = ctx;
    e->scratches = scratch;
    if (!good) {
        evolve_close(e);
    }
    return good;
}

bool evolve_open(Evolve *e, const EvolveOptions *options, const Task *const *tasks, size_t n_tasks,
                 const Differs *differs) {
    bool good = open_tasks(e, options, tasks, n_tasks);
    e->cpu_slots = options->jobs != 0 ? options->jobs : pool_processors();
    good = good && backend_open_pool(options->backend, &e->pool, e->cpu_slots, &options->budget);
    e->pool.keeps = true;
    e->n_scratches = good ? e->pool.count : 0;
    e->scratches = good ? evolve_scratch_open(e->n_scratches, differs) : NULL;
    if (e->scratches == NULL) {
        evolve_close(e);
        return false;
    }
    return true;
}

void evolve_close(Evolve *e) {
    for (size_t k = 0; e->tasks != NULL && k < e->n_tasks; k++) {
        EvolveTask *t = &e->tasks[k];
        for (uint32_t x = 0; x < t->count; x++) {
            prog_free(t->members[x].program);
        }
        progs_free(&t->restored);
        mem_free(t->members);
        mem_free(t->next);
    }
    for (size_t k = 0; e->cases != NULL && k < e->n_tasks; k++) {
        differ_cases_close(&e->cases[k]);
    }
    mem_free(e->cases);
    mem_free(e->tasks);
    mem_free(e->memories);
    if (e->ctx == NULL) {
        evolve_scratch_close(e->scratches, e->n_scratches);
        pool_close(&e->pool);
    }
    progs_free(&e->founders);
    progs_free(&e->foreign);
    mem_free(e->exchange);
    mem_free(e->owners);
    mem_free(e->mine);
    if (e->lang != NULL) {
        lang_close(e->lang);
    }
    *e = (Evolve){0};
}

bool evolve_offer(Evolve *e, const Program *p) {
    if (!MEM_ROOM(e->exchange, e->n_exchange, e->exchange_room, 64)) {
        return false;
    }
    e->exchange[e->n_exchange++] = p;
    ASSERT(e->n_exchange <= e->exchange_room, "%u of %u", e->n_exchange, e->exchange_room);
    return true;
}

bool evolve_add_founder(Evolve *e, Program *p) {
    return progs_add(&e->founders, p) && evolve_offer(e, p);
}

/* Programs of one call each, whose arguments are the input and constants. */
bool evolve_add_primitives(Evolve *e, Mode mode) {
    Mutator *m = mem_zalloc(1, sizeof *m);
    Typed *simple = mem_alloc(sizeof *simple);
    Builder builder;
    build_init(&builder);
    bool good = m != NULL && simple != NULL && mutator_open(m);
    static const Palettes all = {.in = 0x3ff, .out = 0x3ff};
    for (uint32_t prim = 0; prim < PRIM_COUNT && good; prim++) {
        const PrimInfo *info = &prim_table[prim];
        uint32_t variants = info->arity < 2 ? 1 : PRIMITIVE_VARIANTS;
        if (!m->vocab[mode].allowed[prim] || (info->flags & PRIM_CLOSURE)) {
            continue;
        }
        mutator_begin(m, rng_stream(e->options.seed, prim, mode), &all);
        for (uint32_t k = 0; k < variants && good; k++) {
            draft_start(&m->work, mode, mode == MODE_CORE ? 1 : 3);
            m->effort = 8;
            Ref made = sprout_call(m, prim, TYPE_GRID, REF_PARAM | PARAM_I, TYPE_GRID, 0);
            if (made == REF_NONE) {
                continue;
            }
            m->work.result = made;
            if (draft_simplify(&m->work, &simple->draft) && simple->draft.nops <= 1 &&
                mutate_types(m, simple)) {
                Program *p = draft_finish(&simple->draft, &builder, info->name);
                good = p != NULL && evolve_add_founder(e, p);
            }
        }
    }
    if (m != NULL) {
        mutator_close(m);
    }
    mem_free(m);
    mem_free(simple);
    build_free(&builder);
    return good;
}

/* ---- differs ---- */

typedef struct CasesJob {
    Evolve *evolve;
    const Program *const *solvers;
    size_t n_solvers;
    EvolveEachCase *each;
    void *context;
} CasesJob;

static void make_cases(Worker *worker, size_t item) {
    CasesJob *job = worker->shared;
    EvolveTask *t = &job->evolve->tasks[item];
    DifferCases *cases = &job->evolve->cases[item];
    bool good = differ_cases_open(cases, &worker->ctx, t->task, job->solvers, job->n_solvers);
    t->cases = good ? cases : NULL;
    if (job->each != NULL) {
        job->each(job->context);
    }
}

bool evolve_breed_differs(Evolve *e, const Program *const *solvers, size_t n_solvers, EvolveEachCase *each,
                          void *context, const Stop *stop) {
    CasesJob job = {e, solvers, n_solvers, each, context};
    ASSERT(e->ctx == NULL && e->cases == NULL && e->n_exchange == 0, "differs after solvers");
    e->cases = mem_zalloc(e->n_tasks, sizeof *e->cases);
    bool good = e->cases != NULL && pool_run(&e->pool, e->n_tasks, make_cases, &job, stop) == e->n_tasks;
    for (size_t k = 0; k < e->n_tasks && good; k++) {
        good = e->tasks[k].cases != NULL;
    }
    return good;
}

/* ---- a generation ---- */

static void round_of(Worker *worker, size_t item) {
    Evolve *e = worker->shared;
    size_t task = e->mine != NULL ? e->mine[item] : item;
    evolve_round(e, &worker->ctx, evolve_scratch_at(e->scratches, worker->index), &e->tasks[task]);
}

static bool is_sound(const EvolveMember *m) {
    return guard_failed(m->guard) == 0;
}

static bool passes_tests(const EvolveMember *m, const Task *task) {
    int32_t known = 0;
    for (int32_t k = 0; k < task->n_test; k++) {
        known += task->test[k].has_output;
    }
    return m->test_exact == known && (known > 0 || task->n_test == 0);
}

void evolve_count(Evolve *e) {
    EvolveFigures *f = &e->figures;
    f->fits = f->sound = f->solved = 0;
    for (size_t k = 0; k < e->n_tasks; k++) {
        const EvolveTask *t = &e->tasks[k];
        if (t->count > 0 && t->members[0].exact == t->task->n_train) {
            f->fits++;
            f->sound += is_sound(&t->members[0]);
            f->solved += passes_tests(&t->members[0], t->task);
            ASSERT(f->solved <= f->fits && f->sound <= f->fits, "%zu fit, %zu soundly, %zu solved", f->fits,
                   f->sound, f->solved);
        }
    }
}

static void forget(Evolve *e) { /* drops an unfinished generation */
    for (size_t k = 0; k < e->n_tasks; k++) {
        EvolveTask *t = &e->tasks[k];
        for (uint32_t x = 0; x < t->next_count; x++) {
            evolve_drop(&t->next[x], e->figures.generation);
        }
        t->next_count = 0;
        /* what was seen in it must be evaluated again next time */
        memset(t->seen, 0, e->seen_size * sizeof *t->seen);
    }
}

/* The next population replaces the current one; programs that are in both stay alive. */
static void replace(EvolveTask *t) {
    for (uint32_t k = 0; k < t->count; k++) {
        bool kept = false;
        for (uint32_t x = 0; x < t->next_count && !kept; x++) {
            kept = t->next[x].program == t->members[k].program;
        }
        if (!kept) {
            prog_free(t->members[k].program);
        }
    }
    EvolveMember *old = t->members;
    t->members = t->next;
    t->count = t->next_count;
    t->next = old;
    t->next_count = 0;
}

/* A task whose best program is from this generation offers it to the others in the next one. If there are too
 * many, a different subset of tasks gets its turn each time. */
static bool fill_exchange(Evolve *e) {
    e->n_exchange = 0;
    size_t start = e->n_tasks > 0 ? (size_t)(e->figures.generation * EXCHANGE_MAX) % e->n_tasks : 0;
    for (size_t k = 0; k < e->n_tasks && e->n_exchange < EXCHANGE_MAX; k++) {
        const EvolveTask *t = &e->tasks[(start + k) % e->n_tasks];
        if (t->count > 0 && t->members[0].born == e->figures.generation &&
            !evolve_offer(e, t->members[0].program)) {
            return false;
        }
    }
    return true;
}

/* The round of the tasks that are this rank's. False: it was stopped. */
static bool breed(Evolve *e, const Stop *stop) {
    size_t mine = e->mine != NULL ? e->n_mine : e->n_tasks;
    for (size_t k = 0; k < e->n_tasks && e->ctx != NULL && !stop_is_requested(stop); k++) {
        evolve_round(e, e->ctx, e->scratches, &e->tasks[k]);
    }
    return e->ctx != NULL || pool_run(&e->pool, mine, round_of, e, stop) == mine;
}

static bool run_all(Evolve *e, const Stop *stop) {
    for (size_t k = 0; k < e->n_tasks; k++) {
        e->tasks[k].next_count = 0;
        e->tasks[k].failed = true;
    }
    bool good = breed(e, stop);
    if (e->ranks != NULL) {
        good = evolve_collect(e, good);
        good = good && (!evolve_adopt(e) || breed(e, stop));
        evolve_own(e);
    }
    for (size_t k = 0; k < e->n_tasks; k++) {
        bool known = ranks_is_root(e->ranks) || e->owners[k] == ranks_rank(e->ranks);
        good = good && (!known || !e->tasks[k].failed);
    }
    return good;
}

/* Replaces all populations by those that the generation made. */
static bool settle(Evolve *e) {
    for (size_t k = 0; k < e->n_tasks; k++) {
        EvolveTask *t = &e->tasks[k];
        bool improved = t->next_count > 0 && (t->count == 0 || t->next[0].score > t->members[0].score);
        ASSERT(COUNTED(&t->statistics, DISTINCT) <= COUNTED(&t->statistics, CANDIDATES),
               "%s: more distinct children than children", t->task->id);
        statistics_add(&e->figures.statistics, &t->statistics);
        COUNT(&e->figures.statistics, IMPROVED, improved);
        replace(t);
    }
    evolve_count(e);
    return fill_exchange(e);
}

/* A rank other than 0 only learns from rank 0 whether the generation counts. */
static bool follow(Evolve *e, bool good) {
    good = evolve_spread(e, good) && good;
    if (!good) {
        forget(e);
        return false;
    }
    for (size_t k = 0; k < e->n_mine; k++) {
        replace(&e->tasks[e->mine[k]]);
    }
    evolve_own(e); /* with the tasks of a rank that is lost */
    progs_free(&e->founders);
    e->figures.generation++;
    return true;
}

bool evolve_generation(Evolve *e, const Stop *stop) {
    EvolveFigures *f = &e->figures;
    bool good = run_all(e, stop);
    if (!ranks_is_root(e->ranks)) {
        return follow(e, good);
    }
    if (!good) {
        forget(e);
        if (e->ranks != NULL) {
            evolve_spread(e, false);
        }
        return false;
    }
    good = settle(e);
    if (e->ranks != NULL) {
        good = evolve_spread(e, good);
        evolve_own(e);
    }
    progs_free(&e->founders); /* they live on in populations, as copies */
    f->generation++;
    LOG(EVOLVE, "generation %llu: %llu children, %llu distinct, %zu of %zu fit",
        (unsigned long long)f->generation, (unsigned long long)COUNTED(&f->statistics, CANDIDATES),
        (unsigned long long)COUNTED(&f->statistics, DISTINCT), f->fits, e->n_tasks);
    return good;
}

/* ---- resuming ---- */

bool evolve_restore_program(Evolve *e, size_t task, Program *program) {
    return progs_add(&e->tasks[task].restored, program);
}

bool evolve_restore(Evolve *e, const EvolveFigures *figures) {
    uint32_t n = e->n_exchange;
    e->n_exchange = 0; /* only restored programs compete */
    e->figures.generation = 0;
    bool good = run_all(e, NULL);
    e->n_exchange = n;
    if (!good) {
        forget(e);
    }
    for (size_t k = 0; k < e->n_tasks && good; k++) {
        replace(&e->tasks[k]);
        progs_free(&e->tasks[k].restored);
    }
    e->figures = *figures;
    evolve_count(e);
    return good;
}

EvolveMember *evolve_find(Evolve *e, size_t task, ProgHash program) {
    EvolveTask *t = &e->tasks[task];
    for (uint32_t k = 0; k < t->count; k++) {
        if (prog_hash_eq(t->members[k].program->hash, program)) {
            return &t->members[k];
        }
    }
    return NULL;
}

bool evolve_restore_exchange(Evolve *e, size_t task, ProgHash program) {
    const EvolveMember *m = evolve_find(e, task, program);
    return m != NULL && evolve_offer(e, m->program);
}
