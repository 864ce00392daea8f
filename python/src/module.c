/* The module batt._batt: its contexts, errors and functions. */
#include "batt_python.h"

#include <string.h>

/* ---- contexts ---- */

enum { MAX_CONTEXTS = 256 };
typedef struct Context {
    batt_context *context;
    size_t told; /* how many entries of the log of own.c it knows */
    int taken;
} Context;
static Context contexts[MAX_CONTEXTS]; /* guarded by the GIL */
static int n_contexts;

batt_context *context_take(void) {
    Context *c = contexts;
    while (c < contexts + n_contexts && c->taken) {
        c++;
    }
    if (c == contexts + MAX_CONTEXTS) {
        PyErr_SetString(PyExc_RecursionError, "calls of batt are nested too deeply");
        return NULL;
    }
    if (c->context == NULL) {
        c->context = batt_open();
        n_contexts += c->context != NULL;
    }
    if (c->context == NULL || !own_tell(c->context, &c->told)) {
        PyErr_NoMemory();
        return NULL;
    }
    c->taken = 1;
    return c->context;
}

void context_give(batt_context *context) {
    for (int k = 0; k < n_contexts; k++) {
        contexts[k].taken &= contexts[k].context != context;
    }
}

/* ---- errors ---- */

static PyObject *errors; /* batt._errors */

static PyObject *raise_named(const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    PyObject *type = errors != NULL ? PyObject_GetAttrString(errors, name) : NULL;
    PyObject *values = type != NULL ? Py_VaBuildValue(format, arguments) : NULL;
    va_end(arguments);
    PyObject *error = values != NULL ? PyObject_CallObject(type, values) : NULL;
    if (error != NULL) { /* made by a class, or by a function that chooses one */
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    }
    Py_XDECREF(error);
    Py_XDECREF(values);
    Py_XDECREF(type);
    return NULL;
}

PyObject *raise_fault_data(const batt_fault *fault, const char *whole) {
    switch (fault->code) {
    case BATT_NO_MEMORY:
        return PyErr_NoMemory();
    case BATT_BAD_ARGUMENT:
        return raise_named("ArgumentError", "(s)", whole);
    case BATT_NO_FILE:
    case BATT_BAD_INPUT:
        return raise_named("placed", "(issiis)", fault->code, whole, fault->file, (int)fault->line,
                           (int)fault->column, fault->text);
    default:
        return raise_named("Error", "(s)", whole);
    }
}

PyObject *raise_fault(batt_context *context) {
    if (!PyErr_Occurred()) {
        raise_fault_data(batt_fault_of(context), batt_error(context));
    }
    return NULL;
}

PyObject *raise_failure(const batt_value *failed, char *detail) {
    raise_named("Failure", "(ssis)", batt_value_reason(failed), batt_value_where(failed),
                batt_value_line(failed), detail != NULL ? detail : "");
    batt_text_free(detail);
    return NULL;
}

/* ---- the module ---- */

static PyObject *version(PyObject *module, PyObject *nothing) {
    (void)module;
    (void)nothing;
    return PyUnicode_FromString(batt_version());
}

static PyObject *value(PyObject *module, PyObject *object) {
    (void)module;
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *v = value_of(context, object, BATT_MODE_CORE);
    PyObject *result = v != NULL ? object_of(context, v, BATT_MODE_CORE) : NULL;
    context_give(context);
    return result;
}

static PyObject *grid(PyObject *module, PyObject *object) {
    (void)module;
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *v = grid_of(context, object);
    PyObject *result = v != NULL ? object_of(context, v, BATT_MODE_CORE) : NULL;
    context_give(context);
    return result;
}

static PyObject *plain(PyObject *module, PyObject *object) {
    (void)module;
    if (is_value(object)) {
        return plain_of(((ValueObject *)object)->value, ((ValueObject *)object)->mode);
    }
    Py_INCREF(object);
    return object;
}

static PyObject *evaluate(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *text;
    int mode = BATT_MODE_CORE, safe = 0;
    if (!PyArg_ParseTuple(arguments, "s|ip", &text, &mode, &safe)) {
        return NULL;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_set_safe(context, safe);
    PyObject *result = object_of(context, batt_eval(context, text, mode), mode);
    batt_set_safe(context, 0);
    context_give(context);
    return result;
}

static PyObject *from_text(PyObject *module, PyObject *text) {
    (void)module;
    Py_ssize_t length;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    batt_context *context = bytes != NULL ? context_take() : NULL;
    if (context == NULL) {
        return NULL;
    }
    PyObject *result = object_of(context, batt_literal(context, bytes, (size_t)length), BATT_MODE_CORE);
    context_give(context);
    return result;
}

static PyMethodDef methods[] = {
    {"version", version, METH_NOARGS, "The version of the library."},
    {"value", value, METH_O,
     "A Python object as a batt value (integers, None and floats stay what they are)."},
    {"grid", grid, METH_O, "A grid of batt from nested sequences or an array of integers; checked."},
    {"plain", plain, METH_O, "A value as tuples, frozensets and numbers of Python."},
    {"evaluate", evaluate, METH_VARARGS, "The value of an expression."},
    {"from_text", from_text, METH_O, "The value that a text such as '((0, 1), {2})' stands for."},
    {"primitives", primitives, METH_VARARGS, "All primitives by name, as functions."},
    {"constants", constants, METH_NOARGS, "All named constants."},
    {"register", own_register, METH_VARARGS, "A function as a primitive, or None to forget one."},
    {"symbols", symbols, METH_NOARGS, "Words for numbers inside arguments."},
    {0}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "batt._batt", "The C side of batt.", -1, methods, 0, 0, 0, 0};

PyMODINIT_FUNC PyInit__batt(void) {
    PyObject *module = PyModule_Create(&definition);
    errors = PyImport_ImportModule("batt._errors");
    if (module == NULL || errors == NULL || convert_ready() < 0 || value_types(module) < 0 ||
        primitive_types(module) < 0 || handle_types(module) < 0 || job_types(module) < 0 ||
        value_hash_ready() < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
