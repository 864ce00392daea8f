/* Checks that a value has the one representation that value.h prescribes. Used only in the checked build, by
 * constructors and by the dispatch of primitive calls. */
#include "engine/value/value.h"

#ifdef BATT_CHECKED

#include "base/check.h"

/* Large values are not checked completely: that would exceed time budgets that hold in other builds. */
enum { MAX_KEYS = 1 << 14, MAX_ITEMS = 256, MAX_COMPARED = 1 << 12 };

static bool fits8(int64_t x) {
    return x == (int8_t)x;
}

static bool fits32(int64_t x) {
    return x == (int32_t)x;
}

static const char *row_wrong(Val v) {
    if (v.n == 0 || v.n > LIMIT_ELEMENTS || v.b8 == NULL) {
        return "a row without elements, with too many, or without memory";
    }
    if (v.kind == VAL_ROW8) {
        return v.n == 2 || v.n == 3 ? "a pair or triple as a row of bytes" : NULL;
    }
    if (v.n == 2 || v.n == 3) {
        for (uint32_t k = 0; k < v.n; k++) {
            if (!fits32(v.i64[k])) {
                return NULL;
            }
        }
        return "a pair or triple as a wide row";
    }
    return NULL; /* a row of a wide grid may hold small numbers */
}

static const char *grid_wrong(Val v) {
    uint64_t cells = (uint64_t)v.n * v.w;
    if (v.n == 0 || v.n > LIMIT_ELEMENTS || v.w > LIMIT_WIDTH || cells > LIMIT_ELEMENTS) {
        return "a grid without rows, or too large";
    }
    if (cells != 0 && v.b8 == NULL) {
        return "a grid without memory";
    }
    if (v.kind == VAL_GRID64) {
        for (uint64_t k = 0; k < cells; k++) {
            if (!fits8(v.i64[k])) {
                return NULL;
            }
        }
        return "a wide grid of bytes";
    }
    return NULL;
}

static const char *keys_wrong(Val v) {
    if (v.n == 0 || v.n > LIMIT_ELEMENTS || v.k == NULL) {
        return "a packed set that is empty, too large, or without memory";
    }
    for (uint32_t k = 1; k < v.n && k < MAX_KEYS; k++) {
        if (v.k[k - 1] >= v.k[k]) {
            return "keys that do not ascend";
        }
    }
    return v.n > MAX_KEYS && v.k[v.n - 2] >= v.k[v.n - 1] ? "keys that do not ascend" : NULL;
}

static Kind key_kind(Val v) {
    return v.kind == VAL_PAIR && key_fits_index(v.a, v.b)                  ? VAL_INDICES
           : v.kind == VAL_CELL && key_fits_cell(val_color(v), v.a, v.b)   ? VAL_OBJ_CORE
           : v.kind == VAL_TRIPLE && key_fits_cell(val_color(v), v.a, v.b) ? VAL_OBJ_BATT
                                                                           : VAL_SET;
}

static const char *set_wrong(Val v) {
    bool packed = key_kind(v.v[0]) != VAL_SET;
    uint64_t compared = 0;
    for (uint32_t k = 1; k < v.n; k++) {
        packed = packed && key_kind(v.v[k]) == key_kind(v.v[0]);
        compared += val_weight(v.v[k]);
        if (compared < MAX_COMPARED && val_cmp(v.v[k - 1], v.v[k]) >= 0) {
            return "a set whose elements do not ascend";
        }
    }
    return packed ? "a set of cells that is not packed" : NULL;
}

static const char *tuple_wrong(Val v) {
    bool ints = true, rows = val_is_ints(v.v[0]);
    uint32_t w = val_is_container(v.v[0]) ? val_len(v.v[0]) : 0;
    for (uint32_t k = 0; k < v.n && (ints || rows); k++) {
        ints = ints && val_is_int(v.v[k]);
        rows = rows && val_is_ints(v.v[k]) && val_len(v.v[k]) == w;
    }
    if (ints || rows) {
        return ints ? "a tuple of integers that is not packed" : "rows of one length that are no grid";
    }
    bool cell = v.n == 2 && val_is_int(v.v[0]) && v.v[1].kind == VAL_PAIR && fits32(v.v[0].i);
    return cell ? "a cell that is not packed" : NULL;
}

static const char *items_wrong(Val v) {
    if (v.n == 0) {
        return v.w != 0 ? "an empty container with a weight" : NULL;
    }
    if (v.n > LIMIT_ELEMENTS || v.v == NULL) {
        return "a container that is too large, or without memory";
    }
    for (uint32_t k = 0; k < v.n && k < MAX_ITEMS; k++) {
        if (v.v[k].kind > VAL_CLOSURE || val_failed(v.v[k])) {
            return "an element that is no value, or has failed";
        }
    }
    if (val_weight(v) < 1 + v.n) {
        return "a container lighter than its elements";
    }
    return v.kind == VAL_SET ? set_wrong(v) : tuple_wrong(v);
}

const char *val_wrong(Val v) {
    switch ((Kind)v.kind) {
    case VAL_FAIL:
        return v.w < FAIL_REASONS ? NULL : "a failure without a reason";
    case VAL_ATOM:
        return v.w <= ATOM_NAN ? NULL : "an unknown atom";
    case VAL_PAIR:
        return v.n == 2 ? NULL : "a pair that does not have two elements";
    case VAL_ROW8:
    case VAL_ROW64:
        return row_wrong(v);
    case VAL_GRID8:
    case VAL_GRID64:
        return grid_wrong(v);
    case VAL_INDICES:
    case VAL_OBJ_CORE:
    case VAL_OBJ_BATT:
        return keys_wrong(v);
    case VAL_TUPLE:
    case VAL_SET:
        return items_wrong(v);
    case VAL_CLOSURE:
        return v.f == NULL || v.f->op > CLOSURE_HOST ? "a closure of no kind" : NULL;
    case VAL_INT:
    case VAL_TRIPLE:
    case VAL_CELL:
    case VAL_PRIM:
        return NULL;
    }
    return "a kind that does not exist";
}

Val val_assert(Val v, const char *file, int line) {
    const char *wrong = val_wrong(v);
    if (wrong != NULL) {
        check_failed(file, line, "value", wrong, "kind %u, w %u, n %u, i %lld", v.kind, v.w, v.n,
                     (long long)v.i);
    }
    return v;
}

#endif
