/* The mutations; see mutate.h. Growing is in random_expr.c. */
#include "search/evolution/mutate.h"

#include "base/alloc.h"
#include "base/check.h"
#include "engine/language/hints.h"
#include "search/evolution/memo.h"

#include <string.h>

enum { TRIES = 16, EFFORT = 24, GROWN_DEPTH = 3 };

const char *const mutation_names[MUTATION_COUNT] = {
#define X(id, name, weight) name,
    MUTATIONS(X)
#undef X
};

static const uint8_t mutation_weights[MUTATION_COUNT] = {
#define X(id, name, weight) weight,
    MUTATIONS(X)
#undef X
};

Palettes palettes_of(const Task *task) {
    Palettes p = {0};
    for (int32_t k = 0; k < task->n_train; k++) {
        unsigned in = image_colors(task->train[k].in), out = image_colors(task->train[k].out);
        p.in = (uint16_t)(p.in | in);
        p.out = (uint16_t)(p.out | out);
        p.gained = (uint16_t)(p.gained | (out & ~in));
        p.lost = (uint16_t)(p.lost | (in & ~out));
    }
    return p;
}

/* Which parameters take a color, by type or by the dialect's hint, as bits. */
static void find_color_params(Mutator *m) {
    for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
        const PrimType *t = types_of_prim(m->types, prim);
        m->color_params[prim] = 0;
        for (uint32_t k = 0; k < DRAFT_ARGS; k++) {
            bool color = t != NULL && k < t->arity && t->param[k] == TYPE_COLOR;
            if (color || hint_is(hint_param(prim, k), "C_")) {
                m->color_params[prim] |= (uint8_t)(1u << k);
            }
        }
    }
}

bool mutator_open(Mutator *m) {
    m->types = types_open();
    vocab_fill(&m->vocab[MODE_CORE], MODE_CORE);
    vocab_fill(&m->vocab[MODE_BATT], MODE_BATT);
    m->memo = mem_zalloc(1, sizeof *m->memo);
    if (!choices_open(&m->choices) || m->types == NULL || m->memo == NULL) {
        return false;
    }
    find_color_params(m);
    return true;
}

void mutator_close(Mutator *m) {
    choices_close(&m->choices);
    mem_free(m->memo);
    m->memo = NULL;
    types_close(m->types);
    m->types = NULL;
}

void mutator_begin(Mutator *m, Rng rng, const Palettes *colors) {
    ASSERT(m->types != NULL && m->memo != NULL, "the mutator is not open");
    if (types_tidy(m->types)) {
        choices_forget(&m->choices);
        *m->memo = (TypeMemo){0};
    }
    m->rng = rng;
    m->colors = *colors;
}

/* ---- checking ---- */

static void notice(void *user, const TypeFinding *finding) {
    Mutator *m = user;
    m->certain_failure |= finding->certain;
}

static TypeId result_wanted(const Mutator *m) {
    return m->differs ? TYPE_INT : TYPE_GRID;
}

/* Whether a program may give this: a grid; or, for differs, a number or a tuple that can begin with one. */
static bool result_fits(const Mutator *m, TypeId result) {
    unsigned kinds = types_at(m->types, result)->kinds;
    return m->differs ? result != TYPE_GRID && (kinds & (KIND_INT | KIND_TUPLE)) != 0
                      : (kinds & KIND_TUPLE) != 0 && result != TYPE_PAIR && result != TYPE_CELL;
}

bool mutate_types(Mutator *m, Typed *t) {
    const Draft *d = &t->draft;
    draft_view(d, &m->view);
    m->certain_failure = false;
    TypeId result = types_of_program(m->types, &m->view.program, m->slots, notice, m);
    memcpy(t->types, m->slots + d->nparams + d->nconsts, d->nops * sizeof *t->types);
    return !m->certain_failure && result_fits(m, result);
}

/* Makes `work` a copy of the parent. */
static void begin(Mutator *m, const Typed *parent) {
    draft_copy(&m->work, &parent->draft);
    memcpy(m->op_types, parent->types, parent->draft.nops * sizeof *m->op_types);
    ASSERT(m->work.nops == parent->draft.nops && m->work.mode == parent->draft.mode, "%u ops copied of %u",
           m->work.nops, parent->draft.nops);
    memset(m->stale, 0, sizeof m->stale);
    m->effort = EFFORT;
}

/* ---- places ---- */

typedef struct ArgumentPlace { /* an argument of an op, or (op NULL) the result */
    DraftOp *op;
    uint32_t k;
} ArgumentPlace;

static Ref *place_ref(Mutator *m, ArgumentPlace place) {
    return place.op != NULL ? &place.op->args[place.k] : &m->work.result;
}

static void put(Mutator *m, ArgumentPlace place, Ref ref) {
    ASSERT(ref != REF_NONE && (place.op == NULL || place.k < place.op->nargs), "nothing put at argument %u",
           place.k);
    *place_ref(m, place) = ref;
    if (place.op != NULL) {
        m->stale[place.op - m->work.ops] = true;
    }
}

static ArgumentPlace draw_place(Mutator *m) {
    uint32_t n = m->work.nops;
    DraftOp *op = n > 0 ? &m->work.ops[rng_below(&m->rng, n)] : NULL;
    return op == NULL || op->nargs == 0 ? (ArgumentPlace){0}
                                        : (ArgumentPlace){op, rng_below(&m->rng, op->nargs)};
}

static TypeId place_wanted(Mutator *m, ArgumentPlace place) {
    return place.op != NULL ? sprout_wanted(m, place.op, place.k) : result_wanted(m);
}

/* ---- the mutations: they change `work`; false: nothing was changed ---- */

static bool change_variable(Mutator *m) {
    ArgumentPlace place = draw_place(m);
    Ref *ref = place_ref(m, place);
    if (REF_KIND(*ref) == REF_CONST) {
        return false;
    }
    TypeId wanted = place_wanted(m, place);
    uint32_t n = sprout_values(m), start = rng_below(&m->rng, n);
    for (uint32_t k = 0; k < n; k++) {
        Ref other = sprout_value(m, (start + k) % n);
        if (other != *ref && sprout_fits(m, sprout_type(m, other), wanted)) {
            put(m, place, other);
            return true;
        }
    }
    return false;
}

/* By the dialect's rule if it has hints for both primitives, else by types. */
static bool like_signature(Mutator *m, const DraftOp *op, const TypeId *args, uint32_t prim) {
    const PrimType *t = types_of_prim(m->types, prim), *old = types_of_prim(m->types, op->prim);
    if (t == NULL || old == NULL || prim == op->prim) {
        return false;
    }
    if (m->work.mode == MODE_BATT && prim_table[prim].hints[0] != '\0' &&
        prim_table[op->prim].hints[0] != '\0') {
        bool good = hint_accepts(hint_result(op->prim), hint_result(prim));
        for (uint32_t k = 0; k < op->nargs && good; k++) {
            good = hint_accepts(hint_param(op->prim, k), hint_param(prim, k));
        }
        return good;
    }
    for (uint32_t k = 0; k < op->nargs; k++) {
        if (!types_fit(m->types, (Mode)m->work.mode, args[k], t->param[k])) {
            return false;
        }
    }
    unsigned letters =
        types_at(m->types, old->result)->kind == TYPE_VAR || types_at(m->types, t->result)->kind == TYPE_VAR;
    return letters || types_fit(m->types, (Mode)m->work.mode, t->result, old->result) ||
           types_fit(m->types, (Mode)m->work.mode, old->result, t->result);
}

static bool change_primitive(Mutator *m) {
    if (m->work.nops == 0) {
        return false;
    }
    DraftOp *op = &m->work.ops[rng_below(&m->rng, m->work.nops)];
    for (uint32_t k = 0; k < op->nargs; k++) { /* function arguments may be replaced too */
        bool function =
            REF_KIND(op->args[k]) == REF_CONST && m->work.consts[REF_INDEX(op->args[k])].kind == VAL_PRIM;
        if (function && rng_percent(&m->rng, 60)) {
            Ref other = sprout(m, sprout_wanted(m, op, k), (int)rng_below(&m->rng, 2));
            bool changed = other != REF_NONE && other != op->args[k];
            put(m, (ArgumentPlace){op, k}, changed ? other : op->args[k]);
            return changed;
        }
    }
    TypeId args[DRAFT_ARGS];
    for (uint32_t k = 0; k < op->nargs; k++) {
        args[k] = sprout_type(m, op->args[k]);
    }
    for (int tries = 0; op->kind == OP_PRIM && tries < 4 * TRIES; tries++) {
        uint32_t prim = vocab_draw_arity(&m->vocab[m->work.mode], &m->rng, op->nargs);
        if (prim < PRIM_COUNT && like_signature(m, op, args, prim)) {
            op->prim = (uint16_t)prim;
            m->stale[op - m->work.ops] = true;
            return true;
        }
    }
    return false;
}

static Val neighbour(Mutator *m, ConstantId first, ConstantId last, Val v, bool *found) {
    for (uint32_t id = first; id <= (uint32_t)last; id++) {
        if (val_eq(lang_constants[id].value, v)) {
            *found = true;
            bool up = id == (uint32_t)first || (id != (uint32_t)last && rng_percent(&m->rng, 50));
            return lang_constants[up ? id + 1 : id - 1].value;
        }
    }
    *found = false;
    return v;
}

/* By the parameter's hint, as in the dialect's own mutation; *known: there is a rule. */
static Val hinted_constant(Mutator *m, Hint hint, Val v, bool *known) {
    ConstantId first, last;
    *known = hint_range(hint, &first, &last) && !hint_is(hint, "Integer") && !hint_is(hint, "C_");
    if (!*known) {
        return v;
    }
    if (hint_is(hint, "FL") || hint_is(hint, "F_") || hint_is(hint, "L_")) {
        return neighbour(m, first, last, v, known);
    }
    if (hint_is(hint, "A8")) {
        bool among = v.kind == VAL_INT && v.i >= 0 && v.i <= 7;
        return among ? val_int(rng_below(&m->rng, 8)) : v;
    }
    return lang_constants[(uint32_t)first + rng_below(&m->rng, (uint32_t)(last - first) + 1)].value;
}

static bool change_constant(Mutator *m) {
    for (int tries = 0; tries < TRIES; tries++) {
        ArgumentPlace place = draw_place(m);
        if (place.op == NULL || REF_KIND(place.op->args[place.k]) != REF_CONST) {
            continue;
        }
        Ref *ref = place_ref(m, place);
        Val v = m->work.consts[REF_INDEX(*ref)];
        if (v.kind != VAL_INT && v.kind != VAL_PAIR) {
            continue;
        }
        bool known = false;
        Ref made;
        if (place.op->kind == OP_PRIM && m->work.mode == MODE_BATT) {
            v = hinted_constant(m, hint_param(place.op->prim, place.k), v, &known);
        }
        TypeId wanted = sprout_wanted(m, place.op, place.k);
        if (known) {
            made = draft_const(&m->work, v);
        } else if (v.kind == VAL_INT && wanted == TYPE_INT && rng_percent(&m->rng, 50)) {
            made = draft_const(&m->work, val_int(v.i + (rng_percent(&m->rng, 50) ? 1 : -1)));
        } else {
            made = sprout_const(m, v.kind == VAL_PAIR ? TYPE_PAIR : wanted == TYPE_ANY ? TYPE_INT : wanted);
        }
        if (made != REF_NONE && made != *ref) {
            put(m, place, made);
            return true;
        }
    }
    return false;
}

/* A color as an expression: over the samples in batt mode (colors that are only in inputs, or only in
 * outputs), over the input otherwise. So the program also works where the color is a different one. */
static Ref color_expression(Mutator *m) {
    Ref input = REF_PARAM | PARAM_I;
    if (m->work.nparams != 3) {
        static const uint16_t readers[] = {P_leastcolor, P_mostcolor};
        uint32_t prim = readers[rng_below(&m->rng, 2)];
        return sprout_call(m, prim, TYPE_COLOR, input, TYPE_GRID, 0);
    }
    Ref rank = draft_const(&m->work, val_int(rng_percent(&m->rng, 75) ? 0 : 1));
    Ref bound[2] = {draft_const(&m->work, val_prim(P_get_nth_t)), rank};
    if (bound[0] == REF_NONE || rank == REF_NONE) {
        return REF_NONE;
    }
    Ref pick = draft_op(&m->work, OP_PRIM, P_rbind, bound, 2);
    Ref palette = draft_const(&m->work, val_prim(P_p_g));
    uint32_t prim = rng_percent(&m->rng, 65) ? P_c_zo_n : P_c_iz_n;
    Ref ref = pick == REF_NONE || palette == REF_NONE
                  ? REF_NONE
                  : draft_op(&m->work, OP_PRIM, prim, (Ref[]){REF_PARAM | PARAM_S, palette, pick}, 3);
    if (ref != REF_NONE) {
        m->op_types[REF_INDEX(pick)] = TYPE_FN;
        m->op_types[REF_INDEX(ref)] = TYPE_COLOR;
    }
    return ref;
}

static bool change_color(Mutator *m) {
    for (int tries = 0; tries < TRIES; tries++) {
        ArgumentPlace place = draw_place(m);
        if (place.op == NULL || place.op->kind != OP_PRIM) {
            continue;
        }
        if ((m->color_params[place.op->prim] >> place.k & 1) == 0) {
            continue;
        }
        Ref made = rng_percent(&m->rng, 70) ? sprout_const(m, TYPE_COLOR) : color_expression(m);
        Ref *ref = place_ref(m, place);
        if (made != REF_NONE && made != *ref) {
            put(m, place, made);
            return true;
        }
    }
    return false;
}

static bool put_around(Mutator *m, ArgumentPlace place) {
    Ref *ref = place_ref(m, place), before = *ref;
    TypeId type = sprout_type(m, before), wanted = place_wanted(m, place);
    if (REF_KIND(before) == REF_CONST || sprout_is_fn(m, wanted)) {
        return false;
    }
    for (int tries = 0; tries < 4; tries++) {
        uint32_t prim = sprout_draw_around(m, wanted, type);
        if (prim == PRIM_COUNT) {
            return false;
        }
        Ref made = sprout_call(m, prim, wanted, before, type, (int)rng_below(&m->rng, GROWN_DEPTH + 1));
        if (made != REF_NONE) {
            put(m, place, made);
            return true;
        }
    }
    return false;
}

static bool insert_call(Mutator *m) {
    return put_around(m, draw_place(m));
}

static bool wrap_result(Mutator *m) {
    return put_around(m, (ArgumentPlace){0});
}

static bool delete_call(Mutator *m) {
    if (m->work.nops == 0) {
        return false;
    }
    uint32_t gone = rng_below(&m->rng, m->work.nops);
    const DraftOp *op = &m->work.ops[gone];
    for (int tries = 0; op->nargs > 0 && tries < 4; tries++) {
        Ref stand_in = op->args[rng_below(&m->rng, op->nargs)];
        if (!sprout_fits(m, sprout_type(m, stand_in), m->op_types[gone])) {
            continue;
        }
        for (uint32_t k = 0; k < m->work.nops; k++) {
            for (uint32_t a = 0; a < m->work.ops[k].nargs; a++) {
                Ref *ref = &m->work.ops[k].args[a];
                m->stale[k] |= *ref == (REF_OP | gone);
                *ref = *ref == (REF_OP | gone) ? stand_in : *ref;
            }
        }
        m->work.result = m->work.result == (REF_OP | gone) ? stand_in : m->work.result;
        return true;
    }
    return false;
}

static bool regrow(Mutator *m) {
    ArgumentPlace place = draw_place(m);
    TypeId wanted = place_wanted(m, place);
    Ref made = sprout(m, wanted, 1 + (int)rng_below(&m->rng, GROWN_DEPTH));
    Ref *ref = place_ref(m, place);
    if (made == REF_NONE || made == *ref) {
        return false;
    }
    put(m, place, made);
    return true;
}

static bool cross(Mutator *m, const Typed *with) {
    const Draft *mate = with != NULL ? &with->draft : NULL;
    if (mate == NULL || mate->mode != m->work.mode || mate->nparams != m->work.nparams || mate->nops == 0 ||
        m->work.nops + mate->nops > DRAFT_OPS) {
        return false;
    }
    const TypeId *types = with->types;
    for (int tries = 0; tries < TRIES; tries++) {
        ArgumentPlace place = draw_place(m);
        TypeId wanted = place_wanted(m, place);
        uint32_t top = rng_below(&m->rng, mate->nops), first = m->work.nops;
        if (REF_KIND(*place_ref(m, place)) == REF_CONST || !sprout_fits(m, types[top], wanted)) {
            continue;
        }
        for (uint32_t k = 0; k <= top; k++) { /* all ops up to it: what it does not need is removed later */
            DraftOp op = mate->ops[k];
            for (uint32_t a = 0; a < op.nargs; a++) {
                Ref ref = op.args[a];
                op.args[a] = REF_KIND(ref) == REF_CONST ? draft_const(&m->work, mate->consts[REF_INDEX(ref)])
                             : REF_KIND(ref) == REF_OP  ? ref + first
                                                        : ref;
                if (op.args[a] == REF_NONE) {
                    return false;
                }
            }
            m->work.ops[m->work.nops] = op;
            m->op_types[m->work.nops++] = types[k];
        }
        put(m, place, REF_OP | (first + top));
        return true;
    }
    return false;
}

MutationKind mutate_draw(Mutator *m) {
    uint32_t total = 0;
    for (int k = 0; k < MUTATION_COUNT; k++) {
        total += mutation_weights[k];
    }
    uint32_t dice = rng_below(&m->rng, total), kind = 0;
    while (dice >= mutation_weights[kind]) {
        dice -= mutation_weights[kind++];
    }
    return (MutationKind)kind;
}

static bool apply(Mutator *m, MutationKind kind, const Typed *mate) {
    switch (kind) {
    case MUTATION_VARIABLE:
        return change_variable(m);
    case MUTATION_PRIMITIVE:
        return change_primitive(m);
    case MUTATION_CONSTANT:
        return change_constant(m);
    case MUTATION_COLOR:
        return change_color(m);
    case MUTATION_INSERT:
        return insert_call(m);
    case MUTATION_WRAP:
        return wrap_result(m);
    case MUTATION_DELETE:
        return delete_call(m);
    case MUTATION_REGROW:
        return regrow(m);
    default:
        return cross(m, mate);
    }
}

/* Whether some argument can never work: none of its kinds is declared, nor known to be accepted anyway. */
static bool must_fail(Mutator *m, const DraftOp *op, const TypeId *args) {
    const PrimType *t = types_of_prim(m->types, op->prim);
    for (uint32_t k = 0; t != NULL && k < op->nargs && k < t->arity; k++) {
        unsigned kinds = types_at(m->types, args[k])->kinds, wanted = types_at(m->types, t->param[k])->kinds;
        if (wanted != KIND_ALL && t->param[k] != TYPE_BOOL && (kinds & wanted) == 0 &&
            (kinds & types_accepted(m->types, (Mode)m->work.mode, op->prim, k)) == 0) {
            return true;
        }
    }
    return t == NULL;
}

/* Types of the child: those of `work`, recomputed where an op changed or uses one that changed. */
static bool retype(Mutator *m, Typed *child, const uint8_t *from) {
    Draft *d = &child->draft;
    bool stale[DRAFT_OPS];
    for (uint32_t k = 0; k < d->nops; k++) {
        const DraftOp *op = &d->ops[k];
        TypeId args[DRAFT_ARGS];
        stale[k] = m->stale[from[k]];
        for (uint32_t a = 0; a < op->nargs; a++) {
            stale[k] |= REF_KIND(op->args[a]) == REF_OP && stale[REF_INDEX(op->args[a])];
        }
        child->types[k] = m->op_types[from[k]];
        if (!stale[k]) {
            continue;
        }
        if (op->kind != OP_PRIM) { /* rare: type the whole program from scratch */
            return mutate_types(m, child);
        }
        for (uint32_t a = 0; a < op->nargs; a++) {
            Ref ref = op->args[a];
            args[a] = REF_KIND(ref) == REF_OP ? child->types[REF_INDEX(ref)]
                      : REF_KIND(ref) == REF_CONST
                          ? types_of_value(m->types, (Mode)d->mode, d->consts[REF_INDEX(ref)])
                      : d->nparams == 3 && REF_INDEX(ref) == PARAM_S ? TYPE_SAMPLES
                                                                     : TYPE_GRID;
        }
        if (must_fail(m, op, args)) {
            return false;
        }
        child->types[k] = sprout_call_type(m, op->prim, args, op->nargs);
        stale[k] = child->types[k] != m->op_types[from[k]]; /* else its users need no check */
    }
    TypeId result = REF_KIND(d->result) == REF_OP      ? child->types[REF_INDEX(d->result)]
                    : REF_KIND(d->result) == REF_PARAM ? TYPE_GRID
                                                       : TYPE_ANY;
    return result_fits(m, result);
}

bool mutate(Mutator *m, MutationKind kind, const Typed *parent, const Typed *mate, Typed *child) {
    uint8_t from[DRAFT_OPS];
    begin(m, parent);
    return apply(m, kind, mate) && draft_simplify_from(&m->work, &child->draft, from) &&
           child->draft.hash != parent->draft.hash && retype(m, child, from);
}

bool mutate_fresh(Mutator *m, Mode mode, unsigned nparams, Typed *child) {
    uint8_t from[DRAFT_OPS];
    memset(m->stale, 0, sizeof m->stale);
    draft_start(&m->work, mode, nparams);
    m->effort = EFFORT;
    for (int tries = 0; tries < TRIES; tries++) {
        uint32_t prim = sprout_draw_giving(m, result_wanted(m));
        m->work.nops = m->work.nconsts = 0;
        Ref made = sprout_call(m, prim, result_wanted(m), REF_NONE, TYPE_ANY,
                               2 + (int)rng_below(&m->rng, GROWN_DEPTH));
        if (made != REF_NONE) {
            m->work.result = made;
            return draft_simplify_from(&m->work, &child->draft, from) && retype(m, child, from);
        }
    }
    return false;
}
