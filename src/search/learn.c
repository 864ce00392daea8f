/* Counting and mining steps; see learn.h. */
#include "search/learn.h"

#include "core/alloc.h"
#include "lang/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SLOT = 0xffffffffu, MOST_PAIRS = 1 << 14 };

/* ---- finding steps in programs ---- */

typedef struct Match {
    const Program *step, *program;
    uint32_t holes[STEP_HOLES];
} Match;

static bool same_slot(Match *m, uint32_t of_step, uint32_t slot);

static bool same_op(Match *m, const Op *a, const Op *b) {
    if (a->kind != b->kind || a->prim != b->prim || a->nargs != b->nargs) {
        return false;
    }
    for (uint32_t k = 0; k < a->nargs; k++) {
        if (!same_slot(m, m->step->args[a->first + k], m->program->args[b->first + k])) {
            return false;
        }
    }
    return true;
}

static bool same_slot(Match *m, uint32_t of_step, uint32_t slot) {
    const Program *s = m->step, *p = m->program;
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

static bool matches(const Step *step, const Program *program, uint32_t slot, uint32_t holes[STEP_HOLES]) {
    Match m = {step->body, program, {NO_SLOT, NO_SLOT, NO_SLOT}};
    if (step->body->nops == 0 || !same_slot(&m, step->body->result, slot)) {
        return false;
    }
    for (unsigned k = 0; k < step->holes; k++) { /* steps on the task's input are not those on any grid */
        if (step->takes[k] == 1u << STEP_input && m.holes[k] != NO_SLOT && m.holes[k] != input_of(program)) {
            return false;
        }
    }
    memcpy(holes, m.holes, sizeof m.holes);
    return true;
}

/* The largest step at a slot, or the count of steps. */
static uint32_t step_at(const StepSet *set, const Program *program, uint32_t slot,
                        uint32_t holes[STEP_HOLES]) {
    uint32_t best = set->count;
    for (uint32_t k = 0; k < set->count; k++) {
        uint32_t mine[STEP_HOLES];
        if ((best == set->count || set->items[k].body->nops > set->items[best].body->nops) &&
            matches(&set->items[k], program, slot, mine)) {
            best = k;
            memcpy(holes, mine, sizeof mine);
        }
    }
    return best;
}

/* ---- counts ---- */

typedef struct StepPair { /* `inner` fills a hole of `outer` */
    uint32_t outer, inner, programs, last;
    uint8_t hole;
} StepPair;

typedef struct Counts {
    uint32_t *uses; /* by step */
    StepPair *pairs;
    uint32_t n_pairs;
} Counts;

static void count_pair(Counts *c, uint32_t outer, uint8_t hole, uint32_t inner, uint32_t program) {
    for (uint32_t k = 0; k < c->n_pairs; k++) {
        StepPair *p = &c->pairs[k];
        if (p->outer == outer && p->inner == inner && p->hole == hole) {
            p->programs += p->last != program;
            p->last = program;
            return;
        }
    }
    if (c->n_pairs < MOST_PAIRS) {
        c->pairs[c->n_pairs++] = (StepPair){outer, inner, 1, program, hole};
    }
}

static uint32_t count_program(const StepSet *set, const Program *p, uint32_t number, Counts *c) {
    uint32_t found = 0;
    for (uint32_t op = 0; op < p->nops; op++) {
        uint32_t holes[STEP_HOLES], inside[STEP_HOLES];
        uint32_t outer = step_at(set, p, prog_op_slot(p, op), holes);
        if (outer == set->count) {
            continue;
        }
        c->uses[outer]++;
        found++;
        for (uint8_t h = 0; h < set->items[outer].holes; h++) {
            uint32_t inner = holes[h] == NO_SLOT ? set->count : step_at(set, p, holes[h], inside);
            if (inner < set->count && set->items[inner].holes > 0) {
                count_pair(c, outer, h, inner, number);
            }
        }
    }
    return found;
}

/* ---- costs ---- */

/* Bits, from how often a step gave a result of its type; what was not seen keeps the weight of its old cost.
 */
static void set_costs(StepSet *set, const Counts *c, Learning *learning) {
    enum { PRIOR = 64 };
    uint32_t total[STEP_TYPE_COUNT] = {0};
    for (uint32_t k = 0; k < set->count; k++) {
        total[__builtin_ctz(set->items[k].gives)] += c->uses[k];
    }
    for (uint32_t k = 0; k < set->count; k++) {
        Step *step = &set->items[k];
        double before = exp2(-(double)step->cost);
        double p = (c->uses[k] + PRIOR * before) / (total[__builtin_ctz(step->gives)] + PRIOR);
        long cost = lround(-log2(p));
        cost = cost < 1 ? 1 : cost > STEP_MOST_COST ? STEP_MOST_COST : cost;
        /* Unseen steps do not become dearer: few programs were seen, not all that there are. */
        if (c->uses[k] > 0 && cost != step->cost && cost < step->cost) {
            step->cost = (uint8_t)cost;
            learning->changed++;
        }
    }
}

/* ---- new steps ---- */

/* Outer with inner in one of its holes; the holes of inner come first. False: too many holes, or no memory.
 */
static bool join_steps(const Step *outer, unsigned hole, const Step *inner, Builder *b, Step *joined) {
    Ref inside[STEP_HOLES] = {0}, outside[STEP_HOLES] = {0};
    *joined = (Step){.gives = outer->gives};
    if (outer->holes + inner->holes - 1 > STEP_HOLES || (inner->gives & ~outer->takes[hole]) != 0) {
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

static bool known(const StepSet *set, const Step *step) {
    for (uint32_t k = 0; k < set->count; k++) {
        const Step *old = &set->items[k];
        if (old->body->hash.hi == step->body->hash.hi && old->body->hash.lo == step->body->hash.lo &&
            old->gives == step->gives && memcmp(old->takes, step->takes, sizeof old->takes) == 0) {
            return true;
        }
    }
    return false;
}

static int by_programs(const void *left, const void *right) {
    const StepPair *a = left, *b = right;
    if (a->programs != b->programs) {
        return a->programs > b->programs ? -1 : 1;
    }
    return a->outer != b->outer ? (a->outer > b->outer) - (a->outer < b->outer)
                                : (a->inner > b->inner) - (a->inner < b->inner);
}

static bool mine(StepSet *set, Counts *c, size_t n, uint32_t most_new, Learning *learning) {
    Builder b;
    build_init(&b);
    qsort(c->pairs, c->n_pairs, sizeof *c->pairs, by_programs);
    bool good = true;
    for (uint32_t k = 0; k < c->n_pairs && good && learning->mined < most_new; k++) {
        const StepPair *p = &c->pairs[k];
        Step joined, outer = set->items[p->outer], inner = set->items[p->inner];
        if (p->programs < LEARN_LEAST || set->count == STEP_MOST) {
            break;
        }
        if (!join_steps(&outer, p->hole, &inner, &b, &joined)) {
            continue;
        }
        double bits = -log2((double)p->programs / (double)n) + 2;
        unsigned apart = outer.cost + inner.cost;
        joined.cost = (uint8_t)(bits < 2 ? 2 : lround(bits));
        if (joined.cost >= apart || !steps_fit(joined.body) || known(set, &joined)) {
            prog_free(joined.body);
            continue;
        }
        good = steps_add(set, joined);
        learning->mined += good;
    }
    build_free(&b);
    return good;
}

bool learn_from(StepSet *set, Program *const *programs, size_t n, uint32_t most_new, Learning *learning) {
    Counts c = {mem_zalloc(set->count, sizeof *c.uses), mem_array(MOST_PAIRS, sizeof *c.pairs), 0};
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
        good = mine(set, &c, n, most_new, learning);
    }
    mem_free(c.uses);
    mem_free(c.pairs);
    return good;
}
