/* Picking and mutating; see card_pick.h. */
#include "search/evolution/card_pick.h"

#include "base/alloc.h"
#include "engine/eval/scope.h"

enum { MUTATED_PERCENT = 50, TRIES = 8 };

typedef struct EntryMaker { /* one per worker */
    Mutator mutator;
    Draft draft;
    Typed picked, mate, child;
    Builder builder;
    bool open;
} EntryMaker;

typedef struct Picking {
    const CardOptions *options;
    const Program *const *programs;
    size_t n_programs;
    CardEntry *entries;
    EntryMaker *makers;
} Picking;

/* `count` random numbers below n, ascending; NULL: no memory. */
static uint32_t *choose(uint64_t seed, size_t n, uint32_t count) {
    Rng rng = rng_stream(seed, n, 0);
    uint32_t *order = mem_array(n, sizeof *order);
    uint8_t *chosen = mem_zalloc(n, 1);
    if (order != NULL && chosen != NULL) {
        for (uint32_t k = 0; k < n; k++) {
            order[k] = k;
        }
        for (uint32_t k = 0; k < count; k++) {
            uint32_t other = k + rng_below(&rng, (uint32_t)n - k), swapped = order[k];
            order[k] = order[other];
            order[other] = swapped;
            chosen[order[k]] = 1;
        }
        for (uint32_t k = 0, at = 0; k < n; k++) {
            if (chosen[k]) {
                order[at++] = k;
            }
        }
    } else {
        mem_free(order);
        order = NULL;
    }
    mem_free(chosen);
    return order;
}

static bool typed_of(EntryMaker *m, const Program *p, Typed *typed) {
    return draft_from(&m->draft, p) && draft_simplify(&m->draft, &typed->draft) &&
           mutate_types(&m->mutator, typed);
}

static bool maker_open(EntryMaker *m) {
    if (!m->open && mutator_open(&m->mutator)) {
        build_init(&m->builder);
        m->open = true;
    }
    return m->open;
}

/* Mutates an entry with some probability, if a mutation succeeds. */
static void make_entry(Worker *worker, size_t item) {
    static const Palettes all = {.in = 0x3ff, .out = 0x3ff};
    const Picking *picking = worker->shared;
    CardEntry *entry = &picking->entries[item];
    EntryMaker *m = &picking->makers[worker->index];
    Rng rng = rng_stream(picking->options->seed, item, 1);
    if (picking->options->freeze || !rng_percent(&rng, MUTATED_PERCENT)) {
        return;
    }
    if (!maker_open(m)) {
        entry->no_memory = true;
        return;
    }
    Scope was = scope_enter(&worker->ctx, SCOPE_BREED);
    mutator_begin(&m->mutator, rng, &all);
    bool typed = typed_of(m, entry->origin, &m->picked);
    for (int tries = 0; typed && tries < TRIES; tries++) {
        MutationKind kind = mutate_draw(&m->mutator);
        uint32_t other = rng_below(&m->mutator.rng, (uint32_t)picking->n_programs);
        const Typed *mate =
            kind == MUTATION_CROSS && typed_of(m, picking->programs[other], &m->mate) ? &m->mate : NULL;
        if (mutate(&m->mutator, kind, &m->picked, mate, &m->child)) {
            entry->child = draft_finish(&m->child.draft, &m->builder, entry->origin->name);
            entry->no_memory = entry->child == NULL;
            entry->mutation = mutation_names[kind];
            break;
        }
    }
    scope_back(&worker->ctx, was);
}

static unsigned form_of(const Program *p) {
    return p->mode == MODE_BATT && p->nparams == 3   ? CARD_OVER_SAMPLES
           : p->mode == MODE_CORE && p->nparams == 1 ? CARD_OVER_GRIDS
                                                     : CARD_FORMS;
}

CardEntry *card_pick(const CardOptions *options, const Program *const *programs, size_t n_programs,
                     uint32_t count) {
    Pool *pool = options->pool;
    Picking p = {.options = options, .programs = programs, .n_programs = n_programs};
    uint32_t *order = choose(options->seed, n_programs, count);
    p.entries = mem_zalloc(count > 0 ? count : 1, sizeof *p.entries);
    p.makers = mem_zalloc(pool->count, sizeof *p.makers);
    bool good = order != NULL && p.entries != NULL && p.makers != NULL;
    for (uint32_t k = 0; k < count && good; k++) {
        const Program *origin = programs[order[k]];
        p.entries[k] = (CardEntry){.origin = origin, .form = form_of(origin)};
    }
    if (good) {
        good = pool_run(pool, count, make_entry, &p, options->stop) >= count;
    }
    for (uint32_t k = 0; k < count && good; k++) {
        good = !p.entries[k].no_memory;
    }
    for (unsigned k = 0; p.makers != NULL && k < pool->count; k++) {
        if (p.makers[k].open) {
            build_free(&p.makers[k].builder);
            mutator_close(&p.makers[k].mutator);
        }
    }
    mem_free(p.makers);
    mem_free(order);
    if (!good) {
        card_drop(p.entries, count);
        return NULL;
    }
    return p.entries;
}

void card_drop(CardEntry *entries, uint32_t count) {
    for (uint32_t k = 0; entries != NULL && k < count; k++) {
        prog_free(entries[k].child);
    }
    mem_free(entries);
}
