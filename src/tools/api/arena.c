/* Values that outlive their evaluation.
 *
 * A call works in the context's scratch arena, which also holds all its intermediate values. Its result is
 * moved out into a block of exactly its size. What the result shares with its arguments is not moved: the new
 * arena keeps theirs alive. A result that is part of an argument needs no arena of its own.
 *
 * A loop that keeps adding a little to its last result would chain up arenas, most of them garbage; where
 * the kept memory is much larger than the value, the value is copied as a whole and the others are
 * released. */
#include "base/alloc.h"
#include "base/check.h"
#include "tools/api/api_internal.h"

#include <string.h>

enum { SPARE = 8 }; /* bytes after the last cell of a grid, as in val_deep_copy */

/* ---- counting ---- */

void arena_retain(Arena *arena) {
    ASSERT(arena == NULL || atomic_load_explicit(&arena->count, memory_order_relaxed) > 0,
           "kept after it was freed");
    if (arena != NULL) {
        atomic_fetch_add_explicit(&arena->count, 1, memory_order_relaxed);
    }
}

static bool last_one(_Atomic uint32_t *count) {
    ASSERT(atomic_load_explicit(count, memory_order_relaxed) > 0, "released more often than kept");
    return atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) == 1;
}

/* Without recursion: chains of arenas may be long. */
void arena_release(Arena *arena) {
    Arena *dead = arena != NULL && last_one(&arena->count) ? arena : NULL;
    while (dead != NULL) {
        Arena *next = dead->next;
        for (uint32_t k = 0; k < dead->n_kept; k++) {
            if (last_one(&dead->kept[k]->count)) {
                dead->kept[k]->next = next;
                next = dead->kept[k];
            }
        }
        if (dead->drop != NULL) {
            dead->drop(dead->user);
        }
        mem_free(dead);
        dead = next;
    }
}

bool arena_list_add(ArenaList *list, Arena *arena) {
    if (arena == NULL) {
        return true;
    }
    for (size_t k = list->count < 8 ? 0 : list->count - 8; k < list->count; k++) { /* mostly the last ones */
        if (list->items[k] == arena) {
            return true;
        }
    }
    if (!MEM_ROOM(list->items, list->count, list->room, 16)) {
        return false;
    }
    arena_retain(arena);
    list->items[list->count++] = arena;
    ASSERT(list->count <= list->room, "%zu of %zu", list->count, list->room);
    return true;
}

void arena_list_clear(ArenaList *arenas) {
    for (size_t k = 0; k < arenas->count; k++) {
        arena_release(arenas->items[k]);
    }
    arenas->count = 0;
}

batt_value *batt_retain(const batt_value *value) {
    batt_value *v = (batt_value *)value;
    if (v != NULL) {
        bool own = v->arena != NULL && v == &v->arena->own;
        atomic_fetch_add_explicit(own ? &v->arena->count : &v->count, 1, memory_order_relaxed);
    }
    return v;
}

void batt_release(batt_value *v) {
    if (v == NULL) {
        return;
    }
    Arena *arena = v->arena;
    if (arena != NULL && v == &arena->own) {
        arena_release(arena);
    } else if (last_one(&v->count)) {
        mem_free(v->where);
        mem_free(v);
        arena_release(arena);
    }
}

/* ---- moving out ---- */

typedef struct Mover {
    const char *scratch, *scratch_end;
    bool all;    /* move everything, wherever it lives */
    bool shares; /* out: something stays in place */
    size_t size;
    char *cursor;
} Mover;

static bool moves(Mover *m, const void *memory) {
    if (m->all || ((const char *)memory >= m->scratch && (const char *)memory < m->scratch_end)) {
        return true;
    }
    m->shares = true;
    return false;
}

static size_t padded(size_t bytes) {
    return (bytes + 15) & ~(size_t)15;
}

/* Size of the memory that a value points to directly; 0: none. */
static size_t flat_size(Val v) {
    switch (v.kind) {
    case VAL_ROW8:
        return v.n;
    case VAL_ROW64:
        return (size_t)v.n * 8;
    case VAL_GRID8:
        return (size_t)v.n * v.w + SPARE;
    case VAL_GRID64:
        return (size_t)v.n * v.w * 8;
    case VAL_TUPLE:
    case VAL_SET:
        return v.n * sizeof(Val);
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return (size_t)v.n * 4;
    case VAL_CLOSURE:
        return sizeof(Closure);
    default:
        return 0;
    }
}

/* Identical neighbors, as made by `repeat`, are moved only once. */
static bool same_block(Val a, Val b) {
    return a.kind == b.kind && a.n == b.n && a.w == b.w && a.i == b.i;
}

static void measure(Mover *m, Val v) {
    size_t bytes = flat_size(v);
    if (bytes == 0 || !moves(m, v.v)) {
        return;
    }
    m->size += padded(bytes);
    if (v.kind == VAL_TUPLE || v.kind == VAL_SET) {
        for (uint32_t k = 0; k < v.n; k++) {
            if (k == 0 || !same_block(v.v[k], v.v[k - 1])) {
                measure(m, v.v[k]);
            }
        }
    } else if (v.kind == VAL_CLOSURE) {
        for (int k = 0; k < 3; k++) {
            measure(m, v.f->part[k]);
        }
    }
}

static Val move(Mover *m, Val v) {
    size_t bytes = flat_size(v);
    if (bytes == 0 || !moves(m, v.v)) {
        return v;
    }
    char *to = m->cursor;
    ASSERT(((uintptr_t)to & 15) == 0, "a block at an odd place");
    m->cursor += padded(bytes);
    if (v.kind == VAL_GRID8) {
        memcpy(to, v.b8, bytes - SPARE);
        memset(to + bytes - SPARE, 0, SPARE);
    } else {
        memcpy(to, v.v, bytes);
    }
    if (v.kind == VAL_TUPLE || v.kind == VAL_SET) {
        Val *items = (Val *)(void *)to;
        const Val *from = v.v;
        for (uint32_t k = 0; k < v.n; k++) {
            items[k] = k > 0 && same_block(from[k], from[k - 1]) ? items[k - 1] : move(m, from[k]);
        }
    } else if (v.kind == VAL_CLOSURE) {
        Closure *f = (Closure *)(void *)to;
        for (int k = 0; k < 3; k++) {
            f->part[k] = move(m, f->part[k]);
        }
    }
    v.v = (const Val *)(const void *)to;
    return v;
}

/* ---- making handles ---- */

static batt_value *bare_handle(Val v, Arena *arena) {
    batt_value *h = mem_alloc(sizeof *h);
    if (h != NULL) {
        h->value = v;
        h->arena = arena;
        h->where = NULL;
        atomic_init(&h->count, 1);
        if (arena != NULL) {
            arena_retain(arena);
        }
    }
    return h;
}

batt_value *arena_part(const batt_value *whole, Val part) {
    return bare_handle(part, flat_size(part) != 0 ? whole->arena : NULL);
}

static Arena *arena_new(size_t bytes, size_t n_kept) {
    size_t head = padded(sizeof(Arena) + n_kept * sizeof(Arena *));
    Arena *r = mem_alloc(head + bytes);
    if (r == NULL) {
        return NULL;
    }
    *r = (Arena){.kept = (Arena **)(r + 1), .bytes = (char *)r + head, .end = (char *)r + head + bytes};
    atomic_init(&r->count, 1);
    r->own.arena = r;
    r->held = head + bytes;
    return r;
}

/* Which of the arenas borrowed by the call owns this memory. */
static Arena *home(const batt_context *c, const void *memory) {
    for (size_t k = 0; k < c->borrowed.count; k++) {
        Arena *r = c->borrowed.items[k];
        if ((const char *)memory >= r->bytes && (const char *)memory < r->end) {
            return r;
        }
    }
    return NULL;
}

static size_t held_by(const batt_context *c, bool *host) {
    size_t held = 0;
    *host = false;
    for (size_t k = 0; k < c->borrowed.count; k++) {
        held += c->borrowed.items[k]->held;
        *host |= c->borrowed.items[k]->host;
    }
    return held;
}

batt_value *arena_make_handle(batt_context *c, Val v, bool copy) {
    enum { LITTLE = 1 << 14, TIMES = 8 };
    size_t bytes = flat_size(v);
    if (bytes == 0) {
        return bare_handle(v, NULL);
    }
    Mover m = {.scratch = c->ctx.base, .scratch_end = c->ctx.top, .all = copy};
    if (!moves(&m, v.v)) {
        Arena *whole = home(c, v.v);
        if (whole != NULL) {
            return bare_handle(v, whole);
        }
    }
    measure(&m, v);
    bool host;
    size_t held = held_by(c, &host);
    if (m.shares && !host && held > LITTLE + TIMES * m.size) {
        Mover all = {.all = true};
        measure(&all, v);
        if (held > LITTLE + TIMES * all.size) {
            m = all;
        }
    }
    bool keeps = m.shares || (m.all && host);
    Arena *r = arena_new(m.size, keeps ? c->borrowed.count : 0);
    if (r == NULL) {
        return NULL;
    }
    m.cursor = (char *)r + ((size_t)(r->bytes - (char *)r));
    r->own.value = move(&m, v);
    if (keeps) {
        r->n_kept = (uint32_t)c->borrowed.count;
        r->held += held;
        r->host = host;
        for (uint32_t k = 0; k < r->n_kept; k++) {
            r->kept[k] = c->borrowed.items[k];
            arena_retain(r->kept[k]);
        }
    }
    return &r->own;
}

Arena *arena_around(void *user, void (*drop)(void *user)) {
    Arena *r = arena_new(0, 0);
    if (r != NULL) {
        r->host = true;
        r->drop = drop;
        r->user = user;
    }
    return r;
}

batt_value *arena_host(batt_context *c, unsigned arity, HostFn call, void *host, void (*drop)(void *)) {
    Arena *r = arena_new(padded(sizeof(Closure)), 0);
    if (r == NULL) {
        return NULL;
    }
    Closure *f = (Closure *)(void *)((char *)r + (r->bytes - (char *)r));
    *f =
        (Closure){.op = CLOSURE_HOST,
                  .arity = (uint8_t)arity,
                  .id = api_closure(c),
                  .part = {val_int((int64_t)(uintptr_t)call), val_int((int64_t)(uintptr_t)host), val_int(0)}};
    r->own.value = (Val){.kind = VAL_CLOSURE, .f = f};
    r->host = true;
    r->drop = drop;
    r->user = host;
    return &r->own;
}
