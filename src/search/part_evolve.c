/* The evolve part: programs that are almost right are changed, crossed and selected until some fit.
 *
 * It starts from the best candidates that the other parts have left, and from the grids of enumeration that
 * come closest. What fits is offered when breeding is over, because both use the context of offers. */
#include "search/enumerate.h"

#include "core/alloc.h"
#include "evolve/near_miss.h"
#include "lang/hash.h"

enum { MOST_SEEDS = 24, MOST_GRIDS = 8, MOST_FITS = 8, MOST_CALLS = 16, BYTES = 24 << 20 };

typedef struct Breed {
    Search *search;
    Program *fits[MOST_FITS];
    uint32_t count;
} Breed;

static bool take(void *user, Program *program) {
    Breed *b = user;
    bool wanted = program->nops <= MOST_CALLS; /* longer ones were patched until they fitted: no rule */
    for (uint32_t k = 0; k < b->count && wanted; k++) {
        wanted = !prog_hash_eq(b->fits[k]->hash, program->hash);
    }
    if (!wanted) {
        prog_free(program);
        return true;
    }
    b->fits[b->count++] = program;
    return b->count < MOST_FITS;
}

static bool spend(void *user, uint64_t steps) {
    return search_spend(((Breed *)user)->search, steps);
}

/* The task as evolution knows it: training pairs only. */
static Task pairs_of(const SearchTask *t, TaskPair *pairs) {
    for (uint32_t k = 0; k < t->n_train; k++) {
        pairs[k] = (TaskPair){.in = {(int32_t)t->in[k].n, t->in[k].w, t->in[k].b8},
                              .out = {(int32_t)t->out[k].n, t->out[k].w, t->out[k].b8},
                              .has_output = true};
    }
    Task task = {.id = t->id, .train = pairs, .n_train = (int32_t)t->n_train};
    task.hash = task_content_hash(&task);
    return task;
}

static void breed(Search *s, Near *near, const Program *const *seeds, size_t n) {
    TaskPair pairs[SEARCH_MOST_SAMPLES];
    Task task = pairs_of(s->task, pairs);
    Breed b = {.search = s};
    NearLimits limits = {.seed = ++s->bred, .stop = s->limits.stop};
    NearHooks hooks = {&b, take, spend};
    NearFigures figures = near_run(near, s->check, &task, seeds, n, &limits, &hooks);
    s->values += figures.evaluations;
    for (uint32_t k = 0; k < b.count; k++) {
        search_offer(s, b.fits[k], 10 + 2.5 * b.fits[k]->nops);
    }
}

void part_evolve(Search *s) {
    Program *grids[MOST_GRIDS];
    const Program *seeds[MOST_SEEDS];
    uint32_t made = s->enumerate != NULL ? enumerate_best(s->enumerate, grids, MOST_GRIDS) : 0, n = 0;
    for (; n < made; n++) {
        seeds[n] = grids[n];
    }
    search_rank(s);
    for (uint32_t k = 0; k < s->count && n < MOST_SEEDS; k++) {
        seeds[n++] = s->candidates[k].program;
    }
    bool room = n > 0 && heap_take(&s->heap, BYTES);
    Near *near = room ? near_open(BYTES) : NULL;
    if (near != NULL) {
        breed(s, near, seeds, n);
    }
    near_close(near);
    if (room) {
        heap_drop(&s->heap, BYTES);
    }
    for (uint32_t k = 0; k < made; k++) {
        prog_free(grids[k]);
    }
}
