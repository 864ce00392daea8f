/* Registers functions of the caller as primitives, and calls them; see own.h. */
#include "tools/api/own.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "engine/language/parse.h"
#include "engine/language/signature.h"
#include "engine/language/types.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct OwnEntry {
    OwnPrim prim; /* first: its address is that of the entry */
    batt_primitive_function function;
    void *user;
    void (*drop)(void *user);
    OwnTable *table;
} OwnEntry;

struct OwnTable {
    OwnPrims prims;
    /* Contexts that functions get, each for one call at a time, in any thread. */
    pthread_mutex_t lock;
    batt_context **idle;
    size_t n_idle, room;
};

/* ---- calling ---- */

static batt_context *take_context(OwnTable *table) {
    batt_context *c = NULL;
    pthread_mutex_lock(&table->lock);
    if (table->n_idle > 0) {
        c = table->idle[--table->n_idle];
    }
    pthread_mutex_unlock(&table->lock);
    return c != NULL ? c : batt_open();
}

static void give_context(OwnTable *table, batt_context *c) {
    batt_set_safe(c, 0);
    batt_set_budget(c, 0, 0, 0);
    pthread_mutex_lock(&table->lock);
    bool kept = MEM_ROOM(table->idle, table->n_idle, table->room, 4);
    if (kept) {
        table->idle[table->n_idle++] = c;
    }
    pthread_mutex_unlock(&table->lock);
    if (!kept) {
        batt_close(c);
    }
}

/* Whether a value holds a function of the caller: it would not outlive the reference that the caller has. */
static bool holds_host(Val v) {
    bool found = v.kind == VAL_CLOSURE && v.f->op == CLOSURE_HOST && own_name(v) == NULL;
    for (uint32_t k = 0; (v.kind == VAL_TUPLE || v.kind == VAL_SET) && k < v.n && !found; k++) {
        found = holds_host(v.v[k]);
    }
    for (int k = 0; v.kind == VAL_CLOSURE && v.f->op != CLOSURE_HOST && k < 3 && !found; k++) {
        found = holds_host(v.f->part[k]);
    }
    return found;
}

/* The result as a value of the evaluation. */
static Val take_result(Ctx *ctx, const batt_value *result) {
    if (val_failed(result->value)) { /* a budget that ran out was that of a call inside */
        Val v = val_fail(result->value.w < FAIL_STEPS ? (Reason)result->value.w : FAIL_LIMIT);
        v.n = result->value.n;
        return v;
    }
    if (holds_host(result->value)) {
        return val_fail(FAIL_TYPE);
    }
    size_t bytes = val_deep_size(result->value);
    char *copy = bytes != 0 ? ctx_alloc(ctx, bytes) : NULL;
    if (bytes != 0 && copy == NULL) {
        return val_fail_budget(ctx);
    }
    return val_deep_copy(result->value, &copy);
}

static void keep_message(Ctx *ctx, const batt_context *c) {
    batt_context *owner = ctx->owner;
    if (owner != NULL) {
        out_clear(&owner->own_message);
        out_str(&owner->own_message, batt_fault_of(c)->text != NULL ? batt_fault_of(c)->text : "");
    }
}

static Val call_entry(Ctx *ctx, void *data, const Val *args, uint32_t n) {
    const OwnEntry *entry = data;
    batt_value *handles[PRIM_MAX_ARITY] = {0}, *result = NULL;
    batt_context *c = take_context(entry->table);
    uint32_t made = 0;
    while (c != NULL && made < n && (handles[made] = arena_make_handle(c, args[made], true)) != NULL) {
        made++;
    }
    Val v = val_fail(FAIL_MEMORY);
    if (c != NULL && made == n) {
        uint64_t began = clock_now_ns(), worked = clock_work_ns();
        result = entry->function(entry->user, c, (const batt_value *const *)handles, n);
        uint64_t took = clock_now_ns() - began, work = clock_work_ns() - worked;
        ctx->waited_ns += took > work ? took - work : 0;
        v = result != NULL ? take_result(ctx, result) : val_fail(FAIL_TYPE);
        if (result == NULL) {
            keep_message(ctx, c);
        }
        batt_release(result);
    }
    for (uint32_t k = 0; k < made; k++) {
        batt_release(handles[k]);
    }
    if (c != NULL) {
        give_context(entry->table, c);
    }
    /* it may have taken any time, and counts as one step */
    return ctx_check_time(ctx) ? v : val_fail_budget(ctx);
}

batt_value *batt_fail(batt_context *c, const char *why) {
    return api_begin(c) ? api_fault(c, BATT_BAD_ARGUMENT, "%s", why != NULL ? why : "") : NULL;
}

const char *own_message(const batt_context *c) {
    return c->own_message.len > 0 ? c->own_message.data : "";
}

/* ---- registering ---- */

const OwnPrims *own_prims(const batt_context *c) {
    return c->own != NULL ? &c->own->prims : NULL;
}

static void free_entry(OwnEntry *entry) {
    mem_free(entry->prim.signature);
    mem_free(entry);
}

/* When nothing points at its primitives any more. */
static void free_table(void *user) {
    OwnTable *table = user;
    for (uint32_t k = 0; k < table->prims.count; k++) {
        OwnEntry *entry = (OwnEntry *)table->prims.items[k];
        if (entry->drop != NULL) {
            entry->drop(entry->user);
        }
        free_entry(entry);
    }
    for (size_t k = 0; k < table->n_idle; k++) {
        batt_close(table->idle[k]);
    }
    pthread_mutex_destroy(&table->lock);
    mem_free(table->prims.items);
    mem_free(table->idle);
    mem_free(table);
}

static bool open_table(batt_context *c) {
    if (c->own != NULL) {
        return true;
    }
    OwnTable *table = mem_zalloc(1, sizeof *table);
    c->own_arena = table != NULL ? arena_around(table, free_table) : NULL;
    if (c->own_arena == NULL) {
        mem_free(table);
        return false;
    }
    pthread_mutex_init(&table->lock, NULL);
    c->own = table;
    lang_set_own(c->lang, &table->prims);
    return true;
}

/* Reads a signature: the number of parameters; 0, and what is wrong with it. */
static unsigned read_signature(const char *signature, char *why, size_t size) {
    const char *at = signature, *wrong = strstr(signature, " -> ") == NULL ? "no result" : NULL;
    Types *types = types_open();
    SignatureParam param;
    unsigned n = 0;
    TypeId id;
    while (types != NULL && wrong == NULL && signature_next(&at, &param)) {
        wrong = n++ == PRIM_MAX_ARITY ? "more than 4 parameters"
                                      : types_parse(types, param.type, param.type_length, &id);
    }
    if (types != NULL && wrong == NULL) {
        wrong = n == 0 ? "no parameters" : types_parse(types, at, strlen(at), &id);
    }
    if (types == NULL || wrong != NULL) {
        snprintf(why, size, "a signature is such as 'grid: grid, n: int -> grid', not '%.80s': %s", signature,
                 types == NULL ? MEM_NONE : wrong);
        n = 0;
    }
    types_close(types);
    return n;
}

static const OwnPrim *named(const batt_context *c, const char *name) {
    return own_find(own_prims(c), name, strlen(name));
}

/* A number that no other closure of the process has: values move between contexts. */
static uint32_t closure_id(void) {
    static _Atomic uint32_t used;
    return UINT32_MAX - atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
}

static bool add_entry(batt_context *c, OwnEntry *entry) {
    OwnPrims *prims = open_table(c) ? &c->own->prims : NULL;
    if (prims == NULL || !MEM_ROOM(prims->items, prims->count, prims->room, 8)) {
        return false;
    }
    batt_primitive_forget(c, entry->prim.name);
    entry->table = c->own;
    entry->prim.index = prims->count;
    entry->prim.call = call_entry;
    entry->prim.host = entry;
    own_bind(&entry->prim, closure_id());
    prims->items[prims->count++] = &entry->prim;
    return true;
}

int batt_primitive_register(batt_context *c, const char *name, const char *signature, unsigned price,
                            batt_primitive_function function, void *user, void (*drop)(void *user)) {
    char why[300];
    if (!api_begin(c)) {
        return 0;
    }
    if (name == NULL || signature == NULL || function == NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "the %s is NULL",
                  name == NULL        ? "name"
                  : signature == NULL ? "signature"
                                      : "function");
        return 0;
    }
    const char *wrong = own_wrong_name(name);
    if (wrong != NULL) {
        api_fault(c, BATT_BAD_ARGUMENT, "'%.60s' cannot be the name of a primitive: %s", name, wrong);
        return 0;
    }
    unsigned arity = read_signature(signature, why, sizeof why);
    if (arity == 0 || (price != 0 && !own_idioms_fit(name, signature, price, why, sizeof why))) {
        api_fault(c, BATT_BAD_ARGUMENT, "%s", why);
        return 0;
    }
    if (c->own != NULL && c->own->prims.count == OWN_MAX) {
        api_fault(c, BATT_BAD_ARGUMENT, "a context has room for %d primitives", OWN_MAX);
        return 0;
    }
    OwnEntry *entry = mem_zalloc(1, sizeof *entry);
    if (entry != NULL) {
        *entry = (OwnEntry){.prim = {.arity = (uint8_t)arity, .price = (uint8_t)price},
                            .function = function,
                            .user = user,
                            .drop = drop};
        memcpy(entry->prim.name, name, strlen(name));
        entry->prim.signature = mem_strdup(signature);
    }
    if (entry == NULL || entry->prim.signature == NULL || !add_entry(c, entry)) {
        if (entry != NULL) {
            free_entry(entry);
        }
        api_no_memory(c);
        return 0;
    }
    return 1;
}

int batt_primitive_forget(batt_context *c, const char *name) {
    const OwnPrim *prim = api_begin(c) && name != NULL ? named(c, name) : NULL;
    if (prim != NULL) {
        c->own->prims.items[prim->index]->gone = true; /* programs that were parsed before still call it */
    }
    return prim != NULL;
}
