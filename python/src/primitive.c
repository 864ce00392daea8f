/* The primitives as Python functions: one object each, described entirely by the tables of batt.h. */
#include "batt_python.h"

#include <stdio.h>
#include <string.h>

typedef struct PrimitiveObject {
    PyObject_HEAD
    size_t k;
    batt_value *value;
    int mode, plain, truth; /* truth: its result is a boolean */
    PyMethodDef def;
    char *doc;
} PrimitiveObject;

static PyTypeObject *primitive_type;

static void primitive_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    batt_release(((PrimitiveObject *)self)->value);
    PyMem_Free(((PrimitiveObject *)self)->doc);
    PyObject_Free(self);
    Py_DECREF(type);
}

const batt_value *primitive_value(PyObject *object) {
    if (!PyCFunction_Check(object)) {
        return NULL;
    }
    PyObject *self = PyCFunction_GetSelf(object);
    return self != NULL && Py_TYPE(self) == primitive_type ? ((PrimitiveObject *)self)->value : NULL;
}

/* ---- calling ---- */

enum { MAX_ARGS = 8 };

/* Whether a parameter of a signature, "value|color: int", has that name. */
static int has_name(const char *parameter, const char *end, const char *name, size_t length) {
    while (parameter < end) {
        const char *stop = parameter;
        while (stop < end && *stop != '|') {
            stop++;
        }
        if ((size_t)(stop - parameter) == length && memcmp(parameter, name, length) == 0) {
            return 1;
        }
        parameter = stop + 1;
    }
    return 0;
}

/* The index of the parameter that a keyword names, -1: none. Commas inside brackets belong to types. */
static int parameter_at(size_t k, const char *name, size_t length) {
    const char *at = batt_primitive_signature(k);
    for (int place = 0; *at != '\0' && strncmp(at, "->", 2) != 0; place++) {
        const char *colon = strchr(at, ':');
        int depth = 0;
        if (colon == NULL) {
            return -1;
        }
        if (has_name(at, colon, name, length)) {
            return place;
        }
        for (at = colon; *at != '\0' && strncmp(at, " ->", 3) != 0 && (depth > 0 || *at != ','); at++) {
            depth += (*at == '(') - (*at == ')');
        }
        at += strspn(at, ", ");
    }
    return -1;
}

/* Puts keyword arguments into their places; 0 with an exception. */
static int place_keywords(const PrimitiveObject *p, PyObject *const *args, Py_ssize_t n, PyObject *names,
                          PyObject **placed) {
    for (Py_ssize_t k = 0; k < PyTuple_Size(names); k++) {
        Py_ssize_t length;
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, k), &length);
        int place = name != NULL ? parameter_at(p->k, name, (size_t)length) : -1;
        if (place < 0 || place >= MAX_ARGS || placed[place] != NULL) {
            if (name != NULL) {
                PyErr_Format(PyExc_TypeError, "%s() %s '%s'", batt_primitive_name(p->k),
                             place < 0 ? "has no parameter" : "got two values for", name);
            }
            return 0;
        }
        placed[place] = args[n + k];
    }
    return 1;
}

static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names) {
    const PrimitiveObject *p = (PrimitiveObject *)self;
    PyObject *placed[MAX_ARGS] = {0};
    Py_ssize_t count = n + (names != NULL ? PyTuple_Size(names) : 0), taken = 0;
    int arity = batt_primitive_arity(p->k);
    int fits = count <= arity && count >= arity - batt_primitive_optional(p->k);
    if (count > MAX_ARGS ||
        (!fits && p->mode == BATT_MODE_CORE)) { /* the dialect has a default for this case */
        PyErr_Format(PyExc_TypeError, "%s() takes %d argument%s, not %zd", batt_primitive_name(p->k), arity,
                     arity == 1 ? "" : "s", count);
        return NULL;
    }
    if (names != NULL) {
        memcpy(placed, args, (size_t)n * sizeof *args);
        if (!place_keywords(p, args, n, names, placed)) {
            return NULL;
        }
        args = placed;
    }
    batt_context *context = context_take();
    if (context == NULL) {
        return NULL;
    }
    batt_value *values[MAX_ARGS];
    PyObject *result = NULL;
    for (; taken < count; taken++) {
        if (args[taken] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() lacks an argument", batt_primitive_name(p->k));
            break;
        }
        values[taken] = argument_of(context, args[taken], p->mode, p->k, (size_t)taken);
        if (values[taken] == NULL) {
            break;
        }
    }
    if (taken == count) {
        if (p->mode == BATT_MODE_BATT) {
            batt_set_safe(context, 1);
        }
        batt_value *v =
            batt_call_primitive(context, p->k, (const batt_value *const *)values, (size_t)count, p->mode);
        if (p->mode == BATT_MODE_BATT) {
            batt_set_safe(context, 0);
        }
        if (p->truth && batt_value_kind(v) == BATT_INT && (uint64_t)batt_value_int(v) <= 1 &&
            !PyErr_Occurred()) {
            result = PyBool_FromLong(batt_value_int(v) != 0);
            batt_release(v);
        } else if (batt_value_kind(v) == BATT_FAILED && v != NULL && !PyErr_Occurred()) {
            raise_failure(v, batt_explain_call(context, p->k, (const batt_value *const *)values,
                                               (size_t)count, p->mode, v));
            batt_release(v);
        } else if (p->plain && v != NULL && batt_value_kind(v) != BATT_FAILED && !PyErr_Occurred()) {
            result = plain_of(v, p->mode);
            batt_release(v);
        } else {
            result = object_of(context, v, p->mode);
        }
    }
    for (Py_ssize_t k = 0; k < taken; k++) {
        batt_release(values[k]);
    }
    context_give(context);
    return result;
}

/* ---- making them ---- */

/* "name(grid, value, patch)\n--\n\ntext": the form from which help() and inspect read a signature. */
static char *doc_of(size_t k) {
    const char *signature = batt_primitive_signature(k), *at = signature;
    size_t room =
        strlen(signature) * 2 + strlen(batt_primitive_doc(k)) + strlen(batt_primitive_example(k)) + 200;
    char *doc = PyMem_Malloc(room);
    if (doc == NULL) {
        return NULL;
    }
    size_t used = (size_t)snprintf(doc, room, "%s(", batt_primitive_name(k));
    int arity = batt_primitive_arity(k);
    for (int place = 0; place < arity; place++) {
        const char *end = at + strcspn(at, ":|");
        int depth = 0;
        used += (size_t)snprintf(doc + used, room - used, "%s%.*s%s", place ? ", " : "", (int)(end - at), at,
                                 place == arity - 1 && batt_primitive_optional(k) ? "=None" : "");
        for (at = strchr(at, ':') ? strchr(at, ':') : at; *at != '\0' && (depth > 0 || *at != ','); at++) {
            depth += (*at == '(') - (*at == ')');
        }
        at += strspn(at, ", ");
    }
    const char *example = batt_primitive_example(k);
    snprintf(doc + used, room - used, ")\n--\n\n%s\n\n%s\n\nExample: %s\n", batt_primitive_doc(k), signature,
             example);
    return doc;
}

static const char *module_of(int mode, int plain) {
    return mode == BATT_MODE_BATT ? "batt.dsl.dialect" : plain ? "batt.dsl.plain" : "batt.dsl";
}

static PyObject *make(batt_context *context, size_t k, int mode, int plain) {
    PrimitiveObject *p = PyObject_New(PrimitiveObject, primitive_type);
    if (p == NULL) {
        return NULL;
    }
    const char *arrow = strstr(batt_primitive_signature(k), "-> ");
    p->k = k;
    p->mode = mode;
    p->plain = plain;
    p->truth = mode == BATT_MODE_CORE && arrow != NULL && strcmp(arrow, "-> bool") == 0;
    p->value = batt_primitive_at(context, k);
    p->doc = doc_of(k);
    p->def = (PyMethodDef){batt_primitive_name(k), (PyCFunction)(void (*)(void))call,
                           METH_FASTCALL | METH_KEYWORDS, p->doc};
    PyObject *module = PyUnicode_FromString(module_of(mode, plain));
    PyObject *function = p->value != NULL && p->doc != NULL && module != NULL
                             ? PyCFunction_NewEx(&p->def, (PyObject *)p, module)
                             : raise_fault(context);
    Py_XDECREF(module);
    Py_DECREF(p);
    return function;
}

PyObject *primitives(PyObject *self, PyObject *arguments) {
    (void)self;
    int mode, plain = 0;
    if (!PyArg_ParseTuple(arguments, "i|p", &mode, &plain)) {
        return NULL;
    }
    batt_context *context = context_take();
    PyObject *all = context != NULL ? PyDict_New() : NULL;
    for (size_t k = 0; all != NULL && k < batt_primitive_count(); k++) {
        PyObject *function = make(context, k, mode, plain);
        if (function == NULL || PyDict_SetItemString(all, batt_primitive_name(k), function) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(function);
    }
    context_give(context);
    return all;
}

PyObject *constants(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    batt_context *context = context_take();
    PyObject *all = context != NULL ? PyDict_New() : NULL;
    for (size_t k = 0; all != NULL && k < batt_constant_count(); k++) {
        PyObject *constant = object_of(context, batt_constant(context, k), BATT_MODE_CORE);
        if (constant == NULL || PyDict_SetItemString(all, batt_constant_name(k), constant) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(constant);
    }
    context_give(context);
    return all;
}

/* By word: its number, or, where it has another one in another argument, the word itself, which the
 * primitives read by the argument it stands in. */
PyObject *symbols(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    const char *symbol;
    int64_t number;
    PyObject *all = PyDict_New();
    for (size_t k = 0; all != NULL && *(symbol = batt_symbol(k, &number)) != '\0'; k++) {
        PyObject *known = PyDict_GetItemString(all, symbol);
        int same = known == NULL || (PyLong_Check(known) && PyLong_AsLongLong(known) == number);
        PyObject *value = same ? PyLong_FromLongLong(number) : PyUnicode_FromString(symbol);
        if (value == NULL || PyDict_SetItemString(all, symbol, value) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(value);
    }
    return all;
}

/* Pickling a primitive pickles "the attribute NAME of its object"; as the object stands the module that has
 * all of that kind. */
static PyObject *reduce(PyObject *self, PyObject *nothing) {
    const PrimitiveObject *p = (PrimitiveObject *)self;
    PyObject *importlib = PyImport_ImportModule("importlib");
    PyObject *import = importlib != NULL ? PyObject_GetAttrString(importlib, "import_module") : NULL;
    (void)nothing;
    PyObject *result = import != NULL ? Py_BuildValue("(O(s))", import, module_of(p->mode, p->plain)) : NULL;
    Py_XDECREF(importlib);
    Py_XDECREF(import);
    return result;
}

static PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, NULL}, {0}};
static PyType_Slot slots[] = {{Py_tp_dealloc, primitive_dealloc}, {Py_tp_methods, methods}, {0, NULL}};

int primitive_types(PyObject *module) {
    (void)module;
    PyType_Spec spec = {"batt.Primitive", sizeof(PrimitiveObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    primitive_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return primitive_type != NULL ? 0 : -1;
}
