/* Terms: interning, joining, fitting, reading and writing; see types.h. */
#include "engine/language/types.h"

#include "base/alloc.h"
#include "base/mix.h"
#include "engine/language/infer.h"
#include "engine/language/signature.h"
#include "engine/language/types_internal.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t kinds;
} words[TYPE_CONTAINER + 1] = {
    [TYPE_ANY] = {"any", KIND_ALL},
    [TYPE_NEVER] = {"nothing", KIND_ALL}, /* no value, so everything holds for it */
    [TYPE_INT] = {"int", KIND_INT},
    [TYPE_BOOL] = {"bool", KIND_INT},
    [TYPE_COLOR] = {"color", KIND_INT},
    [TYPE_NUM] = {"num", KIND_INT | KIND_TUPLE},
    [TYPE_PAIR] = {"pair", KIND_TUPLE},
    [TYPE_CELL] = {"cell", KIND_TUPLE},
    [TYPE_GRID] = {"grid", KIND_TUPLE},
    [TYPE_OBJECT] = {"object", KIND_SET},
    [TYPE_INDICES] = {"indices", KIND_SET},
    [TYPE_PATCH] = {"patch", KIND_SET | KIND_TUPLE},
    [TYPE_OBJECTS] = {"objects", KIND_SET},
    [TYPE_ELEMENT] = {"element", KIND_SET | KIND_TUPLE},
    [TYPE_PIECE] = {"piece", KIND_SET | KIND_TUPLE},
    [TYPE_SAMPLES] = {"samples", KIND_TUPLE},
    [TYPE_ATOM] = {"none", KIND_ATOM},
    [TYPE_FN] = {"fn", KIND_FN},
    [TYPE_TUPLE] = {"tuple", KIND_TUPLE},
    [TYPE_SET] = {"set", KIND_SET},
    [TYPE_CONTAINER] = {"container", KIND_TUPLE | KIND_SET},
};

enum { MAX_TERMS = 1 << 15, MAX_DEPTH = 12 };

const Type *types_at(const Types *types, TypeId id) {
    ASSERT(id < types->count, "type %u of %u", id, types->count);
    return &types->terms[id];
}

static uint64_t term_hash(TypeKind kind, unsigned n, const TypeId part[3]) {
    uint64_t hash = (uint64_t)kind << 16 | n;
    for (int k = 0; k < 3; k++) {
        hash = mix64(hash, part[k]);
    }
    return hash;
}

static uint8_t term_kinds(const Types *types, TypeKind kind) {
    (void)types;
    switch (kind) {
    case TYPE_FN_OF:
    case TYPE_PRIM:
    case TYPE_CLOSURE:
        return KIND_FN;
    case TYPE_VAR:
        return KIND_ALL;
    case TYPE_LIKE:
        return KIND_TUPLE | KIND_SET;
    default:
        return words[kind].kinds;
    }
}

static TypeId coarse(TypeKind kind) { /* used when the table is full or the term too deep */
    return kind >= TYPE_FN_OF && kind <= TYPE_CLOSURE ? TYPE_FN
           : kind <= TYPE_CONTAINER                   ? (TypeId)kind
                                                      : TYPE_ANY;
}

static bool reserve(Types *types) { /* room for one more term */
    return MEM_ROOM(types->terms, types->count, types->room, 1024) && map_reserve(&types->map, 1, 2048);
}

TypeId types_make(Types *types, TypeKind kind, unsigned n, const TypeId part[3]) {
    ASSERT(types->count <= types->room && types->count <= MAX_TERMS, "%u terms, room for %u", types->count,
           types->room);
    ASSERT(n <= UINT16_MAX, "n %u", n);
    for (int k = 0; CHECKED && k < 3; k++) {
        ASSERT(part[k] < types->room, "part %d is type %u of %u", k, part[k], types->count);
    }
    uint64_t hash = term_hash(kind, n, part);
    for (uint32_t at = map_start(&types->map, hash), id;
         (id = map_next(&types->map, hash, &at)) != MAP_NONE;) {
        const Type *t = &types->terms[id];
        if (t->kind == kind && t->n == n && memcmp(t->part, part, sizeof t->part) == 0) {
            return id;
        }
    }
    unsigned depth = 0;
    for (int k = 0; k < 3; k++) {
        unsigned inner = types->terms[part[k]].depth;
        depth = inner > depth ? inner : depth;
    }
    bool closure = kind == TYPE_CLOSURE; /* good programs nest closures deeply, too */
    if (depth >= (closure ? 10 * MAX_DEPTH : MAX_DEPTH) || types->count == MAX_TERMS || !reserve(types)) {
        return coarse(kind);
    }
    types->terms[types->count] = (Type){(uint8_t)kind,
                                        term_kinds(types, kind),
                                        (uint8_t)(depth + 1),
                                        (uint16_t)n,
                                        {part[0], part[1], part[2]}};
    map_add(&types->map, hash, types->count);
    return types->count++;
}

static const TypeId no_parts[3];

static void add_words(Types *types) {
    for (TypeKind kind = 0; kind <= TYPE_CONTAINER; kind++) { /* in this order: their ids are their kinds */
        types->terms[kind] = (Type){.kind = (uint8_t)kind, .kinds = words[kind].kinds};
        types->count = kind; /* types_make appends there */
        types_make(types, kind, 0, no_parts);
        types->terms[kind].depth = 0;
    }
    ASSERT(types->count == TYPE_CONTAINER + 1, "%u words, %d kinds of them", types->count,
           TYPE_CONTAINER + 1);
    types->row = types_tuple(types, TYPE_INT);
}

Types *types_open(void) {
    Types *types = mem_zalloc(1, sizeof *types);
    if (types == NULL || !reserve(types)) {
        types_close(types);
        return NULL;
    }
    add_words(types);
    return types;
}

bool types_tidy(Types *types) {
    bool full = types->count > MAX_TERMS / 2;
    if (full) {
        map_clear(&types->map);
        memset(types->prims, 0, sizeof types->prims);
        types->own_count = 0;
        add_words(types);
    }
    return full;
}

void types_close(Types *types) {
    if (types != NULL) {
        if (types->probing) {
            prim_close(&types->ctx);
        }
        mem_free(types->terms);
        mem_free(types->own);
        map_free(&types->map);
        mem_free(types->vagues);
        mem_free(types);
    }
}

/* ---- containers ---- */

TypeId types_tuple(Types *types, TypeId element) {
    return element == TYPE_ANY ? TYPE_TUPLE : types_make(types, TYPE_TUPLE, 0, (TypeId[3]){element});
}

TypeId types_set(Types *types, TypeId element) {
    switch (element) {
    case TYPE_ANY:
        return TYPE_SET;
    case TYPE_CELL:
        return TYPE_OBJECT;
    case TYPE_PAIR:
        return TYPE_INDICES;
    case TYPE_OBJECT:
        return TYPE_OBJECTS;
    default:
        return types_make(types, TYPE_SET, 0, (TypeId[3]){element});
    }
}

TypeId types_container(Types *types, TypeId element) {
    return element == TYPE_ANY ? TYPE_CONTAINER : types_make(types, TYPE_CONTAINER, 0, (TypeId[3]){element});
}

static TypeId row_type(const Types *types) {
    return types->row;
}

TypeId types_element(Types *types, Mode mode, TypeId container) {
    const Type *t = types_at(types, container);
    switch ((TypeKind)t->kind) {
    case TYPE_NEVER:
        return TYPE_NEVER;
    case TYPE_NUM:
    case TYPE_PAIR:
        return TYPE_INT;
    case TYPE_CELL:
        return mode == MODE_CORE ? TYPE_NUM : TYPE_INT;
    case TYPE_GRID:
        return row_type(types);
    case TYPE_OBJECT:
        return TYPE_CELL;
    case TYPE_INDICES:
        return TYPE_PAIR;
    case TYPE_PATCH:
    case TYPE_ELEMENT:
    case TYPE_PIECE:
        return TYPE_TUPLE;
    case TYPE_OBJECTS:
        return TYPE_OBJECT;
    case TYPE_SAMPLES:
        return types_tuple(types, TYPE_GRID);
    case TYPE_TUPLE:
    case TYPE_SET:
    case TYPE_CONTAINER:
    case TYPE_LIKE:
        return t->part[0]; /* TYPE_ANY if not stated */
    default:
        return TYPE_ANY;
    }
}

static bool is_int(TypeId id) {
    return id == TYPE_INT || id == TYPE_BOOL || id == TYPE_COLOR;
}

TypeId types_join(Types *types, Mode mode, TypeId a, TypeId b) {
    if (a == b || b == TYPE_NEVER) {
        return a;
    }
    if (a == TYPE_NEVER) {
        return b;
    }
    if (is_int(a) && is_int(b)) {
        return TYPE_INT;
    }
    if ((is_int(a) || a == TYPE_PAIR || a == TYPE_NUM) && (is_int(b) || b == TYPE_PAIR || b == TYPE_NUM)) {
        return TYPE_NUM;
    }
    unsigned kinds = types_at(types, a)->kinds | types_at(types, b)->kinds;
    if (kinds == KIND_FN) {
        return TYPE_FN;
    }
    if ((kinds & ~(unsigned)(KIND_TUPLE | KIND_SET)) != 0) {
        return TYPE_ANY;
    }
    TypeId element = types_join(types, mode, types_element(types, mode, a), types_element(types, mode, b));
    return kinds == KIND_TUPLE ? types_tuple(types, element)
           : kinds == KIND_SET ? types_set(types, element)
                               : types_container(types, element);
}

static TypeId type_of_own(Types *types, const OwnPrim *prim) {
    uint32_t k = 0;
    while (k < types->own_count && types->own[k].prim != prim) {
        k++;
    }
    if (k == types->own_count) {
        if (k == OWN_MAX || !MEM_ROOM(types->own, types->own_count, types->own_room, 16)) {
            return TYPE_FN; /* which is true as well */
        }
        types->own[types->own_count++] = (OwnType){.prim = prim};
    }
    return types_make(types, TYPE_PRIM, TYPE_OWN + k, no_parts);
}

TypeId types_of_value(Types *types, Mode mode, Val v) {
    enum { LOOKED_AT = 256 };
    switch (v.kind) {
    case VAL_INT:
        return TYPE_INT;
    case VAL_ATOM:
        return TYPE_ATOM;
    case VAL_PRIM:
        return types_make(types, TYPE_PRIM, v.n, no_parts);
    case VAL_CLOSURE: {
        if (v.f->op == CLOSURE_HOST) { /* its parts are addresses */
            const OwnPrim *own = own_of(v);
            return own != NULL ? type_of_own(types, own) : TYPE_FN;
        }
        TypeId parts[3];
        for (int k = 0; k < 3; k++) {
            parts[k] = types_of_value(types, mode, v.f->part[k]);
        }
        return types_make(types, TYPE_CLOSURE, v.f->op, parts);
    }
    case VAL_PAIR:
        return TYPE_PAIR;
    case VAL_CELL:
        return mode == MODE_CORE ? TYPE_CELL : types_tuple(types, TYPE_NUM);
    case VAL_TRIPLE:
        return mode == MODE_BATT ? TYPE_CELL : row_type(types);
    case VAL_ROW8:
    case VAL_ROW64:
        return row_type(types);
    case VAL_GRID8:
    case VAL_GRID64:
        return TYPE_GRID;
    case VAL_INDICES:
        return TYPE_INDICES;
    case VAL_FAIL:
        return TYPE_NEVER;
    default:
        break;
    }
    TypeId element = TYPE_NEVER;
    uint32_t n = val_len(v);
    for (uint32_t k = 0; k < n && element != TYPE_ANY; k++) {
        element = k < LOOKED_AT ? types_join(types, mode, element, types_of_value(types, mode, val_at(v, k)))
                                : TYPE_ANY;
    }
    return val_is_tuple(v) ? types_tuple(types, element) : types_set(types, element);
}

/* ---- fitting ---- */

static bool fit_container(Types *types, Mode mode, TypeId given, TypeId wanted) {
    TypeId inside = types_element(types, mode, given);
    switch (wanted) {
    case TYPE_GRID:
        return given != TYPE_PAIR && given != TYPE_CELL && types_fit(types, mode, inside, row_type(types));
    case TYPE_ELEMENT:
        return types_fit(types, mode, given, TYPE_GRID) || types_fit(types, mode, given, TYPE_OBJECT);
    case TYPE_PIECE:
        return types_fit(types, mode, given, TYPE_GRID) || types_fit(types, mode, given, TYPE_PATCH);
    case TYPE_PATCH:
        return types_fit(types, mode, inside, TYPE_PAIR) || types_fit(types, mode, inside, TYPE_CELL);
    case TYPE_PAIR:
        return given != TYPE_CELL && types_fit(types, mode, inside, TYPE_INT);
    case TYPE_CELL:
        return given != TYPE_PAIR && given != TYPE_GRID && types_fit(types, mode, inside, TYPE_NUM);
    default:
        return types_fit(types, mode, inside, types_element(types, mode, wanted));
    }
}

bool types_fit(Types *types, Mode mode, TypeId given, TypeId wanted) {
    const Type *g = types_at(types, given), *w = types_at(types, wanted);
    unsigned kinds = w->kinds;
    if (wanted == TYPE_OBJECT || wanted == TYPE_INDICES || wanted == TYPE_OBJECTS) {
        kinds |= KIND_TUPLE; /* tuples of cells do as well */
    }
    if (given == wanted || given == TYPE_ANY || given == TYPE_NEVER || wanted == TYPE_ANY ||
        w->kind == TYPE_VAR) {
        return true;
    }
    if ((g->kinds & kinds) == 0) {
        return false;
    }
    if (w->kind == TYPE_FN_OF && given != TYPE_FN) {
        unsigned arity = types_fn_arity(types, given);
        return arity == w->n || arity == TYPES_ANY_ARITY;
    }
    if (is_int(wanted) || is_int(given) || wanted == TYPE_NUM || (kinds & (KIND_TUPLE | KIND_SET)) == 0) {
        return wanted != TYPE_NUM || is_int(given) || given == TYPE_NUM ||
               fit_container(types, mode, given, TYPE_PAIR);
    }
    return fit_container(types, mode, given, wanted);
}

/* ---- text ---- */

static TypeId word_type(const char *text, size_t length) {
    for (TypeKind kind = 0; kind <= TYPE_CONTAINER; kind++) {
        if (kind != TYPE_NEVER && kind != TYPE_ATOM && strlen(words[kind].name) == length &&
            memcmp(words[kind].name, text, length) == 0) {
            return (TypeId)kind;
        }
    }
    return TYPE_NEVER;
}

typedef struct TypeReader {
    Types *types;
    const char *at, *end;
    const char *wrong;
} TypeReader;

static TypeId read_type(TypeReader *r, unsigned depth);

static void blanks(TypeReader *r) {
    while (r->at < r->end && *r->at == ' ') {
        r->at++;
    }
}

static bool take(TypeReader *r, char c) {
    blanks(r);
    if (r->at < r->end && *r->at == c) {
        r->at++;
        return true;
    }
    return false;
}

static TypeId wrong(TypeReader *r, const char *why) {
    r->wrong = r->wrong ? r->wrong : why;
    r->at = r->end;
    return TYPE_ANY;
}

/* (T, ..) -> T */
static TypeId read_fn(TypeReader *r, unsigned depth) {
    TypeId part[3] = {0};
    unsigned n = 0;
    do {
        if (n == 2) {
            return wrong(r, "a function has at most two parameters here");
        }
        part[n++] = read_type(r, depth + 1);
    } while (take(r, ','));
    if (!take(r, ')') || !take(r, '-') || !take(r, '>')) {
        return wrong(r, "fn(T, ..)->T was expected");
    }
    part[2] = read_type(r, depth + 1);
    return types_make(r->types, TYPE_FN_OF, n, part);
}

static TypeId read_type(TypeReader *r, unsigned depth) {
    blanks(r);
    const char *word = r->at;
    while (r->at < r->end && isalpha((unsigned char)*r->at)) {
        r->at++;
    }
    size_t length = (size_t)(r->at - word);
    if (length == 0 || depth > MAX_DEPTH) {
        return wrong(r, "a type was expected");
    }
    bool opened = take(r, '(');
    if (length == 1 && !opened && islower((unsigned char)*word)) {
        return types_make(r->types, TYPE_VAR, (unsigned)(*word - 'a'), no_parts);
    }
    TypeId base = word_type(word, length);
    bool like = length == 1 && isupper((unsigned char)*word);
    if (!like && base == TYPE_NEVER) {
        return wrong(r, "unknown type");
    }
    if (!opened) {
        return like ? wrong(r, "C(T) was expected") : base;
    }
    if (base == TYPE_FN) {
        return read_fn(r, depth);
    }
    TypeId inner = read_type(r, depth + 1);
    if (!take(r, ')')) {
        return wrong(r, "')' was expected");
    }
    switch (base) {
    case TYPE_TUPLE:
        return types_tuple(r->types, inner);
    case TYPE_SET:
        return types_set(r->types, inner);
    case TYPE_CONTAINER:
        return types_container(r->types, inner);
    default:
        return like ? types_make(r->types, TYPE_LIKE, (unsigned)(*word - 'A'), (TypeId[3]){inner})
                    : wrong(r, "this type takes no brackets");
    }
}

const char *types_parse(Types *types, const char *text, size_t length, TypeId *id) {
    TypeReader r = {.types = types, .at = text, .end = text + length};
    *id = read_type(&r, 0);
    blanks(&r);
    if (r.wrong == NULL && r.at != r.end) {
        r.wrong = "the type goes on unexpectedly";
    }
    return r.wrong;
}

const PrimType *types_of_prim(Types *types, uint32_t prim) {
    PrimType *known = prim < PRIM_COUNT ? &types->prims[prim] : &types->own[prim - TYPE_OWN].type;
    if (!known->known) {
        const char *at = types_prim_signature(types, prim);
        SignatureParam param;
        known->known = true;
        while (signature_next(&at, &param)) {
            if (known->arity == 4 ||
                types_parse(types, param.type, param.type_length, &known->param[known->arity]) != NULL) {
                known->arity = UINT8_MAX;
                return NULL;
            }
            known->arity++;
        }
        if (types_parse(types, at, strlen(at), &known->result) != NULL) {
            known->arity = UINT8_MAX;
        }
    }
    return known->arity == UINT8_MAX ? NULL : known;
}

static void fn_text(Out *out, Types *types, TypeId id) {
    const Type t = *types_at(types, id); /* a copy: the table may move while a function is followed */
    if (t.kind == TYPE_FN_OF) {
        out_str(out, "fn(");
        for (unsigned k = 0; k < t.n; k++) {
            out_str(out, k ? ", " : "");
            types_text(out, types, t.part[k]);
        }
        out_str(out, ")->");
        types_text(out, types, t.part[2]);
        return;
    }
    unsigned arity = types_fn_arity(types, id);
    if (arity == TYPES_ANY_ARITY) {
        out_str(out, "fn");
        return;
    }
    TypeId params[8], result;
    types_fn_params(types, id, params);
    out_str(out, "fn(");
    for (unsigned k = 0; k < arity; k++) {
        out_str(out, k ? ", " : "");
        types_text(out, types, params[k]);
    }
    out_str(out, ")->");
    result = types_call(types, MODE_CORE, id, params, arity);
    types_text(out, types, result);
}

void types_text(Out *out, Types *types, TypeId id) {
    const Type t = *types_at(types, id);
    switch ((TypeKind)t.kind) {
    case TYPE_VAR:
        out_char(out, (char)('a' + t.n));
        return;
    case TYPE_LIKE:
        out_fmt(out, "%c(", 'A' + t.n);
        types_text(out, types, t.part[0]);
        out_char(out, ')');
        return;
    case TYPE_FN_OF:
    case TYPE_PRIM:
    case TYPE_CLOSURE:
        fn_text(out, types, id);
        return;
    default:
        out_str(out, words[t.kind].name);
        if (t.kind >= TYPE_TUPLE && id != t.kind) {
            out_char(out, '(');
            types_text(out, types, t.part[0]);
            out_char(out, ')');
        }
    }
}
