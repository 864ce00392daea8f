/* Evolution on several ranks; see evolve_ranks.h. */
#include "search/evolution/evolve_ranks.h"

#include "backends/ranks/program_wire.h"
#include "base/alloc.h"
#include "engine/language/hash.h"

#include <string.h>

enum { NEW = UINT32_MAX, NEWCOMERS_MAX = 64 };

/* ---- members ---- */

static void pack_fields(Out *out, const EvolveMember *m) {
    wire_u32(out, (uint32_t)m->score);
    wire_u32(out, (uint32_t)m->exact);
    wire_u32(out, (uint32_t)m->test_exact);
    wire_u32(out, (uint32_t)m->test_score);
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
    m->test_score = (int32_t)wire_get_below(wire, (uint32_t)task->n_test * SCORE_EXACT);
    m->guard.passed = (int32_t)wire_get_below(wire, GUARD_MAX);
    m->guard.total = (int32_t)wire_get_below(wire, GUARD_MAX);
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

/* A task's next population as bytes. */
static void evolve_pack_next(Out *out, const EvolveTask *t) {
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

typedef struct MemberFigures { /* the figures of a member */
    size_t task;
    ProgHash program;
    uint32_t picks, born;
} MemberFigures;

static unsigned owner_at_first(const Ranks *ranks, size_t task) {
    return (unsigned)(task % ranks_size(ranks));
}

static bool unpack_members(Evolve *e, const Ranks *ranks, Lang *lang, Wire *wire, MemberFigures **marks,
                           size_t *n) {
    size_t room = 0;
    for (size_t k = 0; k < e->n_tasks && !wire->bad; k++) {
        uint32_t count = wire_get_below(wire, e->options.population);
        for (uint32_t x = 0; x < count && !wire->bad; x++) {
            Program *p = program_unpack(lang, wire);
            MemberFigures mark = {.task = k, .picks = wire_get_u32(wire), .born = wire_get_u32(wire)};
            if (wire->bad || !MEM_ROOM(*marks, *n, room, 256)) {
                prog_free(p);
                return false;
            }
            mark.program = p->hash;
            if (owner_at_first(ranks, k) != ranks_rank(ranks)) {
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
    MemberFigures *marks = NULL;
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

void evolve_own(Evolve *e) {
    e->n_mine = 0;
    for (size_t k = 0; k < e->n_tasks; k++) {
        if (e->owners[k] == ranks_rank(e->ranks)) {
            e->mine[e->n_mine++] = k;
        }
    }
}

bool evolve_split(Evolve *e, Ranks *ranks) {
    size_t room = e->n_tasks > 0 ? e->n_tasks : 1;
    e->ranks = ranks;
    e->owners = mem_array(room, sizeof *e->owners);
    e->mine = mem_array(room, sizeof *e->mine);
    e->lang = lang_open();
    if (e->owners == NULL || e->mine == NULL || e->lang == NULL) {
        return false;
    }
    for (size_t k = 0; k < e->n_tasks; k++) {
        e->owners[k] = owner_at_first(ranks, k);
    }
    evolve_own(e);
    return true;
}

/* ---- a generation ---- */

/* False: these bytes are not the tasks that the rank was assigned; then nothing of them is kept. */
static bool take_populations(Evolve *e, unsigned rank, Wire *wire) {
    for (size_t k = 0; k < e->n_tasks; k++) {
        if (e->owners[k] == rank) {
            evolve_unpack_next(e, &e->tasks[k], e->lang, wire);
        }
    }
    bool good = wire_ends(wire);
    for (size_t k = 0; k < e->n_tasks && !good; k++) {
        EvolveTask *t = &e->tasks[k];
        for (uint32_t x = 0; x < t->next_count && e->owners[k] == rank; x++) {
            evolve_drop(&t->next[x], e->figures.generation);
        }
        t->next_count = e->owners[k] == rank ? 0 : t->next_count;
    }
    return good;
}

bool evolve_collect(Evolve *e, bool good) {
    Out bytes;
    out_init(&bytes);
    if (!ranks_is_root(e->ranks)) {
        for (size_t k = 0; k < e->n_mine; k++) {
            evolve_pack_next(&bytes, &e->tasks[e->mine[k]]);
        }
        ranks_put(e->ranks, 0, RANKS_SHARE, &bytes);
    }
    for (unsigned k = 1; ranks_is_root(e->ranks) && k < ranks_size(e->ranks) && good; k++) {
        bool there = ranks_get(e->ranks, k, RANKS_SHARE, &bytes);
        Wire wire = wire_of(bytes.data, bytes.len);
        if (there && !take_populations(e, k, &wire)) {
            ranks_distrust(e->ranks, k);
        }
        good = there || ranks_is_lost(e->ranks, k); /* otherwise all were stopped */
    }
    out_free(&bytes);
    return good;
}

/* A rank may be lost after what it made has arrived: that counts, and its tasks are given away later. */
bool evolve_adopt(Evolve *e) {
    e->n_mine = 0;
    for (size_t k = 0; k < e->n_tasks && ranks_is_root(e->ranks); k++) {
        if (ranks_is_lost(e->ranks, e->owners[k]) && e->tasks[k].failed) {
            e->mine[e->n_mine++] = k;
        }
    }
    return e->n_mine > 0;
}

/* Whose the tasks of lost ranks are from now on: all that are left take turns. True: there are such tasks. */
static bool give_away(Evolve *e, bool *given) {
    unsigned next = 0, size = ranks_size(e->ranks);
    bool any = false;
    for (size_t k = 0; k < e->n_tasks; k++) {
        given[k] = ranks_is_lost(e->ranks, e->owners[k]);
        while (given[k] && ranks_is_lost(e->ranks, next % size)) {
            next++;
        }
        e->owners[k] = given[k] ? next++ % size : e->owners[k];
        any |= given[k];
    }
    return any;
}

static void pack_given(Out *out, const Evolve *e, unsigned rank, const bool *given) {
    for (size_t k = 0; k < e->n_tasks; k++) {
        const EvolveTask *t = &e->tasks[k];
        if (!given[k] || e->owners[k] != rank) {
            continue;
        }
        wire_u64(out, k);
        wire_u32(out, t->count);
        for (uint32_t x = 0; x < t->count; x++) {
            program_pack(out, t->members[x].program);
            pack_fields(out, &t->members[x]);
        }
    }
}

bool evolve_take_given(Evolve *e, Wire *wire) {
    while (!wire->bad && wire->at < wire->end) {
        uint64_t task = wire_get_u64(wire);
        uint32_t count = wire_get_below(wire, e->options.population);
        wire->bad |=
            task >= e->n_tasks || e->owners[task] == ranks_rank(e->ranks) || e->tasks[task].count > 0;
        for (uint32_t x = 0; x < count && !wire->bad; x++) {
            EvolveTask *t = &e->tasks[task];
            EvolveMember m = {.program = program_unpack(e->lang, wire)};
            unpack_fields(&m, t->task, wire);
            wire->bad |= x > 0 && m.score > t->members[x - 1].score;
            if (wire->bad) {
                prog_free(m.program);
            } else {
                t->members[t->count++] = m;
            }
        }
        if (!wire->bad) {
            e->owners[task] = ranks_rank(e->ranks);
        }
    }
    return !wire->bad;
}

static bool spread_to_all(Evolve *e, bool good) {
    bool *given = mem_array(e->n_tasks > 0 ? e->n_tasks : 1, sizeof *given);
    Out bytes;
    out_init(&bytes);
    good = good && given != NULL;
    bool any = good && give_away(e, given);
    wire_u8(&bytes, good);
    if (good) {
        pack_exchange(&bytes, e);
    }
    size_t common = bytes.len;
    for (unsigned k = 1; k < ranks_size(e->ranks); k++) {
        if (any) {
            out_truncate(&bytes, common);
            pack_given(&bytes, e, k, given);
        }
        if (!ranks_is_lost(e->ranks, k)) {
            ranks_put(e->ranks, k, RANKS_WHOLE, &bytes);
        }
    }
    out_free(&bytes);
    mem_free(given);
    return good;
}

bool evolve_spread(Evolve *e, bool good) {
    if (ranks_is_root(e->ranks)) {
        return spread_to_all(e, good);
    }
    Out bytes;
    out_init(&bytes);
    good = ranks_get(e->ranks, 0, RANKS_WHOLE, &bytes);
    Wire wire = wire_of(bytes.data, bytes.len);
    good = good && wire_get_bool(&wire);
    if (good) {
        e->n_exchange = 0;
        drop_foreign(e);
        good = take_foreign(e, e->lang, &wire) && evolve_take_given(e, &wire);
    }
    out_free(&bytes);
    return good;
}

/* ---- islands ---- */

static void pack_newcomers(Out *out, const Evolve *e, uint64_t generations) {
    uint32_t n = 0;
    Out programs;
    out_init(&programs);
    for (size_t k = 0; k < e->n_tasks && n < NEWCOMERS_MAX; k++) {
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

/* Takes what an island offers; its first byte says whether it ends. */
static bool take_newcomers(Evolve *e, Lang *lang, Wire newcomers, bool *over) {
    *over |= wire_get_bool(&newcomers);
    return take_foreign(e, lang, &newcomers) && wire_ends(&newcomers);
}

/* Rank 0: receives the newcomers of the others and joins all into one message, by rank; those of a
 * lost island are empty. False: all were stopped. */
static bool meet(Evolve *e, Ranks *ranks, Lang *lang, const Out *mine, Out *all, bool *over) {
    Out newcomers;
    bool good = true;
    out_init(&newcomers);
    wire_block(all, mine->data, mine->len);
    for (unsigned k = 1; k < ranks_size(ranks) && good; k++) {
        bool there = ranks_get(ranks, k, RANKS_SHARE, &newcomers);
        if (there && !take_newcomers(e, lang, wire_of(newcomers.data, newcomers.len), over)) {
            ranks_distrust(ranks, k);
        }
        good = there || ranks_is_lost(ranks, k);
        wire_block(all, newcomers.data, ranks_is_lost(ranks, k) ? 0 : newcomers.len);
    }
    out_free(&newcomers);
    return good;
}

/* The other ranks take the newcomers of all but themselves. */
static bool take_all_newcomers(Evolve *e, const Ranks *ranks, Lang *lang, Wire *wire, bool *over) {
    bool good = true, ends = false;
    *over = wire_get_bool(wire);
    for (unsigned k = 0; k < ranks_size(ranks) && good; k++) {
        size_t length;
        const void *bytes = wire_get_block(wire, &length);
        good = !wire->bad && (k == ranks_rank(ranks) || length == 0 ||
                              take_newcomers(e, lang, wire_of(bytes, length), &ends));
    }
    return good && wire_ends(wire);
}

bool evolve_exchange(Evolve *e, Ranks *ranks, uint64_t generations, bool *over) {
    Lang *lang = lang_open();
    Out newcomers, whole, all;
    out_init(&newcomers);
    out_init(&whole);
    out_init(&all);
    bool good = lang != NULL;
    wire_u8(&newcomers, *over);
    pack_newcomers(&newcomers, e, generations);
    drop_foreign(e);
    if (ranks_is_root(ranks)) {
        good = good && meet(e, ranks, lang, &newcomers, &all, over);
        wire_u8(&whole, *over || !good);
        out_bytes(&whole, all.data, all.len);
        ranks_put_all(ranks, RANKS_WHOLE, &whole);
    } else {
        ranks_put(ranks, 0, RANKS_SHARE, &newcomers);
        good = ranks_get(ranks, 0, RANKS_WHOLE, &whole) && good;
        Wire wire = wire_of(whole.data, whole.len);
        good = good && take_all_newcomers(e, ranks, lang, &wire, over);
    }
    if (lang != NULL) {
        lang_close(lang);
    }
    out_free(&newcomers);
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
    if (!ranks_is_root(ranks)) {
        for (size_t k = 0; k < e->n_tasks; k++) {
            const EvolveTask *t = &e->tasks[k];
            wire_u8(&bytes, t->count > 0);
            if (t->count > 0) {
                program_pack(&bytes, t->members[0].program);
                pack_fields(&bytes, &t->members[0]);
            }
        }
        ranks_put(ranks, 0, RANKS_SHARE, &bytes);
    }
    e->n_exchange = 0; /* it may point to programs that are replaced */
    for (unsigned k = 1; ranks_is_root(ranks) && k < ranks_size(ranks) && good; k++) {
        bool there = ranks_get(ranks, k, RANKS_SHARE, &bytes);
        Wire wire = wire_of(bytes.data, bytes.len);
        good = there ? take_best(e, lang, &wire) : ranks_is_lost(ranks, k);
    }
    evolve_count(e);
    if (lang != NULL) {
        lang_close(lang);
    }
    out_free(&bytes);
    return good;
}
