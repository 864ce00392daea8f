/* The evolve strategy mutates, crosses and selects programs that are almost right until some fit.
 *
 * It starts from the best candidates of the other strategies and from the intermediates that come
 * closest. What fits is offered only when breeding is over, because both use the context of
 * offers. */
#include "base/alloc.h"
#include "engine/language/hash.h"
#include "search/evolution/near_miss.h"
#include "search/schedule/strategies.h"

enum { MAX_FOUNDERS = 24, MAX_FITS = 8, BYTES = 24 << 20 };

typedef struct EvolveState {
    uint64_t bred; /* time slices so far: each breeds from another seed */
} EvolveState;

typedef struct Breed {
    Search *search;
    Program *fits[MAX_FITS];
    uint32_t count;
} Breed;

static bool spend(void *user, uint64_t steps) {
    return search_spend(((Breed *)user)->search, steps);
}

/* The task as evolution sees it: training pairs only. */
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

/* How many numbers it takes to write a constant down. */
static double numbers_in(Val v) {
    double n = 0;
    switch (v.kind) {
    case VAL_PAIR:
        return 2;
    case VAL_TRIPLE:
    case VAL_CELL:
        return 3;
    case VAL_ROW8:
    case VAL_ROW64:
        return v.n;
    case VAL_GRID8:
    case VAL_GRID64:
        return (double)v.n * v.w;
    case VAL_INDICES:
        return 2.0 * v.n;
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return 3.0 * v.n;
    case VAL_TUPLE:
    case VAL_SET:
        for (uint32_t k = 0; k < v.n; k++) {
            n += numbers_in(v.v[k]);
        }
        return n;
    default:
        return 1;
    }
}

/* Breeding may have changed anything, so all of a program counts: the numbers in its constants as well as its
 * calls. */
static double price(const Tunables *tune, const Program *p) {
    double numbers = 0;
    for (uint32_t k = 0; k < p->nconsts; k++) {
        numbers += numbers_in(p->consts[k]);
    }
    return tune->evolve_cost + tune->evolve_call_cost * p->nops + tune->evolve_const_cost * numbers;
}

/* What is too dear to be believed does not end breeding either. */
static bool take(void *user, Program *program) {
    Breed *b = user;
    const Tunables *tune = b->search->tune;
    bool wanted = program->nops <= tune->evolve_calls_max && price(tune, program) <= tune->evolve_cost_max;
    for (uint32_t k = 0; k < b->count && wanted; k++) {
        wanted = !prog_hash_eq(b->fits[k]->hash, program->hash);
    }
    if (!wanted) {
        prog_free(program);
        return true;
    }
    b->fits[b->count++] = program;
    return b->count < MAX_FITS;
}

static void breed(Search *s, EvolveState *e, NearMiss *near, const Program *const *founders, size_t n) {
    TaskPair pairs[SEARCH_MAX_SAMPLES];
    Task task = pairs_of(s->task, pairs);
    Breed b = {.search = s};
    NearMissLimits limits = {.seed = ++e->bred, .stop = s->stop};
    NearMissHooks hooks = {&b, take, spend};
    NearMissFigures figures = near_miss_run(near, s->check, &task, founders, n, &limits, &hooks);
    statistics_add(s->statistics, &figures.statistics);
    COUNT(s->statistics, VALUES, COUNTED(&figures.statistics, EVALUATIONS));
    for (uint32_t k = 0; k < b.count; k++) {
        search_offer(s, b.fits[k], price(s->tune, b.fits[k]));
    }
}

void *strategy_evolve_open(Search *s) {
    (void)s;
    return mem_zalloc(1, sizeof(EvolveState));
}

void strategy_evolve_close(Search *s, void *state) {
    (void)s;
    mem_free(state);
}

void strategy_evolve_run(Search *s, void *state) {
    EvolveState *e = state;
    const Program *founders[MAX_FOUNDERS];
    uint32_t n = intermediates_programs(s, founders, s->tune->evolve_grids_max), count;
    search_order_candidates(s);
    const Candidate *candidates = search_candidates(s, &count);
    for (uint32_t k = 0; k < count && n < s->tune->evolve_seeds_max; k++) {
        if (candidates[k].program != NULL) {
            founders[n++] = candidates[k].program;
        }
    }
    bool room = n > 0 && quota_take(&s->quota, BYTES);
    NearMiss *near = room ? near_miss_open(BYTES) : NULL;
    if (near != NULL) {
        breed(s, e, near, founders, n);
    }
    near_miss_close(near);
    if (room) {
        quota_drop(&s->quota, BYTES);
    }
}
