/* Equality, canonical order, key order and hashing of values, however they are stored. */
#define XXH_INLINE_ALL
#include "engine/value/value.h"

#include <string.h>
#include <xxhash.h>

/* none < numbers < tuples < sets < functions */
static inline int kind_rank(Val v) {
    static const uint8_t ranks[] = {
        [VAL_FAIL] = 4,  [VAL_ATOM] = 1,   [VAL_INT] = 1,     [VAL_PAIR] = 2,     [VAL_TRIPLE] = 2,
        [VAL_CELL] = 2,  [VAL_ROW8] = 2,   [VAL_ROW64] = 2,   [VAL_GRID8] = 2,    [VAL_GRID64] = 2,
        [VAL_TUPLE] = 2, [VAL_SET] = 3,    [VAL_INDICES] = 3, [VAL_OBJ_CORE] = 3, [VAL_OBJ_BATT] = 3,
        [VAL_PRIM] = 4,  [VAL_CLOSURE] = 4};
    return UNLIKELY(val_is_atom(v, ATOM_NONE)) ? 0 : ranks[v.kind];
}

static inline int three_way(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int number_rank(Val v) { /* -inf < integers < +inf < nan */
    return v.kind == VAL_INT ? 1 : v.w == ATOM_NEG_INF ? 0 : v.w == ATOM_POS_INF ? 2 : 3;
}

static int cmp_keys(Val a, Val b) {
    uint32_t n = a.n < b.n ? a.n : b.n;
    for (uint32_t k = 0; k < n; k++) {
        if (a.k[k] != b.k[k]) {
            return a.k[k] < b.k[k] ? -1 : 1;
        }
    }
    return three_way(a.n, b.n);
}

static int cmp_bytes(const int8_t *a, const int8_t *b, size_t n) {
    size_t k = 0;
    for (; k + 8 <= n; k += 8) { /* skip equal bytes eight at a time */
        uint64_t x, y;
        memcpy(&x, a + k, 8);
        memcpy(&y, b + k, 8);
        if (x != y) {
            break;
        }
    }
    for (; k < n; k++) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return 0;
}

/* Whether n bytes are equal. Most values are so short that a call of memcmp would take longer. */
static inline bool eq_bytes(const void *a, const void *b, size_t n) {
    const char *x = a, *y = b;
    enum { FEW = 64 };
    if (n > FEW) {
        return memcmp(a, b, n) == 0;
    }
    if (n >= 8) {
        uint64_t p, q;
        for (size_t k = 0; k + 8 < n; k += 8) {
            memcpy(&p, x + k, 8);
            memcpy(&q, y + k, 8);
            if (p != q) {
                return false;
            }
        }
        memcpy(&p, x + n - 8, 8);
        memcpy(&q, y + n - 8, 8);
        return p == q;
    }
    if (n >= 4) {
        uint32_t p[2], q[2];
        memcpy(&p[0], x, 4);
        memcpy(&p[1], x + n - 4, 4);
        memcpy(&q[0], y, 4);
        memcpy(&q[1], y + n - 4, 4);
        return p[0] == q[0] && p[1] == q[1];
    }
    for (size_t k = 0; k < n; k++) {
        if (x[k] != y[k]) {
            return false;
        }
    }
    return true;
}

static int cmp_wide(const int64_t *a, const int64_t *b, size_t n) {
    size_t k = 0;
    while (k < n && a[k] == b[k]) {
        k++;
    }
    return k < n ? three_way(a[k], b[k]) : 0;
}

static int cmp_elements(Val a, Val b) {
    uint32_t na = val_len(a), nb = val_len(b), n = na < nb ? na : nb;
    if (val_is_ints(a) && val_is_ints(b)) {
        for (uint32_t k = 0; k < n; k++) {
            int64_t x = val_ints_at(a, k), y = val_ints_at(b, k);
            if (x != y) {
                return x < y ? -1 : 1;
            }
        }
        return three_way(na, nb);
    }
    for (uint32_t k = 0; k < n; k++) {
        int c = val_cmp(val_at(a, k), val_at(b, k));
        if (c != 0) {
            return c;
        }
    }
    return three_way(na, nb);
}

static int cmp_functions(Val a, Val b) {
    if (a.kind != b.kind) {
        return a.kind == VAL_PRIM ? -1 : 1;
    }
    return a.kind == VAL_PRIM ? three_way(a.n, b.n) : three_way(a.f->id, b.f->id);
}

/* For two values of the same kind, the common case. False: they must be compared element by element. */
static inline bool cmp_alike(Val a, Val b, int *order) {
    switch (a.kind) {
    case VAL_INT:
        *order = three_way(a.i, b.i);
        return true;
    case VAL_CELL:
        if (a.n != b.n) {
            *order = three_way(val_color(a), val_color(b));
            return true;
        }
        *order = a.a != b.a ? three_way(a.a, b.a) : three_way(a.b, b.b);
        return true;
    case VAL_PAIR:
    case VAL_TRIPLE: /* all pairs have the same n */
        *order = a.a != b.a   ? three_way(a.a, b.a)
                 : a.b != b.b ? three_way(a.b, b.b)
                              : three_way(val_color(a), val_color(b));
        return true;
    case VAL_GRID8:
        if (a.w != b.w) { /* then the first rows differ, at least in their lengths */
            *order = cmp_bytes(a.b8, b.b8, a.w < b.w ? a.w : b.w);
            *order = *order != 0 ? *order : three_way(a.w, b.w);
            return true;
        }
        *order = cmp_bytes(a.b8, b.b8, (size_t)(a.n < b.n ? a.n : b.n) * a.w);
        *order = *order != 0 ? *order : three_way(a.n, b.n);
        return true;
    case VAL_ROW8:
        *order = cmp_bytes(a.b8, b.b8, a.n < b.n ? a.n : b.n);
        *order = *order != 0 ? *order : three_way(a.n, b.n);
        return true;
    case VAL_GRID64:
        if (a.w != b.w) {
            return false;
        }
        *order = cmp_wide(a.i64, b.i64, (size_t)(a.n < b.n ? a.n : b.n) * a.w);
        *order = *order != 0 ? *order : three_way(a.n, b.n);
        return true;
    case VAL_ROW64:
        *order = cmp_wide(a.i64, b.i64, a.n < b.n ? a.n : b.n);
        *order = *order != 0 ? *order : three_way(a.n, b.n);
        return true;
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        *order = cmp_keys(a, b);
        return true;
    default:
        return false;
    }
}

int val_cmp(Val a, Val b) {
    int order;
    if (LIKELY(a.kind == b.kind) && LIKELY(cmp_alike(a, b, &order))) {
        return order;
    }
    int ra = kind_rank(a), rb = kind_rank(b);
    if (ra != rb) {
        return ra - rb;
    }
    switch (ra) {
    case 0:
        return 0;
    case 1:
        return number_rank(a) - number_rank(b);
    case 2:
    case 3:
        return cmp_elements(a, b);
    default:
        return cmp_functions(a, b);
    }
}

/* Decides inline whatever needs no pointer to be followed. */
static inline bool eq_inline(Val a, Val b) {
    if (a.kind <= VAL_CELL) {
        return a.kind == b.kind && a.w == b.w && a.n == b.n && a.i == b.i;
    }
    return val_eq(a, b);
}

bool val_eq(Val a, Val b) {
    if (a.kind != b.kind) {
        bool rows =
            (a.kind == VAL_ROW8 && b.kind == VAL_ROW64) || (a.kind == VAL_ROW64 && b.kind == VAL_ROW8);
        return rows && a.n == b.n && cmp_elements(a, b) == 0;
    }
    switch (a.kind) {
    case VAL_INT:
        return a.i == b.i;
    case VAL_ATOM:
        return a.w == b.w;
    case VAL_PAIR:
    case VAL_TRIPLE:
    case VAL_CELL:
        return a.n == b.n && a.i == b.i;
    case VAL_ROW8:
        return a.n == b.n && eq_bytes(a.b8, b.b8, a.n);
    case VAL_ROW64:
        return a.n == b.n && eq_bytes(a.i64, b.i64, (size_t)a.n * 8);
    case VAL_GRID8:
        return a.n == b.n && a.w == b.w && (a.b8 == b.b8 || eq_bytes(a.b8, b.b8, (size_t)a.n * a.w));
    case VAL_GRID64:
        return a.n == b.n && a.w == b.w && eq_bytes(a.i64, b.i64, (size_t)a.n * a.w * 8);
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return a.n == b.n && (a.k == b.k || eq_bytes(a.k, b.k, (size_t)a.n * 4));
    case VAL_TUPLE:
    case VAL_SET:
        if (a.n != b.n || a.v == b.v) {
            return a.n == b.n;
        }
        for (uint32_t k = 0; k < a.n; k++) {
            if (!eq_inline(a.v[k], b.v[k])) {
                return false;
            }
        }
        return true;
    case VAL_PRIM:
        return a.n == b.n;
    case VAL_CLOSURE:
        return a.f->id == b.f->id;
    default:
        return false;
    }
}

bool val_eq_direct(Val a, Val b) {
    return !val_is_atom(a, ATOM_NAN) && val_eq(a, b);
}

bool val_kcmp(Val a, Val b, int *order) {
    if (a.kind == VAL_INT && b.kind == VAL_INT) {
        *order = three_way(a.i, b.i);
        return true;
    }
    if (a.kind == b.kind && a.kind >= VAL_PAIR && a.kind <= VAL_GRID64 && cmp_alike(a, b, order)) {
        return true; /* these hold only integers, which are always comparable */
    }
    int ra = kind_rank(a), rb = kind_rank(b);
    if (ra != rb || ra == 0 || ra == 4 || val_is_atom(a, ATOM_NAN) || val_is_atom(b, ATOM_NAN)) {
        return false;
    }
    if (ra == 1) {
        *order = number_rank(a) - number_rank(b);
        return true;
    }
    uint32_t na = val_len(a), nb = val_len(b);
    if (ra == 2) {
        for (uint32_t k = 0; k < na && k < nb; k++) {
            Val x = val_at(a, k), y = val_at(b, k);
            if (!val_kcmp(x, y, order)) {
                if (!val_eq(x, y)) { /* equal components tie even if they have no order, such as none */
                    return false;
                }
            } else if (*order != 0) {
                return true;
            }
        }
    }
    *order = three_way(na, nb);
    return true;
}

static bool keys_contain(Val set, uint32_t key) {
    uint32_t lo = 0, n = set.n;
    while (n > 1) {
        uint32_t half = n / 2;
        lo = set.k[lo + half] <= key ? lo + half : lo;
        n -= half;
    }
    return set.k[lo] == key;
}

static bool grid_has_row(Val grid, Val x) {
    if (!val_is_ints(x) || val_len(x) != grid.w) {
        return false;
    }
    if (x.kind == VAL_PAIR) {
        for (uint32_t k = 0; k < grid.n; k++) {
            if (grid.b8[2 * (size_t)k] == x.a && grid.b8[2 * (size_t)k + 1] == x.b) {
                return true;
            }
        }
        return false;
    }
    for (uint32_t k = 0; k < grid.n; k++) {
        const int8_t *row = grid.b8 + (size_t)k * grid.w;
        if (x.kind == VAL_ROW8 ? eq_bytes(row, x.b8, grid.w) : val_eq(val_row8(row, grid.w), x)) {
            return true;
        }
    }
    return false;
}

bool set_find(Val set, Val x, uint32_t *at) {
    uint32_t lo = 0, hi = set.n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        int order = val_cmp_inline(set.v[mid], x);
        if (order == 0) {
            *at = mid;
            return true;
        }
        if (order < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    *at = lo;
    return false;
}

/* Equal values have the same kind and count, except rows, which may be stored in two ways. Weights may
 * differ: a row stored widely is heavier. */
static bool values_contain(Val c, Val x) {
    if (x.kind <= VAL_CELL) {
        for (uint32_t k = 0; k < c.n; k++) { /* c.v may be NULL */
            if (c.v[k].i == x.i && c.v[k].head == x.head) {
                return true;
            }
        }
        return false;
    }
    bool row = x.kind == VAL_ROW8 || x.kind == VAL_ROW64;
    for (uint32_t k = 0; k < c.n; k++) {
        Val v = c.v[k];
        bool likely = v.kind == x.kind ? v.n == x.n : row && v.kind + x.kind == VAL_ROW8 + VAL_ROW64;
        if (likely && val_eq(v, x)) {
            return true;
        }
    }
    return false;
}

bool val_contains(Val c, Val x) {
    switch (c.kind) {
    case VAL_INDICES:
        return x.kind == VAL_PAIR && key_fits_index(x.a, x.b) && keys_contain(c, key_index(x.a, x.b));
    case VAL_OBJ_CORE:
        return x.kind == VAL_CELL && key_fits_cell(val_color(x), x.a, x.b) &&
               keys_contain(c, key_core(val_color(x), x.a, x.b));
    case VAL_OBJ_BATT:
        return x.kind == VAL_TRIPLE && key_fits_cell(val_color(x), x.a, x.b) &&
               keys_contain(c, key_batt(val_color(x), x.a, x.b));
    case VAL_GRID8:
        return grid_has_row(c, x);
    case VAL_SET:
        if (c.n > 8) {
            uint32_t at;
            return set_find(c, x, &at);
        }
        break;
    case VAL_ROW8:
        return x.kind == VAL_INT && x.i == (int8_t)x.i && memchr(c.b8, (int)(uint8_t)x.i, c.n) != NULL;
    case VAL_ROW64:
        if (x.kind != VAL_INT) {
            return false;
        }
        break;
    default:
        break;
    }
    if (c.kind == VAL_TUPLE || c.kind == VAL_SET) {
        return values_contain(c, x);
    }
    for (uint32_t k = 0, n = val_len(c); k < n; k++) {
        if (eq_inline(val_at(c, k), x)) {
            return true;
        }
    }
    return false;
}

static uint64_t hash_elements(Val v, uint64_t seed) {
    uint64_t h = seed;
    for (uint32_t k = 0, n = val_len(v); k < n; k++) {
        h = val_hash(val_at(v, k), h + k + 1);
    }
    return h;
}

/* A wide row may hold only small numbers (see value.h); it must then hash like the VAL_ROW8 it equals. Not
 * inlined into the recursive functions because its state takes a kilobyte of stack. */
static __attribute__((noinline)) uint64_t hash_row64(Val v, uint64_t seed) {
    int8_t small[256];
    uint32_t k = 0;
    while (k < v.n && v.i64[k] == (int8_t)v.i64[k]) {
        k++;
    }
    if (k < v.n) {
        return XXH3_64bits_withSeed(v.i64, (size_t)v.n * 8, seed + VAL_ROW64);
    }
    XXH3_state_t whole;
    XXH3_INITSTATE(&whole); /* a seeded reset reads the previous state */
    XXH3_64bits_reset_withSeed(&whole, seed + VAL_ROW8);
    for (uint32_t at = 0; at < v.n; at += (uint32_t)sizeof small) {
        uint32_t n = v.n - at < sizeof small ? v.n - at : (uint32_t)sizeof small;
        for (k = 0; k < n; k++) {
            small[k] = (int8_t)v.i64[at + k];
        }
        XXH3_64bits_update(&whole, small, n);
    }
    return XXH3_64bits_digest(&whole);
}

/* For values that hold no other values. Not inlined into val_hash for the same reason: xxHash's secrets and
 * state are large. */
static __attribute__((noinline)) uint64_t hash_leaf(Val v, uint64_t seed) {
    switch (v.kind) {
    case VAL_ROW8:
        return XXH3_64bits_withSeed(v.b8, v.n, seed + VAL_ROW8);
    case VAL_ROW64:
        return hash_row64(v, seed);
    case VAL_GRID8:
        return XXH3_64bits_withSeed(v.b8, (size_t)v.n * v.w,
                                    seed + ((uint64_t)v.w << 32 | v.n) * 32 + VAL_GRID8);
    case VAL_GRID64:
        return XXH3_64bits_withSeed(v.i64, (size_t)v.n * v.w * 8,
                                    seed + ((uint64_t)v.w << 32 | v.n) * 32 + VAL_GRID64);
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return XXH3_64bits_withSeed(v.k, (size_t)v.n * 4, seed + v.kind);
    case VAL_CLOSURE: {
        uint64_t id = v.f->id;
        return XXH3_64bits_withSeed(&id, sizeof id, seed + VAL_CLOSURE);
    }
    default: {
        uint64_t words[2] = {(uint64_t)v.kind << 48 | (uint64_t)v.w << 32 | v.n, (uint64_t)v.i};
        return XXH3_64bits_withSeed(words, sizeof words, seed);
    }
    }
}

uint64_t val_hash(Val v, uint64_t seed) {
    if (v.kind == VAL_TUPLE || v.kind == VAL_SET) {
        return hash_elements(v, seed + v.kind + ((uint64_t)v.n << 8));
    }
    return hash_leaf(v, seed);
}
