/* The table of terms and the order in which it is filled; see enumerate.h. */
#include "search/strategies/enumerate.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/mix.h"
#include "engine/eval/eval.h"
#include "engine/eval/scope.h"
#include "search/schedule/strategies.h"

#include <string.h>

/* ---- the table ---- */

static bool reserve(Enumerate *e) {
    Quota *quota = &e->search->quota;
    if (e->count == e->room) {
        uint32_t room = e->room ? e->room * 2 : 4096;
        EnumTerm *terms = quota_grow(quota, e->terms, room, sizeof *terms);
        if (terms == NULL) {
            return false;
        }
        e->terms = terms;
        e->room = room;
    }
    return quota_map_reserve(quota, &e->seen);
}

static bool list_add(Enumerate *e, EnumTermList *list, uint32_t term) {
    if (list->count == list->room) {
        uint32_t room = list->room ? list->room * 2 : 256;
        uint32_t *grown = quota_grow(&e->search->quota, list->items, room, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->items = grown;
        list->room = room;
    }
    list->items[list->count++] = term;
    return true;
}

/* Adds a term, copying its values. ENUM_TERM_NONE: these values are there already, or there is no memory. */
static uint32_t add_term(Enumerate *e, EnumTerm term, const Val *vals) {
    uint32_t n = e->search->task->n;
    uint64_t hash = term.type * MIX_FACTOR;
    if (!reserve(e)) {
        e->full = true;
        return ENUM_TERM_NONE;
    }
    for (uint32_t k = 0; k < n && term.type < IDIOM_FIRST_FN; k++) {
        hash = val_hash(vals[k], hash);
    }
    for (unsigned k = 0; k < IDIOM_HOLES && term.type >= IDIOM_FIRST_FN; k++) {
        hash = mix64(hash, term.idiom + term.args[k] * 65536ull);
    }
    uint32_t at = map_start(&e->seen, hash);
    for (uint32_t other; (other = map_next(&e->seen, hash, &at)) != MAP_NONE;) {
        const EnumTerm *old = &e->terms[other];
        if (old->type == term.type &&
            (term.type < IDIOM_FIRST_FN
                 ? vals_eq(old->vals, vals, n)
                 : old->idiom == term.idiom && memcmp(old->args, term.args, sizeof old->args) == 0)) {
            return ENUM_TERM_NONE;
        }
    }
    Val *kept = ctx_alloc(e->search->ctx, n * sizeof *kept);
    if (kept == NULL || !list_add(e, &e->types[term.type], e->count)) {
        e->full = true;
        return ENUM_TERM_NONE;
    }
    memcpy(kept, vals, n * sizeof *kept);
    term.vals = kept;
    map_put(&e->seen, hash, at, e->count);
    e->terms[e->count] = term;
    return e->count++;
}

/* ---- programs ---- */

Ref *enumerate_refs(Enumerate *e) {
    Ref *refs = quota_grow(&e->search->kept, NULL, e->count, sizeof *refs);
    if (refs != NULL) {
        memset(refs, 0xff, e->count * sizeof *refs);
        build_start(&e->search->builder);
    }
    return refs;
}

Ref enumerate_ref(Enumerate *e, uint32_t term, Ref *refs) {
    Builder *b = &e->search->builder;
    const EnumTerm *t = &e->terms[term];
    if (refs[term] != ENUM_TERM_NONE) {
        return refs[term];
    }
    if (t->idiom >= ENUM_TERM_CONST) {
        return refs[term] = t->idiom == ENUM_TERM_INPUT ? (Ref)PARAM_I : build_const(b, t->vals[0]);
    }
    const Idiom *idiom = &e->idioms->items[t->idiom];
    Ref holes[IDIOM_HOLES] = {0};
    for (unsigned k = 0; k < idiom->holes; k++) {
        holes[k] = enumerate_ref(e, t->args[k], refs);
    }
    return refs[term] = build_inline(b, idiom->body, holes);
}

static Program *enumerate_finish(Enumerate *e, Ref *refs, Ref result) {
    quota_free(&e->search->kept, refs);
    return search_finish(e->search, result);
}

bool enumerate_offer(Enumerate *e, Ref *refs, Ref result, double cost) {
    return search_offer(e->search, enumerate_finish(e, refs, result),
                        e->search->tune->enumerate_cost + e->search->tune->enumerate_scale * cost);
}

/* ---- what a new term is good for ---- */

/* Keeps a grid that is similar to the outputs as an intermediate for other strategies; also one that a
 * primitive of one's own made, since it was made to be worked on. */
static void keep_intermediate(Enumerate *e, uint32_t term, bool own) {
    const EnumTerm *t = &e->terms[term];
    uint32_t like, min = (uint32_t)(e->search->tune->own_likeness * 1000) * e->search->task->n_train;
    if (intermediates_want(e->search, t->vals, &like)) {
        like = own && like < min ? min : like;
        Ref *refs = enumerate_refs(e);
        Program *program = refs != NULL ? enumerate_finish(e, refs, enumerate_ref(e, term, refs)) : NULL;
        intermediates_add(e->search, t->vals, like, e->search->tune->enumerate_scale * t->cost, program);
    }
}

static void look_at_grid(Enumerate *e, uint32_t term) {
    const SearchTask *t = e->search->task;
    const Val *vals = e->terms[term].vals;
    uint32_t right = 0, shaped = 0;
    for (uint32_t k = 0; k < t->n_train; k++) {
        bool fits = vals[k].n == t->out[k].n && vals[k].w == t->out[k].w;
        shaped += fits;
        right += fits && val_eq(vals[k], t->out[k]);
    }
    bool miss = right < t->n_train;
    if (right > 0 && (!miss || e->misses < e->search->tune->enumerate_misses_max)) {
        Ref *refs = enumerate_refs(e);
        e->misses += miss;
        if (refs != NULL) {
            Ref result = enumerate_ref(e, term, refs);
            enumerate_offer(e, refs, result, e->terms[term].cost);
        }
    }
    bool own = e->terms[term].idiom < ENUM_TERM_CONST && e->idioms->items[e->terms[term].idiom].own;
    if (own && shaped < t->n_train) {
        keep_intermediate(e, term, true);
    }
    if (shaped == t->n_train && e->n_shaped < sizeof e->shaped / sizeof *e->shaped) {
        e->shaped[e->n_shaped++] = term;
        keep_intermediate(e, term, own);
        cover_add_base(e->cover, term);
        table_try(e, term);
    }
}

static void look_at(Enumerate *e, uint32_t term) {
    switch (e->terms[term].type) {
    case IDIOM_grid:
        look_at_grid(e, term);
        break;
    case IDIOM_indices:
    case IDIOM_object:
        cover_add_patch(e->cover, term);
        enumerate_frame(e, term);
        break;
    case IDIOM_color:
        cover_add_color(e->cover, term);
        break;
    default:
        break;
    }
}

/* ---- calls ---- */

static bool is_number(Val v, int64_t min, int64_t max) {
    return v.kind == VAL_INT && v.i >= min && v.i <= max;
}

/* Whether a value can have a type at all; *empty: it says nothing. */
static bool has_type(Val v, IdiomType type, uint32_t max_side, bool *empty) {
    enum { FAR = 64, MAX_CELLS = 4000 };
    *empty = v.kind == VAL_SET && v.n == 0;
    switch (type) {
    case IDIOM_grid:
    case IDIOM_input:
        return v.kind == VAL_GRID8 && v.n <= max_side && v.w <= max_side && v.w > 0;
    case IDIOM_grids:
        return v.kind == VAL_TUPLE && v.n > 0 && v.n <= 100;
    case IDIOM_indices:
        return (v.kind == VAL_INDICES && v.n <= MAX_CELLS) || *empty;
    case IDIOM_object:
        return (v.kind == VAL_OBJ_CORE && v.n <= MAX_CELLS) || *empty;
    case IDIOM_objects:
        return v.kind == VAL_SET && v.n <= 900;
    case IDIOM_int:
        return is_number(v, -1000, 1000);
    case IDIOM_color:
        return is_number(v, 0, 9);
    case IDIOM_pair:
        return v.kind == VAL_PAIR && v.a >= -FAR && v.a <= FAR && v.b >= -FAR && v.b <= FAR;
    default:
        return val_is_fn(v);
    }
}

/* The type of a result; IDIOM_TYPE_COUNT: it is useless. */
static IdiomType type_of(const Enumerate *e, const Idiom *idiom, const Val *vals) {
    IdiomType type = (IdiomType)__builtin_ctz(idiom->gives);
    uint32_t n = e->search->task->n, empty = 0;
    for (uint32_t k = 0; k < n && (idiom->gives & (idiom->gives - 1)); k++) { /* a patch: which kind? */
        type = vals[k].kind == VAL_OBJ_CORE ? IDIOM_object : type;
    }
    for (uint32_t k = 0; k < n; k++) {
        bool none;
        if (!has_type(vals[k], type, e->search->own->max_side, &none)) {
            return IDIOM_TYPE_COUNT;
        }
        empty += none;
    }
    return empty < n ? type : IDIOM_TYPE_COUNT;
}

/* Tries one call. False: the budget or the memory is used up. */
static bool try_step(Enumerate *e, unsigned which, const uint32_t *args, unsigned cost) {
    Search *s = e->search;
    const Idiom *idiom = &e->idioms->items[which];
    Val vals[SEARCH_MAX_SAMPLES], slots[IDIOM_MAX_SLOTS]; /* not in the arena, where they would stay */
    CtxMark mark = ctx_mark(s->ctx);
    uint32_t n = s->task->n, k = 0;
    uint64_t steps = 0;
    for (; k < n; k++) {
        Val params[IDIOM_HOLES] = {VAL_EMPTY_TUPLE, VAL_EMPTY_TUPLE, VAL_EMPTY_TUPLE};
        for (unsigned h = 0; h < idiom->holes; h++) {
            params[h] = e->terms[args[h]].vals[k];
        }
        ctx_rebudget(s->ctx);
        vals[k] = eval_slots(s->ctx, idiom->body, params, slots);
        steps += ctx_steps_used(s->ctx);
        if (val_failed(vals[k])) {
            break;
        }
    }
    /* Leave room for the other strategies; a view only needs it until the end of the slice. */
    uint64_t max = s->task == s->own ? s->ctx->budget.bytes / 2 : s->ctx->budget.bytes / 8 * 7;
    bool full = s->ctx->exhausted == FAIL_MEMORY || ctx_bytes_used(s->ctx) > max;
    ctx_rebudget(s->ctx);
    COUNT(s->statistics, VALUES, k);
    bool go_on = search_spend(s, 2 + steps);
    if (idiom->own) { /* its call counts as one step, however long it took */
        search_spend_ahead(s, 0);
        go_on = !s->slice_over;
    }
    IdiomType type = k == n ? type_of(e, idiom, vals) : IDIOM_TYPE_COUNT;
    uint32_t term = ENUM_TERM_NONE;
    if (type != IDIOM_TYPE_COUNT) {
        EnumTerm new = {NULL, {args[0], args[1], args[2]}, (uint16_t)which, (uint8_t)type, (uint8_t)cost};
        bool recorded = scope_record_begin(s->ctx, SCOPE_KNOWN);
        term = add_term(e, new, vals);
        scope_record_end(s->ctx, recorded);
    }
    if (term == ENUM_TERM_NONE) {
        ctx_release(s->ctx, mark);
    } else {
        look_at(e, term);
    }
    return go_on && !full && !e->full && e->count < s->tune->enumerate_terms_max;
}

/* ---- the terms to start from ---- */

static void add_leaf(Enumerate *e, IdiomType type, unsigned idiom, unsigned cost, const Val *vals) {
    EnumTerm leaf = {NULL, {0, 0, 0}, (uint16_t)idiom, (uint8_t)type, (uint8_t)cost};
    uint32_t term = add_term(e, leaf, vals);
    if (term != ENUM_TERM_NONE) {
        look_at(e, term);
    }
}

static void add_const(Enumerate *e, IdiomType type, unsigned cost, Val v) {
    Val vals[SEARCH_MAX_SAMPLES];
    for (uint32_t k = 0; k < e->search->task->n; k++) {
        vals[k] = v;
    }
    add_leaf(e, type, ENUM_TERM_CONST, cost, vals);
}

/* Adds the leaves of one cost before its level is run, so that terms come in order of cost. */
static void add_leaves(Enumerate *e, unsigned cost) {
    const SearchTask *t = e->search->task;
    if (cost == 1) {
        add_leaf(e, IDIOM_grid, ENUM_TERM_INPUT, 1, t->in);
        add_leaf(e, IDIOM_input, ENUM_TERM_INPUT, 1, t->in);
    }
    for (int color = 0; color < 10; color++) {
        bool in = t->in_all >> color & 1, out = t->out_all >> color & 1;
        bool known = (t->in_colors | t->out_colors) >> color & 1;
        unsigned price = color == 0 ? 2 : in || out ? 2 : 5;
        if (known && price == cost) {
            add_const(e, IDIOM_color, cost, val_int(color));
        }
    }
    bool same = true;
    for (uint32_t k = 1; k < t->n_train; k++) {
        same &= t->out[k].n == t->out[0].n && t->out[k].w == t->out[0].w;
    }
    if (cost == 3 && same && !t->same_size) {
        add_const(e, IDIOM_pair, cost, val_pair32((int32_t)t->out[0].n, t->out[0].w));
    }
}

/* ---- in order of cost ---- */

/* Tries all ways to fill the holes from `hole` on so that their costs add up to `left`. */
static bool fill_holes(Enumerate *e, unsigned which, unsigned hole, uint32_t *args, unsigned left,
                       unsigned cost) {
    const Idiom *idiom = &e->idioms->items[which];
    if (hole == idiom->holes || hole == IDIOM_HOLES) {
        if (left != 0 || e->calls++ < e->calls_done) { /* made in an earlier time slice */
            return true;
        }
        e->calls_done++;
        return try_step(e, which, args, cost);
    }
    bool last = hole + 1 == idiom->holes;
    for (unsigned type = 0; type < IDIOM_TYPE_COUNT; type++) {
        if (!(idiom->takes[hole] >> type & 1)) {
            continue;
        }
        for (unsigned c = last ? left : 1; c <= left; c++) {
            const EnumTermList *list = &e->types[type];
            for (uint32_t k = list->first[c], end = list->first[c + 1]; k < end; k++) {
                args[hole] = e->types[type].items[k];
                if (!fill_holes(e, which, hole + 1, args, left - c, cost)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static bool run_level(Enumerate *e, unsigned cost) {
    for (unsigned type = 0; type < IDIOM_TYPE_COUNT && e->begun < cost; type++) {
        e->types[type].first[cost] = e->types[type].count;
    }
    e->calls_done = e->begun < cost ? 0 : e->calls_done;
    e->calls = 0;
    e->begun = cost;
    add_leaves(e, cost);
    for (unsigned which = 0; which < e->idioms->count; which++) {
        const Idiom *idiom = &e->idioms->items[which];
        uint32_t args[IDIOM_HOLES] = {0};
        if (idiom->cost + idiom->holes <= cost && (idiom->holes > 0 || idiom->cost == cost) &&
            !fill_holes(e, which, 0, args, cost - idiom->cost, cost)) {
            return false;
        }
    }
    for (unsigned type = 0; type < IDIOM_TYPE_COUNT; type++) {
        e->types[type].first[cost + 1] = e->types[type].count;
    }
    return true;
}

void *strategy_enumerate_open(Search *search) {
    Enumerate *e = mem_zalloc(1, sizeof *e);
    if (e != NULL) {
        e->search = search;
        e->idioms = search->idioms;
        e->cover = cover_open(e);
        e->cost = 1;
        if (e->cover == NULL) {
            mem_free(e);
            return NULL;
        }
    }
    return e;
}

void strategy_enumerate_close(Search *search, void *state) {
    Enumerate *e = state;
    Quota *quota = &search->quota;
    cover_close(e->cover);
    for (unsigned type = 0; type < IDIOM_TYPE_COUNT; type++) {
        quota_free(quota, e->types[type].items);
    }
    quota_free(quota, e->terms);
    quota_map_free(quota, &e->seen);
    mem_free(e);
}

/* A time slice resumes where the last one ended: the table stays in the arena until the search is
 * closed. */
void strategy_enumerate_run(Search *search, void *state) {
    Enumerate *e = state;
    Budget before = search->ctx->budget, mine = before;
    /* for calling an idiom, not for what is done with the values */
    mine.steps = search->tune->enumerate_call_steps;
    for (; e->cost <= IDIOM_MAX_COST; e->cost++) {
        ctx_set_budget(search->ctx, &mine);
        ctx_rebudget(search->ctx);
        uint64_t begin = clock_work_ns();
        bool go_on = run_level(e, e->cost);
        search_built(search, begin);
        ctx_set_budget(search->ctx, &before);
        ctx_rebudget(search->ctx);
        cover_run(e->cover, !go_on);
        enumerate_cells(e);
        if (!go_on) {
            break;
        }
    }
}
