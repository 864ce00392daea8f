/* Primitives of one's own; see own.h. The closure's parts: the function, the OwnPrim, the name with its NUL.
 */
#include "engine/language/own.h"

#include "engine/language/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static Val call_own(Ctx *ctx, void *data, const Val *args, uint32_t n) {
    const OwnPrim *prim = data;
    Val v = prim->call(ctx, prim->host, args, n);
    if (LIKELY(!val_failed(v))) {
        return v;
    }
    if (ctx->safe && ctx->exhausted == FAIL_NONE) {
        return VAL_EMPTY_TUPLE;
    }
    v.n = v.n != 0 ? v.n : PRIM_COUNT + 1 + prim->index;
    return v;
}

static Val call_missing(Ctx *ctx, void *data, const Val *args, uint32_t n) {
    (void)ctx, (void)data, (void)args, (void)n;
    return val_fail(FAIL_NAME);
}

static Val address(const void *to) {
    return val_int((int64_t)(uintptr_t)to);
}

static Val name_part(const char *name, size_t length) {
    return (Val){.kind = VAL_ROW8, .n = (uint32_t)length + 1, .b8 = (const int8_t *)name};
}

void own_bind(OwnPrim *prim, uint32_t id) {
    prim->closure = (Closure){.op = CLOSURE_HOST,
                              .arity = prim->arity,
                              .id = id,
                              .part = {val_int((int64_t)(uintptr_t)call_own), address(prim),
                                       name_part(prim->name, strlen(prim->name))}};
}

Val own_missing(Ctx *ctx, const char *name, size_t length, uint32_t id) {
    Closure *f = ctx_alloc(ctx, sizeof *f);
    char *copy = f != NULL ? ctx_alloc(ctx, length + 1) : NULL;
    if (copy == NULL) {
        return val_fail_budget(ctx);
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    *f = (Closure){
        .op = CLOSURE_HOST,
        .arity = ANY_ARITY,
        .id = id,
        .part = {val_int((int64_t)(uintptr_t)call_missing), address(NULL), name_part(copy, length)}};
    return (Val){.kind = VAL_CLOSURE, .f = f};
}

const OwnPrim *own_find(const OwnPrims *own, const char *name, size_t length) {
    for (uint32_t k = own != NULL ? own->count : 0; k-- > 0;) {
        const OwnPrim *prim = own->items[k];
        if (!prim->gone && strlen(prim->name) == length && memcmp(prim->name, name, length) == 0) {
            return prim;
        }
    }
    return NULL;
}

const char *own_name(Val v) {
    bool own = v.kind == VAL_CLOSURE && v.f->op == CLOSURE_HOST && v.f->part[2].kind == VAL_ROW8;
    return own ? (const char *)v.f->part[2].b8 : NULL;
}

const OwnPrim *own_of(Val v) {
    return own_name(v) != NULL ? (const OwnPrim *)(uintptr_t)v.f->part[1].i : NULL;
}

/* ---- names ---- */

/* Words that mean something in the language, or that Python does not take as names. */
static bool is_word(const char *name) {
    static const char *const words[] = {
        "I",     "O",        "S",     "C",      "frozenset", "set",    "tuple",  "nan",      "inf",
        "False", "None",     "True",  "and",    "as",        "assert", "async",  "await",    "break",
        "class", "continue", "def",   "del",    "elif",      "else",   "except", "finally",  "for",
        "from",  "global",   "if",    "import", "in",        "is",     "lambda", "nonlocal", "not",
        "or",    "pass",     "raise", "return", "try",       "while",  "with",   "yield"};
    bool found = (name[0] == 'x' || name[0] == 't') && name[1] != '\0' &&
                 name[1 + strspn(name + 1, "0123456789")] == '\0';
    for (size_t k = 0; k < sizeof words / sizeof *words && !found; k++) {
        found = strcmp(words[k], name) == 0;
    }
    for (size_t k = 0; k < CONSTANT_COUNT && !found; k++) {
        found = strcmp(lang_constants[k].name, name) == 0;
    }
    return found || prim_find(name, strlen(name)) >= 0;
}

const char *own_wrong_name(const char *name) {
    size_t length = strlen(name), letters = 0;
    while (isalnum((unsigned char)name[letters]) || name[letters] == '_') {
        letters++;
    }
    if (length == 0 || letters != length || isdigit((unsigned char)name[0])) {
        return "a name consists of letters, digits and '_'";
    }
    return length > OWN_NAME_MAX ? "a name has at most 47 letters"
           : is_word(name)       ? "it is a word of the language"
                                 : NULL;
}

/* ---- in programs ---- */

typedef bool OwnVisit(void *user, Val own); /* false: enough */

/* Visits the primitives of one's own in a value; tuples and sets may hold some. False: a visit was enough. */
static bool visit(Val v, OwnVisit *each, void *user) {
    bool more = own_name(v) == NULL || each(user, v);
    for (uint32_t k = 0; (v.kind == VAL_TUPLE || v.kind == VAL_SET) && k < v.n && more; k++) {
        more = visit(v.v[k], each, user);
    }
    return more;
}

typedef struct NameList {
    bool lacking;
    const char **names;
    uint32_t count;
} NameList;

static bool add_name(void *user, Val own) {
    NameList *list = user;
    bool wanted = !list->lacking || own_of(own) == NULL;
    for (uint32_t k = 0; k < list->count && wanted; k++) {
        wanted = strcmp(list->names[k], own_name(own)) != 0;
    }
    if (wanted) {
        list->names[list->count++] = own_name(own);
    }
    return list->count < OWN_NAMES;
}

uint32_t own_names(const Program *p, bool lacking, const char *names[OWN_NAMES]) {
    NameList list = {.lacking = lacking, .names = names};
    for (uint32_t k = 0; k < p->nconsts && visit(p->consts[k], add_name, &list); k++) {
    }
    return list.count;
}

static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += strspn(at, ", ")) {
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0) {
            return true;
        }
    }
    return false;
}

bool own_lacking_note(OwnLacking *lacking, const Program *p) {
    const char *names[OWN_NAMES];
    uint32_t n = own_names(p, true, names);
    lacking->programs += n > 0;
    for (uint32_t k = 0; k < n; k++) {
        size_t used = strlen(lacking->names);
        bool room = used + strlen(names[k]) + 8 < sizeof lacking->names;
        if (!is_listed(lacking->names, room ? names[k] : "..")) {
            snprintf(lacking->names + used, sizeof lacking->names - used, "%s%s", used > 0 ? ", " : "",
                     room ? names[k] : "..");
        }
    }
    return n > 0;
}

void own_lacking_drop(OwnLacking *lacking, ProgList *list, size_t first) {
    size_t kept = first;
    for (size_t k = first; k < list->count; k++) {
        if (own_lacking_note(lacking, list->items[k])) {
            prog_free(list->items[k]);
        } else {
            list->items[kept++] = list->items[k];
        }
    }
    list->count = kept;
}

void own_lacking_text(const OwnLacking *lacking, const char *what, char *text, size_t size) {
    bool one = lacking->programs == 1;
    snprintf(text, size, "%zu program%s%s%s use%s %s, which this process does not have", lacking->programs,
             one ? "" : "s", what,
             what[0] == '\0' ? ""
             : one           ? ": it"
                             : ": they",
             one ? "s" : "", lacking->names);
}

/* ---- failures ---- */

typedef struct Search {
    uint32_t index;
    const char *name;
} Search;

static bool has_index(void *user, Val own) {
    Search *search = user;
    const OwnPrim *prim = own_of(own);
    search->name = prim != NULL && prim->index == search->index ? prim->name : NULL;
    return search->name == NULL;
}

const char *own_failed_with(Val v, uint32_t number) {
    if (number <= PRIM_COUNT) {
        return number != 0 ? prim_table[number - 1].name : "";
    }
    Search search = {.index = number - PRIM_COUNT - 1};
    return visit(v, has_index, &search) ? "" : search.name;
}

const char *own_failed_in(const Program *p, uint32_t number) {
    const char *name = own_failed_with(VAL_EMPTY_TUPLE, number);
    for (uint32_t k = 0; p != NULL && k < p->nconsts && name[0] == '\0'; k++) {
        name = own_failed_with(p->consts[k], number);
    }
    return name;
}
