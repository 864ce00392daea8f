/* What a value is.
 *
 * A Val is 16 bytes, passed by value; what it points to is immutable, lives in the arena of a Ctx (or in a
 * program's own block) and is never freed by itself. Every value has ONE representation, chosen by the
 * constructors below, so equality is a comparison of bytes and nothing depends on how a value came about:
 *
 *   VAL_PAIR       tuple of two integers that fit 32 bits; no memory
 *   VAL_TRIPLE     tuple of three such integers: a cell of batt mode, (row, column, color); no memory
 *   VAL_CELL       (integer, pair), all of 32 bits: a cell of core mode, (color, (row, column)); no memory
 *   VAL_ROW8       any other non-empty tuple of integers that all fit a signed byte; VAL_ROW64 if not all do
 *   VAL_GRID8      tuple of equally long tuples of such integers; VAL_GRID64 likewise; may have no columns
 *   VAL_TUPLE      any other tuple, and ()
 *   VAL_INDICES    set of pairs within +-32768: ascending 32-bit keys
 *   VAL_OBJ_CORE   set of core cells, color a signed byte, coordinates within +-2048: ascending 32-bit keys
 *   VAL_OBJ_BATT   set of batt cells, likewise
 *   VAL_SET        any other set, and the empty one: ascending values
 *
 * Key order is canonical order, so the set operations are merges of integer arrays. The one exception to
 * uniqueness: a row read out of a wide grid may be a VAL_ROW64 although its numbers are small; val_eq,
 * val_cmp and val_hash allow for that. */
#ifndef BATT_ENGINE_VALUE_VALUE_H
#define BATT_ENGINE_VALUE_VALUE_H

#include "base/check.h"
#include "engine/value/ctx.h"

typedef enum Kind {
    VAL_FAIL, /* w: Reason, n: primitive it arose in + 1 or 0, i: source line or 0 */
    VAL_ATOM, /* w: Atom */
    VAL_INT,
    VAL_PAIR,
    VAL_TRIPLE,
    VAL_CELL,
    VAL_ROW8,
    VAL_ROW64,
    VAL_GRID8,
    VAL_GRID64,
    VAL_TUPLE,
    VAL_SET,
    VAL_INDICES,
    VAL_OBJ_CORE,
    VAL_OBJ_BATT,
    VAL_PRIM,   /* n: primitive id */
    VAL_CLOSURE /* f */
} Kind;

typedef enum Atom { ATOM_NONE, ATOM_NEG_INF, ATOM_POS_INF, ATOM_NAN } Atom;

typedef struct Val Val;
typedef struct Closure Closure;
struct Val {
    union {
        struct {
            uint16_t kind; /* Kind */
            uint16_t w;    /* width of a grid; packed weight of a VAL_TUPLE, VAL_SET or closure */
            uint32_t n;    /* number of elements (rows of a grid); the color of a triple or cell, as int32 */
        };
        uint64_t head; /* all three at once; see val_head_kind */
    };
    union {
        int64_t i;
        struct {
            int32_t a, b; /* pair; row and column of a triple or cell */
        };
        const int8_t *b8;
        const int64_t *i64;
        const Val *v;
        const uint32_t *k;
        const Closure *f;
    };
};

typedef enum ClosureOp {
    CLOSURE_COMPOSE, /* part[0](part[1](x)) */
    CLOSURE_CHAIN,   /* part[0](part[1](part[2](x))) */
    CLOSURE_MATCHER, /* part[0](x) = part[1] */
    CLOSURE_RBIND,   /* part[0](x.., part[1]) */
    CLOSURE_LBIND,   /* part[0](part[1], x..) */
    CLOSURE_POWER,   /* part[0] applied part[1] times */
    CLOSURE_FORK,    /* part[0](part[1](x), part[2](x)) */
    CLOSURE_DEFAULT, /* takes anything, returns (): what safe mode makes of a failed closure constructor */
    CLOSURE_HOST     /* a function from outside: part[0].i is a HostFn, part[1].i its `host` */
} ClosureOp;

enum { CLOSURE_PARTS = 3 };
struct Closure {
    uint8_t op, arity; /* arity 255: any (ANY_ARITY) */
    uint32_t id;       /* order of creation */
    Val part[CLOSURE_PARTS];
};

/* A function supplied by the user of the library (arena_host in tools/api/arena.c). It is called in the
 * middle of an evaluation, and what it returns lives until that evaluation ends. */
typedef Val (*HostFn)(Ctx *ctx, void *host, const Val *args, uint32_t n);

/* Passes a value through; the checked build asserts that it has the one representation it should have. */
#ifdef BATT_CHECKED
const char *val_wrong(Val v); /* what is wrong, or NULL; checks the elements, but not what they consist of */
Val val_assert(Val v, const char *file, int line);
#define VAL_CHECKED(v) val_assert((v), __FILE__, __LINE__)
#else
#define VAL_CHECKED(v) (v)
#endif

/* ---- small constructors ---- */

static inline Val val_int(int64_t i) {
    return (Val){.kind = VAL_INT, .i = i};
}
static inline Val val_bool(bool b) {
    return val_int(b);
}
static inline Val val_atom(Atom atom) {
    return (Val){.kind = VAL_ATOM, .w = (uint16_t)atom};
}
static inline Val val_pair32(int32_t a, int32_t b) {
    return (Val){.kind = VAL_PAIR, .n = 2, .a = a, .b = b};
}
static inline Val val_triple32(int32_t i, int32_t j, int32_t c) {
    return (Val){.kind = VAL_TRIPLE, .n = (uint32_t)c, .a = i, .b = j};
}
static inline Val val_cell32(int32_t c, int32_t i, int32_t j) {
    return (Val){.kind = VAL_CELL, .n = (uint32_t)c, .a = i, .b = j};
}
static inline Val val_prim(uint32_t id) {
    return (Val){.kind = VAL_PRIM, .n = id};
}
static inline Val val_fail(Reason reason) {
    return (Val){.kind = VAL_FAIL, .w = (uint16_t)reason};
}
/* For a NULL from ctx_alloc or a false from ctx_charge: the reason is in the context. */
static inline Val val_fail_budget(const Ctx *ctx) {
    return val_fail(ctx->exhausted ? (Reason)ctx->exhausted : FAIL_MEMORY);
}
#define VAL_EMPTY_TUPLE ((Val){.kind = VAL_TUPLE})
#define VAL_EMPTY_SET ((Val){.kind = VAL_SET})

/* ---- questions ---- */

static inline bool val_failed(Val v) {
    return v.kind == VAL_FAIL;
}
/* The same for values that are only passed on. Reading the kind from the head keeps the value in its two
 * registers; reading a single field would make the compiler take it apart and reassemble it. */
static inline Kind val_head_kind(Val v) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (Kind)(uint16_t)v.head;
#else
    return (Kind)(v.head >> 48);
#endif
}
static inline uint32_t val_head_n(Val v) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint32_t)(v.head >> 32);
#else
    return (uint32_t)v.head;
#endif
}
static inline bool val_head_failed(Val v) {
    return val_head_kind(v) == VAL_FAIL;
}
static inline bool val_is_int(Val v) {
    return v.kind == VAL_INT;
}
static inline bool val_int_within(Val v, int64_t min, int64_t end) { /* an integer, below the end */
    return val_is_int(v) && v.i >= min && v.i < end;
}
static inline bool val_is_tuple(Val v) {
    return v.kind >= VAL_PAIR && v.kind <= VAL_TUPLE;
}
static inline bool val_is_set(Val v) {
    return v.kind >= VAL_SET && v.kind <= VAL_OBJ_BATT;
}
static inline bool val_is_container(Val v) {
    return v.kind >= VAL_PAIR && v.kind <= VAL_OBJ_BATT;
}
static inline bool val_is_fn(Val v) {
    return v.kind >= VAL_PRIM;
}
static inline bool val_is_keys(Val v) { /* a packed patch */
    return v.kind >= VAL_INDICES && v.kind <= VAL_OBJ_BATT;
}
static inline bool val_is_grid(Val v) { /* including () */
    return v.kind == VAL_GRID8 || v.kind == VAL_GRID64 || (v.kind == VAL_TUPLE && v.n == 0);
}
static inline bool val_is_atom(Val v, Atom atom) {
    return v.kind == VAL_ATOM && v.w == atom;
}
/* Number of elements of a container. */
static inline uint32_t val_len(Val v) {
    return v.kind == VAL_TRIPLE ? 3 : v.kind == VAL_CELL ? 2 : v.n;
}
static inline int32_t val_color(Val triple_or_cell) {
    return (int32_t)triple_or_cell.n;
}
/* A tuple of integers only (the empty tuple counts). */
static inline bool val_is_ints(Val v) {
    return v.kind == VAL_PAIR || v.kind == VAL_TRIPLE || v.kind == VAL_ROW8 || v.kind == VAL_ROW64 ||
           (v.kind == VAL_TUPLE && v.n == 0);
}
static inline int64_t val_ints_at(Val v, uint32_t k) { /* v is such a tuple and k < val_len(v) */
    ASSERT(val_is_ints(v) && k < val_len(v), "kind %u, element %u of %u", v.kind, k, val_len(v));
    switch (v.kind) {
    case VAL_PAIR:
        return k == 0 ? v.a : v.b;
    case VAL_TRIPLE:
        return k == 0 ? v.a : k == 1 ? v.b : val_color(v);
    case VAL_ROW8:
        return v.b8[k];
    default:
        return v.i64[k];
    }
}
/* Exactly two integers. False for anything else, including longer tuples. */
static inline bool val_get_pair(Val v, int64_t *a, int64_t *b) {
    if (LIKELY(v.kind == VAL_PAIR)) {
        *a = v.a;
        *b = v.b;
        return true;
    }
    if (v.kind == VAL_ROW64 && v.n == 2) {
        *a = v.i64[0];
        *b = v.i64[1];
        return true;
    }
    return false;
}
bool val_truth(Val v);

/* The cost of walking a value, as in comparing or copying it: one per value met, plus one per 64 bytes of
 * packed data. Known without walking: where it takes walking to find out, the constructor notes it in `w`, as
 * a small floating-point number of WEIGHT_BITS bits with an implied leading one, and an exponent above. */
enum { WEIGHT_BITS = 9 };
static inline uint64_t packed_weight(uint16_t w) {
    return (uint64_t)((1u << WEIGHT_BITS) + (w & ((1u << WEIGHT_BITS) - 1))) << (w >> WEIGHT_BITS) >>
           WEIGHT_BITS;
}
static inline uint64_t val_weight(Val v) {
    switch (v.kind) {
    case VAL_ROW8:
        return 1 + v.n / 64;
    case VAL_ROW64:
        return 1 + v.n / 8;
    case VAL_GRID8:
        return 1 + (uint64_t)v.n * v.w / 64;
    case VAL_GRID64:
        return 1 + (uint64_t)v.n * v.w / 8;
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return 1 + v.n / 16;
    case VAL_TUPLE:
    case VAL_SET:
    case VAL_CLOSURE:
        return packed_weight(v.w);
    default:
        return 1;
    }
}

/* Steps charged for comparing a with b (val_cost), or x with each element of c (val_probe_cost). Comparing
 * something that fits a register is free, or nearly so. */
enum { STEP_WEIGHT = 8 }; /* weight that one step pays for walking */
static inline uint64_t val_cost(Val a, Val b) {
    if (a.kind <= VAL_CELL || b.kind <= VAL_CELL) {
        return 0;
    }
    uint64_t wa = val_weight(a), wb = val_weight(b);
    return (wa < wb ? wa : wb) / STEP_WEIGHT;
}
/* To be called before comparing: false if there is no time left for it. Walking from value to value may take
 * eight times as long as the steps charged for it; the charge is still that of val_cost. */
static inline bool val_check_time(Ctx *ctx, Val a, Val b) {
    enum { HEAVY = 512 };
    if (LIKELY(ctx->budget.time_ns == 0)) {
        return true;
    }
    uint64_t cost = val_cost(a, b);
    return cost < HEAVY || ctx_check_time_ahead(ctx, STEP_WEIGHT * cost);
}
static inline uint64_t val_probe_cost(Val c, Val x) {
    uint64_t n = val_len(c);
    if (x.kind <= VAL_CELL) {
        return n / 32;
    }
    uint64_t all = val_weight(c), each = n * val_weight(x);
    return n / 16 + (all < each ? all : each) / STEP_WEIGHT;
}

/* ---- keys ---- */

enum { KEY_COORD = 2048, KEY_INDEX = 32768 }; /* coordinates from -KEY_x to KEY_x - 1 fit a key */

static inline bool key_fits_index(int64_t i, int64_t j) {
    return (uint64_t)i + KEY_INDEX < 2 * KEY_INDEX && (uint64_t)j + KEY_INDEX < 2 * KEY_INDEX;
}
static inline bool key_fits_cell(int64_t c, int64_t i, int64_t j) {
    return (uint64_t)c + 128 < 256 && (uint64_t)i + KEY_COORD < 2 * KEY_COORD &&
           (uint64_t)j + KEY_COORD < 2 * KEY_COORD;
}
static inline uint32_t key_index(int32_t i, int32_t j) {
    ASSERT(key_fits_index(i, j), "(%d, %d)", i, j);
    return (uint32_t)(i + KEY_INDEX) << 16 | (uint32_t)(j + KEY_INDEX);
}
static inline uint32_t key_core(int32_t c, int32_t i, int32_t j) {
    return (uint32_t)(c + 128) << 24 | (uint32_t)(i + KEY_COORD) << 12 | (uint32_t)(j + KEY_COORD);
}
static inline uint32_t key_batt(int32_t c, int32_t i, int32_t j) {
    return (uint32_t)(i + KEY_COORD) << 20 | (uint32_t)(j + KEY_COORD) << 8 | (uint32_t)(c + 128);
}
/* Row, column and color of a key, by the kind of its set (color of an index: 0). */
static inline int32_t key_row(unsigned kind, uint32_t k) {
    ASSERT(kind >= VAL_INDICES && kind <= VAL_OBJ_BATT, "kind %u", kind);
    return kind == VAL_INDICES    ? (int32_t)(k >> 16) - KEY_INDEX
           : kind == VAL_OBJ_CORE ? (int32_t)(k >> 12 & 0xfff) - KEY_COORD
                                  : (int32_t)(k >> 20) - KEY_COORD;
}
static inline int32_t key_col(unsigned kind, uint32_t k) {
    return kind == VAL_INDICES    ? (int32_t)(k & 0xffff) - KEY_INDEX
           : kind == VAL_OBJ_CORE ? (int32_t)(k & 0xfff) - KEY_COORD
                                  : (int32_t)(k >> 8 & 0xfff) - KEY_COORD;
}
static inline int32_t key_color(unsigned kind, uint32_t k) {
    return kind == VAL_INDICES    ? 0
           : kind == VAL_OBJ_CORE ? (int32_t)(k >> 24) - 128
                                  : (int32_t)(k & 0xff) - 128;
}
static inline Val key_val(unsigned kind, uint32_t k) {
    int32_t i = key_row(kind, k), j = key_col(kind, k);
    return kind == VAL_INDICES    ? val_pair32(i, j)
           : kind == VAL_OBJ_CORE ? val_cell32(key_color(kind, k), i, j)
                                  : val_triple32(i, j, key_color(kind, k));
}
static inline Kind ctx_object_kind(const Ctx *ctx) { /* kind of a packed object in the current mode */
    return ctx->mode == MODE_CORE ? VAL_OBJ_CORE : VAL_OBJ_BATT;
}

/* ---- elements ---- */

static inline Val val_row8(const int8_t *cells, uint32_t w) { /* a row of bytes as a value; needs no memory */
    ASSERT(w <= LIMIT_ELEMENTS && (w == 0 || cells != NULL), "w %u, cells %p", w, (const void *)cells);
    switch (w) {
    case 0:
        return VAL_EMPTY_TUPLE;
    case 2:
        return val_pair32(cells[0], cells[1]);
    case 3:
        return val_triple32(cells[0], cells[1], cells[2]);
    default:
        return (Val){.kind = VAL_ROW8, .n = w, .b8 = cells};
    }
}
Val val_row64(const int64_t *cells, uint32_t w); /* likewise; may be a VAL_ROW64 of small numbers */
Val val_at_slow(Val container, uint32_t k);

/* k-th element of a container in iteration order, k < val_len. */
static inline Val val_at(Val c, uint32_t k) {
    ASSERT(val_is_container(c) && k < val_len(c), "kind %u, element %u of %u", c.kind, k, val_len(c));
    switch (c.kind) {
    case VAL_TUPLE:
    case VAL_SET:
        return c.v[k];
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return key_val(c.kind, c.k[k]);
    case VAL_GRID8:
        return val_row8(c.b8 + (size_t)k * c.w, c.w);
    default:
        return val_at_slow(c, k);
    }
}

/* ---- constructors that may fail (LIMIT, or the budget) ---- */

/* A buffer for n values (or keys), to be passed to one of the constructors below. If it is NULL, return
 * val_fail_budget(). */
static inline Val *val_buffer(Ctx *ctx, size_t n) {
    return n > LIMIT_ELEMENTS ? NULL : ctx_alloc(ctx, n * sizeof(Val));
}
static inline uint32_t *key_buffer(Ctx *ctx, size_t n) {
    return n > LIMIT_ELEMENTS ? NULL : ctx_alloc(ctx, n * sizeof(uint32_t));
}
Val val_pair(Ctx *ctx, int64_t a, int64_t b);
Val val_ints(Ctx *ctx, const int64_t *items, uint32_t n); /* tuple of integers; copies */
/* items come from val_buffer, and are kept or dropped; none has failed */
Val val_tuple(Ctx *ctx, Val *items, uint32_t n);
Val val_tuple2(Ctx *ctx, Val a, Val b);
/* A VAL_TUPLE or VAL_SET of items that cannot be packed: those of a tuple are neither all integers nor all
 * rows of one length; those of a set ascend and do not all fit one kind of key. Fails with FAIL_LIMIT if too
 * heavy. */
Val val_plain(Kind kind, const Val *items, uint32_t n);
/* The same, where vals_weight of the items is known. */
Val val_weighed(Kind kind, const Val *items, uint32_t n, uint64_t weight);
Val val_set(Ctx *ctx, Val *items, uint32_t n);        /* sorts and removes duplicates in place; keeps items */
Val val_set_sorted(Ctx *ctx, Val *items, uint32_t n); /* items ascend, without duplicates */
/* sorts and removes duplicates in place; keeps keys */
Val val_keys(Ctx *ctx, Kind kind, uint32_t *keys, uint32_t n);
static inline Val val_keys_sorted(Kind kind, const uint32_t *keys, uint32_t n) {
    return n == 0 ? VAL_EMPTY_SET : (Val){.kind = (uint16_t)kind, .n = n, .k = keys};
}
/* h rows of w bytes that live in the arena. */
static inline Val val_grid8(const int8_t *cells, uint32_t h, uint32_t w) {
    ASSERT(w <= LIMIT_WIDTH, "h %u, w %u", h, w);
    return h == 0 ? VAL_EMPTY_TUPLE
                  : VAL_CHECKED(((Val){.kind = VAL_GRID8, .w = (uint16_t)w, .n = h, .b8 = cells}));
}
Val val_grid64(Ctx *ctx, const int64_t *cells, uint32_t h, uint32_t w); /* narrows if all cells fit a byte */
/* Cells for a new grid of bytes; NULL with *why set (LIMIT or the budget). GRID_SPARE bytes follow the last
 * cell, so that rows can be written in blocks. */
enum { GRID_SPARE = 32 };
int8_t *grid_buffer(Ctx *ctx, int64_t h, int64_t w, Reason *why);
/* The same for a grid of the size of this one; FAIL_TYPE: it is not a grid of bytes. */
int8_t *grid_buffer_like(Ctx *ctx, Val grid, Reason *why);
/* A cell in the layout of the context's mode. */
Val val_cell(Ctx *ctx, int64_t color, int64_t i, int64_t j);
Val val_closure(Ctx *ctx, ClosureOp op, unsigned arity, Val p0, Val p1, Val p2);
Val val_closure_slow(Ctx *ctx, ClosureOp op, unsigned arity, const Val *parts, uint32_t n);
/* The same of the first n parts; the others are 0. Mostly they are primitives and numbers, whose weight is 1
 * each. */
INLINE Val val_closure_of(Ctx *ctx, ClosureOp op, unsigned arity, const Val *parts, const uint32_t n) {
    bool light = true;
    for (uint32_t k = 0; k < n; k++) {
        light &= parts[k].kind <= VAL_CELL || parts[k].kind == VAL_PRIM;
    }
    Closure *f = light ? ctx_alloc(ctx, sizeof *f) : NULL;
    if (UNLIKELY(f == NULL)) {
        return light ? val_fail_budget(ctx) : val_closure_slow(ctx, op, arity, parts, n);
    }
    f->op = (uint8_t)op;
    f->arity = (uint8_t)arity;
    f->id = ctx->closures++;
    for (uint32_t k = 0; k < CLOSURE_PARTS; k++) {
        f->part[k] = k < n ? parts[k] : val_int(0);
    }
    enum { WEIGHT = 2 << WEIGHT_BITS }; /* four, with the closure itself */
    return (Val){.kind = VAL_CLOSURE, .w = WEIGHT, .f = f};
}

/* ---- relations (engine/value/compare.c) ---- */

bool val_eq(Val a, Val b); /* nan equals itself here */
static inline bool vals_eq(const Val *a, const Val *b, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        if (!val_eq(a[k], b[k])) {
            return false;
        }
    }
    return true;
}
bool val_eq_direct(Val a, Val b); /* like `equality`: nan equals nothing */
int val_cmp(Val a, Val b);        /* canonical order: <0, 0, >0; total */
/* The same for values of any kind that are mostly patches or rows: these usually differ in what comes first.
 */
static inline int val_cmp_inline(Val a, Val b) {
    if (a.kind == b.kind && a.kind >= VAL_INDICES && a.kind <= VAL_OBJ_BATT && a.k[0] != b.k[0]) {
        return a.k[0] < b.k[0] ? -1 : 1;
    }
    if (a.kind == VAL_ROW8 && b.kind == VAL_ROW8 && a.b8[0] != b.b8[0]) {
        return a.b8[0] < b.b8[0] ? -1 : 1;
    }
    return val_cmp(a, b);
}
bool val_kcmp(Val a, Val b, int *order); /* comparison of keys for max, min, sorting; false: not comparable */
bool val_contains(Val container, Val x);
bool set_find(Val set, Val x, uint32_t *at); /* where x is in a VAL_SET, or where it belongs if absent */
uint64_t val_hash(Val v, uint64_t seed);     /* equal values hash equally */

uint64_t vals_weight(const Val *items, uint32_t n); /* of all items together */
/* Sort n > 0 values ascending and remove duplicates; returns how many are left, 0: out of budget. */
uint32_t vals_sort_unique(Ctx *ctx, Val *items, uint32_t n);
/* Sort keys ascending and remove duplicates; returns how many are left. tmp has room for n keys. */
uint32_t keys_sort_unique(uint32_t *keys, uint32_t n, uint32_t *tmp);
/* The same for n > 0 keys of a kind that lie close together. 0: they do not, and are unchanged. */
uint32_t keys_sort_bits(Kind kind, uint32_t *keys, uint32_t n);

/* ---- copies that outlive the arena ---- */

size_t val_deep_size(Val v);
/* *cursor: 16-byte aligned, with room for val_deep_size(v) bytes; advanced past the copy */
Val val_deep_copy(Val v, char **cursor);

#endif
