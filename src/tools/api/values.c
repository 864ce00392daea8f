/* Making and reading values. */
#include "base/alloc.h"
#include "engine/language/value_text.h"
#include "tools/api/api_internal.h"

#include <limits.h>
#include <string.h>

/* ---- making ---- */

static batt_value *made(batt_context *c, Val v) {
    batt_value *handle = arena_make_handle(c, v, false);
    return handle != NULL ? handle : (batt_value *)api_no_memory(c);
}

batt_value *batt_int(batt_context *c, int64_t number) {
    return api_begin(c) ? made(c, val_int(number)) : NULL;
}

batt_value *batt_atom(batt_context *c, int kind) {
    if (!api_begin(c)) {
        return NULL;
    }
    switch (kind) {
    case BATT_NONE:
        return made(c, val_atom(ATOM_NONE));
    case BATT_NAN:
        return made(c, val_atom(ATOM_NAN));
    case BATT_INF:
        return made(c, val_atom(ATOM_POS_INF));
    case BATT_NEG_INF:
        return made(c, val_atom(ATOM_NEG_INF));
    default:
        return api_fault(c, BATT_BAD_ARGUMENT, "%d is not a kind of atom", kind);
    }
}

static bool fits_grid(batt_context *c, const void *cells, int rows, int columns) {
    if (rows < 0 || columns < 0 || columns > LIMIT_WIDTH || (int64_t)rows * columns > LIMIT_ELEMENTS) {
        api_fault(c, BATT_BAD_ARGUMENT, "a grid of %d x %d is %s", rows, columns,
                  rows < 0 || columns < 0 ? "not possible" : "too large");
        return false;
    }
    if (cells == NULL && rows != 0 && columns != 0) {
        api_fault(c, BATT_BAD_ARGUMENT, "the cells are NULL");
        return false;
    }
    return true;
}

batt_value *batt_grid(batt_context *c, const int8_t *cells, int rows, int columns) {
    if (!api_begin(c) || !fits_grid(c, cells, rows, columns)) {
        return NULL;
    }
    static const int8_t none[1];
    Val v = val_grid8(cells != NULL ? cells : none, (uint32_t)rows, (uint32_t)columns);
    batt_value *handle = arena_make_handle(c, v, true);
    return handle != NULL ? handle : (batt_value *)api_no_memory(c);
}

/* Ends the making of a value in scratch memory. Constructors may fail, just as calls may. */
static batt_value *constructed(batt_context *c, Val v) {
    if (val_failed(v)) {
        arena_list_clear(&c->borrowed);
        c->busy = false;
        return v.w == FAIL_MEMORY
                   ? api_no_memory(c)
                   : api_fault(c, BATT_BAD_ARGUMENT, "the value is too large (%s)", reason_name((Reason)v.w));
    }
    return api_evaluated(c, v, false);
}

batt_value *batt_grid_wide(batt_context *c, const int64_t *cells, int rows, int columns) {
    if (!api_begin(c) || !fits_grid(c, cells, rows, columns)) {
        return NULL;
    }
    if (rows == 0) {
        return made(c, VAL_EMPTY_TUPLE);
    }
    api_evaluate(c, BATT_MODE_CORE);
    return constructed(c, val_grid64(&c->ctx, cells, (uint32_t)rows, (uint32_t)columns));
}

static bool fits_count(batt_context *c, const void *items, size_t n) {
    if (n > LIMIT_ELEMENTS || (items == NULL && n > 0)) {
        api_fault(c, BATT_BAD_ARGUMENT,
                  n > LIMIT_ELEMENTS ? "%zu elements are too many" : "the %zu elements are NULL", n);
        return false;
    }
    return true;
}

batt_value *batt_ints(batt_context *c, const int64_t *numbers, size_t n) {
    if (!api_begin(c) || !fits_count(c, numbers, n)) {
        return NULL;
    }
    api_evaluate(c, BATT_MODE_CORE);
    return constructed(c, val_ints(&c->ctx, numbers, (uint32_t)n));
}

static batt_value *container(batt_context *c, const batt_value *const *items, size_t n, bool set) {
    if (!api_begin(c) || !fits_count(c, items, n)) {
        return NULL;
    }
    for (size_t k = 0; k < n; k++) {
        if (items[k] == NULL || val_failed(items[k]->value)) {
            return api_fault(c, BATT_BAD_ARGUMENT, "element %zu is %s", k,
                             items[k] ? "a failed value" : "NULL");
        }
    }
    api_evaluate(c, BATT_MODE_CORE);
    Val *values = val_buffer(&c->ctx, n);
    bool good = values != NULL;
    for (size_t k = 0; k < n && good; k++) {
        values[k] = items[k]->value;
        good = arena_list_add(&c->borrowed, items[k]->arena);
    }
    return constructed(c, !good ? val_fail(FAIL_MEMORY)
                          : set ? val_set(&c->ctx, values, (uint32_t)n)
                                : val_tuple(&c->ctx, values, (uint32_t)n));
}

batt_value *batt_tuple(batt_context *c, const batt_value *const *items, size_t n) {
    return container(c, items, n, false);
}

batt_value *batt_set(batt_context *c, const batt_value *const *items, size_t n) {
    return container(c, items, n, true);
}

batt_value *batt_indices(batt_context *c, const int32_t *places, size_t n) {
    if (!api_begin(c) || !fits_count(c, places, n)) {
        return NULL;
    }
    api_evaluate(c, BATT_MODE_CORE);
    Val *values = val_buffer(&c->ctx, n);
    for (size_t k = 0; k < n && values != NULL; k++) {
        values[k] = val_pair32(places[2 * k], places[2 * k + 1]);
    }
    return constructed(c, values != NULL ? val_set(&c->ctx, values, (uint32_t)n) : val_fail(FAIL_MEMORY));
}

batt_value *batt_object(batt_context *c, const int32_t *cells, size_t n, int mode) {
    if (!api_begin(c) || !fits_count(c, cells, n)) {
        return NULL;
    }
    api_evaluate(c, mode);
    Val *values = val_buffer(&c->ctx, n);
    for (size_t k = 0; k < n && values != NULL; k++) {
        const int32_t *cell = cells + 3 * k;
        values[k] = mode == BATT_MODE_BATT ? val_triple32(cell[1], cell[2], cell[0])
                                           : val_cell32(cell[0], cell[1], cell[2]);
    }
    return constructed(c, values != NULL ? val_set(&c->ctx, values, (uint32_t)n) : val_fail(FAIL_MEMORY));
}

/* ---- reading ---- */

int batt_value_kind(const batt_value *v) {
    if (v == NULL) {
        return BATT_FAILED;
    }
    switch (v->value.kind) {
    case VAL_FAIL:
        return BATT_FAILED;
    case VAL_INT:
        return BATT_INT;
    case VAL_ATOM: {
        static const int atoms[] = {BATT_NONE, BATT_NEG_INF, BATT_INF, BATT_NAN};
        return atoms[v->value.w];
    }
    default:
        return val_is_tuple(v->value) ? BATT_TUPLE : val_is_set(v->value) ? BATT_SET : BATT_FUNCTION;
    }
}

int64_t batt_value_int(const batt_value *v) {
    return v != NULL && v->value.kind == VAL_INT ? v->value.i : 0;
}

size_t batt_value_size(const batt_value *v) {
    return v != NULL && val_is_container(v->value) ? val_len(v->value) : 0;
}

batt_value *batt_value_at(const batt_value *v, size_t k) {
    return k < batt_value_size(v) ? arena_part(v, val_at(v->value, (uint32_t)k)) : NULL;
}

int batt_value_contains(const batt_value *container, const batt_value *item) {
    return container != NULL && item != NULL && val_is_container(container->value) &&
           !val_failed(item->value) && val_len(container->value) != 0 &&
           val_contains(container->value, item->value);
}

int batt_value_equal(const batt_value *a, const batt_value *b) {
    return a != NULL && b != NULL && !val_failed(a->value) && !val_failed(b->value) &&
           val_eq(a->value, b->value);
}

int batt_value_order(const batt_value *a, const batt_value *b) {
    if (a == NULL || b == NULL || val_failed(a->value) || val_failed(b->value)) {
        return (b == NULL) - (a == NULL);
    }
    return val_cmp(a->value, b->value);
}

uint64_t batt_value_hash(const batt_value *v) {
    return v != NULL ? val_hash(v->value, 0) : 0;
}

int batt_value_grid(const batt_value *v, int *rows, int *columns) {
    bool grid = v != NULL && v->value.kind == VAL_GRID8 && v->value.w != 0;
    if (rows != NULL) {
        *rows = grid ? (int)v->value.n : 0;
    }
    if (columns != NULL) {
        *columns = grid ? v->value.w : 0;
    }
    return grid;
}

const int8_t *batt_value_cells_in_place(const batt_value *v) {
    return batt_value_grid(v, NULL, NULL) ? v->value.b8 : NULL;
}

size_t batt_value_cells(const batt_value *v, int8_t *cells, size_t room) {
    int rows, columns;
    if (!batt_value_grid(v, &rows, &columns)) {
        return 0;
    }
    size_t count = (size_t)rows * (size_t)columns;
    if (cells != NULL) {
        memcpy(cells, v->value.b8, count < room ? count : room);
    }
    return count;
}

int64_t batt_value_ints(const batt_value *v, int64_t *numbers, size_t room) {
    if (v == NULL || !val_is_ints(v->value)) {
        return -1;
    }
    uint32_t n = val_len(v->value);
    for (uint32_t k = 0; numbers != NULL && k < n && k < room; k++) {
        numbers[k] = val_ints_at(v->value, k);
    }
    return n;
}

int batt_value_patch_kind(const batt_value *v) {
    if (v == NULL) {
        return 0;
    }
    switch (v->value.kind) {
    case VAL_INDICES:
        return 2;
    case VAL_OBJ_CORE:
        return 3;
    case VAL_OBJ_BATT:
        return 4;
    default:
        return 0;
    }
}

int64_t batt_value_patch(const batt_value *v, int32_t *cells, size_t room) {
    int kind = batt_value_patch_kind(v);
    if (kind == 0) {
        return v != NULL && v->value.kind == VAL_SET && v->value.n == 0 ? 0 : -1;
    }
    uint32_t n = v->value.n;
    for (uint32_t k = 0; cells != NULL && k < n && k < room; k++) {
        uint32_t key = v->value.k[k];
        if (kind > 2) {
            *cells++ = key_color(v->value.kind, key);
        }
        *cells++ = key_row(v->value.kind, key);
        *cells++ = key_col(v->value.kind, key);
    }
    return n;
}

size_t batt_value_text(const batt_value *v, char *text, size_t size) {
    Out out;
    out_init(&out);
    text_value(&out, v != NULL ? v->value : val_fail(FAIL_TYPE));
    size_t length = out.len, copied = length < size ? length : size ? size - 1 : 0;
    if (size != 0 && text != NULL) {
        memcpy(text, out.data, copied);
        text[copied] = '\0';
    }
    out_free(&out);
    return length;
}

static bool failed(const batt_value *v) {
    return v != NULL && val_failed(v->value);
}

const char *batt_value_reason(const batt_value *v) {
    return failed(v) ? reason_name((Reason)v->value.w) : "";
}

const char *batt_value_where(const batt_value *v) {
    const char *own = failed(v) && v->where != NULL ? v->where : "";
    return failed(v) && v->value.n != 0 && v->value.n <= PRIM_COUNT ? prim_table[v->value.n - 1].name : own;
}

int batt_value_line(const batt_value *v) {
    return failed(v) && v->value.i <= INT_MAX ? (int)v->value.i : 0;
}

int batt_value_arity(const batt_value *v) {
    return v != NULL && val_is_fn(v->value) ? (int)fn_arity(v->value) : 0;
}
