/* Grows random typed expressions: an argument that a signature asks for is taken from the values in
 * scope or the constants, or grown as a call. */
#include "engine/language/names.h"
#include "search/evolution/memo.h"
#include "search/evolution/mutate.h"

#include <string.h>

enum { MAX_PARAMS = 4 };

typedef struct Bind {
    TypeId vars[26]; /* TYPE_NEVER: not bound yet */
    uint8_t likes[26];
} Bind;

static Mode mode_of(const Mutator *m) {
    return (Mode)m->work.mode;
}

static void bind_start(Bind *b) {
    memset(b->likes, 0, sizeof b->likes);
    for (int k = 0; k < 26; k++) {
        b->vars[k] = TYPE_NEVER;
    }
}

/* Binds the type variables of a declared type so that it matches `given`. False: it cannot. */
static bool bind(Mutator *m, Bind *b, TypeId declared, TypeId given) {
    const Type d = *types_at(m->types, declared);
    switch ((TypeKind)d.kind) {
    case TYPE_VAR:
        if (b->vars[d.n] != TYPE_NEVER && given != TYPE_ANY) {
            return sprout_fits(m, given, b->vars[d.n]) || sprout_fits(m, b->vars[d.n], given);
        }
        b->vars[d.n] = given;
        return true;
    case TYPE_LIKE:
    case TYPE_TUPLE:
    case TYPE_SET:
    case TYPE_CONTAINER: {
        unsigned kinds = types_at(m->types, given)->kinds & types_at(m->types, declared)->kinds;
        if ((kinds & (KIND_TUPLE | KIND_SET)) == 0) {
            return false;
        }
        if (d.kind == TYPE_LIKE) {
            b->likes[d.n] = (uint8_t)(kinds & (KIND_TUPLE | KIND_SET));
        } else if (d.part[0] == TYPE_ANY) {
            return true;
        }
        return bind(m, b, d.part[0], types_element(m->types, mode_of(m), given));
    }
    default:
        return sprout_fits(m, given, declared);
    }
}

static TypeId substitute(Mutator *m, const Bind *b, TypeId declared) {
    const Type d = *types_at(m->types, declared);
    switch ((TypeKind)d.kind) {
    case TYPE_VAR:
        return b->vars[d.n] == TYPE_NEVER ? TYPE_ANY : b->vars[d.n];
    case TYPE_LIKE: {
        TypeId element = substitute(m, b, d.part[0]);
        return b->likes[d.n] == KIND_TUPLE ? types_tuple(m->types, element)
               : b->likes[d.n] == KIND_SET ? types_set(m->types, element)
                                           : types_container(m->types, element);
    }
    case TYPE_TUPLE:
        return d.part[0] == TYPE_ANY ? declared : types_tuple(m->types, substitute(m, b, d.part[0]));
    case TYPE_SET:
        return d.part[0] == TYPE_ANY ? declared : types_set(m->types, substitute(m, b, d.part[0]));
    case TYPE_CONTAINER:
        return d.part[0] == TYPE_ANY ? declared : types_container(m->types, substitute(m, b, d.part[0]));
    case TYPE_FN_OF: {
        TypeId parts[3] = {substitute(m, b, d.part[0]), d.n > 1 ? substitute(m, b, d.part[1]) : TYPE_ANY,
                           substitute(m, b, d.part[2])};
        return types_make(m->types, TYPE_FN_OF, d.n, parts);
    }
    default:
        return declared;
    }
}

bool sprout_fits(Mutator *m, TypeId given, TypeId wanted) {
    if (given == wanted) {
        return given != TYPE_NEVER;
    }
    if (wanted == TYPE_COLOR || wanted == TYPE_BOOL) {
        return false;
    }
    if (wanted == TYPE_INT) {
        return given == TYPE_INT || given == TYPE_COLOR || given == TYPE_NUM;
    }
    if (given == TYPE_ANY || given == TYPE_NEVER) {
        return wanted == TYPE_ANY;
    }
    return types_fit(m->types, mode_of(m), given, wanted);
}

bool sprout_is_fn(const Mutator *m, TypeId type) {
    return types_at(m->types, type)->kinds == KIND_FN;
}

TypeId sprout_type(Mutator *m, Ref ref) {
    switch (REF_KIND(ref)) {
    case REF_PARAM:
        return m->work.nparams == 3 && REF_INDEX(ref) == PARAM_S ? TYPE_SAMPLES : TYPE_GRID;
    case REF_CONST:
        return types_of_value(m->types, mode_of(m), m->work.consts[REF_INDEX(ref)]);
    default:
        return m->op_types[REF_INDEX(ref)];
    }
}

static TypeId remembered(Mutator *m, uint32_t function, const TypeId *args, uint32_t n) {
    bool prim = (function & MEMO_PRIM) != 0, known;
    MemoKey key = {function | n << 20 | MEMO_USED | (mode_of(m) == MODE_BATT ? MEMO_BATT : 0), {0}};
    uint32_t id = function & ~MEMO_PRIM;
    memcpy(key.args, args, (n < MEMO_ARGS ? n : MEMO_ARGS) * sizeof *args);
    MemoEntry *entry = memo_place(m->memo, key);
    known = n <= MEMO_ARGS && memo_knows(entry, &key);
    if (known) {
        return entry->type;
    }
    TypeId type = prim ? types_call_prim(m->types, mode_of(m), id, args, n)
                       : types_call(m->types, mode_of(m), id, args, n);
    if (n <= MEMO_ARGS) {
        *entry = (MemoEntry){key, type};
    }
    return type;
}

TypeId sprout_call_type(Mutator *m, uint32_t prim, const TypeId *args, uint32_t n) {
    return remembered(m, MEMO_PRIM | prim, args, n);
}

/* The type of a call of a function of this type; cached. */
static TypeId sprout_apply_type(Mutator *m, TypeId function, const TypeId *args, uint32_t n) {
    return remembered(m, function, args, n);
}

static Ref append(Mutator *m, uint32_t prim, const Ref *args, const TypeId *types, uint32_t n) {
    TypeId type = sprout_call_type(m, prim, types, n);
    Ref ref = type == TYPE_NEVER ? REF_NONE : draft_op(&m->work, OP_PRIM, prim, args, n);
    if (ref != REF_NONE) {
        m->op_types[REF_INDEX(ref)] = type;
    }
    return ref;
}

/* ---- constants ---- */

static Val draw_constant(Mutator *m, ConstantId first, ConstantId last) {
    return lang_constants[(uint32_t)first + rng_below(&m->rng, (uint32_t)last - (uint32_t)first + 1)].value;
}

static Val draw_color(Mutator *m) {
    const Palettes *c = &m->colors;
    uint32_t dice = rng_below(&m->rng, 100);
    unsigned among = dice < 40 && c->gained ? c->gained
                     : dice < 48 && c->lost ? c->lost
                     : dice < 68 && c->out  ? c->out
                     : dice < 92 && c->in   ? c->in
                                            : 0x3ff;
    uint32_t k = rng_below(&m->rng, (uint32_t)__builtin_popcount(among));
    while (k-- > 0) {
        among &= among - 1;
    }
    return val_int(__builtin_ctz(among));
}

Ref sprout_const(Mutator *m, TypeId wanted) {
    switch (wanted) {
    case TYPE_BOOL:
        return draft_const(&m->work, val_int(rng_below(&m->rng, 2)));
    case TYPE_COLOR:
        return draft_const(&m->work, draw_color(m));
    case TYPE_INT:
    case TYPE_NUM: {
        static const int8_t small[] = {1, 2, 3, 0, 2, 1, 3, 4, 5, -1, 6, 7, 8, 9, 10, -2};
        uint32_t dice = rng_below(&m->rng, 100);
        uint32_t width = dice < 60 ? 4 : dice < 90 ? 8 : 16;
        return draft_const(&m->work, val_int(small[rng_below(&m->rng, width)]));
    }
    case TYPE_PAIR:
        return draft_const(&m->work, draw_constant(m, CONSTANT_DOWN, CONSTANT_THREE_BY_THREE));
    default:
        return REF_NONE;
    }
}

/* ---- values in scope ---- */

static uint32_t readable_params(const Mutator *m) {
    return m->work.nparams != 3 ? 1 : m->differs ? 3 : 2; /* programs that predict must not read C */
}

uint32_t sprout_values(const Mutator *m) {
    return readable_params(m) + m->work.nops;
}

Ref sprout_value(const Mutator *m, uint32_t index) {
    uint32_t params = readable_params(m);
    return index >= params ? REF_OP | (index - params)
                           : REF_PARAM | (params == 1 ? (uint32_t)PARAM_I : index);
}

static Ref find_value(Mutator *m, TypeId wanted) {
    uint32_t n = sprout_values(m), start = rng_below(&m->rng, n);
    for (uint32_t k = 0; k < n; k++) {
        Ref ref = sprout_value(m, (start + k) % n);
        if (sprout_fits(m, sprout_type(m, ref), wanted)) {
            return ref;
        }
    }
    return REF_NONE;
}

/* ---- functions ---- */

typedef struct FnWanted {
    uint32_t n;
    TypeId in[2], out;
} FnWanted;

static FnWanted fn_wanted(const Mutator *m, TypeId wanted) {
    const Type *t = types_at(m->types, wanted);
    if (t->kind != TYPE_FN_OF) {
        return (FnWanted){1, {TYPE_ANY, TYPE_ANY}, TYPE_ANY};
    }
    return (FnWanted){t->n, {t->part[0], t->part[1]}, t->part[2]};
}

static bool fn_serves(Mutator *m, TypeId function, const FnWanted *w) {
    TypeId result = sprout_apply_type(m, function, w->in, w->n);
    return result != TYPE_NEVER && (w->out == TYPE_ANY || sprout_fits(m, result, w->out));
}

static TypeId prim_type(Mutator *m, uint32_t prim) {
    return types_make(m->types, TYPE_PRIM, prim, (TypeId[3]){0});
}

/* ---- drawing primitives ---- */

typedef enum Question { GIVING, AROUND, TAKING, SERVING } Question;

static bool gives(Mutator *m, const PrimType *t, TypeId wanted) {
    Bind b;
    bind_start(&b);
    return bind(m, &b, t->result, wanted);
}

static bool takes(Mutator *m, const PrimType *t, uint32_t k, TypeId type) {
    Bind b;
    bind_start(&b);
    return type == TYPE_ANY || bind(m, &b, t->param[k], type);
}

static bool goes_around(Mutator *m, const PrimType *t, TypeId wanted, TypeId type) {
    Bind b;
    bind_start(&b);
    if (!bind(m, &b, t->result, wanted)) {
        return false;
    }
    for (uint32_t k = 0; k < t->arity; k++) {
        Bind attempt = b;
        if (!sprout_is_fn(m, t->param[k]) && bind(m, &attempt, t->param[k], type)) {
            return true;
        }
    }
    return false;
}

static bool will_do(Mutator *m, const ChoiceKey *key, uint32_t prim) {
    const PrimType *t = types_of_prim(m->types, prim);
    const uint32_t *p = key->word;
    uint32_t arity = p[0] >> 16;
    if (t == NULL || t->arity > MAX_PARAMS || (arity > 0 && t->arity != arity)) {
        return false;
    }
    switch ((Question)(p[0] & 0xff)) {
    case GIVING:
        return gives(m, t, p[1]);
    case AROUND:
        return goes_around(m, t, p[1], p[2]);
    case TAKING:
        return takes(m, t, 0, p[1]);
    case SERVING:
    default:
        return takes(m, t, 0, p[1]) && (arity < 2 || takes(m, t, 1, p[2])) &&
               fn_serves(m, prim_type(m, prim), &(FnWanted){arity, {p[1], p[2]}, p[3]});
    }
}

/* Draws by weight, among primitives with this many parameters (0: any number). */
static uint32_t draw(Mutator *m, Question question, uint32_t arity, TypeId a, TypeId b, TypeId c) {
    const Vocab *vocab = &m->vocab[m->work.mode];
    const ChoiceKey key = {{question | (uint32_t)m->work.mode << 8 | arity << 16, a, b, c}};
    const ChoiceList *list = choices_find(&m->choices, &key);
    if (list == NULL) {
        choices_begin(&m->choices);
        for (uint32_t prim = 0; prim < PRIM_COUNT; prim++) {
            if (vocab->weights[prim] > 0 && will_do(m, &key, prim)) {
                choices_add(&m->choices, prim, vocab->weights[prim]);
            }
        }
        list = choices_end(&m->choices, &key);
    }
    return choices_draw(&m->choices, list, &m->rng);
}

uint32_t sprout_draw_giving(Mutator *m, TypeId wanted) {
    return draw(m, GIVING, 0, wanted, 0, 0);
}

uint32_t sprout_draw_around(Mutator *m, TypeId wanted, TypeId type) {
    return draw(m, AROUND, 0, wanted, type, 0);
}

static uint32_t draw_taking(Mutator *m, TypeId in) {
    return draw(m, TAKING, 2, in, 0, 0);
}

static uint32_t draw_fn(Mutator *m, const FnWanted *w) {
    return draw(m, SERVING, w->n, w->in[0], w->n > 1 ? w->in[1] : TYPE_ANY, w->out);
}

static Ref fn_prim(Mutator *m, const FnWanted *w) {
    uint32_t prim = draw_fn(m, w);
    return prim < PRIM_COUNT ? draft_const(&m->work, val_prim(prim)) : REF_NONE;
}

static Ref closure(Mutator *m, uint32_t maker, const Ref *args, uint32_t n, const FnWanted *w) {
    TypeId types[3];
    for (uint32_t k = 0; k < n; k++) {
        if (args[k] == REF_NONE) {
            return REF_NONE;
        }
        types[k] = sprout_type(m, args[k]);
    }
    Ref ref = append(m, maker, args, types, n);
    return ref != REF_NONE && fn_serves(m, sprout_type(m, ref), w) ? ref : REF_NONE;
}

static Ref fn_bound(Mutator *m, const FnWanted *w, int depth) {
    uint32_t prim = draw_taking(m, w->in[0]);
    const PrimType *t = prim < PRIM_COUNT ? types_of_prim(m->types, prim) : NULL;
    if (t == NULL) {
        return REF_NONE;
    }
    Bind b;
    bind_start(&b);
    bind(m, &b, t->param[0], w->in[0]);
    Ref args[2] = {draft_const(&m->work, val_prim(prim)),
                   sprout(m, substitute(m, &b, t->param[1]), depth - 1)};
    return closure(m, P_rbind, args, 2, w);
}

static Ref fn_composed(Mutator *m, const FnWanted *w) {
    FnWanted inner = {1, {w->in[0], TYPE_ANY}, TYPE_ANY};
    Ref g = fn_prim(m, &inner);
    if (g == REF_NONE) {
        return REF_NONE;
    }
    FnWanted outer = {1, {sprout_apply_type(m, sprout_type(m, g), w->in, 1), TYPE_ANY}, w->out};
    return closure(m, P_compose, (Ref[]){fn_prim(m, &outer), g}, 2, w);
}

static Ref fn_forked(Mutator *m, const FnWanted *w) {
    uint32_t prim = vocab_draw_arity(&m->vocab[m->work.mode], &m->rng, 2);
    const PrimType *t = prim < PRIM_COUNT ? types_of_prim(m->types, prim) : NULL;
    Bind b;
    bind_start(&b);
    if (t == NULL || (w->out != TYPE_ANY && !bind(m, &b, t->result, w->out))) {
        return REF_NONE;
    }
    Ref parts[3] = {draft_const(&m->work, val_prim(prim))};
    for (int k = 0; k < 2; k++) {
        FnWanted part = {1, {w->in[0], TYPE_ANY}, substitute(m, &b, t->param[k])};
        parts[k + 1] = sprout_is_fn(m, part.out) ? REF_NONE : fn_prim(m, &part);
    }
    return closure(m, P_fork, parts, 3, w);
}

static Ref fn_matcher(Mutator *m, const FnWanted *w) {
    FnWanted inner = {1, {w->in[0], TYPE_ANY}, TYPE_ANY};
    Ref f = fn_prim(m, &inner);
    if (f == REF_NONE) {
        return REF_NONE;
    }
    TypeId result = sprout_apply_type(m, sprout_type(m, f), w->in, 1);
    return closure(m, P_matcher, (Ref[]){f, sprout(m, result, 0)}, 2, w);
}

static Ref sprout_fn(Mutator *m, TypeId wanted, int depth) {
    FnWanted w = fn_wanted(m, wanted);
    if (w.n != 1 || depth <= 0) {
        return w.n <= 2 ? fn_prim(m, &w) : REF_NONE;
    }
    uint32_t dice = rng_below(&m->rng, 100);
    if (w.out == TYPE_BOOL && dice < 25) {
        return fn_matcher(m, &w);
    }
    return dice < 60   ? fn_prim(m, &w)
           : dice < 80 ? fn_bound(m, &w, depth)
           : dice < 92 ? fn_composed(m, &w)
                       : fn_forked(m, &w);
}

/* ---- calls ---- */

/* Which parameter takes the given value: the first that fits, from a random one on; -1: none does. */
static int place_given(Mutator *m, Bind *b, const PrimType *t, TypeId type) {
    uint32_t start = rng_below(&m->rng, t->arity);
    for (uint32_t k = 0; k < t->arity; k++) {
        uint32_t at = (start + k) % t->arity;
        Bind attempt = *b;
        if (!sprout_is_fn(m, t->param[at]) && bind(m, &attempt, t->param[at], type)) {
            *b = attempt;
            return (int)at;
        }
    }
    return -1;
}

/* Calls of `objects` mostly ask for objects of one color, without the background. */
static Ref sprout_argument(Mutator *m, uint32_t prim, uint32_t k, TypeId wanted, int depth) {
    if (prim == P_objects && k > 0) {
        static const uint8_t percent[] = {0, 65, 40, 85};
        return draft_const(&m->work, val_int(rng_percent(&m->rng, percent[k])));
    }
    return sprout(m, wanted, depth);
}

Ref sprout_call(Mutator *m, uint32_t prim, TypeId wanted, Ref given, TypeId type, int depth) {
    const PrimType *t = types_of_prim(m->types, prim);
    Bind b;
    bind_start(&b);
    if (t == NULL || t->arity > MAX_PARAMS || !bind(m, &b, t->result, wanted)) {
        return REF_NONE;
    }
    Ref args[MAX_PARAMS] = {REF_NONE, REF_NONE, REF_NONE, REF_NONE};
    TypeId types[MAX_PARAMS];
    int place = given == REF_NONE ? -1 : place_given(m, &b, t, type);
    if (given != REF_NONE && place < 0) {
        return REF_NONE;
    }
    /* functions last: the other arguments determine what they work on */
    for (int functions = 0; functions < 2; functions++) {
        for (uint32_t k = 0; k < t->arity; k++) {
            if (sprout_is_fn(m, t->param[k]) != (functions == 1)) {
                continue;
            }
            if (--m->effort < 0) {
                return REF_NONE;
            }
            TypeId param = substitute(m, &b, t->param[k]);
            args[k] = (int)k == place ? given : sprout_argument(m, prim, k, param, depth - 1);
            if (args[k] == REF_NONE) {
                return REF_NONE;
            }
            types[k] = sprout_type(m, args[k]);
            if (functions == 0 && types[k] != TYPE_ANY) {
                bind(m, &b, t->param[k], types[k]);
            }
        }
    }
    Ref ref = append(m, prim, args, types, t->arity);
    return ref != REF_NONE &&
                   (wanted == TYPE_ANY || types_fit(m->types, mode_of(m), sprout_type(m, ref), wanted))
               ? ref
               : REF_NONE;
}

Ref sprout(Mutator *m, TypeId wanted, int depth) {
    if (sprout_is_fn(m, wanted)) {
        return sprout_fn(m, wanted, depth);
    }
    if (wanted == TYPE_ANY) {
        wanted = rng_percent(&m->rng, 40)   ? TYPE_OBJECTS
                 : rng_percent(&m->rng, 40) ? TYPE_INDICES
                                            : TYPE_GRID;
    }
    uint32_t dice = rng_below(&m->rng, 100);
    if (wanted == TYPE_BOOL || (wanted == TYPE_COLOR && (depth <= 0 || dice < 70)) ||
        ((wanted == TYPE_INT || wanted == TYPE_NUM) && (depth <= 0 || dice < 60)) ||
        (wanted == TYPE_PAIR && (depth <= 0 || dice < 40))) {
        return sprout_const(m, wanted);
    }
    if (depth <= 0 || rng_percent(&m->rng, wanted == TYPE_GRID ? 75 : 35)) {
        Ref found = find_value(m, wanted);
        if (found != REF_NONE || depth < 0) {
            return found;
        }
    }
    uint32_t prim = sprout_draw_giving(m, wanted);
    return prim < PRIM_COUNT ? sprout_call(m, prim, wanted, REF_NONE, TYPE_ANY, depth) : REF_NONE;
}

TypeId sprout_wanted(Mutator *m, const DraftOp *op, uint32_t k) {
    const PrimType *t = op->kind == OP_PRIM ? types_of_prim(m->types, op->prim) : NULL;
    TypeId now = sprout_type(m, op->args[k]);
    if (t == NULL || k >= t->arity) {
        return now;
    }
    Bind b;
    bind_start(&b);
    for (uint32_t a = 0; a < t->arity && a < op->nargs; a++) {
        if (a != k && !sprout_is_fn(m, t->param[a])) {
            bind(m, &b, t->param[a], sprout_type(m, op->args[a]));
        }
    }
    TypeId wanted = substitute(m, &b, t->param[k]);
    return wanted == TYPE_ANY ? now : wanted;
}
