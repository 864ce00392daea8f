/* Running programs on types; see infer.h. */
#include "engine/language/infer.h"

#include "base/alloc.h"
#include "engine/language/signature.h"
#include "engine/language/types_internal.h"

#include <string.h>

enum { MAX_STEPS = 400 }; /* calls followed per op: nested forks double them at every level */

static TypeId call(Types *t, TypeId function, const TypeId *args, uint32_t n);

/* ---- functions ---- */

unsigned types_fn_arity(const Types *types, TypeId function) {
    const Type *f = types_at(types, function);
    switch ((TypeKind)f->kind) {
    case TYPE_PRIM:
        return types_prim_flags(f->n) & PRIM_OPTIONAL ? TYPES_ANY_ARITY : types_prim_arity(types, f->n);
    case TYPE_FN_OF:
        return f->n;
    case TYPE_CLOSURE:
        if (f->n == CLOSURE_LBIND || f->n == CLOSURE_RBIND) {
            const Type *inner = types_at(types, f->part[0]);
            unsigned arity = inner->kind == TYPE_PRIM ? types_prim_arity(types, inner->n)
                                                      : types_fn_arity(types, f->part[0]);
            return arity == TYPES_ANY_ARITY ? TYPES_ANY_ARITY : arity == 2 ? 1 : arity == 3 ? 2 : 3;
        }
        if (f->n == CLOSURE_POWER) { /* power(f, 1) is f */
            return types_fn_arity(types, f->part[0]) == 1 ? 1 : TYPES_ANY_ARITY;
        }
        return f->n == CLOSURE_DEFAULT ? TYPES_ANY_ARITY : 1;
    default:
        return TYPES_ANY_ARITY;
    }
}

static TypeId open_type(Types *t, TypeId declared) { /* outside its signature a letter means nothing */
    const Type *d = types_at(t, declared);
    switch ((TypeKind)d->kind) {
    case TYPE_VAR:
        return TYPE_ANY;
    case TYPE_LIKE:
        return types_container(t, open_type(t, d->part[0]));
    case TYPE_TUPLE:
        return types_tuple(t, open_type(t, d->part[0]));
    case TYPE_SET:
        return types_set(t, open_type(t, d->part[0]));
    case TYPE_CONTAINER:
        return types_container(t, open_type(t, d->part[0]));
    case TYPE_FN_OF:
        return TYPE_FN;
    default:
        return declared;
    }
}

void types_fn_params(Types *types, TypeId function, TypeId *params) {
    const Type f = *types_at(types, function);
    unsigned arity = types_fn_arity(types, function);
    for (unsigned k = 0; k < arity && k < 8; k++) {
        params[k] = TYPE_ANY;
    }
    if (f.kind == TYPE_PRIM) {
        const PrimType *declared = types_of_prim(types, f.n);
        for (unsigned k = 0; declared != NULL && k < arity && k < 4; k++) {
            params[k] = open_type(types, declared->param[k]);
        }
    } else if (f.kind == TYPE_CLOSURE) {
        /* the part that sees the arguments first */
        static const uint8_t innermost[CLOSURE_DEFAULT + 1] = {1, 2, 0, 0, 0, 0, 1, 0};
        TypeId inner = f.part[innermost[f.n]], below[8] = {TYPE_ANY};
        unsigned inner_arity = types_fn_arity(types, inner);
        if (inner_arity == TYPES_ANY_ARITY) {
            return;
        }
        types_fn_params(types, inner, below);
        for (unsigned k = 0; k < arity && k < 8; k++) {
            params[k] = f.n == CLOSURE_LBIND && k + 1 < 8 ? below[k + 1]
                        : k < inner_arity                 ? below[k]
                                                          : TYPE_ANY;
        }
    }
}

/* ---- findings ---- */

static void find(Types *t, TypeFinding finding) {
    if (t->report != NULL) {
        finding.op = t->op;
        finding.certain = t->doubt == 0;
        finding.vague = t->vague;
        t->report(t->user, &finding);
    }
}

static void check_args(Types *t, uint32_t prim, const PrimType *declared, const TypeId *args, uint32_t n) {
    for (uint32_t k = 0; k < n && t->report != NULL; k++) {
        unsigned kinds = types_at(t, args[k])->kinds;
        TypeId wanted = declared->param[k];
        if (types_at(t, wanted)->kinds == KIND_ALL || wanted == TYPE_BOOL ||
            (kinds & types_at(t, wanted)->kinds) != 0) {
            continue;
        }
        if ((kinds & types_accepted(t, t->mode, prim, k)) == 0) {
            find(t, (TypeFinding){.prim = prim, .param = k, .type = args[k], .wanted = wanted});
        }
    }
}

/* ---- matching arguments with a signature ---- */

typedef struct TypeMatch {
    TypeId vars[26];   /* TYPE_NEVER: nothing known yet */
    uint8_t likes[26]; /* kinds of container */
} TypeMatch;

static void match(Types *t, TypeMatch *m, TypeId declared, TypeId given) {
    const Type d = *types_at(t, declared);
    switch ((TypeKind)d.kind) {
    case TYPE_VAR:
        m->vars[d.n] = types_join(t, t->mode, m->vars[d.n], given);
        break;
    case TYPE_LIKE:
        m->likes[d.n] |= types_at(t, given)->kinds & (KIND_TUPLE | KIND_SET);
        match(t, m, d.part[0], types_element(t, t->mode, given));
        break;
    case TYPE_TUPLE:
    case TYPE_SET:
    case TYPE_CONTAINER:
        if (d.part[0] != TYPE_ANY) {
            match(t, m, d.part[0], types_element(t, t->mode, given));
        }
        break;
    default:
        break;
    }
}

static TypeId substitute(Types *t, const TypeMatch *m, TypeId declared) {
    const Type d = *types_at(t, declared);
    switch ((TypeKind)d.kind) {
    case TYPE_VAR:
        return m->vars[d.n];
    case TYPE_LIKE: {
        TypeId element = substitute(t, m, d.part[0]);
        return m->likes[d.n] == KIND_TUPLE ? types_tuple(t, element)
               : m->likes[d.n] == KIND_SET ? types_set(t, element)
                                           : types_container(t, element);
    }
    case TYPE_TUPLE:
        return d.part[0] == TYPE_ANY ? declared : types_tuple(t, substitute(t, m, d.part[0]));
    case TYPE_SET:
        return d.part[0] == TYPE_ANY ? declared : types_set(t, substitute(t, m, d.part[0]));
    case TYPE_CONTAINER:
        return d.part[0] == TYPE_ANY ? declared : types_container(t, substitute(t, m, d.part[0]));
    default:
        return declared;
    }
}

/* A function argument: calling it on the types found for its parameters gives the type of its result. */
static void match_fn(Types *t, TypeMatch *m, TypeId declared, TypeId given) {
    const Type d = *types_at(t, declared);
    if (d.kind == TYPE_FN_OF) {
        TypeId args[2] = {substitute(t, m, d.part[0]), d.n > 1 ? substitute(t, m, d.part[1]) : TYPE_NEVER};
        if (args[0] == TYPE_NEVER || (d.n > 1 && args[1] == TYPE_NEVER)) {
            return; /* there is no element: it is never called */
        }
        t->doubt++;
        TypeId result = call(t, given, args, d.n);
        t->doubt--;
        match(t, m, d.part[2], result);
    } else if (d.kind == TYPE_LIKE || d.kind == TYPE_CONTAINER || d.kind == TYPE_TUPLE ||
               d.kind == TYPE_SET) {
        match_fn(t, m, d.part[0], types_element(t, t->mode, given)); /* a container of functions */
    }
}

/* Whether a value of type `given` is certainly what `wanted` asks for. A primitive may still work with
 * something else, but then its result need not have the declared type. */
static bool surely(Types *t, TypeId given, TypeId wanted) {
    const Type g = *types_at(t, given), w = *types_at(t, wanted);
    bool g_int = g.kinds == KIND_INT;
    switch ((TypeKind)w.kind) {
    case TYPE_ANY:
    case TYPE_VAR:
    case TYPE_BOOL:
    case TYPE_FN:
    case TYPE_FN_OF: /* functions are followed */
        return true;
    case TYPE_INT:
    case TYPE_COLOR:
        return g_int;
    case TYPE_NUM:
        return g_int || given == TYPE_PAIR || given == TYPE_NUM;
    case TYPE_PATCH:
        return given == TYPE_OBJECT || given == TYPE_INDICES;
    case TYPE_ELEMENT:
        return given == TYPE_GRID || given == TYPE_OBJECT;
    case TYPE_PIECE:
        return given == TYPE_GRID || given == TYPE_OBJECT || given == TYPE_INDICES;
    case TYPE_TUPLE:
    case TYPE_SET:
    case TYPE_CONTAINER:
    case TYPE_LIKE:
        return (g.kinds & ~w.kinds) == 0 && surely(t, types_element(t, t->mode, given), w.part[0]);
    default:
        return given == wanted;
    }
}

/* ---- results that a signature cannot express ---- */

static bool is_patchy(TypeId declared) {
    return declared == TYPE_PATCH || declared == TYPE_OBJECT || declared == TYPE_INDICES;
}

static bool only(const Types *t, TypeId id, unsigned kinds) {
    return (types_at(t, id)->kinds & ~kinds) == 0;
}

static TypeId tuple_of_two(Types *t, TypeId a, TypeId b) {
    if (a != TYPE_NEVER && b != TYPE_NEVER && only(t, a, KIND_INT) && only(t, b, KIND_INT)) {
        return TYPE_PAIR;
    }
    if (t->mode == MODE_CORE && a != TYPE_NEVER && only(t, a, KIND_INT) && b == TYPE_PAIR) {
        return TYPE_CELL;
    }
    return types_tuple(t, types_join(t, t->mode, a, b));
}

static TypeId refine(Types *t, uint32_t prim, const PrimType *declared, const TypeId *args, uint32_t n,
                     TypeId result) {
    switch (prim) {
    case P_astuple:
        return tuple_of_two(t, args[0], args[1]);
    case P_pair:
        return types_tuple(
            t, tuple_of_two(t, types_element(t, t->mode, args[0]), types_element(t, t->mode, args[1])));
    case P_product:
        return types_set(
            t, tuple_of_two(t, types_element(t, t->mode, args[0]), types_element(t, t->mode, args[1])));
    case P_both:
    case P_either:
        return types_join(t, t->mode, args[0], args[1]);
    case P_maximum:
    case P_minimum:
    case P_valmax:
    case P_valmax_f:
    case P_valmax_t:
    case P_valmin:
    case P_valmin_f:
    case P_valmin_t:
        return types_join(t, t->mode, result, TYPE_INT); /* 0 for an empty container */
    default:
        break;
    }
    TypeId word = declared->result;
    for (uint32_t k = 0; k < n; k++) {
        TypeId given = args[k];
        unsigned kinds = types_at(t, given)->kinds;
        if (word == TYPE_NUM && declared->param[k] == TYPE_NUM) {
            /* Numbers give a number; a pair among them gives a pair. */
            result = result == TYPE_PAIR || only(t, given, KIND_TUPLE)            ? TYPE_PAIR
                     : only(t, given, KIND_INT) && (k == 0 || result == TYPE_INT) ? TYPE_INT
                                                                                  : TYPE_NUM;
        } else if ((word == TYPE_PIECE || word == TYPE_ELEMENT || word == TYPE_PATCH) &&
                   declared->param[k] == word) {
            bool precise =
                given == TYPE_OBJECT || given == TYPE_INDICES || (given == TYPE_GRID && word != TYPE_PATCH);
            return precise ? given : kinds == KIND_TUPLE && word != TYPE_PATCH ? TYPE_TUPLE : word;
        } else if (is_patchy(word) && is_patchy(declared->param[k]) && (kinds & KIND_TUPLE) != 0) {
            /* Patches may be tuples, and then their results may be tuples too. */
            return word == TYPE_PATCH ? word : types_container(t, types_element(t, t->mode, word));
        }
    }
    return result;
}

/* ---- calls ---- */

static bool is_closure_maker(uint32_t prim, ClosureOp *op) {
    switch (prim) {
    case P_compose:
        *op = CLOSURE_COMPOSE;
        return true;
    case P_chain:
        *op = CLOSURE_CHAIN;
        return true;
    case P_matcher:
        *op = CLOSURE_MATCHER;
        return true;
    case P_rbind:
        *op = CLOSURE_RBIND;
        return true;
    case P_lbind:
        *op = CLOSURE_LBIND;
        return true;
    case P_power:
        *op = CLOSURE_POWER;
        return true;
    case P_fork:
        *op = CLOSURE_FORK;
        return true;
    default:
        return false;
    }
}

static TypeId call_prim(Types *t, uint32_t prim, const TypeId *args, uint32_t n) {
    const unsigned arity = types_prim_arity(t, prim), flags = types_prim_flags(prim);
    const PrimType *declared = types_of_prim(t, prim);
    TypeId all[4];
    if (declared == NULL) {
        return TYPE_ANY;
    }
    if (n != arity) {
        if (n + 1 != arity || !(flags & PRIM_OPTIONAL)) {
            find(t, (TypeFinding){.prim = prim, .arity = true, .given = n});
            return TYPE_NEVER;
        }
        memcpy(all, args, n * sizeof *args);
        all[n++] = TYPE_FN;
        args = all;
    }
    check_args(t, prim, declared, args, n);
    /* from here on, its result may be a default, or what a function from outside makes of its signature */
    t->vague |= (flags & PRIM_DIALECT) != 0 || prim >= PRIM_COUNT;
    ClosureOp op;
    if (prim == P_power && !only(t, args[0], KIND_FN)) {
        return TYPE_ANY; /* power(x, 1) is x, whatever that is */
    }
    if (is_closure_maker(prim, &op)) {
        TypeId parts[3] = {args[0], args[1], n > 2 ? args[2] : TYPE_ANY};
        return types_make(t, TYPE_CLOSURE, op, parts);
    }
    TypeMatch m;
    memset(m.likes, 0, sizeof m.likes);
    for (int k = 0; k < 26; k++) {
        m.vars[k] = TYPE_NEVER;
    }
    for (uint32_t k = 0; k < n; k++) {
        match(t, &m, declared->param[k], args[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        match_fn(t, &m, declared->param[k], args[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        if (declared->param[k] != TYPE_BOOL && !types_fit(t, t->mode, args[k], declared->param[k])) {
            return TYPE_ANY; /* it may work after a fashion, but then its result may be anything */
        }
        t->vague |= t->report != NULL && args[k] != TYPE_NEVER && !surely(t, args[k], declared->param[k]);
    }
    TypeId result = refine(t, prim, declared, args, n, substitute(t, &m, declared->result));
    /* Dialect functions return () or an atom where they have no answer, so their results are never
     * certain. */
    return t->mode == MODE_CORE ? result : result == TYPE_NEVER ? TYPE_ANY : result;
}

static TypeId call_closure(Types *t, const Type *f, const TypeId *args, uint32_t n) {
    TypeId x = args[0];
    switch ((ClosureOp)f->n) {
    case CLOSURE_COMPOSE:
        return call(t, f->part[0], (TypeId[]){call(t, f->part[1], &x, 1)}, 1);
    case CLOSURE_CHAIN:
        x = call(t, f->part[2], &x, 1);
        x = call(t, f->part[1], &x, 1);
        return call(t, f->part[0], &x, 1);
    case CLOSURE_MATCHER:
        call(t, f->part[0], &x, 1);
        return TYPE_BOOL;
    case CLOSURE_LBIND:
    case CLOSURE_RBIND: {
        TypeId all[9];
        uint32_t at = 0;
        if (n > 8) {
            return TYPE_ANY;
        }
        if (f->n == CLOSURE_LBIND) {
            all[at++] = f->part[1];
        }
        memcpy(all + at, args, n * sizeof *args);
        at += n;
        if (f->n == CLOSURE_RBIND) {
            all[at++] = f->part[1];
        }
        return call(t, f->part[0], all, at);
    }
    case CLOSURE_POWER: {
        TypeId once = call(t, f->part[0], &x, 1), many = types_join(t, t->mode, x, once);
        t->doubt++; /* how often is not known */
        TypeId again = types_join(t, t->mode, many, call(t, f->part[0], &many, 1));
        t->doubt--;
        return again == many ? many : TYPE_ANY;
    }
    case CLOSURE_FORK: {
        TypeId two[2] = {call(t, f->part[1], &x, 1), call(t, f->part[2], &x, 1)};
        return call(t, f->part[0], two, 2);
    }
    case CLOSURE_DEFAULT:
        return TYPE_TUPLE;
    default:
        return TYPE_ANY;
    }
}

static TypeId call(Types *t, TypeId function, const TypeId *args, uint32_t n) {
    const Type f = *types_at(t, function);
    if (++t->steps > MAX_STEPS) {
        return TYPE_ANY;
    }
    if (f.kind == TYPE_PRIM) {
        return call_prim(t, f.n, args, n);
    }
    if ((f.kinds & KIND_FN) == 0) {
        find(t, (TypeFinding){.prim = PRIM_COUNT, .type = function, .wanted = TYPE_FN});
        return TYPE_NEVER;
    }
    if (f.kind != TYPE_CLOSURE) {
        return TYPE_ANY;
    }
    unsigned arity = types_fn_arity(t, function);
    if (arity != TYPES_ANY_ARITY && arity != n) {
        find(t, (TypeFinding){.prim = PRIM_COUNT, .arity = true, .given = n, .type = function});
        return TYPE_NEVER;
    }
    bool unclear = n == 0 || (n != 1 && f.n == CLOSURE_POWER);
    return unclear ? TYPE_ANY : call_closure(t, &f, args, n);
}

TypeId types_call(Types *types, Mode mode, TypeId function, const TypeId *args, uint32_t n) {
    types->mode = mode;
    types->steps = 0;
    TypeReport report = types->report;
    types->report = NULL;
    TypeId result = call(types, function, args, n);
    types->report = report;
    return result;
}

TypeId types_call_prim(Types *types, Mode mode, uint32_t prim, const TypeId *args, uint32_t n) {
    TypeId function = types_make(types, TYPE_PRIM, prim, (TypeId[3]){0});
    return types_call(types, mode, function, args, n);
}

static TypeId op_type(Types *t, const Program *p, const Op *op, const TypeId *slots) {
    TypeId args[255], element = TYPE_NEVER;
    for (uint32_t k = 0; k < op->nargs; k++) {
        args[k] = slots[p->args[op->first + k]];
        element = types_join(t, t->mode, element, args[k]);
    }
    switch ((OpKind)op->kind) {
    case OP_PRIM:
        return call_prim(t, op->prim, args, op->nargs);
    case OP_VALUE:
        return call(t, args[0], args + 1, op->nargs - 1u);
    case OP_TUPLE:
        return op->nargs == 2 ? tuple_of_two(t, args[0], args[1]) : types_tuple(t, element);
    case OP_SET:
    default:
        return types_set(t, element);
    }
}

/* Marks for all slots, zeroed; false: no memory. */
static bool reserve_vagues(Types *t, uint32_t slots) {
    if (slots > t->vagues_room) {
        uint8_t *grown = mem_grow(t->vagues, slots, 1);
        if (grown == NULL) {
            return false;
        }
        t->vagues = grown;
        t->vagues_room = slots;
    }
    if (slots != 0) {
        memset(t->vagues, 0, slots);
    }
    return true;
}

TypeId types_of_program(Types *t, const Program *p, TypeId *slots, TypeReport report, void *user) {
    t->mode = (Mode)p->mode;
    t->report = report;
    t->user = user;
    t->doubt = 0;
    bool marks = report != NULL && reserve_vagues(t, prog_slots(p));
    for (uint32_t k = 0; k < p->nparams; k++) {
        slots[k] = p->nparams == 3 && k == 0 ? TYPE_SAMPLES : TYPE_GRID;
    }
    for (uint32_t k = 0; k < p->nconsts; k++) {
        slots[p->nparams + k] = types_of_value(t, t->mode, p->consts[k]);
    }
    for (uint32_t k = 0; k < p->nops; k++) {
        const Op *op = &p->ops[k];
        t->op = k;
        t->steps = 0;
        t->vague = !marks;
        for (uint32_t a = 0; marks && a < op->nargs; a++) {
            t->vague |= t->vagues[p->args[op->first + a]];
        }
        slots[prog_op_slot(p, k)] = op_type(t, p, op, slots);
        if (marks) {
            t->vagues[prog_op_slot(p, k)] = t->vague;
        }
    }
    t->report = NULL;
    return slots[p->result];
}

bool types_is_truth(Types *types, TypeId id) {
    for (int depth = 0; depth < 8 && id != TYPE_BOOL; depth++) {
        const Type *t = types_at(types, id);
        if (t->kind != TYPE_TUPLE && t->kind != TYPE_SET && t->kind != TYPE_CONTAINER) {
            return false;
        }
        id = t->part[0];
    }
    return id == TYPE_BOOL;
}

void types_finding_text(Out *out, Types *types, const TypeFinding *f) {
    const char *name = f->prim != PRIM_COUNT ? types_prim_name(types, f->prim) : NULL;
    if (f->arity) {
        unsigned takes = name ? types_prim_arity(types, f->prim) : types_fn_arity(types, f->type);
        out_fmt(out, "%s takes %u argument%s, not %u", name ? name : "this function", takes,
                takes == 1 ? "" : "s", f->given);
    } else if (name == NULL) {
        out_str(out, "this is called, but it is not a function: ");
        types_text(out, types, f->type);
    } else {
        const char *at = types_prim_signature(types, f->prim);
        SignatureParam param = {0};
        for (uint32_t k = 0; k <= f->param; k++) {
            signature_next(&at, &param);
        }
        out_fmt(out, "%s wants '%.*s' to be ", name, (int)param.name_length, param.name);
        types_text(out, types, open_type(types, f->wanted));
        out_str(out, ", not ");
        types_text(out, types, f->type);
    }
}
