/* Counting and mining idioms; see learn.h. */
#include "search/learning/learn.h"

#include "base/alloc.h"
#include "base/check.h"
#include "engine/language/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SLOT = 0xffffffffu, MAX_PAIRS = 1 << 14 };

/* ---- finding idioms in programs ---- */

typedef struct Match {
    const Program *idiom, *program;
    uint32_t holes[IDIOM_HOLES];
} Match;

static bool same_slot(Match *m, uint32_t of_step, uint32_t slot);

static bool same_op(Match *m, const Op *a, const Op *b) {
    if (a->kind != b->kind || a->prim != b->prim || a->nargs != b->nargs) {
        return false;
    }
    for (uint32_t k = 0; k < a->nargs; k++) {
        if (!same_slot(m, m->idiom->args[a->first + k], m->program->args[b->first + k])) {
            return false;
        }
    }
    return true;
}

static bool same_slot(Match *m, uint32_t of_step, uint32_t slot) {
    const Program *s = m->idiom, *p = m->program;
    if (of_step < s->nparams) {
        bool free = m->holes[of_step] == NO_SLOT;
        m->holes[of_step] = free ? slot : m->holes[of_step];
        return m->holes[of_step] == slot;
    }
    uint32_t s_ops = s->nparams + s->nconsts, p_ops = p->nparams + p->nconsts;
    if (of_step < s_ops) {
        return slot >= p->nparams && slot < p_ops &&
               val_eq(s->consts[of_step - s->nparams], p->consts[slot - p->nparams]);
    }
    return slot >= p_ops && same_op(m, &s->ops[of_step - s_ops], &p->ops[slot - p_ops]);
}

/* The slot of the input: the only parameter, or the second of three. */
static uint32_t input_of(const Program *program) {
    return program->nparams == 3 ? PARAM_I : 0;
}

static bool matches(const Idiom *idiom, const Program *program, uint32_t slot, uint32_t holes[IDIOM_HOLES]) {
    Match m = {idiom->body, program, {NO_SLOT, NO_SLOT, NO_SLOT}};
    if (idiom->body->nops == 0 || !same_slot(&m, idiom->body->result, slot)) {
        return false;
    }
    for (unsigned k = 0; k < idiom->holes; k++) { /* some idioms only take the task's input, not any grid */
        if (idiom->takes[k] == 1u << IDIOM_input && m.holes[k] != NO_SLOT &&
            m.holes[k] != input_of(program)) {
            return false;
        }
    }
    memcpy(holes, m.holes, sizeof m.holes);
    return true;
}

/* The index of the largest idiom at a slot, or the number of idioms if there is none. */
static uint32_t idiom_at(const IdiomSet *set, const Program *program, uint32_t slot,
                         uint32_t holes[IDIOM_HOLES]) {
    uint32_t best = set->count;
    for (uint32_t k = 0; k < set->count; k++) {
        uint32_t mine[IDIOM_HOLES];
        if ((best == set->count || set->items[k].body->nops > set->items[best].body->nops) &&
            matches(&set->items[k], program, slot, mine)) {
            best = k;
            memcpy(holes, mine, sizeof mine);
        }
    }
    return best;
}

/* ---- counts ---- */

typedef struct IdiomPair { /* `inner` fills a hole of `outer` */
    uint32_t outer, inner, programs, last;
    uint8_t hole;
} IdiomPair;

typedef struct Counts {
    uint32_t *uses; /* by idiom */
    IdiomPair *pairs;
    uint32_t n_pairs;
} Counts;

static void count_pair(Counts *c, uint32_t outer, uint8_t hole, uint32_t inner, uint32_t program) {
    for (uint32_t k = 0; k < c->n_pairs; k++) {
        IdiomPair *p = &c->pairs[k];
        if (p->outer == outer && p->inner == inner && p->hole == hole) {
            p->programs += p->last != program;
            p->last = program;
            return;
        }
    }
    if (c->n_pairs < MAX_PAIRS) {
        c->pairs[c->n_pairs++] = (IdiomPair){outer, inner, 1, program, hole};
    }
}

static uint32_t count_program(const IdiomSet *set, const Program *p, uint32_t number, Counts *c) {
    uint32_t found = 0;
    for (uint32_t op = 0; op < p->nops; op++) {
        uint32_t holes[IDIOM_HOLES], inside[IDIOM_HOLES];
        uint32_t outer = idiom_at(set, p, prog_op_slot(p, op), holes);
        ASSERT(outer <= set->count, "idiom %u of %u", outer, set->count);
        if (outer == set->count) {
            continue;
        }
        c->uses[outer]++;
        found++;
        for (uint8_t h = 0; h < set->items[outer].holes; h++) {
            uint32_t inner = holes[h] == NO_SLOT ? set->count : idiom_at(set, p, holes[h], inside);
            if (inner < set->count && set->items[inner].holes > 0) {
                count_pair(c, outer, h, inner, number);
            }
        }
    }
    return found;
}

/* ---- costs ---- */

/* Costs in bits, from how often an idiom gave a result of its type; what was not seen keeps the weight of its
 * old cost. */
static void set_costs(IdiomSet *set, const Counts *c, Learning *learning) {
    enum { PRIOR = 64 };
    uint32_t total[IDIOM_TYPE_COUNT] = {0};
    for (uint32_t k = 0; k < set->count; k++) {
        total[__builtin_ctz(set->items[k].gives)] += c->uses[k];
    }
    for (uint32_t k = 0; k < set->count; k++) {
        Idiom *idiom = &set->items[k];
        double before = exp2(-(double)idiom->cost);
        double p = (c->uses[k] + PRIOR * before) / (total[__builtin_ctz(idiom->gives)] + PRIOR);
        long cost = lround(-log2(p));
        cost = cost < 1 ? 1 : cost > IDIOM_MAX_COST ? IDIOM_MAX_COST : cost;
        /* Costs never rise: only a few of all possible programs were seen. */
        if (c->uses[k] > 0 && cost != idiom->cost && cost < idiom->cost) {
            idiom->cost = (uint8_t)cost;
            ASSERT(cost >= 1 && cost <= IDIOM_MAX_COST, "%ld bits", cost);
            learning->changed++;
        }
    }
}

/* ---- new idioms ---- */

/* Puts inner into one of outer's holes; the holes of inner come first. False: too many holes, or no
 * memory. */
static bool join_idioms(const Idiom *outer, unsigned hole, const Idiom *inner, Builder *b, Idiom *joined) {
    Ref inside[IDIOM_HOLES] = {0}, outside[IDIOM_HOLES] = {0};
    *joined = (Idiom){.gives = outer->gives};
    if (outer->holes + inner->holes - 1 > IDIOM_HOLES || (inner->gives & ~outer->takes[hole]) != 0) {
        return false;
    }
    build_start(b);
    for (unsigned k = 0; k < inner->holes; k++) {
        inside[k] = joined->holes;
        joined->takes[joined->holes++] = inner->takes[k];
    }
    for (unsigned k = 0; k < outer->holes; k++) {
        if (k != hole) {
            outside[k] = joined->holes;
            joined->takes[joined->holes++] = outer->takes[k];
        }
    }
    outside[hole] = build_inline(b, inner->body, inside);
    Ref result = build_inline(b, outer->body, outside);
    joined->body = build_finish(b, "", 0, MODE_CORE, 3, result);
    return joined->body != NULL;
}

static bool known(const IdiomSet *set, const Idiom *idiom) {
    for (uint32_t k = 0; k < set->count; k++) {
        const Idiom *old = &set->items[k];
        if (old->body->hash.hi == idiom->body->hash.hi && old->body->hash.lo == idiom->body->hash.lo &&
            old->gives == idiom->gives && memcmp(old->takes, idiom->takes, sizeof old->takes) == 0) {
            return true;
        }
    }
    return false;
}

static int by_programs(const void *left, const void *right) {
    const IdiomPair *a = left, *b = right;
    if (a->programs != b->programs) {
        return a->programs > b->programs ? -1 : 1;
    }
    return a->outer != b->outer ? (a->outer > b->outer) - (a->outer < b->outer)
                                : (a->inner > b->inner) - (a->inner < b->inner);
}

static bool mine(IdiomSet *set, Counts *c, size_t n, uint32_t max_new, Learning *learning) {
    Builder b;
    build_init(&b);
    qsort(c->pairs, c->n_pairs, sizeof *c->pairs, by_programs);
    bool good = true;
    for (uint32_t k = 0; k < c->n_pairs && good && learning->mined < max_new; k++) {
        const IdiomPair *p = &c->pairs[k];
        Idiom joined, outer = set->items[p->outer], inner = set->items[p->inner];
        if (p->programs < LEARN_MIN || set->count == IDIOM_MAX) {
            break;
        }
        if (!join_idioms(&outer, p->hole, &inner, &b, &joined)) {
            continue;
        }
        double bits = -log2((double)p->programs / (double)n) + 2;
        unsigned apart = outer.cost + inner.cost;
        joined.cost = (uint8_t)(bits < 2 ? 2 : lround(bits));
        if (joined.cost >= apart || !idioms_fit(joined.body) || known(set, &joined)) {
            prog_free(joined.body);
            continue;
        }
        good = idioms_add(set, joined);
        learning->mined += good;
    }
    build_free(&b);
    return good;
}

bool learn_from(IdiomSet *set, Program *const *programs, size_t n, uint32_t max_new, Learning *learning) {
    Counts c = {mem_zalloc(set->count, sizeof *c.uses), mem_array(MAX_PAIRS, sizeof *c.pairs), 0};
    bool good = c.uses != NULL && c.pairs != NULL;
    *learning = (Learning){0};
    for (size_t k = 0; k < n && good; k++) {
        uint32_t found =
            programs[k]->mode == MODE_CORE ? count_program(set, programs[k], (uint32_t)k, &c) : 0;
        learning->programs += found > 0;
        learning->uses += found;
    }
    if (good) {
        set_costs(set, &c, learning);
        good = mine(set, &c, n, max_new, learning);
    }
    mem_free(c.uses);
    mem_free(c.pairs);
    return good;
}
