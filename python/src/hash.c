/* Hashes values as Python does, so that a value and an equal tuple or frozenset are the same key in dicts and
 * sets.
 *
 * The functions are those of CPython 3.11 and later (Objects/tupleobject.c, Objects/setobject.c). If this
 * Python hashes differently, which is tested once, values are converted to Python's own objects and hashed by
 * Python. */
#include "batt_python.h"

static int by_python; /* this Python hashes differently */
static Py_hash_t none_hash;

#define PRIME_1 11400714785074694791ULL
#define PRIME_2 14029467366897019727ULL
#define PRIME_5 2870177450012600261ULL

static Py_hash_t hash_int(int64_t i) {
    const uint64_t modulus = ((uint64_t)1 << 61) - 1;
    uint64_t magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    Py_hash_t h = (Py_hash_t)(magnitude % modulus);
    h = i < 0 ? -h : h;
    return h == -1 ? -2 : h;
}

typedef struct TupleHash {
    uint64_t acc, n;
} TupleHash;

static void tuple_add(TupleHash *t, Py_hash_t lane) {
    t->acc += (uint64_t)lane * PRIME_2;
    t->acc = (t->acc << 31 | t->acc >> 33) * PRIME_1;
    t->n++;
}

static Py_hash_t tuple_end(const TupleHash *t) {
    uint64_t acc = t->acc + (t->n ^ (PRIME_5 ^ 3527539ULL));
    return acc == (uint64_t)-1 ? 1546275796 : (Py_hash_t)acc;
}

#define TUPLE_START ((TupleHash){PRIME_5, 0})

static uint64_t shuffle(uint64_t h) {
    return ((h ^ 89869747ULL) ^ (h << 16)) * 3644798167ULL;
}

static Py_hash_t set_end(uint64_t mixed, uint64_t n) {
    uint64_t h = mixed ^ ((n + 1) * 1927868237ULL);
    h ^= (h >> 11) ^ (h >> 25);
    h = h * 69069U + 907133923ULL;
    return h == (uint64_t)-1 ? 590923713 : (Py_hash_t)h;
}

static Py_hash_t hash_pair(Py_hash_t a, Py_hash_t b) {
    TupleHash t = TUPLE_START;
    tuple_add(&t, a);
    tuple_add(&t, b);
    return tuple_end(&t);
}

static Py_hash_t hash_grid(const int8_t *cells, int rows, int columns) {
    TupleHash all = TUPLE_START;
    for (int i = 0; i < rows; i++) {
        TupleHash row = TUPLE_START;
        for (int j = 0; j < columns; j++) {
            tuple_add(&row, hash_int(cells[i * columns + j]));
        }
        tuple_add(&all, tuple_end(&row));
    }
    return tuple_end(&all);
}

static Py_hash_t hash_patch(const batt_value *v, int kind) {
    size_t n = batt_value_size(v);
    int32_t *cells = PyMem_Malloc(n * 3 * sizeof *cells), *at = cells;
    uint64_t mixed = 0;
    if (cells == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    batt_value_patch(v, cells, n);
    for (size_t k = 0; k < n; k++, at += kind == 2 ? 2 : 3) {
        Py_hash_t h;
        if (kind == 2) {
            h = hash_pair(hash_int(at[0]), hash_int(at[1]));
        } else if (kind == 3) {
            h = hash_pair(hash_int(at[0]), hash_pair(hash_int(at[1]), hash_int(at[2])));
        } else {
            TupleHash t = TUPLE_START;
            tuple_add(&t, hash_int(at[1]));
            tuple_add(&t, hash_int(at[2]));
            tuple_add(&t, hash_int(at[0]));
            h = tuple_end(&t);
        }
        mixed ^= shuffle((uint64_t)h);
    }
    PyMem_Free(cells);
    return set_end(mixed, n);
}

static Py_hash_t hash_own(const batt_value *v);

static Py_hash_t hash_elements(const batt_value *v, int set) {
    TupleHash t = TUPLE_START;
    uint64_t mixed = 0, n = batt_value_size(v);
    for (size_t k = 0; k < n; k++) {
        batt_value *element = batt_value_at(v, k);
        Py_hash_t h = element != NULL ? hash_own(element) : (PyErr_NoMemory(), -1);
        batt_release(element);
        if (h == -1) {
            return -1;
        }
        mixed ^= shuffle((uint64_t)h);
        tuple_add(&t, h);
    }
    return set ? set_end(mixed, n) : tuple_end(&t);
}

static Py_hash_t hash_own(const batt_value *v) {
    int rows, columns, patch;
    switch (batt_value_kind(v)) {
    case BATT_INT:
        return hash_int(batt_value_int(v));
    case BATT_NONE:
        return none_hash;
    case BATT_INF:
        return 314159;
    case BATT_NEG_INF:
        return -314159;
    case BATT_TUPLE:
        if (batt_value_grid(v, &rows, &columns)) {
            return hash_grid(batt_value_cells_in_place(v), rows, columns);
        }
        return hash_elements(v, 0);
    case BATT_SET:
        patch = batt_value_patch_kind(v);
        return patch != 0 ? hash_patch(v, patch) : hash_elements(v, 1);
    default: { /* nan, functions */
        Py_hash_t h = (Py_hash_t)batt_value_hash(v);
        return h == -1 ? -2 : h;
    }
    }
}

Py_hash_t value_hash(const batt_value *v) {
    int kind = batt_value_kind(v);
    if (!by_python || kind == BATT_FUNCTION) {
        return hash_own(v);
    }
    PyObject *plain = plain_of(v, BATT_MODE_CORE);
    Py_hash_t h = plain != NULL ? PyObject_Hash(plain) : -1;
    Py_XDECREF(plain);
    return h;
}

int value_hash_ready(void) {
    static const char tried[] =
        "(1, -1, (), {}, {1, 2}, (3, (4, 5)), ((1, 2), (3, 4)), {(5, (6, 7)), (1, (2, 3))}, inf, None, "
        "1234567890123456789, {(1, 2), (3, -1)}, {(1, 2, 3)}, {{1}, ((0,),)})";
    none_hash = PyObject_Hash(Py_None);
    batt_context *context = context_take();
    batt_value *v = context != NULL ? batt_literal(context, tried, sizeof tried - 1) : NULL;
    PyObject *plain = v != NULL ? plain_of(v, BATT_MODE_CORE) : NULL;
    Py_hash_t theirs = plain != NULL ? PyObject_Hash(plain) : -1;
    if (theirs != -1) {
        by_python = hash_own(v) != theirs;
    } else if (!PyErr_Occurred()) {
        raise_fault(context);
    }
    batt_release(v);
    Py_XDECREF(plain);
    context_give(context);
    return theirs != -1 ? 0 : -1;
}
