/* Evaluates calls and primitives on values, and calls functions from outside. */
#include "base/alloc.h"
#include "base/nearest.h"
#include "engine/eval/eval.h"
#include "engine/eval/explain.h"
#include "engine/language/names.h"
#include "engine/language/symbols.h"
#include "tools/api/own.h"

#include <string.h>

/* ---- an evaluation ---- */

/* A number identifies and orders closures. Values move between contexts, so all contexts take their
 * numbers, in blocks, from this one counter. */
static _Atomic uint32_t closure_blocks;

static void number_closures(batt_context *c) {
    enum { BLOCK = 1 << 20 };
    if (UNLIKELY(c->closure >= c->closures_end)) {
        c->closure = BLOCK * atomic_fetch_add_explicit(&closure_blocks, 1, memory_order_relaxed);
        c->closures_end = c->closure + BLOCK - 1;
    }
}

uint32_t api_closure(batt_context *c) {
    number_closures(c);
    return c->closure++;
}

void api_evaluate(batt_context *c, int mode) {
    ctx_reset(&c->ctx);
    number_closures(c);
    c->ctx.closures = c->closure;
    out_clear(&c->own_message);
    prim_bind(&c->ctx, mode == BATT_MODE_BATT ? MODE_BATT : MODE_CORE, c->safe);
    c->busy = true;
}

batt_value *api_evaluated(batt_context *c, Val v, bool copy) {
    c->closure = c->ctx.closures;
    batt_value *handle = arena_make_handle(c, v, copy);
    if (c->borrowed.count != 0) {
        arena_list_clear(&c->borrowed);
    }
    c->busy = false;
    return handle != NULL ? handle : (batt_value *)api_no_memory(c);
}

batt_value *api_failed_in(batt_value *v, const char *name) {
    if (v != NULL && val_failed(v->value) && v->value.n > PRIM_COUNT && v->where == NULL) {
        v->where = mem_strdup(name); /* without memory it fails nowhere */
    }
    return v;
}

/* Allocation is charged without checking the budget, so it is checked here; a value made after it ran out
 * does not count. */
static Val in_budget(Ctx *ctx, Val v) {
    bool spent = !ctx_charge(ctx, 0) || ctx->exhausted != FAIL_NONE;
    return UNLIKELY(spent) && !val_failed(v) ? val_fail((Reason)ctx->exhausted) : v;
}

/* ---- calls ---- */

enum { MAX_ARGUMENTS = 8 };

/* The arguments as values, their arenas borrowed; false with the fault set. */
static bool take_arguments(batt_context *c, const batt_value *const *arguments, size_t n, Val *values) {
    for (size_t k = 0; k < n && k < MAX_ARGUMENTS; k++) {
        if (UNLIKELY(arguments == NULL || arguments[k] == NULL)) {
            arena_list_clear(&c->borrowed);
            api_fault(c, BATT_BAD_ARGUMENT, "argument %zu is NULL", k + 1);
            return false;
        }
        values[k] = arguments[k]->value;
        if (UNLIKELY(!arena_list_add(&c->borrowed, arguments[k]->arena))) {
            arena_list_clear(&c->borrowed);
            api_no_memory(c);
            return false;
        }
    }
    return true;
}

batt_value *batt_call_primitive(batt_context *c, size_t k, const batt_value *const *arguments, size_t n,
                                int mode) {
    Val values[MAX_ARGUMENTS];
    if (!api_begin(c)) {
        return NULL;
    }
    if (k >= PRIM_COUNT) {
        return api_fault(c, BATT_BAD_ARGUMENT, "there is no primitive %zu", k);
    }
    if (!take_arguments(c, arguments, n, values)) {
        return NULL;
    }
    api_evaluate(c, mode);
    uint32_t count = n < MAX_ARGUMENTS ? (uint32_t)n : MAX_ARGUMENTS; /* more than any function takes */
    Val v = prim_call(&c->ctx, (uint32_t)k, values, count);
    const char *where = "";
    for (uint32_t a = 0; val_failed(v) && v.n > PRIM_COUNT && a < count && where[0] == '\0'; a++) {
        where = own_failed_with(values[a], v.n);
    }
    return api_failed_in(api_evaluated(c, in_budget(&c->ctx, v), false), where);
}

batt_value *batt_call(batt_context *c, const batt_value *function, const batt_value *const *arguments,
                      size_t n, int mode) {
    Val values[MAX_ARGUMENTS];
    if (!api_begin(c)) {
        return NULL;
    }
    if (function == NULL || !val_is_fn(function->value)) {
        return api_fault(c, BATT_BAD_ARGUMENT,
                         function == NULL ? "the function is NULL" : "the value is not a function");
    }
    if (!arena_list_add(&c->borrowed, function->arena)) {
        return api_no_memory(c);
    }
    if (!take_arguments(c, arguments, n, values)) {
        return NULL;
    }
    api_evaluate(c, mode);
    uint32_t count = n < MAX_ARGUMENTS ? (uint32_t)n : MAX_ARGUMENTS;
    Val v = call_value(&c->ctx, function->value, values, count);
    const char *where = val_failed(v) ? own_failed_with(function->value, v.n) : "";
    return api_failed_in(api_evaluated(c, in_budget(&c->ctx, v), false), where);
}

char *batt_explain_call(batt_context *c, size_t k, const batt_value *const *arguments, size_t n, int mode,
                        const batt_value *failed) {
    Val values[MAX_ARGUMENTS];
    Out out;
    if (!api_begin(c)) {
        return NULL;
    }
    if (k >= PRIM_COUNT || failed == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT,
                         failed == NULL ? "the value is NULL" : "there is no primitive %zu", k);
    }
    if (!take_arguments(c, arguments, n, values)) {
        return NULL;
    }
    Types *types = types_open();
    out_init(&out);
    if (types != NULL && val_failed(failed->value)) {
        uint32_t count = n < MAX_ARGUMENTS ? (uint32_t)n : MAX_ARGUMENTS;
        explain_call(&out, types, mode == BATT_MODE_BATT ? MODE_BATT : MODE_CORE, (uint32_t)k, values, count,
                     failed->value);
        out_str(&out, failed->value.n > PRIM_COUNT ? own_message(c) : "");
    }
    arena_list_clear(&c->borrowed);
    types_close(types);
    return api_explained(c, &out, types != NULL);
}

char *api_explained(batt_context *c, Out *out, bool good) {
    if (!good) {
        out_free(out);
        return api_no_memory(c);
    }
    Out plain; /* without the colon */
    out_init(&plain);
    out_str(&plain,
            out->data + (strncmp(out->data, ": ", 2) == 0 || strncmp(out->data, "; ", 2) == 0 ? 2 : 0));
    plain.failed = plain.failed || out->failed;
    out_free(out);
    return api_text(c, &plain);
}

/* ---- functions from outside ---- */

typedef struct Host {
    batt_callback callback;
    void *user;
    void (*drop)(void *user);
} Host;

static void drop_host(void *user) {
    Host *host = user;
    if (host->drop != NULL) {
        host->drop(host->user);
    }
    mem_free(host);
}

static Val call_host(Ctx *ctx, void *data, const Val *args, uint32_t n) {
    batt_context *c = (batt_context *)(void *)ctx; /* its first member */
    const Host *host = data;
    batt_value *handles[MAX_ARGUMENTS] = {0}, *result = NULL;
    uint32_t made = 0;
    while (made < n && made < MAX_ARGUMENTS &&
           (handles[made] = arena_make_handle(c, args[made], false)) != NULL) {
        made++;
    }
    if (made == n) {
        result = host->callback(host->user, (const batt_value *const *)handles, n);
    }
    for (uint32_t k = 0; k < made; k++) {
        batt_release(handles[k]);
    }
    Val v = result != NULL ? result->value : val_fail(made == n ? FAIL_TYPE : FAIL_MEMORY);
    if (result != NULL &&
        !arena_list_add(&c->borrowed, result->arena)) { /* alive until the evaluation ends */
        v = val_fail(FAIL_MEMORY);
    }
    batt_release(result);
    return v;
}

batt_value *batt_function(batt_context *c, unsigned arity, batt_callback callback, void *user,
                          void (*drop)(void *user)) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (callback == NULL || arity > 3) {
        return api_fault(c, BATT_BAD_ARGUMENT,
                         callback == NULL ? "the function is NULL" : "the arity is not 0..3");
    }
    Host *host = mem_alloc(sizeof *host);
    if (host == NULL) {
        return api_no_memory(c);
    }
    *host = (Host){callback, user, drop};
    batt_value *v = arena_host(c, arity ? arity : ANY_ARITY, call_host, host, drop_host);
    if (v == NULL) {
        mem_free(host);
        return api_no_memory(c);
    }
    return v;
}

/* ---- primitives and constants ---- */

size_t batt_primitive_count(void) {
    return PRIM_COUNT;
}

int64_t batt_primitive_find(const char *name) {
    return name != NULL ? prim_find(name, strlen(name)) : -1;
}

const char *batt_primitive_name(size_t k) {
    return k < PRIM_COUNT ? prim_table[k].name : "";
}

int batt_primitive_arity(size_t k) {
    return k < PRIM_COUNT ? prim_table[k].arity : 0;
}

const char *batt_primitive_signature(size_t k) {
    return k < PRIM_COUNT ? prim_table[k].signature : "";
}

const char *batt_primitive_doc(size_t k) {
    return k < PRIM_COUNT ? prim_table[k].doc : "";
}

const char *batt_primitive_example(size_t k) {
    return k < PRIM_COUNT ? prim_table[k].example : "";
}

const char *batt_primitive_family(size_t k) {
    return k < PRIM_COUNT ? family_titles[prim_table[k].family] : "";
}

int batt_primitive_optional(size_t k) {
    return k < PRIM_COUNT && (prim_table[k].flags & PRIM_OPTIONAL) != 0;
}

batt_value *batt_primitive_at(batt_context *c, size_t k) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (k >= PRIM_COUNT) {
        return api_fault(c, BATT_BAD_ARGUMENT, "there is no primitive %zu", k);
    }
    batt_value *v = arena_make_handle(c, val_prim((uint32_t)k), false);
    return v != NULL ? v : api_no_memory(c);
}

batt_value *batt_primitive(batt_context *c, const char *name) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (name == NULL) {
        return api_fault(c, BATT_BAD_ARGUMENT, "the name is NULL");
    }
    const OwnPrim *own = own_find(own_prims(c), name, strlen(name));
    if (own != NULL) {
        return api_named(c, own_value(own));
    }
    int id = prim_find(name, strlen(name));
    if (id < 0) {
        const char *near = names_nearest(name, strlen(name), true);
        return api_fault(c, BATT_BAD_ARGUMENT, "unknown primitive '%.60s'%s%s%s", name,
                         near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return batt_primitive_at(c, (size_t)id);
}

size_t batt_constant_count(void) {
    return CONSTANT_COUNT;
}

const char *batt_constant_name(size_t k) {
    return k < CONSTANT_COUNT ? lang_constants[k].name : "";
}

batt_value *batt_constant(batt_context *c, size_t k) {
    if (!api_begin(c)) {
        return NULL;
    }
    if (k >= CONSTANT_COUNT) {
        return api_fault(c, BATT_BAD_ARGUMENT, "there is no constant %zu", k);
    }
    batt_value *v = arena_make_handle(c, lang_constants[k].value, true);
    return v != NULL ? v : api_no_memory(c);
}

batt_value *api_named(batt_context *c, Val v) {
    if (!arena_list_add(&c->borrowed, c->own_arena)) {
        return api_no_memory(c);
    }
    batt_value *handle = arena_make_handle(c, v, true);
    arena_list_clear(&c->borrowed);
    return handle != NULL ? handle : (batt_value *)api_no_memory(c);
}

typedef struct SymbolAt {
    size_t left;
    const char *name;
    int64_t number;
} SymbolAt;

static bool take_symbol(void *user, const char *symbol, int64_t number, const char *text) {
    SymbolAt *at = user;
    (void)text;
    if (at->left-- == 0) {
        at->name = symbol;
        at->number = number;
    }
    return at->name == NULL;
}

const char *batt_symbol(size_t k, int64_t *number) {
    SymbolAt at = {.left = k};
    for (int shape = SYMBOLS_NONE + 1; shape < SYMBOLS_SHAPES && at.name == NULL; shape++) {
        symbols_each((SymbolShape)shape, take_symbol, &at);
    }
    if (number != NULL) {
        *number = at.number;
    }
    return at.name != NULL ? at.name : "";
}

int batt_symbol_number(size_t k, size_t argument, const char *word, int64_t *number) {
    int64_t found = 0;
    if (k >= PRIM_COUNT || argument >= PRIM_MAX_ARITY || word == NULL ||
        !symbols_find(symbols_of((uint32_t)k, (uint32_t)argument), word, strlen(word), &found)) {
        return 0;
    }
    if (number != NULL) {
        *number = found;
    }
    return 1;
}
