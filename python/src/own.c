/* Python functions as primitives: registered in every context, and called in any thread. */
#include "batt_python.h"

#include <stdlib.h>
#include <string.h>

/* What was registered and forgotten, in this order. Entries stay: programs may need them. Guarded by the GIL.
 */
typedef struct Entry {
    char *name, *signature; /* signature NULL: forgotten */
    unsigned price;
    PyObject *function;
} Entry;

static Entry *entries;
static size_t n_entries;

/* The exception that is set, as the message of a failure. */
static batt_value *fail_with_exception(batt_context *context) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *name = type != NULL ? PyObject_GetAttrString(type, "__name__") : NULL;
    PyObject *text = name != NULL && value != NULL ? PyUnicode_FromFormat("%U: %S", name, value)
                                                   : PyUnicode_FromString("");
    const char *why = text != NULL ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    batt_fail(context, why != NULL ? why : "");
    PyErr_Clear();
    Py_XDECREF(text);
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return NULL;
}

static batt_value *call_function(PyObject *function, batt_context *context,
                                 const batt_value *const *arguments, size_t n) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)n), *result = NULL;
    for (size_t k = 0; tuple != NULL && k < n; k++) {
        PyObject *argument = object_of(context, batt_retain(arguments[k]), BATT_MODE_CORE);
        if (argument == NULL || PyTuple_SetItem(tuple, (Py_ssize_t)k, argument) < 0) {
            Py_CLEAR(tuple);
        }
    }
    if (tuple != NULL && Py_EnterRecursiveCall(" in a primitive of your own") == 0) {
        result = PyObject_CallObject(function, tuple);
        Py_LeaveRecursiveCall();
    }
    batt_value *v = result != NULL ? value_of(context, result, BATT_MODE_CORE) : NULL;
    Py_XDECREF(tuple);
    Py_XDECREF(result);
    return v;
}

/* In a thread of Python, Ctrl-C and exit() end the call that this one is part of: the exception stays set,
 * and further calls fail at once. */
static batt_value *call_own(void *user, batt_context *context, const batt_value *const *arguments, size_t n) {
    int worker = PyGILState_GetThisThreadState() == NULL;
    PyGILState_STATE state = PyGILState_Ensure();
    batt_value *v = NULL;
    if (!PyErr_Occurred()) {
        v = call_function(user, context, arguments, n);
        if (v == NULL && (worker || PyErr_ExceptionMatches(PyExc_Exception))) {
            fail_with_exception(context);
        }
    }
    PyGILState_Release(state);
    return v;
}

static int tell(batt_context *context, const Entry *e) {
    if (e->signature == NULL) {
        batt_primitive_forget(context, e->name);
        return 1;
    }
    return batt_primitive_register(context, e->name, e->signature, e->price, call_own, e->function, NULL);
}

int own_tell(batt_context *context, size_t *told) {
    while (*told < n_entries && tell(context, &entries[*told])) {
        ++*told;
    }
    return *told == n_entries;
}

static char *copy_text(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return copy != NULL ? strcpy(copy, text) : NULL;
}

/* The entry is tried in one context, whose fault is raised; the others are told when they are used. */
PyObject *own_register(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *name, *signature;
    int price;
    PyObject *function;
    if (!PyArg_ParseTuple(arguments, "szOi", &name, &signature, &function, &price)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    Entry e = {copy_text(name), signature != NULL ? copy_text(signature) : NULL, (unsigned)price, function};
    Entry *more = realloc(entries, (n_entries + 1) * sizeof *more);
    entries = more != NULL ? more : entries;
    int good = more != NULL && e.name != NULL && (signature == NULL) == (e.signature == NULL);
    if (!good) {
        PyErr_NoMemory();
    } else if (!tell(context, &e)) {
        raise_fault(context);
        good = 0;
    }
    context_give(context);
    if (!good) {
        free(e.name);
        free(e.signature);
        return NULL;
    }
    Py_INCREF(function);
    entries[n_entries++] = e;
    Py_RETURN_NONE;
}
