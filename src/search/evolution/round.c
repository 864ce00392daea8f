/* One task in a generation: children, one battery, scores, the next population. */
#define XXH_INLINE_ALL
#include "search/evolution/round.h"

#include "base/alloc.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/mix.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
#include "search/evolution/other_pairs.h"
#include "search/run/match_programs.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { FRESH = MUTATION_COUNT, OFFERED }; /* changes that are not mutations */
enum { FRESH_PERCENT = 8, SHORT_CHECKED = 5, SHORT_UNCHECKED = 3 };
enum { UNKNOWN = -2, HASHED = -1 }; /* NodeScore.score */

Ctx *evolve_scratch_scoring(EvolveScratch *scratches, uint32_t index) {
    return &scratches[index].scorer.ctx;
}

EvolveScratch *evolve_scratch_at(EvolveScratch *scratches, uint32_t index) {
    return &scratches[index];
}

EvolveScratch *evolve_scratch_open(uint32_t count, const Differs *differs) {
    EvolveScratch *scratches = mem_zalloc(count, sizeof *scratches);
    bool good = scratches != NULL;
    for (uint32_t k = 0; k < count && good; k++) {
        EvolveScratch *s = &scratches[k];
        build_init(&s->builder);
        s->batteries[0] = battery_new(MODE_CORE, false, 1, true);
        s->batteries[1] = battery_new(MODE_BATT, false, 3, true);
        good = s->batteries[0] != NULL && s->batteries[1] != NULL && mutator_open(&s->mutator) &&
               scorer_open(&s->scorer, differs);
    }
    if (!good && scratches != NULL) {
        evolve_scratch_close(scratches, count);
        scratches = NULL;
    }
    return scratches;
}

void evolve_scratch_close(EvolveScratch *scratches, uint32_t count) {
    for (uint32_t k = 0; scratches != NULL && k < count; k++) {
        EvolveScratch *s = &scratches[k];
        mutator_close(&s->mutator);
        scorer_close(&s->scorer);
        battery_free(s->batteries[0]);
        battery_free(s->batteries[1]);
        build_free(&s->builder);
        mem_free(s->run.values);
        mem_free(s->run.steps);
        mem_free(s->scores);
        mem_free(s->parents);
        mem_free(s->drafted);
        mem_free(s->parent_weights);
        mem_free(s->programs);
        mem_free(s->children);
        mem_free(s->tallies);
    }
    mem_free(scratches);
}

static bool make_room(EvolveScratch *s, uint32_t parents, uint32_t children, uint32_t max_calls) {
    size_t bytes = children * DRAFT_BYTES((size_t)(max_calls < DRAFT_OPS ? max_calls : DRAFT_OPS));
    if (parents > s->parents_room) {
        mem_free(s->parents);
        mem_free(s->drafted);
        mem_free(s->parent_weights);
        s->parents = mem_array(parents, sizeof *s->parents);
        s->drafted = mem_array(parents, sizeof *s->drafted);
        s->parent_weights = mem_array(parents, sizeof *s->parent_weights);
        s->parents_room = s->parents != NULL && s->drafted != NULL && s->parent_weights != NULL ? parents : 0;
    }
    if (children > s->room) {
        mem_free(s->children);
        mem_free(s->tallies);
        s->children = mem_array(children, sizeof *s->children);
        s->tallies = mem_array(children, sizeof *s->tallies);
        s->room = s->children != NULL && s->tallies != NULL ? children : 0;
    }
    if (bytes > s->programs_room) { /* enough for the longest; only what is written becomes resident */
        mem_free(s->programs);
        s->programs = mem_alloc(bytes);
        s->programs_room = s->programs != NULL ? bytes : 0;
    }
    s->unused = s->programs;
    return parents <= s->parents_room && children <= s->room && bytes <= s->programs_room;
}

/* ---- candidates ---- */

static unsigned form_of(Mode mode, unsigned nparams) {
    return mode == MODE_CORE && nparams == 1 ? 0 : mode == MODE_BATT && nparams == 3 ? 1 : FORMS;
}

static uint32_t *seen_place(const Evolve *e, EvolveTask *t, uint64_t hash) {
    return &t->seen[hash & (e->seen_size - 1)];
}

/* True if the hash was met before; remembers it (32 bits, besides those that choose its place). Forgetting is
 * harmless. */
static bool seen_before(const Evolve *e, EvolveTask *t, uint64_t hash) {
    uint32_t *place = seen_place(e, t, hash), mark = (uint32_t)(hash >> 32) | 1;
    bool seen = *place == mark;
    *place = mark;
    return seen;
}

static bool enter(EvolveScratch *s, Ctx *ctx, EvolveChild *child) {
    bool recorded = scope_record_begin(ctx, SCOPE_MERGE);
    child->handle = battery_add(s->batteries[child->form], ctx, child->program);
    scope_record_end(ctx, recorded);
    if (child->handle < 0) {
        return false;
    }
    child->calls = child->calls > 0 ? child->calls : child->program->nops;
    s->children[s->count++] = *child;
    return true;
}

/* Enters programs from outside: founders, and newcomers of other tasks. */
static bool offer_given(const Evolve *e, EvolveScratch *s, Ctx *ctx, EvolveTask *t) {
    bool own = t->restored.count > 0;
    uint32_t n = own ? (uint32_t)t->restored.count : e->n_exchange;
    for (uint32_t k = 0; k < n; k++) {
        const Program *p = own ? t->restored.items[k] : e->exchange[k];
        unsigned form = form_of((Mode)p->mode, p->nparams);
        if (form == FORMS) {
            continue;
        }
        uint64_t hash = p->hash.hi; /* too large for a draft */
        uint32_t calls = p->nops;
        if (draft_from(&s->one, p) && draft_simplify(&s->one, &s->two)) {
            hash = s->two.hash;
            calls = s->two.nops;
        }
        COUNT(&s->statistics, CANDIDATES, 1);
        if (seen_before(e, t, hash)) {
            continue;
        }
        EvolveChild child = {.program = p,
                             .form = (uint8_t)form,
                             .parents = {-1, -1},
                             .hash = hash,
                             .calls = calls,
                             .n_changes = 1,
                             .changes = {OFFERED}};
        if (!enter(s, ctx, &child)) {
            return false;
        }
    }
    return true;
}

/* A member's selection weight grows with its rank in its length class, and shrinks with its length
 * and with how often it was picked. */
static void weigh_parents(const Evolve *e, EvolveScratch *s, const EvolveTask *t) {
    uint64_t sum = 0;
    uint32_t met[EVOLVE_CLASSES] = {0};
    for (uint32_t k = 0; k < t->count; k++) {
        unsigned class = evolve_class(t->members[k].calls);
        uint32_t room = evolve_class_room(e, class);
        uint64_t rank = 48 - (met[class] < room ? 48 * met[class] / room : 47);
        met[class]++;
        uint64_t less = (32 + (uint64_t)t->members[k].picks) * (12 + t->members[k].calls);
        s->parent_weights[k] = sum += rank * rank * 4096 / less + 1;
    }
}

static uint32_t draw_parent(EvolveScratch *s, const EvolveTask *t) {
    uint64_t dice = rng64(&s->mutator.rng) % s->parent_weights[t->count - 1];
    uint32_t lo = 0, hi = t->count - 1;
    while (lo < hi) { /* the first whose cumulative weight exceeds the draw */
        uint32_t mid = (lo + hi) / 2;
        if (s->parent_weights[mid] > dice) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return lo;
}

static void note_change(EvolveChild *c, unsigned change) {
    c->changes[c->n_changes++] = (uint8_t)change;
}

static void name_changes(const EvolveChild *c, char *text) {
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t k = 0; k < c->n_changes && at < EVOLVE_NAME; k++) {
        unsigned change = c->changes[k];
        const char *name = change == FRESH ? "fresh" : change == OFFERED ? "offered" : mutation_names[change];
        at += (size_t)snprintf(text + at, EVOLVE_NAME - at, "%s%s", k > 0 ? "+" : "", name);
    }
}

/* The mate: from the same population, or one of the programs on offer. */
static const Typed *draw_mate(const Evolve *e, EvolveScratch *s, EvolveTask *t, int32_t *which) {
    Rng *rng = &s->mutator.rng;
    *which = -1;
    if (e->n_exchange > 0 && rng_percent(rng, 30)) {
        const Program *p = e->exchange[rng_below(rng, e->n_exchange)];
        return draft_from(&s->one, p) && draft_simplify(&s->one, &s->mate.draft) &&
                       mutate_types(&s->mutator, &s->mate)
                   ? &s->mate
                   : NULL;
    }
    uint32_t k = rng_below(rng, t->count);
    *which = s->drafted[k] ? (int32_t)k : -1;
    return s->drafted[k] ? &s->parents[k] : NULL;
}

/* A child of the population; NULL: breeding failed. */
static const Draft *breed(const Evolve *e, EvolveScratch *s, EvolveTask *t, EvolveChild *child) {
    Rng *rng = &s->mutator.rng;
    if (t->count == 0 || rng_percent(rng, FRESH_PERCENT)) {
        Mode mode = s->mutator.differs ? MODE_BATT
                    : t->count > 0     ? (Mode)t->members[0].program->mode
                                       : MODE_CORE;
        note_change(child, FRESH);
        return mutate_fresh(&s->mutator, mode, mode == MODE_CORE ? 1 : 3, &s->child[0]) ? &s->child[0].draft
                                                                                        : NULL;
    }
    uint32_t parent = draw_parent(s, t), changes = 1;
    while (changes < MAX_CHANGES && rng_percent(rng, 35)) {
        changes++;
    }
    if (!s->drafted[parent]) {
        return NULL;
    }
    child->parents[0] = (int32_t)parent;
    t->next[parent].picks += t->next[parent].picks < UINT32_MAX; /* next is still in the order of members */
    const Typed *from = &s->parents[parent];
    for (uint32_t k = 0; k < changes; k++) {
        MutationKind kind = mutate_draw(&s->mutator);
        int32_t which = -1;
        Typed *to = from == &s->child[0] ? &s->child[1] : &s->child[0];
        const Typed *mate = kind == MUTATION_CROSS ? draw_mate(e, s, t, &which) : NULL;
        if (!mutate(&s->mutator, kind, from, mate, to)) {
            continue;
        }
        note_change(child, kind);
        child->parents[1] = which >= 0 ? which : child->parents[1];
        from = to;
    }
    return from == &s->parents[parent] || from->draft.hash == s->parents[parent].draft.hash ? NULL
                                                                                            : &from->draft;
}

/* A child enters unless it was seen before. This is checked only after the next one has been bred, to give
 * the prefetch of its place in the table time. */
static bool settle(const Evolve *e, EvolveScratch *s, Ctx *ctx, EvolveTask *t, EvolveChild *child) {
    if (seen_before(e, t, child->hash)) {
        return true;
    }
    child->program = draft_write(&s->bred, s->unused, &s->unused);
    return enter(s, ctx, child);
}

static bool make_children(const Evolve *e, EvolveScratch *s, Ctx *ctx, EvolveTask *t, uint32_t wanted) {
    for (uint32_t k = 0; k < t->count && wanted > 0; k++) {
        s->drafted[k] = draft_from(&s->one, t->members[k].program) &&
                        draft_simplify(&s->one, &s->parents[k].draft) &&
                        mutate_types(&s->mutator, &s->parents[k]);
    }
    if (t->count > 0 && wanted > 0) {
        weigh_parents(e, s, t);
    }
    EvolveChild two[2], *waiting = NULL;
    for (uint32_t k = 0; k < wanted; k++) {
        EvolveChild *child = waiting == &two[0] ? &two[1] : &two[0];
        *child = (EvolveChild){.parents = {-1, -1}};
        const Draft *draft = breed(e, s, t, child);
        if (draft == NULL || draft->nops > e->options.max_calls) {
            continue;
        }
        if (waiting != NULL && !settle(e, s, ctx, t, waiting)) {
            return false;
        }
        COUNT(&s->statistics, CANDIDATES, 1);
        child->form = (uint8_t)form_of((Mode)draft->mode, draft->nparams);
        child->hash = draft->hash;
        draft_copy(&s->bred, draft);
        __builtin_prefetch(seen_place(e, t, draft->hash), 1);
        waiting = child;
    }
    return waiting == NULL || settle(e, s, ctx, t, waiting);
}

/* ---- scores ---- */

static uint64_t *score_place(const Evolve *e, uint64_t *table, uint64_t hash) {
    return &table[hash >> 8 & (e->scores_size - 1)];
}

/* All results are hashed before any is scored, so that their places in the table can be prefetched. */
static void hash_results(const Evolve *e, EvolveScratch *s, unsigned form, uint64_t *table) {
    for (uint32_t k = 0; k < s->count; k++) {
        const EvolveChild *c = &s->children[k];
        if (c->form != form || c->dead) {
            continue;
        }
        uint32_t node = battery_result(s->batteries[form], c->handle);
        ASSERT(node < s->run_room, "node %u of %u", node, s->run_room);
        NodeScore *n = &s->scores[node];
        Val v = s->run.values[node];
        if (n->score == UNKNOWN && v.kind == VAL_GRID8) {
            n->hash = XXH3_64bits_withSeed(v.b8, (size_t)v.n * v.w, (uint64_t)v.w << 32 | v.n) | 1;
            n->score = HASHED;
            __builtin_prefetch(score_place(e, table, n->hash), 1);
        }
    }
}

static void score_result(const Evolve *e, EvolveScratch *s, uint64_t *table, Val v, NodeScore *n) {
    if (n->score == UNKNOWN) { /* not a grid */
        *n = (NodeScore){0, 0};
    } else if (n->score == HASHED) {
        uint64_t *place = score_place(e, table, n->hash), key = n->hash & ~UINT64_C(0x7ff);
        if ((*place & ~UINT64_C(0x7ff)) != key) {
            *place = key | (uint64_t)scorer_score(&s->scorer, v, &COUNTED(&s->statistics, EVOLVE_STEPS));
        }
        n->score = (int32_t)(*place & 0x7ff);
        ASSERT(n->score >= 0 && n->score <= SCORE_EXACT, "score %d", n->score);
    }
}

bool round_run_room(EvolveScratch *s, uint32_t nodes) {
    if (nodes <= s->run_room) {
        return true;
    }
    mem_free(s->run.values);
    mem_free(s->run.steps);
    mem_free(s->scores);
    s->run.values = mem_array(nodes, 2 * sizeof *s->run.values);
    s->run.steps = mem_array(nodes, 2 * sizeof *s->run.steps);
    s->scores = mem_array(nodes, 2 * sizeof *s->scores);
    bool good = s->run.values != NULL && s->run.steps != NULL && s->scores != NULL;
    s->run_room = good ? 2 * nodes : 0;
    return good;
}

static bool run_sample(const Evolve *e, EvolveScratch *s, Ctx *ctx, EvolveTask *t, int32_t sample,
                       unsigned form) {
    const Battery *b = s->batteries[form];
    uint32_t nodes = battery_nodes(b);
    if (battery_programs(b) == 0) {
        return true;
    }
    if (!round_run_room(s, nodes)) {
        return false;
    }
    for (uint32_t k = 0; k < nodes; k++) {
        s->scores[k].score = UNKNOWN;
    }
    ctx_reset(ctx);
    Val input = eval_grid(t->task->train[sample].in), params[3] = {input, input, input};
    if (form == 1) {
        params[0] = other_pairs_value(ctx, t->task, sample);
    }
    scope_enter(ctx, SCOPE_BATTERY);
    s->run.ready = s->batches[form] != NULL ? batch_ready(&s->batch_runs[form], (uint32_t)sample) : NULL;
    COUNT(&s->statistics, EVOLVE_STEPS, battery_run(b, ctx, params, &s->run));
    scope_enter(ctx, SCOPE_SCORE);
    uint64_t *table = t->scores + (size_t)sample * e->scores_size;
    int32_t hope = SCORE_EXACT * (t->task->n_train - 1 - sample);
    hash_results(e, s, form, table);
    for (uint32_t k = 0; k < s->count; k++) {
        EvolveChild *c = &s->children[k];
        if (c->form != form || c->dead) {
            continue;
        }
        uint64_t steps;
        Val v = battery_answer(b, ctx, &s->run, c->handle, &steps);
        NodeScore one = {0, 0}, *known = &s->scores[battery_result(b, c->handle)];
        if (!val_failed(v)) { /* else the cause may be this program's budget, not its node */
            score_result(e, s, table, v, known);
            one = *known;
        }
        COUNT(&s->statistics, EVALUATIONS, 1);
        c->steps += steps;
        c->score += one.score;
        ASSERT(c->score <= SCORE_EXACT * (sample + 1), "score %d after %d samples", c->score, sample + 1);
        c->exact += one.score == SCORE_EXACT;
        c->outputs = (c->outputs ^ one.hash) * MIX_FACTOR + 1; /* not mix64: kept in stores */
        if (one.hash == 0 || c->score + hope < s->min_score[evolve_class(c->calls)]) {
            c->dead = true;
            battery_remove(s->batteries[form], c->handle);
        }
    }
    return true;
}

static bool score_solvers(const Evolve *e, EvolveScratch *s, Ctx *ctx, EvolveTask *t) {
    for (int32_t k = 0; k < t->task->n_train; k++) {
        scope_enter(ctx, SCOPE_SCORE);
        COUNT(&s->statistics, EVOLVE_STEPS, scorer_begin(&s->scorer, t->task, t->task->train[k].out));
        if (!run_sample(e, s, ctx, t, k, 0) || !run_sample(e, s, ctx, t, k, 1)) {
            return false;
        }
    }
    return true;
}

/* ---- the next population ---- */

_Static_assert(SCORE_NEAREST + GUARD_MAX < SCORE_EXACT, "right programs are before those that are not");

/* Ranks a child against a member: by score and steps, as in the store; then by calls and hash, which unlike
 * time are the same on every machine. Negative: the child is better. */
static int compare(const EvolveChild *c, const EvolveMember *m) {
    if (c->score != m->score) {
        return c->score > m->score ? -1 : 1;
    }
    if (c->steps != m->steps) {
        return c->steps < m->steps ? -1 : 1;
    }
    if (c->calls != m->calls) {
        return c->calls < m->calls ? -1 : 1;
    }
    return c->hash < m->hash ? -1 : c->hash > m->hash;
}

/* Measures time and tests, which is only done for members that are kept, or for the best. */
static void examine(Ctx *ctx, const Task *task, EvolveMember *m) {
    const Program *p = m->program;
    prim_bind(ctx, (Mode)p->mode, false);
    uint64_t start = clock_now_ns();
    for (int32_t k = 0; k < task->n_train + task->n_test; k++) {
        const TaskPair *pair = k < task->n_train ? &task->train[k] : &task->test[k - task->n_train];
        m->time_ns = k == task->n_train ? clock_now_ns() - start : m->time_ns;
        ctx_reset(ctx);
        Val input = eval_grid(pair->in), params[3] = {input, input, input};
        if (p->nparams == 3) {
            params[0] = other_pairs_value(ctx, task, k < task->n_train ? k : -1);
        }
        Val v = eval_program(ctx, p, params);
        if (k >= task->n_train && pair->has_output) {
            m->test_exact += !val_failed(v) && val_eq(v, eval_grid(pair->out));
        }
    }
    m->time_ns = task->n_test == 0 ? clock_now_ns() - start : m->time_ns;
    prim_bind(ctx, MODE_CORE, false);
}

static Program *finish(EvolveScratch *s, const EvolveChild *c, const Task *task) {
    char name[MATCH_NAME_ROOM];
    match_name(name, task->id);
    bool small = draft_from(&s->one, c->program) && draft_simplify(&s->one, &s->two);
    return small ? draft_finish(&s->two, &s->builder, name) : prog_strip(c->program);
}

static bool emit_fit(const Evolve *e, EvolveScratch *s, const EvolveChild *c,
                     const Task *task) { /* false: no memory */
    Program *p = finish(s, c, task);
    if (p != NULL) {
        e->fits.take(e->fits.user, p);
    }
    return p != NULL;
}

/* Puts a child into the next population if it is good enough; false only if out of memory. */
static bool keep(const Evolve *e, EvolveScratch *s, EvolveTask *t, const EvolveChild *c) {
    uint32_t at = t->next_count, max = e->options.population, same = max, worst = max, peers = 0;
    unsigned class = evolve_class(c->calls);
    for (uint32_t k = 0; k < t->next_count; k++) {
        at = at == t->next_count && compare(c, &t->next[k]) <= 0 ? k : at;
        if (evolve_class(t->next[k].calls) == class) {
            same = t->next[k].outputs == c->outputs ? k : same;
            worst = k;
            peers++;
        }
    }
    if (same < at || (same < max && same == at && t->next[same].hash == c->hash)) {
        return true; /* one with the same outputs is better */
    }
    bool full = same == max && peers >= evolve_class_room(e, class);
    if (full && worst < at) {
        return true; /* not good enough */
    }
    Program *p = finish(s, c, t->task);
    if (p == NULL) {
        return false;
    }
    EvolveMember m = {.program = p,
                      .score = c->score,
                      .exact = c->exact,
                      .guard = c->guard,
                      .outputs = c->outputs,
                      .steps = c->steps,
                      .calls = p->nops,
                      .hash = c->hash,
                      .born = (uint32_t)e->figures.generation};
    name_changes(c, m.mutation);
    for (int k = 0; k < 2; k++) {
        if (c->parents[k] >= 0) {
            m.parents[m.n_parents++] = t->members[c->parents[k]].program->hash;
        }
    }
    bool grows = same == max && !full;
    uint32_t last = grows ? t->next_count : same < max ? same : worst; /* the place that is given up */
    if (!grows) {
        evolve_drop(&t->next[last], e->figures.generation);
    }
    t->next_count += grows;
    memmove(t->next + at + 1, t->next + at, (last - at) * sizeof *t->next);
    t->next[at] = m;
    return true;
}

void evolve_drop(EvolveMember *m, uint64_t generation) {
    if (m->born == generation) {
        prog_free(m->program);
    }
}

/* A short solution that failed no check: hardly a chance hit. */
static bool is_settled(const EvolveTask *t) {
    const EvolveMember *m = t->members;
    return t->count > 0 && m->exact == t->task->n_train && guard_failed(m->guard) == 0 &&
           m->calls <= (m->guard.total > 0 ? SHORT_CHECKED : SHORT_UNCHECKED);
}

/* Runs the batched operations of the batteries, which are complete in this round, for all pairs. */
static bool begin_batches(const Evolve *e, EvolveScratch *s, Ctx *ctx, const EvolveTask *t) {
    if (!backend_uses_device(e->options.backend) || t->cases != NULL) {
        return true;
    }
    Image *inputs = mem_array((size_t)t->task->n_train, sizeof *inputs);
    bool good = inputs != NULL;
    for (int32_t k = 0; k < t->task->n_train && good; k++) {
        inputs[k] = t->task->train[k].in;
    }
    for (unsigned form = 0; form < FORMS && good; form++) {
        s->batches[form] = batch_open(s->batteries[form], form == 1 ? 1 : 0);
        good =
            s->batches[form] == NULL || batch_run(&s->batch_runs[form], s->batches[form], e->options.backend,
                                                  ctx, inputs, (uint32_t)t->task->n_train, NULL);
    }
    mem_free(inputs);
    return good;
}

static void end_batches(const Evolve *e, EvolveScratch *s) {
    for (unsigned form = 0; form < FORMS; form++) {
        if (s->batches[form] != NULL) {
            batch_run_free(&s->batch_runs[form], e->options.backend);
            batch_free(s->batches[form]);
            s->batches[form] = NULL;
        }
    }
    s->run.ready = NULL;
}

/* Every stage enters its scope; the caller leaves it. */
static void make_round(Evolve *e, Ctx *ctx, EvolveScratch *s, EvolveTask *t) {
    uint32_t wanted = e->figures.generation == 0 ? 0
                      : is_settled(t)            ? e->options.children / 8
                                                 : e->options.children;
    s->count = 0;
    t->failed = true;
    s->statistics = (Statistics){0};
    t->next_count = t->count;
    if (t->count > 0) {
        memcpy(t->next, t->members, t->count * sizeof *t->next);
    }
    if (!make_room(s, t->count, wanted + e->n_exchange + (uint32_t)t->restored.count, e->options.max_calls)) {
        return;
    }
    battery_clear(s->batteries[0]);
    battery_clear(s->batteries[1]);
    s->mutator.differs = t->cases != NULL;
    mutator_begin(&s->mutator, rng_stream(e->options.seed, t->task->hash, e->figures.generation), &t->colors);
    prim_bind(ctx, MODE_CORE, false);
    ctx_reset(ctx);
    if (!offer_given(e, s, ctx, t) || !make_children(e, s, ctx, t, wanted)) {
        return;
    }
    for (unsigned k = 0; k < EVOLVE_CLASSES; k++) {
        s->min_score[k] = evolve_min_score(e, t, k);
    }
    if (!begin_batches(e, s, ctx, t)) {
        return;
    }
    if (t->cases != NULL ? !round_judge_differs(s, ctx, t) : !score_solvers(e, s, ctx, t)) {
        return;
    }
    scope_enter(ctx, SCOPE_KEEP);
    for (uint32_t k = 0; k < s->count; k++) {
        EvolveChild *c = &s->children[k];
        if (t->cases == NULL && !c->dead && c->exact == t->task->n_train) {
            Scope was = scope_enter(ctx, SCOPE_GUARD);
            c->guard = guard_check(ctx, c->program, t->task);
            c->score -= guard_failed(c->guard);
            scope_back(ctx, was);
            if (e->fits.take != NULL && !emit_fit(e, s, c, t->task)) {
                return;
            }
        }
        if (!c->dead && c->score >= s->min_score[evolve_class(c->calls)] && !keep(e, s, t, c)) {
            return;
        }
    }
    for (uint32_t k = 0; k < (e->options.examined ? t->next_count : t->next_count > 0); k++) {
        if (t->next[k].born == e->figures.generation && t->cases != NULL) {
            round_examine_differ(ctx, t, &t->next[k]);
        } else if (t->next[k].born == e->figures.generation) {
            examine(ctx, t->task, &t->next[k]);
        }
    }
    COUNT(&s->statistics, DISTINCT, s->count);
    for (uint32_t k = 1; CHECKED && k < t->next_count; k++) {
        ASSERT(t->next[k].score <= t->next[k - 1].score, "%s: member %u of score %d after one of %d",
               t->task->id, k, t->next[k].score, t->next[k - 1].score);
    }
    LOG(EVOLVE, "%s: %u children, %u members, best %d", t->task->id, s->count, t->next_count,
        t->next_count > 0 ? t->next[0].score : 0);
    t->statistics = s->statistics;
    t->failed = false;
}

void evolve_round(Evolve *e, Ctx *ctx, EvolveScratch *s, EvolveTask *t) {
    Scope was = scope_enter(ctx, SCOPE_BREED);
    make_round(e, ctx, s, t);
    end_batches(e, s);
    scope_back(ctx, was);
}
