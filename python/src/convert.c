/* Converts Python objects to values and back. */
#include "batt_python.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- small numbers, made only once ---- */

enum { SMALL_FROM = -16, SMALL_COUNT = 272 };
static batt_value *small[SMALL_COUNT];

int convert_ready(void) {
    batt_context *context = context_take();
    for (int k = 0; context != NULL && k < SMALL_COUNT; k++) {
        small[k] = batt_int(context, SMALL_FROM + k);
        if (small[k] == NULL) {
            PyErr_NoMemory();
            context_give(context);
            return -1;
        }
    }
    context_give(context);
    return context != NULL ? 0 : -1;
}

static batt_value *number_value(batt_context *context, int64_t number) {
    if (number >= SMALL_FROM && number < SMALL_FROM + SMALL_COUNT) {
        return batt_retain(small[number - SMALL_FROM]);
    }
    batt_value *v = batt_int(context, number);
    return v != NULL ? v : (batt_value *)raise_fault(context);
}

/* ---- in ---- */

typedef struct Reader {
    batt_context *context;
    int mode;
    size_t met;  /* objects so far; limited, as nested tuples that hold one tuple twice grow exponentially */
    int symbols; /* whether it is an argument of a primitive, where strings are words */
    size_t primitive, argument; /* which one */
} Reader;

enum { MAX_MET = 3 << 19, MAX_ELEMENTS = 1 << 20 };

static batt_value *read_object(Reader *r, PyObject *object);

/* Reads integers, subclasses included, and objects with __index__ (numpy's). 1, or 0 with an exception. */
static int read_int(PyObject *object, int64_t *number) {
    int overflow;
    PyObject *index = NULL;
    if (!PyLong_Check(object)) {
        object = index = PyNumber_Index(object);
        if (index == NULL) {
            return 0;
        }
    }
    *number = PyLong_AsLongLongAndOverflow(object, &overflow);
    Py_XDECREF(index);
    if (overflow != 0) {
        PyErr_SetString(PyExc_OverflowError, "the integer does not fit in 64 bits");
        return 0;
    }
    return !(*number == -1 && PyErr_Occurred());
}

static batt_value *read_float(Reader *r, PyObject *object) {
    double d = PyFloat_AsDouble(object);
    if (!isnan(d) && !isinf(d)) {
        PyErr_Format(PyExc_TypeError, "floats other than nan and inf are not values of batt: %R", object);
        return NULL;
    }
    batt_value *v = batt_atom(r->context, isnan(d) ? BATT_NAN : d > 0 ? BATT_INF : BATT_NEG_INF);
    return v != NULL ? v : (batt_value *)raise_fault(r->context);
}

/* Sequences are tuples and lists, read element by element without running any Python code. */
static Py_ssize_t length_of(PyObject *object) {
    return PyTuple_Check(object) ? PyTuple_Size(object) : PyList_Check(object) ? PyList_Size(object) : -1;
}

static PyObject *item_of(PyObject *object, Py_ssize_t k) { /* borrowed; NULL: the list has shrunk meanwhile */
    if (k >= length_of(object)) {
        PyErr_SetString(PyExc_RuntimeError, "the list changed while it was read");
        return NULL;
    }
    return PyTuple_Check(object) ? PyTuple_GetItem(object, k) : PyList_GetItem(object, k);
}

/* Reads a row of small exact integers into cells; 0, without an exception: it is something else. */
static int read_row(PyObject *row, Py_ssize_t columns, int8_t *cells) {
    if (length_of(row) != columns) {
        return 0;
    }
    for (Py_ssize_t k = 0; k < columns; k++) {
        PyObject *item = PyTuple_Check(row) ? PyTuple_GetItem(row, k) : PyList_GetItem(row, k);
        int overflow;
        if (!PyLong_Check(item)) {
            return 0;
        }
        long number = PyLong_AsLongAndOverflow(item, &overflow);
        if (overflow != 0 || number < -128 || number > 127) {
            return 0;
        }
        cells[k] = (int8_t)number;
    }
    return 1;
}

/* The common case: rows of small integers. NULL without an exception: read it element by element. */
static batt_value *read_rows(Reader *r, PyObject *object, Py_ssize_t rows) {
    PyObject *first = rows > 0 ? item_of(object, 0) : NULL;
    Py_ssize_t columns = first != NULL ? length_of(first) : -1;
    int8_t room[1024], *cells = room;
    batt_value *v = NULL;
    if (columns <= 0 || columns > 1 << 15 || rows > MAX_ELEMENTS / columns) {
        return NULL;
    }
    if (rows * columns > (Py_ssize_t)sizeof room &&
        (cells = PyMem_Malloc((size_t)(rows * columns))) == NULL) {
        return NULL;
    }
    Py_ssize_t k = 0;
    while (k < rows &&
           read_row(PyTuple_Check(object) ? PyTuple_GetItem(object, k) : PyList_GetItem(object, k), columns,
                    cells + k * columns)) {
        k++;
    }
    if (k == rows) {
        v = batt_grid(r->context, cells, (int)rows, (int)columns);
        r->met += (size_t)(rows * columns);
    }
    if (cells != room) {
        PyMem_Free(cells);
    }
    return v;
}

typedef struct Items {
    batt_value **items;
    Py_ssize_t count, room;
} Items;

static int items_add(Items *list, batt_value *v) { /* takes ownership of v */
    if (v == NULL) {
        return 0;
    }
    if (list->count == list->room) {
        Py_ssize_t room = list->room ? 2 * list->room : 16;
        batt_value **items =
            room <= 2 * MAX_ELEMENTS ? PyMem_Realloc(list->items, (size_t)room * sizeof *items) : NULL;
        if (items == NULL) {
            batt_release(v);
            list->room > MAX_ELEMENTS
                ? PyErr_SetString(PyExc_ValueError, "a container has at most 1048576 elements")
                : (void)PyErr_NoMemory();
            return 0;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = v;
    return 1;
}

static batt_value *items_value(Reader *r, Items *list, int set, int good) {
    batt_value *v = NULL;
    if (good) {
        const batt_value *const *items = (const batt_value *const *)list->items;
        v = set ? batt_set(r->context, items, (size_t)list->count)
                : batt_tuple(r->context, items, (size_t)list->count);
        if (v == NULL) {
            raise_fault(r->context);
        }
    }
    for (Py_ssize_t k = 0; k < list->count; k++) {
        batt_release(list->items[k]);
    }
    PyMem_Free(list->items);
    return v;
}

static batt_value *read_sequence(Reader *r, PyObject *object) {
    Py_ssize_t n = length_of(object);
    Items list = {0};
    batt_value *grid = read_rows(r, object, n);
    if (grid != NULL || PyErr_Occurred()) {
        return grid;
    }
    int good = 1;
    for (Py_ssize_t k = 0; k < n && good; k++) {
        PyObject *item = item_of(object, k);
        Py_XINCREF(item); /* it may be replaced while its own elements are read */
        good = item != NULL && items_add(&list, read_object(r, item));
        Py_XDECREF(item);
    }
    return items_value(r, &list, 0, good);
}

static batt_value *read_set(Reader *r, PyObject *object) {
    Items list = {0};
    PyObject *iterator = PyObject_GetIter(object), *item;
    int good = iterator != NULL;
    while (good && (item = PyIter_Next(iterator)) != NULL) {
        good = items_add(&list, read_object(r, item));
        Py_DECREF(item);
    }
    good = good && !PyErr_Occurred();
    Py_XDECREF(iterator);
    return items_value(r, &list, 1, good);
}

/* ---- arrays ---- */

/* Reads one integer of an array; 0: not a known integer type. */
static int read_cell(const char *at, char type, Py_ssize_t size, int64_t *number) {
    uint64_t word = 0;
    int is_signed = strchr("bhilqn", type) != NULL;
    if (!is_signed && strchr("BHILQN?c", type) == NULL) {
        return 0;
    }
    switch (size) {
    case 1:
        *number = is_signed ? *(const int8_t *)at : *(const uint8_t *)at;
        return 1;
    case 2: {
        int16_t x;
        memcpy(&x, at, 2);
        *number = is_signed ? x : (uint16_t)x;
        return 1;
    }
    case 4: {
        int32_t x;
        memcpy(&x, at, 4);
        *number = is_signed ? x : (int64_t)(uint32_t)x;
        return 1;
    }
    case 8:
        memcpy(&word, at, 8);
        *number = (int64_t)word;
        return is_signed || word <= INT64_MAX ? 1 : -1;
    default:
        return 0;
    }
}

static batt_value *read_cells(batt_context *context, const Py_buffer *view, char type) {
    Py_ssize_t rows = view->shape[0], columns = view->ndim == 2 ? view->shape[1] : 1;
    int64_t *cells = PyMem_Calloc((size_t)(rows * columns) + 1, sizeof *cells);
    if (cells == NULL) {
        return (batt_value *)PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < rows; i++) {
        for (Py_ssize_t j = 0; j < columns; j++) {
            const char *at =
                (const char *)view->buf + i * view->strides[0] + (view->ndim == 2 ? j * view->strides[1] : 0);
            int known = read_cell(at, type, view->itemsize, &cells[i * columns + j]);
            if (known <= 0) {
                PyMem_Free(cells);
                known < 0
                    ? PyErr_SetString(PyExc_OverflowError, "an integer of the array does not fit in 64 bits")
                    : PyErr_SetString(PyExc_TypeError, "expected an array of integers");
                return NULL;
            }
        }
    }
    batt_value *v = view->ndim == 2 ? batt_grid_wide(context, cells, (int)rows, (int)columns)
                                    : batt_ints(context, cells, (size_t)rows);
    PyMem_Free(cells);
    return v != NULL ? v : (batt_value *)raise_fault(context);
}

static batt_value *read_array(batt_context *context, PyObject *object) {
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_RECORDS_RO) < 0) {
        return NULL;
    }
    batt_value *v = NULL;
    const char *format = view.format != NULL ? view.format : "B";
    /* the marks of this machine's order of bytes; an array of the other order is refused by its mark */
    const char *marks = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "@=<" : "@=>";
    format += *format != '\0' && strchr(marks, *format) != NULL;
    if (view.ndim < 1 || view.ndim > 2) {
        PyErr_Format(PyExc_ValueError, "expected an array of 1 or 2 dimensions, not of %d", view.ndim);
    } else if (strlen(format) != 1) {
        PyErr_Format(PyExc_TypeError, "expected an array of integers, not of '%s'", view.format);
    } else if (view.shape[0] > MAX_ELEMENTS ||
               (view.ndim == 2 && (view.shape[1] > 1 << 15 ||
                                   (view.shape[1] > 0 && view.shape[0] > MAX_ELEMENTS / view.shape[1])))) {
        PyErr_SetString(PyExc_ValueError, "the array is too large");
    } else if (view.ndim == 2 && *format == 'b' && view.shape[0] > 0 && view.shape[1] > 0 &&
               view.strides[1] == 1 && view.strides[0] == view.shape[1]) {
        v = batt_grid(context, view.buf, (int)view.shape[0], (int)view.shape[1]);
        if (v == NULL) {
            raise_fault(context);
        }
    } else {
        v = read_cells(context, &view, *format);
    }
    PyBuffer_Release(&view);
    return v;
}

/* ---- functions ---- */

static void drop_callable(void *user) {
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)user);
    PyGILState_Release(state);
}

/* Called by the library during a call of ours, so with the GIL held. An exception stays set until that call
 * is over; further calls by the library fail at once. */
static batt_value *call_callable(void *user, const batt_value *const *arguments, size_t n) {
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *tuple = PyTuple_New((Py_ssize_t)n), *result = NULL;
    batt_context *context = context_take();
    batt_value *v = NULL;
    for (size_t k = 0; tuple != NULL && context != NULL && k < n; k++) {
        PyObject *argument = object_of(context, batt_retain(arguments[k]), BATT_MODE_CORE);
        if (argument == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)k, argument) < 0) {
            Py_CLEAR(tuple);
        }
    }
    if (tuple != NULL && context != NULL && Py_EnterRecursiveCall(" in a function that batt calls") == 0) {
        result = PyObject_CallObject(user, tuple);
        Py_LeaveRecursiveCall();
    }
    if (result != NULL) {
        v = value_of(context, result, BATT_MODE_CORE);
    }
    Py_XDECREF(tuple);
    Py_XDECREF(result);
    context_give(context);
    return v;
}

/* Number of parameters of a Python function, 0: not known. */
static unsigned arity_of(PyObject *callable) {
    PyObject *code = PyObject_GetAttrString(callable, "__code__");
    PyObject *self = code != NULL ? PyObject_GetAttrString(callable, "__self__") : NULL;
    PyErr_Clear();
    PyObject *count = code != NULL ? PyObject_GetAttrString(code, "co_argcount") : NULL;
    long n = count != NULL ? PyLong_AsLong(count) : 0;
    if (self != NULL && self != Py_None) {
        n--;
    }
    PyErr_Clear();
    Py_XDECREF(code);
    Py_XDECREF(self);
    Py_XDECREF(count);
    return n >= 1 && n <= 3 ? (unsigned)n : 0;
}

static int warn_once(void) {
    static int warned;
    if (warned) {
        return 0;
    }
    warned = 1;
    PyObject *errors = PyImport_ImportModule("batt._errors");
    PyObject *type = errors != NULL ? PyObject_GetAttrString(errors, "SlowFunctionWarning") : NULL;
    int failed =
        type == NULL ||
        PyErr_WarnEx(type,
                     "batt calls back a Python function: that works, but every call of it is as slow as "
                     "Python; this is said once",
                     2) < 0;
    Py_XDECREF(type);
    Py_XDECREF(errors);
    return failed ? -1 : 0;
}

static batt_value *read_callable(Reader *r, PyObject *object) {
    if (warn_once() < 0) {
        return NULL;
    }
    Py_INCREF(object);
    batt_value *v = batt_function(r->context, arity_of(object), call_callable, object, drop_callable);
    if (v == NULL) {
        Py_DECREF(object);
        raise_fault(r->context);
    }
    return v;
}

static batt_value *read_symbol(Reader *r, PyObject *object) {
    int64_t number;
    const char *word = PyUnicode_AsUTF8AndSize(object, NULL);
    if (word == NULL) {
        return NULL;
    }
    if (!batt_symbol_number(r->primitive, r->argument, word, &number)) {
        PyErr_Format(PyExc_TypeError, "%s: argument %zu is or holds %R, which is no word for it; it takes %s",
                     batt_primitive_name(r->primitive), r->argument + 1, object,
                     batt_primitive_signature(r->primitive));
        return NULL;
    }
    return number_value(r->context, number);
}

static batt_value *read_object(Reader *r, PyObject *object) {
    const batt_value *known;
    if (is_value(object)) {
        return batt_retain(((ValueObject *)object)->value);
    }
    if (++r->met > MAX_MET) {
        PyErr_SetString(PyExc_ValueError, "the object is too large for a value");
        return NULL;
    }
    if (PyLong_Check(object)) {
        int64_t number;
        return read_int(object, &number) ? number_value(r->context, number) : NULL;
    }
    if (PyTuple_Check(object) || PyList_Check(object) || PyAnySet_Check(object)) {
        if (Py_EnterRecursiveCall(" while a value is made of it: it is nested too deeply, or holds itself") !=
            0) {
            return NULL;
        }
        batt_value *v = PyAnySet_Check(object) ? read_set(r, object) : read_sequence(r, object);
        Py_LeaveRecursiveCall();
        return v;
    }
    if (object == Py_None) {
        batt_value *v = batt_atom(r->context, BATT_NONE);
        return v != NULL ? v : (batt_value *)raise_fault(r->context);
    }
    if (PyFloat_Check(object)) {
        return read_float(r, object);
    }
    if ((known = primitive_value(object)) != NULL) {
        return batt_retain(known);
    }
    if (PyIndex_Check(object) && !PyObject_CheckBuffer(object)) {
        int64_t number;
        return read_int(object, &number) ? number_value(r->context, number) : NULL;
    }
    if (PyObject_CheckBuffer(object) && !PyBytes_Check(object) && !PyByteArray_Check(object)) {
        if (PyIndex_Check(object)) { /* numpy's integers have a buffer too */
            PyObject *index = PyNumber_Index(object);
            if (index != NULL) {
                batt_value *v = read_object(r, index);
                Py_DECREF(index);
                return v;
            }
            PyErr_Clear();
        }
        return read_array(r->context, object);
    }
    if (PyCallable_Check(object) && !PyType_Check(object)) {
        return read_callable(r, object);
    }
    if (r->symbols && PyUnicode_Check(object)) {
        return read_symbol(r, object);
    }
    r->symbols ? PyErr_Format(PyExc_TypeError,
                              "%s: argument %zu is or holds %R of type %R, which is no value; it takes %s",
                              batt_primitive_name(r->primitive), r->argument + 1, object,
                              (PyObject *)Py_TYPE(object), batt_primitive_signature(r->primitive))
               : PyErr_Format(PyExc_TypeError, "%R of type %R is not a value of batt", object,
                              (PyObject *)Py_TYPE(object));
    return NULL;
}

batt_value *value_of(batt_context *context, PyObject *object, int mode) {
    Reader r = {.context = context, .mode = mode};
    if (is_value(object)) {
        return batt_retain(((ValueObject *)object)->value);
    }
    return read_object(&r, object);
}

batt_value *argument_of(batt_context *context, PyObject *object, int mode, size_t primitive,
                        size_t argument) {
    Reader r = {.context = context, .mode = mode, .symbols = 1, .primitive = primitive, .argument = argument};
    return read_object(&r, object);
}

batt_value *grid_of(batt_context *context, PyObject *object) {
    if (!is_value(object) && !PyTuple_Check(object) && !PyList_Check(object) &&
        !PyObject_CheckBuffer(object)) {
        PyErr_Format(PyExc_TypeError, "expected a grid, not %R", (PyObject *)Py_TYPE(object));
        return NULL;
    }
    batt_value *v = value_of(context, object, BATT_MODE_CORE);
    if (v != NULL && !batt_value_grid(v, NULL, NULL)) {
        batt_release(v);
        PyErr_SetString(PyExc_ValueError,
                        "expected a grid: rows of equal length, of integers from -128 to 127");
        return NULL;
    }
    return v;
}

/* ---- out ---- */

PyObject *object_of(batt_context *context, batt_value *v, int mode) {
    if (v == NULL) {
        return raise_fault(context);
    }
    PyObject *result = NULL;
    PyTypeObject *type = NULL;
    switch (batt_value_kind(v)) {
    case BATT_INT:
        result = PyLong_FromLongLong(batt_value_int(v));
        break;
    case BATT_NONE:
        result = Py_None;
        Py_INCREF(result);
        break;
    case BATT_NAN:
        result = PyFloat_FromDouble((double)NAN);
        break;
    case BATT_INF:
    case BATT_NEG_INF:
        result = PyFloat_FromDouble(batt_value_kind(v) == BATT_INF ? (double)INFINITY : -(double)INFINITY);
        break;
    case BATT_FAILED:
        if (!PyErr_Occurred()) { /* otherwise a Python function raised it */
            raise_failure(v, NULL);
        }
        break;
    case BATT_TUPLE:
        type = tuple_type;
        break;
    case BATT_SET:
        type = set_type;
        break;
    default:
        type = function_type;
    }
    if (type != NULL && PyErr_Occurred()) {
        type = NULL; /* a Python function raised, and a safe default took the place of its result */
    }
    if (type != NULL) {
        ValueObject *object = PyObject_New(ValueObject, type);
        if (object != NULL) {
            object->value = v;
            object->hash = -1;
            object->mode = mode;
        } else {
            batt_release(v);
        }
        return (PyObject *)object;
    }
    batt_release(v);
    if (PyErr_Occurred()) {
        Py_CLEAR(result);
    }
    return result;
}

static PyObject *plain_rows(const batt_value *v, int rows, int columns) {
    const int8_t *cells = batt_value_cells_in_place(v);
    PyObject *result = PyTuple_New(rows);
    for (int i = 0; result != NULL && i < rows; i++) {
        PyObject *row = PyTuple_New(columns);
        for (int j = 0; row != NULL && j < columns; j++) {
            PyTuple_SetItem(row, j, PyLong_FromLong(cells[i * columns + j]));
        }
        if (row == NULL) {
            Py_CLEAR(result);
        } else {
            PyTuple_SetItem(result, i, row);
        }
    }
    return result;
}

static PyObject *plain_cell(int kind, const int32_t *c) {
    return kind == 2   ? Py_BuildValue("(ii)", c[0], c[1])
           : kind == 3 ? Py_BuildValue("(i(ii))", c[0], c[1], c[2])
                       : Py_BuildValue("(iii)", c[1], c[2], c[0]);
}

/* A frozenset from a list, which it releases. */
static PyObject *frozen(PyObject *list) {
    PyObject *set = list != NULL ? PyFrozenSet_New(list) : NULL;
    Py_XDECREF(list);
    return set;
}

static PyObject *plain_patch(const batt_value *v, int kind) {
    Py_ssize_t n = (Py_ssize_t)batt_value_size(v);
    int32_t *cells = PyMem_Malloc((size_t)n * 3 * sizeof *cells);
    PyObject *list = cells != NULL ? PyList_New(n) : PyErr_NoMemory();
    if (cells != NULL) {
        batt_value_patch(v, cells, (size_t)n);
    }
    for (Py_ssize_t k = 0; list != NULL && k < n; k++) {
        PyObject *cell = plain_cell(kind, cells + k * (kind == 2 ? 2 : 3));
        if (cell == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, k, cell);
        }
    }
    PyMem_Free(cells);
    return frozen(list);
}

static PyObject *plain_elements(const batt_value *v, int set, int mode) {
    Py_ssize_t n = (Py_ssize_t)batt_value_size(v);
    PyObject *all = set ? PyList_New(n) : PyTuple_New(n);
    for (Py_ssize_t k = 0; all != NULL && k < n; k++) {
        batt_value *element = batt_value_at(v, (size_t)k);
        PyObject *item = element != NULL ? plain_of(element, mode) : PyErr_NoMemory();
        batt_release(element);
        if (item == NULL) {
            Py_CLEAR(all);
        } else if (set) {
            PyList_SetItem(all, k, item);
        } else {
            PyTuple_SetItem(all, k, item);
        }
    }
    return set ? frozen(all) : all;
}

PyObject *plain_of(const batt_value *v, int mode) {
    int rows, columns, kind = batt_value_kind(v);
    if (kind != BATT_TUPLE && kind != BATT_SET) {
        return object_of(NULL, batt_retain(v), mode);
    }
    if (batt_value_grid(v, &rows, &columns)) {
        return plain_rows(v, rows, columns);
    }
    int patch = batt_value_patch_kind(v);
    if (patch != 0) {
        return plain_patch(v, patch);
    }
    if (Py_EnterRecursiveCall(" while a value is made plain") != 0) {
        return NULL;
    }
    PyObject *result = plain_elements(v, kind == BATT_SET, mode);
    Py_LeaveRecursiveCall();
    return result;
}
