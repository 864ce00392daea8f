/* Evolution on several ranks; see evolve_ranks.h. */
#include "evolve/evolve_ranks.h"

#include "core/alloc.h"
#include "lang/hash.h"
#include "ranks/program_wire.h"

#include <string.h>

enum { NEW = UINT32_MAX, NEWCOMERS_MOST = 64 };

/* ---- members ---- */

static void pack_fields(Out *out, const EvolveMember *m) {
    wire_u32(out, (uint32_t)m->score);
    wire_u32(out, (uint32_t)m->exact);
    wire_u32(out, (uint32_t)m->test_exact);
    wire_u32(out, (uint32_t)m->guard.passed);
    wire_u32(out, (uint32_t)m->guard.total);
    wire_u64(out, m->outputs);
    wire_u64(out, m->steps);
    wire_u64(out, m->time_ns);
    wire_u32(out, m->calls);
    wire_u64(out, m->hash);
    wire_u32(out, m->picks);
    wire_u32(out, m->born);
    wire_u32(out, (uint32_t)m->n_parents);
    for (int k = 0; k < m->n_parents; k++) {
        wire_u64(out, m->parents[k].hi);
        wire_u64(out, m->parents[k].lo);
    }
    wire_text(out, m->mutation);
}

static void unpack_fields(EvolveMember *m, const Task *task, Wire *wire) {
    size_t length;
    m->score = (int32_t)wire_get_below(wire, INT32_MAX);
    m->exact = (int32_t)wire_get_below(wire, (uint32_t)task->n_train);
    m->test_exact = (int32_t)wire_get_below(wire, (uint32_t)task->n_test);
    m->guard.passed = (int32_t)wire_get_below(wire, GUARD_MOST);
    m->guard.total = (int32_t)wire_get_below(wire, GUARD_MOST);
    m->outputs = wire_get_u64(wire);
    m->steps = wire_get_u64(wire);
    m->time_ns = wire_get_u64(wire);
    m->calls = wire_get_u32(wire);
    m->hash = wire_get_u64(wire);
    m->picks = wire_get_u32(wire);
    m->born = wire_get_u32(wire);
    m->n_parents = (int)wire_get_below(wire, 2);
    for (int k = 0; k < m->n_parents; k++) {
        m->parents[k].hi = wire_get_u64(wire);
        m->parents[k].lo = wire_get_u64(wire);
    }
    const char *text = wire_get_block(wire, &length);
    wire->bad |= length >= sizeof m->mutation || m->guard.passed > m->guard.total;
    if (!wire->bad && length > 0) {
        memcpy(m->mutation, text, length);
    }
    m->mutation[wire->bad ? 0 : length] = '\0';
}

void evolve_pack_next(Out *out, const EvolveTask *t) {
    wire_u8(out, t->failed);
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        wire_u64(out, t->statistics.n[k]);
    }
    wire_u32(out, t->failed ? 0 : t->next_count);
    for (uint32_t k = 0; k < t->next_count && !t->failed; k++) {
        uint32_t old = 0;
        while (old < t->count && t->members[old].program != t->next[k].program) {
            old++;
        }
        wire_u32(out, old < t->count ? old : NEW);
        if (old == t->count) {
            program_pack(out, t->next[k].program);
        }
        pack_fields(out, &t->next[k]);
    }
}

/* Members that are not new are sent as their place in the current population, which is the same here. */
bool evolve_unpack_next(const Evolve *e, EvolveTask *t, Lang *lang, Wire *wire) {
    t->failed = wire_get_bool(wire);
    for (unsigned k = 0; k < STATISTIC_COUNT; k++) {
        t->statistics.n[k] = wire_get_u64(wire);
    }
    uint32_t count = wire_get_below(wire, e->options.population);
    t->next_count = 0;
    for (uint32_t k = 0; k < count && !wire->bad; k++) {
        uint32_t old = wire_get_u32(wire);
        EvolveMember m = {0};
        wire->bad |= old != NEW && old >= t->count;
        Program *fresh = !wire->bad && old == NEW ? program_unpack(lang, wire) : NULL;
        unpack_fields(&m, t->task, wire);
        wire->bad |=
            (old == NEW) != (m.born == e->figures.generation) || (k > 0 && m.score > t->next[k - 1].score);
        m.program = old == NEW ? fresh : wire->bad ? NULL : t->members[old].program;
        if (wire->bad) {
            prog_free(fresh);
        } else {
            t->next[t->next_count++] = m;
        }
    }
    return !wire->bad;
}

/* ---- programs on offer ---- */

static void pack_exchange(Out *out, const Evolve *e) {
    wire_u32(out, e->n_exchange);
    for (uint32_t k = 0; k < e->n_exchange; k++) {
        program_pack(out, e->exchange[k]);
    }
}

/* Takes the programs that other ranks offer; they live until the next ones arrive. */
static bool take_foreign(Evolve *e, Lang *lang, Wire *wire) {
    uint32_t n = wire_get_count(wire, 1);
    for (uint32_t k = 0; k < n && !wire->bad; k++) {
        Program *p = program_unpack(lang, wire);
        if (p == NULL || !progs_add(&e->foreign, p) || !evolve_offer(e, p)) {
            return false;
        }
    }
    return !wire->bad;
}

static void drop_foreign(Evolve *e) {
    progs_free(&e->foreign);
    e->foreign = (ProgList){0};
}

/* ---- where a run stands ---- */

void evolve_pack_state(Out *out, const Evolve *e) {
    bool begun = e->figures.generation > 0;
    wire_u64(out, e->figures.generation);
    pack_exchange(out, e);
    for (size_t k = 0; k < e->n_tasks && begun; k++) {
        const EvolveTask *t = &e->tasks[k];
        wire_u32(out, t->count);
        for (uint32_t x = 0; x < t->count; x++) {
            program_pack(out, t->members[x].program);
            wire_u32(out, t->members[x].picks);
            wire_u32(out, t->members[x].born);
        }
    }
}

typedef struct Mark { /* the figures of a member */
    size_t task;
    ProgHash program;
    uint32_t picks, born;
} Mark;

static bool is_mine(const Ranks *ranks, size_t task) {
    return task % ranks_size(ranks) == ranks_rank(ranks);
}

static bool unpack_members(Evolve *e, const Ranks *ranks, Lang *lang, Wire *wire, Mark **marks, size_t *n) {
    size_t room = 0;
    for (size_t k = 0; k < e->n_tasks && !wire->bad; k++) {
        uint32_t count = wire_get_below(wire, e->options.population);
        for (uint32_t x = 0; x < count && !wire->bad; x++) {
            Program *p = program_unpack(lang, wire);
            Mark mark = {.task = k, .picks = wire_get_u32(wire), .born = wire_get_u32(wire)};
            if (wire->bad || !MEM_ROOM(*marks, *n, room, 256)) {
                prog_free(p);
                return false;
            }
            mark.program = p->hash;
            if (!is_mine(ranks, k)) {
                prog_free(p);
            } else if (evolve_restore_program(e, k, p)) {
                (*marks)[(*n)++] = mark;
            } else {
                return false;
            }
        }
    }
    return !wire->bad;
}

bool evolve_unpack_state(Evolve *e, Ranks *ranks, Wire *wire) {
    EvolveFigures figures = {.generation = wire_get_u64(wire)};
    Lang *lang = lang_open();
    Mark *marks = NULL;
    size_t n = 0;
    bool good = lang != NULL && take_foreign(e, lang, wire);
    if (good && figures.generation > 0) {
        good = unpack_members(e, ranks, lang, wire, &marks, &n) && evolve_restore(e, &figures);
    }
    for (size_t k = 0; k < n && good; k++) {
        EvolveMember *m = evolve_find(e, marks[k].task, marks[k].program);
        good = m != NULL;
        if (good) {
            m->picks = marks[k].picks;
            m->born = marks[k].born;
        }
    }
    mem_free(marks);
    if (lang != NULL) {
        lang_close(lang);
    }
    return good && wire_ends(wire);
}

bool evolve_split(Evolve *e, Ranks *ranks) {
    e->mine = mem_array(e->n_tasks > 0 ? e->n_tasks : 1, sizeof *e->mine);
    e->lang = lang_open();
    for (size_t k = 0; e->mine != NULL && k < e->n_tasks; k++) {
        if (is_mine(ranks, k)) {
            e->mine[e->n_mine++] = k;
        }
    }
    e->ranks = ranks;
    return e->mine != NULL && e->lang != NULL;
}

/* ---- a generation ---- */

static bool collect_from(Evolve *e, unsigned rank, Out *bytes) {
    if (!ranks_get(e->ranks, rank, RANKS_PART, bytes)) {
        return false;
    }
    Wire wire = wire_of(bytes->data, bytes->len);
    for (size_t k = rank; k < e->n_tasks; k += ranks_size(e->ranks)) {
        if (!evolve_unpack_next(e, &e->tasks[k], e->lang, &wire)) {
            return false;
        }
    }
    return wire_ends(&wire);
}

bool evolve_collect(Evolve *e, bool good) {
    Out bytes;
    out_init(&bytes);
    if (!ranks_lead(e->ranks)) {
        for (size_t k = 0; k < e->n_mine; k++) {
            evolve_pack_next(&bytes, &e->tasks[e->mine[k]]);
        }
        ranks_put(e->ranks, 0, RANKS_PART, &bytes);
    } else {
        for (unsigned k = 1; k < ranks_size(e->ranks); k++) {
            good = collect_from(e, k, &bytes) && good;
        }
    }
    out_free(&bytes);
    return good;
}

bool evolve_spread(Evolve *e, bool good) {
    Out bytes;
    out_init(&bytes);
    if (ranks_lead(e->ranks)) {
        wire_u8(&bytes, good);
        if (good) {
            pack_exchange(&bytes, e);
        }
        ranks_put_all(e->ranks, RANKS_WHOLE, &bytes);
    } else {
        good = ranks_get(e->ranks, 0, RANKS_WHOLE, &bytes);
        Wire wire = wire_of(bytes.data, bytes.len);
        good = good && wire_get_bool(&wire);
        if (good) {
            e->n_exchange = 0;
            drop_foreign(e);
            good = take_foreign(e, e->lang, &wire) && wire_ends(&wire);
        }
    }
    out_free(&bytes);
    return good;
}

/* ---- islands ---- */

static void pack_newcomers(Out *out, const Evolve *e, uint64_t generations) {
    uint32_t n = 0;
    Out programs;
    out_init(&programs);
    for (size_t k = 0; k < e->n_tasks && n < NEWCOMERS_MOST; k++) {
        const EvolveTask *t = &e->tasks[k];
        if (t->count > 0 && t->members[0].born + generations >= e->figures.generation) {
            program_pack(&programs, t->members[0].program);
            n++;
        }
    }
    wire_u32(out, n);
    out_bytes(out, programs.data, programs.len);
    out->failed |= programs.failed;
    out_free(&programs);
}

/* Rank 0 has put the parts together, by rank; each rank takes those of the others. */
static bool take_parts(Evolve *e, const Ranks *ranks, Wire *wire, bool *over) {
    Lang *lang = lang_open();
    bool good = lang != NULL;
    *over = wire_get_bool(wire);
    for (unsigned k = 0; k < ranks_size(ranks) && good; k++) {
        size_t length;
        const void *bytes = wire_get_block(wire, &length);
        Wire part = wire_of(bytes, length);
        wire_get_bool(&part); /* whether that island ends: rank 0 has summed these up in *over */
        good = !wire->bad && (k == ranks_rank(ranks) || take_foreign(e, lang, &part));
    }
    if (lang != NULL) {
        lang_close(lang);
    }
    return good && wire_ends(wire);
}

bool evolve_exchange(Evolve *e, Ranks *ranks, uint64_t generations, bool *over) {
    Out part, whole, all;
    out_init(&part);
    out_init(&whole);
    out_init(&all);
    bool good = true, any = *over;
    wire_u8(&part, *over);
    pack_newcomers(&part, e, generations);
    if (ranks_lead(ranks)) {
        wire_block(&all, part.data, part.len);
        for (unsigned k = 1; k < ranks_size(ranks) && good; k++) {
            good = ranks_get(ranks, k, RANKS_PART, &part);
            Wire wire = wire_of(part.data, part.len);
            any |= wire_get_bool(&wire);
            wire_block(&all, part.data, part.len);
        }
        wire_u8(&whole, any || !good);
        out_bytes(&whole, all.data, all.len);
        ranks_put_all(ranks, RANKS_WHOLE, &whole);
    } else {
        ranks_put(ranks, 0, RANKS_PART, &part);
        good = ranks_get(ranks, 0, RANKS_WHOLE, &whole);
    }
    Wire wire = wire_of(whole.data, whole.len);
    drop_foreign(e);
    good = good && take_parts(e, ranks, &wire, over);
    out_free(&part);
    out_free(&whole);
    out_free(&all);
    return good;
}

static bool is_better(const EvolveMember *a, const EvolveMember *b) {
    return a->score != b->score   ? a->score > b->score
           : a->steps != b->steps ? a->steps < b->steps
           : a->calls != b->calls ? a->calls < b->calls
                                  : a->hash < b->hash;
}

/* The best of another island replaces ours, if it is better. */
static bool take_best(Evolve *e, Lang *lang, Wire *wire) {
    for (size_t k = 0; k < e->n_tasks && !wire->bad; k++) {
        EvolveTask *t = &e->tasks[k];
        if (!wire_get_bool(wire)) {
            continue;
        }
        EvolveMember m = {.program = program_unpack(lang, wire)};
        unpack_fields(&m, t->task, wire);
        if (wire->bad || (t->count > 0 && !is_better(&m, &t->members[0]))) {
            prog_free(m.program);
            continue;
        }
        if (t->count > 0) {
            prog_free(t->members[0].program);
        }
        t->count = t->count > 0 ? t->count : 1;
        t->members[0] = m;
    }
    return wire_ends(wire);
}

bool evolve_gather_best(Evolve *e, Ranks *ranks) {
    Out bytes;
    Lang *lang = lang_open();
    bool good = lang != NULL;
    out_init(&bytes);
    if (!ranks_lead(ranks)) {
        for (size_t k = 0; k < e->n_tasks; k++) {
            const EvolveTask *t = &e->tasks[k];
            wire_u8(&bytes, t->count > 0);
            if (t->count > 0) {
                program_pack(&bytes, t->members[0].program);
                pack_fields(&bytes, &t->members[0]);
            }
        }
        ranks_put(ranks, 0, RANKS_PART, &bytes);
    }
    e->n_exchange = 0; /* it may point to programs that are replaced */
    for (unsigned k = 1; ranks_lead(ranks) && k < ranks_size(ranks) && good; k++) {
        good = ranks_is_lost(ranks, k) || ranks_get(ranks, k, RANKS_PART, &bytes);
        Wire wire = wire_of(bytes.data, bytes.len);
        good = good && (ranks_is_lost(ranks, k) || take_best(e, lang, &wire));
    }
    evolve_count(e);
    if (lang != NULL) {
        lang_close(lang);
    }
    out_free(&bytes);
    return good;
}
